/* Symmetric multistep methods beyond the claims of their rows:
 *
 *   - their coefficients: order conditions, zeros of rho and sigma on the unit circle;
 *   - they are what their source describes: the recurrence taken literally, in long double and with
 *     dense Newton, gives the same
 * points;
 *   - one force, one solve for lambda and one for psi = 0 a step;
 *   - the declared state: resumed, in another integrator too, bit for bit; turned round, a run
 *     retraces its points; another h
 * begins anew; a failed step changes nothing;
 *   - steps that are too long fail, or are right: none jumps to the other side;
 *   - long runs without drift of the energy; a chain of 10^4 links. */
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "method/coefficients/multistep.h"
#include "problem/functions/probe.h"
#include "maps/plan/compile.h"

static const char *const methods[] = {"multistep4", "multistep6", "multistep8"};
enum { METHODS = 3, MOST_STEPS = 8 };

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static void run(claims_library *library, double h, long long steps, int n, double *z) {
  rattle_state state = {.q = z, .p = z + n, .h = h};
  rattle_error error;
  if (rattle_integrator_step(library->integrator, &state, steps, &error) != RATTLE_OK)
    fail_msg("%s", error.message);
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static int is_natural(const tests_problem *problem) {
  return !strcmp(problem->kind, "natural");
}

/* --- coefficients --- */

/* alpha and beta of the method with K steps. */
static void coefficients(int which, int *steps, long double *alpha, long double *beta) {
  rattle__recurrence c;
  assert_true(rattle__recurrence_of(methods[which], &c));
  const int K = 2 * c.half;
  *steps = K;
  assert_int_equal(K, rattle__method_find(methods[which], strlen(methods[which]))->claims.order);
  for (int j = 0; j <= K; j++) {
    alpha[j] = (j <= K - 2 ? (long double)c.pi[j] : 0) -
               (j >= 1 && j <= K - 1 ? 2 * (long double)c.pi[j - 1] : 0) +
               (j >= 2 ? (long double)c.pi[j - 2] : 0);
    beta[j] = j == 0 || j == K ? 0 : c.beta[abs(j - K / 2)];
  }
}

/* sum alpha_j x_j^r - r (r-1) sum beta_j x_j^(r-2) with x_j = j - K/2 */
static long double defect(int K, const long double *alpha, const long double *beta, int r) {
  long double sum = 0;
  for (int j = 0; j <= K; j++) {
    const long double x = j - K / 2;
    sum += alpha[j] * (r ? powl(x, r) : 1);
    if (r >= 2) sum -= r * (r - 1) * beta[j] * (r > 2 ? powl(x, r - 2) : 1);
  }
  return sum;
}

/* Zeros on the open upper half of the unit circle, of symmetric coefficients: sign changes of a
 * real function. */
static int zeros_on_circle(int K, const long double *x) {
  int count = 0;
  long double before = 0;
  for (int i = 1; i < 20000; i++) {
    const long double theta = 3.14159265358979323846L * i / 20000;
    long double value = x[K / 2];
    for (int j = 1; j <= K / 2; j++) value += 2 * x[K / 2 + j] * cosl(j * theta);
    if (i > 1 && (value > 0) != (before > 0)) count++;
    before = value;
  }
  return count;
}

static void test_coefficients(void **state) {
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    long double alpha[MOST_STEPS + 1], beta[MOST_STEPS + 1];
    int K;
    coefficients(i, &K, alpha, beta);
    for (int r = 0; r <= K + 1; r++)
      assert_true(fabsl(defect(K, alpha, beta, r)) < 1e-15L * powl(K / 2, r + 2));
    assert_true(fabsl(defect(K, alpha, beta, K + 2)) > 1);
    assert_int_equal(zeros_on_circle(K, alpha), K / 2 - 1); /* and the double one at 1 */
    assert_int_equal(zeros_on_circle(K, beta), K / 2 - 1); /* of degree K-2 once z is divided out */
  }
}

/* --- the recurrence as the source has it --- */

