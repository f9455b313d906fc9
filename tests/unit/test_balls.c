/* Numbers with bounds: values of functions and of their derivatives at points of a ball, in long
 * double, are in the ball that is given for them; where a function is not smooth there is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawn.h"
#include "ground/expr/ball_functions.h"

/* f, f' and f'' */
static void exact(int op, long double x, long double f[3]) {
  const long double s = 1 + x * x, root = sqrtl(x);
  switch (op) {
  case RATTLE_OP_SIN:
    f[0] = sinl(x), f[1] = cosl(x), f[2] = -sinl(x);
    break;
  case RATTLE_OP_COS:
    f[0] = cosl(x), f[1] = -sinl(x), f[2] = -cosl(x);
    break;
  case RATTLE_OP_EXP:
    f[0] = f[1] = f[2] = expl(x);
    break;
  case RATTLE_OP_LOG:
    f[0] = logl(x), f[1] = 1 / x, f[2] = -1 / (x * x);
    break;
  case RATTLE_OP_SQRT:
    f[0] = root, f[1] = 0.5L / root, f[2] = -0.25L / (x * root);
    break;
  case RATTLE_OP_TANH:
    f[0] = tanhl(x), f[1] = 1 / (coshl(x) * coshl(x)), f[2] = -2 * f[0] * f[1];
    break;
  case RATTLE_OP_ABS:
    f[0] = fabsl(x), f[1] = x > 0 ? 1 : -1, f[2] = 0;
    break;
  default:
    f[0] = atanl(x), f[1] = 1 / s, f[2] = -2 * x / (s * s);
  }
}

static int holds(rattle__ball a, long double x) {
  return fabsl(x - a.at) <= a.by;
}

static const int ops[] = {RATTLE_OP_SIN,  RATTLE_OP_COS,  RATTLE_OP_EXP,  RATTLE_OP_LOG,
                          RATTLE_OP_SQRT, RATTLE_OP_ATAN, RATTLE_OP_TANH, RATTLE_OP_ABS};

static void test_functions(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
    const int op = ops[k];
    int known = 0, narrow = 0;
    assert_true(rattle__ball_has_function(op));
    for (int trial = 0; trial < 20000; trial++) {
      const double size = pow(10, 4 * uniform() - 2);
      rattle__ball a = {op == RATTLE_OP_LOG || op == RATTLE_OP_SQRT ? size
                                                                    : size * (2 * uniform() - 1),
                        size * pow(10, -18 * uniform())};
      const rattle__ball_values v = rattle__ball_function(op, a);
      if (!isfinite(v.f.by + v.slope.by + v.bend.by)) continue; /* nothing is known */
      known++;
      narrow += v.f.by < 4 * a.by * (fabs(v.slope.at) + v.slope.by) + 1e-13 * (1 + fabs(v.f.at));
      for (int point = 0; point < 4; point++) {
        long double f[3], part = point < 2 ? 2 * point - 1 : 2 * (long double)uniform() - 1,
                          x = a.at + part * a.by;
        if (!holds(a, x)) continue; /* by rounding */
        exact(op, x, f);
        if (!holds(v.f, f[0]) || !holds(v.slope, f[1]) || !holds(v.bend, f[2]))
          fail_msg("function %d of %.17g, %.3g", op, a.at, a.by);
      }
    }
    assert_true(known > 10000 && narrow > known / 2);
  }
}

/* Balls that reach the edge of the domain. */
static void test_edges(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const int op = k ? RATTLE_OP_LOG : RATTLE_OP_SQRT;
    assert_true(isnan(rattle__ball_function(op, (rattle__ball){1, 1}).f.at));
    assert_true(isnan(rattle__ball_function(op, (rattle__ball){-1, 0}).slope.at));
    assert_true(isnan(rattle__ball_function(op, (rattle__ball){(double)NAN, 0}).f.at));
  }
  assert_true(isnan(rattle__ball_function(RATTLE_OP_EXP, (rattle__ball){0, 2}).f.at));
  assert_true(isnan(rattle__ball_function(RATTLE_OP_ABS, (rattle__ball){1, 1}).f.at));
  assert_true(isnan(rattle__ball_function(RATTLE_OP_ABS, (rattle__ball){-1, 2}).slope.at));
  assert_false(rattle__ball_has_function(RATTLE_OP_ERF));
}

int main(void) {
  seed = 7;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions),
                                     cmocka_unit_test(test_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
