/* Geodesics of any manifold g(q) = 0, as exact as a composition of RATTLE without force makes them.
 *
 * Map      Psi_t = R_{gamma_s t} o ... o R_{gamma_1 t}, R_t RATTLE of the drift: q1 = q0 + t M^-1
 *          (p0 - t G0^T lambda), g(q1) =
 * 0, then onto psi = 0 Claims   symmetric and symplectic on the manifold, to round-off, however
 * inexact; the order of the set
 * Cost     s solves for lambda (chord iterations with the matrix of the last projection), s linear
 *          ones for sigma; no force
 * Fails    as RATTLE */
#include "maps/constrained/geodesic.h"

#include "maps/natural/fused/natural_small.h"
#include "maps/wrap/wrap.h"

typedef struct general {
  rattle__geodesic geodesic;
  rattle__map *drifts;
  rattle__map *drift; /* the one that they are steps of */
  int is_fused;       /* that of natural_small.c */
} general;

static rattle_status flow(rattle__geodesic *geodesic, double t, const double *z0, double *z1,
                          rattle_error *error) {
  general *s = geodesic->self;
  return s->drifts->apply(s->drifts, t, z0, z1, error);
}

static rattle_status slide(rattle__geodesic *geodesic, double *z, rattle_error *error) {
  general *s = geodesic->self;
  return (s->is_fused ? rattle__fused_slide : rattle__natural_slide)(s->drift, z, error);
}

static void destroy(rattle__geodesic *geodesic) {
  general *s = geodesic->self;
  if (s->drifts && s->drifts->destroy) s->drifts->destroy(s->drifts);
}

rattle_status rattle__geodesic_create(rattle__geodesic **geodesic, rattle__context *context,
                                      int stages, const long double *gamma, rattle_error *error) {
  static const rattle__scheme free_motion = {.d1 = 1, .symmetric = 1};
  rattle_status status = rattle__spheres_create(geodesic, context, error);
  if (status || *geodesic) return status;
  general *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (general){.geodesic = {.flow = flow, .slide = slide, .destroy = destroy, .self = s}};
  *geodesic = &s->geodesic;
  s->is_fused = rattle__fused_fits(context);
  status = s->is_fused ? rattle__natural_small_create(&s->drifts, context, &free_motion,
                                                      RATTLE__PROJECT_STEP, error)
                       : rattle__natural_create(&s->drifts, context, &free_motion,
                                                RATTLE__PROJECT_STEP, &rattle__automatic, error);
  if (status) return status;
  s->drift = s->drifts;
  status = rattle__composition_create(&s->drifts, context, s->drifts, stages, gamma, error);
  s->geodesic.steps = s->drifts;
  return status;
}
