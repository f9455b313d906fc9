/* When an iteration has succeeded, when it gives up, and when its result is in doubt: see iterate.h. Plain C without includes: the text is
 * handed to a compiler too (decision 004). */
#ifndef RATTLE__VERDICT_H
#define RATTLE__VERDICT_H
enum {
  RATTLE__ITERATIONS = 60,
  RATTLE__HURRIED = 8,
  RATTLE__ENOUGH = 512 /* units of round-off: an iteration that stagnates below has succeeded */
};
static const double rattle__doubt_newton = 0.125, rattle__doubt_chord = 0.3;
static const double rattle__quickly = 1.0 / 64; /* what the first correction of a substep that the guard takes leaves at most */

/* How an iteration went. */
typedef struct rattle__course {
  int k;                             /* corrections made */
  int worst;                         /* the constraint with the largest residual; -1: another equation */
  double residual, previous, before; /* the largest in units of round-off, now and at the two iterates before */
  double largest;                    /* |g| there, or |psi| */
  double part;                       /* what r_1/r_0 may be at most: depends on the matrix of the first correction */
  int hurried;                       /* 1: a result that the first correction was not near is of no use */
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
  return rattle__judge_below(RATTLE__ENOUGH, r, previous, k, tol);
}

/* Whether the fall to residual r, the k-th, from `previous` leaves doubt, the first being `first`. */
static inline int rattle__fell_slowly(double first, double previous, double r, int k, double part, int raised) {
  const double units = raised ? 256 : 1e4, least = 1e-5 * first, small = least > units ? least : units;
  return k > 0 && r > small && !(r <= (k > 1 ? rattle__doubt_chord : part) * previous);
}

/* Whether any of them does. */
static inline int rattle__falls_slowly(const rattle__course *c) {
  for (int k = 1; k <= c->k; k++)
    if (rattle__fell_slowly(c->history[0], c->history[k - 1], c->history[k], k, c->part, c->raised)) return 1;
  return 0;
}

/* Whether the first correction left so much that it was far from the solution. */
static inline int rattle__was_far(const rattle__course *c) {
  return c->history[1] > 1e4 && !(c->history[1] <= rattle__quickly * c->history[0]);
}

/* Whether an iteration whose result is of use only if it was near from the start goes on in vain: by then units would have been raised. */
static inline int rattle__goes_on_in_vain(const rattle__course *c) {
  return c->hurried && c->k >= RATTLE__HURRIED && c->residual > 1e4 && rattle__was_far(c);
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
#endif
