/* Forces at the middle of a step as equations. See stage_rows.h. */
#include "constraint/guard/stage_rows.h"

#include <stdlib.h>

#include "ground/expr/derivative.h"
#include "ground/expr/elements.h"
#include "ground/expr/family.h"
#include "ground/support/error.h"

/* Variables of the graph are the columns of the function. */
typedef struct stage_maker {
  const rattle_problem *problem;
  int midpoint; /* of equations divided by t */
  rattle_status (*find)(struct stage_maker *k, rattle__function **rows, rattle_error *error);
  rattle_graph *graph;
  int n, count;
  int *acts_on;
  rattle__stage_factors by; /* of forces, with the signs of V_q */
  int32_t *Z;               /* columns [n] */
  int32_t *middle;          /* [n] */
  rattle_expr *at_rest;     /* ((q0 + Q)/2, 0) [2n] */
  rattle_expr *moving;      /* (middle, Z) [2n] */
  rattle_expr *V_q;         /* [n] */
  rattle_expr *f, *f_at_Z;  /* at p = 0 and there [rows of the forces] */
  rattle_expr *slope;       /* [n] */
  rattle_expr *still,
      *led; /* of each coordinate acted on: t^2 of it; what momenta lead to [count] */
} stage_maker;

static rattle_expr times(stage_maker *k, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, RATTLE_OP_MUL, a, b);
}

static rattle_expr time_of(stage_maker *k) {
  return rattle_expr_variable(k->graph, 3 * k->n);
}

static void name_columns(stage_maker *k) {
  for (int c = 0; c < k->n; c++) {
    k->middle[c] = c, k->Z[c] = 2 * k->n + c;
    k->at_rest[c] = k->moving[c] = rattle_expr_variable(k->graph, c);
    k->at_rest[k->n + c] = rattle_expr_constant(k->graph, 0);
    k->moving[k->n + c] = rattle_expr_variable(k->graph, k->Z[c]);
  }
}

/* --- forces ----------------------------------------------------------------------------------- */

/* The row of the forces that acts on coordinate c, or -1. */
static int row_of(const stage_maker *k, int c) {
  const rattle__function *f = k->problem->force;
  for (int i = 0; f && i < f->rows; i++)
    if (k->problem->pushed[i] == c) return i;
  return -1;
}

/* True if the force on coordinate c is no constant, and moves it. */
static int varies(const stage_maker *k, int c) {
  const rattle_problem *p = k->problem;
  const rattle__function *V = p->V ? p->V : p->energy, *f = p->force;
  const int row = row_of(k, c);
  int by_V = 0;
  for (int e = V->hess_ptr[c]; e < V->hess_ptr[c + 1]; e++) by_V |= V->hess_col[e] < k->n;
  return rattle__inertia(p)->diagonal[c] != 0 &&
         (by_V || (row >= 0 && f->jac_ptr[row] < f->jac_ptr[row + 1]));
}

/* V_q - phi, and Phi P as the expressions of forces have it. */
static rattle_status find_forces(stage_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const rattle__function *V = p->V ? p->V : p->energy;
  rattle_expr energy = RATTLE_EXPR_NONE;
  rattle_status status = rattle__function_rows(V, k->graph, k->at_rest, &energy, error);
  if (!status) status = rattle__gradient(k->graph, energy, k->middle, k->n, k->V_q);
  if (!status && p->force)
    status = rattle__function_rows(p->force, k->graph, k->at_rest, k->f, error);
  if (!status && p->force)
    status = rattle__function_rows(p->force, k->graph, k->moving, k->f_at_Z, error);
  for (int i = 0; i < k->count && !status; i++) {
    const int row = row_of(k, k->acts_on[i]);
    k->still[i] = k->V_q[k->acts_on[i]], k->led[i] = rattle_expr_constant(k->graph, 0);
    if (row < 0) continue;
    k->still[i] = rattle_expr_binary(k->graph, RATTLE_OP_SUB, k->still[i], k->f[row]);
    k->led[i] = rattle_expr_unary(k->graph, RATTLE_OP_NEG, k->f_at_Z[row]);
    if (!k->still[i] || !k->led[i]) status = rattle__no_memory(error);
  }
  return status;
}

