#ifndef RATTLE_ORBIT_H
#define RATTLE_ORBIT_H
/* Periodic orbits on the manifold g = 0, psi = 0, by Newton's method on the return map of a
 * method's steps, with the exact tangent maps of the steps (rattle/tangent.h); their Floquet
 * multipliers; and families of them, followed by their arclength.
 *
 *     R_h^N(z) = z,   h = T/N,   f(z_ref)^T (z - z_ref) = 0,   and H(z) = E or T given
 *
 * Unknown are z in the tangent space, d = 2(n - m) numbers, and T. The equations of a Hamiltonian
 * system are dependent: least squares of smallest length solve them. Orbits that
 * are unstable are found by multiple shooting, with nodes along the orbit. docs/orbits.md explains
 * it. Source: M. Lara, J. Pelaez, Astron. Astrophys. 389 (2002) 692; E. J. Doedel et al., Int. J.
 * Bifurcation Chaos 13 (2003) 1353. */
#include "rattle/tangent.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The quantity held while an orbit is sought: orbits of a conservative system come in families. */
typedef enum rattle_orbit_held {
  RATTLE_ORBIT_HOLD_DEFAULT, /* the energy; the period if the problem depends on time; nothing if
                                forces act (RATTLE_FORCED) */
  RATTLE_ORBIT_HOLD_ENERGY,  /* the energy of the guess */
  RATTLE_ORBIT_HOLD_PERIOD,  /* the period of the guess */
  RATTLE_ORBIT_HOLD_NOTHING
} rattle_orbit_held;

typedef struct rattle_orbit_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *method; /* a method with a derivative (rattle/tangent.h) that keeps g and psi; NULL:
                 rattle_default_method */
  double start_time;  /* of the start: matters if the problem depends on time */
  double period;      /* the guess; 0: from the closest return of the trajectory within `span` */
  double span;        /* how long to wait for the closest return; 0: refused if period is 0 */
  double step;        /* steps are period/steps, about as long as this; 0: period/200 */
  int arcs; /* of multiple shooting, at most 64; 0: as many as the growth of tangent vectors asks
               for */
  rattle_orbit_held held;        /* quantity that is held */
  const volatile int *interrupt; /* may be NULL; if it becomes nonzero (status.h), the search ends:
                    RATTLE_INTERRUPTED */
} rattle_orbit_options;

typedef struct rattle_orbit rattle_orbit;

/* Strings and arrays belong to the orbit. */
typedef struct rattle_orbit_result {
  int n, d;              /* pairs; dimension of the tangent space, without time */
  const double *q, *p;   /* [n] the start */
  double period, energy; /* energy: H at the start */
  long long steps;       /* of one period, 2N */
  int arcs, iterations;  /* of multiple shooting; of Newton's method, with N and 2N steps */
  double
      residual; /* the largest |R(z) - z| over the arcs, in parts of the amplitudes of q and of p */
  double period_error; /* of the steps, from N and 2N steps and the order of the method */
  double start_error;  /* the same of the start, in parts of the amplitudes */
  double radius,
      radius_error; /* the largest modulus of the multipliers that are not trivial; NaN if there
                       are none */
  double amplitude_q, amplitude_p; /* half the largest range of a coordinate, and of a momentum */
  int multipliers,
      trivial; /* how many there are; the last `trivial` are 1: those of the flow and of the
                  energy */
  const double *real, *imaginary; /* [multipliers] by falling modulus, the trivial ones last */
  double trivial_defect;          /* relative defect |M f - f|/|f| of the field f along the orbit:
                                    * round-off, and the effect of the residual */
  double
      pairing_defect; /* the largest |mu mu' - 1| of pairs; NaN if forces act, or there are none */
  int repeats; /* the period found is so many times the least one; 1 if it is the least, as far
                  as the steps show */
  const char *verdict, *why; /* "stable", "unstable", "undecided"; a sentence */
} rattle_orbit_result;

/* Finds a periodic orbit near (q, p), [n] each, which must be on the constraints.
 * RATTLE_UNSUITABLE: the method has no derivative or does not keep the constraints;
 * RATTLE_NOT_CONVERGED: no orbit near the guess was found, with a sentence that says what to try;
 * *orbit is NULL then. The orbit holds the problem. */
RATTLE_API rattle_status rattle_orbit_create(rattle_orbit **orbit, const rattle_problem *problem,
                                             const double *q, const double *p,
                                             const rattle_orbit_options *options,
                                             rattle_error *error);
