/* The gradient of a function of a trajectory, by a reverse sweep.
 *
 * Steps      forward with a checkpoint every c = ceil(sqrt(N)) steps; then back, one stretch after
 *            the other, made again from its checkpoint with all points kept
 * Transpose  of symmetric and symplectic substeps z0 -> z1: a covector v stands for the tangent
 *            vector X with X^T J w = v . w, and X^T J (D w) = (D^-1 X)^T J w, where D^-1 is the
 *            derivative of the substep -h from z1 to z0. Else D^T v from all of D
 * Memory     N/c checkpoints and c steps */
#include "runs/tangent/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/sized.h"
#include "constraint/step/trace.h"

typedef struct sweep {
  rattle_tangent *t;
  rattle_objective objective;
  long long steps, stretch, checkpoints;
  long long first;   /* state->step at the start */
  size_t checkpoint; /* doubles of one: z and the integrator's memory */
  size_t points;     /* doubles of a step: lengths and points of its substeps */
  double *at, *way;  /* checkpoints; steps of a stretch */
  double *v, *add;   /* the covector, or the vector that stands for it; a gradient [2n] */
  double *value;
} sweep;

static long long stretch_of(long long steps) {
  const long long c = (long long)ceil(sqrt((double)steps));
  return c > 0 ? c : 1;
}

static size_t points_of(const rattle_tangent *t) {
  return (size_t)t->stages + ((size_t)t->stages + 1) * (size_t)t->nz;
}

size_t rattle_tangent_gradient_memory(const rattle_tangent *t, long long steps) {
  const long long c = stretch_of(steps);
  const size_t checkpoint = (size_t)t->nz + (size_t)t->integrator->extra;
  const size_t vectors = (size_t)t->m + 1 + (t->reversible ? 1 : (size_t)t->nz) + 2;
  return (size_t)((steps + c - 1) / c + 1) * checkpoint + (size_t)c * points_of(t) +
         vectors * (size_t)t->nz;
}

/* --- checkpoints ------------------------------------------------------------------------------ */

static double *checkpoint(const sweep *s, long long i) {
  return s->at + (size_t)i * s->checkpoint;
}

static void keep(const sweep *s, long long i, const rattle_state *state) {
  double *at = checkpoint(s, i);
  const size_t n = (size_t)s->t->n;
  memcpy(at, state->q, n * sizeof *at);
  memcpy(at + n, state->p, n * sizeof *at);
  rattle_integrator_get_extra(s->t->integrator, at + 2 * n);
}

/* The state becomes that of a checkpoint, `step` steps after the start. */
static void go_to(const sweep *s, long long i, long long step, rattle_state *state) {
  const double *at = checkpoint(s, i);
  const size_t n = (size_t)s->t->n;
  memcpy(state->q, at, n * sizeof *at);
  memcpy(state->p, at + n, n * sizeof *at);
  state->step = s->first + step;
  if (s->t->integrator->extra) rattle_integrator_set_extra(s->t->integrator, at + 2 * n);
}

static rattle_status forward(sweep *s, rattle_state *state, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  long long i = 0;
  for (long long done = 0; done < s->steps && !status; done += s->stretch) {
    const long long left = s->steps - done;
    keep(s, i++, state);
    status = rattle_integrator_step(s->t->integrator, state, left < s->stretch ? left : s->stretch,
                                    error);
  }
  if (!status) keep(s, i, state);
  s->checkpoints = i;
  return status;
}

/* --- back ------------------------------------------------------------------------------------- */

static double *way_of(const sweep *s, long long k) {
  return s->way + (size_t)k * s->points;
}

/* The points of the substeps of the step at hand. */
static void write_way(const sweep *s, double *way) {
  const rattle_tangent *t = s->t;
  const size_t bytes = (size_t)t->nz * sizeof *way;
  double *z = way + t->stages;
  for (int i = 0; i < t->stages; i++) {
    const rattle__substep at = rattle__tangent_substep(t, i);
    way[i] = at.h;
    memcpy(z + (size_t)i * (size_t)t->nz, at.z0, bytes);
    memcpy(z + ((size_t)i + 1) * (size_t)t->nz, at.z1, bytes);
  }
}

/* v <- D^-1 v: the derivative of the step back */
static rattle_status turn_back(sweep *s, const rattle__substep *at, rattle_error *error) {
  rattle_tangent *t = s->t;
  double *w = t->room + (size_t)t->m * (size_t)t->nz;
  const rattle__substep back = {-at->h, at->z1, at->z0};
  memcpy(w, s->v, (size_t)t->nz * sizeof *w);
  const rattle_status status = rattle__tangent_through(t, &back, 1, error);
  memcpy(s->v, w, (size_t)t->nz * sizeof *w);
  return status;
}

