/* Starts under constraints on velocities: the rank of C = [g_q; A], and the projection of p onto C
 * H_p = 0.
 *
 * Rank       rows are orthogonalised in the metric H_pp, those of g first: what is left of a row
 *            that depends on those before it is 0 but for the factor of the time, b. If that is 0
 *            too, the row follows from the others; else it contradicts them
 * Projection p - C^T s, the nearest momenta in the metric of kinetic energy: an impulse along the
 * reaction */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "ground/support/error.h"
#include "problem/functions/velocity.h"
#include "problem/model/model.h"
#include "runs/start/start.h"

static const double dependent = 1e-7, same = 1e-9, share = 0.05, tolerance = 1e-12,
                    tolerance_of_all = 1e-16;

/* Rows [m n] made orthogonal one after another, and their images by H_pp. */
typedef struct ranks {
  rattle__reaction *at;
  double *row, *image, *part; /* part [m m]: what of the rows of C a row is a sum of */
  double *length;             /* of what is left [m] */
} ranks;

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* row -= c other, the image and the parts with it */
static void take(const ranks *r, int i, int j, double c) {
  const int n = r->at->n, m = r->at->m;
  for (int k = 0; k < n; k++) {
    r->row[i * n + k] -= c * r->row[j * n + k];
    r->image[i * n + k] -= c * r->image[j * n + k];
  }
  for (int k = 0; k < m; k++) r->part[i * m + k] -= c * r->part[j * m + k];
}

/* "'a', 'b'": constraints other than i that have a share in what row i is a sum of */
static void say_others(const ranks *r, int i, char *text, size_t size) {
  const int m = r->at->m;
  double most = 0;
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < m; k++)
    if (k != i) most = fmax(most, fabs(r->part[i * m + k]) * sqrt(r->at->N->value[k * m + k]));
  for (int k = 0; k < m && used < size; k++) {
    if (k == i || fabs(r->part[i * m + k]) * sqrt(r->at->N->value[k * m + k]) < share * most)
      continue;
    const int length = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "",
                                rattle_problem_constraint_name(r->at->problem, k));
    used += length > 0 ? (size_t)length : 0;
  }
}

/* Row i depends on those before it. */
static rattle_status refuse(const ranks *r, int i, rattle_error *error) {
  const rattle_problem *problem = r->at->problem;
  const char *name = rattle_problem_constraint_name(problem, i);
  const int n = r->at->n, m = r->at->m, clock = problem->clock - 1;
  char others[400];
  double terms = DBL_MIN, left = clock >= 0 ? fabs(r->row[i * n + clock]) : 0;
  for (int k = 0; k < m && clock >= 0; k++)
    terms += fabs(r->part[i * m + k] * r->at->C[k * n + clock]);
  say_others(r, i, others, sizeof others);
  const int contradicts = left > same * terms;
  if (!others[0])
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' determines no velocity at the start: its factors are 0 there, or "
                 "belong to coordinates without inertia; "
                 "start elsewhere, or remove it",
                 name);
  else if (contradicts)
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' contradicts %s: it asks another velocity of what they determine "
                 "already; remove one of them",
                 name, others);
  else
    rattle__fail(
        error, RATTLE_NOT_REGULAR, name,
        "constraint '%s' follows from %s at the start (redundant): remove it, or start elsewhere",
        name, others);
  if (error) error->constraint = i;
  return RATTLE_NOT_REGULAR;
}

static rattle_status judge_rows(ranks *r, rattle_error *error) {
  const int n = r->at->n, m = r->at->m;
  const size_t bytes = (size_t)m * (size_t)n * sizeof *r->row;
  memcpy(r->row, r->at->C, bytes);
  memcpy(r->image, r->at->pushed, bytes);
  for (int i = 0; i < m; i++) {
    r->part[i * m + i] = 1;
    const double before = dot(n, r->row + i * n, r->image + i * n);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < i; j++)
        take(r, i, j, dot(n, r->row + i * n, r->image + j * n) / r->length[j]);
    r->length[i] = dot(n, r->row + i * n, r->image + i * n);
    if (!(fabs(r->length[i]) > dependent * dependent * fabs(before))) return refuse(r, i, error);
  }
  return RATTLE_OK;
}

/* NOT_REGULAR if the constraints are not independent at z, where N was made. */
static rattle_status regular(rattle__reaction *at, rattle__arena *arena, rattle_error *error) {
  const size_t n = (size_t)at->n, m = (size_t)at->m;
  ranks r = {.at = at};
  const rattle__array array[] = {
      {&r.row, m * n}, {&r.image, m * n}, {&r.part, m * m}, {&r.length, m}};
  RATTLE__LAY_OUT(arena, array);
  return arena->failed ? rattle__no_memory(error) : judge_rows(&r, error);
}

