/* Handles that are destroyed in any order: what is made of an object holds it, and all is freed
 * with the last one (run under the address sanitizer, which sees what is freed too early or
 * never). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h comes after those four */
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "rattle/rattle.h"

static const char text[] = "local L = parameter('L', 1) local x, px = pair('x') local y, py = "
                           "pair('y') constrain('rod', x^2 + y^2 - L^2)\n"
                           "hamiltonian((px^2 + py^2)/2 + y) start { x = L, py = -2 }\n"
                           "tableau('own', { A = {{0, 0}, {1, 0}}, b = {0.5, 0.5}, Ahat = {{0.5, "
                           "0}, {0.5, 0}}, order = 2 })";

enum { MODEL, PROBLEM, INTEGRATOR, METHOD, TANGENT, HANDLES };

/* A handle of each kind, as a binding holds them. */
typedef struct handles {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_method *method;
  rattle_tangent *tangent;
} handles;

static const rattle_problem_options block = {.struct_size = sizeof block,
                                             .evaluator = RATTLE_EVALUATOR_BLOCK};

static void make(handles *s) {
  rattle_error error;
  if (rattle_model_parse(&s->model, text, "rod", NULL, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_create(&s->problem, s->model, &block, &error), RATTLE_OK);
  if (rattle_integrator_create(&s->integrator, s->problem, "rattle(runge_kutta(own))", &error))
    fail_msg("%s", error.message);
  assert_int_equal(rattle_method_parse(&s->method, "rattle(runge_kutta(own))", &error), RATTLE_OK);
  assert_int_equal(rattle_method_resolve(s->method, s->problem, &error), RATTLE_OK);
  assert_int_equal(rattle_tangent_create(&s->tangent, s->problem, "rattle(verlet)", &error),
                   RATTLE_OK);
}

static void destroy(handles *s, int which) {
  if (which == MODEL) rattle_model_destroy(&s->model);
  if (which == PROBLEM) rattle_problem_destroy(&s->problem);
  if (which == INTEGRATOR) rattle_integrator_destroy(&s->integrator);
  if (which == METHOD) rattle_method_destroy(&s->method);
  if (which == TANGENT) rattle_tangent_destroy(&s->tangent);
}

/* All that is left works. */
static void use(const handles *s) {
  rattle_error error;
  double q[] = {1, 0}, p[] = {0, -2}, W[] = {0, 1, 0, 0};
  rattle_state point = {.q = q, .p = p, .h = 0.01};
  if (s->model) assert_string_equal(rattle_model_constraint_name(s->model, 0), "rod");
  if (s->problem) {
    double moved[2];
    assert_int_equal(rattle_problem_start(s->problem, 0, q, p, moved, &error), RATTLE_OK);
    assert_string_equal(rattle_model_momentum_name(rattle_problem_model(s->problem), 1), "py");
  }
  if (s->integrator) {
    assert_int_equal(rattle_integrator_step(s->integrator, &point, 3, &error), RATTLE_OK);
    assert_int_equal(rattle_method_claims(rattle_integrator_method(s->integrator)).order, 2);
  }
  if (s->method) {
    char lines[2000];
    assert_int_equal(rattle_method_claims(s->method).order, 2);
    rattle_method_explain(s->method, lines, sizeof lines);
  }
  if (s->tangent)
    assert_int_equal(rattle_tangent_step(s->tangent, &point, 3, 1, W, &error), RATTLE_OK);
}

/* Destroys the handles that are left, in every order. */
static int in_every_order(const int *before, int count) {
  int orders = 0;
  for (int which = 0; which < HANDLES; which++) {
    int order[HANDLES], gone = 0;
    for (int i = 0; i < count; i++) order[i] = before[i], gone |= before[i] == which;
    if (gone) continue;
    order[count] = which;
    if (count + 1 < HANDLES) {
      orders += in_every_order(order, count + 1);
      continue;
    }
    handles s = {0};
    make(&s);
    use(&s);
    for (int i = 0; i < HANDLES; i++) destroy(&s, order[i]), use(&s);
    orders++;
  }
  return orders;
}

static void every_order(void **state) {
  (void)state;
  assert_int_equal(in_every_order((int[HANDLES]){0}, 0), 120);
}

/* Objects of the other kinds, used and destroyed when the caller has destroyed all that they were
 * made of. */
static void alone(void **state) {
  (void)state;
  rattle_error error;
  handles s = {0};
  rattle_slider *slider;
  rattle_chain *chain;
  rattle_doctor *doctor;
  rattle_study *study;
  rattle_orbit *orbit;
  rattle_sampling *sampling;
  rattle_csv *csv;
  make(&s);
  assert_int_equal(rattle_slider_create(&slider, s.problem, &error), RATTLE_OK);
  const rattle_chain_options how = {
      .struct_size = sizeof how, .step = 0.1, .method = "random_walk"};
  rattle_problem *of_chain; /* which nothing else holds */
  assert_int_equal(rattle_problem_with_parameters(&of_chain, s.problem, NULL, 0, &error),
                   RATTLE_OK);
  assert_int_equal(rattle_chain_create(&chain, of_chain, &how, &error), RATTLE_OK);
  rattle_problem_destroy(&of_chain);
  assert_int_equal(rattle_doctor_create(&doctor, s.model, s.problem, NULL, &error), RATTLE_OK);
  const rattle_study_options drift = {.struct_size = sizeof drift,
                                      .stop = 1,
                                      .step = 0.1,
                                      .method = (const char *[]){"rattle(verlet)"},
                                      .methods = 1};
  assert_int_equal(rattle_study_create(&study, s.problem, RATTLE_STUDY_DRIFT, &drift, &error),
                   RATTLE_OK);
  double q[] = {0.01, -0.99995}, p[] = {0, 0};
  const rattle_orbit_options small = {.struct_size = sizeof small, .period = 6.28, .step = 0.05};
  assert_int_equal(rattle_slider_place(slider, q, p, &error), RATTLE_OK);
  if (rattle_orbit_create(&orbit, s.problem, q, p, &small, &error)) fail_msg("%s", error.message);
  const rattle_sampling_options few = {
      .struct_size = sizeof few, .chain = &how, .chains = 2, .draws = 5, .threads = 2};
  assert_int_equal(rattle_sampling_create(&sampling, s.problem, &few, &error), RATTLE_OK);
  assert_int_equal(rattle_csv_create(&csv, "/dev/null", s.problem, 1, &error), RATTLE_OK);
  rattle_problem *other = NULL;
  const rattle_parameter longer = {"L", 2};
  assert_int_equal(rattle_problem_with_parameters(&other, s.problem, &longer, 1, &error),
                   RATTLE_OK);
  for (int which = 0; which < HANDLES; which++)
    if (which != INTEGRATOR) destroy(&s, which);
  double x[] = {1.1, 0}, v[] = {0, -2}, energy;
  assert_int_equal(rattle_slider_place(slider, x, v, &error), RATTLE_OK);
  assert_int_equal(rattle_chain_advance(chain, 5, &error), RATTLE_OK);
  assert_string_equal(rattle_doctor_diagnosis(doctor)->class_, "coisotropic");
  assert_string_equal(rattle_study_result_of(study)->problem, "natural");
  assert_int_equal(rattle_sampling_result_of(sampling)->draws, 5);
  rattle_state point = {.q = (double[]){1, 0}, .p = (double[]){0, -2}, .h = 0.01};
  rattle_summary summary = {.struct_size = sizeof summary};
  const rattle_run_options ten = {
      .struct_size = sizeof ten, .steps = 10, .every = 1, .initial_energy = 0};
  assert_int_equal(rattle_run(s.integrator, &point, &ten,
                              (rattle_observer *[]){rattle_csv_observer(csv)}, 1, &summary, &error),
                   RATTLE_OK);
  assert_int_equal(rattle_problem_start(other, 0, x, v, NULL, &error), RATTLE_OK);
  assert_true(x[0] == 2);
  assert_int_equal(rattle_problem_energy(other, x, v, &energy, &error), RATTLE_OK);
  destroy(&s, INTEGRATOR);
  rattle_csv_destroy(&csv);
  rattle_sampling_destroy(&sampling);
  rattle_orbit_destroy(&orbit);
  rattle_study_destroy(&study);
  rattle_doctor_destroy(&doctor);
  rattle_chain_destroy(&chain);
  rattle_slider_destroy(&slider);
  rattle_problem_destroy(&other);
}

/* --- other handles ---------------------------------------------------------------------------- */

static void more_handles(void **state) {
  (void)state;
  handles s = {0};
  make(&s);
  rattle_problem *again = rattle_problem_retain(s.problem);
  rattle_model *model = rattle_model_retain(rattle_problem_model(again));
  assert_ptr_equal(again, s.problem);
  for (int which = 0; which < HANDLES; which++) destroy(&s, which);
  s.problem = again, s.model = model;
  use(&s);
  rattle_problem_destroy(&s.problem);
  use(&s);
  rattle_model_destroy(&s.model);
  assert_null(rattle_problem_retain(NULL));
  assert_null(rattle_model_retain(NULL));
}

/* Threads that let go of one problem. */
static void *let_go(void *self) {
  handles s = {.integrator = self};
  use(&s);
  rattle_integrator_destroy(&s.integrator);
  return NULL;
}

static void threads(void **state) {
  (void)state;
  enum { THREADS = 4, ROUNDS = 20 };
  for (int round = 0; round < ROUNDS; round++) {
    handles s = {0};
    make(&s);
    pthread_t id[THREADS];
    for (int k = 0; k < THREADS; k++) {
      rattle_integrator *own;
      assert_int_equal(rattle_integrator_create(&own, s.problem, "rattle(runge_kutta(own))", NULL),
                       RATTLE_OK);
      assert_int_equal(pthread_create(&id[k], NULL, let_go, own), 0);
    }
    for (int which = 0; which < HANDLES; which++) destroy(&s, which);
    for (int k = 0; k < THREADS; k++) pthread_join(id[k], NULL);
  }
}

/* Cases with problems of their own, which are let go of when the next case is described. */
typedef struct ends {
  rattle_problem *base, *last;
  int good;
} ends;

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  ends *e = self;
  const rattle_parameter L = {"L", 1 + (double)(c->number % 40)};
  rattle_problem_destroy(&e->last);
  const rattle_status status = rattle_problem_with_parameters(&e->last, e->base, &L, 1, error);
  c->problem = e->last;
  return status;
}

