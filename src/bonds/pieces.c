/* A large cluster in pieces that are eliminated side by side: tree contraction, as rounds of rakes
 * and compressions.
 *
 * Rakes         bonds whose neighbours are neighbours of one another, and all with the same
 *               neighbours at once: the hydrogens of an atom, then the bonds that remain, from the
 *               leaves of side chains to the main chain. Nothing is filled
 * Compressions  bonds with two neighbours, as in a chain or a ring: every other one in a round, so
 *               that a chain takes as many rounds as its number of bonds has binary digits. If a
 *               round finds neither, bonds with the fewest neighbours are taken
 * Source        G. L. Miller, J. H. Reif, 26th FOCS (1985) 478; pieces as fronts: I. S. Duff, J. K.
 *               Reid, ACM TOMS 9 (1983) 302 */
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/cut.h"
#include "bonds/neighbours.h"

typedef rattle__bond_set set;

/* Pieces that change MERGE_FROM bonds or more join those that have MERGE_TO bonds then or fewer. */
enum { MERGE_FROM = 2, MERGE_TO = 4 };

/* While pieces are found. */
typedef struct cutting {
  set *s;       /* neighbours of each bond among those that are left */
  int *blocked; /* the last round in which a neighbour was eliminated, or it was itself */
  char *gone;
  int bonds, left; /* left: not yet eliminated */
  rattle__bond_pieces *out;
  int room; /* for bonds in out */
} cutting;

