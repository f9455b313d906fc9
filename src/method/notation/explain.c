/* An expression explained in sentences: its action, its claims with reasons, its needs, the cost of
 * a step, and the sources of its parts. All of it is read from the tree, the table and the
 * claims. */
#include "method/notation/row.h"

#include <string.h>

static const rattle__node *inside(const rattle__node *node) {
  return rattle__method_inside(node);
}

static const rattle__wrapper *wrapper_of(const rattle__node *node) {
  return node->kind == RATTLE__WRAPPER ? rattle__wrapper_of(node->row) : NULL;
}

static int adapts(const rattle__node *node) {
  return wrapper_of(node) && wrapper_of(node)->adapts;
}

/* True if the row of `node` occurs further out than `node`: it is explained once. */
static int occurs_before(const rattle__node *root, const rattle__node *node) {
  for (const rattle__node *at = root; at != node; at = inside(at))
    if (at->row == node->row) return 1;
  return 0;
}

static void put_solving(rattle__text *out, const rattle__node *node) {
  const rattle_method_row *solver = rattle__option_solver(node);
  const double tol = rattle__option_effect(node, RATTLE_LOOSENS);
  if (!solver) return;
  rattle__put(out, "  multipliers by %s: %s", solver->name, solver->text);
  rattle__put(out, tol > 0 ? ", to a tolerance of " : ", to round-off");
  if (tol > 0) rattle__put_number(out, tol);
  rattle__put(out, ".\n");
}

static void put_parts(rattle__text *out, const rattle__node *root) {
  for (const rattle__node *at = root; at; at = inside(at))
    if (!occurs_before(root, at)) rattle__put(out, "  %s: %s.\n", at->row->name, at->row->text);
  const rattle__node *field = rattle__method_field_below(root);
  if (field) rattle__put(out, "  %s: %s.\n", field->row->name, field->row->text);
  for (const rattle__node *at = root; at; at = inside(at)) {
    if (wrapper_of(at) && wrapper_of(at)->explain_action) wrapper_of(at)->explain_action(out, at);
    put_solving(out, at);
  }
}

/* The rest of the sentence on the order of a composition. */
static void put_order_of_composition(rattle__text *out, const rattle_claims *mine,
                                     const rattle_claims *inner) {
  if (mine->order == inner->order)
    rattle__put(out, ", the order of the map inside, at %d times the cost.\n",
                mine->stages / inner->stages);
  else
    rattle__put(out, ", from %d applications of a symmetric map of order %d.\n",
                mine->stages / inner->stages, inner->order);
}

static void put_order_of_base(rattle__text *out, const rattle__node *node, int order) {
  if (node->given)
    rattle__put(out, ", with %d stage%s", node->given_stages, node->given_stages == 1 ? "" : "s");
  if (node->given && node->fails[0])
    rattle__put(out, "; first failing condition of order %d: %s", order + 1, node->fails);
  rattle__put(out, ".\n");
}

static void put_stationary(rattle__text *out, int order) {
  if (order >= RATTLE_ORDER_EXACT)
    rattle__put(out, ": the measure that it samples is exact, for any step.\n");
  else
    rattle__put(out, ": the measure that it samples has an error of order %d in the step.\n",
                order);
}

/* One sentence for each map, from the innermost out: its order, and why. */
static void put_order(rattle__text *out, const rattle__node *node) {
  const rattle__node *inner = inside(node);
  if (rattle__method_unresolved(node)) {
    rattle__put(out, "  ");
    rattle__put_node(out, node);
    rattle__put(out, ": follows from the coefficients of the model.\n");
    return;
  }
  if (inner) put_order(out, inner);
  const rattle__node plain = rattle__method_plain(node);
  const rattle_claims mine = rattle__method_claims(&plain);
  rattle__put(out, "  ");
  rattle__put_node(out, &plain);
  if (node->kind == RATTLE__SAMPLER) {
    put_stationary(out, mine.order);
    return;
  }
  if (mine.order >= RATTLE_ORDER_EXACT)
    rattle__put(out, ": exact");
  else
    rattle__put(out, ": order %d", mine.order);
  if (!inner) {
    put_order_of_base(out, node, mine.order);
    return;
  }
  const rattle_claims claims = rattle__method_claims(inner);
  if (!wrapper_of(node))
    put_order_of_composition(out, &mine, &claims);
  else if (wrapper_of(node)->explain_order)
    wrapper_of(node)->explain_order(out, node, &mine, &claims);
  else
    rattle__put(out, ".\n");
}

