/* Problems with folds and degenerate points: natural, holonomic and not separable, coisotropic; m =
 * 1, 2, 3. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_guards.h"
#include "ground/support/random.h"

#define PAIRS2 "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
#define PAIRS3 PAIRS2 "local q3, p3 = pair('q3', 'p3')\n"
#define PAIRS4 PAIRS3 "local q4, p4 = pair('q4', 'p4')\n"
#define PAIRS6 PAIRS4 "local q5, p5 = pair('q5', 'p5')\nlocal q6, p6 = pair('q6', 'p6')\n"

static tests_complex square(tests_complex x) {
  return x * x;
}

/* for g(q): p -= g_q^T s */
static int kick(const tests_problem *problem, const long double *s, long double *z) {
  long double J[TESTS_MAX_M * TESTS_MAX_2N];
  const int n = problem->n;
  reference_jacobian(problem, z, J);
  for (int i = 0; i < problem->m; i++)
    for (int k = 0; k < n; k++) z[n + k] -= s[i] * J[i * 2 * n + k];
  return 0;
}

/* for g_i = |w|^2 - 1, w the i-th two pairs: turns each */
static int turn(const tests_problem *problem, const long double *s, long double *z) {
  const int n = problem->n;
  for (int k = 0; k < 2 * problem->m; k++) {
    const long double c = cosl(2 * s[k / 2]), d = sinl(2 * s[k / 2]), q = z[k], p = z[n + k];
    z[k] = c * q + d * p;
    z[n + k] = c * p - d * q;
  }
  return 0;
}

static void spheres(int m, const tests_complex *z, tests_complex *g) {
  for (int i = 0; i < m; i++)
    g[i] = square(z[2 * i]) + square(z[2 * i + 1]) + square(z[2 * m + 2 * i]) +
           square(z[2 * m + 2 * i + 1]) - 1;
}

static tests_complex free_hamiltonian(const tests_complex *z) {
  return (square(z[2]) + square(z[3])) / 2;
}
static tests_complex falling_hamiltonian(const tests_complex *z) {
  return (square(z[2]) + square(z[3])) / 2 + z[1];
}
static void one_sphere(const tests_complex *z, tests_complex *g) {
  spheres(1, z, g);
}
static tests_complex two_hamiltonian(const tests_complex *z) {
  tests_complex sum = z[1] - 0.75 * z[3] + 0.125 * z[0] * z[2] + 0.0625 * square(z[4] * z[7]);
  for (int k = 4; k < 8; k++) sum += square(z[k]) / 2;
  return sum;
}
static void two_spheres(const tests_complex *z, tests_complex *g) {
  spheres(2, z, g);
}
static tests_complex three_hamiltonian(const tests_complex *z) {
  tests_complex sum = z[1] - 0.75 * z[3] + 0.5 * z[4] + 0.125 * z[0] * z[2] - 0.125 * z[3] * z[5];
  for (int k = 6; k < 12; k++) sum += square(z[k]) / 2;
  return sum;
}
static void three_spheres(const tests_complex *z, tests_complex *g) {
  spheres(3, z, g);
}

static tests_complex tube_hamiltonian(const tests_complex *z) {
  return (square(z[3]) + square(z[4]) + square(z[5])) / 2 + z[2] + 0.25 * z[0];
}
static void tube(const tests_complex *z, tests_complex *g) {
  g[0] =
      square(square(z[0]) + square(z[1]) + square(z[2]) + 0.84) - 4 * (square(z[0]) + square(z[1]));
}

static tests_complex wave_hamiltonian(const tests_complex *z) {
  return (square(z[2]) + 2 * square(z[3])) / 2 + 2 * z[1] + 0.5 * square(z[0]);
}
static void wave(const tests_complex *z, tests_complex *g) {
  g[0] = z[1] - 0.5 * csinl(3 * z[0]);
}

static tests_complex press_hamiltonian(const tests_complex *z) {
  return (square(z[2]) + square(z[3])) / 2 + 9 * z[1] + 0.5 * z[0];
}
static void rod(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
}

