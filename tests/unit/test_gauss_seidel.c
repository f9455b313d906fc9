/* solver=sweep and solver=andersen: the steps of Newton's method, what must be refused, and how
 * sweeps fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ground/linear/gauss_seidel.h"
#include "problem/functions/problem.h"
#include "rattle/rattle.h"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  double *q, *p;
  int n;
} fixture;

static const rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK},
                                    native = {.evaluator = RATTLE_EVALUATOR_NATIVE};

/* Text of a model, or the name of an example; parameter NULL: none. */
static fixture open(const char *what, const char *parameter, double value,
                    const rattle_problem_options *how) {
  fixture f = {0};
  rattle_error error;
  char path[1024];
  const rattle_parameter given = {parameter, value};
  const rattle_model_options options = {.parameters = &given, .parameter_count = parameter != NULL};
  snprintf(path, sizeof path, "%s/examples/%s", RATTLE_SOURCE_DIR, what);
  rattle_status status = strchr(what, ' ')
                             ? rattle_model_parse(&f.model, what, "test", NULL, &error)
                             : rattle_model_load(&f.model, path, &options, &error);
  if (!status) status = rattle_problem_create(&f.problem, f.model, how, &error);
  if (status) fail_msg("%s: %s", what, error.message);
  f.n = rattle_problem_n(f.problem);
  f.q = calloc(2 * (size_t)f.n, sizeof *f.q);
  f.p = f.q + f.n;
  if (rattle_problem_start(f.problem, 1, f.q, f.p, NULL, &error))
    fail_msg("%s: %s", what, error.message);
  return f;
}

static void close(fixture *f) {
  free(f->q);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* z [2n] after some steps from (q, p) */
static double *run(const rattle_problem *problem, const double *q, const char *method, double h,
                   int steps, rattle_counts *counts) {
  rattle_integrator *integrator = NULL;
  rattle_error error;
  size_t n = (size_t)rattle_problem_n(problem);
  double *z = malloc(2 * n * sizeof *z);
  memcpy(z, q, 2 * n * sizeof *z);
  if (rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s: %s", method, error.message);
  rattle_state state = {.q = z, .p = z + n, .h = h};
  if (rattle_integrator_step(integrator, &state, steps, &error))
    fail_msg("%s: %s", method, error.message);
  if (counts) *counts = rattle_integrator_counts(integrator);
  if (strstr(method, "andersen"))
    assert_string_equal(rattle_integrator_solver(integrator), "andersen");
  rattle_integrator_destroy(&integrator);
  return z;
}

static double apart(const double *a, const double *b, int count) {
  double most = 0, size = 0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return most / size;
}

static void assert_agrees(const fixture *f, const char *format, const char *solver, double h,
                          int steps, double allowed) {
  char method[128], other[128];
  snprintf(method, sizeof method, format, "newton");
  snprintf(other, sizeof other, format, solver);
  double *a = run(f->problem, f->q, method, h, steps, NULL),
         *b = run(f->problem, f->q, other, h, steps, NULL);
  /* shake forgets where on the fibre it was: what round-off does to momenta there stays, and means
   * nothing */
  double found = apart(a, b, strstr(format, "shake") ? f->n : 2 * f->n);
  if (!(found <= allowed)) fail_msg("%s is %g from newton", other, found);
  free(a);
  free(b);
}

/* --- agreement -------------------------------------------------------------------------------- */

static void agrees_with_newton(void **unused) {
  (void)unused;
  static const struct {
    const char *example, *parameter;
    double value, h;
    int steps;
    double allowed;
    int distances;
  } cases[] = {
      {"ring.lua", NULL, 0, 0.001, 200, 1e-12, 1},
      {"double_pendulum.lua", NULL, 0, 0.01, 200, 1e-12, 1},
      {"spherical_pendulum.lua", NULL, 0, 0.01, 200, 1e-12, 1},
      {"rigid_body.lua", NULL, 0, 0.001, 200, 1e-12, 0},
      {"ellipsoid.lua", NULL, 0, 0.01, 200, 1e-12, 0},
      {"chain.lua", "N", 20, 0.002, 100, 2e-12, 1},
  };
  static const char *const methods[] = {"rattle(verlet, solver=%s)", "rattle(verlet(b), solver=%s)",
                                        "shake(symplectic_euler(b), solver=%s)",
                                        "suzuki4(rattle(verlet, project=output, solver=%s))"};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int e = 0; e < 2; e++) {
      fixture f = open(cases[k].example, cases[k].parameter, cases[k].value, e ? &native : &block);
      for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strstr(methods[i], "suzuki4") && k) continue;
        assert_agrees(&f, methods[i], "sweep", cases[k].h, cases[k].steps, cases[k].allowed);
        if (cases[k].distances)
          assert_agrees(&f, methods[i], "andersen", cases[k].h, cases[k].steps, cases[k].allowed);
      }
      close(&f);
    }
}