static void put_list(rattle__text *out, int yes, const char *name, int *count) {
  if (yes) rattle__put(out, "%s%s", (*count)++ ? ", " : "  ", name);
}

static void put_claims(rattle__text *out, const rattle__node *root) {
  const rattle_claims claims = rattle__method_claims(root);
  const int projects = rattle__method_projects(root);
  int count = 0, loose = 0, divided = 0;
  if (rattle__method_unresolved(root)) {
    rattle__put(
        out,
        "  those of the coefficients of the model: see `rattle methods EXPR --model MODEL.lua`.\n");
    return;
  }
  for (const rattle__node *at = root; at; at = inside(at)) {
    loose |= !wrapper_of(at) && rattle__option_effect(at, RATTLE_LOOSENS) > 0;
    divided |= rattle__option_effect(at, RATTLE_DIVIDES) > 0;
  }
  put_list(out, claims.symmetric,
           root->kind == RATTLE__SAMPLER ? "detailed balance, up to the sign of the momenta"
                                         : "symmetric",
           &count);
  put_list(out, claims.symplectic, "symplectic", &count);
  put_list(out, claims.keeps_g, "g = 0 to round-off", &count);
  put_list(out, claims.keeps_psi, "psi = 0 to round-off", &count);
  put_list(out, claims.keeps_energy, "H conserved to round-off", &count);
  put_list(out, claims.proved, "steps can be proved", &count);
  put_list(out, claims.explicit_,
           projects ? "explicit except for the multipliers if H is separable"
                    : "explicit if H is separable",
           &count);
  if (root->kind == RATTLE__SAMPLER)
    put_list(out, 1, "a transition is a function of q, p, h and its random numbers alone", &count);
  else
    put_list(out, claims.pure, "a step is a function of t, h, q and p alone", &count);
  const int past = !claims.pure && ((!root->compensated && !root->quad) || adapts(root));
  rattle__put(out, count ? ".\n" : "  only the order.\n");
  if (past)
    rattle__put(out, "  a step also depends on previous steps, through state that a record stores "
                     "and that starts anew with each run.\n");
  if (loose) rattle__explain_loose(out);
  if (divided)
    rattle__put(out, "  tol= divides steps, so the method is neither symmetric nor symplectic; the "
                     "order is that of undivided steps.\n");
  for (const rattle__node *at = root; at; at = inside(at))
    if (wrapper_of(at) && wrapper_of(at)->explain_claims) wrapper_of(at)->explain_claims(out, at);
  if (root->compensated)
    rattle__put(out, "  compensated: rounding errors of q and p are carried along, as state that a "
                     "record stores.\n");
  if (root->quad)
    rattle__put(out, "  quad: steps have 113 bits; the digits of q and p beyond a double are state "
                     "that a record stores.\n");
}

void rattle__explain_loose(rattle__text *out) {
  rattle__put(out, "  tol= drops claims that hold to round-off only: symmetric, symplectic, g = 0, "
                   "psi = 0; the order holds down "
                   "to the tolerance.\n");
}

static void put_need(rattle__text *out, const rattle_method_row *row, int *count) {
  if (row && row->needs[0])
    rattle__put(out, "%s%s (for %s)", (*count)++ ? ", " : "  ", row->needs, row->name);
}

static void put_needs(rattle__text *out, const rattle__node *root) {
  int count = 0, slides = 0;
  for (const rattle__node *at = root; at; at = inside(at)) {
    put_need(out, at->row, &count);
    put_need(out, rattle__option_solver(at), &count);
    slides |= at->kind == RATTLE__CONSTRAINED ||
              (wrapper_of(at) && wrapper_of(at)->care == RATTLE__SLIDES);
  }
  const rattle__node *field = rattle__method_field_below(root);
  if (field) put_need(out, field->row, &count);
  if (slides)
    rattle__put(out, "%sregular constraints in involution ({g_i,g_j} = 0 on g = 0)",
                count++ ? ", " : "  ");
  rattle__put(out, count ? ".\n" : "  nothing.\n");
}

