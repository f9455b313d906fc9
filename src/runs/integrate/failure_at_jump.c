/* Why a step of an implicit method may have failed: its equations may have no solution across a
 * jump of a force. */
#include "ground/support/number.h"
#include "runs/integrate/integrator.h"
#include "problem/functions/problem.h"
#include "rattle/model.h"

void rattle__blame_jump(rattle_integrator *s, double h, rattle_error *error) {
  const rattle_problem *problem = s->context.problem;
  char where[300];
  const int unsolved = error->status == RATTLE_NOT_CONVERGED || error->status == RATTLE_DEGENERATE;
  if (!unsolved || !problem->model) return;
  const rattle_status status = error->status;
  if (rattle__turns_ahead(s, h, error)) {
    error->status = status;
    return;
  }
  if (rattle_method_claims(s->method).explicit_) return;
  const int left = rattle_model_order_left(problem->model, where, sizeof where);
  if (left < 0 || left > 1) return;
  char said[sizeof error->message];
  rattle__print(said, sizeof said, "%s", error->message);
  rattle__print(error->message, sizeof error->message,
                "%s, and a step across may have no solution, however short it is: smooth it, as by "
                "tanh, or use an explicit method, "
                "such as %s; %s",
                where, problem->m ? "rattle(rk4)" : "rk4", said);
}