typedef struct literal {
  const tests_problem *problem;
  int K;
  long double alpha[MOST_STEPS + 1], beta[MOST_STEPS + 1], h;
  long double q[MOST_STEPS + 1][TESTS_MAX_N],
      a[MOST_STEPS + 1][TESTS_MAX_N]; /* q_j, j = 0..K; a_j, j = 1..K-1 */
  long double inverse_mass[TESTS_MAX_N][TESTS_MAX_N];
} literal;

/* M^-1 from H, which is quadratic in p */
static void find_masses(literal *s) {
  const int n = s->problem->n;
  for (int k = 0; k < n; k++) {
    long double z[TESTS_MAX_2N] = {0}, gradient[TESTS_MAX_2N];
    z[n + k] = 1;
    reference_gradient(s->problem, z, gradient);
    memcpy(s->inverse_mass[k], gradient + n, sizeof *gradient * (size_t)n);
  }
}

static void force(const literal *s, const long double *q, long double *a) {
  long double z[TESTS_MAX_2N] = {0}, gradient[TESTS_MAX_2N];
  memcpy(z, q, sizeof *q * (size_t)s->problem->n);
  reference_gradient(s->problem, z, gradient);
  for (int k = 0; k < s->problem->n; k++) {
    a[k] = 0;
    for (int j = 0; j < s->problem->n; j++) a[k] -= s->inverse_mass[k][j] * gradient[j];
  }
}

/* y [n] -= M^-1 G(q)^T w */
static void take_constraint_forces(const literal *s, const long double *q, const long double *w,
                                   long double *y) {
  const int n = s->problem->n, m = s->problem->m;
  long double z[TESTS_MAX_2N] = {0}, G[TESTS_MAX_M * TESTS_MAX_2N];
  memcpy(z, q, sizeof *q * (size_t)n);
  if (m) reference_jacobian(s->problem, z, G);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) y[k] -= s->inverse_mass[k][j] * G[i * 2 * n + j] * w[i];
}

/* q_K and a_{K-1} from the others, by Newton's method */
static void literal_step(literal *s) {
  const int n = s->problem->n, m = s->problem->m, K = s->K;
  long double lambda[TESTS_MAX_M] = {0}, base[TESTS_MAX_N], f[TESTS_MAX_N];
  force(s, s->q[K - 1], f);
  for (int k = 0; k < n; k++) {
    base[k] = s->h * s->h * s->beta[K - 1] * f[k];
    for (int j = 0; j < K; j++) base[k] -= s->alpha[j] * s->q[j][k];
    for (int j = 1; j < K - 1; j++) base[k] += s->h * s->h * s->beta[j] * s->a[j][k];
  }
  for (int iteration = 0; iteration < 12; iteration++) {
    long double z[TESTS_MAX_2N] = {0}, g[TESTS_MAX_M], G[TESTS_MAX_M * TESTS_MAX_2N],
                A[TESTS_MAX_M * TESTS_MAX_M];
    long double w[TESTS_MAX_M];
    for (int i = 0; i < m; i++) w[i] = s->h * s->h * s->beta[K - 1] * lambda[i];
    memcpy(z, base, sizeof *z * (size_t)n);
    take_constraint_forces(s, s->q[K - 1], w, z);
    memcpy(s->q[K], z, sizeof *z * (size_t)n);
    if (!m) break;
    reference_constraint(s->problem, z, g);
    reference_jacobian(s->problem, z, G);
    for (int j = 0; j < m; j++) {
      long double unit[TESTS_MAX_M] = {0}, column[TESTS_MAX_N] = {0};
      unit[j] = s->h * s->h * s->beta[K - 1];
      take_constraint_forces(s, s->q[K - 1], unit, column);
      for (int i = 0; i < m; i++) {
        A[i * m + j] = 0;
        for (int k = 0; k < n; k++) A[i * m + j] -= G[i * 2 * n + k] * column[k];
      }
    }
    assert_int_equal(reference_solve(m, A, g), 0);
    for (int i = 0; i < m; i++) lambda[i] += g[i];
  }
  memcpy(s->a[K - 1], f, sizeof f);
  take_constraint_forces(s, s->q[K - 1], lambda, s->a[K - 1]);
}

