/* Equilibria and modes where H has terms that are linear in momenta: in rotating frames and magnetic
 * fields. Frequencies, thresholds and multipliers are known in closed form. */
#include <stdlib.h>

#include "resting.h"

static rattle_problem *make(rattle_model **model, const char *text) {
  rattle_problem *problem = NULL;
  rattle_error error;
  if (rattle_model_parse(model, text, "model.lua", NULL, &error) ||
      rattle_problem_create(&problem, *model, NULL, &error))
    fail_msg("%s", error.message);
  return problem;
}

/* All frequencies, with no growth and no decay. */
static void has_frequencies(const fixture *f, int count, const double *expected, double tolerance) {
  assert_int_equal(f->r->modes, count);
  for (int i = 0; i < count; i++) {
    is_near("frequency", f->r->imaginary[i], expected[i], tolerance);
    is_near("growth", f->r->real[i], 0, 0);
  }
}

#define FRAME "local w = parameter('w', %.17g)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"

/* A disc in the middle of a shaft, in the frame that turns with it: |k^(1/2) -+ w|; stable by its
 * energy below the critical speed, by gyroscopic terms above. */
static void test_rotor(void **state) {
  (void)state;
  static const double speeds[] = {0.7, 5};
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text,
             FRAME "hamiltonian((px^2 + py^2)/6 - w*(x*py - y*px) + 6*(x^2 + y^2))\n"
                   "start { x = 0.1, y = 0.2 }\n",
             speeds[i]);
    fixture f = find(text, 1);
    const double w = speeds[i], slow = fabs(2 - w), whirl[] = {slow, 2 + w};
    has_frequencies(&f, 2, whirl, 1e-13);
    assert_int_equal(f.r->stable, i ? RATTLE_EQUILIBRIUM_GYROSCOPIC : 1);
    is_near("softest", f.r->softest, 4 - w * w, 1e-13);
    /* the fast whirl goes round against the frame: x = cos, y = -sin */
    const double *a = f.r->shape + 2, *b = f.r->shape_imaginary + 2;
    is_near("sense", a[0] * b[1] - a[1] * b[0], 1, 1e-12);
    drop(&f);
  }
}

/* Friction in the shaft, ci, and in the bearings, ce: the whirl begins to grow where the speed is
 * that of the shaft at rest times 1 + ce/ci. In the frame q'' + (c + 2 i w) q' + (k - w^2 + i w ce) q
 * = 0, q = x + i y, c = ci + ce. */
static void test_friction_in_the_shaft(void **state) {
  (void)state;
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .parameter = "w", .to = 5};
  char text[600];
  snprintf(text, sizeof text,
           FRAME "local ci, ce = 0.2, 0.1\n"
                 "hamiltonian((px^2 + py^2)/2 - w*(x*py - y*px) + 2*(x^2 + y^2))\n"
                 "force { x = -ci*(px + w*y) - ce*px, y = -ci*(py - w*x) - ce*py }\n"
                 "start { x = 0.1, y = 0.2 }\n",
           1.);
  rattle_model *model;
  rattle_problem *problem = make(&model, text);
  rattle_equilibria *family;
  rattle_error error;
  if (rattle_equilibria_create(&family, problem, NULL, &options, &error))
    fail_msg("%s", error.message);
  int events = 0;
  for (int i = 0; i < rattle_equilibria_points(family); i++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(family, i);
    const double w = p.parameter;
    for (int k = 0; k < p.modes; k++) {
      double least = INFINITY;
      for (int sign = -1; sign <= 1; sign += 2) { /* of q, and of its conjugate */
        const double a = p.real[k], b = sign * p.imaginary[k];
        const double real = a * a - b * b + 0.3 * a - 2 * w * b + 4 - w * w,
                     imaginary = 2 * a * b + 0.3 * b + 2 * w * a + 0.1 * w;
        least = fmin(least, hypot(real, imaginary));
      }
      is_near("characteristic", least, 0, 1e-12);
    }
    if (p.event <= RATTLE_EQUILIBRIA_END) {
      assert_int_equal(p.stable, w < 3);
      continue;
    }
    assert_int_equal(p.event, RATTLE_EQUILIBRIA_FLUTTER);
    is_near("threshold", w, 3, 1e-10);
    events++;
  }
  assert_int_equal(events, 1);
  rattle_equilibria_destroy(&family);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* A pendulum of length 1 in the frame of the ground: (g/l)^(1/2) -+ w below; and where it stands off
 * beyond (g/l)^(1/2), as a conical pendulum, cos = g/(w^2 l), w (1 + 3 cos^2)^(1/2). */
