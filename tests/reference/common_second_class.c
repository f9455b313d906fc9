/* Second-class problems and their Dirac flow. z = (q, p); all are nonlinear, and their {g,g}
 * varies. */
#include "common_second_class.h"

#include <math.h>
#include <string.h>

#define PAIRS2 "local x, px = pair('x')\nlocal y, py = pair('y')\n"
#define PAIRS3 PAIRS2 "local z, pz = pair('z')\n"

static tests_complex square(tests_complex x) {
  return x * x;
}

/* guiding centre in the plane: p = A(q), A = (-y (1 + x^2/4), x (1 + y^2/4))/2 */
static tests_complex plane_h(const tests_complex *z) {
  return (square(z[0]) + square(z[1])) / 2 + square(square(z[0])) / 8 + z[0] * square(z[1]) / 4 +
         ccosl(z[1]) / 10 + z[2] * z[3] / 8;
}
static void plane_g(const tests_complex *z, tests_complex *g) {
  g[0] = z[2] + z[1] * (1 + square(z[0]) / 4) / 2;
  g[1] = z[3] - z[0] * (1 + square(z[1]) / 4) / 2;
}

/* guiding centre on a surface, in a field along z: four constraints on three pairs */
static tests_complex surface_h(const tests_complex *z) {
  return z[0] / 2 + square(z[1]) * z[2] + square(z[2]) + z[0] * square(z[1]) / 2 + z[3] * z[4] / 4 +
         square(z[5]) / 2 + z[5] * z[0] / 4;
}
static void surface_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + 2 * square(z[1]) + square(z[2]) + z[0] * z[1] * z[2] / 4 - 1;
  g[1] = z[3] + z[1] * (1 + square(z[0]) / 4) / 2;
  g[2] = z[4] - z[0] * (1 + square(z[1]) / 4) / 2;
  g[3] = z[5] - square(z[2]) / 4;
}

/* neither constraint has fibres in closed form */
static tests_complex bent_h(const tests_complex *z) {
  return (square(z[3]) + square(z[4]) + square(z[5])) / 2 + (square(z[1]) + square(z[2])) / 2 +
         square(z[1]) * z[2] / 4 + z[0] * z[1] / 2 + square(square(z[4])) / 8 +
         z[1] * z[4] * z[5] / 4;
}
static void bent_g(const tests_complex *z, tests_complex *g) {
  g[0] = z[0] + square(z[1]) * z[5] / 4 + square(z[3]) * z[0] / 8 - z[2] / 4;
  g[1] = z[3] + square(z[0]) / 4 - z[4] * square(z[2]) / 4 + z[1] / 8;
}

/* two guiding centres that act on each other: two blocks */
static tests_complex two_h(const tests_complex *z) {
  tests_complex r = square(z[0] - z[2]) + square(z[1] - z[3]);
  return clogl(1 + r) / 2 + (square(z[0]) + square(z[3])) / 4 + z[0] * z[1] * z[2] / 8 +
         z[4] * z[7] / 8;
}
static void two_g(const tests_complex *z, tests_complex *g) {
  for (int i = 0; i < 2; i++) {
    const tests_complex *q = z + 2 * i, *p = z + 4 + 2 * i;
    g[2 * i] = p[0] + q[1] * (1 + square(q[0]) / 4) / 2;
    g[2 * i + 1] = p[1] - q[0] * (1 + square(q[1]) / 4) / 2;
  }
}

