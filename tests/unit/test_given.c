/* Coefficients that a model gives: orders by the conditions of trees and of words, symmetry,
 * symplecticity, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "method/notation/row.h"
#include "problem/model/user_coefficients.h"
#include "maps/base/base.h"
#include "rattle/rattle.h"

static rattle_coefficients found(rattle_model *model) {
  rattle_coefficients c;
  const int count = rattle_model_coefficients(model, -1, NULL);
  assert_int_equal(rattle_model_coefficients(model, count - 1, &c), count);
  return c;
}

static rattle_coefficients add_tableau(const rattle_tableau *t) {
  rattle_model *model;
  rattle_error error;
  assert_int_equal(rattle_model_create(&model, &error), RATTLE_OK);
  if (rattle_model_add_tableau(model, "t", t, &error)) fail_msg("%s", error.message);
  rattle_coefficients c = found(model);
  rattle_model_destroy(&model);
  c.name = c.fails = NULL;
  return c;
}

static rattle_coefficients add_splitting(int stages, const double *c, const double *d) {
  rattle_model *model;
  rattle_error error;
  assert_int_equal(rattle_model_create(&model, &error), RATTLE_OK);
  if (rattle_model_add_splitting(model, "s", &(rattle_splitting){stages, c, d, 0}, &error))
    fail_msg("%s", error.message);
  rattle_coefficients set = found(model);
  rattle_model_destroy(&model);
  set.name = set.fails = NULL;
  return set;
}

/* Gauss methods have order 2s, and are known to be symmetric and symplectic. */
static void test_gauss(void **state) {
  (void)state;
  for (int s = 1; s <= 6; s++) {
    double c[RATTLE__STAGES], b[RATTLE__STAGES], square[RATTLE__STAGES][RATTLE__STAGES], A[64];
    rattle__gauss_coefficients(s, c, b, square);
    for (int i = 0; i < s; i++) memcpy(A + i * s, square[i], (size_t)s * sizeof *A);
    const rattle_coefficients g = add_tableau(&(rattle_tableau){.stages = s, .A = A, .b = b});
    assert_int_equal(g.order, s <= 5 ? 2 * s : 10); /* conditions end at 10 */
    assert_true(g.symmetric && g.symplectic && !g.explicit_ && !g.partitioned);
    A[s * s - 1] *= 1.01;
    const rattle_coefficients off = add_tableau(&(rattle_tableau){.stages = s, .A = A, .b = b});
    assert_int_equal(off.order, 1);
    assert_true(!off.symmetric && !off.symplectic);
  }
}

