/* Explicit maps on separable H = T(p) + V(q): kicks and drifts in turn, some of length 0.
 *
 * Map      p -= k1 h V_q(q);  q += d1 h T_p(p);  p -= k2 h V_q(q);  q += d2 h T_p(p);  ...
 * Tangent  the same with V_qq and T_pp, at the points passed, which are kept
 * Symbols  for natural H, T_p = M^-1 p */
#include "maps/base/base.h"
#include "constraint/step/point.h"
#include "constraint/step/drift.h"
#include "ground/support/finite.h"

#include <string.h>

typedef struct split {
  rattle__map map;
  double *length; /* k1, d1, k2, d2, ... of the parts that are not of length 0 */
  int *drift;     /* whether part i is a drift, not a kick */
  int n, parts;
  double **at; /* where part i was evaluated: q for kicks, p for drifts [n] */
  double *gradient, *S, *work;
  rattle__point point; /* where the last step ended, with V_q where that was a kick */
  double *astray;      /* [2n] */
} split;

/* p -= c V_q, V_q in gradient; q += c M^-1 p */
static void kick(const split *s, double c, const double *gradient, double *p) {
  double *carry = s->map.context->carry;
  for (int k = 0; k < s->n && !carry; k++) p[k] -= c * gradient[k];
  for (int k = 0; k < s->n && carry; k++)
    rattle__carry_add(p + k, carry + s->n + k, -c * gradient[k]);
}

static void drift(const split *s, double c, double *q, const double *p) {
  const rattle__mass *W = s->map.context->problem->mass;
  double *carry = s->map.context->carry;
  if (carry)
    rattle__carry_drift_all(W, c, q, carry, p, carry + s->n);
  else
    rattle__mass_drift(W, c, q, p, q);
}

static rattle_status part(split *s, int i, double h, double *z, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  double c = h * s->length[i], value, *q = z, *p = z + s->n;
  if (!s->drift[i]) {
    memcpy(s->at[i], q, (size_t)s->n * sizeof(double));
    int answer = problem->V->jacobian(problem->V, q, &value, s->gradient, s->work);
    s->map.context->counts.gradient++;
    kick(s, c, s->gradient, p);
    return rattle__answer(answer, "gradient", error);
  }
  memcpy(s->at[i], p, (size_t)s->n * sizeof(double));
  if (!problem->T) {
    drift(s, c, q, p);
    return RATTLE_OK;
  }
  int answer = problem->T->jacobian(problem->T, p, &value, s->gradient, s->work);
  for (int k = 0; k < s->n; k++) s->gradient[k] *= c;
  rattle__carry_add_all(s->n, s->gradient, q, s->map.context->carry);
  return rattle__answer(answer, "gradient", error);
}

/* The place of a failure: the first kick or drift at a point where V or T is not finite; none if
 * there is none. */
static rattle_status left_domain(const split *s, const double *z0, double *z, rattle_error *error) {
  const size_t half = (size_t)s->n * sizeof *z;
  for (int i = 0; i < s->parts; i++) {
    memcpy(z, z0, 2 * half);
    memcpy(s->drift[i] ? z + s->n : z, s->at[i], half);
    if (rattle__domain_error(s->map.context->problem, z, error) == RATTLE_DOMAIN)
      return RATTLE_DOMAIN;
  }
  return RATTLE_OK;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  split *s = map->self;
  rattle__context *context = map->context;
  const rattle_problem *problem = context->problem;
  rattle_status status = RATTLE_OK;
  memcpy(z1, z0, 2 * (size_t)s->n * sizeof(double));
  int first = 0;
  if (rattle__point_go(&s->point, z0) && s->point.has_V &&
      !s->drift[0]) { /* V_q(q0) is that of the last kick */
    memcpy(s->at[0], z0, (size_t)s->n * sizeof(double));
    kick(s, h * s->length[0], s->point.V_q, z1 + s->n);
    first = 1;
  }
  for (int i = first; i < s->parts && !status; i++) status = part(s, i, h, z1, error);
  if (!status && !rattle__all_finite(z1, 2 * s->n)) return left_domain(s, z0, s->astray, error);
  if (!status && !s->drift[s->parts - 1] && problem->V) { /* ended with a kick at q1 */
    rattle__point_go(&s->point, z1);
    memcpy(s->point.V_q, s->gradient, (size_t)s->n * sizeof(double));
    s->point.has_V = 1;
  }
  return status;
}

/* y += c S x for the full symmetric sparse matrix S of a function */
static void add_product(const rattle__function *f, const double *S, double c, const double *x,
                        double *y) {
  for (int i = 0; i < f->vars; i++) {
    double sum = 0;
    for (int e = f->hess_ptr[i]; e < f->hess_ptr[i + 1]; e++) sum += S[e] * x[f->hess_col[e]];
    y[i] += c * sum;
  }
}

static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  split *s = map->self;
  const rattle_problem *problem = map->context->problem;
  for (int i = 0; i < s->parts; i++) {
    double c = h * s->length[i];
    const rattle__function *f = s->drift[i] ? problem->T : problem->V;
    if (f) {
      int answer = f->hessian(f, s->at[i], NULL, s->S, s->work);
      map->context->counts.hessian++;
      if (answer) return rattle__answer(answer, "gradient", error);
    }
    for (int k = 0; k < count; k++) {
      double *dq = W + (size_t)k * 2 * (size_t)s->n, *dp = dq + s->n;
      if (!s->drift[i])
        add_product(f, s->S, -c, dq, dp);
      else if (f)
        add_product(f, s->S, c, dp, dq);
      else
        rattle__mass_drift(problem->mass, c, dq, dp, dq);
    }
  }
  return RATTLE_OK;
}

rattle_status rattle__parts_create(rattle__map **map, rattle__context *context,
                                   const rattle__parts *parts, rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const rattle_problem *problem = context->problem;
  const size_t n = (size_t)problem->n, count = (size_t)parts->count;
  split *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (split){.n = problem->n};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = tangent,
                         .symmetric = parts->symmetric,
                         .compensates = 1,
                         .self = s};
  *map = &s->map;
  s->length = rattle__arena_doubles(arena, count);
  s->drift = rattle__arena_take(arena, count * sizeof *s->drift);
  s->at = rattle__arena_take(arena, count * sizeof *s->at);
  if (!s->length || !s->drift || !s->at) return rattle__no_memory(error);
  for (int i = 0; i < parts->count; i++) {
    if (parts->length[i] == 0) continue;
    s->length[s->parts] = parts->length[i];
    s->drift[s->parts] = i % 2;
    s->at[s->parts++] = rattle__arena_doubles(arena, n);
  }
  int nnz = problem->V->hess_nnz;
  if (problem->T && problem->T->hess_nnz > nnz) nnz = problem->T->hess_nnz;
  s->gradient = rattle__arena_doubles(arena, n);
  rattle__point_create(&s->point, arena, problem->n, 0, 0);
  s->astray = rattle__arena_doubles(arena, 2 * n);
  s->S = rattle__arena_doubles(arena, (size_t)nnz);
  s->work = rattle__arena_doubles(arena, problem->H->work);
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__split_create(rattle__map **map, rattle__context *context,
                                   const rattle__scheme *scheme, rattle_error *error) {
  const double length[] = {scheme->k1, scheme->d1, scheme->k2, scheme->d2};
  const rattle__parts parts = {.length = length, .count = 4, .symmetric = scheme->symmetric};
  return rattle__parts_create(map, context, &parts, error);
}
