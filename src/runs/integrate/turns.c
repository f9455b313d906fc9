/* Angles in steps: an atan2 that H, a constraint or a force depends on may not jump in a step, and
 * angles that count turns are continued from step to step (problem/model/turning.c).
 *
 * Jump     an angle in (-pi, pi] that is another one by more than pi after the step has passed the
 *          cut at pi, if it turns by less than half a turn in the step
 * Turns    the angle is r + a with a in (-pi, pi]; before a step with |a| > pi/2, r becomes the
 *          multiple of pi that is nearest to the angle, so that a is a quarter of a turn at most
 * Symbols  a [count] at the start and the end of a step; yx [2 count]
 * Not done where maps keep past steps, which would be of another r: those end at the jump */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "runs/integrate/integrator.h"

struct rattle__turns {
  const rattle_problem *problem;
  int n, pairs, count, moves; /* moves: r may change */
  int *pair;                  /* of the angles that count turns, else -1 */
  double *start, *end;        /* a */
  double *yx, *work, *z;      /* z: (q, p) of the problem [2n] */
  double *moved;              /* the point with another r [2 pairs] */
  int (*examine)(void *self, const double *z);
  void *examiner; /* who else looks at the steps of a run */
};

static const double pi = 3.14159265358979323846;

void rattle__turns_plan(rattle_integrator *s, int own) {
  rattle__arena *arena = &s->context.arena;
  const rattle__function *f = s->problem->angles;
  const rattle_model *model = s->problem->model;
  if (!f) return;
  struct rattle__turns *t = s->turns = rattle__arena_take(arena, sizeof *t);
  if (!t) return;
  const int count = f->rows / 2;
  *t = (struct rattle__turns){.problem = s->problem,
                              .n = s->n,
                              .pairs = s->pairs,
                              .count = count,
                              .moves = s->extra == own || s->map->late};
  t->pair = rattle__arena_take(arena, (size_t)count * sizeof *t->pair);
  t->start = rattle__arena_doubles(arena, (size_t)count);
  t->end = rattle__arena_doubles(arena, (size_t)count);
  t->yx = rattle__arena_doubles(arena, (size_t)f->rows);
  t->work = rattle__arena_doubles(arena, f->work);
  t->z = rattle__arena_doubles(arena, 2 * (size_t)s->n);
  t->moved = rattle__arena_doubles(arena, 2 * (size_t)s->pairs);
  for (int i = 0; t->pair && i < count; i++) {
    t->pair[i] = -1;
    for (int k = 0; k < model->turnings; k++)
      if (model->turning[k].angle == s->problem->angle[i]) t->pair[i] = model->turning[k].pair;
  }
}

static void evaluate(const struct rattle__turns *t, const double *z, double *a) {
  const rattle__function *f = t->problem->angles;
  memcpy(t->z, z, (size_t)t->n * sizeof *z);
  memcpy(t->z + t->n, z + t->pairs, (size_t)t->n * sizeof *z);
  f->value(f, t->z, t->yx, t->work);
  for (int i = 0; i < t->count; i++) a[i] = atan2(t->yx[2 * i], t->yx[2 * i + 1]);
}

/* True if angle i is to be measured from elsewhere. */
static int is_far(const struct rattle__turns *t, int i, const double *a) {
  return t->moves && t->pair[i] >= 0 && fabs(a[i]) > pi / 2;
}

static int any_is_far(const struct rattle__turns *t, const double *a) {
  for (int i = 0; i < t->count; i++)
    if (is_far(t, i, a)) return 1;
  return 0;
}

void rattle__turns_begin(rattle_integrator *s, const double **z) {
  struct rattle__turns *t = s->turns;
  evaluate(t, *z, t->start);
  if (!any_is_far(t, t->start)) return;
  memcpy(t->moved, *z, 2 * (size_t)t->pairs * sizeof **z);
  for (int i = 0; i < t->count; i++) {
    double *r = t->moved + t->pair[i];
    if (is_far(t, i, t->start)) *r = pi * round((*r + t->start[i]) / pi);
  }
  *z = t->moved;
  evaluate(t, *z, t->start);
}

/* The angle that jumps in the step, -1: none. */
static int jumps(const struct rattle__turns *t) {
  for (int i = 0; i < t->count; i++)
    if (fabs(t->end[i] - t->start[i]) > pi) return i;
  return -1;
}

static rattle_status say(const rattle_integrator *s, int i, rattle_error *error) {
  const struct rattle__turns *t = s->turns;
  const rattle_model *model = s->problem->model;
  char angle[160];
  rattle_expr_print(model->graph, s->problem->angle[i], rattle__model_variable_name,
                    (void *)(uintptr_t)model, angle, sizeof angle);
  if (t->pair[i] >= 0 && t->moves)
    return rattle__fail(error, RATTLE_DOMAIN, angle,
                        "the angle that is counted from '%s' turns by more than a quarter of a "
                        "turn in the step: use a smaller step",
                        model->pair[t->pair[i]].name);
  if (t->pair[i] >= 0)
    return rattle__fail(error, RATTLE_DOMAIN, angle,
                        "the angle that is counted from '%s' passes pi, and %s, which keeps past "
                        "steps, cannot count turns: use %s",
                        model->pair[t->pair[i]].name, rattle_method_text(s->method),
                        rattle__symmetric_map(s->problem));
  return rattle__fail(
      error, RATTLE_DOMAIN, angle,
      "the angle %s passes pi in the step and jumps by 2 pi, and the motion depends "
      "on it: turning_angle(y, x) in place of atan2(y, x) counts turns, and sin and "
      "cos of an angle do not jump",
      angle);
}

rattle_status rattle__turns_hold(rattle_integrator *s, const double *z, rattle_error *error) {
  struct rattle__turns *t = s->turns;
  evaluate(t, z, t->end);
  const int i = jumps(t);
  return i < 0 ? RATTLE_OK : say(s, i, error);
}

rattle_status rattle__turns_ahead(rattle_integrator *s, double h, rattle_error *error) {
  struct rattle__turns *t = s->turns;
  const rattle__mass *W = t ? rattle__inertia(s->problem) : NULL;
  if (!W) return RATTLE_OK;
  const double *z = s->z[s->now];
  rattle__turns_begin(s, &z);
  memcpy(s->out, z, 2 * (size_t)t->pairs * sizeof *z);
  for (int k = 0; k < t->n; k++)
    s->out[k] += h * (k == W->clock - 1 ? 1 : rattle__mass_times(W, 1, k, z + t->pairs));
  return rattle__turns_hold(s, s->out, error);
}

static int look(void *self, const double *z) {
  struct rattle__turns *t = self;
  evaluate(t, z, t->end);
  if (jumps(t) >= 0 || any_is_far(t, t->end)) return 1;
  if (t->examine && t->examine(t->examiner, z)) return 1;
  memcpy(t->start, t->end, (size_t)t->count * sizeof *t->end);
  return 0;
}

int rattle__turns_watch(rattle_integrator *s) {
  struct rattle__turns *t = s->turns;
  struct rattle__asked *asked = &s->context.asked;
  evaluate(t, s->z[s->now], t->start);
  if (any_is_far(t, t->start)) return 0;
  t->examine = asked->examine, t->examiner = asked->examiner;
  asked->examine = look, asked->examiner = t;
  return 1;
}
