/* Constraints that begin and end at events, against closed forms: impact, ropes, release, docking,
 * friction that sticks; other units, plane and space. */
#include "changes.h"

static int place(const made *m, const char *name) {
  for (int k = 0; k < m->n; k++)
    if (!strcmp(rattle_model_coordinate_name(m->model, k), name)) return k;
  fail_msg("no coordinate %s", name);
  return -1;
}

/* Mass, length and time in units of the first three. */
static made ball(double mass, double length, double time, double e, double h) {
  char text[500];
  const double g = G * length / time / time;
  snprintf(text, sizeof text,
           "local y, py = pair('y')\nmass { y = %.17g }\npotential(%.17g*y)\nstart { y = %.17g }\n"
           "constrain('floor', y)\none_sided { constraint = 'floor', restitution = %.17g }\n",
           2 * mass, 2 * mass * g, 1.5 * length, e);
  return make(text, "rattle(verlet)", h * time, 0);
}

static void test_bouncing_ball(void **unused) {
  (void)unused;
  static const double unit[][3] = {{1, 1, 1}, {1e-27, 1e-9, 1e-12}, {3e20, 7e8, 86400}};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int u = 0; u < 3; u++)
    for (int k = 0; k <= 4; k++) {
      const double e = 0.25 * k, M = unit[u][0], L = unit[u][1], T = unit[u][2],
                   first = sqrt(2 * 1.5 / G), energy = 2 * G * 1.5;
      made m = ball(M, L, T, e, 0.0123);
      const rattle_summary s = run(&m, 400, t);
      double time = first, flight = 2 * first * e, left = 1;
      for (int i = 0; i < t->count && i < 6 && (e > 0 || !i); i++) {
        near(t->is[i].time / T, time, 1e-12);
        left *= e * e;
        near(t->is[i].work / (M * L * L / T / T), energy * (left - 1), 1e-11);
        near(t->is[i].p[0] / (M * L / T), 2 * G * first * pow(e, i + 1), 1e-11);
        time += flight, flight *= e;
      }
      near(s.energy_max_relative_error, 0, 1e-13);
      if (e == 0) assert_int_equal(t->count, 1);
      if (e == 1) assert_int_equal(t->count, 4);
      if (e < 1) { /* at rest from t1 (1 + e)/(1 - e) on */
        near(t->is[t->count - 1].time / T, first * (1 + e) / (1 - e), 1e-7);
        near(t->is[t->count - 1].q[place(&m, "floor.on")], 1, 0);
        near(m.state.q[0] / L, 0, 1e-15), near(m.state.p[0], 0, 0);
        near(m.state.q[place(&m, "floor.lost")] / (M * L * L / T / T), energy, 1e-11);
      }
      unmake(&m);
    }
  free(t);
}

/* A mass 3 falls from (0.6, 0) until a rope of length 1 from the origin is taut at (0.6, -0.8), with
 * the vertical plane turned by an angle in space. */
static void test_rope(void **unused) {
  (void)unused;
  static const char *const space =
      "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
      "mass { x = 3, y = 3, z = 3 }\npotential(3*9.81*z)\nstart { x = 0.36, y = 0.48 }\n"
      "constrain('rope', 1 - x^2 - y^2 - z^2)\n"
      "one_sided { constraint = 'rope', restitution = %g }\n";
  static const double e[] = {0, 0.5, 1};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int k = 0; k < 3; k++) {
    char text[500];
    snprintf(text, sizeof text, space, e[k]);
    made m = make(text, "rattle(verlet)", 0.01, 0);
    const rattle_summary s = run(&m, 41, t); /* the second impact is later */
    const double v = sqrt(2 * G * 0.8), radial = 0.8 * v;
    assert_int_equal(t->count, 1);
    near(t->is[0].time, v / G, 1e-13);
    /* p+ = p - (1 + e) (p n) n, n = (0.36, 0.48, -0.8) */
    near(t->is[0].p[0], -3 * (1 + e[k]) * radial * 0.36, 1e-12);
    near(t->is[0].p[1], -3 * (1 + e[k]) * radial * 0.48, 1e-12);
    near(t->is[0].p[2], -3 * v + 3 * (1 + e[k]) * radial * 0.8, 1e-12);
    near(t->is[0].work, -1.5 * radial * radial * (1 - e[k] * e[k]), 1e-12);
    near(t->is[0].q[place(&m, "rope.on")], e[k] == 0, 0);
    near(s.work, t->is[0].work, 1e-12);
    near(s.energy_max_error, 0, 1e-3);
    unmake(&m);
  }
  free(t);
}