/* --- equations -------------------------------------------------------------------------------- */

/* t e' Z for e affine in P: in its place. */
static rattle_status lead(stage_maker *k, rattle_expr *e, rattle_error *error) {
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  const rattle_status status = rattle__gradient(k->graph, *e, k->Z, k->n, k->slope);
  for (int b = 0; b < k->n && !status; b++)
    sum = rattle_expr_binary(k->graph, RATTLE_OP_ADD, sum,
                             times(k, k->slope[b], k->moving[k->n + b]));
  *e = times(k, time_of(k), sum);
  return status ? status : *e ? RATTLE_OK : rattle__no_memory(error);
}

static rattle_status hold(stage_maker *k, rattle_expr *e, rattle_error *error) {
  *e = times(k, times(k, time_of(k), time_of(k)), *e);
  return *e ? RATTLE_OK : rattle__no_memory(error);
}

/* Each force by itself. */
static rattle_status take_whole(stage_maker *k, rattle_error *error) {
  rattle__stage_factors *by = &k->by;
  const size_t count = (size_t)k->count;
  rattle_status status = rattle__stage_factors_start(by, k->count, error);
  by->factor = calloc(count, sizeof *by->factor), by->K = calloc(count * count, sizeof *by->K);
  if (!status && (!by->factor || !by->K)) status = rattle__no_memory(error);
  for (int i = 0; i < k->count && !status; i++) {
    rattle_expr led = k->led[i];
    by->factor[i] = k->still[i], by->K[i * k->count + i] = rattle__exactly(1);
    status = hold(k, &by->factor[i], error);
    if (!status) status = lead(k, &led, error);
    if (!status) by->factor[i] = rattle_expr_binary(k->graph, RATTLE_OP_ADD, by->factor[i], led);
  }
  by->count = k->count;
  return status;
}

static rattle_status take_factors(stage_maker *k, rattle_error *error) {
  rattle__stage_factors *by = &k->by;
  rattle_status status = rattle__stage_factors_start(by, k->count, error);
  if (!status) status = rattle__stage_factors_add(by, k->graph, k->led, error);
  const int led = by->count;
  for (int a = 0; a < led && !status; a++) status = lead(k, &by->factor[a], error);
  for (int i = 0; i < k->count && !status; i++) by->k[i] = rattle__exactly(0); /* in phi */
  if (!status) status = rattle__stage_factors_add(by, k->graph, k->still, error);
  for (int a = led; a < by->count && !status; a++) status = hold(k, &by->factor[a], error);
  return status ? status : rattle__stage_factors_merge(by, k->graph, error);
}

/* The rows [count] of x, which has `unknowns` forces. */
static rattle_status build(stage_maker *k, rattle_expr *root, int count, int unknowns,
                           rattle__function **rows, rattle_error *error) {
  const int vars = 3 * k->n + 1 + unknowns;
  int *place = calloc((size_t)vars, sizeof *place);
  if (!place) return rattle__no_memory(error);
  for (int c = 0; c < vars; c++) place[c] = c;
  const rattle__build of = {.place = place, .places = vars, .vars = vars};
  const rattle_status status = rattle__function_from_graph(rows, k->graph, root, count, &of, error);
  free(place);
  return status;
}

/* y_a + what stands there */
static void add_unknowns(stage_maker *k) {
  for (int a = 0; a < k->by.count; a++)
    k->by.factor[a] = rattle_expr_binary(
        k->graph, RATTLE_OP_ADD, rattle_expr_variable(k->graph, 3 * k->n + 1 + a), k->by.factor[a]);
}

/* --- equations divided by t ------------------------------------------------------------------- */

