/* N = G M^-1 G^T where a step by contraction begins and ends, and the slide onto psi = 0. Columns
 * of M^-1 G^T are differences of H_p, lanes of the slope: exact where H is
 * quadratic in p, and else near enough for an iteration. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/guard/power_iteration.h"
#include "maps/constrained/spark_contraction.h"

/* (q, p), (q, 0), and (q, G_i), in lanes, of which those that are left over repeat the second; the
 * slopes there. N is a function of q alone, so that a step is one of its point. */
static int evaluate_columns(rattle__spark_contraction *s, const double *G, const double *z) {
  const rattle__function *g = s->g;
  rattle__stage_lanes *columns = &s->columns;
  for (int i = 0; i < columns->lanes * columns->blocks; i++)
    for (int c = 0; c < 2 * s->n; c++)
      columns->Z[rattle__stage_entry(columns, i, c)] = i == 0 || c < s->n ? z[c] : 0;
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      columns->Z[rattle__stage_entry(columns, i + 2, s->n + g->jac_col[e])] = G[e];
  s->map.context->counts.gradient += s->m + 2;
  return rattle__stage_lanes_evaluate(columns, s->H, s->room, s->room + 2 * s->n, s->work);
}

int rattle__spark_take_N(rattle__spark_contraction *s, int node, const double *z) {
  const int n = s->n, m = s->m;
  const rattle__stage_lanes *columns = &s->columns;
  RATTLE__SPARK_DOUBT(evaluate_columns(s, s->G + (size_t)node * (size_t)s->g->jac_nnz, z));
  for (int c = 0; c < 2 * n; c++) s->slope[c] = columns->J[rattle__stage_entry(columns, 0, c)];
  for (int i = 0; i < m; i++) {
    double *v = s->V + i * n;
    for (int c = 0; c < n; c++)
      v[c] = columns->J[rattle__stage_entry(columns, i + 2, n + c)] -
             columns->J[rattle__stage_entry(columns, 1, n + c)];
    rattle__spark_times_G(s, node, v, s->E);
    for (int j = 0; j < m; j++) s->N->value[j * m + i] = s->E[j];
  }
  s->map.context->counts.factorisation++;
  return s->N->factor(s->N) != RATTLE_OK;
}

int rattle__spark_slide(rattle__spark_contraction *s, double *z) {
  double previous = INFINITY, *psi = s->E, *y = s->E + s->m;
  const int n = s->n, m = s->m;
  for (int k = 0;; k++) {
    const double *G = s->G + (size_t)s->s * (size_t)s->g->jac_nnz;
    double r = 0, most = 0;
    rattle__spark_times_G(s, s->s, s->slope + n, psi);
    for (int i = 0; i < m; i++) {
      double size = 0;
      for (int e = s->g->jac_ptr[i]; e < s->g->jac_ptr[i + 1]; e++)
        size += fabs(G[e] * s->slope[n + s->g->jac_col[e]]);
      r = fmax(r, fabs(psi[i]) / (DBL_EPSILON * size + DBL_MIN));
      most = fmax(most, fabs(psi[i]));
      if (psi[i] != psi[i]) return 1;
    }
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__GIVE_UP) return 1;
    if (verdict == RATTLE__DONE) {
      rattle_residuals *seen = &s->map.context->residuals;
      seen->psi = fmax(seen->psi, most);
      return 0;
    }
    memcpy(y, psi, (size_t)m * sizeof *y);
    s->N->solve(s->N, y);
    rattle__spark_pull(s, s->s, -1, y, z + n);
    RATTLE__SPARK_DOUBT(s->H->jacobian(s->H, z, NULL, s->slope, s->work));
    s->map.context->counts.gradient++;
    previous = r;
  }
}

/* v -> N1^-1 N0 v - v */
static int change(void *self, const double *v, double *y) {
  const rattle__spark_contraction *s = self;
  const int m = s->m;
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++) y[i] += s->before[i * m + j] * v[j];
  }
  s->N->solve(s->N, y);
  for (int i = 0; i < m; i++) y[i] -= v[i];
  return 1;
}

/* v is lost */
static int turned_along(rattle__spark_contraction *s, double *v, double *y) {
  double most = 0, apart = 0;
  change(s, v, y);
  for (int i = 0; i < s->m; i++) {
    most = fmax(most, fabs(v[i]));
    if (!(fabs(y[i]) <= apart)) apart = fabs(y[i]);
  }
  return !(apart <= rattle__N_changes * most) &&
         rattle__spectral_radius_above_half(s->m, change, s, v, y);
}

int rattle__spark_N_turned(rattle__spark_contraction *s) {
  const int m = s->m;
  double *v = s->room, *y = v + m, *E = s->E;
  if (m > RATTLE__FEW) {
    for (int i = 0; i < m; i++) v[i] = rattle__fixed_direction(i);
    if (turned_along(s, v, y)) return 1;
    memcpy(v, s->L, (size_t)m * sizeof *v);
    return turned_along(s, v, y);
  }
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) v[i] = i == j;
    change(s, v, y);
    for (int i = 0; i < m; i++) E[i * m + j] = y[i];
  }
  return rattle__N_changed(m, E);
}
