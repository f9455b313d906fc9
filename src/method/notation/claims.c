/* The claims of an expression, derived from the table and the rules of the wrappers, and which
 * expressions are not valid.
 *
 *   phi(field)        as phi, symplectic if the field is Hamiltonian
 *   wrapper(phi)      by the rule in the wrapper's file
 *   composition(phi)  order max(r, its own) for a symmetric phi of order r; the rest as phi
 *   sampler(phi)      those of its row, of its stationary measure (row.h)
 *   tol=              of a wrapper, solves to a tolerance: no claim to round-off is left; of a base
 *   map and
 *                     of rattle_monolithic, divides the step, which is neither symmetric nor
 *                     symplectic then
 *   compensated       declares extra state: no longer pure; so does quad */
#include "method/notation/row.h"

#include <stdio.h>
#include <string.h>

/* More stages than any method of use has; keeps counts and scratch small. */
enum { MAX_STAGES = 100000 };

static const rattle__node *inside(const rattle__node *node) {
  return rattle__method_inside(node);
}

static int adapts(const rattle__node *node) {
  return node->kind == RATTLE__WRAPPER && rattle__wrapper_of(node->row)->adapts;
}

static rattle_claims base(const rattle__node *node) {
  const rattle__base *own = rattle__base_of(node->row);
  const rattle__node *field = rattle__method_field(node);
  rattle_claims claims = node->given ? node->found : node->row->claims;
  if (own->order) claims.order = own->order(node);
  if (rattle__option_effect(node, RATTLE_DIVIDES) > 0)
    claims.symmetric = claims.symplectic = 0; /* as errors ask */
  claims.pure &= !rattle__remembers(node);
  if (!field) return claims;
  claims.symplectic &= field->row->claims.symplectic;
  if (own->scheme)
    claims.explicit_ = 0; /* kicks and drifts are explicit for separable H, not for other fields */
  return claims;
}

static rattle_claims composition(const rattle__node *node, rattle_claims claims) {
  const rattle__composition *own = rattle__composition_of(node->row);
  const int order = own->order ? own->order(node) : node->row->claims.order;
  claims.stages *= own->count ? own->count(node, claims.order) : own->stages;
  if (claims.order < order) claims.order = order;
  return claims;
}

static rattle_claims sampler(const rattle__node *node) {
  const rattle__sampler *own = rattle__sampler_of(node->row);
  rattle_claims claims = node->row->claims;
  if (own->adjust) own->adjust(node, &claims);
  if (inside(node)) claims.stages *= rattle__method_structure(inside(node)).stages;
  return claims;
}

rattle_claims rattle__method_structure(const rattle__node *node) {
  if (node->kind == RATTLE__SAMPLER) return sampler(node);
  if (!inside(node)) return base(node);
  rattle_claims claims = rattle__method_structure(inside(node));
  if (node->kind != RATTLE__WRAPPER) return composition(node, claims);
  claims.proved &= rattle__wrapper_of(node->row)->care == RATTLE__SLIDES;
  return rattle__wrapper_of(node->row)->claims(node, claims);
}

rattle_claims rattle__method_claims(const rattle__node *node) {
  if (rattle__method_unresolved(node)) return (rattle_claims){.stages = 1};
  rattle_claims claims = rattle__method_structure(node);
  if (node->compensated || node->quad) claims.pure = claims.proved = 0;
  claims.proved &= rattle__method_projects(node);
  for (const rattle__node *at = node; at; at = inside(at))
    if (rattle__option_effect(at, RATTLE_LOOSENS) > 0)
      claims.symmetric = claims.symplectic = claims.keeps_g = claims.keeps_psi =
          claims.keeps_energy = 0;
  return claims;
}

int rattle__method_projects(const rattle__node *node) {
  for (; node; node = inside(node))
    if (node->kind == RATTLE__CONSTRAINED ||
        (node->kind == RATTLE__WRAPPER && rattle__wrapper_of(node->row)->care != RATTLE__IGNORES))
      return 1;
  return 0;
}

const rattle__node *rattle__method_past(const rattle__node *node) {
  for (; inside(node); node = inside(node))
    if (adapts(node)) return node;
  return node->row->claims.pure && !rattle__remembers(node) ? NULL : node;
}

