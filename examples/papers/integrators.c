/* Integrators for systems without and with constraints (Ryckaert, Ciccotti, Berendsen 1977;
 * Andersen 1983; Yoshida 1990): orders, triple jumps, the wedge test, and three solvers for the
 * multipliers. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kepler[] = "local x, px = pair('x')\nlocal y, py = pair('y')\n"
                             "hamiltonian((px^2 + py^2)/2 - 1/sqrt(x^2 + y^2))\nstart { x = 0.7, "
                             "py = math.sqrt(1.3/0.7) }\n";
static const char double_pendulum[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal u, pu = pair('u')\nlocal v, pv = "
    "pair('v')\n"
    "hamiltonian((px^2 + py^2)/2 + (pu^2 + pv^2) + y + v/2)\n"
    "constrain('inner', x^2 + y^2 - 1)\nconstrain('outer', (u - x)^2 + (v - y)^2 - 1)\n"
    "start { x = 0.6, y = -0.8, u = 1.4, v = -0.2, px = 0.4, py = 0.3, pu = 0.8, pv = 0.6, project "
    "= true }\n";
/* %d links, closed if the second %d is 1 */
static const char chain[] =
    "local N, closed = %d, %d\nlocal x = pairs_of('x', N)\nlocal y = pairs_of('y', N)\n"
    "for i = 1, N do mass(x[i], 1) mass(y[i], 1) potential(y[i]) end\n"
    "local function rod(i, j, d) constrain('rod' .. i, (x[i] - x[j])^2 + (y[i] - y[j])^2 - d^2) "
    "end\n"
    "for i = 1, N - 1 do rod(i, i + 1, 2*math.sin(math.pi/N)) end\n"
    "if closed == 1 then rod(N, 1, 2*math.sin(math.pi/N)) end\n"
    "for i = 1, N do start { [x[i]] = math.cos(2*math.pi*i/N), [y[i]] = math.sin(2*math.pi*i/N) }\n"
    "  velocity { [x[i]] = -0.3*math.sin(2*math.pi*i/N), [y[i]] = 0.3*math.cos(2*math.pi*i/N) } "
    "end\n"
    "start { project = true }\n";

/* ---- orders ---- */

/* The positions at t = 2 after steps of h; returns the number of gradients. */
static double solve(paper *out, const char *model, const char *method, double h, double *q) {
  paper_run *run = paper_run_open(out, model, method, h);
  double z[8];
  paper_run_step(out, run, llround(2 / h));
  paper_run_look(out, run, z, NULL, NULL, NULL);
  const size_t n = (size_t)run->n;
  const double work = (double)rattle_integrator_counts(run->integrator).gradient;
  paper_run_close(out, run);
  memcpy(q, z, n * sizeof *q);
  return work;
}

