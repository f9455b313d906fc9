/* Properties of a problem. */
#include "problem/functions/problem.h"

#include "ground/support/error.h"

int rattle_problem_n(const rattle_problem *problem) {
  return problem->n;
}

int rattle_problem_m(const rattle_problem *problem) {
  return problem->m + rattle_problem_velocity_constraints(problem);
}

int rattle_problem_velocity_constraints(const rattle_problem *problem) {
  return problem->velocity ? problem->velocity->rows : 0;
}

const char *rattle_problem_implied(const rattle_problem *problem, int i) {
  return problem->implied && i >= 0 && i < problem->implied->rows
             ? rattle_model_velocity_constraint_name(
                   problem->model,
                   problem->velocity_row[rattle_problem_velocity_constraints(problem) + i])
             : NULL;
}

int rattle_problem_kind(const rattle_problem *problem) {
  return problem->flags;
}

const rattle_model *rattle_problem_model(const rattle_problem *problem) {
  return problem->model;
}

const char *rattle_problem_kind_name(const rattle_problem *problem) {
  if (problem->velocity) return "nonholonomic";
  if (!problem->m) return "unconstrained";
  if (problem->flags & RATTLE_SECOND_CLASS) return "second_class";
  if (!(problem->flags & RATTLE_HOLONOMIC)) return "coisotropic";
  return problem->flags & RATTLE_NATURAL     ? "natural"
         : problem->flags & RATTLE_SEPARABLE ? "separable"
                                             : "holonomic";
}

const char *rattle_problem_constraint_name(const rattle_problem *problem, int constraint) {
  if (problem->velocity && constraint >= problem->m)
    return constraint < rattle_problem_m(problem)
               ? rattle_model_velocity_constraint_name(
                     problem->model, problem->velocity_row[constraint - problem->m])
               : NULL;
  if (problem->model) return rattle_model_constraint_name(problem->model, constraint);
  return constraint >= 0 && constraint < problem->m ? problem->constraint_name[constraint] : NULL;
}

const char *rattle__problem_coordinate_name(const rattle_problem *problem, int pair) {
  if (problem->model) return rattle_model_coordinate_name(problem->model, pair);
  return pair >= 0 && pair < problem->n ? problem->coordinate_name[pair] : NULL;
}

const char *rattle_problem_evaluator(const rattle_problem *problem) {
  return !problem->model ? "callbacks" : problem->H->native ? "native" : "block";
}

rattle_status rattle__needs_hessian(const rattle_problem *problem, const char *what,
                                    rattle_error *error) {
  if (problem->H->hessian) return RATTLE_OK;
  if (problem->swept)
    return rattle__fail(error, RATTLE_UNSUITABLE, what,
                        "%s needs second derivatives of H, and joint coordinates have them for up "
                        "to %d coordinates: use gauss(s), dop853 or mech.coordinates \"bodies\"",
                        what, 1 << 10);
  return rattle__fail(error, RATTLE_UNSUITABLE, what,
                      "%s needs second derivatives of H, and pair_potential has them for up to 384 "
                      "coordinates: use rattle(verlet)",
                      what);
}

int rattle__constraints_move(const rattle_problem *problem) {
  const rattle__function *g = problem->g;
  int moves = 0;
  for (int e = 0; g && e < g->jac_nnz; e++) moves |= g->jac_col[e] == problem->clock - 1;
  return moves;
}