static int has(const set *s, int j) {
  for (int low = 0, high = s->count; low < high;) {
    const int middle = (low + high) / 2;
    if (s->of[middle] == j) return 1;
    if (s->of[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

/* True if j and all other neighbours of k are neighbours. */
static int sees_all(const cutting *c, int k, int j) {
  if (c->s[j].count < c->s[k].count) return 0;
  for (int e = 0; e < c->s[k].count; e++)
    if (c->s[k].of[e] != j && !has(&c->s[j], c->s[k].of[e])) return 0;
  return 1;
}

static int can_be_raked(const cutting *c, int k) {
  for (int e = 0; e < c->s[k].count; e++)
    if (!sees_all(c, k, c->s[k].of[e])) return 0;
  return 1;
}

/* The piece of k: with `raked`, and all bonds that have the same neighbours. */
static int take(cutting *c, int k, int raked, int round) {
  rattle__bond_pieces *out = c->out;
  const set *s = &c->s[k];
  int at = out->first[out->count];
  if (s->count + 1 > RATTLE__MOST_IN_PIECE) return 0;
  if (at + s->count + 1 > c->room) {
    c->room = 2 * (at + s->count + 1);
    int *more = realloc(out->bond, (size_t)c->room * sizeof *more);
    if (!more) return -1;
    out->bond = more;
  }
  out->bond[at++] = k;
  for (int pivots = 1; pivots >= 0; pivots--) {
    for (int e = 0; e < s->count; e++)
      if ((raked && c->s[s->of[e]].count == s->count) == pivots) out->bond[at++] = s->of[e];
    if (pivots) out->pivots[out->count] = at - out->first[out->count];
  }
  for (int e = out->first[out->count]; e < at; e++) c->blocked[out->bond[e]] = round;
  for (int p = 0; p < out->pivots[out->count]; p++) {
    const int pivot = out->bond[out->first[out->count] + p];
    out->of[pivot] = out->count, c->gone[pivot] = 1;
    c->left--;
  }
  out->round[out->count++] = round;
  out->first[out->count] = at;
  return 1;
}

/* The piece that adds the changes of q: the piece of the border bond that is eliminated first.
 * Pieces are numbered by rounds. */
static int parent_of(const rattle__bond_pieces *p, int q) {
  int parent = -1;
  for (int e = p->first[q] + p->pivots[q]; e < p->first[q + 1]; e++)
    if (parent < 0 || p->of[p->bond[e]] < parent) parent = p->of[p->bond[e]];
  return parent;
}

static void lay_out(rattle__bond_pieces *p, int bonds) {
  p->pivots = p->first + bonds + 1, p->round = p->pivots + bonds, p->of = p->round + bonds,
  p->parent = p->of + bonds;
  p->born = p->parent + bonds;
}

/* Which pieces become part of their parents, while those stay small, so that fewer numbers pass
 * from piece to piece: into [count]. */
static void choose(const rattle__bond_pieces *p, int *into, int *more) {
  for (int q = 0; q < p->count; q++) {
    const int parent = p->parent[q], border = p->first[q + 1] - p->first[q] - p->pivots[q],
              pivots = p->pivots[q] + more[q];
    into[q] = q;
    if (parent < 0 || border < MERGE_FROM ||
        p->first[parent + 1] - p->first[parent] + more[parent] + pivots > MERGE_TO)
      continue;
    into[q] = parent, more[parent] += pivots;
  }
  for (int q = p->count - 1; q >= 0; q--) into[q] = into[into[q]];
}

/* Joins pieces. Those that are related are of different rounds, and others share no atoms: so
 * rounds are counted anew. 0: no memory. */
static int merge(rattle__bond_pieces *p, int bonds) {
  const size_t count = (size_t)p->count;
  rattle__bond_pieces all = {.rounds = p->rounds};
  int *into = calloc(4 * count + 1, sizeof *into), *more = into + count, *next = more + count,
      *head = next + count;
  all.first = calloc(6 * (size_t)bonds + 1, sizeof *all.first);
  all.bond = malloc(((size_t)p->first[count] + 1) * sizeof *all.bond);
  if (!into || !all.first || !all.bond) return free(into), free(all.first), free(all.bond), 0;
  lay_out(&all, bonds);
  for (int q = 0; q < p->count; q++) p->parent[q] = parent_of(p, q);
  choose(p, into, more);
  for (int q = 0; q < p->count; q++) head[q] = -1;
  for (int q = p->count - 1; q >= 0; q--) next[q] = head[into[q]], head[into[q]] = q;
  for (int q = 0, at = 0; q < p->count; q++) {
    if (into[q] != q) continue;
    const int own = all.count++;
    all.round[own] = 1;
    for (int c = head[q]; c >= 0; c = next[c])
      for (int e = 0; e < p->pivots[c]; e++, all.pivots[own]++) {
        const int k = all.bond[at++] = p->bond[p->first[c] + e];
        all.of[k] = own, all.born[k] = p->round[c];
      }
    for (int e = p->first[q] + p->pivots[q]; e < p->first[q + 1]; e++) all.bond[at++] = p->bond[e];
    all.first[all.count] = at;
  }
  for (int q = 0; q < all.count; q++) all.parent[q] = -1;
  for (int q = 0; q < all.count; q++) {
    const int parent = all.parent[q] = parent_of(&all, q);
    if (parent >= 0 && all.round[parent] <= all.round[q]) all.round[parent] = all.round[q] + 1;
  }
  free(into);
  rattle__bonds_release_pieces(p);
  *p = all;
  return 1;
}

/* Adds the neighbours of piece q to those of bond j, and drops bonds that are gone. */
static int join(cutting *c, int j, int q) {
  const rattle__bond_pieces *out = c->out;
  const int *more = out->bond + out->first[q] + out->pivots[q];
  const int count = out->first[q + 1] - out->first[q] - out->pivots[q];
  set *s = &c->s[j];
  int *all = malloc((size_t)(s->count + count + 1) * sizeof *all), n = 0;
  if (!all) return 0;
  for (int e = 0; e < s->count; e++)
    if (!c->gone[s->of[e]]) all[n++] = s->of[e];
  for (int e = 0; e < count; e++)
    if (more[e] != j && !has(s, more[e])) all[n++] = more[e];
  qsort(all, (size_t)n, sizeof *all, rattle__bonds_compare);
  free(s->of);
  *s = (set){all, n};
  return 1;
}

/* Finds the pieces of a round; results as of rattle__bonds_find_pieces. */
static int find_round(cutting *c, int round) {
  const int first = c->out->count;
  int least = c->bonds, found = 1;
  for (int k = 0; k < c->bonds && found > 0; k++) {
    if (c->gone[k]) continue;
    if (c->s[k].count < least) least = c->s[k].count;
    if (c->blocked[k] < round && c->s[k].count < RATTLE__MOST_IN_PIECE && can_be_raked(c, k))
      found = take(c, k, 1, round);
  }
  for (int k = 0; k < c->bonds && found > 0; k++)
    if (!c->gone[k] && c->blocked[k] < round && c->s[k].count <= (least > 2 ? least : 2))
      found = take(c, k, 0, round);
  for (int q = first; q < c->out->count && found > 0; q++)
    for (int e = c->out->first[q] + c->out->pivots[q]; e < c->out->first[q + 1] && found > 0; e++)
      if (!join(c, c->out->bond[e], q)) found = -1;
  return c->out->count > first || found < 0 ? found : 0;
}

int rattle__bonds_find_pieces(int atoms, int bonds, const int *pair, rattle__bond_pieces *p) {
  const size_t n = (size_t)bonds;
  cutting c = {.s = calloc(n, sizeof *c.s),
               .blocked = calloc(n, sizeof *c.blocked),
               .gone = calloc(n, 1),
               .bonds = bonds,
               .left = bonds,
               .out = p,
               .room = 4 * bonds};
  *p = (rattle__bond_pieces){.first = calloc(6 * n + 1, sizeof *p->first),
                             .bond = malloc(4 * n * sizeof *p->bond)};
  int found = c.s && c.blocked && c.gone && p->first && p->bond &&
                      rattle__bonds_meet(atoms, bonds, pair, c.s)
                  ? 1
                  : -1;
  if (p->first) lay_out(p, bonds);
  while (c.left > 0 && found > 0) found = find_round(&c, ++p->rounds);
  for (size_t k = 0; k < n && c.s; k++) free(c.s[k].of);
  free(c.s), free(c.blocked), free(c.gone);
  return found > 0 && !merge(p, bonds) ? -1 : found;
}

void rattle__bonds_release_pieces(rattle__bond_pieces *p) {
  free(p->first), free(p->bond);
  *p = (rattle__bond_pieces){0};
}
