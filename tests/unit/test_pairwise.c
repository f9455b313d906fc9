/* Forces between all pairs of beads: against sums over all pairs in long double, and with the same
 * bits whatever lists there are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem/functions/problem.h"
#include "rattle/rattle.h"
#include "ground/support/random.h"

enum { BEADS = 300, N = 3 * BEADS };

typedef struct setting {
  const char *text; /* of pair_potential */
  double epsilon, sigma, cutoff, from, box;
  int smooth;
} setting;

static const setting settings[] = {
    {"kind = 'wca', epsilon = 0.7, sigma = 1.1", 0.7, 1.1, 1.1 * 1.122462048309373, 0, 0, 0},
    {"kind = 'lennard_jones'", 1, 1, 2.5, 2, 0, 3},
    {"kind = 'lennard_jones', cutoff = 3, switch = 2, smooth = 1", 1, 1, 3, 2, 0, 1},
    {"kind = 'lennard_jones', sigma = 0.9, smooth = 7, box = 12", 1, 0.9, 2.25, 1.8, 12, 7},
    {"kind = 'lennard_jones', smooth = 2, box = 5.5", 1, 1, 2.5, 2, 5.5,
     2}, /* fewer than three cells */
};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct made {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
} made;

static made make(const char *text, int evaluator) {
  made m = {0};
  const rattle_problem_options options = {.evaluator = evaluator};
  if (rattle_model_parse(&m.model, text, "m.lua", NULL, &m.error) ||
      rattle_problem_create(&m.problem, m.model, &options, &m.error))
    fail_msg("%s", m.error.message);
  return m;
}

static void drop(made *m) {
  rattle_problem_destroy(&m->problem);
  rattle_model_destroy(&m->model);
}

/* A chain of 300 beads in a coil, as 3 molecules. */
static made make_chains(const setting *s, int evaluator) {
  char text[500];
  snprintf(text, sizeof text,
           "molecule { beads = 100, copies = 3, bonds = 'chain', length = 1, spacing = 0.6 "
           "}\npair_potential { %s }",
           s->text);
  return make(text, evaluator);
}

static void start(const made *m, double *q, double *p) {
  rattle_error error = {0};
  if (rattle_problem_start(m->problem, 0, q, p, NULL, &error)) fail_msg("%s", error.message);
}

/* --- the oracle: another formula, another order ----------------------------------------------- */

static long double binomial(int n, int k) {
  long double b = 1;
  for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
  return b;
}

/* 1 - t^(s+1) sum_k binomial(s+k,k) (1-t)^k, the step the other way round */
static long double switched(int s, long double t) {
  long double sum = 0;
  if (t <= 0) return 1;
  for (int k = 0; k <= s; k++) sum += binomial(s + k, k) * powl(1 - t, k);
  return 1 - powl(t, s + 1) * sum;
}

static long double potential(const setting *s, long double r) {
  if (r >= s->cutoff) return 0;
  const long double v = 4 * s->epsilon * (powl(s->sigma / r, 12) - powl(s->sigma / r, 6));
  if (!s->smooth) return v + s->epsilon;
  const long double a = (long double)s->from * s->from, b = (long double)s->cutoff * s->cutoff;
  return v * switched(s->smooth, (r * r - a) / (b - a));
}

static long double distance(const setting *s, const double *q, int i, int j, long double d[3]) {
  long double sum = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = (long double)q[3 * i + k] - q[3 * j + k];
    if (s->box > 0) d[k] -= s->box * roundl(d[k] / s->box);
    sum += d[k] * d[k];
  }
  return sqrtl(sum);
}

/* V and its gradient, derivatives of the potential being differences; from the last pair to the
 * first */
static long double all_pairs(const setting *s, const double *q, long double *gradient) {
  long double V = 0, d[3];
  for (int k = 0; k < N; k++) gradient[k] = 0;
  for (int i = BEADS - 1; i >= 0; i--)
    for (int j = i - 1; j >= 0; j--) {
      const long double r = distance(s, q, i, j, d), h = 1e-5L;
      if ((i == j + 1 && i % 100) || r >= s->cutoff) continue;
      V += potential(s, r);
      const long double slope = (8 * (potential(s, r + h) - potential(s, r - h)) -
                                 potential(s, r + 2 * h) + potential(s, r - 2 * h)) /
                                (12 * h);
      for (int k = 0; k < 3; k++) {
        gradient[3 * i + k] += slope * d[k] / r;
        gradient[3 * j + k] -= slope * d[k] / r;
      }
    }
  return V;
}

