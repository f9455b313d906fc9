/* Contents of a step for few constraints: the lists of its text for pendulums, constraints of other
 * shapes and other masses. The fewer terms, the faster: these lists hold the speed of the step. */
#include "evaluators.h"

#include "problem/functions/problem.h"
#include "maps/natural/fused/fused_plan.h"

/* two distances of other masses, of which one stands on its head */
static const char *const rods = "local q, p = pairs_of('q', 4)\n"
                                "hamiltonian((p[1]^2 + p[2]^2)/2 + (p[3]^2 + p[4]^2)/6 + q[2])\n"
                                "constrain('one', 4 - q[1]^2 - q[2]^2)\n"
                                "constrain('two', (q[1] - q[3])^2 + (q[2] - q[4])^2 - 1)\n"
                                "start { ['q[1]'] = 2, ['q[3]'] = 3 }\n";
static const char *const ellipse =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('ellipse', x^2 + 2*y^2 - 1)\nstart { x = 1 }\n";
static const char *const plane =
    "local q, p = pairs_of('q', 3)\nhamiltonian((p[1]^2 + p[2]^2 + p[3]^2)/2)\n"
    "constrain('plane', q[1] + 2*q[2] - 4*q[3])\nstart {}\n";
/* the second is a multiple of the third, the first of the second but not of the third, in numbers
 * of 53 bits */
static const char *const slanted =
    "local q, p = pairs_of('q', 3)\nhamiltonian((p[1]^2 + p[2]^2 + p[3]^2)/2)\n"
    "constrain('plane', 0.70000000000000007*q[1] - 0.30000000000000004*q[2] + 1.3*q[3])\nstart "
    "{}\n";
static const char *const cubic =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('cubic', x^3 + y^2 - 1)\nstart { x = 1 }\n";

typedef struct plan_case {
  const char *text;
  int groups, entries, of_R, of_A, bends, bends_of_A;
} plan_case;

static const plan_case cases[] = {{pendulum, 2, 2, 2, 2, 0, 1}, {double_pendulum, 4, 6, 8, 6, 0, 6},
                                  {rods, 4, 6, 8, 6, 0, 6},     {ellipse, 2, 2, 2, 2, 2, 0},
                                  {plane, 1, 3, 1, 1, 0, 0},    {cubic, 2, 2, 2, 2, 0, 0},
                                  {slanted, 2, 3, 2, 2, 0, 0}};

static void test_terms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const plan_case *c = &cases[i];
    rattle__arena arena = {0};
    run r = {0};
    begin(&r, c->text, "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
    const rattle__fused_plan *plan = rattle__fused_plan_create(r.problem, &arena);
    int groups = 0;
    assert_non_null(plan);
    for (int k = 0; k < plan->entries.count; k++)
      groups += plan->entries.term[k].group == plan->entries.term[k].a;
    const int found[] = {groups,
                         plan->entries.count,
                         plan->R.products.count,
                         plan->A.products.count,
                         plan->bends.count,
                         plan->bends_of_A.count};
    const int wanted[] = {c->groups, c->entries, c->of_R, c->of_A, c->bends, c->bends_of_A};
    for (int k = 0; k < 6; k++)
      if (found[k] != wanted[k])
        fail_msg("problem %zu: number %d is %d, not %d", i, k, found[k], wanted[k]);
    rattle__arena_release(&arena);
    end(&r);
  }
}

/* J_e = by J_g at any point, and the sums over pairs of groups are those over places. */
static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle__arena arena = {0};
    run r = {0};
    double J[16], F[2], A[4] = {0}, sum[4] = {0};
    begin(&r, cases[i].text, "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
    const rattle__function *g = r.problem->g;
    const rattle__fused_plan *plan = rattle__fused_plan_create(r.problem, &arena);
    const double *inverse_mass = r.problem->mass->diagonal;
    const double q[] = {0.7, -1.3, 0.4, 2.1};
    double *work = rattle__arena_doubles(&arena, g->work);
    assert_non_null(plan);
    assert_int_equal(g->jacobian(g, q, F, J, work), 0);
    for (int k = 0; k < plan->entries.count; k++) {
      const rattle__fused_term *t = &plan->entries.term[k];
      assert_true(fabs(J[t->a] - t->by * J[t->group]) <= 1e-15 * fabs(J[t->a]));
    }
    for (int k = 0; k < plan->R.products.count; k++) {
      const rattle__fused_term *t = &plan->R.products.term[k];
      A[t->a] += J[t->b] * t->by * J[t->c] * inverse_mass[g->jac_col[t->c]];
    }
    for (int m = 0; m < g->rows; m++)
      for (int l = 0; l < g->rows; l++)
        for (int e = g->jac_ptr[m]; e < g->jac_ptr[m + 1]; e++)
          for (int f = g->jac_ptr[l]; f < g->jac_ptr[l + 1]; f++)
            if (g->jac_col[e] == g->jac_col[f])
              sum[m * g->rows + l] += J[e] * J[f] * inverse_mass[g->jac_col[e]];
    for (int t = 0; t < g->rows * g->rows; t++)
      assert_true(fabs(A[t] - sum[t]) <= 1e-14 * (1 + fabs(sum[t])));
    rattle__arena_release(&arena);
    end(&r);
  }
}

