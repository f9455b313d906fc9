/* Properties of the projections:
 *
 *   - a momentum projection changes the energy by O(h^{2r+2}) after a map of order r, exactly by
 *     -1/2 psi^T R^-1 psi for natural H; a position projection by O(h^{r+1});
 *   - positions move mass-orthogonally to the nearest point and momenta along the fibre, at any
 *     distance;
 *   - on impetuses the momentum projection is a gauge transformation;
 *   - tol= and every= project only where they say, keep their promises, and all is counted;
 *   - a point that cannot be projected is refused, or fails with a sentence and the state
 *     untouched.
 *
 * Symbols: G = g_q, R = G M^-1 G^T, W the inverse metric: M^-1 or H_pp. */
#include "common_claims.h"

#include "../reference/common_second_class.h"
#include "common_fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error))
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static void step(claims_library *library, double h, long long steps, int n, double *z) {
  rattle_state state = {.q = z, .p = z + n, .h = h};
  rattle_error error;
  if (rattle_integrator_step(library->integrator, &state, steps, &error))
    fail_msg("%s", error.message);
}

/* z projected onto g = 0, psi = 0 or both, by the output with project=output */
static void project(const tests_problem *problem, const char *onto, double *z) {
  claims_library library;
  char method[80];
  snprintf(method, sizeof method, "project(rk4(dirac), %s, project=output)", onto);
  open(&library, problem, method);
  rattle_state state = {.q = z, .p = z + problem->n, .h = 1};
  rattle_error error;
  if (rattle_integrator_output(library.integrator, &state, z, z + problem->n, &error))
    fail_msg("%s: %s", problem->name, error.message);
  claims_library_close(&library);
}

static void extend(int count, const double *z, long double *x) {
  for (int c = 0; c < count; c++) x[c] = z[c];
}

static long double largest(const long double *r, int m) {
  long double most = 0;
  for (int i = 0; i < m; i++)
    if (!(fabsl(r[i]) <= most)) most = fabsl(r[i]);
  return most;
}

static int is_holonomic(const tests_problem *problem) {
  return second_class_index(problem) < 0 && strcmp(problem->kind, "coisotropic") != 0;
}

/* ---- energy ---- */

enum { PLACES = 5 };

/* The largest |H(P z) - H(z)| over places of a motion, z being one step of `map` from there. */
static double change(const tests_problem *problem, const char *map, const char *onto, double h) {
  double place[TESTS_MAX_2N], most = 0;
  claims_library motion, library;
  open(&motion, problem, "rattle(midpoint)");
  open(&library, problem, map);
  claims_start(problem, place, place + problem->n);
  for (int k = 0; k < PLACES; k++) {
    double z[TESTS_MAX_2N];
    long double x[TESTS_MAX_2N], before;
    memcpy(z, place, sizeof z);
    step(&library, h, 1, problem->n, z);
    extend(2 * problem->n, z, x);
    before = reference_energy(problem, x);
    project(problem, onto, z);
    extend(2 * problem->n, z, x);
    most = fmax(most, (double)fabsl(reference_energy(problem, x) - before));
    step(&motion, 0.02, 10, problem->n, place);
  }
  claims_library_close(&motion);
  claims_library_close(&library);
  return most;
}

/* Slopes over steps that lie above round-off: h from 0.4 down by 0.7. */
static double slope_of(const tests_problem *problem, const char *map, const char *onto) {
  double log_h[24], log_change[24], x = 0, y = 0, xx = 0, xy = 0;
  int count = 0, first;
  double h = strstr(map, "rk4") ? 0.4 : 0.1;
  for (int k = 0; k < 12 && count < 24; k++, h *= 0.7) {
    const double found = change(problem, map, onto, h);
    if (!(found > 1e-14)) break;
    log_h[count] = log(h);
    log_change[count++] = log(found);
  }
  if (count < 4) return NAN;
  first = count - (count < 6 ? 4 : 5); /* the finest */
  for (int k = first; k < count; k++) {
    x += log_h[k];
    y += log_change[k];
    xx += log_h[k] * log_h[k];
    xy += log_h[k] * log_change[k];
  }
  const double points = count - first;
  return (points * xy - x * y) / (points * xx - x * x);
}

