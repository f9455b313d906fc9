/* Families of equilibria along a parameter: folds, branches and flutter where they are known in
 * closed form. */
#include "near.h"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_equilibria *family;
  rattle_status status;
  rattle_error error;
} fixture;

static fixture seek(const char *text, const rattle_equilibria_options *options) {
  fixture f = {.status = RATTLE_OK};
  if (rattle_model_parse(&f.model, text, "model.lua", NULL, &f.error) ||
      rattle_problem_create(&f.problem, f.model, NULL, &f.error))
    fail_msg("%s", f.error.message);
  f.status = rattle_equilibria_create(&f.family, f.problem, NULL, options, &f.error);
  return f;
}

static fixture follow(const char *text, const char *parameter, double to) {
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .parameter = parameter, .to = to};
  fixture f = seek(text, &options);
  if (f.status) fail_msg("%s", f.error.message);
  return f;
}

static void drop(fixture *f) {
  rattle_equilibria_destroy(&f->family);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* The k-th event, from 0; there must be one, of that kind. */
static rattle_equilibria_point event_of(const fixture *f, int k, rattle_equilibria_event kind) {
  for (int i = 0; i < rattle_equilibria_points(f->family); i++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(f->family, i);
    if (p.event <= RATTLE_EQUILIBRIA_END || k-- > 0) continue;
    assert_int_equal(p.event, kind);
    assert_int_equal(p.stable, -1);
    return p;
  }
  fail_msg("there is no such event");
  return (rattle_equilibria_point){0};
}

static int count_events(const fixture *f) {
  int count = 0;
  for (int i = 0; i < rattle_equilibria_points(f->family); i++)
    count += rattle_equilibria_point_of(f->family, i).event > RATTLE_EQUILIBRIA_END;
  return count;
}

static rattle_equilibria_point last_of(const fixture *f) {
  return rattle_equilibria_point_of(f->family, rattle_equilibria_points(f->family) - 1);
}

/* Two bars of the stiffness k from (-1, 0) and (1, 0) to a weight: it snaps through where
 * 2 k y (L/l - 1) is greatest, l^3 = L. */
static const char truss[] =
    "local load, u = parameter('load', -2*%g), %g\nlocal x, px = pair('x')\nlocal y, py = "
    "pair('y')\n"
    "local L = math.sqrt(1.25)\n"
    "local function bar(s) return 1.5*(sqrt((x/u - s)^2 + (y/u)^2) - L)^2 end\n"
    "hamiltonian((px^2 + py^2)/2 + u*u*(bar(1) + bar(-1) + 5*(x/u)^2) + load*y)\n"
    "start { x = 0.01*u, y = 0.6*u }\n";

static void test_truss(void **state) {
  (void)state;
  const double L = sqrt(1.25), l = cbrt(L), y = sqrt(l * l - 1), load = 6 * y * (L / l - 1);
  static const double units[] = {1, 1e-6, 1e6};
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, truss, units[i], units[i]);
    fixture f = follow(text, "load", 2 * units[i]);
    const double u = units[i];
    assert_string_equal(rattle_equilibria_why(f.family), "");
    assert_int_equal(count_events(&f), 2);
    is_near("load", event_of(&f, 0, RATTLE_EQUILIBRIA_FOLD).parameter / u, load, 1e-13);
    is_near("load", event_of(&f, 1, RATTLE_EQUILIBRIA_FOLD).parameter / u, -load, 1e-13);
    is_near("y", event_of(&f, 0, RATTLE_EQUILIBRIA_FOLD).q[1] / u, y, 1e-12);
    for (int k = 0; k < rattle_equilibria_points(f.family); k++) {
      const rattle_equilibria_point p = rattle_equilibria_point_of(f.family, k);
      const double at = p.q[1] / u, s = hypot(1, at);
      is_near("force", p.parameter / u, 6 * at * (L / s - 1), 1e-13);
      if (p.stable >= 0) assert_int_equal(p.stable, fabs(at) > y);
    }
    drop(&f);
  }
}

