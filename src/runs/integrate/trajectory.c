/* Samples in memory. Columns grow together, by doubling; n, m, k: coordinates, constraints,
 * observables. */
#include "rattle/trajectory.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "runs/integrate/run_hooks.h"

enum { FIRST_ROOM = 256 };

/* The columns of a sample, in this order. */
enum { TIME, ENERGY, WORK, Q, P, G, PSI, MULTIPLIERS, OBSERVED, COLUMNS };

/* Samples of the run, or of an event. */
typedef struct kept_samples {
  rattle_samples samples;
  long long room; /* samples */
  long long *step;
  int *direction;
  double *column[COLUMNS];
  char *name;
} kept_samples;

struct rattle_trajectory {
  rattle_observer observer;
  size_t width[COLUMNS]; /* doubles in a row */
  kept_samples run;
  double fraction;      /* of the last sample of the run */
  kept_samples **event; /* [events]; NULL: it has not happened */
  int events;
};

static void show(kept_samples *kept) {
  double *const *column = kept->column;
  rattle_samples *s = &kept->samples;
  s->step = kept->step, s->direction = kept->direction, s->name = kept->name;
  s->time = column[TIME], s->energy = column[ENERGY], s->work = column[WORK];
  s->q = column[Q], s->p = column[P];
  s->g = column[G], s->psi = column[PSI], s->multipliers = column[MULTIPLIERS],
  s->observed = column[OBSERVED];
}

/* Columns that have grown when another cannot are larger than they need be. */
static rattle_status grow(kept_samples *kept, const size_t *width, rattle_error *error) {
  const long long room = kept->room ? 2 * kept->room : FIRST_ROOM;
  long long *step = realloc(kept->step, (size_t)room * sizeof *step);
  if (step) kept->step = step;
  int failed = !step;
  int *direction = kept->name ? realloc(kept->direction, (size_t)room * sizeof *direction) : NULL;
  if (direction) kept->direction = direction;
  failed |= kept->name && !direction;
  for (int c = 0; c < COLUMNS && !failed; c++) {
    if (width[c] == 0) continue;
    double *column = realloc(kept->column[c], (size_t)room * width[c] * sizeof *column);
    if (column) kept->column[c] = column;
    failed = !column;
  }
  show(kept);
  if (failed) return rattle__no_memory(error);
  kept->room = room;
  return RATTLE_OK;
}

static rattle_status begin(void *self, const rattle_integrator *integrator,
                           const rattle_sample *start, rattle_error *error) {
  const rattle_samples *own = &((rattle_trajectory *)self)->run.samples;
  const rattle_problem *problem = rattle__integrator_problem(integrator);
  const rattle_model *model = rattle_problem_model(problem);
  (void)start;
  if (rattle_problem_n(problem) == own->n && rattle_problem_m(problem) == own->m &&
      (model ? rattle_model_observables(model) : 0) == own->observables)
    return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_trajectory_observer",
                      "the trajectory belongs to a problem with n = %d, m = %d and %d observables; "
                      "the run has another one",
                      own->n, own->m, own->observables);
}

static rattle_status put(const rattle_trajectory *t, kept_samples *kept,
                         const rattle_sample *sample, int direction, rattle_error *error) {
  const long long k = kept->samples.count;
  rattle_status status = k < kept->room ? RATTLE_OK : grow(kept, t->width, error);
  if (status) return status;
  const double work = sample->work + sample->supplied;
  const double *row[COLUMNS] = {&sample->time, &sample->energy,     &work,
                                sample->q,     sample->p,           sample->g,
                                sample->psi,   sample->multipliers, sample->observed};
  kept->step[k] = sample->step;
  if (kept->direction) kept->direction[k] = direction;
  for (int c = 0; c < COLUMNS; c++)
    if (t->width[c] > 0)
      memcpy(kept->column[c] + (size_t)k * t->width[c], row[c], t->width[c] * sizeof **row);
  kept->samples.count++;
  return RATTLE_OK;
}

