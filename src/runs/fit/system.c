/* The model of a fit: read with symbols for the parameters that vary, which become coordinates that
 * nothing moves, so that tangents of steps have the derivatives by them. The model read with
 * numbers says where runs start, and refuses values that it cannot have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/walk.h"
#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "problem/functions/problem.h"
#include "runs/fit/fitting.h"

/* --- reading ---------------------------------------------------------------------------------- */

static rattle_status check_names(const rattle__fit_system *s, const rattle_model *model,
                                 rattle_error *error) {
  const rattle_parameter *declared;
  const int count = rattle_model_parameters(model, &declared);
  for (int j = 0; j < s->k; j++) {
    rattle__nearest near = {.name = s->name[j]};
    int known = 0;
    for (int i = 0; i < count; i++) {
      known |= !strcmp(declared[i].name, s->name[j]);
      rattle__nearest_try(&near, declared[i].name);
    }
    for (int i = 0; i < j; i++)
      if (!strcmp(s->name[i], s->name[j]))
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, s->name[j],
                            "the parameter '%s' is to vary twice: name it once", s->name[j]);
    if (!known && near.best)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, s->name[j],
                          "the model has no parameter '%s' to vary; did you mean '%s'?", s->name[j],
                          near.best);
    if (!known)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, s->name[j],
                          "the model has no parameter '%s' to vary: write parameter(\"%s\", value) "
                          "in it",
                          s->name[j], s->name[j]);
  }
  return RATTLE_OK;
}

rattle_status rattle__fit_read(const rattle__fit_system *s, const double *theta, int symbols,
                               rattle_model **made, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(s->given);
  const rattle_parameter *declared;
  const int count = rattle_model_parameters(model, &declared);
  rattle_parameter *given = malloc(((size_t)count + 1) * sizeof *given);
  if (!given) return rattle__no_memory(error);
  for (int i = 0; i < count; i++) {
    given[i] = declared[i];
    for (int j = 0; j < s->k && theta; j++)
      if (!strcmp(declared[i].name, s->name[j])) given[i].value = theta[j];
  }
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = given,
                                    .parameter_count = count,
                                    .old_names = model->old_names,
                                    .inputs = symbols ? s->name : NULL,
                                    .input_count = symbols ? s->k : 0,
                                    .branches = symbols};
  const rattle_status status = model->parse(made, model->text, model->file, &how, error);
  free(given);
  return status;
}

/* With symbols in place of the parameters. */
static rattle_status read_symbols(rattle__fit_system *s, const double *theta, rattle_error *error) {
  rattle_error why = {0};
  const rattle_status status = rattle__fit_read(s, theta, 1, &s->model, &why);
  if (status != RATTLE_BAD_MODEL && status != RATTLE_UNSUITABLE) {
    if (status && error) *error = why;
    return status;
  }
  return rattle__fail(error, RATTLE_UNSUITABLE, s->name[0],
                      "parameters that vary, such as '%s', may stand in expressions, masses, "
                      "starts and comparisons, where symbols with values can be in their place: %s",
                      s->name[0], why.message);
}

static rattle_status differentiate(rattle__fit_system *s, rattle_error *error) {
  rattle_model *model = s->model;
  s->start = model->input, s->starts = model->inputs;
  model->input = NULL, model->inputs = model->inputs_room = 0;
  s->slope = calloc((size_t)(s->starts * s->k) + 1, sizeof *s->slope);
  if (!s->slope) return rattle__no_memory(error);
  for (int i = 0; i < s->starts; i++)
    for (int j = 0; j < s->k; j++) {
      rattle_expr *slope = &s->slope[i * s->k + j];
      *slope = rattle_expr_derivative(model->graph, s->start[i].e, 2 * (s->n + j));
      if (!*slope) return rattle__no_memory(error);
    }
  return RATTLE_OK;
}

