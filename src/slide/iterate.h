#ifndef RATTLE__ITERATE_H
#define RATTLE__ITERATE_H
/* The loop that solves the equations of a step: when an iteration has succeeded, when it gives up, and when its result is in doubt.
 *
 * Residuals  the largest of all equations, each in units of its own round-off
 * Success    at 1 unit, or where the residual stagnates below 512 units: products of large terms cannot do better. A residual that
 *            stagnates above has a unit that does not know how its equation cancels: then, and only then, the units are raised to
 *            what rounding really makes of it (unit.h), the iteration begins again, and stagnation below 64 of those is success
 * Failure    a residual that is not finite, or RATTLE__ITERATIONS iterations: never a success
 * Doubt      with Newton's matrix r_1/r_0 is about half of Kantorovich's number K |delta|, with a fixed matrix about its
 *            contraction: below 1/8 and 0.3 there is one solution in reach. Residuals of no more than 1e4 units, or 256 raised
 *            ones, are displacements of some 1e-12: no other sheet is that near. A millionth of the first residual falls slowly only
 *            where the matrix is ill-conditioned. docs/guards.md has the rest */
#include "step/map.h"

enum { RATTLE__ITERATIONS = 60 };
static const double rattle__doubt_newton = 0.125, rattle__doubt_chord = 0.3;

/* How an iteration went. */
typedef struct rattle__course {
  int k;                             /* corrections made */
  int worst;                         /* the constraint with the largest residual; -1: another equation */
  double residual, previous, before; /* the largest in units of round-off, now and at the two iterates before */
  double largest;                    /* |g| there, or |psi| */
  double part;                       /* what r_1/r_0 may be at most: depends on the matrix of the first correction */
  int raised;                        /* 1: the units are those of unit.h */
  int sign;                          /* of the determinant of Newton's matrix when it was last taken, relative to its limit for a
                                        vanishing step; 0: not known */
  int gave_up;                       /* 1: the loop did, without a message (see rattle__not_converged) */
  int doubtful;                      /* 1: the solution may belong to another sheet */
  double history[RATTLE__ITERATIONS + 1];
} rattle__course;

typedef enum rattle__verdict { RATTLE__GO_ON, RATTLE__DONE, RATTLE__GIVE_UP } rattle__verdict;

static inline int rattle__stagnates(double r, double previous, int k) {
  return k >= 2 && r > 0.5 * previous;
}

/* On residual r after `previous`, k corrections made; stagnation below `enough` is success. tol > 0, in the units of r: done
 * below it already. */
static inline rattle__verdict rattle__judge_below(double enough, double r, double previous, int k, double tol) {
  if (r <= 1.0 || r <= tol) return RATTLE__DONE;
  if (!(r < 1e300) || k >= RATTLE__ITERATIONS) return RATTLE__GIVE_UP;
  return r < enough && rattle__stagnates(r, previous, k) ? RATTLE__DONE : RATTLE__GO_ON;
}
static inline rattle__verdict rattle__judge(double r, double previous, int k, double tol) {
  return rattle__judge_below(512.0, r, previous, k, tol);
}

/* Whether an iteration that gave up with r did so since something is not finite: it neither diverged nor went on to its end. */
static inline int rattle__is_odd(double r, int iterations) {
  return !(r <= DBL_MAX) || (r < 1e300 && iterations < RATTLE__ITERATIONS);
}

/* Whether the fall of the residuals leaves doubt. */
static inline int rattle__falls_slowly(const rattle__course *c) {
  const double units = c->raised ? 256 : 1e4, small = fmax(units, 1e-5 * c->history[0]);
  for (int k = 1; k <= c->k; k++)
    if (c->history[k] > small && !(c->history[k] <= (k > 1 ? rattle__doubt_chord : c->part) * c->history[k - 1])) return 1;
  return 0;
}

/* With Newton's matrix J at the first iterate x = J^-1 (J_0 v), J_0 being its limit for h -> 0: whether x is far from v [m]. */
static inline int rattle__far(int m, const double *x, const double *v) {
  double most = 0, apart = 0;
  for (int i = 0; i < m; i++) {
    most = v[i] > most ? v[i] : -v[i] > most ? -v[i] : most;
    double d = x[i] > v[i] ? x[i] - v[i] : v[i] - x[i];
    if (!(d <= apart)) apart = d;
  }
  return !(apart <= 0.75 * most);
}

