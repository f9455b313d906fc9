/* Divided differences with bounds: values against quotients in long double, derivatives against
 * differences of them, all of which are in the balls, also where t is 0 or small, and the balls
 * are narrow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drawn.h"
#include "ground/expr/divided.h"
#include "ground/expr/elements.h"
#include "rattle/expr.h"

typedef long double real;
enum { N = 3, ROWS = 9 };

static rattle_graph *graph;

static rattle_expr two(rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, op, a, b);
}

static rattle_expr one(rattle_op op, rattle_expr a) {
  return rattle_expr_unary(graph, op, a);
}

/* F_i(x); e: the same as expressions, of variables 0, 1, 2. */
static real value(int row, const real *x) {
  const real s = 1 + x[0] * x[0] + x[1] * x[2];
  const real f[ROWS] = {
      x[0] * x[1] - 3 * x[2], x[0] / (2 + x[1] * x[1]),  sinl(2 * x[0] - x[1]),
      cosl(x[1] * x[2]),      expl(x[0] - x[2]),         logl(4 + s),
      sqrtl(6 + s) * x[1],    atanl(0.3L * x[2] * x[0]), tanhl(x[2] + x[1]) + fabsl(5 + x[0])};
  return f[row];
}

static void make(rattle_expr *e) {
  rattle_expr x[N];
  for (int k = 0; k < N; k++) x[k] = rattle_expr_variable(graph, k);
#define NUMBER(c) rattle_expr_constant(graph, c)
#define ADD(a, b) two(RATTLE_OP_ADD, a, b)
#define SUB(a, b) two(RATTLE_OP_SUB, a, b)
#define MUL(a, b) two(RATTLE_OP_MUL, a, b)
  const rattle_expr s = ADD(ADD(NUMBER(1), MUL(x[0], x[0])), MUL(x[1], x[2]));
  e[0] = SUB(MUL(x[0], x[1]), MUL(NUMBER(3), x[2]));
  e[1] = two(RATTLE_OP_DIV, x[0], ADD(NUMBER(2), MUL(x[1], x[1])));
  e[2] = one(RATTLE_OP_SIN, SUB(MUL(NUMBER(2), x[0]), x[1]));
  e[3] = one(RATTLE_OP_COS, MUL(x[1], x[2]));
  e[4] = one(RATTLE_OP_EXP, SUB(x[0], x[2]));
  e[5] = one(RATTLE_OP_LOG, ADD(NUMBER(4), s));
  e[6] = MUL(one(RATTLE_OP_SQRT, ADD(NUMBER(6), s)), x[1]);
  e[7] = one(RATTLE_OP_ATAN, MUL(MUL(NUMBER(0.3), x[2]), x[0]));
  e[8] = ADD(one(RATTLE_OP_TANH, ADD(x[2], x[1])), one(RATTLE_OP_ABS, ADD(NUMBER(5), x[0])));
}

/* D by the quotient or, for short ways, by the mean of F' v at eight Gauss points of a fine
 * difference: u = (v, t). */
static real divided(int row, const real *q, const real *u) {
  real to[N], t = u[N];
  if (fabsl(t) < 1e-3L) { /* three terms of Taylor's series in t, by differences */
    const real s = 1e-3L;
    real up[N], down[N], far[N], low[N];
    for (int k = 0; k < N; k++) {
      up[k] = q[k] + s * u[k], down[k] = q[k] - s * u[k];
      far[k] = q[k] + 2 * s * u[k], low[k] = q[k] - 2 * s * u[k];
    }
    const real f0 = value(row, q), a = value(row, up), b = value(row, down), c = value(row, far),
               d = value(row, low);
    const real first = (8 * (a - b) - (c - d)) / (12 * s);
    const real second = (16 * (a + b) - (c + d) - 30 * f0) / (12 * s * s);
    const real third = (c - d - 2 * (a - b)) / (2 * s * s * s);
    return first + t * second / 2 + t * t * third / 6;
  }
  for (int k = 0; k < N; k++) to[k] = q[k] + t * u[k];
  return (value(row, to) - value(row, q)) / t;
}

static int holds(rattle__ball ball, real x, real slack) {
  return fabsl(x - ball.at) <= ball.by + slack;
}

static real drawn_time(int trial) {
  return trial % 4 == 0 ? 0 : trial % 4 == 1 ? 1e-6L * normal() : 0.5L * normal();
}

