/* Elements and their families.
 *
 * A root with more than MANY variables is a sum of terms. Each is an element, but neighbours in the
 * same two or more variables, as in a/r^12 - b/r^6, are one, since they share operations. A smaller
 * root is an element by itself. The shape of an element is written as a key: one triple of integers
 * per node, operands first,
 *     (VARIABLE, slot, 0)   (CONSTANT, hole, 0)   (LITERAL, low bits, high bits)   (operation,
 *     triple, triple or 0)
 * where slots and holes are numbered as they first occur. Each occurrence of a constant has its own
 * hole, so that constants which happen to be equal do not split a family; a constant exponent is
 * part of the shape. Families are found by a hash of the key. The walk keeps its own stack: depth
 * is limited by memory alone. */
#include "ground/expr/family.h"

#include "ground/expr/inputs.h"
#include "ground/expr/walk.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/widen.h"

enum { MANY = 16, TOGETHER = 8, LITERAL = -1 };

typedef struct frame {
  rattle_expr e;
  int stage, arg[2];
} frame;

/* A node that was visited, and its triple. */
typedef struct mark {
  rattle_expr e;
  uint32_t walk; /* in which: others are as good as empty */
  int local;
} mark;

typedef struct walk {
  const rattle_graph *graph;
  mark *mark; /* [marks] the nodes visited, a hash table that is at most half full */
  size_t marks, marked;
  uint32_t now; /* the walk */
  frame *stack;
  size_t depth, stack_room;
  int *key;
  size_t key_length, key_room;
  int *column; /* of each slot */
  size_t slots, slot_room;
  double *hole;
  rattle_expr *input; /* of each hole, NONE: a number */
  size_t holes, hole_room, input_room;
  const rattle__build *build;
  size_t written; /* nodes of all shapes */
  size_t *bucket; /* hash table: family + 1, 0 if empty */
  size_t buckets;
} walk;

static void begin(walk *w) {
  if (!++w->now) { /* the counter went round */
    memset(w->mark, 0, w->marks * sizeof *w->mark);
    w->now = 1;
  }
  w->marked = w->depth = w->key_length = w->slots = w->holes = 0;
}

/* The entry of e in the hash table of marks, or the free entry for it. */
static mark *place_of(const walk *w, rattle_expr e) {
  size_t at = (size_t)(e * UINT32_C(0x9e3779b1)) & (w->marks - 1);
  while (w->mark[at].walk == w->now && w->mark[at].e != e) at = (at + 1) & (w->marks - 1);
  return &w->mark[at];
}

/* NULL: not visited in this walk. */
static const mark *visited(const walk *w, rattle_expr e) {
  const mark *m = w->marks ? place_of(w, e) : NULL;
  return m && m->walk == w->now ? m : NULL;
}

/* Marks e, which was not visited; 0 without memory. */
static int visit(walk *w, rattle_expr e, int local) {
  if (2 * (w->marked + 1) > w->marks) {
    const walk old = *w;
    w->marks = old.marks ? 2 * old.marks : 64;
    if (!(w->mark = calloc(w->marks, sizeof *w->mark))) {
      w->mark = old.mark, w->marks = old.marks;
      return 0;
    }
    for (size_t k = 0; k < old.marks; k++)
      if (old.mark[k].walk == w->now) *place_of(w, old.mark[k].e) = old.mark[k];
    free(old.mark);
  }
  *place_of(w, e) = (mark){.e = e, .walk = w->now, .local = local};
  w->marked++;
  return 1;
}

/* The variables of an expression, ascending; count = MANY + 1 if there are more than MANY. */
typedef struct variables {
  int count;
  int32_t index[MANY + 1];
} variables;

static void insert(variables *v, int32_t index) {
  int k = v->count++;
  for (; k > 0 && v->index[k - 1] > index; k--) v->index[k] = v->index[k - 1];
  v->index[k] = index;
}

/* Adds those of e, unless they were found in this walk; examines no more than needed. 0 or -1
 * without memory. */
