#ifndef RATTLE__STAGES_H
#define RATTLE__STAGES_H
/* The stages of an implicit Runge-Kutta step, of which `lanes` are evaluated at once: number i is
 * lane i % lanes of block i/lanes, and the lanes that are left over repeat the last one. */
#include <stdint.h>

#include "ground/support/arena.h"
#include "method/coefficients/nodes.h"
#include "problem/functions/problem.h"

typedef struct rattle__stage_lanes rattle__stage_lanes;
struct rattle__stage_lanes {
  int n, count, lanes, blocks;
  double *a[2];         /* a_ij, of the momenta ahat_ij [blocks][count][lanes]: of block, j, lane */
  double *Z, *J;        /* points and gradients of H there [blocks][2n][lanes] */
  const double *off[2]; /* what coordinates and momenta have less, of block, entry, lane
                           [blocks][n][lanes]; NULL: nothing */
  uint64_t *judged;     /* all bits where the change of an entry counts, else 0 [2n] */
  /* Z_i <- z0 + h sum_j a_ij X_H(Z_j), a part of the entries, (0) q or (1) p; size: how far they
   * moved at most, then how large they are at most; NaN where there is one. The same bits for all
   * numbers of lanes. */
  void (*improve)(const rattle__stage_lanes *s, int part, double h, const double *z0,
                  double size[2][2]);
};

/* Entry c of stage i, in Z or J. */
static inline size_t rattle__stage_entry(const rattle__stage_lanes *s, int i, int c) {
  return ((size_t)(i / s->lanes) * 2 * (size_t)s->n + (size_t)c) * (size_t)s->lanes +
         (size_t)(i % s->lanes);
}

/* So many stages of the problem, in as many lanes as H has, or the fewest that hold all; all arrays
 * but `off` from the arena, which fails if there is no memory. */
void rattle__stage_lanes_create(rattle__stage_lanes *s, rattle__arena *arena,
                                const rattle_problem *problem, int count);
/* a of coordinates or momenta; rows: first .. first + count of them. */
void rattle__stage_lanes_weigh(rattle__stage_lanes *s, int part,
                               double a[RATTLE__STAGES][RATTLE__STAGES], int first);
/* J of all stages, several at once where H can; scratch: at, gradient [2n] and H's work.
 * Answers what H does. */
int rattle__stage_lanes_evaluate(const rattle__stage_lanes *s, const rattle__function *H,
                                 double *at, double *gradient, double *work);

/* `improve` with 2, 4 and 8 lanes. */
void rattle__stages_2(const rattle__stage_lanes *s, int part, double h, const double *z0,
                      double size[2][2]);
void rattle__stages_4(const rattle__stage_lanes *s, int part, double h, const double *z0,
                      double size[2][2]);
void rattle__stages_8(const rattle__stage_lanes *s, int part, double h, const double *z0,
                      double size[2][2]);
#endif