static rattle_status choose_steps(rattle__fit_system *s, const rattle_fit_options *options,
                                  rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(rattle_problem_model(s->given));
  s->t0 = wishes->start_time;
  s->h = options->step != 0 ? options->step : wishes->step;
  if (s->h > 0 && isfinite(s->h)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                      s->h == 0 ? "no time step: give one, or write integrate { step = ... } in "
                                  "the model"
                                : "the step of a fit is %g: it must be positive and finite",
                      s->h);
}

static rattle_status make_tangent(rattle__fit_system *s, rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(rattle_problem_model(s->given));
  const char *text = s->method        ? s->method
                     : wishes->method ? wishes->method
                                      : rattle_default_method(s->given);
  rattle_method *method = NULL;
  rattle_status status = rattle_method_parse(&method, text, error);
  if (!status && wishes->compensated) rattle_method_compensate(method);
  if (!status)
    status = rattle_tangent_create(&s->tangent, s->problem, rattle_method_text(method), error);
  rattle_method_destroy(&method);
  return status;
}

static rattle_status make_room(rattle__fit_system *s, rattle_error *error) {
  const rattle__function *f = s->problem->observed;
  const size_t extra = (size_t)rattle_integrator_extra(s->tangent->integrator);
  s->observed =
      calloc((f ? (size_t)f->rows + (size_t)f->jac_nnz + f->work : 0) + 1, sizeof *s->observed);
  s->extra = extra ? calloc(extra, sizeof *s->extra) : NULL;
  if (!s->observed || (extra && !s->extra)) return rattle__no_memory(error);
  s->row_slope = s->observed + (f ? f->rows : 0), s->work = s->row_slope + (f ? f->jac_nnz : 0);
  return RATTLE_OK;
}

rattle_status rattle__fit_system_make(rattle__fit_system *s, const double *theta,
                                      rattle_error *error) {
  rattle_status status = read_symbols(s, theta, error);
  if (!status && s->k) status = rattle__model_parameters_to_pairs(s->model, s->name, s->k, error);
  if (!status) status = differentiate(s, error);
  if (!status && s->model->n != s->n + s->k)
    status = rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                          "the model has other coordinates when its parameters vary");
  rattle_problem_options how = s->given->how;
  how.steps *= 16; /* steps of the search */
  if (!status) status = rattle_problem_create(&s->problem, s->model, &how, error);
  if (!status) status = make_tangent(s, error);
  return status ? status : make_room(s, error);
}

void rattle__fit_system_unmake(rattle__fit_system *s) {
  rattle_tangent_destroy(&s->tangent);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
  free(s->start);
  free(s->slope);
  free(s->observed);
  free(s->extra);
}

rattle_status rattle__fit_system_create(rattle__fit_system *s, const rattle_problem *problem,
                                        const rattle_fit_options *options, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(problem);
  *s = (rattle__fit_system){.given = problem, .method = options->method, .k = options->vary_count};
  if (!model || !model->parse || !rattle_model_text(model))
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "a fit needs a model with a text, in which parameters can be varied");
  s->n = model->n, s->nz = 2 * (s->n + s->k);
  s->name = calloc((size_t)s->k + 1, sizeof *s->name);
  if (!s->name) return rattle__no_memory(error);
  for (int j = 0; j < s->k; j++) s->name[j] = options->vary[j].name;
  rattle_status status = check_names(s, model, error);
  if (!status) status = choose_steps(s, options, error);
  return status ? status : rattle__fit_system_make(s, NULL, error);
}

void rattle__fit_system_destroy(rattle__fit_system *s) {
  rattle__fit_system_unmake(s);
  free(s->name);
}

/* --- starts ----------------------------------------------------------------------------------- */

/* The values of variables, as expressions of starts have them: of parameters alone. */
static double *variables(const rattle__fit_system *s, const double *z) {
  double *x = calloc((size_t)s->nz + 1, sizeof *x);
  for (int j = 0; j < s->k && x; j++) x[2 * (s->n + j)] = z[s->n + j];
  return x;
}

