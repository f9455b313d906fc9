#ifndef RATTLE_PLOT_TABLE_H
#define RATTLE_PLOT_TABLE_H
/* Tables for LaTeX: what their files share. */
#include "figures/plot/cases.h"

typedef enum table_unit { TABLE_BARE, TABLE_TIME, TABLE_FREQUENCY, TABLE_ENERGY } table_unit;

typedef struct table_writer {
  FILE *out;
  plot_figure *figure;          /* counts the rows */
  const rattle_study_result *r; /* NULL: it is not of a study */
  cli_units units;
  int cells; /* in this row so far */
} table_writer;

/* --- table.c --- */
void table_begin(table_writer *w, const char *columns); /* as of tabular: l, r */
void table_rule(table_writer *w, const char *rule);     /* "mid" */
void table_end_row(table_writer *w);
void table_end(table_writer *w);
/* The cells of a row in order. Text is typeset as in names.c, or printed as it is (plain), or a
 * name of the model; a head has a unit, if the model gives it. */
void table_next(table_writer *w); /* before what the caller writes */
void table_words(table_writer *w, const char *typeset);
void table_plain(table_writer *w, const char *words);
void table_name(table_writer *w, const char *name);
void table_number(table_writer *w, const char *format, double value);
void table_head(table_writer *w, const char *typeset, table_unit in);

/* --- table_methods.c: a row for each method; 0: studies of this kind have none --- */
int table_of_methods(table_writer *w);

/* --- table_rows.c: rows of tables. Columns are lists of names. --- */
/* Every so many rows, and each event. */
rattle_status table_of_rows(table_writer *w, const rattle_study_table *table, const char *names,
                            int every, rattle_error *error);
/* names NULL: those that matter, and some rows evenly */
rattle_status table_of_family(table_writer *w, const rattle_study_table *table, const char *names,
                              rattle_error *error);
/* The points of each method, under its name. */
rattle_status table_of_points(table_writer *w, const char *names, rattle_error *error);

/* --- table_study.c, table_sweep.c, table_runs.c: of one study, of a sweep or of samples, a row for
 * each record. names: a list of columns, NULL: those that matter --- */
rattle_status table_of_study(table_writer *w, const char *names, rattle_error *error);
rattle_status table_of_sweep(table_writer *w, const plot_request *request, const char *names,
                             rattle_error *error);
rattle_status table_of_samples(table_writer *w, const plot_source *source, const char *names,
                               rattle_error *error);
rattle_status table_of_runs(table_writer *w, const plot_request *request, rattle_error *error);
/* Columns of a record, a row for each of its samples. */
rattle_status table_of_record(table_writer *w, const plot_source *source, const char *names,
                              rattle_error *error);

/* --- table_rests.c: equilibria, and the small motions about them --- */
void table_of_equilibrium(table_writer *w, const rattle_study_table *at);
void table_of_modes(table_writer *w, const rattle_study_table *modes);
#endif
