/* Long runs under constraints on velocities: a composition of order 6 agrees with itself at a
 * quarter of the step after 100 units of time, where a motion that contracts would show what grows;
 * bench/long_runs has longer ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "rattle/rattle.h"

enum { MOST = 8 };
static const double span = 100;

static int run(const char *example, double h, double *z) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  char path[512];
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + MOST, .h = h};
  snprintf(path, sizeof path, RATTLE_SOURCE_DIR "/examples/%s.lua", example);
  if (rattle_model_load(&model, path, NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_problem_start(problem, 1, state.q, state.p, NULL, &error) ||
      rattle_integrator_create(&integrator, problem, "kahan_li6(rattle(verlet))", &error) ||
      rattle_integrator_step(integrator, &state, lround(span / h), &error))
    fail_msg("%s: %s", example, error.message);
  const int n = rattle_problem_n(problem);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return n;
}

static void agree(void **state) {
  (void)state;
  static const struct {
    const char *example;
    double h, within;
  } runs[] = {{"chaplygin", 0.1, 1e-7}, {"snakeboard", 0.05, 1e-9}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    double z[2][2 * MOST], apart = 0;
    const int n = run(runs[i].example, runs[i].h, z[0]);
    (void)run(runs[i].example, runs[i].h / 4, z[1]);
    for (int k = 0; k < n; k++)
      apart = fmax(apart, fmax(fabs(z[0][k] - z[1][k]), fabs(z[0][MOST + k] - z[1][MOST + k])));
    if (!(apart < runs[i].within)) fail_msg("%s: %g apart", runs[i].example, apart);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
