/* An expression in sentences for people: what it does, what it promises and why, what it needs, what a step costs, and where
 * its parts come from. All of it is read from the tree, the table and the claims. */
#include "core/method.h"

#include <string.h>

static const rattle__node *inside(const rattle__node *node) {
  return rattle__method_inside(node);
}

/* Whether the row of `node` occurs further out than `node`, so that it is told once. */
static int told(const rattle__node *root, const rattle__node *node) {
  for (const rattle__node *at = root; at != node; at = inside(at))
    if (at->id == node->id) return 1;
  return 0;
}

/* Whether solver= may be said of the node. */
static int takes_solver(const rattle__node *node) {
  for (const rattle_method_parameter *p = rattle__method_row(node->id)->parameter; p->name; p++)
    if (p->type == RATTLE_TAKES_SOLVER) return 1;
  return 0;
}

static int is_adaptive(const rattle__node *node) {
  return node->id == RATTLE__METHOD_adaptive;
}

static int is_project(const rattle__node *node) {
  return node->id == RATTLE__METHOD_project;
}

/* What is projected, and when. */
static void put_projections(rattle__text *out, const rattle__node *node) {
  const rattle__projections wanted = rattle__method_projections(node);
  const char *what = !wanted.momenta ? "positions" : !wanted.positions ? "momenta" : "positions and momenta";
  rattle__put(out, "  projects %s ", what);
  if (node->project_output)
    rattle__put(out, "where a point is put out");
  else if (node->every > 1)
    rattle__put(out, "every %lld steps", node->every);
  else
    rattle__put(out, "at each step");
  if (node->tol > 0) {
    rattle__put(out, ", if %s is above ", !wanted.momenta ? "|g|" : !wanted.positions ? "|psi|" : "|g| or |psi|");
    rattle__put_number(out, node->tol);
  }
  rattle__put(out, ".\n");
}

static void put_parts(rattle__text *out, const rattle__node *root) {
  for (const rattle__node *at = root; at; at = inside(at))
    if (!told(root, at)) rattle__put(out, "  %s: %s.\n", rattle__method_name(at->id), rattle__method_row(at->id)->text);
  const rattle__node *field = rattle__method_field_below(root);
  if (field) rattle__put(out, "  %s: %s.\n", rattle__method_name(field->id), rattle__method_row(field->id)->text);
  for (const rattle__node *at = root; at; at = inside(at)) {
    if (is_project(at)) put_projections(out, at);
    if (!takes_solver(at)) continue;
    rattle__put(out, "  multipliers by %s: %s", rattle__method_name(at->solver), rattle__method_row(at->solver)->text);
    rattle__put(out, at->tol > 0 ? ", to a tolerance of " : ", to round-off");
    if (at->tol > 0) rattle__put_number(out, at->tol);
    rattle__put(out, ".\n");
  }
}

static void put_order_number(rattle__text *out, int order, const rattle__node *node) {
  while (node->kind == RATTLE__COMPOSITION || is_adaptive(node)) node = inside(node);
  if (node->id == RATTLE__METHOD_exact)
    rattle__put(out, "exact");
  else
    rattle__put(out, "order %d", order);
}

/* The rest of the sentence on the order of a projection. */
static void put_order_of_project(rattle__text *out, const rattle__node *node, int order, const rattle_claims *inner) {
  const rattle__node *field = rattle__method_field_below(node);
  if (field)
    rattle__put(out,
                ", that of the map inside: %s knows the constraints, and a projection moves a point by no more than its error.\n",
                rattle__method_name(field->id));
  else if (order == 1)
    rattle__put(out, ", because the map inside knows nothing of the constraints' forces: projections stand for them.\n");
  else
    rattle__put(out, ", because all is symmetric%s.\n", inner->order > 2 ? ", whatever the order inside" : "");
}

