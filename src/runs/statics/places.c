/* Places about an equilibrium under constraints on velocities, as if there were none of these. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/largest.h"
#include "runs/statics/statics.h"

/* At rest by the forces of the potential alone, in all directions that g = 0 leaves, with a
 * stiffness above round-off in each: what pulls still would move it by no more than round-off. */
static int is_least(rattle_equilibrium *s) {
  const double far = 16 * s->n * DBL_EPSILON * fmax(s->size, rattle__largest(s->z, s->n));
  rattle__statics_rounding(s, s->lambda);
  for (int i = 0; i < s->d; i++) {
    const double pull = fabs(rattle__statics_along(s, i, s->gamma));
    if (!(s->value[i] > rattle__statics_soft(s, i))) return 0;
    if (!(pull <= rattle__statics_noise(s, i)) &&
        !(pull / s->value[i] * rattle__statics_most_moved(s, i) <= far))
      return 0;
  }
  return 1;
}

rattle_status rattle__statics_in_places(rattle_equilibrium *s, int *least, rattle_error *error) {
  rattle_equilibrium places = {
      .problem = s->problem, .options = s->options, .positions = 1, .size = s->size};
  rattle_status status = rattle__statics_open(&places, error);
  if (!status) memcpy(places.z, s->z, 2 * (size_t)s->n * sizeof *s->z);
  if (!status) status = rattle__statics_reduce(&places, error);
  if (!status) status = rattle__statics_stiffness(&places, error);
  if (!status) status = rattle__statics_decompose(&places, error);
  if (!status) *least = is_least(&places), s->result.places = places.d - s->d;
  rattle__arena_release(&places.arena);
  return status;
}
