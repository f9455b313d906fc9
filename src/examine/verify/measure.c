/* Measurements of claims. Symbols: z = (q, p), S steps over the span, omega(a, b) = sum a_k b_{n+k}
 * - a_{n+k} b_k. */
#include "examine/verify/measure.h"

#include <math.h>
#include <string.h>

static int apply(const rattle__measured_map *map, double h, long long steps, double *z) {
  const int n = map->subject->n;
  if (map->step(map->self, h, steps, z, z + n)) return 1;
  return map->output ? map->output(map->self, z, z + n) : 0;
}

/* The start into z. */
static void begin(const rattle__measured_map *map, double *z) {
  memcpy(z, map->subject->z0, 2 * (size_t)map->subject->n * sizeof *z);
}

static double largest(const double *x, int count) {
  double max = 0;
  for (int k = 0; k < count; k++) max = fmax(max, fabs(x[k]));
  return max;
}

/* ---- order ---- */

/* Least-squares slope of log(error) against log(h) over the finest points. */
static double slope_of(const double *log_h, const double *log_error, int count) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    x += log_h[i];
    y += log_error[i];
    xx += log_h[i] * log_h[i];
    xy += log_h[i] * log_error[i];
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

/* The solution where the map has come to: at the span, or near it where steps differ in length. 1:
 * it is not available. */
static int exact_at(const rattle__measured_map *map, long double *z) {
  const rattle__measured_problem *subject = map->subject;
  return subject->exact(subject->self, map->time ? map->time(map->self) : subject->span, z);
}

int rattle__measure_order(const rattle__measured_map *map, int order, rattle__measured *measured) {
  const int n = map->subject->n;
  const double span = map->subject->span, plateau = 2e-12, ratio = order > 4 ? 1.2 : 1.5,
               most = order > 2 ? 1500 : (order > 1 ? 250 : 1500) * span;
  double log_h[64], log_error[64], steps = order > 2 ? 2 : 20 * span;
  int count = 0;
  measured->order = NAN;
  for (; steps < most && count < 64; steps = ceil(ratio * steps)) {
    double z[RATTLE__SUBJECT_2N], error = 0;
    begin(map, z);
    if (apply(map, span / steps, (long long)steps, z)) continue; /* h may be too large */
    long double exact[RATTLE__SUBJECT_2N];
    if (exact_at(map, exact)) return 1;
    for (int k = 0; k < 2 * n; k++) error = fmax(error, (double)fabsl(z[k] - exact[k]));
    if (error < plateau) break;
    if (error > 0.1) continue;
    log_h[count] = log(span / steps);
    log_error[count++] = log(error);
  }
  measured->points = count < 5 ? count : 5;
  if (count >= 3)
    measured->order = slope_of(log_h + count - measured->points,
                               log_error + count - measured->points, measured->points);
  return count < 3;
}

/* ---- symmetry ---- */

int rattle__measure_symmetry(const rattle__measured_map *map, double h,
                             rattle__measured *measured) {
  const int n = map->subject->n;
  double z[RATTLE__SUBJECT_2N], start[RATTLE__SUBJECT_2N];
  begin(map, start);
  memcpy(z, start, sizeof z);
  if (apply(map, h, 3, z) || apply(map, -h, 3, z)) return 1;
  for (int k = 0; k < 2 * n; k++) z[k] -= start[k];
  measured->symmetry = largest(z, 2 * n) / (1 + largest(start, 2 * n));
  return 0;
}

/* ---- symplecticity ---- */

/* Orthonormal basis of the kernel of C[rows][size]: Gram-Schmidt of the rows, then of the unit
 * vectors. */
static int kernel(int rows, int size, const long double *C,
                  double basis[RATTLE__SUBJECT_2N][RATTLE__SUBJECT_2N]) {
  long double all[RATTLE__SUBJECT_2N][RATTLE__SUBJECT_2N];
  int have = 0;
  for (int i = 0; i < rows + size && have < size; i++) {
    long double v[RATTLE__SUBJECT_2N], norm = 0;
    for (int k = 0; k < size; k++) v[k] = i < rows ? C[i * size + k] : (k == i - rows);
    for (int pass = 0; pass < 2; pass++) {
      for (int j = 0; j < have; j++) {
        long double dot = 0;
        for (int k = 0; k < size; k++) dot += v[k] * all[j][k];
        for (int k = 0; k < size; k++) v[k] -= dot * all[j][k];
      }
    }
    for (int k = 0; k < size; k++) norm += v[k] * v[k];
    if (i >= rows && norm < 0.01L) continue; /* nearly in the span: the others make up for it */
    for (int k = 0; k < size; k++) all[have][k] = v[k] / sqrtl(norm);
    have++;
  }
  for (int i = rows; i < have; i++) {
    for (int k = 0; k < size; k++) basis[i - rows][k] = (double)all[i][k];
  }
  return have - rows;
}

static double form(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[n + k] - a[n + k] * b[k];
  return sum;
}

/* D = derivative of the map along v, differences of order 6; of points on M_H where v is tangent to
 * it (hidden = 1): maps with short substeps see any deviation from it in the slope, divided by the
 * substep. */
