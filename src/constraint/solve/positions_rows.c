/* The multipliers of SHAKE for natural problems: chord and Newton iterations on sparse rows of G,
 * or sweeps. Map and symbols: positions.h and maps/natural/natural.c.
 *
 * Matrix   A at the start of the step, factored by the last projection; if three more iterations
 *          are too few, Newton's R at the iterate once (docs/decisions/006-when-iterations-stop.md)
 * Guard    follow.h; the sign of det R, which is positive definite for h -> 0 */
#include "constraint/solve/positions.h"

#include <math.h>
#include <string.h>

#include "ground/expr/extended.h"
#include "constraint/step/drift.h"
#include "constraint/step/impulse.h"

static const char equations[] = "the equations for the multipliers";
static int worst(const rattle__positions *s) {
  return rattle__rows_worst(&s->momenta->rows, s->value, s->inverse_floor);
}

/* g, and G where J is wanted */
static rattle_status constraint_at(rattle__positions *s, const double *q, double *J,
                                   rattle_error *error) {
  int answer =
      J ? s->g->jacobian(s->g, q, s->value, J, s->work) : s->g->value(s->g, q, s->value, s->work);
  for (int i = 0; i < s->m && s->from_guess; i++) s->value[i] -= s->follower->level[i];
  s->context->counts.constraint++;
  s->context->counts.jacobian += J != NULL;
  return answer ? rattle__callback_error(answer, "constraint", error) : RATTLE_OK;
}

