/* Lyapunov exponents, and the indicators MEGNO and SALI, from the tangent maps of the steps.
 *
 * Exponents  an orthonormal basis of the tangent space goes along, and is made orthonormal again
 *            every few steps (modified Gram and Schmidt): lambda_i = sum ln r_ii / t (G. Benettin,
 *            L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9). Maps that are
 *            symplectic have pairs +-lambda for t -> infinity; the sum is 0 to round-off without
 *            constraints, and falls like 1/t on a manifold, whose lengths are not those of the
 *            symplectic form
 * MEGNO, SALI  runs/tangent/indicators.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/tangent.h"
#include "examine/study/study.h"
#include "ground/support/error.h"
#include "runs/tangent/indicators.h"

enum { ROWS = 200, MOST_PAIRS = 200 };

typedef struct course {
  rattle_study *study;
  const char *method;
  double step;
  long long steps, each; /* in all, and to each row of the table */
  int d, nz, rows;       /* dimension of the tangent space; rows done */
  double *value;         /* [ROWS * (3 + 2n)]: time, MEGNO, SALI, sums of logarithms over time */
  double *W, *sum; /* [(2n+2) * 2n], the last two are those of the indicators; logarithms [2n] */
  rattle__indicators indicators;
  rattle_status status;
  rattle_error error;
} course;

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int c = 0; c < count; c++) sum += a[c] * b[c];
  return sum;
}

/* Scales w to length 1; returns its former length. */
static double unit(int count, double *w) {
  const double length = sqrt(dot(count, w, w));
  for (int c = 0; c < count; c++) w[c] /= length;
  return length;
}

static void orthonormalise(course *c) {
  for (int k = 0; k < c->d; k++) {
    double *w = c->W + k * c->nz;
    for (int j = 0; j < k; j++) {
      const double part = dot(c->nz, w, c->W + j * c->nz);
      for (int e = 0; e < c->nz; e++) w[e] -= part * c->W[j * c->nz + e];
    }
    c->sum[k] += log(unit(c->nz, w));
  }
}

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static void write_row(course *c, double time) {
  double *row = c->value + (size_t)c->rows++ * (size_t)(3 + c->nz);
  row[0] = c->study->r.start + copysign(time, c->step);
  row[1] = c->indicators.mean / time;
  row[2] = rattle__indicators_sali(&c->indicators);
  for (int k = 0; k < c->d; k++) row[3 + k] = c->sum[k] / time;
  qsort(row + 3, (size_t)c->d, sizeof *row, falling);
}

static rattle_status go(course *c, rattle_tangent *tangent, double *z, rattle__job *job) {
  const rattle_study *study = c->study;
  const int n = study->n, stages = rattle__study_stages(study, c->method);
  rattle_status status = rattle_tangent_basis(tangent, z, z + n, &c->d, c->W, &c->error);
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + n, .t0 = study->r.start, .h = c->step};
  if (!status)
    rattle__indicators_begin(&c->indicators, c->nz, c->W + (size_t)c->d * (size_t)c->nz, c->d,
                             c->W);
  while (state.step < c->steps && !status) {
    const long long end = state.step - state.step % c->each + c->each,
                    stop = end < c->steps ? end : c->steps;
    const long long left = stop - state.step,
                    few = left < RATTLE__INDICATORS_EACH ? left : RATTLE__INDICATORS_EACH;
    status = rattle_tangent_step(tangent, &state, few, c->d + 2, c->W, &c->error);
    if (status) break;
    orthonormalise(c);
    rattle__indicators_note(&c->indicators, (double)state.step * fabs(c->step),
                            (double)few * fabs(c->step));
    if (state.step == stop) write_row(c, (double)state.step * fabs(c->step));
    rattle__job_tell(job, few * stages);
    if (rattle__job_stopped(job))
      status = rattle__fail(&c->error, RATTLE_INTERRUPTED, NULL, "interrupted");
  }
  return status;
}

static void work(void *self, int i, int k, rattle__job *job) {
  course *c = (course *)self + i;
  const size_t nz = (size_t)c->nz;
  rattle_tangent *tangent = NULL;
  double *room = calloc((nz + 4) * nz, sizeof *room);
  (void)k;
  if (!room) {
    rattle__job_starve(job);
    return;
  }
  double *z = room + (nz + 2) * nz;
  c->W = room;
  c->sum = z + nz;
  memcpy(z, c->study->z0, nz * sizeof *z);
  c->status = rattle_tangent_create(&tangent, c->study->problem, c->method, &c->error);
  if (!c->status) c->status = go(c, tangent, z, job);
  rattle_tangent_destroy(&tangent);
  c->W = c->sum = NULL;
  free(room);
}

/* --- what is said of it ----------------------------------------------------------------------- */

static void judge(rattle_study *study, const course *c, const double *row,
                  rattle_study_method *method) {
  const double *before = c->value + (size_t)(c->rows / 2) * (size_t)(3 + c->nz);
  const double time = (double)c->steps * fabs(c->step), megno = row[1], growth = row[3] * time;
  method->verdict = "undecided";
  if (c->rows < 20 || (c->status && c->status != RATTLE_INTERRUPTED))
    method->why = "the run ended early";
  else if (megno > 6 && growth > 10 && megno > 1.3 * before[1])
    method->verdict = "exponential",
    method->why = "MEGNO grows with time, and nearby starts separate exponentially";
  else if (megno < 3 && growth < 4 * log(time / fabs(c->step)) + 10)
    method->verdict = "regular",
    method->why =
        "MEGNO stays near 2 or below, and nearby starts separate no faster than powers of time";
  else
    method->why =
        "the time is too short to distinguish slow chaos from regular motion; use a later --stop";
  method->why = rattle__study_text(study, "%s", method->why);
}

