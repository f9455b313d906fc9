#ifndef RATTLE__STAGES_H
#define RATTLE__STAGES_H
/* The stages of an implicit Runge-Kutta step, of which `lanes` are evaluated at once: number i is
 * lane i % lanes of block i/lanes, and the lanes that are left over repeat the last one. */
#include <stdint.h>

#include "ground/support/arena.h"
#include "maps/base/continued.h"
#include "method/coefficients/nodes.h"
#include "problem/functions/problem.h"

/* Entry c of stage i has less by a sum_k weight_ik force_kc. */
typedef struct rattle__stage_forces {
  int count; /* of k */
  double a;
  double *weight;      /* [blocks][count][lanes] */
  const double *force; /* [count][n] */
} rattle__stage_forces;

typedef struct rattle__stage_lanes rattle__stage_lanes;
struct rattle__stage_lanes {
  int n, count, lanes, blocks;
  double *a[2];  /* a_ij, of the momenta ahat_ij [blocks][count][lanes]: of block, j, lane */
  double *Z, *J; /* points and gradients of H there [blocks][2n][lanes] */
  rattle__stage_forces forces[2]; /* on coordinates and momenta, `count` each, the stages' or 0 */
  int64_t *judged; /* all bits but the sign where the change of an entry counts, else 0 [2n] */
  /* Z_i <- z0 + h sum_j a_ij X_H(Z_j), q (parts 1) or q and p (2); size, of q and p: how far they
   * moved at most, then how large they are at most; NaN where there is one. The same bits for all
   * numbers of lanes. */
  void (*improve)(const rattle__stage_lanes *s, int parts, double h, const double *z0,
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
/* As many forces as stages, with these weights, of stages as the rows. */
void rattle__stage_lanes_push(rattle__stage_lanes *s, rattle__arena *arena, int part,
                              double weight[RATTLE__STAGES][RATTLE__STAGES], const double *force);
/* Z_i <- z0 + t_i f, t_i [blocks * lanes] */
void rattle__stage_lanes_begin(const rattle__stage_lanes *s, const double *t, const double *z0,
                               const double *f);
/* Z_i <- the stages of the last step continued, which ended at z0. */
void rattle__stage_lanes_continue(const rattle__stage_lanes *s, const rattle__continued *past,
                                  const double *z0);
/* to <- the stages one after the other [count][2n] */
void rattle__stage_lanes_read(const rattle__stage_lanes *s, double *to);
/* J of all stages, several at once where H can; scratch: at, gradient [2n] and H's work.
 * Answers what H does. */
int rattle__stage_lanes_evaluate(const rattle__stage_lanes *s, const rattle__function *H,
                                 double *at, double *gradient, double *work);

/* `improve` with 2, 4 and 8 lanes. */
void rattle__stages_2(const rattle__stage_lanes *s, int parts, double h, const double *z0,
                      double size[2][2]);
void rattle__stages_4(const rattle__stage_lanes *s, int parts, double h, const double *z0,
                      double size[2][2]);
void rattle__stages_8(const rattle__stage_lanes *s, int parts, double h, const double *z0,
                      double size[2][2]);
#endif
