/* What callers of the C interface hold besides handles: arrays of structs that may be longer,
 * parsed methods, contexts, flags, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h comes after those four */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"
#include "ground/support/error.h"

static const char rod[] =
    "local x, px = pair('x') local y, py = pair('y') constrain('rod', x^2 + y^2 - 1)\n"
    "hamiltonian((px^2 + py^2)/2 + y) start { x = 1, py = -2 }\n"
    "tableau('own', { A = {{0, 0}, {1, 0}}, b = {0.5, 0.5}, Ahat = {{0.5, 0}, {0.5, 0}}, order = 2 "
    "})";

static rattle_problem *problem_of(const char *text) {
  rattle_error error;
  rattle_model *model;
  rattle_problem *problem;
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  if (rattle_model_parse(&model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&problem, model, &block, &error)) fail_msg("%s", error.message);
  rattle_model_destroy(&model);
  return problem;
}

/* --- arrays ----------------------------------------------------------------------------------- */

static int height(void *self, double time, const double *q, const double *p, double *e) {
  (void)time, (void)p;
  *e = q[1] - *(const double *)self;
  return 0;
}

typedef struct crossings {
  int of[3];
} crossings;

static rattle_status notice(void *self, const rattle_occurrence *occurrence, rattle_error *error) {
  (void)error;
  ((crossings *)self)->of[occurrence->event]++;
  return RATTLE_OK;
}

/* Runs with `count` events from the array; how often each happened. */
static rattle_status run_with(const rattle_event *event, int count, crossings *seen,
                              rattle_error *error) {
  rattle_problem *problem = problem_of(rod);
  rattle_integrator *integrator;
  assert_int_equal(rattle_integrator_create(&integrator, problem, "rattle(verlet)", error),
                   RATTLE_OK);
  rattle_problem_destroy(&problem);
  rattle_state point = {.q = (double[]){1, 0}, .p = (double[]){0, -3}, .h = 0.01};
  const rattle_events events = {.struct_size = sizeof events, .event = event, .count = count};
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = 1000,
                                      .every = 1000,
                                      .initial_energy = (double)NAN,
                                      .events = &events};
  *seen = (crossings){{0}};
  rattle_observer observer = {.struct_size = sizeof observer, .self = seen, .event = notice};
  const rattle_status status =
      rattle_run(integrator, &point, &options, (rattle_observer *[]){&observer}, 1, NULL, error);
  rattle_integrator_destroy(&integrator);
  return status;
}

/* Arrays of events of a program that knows more members, of one that sets no size, and of one whose
 * elements differ. */
static void arrays_of_events(void **state) {
  (void)state;
  rattle_error error;
  struct {
    rattle_event is;
    double more[3];
  } newer[3];
  rattle_event silent[3];
  double levels[] = {-0.5, 0.5, 0.1};
  const char *const names[] = {"low", "high", "middle"};
  crossings seen, same;
  memset(newer, 0x5a, sizeof newer);
  for (int k = 0; k < 3; k++) {
    silent[k] =
        (rattle_event){.name = names[k], .value = height, .self = &levels[k], .direction = 1};
    newer[k].is = silent[k];
    newer[k].is.struct_size = sizeof newer[k];
  }
  if (run_with(&newer[0].is, 3, &seen, &error)) fail_msg("%s", error.message);
  assert_true(seen.of[0] > 2 && seen.of[1] > 2 && seen.of[2] > 2);
  assert_int_equal(run_with(silent, 3, &same, &error), RATTLE_OK);
  assert_memory_equal(&seen, &same, sizeof seen);
  newer[1].is.struct_size += 8;
  assert_int_equal(run_with(&newer[0].is, 3, &seen, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "element 1 of an array of rattle_event"));
  newer[0].is.struct_size = 12;
  assert_int_equal(run_with(&newer[0].is, 3, &seen, &error), RATTLE_BAD_ARGUMENT);
}

