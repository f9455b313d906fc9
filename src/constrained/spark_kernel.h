#ifndef RATTLE__SPARK_KERNEL_H
#define RATTLE__SPARK_KERNEL_H
/* One step of spark(s) for a natural problem, for spark_natural.c alone, where the map and the symbols are: written for any number
 * of stages, variables and constraints, and compiled for some of them. */
#include <string.h>

#include "slide/follow.h"
#include "constrained/spark_state.h"

/* --- the first iterate --- */

RATTLE__INLINE outcome look_up_start(condensed *k, const shape s, const double *z0, rattle_error *error) {
  memcpy(k->Q[0], z0, (size_t)k->n * sizeof *z0);
  rattle__point_go(&k->point, z0);
  if (!k->point.has_G) {
    outcome o = constraint_at(k, 0, k->value, error);
    if (!o) o = force_at(k, 0, error);
    if (!o && factor_N(k, s, 0)) o = DOUBTFUL;
    if (o) return o;
  }
  memcpy(k->N0, k->N->value, (size_t)k->N->nnz * sizeof *k->N0);
  k->point.has_G = k->point.has_V = 0; /* the step writes over what is known */
  return MADE;
}

/* L_j = lambda with N lambda = G_qq(v,v) - G M^-1 V_q, v = M^-1 p0; Q_i with that force; v into d, which is free as yet */
RATTLE__INLINE outcome begin(condensed *k, const shape s, double h, const double *restrict z0, rattle_error *error) {
  double *restrict v = k->d, *restrict F = k->F;
  for (int c = 0; c < s.n; c++) v[c] = times_W(k, s, 1, c, z0 + s.n);
  const int answer = rattle__function_along(k->g, z0, v, k->along, k->work, k->room);
  if (answer) return ended(answer, "constraint", error);
  for (int c = 0; c < s.n; c++) k->size[c] = times_W(k, s, -1, c, k->Vq[0]);
  push(k, s, 0, k->size, k->L);
  for (int i = 0; i < s.m; i++) {
    for (int e = k->rows.ptr[i]; e < k->rows.ptr[i + 1]; e++) k->L[i] += k->along[e] * v[k->rows.col[e]];
    k->pull[i] = k->L[i];
  }
  k->N->solve(k->N, k->L);
  for (int j = 1; j < s.r; j++)
    for (int l = 0; l < s.m; l++) k->L[j * s.m + l] = k->L[l];
  for (int c = 0; c < s.n; c++) F[c] = k->Vq[0][c];
  pull(k, s, 0, k->L, F);
  for (int i = 1; i <= s.r; i++) {
    const double t = h * k->c[i];
    double *restrict Q = k->Q[i];
    for (int c = 0; c < s.n; c++) Q[c] = z0[c] + t * (v[c] - times_W(k, s, 0.5 * t, c, F));
  }
  return MADE;
}

/* --- the iteration --- */

/* Units of round-off, at the first iterate; of each equation for Q_i one, as in spark.c. */
RATTLE__INLINE void measure(condensed *k, const shape s, double h, const double *restrict z0) {
  const int n = s.n;
  double *restrict size = k->size, force[RATTLE__STAGES], q0 = 0, v0 = 0;
  for (int c = 0; c < n; c++) {
    q0 = rattle__larger(fabs(z0[c]), q0);
    v0 = rattle__larger(fabs(times_W(k, s, 1, c, z0 + n)), v0);
  }
  for (int j = 0; j < s.r; j++) {
    const double *restrict V = k->Vq[j], *restrict J = k->J[j], *restrict L = k->L + j * s.m;
    for (int c = 0; c < n; c++) size[c] = fabs(V[c]);
    for (int l = 0; l < s.m && s.small; l++)
      for (int c = 0; c < n; c++) size[c] += fabs(k->D[j][l * n + c] * L[l]);
    for (int l = 0; l < s.m && !s.small; l++)
      for (int e = k->rows.ptr[l]; e < k->rows.ptr[l + 1]; e++) size[k->rows.col[e]] += fabs(J[e] * L[l]);
    force[j] = 0;
    for (int c = 0; c < n; c++)
      force[j] = rattle__larger(s.full ? rattle__mass_reach(k->W, c, size) : k->inverse_mass[c] * size[c], force[j]);
  }
  for (int i = 1; i <= s.r; i++) {
    const double *restrict Q = k->Q[i], *restrict J = k->J[i];
    double *restrict unit = k->unit_g + (i - 1) * s.m, most = 0, sum = 0;
    for (int c = 0; c < n; c++) most = rattle__larger(fabs(Q[c]), most);
    for (int j = 0; j < s.r; j++) sum += fabs(k->w[i][j]) * force[j];
    k->unit_Q[i] = 1 / (DBL_EPSILON * (q0 + most + fabs(h) * (k->c[i] * v0 + fabs(h) * sum)) + DBL_MIN);
    most *= RATTLE__CANCELLED;
    for (int l = 0; l < s.m; l++) {
      sum = 0;
      for (int c = 0; c < n && s.small; c++)
        sum += fabs(k->D[i][l * n + c]) * rattle__larger(0.5 * (fabs(Q[c]) + fabs(z0[c])), most);
      for (int e = k->rows.ptr[l]; e < k->rows.ptr[l + 1] && !s.small; e++) {
        const int c = k->rows.col[e];
        sum += fabs(J[e]) * rattle__larger(0.5 * (fabs(Q[c]) + fabs(z0[c])), most);
      }
      unit[l] = 1 / (DBL_EPSILON * sum + DBL_MIN);
    }
  }
}

