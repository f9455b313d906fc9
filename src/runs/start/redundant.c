/* Overconstrained mechanisms: rows of G that depend on others wherever g = 0 are omitted, before a
 * problem is made of the model.
 *
 * Rank         what is left of a row without those before it: more than 1e-4 of it and more than
 *              1e-9 must come to the same rows, else rows are nearly dependent, which a start
 *              refuses
 * Constant     no place of the manifold that is visited has a higher rank: what depends at the
 *              start alone is a singular position
 * Choice       rows that remain as independent as possible at all of those places (selection.c)
 * Places       where the start is to be projected it is put onto all constraints here, since those
 *              that are left may hold elsewhere too
 * In a run     omitted constraints are evaluated after each step (runs/integrate/omitted.c) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/random.h"
#include "runs/start/redundant.h"
#include "runs/start/start.h"
#include "rattle/problem.h"

enum { MOST = 1000, PLACES = 60, MOST_ENTRIES = 4000000 };
static const double clear = 1e-4, faint = 1e-9, stride = 0.2;

/* True if the constraints are independent as they are, which costs far less to see. */
static int is_regular(rattle_model *model) {
  rattle_problem *problem = NULL;
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  if (model->m > model->n || rattle_problem_create(&problem, model, &options, NULL)) return 0;
  const int good = rattle__start_is_good(problem);
  rattle_problem_destroy(&problem);
  return good;
}

static int depends_on_momenta(const rattle_model *model) {
  for (int k = 0; k < model->n; k++)
    if (model->pair[k].is_free) return 1;
  for (int i = 0; i < model->m; i++)
    for (int k = 0; k < model->n; k++) {
      const rattle_expr d =
          rattle_expr_derivative(model->graph, model->constraint[i].expr, 2 * k + 1);
      if (rattle_expr_op(model->graph, d) != RATTLE_OP_CONSTANT ||
          rattle_expr_value(model->graph, d) != 0)
        return 1;
    }
  return 0;
}

/* Rows that are independent but for round-off, where it is known which are so clearly: both are the
 * same unless something in between was dropped. */
static int perhaps_independent(rattle__spans *rows, int surely) {
  return rows->most_dropped > faint ? rattle__spans_independent(rows, faint, NULL) : surely;
}

/* y <- a direction that the rows permit, of which the first `count` of Q are a basis: what is left
 * of y, of the old length. */
static void turn_along(rattle__spans *rows, int count) {
  const size_t n = (size_t)rows->n;
  double sum = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < count; j++) {
      const double *other = rows->Q + (size_t)j * n;
      double part = 0;
      for (size_t k = 0; k < n; k++) part += rows->y[k] * other[k];
      for (size_t k = 0; k < n; k++) rows->y[k] -= part * other[k];
    }
  for (size_t k = 0; k < n; k++) sum += rows->y[k] * rows->y[k];
  for (size_t k = 0; k < n && sum > 0; k++) rows->y[k] /= sqrt(sum);
}

/* The next place on the way along the manifold, 0 where it is not reached; back at the place before
 * is not. Strides are a part of the coordinates, which may be large next to what moves, as of a
 * mechanism far from the origin: the first one is halved until it leads somewhere. heading [n] is
 * kept; old [n] */
static int walk(rattle__spans *rows, int count, int first, double *part, double *heading,
                double *old) {
  const size_t n = (size_t)rows->n;
  memcpy(old, rows->q, n * sizeof *old);
  memcpy(rows->y, heading, n * sizeof *heading);
  turn_along(rows, count);
  memcpy(heading, rows->y, n * sizeof *heading);
  for (; *part > clear; *part /= 2) {
    const double step = *part * rows->size;
    double way = 0;
    for (size_t k = 0; k < n; k++) rows->q[k] = old[k] + step * rows->w[k] * heading[k];
    const int failed = rattle__spans_project(rows, NULL) != RATTLE_OK;
    for (size_t k = 0; k < n; k++) way += (rows->q[k] - old[k]) / rows->w[k] * heading[k];
    if (!failed && way > 0.5 * step) return 1;
    if (!first) break;
  }
  return 0;
}

/* Rows at so many places of the manifold: all have the rank of the start, but for those where some
 * move is singular, which are left out. *constant = 0 where a place has a higher one. */
