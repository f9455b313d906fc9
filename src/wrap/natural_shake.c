/* The multipliers of SHAKE for natural problems: chord and Newton iterations, or sweeps. Map and symbols: natural.c.
 *
 * Matrix   A at the start of the step, which the last projection factored; where three more iterations would not do, Newton's
 * matrix R is taken once at the iterate in hand and kept (docs/decisions/006-when-iterations-stop.md) Guard    map/follow.h */
#include "wrap/natural_state.h"

#include <math.h>
#include <string.h>

/* G0, B0 (and V0 where the scheme begins with a kick) at z0. */
static rattle_status look_up_start(natural *s, const double *z0, rattle_error *error) {
  int known = s->known == z0 && s->known_clock == s->map.context->clock;
  rattle_status status = RATTLE_OK;
  if (!known) {
    status = constraint_at(s, z0, s->J0, error);
    scale_columns(s, s->J0, s->B0);
    s->known_A = 0;
  }
  if (!status && s->scheme.k1 != 0 && !(known && s->known_V)) status = force_at(s, z0, s->V0, error);
  return status;
}

/* Which matrix the corrections use: A at q0, R at the present iterate, or that R again. */
typedef enum matrix { CHORD, FRESH, KEPT } matrix;

/* More than three further iterations to go at this rate? Then another matrix pays. */
static inline int too_slow(double r, double previous) {
  double rate = r / previous;
  return rate * rate * rate * r > 1;
}

/* delta <- the correction of lambda for the residual in value (over h^2) */
static inline rattle_status correction(natural *s, double h, matrix which) {
  double scale = 1 / (h * h * s->factor);
  rattle_counts *counts = &s->map.context->counts;
  rattle__linear *a = which == CHORD ? s->A : s->R;
  counts->newton_iterations++;
  if (which == FRESH || (which == CHORD && !s->known_A)) {
    rattle__coupling_assemble(s->coupling, which == CHORD ? s->J0 : s->J1, s->B0, a->value);
    counts->factorisation++;
    if (a->factor(a)) {
      s->blame = a->blame;
      return RATTLE_SINGULAR;
    }
    if (which == CHORD) s->known_A = 1;
  }
  for (int i = 0; i < s->m; i++) s->delta[i] = s->value[i] * scale;
  a->solve(a, s->delta);
  return RATTLE_OK;
}

/* q = q0 + c M^-1 p; compensated: q0 is in q */
static inline void drift(const natural *s, double c, const double *q0, double *q, const double *restrict p) {
  double *carry = carry_of(s);
  for (int i = 0; i < s->n && !carry; i++) q[i] = q0[i] + c * s->inverse_mass[i] * p[i];
  for (int i = 0; i < s->n && carry; i++) rattle__carry_drift(q + i, carry + i, c * s->inverse_mass[i], p[i], carry[s->n + i]);
}

/* p1 after the kick k1; where there is a carry, q1 = q0 too. */
static inline void set_out(natural *s, double h, const double *z0, double *z1) {
  const double hk = h * s->scheme.k1, *p0 = z0 + s->n;
  double *restrict p = z1 + s->n;
  const size_t half = (size_t)s->n * sizeof *z1;
  if (s->map.context->carry) {
    memcpy(z1, z0, 2 * half);
    memcpy(s->carry1, s->map.context->carry, 2 * half);
    if (hk != 0) kick_by(s, hk, s->V0, p);
  } else if (hk != 0) {
    for (int i = 0; i < s->n; i++) p[i] = p0[i] - hk * s->V0[i];
  } else {
    memcpy(p, p0, half);
  }
}

/* (q, p) from lambda where the force depends on it: kick k1, drift d1, kick k2, drift d2. */
static rattle_status drift_twice(natural *s, double h, const double *z0, double *q, double *p, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  set_out(s, h, z0, q);
  slide_along(s, h, s->J0, s->lambda, p);
  drift(s, h * c->d1, z0, q, p);
  rattle_status status = force_at(s, q, s->V1, error);
  kick_by(s, h * c->k2, s->V1, p);
  drift(s, h * c->d2, q, q, p);
  return status;
}

/* Where lambda += delta takes q. With plain sums p learns of it when lambda is complete; compensated, both learn the same of each
 * correction: a rounded sum of them would not be the kick that moved q. */
