/* Coefficients of compositions: fractions gamma[0..stages) of the step h, so that the composed map is
 *
 *     Psi_h = phi_{gamma[s-1] h} o ... o phi_{gamma[0] h},    gamma symmetric, sum gamma = 1.
 *
 * The fixed sets are static data made from sets.def; the triple jump is computed. */
#include "core/method.h"

#include "coeff/mirror.h"

#include <math.h>

#define SET(name, k, ...) static const long double name[2 * k + 1] = {MIRROR(k, __VA_ARGS__)};
#include "coeff/sets.def"
#undef SET

static const struct {
  const long double *gamma;
  int stages;
  const char *text;
} sets[RATTLE__METHOD_COUNT] = {
#define SET(name, k, ...) [RATTLE__METHOD_##name] = {name, 2 * k + 1, #__VA_ARGS__},
#include "coeff/sets.def"
#undef SET
};

const long double *rattle__coefficients(rattle__method_id id, int *stages) {
  *stages = sets[id].stages;
  return sets[id].gamma;
}

const char *rattle__coefficient_text(rattle__method_id id) {
  return sets[id].text;
}

int rattle__triple_jump_stages(int inner_order, int order) {
  int stages = 1;
  for (int r = inner_order; r < order; r += 2) stages *= 3;
  return stages;
}

/* Each level takes the gamma of the level below three times: Psi_{r+2}(h) = Psi_r(z1 h) Psi_r(z0 h) Psi_r(z1 h) with
 * z1 = 1/(2 - 2^(1/(r+1))), z0 = 1 - 2 z1. */
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
