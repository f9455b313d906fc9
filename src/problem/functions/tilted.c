/* U = V + c log det A, A = G W G^T, in place of V.
 *
 * Map      d log det A/dq_l = 2 sum_i (g_i'' y_i)_l, y_i the rows of Y = A^-1 G W: the derivative
 *          of A along q_l is (d_l G) W G^T and its transpose, and the trace with A^-1 has each
 *          twice
 * Symbols  remassed.h
 * Cost     m products of g'' with a vector, and a dense factor of A, for each gradient */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/definite.h"
#include "ground/support/error.h"
#include "problem/functions/remassed.h"

typedef struct tilted {
  rattle__function f;
  const rattle__function *V, *g;
  const rattle__mass *W;
  double c;
} tilted;

/* Parts of the scratch that an evaluation is given. */
typedef struct parts {
  double *J, *B, *A, *Y, *D, *row, *room, *work;
} parts;

static parts parts_of(const tilted *s, double *work) {
  const size_t nnz = (size_t)s->g->jac_nnz, m = (size_t)s->g->rows, n = (size_t)s->g->vars;
  parts p = {.J = work};
  p.B = p.J + nnz, p.A = p.B + nnz, p.Y = p.A + m * m, p.D = p.Y + m * n, p.row = p.D + nnz;
  p.room = p.row + n, p.work = p.room + 2 * nnz + 2 * n;
  return p;
}

static size_t work_of(const tilted *s) {
  const size_t most = s->g->work > s->V->work ? s->g->work : s->V->work;
  const parts p = parts_of(s, NULL);
  return (size_t)(p.work - p.J) + most;
}

/* A = L L^T in place, and *log_det. 1: it is singular. */
static int factor(const tilted *s, const parts *p, double *log_det) {
  const rattle__function *g = s->g;
  const int m = g->rows;
  rattle__mass_scale(s->W, g, p->J, p->B);
  memset(p->row, 0, (size_t)g->vars * sizeof *p->row);
  for (int i = 0; i < m; i++) {
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) p->row[g->jac_col[e]] = p->B[e];
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++)
        sum += p->J[e] * p->row[g->jac_col[e]];
      p->A[i * m + j] = sum;
    }
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) p->row[g->jac_col[e]] = 0;
  }
  *log_det = NAN;
  if (!rattle__is_definite(m, p->A)) return 1;
  *log_det = 0;
  for (int i = 0; i < m; i++) *log_det += 2 * log(p->A[i * m + i]);
  return 0;
}

/* Y = A^-1 B, rows of all columns. */
static void rows(const tilted *s, const parts *p) {
  const rattle__function *g = s->g;
  const int m = g->rows, n = g->vars;
  memset(p->Y, 0, (size_t)m * (size_t)n * sizeof *p->Y);
  for (int i = 0; i < m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) p->Y[i * n + g->jac_col[e]] = p->B[e];
  for (int l = 0; l < n; l++) {
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < i; j++) p->Y[i * n + l] -= p->A[i * m + j] * p->Y[j * n + l];
      p->Y[i * n + l] /= p->A[i * m + i];
    }
    for (int i = m; i-- > 0;) {
      for (int j = i + 1; j < m; j++) p->Y[i * n + l] -= p->A[j * m + i] * p->Y[j * n + l];
      p->Y[i * n + l] /= p->A[i * m + i];
    }
  }
}

static int value(const rattle__function *f, const double *q, double *F, double *work) {
  const tilted *s = f->self;
  const parts p = parts_of(s, work);
  double log_det;
  int answer = s->V->value(s->V, q, F, p.work);
  if (!answer) answer = s->g->jacobian(s->g, q, NULL, p.J, p.work);
  if (answer) return answer;
  factor(s, &p, &log_det);
  *F += s->c * log_det;
  return 0;
}

static int jacobian(const rattle__function *f, const double *q, double *F, double *dU,
                    double *work) {
  const tilted *s = f->self;
  const rattle__function *g = s->g;
  const parts p = parts_of(s, work);
  double own, log_det;
  int answer = s->V->jacobian(s->V, q, F ? F : &own, dU, p.work);
  if (!answer) answer = g->jacobian(g, q, NULL, p.J, p.work);
  if (answer) return answer;
  const int singular = factor(s, &p, &log_det);
  if (F) *F += s->c * log_det;
  if (singular) { /* there is no gradient, which a step takes as a point that is not finite */
    dU[0] = NAN;
    return 0;
  }
  rows(s, &p);
  for (int i = 0; i < g->rows && !answer; i++) {
    answer = rattle__function_along(g, q, p.Y + (size_t)i * (size_t)g->vars, p.D, p.work, p.room);
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) dU[g->jac_col[e]] += 2 * s->c * p.D[e];
  }
  return answer;
}

static void destroy(rattle__function *f) {
  free(f->self);
}

void rattle__problem_tilted_destroy(rattle_problem **tilted_problem) {
  rattle_problem *p = *tilted_problem;
  if (!p) return;
  rattle__function_destroy(&p->H);
  if (p->V && p->V->destroy == destroy) rattle__function_destroy(&p->V);
  free(p);
  *tilted_problem = NULL;
}

rattle_status rattle__problem_tilted(rattle_problem **made, const rattle_problem *problem, double c,
                                     rattle_error *error) {
  rattle_problem *p = *made = malloc(sizeof *p);
  tilted *s = calloc(1, sizeof *s);
  if (!p || !s) {
    free(p), free(s);
    *made = NULL;
    return rattle__no_memory(error);
  }
  *p = *problem;
  p->H = p->kinetic = p->T = p->terms = p->bonded = NULL;
  p->settable = NULL;
  p->evaluator = RATTLE__BLOCK; /* U is no expression, which machine code is made of */
  *s = (tilted){.V = problem->V, .g = problem->g, .W = problem->mass, .c = c};
  s->f = *problem->V;
  s->f.value = value, s->f.jacobian = jacobian, s->f.jacobians = NULL, s->f.row = NULL;
  s->f.hessian = NULL, s->f.along = NULL, s->f.rough = NULL, s->f.destroy = destroy;
  s->f.quadratic = s->f.native = 0;
  s->f.self = s, s->f.elements = NULL, s->f.work = work_of(s);
  p->V = &s->f;
  const rattle_status status = rattle__function_separable(&p->H, p->n, p->V, NULL, p->mass, error);
  if (status) rattle__problem_tilted_destroy(made);
  return status;
}