/* Fifty links in zigzag: about a hundred sweeps a step. */
static const char *const zigzag =
    "local N = 50 local x, px = pairs_of('x', N) local y, py = pairs_of('y', N) local a, b = 0, 0 "
    "for i = 1, N do "
    "hamiltonian((px[i]^2 + py[i]^2)/2 + y[i]) "
    "constrain('link' .. i, (x[i] - (x[i - 1] or 0))^2 + (y[i] - (y[i - 1] or 0))^2 - 1) "
    "a, b = a + math.cos(0.4), b + (-1)^i*math.sin(0.4) "
    "start { [x[i]] = a, [y[i]] = b } end";

static void long_chain(void **unused) {
  (void)unused;
  fixture f = open(zigzag, NULL, 0, &native);
  assert_agrees(&f, "rattle(verlet, solver=%s)", "sweep", 0.02, 50, 1e-11);
  assert_agrees(&f, "rattle(verlet, solver=%s)", "andersen", 0.02, 50, 1e-11);
  close(&f);
}

static void counts(void **unused) {
  (void)unused;
  fixture f = open("ring.lua", NULL, 0, &block);
  rattle_counts newton, sweep;
  double *a = run(f.problem, f.q, "rattle(verlet, solver=newton)", 0.001, 10, &newton);
  double *b = run(f.problem, f.q, "rattle(verlet, solver=sweep)", 0.001, 10, &sweep);
  assert_true(sweep.newton_iterations > 2 * newton.newton_iterations);
  assert_int_equal(sweep.factorisation, 0);
  assert_int_equal(sweep.gradient, newton.gradient);
  assert_int_equal(sweep.position_projections, 10);
  assert_int_equal(sweep.momentum_projections, 10);
  free(a);
  free(b);
  /* between two drifts there is one force for each sweep; g is asked in each too, before the first,
   * at the end, and once where the run begins */
  free(run(f.problem, f.q, "rattle(verlet(b), solver=sweep)", 0.001, 10, &sweep));
  assert_int_equal(sweep.gradient, sweep.constraint - 2 * 10 - 1);
  close(&f);
}

/* Steps one by one have the bits of steps in a row. */
static void pure(void **unused) {
  (void)unused;
  static const char *const methods[] = {"rattle(verlet, solver=sweep)",
                                        "rattle(verlet(b), solver=andersen)"};
  fixture f = open("ring.lua", NULL, 0, &block);
  for (int i = 0; i < 2; i++) {
    double *all = run(f.problem, f.q, methods[i], 0.001, 5, NULL),
           *one = malloc(2 * (size_t)f.n * sizeof *one);
    memcpy(one, f.q, 2 * (size_t)f.n * sizeof *one);
    for (int k = 0; k < 5; k++) {
      double *next = run(f.problem, one, methods[i], 0.001, 1, NULL);
      free(one);
      one = next;
    }
    assert_memory_equal(all, one, 2 * (size_t)f.n * sizeof *one);
    free(all);
    free(one);
  }
  close(&f);
}

/* --- distances -------------------------------------------------------------------------------- */

