/* Names in a method expression that the model gives: runge_kutta(name), splitting(name). */
#include <string.h>

#include "ground/support/error.h"
#include "method/notation/row.h"
#include "problem/model/user_coefficients.h"
#include "problem/functions/problem.h"
#include "rattle/integrator.h"

static rattle_status find(const rattle_model *model, const char *row, const char *name,
                          const char *kind, const rattle__given **given, rattle_error *error) {
  *given = model ? rattle__model_given(model, name) : NULL;
  const char *near = model ? rattle__model_nearest_given(model, name) : NULL;
  if (!model)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, row,
        "%s(%s) takes coefficients from a model, and this problem consists of callbacks", row,
        name);
  if (!*given && near)
    return rattle__fail(error, RATTLE_BAD_METHOD, name,
                        "the model has no %s \"%s\"; did you mean \"%s\"?", kind, name, near);
  if (!*given)
    return rattle__fail(error, RATTLE_BAD_METHOD, name,
                        "the model has no %s \"%s\": define it with %s(\"%s\", { ... })", kind,
                        name, kind, name);
  return RATTLE_OK;
}

/* Claims of the map with these coefficients; if it moves by H = T(p) + V(q), the fewer conditions
 * of such an H decide. */
static rattle_status claim(rattle__node *node, const rattle__given *given, int separable,
                           rattle_error *error) {
  const rattle_coefficients *c = &given->found;
  rattle_claims claims = node->row->claims;
  claims.order = separable ? c->separable_order : c->order;
  claims.symmetric = c->symmetric;
  claims.symplectic = separable ? c->separable_symplectic : c->symplectic;
  claims.explicit_ = c->explicit_;
  if (given->claimed > claims.order)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, c->name,
        "the %s \"%s\" has the claimed order %d only for H = T(p) + V(q), and order %d here: the "
        "condition %s does not hold",
        c->kind, c->name, given->claimed, claims.order, c->fails);
  node->given = given;
  node->given_stages = c->stages;
  node->fails = claims.order == c->order ? c->fails : "";
  node->found = claims;
  return RATTLE_OK;
}

/* separable: whether the map at the bottom would move by an H = T(p) + V(q). */
static rattle_status resolve(rattle__node *node, const rattle_model *model, int separable,
                             rattle_error *error) {
  const char *name = rattle__method_given_name(node), *row = node->row->name,
             *kind = rattle__base_of(node->row)->given;
  if (!name) return RATTLE_OK;
  const rattle__given *given;
  rattle_status status = find(model, row, name, kind, &given, error);
  if (status) return status;
  if (strcmp(given->found.kind, kind) != 0)
    return rattle__fail(error, RATTLE_BAD_METHOD, name,
                        "\"%s\" is a %s of the model, and %s takes a %s", name, given->found.kind,
                        row, kind);
  return claim(node, given, separable && !rattle__method_field(node), error);
}

/* From the innermost out: with claims that are known now, expressions may not be valid. */
static rattle_status walk(rattle__node *node, const rattle_model *model, int separable,
                          const char *text, rattle_error *error) {
  if (!rattle__method_inside(node)) return resolve(node, model, separable, error);
  if (node->kind == RATTLE__WRAPPER && rattle__wrapper_of(node->row)->other_hamiltonian)
    separable = 0;
  const rattle_status status = walk(node->argument[0].node, model, separable, text, error);
  char reason[500];
  int blame;
  if (status || rattle__method_sensible(node, reason, sizeof reason, &blame)) return status;
  return rattle__fail(error, RATTLE_BAD_METHOD, text, "%s: %s", text, reason);
}

static void leave_model(void *model) {
  rattle_model *held = model;
  rattle_model_destroy(&held);
}

rattle_status rattle_method_resolve(rattle_method *method, const rattle_problem *problem,
                                    rattle_error *error) {
  rattle__node *root = rattle__method_nodes(method);
  if (!rattle__method_unresolved(root)) return RATTLE_OK;
  rattle__method_hold(method, rattle_model_retain(problem->model), leave_model);
  return walk(root, problem->model, problem->flags & RATTLE_SEPARABLE, rattle_method_text(method),
              error);
}
