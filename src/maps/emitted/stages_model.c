/* The functions of the model of a step with stages, and their brackets: psi = {g, H},
 * N_ij = -psi_i' X_gj, psi' X_H. */
#include <stdlib.h>

#include "ground/expr/derivative.h"
#include "ground/expr/walk.h"
#include "ground/support/error.h"
#include "maps/emitted/stages_maker.h"
#include "maps/emitted/stages_numbers.h"
#include "maps/emitted/stages_parts.h"

static rattle_status take_rows(rattle__stages_maker *k, const rattle__function *f,
                               const rattle_expr *column, rattle_expr *row, rattle_error *error) {
  return k->inputs ? rattle__function_rows_with_inputs(f, k->graph, column, row, error)
                   : rattle__function_rows(f, k->graph, column, row, error);
}

/* 1/masses: numbers, or inputs of T in their place, if they have its bits. */
static rattle_status take_masses(rattle__stages_maker *k, rattle_error *error) {
  const rattle_problem *p = k->problem;
  const int n = k->n;
  rattle_expr T, *slope = k->x, *bend = k->x + n;
  for (int c = 0; c < n; c++) k->light[c] = rattle_expr_constant(k->graph, p->mass->diagonal[c]);
  if (!k->inputs || !rattle__function_inputs(p->kinetic, NULL, 0)) return RATTLE_OK;
  rattle_status status = take_rows(k, p->kinetic, k->z0 + n, &T, error);
  if (!status) status = rattle__gradient(k->graph, T, k->column + n, n, slope);
  for (int c = 0; c < n && !status; c++) {
    status = rattle__gradient(k->graph, slope[c], k->column + n, n, bend);
    if (status) break;
    k->light[c] = bend[c];
    if (rattle_expr_op(k->graph, bend[c]) != RATTLE_OP_CONSTANT ||
        rattle_expr_value(k->graph, bend[c]) != p->mass->diagonal[c])
      status = RATTLE_UNSUITABLE;
  }
  return status;
}

/* H = p^T W p/2 + V, and its slopes. */
static rattle_status take_natural(rattle__stages_maker *k, rattle_error *error) {
  const int n = k->n;
  rattle_status status = take_masses(k, error);
  if (!status) status = take_rows(k, k->problem->V, k->z0, &k->H, error);
  for (int c = 0; c < n; c++) k->X[c] = rattle__times(k->graph, k->light[c], k->z0[n + c]);
  return status ? status : rattle__gradient(k->graph, k->H, k->column, n, k->X + n);
}

static rattle_status take_H(rattle__stages_maker *k, rattle_error *error) {
  const int n = k->n;
  rattle_status status = RATTLE_OK;
  if (k->problem->mass) {
    status = take_natural(k, error);
  } else {
    status = take_rows(k, k->problem->H, k->z0, &k->H, error);
    if (!status) status = rattle__gradient(k->graph, k->H, k->column, 2 * n, k->x);
    for (int c = 0; c < n && !status; c++) k->X[c] = k->x[n + c], k->X[n + c] = k->x[c];
  }
  for (int c = n; c < 2 * n && !status; c++) k->X[c] = rattle__multiple(k->graph, -1, k->X[c]);
  return status;
}

/* 1/e, of a quotient by turning it, so that nothing is divided by twice. */
static rattle_expr reciprocal(rattle_graph *graph, rattle_expr e) {
  const rattle_expr a = rattle_expr_operand(graph, e, 0), b = rattle_expr_operand(graph, e, 1);
  if (rattle_expr_op(graph, e) == RATTLE_OP_DIV) return rattle__over(graph, b, a);
  if (rattle_expr_op(graph, e) == RATTLE_OP_MUL)
    return rattle__times(graph, reciprocal(graph, a), reciprocal(graph, b));
  return rattle__over(graph, rattle_expr_constant(graph, 1), e);
}

/* p_c = X_c/w - r/w if X_c = w(q) p_c + r(q). slopes: of X_c by z */
static void take_velocity(rattle__stages_maker *k, int c, const rattle_expr *slopes) {
  const int n = k->n;
  int alone = !rattle__vanishes(k, slopes[n + c]);
  for (int d = 0; d < n; d++) alone &= d == c || rattle__vanishes(k, slopes[n + d]);
  rattle_expr *by = k->x + 2 * n;
  if (!alone) return;
  k->e->failed |= rattle__gradient(k->graph, slopes[n + c], k->column + n, n, by) != RATTLE_OK;
  if (k->e->failed) return;
  for (int d = 0; d < n; d++) alone &= rattle__vanishes(k, by[d]);
  rattle__sides rest = {0};
  rattle__sides_set(&rest, k->e, k->z0[n + c], rattle_expr_constant(k->graph, 0));
  const rattle_expr inverse = reciprocal(k->graph, slopes[n + c]),
                    r = rattle__sides_of(&rest, k->e, k->X[c]);
  rattle__sides_end(&rest);
  if (!alone) return;
  k->inverse_mass[c] = inverse;
  k->shift[c] = rattle__times(k->graph, inverse, r);
}

