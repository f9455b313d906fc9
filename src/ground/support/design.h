#ifndef RATTLE__DESIGN_H
#define RATTLE__DESIGN_H
/* Points in the unit cube: point k is a function of a seed and of k alone. Random; of a Latin
 * hypercube (M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239); of Sobol's
 * sequence (I. M. Sobol', USSR Comput. Math. Math. Phys. 7:4 (1967) 86), with the direction numbers
 * of S. Joe and F. Y. Kuo (SIAM J. Sci. Comput. 30 (2008) 2635), shifted at random modulo 2
 * (digital shift). */
#include <stdint.h>

#include "ground/support/quantile.h"
#include "ground/support/random.h"

enum { RATTLE__MOST_SOBOL = 21 };

/* A seed for each axis of a design. */
static inline uint64_t rattle__axis_seed(uint64_t seed, int axis) {
  return rattle__random_mix(rattle__random_mix(seed) ^ ((uint64_t)axis + 1) * RATTLE__WEYL);
}

static inline double rattle__random_point(uint64_t seed, int axis, uint64_t k) {
  return rattle__unit_of_bits(rattle__random_at(rattle__axis_seed(seed, axis), k + 1));
}

/* A permutation of 0 .. count-1 at k: a Feistel network on the least even number of bits that hold
 * count, walked until it is back among them. */
static inline uint64_t rattle__permuted(uint64_t seed, uint64_t k, uint64_t count) {
  int half = 1;
  while (half < 31 && UINT64_C(1) << 2 * half < count) half++;
  const uint64_t mask = (UINT64_C(1) << half) - 1;
  do {
    uint64_t left = k >> half, right = k & mask;
    for (uint64_t round = 0; round < 6; round++) {
      const uint64_t next =
          left ^ (rattle__random_mix(seed + (round << 32 | right) * RATTLE__WEYL) >> 20 & mask);
      left = right, right = next;
    }
    k = left << half | right;
  } while (k >= count);
  return k;
}

/* Point k of a Latin hypercube of count points: each axis has one point in each of count strata. */
static inline double rattle__hypercube_point(uint64_t seed, int axis, uint64_t k, uint64_t count) {
  const uint64_t own = rattle__axis_seed(seed, axis);
  const double within = rattle__unit_of_bits(rattle__random_at(~own, k + 1));
  return ((double)rattle__permuted(own, k, count) + within) / (double)count;
}

/* Axis 0 .. RATTLE__MOST_SOBOL-1; k below 2^32. */
static inline double rattle__sobol_point(uint64_t seed, int axis, uint64_t k) {
  static const struct {
    unsigned degree, coefficients, m[7];
  } table[RATTLE__MOST_SOBOL] = {
      {0, 0, {0}},
      {1, 0, {1}},
      {2, 1, {1, 3}},
      {3, 1, {1, 3, 1}},
      {3, 2, {1, 1, 1}},
      {4, 1, {1, 1, 3, 3}},
      {4, 4, {1, 3, 5, 13}},
      {5, 2, {1, 1, 5, 5, 17}},
      {5, 4, {1, 1, 5, 5, 5}},
      {5, 7, {1, 1, 7, 11, 19}},
      {5, 11, {1, 1, 5, 1, 1}},
      {5, 13, {1, 1, 1, 3, 11}},
      {5, 14, {1, 3, 5, 5, 31}},
      {6, 1, {1, 3, 3, 9, 7, 49}},
      {6, 13, {1, 1, 1, 15, 21, 21}},
      {6, 16, {1, 3, 1, 13, 27, 49}},
      {6, 19, {1, 1, 1, 15, 7, 5}},
      {6, 22, {1, 3, 1, 15, 13, 25}},
      {6, 25, {1, 1, 5, 5, 19, 61}},
      {7, 1, {1, 3, 7, 11, 23, 15, 103}},
      {7, 4, {1, 3, 7, 13, 13, 15, 69}},
  };
  const unsigned s = table[axis].degree, a = table[axis].coefficients;
  uint32_t v[32], x = 0;
  for (unsigned i = 0; i < 32; i++) {
    if (s == 0) {
      v[i] = UINT32_C(1) << (31 - i);
    } else if (i < s) {
      v[i] = (uint32_t)table[axis].m[i] << (31 - i);
    } else {
      v[i] = v[i - s] ^ v[i - s] >> s;
      for (unsigned j = 1; j < s; j++)
        if (a >> (s - 1 - j) & 1) v[i] ^= v[i - j];
    }
    if (k >> i & 1) x ^= v[i];
  }
  const uint64_t shift = rattle__random_at(rattle__axis_seed(seed, axis), 1);
  return ((double)(x ^ (uint32_t)(shift >> 32)) +
          ((double)((uint32_t)shift >> 1) + 0.5) * 0x1p-31) *
         0x1p-32;
}
#endif
