/* Angles that jump, and angles that count turns. */
#include "evaluators.h"
#include "rattle/run.h"

#define RING                                                                                       \
  "local x, px = pair('x') local y, py = pair('y') constrain('ring', x^2 + y^2 - 1)\n"             \
  "start { x = 1, py = 14 }\n"
#define FREE "local x, px = pair('x') local y, py = pair('y') start { x = -1, y = 0.5, py = -1 }\n"
#define MOVES "hamiltonian((px^2 + py^2)/2) "
/* A wheel on a spiral spring, angle'' = -4 angle: in the plane, in space alone and on a body that
 * turns with it. */
#define WHEEL                                                                                      \
  "local mech = require 'mechanics'\n"                                                             \
  "local a = mech.body { name = 'a', mass = 1, inertia = {0.3, 0.3, 0.5}, spin = {0, 0, 8} }\n"    \
  "mech.revolute('axle', a, mech.ground)\n"
#define FLAT                                                                                       \
  "local mech = require 'mechanics'\n"                                                             \
  "local a = mech.planar { name = 'a', mass = 1, inertia = 0.5, spin = 8 }\n"                      \
  "mech.revolute('axle', a, mech.ground)\n"
#define SPRING "mech.torsion_spring(a:at(0, 0, 0), mech.ground:at(0, 0, 0), { k = 2 })\n"

typedef struct made {
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  double z[64];
} made;

static void make(made *m, const char *text, const char *method, double h) {
  rattle_error error = {0};
  rattle_model *model = NULL;
  *m = (made){.state = {.h = h}};
  if (rattle_model_parse(&model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&m->problem, model, NULL, &error) ||
      rattle_integrator_create(&m->integrator, m->problem, method, &error))
    fail_msg("%s\n%s: %s", text, method, error.message);
  const int n = rattle_problem_n(m->problem);
  assert_true(2 * n <= (int)(sizeof m->z / sizeof *m->z));
  m->state.q = m->z, m->state.p = m->z + n;
  assert_int_equal(rattle_problem_start(m->problem, 0, m->state.q, m->state.p, NULL, &error), 0);
  rattle_model_destroy(&model);
}

static void drop(made *m) {
  rattle_integrator_destroy(&m->integrator);
  rattle_problem_destroy(&m->problem);
}

static double observed(made *m) {
  double seen[4];
  assert_int_equal(rattle_problem_observe(m->problem, m->state.q, m->state.p, seen, NULL), 0);
  return seen[0];
}

/* Whether 2 units of time end, and where not, with a sentence about the angle at the step before
 * it jumps. */
