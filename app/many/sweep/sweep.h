#ifndef SWEEP_H
#define SWEEP_H
/* rattle sweep: a plan says what the cases are, columns what is kept of each, the drive has an
 * ensemble run them into a file of cases. */
#include "base/cli.h"
#include "rattle/cases.h"
#include "rattle/ensemble.h"

/* --- spec.c: what is written behind a name --- */
typedef enum sweep_law { SWEEP_LIST, SWEEP_UNIFORM, SWEEP_LOG_UNIFORM, SWEEP_NORMAL } sweep_law;
typedef struct sweep_spec {
  sweep_law law;
  double *value; /* [count] of a list */
  long long count;
  double a, b; /* bounds; mean and standard deviation */
} sweep_spec;
/* "1:10:0.5", at most so many numbers; "1,2,4", "2"; a law has its name, as uniform(-3,3). `of` is
 * for messages. */
enum { SWEEP_MOST_VALUES = 100000000 };
rattle_status sweep_read_list(sweep_spec *spec, const char *text, const char *of, long long most,
                              rattle_error *error);
rattle_status sweep_read_law(sweep_spec *spec, const char *text, const char *of,
                             rattle_error *error);
double sweep_draw(const sweep_spec *spec, double u);

/* --- plan.c --- */
typedef enum sweep_target {
  SWEEP_PARAMETER,
  SWEEP_VARIABLE,
  SWEEP_METHOD,
  SWEEP_STEP
} sweep_target;
/* One quantity that differs from case to case. Quantities of one axis change together, as the
 * columns of a list of cases do. */
typedef struct sweep_quantity {
  sweep_target target;
  char *name;
  int variable; /* coordinate k, n + k for its momentum */
  int axis;     /* of the grid; -1: drawn */
  sweep_spec spec;
} sweep_quantity;
typedef enum sweep_design { SWEEP_RANDOM, SWEEP_HYPERCUBE, SWEEP_SOBOL } sweep_design;

typedef struct sweep_plan {
  sweep_quantity *quantity;
  int quantities, axes, draws;  /* draws: quantities that are drawn */
  long long *extent;            /* [axes] of the grid */
  long long grid, count, cases; /* points of the grid; draws for each; their product */
  long long most;               /* cases */
  unsigned long long seed;
  sweep_design design;
  char **method; /* [methods] */
  int *adapts;   /* [methods] whether it adapts its steps */
  int methods;
  double start, step, stop; /* stop NaN: steps are given */
  long long steps, every;
  int project, keep, wished; /* keep: RATTLE_KEEP_..., see the columns; wished:
                                RATTLE_WISHED_..., what the model says */
  int certify;               /* each step is proved */
  int ends, observables;
  double *at;
  int ats, events; /* events: kept of each */
  char *columns;   /* names of coordinates, momenta and observables that are kept; NULL: all */
} sweep_plan;

/* The options of a sweep as a text, a line for each: "name value". */
char *sweep_plan_text(const cli_args *args);
/* The value of the last line of that name, malloc'ed; NULL: none. */
char *sweep_plan_word(const char *text, const char *name);
/* The same of the next line of that name from *at on. */
char *sweep_next_word(const char **at, const char *name);
/* The parameters in the lines "param NAME=VALUE" of a plan, which are cut up for their names.
 * Returns how many. */
enum { SWEEP_PARAMETERS = 256 };
int sweep_plan_parameters(char *text, rattle_parameter parameter[SWEEP_PARAMETERS]);
/* From that text, and the list of cases (CSV, "" if none), for a problem; of a file, at most as
 * many cases as it has, so that nothing is made of more. sweep_plan_free in any case. */
#define SWEEP_MOST_CASES 1000000000000LL
rattle_status sweep_plan_read(sweep_plan *plan, const char *text, const char *list,
                              const rattle_problem *problem, long long most, rattle_error *error);
void sweep_plan_free(sweep_plan *plan);
/* The value of quantity i in a case; of a method its number. */
double sweep_value(const sweep_plan *plan, int i, long long number);
/* How many steps of h there are, and until when where they adapt. */
rattle_status sweep_steps(const sweep_plan *plan, double h, long long *steps, rattle_error *error);

