/* Fits: parameters and starts against closed forms and other equations of motion, errors that are of
 * the right size, what the data do not determine, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

/* ---- a fit ---- */

typedef struct fitted {
  rattle_model *model;
  rattle_problem *problem;
  rattle_fit *fit;
  const rattle_fit_result *is;
  rattle_error error;
} fitted;

static rattle_status try_fit(fitted *f, const char *text, const rattle_fit_data *data, int runs,
                             const rattle_fit_options *options) {
  const rattle_problem_options interpreted = {.struct_size = sizeof interpreted,
                                              .evaluator = RATTLE_EVALUATOR_BLOCK};
  *f = (fitted){.model = NULL};
  if (rattle_model_parse(&f->model, text, "m.lua", NULL, &f->error) ||
      rattle_problem_create(&f->problem, f->model, &interpreted, &f->error))
    fail_msg("%s", f->error.message);
  const rattle_status status =
      rattle_fit_create(&f->fit, f->problem, data, runs, options, &f->error);
  if (!status) f->is = rattle_fit_result_of(f->fit);
  return status;
}

static fitted make_fit(const char *text, const rattle_fit_data *data, int runs,
                       const rattle_fit_options *options) {
  fitted f;
  if (try_fit(&f, text, data, runs, options)) fail_msg("%s", f.error.message);
  return f;
}

static void drop(fitted *f) {
  rattle_fit_destroy(&f->fit);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* ---- numbers that look random ---- */

static uint64_t seed;

static double uniform(void) {
  uint64_t x = seed += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void) {
  const double r = sqrt(-2 * log(uniform()));
  return r * cos(6.283185307179586 * uniform());
}

/* x [n] <- A^-1 x, A symmetric and positive, destroyed */
static void solve(int n, double *A, double *x) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      const double by = A[i * n + k] / A[k * n + k];
      if (i == k) continue;
      for (int j = 0; j < n; j++) A[i * n + j] -= by * A[k * n + j];
      x[i] -= by * x[k];
    }
  for (int k = 0; k < n; k++) x[k] /= A[k * n + k];
}

/* ---- closed forms ---- */

/* x = a cos wt + b/w sin wt, k = w^2: what is found and the covariance matrix, (J^T J)^-1
 * sigma^2 with J by hand; fields that are missing; and the linear part in an observable. */
static void test_oscillator(void **unused) {
  enum { COUNT = 60 };
  const double w = 1.3, a = 0.7, b = -0.4, sigma = 0.02;
  double time[COUNT], value[2 * COUNT], sigmas[2 * COUNT], A[9] = {0};
  const char *column[] = {"x", "twice"}, *start[] = {"x", "px"};
  (void)unused;
  for (int i = 0; i < COUNT; i++) {
    const double t = time[i] = 0.137 * (i + 1), c = cos(w * t), s = sin(w * t);
    const double J[] = {(-a * t * s + b / w * t * c - b / (w * w) * s) / (2 * w), c, s / w};
    value[2 * i] = a * c + b / w * s, value[2 * i + 1] = 2 * value[2 * i];
    if (i % 3 == 0) value[2 * i + 1] = (double)NAN;
    sigmas[2 * i] = sigma, sigmas[2 * i + 1] = 2 * sigma;
    for (int k = 0; k < 9; k++) A[k] += (i % 3 ? 2 : 1) * J[k / 3] * J[k % 3] / (sigma * sigma);
  }
  const rattle_fit_data data = {.struct_size = sizeof data,
                                .count = COUNT,
                                .columns = 2,
                                .time = time,
                                .column = column,
                                .value = value,
                                .sigma = sigmas};
  const rattle_fit_parameter vary = {.name = "k"};
  const rattle_fit_options options = {.struct_size = sizeof options,
                                      .vary = &vary,
                                      .vary_count = 1,
                                      .vary_start = start,
                                      .vary_start_count = 2};
  fitted f = make_fit("local k = parameter('k', 1)\nlocal x, px = pair('x')\nhamiltonian((px^2 + "
                      "k*x^2)/2)\nobserve('twice', 2*x)\nstart { x = 1 }\nintegrate { method = "
                      "'kahan_li8(verlet)', step = 0.05 }\n",
                      &data, 1, &options);
  const double right[] = {w * w, a, b};
  assert_int_equal(f.is->quantities, 3);
  assert_int_equal(f.is->data, 100);
  for (int q = 0; q < 3; q++) {
    assert_true(fabs(f.is->value[q] - right[q]) < 1e-11);
    double row[3] = {q == 0, q == 1, q == 2}, copy[9];
    memcpy(copy, A, sizeof copy);
    solve(3, copy, row);
    assert_true(fabs(f.is->error[q] / sqrt(row[q]) - 1) < 1e-9);
    for (int p = 0; p < 3; p++)
      assert_true(fabs(f.is->covariance[3 * q + p] - row[p]) < 1e-9 * sqrt(fabs(row[q])));
  }
  assert_string_equal(f.is->undetermined, "");
  assert_true(f.is->ended == RATTLE_FIT_AT_ROUND_OFF || f.is->ended == RATTLE_FIT_NO_LOWER);
  drop(&f);
}

