/* Maps with stages, on any problem, in long double. d = t h, S the symplectic matrix, b and a, ahat
 * those of the tableau.
 *
 * shake, rattle   z+ = exp(sum s X_g)(z0),  K_i = S H_z(Z_i),  Z_i = z+ + d sum (a_ij K_jq, ahat_ij
 *                 K_jp),  z1 = z+ + d sum b_j K_j,
 *                 g(z1) = 0;  rattle also  z2 = exp(sum sigma X_g)(z1), psi(z2) = 0.      Unknowns
 *                 K_1 .. K_s, s, sigma
 * spark           Q_i = q0 + d sum a_ij k_j,  P_i = p0 + sum ahat_ij l_j,  k_i = H_p(Q_i, P_i),
 *                 l_i = -d H_q(Q_i, P_i) - G(Q_i)^T mu_i,  g(Q_i) = 0 for i > 1,
 *                 p1 = p0 + sum b_j l_j,  psi(Q_s, p1) = 0.                     Unknowns (k, l)_1
 *                 .. s, mu_1 .. mu_s
 *
 * The equations g = 0 are divided by d: their derivative by s tends to N, and s to 0. On natural
 * problems k = W P is known where the slopes of p are, and these alone are unknown. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "general.h"
#include "natural.h"
#include "truth.h"

enum { STAGES = 3 };

typedef struct staged {
  const problem *pr;
  const tableau *of;
  method_form form;
  long double h, z0[ENTRIES];
  general_point at0;
  int first, wide;  /* unknown slopes of a stage: entries first .. first + wide - 1 */
  long double *end; /* of the last evaluation [2n] */
} staged;

/* (g(z) - (1 - t) g0)/d, and its limit for d to 0, if z leaves z0 with the velocity K */
static void off(const staged *e, long double t, const general_point *at, const long double *K,
                long double *F) {
  const int m = e->pr->m, size = 2 * e->pr->n;
  for (int i = 0; i < m; i++) {
    F[i] = e->at0.g[i] / e->h;
    if (t != 0) F[i] += (at->g[i] - e->at0.g[i]) / (t * e->h);
    for (int k = 0; k < size && t == 0; k++) F[i] += at->dg[i * size + k] * K[k];
  }
}

/* sum over j of (weight_j K_j), of entries first .. first + n - 1 */
static void mean(const staged *e, const long double *weight, const long double *K, int first,
                 long double *sum) {
  const int n = e->pr->n;
  for (int k = first; k < first + n; k++) {
    sum[k] = 0;
    for (int j = 0; j < e->of->stages; j++) sum[k] += weight[j] * K[j * 2 * n + k];
  }
}

/* All slopes K [stages][2n], and the momenta of the stages P [stages][n], from the unknown slopes;
 * `d` is the factor of those of p. */
static void all_slopes(const staged *e, long double d, const long double *p, const long double *x,
                       long double *K, long double P[][PAIRS]) {
  const int n = e->pr->n, s = e->of->stages;
  for (int i = 0; i < s; i++)
    memcpy(K + i * 2 * n + e->first, x + i * e->wide, sizeof *x * (size_t)e->wide);
  for (int i = 0; i < s; i++) {
    long double sum[ENTRIES];
    mean(e, e->of->ahat[i], K, n, sum);
    for (int k = 0; k < n; k++) P[i][k] = p[k] + d * sum[n + k];
    if (e->first) natural_velocity(e->pr, P[i], K + i * 2 * n);
  }
}

