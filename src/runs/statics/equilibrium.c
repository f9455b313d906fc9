/* Equilibria: Newton's method along the directions of motion, with steps that go down the potential
 * where there is one.
 *
 * Step      K x = gamma; down the potential with |kappa_i| in place of the eigenvalues kappa_i of
 *           K, so that x goes away from saddles (Y. N. Dauphin et al., NIPS 27 (2014) 2933, section
 *           5), first along those directions in which it falls by more than its round-off. It is
 *           halved until the potential falls by a quarter of what K says, so that an angle whose
 *           stiffness is near 0 at the start does not go turns away; where no direction is left,
 *           until |gamma| falls. A direction without stiffness, to round-off, is none then
 * End       convergence is quadratic: a step of less than the root of round-off is the last but
 *           one or two. It ends when steps do not become shorter any more, or, at the bottom of a
 *           potential of higher degree, are below round-off and become shorter by their rate
 *           alone */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "ground/support/flag.h"
#include "ground/support/largest.h"
#include "ground/support/sized.h"
#include "problem/model/model.h"
#include "runs/statics/sparse.h"
#include "runs/statics/steady.h"

enum { STEPS = 300, HALVES = 50 };
static const double last = 0x1p-26; /* the root of round-off */

static double length(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum = hypot(sum, x[i]);
  return sum;
}

/* --- before and after ------------------------------------------------------------------------- */

/* True if no force acts at rest but that of the potential. */
static int has_potential(const rattle_equilibrium *s) {
  const rattle__function *f = s->problem->force;
  double most = 0;
  if (!f) return 1;
  double *value = calloc((size_t)f->rows + f->work + 1, sizeof *value);
  if (!value || f->value(f, s->z, value, value + f->rows)) most = 1;
  for (int i = 0; i < f->rows && value; i++) most = fmax(most, fabs(value[i]));
  free(value);
  return most == 0;
}

/* --- one step --------------------------------------------------------------------------------- */

/* The way along V_i by which the coordinates change by as much as they are large: where nothing
 * else says how far to go. */
static double unit(const rattle_equilibrium *s, int i) {
  const double size = rattle__largest(s->z, s->n);
  return (size > 0 ? size : 1) / rattle__statics_most_moved(s, i);
}

/* The parts of x along V_i, in s->part, down the potential. Returns whether some of them lower it
 * by more than its round-off: then x has these alone, and the others wait. A pull of no more than
 * what rounding makes is none. */
static int find_parts(rattle_equilibrium *s) {
  const int d = s->d;
  const double soft = d * DBL_EPSILON * rattle__largest(s->value, d);
  int falls = 0;
  rattle__statics_rounding(s, s->lambda);
  for (int i = 0; i < d; i++) {
    const double stiff = fmax(fabs(s->value[i]), soft);
    const double pull = rattle__statics_along(s, i, s->gamma);
    s->part[i] = stiff > 0 ? pull / stiff : pull == 0 ? 0 : copysign(unit(s, i), pull);
    /* B turns along the way: constraints on velocities allow no way as long as the coordinates */
    if (s->rows && fabs(s->part[i]) > unit(s, i)) s->part[i] = copysign(unit(s, i), pull);
    s->fall[i] = 0.5 * pull * s->part[i];
    falls |= s->fall[i] > s->rounding;
    if (s->fall[i] > s->rounding) continue;
    if (fabs(s->value[i]) <= soft || fabs(pull) <= rattle__statics_noise(s, i)) s->part[i] = 0;
  }
  return falls;
}

/* x of those parts, or of all. */
static void step_down(rattle_equilibrium *s, int falls) {
  const int d = s->d;
  memset(s->step, 0, (size_t)d * sizeof *s->step);
  for (int i = 0; i < d; i++)
    if (!falls || s->fall[i] > s->rounding)
      for (int j = 0; j < d; j++) s->step[j] += s->V[i * d + j] * s->part[i];
}

static rattle_status step_newton(rattle_equilibrium *s, rattle_error *error) {
  const size_t d = (size_t)s->d;
  memcpy(s->dense, s->K, d * d * sizeof *s->dense);
  memcpy(s->step, s->gamma, d * sizeof *s->step);
  return rattle__least_squares(s->d, s->d, s->dense, s->step, s->d * DBL_EPSILON, NULL, error);
}

