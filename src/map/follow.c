/* Following the multipliers from h = 0.
 *
 * Map      lambda(h') solves g(phi_{h'}(exp(h' sum lambda_i X_{g_i}) z0)) = 0; lambda(h') has a limit for h' -> 0, the multiplier
 *          of the differential equation up to a factor, and is one smooth curve until it meets a fold, where the Jacobian of the
 *          equation is singular. Only the solution on that curve belongs to the step; Newton's iteration from lambda = 0 may
 *          find another, on another sheet of the manifold, and does not notice.
 * Method   natural-parameter continuation in h'; predicted is the guess plus h' times what was missing from it, by secants; a
 * substep is taken where the iteration from the prediction converges as fast as it must (rattle__doubtful), else it is halved
 * Source   seed 000, section 5.4 and Figure 6 (the failure); the guard is the project's own: docs/guards.md
 * Cost     some ten solutions; only in steps that are doubtful */
#include "map/follow.h"

#include <math.h>
#include <string.h>

enum { SAFE = 10, TRIALS = 400 };
static const double first_part = 0.125, shortest_part = 1e-5;

rattle__follower *rattle__follower_create(rattle__context *context, rattle__slide_solver solve, rattle__slide_guess guess,
                                          void *self) {
  return rattle__follower_create_blocks(context, 1, solve, guess, self);
}

rattle__follower *rattle__follower_create_blocks(rattle__context *context, int blocks, rattle__slide_solver solve,
                                                 rattle__slide_guess guess, void *self) {
  rattle__follower *f = rattle__arena_take(&context->arena, sizeof *f);
  if (!f) return NULL;
  size_t m = (size_t)context->problem->m, count = (size_t)blocks * m;
  *f = (rattle__follower){.context = context, .m = (int)m, .count = (int)count, .solve = solve, .guess = guess, .self = self};
  f->last = rattle__arena_doubles(&context->arena, count);
  f->before = rattle__arena_doubles(&context->arena, count);
  f->trial = rattle__arena_doubles(&context->arena, count);
  f->guess_at = rattle__arena_doubles(&context->arena, count);
  f->level = rattle__arena_doubles(&context->arena, m);
  f->g0 = rattle__arena_doubles(&context->arena, m);
  f->work = rattle__arena_doubles(&context->arena, context->problem->g->work);
  memset(f->level, 0, m * sizeof(double));
  return context->arena.failed ? NULL : f;
}

/* Whether the iteration from trial converges at that part of h without doubt; 0 in f->failure.status: it converges, but slowly.
 */
static int reaches(rattle__follower *f, double part, double h, const double *z0, double *z1) {
  rattle__rates rates = rattle__no_doubt;
  for (int i = 0; i < f->m && !f->projection; i++) f->level[i] = (1 - part * part) * f->g0[i];
  f->failure.status = f->solve(f->self, part * h, z0, f->trial, z1, &rates, &f->failure);
  /* the border of a domain is met at once; an iteration that runs away meets it later */
  if (f->failure.status == RATTLE_DOMAIN && rates.residuals > 3) f->failure.status = RATTLE_NOT_CONVERGED;
  return !f->failure.status && !rates.doubtful;
}

/* A failure that no shorter step would mend. */
static int final(const rattle__follower *f) {
  rattle_status status = f->failure.status;
  return status && status != RATTLE_NOT_CONVERGED && status != RATTLE_SINGULAR && status != RATTLE_DOMAIN;
}

static void guess(rattle__follower *f, double h, const double *z0) {
  if (f->guess)
    f->guess(f->self, h, z0, f->guess_at);
  else
    memset(f->guess_at, 0, (size_t)f->count * sizeof(double));
}

/* The first substep, so short that lambda is found from the guess without doubt; 0 where none is. */
static double first_substep(rattle__follower *f, double h, const double *z0, double *z1) {
  double part = first_part;
  for (int k = 0; k < SAFE; k++, part /= 4) {
    guess(f, part * h, z0);
    memcpy(f->trial, f->guess_at, (size_t)f->count * sizeof(double));
    if (reaches(f, part, h, z0, z1)) return part;
    if (final(f)) break;
  }
  return 0;
}

/* The end of the curve as an error: how far it went, and the state of N at the start of the step. */
static rattle_status lost(const rattle__follower *f, double part, const double *z0, rattle_error *error) {
  const rattle_problem *problem = f->context->problem;
  if (final(f) || f->failure.status == RATTLE_DOMAIN) {
    if (error) *error = f->failure;
    return f->failure.status;
  }
  double smallest = (double)NAN, condition = (double)NAN;
  rattle_problem_nondegeneracy(problem, z0, z0 + problem->n, &smallest, &condition, NULL);
  int worst = 0;
  for (int i = 1; i < f->count; i++)
    if (fabs(f->last[i]) > fabs(f->last[worst])) worst = i;
  worst %= f->m;
  const char *name = rattle_problem_constraint_name(problem, worst);
  const char *where = f->projection ? "the slide onto the hidden constraints" : "the step";
  rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "the multipliers can be followed through %.3g of %s only; any solution beyond lies on another sheet of the manifold. The "
      "largest is that of constraint '%s'; the smallest singular value of {{H,g_i},g_j} is %.3g here. Where that is small, "
      "the motion has come to a degenerate point and the equations do not determine it any further; else use a smaller step",
      part, where, name, smallest);
  if (error) error->constraint = worst;
  return RATTLE_DEGENERATE;
}

static rattle_status walk(rattle__follower *f, double h, const double *z0, double *lambda, double *z1, rattle_error *error) {
  size_t bytes = (size_t)f->count * sizeof(double);
  double part = first_substep(f, h, z0, z1), length = part, previous = 0;
  if (part == 0) return lost(f, 0, z0, error);
  for (int i = 0; i < f->count; i++) f->last[i] = f->before[i] = (f->trial[i] - f->guess_at[i]) / part;
  for (int k = 0; k < TRIALS && part < 1; k++) {
    double next = part + length < 1 ? part + length : 1, slope = previous > 0 ? (next - part) / (part - previous) : 0;
    guess(f, next * h, z0);
    for (int i = 0; i < f->count; i++) f->trial[i] = f->guess_at[i] + next * (f->last[i] + slope * (f->last[i] - f->before[i]));
    if (reaches(f, next, h, z0, z1)) {
      memcpy(f->before, f->last, bytes);
      for (int i = 0; i < f->count; i++) f->last[i] = (f->trial[i] - f->guess_at[i]) / next;
      previous = part;
      part = next;
      length *= 2;
    } else {
      length /= 2;
      if (length < shortest_part || final(f)) return lost(f, part, z0, error);
    }
  }
  if (part < 1) return lost(f, part, z0, error);
  memcpy(lambda, f->trial, bytes);
  return RATTLE_OK;
}

rattle_status rattle__follow(rattle__follower *f, double h, const double *z0, double *lambda, double *z1, rattle_error *error) {
  const rattle__function *g = f->context->problem->g;
  f->context->counts.followed++;
  int answer = f->projection ? 0 : g->value(g, z0, f->g0, f->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  rattle_status status = walk(f, h, z0, lambda, z1, error);
  memset(f->level, 0, (size_t)f->m * sizeof(double));
  return status;
}
