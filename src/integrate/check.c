/* Checks of a method before anything is planned: whether its outermost map includes the constraints. */
#include "integrate/check.h"

#include "rattle/integrator.h"

rattle_status rattle__integrator_check(const rattle_problem *problem, const rattle_method *method, rattle_error *error) {
  const rattle__node *root = rattle__method_root(method);
  const char *text = rattle_method_text(method);
  char inside[400]; /* of a wrapper, where options of the whole step cannot stand */
  rattle__text inner = {inside, sizeof inside};
  rattle__node bare = *root;
  bare.compensated = bare.quad = 0;
  rattle__put_node(&inner, &bare);
  const int ignorant = problem->m && !rattle__method_projects(root) && !rattle__method_field_below(root);
  if (ignorant && root->kind == RATTLE__WRAPPER)
    return rattle__fail(error, RATTLE_UNSUITABLE, text, "%s ignores the %d constraint%s of this problem: use %s(%s)", text,
                        problem->m, problem->m > 1 ? "s" : "", root->row->name, rattle_default_method(problem));
  if (ignorant && problem->split)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "%s does not satisfy the %d second-class constraints of this problem: use second_class(%s)", text,
                        problem->m, inside);
  if (ignorant)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "%s ignores the %d constraint%s of this problem: use rattle(%s) or shake(%s)", text, problem->m,
                        problem->m > 1 ? "s" : "", inside, inside);
  if (root->quad && root->compensated)
    return rattle__fail(error, RATTLE_UNSUITABLE, text, "quad has more digits than compensated: omit `compensated`");
  return RATTLE_OK;
}
