/* A callback that answered with a negative number is not called again, and its answer is the error:
 * in all rooms that call it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../one_in.h"
#include "rattle/rattle.h"

/* How often callbacks were called; from call `last` on they answer -3. */
typedef struct world {
  long calls, last;
} world;

static int answer(world *w) {
  return ++w->calls >= w->last ? -3 : 0;
}

/* Away from the natural class: T depends on x, so that every kind of map has work to do. */
static int mixed_H(void *context, const double *z, double *H, double *d) {
  const double a = 1 + z[0] * z[0] / 4;
  *H = (a * z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  d[0] = z[0] * z[2] * z[2] / 4, d[1] = 1, d[2] = a * z[2], d[3] = z[3];
  return answer(context);
}

static int plain_H(void *context, const double *z, double *H, double *d) {
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  d[0] = 0, d[1] = 1, d[2] = z[2], d[3] = z[3];
  return answer(context);
}

static int rod(void *context, const double *z, double *g, double *J) {
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  J[0] = 2 * z[0], J[1] = 2 * z[1], J[2] = J[3] = 0;
  return answer(context);
}

static const double ones[2] = {1, 1};

typedef struct trial {
  const char *name;
  rattle_callbacks callbacks;
  const char *methods[24];
} trial;

static const trial trials[] = {
    {"natural",
     {.n = 2,
      .m = 1,
      .flags = RATTLE_NATURAL | RATTLE_HOLONOMIC,
      .inverse_mass = ones,
      .hamiltonian = plain_H,
      .constraint = rod},
     {
         "rattle(verlet)",
         "rattle(verlet, solver=newton)",
         "rattle(verlet, solver=sweep)",
         "shake(verlet)",
         "rattle(verlet, project=output)",
         "shake(verlet(b))",
         "suzuki4(rattle(verlet))",
         "spark(2)",
         "spark(3)",
         "geodesic_rkn4",
         "multistep4",
         "shake_two_step",
         "rattle(gauss(2))",
         "project(verlet, symmetric)",
         "adaptive(rattle(verlet))",
     }},
    {"holonomic",
     {.n = 2, .m = 1, .flags = RATTLE_HOLONOMIC, .hamiltonian = mixed_H, .constraint = rod},
     {"rattle(midpoint)", "shake(midpoint)", "rattle(gauss(2))", "rattle(verlet)",
      "suzuki4(rattle(midpoint))", "spark(3)", "rattle_monolithic", "discrete_gradient",
      "adaptive(rattle(midpoint))"}},
};

/* Long steps are doubtful: the guard is at work, too. A run looks at H, g, psi and N after each
 * step. */
static void once(const trial *t, const char *method, double h, long last, int whole_run,
                 long *reached) {
  world w = {.last = 1L << 60};
  rattle_callbacks c = t->callbacks;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  c.struct_size = sizeof c;
  c.context = &w;
  if (rattle_problem_create_callbacks(&problem, &c, &error))
    fail_msg("%s: %s", t->name, error.message);
  if (rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s, %s: %s", t->name, method, error.message);
  double z[4] = {0.6, -0.8, 1.6, 1.2};
  rattle_state state = {.q = z, .p = z + 2, .h = h};
  w = (world){.last = last};
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = 3, .every = 1, .initial_energy = (double)NAN};
  rattle_summary summary = {.struct_size = sizeof summary};
  const rattle_status status =
      whole_run ? rattle_run(integrator, &state, &options, NULL, 0, &summary, &error)
                : rattle_integrator_step(integrator, &state, 3, &error);
  *reached += w.calls >= last;
  if (w.calls > last)
    fail_msg("%s, %s%s, h = %g: call %ld answered -3, and %ld calls followed", t->name, method,
             whole_run ? ", a run" : "", h, last, w.calls - last);
  if (w.calls == last && (status != RATTLE_CALLBACK || !strstr(error.message, "(-3)")))
    fail_msg("%s, %s%s, h = %g, call %ld: %s", t->name, method, whole_run ? ", a run" : "", h, last,
             error.message);
  /* and all is well again, where the callback is */
  w = (world){.last = 1L << 60};
  if (rattle_run(integrator, &state, &options, NULL, 0, NULL, &error) == RATTLE_CALLBACK)
    fail_msg("%s, %s, once more: %s", t->name, method, error.message);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
}

static void not_called_again(void **unused) {
  static const double steps[] = {0.05, 0.6, 1.5};
  (void)unused;
  for (size_t k = 0; k < sizeof trials / sizeof *trials; k++)
    for (int i = 0; trials[k].methods[i]; i++) {
      long reached = 0;
      for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
        for (long last = 1; last < 120; last += TESTS_ONE_IN + last / 20)
          for (int whole_run = 0; whole_run < 2; whole_run++)
            once(&trials[k], trials[k].methods[i], steps[j], last, whole_run, &reached);
      assert_true(reached > 20 / TESTS_ONE_IN);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(not_called_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
