/* Wrappers that slide along fibres: the rules of their claims, and the cheapest correct algorithm
 * for the kind of problem.
 *
 *   natural H, g(q), also with time, explicit scheme   natural_small.c for few constraints,
 *   natural_chain.c for long chains, natural_bonds.c for molecules and trees, natural_tree.c for
 *   rigid bodies, else natural.c
 *   the same with forces that are no gradient          natural_small.c for verlet(a), few
 *   constraints
 *   Runge-Kutta form                   stages and multipliers by one simultaneous Newton:
 *   maps/base/prk.c with a fibre; most steps with few unknowns by maps/emitted/stages.c
 *   anything else                      newton_around.c
 *   constraints on velocities          maps/velocity/rolling.c
 *   projection                         projected.c around the last two; natural.c and
 *   natural_small.c have their own */
#include "maps/wrap/along_fibres.h"

#include "problem/functions/split.h"
#include "maps/emitted/stages.h"
#include "maps/natural/natural_bonds.h"
#include "maps/natural/natural_chain.h"
#include "maps/natural/natural_tree.h"
#include "maps/natural/fused/natural_small.h"
#include "maps/velocity/rolling.h"
#include "maps/wrap/wrap.h"

/* True if the theorem of certificates has the equations of the map: one drift, or a tableau. */
static int is_covered(const rattle__node *inside) {
  const rattle__base *base = inside->kind == RATTLE__BASE ? rattle__base_of(inside->row) : NULL;
  rattle__scheme scheme = {.d2 = 1};
  if (base && base->scheme) base->scheme(inside, &scheme);
  return base && (scheme.d2 == 0 || (base->tableau && !base->create));
}

rattle_claims rattle__along_fibres_claims(const rattle__node *node, rattle_claims claims) {
  const rattle_claims *row = &node->row->claims;
  /* row->keeps_psi distinguishes maps of the hidden manifold into itself from shake, which leaves
   * it. Around the exact flow such a map is symmetric, so of order 2; around a phi of order r >= 2,
   * symmetric or not, it differs from that by O(h^3) */
  claims.order = row->keeps_psi && claims.order > 1 ? 2 : 1;
  claims.symmetric &= row->keeps_psi;
  claims.symplectic &= row->keeps_psi;
  claims.keeps_g = row->keeps_g;
  claims.keeps_psi = row->keeps_psi && !rattle__projects_output(node);
  claims.keeps_energy = 0;
  claims.proved &= is_covered(rattle__method_inside(node)) && !rattle__projects_output(node);
  return claims;
}

int rattle__along_fibres_sensible(const rattle__node *node, rattle__text *reason, int *blame) {
  const rattle__node *inner = rattle__method_inside(node),
                     *field = rattle__method_field_below(node);
  (void)blame;
  if (inner->kind != RATTLE__CONSTRAINED && !rattle__takes_one_step_map(node, reason)) return 0;
  if (inner->kind == RATTLE__BASE && rattle__option_effect(inner, RATTLE_DIVIDES) > 0) {
    rattle__put(reason, "%s needs a one-step map, and ", node->row->name);
    rattle__put_node(reason, inner);
    rattle__put(reason, " divides its steps: omit its tol=");
    return 0;
  }
  if (!field) return rattle__takes_free_map(node, reason);
  rattle__put(reason, "%s needs a map of X_H, and ", node->row->name);
  rattle__put_node(reason, inner);
  rattle__put(reason, " integrates %s: omit one of them", field->row->name);
  return 0;
}

void rattle__along_fibres_order(rattle__text *out, const rattle__node *node,
                                const rattle_claims *own, const rattle_claims *inner) {
  if (!node->row->claims.keeps_psi)
    rattle__put(
        out, " in (q, p); fibres, and therefore positions if g = g(q), move as those of rattle.\n");
  else if (inner->order > own->order)
    rattle__put(out, ", for any order of the map inside; for a higher order put the composition "
                     "outside, as in suzuki4(rattle(verlet)).\n");
  else
    rattle__put(out, ", that of the map inside.\n");
}

