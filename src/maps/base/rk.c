/* Runge-Kutta maps of any field, partitioned or not, explicit or not.
 *
 * Map      Z_i = z0 + h sum_j a_ij f(Z_j), z1 = z0 + h sum_j b_j f(Z_j); the momenta with ahat_ij,
 *          and bhat_j if they differ
 * Explicit stages are found one after the other where each needs but those before it; else all at
 * once by Newton's method with
 *          the exact Jacobian, dense, from Z_i = z0 + c_i h f(z0), until the residual is at
 *          round-off
 * Fails    NOT_CONVERGED if the stages are not found; what the field says */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/native.h"
#include "maps/base/rk.h"
#include "ground/linear/linear.h"
#include "constraint/step/sizes.h"
#include "ground/support/largest.h"

/* The dense system of implicit stages grows with the square of this. */
enum { MOST_UNKNOWNS = 600 };

typedef struct rk {
  rattle__map map;
  rattle__field *field;
  rattle__tableau t;
  int n, explicit_;
  rattle__rk_run run; /* explicit steps as machine code, from `library`; NULL if there is none */
  void *library;
  double *Z, *f; /* stages and the field there [stages*2n] */
  double *F;     /* df/dz at each stage [stages*2n*2n] */
  double *r;     /* residual, then Newton step [stages*2n] */
  double *from,
      *w; /* where tangents are wanted: the last start [2n]; dZ_i and f' dZ_i [2*stages*2n] */
  rattle__linear *matrix; /* I - h A x F */
} rk;

static double weight(const rk *s, int i, int j, int c) {
  return c < s->n ? s->t.a[i][j] : s->t.ahat[i][j];
}

static rattle_status value(rk *s, int i, rattle_error *error) {
  const size_t nz = 2 * (size_t)s->n;
  s->map.context->counts.gradient++;
  return rattle__field_value(s->field, s->Z + (size_t)i * nz, s->f + (size_t)i * nz, error);
}

/* z1 = z0 + h sum_j b_j f_j */
static void finish(const rk *s, double h, const double *z0, double *z1) {
  const int nz = 2 * s->n;
  for (int c = 0; c < nz; c++) {
    const double *b = rattle__tableau_weights(&s->t, c >= s->n);
    double sum = 0;
    for (int j = 0; j < s->t.stages; j++) sum += b[j] * s->f[j * nz + c];
    z1[c] = z0[c] + h * sum;
  }
}

/* --- explicit steps --------------------------------------------------------------------------- */

/* Data that the kernel hands through. */
typedef struct explicit_step {
  rk *s;
  rattle_status status;
  rattle_error *error;
} explicit_step;

static int field_at(explicit_step *e, const double *z, double *f) {
  e->s->map.context->counts.gradient++;
  e->status = rattle__field_value(e->s->field, z, f, e->error);
  return e->status != RATTLE_OK;
}

#define KERNEL_INLINE static
#define KERNEL_UNROLL
#define KERNEL_ARG explicit_step *e,
#define KERNEL_SELF e,
#define N e->s->n
#define STAGES e->s->t.stages
#define A(part, i, j) ((part) ? e->s->t.ahat[i][j] : e->s->t.a[i][j])
#define B(part, j) rattle__tableau_weights(&e->s->t, part)[j]
#define FIELD(z, f) field_at(e, z, f)
#include "maps/base/rk_kernel.h"
#undef N
#undef STAGES
#undef A
#undef B
#undef FIELD

static rattle_status apply_explicit(rattle__map *map, double h, const double *z0, double *z1,
                                    rattle_error *error) {
  rk *s = map->self;
  explicit_step e = {s, RATTLE_OK, error};
  if (s->from) memcpy(s->from, z0, 2 * (size_t)s->n * sizeof *z0);
  if (s->run) {
    memcpy(z1, z0, 2 * (size_t)s->n * sizeof *z1);
    map->context->counts.gradient += s->t.stages;
    if (s->run(h, 1, z1) == 1) return RATTLE_OK;
    map->context->counts.gradient -= s->t.stages; /* again, for what is wrong */
  }
  rattle_rk_step(&e, h, z0, z1, s->Z, s->f);
  return e.status;
}

