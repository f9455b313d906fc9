/* Bonds as the library's users see them: made once, then two stages a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/solvers.h"
#include "support/error.h"
#include "support/sized.h"

rattle_status rattle_bonds_create(rattle_bonds **bonds, const rattle_bonds_topology *given, const rattle_bonds_options *options,
                                  rattle_error *error) {
  rattle_bonds_topology topology;
  rattle_bonds_options own;
  *bonds = NULL;
  rattle_status status = RATTLE__TAKE(&topology, rattle_bonds_topology, masses, given, error);
  if (!status) status = RATTLE__TAKE(&own, rattle_bonds_options, instructions, options, error);
  if (status) return status;
  if (own.tolerance != 0 && !(own.tolerance >= 1e-15 && own.tolerance < 0.1))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "tolerance",
                        "the tolerance is %g: give a relative error of lengths from 1e-15 to 0.1, or 0 for 1e-12", own.tolerance);
  const rattle__bond_kernel *kernel = rattle__bond_kernel_of(own.instructions);
  if (!kernel)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "instructions",
                        "this processor has no '%s': leave it NULL, or give \"plain\"", own.instructions);
  rattle_bonds *b = calloc(1, sizeof *b);
  if (!b) return rattle__no_memory(error);
  b->tolerance = own.tolerance > 0 ? own.tolerance : 1e-12;
  b->kernel = kernel;
  b->atoms = topology.atoms, b->bonds = topology.bonds;
  b->pair = rattle__arena_take(&b->arena, ((size_t)topology.bonds * 2 + 1) * sizeof *b->pair);
  status = b->pair ? rattle__bonds_cluster(b, &topology, error) : rattle__no_memory(error);
  if (!status && topology.bonds) memcpy(b->pair, topology.pairs, (size_t)topology.bonds * 2 * sizeof *b->pair);
  if (!status) status = rattle__bonds_choose(b, &own, error);
  if (status) {
    rattle_bonds_destroy(&b);
    return status;
  }
  *bonds = b;
  return RATTLE_OK;
}

void rattle_bonds_destroy(rattle_bonds **bonds) {
  if (!bonds || !*bonds) return;
  rattle__arena_release(&(*bonds)->arena);
  free(*bonds);
  *bonds = NULL;
}

rattle_status rattle_bonds_summarise(const rattle_bonds *bonds, rattle_bonds_summary *summary, rattle_error *error) {
  size_t shown = 0;
  rattle_status status = rattle__size_check(summary->struct_size, RATTLE__UP_TO(rattle_bonds_summary, instructions),
                                            sizeof *summary, "rattle_bonds_summary", &shown, error);
  if (status) return status;
  const rattle_bonds_summary all = {.struct_size = summary->struct_size,
                                    .atoms = bonds->bonded,
                                    .bonds = bonds->bonds,
                                    .clusters = bonds->clusters,
                                    .shapes = bonds->shapes,
                                    .largest = bonds->largest,
                                    .rings = bonds->bonds - bonds->bonded + bonds->clusters,
                                    .width = bonds->kernel->width,
                                    .instructions = bonds->kernel->name};
  memcpy(summary, &all, shown);
  return RATTLE_OK;
}

static rattle_status run(rattle_bonds *b, const rattle__bond_stage *stage, int positions, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  double *room = aligned_alloc(64, (b->room * sizeof *room + 127) / 64 * 64);
  if (!room) return rattle__no_memory(error);
  for (const rattle__bond_shape *s = b->shape; s; s = s->next) {
    rattle__bond_failure failure = {.cluster = -1};
    rattle__bond_stage_of *make = positions ? s->solver->positions : s->solver->velocities;
    make(s, stage, 0, s->groups, room, &failure);
    if (failure.cluster >= 0 && !status) status = rattle__bond_failed(b, s, stage, &failure, error);
  }
  free(room);
  return status;
}

static rattle_status check_box(const rattle_bonds_box *box, rattle_error *error) {
  for (int e = 0; box && e < 3; e++)
    for (int d = 0; d < 3; d++)
      if (!isfinite(box->edge[e][d]) || (d > e && box->edge[e][d] != 0) || (d == e && !(box->edge[e][d] > 0)))
        return rattle__fail(
            error, RATTLE_BAD_ARGUMENT, "box",
            "edge %d of the box has the component %d = %g: edges are (a_x, 0, 0), (b_x, b_y, 0) and (c_x, c_y, c_z), "
            "with a_x, b_y and c_z above 0",
            e, d, box->edge[e][d]);
  return RATTLE_OK;
}

rattle_status rattle_bonds_positions(rattle_bonds *bonds, const double *x0, double *x, double *v, double h,
                                     const rattle_bonds_box *box, rattle_error *error) {
  rattle_status status = check_box(box, error);
  if (!status && v && !(fabs(h) > 0 && isfinite(h)))
    status =
        rattle__fail(error, RATTLE_BAD_ARGUMENT, "h", "the step is %g: velocities change by the change of positions over it", h);
  const rattle__bond_stage stage = {.x0 = x0, .x = x, .v = v, .by_h = v ? 1 / h : 0, .box = box, .tolerance = bonds->tolerance};
  return status ? status : run(bonds, &stage, 1, error);
}

rattle_status rattle_bonds_velocities(rattle_bonds *bonds, const double *x, double *v, const rattle_bonds_box *box,
                                      rattle_error *error) {
  rattle_status status = check_box(box, error);
  const rattle__bond_stage stage = {.x = (double *)x, .v = v, .box = box, .tolerance = bonds->tolerance};
  return status ? status : run(bonds, &stage, 0, error);
}
