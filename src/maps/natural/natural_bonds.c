/* SHAKE and RATTLE for natural problems whose constraints are distances between particles: the map
 * around constraint/links/molecules.c and constraint/links/trees.c.
 *
 * Map, symbols, source, claims: as natural.c, which takes the steps in doubt
 * Cost     one V_q; both stages */
#include "maps/natural/natural_bonds.h"

#include <string.h>

#include "constraint/links/molecules.h"
#include "constraint/links/trees.h"
#include "constraint/guard/rules/rules.h"
#include "maps/natural/fast.h"

enum { LEAST = 32 }; /* bonds of molecules: of fewer the general step is as fast */

typedef struct bonded {
  rattle__fast fast; /* its point has V and V_q */
  int n;
  const rattle__function *V;
  rattle__links *links;
  double *work, *w, *V_q; /* velocities [n]; V_q where the step ends [n] */
} bonded;

static rattle_status force(bonded *s, const double *q, double *V, double *V_q,
                           rattle_error *error) {
  const int answer = s->V->jacobian(s->V, q, V, V_q, s->work);
  s->fast.map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* V_q at z, where the scheme begins with a kick and the last step did not leave it. */
static rattle_status enter(bonded *s, const double *z, rattle_error *error) {
  rattle__point *point = &s->fast.point;
  rattle__point_go(point, z);
  if (s->fast.scheme.k1 == 0 || point->has_V) return RATTLE_OK;
  const rattle_status status = force(s, z, &point->V, point->V_q, error);
  point->has_V = !status;
  return status;
}

static void count(bonded *s, int projected) {
  const rattle__links *m = s->links;
  rattle__context *context = s->fast.map.context;
  context->counts.constraint += 2 + m->corrections;
  context->counts.jacobian += 1 + m->corrections;
  context->counts.newton_iterations += m->corrections;
  context->counts.factorisation += m->factorisations;
  context->counts.position_projections++;
  context->counts.momentum_projections += projected;
  if (m->g > context->residuals.g) context->residuals.g = m->g;
  if (projected && m->psi > context->residuals.psi) context->residuals.psi = m->psi;
  if (m->residual > context->residuals.iteration_residual)
    context->residuals.iteration_residual = m->residual;
}

/* Keeps the results of the step at z1, which the next step needs. */
static void cache_end(bonded *s, const double *z1, double potential) {
  rattle__point *point = &s->fast.point;
  rattle__point_go(point, z1);
  point->has_V = 1;
  point->V = potential;
  double *V_q = point->V_q;
  point->V_q = s->V_q;
  s->V_q = V_q;
  s->fast.map.context->evaluated = point;
}

/* The step; *sound 0: it is in doubt. */
static rattle_status step(bonded *s, double h, const double *z0, double *z1, int *sound,
                          rattle_error *error) {
  const rattle__scheme *c = &s->fast.scheme;
  const int n = s->n, projected = s->fast.projection == RATTLE__PROJECT_STEP;
  double *q = z1, *p = z1 + n, potential = 0;
  const double *before = s->fast.point.V_q, *inverse = s->links->inverse;
  memcpy(p, z0 + n, (size_t)n * sizeof *p);
  for (int i = 0; i < n && c->k1 != 0; i++) p[i] -= h * c->k1 * before[i];
  for (int i = 0; i < n; i++) s->w[i] = inverse[i] * p[i];
  *sound = s->links->positions(s->links, h * c->d1, z0, s->w, p, q) &&
           !rattle__step_did_work((rattle__drift_step){n, -1, h, h * c->k1, z0, before, z1});
  if (!*sound) return RATTLE_OK;
  if (c->k2 != 0) {
    const rattle_status status = force(s, q, &potential, s->V_q, error);
    if (status) return status;
    for (int i = 0; i < n; i++) p[i] -= h * c->k2 * s->V_q[i];
  }
  *sound = !projected || s->links->momenta(s->links, q, s->w, p);
  if (!*sound) return RATTLE_OK;
  count(s, projected);
  s->fast.map.context->kernel = "bonds";
  if (c->k2 != 0) cache_end(s, z1, potential);
  return RATTLE_OK;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  bonded *s = map->self;
  int sound = 0;
  if (map->context->impulse) return s->fast.fallback->apply(s->fast.fallback, h, z0, z1, error);
  rattle_status status = enter(s, z0, error);
  if (!status) status = step(s, h, z0, z1, &sound, error);
  return status || sound ? status : s->fast.fallback->apply(s->fast.fallback, h, z0, z1, error);
}

static void destroy_links(rattle__links *links) {
  if (links && links->destroy) links->destroy(links);
}

static void destroy(rattle__map *map) {
  bonded *s = map->self;
  destroy_links(s->links);
  rattle__fast_destroy(map);
}

rattle_status rattle__natural_bonds_create(rattle__map **map, rattle__context *context,
                                           const rattle__scheme *scheme,
                                           rattle__projection projection, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  *map = NULL;
  if (scheme->d2 != 0 || context->carry) return RATTLE_OK;
  bonded *s = rattle__arena_take(arena, sizeof *s);
  rattle__links *links = s && problem->m >= LEAST ? rattle__molecules_create(problem, arena) : NULL;
  if (!links && !arena->failed) links = rattle__trees_create(problem, arena);
  if (arena->failed) {
    destroy_links(links);
    return rattle__no_memory(error);
  }
  if (!links) return RATTLE_OK;
  *s = (bonded){.n = problem->n, .V = problem->V, .links = links};
  *map = &s->fast.map;
  const rattle_status status = rattle__fast_create(&s->fast, context, scheme, projection, error);
  s->fast.map.apply = apply;
  s->fast.map.destroy = destroy;
  if (status) return status;
  const size_t n = (size_t)problem->n;
  const rattle__array arrays[] = {{&s->V_q, n}, {&s->w, n}, {&s->work, problem->V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  context->solver = links->name;
  return RATTLE_OK;
}
