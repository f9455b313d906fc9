#ifndef RATTLE__ITERATE_H
#define RATTLE__ITERATE_H
/* The loop that solves the equations of a step: when an iteration has succeeded, when it gives up,
 * and when its result is in doubt.
 *
 * Residuals  the largest of all equations, each in units of its own round-off
 * Success    at 1 unit, or where the residual stagnates below 512 units: products of large terms
 *            cannot do better. A residual that stagnates above has a unit that does not know how
 *            its equation cancels: then, and only then, the units are raised to what rounding
 *            really makes of it (unit.h), the iteration begins again, and stagnation below 64 of
 *            those is success
 * Failure    a residual that is not finite, or RATTLE__ITERATIONS iterations: never a success
 * Doubt      with Newton's matrix r_1/r_0 is about half of Kantorovich's number K |delta|, with a
 *            fixed matrix about its contraction: below 1/8 and 0.3 there is one solution in reach.
 *            Residuals of no more than 1e4 units, or 256 raised ones, are displacements of some
 *            1e-12: no other sheet is that near. A hundred-thousandth of the first residual falls
 *            slowly only where the matrix is ill-conditioned. docs/guards.md has the rest */
#include "constraint/guard/rules/rules.h"
#include "constraint/equation/stopping.h"
#include "constraint/equation/verdict.h"
#include "constraint/step/context.h"

/* True if residuals fell slowly at some correction. */
static inline int rattle__falls_slowly(const rattle__course *c) {
  for (int k = 1; k <= c->k; k++)
    if (rattle__fell_slowly(c->history[0], c->history[k - 1], c->history[k], k, c->allowed_ratio,
                            c->full_units))
      return 1;
  return 0;
}

/* True if an iteration that gave up with r did so because a value is not finite: it neither
 * diverged nor went on to its end. */
static inline int rattle__is_odd(double r, int iterations) {
  return !(r <= DBL_MAX) || (r < 1e300 && iterations < RATTLE__ITERATIONS);
}

/* On the residuals r[0 .. k] of an algorithm for healthy steps, which has others to turn to:
 * RATTLE__GIVE_UP where their fall leaves doubt. */
static inline rattle__verdict rattle__judge_course(const double *r, int k) {
  if (!(r[k] < 1e300)) return RATTLE__GIVE_UP;
  if (k > 0 && rattle__fell_slowly(r[0], r[k - 1], r[k], k, rattle__doubt_newton, 0))
    return RATTLE__GIVE_UP;
  if (r[k] > RATTLE__ENOUGH && k > 0 && rattle__stagnates(r[k], r[k - 1], k))
    return RATTLE__GIVE_UP;
  return k ? rattle__judge(r[k], r[k - 1], k, 0) : RATTLE__GO_ON;
}

/* An equation for the loop: each function works on `self`, which holds the iterate. */
typedef struct rattle__equation {
  /* the first iterate, from what the loop was entered with; called again when units were raised.
   * NULL: the loop goes on from where it is, and doubt does not matter */
  rattle_status (*begin)(void *self, rattle_error *error);
  /* the residual at the iterate: c->residual, worst, largest; in full units where c->full_units is
   * 1 */
  rattle_status (*evaluate)(void *self, rattle__course *c, rattle_error *error);
  /* units from all that rounding makes of the iterate at hand, or (on = 0) the cheap ones again;
   * NULL: there are none */
  rattle_status (*use_full_units)(void *self, int on, rattle_error *error);
  /* one correction; c->allowed_ratio and c->sign where they are known */
  rattle_status (*correct)(void *self, rattle__course *c, rattle_error *error);
} rattle__equation;

/* Judges an iterate that stagnates in cheap units: if it is at round-off in the full units, these
 * take effect and c->full_units is 1. */
static inline rattle_status rattle__try_units(const rattle__equation *e, void *self,
                                              rattle__course *c, rattle_error *error) {
  const int no_unit = c->k == 0;
  rattle_status status = e->use_full_units(self, 1, error);
  c->full_units = 1;
  if (!status) status = e->evaluate(self, c, error);
  if (status || no_unit || c->residual < RATTLE__ENOUGH_OF_ALL) return status;
  c->full_units = 0;
  status = e->use_full_units(self, 0, error);
  c->residual = c->history[c->k];
  return status;
}

/* The same of the last correction. */
static inline int rattle__gains_little(const rattle__course *c) {
  return c->k > 0 && rattle__gained_little(c->residual, c->previous);
}

