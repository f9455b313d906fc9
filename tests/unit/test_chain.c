/* Chains in segments: which constraints are one, agreement with the general step, the same bits
 * from vectors of every width, steps in doubt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../one_in.h"
#include "problem/functions/problem.h"
#include "rattle/rattle.h"
#include "constraint/links/chain.h"
#include "constraint/solve/positions.h"
#include "maps/natural/natural_chain.h"

/* N links of different lengths and masses that turn at different rates; D axes; fixed: first end 1,
 * last end 2, a ring 4, or 5 from its last node on; mixed: x1 y1 x2 y2 in place of x1 x2 y1 y2;
 * back: the last node comes first; V */
static const char links[] =
    "local N, D, fixed, mixed, back, straight, linear = %d, %d, %d, %d, %d, %d, %d\n"
    "local from, to = fixed %% 2, fixed >= 2 and fixed < 5 and N - 1 or N\n"
    "local q, p, at, going, mass = {}, {}, {}, {}, {}\n"
    "local function declare(d, k) q[d][k], p[d][k] = pair(string.char(119 + d) .. k) end\n"
    "for d = 1, D do q[d], p[d], at[d], going[d] = {}, {}, {[0] = 0.25*d}, {[0] = D == 1 and 0.5 "
    "or 0} end\n"
    "for i = from, mixed == 1 and to or from - 1 do\n"
    "  for d = 1, D do declare(d, back == 1 and to + from - i or i) end\n"
    "end\n"
    "for d = 1, mixed == 0 and D or 0 do\n"
    "  for i = from, to do declare(d, back == 1 and to + from - i or i) end\n"
    "end\n"
    "local function length(k) return 1 + 0.5*math.sin(3.1*k) end\n"
    "local function dot(a, b) local s = 0 for d = 1, D do s = s + a[d]*b[d] end return s end\n"
    "for k = 1, N do\n"
    "  local angle = straight == 1 and 0.01*math.sin(k) or 2.4*k\n"
    "  local tilt, rate = 0.7*k, math.sin(1.7*k)\n"
    "  local e = {math.cos(angle), math.sin(angle), math.sin(tilt)}\n"
    "  if D == 1 then e[1] = 1 end\n"
    "  local size = math.sqrt(dot(e, e))\n"
    "  for d = 1, D do at[d][k] = at[d][k-1] + length(k)*e[d]/size end\n"
    "  for d = 1, D do going[d][k] = going[d][k-1] end\n"
    "  if D > 1 then\n"
    "    going[1][k] = going[1][k-1] - rate*length(k)*e[2]/size\n"
    "    going[2][k] = going[2][k-1] + rate*length(k)*e[1]/size\n"
    "  end\n"
    "end\n"
    "for k = 0, fixed >= 4 and N or -1 do\n"
    "  local angle, out = 2*math.pi*k/N, N/6 + (straight == 1 and 0.01 or 0.4)*math.sin(2.4*k)\n"
    "  local place = {out*math.cos(angle), out*math.sin(angle), 0.5*math.sin(2.9*k)}\n"
    "  for d = 1, D do at[d][k] = k == N and at[d][0] or place[d] end\n"
    "end\n"
    "local H = 0\n"
    "for k = from, to do\n"
    "  mass[k] = 1 + 0.5*math.cos(k)\n"
    "  for d = 1, D do\n"
    "    H = H + p[d][k]^2/2/mass[k]\n"
    "    start { [q[d][k]] = at[d][k], [p[d][k]] = mass[k]*going[d][k] }\n"
    "  end\n"
    "  if D > 1 then H = H + 0.3*mass[k]*q[2][k] + 1/7 + (linear == 1 and 0 or 0.01*q[1][k]^4/(1 + "
    "q[1][k]^2)) end\n"
    "end\n"
    "hamiltonian(H)\n"
    "for k = 1, N do\n"
    "  local sum = 0\n"
    "  local begin, end_ = fixed == 5 and k == 1 and N or k - 1, fixed == 4 and k == N and 0 or k\n"
    "  for d = 1, D do sum = sum + ((q[d][end_] or at[d][k]) - (q[d][begin] or at[d][k-1]))^2 end\n"
    "  local square = 0\n"
    "  for d = 1, D do square = square + (at[d][k] - at[d][k-1])^2 end\n"
    "  constrain('link' .. k, 1.5*(sum - square))\n"
    "end\n";