#define VARIABLES                                                                                  \
  "local x, px = pairs_of('x', 3) local y, py = pairs_of('y', 3) "                                 \
  "for i = 1, 3 do hamiltonian((px[i]^2 + i*py[i]^2)/(2*i) + y[i] + x[i]^4/10) end "               \
  "start { [x[1]] = 1, [y[1]] = 2, [x[2]] = 2, [y[2]] = 2.5, [x[3]] = 2, [y[3]] = 3.5 } "          \
  "velocity { [x[1]] = 0.3, [y[2]] = -0.5, [x[3]] = 0.2 } "

/* The same three bonds, in ways that a person might write them. */
static const char *const written[] = {
    VARIABLES "constrain('a', (x[1] - 0.5)^2 + (y[1] - 1)^2 - 1.25) constrain('b', (x[1] - x[2])^2 "
              "+ (y[1] - y[2])^2 - 1.25)"
              "constrain('c', (x[3] - x[2])^2 + (y[3] - y[2])^2 - 1)",
    VARIABLES "constrain('a', x[1]^2 - x[1] + y[1]^2 - 2*y[1]) constrain('b', 0.625 - ((x[2] - "
              "x[1])^2 + (y[1] - y[2])^2)/2)"
              "constrain('c', 3*(x[3]^2 - 2*x[3]*x[2] + x[2]*x[2] + (y[3] - y[2])^2 - 1))",
};

static void ways_to_write(void **unused) {
  (void)unused;
  double *first = NULL;
  for (int k = 0; k < 2; k++)
    for (int e = 0; e < 2; e++) {
      fixture f = open(written[k], NULL, 0, e ? &native : &block);
      assert_agrees(&f, "rattle(verlet, solver=%s)", "andersen", 0.02, 100, 1e-12);
      double *z = run(f.problem, f.q, "rattle(verlet, solver=andersen)", 0.02, 100, NULL);
      if (first) assert_true(apart(first, z, 12) < 1e-12);
      if (first) free(z);
      if (!first) first = z;
      close(&f);
    }
  free(first);
}

/* Among 310 coordinates, the numbers by which problem/functions/distances.c tells them apart differ
 * by nearly as much between x[19] and x[310] as between x[145] and x[306]. */
static void accident(void **unused) {
  (void)unused;
  fixture f = open("local x, px = pairs_of('x', 310); local H = 0; for i = 1, 310 do H = H + "
                   "px[i]^2/2 end hamiltonian(H) "
                   "constrain('bond', (x[19] - x[310])^2 + (x[145] - x[306])^2 - 1) start { "
                   "[x[19]] = 1, [px[145]] = 1 }",
                   NULL, 0, &block);
  assert_agrees(&f, "rattle(verlet, solver=%s)", "andersen", 0.02, 20, 1e-12);
  close(&f);
}

static void assert_refused(const fixture *f, const char *method, const char *name) {
  rattle_integrator *integrator = NULL;
  rattle_error error;
  assert_int_equal(rattle_integrator_create(&integrator, f->problem, method, &error),
                   RATTLE_UNSUITABLE);
  assert_null(integrator);
  if (!strstr(error.message, name)) fail_msg("%s: %s", method, error.message);
}

