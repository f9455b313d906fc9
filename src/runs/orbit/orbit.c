/* Periodic orbits: from a guess to an orbit with its multipliers and errors. */
#include "runs/orbit/orbit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/orbit/guess.h"
#include "problem/functions/problem.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"

enum { USUAL_STEPS = 200, LEAST_STEPS = 8, MOST_STEPS = 100000000, REPEATS = 60 };

/* Tangent vectors grow at most about so much in an arc; corrections move nodes at most so far, in
 * parts of the amplitudes. */
static const double growth = 50, limit = 0.5;

/* --- what is asked for ------------------------------------------------------------------------ */

static rattle_status check(const rattle_orbit_options *how, rattle_error *error) {
  const double numbers[] = {how->period, how->span, how->step};
  for (int i = 0; i < 3; i++)
    if (!(numbers[i] >= 0) || !isfinite(numbers[i]))
      return rattle__fail(
          error, RATTLE_BAD_ARGUMENT, "orbit",
          "the period, the span and the step of an orbit must be numbers of 0 or more: %g, %g, %g",
          how->period, how->span, how->step);
  if (how->arcs < 0 || how->arcs > RATTLE__MOST_ARCS)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "arcs",
                        "%d arcs: give 1 to %d, or 0 for a number that suits", how->arcs,
                        RATTLE__MOST_ARCS);
  if ((unsigned)how->held > RATTLE_ORBIT_HOLD_NOTHING)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "held", "unknown kind of what is held: %d",
                        (int)how->held);
  if (how->period == 0 && how->span == 0)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "period",
        "give a guess of the period, or a span within which the trajectory returns near its start");
  return RATTLE_OK;
}

/* Chooses the quantity to hold; the problem decides which can be. */
static rattle_status choose_held(rattle_orbit *o, rattle_error *error) {
  rattle_orbit_held *held = &o->posing.held;
  const int forced = (o->s.at.problem->flags & RATTLE_FORCED) != 0, timed = o->s.clock >= 0;
  *held = o->options.held;
  if (*held == RATTLE_ORBIT_HOLD_DEFAULT)
    *held = timed    ? RATTLE_ORBIT_HOLD_PERIOD
            : forced ? RATTLE_ORBIT_HOLD_NOTHING
                     : RATTLE_ORBIT_HOLD_ENERGY;
  if (timed && o->options.period == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "period",
                        "the problem depends on time: give the period of an orbit, a multiple of "
                        "that of the problem");
  if (timed && *held != RATTLE_ORBIT_HOLD_PERIOD)
    return rattle__fail(error, RATTLE_UNSUITABLE, "held",
                        "the problem depends on time, and its orbits have a multiple of its "
                        "period: hold the period");
  if (!timed && !forced && *held == RATTLE_ORBIT_HOLD_NOTHING)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "held",
        "orbits of a conservative problem come in families: hold the energy or the period");
  return RATTLE_OK;
}

/* --- the search ------------------------------------------------------------------------------- */

static long long steps_of(const rattle_orbit *o) {
  const double step = o->options.step > 0 ? o->options.step : o->s.T / USUAL_STEPS;
  const double steps = fmin(fmax(ceil(o->s.T / step - 1e-9), LEAST_STEPS), MOST_STEPS);
  return (long long)steps;
}

/* As many arcs as the growth of tangent vectors in one asks for, with whole steps; a period that is
 * a multiple of the least one can then be seen, unless that would be far more steps. */
static rattle_status lay_arcs(rattle_orbit *o, rattle_error *error) {
  rattle__shooting *s = &o->s;
  long long steps = steps_of(o);
  int arcs = o->options.arcs ? o->options.arcs : 1;
  rattle_status status = RATTLE_OK;
  if (!o->options.arcs) {
    status = rattle__shooting_nodes(s, o->z, 1, steps, error);
    if (!status) status = rattle__shooting_linearise(s, error);
    if (status) return status;
    const double wish = ceil(log(fmax(s->growth, 1)) / log(growth));
    arcs = wish < 1 ? 1 : wish > RATTLE__MOST_ARCS ? RATTLE__MOST_ARCS : (int)wish;
  }
  const long long of = steps > REPEATS && arcs == 1 ? REPEATS : 1;
  long long each = (steps + arcs - 1) / arcs;
  each = (each + of - 1) / of * of;
  return rattle__shooting_nodes(s, o->z, arcs, each < LEAST_STEPS ? LEAST_STEPS : each, error);
}

static rattle_status pose(rattle_orbit *o, rattle_error *error) {
  rattle__shooting *s = &o->s;
  rattle__posing *posing = &o->posing;
  double length = 0;
  posing->phase = s->clock < 0;
  posing->limit = limit;
  posing->period = s->T;
  memcpy(posing->reference, s->z, (size_t)s->nz * sizeof *s->z);
  rattle_status status =
      rattle_problem_energy(s->at.problem, s->z, s->z + s->n, &posing->energy, error);
  if (!status) status = rattle__shooting_flow(s, s->z, posing->flow, error);
  for (int c = 0; c < s->nz; c++) length += posing->flow[c] * posing->flow[c];
  length = sqrt(length);
  if (!status && posing->phase && !(length * s->T > 1e-6))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                        "the start is an equilibrium: no orbit can be sought from there");
  for (int c = 0; c < s->nz && length > 0; c++) posing->flow[c] /= length;
  posing->energy_unit = s->scale[0] * s->scale[1] * length;
  double *room = malloc(rattle__energy_room(s->at.problem) * sizeof *room);
  if (!room) return rattle__no_memory(error);
  posing->energy_noise = 8 * DBL_EPSILON * rattle__energy_size(s->at.problem, s->z, room);
  free(room);
  if (!(posing->energy_noise >= 0)) posing->energy_noise = 0;
  return status;
}