/* A ball of mass 2 is thrown up with speed 8 from (0.6, -0.6), until a rope of length 1 from the
 * origin catches it at (0.6, 0.8) with speed 6, of which 4.8 is along the rope and 3.6 across: after
 * (8 - 6)/10, by the impulse 2 (1 + e) 4.8. In the plane, and with that plane turned in space. */
static void test_thrown(void **unused) {
  (void)unused;
  static const char *const plane =
                               "mech.gravity(0, -10)\nlocal ball = mech.planar { name = 'ball', "
                               "at = {0.6, -0.6}, velocity = {0, 8}, ",
                           *const space =
                               "mech.gravity(0, 0, -10)\nlocal ball = mech.body { name = "
                               "'ball', at = {0.36, 0.48, -0.6}, velocity = {0, 0, 8}, ",
                           *const rope =
                               "shape = mech.ball { mass = 2, radius = 0.1 } }\nlocal rope = "
                               "mech.rope('rope', {mech.ground:at(0, 0, 0), ball}, { length = 1, "
                               "slack = true, restitution = %g })\n"
                               "observe('tension', rope:tension())\nobserve('on', rope.on)\n"
                               "observe('lost', rope.lost)\n";
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int k = 0; k < 4; k++) {
    const int in_space = k > 1, bounces = k % 2;
    const double e = bounces * 0.5, push = 2 * (1 + e) * 4.8;
    char text[600] = "local mech = require 'mechanics'\n";
    strcat(text, in_space ? space : plane);
    snprintf(text + strlen(text), sizeof text - strlen(text), rope, e);
    made m = make(text, "rattle(verlet)", 0.011, 0);
    run(&m, 19, t); /* to 0.209 */
    assert_int_equal(t->count, 1);
    const change *is = &t->is[0];
    near(is->time, 0.2, 1e-14);
    near(is->p[place(&m, "ball.x")], -push * (in_space ? 0.36 : 0.6), 1e-12);
    near(is->p[place(&m, "ball.y")], in_space ? -push * 0.48 : 12 - push * 0.8, 1e-12);
    if (in_space) near(is->p[place(&m, "ball.z")], 12 - push * 0.8, 1e-12);
    near(is->work, -4.8 * 4.8 * (1 - e * e), 1e-12);
    double seen[3]; /* the tension m (v^2 + g.n), g.n = -8 */
    rattle_error error;
    assert_int_equal(rattle_problem_observe(m.problem, is->q, is->p, seen, &error), RATTLE_OK);
    near(seen[0], bounces ? 0 : 2 * (3.6 * 3.6 - 8), 1e-11);
    near(seen[1], !bounces, 0);
    near(seen[2], -is->work, 1e-12);
    unmake(&m);
  }
  free(t);
}

/* A pendulum whose rope is cut flies on a parabola, without a force of the rope. */
static void test_cut(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 2, y = 2 }\n"
                "potential(2*9.81*y)\nstart { x = 1 }\nconstrain('rope', x^2 + y^2 - 1)\n"
                "switch { constraint = 'rope', active = true, ends = -x - 0.1 }\n"
                "observe('tension', lambda('rope'))\n",
                "rattle(verlet)", 0.01, 0);
  run(&m, 120, t);
  assert_int_equal(t->count, 1);
  assert_int_equal(t->is[0].direction, -1);
  near(t->is[0].q[0], -0.1, 1e-14);
  near(t->is[0].work, 0, 0);
  const change *c = &t->is[0];
  const double tau = 1.2 - c->time;
  near(m.state.q[0], c->q[0] + c->p[0] / 2 * tau, 1e-13);
  near(m.state.q[1], c->q[1] + c->p[1] / 2 * tau - G * tau * tau / 2, 1e-13);
  near(m.state.p[0], c->p[0], 1e-13);
  double tension = 1;
  assert_int_equal(rattle_problem_observe(m.problem, m.state.q, m.state.p, &tension, NULL), 0);
  near(tension, 0, 0);
  unmake(&m);
  free(t);
}

