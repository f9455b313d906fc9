/* multistep4 (P. Console, E. Hairer, C. Lubich, Numer. Math. 124 (2013) 517) on natural problems,
 * in long double:
 *
 *     q_{n+2} - 2 q_{n+1} + 2 q_n - 2 q_{n-1} + q_{n-2}
 *       = h^2 (7/6 a_{n+1} - 1/3 a_n + 7/6 a_{n-1}),
 *     a = -W (V_q + G^T lambda),  g(q_{n+2}) = 0 by lambda_{n+1},
 *
 * from the motion itself at four places, by Runge-Kutta's method in short steps. Its momenta are
 * the differences of order 4, on psi = 0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "natural.h"
#include "truth.h"

enum { PARTS = 100, BACK = 2, KNOWN = 4 };

/* a of the motion at (q, v); 1 if N is singular. G' along v by differences of order 2: what they
 * miss is far below the method's own error. */
static int acceleration(const problem *pr, formula_work *work, const long double *q,
                        const long double *v, long double *a) {
  natural_point points[3];
  natural_point *at = &points[0];
  const int n = pr->n, m = pr->m;
  long double N[CONSTRAINTS * CONSTRAINTS], lambda[CONSTRAINTS] = {0}, W_Vq[PAIRS], fast = 0;
  dense_factors factors;
  natural_evaluate(pr, q, work, at);
  natural_velocity(pr, at->Vq, W_Vq);
  natural_product(pr, at->G, at->G, N);
  if (m && dense_factor(m, N, &factors)) return 1;
  for (int k = 0; k < n; k++) fast = fmaxl(fast, fabsl(v[k]));
  const long double by = fast > 0 ? 1e-6L * pr->unit.length / fast : 0;
  for (int side = 0; side < 2 && by > 0; side++) {
    long double moved[PAIRS];
    for (int k = 0; k < n; k++) moved[k] = q[k] + (side ? by : -by) * v[k];
    natural_evaluate(pr, moved, work, &points[1 + side]);
  }
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) {
      const int e = i * n + k;
      lambda[i] -= at->G[e] * W_Vq[k];
      if (by > 0) lambda[i] += (points[2].G[e] - points[1].G[e]) / (2 * by) * v[k];
    }
  if (m) dense_solve(&factors, lambda);
  long double pull[PAIRS];
  for (int k = 0; k < n; k++) {
    pull[k] = -at->Vq[k];
    for (int i = 0; i < m; i++) pull[k] -= at->G[i * n + k] * lambda[i];
  }
  natural_velocity(pr, pull, a);
  return 0;
}

/* (q, v) over d of the motion */
static int move(const problem *pr, formula_work *work, long double d, long double *q,
                long double *v) {
  static const long double part[] = {0, 0.5L, 0.5L, 1}, weight[] = {1, 2, 2, 1};
  const int n = pr->n;
  for (int round = 0; round < PARTS; round++) {
    long double h = d / PARTS, dq[PAIRS] = {0}, dv[PAIRS] = {0}, rate[PAIRS] = {0}, a[PAIRS] = {0};
    for (int s = 0; s < 4; s++) {
      long double Q[PAIRS], u[PAIRS];
      for (int k = 0; k < n; k++) {
        Q[k] = q[k] + h * part[s] * rate[k];
        u[k] = v[k] + h * part[s] * a[k];
      }
      if (acceleration(pr, work, Q, u, a)) return 1;
      for (int k = 0; k < n; k++) {
        rate[k] = u[k];
        dq[k] += h / 6 * weight[s] * u[k];
        dv[k] += h / 6 * weight[s] * a[k];
      }
    }
    for (int k = 0; k < n; k++) q[k] += dq[k], v[k] += dv[k];
  }
  return 0;
}

/* The places n-2 .. n+2, the last at the end. */
typedef struct window {
  long double q[KNOWN + 1][PAIRS], a[KNOWN + 1][PAIRS];
} window;

