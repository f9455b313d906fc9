/* McLachlan, Modin, Verdier, Wilkins (2014), section 1, figure 1: SHAKE and RATTLE of the planar
 * pendulum around the exact flow without the rod, a parabola. */
#include "paper.h"

#include <math.h>
#include <string.h>

static const char pendulum[] = "local x, px = pair('x')\n"
                               "local y, py = pair('y')\n"
                               "hamiltonian((px^2 + py^2)/2 + y)\n"
                               "constrain('rod', (x^2 + y^2 - 1)/2)\n"
                               "start { x = math.sin(0.8), y = -math.cos(0.8), px = "
                               "0.9*math.cos(0.8), py = 0.9*math.sin(0.8) }\n";

/* One step of SHAKE and its projection, drawn. */
static void draw(paper *out) {
  const double h = 0.7;
  const double turn = 2 * acos(-1.0);
  paper_run *shake = paper_run_open(out, pendulum, "shake(exact)", h),
            *rattle = paper_run_open(out, pendulum, "rattle(exact)", h);
  const double x0 = shake->z[0], y0 = shake->z[1];
  paper_run_step(out, shake, 1);
  paper_run_step(out, rattle, 1);
  const double *z = shake->z; /* z1-, from which the parabola runs back */
  paper_figure_begin(out, &(paper_figure){"step",
                                          "McLachlan et al. (2014), figure 1: one step of SHAKE "
                                          "and of RATTLE around the exact parabola",
                                          "$x$", "$y$", "lines", 0, 0, 1});
  paper_curve(out, "the circle $M$");
  for (int i = 0; i <= 200; i++) paper_point(out, cos(turn * i / 200), sin(turn * i / 200));
  paper_curve(out, "the parabola");
  for (int i = 0; i <= 60; i++) {
    const double s = h * (i / 60.0 - 1);
    paper_point(out, z[0] + s * z[2], z[1] + s * z[3] - s * s / 2);
  }
  paper_curve(out, "momentum $z_1^-$ of SHAKE");
  for (int i = 0; i <= 1; i++) paper_point(out, z[0] + 0.4 * i * z[2], z[1] + 0.4 * i * z[3]);
  paper_curve(out, "momentum $z_1$ of RATTLE");
  for (int i = 0; i <= 1; i++)
    paper_point(out, z[0] + 0.4 * i * rattle->z[2], z[1] + 0.4 * i * rattle->z[3]);
  paper_figure_end(out);
  /* the kick at the start is along the rod: the parabola's momentum there minus that of the start
   * has no tangential part */
  const double kick_x = z[2] - 0.9 * cos(0.8), kick_y = z[3] + h - 0.9 * sin(0.8);
  paper_claim(out, "distance of the parabola's start from the step's", "0",
              hypot(z[0] - h * z[2] - x0, z[1] - h * z[3] - h * h / 2 - y0), 0, 1e-15);
  paper_claim(out, "the kick across the rod", "0: a kick along the rod", kick_x * -y0 + kick_y * x0,
              -1e-15, 1e-15);
  paper_claim(out, "SHAKE and RATTLE: distance of the positions", "the same",
              hypot(z[0] - rattle->z[0], z[1] - rattle->z[1]), 0, 0);
  paper_claim(out, "RATTLE: momentum along the rod", "0", rattle->z[2] * z[0] + rattle->z[3] * z[1],
              -1e-15, 1e-15);
}

static void run_long(paper *out) {
  enum { STEPS = 20000 };
  const double h = 0.05;
  paper_run *shake = paper_run_open(out, pendulum, "shake(exact)", h),
            *rattle = paper_run_open(out, pendulum, "rattle(exact)", h);
  double H0, H, energy[3] = {0}, apart = 0;
  paper_run_look(out, rattle, NULL, &H0, NULL, NULL);
  for (int k = 0; k < STEPS; k++) {
    paper_run_step(out, shake, 1);
    paper_run_step(out, rattle, 1);
    paper_run_look(out, rattle, NULL, &H, NULL, NULL);
    energy[3 * k / STEPS] = fmax(energy[3 * k / STEPS], fabs(H - H0));
    const double *z = shake->z,
                 out_of =
                     z[2] * z[0] + z[3] * z[1]; /* SHAKE's momentum along the rod, to be removed */
    if (k < 200)
      apart = fmax(apart,
                   hypot(z[2] - out_of * z[0] - rattle->z[2], z[3] - out_of * z[1] - rattle->z[3]));
  }
  paper_claim(out, "200 steps of SHAKE, then one projection, and RATTLE", "the same", apart, 0,
              1e-12);
  paper_claim(out, "energy error, last third of 20000 steps over first", "no drift",
              energy[2] / energy[0], 0.9, 1.1);
}

/* The order from h and h/2 at t = 3, with h/64 as the reference. */
static void order(paper *out) {
  static const double step[] = {0.1, 0.05, 0.05 / 32};
  double z[3][4];
  for (int i = 0; i < 3; i++) {
    paper_run *run = paper_run_open(out, pendulum, "rattle(exact)", step[i]);
    paper_run_step(out, run, llround(3 / step[i]));
    memcpy(z[i], run->z, sizeof z[i]);
  }
  paper_claim(out, "order of RATTLE", "2",
              log2(hypot(z[0][0] - z[2][0], z[0][1] - z[2][1]) /
                   hypot(z[1][0] - z[2][0], z[1][1] - z[2][1])),
              1.9, 2.1);
}

static int run(paper *out) {
  draw(out);
  run_long(out);
  order(out);
  return 0;
}

const paper_experiment paper_geometric_pendulum = {
    "geometric_pendulum", "SHAKE and RATTLE around the exact parabola",
    "R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339, "
    "section 1",
    "One step of a pendulum: SHAKE ends beside the circle, RATTLE moves the momentum back along "
    "the rod, and both have the same place.",
    run};