/* A mass that slides on a ball of radius R with speed v0 at its top leaves it at the height
 * (v0^2 + 2 g R)/(3 g). */
static void test_leaves_a_ball(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m =
      make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 2, y = 2 }\n"
           "potential(2*9.81*y)\nstart { y = 1.5, px = 2 }\nconstrain('ball', x^2 + y^2 - 2.25)\n"
           "one_sided { constraint = 'ball', active = true }\n",
           "suzuki4(rattle(verlet))", 0.01, 0);
  run(&m, 100, t);
  assert_int_equal(t->count, 1);
  near(t->is[0].q[1], (1 + 2 * G * 1.5) / (3 * G), 1e-7);
  assert_true(hypot(m.state.q[0], m.state.q[1]) > 1.6);
  unmake(&m);
  free(t);
}

/* Two bodies in the plane join as they are: momentum and angular momentum stay, and the energy is
 * that of one rigid body. */
static void test_docking(void **unused) {
  (void)unused;
  static const double m1 = 3, m2 = 5, I1 = 0.7, I2 = 0.4;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make(
      "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal a, pa = pair('a')\n"
      "local X, pX = pair('X')\nlocal Y, pY = pair('Y')\nlocal A, pA = pair('A')\n"
      "mass { x = 3, y = 3, a = 0.7, X = 5, Y = 5, A = 0.4 }\npotential(0)\n"
      "start { y = 0.3, X = 2, a = 0.1, A = 0.5, px = 4, py = 0.3, pX = -6, pY = 1, pa = 0.2 }\n"
      "constrain('along', (X - x)*cos(a) + (Y - y)*sin(a))\n"
      "constrain('across', (Y - y)*cos(a) - (X - x)*sin(a))\nconstrain('turn', A - a)\n"
      "switch { name = 'dock', constraint = { 'along', 'across', 'turn' }, hold = true,\n"
      "  begins = 1.2 - sqrt((X - x)^2 + (Y - y)^2) }\n",
      "rattle(midpoint)", 0.01, 0);
  double q[16], p[16];
  memcpy(q, m.state.q, (size_t)m.n * sizeof *q), memcpy(p, m.state.p, (size_t)m.n * sizeof *p);
  const double spin = q[0] * p[1] - q[1] * p[0] + q[3] * p[4] - q[4] * p[3] + p[2] + p[5];
  const rattle_summary s = run(&m, 60, t);
  assert_int_equal(t->count, 1);
  const double *Q = t->is[0].q, *P = t->is[0].p;
  near(hypot(Q[3] - Q[0], Q[4] - Q[1]), 1.2, 1e-14);
  near(P[0] + P[3], p[0] + p[3], 1e-14), near(P[1] + P[4], p[1] + p[4], 1e-14);
  near(Q[0] * P[1] - Q[1] * P[0] + Q[3] * P[4] - Q[4] * P[3] + P[2] + P[5], spin, 1e-13);
  /* energies about the common centre */
  const double M = m1 + m2, mu = m1 * m2 / M, px = p[0] + p[3], py = p[1] + p[4],
               cx = (m1 * Q[0] + m2 * Q[3]) / M, cy = (m1 * Q[1] + m2 * Q[4]) / M,
               own = spin - cx * py + cy * px, I = I1 + I2 + mu * 1.2 * 1.2,
               after = (px * px + py * py) / (2 * M) + own * own / (2 * I),
               before = (p[0] * p[0] + p[1] * p[1]) / (2 * m1) +
                        (p[3] * p[3] + p[4] * p[4]) / (2 * m2) + p[2] * p[2] / (2 * I1);
  near(t->is[0].work, after - before, 1e-13);
  near(s.work, after - before, 1e-13);
  near(s.energy_max_error, 0, 1e-4);
  near(m.state.q[5] - m.state.q[2], Q[5] - Q[2], 1e-13); /* as they were */
  near(hypot(m.state.q[3] - m.state.q[0], m.state.q[4] - m.state.q[1]), 1.2, 1e-13);
  unmake(&m);
  free(t);
}