/* One sentence for each map, from the innermost out: its order, and why. */
static void put_order(rattle__text *out, const rattle__node *node) {
  const rattle__node *inner = inside(node);
  if (rattle__method_unresolved(node)) {
    rattle__put(out, "  ");
    rattle__put_node(out, node);
    rattle__put(out, ": follows from the coefficients that the model gives.\n");
    return;
  }
  if (inner) put_order(out, inner);
  rattle__node plain = *node;
  plain.tol = 0;
  plain.every = 0;
  plain.solver = RATTLE__METHOD_auto;
  plain.compensated = plain.quad = 0;
  const rattle_claims mine = rattle__method_claims(&plain);
  rattle__put(out, "  ");
  rattle__put_node(out, &plain);
  rattle__put(out, ": ");
  put_order_number(out, mine.order, node);
  if (!inner && node->given) rattle__put(out, ", with %d stage%s", node->given_stages, node->given_stages == 1 ? "" : "s");
  if (!inner && node->given && node->fails[0])
    rattle__put(out, "; of the conditions of order %d fails %s", mine.order + 1, node->fails);
  if (!inner) {
    rattle__put(out, ".\n");
    return;
  }
  const rattle_claims claims = rattle__method_claims(inner);
  if (is_project(node))
    put_order_of_project(out, node, mine.order, &claims);
  else if (is_adaptive(node))
    rattle__put(out, ", that of the map inside, at the times that steps of different lengths add up to.\n");
  else if (node->kind == RATTLE__COMPOSITION && mine.order == claims.order)
    rattle__put(out, ", no more than the map inside: it only costs %d times as much.\n", mine.stages / claims.stages);
  else if (node->kind == RATTLE__COMPOSITION)
    rattle__put(out, ", from %d applications of a symmetric map of order %d.\n", mine.stages / claims.stages, claims.order);
  else if (node->id == RATTLE__METHOD_shake)
    rattle__put(out, " in (q, p); the fibres, and so the positions where g is g(q), move as those of rattle.\n");
  else if (mine.order == 1)
    rattle__put(out, ", because the map inside is not symmetric.\n");
  else if (claims.order > 2)
    rattle__put(out, ", whatever the order inside: to raise it, compose outside, as in suzuki4(rattle(verlet)).\n");
  else
    rattle__put(out, ", because the map inside is symmetric.\n");
}

static void put_list(rattle__text *out, int yes, const char *name, int *count) {
  if (yes) rattle__put(out, "%s%s", (*count)++ ? ", " : "  ", name);
}

static void put_claims(rattle__text *out, const rattle__node *root) {
  const rattle_claims claims = rattle__method_claims(root);
  const int projects = rattle__method_projects(root);
  int count = 0, output = 0, loose = 0, late = 0, divided = 0;
  const rattle__node *project = NULL;
  if (rattle__method_unresolved(root)) {
    rattle__put(out, "  those of the coefficients that the model gives: `rattle methods EXPR --model MODEL.lua` says them.\n");
    return;
  }
  for (const rattle__node *at = root; at; at = inside(at)) {
    if (is_project(at)) project = at;
    output |= at->project_output && !is_project(at);
    loose |= at->tol > 0 && !is_project(at) && !rattle__method_divides(at);
    divided |= rattle__method_divides(at);
    late |= is_project(at) && (at->project_output || at->every > 1);
  }
  put_list(out, claims.symmetric, "symmetric", &count);
  put_list(out, claims.symplectic, "symplectic", &count);
  put_list(out, claims.keeps_g, "g = 0 at round-off", &count);
  put_list(out, claims.keeps_psi, "psi = 0 at round-off", &count);
  put_list(out, claims.keeps_energy, "H at round-off", &count);
  put_list(out, claims.explicit_, projects ? "only multipliers are solved for on a separable H" : "explicit on a separable H",
           &count);
  put_list(out, claims.pure, "a step depends on t, h, q and p alone", &count);
  const int past = !claims.pure && ((!root->compensated && !root->quad) || is_adaptive(root));
  rattle__put(out, count ? ".\n" : "  nothing but the order.\n");
  if (past)
    rattle__put(out, "  a step depends on the steps before, too: on state that a record keeps, and that begins anew where a run "
                     "begins.\n");
  if (output)
    rattle__put(
        out,
        "  project=output: order and symmetry are those of the points put out, where psi = 0; steps between leave psi open.\n");
  if (loose)
    rattle__put(out, "  tol= drops what holds only to round-off: symmetric, symplectic, g = 0, psi = 0; the order holds down to "
                     "the tolerance.\n");
  if (divided)
    rattle__put(out, "  tol= divides a step where it must, so that it is neither symmetric nor symplectic; the order is that of "
                     "steps too short to be divided.\n");
  if (project && project->tol > 0 && !late) {
    const rattle__projections wanted = rattle__method_projections(project);
    rattle__put(out, "  tol= drops what holds only to round-off; after each step no %s is above ",
                !wanted.momenta     ? "|g_i|"
                : !wanted.positions ? "|psi_i|"
                                    : "|g_i| and no |psi_i|");
    rattle__put_number(out, project->tol);
    rattle__put(out, ".\n");
  }
  if (late) rattle__put(out, "  between projections g and psi drift as those of the map inside.\n");
  if (root->compensated)
    rattle__put(out, "  compensated: what rounding loses from q and p is carried along, as state that a record keeps.\n");
  if (root->quad)
    rattle__put(out,
                "  quad: steps are made with 113 bits; what a double does not hold of q and p is state that a record keeps.\n");
}

