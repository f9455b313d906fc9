/* Constraints with momenta, g(q, p), beside the account (forced.h): functions of (q, 0, p, W) [2N],
 * N = n + 1, which do not depend on the two that are new. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/forced.h"

typedef struct spread {
  rattle__function f;
  const rattle__function *g;
  int n;
  int *index; /* jac_col, hess_ptr, hess_col */
} spread;

/* Column c of (q, p) among those of z. */
static int column(const spread *s, int c) {
  return c < s->n ? c : c + 1;
}

static const double *part(const spread *s, const double *z, double *x) {
  memcpy(x, z, (size_t)s->n * sizeof *x);
  memcpy(x + s->n, z + s->n + 1, (size_t)s->n * sizeof *x);
  return x;
}

static int value(const rattle__function *f, const double *z, double *F, double *work) {
  const spread *s = f->self;
  return s->g->value(s->g, part(s, z, work), F, work + 2 * s->n);
}

static int jacobian(const rattle__function *f, const double *z, double *F, double *J,
                    double *work) {
  const spread *s = f->self;
  return s->g->jacobian(s->g, part(s, z, work), F, J, work + 2 * s->n);
}

static int hessian(const rattle__function *f, const double *z, const double *w, double *S,
                   double *work) {
  const spread *s = f->self;
  return s->g->hessian(s->g, part(s, z, work), w, S, work + 2 * s->n);
}

static int along(const rattle__function *f, const double *z, const double *v, double *D,
                 double *work) {
  const spread *s = f->self;
  double *of_v = work + 2 * s->n;
  return s->g->along(s->g, part(s, z, work), part(s, v, of_v), D, of_v + 2 * s->n);
}

static void destroy(rattle__function *f) {
  spread *s = f->self;
  free(s->index);
  free(s);
}

static void fill(spread *s, int *jac_col, int *hess_ptr, int *hess_col) {
  const rattle__function *g = s->g;
  int rows = 0;
  for (int e = 0; e < g->jac_nnz; e++) jac_col[e] = column(s, g->jac_col[e]);
  for (int e = 0; e < g->hess_nnz; e++) hess_col[e] = column(s, g->hess_col[e]);
  for (int half = 0; half < 2; half++) {
    for (int k = 0; k < s->n; k++) hess_ptr[rows++] = g->hess_ptr[half * s->n + k];
    hess_ptr[rows++] = g->hess_ptr[(half + 1) * s->n]; /* the empty row of the account */
  }
  hess_ptr[rows] = g->hess_nnz;
}

rattle_status rattle__function_beside_account(rattle__function **f, const rattle__function *g,
                                              rattle_error *error) {
  spread *s = calloc(1, sizeof *s);
  const int vars = g->vars + 2;
  int *index =
      malloc(((size_t)g->jac_nnz + (size_t)g->hess_nnz + (size_t)vars + 1) * sizeof *index);
  if (!s || !index) {
    free(s), free(index);
    return rattle__no_memory(error);
  }
  int *hess_ptr = index + g->jac_nnz, *hess_col = hess_ptr + vars + 1;
  s->g = g, s->n = g->vars / 2, s->index = index;
  fill(s, index, hess_ptr, hess_col);
  s->f = (rattle__function){.rows = g->rows,
                            .vars = vars,
                            .jac_ptr = g->jac_ptr,
                            .jac_col = index,
                            .jac_nnz = g->jac_nnz,
                            .hess_ptr = hess_ptr,
                            .hess_col = hess_col,
                            .hess_nnz = g->hess_nnz,
                            .quadratic = g->quadratic,
                            .pairs = vars / 2,
                            .native = g->native,
                            .work = 4 * (size_t)s->n + g->work,
                            .value = value,
                            .jacobian = jacobian,
                            .hessian = g->hessian ? hessian : NULL,
                            .along = g->along ? along : NULL,
                            .destroy = destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}
