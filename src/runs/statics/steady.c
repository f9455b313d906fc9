/* Steady motions, which symmetries carry: relative equilibria. If J(q, p) is conserved and its flow
 * keeps g = 0, it commutes with the motion, and what rests under H - value J moves along that flow
 * with the speed `value` (J. E. Marsden, Lectures on Mechanics (1992), chapter 4).
 *
 * Symmetry  Y = X_J, J being H less the other H. At points of g = 0, psi = 0 beside the steady
 *           motion {H, J} = 0 and g' Y = 0 to round-off, so that H moves along constraints and J
 *           is conserved; and forces go along: B^T (f' Y + J_qp f) = 0 */
#include "runs/statics/steady.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "ground/support/nearest.h"
#include "problem/model/model.h"

enum { POINTS = 3 };
static const double near = 0x1p-26, spread = 0.1;

static rattle_status no_such(const rattle_model *model, const char *name, rattle_error *error) {
  rattle__nearest nearest = {.name = name};
  for (int i = 0; i < model->observables; i++)
    rattle__nearest_try(&nearest, model->observable[i].name);
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "the model observes no quantity '%s' whose flow a steady motion could "
                      "follow%s%s%s: add observe(\"%s\", ...) to it",
                      name, nearest.best ? "; did you mean '" : "",
                      nearest.best ? nearest.best : "", nearest.best ? "'?" : "", name);
}

/* H -= value J */
static rattle_status subtract(rattle_model *model, const rattle_parameter *steady,
                              rattle_error *error) {
  int i = 0;
  while (i < model->observables && strcmp(model->observable[i].name, steady->name) != 0) i++;
  if (i == model->observables) return no_such(model, steady->name, error);
  if (!isfinite(steady->value))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, steady->name,
                        "the speed along '%s' must be finite", steady->name);
  const rattle_expr speed = rattle_expr_constant(model->graph, -steady->value),
                    term = rattle_expr_binary(model->graph, RATTLE_OP_MUL, speed,
                                              model->observable[i].expr);
  return term ? rattle_model_add_hamiltonian(model, term, error) : rattle__no_memory(error);
}

rattle_status rattle__steady_problem(rattle_problem **other, const rattle_problem *problem,
                                     const rattle_parameter *parameters, int count,
                                     const rattle_equilibrium_options *options,
                                     rattle_error *error) {
  if (!options->steadies)
    return rattle_problem_with_parameters(other, problem, parameters, count, error);
  rattle_model *model;
  *other = NULL;
  rattle_status status = rattle__problem_read_again(&model, problem, parameters, count, error);
  for (int i = 0; i < options->steadies && !status; i++)
    status = subtract(model, &options->steady[i], error);
  if (!status) status = rattle_problem_create(other, model, &problem->how, error);
  rattle_model_destroy(&model);
  return status;
}

/* --- whether it is a symmetry ----------------------------------------------------------------- */

typedef struct check {
  rattle_equilibrium *s;
  const rattle_problem *problem, *other;          /* of H, of H - sum value J */
  double *of_H, *of_other, *D, *E, *Y, *F, *work; /* [2n] */
  double *room;
  double *most,
      *terms; /* of {H, J}, of forces and of g' Y at all points, and of their terms [m+2] */
} check;

static const rattle__function *energy_of(const rattle_problem *problem) {
  return problem->energy ? problem->energy : problem->H;
}

/* The gradients of H and of the other H at z, without forces, and Y. */
static rattle_status find_fields(check *c, const double *z, rattle_error *error) {
  const rattle__function *H = energy_of(c->problem), *T = energy_of(c->other);
  const int n = c->s->n;
  int answer = H->jacobian(H, z, NULL, c->of_H, c->work);
  if (!answer) answer = T->jacobian(T, z, NULL, c->of_other, c->work);
  if (answer) return rattle__answer(answer, "Hamiltonian", error);
  for (int k = 0; k < n; k++) {
    c->Y[k] = c->of_H[n + k] - c->of_other[n + k];
    c->Y[n + k] = c->of_other[k] - c->of_H[k];
  }
  return RATTLE_OK;
}

static void note(check *c, int i, double sum, double terms) {
  c->most[i] = fmax(c->most[i], fabs(sum));
  c->terms[i] = fmax(c->terms[i], terms);
}