/* --- list.c --- */
/* Quantities from the lines of a CSV, on one axis. */
rattle_status sweep_read_cases(sweep_plan *plan, const char *list, const rattle_model *model,
                               rattle_error *error);
/* A parameter, coordinate, momentum or the step, by its name. */
rattle_status sweep_add(sweep_plan *plan, const rattle_model *model, const char *name, int axis,
                        const sweep_spec *spec, rattle_error *error);
/* The methods of the plan, by their numbers. */
rattle_status sweep_add_methods(sweep_plan *plan, int axis, const sweep_spec *spec,
                                rattle_error *error);

/* --- columns.c --- */
typedef enum sweep_kind {
  SWEEP_INPUT, /* quantity `index` */
  SWEEP_STATUS,
  SWEEP_TIME,
  SWEEP_STEPS,
  SWEEP_ERROR,       /* member `index` of rattle_errors */
  SWEEP_ENERGY,      /* the same at the end */
  SWEEP_CHAOS,       /* of rattle_chaos */
  SWEEP_EXTREME,     /* member `event` of rattle_extreme, of observable `index` */
  SWEEP_END,         /* from here on `index` is a coordinate, momentum (n + k) or observable (2n
                        + k) */
  SWEEP_AT,          /* at the given times */
  SWEEP_EVENT_COUNT, /* of event `event` */
  SWEEP_EVENT_TIME,
  SWEEP_EVENT,
  SWEEP_SAMPLE_TIME,
  SWEEP_SAMPLE
} sweep_kind;
typedef struct sweep_column {
  sweep_kind kind;
  int index, event;
} sweep_column;
typedef struct sweep_columns {
  int count, n, observables, width;
  sweep_column *what;
  rattle_cases_column *column;
  char **name;
} sweep_columns;
rattle_status sweep_columns_make(sweep_columns *columns, const sweep_plan *plan,
                                 const rattle_problem *problem, rattle_error *error);
void sweep_columns_free(sweep_columns *columns);
/* The row of a case that has ended. */
rattle_status sweep_fill(const sweep_columns *columns, const sweep_plan *plan,
                         const rattle_outcome *outcome, double *row, rattle_error *error);

/* --- drive.c --- */
typedef struct sweep_run {
  const sweep_plan *plan;
  const sweep_columns *columns;
  const rattle_problem *problem;
  rattle_cases *cases;
  int threads, quiet, resumed;
  const struct sweep_ranks *ranks; /* NULL: this process runs all cases */
  rattle_evaluator evaluator;      /* of problems made for parameters */
  const volatile int *interrupt;
  double seconds;
  long long ended, before; /* in this run; rows that were there before it */
  long long others;        /* rows of this run that other ranks have sent */
} sweep_run;
rattle_status sweep_drive(sweep_run *run, rattle_error *error);

/* --- show.c: what a file of cases holds --- */
typedef struct sweep_figures {
  long long count; /* good cases whose number is finite */
  double mean, deviation, low, high, sum2;
} sweep_figures;
typedef struct sweep_survey {
  long long there, damaged, failed, failures[RATTLE_STATUS_COUNT], first[RATTLE_STATUS_COUNT];
  sweep_figures *figures; /* [width] */
} sweep_survey;
rattle_status sweep_survey_make(sweep_survey *survey, const rattle_cases *cases,
                                rattle_error *error);
void sweep_survey_free(sweep_survey *survey);
void sweep_print_text(const rattle_cases *cases, const sweep_survey *survey, const char *path,
                      const sweep_run *run);
void sweep_print_json(const rattle_cases *cases, const sweep_survey *survey, const char *path,
                      const sweep_run *run, rattle_status status, const rattle_error *error);
rattle_status sweep_write_csv(const rattle_cases *cases, FILE *out, rattle_error *error);
/* The place in a row of a column by its name, or by what follows "set:" or "start:"; -1: none. */
int sweep_find_place(const rattle_cases_about *about, const char *name);
#endif
