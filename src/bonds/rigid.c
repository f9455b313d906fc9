/* Bonds that repeat one another, found from positions that lengths alone imply.
 *
 * Positions  |x_i - x_j| = d from random starts by Levenberg's iteration, K. Levenberg, Quart.
 *            Appl. Math. 2 (1944) 164
 * Lines      have W = P instead of 1 (bodies.h): positions stay on them
 * Tolerance  when the other bonds have their lengths, a repeated one may be off by half the
 *            tolerance: lengths and angles have as many digits as files give
 * Rank       of the rows of G, unit vectors along bonds, by elimination of G G' with the largest
 *            pivot first; rows that remain when pivots end repeat the others. At random positions
 *            the rank is the largest that the graph can have. A smaller rank at the positions that
 *            lengths imply means that gradients depend on one another there and only there */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/prepare.h"
#include "ground/support/random.h"

enum { STARTS = 60, ITERATIONS = 200 };
static const double reached = 1e-11, independent = 1e-8;

typedef struct rigid_part {
  int n, m; /* atoms, bonds */
  const int *pair;
  double *length;        /* in a unit of about the longest: damping and starts know no other */
  const double *project; /* P of lines, or NULL */
  double *x, *trial, *s; /* [3 n], [3 n], [3 m] */
  double *off, *y;       /* [m] */
  double *a;             /* [m m] */
  double *spare;         /* [3 n] */
  int *order;            /* [m] */
  const char *without;   /* 1 for bonds that are not solved for, or NULL [m] */
} rigid_part;

