/* guess=past of gauss and spark_gauss in joint coordinates: the motion without it, with less work;
 * what is remembered, and when it is forgotten; where there is nothing to remember. */
#include "rod_loops.h"

enum { TREES = 6, STEPS = 40 };
static const char *const methods[][2] = {{"gauss(3)", "gauss(3, guess=past)"},
                                         {"gauss(8)", "gauss(8, guess=past)"},
                                         {"spark_gauss(2)", "spark_gauss(2, guess=past)"},
                                         {"spark_gauss(5)", "spark_gauss(5, guess=past)"}};

static made open_case(int which, int closed, const char *method) {
  return make(closed ? loop(which, "joints") : tree(which, 4, which % 3 == 0, 0, "joints"), method,
              0.01, 0);
}

static long long gradients(const made *m) {
  return rattle_integrator_counts(m->integrator).gradient;
}

static double apart(const made *a, const made *b) {
  double most = 0;
  for (int k = 0; k < 2 * a->n; k++)
    most = fmax(most, fabs(a->state.q[k] - b->state.q[k]) / (1 + fabs(a->state.q[k])));
  return most;
}

static int same_bits(const made *a, const made *b) {
  return !memcmp(a->state.q, b->state.q, 2 * (size_t)a->n * sizeof(double));
}

static void take(made *to, const made *from) {
  memcpy(to->state.q, from->state.q, 2 * (size_t)from->n * sizeof(double));
}

/* The same motion to round-off, with fewer gradients; the first step has the same bits. */
static void motion_is_the_same(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++)
    for (int which = 0; which < (k < 2 ? TREES : LOOPS); which++) {
      made by[2];
      for (int i = 0; i < 2; i++) {
        by[i] = open_case(which, k >= 2, methods[k][i]);
        step(&by[i], 1);
      }
      assert_true(same_bits(&by[0], &by[1]));
      for (int i = 0; i < 2; i++) step(&by[i], STEPS);
      if (!(apart(&by[0], &by[1]) < 1e-11))
        fail_msg("%s, %d: %g apart", methods[k][1], which, apart(&by[0], &by[1]));
      if (!(gradients(&by[1]) < gradients(&by[0])))
        fail_msg("%s, %d: %lld gradients, %lld without", methods[k][1], which, gradients(&by[1]),
                 gradients(&by[0]));
      for (int i = 0; i < 2; i++) unmake(&by[i]);
    }
}

/* The declared state is all that is remembered: another integrator that has it goes on with the
 * same bits. */
static void state_is_declared(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    made a = open_case(1, k >= 2, methods[k][1]), b = open_case(1, k >= 2, methods[k][1]);
    const int count = rattle_integrator_extra(a.integrator);
    double *extra = calloc((size_t)count, sizeof *extra);
    assert_true(count > 2 * a.n && extra);
    step(&a, 5);
    rattle_integrator_get_extra(a.integrator, extra);
    take(&b, &a);
    rattle_integrator_set_extra(b.integrator, extra);
    step(&a, 5), step(&b, 5);
    assert_true(same_bits(&a, &b));
    free(extra);
    unmake(&a), unmake(&b);
  }
}

/* After a change of the step, and from another state, a step is the one that nothing is known
 * before; there and back again ends at the start. */
static void others_forget(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    made by[2];
    for (int i = 0; i < 2; i++) by[i] = open_case(1, k >= 2, methods[k][i]);
    step(&by[1], 3);
    take(&by[0], &by[1]);
    for (int i = 0; i < 2; i++) by[i].state.h = 0.004, step(&by[i], 1);
    assert_true(same_bits(&by[0], &by[1]));
    step(&by[1], 3);
    for (int i = 0; i < 2; i++) {
      rattle_error error;
      assert_int_equal(
          rattle_problem_start(by[i].problem, 0, by[i].state.q, by[i].state.p, NULL, &error),
          RATTLE_OK);
      step(&by[i], 1);
    }
    assert_true(same_bits(&by[0], &by[1]));
    step(&by[1], STEPS);
    by[1].state.h *= -1;
    step(&by[1], STEPS);
    if (!(apart(&by[0], &by[1]) < 1e-11))
      fail_msg("%s: back again %g apart", methods[k][1], apart(&by[0], &by[1]));
    for (int i = 0; i < 2; i++) unmake(&by[i]);
  }
}

/* A step that cannot be found leaves what is remembered. */
static void failure_changes_nothing(void **unused) {
  (void)unused;
  made a = open_case(2, 0, methods[1][1]), b = open_case(2, 0, methods[1][1]);
  rattle_error error;
  step(&a, 4), step(&b, 4);
  const int count = rattle_integrator_extra(a.integrator);
  double *before = calloc(2 * (size_t)count, sizeof *before), *after = before + count;
  assert_non_null(before);
  rattle_integrator_get_extra(a.integrator, before);
  a.state.h = 1e6;
  assert_int_not_equal(rattle_integrator_step(a.integrator, &a.state, 1, &error), RATTLE_OK);
  rattle_integrator_get_extra(a.integrator, after);
  assert_memory_equal(before, after, (size_t)count * sizeof *before);
  assert_true(same_bits(&a, &b));
  a.state.h = b.state.h;
  step(&a, 4), step(&b, 4);
  assert_true(same_bits(&a, &b));
  free(before);
  unmake(&a), unmake(&b);
}

static void refuses(const char *of, const char *method, const char *words) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator = NULL;
  rattle_error error = {0};
  if (rattle_model_parse(&model, of, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s", error.message);
  assert_int_not_equal(rattle_integrator_create(&integrator, problem, method, &error), RATTLE_OK);
  if (!strstr(error.message, words)) fail_msg("%s: %s", method, error.message);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* Where stages are found otherwise, the option is refused, as are maps of one step around it. */
static void elsewhere_it_is_refused(void **unused) {
  (void)unused;
  static const char *const free_one = "local x, p = pair 'x' hamiltonian((1 + x^2)*p^2 + x^4)",
                           *const bound =
                               "local x, p = pair 'x' local y, r = pair 'y' "
                               "hamiltonian((1 + x^2)*p^2 + r^2 + x) constrain('c', x^2 + y^2 - 1)";
  refuses(free_one, "gauss(2, guess=past)", "found by contraction");
  refuses(bound, "spark_gauss(2, guess=past)", "found by contraction");
  refuses(bound, "gauss(2, dirac, guess=past)", "found by contraction");
  refuses(bound, "rattle(gauss(2, guess=past))", "omit it");
  refuses(loop(0, "joints"), "kahan_li8(spark_gauss(2, guess=past))", "omit it");
  refuses(tree(1, 3, 0, 0, "joints"), "gauss(2, guess=past, quad)", "quad");
  refuses(bound, "gauss(2, guess=past)", "use rattle(gauss(2))");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_is_the_same),      cmocka_unit_test(state_is_declared),
      cmocka_unit_test(others_forget),           cmocka_unit_test(failure_changes_nothing),
      cmocka_unit_test(elsewhere_it_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
