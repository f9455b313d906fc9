/* Method expressions to maps: the cheapest correct algorithm for the kind of problem.
 *
 *   base map         of X_H: separable H and an explicit scheme: split.c; explicit Runge-Kutta: rk.c; else the Runge-Kutta form:
 *                    prk.c; else the map's own. Of other fields: rk.c, or the map's own
 *   adaptive         adaptive.c around the map inside
 *   second_class     second_class.c: rattle for another problem
 *   project          m = 0: the map inside.  project.c: around any map of any field
 *   shake, rattle    m = 0: the map inside.  Natural H, g(q), explicit scheme: small.c for m <= 2, else natural.c.  Runge-Kutta
 * form: one simultaneous Newton, prk.c with a fibre.  Anything else: nested.c.  rattle adds projected.c composition compose.c */
#include "wrap/compile.h"

#include "core/problem_split.h"
#include "wrap/onto.h"
#include "wrap/second_class.h"
#include "wrap/small.h"
#include "wrap/wrap.h"

const rattle__base *rattle__base_of(rattle__method_id id) {
#define AT_BASE(name) &rattle__##name
#define AT_CONSTRAINED AT_BASE
#define AT_FIELD(name) NULL
#define AT_WRAPPER(name) NULL
#define AT_COMPOSITION(name) NULL
#define AT_SOLVER(name) NULL
#define METHOD(name, kind, ...) AT_##kind(name),
  static const rattle__base *const table[RATTLE__METHOD_COUNT] = {
#include "methods.def"
  };
#undef METHOD
  return table[id];
}

static rattle_status compile_base(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error) {
  const rattle__base *base = rattle__base_of(node->id);
  const rattle__node *field = context->problem->m ? rattle__method_field(node) : NULL; /* without constraints all are X_H */
  if (!field && base->scheme && context->problem->flags & RATTLE_SEPARABLE) {
    rattle__scheme scheme;
    base->scheme(node, &scheme);
    return rattle__split_create(map, context, &scheme, error);
  }
  if (base->tableau && node->tol == 0) {
    rattle__tableau tableau;
    base->tableau(node, &tableau);
    if (field || rattle__tableau_is_explicit(&tableau)) return rattle__rk_create(map, context, &tableau, field, error);
    return rattle__prk_create(map, context, &tableau, NULL, RATTLE__METHOD_auto, 0, error);
  }
  return base->create(map, context, node, error);
}

static rattle_status compile_composition(rattle__map **map, rattle__context *context, const rattle__node *node,
                                         rattle_error *error) {
  const rattle__node *inside = node->argument[0].node;
  rattle_status status = rattle__compile(map, context, inside, error);
  if (status) return status;
  int stages = 0, order = rattle__method_claims(node).order;
  const long double *gamma = rattle__coefficients(node->id, &stages);
  if (!gamma) {
    int inner_order = rattle__method_claims(inside).order;
    order = (int)node->argument[1].number;
    stages = rattle__triple_jump_stages(inner_order, order);
    long double *expanded = rattle__arena_take(&context->arena, (size_t)stages * sizeof *expanded);
    if (!expanded) return rattle__no_memory(error);
    rattle__triple_jump(inner_order, order, expanded);
    gamma = expanded;
  }
  return rattle__composition_create(map, context, *map, stages, gamma, order, error);
}

/* Which sweeps and solvers fit which kind. */
static rattle_status check_solver(const rattle__context *context, const rattle__node *node, int natural, rattle_error *error) {
  int sweeps = node->solver == RATTLE__METHOD_sweep || node->solver == RATTLE__METHOD_andersen;
  if (!sweeps || natural) return RATTLE_OK;
  return rattle__fail(
      error, RATTLE_UNSUITABLE, rattle__method_name(node->solver),
      "solver=%s needs a natural problem (H = p^T M^-1 p/2 + V(q), g(q)) and an explicit map such as verlet; this "
      "problem is %s: use solver=newton",
      rattle__method_name(node->solver), rattle_problem_kind_name(context->problem));
}