/* The sum of the terms of H_p k and of its derivatives by momenta times these */
static double terms_of(const rattle__reaction *at, const double *p, int k) {
  const rattle__function *H = at->problem->H;
  const int n = at->n;
  double sum = fabs(at->slope[n + k]);
  if (rattle__inertia(at->problem)) return sum;
  for (int e = H->hess_ptr[n + k]; e < H->hess_ptr[n + k + 1]; e++)
    if (H->hess_col[e] >= n) sum += fabs(at->S[e] * p[H->hess_col[e] - n]);
  return sum;
}

/* p . H_p of the coordinates in a row, NULL: of all, without cancellation. */
static double quickness(const rattle__reaction *at, const double *p, const double *row) {
  double sum = 0;
  for (int k = 0; k < at->n; k++)
    if ((!row || row[k] != 0) && k != at->problem->clock - 1)
      sum += fabs(p[k]) * terms_of(at, p, k);
  return sum;
}

/* The constraint whose psi is largest in units of what its terms could be, if it is larger than 1;
 * else -1. |C_i v|^2 is at most C_i H_pp C_i^T times v . H_pp^-1 v, the square of a speed in which
 * lengths and angles do not mix. */
static int worst_of(const rattle__reaction *at, const double *p, double *ratio) {
  const int n = at->n, m = at->m;
  int worst = -1;
  *ratio = 1;
  for (int i = 0; i < m; i++) {
    const double *row = at->C + i * n, own = at->N->value[i * m + i],
                 near = at->size[i] + sqrt(fabs(own * quickness(at, p, row))),
                 all = sqrt(fabs(own * quickness(at, p, NULL))),
                 x = fabs(at->psi[i]) / (tolerance * near + tolerance_of_all * all + DBL_MIN);
    if (x > *ratio) *ratio = x, worst = i;
  }
  return worst;
}

static rattle_status off(const rattle__reaction *at, int worst, double ratio, rattle_error *error) {
  const char *name = rattle_problem_constraint_name(at->problem, worst);
  rattle__fail(error, RATTLE_OFF_CONSTRAINTS, name,
               "the start violates the velocity constraint '%s': it is %.6g and must be 0; correct "
               "the velocities, or project "
               "them: --project, "
               "or start{..., project=true}",
               name, at->psi[worst]);
  if (error) {
    error->constraint = worst;
    error->residual = ratio * (tolerance / DBL_EPSILON);
  }
  return RATTLE_OFF_CONSTRAINTS;
}

/* p onto C H_p = 0 by Newton's method, one correction for natural H and a second for its
 * round-off. */
static rattle_status move(rattle__reaction *at, double *z, rattle_error *error) {
  double previous = INFINITY;
  for (int k = 0;; k++) {
    rattle_status status = rattle__reaction_look(at, z, error);
    if (status) return status;
    double r = 0;
    for (int i = 0; i < at->m; i++)
      r = fmax(r, fabs(at->psi[i]) / (DBL_EPSILON * at->size[i] + DBL_MIN));
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) return RATTLE_OK;
    if (verdict == RATTLE__GIVE_UP)
      return rattle__fail(error, RATTLE_OFF_CONSTRAINTS,
                          rattle_problem_constraint_name(at->problem, at->holonomic),
                          "the start cannot be projected onto its velocity constraints: Newton's "
                          "method does not converge; give velocities "
                          "that are nearer");
    previous = r;
    status = rattle__reaction_matrix(at, z, error);
    if (status) return status;
    if (at->N->factor(at->N))
      return rattle__fail(error, RATTLE_SINGULAR, NULL,
                          "the start is a degenerate point: the matrix C H_pp C^T, C = [g_q; A], "
                          "is singular there");
    at->N->solve(at->N, at->psi);
    rattle__reaction_push(at, at->psi, z + at->n);
  }
}

rattle_status rattle__start_velocities(rattle__start *s, int project, rattle_error *error) {
  rattle__arena arena = {0};
  rattle__reaction *at = NULL;
  double ratio;
  rattle_status status = rattle__reaction_create(&at, s->problem, &arena, error);
  if (!status) status = rattle__reaction_look(at, s->z, error);
  if (!status) status = rattle__reaction_matrix(at, s->z, error);
  if (!status) status = regular(at, &arena, error);
  const int worst = status ? -1 : worst_of(at, s->z + s->n, &ratio);
  if (worst >= 0) status = project ? move(at, s->z, error) : off(at, worst, ratio, error);
  rattle__reaction_destroy(&at);
  rattle__arena_release(&arena);
  return status;
}