static int add_variables(walk *w, rattle_expr e, variables *v) {
  w->depth = 0;
  for (;;) {
    if (!visited(w, e)) {
      if (!visit(w, e, 0)) return -1;
      if (rattle_expr_op(w->graph, e) == RATTLE_OP_VARIABLE)
        insert(v, rattle_expr_index(w->graph, e));
      if (v->count > MANY) return 0;
      for (int k = 0; k < 2; k++) {
        rattle_expr operand = rattle_expr_operand(w->graph, e, k);
        if (!operand || visited(w, operand)) continue;
        if (!rattle__widen(&w->stack, w->depth + 1, &w->stack_room, sizeof *w->stack)) return -1;
        w->stack[w->depth++].e = operand;
      }
    }
    if (!w->depth) return 0;
    e = w->stack[--w->depth].e;
  }
}

static int find_variables(walk *w, rattle_expr e, variables *v) {
  v->count = 0;
  begin(w);
  return add_variables(w, e, v);
}

static int are_same(const variables *a, const variables *b) {
  return a->count == b->count && a->count <= MANY &&
         !memcmp(a->index, b->index, (size_t)a->count * sizeof *a->index);
}

static int triple(walk *w, int op, int a, int b) {
  if (!rattle__widen(&w->key, w->key_length + 3, &w->key_room, sizeof *w->key)) return -1;
  int *key = w->key + w->key_length;
  key[0] = op, key[1] = a, key[2] = b;
  w->key_length += 3;
  return (int)(w->key_length / 3) - 1;
}

/* Column of a variable, or -1. */
static int column_of(const rattle__build *build, int32_t index) {
  return index >= 0 && index < build->places && build->place[index] < build->vars
             ? build->place[index]
             : -1;
}

static int new_hole(walk *w, double value, rattle_expr input) {
  if (!rattle__widen(&w->hole, w->holes + 1, &w->hole_room, sizeof *w->hole) ||
      !rattle__widen(&w->input, w->holes + 1, &w->input_room, sizeof *w->input))
    return -1;
  w->hole[w->holes] = value;
  w->input[w->holes] = input;
  return (int)w->holes++;
}

/* Triple of a leaf; -1 without memory, -2 for a variable without a column. */
static int leaf(walk *w, rattle_expr e, int is_literal) {
  if (rattle_expr_op(w->graph, e) == RATTLE_OP_VARIABLE) {
    int column = column_of(w->build, rattle_expr_index(w->graph, e));
    if (column < 0) return -2;
    if (!rattle__widen(&w->column, w->slots + 1, &w->slot_room, sizeof *w->column)) return -1;
    w->column[w->slots] = column;
    const int at = triple(w, RATTLE_OP_VARIABLE, (int)w->slots++, 0);
    return at >= 0 && visit(w, e, at) ? at : -1;
  }
  double value = rattle_expr_value(w->graph, e);
  if (is_literal) {
    int bits[2];
    memcpy(bits, &value, sizeof bits);
    return triple(w, LITERAL, bits[0], bits[1]);
  }
  int hole = new_hole(w, value, rattle__input_number(w->graph, e) >= 0 ? e : RATTLE_EXPR_NONE);
  return hole < 0 ? -1 : triple(w, RATTLE_OP_CONSTANT, hole, 0);
}

static int push(walk *w, rattle_expr e) {
  if (!rattle__widen(&w->stack, w->depth + 1, &w->stack_room, sizeof *w->stack)) return 0;
  w->stack[w->depth++] = (frame){.e = e};
  return 1;
}

/* Appends key, columns and holes of e. Returns the triple of e; for a leaf, the result of
 * leaf(). */
