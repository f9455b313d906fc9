/* See substeps.h. */
#include "maps/velocity/substeps.h"

#include "constraint/guard/rules/rules.h"
#include "ground/support/error.h"

/* True if a shorter step does not avoid the failure. */
static int is_final(rattle_status status) {
  return status && status != RATTLE_NOT_CONVERGED && status != RATTLE_SINGULAR &&
         status != RATTLE_DOMAIN;
}

static rattle_status lost(const rattle_problem *problem, double part, const rattle_error *why,
                          rattle_error *error) {
  if (why->status && (is_final(why->status) || why->status == RATTLE_DOMAIN)) {
    if (error) *error = *why;
    return why->status;
  }
  const char *name = rattle_problem_constraint_name(problem, problem->m),
             *omitted = rattle_problem_implied(problem, 0);
  return rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "step too long: the constraint solver lost the solution after %.3g %% of the step, and what "
      "lies beyond does not belong to it, as beyond half a turn of a wheel or a blade within a "
      "step. Use a smaller step; if that does not help, the motion has reached a point where "
      "constraints on velocities depend on each other%s%s%s",
      100 * part, omitted ? ": '" : "", omitted ? omitted : "",
      omitted ? "', which is omitted since it followed from the others at the start, may take the "
                "place of one of them here: write constraints none of which follows from others"
              : "");
}

rattle_status rattle__rolling_walk(rattle__context *context, rattle__rolling_reach *reach,
                                   void *self, double h, const double *z0, double *z1,
                                   rattle_error *error) {
  double part = 0, previous = 0, length = rattle__first_part;
  rattle_error why = {0};
  if (context->asked.declines)
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                        "step too long: its multipliers are in doubt");
  context->counts.followed++;
  for (int k = 0; k < RATTLE__TRIALS && part < 1; k++) {
    const double next = part + length < 1 ? part + length : 1;
    const rattle__rolling_part at = {
        part, next, previous > 0 ? (next - part) / (part - previous) : 0, h, z0, z1};
    int reached;
    why.status = RATTLE_OK;
    why.status = reach(self, &at, &reached, &why);
    if (reached) {
      previous = part;
      part = next;
      length *= 2;
      continue;
    }
    length /= 2;
    if (is_final(why.status) || length < rattle__shortest_part)
      return lost(context->problem, part, &why, error);
  }
  return part < 1 ? lost(context->problem, part, &why, error) : RATTLE_OK;
}
