/* Bonds as the library's users see them: made once, then two stages a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/flat.h"
#include "bonds/prepare.h"
#include "bonds/solvers.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"

static rattle_status note_masses(rattle_bonds *b, const rattle_bonds_topology *topology,
                                 rattle_error *error) {
  b->inverse = rattle__arena_take(&b->arena, (size_t)b->atoms * sizeof *b->inverse);
  for (long long a = 0; a < b->atoms && b->inverse; a++)
    b->inverse[a] = topology->masses[a] > 0 ? 1 / topology->masses[a] : 0;
  return b->inverse ? RATTLE_OK : rattle__no_memory(error);
}

/* Degrees of freedom that each bond of a line takes: an inner atom takes three, the length one
 * unless it follows from other bonds; the bonds of the line share the sum. */
static rattle_status share_lines(rattle_bonds *b, const rattle__bond_lines *l,
                                 rattle_error *error) {
  double *taken = b->taken = rattle__arena_doubles(&b->arena, (size_t)b->bonds);
  int *bonds = calloc((size_t)l->count, sizeof *bonds);
  if (!taken || !bonds) return free(bonds), rattle__no_memory(error);
  b->lines = l->count;
  for (long long k = 0; k < b->bonds; k++) taken[k] = 1;
  for (long long k = 0; k < b->repeateds; k++) taken[b->repeated[k]] = 0;
  for (long long k = 0; k < b->bonds; k++)
    if (l->of_bond[k] >= 0 && taken[k] > 0) bonds[l->of_bond[k]]++;
  for (long long k = 0; k < b->bonds; k++) {
    const int line = l->of_bond[k];
    if (line < 0 || !(taken[k] > 0)) continue;
    const int atoms = l->first[line + 1] - l->first[line], kept = bonds[line] == l->bonds[line];
    taken[k] = (double)(3 * (atoms - 2) + kept) / bonds[line];
  }
  free(bonds);
  return RATTLE_OK;
}

/* The distances of a rigid body of n atoms together take 3 n - 6. */
static rattle_status share_flats(rattle_bonds *b, const rattle__bond_prepared *p,
                                 rattle_error *error) {
  const rattle__bond_flats *f = &p->flats;
  if (!f->count) return RATTLE_OK;
  if (!b->taken) {
    b->taken = rattle__arena_doubles(&b->arena, (size_t)b->bonds);
    if (!b->taken) return rattle__no_memory(error);
    for (long long k = 0; k < b->bonds; k++) b->taken[k] = 1;
    for (long long k = 0; k < b->repeateds; k++) b->taken[b->repeated[k]] = 0;
  }
  int *atoms = calloc((size_t)b->atoms, sizeof *atoms);
  if (!atoms) return rattle__no_memory(error);
  for (int k = 0; k < f->count; k++)
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
      atoms[f->atom[e]] = f->first[k + 1] - f->first[k];
  for (long long k = 0; k < b->bonds; k++) {
    const double n = atoms[b->pair[2 * k]];
    if (f->of_bond[k]) b->taken[k] = (3 * n - 6) / (n * (n - 1) / 2);
  }
  free(atoms);
  return RATTLE_OK;
}

/* Keeps the bonds that errors name and the bonds left out; from here on s->number counts all
 * bonds. */
static rattle_status keep(rattle_bonds *b, const rattle__bond_prepared *p, rattle_error *error) {
  const size_t all = (size_t)p->all, out = (size_t)p->left_outs;
  b->bonds = p->all, b->repeateds = p->left_outs;
  b->pair = rattle__arena_take(&b->arena, (2 * all + 1) * sizeof *b->pair);
  b->repeated = rattle__arena_take(&b->arena, (out + 1) * sizeof *b->repeated);
  b->repeated_length = rattle__arena_doubles(&b->arena, out + 1);
  if (b->arena.failed) return rattle__no_memory(error);
  memcpy(b->pair, p->pair, 2 * all * sizeof *b->pair);
  memcpy(b->repeated, p->left_out, out * sizeof *b->repeated);
  for (size_t k = 0; k < out; k++) b->repeated_length[k] = p->length[p->left_out[k]];
  b->shortest = (double)INFINITY;
  for (size_t k = 0; k < all; k++)
    b->shortest = fmin(b->shortest, p->length[k]), b->longest = fmax(b->longest, p->length[k]);
  for (rattle__bond_shape *s = b->shape; s; s = s->next)
    for (long long k = 0; k < s->clusters * s->bonds; k++) s->number[k] = p->number[s->number[k]];
  const rattle_status status = p->lines.count ? share_lines(b, &p->lines, error) : RATTLE_OK;
  return status ? status : share_flats(b, p, error);
}