static rattle_status visit(rattle__spans *rows, rattle__selection *choice, int count, int *constant,
                           rattle_error *error) {
  const size_t n = (size_t)rows->n, all = (size_t)rows->m * n;
  uint64_t random = 1;
  double *start = malloc(3 * n * sizeof *start), *heading = start + n, part = stride;
  if (!start) return rattle__no_memory(error);
  memcpy(start, rows->q, n * sizeof *start);
  for (size_t k = 0; k < n; k++) heading[k] = rattle__random_signed(&random);
  *constant = 1;
  for (int place = 0; place < choice->room && *constant; place++) {
    if (place && (count == rows->n || !walk(rows, count, place == 1, &part, heading, heading + n)))
      break;
    const int surely = rattle__spans_independent(rows, clear, NULL);
    *constant = surely <= count;
    if (surely == count)
      memcpy(choice->rows + all * (size_t)choice->places++, rows->A, all * sizeof(double));
    (void)perhaps_independent(rows, surely); /* for the next move */
  }
  *constant = *constant && (count == rows->n ||
                            choice->places > 1); /* a point alone says nothing of the manifold */
  memcpy(rows->q, start, n * sizeof *start);
  free(start);
  return RATTLE_OK;
}

/* Constraints that are not kept go to those that are omitted, with the length of their rows at the
 * start. */
static rattle_status omit(rattle_model *model, const rattle__spans *rows, const unsigned char *kept,
                          rattle_error *error) {
  const size_t m = (size_t)model->m;
  model->omitted = calloc(m, sizeof *model->omitted);
  model->omitted_size = calloc(m, sizeof *model->omitted_size);
  if (!model->omitted || !model->omitted_size) return rattle__no_memory(error);
  int left = 0;
  for (int i = 0; i < rows->m; i++) {
    if (kept[i]) {
      model->constraint[left++] = model->constraint[i];
      continue;
    }
    model->omitted_size[model->omissions] = rows->length[i] * rows->size;
    model->omitted[model->omissions++] = model->constraint[i];
  }
  model->m = left;
  const rattle_status status = rattle__model_observe_omitted(model, error);
  rattle__model_pack(model);
  return status;
}

/* With as many constraints as coordinates, or more, the start would say that they depend on one
 * another. */
static rattle_status violated(const rattle__spans *rows, int worst, rattle_error *error) {
  const char *name = rows->model->constraint[worst].name;
  return rattle__fail(error, RATTLE_BAD_MODEL, name,
                      "the start violates constraint '%s': its value is %.6g and must be 0; "
                      "correct the start, or project it: "
                      "start { project = true }",
                      name, rows->r[worst] * rows->length[worst]);
}

static rattle_status analyse(rattle_model *model, rattle__spans *rows, rattle_error *error) {
  double most;
  int worst = 0, constant = 0;
  rattle__selection choice = {0};
  rattle_status status = rattle__spans_create(rows, model, error);
  rows->holding = model->wishes.project;
  if (!status && model->wishes.project) status = rattle__spans_project(rows, error);
  rows->holding = 0;
  if (!status) status = rattle__spans_at(rows, &most, &worst, error);
  /* a start that violates them stays what it is; which of them follow is asked on the manifold */
  const int stays = !status && !model->wishes.project && most > 1e-9;
  if (stays && rows->m >= rows->n) return violated(rows, worst, error);
  if (stays && rattle__spans_project(rows, NULL)) return RATTLE_OK;
  if (stays) status = rattle__spans_at(rows, &most, &worst, error);
  if (status) return status;
  const int surely = rattle__spans_independent(rows, clear, NULL),
            perhaps = perhaps_independent(rows, surely);
  if (surely != perhaps || perhaps == rows->m) return RATTLE_OK;
  const double room = fmin(PLACES, fmax(2, floor(MOST_ENTRIES / ((double)rows->m * rows->n))));
  status = rattle__selection_create(&choice, rows, (int)room, error);
  if (!status) status = visit(rows, &choice, perhaps, &constant, error);
  if (!status && constant) {
    status = rattle__select(&choice, perhaps, error);
    if (!status) status = rattle__spans_at(rows, &most, &worst, error);
    for (int k = 0; k < rows->n && !stays; k++) {
      model->pair[k].q = rows->q[k];
      model->pair[k].held = 0;
    }
    if (!status) status = omit(model, rows, choice.kept, error);
  }
  rattle__selection_destroy(&choice);
  return status;
}

rattle_status rattle_model_omit_redundant(rattle_model *model, rattle_error *error) {
  rattle__spans rows = {0};
  if (!model->m || model->omissions) return RATTLE_OK;
  rattle_status status = rattle__model_check(model, error);
  if (status || is_regular(model)) return status;
  if (model->fibre || model->n > MOST || model->m > 2 * MOST || depends_on_momenta(model))
    return RATTLE_OK;
  status = analyse(model, &rows, error);
  rattle__spans_destroy(&rows);
  return status;
}
