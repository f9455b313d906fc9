/* Checks of a method before anything is planned: whether its outermost map includes the
 * constraints. */
#include "runs/integrate/check.h"

#include <string.h>

#include "method/notation/added.h"
#include "method/notation/row.h"
#include "problem/functions/velocity.h"
#include "rattle/integrator.h"

/* Maps that need an H of a certain form, or another one, have no place for forces that are no
 * gradient. */
static int takes_forces(const rattle__node *node) {
  static const char *const forms[] = {"natural", "separable", "flow", "conservative"};
  const rattle__node *field = rattle__method_field(node);
  const struct rattle__added_row *added = rattle__method_added(node->row);
  if (added && added->map) return 0;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strstr(node->row->needs, forms[i])) return 0;
  return !field || !rattle__field_of(field->row)->hamiltonian;
}

static rattle_status check_forces(const rattle_problem *problem, const rattle__node *root,
                                  rattle_error *error) {
  for (const rattle__node *at = rattle__method_steps(root); at && problem->force;
       at = rattle__method_inside(at)) {
    const rattle__node *field = rattle__method_field(at);
    if (takes_forces(at)) continue;
    return rattle__fail(
        error, RATTLE_UNSUITABLE, field ? field->row->name : at->row->name,
        "this %s does not support forces that are no gradient (force{...} in the model): use %s",
        field ? "field" : "method", rattle_default_method(problem));
  }
  return RATTLE_OK;
}

static int knows_velocities(const rattle__node *at) {
  if (!at) return 0;
  return at->kind == RATTLE__WRAPPER       ? rattle__wrapper_of(at->row)->rolls
         : at->kind == RATTLE__CONSTRAINED ? rattle__base_of(at->row)->rolls
                                           : 0;
}

/* Constraints on velocities are kept by the maps that know them, alone or in compositions: all else
 * would make another motion. */
static rattle_status check_velocity(const rattle_problem *problem, const rattle__node *whole,
                                    rattle_error *error) {
  const rattle__node *at = whole;
  if (!problem->velocity) return RATTLE_OK;
  if (whole->quad) return rattle__refuse_velocity(problem, "quad", error);
  while (at && at->kind == RATTLE__COMPOSITION) at = rattle__method_inside(at);
  return knows_velocities(at)
             ? RATTLE_OK
             : rattle__refuse_velocity(problem, at ? at->row->name : "this method", error);
}

rattle_status rattle__integrator_check(const rattle_problem *problem, const rattle_method *method,
                                       rattle_error *error) {
  const rattle__node *whole = rattle__method_root(method), *root = rattle__method_steps(whole);
  const char *text = rattle_method_text(method);
  rattle__bath bath;
  char inside[400]; /* of a wrapper, where options of the whole step cannot stand */
  rattle__text inner = {inside, sizeof inside};
  rattle__node bare = rattle__method_forgetting(root);
  bare.compensated = bare.quad = 0;
  rattle_status refused = check_velocity(problem, whole, error);
  if (!refused) refused = check_forces(problem, root, error);
  if (refused) return refused;
  const int ignorant =
      problem->m && !rattle__method_projects(root) && !rattle__method_field_below(root);
  if (whole->kind == RATTLE__SAMPLER && !rattle__method_bath(whole, &bath))
    return rattle__fail(
        error, RATTLE_UNSUITABLE, text,
        "%s draws points from a measure and makes no trajectory: use `rattle sample`, or "
        "rattle_chain_create, or for "
        "a trajectory in a heat bath langevin(%s, metropolis=no, friction=, temperature=)",
        text, rattle_default_method(problem));
  if (ignorant) rattle__put_node(&inner, &bare);
  if (ignorant && root->kind == RATTLE__WRAPPER)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "%s ignores the %d constraint%s of this problem: use %s(%s)", text,
                        problem->m, problem->m > 1 ? "s" : "", root->row->name,
                        rattle_default_method(problem));
  if (ignorant && problem->split)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, text,
        "%s does not satisfy the %d second-class constraints of this problem: use second_class(%s)",
        text, problem->m, inside);
  if (ignorant)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, text,
        "%s ignores the %d constraint%s of this problem: use rattle(%s) or shake(%s)", text,
        problem->m, problem->m > 1 ? "s" : "", inside, inside);
  if (root->quad && root->compensated)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "quad has more digits than compensated: omit `compensated`");
  return RATTLE_OK;
}