static int canonicalise(walk *w, rattle_expr e) {
  rattle_op op = rattle_expr_op(w->graph, e);
  if (op == RATTLE_OP_CONSTANT) return leaf(w, e, 0);
  const mark *known = visited(w, e);
  if (known) return known->local;
  if (op == RATTLE_OP_VARIABLE) return leaf(w, e, 0);
  if (!push(w, e)) return -1;
  int at = -1;
  while (w->depth) {
    frame *f = &w->stack[w->depth - 1];
    op = rattle_expr_op(w->graph, f->e);
    rattle_expr operand =
        f->stage < 2 ? rattle_expr_operand(w->graph, f->e, f->stage) : RATTLE_EXPR_NONE;
    if (operand) { /* its next operand: known, a leaf, or to be walked first */
      rattle_op below = rattle_expr_op(w->graph, operand);
      if (below == RATTLE_OP_CONSTANT) {
        at = leaf(w, operand, f->stage == 1 && (op == RATTLE_OP_POW || op == RATTLE_OP_POWI));
      } else if ((known = visited(w, operand))) {
        at = known->local;
      } else if (below != RATTLE_OP_VARIABLE) {
        if (!push(w, operand)) return -1;
        continue;
      } else {
        at = leaf(w, operand, 0);
      }
      if (at < 0) return at;
      f->arg[f->stage++] = at;
      continue;
    }
    at = triple(w, (int)op, f->arg[0], f->stage == 2 ? f->arg[1] : 0);
    if (at < 0 || !visit(w, f->e, at)) return -1;
    w->depth--;
  }
  return at;
}

/* An element: hole 0 times one term, or 1 times a sum of terms that have holes as coefficients. 0,
 * or what leaf says. */
static int canonicalise_all(walk *w, const double *coefficient, const rattle_expr *term,
                            int count) {
  begin(w);
  if (new_hole(w, count == 1 ? coefficient[0] : 1, RATTLE_EXPR_NONE) < 0) return -1;
  int sum = -1;
  for (int k = 0; k < count; k++) {
    int at = canonicalise(w, term[k]);
    if (at < 0 || count == 1) return at < 0 ? at : 0;
    int hole = new_hole(w, coefficient[k], RATTLE_EXPR_NONE);
    int factor = hole < 0 ? -1 : triple(w, RATTLE_OP_CONSTANT, hole, 0);
    at = factor < 0 ? -1 : triple(w, RATTLE_OP_MUL, factor, at);
    sum = at < 0 || k == 0 ? at : triple(w, RATTLE_OP_ADD, sum, at);
    if (sum < 0) return -1;
  }
  return 0;
}

static size_t hash(const int *key, size_t length) {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < length; i++) {
    h = (h ^ (uint32_t)key[i]) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return (size_t)h;
}

/* Twice the buckets when more than half are taken. */
static int rehash(walk *w, const rattle__elements *elements) {
  if (w->buckets > 2 * (size_t)elements->families) return 1;
  size_t buckets = w->buckets ? 4 * w->buckets : 64;
  size_t *bucket = calloc(buckets, sizeof *bucket);
  if (!bucket) return 0;
  for (int k = 0; k < elements->families; k++) {
    const rattle__family *family = &elements->family[k];
    size_t at = hash(family->key, (size_t)family->key_length) & (buckets - 1);
    while (bucket[at]) at = (at + 1) & (buckets - 1);
    bucket[at] = (size_t)k + 1;
  }
  free(w->bucket);
  w->bucket = bucket;
  w->buckets = buckets;
  return 1;
}

/* The family of the element just canonicalised, made if there is none; NULL without memory. */
static rattle__family *find(walk *w, rattle__elements *elements) {
  if (!rehash(w, elements)) return NULL;
  size_t at = hash(w->key, w->key_length) & (w->buckets - 1);
  for (; w->bucket[at]; at = (at + 1) & (w->buckets - 1)) {
    rattle__family *family = &elements->family[w->bucket[at] - 1];
    if ((size_t)family->key_length == w->key_length &&
        !memcmp(family->key, w->key, w->key_length * sizeof *w->key))
      return family;
  }
  size_t room = (size_t)elements->room;
  if (!rattle__widen(&elements->family, (size_t)elements->families + 1, &room,
                     sizeof *elements->family))
    return NULL;
  elements->room = (int)room;
  rattle__family *family = &elements->family[elements->families];
  *family = (rattle__family){
      .key_length = (int)w->key_length, .slots = (int)w->slots, .holes = (int)w->holes};
  if (!(family->key = malloc(w->key_length * sizeof *family->key))) return NULL;
  memcpy(family->key, w->key, w->key_length * sizeof *family->key);
  w->bucket[at] = (size_t)++elements->families;
  return family;
}

