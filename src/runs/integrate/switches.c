/* Constraints that begin and end within steps.
 *
 * Step     made with the constraints that are on at its start. If a condition rises through 0
 *          in it, the step is made anew in pieces, by an integrator of its own without changes: to
 *          the first such time, located as events are (events.c); there constraints begin or end
 *          (impulse.c); from there on to the end of the step. So a step is a function of its start
 *          alone, and the grid of steps stays
 * Symbols  z0: start of the step h; a: the part of it before the piece at hand, which leads from za
 *          to zb; c: conditions, of switch i 2i (begins) and 2i + 1 (ends)
 * At 0     a condition that is 0 to round-off where a piece begins, and that of a one-sided
 *          constraint which is not below 0, rises through 0 there if its derivative is above 0,
 *          of a one-sided one also if it is 0; else, or if it has just done so, it is
 *          sought as a zero of (c(x) - max(c(0), 0))/x in the piece
 * Energy   what H loses is added to what was gained from outside (rattle_integrator_work) */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "ground/support/zero.h"
#include "method/notation/method.h"
#include "runs/integrate/run_hooks.h"
#include "runs/integrate/switches_state.h"

/* --- pieces ----------------------------------------------------------------------------------- */

static rattle_status make_part(rattle__switches *s, const rattle_integrator *whole,
                               rattle_error *error) {
  rattle_method *method;
  if (s->part) return RATTLE_OK;
  rattle_status status = rattle__method_copy(&method, whole->method, error);
  if (!status) status = rattle__integrator_make(&s->part, s->problem, method, error);
  if (!status) s->part->passive = 1;
  return status;
}

/* z, memory: the end of a piece of that length from za, which begins at that time. */
static rattle_status piece(rattle__switches *s, double time, double length, double *z,
                           double *memory, rattle_error *error) {
  memcpy(z, s->za, 2 * (size_t)s->n * sizeof *z);
  memcpy(memory, s->memory, (size_t)s->extra * sizeof *memory);
  if (length == 0) return RATTLE_OK;
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + s->n, .t0 = time, .h = length};
  rattle_integrator_set_extra(s->part, memory);
  rattle_status status = rattle__integrator_steps(s->part, &state, 1, NULL, error);
  if (!status) status = rattle_integrator_output(s->part, &state, state.q, state.p, error);
  if (!status) rattle_integrator_get_extra(s->part, memory);
  return status;
}

/* The rest of the step, and conditions there. */
static rattle_status go_to_end(rattle__switches *s, rattle_error *error) {
  rattle_status status =
      piece(s, rattle__switches_time(s), (1 - s->a) * s->h, s->zb, s->memory_b, error);
  if (!status) status = rattle__switches_conditions(s, s->zb, s->cb, error);
  if (!status) rattle__switches_slopes(s, s->zb, s->sb);
  return status;
}

/* --- where a condition rises through 0 -------------------------------------------------------- */

typedef struct crossing {
  rattle__switches *s;
  int condition, deflated;
  double sign, to; /* the condition times sign, up to that part of the piece */
  double level;    /* 0, or the value above it from which it falls at first */
  rattle_error *error;
} crossing;

static int at_part(void *self, double x, double *y) {
  const crossing *f = self;
  rattle__switches *s = f->s;
  rattle_status status = piece(s, rattle__switches_time(s), x * f->to * (1 - s->a) * s->h, s->try,
                               s->memory_try, f->error);
  if (!status) status = rattle__switches_conditions(s, s->try, s->values, f->error);
  *y = f->sign * (s->values[f->condition] - f->level);
  if (f->deflated) *y /= x;
  return (int)status;
}

/* True if the condition may not be above 0 where it counts: what ends a constraint, -g of a
 * one-sided one, what `either` begins. */
static int guards(const rattle__switches *s, int i, int k) {
  return k % 2 || s->model->change[i].one_sided || s->model->change[i].side >= 0;
}

/* True if a condition is 0 to round-off at za, or not below 0 where it may not be above. */
static int is_at_zero(const rattle__switches *s, int i, int k) {
  if (guards(s, i, k)) return s->ca[k] >= -s->bound[k];
  return fabs(s->ca[k]) <= s->bound[k];
}

