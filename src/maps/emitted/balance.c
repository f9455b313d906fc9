/* Sums and products in the order in which their terms become known: a step waits for one operation
 * after the other, and the number that comes last should wait for one more only. A sum or product
 * that one other of its kind uses, and nothing else, is a part of that; of all terms the two that
 * are known first are joined, again and again. Numbers of the point and of the step are known
 * before those of the iteration, these after those of the part that assigns them.
 *
 * Parts 1 to 3 of a step, BEGIN, LOOK and NEWTON, are changed so. The end of a step begins the next
 * one, so that what it evaluates must have the bits of FIRST: the other parts stay as they are. */
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/walk.h"
#include "maps/emitted/emitted.h"

/* Cycles, of no more than relative weight. */
enum { FROM_PART = 1, TO_PART = 3 };
enum { EARLY = -10000, OF_A_PART = 100, SIMPLE = 4, QUOTIENT = 13, ROOT = 20, FUNCTION = 50 };

typedef struct term {
  rattle_expr e;
  int negative, known;
} term;

typedef struct balancer {
  rattle__emitted *e;
  rattle_graph *graph;
  rattle__walk walk;
  int *users, *known, *known_of_place; /* by places in the walk, from 0; by places of x */
  unsigned char *absorbed;
  rattle_expr *image;
  term *terms; /* scratch: of a sum or product, and what is to be opened */
} balancer;

/* 1: a sum, 2: a product, 0: another operation. */
static int kind(rattle_op op) {
  if (op == RATTLE_OP_ADD || op == RATTLE_OP_SUB || op == RATTLE_OP_NEG) return 1;
  return op == RATTLE_OP_MUL ? 2 : 0;
}

static int latency(rattle_op op) {
  if (kind(op) || op == RATTLE_OP_ABS || op == RATTLE_OP_MAX || op == RATTLE_OP_MIN) return SIMPLE;
  if (op == RATTLE_OP_DIV) return QUOTIENT;
  if (op == RATTLE_OP_SQRT) return ROOT;
  return op == RATTLE_OP_POWI ? SIMPLE : FUNCTION;
}

static size_t at(const balancer *b, rattle_expr e) {
  return rattle__place(&b->walk, e) - 1;
}

/* Who is used once, by an operation of its own kind. */
static void find_absorbed(balancer *b) {
  rattle_expr child[2];
  for (size_t i = 0; i < b->walk.count; i++)
    for (int k = rattle__operands(b->graph, b->walk.node[i], child); k-- > 0;)
      b->users[at(b, child[k])]++;
  for (size_t i = 0; i < b->walk.count; i++) {
    const int own = kind(rattle__op(b->graph, b->walk.node[i]));
    for (int k = rattle__operands(b->graph, b->walk.node[i], child); k-- > 0;) {
      const size_t c = at(b, child[k]);
      b->absorbed[c] = own && b->users[c] == 1 && kind(rattle__op(b->graph, child[k])) == own;
    }
  }
}

/* The terms of that sum or product, in b->terms; their number. */
static int gather(balancer *b, rattle_expr e) {
  term *open = b->terms + b->walk.count + 2;
  int count = 0, waiting = 0;
  open[waiting++] = (term){.e = e};
  while (waiting) {
    const term t = open[--waiting];
    const size_t place = at(b, t.e);
    if (t.e != e && !b->absorbed[place]) {
      b->terms[count++] = (term){b->image[place], t.negative, b->known[place]};
      continue;
    }
    rattle_expr child[2];
    const rattle_op op = rattle__op(b->graph, t.e);
    for (int k = rattle__operands(b->graph, t.e, child); k-- > 0;)
      open[waiting++] =
          (term){.e = child[k],
                 .negative = t.negative ^ (op == RATTLE_OP_NEG || (op == RATTLE_OP_SUB && k == 1))};
  }
  return count;
}

/* a b, where c (1/b) is not to become a quotient again. */
static rattle_expr product(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  if (!a || !b) return RATTLE_EXPR_NONE;
  const rattle_expr quotient = rattle__op(graph, a) == RATTLE_OP_DIV ? a : b,
                    other = quotient == a ? b : a;
  if (rattle__op(graph, quotient) == RATTLE_OP_DIV &&
      rattle__op(graph, other) == RATTLE_OP_CONSTANT)
    return rattle__intern(graph, RATTLE_OP_MUL, (uint64_t)other << 32 | quotient);
  return rattle_expr_binary(graph, RATTLE_OP_MUL, a, b);
}

static term join(const balancer *b, int is_product, term one, term other) {
  const int known = (one.known > other.known ? one.known : other.known) + SIMPLE;
  if (is_product) return (term){product(b->graph, one.e, other.e), 0, known};
  if (one.negative == other.negative)
    return (term){rattle_expr_binary(b->graph, RATTLE_OP_ADD, one.e, other.e), one.negative, known};
  return (term){one.negative ? rattle_expr_binary(b->graph, RATTLE_OP_SUB, other.e, one.e)
                             : rattle_expr_binary(b->graph, RATTLE_OP_SUB, one.e, other.e),
                0, known};
}

/* Takes the term out that is known first. */
static term take_first(term *terms, int *count) {
  int best = 0;
  for (int i = 1; i < *count; i++)
    if (terms[i].known < terms[best].known) best = i;
  const term found = terms[best];
  for (int i = best + 1; i < *count; i++) terms[i - 1] = terms[i];
  --*count;
  return found;
}

