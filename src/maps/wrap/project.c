/* project(map, position|momentum|both|symmetric): points moved back onto the constraints after each
 * step of a map that keeps them only as well as it is accurate.
 *
 * Map      z1 = P phi_h(z0); P: onto g = 0, onto psi = 0, or first the one and then the other
 *          (nearest_point.c). project_symmetric.c makes the symmetric one. tol=: a part of P is
 *          done only where max |g_i|, or max |psi_i|, is above it. every=k: P at every k-th step.
 *          project=output: P of the output, the steps being those of phi
 * Source   W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, section
 *          7; J. Alishenas, O. Olafsson, BIT 34 (1994) 455
 * Claims   the order of the map if its field knows the constraints, else 1, and min(2, r) if P is
 *          symmetric; g = 0, psi = 0 at round-off where P is done at
 * each step; never symplectic. With tol=: |g_i|, |psi_i| at most tol after each step Impetus  p of
 * the state is p*: the
 * projection of momenta is the resetting p* <- p* - G^T lambda, a gauge transformation that changes
 * no momentum that is shown
 * Second   class: the constraints are all there are; `both` and `position` move z onto them
 * State    every=k counts the steps since the last projection, declared as extra state
 * Fails    as the map inside, and where the projection does */
#include "maps/wrap/project.h"

#include <string.h>

#include "problem/functions/split.h"
#include "ground/support/largest.h"

/* Projections to make: onto g = 0, onto psi = 0, by multipliers before and after the map; and
 * whether at the end of every step, whatever the residuals. */
typedef struct projections {
  int positions, momenta, symmetric, always;
} projections;

typedef struct project {
  rattle__map map;
  rattle__map *inner;
  rattle__nearest_point *onto;
  projections wanted;
  int both; /* where one part of P is due the other one is too: the slide keeps g only on g = 0 */
  double tol, every;
  rattle__symmetric *symmetric;
  double *since; /* steps since the last projection, NULL if each may have one */
} project;

/* Which parts of P are due at z. */
static rattle_status look(const project *s, const double *z, projections *due,
                          rattle_error *error) {
  *due = s->wanted;
  if (s->tol == 0) return RATTLE_OK;
  const rattle_status status = s->wanted.momenta
                                   ? rattle__nearest_point_see_hidden(s->onto, z, error)
                                   : rattle__nearest_point_see(s->onto, z, error);
  due->positions &= !(rattle__largest(s->onto->g, s->onto->m) <= s->tol);
  due->momenta &= !(rattle__largest(s->onto->psi, s->onto->m) <= s->tol);
  if (s->both) due->positions = due->momenta = due->positions | due->momenta;
  return status;
}

static rattle_status move(project *s, double *z, rattle_error *error) {
  projections due;
  rattle_status status = look(s, z, &due, error);
  if (!status && due.positions) status = rattle__nearest_point_constraints(s->onto, z, error);
  if (!status && due.positions && !due.momenta)
    status = look(s, z, &due, error); /* psi is another one there */
  if (!status && due.momenta) status = rattle__nearest_point_hidden(s->onto, z, error);
  return status;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  project *s = map->self;
  const rattle_status status = s->inner->apply(s->inner, h, z0, z1, error);
  if (status) return status;
  if (s->since && ++*s->since < s->every) return RATTLE_OK;
  if (s->since) *s->since = 0;
  return move(s, z1, error);
}

static rattle_status apply_plain(rattle__map *map, double h, const double *z0, double *z1,
                                 rattle_error *error) {
  project *s = map->self;
  return s->inner->apply(s->inner, h, z0, z1, error);
}

static rattle_status apply_symmetric(rattle__map *map, double h, const double *z0, double *z1,
                                     rattle_error *error) {
  const project *s = map->self;
  return rattle__symmetric_apply(s->symmetric, h, z0, z1, error);
}

/* The output of the map inside; and with project=output P of it. */
static rattle_status output_plain(rattle__map *map, double h, double *z, rattle_error *error) {
  project *s = map->self;
  return s->inner->output(s->inner, h, z, error);
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  project *s = map->self;
  const rattle_status status =
      s->inner->output ? s->inner->output(s->inner, h, z, error) : RATTLE_OK;
  return status ? status : move(s, z, error);
}

static void destroy(rattle__map *map) {
  project *s = map->self;
  rattle__nearest_point_destroy(&s->onto);
  if (s->inner && s->inner->destroy) s->inner->destroy(s->inner);
}

/* The values of the row's options. */
static double every(const rattle__node *node) {
  return rattle__option_number(node, "every");
}

