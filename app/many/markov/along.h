#ifndef MARKOV_ALONG_H
#define MARKOV_ALONG_H
/* Free energies along a parameter of the model, by thermodynamic integration. */
#include "many/markov/markov.h"

/* Means of the samples at one value s of the parameter. */
typedef struct along_point {
  double s, slope, slope_error;    /* dF_s/ds, and its error */
  double log_weight, weight_error; /* log of the mean of exp(log_delta), and its error */
  double effective, rhat;          /* of dV/ds + lambda . dg/ds */
  double F, F_error;               /* free energy of the constrained system, from the first point
                                      on */
  double delta, delta_error;       /* that of the measure exp(-V/T) delta(g) dq */
} along_point;

/* The problem at s - half and s + half. */
typedef struct along_ends {
  const rattle_problem *below, *above;
  double half;
} along_ends;

/* Slope and weight of a sampling with multipliers at s. */
rattle_status along_measure(along_point *point, const rattle_sampling_result *result,
                            const along_ends *ends, rattle_error *error);
/* F and its like from the slopes at points that ascend or descend; *doubt: the most by which the
 * rule of the trapezoid differs. */
void along_integrate(along_point *point, long long count, double temperature, double *doubt);

typedef struct along_about {
  const char *title, *path, *name, *method;
  const rattle_sampling_options *sampling;
  double temperature, doubt;
} along_about;
void along_print(const along_about *about, const along_point *point, long long count);
void along_print_json(const along_about *about, const along_point *point, long long count);
rattle_status along_write_csv(const char *path, const along_point *point, long long count,
                              rattle_error *error);
#endif