static void jumps(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *method;
    int fails; /* 1: at pi, 2: at pi/2, 3: at (0, 0) */
  } rows[] = {
      {RING MOVES "potential(atan2(y, x)^2)", "rattle(verlet)", 1},
      {RING MOVES "potential(atan2(y, x)^2)", "suzuki4(rattle(verlet))", 1},
      {RING MOVES "potential(atan2(y, x)^2)", "rattle(midpoint)", 1},
      {RING MOVES "potential(0.1*cos(atan2(y, x)/2))", "rattle(verlet)", 1},
      {RING MOVES "potential(0.1*cos(2.5*atan2(y, x)))", "rattle(verlet)", 1},
      {RING MOVES "local a = pair('a') force { a = atan2(y, x) }", "rattle(midpoint)", 1},
      {RING "local s, ps = pair('s') constrain('winds', s - atan2(y, x)) start { ps = 14 }\n"
            "hamiltonian((px^2 + py^2 + ps^2)/2)",
       "rattle(verlet)", 1},
      /* whose direction goes through (0, 0) */
      {RING MOVES "potential((2*atan2(y, 1 + x))^2/2)", "rattle(verlet)", 1},
      {RING MOVES "potential((2*atan2(-y, 1 + x))^2/2)", "suzuki4(rattle(midpoint))", 1},
      {FREE "start { replace = true, x = 1, px = -1, y = 0, py = 0 }\n" MOVES
            "potential(1e-30*atan2(y, x))",
       "verlet", 3},
      /* so may none that is counted */
      {FREE "start { replace = true, x = 1, px = -1, y = 0, py = 0 }\n" MOVES
            "observe('a', turning_angle(y, x))",
       "verlet", 3},
      {FREE "start { replace = true, x = 0.375, px = -0.7, y = 0.75, py = -1.4 }\n" MOVES
            "observe('a', turning_angle(y, x))",
       "verlet", 3},
      {RING MOVES "observe('a', turning_angle(y, 1 + x))", "rattle(verlet)", 3},
      /* atan, which jumps by pi */
      {RING MOVES "potential(atan(y/x)^2)", "rattle(verlet)", 2},
      {RING MOVES "potential(atan(-3*y/(2*x))/7)", "suzuki4(rattle(verlet))", 2},
      {RING MOVES "potential(0.1*sin(atan(y/x)))", "rattle(midpoint)", 2},
      {RING MOVES "potential(0.1*(2*atan(0.5*tan(atan2(y, x)/2)))^2)", "rattle(verlet)", 2},
      {RING MOVES "local a = pair('a') force { a = atan(y/x) }", "rattle(midpoint)", 2},
      {RING MOVES "potential(0.1*cos(2*atan(y/x)) + tan(atan(y/x)/4)^2*0 + sin(atan(y/x))^2)",
       "rattle(verlet)", 0},
      {RING MOVES "potential(0.1*atan(y/sqrt(x^2 + 0.01)))", "rattle(verlet)", 0},
      {RING MOVES "potential(0.01*(atan(y/x) + where(lt(x, 0), math.pi, 0)))", "rattle(verlet)", 0},
      {FREE MOVES "potential(0.1*atan(y/(x - 3)))", "verlet", 0},
      /* of period 2 pi, by whole numbers and what is added */
      {RING MOVES "potential(0.1*cos(2*atan2(y, x) - 1) + sin(x - 3*atan2(y, x)))",
       "rattle(verlet)", 0},
      /* past the cut, on its other side, and at its end */
      {FREE MOVES "potential(0.1*atan2(-y, -x))", "verlet", 0},
      {FREE MOVES "potential(0.1*atan2(abs(y), x))", "verlet", 0},
      {FREE MOVES "potential(0.1*atan2(y, x))", "verlet", 1},
      /* seen alone, and where something else says that it jumps */
      {RING MOVES "potential(y) observe('a', atan2(y, x)) event('a', atan2(y, x) - 1)",
       "rattle(verlet)", 0},
      {RING MOVES "potential(0.1*wrap(3*x, 4)^2)", "rattle(verlet)", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    made m;
    rattle_error error = {0};
    make(&m, rows[i].text, rows[i].method, 0.01);
    const rattle_status status = rattle_integrator_step(m.integrator, &m.state, 200, &error);
    if ((status != RATTLE_OK) != (rows[i].fails > 0))
      fail_msg("%s, %s: %d %s", rows[i].text, rows[i].method, (int)status, error.message);
    if (rows[i].fails) {
      if (!strstr(error.message, rows[i].fails < 3 ? "turning_angle" : "(0, 0)"))
        fail_msg("%s: %s", rows[i].text, error.message);
      /* the state is that of the last good step, and stays so */
      const double x = m.state.q[0], y = m.state.q[1];
      assert_true(m.state.step > 0 && error.step == m.state.step);
      const double from[] = {2.5, 1.4, 0};
      assert_true(fabs(atan2(y, x)) >= from[rows[i].fails - 1]);
      assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 1, NULL), status);
      assert_true(m.state.q[0] == x && m.state.q[1] == y);
    }
    drop(&m);
  }
}

static double swing(double size, double rate, double t) {
  return size * sin(rate * t);
}

static void turns(void **unused) {
  (void)unused;
  const double root = sqrt(2);
  const struct {
    const char *text, *method;
    double h, size, rate, tolerance;
  } rows[] = {
      {RING MOVES "local a = turning_angle(y, x) potential(a^2) observe('a', a)",
       "kahan_li8(rattle(verlet))", 0.01, 14 / root, root, 1e-10},
      {RING MOVES "local a = turning_angle(y, x) potential(a^2) observe('a', a)",
       "rattle(midpoint)", 1. / 1024, 14 / root, root, 1e-3},
      {RING MOVES "potential(turning_angle(y, x)^2) observe('a', turning_angle(y, x))",
       "rattle(verlet, compensated)", 1. / 1024, 14 / root, root, 1e-3},
      {WHEEL SPRING "observe('a', mech.angle(a, mech.ground))", "kahan_li8(rattle(verlet))", 0.02,
       4, 2, 1e-10},
      {WHEEL SPRING "observe('a', -mech.angle(mech.ground, a))", "kahan_li8(rattle(verlet))", 0.02,
       4, 2, 1e-10},
      {FLAT "mech.torsion_spring(a, mech.ground, { k = 2 }) observe('a', a.angle)",
       "kahan_li8(rattle(verlet))", 0.02, 4, 2, 1e-10},
      /* as torque */
      {WHEEL "mech.motor(a:at(0, 0, 0), mech.ground, -2*mech.angle(a, mech.ground))\n"
             "observe('a', mech.angle(a, mech.ground))",
       "suzuki4(rattle(midpoint))", 0.02, 4, 2, 1e-4},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int back = 0; back < 2; back++) {
      made m;
      rattle_error error = {0};
      make(&m, rows[i].text, rows[i].method, back ? -rows[i].h : rows[i].h);
      for (int k = 0; k < 12; k++) {
        const long long steps = (long long)ceil(0.3 / rows[i].h);
        if (rattle_integrator_step(m.integrator, &m.state, steps, &error))
          fail_msg("%s, %s: %s", rows[i].text, rows[i].method, error.message);
        const double t = m.state.h * (double)m.state.step,
                     right = swing(rows[i].size, rows[i].rate, t), seen = observed(&m);
        if (!(fabs(seen - right) < rows[i].tolerance))
          fail_msg("%s, %s: %.17g, and not %.17g, at %g", rows[i].text, rows[i].method, seen, right,
                   t);
      }
      drop(&m);
    }
}