static void no_distances(void **unused) {
  (void)unused;
  static const struct {
    const char *model, *name;
  } cases[] = {
      {"rigid_body.lua", "'angle 12'"}, /* 'length 1' before it is a distance from the origin */
      {"ellipsoid.lua", "constraint '"},
      {VARIABLES "constrain('scaled', (x[1] - x[2])^2 + 2*(y[1] - y[2])^2 - 1.5)", "'scaled'"},
      {VARIABLES "constrain('straight', x[1] - 1)", "'straight'"},
      {VARIABLES "constrain('root', sqrt((x[1] - x[2])^2 + (y[1] - y[2])^2) - sqrt(1.25))",
       "'root'"},
      {VARIABLES "constrain('moved', (x[1] - x[2] + 0.5)^2 + (y[1] - y[2])^2 - 0.5)", "'moved'"},
      {VARIABLES "constrain('sum', (x[1] + x[2])^2 + (y[1] - y[2])^2 - 9.25)", "'sum'"},
      {VARIABLES "constrain('quartic', x[1]^2 + x[1]^4 + y[1]^2 - 6)", "'quartic'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fixture f = open(cases[k].model, NULL, 0, &block);
    assert_refused(&f, "rattle(verlet, solver=andersen)", cases[k].name);
    close(&f);
  }
}

static void not_natural(void **unused) {
  (void)unused;
  fixture f = open("harmonic.lua", NULL, 0, &block);
  assert_refused(&f, "rattle(midpoint, solver=sweep)", "needs a natural problem");
  close(&f);
  f = open("ring.lua", NULL, 0, &block);
  assert_refused(&f, "rattle(midpoint, solver=sweep)", "explicit map");
  close(&f);
}

/* --- callbacks -------------------------------------------------------------------------------- */

/* Two rods in the plane, dense rows. */
static int double_pendulum(void *context, const double *z, double *H, double *d) {
  (void)context;
  *H = z[1] + z[3];
  for (int i = 0; i < 4; i++) {
    *H += z[4 + i] * z[4 + i] / 2;
    d[i] = i % 2;
    d[4 + i] = z[4 + i];
  }
  return 0;
}

static int rods(void *context, const double *z, double *g, double *J) {
  double x = z[2] - z[0], y = z[3] - z[1];
  (void)context;
  g[0] = z[0] * z[0] + z[1] * z[1] - 1;
  g[1] = x * x + y * y - 1;
  memset(J, 0, 16 * sizeof *J);
  J[0] = 2 * z[0], J[1] = 2 * z[1];
  J[8] = -2 * x, J[9] = -2 * y, J[10] = 2 * x, J[11] = 2 * y;
  return 0;
}

static void callbacks(void **unused) {
  (void)unused;
  static const double masses[4] = {1, 1, 1, 1}, start[8] = {0.6, -0.8, 1.4, -1.4};
  rattle_callbacks c = {.n = 4,
                        .m = 2,
                        .flags = RATTLE_NATURAL | RATTLE_HOLONOMIC | RATTLE_QUADRATIC_G,
                        .inverse_mass = masses,
                        .hamiltonian = double_pendulum,
                        .constraint = rods};
  fixture f = {.n = 4, .q = (double[8]){0}};
  memcpy(f.q, start, sizeof start);
  assert_int_equal(rattle_problem_create_callbacks(&f.problem, &c, NULL), RATTLE_OK);
  assert_agrees(&f, "rattle(verlet, solver=%s)", "sweep", 0.05, 100, 1e-12);
  assert_agrees(&f, "rattle(verlet, solver=%s)", "andersen", 0.05, 100, 1e-12);
  rattle_problem_destroy(&f.problem);
  c.flags &= ~RATTLE_QUADRATIC_G; /* then nobody can know that it is a distance */
  assert_int_equal(rattle_problem_create_callbacks(&f.problem, &c, NULL), RATTLE_OK);
  assert_agrees(&f, "rattle(verlet, solver=%s)", "sweep", 0.05, 100, 1e-12);
  assert_refused(&f, "rattle(verlet, solver=andersen)", "'g[0]' is not recognised");
  rattle_problem_destroy(&f.problem);
}

/* --- failure ---------------------------------------------------------------------------------- */

/* Steps that must fail at once, the state being left as it was. */
static rattle_error failing(const fixture *f, const char *method, double h) {
  rattle_integrator *integrator = NULL;
  rattle_error error = {0};
  size_t bytes = 2 * (size_t)f->n * sizeof(double);
  double *z = malloc(bytes);
  memcpy(z, f->q, bytes);
  assert_int_equal(rattle_integrator_create(&integrator, f->problem, method, NULL), RATTLE_OK);
  rattle_state state = {.q = z, .p = z + f->n, .h = h};
  assert_int_not_equal(rattle_integrator_step(integrator, &state, 10, &error), RATTLE_OK);
  assert_memory_equal(z, f->q, bytes);
  assert_int_equal(state.step, 0);
  rattle_integrator_destroy(&integrator);
  free(z);
  return error;
}

/* A straight chain with one free end has the rate cos^2(pi/(2N + 1)), about 1 - (pi/(N +
 * 1/2))^2/4. */
static void too_slow(void **unused) {
  (void)unused;
  enum { N = 200 };
  fixture f = open("chain.lua", "N", N, &native);
  static const char *const methods[] = {"rattle(verlet, solver=sweep)",
                                        "rattle(verlet, solver=andersen)"};
  for (int i = 0; i < 2; i++) {
    rattle_error error = failing(&f, methods[i], 0.01);
    assert_int_equal(error.status, RATTLE_NOT_CONVERGED);
    assert_int_equal(error.iterations, 10000);
    assert_in_range(error.constraint, 0, N - 1);
    assert_true(error.residual > 1);
    assert_non_null(strstr(error.message, error.where));
    const char *factor = strstr(error.message, "by a factor of only ");
    if (!factor) fail_msg("%s", error.message);
    double rate = strtod(factor + 20, NULL),
           expected = 1 - pow(3.14159265358979 / (N + 0.5), 2) / 4;
    if (!(fabs(rate - expected) < 3 * (1 - expected))) fail_msg("%s", error.message);
    assert_true(rate < 1);
    assert_non_null(strstr(error.message, "use solver=newton"));
  }
  close(&f);
}

#define BEAD(p)                                                                                    \
  "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2) " p " "

/* In one step the rod turns by a right angle: the old direction cannot pull it back, and Newton's
 * iteration follows the step to the fold, in its middle. */
static void right_angle(void **unused) {
  (void)unused;
  fixture f =
      open(BEAD("start { x = 1, py = 2 } constrain('rod', x^2 + y^2 - 1)"), NULL, 0, &block);
  f.p[0] = -1;
  static const char *const methods[] = {"shake(verlet, solver=sweep)",
                                        "shake(verlet, solver=andersen)"};
  for (int i = 0; i < 2; i++) {
    rattle_error error = failing(&f, methods[i], 1);
    assert_int_equal(error.status, RATTLE_DEGENERATE);
    if (!strstr(error.message, "after 50 % of the step")) fail_msg("%s", error.message);
    assert_int_equal(error.constraint, 0);
    assert_string_equal(error.where, "rod");
  }
  close(&f);
}

static void left_domain(void **unused) {
  (void)unused;
  fixture f = open(
      BEAD("start { x = 0.04, y = 0.8, px = -0.5, py = 1.25 } constrain('root', y + sqrt(x) - 1)"),
      NULL, 0, &block);
  rattle_error error = failing(&f, "rattle(verlet, solver=sweep)", 0.5);
  assert_int_equal(error.status, RATTLE_DOMAIN);
  if (!strstr(error.message, "constraint 'root' left its domain: sqrt of -"))
    fail_msg("%s", error.message);
  close(&f);
}

/* A body that no constraint holds, however far and fast, leaves the bits of the others as they
 * are. */
static void free_body(void **unused) {
  (void)unused;
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y') local u, pu = pair('u')\n"
      "local w, pw = pair('w') local f, pf = pair('f')\n"
      "hamiltonian((px^2 + py^2 + pu^2 + pw^2 + pf^2)/2 + y + w)\n"
      "constrain('a', x^2 + y^2 - 1) constrain('b', (u - x)^2 + (w - y)^2 - 1)\n"
      "start { x = 1, u = 2 }\n";
  static const char *const method[] = {"rattle(verlet, solver=sweep)",
                                       "rattle(verlet, solver=andersen)",
                                       "rattle(verlet(b), solver=sweep)", "rattle(verlet)"};
  static const double far[][2] = {{1e12, 0}, {0, 1e6}, {1e12, -1e9}};
  enum { N = 5, HELD = 4 };
  for (int k = 0; k < 4; k++) {
    fixture f = open(text, NULL, 0, &block);
    double *right = run(f.problem, f.q, method[k], 0.05, 200, NULL);
    for (int i = 0; i < 3; i++) {
      f.q[N - 1] = far[i][0], f.p[N - 1] = far[i][1];
      double *z = run(f.problem, f.q, method[k], 0.05, 200, NULL);
      for (int c = 0; c < HELD; c++)
        if (z[c] != right[c] || z[N + c] != right[N + c])
          fail_msg("%s: %.17g, not %.17g", method[k], z[c], right[c]);
      free(z);
    }
    free(right);
    close(&f);
  }
}

/* A rail that is nearly at 0 is met as what rounding of the rod leaves in it, however small the
 * step: sweeps end there, and do not go on to their last. */
static void rounding_of_other_rows(void **unused) {
  (void)unused;
  static const double steps[] = {5e-3, 5e-5, 5e-7};
  fixture f = open(
      "local x1, px1 = pair('x1') local y1, py1 = pair('y1')\n"
      "local x2, px2 = pair('x2') local y2, py2 = pair('y2')\n"
      "mass { x1 = 1, y1 = 1, x2 = 1, y2 = 1 } potential(0.5*y1)\n"
      "constrain('crank', x1^2 + y1^2 - 1) constrain('rod', (x2 - x1)^2 + (y2 - y1)^2 - 1.0201)\n"
      "constrain('rail', y2)\n"
      "start { x1 = 0.8, px1 = -0.372, y1 = 0.6, py1 = 0.496, x2 = 1.61246538, px2 = -0.739, y2 = "
      "0 "
      "}\n",
      NULL, 0, &block);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    enum { STEPS = 50 };
    rattle_counts counts;
    double *z = run(f.problem, f.q, "rattle(verlet, solver=sweep)", steps[k], STEPS, &counts),
           *right = run(f.problem, f.q, "rattle(verlet, solver=newton)", steps[k], STEPS, NULL);
    for (int c = 0; c < f.n; c++)
      if (!(fabs(z[c] - right[c]) < 1e-14)) fail_msg("step %g: %g", steps[k], z[c] - right[c]);
    assert_true(counts.newton_iterations < 1000 * STEPS);
    free(z);
    free(right);
  }
  close(&f);
}