static rattle_status solve(rattle_orbit *o, rattle_error *error) {
  rattle__newton_report report = {0};
  const rattle_status status = rattle__orbit_close(&o->s, &o->posing, &report, error);
  o->r.iterations += report.iterations;
  o->r.residual = report.residual;
  return status ? status : rattle__floquet_of(&o->s, &o->floquet, error);
}

/* With N and with 2N steps: errors of the steps are at most about a fifteenth of the difference if
 * the order is 4 or more. */
static rattle_status refine(rattle_orbit *o, rattle_error *error) {
  rattle__shooting *s = &o->s;
  rattle_orbit_result *r = &o->r;
  rattle_status status = solve(o, error);
  if (status) return status;
  const double T = s->T, radius = o->floquet.radius;
  const double part = 1 / (ldexp(1, o->order < 4 ? o->order : 4) - 1);
  memcpy(o->coarse, s->z, (size_t)s->nz * sizeof *s->z);
  s->each *= 2;
  status = solve(o, error);
  r->period_error = fmax(part * fabs(s->T - T), (r->residual + DBL_EPSILON) * s->T);
  r->radius = o->floquet.radius;
  r->radius_error = part * fabs(r->radius - radius);
  for (int c = 0; c < s->nz; c++)
    r->start_error =
        fmax(r->start_error, part * fabs(s->z[c] - o->coarse[c]) / rattle__shooting_unit(s, c));
  return status;
}

static rattle_status report(rattle_orbit *o, rattle_error *error) {
  const rattle__shooting *s = &o->s;
  rattle_orbit_result *r = &o->r;
  memcpy(o->z, s->z, (size_t)s->nz * sizeof *s->z);
  r->n = s->n, r->d = s->d;
  r->q = o->z, r->p = o->z + s->n;
  r->period = s->T;
  r->steps = s->arcs * s->each;
  r->arcs = s->arcs;
  r->amplitude_q = s->scale[0], r->amplitude_p = s->scale[1];
  r->multipliers = o->floquet.count, r->trivial = o->floquet.trivial;
  r->real = o->floquet.real, r->imaginary = o->floquet.imaginary;
  r->trivial_defect = o->floquet.trivial_defect, r->pairing_defect = o->floquet.pairing_defect;
  rattle__orbit_judge(o);
  const rattle_status status = rattle_problem_energy(s->at.problem, r->q, r->p, &r->energy, error);
  return status ? status : rattle__orbit_count_repeats(o, error);
}

static rattle_status make(rattle_orbit *o, const rattle_problem *problem, const double *q,
                          const double *p, rattle_error *error) {
  rattle__shooting *s = &o->s;
  rattle_status status = check(&o->options, error);
  if (!status) status = rattle__shooting_create(s, problem, o->options.method, error);
  if (!status) status = choose_held(o, error);
  if (status) return status;
  const size_t nz = (size_t)s->nz, d = (size_t)s->d, n = (size_t)s->n;
  const rattle__array arrays[] = {{&o->z, nz},           {&o->coarse, nz},
                                  {&o->posing.flow, nz}, {&o->posing.reference, nz},
                                  {&o->floquet.real, d}, {&o->floquet.imaginary, d},
                                  {&o->floquet.M, d * d}};
  o->block = RATTLE__BLOCK(arrays);
  if (!o->block) return rattle__no_memory(error);
  if (s->d < 1)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "the problem has no degree of freedom, and no orbits");
  o->order = rattle_integrator_claims(rattle_tangent_integrator(s->at.tangent)).order;
  s->interrupt = o->options.interrupt;
  s->t0 = o->options.start_time;
  memcpy(o->z, q, n * sizeof *q);
  memcpy(o->z + n, p, n * sizeof *p);
  s->T = o->options.period;
  if (s->T == 0)
    status = rattle__orbit_guess(s, o->z, o->options.span,
                                 o->options.step > 0 ? o->options.step : o->options.span / 10000,
                                 &s->T, error);
  s->scale[0] = s->floor = 0; /* the units are those of a period */
  if (!status) status = lay_arcs(o, error);
  if (!status) status = pose(o, error);
  if (!status) status = refine(o, error);
  return status ? status : report(o, error);
}

rattle_status rattle_orbit_create(rattle_orbit **orbit, const rattle_problem *problem,
                                  const double *q, const double *p,
                                  const rattle_orbit_options *options, rattle_error *error) {
  rattle_orbit *o = *orbit = calloc(1, sizeof *o);
  if (!o) return rattle__no_memory(error);
  rattle_status status = RATTLE__TAKE(&o->options, rattle_orbit_options, interrupt, options, error);
  if (!status) status = make(o, problem, q, p, error);
  if (status) rattle_orbit_destroy(orbit);
  return status;
}

void rattle_orbit_destroy(rattle_orbit **orbit) {
  if (!orbit || !*orbit) return;
  rattle__shooting_destroy(&(*orbit)->s);
  free((*orbit)->block);
  free(*orbit);
  *orbit = NULL;
}

const rattle_orbit_result *rattle_orbit_result_of(const rattle_orbit *orbit) {
  return &orbit->r;
}

void rattle_orbit_monodromy(const rattle_orbit *orbit, double *M, double *basis) {
  const size_t d = (size_t)orbit->s.d;
  if (M) memcpy(M, orbit->floquet.M, d * d * sizeof *M);
  for (size_t i = 0; basis && i < d * (size_t)orbit->s.nz; i++)
    basis[i] = orbit->s.basis[i] * rattle__shooting_unit(&orbit->s, (int)(i % (size_t)orbit->s.nz));
}
