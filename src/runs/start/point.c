/* The point that the steps to a consistent start work on. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "runs/start/start.h"
#include "constraint/step/map.h"
#include "ground/support/error.h"
#include "ground/support/arena.h"
#include "constraint/step/sizes.h"

const char *rattle__start_constraint(const rattle__start *s, int constraint) {
  const char *name = rattle_problem_constraint_name(s->problem, constraint);
  return name ? name : "?";
}

const char *rattle__start_coordinate(const rattle__start *s, int pair) {
  const char *name = rattle__problem_coordinate_name(s->problem, pair);
  return name ? name : "?";
}

rattle_status rattle__start_constraints(rattle__start *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  int answer = g->jacobian(g, s->z, s->g, s->J, s->work);
  return rattle__answer(answer, "constraint", error);
}

void rattle__start_sizes_of(rattle__start *s, const double *x, double c1, double c2) {
  const rattle__function *g = s->problem->g;
  double all[2] = {0, 0};
  for (int k = 0; k < s->vars; k++)
    if (!rattle__is_time(s->problem, k)) all[k >= s->n] = fmax(all[k >= s->n], fabs(x[k]));
  for (int i = 0; i < s->m; i++) {
    double sum[2] = {0, 0}, largest[2] = {0, 0};
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      const int kind = g->jac_col[k] >= s->n;
      if (rattle__is_time(s->problem, g->jac_col[k])) continue;
      sum[kind] += fabs(s->J[k]);
      largest[kind] = fmax(largest[kind], fabs(x[g->jac_col[k]]));
    }
    s->size[i] = DBL_MIN;
    for (int kind = 0; kind < 2; kind++)
      s->size[i] += sum[kind] * (c1 * largest[kind] + c2 * all[kind]);
  }
}

void rattle__start_sizes(rattle__start *s) {
  rattle__start_sizes_of(s, s->z, 1, 0);
}

rattle_status rattle__start_create(rattle__start *s, const rattle_problem *problem,
                                   rattle_error *error) {
  *s = (rattle__start){.problem = problem,
                       .n = problem->n,
                       .m = problem->m,
                       .vars = problem->g ? problem->g->vars : 0};
  const rattle__function *g = problem->g, *H = problem->H;
  size_t nz = 2 * (size_t)s->n, m = (size_t)s->m, nnz = g ? (size_t)g->jac_nnz : 0;
  size_t work = g && g->work > H->work ? g->work : H->work;
  const rattle__array arrays[] = {
      {&s->z, nz},   {&s->g, m},   {&s->J, nnz},  {&s->gradient, nz}, {&s->scaled, nnz},
      {&s->size, m}, {&s->rhs, m}, {&s->raw, nz}, {&s->work, work},   {&s->given, (size_t)s->n}};
  s->room = RATTLE__BLOCK(arrays);
  if (!s->room) return rattle__no_memory(error);
  if (!s->m) return RATTLE_OK;
  rattle_status status =
      rattle__coupling_create(&s->coupling, s->m, s->vars, g->jac_ptr, g->jac_col, error);
  if (status) return status;
  return rattle__linear_create(&s->matrix, s->m, s->coupling->ptr, s->coupling->col, 1,
                               RATTLE__LINEAR_AUTO, error);
}

void rattle__start_destroy(rattle__start *s) {
  rattle__coupling_destroy(&s->coupling);
  rattle__linear_destroy(&s->matrix);
  free(s->room);
}
