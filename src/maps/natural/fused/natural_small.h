#ifndef RATTLE__NATURAL_SMALL_H
#define RATTLE__NATURAL_SMALL_H
#include "maps/natural/natural.h"
#include "maps/natural/fused/fused_numbers.h"
#include "maps/natural/fused/fused_plan.h"
#include "maps/natural/fused/fused_forces.h"

/* SHAKE and RATTLE of an explicit map for natural H with diagonal M and 1 to RATTLE__FUSED_MOST
 * holonomic constraints. */
rattle_status rattle__natural_small_create(rattle__map **map, rattle__context *context,
                                           const rattle__scheme *scheme,
                                           rattle__projection projection, rattle_error *error);
/* The same of verlet(a) with forces that are no gradient, for a problem of rattle__fused_is_pushed;
 * `fallback`, which it owns, takes the steps that leave doubt. */
rattle_status rattle__fused_create_pushed(rattle__map **map, rattle__context *context,
                                          const rattle__scheme *scheme,
                                          rattle__projection projection, rattle__map *fallback,
                                          rattle_error *error);

/* True if these steps fit the problem. */
int rattle__fused_fits(const rattle__context *context);
/* As rattle__natural_slide, for a map of rattle__natural_small_create. */
rattle_status rattle__fused_slide(rattle__map *map, double *z, rattle_error *error);

/* For such a map of a scheme of one drift and no kick: the step alone, from s = h^2 lambda [m],
 * which becomes what was found; *W [nnz] is G M^-1 at z0 until the next call. And p of z onto psi =
 * 0. 0, or not done: the step, or the slide, is to be taken by other means. */
int rattle__fused_drift(rattle__map *map, double h, const double *z0, double *z1, double *s,
                        const double **W);
int rattle__fused_slide_at(rattle__map *map, double *z);

/* The kernel compiled for one problem: a step, a slide of p, a proof of the end of a step, a loop
 * over steps, and the library that holds them, to be unloaded; all NULL if the problem's functions
 * are not machine code, or too large to be written out, or there is no compiler. */
typedef int (*rattle__fused_step)(rattle__fused *k, double h, const double *z0, double *z1);
typedef long long (*rattle__fused_run)(rattle__fused *k, const double *h, int stages,
                                       long long steps, double *z, double *range, int *code);
typedef int (*rattle__fused_level)(rattle__fused *k, double *p);
typedef int (*rattle__fused_prove)(rattle__fused *k, double h, const double *z0, const double *z1);
typedef struct rattle__fused_code {
  rattle__fused_step step;
  rattle__fused_level level;
  rattle__fused_prove prove;
  rattle__fused_run run;
  void *library;
} rattle__fused_code;
rattle__fused_code rattle__fused_native(const rattle__context *context,
                                        const rattle__scheme *scheme, int project,
                                        const rattle__fused_plan *plan,
                                        const rattle__fused_thrust *thrust);
/* The kernel of several trajectories at once (fused_lanes.h), for vectors of `lanes` numbers;
 * width: how many it steps, 1: there is none. Numbers that follow from inputs are those of each
 * trajectory. */
typedef long long (*rattle__fused_lanes_run)(const rattle__fused_alone *alone, double *z,
                                             const rattle__fused_given *given, long long many,
                                             long long *unusual);
typedef struct rattle__fused_lanes_code {
  rattle__fused_lanes_run run;
  int width, lanes; /* lanes of a vector */
  void *library;
} rattle__fused_lanes_code;
/* How many vectors it works on side by side. */
int rattle__natural_vectors(const rattle_problem *problem);
rattle__fused_lanes_code rattle__fused_lanes_native(const rattle__context *context,
                                                    const rattle__scheme *scheme, int project,
                                                    const rattle__fused_plan *plan, int lanes);
/* The kernel of derivatives (tangent_kernel.h), as the step above. */
typedef long long (*rattle__fused_tangents)(rattle__fused *k, const rattle__fused_bends *b,
                                            const double *h, const double *z, long long steps,
                                            int count, double *W);
rattle__fused_tangents rattle__fused_tangents_native(const rattle__context *context,
                                                     const rattle__scheme *scheme, int project,
                                                     const rattle__fused_plan *plan,
                                                     void **library);
/* As rattle__natural_fall_back, for a map of rattle__natural_small_create. */
void rattle__fused_fall_back(rattle__map *map, rattle__map *exact);
#endif