static void test_energy_changes(void **state) {
  (void)state;
  static const struct {
    const char *map;
    int r;
  } maps[] = {{"euler(classical)", 1},
              {"euler(dirac)", 1},
              {"explicit_midpoint(classical)", 2},
              {"rk4(classical)", 4},
              {"rk4(dirac)", 4}};
  static const char *const names[] = {"spherical", "double_pendulum", "relativistic",
                                      "varying_mass", "two_surfaces"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
      const tests_problem *problem = tests_problem_named(names[i]);
      const int r = maps[k].r;
      const double momentum = slope_of(problem, maps[k].map, "momentum"),
                   position = slope_of(problem, maps[k].map, "position");
      if (!(fabs(momentum - (2 * r + 2)) < 0.12 * (2 * r + 2)))
        fail_msg("%s on %s: a momentum projection changes H by h^%.2f", maps[k].map, names[i],
                 momentum);
      if (!(fabs(position - (r + 1)) < 0.12 * (r + 1)))
        fail_msg("%s on %s: a position projection changes H by h^%.2f", maps[k].map, names[i],
                 position);
    }
}

/* W x in long double, from differences of H_p: exact for natural H up to round-off */
static void apply_metric(const tests_problem *problem, const long double *z, const long double *x,
                         long double *Wx) {
  const int n = problem->n;
  long double up[TESTS_MAX_2N], down[TESTS_MAX_2N], a[TESTS_MAX_2N], b[TESTS_MAX_2N],
      size = largest(x, n);
  const long double t = 0x1p-16L / (size > 0 ? size : 1);
  memcpy(up, z, sizeof *z * 2 * n);
  memcpy(down, z, sizeof *z * 2 * n);
  for (int c = 0; c < n; c++) {
    up[n + c] += t * x[c];
    down[n + c] -= t * x[c];
  }
  reference_gradient(problem, up, a);
  reference_gradient(problem, down, b);
  for (int c = 0; c < n; c++) Wx[c] = (a[n + c] - b[n + c]) / (2 * t);
}

/* The energy of a momentum projection of natural H: exactly -1/2 psi^T R^-1 psi, far from the
 * manifold too. */
static void test_energy_is_known(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "spherical", "double_pendulum"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 5; k++) {
      const tests_problem *problem = tests_problem_named(names[i]);
      const int n = problem->n, m = problem->m, nz = 2 * n;
      double z[TESTS_MAX_2N];
      long double x[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], R[TESTS_MAX_M * TESTS_MAX_M],
          psi[TESTS_MAX_M], u[TESTS_MAX_M], half = 0;
      fields_point(problem, k, z);
      extend(nz, z, x);
      const long double before = reference_energy(problem, x);
      reference_hidden(problem, x, psi);
      reference_jacobian(problem, x, J);
      for (int a = 0; a < m; a++) {
        long double row[TESTS_MAX_N];
        apply_metric(problem, x, J + a * nz, row);
        u[a] = psi[a];
        for (int b = 0; b < m; b++) {
          R[a * m + b] = 0;
          for (int c = 0; c < n; c++) R[a * m + b] += row[c] * J[b * nz + c];
        }
      }
      assert_int_equal(reference_solve(m, R, u), 0);
      for (int a = 0; a < m; a++) half += u[a] * psi[a] / 2;
      project(problem, "momentum", z);
      extend(nz, z, x);
      const long double found = reference_energy(problem, x) - before;
      assert_true(half > 1e-5L);
      if (!(fabsl(found + half) < 2e-15L))
        fail_msg("%s: the energy changes by %Lg, not by %Lg", names[i], found, -half);
    }
}

/* ---- where the projections lead ---- */

