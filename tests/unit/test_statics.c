/* Equilibria and small motions where they are known in closed form. */
#include "resting.h"

/* A rod of the given length, mass m, in a field of weight w, thrown to the side; in units of any
 * size, away from the origin. */
static const char pendulum[] =
    "local l, m, w, o = %g, %g, %g, %g\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/(2*m) + m*w*y)\nconstrain('rod', (x - o)^2 + y^2 - l^2)\n"
    "start { x = o + l*math.sin(2.5), y = -l*math.cos(2.5) }\n";

static void test_pendulum(void **state) {
  (void)state;
  static const double cases[][4] = {
      {1, 1, 1, 0}, {0.3, 2, 9.81, 5}, {1e-9, 1e-26, 1e12, 1e-8}, {1e12, 1e30, 1e-3, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double l = cases[i][0], m = cases[i][1], w = cases[i][2], o = cases[i][3];
    char text[600];
    snprintf(text, sizeof text, pendulum, l, m, w, o);
    fixture f = find(text, 0);
    assert_int_equal(f.r->degrees, 1);
    assert_int_equal(f.r->stable, 1);
    assert_int_equal(f.r->modes, 1);
    is_near("x", f.r->q[0] / l, o / l, 1e-13 * (1 + o / l));
    is_near("y", f.r->q[1] / l, -1, 1e-13);
    is_near("multiplier", f.r->multipliers[0] * 2 * l / (m * w), 1, 1e-12);
    is_near("frequency", f.r->imaginary[0] / sqrt(w / l), 1, 1e-12);
    is_near("rate", f.r->real[0], 0, 0);
    is_near("shape", f.r->shape[0], 1, 1e-12);
    is_near("shape", f.r->shape[1], 0, 1e-12);
    drop(&f);
  }
}

/* The same by its angle, also from where the stiffness is 0: it comes to the bottom that is next, no
 * turns away, however long a step of Newton's method is. */
static void test_angle(void **state) {
  (void)state;
  static const double starts[] = {0.5, 1.5, 1.5707963267948966, 1.6, 2, 3, -1.5707963267948966};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    for (int turns = 0; turns < 2; turns++) {
      char text[300];
      snprintf(text, sizeof text,
               "local a, pa = pair('a')\nhamiltonian(pa^2/4 - 8*cos(a))\nstart { a = %.17g }\n",
               starts[i] + 2 * pi * turns);
      fixture f = find(text, 0);
      is_near("angle", f.r->q[0], 2 * pi * turns, 1e-13);
      assert_int_equal(f.r->stable, 1);
      is_near("frequency", f.r->imaginary[0], 2, 1e-12);
      drop(&f);
    }
}

/* Two bars at their lengths, sideways on a spring: the way to the middle shrinks without end. */
static void test_bars(void **state) {
  (void)state;
  fixture f = find("local x, px = pair('x')\nlocal y, py = pair('y')\nlocal L = math.sqrt(1.25)\n"
                   "local function bar(s) return 1.5*(sqrt((x - s)^2 + y^2) - L)^2 end\n"
                   "hamiltonian((px^2 + py^2)/2 + bar(1) + bar(-1) + 5*x^2)\n"
                   "start { x = 0.01, y = 0.6 }\n",
                   0);
  is_near("x", f.r->q[0], 0, 1e-15);
  is_near("y", f.r->q[1], 0.5, 1e-15);
  is_near("frequency", f.r->imaginary[0], sqrt(1.2), 1e-13);
  assert_int_equal(f.r->stable, 1);
  drop(&f);
}

/* A bead at the bottom of a hoop that turns, at its critical speed: its one stiffness is round-off. */
static void test_hoop(void **state) {
  (void)state;
  for (int i = -1; i <= 1; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "local w, a, pa = %.17g, pair('a')\n"
             "hamiltonian(pa^2/0.5 - 9.81/2*cos(a) - w^2*sin(a)^2/8)\nstart { a = 0 }\n",
             sqrt(9.81 / 0.5) * (1 + i * 4e-16));
    fixture f = find(text, 1);
    assert_int_equal(f.r->stable, -1);
    drop(&f);
  }
}

/* A body that floats on springs and carries another on a ball, by their joints and by their own
 * coordinates: the length of a quaternion is no motion. */