/* A mass 1 on a spring k stands on a belt of speed v; friction slides with F and holds up to F: it
 * is drawn along from 0, sticks at x1 when it has the speed of the belt, and slides from x = F/k. */
static void test_belt(void **unused) {
  (void)unused;
  static const double k = 40, v = 0.2, F = 1.5;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m =
      make("local x, px = pair('x')\nmass { x = 1 }\npotential(20*x^2)\nlocal rel = px - 0.2\n"
           "constrain('grip', x - 0.2*time())\n"
           "local grip = switch { constraint = 'grip', begins = rel, either = true, hold = true,\n"
           "  ends = lambda('grip')^2 - 1.5^2 }\nforce { x = -(1 - grip.on)*1.5*grip.side }\n",
           "rattle(gauss(3))", 0.01, 0);
  const rattle_summary s = run(&m, 60, t);
  const double w = sqrt(k), A = F / k, t1 = asin(v / (A * w)) / w, x1 = A * (1 - cos(w * t1));
  assert_int_equal(t->count, 2);
  near(t->is[0].time, t1, 1e-10), near(t->is[0].q[0], x1, 1e-10);
  near(t->is[1].time, t1 + (A - x1) / v, 1e-10), near(t->is[1].q[0], A, 1e-10);
  near(t->is[1].p[0], v, 1e-13);
  const double phase = w * (0.6 - t->is[1].time); /* about A with the speed v */
  near(m.state.q[0], A + v / w * sin(phase), 1e-9), near(m.state.p[0], v * cos(phase), 1e-9);
  near(s.energy_max_error, 0, 1e-5); /* the method's, while the belt moves it */
  unmake(&m);
  free(t);
}

/* Two discs are joined at 0.255, as they are, and part at 0.5, where a step ends and `begins` is
 * above 0. */
static void test_clutch(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local a, pa = pair('a')\nlocal b, pb = pair('b')\nmass { a = 2, b = 3 }\n"
                "potential(0)\nstart { pa = 5 }\nconstrain('clutch', a - b)\n"
                "switch { constraint = 'clutch', begins = time() - 0.255, hold = true,\n"
                "  ends = time() - 0.5 }\n",
                "rattle(verlet)", 0.01, 0);
  run(&m, 60, t);
  assert_int_equal(t->count, 2);
  near(t->is[0].time, 0.255, 1e-15), near(t->is[1].time, 0.5, 1e-15);
  near(t->is[0].work, -3.75, 1e-14);
  near(m.state.p[0], 2, 1e-14), near(m.state.p[1], 3, 1e-14);
  near(m.state.q[0] - m.state.q[1], 2.5 * 0.255, 1e-14);
  unmake(&m);
  free(t);
}

/* A block that slides on a rough floor comes to rest at v0^2/(2 mu g), and stays. */
static void test_block_stops(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m =
      make("local x, px = pair('x')\nmass { x = 4 }\npotential(0)\nstart { px = 8 }\n"
           "constrain('floor', x)\n"
           "local floor = switch { constraint = 'floor', begins = px, either = true, hold = true,\n"
           "  ends = lambda('floor')^2 - 12^2 }\nforce { x = -(1 - floor.on)*12*floor.side }\n",
           "rattle(midpoint)", 0.03, 0);
  const rattle_summary s = run(&m, 100, t);
  assert_int_equal(t->count, 1);
  near(t->is[0].time, 2.0 / 3, 1e-13);
  near(m.state.q[0], 2.0 / 3, 1e-13), near(m.state.p[0], 0, 1e-15);
  near(s.work, -8, 1e-12);
  unmake(&m);
  free(t);
}

/* A mass 2 that falls on a rope over a pulley lifts a mass 1 from its floor, which would pull in the
 * impact: both go on with 2/3 of the speed, at the rest of g/3. */
