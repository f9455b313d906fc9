/* Round-off of an iterate of a step by contraction. An iteration on g = 0 stagnates where g does:
 * its rounding is an impulse along G^T of its size over h, and R^-1 makes more of it, the more
 * stages there are. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/sizes.h"
#include "maps/constrained/spark_contraction.h"

void rattle__spark_end(rattle__spark_contraction *s, double h, const double *z0) {
  const int n = s->n;
  for (int c = 0; c < n; c++) {
    double sum = 0;
    for (int j = 0; j < s->s; j++)
      sum += s->by.b[j] * s->stages.J[rattle__stage_entry(&s->stages, j, c)];
    for (int k = 0; k < s->s; k++) sum += s->by.weight[k] * s->force[k * n + c];
    s->z[c] = s->nodes.Z[rattle__stage_entry(&s->nodes, s->s - 1, c)];
    s->z[n + c] = z0[n + c] - h * sum;
  }
}

void rattle__spark_measure_g(rattle__spark_contraction *s, const double *q0) {
  for (int k = 1; k <= s->s; k++) {
    double most = 0;
    for (int c = 0; c < s->n; c++)
      most = fmax(most, fabs(s->nodes.Z[rattle__stage_entry(&s->nodes, k - 1, c)]));
    for (int i = 0; i < s->m; i++) {
      double size = 0;
      for (int e = s->g->jac_ptr[i]; e < s->g->jac_ptr[i + 1]; e++) {
        const int c = s->g->jac_col[e];
        const double q = s->nodes.Z[rattle__stage_entry(&s->nodes, k - 1, c)];
        if (!rattle__is_time(s->map.context->problem, c))
          size += fabs(s->G[k * s->g->jac_nnz + e]) *
                  fmax(0.5 * (fabs(q) + fabs(q0[c])), rattle__least_size(most));
      }
      s->small[k * s->m + i] = DBL_EPSILON * size + DBL_MIN;
    }
  }
}

int rattle__spark_raise_g(rattle__spark_contraction *s, double h, const double *z0) {
  rattle__spark_end(s, h, z0);
  RATTLE__SPARK_DOUBT(rattle__unit_of_step(s->unit, h, z0, z0, s->z, NULL));
  for (int k = 1; k <= s->s; k++)
    RATTLE__SPARK_DOUBT(rattle__unit_of_g(s->unit, s->z, s->small + k * s->m, NULL));
  return 0;
}

double rattle__spark_residual(const rattle__spark_contraction *s) {
  double ratio = 0;
  for (int i = s->m; i < (s->s + 1) * s->m; i++)
    if (!(fabs(s->value[i]) / s->small[i] <= ratio)) ratio = fabs(s->value[i]) / s->small[i];
  return ratio;
}

/* change <- how far rounding of g moves multipliers at most */
static void round_multipliers(rattle__spark_contraction *s, double h) {
  const int m = s->m;
  double *x = s->E;
  memcpy(x, s->small + m, (size_t)(s->s * m) * sizeof *x);
  for (int k = 0; k < s->s; k++) s->N->solve(s->N, x + k * m);
  for (int k = 0; k < s->s; k++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int j = 0; j < s->s; j++) sum += fabs(s->inverse[k * s->s + j] * x[j * m + i]);
      s->change[k * m + i] = sum / (h * h);
    }
}

void rattle__spark_measure(rattle__spark_contraction *s, double h, const double *z0,
                           double size[2]) {
  const int n = s->n, m = s->m;
  double *q = s->noise, *p = q + s->s * n;
  round_multipliers(s, h);
  memset(s->noise, 0, (size_t)(2 * s->s * n) * sizeof *s->noise);
  for (int k = 0; k < s->s; k++)
    for (int i = 0; i < m; i++) {
      const double change = s->change[k * m + i] / DBL_EPSILON;
      for (int c = 0; c < n; c++) q[k * n + c] += fabs(h * h * s->V[i * n + c]) * change;
      for (int e = s->g->jac_ptr[i]; e < s->g->jac_ptr[i + 1]; e++)
        p[k * n + s->g->jac_col[e]] += fabs(h * s->G[k * s->g->jac_nnz + e]) * change;
    }
  rattle__largest_of_kind(s->map.context->problem, z0, size);
  for (int i = 0; i < s->s; i++)
    for (int c = 0; c < n; c++) {
      double terms = fabs(z0[n + c]), moved[2] = {0, 0};
      for (int k = 0; k < s->s; k++) {
        const double slope = s->stages.J[rattle__stage_entry(&s->stages, k, c)];
        terms += fabs(h * s->by.a[i][k] * slope) + fabs(h * s->by.push[i][k] * s->force[k * n + c]);
        moved[0] += fabs(s->bend[i][k]) * q[k * n + c];
        moved[1] += fabs(s->by.push[i][k]) * p[k * n + c];
      }
      for (int part = 0; part < 2; part++)
        if (!rattle__is_apart(s->map.context->problem, part * n + c))
          size[part] = fmax(size[part], fmax(moved[part], part ? terms : 0));
    }
}
