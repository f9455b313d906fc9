/* CSV of the samples: step, time, coordinates and momenta, energy, multipliers, observables; full precision. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* A field is quoted where it holds a comma, a quote or a line break. */
static void print_field(FILE *out, const char *prefix, const char *name) {
  putc(',', out);
  if (!strpbrk(name, ",\"\n\r")) {
    fprintf(out, "%s%s", prefix, name);
    return;
  }
  fprintf(out, "\"%s", prefix);
  for (; *name; name++) {
    if (*name == '"') putc('"', out);
    putc(*name, out);
  }
  putc('"', out);
}

static rattle_status begin(void *self, const rattle_integrator *integrator, const rattle_sample *start, rattle_error *error) {
  const cli_csv *csv = self;
  const rattle_model *model = csv->model;
  (void)integrator;
  (void)start;
  (void)error;
  fputs("step,time", csv->file);
  for (int k = 0; k < rattle_model_pairs(model); k++) {
    print_field(csv->file, "", rattle_model_coordinate_name(model, k));
    print_field(csv->file, "", rattle_model_momentum_name(model, k));
  }
  print_field(csv->file, "", "energy");
  for (int i = 0; i < rattle_model_constraints(model); i++)
    print_field(csv->file, "multiplier:", rattle_model_constraint_name(model, i));
  for (int i = 0; i < rattle_model_observables(model); i++) print_field(csv->file, "", rattle_model_observable_name(model, i));
  putc('\n', csv->file);
  return RATTLE_OK;
}

static void print_number(FILE *out, double value) {
  if (isfinite(value))
    fprintf(out, ",%.17g", value);
  else
    putc(',', out);
}

static rattle_status record(void *self, const rattle_sample *sample, rattle_error *error) {
  const cli_csv *csv = self;
  fprintf(csv->file, "%lld,%.17g", sample->step, sample->time);
  for (int k = 0; k < rattle_model_pairs(csv->model); k++) {
    print_number(csv->file, sample->q[k]);
    print_number(csv->file, sample->p[k]);
  }
  print_number(csv->file, sample->energy);
  for (int i = 0; i < rattle_model_constraints(csv->model); i++) print_number(csv->file, sample->multipliers[i]);
  for (int i = 0; i < rattle_model_observables(csv->model); i++) print_number(csv->file, sample->observed[i]);
  if (putc('\n', csv->file) == EOF) return cli_fail(error, RATTLE_IO, "%s could not be written: %s", csv->path, strerror(errno));
  return RATTLE_OK;
}

static rattle_status end(void *self, const rattle_summary *summary, rattle_error *error) {
  cli_csv *csv = self;
  (void)summary;
  return cli_close_file(&csv->file, csv->path, error);
}

rattle_status cli_csv_open(cli_csv *csv, const char *path, int force, const rattle_model *model, rattle_error *error) {
  *csv = (cli_csv){.observer = {.self = csv, .begin = begin, .record = record, .end = end}, .path = path, .model = model};
  if (strcmp(path, "-") != 0) return cli_create_file(&csv->file, path, force, error);
  int fd = dup(STDOUT_FILENO);
  csv->file = fd < 0 ? NULL : fdopen(fd, "w");
  csv->path = "standard output";
  return csv->file ? RATTLE_OK : cli_fail(error, RATTLE_IO, "standard output cannot be written: %s", strerror(errno));
}

void cli_csv_close(cli_csv *csv) {
  if (csv->file) fclose(csv->file);
  csv->file = NULL;
}
