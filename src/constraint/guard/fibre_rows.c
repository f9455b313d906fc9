/* The equations of a step along fibres as expressions. See fibre_rows.h. */
#include "constraint/guard/fibre_rows.h"

#include <stdlib.h>
#include <string.h>

#include "constraint/fibre/closed.h"
#include "constraint/guard/slopes.h"
#include "ground/expr/algebra.h"
#include "ground/expr/derivative.h"
#include "ground/expr/elements.h"
#include "ground/expr/family.h"
#include "ground/support/error.h"

/* Variables of the graph: the columns of x, then z = (q, p) of any point, then a way w there. */
typedef struct fibre_maker {
  const rattle_problem *problem;
  const rattle__tableau *by;
  rattle__fibre_rows *to;
  rattle_graph *graph;
  rattle__closed_fibre fibre;
  rattle__function *local; /* (z, w) -> (H_p, H_q, g' w, g) [2n + m + m] */
  int32_t *column;         /* of z [2n] */
  rattle_expr *z, *w;      /* [2n] each, w behind z */
  rattle_expr *plus;       /* z+ [2n] */
  rattle_expr *at;         /* a point and a way [4n] */
  rattle_expr *value;      /* what local is there [2n + 2m] */
  rattle_expr *dg;         /* [m][2n] */
  rattle_expr *row;        /* [2m + stages 2n + 2n] */
} fibre_maker;

static rattle_expr variable(fibre_maker *k, int c) {
  return rattle_expr_variable(k->graph, c);
}

/* A function of `vars` variables from expressions in them, the first being `from`. */
static rattle_status build(fibre_maker *k, const rattle_expr *root, int count, int from, int vars,
                           rattle__function **f, rattle_error *error) {
  const int places = k->to->vars + 4 * k->to->n;
  int *place = calloc((size_t)places, sizeof *place);
  if (!place) return rattle__no_memory(error);
  for (int c = 0; c < places; c++) place[c] = c >= from && c < from + vars ? c - from : -1;
  const rattle__build of = {.place = place, .places = places, .vars = vars};
  const rattle_status status = rattle__function_from_graph(f, k->graph, root, count, &of, error);
  free(place);
  return status;
}

/* --- at one point ----------------------------------------------------------------------------- */

static rattle_status take_functions(fibre_maker *k, rattle_error *error) {
  const rattle__function *g = k->problem->g;
  const int n = k->to->n, nz = 2 * n, m = k->to->m;
  rattle_expr *way = k->value + nz, *held = way + m;
  if (!g->elements) return rattle__slopes_refuse(error);
  const rattle__slopes_at at = {k->graph, k->z, k->column};
  rattle_status status = rattle__slopes_of_H(k->problem, &at, k->value, error);
  if (!status) status = rattle__function_rows(g, k->graph, k->z, held, error);
  for (int i = 0; i < m && !status; i++) {
    status = rattle__gradient(k->graph, held[i], k->column, nz, k->dg + i * nz);
    way[i] = rattle__product(k->graph, nz, k->dg + i * nz, 1, k->w, 1);
  }
  return status ? status : build(k, k->value, nz + 2 * m, k->to->vars, 2 * nz, &k->local, error);
}

/* k->value at k->at, along the way behind it. */
static rattle_status look(fibre_maker *k, rattle_error *error) {
  return rattle__function_rows(k->local, k->graph, k->at, k->value, error);
}

