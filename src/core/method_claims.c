/* What an expression promises, derived from the table by the rules of the wrappers, and which expressions make no sense.
 *
 *   phi(field)        as phi, symplectic where the field is Hamiltonian
 *   shake(phi)        order 1 in (q, p), whatever phi; keeps g; never symmetric
 *                     (its fibres move with order 2 if phi is symmetric)
 *   rattle(phi)       order min(2, r) for a symmetric phi of order r, else 1; symmetric and symplectic as phi; keeps g and psi
 *   second_class(phi) as rattle, never explicit
 *   project(phi)      order r for a phi of order r with a field that knows the constraints; for X_H order 1, and min(2, r) where
 *                     both the map and the projection are symmetric; never symplectic; keeps what it projects onto at each step
 *   adaptive(phi)     as phi, at the time that is told; never symplectic nor pure: the density of steps is state, too
 *   composition(phi)  order max(r, its own) for a symmetric phi of order r; the rest as phi
 *   tol=              of a wrapper, solves to a tolerance: no claim to round-off is left; of a base map and
 *                     of rattle_monolithic, divides the step, which is neither symmetric nor symplectic then
 *   compensated       declares extra state: no longer pure; so do quad and every= */
#include "core/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More stages than any method of use has; keeps counts and scratch small. */
enum { MAX_STAGES = 100000 };

static const rattle__node *inside(const rattle__node *node) {
  return rattle__method_inside(node);
}

static int is_triple_jump(const rattle__node *node) {
  return node->id == RATTLE__METHOD_triple_jump;
}

/* The wrapper that knows no constraints: it only chooses steps. */
static int is_adaptive(const rattle__node *node) {
  return node->id == RATTLE__METHOD_adaptive;
}

/* The order of a base map, which may be that of its first argument. */
static int order_of(const rattle__node *node) {
  const int number = isnan(node->argument[0].number) ? 0 : (int)node->argument[0].number;
  switch (node->id) {
  case RATTLE__METHOD_gauss:
    return 2 * number;
  case RATTLE__METHOD_spark:
    return 2 * number - 2;
  case RATTLE__METHOD_taylor:
  case RATTLE__METHOD_adams_bashforth:
    return number;
  case RATTLE__METHOD_adams_moulton:
    return number + 1;
  default:
    return rattle__method_row(node->id)->claims.order;
  }
}

int rattle__method_divides(const rattle__node *node) {
  return node->tol > 0 && (node->kind == RATTLE__BASE || node->id == RATTLE__METHOD_rattle_monolithic);
}

static rattle_claims base(const rattle__node *node) {
  rattle_claims claims = rattle__method_row(node->id)->claims;
  const rattle__node *field = rattle__method_field(node);
  claims.order = order_of(node);
  if (node->given) claims = node->found;
  if (rattle__method_divides(node)) claims.symmetric = claims.symplectic = 0; /* as errors ask */
  if (!field) return claims;
  claims.symplectic &= rattle__method_row(field->id)->claims.symplectic;
  claims.explicit_ &= claims.stages > 0 && !claims.symmetric; /* what is explicit for separable H is not for other fields */
  return claims;
}

rattle__projections rattle__method_projections(const rattle__node *node) {
  const char *onto = node->argument[1].word;
  return (rattle__projections){.positions = strcmp(onto, "momentum") != 0,
                               .momenta = strcmp(onto, "position") != 0,
                               .symmetric = !strcmp(onto, "symmetric"),
                               .always = !node->project_output && node->every <= 1 && node->tol == 0};
}

static rattle_claims project(const rattle__node *node, rattle_claims claims) {
  const rattle__projections wanted = rattle__method_projections(node);
  claims.symmetric &= wanted.symmetric;
  if (!rattle__method_field_below(node)) claims.order = claims.symmetric && claims.order > 1 ? 2 : 1;
  claims.symplectic = claims.keeps_energy = 0;
  claims.keeps_g = wanted.positions && wanted.always;
  claims.keeps_psi = wanted.momenta && wanted.always;
  claims.pure &= node->every <= 1;
  return claims;
}

static rattle_claims wrapper(const rattle__node *node, rattle_claims claims) {
  if (node->id == RATTLE__METHOD_project) return project(node, claims);
  if (is_adaptive(node)) {
    claims.symplectic = claims.pure = 0;
    return claims;
  }
  const rattle_claims *row = &rattle__method_row(node->id)->claims;
  /* row->keeps_psi tells maps of the hidden manifold into itself from shake, which leaves it */
  claims.order = row->keeps_psi && claims.symmetric ? (claims.order < 2 ? claims.order : 2) : 1;
  claims.symmetric &= row->keeps_psi;
  claims.symplectic &= row->keeps_psi;
  claims.keeps_g = row->keeps_g;
  claims.keeps_psi = row->keeps_psi && !node->project_output;
  claims.keeps_energy = 0;
  if (node->id == RATTLE__METHOD_second_class) claims.explicit_ = 0; /* its Hamiltonian is never separable */
  return claims;
}

