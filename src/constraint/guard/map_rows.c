/* The equations of a step of a Runge-Kutta map as expressions. See map_rows.h. */
#include "constraint/guard/map_rows.h"

#include <stdlib.h>
#include <string.h>

#include "constraint/guard/slopes.h"
#include "ground/expr/derivative.h"
#include "ground/expr/elements.h"
#include "ground/expr/family.h"
#include "ground/support/error.h"

/* Variables of the graph: the columns of x, then z = (q, p) of any point. */
typedef struct map_maker {
  const rattle_problem *problem;
  rattle__map_rows *to;
  rattle_graph *graph;
  int n, m;                 /* m: rows of g */
  rattle__function *slopes; /* z -> (H_p, L) */
  int32_t *column;          /* of z [2n] */
  rattle_expr *z, *X;       /* [2n]; H_p and L there */
  rattle_expr *at;          /* a point: (Q_j, P_j) [2n] */
  rattle_expr *stage;       /* (H_p, L) of the stages [s][2n] */
  rattle_expr *pull;        /* G(T_k)^T i_k, k > 0 [blocks][n] */
  rattle_expr *row;         /* scratch [n + rows of all kinds] */
} map_maker;

static rattle_expr binary(map_maker *k, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, op, a, b);
}

static rattle_expr times(map_maker *k, double c, rattle_expr e) {
  return binary(k, RATTLE_OP_MUL, rattle_expr_constant(k->graph, c), e);
}

static rattle_expr variable(map_maker *k, int c) {
  return rattle_expr_variable(k->graph, c);
}

/* --- slopes ----------------------------------------------------------------------------------- */

static rattle_status take_forces(map_maker *k, rattle_error *error) {
  const rattle__function *f = k->problem->force;
  if (!f) return RATTLE_OK;
  if (!f->elements) return rattle__slopes_refuse(error);
  const rattle_status status = rattle__function_rows(f, k->graph, k->z, k->row, error);
  for (int i = 0; i < f->rows && !status; i++) {
    rattle_expr *to = &k->X[k->n + k->problem->pushed[i]];
    *to = binary(k, RATTLE_OP_SUB, *to, k->row[i]);
  }
  return status;
}

/* A function of (q, p) [2n] from expressions in z, or of x. */
static rattle_status build(map_maker *k, const rattle_expr *root, int count, int of_x,
                           rattle__function **f, rattle_error *error) {
  const int vars = k->to->vars, places = vars + 2 * k->n;
  int *place = calloc((size_t)places, sizeof *place);
  if (!place) return rattle__no_memory(error);
  for (int c = 0; c < places; c++) place[c] = of_x == (c < vars) ? c - !of_x * vars : -1;
  const rattle__build of = {.place = place, .places = places, .vars = of_x ? vars : 2 * k->n};
  const rattle_status status = rattle__function_from_graph(f, k->graph, root, count, &of, error);
  free(place);
  return status;
}

/* Components of H_p that are affine in p, and of L that are constant, by their texts. */
static rattle_status find_simple(map_maker *k, rattle_error *error) {
  rattle__map_rows *to = k->to;
  const int n = k->n;
  rattle__stage_factors by;
  rattle_status status = rattle__stage_factors_start(&by, 2 * n, error);
  if (!status) status = rattle__stage_factors_add(&by, k->graph, k->X, error);
  for (int c = 0; c < n && !status; c++)
    to->affine[c] = to->constant[c] = 1, to->speed[c] = by.k[c], to->pull[c] = by.k[n + c];
  for (int a = 0; a < by.count && !status; a++) {
    const rattle__ball *K = by.K + a * 2 * n;
    const int pair = rattle_expr_index(k->graph, by.factor[a]) - to->vars - n;
    for (int c = 0; c < n; c++) {
      const int moves = !rattle__ball_is_zero(K[c]);
      if (moves && pair >= 0) to->W[c * n + pair] = K[c];
      if (moves && pair < 0) to->affine[c] = 0;
      if (!rattle__ball_is_zero(K[n + c])) to->constant[c] = 0;
    }
  }
  rattle__stage_factors_release(&by);
  return status;
}

