/* Cells as large as the reach of a pair; a bead's neighbours are in its own cell and those around
 * it. */
#include "ground/pairs/neighbours.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cells {
  const rattle__vicinity *v;
  int count[3], total;
  double low[3], per_edge[3];
} cells;

rattle__neighbours *rattle__neighbours_create(int beads) {
  rattle__neighbours *list = calloc(1, sizeof *list);
  if (!list) return NULL;
  const size_t n = (size_t)beads;
  list->x = malloc(3 * n * sizeof *list->x);
  list->first = calloc(n + 1, sizeof *list->first);
  list->cell = malloc(n * sizeof *list->cell);
  list->order = malloc(n * sizeof *list->order);
  if (list->x && list->first && list->cell && list->order) return list;
  rattle__neighbours_destroy(list);
  return NULL;
}

void rattle__neighbours_destroy(rattle__neighbours *list) {
  if (!list) return;
  free(list->x);
  free(list->first);
  free(list->j);
  free(list->cell);
  free(list->begin);
  free(list->order);
  free(list);
}

/* As many cells as edges of at least the reach permit, about one for each bead at most; a bead far
 * away makes them large. */
static void choose_cells(cells *c, const rattle__vicinity *v, const double *x) {
  c->v = v;
  double wanted[3];
  const double most = cbrt(2.0 * v->beads) + 2;
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < v->beads && v->box[d] == 0; i++) {
      low = fmin(low, x[3 * i + d]);
      high = fmax(high, x[3 * i + d]);
    }
    c->low[d] = v->box[d] > 0 ? 0 : low;
    wanted[d] = v->box[d] > 0 ? v->box[d] : high - low;
    c->count[d] = (int)fmax(1, floor(fmin(wanted[d] / v->reach, most * most)));
  }
  while ((double)c->count[0] * c->count[1] * c->count[2] > 4.0 * v->beads + 64) {
    int widest = 0;
    for (int d = 1; d < 3; d++)
      if (c->count[d] > c->count[widest]) widest = d;
    c->count[widest] = (c->count[widest] + 1) / 2;
  }
  c->total = c->count[0] * c->count[1] * c->count[2];
  for (int d = 0; d < 3; d++) c->per_edge[d] = wanted[d] > 0 ? c->count[d] / wanted[d] : 0;
}

/* Along a periodic axis fewer than three cells would be around one another twice. */
static int few_cells(const cells *c) {
  for (int d = 0; d < 3; d++)
    if (c->v->box[d] > 0 && c->count[d] < 3) return 1;
  return 0;
}

static int cell_along(const cells *c, int d, double x) {
  double place = (x - c->low[d]) * c->per_edge[d];
  if (c->v->box[d] > 0) place -= c->count[d] * floor(place / c->count[d]);
  return (int)fmax(0, fmin(place, c->count[d] - 1));
}

/* Beads by cell, ascending in each; 0: no memory */
static int sort_into_cells(rattle__neighbours *list, const cells *c, const double *x) {
  if (c->total + 1 > list->cells_room) {
    int *grown = realloc(list->begin, ((size_t)c->total + 1) * sizeof *grown);
    if (!grown) return 0;
    list->begin = grown;
    list->cells_room = c->total + 1;
  }
  const int n = c->v->beads;
  int *begin = list->begin;
  memset(begin, 0, ((size_t)c->total + 1) * sizeof *begin);
  for (int i = 0; i < n; i++) {
    int at[3];
    for (int d = 0; d < 3; d++) at[d] = cell_along(c, d, x[3 * i + d]);
    list->cell[i] = (at[2] * c->count[1] + at[1]) * c->count[0] + at[0];
    begin[list->cell[i] + 1]++;
  }
  for (int k = 0; k < c->total; k++) begin[k + 1] += begin[k];
  for (int i = n; i-- > 0;) list->order[--begin[list->cell[i] + 1]] = i;
  memmove(begin, begin + 1, (size_t)c->total * sizeof *begin);
  begin[c->total] = n;
  return 1;
}

static int is_near(const rattle__vicinity *v, const double *a, const double *b) {
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    double s = a[d] - b[d];
    if (v->box[d] > 0) s = rattle__nearest_image(s, v->box[d], 1 / v->box[d]);
    sum += s * s;
  }
  return sum <= v->reach * v->reach;
}

/* The cells around cell `at`; *count: their number. */
static void cells_around(const cells *c, int at, int around[27], int *count) {
  const int x = at % c->count[0], y = at / c->count[0] % c->count[1],
            z = at / c->count[0] / c->count[1], own[3] = {x, y, z};
  *count = 0;
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    int to[3], inside = 1;
    for (int d = 0; d < 3; d++) {
      to[d] = own[d] + step[d];
      if (c->v->box[d] > 0) to[d] = (to[d] + c->count[d]) % c->count[d];
      inside &= to[d] >= 0 && to[d] < c->count[d];
    }
    if (inside) around[(*count)++] = (to[2] * c->count[1] + to[1]) * c->count[0] + to[0];
  }
}

/* Room for a bead's neighbours, however many they are. */
static int reserve(rattle__neighbours *list, size_t used, int beads) {
  const size_t wanted = used + (size_t)beads;
  if (wanted <= list->room) return 1;
  const size_t larger = wanted + used / 2;
  int *grown = realloc(list->j, larger * sizeof *grown);
  if (!grown) return 0;
  list->j = grown;
  list->room = larger;
  return 1;
}

static void sort(int *j, size_t count) {
  for (size_t k = 1; k < count; k++) {
    const int moved = j[k];
    size_t to = k;
    for (; to > 0 && j[to - 1] > moved; to--) j[to] = j[to - 1];
    j[to] = moved;
  }
}

static size_t add_cell(rattle__neighbours *list, const rattle__vicinity *v, int i, int cell,
                       size_t used) {
  const double *x = list->x;
  for (int k = list->begin[cell]; k < list->begin[cell + 1]; k++) {
    const int j = list->order[k];
    if (j > i && is_near(v, x + 3 * i, x + 3 * j) && !rattle__is_excluded(v, i, j))
      list->j[used++] = j;
  }
  return used;
}

/* Those of bead i among all beads above it. */
static size_t add_all(rattle__neighbours *list, const rattle__vicinity *v, int i, size_t used) {
  for (int j = i + 1; j < v->beads; j++)
    if (is_near(v, list->x + 3 * i, list->x + 3 * j) && !rattle__is_excluded(v, i, j))
      list->j[used++] = j;
  return used;
}

int rattle__neighbours_fill(rattle__neighbours *list, const rattle__vicinity *v, const double *x) {
  cells c;
  choose_cells(&c, v, x);
  const int all = few_cells(&c);
  memcpy(list->x, x, 3 * (size_t)v->beads * sizeof *x);
  if (!all && !sort_into_cells(list, &c, x)) return 0;
  size_t used = 0;
  for (int i = 0; i < v->beads; i++) {
    int around[27], count = 0;
    list->first[i] = used;
    if (!all) cells_around(&c, list->cell[i], around, &count);
    size_t most = all ? (size_t)(v->beads - i) : 0;
    for (int k = 0; k < count; k++)
      most += (size_t)(list->begin[around[k] + 1] - list->begin[around[k]]);
    if (!reserve(list, used, (int)most)) return 0;
    for (int k = 0; k < count; k++) used = add_cell(list, v, i, around[k], used);
    if (all) used = add_all(list, v, i, used);
    sort(list->j + list->first[i], used - list->first[i]);
  }
  list->first[v->beads] = used;
  return 1;
}
