/* Periodic orbits where they are known. */
#include <math.h>

#include "../study_fixture.h"

static const double pi = 3.14159265358979323846;

static rattle_study_options seek(double period) {
  return (rattle_study_options){.struct_size = sizeof(rattle_study_options),
                                .start = (double)NAN,
                                .stop = (double)NAN,
                                .period = period,
                                .threads = 1};
}

/* A text in which %g stands for the number. */
static fixture orbit_of(const char *format, double number, rattle_study_options options) {
  char text[2048];
  snprintf(text, sizeof text, format, number);
  fixture f = study_of(text, RATTLE_STUDY_ORBIT, options);
  if (f.r->method[0].status) fail_msg("%s: %s", f.r->method[0].method, f.r->method[0].message);
  return f;
}

static void check(const fixture *f, const char *name, double expected, double tolerance) {
  const double found = figure(f->r, 0, name);
  if (!(fabs(found - expected) <= tolerance * fabs(expected)))
    fail_msg("%s is %.15g, not %.15g: off by %.2e", name, found, expected, found - expected);
}

/* Conditions that every orbit of a symplectic method meets. */
static void check_structure(const fixture *f, int others) {
  const double pairing = figure(f->r, 0, "pairing_defect");
  assert_true(figure(f->r, 0, "residual") < 1e-11);
  assert_true(figure(f->r, 0, "trivial_defect") < 1e-9 && figure(f->r, 0, "trivial") == 2);
  assert_true(others ? pairing < 1e-9 : isnan(pairing));
  assert_int_equal(rattle_study_find_table(&f->r->method[0], "multipliers")->rows, 2 + others);
}

static double multiplier(const fixture *f, int i, const char *column) {
  return rattle_study_entry(rattle_study_find_table(&f->r->method[0], "multipliers"), i, column);
}

/* The mean of a smooth function of period 2 pi over 0 .. 2 pi. */
typedef double function(double theta, const double *parameters);
static double mean(function *f, const double *parameters) {
  double sum = 0;
  for (int i = 0; i < 2000; i++) sum += f(2 * pi * i / 2000, parameters);
  return sum / 2000;
}

/* 2 pi/agm(1, cos(angle/2)), held by the energy, whatever the units and the origin */
static void test_pendulum(void **unused) {
  (void)unused;
  static const char text[] =
      "local s, a, m, o = %g, 1.3, 2, 0\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
      "hamiltonian((px^2 + py^2)/(2*m) + m*y/s)\nconstrain('rod', (x - o*s)^2 + y^2 - s^2)\n"
      "start { x = s*(math.sin(a) + o), y = -s*math.cos(a) }\nintegrate { step = 0.1*s }";
  const double sizes[] = {1, 1e-10, 1e12};
  double a = 1, b = cos(0.65);
  for (int i = 0; i < 8; i++) {
    const double mean_of = (a + b) / 2;
    b = sqrt(a * b), a = mean_of;
  }
  for (int i = 0; i < 3; i++) {
    fixture f = orbit_of(text, sizes[i], seek(7 * sizes[i]));
    check(&f, "period", 2 * pi / a * sizes[i], 1e-12);
    check_structure(&f, 0);
    assert_string_equal(f.r->method[0].verdict, "stable");
    close_fixture(&f);
  }
}

/* A cone of angle theta: period 2 pi sqrt(cos), multipliers exp(+- 2 pi i sqrt(1 + 3 cos^2)) */
static void test_conical(void **unused) {
  (void)unused;
  static const char text[] =
      "local a = %g\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2 + z)\nconstrain('rod', x^2 + y^2 + z^2 - 1)\n"
      "start { x = math.sin(a), z = -math.cos(a), py = math.sin(a)/math.sqrt(math.cos(a)) }";
  for (int i = 1; i <= 3; i++) {
    const double c = cos(0.4 * i), angle = 2 * pi * sqrt(1 + 3 * c * c);
    fixture f = orbit_of(text, 0.4 * i, seek(i == 2 ? 0 : 2 * pi * sqrt(c)));
    check(&f, "period", 2 * pi * sqrt(c), 1e-12);
    check_structure(&f, 2);
    assert_true(fabs(multiplier(&f, 0, "real") - cos(angle)) < 1e-10 &&
                fabs(multiplier(&f, 0, "modulus") - 1) < 1e-10);
    close_fixture(&f);
  }
}

