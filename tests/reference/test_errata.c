/* Errors in print: each test shows numerically what is right, and that the printed formula is not.
 * docs/errata.md tells of each.
 *
 * Texts: MMVW, McLachlan, Modin, Verdier and Wilkins; F, the lecture text on SHAKE, RATTLE and
 * splitting; S, Seiler; O, the code of odeRATTLE. Planar examples: q, p in R^2. */
#include "rattle/rattle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

/* A problem in two pairs q1 q2, p1 p2. */
static rattle_problem *problem_of(const char *text, rattle_model **model) {
  rattle_problem *problem = NULL;
  rattle_error error;
  if (rattle_model_parse(model, text, "errata", NULL, &error) ||
      rattle_problem_create(&problem, *model, NULL, &error))
    fail_msg("%s", error.message);
  return problem;
}

static void problem_free(rattle_problem **problem, rattle_model **model) {
  rattle_problem_destroy(problem);
  rattle_model_destroy(model);
}

/* MMVW Table 1: according to the paper the three starts lie on |q|^2 + |p|^2 = 1 and q.p + g.p = 0,
 * g = (0, -1). Only the second is true. */
static void starts_of_table_1_lie_on_another_sphere(void **state) {
  (void)state;
  static const double z[][4] = {
      {-0.78652612, -0.4043988, -0.3880746864163783, 0.2173391755798215},
      {-0.4963624948824013, -0.7319740436366664, -0.4275775933953260, 0.1225384882604160},
      {0.3477491188213400, -0.8131619010029159, -0.4368285559113795, -0.0837800227934176}};
  for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
    const double *q = z[i], *p = z[i] + 2;
    assert_true(fabs(dot(q, p) - p[1]) < 1e-15);
    assert_true(fabs(dot(q, q) + dot(p, p) - 0.98000000636) < 1e-11);
  }
}

/* MMVW (28), H = |p|^2/2 - g.q on the fibre (q cos t + p sin t, p cos t - q sin t): the derivative
 * has + g.q sin t, not -, and - q.p cos 2t, - g.p cos t; and MMVW (23), its quadratic part. */
static double fibre_energy(const double *q, const double *p, const double *g, double t) {
  const double Q[2] = {q[0] * cos(t) + p[0] * sin(t), q[1] * cos(t) + p[1] * sin(t)};
  const double P[2] = {p[0] * cos(t) - q[0] * sin(t), p[1] * cos(t) - q[1] * sin(t)};
  return dot(P, P) / 2 - dot(g, Q);
}

static void derivative_along_a_fibre(void **state) {
  (void)state;
  const double q[2] = {0.7, -0.2}, p[2] = {0.3, 0.5}, g[2] = {0.1, -1}, d = 1e-4;
  for (double t = -3; t < 3; t += 0.25) {
    const double measured = (fibre_energy(q, p, g, t + d) - fibre_energy(q, p, g, t - d)) / (2 * d);
    const double even = (dot(q, q) - dot(p, p)) / 2 * sin(2 * t);
    const double right = even - dot(q, p) * cos(2 * t) + dot(g, q) * sin(t) - dot(g, p) * cos(t);
    assert_true(fabs(measured - right) < 1e-7);
  }
  /* the printed signs, for either orientation of t */
  double least = INFINITY;
  for (int orientation = -1; orientation <= 1; orientation += 2) {
    double most = 0;
    for (double t = -3; t < 3; t += 0.25) {
      const double measured = (fibre_energy(q, p, g, orientation * (t + d)) -
                               fibre_energy(q, p, g, orientation * (t - d))) /
                              (2 * d);
      const double printed = (dot(q, q) - dot(p, p)) / 2 * sin(2 * t) + dot(q, p) * cos(2 * t) -
                             dot(g, q) * sin(t) + dot(g, p) * cos(t);
      most = fmax(most, fabs(measured - printed));
    }
    least = fmin(least, most);
  }
  assert_true(least > 0.1);
}