/* d is in the span of the rows v[m]: the remaining part, over the length of d */
static long double outside(int m, int size, const long double *v, const long double *d) {
  long double A[TESTS_MAX_M * TESTS_MAX_M], u[TESTS_MAX_M], rest = 0, length = 0;
  for (int a = 0; a < m; a++) {
    u[a] = 0;
    for (int c = 0; c < size; c++) u[a] += v[a * TESTS_MAX_2N + c] * d[c];
    for (int b = 0; b < m; b++) {
      A[a * m + b] = 0;
      for (int c = 0; c < size; c++)
        A[a * m + b] += v[a * TESTS_MAX_2N + c] * v[b * TESTS_MAX_2N + c];
    }
  }
  assert_int_equal(reference_solve(m, A, u), 0);
  for (int c = 0; c < size; c++) {
    long double left = d[c];
    for (int a = 0; a < m; a++) left -= u[a] * v[a * TESTS_MAX_2N + c];
    rest = fmaxl(rest, fabsl(left));
    length = fmaxl(length, fabsl(d[c]));
  }
  return rest / length;
}

/* The way to g = 0 is W G^T kappa with G and W at its end, to the nearest point; in all of z, and W
 * = 1, if g holds momenta, but for time; along X_g for second-class constraints. */
static void test_positions_move_orthogonally(void **state) {
  (void)state;
  for (int i = 0; i < fields_problem_count(); i++)
    for (int k = 0; k < 3; k++) {
      const tests_problem *problem = fields_problem(i);
      const int n = problem->n, m = problem->m, nz = 2 * n, holonomic = is_holonomic(problem),
                size = holonomic ? n : nz, second_class = second_class_index(problem) >= 0,
                clock = strcmp(problem->name, "swept") ? -1 : 2;
      double z0[TESTS_MAX_2N], z[TESTS_MAX_2N], again[TESTS_MAX_2N];
      long double x[TESTS_MAX_2N], g[TESTS_MAX_M], J[TESTS_MAX_M * TESTS_MAX_2N],
          v[TESTS_MAX_M * TESTS_MAX_2N], d[TESTS_MAX_2N];
      fields_point(problem, k, z0);
      memcpy(z, z0, sizeof z);
      project(problem, "position", z);
      extend(nz, z, x);
      reference_constraint(problem, x, g);
      reference_jacobian(problem, x, J);
      if (!(largest(g, m) < 4e-15L)) fail_msg("%s: |g| is %Lg", problem->name, largest(g, m));
      for (int c = 0; c < size; c++) d[c] = z0[c] - (long double)z[c];
      if (holonomic) assert_memory_equal(z + n, z0 + n, sizeof *z * n);
      for (int a = 0; a < m; a++) {
        if (holonomic) apply_metric(problem, x, J + a * nz, v + a * TESTS_MAX_2N);
        for (int c = 0; c < nz && !holonomic; c++)
          v[a * TESTS_MAX_2N + c] = second_class ? fields_hamiltonian(n, J + a * nz, c)
                                    : c == clock ? 0
                                                 : J[a * nz + c];
      }
      assert_true(largest(d, size) > 1e-3L);
      if (!(outside(m, size, v, d) < 1e-8L))
        fail_msg("%s: the way is off its direction by %Lg", problem->name, outside(m, size, v, d));
      memcpy(again, z, sizeof z);
      project(problem, "position", again);
      fields_same(problem, "projected twice", again, z, nz, 4e-16);
    }
}

