#ifndef RATTLE__STAGES_H
#define RATTLE__STAGES_H
/* The stages of an implicit Runge-Kutta step, of which `lanes` are evaluated at once: number i is
 * lane i % lanes of block i/lanes, and the lanes that are left over repeat the last one. */
#include <stdint.h>

typedef struct rattle__stage_lanes {
  int n, count, lanes, blocks;
  double *a[2];     /* a_ij, of the momenta ahat_ij [blocks][count][lanes]: of block, j, lane */
  double *Z, *J;    /* points and gradients of H there [blocks][2n][lanes] */
  uint64_t *judged; /* all bits where the change of an entry counts, else 0 [2n] */
} rattle__stage_lanes;

/* Z_i <- z0 + h sum_j a_ij X_H(Z_j); size: how far q and p moved at most, then how large they are
 * at most; NaN where there is one. With 2, 4 and 8 lanes, and the same bits. */
void rattle__stages_2(const rattle__stage_lanes *s, double h, const double *z0, double size[2][2]);
void rattle__stages_4(const rattle__stage_lanes *s, double h, const double *z0, double size[2][2]);
void rattle__stages_8(const rattle__stage_lanes *s, double h, const double *z0, double size[2][2]);
#endif
