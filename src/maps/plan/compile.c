/* Method expressions to maps: an interpreter of the constants that the files of the rows define.
 *
 *   base map      with X_H: separable H and an explicit scheme: split.c; explicit Runge-Kutta:
 *   rk.c; else
 *                 the Runge-Kutta form: prk.c; else the map's own. With other fields: rk.c, or the
 *                 map's own
 *   wrapper       the wrapper's own; m = 0: the map inside, if all it does is about constraints
 *   composition   compose.c */
#include "maps/plan/compile.h"

#include "maps/wrap/wrap.h"

static rattle_status compile_base(rattle__map **map, rattle__context *context,
                                  const rattle__node *node, rattle_error *error) {
  const rattle__base *base = rattle__base_of(node->row);
  const rattle__node *field =
      context->problem->m ? rattle__method_field(node) : NULL; /* without constraints all are X_H */
  if (!field && base->scheme && context->problem->flags & RATTLE_SEPARABLE) {
    rattle__scheme scheme;
    base->scheme(node, &scheme);
    return rattle__split_create(map, context, &scheme, error);
  }
  if (base->tableau && rattle__option_effect(node, RATTLE_DIVIDES) == 0) {
    rattle__tableau tableau;
    base->tableau(node, &tableau);
    if (tableau.remembers && (field || !context->problem->swept))
      return rattle__no_past(node, error);
    if (field || rattle__tableau_is_explicit(&tableau))
      return rattle__rk_create(map, context, &tableau, field, error);
    return rattle__implicit_rk_create(map, context, &tableau, error);
  }
  return base->create(map, context, node, error);
}

static rattle_status compile_composition(rattle__map **map, rattle__context *context,
                                         const rattle__node *node, rattle_error *error) {
  const rattle_status status = rattle__compile(map, context, rattle__method_inside(node), error);
  if (status) return status;
  const int stages = rattle__composition_stages(node);
  long double *gamma = rattle__arena_take(&context->arena, (size_t)stages * sizeof *gamma);
  if (!gamma) return rattle__no_memory(error);
  rattle__composition_fill(node, gamma);
  return rattle__composition_create(map, context, *map, stages, gamma, error);
}

static rattle_status compile_wrapper(rattle__map **map, rattle__context *context,
                                     const rattle__node *node, rattle_error *error) {
  const rattle__wrapper *wrapper = rattle__wrapper_of(node->row);
  if (!context->problem->m && !context->problem->velocity && wrapper->care != RATTLE__IGNORES)
    return rattle__compile(map, context, rattle__method_inside(node), error);
  return wrapper->create(map, context, node, error);
}

/* Refuses a map that does not carry rounding errors, if the method says `compensated`. */
static rattle_status check_carry(const rattle__map *map, const rattle__node *node,
                                 rattle_error *error) {
  const char *name = node->row->name;
  if (!map->context->carry) return RATTLE_OK;
  if (rattle__option_effect(node, RATTLE_LOOSENS) > 0 ||
      rattle__option_effect(node, RATTLE_DIVIDES) > 0)
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "tol= ends iterations above round-off, and compensated sums go below it: "
                        "omit tol= or `compensated`");
  if (map->compensates) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, name,
                      "%s does not support compensated sums for this problem and solver: use them "
                      "with verlet, symplectic_euler "
                      "and splitting of a separable H, with rattle and shake of the first two if H "
                      "= p^T M^-1 p/2 + V(q) and "
                      "g(q), without sweeps, and with compositions of these, or omit `compensated`",
                      name);
}

rattle_status rattle__compile(rattle__map **map, rattle__context *context, const rattle__node *node,
                              rattle_error *error) {
  context->compile = rattle__compile;
  rattle_status status =
      node->kind == RATTLE__COMPOSITION ? compile_composition(map, context, node, error)
      : node->kind == RATTLE__WRAPPER   ? compile_wrapper(map, context, node, error)
                                        : compile_base(map, context, node, error);
  return status ? status : check_carry(*map, node, error);
}