/* --- geodesics on an ellipsoid ---------------------------------------------------------------- */

static double speed(double t, const double *axes) {
  return hypot(axes[0] * sin(t), axes[1] * cos(t));
}

/* The trace of Jacobi's equation along the ellipse of the first two axes, y'' + K y = 0 by length,
 * K Gauss's curvature, by RK4. */
static double jacobi(const double *axes) {
  enum { STEPS = 4000 };
  const double h = 2 * pi / STEPS, a = axes[0], b = axes[1], c = axes[2];
  double trace = 0;
  for (int column = 0; column < 2; column++) {
    double y[2] = {column == 0, column == 1};
    for (int i = 0; i < STEPS; i++) {
      double k[4][2] = {{0}};
      for (int stage = 0; stage < 4; stage++) {
        const double part = stage == 0   ? 0
                            : stage == 3 ? h
                                         : h / 2,
                     t = i * h + part, *slope = k[stage ? stage - 1 : 0];
        const double at[2] = {y[0] + part * slope[0], y[1] + part * slope[1]};
        const double square = cos(t) * cos(t) / (a * a) + sin(t) * sin(t) / (b * b),
                     K = 1 / (a * a * b * b * c * c * square * square);
        k[stage][0] = speed(t, axes) * at[1];
        k[stage][1] = -speed(t, axes) * K * at[0];
      }
      for (int e = 0; e < 2; e++) y[e] += h / 6 * (k[0][e] + 2 * k[1][e] + 2 * k[2][e] + k[3][e]);
    }
    trace += y[column];
  }
  return trace;
}

/* The closed geodesics in the planes of the axes 3, 2, 1: that of the longest and the shortest axis
 * is unstable. */
static void test_ellipsoid(void **unused) {
  (void)unused;
  static const char text[] =
      "local which = %g\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = "
      "pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2)\nconstrain('E', x^2/9 + y^2/4 + z^2 - 1)\n"
      "if which == 0 then start { x = 3, py = 1 } elseif which == 1 then start { y = 2, pz = 1 }\n"
      "else start { x = 3, pz = 1 } end integrate { step = 0.1 }";
  const double axes[3][3] = {{3, 2, 1}, {2, 1, 3}, {3, 1, 2}};
  for (int which = 0; which < 3; which++) {
    rattle_study_options how = seek(0);
    how.arcs = which == 2 ? 3 : 0;
    fixture f = orbit_of(text, which, how);
    check(&f, "period", 2 * pi * mean(speed, axes[which]), 1e-12);
    check_structure(&f, 2);
    assert_string_equal(f.r->method[0].verdict, which == 2 ? "unstable" : "stable");
    const double trace = multiplier(&f, 0, "real") + multiplier(&f, 1, "real"),
                 expected = jacobi(axes[which]);
    if (!(fabs(trace - expected) < 1e-8 * fmax(1, fabs(expected))))
      fail_msg("trace %.12g, not %.12g", trace, expected);
    if (which == 2) assert_true(figure(f.r, 0, "arcs") == 3);
    close_fixture(&f);
  }
}

/* --- others ----------------------------------------------------------------------------------- */

static double slowness(double t, const double *E) {
  return 1 / sqrt(2 * *E - cos(t) * cos(t) - 2 * sin(t) * sin(t));
}

/* C. Neumann: harmonic forces on a sphere, around a circle in the plane of two axes */
static void test_neumann(void **unused) {
  (void)unused;
  static const char text[] =
      "local v = %g\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2 + (x^2 + 2*y^2 + 3*z^2)/2)\nconstrain('S', x^2 + y^2 + "
      "z^2 - 1)\n"
      "start { x = 1, py = v }\nintegrate { step = 0.1 }";
  const double E = (2.25 + 1) / 2;
  fixture f = orbit_of(text, 1.5, seek(5));
  check(&f, "period", 2 * pi * mean(slowness, &E), 1e-12);
  check(&f, "energy", E, 1e-14);
  check_structure(&f, 2);
  close_fixture(&f);
}

