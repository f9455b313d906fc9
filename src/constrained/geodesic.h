#ifndef RATTLE__WRAP_GEODESIC_H
#define RATTLE__WRAP_GEODESIC_H
/* The flow of T = p^T M^-1 p/2 on the cotangent bundle of {g(q) = 0}: motion without forces, along geodesics of the metric M. */
#include "step/map.h"

typedef struct rattle__geodesic rattle__geodesic;
struct rattle__geodesic {
  /* z1 = exp(t X_T) z0, z0 with psi = 0; the arrays [2n] are distinct */
  rattle_status (*flow)(rattle__geodesic *geodesic, double t, const double *z0, double *z1, rattle_error *error);
  /* slides z along its fibre onto psi = 0; quicker where z is the last z1 with another p */
  rattle_status (*slide)(rattle__geodesic *geodesic, double *z, rattle_error *error);
  void (*destroy)(rattle__geodesic *geodesic);
  void *self;
};

/* For natural problems: exact if there are no constraints or each makes a sphere of coordinates of its own, else `stages`
 * steps of RATTLE without force with the fractions gamma of t. Memory from the context's arena; *geodesic may be a part to
 * destroy. */
rattle_status rattle__geodesic_create(rattle__geodesic **geodesic, rattle__context *context, int stages, const long double *gamma,
                                      rattle_error *error);

/* geodesic_spheres.c: *geodesic NULL if the constraints are not such spheres. */
rattle_status rattle__spheres_create(rattle__geodesic **geodesic, rattle__context *context, rattle_error *error);
#endif
