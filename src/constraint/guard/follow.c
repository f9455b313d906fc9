/* Following the multipliers from h = 0.
 *
 * Map      lambda(h') solves g(phi_{h'}(exp(h' sum lambda_i X_{g_i}) z0)) = 0; lambda(h') has a
 *          limit for h' -> 0, the multiplier of the differential equation up to a factor, and is
 *          one smooth curve until it meets a fold, where the Jacobian of the equation is singular.
 *          Only the solution on that curve belongs to the step; Newton's iteration from lambda = 0
 *          may find another, on another sheet of the manifold, and does not notice.
 * Method   natural-parameter continuation in h'; predicted is the guess plus h' times what was
 *          missing from it, by secants; a substep is taken where the iteration from the prediction
 *          converges as fast as it must (iterate.h) to a point on this side of all folds (the sign
 *          of Newton's determinant), else it is halved: at a narrow gap between two sheets a secant
 *          leads across
 * Source   R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339,
 *          section 5.4 (the failure); the guard is the project's own: docs/guards.md
 * Cost     some ten solutions; only in steps that are doubtful. Guards may be at work one inside
 *          the other: all together give up after RATTLE__BUDGET solutions, fewer where there are
 *          many constraints, but not before one alone would */
#include "constraint/guard/follow.h"

#include <math.h>
#include <string.h>

#include "constraint/fibre/fibre.h"
#include "constraint/guard/prover.h"
#include "constraint/guard/rules/rules.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "ground/support/largest.h"

/* True if N = G H_pp G^T, with a constant H_pp. */
static int has_constant_mass(const rattle_problem *problem) {
  return (problem->flags & RATTLE_HOLONOMIC) && rattle__inertia(problem);
}

rattle__follower *rattle__follower_create(rattle__context *context,
                                          const rattle__tracked_equation *sought, int count,
                                          double *multipliers, void *self) {
  rattle__follower *f = rattle__arena_take(&context->arena, sizeof *f);
  if (!f) return NULL;
  const size_t m = (size_t)context->problem->m, all = (size_t)count;
  *f = (rattle__follower){.context = context,
                          .sought = sought,
                          .self = self,
                          .multipliers = multipliers,
                          .m = (int)m,
                          .count = count};
  f->last = rattle__arena_doubles(&context->arena, all);
  f->before = rattle__arena_doubles(&context->arena, all);
  f->guess_at = rattle__arena_doubles(&context->arena, all);
  f->predicted = rattle__arena_doubles(&context->arena, all);
  f->compass = rattle__arena_doubles(&context->arena, all);
  f->x = rattle__arena_doubles(&context->arena, all);
  f->directions = !sought->from_limit ? 0 : count <= RATTLE__EVERY ? count : 2;
  f->seen = rattle__arena_doubles(&context->arena, (size_t)f->directions * all);
  f->now = rattle__arena_doubles(&context->arena, (size_t)f->directions * all);
  f->scale = rattle__arena_doubles(&context->arena, m);
  f->level = rattle__arena_doubles(&context->arena, m);
  f->g0 = rattle__arena_doubles(&context->arena, m);
  if (sought->probed && context->problem->g->vars <= context->problem->n &&
      !context->problem->g->quadratic)
    f->G = rattle__arena_doubles(&context->arena, (size_t)context->problem->g->jac_nnz);
  f->work = rattle__arena_doubles(&context->arena, context->problem->g->work);
  const int guarded = sought->probed && f->directions && !has_constant_mass(context->problem);
  if (guarded && rattle__nondegeneracy_create(&f->guard, context, NULL)) context->arena.failed = 1;
  for (int i = 0; i < count && f->compass; i++) f->compass[i] = rattle__fixed_direction(i % f->m);
  return context->arena.failed ? NULL : f;
}

/* True if the first correction must show that the prediction was near. Short substeps need not show
 * it where the matrix may not be Newton's: residuals fall at one rate then, near or not. */
static int must_be_near(const rattle__follower *f) {
  return f->length >= rattle__short_part || f->sought->newton;
}

