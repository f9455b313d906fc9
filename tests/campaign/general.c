/* Problems of any kind in long double. See general.h. */
#include "general.h"

#include <math.h>
#include <string.h>

static void evaluate_H(const problem *pr, const long double *z, const formula_work *work,
                       general_point *at) {
  const int n = pr->n;
  at->H = formula_read(&pr->f, &pr->H, work, NULL, at->dH);
  for (int i = 0; i < n && pr->natural; i++) {
    at->dH[n + i] += pr->diagonal ? z[n + i] / pr->mass[i] : 0;
    for (int j = 0; j < n && !pr->diagonal; j++) at->dH[n + i] += pr->W[i * n + j] * z[n + j];
    at->H += at->dH[n + i] * z[n + i] / 2;
  }
  if (pr->timed) {
    at->H += z[2 * n - 1];
    at->dH[2 * n - 1] += 1;
  }
  for (int i = 0; i < n; i++)
    at->force[i] = pr->forced ? formula_read(&pr->f, &pr->force[i], work, NULL, NULL) : 0;
}

void general_evaluate(const problem *pr, const long double *z, unsigned functions,
                      formula_work *work, general_point *at) {
  formula_evaluate(&pr->f, z, functions, work);
  if (functions & FORMULA_H) evaluate_H(pr, z, work, at);
  for (int i = 0; i < pr->m && (functions & FORMULA_G); i++)
    at->g[i] = formula_read(&pr->f, &pr->g[i], work, &at->error[i], at->dg + i * 2 * pr->n);
}

void general_field(const problem *pr, const general_point *at, long double *x) {
  for (int k = 0; k < pr->n; k++) {
    x[k] = at->dH[pr->n + k];
    x[pr->n + k] = at->force[k] - at->dH[k];
  }
}

void general_hidden(const problem *pr, const general_point *at, long double *psi,
                    long double *size) {
  const int n = pr->n;
  for (int i = 0; i < pr->m; i++) {
    const long double *dg = at->dg + i * 2 * n;
    psi[i] = 0;
    if (size) size[i] = 0;
    for (int k = 0; k < n; k++) {
      const long double one = dg[k] * at->dH[n + k], two = dg[n + k] * at->dH[k];
      psi[i] += one - two;
      if (size) size[i] += fabsl(one) + fabsl(two);
    }
  }
}

void general_brackets(const problem *pr, const general_point *at, long double *C) {
  const int n = pr->n, m = pr->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const long double *a = at->dg + i * 2 * n, *b = at->dg + j * 2 * n;
      C[i * m + j] = 0;
      for (int k = 0; k < n; k++) C[i * m + j] += a[k] * b[n + k] - a[n + k] * b[k];
    }
}

int general_is_time(const problem *pr, int k) {
  return pr->timed && k == pr->n - 1;
}

long double general_size(const problem *pr, int k) {
  const long double v = (long double)pr->unit.length / pr->unit.time;
  if (pr->timed && k % pr->n == pr->n - 1) return k < pr->n ? pr->unit.time : pr->unit.mass * v * v;
  return k < pr->n ? pr->unit.length : (long double)pr->unit.mass * pr->unit.length / pr->unit.time;
}

void general_reach(const problem *pr, const general_point *at, long double *reach) {
  const int n = pr->n;
  for (int i = 0; i < pr->m; i++) {
    reach[i] = 0;
    for (int k = 0; k < n; k++) {
      reach[i] = fmaxl(reach[i], fabsl(at->dg[i * 2 * n + k]) / general_size(pr, n + k));
      reach[i] = fmaxl(reach[i], fabsl(at->dg[i * 2 * n + n + k]) / general_size(pr, k));
    }
  }
}

/* ---- slides ---- */

