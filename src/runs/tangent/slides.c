/* The derivative of shake(phi), rattle(phi) and maps with constraints of their own (row.h,
 * before_slide) from z0 to z1, from the points alone: however the step was made, its multipliers
 * are found again around phi.
 *
 *   z+ = exp(s X_g) z0, z~ = phi_h(z+), g(z~) = 0;         z1 = exp(r X_g) z~, psi(z1) = 0
 *
 *   w~ = Dphi (E w + V ds),  g'(z~) w~ = 0                 E = dz+/dz0, V = dz+/ds (implicit
 *   function theorem)
 *   w1 = E1 w~ + V1 dr,      psi'(z1) w1 = 0
 *
 * A map of its own gives z~ and w~ itself.
 *
 * Multipliers  s by Newton around phi (maps/wrap/newton_around.c), r by the slide onto psi = 0
 *              (constraint/solve/momenta_fibre.c), which ends at z1. For any s and r the map of w
 *              is one between tangent spaces that keeps the symplectic form: their round-off does
 *              not hurt that
 * Cost         m + count tangents of phi */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/solve/momenta_fibre.h"
#include "runs/tangent/tangent.h"
#include "maps/wrap/wrap.h"
#include "constraint/step/sizes.h"
#include "ground/support/largest.h"

/* How far apart, in parts of their size, the end of a step and the same end found again may be: no
 * other sheet is that near. */
static const double near = 1e-9;

struct rattle__slides {
  rattle__context *context;
  rattle__normals *normals;
  rattle__fibre *fibre;
  rattle__momenta_fibre *momenta; /* NULL where nothing slides onto psi = 0 */
  rattle__map *shake, *inner;     /* inner belongs to shake; NULL: shake has a tangent itself */
  int n, m, nz, hidden;           /* hidden: slides onto psi = 0 too */
  double *s, *r, *Z, *plus, *end, *there, *x;
  double *V; /* dz1/dr [m*2n] */
  rattle__linear *system;
};

static rattle_status singular(rattle_status status, rattle_error *error) {
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  return rattle__fail(error, RATTLE_SINGULAR, NULL,
                      "the equations for the multipliers are singular at this step, and it has no "
                      "derivative: use a smaller step");
}

/* Derivatives by the slide, one dense vector for each constraint. */
static rattle_status spread(rattle__slides *s, double *V, rattle_error *error) {
  const rattle__fibre *fibre = s->fibre;
  memset(V, 0, (size_t)s->m * (size_t)s->nz * sizeof *V);
  const rattle_status status = s->fibre->derivative(s->fibre, s->Z, error);
  for (int i = 0; i < s->m && !status; i++)
    for (int e = fibre->ptr[i]; e < fibre->ptr[i + 1]; e++)
      V[(size_t)i * (size_t)s->nz + (size_t)fibre->col[e]] = s->Z[e];
  return status;
}

/* Sparse rows, such as g' or psi'. */
typedef struct rows {
  const int *ptr, *col;
  const double *value;
} rows;

static double times(const rows *a, int i, const double *w) {
  double sum = 0;
  for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) sum += a->value[e] * w[a->col[e]];
  return sum;
}

/* w += V x such that `held` w = 0, for each w */
static rattle_status hold(rattle__slides *s, const rows *held, const double *V, int count,
                          double *W, rattle_error *error) {
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < s->m; j++)
      s->system->value[i * s->m + j] = times(held, i, V + (size_t)j * (size_t)s->nz);
  const rattle_status status = s->system->factor(s->system);
  if (status) return singular(status, error);
  for (int k = 0; k < count; k++) {
    double *w = W + (size_t)k * (size_t)s->nz;
    for (int i = 0; i < s->m; i++) s->x[i] = -times(held, i, w);
    s->system->solve(s->system, s->x);
    for (int j = 0; j < s->m; j++)
      for (int c = 0; c < s->nz; c++) w[c] += V[(size_t)j * (size_t)s->nz + (size_t)c] * s->x[j];
  }
  return RATTLE_OK;
}

/* The largest |z1 - there|, in parts of the largest of its kind, q or p, of the points of the step:
 * it may end at rest. */
static double apart(const rattle__slides *s, const double *z1) {
  double size[2], end[2], plus[2], most = 0;
  rattle__largest_of_kind(s->context->problem, z1, size);
  rattle__largest_of_kind(s->context->problem, s->end, end);
  rattle__largest_of_kind(s->context->problem, s->plus, plus);
  for (int c = 0; c < s->nz; c++)
    most = rattle__greater(
        most, fabs(z1[c] - s->there[c]) /
                  (fmax(size[c >= s->n], fmax(end[c >= s->n], plus[c >= s->n])) + DBL_MIN));
  return most;
}

/* r with exp(r X_g) z~ = z1; without hidden constraints r = 0. The last slide is that of r. */
static rattle_status find_end(rattle__slides *s, double h, const double *z1, rattle_error *error) {
  rattle__course c = {0};
  rattle_status status = RATTLE_OK;
  memset(s->r, 0, (size_t)s->m * sizeof *s->r);
  if (s->hidden) {
    if (s->shake->symmetric) memcpy(s->r, s->shake->lambda, (size_t)s->m * sizeof *s->r);
    memcpy(s->there, s->end, (size_t)s->nz * sizeof *s->there);
    status = rattle__momenta_fibre_try(s->momenta, h, s->r, s->there, &c, error);
    for (int i = 0; i < s->m; i++) s->r[i] *= h;
  }
  if (!status) status = s->fibre->start(s->fibre, s->end, error);
  if (!status) status = s->fibre->slide(s->fibre, s->r, s->there, error);
  if (!status && !(apart(s, z1) < near))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                        "the multipliers of this step were not found again, and its derivative is "
                        "not known: use a smaller step");
  return status;
}