/* The points of the exact motion, and its accelerations */
static void literal_start(literal *s, const double *z0) {
  const int n = s->problem->n;
  for (int j = 0; j < s->K; j++) {
    long double z[TESTS_MAX_2N], N[TESTS_MAX_M * TESTS_MAX_M], lambda[TESTS_MAX_M] = {0};
    for (int k = 0; k < 2 * n; k++) z[k] = z0[k];
    const int from_start = j + 1 - s->K / 2;
    if (from_start) assert_int_equal(reference_flow(s->problem, from_start * s->h, 4, z), 0);
    memcpy(s->q[j], z, sizeof *z * (size_t)n);
    if (s->problem->m) assert_int_equal(reference_multipliers(s->problem, z, N, lambda), 0);
    force(s, z, s->a[j]);
    take_constraint_forces(s, z, lambda, s->a[j]);
  }
}

static void test_literal(void **state) {
  (void)state;
  static const double start[METHODS] = {1e-9, 2e-11, 5e-12};
  int compared = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    if (!is_natural(problem) && strcmp(problem->name, "henon_heiles") != 0) continue;
    for (int k = 0; k < METHODS; k++, compared++) {
      static literal s;
      const int n = problem->n, steps = 60;
      double z[TESTS_MAX_2N], miss = 0;
      claims_library library;
      s = (literal){.problem = problem, .h = 0.02L};
      coefficients(k, &s.K, s.alpha, s.beta);
      find_masses(&s);
      claims_start(problem, z, z + n);
      literal_start(&s, z);
      open(&library, problem, methods[k]);
      /* K points end at K/2; each step of the literal method makes the next */
      run(&library, 0.02, s.K / 2 + steps, n, z);
      for (int step = 0; step < steps; step++) {
        literal_step(&s);
        memmove(s.q[0], s.q[1], sizeof s.q[0] * (size_t)s.K);
        memmove(s.a[0], s.a[1], sizeof s.a[0] * (size_t)s.K);
      }
      for (int c = 0; c < n; c++) miss = fmax(miss, fabs((double)(s.q[s.K - 1][c] - z[c])));
      if (!(miss < start[k])) /* the start is exact there, here O(h^(K+3)) */
        fail_msg("%s on %s is %g from the literal recurrence", methods[k], problem->name, miss);
      claims_library_close(&library);
    }
  }
  assert_true(compared >= 12);
}

/* --- what a step costs --- */

static void test_counts(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const tests_problem *problem = tests_problem_named("double_pendulum");
    double z[TESTS_MAX_2N];
    claims_library library;
    open(&library, problem, methods[k]);
    claims_start(problem, z, z + problem->n);
    run(&library, 0.04, 1, problem->n, z);
    const int K = 4 + 2 * k;
    rattle_counts counts = rattle_integrator_counts(library.integrator);
    assert_int_equal(counts.gradient, 6 * K - 11 + 1); /* of the start, and one */
    rattle_integrator_reset(library.integrator);
    run(&library, 0.04, 100, problem->n, z);
    counts = rattle_integrator_counts(library.integrator);
    assert_int_equal(counts.gradient, 100);
    assert_int_equal(counts.position_projections, 100);
    assert_int_equal(counts.momentum_projections, 100);
    /* from extrapolated multipliers, by the text for few constraints: G at both ends of the
     * correction, and at the state */
    assert_true(counts.newton_iterations <= 105);
    assert_true(counts.jacobian <= 305);
    assert_int_equal(counts.factorisation, 0);
    assert_int_equal(counts.followed, 0);
    claims_library_close(&library);
  }
}

/* --- the declared state --- */

static void same_bits(const double *a, const double *b, int count, const char *what) {
  if (memcmp(a, b, sizeof *a * (size_t)count)) fail_msg("%s changes bits", what);
}

