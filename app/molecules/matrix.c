/* Eigenvalues by iteration: the largest by powers of A, the smallest by powers of its inverse with
 * conjugate gradients, the radius of a Gauss-Seidel sweep by the mean factor of the last sweeps. */
#include "molecules/matrix.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/random.h"
#include "words/error.h"

enum { POWERS = 300, INVERSES = 30, SWEEPS = 400 };

/* An end of a bond of the cluster. */
typedef struct bond_end {
  int atom, row, sign;
} bond_end;

static int by_atom(const void *a, const void *b) {
  const bond_end *p = a, *q = b;
  return p->atom != q->atom ? (p->atom > q->atom) - (p->atom < q->atom)
                            : (p->row > q->row) - (p->row < q->row);
}

rattle_status topology_matrix_make(topology_matrix *a, int bonds, const int *bond, const int *pair,
                                   const double *r, const double *mass, rattle_error *error) {
  const size_t m = (size_t)bonds;
  bond_end *end = calloc(2 * m, sizeof *end);
  *a = (topology_matrix){.rows = bonds,
                         .first = calloc(m + 2, sizeof *a->first),
                         .diagonal = calloc(m, sizeof(double))};
  if (!end || !a->first || !a->diagonal) return free(end), text_no_memory(error);
  for (int k = 0; k < bonds; k++)
    for (int e = 0; e < 2; e++) {
      end[2 * k + e] = (bond_end){pair[2 * bond[k] + e], k, e ? -1 : 1};
      a->diagonal[k] += 1 / mass[pair[2 * bond[k] + e]];
    }
  qsort(end, 2 * m, sizeof *end, by_atom);
  /* twice over the ends that share an atom: to count, and to fill */
  for (int fill = 0; fill < 2; fill++) {
    for (size_t from = 0, to; from < 2 * m; from = to) {
      for (to = from; to < 2 * m && end[to].atom == end[from].atom; to++) continue;
      for (size_t p = from; p < to; p++)
        for (size_t q = from; q < to; q++) {
          if (p == q) continue;
          const double *u = r + 3 * (size_t)bond[end[p].row], *w = r + 3 * (size_t)bond[end[q].row];
          const int at = a->first[end[p].row + 1]++;
          if (fill)
            a->column[at] = end[q].row, a->value[at] = end[p].sign * end[q].sign *
                                                       (u[0] * w[0] + u[1] * w[1] + u[2] * w[2]) /
                                                       mass[end[p].atom];
        }
    }
    if (fill) break;
    /* first[k + 1] becomes where row k begins; filling moves it to its end */
    int sum = 0;
    for (int k = 0; k < bonds; k++) {
      const int count = a->first[k + 1];
      a->first[k + 1] = sum, sum += count;
    }
    a->column = calloc((size_t)sum + 1, sizeof *a->column),
    a->value = calloc((size_t)sum + 1, sizeof *a->value);
    if (!a->column || !a->value) return free(end), text_no_memory(error);
  }
  free(end);
  return RATTLE_OK;
}

void topology_matrix_free(topology_matrix *a) {
  free(a->first), free(a->column), free(a->value), free(a->diagonal);
  *a = (topology_matrix){0};
}