/* True if the condition is below 0 at both ends of a piece of that length, and the tangents there
 * intersect above 0. */
static int dips(const rattle__switches *s, int k, double length) {
  const double e0 = -s->ca[k], e1 = -s->cb[k], fall = -s->sa[k] * length, rise = -s->sb[k] * length;
  return e0 > 0 && e1 > 0 && fall < 0 && rise > 0 &&
         e0 + fall * (e1 - rise - e0) / (fall - rise) <= 0;
}

/* The first of two changes of sign in a piece at whose ends it is below 0. */
static rattle_status seek_pair(crossing *f, double *x, rattle_error *error) {
  rattle__switches *s = f->s;
  const double c0 = s->ca[f->condition], c1 = s->cb[f->condition];
  double y, top;
  (void)error;
  f->sign = -1;
  rattle_status status =
      (rattle_status)rattle__find_dip(at_part, f, (double[]){-c0, -c1}, &top, &y);
  if (status || !(y < 0)) return status;
  f->sign = 1, f->to = top;
  status = (rattle_status)rattle__find_zero(at_part, f, (double[]){c0, -y}, x, &y);
  *x *= top;
  return status;
}

/* *x: the part of the piece after which the condition of switch i rises through 0; 2: it does
 * not. */
static rattle_status seek(rattle__switches *s, int i, double *x, rattle_error *error) {
  const int k = rattle__switch_condition(s, i, s->za), leaves = is_at_zero(s, i, k);
  crossing f = {.s = s, .condition = k, .deflated = leaves, .sign = 1, .to = 1, .error = error};
  if (leaves) f.level = fmax(s->ca[k], 0);
  double ends[2] = {s->ca[k], s->cb[k] - f.level}, y;
  *x = 2;
  if (!leaves && dips(s, k, (1 - s->a) * s->h)) return seek_pair(&f, x, error);
  if (leaves ? !(ends[1] > s->bound[k]) : !(ends[0] < 0 && ends[1] >= 0)) return RATTLE_OK;
  if (leaves) ends[0] = -ends[1];
  if (ends[1] == 0) {
    *x = 1;
    return RATTLE_OK;
  }
  return (rattle_status)rattle__find_zero(at_part, &f, ends, x, &y);
}

/* --- from change to change -------------------------------------------------------------------- */

static rattle_status change_and_go_on(rattle__switches *s, const rattle_integrator *whole, int i,
                                      rattle_error *error) {
  memcpy(s->last, s->ca, 2 * (size_t)s->count * sizeof *s->last);
  rattle_status status = rattle__switch_change(s, whole, i, error);
  if (!status) status = rattle__switches_conditions(s, s->za, s->ca, error);
  for (int k = 0; k < s->count && !status; k++)
    s->rose[k] = k != i && !s->was_on[k] && s->last[2 * k] < 0 && s->ca[2 * k] > 0;
  if (!status) rattle__switches_slopes(s, s->za, s->sa);
  return status ? status : go_to_end(s, error);
}

/* The first switch to change at za: its condition is at 0 and rises, or has jumped above 0; -1:
 * none. */
static rattle_status find_at_once(rattle__switches *s, int *which, rattle_error *error) {
  rattle_status status = rattle__switches_round_off(s, s->za, error);
  for (int i = 0; i < s->count && !status; i++) {
    const int k = rattle__switch_condition(s, i, s->za);
    double slope;
    *which = i;
    if (rattle__switch_has_jumped(s, i)) return RATTLE_OK;
    if (s->fired[i] || !is_at_zero(s, i, k)) continue;
    status = rattle__switches_slope(s, s->za, k, &slope, error);
    if (slope > 0 || (slope == 0 && k % 2 == 0 && s->model->change[i].one_sided)) return status;
  }
  *which = -1;
  return status;
}

