/* Problems whose parameters can be set: the values of inputs of the model's graph
 * (ground/expr/inputs.h) in functions and masses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/inputs.h"
#include "problem/model/model.h"
#include "problem/functions/problem.h"
#include "ground/support/error.h"

rattle_status rattle__mass_of(rattle__mass **mass, const rattle__function *T, int clock,
                              int constrained, rattle_error *error) {
  *mass = NULL;
  const int n = T->vars;
  if (!T->quadratic) return RATTLE_OK;
  double *room = calloc((size_t)(2 * n) + (size_t)T->hess_nnz + T->work, sizeof *room);
  if (!room) return rattle__no_memory(error);
  double *zero = room, *gradient = room + n, *S = gradient + n, *work = S + T->hess_nnz, value;
  int natural = !T->jacobian(T, zero, &value, gradient, work) &&
                !T->hessian(T, zero, NULL, S, work) && value == 0;
  for (int i = 0; i < n; i++)
    natural &= gradient[i] == (i == clock - 1); /* no other term linear in p */
  rattle_status status =
      natural ? rattle__mass_create(mass, n, T->hess_ptr, T->hess_col, S, constrained, error)
              : RATTLE_OK;
  if (*mass && clock && (*mass)->diagonal[clock - 1] != 0) rattle__mass_destroy(mass);
  if (*mass) (*mass)->clock = clock;
  free(room);
  return status;
}

rattle_status rattle__problem_may_be_set(const rattle_problem *problem, rattle_error *error) {
  const rattle_model *model = problem->model;
  const int may = problem->flags & RATTLE_HOLONOMIC && !problem->split && !model->applieds &&
                  !model->forces && !model->omissions && !model->velocity_rows && !model->fibre &&
                  !model->flow && !(problem->mass && problem->mass->value);
  if (may && !rattle__graph_is_unlike(problem->graph)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, "inputs",
                      "parameters of a model with forces, omitted constraints, constraints on "
                      "velocities, flows, a full mass "
                      "matrix or constraints on momenta "
                      "cannot be set: read it anew");
}

/* M^-1 in the place of the one that is there. */
static rattle_status set_masses(rattle_problem *p, rattle_error *error) {
  const rattle__function *T = p->kinetic ? p->kinetic : p->T;
  rattle__mass *fresh = NULL;
  if (!T) return RATTLE_OK;
  const rattle_status status = rattle__mass_of(&fresh, T, p->clock, p->m > 0, error);
  const int same = !fresh == !p->mass && !(fresh && fresh->value);
  if (fresh && same)
    memcpy(p->mass->diagonal, fresh->diagonal, (size_t)p->n * sizeof *fresh->diagonal);
  rattle__mass_destroy(&fresh);
  if (status || same) return status;
  return rattle__fail(error, RATTLE_UNSUITABLE, "parameters",
                      "the masses are of another kind for these values: read the model anew");
}

rattle_status rattle__problem_set_parameters(rattle_problem *p, const rattle_parameter *parameters,
                                             int count, rattle_error *error) {
  const rattle_status status = rattle__model_set_inputs(p->settable, parameters, count, error);
  if (status) return status;
  rattle__function *const all[] = {p->H,      p->V,     p->T,         p->kinetic,
                                   p->g,      p->terms, p->observed,  p->events,
                                   p->angles, p->next,  p->conditions};
  int good = 1;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    good &= rattle__function_set_values(all[i], p->graph);
  if (!good)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "parameters",
        "a coefficient is 0 for these values, and the problem another one: read the model anew");
  return set_masses(p, error);
}

rattle_status rattle_problem_set_parameters(rattle_problem *problem,
                                            const rattle_parameter *parameters, int count,
                                            rattle_error *error) {
  if (!problem->settable)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "parameters",
        "the model of the problem has no inputs: rattle_model_options names parameters as such");
  if (rattle__problem_is_shared(problem))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameters",
                        "the problem or its model is in use, by an integrator for example: destroy "
                        "that first, or take "
                        "rattle_problem_with_parameters");
  return rattle__problem_set_parameters(problem, parameters, count, error);
}

/* ---- whether two are one ---- */

static int equal(const double *x, const double *y, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != y[i] && !(isnan(x[i]) && isnan(y[i]))) return 0;
  return 1;
}

static int agree_at(const rattle__function *a, const rattle__function *b, const double *z) {
  if (!a != !b) return 0;
  if (!a) return 1;
  if (a->rows != b->rows || a->vars != b->vars || a->jac_nnz != b->jac_nnz ||
      a->hess_nnz != b->hess_nnz || a->quadratic != b->quadratic || !a->hessian != !b->hessian ||
      memcmp(a->jac_col, b->jac_col, (size_t)a->jac_nnz * sizeof *a->jac_col))
    return 0;
  const size_t most = a->work > b->work ? a->work : b->work,
               numbers = (size_t)(a->rows + a->jac_nnz + a->hess_nnz);
  double *x = calloc(2 * numbers + most + 1, sizeof *x), *y = x + numbers, *work = y + numbers;
  int same = x != NULL;
  if (same)
    same = a->jacobian(a, z, x, x + a->rows, work) == b->jacobian(b, z, y, y + a->rows, work);
  if (same && a->hessian)
    same = a->hessian(a, z, NULL, x + a->rows + a->jac_nnz, work) ==
           b->hessian(b, z, NULL, y + a->rows + a->jac_nnz, work);
  if (same) same = equal(x, y, (int)numbers);
  free(x);
  return same;
}

static int same_starts(const rattle_model *a, const rattle_model *b) {
  int same = a->wishes.project == b->wishes.project && a->wishes.start_time == b->wishes.start_time;
  for (int k = 0; k < a->n; k++) {
    const rattle__pair *x = &a->pair[k], *y = &b->pair[k];
    same &= equal(&x->q, &y->q, 1) && equal(&x->p, &y->p, 1) &&
            x->has_velocity == y->has_velocity && x->held == y->held &&
            (!x->has_velocity || x->velocity == y->velocity);
  }
  return same;
}

int rattle__problems_agree(const rattle_problem *a, const rattle_problem *b) {
  enum { POINTS = 5 };
  const int n = a->n;
  if (n != b->n || a->m != b->m || a->flags != b->flags || !a->mass != !b->mass ||
      !same_starts(a->model, b->model))
    return 0;
  if (a->mass && !equal(a->mass->diagonal, b->mass->diagonal, n)) return 0;
  double *z = calloc(2 * (size_t)n + (size_t)a->cited, sizeof *z);
  int same = z != NULL && a->cited == b->cited;
  for (int k = 0; k < a->cited && z; k++) z[2 * n + k] = 0.7 + 0.1 * k;
  for (int point = 0; point < POINTS && same; point++) {
    for (int k = 0; k < n; k++) {
      z[k] = a->model->pair[k].q + point * (0.11 + 0.07 * k) * (1 + fabs(a->model->pair[k].q));
      z[n + k] = a->model->pair[k].p - point * (0.13 + 0.03 * k) * (1 + fabs(a->model->pair[k].p));
    }
    same = agree_at(a->H, b->H, z) && agree_at(a->g, b->g, z) && agree_at(a->terms, b->terms, z) &&
           agree_at(a->observed, b->observed, z) && agree_at(a->events, b->events, z) &&
           agree_at(a->next, b->next, z) && agree_at(a->conditions, b->conditions, z);
  }
  free(z);
  return same;
}