RATTLE_API void rattle_orbit_destroy(rattle_orbit **orbit);
RATTLE_API const rattle_orbit_result *rattle_orbit_result_of(const rattle_orbit *orbit);
/* The monodromy matrix M [d*d], by rows, in the basis [d*2n] of tangent vectors at the start, by
 * rows, which are orthonormal in units of the amplitudes. Either may be NULL. */
RATTLE_API void rattle_orbit_monodromy(const rattle_orbit *orbit, double *M, double *basis);

/* --- families --------------------------------------------------------------------------------- */

typedef enum rattle_family_along {
  RATTLE_FAMILY_ENERGY,
  RATTLE_FAMILY_PERIOD,
  RATTLE_FAMILY_PARAMETER /* of the model; each orbit holds the energy, the period, or nothing if
                           * forces act */
} rattle_family_along;

/* Events at points of a family, located by secants. With forces single multipliers pass 1 or -1 in
 * place of pairs. */
typedef enum rattle_family_event {
  RATTLE_FAMILY_NONE,
  RATTLE_FAMILY_END,         /* the value asked for was reached */
  RATTLE_FAMILY_FOLD_ENERGY, /* the energy turns along the family: two multipliers meet at 1 */
  RATTLE_FAMILY_FOLD_PERIOD, /* the period turns */
  RATTLE_FAMILY_BRANCH,      /* two multipliers meet at 1 and the energy goes on: a family branches
                           off, mostly one of lower symmetry */
  RATTLE_FAMILY_DOUBLING,    /* two multipliers meet at -1: a family of twice the period branches
                             off */
  RATTLE_FAMILY_COLLISION,   /* two pairs meet on the unit circle and leave it (Krein), or come
                              back */
  RATTLE_FAMILY_FOLD_PARAMETER, /* the parameter turns: two multipliers meet at 1, or one passes
                                   1 if forces act */
  RATTLE_FAMILY_TORUS /* with forces: a pair passes the unit circle, and a torus branches off
                         (Neimark, Sacker) */
} rattle_family_event;

typedef struct rattle_family_options {
  size_t struct_size;                /* sizeof, or 0: status.h */
  const rattle_orbit_options *orbit; /* the search of the first orbit; NULL: the defaults */
  rattle_family_along along;         /* what changes */
  double to;                         /* where the family ends */
  int points;                        /* at most; 0: 200 */
  const char
      *parameter; /* of RATTLE_FAMILY_PARAMETER: its name. The family begins at the value that the
                    problem has */
  rattle_status (*parse)(
      rattle_model **model, const char *text, const char *name, const rattle_model_options *options,
      rattle_error
          *error); /* for a parameter: rattle_model_parse, as the model is read anew for each
                     value */
} rattle_family_options;

typedef struct rattle_family_point {
  double arclength, energy, period,
      radius; /* arclength: from the first orbit, in units of its amplitudes */
  rattle_family_event event;
  const double *z;                /* [2n] the start */
  const double *real, *imaginary; /* [multipliers] as those of an orbit */
  double parameter;               /* NaN: none changes */
  double reserved[4];             /* 0: space for future members */
} rattle_family_point;

typedef struct rattle_family rattle_family;

/* Follows the family of the orbit near (q, p) by pseudo-arclength, with steps of the first one's
 * length. RATTLE_UNSUITABLE: along the energy or the period, a problem that depends on time or has
 * forces; RATTLE_BAD_ARGUMENT: no such parameter; RATTLE_NOT_CONVERGED: no first orbit, or no
 * family in that direction. A family that cannot be followed to its end ends early, with the reason
 * in rattle_family_why. */
RATTLE_API rattle_status rattle_family_create(rattle_family **family, const rattle_problem *problem,
                                              const double *q, const double *p,
                                              const rattle_family_options *options,
                                              rattle_error *error);
RATTLE_API void rattle_family_destroy(rattle_family **family);
/* How many points there are, of how many multipliers each, and one of them. Arrays belong to the
 * family. */
RATTLE_API int rattle_family_points(const rattle_family *family);
RATTLE_API int rattle_family_multipliers(const rattle_family *family);
RATTLE_API rattle_family_point rattle_family_point_of(const rattle_family *family, int i);
RATTLE_API const char *
rattle_family_why(const rattle_family *family); /* "": it was followed to the value asked for */
RATTLE_API const char *
rattle_family_event_name(rattle_family_event event); /* "", "end", "fold of the energy", ... */

#ifdef __cplusplus
}
#endif
#endif