/* 1 / sqrt(N_ii) without cancellation: a factor s of g_i makes its multiplier s times smaller, and
 * its scale too. 1 where N is not offered. */
static void find_scale(rattle__follower *f, const double *z0) {
  rattle__probe *probe = f->context->probe;
  rattle__linear *N = NULL;
  for (int i = 0; i < f->m; i++) f->scale[i] = 1;
  if (!f->directions || f->count <= RATTLE__EVERY) return;
  rattle__follower_probe(f, z0);
  if (rattle__probe_matrix(probe, &N, NULL) || !N) return;
  rattle__probe_sizes(probe, f->x);
  for (int i = 0; i < f->m; i++)
    if (f->x[i] > 0 && isfinite(f->x[i])) f->scale[i] = 1 / sqrt(f->x[i]);
}

/* The k-th direction: each multiplier where they are few, else all with equal signs and with
 * alternating ones. */
static void direction(const rattle__follower *f, int k, double *v) {
  for (int i = 0; i < f->count; i++)
    v[i] = f->count <= RATTLE__EVERY ? i == k : (k ? 1 : f->compass[i]) * f->scale[i % f->m];
}

/* The size of X - Y, or of X: a number that does not depend on how constraints are scaled. */
static double size_of(const rattle__follower *f, const double *X, const double *Y) {
  const int n = f->count;
  double most = 0;
  for (int i = 0; i < f->directions; i++)
    for (int j = 0; j < n; j++) {
      const double a = X[i * n + j] - (Y ? Y[i * n + j] : 0);
      const double b = n <= RATTLE__EVERY ? X[j * n + i] - (Y ? Y[j * n + i] : 0) : 0;
      most = rattle__greater(most,
                             n <= RATTLE__EVERY ? sqrt(fabs(a * b)) : fabs(a) / f->scale[j % f->m]);
    }
  return most;
}

/* Newton's matrix, factored where the substep ends; 0: not known. */
static int see_matrix(rattle__follower *f, double h, const double *z0) {
  rattle__follower_probe(f, z0);
  for (int k = 0; k < f->directions; k++) {
    direction(f, k, f->x);
    if (!f->sought->from_limit(f->self, h, f->x, f->now + (size_t)k * (size_t)f->count)) return 0;
  }
  return 1;
}

/* True if Newton's matrix differs from the one at the end of the last substep. */
static int changed(rattle__follower *f, double h, const double *z0) {
  return see_matrix(f, h, z0) &&
         rattle__matrix_changed(size_of(f, f->now, f->seen), size_of(f, f->seen, NULL));
}

static rattle_status guess(rattle__follower *f, double h, const double *z0, rattle_error *error) {
  rattle__follower_probe(f, z0);
  if (f->sought->guess) return f->sought->guess(f->self, h, z0, f->guess_at, error);
  if (f->sought->probed)
    rattle__probe_step_guess(f->context->probe, h, f->guess_at);
  else
    memset(f->guess_at, 0, (size_t)f->count * sizeof(double));
  return RATTLE_OK;
}

/* A factor of the multipliers, by which they have a limit for vanishing steps and are compared
 * along the way. */
static double slide_of(const rattle__follower *f, double part) {
  return f->sought->projection ? 1 : part;
}

/* The guess is wrong by a quantity of this order in the step. */
static double order_of(const rattle__follower *f, double part) {
  return f->sought->guess_incomplete ? 1 : part;
}

/* True if the iteration went so far from the secant's prediction that there may be folds in
 * between, where no matrices are compared: two solutions of one substep may look alike. Nothing
 * follows from residuals at round-off. */
static int left_prediction(const rattle__follower *f, double part, const rattle__course *c) {
  double moved = 0, size = f->largest;
  for (int i = 0; i < f->count && c->history[0] > rattle__near_units; i++) {
    moved = rattle__greater(moved, slide_of(f, part) * fabs(f->multipliers[i] - f->predicted[i]));
    size = rattle__greater(size, slide_of(f, part) * fabs(f->multipliers[i]));
  }
  return rattle__left_prediction(moved, size);
}

