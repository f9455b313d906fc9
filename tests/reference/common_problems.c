/* The test problems: nonlinear, non-separable and non-quadratic in all ways that tell methods
 * apart. Symbols: q, p halves of z. */
#include "common_problems.h"

#include "examine/verify/problem_texts.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS2 RATTLE__PAIRS2
#define PAIRS3 RATTLE__PAIRS3
#define PAIRS4 RATTLE__PAIRS4

static tests_complex square(tests_complex x) {
  return x * x;
}
static tests_complex cube(tests_complex x) {
  return x * x * x;
}
static tests_complex fourth(tests_complex x) {
  return square(square(x));
}

/* planar pendulum */
static tests_complex pendulum_h(const tests_complex *z) {
  return (square(z[2]) + square(z[3])) / 2 + z[1];
}
static void pendulum_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
}

/* spherical pendulum in a quartic potential */
static tests_complex spherical_h(const tests_complex *z) {
  return (square(z[3]) + square(z[4]) + square(z[5])) / 2 + z[2] + 0.375L * square(z[0]) * z[1] +
         0.25L * fourth(z[2]);
}
static void sphere_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + square(z[2]) - 1;
}

/* mass that depends on the position, a quartic kinetic term, a quartic surface */
static tests_complex varying_mass_h(const tests_complex *z) {
  tests_complex kinetic = (1 + 0.25L * square(z[0])) * square(z[3]) / 2 +
                          square(z[4]) / (2 + csinl(z[2])) + square(z[5]) / 2 +
                          0.25L * z[1] * z[3] * z[4];
  return kinetic + 0.0625L * square(square(z[3]) + square(z[4]) + square(z[5])) + z[2] +
         0.25L * cube(z[0]);
}
static void quartic_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + 2 * square(z[1]) + square(z[2]) + 0.25L * fourth(z[0]) - 1;
}

/* the same sort with two constraints that are not quadratic */
static tests_complex two_surfaces_h(const tests_complex *z) {
  tests_complex kinetic =
      (square(z[4]) + (1 + 0.5L * square(z[3])) * square(z[5]) + square(z[6])) / 2 +
      square(z[7]) / (1 + square(z[0])) + 0.25L * z[1] * z[4] * z[6];
  return kinetic + 0.03125L * fourth(z[4] + z[7]) + z[1] + 0.5L * z[2] * square(z[3]);
}
static void two_surfaces_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + csinl(z[2]) * z[3] - 1;
  g[1] = square(z[2]) + square(z[3]) + 0.25L * cube(z[0]) - 1;
}

/* double pendulum */
static tests_complex double_pendulum_h(const tests_complex *z) {
  return (square(z[4]) + square(z[5])) / 2 + (square(z[6]) + square(z[7])) / 3 + z[1] + 1.5L * z[3];
}
static void double_pendulum_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
  g[1] = square(z[2] - z[0]) + square(z[3] - z[1]) - 1;
}

/* a constant mass matrix that couples coordinates which no constraint does */
static tests_complex full_mass_h(const tests_complex *z) {
  return (square(z[4]) + square(z[7]) * 0.75L + 1.0625L * (square(z[5]) + square(z[6]))) / 4 +
         0.125L * (z[4] - z[6]) * z[5] + 0.25L * z[6] * z[7] + z[1] + 0.5L * z[3] +
         0.25L * square(z[0]) * z[2];
}
static void full_mass_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + 0.125L * cube(z[0]) - 1;
  g[1] = square(z[2]) + square(z[3]) + 0.25L * z[2] * z[3] - 1;
}

/* relativistic particle on a sphere */
static tests_complex relativistic_h(const tests_complex *z) {
  return csqrtl(1 + square(z[3]) + square(z[4]) + square(z[5])) + z[2] + 0.5L * square(z[0]) * z[1];
}

/* harmonic constraint, quartic potential */
static tests_complex harmonic_h(const tests_complex *z) {
  return (square(z[2]) + square(z[3])) / 2 - 0.25L * z[1] - 0.125L * z[0] + 0.125L * fourth(z[0]) +
         0.25L * square(z[0] * z[1]);
}
static void harmonic_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + square(z[2]) + square(z[3]) - 1;
}

