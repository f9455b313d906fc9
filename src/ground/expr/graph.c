/* Storage of expression graphs: nodes, the hash table that makes equal nodes one, leaves, and
 * queries of nodes. */
#include "ground/expr/graph.h"

#include <stdlib.h>

#include "ground/support/error.h"
#include "ground/expr/elements.h"

enum { FIRST_ROOM = 64, FIRST_BITS = 7, MOST_USERS = 8 };

/* The arrays with room for so many nodes, those of an index only if there is one; 0 if there is no
 * memory. */
static int set_room(rattle_graph *graph, size_t room) {
  if (room < graph->room) graph->room = room;
  unsigned char *op = realloc(graph->op, room);
  if (op) graph->op = op;
  rattle__expr_key *key = realloc(graph->key, room * sizeof *key);
  if (key) graph->key = key;
  rattle__expr_users *user = graph->user ? realloc(graph->user, room * sizeof *user) : NULL;
  if (user) graph->user = user;
  if (!op || !key || (graph->user && !user)) return 0;
  graph->room = room;
  return 1;
}

rattle_status rattle_graph_create(rattle_graph **graph, rattle_error *error) {
  if (!graph)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_graph_create",
                        "no place for the graph was given");
  rattle_graph *made = calloc(1, sizeof *made);
  *graph = NULL;
  if (!made) return rattle__no_memory(error);
  if (!set_room(made, FIRST_ROOM)) {
    rattle_graph_destroy(&made);
    return rattle__no_memory(error);
  }
  made->op[RATTLE_EXPR_NONE] = RATTLE_OP_COUNT;
  made->key[RATTLE_EXPR_NONE] = (rattle__expr_key){{0, 0}};
  *graph = made;
  return RATTLE_OK;
}

static void drop_index(rattle_graph *graph) {
  free(graph->user);
  free(graph->table);
  graph->user = NULL;
  graph->table = NULL;
  graph->entries = 0;
}

void rattle_graph_destroy(rattle_graph **graph) {
  if (!graph || !*graph) return;
  drop_index(*graph);
  free((*graph)->op);
  free((*graph)->key);
  free((*graph)->input);
  free((*graph)->rival);
  free(*graph);
  *graph = NULL;
}

void rattle__graph_pack(rattle_graph *graph) {
  if (!graph->user) return;
  drop_index(graph);
  (void)set_room(graph, (size_t)graph->count + 1);
}