typedef struct shape {
  int N, D, fixed, mixed, back, straight, linear;
} shape;

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  double *z; /* the start [2n] */
  int n, m;
} fixture;

static void open_problem(fixture *f, rattle_status status, rattle_error *error) {
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  if (!status) status = rattle_problem_create(&f->problem, f->model, &how, error);
  if (status) fail_msg("%s", error->message);
  f->n = rattle_problem_n(f->problem), f->m = rattle_problem_m(f->problem);
  f->z = calloc(2 * (size_t)f->n, sizeof *f->z);
  if (rattle_problem_start(f->problem, 1, f->z, f->z + f->n, NULL, error))
    fail_msg("%s", error->message);
}

static fixture open_text(const char *text) {
  fixture f = {0};
  rattle_error error;
  open_problem(&f, rattle_model_parse(&f.model, text, "test", NULL, &error), &error);
  return f;
}

/* The chain of the benchmark, whose links are all alike. */
static fixture open_bench(int N) {
  fixture f = {0};
  rattle_error error;
  const rattle_parameter given = {"N", N};
  const rattle_model_options options = {.parameters = &given, .parameter_count = 1};
  open_problem(&f,
               rattle_model_load(&f.model, RATTLE_SOURCE_DIR "/bench/chain.lua", &options, &error),
               &error);
  return f;
}

static fixture open_chain(shape s) {
  char text[sizeof links + 200];
  snprintf(text, sizeof text, links, s.N, s.D, s.fixed, s.mixed, s.back, s.straight, s.linear);
  return open_text(text);
}