/* F_j = W_j + G(Q_j)^T y_j, W NULL: 0 */
RATTLE__INLINE void forces(condensed *k, const shape s, double *const *W, const double *y) {
  for (int j = 0; j < s.r; j++) {
    double *restrict F = k->F + j * s.n;
    const double *restrict from = W ? W[j] : NULL;
    for (int c = 0; c < s.n; c++) F[c] = from ? from[c] : 0;
    pull(k, s, j, y + j * s.m, F);
  }
}

/* g and G at Q_2..Q_s, V_q at Q_2..Q_{s-1}, and F */
RATTLE__INLINE outcome evaluate(condensed *k, const shape s, rattle_error *error) {
  outcome o = MADE;
  for (int j = 1; j <= s.r && !o; j++) o = constraint_at(k, j, k->value + (j - 1) * s.m, error);
  for (int j = 1; j < s.r && !o; j++) o = force_at(k, j, error);
  if (!o) forces(k, s, k->Vq, k->L);
  return o;
}

/* d_i, and the largest residual in units of round-off; not a number where one is */
RATTLE__INLINE double residual(condensed *k, const shape s, double h, const double *restrict z0) {
  const double *restrict inverse_mass = k->inverse_mass, *restrict F = k->F;
  const int n = s.n;
  double ratio = 0;
  for (int i = 1; i <= s.r; i++) {
    double most = 0, strange = 0, w[RATTLE__STAGES], *restrict d = k->d + (i - 1) * n;
    const double *restrict Q = k->Q[i], c_i = k->c[i];
    for (int j = 0; j < s.r; j++) w[j] = h * k->w[i][j];
    for (int c = 0; c < n; c++) {
      double sum = c_i * z0[n + c];
      for (int j = 0; j < s.r; j++) sum -= w[j] * F[j * n + c];
      if (s.full)
        k->size[c] = sum;
      else
        d[c] = z0[c] + h * inverse_mass[c] * sum - Q[c];
    }
    for (int c = 0; c < n && s.full; c++) d[c] = z0[c] + times_W(k, s, h, c, k->size) - Q[c];
    for (int c = 0; c < n; c++) {
      most = rattle__larger(fabs(d[c]), most);
      strange += d[c] * 0;
    }
    ratio = rattle__larger(most * k->unit_Q[i], ratio) + strange;
  }
  k->largest_g = 0;
  for (int i = 0; i < s.r * s.m; i++) {
    const double g = fabs(k->value[i]);
    ratio = rattle__larger(g * k->unit_g[i], ratio) + g * 0;
    if (i >= (s.r - 1) * s.m) k->largest_g = rattle__larger(g, k->largest_g);
  }
  return ratio;
}

/* LU in place without exchanges, pivots inverted; 1 if a pivot is small. R is near w x N, whose leading minors are not small:
 * where they are, the step is in doubt anyway. */
RATTLE__INLINE int factor_small(const int size, double *restrict A) {
  int bad = 0;
  for (int k = 0; k < size; k++) {
    double most = 0;
    for (int e = 0; e < size; e++) most = rattle__larger(fabs(A[k * size + e]), most);
    bad |= !(fabs(A[k * size + k]) > 1e-8 * most);
    const double inverse = A[k * size + k] = 1 / A[k * size + k];
    for (int i = k + 1; i < size; i++) {
      const double f = A[i * size + k] *= inverse;
      for (int e = k + 1; e < size; e++) A[i * size + e] -= f * A[k * size + e];
    }
  }
  return bad;
}

