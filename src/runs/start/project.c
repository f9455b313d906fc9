/* The projection of a start: its point by constraint/place/nearest_point.c, and why it fails in the
 * words of a start. */
#include <math.h>
#include <string.h>

#include "constraint/place/nearest_point.h"
#include "runs/start/start.h"
#include "ground/support/error.h"

/* s->z by `move`. The error's constraint is the one to blame, -1 if none is known. */
typedef rattle_status rattle__move(rattle__nearest_point *onto, double *z, rattle_error *error);
static rattle_status moved(rattle__start *s, rattle__move *move, int momenta, rattle_error *why) {
  rattle__context context = {.problem = s->problem, .solver = "none"};
  const rattle__nearest_options options = {
      .start = 1, .momenta = momenta, .coupling = s->coupling, .system = s->matrix};
  rattle__nearest_point *onto = NULL;
  *why = (rattle_error){.constraint = -1};
  rattle_status status = rattle__nearest_point_create(&onto, &context, &options, why);
  if (!status) status = move(onto, s->z, why);
  rattle__nearest_point_destroy(&onto);
  rattle__probe_destroy(&context.probe);
  rattle__arena_release(&context.arena);
  return status;
}

/* Why no multiple of the constraint's gradient moves anything, or what else makes the system of all
 * singular. g and J at s->z known. */
static const char *why_singular(const rattle__start *s, int i) {
  const rattle__function *g = s->problem->g;
  double most = 0, all = 0;
  for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
    all = fmax(all, fabs(s->J[e]));
    if (!rattle__is_held(s->problem, g->jac_col[e])) most = fmax(most, fabs(s->J[e]));
  }
  if (all > 0 && most == 0) return "all of its coordinates are held";
  return most * most > 0 ? "it becomes dependent on the others during the projection"
                         : "its gradient is so small that its square is 0";
}

rattle_status rattle__start_onto_constraints(rattle__start *s, rattle_error *error) {
  rattle_error why;
  const rattle_status status = moved(s, rattle__nearest_point_constraints, 0, &why);
  const int worst = why.constraint >= 0 ? why.constraint : 0;
  int held = 0;
  const rattle_status at = rattle__start_constraints(s, status ? NULL : error); /* where it ended */
  if (!status) return at;
  if (status != RATTLE_NOT_CONVERGED && status != RATTLE_SINGULAR) {
    if (error) *error = why;
    return status;
  }
  for (int k = 0; k < s->n; k++) held |= rattle__is_held(s->problem, k);
  const char *name = rattle__start_constraint(s, worst);
  rattle__fail(
      error, RATTLE_OFF_CONSTRAINTS, name,
      "the start cannot be projected onto constraint '%s'%s: %s; give a start that is nearer", name,
      held ? " without moving the held coordinates" : "",
      status == RATTLE_SINGULAR
          ? why_singular(s, worst)
          : "Newton's method does not converge; the constraints may contradict each other");
  if (error) error->constraint = worst;
  return RATTLE_OFF_CONSTRAINTS;
}

rattle_status rattle__start_onto_hidden(rattle__start *s, rattle_error *error) {
  rattle_error why;
  const rattle_status status = moved(s, rattle__nearest_point_hidden, 1, &why);
  const int fibre = !rattle__is_natural_holonomic(s->problem) &&
                    (status == RATTLE_NOT_CONVERGED || status == RATTLE_DEGENERATE);
  if (status && !fibre && error) *error = why;
  if (!fibre) return status;
  const int worst = why.constraint >= 0 ? why.constraint : 0;
  const char *name = rattle__start_constraint(s, worst);
  rattle__fail(error, RATTLE_OFF_CONSTRAINTS, name,
               "the start cannot be moved along its fibre onto the hidden constraint {g,H} = 0 of "
               "'%s': give momenta that are nearer",
               name);
  if (error) error->constraint = worst;
  return RATTLE_OFF_CONSTRAINTS;
}