rattle_status rattle__refuse_second_class(const rattle_problem *problem, const rattle__node *node, rattle_error *error) {
  const rattle__halves *split = problem->split;
  const char *name = rattle__method_name(node->id);
  rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "%s needs constraints in involution, and these are second class: {g_i,g_j} is invertible; that of '%s' and '%s' is "
      "%.3g near the start. Use second_class(...), as in second_class(midpoint)",
      name, rattle_problem_constraint_name(problem, split->pair[0]), rattle_problem_constraint_name(problem, split->pair[1]),
      split->bracket);
  if (error) error->constraint = split->pair[0];
  return RATTLE_UNSUITABLE;
}

static rattle_status compile_adaptive(rattle__map **map, rattle__context *context, const rattle__node *node,
                                      rattle_error *error) {
  rattle_status status = rattle__compile(map, context, node->argument[0].node, error);
  return status ? status : rattle__adaptive_create(map, context, *map, node->argument[1].word, error);
}

static rattle_status compile_wrapper(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error) {
  const rattle__node *inside = node->argument[0].node;
  const rattle_problem *problem = context->problem;
  if (node->id == RATTLE__METHOD_adaptive) return compile_adaptive(map, context, node, error);
  if (!problem->m) return rattle__compile(map, context, inside, error);
  if (node->id == RATTLE__METHOD_project) return rattle__project_create(map, context, node, error);
  if (node->id == RATTLE__METHOD_second_class) return rattle__second_class_create(map, context, node, error);
  if (problem->split) return rattle__refuse_second_class(problem, node, error);
  const rattle__base *base = rattle__base_of(inside->id);
  int project = node->id == RATTLE__METHOD_rattle;
  rattle__projection projection = !project               ? RATTLE__NO_PROJECTION
                                  : node->project_output ? RATTLE__PROJECT_OUTPUT
                                                         : RATTLE__PROJECT_STEP;
  int natural = base && base->scheme && problem->flags & RATTLE_NATURAL && problem->flags & RATTLE_HOLONOMIC;
  rattle_status status = check_solver(context, node, natural, error);
  if (status) return status;
  if (natural) {
    rattle__scheme scheme;
    base->scheme(inside, &scheme);
    if (problem->m <= RATTLE__SMALL_MOST && node->solver == RATTLE__METHOD_auto && node->tol == 0)
      return rattle__small_create(map, context, &scheme, projection, error);
    return rattle__natural_create(map, context, &scheme, projection, node->solver, node->tol, error);
  }
  rattle__fibre *fibre = NULL;
  status = rattle__fibre_create(&fibre, context, error);
  if (status) return status;
  if (base && base->tableau && !(base->scheme && problem->flags & RATTLE_SEPARABLE)) {
    rattle__tableau tableau;
    base->tableau(inside, &tableau);
    status = rattle__prk_create(map, context, &tableau, fibre, node->solver, node->tol, error);
  } else {
    status = rattle__compile(map, context, inside, error);
    if (!status) status = rattle__nested_create(map, context, *map, fibre, node->solver, node->tol, error);
  }
  return status ? status : rattle__projected_create(map, context, *map, fibre, projection, error);
}

/* Whether the map carries what rounding takes, where the method says so. */
static rattle_status check_carry(const rattle__map *map, const rattle__node *node, rattle_error *error) {
  const char *name = rattle__method_name(node->id);
  if (!map->context->carry) return RATTLE_OK;
  if (node->tol > 0)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "tol= ends iterations above round-off, and compensated sums look below it: leave out tol= or `compensated`");
  if (map->compensates) return RATTLE_OK;
  return rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "%s is not offered with compensated sums for this problem and solver: they are for verlet, symplectic_euler and "
      "splitting of a separable H, for rattle and shake of the former two where H = p^T M^-1 p/2 + V(q) and g(q), "
      "without sweeps, and for compositions of these. Leave `compensated` out",
      name);
}

rattle_status rattle__compile(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error) {
  rattle_status status = node->kind == RATTLE__COMPOSITION ? compile_composition(map, context, node, error)
                         : node->kind == RATTLE__BASE || node->kind == RATTLE__CONSTRAINED
                             ? compile_base(map, context, node, error)
                             : compile_wrapper(map, context, node, error);
  return status ? status : check_carry(*map, node, error);
}