static const char floating[] =
    "local mech = require 'mechanics'\nmech.coordinates '%s'\nmech.gravity(0, 0, -1)\n"
    "local I = {0.02, 0.09, 0.1}\n"
    "local a = mech.body {name = 'a', mass = 1, inertia = I, at = {0.5, 0, 0.1}}\n"
    "local b = mech.body {name = 'b', mass = 2, inertia = I, at = {1.5, 0, 0.1}}\n"
    "mech.spherical('ball', a:here(1, 0, 0), b:here(1, 0, 0))\n"
    "local function pull(at, x, y, z, k) mech.spring(at, mech.ground:at(x, y, z), {k = k}) end\n"
    "pull(a:at(0, 0.2, 0), 0, 0.6, 0.5, 30) pull(b:at(0, -0.2, 0), 2, -0.6, -0.5, 20)\n"
    "pull(b:at(0, -0.2, 0.1), 2, 0.6, -0.5, 10) pull(b:at(0.4, -0.2, 0), 2, 0.6, 0.5, 10)\n"
    "pull(a:at(0.4, -0.2, 0), 2, -0.6, -0.5, 10) pull(a:at(0, 0, 0.3), 0, 0, 1, 15)\n";

static void test_floating(void **state) {
  (void)state;
  fixture f[2];
  for (int joints = 0; joints < 2; joints++) {
    char text[2000];
    snprintf(text, sizeof text, floating, joints ? "joints" : "bodies");
    f[joints] = find(text, 0);
    assert_int_equal(f[joints].r->degrees, 9);
    assert_int_equal(f[joints].r->stable, 1);
  }
  is_near("energy", f[1].r->energy, f[0].r->energy, 1e-10);
  for (int i = 0; i < 9; i++)
    is_near("frequency", f[1].r->imaginary[i], f[0].r->imaginary[i], 1e-6);
  drop(&f[0]), drop(&f[1]);
}

/* A portal of three bars that stands upright: by its joints, of which all angles are 0 there, and by
 * its bodies; sought by Newton's method and down the potential. */
static const char portal[] =
    "local mech = require 'mechanics'\nmech.coordinates '%s'\nmech.gravity(0, -9.81)\n"
    "local function bar(name, m, x, y) return mech.planar {name = name, mass = m, inertia = 0.05, "
    "at = {x, y}} end\n"
    "local a, b, c = bar('a', 1.3, 0, 0.25), bar('b', 0.6, 0.5, 0.5), bar('c', 0.6, 1, 0.2)\n"
    "local function pin(name, a, b, x, y) mech.revolute(name, a:here(x, y), b:here(x, y)) end\n"
    "pin('one', a, mech.ground, 0, 0) pin('two', b, a, 0, 0.5) pin('three', c, b, 1, 0.5)\n"
    "pin('four', c, mech.ground, 1, -0.1)\n";

static void test_portal(void **state) {
  (void)state;
  fixture bodies;
  char text[2000];
  snprintf(text, sizeof text, portal, "bodies");
  bodies = find(text, 1);
  assert_true(bodies.r->real[0] > 4);
  for (int nearest = 0; nearest < 2; nearest++) {
    snprintf(text, sizeof text, portal, "joints");
    fixture f = find(text, nearest);
    assert_int_equal(f.r->degrees, 1);
    assert_int_equal(f.r->stable, 0);
    is_near("rate", f.r->real[0], bodies.r->real[0], 1e-7);
    is_near("multiplier", f.r->multipliers[1], -9.81 * 0.9, 1e-12);
    drop(&f);
  }
  drop(&bodies);
}

/* On its head, where Newton's method alone ends from near there. */
static void test_inverted(void **state) {
  (void)state;
  char text[600];
  snprintf(text, sizeof text, pendulum, 2., 1., 8., 0.);
  fixture f = find(text, 1);
  is_near("y", f.r->q[1], 2, 1e-12);
  assert_int_equal(f.r->stable, 0);
  is_near("rate", f.r->real[0], 2, 1e-12);
  is_near("frequency", f.r->imaginary[0], 0, 0);
  drop(&f);
}

/* Two rods of length 1 with masses 1: omega^2 = 2 -+ sqrt 2; in the plane by points and by angles,
 * whose H is not separable. */
