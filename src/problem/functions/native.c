/* The functions of a problem that steps evaluate, as machine code. Those of samples remain
 * interpreted. */
#include "problem/functions/native.h"

#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/forced.h"
#include "problem/functions/pairwise.h"
#include "problem/functions/sweeps.h"

int rattle__evaluations_are_few(double operations, long long times) {
  const double patience = 0.3, operation = 10e-9;
  return operation * operations * (double)times < patience;
}

int rattle__steps_are_few(const rattle_model *model, long long steps) {
  return rattle__evaluations_are_few((double)rattle_graph_count(model->graph), steps);
}

rattle__evaluator rattle__choose_evaluator(const rattle_problem_options *options,
                                           const rattle_model *model) {
  if (options->evaluator == RATTLE_EVALUATOR_AUTO)
    return !options->steps                                ? RATTLE__NATIVE_IF_POSSIBLE
           : rattle__steps_are_few(model, options->steps) ? RATTLE__CACHED
                                                          : RATTLE__COMPILE_IN_BACKGROUND;
  return options->evaluator == RATTLE_EVALUATOR_BLOCK ? RATTLE__BLOCK : RATTLE__NATIVE;
}

static rattle_status attach(rattle_problem *p, rattle__orders *orders, rattle_error *error) {
  rattle__function *whole = p->energy ? p->energy : p->V ? NULL : p->H, *const all = whole;
  if (p->swept) whole = rattle__swept_rest(all);
  rattle__function *const parts[RATTLE__PARTS] = {
      whole, p->bonded ? p->bonded : p->V, p->T, p->g, p->force, p->velocity};
  rattle_status status =
      rattle__native_attach(parts, RATTLE__PARTS, p->evaluator, orders, p->library, error);
  if (!status && p->swept) status = rattle__swept_native(all, p->evaluator, orders, error);
  if (p->bonded && p->V) p->V->native = p->bonded->native;
  return status;
}

rattle_status rattle__problem_native(rattle_problem *problem, rattle_error *error) {
  const rattle_status status = attach(problem, NULL, error);
  if (problem->V) problem->H->native = problem->V->native;
  if (problem->energy) problem->H->native = problem->energy->native && problem->force->native;
  return status;
}

/* With sweeps, which take the time of a step, these alone have to be. */
static int is_native(const rattle_problem *p) {
  if (p->swept) return rattle__swept_is_compiled(p->energy ? p->energy : p->H);
  const rattle__function *H = p->bonded ? p->bonded : p->V ? p->V : p->energy ? p->energy : p->H;
  return H->native && (!p->g || p->g->native) && (!p->T || p->T->native) &&
         (!p->force || p->force->native) && (!p->velocity || p->velocity->native);
}

static int can_be_native(const rattle_problem *p) {
  return !p->swept || rattle__swept_compiles(p->energy ? p->energy : p->H);
}

void rattle__problem_view_destroy(rattle_problem **view) {
  rattle_problem *p = *view;
  if (!p) return;
  rattle__function_destroy(&p->H);
  rattle__function_destroy(&p->energy);
  rattle__function_destroy(&p->force);
  rattle__function_destroy(&p->V);
  rattle__function_destroy(&p->bonded);
  rattle__function_destroy(&p->T);
  rattle__function_destroy(&p->g);
  rattle__function_destroy(&p->velocity);
  for (int i = 0; i < RATTLE__PARTS; i++) rattle__native_unload(&p->library[i]);
  free(p);
  *view = NULL;
}

static rattle_status copy(rattle__function **f, const rattle__function *from, rattle_error *error) {
  return from ? rattle__function_twin(f, from, error) : RATTLE_OK;
}

/* H alone, where it is evaluated as a whole. */
static rattle_status copy_whole(rattle_problem *view, const rattle_problem *problem,
                                rattle_error *error) {
  rattle__function **f = problem->pushed ? &view->energy : &view->H;
  const rattle__function *from = problem->pushed ? problem->energy : problem->H;
  return problem->swept ? rattle__swept_twin(f, from, error) : copy(f, from, error);
}

rattle_status rattle__problem_view(rattle_problem **view, const rattle_problem *problem,
                                   rattle__orders *orders, rattle_error *error) {
  *view = NULL;
  if (!problem->model || is_native(problem) || !can_be_native(problem) ||
      (problem->evaluator != RATTLE__COMPILE_IN_BACKGROUND && problem->evaluator != RATTLE__CACHED))
    return RATTLE_OK;
  rattle_problem *p = *view = malloc(sizeof *p);
  if (!p) return rattle__no_memory(error);
  *p = *problem;
  p->H = p->energy = p->force = p->V = p->bonded = p->T = p->g = p->velocity = NULL;
  for (int i = 0; i < RATTLE__PARTS; i++) p->library[i] = NULL;
  rattle_status status = copy(problem->bonded ? &p->bonded : &p->V,
                              problem->bonded ? problem->bonded : problem->V, error);
  if (!status) status = copy(&p->T, problem->T, error);
  if (!status) status = copy(&p->g, problem->g, error);
  if (!status) status = copy(&p->velocity, problem->velocity, error);
  if (!status && !problem->V) status = copy_whole(p, problem, error);
  if (!status) status = copy(&p->force, problem->force, error);
  if (!status) status = attach(p, orders, error);
  if (!status && p->bonded) status = rattle__function_pairwise(&p->V, p->bonded, p->model, error);
  if (!status && p->V) status = rattle__function_separable(&p->H, p->n, p->V, p->T, p->mass, error);
  if (!status && p->energy) status = rattle__function_forced(&p->H, p, 0, error);
  if (status || !is_native(p)) rattle__problem_view_destroy(view);
  return status;
}