static rattle_status take_slopes(map_maker *k, rattle_error *error) {
  const rattle__slopes_at at = {k->graph, k->z, k->column};
  rattle_status status = rattle__slopes_of_H(k->problem, &at, k->X, error);
  if (!status) status = take_forces(k, error);
  if (!status) status = find_simple(k, error);
  return status ? status : build(k, k->X, 2 * k->n, 0, &k->slopes, error);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* sum_i c_i e_i of component `component` of the stages */
static rattle_expr combine(map_maker *k, const double *c, const rattle_expr *e, int component) {
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  for (int i = 0; i < k->to->by.stages.stages; i++)
    if (c[i] != 0) sum = binary(k, RATTLE_OP_ADD, sum, times(k, c[i], e[i * 2 * k->n + component]));
  return sum;
}

static rattle_expr by_tau(map_maker *k, rattle_expr e) {
  return binary(k, RATTLE_OP_MUL, variable(k, k->to->tau), e);
}

static rattle_status take_stages(map_maker *k, rattle_error *error) {
  const int n = k->n, s = k->to->by.stages.stages;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < s && !status; j++) {
    for (int c = 0; c < n; c++) {
      rattle_expr sum = rattle_expr_constant(k->graph, 0);
      for (int i = 0; i < s; i++) {
        const double a = k->to->by.stages.a[j][i];
        if (a != 0)
          sum = binary(k, RATTLE_OP_ADD, sum,
                       times(k, a, variable(k, rattle__map_stage(k->to, i, 0) + c)));
      }
      k->at[c] = binary(k, RATTLE_OP_ADD, variable(k, c), by_tau(k, sum));
      k->at[n + c] = variable(k, rattle__map_stage(k->to, j, 1) + c);
    }
    status = rattle__function_rows(k->slopes, k->graph, k->at, k->stage + j * 2 * n, error);
  }
  return status;
}

/* z -> G(q)^T i, i standing in the places of momenta. */
static rattle_status make_reaction(map_maker *k, rattle__function **reaction, rattle_error *error) {
  const rattle__function *g = k->problem->g;
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  if (!g->elements) return rattle__slopes_refuse(error);
  rattle_status status = rattle__function_rows(g, k->graph, k->z, k->row, error);
  for (int i = 0; i < k->m && !status; i++)
    sum = binary(k, RATTLE_OP_ADD, sum, binary(k, RATTLE_OP_MUL, k->z[k->n + i], k->row[i]));
  if (!status) status = rattle__gradient(k->graph, sum, k->column, k->n, k->row);
  return status ? status : build(k, k->row, k->n, 0, reaction, error);
}

static rattle_status take_reactions(map_maker *k, rattle_error *error) {
  const rattle__map_rows *to = k->to;
  rattle__function *reaction = NULL;
  const int n = k->n;
  if (to->by.blocks == 1) return RATTLE_OK;
  rattle_status status = make_reaction(k, &reaction, error);
  for (int b = 1; b < to->by.blocks && !status; b++) {
    for (int c = 0; c < n; c++) {
      const rattle_expr way = by_tau(k, variable(k, rattle__map_way(to, b) + c));
      k->at[c] = binary(k, RATTLE_OP_ADD, variable(k, c), way);
      k->at[n + c] = c < k->m ? variable(k, to->impulse + (b - 1) * k->m + c)
                              : rattle_expr_constant(k->graph, 0);
    }
    status = rattle__function_rows(reaction, k->graph, k->at, k->pull + b * n, error);
  }
  rattle__function_destroy(&reaction);
  return status;
}

/* True if impulses of nodes beyond the start act on the coordinate. */
static int is_pulled(const map_maker *k, int c) {
  int pulled = 0;
  for (int b = 1; b < k->to->by.blocks; b++) {
    const rattle_expr e = k->pull[b * k->n + c];
    pulled |=
        rattle_expr_op(k->graph, e) != RATTLE_OP_CONSTANT || rattle_expr_value(k->graph, e) != 0;
  }
  return pulled;
}

