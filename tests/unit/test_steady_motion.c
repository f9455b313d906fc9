/* Steady motions, which symmetries carry: conical pendulums, sleeping and precessing tops, bodies that
 * spin freely, against closed forms. */
#include "resting.h"

static void has_frequencies(const fixture *f, int count, const double *expected, double tolerance) {
  assert_int_equal(f->r->modes, count);
  for (int i = 0; i < count; i++) is_near("frequency", f->r->imaginary[i], expected[i], tolerance);
}

static const char pendulum[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/4 + 2*9.81*z)\n"
    "constrain('rod', x^2 + y^2 + z^2 - 1)\n"
    "observe('Lz', x*py - y*px)\nobserve('Lx', y*pz - z*py)\n"
    "observe('beside', x*py - y*px + 0.7*(x^2 + y^2 + z^2 - 1))\n"
    "observe('mixed', x*py - y*px + 1e-6*z)\n"
    "start { x = 0.1, y = 0.2, z = -1, project = true }\n";

/* A conical pendulum: cos = g/(w^2 l), and w (1 + 3 cos^2)^(1/2) about it. */
static void test_conical(void **state) {
  (void)state;
  const rattle_parameter turn = {"Lz", 4};
  fixture f = find_steady(pendulum, 0, &turn, 1);
  const double c = 9.81 / 16, modes[] = {0, 0, 4 * sqrt(1 + 3 * c * c)};
  has_frequencies(&f, 3, modes, 1e-12);
  is_near("z", f.r->q[2], -c, 1e-14);
  is_near("rod", f.r->multipliers[0], 16, 1e-12);
  is_near("px", f.r->p[0], -8 * f.r->q[1], 1e-13);
  is_near("py", f.r->p[1], 8 * f.r->q[0], 1e-13);
  assert_int_equal(f.r->stable, 1);
  drop(&f);
}

/* J with a multiple of g beside it is the same quantity, and forces of constraints are the same. */
static void test_multiples_of_constraints(void **state) {
  (void)state;
  const rattle_parameter turn = {"beside", 4};
  fixture f = find_steady(pendulum, 0, &turn, 1);
  is_near("z", f.r->q[2], -9.81 / 16, 1e-13);
  is_near("rod", f.r->multipliers[0], 16, 1e-11);
  drop(&f);
}

/* What no symmetry conserves, by much and by little; what is not observed. */
static void test_refused(void **state) {
  (void)state;
  static const char *const refused[][2] = {{"Lx", "no symmetry that conserves 'Lx'"},
                                           {"mixed", "no symmetry that conserves 'mixed'"},
                                           {"Ly", "observes no quantity 'Ly'"}};
  for (int i = 0; i < 3; i++) {
    const rattle_parameter turn = {refused[i][0], 4};
    fixture f = seek_steady(pendulum, 1, &turn, 1);
    assert_int_equal(f.status, i < 2 ? RATTLE_UNSUITABLE : RATTLE_BAD_ARGUMENT);
    if (!strstr(f.error.message, refused[i][1])) fail_msg("%s", f.error.message);
    drop(&f);
  }
}

static const char top[] =
    "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\n"
    "local top = mech.body { name = 'top', mass = 0.8, inertia = {0.02, 0.02, 0.03}, form = '%s',\n"
    "  point = {0, 0, -0.2}, at = {0, 0, 0}, rotation = mech.about({1, 0, 0}, %g) }\n"
    "mech.spherical('tip', top:at(0, 0, -0.2), mech.ground)\n"
    "local L = top:angular_momentum() + mech.cross(top.x, top.p)\n"
    "observe('Lz', L.z)\nobserve('L3', mech.dot(L, top.column[3]))\n";
static const double A = 0.02 + 0.8 * 0.04, C = 0.03, mgl = 0.8 * 9.81 * 0.2;

/* A sleeping top: A k^2 - C w k + m g l = 0 on the ground, |k - w| in its frame. */
static void test_sleeping_top(void **state) {
  (void)state;
  static const char *const forms[] = {"matrix", "quaternion"};
  for (int i = 0; i < 2; i++) {
    char text[700];
    snprintf(text, sizeof text, top, forms[i], 0.);
    const rattle_parameter turn = {"Lz", 25};
    fixture f = find_steady(text, 1, &turn, 1);
    const double root = sqrt(C * C * 625 - 4 * A * mgl),
                 modes[] = {0, 0, 25 - (C * 25 + root) / (2 * A), 25 - (C * 25 - root) / (2 * A)};
    has_frequencies(&f, 4, modes, 1e-12);
    assert_int_equal(f.r->stable, RATTLE_EQUILIBRIUM_GYROSCOPIC);
    drop(&f);
  }
}