void rattle__explain_solves(rattle__text *out, int applications, int hidden) {
  rattle__put(out, "; %d solve%s for the multipliers of g = 0", applications,
              applications == 1 ? "" : "s");
  if (hidden) rattle__put(out, " and %d for those of psi = 0", applications);
}

/* From the innermost wrapper out, each with how often it is applied a step. */
static void put_cost_of_wrappers(rattle__text *out, const rattle__node *node, int applications) {
  const rattle__node *inner = inside(node);
  if (!inner) return;
  const int stages = rattle__method_claims(node).stages / rattle__method_claims(inner).stages;
  put_cost_of_wrappers(out, inner, applications * stages);
  if (wrapper_of(node) && wrapper_of(node)->explain_cost)
    wrapper_of(node)->explain_cost(out, node, applications);
}

static void put_cost_of_sampler(rattle__text *out, const rattle__node *root, int stages) {
  if (inside(root) && !stages)
    rattle__put(
        out, "  a transition applies the base map as often as the length of its path needs, and as "
             "often on the way back.\n");
  else if (inside(root))
    rattle__put(
        out,
        "  a transition applies the base map at most %d time%s, and as often on the way back.\n",
        stages, stages == 1 ? "" : "s");
  else
    rattle__put(out, "  a transition is one step.\n");
}

static void put_cost(rattle__text *out, const rattle__node *root) {
  const rattle_claims claims = rattle__method_claims(root);
  const rattle__node *base = root;
  if (rattle__method_unresolved(root)) {
    rattle__put(out, "  depends on the coefficients of the model.\n");
    return;
  }
  if (root->kind == RATTLE__SAMPLER) {
    put_cost_of_sampler(out, root, claims.stages);
    return;
  }
  while (inside(base)) base = inside(base);
  const int constrained = base->kind == RATTLE__CONSTRAINED;
  if (constrained && claims.explicit_)
    rattle__put(out, "  %d evaluation%s of the force", claims.stages,
                claims.stages == 1 ? "" : "s");
  else
    rattle__put(out, "  %d application%s of %s", claims.stages, claims.stages == 1 ? "" : "s",
                base->row->name);
  if (!claims.explicit_) rattle__put(out, ", each a system of nonlinear equations");
  if (!claims.explicit_ && constrained)
    rattle__put(out, " for the motion and its multipliers together");
  if (claims.explicit_ && constrained)
    rattle__explain_solves(out, claims.stages, base->row->claims.keeps_psi);
  put_cost_of_wrappers(out, root, 1);
  rattle__put(out, ".\n");
}

static void put_sources(rattle__text *out, const rattle__node *root) {
  for (const rattle__node *at = root; at; at = inside(at)) {
    const rattle_method_row *solver = rattle__option_solver(at);
    if (!occurs_before(root, at)) rattle__put(out, "  %s: %s.\n", at->row->name, at->row->citation);
    if (solver && solver->citation[0])
      rattle__put(out, "  %s: %s.\n", solver->name, solver->citation);
  }
  const rattle__node *field = rattle__method_field_below(root);
  if (field) rattle__put(out, "  %s: %s.\n", field->row->name, field->row->citation);
}

char *rattle_method_explain(const rattle_method *method, char *buffer, size_t size) {
  if (!size) return buffer;
  const rattle__node *root = rattle__method_root(method);
  rattle__text out = {buffer, size};
  rattle__put(&out, "%s\n\nWhat it does\n", rattle_method_text(method));
  put_parts(&out, root);
  rattle__put(&out, "\nFormula\n");
  rattle__put_formulas(&out, root, "  ");
  rattle__put(&out, "\nOrder\n");
  put_order(&out, root);
  rattle__put(&out, "\nClaims\n");
  put_claims(&out, root);
  rattle__put(&out, "\nNeeds\n");
  put_needs(&out, root);
  rattle__put(&out, "\nCost per step\n");
  put_cost(&out, root);
  rattle__put(&out, "\nSources\n");
  put_sources(&out, root);
  return buffer;
}