static double distance(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* A slope between 2/steps and half of it; the errors are drawn for some more steps. */
static void measure_order(paper *out, const char *model, int n, const char *method, int steps,
                          const double *exact, int claimed) {
  double q[4], error[4], h = 2.0 / steps;
  char what[80], order[20];
  paper_curve(out, method);
  for (int i = 0; i < 4; i++, h /= 2) {
    solve(out, model, method, h, q);
    error[i] = distance(q, exact, n);
    paper_point(out, h, error[i]);
  }
  snprintf(what, sizeof what, "%s", method);
  snprintf(order, sizeof order, "%d", claimed);
  paper_claim(out, what, order, log2(error[0] / error[1]), claimed - 0.35, claimed + 0.75);
}

static void unconstrained(paper *out) {
  static const struct {
    const char *method;
    int steps, order;
  } of[] = {{"euler", 3200, 1},
            {"taylor(3)", 100, 3},
            {"taylor(6)", 40, 6},
            {"dopri5", 40, 5},
            {"adams_bashforth(2)", 400, 2},
            {"adams_bashforth(4)", 400, 4},
            {"adams_moulton(3)", 200, 4},
            {"stormer", 100, 2},
            {"leapfrog", 100, 2},
            {"explicit_midpoint", 100, 2},
            {"rk4", 80, 4},
            {"symplectic_euler", 800, 1},
            {"verlet", 100, 2},
            {"verlet(b)", 100, 2},
            {"midpoint", 100, 2},
            {"gauss(2)", 40, 4},
            {"triple_jump(verlet, 4)", 100, 4},
            {"triple_jump(verlet, 6)", 100, 6},
            {"triple_jump(verlet, 8)", 100, 8}};
  double exact[4];
  paper_heading(out, "Orders without constraints: Kepler problem, eccentricity 0.3, $t = 2$");
  solve(out, kepler, "gauss(6)", 0.01, exact);
  paper_figure_begin(out, &(paper_figure){"orders", "Error at $t = 2$, Kepler problem", "$h$",
                                          "error", "marked", 1, 1, 0});
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    measure_order(out, kepler, 2, of[i].method, of[i].steps, exact, of[i].order);
  paper_figure_end(out);
}

/* Errors against gradients for methods of each order. */
static void draw_work(paper *out, const double *exact) {
  static const struct {
    const char *method;
    int steps;
  } of[] = {{"rattle(verlet)", 50},           {"triple_jump(rattle(verlet), 4)", 30},
            {"suzuki4(rattle(verlet))", 15},  {"triple_jump(rattle(verlet), 8)", 10},
            {"kahan_li8(rattle(verlet))", 5}, {"sofroniou_spaletta10(rattle(verlet))", 4}};
  paper_figure_begin(out, &(paper_figure){"work", "Work and precision, double pendulum, $t = 2$",
                                          "gradients of $H$", "error", "marked", 1, 1, 0});
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    double q[4], h = 2.0 / of[i].steps;
    paper_curve(out, of[i].method);
    for (int k = 0; k < 6; k++, h /= 2) {
      const double work = solve(out, double_pendulum, of[i].method, h, q);
      paper_point(out, work, distance(q, exact, 4));
    }
  }
  paper_figure_end(out);
}

static void constrained(paper *out) {
  static const struct {
    const char *method;
    int steps, order;
  } of[] = {{"rattle(symplectic_euler)", 800, 1},
            {"rattle(verlet)", 100, 2},
            {"rattle(midpoint)", 100, 2},
            {"triple_jump(rattle(verlet), 4)", 100, 4},
            {"triple_jump(rattle(verlet), 6)", 100, 6},
            {"triple_jump(rattle(verlet), 8)", 40, 8},
            {"suzuki4(rattle(verlet))", 50, 4},
            {"kahan_li8(rattle(verlet))", 7, 8}};
  double exact[4];
  paper_heading(out, "Orders with constraints: double pendulum, $t = 2$");
  solve(out, double_pendulum, "sofroniou_spaletta10(rattle(verlet))", 0.01, exact);
  paper_figure_begin(out, &(paper_figure){"constrained_orders", "Error at $t = 2$, double pendulum",
                                          "$h$", "error", "marked", 1, 1, 0});
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    measure_order(out, double_pendulum, 4, of[i].method, of[i].steps, exact, of[i].order);
  paper_figure_end(out);
  draw_work(out, exact);
  paper_say(out, "applications of the inner method, to raise order 2 to $2p + 2$: $3^p$");
  for (int order = 4, count = 3; order <= 8; order += 2, count *= 3) {
    rattle_method *method;
    char text[60];
    snprintf(text, sizeof text, "triple_jump(rattle(verlet), %d)", order);
    if (rattle_method_parse(&method, text, NULL)) paper_stop(out, "%s is not known", text);
    paper_claim(out, text,
                order == 4   ? "3"
                : order == 6 ? "9"
                             : "27",
                rattle_method_claims(method).stages, count, count);
    rattle_method_destroy(&method);
  }
}

/* ---- symplecticity ---- */

/* The largest entry of Psi^T J Psi - J of a step without constraints, derivatives by central
 * differences of fourth order. */
