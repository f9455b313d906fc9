/* Sums: taken apart into terms, put together again; and what an expression depends on. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "ground/expr/elements.h"
#include "ground/expr/graph.h"
#include "ground/expr/inputs.h"
#include "ground/expr/walk.h"

/* A constant that may be taken out of a product or a quotient. */
static int is_factor(const rattle_graph *g, rattle_expr e) {
  return rattle__is_constant(g, e) && isfinite(rattle__value(g, e)) && rattle__value(g, e) != 0;
}

/* A coefficient: a number, or an input; ways: in how many ways the sum leads to its node. */
typedef struct factor {
  double value;
  rattle_expr input;
  int ways;
} factor;

enum { MANY_WAYS = 3 };

static factor factor_of(const rattle_graph *g, rattle_expr e) {
  return (factor){.value = rattle__value(g, e),
                  .input = rattle__is_input(g, e) ? e : RATTLE_EXPR_NONE};
}

/* op(a, b) of two factors, at least one an input: 1 times an input, and 0 plus it, are simplified
 * as in simplify.c. */
static factor join(rattle_graph *g, rattle_op op, factor a, factor b) {
  if (op == RATTLE_OP_ADD && !a.input && a.value == 0) return b;
  if (op == RATTLE_OP_MUL && !a.input && a.value == 1) return b;
  if (op == RATTLE_OP_MUL && !b.input && b.value == 1) return a;
  const rattle_expr x = a.input ? a.input : rattle_expr_constant(g, a.value);
  const rattle_expr y = b.input ? b.input : rattle_expr_constant(g, b.value);
  return (factor){.value = 1,
                  .input = x && y ? rattle__input_derive(g, op, x, y) : RATTLE_EXPR_NONE};
}

static factor times(rattle_graph *g, factor a, factor b) {
  return a.input || b.input ? join(g, RATTLE_OP_MUL, a, b) : (factor){.value = a.value * b.value};
}

static factor plus(rattle_graph *g, factor a, factor b) {
  return a.input || b.input ? join(g, RATTLE_OP_ADD, a, b) : (factor){.value = a.value + b.value};
}

/* The nodes that e is a linear combination of, with their factors, `over` those that divide; 0 if e
 * is a term itself. */
static int summands(const rattle_graph *g, rattle_expr e, rattle_expr child[2], factor f[2],
                    int *over) {
  int arity = rattle__operands(g, e, child);
  f[0] = f[1] = (factor){.value = 1};
  *over = 0;
  switch (rattle__op(g, e)) {
  case RATTLE_OP_ADD:
    return arity;
  case RATTLE_OP_SUB:
    f[1].value = -1;
    return arity;
  case RATTLE_OP_NEG:
    f[0].value = -1;
    return arity;
  case RATTLE_OP_DIV:
    if (!is_factor(g, child[1])) return 0;
    f[0] = factor_of(g, child[1]);
    *over = 1;
    return isfinite(1 / f[0].value);
  case RATTLE_OP_MUL:
    if (is_factor(g, child[0])) {
      f[0] = factor_of(g, child[0]);
      child[0] = child[1];
      return 1;
    }
    if (!is_factor(g, child[1])) return 0;
    f[0] = factor_of(g, child[1]);
    return 1;
  default:
    return 0;
  }
}

static int sum_children(const rattle_graph *g, rattle_expr e, rattle_expr child[2]) {
  factor f[2];
  int over;
  return summands(g, e, child, f, &over);
}

static factor inverse(rattle_graph *g, factor f) {
  return f.input ? join(g, RATTLE_OP_DIV, (factor){.value = 1}, f) : (factor){.value = 1 / f.value};
}

/* c[i]: factor of node i of the walk in the root. Each node hands its factor on to its summands, so
 * that shared parts of a sum cost nothing and equal terms come together. Returns 0 if a factor
 * overflows. */
static int spread_factors(rattle_graph *g, const rattle__walk *walk, factor *c) {
  int finite = 1;
  for (size_t i = walk->count; i-- > 0;) {
    rattle_expr child[2];
    factor f[2];
    int over, count = summands(g, walk->node[i], child, f, &over);
    if (over) f[0] = inverse(g, f[0]);
    for (int k = 0; k < count; k++) {
      factor *to = &c[rattle__place(walk, child[k]) - 1];
      const int ways = to->ways + c[i].ways < MANY_WAYS ? to->ways + c[i].ways : MANY_WAYS;
      *to = plus(g, *to, times(g, c[i], f[k]));
      to->ways = ways;
      if (ways == MANY_WAYS && g->inputs) g->crowded = 1;
    }
    finite &= isfinite(c[i].value) != 0;
  }
  return finite;
}

/* Keeps the terms of the walk, in its order, with their coefficients; constants come together in
 * one. Returns how many; -1 if there is no memory. Nodes are not sought where no term is constant:
 * a graph stays packed. */
