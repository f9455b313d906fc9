/* Taylor series of the solution through a point: z(t) = sum_k Z_k t^k of z' = f(z,u), 0 = r(z,u).
 *
 * Series   (k + 1) Z_{k+1} = f_k, the coefficient k of f along the curve, from jets of the
 *          expressions of f
 * Unknowns u_0 as for a value of the field; of u_k, k > 0, r_k is an affine function: A u_k =
 * -r_k(u_k = 0), A = dr/du at u_0,
 *          the same matrix at each order
 * Tangents dZ_k = Z_k'(z) w: the series of w' = f_z w together with that of z
 * Source   Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, I.8 */
#include "maps/field/series.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/derivative.h"
#include "ground/expr/jet.h"
#include "maps/field/unknowns.h"

struct rattle__series {
  rattle__field *field;
  rattle__formula own; /* of X_H, which has no formula in its field */
  rattle__jets *jets;
  int n, k, order, tangent; /* tangent: the variables from 2n on are w */
  double *step;             /* [k] */
};

/* The derivative of e along w, the variables from 2n on; slope [2n] is scratch. */
static rattle_expr along(rattle__formula *k, rattle_expr e, rattle_expr *slope) {
  const int nz = 2 * k->n;
  rattle_expr sum = rattle_expr_constant(k->graph, 0);
  if (!e || rattle__gradient(k->graph, e, k->variable, nz, slope)) return RATTLE_EXPR_NONE;
  for (int c = 0; c < nz; c++)
    sum = rattle__add(k->graph, sum,
                      rattle__multiply(k->graph, slope[c], rattle_expr_variable(k->graph, nz + c)));
  return sum;
}

/* X_H and, with tangents, (X_H)_z w = X_K at fixed w, K = H_z w: w are the variables from 2n on.
 * With forces the rows one by one. */
static rattle_status write_hamiltonian(rattle__series *s, const rattle_problem *problem,
                                       rattle_error *error) {
  rattle__formula *k = &s->own;
  const int nz = 2 * s->n;
  rattle_status status = rattle__formula_begin_free(k, problem, error);
  if (status) return status;
  rattle_expr *f = realloc(k->f, 2 * (size_t)nz * sizeof *f);
  if (!f) return rattle__no_memory(error);
  k->f = f;
  for (int c = 0; c < nz; c++) f[c] = rattle__formula_hamiltonian(k, k->dH, c);
  if (!s->tangent) return RATTLE_OK;
  for (int c = 0; c < nz && problem->force; c++) f[nz + c] = along(k, f[c], k->dH);
  if (problem->force) return RATTLE_OK;
  rattle_expr K = rattle_expr_constant(k->graph, 0), *dK = k->dH;
  for (int c = 0; c < nz; c++)
    K = rattle__add(k->graph, K,
                    rattle__multiply(k->graph, k->dH[c], rattle_expr_variable(k->graph, nz + c)));
  if (rattle__gradient(k->graph, K, k->variable, nz, dK)) return rattle__no_memory(error);
  for (int c = 0; c < nz; c++) f[nz + c] = rattle__formula_hamiltonian(k, dK, c);
  return RATTLE_OK;
}

/* f, then r, as series. */
static rattle_status make_jets(rattle__series *s, const rattle__formula *formula,
                               rattle_error *error) {
  const int rates = 2 * s->n * (s->tangent ? 2 : 1), nz = 2 * s->n;
  rattle_expr *root = malloc(((size_t)rates + (size_t)s->k) * sizeof *root);
  if (!root) return rattle__no_memory(error);
  memcpy(root, formula->f, (size_t)rates * sizeof *root);
  for (int i = 0; i < s->k; i++) root[rates + i] = formula->r[i];
  int whole = 1;
  for (int i = 0; i < rates + s->k; i++) whole &= root[i] != RATTLE_EXPR_NONE;
  const rattle__jets_plan plan = {.root = root,
                                  .roots = rates + s->k,
                                  .variables = rates + s->k,
                                  .late = nz + (s->k ? 0 : rates),
                                  .order = s->order};
  const rattle_status status = whole ? rattle__jets_create(&s->jets, formula->graph, &plan, error)
                                     : rattle__no_memory(error);
  free(root);
  return status;
}

