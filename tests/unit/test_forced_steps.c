/* The fast steps with forces that are no gradient are those of the general map, to round-off; the
 * interpreter and machine code have the same bits. */
#include "evaluators.h"

static const struct {
  const char *name, *text;
} models[] = {
    {"damped",
     "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
     "constrain('rod', x^2 + y^2 - 1)\nforce { x = -0.3*px, y = -0.3*py }\nstart { x = 1, y = 0, "
     "px = 0, py = -2 }\n"},
    /* of coordinates and time alone, on a support that moves */
    {"driven", "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal t = "
               "time()\nhamiltonian((px^2 + py^2)/3 + y*(1 + 0.1*sin(t)))\n"
               "constrain('rod', (x - 0.1*cos(2*t))^2 + y^2 - 1)\nforce { x = -0.4*y + "
               "0.2*cos(3*t), y = 0.4*x*x }\n"
               "start { x = 0.1, y = -1, px = 0.3, py = 0 }\n"},
    /* not linear in p, on some of the momenta, on which it depends with others */
    {"drag", "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal u, pu = pair('u')\n"
             "hamiltonian(px^2/2 + py^2/4 + pu^2/3 + y + 0.5*(u - x)^2)\nconstrain('curve', x^2 + "
             "y^4 + 0.3*x*y - 1)\n"
             "force { x = -0.2*px*sqrt(px^2 + py^2 + 0.01), u = -0.7*(pu - px) + 0.1*py }\n"
             "start { x = 1, y = 0, px = -0.15, py = 2, u = 0.5, pu = 1 }\n"},
    /* two constraints, a damper between the links */
    {"joint", "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\n"
              "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/4 + y[1] + 2*y[2])\n"
              "constrain('one', x[1]^2 + y[1]^2 - 1)\nconstrain('two', (x[2] - x[1])^2 + (y[2] - "
              "y[1])^2 - 1)\n"
              "local c, vx, vy = 0.8, px[2]/2 - px[1], py[2]/2 - py[1]\n"
              "force { ['x[1]'] = c*vx, ['y[1]'] = c*vy, ['x[2]'] = -c*vx, ['y[2]'] = -c*vy - "
              "0.1*py[2]*py[2]*py[2] }\n"
              "start { ['x[1]'] = 1, ['x[2]'] = 2, ['y[1]'] = 0, ['y[2]'] = 0, ['px[1]'] = 0, "
              "['px[2]'] = 0, ['py[1]'] = 1, "
              "['py[2]'] = 2 }\n"},
    {"chain", "local x, px = pairs_of('x', 4)\nlocal y, py = pairs_of('y', 4)\nlocal T, V, a, b = "
              "0, 0, 0, 0\nlocal f = {}\n"
              "for i = 1, 4 do\n  T = T + (px[i]^2 + py[i]^2)/2\n  V = V + y[i]\n"
              "  constrain('link' .. i, (x[i] - a)^2 + (y[i] - b)^2 - 1)\n  a, b = x[i], y[i]\n"
              "  f['x[' .. i .. ']'] = -0.2*px[i]\n  f['y[' .. i .. ']'] = "
              "-0.2*py[i]\nend\nhamiltonian(T + V)\nforce(f)\n"
              "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 3, ['x[4]'] = 4, ['py[1]'] = 0.1, "
              "['py[2]'] = 0.2, ['py[3]'] = "
              "0.3, ['py[4]'] = 0.4 }\n"},
};
enum { MODELS = sizeof models / sizeof *models, STEPS = 400 };

static void begin_model(run *r, int model, const char *method, int evaluator) {
  begin(r, models[model].text, "", method, evaluator, 0.02);
}

static double work_of(const run *r) {
  return rattle_integrator_work(r->integrator, &r->state);
}

/* Each step from where the general map has come to. */
static void steps_are_those_of_the_general_map(void **state) {
  static const char *const method[][2] = {
      {"rattle(verlet)", "rattle(verlet, solver=newton)"},
      {"rattle(velocity_verlet)", "rattle(verlet, solver=newton)"},
      {"shake(verlet)", "shake(verlet, solver=newton)"},
      {"rattle(verlet, project=output)", "rattle(verlet, project=output, solver=newton)"}};
  (void)state;
  for (int i = 0; i < MODELS; i++)
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
      run fast = {0}, general = {0};
      begin_model(&fast, i, method[k][0], RATTLE_EVALUATOR_BLOCK);
      begin_model(&general, i, method[k][1], RATTLE_EVALUATOR_BLOCK);
      const size_t bytes = 2 * (size_t)rattle_problem_n(fast.problem) * sizeof(double);
      for (int step = 0; step < STEPS; step++) {
        memcpy(fast.z, general.z, bytes);
        fast.state.step = general.state.step;
        assert_int_equal(
            rattle_integrator_step(general.integrator, &general.state, 1, &general.error),
            RATTLE_OK);
        if (rattle_integrator_step(fast.integrator, &fast.state, 1, &fast.error))
          fail_msg("%s", fast.error.message);
        for (size_t c = 0; c < bytes / sizeof(double); c++) {
          if (!(fabs(fast.z[c] - general.z[c]) <= 1e-13 * fmax(1, fabs(general.z[c]))))
            fail_msg("%s, %s: entry %zu of step %d is off by %.3g", models[i].name, method[k][0], c,
                     step, fast.z[c] - general.z[c]);
        }
      }
      assert_int_equal(rattle_integrator_counts(fast.integrator).hessian,
                       0); /* no step was left to the general map */
      assert_true(rattle_integrator_counts(general.integrator).hessian > 0);
      end(&fast), end(&general);
    }
}

