/* Recognises constraints that are links without loops, and orders the links. */
#include "constraint/links/forest.h"

#include <string.h>

#include "problem/functions/distances.h"

enum { MOST_PAIRS = 4 };

/* Links while they are put in order: link k of the constraints joins the nodes end[2 k] and end[2 k
 * + 1]. */
typedef struct sketch {
  const rattle__function *g;
  const rattle__distances *b;
  int axes, nodes;
  int *node;     /* by its first column, -1: none [n] */
  int *column;   /* as above, with nodes in the order in which they are met [axes (n + m)] */
  int *end;      /* [2 m] */
  double *place; /* of fixed points, as column */
} sketch;

/* The node with these columns, a new one if none has them; -1: they are parts of others. */
static int node_of(sketch *s, const int *col) {
  const int known = s->node[col[0]];
  if (known >= 0)
    return memcmp(s->column + s->axes * known, col, (size_t)s->axes * sizeof *col) ? -1 : known;
  for (int d = 0; d < s->axes; d++) {
    if (s->node[col[d]] >= 0) return -1;
    s->column[s->axes * s->nodes + d] = col[d];
    s->node[col[d]] = s->nodes;
  }
  return s->nodes++;
}

/* A node for the fixed point of constraint k. */
static int point_of(sketch *s, int k) {
  for (int d = 0; d < s->axes; d++) {
    s->column[s->axes * s->nodes + d] = -1;
    s->place[s->axes * s->nodes + d] = s->b->point[s->g->jac_ptr[k] + d];
  }
  return s->nodes++;
}

static int find_ends(sketch *s, int k) {
  const int *ptr = s->g->jac_ptr, width = ptr[k + 1] - ptr[k], fixed = s->b->other[ptr[k]] < 0;
  int end[2][3], d = 0;
  if (width != (fixed ? 1 : 2) * s->axes) return 0;
  for (int e = ptr[k]; e < ptr[k + 1]; e++) {
    const int col = s->g->jac_col[e], other = s->b->other[e];
    if (other == col || (other < 0) != fixed) return 0;
    if (!fixed && other < col) continue;
    if (d == s->axes) return 0;
    end[0][d] = col;
    end[1][d++] = other;
  }
  if (d < s->axes) return 0;
  s->end[2 * k] = node_of(s, end[0]);
  s->end[2 * k + 1] = fixed ? point_of(s, k) : node_of(s, end[1]);
  return s->end[2 * k] >= 0 && s->end[2 * k + 1] >= 0;
}

/* The links at each node: those of k are link[ptr[k]] .. link[ptr[k + 1] - 1]. ptr [nodes + 2],
 * link [2 m]. */
static void find_links(const sketch *s, int m, int *ptr, int *link) {
  memset(ptr, 0, ((size_t)s->nodes + 2) * sizeof *ptr);
  for (int i = 0; i < 2 * m; i++) ptr[s->end[i] + 2]++;
  for (int k = 0; k < s->nodes; k++) ptr[k + 2] += ptr[k + 1];
  for (int i = 0; i < 2 * m; i++) link[ptr[s->end[i] + 1]++] = i / 2;
}

/* Links in the order in which they are met from the roots on, one tree after the other. */
typedef struct forest_walk {
  int *ptr, *link;
  int *order, *depth; /* of links, so many of them: */
  int count;
  int *from; /* the node from which a link was met */
  int *met;  /* of nodes: 1 */
} forest_walk;

/* The tree of a root; 0 if it closes a loop. */
static int walk_tree(forest_walk *w, const sketch *s, int root) {
  int done = w->count, node = root, depth = 0, above = -1;
  w->met[root] = 1;
  for (;;) {
    for (int i = w->ptr[node]; i < w->ptr[node + 1]; i++) {
      const int k = w->link[i], other = s->end[2 * k] == node ? s->end[2 * k + 1] : s->end[2 * k];
      if (k == above) continue;
      if (w->met[other]) return 0;
      w->met[other] = 1;
      w->from[k] = node;
      w->depth[k] = depth;
      w->order[w->count++] = k;
    }
    if (done == w->count) return 1;
    above = w->order[done++];
    node = s->end[2 * above] == w->from[above] ? s->end[2 * above + 1] : s->end[2 * above];
    depth = w->depth[above] + 1;
  }
}

/* All trees: fixed points are roots where a tree has one. */
static int walk_trees(forest_walk *w, const sketch *s) {
  for (int fixed = 1; fixed >= 0; fixed--)
    for (int k = 0; k < s->nodes; k++)
      if (!w->met[k] && (s->column[s->axes * k] < 0) == fixed && !walk_tree(w, s, k)) return 0;
  return 1;
}

/* By depth, the order of links of one depth being what it was. place [m + 1] and sorted [m] are
 * scratch. */
static void sort_by_depth(forest_walk *w, int m, int *place, int *sorted) {
  memset(place, 0, ((size_t)m + 1) * sizeof *place);
  for (int i = 0; i < m; i++) place[w->depth[i] + 1]++;
  for (int i = 0; i < m; i++) place[i + 1] += place[i];
  for (int i = 0; i < m; i++) sorted[place[w->depth[w->order[i]]]++] = w->order[i];
  memcpy(w->order, sorted, (size_t)m * sizeof *sorted);
}

