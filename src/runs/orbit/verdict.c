/* The stability of an orbit, and how often it runs through the least period. */
#include <math.h>
#include <stdlib.h>

#include "runs/orbit/orbit.h"

enum { MOST_REPEATS = 12 };

/* Multipliers this near to the unit circle count as on it: where symmetries make several of them 1,
 * round-off splits these by its root. */
static const double on_circle = 1e-4;
/* A part of the period closes if its ends are so near, in parts of the amplitudes. */
static const double closed = 1e-6;

/* The verdict by the multiplier of the largest modulus. */
static const char *unstable_kind(const rattle_orbit_result *r) {
  if (r->imaginary[0] != 0)
    return "unstable: complex multipliers are outside the unit circle, which circle around as they "
           "grow";
  if (r->real[0] < 0)
    return "unstable: a multiplier is below -1, and nearby motions leave the orbit on alternating "
           "sides";
  return "unstable: a multiplier is above 1, and nearby motions leave the orbit exponentially";
}

void rattle__orbit_judge(rattle_orbit *o) {
  rattle_orbit_result *r = &o->r;
  const double margin = fmax(on_circle, 10 * r->radius_error);
  r->verdict = "stable";
  if (isnan(r->radius))
    r->why = "stable: there are no multipliers but those of the flow and of the energy";
  else if (r->radius > 1 + margin)
    r->verdict = "unstable", r->why = unstable_kind(r);
  else if (r->radius < 1 - margin)
    r->why =
        "stable: all multipliers are inside the unit circle, and nearby motions approach the orbit";
  else if (margin > 0.1)
    r->verdict = "undecided",
    r->why = "undecided: the multipliers depend on the step; use a smaller one";
  else
    r->why = "stable: no multiplier is outside the unit circle, to first order in the distance "
             "from the orbit";
}

rattle_status rattle__orbit_count_repeats(rattle_orbit *o, rattle_error *error) {
  rattle__shooting *s = &o->s;
  double *z = malloc(MOST_REPEATS * (size_t)s->nz * sizeof *z);
  rattle_status status = z ? RATTLE_OK : rattle__no_memory(error);
  o->r.repeats = 1;
  for (int count = 2; count <= MOST_REPEATS && !status && s->clock < 0; count++) {
    if (o->r.steps % count) continue;
    status = rattle__shooting_points(s, count, z, error);
    double off = 0;
    for (int c = 0; c < s->nz && !status; c++)
      off = fmax(off, fabs(z[s->nz + c] - z[c]) / rattle__shooting_unit(s, c));
    if (!status && off < closed) o->r.repeats = count;
  }
  free(z);
  return status;
}
