/* Compositions: phi_{gamma_s h} o ... o phi_{gamma_1 h}, gamma symmetric with sum 1.
 *
 * Source   H. Yoshida, Phys. Lett. A 150 (1990) 262; Hairer, Lubich, Wanner, Geometric Numerical
 *          Integration, II.4, V.3.2; the sets and their papers in src/method/coefficients
 * Substeps gamma h, rounded; where sums are compensated to multiples of one number, which add to h
 * exactly; where H or g depend on time
 *          to differences of rounded times, which end at t + h exactly
 * Claims   the order of the set for a symmetric inner map of order 2; symmetric, symplectic if the
 *          inner map is
 * Cost     s times the inner map */
#include <math.h>
#include <string.h>

#include "maps/wrap/wrap.h"
#include "constraint/step/trace.h"

typedef struct composition {
  rattle__map map;
  rattle__map *inner;
  int stages, nz;
  const long double *fraction;
  double *gamma, *length; /* fractions, rounded; substeps gamma h [stages] */
  double step;            /* the h of length, 0: none yet */
  double *wide_length;    /* [stages][width] of several trajectories at once */
  int width;
  double *buffer[2], *start; /* intermediate points; the last start, for the tangent */
} composition;

/* The buffer in which substep i ends: the two in turn, z1 for the last one. */
static double *end_of(composition *c, int i, double *z1) {
  return i == c->stages - 1 ? z1 : c->buffer[i % 2];
}

/* gamma h in whole numbers of units, the middle one being what is left of h. Exact where |gamma| <=
 * 1; a longer middle substep is rounded once more. */
static void divide_exactly(composition *c, double h) {
  const double unit = ldexp(1, ilogb(h) - 52);
  const int middle = c->stages / 2;
  long double left = h / unit;
  for (int i = 0; i < c->stages; i++) {
    const long double units = rintl(c->fraction[i] * h / unit);
    c->length[i] = (double)(units * unit);
    if (i != middle) left -= units;
  }
  c->length[middle] = (double)(left * unit);
}

/* Substeps between rounded times after t. */
static void divide_time(composition *c, double h, double t) {
  long double part = 0;
  double from = t;
  for (int i = 0; i < c->stages; i++) {
    part += c->fraction[i];
    const double to = i == c->stages - 1 ? t + h : (double)(t + part * h);
    c->length[i] = to - from;
    from = to;
  }
}

/* The substeps of h from z0 in length. */
static void divide(composition *c, double h, const double *z0) {
  const rattle__context *context = c->map.context;
  if (context->problem->clock && !context->carry) {
    divide_time(c, h, z0[context->problem->clock - 1]);
    return;
  }
  if (c->step == h) return;
  for (int i = 0; i < c->stages; i++) c->length[i] = c->gamma[i] * h;
  if (c->map.context->carry) divide_exactly(c, h);
  c->step = h;
}

static void write_down(rattle__trace *trace, int nz, double h, const double *z0, const double *z1) {
  double *z = trace->z + (size_t)trace->count * (size_t)nz;
  memcpy(z, z0, (size_t)nz * sizeof *z);
  memcpy(z + nz, z1, (size_t)nz * sizeof *z);
  trace->h[trace->count++] = h;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  composition *c = map->self;
  rattle_status status = RATTLE_OK;
  rattle__trace *trace =
      c->inner->composed
          ? NULL
          : map->context->asked.trace; /* compositions further in are parts of a substep */
  if (trace) map->context->asked.trace = NULL;
  if (c->start) memcpy(c->start, z0, (size_t)c->nz * sizeof *z0);
  divide(c, h, z0);
  const double *from = z0;
  for (int i = 0; i < c->stages && !status; i++) {
    double *to = end_of(c, i, z1);
    status = rattle__heed(map->context, error);
    if (!status) status = c->inner->apply(c->inner, c->length[i], from, to, error);
    if (trace && !status) write_down(trace, c->nz, c->length[i], from, to);
    from = to;
  }
  if (trace) map->context->asked.trace = trace;
  return status;
}