/* v <- D^T v */
static rattle_status transpose(sweep *s, const rattle__substep *at, rattle_error *error) {
  rattle_tangent *t = s->t;
  const int nz = t->nz;
  double *D = t->room + (size_t)t->m * (size_t)nz;
  memset(D, 0, (size_t)nz * (size_t)nz * sizeof *D);
  for (int k = 0; k < nz; k++) D[k * nz + k] = 1;
  const rattle_status status = rattle__tangent_through(t, at, nz, error);
  for (int k = 0; k < nz; k++) {
    s->add[k] = 0;
    for (int c = 0; c < nz; c++) s->add[k] += D[k * nz + c] * s->v[c];
  }
  memcpy(s->v, s->add, (size_t)nz * sizeof *s->v);
  return status;
}

/* f_k after step k of the sweep, at z. */
static rattle_status add_objective(sweep *s, long long k, const double *z, rattle_error *error) {
  rattle_tangent *t = s->t;
  if (k != s->steps && (s->objective.every == 0 || k % s->objective.every)) return RATTLE_OK;
  memset(s->add, 0, (size_t)t->nz * sizeof *s->add);
  const int answer =
      s->objective.add(s->objective.self, s->first + k, z, z + t->n, s->value, s->add);
  if (answer)
    return rattle__fail(error, RATTLE_CALLBACK, "objective",
                        "the objective returned %d at step %lld", answer, s->first + k);
  const rattle_status status =
      t->reversible ? rattle__normals_field(&t->normals, z, s->add, error) : RATTLE_OK;
  for (int c = 0; c < t->nz; c++) s->v[c] += s->add[c];
  return status;
}

/* From step `end` of the sweep back to `begin`. */
static rattle_status back(sweep *s, long long begin, long long end, rattle_state *state,
                          rattle_error *error) {
  rattle_tangent *t = s->t;
  rattle_status status = RATTLE_OK;
  for (long long k = begin; k < end && !status; k++) {
    status = rattle__tangent_advance(t, state, error);
    if (!status) write_way(s, way_of(s, k - begin));
  }
  for (long long k = end; k > begin && !status; k--) {
    const double *way = way_of(s, k - 1 - begin), *z = way + t->stages;
    status = add_objective(s, k, z + (size_t)t->stages * (size_t)t->nz, error);
    for (int i = t->stages - 1; i >= 0 && !status; i--) {
      const double *z0 = z + (size_t)i * (size_t)t->nz;
      const rattle__substep at = {way[i], z0, z0 + t->nz};
      status = t->reversible ? turn_back(s, &at, error) : transpose(s, &at, error);
    }
  }
  return status;
}

/* The gradient, from what stands for it at the start z. */
static rattle_status finish(sweep *s, const double *z, double *gradient, rattle_error *error) {
  const rattle_tangent *t = s->t;
  for (int k = 0; k < t->n; k++) {
    gradient[k] = t->reversible ? -s->v[t->n + k] : s->v[k];
    gradient[t->n + k] = t->reversible ? s->v[k] : s->v[t->n + k];
  }
  return rattle__normals_project(&s->t->normals, z, 1, gradient, error);
}

static rattle_status run(sweep *s, rattle_state *state, double *gradient, rattle_error *error) {
  rattle_status status = forward(s, state, error);
  for (long long i = s->checkpoints - 1; i >= 0 && !status; i--) {
    const long long begin = i * s->stretch, end = begin + s->stretch;
    go_to(s, i, begin, state);
    status = back(s, begin, end < s->steps ? end : s->steps, state, error);
  }
  if (!status) status = finish(s, checkpoint(s, 0), gradient, error);
  go_to(s, status ? 0 : s->checkpoints, status ? 0 : s->steps, state);
  return status;
}

rattle_status rattle_tangent_gradient(rattle_tangent *t, rattle_state *state, long long steps,
                                      const rattle_objective *objective, double *value,
                                      double *gradient, rattle_error *error) {
  sweep s = {.t = t, .steps = steps, .first = state->step, .value = value};
  rattle_status status = RATTLE__TAKE(&s.objective, rattle_objective, every, objective, error);
  if (status) return status;
  if (steps < 1 || s.objective.every < 0 || !s.objective.add)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "gradient",
                        "%lld steps, every %lld: give at least one step, `every` of 0 or more, and "
                        "a function `add`",
                        steps, s.objective.every);
  const int vectors = t->reversible ? 1 : t->nz;
  s.stretch = stretch_of(steps);
  s.checkpoint = (size_t)t->nz + (size_t)t->integrator->extra;
  s.points = points_of(t);
  const rattle__array arrays[] = {
      {&s.at, (size_t)((steps + s.stretch - 1) / s.stretch + 1) * s.checkpoint},
      {&s.way, (size_t)s.stretch * s.points},
      {&s.v, (size_t)t->nz},
      {&s.add, (size_t)t->nz}};
  double *block = RATTLE__BLOCK(arrays);
  status = block ? rattle__tangent_reserve(t, vectors, error) : rattle__no_memory(error);
  *value = 0;
  if (!status) status = run(&s, state, gradient, error);
  free(block);
  return status;
}