static void test_resume(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const tests_problem *problem = tests_problem_named("double_pendulum");
    const int n = problem->n;
    double once[TESTS_MAX_2N], z[TESTS_MAX_2N], other[TESTS_MAX_2N], *extra;
    claims_library first, second;
    open(&first, problem, methods[k]);
    const int size = rattle_integrator_extra(first.integrator);
    assert_true(size > 0);
    extra = malloc(sizeof *extra * (size_t)size);
    claims_start(problem, once, once + n);
    run(&first, 0.02, 40, n, once);

    /* stepping singly, and in pieces with the past carried to an integrator that was never used
     * before */
    claims_start(problem, z, z + n);
    for (int i = 0; i < 17; i++) run(&first, 0.02, 1, n, z);
    rattle_integrator_get_extra(first.integrator, extra);
    open(&second, problem, methods[k]);
    memcpy(other, z, sizeof z);
    rattle_integrator_set_extra(second.integrator, extra);
    run(&second, 0.02, 23, n, other);
    same_bits(other, once, 2 * n, "resuming");
    run(&first, 0.02, 23, n, z);
    same_bits(z, once, 2 * n, "stepping singly");

    /* back in the integrator that has gone elsewhere since */
    memcpy(z, other, sizeof z);
    claims_start(problem, z, z + n);
    run(&first, 0.02, 17, n, z);
    run(&second, 0.02, 5, n, other);
    rattle_integrator_set_extra(second.integrator, extra);
    memcpy(other, z, sizeof z);
    run(&second, 0.02, 23, n, other);
    same_bits(other, once, 2 * n, "other work between");

    /* without its past the run goes another way, if not far */
    claims_library_close(&first);
    open(&first, problem, methods[k]);
    run(&first, 0.02, 23, n, z);
    assert_true(apart(z, once, 2 * n) > 0 && apart(z, once, 2 * n) < 1e-4);
    free(extra);
    claims_library_close(&first);
    claims_library_close(&second);
  }
}

static void test_turned_round(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "spherical", "double_pendulum", "henon_heiles"};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < METHODS; k++) {
      const tests_problem *problem = tests_problem_named(names[i]);
      const int n = problem->n, steps = 200;
      double z[TESTS_MAX_2N], first[TESTS_MAX_2N], start[TESTS_MAX_2N];
      claims_library library;
      open(&library, problem, methods[k]);
      claims_start(problem, z, z + n);
      memcpy(start, z, sizeof z);
      run(&library, 0.03, 1, n, z);
      memcpy(first, z, sizeof z);
      run(&library, 0.03, steps, n, z);
      const long long forces = rattle_integrator_counts(library.integrator).gradient;
      run(&library, -0.03, steps, n, z);
      /* the past is turned round, not made anew */
      assert_int_equal(rattle_integrator_counts(library.integrator).gradient, forces + steps);
      if (!(apart(z, first, 2 * n) < 1e-11))
        fail_msg("%s on %s: %g", methods[k], problem->name, apart(z, first, 2 * n));
      run(&library, -0.03, 1, n,
          z); /* the momenta given were not those of the difference formula */
      if (!(apart(z, start, n) < 1e-11))
        fail_msg("%s on %s: %g", methods[k], problem->name, apart(z, start, n));
      claims_library_close(&library);
    }
}

static void test_another_step_begins_anew(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const tests_problem *problem = tests_problem_named("spherical");
    double z[TESTS_MAX_2N], other[TESTS_MAX_2N];
    claims_library library, fresh;
    open(&library, problem, methods[k]);
    open(&fresh, problem, methods[k]);
    claims_start(problem, z, z + problem->n);
    run(&library, 0.02, 10, problem->n, z);
    memcpy(other, z, sizeof z);
    run(&library, 0.03, 10, problem->n, z);
    run(&fresh, 0.03, 10, problem->n, other);
    same_bits(z, other, 2 * problem->n, "what was before another step");
    claims_library_close(&library);
    claims_library_close(&fresh);
  }
}

