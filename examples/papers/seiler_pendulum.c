/* Seiler, Stable underlying equations for constrained Hamiltonian systems, section 8: the planar
 * pendulum in Cartesian coordinates, its underlying equations and their projections.
 *
 * RK4 with h = 0.025 from (x, y, px, py) = (1, 0, 0, -2) until t = 1023; phi = (x^2 + y^2 - 1)/2,
 * psi = x px + y py. The reference is the state space form, an angle, with a method of order 8. If
 * the paper is in error (docs/errata.md) the words in the table say so, and the corrected number
 * must be met. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 40920, A_UNIT = 40, SAMPLES = STEPS / A_UNIT + 1 }; /* t = 0, 1, ..., 1023 */
static const double h = 0.025;

static const char pendulum[] = "local x, px = pair('x')\n"
                               "local y, py = pair('y')\n"
                               "hamiltonian((px^2 + py^2)/2 + y)\n"
                               "constrain('rod', (x^2 + y^2 - 1)/2)\n"
                               "start { x = 1, px = 0, y = 0, py = -2 }\n";
static const char perturbed[] = "local x, px = pair('x')\n"
                                "local y, py = pair('y')\n"
                                "hamiltonian((px^2 + py^2)/2 + y)\n"
                                "constrain('rod', (x^2 + y^2 - 1)/2)\n"
                                "start { x = 1.1, px = 0.1, y = 0.1, py = -1.9 }\n";
/* x = sin xi, y = cos xi */
static const char angle[] = "local xi, pi = pair('xi', 'pi')\n"
                            "hamiltonian(pi^2/2 + cos(xi))\n"
                            "start { xi = math.pi/2, pi = 2 }\n";
/* the impetus-striction equations (53) of the Hamiltonian (52) are those of (x py - y px)^2/2 + y,
 * without constraints */
static const char modified[] = "local x, px = pair('x')\n"
                               "local y, py = pair('y')\n"
                               "hamiltonian((x*py - y*px)^2/2 + y)\n"
                               "start { x = 1, px = 0, y = 0, py = -2 }\n";

/* A run at t = 0, 1, ..., 1023, and its maxima over all steps. */
typedef struct history {
  double x[SAMPLES], error[SAMPLES], energy[SAMPLES], phi[SAMPLES],
      psi[SAMPLES]; /* maxima up to then, except x */
  rattle_counts counts;
} history;

/* The angle at every step. */
static double *reference(paper *out) {
  double *xi = malloc((STEPS + 1) * sizeof *xi);
  if (!xi) paper_stop(out, "no memory");
  paper_run *run = paper_run_open(out, angle, "kahan_li8(verlet)", h);
  for (int k = 0; k <= STEPS; k++) {
    xi[k] = run->z[0];
    if (k < STEPS) paper_run_step(out, run, 1);
  }
  return xi;
}

static double larger(double a, double b) {
  return fabs(b) > a ? fabs(b) : a;
}

static void follow(paper *out, const char *method, const double *xi, history *to) {
  paper_run *run = paper_run_open(out, pendulum, method, h);
  double error = 0, energy = 0, phi = 0, psi = 0;
  for (int k = 0; k <= STEPS; k++) {
    double z[4], H, g, hidden;
    paper_run_look(out, run, z, &H, &g, &hidden);
    error = larger(error, hypot(z[0] - sin(xi[k]), z[1] - cos(xi[k])));
    energy = larger(energy, H - 2);
    phi = larger(phi, g);
    psi = larger(psi, hidden);
    if (k % A_UNIT == 0) {
      const int i = k / A_UNIT;
      to->x[i] = z[0], to->error[i] = error, to->energy[i] = energy, to->phi[i] = phi,
      to->psi[i] = psi;
    }
    if (k < STEPS) paper_run_step(out, run, 1);
  }
  to->counts = rattle_integrator_counts(run->integrator);
}