/* With a damper and a drive: x'' = -k x - 2 c x' + A sin(2 t), in the steady state B sin 2t + D cos
 * 2t, (k - 4) B - 4 c D = A, 4 c B + (k - 4) D = 0. */
static void test_forces(void **unused) {
  enum { COUNT = 40 };
  const double k = 5.5, c = 0.3, A = 0.8, size = (k - 4) * (k - 4) + 16 * c * c,
               B = (k - 4) * A / size, D = -4 * c * A / size;
  double time[COUNT], value[COUNT];
  const char *column[] = {"x"}, *start[] = {"x", "px"};
  (void)unused;
  for (int i = 0; i < COUNT; i++) {
    time[i] = 0.173 * (i + 1);
    value[i] = B * sin(2 * time[i]) + D * cos(2 * time[i]);
  }
  const rattle_fit_data data = {.struct_size = sizeof data,
                                .count = COUNT,
                                .columns = 1,
                                .time = time,
                                .column = column,
                                .value = value};
  const rattle_fit_parameter vary[] = {{"k", 0, 0}, {"c", 0, 1}, {"A", 0, 0}};
  rattle_fit_options options = {.struct_size = sizeof options,
                                .vary = vary,
                                .vary_count = 2,
                                .vary_start = start,
                                .vary_start_count = 2};
  const char text[] =
      "local k, c, A = parameter('k', 5), parameter('c', 0.2), parameter('A', 0.8)\nlocal t = "
      "time()\nlocal x, px = pair('x')\nhamiltonian((px^2 + k*x^2)/2 - A*x*sin(2*t))\nforce { x = "
      "-2*c*px }\nintegrate { method = 'kahan_li8(verlet)', step = 0.05 }\n";
  fitted f = make_fit(text, &data, 1, &options);
  const double right[] = {k, c, D, 2 * B};
  for (int q = 0; q < 4; q++)
    if (!(fabs(f.is->value[q] - right[q]) < 1e-9)) fail_msg("%d: %.17g", q, f.is->value[q]);
  drop(&f);
  /* a steady state has two numbers, for three parameters */
  options.vary_count = 3;
  f = make_fit(text, &data, 1, &options);
  assert_true(strstr(f.is->undetermined, "k ") && strstr(f.is->undetermined, "A "));
  drop(&f);
}

/* ---- pendulums, by the equations of their angles ---- */

typedef void field(const double *y, const double *constant, double *rate);

