/* The growth of E^k v: see power_iteration.h. */
#include "constraint/guard/power_iteration.h"

#include <math.h>

#include "constraint/guard/rules/rules.h"

static double largest(int m, const double *v) {
  double most = 0;
  for (int i = 0; i < m; i++)
    if (!(fabs(v[i]) <= most)) most = fabs(v[i]);
  return most;
}

int rattle__spectral_radius_above_half(int m, rattle__change *change, void *self, double *v,
                                       double *y) {
  double growth = 1;
  for (int k = 0; k < RATTLE__POWERS; k++) {
    const double before = largest(m, v);
    if (!change(self, v, y)) return 1;
    const double after = largest(m, y);
    if (after == 0) return 0;
    if (k >= RATTLE__SETTLED) growth *= after / before;
    for (int i = 0; i < m; i++) v[i] = y[i] / after;
  }
  return !(growth <= pow(rattle__growth, RATTLE__POWERS - RATTLE__SETTLED));
}
