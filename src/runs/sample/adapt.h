#ifndef RATTLE__ADAPT_H
#define RATTLE__ADAPT_H
/* The step of a warm-up, and the length of its paths, by dual averaging: M. D. Hoffman, A. Gelman,
 * J. Mach. Learn. Res. 15 (2014) 1593, equation (6), with their gamma = 0.05, t0 = 10, kappa = 0.75
 * and mu = log(10 h0). Both stay within bounds: where nothing is rejected the step would grow
 * without end. */
#include <math.h>

enum { RATTLE__ADAPT_NUMBERS = 4 };

/* state: transitions seen, H bar, log of the mean step, mu. */
static inline void rattle__adapt_begin(double *state, double h) {
  state[0] = state[1] = 0;
  state[2] = log(h);
  state[3] = log(10 * h);
}

/* The logarithm of the step that is asked for, wherever it may be. */
static inline double rattle__adapt_asked(const double *state) {
  return state[3] - sqrt(state[0]) / 0.05 * state[1];
}

/* The value that follows one for which what is to have the mean `target` was `seen`, and which
 * falls where that is too small. */
static inline double rattle__adapt(double *state, double target, double seen, double least,
                                   double most) {
  const double t = ++state[0], part = 1 / (t + 10), weight = pow(t, -0.75), low = log(least),
               high = log(most);
  state[1] = (1 - part) * state[1] + part * (target - seen);
  const double x = fmin(fmax(rattle__adapt_asked(state), low), high);
  state[2] = weight * x + (1 - weight) * state[2];
  return exp(x);
}

/* The same within so many parts and times the value with which it began; and 1: one below these is
 * asked for, -1: above. */
static inline double rattle__adapt_within(double *state, double target, double seen, double reach) {
  const double from = exp(state[3]) / 10;
  return rattle__adapt(state, target, seen, from / reach, from * reach);
}

static inline int rattle__adapt_beyond(const double *state, double reach) {
  const double far = rattle__adapt_asked(state) - (state[3] - log(10));
  return far <= -log(reach) ? 1 : far >= log(reach) ? -1 : 0;
}

static inline double rattle__adapted(const double *state) {
  return exp(state[2]);
}
#endif