/* two commuting functions of the actions J_i = (q_i^2 + p_i^2)/2 */
static tests_complex commuting_h(const tests_complex *z) {
  return (square(z[3]) + 1.5L * square(z[4]) + 2 * square(z[5])) / 2 +
         0.125L * square(z[3] * z[4]) - 0.25L * z[0] * z[1] - 0.25L * z[1] * z[2] +
         0.125L * fourth(z[2]) + 0.125L * square(z[0]) * z[2];
}
static void commuting_g(const tests_complex *z, tests_complex *g) {
  tests_complex J[3];
  for (int i = 0; i < 3; i++) J[i] = (square(z[i]) + square(z[3 + i])) / 2;
  g[0] = J[0] + J[1] + J[2] + 0.25L * J[0] * J[1] - 1.25L;
  g[1] = J[0] - J[1] + 0.25L * square(J[2]) - 0.125L;
}

/* the oscillators' energy and the angular momentum commute: two quadratic constraints */
static tests_complex torus_h(const tests_complex *z) {
  return square(z[3]) + square(z[4]) + square(z[5]) - 0.75L * z[0] - 0.25L * square(z[2]) * z[0] +
         0.125L * square(z[3] * z[1]) + 0.25L * z[5] * z[4] + 0.25L * fourth(z[2]);
}
static void torus_g(const tests_complex *z, tests_complex *g) {
  g[0] = (square(z[0]) + square(z[1]) + square(z[2]) + square(z[3]) + square(z[4]) + square(z[5])) /
             2 -
         1;
  g[1] = z[0] * z[4] - z[1] * z[3] - 0.125L;
}

/* one constraint that is neither quadratic nor holonomic: its fibres are known only numerically */
static void bent_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + square(z[2]) + square(z[3]) + 0.125L * square(z[0] * z[3]) +
         0.125L * cube(z[1]) * z[2] - 1;
}

/* momentum constraint: the mirror of a pendulum */
static tests_complex mirror_h(const tests_complex *z) {
  return (square(z[0]) + square(z[1])) / 2 + z[3] + 0.25L * square(z[0]) * z[2] +
         0.125L * fourth(z[1]);
}
static void mirror_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[2]) + square(z[3]) + 0.25L * fourth(z[2]) - 1;
}

/* quadratic H, its flow is exact, on a surface that is not quadratic */
static tests_complex oscillator_h(const tests_complex *z) {
  return (square(z[3]) + square(z[4]) + square(z[5]) + square(z[0])) / 2 + 0.25L * z[0] * z[2] +
         0.5L * z[2] + 0.25L * z[3] * z[1];
}

/* a free variable z[3], 0 = H_b, together with a sphere: its momentum is constrained to 0 (a
 * shift), the sphere kicks */
static tests_complex free_on_sphere_h(const tests_complex *z) {
  tests_complex b = z[3];
  return ((1 + square(b) / 4) * (square(z[4]) + square(z[5])) + square(z[6])) / 2 + z[2] +
         square(b) * (1 + square(z[0]) / 4) / 2 + b * z[1] / 2 + fourth(b) / 8 + b * z[6] / 8;
}
static void free_on_sphere_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + square(z[2]) + cube(z[0]) / 8 - 1;
  g[1] = z[7];
}

/* Henon-Heiles */
static tests_complex henon_heiles_h(const tests_complex *z) {
  return (square(z[2]) + square(z[3]) + square(z[0]) + square(z[1])) / 2 + square(z[0]) * z[1] -
         cube(z[1]) / 3;
}

/* unconstrained and non-separable */
static tests_complex product_h(const tests_complex *z) {
  return (1 + square(z[0])) * (1 + square(z[2])) / 2 + square(z[1] - 0.5L * z[2]) / 2 +
         square(z[3]) / 2 + 0.125L * fourth(z[3]);
}

/* Problems that depend on time begin at t = 0 exactly, on g = 0. A driven pendulum; t is z[1] */
static tests_complex driven_h(const tests_complex *z) {
  return square(z[2]) / 2 - (1 + 0.5L * ccosl(2 * z[1])) * ccosl(z[0]) + z[3];
}

/* a particle on a curve whose length and force are prescribed in time; t is z[2] */
static tests_complex breathing_h(const tests_complex *z) {
  return (square(z[3]) + square(z[4])) / 2 + z[1] + 0.25L * square(z[0]) * z[1] * csinl(3 * z[2]) +
         z[5];
}
static void breathing_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + 0.125L * cube(z[0]) - square(1 + 0.0625L * csinl(3 * z[2]));
}

/* a pendulum shaken sideways */
static tests_complex shaken_h(const tests_complex *z) {
  return (square(z[3]) + square(z[4])) / 2 + z[1] + 0.375L * square(z[0]) * z[1] +
         0.5L * z[0] * csinl(3 * z[2]) + z[5];
}
static void circle_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
}

/* the curve of before, seen from a frame that turns to and fro */
static tests_complex swaying_h(const tests_complex *z) {
  return breathing_h(z) + 0.25L * ccosl(3 * z[2]) * (z[0] * z[4] - z[1] * z[3]) +
         0.03125L * square(z[3] * z[4]);
}

