/* The projection of a start.
 *
 * Onto g = 0   Newton on z -> z - W J^T mu, (J W J^T) mu = g, with weights W: M^-1 for natural H (its diagonal if
 *              coordinates are held), else the squares of the sizes that q
 *              and p have, so that units do not matter; 0 if held. Halved while |g| grows
 * Onto psi = 0 along the fibre. Natural H: slide/momenta_linear.c. Else rattle__momenta_fibre_slide
 * Residuals are driven to round-off: eps times size_i = sum_k |J_ik| max |z_k|. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "slide/iterate.h"
#include "support/error.h"
#include "model/model.h"
#include "slide/momenta_linear.h"
#include "slide/unit.h"
#include "start/start.h"
#include "slide/momenta_fibre.h"
#include "step/sizes.h"

/* Newton's loop (iterate.h) for a start. */
typedef struct search {
  rattle__start *s;
  const rattle__context *context;
  rattle__unit *unit;
  double size[2];        /* of q and p, for the weights */
  double *scale, *least; /* of g: units for the line search; the least units where they were raised, else 0 [m] */
  double *from;          /* where the search began [2n] */
} search;

/* The sizes of q and p that g depends on; of one that is 0 everywhere, what changes g as much as the other. */
static void sizes_of_kinds(const rattle__start *s, double size[2]) {
  const rattle__function *g = s->problem->g;
  double steepest[2] = {0, 0};
  size[0] = size[1] = 0;
  for (int k = 0; k < g->jac_nnz; k++) {
    const int kind = g->jac_col[k] >= s->n;
    if (rattle__is_time(s->problem, g->jac_col[k])) continue;
    size[kind] = fmax(size[kind], fabs(s->z[g->jac_col[k]]));
    steepest[kind] = fmax(steepest[kind], fabs(s->J[k]));
  }
  for (int kind = 0; kind < 2; kind++)
    if (size[kind] == 0) size[kind] = steepest[kind] > 0 ? size[!kind] * (steepest[!kind] / steepest[kind]) : 1;
  for (int kind = 0; kind < 2; kind++)
    if (!(size[kind] > 0 && size[kind] <= DBL_MAX)) size[kind] = 1;
}

/* Units of g for the line search: by how much g changes where each variable moves by the size of its kind. Those of round-off
 * (start.h) do not serve: they are 0 where all coordinates of a constraint are. */
static void units_of_search(const search *k) {
  const rattle__function *g = k->s->problem->g;
  for (int i = 0; i < k->s->m; i++) {
    k->scale[i] = DBL_MIN;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (!rattle__is_time(k->s->problem, g->jac_col[e])) k->scale[i] += fabs(k->s->J[e]) * k->size[g->jac_col[e] >= k->s->n];
  }
}

static double weight(const search *k, int column) {
  const rattle_problem *problem = k->s->problem;
  const double size = k->size[column >= k->s->n];
  if (column < k->s->n && problem->model && problem->model->pair[column].held) return 0;
  return rattle__is_natural_holonomic(problem) ? problem->mass->diagonal[column] : size * size;
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
               "the start cannot be projected onto constraint '%s'%s: %s; give a start that is nearer", name,
               any_held(s) ? " without moving the held coordinates" : "", why);
  if (error) error->constraint = worst;
  return RATTLE_OFF_CONSTRAINTS;
}

/* --- onto g = 0 --------------------------------------------------------------------------------------------------------------
 */

/* The matrix J W J^T, factored. A constraint on held coordinates alone is omitted where it holds already. */
static rattle_status factor(const search *k, rattle_error *error) {
  rattle__start *s = k->s;
  const rattle__function *g = s->problem->g;
  rattle__linear *A = s->matrix;
  if (rattle__is_natural_holonomic(s->problem) && !any_held(s))
    rattle__mass_scale(s->problem->mass, g, s->J, s->scaled);
  else
    for (int e = 0; e < g->jac_nnz; e++) s->scaled[e] = s->J[e] * weight(k, g->jac_col[e]);
  rattle__coupling_assemble(s->coupling, s->J, s->scaled, A->value);
  for (int i = 0; i < s->m; i++)
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (A->col[e] != i || A->value[e] != 0) continue;
      if (fabs(s->g[i]) > 1e-12 * s->size[i])
        return failed(s, i, any_held(s) ? "all of its coordinates are held" : "its gradient is so small that its square is 0",
                      error);
      A->value[e] = 1;
      s->rhs[i] = 0;
    }
  const rattle_status status = A->factor(A);
  if (!status) return RATTLE_OK;
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  return failed(s, A->blame < 0 ? 0 : A->blame, "it becomes dependent on the others during the projection", error);
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

static rattle_status look(void *self, rattle__course *c, rattle_error *error) {
  const search *k = self;
  (void)error;
  rattle__start_sizes(k->s);
  for (int i = 0; i < k->s->m; i++) k->s->size[i] = fmax(k->s->size[i], k->least[i] / DBL_EPSILON);
  c->residual = in_round_off(k->s, k->s->g, &c->worst);
  return RATTLE_OK;
}