/* The exponent of growth between t = 30 and the time at which y exceeds `most` or the run ends. */
static double growth(const double *y, double most) {
  double t[SAMPLES];
  int last = 30;
  for (int i = 0; i < SAMPLES; i++) t[i] = i;
  while (last < SAMPLES && y[last] < most) last++;
  return paper_exponent(t + 30, y + 30, last - 30);
}

static void peak(const double *x, double *f, double *power) {
  static double spectrum[SAMPLES / 2];
  paper_periodogram(x, SAMPLES, spectrum);
  *power = 0;
  for (int k = 0; k < SAMPLES / 2; k++)
    if (spectrum[k] > *power) *power = spectrum[k], *f = (k + 1.0) / SAMPLES;
}

/* ---- figures ---- */

static void draw_history(paper *out, const paper_figure *figure, const char *const *label,
                         double (*const curve[])[SAMPLES], int curves) {
  paper_figure_begin(out, figure);
  for (int c = 0; c < curves; c++) {
    paper_curve(out, label[c]);
    for (int i = 1; i < SAMPLES; i++) paper_point(out, i, (*curve[c])[i]);
  }
  paper_figure_end(out);
}

static void draw_periodograms(paper *out, const char *const *label, history *const *of,
                              int curves) {
  static double spectrum[SAMPLES / 2];
  paper_figure_begin(out,
                     &(paper_figure){"periodogram", "Periodogram of $x$ at $t = 0, 1, ..., 1023$",
                                     "$f$", "$2|X|^2/N^2$", "lines", 0, 0, 0});
  for (int c = 0; c < curves; c++) {
    paper_curve(out, label[c]);
    paper_periodogram(of[c]->x, SAMPLES, spectrum);
    for (int k = 0; k < SAMPLES / 2; k++) paper_point(out, (k + 1.0) / SAMPLES, spectrum[k]);
  }
  paper_figure_end(out);
}

/* ---- the classical equations (42) ---- */

static void classical(paper *out, const double *xi) {
  static history without, momentum, position, tight;
  static history *const all[] = {&without, &momentum, &position};
  static const char *const label[] = {"without", "momentum", "position"};
  double f = 0, power = 0;
  paper_heading(out, "The classical equations (42), projected if a residual exceeds 1e-6");
  follow(out, "rk4(classical)", xi, &without);
  follow(out, "project(rk4(classical), momentum, tol=1e-6)", xi, &momentum);
  follow(out, "project(rk4(classical), position, tol=1e-6)", xi, &position);
  const double turns = (xi[STEPS] - xi[0]) / (2 * acos(-1.0));
  paper_claim(out, "period", "3.31", 1023 / turns, 3.305, 3.315);
  paper_claim(out, "momentum projections", "155", (double)momentum.counts.momentum_projections, 150,
              160);
  paper_claim(out, "position projections, of 40920 steps", "almost every step",
              (double)position.counts.position_projections, 0.8 * STEPS, STEPS);
  paper_claim(out, "$|phi|$ at the end, momentum projections", "5e-4", momentum.phi[SAMPLES - 1],
              4.5e-4, 5.5e-4);
  paper_claim(out, "$|phi|$, without over momentum", "more than two orders",
              without.phi[SAMPLES - 1] / momentum.phi[SAMPLES - 1], 100, 1e5);
  paper_claim(out, "energy error, position over without", "the same",
              position.energy[SAMPLES - 1] / without.energy[SAMPLES - 1], 0.1, 10);
  paper_claim(out, "energy error, without over momentum", "significantly reduced",
              without.energy[SAMPLES - 1] / momentum.energy[SAMPLES - 1], 10, 1e6);
  paper_say(out, "growth with $t$ (exponents)");
  paper_claim(out, "without: solution error", "3, cubic", growth(without.error, 0.5), 2.6, 3.4);
  paper_claim(out, "without: energy error", "2, quadratic", growth(without.energy, 1), 1.7, 2.3);
  paper_claim(out, "without: $phi$", "2, quadratic", growth(without.phi, 1), 1.7, 2.3);
  paper_claim(out, "without: $psi$", "1, linear", growth(without.psi, 1), 0.7, 1.3);
  paper_claim(out, "momentum: solution error", "2, quadratic", growth(momentum.error, 0.5), 1.7,
              2.3);
  paper_claim(out, "momentum: energy error", "1, linear", growth(momentum.energy, 1), 0.8, 1.2);
  paper_claim(out, "momentum: $phi$", "1, linear", growth(momentum.phi, 1), 0.8, 1.2);
  peak(momentum.x, &f, &power);
  paper_claim(out, "periodogram, momentum: frequency of the peak", "0.302", f, 0.3015, 0.3025);
  paper_claim(out, "periodogram, momentum: $2|X|^2/N^2$ there", "0.39", power, 0.385, 0.4);
  peak(without.x, &f, &power);
  paper_claim(out, "periodogram, without: largest", "0.05; corrected 0.036", power, 0.03, 0.042);
  paper_say(out, "projected if a residual exceeds 1e-8");
  follow(out, "project(rk4(classical), momentum, tol=1e-8)", xi, &tight);
  paper_claim(out, "steps for each momentum projection", "3",
              STEPS / (double)tight.counts.momentum_projections, 2.5, 3.5);
  paper_claim(out, "solution error", "3e-3; corrected 1.8e-3", tight.error[SAMPLES - 1], 1e-3,
              3.5e-3);
  paper_claim(out, "energy error", "3e-5", tight.energy[SAMPLES - 1], 1e-5, 4e-5);
  paper_claim(out, "$|phi|$", "1e-5", tight.phi[SAMPLES - 1], 5e-6, 2e-5);
  draw_history(
      out,
      &(paper_figure){"integration_error", "Seiler, figure 1, upper part: integration error", "$t$",
                      "error", "lines", 0, 1, 0},
      label, (double(*const[])[SAMPLES]){&without.error, &momentum.error, &position.error}, 3);
  draw_history(out,
               &(paper_figure){"energy_error", "Seiler, figure 1, lower part: energy error", "$t$",
                               "$|H - H_0|$", "lines", 0, 1, 0},
               label,
               (double(*const[])[SAMPLES]){&without.energy, &momentum.energy, &position.energy}, 3);
  draw_periodograms(out, label, all, 3);
}