/* The substep that was found is one of the way: the next begins from it. */
static void accept_part(rattle__follower *f, double part) {
  for (int i = 0; i < f->count; i++)
    f->largest = rattle__greater(f->largest, slide_of(f, part) * fabs(f->multipliers[i]));
  memcpy(f->seen, f->now, (size_t)(f->directions * f->count) * sizeof(double));
  if (f->sought->taken) f->sought->taken(f->self);
}

/* True if the iteration converges at that part of h without doubt, from the guess and what was
 * missing from it at the last substeps, by their secant's `slope`; 0 in f->failure.status: it
 * converges, but slowly, or beyond a fold. */
static int solve_part(rattle__follower *f, double part, double slope, double h, const double *z0,
                      double *z1) {
  rattle__course c = {.must_be_near = must_be_near(f)};
  f->failure.status = guess(f, part * h, z0, &f->failure);
  if (f->failure.status) return 0;
  for (int i = 0; i < f->count; i++)
    f->multipliers[i] = f->predicted[i] =
        f->guess_at[i] + order_of(f, part) * (f->last[i] + slope * (f->last[i] - f->before[i]));
  for (int i = 0; i < f->m && !f->sought->projection; i++)
    f->level[i] = (1 - part * part) * f->g0[i];
  f->context->solutions++;
  f->failure.status = f->sought->solve(f->self, part * h, z0, z1, &c, &f->failure);
  /* the border of a domain is met at once; an iteration that runs away meets it later */
  if (f->failure.status == RATTLE_DOMAIN && c.k > 2) f->failure.status = RATTLE_NOT_CONVERGED;
  if (f->failure.status ||
      (c.must_be_near && c.k >= 2 && rattle__left_much(c.history[0], c.history[1])) || c.doubtful)
    return 0;
  const int far = slope > 0 && left_prediction(f, part, &c);
  if (far && !f->directions) return 0;
  int side = 0;
  if (f->sought->side && f->sought->side(f->self, &side))
    return f->failure.status = rattle__no_memory(&f->failure), 0;
  if (!f->side) f->side = side;
  if (side != f->side || changed(f, part * h, z0)) return 0;
  accept_part(f, part);
  return 1;
}

static int advance_to(rattle__follower *f, double part, double slope, double h, const double *z0,
                      double *z1) {
  const int reached = solve_part(f, part, slope, h, z0, z1);
  f->refused += !reached;
  return reached;
}

/* A failure that a shorter step would not avoid. */
static int is_final(const rattle__follower *f) {
  rattle_status status = f->failure.status;
  return (status && status != RATTLE_NOT_CONVERGED && status != RATTLE_SINGULAR &&
          status != RATTLE_DOMAIN) ||
         f->context->allowance < 0;
}

/* The first substep, so short that lambda is found from the guess without doubt; 0 if none is. */
static double first_substep(rattle__follower *f, double part, double h, const double *z0,
                            double *z1) {
  memset(f->last, 0, (size_t)f->count * sizeof(double));
  memset(f->before, 0, (size_t)f->count * sizeof(double));
  for (int k = 0; k < RATTLE__FIRST_TRIES; k++, part /= 4) {
    f->length = part;
    if (advance_to(f, part, 0, h, z0, z1)) return part;
    if (is_final(f)) break;
  }
  return 0;
}

/* The smallest singular value of N at z; NaN if it is not known. */
static double degeneracy(const rattle_problem *problem, const double *z) {
  double smallest = (double)NAN, condition;
  rattle_problem_nondegeneracy(problem, z, z + problem->n, &smallest, &condition, NULL);
  return smallest;
}

/* The same where the last substep that was taken ended, which is found once more in z1. */
static double degeneracy_at(rattle__follower *f, double part, double h, const double *z0,
                            double *z1) {
  return advance_to(f, part, 0, h, z0, z1) ? degeneracy(f->context->problem, z1) : (double)NAN;
}

