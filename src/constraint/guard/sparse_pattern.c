/* How curves of many constraints are made: components, patterns, windows. See sparse_curve.h. */
#include "constraint/guard/sparse_curve.h"

#include <stdlib.h>
#include <string.h>

/* --- components ------------------------------------------------------------------------------- */

static int root_of(int *above, int i) {
  while (above[i] != i) i = above[i] = above[above[i]];
  return i;
}

/* above [rows]: the first row of the component of each. first [vars]: scratch. */
static void join_rows(const rattle__quadratic *g, const double *inverse_mass, int *above,
                      int *first) {
  for (int k = 0; k < g->vars; k++) first[k] = -1;
  for (int i = 0; i < g->rows; i++) above[i] = i;
  for (int i = 0; i < g->rows; i++)
    for (int e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
      const int k = g->col[e];
      if (inverse_mass[k] == 0) continue;
      if (first[k] < 0) first[k] = i;
      const int a = root_of(above, first[k]), b = root_of(above, i);
      above[a > b ? a : b] = a > b ? b : a;
    }
  for (int i = 0; i < g->rows; i++) above[i] = root_of(above, i);
}

/* --- one component ---------------------------------------------------------------------------- */

/* While curves are made. */
typedef struct curve_maker {
  const rattle__quadratic *g;
  const double *inverse_mass;
  rattle__arena *arena;
  int *place;           /* local column of each of g, -1: none yet [vars] */
  int *bend_ptr, *bend; /* those of g, by rows [rows + 1], [bends] */
  int *used, *entry;    /* [vars]; the entry of a row at a local column, -1: none [vars] */
  int *mark, *queue;    /* of rows [rows] */
} curve_maker;

static int *take_ints(const curve_maker *w, size_t count) {
  return rattle__arena_take(w->arena, (count + 1) * sizeof(int));
}

static rattle__ball *take_balls(const curve_maker *w, size_t count) {
  return rattle__arena_take(w->arena, (count + 1) * sizeof(rattle__ball));
}

/* Rows, columns, the pattern of G and B of the component that begins with row `first`. 1: good. */
static int take_rows(const curve_maker *w, rattle__sparse_curve *c, const int *rows, int m) {
  const rattle__quadratic *g = w->g;
  size_t entries = 0, bends = 0;
  int n = 0;
  for (int i = 0; i < m; i++) {
    entries += (size_t)(g->ptr[rows[i] + 1] - g->ptr[rows[i]]);
    bends += (size_t)(w->bend_ptr[rows[i] + 1] - w->bend_ptr[rows[i]]);
    for (int e = g->ptr[rows[i]]; e < g->ptr[rows[i] + 1]; e++)
      if (w->place[g->col[e]] < 0) w->used[n] = g->col[e], w->place[g->col[e]] = n++;
  }
  c->curve.n = n, c->curve.m = m, c->bends = (int)bends;
  c->row = take_ints(w, (size_t)m), c->column = take_ints(w, (size_t)n);
  c->ptr = take_ints(w, (size_t)m + 1), c->col = take_ints(w, entries);
  c->bend = rattle__arena_take(w->arena, (bends + 1) * sizeof *c->bend);
  if (w->arena->failed) return 0;
  memcpy(c->column, w->used, (size_t)n * sizeof *c->column);
  rattle__bend *to = c->bend;
  for (int i = 0, at = 0; i < m; i++) {
    const int row = c->row[i] = rows[i];
    for (int e = g->ptr[row]; e < g->ptr[row + 1]; e++) c->col[at++] = w->place[g->col[e]];
    c->ptr[i + 1] = at;
    for (int k = w->bend_ptr[row]; k < w->bend_ptr[row + 1]; k++, to++) {
      *to = g->bend[w->bend[k]];
      to->row = i, to->a = w->place[to->a], to->b = w->place[to->b];
    }
  }
  for (int k = 0; k < n; k++) w->place[c->column[k]] = -1;
  return 1;
}

static int moves(const curve_maker *w, const rattle__sparse_curve *c, int entry) {
  return w->inverse_mass[c->column[c->col[entry]]] != 0;
}

static int by_number(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* The rows at each coordinate that moves: start [n + 1], list; NULL: no memory. */
static int *rows_of_columns(const curve_maker *w, const rattle__sparse_curve *c, int *start) {
  const int n = c->curve.n, m = c->curve.m;
  int *list = calloc((size_t)c->ptr[m] + 1, sizeof *list);
  memset(start, 0, ((size_t)n + 2) * sizeof *start);
  for (int e = 0; e < c->ptr[m]; e++) start[c->col[e] + 2] += moves(w, c, e);
  for (int k = 0; k < n; k++) start[k + 2] += start[k + 1];
  for (int i = 0; i < m && list; i++)
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++)
      if (moves(w, c, e)) list[start[c->col[e] + 1]++] = i;
  return list;
}

