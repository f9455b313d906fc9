/* Functions made of other operations: a choice of two, and cubic splines.
 *
 * A spline is the sum of the contributions of its pieces:
 *     s(x) = y_0 + sum_k P_k(clamp(x, x_k, x_k+1) - x_k),      P_k(u) = s_k u + c_k u^2 + d_k u^3,
 * in which the first piece has no lower clamp and the last no upper one: x is within the table, or
 * undefined. Exactly one piece has a derivative at any x. The slopes s_k at the knots make second
 * derivatives continuous; not-a-knot makes third derivatives continuous at x_1 and x_n-2.
 * Source: de Boor, A Practical Guide to Splines (1978), chapter IV, (3) and (9). */
#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "ground/expr/graph.h"
#include "ground/expr/pieces.h"

enum { LEAST = 4, MOST = 1000 };

static rattle_expr binary(rattle_graph *g, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, op, a, b);
}

static rattle_expr number(rattle_graph *g, double value) {
  return rattle_expr_constant(g, value);
}

rattle_expr rattle_expr_where(rattle_graph *graph, rattle_expr condition, rattle_expr a,
                              rattle_expr b) {
  if (!rattle__valid(graph, condition)) return RATTLE_EXPR_NONE;
  if (!rattle__is_condition(graph, condition))
    condition = binary(graph, RATTLE_OP_LT, number(graph, 0), condition);
  rattle_expr otherwise = binary(graph, RATTLE_OP_SUB, number(graph, 1), condition);
  return binary(graph, RATTLE_OP_ADD, binary(graph, RATTLE_OP_WHEN, condition, a),
                binary(graph, RATTLE_OP_WHEN, otherwise, b));
}

/* Slopes s[count] of the spline; room[2 * count]. */
static void find_slopes(int count, const double *x, const double *y, double *s, double *room) {
  const int n = count - 1;
  double *above = room, *h = room + count;
  for (int k = 0; k < n; k++) h[k] = x[k + 1] - x[k];
#define RISE(k) ((y[(k) + 1] - y[k]) / h[k])

  /* elimination downwards: s_k + above_k s_k+1 = s[k] */
  double d = h[0] + h[1];
  above[0] = d / h[1];
  s[0] = ((h[0] + 2 * d) * h[1] * RISE(0) + h[0] * h[0] * RISE(1)) / (d * h[1]);
  for (int k = 1; k < n; k++) {
    double pivot = 2 * (h[k - 1] + h[k]) - h[k] * above[k - 1];
    above[k] = h[k - 1] / pivot;
    s[k] = (3 * (h[k] * RISE(k - 1) + h[k - 1] * RISE(k)) - h[k] * s[k - 1]) / pivot;
  }
  d = h[n - 1] + h[n - 2];
  double last =
      (h[n - 1] * h[n - 1] * RISE(n - 2) + (2 * d + h[n - 1]) * h[n - 2] * RISE(n - 1)) / d;
  s[n] = (last - d * s[n - 1]) / (h[n - 2] - d * above[n - 1]);
  for (int k = n; k-- > 0;) s[k] -= above[k] * s[k + 1];
#undef RISE
}

/* u (s + u (c + u d)) */
static rattle_expr cubic(rattle_graph *g, rattle_expr u, double s, double c, double d) {
  rattle_expr e = binary(g, RATTLE_OP_ADD, number(g, c), binary(g, RATTLE_OP_MUL, number(g, d), u));
  e = binary(g, RATTLE_OP_ADD, number(g, s), binary(g, RATTLE_OP_MUL, u, e));
  return binary(g, RATTLE_OP_MUL, u, e);
}

static rattle_expr spline(rattle_graph *g, rattle_expr e, int count, const double *x,
                          const double *y, const double *s) {
  const int n = count - 1;
  rattle_expr within = binary(g, RATTLE_OP_ATMOST, binary(g, RATTLE_OP_ATLEAST, e, number(g, x[0])),
                              number(g, x[n]));
  rattle_expr sum = number(g, y[0]);
  for (int k = 0; k < n; k++) {
    const double h = x[k + 1] - x[k], rise = (y[k + 1] - y[k]) / h;
    rattle_expr u = k > 0 ? binary(g, RATTLE_OP_MAX, within, number(g, x[k])) : within;
    if (k < n - 1) u = binary(g, RATTLE_OP_MIN, u, number(g, x[k + 1]));
    u = binary(g, RATTLE_OP_SUB, u, number(g, x[k]));
    sum = binary(g, RATTLE_OP_ADD, sum,
                 cubic(g, u, s[k], (3 * rise - 2 * s[k] - s[k + 1]) / h,
                       (s[k] + s[k + 1] - 2 * rise) / (h * h)));
  }
  return sum;
}

static rattle_status verify(int count, const double *x, const double *y, rattle_error *error) {
  if (count < LEAST || count > MOST)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL, "a table has %d to %d knots, found %d",
                        LEAST, MOST, count);
  for (int k = 0; k < count; k++) {
    if (!isfinite(x[k]) || !isfinite(y[k]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL, "knot %d of a table is not finite",
                          k + 1);
    if (k > 0 && !(x[k] > x[k - 1]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                          "the knots of a table must increase: x[%d] = %g, x[%d] = %g", k, x[k - 1],
                          k + 1, x[k]);
  }
  return RATTLE_OK;
}

rattle_expr rattle_expr_table(rattle_graph *graph, rattle_expr e, int count, const double *x,
                              const double *y, rattle_error *error) {
  if (verify(count, x, y, error)) return RATTLE_EXPR_NONE;
  double *slope = malloc(3 * (size_t)count * sizeof *slope);
  rattle_expr result = RATTLE_EXPR_NONE;
  if (slope) {
    find_slopes(count, x, y, slope, slope + count);
    result = spline(graph, e, count, x, y, slope);
  }
  if (!result) rattle__no_memory(error);
  free(slope);
  return result;
}
