/* Sparse elimination for the bonds of a shape: the matrix has an entry for each two bonds that
 * share an atom.
 *
 * Order   minimum degree: a tree's leaves first, without fill; a ring of n bonds fills n - 3
 *         entries on either side
 * Source  D. J. Rose, in Graph Theory and Computing (1972) 183 */
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/neighbours.h"

/* --- order ------------------------------------------------------------------------------------ */

typedef rattle__bond_set set;

/* Bonds by their number of neighbours, as lists. */
typedef struct degrees {
  int *first, *next, *before;
} degrees;

static void put(degrees *d, const set *s, int k) {
  const int degree = s[k].count, first = d->first[degree];
  d->next[k] = first, d->before[k] = -1;
  if (first >= 0) d->before[first] = k;
  d->first[degree] = k;
}

static void take(degrees *d, const set *s, int k) {
  if (d->before[k] >= 0)
    d->next[d->before[k]] = d->next[k];
  else
    d->first[s[k].count] = d->next[k];
  if (d->next[k] >= 0) d->before[d->next[k]] = d->before[k];
}

/* s becomes its union with `more`, without `self` and `gone`. */
static int unite(set *s, const set *more, int self, int gone) {
  int *all = malloc((size_t)(s->count + more->count + 1) * sizeof *all), count = 0;
  if (!all) return 0;
  for (int i = 0, j = 0; i < s->count || j < more->count;) {
    const int a = i < s->count ? s->of[i] : 0x7fffffff,
              b = j < more->count ? more->of[j] : 0x7fffffff, least = a < b ? a : b;
    i += a == least, j += b == least;
    if (least != self && least != gone) all[count++] = least;
  }
  free(s->of);
  *s = (set){all, count};
  return 1;
}