static void test_oracle(void **state) {
  (void)state;
  for (int k = 0; k < SETTINGS; k++) {
    made m = make_chains(&settings[k], RATTLE_EVALUATOR_BLOCK);
    double q[N], p[N], V, J[N], *work = calloc(m.problem->V->work, sizeof *work);
    long double gradient[N], most = 0, off = 0;
    start(&m, q, p);
    const long double expected = all_pairs(&settings[k], q, gradient);
    assert_int_equal(m.problem->V->jacobian(m.problem->V, q, &V, J, work), 0);
    for (int c = 0; c < N; c++) {
      most = fmaxl(most, fabsl(gradient[c]));
      off = fmaxl(off, fabsl(gradient[c] - J[c]));
    }
    assert_true(most > 0.1L); /* beads do meet */
    if (!(off < 1e-8L * most))
      fail_msg("%s: forces off by %Lg of %Lg", settings[k].text, off, most);
    if (!(fabsl(V - expected) < 1e-12L * (BEADS + fabsl(expected))))
      fail_msg("%s: V %.17g, not %.17Lg", settings[k].text, V, expected);
    double alone;
    m.problem->V->value(m.problem->V, q, &alone, work);
    assert_memory_equal(&alone, &V, sizeof V);
    free(work);
    drop(&m);
  }
}

/* --- bits ------------------------------------------------------------------------------------- */

/* Along a run with lists of any age, forces have the bits of a problem that has never been
 * evaluated. */
static void test_lists(void **state) {
  (void)state;
  for (int k = 0; k < SETTINGS; k++) {
    made m = make_chains(&settings[k], RATTLE_EVALUATOR_BLOCK);
    double q[N], p[N], V[2], J[2][N], *work = calloc(m.problem->V->work, sizeof *work);
    uint64_t random = 7;
    start(&m, q, p);
    for (int step = 0; step < 40; step++) {
      for (int c = 0; c < N; c++) q[c] += 0.02 * rattle__random_signed(&random);
      made fresh = make_chains(&settings[k], RATTLE_EVALUATOR_BLOCK);
      m.problem->V->jacobian(m.problem->V, q, &V[0], J[0], work);
      fresh.problem->V->jacobian(fresh.problem->V, q, &V[1], J[1], work);
      assert_memory_equal(&V[0], &V[1], sizeof *V);
      assert_memory_equal(J[0], J[1], sizeof *J);
      drop(&fresh);
    }
    free(work);
    drop(&m);
  }
}

static const char *const polymer = "molecule { beads = 40, bonds = 'ring', length = 1, temperature "
                                   "= 1 }\nmolecule { beads = 9, spacing = 1.5, place = "
                                   "function(c, i) return 20 + i*1.2, "
                                   "0, 0 end, temperature = 1 }\nangles { molecule = molecule { "
                                   "beads = 3, bonds = 'chain', length = 1, temperature = 1, place "
                                   "= {{0,0,30},{1,0,30},{1,1,30}} }, k = 3, theta = 2 }\n"
                                   "torsions { k = 0.5, n = 3, phase = 0.4 }\npair_potential { "
                                   "kind = 'lennard_jones', smooth = 3 }\n";

typedef struct run {
  made m;
  rattle_integrator *integrator;
  rattle_state state;
  double q[3 * 52], p[3 * 52];
} run;

static void begin(run *r, const char *method, int evaluator, double h) {
  *r = (run){.m = make(polymer, evaluator)};
  start(&r->m, r->q, r->p);
  if (rattle_integrator_create(&r->integrator, r->m.problem, method, &r->m.error))
    fail_msg("%s", r->m.error.message);
  r->state = (rattle_state){.q = r->q, .p = r->p, .h = h};
}

static void advance(run *r, long long steps) {
  if (rattle_integrator_step(r->integrator, &r->state, steps, &r->m.error))
    fail_msg("%s", r->m.error.message);
}

static void end(run *r) {
  rattle_integrator_destroy(&r->integrator);
  drop(&r->m);
}