/* A pendulum under a torque: m g l sin(angle) = torque; its fold, m g l, and the way back. */
static void test_torque(void **state) {
  (void)state;
  fixture f = follow("local torque = parameter('torque', 0)\nlocal x, px = pair('x')\n"
                     "local y, py = pair('y')\nlocal a, pa = pair('a')\n"
                     "hamiltonian((px^2 + py^2)/1.4 + pa^2/0.04 + 0.7*9.81*y - torque*a)\n"
                     "constrain('x', x - 1.3*sin(a))\nconstrain('y', y + 1.3*cos(a))\n"
                     "start { y = -1.3 }\n",
                     "torque", 10);
  const double most = 0.7 * 9.81 * 1.3;
  assert_int_equal(count_events(&f), 1);
  is_near("torque", event_of(&f, 0, RATTLE_EQUILIBRIA_FOLD).parameter, most, 1e-13);
  is_near("angle", event_of(&f, 0, RATTLE_EQUILIBRIA_FOLD).q[2], pi / 2, 1e-7);
  assert_non_null(strstr(rattle_equilibria_why(f.family), "turns back and comes to torque = 0"));
  is_near("angle", last_of(&f).q[2], pi, 1e-12);
  assert_int_equal(last_of(&f).stable, 0);
  for (int k = 0; k < rattle_equilibria_points(f.family); k++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(f.family, k);
    is_near("balance", most * sin(p.q[2]), p.parameter, 1e-12);
    is_near("weight", p.multipliers[1], -0.7 * 9.81, 1e-12);
    if (p.stable >= 0)
      is_near("mu^2", p.real[0] * p.real[0] - p.imaginary[0] * p.imaginary[0],
              -most * cos(p.q[2]) / (0.02 + 0.7 * 1.3 * 1.3), 1e-10);
  }
  drop(&f);
}

/* A bead on a hoop that turns: beside the bottom where cos(angle) = g/(w^2 r). */
static void test_hoop(void **state) {
  (void)state;
  static const char hoop[] =
      "local w = parameter('w', %g)\nlocal a, pa = pair('a')\n"
      "hamiltonian(pa^2/0.5 - 9.81/2*cos(a) - w^2*sin(a)^2/8)\nstart { a = %g }\n";
  const double critical = sqrt(9.81 / 0.5);
  char text[300];
  snprintf(text, sizeof text, hoop, 1., 0.02);
  fixture f = follow(text, "w", 8);
  assert_int_equal(count_events(&f), 1);
  is_near("w", event_of(&f, 0, RATTLE_EQUILIBRIA_BRANCH).parameter, critical, 1e-13);
  assert_int_equal(last_of(&f).stable, 0);
  drop(&f);
  snprintf(text, sizeof text, hoop, 8., 0.02);
  f = follow(text, "w", 1);
  assert_int_equal(count_events(&f), 1);
  is_near("w", event_of(&f, 0, RATTLE_EQUILIBRIA_BRANCH).parameter, critical, 1e-11);
  is_near("angle", last_of(&f).q[0], -rattle_equilibria_point_of(f.family, 0).q[0], 1e-9);
  for (int k = 0; k < rattle_equilibria_points(f.family); k++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(f.family, k);
    if (p.stable >= 0) assert_int_equal(p.stable, 1);
    is_near("cos", cos(p.q[0]) * p.parameter * p.parameter, 9.81 / 0.5, 1e-10);
  }
  drop(&f);
}

/* Three rods that stand on torsion springs, under a load: eigenvalues of the stiffness of springs
 * against that of the load, K - load 1 (in angles, to lowest order): those of (2 -1 0; -1 2 -1; 0
 * -1 1), 2 - 2 cos((2 j - 1) pi/7). */
static void test_column(void **state) {
  (void)state;
  fixture f =
      follow("local mech = require 'mechanics'\nlocal load = parameter('load', 0.1)\n"
             "local below = mech.ground\n"
             "for i = 1, 3 do\n"
             "  local rod = mech.planar {name = 'rod' .. i, mass = 0.3, inertia = 0.1, at = {0, "
             "i - 0.5}, angle = math.pi/2}\n"
             "  mech.revolute('pin' .. i, rod:here(0, i - 1), below:here(0, i - 1))\n"
             "  mech.torsion_spring(rod, below, {k = 1, angle = i == 1 and math.pi/2 or 0})\n"
             "  below = rod\n"
             "end\n"
             "mech.load(below:here(0, 3), {0, -load})\n",
             "load", 4);
  assert_int_equal(count_events(&f), 3);
  for (int j = 0; j < 3; j++)
    is_near("load", event_of(&f, j, RATTLE_EQUILIBRIA_BRANCH).parameter,
            2 - 2 * cos((2 * j + 1) * pi / 7), 1e-12);
  assert_int_equal(last_of(&f).negative, 3);
  assert_int_equal(rattle_equilibria_point_of(f.family, 0).stable, 1);
  drop(&f);
}