int rattle__bonds_compare(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int rattle__bonds_meet(int atoms, int bonds, const int *pair, set *s) {
  int *first = calloc((size_t)atoms + 2, sizeof *first),
      *at = malloc(2 * (size_t)bonds * sizeof *at), good = first && at;
  for (int e = 0; e < 2 * bonds && good; e++) first[pair[e] + 2]++;
  for (int a = 0; a < atoms && good; a++) first[a + 2] += first[a + 1];
  for (int e = 0; e < 2 * bonds && good; e++) at[first[pair[e] + 1]++] = e / 2;
  for (int k = 0; k < bonds && good; k++) {
    const int i = pair[2 * k], j = pair[2 * k + 1],
              count = first[i + 1] - first[i] + first[j + 1] - first[j] - 2;
    s[k].of = malloc((size_t)(count + 1) * sizeof *s[k].of);
    if (!(good = s[k].of != NULL)) break;
    for (int end = 0; end < 2; end++)
      for (int e = first[pair[2 * k + end]]; e < first[pair[2 * k + end] + 1]; e++)
        if (at[e] != k) s[k].of[s[k].count++] = at[e];
    qsort(s[k].of, (size_t)s[k].count, sizeof *s[k].of, rattle__bonds_compare);
    int once = 0; /* bonds may share both ends */
    for (int e = 0; e < s[k].count; e++)
      if (!e || s[k].of[e] != s[k].of[once - 1]) s[k].of[once++] = s[k].of[e];
    s[k].count = once;
  }
  free(first);
  free(at);
  return good;
}

static int order_by_degree(int bonds, set *s, degrees *d, int *order) {
  for (int k = 0; k < bonds; k++) d->first[k] = -1;
  for (int k = bonds - 1; k >= 0; k--) put(d, s, k);
  for (int p = 0, least = 0; p < bonds; p++) {
    while (d->first[least] < 0) least++;
    const int k = order[p] = d->first[least];
    take(d, s, k);
    for (int e = 0; e < s[k].count; e++) {
      const int j = s[k].of[e];
      take(d, s, j);
      if (!unite(&s[j], &s[k], j, k)) return 0;
      put(d, s, j);
      if (s[j].count < least) least = s[j].count;
    }
  }
  return 1;
}

int rattle__bond_order(int atoms, int bonds, const int *pair, int *order) {
  set *s = calloc((size_t)bonds, sizeof *s);
  int *room = malloc(3 * (size_t)bonds * sizeof *room);
  degrees d = {room, room + bonds, room + 2 * (size_t)bonds};
  const int good = s && room && rattle__bonds_meet(atoms, bonds, pair, s) &&
                   order_by_degree(bonds, s, &d, order);
  for (int k = 0; k < bonds && s; k++) free(s[k].of);
  free(s);
  free(room);
  return good;
}

/* --- elimination ------------------------------------------------------------------------------ */

/* The index at which j stands, or would stand, among the later rows of p. */
static int found(const set *later, int p, int j) {
  int low = 0, high = later[p].count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (later[p].of[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* later[p]: rows after p with an entry in column p, those that elimination fills among them. */
static int fill(const rattle__bond_shape *s, set *later) {
  if (!rattle__bonds_meet(s->atoms, s->bonds, s->node, later)) return 0;
  for (int p = 0; p < s->bonds; p++) { /* earlier ones go */
    const int earlier = found(later, p, p);
    later[p].count -= earlier;
    memmove(later[p].of, later[p].of + earlier, (size_t)later[p].count * sizeof *later[p].of);
  }
  for (int p = 0; p < s->bonds; p++)
    if (later[p].count > 1 && !unite(&later[later[p].of[0]], &later[p], later[p].of[0], -1))
      return 0;
  return 1;
}

/* The slot of entry (i, j); those above the diagonal of row p follow one another from above[p] on,
 * each with the one below. */
static int slot(const set *later, const int *above, int i, int j) {
  if (i == j) return i;
  return i < j ? above[i] + 2 * found(later, i, j) : above[j] + 2 * found(later, j, i) + 1;
}

static int write_pivots(rattle__bond_shape *s, const set *later, const int *above,
                        rattle__arena *arena) {
  size_t entries = 0, targets = 0;
  for (int p = 0; p < s->bonds; p++)
    entries += (size_t)later[p].count, targets += (size_t)later[p].count * (size_t)later[p].count;
  if (targets > 0x7fffffff) return 0;
  s->pivot = rattle__arena_take(arena, (size_t)s->bonds * sizeof *s->pivot);
  s->later = rattle__arena_take(arena, (entries + 1) * sizeof(int));
  s->upper = rattle__arena_take(arena, (entries + 1) * sizeof(int));
  s->lower = rattle__arena_take(arena, (entries + 1) * sizeof(int));
  s->target = rattle__arena_take(arena, (targets + 1) * sizeof(int));
  if (arena->failed) return 0;
  for (int p = 0, entry = 0, target = 0; p < s->bonds; p++) {
    s->pivot[p] = (rattle__bond_pivot){entry, later[p].count, target};
    for (int e = 0; e < later[p].count; e++, entry++) {
      const int j = s->later[entry] = later[p].of[e];
      s->upper[entry] = slot(later, above, p, j);
      s->lower[entry] = slot(later, above, j, p);
      for (int f = 0; f < later[p].count; f++)
        s->target[target++] = slot(later, above, j, later[p].of[f]);
    }
  }
  return 1;
}

/* Entries off the diagonal that are not filled: bonds k and l with an atom in common, each with
 * either, or with a body. Atom and sign are of shapes without bodies. */
static int write_couplings(rattle__bond_shape *s, const set *later, const int *above,
                           rattle__arena *arena) {
  set *met = calloc((size_t)s->bonds, sizeof *met);
  int good = met && rattle__bonds_meet(s->atoms, s->bonds, s->node, met);
  for (int k = 0; k < s->bonds && good; k++) s->couplings += met[k].count;
  s->coupling =
      good ? rattle__arena_take(arena, ((size_t)s->couplings + 1) * sizeof *s->coupling) : NULL;
  good = s->coupling != NULL;
  for (int k = 0, c = 0; k < s->bonds && good; k++)
    for (int e = 0; e < met[k].count; e++, c++) {
      const int l = met[k].of[e], *a = s->pair + 2 * k, *b = s->pair + 2 * l;
      const int second = a[1] == b[0] || a[1] == b[1], other = second ? b[1] == a[1] : b[1] == a[0];
      s->coupling[c] = (rattle__bond_coupling){slot(later, above, k, l), k, l, a[second],
                                               second == other ? 1 : -1};
    }
  for (int k = 0; k < s->bonds && met; k++) free(met[k].of);
  free(met);
  return good;
}

int rattle__bond_eliminate(rattle__bond_shape *s, rattle__arena *arena) {
  set *later = calloc((size_t)s->bonds, sizeof *later);
  int *above = malloc((size_t)s->bonds * sizeof *above), good = later && above && fill(s, later);
  s->slots = s->bonds;
  for (int p = 0; p < s->bonds && good; p++) {
    above[p] = s->slots;
    s->slots += 2 * later[p].count;
  }
  good = good && write_pivots(s, later, above, arena) && write_couplings(s, later, above, arena);
  for (int p = 0; p < s->bonds && later; p++) free(later[p].of);
  free(later);
  free(above);
  return good;
}