static int push(const rattle__measured_map *map, double h, int steps, int hidden, const double *z0,
                const double *v, double *D) {
  static const double weight[3] = {0.75, -0.15, 1 / 60.0};
  const rattle__measured_problem *subject = map->subject;
  const int two_n = 2 * subject->n;
  const double d = 2e-3;
  memset(D, 0, sizeof *D * (size_t)two_n);
  for (int k = 1; k <= 3; k++) {
    double up[RATTLE__SUBJECT_2N], down[RATTLE__SUBJECT_2N];
    for (int i = 0; i < two_n; i++) {
      up[i] = z0[i] + k * d * v[i];
      down[i] = z0[i] - k * d * v[i];
    }
    if (hidden && (subject->onto(subject->self, up) || subject->onto(subject->self, down)))
      return 1;
    if (apply(map, h, steps, up) || apply(map, h, steps, down)) return 1;
    for (int i = 0; i < two_n; i++) D[i] += weight[k - 1] * (up[i] - down[i]) / d;
  }
  return 0;
}

int rattle__measure_symplecticity(const rattle__measured_map *map, double h, int steps, int hidden,
                                  rattle__measured *measured) {
  const int n = map->subject->n, m = map->subject->m, rows = hidden ? 2 * m : m;
  double z[RATTLE__SUBJECT_2N], basis[RATTLE__SUBJECT_2N][RATTLE__SUBJECT_2N],
      image[RATTLE__SUBJECT_2N][RATTLE__SUBJECT_2N];
  long double x[RATTLE__SUBJECT_2N], C[2 * RATTLE__SUBJECT_M * RATTLE__SUBJECT_2N];
  begin(map, z);
  for (int k = 0; k < 2 * n; k++) x[k] = z[k];
  if (m > 0) map->subject->jacobians(map->subject->self, x, C, hidden ? C + m * 2 * n : NULL);
  const int dimension = kernel(rows, 2 * n, C, basis);
  if (dimension != 2 * n - rows) return 1;
  for (int i = 0; i < dimension; i++) {
    if (push(map, h, steps, hidden && m > 0, z, basis[i], image[i])) return 1;
  }
  measured->symplecticity = 0;
  for (int i = 0; i < dimension; i++) {
    for (int j = 0; j < i; j++) {
      measured->symplecticity = fmax(
          measured->symplecticity, fabs(form(n, image[i], image[j]) - form(n, basis[i], basis[j])));
    }
  }
  return 0;
}

/* ---- residuals and energy ---- */

int rattle__measure_residuals(const rattle__measured_map *map, double h, int steps,
                              rattle__measured *measured) {
  const int n = map->subject->n, m = map->subject->m;
  double z[RATTLE__SUBJECT_2N], out[RATTLE__SUBJECT_2N];
  begin(map, z);
  measured->g = measured->psi = 0;
  for (int i = 0; i < steps; i++) {
    long double x[RATTLE__SUBJECT_2N], g[RATTLE__SUBJECT_M] = {0}, psi[RATTLE__SUBJECT_M] = {0};
    if (map->step(map->self, h, 1, z, z + n)) return 1;
    memcpy(out, z, sizeof out);
    if (map->output && map->output(map->self, out, out + n)) return 1;
    for (int k = 0; k < 2 * n; k++) x[k] = out[k];
    if (m > 0) map->subject->residuals(map->subject->self, x, g, psi);
    for (int k = 0; k < m; k++) {
      measured->g = fmax(measured->g, (double)fabsl(g[k]));
      measured->psi = fmax(measured->psi, (double)fabsl(psi[k]));
    }
  }
  return 0;
}

int rattle__measure_energy(const rattle__measured_map *map, double h, int steps,
                           rattle__measured *measured) {
  const int n = map->subject->n, samples = 300;
  double z[RATTLE__SUBJECT_2N], out[RATTLE__SUBJECT_2N], first = 0, last = 0, low = INFINITY,
                                                         high = -INFINITY;
  begin(map, z);
  for (int i = 0; i < samples; i++) {
    long double x[RATTLE__SUBJECT_2N];
    if (map->step(map->self, h, steps / samples, z, z + n)) return 1;
    memcpy(out, z, sizeof out);
    if (map->output && map->output(map->self, out, out + n)) return 1;
    for (int k = 0; k < 2 * n; k++) x[k] = out[k];
    const double H = (double)map->subject->energy(map->subject->self, x);
    low = fmin(low, H);
    high = fmax(high, H);
    if (i < samples / 3) first += H / (samples / 3);
    if (i >= samples - samples / 3) last += H / (samples / 3);
  }
  measured->energy_amplitude = high - low;
  measured->energy_trend = fabs(last - first) / (high - low + 2e-12);
  return 0;
}

int rattle__measure_energy_kept(const rattle__measured_map *map, double h, int steps,
                                rattle__measured *measured) {
  const int n = map->subject->n;
  double z[RATTLE__SUBJECT_2N];
  long double x[RATTLE__SUBJECT_2N], first = 0;
  begin(map, z);
  measured->energy = 0;
  for (int i = 0; i <= steps; i++) {
    for (int k = 0; k < 2 * n; k++) x[k] = z[k];
    const long double H = map->subject->energy(map->subject->self, x);
    if (i == 0) first = H;
    measured->energy = fmax(measured->energy, (double)fabsl(H - first));
    if (i < steps && map->step(map->self, h, 1, z, z + n)) return 1;
  }
  return 0;
}