/* Runge and Kutta's method in small steps */
static void go(field *f, int n, double *y, const double *constant, double time) {
  const int steps = 40;
  const double h = time / steps;
  for (int s = 0; s < steps; s++) {
    double k[4][4], at[4];
    for (int stage = 0; stage < 4; stage++) {
      const double part = stage == 3 ? h : stage ? h / 2 : 0;
      for (int i = 0; i < n; i++) at[i] = y[i] + (stage ? part * k[stage - 1][i] : 0);
      f(at, constant, k[stage]);
    }
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void pendulum_field(const double *y, const double *c, double *rate) {
  rate[0] = y[1], rate[1] = -c[0] / c[1] * sin(y[0]);
}

#define PENDULUM                                                                                   \
  "local g, l, a = parameter('gravity', 9), parameter('length', 1, { range = {0.5, 2} }), "        \
  "parameter('angle', 1)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + "  \
  "py^2)/2 + g*y)\nconstrain('rod', x^2 + y^2 - l^2)\nobserve('angle of rod', atan2(x, "           \
  "-y))\nintegrate { method = 'kahan_li8(rattle(verlet))', step = 0.03 }\n"

/* In Cartesian coordinates, two runs with starts of their own: positions, and a start velocity that
 * depends on a parameter. */
static void test_pendulum(void **unused) {
  enum { COUNT = 50, RUNS = 2 };
  const double constant[] = {9.81, 1.25}, first[RUNS][2] = {{1.2, 0.3}, {-0.5, 2}};
  static double time[COUNT], value[RUNS][2 * COUNT];
  const char *column[] = {"x", "y"}, *start[] = {"x", "y", "px", "py"};
  rattle_fit_data data[RUNS];
  (void)unused;
  for (int r = 0; r < RUNS; r++) {
    double y[2] = {first[r][0], first[r][1]};
    for (int i = 0; i < COUNT; i++) {
      go(pendulum_field, 2, y, constant, 0.05);
      time[i] = 0.05 * (i + 1);
      value[r][2 * i] = 1.25 * sin(y[0]), value[r][2 * i + 1] = -1.25 * cos(y[0]);
    }
    data[r] = (rattle_fit_data){.struct_size = sizeof *data,
                                .count = COUNT,
                                .columns = 2,
                                .time = time,
                                .column = column,
                                .value = value[r]};
  }
  const rattle_fit_parameter vary[] = {{"gravity", 0, 0}, {"length", 0, 0}};
  rattle_fit_options options = {.struct_size = sizeof options,
                                .vary = vary,
                                .vary_count = 2,
                                .vary_start = start,
                                .vary_start_count = 4};
  fitted f =
      make_fit(PENDULUM "start { x = l*math.sin(a), y = -l*math.cos(a) }\n", data, RUNS, &options);
  assert_int_equal(f.is->quantities, 10);
  assert_int_equal(f.is->unknowns, 6);
  for (int k = 0; k < 2; k++) assert_true(fabs(f.is->value[k] - constant[k]) < 1e-9);
  for (int r = 0; r < RUNS; r++) {
    const double *z = rattle_fit_start(f.fit, r), v = 1.25 * first[r][1];
    assert_true(fabs(z[0] - 1.25 * sin(first[r][0])) < 1e-9);
    assert_true(fabs(z[2] - v * cos(first[r][0])) < 1e-8);
    assert_true(fabs(z[0] * z[0] + z[1] * z[1] - f.is->value[1] * f.is->value[1]) < 1e-14);
    assert_true(fabs(z[0] * z[2] + z[1] * z[3]) < 1e-14);
  }
  drop(&f);
  /* the second start by parameters: velocity = l*spin along the circle */
  const rattle_fit_parameter four[] = {
      {"gravity", 0, 0}, {"length", 0, 0}, {"angle", -3, 3}, {"spin", 0, 0}};
  options.vary = four, options.vary_count = 4, options.vary_start_count = 0;
  f = make_fit(PENDULUM "local w = parameter('spin', 1.5)\nstart { x = l*math.sin(a - 1.4), y = "
                        "-l*math.cos(a - 1.4) }\nvelocity { x = w*l*math.cos(a - 1.4), y = "
                        "w*l*math.sin(a - 1.4) }\n",
               &data[1], 1, &options);
  const double right[] = {9.81, 1.25, 0.9, 2};
  for (int k = 0; k < 4; k++) assert_true(fabs(f.is->value[k] - right[k]) < 1e-8);
  drop(&f);
}

/* The double pendulum with rods of lengths c[2], c[3] and masses c[0], c[1], in the angles y[0],
 * y[1] and their rates. */
static void double_field(const double *y, const double *c, double *rate) {
  const double d = y[0] - y[1], g = 9.81, m = c[0] + c[1], s = sin(d), k = cos(d);
  const double f1 = -c[1] * c[3] * y[3] * y[3] * s - m * g * sin(y[0]),
               f2 = c[2] * y[2] * y[2] * s - g * sin(y[1]);
  rate[0] = y[2], rate[1] = y[3];
  rate[2] = (f1 - c[1] * k * f2) / (c[2] * (m - c[1] * k * k));
  rate[3] = (m * f2 - k * f1) / (c[3] * (m - c[1] * k * k));
}

#define DOUBLE_OF(length1)                                                                         \
  "local m1, m2 = parameter('mass1', 1), parameter('mass2', 1)\nlocal l1, l2 = "                   \
  "parameter('length1', " length1 "), parameter('length2', 1)\nlocal x1, px1 = pair('x1')\nlocal " \
  "y1, py1 = pair('y1')\nlocal x2, px2 = pair('x2')\nlocal y2, py2 = pair('y2')\nmass { x1 = m1, " \
  "y1 = m1, x2 = m2, y2 = m2 }\npotential(9.81*(m1*y1 + m2*y2))\nconstrain('rod1', x1^2 + y1^2 - " \
  "l1^2)\nconstrain('rod2', (x2 - x1)^2 + (y2 - y1)^2 - l2^2)\nlocal s, c, t, d = math.sin(0.8), " \
  "math.cos(0.8), math.sin(0.4), math.cos(0.4)\nstart { x1 = l1*s, y1 = -l1*c, x2 = l1*s + "       \
  "l2*t, y2 = -l1*c - l2*d }\nintegrate { method = 'suzuki4(rattle(verlet))', step = 0.02 }\n"
#define DOUBLE DOUBLE_OF("1")

enum { SAMPLES = 200 };
static double double_time[SAMPLES], double_value[4 * SAMPLES], double_sigma[4 * SAMPLES];
static const double truth[] = {1.3, 1, 1.1, 0.9};

/* Positions of both bobs at 200 times within 4 s, with an error of 1 cm. */
static rattle_fit_data double_data(void) {
  static const char *const column[] = {"x1", "y1", "x2", "y2"};
  double y[4] = {0.8, 0.4, 0, 0};
  for (int i = 0; i < SAMPLES; i++) {
    double *at = double_value + 4 * i;
    go(double_field, 4, y, truth, 0.02);
    double_time[i] = 0.02 * (i + 1);
    at[0] = truth[2] * sin(y[0]), at[1] = -truth[2] * cos(y[0]);
    at[2] = at[0] + truth[3] * sin(y[1]), at[3] = at[1] - truth[3] * cos(y[1]);
    for (int k = 0; k < 4; k++) at[k] += 0.01 * normal(), double_sigma[4 * i + k] = 0.01;
  }
  return (rattle_fit_data){.struct_size = sizeof(rattle_fit_data),
                           .count = SAMPLES,
                           .columns = 4,
                           .time = double_time,
                           .column = column,
                           .value = double_value,
                           .sigma = double_sigma};
}

/* Over seeds, estimate less truth under the covariance matrix is chi square of as many degrees of
 * freedom as there are parameters, and the sum of squares that of what is left: both within five
 * standard deviations. */
static void test_calibrated(void **unused) {
  enum { SEEDS = 40, FOUND = 3 };
  const rattle_fit_parameter vary[FOUND] = {{"mass1", 0, 0}, {"length1", 0, 0}, {"length2", 0, 0}};
  const double right[FOUND] = {1.3, 1.1, 0.9};
  const rattle_fit_options options = {
      .struct_size = sizeof options, .vary = vary, .vary_count = FOUND};
  double sum = 0, rest = 0;
  (void)unused;
  for (int s = 0; s < SEEDS; s++) {
    seed = (uint64_t)(s + 1) << 32;
    const rattle_fit_data data = double_data();
    fitted f = make_fit(DOUBLE, &data, 1, &options);
    double x[FOUND], off[FOUND], A[FOUND * FOUND];
    for (int q = 0; q < FOUND; q++) x[q] = off[q] = f.is->value[q] - right[q];
    memcpy(A, f.is->covariance, sizeof A);
    solve(FOUND, A, x);
    for (int q = 0; q < FOUND; q++) sum += off[q] * x[q];
    rest += f.is->chi2;
    drop(&f);
  }
  const double degrees = SEEDS * FOUND, others = SEEDS * (4.0 * SAMPLES - FOUND);
  if (!(fabs(sum - degrees) < 5 * sqrt(2 * degrees))) fail_msg("%g of %g", sum, degrees);
  if (!(fabs(rest - others) < 5 * sqrt(2 * others))) fail_msg("%g of %g", rest, others);
}

/* Weights fall with gravity alone: the ratio of the masses is all that motion says of them. */
static void test_undetermined(void **unused) {
  const rattle_fit_parameter vary[] = {{"mass1", 0, 0}, {"mass2", 0, 0}, {"length1", 0, 0}};
  const rattle_fit_options options = {.struct_size = sizeof options, .vary = vary, .vary_count = 3};
  (void)unused;
  seed = 5;
  const rattle_fit_data data = double_data();
  fitted f = make_fit(DOUBLE, &data, 1, &options);
  double part = 0;
  assert_int_equal(sscanf(f.is->undetermined, "mass1 +1, mass2 %lf", &part), 1);
  assert_true(fabs(part - f.is->value[1] / f.is->value[0]) < 1e-3);
  assert_true(isinf(f.is->error[0]) && isinf(f.is->error[1]) && f.is->error[2] < 0.01);
  drop(&f);
}

/* A parameter whose best value is beyond its range ends there, and the others where they are best
 * with it, as if it had that value. */
static void test_bounds(void **unused) {
  const rattle_fit_parameter vary[] = {{"mass1", 0, 0}, {"length2", 0, 0}, {"length1", 0.9, 1.05}};
  rattle_fit_options options = {.struct_size = sizeof options, .vary = vary, .vary_count = 3};
  (void)unused;
  seed = 6;
  const rattle_fit_data data = double_data();
  fitted f = make_fit(DOUBLE, &data, 1, &options);
  options.vary_count = 2;
  fitted g = make_fit(DOUBLE_OF("1.05"), &data, 1, &options);
  assert_true(f.is->value[2] == 1.05 && f.is->error[2] == 0);
  assert_int_equal(f.is->ended, RATTLE_FIT_AT_ROUND_OFF);
  for (int q = 0; q < 2; q++) {
    assert_true(fabs(f.is->value[q] - g.is->value[q]) < 1e-6 * g.is->error[q]);
    assert_true(fabs(f.is->error[q] / g.is->error[q] - 1) < 1e-6);
  }
  drop(&f);
  drop(&g);
}

/* ---- what is refused ---- */

static void refuses(const rattle_fit_data *data, const rattle_fit_options *options,
                    const char *text, const char *sentence) {
  fitted f;
  assert_int_not_equal(try_fit(&f, text, data, 1, options), RATTLE_OK);
  assert_null(f.fit);
  if (!strstr(f.error.message, sentence)) fail_msg("\"%s\", not \"%s\"", f.error.message, sentence);
  drop(&f);
}

#define START "start { x = l*math.sin(a), y = -l*math.cos(a) }\n"

static void test_refusals(void **unused) {
  const double time[] = {0.1, 0.2, 0.3}, back[] = {0.1, 0.3, 0.2}, early[] = {-0.1, 0, 1},
               value[] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3}, bad[] = {0.1, 0.2, -0.3, 1, 1, 1},
               late[] = {1e9, 2e9, 3e9}, tiny[] = {1e-300, 1e-300, 1e-300},
               huge[] = {1e300, 1e300, 1e300};
  const int wish = 1; /* before steps that would take hours */
  const char *x[] = {"x", "x"}, *odd[] = {"ex"}, *tension[] = {"T"}, *q[] = {"x"}, *zz[] = {"z"};
  const rattle_fit_parameter length = {"length", 0, 0}, lenght = {"lenght", 0, 0},
                             outside = {"length", 2, 3},
                             all[] = {{"length", 0, 0},
                                      {"length", 0, 0},
                                      {"gravity", 0, 0},
                                      {"angle", 0, 0}};
  const rattle_fit_data good = {.struct_size = sizeof good,
                                .count = 3,
                                .columns = 1,
                                .time = time,
                                .column = x,
                                .value = value};
  const rattle_fit_options how = {.struct_size = sizeof how, .vary = &length, .vary_count = 1};
  (void)unused;
#define DATA(...)                                                                                  \
  (&(rattle_fit_data){.struct_size = sizeof good,                                                  \
                      .count = 3,                                                                  \
                      .columns = 1,                                                                \
                      .time = time,                                                                \
                      .column = x,                                                                 \
                      .value = value,                                                              \
                      __VA_ARGS__})
#define HOW(...) (&(rattle_fit_options){.struct_size = sizeof how, __VA_ARGS__})
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
#endif
  refuses(DATA(.column = odd), &how, PENDULUM START, "the column 'ex' is not a coordinate");
  refuses(DATA(.columns = 2), &how, PENDULUM START, "two columns are 'x'");
  refuses(DATA(.time = back), &how, PENDULUM START, "times must rise, and 0.2 comes after 0.3");
  refuses(DATA(.time = early), &how, PENDULUM START, "before the start of the model");
  refuses(DATA(.count = 0), &how, PENDULUM START, "there are no data");
  refuses(DATA(.sigma = bad), &how, PENDULUM START, "is -0.3: it must be positive");
  refuses(DATA(.sigma = tiny), &how, PENDULUM START, "have no sum of squares");
  refuses(DATA(.sigma = huge), &how, PENDULUM START, "have no sum of squares");
  refuses(DATA(.time = late), HOW(.vary = &length, .vary_count = 1, .interrupt = &wish),
          PENDULUM START, "interrupted");
  refuses(DATA(.column = tension), &how, PENDULUM START "observe('T', lambda('rod'))\n",
          "contains multipliers");
  refuses(DATA(.count = 2), HOW(.vary = all + 1, .vary_count = 3), PENDULUM START,
          "fewer data than unknowns, 2 and 3");
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
  refuses(&good, HOW(.vary_count = 0), PENDULUM START, "nothing is to be found");
  refuses(&good, HOW(.vary = &lenght, .vary_count = 1), PENDULUM START, "did you mean 'length'?");
  refuses(&good, HOW(.vary = &outside, .vary_count = 1), PENDULUM START, "not between its bounds");
  refuses(&good, HOW(.vary = all, .vary_count = 2), PENDULUM START, "name it once");
  refuses(&good, HOW(.vary_start = zz, .vary_start_count = 1), PENDULUM START, "'z' is not");
  refuses(&good, HOW(.vary_start = q, .vary_start_count = 1), PENDULUM START, "no freedom");
  refuses(&good, HOW(.vary = &length, .vary_count = 1, .method = "discrete_gradient"),
          PENDULUM START, "no exact derivative");
  refuses(&good, &how, PENDULUM "start { x = 1, y = 0 }\n",
          "the start leaves the constraints when 'length' varies");
  refuses(&good, &how, PENDULUM START "for i = 1, l do potential(x) end\n", "'for' limit");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator),   cmocka_unit_test(test_forces),
      cmocka_unit_test(test_pendulum),     cmocka_unit_test(test_calibrated),
      cmocka_unit_test(test_undetermined), cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
