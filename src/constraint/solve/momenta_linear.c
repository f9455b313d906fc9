/* See momenta_linear.h. */
#include "constraint/solve/momenta_linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/carry.h"
#include "constraint/step/impulse.h"

static const char equations[] = "the equations of the momentum projection";

void rattle__momenta_scale(const rattle__momenta *s, const double *restrict J, double *restrict B) {
  if (!s->equal) rattle__mass_scale(s->mass, s->context->problem->g, J, B);
}

rattle_status rattle__momenta_factor(rattle__momenta *s, const double *J, const double *B) {
  if (s->factored) return RATTLE_OK;
  rattle__coupling_assemble(s->coupling, J, B, s->A->value);
  s->context->counts.factorisation++;
  const rattle_status status = s->A->factor(s->A);
  s->factored = !status;
  return status;
}

/* p -= J^T delta */
static void push(rattle__momenta *s) {
  const int n = s->rows.vars;
  if (!s->carry) {
    rattle__rows_subtract(&s->rows, 1, s->J, s->delta, s->p);
    return;
  }
  memset(s->impulse, 0, (size_t)n * sizeof(double));
  rattle__rows_subtract(&s->rows, 1, s->J, s->delta, s->impulse);
  rattle__carry_add_all(n, s->impulse, s->p, s->carry);
}

void rattle__momenta_psi(const rattle__momenta *s, const double *J, const double *B,
                         const double *p, double *psi) {
  rattle__rows_multiply(&s->rows, B, p, psi);
  for (int i = 0; i < s->rows.count && s->of_time; i++)
    if (s->of_time[i] >= 0) psi[i] += J[s->of_time[i]];
}

/* The same with the units of its round-off. */
static void measure(rattle__momenta *s) {
  rattle__least_momenta(s, s->rows.vars, s->p, s->terms);
  rattle__rows_measure(&s->rows, s->B, s->p, s->terms, s->psi, s->inverse_floor);
  for (int i = 0; i < s->rows.count && s->of_time; i++) {
    if (s->of_time[i] < 0) continue;
    const double slope = s->J[s->of_time[i]];
    s->psi[i] += slope;
    s->inverse_floor[i] = 1 / (1 / s->inverse_floor[i] + DBL_EPSILON * fabs(slope));
  }
}

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__momenta *s = self;
  (void)error;
  if (c->k == 0 && !c->full_units)
    measure(s);
  else
    rattle__momenta_psi(s, s->J, s->B, s->p, s->psi);
  c->residual = rattle__rows_ratio(&s->rows, s->psi, s->inverse_floor, &c->largest);
  return RATTLE_OK;
}

/* sigma of constraints that nearly depend on each other is large and cancels in G^T sigma: its
 * terms are what rounds. */
static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__momenta *s = self;
  const rattle__rows *rows = &s->rows;
  (void)error;
  memcpy(on ? s->cheap : s->inverse_floor, on ? s->inverse_floor : s->cheap,
         (size_t)rows->count * sizeof(double));
  if (!on) return RATTLE_OK;
  for (int k = 0; k < rows->vars; k++) s->terms[k] = fabs(s->p[k]);
  for (int i = 0; i < rows->count; i++)
    for (int e = rows->ptr[i]; e < rows->ptr[i + 1]; e++)
      s->terms[rows->col[e]] += fabs(s->J[e] * s->sigma[i]);
  for (int i = 0; i < rows->count; i++) {
    double size = 1 / s->inverse_floor[i], sum = 0;
    for (int e = rows->ptr[i]; e < rows->ptr[i + 1]; e++)
      sum += fabs(s->B[e]) * s->terms[rows->col[e]];
    s->inverse_floor[i] = 1 / fmax(size, DBL_EPSILON * sum);
  }
  return RATTLE_OK;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__momenta *s = self;
  (void)c;
  const rattle_status status = rattle__momenta_factor(s, s->J, s->B);
  if (status)
    return rattle__not_factored(status, s->context->problem, equations, s->A->blame, error);
  memcpy(s->delta, s->psi, (size_t)s->rows.count * sizeof(double));
  s->A->solve(s->A, s->delta);
  for (int i = 0; i < s->rows.count; i++) s->sigma[i] += s->delta[i];
  push(s);
  return RATTLE_OK;
}