/* A state is all that is needed to go on, and a step too long says so. */
static void states(void **unused) {
  (void)unused;
  static const char text[] = WHEEL SPRING "observe('a', mech.angle(a, mech.ground))";
  made whole, part;
  rattle_error error = {0};
  make(&whole, text, "rattle(verlet)", 0.01);
  make(&part, text, "rattle(verlet)", 0.01);
  assert_int_equal(rattle_integrator_step(whole.integrator, &whole.state, 60, NULL), 0);
  memcpy(part.z, whole.z, sizeof whole.z);
  part.state.step = 60;
  assert_true(observed(&part) > 3.5);
  assert_int_equal(rattle_integrator_step(whole.integrator, &whole.state, 60, NULL), 0);
  assert_int_equal(rattle_integrator_step(part.integrator, &part.state, 60, NULL), 0);
  assert_memory_equal(part.z, whole.z, sizeof whole.z);
  drop(&part), drop(&whole);

  make(&part, FREE MOVES "potential((x^2 + y^2)/2) observe('a', turning_angle(y, x))", "midpoint",
       10);
  assert_int_equal(rattle_integrator_step(part.integrator, &part.state, 9, &error), RATTLE_DOMAIN);
  assert_non_null(strstr(error.message, "quarter of a turn"));
  drop(&part);
  make(&part, text, "multistep4", 0.001);
  assert_int_equal(rattle_integrator_step(part.integrator, &part.state, 500, &error),
                   RATTLE_DOMAIN);
  assert_non_null(strstr(error.message, "keeps past steps"));
  drop(&part);
}

/* Angles that are seen alone change sizes of steps by no more than differences do, whose round-off
 * is that of the largest coordinate. */
static void adapted(void **unused) {
  (void)unused;
  static const char *const rows[][2] = {
      {"hamiltonian((px^2 + py^2)/2 - 1/sqrt(x^2 + y^2))", "adaptive(verlet)"},
      {"hamiltonian((px^2 + py^2 + x^2 + y^2)/2)", "adaptive(verlet)"},
      {"hamiltonian((px^2 + py^2)*(1 + 0.1*x)/2 - 1/sqrt(x^2 + y^2))", "adaptive(midpoint)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    made m[2];
    double first[2][4];
    for (int k = 0; k < 2; k++) {
      char text[400];
      rattle_error error = {0};
      snprintf(text, sizeof text,
               "local x, px = pair('x') local y, py = pair('y') start { x = 1, py = 1.2 }\n%s%s",
               rows[i][0], k ? " observe('a', turning_angle(y, x))" : "");
      make(&m[k], text, rows[i][1], 0.02);
      if (rattle_integrator_step(m[k].integrator, &m[k].state, 500, &error))
        fail_msg("%s, %s: %s", text, rows[i][1], error.message);
      memcpy(first[k], m[k].state.q, 2 * sizeof(double));
      memcpy(first[k] + 2, m[k].state.p, 2 * sizeof(double));
    }
    for (int c = 0; c < 4; c++)
      if (!(fabs(first[0][c] - first[1][c]) < 1e-6))
        fail_msg("%s: %g and %g", rows[i][0], first[0][c], first[1][c]);
    const double turned = observed(&m[1]);
    assert_true(fabs(remainder(turned - atan2(first[1][1], first[1][0]), 2 * acos(-1))) < 1e-9);
    drop(&m[0]), drop(&m[1]);
  }
}

/* An even turn by rate 64 that is fast for the step: known where it is below half a turn, else the
 * step fails, as all do that end on another turn. */
static void fast(void **unused) {
  (void)unused;
  static const char plain[] = "local a, pa = pair('a') mass { a = 1 } potential(0*a^2)",
                    other[] = "local a, pa = pair('a') local b, pb = pair('b')\n"
                              "hamiltonian(pa^2/(2 + b^2) + pb^2/2)",
                    seen[] = "start { pa = 64 } observe('t', turning_angle(sin(a), cos(a)))",
                    phase[] = "local a, pa = pair('a') hamiltonian(32*(pa^2 + a^2))\n"
                              "start { pa = 1 } observe('t', turning_angle(a, pa))\n"
                              "flow(function(h) local c, s = cos(64*h), sin(64*h)\n"
                              "return { a = a*c + pa*s, pa = pa*c - a*s } end)",
                    nothing[] = "";
  const struct {
    const char *text, *seen, *method;
  } rows[] = {{plain, seen, "verlet"},
              {other, seen, "midpoint"},
              {phase, nothing, "exact"},
              {plain,
               "start { pa = 64 } potential(0*turning_angle(sin(a), cos(a))^2)\n"
               "observe('t', turning_angle(sin(a), cos(a)))",
               "suzuki4(verlet)"}};
  static const double turned[] = {0.5, 1.5, 1.57, 3, 3.2, 5, 6.2, 6.28, 6.5, 9, 9.5, 12.6, 600};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t k = 0; k < 2 * sizeof turned / sizeof *turned; k++) {
      made m;
      char text[600];
      rattle_error error = {0};
      const double h = (k % 2 ? -1 : 1) * turned[k / 2] / 64;
      snprintf(text, sizeof text, "%s %s", rows[i].text, rows[i].seen);
      make(&m, text, rows[i].method, h);
      const rattle_status status = rattle_integrator_step(m.integrator, &m.state, 5, &error);
      if (status) {
        assert_int_equal(status, RATTLE_DOMAIN);
        assert_non_null(strstr(error.message, "use a smaller step"));
      } else if (fabs(observed(&m) - 320 * h) > 1e-9) {
        fail_msg("%s, %s: %g turned %g", text, rows[i].method, 320 * h, observed(&m));
      }
      if (turned[k / 2] < 1.6) assert_int_equal(status, RATTLE_OK);
      drop(&m);
    }
}