/* An equation for the loop: each function works on `self`, which holds the iterate. */
typedef struct rattle__equation {
  /* the first iterate, from what the loop was entered with; called again when units were raised. NULL: the loop goes on from where it
   * is, and doubt does not matter */
  rattle_status (*begin)(void *self, rattle_error *error);
  /* the residual at the iterate: c->residual, worst, largest; in raised units where c->raised is 1 */
  rattle_status (*look)(void *self, rattle__course *c, rattle_error *error);
  /* units from all that rounding makes of the iterate at hand, or (on = 0) the cheap ones again; NULL: there are none */
  rattle_status (*raise)(void *self, int on, rattle_error *error);
  /* one correction; c->part and c->sign where they are known */
  rattle_status (*correct)(void *self, rattle__course *c, rattle_error *error);
} rattle__equation;

/* Whether the iterate at hand, which stagnates in cheap units, is at round-off in the others; then they are in force, and c->raised is
 * 1. */
static inline rattle_status rattle__try_units(const rattle__equation *e, void *self, rattle__course *c, rattle_error *error) {
  const int no_unit = c->k == 0;
  rattle_status status = e->raise(self, 1, error);
  c->raised = 1;
  if (!status) status = e->look(self, c, error);
  if (status || no_unit || c->residual < 64) return status;
  c->raised = 0;
  status = e->raise(self, 0, error);
  c->residual = c->history[c->k];
  return status;
}

/* Success in raised units: they are those of the iterate where they were raised, which may have run away. Whether it is one in the units
 * of the iterate at hand too. */
static inline rattle_status rattle__confirm(const rattle__equation *e, void *self, rattle__course *c, rattle__verdict *verdict,
                                            rattle_error *error) {
  rattle_status status = e->raise(self, 0, error);
  if (!status) status = e->raise(self, 1, error);
  if (!status) status = e->look(self, c, error);
  if (!(c->residual < 64)) *verdict = RATTLE__GIVE_UP;
  return status;
}

/* One run of the loop. It ends early, without a result, where it finds that units are to be raised: then c->raised has become 1. */
static inline rattle_status rattle__iterate_once(const rattle__equation *e, void *self, double tol, rattle__course *c,
                                                 rattle_error *error) {
  const int raised = c->raised;
  c->sign = c->doubtful = 0;
  c->part = rattle__doubt_newton;
  c->previous = c->before = c->residual = INFINITY;
  rattle_status status = e->begin ? e->begin(self, error) : RATTLE_OK;
  if (status) return status;
  for (c->k = 0;; c->k++) {
    status = e->look(self, c, error);
    if (status) return status;
    const double r = c->history[c->k] = c->residual;
    rattle__verdict verdict = rattle__judge_below(raised ? 64.0 : 512.0, r, c->previous, c->k, tol);
    const int no_unit = c->k == 0 && r >= 1e300 && r <= DBL_MAX;
    const int stalls = verdict == RATTLE__GO_ON && rattle__stagnates(r, c->previous, c->k);
    const int slow = verdict == RATTLE__DONE && e->begin && rattle__falls_slowly(c);
    if (!raised && e->raise && (no_unit || stalls || slow)) {
      status = rattle__try_units(e, self, c, error);
      if (status || c->raised) return status;
    }
    c->doubtful |= slow || c->sign < 0;
    if (verdict == RATTLE__DONE && raised) status = rattle__confirm(e, self, c, &verdict, error);
    if (status) return status;
    if (verdict == RATTLE__DONE) return RATTLE_OK;
    c->gave_up = verdict == RATTLE__GIVE_UP;
    if (c->gave_up) return RATTLE_NOT_CONVERGED;
    status = e->correct(self, c, error);
    if (status) return status;
    c->before = c->previous;
    c->previous = r;
  }
}

/* Iterates to success. Where it gives up, RATTLE_NOT_CONVERGED is returned without a message. */
static inline rattle_status rattle__iterate(const rattle__equation *e, void *self, double tol, rattle__course *c,
                                            rattle_error *error) {
  c->raised = c->gave_up = 0;
  c->worst = -1;
  rattle_status status = rattle__iterate_once(e, self, tol, c, error);
  return status || !c->raised ? status : rattle__iterate_once(e, self, tol, c, error);
}

/* Whether a solution, or the failure to find one, is to be followed from h = 0. */
static inline int rattle__must_follow(rattle_status status, const rattle__course *c) {
  return status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR || status == RATTLE_DOMAIN || (!status && c->doubtful);
}

/* The failure of the course as a message, `what` being "the equations for the multipliers", say: NOT_CONVERGED, or DOMAIN if that is why at one of
 * the points z[0 .. points). */
rattle_status rattle__not_converged(const rattle_problem *problem, const char *what, const rattle__course *c,
                                    const double *const *z, int points, rattle_error *error);
/* A singular matrix at constraint `blame` (-1: none), as a message. */
rattle_status rattle__singular_equations(const rattle_problem *problem, const char *what, int blame, rattle_error *error);
#endif