/* The work of a run. */
static void work_is_that_of_the_general_map(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    run fast = {0}, general = {0};
    begin_model(&fast, i, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
    begin_model(&general, i, "rattle(verlet, solver=newton)", RATTLE_EVALUATOR_BLOCK);
    assert_int_equal(rattle_integrator_step(fast.integrator, &fast.state, 50, NULL), RATTLE_OK);
    assert_int_equal(rattle_integrator_step(general.integrator, &general.state, 50, NULL),
                     RATTLE_OK);
    if (!(fabs(work_of(&fast) - work_of(&general)) <= 1e-12 && fabs(work_of(&general)) > 1e-3))
      fail_msg("%s: the work is %.17g, not %.17g", models[i].name, work_of(&fast),
               work_of(&general));
    end(&fast), end(&general);
  }
}

/* Many steps of machine code, and the interpreter's one by one; with ends in between. */
static void both_evaluators_have_the_same_bits(void **state) {
  static const char *const method[] = {"rattle(verlet)", "shake(verlet)",
                                       "suzuki4(rattle(verlet))"};
  (void)state;
  if (!native()) skip();
  for (int i = 0; i < MODELS; i++)
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
      run one = {0}, many = {0};
      rattle_summary a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
      const rattle_run_options options = {
          .struct_size = sizeof options, .steps = STEPS, .every = 1 << 20, .initial_energy = NAN};
      begin_model(&one, i, method[k], RATTLE_EVALUATOR_BLOCK);
      begin_model(&many, i, method[k], RATTLE_EVALUATOR_NATIVE);
      assert_int_equal(rattle_run(one.integrator, &one.state, &options, NULL, 0, &a, &one.error),
                       RATTLE_OK);
      assert_int_equal(rattle_run(many.integrator, &many.state, &options, NULL, 0, &b, &many.error),
                       RATTLE_OK);
      assert_memory_equal(one.z, many.z,
                          2 * (size_t)rattle_problem_n(one.problem) * sizeof(double));
      assert_true(work_of(&one) == work_of(&many) && work_of(&one) != 0);
      assert_true(a.energy_max_error == b.energy_max_error && a.g_max == b.g_max &&
                  a.energy_max_error > 0);
      if (k != 1) assert_true(a.energy_max_error < 0.05);
      assert_int_equal(a.counts.newton_iterations, b.counts.newton_iterations);
      assert_int_equal(a.counts.gradient, b.counts.gradient);
      end(&one), end(&many);
    }
}

/* From restored state the run goes on with the same bits. */
static void a_resumed_run_has_the_same_bits(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    run whole = {0}, part = {0};
    double extra[1];
    begin_model(&whole, i, "rattle(verlet)", RATTLE_EVALUATOR_AUTO);
    begin_model(&part, i, "rattle(verlet)", RATTLE_EVALUATOR_AUTO);
    assert_int_equal(rattle_integrator_step(whole.integrator, &whole.state, 100, NULL), RATTLE_OK);
    assert_int_equal(rattle_integrator_extra(whole.integrator), 1);
    rattle_integrator_get_extra(whole.integrator, extra);
    memcpy(part.z, whole.z, sizeof whole.z);
    part.state.step = 100;
    rattle_integrator_set_extra(part.integrator, extra);
    assert_int_equal(rattle_integrator_step(whole.integrator, &whole.state, 100, NULL), RATTLE_OK);
    assert_int_equal(rattle_integrator_step(part.integrator, &part.state, 100, NULL), RATTLE_OK);
    assert_memory_equal(whole.z, part.z, sizeof whole.z);
    assert_true(work_of(&whole) == work_of(&part));
    end(&whole), end(&part);
  }
}

/* If no step is to be had the state is as before, and strong damping is left to the general map. */
static void steps_in_doubt_are_left_to_the_general_map(void **state) {
  static const char text[] =
      "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
      "constrain('rod', x^2 + y^2 - 1)\nforce { x = -0.3*px, y = -0.3*py }\n"
      "start { x = 1, y = 0, px = 0, py = -2 }\n";
  (void)state;
  for (int evaluator = RATTLE_EVALUATOR_BLOCK; evaluator <= RATTLE_EVALUATOR_NATIVE; evaluator++) {
    run fast = {0}, general = {0};
    int failures = 0;
    if (evaluator == RATTLE_EVALUATOR_NATIVE && !native()) continue;
    begin(&fast, text, "", "rattle(verlet)", evaluator, 0.4);
    begin(&general, text, "", "rattle(verlet, solver=newton)", evaluator, 0.4);
    for (int k = 0; k < 300; k++) {
      const double angle = 0.7 * k, speed = 0.5 + k % 7,
                   z[4] = {cos(angle), sin(angle), -speed * sin(angle), speed * cos(angle)};
      memcpy(fast.z, z, sizeof z), memcpy(general.z, z, sizeof z);
      fast.state.h = general.state.h = 0.05 + 0.01 * (k % 90);
      const rattle_status status =
          rattle_integrator_step(fast.integrator, &fast.state, 1, &fast.error);
      assert_int_equal(
          rattle_integrator_step(general.integrator, &general.state, 1, &general.error), status);
      for (int c = 0; c < 4; c++) assert_true(fabs(fast.z[c] - general.z[c]) <= 1e-11);
      if (status) assert_memory_equal(fast.z, z, sizeof z);
      failures += status != RATTLE_OK;
    }
    assert_in_range(failures, 10, 250);
    assert_true(rattle_integrator_counts(fast.integrator).hessian > 0);
    end(&fast), end(&general);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_those_of_the_general_map),
                                     cmocka_unit_test(work_is_that_of_the_general_map),
                                     cmocka_unit_test(both_evaluators_have_the_same_bits),
                                     cmocka_unit_test(a_resumed_run_has_the_same_bits),
                                     cmocka_unit_test(steps_in_doubt_are_left_to_the_general_map)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
