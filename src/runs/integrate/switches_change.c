/* One change of a switch: constraints begin or end, others with them, energy, the list of changes.
 * See switches.c, which has the symbols. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "runs/integrate/run_hooks.h"
#include "runs/integrate/switches_state.h"

int rattle__switch_has_jumped(const rattle__switches *s, int i) {
  const int k = rattle__switch_condition(s, i, s->za);
  const rattle__switch *is = &s->model->change[i];
  if (!(s->ca[k] > s->bound[k])) return 0;
  return k % 2 || is->side >= 0 || (s->rose[i] && !is->one_sided && !s->fired[i]);
}

static rattle_status note(rattle__switches *s, int i, int direction, double work,
                          rattle_error *error) {
  const size_t n = 2 * (size_t)s->n;
  if (s->changes == s->changes_room) {
    const int room = 2 * s->changes_room + 4;
    rattle__change *grown = realloc(s->change, (size_t)room * sizeof *grown);
    if (grown) s->change = grown;
    double *points = realloc(s->points, (size_t)room * n * sizeof *points);
    if (points) s->points = points;
    if (!grown || !points) return rattle__no_memory(error);
    s->changes_room = room;
  }
  memcpy(s->points + (size_t)s->changes * n, s->za, n * sizeof *s->points);
  s->change[s->changes++] = (rattle__change){.which = i,
                                             .direction = direction,
                                             .fraction = s->a,
                                             .time = rattle__switches_time(s),
                                             .work = work};
  return RATTLE_OK;
}

void rattle__switches_forget(const rattle_integrator *whole, double *at) {
  const rattle__context *c = &whole->context;
  for (int i = 0; i < c->memories; at += c->memory[i++].count)
    if (i >= whole->own && !c->memory[i].stays)
      memset(at, 0, (size_t)c->memory[i].count * sizeof *at);
}

/* The place of `gained` among the declared numbers. */
static double *gained(const rattle__switches *s, const rattle_integrator *whole) {
  const rattle__context *c = &whole->context;
  double *at = s->memory;
  for (int i = 0; i < c->memories && c->memory[i].array != whole->gained; i++)
    at += c->memory[i].count;
  return at;
}

static rattle_status chatters(const rattle__switches *s, int i, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, s->model->change[i].name,
                      "the switch \"%s\" and others change %d times at time %.17g, without an end: "
                      "let what begins a constraint differ from what ends it, or give a "
                      "restitution below 1",
                      s->model->change[i].name, s->at_once, rattle__switches_time(s));
}

static rattle_status too_many(const rattle__switches *s, int i, int changes, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, s->model->change[i].name,
                      "the switch \"%s\" and others change %d times in the step from time %.17g "
                      "on: a constraint with the restitution 1 bounces for ever; give a lower one, "
                      "or a shorter step",
                      s->model->change[i].name, changes, s->t);
}

/* UNSUITABLE: switch i would change once more, too often. */
static rattle_status check_count(rattle__switches *s, int i, rattle_error *error) {
  if (++s->at_once > RATTLE__MOST_CHANGES) return chatters(s, i, error);
  if (s->changes > RATTLE__MOST_IN_STEP) return too_many(s, i, s->changes, error);
  if (s->model->change[i].restitution < 1) return RATTLE_OK;
  int own = 0;
  for (int k = 0; k < s->changes; k++) own += s->change[k].which == i;
  return own > RATTLE__MOST_CHANGES ? too_many(s, i, own, error) : RATTLE_OK;
}

static rattle_status change_parts(rattle__switches *s, int i, rattle__impact *impact,
                                  rattle_error *error) {
  rattle_status status = RATTLE_OK;
  double *z = s->za;
  memset(s->pushed, 0, (size_t)s->count * sizeof *s->pushed);
  memset(s->share, 0, (size_t)s->count * sizeof *s->share);
  const rattle__switch *is = &s->model->change[i];
  const int over = rattle__switch_has_jumped(s, i);
  if (!s->was_on[i] && is->side >= 0 && over) /* it has passed 0, and holds nothing */
    return rattle__switch_side(s, i, 1, z, error);
  if (!s->was_on[i])
    status = rattle__switch_begin(s, i, z, impact, error);
  else if (!(is->one_sided && over)) /* else it settles with the others */
    rattle__switch_set(s, i, 0, z);
  if (!status) status = rattle__switch_side(s, i, 0, z, error);
  return status ? status : rattle__switches_settle(s, i, z, error);
}

/* The energy that H has lost, by those whose impulses took it; switch i has the rest. */
static void account(rattle__switches *s, const rattle_integrator *whole, int i, double change) {
  double all = 0, rest = change, *z = s->za;
  *gained(s, whole) += change;
  for (int k = 0; k < s->count; k++) all += s->share[k];
  for (int k = 0; k < s->count; k++) {
    if (k == i || !(s->share[k] > 0)) continue;
    const double part = s->share[k] / all * change;
    z[s->model->change[k].lost] -= part, rest -= part;
  }
  z[s->model->change[i].lost] -= rest;
}

/* The changes that switch i has made: its own, and those of one-sided constraints. */
static rattle_status note_all(rattle__switches *s, const rattle_integrator *whole, int i,
                              int jumped, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int at = -1; at < s->count && !status; at++) { /* its own is the first */
    if (at == i) continue;
    const int k = at < 0 ? i : at, on = rattle__switch_is_on(s, k, s->za),
              hit = !s->was_on[k] && jumped && (k == i || s->pushed[k]);
    if (on == s->was_on[k] && !hit) continue;
    s->fired[k] = 1;
    status = note(s, k, s->was_on[k] ? -1 : 1, *gained(s, whole), error);
  }
  return status;
}

rattle_status rattle__switch_change(rattle__switches *s, const rattle_integrator *whole, int i,
                                    rattle_error *error) {
  rattle__impact impact = {0};
  double before, after;
  for (int k = 0; k < s->count; k++) s->was_on[k] = rattle__switch_is_on(s, k, s->za);
  rattle_status status = check_count(s, i, error);
  if (!status) status = rattle__switches_energy(s, s->za, &before, error);
  if (!status) status = change_parts(s, i, &impact, error);
  if (!status) status = rattle__switches_energy(s, s->za, &after, error);
  if (status) return status;
  account(s, whole, i, after - before);
  rattle__switches_forget(whole, s->memory);
  if (impact.jumped) memset(s->fired, 0, (size_t)s->count * sizeof *s->fired);
  s->fired[i] = 1;
  return note_all(s, whole, i, impact.jumped, error);
}