/* Room for one instance more; 0 without memory. */
static int widen(rattle__family *family, const rattle_graph *graph) {
  if (family->count < family->room) return 1;
  size_t room = family->room ? 2 * (size_t)family->room : 1;
  int *slot = realloc(family->slot, (room * (size_t)family->slots + 1) * sizeof *slot);
  if (slot) family->slot = slot;
  double *hole = realloc(family->hole, room * (size_t)family->holes * sizeof *hole);
  if (hole) family->hole = hole;
  rattle_expr *input = rattle__graph_inputs(graph)
                           ? realloc(family->input, room * (size_t)family->holes * sizeof *input)
                           : NULL;
  if (input) family->input = input;
  int *row = realloc(family->row, room * sizeof *row);
  if (row) family->row = row;
  if (!slot || !hole || !row || (rattle__graph_inputs(graph) && !input)) return 0;
  family->room = (int)room;
  return 1;
}

/* Shapes are derived one by one: terms that share long parts take the square of their length. */
static rattle_status check_written(walk *w, const rattle__family *family, rattle_error *error) {
  if (family->count == 0) w->written += w->key_length / 3;
  const size_t most = RATTLE__REPEATED * (size_t)(rattle_graph_count(w->graph) + 1);
  if (w->written <= RATTLE__WRITTEN || w->written < most) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "the terms of a sum of many variables share parts, and have more than %d "
                      "operations if each term is written by itself, %d times as many as the "
                      "model: shorten what they share, or make it a coordinate with a constraint",
                      RATTLE__WRITTEN, RATTLE__REPEATED);
}

static rattle_status add(walk *w, rattle__elements *elements, const double *coefficient,
                         const rattle_expr *term, int count, int row, rattle_error *error) {
  int failed = canonicalise_all(w, coefficient, term, count);
  if (failed == -2)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                        "an expression has a variable that must not occur in it");
  rattle__family *family = failed ? NULL : find(w, elements);
  if (!family || !widen(family, w->graph)) return rattle__no_memory(error);
  const rattle_status status = check_written(w, family, error);
  if (status) return status;
  int i = family->count++;
  if (w->slots)
    memcpy(family->slot + (size_t)i * w->slots, w->column, w->slots * sizeof *w->column);
  memcpy(family->hole + (size_t)i * w->holes, w->hole, w->holes * sizeof *w->hole);
  if (family->input)
    memcpy(family->input + (size_t)i * w->holes, w->input, w->holes * sizeof *w->input);
  family->row[i] = row;
  return RATTLE_OK;
}

/* Terms, neighbours in the same variables together. */
static rattle_status add_terms(walk *w, rattle__elements *elements, const double *coefficient,
                               const rattle_expr *term, int count, int row, rattle_error *error) {
  variables these = {0}, next;
  int first = 0;
  for (int k = 0; k < count; k++) {
    if (find_variables(w, term[k], &next)) return rattle__no_memory(error);
    int together = k - first;
    if (together && !(next.count >= 2 && together < TOGETHER && are_same(&these, &next))) {
      rattle_status status =
          add(w, elements, coefficient + first, term + first, together, row, error);
      if (status) return status;
      first = k;
    }
    these = next;
  }
  return first < count
             ? add(w, elements, coefficient + first, term + first, count - first, row, error)
             : RATTLE_OK;
}

/* Families of terms are summed one after the other; which terms are of one family depends on the
 * values of their coefficients. */
static rattle_status refuse_inputs(const rattle_graph *graph, rattle_error *error) {
  if (!rattle__graph_inputs(graph)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, "inputs",
                      "an expression has more than %d variables: read the model anew", MANY);
}

/* True if the terms share long parts and couple the variables as the whole does, as the kinetic
 * energy of a chain of bodies, whose terms are sweeps along it. -1: no memory. */
static int share(walk *w, rattle_expr root, const rattle_expr *term, int count) {
  rattle__walk all;
  if (rattle__walk_begin(&all, w->graph, root, rattle__operands)) return -1;
  const size_t most = 2 * all.count + 32 * (size_t)count;
  double whole = 0, coupled = 0;
  for (size_t i = 0; i < all.count; i++) whole += rattle_expr_index(w->graph, all.node[i]) >= 0;
  rattle__walk_end(&all);
  for (int i = 0; i < count; i++) {
    variables own;
    if (find_variables(w, term[i], &own)) return -1;
    coupled += (double)own.count * own.count;
  }
  return coupled >= whole * whole && !rattle__walks_within(w->graph, term, count, most);
}

