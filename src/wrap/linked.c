/* SHAKE and RATTLE for natural problems whose constraints are the links of a chain: the map around slide/chain.c.
 *
 * Map, symbols, source, claims: as natural.c, which takes the steps in doubt
 * Cost     one V_q; two to four corrections and the momentum projection, each about 1 ns a link with AVX2 */
#include "wrap/linked.h"

#include "slide/chain.h"
#include "step/point.h"

typedef struct linked {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  int n;
  const rattle__function *V;
  rattle__chain *chain;
  double *work, *V_q;   /* V_q at the end of the step at hand */
  double potential;     /* V there */
  rattle__point point;  /* where the last step ended, with V and V_q there */
  rattle__map *careful; /* natural.c */
} linked;

static rattle_status force(linked *s, const double *q, double *V, double *V_q, rattle_error *error) {
  const int answer = s->V->jacobian(s->V, q, V, V_q, s->work);
  s->map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* V_q at z0, where the scheme begins with a kick and the last step did not leave it. */
static rattle_status look_up_start(linked *s, const double *z0, rattle_error *error) {
  rattle__point_go(&s->point, z0);
  if (s->scheme.k1 == 0 || s->point.has_V) return RATTLE_OK;
  const rattle_status status = force(s, z0, &s->point.V, s->point.V_q, error);
  s->point.has_V = !status;
  return status;
}

static int kicks_last(const linked *s) {
  return s->scheme.k2 != 0;
}

static void count(linked *s) {
  const rattle__chain *c = s->chain;
  rattle__context *context = s->map.context;
  context->counts.constraint += c->corrections + 1;
  context->counts.jacobian += c->corrections + 1;
  context->counts.newton_iterations += c->corrections;
  context->counts.factorisation += c->eliminations;
  context->counts.position_projections++;
  context->counts.momentum_projections += s->projection == RATTLE__PROJECT_STEP;
  if (c->g > context->residuals.g) context->residuals.g = c->g;
  if (c->psi > context->residuals.psi) context->residuals.psi = c->psi;
  if (c->residual > context->residuals.iteration_residual) context->residuals.iteration_residual = c->residual;
}

/* What the step left at z1 is what the next one needs. */
static void know(linked *s, const double *z1) {
  rattle__point_go(&s->point, z1);
  s->point.has_V = kicks_last(s);
  if (!kicks_last(s)) return;
  double *V_q = s->point.V_q;
  s->point.V_q = s->V_q;
  s->V_q = V_q;
  s->point.V = s->potential;
  s->map.context->evaluated = &s->point;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  linked *s = map->self;
  const rattle__scheme *c = &s->scheme;
  if (map->context->impulse) return s->careful->apply(s->careful, h, z0, z1, error); /* chains do not sum */
  rattle_status status = look_up_start(s, z0, error);
  if (status) return status;
  s->chain->eliminations = 0;
  s->chain->g = s->chain->psi = s->chain->residual = 0;
  if (!rattle__chain_positions(s->chain, z0, c->k1 != 0 ? s->point.V_q : NULL, h * c->k1, h * c->d1, z1))
    return s->careful->apply(s->careful, h, z0, z1, error);
  if (kicks_last(s)) status = force(s, z1, &s->potential, s->V_q, error);
  if (status) return status;
  if (!rattle__chain_momenta(s->chain, h, kicks_last(s) ? s->V_q : NULL, h * c->k2, s->projection == RATTLE__PROJECT_STEP, z1))
    return s->careful->apply(s->careful, h, z0, z1, error);
  count(s);
  know(s, z1);
  return RATTLE_OK;
}

/* the slide onto psi = 0 of a point for output */
static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  const linked *s = map->self;
  (void)h;
  return rattle__natural_slide(s->careful, z, error);
}

static void destroy(rattle__map *map) {
  linked *s = map->self;
  if (s->careful && s->careful->destroy) s->careful->destroy(s->careful);
}

rattle_status rattle__linked_create(rattle__map **map, rattle__context *context, const rattle__scheme *scheme,
                                    rattle__projection projection, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  *map = NULL;
  if (scheme->d2 != 0 || context->carry) return RATTLE_OK;
  rattle__chain *chain = rattle__chain_create(problem, arena);
  if (arena->failed) return rattle__no_memory(error);
  if (!chain) return RATTLE_OK;
  linked *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (linked){.scheme = *scheme, .projection = projection, .n = problem->n, .V = problem->V, .chain = chain};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .destroy = destroy,
                         .records = 1,
                         .symmetric = scheme->symmetric,
                         .compensates = 1,
                         .self = s,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  rattle__point_create(&s->point, arena, problem->n, 0, 0);
  const rattle__array arrays[] = {{&s->V_q, (size_t)problem->n}, {&s->work, problem->V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  *map = &s->map;
  if (arena->failed) return rattle__no_memory(error);
  return rattle__natural_create(&s->careful, context, scheme, projection, &rattle__automatic, error);
}
