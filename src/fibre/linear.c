/* Fibres of quadratic g: X_g is affine, so its flow is summed as a power series to round-off.
 *
 * Map      z' = sum_i s_i X_{g_i}(z) = A z + a over unit time, A = sum s_i J S_i with S_i = g_i'' constant
 * Tangent  y_j = dz/ds_j:  y_j' = A y_j + X_{g_j}(z);  summed together with z, term by term:
 *          z_{k+1} = (A z_k + [k=0] a)/(k+1),   y_{j,k+1} = (A y_{j,k} + A_j z_k + [k=0] a_j)/(k+1)
 * Steps    unit time is cut into equal parts with |A| <= 1/2 each, so that about 16 terms reach round-off
 * Symbols  J (p, -q) -> the symplectic unit; D_j(x) = X_{g_j}(x) - X_{g_j}(0) = A_j x */
#include "fibre/fibre.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TERMS = 40 };

typedef struct linear {
  rattle__fibre f;
  int nz;
  double *z0, *s;            /* start, slide */
  double *field;             /* X_{g_j}(x) - X_{g_j}(0) of one j [2n] */
  double *J, *value, *work;
  double *z, *term, *next;   /* [2n] */
  double *y, *y_term, *y_next; /* [m][2n] */
  double *offset;            /* a_j = X_{g_j}(0) [m][2n] */
  double *norm;              /* largest row sum of |A_j| [m] */
} linear;

static rattle_status jacobian(linear *l, const double *x, double *J, rattle_error *error) {
  const rattle__function *g = l->f.context->problem->g;
  int answer = g->jacobian(g, x, l->value, J, l->work);
  l->f.context->counts.jacobian++;
  return answer ? rattle__callback_error(answer, "constraint", error) : RATTLE_OK;
}

/* field = A_j x, J being g'(x) */
static void linear_field(linear *l, int j, const double *J) {
  const rattle__function *g = l->f.context->problem->g;
  int first = g->jac_ptr[j], count = g->jac_ptr[j + 1] - first;
  rattle__hamiltonian_field(l->f.n, J + first, g->jac_col + first, count, l->field);
  for (int i = 0; i < l->nz; i++) l->field[i] -= l->offset[(size_t)j * (size_t)l->nz + (size_t)i];
}

/* out = sum_j s_j (A_j x); J is g'(x) on return */
static rattle_status multiply(linear *l, const double *x, double *out, rattle_error *error) {
  rattle_status status = jacobian(l, x, l->J, error);
  memset(out, 0, (size_t)l->nz * sizeof *out);
  for (int j = 0; j < l->f.m && !status; j++) {
    linear_field(l, j, l->J);
    for (int i = 0; i < l->nz; i++) out[i] += l->s[j] * l->field[i];
  }
  return status;
}

/* z, and y where wanted, over one part of length 1/parts */
static rattle_status advance(linear *l, double length, int with_tangent, rattle_error *error) {
  int nz = l->nz, m = l->f.m;
  size_t bytes = (size_t)nz * sizeof(double);
  rattle_status status = RATTLE_OK;
  memcpy(l->term, l->z, bytes);
  memcpy(l->y_term, l->y, (size_t)m * bytes);
  for (int k = 0; k < TERMS && !status; k++) {
    double c = length / (k + 1), change = 0, size = 0;
    status = multiply(l, l->term, l->next, error);
    for (int j = 0; j < m && !status; j++) {
      double *offset = l->offset + (size_t)j * (size_t)nz, *y_next = l->y_next + (size_t)j * (size_t)nz;
      linear_field(l, j, l->J); /* A_j z_k: J still belongs to term k */
      memcpy(y_next, l->field, bytes);
      if (k == 0)
        for (int i = 0; i < nz; i++) {
          l->next[i] += l->s[j] * offset[i];
          y_next[i] += offset[i];
        }
    }
    for (int j = 0; j < m && with_tangent && !status; j++) {
      double *y_next = l->y_next + (size_t)j * (size_t)nz;
      status = multiply(l, l->y_term + (size_t)j * (size_t)nz, l->y_term + (size_t)j * (size_t)nz, error);
      for (int i = 0; i < nz; i++) l->y_term[j * nz + i] = c * (l->y_term[j * nz + i] + y_next[i]);
    }
    for (int i = 0; i < nz; i++) {
      l->term[i] = c * l->next[i];
      l->z[i] += l->term[i];
      change = fmax(change, fabs(l->term[i]));
      size = fmax(size, fabs(l->z[i]));
    }
    for (int i = 0; i < m * nz && with_tangent; i++) l->y[i] += l->y_term[i];
    if (!(change > 1e-3 * DBL_EPSILON * size)) break;
  }
  return status;
}

