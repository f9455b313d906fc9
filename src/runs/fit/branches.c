/* A model that was read with symbols at some values of its parameters is that of other values as
 * long as what its text chooses by values turns out the same. Comparisons are kept with the model
 * and checked; other questions that a text can ask, such as equality, show in a comparison with the
 * model read as numbers. It is read anew if either differs.
 *
 * Two expressions agree if their values differ by no more than the round-off of their operations:
 * eps for each node, of the largest value of a node. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/walk.h"
#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "runs/fit/fitting.h"

enum { POINTS = 3 };

/* --- comparisons ------------------------------------------------------------------------------ */

/* x: the variables at these parameters. */
static rattle_status comparisons_hold(const rattle__fit_system *s, const double *x, int *hold,
                                      rattle_error *error) {
  *hold = 1;
  for (int i = 0; i < s->starts && *hold; i++) {
    const rattle__model_input *note = &s->start[i];
    double value = 0;
    if (note->kind != RATTLE__INPUT_LESS && note->kind != RATTLE__INPUT_LESS_OR_EQUAL) continue;
    if (rattle__evaluate(s->model->graph, note->e, x, &value)) return rattle__no_memory(error);
    *hold = (note->kind == RATTLE__INPUT_LESS ? value < 0 : value <= 0) == note->which;
  }
  return RATTLE_OK;
}

/* --- models ----------------------------------------------------------------------------------- */

/* The value of an expression of the variables of pairs, and in *noise its round-off; NaN of
 * one with other symbols, as multipliers. */
static rattle_status value_of(const rattle_model *model, rattle_expr e, const double *x,
                              double *value, double *noise, rattle_error *error) {
  const rattle_graph *graph = model->graph;
  rattle__walk walk;
  double *node = NULL, largest = 0;
  rattle_status status = rattle__walk_begin(&walk, graph, e, rattle__operands);
  *value = NAN;
  for (size_t i = 0; i < walk.count && !status; i++)
    if (rattle_expr_op(graph, walk.node[i]) == RATTLE_OP_VARIABLE &&
        rattle_expr_index(graph, walk.node[i]) >= 2 * model->n) {
      rattle__walk_end(&walk);
      return RATTLE_OK;
    }
  if (!status && !(node = malloc(walk.count * sizeof *node))) status = RATTLE_NO_MEMORY;
  if (!status) rattle__walk_evaluate(&walk, graph, x, node);
  for (size_t i = 0; i < walk.count && !status; i++) largest = fmax(largest, fabs(node[i]));
  if (!status) *value = node[walk.count - 1];
  *noise = DBL_EPSILON * (double)walk.count * largest;
  free(node);
  rattle__walk_end(&walk);
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

/* Two models that are compared. */
typedef struct twins {
  const rattle__fit_system *s;
  const rattle_model *model; /* read as numbers */
  double *x;
  int agree;
} twins;

/* Values that are finite for one of them alone differ. */
static int differ(double a, double b, double noise) {
  if (!isfinite(a) || !isfinite(b)) return isfinite(a) != isfinite(b);
  return fabs(a - b) > noise;
}

static rattle_status compare(twins *c, rattle_expr symbols, rattle_expr numbers,
                             rattle_error *error) {
  double a = 0, b = 0, noise[2] = {0, 0};
  if (!c->agree || (!symbols && !numbers)) return RATTLE_OK;
  if (!(c->agree = symbols && numbers)) return RATTLE_OK;
  rattle_status status = value_of(c->s->model, symbols, c->x, &a, &noise[0], error);
  if (!status) status = value_of(c->model, numbers, c->x, &b, &noise[1], error);
  if (!status) c->agree = !differ(a, b, noise[0] + noise[1]);
  return status;
}

static rattle_status compare_named(twins *c, const rattle__named *symbols,
                                   const rattle__named *numbers, int count, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < count && c->agree && !status; i++) {
    c->agree = !strcmp(symbols[i].name, numbers[i].name);
    status = compare(c, symbols[i].expr, numbers[i].expr, error);
  }
  return status;
}