/* Rows of length 1 whose scalar product is c: a sweep reduces the error by c^2. Rounding leaves it
 * a part along neither, which no sweep reduces and which is no part of the rate. */
static void rate_of_two_rows(void **unused) {
  (void)unused;
  static const int ptr[] = {0, 3, 6}, col[] = {0, 1, 2, 0, 1, 2};
  const rattle__function g = {.rows = 2, .vars = 3, .jac_ptr = ptr, .jac_col = col, .jac_nnz = 6};
  const rattle__gauss_seidel s = {.g = &g};
  for (double angle = 0.1; angle < 1.5; angle += 0.2) {
    const double J[] = {0.36,
                        0.48,
                        0.8,
                        0.36 * cos(angle) + 0.8 * sin(angle),
                        0.48 * cos(angle),
                        0.8 * cos(angle) - 0.36 * sin(angle)};
    double w[2], p[3], length = 0, product = 0;
    for (int c = 0; c < 3; c++) length += J[3 + c] * J[3 + c], product += J[c] * J[3 + c];
    const double rate = rattle__gauss_seidel_rate(&s, J, J, w, p);
    if (!(fabs(rate - product * product / length) < 1e-12))
      fail_msg("%g: rate %.17g, not %.17g", angle, rate, product * product / length);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_newton),
      cmocka_unit_test(long_chain),
      cmocka_unit_test(counts),
      cmocka_unit_test(pure),
      cmocka_unit_test(ways_to_write),
      cmocka_unit_test(accident),
      cmocka_unit_test(no_distances),
      cmocka_unit_test(not_natural),
      cmocka_unit_test(callbacks),
      cmocka_unit_test(too_slow),
      cmocka_unit_test(right_angle),
      cmocka_unit_test(left_domain),
      cmocka_unit_test(free_body),
      cmocka_unit_test(rounding_of_other_rows),
      cmocka_unit_test(rate_of_two_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