void rattle__along_fibres_cost(rattle__text *out, const rattle__node *node, int applications) {
  rattle__explain_solves(out, applications, node->row->claims.keeps_psi);
}

void rattle__along_fibres_tolerance(rattle__text *out, const rattle__node *node) {
  if (rattle__option_effect(node, RATTLE_LOOSENS) > 0) rattle__explain_loose(out);
}

static rattle_status refuse_sweeps(const rattle__context *context, const char *name,
                                   rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, name,
                      "solver=%s needs a natural problem (H = p^T M^-1 p/2 + V(q), g(q)) and an "
                      "explicit map such as verlet; this "
                      "problem is %s: use solver=newton",
                      name, rattle_problem_kind_name(context->problem));
}

static rattle_status create_natural(rattle__map **map, rattle__context *context,
                                    const rattle__node *inside, rattle__projection projection,
                                    const rattle__solving *solving, rattle_error *error) {
  const int is_fused = rattle__fused_fits(context) && rattle__is_automatic(solving);
  const rattle__base *base = rattle__base_of(inside->row);
  rattle__scheme scheme;
  rattle__tableau tableau;
  rattle__fibre *fibre = NULL;
  rattle__map *exact = NULL;
  (void)rattle__kicks_of(inside, context->problem, &scheme);
  if (!is_fused && rattle__is_automatic(solving)) {
    const rattle_status linked =
        rattle__natural_chain_create(map, context, &scheme, projection, error);
    if (linked || *map) return linked;
    const rattle_status bonded =
        rattle__natural_bonds_create(map, context, &scheme, projection, error);
    if (bonded || *map) return bonded;
    const rattle_status jointed =
        rattle__natural_tree_create(map, context, &scheme, projection, error);
    if (jointed || *map) return jointed;
  }
  rattle_status status =
      is_fused ? rattle__natural_small_create(map, context, &scheme, projection, error)
               : rattle__natural_create(map, context, &scheme, projection, solving, error);
  if (status || scheme.d2 == 0 || !base->tableau || solving->solver->sweeps || context->carry)
    return status;
  const char *name = context->solver;
  base->tableau(inside, &tableau);
  status = rattle__fibre_create(&fibre, context, error);
  if (!status) status = rattle__prk_create(&exact, context, &tableau, fibre, solving, error);
  context->solver = name;
  if (exact) (is_fused ? rattle__fused_fall_back : rattle__natural_fall_back)(*map, exact);
  return status;
}

/* SHAKE by a fibre. */
static rattle_status create_general(rattle__map **map, rattle__context *context,
                                    const rattle__node *inside, rattle__fibre *fibre,
                                    const rattle__solving *solving, rattle_error *error) {
  const rattle__base *base = rattle__base_of(inside->row);
  if (base && base->tableau && !(base->scheme && context->problem->flags & RATTLE_SEPARABLE)) {
    rattle__tableau tableau;
    base->tableau(inside, &tableau);
    return rattle__prk_create(map, context, &tableau, fibre, solving, error);
  }
  const rattle_status status = context->compile(map, context, inside, error);
  return status ? status : rattle__newton_around_create(map, context, *map, fibre, solving, error);
}

static rattle_status create_rolling(rattle__map **map, rattle__context *context,
                                    const rattle__node *inside, rattle__projection projection,
                                    const rattle__solving *solving, rattle_error *error) {
  if (!rattle__is_automatic(solving))
    return rattle__fail(
        error, RATTLE_UNSUITABLE, solving->name,
        "solver=%s does not know constraints on velocities, whose equations are dense: omit it",
        solving->name);
  const rattle__base *base = rattle__base_of(inside->row);
  rattle__scheme scheme;
  if (base && base->scheme) base->scheme(inside, &scheme);
  const rattle_status status = context->compile(map, context, inside, error);
  const rattle__scheme *own = base && base->scheme ? &scheme : NULL;
  return status ? status
                : rattle__rolling_create(map, context, *map, own, projection, solving->tol, error);
}

