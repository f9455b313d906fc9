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
    s->judged[c] = rattle__is_apart(problem, c) ? 0 : UINT64_MAX;
}

void rattle__stage_lanes_weigh(rattle__stage_lanes *s, int part,
                               double a[RATTLE__STAGES][RATTLE__STAGES], int first) {
  for (int i = 0; i < s->blocks * s->lanes; i++)
    for (int j = 0; j < s->count; j++)
      s->a[part][((size_t)(i / s->lanes * s->count) + (size_t)j) * (size_t)s->lanes +
                 (size_t)(i % s->lanes)] = a[first + (i < s->count ? i : s->count - 1)][j];
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