static int rattle(const follow_system *system, long double t, const long double *x, long double *F,
                  long double *J, long double *Ft) {
  const staged *e = system->of;
  const int n = e->pr->n, m = e->pr->m, s = e->of->stages;
  const long double d = t * e->h, *slide = x + s * e->wide;
  long double z[ENTRIES], Z[ENTRIES], sum[ENTRIES], field[ENTRIES], K[STAGES * ENTRIES],
      P[STAGES][PAIRS];
  general_point at;
  (void)J, (void)Ft;
  memcpy(z, e->z0, sizeof *z * (size_t)(2 * n));
  if (general_slide(e->pr, slide, system->work, z)) return 1;
  all_slopes(e, d, z + n, x, K, P);
  for (int i = 0; i < s; i++) {
    mean(e, e->of->a[i], K, 0, sum);
    for (int k = 0; k < n; k++) {
      Z[k] = z[k] + d * sum[k];
      Z[n + k] = P[i][k];
    }
    general_evaluate(e->pr, Z, FORMULA_H, system->work, &at);
    general_field(e->pr, &at, field);
    for (int k = 0; k < e->wide; k++)
      F[i * e->wide + k] = K[i * 2 * n + e->first + k] - field[e->first + k];
  }
  mean(e, e->of->b, K, 0, sum);
  mean(e, e->of->b, K, n, sum);
  for (int k = 0; k < 2 * n; k++) z[k] += d * sum[k];
  general_evaluate(e->pr, z, FORMULA_G, system->work, &at);
  off(e, t, &at, sum, F + s * e->wide);
  if (e->form == RATTLE_STEP) {
    if (general_slide(e->pr, slide + m, system->work, z)) return 1;
    general_evaluate(e->pr, z, FORMULA_H | FORMULA_G, system->work, &at);
    general_hidden(e->pr, &at, F + s * e->wide + m, NULL);
  }
  memcpy(e->end, z, sizeof *z * (size_t)(2 * n));
  for (int i = 0; i < system->size; i++)
    if (!isfinite(F[i])) return 1;
  return 0;
}

static int spark(const follow_system *system, long double t, const long double *x, long double *F,
                 long double *J, long double *Ft) {
  const staged *e = system->of;
  const int n = e->pr->n, m = e->pr->m, s = e->of->stages;
  const long double d = t * e->h, *mu = x + s * e->wide;
  long double Z[ENTRIES], sum[ENTRIES], field[ENTRIES], K[STAGES * ENTRIES], P[STAGES][PAIRS];
  general_point at;
  (void)J, (void)Ft;
  all_slopes(e, 1, e->z0 + n, x, K, P);
  for (int i = 0; i < s; i++) {
    mean(e, e->of->a[i], K, 0, sum);
    for (int k = 0; k < n; k++) {
      Z[k] = e->z0[k] + d * sum[k];
      Z[n + k] = P[i][k];
      sum[n + k] = 0;
    }
    general_evaluate(e->pr, Z, FORMULA_H | FORMULA_G, system->work, &at);
    general_field(e->pr, &at, field);
    if (i) off(e, t, &at, sum, F + s * e->wide + (i - 1) * m);
    for (int k = 0; k < n; k++) {
      long double *of_p = &F[i * e->wide + e->wide - n + k];
      if (!e->first) F[i * e->wide + k] = K[i * 2 * n + k] - field[k];
      *of_p = K[i * 2 * n + n + k] - d * field[n + k];
      for (int j = 0; j < m; j++) *of_p += at.dg[j * 2 * n + k] * mu[i * m + j];
    }
  }
  mean(e, e->of->b, K, n, sum);
  for (int k = n; k < 2 * n; k++) Z[k] = e->z0[k] + sum[k];
  general_evaluate(e->pr, Z, FORMULA_H | FORMULA_G, system->work, &at);
  general_hidden(e->pr, &at, F + s * e->wide + (s - 1) * m, NULL);
  memcpy(e->end, Z, sizeof *Z * (size_t)(2 * n));
  for (int i = 0; i < system->size; i++)
    if (!isfinite(F[i])) return 1;
  return 0;
}

/* A unit of the slope of z_k in a stage: of spark's momenta it is a difference of p. */
static long double slope_size(const staged *e, int k) {
  return general_size(e->pr, k) / (e->form == SPARK_STEP && k >= e->pr->n ? 1 : e->pr->unit.time);
}

static void units_of(const staged *e, const general_point *at, const long double *z,
                     follow_system *system) {
  const problem *pr = e->pr;
  const int size = 2 * pr->n, m = pr->m, all = e->of->stages * e->wide;
  long double field[ENTRIES], psi[CONSTRAINTS], terms[CONSTRAINTS], far = 0;
  general_field(pr, at, field);
  general_hidden(pr, at, psi, terms);
  for (int k = 0; k < size; k++) far = fmaxl(far, fabsl(z[k]) / general_size(pr, k));
  for (int j = 0; j < all; j++) {
    const int k = e->first + j % e->wide;
    const long double factor = e->form == SPARK_STEP && k >= pr->n ? fabsl(e->h) : 1;
    system->unit[j] = factor * (fabsl(field[k]) + far * general_size(pr, k) / pr->unit.time);
  }
  for (int j = all; j < system->size; j++) {
    const int i = (j - all) % m;
    long double unit = at->error[i];
    for (int k = 0; k < size; k++)
      unit += fabsl(at->dg[i * size + k]) * fmaxl(fabsl(z[k]), general_size(pr, k));
    system->unit[j] = unit / fabsl(e->h);
    if (j >= system->size - m && e->form != SHAKE_STEP)
      system->unit[j] = terms[i] + unit / pr->unit.time;
  }
}

