/* Forces at the middle of steps by few unknowns: their sum is the force, by its closed form, and a
 * spring with a damper has as many as it has components. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "constraint/guard/stage_rows.h"
#include "drawn.h"
#include "rattle/rattle.h"

enum { N = 4 };
static const double mass[N] = {1, 2, 0.5, 1.5};
static const double E[2][N] = {{0.3, 0.7, -0.2, 1.1}, {-0.3, 0.4, 0.2, 0.1}};

/* r = E q, V = 3 |r|^4/4 + a - 2 b, f = -2 E^T r (r.r')/(1 + |r|^2) + (0, 0, 0, 5) */
static const char linked[] =
    "local a, pa = pair('a') local b, pb = pair('b') local c, pc = pair('c')"
    "local d, pd = pair('d') mass { a = 1, b = 2, c = 0.5, d = 1.5 }"
    "local x, y = 0.3*a + 0.7*b - 0.2*c + 1.1*d, -0.3*a + 0.4*b + 0.2*c + 0.1*d "
    "local u, v = 0.3*pa + 0.7*pb/2 - 0.2*pc/0.5 + 1.1*pd/1.5,"
    "            -0.3*pa + 0.4*pb/2 + 0.2*pc/0.5 + 0.1*pd/1.5 "
    "local square = x^2 + y^2 potential(3*square^2/4 + a - 2*b) "
    "local s = -2*(x*u + y*v)/(1 + square) local X, Y = s*x, s*y "
    "force { a = 0.3*X - 0.3*Y, b = 0.7*X + 0.4*Y, c = -0.2*X + 0.2*Y, d = 1.1*X + 0.1*Y + 5 }"
    "constrain('g', a^2 + b^2 + c^2 - 1) start { a = 1 }";
/* f = (-a^3 - b, -a b - pa/(1 + b^2)): no fewer unknowns than coordinates */
static const char whole[] =
    "local a, pa = pair('a') local b, pb = pair('b') mass { a = 1, b = 2 } potential(a^4/4 + a*b)"
    "force { b = a - a*b - pa/(1 + b^2) } constrain('g', a^2 + b^2 - 1) start { a = 1 }";

static void force_of_link(const double *q, const double *p, double *F) {
  double r[2] = {0, 0}, v[2] = {0, 0};
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < N; k++) r[e] += E[e][k] * q[k], v[e] += E[e][k] * p[k] / mass[k];
  const double square = r[0] * r[0] + r[1] * r[1];
  const double by = 3 * square + 2 * (r[0] * v[0] + r[1] * v[1]) / (1 + square);
  for (int k = 0; k < N; k++) F[k] = -by * (E[0][k] * r[0] + E[1][k] * r[1]);
  F[0] -= 1, F[1] += 2, F[3] += 5;
}

static void force_of_whole(const double *q, const double *p, double *F) {
  F[0] = -q[0] * q[0] * q[0] - q[1];
  F[1] = -q[0] * q[1] - p[0] / (1 + q[1] * q[1]);
}

/* t^2 F of the stage at (q, Z, t) against t^2 F(q, Z/t). */
static void compare(const rattle__stage *stage, int n,
                    void (*force)(const double *, const double *, double *)) {
  const rattle__function *f = stage->rows;
  double *x = calloc((size_t)f->vars, sizeof *x), *F = calloc((size_t)f->rows, sizeof *F);
  double *work = calloc(f->work + 1, sizeof *work);
  if (!x || !F || !work) fail_msg("no memory");
  for (int trial = 0; trial < 100; trial++) {
    double p[N], expected[N], got[N] = {0};
    const double t = 0.05 + 0.95 * uniform();
    for (int k = 0; k < n; k++) {
      x[k] = normal(), p[k] = normal();
      x[n + k] = 7, x[2 * n + k] = t * p[k]; /* the way is not asked for */
    }
    x[3 * n] = t;
    assert_int_equal(f->value(f, x, F, work), 0);
    force(x, p, expected);
    for (int k = 0; k < stage->count; k++) {
      double *to = &got[stage->acts_on[k]];
      *to = -t * t * stage->k[k].at;
      for (int a = 0; a < f->rows; a++) *to -= stage->K[a * stage->count + k].at * F[a];
    }
    for (int k = 0; k < n; k++)
      if (!(fabs(got[k] - t * t * expected[k]) < 1e-12 * (1 + fabs(expected[k]))))
        fail_msg("coordinate %d: %.17g, not %.17g", k, got[k], t * t * expected[k]);
  }
  free(x), free(F), free(work);
}

static void check(const char *text, int n, int unknowns,
                  void (*force)(const double *, const double *, double *)) {
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle__stage stage;
  if (rattle_model_parse(&model, text, "stage", NULL, &error) ||
      rattle_problem_create(&problem, model, &how, &error) ||
      rattle__stage_rows(&stage, problem, &error))
    fail_msg("%s", error.message);
  assert_int_equal(stage.count, n);
  assert_int_equal(stage.rows->rows, unknowns);
  compare(&stage, n, force);
  rattle__stage_release(&stage);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void test_link(void **state) {
  (void)state;
  check(linked, N, 2, force_of_link);
}

static void test_whole(void **state) {
  (void)state;
  check(whole, 2, 2, force_of_whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_link), cmocka_unit_test(test_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
