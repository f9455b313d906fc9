/* An iteration of the stages (stages.h) in vectors of LANES numbers, for processors with the
 * instructions of STAGES_TARGET: STAGES is the name of the function. No header guard: it is
 * included once for each width. */
#include <string.h>

#include "maps/base/stages.h"

typedef double lanes_real __attribute__((vector_size(8 * LANES)));
typedef int64_t lanes_bits __attribute__((vector_size(8 * LANES)));
#define STAGES_INLINE static inline __attribute__((always_inline STAGES_TARGET))

/* The larger of numbers that are not negative, whose bits have the order of numbers, with NaN after
 * all others. */
STAGES_INLINE lanes_bits larger(lanes_bits a, lanes_bits b) {
  const lanes_bits less = b > a;
  return (less & b) | (~less & a);
}

STAGES_INLINE double largest_lane(lanes_bits x) {
  int64_t lane[LANES], most;
  double value;
  memcpy(lane, &x, sizeof lane);
  for (int width = LANES / 2; width; width /= 2)
    for (int l = 0; l < width; l++) lane[l] = lane[l + width] > lane[l] ? lane[l + width] : lane[l];
  most = lane[0];
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

/* Forces take that from entry c. */
STAGES_INLINE lanes_real stages_force(const rattle__stage_forces *f, int count, int n, int block,
                                      int c) {
  const lanes_real *weight = (const lanes_real *)f->weight + block * count;
  const double *force = f->force + c;
  lanes_real sum = {0};
  for (int k = 0; k < count; k++) sum += weight[k] * force[k * n];
  return f->a * sum;
}

/* How far entries of a part moved, and how large they are, at most. */
typedef struct lanes_sizes {
  lanes_bits by, now;
} lanes_sizes;

/* How a width goes through the entries: with how many stages and forces, q alone or p too. */
typedef struct lanes_way {
  int count, forces, parts;
} lanes_way;

/* A step, and how far its stages moved and how large they are, q and p. */
typedef struct lanes_step {
  double h;
  const double *z0;
  lanes_sizes m[2];
} lanes_step;

/* Entry c of the part, in a block. */
STAGES_INLINE void stages_entry(const rattle__stage_lanes *s, lanes_way way, int part, int block,
                                int c, lanes_step *step) {
  const int n = s->n, entry = part * n + c, slope = n - part * n + c;
  const lanes_real *a = (const lanes_real *)s->a[part] + block * way.count;
  lanes_real *Z = (lanes_real *)s->Z + (block * 2 * n + entry);
  const lanes_real add = step->h * stages_sum(s, way.count, a, s->J + slope * LANES);
  lanes_real next = part ? step->z0[entry] - add : step->z0[entry] + add;
  if (way.forces) next -= stages_force(&s->forces[part], way.forces, n, block, c);
  const int64_t judged = s->judged[entry];
  lanes_sizes *m = &step->m[part];
  m->by = larger(m->by, (lanes_bits)(next - *Z) & judged);
  m->now = larger(m->now, (lanes_bits)next & judged);
  *Z = next;
}

STAGES_INLINE void stages_all(const rattle__stage_lanes *s, lanes_way way, double h,
                              const double *z0, double size[2][2]) {
  const lanes_bits none = {0};
  lanes_step step = {h, z0, {{none, none}, {none, none}}};
  for (int block = 0; block < s->blocks; block++)
    for (int c = 0; c < s->n; c++)
      for (int part = 0; part < way.parts; part++) stages_entry(s, way, part, block, c, &step);
  for (int part = 0; part < way.parts; part++)
    size[0][part] = largest_lane(step.m[part].by), size[1][part] = largest_lane(step.m[part].now);
}

/* The usual numbers of stages are known to the compiler. */
#ifdef STAGES_OWN
STAGES_OWN
#endif
void STAGES(const rattle__stage_lanes *s, int parts, double h, const double *z0,
            double size[2][2]) {
  const int forces = s->forces[0].count, idle = LANES - s->count;
  if (parts == 1)
    stages_all(s, (lanes_way){s->count, 0, 1}, h, z0, size);
  else if (forces && idle == 0)
    stages_all(s, (lanes_way){LANES, LANES, 2}, h, z0, size);
  else if (forces && idle == 1)
    stages_all(s, (lanes_way){LANES - 1, LANES - 1, 2}, h, z0, size);
  else if (forces)
    stages_all(s, (lanes_way){s->count, forces, 2}, h, z0, size);
  else if (idle == 0)
    stages_all(s, (lanes_way){LANES, 0, 2}, h, z0, size);
  else if (idle == 1)
    stages_all(s, (lanes_way){LANES - 1, 0, 2}, h, z0, size);
#if LANES > 4
  else if (idle == 2)
    stages_all(s, (lanes_way){LANES - 2, 0, 2}, h, z0, size);
  else if (idle == 3)
    stages_all(s, (lanes_way){LANES - 3, 0, 2}, h, z0, size);
#endif
  else
    stages_all(s, (lanes_way){s->count, 0, 2}, h, z0, size);
}
#undef STAGES
#undef STAGES_INLINE
#undef STAGES_TARGET
#undef STAGES_OWN
#undef LANES
