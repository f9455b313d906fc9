/* McLachlan, Modin, Verdier, Wilkins (2014), section 5.4: the constraint |q|^2 + |p|^2 = c, whose
 * fibres are the circles of the Hopf fibration.
 *
 * 5.4.1  H = |p|^2/2: RATTLE rotates q and p, as the exact flow does, by asin(h w) in a step h, w =
 *        s|q||p|/(|q|^2 - |p|^2)
 * 5.4.2  H = |p|^2/2 - g.q, g = (0,-1): table 1, figures 4, 5 and 6. The starts of table 1 have
 *        |q|^2 + |p|^2 = 0.98000000636,
 * not 1 (docs/errata.md): here c is theirs. H' along a fibre is the corrected one of
 * docs/errata.md, not (28) as printed */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double table[3][4] = {
    {-0.7865261200000000, -0.4043988000000000, -0.3880746864163783, 0.2173391755798215},
    {-0.4963624948824013, -0.7319740436366664, -0.4275775933953260, 0.1225384882604160},
    {0.3477491188213400, -0.8131619010029159, -0.4368285559113795, -0.0837800227934176}};
static const char *const name[] = {"$z_a$", "$z_b$", "$z_c$"};
static const double h = 0.1;

static double square(const double *x) {
  return x[0] * x[0] + x[1] * x[1];
}

static double dot(const double *x, const double *y) {
  return x[0] * y[0] + x[1] * y[1];
}

/* z = (q, p) with |q|^2 + |p|^2 as it is; potential: 0 or 1 */
static paper_run *begin(paper *out, const double *z, int potential, const char *method,
                        double step) {
  char text[600];
  snprintf(
      text, sizeof text,
      "local q0, p0 = pair('q0')\nlocal q1, p1 = pair('q1')\nhamiltonian((p0^2 + p1^2)/2 + %d*q1)\n"
      "constrain('sphere', q0^2 + q1^2 + p0^2 + p1^2 - %.17g)\n"
      "start { q0 = %.17g, q1 = %.17g, pq0 = %.17g, pq1 = %.17g }\n",
      potential, square(z) + square(z + 2), z[0], z[1], z[2], z[3]);
  return paper_run_open(out, text, method, step);
}

/* ---- 5.4.1 ---- */

static void turn(const double *z, double angle, double *to) {
  for (int k = 0; k < 4; k += 2) {
    to[k] = cos(angle) * z[k] - sin(angle) * z[k + 1];
    to[k + 1] = sin(angle) * z[k] + cos(angle) * z[k + 1];
  }
}

static double distance(const double *x, const double *y) {
  double most = 0;
  for (int k = 0; k < 4; k++) most = fmax(most, fabs(x[k] - y[k]));
  return most;
}

static void proposition(paper *out) {
  /* |q| = 0.8, |p| = 0.6, q.p = 0, both orientations and both components */
  static const double start[4][4] = {
      {0.8, 0, 0, 0.6}, {0.8, 0, 0, -0.6}, {0.6, 0, 0, 0.8}, {0.36, 0.48, -0.64, 0.48}};
  double worst = 0, reversed = 1, exact = 0;
  paper_heading(out, "5.4.1: $H = |p|^2/2$, proposition 5.1");
  for (int c = 0; c < 4; c++) {
    const double *z = start[c], side = z[0] * z[3] - z[1] * z[2] > 0 ? 1 : -1;
    const double q = sqrt(square(z)), p = sqrt(square(z + 2)), w = side * q * p / (q * q - p * p),
                 step = 0.05;
    double wanted[4], flow[4], wrong[4];
    paper_run *run = begin(out, z, 0, "rattle(midpoint)", step);
    paper_run_step(out, run, 20);
    turn(z, 20 * asin(step * w), wanted);
    worst = fmax(worst, distance(run->z, wanted));
    run = begin(out, z, 0, "kahan_li8(rattle(midpoint))", step);
    paper_run_step(out, run, 20);
    turn(z, w, flow);
    turn(z, -w, wrong);
    exact = fmax(exact, distance(run->z, flow));
    reversed = fmin(reversed, distance(run->z, wrong));
  }
  paper_claim(out, "20 steps: distance from the exact orbit, re-timed", "0, to round-off", worst, 0,
              1e-13);
  paper_claim(out, "(26) with the corrected sign of its angle: distance", "sign of (26) is wrong",
              exact, 0, 1e-9);
  paper_claim(out, "(26) as printed: distance", "0", reversed, 0.1, 4);
  const double z[] = {0.8, 0, 0, 0.6}, w = 0.48 / 0.28;
  double half[4], full[4];
  paper_run *run = begin(out, z, 0, "rattle(midpoint)", 0.1);
  paper_run_step(out, run, 1);
  turn(z, asin(0.1 * w), half);
  turn(z, 0.1 * w, full);
  paper_claim(out, "one step $h$: its angle less $h omega$, over $(h omega)^3/6$",
              "a time reparametrisation", (asin(0.1 * w) - 0.1 * w) / (pow(0.1 * w, 3) / 6), 0.99,
              1.05);
  paper_claim(out, "one step $h$: distance from the rotation by $asin(h omega)$", "-",
              distance(run->z, half), 0, 1e-14);
}

