/* Part of a kernel's text: what the loop of rolling_loop.h and its callers share. Plain C without
 * includes. */
#ifndef RATTLE__ROLLING_STATE_H
#define RATTLE__ROLLING_STATE_H

/* Numbers that the parts and the loop share: lambda, f, |f| in units, |g|; psi, |psi| in units,
 * sigma; N and N1, or their factors, R, C1 B; V and the kinetic energy. */
#define RATTLE__AT_LAMBDA(m) 0
#define RATTLE__AT_F(m) (m)
#define RATTLE__AT_RESIDUAL(m) (2 * (m))
#define RATTLE__AT_G(m) (3 * (m))
#define RATTLE__AT_PSI(m) (4 * (m))
#define RATTLE__AT_SLIP(m) (5 * (m))
#define RATTLE__AT_SIGMA(m) (6 * (m))
#define RATTLE__AT_N(m) (7 * (m))
#define RATTLE__AT_N1(m) ((7 + (m)) * (m))
#define RATTLE__AT_R(m) ((7 + 2 * (m)) * (m))
#define RATTLE__AT_TURN(m) ((7 + 3 * (m)) * (m))
#define RATTLE__AT_ENERGY(m) ((7 + 4 * (m)) * (m))

typedef struct rattle__rolling_run {
  const void *self;                          /* of the library's own instance */
  double *x, *y;                             /* its numbers */
  int is_known;                              /* 1: x are those of the end of the last step */
  int (*look)(void *looks, const double *z); /* true: the step that ends at z is not to be made;
                                                NULL: nobody asks */
  void *looks;
  /* since the caller took them: counts, and the largest residuals */
  long long evaluations, corrections, factorisations, landings;
  double g, psi, residual;
  double V; /* where the last step ended */
} rattle__rolling_run;
#endif
