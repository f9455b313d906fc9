/* Trees of links in one problem: the step that eliminates from the leaves on, against the general
 * one, which takes over where there is doubt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "constraint/links/forest.h"
#include "constraint/links/trees.h"
#include "unit/two_steps.h"

/* N nodes in D axes, of which node i hangs from node above(i) (0: a point; nil: from nothing), with
 * `more` after that. */
#define TREE(D, N, above, more)                                                                    \
  "local D, N, q, p, H = " #D ", " #N ", {}, {}, 0\n"                                              \
  "local function above(i) " above " end\n"                                                        \
  "for d = 1, D do q[d], p[d] = pairs_of(string.char(119 + d), N) end\n"                           \
  "local at = { [0] = {0.25, -0.5, 0.125} }\n"                                                     \
  "for i = 1, N do\n"                                                                              \
  "  local a, b, f = 2.4*i, 0.7*i, at[above(i) or 0]\n"                                            \
  "  local e = D == 2 and {math.cos(a), math.sin(a)} or {math.sin(a)*math.cos(b), "                \
  "math.sin(a)*math.sin(b), math.cos(a)}\n"                                                        \
  "  local length, m, g = 1 + 0.5*math.sin(3.1*i), 1 + 0.5*math.cos(i), 0\n"                       \
  "  at[i] = {}\n"                                                                                 \
  "  for d = 1, D do\n"                                                                            \
  "    at[i][d] = f[d] + length*e[d]\n"                                                            \
  "    H = H + p[d][i]^2/2/m + 0.3*q[d][i] + 0.01*q[d][i]^4/(1 + q[1][i]^2)\n"                     \
  "    start { [q[d][i]] = at[i][d], [p[d][i]] = math.sin(3*i + d) }\n"                            \
  "    g = g + (q[d][i] - ((above(i) or 0) == 0 and f[d] or q[d][above(i)]))^2\n"                  \
  "  end\n"                                                                                        \
  "  if above(i) then constrain('link' .. i, (1 + i % 3)*(g - length^2)) end\n"                    \
  "end\n" more "hamiltonian(H) start { project = true }\n"

static const char *const models[] = {
    TREE(2, 20, "return i - 1", ""),                         /* a chain that hangs */
    TREE(3, 14, "return i > 1 and i - 1 or nil", ""),        /* a chain that does not */
    TREE(2, 40, "return i // 2", ""),                        /* each node has two below it */
    TREE(3, 40, "return i > 1 and (i + 1) // 3 or nil", ""), /* three, in space */
    TREE(2, 30, "return i % 5 == 1 and math.max(i - 5, 0) or i - 1", ""), /* a comb */
    TREE(3, 31, "return i > 1 and (i <= 7 and 1 or i - 6) or nil", ""),   /* six arms */
    TREE(2, 36, "return i % 9 > 1 and i - (i % 9) // 2 or i % 9 == 1 and 0 or nil",
         ""), /* several, and a node without links */
    /* the last node of the chain is fixed too */
    TREE(2, 15, "return i - 1",
         "constrain('end', (q[1][15] - at[15][1] - 0.6)^2 + (q[2][15] - at[15][2] + 0.8)^2 - 1)\n"),
    /* other coordinates, which pull at the tree */
    TREE(3, 16, "return i // 2",
         "local u, pu = pairs_of('u', 3) H = H + pu[1]^2/2 + pu[2]^2 + pu[3]^2 + (u[1] - "
         "q[1][16])^2 + (u[2] + u[3]*q[2][7])^2\n"),
    /* springs that push links through their middle, where the other solution is nearer than the
     * right one */
    TREE(2, 18, "return i // 2",
         "for i = 1, N do for d = 1, D do H = H + 2*(q[d][i] - (q[d][above(i)] or 0))^2 end end\n"),
};
enum { MODELS = sizeof models / sizeof *models };

static void test_agrees(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)",
                                        "rattle(symplectic_euler)", "suzuki4(rattle(verlet))",
                                        "rattle(verlet, project=output)"};
  for (int k = 0; k < MODELS; k++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      check_agreement(models[k], methods[i], "tree");
}

static void test_doubt(void **state) {
  (void)state;
  int sound = 0, failed = 0;
  for (int k = 0; k < MODELS; k++) check_doubt(models[k], &sound, &failed);
  assert_true(sound > 60 && failed > 30);
}

static void test_runs(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    run r;
    check_run(&r, models[k]);
    end(&r);
  }
}

/* Elimination fills in nothing: the entries next to a link are those of the links that meet it in
 * its upper node. */
static void test_forest(void **state) {
  (void)state;
  static const struct {
    int nodes, pairs;
  } expected[MODELS] = {{21, 0},  {14, 0},  {41, 19}, {40, 39}, {31, 5},
                        {31, 15}, {36, 12}, {17, 0},  {17, 7},  {19, 8}};
  for (int k = 0; k < MODELS; k++) {
    run r;
    rattle__forest f;
    rattle__arena arena = {0};
    begin(&r, models[k], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 1);
    assert_true(rattle__forest_find(&f, r.problem, &arena));
    assert_int_equal(f.nodes, expected[k].nodes);
    assert_int_equal(f.pairs, expected[k].pairs);
    for (int e = 0; e < f.m; e++) {
      assert_true(f.above[e] < e);
      assert_true(f.above[e] < 0 ? f.upper[e] >= f.m : f.upper[e] == f.above[e]);
      for (int s = f.first[e]; s <= e; s++) assert_int_equal(f.upper[s], f.upper[e]);
    }
    rattle__arena_release(&arena);
    end(&r);
  }
}

