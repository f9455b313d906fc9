/* Functions put together from others. */
#include "ground/support/function.h"

#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/problem.h"

void rattle__function_destroy(rattle__function **f) {
  if (!f || !*f) return;
  (*f)->destroy(*f);
  *f = NULL;
}

/* D = (F'(x + t v) - F'(x - t v)) / 2t */
static int difference(const rattle__function *f, const double *x, const double *v, double t,
                      double *D, double *work, double *room) {
  double *other = room, *at = room + f->jac_nnz;
  for (int i = 0; i < f->vars; i++) at[i] = x[i] - t * v[i];
  int status = f->jacobian(f, at, NULL, other, work);
  for (int i = 0; i < f->vars; i++) at[i] = x[i] + t * v[i];
  if (!status) status = f->jacobian(f, at, NULL, D, work);
  for (int k = 0; k < f->jac_nnz; k++) D[k] = (D[k] - other[k]) / (2 * t);
  return status;
}

/* The time in which no variable changes by more than the largest of its kind; a power of two of it
 * is the step, so that x +- t v lose nothing more, and a large one where differences are exact. */
static double share_of(const rattle__function *f, const double *x, const double *v) {
  double size[2] = {0, 0}, speed[2] = {0, 0}, least = INFINITY;
  for (int i = 0; i < f->vars; i++) {
    const int momentum = f->pairs && i >= f->pairs;
    size[momentum] = fmax(size[momentum], fabs(x[i]));
    speed[momentum] = fmax(speed[momentum], fabs(v[i]));
  }
  for (int i = 0; i < 2; i++)
    if (size[i] > 0 && speed[i] > 0) least = fmin(least, size[i] / speed[i]);
  if (isfinite(least)) return least;
  const double fastest = fmax(speed[0], speed[1]);
  return fastest > 0 && isfinite(fastest) ? 1 / fastest : fmax(fmax(size[0], size[1]), 1);
}

int rattle__function_along(const rattle__function *f, const double *x, const double *v, double *D,
                           double *work, double *room) {
  if (f->along) return f->along(f, x, v, D, work);
  double t = exp2(round(log2((f->quadratic ? 1 : 0x1p-9) * share_of(f, x, v))));
  if (f->quadratic) return difference(f, x, v, t, D, work, room);
  double *coarse = room + f->jac_nnz + f->vars;
  int status = difference(f, x, v, t, coarse, work, room);
  if (!status) status = difference(f, x, v, t / 2, D, work, room);
  for (int k = 0; k < f->jac_nnz; k++) D[k] = (4 * D[k] - coarse[k]) / 3;
  return status;
}

/* H(z) = T(p) + V(q): the Hessian is block diagonal, V_qq above T_pp. */
typedef struct separable {
  rattle__function f;
  const rattle__function *V, *T;
  const rattle__mass *mass;
  int *index; /* jac_ptr, jac_col, hess_ptr, hess_col in one block */
} separable;

static int separable_jacobian(const rattle__function *f, const double *z, double *F, double *J,
                              double *work) {
  const separable *s = f->self;
  int n = s->V->vars;
  double V, T = 0;
  int status = s->V->jacobian(s->V, z, &V, J, work);
  if (!status && s->T) status = s->T->jacobian(s->T, z + n, &T, J + n, work);
  if (!s->T) {
    for (int i = 0; i < n; i++) {
      J[n + i] = rattle__mass_times(s->mass, 1, i, z + n);
      T += J[n + i] * z[n + i];
    }
    T *= 0.5;
  }
  if (F) F[0] = T + V;
  return status;
}

static int separable_value(const rattle__function *f, const double *z, double *F, double *work) {
  const separable *s = f->self;
  int n = s->V->vars;
  double V, T = 0;
  int status = s->V->value(s->V, z, &V, work);
  if (!status && s->T) status = s->T->value(s->T, z + n, &T, work);
  if (!s->T) T = 0.5 * rattle__mass_twice_kinetic(s->mass, z + n);
  F[0] = T + V;
  return status;
}

static int separable_hessian(const rattle__function *f, const double *z, const double *w, double *S,
                             double *work) {
  const separable *s = f->self;
  int n = s->V->vars;
  double *below = S + s->V->hess_nnz;
  int status = s->V->hessian(s->V, z, w, S, work);
  if (status) return status;
  if (s->T) return s->T->hessian(s->T, z + n, w, below, work);
  const double *W = s->mass->value ? s->mass->value : s->mass->diagonal;
  for (int e = 0; e < f->hess_nnz - s->V->hess_nnz; e++) below[e] = (w ? w[0] : 1.0) * W[e];
  return 0;
}

static void separable_destroy(rattle__function *f) {
  free(((separable *)f->self)->index);
  free(f->self);
}

rattle_status rattle__function_separable(rattle__function **f, int n, const rattle__function *V,
                                         const rattle__function *T, const rattle__mass *mass,
                                         rattle_error *error) {
  const int *W_ptr = T ? T->hess_ptr : mass->ptr, *W_col = T ? T->hess_col : mass->col;
  int below = W_ptr ? W_ptr[n] : n, nnz = V->hess_nnz + below;
  separable *s = calloc(1, sizeof *s);
  int *index = malloc((size_t)(2 + 2 * n + 2 * n + 1 + nnz) * sizeof *index);
  if (!s || !index) {
    free(s);
    free(index);
    return rattle__no_memory(error);
  }
  int *jac_ptr = index, *jac_col = jac_ptr + 2, *hess_ptr = jac_col + 2 * n,
      *hess_col = hess_ptr + 2 * n + 1;
  jac_ptr[0] = 0;
  jac_ptr[1] = 2 * n;
  for (int j = 0; j < 2 * n; j++) jac_col[j] = j;
  for (int i = 0; i <= n; i++) hess_ptr[i] = V->hess_ptr[i];
  for (int k = 0; k < V->hess_nnz; k++) hess_col[k] = V->hess_col[k];
  for (int i = 0; i <= n; i++) hess_ptr[n + i] = V->hess_nnz + (W_ptr ? W_ptr[i] : i);
  for (int k = 0; k < below; k++) hess_col[V->hess_nnz + k] = n + (W_col ? W_col[k] : k);
  *s = (separable){.V = V, .T = T, .mass = mass, .index = index};
  size_t work = V->work > (T ? T->work : 0) ? V->work : T ? T->work : 0;
  s->f = (rattle__function){.rows = 1,
                            .vars = 2 * n,
                            .jac_ptr = jac_ptr,
                            .jac_col = jac_col,
                            .jac_nnz = 2 * n,
                            .hess_ptr = hess_ptr,
                            .hess_col = hess_col,
                            .hess_nnz = nnz,
                            .quadratic = V->quadratic && (!T || T->quadratic),
                            .native = V->native,
                            .work = work,
                            .value = separable_value,
                            .jacobian = separable_jacobian,
                            .hessian = V->hessian ? separable_hessian : NULL,
                            .destroy = separable_destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}