/* y = A x, or D^-1/2 A D^-1/2 x where scaled. */
static void apply(const topology_matrix *a, int scaled, const double *x, double *y) {
  for (int k = 0; k < a->rows; k++) {
    double sum = scaled ? x[k] : a->diagonal[k] * x[k];
    for (int e = a->first[k]; e < a->first[k + 1]; e++) {
      const int l = a->column[e];
      sum += (scaled ? a->value[e] / sqrt(a->diagonal[k] * a->diagonal[l]) : a->value[e]) * x[l];
    }
    y[k] = sum;
  }
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

static double normalise(int n, double *x) {
  const double norm = sqrt(dot(n, x, x));
  for (int k = 0; k < n && norm > 0; k++) x[k] /= norm;
  return norm;
}

static void start(int n, double *x) {
  uint64_t seed = 1;
  for (int k = 0; k < n; k++) x[k] = rattle__random_signed(&seed);
  normalise(n, x);
}

static double largest(const topology_matrix *a, int scaled, double *x, double *y) {
  double value = 0;
  start(a->rows, x);
  for (int i = 0; i < POWERS; i++) {
    apply(a, scaled, x, y);
    const double now = dot(a->rows, x, y);
    memcpy(x, y, (size_t)a->rows * sizeof *x);
    normalise(a->rows, x);
    if (i > 10 && fabs(now - value) < 1e-9 * now) return now;
    value = now;
  }
  return value;
}

/* y = A^-1 b by conjugate gradients; room [3 rows]. */
static void solve(const topology_matrix *a, int scaled, const double *b, double *y, double *room) {
  const int n = a->rows;
  double *r = room, *p = room + n, *q = room + 2 * (size_t)n, rr;
  memset(y, 0, (size_t)n * sizeof *y);
  memcpy(r, b, (size_t)n * sizeof *r), memcpy(p, b, (size_t)n * sizeof *p);
  rr = dot(n, r, r);
  const double enough = 1e-16 * rr;
  for (int i = 0; i < 2 * n + 20 && i < 2000 && rr > enough; i++) {
    apply(a, scaled, p, q);
    const double pq = dot(n, p, q), step = rr / pq;
    if (!(pq > 0)) return;
    for (int k = 0; k < n; k++) y[k] += step * p[k], r[k] -= step * q[k];
    const double next = dot(n, r, r), by = next / rr;
    for (int k = 0; k < n; k++) p[k] = r[k] + by * p[k];
    rr = next;
  }
}

static double smallest(const topology_matrix *a, int scaled, double *x, double *y, double *room) {
  double value = 0;
  start(a->rows, x);
  for (int i = 0; i < INVERSES; i++) {
    solve(a, scaled, x, y, room);
    const double now = 1 / normalise(a->rows, y);
    memcpy(x, y, (size_t)a->rows * sizeof *x);
    if (i > 3 && fabs(now - value) < 1e-6 * now) break;
    value = now;
  }
  apply(a, scaled, x, y);
  return dot(a->rows, x, y);
}

/* Sweeps of Gauss-Seidel on A x = 0, the error measured in the norm of A, in which it decreases. */
static double sweeps(const topology_matrix *a, double *x, double *y) {
  const int n = a->rows;
  double middle = 0, logarithm = 0;
  start(n, x);
  for (int i = 0; i < SWEEPS; i++) {
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int e = a->first[k]; e < a->first[k + 1]; e++) sum += a->value[e] * x[a->column[e]];
      x[k] = -sum / a->diagonal[k];
    }
    apply(a, 0, x, y);
    const double norm = sqrt(fmax(dot(n, x, y), 0));
    if (!(norm > 0)) return 0; /* one sweep solves it */
    logarithm += log(norm);
    for (int k = 0; k < n; k++) x[k] /= norm;
    if (i == SWEEPS / 2 - 1) middle = logarithm;
  }
  return exp((logarithm - middle) / (SWEEPS - SWEEPS / 2));
}

rattle_status topology_matrix_rates(const topology_matrix *a, topology_rates *rates,
                                    rattle_error *error) {
  const size_t n = (size_t)a->rows;
  double *x = calloc(5 * n, sizeof *x), *y = x + n, *room = y + n;
  if (!x) return text_no_memory(error);
  const double top = largest(a, 0, x, y), bottom = smallest(a, 0, x, y, room);
  const double high = largest(a, 1, x, y), low = smallest(a, 1, x, y, room);
  rates->condition = bottom > 1e-12 * top ? top / bottom : (double)INFINITY;
  rates->series = fmax(high - 1, 1 - low);
  rates->gauss_seidel = sweeps(a, x, y);
  if (rates->series < 1e-12) rates->series = 0;
  free(x);
  return RATTLE_OK;
}
