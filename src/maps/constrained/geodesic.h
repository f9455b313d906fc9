#ifndef RATTLE__WRAP_GEODESIC_H
#define RATTLE__WRAP_GEODESIC_H
/* The flow of T = p^T M^-1 p/2 on the cotangent bundle of {g(q) = 0}: motion without forces, along
 * geodesics of the metric M. */
#include <stdio.h>

#include "maps/constrained/spheres_state.h"
#include "constraint/step/map.h"

typedef struct rattle__geodesic rattle__geodesic;
struct rattle__geodesic {
  /* z1 = exp(t X_T) z0, z0 with psi = 0; the arrays [2n] are distinct */
  rattle_status (*flow)(rattle__geodesic *geodesic, double t, const double *z0, double *z1,
                        rattle_error *error);
  /* slides z along its fibre onto psi = 0; quicker where z is the last z1 with another p */
  rattle_status (*slide)(rattle__geodesic *geodesic, double *z, rattle_error *error);
  /* Writes what spheres_kernel.h is to be preceded by; returns 0 if that is too long, or depends on
   * more than numbers. NULL: not offered */
  int (*write)(const rattle__geodesic *geodesic, FILE *out);
  void (*destroy)(rattle__geodesic *geodesic);
  rattle__map *steps; /* whose steps flows are; NULL: they are none */
  void *self;
};

/* For natural problems: exact if there are no constraints or each makes a sphere of coordinates of
 * its own, else `stages` steps of RATTLE without force with the fractions gamma of t. Memory from
 * the context's arena; *geodesic may be a part to destroy. */
rattle_status rattle__geodesic_create(rattle__geodesic **geodesic, rattle__context *context,
                                      int stages, const long double *gamma, rattle_error *error);

/* geodesic_spheres.c: *geodesic NULL if the constraints are not such spheres. */
rattle_status rattle__spheres_create(rattle__geodesic **geodesic, rattle__context *context,
                                     rattle_error *error);

/* geodesic_native.c: many steps of a splitting as machine code for the problem (spheres_run.h), and
 * the library that holds it, to be unloaded; both NULL if the geodesics do not write themselves,
 * the problem's functions are not machine code, or there is no compiler. */
struct rattle__rkn_splitting;
typedef long long (*rattle__spheres_run)(rattle__turning *k, double h, long long steps, double *z,
                                         double *range);
rattle__spheres_run rattle__geodesic_native(const rattle__geodesic *geodesic,
                                            const rattle__context *context,
                                            const struct rattle__rkn_splitting *splitting,
                                            void **library);
#endif
