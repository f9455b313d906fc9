/* Proofs of substeps: what is covered, and answers. See prover.h; the curve: prover_substep.c. */
#include "constraint/guard/prover_substep.h"
#include "constraint/guard/slopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/affine.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "problem/functions/mass.h"

const char *rattle__prover_misses(const rattle_problem *problem) {
  const rattle__mass *W = rattle__inertia(problem);
  const int constraints = problem->m + (problem->velocity ? problem->velocity->rows : 0);
  if (!constraints)
    return "it has no constraints, and its steps no equations with several solutions";
  if (!W && problem->force)
    return "with forces, proofs are there for masses that are constant and diagonal";
  if (!W || !(problem->flags & RATTLE_HOLONOMIC))
    return "proofs are there for natural problems, H = p^T M^-1 p/2 + V(q) with g(q) = 0";
  return NULL;
}

/* Why steps under more than RATTLE__PROVER_MOST constraints are not covered. */
static const char *many_misses(const rattle_problem *problem, int midpoint) {
  if (rattle__inertia(problem)->value)
    return "it has more than 64 constraints, for which proofs ask for masses that are diagonal";
  if (problem->velocity)
    return "it has more than 64 constraints, for which proofs ask that none is on velocities";
  if (midpoint)
    return "it has more than 64 constraints, for which proofs are there for verlet and "
           "symplectic_euler";
  return NULL;
}

int rattle__prover_has_many(const rattle_problem *problem) {
  const int rolling = problem->velocity ? problem->velocity->rows : 0;
  return problem->m + rolling > RATTLE__PROVER_MOST;
}

/* --- how it is made --------------------------------------------------------------------------- */

static int lay_out(rattle__prover *c) {
  const size_t n = (size_t)c->n, m = (size_t)c->m, rows = (size_t)(c->g->held + c->g->rolling);
  const size_t vars = (size_t)c->g->vars, entries = (size_t)c->g->ptr[m];
  c->s = calloc(10 * m + vars + 4 * rows * rows + 1, sizeof *c->s);
  c->x = calloc(vars + n + rows * n + m + entries + 1, sizeof *c->x);
  if (!c->s || !c->x) return 0;
  c->root = c->s + m, c->end = c->root + m, c->scratch = c->end + m, c->x1 = c->scratch + 7 * m;
  c->N = c->x1 + vars, c->unknown = c->N + rows * rows;
  c->K = c->unknown + rows * rows, c->spare = c->K + rows * rows;
  c->move = c->x + vars, c->pushed = c->move + n, c->F = c->pushed + rows * n, c->G = c->F + m;
  return 1;
}

/* As rattle__rows_of_step_create. */
static int create(rattle__prover **prover, const rattle__rows_of_problem *of, int smooth) {
  rattle__prover *c = *prover = calloc(1, sizeof *c);
  int answer = c ? rattle__rows_of_step_create(&c->g, of, smooth) : -1;
  if (!answer) {
    c->n = of->n, c->m = c->g->rows;
    c->curve = rattle__curve_create(c->g);
    answer = c->curve && lay_out(c) ? 0 : -1;
  }
  if (answer) rattle__prover_destroy(prover);
  return answer;
}

int rattle__prover_create(rattle__prover **prover, const rattle__function *g) {
  return create(prover, &(rattle__rows_of_problem){.n = g->vars, .g = g}, 0);
}

static const char *why(int answer) {
  static const char *const not_smooth[] = {
      "its constraints are not all expressions of sums, products, quotients, sqrt, exp, log, sin, "
      "cos, atan, tanh and abs",
      "its forces, which steps solve for, are not all expressions of sums, products, quotients, "
      "sqrt, exp, log, sin, cos, atan, tanh and abs; rattle(verlet) takes those that are affine in "
      "momenta at points that are known"};
  return not_smooth[answer - 1];
}

/* True if a force depends on the momentum of a coordinate without inertia, which no way tells. */
static int has_force_beyond(const rattle_problem *problem) {
  const rattle__function *f = problem->force;
  int beyond = 0;
  for (int e = 0; f && e < f->jac_nnz; e++) {
    const int pair = f->jac_col[e] - problem->n;
    beyond |= pair >= 0 && rattle__inertia(problem)->diagonal[pair] == 0;
  }
  return beyond;
}

static int depends_on_momenta(const rattle_problem *problem) {
  const rattle__function *f = problem->force;
  int depends = 0;
  for (int e = 0; e < f->jac_nnz; e++) depends |= f->jac_col[e] >= problem->n;
  return depends;
}

/* More than RATTLE__PROVER_MOST constraints, by sparse matrices. */
static rattle_status create_many(rattle__prover **prover, const rattle_problem *problem,
                                 int midpoint, rattle_error *error) {
  const char *misses = many_misses(problem, midpoint);
  const int depends = problem->force ? depends_on_momenta(problem) : 0;
  if (depends)
    misses = "it has more than 64 constraints, for which proofs ask that no force depends on "
             "momenta";
  if (misses) return rattle__proof_refuse(misses, error);
  rattle__prover *c = *prover = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  const int answer =
      rattle__sparse_prover_create(&c->sparse, problem->g, rattle__inertia(problem)->diagonal);
  if (!answer) return RATTLE_OK;
  rattle__prover_destroy(prover);
  return answer < 0 ? rattle__no_memory(error)
                    : rattle__proof_refuse("it has more than 64 constraints, for which proofs ask "
                                           "that they are polynomials of degree 2 by sums, "
                                           "products and quotients by numbers",
                                           error);
}

