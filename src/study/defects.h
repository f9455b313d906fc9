#ifndef RATTLE__DEFECTS_H
#define RATTLE__DEFECTS_H
/* How far a method is from what symmetric and symplectic maps do, measured. */
#include "study/study.h"

typedef struct rattle__defects {
  double reversal;      /* max |R_{-h} R_h z - z| over some points, in units of the motion; NaN: a step failed */
  double symplecticity; /* largest change of the form over pairs of tangent vectors; NaN: a step failed, or not offered */
} rattle__defects;

/* Of the method with step h, at the start and at further points z [points*2n]. hidden: the tangent space is that of g = 0 and psi
 * = 0, else of g = 0 alone. Nothing is done to the study. */
void rattle__defects_measure(const rattle_study *study, const char *method, double h, const double *z, int points, int hidden,
                             rattle__job *job, rattle__defects *defects);
#endif
