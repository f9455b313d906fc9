/* The table of methods. See methods.h. */
#include "methods.h"

#include <string.h>

#define ROOT3 1.732050807568877293527446341505872L

const tableau verlet_a = {2, {{0, 0}, {0.5L, 0.5L}}, {{0.5L, 0}, {0.5L, 0}}, {0.5L, 0.5L}};
const tableau verlet_b = {2, {{0.5L, 0}, {0.5L, 0}}, {{0, 0}, {0.5L, 0.5L}}, {0.5L, 0.5L}};
const tableau midpoint = {1, {{0.5L}}, {{0.5L}}, {1}};
const tableau gauss2 = {2,
                        {{0.25L, 0.25L - ROOT3 / 6}, {0.25L + ROOT3 / 6, 0.25L}},
                        {{0.25L, 0.25L - ROOT3 / 6}, {0.25L + ROOT3 / 6, 0.25L}},
                        {0.5L, 0.5L}};
const tableau lobatto3 = {
    3,
    {{0, 0, 0}, {5 / 24.0L, 1 / 3.0L, -1 / 24.0L}, {1 / 6.0L, 2 / 3.0L, 1 / 6.0L}},
    {{1 / 6.0L, -1 / 6.0L, 0}, {1 / 6.0L, 1 / 3.0L, 0}, {1 / 6.0L, 5 / 6.0L, 0}},
    {1 / 6.0L, 2 / 3.0L, 1 / 6.0L}};

/* M. Suzuki, Phys. Lett. A 146 (1990) 319: 1/(4 - 4^(1/3)) */
static const composition suzuki4 = {5,
                                    {0.41449077179437573714L, 0.41449077179437573714L,
                                     -0.65796308717750294857L, 0.41449077179437573714L,
                                     0.41449077179437573714L}};
/* W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089: order 6, 9 stages */
static const composition kahan_li6 = {
    9,
    {0.39216144400731413928L, 0.33259913678935943860L, -0.70624617255763935981L,
     0.08221359629355080023L, 0.79854399093482996340L, 0.08221359629355080023L,
     -0.70624617255763935981L, 0.33259913678935943860L, 0.39216144400731413928L}};

enum {
  NATURAL = NEEDS_NATURAL | NEEDS_POSITIONS,
  POSITIONS = NEEDS_POSITIONS,
  SECOND = NEEDS_SECOND_CLASS
};

const method methods[] = {
    {"rattle(verlet)", RATTLE_STEP, &verlet_a, 0, NULL, 0, 30},
    {"rattle(verlet, solver=newton)", RATTLE_STEP, &verlet_a, 0, NULL, 0, 4},
    {"rattle(verlet, solver=quasi_newton)", RATTLE_STEP, &verlet_a, 0, NULL, 0, 4},
    {"rattle(verlet, solver=dense)", RATTLE_STEP, &verlet_a, 0, NULL, 0, 3},
    {"rattle(verlet, solver=sparse)", RATTLE_STEP, &verlet_a, 0, NULL, 0, 4},
    {"rattle(verlet, solver=sweep)", RATTLE_STEP, &verlet_a, NATURAL, NULL, 1, 4},
    {"rattle(verlet, solver=andersen)", RATTLE_STEP, &verlet_a, NATURAL | NEEDS_DISTANCES, NULL, 1,
     4},
    {"rattle(verlet, project=output)", SHAKE_STEP, &verlet_a, 0, NULL, 0, 4},
    {"shake(verlet)", SHAKE_STEP, &verlet_a, 0, NULL, 0, 4},
    {"rattle(verlet(b))", RATTLE_STEP, &verlet_b, 0, NULL, 0, 8},
    {"rattle(verlet(b), solver=newton)", RATTLE_STEP, &verlet_b, 0, NULL, 0, 3},
    {"rattle(midpoint)", RATTLE_STEP, &midpoint, 0, NULL, 0, 8},
    {"rattle(midpoint, solver=newton)", RATTLE_STEP, &midpoint, 0, NULL, 0, 3},
    {"rattle(gauss(2))", RATTLE_STEP, &gauss2, 0, NULL, 0, 6},
    {"suzuki4(rattle(verlet))", RATTLE_STEP, &verlet_a, 0, &suzuki4, 0, 5},
    {"spark(2)", RATTLE_STEP, &verlet_a, POSITIONS, NULL, 0, 5},
    {"spark(3)", SPARK_STEP, &lobatto3, POSITIONS, NULL, 0, 5},
    {"rattle_monolithic", RATTLE_STEP, &verlet_a, POSITIONS, NULL, 0, 5},
    {"geodesic_rkn4", LOOSE, &verlet_a, NATURAL, NULL, 0, 3},
    {"multistep4", LOOSE, &verlet_a, NATURAL, NULL, 0, 3},
    {"discrete_gradient", DISCRETE_STEP, &midpoint, NEEDS_GRADIENT, NULL, 0, 3},
    {"kahan_li6(rattle(verlet))", RATTLE_STEP, &verlet_a, 0, &kahan_li6, 0, 2},
    {"second_class(midpoint)", LOOSE, &midpoint, SECOND, NULL, 0, 10},
    {"second_class(verlet)", LOOSE, &midpoint, SECOND, NULL, 0, 5},
    {0},
};

const method *method_named(const char *text) {
  for (const method *how = methods; how->text; how++)
    if (!strcmp(how->text, text)) return how;
  return NULL;
}

int method_suits(const method *how, const problem *pr) {
  const int second = (how->needs & NEEDS_SECOND_CLASS) != 0,
            slopes = pr->natural ? pr->n : 2 * pr->n;
  if (second != pr->second_class) return 0;
  if ((how->needs & NEEDS_NATURAL) && !(pr->natural && pr->diagonal && !pr->forced)) return 0;
  if ((how->needs & NEEDS_GRADIENT) && pr->forced) return 0;
  if ((how->needs & NEEDS_POSITIONS) && pr->fibre != FIBRE_MOMENTA) return 0;
  if ((how->needs & NEEDS_DISTANCES) && pr->distances < pr->m) return 0;
  if (second || (pr->natural && !pr->forced && how->of == &verlet_a)) return 1;
  if (pr->ill) return 0; /* differences would not do */
  if (how->form == DISCRETE_STEP) return 2 * (pr->n + pr->m) <= DENSE;
  const int multipliers = how->form == SPARK_STEP ? how->of->stages : 2;
  return slopes * how->of->stages + multipliers * pr->m <= DENSE;
}

const method *method_draw(const problem *pr, randoms *r) {
  int sum = 0;
  for (const method *how = methods; how->text; how++)
    sum += method_suits(how, pr) ? how->weight : 0;
  int left = random_below(r, sum);
  for (const method *how = methods; how->text; how++) {
    left -= method_suits(how, pr) ? how->weight : 0;
    if (left < 0) return how;
  }
  return methods;
}
