/* SHAKE and RATTLE for natural problems whose constraints are rigid bodies joined to trees: the map
 * around constraint/tree.
 *
 * Map, symbols, source, claims: as natural.c, which takes the steps in doubt
 * Cost     one V_q; constraint/tree/tree.h */
#include "maps/natural/natural_tree.h"

#include "constraint/tree/tree.h"
#include "maps/natural/fast.h"

typedef struct jointed {
  rattle__fast fast; /* its point has V and V_q, and is where the tree is settled */
  int n;
  const rattle__function *V;
  rattle__tree *tree;
  double *work, *V_q; /* V_q where the step ends [n] */
} jointed;

static rattle_status force(jointed *s, const double *q, double *V, double *V_q,
                           rattle_error *error) {
  const int answer = s->V->jacobian(s->V, q, V, V_q, s->work);
  s->fast.map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* The tree at z, with V_q there, where the scheme begins with a kick and the last step did not
 * leave it. *sound 0: z is off the constraints, or at a degenerate point. */
static rattle_status enter(jointed *s, const double *z, int *sound, rattle_error *error) {
  rattle__point *point = &s->fast.point;
  point->has_G = s->tree->settled;
  *sound = rattle__point_go(point, z) && point->has_G ? 1 : rattle__tree_settle(s->tree, z);
  if (s->fast.scheme.k1 == 0 || point->has_V) return RATTLE_OK;
  const rattle_status status = force(s, z, &point->V, point->V_q, error);
  point->has_V = !status;
  return status;
}

static void count(jointed *s, int projected) {
  const rattle__tree *t = s->tree;
  rattle__context *context = s->fast.map.context;
  context->counts.constraint += t->corrections + 1;
  context->counts.jacobian += t->matrices + 1;
  context->counts.newton_iterations += t->corrections;
  context->counts.factorisation += t->matrices + 1;
  context->counts.position_projections++;
  context->counts.momentum_projections += projected;
  if (t->g > context->residuals.g) context->residuals.g = t->g;
  if (projected && t->psi > context->residuals.psi) context->residuals.psi = t->psi;
  if (t->residual > context->residuals.iteration_residual)
    context->residuals.iteration_residual = t->residual;
}

/* Keeps the results of the step at z1, which the next step needs. */
static void cache_end(jointed *s, const double *z1, double potential) {
  rattle__point *point = &s->fast.point;
  point->has_V = point->has_G = 0;
  rattle__point_go(point, z1);
  point->has_V = s->fast.scheme.k2 != 0;
  point->has_G = s->tree->settled;
  if (!point->has_V) return;
  point->V = potential;
  double *V_q = point->V_q;
  point->V_q = s->V_q;
  s->V_q = V_q;
  s->fast.map.context->evaluated = point;
}

/* The step; *sound 0: it is in doubt. */
static rattle_status step(jointed *s, double h, const double *z0, double *z1, int *sound,
                          rattle_error *error) {
  const rattle__scheme *c = &s->fast.scheme;
  const int n = s->n, projected = s->fast.projection == RATTLE__PROJECT_STEP;
  const rattle__tree_step along = {
      .tau = h * c->d1, .kick = h * c->k1, .z0 = z0, .V_q = s->fast.point.V_q};
  double potential = 0;
  *sound = rattle__tree_positions(s->tree, &along, z1);
  if (!*sound) return RATTLE_OK;
  if (c->k2 != 0) {
    const rattle_status status = force(s, z1, &potential, s->V_q, error);
    if (status) return status;
    for (int i = 0; i < n; i++) z1[n + i] -= h * c->k2 * s->V_q[i];
  }
  *sound = rattle__tree_settle(s->tree, z1);
  if (!*sound) return RATTLE_OK;
  if (projected) rattle__tree_momenta(s->tree, z1);
  count(s, projected);
  s->fast.map.context->kernel = "bodies";
  cache_end(s, z1, potential);
  return RATTLE_OK;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  jointed *s = map->self;
  int sound = 0;
  if (map->context->impulse) return s->fast.fallback->apply(s->fast.fallback, h, z0, z1, error);
  rattle_status status = enter(s, z0, &sound, error);
  if (!status && sound) status = step(s, h, z0, z1, &sound, error);
  return status || sound ? status : s->fast.fallback->apply(s->fast.fallback, h, z0, z1, error);
}

static void destroy(rattle__map *map) {
  const jointed *s = map->self;
  rattle__tree_destroy(s->tree);
  rattle__fast_destroy(map);
}

rattle_status rattle__natural_tree_create(rattle__map **map, rattle__context *context,
                                          const rattle__scheme *scheme,
                                          rattle__projection projection, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  *map = NULL;
  if (scheme->d2 != 0 || context->carry) return RATTLE_OK;
  rattle__tree *tree = rattle__tree_create(context);
  jointed *s = tree ? rattle__arena_take(arena, sizeof *s) : NULL;
  if (arena->failed) {
    rattle__tree_destroy(tree);
    return rattle__no_memory(error);
  }
  if (!s) return RATTLE_OK;
  *s = (jointed){.n = problem->n, .V = problem->V, .tree = tree};
  *map = &s->fast.map;
  const rattle_status status = rattle__fast_create(&s->fast, context, scheme, projection, error);
  s->fast.map.apply = apply;
  s->fast.map.destroy = destroy;
  if (status) return status;
  const rattle__array arrays[] = {{&s->V_q, (size_t)problem->n}, {&s->work, problem->V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  context->solver = "bodies";
  return RATTLE_OK;
}