rattle_status rattle__momenta_slide(rattle__momenta *s, const double *J, const double *B, double *z,
                                    double *carry, rattle_error *error) {
  static const rattle__equation equation = {NULL, evaluate, use_full_units, correct};
  rattle_residuals *seen = &s->context->residuals;
  rattle__course c = {0};
  s->J = J;
  s->B = B;
  s->p = z +
         s->context->problem->n; /* the account of forces has a pair that constraints do not know */
  s->carry = carry;
  memset(s->sigma, 0, (size_t)s->rows.count * sizeof(double));
  const rattle_status status = rattle__iterate(&equation, s, s->context, 0, &c, error);
  if (c.gave_up) {
    const double *point[] = {z};
    c.worst = rattle__rows_worst(&s->rows, s->psi, s->inverse_floor);
    return rattle__not_converged(s->context->problem, equations, &c, point, 1, error);
  }
  if (status) return status;
  s->largest = c.largest * s->factor;
  rattle__record_kick(s->context, 1, J, s->sigma, z);
  s->context->counts.momentum_projections++;
  if (s->largest > seen->psi) seen->psi = s->largest;
  return RATTLE_OK;
}

/* Finds the entries of the rows of G that are slopes by time. */
static void find_time(rattle__momenta *s, rattle__arena *arena) {
  const rattle__rows *rows = &s->rows;
  int found = 0;
  for (int e = 0; e < rows->nnz && s->mass->clock; e++) found |= rows->col[e] == s->mass->clock - 1;
  if (!found) return;
  s->of_time = rattle__arena_take(arena, (size_t)rows->count * sizeof *s->of_time);
  for (int i = 0; i < rows->count && s->of_time; i++) {
    s->of_time[i] = -1;
    for (int e = rows->ptr[i]; e < rows->ptr[i + 1]; e++)
      if (rows->col[e] == s->mass->clock - 1) s->of_time[i] = e;
  }
}

rattle_status rattle__momenta_create(rattle__momenta **momenta, rattle__context *context,
                                     rattle__coupling *coupling, const rattle__solver *solver,
                                     rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  const size_t n = (size_t)problem->n, m = (size_t)problem->m;
  rattle__momenta *s = rattle__arena_take(arena, sizeof *s);
  *momenta = s;
  if (!s) return rattle__no_memory(error);
  *s = (rattle__momenta){.context = context,
                         .coupling = coupling,
                         .mass = rattle__inertia(problem),
                         .equal = rattle__mass_is_equal(rattle__inertia(problem)),
                         .factor = 1};
  if (s->equal) s->factor = s->mass->diagonal[0];
  const rattle__array array[] = {{&s->sigma, m}, {&s->psi, m},
                                 {&s->delta, m}, {&s->inverse_floor, m},
                                 {&s->cheap, m}, {&s->impulse, context->carry ? n : 0},
                                 {&s->terms, n}};
  RATTLE__LAY_OUT(arena, array);
  s->rows = rattle__rows_of(problem->g, arena);
  if (arena->failed) return rattle__no_memory(error);
  if (!s->mass->value) s->held = rattle__arena_take(arena, n);
  for (int e = 0; e < s->rows.ptr[m] && s->held; e++) s->held[s->rows.col[e]] = 1;
  find_time(s, arena);
  if (arena->failed) return rattle__no_memory(error);
  if (!coupling) return RATTLE_OK;
  return rattle__linear_create_by(&s->A, coupling->rows, coupling->ptr, coupling->col, 1,
                                  solver ? solver->symmetric : NULL, error);
}

void rattle__momenta_destroy(rattle__momenta **momenta) {
  if (*momenta) rattle__linear_destroy(&(*momenta)->A);
  *momenta = NULL;
}