static void close_fixture(fixture *f) {
  free(f->z);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static double apart(const double *a, const double *b, int count) {
  double most = 0, size = 0;
  for (int i = 0; i < count; i++) {
    const double d = fabs(a[i] - b[i]);
    if (!(d <= most)) most = d;
    size = fmax(size, fabs(a[i]));
  }
  return most == 0 ? 0 : most / size;
}

/* Lengths around multiples of 8, each number of axes with each kind of ends, and each order of
 * columns. */
static const shape shapes[] = {
    {64, 2, 1, 0, 0, 0, 0},  {65, 2, 0, 0, 0, 0, 0},  {66, 3, 1, 0, 0, 0, 0},
    {67, 2, 2, 1, 0, 0, 0},  {71, 3, 3, 1, 0, 0, 0},  {72, 2, 3, 0, 1, 0, 0},
    {73, 3, 0, 1, 1, 0, 0},  {75, 2, 3, 0, 0, 0, 0},  {79, 2, 1, 1, 1, 0, 0},
    {80, 3, 2, 0, 0, 0, 0},  {200, 2, 1, 0, 0, 1, 0}, {253, 3, 3, 0, 0, 0, 0},
    {259, 2, 0, 0, 0, 1, 0}, {403, 2, 1, 0, 0, 0, 0}, {65, 2, 1, 0, 0, 0, 1},
    {70, 3, 0, 1, 0, 0, 1},  {78, 2, 3, 0, 1, 0, 1},  {96, 3, 2, 0, 0, 0, 1},
    {259, 2, 0, 0, 0, 0, 1}, {401, 2, 1, 0, 0, 0, 1}, {64, 2, 4, 0, 0, 0, 0},
    {65, 2, 4, 0, 0, 0, 1},  {67, 3, 4, 1, 0, 0, 0},  {71, 2, 4, 0, 1, 0, 0},
    {96, 3, 4, 0, 0, 0, 1},  {257, 2, 4, 1, 1, 1, 1}, {403, 3, 4, 0, 0, 0, 0},
    {66, 3, 5, 0, 1, 0, 0},  {75, 2, 5, 1, 0, 0, 1},  {80, 2, 5, 0, 0, 0, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* --- what a chain is -------------------------------------------------------------------------- */

static void test_paths(void **state) {
  (void)state;
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    const shape s = shapes[i];
    fixture f = open_chain(s);
    rattle__arena arena = {0};
    rattle__path path;
    if (!rattle__path_find(&path, f.problem, &arena)) fail_msg("chain %d is not recognised", i);
    assert_int_equal(path.axes, s.D);
    assert_int_equal(path.fixed[0], s.fixed < 4 && s.fixed % 2);
    assert_int_equal(path.fixed[1], s.fixed < 4 && s.fixed / 2);
    assert_int_equal(path.ring, s.fixed < 4 ? 0 : s.fixed == 4 ? 1 : -1);
    for (int k = 0; k < s.N; k++) {
      double sum = 0;
      for (int d = 0; d < s.D; d++) {
        double end[2];
        for (int e = 0; e < 2; e++) {
          const int node = path.ring && (k + e) % s.N == 0 ? (path.ring > 0 ? 0 : s.N) : k + e,
                    moves = !(node == 0 && path.fixed[0]) && !(node == s.N && path.fixed[1]);
          end[e] = moves ? f.z[path.base[d] + path.stride[d] * node] : path.point[node > 0][d];
        }
        sum += (end[1] - end[0]) * (end[1] - end[0]);
      }
      assert_true(fabs(sum - path.square[k]) < 1e-11);
    }
    assert_true(fabs(path.inverse[5] - 1 / (1 + 0.5 * cos(5))) < 1e-15);
    rattle__arena_release(&arena);
    close_fixture(&f);
  }
}

/* Constraints that are no chain, or one without a mass for each node. */
static void test_others(void **state) {
  (void)state;
  static const char begin[] =
      "local N = 70; local x, px = pairs_of('x', N); local y, py = pairs_of('y', N); local H = 0\n"
      "for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 end\n"
      "local count = 0; local function link(i, j, a) count = count + 1; constrain('c' .. count, "
      "(x[i] - "
      "x[j])^2 + (a or 1)*(y[i] - y[j])^2 - 1) end\n"
      "for i = 1, N do start { [x[i]] = i, [y[i]] = 0 } end\n";
  static const char *const rest[] = {
      "for i = 2, N do link(i - 1, i) end hamiltonian(H + px[3]^2)", /* masses of x and y differ */
      "for i = 2, N do link(i - 1, i, i == 40 and 2 or 1) end hamiltonian(H)", /* an ellipse */
      "for i = 2, N - 1 do link(i - 1, i) end hamiltonian(H)", /* a particle that is free */
      /* two chains */
      "for i = 2, 35 do link(i - 1, i) end for i = 37, N do link(i - 1, i) end hamiltonian(H)",
      "for i = 2, N do link(i == 30 and 3 or i - 1, i) end hamiltonian(H)", /* a branch */
      "for i = 3, N do link(i - 1, i) end link(1, 2) hamiltonian(H)",       /* another order */
      /* masses that are a matrix */
      "for i = 2, N do link(i - 1, i) end hamiltonian(H + px[1]*px[2]/4)",
  };
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
    char text[1200];
    snprintf(text, sizeof text, "%s%s\n", begin, rest[i]);
    fixture f = open_text(text);
    rattle__arena arena = {0};
    rattle__path path;
    if (rattle__path_find(&path, f.problem, &arena)) fail_msg("taken for a chain: %s", rest[i]);
    assert_false(arena.failed);
    rattle__arena_release(&arena);
    close_fixture(&f);
  }
}

/* --- one step --------------------------------------------------------------------------------- */

static const rattle__scheme verlet = {.k1 = 0.5, .d1 = 1, .k2 = 0.5, .symmetric = 1};

/* Checks that the doubt about work has the numbers it asks for, of each node once: V_q at z0, z1
 * before its last kick. */
static void check_way(const rattle__chain *chain, double k1, const double *z0, const double *V_q,
                      const double *z1) {
  const int n = rattle__path_columns(&chain->path);
  double without = 0, with = 0, span = 0;
  for (int i = 0; i < n; i++) {
    const double dq = z1[i] - z0[i], p = z0[n + i] - k1 * V_q[i];
    without += dq * p, with += dq * z1[n + i], span += fabs(z1[i] * p);
  }
  assert_true(span > 0 && without != with);
  assert_true(fabs(chain->way[0] - without) < 1e-11 * span &&
              fabs(chain->way[1] - with) < 1e-11 * span);
  assert_true(fabs(chain->span - span) < 1e-11 * span);
}

/* The chain's step and the general one; multipliers too. */
static void test_multipliers(void **state) {
  (void)state;
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    fixture f = open_chain(shapes[i]);
    rattle__context context = {.problem = f.problem};
    rattle_error error;
    rattle__positions *positions;
    const size_t n = (size_t)f.n;
    const double h = shapes[i].straight ? 0.002 : 0.01;
    double *z1 = calloc(4 * n + (size_t)f.m, sizeof *z1), *other = z1 + 2 * n, *lambda = z1 + 4 * n,
           V;
    double *V_q = calloc(n + f.problem->V->work, sizeof *V_q);
    rattle__chain *chain = rattle__chain_create(f.problem, &context.arena);
    assert_non_null(chain);
    assert_int_equal(f.problem->V->jacobian(f.problem->V, f.z, &V, V_q, V_q + n), 0);
    assert_int_equal(
        rattle__positions_create(&positions, &context, &verlet, &rattle__automatic, 1, &error),
        RATTLE_OK);
    assert_int_equal(rattle__positions_step(positions, h, f.z, other, 0, &error), RATTLE_OK);
    const rattle__kicks now = {.k1 = 0.5 * h, .d = h, .h = h};
    rattle__chain_enter(chain, f.z);
    if (!chain->constant) rattle__chain_force(chain, 0, V_q);
    assert_true(rattle__chain_positions(chain, &now));
    rattle__chain_multipliers(chain, lambda);
    assert_true(rattle__chain_momenta(chain, NULL, 0));
    rattle__chain_leave(chain, z1);
    assert_true(apart(other, z1, f.n) < 1e-14);
    const double eps = 0x1p-52,
                 size = 1e3 * (shapes[i].straight
                                   ? f.m
                                   : 1); /* g/h^2, and the condition of a long straight chain */
    if (!(apart(positions->lambda, lambda, f.m) < size * eps / (h * h)))
      fail_msg("chain %d: multipliers %g apart", i, apart(positions->lambda, lambda, f.m));
    assert_true(apart(other + n, z1 + n, f.n) < 1e-10);
    assert_true(chain->g < 1e-14 * f.m);
    check_way(chain, 0.5 * h, f.z, V_q, z1);
    rattle__positions_destroy(&positions);
    rattle__arena_release(&context.arena);
    free(z1);
    free(V_q);
    close_fixture(&f);
  }
}