static double product(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* s, and (|s|^2 - d^2)/(2 d^2) as off, at x; the largest of it. */
static double residuals(const rigid_part *p, const double *x) {
  double worst = 0;
  for (int k = 0; k < p->m; k++) {
    const int i = 3 * p->pair[2 * k], j = 3 * p->pair[2 * k + 1];
    const double dd = p->length[k] * p->length[k];
    for (int d = 0; d < 3; d++) p->s[3 * k + d] = x[i + d] - x[j + d];
    p->off[k] = (product(p->s + 3 * k, p->s + 3 * k) - dd) / (2 * dd);
    if (p->without && p->without[k]) p->off[k] = 0;
    worst = fmax(worst, fabs(p->off[k]));
  }
  return worst;
}

/* x onto lines. `room` [3 n] */
static void straighten(const rigid_part *p, double *x, double *room) {
  if (!p->project) return;
  memcpy(room, x, 3 * (size_t)p->n * sizeof *x);
  for (int i = 0; i < 3 * p->n; i++) {
    x[i] = 0;
    for (int b = 0; b < p->n; b++) x[i] += p->project[i / 3 * p->n + b] * room[3 * b + i % 3];
  }
}

/* How far bond k is pushed by a unit force along bond l of the same direction, all masses being
 * 1. */
static double share_of(const rigid_part *p, int k, int l) {
  const int *a = p->pair + 2 * k, *b = p->pair + 2 * l, n = p->n;
  const double *w = p->project;
  if (!w) return (a[0] == b[0]) + (a[1] == b[1]) - (a[0] == b[1]) - (a[1] == b[0]);
  return w[a[0] * n + b[0]] + w[a[1] * n + b[1]] - w[a[0] * n + b[1]] - w[a[1] * n + b[0]];
}

/* J J', rows J_k = the gradient of off_k in units of 1/d^2 s; scaled: rows of unit vectors. */
static void gram(const rigid_part *p, int unit) {
  for (int k = 0; k < p->m; k++)
    for (int l = 0; l <= k; l++) {
      const double share = share_of(p, k, l);
      const double *s = p->s + 3 * k, *r = p->s + 3 * l;
      const double by = unit ? sqrt(product(s, s) * product(r, r))
                             : p->length[k] * p->length[k] * p->length[l] * p->length[l];
      const int alone = p->without && (p->without[k] || p->without[l]);
      p->a[k * p->m + l] = p->a[l * p->m + k] = alone        ? k == l
                                                : share == 0 ? 0
                                                             : share * product(s, r) / by;
    }
}

/* y = (J J' + damping)^-1 off, by Cholesky's factors; 0: not positive. */
static int solve(const rigid_part *p, double damping) {
  const int m = p->m;
  double *a = p->a, *y = p->y;
  for (int k = 0; k < m; k++) {
    a[k * m + k] += damping;
    for (int l = 0; l < k; l++) {
      double sum = a[k * m + l];
      for (int e = 0; e < l; e++) sum -= a[k * m + e] * a[l * m + e];
      a[k * m + l] = sum / a[l * m + l];
      a[k * m + k] -= a[k * m + l] * a[k * m + l];
    }
    if (!(a[k * m + k] > 0)) return 0;
    a[k * m + k] = sqrt(a[k * m + k]);
    double sum = p->off[k];
    for (int e = 0; e < k; e++) sum -= a[k * m + e] * y[e];
    y[k] = sum / a[k * m + k];
  }
  for (int k = m - 1; k >= 0; k--) {
    for (int e = k + 1; e < m; e++) y[k] -= a[e * m + k] * y[e];
    y[k] /= a[k * m + k];
  }
  return 1;
}

static double squares(const rigid_part *p) {
  double sum = 0;
  for (int k = 0; k < p->m; k++) sum += p->off[k] * p->off[k];
  return sum;
}

/* From x to positions with the lengths; the largest residual that is left. */
static double relax(rigid_part *p) {
  double damping = 1, worst = residuals(p, p->x);
  for (int n = 0; n < ITERATIONS && worst > reached && damping < 1e12; n++) {
    const double before = squares(p);
    gram(p, 0);
    int better = solve(p, damping);
    if (better) {
      memcpy(p->trial, p->x, 3 * (size_t)p->n * sizeof *p->x);
      for (int k = 0; k < p->m; k++)
        for (int d = 0; d < 3; d++) {
          const double by = p->y[k] * p->s[3 * k + d] / (p->length[k] * p->length[k]);
          p->trial[3 * p->pair[2 * k] + d] -= by, p->trial[3 * p->pair[2 * k + 1] + d] += by;
        }
      straighten(p, p->trial, p->spare);
      const double now = residuals(p, p->trial);
      better = squares(p) < before;
      if (better) worst = now, memcpy(p->x, p->trial, 3 * (size_t)p->n * sizeof *p->x);
    }
    if (!better) worst = residuals(p, p->x);
    damping *= better ? 0.2 : 8;
    if (damping < 1e-14) damping = 1e-14;
  }
  return worst;
}

/* By a power of two, so that no digit changes. */
static void take_lengths(rigid_part *p, const double *length) {
  double longest = 0;
  int unit;
  for (int k = 0; k < p->m; k++) longest = fmax(longest, length[k]);
  (void)frexp(longest, &unit);
  for (int k = 0; k < p->m; k++) p->length[k] = ldexp(length[k], -unit);
}

static void scatter(const rigid_part *p, uint64_t *seed) {
  double mean = 0;
  for (int k = 0; k < p->m; k++) mean += p->length[k] / p->m;
  for (int i = 0; i < 3 * p->n; i++) p->x[i] = mean * cbrt(p->n) * rattle__random_signed(seed);
  straighten(p, p->x, p->spare);
}

/* Rank of G at x; left_out (may be NULL) marks the rows that repeat others. */
static int rank_of(const rigid_part *p, char *left_out) {
  const int m = p->m;
  int rank = 0;
  residuals(p, p->x);
  gram(p, 1);
  for (int k = 0; k < m; k++) p->order[k] = k;
  for (; rank < m; rank++) {
    int best = rank;
    for (int k = rank; k < m; k++)
      if (p->a[p->order[k] * m + p->order[k]] >
          p->a[p->order[best] * m + p->order[best]] * (1 + 1e-6))
        best = k;
    const int pivot = p->order[best];
    p->order[best] = p->order[rank], p->order[rank] = pivot;
    if (!(p->a[pivot * m + pivot] > independent)) break;
    for (int k = rank + 1; k < m; k++) {
      const int row = p->order[k];
      const double factor = p->a[row * m + pivot] / p->a[pivot * m + pivot];
      for (int l = rank + 1; l < m; l++)
        p->a[row * m + p->order[l]] -= factor * p->a[pivot * m + p->order[l]];
    }
  }
  for (int k = 0; k < m && left_out; k++) left_out[p->order[k]] = k >= rank;
  return rank;
}

/* The positions nearest to x that have the lengths but those that are left out; the largest
 * residual of all bonds there. */
static double relax_without(rigid_part *p, const char *left_out) {
  p->without = left_out;
  relax(p);
  p->without = NULL;
  return residuals(p, p->x);
}

/* Lengths may hold several positions: an octahedron also folds. The rank is the largest of those
 * found, at most STARTS. */
static rattle__bond_rigidity find(rigid_part *p, double tolerance, char *left_out, int *worst,
                                  double *off) {
  const double enough = fmax(reached, tolerance / 2);
  uint64_t seed = 1;
  scatter(p, &seed);
  const int largest = rank_of(p, NULL);
  int rank = -1;
  *off = (double)INFINITY;
  for (int start = 0; start < STARTS && rank < largest; start++) {
    scatter(p, &seed);
    double now = relax(p);
    int here = now <= enough ? rank_of(p, left_out) : -1;
    if (here >= 0 && now > reached) now = relax_without(p, left_out);
    if (now > enough) here = -1;
    if (now < *off) {
      *off = now;
      for (int k = 0; k < p->m; k++)
        if (fabs(p->off[k]) == now) *worst = k;
    }
    if (here > rank) rank = here;
  }
  if (rank < 0) return largest < p->m ? RATTLE__BOND_CONTRADICTS : RATTLE__BOND_FINE;
  if (rank == p->m) return RATTLE__BOND_FINE;
  for (int k = 0; k < p->m; k++)
    if (left_out[k]) *worst = k;
  return rank < largest ? RATTLE__BOND_FLAT : RATTLE__BOND_REPEATS;
}

rattle__bond_rigidity rattle__bonds_rigidity(const rattle__bond_part *part, double tolerance,
                                             char *left_out, int *worst, double *off) {
  const size_t n = (size_t)part->atoms, m = (size_t)part->bonds;
  double *room = calloc(9 * n + 6 * m + m * m, sizeof *room);
  int *order = calloc(m, sizeof *order);
  rattle__bond_rigidity found = RATTLE__BOND_NO_MEMORY;
  memset(left_out, 0, m);
  if (room && order) {
    rigid_part p = {
        .n = part->atoms, .m = part->bonds, .pair = part->pair, .project = part->project};
    p.x = room, p.trial = room + 3 * n, p.spare = room + 6 * n, p.s = room + 9 * n;
    p.off = p.s + 3 * m, p.y = p.off + m, p.length = p.y + m, p.a = p.length + m, p.order = order;
    take_lengths(&p, part->length);
    found = find(&p, tolerance, left_out, worst, off);
  }
  free(room);
  free(order);
  return found;
}
