/* Coefficients of Runge-Kutta-Nystroem splittings (splittings.def). */
#include "coeff/splittings.h"

enum { FIRST_T, FIRST_V };
#define SPLITTING(name, first, ...) static const long double name[] = {__VA_ARGS__};
#include "coeff/splittings.def"
#undef SPLITTING

static const struct {
  const long double *half;
  int count, first;
} sets[RATTLE__METHOD_COUNT] = {
#define SPLITTING(name, first, ...) [RATTLE__METHOD_##name] = {name, (int)(sizeof name / sizeof *name), FIRST_##first},
#include "coeff/splittings.def"
#undef SPLITTING
};

int rattle__splitting_of(rattle__method_id id, rattle__rkn_splitting *splitting) {
  const int count = sets[id].count;
  if (!count) return 0;
  *splitting = (rattle__rkn_splitting){.parts = 2 * count - 1, .kick_first = sets[id].first == FIRST_V};
  for (int i = 0; i < count; i++) splitting->c[i] = splitting->c[2 * count - 2 - i] = (double)sets[id].half[i];
  return 1;
}
