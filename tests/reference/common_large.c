/* Problems whose multiplier matrix has a structure worth using: a chain (tridiagonal), a ring
 * (fill-in), a tree, and a chain whose mass depends on the position. n = 2N planar beads (x[N],
 * y[N]), z = (x, y, px, py). */
#include "common_problems.h"

#define BEADS(N)                                                                                   \
  "local N = " #N "\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', N)\n"

static tests_complex square(tests_complex x) {
  return x * x;
}

/* unequal masses 1 + i/8, gravity, and a force that is not linear on each bead */
static tests_complex beads_h(int N, const tests_complex *z) {
  tests_complex sum = 0;
  for (int i = 0; i < N; i++) {
    const tests_complex kinetic = square(z[2 * N + i]) + square(z[3 * N + i]);
    sum += kinetic / (2 + 0.25L * (i + 1)) + 0.5L * z[N + i] + 0.25L * csinl(z[i]) * z[N + i];
  }
  return sum;
}
#define BEADS_H                                                                                    \
  "for i = 1, N do hamiltonian((px[i]^2 + py[i]^2)/(2 + 0.25*i) + 0.5*y[i] + "                     \
  "0.25*sin(x[i])*y[i]) end\n"

static tests_complex chain_h(const tests_complex *z) {
  return beads_h(6, z);
}
static tests_complex ring_h(const tests_complex *z) {
  return beads_h(5, z);
}

static tests_complex link(int N, const tests_complex *z, int i, int j, long double length) {
  if (j < 0) return square(z[i]) + square(z[N + i]) - length * length;
  return square(z[i] - z[j]) + square(z[N + i] - z[N + j]) - length * length;
}

static void chain_g(const tests_complex *z, tests_complex *g) {
  for (int i = 0; i < 6; i++) g[i] = link(6, z, i, i - 1, 1);
}

/* beads 2 and 3 hang on bead 1, 4 on 2, 5 and 6 on 3 */
static void tree_g(const tests_complex *z, tests_complex *g) {
  static const int parent[6] = {-1, 0, 0, 1, 2, 2};
  for (int i = 0; i < 6; i++) g[i] = link(6, z, i, parent[i], 1);
}

static void ring_g(const tests_complex *z, tests_complex *g) {
  for (int i = 0; i < 5; i++) g[i] = link(5, z, i, (i + 4) % 5, 1.25L);
}

static tests_complex heavy_chain_h(const tests_complex *z) {
  tests_complex sum = beads_h(6, z);
  for (int i = 0; i + 1 < 6; i++)
    sum +=
        0.125L * square(z[12 + i]) * square(z[i + 1]) + 0.0625L * square(z[18 + i] * z[18 + i + 1]);
  return sum;
}

const tests_problem tests_large_problems[] = {
    {"chain",
     12,
     6,
     "natural",
     chain_h,
     chain_g,
     BEADS(6) BEADS_H
     "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
     "for i = 2, N do constrain('link['..i..']', (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end\n",
     {0.9, 1.5, 2.4,  2.9, 3.9, 4.2, -0.4, -1.2, -0.8, -1.7, -1.5, -2.5,
      0.2, 0.5, -0.4, 0.3, 0.1, 0.6, 0.1,  -0.3, 0.4,  0.2,  -0.5, 0.3}},
    {"tree",
     12,
     6,
     "natural",
     chain_h,
     tree_g,
     BEADS(6) BEADS_H "local parent = {0, 1, 1, 2, 3, 3}\n"
                      "constrain('root', x[1]^2 + y[1]^2 - 1)\n"
                      "for i = 2, N do local j = parent[i]; constrain('branch'..i, (x[i] - x[j])^2 "
                      "+ (y[i] - y[j])^2 - 1) end\n",
     {0.2, -0.7, 0.9,  -1.2, 0.6, 1.8, -1,  -1.4, -1.6, -2.3, -2.5, -1.9,
      0.2, 0.5,  -0.4, 0.3,  0.1, 0.6, 0.1, -0.3, 0.4,  0.2,  -0.5, 0.3}},
    {"ring",
     10,
     5,
     "natural",
     ring_h,
     ring_g,
     BEADS(5) BEADS_H "for i = 1, N do\n"
                      "  local j = (i + 3) % 5 + 1\n"
                      "  constrain('bond['..i..']', (x[i] - x[j])^2 + (y[i] - y[j])^2 - 1.25^2)\n"
                      "end\n",
     {1,   0.3, -0.8, -0.8, 0.3, 0,   1,    0.6, -0.6, -1,
      0.2, 0.5, -0.4, 0.3,  0.1, 0.1, -0.3, 0.4, 0.2,  -0.5}},
    {"heavy_chain",
     12,
     6,
     "holonomic",
     heavy_chain_h,
     chain_g,
     BEADS(6) BEADS_H
     "for i = 1, N-1 do hamiltonian(0.125*px[i]^2*x[i+1]^2 + 0.0625*py[i]^2*py[i+1]^2) end\n"
     "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
     "for i = 2, N do constrain('link['..i..']', (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end\n",
     {0.9, 1.5, 2.4,  2.9, 3.9, 4.2, -0.4, -1.2, -0.8, -1.7, -1.5, -2.5,
      0.2, 0.5, -0.4, 0.3, 0.1, 0.6, 0.1,  -0.3, 0.4,  0.2,  -0.5, 0.3}},
};

const int tests_large_problem_count =
    (int)(sizeof tests_large_problems / sizeof *tests_large_problems);