/* The variables that X_c is made of: those too by which its derivative vanishes, such as the x of
 * sign x. */
static rattle_status find_couples(rattle__stages_maker *k, int c, rattle_error *error) {
  const int nz = 2 * k->n;
  rattle__walk walk;
  const int failed = rattle__walk_begin(&walk, k->graph, k->X[c], rattle__operands) != RATTLE_OK;
  for (int d = 0; d < nz && !failed; d++)
    k->couples[c * nz + d] = rattle__place(&walk, k->z0[d]) > 0;
  rattle__walk_end(&walk);
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__stages_take(rattle__stages_maker *k, rattle_error *error) {
  const int n = k->n, nz = 2 * n;
  for (int c = 0; c < nz; c++) k->column[c] = rattle__emitted_place(k->e, k->z0[c]);
  rattle_status status = take_H(k, error);
  if (!status) status = take_rows(k, k->problem->g, k->z0, k->g, error);
  for (int i = 0; i < k->m && !status; i++)
    status = rattle__gradient(k->graph, k->g[i], k->column, nz, k->dg + i * nz);
  for (int i = 0; i < k->m && !status; i++)
    k->psi[i] = rattle__product(k->graph, nz, k->dg + i * nz, 1, k->X, 1);
  for (int c = 0; c < nz && !status; c++) {
    status = rattle__gradient(k->graph, k->X[c], k->column, nz, k->x);
    if (!status) status = find_couples(k, c, error);
    if (c < n && !status) take_velocity(k, c, k->x);
  }
  return status;
}

/* N_ij = -psi_i' X_gj; slopes: psi_i'. */
static rattle_expr bracket(rattle__stages_maker *k, const rattle_expr *slopes, int j) {
  const int n = k->n;
  rattle_expr *field = k->x + 2 * n;
  if (!k->curved) return rattle__product(k->graph, n, slopes + n, 1, k->dg + j * 2 * n, 1);
  for (int c = 0; c < 2 * n; c++)
    field[c] = rattle__multiple(k->graph, -1, rattle__stages_Xg(k, j, c));
  return rattle__product(k->graph, 2 * n, slopes, 1, field, 1);
}

/* Row i of N, and psi_i' X_H, by the sign of N_ii at the start. */
static void show_row(rattle__stages_maker *k, int i, const rattle_expr *slopes) {
  rattle__emitted *e = k->e;
  const int nz = 2 * k->n, m = k->m, u = k->unknowns;
  rattle_expr *by = k->x + 2 * nz;
  for (int j = 0; j < m; j++) k->f[j] = bracket(k, slopes, j);
  if (k->curved)
    rattle__emitted_let_name(e, PART_FIRST, k->sign[i],
                             rattle_expr_unary(k->graph, RATTLE_OP_SIGN, k->f[i]));
  for (int j = 0; j < m; j++) {
    const rattle_expr N = rattle__times(k->graph, k->sign[i], k->f[j]);
    rattle__emitted_show(e, PART_FIRST, RATTLE__AT_N_FIRST(u, m) + i * m + j, N);
    rattle__emitted_show(e, PART_MATRIX, RATTLE__AT_N_LAST(u, m) + i * m + j,
                         rattle__sides_of(&k->at_slid, e, N));
    if (rattle__gradient(k->graph, N, k->column + k->n, k->n, by)) e->failed = 1;
    for (int c = 0; c < k->n; c++) k->bent |= !rattle__vanishes(k, by[c]);
  }
  const rattle_expr rate =
      rattle__times(k->graph, k->sign[i], rattle__product(k->graph, nz, slopes, 1, k->X, 1));
  rattle__emitted_show(e, PART_FIRST, RATTLE__AT_RATE(u, m) + i, rate);
  rattle__emitted_show(e, PART_ARRIVE, RATTLE__AT_RATE(u, m) + i,
                       rattle__sides_of(&k->at_slid, e, rate));
}

rattle_status rattle__stages_show_brackets(rattle__stages_maker *k) {
  const int nz = 2 * k->n;
  rattle_status status = RATTLE_OK;
  for (int c = 0; c < nz; c++) k->column[c] = rattle__emitted_place(k->e, k->z0[c]);
  k->bent = k->curved;
  for (int i = 0; i < k->m && !status; i++) {
    status = rattle__gradient(k->graph, k->psi[i], k->column, nz, k->x);
    if (!status) show_row(k, i, k->x);
  }
  return status;
}
