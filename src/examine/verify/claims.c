/* The measurements of each claim, with bounds that hold for all methods of the table and that wrong
 * maps exceed (tests/claims).
 *
 * round-off 2e-14 for residuals after 100 steps; 50 times that for a return; symplecticity is
 * measured by differences, whose error is 2e-11 */
#include <math.h>

#include "examine/verify/measure.h"

typedef struct listing {
  const rattle__measured_map *map;
  const rattle_claims *claims;
  rattle__measured *found;
  int (*take)(void *self, const rattle__finding *finding);
  void *self;
} listing;

static int give(const listing *l, const char *claim, const char *what, double measured,
                double bound) {
  const rattle__finding finding = {.claim = claim,
                                   .what = what,
                                   .claimed = 1,
                                   .measured = measured,
                                   .bound = bound,
                                   .holds = measured <= bound};
  return l->take(l->self, &finding);
}

/* The claim cannot be measured: nothing follows. */
static int fail(const listing *l, const char *claim, const char *what) {
  const rattle__finding finding = {
      .claim = claim, .what = what, .claimed = 1, .measured = (double)NAN};
  l->take(l->self, &finding);
  return 1;
}

static int order(const listing *l) {
  const int claimed = l->claims->order;
  const double slack = claimed > 6 ? 0.15 * claimed : 0.4;
  const int failed = rattle__measure_order(l->map, claimed, l->found);
  const rattle__finding finding = {.claim = "order",
                                   .what = failed ? "number of points for the order" : "order",
                                   .claimed = claimed,
                                   .measured = failed ? (double)NAN : l->found->order,
                                   .bound = claimed - slack,
                                   .holds = !failed && l->found->order >= claimed - slack};
  return l->take(l->self, &finding) || failed;
}

void rattle__measure_claims(const rattle__measured_map *given, const rattle_claims *claims,
                            rattle__measured *found,
                            int (*take)(void *self, const rattle__finding *finding), void *self) {
  const double h = 0.05, round_off = 2e-14;
  /* off the manifold the underlying equations are unstable, and their energy is not that of the
   * motion */
  const int stable = claims->keeps_g || !given->subject->m, composed = claims->stages > 1;
  rattle__measured_map stepping = *given;
  const rattle__measured_map *map = &stepping;
  if (given->shows) stepping.output = NULL;
  const int hidden = (claims->keeps_psi || map->output) && given->subject->hidden;
  listing l = {given, claims, found, take, self};
  *found = (rattle__measured){0};
  if (order(&l)) return;
  l.map = map;
  if (claims->symmetric) {
    if (rattle__measure_symmetry(map, h, found) && fail(&l, "symmetric", "failure to step back"))
      return;
    if (give(&l, "symmetric", "|R(-h) R(h) z - z|", found->symmetry, 50 * round_off)) return;
  }
  if (claims->symplectic) {
    if (rattle__measure_symplecticity(map, composed ? h : 2 * h, composed ? 2 : 4, hidden, found) &&
        fail(&l, "symplectic", "failure near the start"))
      return;
    /* derivatives off the manifold are taken by differences, and are large where the motion is
     * unstable */
    if (give(&l, "symplectic", "symplecticity defect", found->symplecticity,
             stable ? 2e-11 : 4e-10))
      return;
  }
  if ((claims->keeps_g || claims->keeps_psi) && map->subject->m > 0) {
    if (rattle__measure_residuals(map, h, 100, found) && fail(&l, "keeps g", "failure in a run"))
      return;
    if (claims->keeps_g && give(&l, "keeps g", "|g|", found->g, round_off)) return;
    if (hidden && give(&l, "keeps psi", "|psi|", found->psi, 5 * round_off)) return;
  }
  if (claims->keeps_energy) {
    if (rattle__measure_energy_kept(map, h, composed ? 300 : 1500, found) &&
        fail(&l, "keeps energy", "failure in a run"))
      return;
    if (give(&l, "keeps energy", "|H - H0|", found->energy, 10 * round_off)) return;
  }
  if (claims->symplectic && claims->symmetric && stable) {
    if (rattle__measure_energy(map, h, composed ? 600 : 2400, found) &&
        fail(&l, "no drift", "failure in a long run"))
      return;
    give(&l, "no drift", "energy trend", found->energy_trend, 0.3);
  }
}