rattle_status rattle__positions_force(rattle__positions *s, rattle__point *point, const double *q,
                                      rattle_error *error) {
  int answer = s->V->jacobian(s->V, q, &point->V, point->V_q, s->work);
  s->context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* The carry of the z1 that is being made, NULL if sums are plain. */
static inline double *carry_of(const rattle__positions *s) {
  return s->context->carry ? s->carry1 : NULL;
}

void rattle__positions_kick(const rattle__positions *s, double c, const double *restrict V_q,
                            double *restrict p) {
  double *carry = carry_of(s);
  for (int i = 0; i < s->n && !carry; i++) p[i] -= c * V_q[i];
  for (int i = 0; i < s->n && carry; i++) rattle__carry_add(p + i, carry + s->n + i, -c * V_q[i]);
}

/* p -= c J^T w */
static inline void slide_along(rattle__positions *s, double c, const double *J, const double *w,
                               double *p) {
  double *carry = carry_of(s);
  if (!carry) {
    rattle__rows_subtract(&s->momenta->rows, c, J, w, p);
    return;
  }
  memset(s->impulse, 0, (size_t)s->n * sizeof(double));
  rattle__rows_subtract(&s->momenta->rows, c, J, w, s->impulse);
  rattle__carry_add_all(s->n, s->impulse, p, carry + s->n);
}

/* G0, B0 (and V0 where the scheme begins with a kick) at z0. */
static rattle_status cache_start(rattle__positions *s, const double *z0, rattle_error *error) {
  rattle__point *start = s->start;
  rattle_status status = RATTLE_OK;
  rattle__point_go(start, z0);
  if (!start->has_G) {
    status = constraint_at(s, z0, start->J, error);
    rattle__momenta_scale(s->momenta, start->J, start->B);
    s->momenta->factored = 0;
    start->has_G = !status;
  }
  if (!status && s->scheme.k1 != 0 && !start->has_V) {
    status = rattle__positions_force(s, start, z0, error);
    start->has_V = !status;
  }
  return status;
}

/* More than three further iterations to go at this rate? Then another matrix pays. */
static inline int too_slow(double r, double previous) {
  double rate = r / previous;
  return rate * rate * rate * r > 1;
}

/* R at the end at hand, factored */
static inline rattle_status factor_R(rattle__positions *s) {
  rattle__coupling_assemble(s->coupling, s->end->J, s->start->B, s->R->value);
  s->context->counts.factorisation++;
  return s->R->factor(s->R);
}

/* delta <- the correction of lambda for the residual in value (over h^2), by the matrix s->which */
static inline rattle_status find_delta(rattle__positions *s, rattle_error *error) {
  rattle__momenta *momenta = s->momenta;
  double scale = 1 / (s->h * s->h * momenta->factor);
  s->context->counts.newton_iterations++;
  rattle__linear *a = s->which == RATTLE__CHORD ? momenta->A : s->R;
  rattle_status status = RATTLE_OK;
  if (s->which == RATTLE__FRESH) status = factor_R(s);
  if (s->which == RATTLE__CHORD) status = rattle__momenta_factor(momenta, s->start->J, s->start->B);
  if (status) return rattle__not_factored(status, s->context->problem, equations, a->blame, error);
  for (int i = 0; i < s->m; i++) s->delta[i] = s->value[i] * scale;
  a->solve(a, s->delta);
  return RATTLE_OK;
}

static inline void drift(const rattle__positions *s, double c, const double *q0, double *q,
                         const double *restrict p) {
  rattle__drift(s->mass, c, q0, p, q, carry_of(s));
}

/* p1 after the kick k1; if there is a carry, q1 = q0 too. */
static inline void set_out(rattle__positions *s) {
  const double hk = s->h * s->scheme.k1, *p0 = s->z0 + s->n, *V_q = s->start->V_q;
  double *restrict p = s->z1 + s->n;
  const size_t half = (size_t)s->n * sizeof *p;
  if (s->context->carry) {
    memcpy(s->z1, s->z0, 2 * half);
    memcpy(s->carry1, s->context->carry, 2 * half);
    if (hk != 0) rattle__positions_kick(s, hk, V_q, p);
  } else if (hk != 0) {
    for (int i = 0; i < s->n; i++) p[i] = p0[i] - hk * V_q[i];
  } else {
    memcpy(p, p0, half);
  }
}

/* (q, p) from lambda where the force depends on it: kick k1, drift d1, kick k2, drift d2. */
static rattle_status drift_twice(rattle__positions *s, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  double *q = s->z1, *p = s->z1 + s->n;
  set_out(s);
  slide_along(s, s->h, s->start->J, s->lambda, p);
  drift(s, s->h * c->d1, s->z0, q, p);
  rattle_status status = rattle__positions_force(s, s->end, q, error);
  rattle__positions_kick(s, s->h * c->k2, s->end->V_q, p);
  drift(s, s->h * c->d2, q, q, p);
  return status;
}

/* Moves q as lambda += delta does. With plain sums p moves when lambda is complete; compensated, it
 * moves with q by each correction: a rounded sum of them would not be the kick that moved q. */
static void move(rattle__positions *s, const double *delta) {
  double *carry = carry_of(s);
  if (!carry) {
    rattle__rows_subtract(&s->momenta->rows, s->h * s->h * s->momenta->factor, s->start->B, delta,
                          s->z1);
    return;
  }
  slide_along(s, s->h, s->start->J, delta, s->z1 + s->n);
  rattle__carry_drift_all(s->mass, s->h, s->z1, carry, s->impulse, NULL);
}

/* --- the equation g(q1) = 0 for iterate.h ----------------------------------------------------- */

/* True if an iterate needs G, costly for long chains: for the next matrix, or as the likely
 * last. */
static inline int needs_jacobian(const rattle__positions *s, const rattle__course *c) {
  if (c->k == 0) return s->which == RATTLE__FRESH;
  return s->which == RATTLE__FRESH || c->k == 1 || c->previous * (c->previous / c->before) < 10;
}

/* lambda, and q where that takes it unless the force depends on it */
static rattle_status begin(void *self, rattle_error *error) {
  rattle__positions *s = self;
  (void)error;
  s->which = s->from_guess ? RATTLE__FRESH : s->first_matrix;
  memcpy(s->lambda, s->first, (size_t)s->m * sizeof(double));
  if (!rattle__drifts_once(s)) return RATTLE_OK;
  set_out(s);
  drift(s, s->h * s->scheme.d1, s->z0, s->z1, s->z1 + s->n);
  if (s->from_guess || s->guess) move(s, s->lambda);
  return RATTLE_OK;
}

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__positions *s = self;
  rattle_status status = rattle__drifts_once(s) ? RATTLE_OK : drift_twice(s, error);
  s->has_J = needs_jacobian(s, c);
  if (!status) status = constraint_at(s, s->z1, s->has_J ? s->end->J : NULL, error);
  if (c->k == 0 && !c->full_units) rattle__positions_measure(s);
  c->residual = rattle__rows_ratio(&s->momenta->rows, s->value, s->inverse_floor, &c->largest);
  return status;
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__positions *s = self;
  memcpy(on ? s->cheap : s->inverse_floor, on ? s->inverse_floor : s->cheap,
         (size_t)s->m * sizeof(double));
  return on ? rattle__positions_raise(s, s->inverse_floor, error) : RATTLE_OK;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__positions *s = self;
  if (s->true_newton || s->from_guess || (c->k > 0 && too_slow(c->residual, c->previous)))
    s->which = RATTLE__FRESH;
  if (!s->has_J && s->which == RATTLE__FRESH) {
    rattle_status status = constraint_at(s, s->z1, s->end->J, error);
    if (status) return status;
  }
  if (c->k == 0)
    c->allowed_ratio = s->which == RATTLE__CHORD ? rattle__doubt_chord : rattle__doubt_newton;
  rattle_status status = find_delta(s, error);
  if (status) return status;
  if (s->which == RATTLE__FRESH) {
    c->sign = rattle__linear_side(s->R);
    s->which = RATTLE__KEPT;
  }
  for (int i = 0; i < s->m; i++) s->lambda[i] += s->delta[i];
  if (rattle__drifts_once(s)) move(s, s->delta);
  return RATTLE_OK;
}