/* Figure 3 in the plane of q: a fibre, (q cos s + p sin s), meets M_H in four points, two on each
 * of two trajectories. */
static void intersections(paper *out) {
  enum { POINTS = 400 };
  const double circle = 2 * acos(-1.0), step = 0.02;
  static const char *const label[] = {"trajectory through $z$",
                                      "trajectory of the other component"};
  static const double start[2][4] = {
      {0.8, 0, 0, 0.6}, {0, 0.6, -0.8, 0}}; /* z, and z moved by a quarter of its fibre */
  int met[2] = {0, 0};
  paper_figure_begin(out, &(paper_figure){"fibre",
                                          "McLachlan et al. (2014), figure 3: a fibre and the two "
                                          "trajectories that it meets, in the plane of $q$",
                                          "$q_0$", "$q_1$", "lines", 0, 0, 1});
  paper_curve(out, "fibre");
  for (int i = 0; i <= POINTS; i++)
    paper_point(out, 0.8 * cos(circle * i / POINTS), 0.6 * sin(circle * i / POINTS));
  for (int c = 0; c < 2; c++) {
    paper_run *run = begin(out, start[c], 0, "rattle(midpoint)", step);
    double before[4], along = 0;
    paper_curve(out, label[c]);
    paper_point(out, run->z[0], run->z[1]);
    /* nearly once around; a point z' is on the fibre of z if |<z, z'>| = 1 in C^2: the distance
     * from it has a zero minimum there */
    double last[2] = {1, 1};
    while (along < 0.98 * circle) {
      memcpy(before, run->z, sizeof before);
      paper_run_step(out, run, 1);
      paper_point(out, run->z[0], run->z[1]);
      const double *z = run->z;
      along += fabs(atan2(before[0] * z[1] - before[1] * z[0], dot(before, z)));
      const double re = 0.8 * z[0] + 0.6 * z[3], im = 0.8 * z[2] - 0.6 * z[1],
                   far = 1 - (re * re + im * im);
      met[c] += last[1] < last[0] && last[1] < far && last[1] < 1e-2;
      last[0] = last[1], last[1] = far;
    }
  }
  paper_figure_end(out);
  paper_claim(out, "figure 3: intersections of trajectory and fibre", "2", met[0], 2, 2);
  paper_claim(out, "figure 3: for the other component", "2", met[1], 2, 2);
}

/* ---- 5.4.2 ---- */

/* Coefficients of H'(theta) = A sin 2 theta + B cos 2 theta + C sin theta + D cos theta along the
 * fibre of z, g = (0,-1). */
static void fibre(const double *z, double k[4]) {
  const double *q = z, *p = z + 2;
  k[0] = (square(q) - square(p)) / 2;
  k[1] = -dot(q, p);
  k[2] = -q[1];
  k[3] = p[1];
}

static double slope(const double k[4], double theta) {
  return k[0] * sin(2 * theta) + k[1] * cos(2 * theta) + k[2] * sin(theta) + k[3] * cos(theta);
}

static int crossings(const double k[4]) {
  enum { POINTS = 4000 };
  const double turn = 2 * acos(-1.0) / POINTS;
  int count = 0;
  for (int i = 0; i < POINTS; i++)
    count += (slope(k, (i + 0.5) * turn) < 0) != (slope(k, (i + 1.5) * turn) < 0);
  return count;
}

/* The Hopf map (21) and a stereographic projection. */
static void project(const double *z, double *x, double *y) {
  const double c = square(z) + square(z + 2); /* the sphere's size */
  const double re = 2 * (z[0] * z[1] + z[2] * z[3]) / c, im = 2 * (z[2] * z[1] - z[0] * z[3]) / c;
  const double r = (z[0] * z[0] + z[2] * z[2] - z[1] * z[1] - z[3] * z[3]) / c;
  *x = re / (1 - r);
  *y = im / (1 - r);
}

