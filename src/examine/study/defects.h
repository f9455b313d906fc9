#ifndef RATTLE__DEFECTS_H
#define RATTLE__DEFECTS_H
/* How far a method is from what symmetric and symplectic maps do, measured. */
#include "examine/study/study.h"

typedef struct rattle__defects {
  double reversal; /* max |R_{-h} R_h z - z| over some points, in units of the motion; NaN: a step
                   failed */
  double symplecticity; /* largest change of the form over pairs of tangent vectors; NaN: a step
                        failed, or not offered */
  double known_to;      /* how far off symplecticity may be, by its differences */
} rattle__defects;

/* The method, step and points to measure. */
typedef struct rattle__subject {
  const char *method;
  double h;
  const double *z; /* [points*2n] further points in addition to the start, for the reversal */
  int points;
  int hidden; /* the tangent space is that of g = 0 and psi = 0; 0: of g = 0 alone */
} rattle__subject;

void rattle__defects_measure(const rattle_study *study, const rattle__subject *subject,
                             rattle__job *job, rattle__defects *defects);
#endif