/* --- compensated sums ------------------------------------------------------------------------- */

/* g at z1 with its carry: beyond double where g is an expression; end->J is G there. */
static void look_closely(rattle__positions *s) {
  if (s->room) {
    rattle__extended_value(s->g, s->z1, s->carry1, s->value, s->room);
    s->context->counts.constraint++;
    for (int i = 0; i < s->m && s->from_guess; i++) s->value[i] -= s->follower->level[i];
    return;
  }
  rattle__rows_multiply(&s->momenta->rows, s->end->J, s->carry1, s->delta);
  for (int i = 0; i < s->m; i++) s->value[i] += s->delta[i];
}

/* Compensated: corrections that move z1 by less than round-off, since where the iteration stops has
 * a sign, and the energy would follow it; then G anew. */
static rattle_status polish(rattle__positions *s, rattle_error *error) {
  const double enough = 0x1p-9;
  double largest;
  for (int k = 0; k < 4; k++) {
    look_closely(s);
    if (rattle__rows_ratio(&s->momenta->rows, s->value, s->inverse_floor, &largest) <= enough)
      break;
    rattle_status status = find_delta(s, error);
    if (status) return status;
    if (s->which == RATTLE__FRESH) s->which = RATTLE__KEPT;
    for (int i = 0; i < s->m; i++) s->lambda[i] += s->delta[i];
    move(s, s->delta);
    if (!s->room) break; /* beyond double nothing more is known of g */
  }
  return constraint_at(s, s->z1, s->end->J, error);
}

/* --- sweeps ----------------------------------------------------------------------------------- */

static rattle_status travel_again(void *self, rattle_error *error) {
  return drift_twice(self, error);
}

static rattle_status sweeps(rattle__positions *s, rattle__course *c, rattle_error *error) {
  const int there = rattle__drifts_once(s) || s->follower; /* by guarded_sweeps */
  rattle_status status = there ? RATTLE_OK : drift_twice(s, error);
  if (status) return status;
  const rattle__relaxation_start start = {.scale = s->h * s->h * s->momenta->factor,
                                          .q0 = s->z0,
                                          .J0 = s->start->J,
                                          .B0 = s->start->B,
                                          .again = rattle__drifts_once(s) ? NULL : travel_again,
                                          .least = rattle__positions_least(s),
                                          .raise = rattle__positions_raise,
                                          .self = s};
  status = rattle__relaxation_positions(s->relaxation, &start, s->z1, s->lambda, c, error);
  if (!s->follower) c->doubtful = 0;
  if (!status) status = constraint_at(s, s->z1, s->end->J, error);
  for (int i = 0; i < s->m; i++) c->largest = fmax(c->largest, fabs(s->value[i]));
  return status;
}