/* Success in raised units, which belong to the iterate at which they were raised; that may have run
 * away. *verdict: success in the units of the iterate at hand too, or not. */
static inline rattle_status rattle__confirm(const rattle__equation *e, void *self,
                                            rattle__course *c, rattle__verdict *verdict,
                                            rattle_error *error) {
  rattle_status status = e->use_full_units(self, 0, error);
  if (!status) status = e->use_full_units(self, 1, error);
  if (!status) status = e->evaluate(self, c, error);
  if (!(c->residual < RATTLE__ENOUGH_OF_ALL)) *verdict = RATTLE__GIVE_UP;
  return status;
}

/* One run of the loop. It ends early, without a result, where it finds that units are to be raised:
 * then c->full_units has become 1. */
static inline rattle_status rattle__iterate_once(const rattle__equation *e, void *self,
                                                 const rattle__context *context, double tol,
                                                 rattle__course *c, rattle_error *error) {
  const int full = c->full_units;
  c->sign = c->doubtful = 0;
  c->allowed_ratio = rattle__doubt_newton;
  c->previous = c->before = c->residual = INFINITY;
  rattle_status status = e->begin ? e->begin(self, error) : RATTLE_OK;
  if (status) return status;
  for (c->k = 0;; c->k++) {
    status = rattle__heed(context, error);
    if (!status) status = e->evaluate(self, c, error);
    if (status) return status;
    const double r = c->history[c->k] = c->residual;
    rattle__verdict verdict = rattle__judge_below(full ? RATTLE__ENOUGH_OF_ALL : RATTLE__ENOUGH, r,
                                                  c->previous, c->k, tol);
    const int no_unit = c->k == 0 && r >= 1e300 && r <= DBL_MAX;
    const int stalls = verdict == RATTLE__GO_ON && rattle__stagnates(r, c->previous, c->k);
    const int slow = verdict == RATTLE__DONE && e->begin && rattle__falls_slowly(c);
    if (!full && e->use_full_units && (no_unit || stalls || slow)) {
      status = rattle__try_units(e, self, c, error);
      if (status || c->full_units) return status;
    }
    c->doubtful |= !context->asked.trusts && (slow || rattle__is_beyond_fold(c->sign));
    if (verdict == RATTLE__DONE && full) status = rattle__confirm(e, self, c, &verdict, error);
    if (status) return status;
    if (verdict == RATTLE__DONE) return RATTLE_OK;
    c->gave_up =
        verdict == RATTLE__GIVE_UP || (c->must_be_near && rattle__is_in_vain(c->history, c->k));
    if (c->gave_up) return RATTLE_NOT_CONVERGED;
    status = e->correct(self, c, error);
    if (status) return status;
    c->before = c->previous;
    c->previous = r;
  }
}

/* Iterates to success, for steps of that context. If it gives up, it returns RATTLE_NOT_CONVERGED
 * without a message. */
static inline rattle_status rattle__iterate(const rattle__equation *e, void *self,
                                            const rattle__context *context, double tol,
                                            rattle__course *c, rattle_error *error) {
  c->full_units = c->gave_up = 0;
  c->worst = -1;
  rattle_status status = rattle__iterate_once(e, self, context, tol, c, error);
  return status || !c->full_units ? status : rattle__iterate_once(e, self, context, tol, c, error);
}

/* True if a solution, or the failure to find one, must be followed from h = 0. */
static inline int rattle__must_follow(rattle_status status, const rattle__course *c) {
  return status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR || status == RATTLE_DOMAIN ||
         (!status && c->doubtful);
}

/* The failure of the course as a message, `what` being "the equations for the multipliers", say:
 * NOT_CONVERGED, or DOMAIN if that is why at one of the points z[0 .. points). */
rattle_status rattle__not_converged(const rattle_problem *problem, const char *what,
                                    const rattle__course *c, const double *const *z, int points,
                                    rattle_error *error);
/* A singular matrix at constraint `blame` (-1: none), as a message. */
rattle_status rattle__singular_equations(const rattle_problem *problem, const char *what, int blame,
                                         rattle_error *error);
/* The same of equations whose matrix could not be factored: `status` is factor's. */
rattle_status rattle__not_factored(rattle_status status, const rattle_problem *problem,
                                   const char *what, int blame, rattle_error *error);
#endif
