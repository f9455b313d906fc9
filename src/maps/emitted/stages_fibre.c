/* Fibres of quadratic g as expressions. X_g = A z + a with A^3 = kappa A, A^2 a = kappa a moves
 * along
 *
 *     z(s) = z + w (X + s/2 A X),   X = X_g(z),   w = s/(1 - kappa s^2/4),   dz/ds = X_g(z(s)) w/s,
 *
 * a line, a parabola, a circle or a hyperbola, s being 2 tan(omega t/2)/omega, t or 2 tanh(omega
 * t/2)/omega of the time t along X_g: no function is called, and s = t + O(t^3). The fields of all
 * g_j commute, so that one motion may follow the other. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/derivative.h"
#include "maps/emitted/stages_maker.h"

/* to [nz columns] += s x y of matrices; behind it |x| |y| is added. */
static void add_product(int nz, int columns, double s, const double *x, const double *y,
                        double *to) {
  double *size = to + nz * columns;
  for (int r = 0; r < nz; r++)
    for (int c = 0; c < columns; c++)
      for (int k = 0; k < nz; k++) {
        to[r * columns + c] += s * x[r * nz + k] * y[k * columns + c];
        size[r * columns + c] += fabs(x[r * nz + k]) * fabs(y[k * columns + c]);
      }
}

/* True if the elements are round-off of what was added up, in sums of sums of nz terms. */
static int is_round_off(int nz, int count, const double *x, const double *size) {
  const double part = 4 * nz * DBL_EPSILON;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= part * size[i])) return 0;
  return 1;
}

/* kappa with A^3 = kappa A, and A^2 a = kappa a; 0: there is none. room: [4 nz nz] */
static int find_kappa(int nz, const double *A, const double *a, double *kappa, double *room) {
  const int count = nz * nz;
  double *square = room, *cube = room + 2 * count, *sizes = cube + count;
  int most = 0;
  memset(room, 0, 4 * (size_t)count * sizeof *room);
  add_product(nz, nz, 1, A, A, square);
  add_product(nz, nz, 1, square, A, cube);
  memset(sizes, 0, (size_t)count * sizeof *sizes);
  for (int i = 0; i < count; i++)
    if (fabs(A[i]) > fabs(A[most])) most = i;
  for (int r = 0; r < nz; r++)
    for (int c = 0; c < nz; c++)
      for (int k = 0; k < nz; k++)
        sizes[r * nz + c] += square[count + r * nz + k] * fabs(A[k * nz + c]);
  const double rounded = A[most] != 0 ? sizes[most] / fabs(A[most]) : 0;
  *kappa = A[most] != 0 ? cube[most] / A[most] : 0;
  if (is_round_off(nz, 1, kappa, &rounded)) *kappa = 0;
  for (int i = 0; i < count; i++) cube[i] -= *kappa * A[i], sizes[i] += rounded * fabs(A[i]);
  if (!is_round_off(nz, count, cube, sizes)) return 0;
  double *image = cube, *bounds = sizes;
  for (int r = 0; r < nz; r++) {
    image[r] = -*kappa * a[r], bounds[r] = rounded * fabs(a[r]);
    for (int k = 0; k < nz; k++) {
      image[r] += square[r * nz + k] * a[k];
      bounds[r] += square[count + r * nz + k] * fabs(a[k]);
    }
  }
  return is_round_off(nz, nz, image, bounds);
}

/* True if the fields i and j commute: A_i A_j = A_j A_i, A_i a_j = A_j a_i. room: [2 nz nz] */
static int commute(int nz, const double *A, const double *a, int i, int j, double *room) {
  const int count = nz * nz;
  const double *one = A + i * count, *other = A + j * count;
  for (int columns = nz;; columns = 1) {
    memset(room, 0, 2 * (size_t)count * sizeof *room);
    add_product(nz, columns, 1, one, columns > 1 ? other : a + j * nz, room);
    add_product(nz, columns, -1, other, columns > 1 ? one : a + i * nz, room);
    if (!is_round_off(nz, nz * columns, room, room + nz * columns)) return 0;
    if (columns == 1) return 1;
  }
}