static void test_double_pendulum(void **state) {
  (void)state;
  static const char *const texts[] = {
      "local a, pa = pair('a')\nlocal b, pb = pair('b')\nlocal c, pc = pair('c')\nlocal d, pd = "
      "pair('d')\nhamiltonian((pa^2 + pb^2 + pc^2 + pd^2)/2 + b + d)\n"
      "constrain('inner', a^2 + b^2 - 1)\nconstrain('outer', (c - a)^2 + (d - b)^2 - 1)\n"
      "start { a = 1, b = 0, c = 1, d = 1 }\n",
      "local u, pu = pair('u')\nlocal v, pv = pair('v')\nlocal c = cos(u - v)\n"
      "hamiltonian((pu^2 - 2*c*pu*pv + 2*pv^2)/(2*(2 - c^2)) - 2*cos(u) - cos(v))\n"
      "start { u = 1.2, v = 2 }\n"};
  for (int i = 0; i < 2; i++) {
    fixture f = find(texts[i], 0);
    assert_int_equal(f.r->degrees, 2);
    assert_int_equal(f.r->stable, 1);
    is_near("slow", f.r->imaginary[0], sqrt(2 - sqrt(2)), 1e-12);
    is_near("fast", f.r->imaginary[1], sqrt(2 + sqrt(2)), 1e-12);
    /* the outer angle is +-sqrt 2 times the inner one */
    const double *slow = f.r->shape, *fast = slow + f.r->n;
    const double turn[] = {i ? slow[1] / slow[0] : slow[2] / slow[0] - 1,
                           i ? fast[1] / fast[0] : fast[2] / fast[0] - 1};
    is_near("shape", turn[0], sqrt(2), 1e-11);
    is_near("shape", turn[1], -sqrt(2), 1e-11);
    drop(&f);
  }
}

/* m x'' + c x' + k x = 0, below and beyond critical damping; a constant force moves the rest. */
static void test_damper(void **state) {
  (void)state;
  static const char format[] = "local x, p = pair('x')\nhamiltonian(p^2/4 + 3*x^2/2)\nforce { x = "
                               "0.6 - %g*p/2 }\nstart { x = 1 "
                               "}\n";
  for (int strong = 0; strong < 2; strong++) {
    const double c = strong ? 8 : 1, root = sqrt(fabs(3. / 2 - c * c / 16));
    char text[300];
    snprintf(text, sizeof text, format, c);
    fixture f = find(text, 0);
    is_near("x", f.r->q[0], 0.2, 1e-14);
    assert_int_equal(f.r->stable, 1);
    assert_int_equal(f.r->modes, 1 + strong);
    is_near("frequency", f.r->imaginary[0], strong ? 0 : root, 1e-13);
    is_near("decay", f.r->real[0], strong ? -2 + root : -c / 4, 1e-13);
    if (strong) is_near("decay", f.r->real[1], -2 - root, 1e-13);
    is_near("shape", f.r->shape[0], 1, 1e-12);
    drop(&f);
  }
}

/* Five masses between walls: omega_k = 2 sin(k pi/12), shapes sin(k j pi/6). */
static void test_string(void **state) {
  (void)state;
  fixture f = find("local x = {}\nlocal H = 0\nlocal before = 0\nfor i = 1, 5 do\n"
                   "  local q, p = pair('x' .. i)\n  x[i] = q\n"
                   "  H = H + p^2/2 + (q - before)^2/2\n  before = q\nend\n"
                   "hamiltonian(H + before^2/2)\nstart { x1 = 1, x2 = 3, x5 = -2 }\n",
                   0);
  assert_int_equal(f.r->modes, 5);
  for (int k = 1; k <= 5; k++) {
    is_near("frequency", f.r->imaginary[k - 1], 2 * sin(k * pi / 12), 1e-13);
    const double *shape = f.r->shape + (k - 1) * 5;
    int most = 0;
    for (int j = 1; j < 5; j++)
      if (fabs(shape[j]) > fabs(shape[most])) most = j;
    for (int j = 0; j < 5; j++)
      is_near("shape", shape[j] / shape[most],
              sin(k * (j + 1) * pi / 6) / sin(k * (most + 1) * pi / 6), 1e-11);
  }
  drop(&f);
}

/* A rope of eight rods between two nails hangs so that the slopes rise by equal amounts, since the
 * horizontal tension is the same everywhere. */
static void test_rope(void **state) {
  (void)state;
  fixture f = find("local x, y, H = {[0] = 0, [8] = 5}, {[0] = 0, [8] = 1}, 0\nfor i = 1, 7 do\n"
                   "  local q, p = pair('x' .. i)\n  local r, s = pair('y' .. i)\n"
                   "  x[i], y[i] = q, r\n  H = H + (p^2 + s^2)/2 + 9.81*r\nend\nhamiltonian(H)\n"
                   "local at = {}\nfor i = 1, 8 do\n"
                   "  constrain('rod ' .. i, (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)\n"
                   "  at['x' .. i], at['y' .. i] = 0.6*i, 0.1*(i % 2)\nend\n"
                   "at.x8, at.y8 = nil, nil\nat.project = true\nstart(at)\n",
                   0);
  double slope[8];
  for (int i = 0; i < 8; i++) {
    const double *q = f.r->q + 2 * i;
    const double dx = (i < 7 ? q[0] : 5) - (i ? q[-2] : 0),
                 dy = (i < 7 ? q[1] : 1) - (i ? q[-1] : 0);
    slope[i] = dy / dx;
    is_near("length", dx * dx + dy * dy, 1, 1e-13);
  }
  for (int i = 1; i < 7; i++)
    is_near("rise of slopes", slope[i + 1] - slope[i], slope[i] - slope[i - 1], 1e-11);
  assert_int_equal(f.r->degrees, 6);
  assert_int_equal(f.r->stable, 1);
  drop(&f);
}