/* The integrator's calls of the map after a failure behind its step. */
static void test_undo(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const tests_problem *problem = tests_problem_named("double_pendulum");
    const size_t n = (size_t)problem->n;
    double z[4][TESTS_MAX_2N];
    claims_library library;
    rattle_error error;
    rattle__map *map = NULL;
    open(&library, problem, "rattle(verlet)");
    rattle__context context = {
        .problem = library.problem,
    };
    rattle__node *node = rattle__method_parse(methods[k], &error);
    assert_int_equal(rattle__compile(&map, &context, node, &error), RATTLE_OK);
    const size_t size = (size_t)context.memory[0].count;
    double *before = malloc(size * sizeof *before);
    claims_start(problem, z[0], z[0] + n);
    for (int i = 0; i < 60; i++) {
      memcpy(before, context.memory[0].array, size * sizeof *before);
      assert_int_equal(map->apply(map, 0.04, z[0], z[1], &error), RATTLE_OK);
      assert_memory_not_equal(context.memory[0].array, before, size * sizeof *before);
      map->undo(map);
      assert_memory_equal(context.memory[0].array, before, size * sizeof *before);
      assert_int_equal(map->apply(map, 0.04, z[0], z[2], &error), RATTLE_OK);
      assert_memory_equal(z[1], z[2], 2 * n * sizeof(double));
      memcpy(z[0], z[2], 2 * n * sizeof(double));
    }
    map->destroy(map);
    rattle__node_destroy(node);
    rattle__probe_destroy(&context.probe);
    rattle__arena_release(&context.arena);
    free(before);
    claims_library_close(&library);
  }
}

/* A potential whose border the front meets before the state does. */
static const char walled[] =
    "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
    "hamiltonian((p1^2 + p2^2)/2 + 0.001*sqrt(1.5 - q1))\nconstrain('parabola', q2 - 0.125*q1^2)\n";

static void test_failure_changes_nothing(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    tests_problem problem = *tests_problem_named("pendulum");
    double z[4] = {0, 0, 1, 0}, before[4];
    claims_library library;
    rattle_error error;
    problem.model = walled;
    open(&library, &problem, methods[k]);
    const size_t size = (size_t)rattle_integrator_extra(library.integrator);
    double *extra = malloc(2 * size * sizeof *extra), *after = extra + size;
    rattle_state at = {.q = z, .p = z + 2, .h = 0.05};
    rattle_status status = RATTLE_OK;
    for (int step = 0; step < 100 && !status; step++) {
      memcpy(before, z, sizeof z);
      rattle_integrator_get_extra(library.integrator, extra);
      status = rattle_integrator_step(library.integrator, &at, 1, &error);
    }
    rattle_integrator_get_extra(library.integrator, after);
    assert_int_equal(status, RATTLE_DOMAIN);
    assert_true(z[0] > 1 && z[0] < 1.5);
    same_bits(z, before, 4, "a failed step");
    same_bits(after, extra, (int)size, "a failed step, of the declared state,");
    /* so does one that would have begun anew, or turned round; then the run goes back */
    at.h = 10;
    assert_int_not_equal(rattle_integrator_step(library.integrator, &at, 1, &error), RATTLE_OK);
    rattle_integrator_get_extra(library.integrator, after);
    same_bits(z, before, 4, "a failed start");
    same_bits(after, extra, (int)size, "a failed start, of the declared state,");
    at.h = -0.05;
    assert_int_equal(rattle_integrator_step(library.integrator, &at, 5, &error), RATTLE_OK);
    assert_true(z[0] < before[0] - 0.2);
    free(extra);
    claims_library_close(&library);
  }
}

/* --- steps that are too long --- */

/* A particle on the unit circle at the speed 1: one step of h turns it by h. */
static const char rotor[] = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
                            "hamiltonian((p1^2 + p2^2)/2)\nconstrain('circle', q1^2 + q2^2 - 1)\n";