static rattle_status build(rattle_bonds *b, const rattle_bonds_topology *topology,
                           const rattle_bonds_options *options, rattle_error *error) {
  rattle__bond_prepared prepared = {0};
  b->atoms = topology->atoms;
  b->in_pieces = rattle__bonds_want_newton(options);
  rattle_status status = rattle__bonds_check(topology, error);
  if (!status) status = rattle__bonds_prepare(&prepared, topology, b->tolerance, error);
  if (!status) status = rattle__bonds_cluster(b, &prepared, error);
  if (!status) status = keep(b, &prepared, error);
  if (!status) status = rattle__bonds_make_solids(b, &prepared, topology, error);
  if (!status) status = note_masses(b, topology, error);
  if (!status) status = rattle__bonds_choose(b, options, error);
  if (!status) status = rattle__bonds_share(b, options->threads > 0 ? options->threads : 1, error);
  rattle__bonds_release(&prepared);
  return status;
}

rattle_status rattle_bonds_create(rattle_bonds **bonds, const rattle_bonds_topology *given,
                                  const rattle_bonds_options *options, rattle_error *error) {
  rattle_bonds_topology topology;
  rattle_bonds_options own;
  *bonds = NULL;
  rattle_status status = RATTLE__TAKE(&topology, rattle_bonds_topology, masses, given, error);
  if (!status) status = RATTLE__TAKE(&own, rattle_bonds_options, instructions, options, error);
  if (status) return status;
  if (own.tolerance != 0 && !(own.tolerance >= 1e-15 && own.tolerance < 0.1))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "tolerance",
                        "the tolerance is %g: give a relative error of lengths from 1e-15, which "
                        "numbers of 53 bits reach, to "
                        "0.1, or 0 for 1e-12",
                        own.tolerance);
  if (own.threads < 0 || own.threads > 4096)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "threads",
                        "%d threads: give 1 to 4096, or 0 for one", own.threads);
  const rattle__bond_kernel *kernel = rattle__bond_kernel_of(own.instructions);
  if (!kernel)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "instructions",
                        "this processor has no '%s': leave it NULL, or give \"plain\"",
                        own.instructions);
  rattle_bonds *b = calloc(1, sizeof *b);
  if (!b) return rattle__no_memory(error);
  b->tolerance = own.tolerance > 0 ? own.tolerance : 1e-12;
  b->kernel = kernel, b->kernel_given = own.instructions != NULL;
  status = build(b, &topology, &own, error);
  if (status) {
    rattle_bonds_destroy(&b);
    return status;
  }
  *bonds = b;
  return RATTLE_OK;
}

void rattle_bonds_destroy(rattle_bonds **bonds) {
  if (!bonds || !*bonds) return;
  rattle__team_destroy(&(*bonds)->team);
  rattle__arena_release(&(*bonds)->arena);
  free((*bonds)->copies), free((*bonds)->held);
  free(*bonds);
  *bonds = NULL;
}

const int *rattle_bonds_repeated(const rattle_bonds *bonds, long long *count) {
  *count = bonds->repeateds;
  return bonds->repeated;
}

rattle_status rattle_bonds_summarise(const rattle_bonds *bonds, rattle_bonds_summary *summary,
                                     rattle_error *error) {
  size_t shown = 0;
  rattle_status status =
      rattle__size_check(summary->struct_size, RATTLE__UP_TO(rattle_bonds_summary, instructions),
                         sizeof *summary, "rattle_bonds_summary", &shown, error);
  if (status) return status;
  const rattle_bonds_summary all = {.struct_size = summary->struct_size,
                                    .atoms = bonds->bonded,
                                    .bonds = bonds->bonds,
                                    .clusters = bonds->clusters,
                                    .shapes = bonds->shapes,
                                    .largest = bonds->largest,
                                    .rings = bonds->bonds - bonds->repeateds - bonds->bonded +
                                             bonds->clusters,
                                    .width = bonds->kernel->width,
                                    .instructions = bonds->kernel->name,
                                    .repeated = bonds->repeateds,
                                    .lines = bonds->lines,
                                    .rigid = bonds->solids};
  memcpy(summary, &all, shown);
  return RATTLE_OK;
}

