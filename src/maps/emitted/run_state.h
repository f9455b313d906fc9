/* Part of a kernel's text: what the loop around the parts of a step and its callers share. Plain C
 * without includes, after ground/expr/real.h: each lane has its numbers, and counts are those of
 * all together. */
#ifndef RATTLE__EMITTED_RUN_STATE_H
#define RATTLE__EMITTED_RUN_STATE_H

typedef struct rattle__emitted_run {
  const void *self; /* of the library's own instance; of lanes their inputs (emitted.h) */
  REAL *x, *y;      /* its numbers */
  MASK is_known;    /* true: x are those of the end of the last step */
  int (*look)(void *looks, const REAL *z); /* true: the step that ends at z is not to be made;
                                                NULL: nobody asks */
  void *looks;
  /* since the caller took them: counts, and the largest residuals */
  long long evaluations, corrections, factorisations, landings;
  long long gradients, hessians; /* beside those of each evaluation and each Newton matrix */
  long long matrices;
  REAL g, psi, residual;
  REAL V; /* where the last step ended */
} rattle__emitted_run;
#endif