/* The modes of two equal rods and masses in the limit of small amplitudes, omega^2 = (2 -+ sqrt 2)
 * g/l */
static void test_modes(void **unused) {
  (void)unused;
  static const char text[] =
      "local k, a = %g, 1e-4\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nlocal u, pu = "
      "pair('u')\n"
      "local v, pv = pair('v')\nhamiltonian((px^2 + py^2 + pu^2 + pv^2)/2 + y + v)\n"
      "constrain('inner', x^2 + y^2 - 1)\nconstrain('outer', (u - x)^2 + (v - y)^2 - 1)\n"
      "local b = k*math.sqrt(2)*a\nlocal s, t = math.sin(a), math.cos(a)\n"
      "start { x = s, y = -t, u = s + math.sin(b), v = -t - math.cos(b) }\nintegrate { step = 0.05 "
      "}";
  for (int k = -1; k <= 1; k += 2) {
    const double omega = sqrt(2 - k * sqrt(2)), other = sqrt(2 + k * sqrt(2));
    fixture f = orbit_of(text, k, seek(2 * pi / omega * 1.01));
    check(&f, "period", 2 * pi / omega, 1e-7);
    check_structure(&f, 2);
    assert_true(fabs(multiplier(&f, 0, "real") - cos(2 * pi * other / omega)) < 1e-6);
    close_fixture(&f);
  }
}

/* Kepler's ellipse: all multipliers 1, the conserved quantities hold nothing up; twice round it is
 * found to be so */
static void test_kepler(void **unused) {
  (void)unused;
  static const char text[] = "local v = %g\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
                             "hamiltonian((px^2 + py^2)/2 - 1/sqrt(x^2 + y^2))\nstart { x = 1, py "
                             "= v }\nintegrate { step = 0.05 }";
  const double period = 2 * pi * pow(2 - 1.21, -1.5);
  fixture f = orbit_of(text, 1.1, seek(1.98 * period));
  check(&f, "period", 2 * period, 1e-11);
  check(&f, "repeats", 2, 0);
  assert_string_equal(f.r->method[0].verdict, "stable");
  close_fixture(&f);
}

/* Held by the period: the pendulum whose amplitude belongs to it */
static void test_held_period(void **unused) {
  (void)unused;
  static const char text[] = "local a = %g\nlocal x, px = pair('x')\nlocal y, py = "
                             "pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
                             "constrain('rod', x^2 + y^2 - 1)\nstart { x = math.sin(a), y = "
                             "-math.cos(a) }\nintegrate { step = 0.1 }";
  rattle_study_options how = seek(6.69997566437045); /* of 1 radian */
  how.held = RATTLE_ORBIT_HOLD_PERIOD;
  fixture f = orbit_of(text, 0.8, how);
  check(&f, "energy", -cos(1), 1e-11);
  check_structure(&f, 0);
  close_fixture(&f);
}

/* x'' = -2 x + cos t: x = cos t, multipliers exp(+- 2 pi i sqrt 2) */
static void test_driven(void **unused) {
  (void)unused;
  static const char text[] = "local w = %g\nlocal t = time()\nlocal x, px = "
                             "pair('x')\nhamiltonian(px^2/2 + x^2*w/2 - x*cos(t))\n"
                             "start { x = 0.7, px = 0.2 }\nintegrate { step = 0.1 }";
  fixture f = orbit_of(text, 2, seek(2 * pi));
  const rattle_study_table *start = rattle_study_find_table(&f.r->method[0], "start");
  assert_true(fabs(rattle_study_entry(start, 0, "x") - 1) < 1e-11 &&
              fabs(rattle_study_entry(start, 0, "px")) < 1e-11);
  assert_int_equal(rattle_study_find_table(&f.r->method[0], "multipliers")->rows, 2);
  assert_true(fabs(multiplier(&f, 0, "real") - cos(2 * pi * sqrt(2))) < 1e-10 &&
              figure(f.r, 0, "trivial") == 0);
  close_fixture(&f);
}

