#ifndef RATTLE_CLI_H
#define RATTLE_CLI_H
/* Declarations that the subcommands of `rattle` share. The command uses the public headers of the
 * library only. */
#include <stdio.h>

#include "words/fields.h"
#include "rattle/rattle.h"
#include "words/error.h"

/* Exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

/* One option of a command: --name or -letter, with an argument where `argument` is not NULL. */
typedef struct cli_option {
  const char *name; /* NULL ends the table */
  char letter;      /* 0: none */
  const char *argument, *text;
} cli_option;

typedef struct cli_args cli_args;

/* A subcommand: one table row in commands.c, one file. */
typedef struct cli_command {
  const char *name, *operands, *text; /* operands as in the usage line */
  int least, most;                    /* how many operands */
  const char *details;                /* lines that --help adds after the options, "" if none */
  const cli_option *options;
  int (*main)(const cli_args *args);
} cli_command;

extern const cli_command cli_check, cli_run, cli_resume, cli_recover, cli_info, cli_methods,
    cli_new, cli_export, cli_plot, cli_study, cli_verify;
extern const cli_command cli_gallery, cli_report_command, cli_live, cli_watch, cli_bonds_command,
    cli_sweep, cli_sample, cli_certify, cli_cite, cli_animate, cli_fit_command;
extern const cli_command *const cli_commands[]; /* in the order of `rattle --help` */
extern const int cli_command_count;
const cli_command *cli_find_command(const char *name); /* NULL: unknown */

/* --- help.c: what `rattle help` prints --- */
/* The chapters of the documentation, by section, with their titles. */
void cli_list_chapters(FILE *out);
/* Prints the help of a command, the chapter of that name, or both. Returns the exit status. */
int cli_help(const char *word);

/* --- args.c: what was typed --- */
enum { CLI_MOST_OPERANDS = 64 };
struct cli_args {
  const cli_command *command;
  const char **value; /* of each row of the option table: the last one given; NULL: not given, ""
                         for a flag that was given */
  struct cli_given {
    const cli_option *option;
    const char *value;
  } * given; /* every option that was typed, in order */
  int givens;
  const char *operand[CLI_MOST_OPERANDS];
  int operands;
  rattle_parameter *parameter; /* -P name=value, in order */
  char **parameter_name;
  int parameters;
  int help;
};
/* Reads the words after the command's name. On failure the error says what is wrong; cli_args_free
 * all the same. */
rattle_status cli_args_read(cli_args *args, const cli_command *command, int argc, char **argv,
                            rattle_error *error);
void cli_args_free(cli_args *args);
int cli_flag(const cli_args *args, const char *option);
const char *cli_text(const cli_args *args, const char *option); /* NULL: not given */
/* The values of an option that may be repeated, one after the other: *at is 0 at first. NULL: no
 * more. */
const char *cli_next(const cli_args *args, const char *option, int *at);
/* A number given by an option; left alone if not given. Integers also as 1e6. */
rattle_status cli_real(const cli_args *args, const char *option, double *value,
                       rattle_error *error);
rattle_status cli_integer(const cli_args *args, const char *option, long long *value,
                          rattle_error *error);
void cli_print_help(const cli_command *command, FILE *out);

/* Rows that several commands have. */
#define CLI_PARAM_OPTION                                                                           \
  { "param", 'P', "NAME=VALUE", "set a parameter of the model; may be repeated" }
#define CLI_PROJECT_OPTION                                                                         \
  { "project", 0, NULL, "project a start that violates the constraints onto them" }
#define CLI_FORCE_OPTION                                                                           \
  { "force", 0, NULL, "replace existing output files" }
#define CLI_JSON_OPTION                                                                            \
  { "json", 0, NULL, "print one JSON object" }
#define CLI_SUMMARY_OPTIONS                                                                        \
  {"json", 0, NULL, "print the summary as one JSON object"}, {                                     \
    "quiet", 0, NULL, "no summary and no progress line"                                            \
  }
#define CLI_EVALUATOR_OPTION                                                                       \
  {                                                                                                \
    "evaluator", 0, "KIND",                                                                        \
        "how H and g are evaluated: block (interpreted), native (compiled by cc) or auto"          \
  }
/* Those of commands that make a single run: run and resume. */
#define CLI_ONE_RUN_OPTIONS                                                                        \
  CLI_SUMMARY_OPTIONS, {"threads", 0, "N", "accepted for scripts; a single run uses one thread"},  \
      CLI_EVALUATOR_OPTION, CLI_PLUGIN_OPTION, CLI_OBSERVE_OPTION

