/* Zeros and minima of a function of one variable.
 *
 * Source   T. R. Chandrupatla, Adv. Eng. Softw. 28 (1997) 145 (zeros); R. P. Brent, Algorithms for
 *          Minimization without Derivatives (1973), 5.8 (minima) */
#include "ground/support/zero.h"

#include <float.h>
#include <math.h>

/* The fraction of the way from x[0] to x[1] at which the parabola x(y) through three points is 0,
 * if it can be trusted there; else 1/2. */
static double interpolate(const double x[3], const double y[3]) {
  const double xi = (x[0] - x[1]) / (x[2] - x[1]), phi = (y[0] - y[1]) / (y[2] - y[1]);
  if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return 0.5;
  return y[0] / (y[1] - y[0]) * y[2] / (y[1] - y[2]) +
         (x[2] - x[0]) / (x[1] - x[0]) * y[0] / (y[2] - y[0]) * y[1] / (y[2] - y[1]);
}

int rattle__find_zero(rattle__scalar *f, void *self, const double ends[2], double *x, double *y) {
  /* the newest point, the other end of the bracket, the one before */
  double at[3] = {1, 0, 0}, value[3] = {ends[1], ends[0], ends[0]}, part = 0.5;
  for (;;) {
    const double here = at[0] + part * (at[1] - at[0]);
    const int failed = f(self, here, y);
    *x = here;
    if (failed) return failed;
    const int same = (*y > 0) == (value[0] > 0);
    at[2] = at[same ? 0 : 1], value[2] = value[same ? 0 : 1];
    if (!same) at[1] = at[0], value[1] = value[0];
    at[0] = here, value[0] = *y;
    const double least = DBL_EPSILON / fabs(at[1] - at[0]);
    if (*y == 0 || least > 0.5) return 0;
    part = interpolate(at, value);
    if (part < least) part = least;
    if (part > 1 - least) part = 1 - least;
  }
}

int rattle__find_dip(rattle__scalar *f, void *self, const double ends[2], double *x, double *y) {
  const double golden = 0.38196601125010515, near = 0x1p-26;
  double a = 0, b = 1, w = ends[0] < ends[1] ? 0 : 1, v = 1 - w, fw = ends[(int)w],
         fv = ends[(int)v], last = 1, before = 1;
  double best = w == 0 ? golden : 1 - golden, least;
  int failed = f(self, best, &least);
  while (!failed && least > 0 && b - a > 4 * near) {
    /* the parabola through the best three points, else the golden section */
    const double r = (best - w) * (least - fv), s = (best - v) * (least - fw);
    double p = (best - v) * s - (best - w) * r, q = 2 * (s - r), step = before;
    if (q > 0) p = -p;
    q = fabs(q);
    if (fabs(p) < fabs(0.5 * q * before) && p > q * (a - best) && p < q * (b - best)) {
      step = p / q, before = last;
      if (best + step - a < 2 * near || b - best - step < 2 * near)
        step = best < 0.5 * (a + b) ? near : -near;
    } else {
      before = best < 0.5 * (a + b) ? b - best : a - best;
      step = golden * before;
    }
    last = step;
    const double here = best + (fabs(step) >= near ? step : step > 0 ? near : -near);
    double value;
    failed = f(self, here, &value);
    if (failed) break;
    if (value <= least) {
      *(here >= best ? &a : &b) = best;
      v = w, fv = fw, w = best, fw = least, best = here, least = value;
    } else {
      *(here < best ? &a : &b) = here;
      if (value <= fw || w == best)
        v = w, fv = fw, w = here, fw = value;
      else if (value <= fv || v == best || v == w)
        v = here, fv = value;
    }
  }
  *x = best, *y = least;
  return failed;
}