static rattle_status end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  (void)error;
  ends *e = self;
  e->good +=
      outcome->status == RATTLE_OK && outcome->q0[0] == 1 + (double)(outcome->of->number % 40);
  return RATTLE_OK;
}

static void ensembles(void **state) {
  (void)state;
  rattle_error error;
  handles s = {0};
  make(&s);
  ends e = {.base = s.problem};
  const rattle_ensemble_options o = {.struct_size = sizeof o,
                                     .cases = 100,
                                     .threads = 2,
                                     .step = 0.01,
                                     .steps = 5,
                                     .method = "rattle(verlet)",
                                     .describe = describe,
                                     .end = end,
                                     .self = &e};
  assert_int_equal(rattle_ensemble(s.problem, &o, NULL, &error), RATTLE_OK);
  assert_int_equal(e.good, 100);
  rattle_problem_destroy(&e.last);
  for (int which = 0; which < HANDLES; which++) destroy(&s, which);
}

/* --- parameters ------------------------------------------------------------------------------- */

/* In place only where nothing sees it; a new problem at any time. */
static void parameters(void **state) {
  (void)state;
  static const char plain[] =
      "local L = parameter('L', 1) local x, px = pair('x') local y, py = pair('y')\n"
      "constrain('rod', x^2 + y^2 - L^2) hamiltonian((px^2 + py^2)/2 + y) start { x = L, py = -2 }";
  rattle_error error;
  rattle_model *model;
  rattle_problem *problem, *other, *none;
  rattle_integrator *integrator;
  double q[2], p[2];
  const rattle_model_options how = {
      .struct_size = sizeof how, .inputs = (const char *[]){"L"}, .input_count = 1};
  const rattle_parameter two = {"L", 2}, wrong = {"M", 2};
  if (rattle_model_parse(&model, plain, "rod", &how, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error),
                   RATTLE_OK);
  assert_int_equal(rattle_problem_set_parameters(problem, &two, 1, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "in use"));
  assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), RATTLE_OK);
  assert_true(q[0] == 1);
  assert_int_equal(rattle_problem_with_parameters(&other, problem, &two, 1, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_start(other, 0, q, p, NULL, &error), RATTLE_OK);
  assert_true(q[0] == 2);
  rattle_problem_destroy(&other);
  assert_int_equal(rattle_problem_with_parameters(&none, problem, &wrong, 1, &error),
                   RATTLE_BAD_MODEL);
  assert_null(none);
  rattle_integrator_destroy(&integrator);
  rattle_problem *second = rattle_problem_retain(problem);
  assert_int_equal(rattle_problem_set_parameters(problem, &two, 1, &error), RATTLE_BAD_ARGUMENT);
  rattle_problem_destroy(&second);
  assert_int_equal(rattle_problem_create(&second, model, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_set_parameters(problem, &two, 1, &error), RATTLE_BAD_ARGUMENT);
  rattle_problem_destroy(&second);
  assert_int_equal(rattle_problem_set_parameters(problem, &two, 1, &error), RATTLE_OK);
  rattle_model_destroy(&model);
  assert_int_equal(rattle_problem_set_parameters(problem, &two, 1, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), RATTLE_OK);
  assert_true(q[0] == 2);
  rattle_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_order),  cmocka_unit_test(alone),
                                     cmocka_unit_test(more_handles), cmocka_unit_test(threads),
                                     cmocka_unit_test(ensembles),    cmocka_unit_test(parameters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
