/* One orbit of a family: which way the family goes on, and what to watch.
 *
 * Direction  of the null vectors of the gaps, the phase and what is held, in nodes, ln T and the
 *            parameter, the combination nearest to the direction before; at first the one along
 *            which the energy, the period or the parameter changes. Directions of symmetries are
 *            null vectors too, and drop out
 * Corrector  the equations of an orbit and direction . (z - predicted) = 0
 * Source     H. B. Keller, in: P. H. Rabinowitz (ed.), Applications of Bifurcation Theory (1977)
 *            359 */
#include <math.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "runs/orbit/stations.h"
#include "ground/support/error.h"

/* Singular values below this part of the largest are those of null vectors; a multiplier off the
 * circle is so far off. */
static const double null = 1e-6, off_circle = 1e-5;
/* Changes below this along a direction count as none: derivatives by ln T and by the parameter are
 * differences. */
static const double unchanged = 1e-8;

/* The unknowns y as nodes, ln T and the parameter, with which nodes are carried along */
static void spread(const rattle__shooting *s, const double *y, double *out) {
  const int size = s->arcs * s->nz;
  memset(out, 0, (size_t)size * sizeof *out);
  for (int u = 0; u < s->arcs * s->d; u++)
    for (int c = 0; c < s->nz; c++)
      out[(u / s->d) * s->nz + c] += y[u] * s->basis[(size_t)u * (size_t)s->nz + (size_t)c];
  out[size] = y[s->arcs * s->d];
  if (!s->steers) return;
  out[size + 1] = y[s->arcs * s->d + 1];
  for (int c = 0; c < size; c++) out[c] += out[size + 1] * s->carried[c];
}

static void gather(const rattle__shooting *s, const double *vector, double *y) {
  const double by = s->steers ? vector[s->arcs * s->nz + 1] : 0;
  for (int u = 0; u < s->arcs * s->d; u++) {
    const int node = (u / s->d) * s->nz;
    y[u] = 0;
    for (int c = 0; c < s->nz; c++)
      y[u] += (vector[node + c] - (by != 0 ? by * s->carried[node + c] : 0)) *
              s->basis[(size_t)u * (size_t)s->nz + (size_t)c];
  }
  y[s->arcs * s->d] = vector[s->arcs * s->nz];
  if (s->steers) y[s->arcs * s->d + 1] = by;
}

/* y onto the null vectors, of length 1; 0 if nothing is left */
static double onto_null(const rattle_family *f, int size, double *y) {
  double *sum = f->slope, length = 0; /* arcs*2n + 2 are more */
  memset(sum, 0, (size_t)size * sizeof *sum);
  for (int i = 0; i < size; i++) {
    const double *v = f->V + (size_t)i * (size_t)size;
    double part = 0;
    if (f->S[i] > null * f->S[0]) continue;
    for (int u = 0; u < size; u++) part += v[u] * y[u];
    for (int u = 0; u < size; u++) sum[u] += part * v[u];
  }
  for (int u = 0; u < size; u++) length += sum[u] * sum[u];
  length = sqrt(length);
  for (int u = 0; u < size && length > 0; u++) y[u] = sum[u] / length;
  return length;
}

/* The quantity that the family goes along, for a sentence. */
static const char *along_what(const rattle_family *f) {
  return f->options.along == RATTLE_FAMILY_ENERGY   ? "the energy"
         : f->options.along == RATTLE_FAMILY_PERIOD ? "the period"
                                                    : f->options.parameter;
}

/* How the energy, in its unit, changes along y */
static rattle_status energy_along(rattle_family *f, double *value, double *gradient,
                                  rattle_error *error) {
  rattle__posing held = f->posing;
  held.held = RATTLE_ORBIT_HOLD_ENERGY, held.energy = 0, held.energy_noise = 0;
  return rattle__orbit_condition(&f->orbit->s, &held, held.phase, value, gradient, error);
}

/* True if H is the same along an orbit. */
static int conserves(const rattle__shooting *s) {
  return s->clock < 0 && !(s->at.problem->flags & RATTLE_FORCED);
}

static rattle_status find_direction(rattle_family *f, const double *along, rattle__station *at,
                                    rattle_error *error) {
  rattle__shooting *s = &f->orbit->s;
  const int size = rattle__shooting_unknowns(s),
            rows = s->arcs * s->d + rattle__orbit_conditions(&f->posing);
  const int numbers = rattle__shooting_numbers(s), time = s->arcs * s->nz;
  double *y = f->gradient + numbers, *b = y + size, energy;
  rattle_status status = rattle__orbit_matrix(s, &f->posing, f->A, b, error);
  for (int i = 0; i < rows && !status; i++)
    for (int j = 0; j < size; j++) f->V[i * size + j] = f->A[(size_t)j * (size_t)rows + (size_t)i];
  if (!status) memcpy(f->A, f->V, (size_t)rows * (size_t)size * sizeof *f->A);
  for (int i = rows; i < size; i++) f->S[i] = 0;
  if (!status) status = rattle__singular(size, rows, f->A, f->S, f->V, error);
  if (!status) status = energy_along(f, &energy, f->gradient, error);
  if (status) return status;
  if (along)
    gather(s, along, y);
  else if (f->options.along == RATTLE_FAMILY_ENERGY)
    gather(s, f->gradient, y);
  else
    memset(y, 0, (size_t)size * sizeof *y), y[size - 1] = 1; /* ln T, or the parameter */
  if (!(onto_null(f, size, y) > 1e-8))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                        "the orbit belongs to no family along which %s changes", along_what(f));
  spread(s, y, at->direction);
  memset(at->test, 0, sizeof at->test);
  for (int c = 0; c < numbers && f->posing.held != RATTLE_ORBIT_HOLD_ENERGY && conserves(s); c++)
    at->test[RATTLE__TEST_ENERGY] += f->gradient[c] * at->direction[c];
  if (f->posing.held != RATTLE_ORBIT_HOLD_PERIOD)
    at->test[RATTLE__TEST_PERIOD] = at->direction[time];
  if (s->steers) at->test[RATTLE__TEST_PARAMETER] = at->direction[time + 1];
  for (int test = 0; test <= RATTLE__TEST_PARAMETER; test++)
    if (fabs(at->test[test]) < unchanged) at->test[test] = 0;
  return RATTLE_OK;
}