/* One root, whole or as terms; zeros add nothing. */
static rattle_status split(walk *w, rattle__elements *elements, rattle_graph *graph,
                           rattle_expr root, int row, rattle_error *error) {
  if (root == RATTLE_EXPR_NONE) return rattle__no_memory(error);
  if (rattle_expr_op(graph, root) == RATTLE_OP_CONSTANT && rattle_expr_value(graph, root) == 0 &&
      rattle__input_number(graph, root) < 0)
    return RATTLE_OK;
  variables of_root;
  if (find_variables(w, root, &of_root)) return rattle__no_memory(error);
  if (of_root.count <= MANY) return add(w, elements, (const double[]){1}, &root, 1, row, error);
  double *coefficient = NULL;
  rattle_expr *term = NULL;
  int count = 0;
  rattle_status status = refuse_inputs(graph, error);
  if (!status) status = rattle__terms(graph, root, &coefficient, &term, &count, error);
  const int whole = status ? 0 : share(w, root, term, count);
  if (!status)
    status = whole < 0 ? rattle__no_memory(error)
             : whole   ? add(w, elements, (const double[]){1}, &root, 1, row, error)
                       : add_terms(w, elements, coefficient, term, count, row, error);
  free(coefficient), free(term);
  return status;
}

static void release(walk *w) {
  free(w->mark);
  free(w->stack);
  free(w->key);
  free(w->column);
  free(w->hole);
  free(w->input);
  free(w->bucket);
}

rattle_status rattle__families_collect(rattle__elements *elements, rattle_graph *graph,
                                       const rattle_expr *root, int rows,
                                       const rattle__build *build, rattle_error *error) {
  walk w = {.graph = graph, .build = build};
  rattle_status status = RATTLE_OK;
  for (int row = 0; row < rows && !status; row++)
    status = split(&w, elements, graph, root[row], row, error);
  release(&w);
  return status;
}

/* True if the terms together have more than MANY variables; -1 without memory. */
static int are_of_many(walk *w, const rattle_expr *term, int count) {
  variables all = {0};
  begin(w);
  for (int i = 0; i < count && all.count <= MANY; i++)
    if (add_variables(w, term[i], &all)) return -1;
  return all.count > MANY;
}

/* A constant over something takes its coefficient in, as in an expression of the graph. */
static rattle_status take_in(rattle_graph *graph, double *coefficient, rattle_expr *term,
                             rattle_error *error) {
  if (*coefficient == 1 || rattle_expr_op(graph, *term) != RATTLE_OP_DIV ||
      rattle_expr_op(graph, rattle_expr_operand(graph, *term, 0)) != RATTLE_OP_CONSTANT)
    return RATTLE_OK;
  const rattle_expr e =
      rattle_expr_binary(graph, RATTLE_OP_MUL, rattle_expr_constant(graph, *coefficient), *term);
  if (!e) return rattle__no_memory(error);
  if (rattle_expr_op(graph, e) == RATTLE_OP_DIV) *coefficient = 1, *term = e;
  return RATTLE_OK;
}

rattle_status rattle__families_collect_sum(rattle__elements *elements, rattle_graph *graph,
                                           double *coefficient, rattle_expr *term, int count,
                                           const rattle__build *build, rattle_error *error) {
  walk w = {.graph = graph, .build = build};
  const int many = are_of_many(&w, term, count);
  rattle_status status = many < 0   ? rattle__no_memory(error)
                         : many > 0 ? refuse_inputs(graph, error)
                                    : RATTLE_OK;
  if (!many)
    status = split(&w, elements, graph, rattle__sum(graph, coefficient, term, count), 0, error);
  for (int i = 0; i < count && many > 0 && !status; i++)
    status = take_in(graph, &coefficient[i], &term[i], error);
  if (many > 0 && !status) status = add_terms(&w, elements, coefficient, term, count, 0, error);
  release(&w);
  return status;
}
