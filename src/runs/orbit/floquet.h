#ifndef RATTLE__FLOQUET_H
#define RATTLE__FLOQUET_H
/* Floquet multipliers of an orbit whose arcs are linearised. */
#include "runs/orbit/shooting.h"

typedef struct rattle__floquet {
  int count, trivial;       /* the last `trivial` are 1: of the field, and of the
                                          * energy if it is conserved */
  double *real, *imaginary; /* [d] */
  double *M;                /* [d*d] by rows, in the basis of the first node */
  double radius;            /* the largest modulus of the others; NaN if there are none */
  double trivial_defect,
      pairing_defect; /* |M f - f|/|f|; the largest |mu mu' - 1|, NaN where there are no pairs */
} rattle__floquet;

/* real, imaginary and M are the caller's, and filled. */
rattle_status rattle__floquet_of(rattle__shooting *s, rattle__floquet *of, rattle_error *error);
#endif
