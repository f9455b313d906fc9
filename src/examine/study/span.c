/* Times of a study: start, stop, the common times, the step of a long run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "examine/doctor/quick.h"
#include "problem/functions/problem.h"
#include "examine/study/study.h"

/* the way along which frequencies are estimated: points, and steps between them */
enum { WAY_POINTS = 24, WAY_STEPS = 8, MOST_GROWTH = 50 };

/* of a step if none is asked for: so many radians of the fastest motion, as `rattle check`
 * advises */
static const double share = 0.1;

/* The largest number of one digit up to x. */
static double round_down(double x) {
  double power = pow(10, floor(log10(x)));
  return power >= 1 ? floor(x / power) * power : floor(x / power) / round(1 / power);
}

rattle_status rattle__span_frequency(rattle_study *study, rattle_error *error) {
  int n = study->n;
  double now, at_start = (double)NAN, *most = &study->r.frequency;
  rattle_status status =
      rattle__frequency(study->problem, study->z0, study->z0 + n, &at_start, error);
  if (!(at_start > 0)) at_start = (double)NAN;
  *most = at_start;
  double *z = malloc(2 * (size_t)n * sizeof *z);
  rattle_integrator *integrator = NULL;
  if (!status && !z) status = rattle__no_memory(error);
  /* a start at rest may say little of what follows; where the way cannot be made, the start has to
   * do */
  if (!status && isfinite(*most) &&
      !rattle_integrator_create(&integrator, study->problem, rattle__study_inner(study), NULL)) {
    rattle_state state = {.q = z, .p = z + n, .t0 = rattle__time_at(study->problem, study->z0)};
    memcpy(z, study->z0, 2 * (size_t)n * sizeof *z);
    double shorter = 1;
    for (int k = 0; k < WAY_POINTS && shorter < 1000; k++) {
      state.h = share / *most / shorter;
      if (rattle_integrator_step(integrator, &state, WAY_STEPS, NULL)) shorter *= 4;
      /* near a singularity there is no largest frequency */
      if (rattle__frequency(study->problem, z, z + n, &now, NULL) || now > MOST_GROWTH * at_start)
        break;
      if (now > *most) *most = now, shorter = 1;
    }
  }
  rattle_integrator_destroy(&integrator);
  free(z);
  return status;
}

rattle_status rattle__span_look_evenly(rattle_study *study, int looks, rattle_error *error) {
  study->look_at = rattle__arena_take(&study->arena, (size_t)looks * sizeof *study->look_at);
  if (!study->look_at) return rattle__no_memory(error);
  for (int j = 0; j < looks; j++) study->look_at[j] = j + 1;
  study->looks = looks;
  study->ticks = looks;
  return RATTLE_OK;
}

rattle_status rattle__span_find(rattle_study *study, rattle__study_span how, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(study->problem);
  const rattle_wishes *wishes = model ? rattle_model_wishes(model) : NULL;
  rattle_study_result *r = &study->r;
  double nan = (double)NAN, wanted = wishes ? wishes->stop : nan, most = how.turns / r->frequency;
  r->start = !isnan(study->options.start) ? study->options.start : wishes ? wishes->start_time : 0;
  if (wishes && isnan(wanted) && wishes->steps > 0 && wishes->step != 0)
    wanted = r->start + (double)wishes->steps * wishes->step;
  r->stop = study->options.stop;
  if (isnan(r->stop)) {
    double own = wanted - r->start;
    int takes_own = isnan(most) || fabs(own) <= most || (how.whole && !isnan(own));
    r->stop = takes_own ? wanted : r->start + (own < 0 ? -1 : 1) * round_down(most);
  }
  if (isnan(r->stop))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "stop",
                        "no end time: the fastest motion could not be estimated; give an end time");
  study->span = r->stop - r->start;
  if (!isfinite(study->span) || study->span == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "stop",
                        "a study from time %.10g to %.10g has nothing to run", r->start, r->stop);
  double radians = fabs(study->span) * r->frequency;
  return rattle__span_look_evenly(study,
                                  isnan(radians) || radians >= 20 ? 4
                                  : radians < 10                  ? 1
                                                                  : (int)(radians / 5),
                                  error);
}

rattle_status rattle__span_step(const rattle_study *study, double *step, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(study->problem);
  double h = study->options.step;
  if (h == 0 && model) h = rattle_model_wishes(model)->step;
  if (h == 0 && isfinite(study->r.frequency)) h = round_down(1.0001 * share / study->r.frequency);
  if (h == 0 || !isfinite(h))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "no time step: give one, or write integrate { step = ... } in the model");
  *step = copysign(h, study->span);
  return RATTLE_OK;
}

rattle_status rattle__span_steps(const rattle_study *study, double step, long long *steps,
                                 rattle_error *error) {
  double exact = study->span / step, nearest = round(exact);
  if (!(exact < 1e12))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "too many steps, %.3g: from time %.10g to %.10g by %g", exact,
                        study->r.start, study->r.stop, step);
  double whole = fabs(exact - nearest) <= 1e-12 * nearest ? nearest : ceil(exact);
  *steps = whole < 1 ? 1 : (long long)whole;
  return RATTLE_OK;
}