RATTLE__INLINE void solve_R(const condensed *k, const shape s, double *restrict y) {
  const int size = s.r * s.m;
  const double *restrict A = k->R->value;
  if (!s.small) {
    k->R->solve(k->R, y);
    return;
  }
  for (int i = 1; i < size; i++)
    for (int e = 0; e < i; e++) y[i] -= A[i * size + e] * y[e];
  for (int i = size - 1; i >= 0; i--) {
    for (int e = i + 1; e < size; e++) y[i] -= A[i * size + e] * y[e];
    y[i] *= A[i * size + i];
  }
}

/* R at the iterate, factored; nonzero if it is singular. Rows by stage, then constraint. */
RATTLE__INLINE int factor_R(condensed *k, const shape s) {
  const int nnz = s.small ? s.m * s.m : k->N->nnz;
  double block[SMALL * SMALL], *restrict all = s.small ? block : k->block, *restrict value = k->R->value;
  for (int j = 1; j < s.r; j++) scale_columns(k, s, j);
  for (int i = 0; i < s.r; i++)
    for (int j = 0; j < s.r; j++) {
      const double w = k->w[i + 1][j];
      couple(k, s, i + 1, j, all);
      for (int l = 0; l < s.m; l++) {
        const int first = s.small ? l * s.m : k->N->ptr[l], width = s.small ? s.m : k->N->ptr[l + 1] - first;
        double *restrict row = value + i * s.r * nnz + s.r * first + j * width;
        for (int e = 0; e < width; e++) row[e] = w * all[first + e];
      }
    }
  k->map.context->counts.factorisation++;
  return s.small ? factor_small(s.r * s.m, value) : k->R->factor(k->R);
}

/* Whether R at the first iterate is far from its limit w x N0, along the guess and along a fixed direction. */
RATTLE__INLINE int astray(condensed *k, const shape s) {
  const int m = s.m;
  for (int which = 0; which < 2; which++) {
    for (int l = 0; l < m && which; l++) {
      k->pull[l] = 0;
      for (int e = k->N->ptr[l]; e < k->N->ptr[l + 1]; e++) k->pull[l] += (k->N->col[e] % 2 ? -1 : 1) * k->N0[e];
    }
    for (int i = 0; i < s.r; i++)
      for (int l = 0; l < m; l++) { /* sum_j w_ij = c_i^2/2 */
        k->course[i * m + l] = 0.5 * k->c[i + 1] * k->c[i + 1] * k->pull[l];
        k->delta[i * m + l] = which ? (l % 2 ? -1 : 1) : k->L[l];
      }
    solve_R(k, s, k->course);
    if (rattle__far(s.r * m, k->course, k->delta)) return 1;
  }
  return 0;
}

/* Q and L by the correction for what d and value hold */
RATTLE__INLINE void correct(condensed *k, const shape s, double h) {
  const double *restrict inverse_mass = k->inverse_mass, *restrict F = k->F, scale = 1 / (h * h);
  const int n = s.n;
  for (int i = 0; i < s.r; i++) {
    push(k, s, i + 1, k->d + i * n, k->delta + i * s.m);
    for (int l = i * s.m; l < (i + 1) * s.m; l++) k->delta[l] = scale * (k->delta[l] + k->value[l]);
  }
  solve_R(k, s, k->delta);
  forces(k, s, NULL, k->delta);
  for (int i = 0; i < s.r * s.m; i++) k->L[i] += k->delta[i];
  for (int i = 1; i <= s.r; i++) {
    double w[RATTLE__STAGES], *restrict Q = k->Q[i];
    const double *restrict d = k->d + (i - 1) * n;
    for (int j = 0; j < s.r; j++) w[j] = h * h * k->w[i][j];
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int j = 0; j < s.r; j++) sum += w[j] * F[j * n + c];
      if (s.full)
        k->size[c] = sum;
      else
        Q[c] += d[c] - inverse_mass[c] * sum;
    }
    for (int c = 0; c < n && s.full; c++) Q[c] += d[c] - times_W(k, s, 1, c, k->size);
  }
}