/* Both evaluators, and a run in two parts, with the same bits. */
static void test_runs(void **state) {
  (void)state;
  run whole, other;
  begin(&whole, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.005);
  advance(&whole, 600);
  for (int evaluator = 0; evaluator < 2; evaluator++) {
    begin(&other, "rattle(verlet)", evaluator ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK,
          0.005);
    assert_string_equal(rattle_problem_evaluator(other.m.problem), evaluator ? "native" : "block");
    advance(&other, 251);
    const double *q = memcpy(calloc(3 * 52, sizeof *q), other.q, sizeof other.q);
    const double *p = memcpy(calloc(3 * 52, sizeof *p), other.p, sizeof other.p);
    end(&other);
    begin(&other, "rattle(verlet)", evaluator ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK,
          0.005);
    memcpy(other.q, q, sizeof other.q);
    memcpy(other.p, p, sizeof other.p);
    free((void *)q);
    free((void *)p);
    advance(&other, 349);
    assert_memory_equal(other.q, whole.q, sizeof whole.q);
    assert_memory_equal(other.p, whole.p, sizeof whole.p);
    end(&other);
  }
  end(&whole);
}

static double energy_of(const run *r) {
  double H;
  assert_int_equal(rattle_problem_energy(r->m.problem, r->q, r->p, &H, NULL), RATTLE_OK);
  return H;
}

/* The largest error of the energy until t = 1.6. */
static double worst_energy(const char *method, double h) {
  run r;
  double worst = 0;
  begin(&r, method, RATTLE_EVALUATOR_BLOCK, h);
  const double first = energy_of(&r);
  for (int k = 0; k < 16; k++) {
    advance(&r, (long long)llround(0.1 / h));
    worst = fmax(worst, fabs(energy_of(&r) - first));
  }
  end(&r);
  return worst;
}

static void test_orders(void **state) {
  (void)state;
  const double coarse = worst_energy("rattle(verlet)", 0.002),
               fine = worst_energy("rattle(verlet)", 0.001);
  if (!(log2(coarse / fine) > 1.7 && log2(coarse / fine) < 2.3))
    fail_msg("order %g of the energy, %g", log2(coarse / fine), fine);
  const double coarse4 = worst_energy("suzuki4(rattle(verlet))", 0.004),
               fine4 = worst_energy("suzuki4(rattle(verlet))", 0.002);
  if (!(log2(coarse4 / fine4) > 3.6))
    fail_msg("order %g of the energy, %g", log2(coarse4 / fine4), fine4);
}

/* Two beads that meet and part again: the largest error that is left of their energy, of steps of
 * many lengths up to h. */
static double left_of_crossings(const char *text, double h) {
  double worst = 0, first, last;
  made m = make(text, RATTLE_EVALUATOR_BLOCK);
  rattle_integrator *integrator = NULL;
  assert_int_equal(rattle_integrator_create(&integrator, m.problem, "kahan_li8(verlet)", &m.error),
                   RATTLE_OK);
  for (int k = 0; k < 40; k++) {
    double q[6], p[6];
    start(&m, q, p);
    const long long steps = (long long)(4 / h * exp2(k / 40.0));
    rattle_state s = {.q = q, .p = p, .h = 4.0 / (double)steps};
    rattle_problem_energy(m.problem, q, p, &first, NULL);
    assert_int_equal(rattle_integrator_step(integrator, &s, steps, &m.error), RATTLE_OK);
    rattle_problem_energy(m.problem, q, p, &last, NULL);
    worst = fmax(worst, fabs(last - first));
  }
  rattle_integrator_destroy(&integrator);
  drop(&m);
  return worst;
}

/* With s continuous derivatives at the cutoff order s + 1 is left, of a method of order 8. */
static void test_cutoff(void **state) {
  (void)state;
  static const char *const law[] = {
      "kind = 'wca'", "kind = 'lennard_jones', smooth = 2, cutoff = 1.6, switch = 1.4",
      "kind = 'lennard_jones', smooth = 3, cutoff = 1.6, switch = 1.4"};
  for (int k = 0; k < 3; k++) {
    char text[300];
    snprintf(
        text, sizeof text,
        "molecule { beads = 2, place = {{-1.5, 0, 0}, {1.5, 0.3, 0}} }\npair_potential { %s }\n"
        "start { ['px[1]'] = 1.5, ['px[2]'] = -1.5 }",
        law[k]);
    const double coarse = left_of_crossings(text, 0.008), fine = left_of_crossings(text, 0.002);
    const double order = 0.5 * log2(coarse / fine);
    if (!(fabs(order - (k + 2)) < 0.4)) fail_msg("%s: order %g is left", law[k], order);
  }
}

