/* Tangent maps of steps: which substeps a method has, and how a step and its derivative go
 * together. */
#include "runs/tangent/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maps/emitted/stages.h"
#include "problem/model/model.h"
#include "maps/natural/fused/tangents.h"
#include "runs/integrate/run_hooks.h"
#include "method/notation/row.h"
#include "problem/functions/probe.h"
#include "ground/support/finite.h"

/* --- making ----------------------------------------------------------------------------------- */

static rattle_status no_derivative(const rattle__node *node, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, node->row->name,
                      "%s has no exact derivative here: use rattle(...) or shake(...) around a "
                      "base map, spark, a base map such as verlet, "
                      "gauss(2) or rk4, or a composition of these",
                      node->row->name);
}

/* True if second derivatives are available, not by differences. */
static int is_exact(const rattle__function *f) {
  return !f || (f->hessian && !f->rough);
}

static rattle_status check_problem(const rattle_problem *problem, rattle_error *error) {
  const rattle__function *g = problem->g;
  if (problem->velocity)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "derivatives of steps are not offered for problems with constraints on "
                        "velocities, nor what needs them: "
                        "exponents, periodic orbits, gradients of trajectories");
  if (problem->swept)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "derivatives of steps are not offered in joint coordinates: use "
                        "mech.coordinates \"bodies\"");
  const int exact = is_exact(problem->H) && is_exact(problem->V) && is_exact(problem->T) &&
                    is_exact(problem->energy);
  if (exact && (!g || (g->hessian && g->along))) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "derivatives of steps need second derivatives of H and g: give "
                      "hamiltonian_hessian and constraint_hessian");
}

/* Steps that are made before any of them is differentiated. */
enum { STRETCH = 64 };

/* The quick way, for steps of SHAKE or RATTLE whose kernels know their derivatives. */
static rattle_status make_quick(rattle_tangent *t, const rattle__node *node, rattle_error *error) {
  const rattle__node *inside = rattle__method_inside(node);
  const rattle__base *base = inside ? rattle__base_of(inside->row) : NULL;
  const int keeps_psi = node->row->claims.keeps_psi;
  rattle__scheme scheme;
  if (!base) return RATTLE_OK;
  if (rattle__kicks_and_drifts(t->problem) && rattle__kicks_of(inside, t->problem, &scheme))
    return rattle__natural_tangents_create(&t->quick, &t->context, &scheme, keeps_psi, error);
  if (!base->tableau || !keeps_psi) return RATTLE_OK;
  rattle__tableau tableau;
  base->tableau(inside, &tableau);
  return rattle__stages_tangents_create(&t->quick, &t->context, &tableau, error);
}

/* Makes the map that differentiates a substep. */
static rattle_status make_substep(rattle_tangent *t, const rattle__node *node,
                                  rattle_error *error) {
  const rattle__wrapper *wrapper =
      node->kind == RATTLE__WRAPPER ? rattle__wrapper_of(node->row) : NULL;
  const rattle__base *base = node->kind == RATTLE__CONSTRAINED ? rattle__base_of(node->row) : NULL;
  t->context.compile = rattle__compile;
  if (t->m && !t->problem->split &&
      (wrapper ? wrapper->care == RATTLE__SLIDES : base && base->before_slide)) {
    if (wrapper && rattle__projects_output(node))
      return rattle__fail(error, RATTLE_UNSUITABLE, node->row->name,
                          "derivatives of steps of project=output are not offered, since the steps "
                          "leave psi = 0: omit it");
    const rattle_status status =
        rattle__slides_create(&t->slides, &t->context, node, &t->normals, error);
    return status ? status : make_quick(t, node, error);
  }
  const rattle_status status = rattle__compile(&t->map, &t->context, node, error);
  if (status) return status;
  const rattle__map *map = t->map;
  return map->tangent && !map->rough && !map->shows && !map->late ? RATTLE_OK
                                                                  : no_derivative(node, error);
}

static rattle_status lay_out(rattle_tangent *t, int composed, rattle_error *error) {
  rattle__arena *arena = &t->context.arena;
  rattle_integrator *s = t->integrator;
  const size_t nz = (size_t)t->nz, pairs = 2 * (size_t)s->pairs, stages = (size_t)t->stages;
  const int stretches = t->quick.self && !composed && s->map->run && s->map->examined &&
                        !s->extra && !s->clock && nz == pairs;
  const rattle__array arrays[] = {{&t->z0, 2 * nz},
                                  {&t->pair, 2 * nz},
                                  {&t->extra, (size_t)s->extra},
                                  {&t->trace.h, stages},
                                  {&t->trace.z, (stages + 1) * pairs},
                                  {&t->way, stretches ? (STRETCH + 1) * nz : 0},
                                  {&t->lengths, stretches ? STRETCH : 0}};
  RATTLE__LAY_OUT(arena, arrays);
  t->z1 = t->z0 + nz;
  if (!stretches) t->way = NULL;
  t->trace.room = t->stages;
  if (arena->failed) return rattle__no_memory(error);
  t->composed = composed;
  return RATTLE_OK;
}