/* psi = 0, q as it was, p moved by G^T sigma; where g holds momenta, along the fibre: g stays 0. */
static void test_momenta_move_along_the_fibre(void **state) {
  (void)state;
  for (int i = 0; i < fields_problem_count(); i++)
    for (int k = 0; k < 3; k++) {
      const tests_problem *problem = fields_problem(i);
      const int n = problem->n, m = problem->m, nz = 2 * n;
      double z0[TESTS_MAX_2N], z[TESTS_MAX_2N], both[TESTS_MAX_2N];
      long double x[TESTS_MAX_2N], g[TESTS_MAX_M], psi[TESTS_MAX_M], J[TESTS_MAX_M * TESTS_MAX_2N],
          v[TESTS_MAX_M * TESTS_MAX_2N], d[TESTS_MAX_N];
      if (second_class_index(problem) >= 0) continue;
      fields_point(problem, k, z0);
      memcpy(both, z0, sizeof z0);
      if (!is_holonomic(problem)) project(problem, "position", z0); /* fibres are those of g = 0 */
      memcpy(z, z0, sizeof z);
      project(problem, "momentum", z);
      extend(nz, z, x);
      reference_hidden(problem, x, psi);
      if (!(largest(psi, m) < 4e-15L)) fail_msg("%s: |psi| is %Lg", problem->name, largest(psi, m));
      if (is_holonomic(problem)) {
        assert_memory_equal(z, z0, sizeof *z * n);
        reference_jacobian(problem, x, J);
        for (int a = 0; a < m; a++) memcpy(v + a * TESTS_MAX_2N, J + a * nz, sizeof *J * n);
        for (int c = 0; c < n; c++) d[c] = z0[n + c] - (long double)z[n + c];
        if (!(outside(m, n, v, d) < 1e-12L))
          fail_msg("%s: p is off its fibre by %Lg", problem->name, outside(m, n, v, d));
      } else {
        reference_constraint(problem, x, g);
        if (!(largest(g, m) < 1e-14L))
          fail_msg("%s: |g| is %Lg after the slide", problem->name, largest(g, m));
      }
      /* both: the one after the other */
      double two[TESTS_MAX_2N];
      memcpy(two, both, sizeof two);
      project(problem, "both", both);
      project(problem, "position", two);
      project(problem, "momentum", two);
      fields_same(problem, "both", both, two, nz, 1e-15);
    }
}

/* A momentum projection of (q, p*) is a gauge transformation: the momenta that impetus shows
 * stay. */
static void test_resetting_is_a_gauge_transformation(void **state) {
  (void)state;
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    if (!fields_offered(problem, "impetus")) continue;
    const int n = problem->n, nz = 2 * n, m = problem->m;
    double z[TESTS_MAX_2N], shown[2][TESTS_MAX_2N];
    long double x[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N];
    claims_library impetus, reset;
    fields_point(problem, 3, z);
    extend(nz, z, x);
    reference_jacobian(problem, x, J);
    for (int r = 0; r < m; r++)
      for (int c = 0; c < n; c++) z[n + c] += (r ? -2 : 3) * (double)J[r * nz + c];
    open(&impetus, problem, "rk4(impetus)");
    open(&reset, problem, "project(rk4(impetus), momentum, project=output)");
    memcpy(shown[0], z, sizeof z);
    assert_int_equal(claims_library_output(&impetus, shown[0], shown[0] + n), 0);
    memcpy(shown[1], z, sizeof z);
    assert_int_equal(claims_library_output(&reset, shown[1], shown[1] + n), 0);
    assert_true(fields_apart(shown[0], z, nz) > 1);
    fields_same(problem, "shown and projected", shown[1], shown[0], nz, 1e-14);
    project(problem, "momentum", z); /* p* <- p* - G^T lambda */
    fields_same(problem, "reset", z, shown[0], nz, 1e-14);
    assert_int_equal(claims_library_output(&impetus, z, z + n), 0);
    fields_same(problem, "shown after the reset", z, shown[0], nz, 1e-14);
    claims_library_close(&impetus);
    claims_library_close(&reset);
  }
}

/* ---- when ---- */

/* Bits of the map inside up to the first projection; |g|, |psi| at most tol after every step;
 * counts. */
