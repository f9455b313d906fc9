/* Recognises constraints that are the links of one chain, in their order, and finds the places of
 * its nodes in q. */
#include "constraint/links/path.h"

#include "problem/functions/distances.h"

static int width(const rattle__function *g, int r) {
  return g->jac_ptr[r + 1] - g->jac_ptr[r];
}

/* By the pattern alone: rows of two particles in a plane or in space, but for the first and the
 * last, which may have one. */
static int may_be_path(const rattle__function *g) {
  const int m = g->rows, axes = m > 2 ? width(g, 1) / 2 : 0;
  if (axes < 2 || axes > 3 || !g->quadratic) return 0;
  for (int r = 0; r < m; r++)
    if (width(g, r) != 2 * axes && !((r == 0 || r == m - 1) && width(g, r) == axes)) return 0;
  return 1;
}

/* The columns of the ends of row r, axis by axis: those of smaller columns in end[0], the others in
 * end[1]. */
static int ends_of(const rattle__function *g, const rattle__distances *b, int r, int axes,
                   int end[2][3]) {
  int d = 0;
  for (int e = g->jac_ptr[r]; e < g->jac_ptr[r + 1]; e++) {
    if (b->other[e] == g->jac_col[e] || b->other[e] < 0) return 0;
    if (b->other[e] < g->jac_col[e]) continue;
    if (d == axes) return 0;
    end[0][d] = g->jac_col[e];
    end[1][d++] = b->other[e];
  }
  return d == axes;
}

static int same(const int a[3], const int b[3], int axes) {
  for (int d = 0; d < axes; d++)
    if (a[d] != b[d]) return 0;
  return 1;
}

/* base and stride, from links 1 and 2. */
static int find_columns(rattle__path *p, const rattle__function *g, const rattle__distances *b) {
  int one[2][3], two[2][3];
  if (!ends_of(g, b, 1, p->axes, one)) return 0;
  if (p->links > 3 && !ends_of(g, b, 2, p->axes, two)) return 0;
  const int up = p->links > 3 && same(one[1], two[0], p->axes);
  if (!up && !(p->links > 3 && same(one[0], two[1], p->axes))) return 0;
  for (int d = 0; d < p->axes; d++) {
    p->stride[d] = up ? one[1][d] - one[0][d] : one[0][d] - one[1][d];
    p->base[d] = one[up ? 0 : 1][d] - p->stride[d];
  }
  return 1;
}

static int column(const rattle__path *p, int node, int d) {
  return p->base[d] + p->stride[d] * node;
}

/* True if row r joins two nodes. */
static int joins(const rattle__path *p, const rattle__function *g, const rattle__distances *b,
                 int r, int from, int to) {
  int end[2][3];
  if (!ends_of(g, b, r, p->axes, end)) return 0;
  for (int d = 0; d < p->axes; d++) {
    const int near = column(p, from, d), far = column(p, to, d);
    if (end[0][d] != (near < far ? near : far) || end[1][d] != (near < far ? far : near)) return 0;
  }
  return 1;
}

/* True if row r joins a point and the node next to it: last 1, the node r; else the node r+1. */
static int hangs(rattle__path *p, const rattle__function *g, const rattle__distances *b, int r,
                 int last) {
  p->fixed[last] = 1;
  for (int e = g->jac_ptr[r], d = 0; d < p->axes; d++, e++) {
    int axis = 0;
    while (axis < p->axes && column(p, last ? r : r + 1, axis) != g->jac_col[e]) axis++;
    if (axis == p->axes || b->other[e] >= 0) return 0;
    p->point[last][axis] = b->point[e];
  }
  return 1;
}

static int is_path(rattle__path *p, const rattle__function *g, const rattle__distances *b) {
  const int m = g->rows;
  if (!find_columns(p, g, b)) return 0;
  p->c = b->c[0];
  p->ring = joins(p, g, b, m - 1, m - 1, 0) ? 1 : joins(p, g, b, 0, m, 1) ? -1 : 0;
  for (int r = 0; r < m; r++) {
    const int point = width(g, r) == p->axes, near = p->ring < 0 && r == 0 ? m : r,
              far = p->ring > 0 && r == m - 1 ? 0 : r + 1;
    if (point ? !hangs(p, g, b, r, r > 0) : !joins(p, g, b, r, near, far)) return 0;
    if (b->c[r] != p->c) return 0;
  }
  return g->vars == rattle__path_columns(p);
}

static int take_masses(rattle__path *p, const rattle__mass *mass) {
  for (int k = p->fixed[0] + (p->ring < 0); k <= p->links - p->fixed[1] - (p->ring > 0); k++) {
    p->inverse[k] = mass->diagonal[column(p, k, 0)];
    if (!(p->inverse[k] > 0)) return 0;
    for (int d = 1; d < p->axes; d++)
      if (mass->diagonal[column(p, k, d)] != p->inverse[k]) return 0;
  }
  if (p->ring > 0) p->inverse[p->links] = p->inverse[0];
  if (p->ring < 0) p->inverse[0] = p->inverse[p->links];
  return 1;
}

int rattle__path_find(rattle__path *path, const rattle_problem *problem, rattle__arena *arena) {
  const rattle__function *g = problem->g;
  *path = (rattle__path){.links = g->rows};
  if (!(problem->flags & RATTLE_NATURAL) || problem->mass->value || !may_be_path(g)) return 0;
  path->axes = width(g, 1) / 2;
  rattle__arena scratch = {0}; /* what it takes to recognise distances goes when that is done */
  const rattle__distances *b;
  int unlike;
  const int distances = !rattle__distances_create(&b, g, &scratch, &unlike, NULL);
  int found = distances && is_path(path, g, b);
  if (scratch.failed) arena->failed = 1;
  if (found) {
    path->square = rattle__arena_doubles(arena, (size_t)path->links);
    path->inverse = rattle__arena_doubles(arena, (size_t)path->links + 1);
    found = !arena->failed && take_masses(path, problem->mass);
    for (int i = 0; i < path->links && found; i++) path->square[i] = b->square[i];
  }
  rattle__arena_release(&scratch);
  return found;
}