static void correct(natural *s, double h, const double *delta, double *q, double *p) {
  double *carry = carry_of(s);
  if (!carry) {
    rattle__rows_subtract(&s->rows, h * h * s->factor, s->B0, delta, q);
    return;
  }
  slide_along(s, h, s->J0, delta, p);
  for (int i = 0; i < s->n; i++) rattle__carry_drift(q + i, carry + i, h * s->inverse_mass[i], s->impulse[i], 0);
}

/* A step that sweeps begin again with another lambda. */
typedef struct travel {
  natural *s;
  double h;
  const double *z0;
  double *z1;
} travel;

static rattle_status travel_again(void *self, rattle_error *error) {
  const travel *t = self;
  return drift_twice(t->s, t->h, t->z0, t->z1, t->z1 + t->s->n, error);
}

/* Whether an iterate needs G besides g: for the matrix to come, or since it is the last one if the rate holds. The others are
 * spared it: for long chains the writing of G would be the larger part of an iteration. */
static inline int needs_jacobian(int k, matrix which, double r, double previous) {
  if (k == 0) return which == FRESH;
  return which == FRESH || k == 1 || r * (r / previous) < 10;
}

/* g at z1 with its carry: beyond double where g is an expression; J1 is G there. */
static void look_closely(natural *s, const double *q) {
  if (s->room) {
    rattle__extended_value(s->g, q, s->carry1, s->value, s->room);
    s->map.context->counts.constraint++;
    for (int i = 0; i < s->m && s->careful; i++) s->value[i] -= s->follower->level[i];
    return;
  }
  rattle__rows_multiply(&s->rows, s->J1, s->carry1, s->delta);
  for (int i = 0; i < s->m; i++) s->value[i] += s->delta[i];
}

/* Compensated: corrections that move z1 by less than round-off, since where the iteration stops has a sign, and the energy would
 * follow it; then J1 anew. which: the matrix of the last one. */
static rattle_status polish(natural *s, double h, double *z1, matrix which, rattle_error *error) {
  const double enough = 0x1p-9;
  double largest;
  for (int k = 0; k < 4; k++) {
    look_closely(s, z1);
    if (rattle__rows_ratio(&s->rows, s->value, s->inverse_floor, &largest) <= enough) break;
    rattle_status status = correction(s, h, which);
    if (status) return failed(s, status, k, 0, z1, error);
    if (which == FRESH) which = KEPT;
    for (int i = 0; i < s->m; i++) s->lambda[i] += s->delta[i];
    correct(s, h, s->delta, z1, z1 + s->n);
    if (!s->room) break; /* beyond double nothing more is known of g */
  }
  return constraint_at(s, z1, s->J1, error);
}

/* Newton's iterations from lambda; q is where that takes it unless the force depends on lambda. */
static rattle_status newton(natural *s, double h, const double *z0, double *z1, rattle__rates *rates, double *residual,
                            double *largest, rattle_error *error) {
  matrix which = s->true_newton || s->projection != RATTLE__PROJECT_STEP ? FRESH : CHORD, last = FRESH;
  double *restrict q = z1, *restrict p = z1 + s->n, before = INFINITY, previous = INFINITY, r = 0;
  int drifts_once = s->scheme.d2 == 0;
  if (s->careful) which = FRESH;
  for (int k = 0;; k++) {
    rattle_status status = drifts_once ? RATTLE_OK : drift_twice(s, h, z0, q, p, error);
    int with_jacobian = needs_jacobian(k, which, previous, before);
    if (!status) status = constraint_at(s, q, with_jacobian ? s->J1 : NULL, error);
    if (status) return status;
    if (k == 0) rattle__rows_round_off(&s->rows, s->J0, q, z0, s->inverse_floor);
    r = rattle__rows_ratio(&s->rows, s->value, s->inverse_floor, largest);
    rattle__rate(rates, k, r, previous, which == CHORD ? rattle__doubt_chord : rattle__doubt_newton);
    rattle__verdict verdict = rattle__judge(r, previous, k, s->tol);
    if (verdict == RATTLE__GIVE_UP) return failed(s, RATTLE_NOT_CONVERGED, k, r, z1, error);
    if (s->true_newton || (k > 0 && too_slow(r, previous))) which = FRESH;
    if (!with_jacobian && (verdict == RATTLE__DONE || which == FRESH)) status = constraint_at(s, q, s->J1, error);
    if (status) return status;
    if (verdict == RATTLE__DONE) break;
    before = previous;
    previous = r;
    status = correction(s, h, which);
    if (which == FRESH) which = KEPT;
    if (status) return failed(s, status, k, r, z1, error);
    for (int i = 0; i < s->m; i++) s->lambda[i] += s->delta[i];
    if (drifts_once) correct(s, h, s->delta, q, p);
    last = which == CHORD ? CHORD : KEPT;
  }
  *residual = r;
  return s->map.context->carry ? polish(s, h, z1, last, error) : RATTLE_OK;
}