/* g' Y at s->z. Terms include what round-off makes of any of them, of that part. */
static void note_constraints(check *c) {
  const rattle_equilibrium *s = c->s;
  const rattle__function *g = s->problem->g;
  const double size = rattle__largest(c->Y, s->n);
  for (int i = 0; i < s->m; i++) {
    double sum = 0, terms = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double term = s->J[e] * c->Y[g->jac_col[e]];
      sum += term, terms += fabs(term) + near * fabs(s->J[e]) * size;
    }
    note(c, i, sum, terms);
  }
}

static void note_energy(check *c) {
  const int n = c->s->n;
  double sum = 0, terms = 0;
  for (int k = 0; k < 2 * n; k++) {
    const double term = c->of_H[k] * c->Y[k];
    sum += term, terms += fabs(term);
  }
  note(c, c->s->m, sum, terms);
}

/* B^T (f' Y + J_qp f): f' Y by the second derivatives of H with forces and without. */
static rattle_status note_forces(check *c, const double *z, rattle_error *error) {
  const rattle_equilibrium *s = c->s;
  const rattle__function *E = c->problem->energy, *H = c->problem->H, *T = c->other->energy;
  const int n = s->n;
  double *with = c->of_other, *turned = c->D, *other = c->E, sum = 0, terms = 0;
  int answer = H->jacobian(H, z, NULL, with, c->work);
  for (int k = 0; k < n; k++) c->F[k] = 0, c->F[n + k] = c->of_H[k] - with[k];
  if (!answer) answer = rattle__function_along(E, z, c->F, turned, c->work, c->room);
  if (!answer) answer = rattle__function_along(T, z, c->F, other, c->work, c->room);
  for (int k = 0; k < n; k++) { /* J_qp f */
    c->F[k] = near * (fabs(turned[k]) + fabs(other[k]));
    turned[k] -= other[k];
  }
  if (!answer) answer = rattle__function_along(E, z, c->Y, other, c->work, c->room);
  for (int k = 0; k < n; k++) turned[n + k] = other[k];
  if (!answer) answer = rattle__function_along(H, z, c->Y, other, c->work, c->room);
  if (answer) return rattle__answer(answer, "Hamiltonian", error);
  for (int j = 0; j < s->d; j++) {
    double part = 0, size = 0;
    for (int k = 0; k < n; k++) {
      const double change = turned[n + k] - other[k], b = s->B[j * n + k];
      const double rounding = c->F[k] + near * (fabs(turned[n + k]) + fabs(other[k]));
      part += b * (change + turned[k]);
      size += fabs(b) * (fabs(change) + fabs(turned[k]) + rounding);
    }
    sum = hypot(sum, part), terms = hypot(terms, size);
  }
  note(c, s->m + 1, sum, terms);
  return RATTLE_OK;
}

/* A direction of motion at random [n]. */
static void put_way(const rattle_equilibrium *s, uint32_t *random, double *way) {
  memset(way, 0, (size_t)s->n * sizeof *way);
  for (int j = 0; j < s->d; j++) {
    *random = *random * 1664525u + 1013904223u;
    for (int k = 0; k < s->n; k++) way[k] += (*random / 0x1p31 - 1) * s->B[j * s->n + k];
  }
}

/* s->z: the k-th point, beside the steady motion z, on the constraints, with other velocities. */
static rattle_status go_beside(check *c, const double *z, int point, rattle_error *error) {
  rattle_equilibrium *s = c->s;
  const int n = s->n;
  uint32_t random = (uint32_t)point;
  memcpy(s->z, z, 2 * (size_t)n * sizeof *z);
  rattle_status status = rattle__statics_reduce(s, error);
  if (status) return status;
  if (point) {
    put_way(s, &random, c->D);
    const double most = rattle__largest(c->D, n), size = s->size > 0 ? s->size : 1;
    for (int k = 0; k < n && most > 0; k++) s->z[k] += spread * size / most * c->D[k];
    status = rattle__statics_onto(s, error);
    if (!status) status = rattle__statics_reduce(s, error);
    if (status) return status;
  }
  double speed = 0;
  for (int k = 0; k < n; k++) speed = fmax(speed, fabs(s->z[n + k]));
  put_way(s, &random, c->D);
  rattle__statics_momenta(s, c->D, c->E);
  const double most = rattle__largest(c->E, n), part = most > 0 && speed > 0 ? speed / most : 1;
  for (int k = 0; k < n; k++) s->z[n + k] += part * c->E[k];
  return rattle__statics_see(s, error);
}