/* Axes, two rods that share no end: N is constant, its inverse that of N at the start. Rods that
 * share one, axes of other lengths in other directions: it is not. */
static void test_constant_N(void **state) {
  static const struct {
    const char *text, *start;
    int holds, inverse;
  } by[] = {
      {"for i = 1, 3 do for j = 1, i do constrain(i .. j, q[i]*q[j] + q[3 + i]*q[3 + j] + q[6 "
       "+ i]*q[6 + j] - (i == j and 1 or 0)) end end",
       "1, 0, 0, 0, 1, 0, 0, 0, 1", 1, 6},
      {"constrain('a', (q[1] - q[2])^2 + (q[4] - q[5])^2 - 1)\n"
       "constrain('b', (q[7] - q[8])^2 - 4)\nconstrain('c', q[9] - 1)",
       "1, 0, 0, 0, 0, 0, 2, 0, 1", 1, 3},
      {"constrain('a', (q[1] - q[2])^2 + (q[4] - q[5])^2 - 1)\n"
       "constrain('b', (q[2] - q[3])^2 + (q[5] - q[6])^2 - 4)\nconstrain('c', q[9] - 1)",
       "1, 0, 2, 0, 0, 0, 0, 0, 1", 0, 0},
      {"constrain('a', q[1]^2 + 2*q[4]^2 - 1)\nconstrain('b', q[3])\nconstrain('c', q[5])",
       "1, 0, 0, 0, 0, 0, 0, 0, 0", 0, 0}};
  (void)state;
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    rattle__arena arena = {0};
    run r = {0};
    char text[1024];
    snprintf(
        text, sizeof text,
        "local q, p = pairs_of('q', 9)\nlocal T = 0\nfor i = 1, 9 do T = T + p[i]^2/(2 + 2*((i "
        "- 1) %% 3)) end\nhamiltonian(T + q[9])\n%s\nfor i, x in ipairs({%s}) do start { "
        "[q[i]] = x } end",
        by[k].text, by[k].start);
    begin(&r, text, "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01);
    const rattle__fused_plan *plan = rattle__fused_plan_create(r.problem, &arena);
    assert_non_null(plan);
    if (plan->constant.holds != by[k].holds || plan->constant.inverse.count != by[k].inverse)
      fail_msg("problem %zu: %d, %d places of the inverse", k, plan->constant.holds,
               plan->constant.inverse.count);
    /* axes: |G_jk|^2 = 1/m_j + 1/m_k, four times 1/m_j for j = k */
    for (int t = 0, i = 1; i <= 3 && k == 0; i++)
      for (int j = 1; j <= i; j++, t++) {
        const double N = i == j ? 4.0 / i : 1.0 / i + 1.0 / j;
        assert_true(fabs(plan->constant.inverse.term[t].by * N - 1) < 1e-14);
      }
    rattle__arena_release(&arena);
    end(&r);
  }
}

/* One correction a step, and g at both ends of it, for short steps and longer ones, but for some
 * that end above their round-off. */
static void test_corrections(void **state) {
  (void)state;
  static const double lengths[] = {0.001, 0.01, 0.02, 0.03, 0.05};
  static const char *const texts[] = {pendulum, double_pendulum, rods, ellipse};
  enum { STEPS = 1000, MOST = STEPS + STEPS / 100 };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
      run r = {0};
      begin(&r, texts[i], "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, lengths[k]);
      assert_int_equal(rattle_integrator_step(r.integrator, &r.state, STEPS, &r.error), RATTLE_OK);
      const rattle_counts counts = rattle_integrator_counts(r.integrator);
      if (counts.newton_iterations > MOST || counts.jacobian > STEPS + MOST + 1)
        fail_msg("problem %zu, h = %g: %lld corrections, %lld evaluations of G", i, lengths[k],
                 counts.newton_iterations, counts.jacobian);
      end(&r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_constant_N),
                                     cmocka_unit_test(test_terms), cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_corrections)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
