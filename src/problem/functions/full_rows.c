/* A function whose Jacobian has all columns in each row: G of a problem with dense W = M^-1, so
 * that the pattern of G contains that of G W. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/remassed.h"

typedef struct full {
  rattle__function f;
  const rattle__function *g;
  int *index; /* jac_ptr, jac_col */
} full;

/* The entries of the pattern of g to their places, in place: from the last one on, since none
 * moves towards the front. */
static void spread(const rattle__function *g, double *J) {
  const int n = g->vars;
  for (int r = g->rows; r-- > 0;) {
    int e = g->jac_ptr[r + 1];
    for (int c = n; c-- > 0;) {
      const int there = e > g->jac_ptr[r] && g->jac_col[e - 1] == c;
      J[r * n + c] = there ? J[--e] : 0;
    }
  }
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  const rattle__function *g = ((const full *)f->self)->g;
  return g->value(g, x, F, work);
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  const rattle__function *g = ((const full *)f->self)->g;
  const int answer = g->jacobian(g, x, F, J, work);
  if (!answer) spread(g, J);
  return answer;
}

static int hessian(const rattle__function *f, const double *x, const double *w, double *S,
                   double *work) {
  const rattle__function *g = ((const full *)f->self)->g;
  return g->hessian(g, x, w, S, work);
}

static int along(const rattle__function *f, const double *x, const double *v, double *D,
                 double *work) {
  const rattle__function *g = ((const full *)f->self)->g;
  const int answer = g->along(g, x, v, D, work);
  if (!answer) spread(g, D);
  return answer;
}

static void destroy(rattle__function *f) {
  full *s = f->self;
  free(s->index);
  free(s);
}

int rattle__has_full_rows(const rattle__function *f) {
  return f && f->destroy == destroy;
}

int *rattle__full_pattern(int m, int n) {
  int *ptr = malloc(((size_t)m + 1 + (size_t)m * (size_t)n) * sizeof *ptr);
  for (int r = 0; ptr && r <= m; r++) ptr[r] = r * n;
  for (int e = 0; ptr && e < m * n; e++) ptr[m + 1 + e] = e % n;
  return ptr;
}

rattle_status rattle__function_full_rows(rattle__function **f, const rattle__function *g,
                                         rattle_error *error) {
  const int m = g->rows, n = g->vars;
  full *s = calloc(1, sizeof *s);
  int *jac_ptr = rattle__full_pattern(m, n);
  if (!s || !jac_ptr) {
    free(s);
    free(jac_ptr);
    return rattle__no_memory(error);
  }
  *s = (full){.g = g, .index = jac_ptr};
  s->f = *g;
  s->f.jac_ptr = jac_ptr, s->f.jac_col = jac_ptr + m + 1, s->f.jac_nnz = m * n;
  s->f.value = value, s->f.jacobian = jacobian, s->f.in_lanes = NULL, s->f.row = NULL;
  s->f.hessian = g->hessian ? hessian : NULL, s->f.along = g->along ? along : NULL;
  s->f.rough = NULL, s->f.destroy = destroy, s->f.self = s, s->f.elements = NULL;
  *f = &s->f;
  return RATTLE_OK;
}
