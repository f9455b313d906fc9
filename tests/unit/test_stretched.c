/* Steps that the multipliers take farther than they went without them: the fast step sees them as
 * the general one does, with both evaluators. The leaps were found by comparing rattle(verlet) with
 * rattle(verlet, solver=newton) on random curves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "problem/functions/problem.h"
#include "rattle/rattle.h"
#include "maps/natural/fused/fused_plan.h"

/* A curve A cos a + B cos b + C sin(a + b + D) = const, masses, and a step from a point of it. */
typedef struct leap {
  double mass[2], A, B, C, D, level, h, q[2], p[2];
} leap;

static const leap leaps[] = {
    {{0.97372353494806374, 1.5179687412539353},
     0.72187528518115873,
     0.8352649192024324,
     0.067326662720798833,
     4.7839082406758839,
     0.25534302348969357,
     1.9710058486419755,
     {0.222602659573819, 2.2172247510330627},
     {-1.5337105300907063, 0.45636606356949522}},
    {{0.49647862030960555, 0.56789987723710944},
     1.4501607807121057,
     0.92041128455680399,
     0.54126465532056278,
     1.7976510127064076,
     0.50442276304174671,
     0.98488777027693009,
     {0.080319897486642852, 2.1662030684981932},
     {-1.6287462135067621, 0.76687729646231795}},
    {{2.1133464541348381, 1.1160666990168704},
     1.4559586331043199,
     0.37546731684145856,
     0.7649829566315669,
     3.739942190954435,
     -0.72814466535756084,
     1.7238746056444358,
     {-1.499742771920735, -2.897184752650221},
     {0.78815991804932173, -1.2297094981308994}},
};

