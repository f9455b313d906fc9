/* The projection of a start.
 *
 * Onto g = 0   Newton on z -> z - W J^T mu, (J W J^T) mu = g, with weights W: M^-1 for natural H, 1 else, 0 where held;
 *              halved while |g| grows
 * Onto psi = 0 along the fibre. Natural H: p -= G^T sigma, (G M^-1 G^T) sigma = G M^-1 p. Else rattle__hidden_slide
 * Residuals are driven to round-off: eps times size_i = sum_k |J_ik| max |z_k|. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/model.h"
#include "doctor/start.h"
#include "wrap/wrap.h"

static double weight(const rattle__start *s, int column) {
  const rattle_problem *problem = s->problem;
  if (column < s->n && problem->model && problem->model->pair[column].held) return 0;
  return problem->flags & RATTLE_NATURAL && problem->flags & RATTLE_HOLONOMIC ? problem->inverse_mass[column] : 1;
}

static int any_held(const rattle__start *s) {
  int held = 0;
  for (int k = 0; s->problem->model && k < s->n; k++) held |= s->problem->model->pair[k].held;
  return held;
}

/* The largest residual in units of round-off. */
static double in_round_off(const rattle__start *s, const double *residual, int *worst) {
  double most = 0;
  for (int i = 0; i < s->m; i++) {
    double r = fabs(residual[i]) / (DBL_EPSILON * s->size[i] + DBL_MIN);
    if (!(r <= most)) {
      most = r;
      *worst = i;
    }
  }
  return most;
}

static rattle_status failed(const rattle__start *s, int worst, const char *why, rattle_error *error) {
  const char *name = rattle__start_constraint(s, worst);
  rattle__fail(error, RATTLE_OFF_CONSTRAINTS, name,
               "the start cannot be moved onto constraint '%s'%s: %s; give a start that is nearer", name,
               any_held(s) ? " with the held coordinates where they are" : "", why);
  if (error) error->constraint = worst;
  return RATTLE_OFF_CONSTRAINTS;
}

/* --- onto g = 0 --------------------------------------------------------------------------------------------------------------
 */

/* The matrix J W J^T, factored. A constraint on held coordinates alone is left out where it holds already. */
static rattle_status factor(rattle__start *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  rattle__linear *A = s->matrix;
  for (int k = 0; k < g->jac_nnz; k++) s->scaled[k] = s->J[k] * weight(s, g->jac_col[k]);
  rattle__coupling_assemble(s->coupling, s->J, s->scaled, A->value);
  for (int i = 0; i < s->m; i++)
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (A->col[e] != i || A->value[e] != 0) continue;
      if (fabs(s->g[i]) > 1e-12 * s->size[i]) return failed(s, i, "all of its coordinates are held", error);
      A->value[e] = 1;
      s->rhs[i] = 0;
    }
  if (!A->factor(A)) return RATTLE_OK;
  return failed(s, A->blame < 0 ? 0 : A->blame, "it depends on the others on the way", error);
}

static double merit(const rattle__start *s, const double *scale) {
  double sum = 0;
  for (int i = 0; i < s->m; i++) sum += (s->g[i] / scale[i]) * (s->g[i] / scale[i]);
  return sum;
}

/* z <- z - t step, for the largest t = 1, 1/2, ... where |g| does not grow (checked far from the solution only); g and J there.
 */
static rattle_status advance(rattle__start *s, const double *scale, int far, rattle_error *error) {
  enum { HALVINGS = 12 };
  double before = merit(s, scale), t = 1;
  memcpy(s->old, s->z, (size_t)s->vars * sizeof *s->old);
  for (int k = 0;; k++, t *= 0.5) {
    for (int i = 0; i < s->vars; i++) s->z[i] = s->old[i] - t * s->step[i];
    rattle_status status = rattle__start_constraints(s, error);
    if (status || !far || merit(s, scale) < before || k == HALVINGS) return status;
  }
}

