/* Evaluation of points: closed forms, and the definitions of psi, lambda and N by differences of H
 * and g alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "problem/functions/probe.h"
#include "rattle/rattle.h"

enum { MOST = 8 };

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
} fixture;

static void set_up(fixture *f, const char *text) {
  rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error error;
  if (rattle_model_parse(&f->model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&f->problem, f->model, &block, &error)) fail_msg("%s", error.message);
}

static void tear_down(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

/* --- closed forms ----------------------------------------------------------------------------- */

static const char pendulum[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', x^2 + y^2 - 1)\nobserve('spin', x*py - y*px)\nobserve('root', sqrt(x))\n";

/* psi = 2 q.p, {psi,H} = 2 |p|^2 - 2 y, N = 4 |q|^2 */
static void test_pendulum(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, pendulum);
  const double q[2] = {0.6, -0.7}, p[2] = {1.1, 0.4};
  double H, g, psi, lambda, smallest, condition, observed[2];
  assert_int_equal(rattle_problem_energy(f.problem, q, p, &H, NULL), RATTLE_OK);
  assert_near(H, (1.21 + 0.16) / 2 - 0.7, 1e-15);
  assert_int_equal(rattle_problem_residuals(f.problem, q, p, &g, &psi, NULL), RATTLE_OK);
  assert_near(g, 0.36 + 0.49 - 1, 1e-15);
  assert_near(psi, 2 * (0.66 - 0.28), 1e-15);
  assert_int_equal(rattle_problem_multipliers(f.problem, q, p, &lambda, NULL), RATTLE_OK);
  assert_near(lambda, (1.37 + 0.7) / (2 * 0.85), 1e-15);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, q, p, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_near(smallest, 4 * 0.85, 1e-15);
  assert_true(condition == 1);
  assert_int_equal(rattle_problem_observe(f.problem, q, p, observed, NULL), RATTLE_OK);
  assert_near(observed[0], 0.6 * 0.4 + 0.7 * 1.1, 1e-15);
  assert_near(observed[1], sqrt(0.6), 1e-15);
  /* results that are not wanted */
  assert_int_equal(rattle_problem_residuals(f.problem, q, p, NULL, NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, q, p, NULL, NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_multipliers(f.problem, q, p, NULL, NULL), RATTLE_OK);
  /* an observed quantity outside its domain is named, the others are there all the same */
  rattle_error error;
  const double left[2] = {-0.6, -0.7};
  assert_int_equal(rattle_problem_observe(f.problem, left, p, observed, &error), RATTLE_DOMAIN);
  assert_string_equal(error.where, "root");
  assert_near(observed[0], -0.6 * 0.4 + 0.7 * 1.1, 1e-15);
  tear_down(&f);
}

/* |q|^2 + |p|^2 = c with H = |p|^2/2: N = 4 (|q|^2 - |p|^2), {psi,H} = 2 |p|^2, singular where |q|
 * = |p| */
static void test_coisotropic(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2)\n"
             "constrain('sphere', x^2 + y^2 + px^2 + py^2 - 2)\n");
  const double q[2] = {0.3, 0.9}, p[2] = {0.5, -0.2}, even[2] = {0.9, -0.3};
  double lambda, smallest, condition;
  rattle_error error;
  assert_int_equal(rattle_problem_multipliers(f.problem, q, p, &lambda, &error), RATTLE_OK);
  assert_near(lambda, 2 * 0.29 / (4 * (0.90 - 0.29)), 1e-15);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, q, p, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_near(smallest, 4 * (0.90 - 0.29), 1e-15);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, p, q, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_near(smallest, 4 * (0.90 - 0.29), 1e-15);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, q, even, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_true(smallest == 0 && isinf(condition));
  assert_int_equal(rattle_problem_multipliers(f.problem, q, even, &lambda, &error),
                   RATTLE_SINGULAR);
  assert_string_equal(error.where, "sphere");
  assert_int_equal(error.constraint, 0);
  tear_down(&f);
}