static void test_lifted(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 1, y = 2 }\n"
                "potential(9.81*(x + 2*y))\nstart { y = 1.5 }\nconstrain('floor', x)\n"
                "constrain('rope', x + y - 1)\n"
                "one_sided { constraint = 'floor', active = true }\n"
                "one_sided { constraint = 'rope' }\n",
                "rattle(verlet)", 0.01, 0);
  run(&m, 40, t);
  const double v = sqrt(G), rest = 0.4 - v / G;
  assert_int_equal(t->count, 2);
  for (int i = 0; i < 2; i++) {
    const int rope = !strcmp(t->is[i].name, "rope");
    assert_int_equal(t->is[i].direction, rope ? 1 : -1);
    near(t->is[i].time, v / G, 1e-14);
    near(t->is[i].p[0], 2 * v / 3, 1e-13), near(t->is[i].p[1], -4 * v / 3, 1e-13);
    near(t->is[i].work, -v * v / 3, 1e-13);
  }
  near(m.state.p[0], 2 * v / 3 + G / 3 * rest, 1e-13);
  near(m.state.q[0], 2 * v / 3 * rest + G / 6 * rest * rest, 1e-13);
  unmake(&m);
  free(t);
}

/* A ball that begins on the floor: at rest it stays, thrown it flies, and lower it is refused. */
static void test_on_the_floor(void **unused) {
  (void)unused;
  static const char text[] = "local y, py = pair('y')\nmass { y = 2 }\npotential(2*9.81*y)\n"
                             "start { y = %g, py = %g }\n" FLOOR("0.5");
  char own[400];
  rattle_error error;
  snprintf(own, sizeof own, text, 0.0, 0.0);
  made m = make(own, "rattle(verlet)", 0.01, 0);
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 50, &error), 0);
  near(m.state.q[0], 0, 0), near(m.state.q[place(&m, "floor.on")], 1, 0);
  double lambda = 0;
  assert_int_equal(rattle_problem_multipliers(m.problem, m.state.q, m.state.p, &lambda, NULL), 0);
  near(lambda, -2 * G, 1e-14); /* it carries the weight */
  unmake(&m);
  snprintf(own, sizeof own, text, 0.0, 4.0);
  m = make(own, "rattle(verlet)", 0.01, 0);
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 20, &error), 0);
  near(m.state.q[0], 2 * 0.2 - G * 0.02, 1e-14);
  unmake(&m);
  snprintf(own, sizeof own, text, -0.25, 0.0);
  m = make(own, "rattle(verlet)", 0.01, 0);
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 1, &error),
                   RATTLE_OFF_CONSTRAINTS);
  assert_non_null(strstr(error.message, "is -0.25 where it begins"));
  near(m.state.q[0], -0.25, 0);
  unmake(&m);
}

/* A block with the push -20 and friction 12 turns where it cannot be held: from (20 + 12)/4 to
 * (20 - 12)/4. */
static void test_block_turns(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x')\nmass { x = 4 }\npotential(20*x)\nstart { px = 8 }\n"
                "constrain('floor', x)\n"
                "local floor = switch { constraint = 'floor', begins = px, either = true,\n"
                "  hold = true, ends = lambda('floor')^2 - 12^2 }\n"
                "force { x = -(1 - floor.on)*12*floor.side }\n",
                "rattle(midpoint)", 0.03, 0);
  const rattle_summary s = run(&m, 30, t);
  assert_int_equal(t->count, 0); /* nothing begins */
  near(m.state.p[0], -8 * 0.65, 1e-13), near(m.state.q[0], 0.25 - 0.65 * 0.65, 1e-14);
  near(m.state.q[place(&m, "floor.side")], -1, 0);
  near(s.energy_max_error, 0, 1e-13);
  unmake(&m);
  free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_on_the_floor), cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_rope),         cmocka_unit_test(test_thrown),
      cmocka_unit_test(test_cut),          cmocka_unit_test(test_leaves_a_ball),
      cmocka_unit_test(test_docking),      cmocka_unit_test(test_belt),
      cmocka_unit_test(test_block_stops),  cmocka_unit_test(test_lifted),
      cmocka_unit_test(test_block_turns),  cmocka_unit_test(test_clutch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