/* coordinates, momenta and time in one constraint */
static tests_complex swept_h(const tests_complex *z) {
  return (square(z[3]) + square(z[4])) / 2 - 0.25L * z[1] - 0.125L * z[0] + 0.125L * fourth(z[0]) +
         0.25L * square(z[0] * z[1]) * (1 + 0.25L * ccosl(3 * z[2])) + z[5];
}
static void swept_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) + square(z[3]) + square(z[4]) - 1.0078125L -
         0.03125L * csinl(3 * z[2]);
}

const tests_problem tests_problems[] = {
    {"pendulum",
     2,
     1,
     "natural",
     pendulum_h,
     pendulum_g,
     PAIRS2 "hamiltonian((p1^2 + p2^2)/2 + q2)\nconstrain('rod', q1^2 + q2^2 - 1)\n",
     {1, 0, 0, -2}},
    {"spherical", 3, 1, "natural", spherical_h, sphere_g, RATTLE__TEXT_spherical,
     RATTLE__NEAR_spherical},
    {"varying_mass", 3, 1, "holonomic", varying_mass_h, quartic_g, RATTLE__TEXT_varying_mass,
     RATTLE__NEAR_varying_mass},
    {"two_surfaces",
     4,
     2,
     "holonomic",
     two_surfaces_h,
     two_surfaces_g,
     PAIRS4 "hamiltonian((p1^2 + (1 + 0.5*q4^2)*p2^2 + p3^2)/2 + p4^2/(1 + q1^2) + 0.25*q2*p1*p3)\n"
            "hamiltonian(0.03125*(p1 + p4)^4 + q2 + 0.5*q3*q4^2)\n"
            "constrain('one', q1^2 + q2^2 + sin(q3)*q4 - 1)\n"
            "constrain('two', q3^2 + q4^2 + 0.25*q1^3 - 1)\n",
     {0.8, -0.4, 0.3, 0.8, 0.5, 0.7, -0.4, 0.2}},
    {"double_pendulum", 4, 2, "natural", double_pendulum_h, double_pendulum_g,
     RATTLE__TEXT_double_pendulum, RATTLE__NEAR_double_pendulum},
    {"full_mass",
     4,
     2,
     "natural",
     full_mass_h,
     full_mass_g,
     PAIRS4 "hamiltonian((p1^2 + 1.0625*p2^2 + 1.0625*p3^2 + 0.75*p4^2)/4 + 0.125*p1*p2 - "
            "0.125*p2*p3 + 0.25*p3*p4)\n"
            "hamiltonian(q2 + 0.5*q4 + 0.25*q1^2*q3)\n"
            "constrain('one', q1^2 + q2^2 + 0.125*q1^3 - 1)\nconstrain('two', q3^2 + q4^2 + "
            "0.25*q3*q4 - 1)\n",
     {0.8, -0.6, 0.8, -0.5, 0.3, 0.4, 0.2, 0.3}},
    {"relativistic", 3, 1, "separable", relativistic_h, sphere_g, RATTLE__TEXT_relativistic,
     RATTLE__NEAR_relativistic},
    {"harmonic", 2, 1, "coisotropic", harmonic_h, harmonic_g, RATTLE__TEXT_harmonic,
     RATTLE__NEAR_harmonic},
    {"commuting", 3, 2, "coisotropic", commuting_h, commuting_g, RATTLE__TEXT_commuting,
     RATTLE__NEAR_commuting},
    {"torus",
     3,
     2,
     "coisotropic",
     torus_h,
     torus_g,
     PAIRS3 "hamiltonian(p1^2 + p2^2 + p3^2 - 0.75*q1 - 0.25*q3^2*q1 + 0.125*p1^2*q2^2 + "
            "0.25*p3*p2 + 0.25*q3^4)\n"
            "constrain('sum', (q1^2 + q2^2 + q3^2 + p1^2 + p2^2 + p3^2)/2 - 1)\n"
            "constrain('spin', q1*p2 - q2*p1 - 0.125, { dirac = true })\n",
     {0.9, 0.1, 0.9, 0.1, 0.2, 0.1}},
    {"bent",
     2,
     1,
     "coisotropic",
     harmonic_h,
     bent_g,
     PAIRS2 "hamiltonian((p1^2 + p2^2)/2 - 0.25*q2 - 0.125*q1 + 0.125*q1^4 + 0.25*q1^2*q2^2)\n"
            "constrain('bent', q1^2 + q2^2 + p1^2 + p2^2 + 0.125*q1^2*p2^2 + 0.125*q2^3*p1 - 1)\n",
     {0.9, 0.1, -0.1, 0.3}},
    {"mirror",
     2,
     1,
     "coisotropic",
     mirror_h,
     mirror_g,
     PAIRS2 "hamiltonian((q1^2 + q2^2)/2 + p2 + 0.25*q1^2*p1 + 0.125*q2^4)\n"
            "constrain('speed', p1^2 + p2^2 + 0.25*p1^4 - 1)\n",
     {0, 0.8, 0.8, 0.3}},
    {"oscillator",
     3,
     1,
     "holonomic",
     oscillator_h,
     quartic_g,
     PAIRS3 "hamiltonian((p1^2 + p2^2 + p3^2 + q1^2)/2 + 0.25*q1*q3 + 0.5*q3 + 0.25*p1*q2)\n"
            "constrain('surface', q1^2 + 2*q2^2 + q3^2 + 0.25*q1^4 - 1)\n",
     {0.8, 0.1, -0.6, 0.25, 1, 0.5}},
    {"free_on_sphere",
     4,
     2,
     "coisotropic",
     free_on_sphere_h,
     free_on_sphere_g,
     PAIRS4 "hamiltonian(((1 + q4^2/4)*(p1^2 + p2^2) + p3^2)/2 + q3 + q4^2*(1 + q1^2/4)/2 + "
            "q4*q2/2 + q4^4/8 + q4*p3/8)\n"
            "constrain('sphere', q1^2 + q2^2 + q3^2 + q1^3/8 - 1)\nconstrain('free', p4)\n",
     {0.8, 0.2, -0.6, 0, 0.25, 1, 0.5, 0}},
    {"breathing",
     3,
     1,
     "separable",
     breathing_h,
     breathing_g,
     PAIRS2 "local t = time()\nhamiltonian((p1^2 + p2^2)/2 + q2 + 0.25*q1^2*q2*sin(3*t))\n"
            "constrain('curve', q1^2 + q2^2 + 0.125*q1^3 - (1 + 0.0625*sin(3*t))^2)\n",
     {0, -1, 0, 0.9, 0.4, 0}},
    {"shaken",
     3,
     1,
     "separable",
     shaken_h,
     circle_g,
     PAIRS2
     "local t = time()\nhamiltonian((p1^2 + p2^2)/2 + q2 + 0.375*q1^2*q2 + 0.5*q1*sin(3*t))\n"
     "constrain('circle', q1^2 + q2^2 - 1)\n",
     {0, -1, 0, 0.9, 0.4, 0}},
    {"swaying",
     3,
     1,
     "holonomic",
     swaying_h,
     breathing_g,
     PAIRS2 "local t = time()\nhamiltonian((p1^2 + p2^2)/2 + q2 + 0.25*q1^2*q2*sin(3*t))\n"
            "hamiltonian(0.25*cos(3*t)*(q1*p2 - q2*p1) + 0.03125*(p1*p2)^2)\n"
            "constrain('curve', q1^2 + q2^2 + 0.125*q1^3 - (1 + 0.0625*sin(3*t))^2)\n",
     {0, -1, 0, 0.9, 0.4, 0}},
    {"swept",
     3,
     1,
     "coisotropic",
     swept_h,
     swept_g,
     PAIRS2 "local t = time()\nhamiltonian((p1^2 + p2^2)/2 - 0.25*q2 - 0.125*q1 + 0.125*q1^4 + "
            "0.25*q1^2*q2^2*(1 + 0.25*cos(3*t)))\n"
            "constrain('sphere', q1^2 + q2^2 + p1^2 + p2^2 - 1.0078125 - 0.03125*sin(3*t))\n",
     {0.9375, 0.125, 0, -0.125, 0.3125, 0}},
    {"driven",
     2,
     0,
     "unconstrained",
     driven_h,
     NULL,
     "local q1, p1 = pair('q1', 'p1')\nhamiltonian(p1^2/2 - (1 + 0.5*cos(2*time()))*cos(q1))\n",
     {1, 0, 0.5, 0}},
    {"henon_heiles", 2, 0, "unconstrained", henon_heiles_h, NULL, RATTLE__TEXT_henon_heiles,
     RATTLE__NEAR_henon_heiles},
    {"product", 2, 0, "unconstrained", product_h, NULL, RATTLE__TEXT_product, RATTLE__NEAR_product},
};

const int tests_problem_count = (int)(sizeof tests_problems / sizeof *tests_problems);

const tests_problem *tests_problem_named(const char *name) {
  for (int i = 0; i < tests_problem_count; i++) {
    if (!strcmp(tests_problems[i].name, name)) return &tests_problems[i];
  }
  abort();
}