static rattle_status make(rattle_tangent *t, const rattle_problem *problem, const char *method,
                          rattle_error *error) {
  rattle_status status = rattle_integrator_create(&t->integrator, problem, method, error);
  if (!status) status = check_problem(problem, error);
  if (!status) status = rattle__refuse_bath(t->integrator, "derivatives", error);
  if (status) return status;
  if (problem->next)
    return rattle__fail(error, RATTLE_UNSUITABLE, problem->model->next[0].name,
                        "derivatives of steps are not offered for models with a controller, as "
                        "that of \"%s\": let its expressions stand in force { ... }",
                        problem->model->next[0].name);
  if (problem->conditions)
    return rattle__fail(error, RATTLE_UNSUITABLE, problem->model->change[0].name,
                        "derivatives of steps are not offered for models with constraints that "
                        "begin and end, as those of the switch \"%s\"",
                        problem->model->change[0].name);
  const rattle__node *root = rattle__method_root(t->integrator->method), *node = root;
  if (root->quad)
    return rattle__fail(error, RATTLE_UNSUITABLE, rattle_method_text(t->integrator->method),
                        "derivatives of steps with 113 bits are not offered: omit `quad`");
  t->problem = t->context.problem = problem;
  t->context.asked.tangents = 1;
  t->n = problem->n, t->m = problem->m, t->nz = 2 * problem->n, t->stages = 1;
  for (; node->kind == RATTLE__COMPOSITION; node = rattle__method_inside(node))
    t->stages *= rattle__composition_stages(node);
  const rattle_claims claims = rattle_integrator_claims(t->integrator);
  status = problem->split ? RATTLE_OK : rattle__normals_create(&t->normals, &t->context, error);
  if (!status) status = make_substep(t, node, error);
  t->reversible =
      claims.symmetric && claims.symplectic && (t->slides || !t->m); /* others leave the manifold */
  return status ? status : lay_out(t, node != root, error);
}

rattle_status rattle_tangent_create(rattle_tangent **tangent, const rattle_problem *problem,
                                    const char *method, rattle_error *error) {
  rattle_tangent *t = *tangent = calloc(1, sizeof *t);
  if (!t) return rattle__no_memory(error);
  const rattle_status status = make(t, problem, method, error);
  if (status) rattle_tangent_destroy(tangent);
  return status;
}

void rattle_tangent_destroy(rattle_tangent **tangent) {
  if (!tangent || !*tangent) return;
  rattle_tangent *t = *tangent;
  if (t->map && t->map->destroy) t->map->destroy(t->map);
  rattle__slides_destroy(t->slides);
  rattle__tangents_end(&t->quick);
  rattle__normals_destroy(&t->normals);
  rattle__probe_destroy(&t->context.probe);
  rattle__arena_release(&t->context.arena);
  rattle_integrator_destroy(&t->integrator);
  free(t->room);
  free(t);
  *tangent = NULL;
}

rattle_integrator *rattle_tangent_integrator(rattle_tangent *tangent) {
  return tangent->integrator;
}

rattle_status rattle__tangent_reserve(rattle_tangent *t, int count, rattle_error *error) {
  if (count < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "count",
                        "the number of vectors is %d: expected 0 or more", count);
  if (t->room && count <= t->capacity) return RATTLE_OK;
  double *room = calloc(((size_t)t->m + (size_t)count + 1) * (size_t)t->nz, sizeof *room);
  if (!room) return rattle__no_memory(error);
  free(t->room);
  t->room = room;
  t->capacity = count;
  return RATTLE_OK;
}

/* --- stepping --------------------------------------------------------------------------------- */

int rattle__tangent_substeps(const rattle_tangent *t) {
  return t->composed ? t->trace.count : 1;
}

rattle__substep rattle__tangent_substep(const rattle_tangent *t, int i) {
  if (!t->composed) return (rattle__substep){t->length, t->z0, t->z1};
  const double *z = t->trace.z + (size_t)i * (size_t)t->nz;
  return (rattle__substep){t->trace.h[i], z, z + t->nz};
}

/* The trace has the account of the work of forces, the last pair, which no derivative needs. */
static void drop_account(rattle_tangent *t) {
  const size_t n = (size_t)t->n, pairs = (size_t)t->integrator->pairs;
  if (n == pairs || !t->composed) return;
  for (size_t i = 0; i <= (size_t)t->trace.count; i++) {
    const double *from = t->trace.z + i * 2 * pairs;
    double *to = t->trace.z + i * 2 * n;
    memmove(to, from, n * sizeof *to);
    memmove(to + n, from + pairs, n * sizeof *to);
  }
}