rattle_status rattle__series_create(rattle__series **series, rattle__field *field, int order,
                                    int tangent, rattle_error *error) {
  *series = NULL;
  rattle__series *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__series){
      .field = field, .n = field->n, .k = field->k, .order = order, .tangent = tangent};
  rattle_status status = RATTLE_OK;
  if (!field->problem->model)
    status = rattle__fail(error, RATTLE_UNSUITABLE, "taylor",
                          "Taylor series need H as an expression, and this problem consists of "
                          "callbacks: write a model, or use rk4");
  if (!status && field->problem->bonded)
    status = rattle__fail(
        error, RATTLE_UNSUITABLE, "taylor",
        "Taylor series need H as an expression, and pair_potential is none: use rattle(verlet)");
  if (!status && !field->rhs) status = write_hamiltonian(s, field->problem, error);
  if (!status) status = make_jets(s, field->rhs ? &field->formula : &s->own, error);
  if (!status && !(s->step = calloc((size_t)s->k + 1, sizeof *s->step)))
    status = rattle__no_memory(error);
  if (status)
    rattle__series_destroy(&s);
  else
    *series = s;
  return status;
}

void rattle__series_destroy(rattle__series **series) {
  if (!*series) return;
  rattle__series *s = *series;
  rattle__formula_end(&s->own);
  rattle__jets_destroy(&s->jets);
  free(s->step);
  free(s);
  *series = NULL;
}

static void set(rattle__series *s, int variable, int k, double value) {
  rattle__jets_variable(s->jets, variable)[k] = value;
}

/* u_k, k > 0, and all nodes at order k. */
static void advance_unknowns(rattle__series *s, int k) {
  const int nz = 2 * s->n;
  for (int i = 0; i < s->k; i++) set(s, nz + i, k, 0);
  rattle__jets_advance(s->jets, k);
  if (!s->k) return;
  for (int i = 0; i < s->k; i++) s->step[i] = -rattle__jets_root(s->jets, nz + i)[k];
  s->field->matrix->solve(s->field->matrix, s->step);
  for (int i = 0; i < s->k; i++) set(s, nz + i, k, s->step[i]);
  rattle__jets_advance_late(s->jets, k);
}

/* Variables [variables] at order 0 are there; the others follow. */
static void run(rattle__series *s, int variables) {
  rattle__jets_advance(s->jets, 0);
  for (int k = 0; k < s->order; k++) {
    if (k) {
      if (s->k)
        advance_unknowns(s, k);
      else
        rattle__jets_advance(s->jets, k);
    }
    for (int c = 0; c < variables; c++)
      set(s, c, k + 1, rattle__jets_root(s->jets, c)[k] / (k + 1));
  }
}

rattle_status rattle__series_at(rattle__series *s, const double *z, double *Z,
                                rattle_error *error) {
  const int nz = 2 * s->n;
  for (int c = 0; c < nz; c++) set(s, c, 0, z[c]);
  if (s->k) {
    const rattle_status status = rattle__field_unknowns(s->field, z, error);
    if (status) return status;
    for (int i = 0; i < s->k; i++) set(s, nz + i, 0, s->field->x[nz + i]);
  }
  for (int c = 0; s->tangent && c < nz; c++) set(s, nz + c, 0, 0);
  run(s, s->tangent ? 2 * nz : nz);
  for (int c = 0; c < nz; c++)
    for (int k = 0; k <= s->order; k++) Z[k * nz + c] = rattle__jets_variable(s->jets, c)[k];
  return RATTLE_OK;
}

void rattle__series_tangent(rattle__series *s, const double *w, double *W) {
  const int nz = 2 * s->n;
  for (int c = 0; c < nz; c++) set(s, nz + c, 0, w[c]);
  run(s, 2 * nz);
  for (int c = 0; c < nz; c++)
    for (int k = 0; k <= s->order; k++) W[k * nz + c] = rattle__jets_variable(s->jets, nz + c)[k];
}
