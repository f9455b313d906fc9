/* Small blocks of unknowns as expressions: u = A^-1 b by Cramer's rule, put in wherever they occur.
 *
 * Two unknowns at most: larger systems want pivots. det A = 0 makes the field infinite there. */
#include "ground/support/error.h"
#include "ground/expr/copy.h"
#include "maps/field/formula.h"

enum {
  MOST = 2,
  ROOM = 64
}; /* unknowns of a block; all variables of a problem that is small enough to be worth it */

/* A = dr/du and b = -r(u = 0) of the first block; returns 0 if r is not affine in u, -1 if there is
 * no memory. */
static int linear_parts(rattle__formula *k, int size, rattle_expr A[MOST][MOST],
                        rattle_expr b[MOST]) {
  rattle_expr image[ROOM] = {0};
  const int base = 2 * k->n;
  const rattle_expr zero = rattle_expr_constant(k->graph, 0);
  if (!zero) return -1;
  for (int j = 0; j < size; j++) image[base + j] = zero;
  rattle__copy copy = rattle__copy_begin(k->graph, k->graph, image, base + size);
  int affine = 1;
  for (int i = 0; i < size && affine > 0; i++) {
    const rattle_expr r = k->r[i];
    for (int j = 0; j < size && affine > 0; j++) {
      A[i][j] = rattle_expr_derivative(k->graph, r, base + j);
      for (int l = 0; l < size && affine > 0; l++) {
        const rattle_expr second =
            A[i][j] ? rattle_expr_derivative(k->graph, A[i][j], base + l) : 0;
        if (!second)
          affine = -1;
        else if (rattle_expr_op(k->graph, second) != RATTLE_OP_CONSTANT ||
                 rattle_expr_value(k->graph, second) != 0)
          affine = 0;
      }
    }
    b[i] = rattle__copy_of(&copy, r);
    if (b[i]) b[i] = rattle_expr_unary(k->graph, RATTLE_OP_NEG, b[i]);
    if (!b[i]) affine = -1;
  }
  rattle__copy_end(&copy);
  return affine;
}

static rattle_expr quotient(rattle__formula *k, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(k->graph, RATTLE_OP_DIV, a, b);
}

static rattle_expr cross(rattle__formula *k, rattle_expr a, rattle_expr b, rattle_expr c,
                         rattle_expr d) {
  return rattle__subtract(k->graph, rattle__multiply(k->graph, a, b),
                          rattle__multiply(k->graph, c, d));
}

static void solve(rattle__formula *k, int size, rattle_expr A[MOST][MOST],
                  const rattle_expr b[MOST], rattle_expr u[MOST]) {
  if (size == 1) {
    u[0] = quotient(k, b[0], A[0][0]);
    return;
  }
  const rattle_expr det = cross(k, A[0][0], A[1][1], A[0][1], A[1][0]);
  u[0] = quotient(k, cross(k, b[0], A[1][1], A[0][1], b[1]), det);
  u[1] = quotient(k, cross(k, A[0][0], b[1], b[0], A[1][0]), det);
}

/* Puts u in for the first block and moves the others down. */
static int remove_first(rattle__formula *k, int size, const rattle_expr u[MOST]) {
  rattle_expr image[ROOM] = {0};
  const int base = 2 * k->n;
  for (int j = 0; j < k->k; j++)
    image[base + j] = j < size ? u[j] : rattle__formula_unknown(k, j - size);
  rattle__copy copy = rattle__copy_begin(k->graph, k->graph, image, base + k->k);
  int failed = 0;
  for (int j = 0; j < size; j++) failed |= !u[j];
  for (int c = 0; c < base; c++) failed |= !(k->f[c] = rattle__copy_of(&copy, k->f[c]));
  for (int c = 0; c < k->n && k->momenta; c++)
    failed |= !(k->momenta[c] = rattle__copy_of(&copy, k->momenta[c]));
  for (int i = size; i < k->k; i++) failed |= !(k->r[i - size] = rattle__copy_of(&copy, k->r[i]));
  rattle__copy_end(&copy);
  for (int b = 0; b < k->blocks; b++) k->first[b] = k->first[b + 1] - size;
  k->blocks--;
  k->k -= size;
  return failed;
}

rattle_status rattle__formula_eliminate(rattle__formula *k, rattle_error *error) {
  while (k->blocks) {
    const int size = k->first[1];
    rattle_expr A[MOST][MOST], b[MOST], u[MOST];
    if (size > MOST || 2 * k->n + k->k > ROOM) return RATTLE_OK;
    const int affine = linear_parts(k, size, A, b);
    if (!affine) return RATTLE_OK;
    if (affine > 0) solve(k, size, A, b, u);
    if (affine < 0 || remove_first(k, size, u)) return rattle__no_memory(error);
  }
  return RATTLE_OK;
}
