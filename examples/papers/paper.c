/* The frame of the experiments: the table on standard output, figures as columns of text, runs. */
#include "paper.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS = 64 };

struct paper {
  const paper_experiment *experiment;
  char folder[3500];           /* of the figures; "" for none */
  FILE *figure, *list, *table; /* points of the current figure; figures.txt; claims.txt */
  int claims, failed, curves;
  paper_run *run[RUNS]; /* closed at the end */
  int runs;
  jmp_buf end;
};

void paper_stop(paper *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", out->experiment->name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  longjmp(out->end, 1);
}

/* ---- text ---- */

void paper_plain(char *to, size_t size, const char *text) {
  size_t length = 0;
  for (; *text && length + 1 < size; text++)
    if (*text != '$') to[length++] = *text;
  to[length] = 0;
}

/* A line of text on standard output and, marked by its kind, in claims.txt. */
static void put_line(paper *out, const char *kind, const char *before, const char *format,
                     va_list arguments) {
  char text[1024], plain[1024];
  vsnprintf(text, sizeof text, format, arguments);
  paper_plain(plain, sizeof plain, text);
  printf("%s%s\n", before, plain);
  if (out->table) fprintf(out->table, "%s\t%s\n", kind, text);
}

void paper_heading(paper *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_line(out, "heading", "\n", format, arguments);
  va_end(arguments);
}

void paper_say(paper *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_line(out, "say", "  ", format, arguments);
  va_end(arguments);
}

void paper_claim(paper *out, const char *what, const char *claimed, double obtained, double low,
                 double high) {
  const int stands = obtained >= low && obtained <= high;
  out->claims++;
  out->failed += !stands;
  char plain[2][200];
  paper_plain(plain[0], sizeof plain[0], what);
  paper_plain(plain[1], sizeof plain[1], claimed);
  printf("  %-52s %-28s %-12.5g %s\n", plain[0], plain[1], obtained, stands ? "yes" : "NO");
  if (!stands) printf("  %-52s expected %.6g .. %.6g\n", "", low, high);
  if (out->table) fprintf(out->table, "claim\t%s\t%s\t%.5g\t%d\n", what, claimed, obtained, stands);
  fflush(stdout);
}

/* ---- figures ---- */

static FILE *open_in(paper *out, const char *name, const char *extension, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", out->folder, name, extension);
  FILE *file = fopen(path, mode);
  if (!file) paper_stop(out, "cannot write %s: %s", path, strerror(errno));
  return file;
}

void paper_figure_begin(paper *out, const paper_figure *figure) {
  if (!out->folder[0]) return;
  out->figure = open_in(out, figure->name, ".dat", "w");
  out->curves = 0;
  fprintf(out->list, "figure %s\ncaption %s\nx %s\ny %s\nkind %s\nlog_x %d\nlog_y %d\nequal %d\n",
          figure->name, figure->caption, figure->x, figure->y, figure->kind, figure->log_x,
          figure->log_y, figure->equal);
}

void paper_curve(paper *out, const char *label) {
  if (!out->figure) return;
  char plain[200];
  paper_plain(plain, sizeof plain, label);
  fprintf(out->figure, "%s# %s\n", out->curves++ ? "\n\n" : "", plain);
  fprintf(out->list, "curve %s\n", label);
}

void paper_point(paper *out, double x, double y) {
  if (!out->figure) return;
  if (isfinite(y))
    fprintf(out->figure, "%.9g %.9g\n", x, y);
  else
    fputc('\n', out->figure);
}

void paper_figure_end(paper *out) {
  if (!out->figure) return;
  FILE *file = out->figure;
  out->figure = NULL;
  fputc('\n', out->list);
  if (fclose(file)) paper_stop(out, "a figure could not be written: %s", strerror(errno));
}

/* ---- runs ---- */

static void destroy(paper_run *run) {
  rattle_integrator_destroy(&run->integrator);
  rattle_problem_destroy(&run->problem);
  rattle_model_destroy(&run->model);
  free(run->z);
  free(run);
}

void paper_run_close(paper *out, paper_run *run) {
  for (int i = 0; i < out->runs; i++)
    if (out->run[i] == run) out->run[i] = out->run[--out->runs];
  destroy(run);
}