static rattle_status flow(linear *l, int with_tangent, rattle_error *error) {
  double norm = 0; /* a bound for |A| */
  size_t nz = (size_t)l->nz;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < l->f.m; j++) norm += fabs(l->s[j]) * l->norm[j];
  if (!(norm < 1e4))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                        "a slide along the fibre is too long (|s g''| = %g): the multipliers diverge; use a smaller step", norm);
  int parts = (int)ceil(2 * norm);
  if (parts < 1) parts = 1;
  memcpy(l->z, l->z0, nz * sizeof(double));
  memset(l->y, 0, (size_t)l->f.m * nz * sizeof(double));
  for (int k = 0; k < parts && !status; k++) status = advance(l, 1.0 / parts, with_tangent, error);
  return status;
}

/* norm[j], from the columns A_j e_i */
static rattle_status norm_of(linear *l, int j, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  double *unit = l->term, *sums = l->next;
  memset(sums, 0, (size_t)l->nz * sizeof *sums);
  for (int i = 0; i < l->nz && !status; i++) {
    memset(unit, 0, (size_t)l->nz * sizeof *unit);
    unit[i] = 1;
    status = jacobian(l, unit, l->J, error);
    linear_field(l, j, l->J);
    for (int k = 0; k < l->nz; k++) sums[k] += fabs(l->field[k]);
  }
  for (int k = 0; k < l->nz; k++) l->norm[j] = fmax(l->norm[j], sums[k]);
  return status;
}

static rattle_status start(rattle__fibre *fibre, const double *z0, rattle_error *error) {
  linear *l = fibre->self;
  (void)error;
  memcpy(l->z0, z0, (size_t)l->nz * sizeof *z0);
  return RATTLE_OK;
}

static rattle_status slide(rattle__fibre *fibre, const double *s, double *z, rattle_error *error) {
  linear *l = fibre->self;
  memcpy(l->s, s, (size_t)fibre->m * sizeof *s);
  rattle_status status = flow(l, 0, error);
  memcpy(z, l->z, (size_t)l->nz * sizeof *z);
  return status;
}

static rattle_status derivative(rattle__fibre *fibre, double *Z, rattle_error *error) {
  linear *l = fibre->self;
  rattle_status status = flow(l, 1, error);
  memcpy(Z, l->y, (size_t)fibre->nnz * sizeof *Z);
  return status;
}

rattle_status rattle__fibre_linear(rattle__fibre **fibre, rattle__context *context, rattle_error *error) {
  const rattle__function *g = context->problem->g;
  rattle__arena *arena = &context->arena;
  rattle__fibre *f = rattle__fibre_dense(context, "linear");
  linear *l = rattle__arena_take(arena, sizeof *l);
  if (!f || !l) return rattle__no_memory(error);
  size_t nz = 2 * (size_t)f->n, m = (size_t)f->m;
  double **vectors[] = {&l->z0, &l->s, &l->field, &l->J, &l->value, &l->work, &l->z, &l->term, &l->next,
                        &l->y, &l->y_term, &l->y_next, &l->offset, &l->norm};
  size_t sizes[] = {nz, m, nz, (size_t)g->jac_nnz, m, g->work, nz, nz, nz, m * nz, m * nz, m * nz, m * nz, m};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  if (arena->failed) return rattle__no_memory(error);
  l->nz = (int)nz;
  l->f = *f;
  l->f.start = start;
  l->f.slide = slide;
  l->f.derivative = derivative;
  l->f.self = l;
  rattle_status status = jacobian(l, l->z0, l->J, error); /* at 0 */
  for (size_t j = 0; j < m; j++)
    rattle__hamiltonian_field(f->n, l->J + g->jac_ptr[j], g->jac_col + g->jac_ptr[j], g->jac_ptr[j + 1] - g->jac_ptr[j],
                              l->offset + j * nz);
  for (size_t j = 0; j < m && !status; j++) status = norm_of(l, (int)j, error);
  *fibre = &l->f;
  return status;
}