/* A point where functions are not defined says nothing. */
static rattle_status check_points(check *c, const char *name, const double *z,
                                  rattle_error *error) {
  rattle_equilibrium *s = c->s;
  for (int i = 0; i < POINTS; i++) {
    rattle_status status = go_beside(c, z, i, error);
    if (!status) status = find_fields(c, s->z, error);
    if (!status) note_energy(c);
    if (!status && c->problem->force) status = note_forces(c, s->z, error);
    if (status == RATTLE_NO_MEMORY) return status;
    if (!status) note_constraints(c);
  }
  double most = 0;
  for (int i = 0; i < s->m + 2; i++)
    if (c->terms[i] > 0) most = fmax(most, c->most[i] / c->terms[i]);
  return most <= near ? RATTLE_OK
                      : rattle__fail(error, RATTLE_UNSUITABLE, name,
                                     "the motion has no symmetry that conserves '%s': along its "
                                     "flow H, a force or a constraint changes, by %.1e of the "
                                     "terms; a steady motion needs such a symmetry",
                                     name, most);
}

static size_t most_work(const rattle_problem *problem) {
  const size_t of_H = problem->H->work, of_energy = energy_of(problem)->work;
  return of_H > of_energy ? of_H : of_energy;
}

/* J alone: whether a symmetry conserves it; flow [n]: the way of the coordinates along it at z. */
static rattle_status check_one(rattle_equilibrium *s, const rattle_parameter *quantity,
                               const double *z, double *flow, rattle_error *error) {
  const rattle_parameter alone = {quantity->name, 1};
  const rattle_equilibrium_options options = {.steady = &alone, .steadies = 1};
  rattle_problem *other;
  rattle_status status = rattle__steady_problem(&other, s->moving, NULL, 0, &options, error);
  if (status) return status;
  const size_t nz = 2 * (size_t)s->n, rows = (size_t)s->m + 2, of_H = most_work(s->moving),
               of_other = most_work(other), work = of_H > of_other ? of_H : of_other;
  double *own = calloc(10 * nz + 2 * rows + work + 1, sizeof *own);
  check c = {.s = s,
             .problem = s->moving,
             .other = other,
             .of_H = own,
             .of_other = own + nz,
             .D = own + 2 * nz,
             .E = own + 3 * nz,
             .Y = own + 4 * nz,
             .F = own + 5 * nz,
             .room = own + 6 * nz,
             .most = own + 10 * nz,
             .terms = own + 10 * nz + rows,
             .work = own + 10 * nz + 2 * rows};
  if (!own) status = rattle__no_memory(error);
  if (!status) status = check_points(&c, quantity->name, z, error);
  if (!status) status = find_fields(&c, z, error);
  if (!status) memcpy(flow, c.Y, (size_t)s->n * sizeof *flow);
  free(own);
  rattle_problem_destroy(&other);
  return status;
}

rattle_status rattle__steady_check(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n, count = s->options.steadies;
  const size_t nz = 2 * (size_t)n, flows = (size_t)n * (size_t)count;
  double *z = calloc(nz + flows + (size_t)count + (size_t)n * (size_t)n + 1, sizeof *z);
  if (!z) return rattle__no_memory(error);
  double *flow = z + nz, *value = flow + flows, *U = value + count;
  memcpy(z, s->z, nz * sizeof *z);
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < count && !status; i++)
    status = check_one(s, &s->options.steady[i], z, flow + (size_t)i * (size_t)n, error);
  memcpy(s->z, z, nz * sizeof *z);
  if (!status) status = rattle__statics_reduce(s, error);
  const int columns = count < n ? count : n;
  if (!status) status = rattle__singular(n, columns, flow, value, U, error);
  const double size = s->size > 0 ? s->size : 1;
  for (s->carried = 0; !status && s->carried < columns && value[s->carried] > near * size;)
    s->carried++;
  free(z);
  return status;
}