static int same_shape(const rattle__fit_system *s, const rattle_model *b) {
  const rattle_model *a = s->model;
  int same = a->n == b->n + s->k && a->m == b->m && a->observables == b->observables &&
             a->applieds == b->applieds && a->velocity_rows == b->velocity_rows;
  for (int i = 0; i < b->applieds && same; i++) same = a->applied[i].pair == b->applied[i].pair;
  for (int i = 0; i < b->n && same; i++)
    same = !strcmp(a->pair[i].name, b->pair[i].name) &&
           !strcmp(a->pair[i].momentum, b->pair[i].momentum) &&
           a->pair[i].has_velocity == b->pair[i].has_velocity;
  return same;
}

static rattle_status compare_functions(twins *c, rattle_error *error) {
  const rattle_model *a = c->s->model, *b = c->model;
  rattle_status status = compare(c, a->hamiltonian, b->hamiltonian, error);
  if (!status) status = compare_named(c, a->constraint, b->constraint, b->m, error);
  if (!status) status = compare_named(c, a->observable, b->observable, b->observables, error);
  for (int i = 0; i < b->applieds && !status; i++)
    status = compare(c, a->applied[i].expr, b->applied[i].expr, error);
  return status;
}

/* The number that a start has in the model read as numbers. */
static double *start_place(rattle__pair *pair, const rattle__model_input *input) {
  if (input->kind == RATTLE__INPUT_VELOCITY) return &pair[input->which].velocity;
  return input->which % 2 ? &pair[input->which / 2].p : &pair[input->which / 2].q;
}

/* Starts that are symbols agree, and all others are the same. */
static rattle_status compare_starts(twins *c, rattle_error *error) {
  const rattle__fit_system *s = c->s;
  const size_t n = (size_t)c->model->n;
  rattle_status status = RATTLE_OK;
  rattle__pair *own = malloc((n + 1) * sizeof *own);
  if (!own) return rattle__no_memory(error);
  memcpy(own, s->model->pair, n * sizeof *own);
  for (int i = 0; i < s->starts && !status; i++) {
    const rattle__model_input *input = &s->start[i];
    double value = 0, noise = 0;
    if (input->kind != RATTLE__INPUT_START && input->kind != RATTLE__INPUT_VELOCITY) continue;
    status = value_of(s->model, input->e, c->x, &value, &noise, error);
    const double other = *start_place(c->model->pair, input);
    c->agree &= !differ(value, other, noise);
    *start_place(own, input) = other;
  }
  for (size_t i = 0; i < n; i++) {
    const rattle__pair *a = &own[i], *b = &c->model->pair[i];
    c->agree &= a->q == b->q && a->p == b->p && (!b->has_velocity || a->velocity == b->velocity);
  }
  free(own);
  return status;
}

/* Points about the start, the first at it. */
static void choose_point(twins *c, int point) {
  const rattle_model *model = c->model;
  double size = 0;
  for (int i = 0; i < model->n; i++) size = fmax(size, fabs(model->pair[i].q));
  if (size == 0) size = 1;
  for (int v = 0; v < 2 * model->n; v++) {
    const rattle__pair *pair = &model->pair[v / 2];
    const double start = v % 2 ? pair->has_velocity ? 1 : pair->p : pair->q;
    c->x[v] = start + size * point * sin(1.7 * (v + 1) * point);
  }
}

static rattle_status agree(const rattle__fit_system *s, const rattle_model *model,
                           const double *theta, int *agrees, rattle_error *error) {
  twins c = {.s = s, .model = model, .agree = same_shape(s, model)};
  rattle_status status = RATTLE_OK;
  if (!(c.x = calloc((size_t)s->nz + 1, sizeof *c.x))) return rattle__no_memory(error);
  for (int j = 0; j < s->k; j++) c.x[2 * (s->n + j)] = theta[j];
  for (int point = 0; point < POINTS && c.agree && !status; point++) {
    choose_point(&c, point);
    status = compare_functions(&c, error);
  }
  if (c.agree && !status) status = compare_starts(&c, error);
  free(c.x);
  *agrees = c.agree;
  return status;
}

