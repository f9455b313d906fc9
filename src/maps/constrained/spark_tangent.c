/* The derivative of the stages of spark(s) by the start: the equations of spark.c, F(x; h, z0) = 0,
 * differentiated along vectors.
 *
 *   F' dx = -F_z0 w;  dq1 = dQ_s,  dp1 = dp0 - h sum_j b_j dF_j,  dF_j = H_qq dQ_j + H_qp dP_j +
 *   (L_j.g)'' dQ_j + G(Q_j)^T dL_j
 *
 * Symbols  those of spark.c; w = (dq0, dp0), and Q_1 = q0 moves with it
 * Cost     Hessians and factors of one correction, and for each vector a solution */
#include <string.h>

#include "maps/constrained/spark_stages.h"

/* Second derivatives of a function at a stage. */
typedef struct second {
  const rattle__function *of;
  const double *value;
} second;

static second of_energy(const rattle__spark_stages *k, int j) {
  const rattle__function *H = k->step.map.context->problem->H;
  return (second){H, k->step.assembly->source + k->first_H + (size_t)j * (size_t)H->hess_nnz};
}

/* The second derivatives of L_j.g; not at the last stage. */
static second of_constraints(const rattle__spark_stages *k, int j) {
  const rattle__function *g = k->step.map.context->problem->g;
  return (second){g, k->step.assembly->source + k->first_g + (size_t)j * (size_t)g->hess_nnz};
}

/* y += c S x, n rows of S from the first one on */
static void add_product(const second *S, int first, int n, double c, const double *x, double *y) {
  const rattle__function *f = S->of;
  for (int i = 0; i < n; i++)
    for (int e = f->hess_ptr[first + i]; e < f->hess_ptr[first + i + 1]; e++)
      y[i] += c * S->value[e] * x[f->hess_col[e]];
}

/* y += c dF_j along dz at the stage, multipliers held */
static void add_dF(const rattle__spark_stages *k, int j, double c, const double *dz, double *y) {
  const second H = of_energy(k, j);
  add_product(&H, 0, k->n, c, dz, y);
  if (j == k->s - 1) return;
  const second g = of_constraints(k, j);
  add_product(&g, 0, k->n, c, dz, y);
}

/* y += G(Q_j)^T dL */
static void add_multipliers(const rattle__spark_stages *k, int j, const double *dL, double *y) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *J = k->step.assembly->source + k->first_J + (size_t)j * (size_t)g->jac_nnz;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) y[g->jac_col[e]] += J[e] * dL[i];
}

/* rhs = -F_z0 w */
static void put_start(rattle__spark_stages *k, double h, const double *w) {
  const int n = k->n;
  const size_t half = (size_t)n * sizeof *w;
  const second H = of_energy(k, 0);
  double *rhs = k->step.rhs, *dz = k->dz;
  memset(rhs, 0, (size_t)k->step.size * sizeof *rhs);
  memcpy(dz, w, half);
  memset(dz + n, 0, half);
  for (int i = 0; i < k->s; i++) {
    double *row = rhs + rattle__spark_P(k, i);
    memcpy(row, w + n, half);
    add_dF(k, 0, -h * k->ahat[i][0], dz, row);
    if (!i) continue;
    row = rhs + rattle__spark_Q(k, i);
    memcpy(row, w, half);
    add_product(&H, n, n, h * k->a[i][0], dz, row);
  }
}

/* w: from the solution in rhs */
static void put_end(rattle__spark_stages *k, double h, double *w) {
  const int n = k->n, s = k->s;
  const size_t half = (size_t)n * sizeof *w;
  const double *dx = k->step.rhs;
  double *dz = k->dz, *dF = k->dF;
  for (int j = 0; j < s; j++) {
    memset(dF, 0, half);
    memcpy(dz, j ? dx + rattle__spark_Q(k, j) : w, half);
    memcpy(dz + n, dx + rattle__spark_P(k, j), half);
    add_dF(k, j, 1, dz, dF);
    if (j < s - 1) add_multipliers(k, j, dx + rattle__spark_L(k, j), dF);
    for (int c = 0; c < n; c++) w[n + c] -= h * k->b[j] * dF[c];
  }
  memcpy(w, dx + rattle__spark_Q(k, s - 1), half);
}

rattle_status rattle__spark_tangent(rattle__map *map, double h, int count, double *W,
                                    rattle_error *error) {
  rattle__implicit *step = map->self;
  rattle__spark_stages *k = step->self;
  rattle_status status = rattle__implicit_factor(step, error);
  for (int e = 0; e < count && !status; e++) {
    double *w = W + (size_t)e * 2 * (size_t)k->n;
    put_start(k, h, w);
    rattle__implicit_solve(step, step->rhs);
    put_end(k, h, w);
  }
  return status;
}