static void test_too_long_steps(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    int good = 0, failed = 0;
    double longest = 0;
    for (double h = 0.05; h < 4; h *= 1.04) {
      tests_problem problem = *tests_problem_named("pendulum");
      double z[4] = {1, 0, 0, 1};
      claims_library library;
      rattle_error error;
      rattle_status status = RATTLE_OK;
      problem.model = rotor;
      open(&library, &problem, methods[k]);
      rattle_state at = {.q = z, .p = z + 2, .h = h};
      int wrong = 0;
      for (int step = 0; step < 2000 && !status; step++) {
        const double x = z[0], y = z[1];
        status = rattle_integrator_step(library.integrator, &at, 1, &error);
        if (status) break;
        const double turned = atan2(x * z[1] - y * z[0], x * z[0] + y * z[1]);
        /* right to some per cent, at the right speed; where instability has set in, the run is over
         * after a few steps */
        wrong += !(fabs(turned - h) < 0.15 * h && fabs(z[2] * z[2] + z[3] * z[3] - 1) < 0.3);
        if (wrong > 20)
          fail_msg("%s, h = %g: step %d turns by %g, p^2 = %g", methods[k], h, step, turned,
                   z[2] * z[2] + z[3] * z[3]);
      }
      if (!status && wrong) fail_msg("%s, h = %g: %d wrong steps at the end", methods[k], h, wrong);
      good += !status;
      failed += status != RATTLE_OK;
      if (!status && h > longest) longest = h;
      claims_library_close(&library);
    }
    print_message(
        "%s: circle at speed 1, 2000 steps of up to h = %.2f, %d lengths good, %d refused\n",
        methods[k], longest, good, failed);
    assert_true(good > 10 && failed > 10);
  }
}

/* A free body beside an oscillator, however fast, hides no divergence of it, and makes none. */
static void test_free_body(void **state) {
  (void)state;
  static const char with_free[] =
      "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
      "hamiltonian((p1^2 + p2^2)/2 + abs(q1) + q1^2/2)\n";
  static const double speed[] = {0, 1e3, 1e9};
  for (int k = 0; k < METHODS; k++)
    for (double h = 0.02; h < 4; h *= 3) {
      long long ended[3];
      for (int i = 0; i < 3; i++) {
        tests_problem problem = *tests_problem_named("pendulum");
        double z[4] = {1, 0, 0, speed[i]};
        claims_library library;
        rattle_error error;
        problem.model = with_free;
        open(&library, &problem, methods[k]);
        rattle_state at = {.q = z, .p = z + 2, .h = h};
        (void)rattle_integrator_step(library.integrator, &at, 500, &error);
        ended[i] = at.step;
        claims_library_close(&library);
      }
      if (ended[1] != ended[0] || ended[2] != ended[0])
        fail_msg("%s, h = %g: %lld steps, with a free body %lld and %lld", methods[k], h, ended[0],
                 ended[1], ended[2]);
    }
}

static void test_interval_of_stability(void **state) {
  (void)state;
  /* known beforehand: rho(z) + (h omega)^2 sigma(z) has all zeros on the unit circle up to there.
   * Longer steps, refused below, are stable, and wrong by a tenth */
  static const double ends[METHODS] = {1.733, 0.827, 0.939};
  for (int k = 0; k < METHODS; k++) {
    double last = 0;
    for (double h = 0.5; h < 1.3; h += 0.004) {
      tests_problem problem = *tests_problem_named("henon_heiles");
      double z[4] = {1, 0.5, 0, 0};
      claims_library library;
      problem.model = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
                      "hamiltonian((p1^2 + p2^2 + q1^2 + q2^2)/2)\n";
      open(&library, &problem, methods[k]);
      rattle_state at = {.q = z, .p = z + 2, .h = h};
      const rattle_status status = rattle_integrator_step(library.integrator, &at, 20000, NULL);
      claims_library_close(&library);
      if (status) break;
      assert_true(fabs(z[0]) < 2);
      last = h;
    }
    print_message("%s: harmonic oscillator, 20000 steps of up to h omega = %.3f\n", methods[k],
                  last);
    assert_true(last > 0.55 && last <= ends[k] + 0.004);
  }
}

