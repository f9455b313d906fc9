/* Molecules of rods in one problem: the step by bonds against the general one, which takes over
 * where there is doubt. */
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
#include "constraint/links/molecules.h"
#include "unit/two_steps.h"

/* At least 32 bonds each. */
static const char *const models[] = {
    "molecule { beads = 3, copies = 12, mass = {16, 1, 1}, bonds = {{1, 2, 1}, {1, 3, 1}, {2, 3, "
    "1.633}}, temperature = 1, "
    "place = {{0, 0, 0}, {1, 0, 0}, {1 - 1.633^2/2, math.sqrt(1 - (1 - 1.633^2/2)^2), 0}} }",
    "local s = 1/math.sqrt(3) molecule { beads = 5, copies = 10, mass = {12, 1, 2, 1, 1}, length = "
    "1, bonds = {{1, 2}, {1, 3}, "
    "{1, 4}, {1, 5}}, "
    "temperature = 2, place = {{0, 0, 0}, {s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}} }",
    "molecule { beads = 6, copies = 7, length = 1, bonds = 'ring', temperature = 1 }",
    "molecule { beads = 30, copies = 4, length = 1, bonds = 'chain', temperature = 1 }",
    "molecule { beads = 5, copies = 9, length = 1, bonds = 'chain', mass = {1, 2, 3, 2, 1}, "
    "temperature = 1 } "
    "molecule { beads = 7, temperature = 1, place = function(c, i) return 50 + 1.3*i, 0, 0 end } "
    "local y, py = pairs_of('w', 4) "
    "mass(y, 3) potential(y[1]^2 + y[2]*y[3]) "
    "pair_potential { kind = 'lennard_jones' }",
    /* columns axis by axis, constraints of several scales */
    "local N = 44 local x, px = pairs_of('x', N) local y, py = pairs_of('y', N) local z, pz = "
    "pairs_of('z', N) "
    "mass(x, 2) mass(y, 2) mass(z, 2) potential(y[1]) local P = {} for i = 1, N do local k = (i - "
    "1) % 11 + 1 "
    "local j, a, b = i - k + k // 2, 2.4*i, 0.7*i local f = P[j] or {0, 0, i} "
    "P[i] = { f[1] + math.sin(a)*math.cos(b), f[2] + math.sin(a)*math.sin(b), f[3] + math.cos(a) } "
    "if k > 1 then constrain('g' .. i, i*((x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2 - "
    "1)) end "
    "start { [x[i]] = P[i][1], [y[i]] = P[i][2], [z[i]] = P[i][3], [px[i]] = math.sin(i), [py[i]] "
    "= math.cos(3*i), [pz[i]] = "
    "math.sin(7*i) } end "
    "start { project = true }",
    /* springs that push bonds through their middle, where the other solution is nearer than the
     * right one */
    "local m = molecule { beads = 4, copies = 12, length = 1, bonds = 'chain', temperature = 1 } "
    "for i = 1, 47 do if i % 4 > 0 "
    "then "
    "potential(3*((m.x[i] - m.x[i+1])^2 + (m.y[i] - m.y[i+1])^2 + (m.z[i] - m.z[i+1])^2)) end end",
};
enum { MODELS = sizeof models / sizeof *models };

static void test_doubt(void **state) {
  (void)state;
  int sound = 0, failed = 0;
  for (int k = 0; k < MODELS; k++)
    if (k != 4)
      check_doubt(
          models[k], &sound,
          &failed); /* where beads collide the general step takes long to find that a step is too
                       long */
  assert_true(sound > 40 && failed > 10);
}

static void test_agrees(void **state) {
  (void)state;
  static const char *const methods[] = {
      "rattle(verlet)",          "shake(verlet)",           "rattle(symplectic_euler)",
      "rattle(velocity_verlet)", "suzuki4(rattle(verlet))", "rattle(verlet, project=output)"};
  for (int k = 0; k < MODELS; k++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      check_agreement(models[k], methods[i], "bonds");
}

/* A bond that turns by asin(0.5) in a step is left to bonds, one that turns by asin(0.9) is not:
 * the first correction of an iteration with the matrix at the start leaves 0.39 of the residual
 * then. Nor is a bond whose end is pushed through the other one. */
static void test_guard(void **state) {
  (void)state;
  run r;
  begin(&r, "molecule { beads = 2, copies = 40, length = 1, bonds = 'chain' }", "rattle(verlet)",
        RATTLE_EVALUATOR_BLOCK, 1);
  rattle__arena arena = {0};
  rattle__links *m = rattle__molecules_create(r.problem, &arena);
  assert_non_null(m);
  static const double way[][2] = {{0.5, 0}, {0.9, 0}, {0.2, -1.5}};
  for (int k = 0; k < 3; k++) {
    double w[240] = {0}, p[240] = {0}, q1[240], d[3], across[3];
    for (int c = 0; c < 3; c++) d[c] = r.q[3 + c] - r.q[c];
    across[0] = -d[1], across[1] = d[0], across[2] = 0;
    const double size = sqrt(d[0] * d[0] + d[1] * d[1]);
    for (int c = 0; c < 3; c++) w[3 + c] = way[k][0] * across[c] / size + way[k][1] * d[c];
    assert_int_equal(m->positions(m, 1, r.q, w, p, q1), k == 0);
  }
  m->destroy(m);
  rattle__arena_release(&arena);
  end(&r);
}

/* Also nothing turns or moves the whole. */
static void test_runs(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    run r;
    check_run(&r, models[k]);
    double sum[6] = {0};
    for (int i = 0; i < r.n / 3 && k < 4; i++)
      for (int d = 0; d < 3; d++) {
        const int a = 3 * i + (d + 1) % 3, b = 3 * i + (d + 2) % 3;
        sum[d] += r.p[3 * i + d];
        sum[3 + d] += r.q[a] * r.p[b] - r.q[b] * r.p[a];
      }
    for (int d = 0; d < 3; d++) assert_true(fabs(sum[d]) < 1e-12 * r.n);
    end(&r);
  }
}

/* Other constraints keep the general step: in the plane, with fixed points, redundant, with masses
 * by axis. */
static void test_others(void **state) {
  (void)state;
  static const char *const texts[] = {
      "local x = pairs_of('x', 80) local y = pairs_of('y', 80) mass(x, 1) mass(y, 1) "
      "potential(0*x[1]) for i = 1, 79, 2 do "
      "constrain('g' .. i, (x[i] - x[i+1])^2 + (y[i] - y[i+1])^2 - 1) start { [x[i]] = 1 } end",
      "local x = pairs_of('x', 40) local y = pairs_of('y', 40) local z = pairs_of('z', 40) mass(x, "
      "1) mass(y, 1) mass(z, 1) "
      "potential(z[1]) for i = 1, 40 do constrain('g' .. i, x[i]^2 + y[i]^2 + z[i]^2 - 1) start { "
      "[x[i]] = 1 } end",
      "local x = pairs_of('x', 80) local y = pairs_of('y', 80) local z = pairs_of('z', 80) mass(x, "
      "1) mass(y, 2) mass(z, 1) "
      "potential(0*x[1]) for i = 1, 79, 2 do constrain('g' .. i, (x[i] - x[i+1])^2 + (y[i] - "
      "y[i+1])^2 + (z[i] - z[i+1])^2 - 1) "
      "start { [x[i]] = 1 } end",
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    run r;
    begin(&r, texts[k], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
    assert_string_not_equal(solver_of(&r), "bonds");
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees), cmocka_unit_test(test_doubt),
                                     cmocka_unit_test(test_guard), cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