/* `steps` steps of RATTLE in the lanes, with a force that is constant or none; together: each
 * begins where the one before it ends. Returns how many were not in doubt. */
static int advance(rattle__chain *chain, double h, int steps, int together, double *z) {
  const double kick = chain->constant ? 0.5 * h : 0;
  const rattle__kicks now = {.k1 = kick, .d = h, .k2 = kick, .h = h};
  int k = 0;
  rattle__chain_enter(chain, z);
  for (; k < steps; k++) {
    if (!rattle__chain_positions(chain, &now)) break;
    if (!rattle__chain_momenta(chain, together && k + 1 < steps ? &now : NULL, 1)) break;
    if (together) continue;
    rattle__chain_leave(chain, z);
    rattle__chain_enter(chain, z);
  }
  rattle__chain_leave(chain, z);
  return k;
}

static void test_same_bits(void **state) {
  (void)state;
  int kernels = 0;
  while (rattle__chain_kernel_of(kernels)) kernels++;
  assert_true(kernels >= 1);
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    fixture f = open_chain(shapes[i]);
    rattle__arena arena = {0};
    rattle__chain *chain = rattle__chain_create(f.problem, &arena);
    const size_t bytes = 2 * (size_t)f.n * sizeof(double);
    double *first = malloc(2 * bytes), *z = first + 2 * f.n;
    assert_non_null(chain);
    for (int k = 0; k < 2 * kernels; k++) {
      chain->kernel = rattle__chain_kernel_of(k / 2);
      memcpy(z, f.z, bytes);
      assert_int_equal(advance(chain, 0.005, 20, k % 2, z), 20);
      if (k == 0) memcpy(first, z, bytes);
      if (memcmp(first, z, bytes))
        fail_msg("chain %d: %s has other bits, steps %s", i, chain->kernel->name,
                 k % 2 ? "together" : "one by one");
    }
    assert_true(memcmp(first, f.z, bytes) != 0);
    free(first);
    rattle__arena_release(&arena);
    close_fixture(&f);
  }
}