/* The same in space with one rod: two stiffnesses go through 0 at once. */
static void test_double_branch(void **state) {
  (void)state;
  fixture f = follow("local load = parameter('load', 1)\nlocal x, px = pair('x')\nlocal y, py = "
                     "pair('y')\nlocal z, pz = pair('z')\n"
                     "hamiltonian((px^2 + py^2 + pz^2)/2 + load*z + x^2 + y^2)\n"
                     "constrain('rod', x^2 + y^2 + z^2 - 1)\nstart { x = 0, y = 0, z = 1 }\n",
                     "load", 3);
  is_near("load", event_of(&f, 0, RATTLE_EQUILIBRIA_BRANCH).parameter, 2, 1e-13);
  assert_int_equal(last_of(&f).negative, 2);
  for (int k = 0; k < count_events(&f); k++)
    is_near("load", event_of(&f, k, RATTLE_EQUILIBRIA_BRANCH).parameter, 2, 1e-13);
  drop(&f);
}

/* Ziegler's column, masses 2 and 1, under a load that follows: without dampers it flutters at
 * 7/2 - sqrt(2), with equal ones c at 41/28 + c^2/2 (V. V. Bolotin, Nonconservative Problems of the
 * Theory of Elastic Stability (1963), section 1). */
static void test_flutter(void **state) {
  (void)state;
  static const double damping[] = {0, 0.01, 0.5};
  for (int i = 0; i < 3; i++) {
    const double c = damping[i], load = c > 0 ? 41. / 28 + c * c / 2 : 3.5 - sqrt(2);
    char text[600];
    snprintf(
        text, sizeof text,
        "local P, c = parameter('P', 0.1), %g\nlocal a, pa = pair('a')\nlocal b, pb = pair('b')\n"
        "local s = cos(a - b)\nlocal det = 3 - s^2\n"
        "hamiltonian((pa^2 - 2*s*pa*pb + 3*pb^2)/(2*det) + (a^2 + (b - a)^2)/2)\n"
        "local va, vb = (pa - s*pb)/det, (3*pb - s*pa)/det\n"
        "force { a = P*sin(a - b) - c*va - c*(va - vb), b = -c*(vb - va) }\nstart { a = 0 }\n",
        c);
    fixture f = follow(text, "P", 3);
    assert_int_equal(count_events(&f), 1);
    is_near("load", event_of(&f, 0, RATTLE_EQUILIBRIA_FLUTTER).parameter, load, 1e-11);
    assert_int_equal(rattle_equilibria_point_of(f.family, 0).stable, c > 0 ? 1 : -1);
    assert_int_equal(last_of(&f).stable, 0);
    drop(&f);
  }
}

/* The same with a third body that oscillates slowly: flutter is seen however few modes are asked
 * for. */
static void test_flutter_beyond_lowest(void **state) {
  (void)state;
  const rattle_equilibrium_options one = {.struct_size = sizeof one, .modes = 1};
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .first = &one, .parameter = "P", .to = 3};
  fixture f =
      seek("local P = parameter('P', 0.1)\nlocal a, pa = pair('a')\nlocal b, pb = pair('b')\n"
           "local x, px = pair('x')\nlocal s = cos(a - b)\nlocal det = 3 - s^2\n"
           "hamiltonian((pa^2 - 2*s*pa*pb + 3*pb^2)/(2*det) + (a^2 + (b - a)^2)/2 + px^2/2 +\n"
           "  x^2/2000)\n"
           "local va, vb = (pa - s*pb)/det, (3*pb - s*pa)/det\n"
           "force { a = P*sin(a - b) - va/2 - (va - vb)/2, b = -(vb - va)/2, x = -px/1000 }\n"
           "start { a = 0 }\n",
           &options);
  if (f.status) fail_msg("%s", f.error.message);
  assert_int_equal(count_events(&f), 1);
  is_near("load", event_of(&f, 0, RATTLE_EQUILIBRIA_FLUTTER).parameter, 41. / 28 + 1. / 8, 1e-11);
  assert_int_equal(last_of(&f).modes, 1);
  assert_int_equal(last_of(&f).stable, 0);
  drop(&f);
}