static void trajectories(paper *out) {
  enum { STEPS = 4000, EARLY = 400 };
  static double x[STEPS], y[STEPS];
  double worst_sphere = 0, worst_on = 0, radius[3] = {0};
  paper_heading(out, "5.4.2: $H = |p|^2/2 - g.q$, $g = (0,-1)$, $h = 0.1$, midpoint rule");
  for (int c = 0; c < 3; c++) {
    worst_sphere =
        fmax(worst_sphere, fabs(square(table[c]) + square(table[c] + 2) - 0.98000000636));
    worst_on = fmax(worst_on, fabs(dot(table[c], table[c] + 2) - table[c][3]));
  }
  paper_claim(out, "table 1: $|q|^2 + |p|^2$ less 0.98000000636", "1; corrected 0.98000000636",
              worst_sphere, 0, 1e-9);
  paper_claim(out, "table 1: the hidden constraint $q.p + g.p$", "0", worst_on, 0, 1e-15);
  paper_figure_begin(
      out, &(paper_figure){
               "trajectories",
               "McLachlan et al. (2014), figure 4: trajectories on $[M]$, in the complex plane",
               "Re", "Im", "points", 0, 0, 1});
  for (int c = 0; c < 3; c++) {
    char what[60];
    double far = 0;
    paper_run *run = begin(out, table[c], 1, "shake(midpoint)", h);
    paper_curve(out, name[c]);
    for (int k = 0; k < STEPS; k++) {
      project(run->z, &x[k], &y[k]);
      if (k < EARLY) paper_point(out, x[k], y[k]);
      radius[c] = fmax(radius[c], hypot(x[k], y[k]));
      paper_run_step(out, run, 1);
    }
    /* later points lie on the curve of the early ones: distance to the nearest, against their
     * spacing */
    for (int k = STEPS - EARLY; k < STEPS; k++) {
      double near = 1e9;
      for (int j = 0; j + 1 < STEPS / 2; j++) {
        const double d = hypot(x[k] - x[j], y[k] - y[j]);
        if (d < near) near = d;
      }
      far = fmax(far, near);
    }
    snprintf(what, sizeof what, "%s: the curve is closed, distance after %d steps", name[c], STEPS);
    paper_claim(out, what, "closed", far, 0, 0.01);
  }
  paper_figure_end(out);
  paper_claim(out, "largest radius of $z_a$ over that of $z_c$",
              "innermost; by its formula outermost", radius[0] / radius[2], 1.5, 5);
}

/* Energy along SHAKE and RATTLE, and psi along SHAKE, from z_a. */
static void energies(paper *out) {
  enum { STEPS = 1000 };
  static double energy[2][STEPS + 1], psi[3][STEPS + 1];
  static const char *const method[] = {"shake(midpoint)", "rattle(midpoint)", "shake(midpoint)"};
  double g, worst_g = 0, trend = 0, same = 0;
  for (int c = 0; c < 3; c++) {
    paper_run *run = begin(out, table[0], 1, method[c], c == 2 ? h / 2 : h);
    for (int k = 0; k <= STEPS; k++) {
      double H;
      paper_run_look(out, run, NULL, &H, &g, &psi[c][k]);
      worst_g = fmax(worst_g, g);
      if (c < 2) energy[c][k] = H;
      if (k < STEPS) paper_run_step(out, run, 1);
    }
  }
  for (int k = 0; k < 300; k++) trend += (energy[1][STEPS - k] - energy[1][k]) / 300;
  paper_run *steps = begin(out, table[0], 1, "shake(midpoint, solver=newton)", h),
            *rattle = begin(out, table[0], 1, "rattle(midpoint)", h);
  for (int k = 0; k < STEPS; k++) { /* the same map of fibres */
    double a[2], b[2];
    paper_run_step(out, steps, 1);
    paper_run_step(out, rattle, 1);
    project(steps->z, &a[0], &a[1]);
    project(rattle->z, &b[0], &b[1]);
    same = fmax(same, hypot(a[0] - b[0], a[1] - b[1]));
  }
  double amplitude = 0;
  for (int k = 0; k <= STEPS; k++) amplitude = fmax(amplitude, fabs(energy[1][k] - energy[1][0]));
  paper_claim(out, "SHAKE and RATTLE on $[M]$: largest distance", "the same mapping", same, 0,
              1e-10); /* rounding adds up along the orbit */
  paper_claim(out, "figure 5a: trend of RATTLE's energy over its amplitude", "no drift",
              fabs(trend) / amplitude, 0, 0.05);
  paper_claim(out, "figure 5b: $|psi|$ of SHAKE, $h = 0.1$", "as large as $h$",
              paper_largest(psi[0] + 1, STEPS), 0.02, 0.5);
  paper_claim(out, "$|psi|$ of SHAKE, $h = 0.1$ over $h = 0.05$", "$O(h)$",
              paper_largest(psi[0] + 1, STEPS) / paper_largest(psi[2] + 1, STEPS), 1.6, 2.4);
  paper_claim(out, "$|psi|$ of RATTLE", "machine accuracy", paper_largest(psi[1], STEPS + 1), 0,
              1e-14);
  paper_claim(out, "$|g|$ of both", "machine accuracy", worst_g, 0, 1e-14);
  paper_figure_begin(
      out,
      &(paper_figure){"energy",
                      "McLachlan et al. (2014), figure 5a: energy of SHAKE and RATTLE from $z_a$",
                      "$t$", "$H$", "lines", 0, 0, 0});
  for (int c = 0; c < 2; c++) {
    paper_curve(out, c ? "RATTLE" : "SHAKE");
    for (int k = 0; k <= STEPS; k++) paper_point(out, k * h, energy[c][k]);
  }
  paper_figure_end(out);
  paper_figure_begin(
      out, &(paper_figure){
               "hidden",
               "McLachlan et al. (2014), figure 5b: the hidden constraint along SHAKE from $z_a$",
               "$t$", "$|{g,H}|$", "lines", 0, 1, 0});
  paper_curve(out, "SHAKE");
  for (int k = 1; k <= STEPS; k++) paper_point(out, k * h, psi[0][k]);
  paper_figure_end(out);
}

