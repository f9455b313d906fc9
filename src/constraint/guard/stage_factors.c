/* Expressions by few factors. See stage_factors.h.
 *
 * Method   each node of a sum hands its coefficient on to its summands, from the root down; nodes
 *          that are no sums and no multiples are the factors. Products and sums of
 *          coefficients that are exact, as the remainders of both say, stay exact */
#include "constraint/guard/stage_factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/walk.h"
#include "ground/support/error.h"

/* --- coefficients ----------------------------------------------------------------------------- */

static rattle__ball plus(rattle__ball a, rattle__ball b) {
  const double at = a.at + b.at, of_b = at - a.at, off = (a.at - (at - of_b)) + (b.at - of_b);
  return a.by == 0 && b.by == 0 && off == 0 ? rattle__exactly(at) : rattle__ball_add(a, b);
}

/* The remainder of a product is a double, and what fma returns, if it is not below the least. */
static rattle__ball times(rattle__ball a, rattle__ball b) {
  const double at = a.at * b.at;
  const int exact = a.by == 0 && b.by == 0 && fabs(at) > 0x1p-900 && fma(a.at, b.at, -at) == 0;
  return exact ? rattle__exactly(at) : rattle__ball_times(a, b);
}

/* --- sums ------------------------------------------------------------------------------------- */

static int is_number(const rattle_graph *g, rattle_expr e) {
  return rattle_expr_op(g, e) == RATTLE_OP_CONSTANT && isfinite(rattle_expr_value(g, e));
}

/* The nodes that e is a combination of, with their factors; 0: e is none. */
static int summands(const rattle_graph *g, rattle_expr e, rattle_expr child[2],
                    rattle__ball by[2]) {
  const rattle_op op = rattle_expr_op(g, e);
  child[0] = rattle_expr_operand(g, e, 0), child[1] = rattle_expr_operand(g, e, 1);
  by[0] = by[1] = rattle__exactly(1);
  if (op == RATTLE_OP_SUB) by[1] = rattle__exactly(-1);
  if (op == RATTLE_OP_NEG) by[0] = rattle__exactly(-1);
  if (op == RATTLE_OP_ADD || op == RATTLE_OP_SUB) return 2;
  if (op == RATTLE_OP_NEG) return 1;
  const int second = (op == RATTLE_OP_MUL || op == RATTLE_OP_DIV) && is_number(g, child[1]);
  const double number = rattle_expr_value(g, child[second]);
  if (second) by[0] = rattle__exactly(number);
  if (second && op == RATTLE_OP_DIV) by[0] = rattle__ball_inverse(by[0]);
  if (second) return isfinite(by[0].at) && isfinite(by[0].by);
  if (op != RATTLE_OP_MUL || !is_number(g, child[0])) return 0;
  by[0] = rattle__exactly(number), child[0] = child[1];
  return 1;
}

static int children(const rattle_graph *g, rattle_expr e, rattle_expr child[2]) {
  rattle__ball by[2];
  return summands(g, e, child, by);
}

/* The place of a factor among those from `at` on, a new one if need be; -1: no memory. */
static int place_of(rattle__stage_factors *all, int at, rattle_expr e) {
  while (at < all->count && all->factor[at] != e) at++;
  if (at < all->count) return at;
  const size_t count = (size_t)at + 1, rows = (size_t)all->rows;
  rattle_expr *factor = realloc(all->factor, count * sizeof *factor);
  if (factor) all->factor = factor;
  rattle__ball *K = realloc(all->K, count * (rows + 1) * sizeof *K);
  if (K) all->K = K;
  if (!factor || !K) return -1;
  factor[at] = e, all->count = at + 1;
  memset(K + (size_t)at * rows, 0, rows * sizeof *K);
  return at;
}