/* A drawing is written as far as the caller knows it. */
static void drawings(void **state) {
  (void)state;
  rattle_problem *problem = problem_of("local x, px = pair('x') hamiltonian(px^2/2) draw { point = "
                                       "{x, 0}, colour = 'blue', size = 0.5 }");
  const rattle_model *model = rattle_problem_model(problem);
  union {
    rattle_drawing is;
    unsigned char byte[sizeof(rattle_drawing) + 16];
  } room;
  for (size_t size = 0; size <= sizeof(rattle_drawing) + 16; size += sizeof(rattle_drawing) + 16) {
    memset(&room, 0x5a, sizeof room);
    room.is.struct_size = size;
    assert_int_equal(rattle_model_drawing(model, 0, &room.is), 1);
    assert_string_equal(room.is.colour, "blue");
    assert_int_equal(room.is.struct_size, size);
    for (size_t i = sizeof(rattle_drawing); i < sizeof room; i++)
      assert_int_equal(room.byte[i], 0x5a);
  }
  rattle_problem_destroy(&problem);
}

/* --- methods ---------------------------------------------------------------------------------- */

static void step_both(const rattle_problem *problem, const rattle_method *method,
                      const char *text) {
  rattle_error error;
  rattle_integrator *by, *plain;
  double q[2][2] = {{1, 0}, {1, 0}}, p[2][2] = {{0, -2}, {0, -2}};
  rattle_state first = {.q = q[0], .p = p[0], .h = 0.05},
               second = {.q = q[1], .p = p[1], .h = 0.05};
  if (rattle_integrator_create_by(&by, problem, method, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_integrator_create(&plain, problem, text, &error), RATTLE_OK);
  assert_string_equal(rattle_method_text(rattle_integrator_method(by)),
                      rattle_method_text(rattle_integrator_method(plain)));
  assert_true(rattle_integrator_method(by) != method);
  assert_int_equal(rattle_integrator_step(by, &first, 20, &error), RATTLE_OK);
  assert_int_equal(rattle_integrator_step(plain, &second, 20, &error), RATTLE_OK);
  assert_memory_equal(q[0], q[1], sizeof q[0]);
  assert_memory_equal(p[0], p[1], sizeof p[0]);
  rattle_integrator_destroy(&by);
  rattle_integrator_destroy(&plain);
}

/* An integrator by a parsed method has its own copy: of options, of names that the model gives,
 * resolved or not. */
static void methods(void **state) {
  (void)state;
  static const char *const text[] = {"rattle(verlet)", "suzuki4(rattle(verlet(b)))",
                                     "project(rk4(dirac), both, every=2)",
                                     "rattle(runge_kutta(own), solver=newton)"};
  rattle_error error;
  static const char euler[] =
      "local x, px = pair('x') local y, py = pair('y') constrain('rod', x^2 + y^2 - 1)\n"
      "hamiltonian((px^2 + py^2)/2 + y) tableau('own', { A = {{0}}, b = {1} })";
  rattle_problem *problem = problem_of(rod), *other = problem_of(euler);
  for (int i = 0; i < 4; i++) {
    rattle_method *method;
    assert_int_equal(rattle_method_parse(&method, text[i], &error), RATTLE_OK);
    const int order = rattle_method_claims(method).order;
    step_both(problem, method, text[i]);
    assert_int_equal(rattle_method_claims(method).order, order); /* not resolved by that */
    assert_int_equal(rattle_method_resolve(method, other, &error), RATTLE_OK);
    step_both(problem, method, text[i]);
    rattle_method_destroy(&method);
  }
  rattle_method *method;
  assert_int_equal(rattle_method_parse(&method, "rattle(verlet)", &error), RATTLE_OK);
  rattle_method_compensate(method);
  step_both(problem, method, "rattle(verlet, compensated)");
  rattle_method_destroy(&method);
  rattle_integrator *none;
  assert_int_equal(rattle_method_parse(&method, "verlet", &error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create_by(&none, problem, method, &error), RATTLE_UNSUITABLE);
  assert_null(none);
  rattle_method_destroy(&method);
  rattle_problem_destroy(&problem);
  rattle_problem_destroy(&other);
}

static const char *kernel_after(const char *text, const char *method, double h, int *followed) {
  rattle_error error;
  rattle_problem *problem = problem_of(text);
  rattle_integrator *integrator;
  const int n = rattle_problem_n(problem);
  double q[200], p[200];
  assert_true(n <= 200);
  assert_int_equal(rattle_problem_start(problem, 1, q, p, NULL, &error), RATTLE_OK);
  if (rattle_integrator_create(&integrator, problem, method, &error)) fail_msg("%s", error.message);
  assert_string_equal(rattle_integrator_kernel(integrator), "none");
  assert_int_equal(rattle_integrator_followed(integrator), 0);
  rattle_state point = {.q = q, .p = p, .h = h};
  if (rattle_integrator_step(integrator, &point, 1, &error)) fail_msg("%s", error.message);
  const char *kernel = rattle_integrator_kernel(integrator);
  *followed = rattle_integrator_followed(integrator);
  assert_int_equal(rattle_integrator_counts(integrator).followed, *followed);
  point.h = NAN; /* a step that fails changes nothing */
  assert_int_equal(rattle_integrator_step(integrator, &point, 1, &error), RATTLE_BAD_ARGUMENT);
  assert_string_equal(rattle_integrator_kernel(integrator), kernel);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  return kernel;
}

static void kernels(void **state) {
  (void)state;
  static const char rods[] =
      "local N = %d local x, px = pairs_of('x', N) local y, py = pairs_of('y', N) local H = 0\n"
      "for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i]/N end hamiltonian(H)\n"
      "constrain('link[1]', x[1]^2 + y[1]^2 - 1/N^2)\n"
      "for i = 2, N do constrain('link['..i..']', (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1/N^2) end\n"
      "for i = 1, N do start { [x[i]] = i/N } end";
  char chain[1000], tree[1000];
  int followed;
  snprintf(chain, sizeof chain, rods, 70);
  snprintf(tree, sizeof tree, rods, 20);
  assert_string_equal(kernel_after(rod, "rattle(verlet)", 0.01, &followed), "fused");
  assert_false(followed);
  assert_string_equal(kernel_after(chain, "rattle(verlet)", 0.001, &followed), "chain");
  assert_string_equal(kernel_after(tree, "rattle(verlet)", 0.001, &followed), "bonds");
  assert_string_equal(kernel_after(chain, "rattle(verlet, solver=sparse)", 0.001, &followed),
                      "sparse");
  assert_string_equal(kernel_after(rod, "rattle(midpoint)", 0.01, &followed), "fused");
  assert_string_equal(kernel_after(rod, "rattle(rk4)", 0.01, &followed), "general");
  assert_false(followed);
  static const char three[] =
      "local x, px = pairs_of('x', 3) local y, py = pairs_of('y', 3) local H = 0\n"
      "for i = 1, 3 do H = H + (px[i]^2 + py[i]^2)/2 + y[i] end hamiltonian(H)\n"
      "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
      "for i = 2, 3 do constrain('link['..i..']', (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1) end\n"
      "for i = 1, 3 do start { [x[i]] = i } end start { [py[1]] = -2, [py[2]] = 3, [py[3]] = -1 }";
  assert_string_equal(kernel_after(three, "rattle(verlet)", 0.01, &followed), "fused");
  assert_false(followed);
  /* the joint turns by most of a radian: in doubt by the kernel, and by its Newton iteration */
  assert_string_equal(kernel_after(three, "rattle(verlet)", 0.19, &followed), "sparse");
  assert_string_equal(kernel_after(three, "rattle(verlet, solver=newton)", 0.19, &followed),
                      "sparse");
  assert_true(followed);
}

/* --- contexts --------------------------------------------------------------------------------- */

typedef struct closure {
  int released;
} closure;

static int energy(void *context, const double *z, double *H, double *gradient) {
  assert_int_equal(((closure *)context)->released, 0);
  *H = z[0] * z[0] / 2 + z[1] * z[1] / 2;
  gradient[0] = z[0], gradient[1] = z[1];
  return 0;
}

static void release(void *context) {
  ((closure *)context)->released++;
}

/* The context is released once, after its last use; at once where there is no problem. */
static void contexts(void **state) {
  (void)state;
  rattle_error error;
  rattle_problem *problem;
  rattle_integrator *integrator;
  closure own = {0}, refused = {0};
  rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                .n = 1,
                                .context = &own,
                                .hamiltonian = energy,
                                .release = release};
  assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, &error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&integrator, problem, "midpoint", &error), RATTLE_OK);
  rattle_problem_destroy(&problem);
  assert_int_equal(own.released, 0);
  rattle_state point = {.q = (double[]){1}, .p = (double[]){0}, .h = 0.1};
  assert_int_equal(rattle_integrator_step(integrator, &point, 10, &error), RATTLE_OK);
  rattle_integrator_destroy(&integrator);
  assert_int_equal(own.released, 1);
  callbacks.context = &refused, callbacks.n = 0;
  assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(refused.released, 1);
  assert_int_equal(rattle_problem_create_callbacks(&problem, NULL, &error), RATTLE_BAD_ARGUMENT);
}

