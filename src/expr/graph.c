/* Storage of expression graphs: nodes, the hash table that makes equal nodes one, leaves, and queries of nodes. */
#include "expr/graph.h"

#include <stdlib.h>

#include "support/error.h"

enum { FIRST_ROOM = 64 };

rattle_status rattle_graph_create(rattle_graph **graph, rattle_error *error) {
  if (!graph) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_graph_create", "no place for the graph was given");
  rattle_graph *made = calloc(1, sizeof *made);
  *graph = NULL;
  if (!made) return rattle__no_memory(error);
  made->room = FIRST_ROOM;
  made->mask = 2 * FIRST_ROOM - 1;
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

/* Keeps the table at most half full; 0 if there is no memory. */
static int grow_table(rattle_graph *graph) {
  size_t size = (size_t)graph->mask + 1;
  if (((size_t)graph->count + 1) * 2 <= size) return 1;
  rattle_expr *table = calloc(2 * size, sizeof *table);
  if (!table) return 0;
  uint32_t mask = (uint32_t)(2 * size - 1);
  for (rattle_expr e = 1; e <= graph->count; e++) {
    uint32_t at = graph->node[e].hash & mask;
    while (table[at]) at = (at + 1) & mask;
    table[at] = e;
  }
  free(graph->table);
  graph->table = table;
  graph->mask = mask;
  return 1;
}

rattle_expr rattle__intern(rattle_graph *graph, rattle_op op, uint64_t key) {
  uint32_t hash = hash_of(op, key), at = hash & graph->mask;
  for (rattle_expr e; (e = graph->table[at]) != 0; at = (at + 1) & graph->mask) {
    const rattle__expr_node *node = &graph->node[e];
    if (node->hash == hash && node->key == key && node->op == (uint32_t)op) return e;
  }

  uint32_t mask = graph->mask;
  if (!grow_nodes(graph) || !grow_table(graph)) return RATTLE_EXPR_NONE;
  if (graph->mask != mask) {
    at = hash & graph->mask;
    while (graph->table[at]) at = (at + 1) & graph->mask;
  }
  rattle_expr e = ++graph->count;
  graph->node[e] = (rattle__expr_node){.hash = hash, .op = (uint32_t)op, .key = key};
  graph->table[at] = e;
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
  return rattle__valid(graph, e) && rattle__op(graph, e) == RATTLE_OP_VARIABLE ? (int32_t)graph->node[e].key : -1;
}

uint32_t rattle_graph_count(const rattle_graph *graph) {
  return graph->count;
}