/* True if natural_small.c takes the steps of that scheme with forces that are no gradient:
 * verlet(a). */
static int is_pushed(const rattle__context *context, const rattle__base *base,
                     const rattle__node *inside, const rattle__solving *solving) {
  rattle__scheme scheme;
  if (!base || !base->scheme || context->carry || context->asked.tangents ||
      !rattle__is_automatic(solving))
    return 0;
  base->scheme(inside, &scheme);
  return scheme.d2 == 0 && scheme.k1 != 0 && scheme.k1 == scheme.k2 &&
         rattle__fused_is_pushed(context->problem);
}

/* True if natural_tree.c may take the steps of that map with forces that are no gradient; *part:
 * where on the way they act. */
static int is_pushed_along_tree(const rattle__context *context, const rattle__base *base,
                                const rattle__node *inside, const rattle__solving *solving,
                                double *part) {
  const rattle_problem *problem = context->problem;
  rattle__scheme scheme = {0};
  rattle__tableau tableau = {0};
  if (!base || context->carry || context->asked.tangents || !rattle__is_automatic(solving) ||
      !problem->force || !problem->account || !problem->inertia ||
      !(problem->flags & RATTLE_HOLONOMIC))
    return 0;
  if (base->scheme) base->scheme(inside, &scheme);
  if (base->tableau) base->tableau(inside, &tableau);
  *part = base->scheme ? 0 : tableau.a[0][0];
  if (base->scheme) return scheme.d2 == 0 && scheme.k1 == 0.5 && scheme.k2 == 0.5;
  return tableau.stages == 1 && tableau.a[0][0] == 0.5 && tableau.ahat[0][0] == 0.5;
}

/* `fallback` is the step by fibres. */
static rattle_status create_pushed(rattle__map **map, rattle__context *context,
                                   const rattle__base *base, const rattle__node *inside,
                                   rattle__projection projection, rattle_error *error) {
  rattle__scheme scheme;
  base->scheme(inside, &scheme);
  return rattle__fused_create_pushed(map, context, &scheme, projection, *map, error);
}

rattle_status rattle__along_fibres_create(rattle__map **map, rattle__context *context,
                                          const rattle__node *node, rattle__projection projection,
                                          rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__node *inside = rattle__method_inside(node);
  const rattle__base *base = rattle__base_of(inside->row);
  const rattle__solving solving = rattle__method_solving(node);
  if (problem->split) return rattle__refuse_second_class(problem, node->row->name, error);
  if (problem->velocity) return create_rolling(map, context, inside, projection, &solving, error);
  rattle__scheme kicks;
  if (rattle__kicks_and_drifts(problem) && rattle__kicks_of(inside, problem, &kicks) &&
      !(solving.solver->sweeps && rattle__constraints_move(problem)))
    return create_natural(map, context, inside, projection, &solving, error);
  if (solving.solver->sweeps) return refuse_sweeps(context, solving.name, error);
  rattle__fibre *fibre = NULL;
  rattle_status status = rattle__fibre_create(&fibre, context, error);
  if (!status) status = create_general(map, context, inside, fibre, &solving, error);
  if (!status) status = rattle__projected_create(map, context, *map, fibre, projection, error);
  if (!status && projection == RATTLE__PROJECT_STEP && rattle__is_automatic(&solving) && base &&
      base->tableau) {
    rattle__tableau tableau;
    base->tableau(inside, &tableau);
    status = rattle__stages_create(map, context, &tableau, error);
  }
  if (status) return status;
  if (is_pushed(context, base, inside, &solving))
    return create_pushed(map, context, base, inside, projection, error);
  double part;
  return is_pushed_along_tree(context, base, inside, &solving, &part)
             ? rattle__natural_tree_create_pushed(map, context, part, projection, error)
             : RATTLE_OK;
}
