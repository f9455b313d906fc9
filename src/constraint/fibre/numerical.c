/* Fibres without closed form, integrated to round-off (McLachlan, Modin, Verdier, Wilkins (2014),
 * section 6).
 *
 * Map      z' = f(z) = sum_i s_i X_{g_i}(z) over unit time, by gauss(8) (order 16) in equal parts
 *          with |f'| <= 1/4 each, 1/2 at the end; stages by fixed-point iteration to stagnation
 * Tangent  y_j' = f'(z) y_j + X_{g_j}(z), by the same method at the same stages, one part after the
 *          other
 * Symbols  K_i = f(Z_i) [8][2n]; L_i = y_j' at stage i; D = derivative of g' along y (g'' y, in the
 *          pattern of g')
 * Cost     about 8 x 10 Jacobians of g per part
 * Fails    if the slide is too long: the multipliers diverge; if the iteration does not come to
 *          rest, as where the fibre ends */
#include "constraint/fibre/fibre.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "method/coefficients/nodes.h"

/* PARTS: slides of |f'| up to 64, some ten turns of a circle: longer ones come from diverging
 * iterations */
enum { S = RATTLE__FIBRE_STAGES, SWEEPS = RATTLE__FIBRE_SWEEPS, PARTS = 256 };

typedef struct numerical {
  rattle__fibre f;
  int nz, parts; /* of the last slide */
  long long evaluations;
  double a[RATTLE__STAGES][RATTLE__STAGES], b[RATTLE__STAGES];
  double *z0, *s, *z, *y;        /* start, slide, where we are; y [m][2n] */
  double *stage, *slope, *old;   /* [S][2n] */
  double *tangent, *tangent_old; /* [S][2n] */
  double *J, *D, *value, *room, *work, *field, *yi;
} numerical;

/* out += c X of row j of a Jacobian-shaped array */
static void add_field(const numerical *l, int j, double c, const double *J, double *out) {
  const rattle__function *g = l->f.context->problem->g;
  int n = l->f.n;
  for (int k = g->jac_ptr[j]; k < g->jac_ptr[j + 1]; k++) {
    int v = g->jac_col[k];
    if (v < n)
      out[n + v] -= c * J[k];
    else
      out[v - n] += c * J[k];
  }
}

static rattle_status jacobian(numerical *l, const double *z, rattle_error *error) {
  const rattle__function *g = l->f.context->problem->g;
  l->f.context->counts.jacobian++;
  l->evaluations++;
  return rattle__answer(g->jacobian(g, z, l->value, l->J, l->work), "constraint", error);
}

/* f(z) */
static rattle_status field(numerical *l, const double *z, double *out, rattle_error *error) {
  rattle_status status = jacobian(l, z, error);
  memset(out, 0, (size_t)l->nz * sizeof *out);
  for (int j = 0; j < l->f.m; j++) add_field(l, j, l->s[j], l->J, out);
  return status;
}

/* f'(z) y */
static rattle_status field_along(numerical *l, const double *z, const double *y, double *out,
                                 rattle_error *error) {
  const rattle__function *g = l->f.context->problem->g;
  int answer = rattle__function_along(g, z, y, l->D, l->work, l->room);
  l->evaluations++;
  memset(out, 0, (size_t)l->nz * sizeof *out);
  for (int j = 0; j < l->f.m; j++) add_field(l, j, l->s[j], l->D, out);
  return rattle__answer(answer, "constraint", error);
}

/* stage_i = base + length sum_j a_ij slope_j */
static void make_stages(numerical *l, double length, const double *base, const double *slope,
                        double *stage) {
  for (int i = 0; i < S; i++)
    for (int k = 0; k < l->nz; k++) {
      double sum = 0;
      for (int j = 0; j < S; j++) sum += l->a[i][j] * slope[j * l->nz + k];
      stage[i * l->nz + k] = base[k] + length * sum;
    }
}

/* How far x and y [S][2n] are apart, in parts of the largest: for q and p, which have units of
 * their own. */
static double change(const numerical *l, const double *x, const double *y) {
  double most[2] = {0, 0}, size[2] = {0, 0};
  for (int i = 0; i < S * l->nz; i++) {
    const int kind = i % l->nz >= l->f.n;
    const double d = fabs(x[i] - y[i]);
    if (!(d <= most[kind])) most[kind] = d;
    size[kind] = fmax(size[kind], fabs(x[i]));
  }
  return fmax(most[0] > 0 ? most[0] / size[0] : 0, most[1] > 0 ? most[1] / size[1] : 0);
}