static rattle_claims composition(const rattle__node *node, rattle_claims claims) {
  const rattle_claims *row = &rattle__method_row(node->id)->claims;
  const int order = is_triple_jump(node) ? (int)node->argument[1].number : row->order;
  const int stages = is_triple_jump(node) ? rattle__triple_jump_stages(claims.order, order) : row->stages;
  claims.stages *= stages;
  if (claims.order < order) claims.order = order;
  return claims;
}

/* The claims but for tol=, compensated and quad, which say how well and how a map is computed, not which map it is. */
static rattle_claims structure(const rattle__node *node) {
  if (!inside(node)) return base(node);
  const rattle_claims claims = structure(inside(node));
  return node->kind == RATTLE__WRAPPER ? wrapper(node, claims) : composition(node, claims);
}

rattle_claims rattle__method_claims(const rattle__node *node) {
  if (rattle__method_unresolved(node)) return (rattle_claims){.stages = 1};
  rattle_claims claims = structure(node);
  if (node->compensated || node->quad) claims.pure = 0;
  for (const rattle__node *at = node; at; at = inside(at))
    if (at->tol > 0 && !rattle__method_divides(at))
      claims.symmetric = claims.symplectic = claims.keeps_g = claims.keeps_psi = claims.keeps_energy = 0;
  return claims;
}

int rattle__method_projects(const rattle__node *node) {
  for (; node; node = inside(node))
    if ((node->kind == RATTLE__WRAPPER && !is_adaptive(node)) || node->kind == RATTLE__CONSTRAINED) return 1;
  return 0;
}

/* The map that remembers what was before: adaptive, or the one at the bottom; else NULL. */
static const rattle__node *with_past(const rattle__node *node) {
  for (; inside(node); node = inside(node))
    if (is_adaptive(node)) return node;
  return rattle__method_row(node->id)->claims.pure ? NULL : node;
}

/* X_H moves as if there were no constraints: only the projection of momenta at each step makes the motion. */
static int sensible_project(const rattle__node *node, rattle__text *reason, int *blame) {
  const rattle__projections wanted = rattle__method_projections(node);
  const char *bad = !wanted.momenta ? "projects positions alone" : node->project_output ? "projects only what is put out" : NULL;
  if (!rattle__method_field_below(node) && bad) {
    *blame = wanted.momenta ? 2 : 1;
    rattle__put_node(reason, inside(node));
    rattle__put(reason,
                " knows nothing of the constraints' forces, and this %s: give it a field, as in project(rk4(dirac)), or "
                "project momenta at each step",
                bad);
    return 0;
  }
  const char *option = wanted.always ? NULL : node->project_output ? "project=output" : node->every > 1 ? "every=" : "tol=";
  if (wanted.symmetric && option) {
    *blame = node->project_output ? 2 : node->every > 1 ? 4 : 3;
    rattle__put(reason, "a symmetric projection is part of each step: leave out %s", option);
    return 0;
  }
  const rattle__node *field = rattle__method_field_below(node);
  if (with_past(node) && field && field->id == RATTLE__METHOD_impetus && wanted.momenta && !node->project_output) {
    rattle__put(reason,
                "momenta that are projected are impetuses reset, and the slopes that %s remembers are those of before: "
                "project what is put out, or take a one-step map such as rk4(impetus)",
                rattle__method_name(with_past(node)->id));
    return 0;
  }
  if (node->project_output && node->every > 1) {
    *blame = 4;
    rattle__put(reason, "with project=output no step is projected, and every= counts steps: leave out one of the two");
    return 0;
  }
  return 1;
}

/* Whoever applies a map more than once a step, or from a point of its own, needs one that is a function of that point alone. */
static int takes_one_step_maps(const rattle__node *node, rattle__text *reason) {
  const rattle__node *past = with_past(inside(node));
  const int project = node->id == RATTLE__METHOD_project && past && !rattle__method_projections(node).symmetric;
  if (past && is_adaptive(past)) {
    rattle__put(reason,
                "%s takes a map of one step, and adaptive chooses its steps: write adaptive outside, as in "
                "adaptive(kahan_li8(rattle(verlet)))",
                rattle__method_name(node->id));
    return 0;
  }
  if (!past || (project && rattle__method_row(past->id)->parameter[1].type == RATTLE_TAKES_FIELD)) return 1;
  rattle__put(reason, "%s takes a map of one step, and %s remembers its past: take another such as verlet",
              rattle__method_name(node->id), rattle__method_name(past->id));
  return 0;
}

