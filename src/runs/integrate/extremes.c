/* Least and largest values of observables over a run, and their means over time.
 *
 * Symbols: t [0] the start, t [1] the last value so far; the mean is kept as an integral until the
 * end. */
#include <math.h>
#include <string.h>

#include "runs/integrate/run_hooks.h"
#include "runs/integrate/run_state.h"

static void spoil(rattle_extreme *x) {
  x->least = x->least_time = x->peak = x->peak_time = x->mean = (double)NAN;
}

/* The values at a point: the first of the run, or the next. */
static void note(rattle__run *d, double time, int first) {
  rattle_extreme *of = d->options->extremes;
  for (int i = 0; i < d->observables; i++) d->observed[i] = (double)NAN;
  rattle__probe_place(d->probe, d->q, d->p);
  (void)rattle__probe_observe(d->probe, d->observed, NULL);
  for (int i = 0; i < d->observables; i++, of++) {
    const double now = d->observed[i];
    if (first) *of = (rattle_extreme){now, time, now, time, 0};
    if (!isfinite(now) || isnan(of->least)) {
      spoil(of);
      continue;
    }
    if (now < of->least) of->least = now, of->least_time = time;
    if (now > of->peak) of->peak = now, of->peak_time = time;
    if (!first) of->mean += 0.5 * (time - d->noted_time) * (now + d->noted[i]);
    d->noted[i] = now;
  }
  d->noted_time = time;
}

rattle_status rattle__run_note(rattle__run *d, int first, rattle_error *error) {
  if (!d->options->extremes || !d->observables) return RATTLE_OK;
  const rattle_status status = rattle_integrator_output(d->integrator, d->state, d->q, d->p, error);
  if (!status) note(d, rattle_integrator_time(d->integrator, d->state), first);
  return rattle__answers_end(d->answers, status, error);
}

void rattle__run_note_end(rattle__run *d, double time) {
  if (d->options->extremes && d->observables) note(d, time, 0);
}

void rattle__run_means(const rattle__run *d) {
  rattle_extreme *of = d->options->extremes;
  const double span = d->noted_time - d->summary.start;
  for (int i = 0; of && i < d->observables; i++, of++)
    of->mean = isnan(of->least) ? (double)NAN : span != 0 ? of->mean / span : d->noted[i];
}