/* The first switch to change in the piece, which then ends there; -1: none. */
static rattle_status find_next(rattle__switches *s, int *which, rattle_error *error) {
  double first = 2;
  rattle_status status = RATTLE_OK;
  *which = -1;
  for (int i = 0; i < s->count && !status; i++) {
    double x;
    status = seek(s, i, &x, error);
    if (x < first) first = x, *which = i;
  }
  if (status || *which < 0) return status;
  status =
      piece(s, rattle__switches_time(s), first * (1 - s->a) * s->h, s->try, s->memory_try, error);
  if (status) return status;
  const double a = s->a + first * (1 - s->a);
  memcpy(s->za, s->try, 2 * (size_t)s->n * sizeof *s->za);
  memcpy(s->memory, s->memory_try, (size_t)s->extra * sizeof *s->memory);
  if (a > s->a) memset(s->fired, 0, (size_t)s->count * sizeof *s->fired);
  s->a = a;
  memset(s->rose, 0, (size_t)s->count * sizeof *s->rose);
  if (!rattle__is_round_off(rattle__switches_time(s) - s->since,
                            DBL_EPSILON * fmax(fabs(s->t), fabs(s->h))))
    s->at_once = 0, s->since = rattle__switches_time(s);
  return rattle__switches_conditions(s, s->za, s->ca, error);
}

/* From z0 in pieces to the end, zb. */
static rattle_status make_anew(rattle__switches *s, const rattle_integrator *whole,
                               rattle_error *error) {
  int which = -1;
  rattle_status status = RATTLE_OK;
  for (;;) {
    status = rattle__heed(&whole->context, error);
    if (!status) status = find_at_once(s, &which, error);
    if (!status && which < 0) status = find_next(s, &which, error);
    if (status || which < 0) return status;
    status = change_and_go_on(s, whole, which, error);
    if (status) return status;
  }
}

/* --- steps ------------------------------------------------------------------------------------ */

/* z [2n] of a point of the integrator, which may have the account of work. */
static void take(const rattle__switches *s, const rattle_integrator *whole, double *z) {
  const double *from = whole->z[whole->now];
  memcpy(z, from, (size_t)s->n * sizeof *z);
  memcpy(z + s->n, from + whole->pairs, (size_t)s->n * sizeof *z);
}

static void put(const rattle_integrator *whole, int n, const double *z, const double *memory) {
  double *to = whole->z[whole->now];
  memcpy(to, z, (size_t)n * sizeof *z);
  memcpy(to + whole->pairs, z + n, (size_t)n * sizeof *z);
  rattle__integrator_put_extra((rattle_integrator *)(uintptr_t)whole, memory);
  if (whole->ledger) to[n] = 0, to[whole->pairs + n] = *whole->work_done;
}

/* Impacts lose energy and ropes go slack forward in time: the way back does not follow. */
static rattle_status no_way_back(const rattle__switches *s, rattle_error *error) {
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                      "the step is %g, and the switch \"%s\" knows no way back in time: give a "
                      "step above 0",
                      s->h, s->model->change[0].name);
}

/* NAME.on is 0 or 1: a start may say something else. */
static rattle_status neither(const rattle__switches *s, int i, rattle_error *error) {
  const rattle_model *model = s->model;
  const char *name = model->pair[model->change[i].on].name;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "\"%s\" starts from %g: it is 1 where constraints hold, and 0 otherwise",
                      name, s->z0[model->change[i].on]);
}

rattle_status rattle__switches_leave(rattle_integrator *whole, const rattle_state *state,
                                     long long step, rattle_error *error) {
  rattle__switches *s = (rattle__switches *)whole->switching;
  rattle_status status = RATTLE_OK;
  s->t = rattle__time_after(whole, state, step);
  s->h = rattle__length_after(whole, state, step);
  s->changes = 0;
  if (s->h < 0) return no_way_back(s, error);
  take(s, whole, s->z0);
  rattle_integrator_get_extra(whole, s->memory0);
  memset(s->unset, 0, (size_t)s->count * sizeof *s->unset); /* `back` reads all after a failure */
  for (int i = 0; i < s->count && !status; i++) {
    const int side = s->model->change[i].side;
    const double on = s->z0[s->model->change[i].on];
    if (on != 0 && on != 1) return neither(s, i, error);
    s->unset[i] = side >= 0 && s->z0[side] == 0;
    if (!s->unset[i]) continue;
    status = rattle__switch_side(s, i, 1, s->z0, error);
    whole->z[whole->now][side] = s->z0[side];
  }
  return status;
}

