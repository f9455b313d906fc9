/* triple_jump(map, order): the recursive triple jump. Each level takes the gamma of the level below
 * three times:
 *
 *     Psi_{r+2}(h) = Psi_r(z1 h) Psi_r(z0 h) Psi_r(z1 h),   z1 = 1/(2 - 2^(1/(r+1))), z0 = 1 - 2 z1
 *
 * from the order of the map inside to the order wanted. */
#include "method/notation/coefficients.h"

#include "method/notation/row.h"

#include <math.h>

int rattle__triple_jump_stages(int inner_order, int order) {
  int stages = 1;
  for (int r = inner_order; r < order; r += 2) stages *= 3;
  return stages;
}

void rattle__triple_jump(int inner_order, int order, long double *gamma) {
  int stages = 1;
  gamma[0] = 1;
  for (int r = inner_order; r < order; r += 2) {
    const long double z1 = 1 / (2 - powl(2, 1 / (long double)(r + 1))), z0 = 1 - 2 * z1;
    for (int i = 0; i < stages; i++) {
      const long double g = gamma[i];
      gamma[i] = gamma[i + 2 * stages] = z1 * g;
      gamma[i + stages] = z0 * g;
    }
    stages *= 3;
  }
}

static int order_of(const rattle__node *node) {
  return (int)rattle__option_number(node, "order");
}

static int count(const rattle__node *node, int inner_order) {
  return rattle__triple_jump_stages(inner_order, order_of(node));
}

static void fill(const rattle__node *node, int inner_order, long double *gamma) {
  rattle__triple_jump(inner_order, order_of(node), gamma);
}

static int sensible(const rattle__node *node, const rattle_claims *inner, rattle__text *reason,
                    int *blame) {
  const int order = order_of(node);
  if (inner->order >= RATTLE_ORDER_EXACT) {
    *blame = 0;
    rattle__put(reason, "the map inside is exact already");
    return 0;
  }
  if (order % 2 == 0 && order > inner->order) return 1;
  *blame = 1;
  rattle__put(reason,
              "order is %d; it must be even and greater than %d, the order of the map inside",
              order, inner->order);
  return 0;
}

const rattle__composition rattle__composition_triple_jump = {
    .order = order_of, .count = count, .fill = fill, .sensible = sensible};
