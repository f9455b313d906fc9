/* The clock of studies, in their tests: a thread's time is the work of its steps, so that advice
 * does not depend on the machine and its load. Linked with --wrap (extra.cmake). */
#include <time.h>

#include "rattle/rattle.h"
#include "runs/integrate/run_hooks.h"

/* Seconds of an evaluation, an iteration. The more they are, the sooner a repeated run has taken
 * long enough to be timed. */
static const double evaluation = 2e-6, iteration = 1e-6;
static _Thread_local double seconds;

typedef rattle_status step_function(rattle_integrator *integrator, rattle_state *state,
                                    long long steps, rattle_error *error);
typedef rattle_status advance_function(rattle_integrator *integrator, rattle_state *state,
                                       long long steps, double *low, double *high,
                                       rattle_error *error);
int __real_clock_gettime(clockid_t clock, struct timespec *t),
    __wrap_clock_gettime(clockid_t clock, struct timespec *t);
step_function __real_rattle_integrator_step, __wrap_rattle_integrator_step;
advance_function __real_rattle__integrator_advance, __wrap_rattle__integrator_advance;

static double work_of(const rattle_integrator *integrator) {
  const rattle_counts c = rattle_integrator_counts(integrator);
  return evaluation * (double)(c.gradient + c.hessian + c.constraint + c.jacobian) +
         iteration * (double)c.newton_iterations;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t) {
  if (clock != CLOCK_THREAD_CPUTIME_ID) return __real_clock_gettime(clock, t);
  t->tv_sec = (time_t)seconds;
  t->tv_nsec = (long)(1e9 * (seconds - (double)t->tv_sec));
  return 0;
}

rattle_status __wrap_rattle_integrator_step(rattle_integrator *integrator, rattle_state *state,
                                            long long steps, rattle_error *error) {
  const double before = work_of(integrator);
  const rattle_status status = __real_rattle_integrator_step(integrator, state, steps, error);
  seconds += work_of(integrator) - before;
  return status;
}

rattle_status __wrap_rattle__integrator_advance(rattle_integrator *integrator, rattle_state *state,
                                                long long steps, double *low, double *high,
                                                rattle_error *error) {
  const double before = work_of(integrator);
  const rattle_status status =
      __real_rattle__integrator_advance(integrator, state, steps, low, high, error);
  seconds += work_of(integrator) - before;
  return status;
}