static void test_tolerance(void **state) {
  (void)state;
  static const char *const names[] = {"spherical", "varying_mass", "two_surfaces", "harmonic",
                                      "commuting"};
  const double tol = 1e-5;
  for (int i = 0; i < 5; i++) {
    const tests_problem *problem = tests_problem_named(names[i]);
    const int n = problem->n, nz = 2 * n, m = problem->m, steps = 400;
    claims_library plain, library;
    double z[2][TESTS_MAX_2N];
    long long first = -1;
    open(&plain, problem, "explicit_midpoint(dirac)");
    open(&library, problem, "project(explicit_midpoint(dirac), both, tol=1e-5)");
    for (int k = 0; k < 2; k++) claims_start(problem, z[k], z[k] + n);
    for (int s = 0; s < steps; s++) {
      long double x[TESTS_MAX_2N], g[TESTS_MAX_M], psi[TESTS_MAX_M];
      step(&library, 0.02, 1, n, z[1]);
      const rattle_counts counts = rattle_integrator_counts(library.integrator);
      if (first < 0) step(&plain, 0.02, 1, n, z[0]);
      if (first < 0 && counts.position_projections + counts.momentum_projections > 0) first = s;
      if (first < 0) assert_memory_equal(z[0], z[1], sizeof *z[0] * nz);
      extend(nz, z[1], x);
      reference_constraint(problem, x, g);
      reference_hidden(problem, x, psi);
      if (!(largest(g, m) <= tol * (1 + 1e-9L)) || !(largest(psi, m) <= tol * (1 + 1e-9L)))
        fail_msg("%s, step %d: |g| %Lg, |psi| %Lg", names[i], s, largest(g, m), largest(psi, m));
    }
    long double x[TESTS_MAX_2N], g[TESTS_MAX_M], psi[TESTS_MAX_M];
    extend(nz, z[0], x);
    reference_constraint(problem, x, g);
    reference_hidden(problem, x, psi);
    assert_true(largest(g, m) > tol ||
                largest(psi, m) > tol); /* where it first projected there was need */
    const rattle_counts counts = rattle_integrator_counts(library.integrator);
    assert_true(counts.momentum_projections > 0 && counts.momentum_projections < steps);
    assert_true(counts.position_projections < steps);
    claims_library_close(&plain);
    claims_library_close(&library);
  }
}

/* every=k: the bits of k - 1 plain steps and a projected one; the counter is extra state, which
 * resumes and which a failed step and a new start leave as they must. */
static void test_every(void **state) {
  (void)state;
  const tests_problem *problem = tests_problem_named("varying_mass");
  const int n = problem->n, nz = 2 * n;
  claims_library plain, each, fifth, other;
  double z[TESTS_MAX_2N], w[TESTS_MAX_2N], extra;
  open(&plain, problem, "rk4(dirac)");
  open(&each, problem, "project(rk4(dirac))");
  open(&fifth, problem, "project(rk4(dirac), both, every=5)");
  open(&other, problem, "project(rk4(dirac), both, every=5)");
  assert_int_equal(rattle_integrator_extra(each.integrator), 0);
  assert_int_equal(rattle_integrator_extra(fifth.integrator), 1);
  claims_start(problem, z, z + n);
  memcpy(w, z, sizeof z);
  for (int s = 1; s <= 23; s++) {
    step(&fifth, 0.03, 1, n, z);
    step(s % 5 ? &plain : &each, 0.03, 1, n, w);
    assert_memory_equal(z, w, sizeof *z * nz);
  }
  assert_int_equal(rattle_integrator_counts(fifth.integrator).position_projections, 4);
  assert_int_equal(rattle_integrator_counts(fifth.integrator).momentum_projections, 4);
  rattle_integrator_get_extra(fifth.integrator, &extra);
  assert_true(extra == 3);
  /* resumed in another integrator */
  rattle_integrator_set_extra(other.integrator, &extra);
  step(&fifth, 0.03, 10, n, z);
  step(&other, 0.03, 10, n, w);
  assert_memory_equal(z, w, sizeof *z * nz);
  assert_int_equal(rattle_integrator_counts(other.integrator).position_projections, 2);
  /* from elsewhere it counts anew */
  claims_start(problem, w, w + n);
  step(&other, 0.03, 4, n, w);
  assert_int_equal(rattle_integrator_counts(other.integrator).position_projections, 2);
  step(&other, 0.03, 1, n, w);
  assert_int_equal(rattle_integrator_counts(other.integrator).position_projections, 3);
  claims_library *all[] = {&plain, &each, &fifth, &other};
  for (int k = 0; k < 4; k++) claims_library_close(all[k]);
}

