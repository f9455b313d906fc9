/* V as the sum of expressions and of forces between all pairs of beads (ground/pairs/pairs.h).
 *
 * Second derivatives are a dense matrix, for few coordinates; of more there are none, and who needs
 * them says so. */
#include "problem/functions/pairwise.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "ground/pairs/pairs.h"

enum { DENSE = 384 };

typedef struct pairwise {
  rattle__function f;
  const rattle__function *bonded;
  const rattle_model *model;
  int *index; /* jac_ptr, jac_col, hess_ptr, hess_col */
} pairwise;

static int add(const pairwise *s, int answer, const double *x, double *F, double *J, double *work) {
  double V = 0;
  for (int k = 0; k < s->model->forces && !answer; k++)
    V += rattle__pairs_gradient(s->model->force[k], x, J, work);
  if (F) F[0] += V;
  return answer;
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  const pairwise *s = f->self;
  return add(s, s->bonded->value(s->bonded, x, F, work), x, F, NULL, work);
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  const pairwise *s = f->self;
  return add(s, s->bonded->jacobian(s->bonded, x, F, J, work), x, F, J, work);
}

static int hessian(const rattle__function *f, const double *x, const double *w, double *S,
                   double *work) {
  const pairwise *s = f->self;
  const rattle__function *b = s->bonded;
  const size_t n = (size_t)f->vars;
  const int answer = b->hessian(b, x, w, work, work + b->hess_nnz);
  memset(S, 0, n * n * sizeof *S);
  for (size_t r = 0; r < n && !answer; r++)
    for (int e = b->hess_ptr[r]; e < b->hess_ptr[r + 1]; e++)
      S[r * n + (size_t)b->hess_col[e]] = work[e];
  for (int k = 0; k < s->model->forces && !answer; k++)
    rattle__pairs_hessian(s->model->force[k], x, f->vars, w ? w[0] : 1, S, work);
  return answer;
}

static void destroy(rattle__function *f) {
  free(((pairwise *)f->self)->index);
  free(f->self);
}

static void fill(int *index, int n, int dense) {
  int *jac_col = index + 2, *hess_ptr = jac_col + n, *hess_col = hess_ptr + n + 1;
  index[0] = 0;
  index[1] = n;
  for (int c = 0; c < n; c++) jac_col[c] = c;
  for (int r = 0; r <= n; r++) hess_ptr[r] = dense ? r * n : 0;
  for (int e = 0; e < n * n && dense; e++) hess_col[e] = e % n;
}

rattle_status rattle__function_pairwise(rattle__function **f, const rattle__function *bonded,
                                        const rattle_model *model, rattle_error *error) {
  const int n = bonded->vars, dense = n <= DENSE;
  const size_t entries = dense ? (size_t)n * (size_t)n : 0;
  pairwise *s = calloc(1, sizeof *s);
  int *index = malloc((2 * (size_t)n + 3 + entries) * sizeof *index);
  if (!s || !index) {
    free(s);
    free(index);
    return rattle__no_memory(error);
  }
  fill(index, n, dense);
  size_t room = bonded->work + (dense ? (size_t)bonded->hess_nnz : 0);
  for (int k = 0; k < model->forces; k++)
    if (rattle__pairs_room(model->force[k]) > room) room = rattle__pairs_room(model->force[k]);
  *s = (pairwise){.bonded = bonded, .model = model, .index = index};
  s->f = (rattle__function){.rows = 1,
                            .vars = n,
                            .jac_ptr = index,
                            .jac_col = index + 2,
                            .jac_nnz = n,
                            .hess_ptr = index + 2 + n,
                            .hess_col = index + 3 + 2 * n,
                            .hess_nnz = (int)entries,
                            .native = bonded->native,
                            .work = room,
                            .value = value,
                            .jacobian = jacobian,
                            .hessian = dense ? hessian : NULL,
                            .destroy = destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}
