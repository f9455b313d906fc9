/* Coefficients of Runge-Kutta-Nystroem splittings (splittings.def). */
#include "method/coefficients/splittings.h"

#include <string.h>

enum { FIRST_T, FIRST_V };
#define SPLITTING(name, first, ...) static const long double name[] = {__VA_ARGS__};
#include "method/coefficients/splittings.def"
#undef SPLITTING

static const struct {
  const char *name;
  const long double *half;
  int count, first;
} sets[] = {
#define SPLITTING(name, first, ...) {#name, name, (int)(sizeof name / sizeof *name), FIRST_##first},
#include "method/coefficients/splittings.def"
#undef SPLITTING
};

int rattle__splitting_of(const char *name, rattle__rkn_splitting *splitting) {
  size_t k = 0;
  while (k < sizeof sets / sizeof *sets && strcmp(sets[k].name, name)) k++;
  if (k == sizeof sets / sizeof *sets) return 0;
  const int count = sets[k].count;
  *splitting =
      (rattle__rkn_splitting){.parts = 2 * count - 1, .kick_first = sets[k].first == FIRST_V};
  for (int i = 0; i < count; i++)
    splitting->c[i] = splitting->c[2 * count - 2 - i] = (double)sets[k].half[i];
  return 1;
}