/* B. van der Pol: period 6.66328686; the multiplier is exp int (1 - x^2) dt */
static void test_limit_cycle(void **unused) {
  (void)unused;
  static const char text[] = "local k = %g\nlocal x, px = pair('x')\nhamiltonian((px^2 + "
                             "x^2)/2)\nforce { x = k*(1 - x^2)*px }\n"
                             "start { x = 2, px = 0.1 }\nintegrate { step = 0.05 }";
  fixture f = orbit_of(text, 1, seek(6.5));
  check(&f, "period", 6.663286859323, 1e-9);
  const rattle_study_table *orbit = rattle_study_find_table(&f.r->method[0], "orbit");
  double sum = 0;
  for (int i = 0; i < 200; i++) sum += 1 - pow(rattle_study_entry(orbit, i, "x"), 2);
  check(&f, "radius", exp(sum / 200 * figure(f.r, 0, "period")), 1e-4);
  assert_true(figure(f.r, 0, "trivial") == 1 && isnan(figure(f.r, 0, "pairing_defect")));
  close_fixture(&f);
}

/* The errors said are those of the steps: of order 2 */
static void test_errors(void **unused) {
  (void)unused;
  static const char text[] = "local a = %g\nlocal x, px = pair('x')\nlocal y, py = "
                             "pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
                             "constrain('rod', x^2 + y^2 - 1)\nstart { x = math.sin(a), y = "
                             "-math.cos(a) }\nintegrate { step = 0.1 }";
  rattle_study_options how = seek(0);
  const char *method[] = {"rattle(verlet)"};
  how.method = method, how.methods = 1;
  fixture f = orbit_of(text, 1, how);
  const double off = fabs(figure(f.r, 0, "period") - 6.69997566437045),
               said = figure(f.r, 0, "period_error");
  assert_true(off > 1e-5 && said > 0.8 * off && said < 1.25 * off);
  close_fixture(&f);
}

static void refuse(fixture *f, const char *method, rattle_study_options how, const char *words) {
  rattle_error error = {.message = ""};
  how.method = &method, how.methods = 1;
  assert_int_equal(try_study(f, RATTLE_STUDY_ORBIT, how, &error), RATTLE_OK);
  assert_true(f->r->method[0].status != RATTLE_OK && f->r->method[0].tables == 0);
  if (!strstr(f->r->method[0].message, words))
    fail_msg("'%s' is not in: %s", words, f->r->method[0].message);
}

static void test_refusals(void **unused) {
  (void)unused;
  fixture f = open_fixture(
      "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
      "constrain('rod', x^2 + y^2 - 1)\nstart { y = -1, px = 2.5 }\nintegrate { step = 0.1 }");
  double q[2] = {0, -1}, p[2] = {0, 0};
  rattle_study_options how = seek(3), rest = seek(6);
  refuse(&f, "shake(verlet)", how, "use rattle(...)");
  refuse(&f, "adaptive(rattle(verlet))", how, "no exact derivative");
  how.held = RATTLE_ORBIT_HOLD_NOTHING;
  refuse(&f, "rattle(verlet)", how, "hold the energy or the period");
  rest.q = q, rest.p = p;
  refuse(&f, "rattle(verlet)", rest, "equilibrium");
  how = seek(0);
  how.stop = 0.5;
  refuse(&f, "rattle(verlet)", how, "does not return");
  how = seek(0.5);
  refuse(&f, "rattle(verlet)", how, "give a better period");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_conical),
      cmocka_unit_test(test_ellipsoid),   cmocka_unit_test(test_neumann),
      cmocka_unit_test(test_modes),       cmocka_unit_test(test_kepler),
      cmocka_unit_test(test_held_period), cmocka_unit_test(test_driven),
      cmocka_unit_test(test_limit_cycle), cmocka_unit_test(test_errors),
      cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
