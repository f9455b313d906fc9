/* Constraints that begin and end: several at one time, every method, the same bits, events beside
 * them, and what is refused. */
#include "changes.h"

/* Newton's cradle: the momentum goes through at one time. Two plates that nothing separates throw
 * a ball to and fro without an end, which is said. */
static void test_at_one_time(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
                "mass { x = 2, y = 2, z = 2 }\npotential(0)\nstart { y = 1, z = 1, px = 2 }\n"
                "constrain('a', y - x)\nconstrain('b', z - y)\n"
                "one_sided { constraint = 'a', restitution = 1 }\n"
                "one_sided { constraint = 'b', restitution = 1 }\n",
                "rattle(verlet)", 0.3, 0);
  run(&m, 10, t);
  assert_int_equal(t->count, 2);
  near(t->is[0].time, 1, 1e-15), near(t->is[1].time, 1, 1e-15);
  near(m.state.p[0], 0, 0), near(m.state.p[1], 0, 0), near(m.state.p[2], 2, 0);
  near(m.state.q[2], 3, 1e-14);
  unmake(&m);
  free(t);
  m = make("local x, px = pair('x')\nmass { x = 2 }\npotential(0)\nstart { px = 2 }\n"
           "constrain('left', x)\nconstrain('right', -x)\n"
           "one_sided { constraint = 'left', restitution = 1 }\n"
           "one_sided { constraint = 'right', restitution = 1 }\n",
           "rattle(verlet)", 0.3, 0);
  rattle_error error;
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 1, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "without an end"));
  near(m.state.q[0], 0, 0), near(m.state.p[0], 2, 0); /* the last good one */
  unmake(&m);
}

static void test_methods(void **unused) {
  (void)unused;
  static const char *const method[] = {"rattle(verlet)", "suzuki4(rattle(midpoint))",
                                       "shake(verlet)", "multistep4", "rattle(gauss(2))"};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
    made m = make(BALL, method[k], 0.01, 0);
    const rattle_summary s = run(&m, 130, t);
    const double first = sqrt(2 / G);
    assert_true(t->count >= 4);
    for (int i = 0; i < 4; i++) near(t->is[i].time, first * (3 - pow(0.5, i - 1)), 1e-11);
    near(s.energy_max_relative_error, 0, 1e-12);
    unmake(&m);
  }
  free(t);
}

/* Steps are functions of their start alone: one integrator, and one for each step. */
static void test_bits(void **unused) {
  (void)unused;
  static const char *const method[] = {"rattle(verlet)", "multistep4"};
  static const int steps[] = {140, 130}; /* past the last bounce; before it */
  for (int k = 0; k < 2; k++) {
    made m = make(BALL, method[k], 0.01, 0), other = make(BALL, method[k], 0.01, 0);
    rattle_error error;
    const size_t extra = (size_t)rattle_integrator_extra(m.integrator);
    double *memory = calloc(extra + 1, sizeof *memory);
    assert_non_null(memory);
    if (rattle_integrator_step(m.integrator, &m.state, steps[k], &error))
      fail_msg("%s", error.message);
    for (int i = 0; i < steps[k]; i++) {
      rattle_integrator *fresh;
      if (rattle_integrator_create(&fresh, other.problem, method[k], &error))
        fail_msg("%s", error.message);
      if (i) rattle_integrator_set_extra(fresh, memory);
      assert_int_equal(rattle_integrator_step(fresh, &other.state, 1, &error), 0);
      rattle_integrator_get_extra(fresh, memory);
      rattle_integrator_destroy(&fresh);
    }
    assert_memory_equal(m.state.q, other.state.q, 2 * (size_t)m.n * sizeof(double));
    double *same = calloc(extra + 1, sizeof *same);
    assert_non_null(same);
    rattle_integrator_get_extra(m.integrator, same);
    assert_memory_equal(memory, same, extra * sizeof *same);
    free(same), free(memory);
    unmake(&m), unmake(&other);
  }
}

/* Other events are found in steps with changes, on either side of them. */
static void test_events(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make(BALL "event('down', y - 0.02, { direction = -1 })\n"
                     "event('up', y - 0.02, { direction = 1 })\nevent('turns', py)\n",
                "rattle(verlet)", 0.1, 0);
  run(&m, 6, t);
  static const char *const name[] = {"down", "floor", "turns", "up"};
  const double hit = sqrt(2 / G), v = sqrt(2 * G),
               rise = (v / 2 - sqrt(v * v / 4 - 2 * G * 0.02)) / G,
               time[] = {sqrt(2 * 0.98 / G), hit, hit, hit + rise};
  assert_int_equal(t->count, 4);
  for (int i = 0; i < 4; i++) {
    int found = 0; /* two are at one time */
    for (int j = 0; j < 4; j++)
      if (!strcmp(t->is[j].name, name[i])) found = 1, near(t->is[j].time, time[i], 1e-13);
    assert_true(found);
  }
  unmake(&m);
  free(t);
}

/* A ball that flies by at speed 10 cuts 1 mm deep into a floor that bulges, within one step: its
 * chord is missed by signs at both ends of the step, and found. */