/* --- long runs, large problems --- */

static void test_long_run(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "spherical", "double_pendulum"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < METHODS; k++) {
      claims_library library;
      claims_measured found;
      const tests_problem *problem = tests_problem_named(names[i]);
      open(&library, problem, methods[k]);
      const claims_map map = {problem, claims_library_step, NULL, &library, 0};
      assert_int_equal(claims_measure_energy(&map, 0.02, 300000, &found), 0);
      const rattle_residuals residuals = rattle_integrator_residuals(library.integrator);
      if (!(residuals.g <= 4e-15 && residuals.psi <= 4e-14))
        fail_msg("%s on %s: |g| grew to %g, |psi| to %g", methods[k], problem->name, residuals.g,
                 residuals.psi);
      if (!(found.energy_trend < 0.1 && found.energy_amplitude < 2e-4))
        fail_msg("%s on %s: energy error %g with a trend of %g", methods[k], problem->name,
                 found.energy_amplitude, found.energy_trend);
      claims_library_close(&library);
    }
}

/* A staircase of N links of length 1, let go. */
static const char staircase[] =
    "local N = parameter('N', 10)\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', N)\n"
    "for i = 1, N do hamiltonian((px[i]^2 + py[i]^2)/2 + y[i]) end\n"
    "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
    "for i = 2, N do constrain('link[' .. i .. ']', (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) "
    "end\n"
    "for i = 1, N do start { [x[i]] = math.ceil(i/2), [y[i]] = math.floor(i/2) } end\n";

static double *end_of_chain(int N, const char *method, double h, int steps, const char **solver) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  const rattle_parameter given = {"N", N};
  const rattle_model_options options = {.parameters = &given, .parameter_count = 1};
  rattle_status status = rattle_model_parse(&model, staircase, "staircase", &options, &error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
  const int n = 2 * N;
  double *z = malloc(sizeof *z * 2 * (size_t)n);
  if (!status) status = rattle_problem_start(problem, 0, z, z + n, NULL, &error);
  if (!status) status = rattle_integrator_create(&integrator, problem, method, &error);
  if (status) fail_msg("%s", error.message);
  rattle_state at = {.q = z, .p = z + n, .h = h};
  status = rattle_integrator_step(integrator, &at, steps, &error);
  if (status) fail_msg("%s, N = %d: %s", method, N, error.message);
  *solver = rattle_integrator_solver(integrator);
  assert_true(rattle_integrator_residuals(integrator).g < 1e-12 * N);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return z;
}

static void test_chains(void **state) {
  (void)state;
  static const double bound[METHODS] = {2e-5, 2e-6, 2e-7};
  const char *solver;
  double *good = end_of_chain(30, "kahan_li8(rattle(verlet))", 0.02, 100, &solver);
  for (int k = 0; k < METHODS; k++) {
    double *z = end_of_chain(30, methods[k], 0.02, 100, &solver);
    print_message("%s: chain of 30 links, h = 0.02, error at t = 2 %.2g\n", methods[k],
                  apart(z, good, 120));
    assert_true(apart(z, good, 120) < bound[k]);
    free(z);
  }
  free(good);
  free(end_of_chain(10000, "multistep8", 0.02, 12, &solver));
  assert_string_equal(solver, "tridiagonal");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_coefficients),
                                     cmocka_unit_test(test_free_body),
                                     cmocka_unit_test(test_literal),
                                     cmocka_unit_test(test_counts),
                                     cmocka_unit_test(test_resume),
                                     cmocka_unit_test(test_turned_round),
                                     cmocka_unit_test(test_another_step_begins_anew),
                                     cmocka_unit_test(test_failure_changes_nothing),
                                     cmocka_unit_test(test_undo),
                                     cmocka_unit_test(test_too_long_steps),
                                     cmocka_unit_test(test_interval_of_stability),
                                     cmocka_unit_test(test_long_run),
                                     cmocka_unit_test(test_chains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