/* --- runs ------------------------------------------------------------------------------------- */

static void step_by(const fixture *f, const char *method, double h, int steps, double *z,
                    rattle_counts *counts) {
  rattle_integrator *integrator;
  rattle_error error;
  if (rattle_integrator_create(&integrator, f->problem, method, &error))
    fail_msg("%s: %s", method, error.message);
  rattle_state state = {.q = z, .p = z + f->n, .h = h};
  if (rattle_integrator_step(integrator, &state, steps, &error))
    fail_msg("%s: %s", method, error.message);
  if (counts) *counts = rattle_integrator_counts(integrator);
  const rattle_residuals residuals = rattle_integrator_residuals(integrator);
  double *g = calloc(2 * (size_t)f->m, sizeof *g), most_g = 0, most_psi = 0;
  assert_int_equal(rattle_problem_residuals(f->problem, z, z + f->n, g, g + f->m, &error),
                   RATTLE_OK);
  for (int i = 0; i < f->m; i++)
    most_g = fmax(most_g, fabs(g[i])), most_psi = fmax(most_psi, fabs(g[f->m + i]));
  const double small = 1e-14 * f->m; /* the chain is about as long as it has links */
  if (!(most_g < small && residuals.g < small && (most_psi < small || !strstr(method, "rattle"))))
    fail_msg("%s: residuals %g, %g, seen %g", method, most_g, most_psi, residuals.g);
  free(g);
  rattle_integrator_destroy(&integrator);
}

