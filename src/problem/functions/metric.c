/* H_pp at a point as the metric of rows of C, and a speed in it (velocity.h). */
#include <math.h>

#include "ground/support/error.h"
#include "problem/functions/velocity.h"

/* The roots of H_pp's diagonal, S being H'' where that is not constant. */
void rattle__reaction_roots(rattle__reaction *s) {
  const rattle__mass *W = rattle__inertia(s->problem);
  const rattle__function *H = s->problem->H;
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    double own = W ? W->diagonal[k] : 0;
    for (int e = W ? 0 : H->hess_ptr[n + k]; !W && e < H->hess_ptr[n + k + 1]; e++)
      if (H->hess_col[e] == n + k) own = s->S[e];
    s->root[k] = sqrt(fabs(own));
  }
}

double rattle__reaction_speed(const rattle__reaction *s, const double *p, const double *v) {
  double sum = 0;
  for (int k = 0; k < s->n; k++)
    if (k != s->problem->clock - 1) sum += fabs(p[k] * v[k]);
  return sqrt(sum);
}

/* H'', where H_pp is not constant */
rattle_status rattle__reaction_metric(rattle__reaction *s, const double *z, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  if (rattle__inertia(s->problem)) return RATTLE_OK;
  const int answer = H->hessian(H, z, NULL, s->S, s->work);
  if (!answer) rattle__reaction_roots(s);
  return rattle__answer(answer, "Hessian", error);
}

void rattle__reaction_image(const rattle__reaction *s, const double *x, double *y) {
  const rattle__mass *W = rattle__inertia(s->problem);
  const rattle__function *H = s->problem->H;
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    y[k] = W ? rattle__mass_times(W, 1, k, x) : 0;
    for (int e = W ? 0 : H->hess_ptr[n + k]; !W && e < H->hess_ptr[n + k + 1]; e++)
      if (H->hess_col[e] >= n) y[k] += s->S[e] * x[H->hess_col[e] - n];
  }
}

void rattle__reaction_reach(const rattle__reaction *s, const double *x, double *y) {
  const rattle__mass *W = rattle__inertia(s->problem);
  const rattle__function *H = s->problem->H;
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    y[k] = W ? rattle__mass_reach(W, k, x) : 0;
    for (int e = W ? 0 : H->hess_ptr[n + k]; !W && e < H->hess_ptr[n + k + 1]; e++)
      if (H->hess_col[e] >= n) y[k] += fabs(s->S[e]) * x[H->hess_col[e] - n];
  }
}