static rattle_status make_steps(rattle_tangent *t, rattle_state *state, long long steps,
                                rattle_error *error) {
  if (!t->range) return rattle_integrator_step(t->integrator, state, steps, error);
  return rattle__integrator_advance(t->integrator, state, steps, &t->range[0], &t->range[1], error);
}

rattle_status rattle__tangent_advance(rattle_tangent *t, rattle_state *state, rattle_error *error) {
  const size_t half = (size_t)t->n * sizeof(double);
  rattle_integrator *s = t->integrator;
  if (s->extra) rattle_integrator_get_extra(s, t->extra);
  memcpy(t->z0, state->q, half);
  memcpy(t->z0 + t->n, state->p, half);
  t->trace.count = 0;
  t->length = rattle__length_after(s, state, state->step);
  if (t->composed)
    s->context.asked.trace = &t->trace; /* of this step alone: the caller may make others */
  const rattle_status status = make_steps(t, state, 1, error);
  s->context.asked.trace = NULL;
  if (status) return status;
  memcpy(t->z1, state->q, half);
  memcpy(t->z1 + t->n, state->p, half);
  drop_account(t);
  return RATTLE_OK;
}

/* One substep by the quick way: 1: done. */
static int goes_quickly(rattle_tangent *t, const rattle__substep *at, int count) {
  const size_t nz = (size_t)t->nz;
  if (!t->quick.self) return 0;
  if (at->z1 == at->z0 + nz)
    return (int)t->quick.through(t->quick.self, &at->h, at->z0, 1, count,
                                 t->room + (size_t)t->m * nz);
  memcpy(t->pair, at->z0, nz * sizeof *t->pair);
  memcpy(t->pair + nz, at->z1, nz * sizeof *t->pair);
  return (int)t->quick.through(t->quick.self, &at->h, t->pair, 1, count,
                               t->room + (size_t)t->m * nz);
}

rattle_status rattle__tangent_through(rattle_tangent *t, const rattle__substep *at, int count,
                                      rattle_error *error) {
  if (goes_quickly(t, at, count)) return RATTLE_OK;
  if (t->slides) return rattle__slides_tangent(t->slides, at, count, t->room, error);
  double *end = t->room; /* m + capacity + 1 vectors: the last one is free */
  end += ((size_t)t->m + (size_t)t->capacity) * (size_t)t->nz;
  rattle_status status = t->map->apply(t->map, at->h, at->z0, end, error);
  if (!status)
    status = t->map->tangent(t->map, at->h, count, t->room + (size_t)t->m * (size_t)t->nz, error);
  return status;
}

/* Takes back a step whose derivative failed. */
static void go_back(rattle_tangent *t, rattle_state *state) {
  const size_t half = (size_t)t->n * sizeof(double);
  memcpy(state->q, t->z0, half);
  memcpy(state->p, t->z0 + t->n, half);
  state->step--;
  t->integrator->context.counts.steps--;
  if (t->integrator->extra) rattle_integrator_set_extra(t->integrator, t->extra);
}

/* Why a derivative is not finite: H is not where the step ends, or the vectors are too long. */
static rattle_status not_finite(const rattle_tangent *t, rattle_error *error) {
  const rattle_integrator *s = t->integrator;
  const rattle__function *H = s->problem->H;
  const double *z = s->z[s->now];
  double energy;
  if (H->value(H, z, &energy, s->work) || !isfinite(energy))
    return rattle__end_not_finite(s, z, error);
  return rattle__fail(error, RATTLE_DOMAIN, NULL,
                      "the derivative of the step is not finite: rescale the vectors");
}

/* The derivative of the step at hand, on the vectors in the room. */
static rattle_status differentiate(rattle_tangent *t, int count, rattle_error *error) {
  double *W = t->room + (size_t)t->m * (size_t)t->nz;
  const int substeps = rattle__tangent_substeps(t);
  rattle_status status = RATTLE_OK;
  int done = 0;
  if (t->quick.self && t->composed)
    done = (int)t->quick.through(t->quick.self, t->trace.h, t->trace.z, substeps, count, W);
  for (int i = done; i < substeps && !status; i++) {
    const rattle__substep at = rattle__tangent_substep(t, i);
    status = rattle__tangent_through(t, &at, count, error);
  }
  return status || rattle__all_finite(W, count * t->nz) ? status : not_finite(t, error);
}

static int note(void *self, const double *z) {
  rattle_tangent *t = self;
  memcpy(t->way + (size_t)++t->noted * (size_t)t->nz, z, (size_t)t->nz * sizeof *z);
  return 0;
}

