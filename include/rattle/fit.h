#ifndef RATTLE_FIT_H
#define RATTLE_FIT_H
/* Parameters and starts of a model from data: those with which its runs come nearest to what was
 * measured.
 *
 *     sum_i r_i^2 = min,    r_i = (f_i(z(t_i)) - y_i)/sigma_i
 *
 * over parameters of the model and, if asked for, the start of each run on the constraints, by the
 * method of Levenberg and Marquardt. f_i are coordinates, momenta or observables of the model; the
 * derivatives of z(t_i) are the tangents of the steps (tangent.h), not differences.
 * docs/fits.md explains it. */
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_fit rattle_fit;

/* Measurements of one run, which has a start of its own. */
typedef struct rattle_fit_data {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *name;   /* in messages */
  int count, columns;
  const double *time;        /* [count] rising, none before the start time of the model */
  const char *const *column; /* [columns] names of coordinates, momenta or observables */
  const double *value;       /* [count*columns] by times; NaN: not measured */
  const double *sigma;       /* [count*columns] standard deviations; NULL: all the same, unknown */
} rattle_fit_data;

/* A parameter to be found. low = high = 0: between the bounds of its range in the model
 * (rattle_model_parameter_range), if it has one; they may be infinite. */
typedef struct rattle_fit_parameter {
  const char *name;
  double low, high;
} rattle_fit_parameter;

typedef struct rattle_fit_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *method; /* NULL: that of the model, or rattle_default_method */
  double step;        /* 0: that of the model */
  const rattle_fit_parameter *vary;
  int vary_count;
  /* names of coordinates and momenta whose starts are to be found, for each run: as far as the
   * constraints leave them room, the others keeping the values that the model gives */
  const char *const *vary_start;
  int vary_start_count;
  int most_steps;                /* of the method; 0: 200 */
  const volatile int *interrupt; /* may be NULL; if it becomes nonzero (status.h), the search ends:
                                    RATTLE_INTERRUPTED */
} rattle_fit_options;

/* Why the search ended. RATTLE_FIT_AT_ROUND_OFF: what a further step would take off the sum is
 * below its round-off. RATTLE_FIT_NO_LOWER: no step lowers it, however short, since the round-off
 * of the trajectories is larger. RATTLE_FIT_MOST_STEPS: after most_steps steps, or where steps
 * led to runs that fail. */
enum { RATTLE_FIT_AT_ROUND_OFF = 0, RATTLE_FIT_NO_LOWER = 1, RATTLE_FIT_MOST_STEPS = 2 };

/* Arrays belong to the fit. */
typedef struct rattle_fit_result {
  /* Results: the parameters, in order, then of each run the starts that were asked for, with
   * their standard errors and the covariance matrix [quantities*quantities] of them. With sigma
   * NULL these take chi2/(data - unknowns) for sigma^2. Infinite: the data do not determine it; 0:
   * a parameter that ended at a bound */
  int quantities, parameters;
  const char *const *name;
  const double *value, *error, *covariance;
  int data, unknowns; /* numbers; of starts the directions on the constraints */
  int weighted;       /* 1: sigma was given */
  double chi2; /* the sum of squares; with sigma NULL in the squares of the units of the data */
  double reduction; /* the part of it that the next step would take off */
  double gradient;  /* the largest cosine of an angle between r and its derivative by an unknown */
  int steps, trajectories; /* steps that lowered the sum; how often all runs were made */
  int ended;               /* RATTLE_FIT_... */
  /* "": all unknowns are determined; else the combination of them that changes nothing */
  const char *undetermined;
} rattle_fit_result;

/* Finds the parameters from those that the problem's model has, which must be near enough for the
 * runs to resemble the data. The model must have a text (rattle_model_load, _parse) whose
 * parameters can be symbols (rattle_model_options.inputs, branches). RATTLE_BAD_ARGUMENT: names
 * that are not known or twice, times that do not rise, fewer data than unknowns; RATTLE_UNSUITABLE:
 * a method without derivatives, a parameter that derivatives do not follow; or a step of the first
 * runs fails. *fit is NULL then. */
RATTLE_API rattle_status rattle_fit_create(rattle_fit **fit, const rattle_problem *problem,
                                           const rattle_fit_data *data, int runs,
                                           const rattle_fit_options *options, rattle_error *error);
RATTLE_API void rattle_fit_destroy(rattle_fit **fit);
RATTLE_API const rattle_fit_result *rattle_fit_result_of(const rattle_fit *fit);
/* The values that data of a run should have had [count*columns], and its start, q[n] and p[n]. */
RATTLE_API const double *rattle_fit_values(const rattle_fit *fit, int run);
RATTLE_API const double *rattle_fit_start(const rattle_fit *fit, int run);

#ifdef __cplusplus
}
#endif
#endif
