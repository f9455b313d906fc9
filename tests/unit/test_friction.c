/* Dry friction: a block on a spring, k = 4, F = 1, swings in half cosines about -+F/k from 2.2 to
 * -1.7, 1.2, -0.7 and 0.2, where it sticks at t = 2 pi. */
#include "evaluators.h"

#define BLOCK                                                                                      \
  "local x, px = pair('x') hamiltonian(px^2/2 + 2*x^2) start { x = 2.2 } local F = 1.0\n"
/* the same along a line in the plane, of the slope 3/4: x is 4/5 of the way */
#define TRACK                                                                                      \
  "local x, px = pair('x') local y, py = pair('y') constrain('track', y - 0.75*x)\n"               \
  "hamiltonian((px^2 + py^2)/2 + 2*(x^2 + y^2)) start { x = 0.8*2.2, y = 0.6*2.2 }\n"
#define SIGN BLOCK "force { x = -F*sign(px) }"

static void stops(void **state) {
  (void)state;
  static const struct {
    const char *text, *method;
    int sticks; /* 1: at the last place; 0: at a place where it turns, or at the start */
  } rows[] = {
      {SIGN, "verlet", 1},
      {SIGN, "rattle(verlet)", 1},
      {SIGN, "midpoint", 1},
      {SIGN, "gauss(2)", 1},
      {SIGN, "dopri5(tol=1e-8)", 0},
      {SIGN, "symplectic_euler", 0},
      {SIGN, "adaptive(midpoint)", 0},
      {BLOCK "force { x = where(gt(px, 0), -F, F) }", "midpoint", 1},
      {BLOCK "start { px = -1e-3 } force { x = -F*px/sqrt(px^2) }", "midpoint", 0},
      {BLOCK "start { px = -1e-3 } force { x = -3*F*px/sqrt((3*px)^2) }", "verlet", 0},
      {BLOCK "start { px = -1e-3 } force { x = -F*px/abs(px) }", "gauss(2)", 1},
      {TRACK "force { x = -0.8*sign(px), y = -0.6*sign(px) }", "rattle(midpoint)", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    run r = {0};
    begin(&r, rows[i].text, "", rows[i].method, RATTLE_EVALUATOR_BLOCK, 0.001);
    const rattle_status status = rattle_integrator_step(r.integrator, &r.state, 12000, &r.error);
    const double t = 0.001 * (double)r.state.step;
    if (!status || !strstr(r.error.message, "px goes through 0") ||
        !strstr(r.error.message, "tanh") || strstr(r.error.message, "smaller step") ||
        !!strstr(r.error.message, "it sticks there") != rows[i].sticks)
      fail_msg("%s, %s: %d at %g: %s", rows[i].text, rows[i].method, (int)status, t,
               r.error.message);
    if (rows[i].sticks && !(fabs(t - 2 * M_PI) < 0.01 && fabs(r.state.q[0]) < 0.21))
      fail_msg("%s, %s: x = %g at %g", rows[i].text, rows[i].method, r.state.q[0], t);
    end(&r);
  }
}

/* What is advised: a smooth force creeps, and an event ends the run at the stop. Other failures say
 * nothing of it. */
static void advice(void **state) {
  (void)state;
  run r = {0};
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  double z[2];
  /* a quotient that has no value at rest */
  assert_int_equal(
      rattle_model_parse(&model, BLOCK "force { x = -F*px/sqrt(px^2) }", "m.lua", NULL, &r.error),
      RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &r.error), RATTLE_OK);
  assert_int_equal(rattle_problem_start(problem, 0, z, z + 1, NULL, &r.error), RATTLE_DOMAIN);
  assert_non_null(strstr(r.error.message, "write it by sign(px)"));
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  begin(&r, BLOCK, "force { x = -F*tanh(px/1e-3) }", "midpoint", RATTLE_EVALUATOR_BLOCK, 0.001);
  assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 8000, &r.error), RATTLE_OK);
  assert_true(fabs(r.state.q[0] - 0.2) < 5e-3);
  end(&r);

  r = (run){0};
  begin(&r, BLOCK, "force { x = -F*sign(px) } event('stop', px, { stop = true, count = 4 })", "rk4",
        RATTLE_EVALUATOR_BLOCK, 0.001);
  const rattle_run_options options = {.struct_size = sizeof options, .steps = 8000, .every = 8000};
  rattle_summary summary = {.struct_size = sizeof summary};
  r.state.p[0] = -1e-9; /* it has begun to move */
  assert_int_equal(rattle_run(r.integrator, &r.state, &options, NULL, 0, &summary, &r.error),
                   RATTLE_OK);
  assert_true(summary.ended_by == 0 && fabs(r.state.q[0] - 0.2) < 1e-3);
  end(&r);

  r = (run){0};
  begin(&r, BLOCK, "force { x = -F*sign(px) }", "midpoint", RATTLE_EVALUATOR_BLOCK, 0.001);
  r.state.q[0] = 1e200, r.state.p[0] = 1;
  assert_true(rattle_integrator_step(r.integrator, &r.state, 1, &r.error) == RATTLE_OK ||
              !strstr(r.error.message, "sticks"));
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stops), cmocka_unit_test(advice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