/* From z0 to z~, onto g = 0. */
static rattle_status first_half(rattle__slides *s, const rattle__substep *at, int count,
                                double *room, rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  double *W = room + (size_t)s->m * (size_t)s->nz;
  rattle_status status = s->shake->apply(s->shake, at->h, at->z0, s->end, error);
  if (status) return status;
  if (!s->inner) {
    memcpy(s->plus, at->z0, (size_t)s->nz * sizeof *s->plus);
    return s->shake->tangent(s->shake, at->h, count, W, error);
  }
  for (int i = 0; i < s->m; i++) s->s[i] = at->h * s->shake->lambda[i];
  status = s->fibre->start(s->fibre, at->z0, error);
  if (!status) status = s->fibre->slide(s->fibre, s->s, s->plus, error);
  if (!status) status = spread(s, room, error);
  if (!status) status = s->fibre->tangent(s->fibre, count, W, error);
  if (!status) status = s->inner->apply(s->inner, at->h, s->plus, s->end, error);
  if (!status) status = s->inner->tangent(s->inner, at->h, s->m + count, room, error);
  if (status) return status;
  rattle__normals *normals = s->normals;
  const int answer = g->jacobian(g, s->end, normals->value, normals->J, normals->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  const rows held = {g->jac_ptr, g->jac_col, normals->J};
  return hold(s, &held, room, count, W, error);
}

rattle_status rattle__slides_tangent(rattle__slides *s, const rattle__substep *at, int count,
                                     double *room, rattle_error *error) {
  double *W = room + (size_t)s->m * (size_t)s->nz;
  rattle_status status = first_half(s, at, count, room, error);
  if (!status) status = find_end(s, at->h, at->z1, error);
  if (status || !s->hidden) return status;
  status = s->fibre->tangent(s->fibre, count, W, error);
  if (!status) status = spread(s, s->V, error);
  if (!status) status = rattle__normals_at(s->normals, at->z1, error);
  const rows held = {s->normals->psi->ptr, s->normals->psi->col, s->normals->D};
  return status ? status : hold(s, &held, s->V, count, W, error);
}

void rattle__slides_destroy(rattle__slides *s) {
  if (!s) return;
  rattle__linear_destroy(&s->system);
  rattle__momenta_fibre_destroy(&s->momenta);
  if (s->shake && s->shake->destroy) s->shake->destroy(s->shake);
}

static rattle_status create_shake(rattle__slides *s, const rattle__node *inside,
                                  rattle_error *error) {
  rattle_status status = s->context->compile(&s->inner, s->context, inside, error);
  if (status) return status;
  if (!s->inner->tangent || s->inner->rough) {
    if (s->inner->destroy) s->inner->destroy(s->inner);
    return rattle__fail(error, RATTLE_UNSUITABLE, inside->row->name,
                        "%s has no exact derivative: use a base map such as verlet, midpoint or "
                        "gauss(2), or a plug-in with a tangent",
                        inside->row->name);
  }
  return rattle__newton_around_create(&s->shake, s->context, s->inner, s->fibre, &rattle__automatic,
                                      error);
}

rattle_status rattle__slides_create(rattle__slides **slides, rattle__context *context,
                                    const rattle__node *node, rattle__normals *normals,
                                    rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  const size_t m = (size_t)problem->m, nz = 2 * (size_t)problem->n;
  rattle__slides *s = *slides = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__slides){.context = context,
                        .normals = normals,
                        .n = problem->n,
                        .m = problem->m,
                        .nz = (int)nz,
                        .hidden = node->row->claims.keeps_psi};
  rattle_status status = rattle__fibre_create(&s->fibre, context, error);
  const rattle__base *own = rattle__base_of(node->row);
  if (!status)
    status = own ? own->before_slide(&s->shake, context, node, error)
                 : create_shake(s, rattle__method_inside(node), error);
  if (!status && s->hidden)
    status = rattle__momenta_fibre_create(&s->momenta, context, s->fibre, error);
  if (status) return status;
  const rattle__array arrays[] = {{&s->s, m},      {&s->r, m},    {&s->Z, (size_t)s->fibre->nnz},
                                  {&s->plus, nz},  {&s->end, nz}, {&s->there, nz},
                                  {&s->V, m * nz}, {&s->x, m}};
  RATTLE__LAY_OUT(arena, arrays);
  int *ptr = rattle__arena_take(arena, (m * m + m + 1) * sizeof *ptr), *col = ptr + m + 1;
  if (arena->failed) return rattle__no_memory(error);
  for (size_t i = 0; i <= m; i++) ptr[i] = (int)(i * m);
  for (size_t i = 0; i < m * m; i++) col[i] = (int)(i % m);
  return rattle__linear_create(&s->system, (int)m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}