/* Energies and residuals are evaluated step by step if they are needed. */
static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  rk *s = map->self;
  if (range || stages != 1) return 0;
  const long long done = s->run(h[0], steps, z);
  map->context->counts.gradient += done * s->t.stages;
  return done;
}

/* --- implicit steps --------------------------------------------------------------------------- */

/* The residual of the stages, in units of round-off: eps times the largest term of each kind, q or
 * p. */
static double residual(rk *s, double h, const double *z0) {
  const int nz = 2 * s->n;
  const rattle_problem *problem = s->map.context->problem;
  double size[2], worst[2] = {0, 0};
  rattle__largest_of_kind(problem, z0, size);
  for (int i = 0; i < s->t.stages; i++)
    for (int c = 0; c < nz; c++) {
      double sum = 0, most = 0;
      for (int j = 0; j < s->t.stages; j++) {
        const double term = weight(s, i, j, c) * s->f[j * nz + c];
        sum += term;
        if (!(fabs(term) <= most)) most = fabs(term);
      }
      const double r = s->Z[i * nz + c] - z0[c] - h * sum;
      s->r[i * nz + c] = rattle__is_time_at(problem, c, s->Z[i * nz + c], r) ? 0 : -r;
      if (rattle__is_apart(problem, c)) continue;
      worst[c >= s->n] = rattle__greater(worst[c >= s->n], fabs(r));
      if (!(fabs(h) * most <= size[c >= s->n])) size[c >= s->n] = fabs(h) * most;
    }
  const double q = worst[0] / (DBL_EPSILON * size[0] + DBL_MIN),
               p = worst[1] / (DBL_EPSILON * size[1] + DBL_MIN);
  return rattle__greater(q, p);
}

/* I - h a_ij F_j */
static void assemble(rk *s, double h) {
  const int nz = 2 * s->n, stages = s->t.stages;
  double *A = s->matrix->value;
  for (int i = 0; i < stages; i++)
    for (int c = 0; c < nz; c++)
      for (int j = 0; j < stages; j++)
        for (int d = 0; d < nz; d++)
          *A++ = (i == j && c == d) -
                 h * weight(s, i, j, c) *
                     s->F[((size_t)j * (size_t)nz + (size_t)c) * (size_t)nz + (size_t)d];
}

/* Values and Jacobians at the stages. */
static rattle_status look(rk *s, int jacobian, rattle_error *error) {
  const size_t nz = 2 * (size_t)s->n;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < s->t.stages && !status; i++) {
    status = value(s, i, error);
    if (status || !jacobian) continue;
    s->map.context->counts.hessian++;
    status = rattle__field_jacobian(s->field, s->F + (size_t)i * nz * nz, error);
  }
  return status;
}

/* A stage where H or g is not finite is why, then. */
static rattle_status not_found(const rk *s, double r, int iterations, rattle_error *error) {
  for (int i = 0; i < s->t.stages && rattle__is_odd(r, iterations); i++) {
    const double *Z = s->Z + (size_t)i * 2 * (size_t)s->n;
    if (rattle__domain_error(s->map.context->problem, Z, error) == RATTLE_DOMAIN)
      return RATTLE_DOMAIN;
  }
  if (!(r <= DBL_MAX))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                        "the slope is not finite at the stages of the step: use a smaller step");
  rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
               "the stages of the step did not converge in %d iterations (residual %.3g times "
               "round-off): use a smaller step",
               iterations, r);
  if (error) error->iterations = iterations, error->residual = r;
  return RATTLE_NOT_CONVERGED;
}