/* P+ - tau sum_i c_i L_i, with impulses by `push` [blocks] */
static rattle_expr pushed(map_maker *k, const double *c, const double *push, int coordinate) {
  const rattle__map_rows *to = k->to;
  rattle_expr sum = by_tau(k, combine(k, c, k->stage, k->n + coordinate)),
              from = variable(k, to->plus + coordinate);
  for (int b = 1; b < to->by.blocks; b++)
    sum = binary(k, RATTLE_OP_ADD, sum, times(k, push[b], k->pull[b * k->n + coordinate]));
  if (to->by.blocks > 1) {
    const rattle_expr start = variable(k, to->start + coordinate);
    from = binary(k, RATTLE_OP_SUB, from, start);
    from = binary(k, RATTLE_OP_ADD, start, times(k, push[0], from));
  }
  return binary(k, RATTLE_OP_SUB, from, sum);
}

static int is_zero(const double *c, int count) {
  int zero = 1;
  for (int i = 0; i < count; i++) zero &= c[i] == 0;
  return zero;
}

static void take_unknowns(map_maker *k) {
  rattle__map_rows *to = k->to;
  const int n = k->n, s = to->by.stages.stages;
  for (int j = 0; j < s; j++)
    for (int of_P = 1; of_P >= 0; of_P--)
      for (int c = 0; c < n; c++) {
        const double *ahat = to->by.stages.ahat[j];
        const int follows = (to->constant[c] || is_zero(ahat, s)) && !is_pulled(k, c);
        if (of_P ? follows : to->affine[c]) continue;
        const rattle_expr value =
            of_P ? pushed(k, ahat, to->by.push[j], c) : k->stage[j * 2 * n + c];
        k->row[to->rolling + to->unknowns] =
            binary(k, RATTLE_OP_SUB, variable(k, rattle__map_stage(k->to, j, of_P) + c), value);
        if (!of_P) to->of_K[j * n + c] = to->unknowns;
        to->unknown[to->unknowns++] = (rattle__map_unknown){j, of_P, c};
      }
}

/* A(q0 + tau v/2) v */
static rattle_status take_velocities(map_maker *k, rattle_error *error) {
  const rattle__function *A = k->problem->velocity;
  if (!A) return RATTLE_OK;
  if (!A->elements) return rattle__slopes_refuse(error);
  for (int c = 0; c < k->n; c++) {
    const rattle_expr v = variable(k, k->n + c);
    k->at[c] = binary(k, RATTLE_OP_ADD, variable(k, c), by_tau(k, times(k, 0.5, v)));
    k->at[k->n + c] = v;
  }
  return rattle__function_rows(A, k->graph, k->at, k->row, error);
}

/* psi = C H_p */
static rattle_status take_psi(map_maker *k, rattle_error *error) {
  const rattle__function *g = k->problem->g, *A = k->problem->velocity;
  const int n = k->n;
  rattle_expr *row = k->row;
  rattle_status status = RATTLE_OK;
  if (g && !g->elements) return rattle__slopes_refuse(error);
  if (g) status = rattle__function_rows(g, k->graph, k->z, row, error);
  for (int i = 0; i < k->m && !status; i++) {
    rattle_expr sum = rattle_expr_constant(k->graph, 0);
    status = rattle__gradient(k->graph, row[i], k->column, n, k->at);
    for (int c = 0; c < n && !status; c++)
      sum = binary(k, RATTLE_OP_ADD, sum, binary(k, RATTLE_OP_MUL, k->at[c], k->X[c]));
    row[i] = sum;
  }
  for (int c = 0; c < n; c++) k->at[c] = k->z[c], k->at[n + c] = k->X[c];
  if (A && !status) status = rattle__function_rows(A, k->graph, k->at, row + k->m, error);
  return status ? status : build(k, row, k->m + k->to->rolling, 0, &k->to->psi, error);
}

