/* Stages in lanes: their memory, and the gradients there. See stages.h. */
#include "maps/base/stages.h"

#include "constraint/step/sizes.h"

/* doubles that begin at a multiple of 64 bytes */
static double *take_aligned(rattle__arena *arena, size_t count) {
  const uintptr_t at = (uintptr_t)rattle__arena_doubles(arena, count + 8);
  return (double *)((at + 63) / 64 * 64);
}

void rattle__stage_lanes_create(rattle__stage_lanes *s, rattle__arena *arena,
                                const rattle_problem *problem, int count) {
  int lanes = problem->H->in_lanes ? problem->H->lanes : 2;
  while (lanes > 2 && lanes / 2 >= count) lanes /= 2;
  const int blocks = (count + lanes - 1) / lanes;
  const size_t room = (size_t)(blocks * lanes), nz = 2 * (size_t)problem->n;
  *s = (rattle__stage_lanes){.n = problem->n,
                             .count = count,
                             .lanes = lanes,
                             .blocks = blocks,
                             .improve = rattle__stages_2};
#if defined(__x86_64__)
  if (lanes == 4) s->improve = rattle__stages_4;
  if (lanes == 8) s->improve = rattle__stages_8;
#endif
  s->Z = take_aligned(arena, room * nz);
  s->J = take_aligned(arena, room * nz);
  s->judged = rattle__arena_take(arena, nz * sizeof *s->judged);
  for (int part = 0; part < 2; part++) s->a[part] = take_aligned(arena, room * (size_t)count);
  for (int c = 0; c < (int)nz && !arena->failed; c++)
    s->judged[c] = rattle__is_apart(problem, c) ? 0 : INT64_MAX;
}

void rattle__stage_lanes_weigh(rattle__stage_lanes *s, int part,
                               double a[RATTLE__STAGES][RATTLE__STAGES], int first) {
  for (int i = 0; i < s->blocks * s->lanes; i++)
    for (int j = 0; j < s->count; j++)
      s->a[part][((size_t)(i / s->lanes * s->count) + (size_t)j) * (size_t)s->lanes +
                 (size_t)(i % s->lanes)] = a[first + (i < s->count ? i : s->count - 1)][j];
}

void rattle__stage_lanes_push(rattle__stage_lanes *s, rattle__arena *arena, int part,
                              double weight[RATTLE__STAGES][RATTLE__STAGES], const double *force) {
  const int count = s->count, lanes = s->lanes, room = s->blocks * lanes;
  double *to = take_aligned(arena, (size_t)(room * count));
  s->forces[part] = (rattle__stage_forces){.count = count, .weight = to, .force = force};
  for (int i = 0; i < room && !arena->failed; i++)
    for (int k = 0; k < count; k++)
      to[(i / lanes * count + k) * lanes + i % lanes] = weight[i < s->count ? i : s->count - 1][k];
}

/* With `lanes` known to the compiler. */
static inline void begin(const rattle__stage_lanes *s, const int lanes, const double *restrict t,
                         const double *z0, const double *f) {
  double *restrict Z = s->Z;
  for (int b = 0; b < s->blocks; b++, t += lanes)
    for (int c = 0; c < 2 * s->n; c++, Z += lanes)
      for (int l = 0; l < lanes; l++) Z[l] = z0[c] + t[l] * f[c];
}

void rattle__stage_lanes_begin(const rattle__stage_lanes *s, const double *t, const double *z0,
                               const double *f) {
  if (s->lanes == 8)
    begin(s, 8, t, z0, f);
  else if (s->lanes == 4)
    begin(s, 4, t, z0, f);
  else
    begin(s, 2, t, z0, f);
}

/* Entry c of the stages of a block, the first of which is that number. */
static void continue_entry(const rattle__stage_lanes *s, const rattle__continued *past, int first,
                           int c, double end, double *Z) {
  double value[RATTLE__STAGES];
  for (int j = 0; j < past->count; j++) value[j] = past->memory[1 + j * past->width + c] - end;
  for (int l = 0; l < s->lanes; l++) {
    const double *weight = past->weight[first + l < s->count ? first + l : s->count - 1];
    double sum = 0;
    for (int j = 0; j < past->count; j++) sum += weight[j] * value[j];
    Z[l] = end + sum;
  }
}

void rattle__stage_lanes_continue(const rattle__stage_lanes *s, const rattle__continued *past,
                                  const double *z0) {
  const int nz = 2 * s->n, lanes = s->lanes;
  for (int b = 0; b < s->blocks; b++)
    for (int c = 0; c < nz; c++)
      continue_entry(s, past, b * lanes, c, z0[c], s->Z + (b * nz + c) * lanes);
}

void rattle__stage_lanes_read(const rattle__stage_lanes *s, double *to) {
  const int nz = 2 * s->n, lanes = s->lanes;
  for (int i = 0; i < s->count; i++, to += nz) {
    const double *Z = s->Z + rattle__stage_entry(s, i, 0);
    for (int c = 0; c < nz; c++) to[c] = Z[c * lanes];
  }
}

/* The gradient at each stage by itself. */
static int one_by_one(const rattle__stage_lanes *s, const rattle__function *H, double *at,
                      double *gradient, double *work) {
  const int nz = 2 * s->n;
  int answer = 0;
  for (int i = 0; i < s->lanes * s->blocks && !answer; i++) {
    for (int c = 0; c < nz; c++) at[c] = s->Z[rattle__stage_entry(s, i, c)];
    if (i < s->count) answer = H->jacobian(H, at, NULL, gradient, work);
    for (int c = 0; c < nz; c++) s->J[rattle__stage_entry(s, i, c)] = gradient[c];
  }
  return answer;
}

int rattle__stage_lanes_evaluate(const rattle__stage_lanes *s, const rattle__function *H,
                                 double *at, double *gradient, double *work) {
  const size_t block = 2 * (size_t)s->n * (size_t)s->lanes;
  int answer = 0;
  if (!H->in_lanes) return one_by_one(s, H, at, gradient, work);
  for (size_t b = 0; b < (size_t)s->blocks && !answer; b++)
    answer = H->in_lanes(H, s->lanes, s->Z + b * block, s->J + b * block, work);
  return answer;
}
