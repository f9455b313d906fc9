/* exact: the exact flow of H, given with the model, or the flow of a linear X_H for quadratic H.
 *
 * Map      z1 = exp(h X_H) z0; for quadratic H: the power series of z' = A z + a over h, in parts
 *          with |h A| <= 1/2 each in balanced units
 * Tangent  the same series without a; for a given flow its symbolic derivative
 * Source   McLachlan, Modin, Verdier, Wilkins (2014), Figure 1 (the ballistic flow)
 * Claims   symmetric, symplectic, without error of its own: rattle(exact) has order 2 all the same
 * Cost     for quadratic H about 20 products with H'' per part
 * Needs    flow(...) in the model, or H a polynomial of degree 2 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "maps/base/base.h"

enum { TERMS = 40, BALANCED = 8 /* sweeps */ };

typedef struct exact {
  rattle__map map;
  int nz;
  double *S, *x, *image, *J, *work, *term, *next, *offset; /* offset: X_H(0) */
  double norm;                                             /* largest row sum of |D^-1 A D| */
} exact;

/* next = A x, A = J H'' */
static void multiply(const exact *s, const double *x, double *next) {
  const rattle__function *H = s->map.context->problem->H;
  int n = s->nz / 2;
  for (int r = 0; r < s->nz; r++) {
    double sum = 0;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) sum += s->S[e] * x[H->hess_col[e]];
    next[r < n ? n + r : r - n] = r < n ? -sum : sum;
  }
}

/* z <- exp(h X) z, with the constant part a or without */
static void series(const exact *s, double h, int with_offset, double *z) {
  int parts = (int)ceil(2 * fabs(h) * s->norm);
  if (parts < 1) parts = 1;
  for (int part = 0; part < parts; part++) {
    memcpy(s->term, z, (size_t)s->nz * sizeof(double));
    for (int k = 0; k < TERMS; k++) {
      int moves = 0; /* coordinate by coordinate, since units of q and p may differ by any factor */
      multiply(s, s->term, s->next);
      for (int i = 0; i < s->nz; i++) {
        s->term[i] =
            h / parts / (k + 1) * (s->next[i] + (k == 0 && with_offset ? s->offset[i] : 0));
        z[i] += s->term[i];
        moves |= fabs(s->term[i]) > 1e-3 * DBL_EPSILON * fabs(z[i]);
      }
      if (!moves) break;
    }
  }
}

static rattle_status apply_series(rattle__map *map, double h, const double *z0, double *z1,
                                  rattle_error *error) {
  exact *s = map->self;
  if (!(fabs(h) * s->norm < 1e6))
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "exact",
        "the step %g is too long for the Taylor series of exact: use a smaller step", h);
  memcpy(z1, z0, (size_t)s->nz * sizeof *z0);
  series(s, h, 1, z1);
  return RATTLE_OK;
}

static rattle_status tangent_series(rattle__map *map, double h, int count, double *W,
                                    rattle_error *error) {
  exact *s = map->self;
  (void)error;
  for (int k = 0; k < count; k++) series(s, h, 0, W + (size_t)k * (size_t)s->nz);
  return RATTLE_OK;
}

static rattle_status apply_given(rattle__map *map, double h, const double *z0, double *z1,
                                 rattle_error *error) {
  exact *s = map->self;
  const rattle__function *flow = map->context->problem->flow;
  memcpy(s->x, z0, (size_t)s->nz * sizeof *z0);
  s->x[s->nz] = h;
  return rattle__answer(flow->value(flow, s->x, z1, s->work), "flow", error);
}

static rattle_status tangent_given(rattle__map *map, double h, int count, double *W,
                                   rattle_error *error) {
  exact *s = map->self;
  const rattle__function *flow = map->context->problem->flow;
  (void)h;
  int answer = flow->jacobian(flow, s->x, s->image, s->J, s->work);
  for (int k = 0; k < count; k++) {
    double *w = W + (size_t)k * (size_t)s->nz;
    for (int r = 0; r < s->nz; r++) {
      s->next[r] = 0;
      for (int e = flow->jac_ptr[r]; e < flow->jac_ptr[r + 1]; e++)
        if (flow->jac_col[e] < s->nz) s->next[r] += s->J[e] * w[flow->jac_col[e]];
    }
    memcpy(w, s->next, (size_t)s->nz * sizeof *w);
  }
  return rattle__answer(answer, "flow", error);
}

