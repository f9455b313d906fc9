/* A plug-in: one base map and one observer.
 *
 *     cc -shared -fPIC optimal.c $(pkg-config --cflags rattle) -o optimal.so
 *     rattle verify ./optimal.so                                       measures what the base map claims
 *     rattle methods --plugin ./optimal.so optimal
 *     rattle run pendulum.lua --plugin ./optimal.so --method "rattle(optimal)" --observe turns
 *
 * The map: the splitting of order 2 with two forces per step whose error is least,
 *
 *     drift c h, kick h/2, drift (1 - 2c) h, kick h/2, drift c h,    c = 0.19318...
 *
 * R. I. McLachlan, SIAM J. Sci. Comput. 16 (1995) 151. Symmetric as a palindrome, symplectic as a product of flows.
 *
 * The observer counts how often the first momentum changes its sign, and says so when the run ends. */
#include <stdio.h>
#include <stdlib.h>

#include "rattle/plugin.h"

/* --- the base map --- */

/* Scratch for one integrator: a gradient [n]. */
static int create(void **self, const rattle_equations *H) {
  *self = malloc((size_t)H->n * sizeof(double));
  return *self ? 0 : -1;
}

static int drift(const rattle_equations *H, double length, double *z, double *velocity) {
  const int failed = H->velocity(H, z + H->n, velocity);
  for (int k = 0; k < H->n; k++) z[k] += length * velocity[k];
  return failed;
}

static int kick(const rattle_equations *H, double length, double *z, double *force) {
  const int failed = H->force(H, z, force);
  for (int k = 0; k < H->n; k++) z[H->n + k] -= length * force[k];
  return failed;
}

static int step(void *self, const rattle_equations *H, double h, const double *z0, double *z1) {
  const double c = 0.1931833275037836;
  for (int k = 0; k < 2 * H->n; k++) z1[k] = z0[k];
  int failed = drift(H, c * h, z1, self);
  if (!failed) failed = kick(H, h / 2, z1, self);
  if (!failed) failed = drift(H, (1 - 2 * c) * h, z1, self);
  if (!failed) failed = kick(H, h / 2, z1, self);
  return failed ? failed : drift(H, c * h, z1, self);
}

static const rattle_base_map optimal = {
    .struct_size = sizeof optimal,
    .name = "optimal",
    .text = "the splitting of order 2 with two forces per step whose error is least",
    .citation = "R. I. McLachlan, SIAM J. Sci. Comput. 16 (1995) 151",
    .formula = "drift c h, kick h/2, drift (1 - 2c) h, kick h/2, drift c h",
    .order = 2,
    .symmetric = 1,
    .symplectic = 1,
    .explicit_ = 1,
    .needs = RATTLE_SEPARABLE,
    .create = create,
    .destroy = free,
    .step = step};

/* --- the observer --- */

typedef struct turns {
  double before; /* the first momentum at the sample before */
  long long count;
} turns;

static rattle_status record(void *self, const rattle_sample *sample, rattle_error *error) {
  turns *t = self;
  (void)error;
  if (t->before * sample->p[0] < 0) t->count++;
  if (sample->p[0] != 0) t->before = sample->p[0];
  return RATTLE_OK;
}

static rattle_status end(void *self, const rattle_summary *summary, rattle_error *error) {
  const turns *t = self;
  (void)summary, (void)error;
  printf("turns: %lld\n", t->count);
  return RATTLE_OK;
}

static rattle_status watch_turns(rattle_observer *observer, const rattle_problem *problem,
                                 const char *argument, rattle_error *error) {
  (void)problem, (void)argument;
  observer->self = calloc(1, sizeof(turns));
  observer->record = record;
  observer->end = end;
  if (observer->self) return RATTLE_OK;
  snprintf(error->message, sizeof error->message, "out of memory");
  return error->status = RATTLE_NO_MEMORY;
}

static void forget_turns(rattle_observer *observer) {
  free(observer->self);
}

static const rattle_plugin_observer observer = {
    .struct_size = sizeof observer,
    .name = "turns",
    .text = "prints how often the first momentum changed its sign",
    .create = watch_turns,
    .destroy = forget_turns};

/* --- what the shared object gives --- */

static const rattle_base_map *const maps[] = {&optimal};
static const rattle_plugin_observer *const observers[] = {&observer};
static const rattle_plugin plugin = {.struct_size = sizeof plugin,
                                     .name = "optimal",
                                     .version = "1",
                                     .maps = 1,
                                     .map = maps,
                                     .observers = 1,
                                     .observer = observers};
RATTLE_PLUGIN(plugin)
