/* Functions that the tests of fields share. */
#include "common_fields.h"

#include "../reference/common_second_class.h"
#include "method/notation/method.h"
#include "ground/support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- problems ---- */

static tests_complex square(tests_complex x) {
  return x * x;
}

/* three links in the plane, with masses that depend on the place and a quartic kinetic term */
static tests_complex links_h(const tests_complex *z) {
  const tests_complex *p = z + 6;
  return (square(p[0]) + square(p[1]) + (1 + square(z[0]) / 4) * square(p[2]) + square(p[3])) / 2 +
         (square(p[4]) + square(p[5])) / 3 + p[1] * p[4] * z[2] / 8 +
         square(square(p[3] + p[5])) / 32 + z[1] + z[3] + z[5] + z[0] * square(z[4]) / 8;
}
static void links_g(const tests_complex *z, tests_complex *g) {
  g[0] = square(z[0]) + square(z[1]) - 1;
  g[1] = square(z[2] - z[0]) + square(z[3] - z[1]) + csinl(z[2]) / 8 - 1;
  g[2] = square(z[4] - z[2]) + square(z[5] - z[3]) - 1;
}

/* three commuting functions of the actions J_i = (q_i^2 + p_i^2)/2 of four oscillators */
static tests_complex actions_h(const tests_complex *z) {
  return (square(z[4]) + 1.5L * square(z[5]) + 2 * square(z[6]) + square(z[7])) / 2 +
         square(z[4] * z[5]) / 8 - z[0] * z[1] / 4 - z[1] * z[2] / 4 + square(square(z[2])) / 8 +
         z[3] * z[0] / 3 + square(z[3]) * z[6] / 4;
}
static void actions_g(const tests_complex *z, tests_complex *g) {
  tests_complex J[4];
  for (int i = 0; i < 4; i++) J[i] = (square(z[i]) + square(z[4 + i])) / 2;
  g[0] = J[0] + J[1] + J[2] + J[3] + J[0] * J[1] / 4 - 1.5L;
  g[1] = J[0] - J[1] + square(J[2]) / 4 - 0.125L;
  g[2] = J[2] - 2 * J[3] + J[0] * J[3] / 2 - 0.0625L;
}

static const tests_problem three[] = {
    {"links",
     6,
     3,
     "holonomic",
     links_h,
     links_g,
     "local q, p = pairs_of('q', 6)\n"
     "hamiltonian((p[1]^2 + p[2]^2 + (1 + q[1]^2/4)*p[3]^2 + p[4]^2)/2 + (p[5]^2 + p[6]^2)/3 + "
     "p[2]*p[5]*q[3]/8)\n"
     "hamiltonian((p[4] + p[6])^4/32 + q[2] + q[4] + q[6] + q[1]*q[5]^2/8)\n"
     "constrain('first', q[1]^2 + q[2]^2 - 1)\n"
     "constrain('second', (q[3] - q[1])^2 + (q[4] - q[2])^2 + sin(q[3])/8 - 1)\n"
     "constrain('third', (q[5] - q[3])^2 + (q[6] - q[4])^2 - 1)\n",
     {0.8, -0.6, 1.3, -1.4, 2.1, -2, 0.3, 0.4, 0.5, 0.2, -0.3, 0.6}},
    {"actions",
     4,
     3,
     "coisotropic",
     actions_h,
     actions_g,
     "local q, p = pairs_of('q', 4)\n"
     "hamiltonian((p[1]^2 + 1.5*p[2]^2 + 2*p[3]^2 + p[4]^2)/2 + p[1]^2*p[2]^2/8 - q[1]*q[2]/4 - "
     "q[2]*q[3]/4 + q[3]^4/8)\n"
     "hamiltonian(q[4]*q[1]/3 + q[4]^2*p[3]/4)\n"
     "local J = {}\nfor i = 1, 4 do J[i] = (q[i]^2 + p[i]^2)/2 end\n"
     "constrain('sum', J[1] + J[2] + J[3] + J[4] + J[1]*J[2]/4 - 1.5)\n"
     "constrain('difference', J[1] - J[2] + J[3]^2/4 - 0.125)\n"
     "constrain('third', J[3] - 2*J[4] + J[1]*J[4]/2 - 0.0625)\n",
     {1, 0.9, 0.7, 0.6, 0.2, -0.2, 0.1, 0.3}},
};
enum { THREE = 2 };

static int constrained(void) {
  int count = 0;
  for (int i = 0; i < tests_problem_count; i++) count += tests_problems[i].m > 0;
  return count;
}

int fields_problem_count(void) {
  return constrained() + THREE + tests_second_class_count;
}

const tests_problem *fields_problem(int i) {
  const int first = constrained();
  if (i >= first + THREE) return &tests_second_class[i - first - THREE];
  if (i >= first) return &three[i - first];
  for (int k = 0;; k++)
    if (tests_problems[k].m > 0 && i-- == 0) return &tests_problems[k];
}

void fields_point(const tests_problem *problem, int k, double *z) {
  uint64_t seed = 177 + (uint64_t)k;
  do
    for (int c = 0; c < 2 * problem->n; c++)
      z[c] = problem->near[c] + 0.1 * (2 * rattle__unit_of_bits(rattle__random(&seed)) - 1);
  while (fields_off(problem, z) < 1e-3);
}

