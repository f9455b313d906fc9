/* SHAKE and RATTLE with 113 bits: Newton's method for the multipliers around the whole map, its
 * matrix by differences.
 *
 * Stop     at round-off of g or psi, or where the residual stagnates within a million times that
 *          (long sums)
 * Fibres   straight: z + sum s_i X_{g_i}(z); else gauss(8) over parts with |f'| <= 1/4, which
 *          leaves 1e-33 */
#include "constraint/equation/iterate.h"
#include "maps/quad/quad.h"

#ifdef RATTLE_QUAD
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/guard/follow.h"

enum { ITERATIONS = 40, SWEEPS = 100, PARTS = 4000 };

/* out = sum_i s_i X_{g_i}(z) */
static void fibre_field(rattle__quad *k, const real *s, const real *z, real *out) {
  const int n = k->n;
  rattle__quad_constraint(k, z);
  memset(out, 0, 2 * (size_t)n * sizeof *out);
  for (int i = 0; i < k->m; i++)
    for (int c = 0; c < n; c++) {
      out[c] += s[i] * k->J[i * 2 * n + n + c];
      out[n + c] -= s[i] * k->J[i * 2 * n + c];
    }
}

/* A bound of |f'| at z: row sums by differences. */
static real steepness(rattle__quad *k, const real *s, const real *z) {
  const int nz = 2 * k->n;
  real most = 0, *sums = k->stage + nz, *there = k->stage + 2 * nz;
  fibre_field(k, s, z, k->slope);
  memset(sums, 0, (size_t)nz * sizeof *sums);
  for (int c = 0; c < nz; c++) {
    const real d = (1 + fabsq(z[c])) * (real)0x1p-40;
    memcpy(k->stage, z, (size_t)nz * sizeof *z);
    k->stage[c] += d;
    fibre_field(k, s, k->stage, there);
    for (int r = 0; r < nz; r++) sums[r] += fabsq((there[r] - k->slope[r]) / d);
  }
  for (int r = 0; r < nz; r++)
    if (!(sums[r] <= most)) most = sums[r];
  return most;
}

static int curved_part(rattle__quad *k, const real *s, real length, real *z) {
  enum { S = RATTLE__QUAD_FIBRE };
  const int nz = 2 * k->n;
  real last = INFINITY;
  memcpy(k->base, z, (size_t)nz * sizeof *z);
  for (int i = 0; i < S; i++) memcpy(k->stage + i * nz, z, (size_t)nz * sizeof *z);
  for (int round = 0; round < SWEEPS; round++) {
    for (int i = 0; i < S; i++) fibre_field(k, s, k->stage + i * nz, k->slope + i * nz);
    real change = 0, most = 0;
    for (int i = 0; i < S; i++)
      for (int c = 0; c < nz; c++) {
        real sum = 0;
        for (int j = 0; j < S; j++) sum += k->fibre_a[i][j] * k->slope[j * nz + c];
        const real next = k->base[c] + length * sum, moved = fabsq(next - k->stage[i * nz + c]);
        if (!(moved <= change)) change = moved;
        if (fabsq(next) > most) most = fabsq(next);
        k->stage[i * nz + c] = next;
      }
    if (!(change < 1e300)) return 1;
    if (change == 0 || (change < 1000 * REAL_EPSILON * most && change > last / 2)) break;
    last = change;
  }
  for (int i = 0; i < S; i++)
    for (int c = 0; c < nz; c++) z[c] += length * k->fibre_b[i] * k->slope[i * nz + c];
  return 0;
}

int rattle__quad_slide(rattle__quad *k, const real *s, real *z) {
  if (k->straight) {
    fibre_field(k, s, z, k->field);
    for (int c = 0; c < 2 * k->n; c++) z[c] += k->field[c];
    return 0;
  }
  const real norm = steepness(k, s, z);
  if (!(norm < PARTS / 4)) return 1;
  const int parts = 1 + (int)(4 * norm);
  for (int i = 0; i < parts; i++)
    if (curved_part(k, s, (real)1 / parts, z)) return 1;
  return 0;
}

/* The equation to solve: g(phi_h(exp(h lambda) z0)) = 0, or psi(exp(h sigma) z0) = 0. */
typedef struct equation {
  rattle__quad *k;
  const real *z0;
  real h;
  int hidden;
} equation;

/* unit [m] of round-off of sums of J_ic x_c: rattle__least_size. */
static void find_units(rattle__quad *k, const real *x) {
  const int n = k->n;
  real most[2] = {0, 0};
  for (int c = 0; c < 2 * n; c++)
    if (fabsq(x[c]) > most[c >= n]) most[c >= n] = fabsq(x[c]);
  for (int i = 0; i < k->m; i++) {
    k->unit[i] = (real)1e-300;
    for (int c = 0; c < 2 * n; c++) {
      const real least = rattle__least_share * most[c >= n],
                 size = fabsq(x[c]) > least ? fabsq(x[c]) : least;
      k->unit[i] += REAL_EPSILON * fabsq(k->J[i * 2 * n + c]) * size;
    }
  }
}