rattle_status rattle__fit_system_place(const rattle__fit_system *s, double *z,
                                       rattle_error *error) {
  double *x = variables(s, z);
  rattle_status status = x ? RATTLE_OK : RATTLE_NO_MEMORY;
  for (int i = 0; i < s->starts && !status; i++)
    if (s->start[i].kind == RATTLE__INPUT_START)
      status = rattle__evaluate(s->model->graph, s->start[i].e, x,
                                &z[rattle__fit_place(s, s->start[i].which)]);
  free(x);
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

/* Momenta that follow from velocities keep H_p(q, p, theta) = v: H_pp dp = dv - H_pq dq -
 * H_p,theta. W: dq and dp of one direction, the latter where it is known; v [n] dv. */
static rattle_status follow_velocities(const rattle__fit_system *s, const double *S,
                                       const double *v, double *W, rattle_error *error) {
  const rattle__function *H = s->problem->energy ? s->problem->energy : s->problem->H;
  const int half = s->nz / 2, n = s->n;
  int *place = malloc((size_t)n * sizeof *place), count = 0;
  for (int i = 0; i < n && place; i++)
    if (s->model->pair[i].has_velocity) place[count++] = i;
  double *A = calloc((size_t)(count * count + count) + 1, sizeof *A), *b = A + count * count;
  rattle_status status = place && A ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < count && !status; i++) {
    const int row = half + place[i];
    b[i] = v[place[i]];
    for (int e = H->hess_ptr[row]; e < H->hess_ptr[row + 1]; e++) {
      int j = 0;
      while (j < count && half + place[j] != H->hess_col[e]) j++;
      if (j < count)
        A[i + j * count] = S[e];
      else
        b[i] -= S[e] * W[H->hess_col[e]];
    }
  }
  if (!status && count)
    status = rattle__least_squares(count, count, A, b, count * 0x1p-52, NULL, error);
  for (int i = 0; i < count && !status; i++) W[half + place[i]] = b[i];
  free(A);
  free(place);
  return status;
}

static int has_velocities(const rattle__fit_system *s) {
  int any = 0;
  for (int i = 0; i < s->n; i++) any |= s->model->pair[i].has_velocity;
  return any;
}

rattle_status rattle__fit_system_slopes(const rattle__fit_system *s, const double *z, double *W,
                                        rattle_error *error) {
  const rattle__function *H = s->problem->energy ? s->problem->energy : s->problem->H;
  const int moving = s->k && has_velocities(s);
  double *x = variables(s, z),
         *room = calloc((size_t)s->n + (size_t)H->hess_nnz + H->work + 1, sizeof *room);
  double *v = room, *S = v + s->n, *work = S + H->hess_nnz;
  rattle_status status = x && room ? RATTLE_OK : rattle__no_memory(error);
  memset(W, 0, (size_t)s->k * (size_t)s->nz * sizeof *W);
  if (!status && moving && (!H->hessian || H->hessian(H, z, NULL, S, work)))
    status = rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                          "H has no second derivatives at the start: give momenta there");
  for (int j = 0; j < s->k && !status; j++) {
    double *w = W + (size_t)j * (size_t)s->nz;
    w[s->n + j] = 1;
    for (int i = 0; i < s->n; i++) v[i] = 0;
    for (int i = 0; i < s->starts && !status; i++) {
      double slope;
      if (rattle__evaluate(s->model->graph, s->slope[i * s->k + j], x, &slope))
        status = rattle__no_memory(error);
      if (s->start[i].kind == RATTLE__INPUT_START)
        w[rattle__fit_place(s, s->start[i].which)] = slope;
      if (s->start[i].kind == RATTLE__INPUT_VELOCITY) v[s->start[i].which] = slope;
    }
    if (moving && !status) status = follow_velocities(s, S, v, w, error);
  }
  free(room);
  free(x);
  return status;
}