/* --- flags, names, versions ------------------------------------------------------------------- */

static void flags(void **state) {
  (void)state;
  rattle_error error;
  int interrupt = 0;
  rattle_problem *problem = problem_of(rod);
  rattle_integrator *integrator;
  assert_int_equal(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error),
                   RATTLE_OK);
  rattle_state point = {.q = (double[]){1, 0}, .p = (double[]){0, -2}, .h = 0.01};
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = 10,
                                      .every = 1,
                                      .initial_energy = (double)NAN,
                                      .interrupt = &interrupt};
  assert_int_equal(rattle_run(integrator, &point, &options, NULL, 0, NULL, &error), RATTLE_OK);
  rattle_interrupt(&interrupt);
  assert_int_equal(rattle_run(integrator, &point, &options, NULL, 0, NULL, &error),
                   RATTLE_INTERRUPTED);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
}

/* A name that is longer than `where` ends in "...", and no character is cut. */
static void names(void **state) {
  (void)state;
  rattle_error error;
  char longest[257], more[400];
  for (int i = 0; i < 64; i++)
    memcpy(longest + 4 * i, "\xf0\x9f\xa6\x89", 4); /* 64 characters, as long as a name may be */
  longest[256] = 0;
  rattle__fail(&error, RATTLE_SINGULAR, longest, "text");
  assert_string_equal(error.where, longest);
  for (int beyond = 0; beyond < 4; beyond++) {
    const int given =
        snprintf(more, sizeof more, "%.*s%s%s", beyond, "xxx", longest, longest + 4 * 30);
    assert_true(given > (int)sizeof error.where);
    rattle__fail(&error, RATTLE_SINGULAR, more, "text");
    const size_t length = strlen(error.where);
    assert_true(length > sizeof error.where - 8 && length < sizeof error.where);
    assert_string_equal(error.where + length - 3, "...");
    assert_int_equal((length - 3 - (size_t)beyond) % 4, 0);
    assert_memory_equal(error.where, more, length - 3);
  }
}

static void versions(void **state) {
  (void)state;
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", RATTLE_VERSION_MAJOR, RATTLE_VERSION_MINOR,
           RATTLE_VERSION_PATCH);
  assert_string_equal(rattle_version(), text);
  assert_int_equal(rattle_abi(), RATTLE_ABI);
#if RATTLE_VERSION_NUMBER < 200
#error "RATTLE_VERSION_NUMBER is a number for the preprocessor"
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_of_events),
                                     cmocka_unit_test(drawings),
                                     cmocka_unit_test(methods),
                                     cmocka_unit_test(kernels),
                                     cmocka_unit_test(contexts),
                                     cmocka_unit_test(flags),
                                     cmocka_unit_test(names),
                                     cmocka_unit_test(versions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
