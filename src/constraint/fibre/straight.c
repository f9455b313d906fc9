/* Fibres that are straight lines: no pair has both of its variables in g. Derivatives of g by q
 * kick (p -= g_q^T s), those by p shift (q += g_p^T s): g(q) only kicks, g(p) only shifts; if some
 * constraints hold coordinates and others the momenta of free variables, both happen at once.
 *
 * The Jacobian is constant along the slide; it is evaluated once, at the start. */
#include "constraint/fibre/fibre.h"

#include <string.h>

typedef struct straight {
  rattle__fibre f;
  double *z0, *J, *value, *work;
  double *sign;  /* of each entry of J in the slide [nnz] */
  double *s, *S; /* the last slide [m], and sum s_i g_i'' */
} straight;

static rattle_status start(rattle__fibre *fibre, const double *z0, rattle_error *error) {
  straight *s = fibre->self;
  const rattle__function *g = fibre->context->problem->g;
  memcpy(s->z0, z0, 2 * (size_t)fibre->n * sizeof *z0);
  int answer = g->jacobian(g, z0, s->value, s->J, s->work);
  fibre->context->counts.jacobian++;
  return rattle__answer(answer, "constraint", error);
}

static rattle_status slide(rattle__fibre *fibre, const double *s, double *z, rattle_error *error) {
  const straight *self = fibre->self;
  (void)error;
  memcpy(self->s, s, (size_t)fibre->m * sizeof *s);
  memcpy(z, self->z0, 2 * (size_t)fibre->n * sizeof *z);
  for (int i = 0; i < fibre->m; i++)
    for (int k = fibre->ptr[i]; k < fibre->ptr[i + 1]; k++)
      z[fibre->col[k]] += self->sign[k] * s[i] * self->J[k];
  return RATTLE_OK;
}

static rattle_status derivative(rattle__fibre *fibre, double *Z, rattle_error *error) {
  const straight *self = fibre->self;
  (void)error;
  for (int k = 0; k < fibre->nnz; k++) Z[k] = self->sign[k] * self->J[k];
  return RATTLE_OK;
}

/* z = z0 + sum s_i X_{g_i}(z0) */
static rattle_status tangent(rattle__fibre *fibre, int count, double *W, rattle_error *error) {
  const straight *self = fibre->self;
  const rattle__function *g = fibre->context->problem->g;
  const int n = fibre->n, answer = g->hessian(g, self->z0, self->s, self->S, self->work);
  for (int k = 0; k < count && !answer; k++) {
    double *w = W + (size_t)k * 2 * (size_t)n;
    for (int r = 0; r < g->vars; r++) {
      double sum = 0;
      for (int e = g->hess_ptr[r]; e < g->hess_ptr[r + 1]; e++)
        sum += self->S[e] * w[g->hess_col[e]];
      if (sum != 0)
        w[r < n ? n + r : r - n] += r < n ? -sum : sum; /* none of these is a column of S */
    }
  }
  return rattle__answer(answer, "constraint", error);
}

rattle_status rattle__fibre_straight(rattle__fibre **fibre, rattle__context *context,
                                     rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *g = problem->g;
  rattle__arena *arena = &context->arena;
  int n = problem->n;
  straight *s = rattle__arena_take(arena, sizeof *s);
  int *col = rattle__arena_take(arena, (size_t)g->jac_nnz * sizeof *col);
  if (!s || !col) return rattle__no_memory(error);
  *s = (straight){.z0 = rattle__arena_doubles(arena, 2 * (size_t)n),
                  .J = rattle__arena_doubles(arena, (size_t)g->jac_nnz),
                  .value = rattle__arena_doubles(arena, (size_t)problem->m),
                  .work = rattle__arena_doubles(arena, g->work),
                  .sign = rattle__arena_doubles(arena, (size_t)g->jac_nnz),
                  .s = rattle__arena_doubles(arena, (size_t)problem->m),
                  .S = rattle__arena_doubles(arena, (size_t)g->hess_nnz)};
  if (arena->failed) return rattle__no_memory(error);
  for (int k = 0; k < g->jac_nnz; k++) {
    int kick = g->jac_col[k] < n;
    s->sign[k] = kick ? -1 : 1;
    col[k] = kick ? n + g->jac_col[k] : g->jac_col[k] - n;
  }
  s->f = (rattle__fibre){.name = problem->flags & RATTLE_HOLONOMIC    ? "kick"
                                 : problem->flags & RATTLE_MOMENTUM_G ? "shift"
                                                                      : "straight",
                         .context = context,
                         .n = n,
                         .m = problem->m,
                         .ptr = g->jac_ptr,
                         .col = col,
                         .nnz = g->jac_nnz,
                         .start = start,
                         .slide = slide,
                         .derivative = derivative,
                         .tangent = tangent,
                         .self = s};
  *fibre = &s->f;
  return RATTLE_OK;
}