/* z, the residual [m] and its unit of round-off [m], from lambda. */
static int look(const equation *e, const real *lambda, real *z, real *residual) {
  rattle__quad *k = e->k;
  const int nz = 2 * k->n;
  if (rattle__heed(k->map.context, NULL)) return 1;
  for (int i = 0; i < k->m; i++) k->s[i] = e->h * lambda[i];
  memcpy(z, e->z0, (size_t)nz * sizeof *z);
  if (rattle__quad_slide(k, k->s, z)) return 1;
  if (e->hidden) {
    rattle__quad_hidden(k, z, residual);
  } else {
    if (rattle__quad_base(k, e->h, z)) return 1;
    rattle__quad_constraint(k, z);
    memcpy(residual, k->g, (size_t)k->m * sizeof *residual);
  }
  find_units(k, e->hidden ? k->field : z);
  return 0;
}

static real ratio_of(const rattle__quad *k, const real *residual) {
  real most = 0;
  for (int i = 0; i < k->m; i++) {
    const real r = fabsq(residual[i]) / k->unit[i];
    if (!(r <= most)) most = r;
  }
  return most;
}

/* The matrix at lambda, whose residual is k->residual, factored. */
static int differentiate(const equation *e, const real *lambda, real *z) {
  rattle__quad *k = e->k;
  real size = 1;
  for (int i = 0; i < k->m; i++)
    if (fabsq(lambda[i]) > size) size = fabsq(lambda[i]);
  const real d = size * (real)0x1p-52;
  for (int j = 0; j < k->m; j++) {
    memcpy(k->tried, lambda, (size_t)k->m * sizeof *lambda);
    k->tried[j] += d;
    if (look(e, k->tried, z, k->moved)) return 1;
    for (int i = 0; i < k->m; i++) k->M[i * k->m + j] = (k->moved[i] - k->residual[i]) / d;
  }
  return rattle__quad_factor(k->m, k->M, k->pivot + k->stages * 2 * k->n);
}

/* lambda from 0; z is where it leads. */
static int newton(const equation *e, real *z) {
  rattle__quad *k = e->k;
  rattle__course course = {.allowed_ratio = rattle__doubt_newton};
  const real in_double = REAL_EPSILON / DBL_EPSILON;
  real previous = INFINITY;
  int fresh = 1;
  memset(k->lambda, 0, (size_t)k->m * sizeof *k->lambda);
  for (int round = 0; round < ITERATIONS; round++) {
    if (look(e, k->lambda, z, k->residual)) return 1;
    const real r = ratio_of(k, k->residual);
    course.history[course.k = round] = (double)(r * in_double);
    k->doubtful |= rattle__falls_slowly(&course);
    if (r <= 1 || (round > 1 && r < 1e6 && r > previous / 2)) return k->doubtful;
    if (!(r < 1e300)) return 1;
    if (fresh && differentiate(e, k->lambda, z)) return 1;
    fresh = r > previous * (real)1e-10;
    previous = r;
    memcpy(k->tried, k->residual, (size_t)k->m * sizeof *k->tried);
    rattle__quad_solve(k->m, k->M, k->pivot + k->stages * 2 * k->n, k->tried);
    for (int i = 0; i < k->m; i++) k->lambda[i] -= k->tried[i];
    k->map.context->counts.newton_iterations++;
  }
  return 1;
}

int rattle__quad_project(rattle__quad *k, real *z) {
  memcpy(k->next, z, 2 * (size_t)k->n * sizeof *z);
  return newton(&(equation){k, k->next, 1, 1}, z);
}

int rattle__quad_step(rattle__quad *k, real h, real *z) {
  k->factored = 0;
  if (!k->slides) return rattle__quad_base(k, h, z);
  memcpy(k->next, z, 2 * (size_t)k->n * sizeof *z);
  if (newton(&(equation){k, k->next, h, 0}, z)) return 1;
  return k->projects && rattle__quad_project(k, z);
}

/* z -= J^T (J J^T)^-1 g until g = 0 */
static int onto(rattle__quad *k, real *z) {
  const int nz = 2 * k->n, m = k->m;
  real previous = INFINITY;
  for (int round = 0; round < ITERATIONS; round++) {
    real most = 0, unit = 0;
    rattle__quad_constraint(k, z);
    for (int i = 0; i < m; i++) {
      real size = 0;
      for (int c = 0; c < nz; c++) size += fabsq(k->J[i * nz + c] * z[c]);
      if (!(fabsq(k->g[i]) <= most)) most = fabsq(k->g[i]);
      if (size > unit) unit = size;
    }
    if (most <= REAL_EPSILON * unit || (most < 1e6 * REAL_EPSILON * unit && most > previous / 2))
      return 0;
    if (!(most < previous)) return 1;
    previous = most;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        k->M[i * m + j] = 0;
        for (int c = 0; c < nz; c++) k->M[i * m + j] += k->J[i * nz + c] * k->J[j * nz + c];
      }
    if (rattle__quad_factor(m, k->M, k->pivot)) return 1;
    rattle__quad_solve(m, k->M, k->pivot, k->g);
    for (int i = 0; i < m; i++)
      for (int c = 0; c < nz; c++) z[c] -= k->J[i * nz + c] * k->g[i];
  }
  return 1;
}

int rattle__quad_start(rattle__quad *k, real *z) {
  return onto(k, z) || (k->projects && rattle__quad_project(k, z));
}
#endif
