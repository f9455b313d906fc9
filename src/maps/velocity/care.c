/* The guard of steps under constraints on velocities: s followed from h = 0.
 *
 * Map        s(h') solves the slide's equation of the step h'; s(0) = N^-1 psi is its limit, and
 *            s(h') is one smooth curve until det J is 0. Newton's iteration may find a solution on
 *            another branch, as beyond half a turn of a blade within a step, and not notice
 * Method     continuation in h': a secant predicts, a substep is taken where the iteration
 *            converges as fast as it must (iterate.h), det J has the sign that it has for short
 *            steps, and J^-1 J' is near 1, J' being that of the last substep; else it is halved */
#include <float.h>
#include <string.h>

#include "ground/support/error.h"
#include "maps/velocity/rolling.h"

/* True if J is another matrix than `shadow`, that of the last substep, both over their parts of h:
 * by the trace of (J^-1 J' - 1)^2, which does not depend on units. It becomes the shadow of the
 * next substep where it is not. */
static int has_changed(rattle__rolling *r, double ratio) {
  const int m = r->m;
  double *E = r->W; /* [m][2n] has room: there are no more constraints than coordinates */
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) r->delta[i] = ratio * r->shadow[i * m + j];
    r->J->solve(r->J, r->delta);
    for (int i = 0; i < m; i++) E[i * m + j] = r->delta[i] - (i == j);
  }
  return rattle__N_changed(m, E);
}

/* A part of the step h that is followed, and where it leads. */
typedef struct substep {
  double from, part, slope; /* parts of h where it begins and ends; of the secant */
  double h;
  const double *z0;
  double *z1;
} substep;

static void predict(rattle__rolling *r, const substep *at) {
  const double part = at->part;
  for (int i = 0; i < r->m; i++)
    r->s[i] = r->limit[i] + part * (r->last[i] + at->slope * (r->last[i] - r->before[i]));
  for (int i = 0; i < r->held; i++) r->level[i] = (1 - part * part) * r->start->g[i];
}

static void take(rattle__rolling *r, const substep *at) {
  const size_t m = (size_t)r->m;
  memcpy(r->shadow, r->J->value, m * m * sizeof *r->shadow);
  memcpy(r->before, r->last, m * sizeof *r->last);
  for (int i = 0; i < r->m; i++) r->last[i] = (r->s[i] - r->limit[i]) / at->part;
  if (at->from == 0) memcpy(r->before, r->last, m * sizeof *r->last);
}

/* *reached: true if the substep is found without doubt. */
static rattle_status reach(rattle__rolling *r, const substep *at, int *reached,
                           rattle_error *error) {
  rattle__course c = {.must_be_near = 1};
  *reached = 0;
  predict(r, at);
  rattle_status status = rattle__rolling_slide(r, at->part * at->h, at->z0, at->z1, &c, error);
  if (!status) status = rattle__rolling_derive(r, error);
  if (status || c.doubtful || (c.k >= 2 && rattle__left_much(c.history[0], c.history[1])))
    return status;
  if (rattle__is_beyond_fold(r->side * rattle__rolling_side(r, at->h))) return status;
  if (has_changed(r, at->from > 0 ? at->part / at->from : -at->part * at->h)) return status;
  take(r, at);
  *reached = 1;
  return status;
}

/* True if a shorter step does not avoid the failure. */
static int is_final(rattle_status status) {
  return status && status != RATTLE_NOT_CONVERGED && status != RATTLE_SINGULAR &&
         status != RATTLE_DOMAIN;
}

static rattle_status lost(const rattle__rolling *r, double part, const rattle_error *why,
                          rattle_error *error) {
  if (why->status && (is_final(why->status) || why->status == RATTLE_DOMAIN)) {
    if (error) *error = *why;
    return why->status;
  }
  const char *name = rattle_problem_constraint_name(r->map.context->problem, r->held);
  return rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "step too long: the constraint solver lost the solution after %.3g %% of the step, and what "
      "lies beyond does not "
      "belong to it, as beyond half a turn of a wheel or a blade within a step. Use a smaller "
      "step; if that does not help, "
      "the motion has reached a point where constraints on velocities depend on each other",
      100 * part);
}

static rattle_status walk(rattle__rolling *r, double h, const double *z0, double *z1,
                          rattle_error *error) {
  double part = 0, previous = 0, length = rattle__first_part;
  rattle_error why = {0};
  for (int k = 0; k < RATTLE__TRIALS && part < 1; k++) {
    const double next = part + length < 1 ? part + length : 1;
    const substep at = {part, next, previous > 0 ? (next - part) / (part - previous) : 0,
                        h,    z0,   z1};
    int reached;
    why.status = RATTLE_OK;
    why.status = reach(r, &at, &reached, &why);
    if (reached) {
      previous = part;
      part = next;
      length *= 2;
      continue;
    }
    length /= 2;
    if (is_final(why.status) || length < rattle__shortest_part) return lost(r, part, &why, error);
  }
  return part < 1 ? lost(r, part, &why, error) : RATTLE_OK;
}

/* C0 H_pp Q0^T, the limit of -J/h */
static void begin_shadow(rattle__rolling *r) {
  const rattle__reaction *at = r->start;
  const int n = r->n, m = r->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += at->C[i * n + k] * at->pushed[j * n + k];
      r->shadow[i * m + j] = sum;
    }
}

rattle_status rattle__rolling_follow(rattle__rolling *r, double h, const double *z0, double *z1,
                                     rattle_error *error) {
  const size_t m = (size_t)r->m;
  if (r->map.context->asked.declines)
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                        "step too long: its multipliers are in doubt");
  r->map.context->counts.followed++;
  memcpy(r->limit, r->start->psi, m * sizeof *r->limit);
  rattle__reaction_solve(r->start, r->limit);
  memset(r->last, 0, m * sizeof *r->last);
  memset(r->before, 0, m * sizeof *r->before);
  begin_shadow(r);
  r->careful = 1;
  const rattle_status status = walk(r, h, z0, z1, error);
  r->careful = 0;
  memset(r->level, 0, m * sizeof *r->level);
  return status;
}