static rattle_status create_for(rattle__prover **prover, rattle__rows_of_problem *of,
                                rattle_error *error) {
  const int answer = create(prover, of, 1);
  if (answer)
    return answer < 0 ? rattle__no_memory(error) : rattle__proof_refuse(why(answer), error);
  if ((*prover)->m <= RATTLE__PROVER_UNKNOWNS) return RATTLE_OK;
  rattle__prover_destroy(prover);
  return rattle__proof_refuse(
      "it has more than 128 constraints and forces that steps solve for, whose matrices "
      "are dense here",
      error);
}

static rattle_status find_stage(rattle__stage *stage, const rattle_problem *problem, int midpoint,
                                rattle_error *error) {
  const int affine = problem->force ? rattle__is_affine_from(problem->force, problem->n) : 1;
  if (affine < 0) return rattle__no_memory(error);
  if (!affine && !problem->force->elements)
    return rattle__proof_refuse("its forces are no expressions", error);
  if (!affine) return rattle__divided_rows(stage, problem, midpoint, error);
  return midpoint ? rattle__stage_rows(stage, problem, error) : RATTLE_OK;
}

rattle_status rattle__prover_create_smooth(rattle__prover **prover, const rattle_problem *problem,
                                           int midpoint, rattle_error *error) {
  rattle__stage stage = {0};
  rattle__rows_of_problem of = {.n = problem->n,
                                .g = problem->g,
                                .velocity = problem->velocity,
                                .force = problem->force,
                                .pushed = problem->pushed,
                                .stage = &stage};
  const char *misses = rattle__prover_misses(problem);
  if (!misses && has_force_beyond(problem))
    misses = "its forces depend on the momentum of a coordinate without inertia";
  if (misses) return rattle__proof_refuse(misses, error);
  if (rattle__prover_has_many(problem)) return create_many(prover, problem, midpoint, error);
  rattle_status status = find_stage(&stage, problem, midpoint, error);
  if (!status) status = create_for(prover, &of, error);
  if (status)
    rattle__stage_release(&stage);
  else
    (*prover)->stage = stage;
  return status;
}

int rattle__prover_programs(rattle__prover *prover, rattle__ball_programs **list) {
  int count = 0;
  if (prover->g) rattle__rows_of_step_programs(prover->g, list, &count);
  return count;
}

void rattle__prover_destroy(rattle__prover **prover) {
  if (!prover || !*prover) return;
  rattle__sparse_prover_destroy(&(*prover)->sparse);
  rattle__curve_destroy(&(*prover)->curve);
  rattle__rows_of_step_destroy(&(*prover)->g);
  rattle__stage_release(&(*prover)->stage);
  free((*prover)->s), free((*prover)->x), free(*prover);
  *prover = NULL;
}

/* --- answers ---------------------------------------------------------------------------------- */

rattle__tracked rattle__prover_ask(rattle__prover *c, const rattle__proof_ends *of,
                                   double *radius) {
  if (c->sparse) return rattle__sparse_prover_ask(c->sparse, of, radius);
  rattle__prover_begin(c, of);
  rattle__prover_write_end(c, of);
  rattle__curve_multipliers(c->curve, c->x1, c->s);
  rattle__tracked found = rattle__track(c->curve, c->s, c->root, c->end, c->scratch);
  if (found.answer != RATTLE__TRACK_RIGHT) return found;
  *radius = rattle__prover_radius(c, of->q1);
  const int row = c->g->rolling ? rattle__prover_row_of_dependence(c, of->W, of->q1) : -1;
  if (row < 0) return found;
  found.answer = RATTLE__TRACK_OPEN, found.row = row, found.margin = 0, found.smallest = 0;
  return found;
}

rattle__tracked rattle__prover_seek(rattle__prover *c, const rattle__proof_ends *of, double *q1) {
  rattle__prover_begin(c, of);
  const rattle__tracked found = rattle__track(c->curve, NULL, c->root, c->end, c->scratch);
  rattle__prover_end(c);
  for (int k = 0; k < c->n && found.answer == RATTLE__TRACK_RIGHT; k++) q1[k] = c->x[k].at;
  return found;
}

rattle_status rattle__prover_refuse(const rattle_problem *problem, const rattle__tracked *found,
                                    rattle_error *error) {
  if (found->answer == RATTLE__TRACK_OTHER)
    return rattle__fail(error, RATTLE_DEGENERATE, NULL,
                        "the step ended at another solution of its equations than the one to which "
                        "the curve from its start leads: use a smaller step");
  const int constraints = problem->m + (problem->velocity ? problem->velocity->rows : 0);
  const int of_constraint = found->row < constraints;
  const char *name = of_constraint ? rattle_problem_constraint_name(problem, found->row) : "force";
  if (found->reached == 1)
    return rattle__fail(
        error, RATTLE_DEGENERATE, name,
        "the momenta at the end of the step are not proved: the constraint '%s' may "
        "depend on the others there",
        name);
  char missed[64] = "has no bound", smallest[128] = "";
  if (isfinite(found->margin))
    rattle__print(missed, sizeof missed, "misses by %.2g of its diagonal", -found->margin);
  if (!isnan(found->smallest))
    rattle__print(smallest, sizeof smallest,
                  ", and the smallest singular value of the matrix of the multipliers, 1 at the "
                  "start, is %.3g",
                  found->smallest);
  return rattle__fail(
      error, RATTLE_DEGENERATE, of_constraint ? name : NULL,
      "the step is not proved: the curve from its start is known up to %.9g of it, where the row "
      "of the %s%s%s %s%s: use a smaller step",
      found->reached, of_constraint ? "constraint '" : "",
      of_constraint ? name : "forces or stages", of_constraint ? "'" : "", missed, smallest);
}