/* The finaliser of splitmix64 over key and operation. */
static uint32_t hash_of(rattle_op op, uint64_t key) {
  uint64_t z = key + ((uint64_t)op + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(z >> 32);
}

/* The first place from `at` on that is empty. */
static uint32_t empty_place(const rattle__expr_entry *table, uint32_t mask, uint32_t at) {
  while (table[at].e) at = (at + 1) & mask;
  return at;
}

/* Twice the table when it is two thirds full; 0 if there is no memory. */
static int grow_table(rattle_graph *graph) {
  const size_t size = (size_t)graph->mask + 1;
  if (((size_t)graph->entries + 1) * 3 <= size * 2) return 1;
  if (!graph->shift) return 0;
  rattle__expr_entry *table = calloc(2 * size, sizeof *table);
  if (!table) return 0;
  graph->mask = (uint32_t)(2 * size - 1);
  graph->shift--;
  for (size_t i = 0; i < size; i++) {
    const rattle__expr_entry entry = graph->table[i];
    if (entry.e) table[empty_place(table, graph->mask, entry.hash >> graph->shift)] = entry;
  }
  free(graph->table);
  graph->table = table;
  return 1;
}

static int is_node(const rattle_graph *graph, rattle_expr e, rattle_op op, uint64_t key) {
  const rattle__expr_key *k = &graph->key[e];
  return k->part[0] == (uint32_t)(key >> 32) && k->part[1] == (uint32_t)key && graph->op[e] == op;
}

/* The operand that an operation is listed with: the later one, but no constant, which may have any
 * number of users. */
static rattle_expr host(const rattle_graph *graph, rattle_expr a, rattle_expr b) {
  if (b && rattle__is_constant(graph, a)) return b;
  return b > a && !rattle__is_constant(graph, b) ? b : a;
}

/* The place of a node in the index, or the free place for it. */
typedef struct index_place {
  rattle_expr e;     /* the node, 0: there is none yet */
  rattle_expr *link; /* of a list: where its handle belongs; NULL: in the table */
  uint32_t hash;     /* in the table */
} index_place;

static index_place seek(const rattle_graph *graph, rattle_op op, uint64_t key) {
  if (rattle__arity(op) > 0) {
    rattle_expr *link = &graph->user[host(graph, (rattle_expr)(key >> 32), (rattle_expr)key)].first;
    for (int users = 0; users < MOST_USERS; users++, link = &graph->user[*link].next)
      if (!*link || is_node(graph, *link, op, key)) return (index_place){.e = *link, .link = link};
  }
  const uint32_t hash = hash_of(op, key);
  uint32_t at = hash >> graph->shift;
  while (graph->table[at].e &&
         !(graph->table[at].hash == hash && is_node(graph, graph->table[at].e, op, key)))
    at = (at + 1) & graph->mask;
  return (index_place){.e = graph->table[at].e, .hash = hash};
}

/* Node e, for which there is room, goes to its place; 0 if there is no memory. */
static int enter(rattle_graph *graph, const index_place *at, rattle_expr e) {
  if (!at->link && !grow_table(graph)) return 0;
  graph->user[e] = (rattle__expr_users){0};
  if (at->link) {
    *at->link = e;
    return 1;
  }
  graph->table[empty_place(graph->table, graph->mask, at->hash >> graph->shift)] =
      (rattle__expr_entry){.hash = at->hash, .e = e};
  graph->entries++;
  return 1;
}

/* The index of all nodes; 0 if there is no memory. */
static int make_index(rattle_graph *graph) {
  graph->mask = (1u << FIRST_BITS) - 1;
  graph->shift = 32 - FIRST_BITS;
  graph->user = calloc(graph->room, sizeof *graph->user);
  graph->table = calloc((size_t)graph->mask + 1, sizeof *graph->table);
  int made = graph->user && graph->table;
  for (rattle_expr e = 1; e <= graph->count && made; e++) {
    const uint32_t *part = graph->key[e].part;
    if (rattle__is_input(graph, e)) continue;
    const index_place at = seek(graph, rattle__op(graph, e), (uint64_t)part[0] << 32 | part[1]);
    made = enter(graph, &at, e);
  }
  if (!made) drop_index(graph);
  return made;
}

/* An index, and room for one node more; 0 if there is no memory. */
static int prepare(rattle_graph *graph) {
  if (!graph->user && !make_index(graph)) return 0;
  if ((size_t)graph->count + 1 < graph->room) return 1;
  return graph->count < UINT32_MAX / 2 - 1 && set_room(graph, 2 * graph->room);
}

rattle_expr rattle__intern(rattle_graph *graph, rattle_op op, uint64_t key) {
  if (!prepare(graph)) return RATTLE_EXPR_NONE;
  const index_place at = seek(graph, op, key);
  if (at.e) return at.e;
  const rattle_expr e = graph->count + 1;
  if (!enter(graph, &at, e)) return RATTLE_EXPR_NONE;
  graph->op[e] = (unsigned char)op;
  graph->ops |= UINT64_C(1) << op;
  graph->key[e] = (rattle__expr_key){{(uint32_t)(key >> 32), (uint32_t)key}};
  return graph->count = e;
}

rattle_expr rattle__constant_apart(rattle_graph *graph, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (!prepare(graph)) return RATTLE_EXPR_NONE;
  const rattle_expr e = graph->count + 1;
  graph->user[e] = (rattle__expr_users){0};
  graph->op[e] = RATTLE_OP_CONSTANT;
  graph->key[e] = (rattle__expr_key){{(uint32_t)(bits >> 32), (uint32_t)bits}};
  return graph->count = e;
}

rattle_expr rattle_expr_constant(rattle_graph *graph, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return rattle__intern(graph, RATTLE_OP_CONSTANT, bits);
}

rattle_expr rattle_expr_variable(rattle_graph *graph, int32_t index) {
  return index < 0 ? RATTLE_EXPR_NONE : rattle__intern(graph, RATTLE_OP_VARIABLE, (uint64_t)index);
}

rattle_op rattle_expr_op(const rattle_graph *graph, rattle_expr e) {
  return rattle__valid(graph, e) ? rattle__op(graph, e) : RATTLE_OP_COUNT;
}

rattle_expr rattle_expr_operand(const rattle_graph *graph, rattle_expr e, int which) {
  if (!rattle__valid(graph, e) || which < 0 || which >= rattle__arity(rattle__op(graph, e)))
    return RATTLE_EXPR_NONE;
  return which == 0 ? rattle__first(graph, e) : rattle__second(graph, e);
}

double rattle_expr_value(const rattle_graph *graph, rattle_expr e) {
  return rattle__valid(graph, e) && rattle__is_constant(graph, e) ? rattle__value(graph, e) : 0;
}

int32_t rattle_expr_index(const rattle_graph *graph, rattle_expr e) {
  return rattle__valid(graph, e) && rattle__op(graph, e) == RATTLE_OP_VARIABLE
             ? (int32_t)rattle__second(graph, e)
             : -1;
}

uint32_t rattle_graph_count(const rattle_graph *graph) {
  return graph->count;
}