/* psi at the point in k->at: to `row` [m]. */
static rattle_status take_psi(fibre_maker *k, rattle_expr *row, rattle_error *error) {
  const int n = k->to->n;
  for (int c = 0; c < 2 * n; c++) k->at[2 * n + c] = rattle_expr_constant(k->graph, 0);
  rattle_status status = look(k, error);
  for (int c = 0; c < n && !status; c++) {
    k->at[2 * n + c] = k->value[c];
    k->at[3 * n + c] = rattle__multiple(k->graph, -1, k->value[n + c]);
  }
  if (!status) status = look(k, error);
  memcpy(row, k->value + 2 * n, (size_t)k->to->m * sizeof *row);
  return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* z+ + tau sum_i (c_i K_i, -chat_i L_i), to k->at; without `from`, the sum alone. */
static void combine(fibre_maker *k, const double *c, const double *chat, const rattle_expr *from) {
  const rattle__fibre_rows *to = k->to;
  for (int e = 0; e < 2 * to->n; e++) {
    rattle_expr sum = rattle_expr_constant(k->graph, 0);
    for (int i = 0; i < to->stages; i++) {
      const double by = e < to->n ? c[i] : -chat[i];
      if (by == 0) continue;
      const rattle_expr slope = variable(k, rattle__fibre_slope(to, i) + e);
      sum = rattle__plus(k->graph, sum, rattle__multiple(k->graph, by, slope));
    }
    if (from)
      sum = rattle__plus(k->graph, from[e], rattle__times(k->graph, variable(k, to->tau), sum));
    k->at[e] = sum;
  }
}

static rattle_status take_stages(fibre_maker *k, rattle_error *error) {
  const rattle__fibre_rows *to = k->to;
  const int n = to->n;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < to->stages && !status; j++) {
    rattle_expr *row = k->row + to->m + j * 2 * n;
    combine(k, k->by->a[j], k->by->ahat[j], k->plus);
    for (int c = 0; c < 2 * n; c++) k->at[2 * n + c] = rattle_expr_constant(k->graph, 0);
    status = look(k, error);
    for (int c = 0; c < 2 * n; c++)
      row[c] = rattle__minus(k->graph, variable(k, rattle__fibre_slope(to, j) + c), k->value[c]);
  }
  return status;
}

/* g'(z+ + tau w/2) w + g(z0)/h */
static rattle_status take_constraints(fibre_maker *k, rattle_error *error) {
  const rattle__fibre_rows *to = k->to;
  const int nz = 2 * to->n;
  const rattle_expr half = rattle__multiple(k->graph, 0.5, variable(k, to->tau));
  combine(k, rattle__tableau_weights(k->by, 0), rattle__tableau_weights(k->by, 1), NULL);
  for (int c = 0; c < nz; c++) {
    k->at[nz + c] = k->at[c];
    k->at[c] = rattle__plus(k->graph, k->plus[c], rattle__times(k->graph, half, k->at[nz + c]));
  }
  rattle_status status = look(k, error);
  if (status) return status;
  memcpy(k->row, k->value + nz, (size_t)to->m * sizeof *k->row);
  for (int c = 0; c < nz; c++) k->at[c] = variable(k, c), k->at[nz + c] = k->at[c];
  status = look(k, error);
  for (int i = 0; i < to->m && !status; i++)
    k->row[i] =
        rattle__plus(k->graph, k->row[i],
                     rattle__times(k->graph, k->value[nz + to->m + i], variable(k, to->tau + 1)));
  return status;
}

/* From k->at along the fibre up to the variables from `s` on, in place. */
static void slide(fibre_maker *k, int s) {
  const int nz = 2 * k->to->n, m = k->to->m;
  for (int i = 0; i < m; i++) k->value[i] = variable(k, s + i);
  rattle__closed_fibre_flow(&k->fibre, k->graph, k->at, k->value, k->at + nz);
  memcpy(k->at, k->at + nz, (size_t)nz * sizeof *k->at);
}

/* psi of the end, and the end. */
static rattle_status take_end(fibre_maker *k, rattle_error *error) {
  const rattle__fibre_rows *to = k->to;
  const int nz = 2 * to->n, psi = to->m + to->stages * nz;
  rattle_expr *end = k->row + psi + to->m;
  combine(k, rattle__tableau_weights(k->by, 0), rattle__tableau_weights(k->by, 1), k->plus);
  if (to->lands) slide(k, to->sigma);
  memcpy(end, k->at, (size_t)nz * sizeof *end);
  rattle_status status = to->lands ? take_psi(k, k->row + psi, error) : RATTLE_OK;
  if (!status) status = build(k, end, nz, 0, to->vars, &k->to->end, error);
  return status ? status
                : build(k, k->row, psi + to->lands * to->m, 0, to->vars, &k->to->rows, error);
}