/* Whatever the method, projections are counted once for each step that has one. */
static void test_counts(void **state) {
  (void)state;
  static const struct {
    const char *method;
    int positions, momenta; /* for each step */
  } cases[] = {{"rattle(verlet)", 1, 1},
               {"rattle(midpoint)", 1, 1},
               {"rattle(suzuki4(verlet))", 1, 1},
               {"shake(verlet)", 1, 0},
               {"shake(midpoint)", 1, 0},
               {"rattle(midpoint, project=output)", 1, 0},
               {"suzuki4(rattle(midpoint))", 5, 5},
               {"project(rk4(dirac))", 1, 1},
               {"project(rk4(dirac), position)", 1, 0},
               {"project(rk4(dirac), momentum)", 0, 1},
               {"project(rk4(dirac), symmetric)", 1, 1},
               {"suzuki4(project(midpoint(dirac), symmetric))", 5, 5},
               {"project(rk4(dirac), project=output)", 0, 0},
               {"project(verlet)", 1, 1},
               {"rk4(dirac)", 0, 0}};
  const int steps = 50;
  long long followed = 0;
  for (int i = 0; i < tests_problem_count; i++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      const tests_problem *problem = &tests_problems[i];
      claims_library library;
      double z[TESTS_MAX_2N];
      if (!problem->m) continue;
      open(&library, problem, cases[k].method);
      claims_start(problem, z, z + problem->n);
      step(&library, k < 4 ? 0.15 : 0.06, steps, problem->n, z);
      const rattle_counts counts = rattle_integrator_counts(library.integrator);
      if (counts.position_projections != cases[k].positions * steps ||
          counts.momentum_projections != cases[k].momenta * steps)
        fail_msg("%s on %s: %lld and %lld projections", cases[k].method, problem->name,
                 counts.position_projections, counts.momentum_projections);
      followed += counts.followed;
      claims_library_close(&library);
    }
  assert_true(followed > 0); /* steps that were taken twice are among them */
}

/* Steps that are large: some taken twice, one that fails, whose projections do not count. */
static void test_counts_of_large_steps(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "rattle(verlet(b))", "rattle(midpoint)",
                                        "project(verlet)", "project(midpoint(dirac), symmetric)"};
  int failed = 0, followed = 0;
  for (int i = 0; i < tests_problem_count; i++)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
      for (double h = 0.3; h < 1; h *= 1.3) {
        const tests_problem *problem = &tests_problems[i];
        claims_library library;
        double z[TESTS_MAX_2N];
        if (!problem->m) continue;
        open(&library, problem, methods[k]);
        claims_start(problem, z, z + problem->n);
        failed += claims_library_step(&library, h, 40, z, z + problem->n);
        const rattle_counts counts = rattle_integrator_counts(library.integrator);
        if (counts.position_projections != counts.steps ||
            counts.momentum_projections != counts.steps)
          fail_msg("%s on %s, h = %g: %lld and %lld projections in %lld steps", methods[k],
                   problem->name, h, counts.position_projections, counts.momentum_projections,
                   counts.steps);
        followed +=
            k < 2 && !strcmp(problem->kind, "natural") && counts.steps > 0 && counts.followed > 0;
        claims_library_close(&library);
      }
  assert_true(failed > 10 && followed > 3);
  /* a step whose momenta are found not to be finite after it was projected */
  tests_problem edge = *tests_problem_named("pendulum");
  edge.model = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
               "hamiltonian((p1^2 + p2^2)/2 + sqrt(0.5 + q2))\nconstrain('rod', q1^2 + q2^2 - 1)\n";
  double z[4] = {0.8, -0.6, 0, -2};
  claims_library library;
  open(&library, &edge, "project(euler)");
  assert_int_equal(claims_library_step(&library, 0.3, 1, z, z + 2), 1);
  const rattle_counts counts = rattle_integrator_counts(library.integrator);
  assert_true(counts.constraint > 0);
  assert_int_equal(counts.position_projections, 0);
  assert_int_equal(counts.momentum_projections, 0);
  claims_library_close(&library);
}

