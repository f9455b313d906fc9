/* The equations of a step of a Runge-Kutta map as expressions. See map_rows.h. */
#include "constraint/guard/map_rows.h"

#include <stdlib.h>
#include <string.h>

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

static rattle_status refuse_texts(rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "steps of this problem cannot be proved: its Hamiltonian, its constraints "
                      "or its forces are no expressions");
}

/* `value` of f at z, from column `from` on, and its slopes there. */
static rattle_status slopes_of(map_maker *k, const rattle__function *f, int from,
                               rattle_expr *slope, rattle_error *error) {
  rattle_expr value = RATTLE_EXPR_NONE;
  if (!f->elements) return refuse_texts(error);
  const rattle_status status = rattle__function_rows(f, k->graph, k->z + from, &value, error);
  return status ? status : rattle__gradient(k->graph, value, k->column + from, f->vars, slope);
}

/* W p, and 1 for time */
static void take_masses(map_maker *k) {
  const rattle__mass *W = k->problem->mass;
  for (int c = 0; c < k->n; c++) {
    rattle_expr sum = rattle_expr_constant(k->graph, W->clock == c + 1);
    const int first = W->value ? W->ptr[c] : c, end = W->value ? W->ptr[c + 1] : c + 1;
    for (int e = first; e < end; e++) {
      const double w = W->value ? W->value[e] : W->diagonal[c];
      sum = binary(k, RATTLE_OP_ADD, sum, times(k, w, k->z[k->n + (W->value ? W->col[e] : c)]));
    }
    k->X[c] = sum;
  }
}

/* X = (H_p, H_q) */
static rattle_status take_H(map_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const int n = k->n;
  if (!p->force && p->V && (p->mass || p->T)) {
    const rattle_status status = slopes_of(k, p->V, 0, k->X + n, error);
    if (p->mass) take_masses(k);
    return status || p->mass ? status : slopes_of(k, p->T, n, k->X, error);
  }
  const rattle_status status = slopes_of(k, p->force ? p->energy : p->H, 0, k->at, error);
  for (int c = 0; c < n; c++) k->X[c] = k->at[n + c], k->X[n + c] = k->at[c];
  return status;
}

static rattle_status take_forces(map_maker *k, rattle_error *error) {
  const rattle__function *f = k->problem->force;
  if (!f) return RATTLE_OK;
  if (!f->elements) return refuse_texts(error);
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
      const int moves = !rattle__is_exact_zero(K[c]);
      if (moves && pair >= 0) to->W[c * n + pair] = K[c];
      if (moves && pair < 0) to->affine[c] = 0;
      if (!rattle__is_exact_zero(K[n + c])) to->constant[c] = 0;
    }
  }
  rattle__stage_factors_release(&by);
  return status;
}

static rattle_status take_slopes(map_maker *k, rattle_error *error) {
  rattle_status status = take_H(k, error);
  if (!status) status = take_forces(k, error);
  if (!status) status = find_simple(k, error);
  return status ? status : build(k, k->X, 2 * k->n, 0, &k->slopes, error);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* sum_i c_i e_i of component `component` of the stages */
static rattle_expr combine(map_maker *k, const double *c, const rattle_expr *e, int component) {
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  for (int i = 0; i < k->to->tableau.stages; i++)
    if (c[i] != 0) sum = binary(k, RATTLE_OP_ADD, sum, times(k, c[i], e[i * 2 * k->n + component]));
  return sum;
}

static rattle_expr by_tau(map_maker *k, rattle_expr e) {
  return binary(k, RATTLE_OP_MUL, variable(k, rattle__map_tau(k->n)), e);
}

static rattle_status take_stages(map_maker *k, rattle_error *error) {
  const int n = k->n, s = k->to->tableau.stages;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < s && !status; j++) {
    for (int c = 0; c < n; c++) {
      rattle_expr sum = rattle_expr_constant(k->graph, 0);
      for (int i = 0; i < s; i++) {
        const double a = k->to->tableau.a[j][i];
        if (a != 0)
          sum = binary(k, RATTLE_OP_ADD, sum,
                       times(k, a, variable(k, rattle__map_stage(n, i, 0) + c)));
      }
      k->at[c] = binary(k, RATTLE_OP_ADD, variable(k, c), by_tau(k, sum));
      k->at[n + c] = variable(k, rattle__map_stage(n, j, 1) + c);
    }
    status = rattle__function_rows(k->slopes, k->graph, k->at, k->stage + j * 2 * n, error);
  }
  return status;
}

