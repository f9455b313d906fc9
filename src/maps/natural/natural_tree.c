/* SHAKE and RATTLE for natural problems whose constraints are rigid bodies joined to trees: the map
 * around constraint/tree.
 *
 * Map, symbols, source, claims: as natural.c, which takes the steps in doubt
 * Cost     one V_q; constraint/tree/tree.h */
#include "maps/natural/natural_tree.h"

#include <string.h>

#include "constraint/tree/tree.h"
#include "maps/natural/fast.h"

typedef struct jointed {
  rattle__fast fast; /* its point has V and V_q, and is where the tree is settled */
  int n;
  const rattle__function *V; /* with forces that are no gradient H, as in forced.h */
  rattle__tree *tree;
  double *work, *V_q;         /* V_q where the step ends [n] */
  rattle__tree_slopes slopes; /* of such forces; at NULL: there are none */
  double *J;                  /* [2n] */
} jointed;

static rattle_status force(jointed *s, const double *q, double *V, double *V_q,
                           rattle_error *error) {
  const int answer = s->V->jacobian(s->V, q, V, V_q, s->work);
  s->fast.map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* H_q - f of z. */
static int slopes(void *self, const double *z, double *S) {
  jointed *s = self;
  const int answer = s->V->jacobian(s->V, z, NULL, s->J, s->work);
  s->fast.map.context->counts.gradient++;
  memcpy(S, s->J, (size_t)s->n * sizeof *S);
  return answer;
}

/* The tree at z, with V_q there, where the scheme begins with a kick and the last step did not
 * leave it. *sound 0: z is off the constraints, or at a degenerate point. */
static rattle_status enter(jointed *s, const double *z, int *sound, rattle_error *error) {
  rattle__point *point = &s->fast.point;
  point->has_G = s->tree->settled;
  *sound = rattle__point_go(point, z) && point->has_G ? 1 : rattle__tree_settle(s->tree, z);
  if (s->fast.scheme.k1 == 0 || point->has_V || s->slopes.at) return RATTLE_OK;
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
  point->has_V = s->fast.scheme.k2 != 0 && !s->slopes.at;
  point->has_G = s->tree->settled;
  if (!point->has_V) return;
  point->V = potential;
  double *V_q = point->V_q;
  point->V_q = s->V_q;
  s->V_q = V_q;
  s->fast.map.context->evaluated = point;
}

/* The last kick, at z1. */
static rattle_status kick(jointed *s, double h, double *z1, double *potential,
                          rattle_error *error) {
  const double c = h * s->fast.scheme.k2;
  rattle_status status = RATTLE_OK;
  if (c == 0) return RATTLE_OK;
  if (!s->slopes.at)
    status = force(s, z1, potential, s->V_q, error);
  else if (s->slopes.part == 0)
    status = rattle__answer(slopes(s, z1, s->V_q), "gradient", error);
  for (int i = 0; i < s->n && !status; i++) z1[s->n + i] -= c * s->V_q[i];
  return status;
}

/* The step; *sound 0: it is in doubt. */
static rattle_status step(jointed *s, double h, const double *z0, double *z1, int *sound,
                          rattle_error *error) {
  const rattle__scheme *c = &s->fast.scheme;
  const int projected = s->fast.projection == RATTLE__PROJECT_STEP;
  const rattle__tree_step along = {.tau = h * c->d1,
                                   .kick = h * c->k1,
                                   .z0 = z0,
                                   .V_q = s->slopes.at ? s->V_q : s->fast.point.V_q,
                                   .slopes = s->slopes.at ? &s->slopes : NULL};
  double potential = 0;
  *sound = rattle__tree_positions(s->tree, &along, z1);
  if (!*sound) return RATTLE_OK;
  const rattle_status status = kick(s, h, z1, &potential, error);
  if (status) return status;
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

/* The map along a tree, but for who takes the steps in doubt; NULL: there is no tree, or no
 * memory. */
static jointed *make(rattle__context *context, const rattle__function *V) {
  rattle__arena *arena = &context->arena;
  const size_t n = (size_t)context->problem->n;
  rattle__tree *tree = rattle__tree_create(context);
  jointed *s = tree ? rattle__arena_take(arena, sizeof *s) : NULL;
  if (s) {
    *s = (jointed){.n = (int)n, .V = V, .tree = tree};
    const rattle__array arrays[] = {{&s->V_q, n}, {&s->work, V->work}};
    RATTLE__LAY_OUT(arena, arrays);
  }
  if (!arena->failed) return s;
  rattle__tree_destroy(tree);
  return NULL;
}

/* Its steps, and its name. */
static void give(jointed *s, rattle__context *context) {
  s->fast.map.apply = apply;
  s->fast.map.destroy = destroy;
  context->solver = "bodies";
}

rattle_status rattle__natural_tree_create(rattle__map **map, rattle__context *context,
                                          const rattle__scheme *scheme,
                                          rattle__projection projection, rattle_error *error) {
  *map = NULL;
  if (scheme->d2 != 0 || context->carry) return RATTLE_OK;
  jointed *s = make(context, context->problem->V);
  if (!s) return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
  *map = &s->fast.map;
  const rattle_status status = rattle__fast_create(&s->fast, context, scheme, projection, error);
  give(s, context);
  return status;
}

rattle_status rattle__natural_tree_create_pushed(rattle__map **map, rattle__context *context,
                                                 double part, rattle__projection projection,
                                                 rattle_error *error) {
  const rattle__scheme scheme = {.k1 = 0.5, .d1 = 1, .k2 = 0.5, .symmetric = 1};
  jointed *s = make(context, context->problem->H);
  if (!s) return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
  rattle__fast_begin(&s->fast, context, &scheme, projection, *map);
  *map = &s->fast.map;
  give(s, context);
  s->slopes = (rattle__tree_slopes){.self = s, .at = slopes, .part = part};
  const size_t n = (size_t)s->n;
  const rattle__array arrays[] = {{&s->J, 2 * n}, {&s->slopes.z, 2 * n}, {&s->slopes.going, n}};
  RATTLE__LAY_OUT(&context->arena, arrays);
  return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}