static const char foucault[] =
    FRAME "local z, pz = pair('z')\n"
          "hamiltonian((px^2 + py^2 + pz^2)/4 - w*(x*py - y*px) + 2*9.81*z)\n"
          "constrain('rod', x^2 + y^2 + z^2 - 1)\n"
          "start { x = 0.1, y = 0.2, z = -1, project = true }\n";

static void test_foucault(void **state) {
  (void)state;
  char text[500];
  snprintf(text, sizeof text, foucault, 0.3);
  fixture f = find(text, 0);
  const double still = sqrt(9.81), sway[] = {still - 0.3, still + 0.3};
  has_frequencies(&f, 2, sway, 1e-13);
  assert_int_equal(f.r->stable, 1);
  drop(&f);
}

static void test_conical(void **state) {
  (void)state;
  char text[500];
  snprintf(text, sizeof text, foucault, 4.);
  fixture f = find(text, 0);
  const double c = 9.81 / 16;
  is_near("z", f.r->q[2], -c, 1e-14);
  is_near("rod", f.r->multipliers[0], 16, 1e-12); /* 2 lambda l: the force m w^2 l in the rod */
  is_near("px", f.r->p[0], -2 * 4 * f.r->q[1], 1e-13);
  is_near("py", f.r->p[1], 2 * 4 * f.r->q[0], 1e-13);
  const double modes[] = {0, 0, 4 * sqrt(1 + 3 * c * c)}; /* 0: it may stand at any side */
  has_frequencies(&f, 3, modes, 1e-12);
  assert_int_equal(f.r->stable, -1);
  drop(&f);
}

/* Both stiffnesses change at once where the lowest place is left. */
static void test_leaves_the_lowest_place(void **state) {
  (void)state;
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .parameter = "w", .to = 5};
  char text[500];
  snprintf(text, sizeof text, foucault, 1.);
  rattle_model *model;
  rattle_problem *problem = make(&model, text);
  rattle_equilibria *family;
  rattle_error error;
  if (rattle_equilibria_create(&family, problem, NULL, &options, &error))
    fail_msg("%s", error.message);
  assert_string_equal(rattle_equilibria_why(family), "");
  int events = 0;
  for (int i = 0; i < rattle_equilibria_points(family); i++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(family, i);
    const double w = p.parameter, still = sqrt(9.81);
    is_near("sum", p.imaginary[p.modes - 1], still + w, 1e-12);
    if (p.event == RATTLE_EQUILIBRIA_NONE)
      assert_int_equal(p.stable, w < still ? 1 : RATTLE_EQUILIBRIUM_GYROSCOPIC);
    if (p.event != RATTLE_EQUILIBRIA_BRANCH) continue;
    is_near("critical speed", w, still, 1e-12);
    events++;
  }
  assert_int_equal(events, 1);
  rattle_equilibria_destroy(&family);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* Lagrange's triangle: 2 omega^2 = 1 -+ (1 - 27 mu (1 - mu))^(1/2), up to Routh's mass ratio
 * (1 - (23/27)^(1/2))/2. */
static const char triangle[] =
    "local mu = parameter('mu', %.17g)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
    "local a, b = sqrt((x + mu)^2 + y^2), sqrt((x - 1 + mu)^2 + y^2)\n"
    "hamiltonian((px^2 + py^2)/2 - (x*py - y*px) - (1 - mu)/a - mu/b)\n"
    "start { x = 0.49, y = 0.86 }\n";

