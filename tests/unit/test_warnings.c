/* What is said of runs, to all who make them: rattle/warnings.h. */
#include "evaluators.h"

#define SPRING_FROM(x) "local x, px = pair('x') hamiltonian(px^2/2 + x^2/2) start { x = " x " }\n"
#define SPRING SPRING_FROM("1")
#define DRIVEN                                                                                     \
  "local x, px = pair('x') local y, py = pair('y') mass { x = 2, y = 2 }\n"                        \
  "constrain('wheel', x^2 + y^2 - 1) velocity_constrain('motor', x*velocity(y) - y*velocity(x) - " \
  "9)\n"                                                                                           \
  "start { x = 1 } velocity { y = 9 }\n"
#define TURNS                                                                                      \
  "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/4)\n"                 \
  "constrain('wheel', x^2 + y^2 - 1) start { x = 1, py = 18 }\n"
/* at rest at the start, across its own coordinates */
#define SKATE                                                                                      \
  "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"                      \
  "mass { x = 1, y = 1, a = 0.4 } potential(-x) velocity { a = 1 }\n"                              \
  "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
#define REST                                                                                       \
  "local a, pa = pair('a') local b, pb = pair('b')\n"                                              \
  "hamiltonian((pa^2 + 2*pb^2)/2 + 50*(a - b - 0.3)^2) start { a = 0.4, b = 0.1 }\n"

static void expect(const char *what, const rattle_warnings *w, const char *const *texts) {
  int count = 0;
  while (texts[count]) count++;
  for (int i = 0; i < count || i < rattle_warnings_count(w); i++)
    if (i >= count || i >= rattle_warnings_count(w) ||
        !strstr(rattle_warnings_text(w, i), texts[i]))
      fail_msg("%s: %d warnings, number %d: %s", what, rattle_warnings_count(w), i,
               rattle_warnings_text(w, i) ? rattle_warnings_text(w, i) : "none");
  assert_null(rattle_warnings_text(w, count));
  assert_null(rattle_warnings_text(w, -1));
}

/* Makes the run that r has begun; all that is said of it. */
static void run_and_expect(run *r, const char *what, long long steps, const char *const *texts) {
  rattle_warnings *w = NULL;
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = steps, .every = steps, .initial_energy = (double)NAN};
  rattle_summary summary = {.struct_size = sizeof summary};
  assert_int_equal(rattle_warnings_create(&w, r->integrator, &r->error), RATTLE_OK);
  rattle_observer *observer = rattle_warnings_observer(w, &r->state);
  (void)rattle_run(r->integrator, &r->state, &options, &observer, 1, &summary, &r->error);
  expect(what, w, texts);
  rattle_warnings_destroy(&w);
  assert_null(w);
}

