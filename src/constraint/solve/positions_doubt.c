/* Whether a positions step that converged leaves doubt: residuals, gradients that turned, multipliers that stretched it, and constraints that are not
 * quadratic whose matrix G M^-1 G0^T is another at its end or on the way of a long step (astray.h); of many constraints each is judged by itself. */
#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/astray.h"
#include "constraint/solve/positions.h"

/* The square of the cosine of an angle: sweeps that turn a gradient by more, 27 degrees, are followed. */
static const double turned = 0.8;

/* X B^T, dense */
static void product(const rattle__positions *s, const double *X, const double *B, double *dense) {
  const rattle__coupling *c = s->coupling;
  double value[RATTLE__DENSE * RATTLE__DENSE];
  rattle__coupling_assemble(c, X, B, value);
  memset(dense, 0, (size_t)(c->rows * c->rows) * sizeof *dense);
  for (int i = 0; i < c->rows; i++)
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) dense[i * c->rows + c->col[e]] = value[e];
}

/* J: G at another point of the way */
static int differs(const rattle__positions *s, const double *J) {
  const rattle__rows *rows = &s->momenta->rows;
  const double *J0 = s->start->J, *B0 = s->start->B;
  int little = 1, unknown;
  for (int i = 0; i < s->m; i++) {
    const double r = rattle__row_along(rows, i, J, B0), a = rattle__row_along(rows, i, J0, B0);
    if (rattle__rows_differ(1, &r, &a, &unknown)) return 1;
    little &= fabs(r - a) <= 0.1 * a;
  }
  if (little || s->m == 1 || s->m > RATTLE__DENSE) return 0;
  double R[RATTLE__DENSE * RATTLE__DENSE], A[RATTLE__DENSE * RATTLE__DENSE];
  product(s, J, B0, R);
  product(s, J0, B0, A);
  return rattle__differ(s->m, R, A);
}

/* Whether the normals at the end make large angles with those at the start. */
static int turned_away(const rattle__positions *s) {
  double R[RATTLE__DENSE * RATTLE__DENSE], A0[RATTLE__DENSE * RATTLE__DENSE], A1[RATTLE__DENSE * RATTLE__DENSE];
  product(s, s->end->J, s->start->B, R);
  if (!rattle__leans(s->m, R)) return 0;
  rattle__momenta_scale(s->momenta, s->end->J, s->end->B);
  product(s, s->start->J, s->start->B, A0);
  product(s, s->end->J, s->end->B, A1);
  return rattle__turned_away(s->m, R, A0, A1);
}

/* G_i M^-1 G_i^T at the start */
static double size_of(const rattle__positions *s, int i) {
  return s->momenta->factor * rattle__row_along(&s->momenta->rows, i, s->start->J, s->start->B);
}

/* Whether one of x [m] is more than that part of what a way along its gradient would make of it. */
static int exceeds(const rattle__positions *s, const double *x, double part, rattle__effort e) {
  for (int i = 0; i < s->m; i++)
    if (rattle__exceeds(x[i], size_of(s, i), part, e, s->h)) return 1;
  return 0;
}

/* Whether a step of one drift goes so far from tangential that something may have been between its ends. */
static int is_slanted(const rattle__positions *s, rattle__effort e) {
  double *d = s->plus, *change = s->delta; /* scratch between iterations */
  for (int k = 0; k < s->n; k++) d[k] = s->z1[k] - s->z0[k];
  for (int end = 0; end < 2; end++) {
    rattle__rows_multiply(&s->momenta->rows, end ? s->end->J : s->start->J, d, change);
    if (exceeds(s, change, rattle__slanted, e)) return 1;
  }
  return 0;
}

/* Whether G differs, or g is not near 0, at quarters of the way, schemes of two drifts: in its middle, and G alone. Where there is no answer, that is
 * doubt too. */
static int differs_between(const rattle__positions *s, rattle__effort e) {
  rattle_counts *counts = &s->context->counts;
  double *q = s->plus; /* scratch between iterations */
  const int once = s->scheme.d2 == 0;
  int differ = 0;
  for (int at = once ? 1 : 2; at <= (once ? 3 : 2) && !differ; at++) {
    for (int k = 0; k < s->n; k++) q[k] = s->z0[k] + 0.25 * at * (s->z1[k] - s->z0[k]);
    counts->constraint++;
    counts->jacobian++;
    differ = s->g->jacobian(s->g, q, s->delta, s->between, s->work) || differs(s, s->between);
    differ = differ || (once && exceeds(s, s->delta, rattle__far_off, e));
  }
  return differ;
}

/* Whether the first correction of the chord iteration, from g = `first` [m] at lambda = 0, would have been far from the lambda that sweeps found: to first
 * order it leaves the residual first - h^2 A lambda. */
static int is_far(const rattle__positions *s, const double *first) {
  const rattle__rows *rows = &s->momenta->rows;
  double *way = s->plus, *left = s->value, largest; /* scratch between iterations */
  memset(way, 0, (size_t)s->n * sizeof *way);
  rattle__rows_subtract(rows, -s->h * s->h * s->momenta->factor, s->start->B, s->lambda, way);
  rattle__rows_multiply(rows, s->start->J, way, left);
  for (int i = 0; i < s->m; i++) left[i] = first[i] - left[i];
  const double before = rattle__rows_ratio(rows, first, s->inverse_floor, &largest);
  const double after = rattle__rows_ratio(rows, left, s->inverse_floor, &largest);
  return rattle__fell_slowly(before, before, after, 1, rattle__doubt_chord, 0);
}

int rattle__positions_swept_far(const rattle__positions *s, const double *first) {
  const rattle__point *start = s->start, *end = s->end;
  rattle__momenta_scale(s->momenta, end->J, end->B);
  return rattle__rows_turn(&s->momenta->rows, start->J, start->B, end->J, end->B) < turned || is_far(s, first);
}

int rattle__positions_doubtful(const rattle__positions *s, const rattle__course *c) {
  const rattle__way way = {.n = s->n, .clock = s->mass->clock - 1, .h = s->h, .k1 = s->h * s->scheme.k1};
  const int once = s->scheme.d2 == 0;
  if (c->doubtful || rattle__rows_turned(&s->momenta->rows, s->end->J, s->start->B) >= 0) return 1;
  if (!s->follower) return 0;
  const rattle__effort e = rattle__effort_of(way, s->z0, s->start->V_q, s->z1);
  if (once && !s->relaxation && rattle__stretched(e.without, e.with, e.reach)) return 1;
  if (s->context->asked.declines) return 0;
  if (s->coupling && s->m > 1 && s->m <= RATTLE__DENSE && turned_away(s)) return 1;
  return s->between && (differs(s, s->end->J) || ((!once || is_slanted(s, e)) && differs_between(s, e)));
}