#define CLI_CERTIFY_OPTION                                                                         \
  {                                                                                                \
    "certify", 0, NULL,                                                                            \
        "prove of each step that it ends where it must, and stop where that fails: rattle help "   \
        "certificates"                                                                             \
  }

/* --- text.c --- */
/* printf for all that a terminal may get, with a sink of words/text.h: what models and records say
 * is shown, never obeyed. Returns the number of bytes before that. */
int cli_print(FILE *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* "TITLE (PATH)", or PATH where there is no title, as a line. */
void cli_print_title(FILE *out, const char *title, const char *path);
/* "steps  917 proven, 3 tracked", as a line, where steps were proved. */
void cli_print_proofs(FILE *out, const rattle_counts *counts);
/* A line on how to go on: "label" and a command whose last word is `path`. */
void cli_print_command(FILE *out, const char *label, const char *command, const char *path);
/* The candidate nearest to word, NULL if none is near. */
const char *cli_nearest(const char *word, const char *const *candidates, int count);
/* "rattle run: sentence" on standard error. */
void cli_complain(const char *command, const rattle_error *error);
/* Says what went wrong before a run or while a file was read: on standard error, and with `json` as
 * an object with `status` on standard output too. Returns the exit status. */
int cli_end_badly(const cli_args *args, const rattle_error *error, int json);
/* Flushes standard output; a failure there (a full disk, a closed pipe) makes a good exit status
 * bad. */
int cli_flush(int exit_status);

/* --- balance.c --- */
/* True if the energy of the record is H less what forces, drives and heat baths have brought in. */
int cli_is_balance(const rattle_record_info *info);

/* --- files.c: input and output files --- */
/* A file that is read: there, a file, readable. */
rattle_status cli_check_input(const char *path, rattle_error *error);
/* True if it is a file, no pipe, that begins as HDF5's do. */
int cli_is_record(const char *path);
/* A whole text, malloc'ed; also through a pipe that is being written. */
rattle_status cli_read_text(const char *path, char **text, rattle_error *error);
/* Before anything is computed: `path` may be written: it is not there (or an empty file that nobody
 * is writing, or force is 1), its folder is, and it is none of the files in `inputs` (NULL-ended,
 * may be NULL). */
rattle_status cli_check_output(const char *path, int force, const char *const *inputs,
                               rattle_error *error);
/* The place of an output for as long as its contents are computed: nobody else writes there. An
 * empty file where there was none. */
typedef struct cli_place {
  const char *path;
  int fd, made; /* made: the file is ours and empty */
} cli_place;
/* RATTLE_EXISTS: there is a file, and force = 0; RATTLE_IO: somebody is writing there. */
rattle_status cli_take_place(cli_place *place, const char *path, int force, rattle_error *error);
/* Before the contents are put there. */
void cli_open_place(cli_place *place);
/* At the end; an empty file of ours goes. */
void cli_leave_place(cli_place *place);

/* --- table.c --- */
/* A line of names, then lines of numbers; commas, semicolons or tabs between them. */
typedef struct cli_table {
  const char *what; /* begins its errors */
  char **name;      /* [columns] */
  int columns;
  long long rows; /* lines of numbers */
  double **to; /* [columns]: where the numbers of a column go, [rows]; NULL: they may be any text */
  const char *at; /* of the text, which is kept by the caller */
  char separator; /* that of the line of names */
  int may_lack;   /* 1: fields may be empty, which are NaN then */
} cli_table;
/* Reads the names. To be closed after a failure too. */
rattle_status cli_table_open(cli_table *table, const char *what, const char *text,
                             rattle_error *error);
/* Reads the numbers to where table->to points by now. */
rattle_status cli_table_read(cli_table *table, rattle_error *error);
void cli_table_close(cli_table *table);

/* --- output.c --- */
/* A file that is there when it is complete; one that is not regular is written at once. */
typedef struct cli_output {
  FILE *file;
  const char *path;
  char *temporary; /* the name until then; NULL: written at once */
  int force;
} cli_output;
/* BAD_ARGUMENT: the name - is that of standard output elsewhere, and of no file. */
rattle_status cli_refuse_dash(rattle_error *error);
/* RATTLE_EXISTS: there is a file, and force = 0. */
rattle_status cli_begin_output(cli_output *output, const char *path, int force,
                               rattle_error *error);
/* Files that belong together are all flushed before the first one gets its name. */
rattle_status cli_flush_output(const cli_output *output, rattle_error *error);
/* `status` is that of its contents: the file gets its name if that is RATTLE_OK and all could be
 * written. Returns `status`, or why it could not, with an error that names the path. */
rattle_status cli_end_output(cli_output *output, rattle_status status, rattle_error *error);

/* --- json.c --- */
void cli_json_status(json_writer *json, rattle_status status, const rattle_error *error);
/* The first substep of a certificate that is not proved, as the object "not_proved", empty if there
 * is none; `time`: where its step begins. */
void cli_json_not_proved(json_writer *json, const rattle_problem *problem,
                         const rattle_certificate *of, double time);
/* --- units.c --- */
/* Units that a model gives, "" where there is none. The texts are the model's. */
typedef struct cli_units {
  const char *length, *time;
  char energy[160];
} cli_units;
cli_units cli_units_of(const rattle_model *model);
/* Nothing where there are none at all. */
void cli_json_units(json_writer *json, const char *length, const char *time, const char *energy);
void cli_print_units(FILE *out, const char *length, const char *time, const char *energy);

/* --- child.c: other programs --- */
/* 1: there is a program of that name, a path or in PATH. */
int cli_has_program(const char *name);
/* Runs a program, whose standard streams are these files, to its end, and ends it with all that it
 * has started after so many seconds on the clock, or where Ctrl-C was caught. RATTLE_IO with a
 * sentence: it failed, by the last line of its errors, or was ended. */
rattle_status cli_run_program(const char *const *words, FILE *in, FILE *out, FILE *errors,
                              double seconds, rattle_error *error);
/* The line of its errors that says most: the last one that is not empty. 0: there is none. */
int cli_read_complaint(FILE *errors, char *text, size_t size);

/* --- signals.c: Ctrl-C --- */
/* From here on the first SIGINT or SIGTERM sets the flag returned; a second one leaves at once with
 * 130. */
const volatile int *cli_catch_signals(void);
/* --stop-after: so much time from now the flag is set. */
#define CLI_STOP_AFTER_OPTION                                                                      \
  {                                                                                                \
    "stop-after", 0, "TIME",                                                                       \
        "end after so much time on the clock, as Ctrl-C does: 90 (seconds), 15m, 1h30m, 2d"        \
  }
rattle_status cli_stop_after(const cli_args *args, rattle_error *error);

/* --- progress.c --- */
typedef struct cli_progress {
  rattle_observer observer;
  int shown;
} cli_progress;
/* An observer that shows one line on standard error. 0 if there is no terminal: leave it out. */
int cli_progress_init(cli_progress *progress);

/* The same of a sweep: cases that are done, those that failed, cases per second; and to wipe the
 * line. */
void cli_show_cases(long long done, long long all, long long failed, double rate);
void cli_wipe_line(void);

/* --- plugins.c --- */
#define CLI_PLUGIN_OPTION                                                                          \
  {                                                                                                \
    "plugin", 0, "FILE.so",                                                                        \
        "load base maps and observers from this shared object; may be repeated"                    \
  }
#define CLI_OBSERVE_OPTION                                                                         \
  { "observe", 0, "NAME[:ARG]", "run this observer of a plug-in; may be repeated" }
/* Loads what --plugin names. */
rattle_status cli_load_plugins(const cli_args *args, rattle_error *error);
enum { CLI_MOST_OBSERVERS = 8 };
/* The observers that --observe names. */
typedef struct cli_observers {
  rattle_observer observer[CLI_MOST_OBSERVERS];
  const rattle_plugin_observer *from[CLI_MOST_OBSERVERS];
  int count;
} cli_observers;
/* After a failure the observers made before it are there to be destroyed. */
rattle_status cli_observers_create(cli_observers *observers, const cli_args *args,
                                   const rattle_problem *problem, rattle_error *error);
void cli_observers_destroy(cli_observers *observers);

/* --- from.c --- */
/* A point of a record or of a study of an equilibrium, which remain open. */
typedef struct cli_point {
  rattle_record *record;
  rattle_study *study;     /* NULL: of a record */
  const char *const *name; /* [n] of coordinates */
  int n;
  double *q, *p;         /* [n] */
  const char *parameter; /* of a family of equilibria, and its value there; NULL: none */
  double value;
} cli_point;
/* STUDY.h5: the equilibrium that it found, at rest; STUDY.h5@K: of a family, its row K. RECORD.h5:
 * its last sample; @STEP, @TIME: that sample; @EVENT, @EVENT[last]: the last point of an event,
 * @EVENT[K]: the K-th. To be dropped after a failure too. */
rattle_status cli_point_read(cli_point *point, const char *asked, rattle_error *error);
void cli_point_drop(cli_point *point);
/* True if a word is a number alone. */
int cli_is_number(const char *word, double *value);

/* --- parts.c --- */
/* The table of that name, of a study as a whole, or NULL; the figure, or NaN. */
const rattle_study_table *cli_study_table(const rattle_study_result *result, const char *name);
double cli_study_figure(const rattle_study_result *result, const char *name);
/* "2.001 +- 0.003": as many decimals as are known; "-" if none is. */
void cli_study_slope(char *text, size_t size, const rattle_study_fit *fit);
/* Places of the largest entries x + i y of a shape, those that are seen with three decimals, in
 * order of size; how many. y: NULL, none is imaginary. */
enum { CLI_LEADING = 6 };
int cli_study_is_seen(double x);
int cli_study_leading(const double *x, const double *y, int n, int place[CLI_LEADING]);

/* --- start.c --- */
#define CLI_START_OPTIONS                                                                          \
  {"start", 0, "NAME=VALUE", "start a coordinate or momentum from this value; may be repeated"}, { \
    "from", 0, "RECORD.h5[@AT]",                                                                   \
        "start from a sample of a record: its last, that of step @200, that at time @1.5, or the " \
        "last of an event @NAME, its third @NAME[3]"                                               \
  }
/* The start of the model becomes the one that --from and --start ask for, of commands that have
 * them: a line at the end of its text. The model is the last operand, read with these options. */
rattle_status cli_start(rattle_model **model, const cli_args *args,
                        const rattle_model_options *options, rattle_error *error);
/* That line of the text of a model, if there is one. */
void cli_print_start(const char *text);

/* --- session.c: a model on its way to being run --- */
typedef struct cli_session {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double *q, *p; /* [n] */
  rattle_state state;
} cli_session;
/* Loads the model (file, or text where text is not NULL), makes the problem with --evaluator,
 * --start and --from as in args. */
rattle_status cli_session_load(cli_session *session, const cli_args *args, const char *file,
                               const char *text, const rattle_model_options *options,
                               rattle_error *error);
/* remake.c: the same of the model in a record, the first operand, with its parameters; verb: what
 * the command is to do with it. */
rattle_status cli_remake(cli_session *session, const cli_args *args, const rattle_record_info *info,
                         const char *verb, rattle_error *error);
void cli_session_end(cli_session *session);
/* --evaluator. */
rattle_status cli_evaluator(const cli_args *args, rattle_problem_options *options,
                            rattle_error *error);
/* More steps than any run has: for runs that end at a time, whose steps differ in length. */
#define CLI_MOST_STEPS 9000000000000000LL
/* Steps from `start` to `stop` by h: whole steps that reach stop (the last is not cut). */
rattle_status cli_count_steps(double start, double stop, double h, long long *steps,
                              rattle_error *error);

/* --- events.c --- */
#define CLI_AT_OPTIONS                                                                             \
  {"at", 0, "TIMES",                                                                               \
   "output at these times too, separated by commas; +0.1: by this step of time"},                  \
  {                                                                                                \
    "exact", 0, NULL, "end at the end time exactly, by a step of fractional length"                \
  }
typedef struct cli_tally {
  const char *name;
  long long count; /* in this run */
  double first, last;
} cli_tally;
/* The events of a run, counted by an observer. */
typedef struct cli_events {
  rattle_observer observer;
  rattle_events asked;
  double *times, end; /* of asked */
  cli_tally *tally;   /* [count] */
  int count, n, ended;
  double *q, *p; /* [n] where the run ended, if an event or the exact end did that */
} cli_events;
/* The events that the model and the options ask for; `stop` is the end time, NaN: none. */
rattle_status cli_events_plan(cli_events *events, const cli_args *args, const cli_session *session,
                              double stop, rattle_error *error);
/* After events->asked has been filled. */
rattle_status cli_events_begin(cli_events *events, const cli_session *session, rattle_error *error);
void cli_events_end(cli_events *events);
void cli_events_json(json_writer *json, const cli_events *events, const rattle_summary *summary);
void cli_events_print(FILE *out, const cli_events *events, const rattle_summary *summary);

/* --- summary.c --- */
typedef struct cli_report {
  const cli_session *session;
  const char *model_path, *record_path, *csv_path; /* NULL: none */
  const rattle_summary *summary;
  const cli_events *events;
  long long steps_asked;
  double stop_asked, moved[2];    /* stop_asked NaN: steps were asked for; moved: by the projection
                                  of the start */
  const char *note;               /* one more line, NULL: none */
  const rattle_extreme *extremes; /* of the observables, NULL: not asked for */
  const rattle_warnings *warnings;
} cli_report;
void cli_report_json(const cli_report *report, FILE *out);
void cli_report_text(const cli_report *report, FILE *out);
/* On standard error: those from number `from` on, of a run by the command. Returns how many there
 * are. */
int cli_warn(const char *command, const rattle_warnings *warnings, int from);
#endif