static rattle_status newton(rattle__start *s, double *scale, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double previous = INFINITY;
  int worst = 0;
  rattle_status status = rattle__start_constraints(s, error);
  for (int k = 0; !status; k++) {
    rattle__start_sizes(s);
    double r = in_round_off(s, s->g, &worst);
    rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP) {
      if (!(r < 1e300) && rattle__domain_error(s->problem, s->z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
      return failed(s, worst, "Newton's method does not converge, perhaps because constraints contradict each other", error);
    }
    previous = r;
    for (int i = 0; i < s->m; i++) {
      s->rhs[i] = s->g[i];
      if (k == 0) scale[i] = s->size[i];
    }
    status = factor(s, error);
    if (status) break;
    s->matrix->solve(s->matrix, s->rhs);
    memset(s->step, 0, (size_t)s->vars * sizeof *s->step);
    for (int i = 0; i < s->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) s->step[g->jac_col[e]] += s->scaled[e] * s->rhs[i];
    status = advance(s, scale, r > 1e8, error);
  }
  return status;
}

rattle_status rattle__start_onto_constraints(rattle__start *s, rattle_error *error) {
  double *scale = calloc((size_t)s->m, sizeof *scale);
  rattle_status status = scale ? newton(s, scale, error) : rattle__no_memory(error);
  free(scale);
  return status;
}

/* --- onto psi = 0 ------------------------------------------------------------------------------------------------------------
 */

static rattle_status hidden_natural(rattle__start *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double *p = s->z + s->n, previous = INFINITY;
  int worst = 0;
  rattle_status status = rattle__start_constraints(s, error);
  if (status) return status;
  for (int e = 0; e < g->jac_nnz; e++) s->scaled[e] = s->J[e] * s->problem->inverse_mass[g->jac_col[e]];
  rattle__coupling_assemble(s->coupling, s->J, s->scaled, s->matrix->value);
  for (int i = 0; i < s->m; i++) {
    s->size[i] = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) s->size[i] += fabs(s->scaled[e] * p[g->jac_col[e]]);
  }
  for (int k = 0;; k++) {
    for (int i = 0; i < s->m; i++) {
      s->rhs[i] = 0;
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) s->rhs[i] += s->scaled[e] * p[g->jac_col[e]];
    }
    double r = in_round_off(s, s->rhs, &worst);
    if (r <= 1 || (k >= 2 && !(r < 0.5 * previous))) return RATTLE_OK;
    previous = r;
    if (k == 0 && s->matrix->factor(s->matrix)) {
      worst = s->matrix->blame < 0 ? 0 : s->matrix->blame;
      const char *name = rattle__start_constraint(s, worst);
      rattle__fail(error, RATTLE_SINGULAR, name,
                   "the momenta cannot be projected: G M^-1 G^T is singular at constraint '%s' at the start", name);
      if (error) error->constraint = worst;
      return RATTLE_SINGULAR;
    }
    s->matrix->solve(s->matrix, s->rhs);
    for (int i = 0; i < s->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) p[g->jac_col[e]] -= s->J[e] * s->rhs[i];
  }
}

static rattle_status hidden_general(rattle__start *s, rattle_error *error) {
  rattle__context context = {.problem = s->problem, .clock = 1, .solver = "none"};
  rattle__fibre *fibre = NULL;
  rattle__hidden *hidden = NULL;
  rattle_status status = rattle__fibre_create(&fibre, &context, error);
  if (!status) status = rattle__hidden_create(&hidden, &context, fibre, error);
  if (!status) status = rattle__hidden_slide(hidden, 1, NULL, s->z, error);
  rattle__hidden_destroy(&hidden);
  rattle__arena_release(&context.arena);
  if (status != RATTLE_NOT_CONVERGED && status != RATTLE_DEGENERATE) return status;
  int worst = error && error->constraint >= 0 ? error->constraint : 0;
  const char *name = rattle__start_constraint(s, worst);
  rattle__fail(
      error, RATTLE_OFF_CONSTRAINTS, name,
      "the start cannot be moved along its fibre to where constraint '%s' does not change, {g,H} = 0: give momenta that are "
      "nearer",
      name);
  if (error) error->constraint = worst;
  return RATTLE_OFF_CONSTRAINTS;
}

rattle_status rattle__start_onto_hidden(rattle__start *s, rattle_error *error) {
  const int simple = RATTLE_NATURAL | RATTLE_HOLONOMIC;
  return (s->problem->flags & simple) == simple ? hidden_natural(s, error) : hidden_general(s, error);
}
