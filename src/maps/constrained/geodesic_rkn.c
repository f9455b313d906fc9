/* Runge-Kutta-Nystroem splittings on manifolds, for natural problems.
 *
 * Map      ... exp(c_1 h X_T) o exp(c_0 h X_V), or T first: the parts of splittings.def in turn, on
 *          the cotangent bundle of
 *          {g = 0}:  exp(t X_T) geodesic motion (geodesic.h),  exp(t X_V): p -= t (V_q + G^T
 *          lambda), psi = 0
 * Symbols T = p^T M^-1 p/2 on the manifold; V's flow has q fixed, so that lambda is linear: the
 * kick is projected
 * Source   S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313, for H = T + V with T
 *          quadratic in p. On a manifold [V,[V,[V,T]]] = 0 holds too, since T is quadratic on each
 *          fibre
 * Claims   order 4 or 6, symmetric, symplectic, keeps g and psi, pure
 * Needs    natural H, g(q); both may depend on time t, which moves with T, whose brackets p_t does
 *          not change: it is linear in p
 * Cost     6 or 14 evaluations of V_q with a projection each; 6 or 15 geodesics: exact on spheres,
 *          products of spheres and without constraints; else 11 (sofroniou_spaletta6_11) or 17
 *          (kahan_li8) steps of RATTLE without force each, enough to err less than the splitting
 *          does (tests/claims/test_geodesic.c)
 * Fails    as RATTLE; DOMAIN if V does
 * Differs  from the source in the digits (tools/polish_rkn) and in the manifold */
#include <math.h>
#include <string.h>

#include "method/notation/coefficients.h"
#include "method/coefficients/splittings.h"
#include "ground/expr/native.h"
#include "maps/base/base.h"
#include "constraint/step/point.h"
#include "maps/constrained/geodesic.h"
#include "ground/support/finite.h"

typedef struct geodesic_rkn {
  rattle__map map;
  rattle__rkn_splitting c;
  rattle__geodesic *geodesic;
  int n;
  double *z[2], *work;       /* points in turn [2n] */
  rattle__point point;       /* of the last kick */
  int now;                   /* z[now] is the end of the last step */
  rattle__spheres_run steps; /* as machine code, from `library`; NULL if there is none */
  rattle__turning turning;
  void *library;
} geodesic_rkn;

/* V and V_q at the point. */
static rattle_status force(geodesic_rkn *s, const double *z, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  rattle__point_go(&s->point, z);
  if (s->point.has_V) return RATTLE_OK;
  const int answer = problem->V->jacobian(problem->V, z, &s->point.V, s->point.V_q, s->work);
  s->map.context->counts.gradient++;
  if (answer) return rattle__callback_error(answer, "gradient", error);
  if (!rattle__all_finite(s->point.V_q, s->n) &&
      rattle__domain_error(problem, z, error) == RATTLE_DOMAIN)
    return RATTLE_DOMAIN;
  s->point.has_V = 1;
  return RATTLE_OK;
}

static rattle_status kick(geodesic_rkn *s, double t, double *z, rattle_error *error) {
  const rattle_status status = force(s, z, error);
  if (status) return status;
  for (int k = 0; k < s->n; k++) z[s->n + k] -= t * s->point.V_q[k];
  return s->geodesic->slide(s->geodesic, z, error);
}

/* Steps of z in place, as machine code, and their counts; returns how many were done. */
static long long advance(geodesic_rkn *s, double h, long long steps, double *z, double *range) {
  rattle__context *context = s->map.context;
  const int parts = s->c.parts, first = s->c.kick_first, spheres = context->problem->m > 0;
  if (first && force(s, z, NULL)) return 0;
  s->turning = (rattle__turning){.V_q = s->point.V_q, .potential = s->point.V};
  const long long done = s->steps(&s->turning, h, steps, z, range);
  context->counts.gradient += done * (parts / 2);
  context->counts.position_projections += spheres * done * ((parts + 1 - first) / 2);
  context->counts.momentum_projections += spheres * done * ((parts + first) / 2);
  context->residuals.g = fmax(context->residuals.g, s->turning.g);
  context->residuals.psi = fmax(context->residuals.psi, s->turning.psi);
  s->point.has_V = 0;
  rattle__point_go(&s->point, z);
  s->point.V = s->turning.potential;
  s->point.has_V = first;
  context->evaluated = &s->point;
  return done;
}

/* The energies of a step are at hand where it ends with a kick. */
static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  geodesic_rkn *s = map->self;
  return stages != 1 || (range && !s->c.kick_first) ? 0 : advance(s, h[0], steps, z, range);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  geodesic_rkn *s = map->self;
  rattle__context *context = map->context;
  const size_t bytes = 2 * (size_t)s->n * sizeof *z0;
  rattle_status status = RATTLE_OK;
  if (s->steps) {
    memcpy(z1, z0, bytes);
    if (advance(s, h, 1, z1, NULL) == 1) return RATTLE_OK;
  }
  memcpy(s->z[s->now], z0, bytes);
  for (int i = 0; i < s->c.parts && !status; i++) {
    if (i % 2 != s->c.kick_first) {
      status = kick(s, s->c.c[i] * h, s->z[s->now], error);
    } else {
      status = s->geodesic->flow(s->geodesic, s->c.c[i] * h, s->z[s->now], s->z[1 - s->now], error);
      s->now = 1 - s->now;
    }
  }
  if (status) return status;
  memcpy(z1, s->z[s->now], bytes);
  context->evaluated = &s->point;
  return RATTLE_OK;
}

static void destroy(rattle__map *map) {
  geodesic_rkn *s = map->self;
  if (s->geodesic && s->geodesic->destroy) s->geodesic->destroy(s->geodesic);
  rattle__native_unload(&s->library);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const char *name = node->row->name;
  const int order = node->row->claims.order;
  rattle__arena *arena = &context->arena;
  if (!rattle__kicks_and_drifts(problem))
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "%s needs a natural problem (H = p^T M^-1 p/2 + V(q), g(q), which may "
                        "depend on time), and this problem "
                        "%s: use a composition, as in "
                        "kahan_li6(%s)",
                        name, problem->m ? "is not" : "has an H of another form",
                        rattle__symmetric_map(problem));
  geodesic_rkn *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (geodesic_rkn){.n = problem->n};
  if (!rattle__splitting_of(name, &s->c))
    return rattle__fail(error, RATTLE_UNSUITABLE, name, "%s has no coefficients", name);
  s->map = (rattle__map){
      .context = context, .apply = apply, .destroy = destroy, .symmetric = 1, .self = s};
  *map = &s->map;
  const size_t nz = 2 * (size_t)problem->n;
  s->z[0] = rattle__arena_doubles(arena, nz);
  s->z[1] = rattle__arena_doubles(arena, nz);
  rattle__point_create(&s->point, arena, problem->n, 0, 0);
  s->work = rattle__arena_doubles(arena, problem->V->work);
  if (arena->failed) return rattle__no_memory(error);
  const rattle__composition *set =
      order == 4 ? &rattle__composition_sofroniou_spaletta6_11 : &rattle__composition_kahan_li8;
  const rattle_status status =
      rattle__geodesic_create(&s->geodesic, context, set->stages, set->gamma, error);
  if (!status) s->steps = rattle__geodesic_native(s->geodesic, context, &s->c, &s->library);
  if (s->steps) s->map.run = run;
  return status;
}

const rattle__base rattle__geodesic_rkn4 = {.create = create},
                   rattle__geodesic_rkn6 = {.create = create};
