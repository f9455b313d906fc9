/* See wide.h. */
#include "runs/integrate/wide.h"

#include <stdlib.h>

#include "runs/integrate/integrator.h"
#include "ground/support/error.h"

static int may_widen(const rattle_integrator *s) {
  return s->map->widen && !s->orders.count && !s->compilations &&
         (!s->clock || s->map->keeps_time) && !s->ledger && !s->extra && !s->omitted &&
         !s->implied && !s->turns && !s->context.asked.trace && !s->proof && !s->context.impulse &&
         !s->until;
}

rattle_status rattle__lanes_check(int lanes, rattle_error *error) {
  const int most = rattle__most_lanes();
  if (lanes != 0 && lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lanes",
                        "lanes is %d: expected 0, 1, 2, 4 or 8", lanes);
  if (lanes <= most) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, "lanes",
                      "lanes is %d, and this processor has vectors of %d numbers at most", lanes,
                      most);
}

int rattle__integrator_widen(rattle_integrator *s, int lanes) {
  const int width = may_widen(s) ? s->map->widen(s->map, lanes ? lanes : rattle__most_lanes()) : 1;
  if (!s->clock || width == 1) return width;
  s->context.lane_times =
      rattle__arena_take(&s->context.arena, (size_t)width * sizeof *s->context.lane_times);
  return s->context.lane_times ? width : 1;
}

rattle__map *rattle__integrator_wide(const rattle_integrator *s) {
  return may_widen(s) ? s->map : NULL;
}

int rattle__lanes_for(const rattle__map *map, int trajectories) {
  const int most = rattle__most_lanes();
  int lanes = 1;
  while (lanes < most && 2 * lanes * map->vectors <= trajectories) lanes *= 2;
  return lanes;
}

int rattle__integrator_join(rattle_integrator *s, int lane, rattle_integrator *with) {
  return may_widen(with) && s->map->join(s->map, lane, with->map);
}

int rattle__integrator_time_lane(rattle_integrator *s, int lane, const rattle_state *state) {
  if (s->clock)
    s->context.lane_times[lane] = (struct rattle__times){state->t0, state->h, state->step};
  return !rattle__clock_check(s, state, NULL);
}

long long rattle__integrator_run_wide(rattle_integrator *s, const double *h, long long steps,
                                      double *z, long long *unusual) {
  return s->map->run_wide(s->map, h, 1, steps, z, unusual);
}

void rattle__integrator_watch_wide(rattle_integrator *s, double *seen) {
  s->context.asked.seen = seen;
}

int rattle__integrator_shows_errors(const rattle_integrator *s) {
  return !s->orders.count && !s->compilations && !s->clock && !s->ledger && !s->extra &&
         !s->omitted && !s->implied && !s->bath && !s->looks && !s->map->shows &&
         (!s->map->output || s->leaves_psi);
}

/* --- their points ----------------------------------------------------------------------------- */

/* Zeros, aligned as vectors are. */
static double *room_for(size_t numbers) {
  enum { ALIGNMENT = 64 };
  const size_t bytes = (numbers * sizeof(double) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  double *room = aligned_alloc(ALIGNMENT, bytes);
  for (size_t i = 0; room && i < bytes / sizeof *room; i++) room[i] = 0;
  return room;
}

int rattle__lanes_make(rattle__wide_points *l, int width, int n) {
  *l = (rattle__wide_points){.width = width, .n = n};
  l->z = room_for(2 * (size_t)n * (size_t)width);
  l->h = room_for((size_t)width);
  l->seen = room_for(4 * (size_t)width);
  l->unusual = calloc((size_t)width, sizeof *l->unusual);
  if (l->z && l->h && l->seen && l->unusual) return 1;
  rattle__lanes_release(l);
  return 0;
}

void rattle__lanes_release(rattle__wide_points *l) {
  free(l->z), free(l->h), free(l->seen), free(l->unusual);
  *l = (rattle__wide_points){0};
}

void rattle__lanes_put(const rattle__wide_points *l, int lane, const rattle_state *s) {
  for (int k = 0; k < l->n; k++)
    l->z[k * l->width + lane] = s->q[k], l->z[(l->n + k) * l->width + lane] = s->p[k];
  l->h[lane] = s->h;
}

void rattle__lanes_get(const rattle__wide_points *l, int lane, const rattle_state *s) {
  for (int k = 0; k < l->n; k++)
    s->q[k] = l->z[k * l->width + lane], s->p[k] = l->z[(l->n + k) * l->width + lane];
}

void rattle__lanes_copy(const rattle__wide_points *l, int from, int to) {
  for (int k = 0; k < 2 * l->n; k++) l->z[k * l->width + to] = l->z[k * l->width + from];
  l->h[to] = l->h[from];
}

long long rattle__lanes_run(const rattle__wide_points *l, rattle__map *map, long long steps) {
  return map->run_wide(map, l->h, 1, steps, l->z, l->unusual);
}