static double tolerance(const rattle__node *node) {
  return rattle__option_number(node, "tol");
}

static projections wanted_by(const rattle__node *node) {
  const char *onto = rattle__option_word(node, "onto");
  return (projections){.positions = strcmp(onto, "momentum") != 0,
                       .momenta = strcmp(onto, "position") != 0,
                       .symmetric = !strcmp(onto, "symmetric"),
                       .always = !rattle__projects_output(node) && every(node) <= 1 &&
                                 tolerance(node) == 0};
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const int only_output = rattle__projects_output(node);
  project *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (project){.wanted = wanted_by(node), .tol = tolerance(node), .every = every(node)};
  if (problem->split && s->wanted.positions) s->wanted.momenta = 0;
  s->both = s->wanted.positions && s->wanted.momenta && !(problem->flags & RATTLE_HOLONOMIC);
  s->map = (rattle__map){.context = context,
                         .apply = only_output ? apply_plain : apply,
                         .destroy = destroy,
                         .self = s};
  *map = &s->map;
  const rattle__nearest_options options = {.momenta = s->wanted.momenta};
  rattle_status status = context->compile(&s->inner, context, rattle__method_inside(node), error);
  if (!status) status = rattle__nearest_point_create(&s->onto, context, &options, error);
  if (status) return status;
  s->map.shows = s->inner->shows;
  s->map.output = only_output ? output : s->inner->output ? output_plain : NULL;
  s->map.drifts = !s->wanted.always || !s->wanted.positions || !s->wanted.momenta;
  if (s->every > 1) s->since = rattle__context_step_count(context);
  if (context->arena.failed) return rattle__no_memory(error);
  if (!s->wanted.symmetric) return RATTLE_OK;
  s->map.apply = apply_symmetric;
  s->map.symmetric = s->inner->symmetric;
  return rattle__symmetric_create(&s->symmetric, s->onto, s->inner, s->wanted.momenta, error);
}

/* ---- the expression ---- */

static rattle_claims claims_of(const rattle__node *node, rattle_claims claims) {
  const projections wanted = wanted_by(node);
  claims.symmetric &= wanted.symmetric;
  if (!rattle__method_field_below(node))
    claims.order = wanted.symmetric && claims.order > 1 ? 2 : 1;
  claims.symplectic = claims.keeps_energy = 0;
  claims.keeps_g = wanted.positions && wanted.always;
  claims.keeps_psi = wanted.momenta && wanted.always;
  claims.pure &= every(node) <= 1;
  return claims;
}

/* The map inside is a function of the point alone; or it uses past slopes of its field, which a
 * projection does not change. */
static int takes_inside(const rattle__node *node, rattle__text *reason) {
  const rattle__node *inside = rattle__method_inside(node), *past = rattle__method_past(inside);
  if (inside->kind == RATTLE__CONSTRAINED) return 1;
  if (past && past->kind == RATTLE__BASE && !wanted_by(node).symmetric)
    for (const rattle_method_parameter *p = past->row->parameter; p->name; p++)
      if (p->type == RATTLE_TAKES_FIELD) return 1;
  return rattle__takes_one_step_map(node, reason);
}

/* Momenta that are projected must not be those that slopes remembered were taken at. */
static int keeps_slopes(const rattle__node *node, rattle__text *reason) {
  const rattle__node *field = rattle__method_field_below(node), *past = rattle__method_past(node);
  if (!past || !field || !rattle__field_of(field->row)->other_momenta || !wanted_by(node).momenta ||
      rattle__projects_output(node))
    return 1;
  rattle__put(reason,
              "projecting momenta resets the impetuses, but %s uses slopes from before the reset: "
              "project output only, or use a "
              "one-step map such as rk4(impetus)",
              past->row->name);
  return 0;
}

/* Which parameter is to blame: the index in the row. */
static int parameter_of(const rattle__node *node, const char *name) {
  int i = 0;
  while (node->row->parameter[i].name && strcmp(node->row->parameter[i].name, name)) i++;
  return i;
}

/* X_H ignores the constraints: only the projection of momenta in each step gives the constrained
 * motion. */
static int makes_motion(const rattle__node *node, rattle__text *reason, int *blame) {
  const projections wanted = wanted_by(node);
  const char *bad = !wanted.momenta                 ? "projects positions alone"
                    : rattle__projects_output(node) ? "projects output only"
                                                    : NULL;
  if (rattle__method_field_below(node) || !bad) return 1;
  *blame = parameter_of(node, wanted.momenta ? "project" : "onto");
  rattle__put_node(reason, rattle__method_inside(node));
  rattle__put(reason,
              " does not include the constraint forces, and this %s: use a field, as in "
              "project(rk4(dirac)), or project momenta "
              "in each step",
              bad);
  return 0;
}