static void begin(staged *e, const step *from, const method *how, follow_system *system,
                  long double *x) {
  const problem *pr = e->pr = from->pr;
  const int n = pr->n, m = pr->m, s = how->of->stages;
  const int sets = how->form == SPARK_STEP ? s : how->form == SHAKE_STEP ? 1 : 2;
  long double reach[CONSTRAINTS], field[ENTRIES];
  e->of = how->of;
  e->form = how->form;
  e->h = from->h;
  e->first = pr->natural ? n : 0;
  e->wide = 2 * n - e->first;
  memcpy(e->z0, from->q, sizeof *from->q * (size_t)n);
  memcpy(e->z0 + n, from->p, sizeof *from->p * (size_t)n);
  general_evaluate(pr, e->z0, FORMULA_H | FORMULA_G, from->work, &e->at0);
  general_reach(pr, &e->at0, reach);
  general_field(pr, &e->at0, field);
  *system = (follow_system){.size = s * e->wide + sets * m, .of = e, .work = from->work};
  system->evaluate = how->form == SPARK_STEP ? spark : rattle;
  system->difference = fabs(from->h) < 1e-3 * pr->unit.time ? 1e-5L : 1e-7L;
  for (int j = 0; j < s * e->wide; j++) {
    const int k = e->first + j % e->wide;
    x[j] = how->form == SPARK_STEP && k >= n ? 0 : field[k];
    system->scale[j] = 1 / slope_size(e, k);
  }
  for (int j = 0; j < sets * m; j++) {
    x[s * e->wide + j] = 0;
    system->scale[s * e->wide + j] = reach[j % m];
  }
  units_of(e, &e->at0, e->z0, system);
}

/* The end of the step and its round-off: that of the equations, seen through J and the derivatives
 * of the end. */
static void finish(const staged *e, follow_system *system, const follow_result *found,
                   truth *result) {
  const int n = e->pr->n, size = 2 * n;
  long double F[DENSE], x[DENSE], error[DENSE], end[ENTRIES], of_z[ENTRIES];
  general_point at;
  if (system->evaluate(system, 1, found->x, F, NULL, NULL)) return;
  result->reaches = 1;
  memcpy(end, e->end, sizeof end);
  general_evaluate(e->pr, end, FORMULA_H | FORMULA_G, system->work, &at);
  units_of(e, &at, end, system);
  follow_error(system, &found->J, DBL_EPSILON, error);
  for (int k = 0; k < size; k++) of_z[k] = DBL_EPSILON * (fabsl(end[k]) + fabsl(e->z0[k]));
  memcpy(x, found->x, sizeof *x * (size_t)system->size);
  for (int j = 0; j < system->size; j++) {
    const long double d = 1e-6L / system->scale[j];
    x[j] += d;
    if (!system->evaluate(system, 1, x, F, NULL, NULL))
      for (int k = 0; k < size; k++) of_z[k] += fabsl(e->end[k] - end[k]) / d * error[j];
    x[j] = found->x[j];
  }
  for (int k = 0; k < n; k++) {
    result->q[k] = end[k];
    result->p[k] = end[n + k];
    result->q_error[k] = of_z[k];
    result->p_error[k] = of_z[n + k];
  }
}

void truth_staged(const step *from, const method *how, truth *result) {
  staged e;
  follow_system system;
  follow_result found = {0};
  long double end[ENTRIES] = {0};
  e.end = end;
  begin(&e, from, how, &system, found.x);
  *result = (truth){0};
  follow(&system, from->strict, &found);
  result->part = (double)found.part;
  result->margin = (double)found.margin;
  result->pieces = found.pieces;
  result->exhausted = found.exhausted;
  result->effort =
      (double)found.pieces * system.size * system.size * (from->pr->fibre == FIBRE_CURVED ? 10 : 1);
  if (found.reaches) finish(&e, &system, &found, result);
}