/* The slide from z0 by s: it needs no more of x. */
static rattle_status take_slide(fibre_maker *k, rattle_error *error) {
  rattle__fibre_rows *to = k->to;
  const int nz = 2 * to->n, vars = nz + to->m;
  for (int c = 0; c < nz; c++) k->at[c] = variable(k, c);
  slide(k, to->s);
  memcpy(k->plus, k->at, (size_t)nz * sizeof *k->at);
  rattle_status status = build(k, k->plus, nz, 0, vars, &to->slid, error);
  if (!status) status = take_psi(k, k->row, error);
  return status ? status : build(k, k->row, to->m, 0, vars, &to->psi, error);
}

static rattle_status write_rows(fibre_maker *k, rattle_error *error) {
  const rattle__fibre_rows *to = k->to;
  rattle_status status = take_functions(k, error);
  if (status) return status;
  status =
      rattle__closed_fibre_make(&k->fibre, &(rattle__closed_from){.graph = k->graph,
                                                                  .dg = k->dg,
                                                                  .column = k->column,
                                                                  .n = to->n,
                                                                  .m = to->m,
                                                                  .places = to->vars + 4 * to->n});
  if (status == RATTLE_UNSUITABLE)
    return rattle__proof_refuse(
        "its constraints depend on momenta, and are not quadratic with fibres that are "
        "lines, parabolas, circles or hyperbolas",
        error);
  if (!status) status = take_slide(k, error);
  if (!status) status = take_constraints(k, error);
  if (!status) status = take_stages(k, error);
  return status ? status : take_end(k, error);
}

/* --- how it is made --------------------------------------------------------------------------- */

static rattle_status make(fibre_maker *k, rattle_error *error) {
  const size_t nz = 2 * (size_t)k->to->n, m = (size_t)k->to->m, s = (size_t)k->to->stages;
  rattle_expr *block = calloc((8 + m + s) * nz + 4 * m + 1, sizeof *block);
  k->column = calloc(nz + 1, sizeof *k->column);
  rattle_status status =
      block && k->column ? rattle_graph_create(&k->graph, error) : rattle__no_memory(error);
  if (!status) {
    k->z = block, k->w = k->z + nz, k->plus = k->w + nz, k->at = k->plus + nz;
    k->value = k->at + 2 * nz, k->dg = k->value + nz + 2 * m, k->row = k->dg + m * nz;
    for (int c = 0; c < 2 * (int)nz; c++) k->z[c] = variable(k, k->to->vars + c);
    for (int c = 0; c < (int)nz; c++) k->column[c] = k->to->vars + c;
    status = write_rows(k, error);
  }
  rattle__function_destroy(&k->local);
  rattle__closed_fibre_release(&k->fibre);
  rattle_graph_destroy(&k->graph);
  free(block), free(k->column);
  return status;
}

rattle_status rattle__fibre_rows_make(rattle__fibre_rows *rows, const rattle_problem *problem,
                                      const rattle__tableau *by, int lands, rattle_error *error) {
  const int n = problem->n, m = problem->m;
  *rows = (rattle__fibre_rows){.n = n, .m = m, .stages = by->stages, .lands = lands};
  rows->s = 2 * n, rows->sigma = rows->s + m, rows->tau = rows->sigma + lands * m;
  rows->slopes = rows->tau + 2, rows->vars = rows->slopes + by->stages * 2 * n;
  fibre_maker k = {.problem = problem, .by = by, .to = rows};
  return make(&k, error);
}

void rattle__fibre_rows_release(rattle__fibre_rows *rows) {
  rattle__function_destroy(&rows->rows);
  rattle__function_destroy(&rows->end);
  rattle__function_destroy(&rows->psi);
  rattle__function_destroy(&rows->slid);
}
