/* Joint coordinates in other units of length, time and mass: second derivatives of H, and motions of
 * closed loops, which use them. */
#include "evaluators.h"

#include "made.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

static char text[6000];

/* A hinge, a slide and a ball in units of length and momentum L and P, near q = 0 and away from it:
 * second derivatives are those of the expression. */
static void second_derivatives_in_all_units(void **unused) {
  (void)unused;
  static const double cases[][3] = {{1, 1, 1},        {1, 1, 1e-20},    {1e6, 1e18, 1},
                                    {1e-6, 1e-15, 1}, {1e-6, 1e9, 0.1}, {1e9, 1e-9, 1e-3}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const double L = cases[c][0], P = cases[c][1], part = cases[c][2];
    snprintf(text, sizeof text,
             "local mech, L, M = require 'mechanics', %.17g, %.17g\nmech.coordinates 'joints'\n"
             "local I = {0.2*M*L^2, 0.3*M*L^2, 0.4*M*L^2}\nmech.gravity(0, L, -9*L)\n"
             "local a = mech.body {name = 'a', mass = M, inertia = I, at = {L, 0, 0}}\n"
             "local b = mech.body {name = 'b', mass = M, inertia = I, at = {2*L, 0, 0}}\n"
             "local c = mech.body {name = 'c', mass = M, inertia = I, at = {3*L, L, 0}}\n"
             "mech.revolute('one', a:here(0, 0, 0):along(0, 1, 0), mech.ground:at(0, 0, "
             "0):along(0, 1, 0))\n"
             "mech.prismatic('two', b:here(0, 0, 0):along(0, 1, 1), a:here(0, 0, 0):along(0, 1, "
             "1))\n"
             "mech.spherical('three', c:here(2*L, L, 0), b:here(2*L, L, 0))\n",
             L, P / L);
    made m = make(text, "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->H;
    rattle_graph *graph = rattle_model_graph(m.model);
    const rattle_expr e = rattle_model_hamiltonian(m.model);
    const int n = m.n, vars = 2 * n;
    double z[12], x[12], unit[12], S[144], *work = malloc(H->work * sizeof *work);
    assert_true(m.problem->swept && work && n == 6 && H->hess_nnz == vars * vars);
    /* the hinge, the slide, the quaternion; momenta: P L of turns, P of the slide */
    for (int k = 0; k < n; k++) {
      const double q = k == 1 ? L : 1, p = k == 1 ? P : P * L;
      z[k] = k == 2 ? 1 : part * q * sin(1 + k), z[n + k] = part * p * cos(2 * k);
      unit[k] = q, unit[n + k] = p;
      x[2 * k] = z[k], x[2 * k + 1] = z[n + k];
    }
    assert_int_equal(H->hessian(H, z, NULL, S, work), 0);
    for (int i = 0; i < vars; i++)
      for (int j = 0; j < vars; j++) {
        const rattle_expr d = rattle_expr_derivative(
            graph, rattle_expr_derivative(graph, e, i < n ? 2 * i : 2 * (i - n) + 1),
            j < n ? 2 * j : 2 * (j - n) + 1);
        const double energy = P * L, found = S[i * vars + j] * unit[i] * unit[j] / energy,
                     exact = rattle_expr_evaluate(graph, d, x) * unit[i] * unit[j] / energy;
        if (!(fabs(found - exact) <= 1e-13 * (1 + fabs(exact))))
          fail_msg("case %zu, by %d and %d: %.15g, not %.15g", c, i, j, found, exact);
      }
    free(work);
    unmake(&m);
  }
}

/* Four bars in units of length, time and mass L, S, M: each the motion in units of 1. All angles
 * start from 0. */
static void loops_in_all_units(void **unused) {
  (void)unused;
  static const double units[][3] = {{1, 1, 1}, {1e-6, 1e-3, 1e-9}, {1e6, 100, 1e12}};
  double first[3] = {0};
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    const double L = units[u][0], S = units[u][1], M = units[u][2];
    snprintf(text, sizeof text,
             "local mech, L, S, M = require 'mechanics', %.17g, %.17g, %.17g\n"
             "mech.coordinates 'joints' mech.gravity(0.05*L/S^2, -9.81*L/S^2)\n"
             "local function bar(name, m, x, y, spin) return mech.planar {name = name, mass = m*M, "
             "inertia = 0.05*M*L^2, at = {x*L, y*L}, spin = spin and spin/S} end\n"
             "local a, b, c = bar('a', 1.3, 0, 0.25, 2), bar('b', 0.6, 0.5, 0.5), bar('c', 0.6, 1, "
             "0.2)\n"
             "local function pin(name, a, b, x, y) mech.revolute(name, a:here(x*L, y*L), "
             "b:here(x*L, y*L)) end\n"
             "pin('one', a, mech.ground, 0, 0) pin('two', b, a, 0, 0.5) pin('three', c, b, 1, "
             "0.5)\n"
             "pin('four', c, mech.ground, 1, -0.1) start {project = true}\n",
             L, S, M);
    made m = make(text, "kahan_li8(rattle(midpoint))", 0.005 * S, 1);
    rattle_error error;
    assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 200, &error), RATTLE_OK);
    assert_int_equal(m.n, 3);
    for (int k = 0; k < 3; k++) {
      if (!u) first[k] = m.state.q[k];
      if (!(fabs(m.state.q[k] - first[k]) < 1e-9))
        fail_msg("units %zu, angle %d: off by %g", u, k, m.state.q[k] - first[k]);
    }
    unmake(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_derivatives_in_all_units),
      cmocka_unit_test(loops_in_all_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
