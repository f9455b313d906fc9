/* The files of rattle study; study equilibrium MODEL --along ... --csv FILE: a family of equilibria
 * as CSV, a row for each, with its coordinates, momenta, multipliers and rates. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study.h"
#include "words/text.h"

enum { TABLES = 4 };
static const char *const tables[TABLES] = {"family", "family_momenta", "family_multipliers",
                                           "family_modes"};

static rattle_status put_name(const char *table, const char *name, FILE *out, rattle_error *error) {
  const char *own = strncmp(name, "set:", 4) ? name : name + 4;
  const size_t size = strlen(own) + sizeof "lambda[]";
  char *text = malloc(size);
  if (!text) return text_no_memory(error);
  snprintf(text, size, strcmp(table, tables[2]) ? "%s" : "lambda[%s]", own);
  const int failed = text_put_csv(out, text, "");
  free(text);
  return failed ? text_no_memory(error) : RATTLE_OK;
}

/* An event by its name; an unknown number is empty. */
static void put_entry(const char *name, double value, FILE *out) {
  if (!strcmp(name, "event"))
    fputs(rattle_equilibria_event_name((rattle_equilibria_event)value), out);
  else if (isfinite(value))
    cli_print(out, "%.17g", value);
}

static rattle_status put_names(const rattle_study_result *r, FILE *out, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int t = 0, first = 1; t < TABLES; t++) {
    const rattle_study_table *table = cli_study_table(r, tables[t]);
    for (int c = 0; table && c < table->columns && !status; c++, first = 0) {
      if (!first) putc(',', out);
      status = put_name(tables[t], table->column[c], out, error);
    }
  }
  putc('\n', out);
  return status;
}

static void put_row(const rattle_study_result *r, int row, FILE *out) {
  for (int t = 0, first = 1; t < TABLES; t++) {
    const rattle_study_table *table = cli_study_table(r, tables[t]);
    for (int c = 0; table && c < table->columns; c++, first = 0) {
      if (!first) putc(',', out);
      put_entry(table->column[c], table->value[(size_t)row * (size_t)table->columns + (size_t)c],
                out);
    }
  }
  putc('\n', out);
}

rattle_status cli_study_csv(const rattle_study_result *r, const char *path, rattle_error *error) {
  const rattle_study_table *family = cli_study_table(r, tables[0]);
  FILE *out = fopen(path, "w");
  if (!out) return text_fail(error, RATTLE_IO, "cannot write %s: %s", path, strerror(errno));
  rattle_status status = put_names(r, out, error);
  for (int row = 0; family && row < family->rows && !status; row++) put_row(r, row, out);
  const int failed = ferror(out);
  if ((fclose(out) || failed) && !status)
    status = text_fail(error, RATTLE_IO, "cannot write %s: %s", path, strerror(errno));
  return status;
}

rattle_status cli_study_check_outputs(const cli_args *args, int along_parameter,
                                      rattle_error *error) {
  const char *inputs[] = {args->operand[1], NULL}, *output = cli_text(args, "output"),
             *csv = cli_text(args, "csv"), *ending = output ? strrchr(output, '.') : NULL;
  const int force = cli_flag(args, "force");
  if (csv && !along_parameter)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--csv writes a family of equilibria: pass --along NAME=FROM:TO too; -o and "
                     "--json write all studies");
  if (csv && output && !strcmp(csv, output))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "-o and --csv name the same file, %s", csv);
  if (ending && !strcmp(ending, ".tex"))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "-o %s: a study is written as HDF5: pass -o STUDY.h5; `rattle plot STUDY.h5 "
                     "--style table -o TABLE.tex` makes a table for LaTeX of it",
                     output);
  const rattle_status status = csv ? cli_check_output(csv, force, inputs, error) : RATTLE_OK;
  return !status && output ? cli_check_output(output, force, inputs, error) : status;
}