/* Node k of the trees is node `old` of the sketch. */
static int take_node(rattle__forest *t, const sketch *s, const rattle__mass *mass, int k, int old) {
  const int *col = s->column + s->axes * old;
  for (int d = 0; d < s->axes; d++) {
    t->column[s->axes * k + d] = col[d];
    if (col[d] < 0)
      t->point[s->axes * k + d] = s->place[s->axes * old + d];
    else if (mass->diagonal[col[d]] != mass->diagonal[col[0]] || !(mass->diagonal[col[0]] > 0))
      return 0;
  }
  t->weight[k] = col[0] < 0 ? 0 : mass->diagonal[col[0]];
  return 1;
}

/* The links in order; place: the new number of each node of the sketch. */
static int lay(rattle__forest *t, const sketch *s, const forest_walk *w, const rattle__mass *mass,
               int *place) {
  int roots = 0;
  for (int k = 0; k < s->nodes; k++) place[k] = -1;
  for (int e = 0; e < t->m; e++) {
    const int k = w->order[e];
    place[s->end[2 * k] == w->from[k] ? s->end[2 * k + 1] : s->end[2 * k]] = e;
  }
  for (int k = 0; k < s->nodes; k++) {
    if (place[k] < 0) place[k] = t->m + roots++;
    if (!take_node(t, s, mass, place[k], k)) return 0;
  }
  for (int e = 0; e < t->m; e++) {
    const int k = w->order[e], u = place[w->from[k]];
    t->upper[e] = u;
    t->above[e] = u < t->m ? u : -1;
    t->first[e] = e > 0 && t->upper[e - 1] == u ? t->first[e - 1] : e;
    t->at[e] = t->pairs - t->first[e];
    if (t->weight[u] > 0)
      t->pairs += e - t->first[e];
    else
      t->first[e] = e; /* no entries */
    t->square[e] = s->b->square[k];
    t->c[e] = s->b->c[k];
    if (t->pairs > MOST_PAIRS * t->m) return 0;
  }
  return 1;
}

/* The arrays of the forest. */
static void take_arrays(rattle__forest *t, rattle__arena *arena) {
  const size_t m = (size_t)t->m, nodes = (size_t)t->nodes, D = (size_t)t->axes;
  const rattle__array arrays[] = {
      {&t->point, D * nodes}, {&t->weight, nodes}, {&t->square, m}, {&t->c, m}};
  int **const whole[] = {&t->upper, &t->above, &t->first, &t->at};
  RATTLE__LAY_OUT(arena, arrays);
  t->column = rattle__arena_take(arena, D * nodes * sizeof *t->column);
  for (int i = 0; i < 4; i++) *whole[i] = rattle__arena_take(arena, m * sizeof **whole[i]);
}

/* The sketch and the walk, memory being scratch. */
static int order(rattle__forest *t, sketch *s, forest_walk *w, const rattle__mass *mass,
                 rattle__arena *scratch, rattle__arena *arena) {
  const size_t m = (size_t)t->m, nodes = (size_t)s->nodes;
  int *place = rattle__arena_take(scratch, (nodes + m + 1) * sizeof *place);
  int *sorted = rattle__arena_take(scratch, m * sizeof *sorted);
  w->ptr = rattle__arena_take(scratch, (nodes + 2) * sizeof *w->ptr);
  w->link = rattle__arena_take(scratch, 2 * m * sizeof *w->link);
  w->order = rattle__arena_take(scratch, m * sizeof *w->order);
  w->depth = rattle__arena_take(scratch, m * sizeof *w->depth);
  w->from = rattle__arena_take(scratch, m * sizeof *w->from);
  w->met = rattle__arena_take(scratch, nodes * sizeof *w->met);
  if (scratch->failed) return 0;
  find_links(s, t->m, w->ptr, w->link);
  if (!walk_trees(w, s)) return 0;
  sort_by_depth(w, t->m, place, sorted);
  t->nodes = s->nodes;
  take_arrays(t, arena);
  return !arena->failed && lay(t, s, w, mass, place);
}

static int find(rattle__forest *t, sketch *s, const rattle_problem *problem, rattle__arena *scratch,
                rattle__arena *arena) {
  const size_t n = (size_t)problem->n, m = (size_t)problem->m;
  forest_walk w = {0};
  s->node = rattle__arena_take(scratch, n * sizeof *s->node);
  s->column = rattle__arena_take(scratch, (n + 3 * m) * sizeof *s->column);
  s->place = rattle__arena_doubles(scratch, n + 3 * m);
  s->end = rattle__arena_take(scratch, 2 * m * sizeof *s->end);
  if (scratch->failed) return 0;
  for (size_t k = 0; k < n; k++) s->node[k] = -1;
  for (int k = 0; k < t->m; k++)
    if (!find_ends(s, k)) return 0;
  return order(t, s, &w, problem->mass, scratch, arena);
}

int rattle__forest_find(rattle__forest *forest, const rattle_problem *problem,
                        rattle__arena *arena) {
  const rattle__function *g = problem->g;
  *forest = (rattle__forest){.m = problem->m};
  if (!(problem->flags & RATTLE_NATURAL) || problem->mass->value || !g->quadratic) return 0;
  rattle__arena scratch = {0}; /* what it takes to recognise distances goes when that is done */
  sketch s = {.g = g};
  int unlike;
  int found = !rattle__distances_create(&s.b, g, &scratch, &unlike, NULL);
  if (found) {
    const int width = g->jac_ptr[1] - g->jac_ptr[0];
    s.axes = forest->axes = s.b->other[0] < 0 ? width : width / 2;
    found = s.axes >= 2 && s.axes <= 3 && find(forest, &s, problem, &scratch, arena);
  }
  if (scratch.failed) arena->failed = 1;
  rattle__arena_release(&scratch);
  return found;
}