/* The zeros of H' along the fibres over the trajectory of z_a. */
static void fibres(paper *out) {
  enum { STEPS = 120, ANGLES = 720 };
  const double turn = 2 * acos(-1.0);
  int least = 9, most = 0, wrong = 0, all = 0;
  double k[4];
  paper_run *run = begin(out, table[0], 1, "shake(midpoint)", h);
  paper_figure_begin(out, &(paper_figure){"fibres",
                                          "McLachlan et al. (2014), figure 6: intersections of "
                                          "$M_H$ with fibres over the trajectory of $z_a$",
                                          "$t$", "position on the fibre", "points", 0, 0, 0});
  paper_curve(out, "$H' = 0$");
  for (int i = 0; i < STEPS; i++) {
    fibre(run->z, k);
    const int count = crossings(k);
    if (count < least) least = count;
    if (count > most) most = count;
    for (int j = 0; j < ANGLES; j++) {
      const double a = turn * j / ANGLES, b = turn * (j + 1) / ANGLES, u = slope(k, a),
                   v = slope(k, b);
      if ((u < 0) != (v < 0)) paper_point(out, i * h, (a + (b - a) * u / (u - v)) / turn);
    }
    paper_run_step(out, run, 1);
  }
  paper_figure_end(out);
  fibre(table[0], k);
  paper_claim(out, "figure 6: intersections of $z_a$'s fibre with $M_H$", "4 by (28); corrected 2",
              crossings(k), 2, 2);
  k[2] = -k[2]; /* (28) as printed has -g.q sin */
  paper_claim(out, "the same by (28) as printed", "4", crossings(k), 4, 4);
  paper_claim(out, "fewest along the trajectory", "2", least, 2, 2);
  paper_claim(out, "most along the trajectory", "4", most, 4, 4);
  /* random fibres: four iff |X|^(2/3) + |Y|^(2/3) < (2A)^(2/3), A sin 2u + X sin u + Y cos u after
   * a shift of theta */
  unsigned long long seed = 1;
  for (; all < 3000; all++) {
    double z[4], size = 0;
    for (int c = 0; c < 4; c++) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      z[c] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
      size += z[c] * z[c];
    }
    for (int c = 0; c < 4; c++) z[c] /= sqrt(size);
    fibre(z, k);
    const double A = hypot(k[0], k[1]), shift = atan2(k[1], k[0]) / 2;
    const double X = k[2] * cos(shift) + k[3] * sin(shift),
                 Y = k[3] * cos(shift) - k[2] * sin(shift);
    const int four = pow(fabs(X), 2.0 / 3) + pow(fabs(Y), 2.0 / 3) < pow(2 * A, 2.0 / 3);
    wrong += (crossings(k) == 4) != four;
  }
  paper_claim(out, "rule for four crossings: wrong cases of 3000", "by magnitudes; corrected 0",
              wrong, 0, 3);
}

static int run(paper *out) {
  proposition(out);
  intersections(out);
  trajectories(out);
  energies(out);
  fibres(out);
  return 0;
}

const paper_experiment paper_harmonic_constraint = {
    "harmonic_constraint", "A constraint on coordinates and momenta: circles of the Hopf fibration",
    "R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339, "
    "section 5.4",
    "A constraint on coordinates and momenta makes circles of its fibres: the motion on the sphere "
    "between them is followed to its order, and misprints of the paper are found.",
    run};