/* The rows that share such a coordinate with row i, itself first, in w->queue; their number. */
static int neighbours(const curve_maker *w, const rattle__sparse_curve *c, const int *start,
                      const int *list, int i) {
  int count = 0;
  w->queue[count++] = i, w->mark[i] = i;
  for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++)
    for (int k = start[c->col[e]]; k < start[c->col[e] + 1] && moves(w, c, e); k++)
      if (w->mark[list[k]] != i) w->mark[list[k]] = i, w->queue[count++] = list[k];
  return count;
}

/* J's pattern, ptr [m + 1] and *col. 1: good. */
static int find_couplings(const curve_maker *w, const rattle__sparse_curve *c, int *ptr,
                          int **col) {
  const int m = c->curve.m;
  int *start = calloc((size_t)c->curve.n + 2, sizeof *start), good = 0;
  int *list = start ? rows_of_columns(w, c, start) : NULL;
  for (int pass = 0; pass < 2 && list; pass++) {
    for (int i = 0; i < m; i++) w->mark[i] = -1;
    for (int i = 0; i < m; i++) {
      const int count = neighbours(w, c, start, list, i);
      qsort(w->queue, (size_t)count, sizeof *w->queue, by_number);
      if (pass) memcpy(*col + ptr[i], w->queue, (size_t)count * sizeof **col);
      ptr[i + 1] = ptr[i] + count;
    }
    if (pass == 0) *col = calloc((size_t)ptr[m] + 1, sizeof **col);
    good = *col != NULL;
    if (!good) break;
  }
  free(start), free(list);
  return good;
}

/* Which products an entry of J sums: counted if c->term_ptr is NULL. */
static int find_terms(const curve_maker *w, const rattle__sparse_curve *c) {
  int count = 0;
  for (int k = 0; k < c->curve.n; k++) w->entry[k] = -1;
  for (int i = 0; i < c->curve.m; i++) {
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) w->entry[c->col[e]] = e;
    for (int at = c->J->ptr[i]; at < c->J->ptr[i + 1]; at++) {
      const int j = c->J->col[at];
      if (c->term_ptr) c->term_ptr[at] = count;
      for (int e = c->ptr[j]; e < c->ptr[j + 1]; e++) {
        const int left = w->entry[c->col[e]];
        if (left < 0 || !moves(w, c, e)) continue;
        if (c->term_ptr) c->left[count] = left, c->right[count] = e;
        count++;
      }
      if (c->term_ptr) c->term_ptr[at + 1] = count;
    }
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) w->entry[c->col[e]] = -1;
  }
  return count;
}