paper_run *paper_run_open(paper *out, const char *model, const char *method, double h) {
  if (out->runs == RUNS) paper_stop(out, "more than %d runs", RUNS);
  paper_run *run = calloc(1, sizeof *run);
  if (!run) paper_stop(out, "out of memory");
  out->run[out->runs++] = run;
  rattle_error error;
  rattle_status status =
      rattle_model_parse(&run->model, model, out->experiment->name, NULL, &error);
  if (!status) status = rattle_problem_create(&run->problem, run->model, NULL, &error);
  if (!status) status = rattle_integrator_create(&run->integrator, run->problem, method, &error);
  if (status) paper_stop(out, "%s: %s", method, error.message);
  run->n = rattle_problem_n(run->problem);
  run->m = rattle_problem_m(run->problem);
  run->z = calloc(2 * (size_t)run->n, sizeof *run->z);
  if (!run->z) paper_stop(out, "out of memory");
  run->state = (rattle_state){.q = run->z, .p = run->z + run->n, .h = h};
  status = rattle_problem_start(run->problem, 0, run->state.q, run->state.p, NULL, &error);
  /* experiments may start off the manifold: the start is then used as it is */
  if (status && status != RATTLE_OFF_CONSTRAINTS) paper_stop(out, "%s", error.message);
  return run;
}

rattle_status paper_run_try(paper_run *run, long long steps, rattle_error *error) {
  return rattle_integrator_step(run->integrator, &run->state, steps, error);
}

void paper_run_step(paper *out, paper_run *run, long long steps) {
  rattle_error error;
  if (paper_run_try(run, steps, &error))
    paper_stop(out, "step %lld: %s", (long long)error.step, error.message);
}

void paper_run_look(paper *out, paper_run *run, double *z, double *H, double *g, double *psi) {
  rattle_error error;
  double *point = malloc((2 * (size_t)run->n + 2 * (size_t)run->m + 1) * sizeof *point);
  if (!point) paper_stop(out, "out of memory");
  double *q = point, *p = q + run->n, *residual = p + run->n;
  rattle_status status = rattle_integrator_output(run->integrator, &run->state, q, p, &error);
  if (!status && H) status = rattle_problem_energy(run->problem, q, p, H, &error);
  if (!status && run->m)
    status = rattle_problem_residuals(run->problem, q, p, residual, residual + run->m, &error);
  if (g) *g = paper_largest(residual, run->m);
  if (psi) *psi = paper_largest(residual + run->m, run->m);
  if (z) memcpy(z, point, 2 * (size_t)run->n * sizeof *z);
  free(point);
  if (status) paper_stop(out, "%s", error.message);
}

/* ---- numbers ---- */

double paper_largest(const double *y, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(y[i]) <= most)) most = fabs(y[i]);
  return most;
}

double paper_exponent(const double *t, const double *y, int count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, points = 0;
  for (int i = 0; i < count; i++) {
    if (t[i] == 0 || y[i] == 0) continue;
    const double a = log(fabs(t[i])), b = log(fabs(y[i]));
    sx += a, sy += b, sxx += a * a, sxy += a * b, points++;
  }
  return (points * sxy - sx * sy) / (points * sxx - sx * sx);
}

void paper_periodogram(const double *x, int N, double *power) {
  const double turn = 2 * acos(-1.0) / N;
  for (int k = 1; k <= N / 2; k++) {
    double re = 0, im = 0;
    for (int j = 0; j < N; j++) {
      const double angle = turn * (double)((long long)k * j % N);
      re += x[j] * cos(angle);
      im += x[j] * sin(angle);
    }
    power[k - 1] = 2 * (re * re + im * im) / ((double)N * N);
  }
}

/* ---- performing ---- */

int paper_perform(const paper_experiment *experiment, const char *folder) {
  paper *out = calloc(1, sizeof *out);
  if (!out) return -1;
  out->experiment = experiment;
  volatile int result = -1;
  if (folder) {
    snprintf(out->folder, sizeof out->folder, "%s/%s", folder, experiment->name);
    if ((mkdir(folder, 0777) && errno != EEXIST) || (mkdir(out->folder, 0777) && errno != EEXIST)) {
      fprintf(stderr, "%s: cannot create the folder %s: %s\n", experiment->name, out->folder,
              strerror(errno));
      free(out);
      return -1;
    }
  }
  printf("%s\n%s\n\n  %-52s %-28s %-12s %s\n", experiment->title, experiment->source, "quantity",
         "paper", "obtained", "holds");
  if (!setjmp(out->end)) {
    if (folder) out->list = open_in(out, "figures", ".txt", "w");
    if (folder) out->table = open_in(out, "claims", ".txt", "w");
    experiment->run(out);
    result = out->failed;
    printf("\n  %d of %d claims hold\n", out->claims - out->failed, out->claims);
  }
  if (out->figure) fclose(out->figure);
  if (out->list && fclose(out->list)) result = -1;
  if (out->table && fclose(out->table)) result = -1;
  for (int i = 0; i < out->runs; i++) destroy(out->run[i]);
  free(out);
  return result;
}