const tests_problem tests_second_class[] = {
    {"plane",
     2,
     2,
     "second_class",
     plane_h,
     plane_g,
     PAIRS2 "hamiltonian(x^2/2 + y^2/2 + x^4/8 + x*y^2/4 + cos(y)/10 + px*py/8)\n"
            "constrain('gx', px + y*(1 + x^2/4)/2)\nconstrain('gy', py - x*(1 + y^2/4)/2)\n"
            "start { x = 0.8, y = 0.3, px = -0.2, py = 0.4 }\n",
     {0.8, 0.3, -0.2, 0.4}},
    {"surface",
     3,
     4,
     "second_class",
     surface_h,
     surface_g,
     PAIRS3 "hamiltonian(x/2 + y^2*z + z^2 + x*y^2/2 + px*py/4 + pz^2/2 + pz*x/4)\n"
            "constrain('surface', x^2 + 2*y^2 + z^2 + x*y*z/4 - 1)\n"
            "constrain('gx', px + y*(1 + x^2/4)/2)\nconstrain('gy', py - x*(1 + "
            "y^2/4)/2)\nconstrain('gz', pz - z^2/4)\n"
            "start { x = 0.2, y = 0.3, z = 0.9, px = -0.1, py = 0.1, pz = 0.2 }\n",
     {0.2, 0.3, 0.9, -0.1, 0.1, 0.2}},
    {"bent_pair",
     3,
     2,
     "second_class",
     bent_h,
     bent_g,
     PAIRS3
     "hamiltonian((px^2 + py^2 + pz^2)/2 + (y^2 + z^2)/2 + y^2*z/4 + x*y/2 + py^4/8 + y*py*pz/4)\n"
     "constrain('one', x + y^2*pz/4 + px^2*x/8 - z/4)\n"
     "constrain('two', px + x^2/4 - py*z^2/4 + y/8)\n"
     "start { x = 0.1, y = 0.5, z = 0.3, px = 0, py = 0.4, pz = -0.2 }\n",
     {0.1, 0.5, 0.3, 0, 0.4, -0.2}},
    {"two_centres",
     4,
     4,
     "second_class",
     two_h,
     two_g,
     PAIRS2
     "local u, pu = pair('u')\nlocal v, pv = pair('v')\n"
     "hamiltonian(log(1 + (x - u)^2 + (y - v)^2)/2 + (x^2 + v^2)/4 + x*y*u/8 + px*pv/8)\n"
     "constrain('gx', px + y*(1 + x^2/4)/2)\nconstrain('gy', py - x*(1 + y^2/4)/2)\n"
     "constrain('gu', pu + v*(1 + u^2/4)/2)\nconstrain('gv', pv - u*(1 + v^2/4)/2)\n"
     "start { x = 0.6, y = 0.2, u = -0.5, v = 0.1, px = -0.1, py = 0.3, pu = 0, pv = -0.25 }\n",
     {0.6, 0.2, -0.5, 0.1, -0.1, 0.3, 0, -0.25}},
};

const int tests_second_class_count = (int)(sizeof tests_second_class / sizeof *tests_second_class);

int second_class_index(const tests_problem *problem) {
  for (int i = 0; i < tests_second_class_count; i++)
    if (problem == &tests_second_class[i]) return i;
  return -1;
}

int second_class_start(const tests_problem *problem, double *q, double *p) {
  const int n = problem->n, m = problem->m, two_n = 2 * n;
  long double z[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], A[TESTS_MAX_M * TESTS_MAX_M],
      g[TESTS_MAX_M];
  for (int k = 0; k < two_n; k++) z[k] = problem->near[k];
  for (int round = 0; round < 30; round++) {
    reference_constraint(problem, z, g);
    reference_jacobian(problem, z, J);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        A[i * m + j] = 0;
        for (int k = 0; k < two_n; k++) A[i * m + j] += J[i * two_n + k] * J[j * two_n + k];
      }
    if (reference_solve(m, A, g)) return 1;
    for (int i = 0; i < m; i++)
      for (int k = 0; k < two_n; k++) z[k] -= g[i] * J[i * two_n + k];
  }
  for (int k = 0; k < n; k++) {
    q[k] = (double)z[k];
    p[k] = (double)z[n + k];
  }
  return 0;
}

static int dirac_field(const void *self, const long double *z, long double *dz) {
  const tests_problem *problem = self;
  const int n = problem->n, m = problem->m;
  long double J[TESTS_MAX_M * TESTS_MAX_2N], C[TESTS_MAX_M * TESTS_MAX_M], lambda[TESTS_MAX_M];
  reference_jacobian(problem, z, J);
  reference_hidden(problem, z, lambda); /* {g,H} */
  reference_field(problem, z, dz);
  for (int i = 0; i < m; i++) {
    lambda[i] = -lambda[i];
    for (int j = 0; j < m; j++) {
      const long double *a = J + i * 2 * n, *b = J + j * 2 * n;
      C[i * m + j] = 0;
      for (int k = 0; k < n; k++) C[i * m + j] += a[k] * b[n + k] - a[n + k] * b[k];
    }
  }
  if (reference_solve(m, C, lambda)) return 1;
  for (int j = 0; j < m; j++)
    for (int k = 0; k < n; k++) {
      dz[k] += lambda[j] * J[j * 2 * n + n + k];
      dz[n + k] -= lambda[j] * J[j * 2 * n + k];
    }
  return 0;
}

int second_class_flow(const tests_problem *problem, long double t, int steps, long double *z) {
  for (int i = 0; i < steps; i++)
    if (reference_gauss_step(8, dirac_field, problem, 2 * problem->n, t / steps, z)) return 1;
  return 0;
}