static tests_complex arm_hamiltonian(const tests_complex *z) {
  return (square(z[4]) + square(z[5])) / 2 + (square(z[6]) + square(z[7])) / 3 + z[1] + 1.5 * z[3];
}
static tests_complex heavy_arm_hamiltonian(const tests_complex *z) {
  return (square(z[4]) + square(z[5])) / 2 + (square(z[6]) + square(z[7])) / 3 + 8 * z[1] +
         10 * z[3];
}
static void arm(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
  g[1] = square(z[2] - z[0]) + square(z[3] - z[1]) - 1;
}

static tests_complex links_hamiltonian(const tests_complex *z) {
  return (square(z[6]) + square(z[7]) + 2 * square(z[8]) + 2 * square(z[9]) + square(z[10]) +
          square(z[11])) /
             2 +
         z[1] + z[3] / 2 + 3 * z[5];
}
static void links(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
  g[1] = square(z[2] - z[0]) + square(z[3] - z[1]) - 1;
  g[2] = square(z[4] - z[2]) + square(z[5] - z[3]) - 1;
}

static tests_complex body_hamiltonian(const tests_complex *z) {
  return (square(z[6]) + square(z[7])) / 2 + square(z[8]) + square(z[9]) +
         (square(z[10]) + square(z[11])) / 4 + z[1] + square(z[2]) + square(z[5]);
}
static void body(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[2] - z[0]) + square(z[3] - z[1]) - 1;
  g[1] = square(z[4] - z[2]) + square(z[5] - z[3]) - 1;
  g[2] = square(z[0] - z[4]) + square(z[1] - z[5]) - 1;
}

static tests_complex geared_hamiltonian(const tests_complex *z) {
  return ((1 + 0.5 * square(z[0])) * square(z[2]) + square(z[3])) / 2 + 0.25 * z[0] * z[2] * z[3] +
         z[1];
}

static tests_complex crossed_hamiltonian(const tests_complex *z) {
  return (square(z[4]) + (1 + 0.5 * square(z[3])) * square(z[5]) + square(z[6]) + square(z[7])) /
             2 +
         0.25 * z[1] * z[4] * z[6] + z[1] + 0.5 * z[2];
}
static void crossed(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
  g[1] = square(z[2]) + square(z[3]) + 0.25 * z[0] * z[3] - 1;
}

static tests_complex three_geared_hamiltonian(const tests_complex *z) {
  tests_complex sum = 0.25 * z[0] * z[6] * z[8] + 0.125 * square(z[3]) * square(z[10]) + z[1] -
                      z[3] + 0.5 * z[4] * z[0];
  for (int k = 6; k < 12; k++) sum += square(z[k]) / 2;
  return sum;
}
static void three_rods(const tests_complex *z, tests_complex *g) {
  for (int i = 0; i < 3; i++) g[i] = square(z[2 * i]) + square(z[2 * i + 1]) - 1;
}

static tests_complex commuting_hamiltonian(const tests_complex *z) {
  return (square(z[3]) + 1.5 * square(z[4]) + 2 * square(z[5])) / 2 + 0.125 * square(z[3] * z[4]) -
         0.25 * z[0] * z[1] - 0.25 * z[1] * z[2] + 0.125 * square(square(z[2])) +
         0.125 * square(z[0]) * z[2];
}
static void commuting(const tests_complex *z, tests_complex *g) {
  const tests_complex a = (square(z[0]) + square(z[3])) / 2, b = (square(z[1]) + square(z[4])) / 2,
                      c = (square(z[2]) + square(z[5])) / 2;
  g[0] = a + b + c + 0.25 * a * b - 1.25;
  g[1] = a - b + 0.25 * square(c) - 0.125;
}

#define SPHERE(name, a, b, pa, pb)                                                                 \
  "constrain('" name "', " a "^2 + " b "^2 + " pa "^2 + " pb "^2 - 1)\n"
#define ROD(name, a, b) "constrain('" name "', " a "^2 + " b "^2 - 1)\n"
#define LINK(name, a, b, c, d) "constrain('" name "', (" a " - " c ")^2 + (" b " - " d ")^2 - 1)\n"