static void rebuild_list(balancer *b, size_t i, int is_product) {
  int count = gather(b, b->walk.node[i]);
  while (count > 1) {
    const term one = take_first(b->terms, &count), other = take_first(b->terms, &count);
    b->terms[count++] = join(b, is_product, one, other);
  }
  b->known[i] = b->terms[0].known;
  b->image[i] = b->terms[0].negative ? rattle_expr_unary(b->graph, RATTLE_OP_NEG, b->terms[0].e)
                                     : b->terms[0].e;
}

static void rebuild(balancer *b, size_t i) {
  const rattle_expr e = b->walk.node[i];
  const rattle_op op = rattle__op(b->graph, e);
  rattle_expr child[2];
  const int arity = rattle__operands(b->graph, e, child);
  if (b->absorbed[i]) return;
  if (kind(op)) {
    rebuild_list(b, i, kind(op) == 2);
    return;
  }
  b->known[i] = EARLY;
  if (op == RATTLE_OP_VARIABLE) b->known[i] = b->known_of_place[rattle_expr_index(b->graph, e)];
  for (int k = 0; k < arity; k++) {
    const size_t c = at(b, child[k]);
    child[k] = b->image[c];
    if (b->known[c] + latency(op) > b->known[i]) b->known[i] = b->known[c] + latency(op);
  }
  b->image[i] = arity == 0   ? e
                : arity == 1 ? rattle_expr_unary(b->graph, op, child[0])
                             : rattle_expr_binary(b->graph, op, child[0], child[1]);
}

/* The values of the parts, one after the other. */
static void rebuild_parts(balancer *b) {
  size_t done = 0;
  for (int k = 0; k < b->e->parts; k++) {
    rattle__part *p = &b->e->part[k];
    for (int j = 0; j < p->takes; j++) b->known_of_place[p->taken[2 * j]] = k * OF_A_PART;
    for (int j = 0; j < p->count; j++)
      for (const size_t end = at(b, p->value[j]) + 1; done < end; done++) rebuild(b, done);
    for (int j = 0; j < p->count && k + 1 < b->e->parts; j++)
      if (p->to[j] >= 0) b->known_of_place[p->to[j]] = b->known[at(b, p->value[j])];
    for (int j = 0; j < p->count && k >= FROM_PART && k <= TO_PART; j++) {
      p->value[j] = b->image[at(b, p->value[j])];
      b->e->failed |= !p->value[j];
    }
  }
}

static int take_memory(balancer *b) {
  const size_t count = b->walk.count + 1;
  b->users = calloc(count, sizeof *b->users);
  b->known = calloc(count, sizeof *b->known);
  b->known_of_place = calloc((size_t)b->e->places + 1, sizeof *b->known_of_place);
  b->absorbed = calloc(count, 1);
  b->image = calloc(count, sizeof *b->image);
  b->terms = calloc(3 * count + 6, sizeof *b->terms);
  return b->users && b->known && b->known_of_place && b->absorbed && b->image && b->terms;
}

/* A walk over the values of all parts. */
static int walk_all(balancer *b) {
  rattle__emitted *e = b->e;
  int roots = 0;
  for (int k = 0; k < e->parts; k++) roots += e->part[k].count;
  rattle_expr *root = calloc((size_t)roots + 1, sizeof *root), *next = root;
  for (int k = 0; k < e->parts && root; k++)
    for (int j = 0; j < e->part[k].count; j++) *next++ = e->part[k].value[j];
  const int failed = !root || rattle__walk_all(&b->walk, e->graph, root, roots, rattle__operands);
  free(root);
  return !failed;
}

/* Leaves out assignments of names that nobody reads; those of the last part are for the loop. */
static void drop_unread(const balancer *b) {
  for (int k = 0; k + 1 < b->e->parts; k++) {
    rattle__part *p = &b->e->part[k];
    int kept = 0;
    for (int j = 0; j < p->count; j++) {
      const rattle_expr name =
          p->to[j] < 0 ? RATTLE_EXPR_NONE : rattle_expr_variable(b->graph, p->to[j]);
      if (name && !rattle__place(&b->walk, name)) continue;
      p->value[kept] = p->value[j];
      p->to[kept++] = p->to[j];
    }
    p->count = kept;
  }
}

/* The same with what is still read, and what users there are. */
static int begin(balancer *b) {
  if (!walk_all(b)) return 0;
  drop_unread(b);
  rattle__walk_end(&b->walk);
  if (!walk_all(b) || !take_memory(b)) return 0;
  for (int k = 0; k < b->e->parts; k++)
    for (int j = 0; j < b->e->part[k].count; j++) b->users[at(b, b->e->part[k].value[j])]++;
  for (int j = 0; j < b->e->places; j++) b->known_of_place[j] = EARLY;
  find_absorbed(b);
  return 1;
}

void rattle__emitted_balance(rattle__emitted *e) {
  balancer b = {.e = e, .graph = e->graph};
  if (begin(&b))
    rebuild_parts(&b);
  else
    e->failed = 1;
  rattle__walk_end(&b.walk);
  free(b.users);
  free(b.known);
  free(b.known_of_place);
  free(b.absorbed);
  free(b.image);
  free(b.terms);
}