/* Momentum and angular momentum to round-off; forth and back is the start. */
static void test_conserved(void **state) {
  (void)state;
  run r;
  double was[6] = {0}, is[6] = {0}, first[3 * 52];
  begin(&r, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.005);
  memcpy(first, r.q, sizeof first);
  for (int part = 0; part < 2; part++) {
    double *sum = part ? is : was;
    for (int i = 0; i < 52; i++)
      for (int k = 0; k < 3; k++) {
        const int a = 3 * i + (k + 1) % 3, b = 3 * i + (k + 2) % 3;
        sum[k] += r.p[3 * i + k];
        sum[3 + k] += r.q[a] * r.p[b] - r.q[b] * r.p[a];
      }
    if (!part) advance(&r, 400);
  }
  for (int k = 0; k < 6; k++) assert_true(fabs(is[k] - was[k]) < 1e-10);
  r.state.h = -r.state.h;
  advance(&r, 400);
  for (int k = 0; k < 3 * 52; k++) assert_true(fabs(r.q[k] - first[k]) < 1e-9);
  end(&r);
}

/* Implicit methods see the same second derivatives that differences give; many beads have none, and
 * that is said. */
static void test_second_derivatives(void **state) {
  (void)state;
  run r;
  begin(&r, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
  const rattle__function *V = r.m.problem->V;
  const int n = V->vars;
  double *S = calloc((size_t)V->hess_nnz, sizeof *S), *work = calloc(V->work, sizeof *work),
         J[2][3 * 52];
  assert_int_equal(V->hess_nnz, n * n);
  assert_int_equal(V->hessian(V, r.q, NULL, S, work), 0);
  for (int i = 0; i < n; i++) {
    const double q = r.q[i], h = 1e-5;
    for (int side = 0; side < 2; side++) {
      r.q[i] = q + (side ? h : -h);
      V->jacobian(V, r.q, NULL, J[side], work);
    }
    r.q[i] = q;
    for (int j = 0; j < n; j++) {
      const double slope = (J[1][j] - J[0][j]) / (2 * h);
      if (!(fabs(S[i * n + j] - slope) < 1e-4 * (1 + fabs(slope))))
        fail_msg("V'' %d %d: %g, not %g", i, j, S[i * n + j], slope);
    }
  }
  free(S);
  free(work);
  end(&r);
  static const char *const implicit[] = {"rattle(midpoint)", "spark(2)", "rattle(gauss(2))",
                                         "rattle_monolithic", "discrete_gradient"};
  made many = make_chains(&settings[0], RATTLE_EVALUATOR_BLOCK);
  for (size_t k = 0; k < sizeof implicit / sizeof *implicit; k++) {
    rattle_integrator *none = NULL;
    assert_int_equal(rattle_integrator_create(&none, many.problem, implicit[k], &many.error),
                     RATTLE_UNSUITABLE);
    assert_non_null(strstr(many.error.message, "second derivatives"));
  }
  drop(&many);
}

/* Coordinates that are not finite make V so, and no list. */
static void test_not_finite(void **state) {
  (void)state;
  made m = make_chains(&settings[1], RATTLE_EVALUATOR_BLOCK);
  double q[N], p[N], V, J[N], *work = calloc(m.problem->V->work, sizeof *work);
  start(&m, q, p);
  q[5] = INFINITY;
  m.problem->V->jacobian(m.problem->V, q, &V, J, work);
  assert_true(isnan(V) && isnan(J[0]));
  q[5] = 1e300;
  m.problem->V->jacobian(m.problem->V, q, &V, J, work);
  assert_true(isfinite(V) && J[5] == 0);
  free(work);
  drop(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_oracle),
                                     cmocka_unit_test(test_lists),
                                     cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_cutoff),
                                     cmocka_unit_test(test_conserved),
                                     cmocka_unit_test(test_second_derivatives),
                                     cmocka_unit_test(test_not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