void rattle__switches_back(rattle_integrator *whole) {
  const rattle__switches *s = (const rattle__switches *)whole->switching;
  for (int i = 0; i < s->count; i++)
    if (s->unset[i]) whole->z[whole->now][s->model->change[i].side] = 0;
}

/* True if nothing can change in a step between whose ends conditions are clear of 0. */
static int is_calm(const rattle__switches *s) {
  for (int i = 0; i < s->count; i++) {
    const int k = rattle__switch_condition(s, i, s->z0);
    const double c0 = s->ca[k], c1 = s->cb[k];
    if (!(c0 < 0 && c1 < 0) && (guards(s, i, k) || !(c0 > 0 && c1 > 0))) return 0;
    if (dips(s, k, s->h)) return 0;
  }
  return 1;
}

/* Conditions and their derivatives at z0, which may be the end of the last step. */
static rattle_status look_at_start(rattle__switches *s, rattle_error *error) {
  const size_t all = 2 * (size_t)s->count * sizeof(double);
  if (s->seen && !memcmp(s->zc, s->z0, 2 * (size_t)s->n * sizeof *s->zc)) {
    memcpy(s->ca, s->cc, all);
    memcpy(s->sa, s->sc, all);
    return RATTLE_OK;
  }
  const rattle_status status = rattle__switches_conditions(s, s->z0, s->ca, error);
  if (!status) rattle__switches_slopes(s, s->z0, s->sa);
  return status;
}

rattle_status rattle__switches_act(rattle_integrator *whole, const rattle_state *state,
                                   int *changed, rattle_error *error) {
  rattle__switches *s = (rattle__switches *)whole->switching;
  (void)state;
  take(s, whole, s->zb);
  rattle_status status = look_at_start(s, error);
  if (!status) status = rattle__switches_conditions(s, s->zb, s->cb, error);
  if (!status) rattle__switches_slopes(s, s->zb, s->sb);
  if (!status && is_calm(s)) {
    memcpy(s->zc, s->zb, 2 * (size_t)s->n * sizeof *s->zc);
    memcpy(s->cc, s->cb, 2 * (size_t)s->count * sizeof *s->cc);
    memcpy(s->sc, s->sb, 2 * (size_t)s->count * sizeof *s->sc);
    s->seen = 1;
    return RATTLE_OK;
  }
  if (!status) status = rattle__switches_reach(s, error);
  memcpy(s->za, s->z0, 2 * (size_t)s->n * sizeof *s->za);
  memcpy(s->memory, s->memory0, (size_t)s->extra * sizeof *s->memory);
  memset(s->fired, 0, (size_t)s->count * sizeof *s->fired);
  memset(s->rose, 0, (size_t)s->count * sizeof *s->rose);
  s->a = 0, s->at_once = 0, s->since = s->t;
  if (!status) status = make_part(s, whole, error);
  if (!status) status = make_anew(s, whole, error);
  if (status) {
    put(whole, s->n, s->z0, s->memory0);
    return status;
  }
  for (int i = 0; i < s->changes; i++) s->change[i].z = s->points + (size_t)i * 2 * (size_t)s->n;
  *changed = s->changes > 0 || s->at_once > 0 || s->a > 0;
  if (!*changed) return RATTLE_OK;
  rattle__switches_forget(whole, s->memory_b); /* its last piece was another step */
  put(whole, s->n, s->zb, s->memory_b);
  return RATTLE_OK;
}

int rattle__switches_change(const rattle_integrator *integrator, int i, rattle__change *change) {
  const rattle__switches *s = (const rattle__switches *)integrator->switching;
  if (!s || i >= s->changes) return 0;
  *change = s->change[i];
  return 1;
}