/* Steps are chosen for a symmetric map whose points are those that are put out. */
static int sensible_adaptive(const rattle__node *node, rattle__text *reason) {
  if (!takes_one_step_maps(node, reason)) return 0;
  for (const rattle__node *at = inside(node); at; at = inside(at)) {
    const char *bad = at->project_output ? "project=output" : at->tol > 0 && !inside(at) ? "tol=" : NULL;
    if (!bad) continue;
    rattle__put(reason, "adaptive chooses each step by the point where it begins: leave out %s of %s", bad,
                rattle__method_name(at->id));
    return 0;
  }
  if (rattle__method_unresolved(node) || structure(inside(node)).symmetric) return 1; /* or not known yet */
  rattle__put(reason, "adaptive keeps steps reversible, and ");
  rattle__put_node(reason, inside(node));
  rattle__put(reason, " is not symmetric: take a symmetric map, such as %s",
              rattle__method_projects(inside(node)) ? "rattle(verlet)" : "verlet");
  return 0;
}

static int sensible_wrapper(const rattle__node *node, rattle__text *reason, int *blame) {
  if (is_adaptive(node)) return sensible_adaptive(node, reason);
  const rattle__node *field = node->id == RATTLE__METHOD_project ? NULL : rattle__method_field_below(node);
  if (inside(node)->kind != RATTLE__CONSTRAINED && !takes_one_step_maps(node, reason)) return 0;
  if (node->id != RATTLE__METHOD_project && inside(node)->kind == RATTLE__BASE && inside(node)->tol > 0) {
    rattle__put(reason, "%s takes a map of one step, and ", rattle__method_name(node->id));
    rattle__put_node(reason, inside(node));
    rattle__put(reason, " divides it: leave out its tol=");
    return 0;
  }
  if (field) {
    rattle__put(reason, "%s slides along fibres after a map of X_H, and ", rattle__method_name(node->id));
    rattle__put_node(reason, inside(node));
    rattle__put(reason, " integrates %s: leave out one of the two", rattle__method_name(field->id));
    return 0;
  }
  if (!rattle__method_projects(inside(node)))
    return node->id == RATTLE__METHOD_project ? sensible_project(node, reason, blame) : 1;
  rattle__put(reason, "%s takes a map that knows no constraints, and ", rattle__method_name(node->id));
  rattle__put_node(reason, inside(node));
  rattle__put(reason, " keeps them already: leave out one of the two");
  return 0;
}

static int sensible_composition(const rattle__node *node, rattle__text *reason, int *blame) {
  const char *name = rattle__method_name(node->id);
  const rattle_claims inner = structure(inside(node));
  if (!takes_one_step_maps(node, reason)) return 0;
  if (rattle__method_unresolved(node)) return 1; /* not known yet */
  if (!inner.symmetric) {
    rattle__put(reason, "%s raises the order of a symmetric map, and ", name);
    rattle__put_node(reason, inside(node));
    rattle__put(reason, " is not symmetric: %s",
                inside(node)->id == RATTLE__METHOD_project ? "compose project(..., symmetric) of a symmetric map"
                : inner.keeps_g                            ? "compose rattle of a symmetric map, such as rattle(verlet)"
                                                           : "take a symmetric map, such as verlet or midpoint");
    return 0;
  }
  if (is_triple_jump(node)) {
    const int order = (int)node->argument[1].number;
    if (inner.order >= RATTLE_ORDER_EXACT) {
      *blame = 0;
      rattle__put(reason, "the map inside is exact already");
      return 0;
    }
    if (order % 2 || order <= inner.order) {
      *blame = 1;
      rattle__put(reason, "order must be even and greater than %d, the order of the map inside, and is %d", inner.order, order);
      return 0;
    }
  }
  if (structure(node).stages > MAX_STAGES) {
    rattle__put(reason, "%s would make %d stages a step, and at most %d are allowed: nest fewer compositions", name,
                structure(node).stages, MAX_STAGES);
    return 0;
  }
  return 1;
}

int rattle__method_sensible(const rattle__node *node, char *reason, size_t size, int *blame) {
  rattle__text text = {reason, size};
  *blame = 0;
  if (node->kind == RATTLE__WRAPPER) return sensible_wrapper(node, &text, blame);
  if (node->kind == RATTLE__COMPOSITION) return sensible_composition(node, &text, blame);
  return 1;
}