static int make_couplings(const curve_maker *w, rattle__sparse_curve *c) {
  rattle_error error;
  int *ptr = calloc((size_t)c->curve.m + 1, sizeof *ptr), *col = NULL;
  int good = ptr && find_couplings(w, c, ptr, &col);
  good =
      good && !rattle__linear_create(&c->J, c->curve.m, ptr, col, 0, RATTLE__LINEAR_AUTO, &error);
  free(ptr), free(col);
  if (!good) return 0;
  const size_t terms = (size_t)find_terms(w, c);
  int *left = take_ints(w, terms), *right = take_ints(w, terms);
  c->term_ptr = take_ints(w, (size_t)c->J->nnz + 1), c->left = left, c->right = right;
  if (w->arena->failed) return 0;
  find_terms(w, c);
  return 1;
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Rows from w->queue [count] on, each by the neighbours of those before, until there are `most`;
 * only those with taken[row] == 0. mark: those that are in. */
static int spread(const curve_maker *w, const rattle__sparse_curve *c, const char *taken, int count,
                  int most, int stamp) {
  for (int k = 0; k < count; k++) w->mark[w->queue[k]] = stamp;
  for (int k = 0; k < count && count < most; k++)
    for (int e = c->J->ptr[w->queue[k]]; e < c->J->ptr[w->queue[k] + 1] && count < most; e++) {
      const int j = c->J->col[e];
      if (w->mark[j] == stamp || (taken && taken[j])) continue;
      w->mark[j] = stamp, w->queue[count++] = j;
    }
  return count;
}

static int *take_list(const curve_maker *w, const int *from, int count) {
  int *list = take_ints(w, (size_t)count);
  if (list) memcpy(list, from, (size_t)count * sizeof *list);
  return list;
}

/* The rows that the window of rows w->queue [d->rows] reaches, and its products. 1: good. */
static int make_window(const curve_maker *w, const rattle__sparse_curve *c,
                       rattle__sparse_window *d) {
  const rattle__linear *J = c->J;
  qsort(w->queue, (size_t)d->rows, sizeof *w->queue, by_number);
  d->row = take_list(w, w->queue, d->rows);
  d->entry = take_ints(w, (size_t)d->rows * (size_t)d->rows);
  if (w->arena->failed) return 0;
  for (int e = 0; e < d->rows * d->rows; e++) d->entry[e] = -1;
  int *slot = w->entry, reached = d->rows; /* of rows; all -1 */
  for (int k = 0; k < d->rows; k++) slot[d->row[k]] = k;
  for (int k = 0; k < d->rows; k++)
    for (int e = J->ptr[d->row[k]]; e < J->ptr[d->row[k] + 1]; e++) {
      const int j = J->col[e];
      if (slot[j] < 0) slot[j] = reached, w->queue[reached++] = j;
      if (slot[j] < d->rows) d->entry[k * d->rows + slot[j]] = e;
    }
  d->reached = reached, d->reach = take_list(w, w->queue, reached);
  for (int pass = 0; pass < 2; pass++) {
    int terms = 0;
    for (int r = 0; r < reached && !w->arena->failed; r++)
      for (int e = J->ptr[w->queue[r]]; e < J->ptr[w->queue[r] + 1]; e++) {
        const int at = slot[J->col[e]];
        if (at < 0 || at >= d->rows) continue;
        if (pass) d->term[terms] = (rattle__sparse_term){r, e, at};
        terms++;
      }
    d->terms = terms;
    if (!pass) d->term = rattle__arena_take(w->arena, ((size_t)terms + 1) * sizeof *d->term);
    if (w->arena->failed) break;
  }
  for (int r = 0; r < reached; r++) slot[w->queue[r]] = -1;
  d->S_before = rattle__arena_doubles(w->arena, (size_t)d->rows * (size_t)d->core);
  d->S = rattle__arena_doubles(w->arena, (size_t)d->rows * (size_t)d->core);
  d->H = rattle__arena_doubles(w->arena, (size_t)reached * (size_t)d->core);
  return !w->arena->failed;
}

/* The coordinates that rows of the window move, and by which entries. 1: good. */
static int make_pushes(const curve_maker *w, const rattle__sparse_curve *c,
                       rattle__sparse_window *d) {
  int *slot = w->entry; /* of coordinates; all -1 */
  for (int r = 0; r < d->rows; r++)
    for (int e = c->ptr[d->row[r]]; e < c->ptr[d->row[r] + 1]; e++) {
      d->pushes += moves(w, c, e);
      if (moves(w, c, e) && slot[c->col[e]] < 0)
        w->used[d->columns] = c->col[e], slot[c->col[e]] = d->columns++;
    }
  d->column = take_list(w, w->used, d->columns);
  d->push = rattle__arena_take(w->arena, ((size_t)d->pushes + 1) * sizeof *d->push);
  d->V_before = rattle__arena_doubles(w->arena, (size_t)d->columns * (size_t)d->core + 1);
  d->V = rattle__arena_doubles(w->arena, (size_t)d->columns * (size_t)d->core + 1);
  rattle__sparse_term *to = d->push;
  for (int r = 0; r < d->rows && !w->arena->failed; r++)
    for (int e = c->ptr[d->row[r]]; e < c->ptr[d->row[r] + 1]; e++)
      if (moves(w, c, e)) *to++ = (rattle__sparse_term){slot[c->col[e]], e, r};
  for (int k = 0; k < d->columns; k++) slot[w->used[k]] = -1;
  return !w->arena->failed;
}

/* 1: good. taken [m]: 0 */
static int make_windows(const curve_maker *w, rattle__sparse_curve *c, char *taken) {
  const int m = c->curve.m, whole = m <= RATTLE__SPARSE_WINDOW;
  const int core = whole ? m : RATTLE__SPARSE_CORE;
  c->window = rattle__arena_take(w->arena, (size_t)m * sizeof *c->window);
  if (!c->window) return 0;
  for (int i = 0; i < m; i++) w->mark[i] = -1, w->entry[i] = -1;
  for (int k = 0; k < c->curve.n; k++) w->entry[k] = -1;
  for (int i = 0; i < m; i++) {
    if (taken[i]) continue;
    rattle__sparse_window *d = &c->window[c->windows++];
    w->queue[0] = i;
    d->core = spread(w, c, taken, 1, core, 2 * c->windows);
    for (int k = 0; k < d->core; k++) taken[w->queue[k]] = 1;
    d->own = take_list(w, w->queue, d->core);
    d->rows = spread(w, c, NULL, d->core, whole ? m : RATTLE__SPARSE_WINDOW, 2 * c->windows + 1);
    if (w->arena->failed || !make_window(w, c, d) || !make_pushes(w, c, d)) return 0;
  }
  return 1;
}

/* The comparison matrix of X: its pattern, and where entries of H are in it. 1: good. */
static int find_pattern_of_X(const curve_maker *w, const rattle__sparse_curve *c, int *ptr,
                             int *col) {
  const int m = c->curve.m;
  for (int k = 0; k < c->windows; k++)
    for (int r = 0; r < c->window[k].reached; r++)
      ptr[c->window[k].reach[r] + 1] += c->window[k].core;
  for (int i = 0; i < m; i++) ptr[i + 1] += ptr[i], w->mark[i] = 0;
  for (int k = 0; k < c->windows; k++)
    for (int r = 0; r < c->window[k].reached; r++)
      for (int j = 0; j < c->window[k].core; j++) {
        const int i = c->window[k].reach[r];
        col[ptr[i] + w->mark[i]++] = c->window[k].own[j];
      }
  for (int i = 0; i < m; i++)
    qsort(col + ptr[i], (size_t)(ptr[i + 1] - ptr[i]), sizeof *col, by_number);
  return 1;
}

/* Each entry of X belongs to one window, whose core has its column. */
static int make_comparison(const curve_maker *w, rattle__sparse_curve *c) {
  const int m = c->curve.m;
  size_t entries = 0;
  rattle_error error;
  for (int k = 0; k < c->windows; k++)
    entries += (size_t)c->window[k].reached * (size_t)c->window[k].core;
  int *ptr = calloc((size_t)m + 1, sizeof *ptr), *col = calloc(entries + 1, sizeof *col);
  int good = ptr && col && find_pattern_of_X(w, c, ptr, col);
  good = good && !rattle__linear_create(&c->X, m, ptr, col, 0, RATTLE__LINEAR_AUTO, &error);
  free(ptr), free(col);
  c->diagonal = take_ints(w, (size_t)m);
  if (!good || w->arena->failed) return 0;
  for (int k = 0; k < c->windows; k++) {
    rattle__sparse_window *d = &c->window[k];
    d->place = take_ints(w, (size_t)d->reached * (size_t)d->core);
    if (!d->place) return 0;
    for (int r = 0; r < d->reached; r++)
      for (int j = 0; j < d->core; j++) {
        const int i = d->reach[r], *from = c->X->col + c->X->ptr[i];
        const size_t count = (size_t)(c->X->ptr[i + 1] - c->X->ptr[i]);
        const int *at = bsearch(&d->own[j], from, count, sizeof *from, by_number);
        d->place[r * d->core + j] = (int)(at - c->X->col);
        if (i == d->own[j]) c->diagonal[i] = (int)(at - c->X->col);
      }
  }
  return 1;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void lay_out(const curve_maker *w, rattle__sparse_curve *c) {
  const size_t n = (size_t)c->curve.n, m = (size_t)c->curve.m, entries = (size_t)c->ptr[m];
  const size_t nnz = (size_t)c->J->nnz;
  size_t widest = 0;
  for (int k = 0; k < c->windows; k++) {
    const rattle__sparse_window *d = &c->window[k];
    const size_t rows = (size_t)d->rows, core = (size_t)d->core, reached = (size_t)d->reached;
    const size_t columns = (size_t)d->columns * core,
                 room = rows * rows + 5 * reached * core + columns;
    if (room > widest) widest = room;
  }
  rattle__ball **const of_n[] = {&c->curve.d, &c->curve.a, &c->u0, &c->u, &c->b1, &c->b2,
                                 &c->b3,      &c->u1,      &c->u2, &c->v, &c->w};
  rattle__ball **const of_m[] = {&c->curve.g0, &c->F,  &c->F1, &c->k1, &c->ke,
                                 &c->k1e,      &c->pa, &c->pb, &c->pc};
  rattle__ball **const of_G[] = {&c->G0, &c->W, &c->G, &c->beside};
  for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) *of_n[k] = take_balls(w, n);
  for (size_t k = 0; k < sizeof of_m / sizeof *of_m; k++) *of_m[k] = take_balls(w, m);
  for (size_t k = 0; k < sizeof of_G / sizeof *of_G; k++) *of_G[k] = take_balls(w, entries);
  c->J1 = take_balls(w, nnz), c->Je = take_balls(w, nnz);
  const rattle__array arrays[] = {
      {&c->curve.r, m}, {&c->curve.end, m}, {&c->mass, n}, {&c->s1, m},   {&c->at, 4 * nnz},
      {&c->by, nnz},    {&c->least, m},     {&c->most, m}, {&c->f, m},    {&c->y, m},
      {&c->sum, m},     {&c->x, m},         {&c->need, m}, {&c->wide, n}, {&c->room, widest}};
  RATTLE__LAY_OUT(w->arena, arrays);
  /* of y, wide, B and the sum over a row, one after the other; each is less than this */
  c->roundings = 16 * ((int)m + (int)n) + 4 * c->bends + 64;
}

/* 1: good. */
static int make_curve(const curve_maker *w, rattle__sparse_curve *c, const int *rows, int m) {
  char *taken = calloc((size_t)m + 1, 1);
  int good = taken && take_rows(w, c, rows, m) && make_couplings(w, c) &&
             make_windows(w, c, taken) && make_comparison(w, c);
  free(taken);
  if (good) lay_out(w, c);
  return good && !w->arena->failed;
}

static void sort_bends(const rattle__quadratic *g, curve_maker *w) {
  for (int k = 0; k < g->bends; k++) w->bend_ptr[g->bend[k].row + 1]++;
  for (int i = 0; i < g->rows; i++) w->bend_ptr[i + 1] += w->bend_ptr[i], w->mark[i] = 0;
  for (int k = 0; k < g->bends; k++) {
    const int row = g->bend[k].row;
    w->bend[w->bend_ptr[row] + w->mark[row]++] = k;
  }
}

/* All components, from above [rows]; list [rows], start [rows + 1]: scratch. 1: good. */
static int make_all(curve_maker *w, rattle__sparse_curve **curves, int *count, const int *above,
                    int *list, int *start) {
  const int m = w->g->rows;
  int *number = w->queue; /* of the component that begins with a row */
  *count = 0;
  for (int i = 0; i < m; i++)
    if (above[i] == i) number[i] = (*count)++;
  *curves = rattle__arena_take(w->arena, ((size_t)*count + 1) * sizeof **curves);
  if (!*curves) return 0;
  for (int i = 0; i < m; i++) start[number[above[i]] + 2]++;
  for (int k = 0; k < *count; k++) start[k + 2] += start[k + 1];
  for (int i = 0; i < m; i++) list[start[number[above[i]] + 1]++] = i;
  for (int k = 0; k < w->g->vars; k++) w->place[k] = -1;
  for (int k = 0; k < *count; k++)
    if (!make_curve(w, *curves + k, list + start[k], start[k + 1] - start[k])) return 0;
  return 1;
}

int rattle__sparse_curves(rattle__sparse_curve **curves, int *count, const rattle__quadratic *g,
                          const double *inverse_mass, rattle__arena *arena) {
  const size_t m = (size_t)g->rows, n = (size_t)g->vars, most = m > n ? m : n;
  int *block = calloc(7 * (most + 2) + m + 2 + (size_t)g->bends, sizeof *block), good = 0;
  *curves = NULL, *count = 0;
  if (block) {
    int *at = block;
    curve_maker w = {.g = g, .inverse_mass = inverse_mass, .arena = arena};
    int **const all[] = {&w.place, &w.used, &w.entry, &w.mark, &w.queue};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++, at += most + 2) *all[k] = at;
    int *above = at, *list = at + most + 2;
    w.bend_ptr = list + most + 2, w.bend = w.bend_ptr + m + 2;
    int *start = calloc(m + 3, sizeof *start);
    join_rows(g, inverse_mass, above, w.used);
    sort_bends(g, &w);
    good = start && make_all(&w, curves, count, above, list, start);
    free(start);
  }
  free(block);
  return good ? 0 : -1;
}

void rattle__sparse_curves_release(rattle__sparse_curve *curves, int count) {
  for (int k = 0; k < count; k++)
    rattle__linear_destroy(&curves[k].J), rattle__linear_destroy(&curves[k].X);
}