static void test_runs(void **state) {
  (void)state;
  static const char *const methods[][2] = {
      {"rattle(verlet)", "rattle(verlet, solver=newton)"},
      {"shake(verlet)", "shake(verlet, solver=newton)"},
      {"rattle(symplectic_euler)", "rattle(symplectic_euler, solver=newton)"},
      {"suzuki4(rattle(verlet))", "suzuki4(rattle(verlet, solver=newton))"}};
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    fixture f = open_chain(shapes[i]);
    const size_t bytes = 2 * (size_t)f.n * sizeof(double);
    double *a = malloc(2 * bytes), *b = a + 2 * f.n;
    const double h = shapes[i].straight ? 0.002 : 0.01;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      rattle_counts counts, general;
      memcpy(a, f.z, bytes);
      memcpy(b, f.z, bytes);
      step_by(&f, methods[k][0], h, 10, a, &counts);
      step_by(&f, methods[k][1], h, 10, b, &general);
      if (!(apart(b, a, f.n) < 1e-11 && apart(b + f.n, a + f.n, f.n) < 1e-9))
        fail_msg("%s, chain %d: %g %g apart", methods[k][0], i, apart(b, a, f.n),
                 apart(b + f.n, a + f.n, f.n));
      assert_int_equal(counts.gradient, shapes[i].linear ? 0 : general.gradient); /* V_q is known */
      assert_int_equal(counts.position_projections, general.position_projections);
      assert_int_equal(counts.momentum_projections, general.momentum_projections);
      assert_int_equal(counts.followed, 0);
    }
    memcpy(a, f.z, bytes);
    step_by(&f, "rattle(verlet)", h, 10, a, NULL);
    step_by(&f, "rattle(verlet)", -h, 10, a, NULL);
    assert_true(apart(f.z, a, 2 * f.n) < 1e-11);
    free(a);
    close_fixture(&f);
  }
}

/* Many steps at once, which stay in the lanes, are those that are taken one by one: bits, counts,
 * and how they end. */
static void test_together(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)",
                                        "rattle(symplectic_euler)", "suzuki4(rattle(verlet))"};
  int ended = 0;
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    fixture f = open_chain(shapes[i]);
    const size_t bytes = 2 * (size_t)f.n * sizeof(double);
    double *z = malloc(2 * bytes);
    for (int k = 0; k < (i % 4 ? 4 : 8); k++) { /* 4 and on: steps too long */
      rattle_integrator *one, *many;
      rattle_error error, other;
      const char *method = methods[k % 4];
      const double h = (k < 4 ? 0.01 : 0.09) * (shapes[i].straight ? 0.2 : 1);
      assert_int_equal(rattle_integrator_create(&one, f.problem, method, &error), RATTLE_OK);
      assert_int_equal(rattle_integrator_create(&many, f.problem, method, &error), RATTLE_OK);
      memcpy(z, f.z, bytes);
      memcpy(z + 2 * f.n, f.z, bytes);
      rattle_state a = {.q = z, .p = z + f.n, .h = h},
                   b = {.q = z + 2 * f.n, .p = z + 3 * f.n, .h = h};
      rattle_status first = RATTLE_OK;
      for (int step = 0; step < 90 && !first; step++)
        first = rattle_integrator_step(one, &a, 1, &error);
      const rattle_status second = rattle_integrator_step(many, &b, 90, &other);
      if (first != second || a.step != b.step || memcmp(z, z + 2 * f.n, bytes))
        fail_msg("chain %d, %s: %s after %lld, %s after %lld steps", i, method,
                 rattle_status_name(first), (long long)a.step, rattle_status_name(second),
                 (long long)b.step);
      if (first)
        assert_string_equal(error.message, other.message), ended++;
      else {
        const rattle_counts c = rattle_integrator_counts(one), d = rattle_integrator_counts(many);
        assert_int_equal(c.steps, d.steps);
        assert_int_equal(c.newton_iterations, d.newton_iterations);
        assert_int_equal(c.factorisation, d.factorisation);
        assert_int_equal(c.gradient, d.gradient);
        assert_int_equal(c.position_projections, d.position_projections);
      }
      rattle_integrator_destroy(&one);
      rattle_integrator_destroy(&many);
    }
    free(z);
    close_fixture(&f);
  }
  print_message("%d runs ended early\n", ended);
  assert_true(ended > 5 / TESTS_ONE_IN);
}