static int sensible(const rattle__node *node, rattle__text *reason, int *blame) {
  const projections wanted = wanted_by(node);
  if (!takes_inside(node, reason) || !rattle__takes_free_map(node, reason) ||
      !makes_motion(node, reason, blame))
    return 0;
  const char *option = wanted.always                   ? NULL
                       : rattle__projects_output(node) ? "project=output"
                       : every(node) > 1               ? "every="
                                                       : "tol=";
  if (wanted.symmetric && option) {
    *blame = parameter_of(node, rattle__projects_output(node) ? "project"
                                : every(node) > 1             ? "every"
                                                              : "tol");
    rattle__put(reason, "a symmetric projection is part of each step: omit %s", option);
    return 0;
  }
  if (!keeps_slopes(node, reason)) return 0;
  if (!rattle__projects_output(node) || every(node) <= 1) return 1;
  *blame = parameter_of(node, "every");
  rattle__put(reason, "project=output projects no step, and every= counts steps: omit one of them");
  return 0;
}

static void explain_action(rattle__text *out, const rattle__node *node) {
  const projections wanted = wanted_by(node);
  rattle__put(out, "  projects %s ",
              !wanted.momenta     ? "positions"
              : !wanted.positions ? "momenta"
                                  : "positions and momenta");
  if (rattle__projects_output(node))
    rattle__put(out, "for output");
  else if (every(node) > 1)
    rattle__put(out, "every %.0f steps", every(node));
  else
    rattle__put(out, "in each step");
  if (tolerance(node) > 0) {
    rattle__put(out, ", if %s exceeds ",
                !wanted.momenta     ? "|g|"
                : !wanted.positions ? "|psi|"
                                    : "|g| or |psi|");
    rattle__put_number(out, tolerance(node));
  }
  rattle__put(out, ".\n");
}

static void explain_order(rattle__text *out, const rattle__node *node, const rattle_claims *own,
                          const rattle_claims *inner) {
  const rattle__node *field = rattle__method_field_below(node);
  if (field)
    rattle__put(out,
                ", that of the map inside: %s includes the constraints, and a projection moves a "
                "point by no more than its error.\n",
                field->row->name);
  else if (!wanted_by(node).symmetric)
    rattle__put(out, ", because the map inside does not include the constraint forces: projections "
                     "replace them.\n");
  else if (inner->order > own->order)
    rattle__put(
        out,
        ", that of a symmetric projection of the exact flow, for any order of the map inside.\n");
  else
    rattle__put(out, ", that of the map inside: the projection is symmetric.\n");
}

static void explain_claims(rattle__text *out, const rattle__node *node) {
  const projections wanted = wanted_by(node);
  const int late = rattle__projects_output(node) || every(node) > 1;
  if (tolerance(node) > 0 && !late) {
    rattle__put(out,
                "  tol= drops claims that hold to round-off only; after each step no %s exceeds ",
                !wanted.momenta     ? "|g_i|"
                : !wanted.positions ? "|psi_i|"
                                    : "|g_i| and no |psi_i|");
    rattle__put_number(out, tolerance(node));
    rattle__put(out, ".\n");
  }
  if (late) rattle__put(out, "  between projections g and psi drift as with the map inside.\n");
}

static void explain_cost(rattle__text *out, const rattle__node *node, int applications) {
  const projections wanted = wanted_by(node);
  if (wanted.symmetric) {
    rattle__put(out, ", each several times, until the multipliers converge");
    return;
  }
  rattle__put(out, "; %s%d projection%s onto", wanted.always ? "" : "at most ", applications,
              applications == 1 ? "" : "s");
  if (wanted.positions)
    rattle__put(out, " g = 0 (Newton's method)%s", wanted.momenta ? " and" : "");
  if (wanted.momenta) rattle__put(out, " psi = 0 (one linear system if H is natural)");
}

const rattle__wrapper rattle__wrapper_project = {
    .care = RATTLE__MOVES,
    .claims = claims_of,
    .sensible = sensible,
    .symmetric_form = "compose project(..., symmetric) of a symmetric map",
    .create = create,
    .explain_action = explain_action,
    .explain_order = explain_order,
    .explain_claims = explain_claims,
    .explain_cost = explain_cost};
