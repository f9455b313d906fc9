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
#include "maps/velocity/substeps.h"

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

static void predict(rattle__rolling *r, const rattle__rolling_part *at) {
  const double part = at->part;
  for (int i = 0; i < r->m; i++)
    r->s[i] = r->limit[i] + part * (r->last[i] + at->slope * (r->last[i] - r->before[i]));
  for (int i = 0; i < r->held; i++) r->level[i] = (1 - part * part) * r->start->g[i];
}

static void take(rattle__rolling *r, const rattle__rolling_part *at) {
  const size_t m = (size_t)r->m;
  memcpy(r->shadow, r->J->value, m * m * sizeof *r->shadow);
  memcpy(r->before, r->last, m * sizeof *r->last);
  for (int i = 0; i < r->m; i++) r->last[i] = (r->s[i] - r->limit[i]) / at->part;
  if (at->from == 0) memcpy(r->before, r->last, m * sizeof *r->last);
}

int rattle__rolling_came_near(const rattle__course *c, int side) {
  return !c->doubtful && !(c->k >= 2 && rattle__left_much(c->history[0], c->history[1])) &&
         !rattle__is_beyond_fold(side);
}

/* *reached: true if the substep is found without doubt. */
static rattle_status reach(void *self, const rattle__rolling_part *at, int *reached,
                           rattle_error *error) {
  rattle__rolling *r = self;
  rattle__course c = {.must_be_near = 1};
  *reached = 0;
  predict(r, at);
  rattle_status status = rattle__rolling_slide(r, at->part * at->h, at->z0, at->z1, &c, error);
  if (!status) status = rattle__rolling_derive(r, error);
  if (status || !rattle__rolling_came_near(&c, r->side)) return status;
  if (has_changed(r, at->from > 0 ? at->part / at->from : -at->part * at->h)) return status;
  take(r, at);
  *reached = 1;
  return status;
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
  memcpy(r->limit, r->start->psi, m * sizeof *r->limit);
  rattle__reaction_solve(r->start, r->limit);
  memset(r->last, 0, m * sizeof *r->last);
  memset(r->before, 0, m * sizeof *r->before);
  begin_shadow(r);
  r->careful = 1;
  const rattle_status status = rattle__rolling_walk(r->map.context, reach, r, h, z0, z1, error);
  r->careful = 0;
  memset(r->level, 0, m * sizeof *r->level);
  return status;
}
