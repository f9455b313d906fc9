/* The rules for natural steps over sparse rows: residuals apart, gradients that turned, normal
 * spaces that did, and constraints that are not quadratic whose rows of G M^-1 G0^T are others at
 * the end or on the way of a long step. */
#include "constraint/guard/step.h"

#include <string.h>

#include "constraint/guard/rules/rules.h"

/* --- what a step over sparse rows says of itself, for step_rules.h ---------------------------- */

#define VIEW rattle__step_view
#define KERNEL_NAME(part) sparse_##part
#define KERNEL_INLINE static
#define LANES 0
#define M (k->m)
#define ONCE (k->once)
#define BETWEEN (k->between)
#define MATRIX (RATTLE__DENSE * RATTLE__DENSE)
#define ROW_NUMBERS(name) double *const name = k->room[OF_##name]
#define EACH_M(DO)                                                                                 \
  for (int i_ = 0; i_ < M; i_++) {                                                                 \
    DO(i_)                                                                                         \
  }
enum { OF_r, OF_r0, OF_from = OF_r, OF_to, OF_a };

static void sparse_rows(const double *J, double *W, const rattle__step_view *k) {
  if (!k->equal) rattle__mass_scale(k->mass, k->g, J, W);
}

static void sparse_gram_R(const double *J, const double *W, double *R, const rattle__step_view *k) {
  const rattle__coupling *c = k->coupling;
  double value[MATRIX];
  rattle__coupling_assemble(c, J, W, value);
  for (int i = 0; i < c->rows; i++)
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) R[i * c->rows + c->col[e]] = value[e];
}

static void sparse_compare_rows(const double *J, const double *A0, double *r, double *r0,
                                const rattle__step_view *k) {
  (void)A0;
  for (int i = 0; i < k->m; i++) {
    r[i] = rattle__row_along(k->rows, i, J, k->W0);
    r0[i] = rattle__row_along(k->rows, i, k->J0, k->W0);
  }
}

static void sparse_along_way(const double *z0, const double *z1, double *from, double *to,
                             double *a, const rattle__step_view *k) {
  for (int i = 0; i < k->g->vars; i++) k->q[i] = z1[i] - z0[i];
  rattle__rows_multiply(k->rows, k->J0, k->q, from);
  rattle__rows_multiply(k->rows, k->J1, k->q, to);
  for (int i = 0; i < k->m; i++) a[i] = k->factor * rattle__row_along(k->rows, i, k->J0, k->W0);
}

static int sparse_look_between(const double *z0, const double *z1, double part,
                               rattle__step_view *k) {
  for (int i = 0; i < k->g->vars; i++) k->q[i] = z0[i] + part * (z1[i] - z0[i]);
  k->context->counts.constraint++;
  k->context->counts.jacobian++;
  return k->g->jacobian(k->g, k->q, k->room[0], k->between, k->work);
}

#include "constraint/guard/rules/step_rules.h"

/* --- the judgement ---------------------------------------------------------------------------- */

int rattle__turned_constraint(const rattle__step_view *k) {
  for (int i = 0; i < k->m; i++)
    if (!rattle__is_upright(rattle__row_along(k->rows, i, k->J1, k->W0))) return i;
  return -1;
}

rattle__judgement rattle__judge_natural_step(rattle__step_view *k) {
  const rattle__drift_step step = {.n = k->g->vars,
                                   .clock = k->mass->clock - 1,
                                   .h = k->h,
                                   .k1 = k->k1,
                                   .z0 = k->z0,
                                   .V_q = k->V_q,
                                   .z1 = k->z1};
  const int compares = k->coupling && k->m > 1 && k->m <= RATTLE__DENSE && !k->declines;
  if (compares && sparse_normals_turned(k)) return RATTLE__FOLLOW;
  return k->between && !k->declines && sparse_went_astray(step, NULL, k) ? RATTLE__FOLLOW
                                                                         : RATTLE__SOUND;
}

/* To first order the correction leaves the residual first - h^2 A lambda. */
int rattle__swept_astray(const rattle__step_view *k, const double *first) {
  double *way = k->q, *left = k->room[0], largest;
  memset(way, 0, (size_t)k->g->vars * sizeof *way);
  rattle__rows_subtract(k->rows, -k->h * k->h * k->factor, k->W0, k->lambda, way);
  rattle__rows_multiply(k->rows, k->J0, way, left);
  for (int i = 0; i < k->m; i++) left[i] = first[i] - left[i];
  const double before = rattle__rows_ratio(k->rows, first, k->inverse_floor, &largest);
  const double after = rattle__rows_ratio(k->rows, left, k->inverse_floor, &largest);
  return rattle__fell_slowly(before, before, after, 1, rattle__doubt_chord, 0);
}