int rattle__takes_one_step_map(const rattle__node *node, rattle__text *reason) {
  const rattle__node *past = rattle__method_past(inside(node));
  if (!past) return 1;
  if (adapts(past))
    rattle__put(reason,
                "%s needs a one-step map, and %s chooses its steps: write %s outside, as in "
                "%s(kahan_li8(rattle(verlet)))",
                node->row->name, past->row->name, past->row->name, past->row->name);
  else if (rattle__remembers(past))
    rattle__put(reason, "%s needs a one-step map, and guess=past of %s uses past points: omit it",
                node->row->name, past->row->name);
  else
    rattle__put(reason,
                "%s needs a one-step map, and %s uses past points: use another map such as verlet",
                node->row->name, past->row->name);
  return 0;
}

int rattle__takes_free_map(const rattle__node *node, rattle__text *reason) {
  if (!rattle__method_projects(inside(node))) return 1;
  rattle__put(reason, "%s needs a map without constraints, and ", node->row->name);
  rattle__put_node(reason, inside(node));
  rattle__put(reason, " satisfies them already: omit one of them");
  return 0;
}

/* The map to compose in place of one that is not symmetric. */
static const char *remedy(const rattle__node *node, const rattle_claims *inner) {
  const rattle__node *at = inside(node);
  if (at->kind == RATTLE__WRAPPER && rattle__wrapper_of(at->row)->symmetric_form)
    return rattle__wrapper_of(at->row)->symmetric_form;
  return inner->keeps_g ? "compose rattle of a symmetric map, such as rattle(verlet)"
                        : "use a symmetric map, such as verlet or midpoint";
}

static int sensible_composition(const rattle__node *node, rattle__text *reason, int *blame) {
  const rattle__composition *own = rattle__composition_of(node->row);
  const char *name = node->row->name;
  if (!rattle__takes_one_step_map(node, reason)) return 0;
  if (rattle__method_unresolved(node)) return 1; /* not known yet */
  const rattle_claims inner = rattle__method_structure(inside(node));
  if (!inner.symmetric) {
    rattle__put(reason, "%s raises the order of a symmetric map, and ", name);
    rattle__put_node(reason, inside(node));
    rattle__put(reason, " is not symmetric: %s", remedy(node, &inner));
    return 0;
  }
  if (own->sensible && !own->sensible(node, &inner, reason, blame)) return 0;
  const int stages = rattle__method_structure(node).stages;
  if (stages <= MAX_STAGES) return 1;
  rattle__put(reason,
              "%s has %d stages per step, and at most %d are allowed: nest fewer compositions",
              name, stages, MAX_STAGES);
  return 0;
}

/* The steps of a transition must be the same map there and back, and keep volumes and the
 * constraints. */
static int sensible_sampler(const rattle__node *node, rattle__text *reason) {
  const rattle__sampler *own = rattle__sampler_of(node->row);
  const char *name = node->row->name;
  if (node->compensated || node->quad) {
    rattle__put(reason, "%s takes no `%s`, which is for maps that make trajectories: omit it", name,
                node->quad ? "quad" : "compensated");
    return 0;
  }
  const rattle__node *map = inside(node);
  if (map && !rattle__takes_one_step_map(node, reason)) return 0;
  if (map && !rattle__method_unresolved(node)) {
    const rattle_claims inner = rattle__method_claims(map);
    if (!inner.symmetric || !inner.symplectic || !inner.pure) {
      rattle__put(
          reason,
          "%s needs a map that is symmetric, symplectic and a function of the point alone, and ",
          name);
      rattle__put_node(reason, map);
      rattle__put(reason, " is not: use rattle(verlet), or a composition of it");
      return 0;
    }
  }
  return !own->sensible || own->sensible(node, reason);
}

int rattle__method_sensible(const rattle__node *node, char *reason, size_t size, int *blame) {
  rattle__text text = {reason, size};
  *blame = 0;
  if (node->kind == RATTLE__COMPOSITION) return sensible_composition(node, &text, blame);
  if (node->kind == RATTLE__SAMPLER) return sensible_sampler(node, &text);
  return node->kind != RATTLE__WRAPPER ||
         rattle__wrapper_of(node->row)->sensible(node, &text, blame);
}
