#ifndef RATTLE__MEASURE_H
#define RATTLE__MEASURE_H
/* Measuring what a method claims: order, symmetry, symplecticity, residuals, energy. A map is
 * anything that steps, and a subject anything that knows the solution: the command measures methods
 * against solutions of the library, the tests against a reference of their own, and deliberately
 * wrong maps. */
#include "rattle/method.h"

enum {
  RATTLE__SUBJECT_2N = 24,
  RATTLE__SUBJECT_M = 6
}; /* the most entries of z, and constraints */

/* A problem with functions to measure by, z [2n]. Those that return an int return 0, or 1 if there
 * is no answer. */
typedef struct rattle__measured_problem {
  const char *name;
  int n, m;
  int hidden;  /* 1: there are hidden constraints psi = 0 (second-class ones have none) */
  double span; /* length of the runs for the order */
  double z0[RATTLE__SUBJECT_2N];                         /* the start, on M_H */
  int (*exact)(void *self, double time, long double *z); /* the solution at a time near span */
  void (*residuals)(void *self, const long double *z, long double *g,
                    long double *psi); /* [m]; psi may be NULL */
  void (*jacobians)(void *self, const long double *z, long double *g_z,
                    long double *psi_z); /* [m*2n]; psi_z may be NULL */
  long double (*energy)(void *self, const long double *z);
  int (*onto)(
      void *self,
      double *z); /* onto M_H, along a vector that changes nothing of first order if z is tangent to
                 it */
  void *self;
} rattle__measured_problem;

/* A one-step map; (q, p) in place; both functions return 0, or nonzero if the step failed. */
typedef struct rattle__measured_map {
  const rattle__measured_problem *subject;
  int (*step)(void *self, double h, long long steps, double *q, double *p);
  int (*output)(void *self, double *q, double *p); /* slides the output; NULL: nothing to do */
  double (*time)(
      void *self); /* after the last step, from 0, if steps differ in length; NULL: steps*h */
  void *self;
  int shows; /* 1: output only makes (q, p) of other variables, which the map steps with: it
                serves the order */
} rattle__measured_map;

/* Results of measurements, each against its own yardstick. */
typedef struct rattle__measured {
  double order;         /* slope of the error above the plateau; NaN: too few points, see points */
  int points;           /* that the slope was taken from */
  double symmetry;      /* |R_{-h} R_h z - z| / (1 + |z|) */
  double symplecticity; /* largest change of the form over pairs of an orthonormal basis of the
                        tangent space */
  double g, psi;        /* largest residuals over a run */
  double energy_trend; /* difference of the mean energy errors of the last and first third of a run,
                       relative to its amplitude and to round-off */
  double energy_amplitude;
  double energy; /* largest |H - H at the start| over a run */
} rattle__measured;

/* Each fills its part of *measured; returns 0, or 1 if the map failed. */
int rattle__measure_order(const rattle__measured_map *map, int order, rattle__measured *measured);
int rattle__measure_symmetry(const rattle__measured_map *map, double h, rattle__measured *measured);
/* The tangent space: of M_H (hidden = 1), of M (hidden = 0), all of R^2n if m = 0. The map is
 * applied `steps` times. */
int rattle__measure_symplecticity(const rattle__measured_map *map, double h, int steps, int hidden,
                                  rattle__measured *measured);
int rattle__measure_residuals(const rattle__measured_map *map, double h, int steps,
                              rattle__measured *measured);
int rattle__measure_energy(const rattle__measured_map *map, double h, int steps,
                           rattle__measured *measured);
int rattle__measure_energy_kept(const rattle__measured_map *map, double h, int steps,
                                rattle__measured *measured);

/* A claim and what was measured of it. */
typedef struct rattle__finding {
  const char *claim; /* as in rattle_verdict */
  const char *what;  /* what was measured, or what failed */
  double claimed, measured, bound;
  int holds;
} rattle__finding;

/* Measures `claims` one after the other, all into *measured, and hands each finding to `take` until
 * that returns nonzero or a claim cannot be measured, which is a finding that does not hold. The
 * order is first, and may be above the claim. */
void rattle__measure_claims(const rattle__measured_map *map, const rattle_claims *claims,
                            rattle__measured *measured,
                            int (*take)(void *self, const rattle__finding *finding), void *self);
#endif