/* A bead on a ring without weight rests anywhere: linear terms do not decide. */
static void test_anywhere(void **state) {
  (void)state;
  char text[600];
  snprintf(text, sizeof text, pendulum, 1., 1., 0., 0.);
  fixture f = find(text, 0);
  assert_int_equal(f.r->stable, -1);
  is_near("x", f.r->q[0], sin(2.5), 1e-14);
  is_near("frequency", f.r->imaginary[0], 0, 0);
  drop(&f);
}

/* Linear terms vanish: the bottom of a fourth power is found, at any place, and a third power has
 * no stable one. */
static void test_powers(void **state) {
  (void)state;
  static const struct {
    double at;
    int power;
  } cases[] = {{0, 4}, {3, 4}, {0, 3}, {-2e6, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double at = cases[i].at;
    char text[200];
    snprintf(text, sizeof text,
             "local x, p = pair('x')\nhamiltonian(p^2/2 + (x - %.17g)^%d)\nstart { x = %.17g }\n",
             at, cases[i].power, at + 1);
    fixture f = find(text, 0);
    is_near("x", f.r->q[0], at, 2e-15 * (1 + fabs(at)));
    assert_int_equal(f.r->stable, -1);
    drop(&f);
  }
}

/* Two supports of one load carry half of it each, though one of them is omitted. */
static void test_supports(void **state) {
  (void)state;
  fixture f = find("redundant 'omit'\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
                   "hamiltonian((px^2 + py^2)/2 + 8*y + x^2)\nconstrain('left', y)\n"
                   "constrain('right', y)\nstart { x = 1 }\n",
                   0);
  assert_int_equal(f.r->m, 1);
  assert_int_equal(f.r->omitted, 1);
  is_near("left", f.r->multipliers[0], -4, 1e-14);
  is_near("right", f.r->multipliers[1], -4, 1e-14);
  drop(&f);
}

/* A pendulum whose pin is moved by time, which is held: at t = 3 the pin is at x = 9. */
static void test_time(void **state) {
  (void)state;
  fixture f = find("local t = time()\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
                   "hamiltonian((px^2 + py^2)/2 + 8*y)\nconstrain('rod', (x - t^2)^2 + y^2 - 4)\n"
                   "integrate { start_time = 3 }\nstart { x = 10.2, y = -1.6 }\n",
                   0);
  is_near("t", f.r->q[0], 3, 0);
  is_near("x", f.r->q[1], 9, 1e-12);
  is_near("y", f.r->q[2], -2, 1e-12);
  is_near("tension", 2 * 2 * f.r->multipliers[0], 8, 1e-12);
  assert_int_equal(f.r->modes, 1);
  is_near("frequency", f.r->imaginary[0], 2, 1e-12);
  drop(&f);
}

static void test_none(void **state) {
  (void)state;
  fixture f = seek("local x, p = pair('x')\nhamiltonian(p^2/2 + x)\nstart { x = 1 }\n", 0);
  assert_int_equal(f.status, RATTLE_NOT_CONVERGED);
  assert_non_null(strstr(f.error.message, "perhaps nothing holds it"));
  drop(&f);
  static const char *const refused[][2] = {
      {"local x, p = pair('x')\nlocal y, r = pair('y')\nhamiltonian(p^2/2 + r*x + x^2 + y^2)\n"
       "start { x = 1 }\n",
       "'y' moves, and no momentum stops it"},
      {"local x, p = pair('x')\nlocal y, r = pair('y')\nhamiltonian(p^2/2 - r^2 + x^2 + y^2)\n"
       "start { x = 1 }\n",
       "not positive definite at 'y'"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    f = seek(refused[i][0], 0);
    assert_int_equal(f.status, RATTLE_UNSUITABLE);
    if (!strstr(f.error.message, refused[i][1])) fail_msg("%s", f.error.message);
    drop(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum), cmocka_unit_test(test_bars),
      cmocka_unit_test(test_hoop),     cmocka_unit_test(test_angle),
      cmocka_unit_test(test_floating), cmocka_unit_test(test_portal),
      cmocka_unit_test(test_inverted), cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_damper),   cmocka_unit_test(test_string),
      cmocka_unit_test(test_rope),     cmocka_unit_test(test_anywhere),
      cmocka_unit_test(test_powers),   cmocka_unit_test(test_supports),
      cmocka_unit_test(test_time),     cmocka_unit_test(test_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
