#ifndef RATTLE__SPARK_STAGES_H
#define RATTLE__SPARK_STAGES_H
/* Specialised partitioned additive Runge-Kutta methods, for any H, as one system for Newton's
 * method: its equations (spark_stages.c) and their derivative by the start (spark_tangent.c). */
#include <string.h>

#include "maps/constrained/newton_frame.h"
#include "method/coefficients/tableau.h"

/* H acts at stages, constraints at nodes: node 0 is the start, node `blocks` the end.
 *   Q_i = q0 + h sum_j a_ij H_p(Z_j),  P_i = p0 - h sum_j ahat_ij H_q(Z_j) - h sum_k push_ik C_k
 *   T_k = q0 + h sum_j node_kj H_p(Z_j),  g(T_k) = 0 for k = 1 .. blocks,  C_k = G(T_k)^T L_k
 *   q1 = T_blocks,  p1 = p0 - h sum_j b_j H_q(Z_j) - h sum_k weight_k C_k  for k < blocks, then the
 *   slide onto psi = 0 */
typedef struct rattle__spark_scheme {
  int stages, blocks;
  int apart; /* 1: nodes are points by themselves; 0: T_k = Q_k, and Q_0 = q0 */
  double a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES], b[RATTLE__STAGES],
      c[RATTLE__STAGES];
  double node[RATTLE__STAGES][RATTLE__STAGES], push[RATTLE__STAGES][RATTLE__STAGES],
      weight[RATTLE__STAGES], time[RATTLE__STAGES]; /* time_k = sum_j node_kj */
} rattle__spark_scheme;

/* The numbers of the scheme alone. */
static inline rattle__constrained_tableau
rattle__spark_tableau(const rattle__spark_scheme *scheme) {
  const size_t row = sizeof scheme->b, all = sizeof scheme->a;
  rattle__constrained_tableau by = {.blocks = scheme->blocks};
  by.stages.stages = scheme->stages, by.stages.symmetric = 1;
  memcpy(by.stages.a, scheme->a, all), memcpy(by.stages.ahat, scheme->ahat, all);
  memcpy(by.stages.b, scheme->b, row), memcpy(by.weight, scheme->weight, row);
  memcpy(by.node, scheme->node, all), memcpy(by.push, scheme->push, all);
  return by;
}

/* From L_k, k < blocks, to others. */
typedef struct rattle__spark_limit {
  double matrix[RATTLE__STAGES][RATTLE__STAGES]; /* (node push)_ik, i = 1 .. blocks, k < blocks */
  double off[RATTLE__STAGES];   /* matrix^-1 time: the multipliers' part that psi(z0) asks for */
  double ahead[RATTLE__STAGES]; /* L_blocks by extrapolation from the others, times its weight */
} rattle__spark_limit;

typedef struct rattle__spark_stages {
  rattle__implicit step;
  rattle__spark_scheme by;
  rattle__spark_limit limit;
  int n, m;
  double *Z, *gradient;  /* stages and gradients of H there [stages][2n] */
  double *T;             /* nodes, with momenta that g(q) does not read [blocks + 1][2n] */
  double *force, *pulls; /* C_k, and the sums of the sizes of its terms [blocks][n] */
  double *sigma, *g, *work;
  double *dz, *dF; /* derivatives of a point and of forces there along a vector [2n], [n] */
  int first_H, first_g, first_J; /* sources: Hessians of H, Hessians of L.g, Jacobians of g */
} rattle__spark_stages;

/* Places of the unknowns: Q_i, P_i, nodes that are apart, L_k; one that is not there is below 0. */
static inline int rattle__spark_Q(const rattle__spark_stages *k, int i) {
  return (k->by.apart ? i : i - 1) * k->n;
}
static inline int rattle__spark_P(const rattle__spark_stages *k, int i) {
  return rattle__spark_Q(k, k->by.stages + i);
}
static inline int rattle__spark_T(const rattle__spark_stages *k, int node) {
  return node == 0 ? -1 : rattle__spark_Q(k, k->by.apart ? 2 * k->by.stages + node - 1 : node);
}
static inline int rattle__spark_body(const rattle__spark_stages *k) {
  return rattle__spark_Q(k, 2 * k->by.stages + (k->by.apart ? k->by.blocks : 0));
}
static inline int rattle__spark_L(const rattle__spark_stages *k, int node) {
  return rattle__spark_body(k) + node * k->m;
}

/* The step of the scheme without the slide onto psi = 0 at the end; with a tangent
 * (constraint/step/map.h) if the context asks for them. */
rattle_status rattle__spark_stages_create(rattle__map **map, rattle__context *context,
                                          const rattle__spark_scheme *scheme, rattle_error *error);
/* The same with it, and the guard of the whole step. */
rattle_status rattle__spark_create(rattle__map **map, rattle__context *context,
                                   const rattle__spark_scheme *scheme, rattle_error *error);
/* rattle__map.tangent of the step without its slide onto psi = 0, L_blocks being 0 */
rattle_status rattle__spark_tangent(rattle__map *map, double h, int count, double *W,
                                    rattle_error *error);
/* The pair of Lobatto as a scheme, and Gauss with the nodes of Lobatto. */
void rattle__spark_scheme_lobatto(int stages, rattle__spark_scheme *scheme);
void rattle__spark_scheme_gauss(int stages, rattle__spark_scheme *scheme);
/* The numbers that follow from a scheme. */
void rattle__spark_limits(const rattle__spark_scheme *scheme, rattle__spark_limit *limit);
#endif
