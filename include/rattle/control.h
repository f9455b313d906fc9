#ifndef RATTLE_CONTROL_H
#define RATTLE_CONTROL_H
/* Samples of controllers (rattle_model_add_controller) that the model leaves to its caller. */
#include "rattle/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Controller `controller` at that time, with its values before the sample in `values`, which become
 * those after it; observed: the model's observables. Returns 0, or fails as callbacks do
 * (problem.h), and the step with it. A run that is continued has the same bits if the values follow
 * from what this function gets. */
typedef struct rattle_control {
  size_t struct_size; /* sizeof, or 0: status.h */
  int (*sample)(void *self, int controller, double time, const double *q, const double *p,
                const double *observed, double *values);
  void *self;
} rattle_control;
/* For all steps from now on, in runs too. RATTLE_BAD_ARGUMENT: the model has expressions for all
 * samples (rattle_model_set_sample). Steps of a model that has not are RATTLE_BAD_ARGUMENT without
 * this call. */
RATTLE_API rattle_status rattle_integrator_set_control(rattle_integrator *integrator,
                                                       const rattle_control *control,
                                                       rattle_error *error);

/* The name of a value of a controller of the model, which is a coordinate; NULL beyond the last. */
RATTLE_API const char *rattle_model_controller_value(const rattle_model *model, int controller,
                                                     int value);

#ifdef __cplusplus
}
#endif
#endif