/* Images are taken along c, b and a in turn, each by the component that its edge alone has: that of
 * a bond is shorter than half of this. */
static rattle_status check_box(const rattle_bonds *b, const rattle_bonds_box *box,
                               rattle_error *error) {
  rattle_status status = rattle__bonds_check_box(box, error);
  for (int e = 0; box && e < 3 && !status; e++)
    if (!(2 * b->longest < box->edge[e][e]))
      status =
          rattle__fail(error, RATTLE_BAD_ARGUMENT, "box",
                       "the box is %g wide along %c, and the longest bond or distance of an angle "
                       "is %g, which is not shorter than half of that: nearest images are not "
                       "those of the bond; give a larger box, or none for whole molecules",
                       box->edge[e][e], "xyz"[e], b -> longest);
  return status;
}

/* If bonds repeat others, the others are solved better than the tolerance, so that the repeated
 * ones are within it. So are all bonds of floats, because stored results are rounded. */
static double tolerance_of(const rattle_bonds *b, int single) {
  return single         ? fmax(b->tolerance / 64, 1e-13)
         : b->repeateds ? fmax(b->tolerance / 16, 1e-15)
                        : b->tolerance;
}

rattle_status rattle__bonds_ready(const rattle_bonds *b, rattle__bond_stage *stage,
                                  rattle_error *error) {
  stage->tolerance = tolerance_of(b, stage->single);
  const rattle_status status = check_box(b, stage->box, error);
  return status ? status : rattle__bonds_check_reach(b, stage, error);
}

rattle_status rattle__bonds_run_all(rattle_bonds *b, const rattle__bond_stage *stage,
                                    double *virial, rattle_error *error) {
  rattle_status status = rattle__bonds_run(b, stage, error);
  if (!status && b->repeateds) status = rattle__bonds_check_repeated(b, stage, error);
  if (virial) rattle__bonds_virial(b, virial);
  if (!b->solids) return status;
  const rattle_status of_solids = rattle__bonds_run_solids(b, stage, virial, status ? NULL : error);
  return status ? status : of_solids;
}

/* A stage, with its outputs. */
static rattle_status run(rattle_bonds *b, rattle__bond_stage *stage,
                         const rattle_bonds_outputs *given, rattle_error *error) {
  rattle_bonds_outputs own;
  rattle_status status = RATTLE__TAKE(&own, rattle_bonds_outputs, scale, given, error);
  if (!status) status = rattle__bonds_ready(b, stage, error);
  if (status) return status;
  const rattle__bond_output output = {own.multipliers, own.forces, own.scale == 0 ? 1 : own.scale};
  if (own.multipliers || own.forces || own.virial) stage->output = &output;
  if (own.multipliers) memset(own.multipliers, 0, (size_t)b->bonds * sizeof(double));
  if (own.forces) memset(own.forces, 0, 3 * (size_t)b->atoms * sizeof(double));
  return rattle__bonds_run_all(b, stage, own.virial, error);
}

static rattle_status run_positions(rattle_bonds *b, rattle__bond_stage *stage, double h,
                                   const rattle_bonds_outputs *outputs, rattle_error *error) {
  if (stage->v && !(isfinite(h) && isfinite(1 / h)))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "h",
                        "the step is %g: velocities change by the change of positions over it, and "
                        "1/h must be a finite number",
                        h);
  stage->by_h = stage->v ? 1 / h : 0;
  return run(b, stage, outputs, error);
}

rattle_status rattle_bonds_positions_out(rattle_bonds *bonds, const double *x0, double *x,
                                         double *v, double h, const rattle_bonds_box *box,
                                         const rattle_bonds_outputs *outputs, rattle_error *error) {
  rattle__bond_stage stage = {.x0 = x0, .x = x, .v = v, .box = box};
  return run_positions(bonds, &stage, h, outputs, error);
}

