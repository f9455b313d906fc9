#ifndef RATTLE__SPARK_STAGES_H
#define RATTLE__SPARK_STAGES_H
/* spark(s) for any H as one system for Newton's method: its equations (spark.c) and their
 * derivative by the start (spark_tangent.c). */
#include "maps/constrained/newton_frame.h"
#include "method/coefficients/nodes.h"

typedef struct rattle__spark_stages {
  rattle__implicit step;
  int s, n, m;
  double a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES], b[RATTLE__STAGES],
      c[RATTLE__STAGES];
  double limit[RATTLE__STAGES][RATTLE__STAGES]; /* (a ahat)_ik, i = 2..s, k = 1..s-1 */
  double off[RATTLE__STAGES];   /* limit^-1 c: the multipliers' part that psi(z0) asks for */
  double ahead[RATTLE__STAGES]; /* L_s by extrapolation from the others, times b_s */
  double *Z, *gradient;         /* stages and gradients of H there [s][2n] */
  double *F, *size;             /* F_j, and the sum of the sizes of its terms [s][n] */
  double *sigma, *g, *work;
  double *dz, *dF; /* derivatives of a stage and of F_j there along a vector [2n], [n] */
  int first_H, first_g, first_J; /* sources: Hessians of H, Hessians of L.g, Jacobians of g */
} rattle__spark_stages;

/* Places of the unknowns: Q_2..Q_s, P_1..P_s, L_1..L_{s-1}; stages count from 0. */
static inline int rattle__spark_Q(const rattle__spark_stages *k, int i) {
  return (i - 1) * k->n;
}
static inline int rattle__spark_P(const rattle__spark_stages *k, int i) {
  return (k->s - 1 + i) * k->n;
}
static inline int rattle__spark_L(const rattle__spark_stages *k, int i) {
  return (2 * k->s - 1) * k->n + i * k->m;
}

/* rattle__map.tangent of the step without its slide onto psi = 0, L_s being 0 */
rattle_status rattle__spark_tangent(rattle__map *map, double h, int count, double *W,
                                    rattle_error *error);
#endif
