/* Storage of expression graphs: nodes, the hash table that makes equal nodes one, leaves, and queries of nodes. */
#include "expr/graph.h"

#include <stdlib.h>

#include "support/error.h"

enum { FIRST_ROOM = 64, FIRST_BITS = 7, MOST_USERS = 8 };

rattle_status rattle_graph_create(rattle_graph **graph, rattle_error *error) {
  if (!graph) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_graph_create", "no place for the graph was given");
  rattle_graph *made = calloc(1, sizeof *made);
  *graph = NULL;
  if (!made) return rattle__no_memory(error);
  made->room = FIRST_ROOM;
  made->mask = (1u << FIRST_BITS) - 1;
  made->shift = 32 - FIRST_BITS;
  made->node = calloc(made->room, sizeof *made->node);
  made->table = calloc((size_t)made->mask + 1, sizeof *made->table);
  if (!made->node || !made->table) {
    rattle_graph_destroy(&made);
    return rattle__no_memory(error);
  }
  made->node[RATTLE_EXPR_NONE].op = RATTLE_OP_COUNT;
  *graph = made;
  return RATTLE_OK;
}

void rattle_graph_destroy(rattle_graph **graph) {
  if (!graph || !*graph) return;
  free((*graph)->node);
  free((*graph)->table);
  free(*graph);
  *graph = NULL;
}

/* The finaliser of splitmix64 over key and operation. */
static uint32_t hash_of(rattle_op op, uint64_t key) {
  uint64_t z = key + ((uint64_t)op + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(z >> 32);
}

/* Room for one node more; 0 if there is no memory. */
static int grow_nodes(rattle_graph *graph) {
  if ((size_t)graph->count + 1 < graph->room) return 1;
  if (graph->count >= UINT32_MAX / 2 - 1) return 0;
  rattle__expr_node *node = realloc(graph->node, 2 * graph->room * sizeof *node);
  if (!node) return 0;
  graph->node = node;
  graph->room *= 2;
  return 1;
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
  const rattle__expr_node *node = &graph->node[e];
  return node->key[0] == (uint32_t)(key >> 32) && node->key[1] == (uint32_t)key && node->op == (uint32_t)op;
}

/* A node more, or none without memory. */
static rattle_expr append(rattle_graph *graph, rattle_op op, uint64_t key) {
  if (!grow_nodes(graph)) return RATTLE_EXPR_NONE;
  graph->node[++graph->count] = (rattle__expr_node){.op = (uint32_t)op, .key = {(uint32_t)(key >> 32), (uint32_t)key}};
  return graph->count;
}

static rattle_expr intern_in_table(rattle_graph *graph, rattle_op op, uint64_t key) {
  const uint32_t hash = hash_of(op, key);
  uint32_t at = hash >> graph->shift;
  for (rattle_expr e; (e = graph->table[at].e) != 0; at = (at + 1) & graph->mask)
    if (graph->table[at].hash == hash && is_node(graph, e, op, key)) return e;

  if (!grow_table(graph)) return RATTLE_EXPR_NONE;
  const rattle_expr e = append(graph, op, key);
  if (!e) return RATTLE_EXPR_NONE;
  graph->table[empty_place(graph->table, graph->mask, hash >> graph->shift)] = (rattle__expr_entry){.hash = hash, .e = e};
  graph->entries++;
  return e;
}

/* The operand that an operation is listed with: the later one, but no constant, which may have any number of users. */
static rattle_expr host(const rattle_graph *graph, rattle_expr a, rattle_expr b) {
  if (b && rattle__is_constant(graph, a)) return b;
  return b > a && !rattle__is_constant(graph, b) ? b : a;
}

rattle_expr rattle__intern(rattle_graph *graph, rattle_op op, uint64_t key) {
  if (rattle__arity(op) == 0) return intern_in_table(graph, op, key);
  const rattle_expr at = host(graph, (rattle_expr)(key >> 32), (rattle_expr)key);
  rattle_expr last = RATTLE_EXPR_NONE;
  int users = 0;
  for (rattle_expr e = graph->node[at].first_user; e; e = graph->node[e].next_user, users++) {
    if (is_node(graph, e, op, key)) return e;
    last = e;
  }
  if (users == MOST_USERS) return intern_in_table(graph, op, key);

  const rattle_expr e = append(graph, op, key);
  if (!e) return RATTLE_EXPR_NONE;
  *(last ? &graph->node[last].next_user : &graph->node[at].first_user) = e;
  return e;
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
  if (!rattle__valid(graph, e) || which < 0 || which >= rattle__arity(rattle__op(graph, e))) return RATTLE_EXPR_NONE;
  return which == 0 ? rattle__first(graph, e) : rattle__second(graph, e);
}

double rattle_expr_value(const rattle_graph *graph, rattle_expr e) {
  return rattle__valid(graph, e) && rattle__is_constant(graph, e) ? rattle__value(graph, e) : 0;
}

int32_t rattle_expr_index(const rattle_graph *graph, rattle_expr e) {
  return rattle__valid(graph, e) && rattle__op(graph, e) == RATTLE_OP_VARIABLE ? (int32_t)rattle__second(graph, e) : -1;
}

uint32_t rattle_graph_count(const rattle_graph *graph) {
  return graph->count;
}
