/* The bonds of a piece in an order, and with directions, by which many pieces have one form. Both
 * do not depend on vectors. The first pivot gets the direction by which atoms have the lesser
 * numbers. */
#include <string.h>

#include "bonds/cut.h"

/* The piece at hand. */
typedef struct cut_piece {
  const int *pair, *waits, *born;
  int *bond, bonds, pivots;
} cut_piece;

/* The number of an atom among the local ones, or how many there are. */
static int number_of(const rattle__bond_locals *n, int atom) {
  int k = 0;
  while (k < n->count && n->atom[k] != atom) k++;
  return k;
}

static int add_local(rattle__bond_locals *n, int atom) {
  const int k = number_of(n, atom);
  n->atom[k] = atom;
  if (k == n->count) n->count++;
  return k;
}

/* Enters the atoms i, j of the e-th bond, directed from the one that has the lesser number. */
static void add_pair(rattle__bond_locals *n, int e, int i, int j) {
  const int turned = number_of(n, j) < number_of(n, i);
  n->pair[2 * e] = add_local(n, turned ? j : i);
  n->pair[2 * e + 1] = add_local(n, turned ? i : j);
}

/* Local atoms of the pivots of q, the first of which is directed as given or `turned`. */
static rattle__bond_locals localise_pivots(const cut_piece *p, int turned) {
  rattle__bond_locals n = {0};
  for (int e = 0; e < p->pivots; e++) {
    const int *end = p->pair + 2 * p->bond[e], t = turned && e == 0;
    add_pair(&n, e, end[t], end[1 - t]);
  }
  return n;
}

/* True if bond k shares an atom with a pivot, those being in n. */
static int is_near(const cut_piece *p, const rattle__bond_locals *n, int k) {
  const int *end = p->pair + 2 * k;
  return number_of(n, end[0]) < n->count || number_of(n, end[1]) < n->count;
}

/* The place at which a border bond is attached to the pivots in n: at two atoms, or at one and a
 * new one. One that shares no atom is like those at the first. */
static int attached_at(const cut_piece *p, const rattle__bond_locals *n, int k) {
  const int *end = p->pair + 2 * k, i = number_of(n, end[0]), j = number_of(n, end[1]);
  return is_near(p, n, k) ? (i < j ? i * (n->count + 1) + j : j * (n->count + 1) + i) : n->count;
}

/* True if border bond a comes before b. */
static int before(const cut_piece *p, const rattle__bond_locals *n, int a, int b) {
  const int at_a = attached_at(p, n, a), at_b = attached_at(p, n, b);
  if (at_a != at_b) return at_a < at_b;
  if (p->waits[a] != p->waits[b]) return p->waits[a] < p->waits[b];
  return p->born[a] != p->born[b] ? p->born[a] < p->born[b] : a < b;
}

static void sort_border(const cut_piece *p, const rattle__bond_locals *n) {
  int *bond = p->bond + p->pivots;
  for (int k = 1; k < p->bonds - p->pivots; k++)
    for (int e = k; e > 0 && before(p, n, bond[e], bond[e - 1]); e--) {
      const int other = bond[e];
      bond[e] = bond[e - 1], bond[e - 1] = other;
    }
}

/* Pivots by the rounds in which they were found. */
static void sort_pivots(const cut_piece *p) {
  const int *born = p->born, *waits = p->waits;
  int *bond = p->bond;
  for (int k = 1; k < p->pivots; k++)
    for (int e = k; e > 0; e--) {
      const int a = bond[e], b = bond[e - 1];
      if (born[a] != born[b]     ? born[a] > born[b]
          : waits[a] != waits[b] ? waits[a] > waits[b]
                                 : a > b)
        break;
      bond[e] = b, bond[e - 1] = a;
    }
}

/* Sorts the border of q, and finds its local atoms. A border bond that shares no atom is as if it
 * went from the first atom to the second, which gets a number once more. */
static rattle__bond_locals localise(const cut_piece *p, int turned) {
  rattle__bond_locals n = localise_pivots(p, turned);
  const rattle__bond_locals of_pivots = n;
  sort_border(p, &of_pivots);
  for (int e = p->pivots; e < p->bonds; e++) {
    const int k = p->bond[e], *end = p->pair + 2 * k;
    if (is_near(p, &of_pivots, k))
      add_pair(&n, e, end[0], end[1]);
    else
      n.pair[2 * e] = 0, n.pair[2 * e + 1] = n.count, n.atom[n.count++] = n.atom[1];
  }
  return n;
}

rattle__bond_locals rattle__bonds_localise(const rattle__bond_pieces *pieces, const int *pair,
                                           const int *waits, int q) {
  const cut_piece p = {.pair = pair,
                       .waits = waits,
                       .born = pieces->born,
                       .bond = pieces->bond + pieces->first[q],
                       .bonds = pieces->first[q + 1] - pieces->first[q],
                       .pivots = pieces->pivots[q]};
  sort_pivots(&p);
  const rattle__bond_locals turned = localise(&p, 1), straight = localise(&p, 0);
  const size_t size = 2 * (size_t)p.bonds * sizeof(int);
  return memcmp(turned.pair, straight.pair, size) < 0 ? localise(&p, 1) : straight;
}