/* The norm of A in units d of the coordinates that make rows and columns alike: D^-1 A D, D =
 * diag(d) (Osborne 1960). A frequency does not depend on the units of q and p, but |H''| does. A
 * coordinate that drives nothing, or is driven by nothing, as q and p of free particles, may have
 * any unit. d is scratch. */
static double balanced_norm(const exact *s, double *d) {
  const rattle__function *H = s->map.context->problem->H;
  const int n = s->nz / 2;
  double norm = 0;
  for (int i = 0; i < s->nz; i++) d[i] = 1;
  for (int sweep = 0; sweep <= BALANCED; sweep++) {
    norm = 0;
    for (int i = 0; i < s->nz; i++) {
      const int r = i < n ? i + n : i - n; /* row i of A is row r of H'' */
      double row = 0, column = 0;
      for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
        if (s->S[e] != 0) row += fabs(s->S[e]) * (d[H->hess_col[e]] / d[i]);
      for (int e = H->hess_ptr[i]; e < H->hess_ptr[i + 1]; e++) {
        const int j = H->hess_col[e];
        if (s->S[e] != 0) column += fabs(s->S[e]) * (d[i] / d[j < n ? j + n : j - n]);
      }
      norm = fmax(norm, row);
      if (sweep == BALANCED) continue;
      if (row > 0 && column > 0 && isfinite(row / column))
        d[i] = ldexp(d[i], ilogb(sqrt(row / column)));
      else if (row > 0 || column > 0)
        d[i] = row > 0 ? HUGE_VAL : 0;
    }
  }
  return norm;
}

static rattle_status plan_series(exact *s, rattle_error *error) {
  const rattle__function *H = s->map.context->problem->H;
  int n = s->nz / 2;
  int answer = H->hessian(H, s->x, NULL, s->S, s->work); /* at 0 */
  if (!answer) answer = H->jacobian(H, s->x, NULL, s->next, s->work);
  for (int i = 0; i < n; i++) {
    s->offset[i] = s->next[n + i];
    s->offset[n + i] = -s->next[i];
  }
  s->norm = balanced_norm(s, s->image);
  s->map.apply = apply_series;
  s->map.tangent = tangent_series;
  return rattle__answer(answer, "flow", error);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *flow = problem->flow, *H = problem->H;
  rattle__arena *arena = &context->arena;
  (void)node;
  if (!flow && !(problem->flags & RATTLE_QUADRATIC_H))
    return rattle__fail(error, RATTLE_UNSUITABLE, "exact",
                        "exact needs the flow of H: define it with flow(function(h) ... end) in "
                        "the model (H is not quadratic, "
                        "so its flow is not known), or use verlet or gauss");
  exact *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  size_t nz = 2 * (size_t)problem->n, work = flow && flow->work > H->work ? flow->work : H->work;
  *s = (exact){.nz = (int)nz};
  s->map = (rattle__map){.context = context,
                         .apply = apply_given,
                         .tangent = tangent_given,
                         .symmetric = 1,
                         .self = s};
  const rattle__array arrays[] = {{&s->S, (size_t)H->hess_nnz},
                                  {&s->x, nz + 1},
                                  {&s->image, nz},
                                  {&s->J, flow ? (size_t)flow->jac_nnz : 0},
                                  {&s->work, work},
                                  {&s->term, nz},
                                  {&s->next, nz},
                                  {&s->offset, nz}};
  RATTLE__LAY_OUT(arena, arrays);
  *map = &s->map;
  if (arena->failed) return rattle__no_memory(error);
  return flow ? RATTLE_OK : plan_series(s, error);
}

const rattle__base rattle__exact = {.create = create};