static int keep_terms(rattle_graph *g, const rattle__walk *walk, factor *c, rattle_expr *term) {
  int count = 0, constant = -1;
  rattle_expr one = RATTLE_EXPR_NONE;
  for (size_t i = 0; i < walk->count; i++) {
    rattle_expr e = walk->node[i], child[2];
    if (sum_children(g, e, child) > 0) continue;
    const factor coefficient = is_factor(g, e) ? times(g, c[i], factor_of(g, e)) : c[i];
    if ((coefficient.value == 0 && !coefficient.input) ||
        (rattle__is_constant(g, e) && rattle__value(g, e) == 0))
      continue;
    if (is_factor(g, e) && constant >= 0) {
      c[constant] = plus(g, c[constant], coefficient);
      continue;
    }
    if (is_factor(g, e)) {
      constant = count;
      if (!(one = rattle_expr_constant(g, 1))) return -1;
    }
    c[count] = coefficient;
    term[count++] = is_factor(g, e) ? one : e;
  }
  return count;
}

/* Coefficients that are inputs go into their terms. Returns `count`, or -1 if there is no
 * memory. */
static int settle(rattle_graph *g, const factor *c, int count, double *coefficient,
                  rattle_expr *term) {
  int failed = 0;
  for (int i = 0; i < count; i++) {
    coefficient[i] = c[i].input ? 1 : c[i].value;
    if (c[i].input)
      failed |= !(term[i] = rattle_expr_binary(g, RATTLE_OP_MUL, c[i].input, term[i]));
  }
  return failed ? -1 : count;
}

rattle_status rattle__terms(rattle_graph *graph, rattle_expr e, double **coefficient,
                            rattle_expr **term, int *count, rattle_error *error) {
  *coefficient = NULL, *term = NULL, *count = 0;
  if (!rattle__valid(graph, e))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL, "an expression is missing");
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, graph, e, sum_children);
  factor *f = status ? NULL : calloc(walk.count, sizeof *f);
  double *c = f ? malloc(walk.count * sizeof *c) : NULL;
  rattle_expr *t = c ? malloc(walk.count * sizeof *t) : NULL;
  int kept = -1;
  if (t && walk.count <= INT_MAX) {
    f[walk.count - 1] = (factor){.value = 1, .ways = 1};
    kept = 1;
    if (spread_factors(graph, &walk, f))
      kept = keep_terms(graph, &walk, f, t);
    else
      f[0] = (factor){.value = 1}, t[0] = e;
    if (kept >= 0) kept = settle(graph, f, kept, c, t);
  }
  free(f);
  if (kept >= 0) {
    double *fitting = realloc(c, ((size_t)kept + 1) * sizeof *c);
    rattle_expr *fitting_term = realloc(t, ((size_t)kept + 1) * sizeof *t);
    *coefficient = fitting ? fitting : c, *term = fitting_term ? fitting_term : t, *count = kept;
  } else {
    free(c);
    free(t);
    status = rattle__no_memory(error);
  }
  rattle__walk_end(&walk);
  return status;
}

rattle_expr rattle__sum(rattle_graph *graph, const double *coefficient, const rattle_expr *term,
                        int count) {
  if (count <= 0) return rattle_expr_constant(graph, 0);
  rattle_expr *part = malloc((size_t)count * sizeof *part);
  if (!part) return RATTLE_EXPR_NONE;
  for (int i = 0; i < count; i++)
    part[i] = rattle_expr_binary(graph, RATTLE_OP_MUL, rattle_expr_constant(graph, coefficient[i]),
                                 term[i]);

  /* neighbours are added until one is left */
  while (count > 1) {
    int half = count / 2;
    for (int i = 0; i < half; i++)
      part[i] = rattle_expr_binary(graph, RATTLE_OP_ADD, part[2 * i], part[2 * i + 1]);
    if (count % 2) part[half] = part[count - 1];
    count = half + count % 2;
  }
  rattle_expr e = part[0];
  free(part);
  return e;
}

unsigned rattle__depends(const rattle_graph *graph, rattle_expr e, const unsigned char *mask,
                         int masks, unsigned char *seen) {
  enum { KNOWN = 0x80, ALL = 0x7f };
  if (!rattle__valid(graph, e)) return 0;
  if (seen[e]) return seen[e] & ALL;
  rattle__stack path = {0};
  int ok = rattle__push(&path, e);
  while (ok && path.count > 0) {
    rattle_expr u = path.item[path.count - 1], child[2];
    int arity = rattle__operands(graph, u, child), next = 0;
    while (next < arity && seen[child[next]]) next++;
    if (next < arity) {
      ok = rattle__push(&path, child[next]);
      continue;
    }
    path.count--;
    unsigned kinds = KNOWN;
    int32_t index = rattle_expr_index(graph, u);
    if (index >= 0) kinds |= index < masks ? mask[index] & ALL : 1u;
    for (int k = 0; k < arity; k++) kinds |= seen[child[k]];
    seen[u] = (unsigned char)kinds;
  }
  free(path.item);
  if (!ok) seen[e] = 0;
  return ok ? seen[e] & ALL : RATTLE__NOT_KNOWN;
}
