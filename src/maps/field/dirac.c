/* dirac: the Hamilton-Dirac equations, z' = {z,H}* with the Dirac bracket of all second-class
 * constraints chi.
 *
 * Field     z' = X_H - sum_a u_a X_{chi_a},   sum_b {chi_a,chi_b} u_b = {chi_a,H}
 * Symbols   chi = g where the brackets of g are invertible already, else (g, psi), psi = {g,H}
 *           for g(q), by the block inverse: Q w = psi,  Q^T v = S w - {psi,H},  u = (v, w), Q =
 *           {g,psi}, S = {psi,psi}
 * Source    W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems,
 *           equations 10, 13, 20 and 21; Math. Comp. 68 (1999) 661
 * Keeps     every chi exactly, whatever its value: {F,chi}* = 0 for all F
 * Cost      H'', second derivatives of g, and one system with C = {chi,chi} a value, or two with
 * Q */
#include "ground/support/error.h"
#include "maps/field/formula.h"

#include <stdlib.h>

/* f = X_H - sum_a u_a X_{chi_a} */
static void write_field(rattle__formula *k, int first, int count, const rattle_expr *const *dchi) {
  for (int c = 0; c < 2 * k->n; c++) {
    k->f[c] = rattle__formula_hamiltonian(k, k->dH, c);
    for (int a = 0; a < count; a++) {
      const rattle_expr X = rattle__formula_hamiltonian(k, dchi[a], c);
      k->f[c] = rattle__subtract(
          k->graph, k->f[c], rattle__multiply(k->graph, rattle__formula_unknown(k, first + a), X));
    }
  }
}

/* Any second-class chi: one system with C. */
static void write_general(rattle__formula *k, int count, const rattle_expr *const *dchi) {
  const int first = rattle__formula_unknowns(k, count);
  for (int a = 0; a < count; a++) {
    rattle_expr sum =
        rattle_expr_unary(k->graph, RATTLE_OP_NEG, rattle__formula_bracket(k, dchi[a], k->dH));
    for (int b = 0; b < count; b++) {
      const rattle_expr C = rattle__formula_bracket(k, dchi[a], dchi[b]);
      sum = rattle__add(k->graph, sum,
                        rattle__multiply(k->graph, C, rattle__formula_unknown(k, first + b)));
    }
    k->r[first + a] = sum;
  }
  write_field(k, first, count, dchi);
}

/* g(q): the blocks of C one after the other; w is solved for first. */
static void write_blocks(rattle__formula *k, const rattle_expr *const *dchi) {
  rattle_graph *graph = k->graph;
  const int m = k->m, w = rattle__formula_unknowns(k, m), v = rattle__formula_unknowns(k, m);
  for (int i = 0; i < m; i++) k->r[v + i] = rattle__formula_bracket(k, dchi[m + i], k->dH);
  for (int i = 0; i < m; i++) {
    rattle_expr sum = rattle_expr_unary(graph, RATTLE_OP_NEG, k->psi[i]);
    const rattle_expr v_i = rattle__formula_unknown(k, v + i);
    for (int j = 0; j < m; j++) {
      const rattle_expr Q = rattle__formula_bracket(k, dchi[i], dchi[m + j]),
                        S = rattle__formula_bracket(k, dchi[m + i], dchi[m + j]);
      const rattle_expr w_j = rattle__formula_unknown(k, w + j);
      sum = rattle__add(graph, sum, rattle__multiply(graph, Q, w_j));
      k->r[v + j] = rattle__add(graph, k->r[v + j], rattle__multiply(graph, Q, v_i));
      k->r[v + i] = rattle__subtract(graph, k->r[v + i], rattle__multiply(graph, S, w_j));
    }
    k->r[w + i] = sum;
  }
  for (int c = 0; c < 2 * k->n; c++) {
    k->f[c] = rattle__formula_hamiltonian(k, k->dH, c);
    for (int a = 0; a < 2 * m; a++) {
      const rattle_expr u = rattle__formula_unknown(k, a < m ? v + a : w + a - m);
      k->f[c] = rattle__subtract(
          graph, k->f[c], rattle__multiply(graph, u, rattle__formula_hamiltonian(k, dchi[a], c)));
    }
  }
}

static rattle_status write(rattle__formula *k, rattle_error *error) {
  const size_t nz = 2 * (size_t)k->n;
  const int second_class = k->problem->split != NULL, count = second_class ? k->m : 2 * k->m;
  const rattle_expr **dchi = malloc(2 * (size_t)k->m * sizeof *dchi);
  if (!dchi) return rattle__no_memory(error);
  for (int i = 0; i < k->m; i++) {
    dchi[i] = k->dg + (size_t)i * nz;
    dchi[k->m + i] = k->dpsi + (size_t)i * nz;
  }
  if (!second_class && k->problem->flags & RATTLE_HOLONOMIC)
    write_blocks(k, dchi);
  else
    write_general(k, count, dchi);
  free(dchi);
  return RATTLE_OK;
}

const rattle__field_row rattle__field_dirac = {.write = write, .second_class = 1};