/* Sweeps where matrices can follow. The first sweep moves q row by row, away from the first g. */
static rattle_status guarded_sweeps(rattle__positions *s, rattle__course *c, rattle_error *error) {
  double *first = s->delta;
  rattle_status status = rattle__drifts_once(s) ? RATTLE_OK : drift_twice(s, error);
  if (!status) status = constraint_at(s, s->z1, NULL, error);
  if (status) return status;
  rattle__positions_measure(s);
  memcpy(first, s->value, (size_t)s->m * sizeof *first);
  status = sweeps(s, c, error);
  if (status) return status;
  const rattle__step_view view = rattle__positions_view(s);
  c->doubtful |= rattle__swept_astray(&view, first);
  return RATTLE_OK;
}

/* --- the step --------------------------------------------------------------------------------- */

static rattle_status newton(rattle__positions *s, rattle__course *c, rattle_error *error) {
  static const rattle__equation equation = {begin, evaluate, use_full_units, correct};
  rattle_status status = rattle__iterate(&equation, s, s->context, s->tol, c, error);
  if (c->gave_up) {
    const double *points[] = {s->z1, s->z0};
    c->worst = worst(s);
    return rattle__not_converged(s->context->problem, equations, c, points, 2, error);
  }
  if (!status && !s->has_J) status = constraint_at(s, s->z1, s->end->J, error);
  if (status || !s->context->carry) return status;
  if (c->k == 0) s->which = RATTLE__FRESH;
  return polish(s, error);
}

/* (q, p) of SHAKE up to its last kick, from the lambda in s->lambda: g(q1) = 0; end->J is G(q1). */
static rattle_status solve(rattle__positions *s, double h, const double *z0, double *z1,
                           rattle__course *c, rattle_error *error) {
  s->h = h;
  s->z0 = z0;
  s->z1 = z1;
  s->end->has_G = s->end->has_V = 0;
  c->largest = c->residual = 0;
  memcpy(s->first, s->lambda, (size_t)s->m * sizeof(double));
  const int relaxes = s->relaxation && !s->from_guess;
  if (relaxes) begin(s, error);
  rattle_status status =
      relaxes ? (s->follower ? guarded_sweeps : sweeps)(s, c, error) : newton(s, c, error);
  if (!status && rattle__drifts_once(s) && !s->context->carry)
    slide_along(s, h, s->start->J, s->lambda, z1 + s->n);
  return status;
}

static rattle_status solve_from_guess(void *self, double h, const double *z0, double *z1,
                                      rattle__course *c, rattle_error *error) {
  rattle__positions *s = self;
  s->from_guess = 1;
  rattle_status status = solve(s, h, z0, z1, c, error);
  s->from_guess = 0;
  return status;
}

/* For steps that begin off psi = 0: the slide h lambda of short steps is the one onto it. */
static rattle_status guess_from_psi(void *self, double h, const double *z0, double *lambda,
                                    rattle_error *error) {
  rattle__positions *s = self;
  rattle__momenta *momenta = s->momenta;
  const rattle_status status = rattle__momenta_factor(momenta, s->start->J, s->start->B);
  const int known = status == RATTLE_OK;
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  rattle__momenta_psi(momenta, s->start->J, s->start->B, z0 + s->n, lambda);
  if (known) momenta->A->solve(momenta->A, lambda);
  for (int i = 0; i < s->m; i++) lambda[i] = known ? lambda[i] / h : 0;
  return RATTLE_OK;
}

static rattle_status side(void *self, int *sign) {
  rattle__positions *s = self;
  const rattle_status status = factor_R(s);
  *sign = status ? -1 : rattle__linear_side(s->R);
  return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
}

static rattle_status follow(rattle__positions *s, double h, const double *z0, double *z1,
                            rattle__course *c, rattle_error *error) {
  if (s->follower) {
    rattle_status status = rattle__follow(s->follower, h, z0, z1, error);
    const int given_up = status == RATTLE_DEGENERATE || status == RATTLE_NOT_CONVERGED;
    if (given_up && rattle__positions_proved(s, h, z0, z1, c)) status = RATTLE_OK;
    c->largest = 0;
    for (int i = 0; i < s->m; i++) c->largest = fmax(c->largest, fabs(s->value[i]));
    return status;
  }
  const rattle__step_view view = rattle__positions_view(s);
  const int i = rattle__turned_constraint(&view);
  const char *name = rattle_problem_constraint_name(s->context->problem, i);
  rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "the gradient of constraint '%s' turned by more than a right angle in one step, so the "
      "sweeps may have found a "
      "solution on another sheet: use a smaller step, or solver=newton, which detects this",
      name);
  if (error) error->constraint = i;
  return RATTLE_DEGENERATE;
}

