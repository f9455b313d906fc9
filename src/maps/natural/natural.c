/* SHAKE and RATTLE for natural problems: explicit kicks and drifts, m multipliers.
 *
 * Map      p+ = p0 - h G0^T lambda                                  fibre slide, exp(h sum lambda_i
 *          X_{g_i})
 *          kick k1, drift d1, kick k2, drift d2 from (q0, p+)       kick c: p -= c h V_q(q); drift
 *          c: q += c h M^-1 p
 *          g(q1) = 0 determines lambda                              SHAKE,
 *          constraint/solve/positions_rows.c
 *          p1 = p - h G1^T sigma,  G1 M^-1 p1 = 0                   RATTLE,
 *          constraint/solve/momenta_linear.c
 * Symbols  G = g_q [m x n, sparse rows], G0 at q0, G1 at q1; B = G M^-1 in the pattern of G; V_q
 *          [n]; M^-1 constant (problem/functions/mass.h) R = G(q) M^-1 G0^T the Newton matrix, A =
 *          G1 M^-1 G1^T the coupling matrix, both [m x m]
 * Source   R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339,
 *          Definitions 1.3 and 1.4, section 5.1.3; J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen,
 *          J. Comput. Phys. 23 (1977) 327; H. C. Andersen, J. Comput. Phys. 52 (1983) 24
 * Claims   those of shake and rattle in methods.def
 * Cost     one V_q, 2 to 4 evaluations of g and G, as many solves with R, one with A; with sweeps
 *          see constraint/solve/relaxation.c
 * Fails    where R or A is singular, or g leaves its domain */
#include "maps/natural/natural.h"

#include <string.h>

#include "constraint/solve/positions.h"

typedef struct natural {
  rattle__map map;
  rattle__projection projection;
  rattle__positions *positions;
} natural;

static int ends_with_kick(const rattle__scheme *c) {
  return c->d2 == 0 && c->k2 != 0;
}

/* The last kick of the scheme, at q1 */
static rattle_status last_kick(rattle__positions *s, double h, double *z1, rattle_error *error) {
  if (!ends_with_kick(&s->scheme)) return RATTLE_OK;
  const rattle_status status = rattle__positions_force(s, s->end, z1, error);
  s->end->has_V = !status;
  rattle__positions_kick(s, h * s->scheme.k2, s->end->V_q, z1 + s->n);
  return status;
}

static rattle_status make(rattle__map *map, double h, const double *z0, double *z1, int insist,
                          rattle_error *error) {
  const natural *k = map->self;
  rattle__positions *s = k->positions;
  rattle__context *context = map->context;
  double *carry = context->carry ? s->carry1 : NULL;
  rattle_status status = rattle__positions_step(s, h, z0, z1, insist, error);
  if (!status) status = last_kick(s, h, z1, error);
  if (status) return status;
  rattle__momenta_scale(s->momenta, s->end->J, s->end->B);
  s->momenta->factored = 0;
  if (k->projection == RATTLE__PROJECT_STEP)
    status = rattle__positions_slide(s, s->end, z1, carry ? carry + s->n : NULL, error);
  if (status) {
    s->start->has_G = s->momenta->factored = 0; /* A is no longer that of the start */
    return status;
  }
  if (carry) memcpy(context->carry, carry, 2 * (size_t)s->n * sizeof *carry);
  rattle__positions_advance(s, z1);
  context->evaluated = s->start;
  context->kernel = "sparse";
  return RATTLE_OK;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  return make(map, h, z0, z1, 0, error);
}

static rattle_status apply_followed(rattle__map *map, double h, const double *z0, double *z1,
                                    rattle_error *error) {
  return make(map, h, z0, z1, 1, error);
}

void rattle__natural_fall_back(rattle__map *map, rattle__map *exact) {
  const natural *s = map->self;
  s->positions->exact = exact;
}

rattle_status rattle__natural_slide(rattle__map *map, double *z, rattle_error *error) {
  const natural *s = map->self;
  return rattle__positions_project(s->positions, z, error);
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  (void)h;
  return rattle__natural_slide(map, z, error);
}

static void destroy(rattle__map *map) {
  natural *s = map->self;
  rattle__map *exact = s->positions ? s->positions->exact : NULL;
  if (exact && exact->destroy) exact->destroy(exact);
  rattle__positions_destroy(&s->positions);
}

rattle_status rattle__natural_create(rattle__map **map, rattle__context *context,
                                     const rattle__scheme *scheme, rattle__projection projection,
                                     const rattle__solving *solving, rattle_error *error) {
  natural *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (natural){.projection = projection};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .follow = apply_followed,
                         .destroy = destroy,
                         .records = !solving->solver->sweeps,
                         .symmetric = scheme->symmetric,
                         /* where sweeps end has a sign, and they do not use g beyond double */
                         .compensates = !solving->solver->sweeps,
                         .self = s,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  *map = &s->map;
  return rattle__positions_create(&s->positions, context, scheme, solving,
                                  projection == RATTLE__PROJECT_STEP, error);
}
