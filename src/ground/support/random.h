#ifndef RATTLE__RANDOM_H
#define RATTLE__RANDOM_H
/* Random numbers by counting: number k of a seed is a function of both, the same on every machine,
 * in any order and on any thread. SplitMix64, a Weyl sequence and a mixing function (G. Steele, D.
 * Lea, C. Flood, OOPSLA 2014). */
#include <stdint.h>

#include "ground/support/quantile.h"

#define RATTLE__WEYL UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t rattle__random_mix(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* 64 bits: number k = 1, 2, ... of a seed. */
static inline uint64_t rattle__random_at(uint64_t seed, uint64_t k) {
  return rattle__random_mix(seed + k * RATTLE__WEYL);
}

/* The seed of step k = 0, 1, ... of stream 0, 1, ...: what happens in it depends on these three
 * alone. */
static inline uint64_t rattle__random_key(uint64_t seed, uint64_t stream, uint64_t k) {
  return rattle__random_at(rattle__random_at(seed, stream + 1), k + 1);
}

/* Number k of a seed in (0, 1). */
static inline double rattle__random_unit(uint64_t seed, uint64_t k) {
  return rattle__unit_of_bits(rattle__random_at(seed, k));
}

/* x[n], independent standard normals from the numbers *k + 1 .. *k + n of a seed. */
static inline void rattle__random_normals(uint64_t seed, uint64_t *k, double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = rattle__normal_quantile(rattle__random_unit(seed, ++*k));
}

/* The next one; *state begins as the seed. */
static inline uint64_t rattle__random(uint64_t *state) {
  return rattle__random_mix(*state += RATTLE__WEYL);
}

/* The same as a number in [-1, 1). */
static inline double rattle__random_signed(uint64_t *state) {
  return (double)(rattle__random(state) >> 11) * 0x1p-52 - 1;
}
#endif