static rattle_status write_rows(map_maker *k, rattle_error *error) {
  rattle__map_rows *to = k->to;
  rattle_status status = take_psi(k, error);
  if (!status) status = take_stages(k, error);
  if (!status) status = take_reactions(k, error);
  const double *bhat = rattle__tableau_weights(&to->by.stages, 1);
  for (int c = 0; c < k->n && !status; c++) k->row[c] = pushed(k, bhat, to->by.weight, c);
  if (!status) status = build(k, k->row, k->n, 1, &to->last, error);
  if (!status) status = take_velocities(k, error);
  if (status) return status;
  take_unknowns(k);
  const int count = to->rolling + to->unknowns;
  return count ? build(k, k->row, count, 1, &to->rows, error) : RATTLE_OK;
}

/* --- how it is made --------------------------------------------------------------------------- */

static int lay_out(rattle__map_rows *to) {
  const size_t n = (size_t)to->n, s = (size_t)to->by.stages.stages;
  to->unknown = calloc(2 * n * s + 1, sizeof *to->unknown);
  to->of_K = malloc((n * s + 1) * sizeof *to->of_K);
  for (size_t c = 0; to->of_K && c < n * s; c++) to->of_K[c] = -1;
  to->affine = calloc(2 * n + 1, 1), to->constant = to->affine ? to->affine + n : NULL;
  to->speed = calloc(2 * n + n * n + 1, sizeof *to->speed);
  if (!to->speed) return 0;
  to->pull = to->speed + n, to->W = to->pull + n;
  return to->unknown && to->of_K && to->affine;
}

static rattle_status make(map_maker *k, rattle_error *error) {
  const rattle__function *f = k->problem->force;
  const size_t n = (size_t)k->n, s = (size_t)k->to->by.stages.stages;
  const size_t rows = n + (size_t)(k->m + k->to->rolling) + 2 * n * s + (f ? (size_t)f->rows : 0);
  const size_t pulls = n * (size_t)k->to->by.blocks;
  rattle_expr *block = calloc(6 * n + 2 * n * s + pulls + rows + 1, sizeof *block);
  int32_t *column = calloc(2 * n + 1, sizeof *column);
  rattle_status status = block && column && lay_out(k->to) ? rattle_graph_create(&k->graph, error)
                                                           : rattle__no_memory(error);
  if (!status) {
    k->z = block, k->X = k->z + 2 * n, k->at = k->X + 2 * n, k->stage = k->at + 2 * n;
    k->pull = k->stage + 2 * n * s, k->row = k->pull + pulls, k->column = column;
    for (int c = 0; c < 2 * k->n; c++)
      column[c] = k->to->vars + c, k->z[c] = variable(k, column[c]);
    status = take_slopes(k, error);
    if (!status) status = write_rows(k, error);
  }
  rattle__function_destroy(&k->slopes);
  rattle_graph_destroy(&k->graph);
  free(block), free(column);
  return status;
}

/* The columns of x. */
static void name_columns(rattle__map_rows *rows) {
  const int n = rows->n, blocks = rows->by.blocks;
  rows->tau = n * (1 + blocks), rows->plus = rows->tau + 2;
  rows->start = blocks > 1 ? rows->plus + n : rows->plus;
  rows->impulse = rows->start + n, rows->stages = rows->impulse + (blocks - 1) * rows->m;
  rows->vars = rattle__map_stage(rows, rows->by.stages.stages, 0);
}

rattle_status rattle__map_rows_make(rattle__map_rows *rows, const rattle_problem *problem,
                                    const rattle__constrained_tableau *by, rattle_error *error) {
  *rows = (rattle__map_rows){.n = problem->n, .m = problem->m, .by = *by};
  name_columns(rows);
  rows->rolling = problem->velocity ? problem->velocity->rows : 0;
  map_maker k = {.problem = problem, .to = rows, .n = problem->n, .m = problem->m};
  return make(&k, error);
}

void rattle__map_rows_release(rattle__map_rows *rows) {
  rattle__function_destroy(&rows->rows), rattle__function_destroy(&rows->last);
  rattle__function_destroy(&rows->psi);
  free(rows->unknown), free(rows->of_K), free(rows->affine), free(rows->speed);
  *rows = (rattle__map_rows){0};
}
