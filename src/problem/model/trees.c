/* Order conditions of Runge-Kutta methods: one a rooted tree, sum_i b_i Phi_i(t) = 1/gamma(t).
 *
 * Symbols  Phi_i(t): product over the branches u of the root of sum_j a_ij Phi_j(u); gamma(t):
 *          product of the sizes of all subtrees. Partitioned: nodes are coloured, 0 for coordinates
 *          and 1 for momenta; a branch takes a_ij or ahat_ij by the colour of its own root, the
 *          root b_i or bhat_i. For H = T(p) + V(q) the derivatives of coordinates depend on momenta
 *          alone and those of momenta on coordinates: neighbours have different colours, other
 *          trees do not count
 * Trees    as levels in depth-first order, each generated once (Beyer and Hedetniemi)
 * Source   Hairer, Lubich, Wanner, Geometric Numerical Integration, III.1 and III.2; T. Beyer, S.
 *          M. Hedetniemi, SIAM J. Comput. 9 (1980) 706 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/support/number.h"
#include "problem/model/user_coefficients.h"

enum { MOST_NODES = 10, STAGES = RATTLE__GIVEN_STAGES };

typedef struct tree {
  int nodes, level[MOST_NODES], parent[MOST_NODES];
} tree;

static void first_tree(tree *t, int nodes) {
  t->nodes = nodes;
  for (int i = 0; i < nodes; i++) t->level[i] = i;
}

/* The next tree with as many nodes; 0 after the last, the bush. */
static int next_tree(tree *t) {
  int p = t->nodes - 1, q;
  while (p > 0 && t->level[p] <= 1) p--;
  if (p <= 0) return 0;
  for (q = p - 1; t->level[q] != t->level[p] - 1; q--) continue;
  for (int i = p; i < t->nodes; i++) t->level[i] = t->level[i - (p - q)];
  return 1;
}

static void find_parents(tree *t) {
  for (int i = 1; i < t->nodes; i++) {
    int j = i - 1;
    while (t->level[j] != t->level[i] - 1) j--;
    t->parent[i] = j;
  }
}

static double gamma_of(const tree *t) {
  int size[MOST_NODES];
  double product = 1;
  for (int i = 0; i < t->nodes; i++) size[i] = 1;
  for (int i = t->nodes - 1; i > 0; i--) size[t->parent[i]] += size[i];
  for (int i = 0; i < t->nodes; i++) product *= size[i];
  return product;
}

static const double *matrix_of(const rattle_tableau *tableau, unsigned colour) {
  return colour && tableau->Ahat ? tableau->Ahat : tableau->A;
}

static const double *weights_of(const rattle_tableau *tableau, unsigned colour) {
  return colour && tableau->bhat ? tableau->bhat : tableau->b;
}

/* sum_i b_i Phi_i, with bit v of `colour` the colour of node v; *size: the same sum of absolute
 * values. */
static double sum_of(const tree *t, const rattle_tableau *tableau, unsigned colour, double *size) {
  const int s = tableau->stages;
  const double *b = weights_of(tableau, colour & 1);
  double phi[MOST_NODES][STAGES], most[MOST_NODES][STAGES], sum = 0;
  for (int v = 0; v < t->nodes; v++)
    for (int i = 0; i < s; i++) phi[v][i] = most[v][i] = 1;
  for (int v = t->nodes - 1; v > 0; v--) {
    const double *a = matrix_of(tableau, colour >> v & 1);
    for (int i = 0; i < s; i++) {
      double inner = 0, inner_most = 0;
      for (int j = 0; j < s; j++) {
        inner += a[i * s + j] * phi[v][j];
        inner_most += fabs(a[i * s + j]) * most[v][j];
      }
      phi[t->parent[v]][i] *= inner;
      most[t->parent[v]][i] *= inner_most;
    }
  }
  *size = 0;
  for (int i = 0; i < s; i++) {
    sum += b[i] * phi[0][i];
    *size += fabs(b[i]) * most[0][i];
  }
  return sum;
}

/* "sum bhat_i a_ij ahat_jk = 1/6" */
static void write_condition(const tree *t, unsigned colour, double gamma, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "sum %s_i", colour & 1 ? "bhat" : "b");
  for (int v = 1; v < t->nodes && used < size; v++)
    used += (size_t)snprintf(text + used, size - used, " %s_%c%c", colour >> v & 1 ? "ahat" : "a",
                             'i' + t->parent[v], 'i' + v);
  if (used < size) rattle__print(text + used, size - used, " = 1/%g", gamma);
}

static int has_neighbours_alike(const tree *t, unsigned colour) {
  for (int v = 1; v < t->nodes; v++)
    if ((colour >> v & 1) == (colour >> t->parent[v] & 1)) return 1;
  return 0;
}

/* True if all conditions of a tree hold. */
static int holds(const tree *t, const rattle_tableau *tableau, int separable,
                 rattle__order_condition *failing) {
  const unsigned colours = tableau->Ahat || tableau->bhat ? 1u << t->nodes : 1;
  const double gamma = gamma_of(t);
  for (unsigned colour = 0; colour < colours; colour++) {
    double size;
    if (separable && colours > 1 && has_neighbours_alike(t, colour)) continue;
    const double found = sum_of(t, tableau, colour, &size);
    if (fabs(found - 1 / gamma) <= 1e-12 * (size + 1 / gamma)) continue;
    failing->order = t->nodes;
    failing->wanted = 1 / gamma;
    failing->found = found;
    write_condition(t, colour, gamma, failing->text, sizeof failing->text);
    return 0;
  }
  return 1;
}

int rattle__tableau_order(const rattle_tableau *tableau, int separable, int most,
                          rattle__order_condition *failing) {
  tree t;
  failing->text[0] = 0;
  for (int order = 1; order <= most && order <= MOST_NODES; order++) {
    first_tree(&t, order);
    do {
      find_parents(&t);
      if (!holds(&t, tableau, separable, failing)) return order - 1;
    } while (next_tree(&t));
  }
  return most < MOST_NODES ? most : MOST_NODES;
}