/* True if the iteration is at its end: at round-off, or near it and no longer falling. It may rest
 * before: q learns of p, and p of q. */
static int settled(double change, double before) {
  return change <= DBL_EPSILON || (change < 1e-10 && !(change < before)) || !(change <= DBL_MAX);
}

/* SWEEPS were not enough: what they left is no point of the fibre, and no derivative of one. */
static rattle_status unsettled(double change, rattle_error *error) {
  return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                      "the motion along the fibre did not converge in %d sweeps (the last changed "
                      "it by %.3g of its size): use a smaller "
                      "step, or a fibre of the model's own",
                      SWEEPS, change);
}

/* one part for z; the stages stay for the tangent */
static rattle_status advance(numerical *l, double length, rattle_error *error) {
  rattle_status status = field(l, l->z, l->slope, error);
  for (int i = 1; i < S; i++)
    memcpy(l->slope + i * l->nz, l->slope, (size_t)l->nz * sizeof(double));
  double before = INFINITY;
  for (int k = 0; !status; k++) {
    memcpy(l->old, l->slope, (size_t)(S * l->nz) * sizeof(double));
    make_stages(l, length, l->z, l->slope, l->stage);
    for (int i = 0; i < S && !status; i++)
      status = field(l, l->stage + i * l->nz, l->slope + i * l->nz, error);
    const double d = change(l, l->slope, l->old);
    if (settled(d, before)) break;
    if (!status && k + 1 == SWEEPS) status = unsettled(d, error);
    before = d;
  }
  for (int i = 0; i < S; i++)
    for (int k = 0; k < l->nz; k++) l->z[k] += length * l->b[i] * l->slope[i * l->nz + k];
  return status;
}

/* the same part for the derivative y of z by s_j, or by the start (j < 0) */
static rattle_status advance_tangent(numerical *l, int j, double length, double *y,
                                     rattle_error *error) {
  double before = INFINITY;
  rattle_status status = RATTLE_OK;
  memset(l->tangent, 0, (size_t)(S * l->nz) * sizeof(double));
  for (int k = 0; !status; k++) {
    memcpy(l->tangent_old, l->tangent, (size_t)(S * l->nz) * sizeof(double));
    for (int i = 0; i < S && !status; i++) {
      double *slope = l->tangent + i * l->nz;
      for (int c = 0; c < l->nz; c++) {
        double sum = 0;
        for (int e = 0; e < S; e++) sum += l->a[i][e] * l->tangent_old[e * l->nz + c];
        l->yi[c] = y[c] + length * sum;
      }
      status = field_along(l, l->stage + i * l->nz, l->yi, slope, error);
      if (!status && j >= 0) status = jacobian(l, l->stage + i * l->nz, error);
      if (j >= 0) add_field(l, j, 1, l->J, slope);
    }
    const double d = change(l, l->tangent, l->tangent_old);
    if (settled(d, before)) break;
    if (!status && k + 1 == SWEEPS) status = unsettled(d, error);
    before = d;
  }
  for (int i = 0; i < S; i++)
    for (int c = 0; c < l->nz; c++) y[c] += length * l->b[i] * l->tangent[i * l->nz + c];
  return status;
}

/* How many parts a slide has whose |f'| is that at z. */
static rattle_status measure(numerical *l, const double *z, int *parts, rattle_error *error) {
  const int n = l->f.n;
  rattle_status status = RATTLE_OK;
  double *sums = l->old, block[2][2] = {{0, 0}, {0, 0}};
  for (int kind = 0; kind < 2; kind++) {
    memset(sums, 0, (size_t)l->nz * sizeof *sums);
    for (int i = kind * n; i < (kind + 1) * n && !status; i++) {
      memset(l->yi, 0, (size_t)l->nz * sizeof(double));
      l->yi[i] = 1;
      status = field_along(l, z, l->yi, l->field, error);
      for (int k = 0; k < l->nz; k++) sums[k] += fabs(l->field[k]);
    }
    for (int k = 0; k < l->nz; k++) block[k >= n][kind] = fmax(block[k >= n][kind], sums[k]);
  }
  const double norm = rattle__norm_of_blocks(block);
  if (!status && !(norm < PARTS / 4))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                        "the motion along the fibre is too long (|s g''| = %g): the multipliers "
                        "diverge; use a smaller step",
                        norm);
  *parts = status ? 1 : 1 + (int)(4 * norm);
  return status;
}