static void test_triangle(void **state) {
  (void)state;
  char text[500];
  snprintf(text, sizeof text, triangle, 0.01);
  fixture f = find(text, 1);
  is_near("x", f.r->q[0], 0.49, 1e-15);
  is_near("y", f.r->q[1], sqrt(0.75), 1e-15);
  is_near("px", f.r->p[0], -sqrt(0.75), 1e-15);
  is_near("py", f.r->p[1], 0.49, 1e-15);
  const double root = sqrt(1 - 27 * 0.01 * 0.99),
               librations[] = {sqrt((1 - root) / 2), sqrt((1 + root) / 2)};
  has_frequencies(&f, 2, librations, 1e-13);
  assert_int_equal(f.r->stable, RATTLE_EQUILIBRIUM_GYROSCOPIC);
  drop(&f);
}

static void test_critical_masses(void **state) {
  (void)state;
  const rattle_equilibrium_options nearest = {.struct_size = sizeof nearest, .nearest = 1};
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .first = &nearest, .parameter = "mu", .to = 0.06};
  char text[500];
  snprintf(text, sizeof text, triangle, 0.01);
  rattle_model *model;
  rattle_problem *problem = make(&model, text);
  rattle_equilibria *family;
  rattle_error error;
  if (rattle_equilibria_create(&family, problem, NULL, &options, &error))
    fail_msg("%s", error.message);
  const double critical = (1 - sqrt(23. / 27)) / 2;
  int events = 0;
  for (int i = 0; i < rattle_equilibria_points(family); i++) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(family, i);
    if (p.event == RATTLE_EQUILIBRIA_NONE)
      assert_int_equal(p.stable, p.parameter < critical ? RATTLE_EQUILIBRIUM_GYROSCOPIC : 0);
    if (p.event != RATTLE_EQUILIBRIA_FLUTTER) continue;
    is_near("critical masses", p.parameter, critical, 1e-12);
    events++;
  }
  assert_int_equal(events, 1);
  rattle_equilibria_destroy(&family);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* A charge in a Penning trap: the magnetic field B along z holds it where the potential has a saddle;
 * B/2 -+ (B^2/4 - k/2)^(1/2) and k^(1/2). Momenta at rest are those of the vector potential. */
static void test_trap(void **state) {
  (void)state;
  fixture f = find("local B, k = 3, 1.7\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
                   "local z, pz = pair('z')\n"
                   "hamiltonian(((px + B*y/2 + 0.4)^2 + (py - B*x/2)^2 + pz^2)/2\n"
                   "            + k*(2*z^2 - (x - 1)^2 - y^2)/4)\n"
                   "start { x = 0.8, y = 0.1, z = 0.2 }\n",
                   1);
  const double half = sqrt(9. / 4 - 0.85), modes[] = {1.5 - half, sqrt(1.7), 1.5 + half};
  has_frequencies(&f, 3, modes, 1e-13);
  is_near("x", f.r->q[0], 1, 1e-15);
  is_near("px", f.r->p[0], -0.4, 1e-15);
  is_near("py", f.r->p[1], 1.5, 1e-15);
  assert_int_equal(f.r->stable, RATTLE_EQUILIBRIUM_GYROSCOPIC);
  drop(&f);
}

/* H that is not quadratic in momenta: (m^2 + |p - A|^2)^(1/2) with the masses m of the one at rest;
 * the frequencies are those of the trap in the plane with the mass m. */
static void test_fast(void **state) {
  (void)state;
  fixture f = find("local x, px = pair('x')\nlocal y, py = pair('y')\n"
                   "hamiltonian(sqrt(4 + (px + 1.5*y)^2 + (py - 1.5*x - 0.3)^2) + x^2 + y^2)\n"
                   "start { x = 0.1, y = 0.2 }\n",
                   1);
  const double half = sqrt(0.75 * 0.75 + 1), modes[] = {half - 0.75, half + 0.75};
  has_frequencies(&f, 2, modes, 1e-13);
  is_near("py", f.r->p[1], 0.3, 1e-15);
  assert_int_equal(f.r->stable, 1);
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rotor),
      cmocka_unit_test(test_friction_in_the_shaft),
      cmocka_unit_test(test_foucault),
      cmocka_unit_test(test_conical),
      cmocka_unit_test(test_leaves_the_lowest_place),
      cmocka_unit_test(test_triangle),
      cmocka_unit_test(test_critical_masses),
      cmocka_unit_test(test_trap),
      cmocka_unit_test(test_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
