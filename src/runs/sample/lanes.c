/* See lanes.h. A chain goes on by itself until its transition waits for steps of the map; the
 * lanes take as many as no chain has fewer of, and a chain whose way has ended goes on. So ways may
 * have different lengths and steps. */
#include "runs/sample/lanes.h"

#include <stdlib.h>

#include "runs/integrate/wide.h"

typedef struct seat {
  int chain;      /* -1: none; the lane does as another one */
  int walks;      /* a transition has begun */
  long long left; /* transitions */
} seat;

typedef struct flock {
  rattle__abreast *of;
  rattle__map *lead; /* steps the lanes */
  rattle__wide_points lanes;
  seat *seat; /* [lanes.width] */
  int next;   /* of the chains that have no seat yet */
} flock;

static rattle__kernel *kernel_of(const flock *r, const seat *s) {
  return rattle__chain_kernel(r->of->chain[s->chain]);
}

/* The next chain that wants to make transitions. */
static void take_seat(flock *r, seat *s) {
  rattle__abreast *of = r->of;
  *s = (seat){.chain = -1};
  while (r->next < of->count && s->chain < 0) {
    const int c = r->next++;
    if (of->chain[c]) of->status[c] = of->next(of->self, c, &s->left, &of->error[c]);
    if (of->chain[c] && !of->status[c] && s->left > 0) s->chain = c;
  }
}

/* Continues after a part of a transition has ended with that status, until the chain waits for
 * steps; a chain that has ended leaves its seat to the next one. */
static void go_on(flock *r, seat *s, rattle_status status) {
  rattle__abreast *of = r->of;
  while (s->chain >= 0) {
    const int c = s->chain;
    if (!status && s->walks) {
      if (kernel_of(r, s)->way.left) return;
      rattle__chain_end(of->chain[c]);
      s->walks = 0;
      if (--s->left == 0) status = of->next(of->self, c, &s->left, &of->error[c]);
    }
    if (status || s->left == 0) {
      of->status[c] = status;
      take_seat(r, s);
      status = RATTLE_OK;
    } else {
      s->walks = 1;
      status = rattle__chain_begin(of->chain[c], &of->error[c]);
    }
  }
}

/* The way that the chain waits for goes to its lane. */
static void put(const flock *r, int lane) {
  seat *s = &r->seat[lane];
  if (s->chain < 0) return;
  const rattle__kernel *k = kernel_of(r, s);
  rattle__lanes_put(&r->lanes, lane,
                    &(rattle_state){.q = k->way.z, .p = k->way.z + k->n, .h = k->way.h});
}

/* The steps that all chains can take; 0: none has a seat. *taken: how many have one, *model the
 * lane of one of them. */
static long long count_steps(const flock *r, int *taken, int *model) {
  long long steps = 0;
  *taken = 0;
  for (int lane = 0; lane < r->lanes.width; lane++) {
    if (r->seat[lane].chain < 0) continue;
    const long long left = kernel_of(r, &r->seat[lane])->way.left;
    if (!steps || left < steps) steps = left, *model = lane;
    ++*taken;
  }
  return steps;
}

/* After `done` steps; if `alone` is not 0 so many more are to be taken alone. A way that has ended
 * is the chain's again. */
static void arrive(flock *r, int lane, long long done, long long alone) {
  seat *s = &r->seat[lane];
  if (s->chain < 0) return;
  rattle__kernel *k = kernel_of(r, s);
  rattle_error *error = &r->of->error[s->chain];
  rattle_status status = RATTLE_OK;
  k->way.left -= done;
  if (!alone && k->way.left) return;
  rattle__lanes_get(&r->lanes, lane, &(rattle_state){.q = k->way.z, .p = k->way.z + k->n});
  if (alone) status = rattle__kernel_take(k, alone, error);
  if (!k->way.left) go_on(r, s, k->go_on(k, status, error));
  put(r, lane);
}

/* Steps of all lanes; returns how many were done. */
static long long step(const flock *r, long long steps, int model) {
  for (int lane = 0; lane < r->lanes.width; lane++)
    if (r->seat[lane].chain < 0) rattle__lanes_copy(&r->lanes, model, lane);
  return rattle__lanes_run(&r->lanes, r->lead, steps);
}

/* Chains in half of the lanes or fewer, the others having ended, are faster one by one. */
static void run(flock *r) {
  int taken, model = 0;
  for (int lane = 0; lane < r->lanes.width; lane++) {
    take_seat(r, &r->seat[lane]);
    go_on(r, &r->seat[lane], RATTLE_OK);
    put(r, lane);
  }
  for (long long steps; (steps = count_steps(r, &taken, &model)) > 0;) {
    const int few = 2 * taken <= r->lanes.width;
    const long long done = few ? 0 : step(r, steps, model);
    for (int lane = 0; lane < r->lanes.width; lane++)
      arrive(r, lane, done, few ? steps : done < steps && r->lanes.unusual[lane]);
  }
}

/* One after the other. */
static void run_alone(rattle__abreast *a) {
  for (int c = 0; c < a->count; c++) {
    long long left = 0;
    rattle_status status = RATTLE_OK;
    if (!a->chain[c]) continue;
    do {
      status = rattle_chain_advance(a->chain[c], left, &a->error[c]);
      if (!status) status = a->next(a->self, c, &left, &a->error[c]);
    } while (!status && left > 0);
    a->status[c] = status;
  }
}

/* The map whose steps the transitions of a chain wait for, if it steps several trajectories; else
 * NULL. */
static rattle__map *lead_of(const rattle__kernel *k) {
  rattle__map *const map = !k->go_on ? NULL
                           : k->map  ? rattle__integrator_wide(k->map)
                                     : k->geodesic->steps;
  return map && map->widen ? map : NULL;
}

int rattle__abreast_lanes(rattle_chain *chain, int count) {
  const rattle__map *lead = lead_of(rattle__chain_kernel(chain));
  return lead && count > 1 && !rattle__chain_learns_metric(chain) ? rattle__lanes_for(lead, count)
                                                                  : 1;
}

void rattle__abreast_go(rattle__abreast *a, int lanes) {
  flock r = {.of = a};
  int first = 0;
  while (first < a->count - 1 && !a->chain[first]) first++;
  if (!a->chain[first]) return;
  const rattle__kernel *k = rattle__chain_kernel(a->chain[first]);
  const int alike = !rattle__chain_learns_metric(a->chain[first]);
  r.lead = lanes > 1 && a->count > 1 && alike ? lead_of(k) : NULL;
  const int width = r.lead ? r.lead->widen(r.lead, lanes) : 1;
  r.seat = width > 1 ? calloc((size_t)width, sizeof *r.seat) : NULL;
  if (r.seat && rattle__lanes_make(&r.lanes, width, k->n))
    run(&r);
  else
    run_alone(a);
  rattle__lanes_release(&r.lanes);
  free(r.seat);
}
