/* See whitened.h.
 *
 * Map      x = L y; J_y = J_x L, the rows of which have all columns; sums from the first term on,
 *          as machine code has them (maps/natural/fused/fused_whitened.c) */
#include "problem/functions/whitened.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/remassed.h"

typedef struct white_function {
  rattle__function f;
  const rattle__function *of; /* of x */
  const double *L;
  int *index; /* jac_ptr, jac_col */
} white_function;

/* x = L y */
static void spread(int n, const double *L, const double *y, double *x) {
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)i * (size_t)n;
    double sum = row[0] * y[0];
    for (int j = 1; j <= i; j++) sum += row[j] * y[j];
    x[i] = sum;
  }
}

/* Rows J L of the rows of J. Columns ascend: the entries that earlier ones reached are added to.
 */
static void gather(const white_function *s, const double *J, double *JL) {
  const rattle__function *f = s->of;
  const int n = f->vars;
  for (int r = 0; r < f->rows; r++) {
    double *row = JL + (size_t)r * (size_t)n;
    int known = 0;
    for (int e = f->jac_ptr[r]; e < f->jac_ptr[r + 1]; e++) {
      const int c = f->jac_col[e];
      const double *L = s->L + (size_t)c * (size_t)n;
      for (int j = 0; j < known; j++) row[j] += J[e] * L[j];
      for (int j = known; j <= c; j++) row[j] = J[e] * L[j];
      known = c + 1;
    }
    for (int j = known; j < n; j++) row[j] = 0;
  }
}

static int value(const rattle__function *f, const double *y, double *F, double *work) {
  const white_function *s = f->self;
  spread(f->vars, s->L, y, work);
  return s->of->value(s->of, work, F, work + f->vars);
}

static int jacobian(const rattle__function *f, const double *y, double *F, double *J,
                    double *work) {
  const white_function *s = f->self;
  double *inner = work + f->vars;
  spread(f->vars, s->L, y, work);
  const int answer = s->of->jacobian(s->of, work, F, inner, inner + s->of->jac_nnz);
  if (!answer) gather(s, inner, J);
  return answer;
}

static int along(const rattle__function *f, const double *y, const double *v, double *D,
                 double *work) {
  const white_function *s = f->self;
  const size_t n = (size_t)f->vars;
  double *inner = work + 2 * n;
  spread(f->vars, s->L, y, work);
  spread(f->vars, s->L, v, work + n);
  const int answer = s->of->along(s->of, work, work + n, inner, inner + s->of->jac_nnz);
  if (!answer) gather(s, inner, D);
  return answer;
}

static void destroy(rattle__function *f) {
  white_function *s = f->self;
  free(s->index);
  free(s);
}

static rattle_status create(rattle__function **f, const rattle__function *of, const double *L,
                            rattle_error *error) {
  const int m = of->rows, n = of->vars;
  white_function *s = calloc(1, sizeof *s);
  int *jac_ptr = rattle__full_pattern(m, n);
  if (!s || !jac_ptr) {
    free(s);
    free(jac_ptr);
    return rattle__no_memory(error);
  }
  *s = (white_function){.of = of, .L = L, .index = jac_ptr};
  s->f = (rattle__function){.rows = m,
                            .vars = n,
                            .jac_ptr = jac_ptr,
                            .jac_col = jac_ptr + m + 1,
                            .jac_nnz = m * n,
                            .hess_ptr = of->hess_ptr, /* a pattern, though there is no Hessian */
                            .hess_col = of->hess_col,
                            .hess_nnz = of->hess_nnz,
                            .work = of->work + 2 * (size_t)n + (size_t)of->jac_nnz,
                            .value = value,
                            .jacobian = jacobian,
                            .along = of->along ? along : NULL,
                            .destroy = destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}

void rattle__problem_whitened_destroy(rattle_problem **whitened) {
  rattle_problem *p = *whitened;
  if (!p) return;
  rattle__function_destroy(&p->H);
  rattle__function_destroy(&p->g);
  rattle__function_destroy(&p->V);
  rattle__mass_destroy(&p->mass);
  free((void *)p->whitening);
  free(p);
  *whitened = NULL;
}

/* The problem without the parts that are its own. */
static rattle_status begin(rattle_problem **whitened, const rattle_problem *problem,
                           const double *L, rattle_error *error) {
  rattle_problem *p = *whitened = malloc(sizeof *p);
  rattle__whitening *white = malloc(sizeof *white);
  if (!p || !white) {
    free(p), free(white);
    *whitened = NULL;
    return rattle__no_memory(error);
  }
  *white = (rattle__whitening){.g = problem->remassed->g, .V = problem->V, .L = L};
  *p = *problem;
  p->H = p->V = p->g = p->kinetic = p->T = p->terms = p->bonded = NULL;
  p->settable = NULL, p->remassed = NULL, p->mass = NULL;
  for (int i = 0; i < RATTLE__PARTS; i++) p->library[i] = NULL;
  p->evaluator = problem->remassed->evaluator;
  p->whitening = white;
  return RATTLE_OK;
}

rattle_status rattle__problem_whitened(rattle_problem **whitened, const rattle_problem *problem,
                                       const double *L, rattle_error *error) {
  const int n = problem->n;
  rattle_status status = begin(whitened, problem, L, error);
  if (status) return status;
  rattle_problem *p = *whitened;
  double *one = malloc((size_t)n * sizeof *one);
  for (int i = 0; i < n && one; i++) one[i] = 1;
  status = one ? rattle__mass_create_diagonal(&p->mass, n, one, error) : rattle__no_memory(error);
  free(one);
  if (!status) status = create(&p->g, p->whitening->g, L, error);
  if (!status) status = create(&p->V, p->whitening->V, L, error);
  if (!status) status = rattle__function_separable(&p->H, n, p->V, NULL, p->mass, error);
  if (status) rattle__problem_whitened_destroy(whitened);
  return status;
}

void rattle__whiten(int n, const double *L, double *z) {
  double *q = z, *p = z + n;
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)i * (size_t)n;
    for (int j = 0; j < i; j++) q[i] -= row[j] * q[j];
    q[i] /= row[i];
  }
  for (int j = 0; j < n; j++) {
    p[j] *= L[(size_t)j * (size_t)n + (size_t)j];
    for (int i = j + 1; i < n; i++) p[j] += L[(size_t)i * (size_t)n + (size_t)j] * p[i];
  }
}

void rattle__unwhiten(int n, const double *L, double *z) {
  double *q = z, *p = z + n;
  for (int i = n; i-- > 0;) {
    const double *row = L + (size_t)i * (size_t)n;
    q[i] *= row[i];
    for (int j = 0; j < i; j++) q[i] += row[j] * q[j];
    p[i] /= row[i];
    for (int j = 0; j < i; j++) p[j] -= row[j] * p[i];
  }
}