/* True if the force on coordinate c depends on momenta. */
static int is_led(const stage_maker *k, int c) {
  const rattle__function *f = k->problem->force;
  const int row = row_of(k, c);
  return row >= 0 && f->jac_ptr[row] < f->jac_ptr[row + 1] &&
         f->jac_col[f->jac_ptr[row + 1] - 1] >= k->n &&
         rattle__inertia(k->problem)->diagonal[c] != 0;
}

/* t f_a, of V_q - f, or of f(q0, 0) - f(q0, P). */
static rattle_status take_divided(stage_maker *k, rattle_error *error) {
  rattle__stage_factors *by = &k->by;
  rattle_status status = find_forces(k, error);
  for (int i = 0; i < k->count && !status; i++) {
    const int row = row_of(k, k->acts_on[i]);
    const rattle_expr base = k->midpoint ? k->V_q[k->acts_on[i]]
                             : row >= 0  ? k->f[row]
                                         : RATTLE_EXPR_NONE;
    k->still[i] =
        row < 0 ? base : rattle_expr_binary(k->graph, RATTLE_OP_SUB, base, k->f_at_Z[row]);
    if (!k->still[i]) status = rattle__no_memory(error);
  }
  if (!status) status = rattle__stage_factors_start(by, k->count, error);
  if (!status) status = rattle__stage_factors_add(by, k->graph, k->still, error);
  if (!status) status = rattle__stage_factors_merge(by, k->graph, error);
  for (int a = 0; a < by->count && !status; a++) {
    by->factor[a] = times(k, time_of(k), by->factor[a]);
    if (!by->factor[a]) status = rattle__no_memory(error);
  }
  return status;
}

/* The same rows [count] with q0 + t u/2 for the middle: to [count], of a function of x. */
static rattle_status move_to_middle(stage_maker *k, rattle_expr *row, int count,
                                    const rattle_expr *column, rattle_error *error) {
  rattle__function *there = NULL;
  rattle_status status = build(k, row, count, count, &there, error);
  if (!status) status = rattle__function_rows(there, k->graph, column, row, error);
  rattle__function_destroy(&there);
  return status;
}

/* A(q0 + t u/2) u: to row. */
static rattle_status write_velocities(stage_maker *k, const rattle_expr *middle, rattle_expr *row,
                                      rattle_error *error) {
  const rattle_problem *p = k->problem;
  if (!p->velocity) return RATTLE_OK;
  for (int c = 0; c < k->n; c++)
    k->moving[c] = middle[c], k->moving[k->n + c] = rattle_expr_variable(k->graph, k->n + c);
  return rattle__function_rows(p->velocity, k->graph, k->moving, row, error);
}

/* column [3n + 1 + count] of x, the middle in place of q0 */
static void write_columns(stage_maker *k, rattle_expr *column, int columns) {
  const rattle_expr half = times(k, rattle_expr_constant(k->graph, 0.5), time_of(k));
  for (int c = 0; c < columns; c++) column[c] = rattle_expr_variable(k->graph, c);
  for (int c = 0; c < k->n; c++)
    column[c] =
        rattle_expr_binary(k->graph, RATTLE_OP_ADD, column[c], times(k, half, column[k->n + c]));
}

static rattle_status find_divided(stage_maker *k, rattle__function **rows, rattle_error *error) {
  const rattle_problem *p = k->problem;
  name_columns(k);
  rattle_status status = take_divided(k, error);
  if (status) return status;
  const int count = k->by.count, rolling = p->velocity ? p->velocity->rows : 0;
  const int columns = 3 * k->n + 1 + count;
  rattle_expr *column = calloc((size_t)columns + (size_t)(rolling + count), sizeof *column);
  if (!column) return rattle__no_memory(error);
  rattle_expr *row = column + columns;
  write_columns(k, column, columns);
  if (k->midpoint) status = move_to_middle(k, k->by.factor, count, column, error);
  if (!status) add_unknowns(k);
  if (!status) status = write_velocities(k, column, row, error);
  for (int a = 0; a < count; a++) row[rolling + a] = k->by.factor[a];
  if (!status) status = build(k, row, rolling + count, count, rows, error);
  free(column);
  return status;
}

