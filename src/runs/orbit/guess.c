/* The closest return of a trajectory: |z(t) - z(0)|^2 in units of the amplitudes has a minimum
 * there, refined by a parabola. */
#include "runs/orbit/guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/flag.h"

enum { MOST_STEPS = 4000000 };

/* A return counts as one of the closest if its distance exceeds the least by no more than this part
 * of the largest distance; and is none, if the least is not below this part. */
static const double as_close = 0.02, no_return = 0.5;

typedef struct close_return {
  rattle__shooting *s;
  long long steps;
  double *square, *z; /* distances [steps + 1], a point [2n] */
  const double *start;
} close_return;

static rattle_status measure(close_return *it, double step, rattle_error *error) {
  rattle__shooting *s = it->s;
  rattle_state state = {
      .struct_size = sizeof state, .q = it->z, .p = it->z + s->n, .t0 = s->t0, .h = step};
  rattle_status status = RATTLE_OK;
  memcpy(it->z, it->start, (size_t)s->nz * sizeof *it->z);
  for (long long k = 1; k <= it->steps && !status; k++) {
    if (rattle__flag_is_set(s->interrupt))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted");
    status = rattle_integrator_step(rattle_tangent_integrator(s->at.tangent), &state, 1, error);
    double sum = 0;
    for (int c = 0; c < s->nz; c++) {
      const double off = (it->z[c] - it->start[c]) / rattle__shooting_unit(s, c);
      if (rattle__shooting_closes(s, c)) sum += off * off;
    }
    it->square[k] = sum;
  }
  return status;
}

/* The vertex of the parabola through three distances. */
static double vertex(const double *square, double *where) {
  const double slope = (square[2] - square[0]) / 2, curve = square[0] - 2 * square[1] + square[2];
  *where = curve > 0 ? -slope / curve : 0;
  return fmax(0, square[1] + slope * *where / 2);
}

/* The first minimum not above `limit`, as a number of steps; 0: none. The least of all: *least */
static double first_below(const close_return *it, double limit, double *least) {
  double first = 0, where;
  *least = (double)INFINITY;
  for (long long k = 1; k < it->steps; k++) {
    if (!(it->square[k - 1] > it->square[k] && it->square[k] <= it->square[k + 1])) continue;
    const double square = vertex(it->square + k - 1, &where);
    *least = fmin(*least, square);
    if (!(first > 0) && square <= limit) first = (double)k + where;
  }
  return first;
}

rattle_status rattle__orbit_guess(rattle__shooting *s, const double *z, double span, double step,
                                  double *period, rattle_error *error) {
  close_return it = {.s = s, .start = z, .steps = (long long)fmin(ceil(span / step), MOST_STEPS)};
  const rattle__array arrays[] = {{&it.square, (size_t)it.steps + 1}, {&it.z, (size_t)s->nz}};
  double *block = RATTLE__BLOCK(arrays), least, unused, most = 0;
  rattle_status status = block ? RATTLE_OK : rattle__no_memory(error);
  s->T = (double)it.steps * step;
  if (!status) status = rattle__shooting_nodes(s, z, 1, it.steps, error); /* for the units */
  if (!status) status = measure(&it, step, error);
  for (long long k = 1; k <= it.steps && !status; k++) most = fmax(most, sqrt(it.square[k]));
  if (!status) {
    first_below(&it, 0, &least);
    const double limit = sqrt(least) + as_close * most;
    *period = step * first_below(&it, limit * limit, &unused);
    if (!(sqrt(least) < no_return * most))
      status = rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                            "the trajectory does not return near its start within time %.6g: give "
                            "a period, or a later end",
                            span);
  }
  free(block);
  return status;
}
