/* Compositions with a fixed set of coefficients, static data made from compositions.def; and the
 * fractions of any composition. */
#include "method/notation/coefficients.h"

#include "method/coefficients/mirror.h"
#include "method/notation/row.h"

#include <string.h>

#define SET(name, k, ...) static const long double name[2 * k + 1] = {MIRROR(k, __VA_ARGS__)};
#include "method/coefficients/compositions.def"
#undef SET

#define SET(name, k, ...)                                                                          \
  const rattle__composition rattle__composition_##name = {                                         \
      .gamma = name, .stages = 2 * k + 1, .digits = #__VA_ARGS__};
#include "method/coefficients/compositions.def"
#undef SET

static int order_inside(const rattle__node *node) {
  return rattle__method_claims(rattle__method_inside(node)).order;
}

int rattle__composition_stages(const rattle__node *node) {
  const rattle__composition *own = rattle__composition_of(node->row);
  return own->count ? own->count(node, order_inside(node)) : own->stages;
}

void rattle__composition_fill(const rattle__node *node, long double *gamma) {
  const rattle__composition *own = rattle__composition_of(node->row);
  if (own->fill)
    own->fill(node, order_inside(node), gamma);
  else
    memcpy(gamma, own->gamma, (size_t)own->stages * sizeof *gamma);
}