static void test_known_tableaus(void **state) {
  (void)state;
  static const double heun[] = {0, 0, 1, 0}, halves[] = {0.5, 0.5};
  static const double radau[] = {5. / 12, -1. / 12, 3. / 4, 1. / 4}, radau_b[] = {3. / 4, 1. / 4};
  static const double kutta[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                      kutta_b[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  static const double trapezoid[] = {0, 0, 0.5, 0.5}, box[] = {0.5, 0, 0.5, 0};
  static const double lobatto3[] = {0, 0, 0, 5. / 24, 1. / 3, -1. / 24, 1. / 6, 2. / 3, 1. / 6},
                      b3[] = {1. / 6, 2. / 3, 1. / 6};
  static const double lobatto3b[] = {1. / 6, -1. / 6, 0, 1. / 6, 1. / 3, 0, 1. / 6, 5. / 6, 0};
  static const struct {
    rattle_tableau t;
    int order, symmetric, symplectic, explicit_;
  } cases[] = {
      {{2, heun, halves, NULL, NULL, 2}, 2, 0, 0, 1},
      {{2, radau, radau_b, NULL, NULL, 3}, 3, 0, 0, 0},
      {{4, kutta, kutta_b, NULL, NULL, 4}, 4, 0, 0, 1},
      {{2, trapezoid, halves, NULL, NULL, 0}, 2, 1, 0, 0},
      {{2, trapezoid, halves, box, NULL, 2}, 2, 1, 1, 0},
      {{3, lobatto3, b3, NULL, NULL, 0}, 4, 1, 0, 0},
      {{3, lobatto3, b3, lobatto3b, NULL, 4}, 4, 1, 1, 0},
      {{2, heun, halves, box, NULL, 0}, 2, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const rattle_coefficients c = add_tableau(&cases[i].t);
    if (c.order != cases[i].order || c.symmetric != cases[i].symmetric ||
        c.symplectic != cases[i].symplectic || c.explicit_ != cases[i].explicit_)
      fail_msg("case %zu: order %d symmetric %d symplectic %d explicit %d", i, c.order, c.symmetric,
               c.symplectic, c.explicit_);
    assert_int_equal(c.partitioned, cases[i].t.Ahat != NULL);
  }
}

/* Every composition of Verlet's method is a splitting of the order of the set; with a coefficient 1
 * % off it is of order 2, being symmetric still, and of order 1 if that is lost too. */
static void test_compositions_as_splittings(void **state) {
  (void)state;
  int checked = 0;
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  for (int id = 0; id < rows; id++) {
    const rattle__composition *set = rattle__composition_of(&row[id]);
    if (!set || !set->gamma) continue;
    const int stages = set->stages;
    const long double *gamma = set->gamma;
    for (int off = 0; off < 3; off++) {
      double c[RATTLE__GIVEN_PARTS] = {0}, d[RATTLE__GIVEN_PARTS] = {0},
             g[RATTLE__GIVEN_PARTS] = {0}, sum = 0;
      for (int i = 0; i < stages; i++) g[i] = (double)gamma[i];
      if (off) g[0] *= 1.01;
      if (off == 1) g[stages - 1] *= 1.01;
      for (int i = 0; i < stages; i++) sum += g[i];
      g[stages / 2] += 1 - sum;
      for (int i = 0; i < stages; i++) {
        c[i] += g[i] / 2;
        c[i + 1] += g[i] / 2;
        d[i] = g[i];
      }
      const rattle_coefficients made = add_splitting(stages + 1, c, d);
      if (made.order != (off ? 2 : row[id].claims.order))
        fail_msg("%s: order %d", row[id].name, made.order);
      assert_int_equal(made.symmetric, off < 2);
      checked++;
    }
  }
  assert_true(checked >= 30);
}

static void test_known_splittings(void **state) {
  (void)state;
  static const double ruth_c[] = {1, -2. / 3, 2. / 3}, ruth_d[] = {-1. / 24, 3. / 4, 7. / 24};
  static const double one[] = {1}, halves[] = {0.5, 0.5}, kick[] = {1, 0}, padded[] = {0.5, 0, 0.5},
                      padded_kick[] = {0.5, 0.5, 0};
  assert_int_equal(add_splitting(3, ruth_c, ruth_d).order, 3);
  assert_false(add_splitting(3, ruth_c, ruth_d).symmetric);
  assert_int_equal(add_splitting(1, one, one).order, 1);
  assert_false(add_splitting(1, one, one).symmetric);
  assert_int_equal(add_splitting(2, halves, kick).order, 2);
  assert_true(add_splitting(2, halves, kick).symmetric);
  assert_true(add_splitting(3, padded, padded_kick)
                  .symmetric); /* parts of length 0 do not count, neighbours are one */
}

/* A splitting written as a partitioned tableau: c and d are weights of other stages, so that it is
 * of order 1 and not symplectic, but for H = T(p) + V(q), where it is what the splitting is. */
static void test_other_weights(void **state) {
  (void)state;
  static const double c[] = {1, -2. / 3, 2. / 3}, d[] = {-1. / 24, 3. / 4, 7. / 24};
  static const double lower[] = {1, 0, 0, 1, -2. / 3, 0, 1, -2. / 3, 2. / 3},
                      strictly[] = {0, 0, 0, -1. / 24, 0, 0, -1. / 24, 3. / 4, 0};
  const rattle_coefficients ruth = add_tableau(
      &(rattle_tableau){.stages = 3, .A = lower, .b = c, .Ahat = strictly, .bhat = d, .order = 3});
  assert_int_equal(ruth.order, 1);
  assert_int_equal(ruth.separable_order, 3);
  assert_true(!ruth.symplectic && ruth.separable_symplectic && ruth.partitioned && !ruth.symmetric);
  const rattle_coefficients same =
      add_tableau(&(rattle_tableau){.stages = 1, .A = lower, .b = c, .Ahat = c, .bhat = c});
  assert_int_equal(same.order, 1);
  assert_true(same.separable_order == 1 && !same.symplectic && !same.separable_symplectic);
}

/* Invalid input is refused, with a reason. */
static void test_refusals(void **state) {
  (void)state;
  static const char *const pair =
      "local x, p = pair('x')\nhamiltonian(p^2/2 + x^4/4)\nstart { x = 1 }\n";
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"tableau('t', { A = {{0}}, b = {0.9} })", "has order 0, not 1: the condition sum b_i = 1/1"},
      {"tableau('t', { A = {{}, {1/2}}, b = {0, 1}, order = 3 })",
       "has order 2, not 3: the condition sum b_i a_ij a_jk = 1/6"},
      {"tableau('t', { A = {{}, {1}}, Ahat = {{}, {2}}, b = {1/2, 1/2}, order = 2 })",
       "sum b_i ahat_ij = 1/2"},
      {"tableau('t', { A = {{1/2}}, b = {1}, order = 11 })", "has order 2, not 11"},
      {"tableau('t', { A = {{0}, {0}}, b = {1} })", "A has 2 rows, and b has 1 numbers"},
      {"tableau('t', { b = {1} })", "has no matrix A"},
      {"tableau('t', { A = {{0}}, b = {} })", "is empty"},
      {"tableau('t', { A = {{0}}, b = {1}, c = {0} })", "unknown entry in a tableau"},
      {"tableau('t', { A = {{0}}, b = {1}, bhat = {1/2, 1/2} })",
       "bhat has 2 numbers, and b has 1"},
      {"tableau('t', { A = {{1}}, b = {1}, Ahat = {{0}}, bhat = {0.9} })",
       "the condition sum bhat_i = 1/1"},
      {"tableau('t', { A = {{'x'}}, b = {1} })", "found the string"},
      {"tableau('t', { A = {{0, 0}}, b = {1} })", "at most 1 are allowed"},
      {"tableau('t u', { A = {{0}}, b = {1} })", "letters, digits and underscores"},
      {"tableau('t', { A = {{0}}, b = {1} }) tableau('t', { A = {{0}}, b = {1} })",
       "already exist"},
      {"splitting('s', { c = {1/2, 1/2}, d = {0.9} })",
       "has order 0, not 1: the condition the coefficient of V = 1/1"},
      {"splitting('s', { c = {1}, d = {1}, order = 2 })", "the coefficient of T V = 1/2"},
      {"splitting('s', { c = {}, d = {} })", "has 0 stages"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    rattle_model *model;
    rattle_error error;
    snprintf(text, sizeof text, "%s%s\n", pair, cases[i].text);
    if (rattle_model_parse(&model, text, "m.lua", NULL, &error) != RATTLE_BAD_MODEL || model)
      fail_msg("%s passed", cases[i].text);
    if (!strstr(error.message, cases[i].words) || !strstr(error.message, "m.lua:4"))
      fail_msg("%s: %s", cases[i].text, error.message);
  }
}

/* The claims of an expression that names coefficients are known once it is compiled. */
static void test_claims(void **state) {
  (void)state;
  static const char *const text =
      "local x, p = pair('x')\nhamiltonian(p^2/2 + x^4/4)\nstart { x = 1 }\n"
      "tableau('midpoint', { A = {{1/2}}, b = {1} })\n"
      "splitting('ruth', { c = {1, -2/3, 2/3}, d = {-1/24, 3/4, 7/24} })\n"
      "tableau('apart', { A = {{1}, {1, -2/3}, {1, -2/3, 2/3}}, b = {1, -2/3, 2/3}, order = 3,\n"
      "  Ahat = {{}, {-1/24}, {-1/24, 3/4}}, bhat = {-1/24, 3/4, 7/24} })\n";
  static const struct {
    const char *method, *words;
    rattle_claims claims;
  } cases[] = {
      {"runge_kutta(apart)", NULL, {3, 0, 1, 0, 0, 0, 1, 1, 0, 0, {0}}},
      {"runge_kutta(midpoint)", NULL, {2, 1, 1, 0, 0, 0, 1, 1, 0, 0, {0}}},
      {"splitting(ruth)", NULL, {3, 0, 1, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"suzuki4(runge_kutta(midpoint))", NULL, {4, 1, 1, 0, 0, 0, 1, 5, 0, 0, {0}}},
      {"triple_jump(runge_kutta(midpoint), 6)", NULL, {6, 1, 1, 0, 0, 0, 1, 9, 0, 0, {0}}},
      {"suzuki4(splitting(ruth))", "is not symmetric", {0}},
      {"second_class(runge_kutta(apart))", "only for H = T(p) + V(q)", {0}},
      {"splitting(rut)", "did you mean \"ruth\"", {0}},
      {"splitting(midpoint)", "is a tableau of the model", {0}},
      {"runge_kutta(nothing_like_it)", "has no tableau \"nothing_like_it\"", {0}},
  };
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  assert_int_equal(rattle_model_parse(&model, text, "m.lua", NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_integrator *integrator;
    const rattle_status status =
        rattle_integrator_create(&integrator, problem, cases[i].method, &error);
    assert_int_equal(status != RATTLE_OK, cases[i].words != NULL);
    if (cases[i].words) {
      if (!strstr(error.message, cases[i].words))
        fail_msg("%s: %s", cases[i].method, error.message);
      continue;
    }
    const rattle_claims claims = rattle_method_claims(rattle_integrator_method(integrator));
    assert_memory_equal(&claims, &cases[i].claims, sizeof claims);
    rattle_integrator_destroy(&integrator);
  }
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* ---- steps ---- */

/* The end of a few steps of a method; q and p in z. */
static void lead(const char *text, const char *method, double *z) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  rattle_state state = {.q = z, .p = z + 2, .h = 0.1};
  if (rattle_model_parse(&model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error) ||
      rattle_problem_start(problem, 0, state.q, state.p, NULL, &error) ||
      rattle_integrator_step(integrator, &state, 20, &error))
    fail_msg("%s: %s", method, error.message);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* Methods of the house, given once more as coefficients, with other weights for the momenta and
 * without, in each of the engines. */
static void test_steps(void **state) {
  (void)state;
  static const char *const free_pair =
      "local x, px = pair('x')\nlocal y, py = pair('y')\n"
      "hamiltonian(px^2/2 + py^4/4 + x^4/4 + x*y + y^2)\nstart { x = 1, py = 0.5 }\n";
  static const char *const sets =
      "tableau('b', { A = {{1/2}, {1/2, 1/2}}, b = {1/2, 1/2}, Ahat = {{}, {1}}, bhat = {1, 0}, "
      "order = 2 })\n"
      "tableau('a', { A = {{}, {1}}, b = {1, 0}, Ahat = {{1/2}, {1/2, 1/2}}, bhat = {1/2, 1/2}, "
      "order = 2 })\n"
      "tableau('kutta', { A = {{}, {1/2}, {0, 1/2}, {0, 0, 1}}, b = {1/6, 1/3, 1/3, 1/6}, order = "
      "4 })\n"
      "tableau('euler', { A = {{}, {1/2}}, b = {1, 0}, bhat = {1, 0} })\n"
      "tableau('symplectic', { A = {{}, {1}}, b = {1, 0}, Ahat = {{}, {}}, bhat = {0, 1} })\n"
      "splitting('drift', { c = {1/2, 1/2}, d = {1} })\nsplitting('kick', { c = {0, 1}, d = {1/2, "
      "1/2} })\n";
  static const char *const rod = "constrain('rod', x^2 + y^2 - 1)\n";
  static const struct {
    const char *given, *known;
    int constrained;
  } cases[] = {
      {"runge_kutta(b)", "verlet(b)", 0},
      {"runge_kutta(a)", "verlet(a)", 0},
      {"splitting(drift)", "verlet(b)", 0},
      {"splitting(kick)", "verlet(a)", 0},
      {"runge_kutta(kutta)", "rk4", 0},
      {"runge_kutta(euler)", "euler", 0},
      {"rattle(runge_kutta(b))", "rattle(verlet(b))", 1},
      {"rattle(runge_kutta(a))", "rattle(verlet(a))", 1},
      {"rattle(splitting(drift))", "rattle(verlet(b))", 1},
      {"runge_kutta(kutta, dirac)", "rk4(dirac)", 1},
      {"runge_kutta(symplectic)", "symplectic_euler(b)", 0},
      {"runge_kutta(euler, impetus)", "euler(impetus)", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1500];
    double z[4], known[4];
    snprintf(text, sizeof text, "%s%s%s", free_pair, cases[i].constrained ? rod : "", sets);
    lead(text, cases[i].given, z);
    lead(text, cases[i].known, known);
    for (int k = 0; k < 4; k++)
      if (!(fabs(z[k] - known[k]) < 1e-12))
        fail_msg("%s: z[%d] = %.17g, not %.17g", cases[i].given, k, z[k], known[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gauss),
                                     cmocka_unit_test(test_known_tableaus),
                                     cmocka_unit_test(test_compositions_as_splittings),
                                     cmocka_unit_test(test_known_splittings),
                                     cmocka_unit_test(test_other_weights),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_claims),
                                     cmocka_unit_test(test_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
