/* A problem evaluated at one point: the public functions, each with a probe of its own. */
#include "problem/functions/probe.h"

/* A probe placed at (q, p). */
static rattle_status probe_at(rattle__probe **probe, const rattle_problem *problem,
                              rattle__probe_depth depth, const double *q, const double *p,
                              rattle_error *error) {
  rattle_status status = rattle__probe_create(probe, problem, depth, error);
  if (!status) rattle__probe_place(*probe, q, p);
  return status;
}

rattle_status rattle_problem_energy(const rattle_problem *problem, const double *q, const double *p,
                                    double *H, rattle_error *error) {
  rattle__probe *probe;
  rattle_status status = probe_at(&probe, problem, RATTLE__PROBE_RESIDUALS, q, p, error);
  if (!status) status = rattle__probe_energy(probe, H, error);
  rattle__probe_destroy(&probe);
  return status;
}

rattle_status rattle_problem_residuals(const rattle_problem *problem, const double *q,
                                       const double *p, double *g, double *psi,
                                       rattle_error *error) {
  rattle__probe *probe;
  rattle_status status = probe_at(&probe, problem, RATTLE__PROBE_RESIDUALS, q, p, error);
  if (!status) status = rattle__probe_residuals(probe, g, psi, error);
  rattle__probe_destroy(&probe);
  return status;
}

rattle_status rattle_problem_observe(const rattle_problem *problem, const double *q,
                                     const double *p, double *observed, rattle_error *error) {
  rattle__probe *probe;
  rattle_status status = probe_at(&probe, problem, RATTLE__PROBE_RESIDUALS, q, p, error);
  if (!status) status = rattle__probe_observe(probe, observed, error);
  rattle__probe_destroy(&probe);
  return status;
}

rattle_status rattle_problem_multipliers(const rattle_problem *problem, const double *q,
                                         const double *p, double *multipliers,
                                         rattle_error *error) {
  rattle__probe *probe;
  rattle_status status = probe_at(&probe, problem, RATTLE__PROBE_MULTIPLIERS, q, p, error);
  if (!status) status = rattle__probe_multipliers_of_all(probe, multipliers, error);
  rattle__probe_destroy(&probe);
  return status;
}

rattle_status rattle_problem_nondegeneracy(const rattle_problem *problem, const double *q,
                                           const double *p, double *smallest, double *condition,
                                           rattle_error *error) {
  rattle__probe *probe;
  rattle_status status = probe_at(&probe, problem, RATTLE__PROBE_MULTIPLIERS, q, p, error);
  if (!status) status = rattle__probe_nondegeneracy(probe, smallest, condition, error);
  rattle__probe_destroy(&probe);
  return status;
}
