/* Forces between beads of several species, and between beads that are few bonds apart: against a
 * plain double loop in long double. */
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

enum { OWN = 8, MOST = 320, MOST_N = 3 * MOST };

/* A ring of four with a tail of four: pairs of beads are joined by several ways. */
static const char *const molecule =
    "molecule { beads = 8, copies = %d, species = {'A', 'B', 'A', 'C', 'B', 'A', 'D', 'C'}, mass = "
    "{1, 2, 1, 3, 2, 1, 1, 3}, "
    "spacing = 0.4,\n"
    "  temperature = 0.5, bonds = {{1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 1, 1}, {4, 5, 1.1}, {5, 6, "
    "1.1}, {6, 7, 1.1}, {7, 8, "
    "1.1}},\n"
    "  place = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {-0.7, 1.7, 0.5}, {-0.2, 2.2, 1.3}, "
    "{-0.9, 2.9, 1.8}, {-1.3, 3.3, "
    "2.7}} }\n"
    "pair_potential { kind = '%s', exclude = %d, scale_14 = %g, %s\n"
    "  species = { A = { epsilon = 0.9, sigma = 0.8 }, B = { epsilon = 0.4, sigma = 1.1 }, C = { "
    "epsilon = 1.3, sigma = 0.95 },\n"
    "              D = { epsilon = 0, sigma = 0 } } }\n";
static const int bond[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 6}, {6, 7}};
static const char of_bead[] = "ABACBADC";

typedef struct setting {
  const char *kind, *more; /* more: of pair_potential */
  int exclude;
  double scale;
  int copies, geometric, special;
  double cutoff, box; /* cutoff: 0 for wca */
} setting;

static const setting settings[] = {
    {"lennard_jones", "", 1, 1, 40, 0, 0, 2.5 * 1.1, 0},
    {"lennard_jones", "cutoff = 2.2,", 2, 0.5, 40, 0, 0, 2.2, 0},
    {"lennard_jones", "mixing = 'geometric', cutoff = 2.2, box = {14, 15, 16},", 3, 1, 40, 1, 0,
     2.2, 14},
    {"lennard_jones",
     "mixing = 'lorentz_berthelot', special = {{'C', 'A', epsilon = 0.2, sigma = 1.2}},", 0, 0.25,
     40, 0, 1, 3, 0},
    {"wca", "", 1, 0, 40, 0, 0, 0, 0},
    {"wca", "mixing = 'geometric', special = {{'B', 'B', epsilon = 0, sigma = 0}},", 0, 0.5, 2, 1,
     2, 0, 0}, /* without lists */
};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct made {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
} made;

