/* Samples in memory. Columns grow together, by doubling; n, m, k: coordinates, constraints, observables. */
#include "rattle/trajectory.h"

#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "integrate/run_hooks.h"

enum { FIRST_ROOM = 256 };

/* What a sample has, and in this order the columns. */
enum { TIME, ENERGY, Q, P, G, PSI, MULTIPLIERS, OBSERVED, COLUMNS };

struct rattle_trajectory {
  rattle_observer observer;
  rattle_samples samples;
  long long room; /* samples */
  long long *step;
  double *column[COLUMNS];
  size_t width[COLUMNS]; /* doubles in a row */
};

static void show(rattle_trajectory *t) {
  double *const *column = t->column;
  rattle_samples *s = &t->samples;
  s->step = t->step;
  s->time = column[TIME], s->energy = column[ENERGY], s->q = column[Q], s->p = column[P];
  s->g = column[G], s->psi = column[PSI], s->multipliers = column[MULTIPLIERS], s->observed = column[OBSERVED];
}

/* Columns that have grown when another cannot are larger than they need be. */
static rattle_status grow(rattle_trajectory *t, rattle_error *error) {
  const long long room = t->room ? 2 * t->room : FIRST_ROOM;
  long long *step = realloc(t->step, (size_t)room * sizeof *step);
  if (step) t->step = step;
  int failed = !step;
  for (int c = 0; c < COLUMNS && !failed; c++) {
    if (t->width[c] == 0) continue;
    double *column = realloc(t->column[c], (size_t)room * t->width[c] * sizeof *column);
    if (column) t->column[c] = column;
    failed = !column;
  }
  show(t);
  if (failed) return rattle__no_memory(error);
  t->room = room;
  return RATTLE_OK;
}

static rattle_status begin(void *self, const rattle_integrator *integrator, const rattle_sample *start, rattle_error *error) {
  const rattle_samples *own = &((rattle_trajectory *)self)->samples;
  const rattle_problem *problem = rattle__integrator_problem(integrator);
  const rattle_model *model = rattle_problem_model(problem);
  (void)start;
  if (rattle_problem_n(problem) == own->n && rattle_problem_m(problem) == own->m &&
      (model ? rattle_model_observables(model) : 0) == own->observables)
    return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_trajectory_observer",
                      "the trajectory belongs to a problem with n = %d, m = %d and %d observables; the run has another one",
                      own->n, own->m, own->observables);
}

static rattle_status add(void *self, const rattle_sample *sample, rattle_error *error) {
  rattle_trajectory *t = self;
  const long long k = t->samples.count;
  if (k > 0 && t->step[k - 1] == sample->step) return RATTLE_OK;
  rattle_status status = k < t->room ? RATTLE_OK : grow(t, error);
  if (status) return status;
  const double *row[COLUMNS] = {&sample->time, &sample->energy, sample->q,           sample->p,
                                sample->g,     sample->psi,     sample->multipliers, sample->observed};
  t->step[k] = sample->step;
  for (int c = 0; c < COLUMNS; c++)
    if (t->width[c] > 0) memcpy(t->column[c] + (size_t)k * t->width[c], row[c], t->width[c] * sizeof **row);
  t->samples.count++;
  return RATTLE_OK;
}

rattle_status rattle_trajectory_create(rattle_trajectory **trajectory, const rattle_problem *problem, rattle_error *error) {
  if (!trajectory || !problem)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_trajectory_create", "rattle_trajectory_create: an argument is NULL");
  rattle_trajectory *t = *trajectory = calloc(1, sizeof *t);
  if (!t) return rattle__no_memory(error);
  const rattle_model *model = rattle_problem_model(problem);
  const int n = rattle_problem_n(problem), m = rattle_problem_m(problem), k = model ? rattle_model_observables(model) : 0;
  const int width[COLUMNS] = {1, 1, n, n, m, m, m, k};
  for (int c = 0; c < COLUMNS; c++) t->width[c] = (size_t)width[c];
  t->samples.n = n, t->samples.m = m, t->samples.observables = k;
  t->observer = (rattle_observer){.struct_size = sizeof t->observer, .self = t, .begin = begin, .record = add};
  return RATTLE_OK;
}

rattle_observer *rattle_trajectory_observer(rattle_trajectory *trajectory) {
  return &trajectory->observer;
}

const rattle_samples *rattle_trajectory_samples(const rattle_trajectory *trajectory) {
  return &trajectory->samples;
}

void rattle_trajectory_destroy(rattle_trajectory **trajectory) {
  rattle_trajectory *t = trajectory ? *trajectory : NULL;
  if (!t) return;
  for (int c = 0; c < COLUMNS; c++) free(t->column[c]);
  free(t->step), free(t);
  *trajectory = NULL;
}
