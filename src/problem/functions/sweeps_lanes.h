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
#define SWEEPS_INLINE static inline __attribute__((always_inline SWEEPS_TARGET))

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
}

/* True if an angle is beyond those that lanes_sine_cosine takes. */
SWEEPS_INLINE int lanes_far(const rattle__model_sweeps *tree, const REAL *x) {
  const double largest = SINE_LARGEST;
  uint64_t most, any = 0;
  lanes_bits far = {0};
  memcpy(&most, &largest, sizeof most);
  for (int i = 0; i < tree->count;
       i++) /* of what is not negative, bits have the order of numbers */
    if (tree->node[i].kind == RATTLE__TURN)
      far |= most - ((lanes_bits)x[tree->node[i].pair[0]] & (UINT64_MAX >> 1));
  for (int l = 0; l < LANES; l++) any |= far[l];
  return any >> 63 != 0;
}
#define SINE_COSINE(q, sine, cosine) lanes_sine_cosine(q, sine, cosine)
#include "problem/functions/sweeps_text.h"

/* States, and what it takes to align them. */
size_t ROOM(int nodes) {
  return LANES + (size_t)nodes * sizeof(lanes_state) / sizeof(double);
}

#ifdef SWEEPS_OWN
SWEEPS_OWN
#endif
int SWEEPS(const rattle__model_sweeps *tree, int n, const double *x, double *Y, double *room) {
  const size_t width = 8 * LANES;
  lanes_real *slope = (lanes_real *)Y;
  if (lanes_far(tree, (const lanes_real *)x)) return 0;
  memset(slope, 0, 2 * (size_t)n * sizeof *slope);
  (void)lanes_sweep(tree, n, (const lanes_real *)x, slope,
                    (lanes_state *)(((uintptr_t)room + width - 1) / width * width));
  return 1;
}
#undef SWEEPS
#undef ROOM
#undef SWEEPS_TARGET
#undef SWEEPS_OWN
#undef LANES
