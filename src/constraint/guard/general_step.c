/* The rules for steps of maps in general: Newton's matrix at its first iterate, and what lies
 * between the ends of a step that converged. */
#include <string.h>

#include "constraint/guard/follow.h"
#include "constraint/guard/power_iteration.h"
#include "constraint/guard/rules/rules.h"

/* --- before the first correction -------------------------------------------------------------- */

/* J^-1 J_0 - 1 of the step at hand */
typedef struct change_of_step {
  const rattle__follower *f;
  double h;
} change_of_step;

static int change(void *self, const double *v, double *y) {
  const change_of_step *step = self;
  const rattle__follower *f = step->f;
  const int known = f->sought->from_limit(f->self, step->h, v, y);
  for (int i = 0; i < f->count; i++) y[i] -= v[i];
  return known;
}

int rattle__jacobian_far_from_limit(rattle__follower *f, double h, const double *z0) {
  if (f->following) return 0;
  change_of_step step = {f, h};
  rattle__follower_probe(f, z0);
  for (int which = 0; which < (f->count > 1 ? 2 : 1); which++) {
    const double *v = which ? f->multipliers : f->compass;
    if (!f->sought->from_limit(f->self, h, v, f->x)) return 0;
    if (!rattle__differs_by(f->count, f->x, v)) continue;
    memcpy(f->last, v, (size_t)f->count * sizeof *v);
    if (rattle__spectral_radius_above_half(f->count, change, &step, f->last, f->x)) return 1;
  }
  return 0;
}

/* --- between the ends ------------------------------------------------------------------------- */

/* True if a step over constraints g(q) that are not all quadratic goes far from tangential, as 0.4
 * radians on a circle. */
static int is_far_from_tangential(rattle__follower *f, double h, const double *z0,
                                  const double *z1) {
  const rattle_problem *problem = f->context->problem;
  const rattle__function *g = problem->g;
  const int n = problem->n;
  rattle__probe *probe = f->context->probe;
  rattle__linear *N = NULL;
  if (!f->G || f->context->asked.declines) return 0;
  rattle__follower_probe(f, z0);
  if (rattle__probe_matrix(probe, &N, NULL) || !N || g->jacobian(g, z0, f->g0, f->G, f->work))
    return 0;
  rattle__work work = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    const double p = 0.5 * (z0[n + k] + z1[n + k]), dq = h < 0 ? z0[k] - z1[k] : z1[k] - z0[k];
    rattle__add_work(&work, dq, z1[k], p, p);
  }
  rattle__probe_sizes(probe, f->x);
  for (int i = 0; i < f->m; i++) {
    double change = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      change += f->G[k] * (z1[g->jac_col[k]] - z0[g->jac_col[k]]);
    if (work.with > 0 && rattle__exceeds(change, f->x[i], rattle__far_in_general, work, h))
      return 1;
  }
  return 0;
}

/* True if a step whose first correction left much changes N on its way, as where H has a period and
 * the ends look alike. */
static int has_returned(rattle__follower *f, const rattle__course *c, const double *z0,
                        const double *z1) {
  return f->guard && !f->context->asked.declines &&
         rattle__left_much(c->history[0], c->history[1]) &&
         rattle__nondegeneracy_returned(f->guard, z0, z1, f->multipliers);
}

rattle__judgement rattle__judge_general_step(rattle__follower *f, rattle_status status,
                                             const rattle__course *c, double h, const double *z0,
                                             const double *z1) {
  if (rattle__must_follow(status, c)) return RATTLE__FOLLOW;
  if (status || !f->directions || f->context->asked.trusts) return RATTLE__SOUND;
  const int open = is_far_from_tangential(f, h, z0, z1) || has_returned(f, c, z0, z1);
  return open ? RATTLE__RETRACE : RATTLE__SOUND;
}
