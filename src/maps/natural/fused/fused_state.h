/* Work of a step of fused_kernel.h. Plain C without includes: the text is handed to a compiler too,
 * after that of ground/expr/real.h or of ground/expr/lanes_text.h. */
#ifndef RATTLE__FUSED_STATE
#define RATTLE__FUSED_STATE

enum { RATTLE__FUSED_MOST = 12 }; /* constraints */

/* Sizes of A = G M^-1 G^T by its factors (fused_in_ball.h). */
typedef struct rattle__fused_factors {
  REAL weight[RATTLE__FUSED_MOST]; /* 1 / A_ii */
  REAL dependence;                 /* A >= diag A / dependence; 0: not known */
} rattle__fused_factors;

typedef struct rattle__fused {
  const REAL *number; /* those of the problem that differ from trajectory to trajectory
                 (fused_numbers.h), or NULL */
  const void *self;   /* for CONSTRAINT and FORCE of the library */
  REAL *J0, *W0, *V0; /* at the start of the step: filled by the caller or by the last step */
  REAL *J1, *W1, *V1; /* at its end: filled here */
  rattle__fused_factors *factors0, *factors1; /* those of A at both ends, where FACTORS_NOTED */
  REAL *c0, *c1; /* compensated: what rounding took from z0 and from z1 */
  /* compensated: F = g(q + c), of which no digit of a double is lost; NULL if g is not an
   * expression */
  void (*precise)(const struct rattle__fused *k, const REAL *q, const REAL *c, REAL *F);
  REAL *multipliers; /* s: where the iteration begins, and what it found; NULL: it begins at 0.
                      Schemes of one drift */
  REAL potential;    /* V where V1 was taken */
  int (*look)(
      void *looks,
      const double
          *z); /* at the ends of many steps: 1: that step is not to be made; NULL: nobody does */
  void *looks;
  double t0,
      h; /* many steps of a problem with time: it is t0 + k h after k steps, of which `step` have
            been done */
  long long step;
  REAL twice;     /* p.M^-1 p where the step starts */
  REAL off, slip; /* bounds of |g| and |psi| where the first of the steps starts */
  int unproved;   /* 1: the multipliers of the step are not proved to be the end of its curve */
  int declines;   /* 1: the iteration ends as soon as it leaves doubt */
  int trusts;     /* 1: nothing is asked of a solution (step/context.h) */
  int iterations; /* Newton iterations of the step */
  REAL g, psi,
      most_residual; /* largest |g_i|, |psi_i| and residual at which an iteration ended, over the
                        steps done */
  long long newton, evaluations,
      forces; /* iterations, evaluations of g and G, of V_q, over the steps done */
} rattle__fused;

static inline void rattle__fused_exchange(REAL **a, REAL **b) {
  REAL *c = *a;
  *a = *b, *b = c;
}
/* G and its factors at the end of a step become those at the start of the next one. */
static inline void rattle__fused_turn_over(rattle__fused *k) {
  rattle__fused_factors *factors = k->factors0;
  rattle__fused_exchange(&k->J0, &k->J1);
  rattle__fused_exchange(&k->W0, &k->W1);
  k->factors0 = k->factors1, k->factors1 = factors;
}
/* Arguments of several trajectories at once (fused_lanes.h): a step alone of the one in a lane, 0
 * if it was taken; the substeps h [stages][lanes] of a step of each, 1 / h, and the numbers in
 * which they differ, [groups][count][lanes of a group]; with a CLOCK, the time t0 of each, and how
 * many steps it has made [lanes]: then steps end at t0 + k h, and stages = 1. */
typedef struct rattle__fused_alone {
  int (*step)(void *self, int lane, double h, const double *z0, double *z1);
  void *self;
} rattle__fused_alone;
typedef struct rattle__fused_given {
  const double *h, *inverse_h, *number, *t0, *step;
  int stages, count;
  /* WATCHED: least and largest H at the ends of steps, largest |g_i| and |psi_i| of each trajectory
   * [4][lanes], widened */
  double *seen;
} rattle__fused_given;
/* Additional work of the derivative of a step (tangent_kernel.h). */
typedef struct rattle__fused_bends {
  REAL *S0, *S1;       /* V'' at both ends */
  REAL *C0, *C1;       /* sum s_i g_i'' at the start, sum r_i g_i'' at the end */
  REAL *D;             /* the derivative of G along M^-1 p1, at the end */
  REAL *f, *v, *u, *x; /* scratch: [N], [2N], [N], [N] */
} rattle__fused_bends;
enum {
  RATTLE__PAIRS_MOST = 48,
  RATTLE__FORCES_MOST = 24,
  RATTLE__SLOPES_MOST = 256
}; /* of problems with forces: entries of f' */
enum {
  RATTLE__FUSED_OK,
  RATTLE__FUSED_NOT_CONVERGED,
  RATTLE__FUSED_SINGULAR,
  RATTLE__FUSED_DOUBTFUL,
  RATTLE__FUSED_UNPROVED, /* all is as after OK, but the multipliers may be those of another root */
  RATTLE__FUSED_CALLBACK,
  RATTLE__FUSED_REFUSED
};
#endif