/* A straight way past the origin turns by less than half a turn, however fast it does where it is
 * nearest. */
static void past_the_origin(void **unused) {
  (void)unused;
  for (double apart = 1; apart > 1e-9; apart /= 8)
    for (int k = 0; k < 8; k++) {
      made m;
      char text[300];
      rattle_error error = {0};
      snprintf(text, sizeof text,
               "local x, px = pair('x') local y, py = pair('y') mass { x = 1, y = 1 }\n"
               "potential(1e-300*%s) observe('a', turning_angle(x, -y))\n"
               "start { x = %.17g, y = %.17g, px = 1 }",
               k % 2 ? "x^2" : "atan2(x, -y)", -2 - k / 8., -apart);
      make(&m, text, "verlet", 1);
      if (rattle_integrator_step(m.integrator, &m.state, 5, &error))
        fail_msg("%s: %s", text, error.message);
      assert_true(fabs(observed(&m) - atan2(3 - k / 8., apart)) < 1e-9);
      drop(&m);
    }
}

/* Machine code that makes many steps at a time looks at angles too. */
static void many_at_a_time(void **unused) {
  (void)unused;
  run r = {0};
  if (!native()) skip();
  begin(&r, RING MOVES, "local a = turning_angle(y, x) potential(a^2) observe('a', a)",
        "rattle(verlet)", RATTLE_EVALUATOR_NATIVE, 1. / 4096);
  for (int k = 0; k < 8; k++) {
    double seen;
    assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 1024, &r.error), 0);
    assert_int_equal(rattle_problem_observe(r.problem, r.state.q, r.state.p, &seen, NULL), 0);
    assert_true(fabs(seen - swing(14 / sqrt(2), sqrt(2), (k + 1) / 4.)) < 1e-4);
  }
  assert_string_equal(rattle_integrator_kernel(r.integrator), "native");
  end(&r);
  r = (run){0};
  begin(&r, RING MOVES, "potential(atan2(y, x)^2)", "rattle(verlet)", RATTLE_EVALUATOR_NATIVE,
        1. / 4096);
  assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 4096, &r.error), RATTLE_DOMAIN);
  assert_true(r.state.q[0] < -0.999 && r.state.q[1] > 0 && r.state.step > 900);
  end(&r);
  /* nearly a whole turn in each step */
  static const char *const angles[] = {"observe('t', turning_angle(sin(a), cos(a)))",
                                       "potential(1e-9*atan2(sin(a), cos(a) + 0.01)^2)"};
  for (int k = 0; k < 2; k++) {
    r = (run){0};
    begin(&r,
          RING "local a, pa = pair('a') hamiltonian((px^2 + py^2 + pa^2)/2)\n"
               "start { replace = true, py = 0, pa = 64 }",
          angles[k], "rattle(verlet)", RATTLE_EVALUATOR_NATIVE, 6.28 / 64);
    assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 50, &r.error), RATTLE_DOMAIN);
    assert_true(r.state.step == 0 && r.state.q[2] == 0);
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps),         cmocka_unit_test(turns), cmocka_unit_test(states),
      cmocka_unit_test(adapted),       cmocka_unit_test(fast),  cmocka_unit_test(past_the_origin),
      cmocka_unit_test(many_at_a_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