/* Positions where w leads in a step of h, directly; 0: in doubt. */
static int go(const run *r, rattle__links *t, double h, double *w, double *p, double *q1) {
  for (int i = 0; i < r->n; i++) w[i] = t->inverse[i] * p[i];
  return t->positions(t, h, r->q, w, p, q1);
}

/* Healthy steps are not handed on: a few corrections, by a matrix that is kept once it is near;
 * momenta by one. Links end at round-off. */
static void test_healthy(void **state) {
  (void)state;
  for (int k = 0; k < 2 * MODELS; k++) {
    const double h = k % 2 ? 0.03 : 1e-4;
    run r;
    rattle__arena arena = {0};
    double w[MOST], p[MOST], q1[MOST];
    begin(&r, models[k / 2], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 1);
    rattle__links *t = rattle__trees_create(r.problem, &arena);
    assert_non_null(t);
    memcpy(p, r.p, sizeof p);
    assert_true(go(&r, t, h, w, p, q1));
    assert_in_range(t->corrections, 1, k % 2 ? 3 : 2);
    assert_in_range(t->factorisations, 1, k % 2 ? 3 : 1);
    for (int i = 0; i < r.n; i++) assert_true(fabs(q1[i] - r.q[i] - h * w[i]) < 1e-14);
    const int before = t->factorisations;
    assert_true(t->momenta(t, q1, w, p));
    assert_int_equal(t->factorisations, before + 1);
    assert_true(t->g < 1e-13 && t->psi < 1e-13);
    rattle__arena_release(&arena);
    end(&r);
  }
}

/* A link that is turned round would be as long as before. */
static void test_guard(void **state) {
  (void)state;
  run r;
  rattle__arena arena = {0};
  double w[MOST], p[MOST] = {0}, q1[MOST];
  begin(&r, models[0], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 1);
  rattle__links *t = rattle__trees_create(r.problem, &arena);
  p[19] = -2 * (r.q[19] - r.q[18]) / t->inverse[19]; /* of the last one */
  p[39] = -2 * (r.q[39] - r.q[38]) / t->inverse[39];
  assert_false(go(&r, t, 1, w, p, q1));
  memset(p, 0, sizeof p);
  assert_true(go(&r, t, 1, w, p, q1));
  rattle__arena_release(&arena);
  end(&r);
}

/* A chain of N links that hangs in a point far from the origin, whose square has no digits left for
 * d^2. Trees, chains in lanes, sweeps. */
#define FAR(N)                                                                                     \
  "local N, far, d = " #N                                                                          \
  ", 1234567.891, 0.3 local x, px = pairs_of('x', N) local y, py = pairs_of('y', N) local H = 0 "  \
  "for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i] start { [x[i]] = far + d*i, [y[i]] = far " \
  "} "                                                                                             \
  "constrain('l' .. i, (x[i] - (i == 1 and far or x[i-1]))^2 + (y[i] - (i == 1 and far or "        \
  "y[i-1]))^2 - 0.09) end "                                                                        \
  "hamiltonian(H) start { project = true }"

static void test_far(void **state) {
  (void)state;
  static const struct {
    const char *text, *method;
  } of[] = {{FAR(20), "rattle(verlet)"},
            {FAR(80), "rattle(verlet)"},
            {FAR(5), "rattle(verlet, solver=andersen)"}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    run r;
    begin(&r, of[k].text, of[k].method, RATTLE_EVALUATOR_BLOCK, 0.001);
    advance(&r, 100);
    const double length = hypot(r.q[0] - 1234567.891, r.q[r.n / 2] - 1234567.891);
    if (!(fabs(length - 0.3) < 1e-9))
      fail_msg("%s of %d coordinates: %.3e off", of[k].method, r.n, length - 0.3);
    end(&r);
  }
}

/* Loops, many links in one node, masses by axis keep the general step; few links their own. */
static void test_others(void **state) {
  (void)state;
  static const char *const texts[] = {
      TREE(2, 20, "return i - 1",
           "constrain('loop', (q[1][20] - q[1][3])^2 + (q[2][20] - q[2][3])^2 - (at[20][1] - "
           "at[3][1])^2 - (at[20][2] - "
           "at[3][2])^2)\n"),
      TREE(3, 20, "return i > 1 and 1 or nil", ""),
      TREE(2, 20, "return i - 1", "H = H + p[1][4]^2\n"),
      TREE(2, 12, "return i - 1", ""),
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    run r;
    begin(&r, texts[k], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
    assert_string_not_equal(solver_of(&r), "tree");
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees),  cmocka_unit_test(test_doubt),
                                     cmocka_unit_test(test_runs),    cmocka_unit_test(test_forest),
                                     cmocka_unit_test(test_healthy), cmocka_unit_test(test_guard),
                                     cmocka_unit_test(test_far),     cmocka_unit_test(test_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
