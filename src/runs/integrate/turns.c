/* Angles in steps: an atan2 that H, a constraint or a force depends on may not jump in a step, and
 * angles that count turns are continued from step to step (problem/model/turning.c).
 *
 * Jump     an angle in (-pi, pi] that is another one by more than pi after the step has passed the
 *          cut at pi, if it turns by less than half a turn in the step. It has turned by more where
 *          its change is more than pi from that by its rates, h (L0 + L1)/(2 max(|r0|^2, |r1|^2)),
 *          r = (x, y), L = x y' - y x': another number of turns is nearer to them. The mean rate
 *          where |r| stays; at most 1 on a straight way past r = 0, with the sign of the change
 * Halves   an atan(y/x) in (-pi/2, pi/2) jumps by pi where x passes 0: it is another one by more
 *          than pi/2 from that by its rates, and x has changed its sign
 * Flip     r goes through 0 and the angle jumps by pi: that by rates with pi is nearest to its
 *          change, and the change is against both L, as that of (1 + cos u, sin u) at u = pi, or r
 *          comes straight to 0 but for round-off
 * Pole     of the solution y/x of a coordinate without mass, or one beside it: x changes its sign
 *          and y does not, or y/x changes against its rate at both ends, L/x^2, as (y + c)/x does
 *          where both change it; y/x that is finite where both pass 0 does not
 * Turns    the angle is r + a with a in (-pi, pi]; before a step with |a| > pi/2, r becomes the
 *          multiple of pi that is nearest to the angle, so that a is a quarter of a turn at most
 * Symbols  a, L, |r|^2 at the start and the end of a step [count]; yx [2 count]
 * Not done where maps keep past steps, which would be of another r: those end at the jump */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "problem/functions/probe.h"
#include "problem/model/model.h"
#include "runs/integrate/integrator.h"

/* The direction of an angle, and how it turns. */
typedef struct direction {
  double a, L, square, x, y;
} direction;

struct rattle__turns {
  const rattle_problem *problem;
  int n, pairs, count, moves; /* moves: r may change */
  int *pair;                  /* of the angles that count turns, else -1 */
  double *period;             /* by what they jump, 2 pi or, of atan and y/x, pi */
  direction *start, *end;
  double h;              /* of the step */
  rattle__probe *probe;  /* of velocities that are not M^-1 p */
  int reacts;            /* 1: angles depend on what multipliers do to them */
  double *yx, *J, *work; /* of problem->angles */
  double *z, *zdot;      /* (q, p) of the problem and its change [2n] */
  double *moved;         /* the point with another r [2 pairs] */
  int (*examine)(void *self, const double *z);
  void *examiner; /* who else looks at the steps of a run */
};

static const double pi = 3.14159265358979323846;

/* How q' is found, and where an angle depends on p, p'. */
static rattle_status plan_velocity(struct rattle__turns *t, rattle_error *error) {
  const rattle_problem *problem = t->problem;
  const rattle__function *f = problem->angles;
  int momenta = 0;
  for (int e = 0; e < f->jac_nnz; e++) momenta |= f->jac_col[e] >= t->n;
  if (!momenta && rattle__inertia(problem)) return RATTLE_OK;
  t->reacts =
      problem->velocity || (problem->m && (momenta || !(problem->flags & RATTLE_HOLONOMIC)));
  return rattle__probe_create(
      &t->probe, problem, t->reacts ? RATTLE__PROBE_MULTIPLIERS : RATTLE__PROBE_RESIDUALS, error);
}

rattle_status rattle__turns_plan(rattle_integrator *s, int own, rattle_error *error) {
  rattle__arena *arena = &s->context.arena;
  const rattle__function *f = s->problem->angles;
  const rattle_model *model = s->problem->model;
  if (!f) return RATTLE_OK;
  struct rattle__turns *t = s->turns = rattle__arena_take(arena, sizeof *t);
  if (!t) return RATTLE_OK; /* which the arena says */
  const int count = f->rows / 2;
  *t = (struct rattle__turns){.problem = s->problem,
                              .n = s->n,
                              .pairs = s->pairs,
                              .count = count,
                              .moves = s->extra == own || s->map->late};
  t->pair = rattle__arena_take(arena, (size_t)count * sizeof *t->pair);
  t->period = rattle__arena_doubles(arena, (size_t)count);
  t->start = rattle__arena_take(arena, (size_t)count * sizeof *t->start);
  t->end = rattle__arena_take(arena, (size_t)count * sizeof *t->end);
  t->yx = rattle__arena_doubles(arena, (size_t)f->rows);
  t->J = rattle__arena_doubles(arena, (size_t)f->jac_nnz);
  t->work = rattle__arena_doubles(arena, f->work);
  t->z = rattle__arena_doubles(arena, 2 * (size_t)s->n);
  t->zdot = rattle__arena_doubles(arena, 2 * (size_t)s->n);
  t->moved = rattle__arena_doubles(arena, 2 * (size_t)s->pairs);
  for (int i = 0; t->pair && t->period && i < count; i++) {
    const rattle_op op = rattle_expr_op(model->graph, s->problem->angle[i]);
    t->period[i] = op == RATTLE_OP_ATAN2 ? 2 * pi : pi;
    t->pair[i] = -1;
    for (int k = 0; k < model->turnings; k++)
      if (model->turning[k].angle == s->problem->angle[i]) t->pair[i] = model->turning[k].pair;
  }
  return arena->failed ? RATTLE_OK : plan_velocity(t, error);
}