/* aim = B x of the whole step. */
static void take_aim(rattle_equilibrium *s) {
  const int n = s->n;
  memset(s->aim, 0, (size_t)n * sizeof *s->aim);
  for (int j = 0; j < s->d; j++)
    for (int k = 0; k < n; k++) s->aim[k] += s->step[j] * s->B[j * n + k];
}

/* How much the potential falls along t x, by gamma and K; x lies along vectors of V. */
static double expected(const rattle_equilibrium *s, double t) {
  double fall = 0;
  for (int i = 0; i < s->d; i++)
    if (s->fall[i] > s->rounding)
      fall += t * (2 * s->fall[i] - 0.5 * t * s->value[i] * s->part[i] * s->part[i]);
  return fall;
}

/* A step may be longer than all coordinates, by any factor: to halve it down to round-off. */
static int halves(const rattle_equilibrium *s) {
  const double way = rattle__largest(s->aim, s->n);
  return HALVES + (s->size > 0 && way > s->size ? ilogb(way / s->size) : 0);
}

/* z = old + t B x on the constraints, and its energy; 0: it is there. */
static int go(rattle_equilibrium *s, const double *old, double t) {
  const rattle__function *H = s->problem->energy ? s->problem->energy : s->problem->H;
  for (int k = 0; k < s->n; k++) s->z[k] = old[k] + t * s->aim[k];
  return rattle__statics_onto(s, NULL) || H->value(H, s->z, &s->energy, s->work);
}

/* z becomes a better point along the way; *moved: there is one. It lowers the potential, by a
 * quarter of what is expected, or, where `falls` is 0, what pulls. */
static rattle_status search_line(rattle_equilibrium *s, int falls, int *moved,
                                 rattle_error *error) {
  const size_t bytes = (size_t)s->n * sizeof *s->z;
  const double energy = s->energy, force = length(s->gamma, s->d);
  *moved = 0;
  memcpy(s->old, s->z, bytes);
  const int most = halves(s);
  for (int k = 0; k < most; k++) {
    const double t = ldexp(1, -k);
    if (go(s, s->old, t)) continue;
    if (falls && !(s->energy < energy && energy - s->energy + s->rounding > expected(s, t) / 4))
      continue;
    const rattle_status status = rattle__statics_reduce(s, error);
    if (status == RATTLE_NO_MEMORY) return status;
    if (!status && (falls || length(s->gamma, s->d) < force)) return *moved = 1, RATTLE_OK;
  }
  memcpy(s->z, s->old, bytes);
  const rattle_status status = rattle__statics_still(s, error);
  return status ? status : rattle__statics_reduce(s, error);
}

/* --- the search ------------------------------------------------------------------------------- */

/* One step along the parts that fall, or, where falls is 0, all; *done: z is as good as steps can
 * make it; *moved: it is better. */
static rattle_status advance_along(rattle_equilibrium *s, int falls, double *before, int *done,
                                   int *moved, rattle_error *error) {
  rattle_equilibrium_result *r = &s->result;
  take_aim(s);
  rattle__statics_reach(s);
  const int near = r->residual < last;
  s->close += near && r->residual >= DBL_EPSILON;
  *moved = 0;
  *done = near && (!(r->residual < (r->residual < DBL_EPSILON ? 0.5 : 1) * *before) ||
                   r->residual < DBL_EPSILON * DBL_EPSILON);
  if (*done) return RATTLE_OK;
  *before = near ? r->residual : INFINITY;
  const rattle_status status = search_line(s, falls, moved, error);
  *done = near && !*moved;
  return status;
}

/* True if nothing pulls by more than rounding makes, as where all coordinates are 0 at rest. */
static int is_at_rest(rattle_equilibrium *s) {
  rattle__statics_rounding(s, s->lambda);
  for (int i = 0; i < s->d; i++)
    if (!(fabs(rattle__statics_along(s, i, s->gamma)) <= rattle__statics_noise(s, i))) return 0;
  return 1;
}

/* 1: K is not symmetric, and pulls back in all directions or does nothing: Newton's method goes
 * down, and converges as steps along its symmetric part do not. */
static int pulls_back(const rattle_equilibrium *s) {
  return s->follows && s->d && s->value[0] >= -s->d * DBL_EPSILON * rattle__largest(s->value, s->d);
}