/* What the iteration ends with points the same way in each step, and its work on H adds up: where the gain so far lets more than
 * a sixteenth of round-off be expected to be left, there is one more iteration. */
RATTLE__INLINE outcome solve(condensed *k, const shape s, double h, const double *z0, rattle_error *error) {
  double previous = INFINITY, expected = INFINITY;
  rattle__course course = {.part = rattle__doubt_newton};
  for (int i = 0, matrices = 0, last = 0;; i++) {
    const outcome o = evaluate(k, s, error);
    if (o) return o;
    if (i == 0) measure(k, s, h, z0);
    const double ratio = k->ratio = residual(k, s, h, z0);
    course.history[course.k = i] = ratio;
    if (rattle__falls_slowly(&course)) return DOUBTFUL;
    const rattle__verdict verdict = rattle__judge(ratio, previous, i, 0);
    if (verdict == RATTLE__GIVE_UP) return DOUBTFUL;
    if (verdict == RATTLE__DONE && (last || rattle__smaller(ratio, expected) <= 1.0 / 16)) return MADE;
    last = verdict == RATTLE__DONE;
    if (matrices < 1 + (ratio > 0.1 * previous && !last)) {
      if (factor_R(k, s)) return DOUBTFUL;
      matrices++;
    }
    if (i == 0 && astray(k, s)) return DOUBTFUL;
    correct(k, s, h);
    k->map.context->counts.newton_iterations++;
    expected = i ? ratio * (ratio / previous) : INFINITY;
    previous = ratio;
  }
}

/* --- the end of the step --- */

/* p of z1 = (q1, p) onto psi = 0, with N at q1 */
RATTLE__INLINE outcome slide(condensed *k, const shape s, double *restrict p) {
  double previous = INFINITY, *restrict psi = k->psi, *restrict floor = k->floor, *restrict v = k->size;
  if (factor_N(k, s, s.r)) return DOUBTFUL;
  for (int i = 0;; i++) {
    for (int c = 0; c < s.n; c++) v[c] = times_W(k, s, 1, c, p);
    push(k, s, s.r, v, psi);
    for (int l = 0; l < s.m && i == 0; l++) {
      double sum = 0;
      for (int c = 0; c < s.n && s.small; c++) sum += fabs(k->D[s.r][l * s.n + c] * v[c]);
      for (int e = k->rows.ptr[l]; e < k->rows.ptr[l + 1] && !s.small; e++) sum += fabs(k->J[s.r][e] * v[k->rows.col[e]]);
      floor[l] = 1 / (DBL_EPSILON * sum + DBL_MIN);
    }
    const double r = rattle__rows_ratio(&k->rows, psi, floor, &k->largest_psi);
    const rattle__verdict verdict = rattle__judge(r, previous, i, 0);
    if (verdict == RATTLE__DONE) return MADE;
    if (verdict == RATTLE__GIVE_UP) return DOUBTFUL;
    for (int l = 0; l < s.m; l++) psi[l] = -psi[l];
    k->N->solve(k->N, psi);
    pull(k, s, s.r, psi, p);
    previous = r;
  }
}

RATTLE__INLINE outcome finish(condensed *k, const shape s, double h, const double *restrict z0, double *restrict z1,
                              rattle_error *error) {
  outcome o = force_at(k, s.r, error);
  if (o) return o;
  const double *restrict V = k->Vq[s.r], *restrict F = k->F, *restrict Q = k->Q[s.r];
  double b[RATTLE__STAGES];
  for (int j = 0; j <= s.r; j++) b[j] = h * k->b[j];
  for (int c = 0; c < s.n; c++) {
    double sum = b[s.r] * V[c];
    for (int j = 0; j < s.r; j++) sum += b[j] * F[j * s.n + c];
    z1[c] = Q[c];
    z1[s.n + c] = z0[s.n + c] - sum;
  }
  o = slide(k, s, z1 + s.n);
  return !o && rattle__watch_changed(k->watch, k->N, k->N0, k->L) ? DOUBTFUL : o;
}

/* z1 from z0. MADE: J, B, Vq of the last stage and N belong to z1 */
RATTLE__INLINE outcome step(condensed *k, const shape s, double h, const double *z0, double *z1, rattle_error *error) {
  outcome o = look_up_start(k, s, z0, error);
  if (!o) o = begin(k, s, h, z0, error);
  if (!o) o = solve(k, s, h, z0, error);
  return o ? o : finish(k, s, h, z0, z1, error);
}
#endif
