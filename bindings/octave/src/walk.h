#ifndef RATTLE_OCTAVE_WALK_H
#define RATTLE_OCTAVE_WALK_H
/* Many steps of a session: of one length, or of lengths by their error. */
#include "session.h"

/* Points in rows of 2n numbers, and how the walk ended. */
struct points {
  std::vector<double> t, x;
  double next = 0; /* the length that the next step should have */
  octave_idx_type rejected = 0;
  bool failed = false;
  failure why;
};

/* Steps k, ..., k + steps - 1 from t0 + k h: the points after them, as far as they were reached. */
points walk_fixed(session &s, double t0, long long k, double h, const double *x,
                  octave_idx_type steps);

/* (coarse, fine): one step of h and two of h/2; returns |coarse - fine|/(2^order - 1) in each
 * component, an estimate of the error of fine; without what lies along fibres, where the method
 * does not determine it */
std::vector<double> doubled(session &s, double t, double h, const double *x, double *coarse,
                            double *fine);

struct tolerances {
  double relative;
  NDArray absolute; /* [1] or [2n] */
  double most;      /* |h| at most */
  bool norm;        /* the error's norm, not its largest component */
};

/* From (t, x) towards `end`, at most `steps` accepted steps, each of them two halves of h. A step
 * that has no solution is tried again at half its length. */
points walk_adaptive(session &s, double t, double h, double end, const double *x,
                     octave_idx_type steps, const tolerances &tol);

#endif