/* MMVW Ex. 1.2 and section 5.4.1: N = {{H,g},g} = 4(|q|^2 - |p|^2) for g = |q|^2 + |p|^2 - 1, H =
 * |p|^2/2; neither g_z^T H_zz g_z = 4|p|^2 nor its counterpart with X_g, 4|q|^2: second derivatives
 * of g take part. */
static void nondegeneracy_has_second_derivatives_of_g(void **state) {
  (void)state;
  rattle_model *model;
  rattle_problem *problem =
      problem_of("local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)\n"
                 "constrain('sphere', abs2(x, y, px, py) - 1)\n",
                 &model);
  const double q[2] = {0.8, 0}, p[2] = {0, 0.6};
  double smallest, condition;
  assert_int_equal(rattle_problem_nondegeneracy(problem, q, p, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_true(fabs(smallest - 4 * (0.64 - 0.36)) < 1e-14);
  problem_free(&problem, &model);
}

/* MMVW (26): the exact motion turns (q, p) by det(q,p)/(|q|^2 - |p|^2) per unit of time, the sign
 * opposite to print; one step of RATTLE turns by asin(h omega) in that direction. */
static void rotation_on_the_sphere(void **state) {
  (void)state;
  rattle_model *model;
  rattle_problem *problem =
      problem_of("local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)\n"
                 "constrain('sphere', abs2(x, y, px, py) - 1)\n",
                 &model);
  rattle_integrator *integrator;
  rattle_error error;
  if (rattle_integrator_create(&integrator, problem, "rattle(midpoint)", &error))
    fail_msg("%s", error.message);
  double q[2] = {0.8, 0}, p[2] = {0, 0.6};
  const double h = 0.1, omega = (q[0] * p[1] - q[1] * p[0]) / (dot(q, q) - dot(p, p));
  rattle_state z = {.q = q, .p = p, .h = h};
  if (rattle_integrator_step(integrator, &z, 1, &error)) fail_msg("%s", error.message);
  assert_true(fabs(atan2(q[1], q[0]) - asin(h * omega)) < 1e-14);
  rattle_integrator_destroy(&integrator);
  problem_free(&problem, &model);
}

/* MMVW section 5.4: the flow of g = |q|^2 + |p|^2 turns z = q + ip by exp(-2it), not by exp(it): q'
 * = 2p, p' = -2q. */
static void flow_of_the_harmonic_constraint(void **state) {
  (void)state;
  const double t = 0.4;
  const int steps = 4000;
  double q = 0.8, p = 0.6;
  for (int k = 0; k < steps; k++) { /* midpoint rule: a Cayley transform */
    const double a = t / steps, q1 = ((1 - a * a) * q + 2 * a * p) / (1 + a * a);
    p = ((1 - a * a) * p - 2 * a * q) / (1 + a * a);
    q = q1;
  }
  assert_true(fabs(q - (0.8 * cos(2 * t) + 0.6 * sin(2 * t))) < 1e-7);
  assert_true(fabs(q - (0.8 * cos(t) - 0.6 * sin(t))) > 0.1);
}

/* F, section 3.4: the explicit midpoint rule is z + h f(z + (h/2) f), the printed inner step is f;
 * RK4's last stage is z + h f(Z3), printed with h/2. Orders on z' = z^2, z(0) = 1, z(t) = 1/(1 -
 * t). */
static double f(double z) {
  return z * z;
}
static double midpoint(double z, double h) {
  return z + h * f(z + h / 2 * f(z));
}
static double midpoint_printed(double z, double h) {
  return z + h * f(z + f(z));
}
static double rk4_with(double z, double h, double last) {
  const double k1 = f(z), k2 = f(z + h / 2 * k1), k3 = f(z + h / 2 * k2), k4 = f(z + last * k3);
  return z + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
}
static double rk4(double z, double h) {
  return rk4_with(z, h, h);
}
static double rk4_printed(double z, double h) {
  return rk4_with(z, h, h / 2);
}

static double order(double (*method)(double, double)) {
  double miss[2];
  for (int fine = 0; fine < 2; fine++) {
    const int steps = 20 << fine;
    double z = 1;
    for (int k = 0; k < steps; k++) z = method(z, 0.1 / steps);
    miss[fine] = fabs(z - 1 / 0.9);
  }
  return log2(miss[0] / miss[1]);
}

static void runge_kutta_as_printed(void **state) {
  (void)state;
  assert_true(fabs(order(midpoint) - 2) < 0.1);
  assert_true(order(midpoint_printed) < 0.5);
  assert_true(fabs(order(rk4) - 4) < 0.1);
  assert_true(order(rk4_printed) < 1.5);
}

/* S (16), pendulum of length r, H = |p|^2/2 + y, phi = (|q|^2 - r^2)/2: with p' = -H_q - mu phi_q
 * the multiplier is + Q^-1 {psi,H} = (|p|^2 - y)/r^2; and momentum projection changes the energy by
 * -psi^2/(2 r^2), not by -psi^2/r^2. */
static void multiplier_of_the_pendulum(void **state) {
  (void)state;
  rattle_model *model;
  rattle_problem *problem = problem_of(
      "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2 + y)\n"
      "constrain('rod', (x^2 + y^2 - 4)/2)\n",
      &model);
  const double q[2] = {1.2, 1.6}, p[2] = {-1.6, 1.2};
  double mu;
  assert_int_equal(rattle_problem_multipliers(problem, q, p, &mu, NULL), RATTLE_OK);
  assert_true(fabs(mu - (dot(p, p) - q[1]) / 4) < 1e-14);

  const double off[2] = {0.3, 0.9}, psi = dot(q, off),
               on[2] = {off[0] - psi / 4 * q[0], off[1] - psi / 4 * q[1]};
  double before, after, hidden;
  assert_int_equal(rattle_problem_residuals(problem, q, on, NULL, &hidden, NULL), RATTLE_OK);
  assert_true(fabs(hidden) < 1e-15);
  assert_int_equal(rattle_problem_energy(problem, q, off, &before, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_energy(problem, q, on, &after, NULL), RATTLE_OK);
  assert_true(fabs(after - before + psi * psi / 8) < 1e-14);
  problem_free(&problem, &model);
}

/* O: Newton's matrix of RATTLE's last kick, R = p1 - p_half + (h/2)(H_q(q1, p_half) + G(q1)^T mu):
 * its (p1, q1) block has + (h/2) mu g_qq, printed with -, and its (p1, p1) block is I, printed with
 * H_qp. H = p^2/2 + p q^2 in one pair, g = q^3/3. */
static double last_kick(double q1, double p1, double p_half, double mu, double h) {
  return p1 - p_half + h / 2 * (2 * p_half * q1 + q1 * q1 * mu);
}

static void newton_matrix_of_the_last_kick(void **state) {
  (void)state;
  const double q1 = 0.7, p1 = 0.4, p_half = 0.5, mu = 0.9, h = 0.2, d = 1e-5;
  const double by_q =
      (last_kick(q1 + d, p1, p_half, mu, h) - last_kick(q1 - d, p1, p_half, mu, h)) / (2 * d);
  const double by_p =
      (last_kick(q1, p1 + d, p_half, mu, h) - last_kick(q1, p1 - d, p_half, mu, h)) / (2 * d);
  assert_true(fabs(by_q - h / 2 * (2 * p_half + 2 * q1 * mu)) < 1e-10);
  assert_true(fabs(by_q - h / 2 * (2 * p_half - 2 * q1 * mu)) > 0.1);
  assert_true(fabs(by_p - 1) < 1e-9);
  assert_true(fabs(by_p - (1 + h / 2 * 2 * q1)) > 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_of_table_1_lie_on_another_sphere),
      cmocka_unit_test(derivative_along_a_fibre),
      cmocka_unit_test(nondegeneracy_has_second_derivatives_of_g),
      cmocka_unit_test(rotation_on_the_sphere),
      cmocka_unit_test(flow_of_the_harmonic_constraint),
      cmocka_unit_test(runge_kutta_as_printed),
      cmocka_unit_test(multiplier_of_the_pendulum),
      cmocka_unit_test(newton_matrix_of_the_last_kick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