static made make(const setting *s, int evaluator) {
  made m = {0};
  char text[1500];
  snprintf(text, sizeof text, molecule, s->copies, s->kind, s->exclude, s->scale, s->more);
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

static void start(const made *m, double *q, double *p) {
  rattle_error error = {0};
  if (rattle_problem_start(m->problem, 0, q, p, NULL, &error)) fail_msg("%s", error.message);
}

/* --- the oracle ------------------------------------------------------------------------------- */

/* How many bonds are between beads of one molecule, by Floyd and Warshall. */
static void count_bonds(int apart[OWN][OWN]) {
  for (int i = 0; i < OWN; i++)
    for (int j = 0; j < OWN; j++) apart[i][j] = i == j ? 0 : 100;
  for (size_t k = 0; k < sizeof bond / sizeof *bond; k++)
    apart[bond[k][0]][bond[k][1]] = apart[bond[k][1]][bond[k][0]] = 1;
  for (int k = 0; k < OWN; k++)
    for (int i = 0; i < OWN; i++)
      for (int j = 0; j < OWN; j++)
        if (apart[i][k] + apart[k][j] < apart[i][j]) apart[i][j] = apart[i][k] + apart[k][j];
}

static void mix(const setting *s, char a, char b, long double *epsilon, long double *sigma) {
  static const long double e[] = {0.9L, 0.4L, 1.3L, 0}, d[] = {0.8L, 1.1L, 0.95L, 0};
  const int i = a - 'A', j = b - 'A';
  *epsilon = sqrtl(e[i] * e[j]);
  *sigma = s->geometric ? sqrtl(d[i] * d[j]) : (d[i] + d[j]) / 2;
  if (s->special == 1 && ((a == 'A' && b == 'C') || (a == 'C' && b == 'A')))
    *epsilon = 0.2L, *sigma = 1.2L;
  if (s->special == 2 && a == 'B' && b == 'B') *epsilon = 0;
}

/* v, without a switch: up to u = r^2 of 0.64 cutoff^2 that is the potential; beyond it is
 * multiplied by a polynomial of degree 7 in t. */
static long double potential(const setting *s, long double epsilon, long double sigma,
                             long double r) {
  const long double six = powl(sigma / r, 6), v = 4 * epsilon * (six * six - six);
  if (epsilon == 0) return 0;
  if (s->cutoff == 0) return r < powl(2, 1 / 6.0L) * sigma ? v + epsilon : 0;
  const long double a = 0.64L * s->cutoff * s->cutoff, b = (long double)s->cutoff * s->cutoff,
                    t = (r * r - a) / (b - a);
  if (t <= 0) return v;
  return t >= 1 ? 0 : v * (1 - powl(t, 4) * (35 - 84 * t + 70 * t * t - 20 * t * t * t));
}

/* V and its gradient, in an order of its own; derivatives are differences. */
static long double all_pairs(const setting *s, const double *q, long double *gradient) {
  const int beads = OWN * s->copies;
  const double box[3] = {s->box, s->box + 1, s->box + 2};
  int apart[OWN][OWN];
  long double V = 0;
  count_bonds(apart);
  for (int k = 0; k < 3 * beads; k++) gradient[k] = 0;
  for (int i = beads - 1; i >= 0; i--)
    for (int j = i - 1; j >= 0; j--) {
      const int far = i / OWN == j / OWN ? apart[i % OWN][j % OWN] : 100;
      long double d[3], r = 0, epsilon, sigma;
      for (int k = 0; k < 3; k++) {
        d[k] = (long double)q[3 * i + k] - q[3 * j + k];
        if (s->box > 0) d[k] -= box[k] * roundl(d[k] / box[k]);
        r += d[k] * d[k];
      }
      if (far <= s->exclude) continue;
      const long double scale = far == 3 ? s->scale : 1, h = 1e-5L;
      r = sqrtl(r);
      mix(s, of_bead[i % OWN], of_bead[j % OWN], &epsilon, &sigma);
      V += scale * potential(s, epsilon, sigma, r);
      const long double slope =
          scale *
          (8 * (potential(s, epsilon, sigma, r + h) - potential(s, epsilon, sigma, r - h)) -
           potential(s, epsilon, sigma, r + 2 * h) + potential(s, epsilon, sigma, r - 2 * h)) /
          (12 * h);
      for (int k = 0; k < 3; k++)
        gradient[3 * i + k] += slope * d[k] / r, gradient[3 * j + k] -= slope * d[k] / r;
    }
  return V;
}

static void test_oracle(void **state) {
  (void)state;
  for (int k = 0; k < SETTINGS; k++) {
    const setting *s = &settings[k];
    made m = make(s, RATTLE_EVALUATOR_BLOCK);
    const int n = 3 * OWN * s->copies;
    static double q[MOST_N], p[MOST_N], J[MOST_N];
    static long double gradient[MOST_N];
    double V, *work = calloc(m.problem->V->work, sizeof *work);
    long double most = 0, off = 0;
    start(&m, q, p);
    const long double expected = all_pairs(s, q, gradient);
    assert_int_equal(m.problem->V->jacobian(m.problem->V, q, &V, J, work), 0);
    for (int c = 0; c < n; c++) {
      most = fmaxl(most, fabsl(gradient[c]));
      off = fmaxl(off, fabsl(gradient[c] - J[c]));
    }
    if (!(most > 0.1L)) fail_msg("setting %d: no beads meet", k);
    if (!(off < 1e-8L * most)) fail_msg("setting %d: forces off by %Lg of %Lg", k, off, most);
    if (!(fabsl(V - expected) < 1e-12L * (n + fabsl(expected))))
      fail_msg("setting %d: V %.17g, not %.17Lg", k, V, expected);
    free(work);
    drop(&m);
  }
}

/* --- bits ------------------------------------------------------------------------------------- */

/* With lists of any age V and its gradient have the bits of a problem that has never been
 * evaluated. */
static void test_lists(void **state) {
  (void)state;
  for (int k = 0; k < SETTINGS; k++) {
    const setting *s = &settings[k];
    made m = make(s, RATTLE_EVALUATOR_BLOCK);
    const size_t n = 3 * OWN * (size_t)s->copies;
    static double q[MOST_N], p[MOST_N], J[2][MOST_N];
    double V[2], *work = calloc(m.problem->V->work, sizeof *work);
    uint64_t random = 7;
    start(&m, q, p);
    for (int step = 0; step < 12; step++) {
      for (size_t c = 0; c < n; c++) q[c] += 0.04 * rattle__random_signed(&random);
      made fresh = make(s, RATTLE_EVALUATOR_BLOCK);
      m.problem->V->jacobian(m.problem->V, q, &V[0], J[0], work);
      fresh.problem->V->jacobian(fresh.problem->V, q, &V[1], J[1], work);
      assert_memory_equal(&V[0], &V[1], sizeof *V);
      assert_memory_equal(J[0], J[1], n * sizeof **J);
      drop(&fresh);
    }
    free(work);
    drop(&m);
  }
}

/* A run by both evaluators, and in two parts, with the same bits; its energy stays. */
static void test_runs(void **state) {
  (void)state;
  const setting s = {"lennard_jones", "cutoff = 2.2,", 2, 0.5, 4, 0, 0, 2.2, 0};
  static double q[3][MOST_N], p[3][MOST_N];
  double first = 0, last = 0;
  for (int turn = 0; turn < 3; turn++) {
    made m = make(&s, turn == 1 ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK);
    rattle_integrator *integrator = NULL;
    start(&m, q[turn], p[turn]);
    rattle_problem_energy(m.problem, q[turn], p[turn], &first, NULL);
    rattle_state at = {.q = q[turn], .p = p[turn], .h = 0.001};
    for (int part = 0; part < 2; part++) {
      if (part == 0 || turn == 2) {
        rattle_integrator_destroy(&integrator);
        assert_int_equal(
            rattle_integrator_create(&integrator, m.problem, "rattle(verlet)", &m.error),
            RATTLE_OK);
      }
      if (rattle_integrator_step(integrator, &at, part ? 290 : 110, &m.error))
        fail_msg("%s", m.error.message);
    }
    rattle_problem_energy(m.problem, q[turn], p[turn], &last, NULL);
    if (!(fabs(last - first) < 2e-3 * fabs(first)))
      fail_msg("the energy went from %.10g to %.10g", first, last);
    rattle_integrator_destroy(&integrator);
    drop(&m);
    assert_memory_equal(q[turn], q[0], sizeof q[0]);
    assert_memory_equal(p[turn], p[0], sizeof p[0]);
  }
}

/* Second derivatives, scaled pairs among them, are those that differences give. */
static void test_second_derivatives(void **state) {
  (void)state;
  const setting s = {"lennard_jones", "cutoff = 2.2,", 2, 0.5, 4, 0, 0, 2.2, 0};
  static double q[MOST_N], p[MOST_N], J[2][MOST_N];
  made m = make(&s, RATTLE_EVALUATOR_BLOCK);
  const rattle__function *V = m.problem->V;
  const int n = V->vars;
  double *S = calloc((size_t)V->hess_nnz, sizeof *S), *work = calloc(V->work, sizeof *work),
         most = 0;
  start(&m, q, p);
  assert_int_equal(V->hess_nnz, n * n);
  assert_int_equal(V->hessian(V, q, NULL, S, work), 0);
  for (int i = 0; i < n; i++) {
    const double at = q[i], h = 1e-5;
    for (int side = 0; side < 2; side++) {
      q[i] = at + (side ? h : -h);
      V->jacobian(V, q, NULL, J[side], work);
    }
    q[i] = at;
    for (int j = 0; j < n; j++) {
      const double slope = (J[1][j] - J[0][j]) / (2 * h);
      most = fmax(most, fabs(slope));
      if (!(fabs(S[i * n + j] - slope) < 1e-4 * (1 + fabs(slope))))
        fail_msg("V'' %d %d: %g, not %g", i, j, S[i * n + j], slope);
    }
  }
  assert_true(most > 1);
  free(S);
  free(work);
  drop(&m);
}

/* --- the function of C ------------------------------------------------------------------------ */

static const char *refused(rattle_pair_potential *potential, int status) {
  static rattle_error error;
  rattle_model *model = NULL;
  if (rattle_model_parse(&model, "molecule { beads = 4 }", "m.lua", NULL, &error))
    fail_msg("%s", error.message);
  error = (rattle_error){0};
  assert_int_equal(rattle_model_add_pair_potential(model, potential, &error), status);
  assert_int_equal(rattle_model_pair_potentials(model), !status);
  rattle_model_destroy(&model);
  return error.message;
}

static void test_refusals(void **state) {
  (void)state;
  static const int pairs[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, kinds[] = {0, 1, 0, 1},
                   beyond[] = {0, 1, 0, 2};
  static const int excluded[] = {0, 1, 3, 2}, again[] = {0, 2, 2, 0}, out[] = {2, 3, 0, 2},
                   one[] = {1, 1, 0, 2}, sound[] = {0, 2, 1, 3};
  static const double epsilons[] = {1, 0.5}, none[] = {0, 0}, negative[] = {1, -1},
                      sigmas[] = {1, 1.2}, flat[] = {1, 0};
  const rattle_pair_special special[] = {{{0, 1}, 0.3, 1.1}, {{0, 2}, 1, 1}, {{1, 1}, 1, 0}};
  const rattle_pair_potential whole = {.struct_size = sizeof whole,
                                       .kind = "lennard_jones",
                                       .beads = 4,
                                       .pairs = pairs,
                                       .excluded = 2,
                                       .exclusions = excluded,
                                       .kinds = 2,
                                       .bead_kind = kinds,
                                       .epsilons = epsilons,
                                       .sigmas = sigmas,
                                       .specials = 1,
                                       .special = special,
                                       .scaled = 2,
                                       .scaled_pairs = sound,
                                       .scale = 0.5};
  rattle_pair_potential p = whole;
  assert_string_equal(refused(&p, RATTLE_OK), "");
#define REFUSED(what, words)                                                                       \
  p = whole, p.what;                                                                               \
  if (!strstr(refused(&p, RATTLE_BAD_ARGUMENT), words))                                            \
  fail_msg("%s: %s", words, refused(&p, RATTLE_BAD_ARGUMENT))
  REFUSED(bead_kind = beyond, "kind 2 of a bead does not exist");
  REFUSED(epsilons = negative, "epsilon of a kind of beads must be at least 0");
  REFUSED(sigmas = flat, "sigma of a kind of beads must be above 0");
  REFUSED(epsilons = none; p.specials = 0, "there are no forces");
  REFUSED(mixing = "arithmetic", "the mixing rule \"arithmetic\" is not known");
  REFUSED(specials = 2, "kind 2 of a special pair does not exist");
  REFUSED(special = special + 2, "sigma of a kind");
  REFUSED(scaled_pairs = again, "a scaled pair occurs twice");
  REFUSED(scaled_pairs = out, "a scaled pair is excluded too");
  REFUSED(scaled_pairs = one, "a scaled pair is one bead twice");
  REFUSED(scale = -1, "the scale of pairs must be at least 0");
  REFUSED(kinds = -1, "expected 0 to 1000 kinds");
  REFUSED(sigmas = NULL, "a list is NULL");
  REFUSED(pairs = NULL, "a list is NULL");
#undef REFUSED
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle), cmocka_unit_test(test_lists), cmocka_unit_test(test_runs),
      cmocka_unit_test(test_second_derivatives), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