/* If the force between two drifts depends on the multipliers, the matrices lack its derivative: the
 * iteration converges at the rate (h omega)^2/4, slowly well before the step is too long. */
static rattle_status step_exactly(rattle__positions *s, double h, const double *z0, double *z1,
                                  int insist, rattle_error *error) {
  rattle_status status = insist ? s->exact->follow(s->exact, h, z0, z1, error)
                                : s->exact->apply(s->exact, h, z0, z1, error);
  if (!status) status = constraint_at(s, z1, s->end->J, error);
  if (!status) memcpy(s->lambda, s->exact->lambda, (size_t)s->m * sizeof(double));
  return status;
}

rattle_status rattle__positions_step(rattle__positions *s, double h, const double *z0, double *z1,
                                     int insist, rattle_error *error) {
  rattle__course c = {0};
  rattle_status status = cache_start(s, z0, error);
  if (status) return status;
  if (s->guess)
    memcpy(s->lambda, s->guess, (size_t)s->m * sizeof(double));
  else
    memset(s->lambda, 0, (size_t)s->m * sizeof(double));
  status = insist ? RATTLE_NOT_CONVERGED : solve(s, h, z0, z1, &c, error);
  if (s->exact && rattle__must_follow(status, &c)) return step_exactly(s, h, z0, z1, insist, error);
  const int doubtful = !status && rattle__positions_doubtful(s, &c);
  if (s->exact && doubtful) return step_exactly(s, h, z0, z1, 1, error);
  const int lost = status && (!s->relaxation || c.doubtful) && rattle__must_follow(status, &c);
  if (doubtful || lost) status = follow(s, h, z0, z1, &c, error);
  if (status) return status;
  rattle__record_kick(s->context, h, s->start->J, s->lambda, z0);
  s->context->counts.position_projections++;
  rattle_residuals *seen = &s->context->residuals;
  if (c.largest > seen->g) seen->g = c.largest;
  if (c.residual > seen->iteration_residual) seen->iteration_residual = c.residual;
  return RATTLE_OK;
}

void rattle__positions_advance(rattle__positions *s, const double *q1) {
  rattle__point *start = s->start;
  s->start = s->end;
  s->end = start;
  memcpy(s->start->q, q1, (size_t)s->n * sizeof *q1);
  s->start->has_G = 1;
}

rattle_status rattle__positions_slide(rattle__positions *s, rattle__point *point, double *z,
                                      double *carry, rattle_error *error) {
  double largest = 0;
  if (!s->relaxation) return rattle__momenta_slide(s->momenta, point->J, point->B, z, carry, error);
  rattle_status status =
      rattle__relaxation_momenta(s->relaxation, s->momenta, point->J, point->B, z, &largest, error);
  if (status) return status;
  s->context->counts.momentum_projections++;
  largest *= s->momenta->factor;
  if (largest > s->context->residuals.psi) s->context->residuals.psi = largest;
  return RATTLE_OK;
}

rattle_status rattle__positions_project(rattle__positions *s, double *z, rattle_error *error) {
  if (s->start->has_G && !memcmp(s->start->q, z, (size_t)s->n * sizeof *z))
    return rattle__positions_slide(s, s->start, z, NULL, error);
  rattle__point *point = s->end; /* what is known of the start stays */
  rattle_status status = constraint_at(s, z, point->J, error);
  if (status) return status;
  rattle__momenta_scale(s->momenta, point->J, point->B);
  s->momenta->factored = 0;
  status = rattle__positions_slide(s, point, z, NULL, error);
  s->momenta->factored = 0;
  return status;
}

const rattle__tracked_equation rattle__positions_on_psi = {
    .solve = solve_from_guess, .side = side, .guess_incomplete = 1};
const rattle__tracked_equation rattle__positions_off_psi = {
    .solve = solve_from_guess, .guess = guess_from_psi, .side = side, .guess_incomplete = 1};
