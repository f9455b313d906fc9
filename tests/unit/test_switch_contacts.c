/* Several one-sided constraints that meet: impacts of all at one time, impacts among them that
 * accumulate, forces and momenta that jump; against closed forms and all subsets of contacts. */
#include "changes.h"

static int place(const made *m, const char *name) {
  for (int k = 0; k < m->n; k++)
    if (!strcmp(rattle_model_coordinate_name(m->model, k), name)) return k;
  fail_msg("no coordinate %s", name);
  return -1;
}

static double value(const made *m, const char *name) {
  return m->state.q[place(m, name)];
}

/* A mass slides down one side of a trough whose sides meet with the cosine r of their normals. With e
 * = 0 each side takes over from the other at the bottom, with r times the speed. */
static void test_trough(void **unused) {
  (void)unused;
  static const double unit[][3] = {{1, 1, 1}, {1e-27, 1e-9, 1e-12}, {3e20, 7e8, 86400}};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int u = 0; u < 3; u++) {
    const double M = 2 * unit[u][0], L = unit[u][1], T = unit[u][2], g = G * L / T / T, r = 0.28,
                 fall = 0.6 * g, first = sqrt(L / fall), speed = fall * first;
    char text[600];
    snprintf(text, sizeof text,
             "local x, px = pair('x') local y, py = pair('y') mass { x = %.17g, y = %.17g }\n"
             "potential(%.17g*y) start { x = %.17g, y = %.17g }\n"
             "constrain('left', 0.8*y - 0.6*x) constrain('right', 0.8*y + 0.6*x)\n"
             "one_sided { constraint = 'left' } one_sided { constraint = 'right' }\n"
             "observe('push', -lambda('left'))",
             M, M, M * g, 0.4 * L, 0.3 * L);
    made m = make(text, "rattle(verlet)", 0.0123 * T, 0);
    const rattle_summary s = run(&m, 100, t);
    assert_true(t->count > 20 && t->count < 80);
    double time = first, left = 1;
    for (int k = 1; k < 14; k += 2) { /* at 0 the left one begins */
      const int first_is_left = !strcmp(t->is[k].name, "left"),
                left_begins = k % 4 == 3; /* the names of both, in the order of the model */
      assert_string_equal(t->is[k + 1].name, first_is_left ? "right" : "left");
      near(t->is[k].direction, left_begins == first_is_left ? 1 : -1, 0);
      near(t->is[k].direction, -t->is[k + 1].direction, 0);
      near(t->is[k].time / T, time / T, 1e-11), near(t->is[k + 1].time, t->is[k].time, 0);
      left *= r * r;
      near(t->is[k].work / (M * G * L * L / T / T), 0.3 * (left - 1), 1e-11);
      time += 2 * speed * pow(r, (k + 1) / 2) / fall;
    }
    near(t->is[t->count - 1].time / T, (first + 2 * speed / fall * r / (1 - r)) / T, 1e-7);
    near(s.work / (M * G * L * L / T / T), -0.3, 1e-11);
    near(s.energy_max_error / (M * G * L * L / T / T), 0, 1e-11);
    near(value(&m, "left.on") + value(&m, "right.on"), 2, 0);
    near(m.state.q[0] / L, 0, 1e-14), near(m.state.q[1] / L, 0, 1e-14);
    double lambda[2];
    rattle_error error;
    assert_int_equal(rattle_problem_multipliers(m.problem, m.state.q, m.state.p, lambda, &error),
                     0);
    for (int k = 0; k < 2; k++) near(lambda[k] / (M * g), -1 / 1.6, 1e-13);
    unmake(&m);
  }
  free(t);
}

/* It falls onto both sides at one time: one impact, in which each takes half of the energy. */
static void test_both_sides(void **unused) {
  (void)unused;
  static const double e[] = {0, 0.5, 1};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int k = 0; k < 3; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "local x, px = pair('x') local y, py = pair('y') mass { x = 2, y = 2 }\n"
             "potential(2*9.81*y) start { y = 1 }\n"
             "constrain('left', 0.8*y - 0.6*x) constrain('right', 0.8*y + 0.6*x)\n"
             "one_sided { constraint = 'left', restitution = %g }\n"
             "one_sided { constraint = 'right', restitution = %g }\n",
             e[k], e[k]);
    made m = make(text, "rattle(verlet)", 0.0123, 0);
    run(&m, 80, t); /* to 0.984: before the second bounce of e = 1 */
    const double first = sqrt(2 / G);
    assert_int_equal(t->count >= 2, 1);
    for (int i = 0; i < 2; i++) {
      near(t->is[i].time, first, 1e-13);
      near(t->is[i].p[0], 0, 1e-14), near(t->is[i].p[1], 2 * e[k] * G * first, 1e-13);
      near(t->is[i].q[place(&m, "left.lost")], G * (1 - e[k] * e[k]), 1e-13);
      near(t->is[i].q[place(&m, "right.lost")], G * (1 - e[k] * e[k]), 1e-13);
    }
    assert_int_equal(strcmp(t->is[0].name, t->is[1].name) != 0, 1);
    if (e[k] == 0) assert_int_equal(t->count, 2);
    unmake(&m);
  }
  free(t);
}

