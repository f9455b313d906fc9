/* Proofs of steps under more than 64 constraints: components, each with a curve of its own; sizes
 * that grow with the number of constraints and no faster; constraints that depend on time; what is
 * refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "constraint/guard/sparse_curve.h"
#include "problem/functions/problem.h"
#include "rattle/rattle.h"

enum { MOST = 2000 };

typedef struct scene {
  rattle_model *model;
  rattle_problem *problem;
  rattle_certifier *certifier;
  double q[2 * MOST + 1], p[2 * MOST + 1];
  rattle_error error;
} scene;

static rattle_status open_scene(scene *s, const char *text, const char *method) {
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  memset(s, 0, sizeof *s);
  if (rattle_model_parse(&s->model, text, "many", NULL, &s->error) ||
      rattle_problem_create(&s->problem, s->model, &how, &s->error))
    fail_msg("%s", s->error.message);
  const rattle_status status =
      rattle_certifier_create(&s->certifier, s->problem, method, &s->error);
  if (!status && rattle_problem_start(s->problem, 1, s->q, s->p, NULL, &s->error))
    fail_msg("%s", s->error.message);
  return status;
}

static void close_scene(scene *s) {
  rattle_certifier_destroy(&s->certifier);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

static rattle_certificate run(scene *s, double h, int steps) {
  rattle_certificate c = {.struct_size = sizeof c};
  rattle_state at = {.struct_size = sizeof at, .q = s->q, .p = s->p, .h = h};
  if (rattle_certifier_step(s->certifier, &at, steps, &c, &s->error))
    fail_msg("%s", s->error.message);
  return c;
}

/* A chain whose links turn by `bend` from one to the next, to both sides; gaps: every so many links
 * a new one begins. */
static const char *chain(int links, double bend, int gaps) {
  static char text[4000];
  snprintf(
      text, sizeof text,
      "local N, bend, gaps = %d, %g, %d "
      "local x, px = pairs_of('x', N) local y, py = pairs_of('y', N) local H, a = 0, 0 "
      "local X, Y = 0, 0 "
      "for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N "
      "  local first = (i - 1) %% gaps == 0 local u, v = first and 0 or x[i - 1], first and 0 "
      "or y[i - 1] "
      "  if first then X, Y = 0, 0 end "
      "  constrain('link[' .. i .. ']', (x[i] - u)^2 + (y[i] - v)^2 - 1) "
      "  a = a + bend*math.sin(i*i) X, Y = X + math.cos(a), Y + math.sin(a) "
      "  start { [x[i]] = X, [y[i]] = Y, [px[i]] = math.sin(7*i)/3, [py[i]] = math.cos(5*i)/3 } "
      "end hamiltonian(H) start { project = true }",
      links, bend, gaps);
  return text;
}

static void test_runs(void **state) {
  static const struct {
    int links, gaps;
    double bend, h;
    const char *method;
    int substeps;
  } of[] = {{65, 65, 1, 0.1, "rattle(verlet)", 1},
            {100, 100, 3, 0.1, "suzuki4(rattle(verlet))", 5},
            {100, 100, 1, -0.1, "shake(symplectic_euler)", 1},
            {100, 1, 1, 0.2, "rattle(verlet)", 1}, /* pendulums */
            {200, 40, 1, 0.1, "rattle(symplectic_euler(b))", 1},
            {100, 100, 0, 0.01, "rattle(verlet)", 1}, /* taut */
            {1000, 1000, 1, 0.1, "rattle(verlet)", 1}};
  (void)state;
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    scene s;
    if (open_scene(&s, chain(of[k].links, of[k].bend, of[k].gaps), of[k].method))
      fail_msg("%s", s.error.message);
    const rattle_certificate c = run(&s, of[k].h, 10);
    assert_int_equal(c.steps, 10);
    assert_int_equal(c.one_piece, 10 * of[k].substeps);
    assert_true(c.units > 0 && c.units < 1000);
    close_scene(&s);
  }
}