const guards_problem guards_problems[] = {
    {{"free harmonic",
      2,
      1,
      "coisotropic",
      free_hamiltonian,
      one_sphere,
      PAIRS2 "hamiltonian((p1^2 + p2^2)/2)\n" SPHERE("sphere", "q1", "q2", "p1", "p2"),
      {0}},
     turn},
    {{"falling harmonic",
      2,
      1,
      "coisotropic",
      falling_hamiltonian,
      one_sphere,
      PAIRS2 "hamiltonian((p1^2 + p2^2)/2 + q2)\n" SPHERE("sphere", "q1", "q2", "p1", "p2"),
      {0}},
     turn},
    {{"two harmonic",
      4,
      2,
      "coisotropic",
      two_hamiltonian,
      two_spheres,
      PAIRS4 "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2)/2 + q2 - 0.75*q4 + 0.125*q1*q3 + "
             "0.0625*p1^2*p4^2)\n" SPHERE("first", "q1", "q2", "p1", "p2")
                 SPHERE("second", "q3", "q4", "p3", "p4"),
      {0}},
     turn},
    {{"three harmonic",
      6,
      3,
      "coisotropic",
      three_hamiltonian,
      three_spheres,
      PAIRS6 "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2 + p5^2 + p6^2)/2 + q2 - 0.75*q4 + 0.5*q5 + "
             "0.125*q1*q3 - 0.125*q4*q6)\n" SPHERE("first", "q1", "q2", "p1", "p2")
                 SPHERE("second", "q3", "q4", "p3", "p4") SPHERE("third", "q5", "q6", "p5", "p6"),
      {0}},
     turn},
    {{"commuting",
      3,
      2,
      "coisotropic",
      commuting_hamiltonian,
      commuting,
      PAIRS3 "hamiltonian((p1^2 + 1.5*p2^2 + 2*p3^2)/2 + 0.125*p1^2*p2^2 - 0.25*q1*q2 - 0.25*q2*q3 "
             "+ 0.125*q3^4 + 0.125*q1^2*q3)\n"
             "local J1, J2, J3 = (q1^2 + p1^2)/2, (q2^2 + p2^2)/2, (q3^2 + p3^2)/2\n"
             "constrain('sum', J1 + J2 + J3 + 0.25*J1*J2 - 1.25)\n"
             "constrain('difference', J1 - J2 + 0.25*J3^2 - 0.125)\n",
      {0}},
     NULL},
    {{"tube",
      3,
      1,
      "natural",
      tube_hamiltonian,
      tube,
      PAIRS3 "hamiltonian((p1^2 + p2^2 + p3^2)/2 + q3 + 0.25*q1)\n"
             "constrain('tube', (q1^2 + q2^2 + q3^2 + 0.84)^2 - 4*(q1^2 + q2^2))\n",
      {0}},
     kick},
    {{"wave",
      2,
      1,
      "natural",
      wave_hamiltonian,
      wave,
      PAIRS2
      "hamiltonian((p1^2 + 2*p2^2)/2 + 2*q2 + 0.5*q1^2)\nconstrain('wave', q2 - 0.5*sin(3*q1))\n",
      {0}},
     kick},
    {{"press",
      2,
      1,
      "natural",
      press_hamiltonian,
      rod,
      PAIRS2 "hamiltonian((p1^2 + p2^2)/2 + 9*q2 + 0.5*q1)\n" ROD("rod", "q1", "q2"),
      {0}},
     kick},
    {{"arm",
      4,
      2,
      "natural",
      arm_hamiltonian,
      arm,
      PAIRS4 "hamiltonian((p1^2 + p2^2)/2 + (p3^2 + p4^2)/3 + q2 + 1.5*q4)\n" ROD(
          "inner", "q1", "q2") LINK("outer", "q3", "q4", "q1", "q2"),
      {0}},
     kick},
    {{"heavy arm",
      4,
      2,
      "natural",
      heavy_arm_hamiltonian,
      arm,
      PAIRS4 "hamiltonian((p1^2 + p2^2)/2 + (p3^2 + p4^2)/3 + 8*q2 + 10*q4)\n" ROD(
          "inner", "q1", "q2") LINK("outer", "q3", "q4", "q1", "q2"),
      {0}},
     kick},
    {{"links",
      6,
      3,
      "natural",
      links_hamiltonian,
      links,
      PAIRS6
      "hamiltonian((p1^2 + p2^2 + 2*p3^2 + 2*p4^2 + p5^2 + p6^2)/2 + q2 + q4/2 + 3*q6)\n" ROD(
          "first", "q1", "q2") LINK("second", "q3", "q4", "q1", "q2")
          LINK("third", "q5", "q6", "q3", "q4"),
      {0}},
     kick},
    {{"body",
      6,
      3,
      "natural",
      body_hamiltonian,
      body,
      PAIRS6
      "hamiltonian((p1^2 + p2^2)/2 + p3^2 + p4^2 + (p5^2 + p6^2)/4 + q2 + q3^2 + q6^2)\n" LINK(
          "ab", "q3", "q4", "q1", "q2") LINK("bc", "q5", "q6", "q3", "q4")
          LINK("ca", "q1", "q2", "q5", "q6"),
      {0}},
     kick},
    {{"geared",
      2,
      1,
      "holonomic",
      geared_hamiltonian,
      rod,
      PAIRS2
      "hamiltonian(((1 + 0.5*q1^2)*p1^2 + p2^2)/2 + 0.25*q1*p1*p2 + q2)\n" ROD("rod", "q1", "q2"),
      {0}},
     kick},
    {{"crossed",
      4,
      2,
      "holonomic",
      crossed_hamiltonian,
      crossed,
      PAIRS4 "hamiltonian((p1^2 + (1 + 0.5*q4^2)*p2^2 + p3^2 + p4^2)/2 + 0.25*q2*p1*p3 + q2 + "
             "0.5*q3)\n" ROD("one", "q1", "q2") "constrain('two', q3^2 + q4^2 + 0.25*q1*q4 - 1)\n",
      {0}},
     kick},
    {{"three geared",
      6,
      3,
      "holonomic",
      three_geared_hamiltonian,
      three_rods,
      PAIRS6 "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2 + p5^2 + p6^2)/2 + 0.25*q1*p1*p3 + "
             "0.125*q4^2*p5^2 + q2 - q4 + 0.5*q5*q1)\n" ROD("one", "q1", "q2")
                 ROD("two", "q3", "q4") ROD("three", "q5", "q6"),
      {0}},
     kick},
};
const int guards_problem_count = sizeof guards_problems / sizeof *guards_problems;