static rattle_status step(const leap *l, const char *force, rattle_evaluator evaluator,
                          const char *method, double *q) {
  char text[1000];
  snprintf(text, sizeof text,
           "local a, pa = pair('a', 'pa')\nlocal b, pb = pair('b', 'pb')\nmass { a = %.17g, b = "
           "%.17g }\npotential(0.3*a^2/2)\n"
           "constrain('g', %.17g*cos(a) + %.17g*cos(b) + %.17g*sin(a + b + %.17g) - "
           "(%.17g))\nstart { a = %.17g, b = %.17g }\n%s",
           l->mass[0], l->mass[1], l->A, l->B, l->C, l->D, l->level, l->q[0], l->q[1], force);
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  const rattle_problem_options options = {.evaluator = evaluator};
  double p[2];
  if (rattle_model_parse(&model, text, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, &options, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s", error.message);
  memcpy(q, l->q, sizeof l->q);
  memcpy(p, l->p, sizeof p);
  rattle_state state = {.q = q, .p = p, .h = l->h};
  const rattle_status status = rattle_integrator_step(integrator, &state, 1, &error);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return status;
}

/* From the model's start, z = (q, p); q and p may have been projected. */
static rattle_status step_of(const char *text, rattle_evaluator evaluator, const char *method,
                             double h, double z[2][12]) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  const rattle_problem_options options = {.evaluator = evaluator};
  if (rattle_model_parse(&model, text, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, &options, &error) ||
      rattle_problem_start(problem, 0, z[0], z[1], NULL, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s", error.message);
  rattle_state state = {.q = z[0], .p = z[1], .h = h};
  const rattle_status status = rattle_integrator_step(integrator, &state, 1, &error);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return status;
}

static void leaps_are_refused(void **state) {
  static const char *const methods[] = {"rattle(verlet)", "rattle(verlet, solver=newton)",
                                        "shake(verlet)", "rattle(verlet, project=output)"};
  static const char *const force[] = {"", "force { a = 1e-9*pb, b = -1e-9*pb }\n"};
  (void)state;
  for (size_t k = 0; k < sizeof leaps / sizeof *leaps; k++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (int way = 0; way < 4; way++) {
        double q[2];
        const rattle_evaluator evaluator =
            way % 2 ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK;
        assert_int_equal(step(&leaps[k], force[way / 2], evaluator, methods[i], q),
                         RATTLE_DEGENERATE);
        assert_memory_equal(q, leaps[k].q, sizeof q);
      }
}

/* A surface of waves over whose folds a step of 1.2 leads from one crest to the next (campaign,
 * waves 45 of seed 2031): alone, with a little friction, with constraints more, and far from the
 * origin. */
static void crests_are_refused(void **state) {
  static const struct {
    const char *more, *masses;
    double shift;
  } with[] = {
      {"", "", 0},
      {"force { x = -1e-9*px }", "", 0},
      {"force { x = 1e-9*py }", "", 1e4},
      {"", "", 1000},
      {"", "", 1e7},
      {"local u, pu = pair('u', 'pu')\nconstrain('rail', u)", ", u = 1", 0},
      {"local u, pu = pair('u', 'pu')\nlocal v, pv = pair('v', 'pv')\nconstrain('circle', u^2 + "
       "v^2 - 1)\n"
       "start { u = 1 }\nforce { v = -1e-9*pv }",
       ", u = 1, v = 1", 0},
      {"local u, pu = pairs_of('u', 3)\nfor i = 1, 3 do constrain('rail' .. i, u[i] - i) end\n"
       "start { ['u[1]'] = 1, ['u[2]'] = 2, ['u[3]'] = 3 }",
       ", ['u[1]'] = 1, ['u[2]'] = 2, ['u[3]'] = 3", 0}};
  static const char *const methods[] = {"rattle(verlet)", "rattle(verlet, solver=newton)",
                                        "shake(verlet)"};
  (void)state;
  for (size_t k = 0; k < sizeof with / sizeof *with; k++)
    for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; i++) {
      char text[2000];
      snprintf(
          text, sizeof text,
          "local X, pX = pair('x', 'px')\nlocal y, py = pair('y', 'py')\nlocal z, pz = pair('z', "
          "'pz')\nlocal px, x = pX, X "
          "- %.17g\n"
          "constrain('wave', (z - 1.5102954881968425) + "
          "0.40655182760018027*sin(2.4848564332026006*(x + 0.7044858374796692))"
          " - 0.1385562493368373*cos(2.9517909027493787*(y - 2.3301495183907783))"
          " + 0.1*exp(0.3*(x + 0.7044858374796692)) + 0.77947710904274203)\n"
          "start { x = %.17g, px = -0.37188978256669397, y = 0.95085228827154733, py = "
          "-4.622235903416394,\n"
          "  z = 0.19944848453294897, pz = 1.2641265664420143, project = true }\n%s\n"
          "mass { x = 0.40865064755240654, y = 2.1657283782185912, z = 2.7768346184080821%s }\n"
          "potential(0.5*cos(2.1388530158204242*x) + 0.1731286556768683*(z - "
          "1.378508842299571)^2)\n",
          with[k].shift, with[k].shift - 2.4853652626445024, with[k].more, with[k].masses);
      double z[2][12];
      const rattle_evaluator evaluator = i % 2 ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK;
      const rattle_status status = step_of(text, evaluator, methods[i / 2], 1.2187035015912333, z);
      if (status != RATTLE_DEGENERATE)
        fail_msg("%s, %s: status %d", with[k].more, methods[i / 2], (int)status);
    }
}

/* A quadratic g: what the multipliers change is bounded by their sizes. */
static void spread_is_a_bound(void **state) {
  static const char text[] =
      "local x, px = pairs_of('x', 4)\nlocal y, py = pairs_of('y', 4)\nlocal H = 0\n"
      "for i = 1, 4 do H = H + (px[i]^2 + py[i]^2)*(i == 4 and 20 or 0.5) end\nhamiltonian(H)\n"
      "constrain('1', x[1]^2 + y[1]^2 - 1)\n"
      "for i = 2, 4 do constrain('' .. i, 1.5*((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)) end\n"
      "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 3, ['x[4]'] = 4 }\n";
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle__arena arena = {0};
  double spread[RATTLE__FUSED_MOST];
  (void)state;
  if (rattle_model_parse(&model, text, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s", error.message);
  assert_true(rattle__fused_spread(problem, &arena, spread));
  /* half of the row sum of g'', which is 2 of the first and 3 + 3 of the others; of the last, with
   * 1/m of 1 and 40, of its scaled form 3*40 + 3 sqrt(40), which is less than 40*6 */
  const double wanted[] = {1, 3, 3, 60 + 1.5 * sqrt(40)};
  for (int i = 0; i < 4; i++) assert_true(fabs(spread[i] - wanted[i]) < 1e-12 * wanted[i]);
  rattle__arena_release(&arena);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(leaps_are_refused),
                                     cmocka_unit_test(crests_are_refused),
                                     cmocka_unit_test(spread_is_a_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