/* It wakes where C^2 w^2 = 4 A m g l. */
static void test_wakes(void **state) {
  (void)state;
  const rattle_parameter turn = {"Lz", 25};
  const rattle_equilibrium_options first = {
      .struct_size = sizeof first, .nearest = 1, .steady = &turn, .steadies = 1};
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .first = &first, .parameter = "Lz", .to = 15};
  char text[700];
  snprintf(text, sizeof text, top, "quaternion", 0.);
  rattle_model *model;
  rattle_problem *problem;
  rattle_equilibria *family;
  rattle_error error;
  if (rattle_model_parse(&model, text, "model.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_equilibria_create(&family, problem, NULL, &options, &error))
    fail_msg("%s", error.message);
  const double wakes = sqrt(4 * A * mgl) / C;
  int events = 0;
  for (int i = 0; i < rattle_equilibria_points(family); i++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(family, i);
    if (p.event == RATTLE_EQUILIBRIA_NONE)
      assert_int_equal(p.stable, p.parameter > wakes ? RATTLE_EQUILIBRIUM_GYROSCOPIC : 0);
    if (p.event != RATTLE_EQUILIBRIA_FLUTTER) continue;
    is_near("it wakes", p.parameter, wakes, 1e-10 * wakes);
    events++;
  }
  assert_int_equal(events, 1);
  rattle_equilibria_destroy(&family);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* A top that precesses with w and turns in its own axes with s: (C (s + w cos) - A w cos) w = m g
 * l; and its nutation. */
static void test_precession(void **state) {
  (void)state;
  char text[700];
  snprintf(text, sizeof text, top, "matrix", 0.9);
  const rattle_parameter turns[] = {{"Lz", 3}, {"L3", 18.76}};
  fixture f = find_steady(text, 1, turns, 2);
  const double w = 3, s = 18.76, c = (mgl / w - C * s) / ((C - A) * w), n = C * (s + w * c);
  is_near("cos", f.r->q[2] / 0.2, c, 1e-12);
  /* energy in the angle: (Lz - n cos)^2/(2 A sin^2) + m g l cos, of Lz = A w sin^2 + n cos */
  const double square = 1 - c * c,
               nutation = w * w * square + (n / A - 2 * w * c) * (n / A - 2 * w * c);
  const double modes[] = {0, 0, 0, 0, sqrt(nutation)};
  has_frequencies(&f, 5, modes, 1e-10);
  assert_true(f.r->stable == 1 || f.r->stable == RATTLE_EQUILIBRIUM_GYROSCOPIC);
  drop(&f);
}

/* A body that spins about one of its axes, its centre held: w^2 (C - A) (C - B)/(A B), below 0 about
 * the middle one; stable by energy about that of the largest moment alone. */
static void test_free_body(void **state) {
  (void)state;
  static const double moments[][3] = {{0.2, 0.3, 0.4}, {0.2, 0.4, 0.3}, {0.3, 0.4, 0.2}};
  static const int stable[] = {1, 0, RATTLE_EQUILIBRIUM_GYROSCOPIC};
  for (int i = 0; i < 3; i++) {
    char text[600];
    const double *I = moments[i];
    snprintf(text, sizeof text,
             "local mech = require 'mechanics'\n"
             "local b = mech.body { name = 'b', mass = 1, inertia = {%g, %g, %g} }\n"
             "mech.spherical('centre', b:at(0, 0, 0), mech.ground)\n"
             "observe('Lz', b:angular_momentum().z)\n",
             I[0], I[1], I[2]);
    const rattle_parameter turn = {"Lz", 2};
    fixture f = find_steady(text, 1, &turn, 1);
    const double square = 4 * (I[2] - I[0]) * (I[2] - I[1]) / (I[0] * I[1]);
    double most = 0, found = INFINITY;
    for (int k = 0; k < f.r->modes; k++) {
      const double a = f.r->real[k], b = f.r->imaginary[k];
      most = fmax(most, a);
      found = fmin(found, fabs(b * b - a * a - square));
    }
    is_near("square", found, 0, 1e-12);
    is_near("growth", most, square < 0 ? sqrt(-square) : 0, 1e-12);
    assert_int_equal(f.r->stable, stable[i]);
    drop(&f);
  }
}

/* A mass on a spring of length 1 with a damper along it, that goes round: mu^2 + c mu + k + 3 w^2 = 0;
 * drag along x has not its symmetry. */
static void test_damper(void **state) {
  (void)state;
  const rattle_parameter turn = {"Lz", 0.7};
  for (int drag = 0; drag < 2; drag++) {
    char text[500];
    snprintf(text, sizeof text,
             "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal r = sqrt(x^2 + y^2)\n"
             "hamiltonian((px^2 + py^2)/2 + 2*(r - 1)^2)\nlocal v = (x*px + y*py)/r\n"
             "force { x = -0.3*v*x/r - %d*px, y = -0.3*v*y/r }\n"
             "observe('Lz', x*py - y*px)\nstart { x = 1.1, y = 0.2 }\n",
             drag);
    fixture f = seek_steady(text, 1, &turn, 1);
    assert_int_equal(f.status, drag ? RATTLE_UNSUITABLE : RATTLE_OK);
    if (!drag) {
      const int last = f.r->modes - 1;
      is_near("r", hypot(f.r->q[0], f.r->q[1]), 4 / (4 - 0.49), 1e-13);
      is_near("growth", f.r->real[last], -0.15, 1e-12);
      is_near("frequency", f.r->imaginary[last], sqrt(4 + 3 * 0.49 - 0.0225), 1e-12);
      assert_int_equal(f.r->stable, 1);
    }
    drop(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conical),   cmocka_unit_test(test_multiples_of_constraints),
      cmocka_unit_test(test_refused),   cmocka_unit_test(test_sleeping_top),
      cmocka_unit_test(test_wakes),     cmocka_unit_test(test_precession),
      cmocka_unit_test(test_free_body), cmocka_unit_test(test_damper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