static rattle_status add(void *self, const rattle_sample *sample, rattle_error *error) {
  rattle_trajectory *t = self;
  const long long k = t->run.samples.count;
  const int known = k > 0 && t->run.step[k - 1] == sample->step && sample->fraction <= t->fraction;
  if (known) return RATTLE_OK;
  t->fraction = sample->fraction;
  return put(t, &t->run, sample, 0, error);
}

/* Room for an event that happens for the first time. */
static rattle_status add_event(rattle_trajectory *t, int event, const char *name,
                               rattle_error *error) {
  if (event >= t->events) {
    kept_samples **grown = realloc(t->event, ((size_t)event + 1) * sizeof *grown);
    if (!grown) return rattle__no_memory(error);
    t->event = grown;
    while (t->events <= event) grown[t->events++] = NULL;
  }
  kept_samples *kept = calloc(1, sizeof *kept);
  if (!kept || !(kept->name = strdup(name))) {
    free(kept);
    return rattle__no_memory(error);
  }
  const rattle_samples *own = &t->run.samples;
  kept->samples.n = own->n, kept->samples.m = own->m, kept->samples.observables = own->observables;
  t->event[event] = kept;
  return RATTLE_OK;
}

static rattle_status hear(void *self, const rattle_occurrence *occurrence, rattle_error *error) {
  rattle_trajectory *t = self;
  const int event = occurrence->event;
  rattle_status status = RATTLE_OK;
  if (event >= t->events || !t->event[event]) status = add_event(t, event, occurrence->name, error);
  return status ? status
                : put(t, t->event[event], occurrence->sample, occurrence->direction, error);
}

rattle_status rattle_trajectory_create(rattle_trajectory **trajectory,
                                       const rattle_problem *problem, rattle_error *error) {
  if (!trajectory || !problem)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_trajectory_create",
                        "rattle_trajectory_create: an argument is NULL");
  rattle_trajectory *t = *trajectory = calloc(1, sizeof *t);
  if (!t) return rattle__no_memory(error);
  const rattle_model *model = rattle_problem_model(problem);
  const int n = rattle_problem_n(problem), m = rattle_problem_m(problem),
            k = model ? rattle_model_observables(model) : 0;
  const int width[COLUMNS] = {1, 1, 1, n, n, m, m, m, k};
  for (int c = 0; c < COLUMNS; c++) t->width[c] = (size_t)width[c];
  t->run.samples.n = n, t->run.samples.m = m, t->run.samples.observables = k;
  t->observer = (rattle_observer){
      .struct_size = sizeof t->observer, .self = t, .begin = begin, .record = add, .event = hear};
  return RATTLE_OK;
}

rattle_observer *rattle_trajectory_observer(rattle_trajectory *trajectory) {
  return &trajectory->observer;
}

const rattle_samples *rattle_trajectory_samples(const rattle_trajectory *trajectory) {
  return &trajectory->run.samples;
}

int rattle_trajectory_events(const rattle_trajectory *trajectory) {
  return trajectory->events;
}

const rattle_samples *rattle_trajectory_event(const rattle_trajectory *trajectory, int event) {
  const int known = event >= 0 && event < trajectory->events && trajectory->event[event];
  return known ? &trajectory->event[event]->samples : NULL;
}

static void drop(kept_samples *kept) {
  for (int c = 0; c < COLUMNS; c++) free(kept->column[c]);
  free(kept->step), free(kept->direction), free(kept->name);
}

void rattle_trajectory_destroy(rattle_trajectory **trajectory) {
  rattle_trajectory *t = trajectory ? *trajectory : NULL;
  if (!t) return;
  drop(&t->run);
  for (int e = 0; e < t->events; e++) {
    if (!t->event[e]) continue;
    drop(t->event[e]);
    free(t->event[e]);
  }
  free(t->event), free(t);
  *trajectory = NULL;
}