/* sum s_i X_{g_i} at z */
static void direction(const problem *pr, const long double *s, const long double *z,
                      formula_work *work, long double *x) {
  const int n = pr->n;
  long double gradient[ENTRIES];
  memset(x, 0, sizeof *x * (size_t)(2 * n));
  formula_evaluate(&pr->f, z, FORMULA_G, work);
  for (int i = 0; i < pr->m; i++) {
    formula_read(&pr->f, &pr->g[i], work, NULL, gradient);
    for (int k = 0; k < n; k++) {
      x[k] += s[i] * gradient[n + k];
      x[n + k] -= s[i] * gradient[k];
    }
  }
}

/* The modified midpoint rule with `count` pieces of [0, length]. */
static void pieces(const problem *pr, const long double *s, formula_work *work,
                   const long double *z, long double length, int count, long double *end) {
  const int size = 2 * pr->n;
  const long double h = length / count;
  long double before[ENTRIES], now[ENTRIES], x[ENTRIES];
  memcpy(before, z, sizeof *z * (size_t)size);
  direction(pr, s, z, work, x);
  for (int k = 0; k < size; k++) now[k] = z[k] + h * x[k];
  for (int i = 1; i < count; i++) {
    direction(pr, s, now, work, x);
    for (int k = 0; k < size; k++) {
      const long double after = before[k] + 2 * h * x[k];
      before[k] = now[k];
      now[k] = after;
    }
  }
  direction(pr, s, now, work, x);
  for (int k = 0; k < size; k++) end[k] = (now[k] + before[k] + h * x[k]) / 2;
}

/* Extrapolation of the modified midpoint rule (Gragg, Bulirsch and Stoer). */
static void extrapolate(const problem *pr, const long double *s, formula_work *work,
                        long double length, int rows, long double *z) {
  enum { ROWS = 8 };
  const int size = 2 * pr->n;
  long double row[ROWS][ENTRIES];
  for (int i = 0; i < rows; i++) {
    pieces(pr, s, work, z, length, 2 * (i + 1), row[i]);
    for (int j = i; j > 0; j--) {
      const long double ratio = (long double)(i + 1) / j;
      for (int k = 0; k < size; k++)
        row[j - 1][k] = row[j][k] + (row[j][k] - row[j - 1][k]) / (ratio * ratio - 1);
    }
  }
  memcpy(z, row[0], sizeof *z * (size_t)size);
}

int general_slide(const problem *pr, const long double *s, formula_work *work, long double *z) {
  const int n = pr->n;
  long double x[ENTRIES], far = 0;
  direction(pr, s, z, work, x);
  for (int k = 0; k < 2 * n; k++) {
    if (!isfinite(x[k])) return 1;
    far = fmaxl(far, fabsl(x[k]) / general_size(pr, k));
  }
  if (pr->fibre != FIBRE_CURVED) {
    for (int k = 0; k < 2 * n; k++) z[k] += x[k];
    return 0;
  }
  if (far > 40) return 1;
  const int count = 1 + (int)(4 * far), rows = far < 0.003L ? 4 : far < 0.05L ? 6 : 8;
  for (int i = 0; i < count; i++) extrapolate(pr, s, work, 1 / (long double)count, rows, z);
  return 0;
}

int general_matrix(const problem *pr, const long double *z, formula_work *work, long double *N) {
  const int n = pr->n, m = pr->m;
  general_point at;
  long double reach[CONSTRAINTS], psi[2][CONSTRAINTS];
  general_evaluate(pr, z, FORMULA_H | FORMULA_G, work, &at);
  general_reach(pr, &at, reach);
  for (int j = 0; j < m; j++) {
    const long double d = 1e-6L / reach[j];
    for (int side = 0; side < 2; side++) {
      long double s[CONSTRAINTS] = {0}, moved[ENTRIES];
      s[j] = side ? -d : d;
      memcpy(moved, z, sizeof *z * (size_t)(2 * n));
      if (general_slide(pr, s, work, moved)) return 1;
      general_evaluate(pr, moved, FORMULA_H | FORMULA_G, work, &at);
      general_hidden(pr, &at, psi[side], NULL);
    }
    for (int i = 0; i < m; i++) N[i * m + j] = (psi[0][i] - psi[1][i]) / (2 * d);
  }
  return 0;
}
