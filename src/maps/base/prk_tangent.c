/* The tangent of a partitioned Runge-Kutta step without a fibre: its stage equations differentiated
 * along vectors. See prk.h. */
#include <string.h>

#include "maps/base/prk.h"

/* y += c (row block `part` of X_H') x at stage j */
static void add_field_product(const rattle__prk *k, int part, int j, double c, const double *x,
                              double *y) {
  const rattle__function *H = k->map.context->problem->H;
  const double *S = k->hessian + (size_t)j * (size_t)H->hess_nnz;
  for (int i = 0; i < k->n; i++) {
    int r = part ? i : k->n + i;
    double sum = 0;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) sum += S[e] * x[H->hess_col[e]];
    y[i] += (part ? -c : c) * sum;
  }
}

/* (dQ_j, dP_j) from the solution in rhs and dz+ */
static void stage_direction(const rattle__prk *k, int j, const double *plus, double *direction) {
  for (int part = 0; part < 2; part++) {
    const double *x = k->stage[part][j] < 0 ? plus + part * k->n : k->rhs + k->stage[part][j];
    memcpy(direction + part * k->n, x, (size_t)k->n * sizeof(double));
  }
}

void rattle__prk_set_stages(rattle__map *map, const double *Z) {
  const rattle__prk *k = map->self;
  memcpy(k->Z, Z, (size_t)k->t.stages * 2 * (size_t)k->n * sizeof *Z);
}

rattle_status rattle__prk_tangent(rattle__map *map, double h, int count, double *W,
                                  rattle_error *error) {
  rattle__prk *k = map->self;
  int n = k->n, s = k->t.stages;
  rattle_status status = rattle__prk_gradients(k, 1, error);
  if (!status) status = rattle__prk_factor(k, h, error);
  for (int e = 0; e < count && !status; e++) {
    double *w = W + (size_t)e * 2 * (size_t)n, *direction = k->room;
    memset(k->rhs, 0, (size_t)k->size * sizeof(double));
    for (int part = 0; part < 2; part++)
      for (int i = 0; i < s; i++) {
        if (k->owner[part][i] != i) continue;
        double *row = k->rhs + k->stage[part][i];
        memcpy(row, w + part * n, (size_t)n * sizeof(double));
        for (int j = 0; j < s; j++) { /* stages that are z+ move with w */
          memset(direction, 0, 2 * (size_t)n * sizeof(double));
          for (int other = 0; other < 2; other++)
            if (k->stage[other][j] < 0)
              memcpy(direction + other * n, w + other * n, (size_t)n * sizeof(double));
          double c = part ? k->t.ahat[i][j] : k->t.a[i][j];
          if (c != 0) add_field_product(k, part, j, h * c, direction, row);
        }
      }
    k->matrix->solve(k->matrix, k->rhs);
    double *result = k->room + 2 * n;
    memcpy(result, w, 2 * (size_t)n * sizeof(double));
    for (int j = 0; j < s; j++) {
      stage_direction(k, j, w, direction);
      for (int part = 0; part < 2; part++)
        add_field_product(k, part, j, h * rattle__tableau_weights(&k->t, part)[j], direction,
                          result + part * n);
    }
    memcpy(w, result, 2 * (size_t)n * sizeof(double));
  }
  return status;
}