rattle_status rattle_bonds_velocities_out(rattle_bonds *bonds, const double *x, double *v,
                                          const rattle_bonds_box *box,
                                          const rattle_bonds_outputs *outputs,
                                          rattle_error *error) {
  rattle__bond_stage stage = {.x = (double *)x, .v = v, .box = box};
  return run(bonds, &stage, outputs, error);
}

rattle_status rattle_bonds_positions_float(rattle_bonds *bonds, const float *x0, float *x, float *v,
                                           double h, const rattle_bonds_box *box,
                                           const rattle_bonds_outputs *outputs,
                                           rattle_error *error) {
  rattle__bond_stage stage = {.x0 = x0, .x = x, .v = v, .single = 1, .box = box};
  return run_positions(bonds, &stage, h, outputs, error);
}

rattle_status rattle_bonds_velocities_float(rattle_bonds *bonds, const float *x, float *v,
                                            const rattle_bonds_box *box,
                                            const rattle_bonds_outputs *outputs,
                                            rattle_error *error) {
  rattle__bond_stage stage = {.x = (float *)x, .v = v, .single = 1, .box = box};
  return run(bonds, &stage, outputs, error);
}

rattle_status rattle_bonds_positions(rattle_bonds *bonds, const double *x0, double *x, double *v,
                                     double h, const rattle_bonds_box *box, rattle_error *error) {
  return rattle_bonds_positions_out(bonds, x0, x, v, h, box, NULL, error);
}

rattle_status rattle_bonds_velocities(rattle_bonds *bonds, const double *x, double *v,
                                      const rattle_bonds_box *box, rattle_error *error) {
  return rattle_bonds_velocities_out(bonds, x, v, box, NULL, error);
}

/* of bond k; *out: of those that repeat others, how many came before it */
static double taken_of(const rattle_bonds *b, long long k, long long *out) {
  const int repeats = *out < b->repeateds && b->repeated[*out] == k;
  *out += repeats;
  return b->taken ? b->taken[k] : !repeats;
}

void rattle_bonds_taken(const rattle_bonds *bonds, double *taken) {
  for (long long k = 0, out = 0; k < bonds->bonds; k++) taken[k] = taken_of(bonds, k, &out);
}

/* Adds what body k takes; -1, or the atom whose group there is not. */
static int add_body(const rattle__bond_solid *s, const int *group, int groups, double *removed) {
  for (int i = 0; i < s->atoms; i++) {
    const int g = group[s->atom[i]];
    if (g >= groups) return s->atom[i];
    if (g >= 0) removed[g] += 3 - rattle__bonds_left_to(s, i);
  }
  return -1;
}

static rattle_status no_group(int atom, int group, int groups, rattle_error *error) {
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "group",
                      "atom %d is in group %d of %d: give 0 to %d, or -1 for none", atom, group,
                      groups, groups - 1);
}

rattle_status rattle_bonds_removed(const rattle_bonds *bonds, const int *group, int groups,
                                   double *removed, rattle_error *error) {
  for (int g = 0; g < groups; g++) removed[g] = 0;
  for (long long k = 0, out = 0; k < bonds->bonds; k++) {
    const int *pair = bonds->pair + 2 * k;
    const double taken = taken_of(bonds, k, &out), a = bonds->inverse[pair[0]],
                 b = bonds->inverse[pair[1]];
    const double share[] = {a / (a + b), b / (a + b)};
    for (int e = 0; e < 2; e++) {
      const int g = group[pair[e]];
      if (g >= groups) return no_group(pair[e], g, groups, error);
      if (g >= 0 && g != group[pair[1 - e]]) removed[g] += share[e] * taken;
    }
    if (group[pair[0]] >= 0 && group[pair[0]] == group[pair[1]]) removed[group[pair[0]]] += taken;
  }
  for (int k = bonds->solids - bonds->bodies; k < bonds->solids; k++) {
    const int atom = add_body(&bonds->solid[k], group, groups, removed);
    if (atom >= 0) return no_group(atom, group[atom], groups, error);
  }
  return RATTLE_OK;
}