/* Up to so many steps at once and then their derivatives: quicker than one by one, and left to that
 * where anything is unusual. Returns how many were made. */
static long long stretch(rattle_tangent *t, rattle_state *state, long long steps, int count,
                         double *W) {
  struct rattle__asked *asked = &t->integrator->context.asked;
  const size_t half = (size_t)t->n * sizeof(double), nz = (size_t)t->nz;
  double *mine = t->room + (size_t)t->m * nz;
  rattle_error error;
  if (!t->way || steps < 2) return 0;
  memcpy(t->way, state->q, half);
  memcpy(t->way + t->n, state->p, half);
  t->noted = 0;
  asked->examine = note, asked->examiner = t;
  const rattle_status status = make_steps(t, state, steps < STRETCH ? steps : STRETCH, &error);
  asked->examine = NULL, asked->examiner = NULL;
  for (int i = 0; i < t->noted; i++) t->lengths[i] = state->h;
  memcpy(mine, W, (size_t)count * nz * sizeof *W);
  if (!status &&
      t->quick.through(t->quick.self, t->lengths, t->way, t->noted, count, mine) == t->noted &&
      rattle__all_finite(mine, count * t->nz)) {
    memcpy(W, mine, (size_t)count * nz * sizeof *W);
    return t->noted;
  }
  memcpy(state->q, t->way, half);
  memcpy(state->p, t->way + t->n, half);
  state->step -= t->noted;
  t->integrator->context.counts.steps -= t->noted;
  return 0;
}

static rattle_status one_step(rattle_tangent *t, rattle_state *state, int count, double *W,
                              rattle_error *error) {
  double *mine = t->room + (size_t)t->m * (size_t)t->nz;
  const size_t bytes = (size_t)count * (size_t)t->nz * sizeof *W;
  memcpy(mine, W, bytes);
  rattle_status status = rattle__tangent_advance(t, state, error);
  if (status) return status;
  status = differentiate(t, count, error);
  if (status)
    go_back(t, state);
  else
    memcpy(W, mine, bytes);
  return status;
}

rattle_status rattle_tangent_step(rattle_tangent *t, rattle_state *state, long long steps,
                                  int count, double *W, rattle_error *error) {
  rattle_status status = rattle__tangent_reserve(t, count, error);
  const long long last = state->step + steps;
  while (state->step < last && !status)
    if (!stretch(t, state, last - state->step, count, W))
      status = one_step(t, state, count, W, error);
  return status;
}

/* --- the tangent space ------------------------------------------------------------------------ */

rattle_status rattle_tangent_project(rattle_tangent *t, const double *q, const double *p, int count,
                                     double *W, rattle_error *error) {
  memcpy(t->z0, q, (size_t)t->n * sizeof *q);
  memcpy(t->z0 + t->n, p, (size_t)t->n * sizeof *p);
  return rattle__normals_project(&t->normals, t->z0, count, W, error);
}

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int c = 0; c < count; c++) sum += a[c] * b[c];
  return sum;
}

/* The longest of the vectors from..nz-1 comes first, with length 1, and goes out of the others;
 * twice, for what rounding leaves. */
static void take_longest(int nz, int from, double *W) {
  int best = from;
  for (int k = from; k < nz; k++)
    if (dot(nz, W + k * nz, W + k * nz) > dot(nz, W + best * nz, W + best * nz)) best = k;
  for (int c = 0; c < nz; c++) {
    const double x = W[best * nz + c];
    W[best * nz + c] = W[from * nz + c];
    W[from * nz + c] = x;
  }
  double *w = W + from * nz;
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < from; k++) {
      const double d = dot(nz, w, W + k * nz);
      for (int c = 0; c < nz; c++) w[c] -= d * W[k * nz + c];
    }
    const double length = sqrt(dot(nz, w, w));
    for (int c = 0; c < nz; c++) w[c] /= length;
  }
  for (int k = from + 1; k < nz; k++) {
    const double d = dot(nz, w, W + k * nz);
    for (int c = 0; c < nz; c++) W[k * nz + c] -= d * w[c];
  }
}

rattle_status rattle_tangent_basis(rattle_tangent *t, const double *q, const double *p,
                                   int *dimension, double *W, rattle_error *error) {
  memset(W, 0, (size_t)t->nz * (size_t)t->nz * sizeof *W);
  for (int k = 0; k < t->nz; k++) W[(size_t)k * (size_t)(t->nz + 1)] = 1;
  const rattle_status status = rattle_tangent_project(t, q, p, t->nz, W, error);
  *dimension = t->nz - 2 * t->m;
  for (int k = 0; k < *dimension && !status && t->m; k++) take_longest(t->nz, k, W);
  return status;
}
