/* Integrators as programs get them: with changes of constraints, where the model has switches. */
#include "runs/integrate/integrator.h"
#include "runs/integrate/switches.h"
#include "method/notation/method.h"

static rattle_status create(rattle_integrator **integrator, const rattle_problem *problem,
                            rattle_method *method, rattle_error *error) {
  rattle_status status = rattle__integrator_make(integrator, problem, method, error);
  if (!status && problem->conditions) status = rattle__switches_attach(*integrator, error);
  if (status) rattle_integrator_destroy(integrator);
  return status;
}

rattle_status rattle_integrator_create(rattle_integrator **integrator,
                                       const rattle_problem *problem, const char *method,
                                       rattle_error *error) {
  rattle_method *own;
  *integrator = NULL;
  const rattle_status status = rattle_method_parse(&own, method, error);
  return status ? status : create(integrator, problem, own, error);
}

rattle_status rattle_integrator_create_by(rattle_integrator **integrator,
                                          const rattle_problem *problem,
                                          const rattle_method *method, rattle_error *error) {
  rattle_method *own;
  *integrator = NULL;
  const rattle_status status = rattle__method_copy(&own, method, error);
  return status ? status : create(integrator, problem, own, error);
}