/* The system is that of `model`, which is read as numbers at theta. */
static rattle_status fits(const rattle__fit_system *s, const rattle_model *model,
                          const double *theta, int *good, rattle_error *error) {
  double *x = calloc((size_t)s->nz + 1, sizeof *x);
  if (!x) return rattle__no_memory(error);
  for (int j = 0; j < s->k; j++) x[2 * (s->n + j)] = theta[j];
  rattle_status status = comparisons_hold(s, x, good, error);
  if (!status && *good) status = agree(s, model, theta, good, error);
  free(x);
  return status;
}

/* --- following -------------------------------------------------------------------------------- */

static rattle_status refuse(const char *name, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, name,
                      "the model depends on '%s' in a way that derivatives do not follow, such as "
                      "an index, a text or a table: let it vary in expressions, or fix it by -P",
                      name);
}

/* *followed: 1 the model at this value of parameter j is that of the system; 0 it is not; -1 there
 * is none, or another branch. */
static rattle_status try_value(const rattle__fit_system *s, double *theta, int j, double value,
                               int *followed, rattle_error *error) {
  const double was = theta[j];
  rattle_model *model = NULL;
  double *x = calloc((size_t)s->nz + 1, sizeof *x);
  int good = 0;
  if (!x) return rattle__no_memory(error);
  theta[j] = value;
  for (int i = 0; i < s->k; i++) x[2 * (s->n + i)] = theta[i];
  rattle_error why;
  rattle_status status = rattle__fit_read(s, theta, 0, &model, &why);
  *followed = -1;
  if (!status) status = comparisons_hold(s, x, &good, error);
  if (!status && good) status = agree(s, model, theta, followed, error);
  theta[j] = was;
  rattle_model_destroy(&model);
  free(x);
  return status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__fit_system_check(const rattle__fit_system *s, const double *theta,
                                       rattle_error *error) {
  double *beside = calloc((size_t)s->k + 1, sizeof *beside);
  rattle_status status = beside ? RATTLE_OK : rattle__no_memory(error);
  for (int j = 0; j < s->k && !status; j++) beside[j] = theta[j];
  for (int j = 0; j < s->k && !status; j++) {
    const double way = 0x1p-26 * (theta[j] != 0 ? fabs(theta[j]) : 1);
    int followed = -1;
    for (int side = 1; side >= -1 && followed < 0 && !status; side -= 2)
      status = try_value(s, beside, j, theta[j] + side * way, &followed, error);
    if (!status && followed == 0) status = refuse(s->name[j], error);
  }
  free(beside);
  return status;
}

rattle_status rattle__fit_system_follow(rattle__fit_system *s, const rattle_model *model,
                                        const double *theta, rattle_error *error) {
  rattle__fit_system fresh = *s;
  int good = 0;
  if (model->n != s->n || model->m != s->model->m)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "for some values of the parameters the model has other coordinates or "
                        "constraints");
  rattle_status status = fits(s, model, theta, &good, error);
  if (status || good) return status;
  fresh.model = NULL, fresh.problem = NULL, fresh.tangent = NULL;
  fresh.start = NULL, fresh.slope = NULL, fresh.observed = fresh.extra = NULL;
  status = rattle__fit_system_make(&fresh, theta, error);
  if (!status) status = fits(&fresh, model, theta, &good, error);
  if (!status && !good) status = refuse(s->name[0], error);
  if (!status) status = rattle__fit_system_check(&fresh, theta, error);
  if (status) {
    rattle__fit_system_unmake(&fresh);
    return status;
  }
  rattle__fit_system_unmake(s);
  *s = fresh;
  return RATTLE_OK;
}
