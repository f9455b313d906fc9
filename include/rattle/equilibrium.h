#ifndef RATTLE_EQUILIBRIUM_H
#define RATTLE_EQUILIBRIUM_H
/* Equilibria under constraints g(q) = 0 and A(q) q' = 0, and the small motions about them.
 *
 *     0 = -H_q + f - C^T lambda,  H_p = 0,  g = 0,  C = (g_q; A)        at rest
 *     x'' + D x' + K x = 0                                 q = q* + B x + O(x^2)
 *
 * The columns of B are a basis of the directions of motion in which the kinetic energy is |x'|^2/2
 * (B^T M B = 1, M^-1 = H_pp), so that K, B^T (H_qq - f_q + lambda . C_q) B, has the squares of the
 * frequencies for its eigenvalues where there is no damping. If H has terms that are linear in
 * momenta, as in a rotating frame or a magnetic field, momenta at rest are not 0, they follow q,
 * and K and the damping have the terms K -= B^T (H_qp - f_p) M H_pq B, E^T - E, E = B^T M H_pq B.
 * Multipliers of constraints that depend on others, omitted ones included, are those of least norm.
 * docs/statics.md explains it. */
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_equilibrium rattle_equilibrium;

typedef struct rattle_equilibrium_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* 1: the equilibrium that Newton's method finds from the guess, stable or not; 0: down the
   * potential from the guess, where there is one (no forces, or dampers alone) */
  int nearest;
  const volatile int *interrupt; /* may be NULL; if it becomes nonzero (status.h), the search ends:
                    RATTLE_INTERRUPTED */
  int modes; /* the lowest so many; 0: all, or of more than 400 pairs the lowest 10 */
  /* Steady motions: equilibria of H - sum value J, J(q, p) being quantities that the model observes
   * and symmetries conserve. The motion goes along the flows of the J with these speeds:
   * of an angular momentum, it turns; the linear motion is that in the frame that goes along. */
  const rattle_parameter *steady; /* [steadies] */
  int steadies;
} rattle_equilibrium_options;

/* Stable by gyroscopic terms alone: without forces all motions of the linear equations stay
 * bounded, with frequencies that differ, where the energy has no minimum. Terms beyond, or
 * friction, may still move it away. */
enum { RATTLE_EQUILIBRIUM_GYROSCOPIC = 2 };

/* Arrays belong to the equilibrium. */
typedef struct rattle_equilibrium_result {
  int n, m, degrees; /* pairs; constraints; degrees of freedom, n less the rank of g_q */
  const double *q;   /* [n] */
  int omitted; /* constraints that were omitted since others hold them: rattle_model_omitted */
  const double *multipliers; /* [m + omitted], the omitted ones last */
  double energy;             /* H at rest there */
  double residual;           /* how far Newton's method would move it still, in parts of the largest
                      coordinate: round-off */
  int iterations;
  int stable;     /* 1, 0; -1: linear terms do not decide, as along a family of equilibria;
               RATTLE_EQUILIBRIUM_GYROSCOPIC */
  double softest; /* the least eigenvalue of the symmetric part of K */
  /* Small motions, exp(mu t): of each pair of conjugate mu that with the positive imaginary part,
   * by rising |mu| */
  int modes;
  const double *real, *imaginary; /* [modes] */
  /* [modes*n] of each mode the motion of the coordinates, its largest entry 1; of a complex one
   * its real and imaginary parts */
  const double *shape, *shape_imaginary;
  const double *basis;               /* B [n*degrees] by rows; NULL, as K and D, of more than 400
                                        pairs */
  const double *stiffness, *damping; /* K, D [degrees*degrees] by rows */
  const double *p; /* momenta at rest [n]; 0 where H has no terms that are linear in momenta */
  /* Under constraints on velocities, the directions across those of motion in which the
   * constraints of coordinates leave room: it can rest there as well, and each is one more mu = 0,
   * not among the modes. m and multipliers count these constraints, after those of coordinates. */
  int places;
} rattle_equilibrium_result;

