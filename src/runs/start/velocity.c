/* Starts under constraints on velocities: the rank of C = [g_q; A], and the projection of p onto C
 * H_p = 0.
 *
 * Rank       rows are made orthogonal, those of g first: what is left of a row that depends on
 *            those before it is round-off but for the factor of the time, b. If that is too, the
 *            row follows from the others; else it contradicts them
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

static const double share = 0.05, tolerance = RATTLE__START_NEAR,
                    tolerance_of_all = RATTLE__START_ALL;

/* "'a', 'b'": constraints other than i that have a share in what row i is a sum of */
static void say_others(const rattle__reaction *at, int i, char *text, size_t size) {
  const int m = at->m;
  const double *part = at->T + i * m;
  double most = 0;
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < i; k++) most = fmax(most, fabs(part[k]) * sqrt(at->N->value[k * m + k]));
  for (int k = 0; k < i && used < size; k++) {
    if (!(fabs(part[k]) * sqrt(at->N->value[k * m + k]) > share * most)) continue;
    const int length = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "",
                                rattle_problem_constraint_name(at->problem, k));
    used += length > 0 ? (size_t)length : 0;
  }
}

/* "the factor of velocity(x) is 0": of each velocity in row i; coordinates without inertia have
 * other factors, which count for nothing, and some factors have no square. */
static void say_factors(const rattle__reaction *at, int i, char *text, size_t size) {
  const rattle__function *e = at->problem->velocity;
  const int own = e->vars / 2, row = i - at->holonomic;
  size_t used = 0;
  snprintf(text, size, "all its factors are 0");
  if (row < 0) return;
  for (int k = e->jac_ptr[row]; k < e->jac_ptr[row + 1] && used < size; k++) {
    const int pair = e->jac_col[k] - own;
    if (pair < 0 || pair == at->problem->clock - 1) continue;
    const double factor = at->C[i * at->n + pair];
    const char *name = rattle__problem_coordinate_name(at->problem, pair),
               *format = factor == 0             ? "%sthe factor of velocity(%s) is 0"
                         : !(at->root[pair] > 0) ? "%s%s has no inertia"
                                                 : "%sthe factor of velocity(%s) is %.3g, whose "
                                                   "square leaves the range of numbers";
    const int length = snprintf(text + used, size - used, format, used ? ", " : "", name, factor);
    used += length > 0 ? (size_t)length : 0;
  }
}

/* The row that at->blame tells depends on those before it. */
static rattle_status refuse(const rattle__reaction *at, const double *errors, rattle_error *error) {
  const int i = at->blame;
  const char *name = rattle_problem_constraint_name(at->problem, i);
  char others[400];
  say_others(at, i, others, sizeof others);
  if (!others[0]) {
    say_factors(at, i, others, sizeof others);
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' determines no velocity at the start, where %s: start elsewhere, "
                 "or remove it",
                 name, others);
  } else if (rattle__reaction_contradicts(at, errors, i)) {
    rattle__fail(error, RATTLE_NOT_REGULAR, name,
                 "constraint '%s' contradicts %s: it asks another velocity of what they determine "
                 "already; remove one of them",
                 name, others);
  } else {
    rattle__fail(
        error, RATTLE_NOT_REGULAR, name,
        "constraint '%s' follows from %s at the start (redundant), and not near it, so that the "
        "motion is not determined there: start elsewhere, or remove it",
        name, others);
  }
  if (error) error->constraint = i;
  return RATTLE_NOT_REGULAR;
}

/* NOT_REGULAR if the constraints are not independent at z, of the last look. */
static rattle_status regular(rattle__reaction *at, const double *z, rattle__arena *arena,
                             rattle_error *error) {
  double *errors = rattle__arena_doubles(arena, (size_t)at->m * (size_t)at->n);
  if (!errors) return rattle__no_memory(error);
  const rattle_status status = rattle__reaction_errors(at, z, errors, error);
  if (status) return status;
  return rattle__reaction_orthogonal(at, errors, NULL) ? refuse(at, errors, error) : RATTLE_OK;
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

/* The constraint whose psi is largest in units of what its terms could be, also beside the velocity
 * `speed`, if it is larger than 1; else -1. |C_i v|^2 is at most C_i H_pp C_i^T times
 * v . H_pp^-1 v, the square of a speed in which lengths and angles do not mix. */
static int worst_of(const rattle__reaction *at, const double *p, double speed, double *ratio) {
  const int n = at->n, m = at->m;
  int worst = -1;
  *ratio = 1;
  for (int i = 0; i < m; i++) {
    double reach = 0;
    for (int k = 0; k < n; k++) reach += fabs(at->C[i * n + k]);
    const double *row = at->C + i * n, own = at->N->value[i * m + i],
                 near = at->size[i] + sqrt(fabs(own * quickness(at, p, row))),
                 all = fmax(sqrt(fabs(own * quickness(at, p, NULL))), reach * speed),
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

/* The largest residual in units of its round-off: of its own terms, and of momenta that were moved
 * at the speed of the whole motion, which is all that a row has whose velocities are to be 0. */
static double residual_of(const rattle__reaction *at, const double *p) {
  const double motion = quickness(at, p, NULL);
  double r = 0;
  for (int i = 0; i < at->m; i++) {
    const double all = sqrt(fabs(at->N->value[i * at->m + i] * motion));
    r = fmax(r, fabs(at->psi[i]) / (DBL_EPSILON * (at->size[i] + all) + DBL_MIN));
  }
  return r;
}

/* p onto C H_p = 0 by Newton's method, one correction for natural H and a second for its
 * round-off. N is that of the start. */
static rattle_status move(rattle__reaction *at, double *z, rattle_error *error) {
  double previous = INFINITY;
  for (int k = 0;; k++) {
    rattle_status status = rattle__reaction_look(at, z, error);
    if (status) return status;
    const double r = residual_of(at, z + at->n);
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) return RATTLE_OK;
    if (verdict == RATTLE__GIVE_UP)
      return rattle__fail(error, RATTLE_OFF_CONSTRAINTS,
                          rattle_problem_constraint_name(at->problem, at->holonomic),
                          "the start cannot be projected onto its velocity constraints: Newton's "
                          "method does not converge; give velocities "
                          "that are nearer");
    previous = r;
    status = rattle__reaction_factor(at, z, "the equations for the impulse", error);
    if (status) return status;
    rattle__reaction_solve(at, at->psi);
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
  if (!status) status = regular(at, s->z, &arena, error);
  int worst = status ? -1 : worst_of(at, s->z + s->n, 0, &ratio);
  if (worst >= 0) worst = worst_of(at, s->z + s->n, rattle__start_speed(s), &ratio);
  if (worst >= 0) status = project ? move(at, s->z, error) : off(at, worst, ratio, error);
  rattle__reaction_destroy(&at);
  rattle__arena_release(&arena);
  return status;
}