static rattle_status solve(rk *s, double h, const double *z0, rattle_error *error) {
  const int size = s->t.stages * 2 * s->n;
  double previous = INFINITY;
  for (int k = 0;; k++) {
    rattle_status status = rattle__heed(s->map.context, error);
    if (!status) status = look(s, 1, error);
    if (status) return status;
    const double r = residual(s, h, z0);
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (r > s->map.context->residuals.iteration_residual && verdict == RATTLE__DONE)
      s->map.context->residuals.iteration_residual = r;
    if (verdict == RATTLE__DONE) return RATTLE_OK;
    if (verdict == RATTLE__GIVE_UP) return not_found(s, r, k, error);
    assemble(s, h);
    s->map.context->counts.factorisation++;
    s->map.context->counts.newton_iterations++;
    status = s->matrix->factor(s->matrix);
    if (status)
      return status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : not_found(s, r, k, error);
    s->matrix->solve(s->matrix, s->r);
    for (int e = 0; e < size; e++) s->Z[e] += s->r[e];
    previous = r;
  }
}

static rattle_status apply_implicit(rattle__map *map, double h, const double *z0, double *z1,
                                    rattle_error *error) {
  rk *s = map->self;
  const int n = s->n, nz = 2 * n;
  memcpy(s->Z, z0, (size_t)nz * sizeof *z0);
  rattle_status status = value(s, 0, error);
  if (status) return status;
  memcpy(s->r, s->f, (size_t)nz * sizeof *s->r);
  for (int i = 0; i < s->t.stages; i++)
    for (int c = 0; c < nz; c++) {
      double at = 0;
      for (int j = 0; j < s->t.stages; j++) at += weight(s, i, j, c);
      s->Z[i * nz + c] = z0[c] + h * at * s->r[c];
    }
  status = solve(s, h, z0, error);
  if (!status) finish(s, h, z0, z1);
  return status;
}

/* --- tangents --------------------------------------------------------------------------------- */

/* The stages of the last step, with values and Jacobians there. */
static rattle_status look_again(rk *s, double h, rattle_error *error) {
  const size_t nz = 2 * (size_t)s->n;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < s->t.stages && !status; i++) {
    double *Z = s->Z + (size_t)i * nz;
    for (size_t c = 0; c < nz && s->explicit_; c++) {
      double sum = 0;
      for (int j = 0; j < i; j++) sum += weight(s, i, j, (int)c) * s->f[(size_t)j * nz + c];
      Z[c] = s->from[c] + h * sum;
    }
    status = value(s, i, error);
    if (!status) status = rattle__field_jacobian(s->field, s->F + (size_t)i * nz * nz, error);
    s->map.context->counts.hessian++;
  }
  return status;
}

/* y = F_i x */
static void times(const rk *s, int i, const double *x, double *y) {
  const int nz = 2 * s->n;
  const double *F = s->F + (size_t)i * (size_t)nz * (size_t)nz;
  for (int c = 0; c < nz; c++) {
    y[c] = 0;
    for (int d = 0; d < nz; d++) y[c] += F[c * nz + d] * x[d];
  }
}

/* dZ_i = w + h sum_j a_ij f'(Z_j) dZ_j, dz1 = w + h sum_j b_j f'(Z_j) dZ_j */
static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  rk *s = map->self;
  const int nz = 2 * s->n, stages = s->t.stages;
  double *dZ = s->w, *slope = dZ + stages * nz;
  rattle_status status = look_again(s, h, error);
  if (!status && !s->explicit_) {
    assemble(s, h);
    status = s->matrix->factor(s->matrix);
    if (status)
      return rattle__fail(error, status, NULL,
                          "the derivative of the stages is singular: use a smaller step");
  }
  for (int k = 0; k < count && !status; k++) {
    double *w = W + (size_t)k * (size_t)nz;
    for (int i = 0; i < stages; i++) memcpy(dZ + i * nz, w, (size_t)nz * sizeof *w);
    if (!s->explicit_) s->matrix->solve(s->matrix, dZ);
    for (int i = 0; i < stages; i++) {
      for (int j = 0; j < i && s->explicit_; j++)
        for (int c = 0; c < nz; c++) dZ[i * nz + c] += h * weight(s, i, j, c) * slope[j * nz + c];
      times(s, i, dZ + i * nz, slope + i * nz);
    }
    for (int j = 0; j < stages; j++)
      for (int c = 0; c < nz; c++)
        w[c] += h * rattle__tableau_weights(&s->t, c >= s->n)[j] * slope[j * nz + c];
  }
  return status;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  rk *s = map->self;
  (void)h;
  return rattle__field_show(s->field, z, error);
}

