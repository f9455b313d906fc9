/* Fits of models whose text compares, rounds and writes the values of parameters that vary, as
 * modules of mechanisms do, against closed forms and the equations of an angle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

enum { COUNT = 40 };
static double times[COUNT], value[COUNT];

static rattle_fit_data data_of(const char *const *column) {
  return (rattle_fit_data){.struct_size = sizeof(rattle_fit_data),
                           .count = COUNT,
                           .columns = 1,
                           .time = times,
                           .column = column,
                           .value = value};
}

/* The fit of `count` parameters to the column; what it finds, or the error. */
static rattle_status fit(const char *text, const char *column, const rattle_fit_parameter *vary,
                         int count, double *found, rattle_error *error) {
  const rattle_problem_options interpreted = {.struct_size = sizeof interpreted,
                                              .evaluator = RATTLE_EVALUATOR_BLOCK};
  const rattle_fit_options options = {
      .struct_size = sizeof options, .vary = vary, .vary_count = count};
  const char *const columns[] = {column};
  const rattle_fit_data data = data_of(columns);
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_fit *made = NULL;
  if (rattle_model_parse(&model, text, "m.lua", NULL, error) ||
      rattle_problem_create(&problem, model, &interpreted, error))
    fail_msg("%s", error->message);
  const rattle_status status = rattle_fit_create(&made, problem, &data, 1, &options, error);
  for (int i = 0; i < count && !status; i++) found[i] = rattle_fit_result_of(made)->value[i];
  rattle_fit_destroy(&made);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return status;
}

static void finds(const char *text, const char *column, const rattle_fit_parameter *vary, int count,
                  const double *right, double within) {
  double found[4];
  rattle_error error;
  if (fit(text, column, vary, count, found, &error)) fail_msg("%s", error.message);
  for (int i = 0; i < count; i++)
    if (!(fabs(found[i] - right[i]) < within))
      fail_msg("%s is %.17g, not %.17g", vary[i].name, found[i], right[i]);
}

static void refuses(const char *text, const rattle_fit_parameter *vary, const char *sentence) {
  double found[4];
  rattle_error error;
  assert_int_not_equal(fit(text, "x", vary, 1, found, &error), RATTLE_OK);
  if (!strstr(error.message, sentence)) fail_msg("\"%s\", not \"%s\"", error.message, sentence);
}

/* ---- a rod of the module of mechanisms ---- */

/* x of the end of a rod on a hinge, (1/3) m L^2 a'' = -k a - m g L/2 sin a, a from the vertical. */
static void rod_data(double m, double L, double k, double angle) {
  double y[2] = {angle, 0};
  const double h = 1e-3;
  for (int i = 0; i < COUNT; i++) {
    for (int s = 0; s < 50; s++) {
      double rate[4][2], at[2];
      for (int stage = 0; stage < 4; stage++) {
        const double part = stage == 3 ? h : stage ? h / 2 : 0;
        for (int j = 0; j < 2; j++) at[j] = y[j] + (stage ? part * rate[stage - 1][j] : 0);
        rate[stage][0] = at[1];
        rate[stage][1] = -(k * at[0] + m * 9.81 * L / 2 * sin(at[0])) / (m * L * L / 3);
      }
      for (int j = 0; j < 2; j++)
        y[j] += h / 6 * (rate[0][j] + 2 * rate[1][j] + 2 * rate[2][j] + rate[3][j]);
    }
    times[i] = 0.05 * (i + 1);
    value[i] = L * sin(y[0]);
  }
}

static void test_rod(void **unused) {
  const rattle_fit_parameter vary[] = {{"L", 0, 0}, {"k", 0, 0}, {"angle", 0, 0}};
  const double right[] = {0.8, 2.5, 0.6};
  (void)unused;
  rod_data(2, right[0], right[1], right[2]);
  finds("local mech = require 'mechanics'\nlocal L, k, a = parameter('L', 1), parameter('k', 1), "
        "parameter('angle', 0.8)\nmech.gravity(0, -9.81)\nlocal rod = mech.planar { name = 'rod', "
        "shape = mech.rod { mass = 2, length = L }, at = {0, 0}, point = {-L/2, 0}, angle = a - "
        "math.pi/2 }\nmech.revolute('hinge', rod:at(-L/2, 0), mech.ground:at(0, 0))\n"
        "potential(k/2*(rod.angle + math.pi/2)^2)\nobserve('x', rod:at(L/2, 0):position().x)\n"
        "integrate { method = 'kahan_li8(rattle(verlet))', step = 0.01 }\n",
        "x", vary, 3, right, 1e-8);
}