static rattle_status advance(rattle_equilibrium *s, int down, double *before, int *done,
                             rattle_error *error) {
  int moved = 0;
  rattle_status status = rattle__statics_stiffness(s, error);
  if (!status) status = rattle__statics_decompose(s, error);
  if (status) return status;
  if (down && pulls_back(s)) {
    status = step_newton(s, error);
    if (!status) status = advance_along(s, 0, before, done, &moved, error);
    if (status || moved || *done) return status;
  }
  if (down && find_parts(s)) {
    step_down(s, 1);
    status = advance_along(s, 1, before, done, &moved, error);
    if (status || moved) return status;
    *done = 0;
  }
  if (down && !s->follows)
    step_down(s, 0);
  else
    status = step_newton(s, error);
  if (!status) status = advance_along(s, 0, before, done, &moved, error);
  if (!status && !moved && !*done) *done = is_at_rest(s);
  return status || moved || *done ? status : rattle__statics_refuse(s, down, error);
}

static rattle_status search(rattle_equilibrium *s, rattle_error *error) {
  const int down = !s->options.nearest && has_potential(s);
  rattle_status status = rattle__statics_reduce(s, error);
  double before = INFINITY;
  int done = 0;
  for (; !status && !done; s->result.iterations++) {
    if (rattle__flag_is_set(s->options.interrupt))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted");
    status = s->result.iterations < STEPS ? advance(s, down, &before, &done, error)
                                          : rattle__statics_refuse(s, down, error);
  }
  return status;
}

/* s->problem becomes that of H - sum value J. */
static rattle_status go_along(rattle_equilibrium *s, rattle_error *error) {
  rattle_problem *other = NULL;
  rattle_status status = rattle__statics_refuse_rows(s->problem, "in steady motion", error);
  if (!status) status = rattle__steady_problem(&other, s->problem, NULL, 0, &s->options, error);
  if (!status) s->moving = s->problem, s->problem = other;
  return status;
}

static rattle_status find(rattle_equilibrium *s, const double *q, rattle_error *error) {
  rattle_status status = rattle__statics_check(s->problem, error);
  if (!status && s->options.steadies) status = go_along(s, error);
  if (!status && s->problem->n > RATTLE__DENSE_PAIRS)
    status = rattle__statics_refuse_rows(s->problem, "of more than 400 coordinates", error);
  if (!status && s->problem->n > RATTLE__DENSE_PAIRS) return rattle__sparse_find(s, q, error);
  if (!status) status = rattle__statics_open(s, error);
  if (!status) status = rattle__statics_place(s, q, error);
  if (!status) status = search(s, error);
  if (!status && s->moving) status = rattle__steady_check(s, error);
  if (!status) status = rattle__statics_stiffness(s, error);
  if (!status) status = rattle__statics_decompose(s, error);
  if (!status) status = rattle__statics_loads(s, error);
  return status ? status : rattle__statics_modes(s, error);
}

rattle_status rattle_equilibrium_create(rattle_equilibrium **found, const rattle_problem *problem,
                                        const double *q, const rattle_equilibrium_options *options,
                                        rattle_error *error) {
  rattle_error local;
  if (!error) error = &local;
  rattle_equilibrium *s = *found = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->problem = rattle_problem_retain((rattle_problem *)problem);
  rattle_status status =
      RATTLE__TAKE(&s->options, rattle_equilibrium_options, interrupt, options, error);
  if (!status) status = find(s, q, error);
  if (status) rattle_equilibrium_destroy(found);
  return status;
}

void rattle_equilibrium_destroy(rattle_equilibrium **found) {
  if (!found || !*found) return;
  rattle_equilibrium *s = *found;
  rattle_problem *problem = (rattle_problem *)s->problem, *moving = (rattle_problem *)s->moving;
  rattle__nearest_point_destroy(&s->onto);
  rattle__probe_destroy(&s->context.probe);
  rattle__arena_release(&s->context.arena);
  rattle__arena_release(&s->arena);
  rattle_problem_destroy(&problem);
  rattle_problem_destroy(&moving);
  free(s);
  *found = NULL;
}

const rattle_equilibrium_result *rattle_equilibrium_result_of(const rattle_equilibrium *found) {
  return &found->result;
}