static void models(void **state) {
  (void)state;
  static const struct {
    const char *text, *more, *method;
    double h;
    const char *said[3];
  } rows[] = {
      {SPRING, "", "verlet", 0.1, {NULL}},
      {SPRING, "", "verlet", 1.9, {"off by", NULL}},
      {SPRING_FROM("1e-12"), "", "verlet", 1.9, {"off by", NULL}},
      {"local a, pa = pair('a') start { a = 1.0001e-9 }\n"
       "hamiltonian(pa^2/2e-26 + 50e-26*(a - 1e-9)^2)",
       "",
       "verlet",
       0.19,
       {"off by", NULL}},
      /* what moves by round-off alone, a spring at its length */
      {REST, "", "verlet", 0.01, {NULL}},
      {REST, "", "midpoint", 0.01, {NULL}},
      /* sin of its angle is 0.9 in a step, and A v = 9 at all grid points */
      {DRIVEN, "", "rattle(verlet)", 0.1, {"'motor' is off by 23 % within steps", NULL}},
      {DRIVEN, "", "rattle(verlet)", 0.02, {NULL}},
      {DRIVEN, "", "kahan_li8(rattle(verlet))", 0.1, {NULL}},
      /* a blade that turns twice in a step looks as if it did not */
      {"local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"
       "mass { x = 1, y = 1, a = 0.5 } potential(0)\n"
       "velocity_constrain('motor', velocity(a) - 1256.6371)\n"
       "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
       "start { project = true } velocity { x = 1 }",
       "",
       "rattle(verlet)",
       0.01,
       {"'blade' turns by 12.6 radian in a step of 0.01", NULL}},
      /* the same without a motor: sin of the angle is 0.9, and energies are kept */
      {TURNS,
       "",
       "rattle(verlet)",
       0.1,
       {"'wheel' turns by 0.9 in a step of 0.1, which steps of order 2 make about 24 % too fast",
        NULL}},
      {TURNS, "", "rattle(verlet)", 0.02, {NULL}},
      /* a straight line that is multiplied with a function does not turn */
      {"local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)\n"
       "constrain('line', exp(5*x)*y) start { px = 1 }",
       "",
       "rattle(verlet)",
       0.1,
       {NULL}},
      {TURNS, "", "kahan_li8(rattle(verlet))", 0.1, {NULL}},
      {TURNS "potential(y)", "", "shake(verlet)", 0.02, {NULL}},
      {SKATE, "", "rattle(verlet)", 0.2, {NULL}},
      {SPRING, "potential(1e4*x^2)", "midpoint", 0.5, {"does not resolve the fastest", NULL}},
      {SPRING, "potential(abs(x))", "verlet", 0.01, {"abs(x) has a kink", NULL}},
      /* a row pushes along its factors, so that it counts as a force */
      {DRIVEN,
       "local z = pair('z') mass { z = 1 } velocity_constrain('cam', velocity(z) - "
       "abs(x)*velocity(x))",
       "kahan_li8(rattle(verlet))",
       0.01,
       {"abs(x) has a kink where x = 0: steps across have order 2", NULL}},
      {SPRING, "force { x = -sign(px - 9) }", "rk4", 0.01, {"chatter or fail", NULL}},
      {SPRING, "force { x = sign(x - 9) }", "gauss(2)", 0.01, {"no solution there", NULL}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    run r = {0};
    begin(&r, rows[i].text, rows[i].more, rows[i].method, RATTLE_EVALUATOR_BLOCK, rows[i].h);
    run_and_expect(&r, rows[i].more, 100, rows[i].said);
    end(&r);
  }
  run r = {0};
  begin(&r, pendulum, "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.9);
  run_and_expect(&r, "pendulum", 100, (const char *const[]){"too long", NULL});
  end(&r);
}

/* H = |p|^2/2 + 9.81 y of a pendulum, with a gradient of the wrong sign, or the right one. */
static int fall(void *wrong, const double *z, double *H, double *gradient) {
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + 9.81 * z[1];
  gradient[0] = 0, gradient[1] = wrong ? -9.81 : 9.81, gradient[2] = z[2], gradient[3] = z[3];
  return 0;
}

static int rod(void *unused, const double *z, double *g, double *jacobian) {
  (void)unused;
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  jacobian[0] = 2 * z[0], jacobian[1] = 2 * z[1], jacobian[2] = jacobian[3] = 0;
  return 0;
}

static void callbacks(void **state) {
  (void)state;
  static const char *const said[2][2] = {{NULL}, {"the derivative of H by q[1]", NULL}};
  for (int wrong = 0; wrong < 2; wrong++) {
    run r = {.z = {1, 0, 0, -2}};
    const rattle_callbacks of = {.struct_size = sizeof of,
                                 .n = 2,
                                 .m = 1,
                                 .flags = RATTLE_HOLONOMIC,
                                 .context = wrong ? &r : NULL,
                                 .hamiltonian = fall,
                                 .constraint = rod};
    assert_int_equal(rattle_problem_create_callbacks(&r.problem, &of, &r.error), RATTLE_OK);
    assert_int_equal(
        rattle_integrator_create(&r.integrator, r.problem, "rattle(midpoint)", &r.error),
        RATTLE_OK);
    r.state = (rattle_state){.q = r.z, .p = r.z + 2, .h = 0.01};
    run_and_expect(&r, "callbacks", 100, said[wrong]);
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models), cmocka_unit_test(callbacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
