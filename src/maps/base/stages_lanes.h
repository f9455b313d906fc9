/* An iteration of the stages (stages.h) in vectors of LANES numbers, for processors with the
 * instructions of STAGES_TARGET: STAGES is the name of the function. No header guard: it is
 * included once for each width. */
#include <string.h>

#include "maps/base/stages.h"

typedef double lanes_real __attribute__((vector_size(8 * LANES)));
typedef uint64_t lanes_bits __attribute__((vector_size(8 * LANES)));
#define STAGES_INLINE static inline __attribute__((always_inline STAGES_TARGET))

/* The larger of numbers that are not negative, whose bits have the order of numbers, with NaN after
 * all others. */
STAGES_INLINE lanes_bits larger(lanes_bits a, lanes_bits b) {
  const lanes_bits less = -((a - b) >> 63);
  return (less & b) | (~less & a);
}

STAGES_INLINE double largest_lane(lanes_bits x) {
  uint64_t most = 0;
  double value;
  for (int l = 0; l < LANES; l++) most = x[l] > most ? x[l] : most;
  memcpy(&value, &most, sizeof value);
  return value;
}

/* sum_j a_ij J_j of an entry, in the order of j. */
STAGES_INLINE lanes_real stages_sum(const rattle__stage_lanes *s, int count, const lanes_real *a,
                                    const double *J) {
  lanes_real sum = {0};
  for (int from = 0; from < count; from += LANES, J += 2 * s->n * LANES)
    for (int l = 0; l < LANES && from + l < count; l++) sum += a[from + l] * J[l];
  return sum;
}

/* The coordinates, or the momenta: part 0, 1. */
STAGES_INLINE void stages_part(const rattle__stage_lanes *s, int count, int part, double h,
                               const double *z0, double size[2][2]) {
  const uint64_t magnitude = UINT64_MAX >> 1;
  const int n = s->n, first = part * n, slope = n - first;
  const lanes_real *off = (const lanes_real *)s->off[part];
  lanes_bits by = {0}, now = {0};
  for (int block = 0; block < s->blocks; block++) {
    lanes_real *Z = (lanes_real *)s->Z + (block * 2 * n + first);
    const lanes_real *a = (const lanes_real *)s->a[part] + block * count;
    for (int c = 0; c < n; c++) {
      const lanes_real sum = stages_sum(s, count, a, s->J + (slope + c) * LANES), add = h * sum;
      lanes_real next = part ? z0[first + c] - add : z0[first + c] + add;
      if (off) next -= off[block * n + c];
      const uint64_t judged = magnitude & s->judged[first + c];
      by = larger(by, (lanes_bits)(next - Z[c]) & judged);
      now = larger(now, (lanes_bits)next & judged);
      Z[c] = next;
    }
  }
  size[0][part] = largest_lane(by), size[1][part] = largest_lane(now);
}

#ifdef STAGES_OWN
STAGES_OWN
#endif
void STAGES(const rattle__stage_lanes *s, int part, double h, const double *z0, double size[2][2]) {
  if (s->count == LANES && part) /* known to the compiler */
    stages_part(s, LANES, 1, h, z0, size);
  else if (s->count == LANES)
    stages_part(s, LANES, 0, h, z0, size);
  else
    stages_part(s, s->count, part, h, z0, size);
}
#undef STAGES
#undef STAGES_INLINE
#undef STAGES_TARGET
#undef STAGES_OWN
#undef LANES
