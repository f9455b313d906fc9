/* Problems that are ill-conditioned: constraints whose gradients differ little, and scales that
 * differ much. Every row of the table that takes one ends each step with |g| at round-off or with
 * an error that has a reason; the standard methods succeed but where constraints are dependent to
 * working precision. */
#include "common_claims.h"
#include "common_methods.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 40, MOST = 2 };

/* s: what makes it hard. g[m] at q[n] and the sums of the sizes of its terms, whose rounding is
 * what round-off is. */
typedef struct hard {
  tests_problem of; /* its model begins with "local s = ..." */
  double s, h;
  double start[8]; /* q, then p; on the constraints to round-off */
  int sure;        /* the first so many of the standard methods succeed */
  double pull;     /* how many round-offs of a coordinate the rounding of its multipliers moves it:
               h^2/s where these are 1/s, and q is made from the whole of them, as by verlet(b) */
  void (*constraint)(double s, const double *q, long double *g, long double *size);
} hard;

static void circle(long double x, long double y, long double z, long double square, long double *g,
                   long double *size) {
  *g = x * x + y * y + z * z - square;
  *size = x * x + y * y + z * z + square;
}

static void anchors_g(double s, const double *q, long double *g, long double *size) {
  circle(q[0], q[1], q[2], 1, &g[0], &size[0]);
  circle((long double)q[0] - s, q[1], q[2], 1 - 1.2L * s + (long double)s * s, &g[1], &size[1]);
  size[1] += 2 * fabsl((long double)s * q[0]);
}

static void scaled_g(double s, const double *q, long double *g, long double *size) {
  circle(q[0], q[1], q[2], 1, g, size);
  *g *= s;
  *size *= s;
}

static void links_g(double s, const double *q, long double *g, long double *size) {
  (void)s;
  circle(q[0], q[1], 0, 1, &g[0], &size[0]);
  circle((long double)q[2] - q[0], (long double)q[3] - q[1], 0, 1, &g[1], &size[1]);
  const double far[2] = {fmax(fabs(q[2]), fabs(q[0])), fmax(fabs(q[3]), fabs(q[1]))};
  size[1] += 4 * (far[0] * far[0] + far[1] * far[1]);
}

static void scaled_links_g(double s, const double *q, long double *g, long double *size) {
  links_g(s, q, g, size);
  g[0] *= s, size[0] *= s;
  g[1] /= s, size[1] /= s;
}

static void long_g(double s, const double *q, long double *g, long double *size) {
  circle(q[0], q[1], 0, (long double)s * s, g, size);
}

#define PAIRS2 "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
#define PAIRS3 PAIRS2 "local q3, p3 = pair('q3', 'p3')\n"
#define PAIRS4 PAIRS3 "local q4, p4 = pair('q4', 'p4')\n"

/* Two rods from one bead to anchors at a distance s. */
#define ANCHORS(d, methods)                                                                        \
  {                                                                                                \
    .of = {.name = "anchors " #d,                                                                  \
           .n = 3,                                                                                 \
           .m = 2,                                                                                 \
           .model = "local s = " #d "\n" PAIRS3 "hamiltonian((p1^2 + p2^2 + p3^2)/2 + q3)\n"       \
                    "constrain('one', q1^2 + q2^2 + q3^2 - 1)\n"                                   \
                    "constrain('two', (q1 - s)^2 + q2^2 + q3^2 - (1 - 1.2*s + s^2))\n"},           \
    .s = d, .h = 0.02, .start = {0.6, 0.8, 0, 0, 0, 1}, .sure = methods,                           \
    .pull = 0.02 * 0.02 / (d), .constraint = anchors_g                                             \
  }
/* A constraint in other units. */
#define SCALED(c)                                                                                  \
  {                                                                                                \
    .of = {.name = "scaled " #c,                                                                   \
           .n = 3,                                                                                 \
           .m = 1,                                                                                 \
           .model = "local s = " #c "\n" PAIRS3 "hamiltonian((p1^2 + p2^2 + p3^2)/2 + q3)\n"       \
                    "constrain('sphere', s*(q1^2 + q2^2 + q3^2 - 1))\n"},                          \
    .s = c, .h = 0.02, .start = {0.6, 0.8, 0, 0, 0, 1}, .sure = 3, .constraint = scaled_g          \
  }
/* Two links, their constraints in units that differ by s^2. */
#define SCALED_LINKS(c)                                                                            \
  {                                                                                                \
    .of = {.name = "scaled links " #c,                                                             \
           .n = 4,                                                                                 \
           .m = 2,                                                                                 \
           .model = "local s = " #c "\n" PAIRS4                                                    \
                    "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2)/2 + q2 + q4)\n"                       \
                    "constrain('inner', s*(q1^2 + q2^2 - 1))\nconstrain('outer', ((q3 - q1)^2 + "  \
                    "(q4 - q2)^2 - 1)/s)\n"},                                                      \
    .s = c, .h = 0.02, .start = {0.6, -0.8, 1.4, -1.4, 0.4, 0.3, 0.4, 0.3}, .sure = 3,             \
    .constraint = scaled_links_g                                                                   \
  }