double fields_off(const tests_problem *problem, const double *z) {
  long double x[TESTS_MAX_2N], r[2 * TESTS_MAX_M], least = INFINITY;
  for (int c = 0; c < 2 * problem->n; c++) x[c] = z[c];
  reference_constraint(problem, x, r);
  reference_hidden(problem, x, r + problem->m);
  const int count = second_class_index(problem) >= 0 ? problem->m : 2 * problem->m;
  for (int i = 0; i < count; i++) least = fminl(least, fabsl(r[i]));
  return (double)least;
}

/* ---- the library's fields ---- */

int fields_offered(const tests_problem *problem, const char *name) {
  if (second_class_index(problem) >= 0) return !strcmp(name, "dirac");
  return strcmp(name, "impetus") != 0 || strcmp(problem->kind, "coisotropic") != 0;
}

void fields_open(fields_library *library, const tests_problem *problem, const char *name,
                 int jacobian) {
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  char text[80];
  rattle_error error;
  *library = (fields_library){0};
  snprintf(text, sizeof text, "rk4(%s)", name);
  rattle_status status = rattle_method_parse(&library->method, text, &error);
  if (!status)
    status = rattle_model_parse(&library->model, problem->model, problem->name, NULL, &error);
  if (!status) status = rattle_problem_create(&library->problem, library->model, &options, &error);
  const rattle__node *node =
      status ? NULL : rattle__method_field(rattle__method_root(library->method));
  if (!status)
    status = rattle__field_create(&library->field, library->problem, node, jacobian, &error);
  if (status) fail_msg("%s on %s: %s", name, problem->name, error.message);
}

void fields_close(fields_library *library) {
  rattle__field_destroy(&library->field);
  rattle_problem_destroy(&library->problem);
  rattle_model_destroy(&library->model);
  rattle_method_destroy(&library->method);
}

void fields_value(fields_library *library, const double *z, double *f) {
  rattle_error error;
  if (rattle__field_value(library->field, z, f, &error)) fail_msg("%s", error.message);
}

/* ---- long double ---- */

void fields_gradient(const tests_problem *problem, const double *z, long double *gradient) {
  long double x[TESTS_MAX_2N];
  for (int c = 0; c < 2 * problem->n; c++) x[c] = z[c];
  reference_gradient(problem, x, gradient);
}

void fields_chi(const tests_problem *problem, const double *z, int second_class, long double *chi) {
  long double x[TESTS_MAX_2N];
  for (int c = 0; c < 2 * problem->n; c++) x[c] = z[c];
  reference_jacobian(problem, x, chi);
  if (!second_class) reference_hidden_jacobian(problem, x, chi + problem->m * 2 * problem->n);
}

long double fields_bracket(int n, const long double *dF, const long double *dG) {
  long double sum = 0;
  for (int c = 0; c < n; c++) sum += dF[c] * dG[n + c] - dF[n + c] * dG[c];
  return sum;
}

long double fields_hamiltonian(int n, const long double *dF, int c) {
  return c < n ? dF[n + c] : -dF[c - n];
}

long double fields_hidden_size(const tests_problem *problem, const long double *x) {
  long double psi[TESTS_MAX_M], most = 0;
  reference_hidden(problem, x, psi);
  for (int i = 0; i < problem->m; i++)
    if (!(fabsl(psi[i]) <= most)) most = fabsl(psi[i]);
  return most;
}

int fields_newton_momenta(const tests_problem *problem, const long double *x, long double *u) {
  const int n = problem->n, m = problem->m;
  long double J[TESTS_MAX_M * TESTS_MAX_2N], D[TESTS_MAX_M * TESTS_MAX_2N],
      A[TESTS_MAX_M * TESTS_MAX_M];
  reference_jacobian(problem, x, J);
  reference_hidden_jacobian(problem, x, D);
  reference_hidden(problem, x, u);
  for (int i = 0; i < m; i++) {
    u[i] = -u[i];
    for (int j = 0; j < m; j++) {
      A[i * m + j] = 0;
      for (int c = 0; c < 2 * n; c++)
        A[i * m + j] += D[i * 2 * n + c] * fields_hamiltonian(n, J + j * 2 * n, c);
    }
  }
  return reference_solve(m, A, u);
}

void fields_kick(const tests_problem *problem, const long double *at, long double t,
                 const long double *u, long double *x) {
  const int n = problem->n;
  long double J[TESTS_MAX_M * TESTS_MAX_2N];
  reference_jacobian(problem, at, J);
  for (int i = 0; i < problem->m; i++)
    for (int c = 0; c < 2 * n; c++) x[c] += t * u[i] * fields_hamiltonian(n, J + i * 2 * n, c);
}

/* ---- verdicts ---- */

double fields_length(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

double fields_apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
  return most;
}

void fields_same(const tests_problem *problem, const char *what, const double *a, const double *b,
                 int count, double bound) {
  const double size = fmax(fields_length(a, count), fields_length(b, count)),
               apart = fields_apart(a, b, count);
  if (!(apart <= bound * size))
    fail_msg("%s on %s: %g apart, of size %g", what, problem->name, apart, size);
}

void fields_orthogonal(const tests_problem *problem, const char *what, const long double *gradient,
                       const double *f, double bound) {
  long double sum = 0, size = 0;
  for (int c = 0; c < 2 * problem->n; c++) {
    sum += gradient[c] * f[c];
    size += fabsl(gradient[c]) *
            fields_length(f, 2 * problem->n); /* a component may be a sum that cancels */
  }
  if (!(fabsl(sum) <= bound * size))
    fail_msg("%s on %s: by %Lg of %Lg", what, problem->name, sum, size);
}