static int add_row(rattle__stage_factors *all, const rattle_graph *g, const rattle__walk *walk,
                   int first, int row, rattle__ball *by) {
  by[walk->count - 1] = rattle__exactly(1);
  for (size_t i = walk->count; i-- > 0;) {
    rattle_expr child[2];
    rattle__ball of[2];
    const int count = summands(g, walk->node[i], child, of);
    for (int k = 0; k < count; k++) {
      rattle__ball *to = &by[rattle__place(walk, child[k]) - 1];
      *to = plus(*to, times(by[i], of[k]));
    }
    if (count || rattle__ball_is_zero(by[i])) continue;
    if (is_number(g, walk->node[i])) {
      const rattle__ball value = rattle__exactly(rattle_expr_value(g, walk->node[i]));
      all->k[row] = plus(all->k[row], times(by[i], value));
      continue;
    }
    const int at = place_of(all, first, walk->node[i]);
    if (at < 0) return -1;
    all->K[at * all->rows + row] = by[i];
  }
  return 0;
}

/* --- factors ---------------------------------------------------------------------------------- */

/* c where column b is c times column a, else 0; all of them exact. */
static double ratio_of(const rattle__stage_factors *all, int a, int b) {
  const rattle__ball *of_a = all->K + a * all->rows, *of_b = all->K + b * all->rows;
  int row = 0;
  while (row < all->rows && of_a[row].at == 0) row++;
  const double ratio = row < all->rows ? of_b[row].at / of_a[row].at : 0;
  for (row = 0; row < all->rows; row++) {
    const rattle__ball product = times(rattle__exactly(ratio), of_a[row]);
    if (product.by != 0 || of_b[row].by != 0 || product.at != of_b[row].at) return 0;
  }
  return ratio;
}

rattle_status rattle__stage_factors_merge(rattle__stage_factors *all, rattle_graph *g,
                                          rattle_error *error) {
  const size_t column = (size_t)all->rows * sizeof *all->K;
  int kept = 0;
  for (int b = 0; b < all->count; b++) {
    double ratio = 0;
    int a = 0;
    while (a < kept && (ratio = ratio_of(all, a, b)) == 0) a++;
    if (a == kept) {
      memmove(all->K + kept * all->rows, all->K + b * all->rows, column);
      all->factor[kept++] = all->factor[b];
      continue;
    }
    const rattle_expr more =
        rattle_expr_binary(g, RATTLE_OP_MUL, rattle_expr_constant(g, ratio), all->factor[b]);
    all->factor[a] = rattle_expr_binary(g, RATTLE_OP_ADD, all->factor[a], more);
    if (!all->factor[a]) return rattle__no_memory(error);
  }
  all->count = kept;
  return RATTLE_OK;
}

static int find_row(rattle__stage_factors *all, rattle_graph *g, rattle_expr e, int first,
                    int row) {
  rattle__walk walk;
  int answer = rattle__walk_begin(&walk, g, e, children) ? -1 : 0;
  rattle__ball *by = answer ? NULL : calloc(walk.count, sizeof *by);
  answer = by ? add_row(all, g, &walk, first, row, by) : -1;
  free(by);
  rattle__walk_end(&walk);
  return answer;
}

rattle_status rattle__stage_factors_start(rattle__stage_factors *all, int rows,
                                          rattle_error *error) {
  *all = (rattle__stage_factors){.rows = rows, .k = calloc((size_t)rows + 1, sizeof *all->k)};
  return all->k ? RATTLE_OK : rattle__no_memory(error);
}

rattle_status rattle__stage_factors_add(rattle__stage_factors *all, rattle_graph *g,
                                        const rattle_expr *e, rattle_error *error) {
  const int first = all->count;
  int answer = 0;
  for (int i = 0; i < all->rows && !answer; i++) answer = find_row(all, g, e[i], first, i);
  return answer ? rattle__no_memory(error) : RATTLE_OK;
}

void rattle__stage_factors_release(rattle__stage_factors *all) {
  free(all->factor), free(all->K), free(all->k);
  *all = (rattle__stage_factors){0};
}
