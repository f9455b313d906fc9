#ifndef TESTS_CLAIMS_H
#define TESTS_CLAIMS_H
/* Measuring what a method claims: order, symmetry, symplecticity, residuals, energy. A map is
 * anything that steps, so that the library's methods and deliberately wrong ones go through the
 * same functions. */
#include "../one_in.h"
#include "../reference/common_reference.h"
#include "rattle/rattle.h"
#include "examine/verify/measure.h"

/* A one-step map of a test problem; (q, p) in place; both return 0, or nonzero if the step
 * failed. */
typedef struct claims_map {
  const tests_problem *problem;
  int (*step)(void *self, double h, long long steps, double *q, double *p);
  int (*output)(void *self, double *q, double *p); /* slides the output; NULL: nothing to do */
  void *self;
  int shows; /* 1: output only makes (q, p) of other variables, which the map steps with: it
                serves the order */
} claims_map;

typedef rattle__measured claims_measured;

/* Each fills its part of *measured; returns 0, or 1 if the map failed. z0 = (q, p) is the start, on
 * M_H. */
int claims_measure_order(const claims_map *map, int order, claims_measured *measured);
int claims_measure_symmetry(const claims_map *map, double h, claims_measured *measured);
/* The tangent space: of M_H (hidden = 1), of M (hidden = 0), all of R^2n if m = 0. The map is
 * applied `steps` times. */
int claims_measure_symplecticity(const claims_map *map, double h, int steps, int hidden,
                                 claims_measured *measured);
int claims_measure_residuals(const claims_map *map, double h, int steps, claims_measured *measured);
int claims_measure_energy(const claims_map *map, double h, int steps, claims_measured *measured);
int claims_measure_energy_kept(const claims_map *map, double h, int steps,
                               claims_measured *measured);

/* Measures all of `claims` into *measured (may be NULL) and writes the first refutation into text,
 * which is returned; NULL: nothing refuted. The order is measured first, and may be above the
 * claim. */
const char *claims_refute(const claims_map *map, const rattle_claims *claims,
                          claims_measured *measured, char *text, int size);

/* 1 if the loops over the table should run native code as well: not without a compiler, where
 * problems are interpreted whatever they are asked for, nor where sanitizers would see nothing of
 * it. */
int claims_takes_native(void);
/* 1: errors are round-off where steps are short enough to show the order, which is above 10:
 * unit.test_coefficients has its conditions. */
int claims_order_in_round_off(const char *method);

/* Coefficients that methods take by name, as text of a model. */
extern const char *const claims_coefficients;

/* A method of the library on a test problem, with one of the evaluators. */
typedef struct claims_library {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double time; /* where the last call of claims_library_step ended, from 0 */
} claims_library;
rattle_status claims_library_open(claims_library *library, const tests_problem *problem,
                                  const char *method, int evaluator, rattle_error *error);
void claims_library_close(claims_library *library);
int claims_library_step(void *self, double h, long long steps, double *q, double *p);
int claims_library_output(void *self, double *q, double *p);

/* The start of a problem, and the exact solution at time claims_span (kept after the first
 * call). */
double claims_span(const tests_problem *problem);
void claims_start(const tests_problem *problem, double *q, double *p);
const long double *claims_exact(const tests_problem *problem);
#endif
