#ifndef RATTLE_TESTS_DRAWN_H
#define RATTLE_TESTS_DRAWN_H
/* Random numbers of tests: the same in every run. */
#include <math.h>
#include <stdint.h>

static uint64_t seed = 1;
static inline double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}
static inline double normal(void) {
  return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}
#endif