/* --- how they are made ------------------------------------------------------------------------ */

static rattle_status find(stage_maker *k, rattle__function **rows, rattle_error *error) {
  name_columns(k);
  rattle_status status = find_forces(k, error);
  if (!status) status = take_factors(k, error);
  if (!status && k->by.count >= k->count) {
    rattle__stage_factors_release(&k->by);
    status = take_whole(k, error);
  }
  if (!status) add_unknowns(k);
  return status ? status : build(k, k->by.factor, k->by.count, k->by.count, rows, error);
}

static rattle_status make(stage_maker *k, rattle__function **rows, rattle_error *error) {
  const size_t n = (size_t)k->n, f = k->problem->force ? (size_t)k->problem->force->rows : 0;
  rattle_expr *block = calloc(8 * n + 2 * f + 1, sizeof *block);
  int32_t *columns = calloc(2 * n + 1, sizeof *columns);
  rattle_status status =
      block && columns ? rattle_graph_create(&k->graph, error) : rattle__no_memory(error);
  if (!status) {
    k->at_rest = block, k->moving = k->at_rest + 2 * n, k->V_q = k->moving + 2 * n;
    k->slope = k->V_q + n, k->still = k->slope + n, k->led = k->still + n;
    k->f = k->led + n, k->f_at_Z = k->f + f;
    k->middle = columns, k->Z = columns + n;
    status = k->find(k, rows, error);
  }
  rattle_graph_destroy(&k->graph);
  free(block), free(columns);
  return status;
}

static rattle_status refuse_texts(const rattle_problem *problem, rattle_error *error) {
  const rattle__function *V = problem->V ? problem->V : problem->energy;
  if (V->hess_ptr && V->elements) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "steps of this problem cannot be proved: its potential is no expression, "
                      "and the method takes its slope where it is not known beforehand; "
                      "rattle(verlet) does not");
}

/* The coordinates on which forces act that `acts` tells. */
static rattle_status take_stage(rattle__stage *stage, stage_maker *k,
                                int (*acts)(const stage_maker *, int), rattle_error *error) {
  *stage = (rattle__stage){0};
  k->acts_on = calloc((size_t)k->n + 1, sizeof *k->acts_on);
  if (!k->acts_on) return rattle__no_memory(error);
  for (int c = 0; c < k->n; c++)
    if (acts(k, c)) k->acts_on[k->count++] = c;
  const rattle_status status = k->count ? make(k, &stage->rows, error) : RATTLE_OK;
  stage->count = k->count, stage->acts_on = k->acts_on, stage->K = k->by.K, stage->k = k->by.k;
  free(k->by.factor);
  if (status) rattle__stage_release(stage);
  return status;
}

rattle_status rattle__stage_rows(rattle__stage *stage, const rattle_problem *problem,
                                 rattle_error *error) {
  stage_maker k = {.problem = problem, .n = problem->n, .find = find};
  const rattle_status status = refuse_texts(problem, error);
  return status ? status : take_stage(stage, &k, varies, error);
}

rattle_status rattle__divided_rows(rattle__stage *stage, const rattle_problem *problem,
                                   int midpoint, rattle_error *error) {
  stage_maker k = {.problem = problem, .n = problem->n, .find = find_divided};
  rattle_status status = midpoint ? refuse_texts(problem, error) : RATTLE_OK;
  k.midpoint = midpoint;
  if (!status) status = take_stage(stage, &k, midpoint ? varies : is_led, error);
  stage->divided = 1, stage->at_start = !midpoint;
  return status;
}

void rattle__stage_release(rattle__stage *stage) {
  rattle__function_destroy(&stage->rows);
  free(stage->acts_on), free(stage->K), free(stage->k);
  *stage = (rattle__stage){0};
}