/* A block with the radius of inertia R on two supports at -1 and 1. R > 1: it rocks from one to the
 * other, and goes on with (R^2 - 1)/(R^2 + 1) of its speed; R < 1: both hold at once. */
static void test_block(void **unused) {
  (void)unused;
  static const char *const text =
      "local y, py = pair('y') local a, pa = pair('a') mass { y = 3, a = 3*%g }\n"
      "potential(3*9.81*y) start { y = %g, a = %g }\n%s"
      "one_sided { constraint = 'l', restitution = %g }\n"
      "one_sided { constraint = 'r', restitution = %g }\n";
  static const char *const order[] = {"constrain('l', y - a) constrain('r', y + a)\n",
                                      "constrain('r', y + a) constrain('l', y - a)\n"};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int k = 0; k < 8; k++) { /* flat; R, e and which of the supports comes first */
    const double inertia = k & 1 ? 2 : 0.5, e = k & 2 ? 0.5 : 0, first = sqrt(2 / G);
    char all[700];
    snprintf(all, sizeof all, text, inertia, 1.0, 0.0, order[k / 4], e, e);
    made m = make(all, "rattle(verlet)", 0.01, 0);
    run(&m, 200, t);
    near(t->is[0].time, first, 1e-13), near(t->is[1].time, first, 1e-13);
    near(t->is[1].p[0], 3 * e * G * first, 1e-12), near(t->is[1].p[1], 0, 1e-14);
    near(t->is[t->count - 1].time, first * (1 + e) / (1 - e), 1e-7);
    near(value(&m, "l.on") + value(&m, "r.on"), 2, 0);
    near(value(&m, "l.lost"), 1.5 * G, 1e-10), near(value(&m, "r.lost"), 1.5 * G, 1e-10);
    assert_true(t->count < 70);
    unmake(&m);
  }
  for (int k = 0; k < 4; k++) { /* tilted, at rest on the left one or on the right one */
    const double inertia = k & 1 ? 2 : 0.5, tilt = k & 2 ? -0.01 : 0.01, fall = G / (1 + inertia),
                 first = sqrt(2 * 0.01 / fall), r = fmax(0, (inertia - 1) / (inertia + 1));
    char all[700];
    snprintf(all, sizeof all, text, inertia, 0.01, tilt, order[0], 0.0, 0.0);
    made m = make(all, "rattle(verlet)", 0.01, 0);
    run(&m, 100, t);
    double time = first;
    for (int i = 1; r > 0 && i < 12; i += 2) {
      near(t->is[i].time, time, 1e-12);
      time += 2 * first * pow(r, (i + 1) / 2);
    }
    near(t->is[t->count - 1].time, first * (1 + 2 * r / (1 - r)), 1e-7);
    near(value(&m, "l.on") + value(&m, "r.on"), 2, 0);
    near(m.state.q[0], 0, 1e-15), near(m.state.q[1], 0, 1e-15);
    near(value(&m, "l.lost") + value(&m, "r.lost"), 3 * G * 0.01, 1e-12);
    unmake(&m);
  }
  free(t);
}

/* A third support between them, which follows from the others: two hold, whichever they are. */
static void test_redundant(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int k = 0; k < 12; k++) {
    char text[700];
    snprintf(
        text, sizeof text,
        "local y, py = pair('y') local a, pa = pair('a') mass { y = 1, a = %g }\n"
        "potential(9.81*y) start { y = 1, a = %g }\n"
        "constrain('l', y - a) constrain('m', y) constrain('r', y + a)\n"
        "for _, w in ipairs { 'l', 'm', 'r' } do one_sided { constraint = w, restitution = %g } "
        "end",
        k & 1 ? 2.0 : 0.5, 0.01 * (k / 4), k & 2 ? 0.5 : 0);
    made m = make(text, "rattle(verlet)", 0.01, 0);
    const rattle_summary s = run(&m, 300, t);
    assert_true(t->count < 120);
    near(value(&m, "l.on") + value(&m, "m.on") + value(&m, "r.on"), 2, 0);
    near(m.state.q[0], 0, 1e-15), near(m.state.q[1], 0, 1e-15);
    near(s.work, -G, 1e-12);
    unmake(&m);
  }
  free(t);
}

