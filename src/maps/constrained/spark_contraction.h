#ifndef RATTLE__SPARK_CONTRACTION_H
#define RATTLE__SPARK_CONTRACTION_H
/* Steps of spark_gauss(s) by contraction: the iteration (spark_contraction.c), N at the ends of a
 * step (spark_ends.c) and what round-off makes of an iterate (spark_units.c). Functions that answer
 * an int: 0, or doubt. */
#include "constraint/equation/unit.h"
#include "maps/base/continued.h"
#include "maps/base/stages.h"
#include "maps/constrained/spark_stages.h"

/* Steps of a scheme whose nodes are apart, for an H whose second derivatives are costly. Those that
 * are not made without doubt are left to `general`, which it owns, also where this fails; NULL:
 * they fail. remembers: the first guess continues the last step. */
rattle_status rattle__spark_contraction_create(rattle__map **map, rattle__context *context,
                                               const rattle__spark_scheme *scheme,
                                               rattle__map *general, int remembers,
                                               rattle_error *error);

/* Symbols: spark_contraction.c. Entries with the number of a node are those of node 0, 1, ... */
typedef struct rattle__spark_contraction {
  rattle__map map, *general;
  rattle__spark_scheme by;
  const rattle__function *H, *g;
  rattle__stage_lanes stages, nodes, columns; /* columns: (q, p), (q, 0), (q, G_i) */
  rattle__continued stages_before, L_before;  /* without memory unless they are asked for */
  int n, m, s;
  double inverse[RATTLE__STAGES * RATTLE__STAGES]; /* R^-1 [s][s] */
  double *begins;                                  /* where G_0, slope and N belong to [2n] */
  int known;
  double *slope;             /* gradient of H there [2n] */
  double *G;                 /* Jacobians at the nodes [s + 1][jac_nnz] */
  double *T, *value, *small; /* a node; g there; units of g there [2n], [s + 1][m], [s + 1][m] */
  double *L, *change;        /* [s][m] */
  double *V, *force, *pull;  /* M^-1 G_0^T [m][n]; G_k^T L_k, V times changes of L_k [s][n] */
  double *noise;             /* scratch [2][s][n] */
  double bend[RATTLE__STAGES][RATTLE__STAGES]; /* sum_j a_ij push_jk */
  double *z, *before, *E; /* the end [2n], N where the step began, scratch [m*m] */
  double *room, *work;    /* scratch [4n + 2m], and of H and g */
  rattle__linear *N;
  rattle__unit *unit;
} rattle__spark_contraction;

#define RATTLE__SPARK_DOUBT(condition)                                                             \
  if (condition) return 1

/* y [m] = G x of a node, and y [n] += a G^T x */
static inline void rattle__spark_times_G(const rattle__spark_contraction *s, int node,
                                         const double *x, double *y) {
  const double *G = s->G + (size_t)node * (size_t)s->g->jac_nnz;
  for (int i = 0; i < s->m; i++) {
    y[i] = 0;
    for (int e = s->g->jac_ptr[i]; e < s->g->jac_ptr[i + 1]; e++)
      y[i] += G[e] * x[s->g->jac_col[e]];
  }
}

static inline void rattle__spark_pull(const rattle__spark_contraction *s, int node, double a,
                                      const double *x, double *y) {
  const double *G = s->G + (size_t)node * (size_t)s->g->jac_nnz;
  for (int i = 0; i < s->m; i++)
    for (int e = s->g->jac_ptr[i]; e < s->g->jac_ptr[i + 1]; e++)
      y[s->g->jac_col[e]] += a * G[e] * x[i];
}

/* The slope at z, and N there, with G of a node, factored; V. */
int rattle__spark_take_N(rattle__spark_contraction *s, int node, const double *z);
/* p of z onto psi = 0, with N at the last node */
int rattle__spark_slide(rattle__spark_contraction *s, double *z);
/* True if N changed so much up to the end that it may have been singular on the way. */
int rattle__spark_N_turned(rattle__spark_contraction *s);

/* z1 before its slide, into s->z */
void rattle__spark_end(rattle__spark_contraction *s, double h, const double *z0);
/* The units of round-off of g at the nodes, from the terms G q; then from all that rounding makes
 * of g at the end. */
void rattle__spark_measure_g(rattle__spark_contraction *s, const double *q0);
int rattle__spark_raise_g(rattle__spark_contraction *s, double h, const double *z0);
/* The largest |g_i| of the nodes in its unit. */
double rattle__spark_residual(const rattle__spark_contraction *s);
/* The sizes of q and p whose round-off is that of the stages: of all terms of their equations, and
 * of what rounding of g makes of them. */
void rattle__spark_measure(rattle__spark_contraction *s, double h, const double *z0,
                           double size[2]);
#endif
