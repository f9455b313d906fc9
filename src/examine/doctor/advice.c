/* A method, a step, and what they cost.
 *
 * Step: 0.1 over the largest frequency (frequency.c), some 60 steps for the shortest period,
 * rounded down to 1, 2 or 5; halved until a short trial keeps the energy to 1e-3 of its parts, and
 * while the next shorter step takes fewer iterations for the same time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "method/notation/method.h"
#include "problem/functions/problem.h"
#include "examine/doctor/quick.h"
#include "examine/doctor/report.h"
#include "maps/plan/default.h"
#include "rattle/integrator.h"

enum { TRIAL = 200, SHORT_TRIAL = 10, HALVINGS = 10, MANY_PAIRS = 20000 };
static const double share = 0.1, tolerable = 1e-3;

/* The largest 1, 2 or 5 times a power of ten that is not larger than x. */
static double round_down(double x) {
  double power = pow(10, floor(log10(x))), digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/* The step for a frequency; NaN: none. */
static double step_of(double frequency) {
  return frequency > 0 ? round_down(1.0001 * share / frequency) : (double)NAN;
}

rattle_status rattle_doctor_step(const rattle_problem *problem, const double *q, const double *p,
                                 double *step, rattle_error *error) {
  double frequency;
  rattle_status status = rattle__frequency(problem, q, p, &frequency, error);
  *step = step_of(frequency);
  return status;
}

/* --- trial ------------------------------------------------------------------------------------ */

typedef struct trial {
  rattle_integrator *integrator;
  double *z, *energies; /* [2n], scratch */
  int steps;
  double reached; /* the time of the last good step */
} trial;

/* Steps of h from the start: the largest error of the energy, relative; INFINITY if a step
 * fails. */
static double run(rattle_doctor *doctor, trial *t, double h, double *seconds) {
  enum { LOOKS = 10 };
  size_t n = (size_t)doctor->d.n;
  double *q = t->z, *p = t->z + n, first, now, worst = 0, scale, unit;
  rattle_state state = {
      .q = q, .p = p, .t0 = rattle__time_at(doctor->problem, doctor->on_q), .h = h};
  memcpy(q, doctor->on_q, n * sizeof *q);
  memcpy(p, doctor->on_p, n * sizeof *p);
  if (rattle__doctor_saw(doctor, rattle_problem_energy(doctor->problem, q, p, &first, NULL)))
    return (double)INFINITY;
  scale = rattle__energy_size(doctor->problem, t->z, t->energies);
  unit = rattle__energy_unit(doctor->problem, t->z, h);
  first -= rattle_integrator_work(t->integrator, &state);
  rattle_integrator_reset(t->integrator);
  *seconds = 0;
  for (int k = 0; k < LOOKS; k++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    rattle_status status = rattle_integrator_step(t->integrator, &state, t->steps / LOOKS, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    *seconds += (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    t->reached = h * (double)state.step;
    if (!status) status = rattle_problem_energy(doctor->problem, q, p, &now, NULL);
    if (rattle__doctor_saw(doctor, status)) return (double)INFINITY;
    worst = fmax(worst, fabs(now - rattle_integrator_work(t->integrator, &state) - first));
    scale = fmax(scale, rattle__energy_size(doctor->problem, t->z, t->energies));
  }
  if (rattle__is_round_off(worst, unit)) worst = 0; /* beside terms that are all round-off */
  return scale > 0 ? worst / scale : worst;
}

/* True if constraints permit no motion, so that energies are round-off. */
static int is_held(const rattle_doctor *doctor) {
  return doctor->still && doctor->d.dof == 0;
}

/* The next shorter step, over the same time: INFINITY if one fails where the longer ones did not.
 * *cheaper: all of them together take fewer iterations. */
static double run_closer(rattle_doctor *doctor, trial *t, double step, int *cheaper) {
  const double h = doctor->d.advice_step, ratio = h / step;
  const long long iterations = rattle_integrator_counts(t->integrator).newton_iterations;
  double seconds;
  trial closer = *t;
  closer.steps = (int)lround(ratio * t->steps);
  const double defect = run(doctor, &closer, step, &seconds);
  *cheaper = rattle_integrator_counts(t->integrator).newton_iterations < iterations;
  return defect;
}

/* Halves the step while that makes the same time cheaper: an iteration that takes many steps is not
 * near its solution. */
static double judge(rattle_doctor *doctor, trial *t, double defect, double *seconds) {
  rattle_diagnosis *d = &doctor->d;
  int cheaper = 1;
  for (int k = 0; k < HALVINGS && cheaper && isfinite(defect); k++) {
    const double step = round_down(0.501 * d->advice_step),
                 closer = run_closer(doctor, t, step, &cheaper);
    if (!isfinite(closer))
      rattle__doctor_note(doctor,
                          "steps of %g pass a point of the trial where steps of %g stop: what lies "
                          "beyond it may not be the motion, and a run is to be made with both",
                          d->advice_step, step);
    cheaper = cheaper && isfinite(closer);
    if (cheaper) d->advice_step = step;
    defect = run(doctor, t, d->advice_step, seconds);
  }
  return defect;
}

static rattle_status try_steps(rattle_doctor *doctor, trial *t, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  size_t n = (size_t)d->n;
  t->steps = d->n > MANY_PAIRS ? SHORT_TRIAL : TRIAL;
  t->z = calloc(2 * n + rattle__energy_room(doctor->problem), sizeof *t->z);
  if (!t->z) return rattle__no_memory(error);
  t->energies = t->z + 2 * n;
  rattle_status status =
      rattle_integrator_create(&t->integrator, doctor->problem, d->advice_method, error);
  if (status) return status;
  double seconds = 0, defect = run(doctor, t, d->advice_step, &seconds);
  double stopped = 0, at = 0; /* the step of a trial that failed, and when */
  for (int k = 0; k < HALVINGS && !(defect <= tolerable) && !is_held(doctor); k++) {
    if (!isfinite(defect)) stopped = d->advice_step, at = t->reached;
    d->advice_step = round_down(0.501 * d->advice_step);
    defect = run(doctor, t, d->advice_step, &seconds);
  }
  if (isfinite(defect) && t->reached < at + stopped)
    rattle__doctor_note(doctor,
                        "steps of %g stop after t = %.3g, which the trial with the recommended "
                        "step has not reached: it is not known if it passes there",
                        stopped, at);
  if (!is_held(doctor)) defect = judge(doctor, t, defect, &seconds);
  if (!isfinite(defect)) {
    rattle__doctor_note(doctor,
                        "trial runs failed with steps down to %g: the recommended step is a guess",
                        d->advice_step);
    return RATTLE_OK;
  }
  rattle_counts counts = rattle_integrator_counts(t->integrator);
  if (!is_held(doctor)) d->trial_energy_error = defect;
  d->cost_gradients = (double)counts.gradient / t->steps;
  d->cost_newton_iterations = (double)counts.newton_iterations / t->steps;
  d->cost_nanoseconds = 1e9 * seconds / t->steps;
  return RATTLE_OK;
}

/* --- words ------------------------------------------------------------------------------------ */

static void explain(rattle_doctor *doctor, int steps) {
  rattle_diagnosis *d = &doctor->d;
  char words[900];
  rattle__text text = {words, sizeof words};
  words[0] = 0;
  rattle__put(&text, "%s", rattle__default_of(doctor->problem)->why);
  if (isfinite(d->frequency))
    rattle__put(&text,
                "; the fastest motion at the start has frequency %.3g (period %.3g, %.0f steps)",
                d->frequency, 2 * M_PI / d->frequency, 2 * M_PI / d->frequency / d->advice_step);
  else if (is_held(doctor))
    rattle__put(&text, "; as many constraints as coordinates hold everything still: any step "
                       "gives the multipliers, the forces that hold it");
  else if (doctor->still)
    rattle__put(&text, "; nothing moves at the start, which is an equilibrium without frequencies: "
                       "the step is a guess");
  else
    rattle__put(&text,
                "; the fastest frequency could not be estimated; the step is that of a trial run");
  if (isfinite(d->trial_energy_error))
    rattle__put(&text, "; energy error after %d trial steps: %.1e of the energies", steps,
                d->trial_energy_error);
  rattle__put(&text, "; order 2: for high accuracy use a composition, such as kahan_li8(%s)",
              d->advice_method);
  d->advice_why = rattle__doctor_text(doctor, "%s", words);
  const rattle_wishes *wishes = doctor->model ? rattle_model_wishes(doctor->model) : NULL;
  if (wishes && isfinite(d->frequency) && fabs(wishes->step) * d->frequency > 1)
    rattle__doctor_note(
        doctor,
        "the model's step %g is long: less than %.1f steps for each radian of the fastest motion",
        wishes->step, 1 / (fabs(wishes->step) * d->frequency));
}

rattle_status rattle__doctor_advice(rattle_doctor *doctor, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  if (!d->advice_method || !doctor->on || doctor->wrong) {
    d->advice_method = NULL;
    return RATTLE_OK;
  }
  rattle_status status = rattle__doctor_frequency(doctor, error);
  if (status) return status;
  const rattle_wishes *wishes = doctor->model ? rattle_model_wishes(doctor->model) : NULL;
  double asked = wishes && wishes->step != 0 ? fabs(wishes->step) : 0.01;
  d->advice_step = isfinite(d->frequency) ? step_of(d->frequency) : asked;
  trial t = {0};
  if (!doctor->options.no_trial) status = try_steps(doctor, &t, error);
  rattle_integrator_destroy(&t.integrator);
  free(t.z);
  if (!status) explain(doctor, t.steps);
  return status;
}