/* ---- what does not work ---- */

static void expect_refused(const tests_problem *problem, const char *method, const char *words) {
  claims_library library;
  rattle_error error;
  assert_int_equal(claims_library_open(&library, problem, method, RATTLE_EVALUATOR_BLOCK, &error),
                   RATTLE_UNSUITABLE);
  if (!strstr(error.message, words)) fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static void expect_failure(const tests_problem *problem, const char *method, const double *z0,
                           double h, rattle_status wanted, const char *words) {
  const int n = problem->n;
  claims_library library;
  rattle_error error;
  double z[TESTS_MAX_2N];
  open(&library, problem, method);
  memcpy(z, z0, sizeof *z * 2 * n);
  rattle_state state = {.q = z, .p = z + n, .h = h, .step = 3};
  const rattle_status status = rattle_integrator_step(library.integrator, &state, 1, &error);
  if (status != wanted)
    fail_msg("%s on %s: %s", method, problem->name, status ? error.message : "no failure");
  if (!strstr(error.message, words) || error.constraint < 0)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
  assert_memory_equal(z, z0, sizeof *z * 2 * n);
  assert_int_equal(state.step, 3);
  assert_int_equal(error.step, 3);
  claims_library_close(&library);
}

static void test_failures(void **state) {
  (void)state;
  const tests_problem *pendulum = tests_problem_named("pendulum");
  static const double start[4] = {1, 0, 0, -2}, centre[4] = {-0.25, 0.25, 1, -1};
  expect_refused(&tests_second_class[0], "project(rk4(dirac), momentum)", "project(..., position)");
  expect_refused(&tests_second_class[0], "project(rk4(classical))", "among the fields only dirac");
  expect_refused(tests_problem_named("harmonic"), "project(rk4(impetus))", "g(q)");
  /* two radii away the nearest point is not found in time */
  expect_failure(pendulum, "project(euler(dirac), position)", start, 30, RATTLE_NOT_CONVERGED,
                 "use a smaller step");
  expect_failure(pendulum, "project(euler, symmetric)", start, 30, RATTLE_NOT_CONVERGED,
                 "use a smaller step");
  /* q = 0, if the gradient vanishes */
  expect_failure(pendulum, "project(euler)", centre, 0.25, RATTLE_SINGULAR, "'rod'");
  expect_failure(pendulum, "project(euler, symmetric)", centre, 0.25, RATTLE_SINGULAR,
                 "dependent there");
}

/* ---- near rest ---- */

/* Two bodies hung one on the other, and the same with a mass that depends on where they are. */
static const char hung[] =
    "local a, pa = pair('a')\nlocal b, pb = pair('b')\nlocal c, pc = pair('c')\nlocal d, pd = "
    "pair('d')\n"
    "mass { a = 1.7, b = 1.7, c = 0.35, d = 0.35 }\npotential(9.81*(1.7*b + 0.35*d))\n"
    "constrain('r1', a^2 + b^2 - 0.64)\nconstrain('r2', (a - c)^2 + (b - d)^2 - 1.69)\n";
static const char heavy[] =
    "local a, pa = pair('a')\nlocal b, pb = pair('b')\nlocal c, pc = pair('c')\nlocal d, pd = "
    "pair('d')\n"
    "hamiltonian((pa^2 + pb^2)/(3 + a^2) + (pc^2 + pd^2)/(0.7 + 0.1*d^2) + 9.81*(1.7*b + 0.35*d))\n"
    "constrain('r1', a^2 + b^2 - 0.64)\nconstrain('r2', (a - c)^2 + (b - d)^2 - 1.69)\n";

/* Steps that end with next to no momentum: swings of 1e-2 to 1e-8 rad, and the way back to a start
 * at rest. The rest of psi there is round-off of forces that cancel, not of the momenta. */
static void test_near_rest(void **state) {
  (void)state;
  static const char *const models[] = {hung, heavy};
  static const char *const methods[] = {
      "project(midpoint(dirac), symmetric)", "project(gauss(2, dirac), symmetric)",
      "project(verlet, symmetric)", "project(gauss(3), symmetric)",
      "project(rk4(dirac), symmetric)"};
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
      for (double angle = 1; angle > 1e-9; angle *= angle > 0.5 ? 0.01 : 0.1) {
        const tests_problem problem = {
            .name = "hung", .kind = "natural", .model = models[i], .n = 4, .m = 2};
        const double z0[8] = {0.8 * sin(angle), -0.8 * cos(angle), 2.1 * sin(angle),
                              -2.1 * cos(angle)},
                     h = 0.01;
        double z[8];
        claims_library library;
        open(&library, &problem, methods[k]);
        memcpy(z, z0, sizeof z);
        rattle_state at = {.q = z, .p = z + 4, .h = h};
        rattle_error error;
        for (int way = 0; way < 2; way++, at.h = -h)
          if (rattle_integrator_step(library.integrator, &at, 1, &error))
            fail_msg("%s, %d, %g rad, step %d: %s", methods[k], i, angle, way, error.message);
        if (k != 4) assert_true(fields_apart(z, z0, 8) < 1e-13);
        at.h = h;
        if (rattle_integrator_step(library.integrator, &at, 500, &error))
          fail_msg("%s, %d, %g rad: %s", methods[k], i, angle, error.message);
        const rattle_residuals residuals = rattle_integrator_residuals(library.integrator);
        if (!(residuals.g < 1e-14 && residuals.psi < 1e-13))
          fail_msg("%s, %d, %g rad: g %g, psi %g", methods[k], i, angle, residuals.g,
                   residuals.psi);
        claims_library_close(&library);
      }
}

/* m = 0: the map inside, bit for bit; nothing to project. */
static void test_without_constraints(void **state) {
  (void)state;
  static const char *const methods[][2] = {{"rk4", "project(rk4(dirac))"},
                                           {"verlet", "project(verlet, symmetric)"},
                                           {"midpoint", "project(midpoint, momentum, every=3)"}};
  for (int k = 0; k < 3; k++) {
    const tests_problem *problem = tests_problem_named("henon_heiles");
    double z[2][TESTS_MAX_2N];
    for (int i = 0; i < 2; i++) {
      claims_library library;
      open(&library, problem, methods[k][i]);
      claims_start(problem, z[i], z[i] + problem->n);
      step(&library, 0.1, 50, problem->n, z[i]);
      assert_int_equal(rattle_integrator_counts(library.integrator).position_projections, 0);
      claims_library_close(&library);
    }
    assert_memory_equal(z[0], z[1], sizeof *z[0] * 2 * problem->n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy_changes),
                                     cmocka_unit_test(test_energy_is_known),
                                     cmocka_unit_test(test_positions_move_orthogonally),
                                     cmocka_unit_test(test_momenta_move_along_the_fibre),
                                     cmocka_unit_test(test_resetting_is_a_gauge_transformation),
                                     cmocka_unit_test(test_tolerance),
                                     cmocka_unit_test(test_every),
                                     cmocka_unit_test(test_counts),
                                     cmocka_unit_test(test_counts_of_large_steps),
                                     cmocka_unit_test(test_failures),
                                     cmocka_unit_test(test_near_rest),
                                     cmocka_unit_test(test_without_constraints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