/* The end of the curve as an error: how far it went, and N at the start of the step and at that
 * end. */
static rattle_status lost(rattle__follower *f, double part, double h, const double *z0, double *z1,
                          rattle_error *error) {
  const rattle_problem *problem = f->context->problem;
  if (is_final(f) || f->failure.status == RATTLE_DOMAIN) {
    if (error) *error = f->failure;
    return f->failure.status;
  }
  int worst = 0;
  for (int i = 1; i < f->count; i++)
    if (fabs(f->last[i]) > fabs(f->last[worst])) worst = i;
  worst %= f->m;
  const char *name = rattle_problem_constraint_name(problem, worst);
  const double before = degeneracy(problem, z0),
               there = part > 0 ? degeneracy_at(f, part, h, z0, z1) : (double)NAN;
  char end[64] = "";
  const char *back = h < 0 && (problem->flags & RATTLE_FORCED)
                         ? ", or a method whose parts do not go back in time, as this one does: "
                           "dampers drive there"
                         : "";
  if (isfinite(there)) rattle__print(end, sizeof end, " and %.3g there", there);
  rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "step too long: the constraint solver lost the solution after %.3g %% of %s, and "
      "what lies beyond belongs to "
      "another sheet of the manifold. Use a smaller step%s. The largest multiplier is that "
      "of constraint '%s'; the "
      "smallest singular value of N = {{H,g_i},g_j} is %.3g at the start of the step%s; "
      "if it is near 0, the "
      "motion has reached a degenerate point, or one where parts of the manifold meet, "
      "beyond which the equations "
      "do not determine it",
      100 * part, f->sought->projection ? "the projection onto the hidden constraints" : "the step",
      back, name, before, end);
  if (error) error->constraint = worst;
  return RATTLE_DEGENERATE;
}

long long rattle__most_along_fibres(void) {
  return (long long)RATTLE__BUDGET * RATTLE__FIBRE_STAGES * RATTLE__FIBRE_SWEEPS;
}

static int may_go_on(const rattle__follower *f) {
  const int share = RATTLE__BUDGET_OF_ALL / f->m;
  return f->context->solutions < (share > RATTLE__BUDGET             ? RATTLE__BUDGET
                                  : share < RATTLE__FEWEST_SOLUTIONS ? RATTLE__FEWEST_SOLUTIONS
                                                                     : share);
}

/* The failure in contexts that leave doubtful steps to others. */
rattle_status rattle__declined(rattle_error *error) {
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                      "step too long: its multipliers are in doubt");
}

/* Neither found nor lost. */
static rattle_status gave_up(const rattle__follower *f, double part, rattle_error *error) {
  return rattle__fail(
      error, RATTLE_NOT_CONVERGED, NULL,
      "step too long: the constraint solver followed the solution through %.3g %% of %s, tried %d "
      "parts of it, and gave "
      "up; use a smaller step",
      100 * part, f->sought->projection ? "the projection onto the hidden constraints" : "the step",
      f->context->solutions);
}

static rattle_status walk(rattle__follower *f, double first, double h, const double *z0, double *z1,
                          rattle_error *error) {
  size_t bytes = (size_t)f->count * sizeof(double);
  double part = first_substep(f, first, h, z0, z1), previous = 0;
  if (part == 0)
    return f->context->asked.declines ? rattle__declined(error) : lost(f, 0, h, z0, z1, error);
  f->length = part;
  for (int i = 0; i < f->count; i++)
    f->last[i] = f->before[i] = (f->multipliers[i] - f->guess_at[i]) / order_of(f, part);
  for (int k = 0; k < RATTLE__TRIALS && part < 1 && may_go_on(f); k++) {
    double next = part + f->length < 1 ? part + f->length : 1,
           slope = previous > 0 ? (next - part) / (part - previous) : 0;
    if (advance_to(f, next, slope, h, z0, z1)) {
      memcpy(f->before, f->last, bytes);
      for (int i = 0; i < f->count; i++)
        f->last[i] = (f->multipliers[i] - f->guess_at[i]) / order_of(f, next);
      previous = part;
      part = next;
      f->length *= 2;
    } else {
      if (f->context->asked.declines) return rattle__declined(error);
      f->length /= 2;
      if (f->length < rattle__shortest_part || is_final(f)) return lost(f, part, h, z0, z1, error);
    }
  }
  return part < 1 ? gave_up(f, part, error) : RATTLE_OK;
}