/* Two links, the outer bead with the mass s. */
#define MASSES(M)                                                                                  \
  {                                                                                                \
    .of = {.name = "masses " #M,                                                                   \
           .n = 4,                                                                                 \
           .m = 2,                                                                                 \
           .model = "local s = " #M "\n" PAIRS4                                                    \
                    "hamiltonian((p1^2 + p2^2)/2 + (p3^2 + p4^2)/(2*s) + q2 + s*q4)\n"             \
                    "constrain('inner', q1^2 + q2^2 - 1)\nconstrain('outer', (q3 - q1)^2 + (q4 - " \
                    "q2)^2 - 1)\n"},                                                               \
    .s = M, .h = 0.02, .start = {0.6, -0.8, -0.2, -1.4, 0.4, 0.3, 0.4 * (M), 0.3 * (M)},           \
    .sure = 3, .constraint = links_g                                                               \
  }
/* A pendulum of length s, time in units of its period. */
#define LENGTH(L, root, methods)                                                                   \
  {                                                                                                \
    .of = {.name = "length " #L,                                                                   \
           .n = 2,                                                                                 \
           .m = 1,                                                                                 \
           .model = "local s = " #L "\n" PAIRS2                                                    \
                    "hamiltonian((p1^2 + p2^2)/2 + q2)\nconstrain('rod', q1^2 + q2^2 - s^2)\n"},   \
    .s = L, .h = 0.02 * (root), .start = {0.6 * (L), -0.8 * (L), 0.4 * (root), 0.3 * (root)},      \
    .sure = methods, .constraint = long_g                                                          \
  }

static const hard problems[] = {ANCHORS(1e-4, 3),     ANCHORS(1e-5, 3),      ANCHORS(1e-6, 3),
                                ANCHORS(1e-7, 3),     ANCHORS(1e-8, 0),      ANCHORS(1e-10, 0),
                                ANCHORS(1e-12, 0),    SCALED(1e12),          SCALED(1e-12),
                                SCALED_LINKS(1e6),    SCALED_LINKS(1e-6),    MASSES(1e12),
                                MASSES(1e-12),        LENGTH(1e6, 1e3, 3),   LENGTH(1e-6, 1e-3, 3),
                                LENGTH(1e12, 1e6, 3), LENGTH(1e-12, 1e-6, 3)};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* How many methods do what on a problem. */
typedef struct tally {
  int succeed, fail, wrong;
} tally;

/* Returns the step reached. */
static int run(const hard *p, const char *method, tally *t) {
  const int n = p->of.n;
  double z[8], before[8], out[8], most = 0;
  claims_library library;
  rattle_error error;
  rattle_status status =
      claims_library_open(&library, &p->of, method, RATTLE_EVALUATOR_BLOCK, &error);
  int good = 1;
  if (status) {
    if (!error.message[0]) fail_msg("%s refuses %s without a reason", method, p->of.name);
    t->fail++;
    return -1;
  }
  const rattle_claims claims = rattle_method_claims(rattle_integrator_method(library.integrator));
  memcpy(z, p->start, sizeof z);
  rattle_state state = {.q = z, .p = z + n, .h = p->h};
  while (state.step < STEPS && !status && good) {
    memcpy(before, z, sizeof z);
    status = rattle_integrator_step(library.integrator, &state, 1, &error);
    if (status && (memcmp(z, before, 2 * n * sizeof *z) || !error.message[0]))
      fail_msg("%s on %s: a failed step has no reason, or changed the state", method, p->of.name);
    if (!status)
      status = rattle_integrator_output(library.integrator, &state, out, out + n, &error);
    for (int k = 0; k < 2 * n && !status; k++) good = good && isfinite(out[k]);
    if (status || !claims.keeps_g) continue;
    long double g[MOST], size[MOST];
    p->constraint(p->s, out, g, size);
    for (int i = 0; i < p->of.m; i++)
      most = fmax(most, (double)((fabsl(g[i]) / DBL_EPSILON - p->pull) / size[i]));
    good = good && most <= 512; /* where an iteration that stagnates has ended:
                    docs/decisions/017-the-unit-of-a-residual.md */
  }
  if (!good)
    print_error("%s on %s: |g| is %.3g units of round-off after step %lld\n", method, p->of.name,
                most, state.step);
  t->wrong += !good;
  t->fail += status != RATTLE_OK;
  t->succeed += good && !status;
  claims_library_close(&library);
  return (int)state.step;
}

static void test_rows(void **state) {
  (void)state;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  int wrong = 0;
  for (int i = 0; i < PROBLEMS; i++) {
    tally t = {0};
    for (int r = 0; r < count; r++) {
      methods_text methods[METHODS_MAX];
      const int tried = methods_of(&rows[r], &problems[i].of, methods);
      for (int k = 0; k < tried; k += TESTS_ONE_IN) run(&problems[i], methods[k], &t);
    }
    print_message("%s: %d methods succeed, %d end with an error\n", problems[i].of.name, t.succeed,
                  t.fail);
    wrong += t.wrong;
  }
  assert_int_equal(wrong, 0);
}

static void test_standard_methods_succeed(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)", "rattle(midpoint)"};
  tally t = {0};
  for (int i = 0; i < PROBLEMS; i++) {
    for (int k = 0; k < problems[i].sure; k++) {
      const int reached = run(&problems[i], methods[k], &t);
      if (reached != STEPS)
        print_error("%s on %s ends at step %d\n", methods[k], problems[i].of.name, reached);
    }
  }
  assert_true(t.fail == 0 && t.wrong == 0 && t.succeed >= 42);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_standard_methods_succeed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