static const char *const hung[] = {
    "local mech = require 'mechanics'\nmech.gravity(0, -9.81)\n"
    "local ball = mech.planar { name = 'ball', mass = 2, inertia = 1, at = {%g, -0.3} }\n"
    "for k, x in ipairs { -0.3, 0.3 } do mech.rope('rope' .. k, { mech.ground:at(x, 0), ball }, "
    "{ length = 0.5, slack = true, restitution = %g }) end\n",
    "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\n"
    "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = 0.1 }, "
    "at = {%g, 0.0007, -0.3} }\n"
    "for k, b in ipairs { {-0.3, 0}, {0.15, 0.15*3^0.5}, {0.15, -0.15*3^0.5} } do\n"
    "  mech.rope('rope' .. k, { mech.ground:at(b[1], b[2], 0), ball }, "
    "{ length = 0.5, slack = true, restitution = %g })\nend\n"};

/* A ball that falls into two ropes in the plane, or three in space, hangs at rest at the end. */
static void test_hung(void **unused) {
  (void)unused;
  static const double at[] = {0, 0.0005, 0.005, 0.05};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int k = 0; k < 16; k++) {
    char text[700];
    const int ropes = 2 + k / 8;
    snprintf(text, sizeof text, hung[k / 8], at[k % 4], k & 4 ? 0.5 : 0);
    made m = make(text, "rattle(verlet)", 0.002, 0);
    const rattle_summary s = run(&m, 1000, t);
    assert_true(t->count < 600);
    near(value(&m, "rope1.on") + value(&m, "rope2.on"), 2, 0);
    near(value(&m, "ball.x"), 0, 1e-14);
    near(value(&m, ropes == 2 ? "ball.y" : "ball.z"), -0.4, 1e-14);
    near(s.energy_final + s.work, -2 * G * 0.4, 1e-12);
    near(s.work, -2 * G * 0.1, 3e-4); /* verlet on circles */
    double lambda[9];
    rattle_error error;
    const int rows = rattle_problem_m(m.problem);
    assert_true(rows <= 9);
    assert_int_equal(rattle_problem_multipliers(m.problem, m.state.q, m.state.p, lambda, &error),
                     0);
    for (int i = rows - ropes; i < rows; i++) near(lambda[i], -2 * G / (ropes * 0.8), 1e-11);
    unmake(&m);
  }
  free(t);
}

/* x = A^-1 b, with A [3 x 3] of that order. */
static int solve(int order, double A[3][3], const double *b, double *x) {
  double a[3][4];
  for (int i = 0; i < order; i++) {
    for (int j = 0; j < order; j++) a[i][j] = A[i][j];
    a[i][order] = b[i];
  }
  for (int k = 0; k < order; k++)
    for (int i = 0; i < order; i++) {
      if (fabs(a[k][k]) < 1e-9) return 0;
      if (i == k) continue;
      const double f = a[i][k] / a[k][k];
      for (int j = k; j <= order; j++) a[i][j] -= f * a[k][j];
    }
  for (int i = 0; i < order; i++) x[i] = a[i][order] / a[i][i];
  return 1;
}

/* Three planes in space that a point meets at one time, in all 8 sets of those that push: the one
 * set that solves the complementarity problem has the momenta of the run, in whichever order the
 * planes are declared. */