static rattle_status raise(void *self, int on, rattle_error *error) {
  const search *k = self;
  memset(k->least, 0, (size_t)k->s->m * sizeof(double));
  if (!on) return RATTLE_OK;
  rattle_status status = rattle__unit_of_move(k->unit, k->from, k->s->z, error);
  if (!status) status = rattle__unit_of_g(k->unit, k->s->z, k->least, error);
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  const search *k = self;
  rattle__start *s = k->s;
  const rattle__function *g = s->problem->g;
  memcpy(s->rhs, s->g, (size_t)s->m * sizeof *s->rhs);
  const rattle_status status = factor(k, error);
  if (status) return status;
  s->matrix->solve(s->matrix, s->rhs);
  memset(s->step, 0, (size_t)s->vars * sizeof *s->step);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) s->step[g->jac_col[e]] += s->scaled[e] * s->rhs[i];
  return advance(s, k->scale, c->residual > 1e8, error);
}

/* From s->z, to its round-off. */
static rattle_status newton(search *k, rattle_error *error) {
  static const rattle__equation equation = {NULL, look, raise, correct};
  rattle__course c = {0};
  rattle__start *s = k->s;
  memcpy(k->from, s->z, 2 * (size_t)s->n * sizeof *k->from);
  memset(k->least, 0, (size_t)s->m * sizeof *k->least);
  rattle_status status = rattle__start_constraints(s, error);
  sizes_of_kinds(s, k->size);
  units_of_search(k);
  if (!status) status = rattle__iterate(&equation, k, k->context, 0, &c, error);
  if (!c.gave_up) return status;
  if (!(c.residual < 1e300) && rattle__domain_error(s->problem, s->z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  return failed(s, c.worst, "Newton's method does not converge; the constraints may contradict each other", error);
}

rattle_status rattle__start_onto_constraints(rattle__start *s, rattle_error *error) {
  rattle__context context = {.problem = s->problem, .solver = "none"};
  search k = {.s = s, .context = &context, .unit = rattle__unit_create(&context)};
  k.scale = rattle__arena_doubles(&context.arena, (size_t)s->m);
  k.least = rattle__arena_doubles(&context.arena, (size_t)s->m);
  k.from = rattle__arena_doubles(&context.arena, 2 * (size_t)s->n);
  rattle_status status = context.arena.failed ? rattle__no_memory(error) : newton(&k, error);
  while (!status && rattle__came_from_far(s->problem, k.from, s->z)) status = newton(&k, error);
  rattle__arena_release(&context.arena);
  return status;
}

/* --- onto psi = 0 ------------------------------------------------------------------------------------------------------------
 */

static rattle_status hidden_natural(rattle__start *s, rattle_error *error) {
  rattle__context context = {.problem = s->problem, .solver = "none"};
  rattle__momenta *momenta = NULL;
  rattle_status status = rattle__start_constraints(s, error);
  if (!status) status = rattle__momenta_create(&momenta, &context, s->coupling, NULL, error);
  if (!status) {
    rattle__momenta_scale(momenta, s->J, s->scaled);
    status = rattle__momenta_slide(momenta, s->J, momenta->equal ? s->J : s->scaled, s->z, NULL, error);
  }
  rattle__momenta_destroy(&momenta);
  rattle__arena_release(&context.arena);
  return status;
}

static rattle_status hidden_general(rattle__start *s, rattle_error *error) {
  rattle__context context = {.problem = s->problem, .solver = "none"};
  rattle__fibre *fibre = NULL;
  rattle__momenta_fibre *hidden = NULL;
  rattle_status status = rattle__fibre_create(&fibre, &context, error);
  if (!status) status = rattle__momenta_fibre_create(&hidden, &context, fibre, error);
  if (!status) status = rattle__momenta_fibre_slide(hidden, 1, NULL, s->z, error);
  rattle__momenta_fibre_destroy(&hidden);
  rattle__arena_release(&context.arena);
  if (status != RATTLE_NOT_CONVERGED && status != RATTLE_DEGENERATE) return status;
  int worst = error && error->constraint >= 0 ? error->constraint : 0;
  const char *name = rattle__start_constraint(s, worst);
  rattle__fail(
      error, RATTLE_OFF_CONSTRAINTS, name,
      "the start cannot be moved along its fibre onto the hidden constraint {g,H} = 0 of '%s': give momenta that are nearer",
      name);
  if (error) error->constraint = worst;
  return RATTLE_OFF_CONSTRAINTS;
}

rattle_status rattle__start_onto_hidden(rattle__start *s, rattle_error *error) {
  return rattle__is_natural_holonomic(s->problem) ? hidden_natural(s, error) : hidden_general(s, error);
}
