/* SHAKE and RATTLE for natural problems whose constraints are the links of a chain: the map around
 * constraint/links/chain.c.
 *
 * Map, symbols, source, claims: as natural.c, which takes the steps in doubt
 * Cost     one V_q, unless it is constant; the walks of chain.c. Steps that follow one another stay
 *          in its lanes */
#include "maps/natural/natural_chain.h"

#include <math.h>

#include "constraint/links/chain.h"
#include "maps/natural/fast.h"

typedef struct linked {
  rattle__fast fast; /* its point has V and V_q */
  int n;
  const rattle__function *V;
  rattle__chain *chain;
  double *work, *q; /* q where the step at hand ends */
  double *V_q;      /* and V_q there */
  double potential; /* and V */
} linked;

static rattle_status force(linked *s, const double *q, double *V, double *V_q,
                           rattle_error *error) {
  const int answer = s->V->jacobian(s->V, q, V, V_q, s->work);
  s->fast.map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

static int kicks_last(const linked *s) {
  return s->fast.scheme.k2 != 0;
}

/* z into the lanes, with V_q there, where the scheme begins with a kick and the last step did not
 * leave it. */
static rattle_status enter(linked *s, const double *z, rattle_error *error) {
  rattle__chain_enter(s->chain, z);
  rattle__point_go(&s->fast.point, z);
  if (s->chain->constant || s->fast.scheme.k1 == 0) return RATTLE_OK;
  const rattle_status status =
      s->fast.point.has_V ? RATTLE_OK : force(s, z, &s->fast.point.V, s->fast.point.V_q, error);
  s->fast.point.has_V = !status;
  if (!status) rattle__chain_force(s->chain, 0, s->fast.point.V_q);
  return status;
}

static void count(linked *s) {
  const rattle__chain *c = s->chain;
  rattle__context *context = s->fast.map.context;
  context->counts.constraint += c->corrections + 1;
  context->counts.jacobian += c->corrections + 1;
  context->counts.newton_iterations += c->corrections;
  context->counts.factorisation += c->eliminations;
  context->counts.position_projections++;
  context->counts.momentum_projections += s->fast.projection == RATTLE__PROJECT_STEP;
  if (c->g > context->residuals.g) context->residuals.g = c->g;
  if (c->psi > context->residuals.psi) context->residuals.psi = c->psi;
  if (c->residual > context->residuals.iteration_residual)
    context->residuals.iteration_residual = c->residual;
}

static rattle__kicks kicks_of(const linked *s, double h) {
  const rattle__scheme *c = &s->fast.scheme;
  return (rattle__kicks){.k1 = h * c->k1, .d = h * c->d1, .k2 = h * c->k2, .h = h};
}

/* A step of h in the lanes, then one of next, if that is not 0. *in_doubt 1: the general step is to
 * take it, and the lanes are where they were. */
static rattle_status advance(linked *s, double h, double next, int *in_doubt, rattle_error *error) {
  rattle__chain *c = s->chain;
  const rattle__kicks now = kicks_of(s, h), then = kicks_of(s, next);
  c->g = c->psi = c->residual = 0;
  *in_doubt = !rattle__chain_positions(c, &now);
  if (*in_doubt) return RATTLE_OK;
  if (kicks_last(s) && !c->constant) {
    rattle__chain_nodes(c, s->q);
    const rattle_status status = force(s, s->q, &s->potential, s->V_q, error);
    if (status) return status;
    rattle__chain_force(c, 1, s->V_q);
  }
  *in_doubt = !rattle__chain_momenta(c, next != 0 ? &then : NULL,
                                     s->fast.projection == RATTLE__PROJECT_STEP);
  if (!*in_doubt) count(s);
  if (c->constant) s->potential = c->potential;
  return RATTLE_OK;
}

/* Keeps the results of the step at z1, which the next step needs. */
static void cache_end(linked *s, const double *z1) {
  rattle__point_go(&s->fast.point, z1);
  s->fast.map.context->kernel = "chain";
  s->fast.point.has_V = kicks_last(s);
  if (!kicks_last(s)) return;
  double *V_q = s->fast.point.V_q;
  s->fast.point.V_q = s->V_q;
  s->V_q = V_q;
  s->fast.point.V = s->potential;
  s->fast.map.context->evaluated = &s->fast.point;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  linked *s = map->self;
  int in_doubt;
  if (map->context->impulse)
    return s->fast.fallback->apply(s->fast.fallback, h, z0, z1, error); /* chains do not sum */
  rattle_status status = enter(s, z0, error);
  if (!status) status = advance(s, h, 0, &in_doubt, error);
  if (status) return status;
  if (in_doubt) return s->fast.fallback->apply(s->fast.fallback, h, z0, z1, error);
  rattle__chain_leave(s->chain, z1);
  cache_end(s, z1);
  return RATTLE_OK;
}

/* `steps` steps from z into the lanes; range as in `run`. Returns how many were done; fewer: the
 * next one is in doubt, or fails, and the lanes are anywhere. */
static long long go(linked *s, const double *h, int stages, long long steps, const double *z,
                    double *range) {
  rattle_error unused;
  int in_doubt = 0;
  if (enter(s, z, &unused)) return 0;
  for (long long done = 0; done < steps; done++) {
    const rattle_counts counts = s->fast.map.context->counts;
    const rattle_residuals residuals = s->fast.map.context->residuals;
    int failed = 0;
    for (int i = 0; i < stages && !failed; i++) {
      const int last = done + 1 == steps && i + 1 == stages;
      failed = advance(s, h[i], last ? 0 : h[(i + 1) % stages], &in_doubt, &unused) || in_doubt;
    }
    const double energy = s->chain->kinetic + s->potential;
    if (failed || !isfinite(energy)) { /* the step will be taken by others, who count it */
      s->fast.map.context->counts = counts;
      s->fast.map.context->residuals = residuals;
      return done;
    }
    if (range && energy < range[0]) range[0] = energy;
    if (range && energy > range[1]) range[1] = energy;
  }
  return steps;
}

/* So many steps stay in the lanes: where one is in doubt, those before it are done again. */
enum { MOST_STEPS = 64 };

static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  linked *s = map->self;
  long long done = 0, wanted, part;
  do {
    wanted = steps - done < MOST_STEPS ? steps - done : MOST_STEPS;
    part = go(s, h, stages, wanted, z, range);
    if (part < wanted && part > 0) {
      const rattle_counts counts = map->context->counts;
      const rattle_residuals residuals = map->context->residuals;
      part = go(s, h, stages, part, z, NULL);
      map->context->counts = counts;
      map->context->residuals = residuals;
    }
    if (part > 0) {
      rattle__chain_leave(s->chain, z);
      cache_end(s, z);
    }
    done += part;
  } while (part == wanted && done < steps);
  return done;
}

rattle_status rattle__natural_chain_create(rattle__map **map, rattle__context *context,
                                           const rattle__scheme *scheme,
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
  *s = (linked){.n = problem->n, .V = problem->V, .chain = chain};
  const rattle__array arrays[] = {
      {&s->V_q, (size_t)problem->n}, {&s->q, (size_t)problem->n}, {&s->work, problem->V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  *map = &s->fast.map;
  if (arena->failed) return rattle__no_memory(error);
  const rattle_status status = rattle__fast_create(&s->fast, context, scheme, projection, error);
  s->fast.map.apply = apply;
  if (chain->constant || kicks_last(s))
    s->fast.map.run = run; /* else V is not known where steps end */
  return status;
}
