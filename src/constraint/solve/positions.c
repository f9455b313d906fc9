/* Positions steps are planned here, and made in positions_rows.c. */
#include "constraint/solve/positions.h"

#include "ground/expr/extended.h"

/* The linear backends, and whether Newton's matrix is taken at each iterate; or sweeps. */
static rattle_status plan_solver(rattle__positions *s, const rattle__solving *solving, int from_psi,
                                 rattle_error *error) {
  const rattle__solver *solver = solving->solver;
  rattle__context *context = s->context;
  rattle_status status =
      solver->sweeps ? solver->sweeps(&s->relaxation, context, s->tol, error) : RATTLE_OK;
  if (solver->sweeps) context->solver = solving->name;
  if (!status && s->relaxation && s->m > RATTLE__SWEPT_MOST) /* no matrices to follow with */
    return rattle__momenta_create(&s->momenta, context, NULL, NULL, error);
  s->true_newton = solver->renewal == RATTLE__EACH_ITERATION ||
                   (s->m <= 2 && solver->renewal == RATTLE__AS_FITS);
  s->first_matrix = s->true_newton || !from_psi ? RATTLE__FRESH : RATTLE__CHORD;
  if (!status)
    status = rattle__coupling_create(&s->coupling, s->m, s->n, s->g->jac_ptr, s->g->jac_col, error);
  if (!status) status = rattle__momenta_create(&s->momenta, context, s->coupling, solver, error);
  if (status) return status;
  const rattle__coupling *c = s->coupling;
  status = rattle__linear_create_by(&s->R, c->rows, c->ptr, c->col, 0, solver->general, error);
  if (!status) status = rattle__linear_watch_parts(s->R, error);
  if (status) return status;
  if (!s->relaxation) context->solver = s->momenta->A->name;
  s->follower = rattle__follower_create(
      context, from_psi ? &rattle__positions_on_psi : &rattle__positions_off_psi, s->m, s->lambda,
      s);
  return s->follower ? RATTLE_OK : rattle__no_memory(error);
}

rattle_status rattle__positions_create(rattle__positions **positions, rattle__context *context,
                                       const rattle__scheme *scheme, const rattle__solving *solving,
                                       int from_psi, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle__positions *s = rattle__arena_take(arena, sizeof *s);
  *positions = s;
  if (!s) return rattle__no_memory(error);
  const size_t n = (size_t)problem->n, m = (size_t)problem->m, nnz = (size_t)problem->g->jac_nnz;
  *s = (rattle__positions){.context = context,
                           .scheme = *scheme,
                           .n = problem->n,
                           .m = problem->m,
                           .g = problem->g,
                           .V = problem->V,
                           .mass = problem->mass,
                           .tol = solving->tol};
  const rattle__array array[] = {
      {&s->value, m},
      {&s->lambda, m},
      {&s->first, m},
      {&s->delta, m},
      {&s->inverse_floor, m},
      {&s->cheap, m},
      {&s->plus, 2 * n},
      {&s->terms, 2 * n},
      {&s->work, problem->g->work > problem->V->work ? problem->g->work : problem->V->work}};
  RATTLE__LAY_OUT(arena, array);
  const int equal = rattle__mass_is_equal(problem->mass);
  for (int i = 0; i < 2; i++)
    rattle__point_create(&s->point[i], arena, problem->n, nnz, equal ? 0 : nnz);
  s->start = &s->point[0];
  s->end = &s->point[1];
  s->unit = rattle__unit_create(context);
  if (s->unit) s->unit->terms = s->terms;
  if (!s->g->quadratic) s->between = rattle__arena_doubles(arena, nnz);
  if (context->carry) {
    s->carry1 = rattle__arena_doubles(arena, 2 * n);
    s->impulse = rattle__arena_doubles(arena, n);
    if (rattle__extended_room(s->g))
      s->room = rattle__arena_take(arena, rattle__extended_room(s->g));
  }
  return arena->failed ? rattle__no_memory(error) : plan_solver(s, solving, from_psi, error);
}

void rattle__positions_destroy(rattle__positions **positions) {
  rattle__positions *s = *positions;
  if (!s) return;
  rattle__coupling_destroy(&s->coupling);
  rattle__linear_destroy(&s->R);
  rattle__momenta_destroy(&s->momenta);
  rattle__prover_destroy(&s->prover);
  *positions = NULL;
}