static void test_within_a_step(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 2, y = 2 }\n"
                "potential(0)\nstart { x = -1, y = 0.999, px = 20 }\n"
                "constrain('bulge', x^2 + y^2 - 1)\n"
                "one_sided { constraint = 'bulge', restitution = 1 }\n",
                "rattle(verlet)", 0.0301, 0);
  run(&m, 10, t);
  const double nx = -sqrt(1 - 0.999 * 0.999), ny = 0.999, normal = 10 * nx;
  assert_int_equal(t->count, 1);
  near(t->is[0].time, (1 + nx) / 10, 1e-14);
  near(m.state.p[0], 20 - 4 * normal * nx, 1e-12), near(m.state.p[1], -4 * normal * ny, 1e-12);
  unmake(&m);
  free(t);
}

static void refused(const char *text, const char *why) {
  rattle_model *model;
  rattle_error error;
  char whole[800];
  snprintf(whole, sizeof whole, "local y, py = pair('y')\nmass { y = 2 }\npotential(y)\n%s", text);
  assert_int_not_equal(rattle_model_parse(&model, whole, "m.lua", NULL, &error), 0);
  if (!strstr(error.message, why)) fail_msg("%s, not: %s", error.message, why);
}

static void test_texts(void **unused) {
  (void)unused;
  refused("switch { constraint = 'rod', ends = y }", "there is no constraint \"rod\"");
  refused("constrain('f', y)\nswitch { constraint = 'f' }", "never begins and never ends");
  refused(
      "constrain('f', y)\none_sided { constraint = 'f' }\nswitch { constraint = 'f', ends = y }",
      "name is taken by another switch");
  refused("constrain('f', y)\none_sided { constraint = 'f' }\n"
          "switch { constraint = 'f', name = 'g', ends = y }",
          "belongs to the switch \"f\"");
  refused("constrain('f', y)\none_sided { constraint = 'f', restitution = 2 }", "from 0 to 1");
  refused("constrain('f', y)\none_sided { constraint = 'f', hold = true }",
          "unknown option \"hold\"");
  refused("constrain('f', y)\nconstrain('g', y - 1)\n"
          "switch { constraint = { 'f', 'g' }, begins = y, restitution = 1 }",
          "of one constraint");
  refused("constrain('f', y)\nswitch { constraint = 'f', ends = y, either = true }",
          "about begins");
  refused("constrain('f', y)\nswitch { constraint = 'f', ends = y > 1 }", "comparison");
  refused("constrain('f', y)\nswitch { constraint = { 'f', 'f' }, ends = y }", "named twice");
}

/* A floor that rises cannot begin where another one holds the ball: the error is its own. */
static void test_dependent(void **unused) {
  (void)unused;
  made m =
      make("local x, px = pair('x') local y, py = pair('y') mass { x = 1, y = 1 }\n"
           "potential(0) start { x = 0, px = 1 }\n"
           "constrain('first', y) switch { constraint = 'first', active = true, ends = x - 9 }\n"
           "local t = time() constrain('second', 2*y - t + 0.055) switch { constraint = 'second', "
           "begins = t - 0.055 }\n",
           "rattle(verlet)", 0.01, 0);
  rattle_error error;
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 9, &error), RATTLE_SINGULAR);
  if (strcmp(error.where, "second") != 0) fail_msg("%s: %s", error.where, error.message);
  assert_int_equal(m.state.step, 5);
  unmake(&m);
}

static void test_unsuitable(void **unused) {
  (void)unused;
  static const char *const method[] = {"adaptive(rattle(verlet))", "rattle(verlet, compensated)",
                                       "rattle(midpoint, quad)"};
  made m = make(BALL, "rattle(verlet)", 0.01, 0);
  rattle_error error;
  for (int k = 0; k < 3; k++) {
    rattle_integrator *none;
    assert_int_equal(rattle_integrator_create(&none, m.problem, method[k], &error),
                     RATTLE_UNSUITABLE);
    assert_non_null(strstr(error.message, "constraints that begin and end"));
  }
  rattle_tangent *tangent;
  assert_int_equal(rattle_tangent_create(&tangent, m.problem, "rattle(verlet)", &error),
                   RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "begin and end"));
  unmake(&m);
}

/* A switch that the model cannot have leaves it as it was, with room for another one. */
static void test_refused_changes_nothing(void **state) {
  (void)state;
  const char *text = "local y, py = pair('y') mass { y = 2 } potential(2*9.81*y) start { y = 1 }\n"
                     "constrain('floor', y) local taken = pair('floor.idle[1]')\n"
                     "mass { ['floor.idle[1]'] = 1 } event('floor', y - 0.5) %s\n"
                     "one_sided { constraint = 'floor', name = 'stop', restitution = 0.5 }";
  static const char *const first[] = {
      "", "assert(not pcall(one_sided, { constraint = 'floor' }))",
      "assert(not pcall(one_sided, { constraint = 'floor', name = 'stop', restitution = 2 }))"};
  rattle_summary last[3];
  for (int k = 0; k < 3; k++) {
    char all[600];
    seen_changes t;
    snprintf(all, sizeof all, text, first[k]);
    made m = make(all, "rattle(verlet)", 0.01, 0);
    last[k] = run(&m, 60, &t);
    assert_int_equal(m.n, 5);
    near(last[k].energy_final, 2 * 9.81, 1e-12);
    assert_memory_equal(&last[k].energy_final, &last[0].energy_final, sizeof(double));
    unmake(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_at_one_time),   cmocka_unit_test(test_methods),
      cmocka_unit_test(test_bits),          cmocka_unit_test(test_events),
      cmocka_unit_test(test_within_a_step), cmocka_unit_test(test_texts),
      cmocka_unit_test(test_unsuitable),    cmocka_unit_test(test_refused_changes_nothing),
      cmocka_unit_test(test_dependent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