/* Energies of steps in the lanes. */
static void test_energies(void **state) {
  (void)state;
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    fixture f = open_chain(shapes[i]);
    rattle__context context = {.problem = f.problem};
    rattle__map *map;
    rattle_error error;
    const rattle__function *H = f.problem->H;
    double *z = calloc(2 * (size_t)f.n + H->work, sizeof *z), h = 0.005, before, energy;
    for (int projection = 0; projection < 2; projection++) {
      assert_int_equal(rattle__natural_chain_create(
                           &map, &context, &verlet,
                           projection ? RATTLE__PROJECT_STEP : RATTLE__PROJECT_OUTPUT, &error),
                       RATTLE_OK);
      memcpy(z, f.z, 2 * (size_t)f.n * sizeof *z);
      assert_int_equal(H->value(H, z, &before, z + 2 * f.n), 0);
      for (int step = 0; step < 5; step++) {
        double range[2] = {INFINITY, -INFINITY};
        assert_int_equal(map->run(map, &h, 1, 1, z, range), 1);
        assert_int_equal(H->value(H, z, &energy, z + 2 * f.n), 0);
        assert_true(range[0] == range[1] && range[0] != before);
        if (!(fabs(range[0] - energy) < 1e-13 * f.n * (1 + fabs(energy))))
          fail_msg("chain %d: H is %.17g, not %.17g", i, range[0], energy);
      }
      map->destroy(map);
    }
    rattle__arena_release(&context.arena);
    free(z);
    close_fixture(&f);
  }
}

/* How often numbers are read and written: four walks a step, without a copy in between; what is the
 * same for all links is not read. */
static void test_traffic(void **state) {
  (void)state;
  for (int even = 0; even < 2; even++) {
    fixture f = even ? open_bench(4000) : open_chain((shape){4000, 2, 1, 0, 0, 0, 1});
    rattle__arena arena = {0};
    rattle__chain *chain = rattle__chain_create(f.problem, &arena);
    assert_non_null(chain);
    assert_int_equal(advance(chain, 0.002, 3, 1, f.z), 3);
    const long long before = chain->numbers;
    assert_int_equal(advance(chain, 0.002, 100, 1, f.z), 100);
    const double bytes = 8 * (double)(chain->numbers - before) / 100;
    print_message("%.0f bytes a link and step\n", bytes);
    assert_true(bytes < (even ? 480 : 600));
    rattle__arena_release(&arena);
    close_fixture(&f);
  }
}

/* --- doubt ------------------------------------------------------------------------------------ */

/* Steps of any length end as the general map ends them; where that is a failure, or the chain was
 * in doubt, bit for bit. */
static void test_doubt(void **state) {
  (void)state;
  int done = 0, left = 0, failed = 0;
  for (int i = 0; i < SHAPES; i += TESTS_ONE_IN) {
    fixture f = open_chain(shapes[i]);
    rattle__context one = {.problem = f.problem}, two = {.problem = f.problem};
    rattle__map *linked, *natural;
    rattle_error error, other;
    const size_t n = (size_t)f.n;
    double *z = calloc(4 * n, sizeof *z), *before = calloc(2 * n, sizeof *before);
    memcpy(before, f.z, 2 * n * sizeof *before);
    assert_int_equal(
        rattle__natural_chain_create(&linked, &one, &verlet, RATTLE__PROJECT_STEP, &error),
        RATTLE_OK);
    assert_non_null(linked);
    assert_int_equal(rattle__natural_create(&natural, &two, &verlet, RATTLE__PROJECT_STEP,
                                            &rattle__automatic, &error),
                     RATTLE_OK);
    for (double h = 0.001; h < 5;
         h *= shapes[i].N < 100 ? 1.6 : 8) /* what fails takes a long chain long */ {
      const rattle_status a = linked->apply(linked, h, f.z, z, &error),
                          b = natural->apply(natural, h, f.z, z + 2 * n, &other);
      if (a != b)
        fail_msg("chain %d, step %g: %s, not %s", i, h, rattle_status_name(a),
                 rattle_status_name(b));
      assert_memory_equal(f.z, before, 2 * n * sizeof *before);
      if (a) {
        assert_string_equal(error.message, other.message);
        failed++;
      } else if (!memcmp(z, z + 2 * n, 2 * n * sizeof *z)) {
        left++;
      } else {
        assert_true(apart(z + 2 * n, z, f.n) < 1e-10);
        assert_true(apart(z + 3 * n, z + n, f.n) < 1e-8);
        done++;
      }
    }
    linked->destroy(linked);
    natural->destroy(natural);
    rattle__arena_release(&one.arena);
    rattle__arena_release(&two.arena);
    free(z);
    free(before);
    close_fixture(&f);
  }
  print_message("%d steps by segments, %d left to the general step, %d failed\n", done, left,
                failed);
  assert_true(done > 50 / TESTS_ONE_IN && left > 0 && failed > 50 / TESTS_ONE_IN);
}

