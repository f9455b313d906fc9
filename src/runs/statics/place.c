/* Parts that searches for an equilibrium share: their start, the measure of a step, and their end,
 * with multipliers or without success. */
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "problem/model/model.h"
#include "runs/statics/statics.h"

/* Far from the origin the nearest point is only as near as the largest coordinate lets it be: g
 * must be 0 by the coordinates in it. */
static rattle_status check_place(const rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const double all = rattle__largest(s->z, s->n);
  const int answer = g->jacobian(g, s->z, s->g, s->J, s->work);
  if (answer) return rattle__answer(answer, "constraint", error);
  for (int i = 0; i < s->m; i++) {
    double slopes = 0, near = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      slopes += fabs(s->J[e]);
      near = fmax(near, fabs(s->z[g->jac_col[e]]));
    }
    if (!(fabs(s->g[i]) <= slopes * (RATTLE__START_NEAR * near + RATTLE__START_ALL * all)))
      return rattle__fail(error, RATTLE_OFF_CONSTRAINTS,
                          rattle_problem_constraint_name(s->problem, i),
                          "the constraint %s holds no more so far away",
                          rattle_problem_constraint_name(s->problem, i));
  }
  return RATTLE_OK;
}

rattle_status rattle__statics_onto(rattle_equilibrium *s, rattle_error *error) {
  rattle__statics_turn_balls(s, s->z);
  rattle_status status =
      s->onto ? rattle__nearest_point_constraints(s->onto, s->z, error) : RATTLE_OK;
  if (!status && s->onto && s->rows) status = check_place(s, error);
  return status ? status : rattle__statics_still(s, error);
}

rattle_status rattle__statics_place(rattle_equilibrium *s, const double *q, rattle_error *error) {
  const size_t bytes = (size_t)s->n * sizeof *s->z;
  const rattle__nearest_options options = {.start = 1};
  rattle_status status = RATTLE_OK;
  if (q)
    memcpy(s->z, q, bytes);
  else if (rattle_problem_model(s->problem))
    status =
        rattle_problem_start(s->moving ? s->moving : s->problem, 1, s->z, s->z + s->n, NULL, error);
  else
    status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "q",
                          "a problem without a model needs a point near which to seek: q");
  memset(s->z + s->n, 0, bytes);
  s->context = (rattle__context){.problem = s->problem, .solver = "none"};
  if (!status && s->m)
    status = rattle__nearest_point_create(&s->onto, &s->context, &options, error);
  return status ? status : rattle__statics_onto(s, error);
}

void rattle__statics_reach(rattle_equilibrium *s) {
  s->size = fmax(s->size, rattle__largest(s->z, s->n));
  const double way = rattle__largest(s->aim, s->n);
  s->result.residual = way > 0 ? way / fmax(s->size, way) : 0;
}

rattle_status rattle__statics_refuse(const rattle_equilibrium *s, int down, rattle_error *error) {
  int most = 0;
  for (int k = 1; k < s->n; k++)
    if (fabs(s->aim[k]) > fabs(s->aim[most])) most = k;
  const char *name = rattle__problem_coordinate_name(s->problem, most);
  return rattle__fail(
      error, RATTLE_NOT_CONVERGED, name,
      down ? "no equilibrium was found: after %d steps down the potential the next one still moves "
             "'%s' by %.2g of the largest coordinate; perhaps nothing holds it, or the potential "
             "falls without end"
           : "no equilibrium was found near the start: after %d steps Newton's method still moves "
             "'%s' by %.2g of the largest coordinate; start nearer to one",
      s->result.iterations, name, s->result.residual);
}

rattle_status rattle__statics_loads(rattle_equilibrium *s, rattle_error *error) {
  const rattle_model *model = s->problem->model;
  const int m = s->m + s->rows, omitted = model && s->problem->omitted ? model->omissions : 0;
  s->result.multipliers = s->lambda, s->result.omitted = omitted;
  if (!omitted && !s->problem->shares && !s->moving) return RATTLE_OK;
  double *load, *seen;
  const rattle__array arrays[] = {{&load, (size_t)(m + omitted)},
                                  {&seen, (size_t)rattle_model_observables(model)}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  if (s->arena.failed) return rattle__no_memory(error);
  const double *p = s->z + s->n;
  const rattle_problem *problem = s->moving ? s->moving : s->problem;
  rattle_status status = rattle_problem_multipliers(problem, s->z, p, load, error);
  if (!status) status = rattle_problem_observe(problem, s->z, p, seen, error);
  if (status) return status;
  if (omitted) memcpy(load + m, seen + model->first_omitted, (size_t)omitted * sizeof *load);
  s->result.multipliers = load;
  return RATTLE_OK;
}
