/* Samples in memory, read by the functions of records: what makes pages of records makes those of
 * runs that no file has. */
#include "memory.h"

#include <math.h>
#include <string.h>

struct rattle_record {
  rattle_record_info info;
  const rattle_samples *samples;
};
static rattle_record record; /* one at a time */

const rattle_record *memory_record(const rattle_record_info *info, const rattle_samples *samples) {
  record = (rattle_record){*info, samples};
  return &record;
}

const rattle_record_info *rattle_record_info_of(const rattle_record *of) {
  return &of->info;
}

static void take(double *to, const double *from, long long first, long long count, int width) {
  if (to && from) memcpy(to, from + first * width, (size_t)(count * width) * sizeof *to);
}

rattle_status rattle_record_read(const rattle_record *of, long long first, long long count,
                                 double *time, double *energy, double *q, double *p,
                                 double *multipliers, double *observed, rattle_error *error) {
  const rattle_samples *s = of->samples;
  (void)error;
  take(time, s->time, first, count, 1), take(energy, s->energy, first, count, 1);
  take(q, s->q, first, count, s->n), take(p, s->p, first, count, s->n);
  take(multipliers, s->multipliers, first, count, s->m);
  /* those that a drawing adds stand behind those of the model */
  const int width = of->info.observables;
  for (long long i = 0; observed && i < count; i++)
    take(observed + i * width, s->observed + (first + i) * s->observables, 0, 1, width);
  return RATTLE_OK;
}

static double largest(const double *row, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(row[i]) <= most)) most = fabs(row[i]);
  return most;
}

static double value(const rattle_samples *s, rattle_column column, long long i) {
  switch (column.quantity) {
  case RATTLE_STEP_NUMBER:
    return (double)s->step[i];
  case RATTLE_CONSTRAINT:
    return largest(s->g + i * s->m, s->m);
  case RATTLE_HIDDEN:
    return largest(s->psi + i * s->m, s->m);
  case RATTLE_WORK:
    return s->work[i];
  case RATTLE_HAMILTONIAN:
    return s->energy[i] + s->work[i];
  default:
    return (double)NAN;
  }
}

rattle_status rattle_record_read_column(const rattle_record *of, rattle_column column,
                                        long long first, long long count, double *values,
                                        rattle_error *error) {
  (void)error;
  for (long long i = 0; i < count; i++) values[i] = value(of->samples, column, first + i);
  return RATTLE_OK;
}