/* A_j and a_j. */
static rattle_status take_field(rattle__stages_maker *k, int j, const double *origin) {
  const int nz = 2 * k->n;
  for (int c = 0; c < nz; c++) {
    const rattle_expr X = rattle__stages_Xg(k, j, c);
    const rattle_status status =
        X ? rattle__gradient(k->graph, X, k->column, nz, k->x) : RATTLE_NO_MEMORY;
    if (status) return status;
    k->a[j * nz + c] = rattle_expr_evaluate(k->graph, X, origin);
    if (isnan(k->a[j * nz + c])) return RATTLE_NO_MEMORY; /* there is no other: X is linear */
    for (int d = 0; d < nz; d++) {
      if (!k->x[d]) return RATTLE_NO_MEMORY;
      if (rattle_expr_op(k->graph, k->x[d]) != RATTLE_OP_CONSTANT) return RATTLE_UNSUITABLE;
      k->A[(j * nz + c) * nz + d] = rattle_expr_value(k->graph, k->x[d]);
    }
  }
  return RATTLE_OK;
}

rattle_status rattle__stages_fibre(rattle__stages_maker *k) {
  const int nz = 2 * k->n, m = k->m;
  if (!k->curved) return RATTLE_OK;
  double *room = calloc((size_t)(4 * nz * nz) + (size_t)k->e->places, sizeof *room);
  if (!room) return RATTLE_NO_MEMORY;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < m && !status; j++) status = take_field(k, j, room + 4 * nz * nz);
  for (int j = 0; j < m && !status; j++)
    if (!find_kappa(nz, k->A + j * nz * nz, k->a + j * nz, &k->kappa[j], room))
      status = RATTLE_UNSUITABLE;
  for (int j = 0; j < m && !status; j++)
    for (int i = 0; i < j; i++)
      if (!commute(nz, k->A, k->a, i, j, room)) status = RATTLE_UNSUITABLE;
  free(room);
  return status;
}

/* Element c of A_j z, or of A_j z + a_j. */
static rattle_expr field(const rattle__stages_maker *k, int j, const rattle_expr *z, int c,
                         int whole) {
  const int nz = 2 * k->n;
  const double *A = k->A + (j * nz + c) * nz;
  rattle_expr sum = rattle_expr_constant(k->graph, whole ? k->a[j * nz + c] : 0);
  for (int d = 0; d < nz; d++)
    if (A[d] != 0) sum = rattle__plus(k->graph, sum, rattle__multiple(k->graph, A[d], z[d]));
  return sum;
}

rattle_expr rattle__stages_slowness(const rattle__stages_maker *k, const rattle_expr *s, int j) {
  const rattle_expr one = rattle_expr_constant(k->graph, 1);
  if (!k->curved || k->kappa[j] == 0) return one;
  const rattle_expr square = rattle__times(k->graph, s[j], s[j]);
  return rattle__minus(k->graph, one, rattle__multiple(k->graph, k->kappa[j] / 4, square));
}

/* p - G^T s */
static void kick(rattle__stages_maker *k, const rattle_expr *z, const rattle_expr *s,
                 rattle_expr *out) {
  for (int c = 0; c < k->n; c++) {
    const rattle_expr pull = rattle__product(k->graph, k->m, k->dg + c, 2 * k->n, s, 1);
    out[c] = z[c];
    out[k->n + c] = rattle__minus(k->graph, z[k->n + c], pull);
  }
}

void rattle__stages_flow(rattle__stages_maker *k, const rattle_expr *z, const rattle_expr *s,
                         rattle_expr *out) {
  rattle_graph *graph = k->graph;
  const int nz = 2 * k->n;
  if (!k->curved) {
    kick(k, z, s, out);
    return;
  }
  for (int c = 0; c < nz; c++) out[c] = z[c];
  for (int j = 0; j < k->m; j++) {
    rattle_expr *X = k->x, *moved = k->x + nz;
    const rattle_expr half = rattle__multiple(graph, 0.5, s[j]),
                      w = rattle__over(graph, s[j], rattle__stages_slowness(k, s, j));
    for (int c = 0; c < nz; c++) X[c] = field(k, j, out, c, 1);
    for (int c = 0; c < nz; c++) {
      const rattle_expr turn = rattle__times(graph, half, field(k, j, X, c, 0));
      moved[c] = rattle__times(graph, w, rattle__plus(graph, X[c], turn));
    }
    for (int c = 0; c < nz; c++) out[c] = rattle__plus(graph, out[c], moved[c]);
  }
}

rattle_expr rattle__stages_flow_by(const rattle__stages_maker *k, const rattle_expr *out,
                                   const rattle_expr *s, int j, int c) {
  if (!k->curved) return rattle__stages_Xg(k, j, c);
  return rattle__over(k->graph, field(k, j, out, c, 1), rattle__stages_slowness(k, s, j));
}