/* Three masses in a ring of springs: they may drift and turn, which is no event. */
static void test_free_ring(void **state) {
  (void)state;
  fixture f =
      follow("local l, q, H = parameter('l', 1), {}, 0\n"
             "for i = 1, 3 do\n  local x, px = pair('x' .. i)\n  local y, py = pair('y' .. i)\n"
             "  q[i], H = {x, y}, H + (px^2 + py^2)/2\nend\n"
             "for i = 1, 3 do\n  local a, b = q[i], q[i % 3 + 1]\n"
             "  H = H + 5*(sqrt((a[1] - b[1])^2 + (a[2] - b[2])^2) - l)^2\nend\n"
             "hamiltonian(H)\nstart { x1 = 0.1, y1 = 0.2, x2 = 1.2, x3 = 0.4, y3 = 1 }\n",
             "l", 2);
  assert_int_equal(count_events(&f), 0);
  assert_string_equal(rattle_equilibria_why(f.family), "");
  for (int k = 0; k < rattle_equilibria_points(f.family); k++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(f.family, k);
    is_near("length", hypot(p.q[0] - p.q[2], p.q[1] - p.q[3]), p.parameter, 1e-12);
    assert_int_equal(p.stable, -1);
    is_near("frequency", p.imaginary[5], sqrt(30), 1e-9); /* it breathes: 3 k/m, k = 10 */
  }
  drop(&f);
}

/* Where a family ends, and why. */
static void ends(const char *text, const char *parameter, double to, double at, const char *words) {
  fixture f = follow(text, parameter, to);
  if (!strstr(rattle_equilibria_why(f.family), words))
    fail_msg("'%s' is not in: %s", words, rattle_equilibria_why(f.family));
  is_near("end", last_of(&f).parameter, at, 1e-3);
  drop(&f);
}

static void test_ends(void **state) {
  (void)state;
  ends("local a = parameter('a', 0)\nlocal x, p = pair('x')\nhamiltonian(p^2/2 + (1 - a)*x^2/2 - "
       "x)\nstart { x = 1 }\n",
       "a", 2, 1, "as many points as were asked for");
  ends("local a = parameter('a', 0.5)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
       "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('one', x^2 + y^2 - 1)\nconstrain('two', (x - "
       "a)^2 + y^2 - 1)\nstart { x = 0.25, y = -0.9 }\n",
       "a", 3, 2, "as many points");
  ends(
      "local a = parameter('a', 0)\nlocal x, p = pair('x')\nhamiltonian(p^2/2 + x^2/2 - a*x)\nif a "
      "> 0.7 then constrain('stop', x - 0.7) end\nstart { x = 0 }\n",
      "a", 1, 0.7, "other coordinates, constraints or forces");
}

static void refuse(const rattle_equilibria_options *options, const char *words) {
  fixture f = seek("local a = parameter('load', 0)\nlocal x, p = pair('x')\nhamiltonian(p^2/2 + "
                   "x^2/2 - a*x)\nstart { x = 0 }\n",
                   options);
  assert_true(f.status == RATTLE_BAD_ARGUMENT);
  assert_null(f.family);
  if (!strstr(f.error.message, words)) fail_msg("'%s' is not in: %s", words, f.error.message);
  drop(&f);
}

static void test_refusals(void **state) {
  (void)state;
  rattle_equilibria_options options = {.struct_size = sizeof options, .to = 1};
  refuse(&options, "the name of its parameter");
  options.parameter = "laod";
  refuse(&options, "did you mean 'load'?");
  options.parameter = "load", options.to = 0;
  refuse(&options, "another finite value");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_truss),
                                     cmocka_unit_test(test_torque),
                                     cmocka_unit_test(test_hoop),
                                     cmocka_unit_test(test_column),
                                     cmocka_unit_test(test_double_branch),
                                     cmocka_unit_test(test_flutter),
                                     cmocka_unit_test(test_flutter_beyond_lowest),
                                     cmocka_unit_test(test_free_ring),
                                     cmocka_unit_test(test_ends),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