/* P+ - tau sum_i c_i L_i */
static rattle_expr pushed(map_maker *k, const double *c, int coordinate) {
  const rattle_expr sum = combine(k, c, k->stage, k->n + coordinate);
  return binary(k, RATTLE_OP_SUB, variable(k, rattle__map_plus(k->n) + coordinate), by_tau(k, sum));
}

static int is_zero(const double *c, int count) {
  int zero = 1;
  for (int i = 0; i < count; i++) zero &= c[i] == 0;
  return zero;
}

static void take_unknowns(map_maker *k) {
  rattle__map_rows *to = k->to;
  const int n = k->n, s = to->tableau.stages;
  for (int j = 0; j < s; j++)
    for (int of_P = 1; of_P >= 0; of_P--)
      for (int c = 0; c < n; c++) {
        const double *ahat = to->tableau.ahat[j];
        if (of_P ? to->constant[c] || is_zero(ahat, s) : to->affine[c]) continue;
        const rattle_expr value = of_P ? pushed(k, ahat, c) : k->stage[j * 2 * n + c];
        k->row[to->rolling + to->unknowns] =
            binary(k, RATTLE_OP_SUB, variable(k, rattle__map_stage(n, j, of_P) + c), value);
        if (!of_P) to->of_K[j * n + c] = to->unknowns;
        to->unknown[to->unknowns++] = (rattle__map_unknown){j, of_P, c};
      }
}

/* A(q0 + tau v/2) v */
static rattle_status take_velocities(map_maker *k, rattle_error *error) {
  const rattle__function *A = k->problem->velocity;
  if (!A) return RATTLE_OK;
  if (!A->elements) return refuse_texts(error);
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
  if (g && !g->elements) return refuse_texts(error);
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
  const double *bhat = rattle__tableau_weights(&to->tableau, 1);
  for (int c = 0; c < k->n && !status; c++) k->row[c] = pushed(k, bhat, c);
  if (!status) status = build(k, k->row, k->n, 1, &to->last, error);
  if (!status) status = take_velocities(k, error);
  if (status) return status;
  take_unknowns(k);
  const int count = to->rolling + to->unknowns;
  return count ? build(k, k->row, count, 1, &to->rows, error) : RATTLE_OK;
}

/* --- how it is made --------------------------------------------------------------------------- */

static int lay_out(rattle__map_rows *to) {
  const size_t n = (size_t)to->n, s = (size_t)to->tableau.stages;
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
  const size_t n = (size_t)k->n, s = (size_t)k->to->tableau.stages;
  const size_t rows = n + (size_t)(k->m + k->to->rolling) + 2 * n * s + (f ? (size_t)f->rows : 0);
  rattle_expr *block = calloc(6 * n + 2 * n * s + rows + 1, sizeof *block);
  int32_t *column = calloc(2 * n + 1, sizeof *column);
  rattle_status status = block && column && lay_out(k->to) ? rattle_graph_create(&k->graph, error)
                                                           : rattle__no_memory(error);
  if (!status) {
    k->z = block, k->X = k->z + 2 * n, k->at = k->X + 2 * n, k->stage = k->at + 2 * n;
    k->row = k->stage + 2 * n * s, k->column = column;
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

rattle_status rattle__map_rows_make(rattle__map_rows *rows, const rattle_problem *problem,
                                    const rattle__tableau *tableau, rattle_error *error) {
  *rows = (rattle__map_rows){.n = problem->n, .tableau = *tableau};
  rows->vars = rattle__map_stage(problem->n, tableau->stages, 0);
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
