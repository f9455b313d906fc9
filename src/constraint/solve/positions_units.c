/* The units of round-off of g at the end of a positions step. See positions.h. */
#include "constraint/solve/positions.h"

#include <math.h>
#include <string.h>

/* The length, in the metric of the mass, of the way without multipliers, at most. */
static double way_of(const rattle__positions *s) {
  const rattle__scheme *c = &s->scheme;
  const rattle__momenta *of = s->momenta;
  double speed = rattle__length_held(of, s->z0 + s->n);
  if (c->k1 != 0) speed += fabs(s->h * c->k1) * rattle__length_held(of, s->start->V_q);
  if (!rattle__drifts_once(s)) speed += fabs(s->h * c->k2) * rattle__length_held(of, s->end->V_q);
  return fabs(s->h) * (fabs(c->d1) + fabs(c->d2)) * speed;
}

const double *rattle__positions_least(rattle__positions *s) {
  rattle__least_coordinates(s->momenta, s->momenta->rows.vars, s->z1, way_of(s), s->plus);
  return s->plus;
}

void rattle__positions_measure(rattle__positions *s) {
  const int *of_time = s->momenta->of_time;
  double *J = s->start->J,
         *kept = s->delta; /* G_t, which counts as 0 here, however small the time is */
  for (int i = 0; i < s->m && of_time; i++)
    if (of_time[i] >= 0) kept[i] = J[of_time[i]], J[of_time[i]] = 0;
  const double *least = rattle__positions_least(s);
  rattle__rows_round_off(&s->momenta->rows, J, s->z1, s->z0, least, s->inverse_floor);
  for (int i = 0; i < s->m && of_time; i++)
    if (of_time[i] >= 0) J[of_time[i]] = kept[i];
}

/* The sizes of the terms of h G0^T lambda, and of their way, but at most the largest change of a
 * momentum, and way: multipliers of nearly dependent constraints cancel. */
static void find_terms(rattle__positions *s) {
  const rattle__rows *rows = &s->momenta->rows;
  double most[2] = {0, 0};
  for (int k = 0; k < 2 * s->n; k++)
    most[k >= s->n] = fmax(most[k >= s->n], fabs(s->z1[k] - s->z0[k]));
  const double drift = fabs(s->h) * (fabs(s->scheme.d1) + fabs(s->scheme.d2));
  double *way = s->terms, *kick = s->terms + s->n;
  memset(kick, 0, (size_t)s->n * sizeof *kick);
  for (int i = 0; i < rows->count; i++)
    for (int e = rows->ptr[i]; e < rows->ptr[i + 1]; e++)
      kick[rows->col[e]] += fabs(s->h * s->start->J[e] * s->lambda[i]);
  for (int k = 0; k < s->n; k++)
    way[k] = fmin(most[0], drift * rattle__mass_reach(s->mass, k, kick));
  for (int k = 0; k < s->n; k++) kick[k] = fmin(most[1], kick[k]);
}

rattle_status rattle__positions_raise(void *self, double *inverse_floor, rattle_error *error) {
  rattle__positions *s = self;
  const size_t half = (size_t)s->n * sizeof(double);
  memcpy(s->plus, s->z0, 2 * half);
  rattle__rows_subtract(&s->momenta->rows, s->h, s->start->J, s->lambda, s->plus + s->n);
  find_terms(s);
  for (int i = 0; i < s->m; i++) inverse_floor[i] = 1 / inverse_floor[i];
  rattle_status status = rattle__unit_of_step(s->unit, s->h, s->z0, s->plus, s->z1, error);
  if (!status) status = rattle__unit_of_g(s->unit, s->z1, inverse_floor, error);
  for (int i = 0; i < s->m; i++) inverse_floor[i] = 1 / inverse_floor[i];
  return status;
}
