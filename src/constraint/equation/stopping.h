/* When an iteration has succeeded, and when it gives up: see iterate.h. Plain C without includes:
 * the text is handed to a compiler too, after that of constraint/guard/rules/rules.def (decision
 * 004), for several trajectories too: then each lane has its own answers (ground/expr/real.h). */
#ifndef RATTLE__STOPPING_H
#define RATTLE__STOPPING_H

/* How an iteration went. */
typedef struct rattle__course {
  int k;     /* corrections made */
  int worst; /* the constraint with the largest residual; -1: another equation */
  double residual, previous,
      before;           /* the largest in units of round-off, now and at the two iterates before */
  double largest;       /* |g| there, or |psi| */
  double allowed_ratio; /* what r_1/r_0 may be at most: depends on the matrix of the first
                        correction */
  int must_be_near;     /* 1: a result that the first correction was not near is of no use */
  int full_units;       /* 1: the units are those of unit.h */
  int sign;     /* of the determinant of Newton's matrix when it was last taken, relative to its
               limit for a vanishing step; 0: not known */
  int gave_up;  /* 1: the loop did, without a message (see rattle__not_converged) */
  int doubtful; /* 1: the solution may belong to another sheet */
  double history[RATTLE__ITERATIONS + 1];
} rattle__course;

/* The least size by which the round-off of a coordinate is judged, `most` being that of the largest
 * of its kind, q or p. A coordinate that a constraint holds at 0 (a rail y = 0) is a sum of terms
 * that cancel in each stage: its own size says nothing of its round-off. Stagnation does the
 * rest. */
static inline double rattle__least_size(double most) {
  return rattle__least_share * most;
}

/* True if a correction left more than a tenth, or no number: a kept matrix is renewed. */
static inline MASK rattle__gained_little(REAL r, REAL previous) {
  return NOT(r <= 0.1 * previous);
}

static inline MASK rattle__stagnates(REAL r, REAL previous, int k) {
  if (k < 2) return NOT(ALL);
  return r > 0.5 * previous;
}

/* True if an iteration has succeeded: with residual r after `previous`, k corrections made, it is
 * at one unit, or stagnates below enough of them. */
static inline MASK rattle__has_succeeded(REAL r, REAL previous, int k) {
  return (r <= 1.0) | ((r < RATTLE__ENOUGH) & rattle__stagnates(r, previous, k));
}
#endif