/* The inner map takes the substeps itself. */
static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  composition *c = map->self;
  divide(c, h[0], z);
  (void)stages; /* 1: compositions of compositions go the way of apply */
  return c->inner->run(c->inner, c->length, c->stages, steps, z, range);
}

static int widen(rattle__map *map, int lanes) {
  composition *c = map->self;
  const int width = c->inner->widen(c->inner, lanes);
  if (width > 1)
    c->wide_length = rattle__arena_doubles(&map->context->arena, (size_t)c->stages * (size_t)width);
  c->width = width;
  return c->wide_length ? width : 1;
}

static int join(rattle__map *map, int lane, rattle__map *with) {
  composition *c = map->self;
  if (with->join != join || !c->inner->join) return 0;
  return c->inner->join(c->inner, lane, ((composition *)with->self)->inner);
}

static long long run_wide(rattle__map *map, const double *h, int stages, long long steps, double *z,
                          long long *unusual) {
  const composition *c = map->self;
  (void)stages; /* 1, as for run */
  for (int i = 0; i < c->stages; i++)
    for (int lane = 0; lane < c->width; lane++)
      c->wide_length[i * c->width + lane] = c->gamma[i] * h[lane];
  return c->inner->run_wide(c->inner, c->wide_length, c->stages, steps, z, unusual);
}

/* The way is gone again, since an inner map knows the tangent of its last step only. */
static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  composition *c = map->self;
  rattle_status status = RATTLE_OK;
  const double *from = c->start;
  divide(c, h, c->start);
  for (int i = 0; i < c->stages && !status; i++) {
    double *to = c->buffer[i % 2];
    status = c->inner->apply(c->inner, c->length[i], from, to, error);
    if (!status) status = c->inner->tangent(c->inner, c->length[i], count, W, error);
    from = to;
  }
  return status;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  composition *c = map->self;
  return c->inner->output(c->inner, h, z, error);
}

static void destroy(rattle__map *map) {
  composition *c = map->self;
  if (c->inner->destroy) c->inner->destroy(c->inner);
}

rattle_status rattle__composition_create(rattle__map **map, rattle__context *context,
                                         rattle__map *inner, int stages, const long double *gamma,
                                         rattle_error *error) {
  rattle__arena *arena = &context->arena;
  size_t nz = 2 * (size_t)context->problem->n;
  composition *c = rattle__arena_take(arena, sizeof *c);
  if (!c) {
    if (inner->destroy) inner->destroy(inner);
    return rattle__no_memory(error);
  }
  *c = (composition){.inner = inner,
                     .fraction = gamma,
                     .stages = stages,
                     .nz = (int)nz,
                     .gamma = rattle__arena_doubles(arena, (size_t)stages),
                     .length = rattle__arena_doubles(arena, (size_t)stages)};
  c->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = inner->tangent ? tangent : NULL,
                         .output = inner->output ? output : NULL,
                         .shows = inner->shows,
                         .drifts = inner->drifts,
                         .run = inner->run && !inner->composed ? run : NULL,
                         .examined = inner->examined,
                         .widen = !inner->composed && inner->widen ? widen : NULL,
                         .join = join,
                         .run_wide = run_wide,
                         .vectors = inner->vectors,
                         .composed = 1,
                         .rough = inner->rough,
                         .compensates = inner->compensates,
                         .records = inner->records,
                         .destroy = destroy,
                         .symmetric = inner->symmetric,
                         .self = c};
  *map = &c->map;
  c->buffer[0] = rattle__arena_doubles(arena, nz);
  c->buffer[1] = rattle__arena_doubles(arena, nz);
  if (inner->tangent) c->start = rattle__arena_doubles(arena, nz);
  if (arena->failed) return rattle__no_memory(error);
  for (int i = 0; i < stages; i++) c->gamma[i] = (double)gamma[i];
  return RATTLE_OK;
}
