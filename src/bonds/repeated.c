/* Bonds that repeat others follow from them; this is checked after each stage. */
#include <float.h>
#include <math.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"

/* The error of bond k: of its length, relative, or of its rate, relative to the speeds; and the
 * error that round-off of x may cause. */
static double left_of(const rattle_bonds *b, const rattle__bond_stage *stage, long long k,
                      double *round_off) {
  const int *pair = b->pair + 2 * (size_t)b->repeated[k];
  const size_t i = 3 * (size_t)pair[0], j = 3 * (size_t)pair[1];
  const double d = b->repeated_length[k];
  double r[3], far = 0, rr = 0, rate = 0, vv = 0;
  for (size_t e = 0; e < 3; e++) {
    const double xi = rattle__bond_at(stage, stage->x, i + e),
                 xj = rattle__bond_at(stage, stage->x, j + e);
    r[e] = xi - xj;
    far = fmax(far, fmax(fabs(xi), fabs(xj)));
  }
  for (int e = 2; e >= 0 && stage->box; e--) {
    const double n = nearbyint(r[e] / stage->box->edge[e][e]);
    for (int f = 0; f <= e; f++) r[f] -= n * stage->box->edge[e][f];
  }
  for (int e = 0; e < 3; e++) rr += r[e] * r[e];
  *round_off = (stage->single ? 2 * FLT_EPSILON : 16 * DBL_EPSILON) * (1 + far / d);
  if (stage->x0) return fabs(sqrt(rr) / d - 1);
  for (size_t e = 0; e < 3; e++) {
    const double vi = rattle__bond_at(stage, stage->v, i + e),
                 vj = rattle__bond_at(stage, stage->v, j + e);
    rate += r[e] * (vi - vj), vv += vi * vi + vj * vj;
  }
  return rate == 0 ? 0 : fabs(rate) / sqrt(rr * vv);
}

rattle_status rattle__bonds_check_repeated(const rattle_bonds *b, const rattle__bond_stage *stage,
                                           rattle_error *error) {
  for (long long k = 0; k < b->repeateds; k++) {
    double round_off;
    const double left = left_of(b, stage, k, &round_off);
    if (left <= fmax(b->tolerance, round_off)) continue;
    const int *pair = b->pair + 2 * (size_t)b->repeated[k];
    rattle__fail(error, RATTLE_NOT_CONVERGED, "bonds",
                 "the bond of atoms %d and %d, which should follow from others, is off by %.3g, "
                 "with a tolerance of %g: positions "
                 "before the step have other lengths, or these contradict one another",
                 pair[0], pair[1], left, b->tolerance);
    if (error) error->constraint = b->repeated[k];
    return RATTLE_NOT_CONVERGED;
  }
  return RATTLE_OK;
}