/* ---- the other formulations ---- */

static void others(paper *out, const double *xi) {
  static history dirac;
  paper_heading(out, "The total Hamiltonian (43) and the Dirac bracket (44)");
  paper_run *run = paper_run_open(out, pendulum, "project(rk4(total), position)", h);
  double psi = 0;
  rattle_status status = RATTLE_OK;
  rattle_error error;
  while (!status && psi < 1 && run->state.step < STEPS) {
    status = paper_run_try(run, 1, &error);
    if (!status) paper_run_look(out, run, NULL, NULL, NULL, &psi);
  }
  paper_claim(out, "(43), exact position projections: fails at $t$",
              "as good as (42); corrected 42", (double)run->state.step * h, 35, 50);
  follow(out, "rk4(dirac)", xi, &dirac);
  paper_claim(out, "(44), no projection: $phi$ grows", "at most linearly", growth(dirac.phi, 1),
              0.5, 1.2);
  paper_claim(out, "(44): solution error", "-", dirac.error[SAMPLES - 1], 0, 0.1);
}

/* The largest |p*| up to t = 1023 and 8192 */
static void amplitudes(paper *out, const char *model, const char *method, double *at_1023,
                       double *at_8192) {
  paper_run *run = paper_run_open(out, model, method, h);
  double most = 0;
  for (int k = 1; k <= 8192 * A_UNIT; k++) {
    paper_run_step(out, run, 1);
    most = larger(larger(most, run->z[2]), run->z[3]);
    if (k == STEPS) *at_1023 = most;
  }
  *at_8192 = most;
}