void rattle__turns_release(rattle_integrator *s) {
  if (s->turns) rattle__probe_destroy(&s->turns->probe);
}

/* q' without constraints, from p. */
static void drift(const struct rattle__turns *t, const double *p, double *qdot) {
  const rattle__mass *W = rattle__inertia(t->problem);
  for (int k = 0; k < t->n; k++) qdot[k] = k == W->clock - 1 ? 1 : rattle__mass_times(W, 1, k, p);
}

/* zdot where z is, as far as angles depend on it; 0: it is not known. */
static int find_velocity(const struct rattle__turns *t) {
  if (!t->probe) {
    drift(t, t->z + t->n, t->zdot);
    return 1;
  }
  rattle__probe_place(t->probe, t->z, t->z + t->n);
  return !(t->reacts ? rattle__probe_velocity : rattle__probe_field)(t->probe, t->zdot, NULL);
}

/* The derivative of row r of the angles along zdot. */
static double change(const struct rattle__turns *t, int r) {
  const rattle__function *f = t->problem->angles;
  double sum = 0;
  for (int e = f->jac_ptr[r]; e < f->jac_ptr[r + 1]; e++) sum += t->J[e] * t->zdot[f->jac_col[e]];
  return sum;
}

static void evaluate(const struct rattle__turns *t, const double *z, direction *d) {
  const rattle__function *f = t->problem->angles;
  memcpy(t->z, z, (size_t)t->n * sizeof *z);
  memcpy(t->z + t->n, z + t->pairs, (size_t)t->n * sizeof *z);
  f->jacobian(f, t->z, t->yx, t->J, t->work);
  const int known = find_velocity(t);
  for (int i = 0; i < t->count; i++) {
    const double y = t->yx[2 * i], x = t->yx[2 * i + 1];
    d[i] = (direction){t->period[i] > pi ? atan2(y, x) : atan(y / x), NAN, x * x + y * y, x, y};
    if (known) d[i].L = x * change(t, 2 * i) - y * change(t, 2 * i + 1);
  }
}

/* True if angle i is to be measured from elsewhere. */
static int is_far(const struct rattle__turns *t, int i, const direction *d) {
  return t->moves && t->pair[i] >= 0 && fabs(d[i].a) > pi / 2;
}

static int any_is_far(const struct rattle__turns *t, const direction *d) {
  for (int i = 0; i < t->count; i++)
    if (is_far(t, i, d)) return 1;
  return 0;
}

void rattle__turns_begin(rattle_integrator *s, const double **z) {
  struct rattle__turns *t = s->turns;
  evaluate(t, *z, t->start);
  if (!any_is_far(t, t->start)) return;
  memcpy(t->moved, *z, 2 * (size_t)t->pairs * sizeof **z);
  for (int i = 0; i < t->count; i++) {
    double *r = t->moved + t->pair[i];
    if (is_far(t, i, t->start)) *r = pi * round((*r + t->start[i].a) / pi);
  }
  *z = t->moved;
  evaluate(t, *z, t->start);
}

static double by_rates(const struct rattle__turns *t, int i) {
  const direction *from = t->start + i, *to = t->end + i;
  return 0.5 * t->h * (from->L + to->L) / fmax(from->square, to->square);
}

/* True if the straight way of the direction goes through 0, as far as its digits tell. */
static int is_through(const direction *from, const direction *to) {
  const double across = from->x * to->y - from->y * to->x,
               along = from->x * to->x + from->y * to->y;
  return along <= 0 && rattle__is_round_off(across, DBL_EPSILON * sqrt(from->square * to->square));
}

/* True if the direction of an angle goes through 0. */
static int flips(const struct rattle__turns *t, int i) {
  const direction *from = t->start + i, *to = t->end + i;
  const double turned = to->a - from->a;
  const int by_pi = fabs(round((turned - by_rates(t, i)) / pi)) == 1,
            against = t->h * from->L * turned < 0 && t->h * to->L * turned < 0;
  return t->period[i] > pi && by_pi && (is_through(from, to) || (fabs(turned) <= pi && against));
}

static int is_pole(const struct rattle__turns *t, int i) {
  const rattle_op op = rattle_expr_op(t->problem->graph, t->problem->angle[i]);
  return op != RATTLE_OP_ATAN && op != RATTLE_OP_ATAN2;
}

/* True if direction i, of y/x, comes past a pole, or where it has no value. */
static int passes_pole(const struct rattle__turns *t, int i) {
  const direction *from = t->start + i, *to = t->end + i;
  const double turned = to->a - from->a;
  if (!isfinite(to->y) || !isfinite(to->x)) return 1;
  return from->x * to->x <= 0 &&
         (from->y * to->y > 0 || (t->h * from->L * turned < 0 && t->h * to->L * turned < 0));
}