/* q[4], a[3] from the others; 1: no multipliers are found */
static int advance(const problem *pr, formula_work *work, window *w) {
  natural_point before, at;
  const int n = pr->n, m = pr->m;
  const long double h2 = (long double)pr->h * pr->h, b = h2 * 7 / 6;
  long double lambda[CONSTRAINTS] = {0}, N[CONSTRAINTS * CONSTRAINTS], moved = INFINITY;
  natural_evaluate(pr, w->q[3], work, &before);
  for (int round = 0; round < 40; round++) {
    long double pull[PAIRS], change[CONSTRAINTS], way[PAIRS];
    dense_factors factors;
    for (int k = 0; k < n; k++) {
      pull[k] = -before.Vq[k];
      for (int i = 0; i < m; i++) pull[k] -= before.G[i * n + k] * lambda[i];
    }
    natural_velocity(pr, pull, w->a[3]);
    for (int k = 0; k < n; k++)
      w->q[4][k] = 2 * (w->q[3][k] - w->q[2][k] + w->q[1][k]) - w->q[0][k] +
                   b * (w->a[3][k] + w->a[1][k]) - h2 / 3 * w->a[2][k];
    if (!m || moved < 1e-14L * pr->unit.length) return 0;
    natural_evaluate(pr, w->q[4], work, &at);
    natural_product(pr, at.G, before.G, N);
    memcpy(change, at.g, sizeof *change * (size_t)m);
    if (dense_factor(m, N, &factors)) return 1;
    dense_solve(&factors, change);
    for (int k = 0; k < n; k++) pull[k] = 0;
    for (int i = 0; i < m; i++) {
      lambda[i] += change[i] / b;
      for (int k = 0; k < n; k++) pull[k] += before.G[i * n + k] * change[i];
    }
    natural_velocity(pr, pull, way);
    moved = 0;
    for (int k = 0; k < n; k++) moved = fmaxl(moved, fabsl(way[k]));
  }
  return 1;
}

static void shift(window *w) {
  memmove(w->q[0], w->q[1], KNOWN * sizeof w->q[0]);
  memmove(w->a[0], w->a[1], KNOWN * sizeof w->a[0]);
}

/* H at the middle of the window, and the kinetic energy */
static long double energy(const problem *pr, formula_work *work, const window *w, long double *T) {
  natural_point at;
  long double p[PAIRS], v[PAIRS];
  dense_factors N;
  natural_evaluate(pr, w->q[2], work, &at);
  for (int k = 0; k < pr->n; k++)
    p[k] = pr->mass[k] / (12 * (long double)pr->h) *
           (8 * (w->q[3][k] - w->q[1][k]) - (w->q[4][k] - w->q[0][k]));
  if (pr->m && natural_project(pr, &at, p, &N, NULL)) return NAN;
  natural_velocity(pr, p, v);
  *T = 0;
  for (int k = 0; k < pr->n; k++) *T += p[k] * v[k] / 2;
  return *T + at.V;
}

static int begin(const problem *pr, const double *q, const double *p, formula_work *work,
                 window *w) {
  for (int j = -BACK; j < KNOWN - BACK; j++) {
    long double at[PAIRS], v[PAIRS], momenta[PAIRS];
    for (int k = 0; k < pr->n; k++) {
      at[k] = q[k];
      momenta[k] = p[k];
    }
    natural_velocity(pr, momenta, v);
    if (move(pr, work, j * (long double)pr->h, at, v)) return 1;
    memcpy(w->q[j + BACK], at, sizeof at);
    if (acceleration(pr, work, at, v, w->a[j + BACK])) return 1;
  }
  return 0;
}

int truth_multistep_diverges(const problem *pr, const double *q, const double *p, int steps,
                             formula_work *work) {
  window w;
  const long double speed = pr->unit.length / (long double)pr->unit.time,
                    unit = pr->unit.mass * speed * speed;
  long double T, most = 0, H0 = 0;
  if (begin(pr, q, p, work, &w)) return 0;
  for (int n = 0; n < steps + KNOWN; n++) {
    if (advance(pr, work, &w)) return 0;
    const long double H = energy(pr, work, &w, &T);
    if (n == 0) H0 = H;
    most = fmaxl(most, T);
    if (n >= steps - KNOWN && fabsl(H - H0) > 0.2L * most + DBL_EPSILON * (fabsl(H0) + unit))
      return 1;
    shift(&w);
  }
  return 0;
}
