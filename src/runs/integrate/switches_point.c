/* Conditions of switches at a point: values, round-off, derivatives along the motion. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "runs/integrate/switches_state.h"

static rattle_status evaluate(rattle__switches *s, const double *z, double *c,
                              rattle_error *error) {
  const rattle__function *f = s->problem->conditions;
  const double *at = z;
  if (s->cites) {
    rattle__probe_place(s->probe, z, z + s->n);
    memcpy(s->cited, z, 2 * (size_t)s->n * sizeof *z);
    const rattle_status status = rattle__probe_cite(s->probe, s->cited, error);
    if (status) return status;
    at = s->cited;
  }
  const int answer = f->value(f, at, c, s->work);
  if (answer) return rattle__callback_error(answer, "switch", error);
  for (int k = 0; k < 2 * s->count; k++)
    if (isnan(c[k]))
      return rattle__fail(error, RATTLE_DOMAIN, s->model->change[k / 2].name,
                          "the condition under which the switch \"%s\" %s is not a number here",
                          s->model->change[k / 2].name, k % 2 ? "ends" : "begins");
  return RATTLE_OK;
}

rattle_status rattle__switches_conditions(rattle__switches *s, const double *z, double *c,
                                          rattle_error *error) {
  const rattle_status status = evaluate(s, z, c, error);
  for (int i = 0; i < s->count; i++)
    if (s->model->change[i].side >= 0) c[2 * i] *= -z[s->model->change[i].side];
  return status;
}

rattle_status rattle__switches_round_off(rattle__switches *s, const double *z,
                                         rattle_error *error) {
  const rattle__function *f = s->problem->conditions;
  const int numbers = 2 * s->n;
  rattle_status status = RATTLE_OK;
  memcpy(s->cited, z, (size_t)numbers * sizeof *z);
  if (s->cites) {
    rattle__probe_place(s->probe, z, z + s->n);
    status = rattle__probe_cite(s->probe, s->cited, error);
    for (int k = 0; k < s->problem->cited; k++)
      s->reach[numbers + k] = DBL_EPSILON * fabs(s->cited[numbers + k]);
    if (!status) status = rattle__probe_cite_round_off(s->probe, s->reach, error);
  }
  if (status) return status;
  if (rattle__round_off(f, s->cited, s->reach, s->bound, NULL, s->room))
    memset(s->bound, 0, 2 * (size_t)s->count * sizeof *s->bound);
  for (int k = 0; k < 2 * s->count; k++) s->bound[k] *= RATTLE__GENEROUS;
  return RATTLE_OK;
}

/* s->zdot: the motion from z without constraints; s->motion grows to p H_p there. */
static rattle_status move(rattle__switches *s, const double *z, rattle_error *error) {
  double twice = 0;
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_field(s->probe, s->zdot, error);
  for (int k = 0; k < s->n && !status; k++) twice += z[s->n + k] * s->zdot[k];
  if (!status) s->motion = fmax(s->motion, fabs(twice));
  return status;
}

rattle_status rattle__switches_reach(rattle__switches *s, rattle_error *error) {
  const int n = s->n;
  s->motion = 0;
  rattle_status status = move(s, s->zb, error);
  for (int k = 0; k < 2 * n; k++) s->reach[k] = fmax(fabs(s->z0[k]), fabs(s->zb[k]));
  memcpy(s->before, s->z0, 2 * (size_t)n * sizeof *s->before);
  for (int twice = 0; twice < 2 && !status; twice++) { /* momenta; with these, places */
    status = move(s, s->before, error);
    for (int k = 0; k < 2 * n; k++) s->reach[k] = fmax(s->reach[k], s->h * fabs(s->zdot[k]));
    for (int k = n; k < 2 * n; k++) s->before[k] += s->h * s->zdot[k];
  }
  for (int k = 0; k < 2 * n; k++) s->reach[k] *= DBL_EPSILON;
  s->motion = DBL_EPSILON * sqrt(s->motion);
  return status;
}

/* Without the sign of a side; in s->slope. */
static rattle_status find_slopes(rattle__switches *s, const double *z, rattle_error *error) {
  const double part = 0x1p-12 * s->h;
  rattle__probe_place(s->probe, z, z + s->n);
  rattle_status status = s->forced ? rattle__probe_velocity(s->probe, s->zdot, error)
                                   : rattle__probe_field(s->probe, s->zdot, error);
  for (int e = 0; e < 2 * s->n && !status; e++) s->before[e] = z[e] + part * s->zdot[e];
  if (!status) status = evaluate(s, s->before, s->slope, error);
  for (int e = 0; e < 2 * s->n && !status; e++) s->before[e] = z[e] - part * s->zdot[e];
  if (!status) status = evaluate(s, s->before, s->values, error);
  for (int k = 0; k < 2 * s->count; k++) s->slope[k] = (s->slope[k] - s->values[k]) / (2 * part);
  return status;
}

void rattle__switches_slopes(rattle__switches *s, const double *z, double *slope) {
  const int failed = find_slopes(s, z, NULL) != RATTLE_OK;
  for (int k = 0; k < 2 * s->count; k++) {
    const int side = s->model->change[k / 2].side;
    slope[k] = failed ? (double)NAN : s->slope[k];
    if (!(k % 2) && side >= 0) slope[k] *= -z[side];
  }
}

rattle_status rattle__switches_slope(rattle__switches *s, const double *z, int k, double *slope,
                                     rattle_error *error) {
  const int side = s->model->change[k / 2].side;
  const rattle_status status = find_slopes(s, z, error);
  *slope = s->slope[k];
  if (!(k % 2) && side >= 0) *slope *= -z[side];
  return status;
}

rattle_status rattle__switch_side(rattle__switches *s, int i, int moves, double *z,
                                  rattle_error *error) {
  const int side = s->model->change[i].side;
  double way = 0;
  if (side < 0 || rattle__switch_is_on(s, i, z)) return RATTLE_OK;
  rattle_status status = RATTLE_OK;
  if (moves) {
    status = evaluate(s, z, s->values, error);
    way = s->values[2 * i];
  }
  z[side] = 0;
  if (!status && way == 0) {
    status = find_slopes(s, z, error);
    way = s->slope[2 * i];
  }
  z[side] = way > 0 ? 1 : way < 0 ? -1 : 0;
  return status;
}

void rattle__switch_set(const rattle__switches *s, int i, int on, double *z) {
  const rattle__switch *is = &s->model->change[i];
  z[is->on] = on, z[s->n + is->on] = 0;
  if (is->side >= 0) z[is->side] = z[s->n + is->side] = 0;
  for (int r = 0; r < is->rows; r++) z[is->first_idle + r] = z[s->n + is->first_idle + r] = 0;
}

rattle_status rattle__switches_energy(rattle__switches *s, const double *z, double *H,
                                      rattle_error *error) {
  rattle__probe_place(s->probe, z, z + s->n);
  return rattle__probe_energy(s->probe, H, error);
}
