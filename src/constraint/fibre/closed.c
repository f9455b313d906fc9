/* Fibres of quadratic g. See closed.h. */
#include "constraint/fibre/closed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/algebra.h"
#include "ground/expr/derivative.h"

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
static rattle_status take_field(rattle__closed_fibre *f, const rattle__closed_from *from, int j,
                                const double *origin) {
  rattle_graph *graph = from->graph;
  const int n = f->n, nz = 2 * n;
  const rattle_expr *dg = from->dg + j * nz;
  for (int c = 0; c < nz; c++) {
    const rattle_expr X = c < n ? dg[n + c] : rattle__multiple(graph, -1, dg[c - n]);
    const rattle_status status =
        X ? rattle__gradient(graph, X, from->column, nz, f->scratch) : RATTLE_NO_MEMORY;
    if (status) return status;
    f->a[j * nz + c] = rattle_expr_evaluate(graph, X, origin);
    for (int d = 0; d < nz; d++) {
      if (!f->scratch[d]) return RATTLE_NO_MEMORY;
      if (rattle_expr_op(graph, f->scratch[d]) != RATTLE_OP_CONSTANT) return RATTLE_UNSUITABLE;
      f->A[(j * nz + c) * nz + d] = rattle_expr_value(graph, f->scratch[d]);
    }
    if (isnan(f->a[j * nz + c])) return RATTLE_NO_MEMORY; /* there is no other: X is linear */
  }
  return RATTLE_OK;
}

static rattle_status make(rattle__closed_fibre *f, const rattle__closed_from *from, double *room) {
  const int nz = 2 * f->n, m = f->m;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < m && !status; j++) status = take_field(f, from, j, room + 4 * nz * nz);
  for (int j = 0; j < m && !status; j++)
    if (!find_kappa(nz, f->A + j * nz * nz, f->a + j * nz, &f->kappa[j], room))
      status = RATTLE_UNSUITABLE;
  for (int j = 0; j < m && !status; j++)
    for (int i = 0; i < j; i++)
      if (!commute(nz, f->A, f->a, i, j, room)) status = RATTLE_UNSUITABLE;
  return status;
}

rattle_status rattle__closed_fibre_make(rattle__closed_fibre *f, const rattle__closed_from *from) {
  const size_t nz = 2 * (size_t)from->n, m = (size_t)from->m;
  *f = (rattle__closed_fibre){.n = from->n, .m = from->m};
  f->A = calloc(m * (nz * nz + nz + 1) + 1, sizeof *f->A);
  f->scratch = calloc(2 * nz + 1, sizeof *f->scratch);
  double *room = calloc(4 * nz * nz + (size_t)from->places + 1, sizeof *room);
  if (!f->A || !f->scratch || !room) {
    free(room);
    return RATTLE_NO_MEMORY;
  }
  f->a = f->A + m * nz * nz, f->kappa = f->a + m * nz;
  const rattle_status status = make(f, from, room);
  free(room);
  return status;
}

void rattle__closed_fibre_release(rattle__closed_fibre *f) {
  free(f->A), free(f->scratch);
  f->A = NULL, f->scratch = NULL;
}

rattle_expr rattle__closed_fibre_field(const rattle__closed_fibre *f, rattle_graph *graph, int j,
                                       const rattle_expr *z, int c, int whole) {
  const int nz = 2 * f->n;
  const double *A = f->A + (j * nz + c) * nz;
  rattle_expr sum = rattle_expr_constant(graph, whole ? f->a[j * nz + c] : 0);
  for (int d = 0; d < nz; d++)
    if (A[d] != 0) sum = rattle__plus(graph, sum, rattle__multiple(graph, A[d], z[d]));
  return sum;
}

rattle_expr rattle__closed_fibre_slowness(const rattle__closed_fibre *f, rattle_graph *graph,
                                          const rattle_expr *s, int j) {
  const rattle_expr one = rattle_expr_constant(graph, 1);
  if (f->kappa[j] == 0) return one;
  const rattle_expr square = rattle__times(graph, s[j], s[j]);
  return rattle__minus(graph, one, rattle__multiple(graph, f->kappa[j] / 4, square));
}

void rattle__closed_fibre_flow(const rattle__closed_fibre *f, rattle_graph *graph,
                               const rattle_expr *z, const rattle_expr *s, rattle_expr *out) {
  const int nz = 2 * f->n;
  for (int c = 0; c < nz; c++) out[c] = z[c];
  for (int j = 0; j < f->m; j++) {
    rattle_expr *X = f->scratch, *moved = f->scratch + nz;
    const rattle_expr half = rattle__multiple(graph, 0.5, s[j]),
                      w = rattle__over(graph, s[j], rattle__closed_fibre_slowness(f, graph, s, j));
    for (int c = 0; c < nz; c++) X[c] = rattle__closed_fibre_field(f, graph, j, out, c, 1);
    for (int c = 0; c < nz; c++) {
      const rattle_expr turn =
          rattle__times(graph, half, rattle__closed_fibre_field(f, graph, j, X, c, 0));
      moved[c] = rattle__times(graph, w, rattle__plus(graph, X[c], turn));
    }
    for (int c = 0; c < nz; c++) out[c] = rattle__plus(graph, out[c], moved[c]);
  }
}