/* Products over the multipliers but those nearest to 1 that symmetries make so. */
static void test_multipliers(const rattle_family *f, rattle__station *at) {
  const rattle__floquet *m = &f->orbit->floquet;
  const int count = m->count - m->trivial;
  double re = 1, im = 0;
  int skipped[64] = {0}, complex = 0;
  for (int k = 0; k < f->ones && count <= 64; k++) {
    int best = -1;
    for (int i = 0; i < count; i++)
      if (!skipped[i] && (best < 0 || hypot(m->real[i] - 1, m->imaginary[i]) <
                                          hypot(m->real[best] - 1, m->imaginary[best])))
        best = i;
    if (best >= 0) skipped[best] = 1;
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    re = 1, im = 0;
    for (int i = 0; i < count; i++) {
      const double x = m->real[i] + sign, y = m->imaginary[i], product = re * x - im * y;
      if (count <= 64 && skipped[i] && sign < 0) continue;
      im = re * y + im * x, re = product;
    }
    at->test[sign < 0 ? RATTLE__TEST_PLUS : RATTLE__TEST_MINUS] = count ? re : 1;
  }
  for (int i = 0; i < count; i++)
    complex +=
        fabs(m->imaginary[i]) > off_circle && hypot(m->real[i], m->imaginary[i]) > 1 + off_circle;
  at->test[RATTLE__TEST_COUNT] = complex - 1;
}

rattle_status rattle__family_arrive(rattle_family *f, const double *along, rattle__station *at,
                                    rattle_error *error) {
  rattle__shooting *s = &f->orbit->s;
  rattle_status status = rattle__floquet_of(s, &f->orbit->floquet, error);
  if (!status) status = rattle_problem_energy(s->at.problem, s->z, s->z + s->n, &at->energy, error);
  f->posing.direction = NULL;
  if (!status) status = find_direction(f, along, at, error);
  if (status) return status;
  test_multipliers(f, at);
  at->period = s->T;
  at->radius = f->orbit->floquet.radius;
  memcpy(at->nodes, s->z, (size_t)s->arcs * (size_t)s->nz * sizeof *s->z);
  at->nodes[s->arcs * s->nz] = log(s->T);
  at->parameter = s->at.value;
  if (s->steers) at->nodes[s->arcs * s->nz + 1] = s->at.value;
  return RATTLE_OK;
}

/* The phase is that of the station, and steps have their first length at most. */
static rattle_status pose_at(rattle_family *f, const rattle__station *from, rattle_error *error) {
  rattle__shooting *s = &f->orbit->s;
  double length = 0;
  memcpy(s->z, from->nodes, (size_t)s->arcs * (size_t)s->nz * sizeof *s->z);
  s->T = exp(from->nodes[s->arcs * s->nz]);
  rattle_status status =
      s->steers ? rattle__shooting_set(s, from->nodes[s->arcs * s->nz + 1], error) : RATTLE_OK;
  const long long each = (long long)ceil(s->T / f->longest / s->arcs - 1e-9);
  s->each = each > s->each ? each : s->each;
  memcpy(f->posing.reference, s->z, (size_t)s->nz * sizeof *s->z);
  if (!status) status = rattle__shooting_flow(s, s->z, f->posing.flow, error);
  for (int c = 0; c < s->nz; c++) length += f->posing.flow[c] * f->posing.flow[c];
  for (int c = 0; c < s->nz && length > 0; c++) f->posing.flow[c] /= sqrt(length);
  return status;
}

rattle_status rattle__family_advance(rattle_family *f, const rattle__station *from, double step,
                                     int *iterations, rattle_error *error) {
  rattle__shooting *s = &f->orbit->s;
  const int size = s->arcs * s->nz;
  rattle__newton_report report = {0};
  rattle_status status = pose_at(f, from, error);
  if (status) return status;
  for (int c = 0; c < size; c++)
    s->z[c] += step * from->direction[c] * rattle__shooting_unit(s, c % s->nz);
  s->T *= exp(step * from->direction[size]);
  if (s->steers)
    status = rattle__shooting_set(s, s->at.value + step * from->direction[size + 1] * s->dial.unit,
                                  error);
  if (!status) status = rattle__shooting_place(s, error);
  memcpy(f->slope, s->z, (size_t)size * sizeof *s->z);
  f->slope[size] = log(s->T);
  if (s->steers) f->slope[size + 1] = s->at.value;
  f->posing.direction = from->direction, f->posing.predicted = f->slope;
  if (!status) status = rattle__orbit_close(s, &f->posing, &report, error);
  *iterations = report.iterations;
  return status;
}
