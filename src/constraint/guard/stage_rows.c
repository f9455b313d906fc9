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
  rattle_graph *graph;
  int n, count;
  int *acts_on;
  int32_t *middle, *Z;  /* columns [n] */
  rattle_expr *at_rest; /* ((q0 + Q)/2, 0) [2n] */
  rattle_expr *V_q;     /* [n] */
  rattle_expr *f;       /* at p = 0 [rows of the forces] */
  rattle_expr *Phi;     /* of one row [n] */
  rattle_expr *moving;  /* (middle, Z) [2n] */
  rattle_expr *f_at_Z;  /* as f */
  rattle_expr *root;    /* [count] */
} stage_maker;

static rattle_expr times(stage_maker *k, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, RATTLE_OP_MUL, a, b);
}

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

/* y_i - t^2 (phi - V_q) - t Phi Z */
static rattle_expr equation_of(stage_maker *k, int i) {
  rattle_graph *graph = k->graph;
  const int c = k->acts_on[i], row = row_of(k, c);
  const rattle_expr t = rattle_expr_variable(graph, 3 * k->n);
  rattle_expr pull = k->V_q[c], sum = rattle_expr_variable(graph, 3 * k->n + 1 + i);
  if (row >= 0) pull = rattle_expr_binary(graph, RATTLE_OP_SUB, pull, k->f[row]);
  sum = rattle_expr_binary(graph, RATTLE_OP_ADD, sum, times(k, times(k, t, t), pull));
  if (row < 0) return sum;
  if (rattle__gradient(graph, k->f_at_Z[row], k->Z, k->n, k->Phi)) return RATTLE_EXPR_NONE;
  for (int b = 0; b < k->n; b++) {
    const rattle_expr term = times(k, t, times(k, k->Phi[b], k->moving[k->n + b]));
    sum = rattle_expr_binary(graph, RATTLE_OP_SUB, sum, term);
  }
  return sum;
}

static rattle_status take(stage_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const rattle__function *V = p->V ? p->V : p->energy;
  rattle_expr energy = RATTLE_EXPR_NONE;
  rattle_status status = rattle__function_rows(V, k->graph, k->at_rest, &energy, error);
  if (!status) status = rattle__gradient(k->graph, energy, k->middle, k->n, k->V_q);
  if (!status && p->force)
    status = rattle__function_rows(p->force, k->graph, k->at_rest, k->f, error);
  if (!status && p->force)
    status = rattle__function_rows(p->force, k->graph, k->moving, k->f_at_Z, error);
  for (int i = 0; i < k->count && !status; i++)
    if (!(k->root[i] = equation_of(k, i))) status = rattle__no_memory(error);
  return status;
}

static rattle_status build(stage_maker *k, rattle__function **rows, rattle_error *error) {
  const int vars = 3 * k->n + 1 + k->count;
  int *place = calloc((size_t)vars, sizeof *place);
  if (!place) return rattle__no_memory(error);
  for (int c = 0; c < vars; c++) place[c] = c;
  const rattle__build of = {.place = place, .places = vars, .vars = vars};
  const rattle_status status =
      rattle__function_from_graph(rows, k->graph, k->root, k->count, &of, error);
  free(place);
  return status;
}

static rattle_status make(stage_maker *k, rattle__function **rows, rattle_error *error) {
  const size_t n = (size_t)k->n, f = k->problem->force ? (size_t)k->problem->force->rows : 0;
  rattle_expr *block = calloc(7 * n + 2 * f + 1, sizeof *block);
  int32_t *columns = calloc(2 * n + 1, sizeof *columns);
  rattle_status status =
      block && columns ? rattle_graph_create(&k->graph, error) : rattle__no_memory(error);
  if (!status) {
    k->at_rest = block, k->moving = k->at_rest + 2 * n, k->V_q = k->moving + 2 * n;
    k->Phi = k->V_q + n, k->root = k->Phi + n, k->f = k->root + n, k->f_at_Z = k->f + f;
    k->middle = columns, k->Z = columns + n;
    for (int c = 0; c < k->n; c++) {
      k->middle[c] = c, k->Z[c] = 2 * k->n + c;
      k->at_rest[c] = k->moving[c] = rattle_expr_variable(k->graph, c);
      k->at_rest[k->n + c] = rattle_expr_constant(k->graph, 0);
      k->moving[k->n + c] = rattle_expr_variable(k->graph, k->Z[c]);
    }
    status = take(k, error);
    if (!status) status = build(k, rows, error);
  }
  rattle_graph_destroy(&k->graph);
  free(block), free(columns);
  return status;
}

rattle_status rattle__stage_rows(rattle__function **rows, int *acts_on,
                                 const rattle_problem *problem, rattle_error *error) {
  stage_maker k = {.problem = problem, .n = problem->n, .acts_on = acts_on};
  const rattle__function *V = problem->V ? problem->V : problem->energy;
  *rows = NULL;
  if (!V->hess_ptr || !V->elements)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "steps of this problem cannot be proved: its potential is no expression, "
                        "and the method takes its slope where it is not known beforehand; "
                        "rattle(verlet) does not");
  for (int c = 0; c < k.n; c++)
    if (varies(&k, c)) acts_on[k.count++] = c;
  return k.count ? make(&k, rows, error) : RATTLE_OK;
}