static void destroy(rattle__map *map) {
  rk *s = map->self;
  rattle__field_destroy(&s->field);
  rattle__linear_destroy(&s->matrix);
  rattle__native_unload(&s->library);
}

int rattle__tableau_is_explicit(const rattle__tableau *t) {
  for (int i = 0; i < t->stages; i++)
    for (int j = i; j < t->stages; j++)
      if (t->a[i][j] != 0 || t->ahat[i][j] != 0) return 0;
  return 1;
}

/* The dense matrix of implicit stages. */
static rattle_status make_matrix(rk *s, rattle_error *error) {
  const int size = s->t.stages * 2 * s->n;
  if (size > MOST_UNKNOWNS)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "an implicit Runge-Kutta map of this field has %d unknowns, and at most %d "
                        "are supported: use an "
                        "explicit one such as rk4",
                        size, MOST_UNKNOWNS);
  int *ptr = rattle__arena_take(&s->map.context->arena, ((size_t)size + 1) * sizeof *ptr);
  int *col = rattle__arena_take(&s->map.context->arena, (size_t)size * (size_t)size * sizeof *col);
  if (!ptr || !col) return rattle__no_memory(error);
  for (int i = 0; i < size; i++) {
    ptr[i + 1] = (i + 1) * size;
    for (int j = 0; j < size; j++) col[i * size + j] = j;
  }
  return rattle__linear_create(&s->matrix, size, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}

rattle_status rattle__rk_create(rattle__map **map, rattle__context *context,
                                const rattle__tableau *tableau, const rattle__node *field,
                                rattle_error *error) {
  rattle__arena *arena = &context->arena;
  rk *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  const size_t nz = 2 * (size_t)context->problem->n, stages = (size_t)tableau->stages;
  *s = (rk){
      .t = *tableau, .n = context->problem->n, .explicit_ = rattle__tableau_is_explicit(tableau)};
  s->map = (rattle__map){.context = context,
                         .apply = s->explicit_ ? apply_explicit : apply_implicit,
                         .destroy = destroy,
                         .symmetric = tableau->symmetric,
                         .self = s};
  *map = &s->map;
  const int jacobian = !s->explicit_ || context->asked.tangents;
  rattle_status status = rattle__field_create(&s->field, context->problem, field, jacobian, error);
  if (status) return status;
  s->map.shows = rattle__field_shows(s->field);
  if (s->map.shows) s->map.output = output;
  if (s->explicit_) rattle__rk_native(&s->t, context, s->field, &s->run, &s->library);
  if (s->run) s->map.run = run;
  s->Z = rattle__arena_doubles(arena, stages * nz);
  s->f = rattle__arena_doubles(arena, stages * nz);
  s->r = rattle__arena_doubles(arena, stages * nz);
  if (!s->explicit_) status = make_matrix(s, error);
  if (!status && jacobian) s->F = rattle__arena_doubles(arena, stages * nz * nz);
  if (!status && context->asked.tangents) {
    s->from = rattle__arena_doubles(arena, nz);
    s->w = rattle__arena_doubles(arena, 2 * stages * nz);
    s->map.tangent = tangent;
  }
  return status ? status : arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