/* A start that the model moves onto the constraint is L (0.6, -0.8), the nearest point; a point on a
 * string swings as a rod does under 3/2 of its weight. */
static void test_projected(void **unused) {
  const rattle_fit_parameter vary = {"L", 0, 0};
  const double right = 0.8;
  (void)unused;
  rod_data(1, right, 0, asin(0.6));
  finds("local L = parameter('L', 1)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
        "hamiltonian((px^2 + py^2)/2 + 1.5*9.81*y)\nconstrain('rod', x^2 + y^2 - L^2)\nstart { x = "
        "0.6, y = -0.8, project = true }\nintegrate { method = 'kahan_li8(rattle(verlet))', step = "
        "0.01 }\n",
        "x", &vary, 1, &right, 1e-8);
}

/* ---- what a text chooses by values ---- */

/* x = cos(w t), w^2 = f(k) */
static void oscillator_data(double square) {
  for (int i = 0; i < COUNT; i++) {
    times[i] = 0.1 * (i + 1);
    value[i] = cos(sqrt(square) * times[i]);
  }
}

#define OSCILLATOR(stiffness)                                                                      \
  "local k = parameter('k', 1)\nlocal x, px = pair('x')\n" stiffness                               \
  "hamiltonian((px^2 + s*x^2)/2)\nstart { x = 1 }\nintegrate { method = 'kahan_li8(verlet)', "     \
  "step = 0.05 }\n"

/* The way from k = 1 crosses the border, beyond which the stiffness follows another law. */
static void test_comparisons(void **unused) {
  const rattle_fit_parameter vary = {"k", 0, 0};
  const double right = 2;
  (void)unused;
  oscillator_data(3); /* 1 + k at k = 2 */
  finds(OSCILLATOR("local s\nif k < 1.25 then s = k else s = 1 + k end\n"), "x", &vary, 1, &right,
        1e-9);
  finds(OSCILLATOR("local s = k\nif not (k <= 1.25) then s = 1 + k end\n"), "x", &vary, 1, &right,
        1e-9);
  oscillator_data(2.15); /* 2 + 0.3/2, at k = 2.3 */
  const double part = 2.3;
  finds(OSCILLATOR("local s = math.floor(k) + (k % 1)/2\n"), "x", &vary, 1, &part, 1e-9);
  finds(OSCILLATOR("local s = k//1 + (k - math.ceil(k) + 1)/2\n"), "x", &vary, 1, &part, 1e-9);
}

/* Names, types and sums of numbers that are parameters. */
static void test_values(void **unused) {
  const rattle_fit_parameter vary = {"k", 0, 0};
  const double right = 1.7;
  (void)unused;
  oscillator_data(1.7);
  finds(OSCILLATOR("local s = type(k) == 'number' and k or 0\nmetadata { k = 'k is ' .. k }\n"),
        "x", &vary, 1, &right, 1e-9);
  finds(OSCILLATOR("local s = math.max(0.5, sum(k/2, k/2))\ntitle(string.format('k = %.3f', k))\n"),
        "x", &vary, 1, &right, 1e-9);
  finds(OSCILLATOR("local s = k^1.0*2^k/2^k\nif k < math.huge then tostring(k) end\n"), "x", &vary,
        1, &right, 1e-9);
}

static void test_refusals(void **unused) {
  const rattle_fit_parameter vary = {"k", 0, 0};
  (void)unused;
  oscillator_data(1.7);
  refuses(OSCILLATOR("local s = tonumber(tostring(k))\n"), &vary, "depends on 'k' in a way");
  refuses(OSCILLATOR("local s = k\nif k == 1 then s = 2*k end\n"), &vary,
          "depends on 'k' in a way");
  refuses(OSCILLATOR("local s = ({[1] = 3})[k] or 1\n"), &vary, "depends on 'k' in a way");
  refuses(OSCILLATOR("local s = 0\nfor i = 1, k do s = s + 1 end\n"), &vary, "'for' limit");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rod), cmocka_unit_test(test_projected),
                                     cmocka_unit_test(test_comparisons),
                                     cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