/* A link that is driven through its other end, so that Newton's method converges at once, to the
 * link turned round: the sign of the pivots tells. Up to a quarter of the way there is no doubt. */
static void test_turned(void **state) {
  (void)state;
  for (int end = 0; end < 2; end++) {
    fixture f = open_chain((shape){70, 2, 0, 0, 0, 0, 0});
    rattle__arena arena = {0};
    rattle__chain *chain = rattle__chain_create(f.problem, &arena);
    assert_non_null(chain);
    const rattle__path *path = &chain->path;
    const double ways[] = {0.05, 2.05};
    double *z = calloc(4 * (size_t)f.n, sizeof *z);
    for (int k = 0; k < 2; k++) {
      const int node = end ? path->links : 0, beside = end ? node - 1 : 1;
      memcpy(z, f.z, (size_t)f.n * sizeof *z);
      for (int d = 0; d < 2; d++) {
        const int at = path->base[d] + path->stride[d] * node,
                  other = path->base[d] + path->stride[d] * beside;
        z[f.n + at] = ways[k] * (z[other] - z[at]) / path->inverse[node];
      }
      rattle__chain_enter(chain, z);
      assert_int_equal(rattle__chain_positions(chain, &(rattle__kicks){.d = 1, .h = 1}), k == 0);
    }
    free(z);
    rattle__arena_release(&arena);
    close_fixture(&f);
  }
}

/* A walk of the best kernel, after which the multipliers have taken the step farther than it went
 * without them. */
static void walk_stretched(rattle__chain *chain, rattle__chain_walk what) {
  rattle__chain_kernel_of(0)->walk(chain, what);
  chain->way[0] = 0.2 * chain->way[1] - chain->span;
}

static void test_stretched(void **state) {
  (void)state;
  fixture f = open_chain(shapes[0]);
  rattle__arena arena = {0};
  rattle__chain *chain = rattle__chain_create(f.problem, &arena);
  rattle__chain_kernel stretching = *rattle__chain_kernel_of(0);
  const size_t bytes = 2 * (size_t)f.n * sizeof(double);
  double *z = malloc(bytes);
  assert_non_null(chain);
  stretching.walk = walk_stretched;
  for (int project = 0; project < 2; project++)
    for (int stretched = 0; stretched < 2; stretched++) {
      chain->kernel = stretched ? &stretching : rattle__chain_kernel_of(0);
      rattle__chain_enter(chain, f.z);
      assert_true(rattle__chain_positions(chain, &(rattle__kicks){.d = 0.01, .h = 0.01}));
      assert_int_equal(rattle__chain_momenta(chain, NULL, project), !stretched);
      rattle__chain_leave(chain, z);
      assert_int_equal(memcmp(z, f.z, bytes) == 0, stretched); /* in doubt: where it was */
    }
  free(z);
  rattle__arena_release(&arena);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_paths),       cmocka_unit_test(test_others),
      cmocka_unit_test(test_multipliers), cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_runs),        cmocka_unit_test(test_doubt),
      cmocka_unit_test(test_turned),      cmocka_unit_test(test_stretched),
      cmocka_unit_test(test_together),    cmocka_unit_test(test_energies),
      cmocka_unit_test(test_traffic)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
