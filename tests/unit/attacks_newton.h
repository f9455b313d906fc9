#ifndef RATTLE_TESTS_ATTACKS_NEWTON_H
#define RATTLE_TESTS_ATTACKS_NEWTON_H
/* Newton's iteration of judges, with differences for derivatives, after their `residual`,
 * `unknowns_of` and `farthest`: a correction that is larger leads nowhere. */
#include "attacks_judge.h"

static int newton(const problem *k, real t, real *u, real *first, real *second, real *det) {
  const int n = unknowns_of(k);
  real last = INFINITY;
  *first = *second = 0;
  for (int count = 0; count < 30; count++) {
    real F[MOST], up[MOST], down[MOST], J[MOST][MOST], end[MOST], size = 0, scale = 1;
    residual(k, t, u, end, F);
    for (int j = 0; j < n; j++) {
      const real keep = u[j], step = 1e-6L * (1 + fabsl(keep));
      u[j] = keep + step, residual(k, t, u, end, up);
      u[j] = keep - step, residual(k, t, u, end, down);
      u[j] = keep;
      for (int i = 0; i < n; i++) J[i][j] = (up[i] - down[i]) / (2 * step);
    }
    if (!solve(n, J, F, det)) return 0;
    for (int i = 0; i < n; i++) {
      u[i] -= F[i];
      if (!(fabsl(F[i]) <= size)) size = fabsl(F[i]);
      if (fabsl(u[i]) > scale) scale = fabsl(u[i]);
    }
    if (!(size < farthest)) return 0;
    if (count == 0) *first = size;
    if (count == 1) *second = size;
    /* at round-off: no correction is much smaller than the one before */
    if (size < 1e-15L * scale || (size < 1e-11L * scale && size > last / 4)) return 1;
    last = size;
  }
  return 0;
}
#endif