static void test_all_sets(void **unused) {
  (void)unused;
  static const double mass[] = {1, 2, 5};
  unsigned seed = 5;
  int pushed[4] = {0};
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  for (int trial = 0; trial < 60; trial++) {
    double n[3][3], v[3], e[3], before[3], right[3] = {0};
    for (int k = 0; k < 12; k++) {
      seed = seed * 1103515245u + 12345u;
      (k < 9 ? n[k / 3] : v)[k % 3] = (double)(seed >> 8 & 0xffff) / 0x8000 - 1;
    }
    for (int i = 0; i < 3; i++) {
      before[i] = n[i][0] * v[0] + n[i][1] * v[1] + n[i][2] * v[2];
      const double sign = before[i] > 0 ? -1 : 1;
      for (int c = 0; c < 3; c++) n[i][c] *= sign;
      before[i] *= sign, e[i] = 0.25 * ((trial + i * (trial / 4)) % 4);
    }
    if (fmin(fmin(-before[0], -before[1]), -before[2]) < 0.1) continue; /* it grazes one of them */
    int found = 0;
    for (int set = 0; set < 8; set++) {
      int who[3], order = 0, good = 1;
      double A[3][3], b[3], push[3], p[3];
      for (int i = 0; i < 3; i++)
        if (set >> i & 1) who[order++] = i;
      for (int i = 0; i < order; i++) {
        b[i] = -(1 + e[who[i]]) * before[who[i]];
        for (int j = 0; j < order; j++) {
          A[i][j] = 0;
          for (int c = 0; c < 3; c++) A[i][j] += n[who[i]][c] * n[who[j]][c] / mass[c];
        }
      }
      if (!solve(order, A, b, push)) continue;
      for (int c = 0; c < 3; c++) {
        p[c] = mass[c] * v[c];
        for (int i = 0; i < order; i++) p[c] += n[who[i]][c] * push[i];
      }
      for (int i = 0; i < order; i++) good &= push[i] > 0;
      for (int i = 0; i < 3; i++) {
        double w = e[i] * before[i];
        for (int c = 0; c < 3; c++) w += n[i][c] * p[c] / mass[c];
        good &= w > -1e-12;
      }
      if (good) found++, pushed[order]++, memcpy(right, p, sizeof p);
    }
    assert_int_equal(found, 1);
    for (int turn = 0; turn < 3; turn++) {
      char text[1500] = "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
                        "mass { x = 1, y = 2, z = 5 } potential(0)\n";
      snprintf(text + strlen(text), sizeof text - strlen(text),
               "start { x = %.17g, y = %.17g, z = %.17g, px = %.17g, py = %.17g, pz = %.17g }\n",
               -v[0], -v[1], -v[2], v[0], 2 * v[1], 5 * v[2]);
      for (int k = 0; k < 3; k++) {
        const int i = (k + turn) % 3;
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "constrain('c%d', %.17g*x + %.17g*y + %.17g*z) one_sided { constraint = 'c%d', "
                 "restitution = %g }\n",
                 i, n[i][0], n[i][1], n[i][2], i, e[i]);
      }
      made m = make(text, "rattle(verlet)", 0.3, 0);
      const rattle_summary s = run(&m, 4, t);
      assert_true(t->count > 0);
      near(t->is[0].time, 1, 1e-14);
      for (int c = 0; c < 3; c++) near(t->is[0].p[c], right[c], 1e-10);
      assert_true(s.work < 1e-13);
      unmake(&m);
    }
  }
  assert_true(pushed[1] && pushed[2] && pushed[3]); /* all kinds have come up */
  free(t);
}

/* Where forces jump: a plank that its supports let go at the start, a block that is lifted, and a
 * block that friction held until another one pushes. */
static void test_jumps_of_forces(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local y, py = pair('y') local a, pa = pair('a') mass { y = 1, a = 1 }\n"
                "potential(9.81*(y + 2*a)) constrain('l', y - a) constrain('r', y + a)\n"
                "one_sided { constraint = 'l', active = true }\n"
                "one_sided { constraint = 'r', active = true }\n",
                "rattle(verlet)", 0.01, 0);
  run(&m, 10, t); /* about the right support, y = -a: 2 y'' = g */
  near(m.state.q[0], G / 4 * 0.01, 1e-15), near(value(&m, "l.on"), 0, 0);
  assert_int_equal(t->count, 1);
  unmake(&m);
  m = make("local y, py = pair('y') local x, px = pair('x') mass { y = 1, x = 1 }\n"
           "potential(9.81*y) constrain('f', y) constrain('c', x) local t = time()\n"
           "one_sided { constraint = 'f', active = true }\n"
           "local s = switch { constraint = 'c', begins = t - 0.105 } force { y = 20*s.on }\n",
           "rattle(verlet)", 0.01, 0);
  run(&m, 20, t);
  near(m.state.q[0], (20 - G) / 2 * 0.095 * 0.095, 1e-14);
  assert_int_equal(t->count, 2);
  unmake(&m);
  m = make("local x, px = pair('x') local y, py = pair('y') mass { x = 4, y = 1 } potential(0)\n"
           "start { y = -1, py = 3 } constrain('floor', x) constrain('hit', x - y)\n"
           "local floor = switch { constraint = 'floor', hold = true, active = true,\n"
           "  begins = px/4, either = true, ends = lambda('floor')^2 - 144 }\n"
           "one_sided { constraint = 'hit' } force { x = -10*(1 - floor.on)*floor.side, y = 20 }\n",
           "rattle(verlet)", 0.01, 0);
  run(&m, 100, t); /* -1 + 3 t + 10 t^2 = 0 at 0.2; then 20 - 10 on 5 kg */
  near(m.state.q[0], 0.64, 1e-13), near(m.state.q[1], 0.64, 1e-13);
  unmake(&m);
  free(t);
}

