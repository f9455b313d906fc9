#ifndef RATTLE__PROBLEM_TEXTS_H
#define RATTLE__PROBLEM_TEXTS_H
/* Problems to measure methods on: model text, and a point (q, p) near the start, not on the
 * constraints. Nonlinear in all ways that tell methods apart: on linear problems many methods have
 * a higher order than elsewhere. The tests have the same problems as functions. */
#define RATTLE__PAIRS2 "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
#define RATTLE__PAIRS3 RATTLE__PAIRS2 "local q3, p3 = pair('q3', 'p3')\n"
#define RATTLE__PAIRS4 RATTLE__PAIRS3 "local q4, p4 = pair('q4', 'p4')\n"

/* a spherical pendulum in a quartic potential */
#define RATTLE__TEXT_spherical                                                                     \
  RATTLE__PAIRS3 "hamiltonian((p1^2 + p2^2 + p3^2)/2 + q3 + 0.375*q1^2*q2 + 0.25*q3^4)\n"          \
                 "constrain('sphere', q1^2 + q2^2 + q3^2 - 1)\n"
#define RATTLE__NEAR_spherical                                                                     \
  { 0.8, 0, -0.6, 0.25, 1, 0.5 }

/* a mass that depends on the position, a quartic kinetic term, a quartic surface */
#define RATTLE__TEXT_varying_mass                                                                  \
  RATTLE__PAIRS3                                                                                   \
  "hamiltonian((1 + 0.25*q1^2)*p1^2/2 + p2^2/(2 + sin(q3)) + p3^2/2 + 0.25*q2*p1*p2)\n"            \
  "hamiltonian(0.0625*(p1^2 + p2^2 + p3^2)^2 + q3 + 0.25*q1^3)\n"                                  \
  "constrain('surface', q1^2 + 2*q2^2 + q3^2 + 0.25*q1^4 - 1)\n"
#define RATTLE__NEAR_varying_mass                                                                  \
  { 0.8, 0.1, -0.6, 0.25, 1, 0.5 }

/* a double pendulum */
#define RATTLE__TEXT_double_pendulum                                                               \
  RATTLE__PAIRS4                                                                                   \
  "hamiltonian((p1^2 + p2^2)/2 + (p3^2 + p4^2)/3 + q2 + 1.5*q4)\n"                                 \
  "constrain('inner', q1^2 + q2^2 - 1)\nconstrain('outer', (q3 - q1)^2 + (q4 - q2)^2 - 1)\n"
#define RATTLE__NEAR_double_pendulum                                                               \
  { 0.8, -0.6, 1.6, -1.2, 0.3, 0.4, 0.5, 0.9 }

/* a relativistic particle on a sphere: separable, not natural */
#define RATTLE__TEXT_relativistic                                                                  \
  RATTLE__PAIRS3 "hamiltonian(sqrt(1 + p1^2 + p2^2 + p3^2) + q3 + 0.5*q1^2*q2)\n"                  \
                 "constrain('sphere', q1^2 + q2^2 + q3^2 - 1)\n"
#define RATTLE__NEAR_relativistic                                                                  \
  { 0.8, 0, -0.6, 0.25, 1, 0.5 }

/* a constraint on coordinates and momenta */
#define RATTLE__TEXT_harmonic                                                                      \
  RATTLE__PAIRS2                                                                                   \
  "hamiltonian((p1^2 + p2^2)/2 - 0.25*q2 - 0.125*q1 + 0.125*q1^4 + 0.25*q1^2*q2^2)\n"              \
  "constrain('sphere', q1^2 + q2^2 + p1^2 + p2^2 - 1)\n"
#define RATTLE__NEAR_harmonic                                                                      \
  { 0.9, 0.1, -0.1, 0.3 }

/* two of them that commute */
#define RATTLE__TEXT_commuting                                                                     \
  RATTLE__PAIRS3                                                                                   \
  "hamiltonian((p1^2 + 1.5*p2^2 + 2*p3^2)/2 + 0.125*p1^2*p2^2 - 0.25*q1*q2 - 0.25*q2*q3 + "        \
  "0.125*q3^4 + 0.125*q1^2*q3)\n"                                                                  \
  "local J1, J2, J3 = (q1^2 + p1^2)/2, (q2^2 + p2^2)/2, (q3^2 + p3^2)/2\n"                         \
  "constrain('sum', J1 + J2 + J3 + 0.25*J1*J2 - 1.25)\n"                                           \
  "constrain('difference', J1 - J2 + 0.25*J3^2 - 0.125)\n"
#define RATTLE__NEAR_commuting                                                                     \
  { 1, 0.9, 0.7, 0.2, -0.2, 0.1 }

/* no constraints: natural */
#define RATTLE__TEXT_henon_heiles                                                                  \
  RATTLE__PAIRS2 "hamiltonian((p1^2 + p2^2 + q1^2 + q2^2)/2 + q1^2*q2 - q2^3/3)\n"
#define RATTLE__NEAR_henon_heiles                                                                  \
  { 0.3, 0.1, 0.2, 0.3 }

/* no constraints: not separable */
#define RATTLE__TEXT_product                                                                       \
  RATTLE__PAIRS2 "hamiltonian((1 + q1^2)*(1 + p1^2)/2 + (q2 - 0.5*p1)^2/2 + p2^2/2 + "             \
                 "0.125*p2^4)\n"
#define RATTLE__NEAR_product                                                                       \
  { 0.5, 0.25, 0.5, 0.5 }

#endif
