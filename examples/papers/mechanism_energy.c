/* The energy of a chain of ten bars on hinges, as engines for robots and games have them, in joint
 * coordinates: of Gauss's method with eight stages, which is symplectic, over 10^4 s, and over 10^3
 * s of two explicit methods that are not. docs/engines-mechanisms.md has the energies of MuJoCo,
 * Pinocchio and others on the same chain, which bench/mechanisms_peers --energy measures. */
#include "paper.h"

#include <math.h>

enum { DECADE = 10, METHODS = 3, LONG = 10000, SHORT = 1000 };

static const char chain[] =
    "local mech = require 'mechanics'\n"
    "mech.coordinates 'joints'\n"
    "mech.gravity(0, 0, -9.81)\n"
    "local before, J, up = mech.ground, mech.vec3(0, 0, 0), mech.about({1, 0, 0}, 0)\n"
    "for i = 0, 9 do\n"
    "  local axis = i % 2 == 0 and {0, 1, 0} or {0, 0, 1}\n"
    "  local R = up*mech.about(axis, 0.3 + 0.2*math.sin(i))\n"
    "  local c, a = J + 0.5*mech.column(R, 1), up*mech.vec3(axis)\n"
    "  local bar = mech.body { name = 'b' .. i, mass = 1, inertia = {0.02, 0.09, 0.1}, rotation = "
    "R, at = {c.x, c.y, c.z} }\n"
    "  mech.revolute('j' .. i, bar:here(J.x, J.y, J.z):along(a.x, a.y, a.z), before:here(J.x, J.y, "
    "J.z):along(a.x, a.y, a.z))\n"
    "  before, J, up = bar, J + mech.column(R, 1), R\n"
    "end\n";

/* The largest |H - H0| at whole seconds, until each of the times that the figure has. */
typedef struct course {
  const char *method, *label;
  int rate, seconds; /* steps in a second */
  int points;
  double time[6 * DECADE], most[6 * DECADE];
} course;

static void go(paper *out, course *c) {
  paper_run *run = paper_run_open(out, chain, c->method, 1.0 / c->rate);
  double H0, H, most = 0;
  paper_run_look(out, run, NULL, &H0, NULL, NULL);
  for (int k = 1; k <= c->seconds; k++) {
    paper_run_step(out, run, c->rate);
    paper_run_look(out, run, NULL, &H, NULL, NULL);
    most = fmax(most, fabs(H - H0));
    if (k < pow(10, (double)c->points / DECADE)) continue;
    while (k >= pow(10, (double)c->points / DECADE)) c->points++;
    c->time[c->points - 1] = k;
    c->most[c->points - 1] = most;
  }
  paper_run_close(out, run);
}

static void draw(paper *out, const course *courses) {
  paper_figure_begin(out, &(paper_figure){.name = "energy",
                                          .caption = "Ten bars on hinges: the largest change of "
                                                     "the energy until $t$, of 256 J at the start",
                                          .x = "$t$, s",
                                          .y = "$|H - H_0|$, J",
                                          .kind = "lines",
                                          .log_x = 1,
                                          .log_y = 1});
  for (int i = 0; i < METHODS; i++) {
    paper_curve(out, courses[i].label);
    for (int k = 0; k < courses[i].points; k++)
      if (courses[i].most[k] > 0) paper_point(out, courses[i].time[k], courses[i].most[k]);
  }
  paper_figure_end(out);
}

static int run(paper *out) {
  course courses[METHODS] = {
      {.method = "gauss(8, guess=past)",
       .label = "gauss(8), 50 steps/s",
       .rate = 50,
       .seconds = LONG},
      {.method = "dop853", .label = "dop853, 100 steps/s", .rate = 100, .seconds = SHORT},
      {.method = "rk4", .label = "rk4, 250 steps/s", .rate = 250, .seconds = SHORT}};
  for (int i = 0; i < METHODS; i++) go(out, &courses[i]);
  draw(out, courses);
  const course *gauss = &courses[0], *eight = &courses[1], *four = &courses[2];
  int at = 0;
  while (gauss->time[at] < SHORT) at++;
  paper_claim(out, "gauss(8), until 10^4 s, J", "a millionth of the energy at most",
              gauss->most[gauss->points - 1], 0, 256e-6);
  paper_claim(out, "dop853 with half the step over gauss(8), until 10^3 s", "100 or more",
              eight->most[eight->points - 1] / gauss->most[at], 100, INFINITY);
  paper_claim(out, "rk4: exponent of growth, 10 s to 10^3 s", "1 or more: it drifts",
              paper_exponent(four->time + DECADE, four->most + DECADE, four->points - DECADE), 1,
              3);
  return 0;
}

const paper_experiment paper_mechanism_energy = {
    "mechanism_energy", "The energy of a chain of ten hinges over hours",
    "docs/engines-mechanisms.md; E. Hairer, Ch. Lubich, G. Wanner, Geometric Numerical Integration "
    "(2006), chapter IX",
    "A symplectic method in joint coordinates keeps the energy; explicit methods of order 4 and 8 "
    "with smaller steps lose it.",
    run};