static void test_unconstrained(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, "local x, px = pair('x')\nhamiltonian(px^2/2 + x^4)\n");
  double q = 2, p = 1, H, smallest = 0, condition = 0;
  assert_int_equal(rattle_problem_energy(f.problem, &q, &p, &H, NULL), RATTLE_OK);
  assert_near(H, 16.5, 1e-14);
  assert_int_equal(rattle_problem_residuals(f.problem, &q, &p, NULL, NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_multipliers(f.problem, &q, &p, NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, &q, &p, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_true(isnan(smallest) && isnan(condition));
  tear_down(&f);
}

/* --- definitions by differences --------------------------------------------------------------- */

/* (F(z + t e_k) - F(z - t e_k)) / 2t, once extrapolated; what 0: H, 1: g, 2: psi */
static void values(const rattle_problem *problem, int what, const double *z, double *F) {
  int n = rattle_problem_n(problem);
  rattle_status status = what == 0
                             ? rattle_problem_energy(problem, z, z + n, F, NULL)
                             : rattle_problem_residuals(problem, z, z + n, what == 1 ? F : NULL,
                                                        what == 2 ? F : NULL, NULL);
  assert_int_equal(status, RATTLE_OK);
}

static void derivatives(const rattle_problem *problem, int what, const double *z, int k,
                        double *D) {
  int nz = 2 * rattle_problem_n(problem), rows = what ? rattle_problem_m(problem) : 1;
  double at[2 * MOST], F[4][MOST];
  const double t = 1e-3, places[4] = {t, -t, t / 2, -t / 2};
  for (int j = 0; j < 4; j++) {
    memcpy(at, z, (size_t)nz * sizeof *at);
    at[k] += places[j];
    values(problem, what, at, F[j]);
  }
  for (int i = 0; i < rows; i++)
    D[i] = (4 * (F[2][i] - F[3][i]) / t - (F[0][i] - F[1][i]) / (2 * t)) / 3;
}

/* psi = g' X_H; N = -psi' X_g; N lambda = psi' X_H; the singular values of N from its entries (m <=
 * 2) or not at all */
static void check_definitions(const char *text, const double *z) {
  fixture f;
  set_up(&f, text);
  const rattle_problem *problem = f.problem;
  int n = rattle_problem_n(problem), m = rattle_problem_m(problem);
  double dH[2 * MOST], dg[2 * MOST][MOST], dpsi[2 * MOST][MOST], psi[MOST], lambda[MOST],
      N[MOST][MOST], rate[MOST];
  for (int k = 0; k < 2 * n; k++) {
    derivatives(problem, 0, z, k, &dH[k]);
    derivatives(problem, 1, z, k, dg[k]);
    derivatives(problem, 2, z, k, dpsi[k]);
  }
  values(problem, 2, z, psi);
  rattle_error error;
  if (rattle_problem_multipliers(problem, z, z + n, lambda, &error)) fail_msg("%s", error.message);
  rattle__probe *probe;
  rattle__linear *matrix;
  assert_int_equal(rattle__probe_create(&probe, problem, RATTLE__PROBE_MULTIPLIERS, NULL),
                   RATTLE_OK);
  rattle__probe_place(probe, z, z + n);
  assert_int_equal(rattle__probe_matrix(probe, &matrix, NULL), RATTLE_OK);
  double found[MOST][MOST] = {{0}};
  for (int i = 0; i < m; i++)
    for (int e = matrix->ptr[i]; e < matrix->ptr[i + 1]; e++)
      found[i][matrix->col[e]] = matrix->value[e];
  for (int i = 0; i < m; i++) {
    double bracket = rate[i] = 0, sum = 0;
    for (int k = 0; k < n; k++) {
      bracket += dg[k][i] * dH[n + k] - dg[n + k][i] * dH[k];
      rate[i] += dpsi[k][i] * dH[n + k] - dpsi[n + k][i] * dH[k];
    }
    assert_near(psi[i], bracket, 1e-8);
    for (int j = 0; j < m; j++) {
      N[i][j] = 0;
      for (int k = 0; k < n; k++) N[i][j] -= dpsi[k][i] * dg[n + k][j] - dpsi[n + k][i] * dg[k][j];
      assert_near(found[i][j], N[i][j], 1e-7);
      sum += N[i][j] * lambda[j];
    }
    assert_near(sum, rate[i], 1e-6);
  }
  double smallest, condition, exact, ratio;
  assert_int_equal(rattle__probe_nondegeneracy(probe, &smallest, &condition, NULL), RATTLE_OK);
  assert_int_equal(rattle__linear_condition(matrix, &exact, &ratio, NULL), RATTLE_OK);
  assert_near(smallest / exact, 1, 1e-12);
  assert_near(condition / ratio, 1, 1e-12);
  rattle__probe_destroy(&probe);
  tear_down(&f);
}

static void test_definitions(void **unused) {
  (void)unused;
  static const double z[2 * MOST] = {0.7, -0.4, 0.9, 0.3, 0.8, -0.6, 0.5, 1.1, 0.2, -0.3};
#define THREE "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
  static const char *const models[] = {
      /* natural with masses, m = 2 */
      THREE "hamiltonian(px^2/2 + py^2/6 + pz^2 + x*sin(y) + z^3)\nconstrain('a', x^2*y + "
            "z)\nconstrain('b', exp(x) + y*z^2)\n",
      /* separable */
      THREE "hamiltonian(sqrt(1 + px^2 + py^2) + pz^4 + x*y^2*z)\nconstrain('a', x^2 + "
            "y^3)\nconstrain('b', sin(z) + x*y)\n",
      /* holonomic, mass matrix full and not constant */
      THREE "hamiltonian((1 + x^2)*px^2/2 + px*py*z + py^2 + pz^2*(2 + cos(y)) + "
            "x*z)\nconstrain('a', x*y*z)\n"
            "constrain('b', x + y^2 - z)\n",
      /* g(p) */
      THREE "hamiltonian(px^2/2 + py^2/2 + pz^2 + x^2*y^2 + x^4 + y^2 + sin(x*z))\nconstrain('a', "
            "px - py)\n"
            "constrain('b', px*py + pz)\n",
      /* g(q,p), nothing vanishes */
      THREE "hamiltonian(px^2*(1 + y^2)/2 + py^2/2 + exp(z)*pz^2 + x*py + y^2*z)\nconstrain('a', "
            "x*px + y^2)\n"
            "constrain('b', z^2 + pz^2*z)\n",
      /* m = 3 */
      THREE "local w, pw = pair('w')\nhamiltonian((px^2 + py^2 + pz^2 + pw^2)/2 + "
            "x*y*z*w)\nconstrain('a', x^2 + y^2)\n"
            "constrain('b', y*z^2)\nconstrain('c', z + w*pw + x)\n",
  };
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    double at[2 * MOST];
    int n = i == 5 ? 4 : 3;
    memcpy(at, z, (size_t)n * sizeof *at);
    memcpy(at + n, z + 4, (size_t)n * sizeof *at);
    check_definitions(models[i], at);
  }
}

/* --- chains ----------------------------------------------------------------------------------- */

static const char chain[] =
    "local N = parameter('N', 40)\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', N)\n"
    "local H = 0\nfor i = 1, N do H = H + (px[i]^2 + py[i]^2)*(1 + i/N)/2 + y[i] "
    "end\nhamiltonian(H)\n"
    "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
    "for i = 2, N do constrain('link['..i..']', (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1) end\n";

/* The sparse N = G M^-1 G^T of a chain against the dense product; iterated singular values against
 * those of all; psi does not change along X_H + sum lambda X_g. */
static void test_chain(void **unused) {
  (void)unused;
  enum { LINKS = 40 };
  fixture f;
  set_up(&f, chain);
  double q[2 * LINKS], p[2 * LINKS], x = 0, y = 0;
  for (int i = 0; i < LINKS; i++) {
    q[i] = x += cos(0.3 * i);
    q[LINKS + i] = y += sin(0.3 * i);
    p[i] = sin(1.7 * i), p[LINKS + i] = cos(2.3 * i);
  }
  rattle__probe *s;
  rattle__linear *N;
  assert_int_equal(rattle__probe_create(&s, f.problem, RATTLE__PROBE_MULTIPLIERS, NULL), RATTLE_OK);
  rattle__probe_place(s, q, p);
  assert_int_equal(rattle__probe_matrix(s, &N, NULL), RATTLE_OK);
  assert_string_equal(N->name, "tridiagonal");
  const rattle__function *g = f.problem->g;
  for (int i = 0; i < LINKS; i++)
    for (int j = 0; j < LINKS; j++) {
      double wanted = 0, found = 0;
      for (int a = g->jac_ptr[i]; a < g->jac_ptr[i + 1]; a++)
        for (int b = g->jac_ptr[j]; b < g->jac_ptr[j + 1]; b++)
          if (g->jac_col[a] == g->jac_col[b])
            wanted += s->J[a] * s->J[b] * (1 + (g->jac_col[a] % LINKS + 1.0) / LINKS);
      for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++)
        if (N->col[e] == j) found = N->value[e];
      assert_near(found, wanted, 1e-13);
    }
  double smallest, condition, exact, ratio, lambda[LINKS], psi[LINKS];
  assert_int_equal(rattle__probe_nondegeneracy(s, &smallest, &condition, NULL), RATTLE_OK);
  assert_int_equal(rattle__linear_condition(N, &exact, &ratio, NULL), RATTLE_OK);
  assert_near(smallest / exact, 1, 0.01);
  assert_near(condition / ratio, 1, 0.02);

  assert_int_equal(rattle__probe_multipliers(s, lambda, NULL), RATTLE_OK);
  double before[2][2 * LINKS], rate[LINKS] = {0};
  const double t = 1e-5;
  for (int side = 0; side < 2; side++) {
    double c = side ? t : -t;
    for (int k = 0; k < 2 * LINKS; k++) {
      before[0][k] = q[k] + c * s->X[k];
      before[1][k] = p[k] + c * s->X[2 * LINKS + k];
    }
    for (int i = 0; i < LINKS; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        before[1][g->jac_col[e]] -= c * lambda[i] * s->J[e];
    assert_int_equal(rattle_problem_residuals(f.problem, before[0], before[1], NULL, psi, NULL),
                     RATTLE_OK);
    for (int i = 0; i < LINKS; i++) rate[i] += psi[i] / (2 * c);
  }
  for (int i = 0; i < LINKS; i++) assert_near(rate[i], 0, 1e-7);
  rattle__probe_destroy(&s);
  tear_down(&f);
}

/* The same bits, whatever was evaluated before, in any order. */
static void test_repetition(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, chain);
  double q[80], p[80], other[80], one[40], two[40], smallest[2], H[2], g[40], psi[2][40];
  for (int i = 0; i < 80; i++) q[i] = sin(i + 1.0), p[i] = cos(3 * i), other[i] = cos(i * i);
  rattle__probe *s;
  assert_int_equal(rattle__probe_create(&s, f.problem, RATTLE__PROBE_MULTIPLIERS, NULL), RATTLE_OK);
  rattle__probe_place(s, q, p);
  assert_int_equal(rattle__probe_multipliers(s, one, NULL), RATTLE_OK);
  assert_int_equal(rattle__probe_nondegeneracy(s, &smallest[0], NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle__probe_residuals(s, g, psi[0], NULL), RATTLE_OK);
  assert_int_equal(rattle__probe_energy(s, &H[0], NULL), RATTLE_OK);
  rattle__probe_place(s, other, q);
  assert_int_equal(rattle__probe_multipliers(s, two, NULL), RATTLE_OK);
  assert_memory_not_equal(one, two, sizeof one);
  rattle__probe_place(s, q, p);
  assert_int_equal(rattle__probe_energy(s, &H[1], NULL), RATTLE_OK);
  assert_int_equal(rattle__probe_nondegeneracy(s, &smallest[1], NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle__probe_multipliers(s, two, NULL), RATTLE_OK);
  assert_int_equal(rattle__probe_residuals(s, g, psi[1], NULL), RATTLE_OK);
  assert_memory_equal(one, two, sizeof one);
  assert_memory_equal(psi[0], psi[1], sizeof one);
  assert_true(smallest[0] == smallest[1] && H[0] == H[1]);
  rattle__probe_destroy(&s);
  tear_down(&f);
}

/* Constraints that all share all variables, too many for N: NaN, as documented. */
static void test_not_offered(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, "local N, M = 700, 300\nlocal x, px = pairs_of('x', N)\nlocal T = {}\nfor i = 1, N do "
             "T[i] = px[i]^2/2 end\n"
             "hamiltonian(sum(T))\nfor j = 1, M do\nlocal t = {}\nfor i = 1, N do t[i] = "
             "math.sin(i*j)*x[i] end\n"
             "constrain('c'..j, sum(t)) end\n");
  double *q = calloc(1400, sizeof *q), *p = q + 700, lambda[300], smallest, condition;
  assert_int_equal(rattle_problem_multipliers(f.problem, q, p, lambda, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, q, p, &smallest, &condition, NULL),
                   RATTLE_OK);
  assert_true(isnan(lambda[0]) && isnan(lambda[299]) && isnan(smallest) && isnan(condition));
  assert_int_equal(rattle_problem_residuals(f.problem, q, p, lambda, NULL, NULL), RATTLE_OK);
  assert_true(lambda[0] == 0 && lambda[299] == 0);
  free(q);
  tear_down(&f);
}

/* --- outside the domain ----------------------------------------------------------------------- */

static void assert_says(const rattle_error *error, const char *text) {
  if (!strstr(error->message, text)) fail_msg("\"%s\" does not say \"%s\"", error->message, text);
}

static void test_domain(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2 + py^2/2 + "
             "sqrt(x - 2))\n"
             "constrain('wire', log(y) + x)\n");
  rattle_error error;
  double H, g, psi;
  const double p[2] = {0.5, 0.25}, low[2] = {1.75, 1}, negative[2] = {3, -0.5}, edge[2] = {2, 1},
               good[2] = {3, 1};
  assert_int_equal(rattle_problem_energy(f.problem, low, p, &H, &error), RATTLE_DOMAIN);
  assert_true(isnan(H));
  assert_string_equal(error.where, "H");
  assert_says(&error, "sqrt of -0.25");
  assert_says(&error, "x = 1.75");
  assert_int_equal(rattle_problem_residuals(f.problem, negative, p, &g, &psi, &error),
                   RATTLE_DOMAIN);
  assert_string_equal(error.where, "wire");
  assert_int_equal(error.constraint, 0);
  assert_says(&error, "log of -0.5");
  assert_says(&error, "y = -0.5");
  /* the value is there, the derivative is not */
  assert_int_equal(rattle_problem_energy(f.problem, edge, p, &H, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_multipliers(f.problem, edge, p, &g, &error), RATTLE_DOMAIN);
  assert_says(&error, "derivative by x");
  /* momenta are distinguished from coordinates */
  fixture other;
  set_up(&other,
         "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2 + 1/py + x)\n");
  const double still[2] = {0.5, 0};
  assert_int_equal(rattle_problem_energy(other.problem, good, still, &H, &error), RATTLE_DOMAIN);
  assert_says(&error, "division by 0");
  assert_says(&error, "py = 0");
  tear_down(&other);
  /* nothing is wrong, or only the point itself is */
  const double fine[4] = {3, 1, 0.5, 0.25}, lost[4] = {3, 1, (double)NAN, 0.25},
               both[4] = {1.5, 1, (double)NAN, 0.25}, hidden[4] = {(double)NAN, 1, 0.5, 0.25};
  assert_int_equal(rattle__domain_error(f.problem, fine, &error), RATTLE_OK);
  assert_int_equal(rattle__domain_error(f.problem, lost, &error), RATTLE_OK);
  assert_int_equal(rattle__domain_error(f.problem, hidden, &error), RATTLE_OK);
  /* a momentum that became NaN because x left the domain does not hide why */
  assert_int_equal(rattle__domain_error(f.problem, both, &error), RATTLE_DOMAIN);
  assert_says(&error, "sqrt of -0.5");
  /* a point that is not finite itself is an error of the call all the same */
  assert_int_equal(rattle_problem_energy(f.problem, good, lost + 2, &H, &error), RATTLE_DOMAIN);
  assert_int_equal(rattle_problem_energy(f.problem, good, lost + 2, &H, NULL), RATTLE_DOMAIN);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),      cmocka_unit_test(test_coisotropic),
      cmocka_unit_test(test_unconstrained), cmocka_unit_test(test_definitions),
      cmocka_unit_test(test_chain),         cmocka_unit_test(test_repetition),
      cmocka_unit_test(test_not_offered),   cmocka_unit_test(test_domain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
