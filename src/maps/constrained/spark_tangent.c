/* The derivative by the start of the stages and nodes of spark_stages.c, F(x; h, z0) = 0:
 *
 *   F' dx = -F_z0 w;  dq1 = dT_blocks,
 *   dp1 = dp0 - h sum_j b_j d(H_q(Z_j)) - h sum_k weight_k dC_k,
 *   dC_k = (L_k.g)'' dT_k + G(T_k)^T dL_k
 *
 * Symbols  those of spark_stages.h; w = (dq0, dp0), and what is q0 moves with it
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

/* The second derivatives of L_k.g at a node before the last. */
static second of_constraints(const rattle__spark_stages *k, int node) {
  const rattle__function *g = k->step.map.context->problem->g;
  return (second){g, k->step.assembly->source + k->first_g + (size_t)node * (size_t)g->hess_nnz};
}

/* y += c S x, n rows of S from the first one on */
static void add_product(const second *S, int first, int n, double c, const double *x, double *y) {
  const rattle__function *f = S->of;
  for (int i = 0; i < n; i++)
    for (int e = f->hess_ptr[first + i]; e < f->hess_ptr[first + i + 1]; e++)
      y[i] += c * S->value[e] * x[f->hess_col[e]];
}

/* y += G(T_k)^T dL */
static void add_multipliers(const rattle__spark_stages *k, int node, const double *dL, double *y) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *J = k->step.assembly->source + k->first_J + (size_t)node * (size_t)g->jac_nnz;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) y[g->jac_col[e]] += J[e] * dL[i];
}

/* rhs = -F_z0 w */
static void put_start(rattle__spark_stages *k, double h, const double *w) {
  const rattle__spark_scheme *by = &k->by;
  const int n = k->n;
  const size_t half = (size_t)n * sizeof *w;
  const second H = of_energy(k, 0), g = of_constraints(k, 0);
  double *rhs = k->step.rhs, *dz = k->dz;
  memset(rhs, 0, (size_t)k->step.size * sizeof *rhs);
  memcpy(dz, w, half);
  memset(dz + n, 0, half);
  for (int i = 0; i < by->stages; i++) {
    double *row = rhs + rattle__spark_P(k, i);
    memcpy(row, w + n, half);
    if (!by->apart) add_product(&H, 0, n, -h * by->ahat[i][0], dz, row);
    add_product(&g, 0, n, -h * by->push[i][0], dz, row);
    if (rattle__spark_Q(k, i) < 0) continue;
    row = rhs + rattle__spark_Q(k, i);
    memcpy(row, w, half);
    if (!by->apart) add_product(&H, n, n, h * by->a[i][0], dz, row);
  }
  for (int node = 1; node <= by->blocks && by->apart; node++)
    memcpy(rhs + rattle__spark_T(k, node), w, half);
}

/* w: from the solution in rhs */
static void put_end(rattle__spark_stages *k, double h, double *w) {
  const rattle__spark_scheme *by = &k->by;
  const int n = k->n;
  const size_t half = (size_t)n * sizeof *w;
  const double *dx = k->step.rhs;
  double *dz = k->dz, *dF = k->dF;
  for (int j = 0; j < by->stages; j++) {
    const second H = of_energy(k, j);
    const int Q = rattle__spark_Q(k, j);
    memset(dF, 0, half);
    memcpy(dz, Q >= 0 ? dx + Q : w, half);
    memcpy(dz + n, dx + rattle__spark_P(k, j), half);
    add_product(&H, 0, n, by->b[j], dz, dF);
    for (int c = 0; c < n; c++) w[n + c] -= h * dF[c];
  }
  memset(dz + n, 0, half);
  for (int node = 0; node < by->blocks; node++) {
    const second g = of_constraints(k, node);
    memset(dF, 0, half);
    memcpy(dz, node ? dx + rattle__spark_T(k, node) : w, half);
    add_product(&g, 0, n, 1, dz, dF);
    add_multipliers(k, node, dx + rattle__spark_L(k, node), dF);
    for (int c = 0; c < n; c++) w[n + c] -= h * by->weight[node] * dF[c];
  }
  memcpy(w, dx + rattle__spark_T(k, by->blocks), half);
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