/* How far the largest exponent may be off: the larger of the standard error of its means over
 * BLOCKS parts of the second half, and of what the second half alone has otherwise, since
 * transients and powers of time fall like 1/t and ln t/t. NaN: too few rows. */
static double error_of_largest(const course *c) {
  enum { BLOCKS = 10 };
  const size_t width = (size_t)(3 + c->nz);
  const int first = c->rows / 2 - 1, each = (c->rows - 1 - first) / BLOCKS;
  double mean = 0, square = 0;
  if (first < 0 || each < 1) return (double)NAN;
  for (int b = 0; b < BLOCKS; b++) {
    const double *from = c->value + (size_t)(c->rows - 1 - (BLOCKS - b) * each) * width,
                 *to = from + (size_t)each * width;
    const double start = fabs(from[0] - c->study->r.start), end = fabs(to[0] - c->study->r.start),
                 rate = (to[3] * end - from[3] * start) / (end - start), more = rate - mean;
    mean += more / (b + 1);
    square += more * (rate - mean);
  }
  return fmax(sqrt(square / (BLOCKS - 1) / BLOCKS),
              fabs(c->value[(size_t)(c->rows - 1) * width + 3] - mean));
}

static void report(rattle_study *study, const course *c, int done, rattle_study_method *method) {
  if (method->status) return;
  method->status = done ? c->status : RATTLE_INTERRUPTED;
  if (method->status)
    method->message = rattle__study_text(study, "%s", done ? c->error.message : "interrupted");
  if (!done || c->rows < 1) return;
  const int d = c->d, columns = 3 + d;
  rattle_study_table *table = rattle__arena_take(&study->arena, sizeof *table);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, (size_t)(d + 5) * sizeof *figure);
  const char **name = rattle__arena_take(&study->arena, (size_t)columns * sizeof *name);
  double *value, sum = 0, pairing = 0;
  if (!table || !figure || !name) return;
  const double *last = c->value + (size_t)(c->rows - 1) * (size_t)(3 + c->nz);
  name[0] = "time", name[1] = "megno", name[2] = "sali";
  for (int k = 0; k < d; k++) {
    name[3 + k] = rattle__study_text(study, "exponent_%d", k + 1);
    figure[k] = (rattle_study_figure){name[3 + k], last[3 + k]};
    sum += last[3 + k];
    pairing = fmax(pairing, fabs(last[3 + k] + last[3 + d - 1 - k]));
  }
  figure[d] = (rattle_study_figure){"sum", sum};
  figure[d + 1] = (rattle_study_figure){"pairing", pairing};
  figure[d + 2] = (rattle_study_figure){"megno", last[1]};
  figure[d + 3] = (rattle_study_figure){"sali", last[2]};
  figure[d + 4] = (rattle_study_figure){"error", error_of_largest(c)};
  *table = rattle__study_table(study, "exponents", c->rows, columns, name, &value);
  for (int r = 0; r < c->rows && value; r++)
    memcpy(value + (size_t)r * (size_t)columns, c->value + (size_t)r * (size_t)(3 + c->nz),
           (size_t)columns * sizeof *value);
  table->bulk = 1;
  method->figure = figure, method->figures = d + 5;
  method->table = table, method->tables = 1;
  judge(study, c, last, method);
}

rattle_status rattle__study_lyapunov(rattle_study *study, rattle_error *error) {
  const size_t methods = (size_t)study->methods, nz = 2 * (size_t)study->n;
  double step;
  long long steps;
  if (study->n > MOST_PAIRS)
    return rattle__fail(error, RATTLE_UNSUITABLE, "lyapunov",
                        "exponents are computed for up to %d pairs, and the problem has %d",
                        MOST_PAIRS, study->n);
  rattle_status status = rattle__span_step(study, &step, error);
  if (!status) status = rattle__span_steps(study, step, &steps, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, study->methods, study->method);
  course *c = rattle__arena_take(&study->arena, methods * sizeof *c);
  int *most = rattle__arena_take(&study->arena, 2 * methods * sizeof *most), *done = most + methods;
  if (!row || !c || !most) return rattle__no_memory(error);
  for (size_t i = 0; i < methods; i++) {
    c[i] = (course){.study = study,
                    .method = row[i].method,
                    .step = study->span / (double)steps,
                    .steps = steps,
                    .nz = (int)nz};
    c[i].each = (steps + ROWS - 1) / ROWS;
    c[i].value = rattle__arena_doubles(&study->arena, ROWS * (3 + nz));
    if (!c[i].value) return rattle__no_memory(error);
    most[i] = !row[i].status;
  }
  study->progress.stage = "runs";
  rattle__jobs jobs = {
      .lines = study->methods, .most = most, .work = work, .self = c, .done = done};
  status = rattle__jobs_run(&jobs, &study->progress, error);
  for (size_t i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++)
    report(study, &c[i], done[i], &row[i]);
  return status;
}