static void test_values(void **state) {
  rattle__divided *d = *state;
  for (int trial = 0; trial < 400; trial++) {
    real q[N], u[N + 1];
    rattle__ball from[N], v[N], D[ROWS], F[ROWS], G[ROWS * (N + 1)];
    const double wide = trial % 2 ? 0 : 0.01;
    for (int k = 0; k < N; k++) {
      from[k] = rattle__exactly(normal()), q[k] = from[k].at;
      v[k] = (rattle__ball){normal(), wide};
      u[k] = v[k].at + wide * (2 * uniform() - 1);
    }
    const rattle__ball t = {(double)drawn_time(trial), wide};
    u[N] = t.at + wide * (2 * uniform() - 1);
    rattle__divided_at(d, from, &(rattle__divided_way){.v = v, .t = t}, D, F, G);
    for (int row = 0; row < ROWS; row++) {
      if (!holds(D[row], divided(row, q, u), 1e-9L) || !holds(F[row], value(row, q), 0))
        fail_msg("row %d, t %Lg: %g by %g, %Lg", row, u[N], D[row].at, D[row].by,
                 divided(row, q, u));
      if (wide == 0 && !(D[row].by < 1e-13 * (1 + fabs(D[row].at)))) fail_msg("by %g", D[row].by);
      for (int e = d->ptr[row]; e < d->ptr[row + 1]; e++) {
        real up[N + 1], down[N + 1];
        for (int k = 0; k <= N; k++) up[k] = down[k] = u[k];
        up[d->col[e]] += 1e-4L, down[d->col[e]] -= 1e-4L;
        const real slope = (divided(row, q, up) - divided(row, q, down)) / 2e-4L;
        if (!holds(G[e], slope, 1e-5L * (1 + fabsl(slope))))
          fail_msg("row %d by %d, t %Lg: %g by %g, %Lg", row, d->col[e], u[N], G[e].at, G[e].by,
                   slope);
      }
    }
  }
}

/* Along (v + x rate + x^2 second/2, t + x t_rate + x^2 t_second/2), at x = 0. */
static void test_second(void **state) {
  rattle__divided *d = *state;
  for (int trial = 0; trial < 400; trial++) {
    real q[N], by[3][N + 1];
    rattle__ball from[N], way[3][N], D[ROWS];
    for (int k = 0; k < N; k++) {
      from[k] = rattle__exactly(normal()), q[k] = from[k].at;
      for (int e = 0; e < 3; e++) way[e][k] = rattle__exactly(normal()), by[e][k] = way[e][k].at;
    }
    const rattle__ball t[3] = {rattle__exactly((double)drawn_time(trial)),
                               rattle__exactly(normal()), rattle__exactly(normal())};
    for (int e = 0; e < 3; e++) by[e][N] = t[e].at;
    rattle__divided_second(d, from,
                           &(rattle__divided_way){way[0], way[1], way[2], t[0], t[1], t[2]}, D);
    for (int row = 0; row < ROWS; row++) {
      real sum = 0;
      for (int s = -1; s <= 1; s++) {
        real u[N + 1];
        const real x = 2e-3L * s;
        for (int k = 0; k <= N; k++) u[k] = by[0][k] + x * by[1][k] + x * x * by[2][k] / 2;
        sum += (s ? 1 : -2) * divided(row, q, u);
      }
      sum /= 4e-6L;
      if (!holds(D[row], sum, 3e-3L * (10 + fabsl(sum))))
        fail_msg("row %d, t %Lg: %g by %g, %Lg", row, by[0][N], D[row].at, D[row].by, sum);
    }
  }
}

static int open_functions(void **state) {
  rattle_expr e[ROWS];
  rattle__function *f = NULL;
  rattle__divided *d = NULL;
  rattle_error error;
  const int place[N] = {0, 1, 2};
  const rattle__build of = {.place = place, .places = N, .vars = N};
  if (rattle_graph_create(&graph, &error)) return -1;
  make(e);
  if (rattle__function_from_graph(&f, graph, e, ROWS, &of, &error)) return -1;
  rattle_graph_destroy(&graph);
  *state = d = rattle__divided_create(&d, f) ? NULL : d;
  return d ? 0 : -1;
}

static int close_functions(void **state) {
  rattle__divided *d = *state;
  rattle__function *f = (rattle__function *)d->q->f;
  rattle__divided_destroy(&d);
  rattle__function_destroy(&f);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_second)};
  return cmocka_run_group_tests(tests, open_functions, close_functions);
}