static double wedge(paper *out, const char *method, double h) {
  static const double weight[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  const double e = 2e-3;
  double D[4][4] = {{0}}, worst = 0; /* D[c]: derivative by z_c */
  for (int c = 0; c < 4; c++)
    for (int s = 0; s < 5; s++) {
      if (s == 2) continue;
      paper_run *run = paper_run_open(out, kepler, method, h);
      run->z[c] += (s - 2) * e;
      paper_run_step(out, run, 1);
      for (int r = 0; r < 4; r++) D[c][r] += weight[s] * run->z[r] / e;
      paper_run_close(out, run);
    }
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      const double form =
          D[a][0] * D[b][2] + D[a][1] * D[b][3] - D[a][2] * D[b][0] - D[a][3] * D[b][1];
      worst = fmax(worst, fabs(form - (b == a + 2) + (a == b + 2)));
    }
  return worst;
}

static void symplecticity(paper *out) {
  paper_heading(out, "The wedge test, $dq_1 ∧ dp_1 = dq_0 ∧ dp_0$: one step $h = 0.1$ of the "
                     "Kepler problem, derivatives by differences");
  paper_claim(out, "verlet", "symplectic", wedge(out, "verlet", 0.1), 0, 1e-8);
  paper_claim(out, "symplectic_euler", "symplectic", wedge(out, "symplectic_euler", 0.1), 0, 1e-8);
  paper_claim(out, "triple_jump(verlet, 4)", "symplectic",
              wedge(out, "triple_jump(verlet, 4)", 0.1), 0, 1e-8);
  paper_claim(out, "euler", "is not", wedge(out, "euler", 0.1), 1e-4, 1);
  paper_claim(out, "rk4", "is not", wedge(out, "rk4", 0.1), 1e-7, 1);
}

/* ---- multipliers ---- */

static void solvers(paper *out) {
  static const char *const solver[] = {"newton", "quasi_newton", "sweep"};
  enum { STEPS = 200, LINKS = 12 };
  char text[sizeof chain + 40], method[60], what[80];
  double z[3][4 * LINKS], count[3], factors[3];
  for (int closed = 0; closed < 2; closed++) {
    paper_heading(out, "Multipliers of a%s of %d beads, 200 steps $h = 0.02$ of RATTLE",
                  closed ? " ring" : " chain", LINKS);
    snprintf(text, sizeof text, chain, LINKS, closed);
    for (int i = 0; i < 3; i++) {
      snprintf(method, sizeof method, "rattle(verlet, solver=%s)", solver[i]);
      paper_run *run = paper_run_open(out, text, method, 0.02);
      paper_run_step(out, run, STEPS);
      memcpy(z[i], run->z, sizeof z[i]);
      count[i] = (double)rattle_integrator_counts(run->integrator).newton_iterations / STEPS;
      factors[i] = (double)rattle_integrator_counts(run->integrator).factorisation / STEPS;
      snprintf(what, sizeof what, "%s: iterations per step", solver[i]);
      paper_claim(out, what,
                  i == 0   ? "quadratic"
                  : i == 1 ? "linear, cheaper each"
                           : "linear, slow",
                  count[i], 1, 2000);
    }
    paper_claim(out, "quasi-Newton over Newton: iterations", "more", count[1] / count[0], 1, 10);
    paper_claim(out, "quasi-Newton over Newton: factorisations", "fewer", factors[1] / factors[0],
                0, 0.999);
    paper_claim(out, "sweeps over Newton: iterations", "many more", count[2] / count[0], 5, 500);
    paper_claim(out, "largest distance of the final points", "the same",
                fmax(distance(z[0], z[1], 4 * LINKS), distance(z[0], z[2], 4 * LINKS)), 0, 1e-10);
  }
}

static int run(paper *out) {
  unconstrained(out);
  constrained(out);
  symplecticity(out);
  solvers(out);
  return 0;
}

const paper_experiment paper_integrators = {
    "integrators", "Integrators without and with constraints",
    "J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen (1977); H. C. Andersen (1983); H. Yoshida "
    "(1990); after notes by K. Farrell",
    "Orders, symplecticity and multipliers, measured for methods from Euler to tenth order, with "
    "and without constraints.",
    run};