/* Vectors that go along with z, one after the other: derivatives by s, or by the start. */
typedef struct along {
  int count, by_s;
  double *y;
} along;

/* A part took that many evaluations; the step fails where it made all it may. */
static rattle_status spend(rattle__context *context, long long evaluations, rattle_error *error) {
  if (context->allowance > 0) {
    context->allowance -= evaluations;
    if (context->allowance <= 0) context->allowance = -1;
  }
  if (context->allowance >= 0) return RATTLE_OK;
  return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                      "step too long: it took all evaluations along fibres that a step may take; "
                      "use a smaller step, or a fibre of the model's own");
}

static rattle_status flow(numerical *l, along with, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  memcpy(l->z, l->z0, (size_t)l->nz * sizeof(double));
  if (with.by_s) memset(with.y, 0, (size_t)(with.count * l->nz) * sizeof(double));
  for (int k = 0; k < l->parts && !status; k++) {
    const long long before = l->evaluations;
    status = rattle__heed(l->f.context, error);
    if (!status) status = advance(l, 1.0 / l->parts, error);
    for (int j = 0; j < with.count && !status; j++)
      status = advance_tangent(l, with.by_s ? j : -1, 1.0 / l->parts,
                               with.y + (size_t)j * (size_t)l->nz, error);
    if (!status) status = spend(l->f.context, l->evaluations - before, error);
  }
  return status;
}

static rattle_status start(rattle__fibre *fibre, const double *z0, rattle_error *error) {
  numerical *l = fibre->self;
  (void)error;
  memcpy(l->z0, z0, (size_t)l->nz * sizeof *z0);
  memset(l->s, 0, (size_t)fibre->m * sizeof *l->s);
  l->parts = 1;
  return RATTLE_OK;
}

/* In as many parts as z0 asks for; in more, where the end asks for more than twice as many. */
static rattle_status slide(rattle__fibre *fibre, const double *s, double *z, rattle_error *error) {
  numerical *l = fibre->self;
  memcpy(l->s, s, (size_t)fibre->m * sizeof *s);
  int needed = 0;
  rattle_status status = measure(l, l->z0, &needed, error);
  for (l->parts = 0; needed > 2 * l->parts && !status;) {
    l->parts = needed;
    status = flow(l, (along){0, 0, NULL}, error);
    if (!status) status = measure(l, l->z, &needed, error);
  }
  memcpy(z, l->z, (size_t)l->nz * sizeof *z);
  return status;
}

static rattle_status derivative(rattle__fibre *fibre, double *Z, rattle_error *error) {
  numerical *l = fibre->self;
  rattle_status status = flow(l, (along){l->f.m, 1, l->y}, error);
  memcpy(Z, l->y, (size_t)fibre->nnz * sizeof *Z);
  return status;
}

static rattle_status tangent(rattle__fibre *fibre, int count, double *W, rattle_error *error) {
  return flow(fibre->self, (along){count, 0, W}, error);
}

rattle_status rattle__fibre_numerical(rattle__fibre **fibre, rattle__context *context,
                                      rattle_error *error) {
  const rattle__function *g = context->problem->g;
  rattle__arena *arena = &context->arena;
  rattle__fibre *f = rattle__fibre_dense(context, "numerical");
  numerical *l = rattle__arena_take(arena, sizeof *l);
  if (!f || !l) return rattle__no_memory(error);
  size_t nz = 2 * (size_t)f->n, m = (size_t)f->m, nnz = (size_t)g->jac_nnz;
  const rattle__array arrays[] = {{&l->z0, nz},
                                  {&l->s, m},
                                  {&l->z, nz},
                                  {&l->y, m * nz},
                                  {&l->stage, S * nz},
                                  {&l->slope, S * nz},
                                  {&l->old, S * nz},
                                  {&l->tangent, S * nz},
                                  {&l->tangent_old, S * nz},
                                  {&l->J, nnz},
                                  {&l->D, nnz},
                                  {&l->value, m},
                                  {&l->room, 2 * nnz + 2 * nz},
                                  {&l->work, g->work},
                                  {&l->field, nz},
                                  {&l->yi, nz}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  double c[RATTLE__STAGES];
  rattle__gauss_coefficients(S, c, l->b, l->a);
  l->nz = (int)nz;
  l->f = *f;
  l->f.start = start;
  l->f.slide = slide;
  l->f.derivative = derivative;
  l->f.tangent = tangent;
  l->f.self = l;
  *fibre = &l->f;
  return RATTLE_OK;
}
