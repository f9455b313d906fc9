/* The sweeps of LANES points at once, for processors with the instructions of SWEEPS_TARGET: SWEEPS
 * and ROOM are the names of the functions. No header guard: it is included once for each width. */
#include <stdint.h>
#include <string.h>

#include "problem/functions/sweeps.h"

typedef double lanes_real __attribute__((vector_size(8 * LANES)));
static const int sweeps_six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

#define REAL lanes_real
#define SWEEPS_NAME(x) lanes_##x
#define SWEEPS_INLINE static inline __attribute__((always_inline SWEEPS_TARGET))

#include "problem/functions/sine_text.h"
#include "problem/functions/sine_lanes.h"

/* True if an angle is beyond those that lanes_sine_cosine takes. */
SWEEPS_INLINE int lanes_far(const rattle__model_sweeps *tree, const REAL *x) {
  lanes_bits far = {0};
  for (int i = 0; i < tree->count; i++)
    if (tree->node[i].kind == RATTLE__TURN) far |= lanes_beyond(x[tree->node[i].pair[0]]);
  return lanes_any_beyond(far);
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