/* A pendulum among a hundred that ends at its other root, on the far side: the step is wrong, and
 * all others are right. The same pendulum, a little off its end: the radius says so. */
static void test_one_of_many(void **state) {
  scene s;
  (void)state;
  if (open_scene(&s, chain(100, 1, 1), "rattle(verlet)")) fail_msg("%s", s.error.message);
  static double q0[2 * MOST], p0[2 * MOST], q1[2 * MOST];
  memcpy(q0, s.q, sizeof q0), memcpy(p0, s.p, sizeof p0);
  const rattle_certificate made = run(&s, 0.2, 1);
  assert_int_equal(made.one_piece, 1);
  memcpy(q1, s.q, sizeof q1);
  rattle_certificate c = {.struct_size = sizeof c};
  assert_int_equal(rattle_certifier_check(s.certifier, 0.2, q0, p0, q1, &c, &s.error), 0);
  assert_int_equal(c.one_piece, 1);
  q1[17] += 1e-9;
  assert_int_equal(rattle_certifier_check(s.certifier, 0.2, q0, p0, q1, &c, &s.error), 0);
  assert_int_equal(c.one_piece, 2);
  assert_true(c.radius > 0.5e-9 && c.radius < 4e-9);
  /* f = q0 + h p0 - h^2/2 V', and both ends lie on the line along q0 through it */
  const double x = q0[17], y = q0[117], fx = x + 0.2 * p0[17], fy = y + 0.2 * p0[117] - 0.02 / 100;
  const double along = x * fx + y * fy, across = sqrt(1 - fx * fx - fy * fy + along * along);
  q1[17] = fx - (along + across) * x, q1[117] = fy - (along + across) * y;
  assert_int_equal(rattle_certifier_check(s.certifier, 0.2, q0, p0, q1, &c, &s.error), 0);
  assert_int_equal(c.one_piece, 2);
  assert_int_equal(c.wrong, 1);
  assert_int_equal(c.is_wrong, 1);
  close_scene(&s);
}

/* A step that is not proved names a constraint of the component that is not: the only pendulum with
 * a step that is too long. */
static void test_row(void **state) {
  scene s;
  (void)state;
  if (open_scene(&s, chain(100, 1, 1), "rattle(verlet)")) fail_msg("%s", s.error.message);
  static double q1[2 * MOST];
  memcpy(q1, s.q, sizeof q1);
  for (int k = 0; k < 100; k++) s.p[k] = s.p[100 + k] = 0;
  s.p[62] = -20 * s.q[162], s.p[162] = 20 * s.q[62]; /* the line misses the circle */
  rattle_certificate c = {.struct_size = sizeof c};
  assert_int_equal(rattle_certifier_check(s.certifier, 0.1, s.q, s.p, q1, &c, &s.error), 0);
  assert_int_equal(c.open, 1);
  assert_int_equal(c.row, 62);
  /* sin of the angle is t h v = 2 t, but for the weight */
  assert_true(fabs(c.reached - 0.5) < 1e-3 && c.margin < 0);
  close_scene(&s);
}

/* Room and work of a sweep grow with the number of links. */
static void test_sizes(void **state) {
  long counts[2] = {0, 0};
  (void)state;
  for (int k = 0; k < 2; k++) {
    scene s;
    rattle__arena arena = {0};
    rattle__quadratic *g;
    rattle__sparse_curve *curve;
    int components;
    if (open_scene(&s, chain(1000 * (k + 1), 1, MOST), "rattle(verlet)"))
      fail_msg("%s", s.error.message);
    const rattle_problem *problem = s.problem;
    assert_int_equal(rattle__quadratic_create(&g, problem->g), 0);
    assert_int_equal(
        rattle__sparse_curves(&curve, &components, g, rattle__inertia(problem)->diagonal, &arena),
        0);
    assert_int_equal(components, 1);
    counts[k] = curve->J->nnz + curve->X->nnz + curve->bends + curve->term_ptr[curve->J->nnz];
    for (int i = 0; i < curve->windows; i++) {
      const rattle__sparse_window *d = &curve->window[i];
      assert_true(d->rows <= RATTLE__SPARSE_WINDOW && d->core <= RATTLE__SPARSE_CORE);
      counts[k] += d->terms + d->pushes + (long)(d->rows + d->reached + d->columns) * d->core;
    }
    rattle__sparse_curves_release(curve, components);
    rattle__arena_release(&arena);
    rattle__quadratic_destroy(&g);
    close_scene(&s);
  }
  assert_true(counts[1] > counts[0] && 50 * counts[1] < 101 * counts[0]);
}