/* A block that slides into a wall, and back: friction turns with the speed. */
static void test_jumps_of_momenta(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x') local n = 4*9.81 mass { x = 4 } potential(0)\n"
                "start { px = 16 } constrain('floor', x) constrain('wall', 0.5 - x)\n"
                "local floor = switch { constraint = 'floor', hold = true, begins = px/4,\n"
                "  either = true, ends = lambda('floor')^2 - (0.4*n)^2 }\n"
                "one_sided { constraint = 'wall', restitution = 0.5 }\n"
                "force { x = -0.3*n*(1 - floor.on)*floor.side }\n",
                "rattle(verlet)", 0.01, 0);
  run(&m, 200, t);
  const double a = 0.3 * G, hit = (4 - sqrt(16 - a)) / a, back = sqrt(16 - a) / 2;
  assert_int_equal(t->count, 2);
  near(t->is[0].time, hit, 1e-13), near(t->is[1].time, hit + back / a, 1e-12);
  near(m.state.q[0], 0.5 - back * back / 2 / a, 1e-13), near(m.state.p[0], 0, 0);
  unmake(&m);
  free(t);
}

/* No room between two stops: the speed halves until it is round-off, and the run goes on. */
static void test_no_room(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x') mass { x = 2 } potential(0) start { px = 3 }\n"
                "constrain('a', x) constrain('b', -x)\n"
                "one_sided { constraint = 'a', restitution = 0.5 }\n"
                "one_sided { constraint = 'b', restitution = 0.5 }\n",
                "rattle(verlet)", 0.01, 0);
  run(&m, 200, t);
  assert_true(t->count < 200);
  near(m.state.q[0], 0, 1e-13), near(m.state.p[0], 0, 1e-13);
  near(value(&m, "a.lost") + value(&m, "b.lost"), 2.25, 1e-13);
  unmake(&m);
  free(t);
}

/* A ball falls into a funnel of six planes, and bounces upright until three of them hold it. */
static void test_funnel(void **unused) {
  (void)unused;
  seen_changes *t = malloc(sizeof *t);
  assert_non_null(t);
  made m = make("local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
                "mass { x = 1, y = 1, z = 1 } potential(9.81*z) start { z = 0.5 }\n"
                "for k = 0, 5 do local a = math.pi*k/3\n"
                "  constrain('w' .. k, z - 0.3*(math.cos(a)*x + math.sin(a)*y))\n"
                "  one_sided { constraint = 'w' .. k, restitution = 0.7 } end\n",
                "rattle(verlet)", 0.03, 0);
  const rattle_summary s = run(&m, 100, t);
  const double first = sqrt(1 / G);
  assert_true(t->count < 600);
  near(t->is[0].time, first, 1e-13);
  near(t->is[t->count - 1].time, first * 1.7 / 0.3, 1e-6);
  near(s.work, -G / 2, 1e-12);
  for (int c = 0; c < 3; c++) near(m.state.q[c], 0, 1e-14);
  double holds = 0;
  for (int k = 0; k < 6; k++) {
    const char name[] = {'w', (char)('0' + k), '.', 'o', 'n', 0};
    holds += value(&m, name);
  }
  near(holds, 3, 0);
  unmake(&m);
  free(t);
}

/* A ball without loss, 1e-10 above its floor, ends the run with a reason, at the last good point. */
static void test_for_ever(void **unused) {
  (void)unused;
  made m = make("local y, py = pair('y') mass { y = 2 } potential(2*9.81*y) start { y = 1e-10 }\n"
                "constrain('floor', y) one_sided { constraint = 'floor', restitution = 1 }\n",
                "rattle(verlet)", 0.1, 0);
  rattle_error error;
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 1, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "bounces for ever"));
  near(m.state.q[0], 1e-10, 0), near(m.state.p[0], 0, 0);
  unmake(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trough),
      cmocka_unit_test(test_both_sides),
      cmocka_unit_test(test_block),
      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_hung),
      cmocka_unit_test(test_all_sets),
      cmocka_unit_test(test_jumps_of_forces),
      cmocka_unit_test(test_jumps_of_momenta),
      cmocka_unit_test(test_no_room),
      cmocka_unit_test(test_for_ever),
      cmocka_unit_test(test_funnel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
