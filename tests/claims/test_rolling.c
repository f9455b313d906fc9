/* Every row of the method table under constraints on velocities: it is refused, in one sentence, or
 * what it claims is measured against end states of another program (rolling_scipy.py): order,
 * symmetry, g = 0, A v = b and H at round-off. So no row makes another motion. */
#include "common_claims.h"
#include "common_methods.h"
#include "../reference/common_second_class.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rolling_scipy.inc"

typedef struct rolling {
  tests_problem is;
  const double *end; /* q, p without the pair of the time, which is the last */
  int pairs;
} rolling;

#define BLADE "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"
#define START(x, y, a) "start { x = " #x ", y = " #y ", a = " #a " }\n"

static const rolling problems[] = {
    {{.name = "sleigh",
      .n = 3,
      .m = 1,
      .model = BLADE
      "hamiltonian((px^2 + py^2)/2 + pa^2 + 0.3*x^2 + 0.2*y^2 + sin(x*y)/10)\n"
      "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a) - "
      "0.3*velocity(a))\n" START(
          0.4, -0.3, 0.2) "local c, s = math.cos(0.2), math.sin(0.2)\n"
                          "start { px = 0.9*c - 0.21*s, py = 0.9*s + 0.21*c, pa = 0.35 }\n"},
     sleigh_end,
     3},
    {{.name = "dial",
      .n = 4,
      .m = 2,
      .model = "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z') local w, "
               "pw = pair('w')\n"
               "hamiltonian((px^2 + py^2 + pz^2)/2 + pw^2/1.4 + 0.8*z + 0.3*w^2)\n"
               "constrain('sphere', x^2 + y^2 + z^2 - 1)\n"
               "velocity_constrain('dial', velocity(w) - 0.6*(x*velocity(y) - y*velocity(x)))\n"
               "local t, f = 1.1, 0.3 local c, s = math.cos(t), math.sin(t) local cf, sf = "
               "math.cos(f), math.sin(f)\n"
               "start { x = s*cf, y = s*sf, z = c, w = 0.2, px = -0.4*c*cf - 0.9*s*sf, py = "
               "-0.4*c*sf + 0.9*s*cf, pz = 0.4*s,\n"
               "  pw = 0.7*0.6*0.9*s^2, project = true }\n"},
     dial_end,
     4},
    {{.name = "relativistic",
      .n = 4,
      .m = 2,
      .model = BLADE "local t = time()\n"
                     "hamiltonian(sqrt(1 + (px + 0.3*y)^2 + (py - 0.3*x)^2) + 0.2*x + pa^2/0.8)\n"
                     "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
                     "velocity_constrain('turn', velocity(a) - 0.7 - 0.4*cos(t))\n" START(
                         0.1, 0.2, 0.2) "start { px = 0.8*math.cos(0.2) - 0.06, py = "
                                        "0.8*math.sin(0.2) + 0.03, pa = 0.44 }\n"},
     relativistic_end,
     3}};

static const double span = 2;

static int open_at(claims_library *library, const rolling *r, const char *method, double *q,
                   double *p, rattle_error *error) {
  const rattle_status status =
      claims_library_open(library, &r->is, method, RATTLE_EVALUATOR_BLOCK, error);
  if (status) return status;
  if (rattle_problem_start(library->problem, 0, q, p, NULL, error))
    fail_msg("%s: %s", r->is.name, error->message);
  return RATTLE_OK;
}

static double apart(const rolling *r, const double *q, const double *p) {
  double most = 0;
  for (int k = 0; k < r->pairs; k++)
    most = fmax(most, fmax(fabs(q[k] - r->end[k]), fabs(p[k] - r->end[r->pairs + k])));
  return most;
}

/* The error at the span, and of q alone; residuals at the end */
static double error_of(const rolling *r, const char *method, int steps, double *g, double *psi) {
  claims_library library;
  rattle_error error;
  double q[TESTS_MAX_N], p[TESTS_MAX_N], residual[2 * TESTS_MAX_N];
  assert_int_equal(open_at(&library, r, method, q, p, &error), RATTLE_OK);
  if (claims_library_step(&library, span / steps, steps, q, p)) {
    if (steps > 16) fail_msg("%s on %s: a step of %d fails", method, r->is.name, steps);
    claims_library_close(&library); /* too long */
    return INFINITY;
  }
  assert_int_equal(claims_library_output(&library, q, p), 0);
  const int m = rattle_problem_m(library.problem);
  assert_int_equal(rattle_problem_residuals(library.problem, q, p, residual, residual + m, NULL),
                   RATTLE_OK);
  *g = *psi = 0;
  for (int i = 0; i < m; i++)
    *g = fmax(*g, fabs(residual[i])), *psi = fmax(*psi, fabs(residual[m + i]));
  claims_library_close(&library);
  return apart(r, q, p);
}

/* The distance from the start after 40 steps there and back. */
static double way_back(const rolling *r, const char *method) {
  claims_library library;
  rattle_error error;
  double q[2][TESTS_MAX_N], p[2][TESTS_MAX_N], most = 0;
  assert_int_equal(open_at(&library, r, method, q[0], p[0], &error), RATTLE_OK);
  memcpy(q[1], q[0], sizeof q[0]);
  memcpy(p[1], p[0], sizeof p[0]);
  assert_int_equal(claims_library_step(&library, 0.05, 40, q[1], p[1]), 0);
  assert_int_equal(claims_library_step(&library, -0.05, 40, q[1], p[1]), 0);
  for (int k = 0; k < r->pairs; k++)
    most = fmax(most, fmax(fabs(q[1][k] - q[0][k]), fabs(p[1][k] - p[0][k])));
  claims_library_close(&library);
  return most;
}