/* first: the part of the first substep, if it can be so long */
static rattle_status follow_from(rattle__follower *f, double first, double h, const double *z0,
                                 double *z1, rattle_error *error) {
  const rattle__function *g = f->context->problem->g;
  int answer = f->sought->projection ? 0 : g->value(g, z0, f->g0, f->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  if (f->context->followers++ == 0) f->context->solutions = 0;
  f->following = 1;
  f->side = f->refused = 0;
  f->largest = 0;
  find_scale(f, z0);
  for (int k = 0; k < f->directions; k++) direction(f, k, f->seen + (size_t)k * (size_t)f->count);
  rattle_status status = walk(f, first, h, z0, z1, error);
  f->following = 0;
  f->context->followers--;
  memset(f->level, 0, (size_t)f->m * sizeof(double));
  return status;
}

rattle_status rattle__follow(rattle__follower *f, double h, const double *z0, double *z1,
                             rattle_error *error) {
  if (f->context->asked.declines) return rattle__declined(error);
  f->context->counts.followed++;
  return follow_from(f, rattle__first_part, h, z0, z1, error);
}

/* A step without doubt says nothing of what lies between its ends: where it is long it is made
 * again in three parts, which counts as followed if they are not enough. */
static rattle_status retrace(rattle__follower *f, double h, const double *z0, double *z1,
                             rattle_error *error) {
  const rattle_status status = follow_from(f, rattle__retraced_part, h, z0, z1, error);
  f->context->counts.followed += f->refused > 0;
  return status;
}

/* True if a certificate was asked about the step that ended at z1, and what it found. */
static int is_certified(rattle__follower *f, double h, const double *z0, const double *z1,
                        rattle__tracked *found) {
  const struct rattle__asked *asked = &f->context->asked;
  return f->sought->prove && !asked->trusts && !asked->unproved && f->context->followers == 0 &&
         f->sought->prove(f->self, h, z0, z1, found);
}

/* A step that must be followed, to the end of its curve if a certificate knows that. */
static rattle_status follow_to_end(rattle__follower *f, double h, const double *z0, double *z1,
                                   rattle_error *error) {
  rattle__tracked found;
  const rattle_status status = rattle__follow(f, h, z0, z1, error);
  if (status || !is_certified(f, h, z0, z1, &found) || found.answer != RATTLE__TRACK_OTHER)
    return status;
  return rattle__prover_refuse(f->context->problem, &found, error);
}

rattle_status rattle__guarded_step(rattle__follower *f, double h, const double *z0, double *z1,
                                   int insist, rattle_error *error) {
  rattle__course c = {0};
  rattle__tracked found;
  if (insist) return follow_to_end(f, h, z0, z1, error);
  rattle_status status = guess(f, h, z0, error);
  if (status) return status;
  memcpy(f->multipliers, f->guess_at, (size_t)f->count * sizeof(double));
  status = f->sought->solve(f->self, h, z0, z1, &c, error);
  const rattle__judgement judgement = rattle__judge_general_step(f, status, &c, h, z0, z1);
  if (judgement == RATTLE__FOLLOW && f->context->asked.declines) return rattle__declined(error);
  const int far = judgement != RATTLE__SOUND || rattle__left_much(c.history[0], c.history[1]);
  if (!status && far && is_certified(f, h, z0, z1, &found))
    return found.answer == RATTLE__TRACK_RIGHT ? RATTLE_OK : follow_to_end(f, h, z0, z1, error);
  if (judgement == RATTLE__FOLLOW) return follow_to_end(f, h, z0, z1, error);
  return judgement == RATTLE__RETRACE ? retrace(f, h, z0, z1, error) : status;
}
