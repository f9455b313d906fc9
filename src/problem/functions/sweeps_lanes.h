/* The sweeps of LANES points at once, for processors with the instructions of SWEEPS_TARGET: SWEEPS
 * and ROOM are the names of the functions. No header guard: it is included once for each width. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "problem/functions/sweeps.h"

typedef double lanes_real __attribute__((vector_size(8 * LANES)));
typedef uint64_t lanes_bits __attribute__((vector_size(8 * LANES)));
static const int sweeps_six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

#define REAL lanes_real
#define SWEEPS_NAME(x) lanes_##x
#define SWEEPS_INLINE static inline __attribute__((always_inline, SWEEPS_TARGET))

#include "problem/functions/sine_text.h"

SWEEPS_INLINE void lanes_sine_cosine(REAL q, REAL *sine, REAL *cosine) {
  const REAL shifted = lanes_nearest_quarter(q);
  const lanes_bits quarter = (lanes_bits)shifted, odd = -(quarter & 1);
  REAL s, c;
  lanes_sine_of_rest(q, shifted, &s, &c);
  const lanes_bits sine_of = (odd & (lanes_bits)c) | (~odd & (lanes_bits)s),
                   cosine_of = (odd & (lanes_bits)s) | (~odd & (lanes_bits)c);
  *sine = (REAL)(sine_of ^ ((quarter & 2) << 62));
  *cosine = (REAL)(cosine_of ^ (((quarter + 1) & 2) << 62));
  for (int l = 0; l < LANES; l++)
    if (!(fabs(q[l]) <= SINE_LARGEST)) (*sine)[l] = sin(q[l]), (*cosine)[l] = cos(q[l]);
}
#define SINE_COSINE(q, sine, cosine) lanes_sine_cosine(q, sine, cosine)
#include "problem/functions/sweeps_text.h"

/* Points and gradients by variable, states, and what it takes to align them. */
size_t ROOM(int nodes, int n) {
  return (4 * (size_t)n + 1) * LANES + (size_t)nodes * sizeof(lanes_state) / sizeof(double);
}

__attribute__((SWEEPS_TARGET)) void SWEEPS(const rattle__model_sweeps *tree, int n, int count,
                                           const double *x, double *Y, double *room) {
  const size_t width = 8 * LANES;
  lanes_real *at = (lanes_real *)(((uintptr_t)room + width - 1) / width * width);
  lanes_real *slope = at + 2 * n;
  for (int l = 0; l < LANES; l++) {
    const double *from = x + (size_t)(l < count ? l : count - 1) * 2 * (size_t)n;
    for (int c = 0; c < 2 * n; c++) at[c][l] = from[c];
  }
  memset(slope, 0, 2 * (size_t)n * sizeof *slope);
  (void)lanes_sweep(tree, n, at, slope, (lanes_state *)(slope + 2 * n));
  for (int l = 0; l < count; l++)
    for (int c = 0; c < 2 * n; c++) Y[l * 2 * n + c] = slope[c][l];
}
#undef SWEEPS
#undef ROOM
#undef SWEEPS_TARGET
#undef LANES
