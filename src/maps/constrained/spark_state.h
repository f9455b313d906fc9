#ifndef RATTLE__SPARK_STATE_H
#define RATTLE__SPARK_STATE_H
/* Work of a step of spark_kernel.h. Plain C without includes: the text is handed to a compiler too.
 * Symbols: spark_natural.c. */
enum {
  RATTLE__SPARK_STAGES = 16,
  RATTLE__SPARK_SMALL = 4
}; /* stages; constraints of spark_small.h, with four times as many variables */

typedef struct rattle__stages {
  const void *self; /* for the functions of the library */
  /* of the stages: B = G W, W = M^-1; J and B hold the entries of G in its pattern, or all of them
   * (spark_small.h) */
  double *Q[RATTLE__SPARK_STAGES], *Vq[RATTLE__SPARK_STAGES], *J[RATTLE__SPARK_STAGES],
      *B[RATTLE__SPARK_STAGES];
  double *F, *d;                       /* [r][n] */
  double *L, *value;                   /* L; g at Q_2..Q_s [r][m] */
  double *unit_g, *delta, *scratch;    /* inverse round-off of g; scratch [r][m] */
  double unit_Q[RATTLE__SPARK_STAGES]; /* that of the equation for Q_i */
  double *pull, *psi, *floor;          /* N0 lambda; psi and its round-off, inverted [m] */
  double *size, *along;                /* scratch [n]; G_qq(v, .) in the pattern of G */
  double *N_start, *N_now, *LU,
      *R_now; /* N at the start; then at the end, and its factors; R's: of spark_small.h */
  double ratio, largest_g, largest_psi,
      potential;                       /* where the iteration ended; |g(q1)|, |psi(z1)|, V(q1) */
  double most_ratio, most_g, most_psi; /* the largest since they were last taken */
  long long newton, evaluations, forces,
      factors; /* iterations, evaluations of g and G, of V_q, matrices since then */
} rattle__stages;

/* The sizes, for loops whose length is known to the compiler; r = s - 1. */
typedef struct rattle__shape {
  int r, n, m, nnz;
  int full; /* W is not diagonal */
} rattle__shape;

/* The result of a step: made, left to the general iteration, or ended by a callback. */
typedef enum rattle__outcome { RATTLE__MADE, RATTLE__DOUBTFUL, RATTLE__ENDED } rattle__outcome;
#endif
