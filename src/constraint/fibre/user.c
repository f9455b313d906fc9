/* The fibre flow that the user gave: exp(sum s_i X_{g_i}) z as expressions in z and s,
 * differentiated symbolically. */
#include "constraint/fibre/fibre.h"

#include <string.h>

typedef struct user {
  rattle__fibre f;
  double *x; /* (z0, s) [2n+m] */
  double *image, *J, *work;
} user;

static rattle_status start(rattle__fibre *fibre, const double *z0, rattle_error *error) {
  user *u = fibre->self;
  (void)error;
  memcpy(u->x, z0, 2 * (size_t)fibre->n * sizeof *z0);
  return RATTLE_OK;
}

static rattle_status slide(rattle__fibre *fibre, const double *s, double *z, rattle_error *error) {
  user *u = fibre->self;
  const rattle__function *flow = fibre->context->problem->fibre;
  memcpy(u->x + 2 * fibre->n, s, (size_t)fibre->m * sizeof *s);
  int answer = flow->value(flow, u->x, z, u->work);
  return rattle__answer(answer, "fibre", error);
}

static rattle_status derivative(rattle__fibre *fibre, double *Z, rattle_error *error) {
  user *u = fibre->self;
  const rattle__function *flow = fibre->context->problem->fibre;
  int nz = 2 * fibre->n;
  int answer = flow->jacobian(flow, u->x, u->image, u->J, u->work);
  memset(Z, 0, (size_t)fibre->nnz * sizeof *Z);
  for (int r = 0; r < nz; r++)
    for (int k = flow->jac_ptr[r]; k < flow->jac_ptr[r + 1]; k++)
      if (flow->jac_col[k] >= nz) Z[(flow->jac_col[k] - nz) * nz + r] = u->J[k];
  return rattle__answer(answer, "fibre", error);
}

static rattle_status tangent(rattle__fibre *fibre, int count, double *W, rattle_error *error) {
  user *u = fibre->self;
  const rattle__function *flow = fibre->context->problem->fibre;
  const int nz = 2 * fibre->n, answer = flow->jacobian(flow, u->x, u->image, u->J, u->work);
  for (int j = 0; j < count; j++) {
    double *w = W + (size_t)j * (size_t)nz;
    for (int r = 0; r < nz; r++) {
      u->image[r] = 0;
      for (int k = flow->jac_ptr[r]; k < flow->jac_ptr[r + 1]; k++)
        if (flow->jac_col[k] < nz) u->image[r] += u->J[k] * w[flow->jac_col[k]];
    }
    memcpy(w, u->image, (size_t)nz * sizeof *w);
  }
  return rattle__answer(answer, "fibre", error);
}

rattle_status rattle__fibre_user(rattle__fibre **fibre, rattle__context *context,
                                 rattle_error *error) {
  const rattle__function *flow = context->problem->fibre;
  rattle__arena *arena = &context->arena;
  rattle__fibre *f = rattle__fibre_dense(context, "user");
  user *u = rattle__arena_take(arena, sizeof *u);
  if (!f || !u) return rattle__no_memory(error);
  u->f = *f;
  u->f.start = start;
  u->f.slide = slide;
  u->f.derivative = derivative;
  u->f.tangent = tangent;
  u->f.self = u;
  u->x = rattle__arena_doubles(arena, (size_t)flow->vars);
  u->image = rattle__arena_doubles(arena, (size_t)flow->rows);
  u->J = rattle__arena_doubles(arena, (size_t)flow->jac_nnz);
  u->work = rattle__arena_doubles(arena, flow->work);
  *fibre = &u->f;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