static void put_needs(rattle__text *out, const rattle__node *root) {
  int count = 0;
  for (const rattle__node *at = root; at; at = inside(at)) {
    const char *needs[2] = {rattle__method_row(at->id)->needs, rattle__method_row(at->solver)->needs};
    for (int i = 0; i < 2; i++)
      if (needs[i][0])
        rattle__put(out, "%s%s (for %s)", count++ ? ", " : "  ", needs[i], rattle__method_name(i ? at->solver : at->id));
  }
  const rattle__node *field = rattle__method_field_below(root);
  if (field)
    rattle__put(out, "%s%s (for %s)", count++ ? ", " : "  ", rattle__method_row(field->id)->needs,
                rattle__method_name(field->id));
  int slides = rattle__method_projects(root);
  for (const rattle__node *at = root; at; at = inside(at)) slides &= !is_project(at);
  if (slides) rattle__put(out, "%sregular constraints in involution", count++ ? ", " : "  ");
  rattle__put(out, count ? ".\n" : "  nothing special.\n");
}

static void put_cost_of_project(rattle__text *out, const rattle__node *node, int applications) {
  const rattle__projections wanted = rattle__method_projections(node);
  if (wanted.symmetric) {
    rattle__put(out, ", each some times over: until the multipliers are found");
    return;
  }
  rattle__put(out, "; %s%d projection%s onto", wanted.always ? "" : "at most ", applications, applications == 1 ? "" : "s");
  if (wanted.positions) rattle__put(out, " g = 0 (Newton's method)%s", wanted.momenta ? " and" : "");
  if (wanted.momenta) rattle__put(out, " psi = 0 (one linear system where H is natural)");
}

static void put_cost(rattle__text *out, const rattle__node *root) {
  const rattle_claims claims = rattle__method_claims(root);
  const rattle__node *base = root, *project = NULL;
  if (rattle__method_unresolved(root)) {
    rattle__put(out, "  that of the coefficients that the model gives.\n");
    return;
  }
  int each_step = 0, at_output = 0, solves = 0, adapts = 0, applications = 1;
  for (; inside(base); base = inside(base)) {
    const int stages = rattle__method_claims(base).stages / rattle__method_claims(inside(base)).stages;
    if (base->kind == RATTLE__COMPOSITION && !solves && !project) applications *= stages;
    if (is_project(base)) project = base;
    adapts |= is_adaptive(base);
    if (base->kind != RATTLE__WRAPPER || is_project(base) || is_adaptive(base)) continue;
    solves = 1;
    each_step = rattle__method_row(base->id)->claims.keeps_psi && !base->project_output;
    at_output = base->project_output;
  }
  const int together = base->kind == RATTLE__CONSTRAINED && !claims.explicit_;
  if (base->kind == RATTLE__CONSTRAINED && !together) {
    rattle__put(out, "  %d evaluation%s of the force", claims.stages, claims.stages == 1 ? "" : "s");
    applications = claims.stages, solves = 1, each_step = rattle__method_row(base->id)->claims.keeps_psi;
  } else
    rattle__put(out, "  %d application%s of %s", claims.stages, claims.stages == 1 ? "" : "s", rattle__method_name(base->id));
  if (!claims.explicit_) rattle__put(out, ", each a system of nonlinear equations");
  if (together) rattle__put(out, " for the motion and its multipliers together");
  if (project) put_cost_of_project(out, project, applications);
  if (solves) rattle__put(out, "; %d solve%s for the multipliers of g = 0", applications, applications == 1 ? "" : "s");
  if (each_step) rattle__put(out, " and %d for those of psi = 0", applications);
  if (at_output) rattle__put(out, "; one for those of psi = 0 where a point is put out");
  if (adapts) rattle__put(out, "; one derivative along the motion, of the force or of the density named");
  rattle__put(out, ".\n");
}

static void put_sources(rattle__text *out, const rattle__node *root) {
  for (const rattle__node *at = root; at; at = inside(at)) {
    if (!told(root, at)) rattle__put(out, "  %s: %s.\n", rattle__method_name(at->id), rattle__method_row(at->id)->citation);
    if (at->solver != RATTLE__METHOD_auto)
      rattle__put(out, "  %s: %s.\n", rattle__method_name(at->solver), rattle__method_row(at->solver)->citation);
  }
  const rattle__node *field = rattle__method_field_below(root);
  if (field) rattle__put(out, "  %s: %s.\n", rattle__method_name(field->id), rattle__method_row(field->id)->citation);
}

char *rattle_method_explain(const rattle_method *method, char *buffer, size_t size) {
  if (!size) return buffer;
  const rattle__node *root = rattle__method_root(method);
  rattle__text out = {buffer, size};
  rattle__locale locale;
  rattle__plain_locale(&locale);
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
  rattle__restore_locale(&locale);
  return buffer;
}