/* The angle that jumps in the step, -1: none. */
static int jumps(const struct rattle__turns *t) {
  for (int i = 0; i < t->count; i++) {
    if (is_pole(t, i)) {
      if (passes_pole(t, i)) return i;
      continue;
    }
    const double turned = t->end[i].a - t->start[i].a;
    const double off = fabs(turned - by_rates(t, i));
    const int half = t->period[i] == pi;
    if (half ? t->start[i].x * t->end[i].x <= 0 && off > pi / 2
             : fabs(turned) > pi || off > pi || flips(t, i))
      return i;
  }
  return -1;
}

static rattle_status say_pole(const rattle_model *model, rattle_expr e, const char *text,
                              rattle_error *error) {
  const char *name = rattle__model_solution_with(model, e);
  const rattle_op op = rattle_expr_op(model->graph, e);
  const int ends =
      op == RATTLE_OP_SQRT || op == RATTLE_OP_POW || op == RATTLE_OP_ASIN || op == RATTLE_OP_ACOS;
  return rattle__fail(error, RATTLE_DOMAIN, name,
                      "coordinate '%s', which has no mass, %s of %s in the step, where "
                      "no value balances the forces on it or keeps its constraint: end the run "
                      "before, by an event, use a smaller step if the motion turns back, or give "
                      "it a mass",
                      name, ends ? "leaves the domain" : "passes a pole", text);
}

static rattle_status say(const rattle_integrator *s, int i, rattle_error *error) {
  const struct rattle__turns *t = s->turns;
  const rattle_model *model = s->problem->model;
  char angle[160];
  rattle_expr_print(model->graph, s->problem->angle[i], rattle__model_variable_name,
                    (void *)(uintptr_t)model, angle, sizeof angle);
  if (is_pole(t, i)) return say_pole(model, s->problem->angle[i], angle, error);
  if (t->pair[i] >= 0 && flips(t, i))
    return rattle__fail(error, RATTLE_DOMAIN, angle,
                        "the direction of the angle that is counted from '%s' goes through (0, 0) "
                        "in the step, where it has no value and turns cannot be counted: count the "
                        "angle of a direction that does not vanish, or let the motion pass beside",
                        model->pair[t->pair[i]].name);
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
  if (flips(t, i))
    return rattle__fail(error, RATTLE_DOMAIN, angle,
                        "the direction of the angle %s goes through (0, 0) in the step, where it "
                        "jumps by pi, and the motion depends on it: write it by a direction that "
                        "does not vanish, as turning_angle(y, x) for 2*atan2(y, x + sqrt(x^2 + "
                        "y^2))",
                        angle);
  if (t->period[i] == pi)
    return rattle__fail(error, RATTLE_DOMAIN, angle,
                        "the angle %s, which is between -pi/2 and pi/2, jumps by pi in the step, "
                        "and the motion depends on it: turning_angle(y, x) in place of atan(y/x) "
                        "counts turns, and atan2(y, x) is that angle between -pi and pi",
                        angle);
  return rattle__fail(
      error, RATTLE_DOMAIN, angle,
      "the angle %s passes pi in the step and jumps by 2 pi, and the motion depends "
      "on it: turning_angle(y, x) in place of atan2(y, x) counts turns, and sin and "
      "cos of an angle do not jump",
      angle);
}

static rattle_status hold(rattle_integrator *s, double h, const double *z, rattle_error *error) {
  struct rattle__turns *t = s->turns;
  t->h = h;
  evaluate(t, z, t->end);
  const int i = jumps(t);
  return i < 0 ? RATTLE_OK : say(s, i, error);
}

rattle_status rattle__turns_hold(rattle_integrator *s, double h, const double *z,
                                 rattle_error *error) {
  return hold(s, s->map->late ? s->map->length : h, z, error);
}

rattle_status rattle__turns_ahead(rattle_integrator *s, double h, rattle_error *error) {
  struct rattle__turns *t = s->turns;
  if (!t || !rattle__inertia(s->problem)) return RATTLE_OK;
  const double *z = s->z[s->now];
  rattle__turns_begin(s, &z);
  memcpy(s->out, z, 2 * (size_t)t->pairs * sizeof *z);
  drift(t, z + t->pairs, t->zdot);
  for (int k = 0; k < t->n; k++) s->out[k] += h * t->zdot[k];
  return hold(s, h, s->out, error);
}

static int look(void *self, const double *z) {
  struct rattle__turns *t = self;
  evaluate(t, z, t->end);
  if (jumps(t) >= 0 || any_is_far(t, t->end)) return 1;
  if (t->examine && t->examine(t->examiner, z)) return 1;
  memcpy(t->start, t->end, (size_t)t->count * sizeof *t->end);
  return 0;
}

int rattle__turns_watch(rattle_integrator *s, double h) {
  struct rattle__turns *t = s->turns;
  struct rattle__asked *asked = &s->context.asked;
  t->h = h;
  evaluate(t, s->z[s->now], t->start);
  if (any_is_far(t, t->start)) return 0;
  t->examine = asked->examine, t->examiner = asked->examiner;
  asked->examine = look, asked->examiner = t;
  return 1;
}