/* The largest change of H, with time of H + p_t, in 100 steps. */
static double energy_change(const rolling *r, const char *method) {
  claims_library library;
  rattle_error error;
  double q[TESTS_MAX_N], p[TESTS_MAX_N], H[2], most = 0;
  assert_int_equal(open_at(&library, r, method, q, p, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_energy(library.problem, q, p, &H[0], NULL), RATTLE_OK);
  for (int k = 0; k < 100; k++) {
    assert_int_equal(claims_library_step(&library, 0.05, 1, q, p), 0);
    assert_int_equal(rattle_problem_energy(library.problem, q, p, &H[1], NULL), RATTLE_OK);
    most = fmax(most, fabs(H[1] - H[0]));
  }
  claims_library_close(&library);
  return most;
}

/* The order from halved steps, as long as errors are above round-off. */
static double order_of(const rolling *r, const char *method, double *g, double *psi) {
  double before = error_of(r, method, 8, g, psi), order = (double)NAN;
  for (int steps = 16; steps <= 512; steps *= 2) {
    const double now = error_of(r, method, steps, g, psi);
    if (now < 1e-11) return order; /* NaN where the first halving reaches round-off */
    order = log2(before / now);
    before = now;
  }
  return order;
}

static int measure(const rolling *r, const char *method, const rattle_claims *claims) {
  double g, psi;
  const int shakes = !claims->keeps_psi && !strstr(method, "output");
  const double order = order_of(r, method, &g, &psi), back = way_back(r, method);
  const int large = claims->order > 4; /* high orders show before round-off only roughly */
  if (order < claims->order - (large ? 1 : 0.35) || (!large && !(order < claims->order + 0.6)))
    return print_error("%s on %s: order %.2f, claimed %d\n", method, r->is.name, order,
                       claims->order),
           1;
  if (claims->symplectic)
    return print_error("%s on %s claims to be symplectic\n", method, r->is.name), 1;
  if (claims->symmetric && !strstr(method, "output") && !(back < 1e-12))
    return print_error("%s on %s: back to %.1e, claimed %d\n", method, r->is.name, back,
                       claims->symmetric),
           1;
  const double change = energy_change(r, method);
  if (claims->order <= 4 && claims->keeps_energy != (change < 2e-14))
    return print_error("%s on %s: H changes by %.1e, claimed %d\n", method, r->is.name, change,
                       claims->keeps_energy),
           1;
  if (!(g < 1e-14)) return print_error("%s on %s: g = %.1e\n", method, r->is.name, g), 1;
  if (!shakes && !(psi < 1e-14))
    return print_error("%s on %s: A v - b = %.1e\n", method, r->is.name, psi), 1;
  return 0;
}

/* 1: it was measured. */
static int try_method(const rolling *r, const char *method, int *failures) {
  claims_library library;
  rattle_error error;
  double q[TESTS_MAX_N], p[TESTS_MAX_N];
  const int status = open_at(&library, r, method, q, p, &error);
  if (status) {
    if (status != RATTLE_UNSUITABLE && status != RATTLE_BAD_METHOD)
      fail_msg("%s on %s: %s", method, r->is.name, error.message);
    if (status == RATTLE_UNSUITABLE && !strstr(error.message, "velocit") &&
        !strstr(error.message, " needs "))
      *failures += 1,
          print_error("%s on %s is refused so: %s\n", method, r->is.name, error.message);
    return 0;
  }
  const rattle_claims claims = rattle_integrator_claims(library.integrator);
  claims_library_close(&library);
  *failures += measure(r, method, &claims);
  return 1;
}

static void rows(void **state) {
  (void)state;
  const rattle_method_row *row;
  const int count = rattle_method_rows(&row);
  int failures = 0, measured = 0, compositions = 0;
  for (int i = 0; i < count; i++) {
    methods_text methods[METHODS_MAX];
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
      const int tried = methods_of(&row[i], &problems[k].is, methods);
      for (int j = 0; j < tried; j++) {
        const int done = try_method(&problems[k], methods[j], &failures);
        measured += done;
        compositions += done && !strcmp(row[i].kind, "composition");
      }
    }
  }
  assert_int_equal(failures, 0);
  if (measured < 60 || compositions < 30)
    fail_msg("only %d methods were measured, %d of them compositions", measured, compositions);
}

/* Steps that change in length keep order 2: nothing is remembered. */
static void lengths_that_change(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    const rolling *r = &problems[k];
    double error[2];
    for (int half = 0; half < 2; half++) {
      claims_library library;
      rattle_error why;
      double q[TESTS_MAX_N], p[TESTS_MAX_N];
      assert_int_equal(open_at(&library, r, "rattle(midpoint)", q, p, &why), RATTLE_OK);
      for (int cycle = 0; cycle < (half ? 80 : 40); cycle++)
        for (int i = 1; i <= 4; i++)
          assert_int_equal(claims_library_step(&library, span / (half ? 800 : 400) * i, 1, q, p),
                           0);
      error[half] = apart(r, q, p);
      claims_library_close(&library);
    }
    if (!(error[0] / error[1] > 3.7 && error[0] / error[1] < 4.3))
      fail_msg("%s: errors %g, %g", r->is.name, error[0], error[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(lengths_that_change)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
