/* Constraints that were left out because they follow from the others, on coordinates
 * (runs/start/redundant.c) and on velocities (problem/functions/implied.c), must hold all along:
 * beyond a position where ranks change the others may hold without them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/velocity.h"
#include "problem/model/model.h"
#include "runs/integrate/integrator.h"

/* Values may be as large as this, relative to their change by a displacement of the size of the
 * coordinates, or to what they are at the speed of the motion. */
static const double share = 1e-8;

static rattle_status no_longer(const char *name, double off, rattle_error *error) {
  return rattle__fail(error, RATTLE_DEGENERATE, name,
                      "the constraint '%s', which followed from the others at the start, is %.3g "
                      "off after the step: the mechanism "
                      "has passed a position where it can move in other ways",
                      name, off);
}

rattle_status rattle__omitted_plan(rattle_integrator *s, rattle_error *error) {
  const rattle_problem *problem = s->context.problem;
  const rattle__function *f = problem->omitted, *implied = problem->implied;
  if (f && !s->looks)
    s->omitted = rattle__arena_doubles(&s->context.arena, (size_t)f->rows + f->work);
  if (!implied) return RATTLE_OK;
  s->rows =
      rattle__arena_doubles(&s->context.arena, (size_t)implied->rows + (size_t)implied->jac_nnz +
                                                   (size_t)implied->vars + implied->work);
  return rattle__reaction_create(&s->implied, problem, &s->context.arena, error);
}

static rattle_status constraints_hold(const rattle_integrator *s, const double *z,
                                      rattle_error *error) {
  const rattle__function *f = s->problem->omitted;
  const rattle_model *model = s->problem->model;
  f->value(f, z, s->omitted, s->omitted + f->rows);
  for (int i = 0; i < f->rows; i++)
    if (!(fabs(s->omitted[i]) <= share * model->omitted_size[i]))
      return no_longer(model->omitted[i].name, s->omitted[i], error);
  return RATTLE_OK;
}

/* A v of what is left out, in units of what it can be at that kinetic energy. */
static rattle_status rows_hold(const rattle_integrator *s, const double *z, rattle_error *error) {
  rattle__reaction *at = s->implied;
  const rattle__function *f = s->context.problem->implied;
  const int own = f->vars / 2;
  double *value = s->rows, *J = value + f->rows, *x = J + f->jac_nnz, *work = x + f->vars;
  rattle_status status = rattle__reaction_look(at, z, error);
  if (!status) status = rattle__reaction_metric(at, z, error);
  if (status) return status;
  const double speed = rattle__reaction_speed(at, z + at->n, at->slope + at->n);
  memcpy(x, z, (size_t)own * sizeof *x);
  memcpy(x + own, at->slope + at->n, (size_t)own * sizeof *x);
  const int answer = f->jacobian(f, x, value, J, work);
  for (int i = 0; i < f->rows && !answer; i++) {
    double size = DBL_MIN;
    for (int e = f->jac_ptr[i]; e < f->jac_ptr[i + 1]; e++) {
      const int k = f->jac_col[e] - own;
      if (k >= 0) size += fabs(J[e]) * (k == s->clock - 1 ? 1 : at->root[k] * speed);
    }
    if (!(fabs(value[i]) <= share * size))
      return no_longer(rattle_problem_implied(s->problem, i), value[i], error);
  }
  return rattle__answer(answer, "velocity constraint", error);
}

rattle_status rattle__omitted_hold(const rattle_integrator *s, const double *z,
                                   rattle_error *error) {
  const rattle_status status = s->omitted ? constraints_hold(s, z, error) : RATTLE_OK;
  return status || !s->implied || s->leaves_psi ? status : rows_hold(s, z, error);
}
