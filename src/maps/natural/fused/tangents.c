/* Derivatives of steps for natural problems with diagonal M and few constraints: what is around
 * tangent_kernel.h. */
#include "maps/natural/fused/tangents.h"

#include <math.h>

#include "ground/expr/native.h"
#include "maps/natural/fused/natural_small.h"
#include "constraint/guard/rules/rules.h"
#include "constraint/equation/stopping.h"
#include "constraint/step/carry.h"

typedef struct tangents {
  rattle__scheme scheme;
  int n, m, nnz, project;
  const rattle__fused_plan *plan;
  const rattle__function *g, *V;
  const double *inverse_mass;
  double *work;
  rattle__fused kernel;
  rattle__fused_bends bends;
  rattle__fused_tangents through;
  void *library;
} tangents;

#define SELF ((const tangents *)k->self)
#define LANES 0
#define KERNEL_NAME(part) tangents_##part
#define KERNEL_LINKAGE static
#define KERNEL_INLINE static inline
#define KERNEL_SHARED static inline
#define MULTIPLIERS RATTLE__FUSED_MOST
#define COMPENSATED 0
#define N (SELF->n)
#define M (SELF->m)
#define INVERSE_MASS(i) (SELF->inverse_mass[i])
#define CLOCK (-1)
#define K1 (SELF->scheme.k1)
#define D1 1
#define K2 (SELF->scheme.k2)
#define D2 0
#define PROJECT (SELF->project)
#define IS_ZERO(x) 0
#include "maps/natural/fused/fused_walk.h"
#define EACH_CURVE(f, DO)                                                                          \
  for (int i_ = 0; i_ < N; i_++)                                                                   \
    for (int e_ = (f)->hess_ptr[i_]; e_ < (f)->hess_ptr[i_ + 1]; e_++) {                           \
      DO(e_, i_, (f)->hess_col[e_])                                                                \
    }
#define EACH_V_CURVE(DO) EACH_CURVE(SELF->V, DO)
#define EACH_G_CURVE(DO) EACH_CURVE(SELF->g, DO)
#define CONSTRAINT(q, F, J) SELF->g->jacobian(SELF->g, q, F, J, SELF->work)
#define FORCE(q, value, Vq) SELF->V->jacobian(SELF->V, q, &(value), Vq, SELF->work)
#define V_CURVATURE(q, S) SELF->V->hessian(SELF->V, q, NULL, S, SELF->work)
#define G_CURVATURE(q, w, C) SELF->g->hessian(SELF->g, q, w, C, SELF->work)
#define TURN(q, v, D) SELF->g->along(SELF->g, q, v, D, SELF->work)
#include "maps/natural/fused/fused_rows.h"
#include "maps/natural/fused/tangent_kernel.h"

static int fits(const rattle__context *context, const rattle__scheme *scheme) {
  const rattle_problem *problem = context->problem;
  const rattle__function *g = problem->g, *V = problem->V;
  if (!rattle__kicks_and_drifts(problem) || problem->mass->clock || !V ||
      !rattle__fused_fits(context))
    return 0;
  return scheme->d1 == 1 && scheme->d2 == 0 && V->hessian && g->hessian && g->along;
}

static long long through(void *self, const double *h, const double *z, long long steps, int count,
                         double *W) {
  tangents *s = self;
  return s->through(&s->kernel, &s->bends, h, z, steps, count, W);
}

static void destroy(void *self) {
  rattle__native_unload(&((tangents *)self)->library);
}

rattle_status rattle__natural_tangents_create(rattle__tangents *t, rattle__context *context,
                                              const rattle__scheme *scheme, int project,
                                              rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  if (!fits(context, scheme)) return RATTLE_OK;
  tangents *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  const rattle__function *g = problem->g, *V = problem->V;
  const size_t n = (size_t)problem->n, nnz = (size_t)g->jac_nnz;
  *s = (tangents){.scheme = *scheme,
                  .n = problem->n,
                  .m = problem->m,
                  .nnz = g->jac_nnz,
                  .project = project,
                  .plan = rattle__fused_plan_create(problem, arena),
                  .g = g,
                  .V = V,
                  .inverse_mass = rattle__inertia(problem)->diagonal,
                  .through = tangents_tangents};
  rattle__fused *k = &s->kernel;
  rattle__fused_bends *b = &s->bends;
  const rattle__array arrays[] = {{&k->J0, nnz},
                                  {&k->W0, nnz},
                                  {&k->V0, n},
                                  {&k->J1, nnz},
                                  {&k->W1, nnz},
                                  {&k->V1, n},
                                  {&b->S0, (size_t)V->hess_nnz},
                                  {&b->S1, (size_t)V->hess_nnz},
                                  {&b->C0, (size_t)g->hess_nnz},
                                  {&b->C1, (size_t)g->hess_nnz},
                                  {&b->D, nnz},
                                  {&b->f, n},
                                  {&b->v, 2 * n},
                                  {&b->u, n},
                                  {&b->x, n},
                                  {&s->work, g->work > V->work ? g->work : V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed || !s->plan) return rattle__no_memory(error);
  k->self = s;
  const rattle__fused_tangents native =
      rattle__fused_tangents_native(context, scheme, project, s->plan, &s->library);
  if (native) s->through = native;
  *t = (rattle__tangents){.through = through, .destroy = destroy, .self = s};
  return RATTLE_OK;
}