const guards_problem *guards_problem_named(const char *name) {
  for (int i = 0; i < guards_problem_count; i++)
    if (!strcmp(guards_problems[i].of.name, name)) return &guards_problems[i];
  abort();
}

double guards_number(uint64_t *seed) {
  return 2 * rattle__unit_of_bits(rattle__random(seed)) - 1;
}

void guards_find_start(const guards_problem *problem, double speed, uint64_t *seed, double *z) {
  tests_problem of = problem->of;
  const int n = of.n, holonomic = of.kind[0] != 'c';
  for (int attempt = 0; attempt < 1000; attempt++) {
    long double N[TESTS_MAX_M * TESTS_MAX_M], lambda[TESTS_MAX_M], w[TESTS_MAX_2N], most = 0;
    for (int k = 0; k < 2 * n; k++)
      of.near[k] = (holonomic && k >= n ? speed : 1) * guards_number(seed);
    if (reference_start(&of, z, z + n)) continue;
    for (int k = 0; k < 2 * n; k++) w[k] = z[k];
    if (reference_multipliers(&of, w, N, lambda)) continue;
    for (int i = 0; i < of.m; i++) most = fmaxl(most, fabsl(lambda[i]));
    if (most < (holonomic ? 100 : 4)) return;
  }
  fail_msg("no start for %s", of.name);
}