static rattle_status sweeps(natural *s, double h, const double *z0, double *z1, double *residual, double *largest,
                            rattle_error *error) {
  travel t = {s, h, z0, z1};
  rattle__swept_start start = {.scale = h * h * s->factor,
                               .q0 = z0,
                               .J0 = s->J0,
                               .B0 = s->B0,
                               .again = s->scheme.d2 == 0 ? NULL : travel_again,
                               .self = &t};
  rattle_status status = rattle__swept_positions(s->swept, &start, z1, s->lambda, residual, error);
  if (!status) status = constraint_at(s, z1, s->J1, error);
  *largest = 0;
  for (int i = 0; i < s->m; i++) *largest = fmax(*largest, fabs(s->value[i]));
  return status;
}

/* (q, p) of SHAKE up to its last kick, from the lambda in s->lambda: g(q1) = 0; J1 is G(q1). */
static rattle_status solve(natural *s, double h, const double *z0, double *z1, rattle__rates *rates, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  double *q = z1, *p = z1 + s->n;
  rattle_status status = RATTLE_OK;
  if (c->d2 == 0) {
    set_out(s, h, z0, z1);
    drift(s, h, z0, q, p);
    if (s->careful || s->guess) correct(s, h, s->lambda, q, p);
  }
  *rates = rattle__no_doubt;
  status = s->swept ? sweeps(s, h, z0, z1, &s->residual, &s->largest, error)
                    : newton(s, h, z0, z1, rates, &s->residual, &s->largest, error);
  if (!status && c->d2 == 0 && !s->map.context->carry) slide_along(s, h, s->J0, s->lambda, p);
  return status;
}

/* The same from another lambda, for the guard. */
rattle_status rattle__natural_solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                         rattle_error *error) {
  natural *s = self;
  memcpy(s->lambda, lambda, (size_t)s->m * sizeof(double));
  s->careful = 1;
  rattle_status status = solve(s, h, z0, z1, rates, error);
  s->careful = 0;
  memcpy(lambda, s->lambda, (size_t)s->m * sizeof(double));
  return status;
}

/* Sweeps cannot start from elsewhere. */
static rattle_status follow(natural *s, double h, const double *z0, double *z1, rattle_error *error) {
  if (s->follower) return rattle__follow(s->follower, h, z0, s->lambda, z1, error);
  int i = rattle__rows_turned(&s->rows, s->J1, s->B0);
  const char *name = rattle_problem_constraint_name(s->map.context->problem, i);
  rattle__fail(error, RATTLE_DEGENERATE, name,
               "the gradient of constraint '%s' turned by more than a right angle in one step: the sweeps may have found a "
               "solution on another sheet: use a smaller step, or solver=newton, which can tell",
               name);
  if (error) error->constraint = i;
  return RATTLE_DEGENERATE;
}

rattle_status rattle__natural_shake(natural *s, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__rates rates = rattle__no_doubt;
  rattle_status status = look_up_start(s, z0, error);
  if (status) return status;
  if (s->guess)
    memcpy(s->lambda, s->guess, (size_t)s->m * sizeof(double));
  else
    memset(s->lambda, 0, (size_t)s->m * sizeof(double));
  status = s->insist ? RATTLE_NOT_CONVERGED : solve(s, h, z0, z1, &rates, error);
  if (!status ? rates.doubtful || rattle__rows_turned(&s->rows, s->J1, s->B0) >= 0
              : s->follower && rattle__must_follow(status, &rates))
    status = follow(s, h, z0, z1, error);
  if (status) return status;
  s->map.context->counts.position_projections++;
  rattle_residuals *seen = &s->map.context->residuals;
  if (s->largest > seen->g) seen->g = s->largest;
  if (s->residual > seen->iteration_residual) seen->iteration_residual = s->residual;
  return RATTLE_OK;
}