/* Finds the equilibrium near q [n]; NULL: the start of the model, projected onto the constraints if
 * need be. Time, the coordinate t of problems that depend on it, is held at its value there.
 * RATTLE_UNSUITABLE: constraints that are neither g(q) nor on velocities, one on velocities that
 * drives, H_pp that is not positive definite; of more than 400 pairs also constraints on
 * velocities, forces, terms that are linear in momenta, and masses that are not constant and
 * diagonal.
 * Steady motions also need the text of the model, and J that symmetries conserve.
 * RATTLE_NOT_CONVERGED: none was found, with a sentence that says what to try. *found is NULL then.
 */
RATTLE_API rattle_status rattle_equilibrium_create(rattle_equilibrium **found,
                                                   const rattle_problem *problem, const double *q,
                                                   const rattle_equilibrium_options *options,
                                                   rattle_error *error);
RATTLE_API void rattle_equilibrium_destroy(rattle_equilibrium **found);
RATTLE_API const rattle_equilibrium_result *
rattle_equilibrium_result_of(const rattle_equilibrium *found);

/* --- along a parameter ------------------------------------------------------------------------ */

/* Events at points of a family, located to the round-off of what changes its sign there. */
typedef enum rattle_equilibria_event {
  RATTLE_EQUILIBRIA_NONE,
  RATTLE_EQUILIBRIA_END,    /* the value asked for, or the first one again */
  RATTLE_EQUILIBRIA_FOLD,   /* the parameter turns, and a stiffness goes through 0: snap-through */
  RATTLE_EQUILIBRIA_BRANCH, /* a stiffness goes through 0 while the parameter goes on, or touches 0
                               where it turns: another family goes through this point, as where a
                               column buckles */
  RATTLE_EQUILIBRIA_FLUTTER /* with forces or gyroscopic terms: an oscillation begins to grow, or
                               ends to (Hopf) */
} rattle_equilibria_event;

typedef struct rattle_equilibria_options {
  size_t struct_size;                      /* sizeof, or 0: status.h */
  const rattle_equilibrium_options *first; /* the search of the first equilibrium; NULL: default */
  const char *parameter; /* of the model; the family begins at the value that the problem has. Or
                      the name of a quantity of first->steady: then its speed changes */
  double to;             /* where it ends */
  int points;            /* at most, but for events; 0: 200 */
} rattle_equilibria_options;

/* Arrays belong to the family. */
typedef struct rattle_equilibria_point {
  double parameter, arclength; /* arclength: with the way of the parameter as 1, and the coordinates
                                  in units of the largest one */
  rattle_equilibria_event event;
  int stable;       /* as in rattle_equilibrium_result */
  int negative;     /* eigenvalues of the symmetric part of K below 0 */
  int loads, modes; /* loads: m + omitted */
  double energy, softest;
  const double *q, *multipliers;  /* [n], [loads] */
  const double *real, *imaginary; /* [modes] */
  const double *p;                /* as in rattle_equilibrium_result [n] */
  double reserved[3];             /* 0: space for future members */
} rattle_equilibria_point;

typedef struct rattle_equilibria rattle_equilibria;

/* Follows the family of the equilibrium near q [n] (NULL: the start of the model) as the parameter
 * changes, by pseudo-arclength: around folds, until the parameter is `to` or comes back to its
 * first value. The text of the model is read anew for each value. RATTLE_BAD_ARGUMENT: no such
 * parameter, or no text; failures of rattle_equilibrium_create. A family that cannot be followed to
 * its end ends early, with the reason in rattle_equilibria_why. */
RATTLE_API rattle_status rattle_equilibria_create(rattle_equilibria **family,
                                                  const rattle_problem *problem, const double *q,
                                                  const rattle_equilibria_options *options,
                                                  rattle_error *error);
RATTLE_API void rattle_equilibria_destroy(rattle_equilibria **family);
RATTLE_API int rattle_equilibria_points(const rattle_equilibria *family);
RATTLE_API rattle_equilibria_point rattle_equilibria_point_of(const rattle_equilibria *family,
                                                              int i);
RATTLE_API const char *
rattle_equilibria_why(const rattle_equilibria *family); /* "": it reaches the value asked for */
RATTLE_API const char *
rattle_equilibria_event_name(rattle_equilibria_event event); /* "", "end", "fold", ... */

#ifdef __cplusplus
}
#endif
#endif
