/* project(map, position|momentum|both|symmetric): points moved back onto the constraints after each step of a map that keeps them
 * only as well as it is accurate.
 *
 * Map      z1 = P phi_h(z0); P: onto g = 0, onto psi = 0, or first the one and then the other (onto.c). project_symmetric.c makes
 *          the symmetric one. tol=: a part of P is done only where max |g_i|, or max |psi_i|, is above it.  every=k: P at every
 *          k-th step.  project=output: P of what is put out, the steps being those of phi
 * Source   seed 003, section 7; J. Alishenas, O. Olafsson, BIT 34 (1994) 455
 * Claims   the order of the map where its field knows the constraints, else 1; g = 0, psi = 0 at round-off where P is done at
 * each step; never symplectic. With tol=: |g_i|, |psi_i| at most tol after each step Impetus  p of the state is p*: the
 * projection of momenta is the resetting p* <- p* - G^T lambda, a gauge transformation that changes no momentum that is shown
 * Second   class: the constraints are all there are; `both` and `position` move z onto them
 * State    every=k counts the steps since the last projection, declared as extra state
 * Fails    as the map inside, and where the projection does */
#include "wrap/onto.h"

#include <string.h>

#include "core/problem_split.h"
#include "wrap/compile.h"

typedef struct project {
  rattle__map map;
  rattle__map *inner;
  rattle__onto *onto;
  rattle__projections wanted;
  int both; /* where one part of P is due the other one is too: the slide keeps g only on g = 0 */
  double tol, every;
  rattle__symmetric *symmetric;
  double *since; /* steps since the last projection, NULL where each may have one */
} project;

static double largest(const double *r, int m) {
  double most = 0;
  for (int i = 0; i < m; i++)
    if (!(fabs(r[i]) <= most)) most = fabs(r[i]);
  return most;
}

/* Which parts of P are due at z. */
static rattle_status look(const project *s, const double *z, rattle__projections *due, rattle_error *error) {
  *due = s->wanted;
  if (s->tol == 0) return RATTLE_OK;
  const rattle_status status =
      s->wanted.momenta ? rattle__onto_see_hidden(s->onto, z, error) : rattle__onto_see(s->onto, z, error);
  due->positions &= !(largest(s->onto->g, s->onto->m) <= s->tol);
  due->momenta &= !(largest(s->onto->psi, s->onto->m) <= s->tol);
  if (s->both) due->positions = due->momenta = due->positions | due->momenta;
  return status;
}

static rattle_status move(project *s, double *z, rattle_error *error) {
  rattle__projections due;
  rattle_status status = look(s, z, &due, error);
  if (!status && due.positions) status = rattle__onto_constraints(s->onto, z, error);
  if (!status && due.positions && !due.momenta) status = look(s, z, &due, error); /* psi is another one there */
  if (!status && due.momenta) status = rattle__onto_hidden(s->onto, z, error);
  return status;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  project *s = map->self;
  const rattle_status status = s->inner->apply(s->inner, h, z0, z1, error);
  if (status) return status;
  if (s->since && ++*s->since < s->every) return RATTLE_OK;
  if (s->since) *s->since = 0;
  map->context->clock++;
  return move(s, z1, error);
}

static rattle_status apply_plain(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  project *s = map->self;
  return s->inner->apply(s->inner, h, z0, z1, error);
}

static rattle_status apply_symmetric(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  const project *s = map->self;
  return rattle__symmetric_apply(s->symmetric, h, z0, z1, error);
}

/* What the map inside shows; and with project=output P of it. */
static rattle_status output_plain(rattle__map *map, double h, double *z, rattle_error *error) {
  project *s = map->self;
  return s->inner->output(s->inner, h, z, error);
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  project *s = map->self;
  map->context->clock++;
  const rattle_status status = s->inner->output ? s->inner->output(s->inner, h, z, error) : RATTLE_OK;
  return status ? status : move(s, z, error);
}

static void destroy(rattle__map *map) {
  project *s = map->self;
  rattle__onto_destroy(&s->onto);
  if (s->inner && s->inner->destroy) s->inner->destroy(s->inner);
}

rattle_status rattle__project_create(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  project *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (project){.wanted = rattle__method_projections(node), .tol = node->tol, .every = (double)node->every};
  if (problem->split && s->wanted.positions) s->wanted.momenta = 0;
  s->both = s->wanted.positions && s->wanted.momenta && !(problem->flags & RATTLE_HOLONOMIC);
  s->map = (rattle__map){.context = context, .apply = node->project_output ? apply_plain : apply, .destroy = destroy, .self = s};
  *map = &s->map;
  rattle_status status = rattle__compile(&s->inner, context, node->argument[0].node, error);
  if (!status) status = rattle__onto_create(&s->onto, context, s->wanted.momenta, error);
  if (status) return status;
  s->map.order = s->inner->order;
  s->map.shows = s->inner->shows;
  s->map.output = node->project_output ? output : s->inner->output ? output_plain : NULL;
  s->map.drifts = !s->wanted.always || !s->wanted.positions || !s->wanted.momenta;
  if (node->every > 1) s->since = rattle__context_memory(context, 1);
  if (context->arena.failed) return rattle__no_memory(error);
  if (!s->wanted.symmetric) return RATTLE_OK;
  s->map.apply = apply_symmetric;
  s->map.symmetric = s->inner->symmetric;
  return rattle__symmetric_create(&s->symmetric, s->onto, s->inner, s->wanted.momenta, error);
}