static void portraits(paper *out, int momenta) {
  static const char *const label[] = {"start of the paper", "perturbed start"}, *const model[] = {
                                                                                    pendulum,
                                                                                    perturbed};
  const paper_figure positions = {
      "positions", "Seiler, figure 2, left: positions from the exact and from a perturbed start",
      "$x^*$",     "$y^*$",
      "lines",     0,
      0,           1};
  const paper_figure impetuses = {"impetuses", "Seiler, figure 2, right: impetuses spiral outwards",
                                  "$p^*_x$",   "$p^*_y$",
                                  "lines",     0,
                                  0,           1};
  paper_figure_begin(out, momenta ? &impetuses : &positions);
  for (int c = 0; c < 2 - momenta; c++) {
    paper_run *run = paper_run_open(out, model[c], "rk4(impetus)", h);
    paper_curve(out, label[c]);
    for (int k = 0; k < (momenta ? 2000 : 400); k++) {
      paper_point(out, run->z[2 * momenta], run->z[2 * momenta + 1]);
      paper_run_step(out, run, 1);
    }
  }
  paper_figure_end(out);
}

static void impetus(paper *out, const double *xi) {
  static history plain, reset;
  double early = 0, late = 0, slow_early = 0, slow_late = 0, mean = 0, most = 0, off = 0;
  paper_heading(out, "Impetus-striction (50), and (53) of the modified Hamiltonian (52)");
  follow(out, "rk4(impetus)", xi, &plain);
  paper_claim(out, "solution error", "as with momentum projections", plain.error[SAMPLES - 1], 0,
              0.05);
  amplitudes(out, pendulum, "rk4(impetus)", &early, &late);
  amplitudes(out, modified, "rk4", &slow_early, &slow_late);
  paper_claim(out, "(50): largest impetus until 1023", "30000; corrected 3678", early, 3600, 3750);
  paper_claim(out, "(50): largest impetus until 8192", "30000", late, 28000, 31000);
  paper_claim(out, "(53): largest impetus until 1023", "1000; corrected 138", slow_early, 130, 145);
  paper_claim(out, "(53): largest impetus until 8192", "1000", slow_late, 950, 1150);
  for (int k = 0; k < STEPS; k++) mean += cos(xi[k]) / STEPS;
  paper_claim(out, "mean of $y$", "0; corrected 0.1352", mean, 0.134, 0.1365);
  paper_claim(out, "growth of $x^* p^*_x + y^* p^*_y$ for each unit of time", "$4 - 3 <y>$",
              early / 1023, 4 - 3 * mean - 0.1, 4 - 3 * mean + 0.1);
  paper_run *run = paper_run_open(out, perturbed, "rk4(impetus)", h);
  const double radius = hypot(run->z[0], run->z[1]);
  for (int k = 0; k < 4000; k++) {
    paper_run_step(out, run, 1);
    off = larger(off, hypot(run->z[0], run->z[1]) - radius);
  }
  paper_claim(out, "perturbed start: largest distance from its circle", "on the circle", off, 0,
              1e-6);
  paper_say(out, "impetuses reset if $|psi|$ exceeds 10");
  run = paper_run_open(out, pendulum, "project(rk4(impetus), momentum, tol=10)", h);
  for (int k = 0; k < STEPS; k++) {
    paper_run_step(out, run, 1);
    most = larger(larger(most, run->z[2]), run->z[3]);
  }
  follow(out, "project(rk4(impetus), momentum, tol=10)", xi, &reset);
  paper_claim(out, "largest impetus", "the cure", most, 0, 20);
  paper_claim(out, "solution error, with over without resets", "no effect on observables",
              reset.error[SAMPLES - 1] / plain.error[SAMPLES - 1], 0.5, 2);
  portraits(out, 0);
  portraits(out, 1);
}

static int run(paper *out) {
  double *xi = reference(out);
  classical(out, xi);
  others(out, xi);
  impetus(out, xi);
  free(xi);
  return 0;
}

const paper_experiment paper_seiler_pendulum = {
    "seiler_pendulum", "The planar pendulum: underlying equations and projections",
    "W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, "
    "section 8; see also Math. Comp. 68 (1999) 661",
    "Classical equations of the pendulum drift off the circle or need projections; those of the "
    "Dirac bracket and of impetus-striction stay nearer, by how much is measured.",
    run};