static int components_of(const rattle_problem *problem) {
  rattle__arena arena = {0};
  rattle__quadratic *g;
  rattle__sparse_curve *curve;
  int components;
  assert_int_equal(rattle__quadratic_create(&g, problem->g), 0);
  assert_int_equal(
      rattle__sparse_curves(&curve, &components, g, rattle__inertia(problem)->diagonal, &arena), 0);
  rattle__sparse_curves_release(curve, components);
  rattle__arena_release(&arena);
  rattle__quadratic_destroy(&g);
  return components;
}

/* Pendulums whose pivots move with time, which joins no constraints. */
static void test_time(void **state) {
  scene s;
  (void)state;
  if (open_scene(&s,
                 "local N, t = 80, time() local x, px = pairs_of('x', N) "
                 "local y, py = pairs_of('y', N) local H = 0 "
                 "for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 "
                 "  constrain('rod[' .. i .. ']', (x[i] - t/5)^2 + y[i]^2 - 1) "
                 "  start { [x[i]] = 1 } end hamiltonian(H) start { project = true }",
                 "rattle(verlet)"))
    fail_msg("%s", s.error.message);
  assert_int_equal(components_of(s.problem), 80);
  const rattle_certificate c = run(&s, 0.02, 10);
  assert_int_equal(c.one_piece, 10);
  close_scene(&s);
}

static void test_refused(void **state) {
#define PAIRS                                                                                      \
  "local N = 70 local x, px = pairs_of('x', N) local y, py = pairs_of('y', N) local H = 0 "        \
  "for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i] start { [x[i]] = 1 } end "
#define LINKS "for i = 1, N do constrain('g' .. i, x[i]^2 + y[i]^2 - 1) end "
  static const struct {
    const char *text, *method, *why;
  } no[] = {
      {PAIRS LINKS "hamiltonian(H + y[1]^4)", "rattle(gauss(2))", "verlet and symplectic_euler"},
      {PAIRS LINKS "hamiltonian(H + y[1]^4)", "rattle(midpoint)", "verlet and symplectic_euler"},
      {PAIRS LINKS "hamiltonian(H + px[1]*py[1]/2)", "rattle(verlet)", "masses that are diagonal"},
      {PAIRS LINKS "hamiltonian(H) force { [x[1]] = -px[1] }", "rattle(verlet)",
       "no force depends on momenta"},
      {PAIRS LINKS "hamiltonian(H) velocity_constrain('v', velocity(y[1])*x[2] - velocity(x[2]))",
       "rattle(verlet)", "none is on velocities"},
      {PAIRS "for i = 1, N do constrain('g' .. i, x[i]^2 + sin(y[i]) - 1) end hamiltonian(H)",
       "rattle(verlet)", "polynomials of degree 2"}};
  (void)state;
  for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
    scene s;
    assert_int_equal(open_scene(&s, no[k].text, no[k].method), RATTLE_UNSUITABLE);
    if (!strstr(s.error.message, no[k].why) || !strstr(s.error.message, "more than 64"))
      fail_msg("%s", s.error.message);
    close_scene(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs), cmocka_unit_test(test_one_of_many),
      cmocka_unit_test(test_row),  cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_time), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
