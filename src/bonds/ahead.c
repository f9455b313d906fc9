/* The stage of velocities before half a step of forces. Most clusters take the half step where they
 * are loaded (ahead.h); for the others it is added to a copy of all velocities. */
#include <math.h>
#include <stdlib.h>

#include "bonds/bonds.h"
#include "bonds/flat.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"

/* True if each cluster is solved as a group of its shape, in whose text the half step is: no
 * pieces, no lines, no rigid bodies, no bonds that are checked afterwards. */
static int in_groups(const rattle_bonds *b) {
  int all = !b->solids && !b->repeateds;
  for (const rattle__bond_shape *s = b->shape; s && all; s = s->next) all = !s->cut && !s->bodies;
  return all;
}

/* Room for two copies, and which atoms have bonds or are in a body: made once, where they are
 * needed. */
static int make_room(rattle_bonds *b) {
  if (b->copies) return 1;
  b->held = calloc((size_t)b->atoms, 1);
  if (b->held) b->copies = malloc(6 * (size_t)b->atoms * sizeof *b->copies);
  if (!b->copies) return free(b->held), b->held = NULL, 0;
  for (const rattle__bond_shape *s = b->shape; s; s = s->next)
    for (long long k = 0; k < s->groups * s->atoms * s->width; k++) b->held[s->place[k] / 3] = 1;
  for (int k = 0; k < b->solids; k++)
    for (int i = 0; i < b->solid[k].atoms; i++) b->held[b->solid[k].atom[i]] = 1;
  return 1;
}

static rattle_status on_a_copy(rattle_bonds *b, rattle__bond_stage *stage, rattle_error *error) {
  const rattle_bonds_half_step *half = stage->ahead;
  const size_t n = 3 * (size_t)b->atoms;
  double *const v = stage->v;
  const double *const x = stage->x;
  if (!make_room(b)) return rattle__no_memory(error);
  double *before = b->copies, *after = before + n;
  for (size_t i = 0; i < n; i++)
    before[i] = after[i] = v[i] + half->by * b->inverse[i / 3] * half->f[i];
  for (size_t i = 0; i < n && half->x0; i++)
    if (b->held[i / 3]) half->x0[i] = x[i];
  stage->v = after, stage->ahead = NULL;
  const rattle_status status = rattle__bonds_run_all(b, stage, NULL, error);
  for (size_t i = 0; i < n; i++) {
    if (!b->held[i / 3]) continue;
    const double change = after[i] - before[i], inverse = b->inverse[i / 3];
    if (!status || fabs(change) > 0) v[i] = after[i] - half->by * inverse * half->f[i];
    if (half->forces) half->forces[i] = inverse > 0 ? half->scale / inverse * change : 0;
  }
  return status;
}

rattle_status rattle_bonds_velocities_ahead(rattle_bonds *bonds, const double *x, double *v,
                                            const rattle_bonds_half_step *given,
                                            const rattle_bonds_box *box, rattle_error *error) {
  rattle_bonds_half_step half;
  rattle_status status = RATTLE__TAKE(&half, rattle_bonds_half_step, forces, given, error);
  if (!status && (!half.f || !isfinite(half.by)))
    status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "half",
                          "the half step is %g%s: give forces, and a finite number", half.by,
                          half.f ? "" : " of no forces");
  rattle__bond_stage stage = {.x = (double *)x, .v = v, .box = box, .ahead = &half};
  if (half.scale == 0) half.scale = 1;
  if (!status) status = rattle__bonds_ready(bonds, &stage, error);
  if (status) return status;
  return in_groups(bonds) ? rattle__bonds_run(bonds, &stage, error)
                          : on_a_copy(bonds, &stage, error);
}
