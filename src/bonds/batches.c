/* The pieces of a cluster in the lanes of vectors: pieces that have one form, W at a time.
 *
 * Bonds are directed from the atom that is finished first to the other (an atom is finished in the
 * round of its last bond); so pieces of one form mostly have one list of local atoms. A piece adds
 * the updates of earlier pieces in an order of its own form. */
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/cut.h"

/* A piece in local numbers, by which forms are compared: pivots, bonds, local atoms of bonds,
 * addends' targets. */
typedef struct form {
  int piece;
  int *key, length;
} form;

/* Pieces of one form that can be eliminated now, as a list. */
typedef struct ready {
  int first, last, count;
} ready;

/* While a cluster is laid out. */
typedef struct layout {
  const rattle__bond_shape *shape;
  rattle__bond_pieces pieces;
  int *done;            /* the last round of each atom */
  int *ends;            /* atoms of bonds, directed */
  int *child, *sibling; /* pieces whose updates a piece adds, the first and the next; -1: none */
  int *waits;           /* of each bond: how many pieces change it */
  int *position;        /* of each bond in the piece at hand */
  form *forms;
  int *batch_of, *lane_of; /* of each piece */
  int *form_of, *sample;   /* of each piece its form; one of its kind among the forms */
  int *depth,
      *missing; /* of each piece: how far the root is; children that are not in batches yet */
  int *next;    /* in its list */
  int *order, ordered; /* pieces in the order of batches and lanes */
  int width;
} layout;

static int bonds_of(const layout *l, int q) {
  return l->pieces.first[q + 1] - l->pieces.first[q];
}

static int *bond_of(const layout *l, int q) {
  return l->pieces.bond + l->pieces.first[q];
}

static void direct(layout *l) {
  const rattle__bond_shape *s = l->shape;
  for (int k = 0; k < s->bonds; k++)
    for (int e = 0; e < 2; e++) {
      const int round = l->pieces.born[k], a = s->pair[2 * k + e];
      if (round > l->done[a]) l->done[a] = round;
    }
  for (int k = 0; k < s->bonds; k++) {
    const int i = s->pair[2 * k], j = s->pair[2 * k + 1];
    const int turn = l->done[i] < l->done[j] || (l->done[i] == l->done[j] && i > j);
    l->ends[2 * k] = turn ? j : i, l->ends[2 * k + 1] = turn ? i : j;
  }
}

static int shares(const layout *l, int k, int b) {
  const int *p = l->ends + 2 * k, *r = l->ends + 2 * b;
  return p[0] == r[0] ? 0 : p[1] == r[1] || p[0] == r[1] ? 1 : p[1] == r[0] ? 2 : 3;
}

static int is_end(const layout *l, int q, int atom) {
  for (int e = 0; e < 2 * l->pieces.pivots[q]; e++)
    if (l->ends[2 * bond_of(l, q)[e / 2] + e % 2] == atom) return 1;
  return 0;
}

/* True if bond k shares an atom with a pivot of q. */
static int is_near(const layout *l, int q, int k) {
  return is_end(l, q, l->ends[2 * k]) || is_end(l, q, l->ends[2 * k + 1]);
}

/* True if bond a comes before b among the pivots, or in the border, of piece q, whose last pivot is
 * `last`. */
static int before(const layout *l, int q, int last, int a, int b) {
  const int near_a = is_near(l, q, a), near_b = is_near(l, q, b);
  if (near_a != near_b) return near_a;
  if (l->pieces.born[a] != l->pieces.born[b]) return l->pieces.born[a] < l->pieces.born[b];
  const int of_a = shares(l, last, a), of_b = shares(l, last, b);
  if (of_a != of_b) return of_a < of_b;
  return l->waits[a] != l->waits[b] ? l->waits[a] < l->waits[b] : a < b;
}

static void sort(const layout *l, int q, int last, int *bond, int count) {
  for (int k = 1; k < count; k++)
    for (int e = k; e > 0 && before(l, q, last, bond[e], bond[e - 1]); e--) {
      const int other = bond[e];
      bond[e] = bond[e - 1], bond[e - 1] = other;
    }
}

/* Children and the order of bonds. */
static void relate(layout *l) {
  const rattle__bond_pieces *p = &l->pieces;
  for (int q = 0; q < p->count; q++) l->child[q] = -1;
  for (int q = p->count - 1; q >= 0; q--) {
    const int parent = p->parent[q];
    l->sibling[q] = -1;
    if (parent >= 0) l->sibling[q] = l->child[parent], l->child[parent] = q;
    for (int e = p->pivots[q]; e < bonds_of(l, q); e++) l->waits[bond_of(l, q)[e]]++;
  }
  for (int q = 0; q < p->count; q++) {
    int *bond = bond_of(l, q);
    int last = bond[0];
    for (int e = 1; e < p->pivots[q]; e++) last = p->born[bond[e]] > p->born[last] ? bond[e] : last;
    sort(l, q, last, bond, p->pivots[q]);
    sort(l, q, last, bond + p->pivots[q], bonds_of(l, q) - p->pivots[q]);
  }
}

/* How many bonds of q are pivots or have an atom with one in common: they come first. */
static int count_near(const layout *l, int q) {
  int count = l->pieces.pivots[q];
  while (count < bonds_of(l, q) && is_near(l, q, bond_of(l, q)[count])) count++;
  return count;
}

/* The atoms of bond e of q; in the border, the atom of a pivot comes first. The order changes no
 * result. */
static void ends_of(const layout *l, int q, int e, int end[2]) {
  const int *own = l->ends + 2 * bond_of(l, q)[e],
            turned = e >= l->pieces.pivots[q] && !is_end(l, q, own[0]);
  end[0] = own[turned], end[1] = own[1 - turned];
}

/* Local atoms of the first `near` bonds of q by their first appearance, in pair [2 near]; atom [2
 * near] if it is not NULL. Their number. */
static int localise(const layout *l, int q, int near, int *pair, int *atom) {
  int own[2 * RATTLE__MOST_IN_PIECE], count = 0;
  for (int e = 0; e < 2 * near; e++) {
    int end[2], k = 0;
    ends_of(l, q, e / 2, end);
    while (k < count && own[k] != end[e % 2]) k++;
    own[k] = end[e % 2];
    if (atom) atom[k] = end[e % 2];
    pair[e] = k;
    if (k == count) count++;
  }
  return count;
}

/* True if child c comes before d, by the places of their borders among the bonds of the piece at
 * hand. */
static int child_before(const layout *l, int c, int d) {
  const int *p = bond_of(l, c) + l->pieces.pivots[c], *r = bond_of(l, d) + l->pieces.pivots[d];
  const int of_c = bonds_of(l, c) - l->pieces.pivots[c],
            of_d = bonds_of(l, d) - l->pieces.pivots[d];
  if (of_c != of_d) return of_c < of_d;
  for (int e = 0; e < of_c; e++)
    if (l->position[p[e]] != l->position[r[e]]) return l->position[p[e]] < l->position[r[e]];
  return c < d;
}

/* The children of q in the order in which they are added; l->position is set. */
static void sort_children(layout *l, int q) {
  int sorted = -1;
  for (int e = 0; e < bonds_of(l, q); e++) l->position[bond_of(l, q)[e]] = e;
  for (int c = l->child[q], next; c >= 0; c = next) {
    int *at = &sorted;
    next = l->sibling[c];
    while (*at >= 0 && child_before(l, *at, c)) at = &l->sibling[*at];
    l->sibling[c] = *at, *at = c;
  }
  l->child[q] = sorted;
}

static int border_of(const layout *l, int q) {
  return bonds_of(l, q) - l->pieces.pivots[q];
}

static int describe(layout *l, int q, rattle__arena *arena) {
  form *f = &l->forms[q];
  const int m = bonds_of(l, q), near = count_near(l, q);
  int addends = 0;
  sort_children(l, q);
  for (int c = l->child[q]; c >= 0; c = l->sibling[c])
    addends += border_of(l, c) * (border_of(l, c) + 1);
  f->piece = q, f->length = 4 + 2 * near + addends;
  f->key = rattle__arena_take(arena, (size_t)f->length * sizeof(int));
  if (!f->key) return 0;
  f->key[0] = m, f->key[1] = l->pieces.pivots[q], f->key[2] = addends, f->key[3] = near;
  localise(l, q, near, f->key + 4, NULL);
  int *target = f->key + 4 + 2 * near;
  for (int c = l->child[q]; c >= 0; c = l->sibling[c]) {
    const int *border = bond_of(l, c) + l->pieces.pivots[c], count = border_of(l, c);
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++)
        *target++ = l->position[border[i]] * m + l->position[border[j]];
  }
  for (int c = l->child[q]; c >= 0; c = l->sibling[c])
    for (int i = 0; i < border_of(l, c); i++)
      *target++ = m * m + l->position[bond_of(l, c)[l->pieces.pivots[c] + i]];
  return 1;
}

static int same_form(const form *a, const form *b) {
  return a->length == b->length && !memcmp(a->key, b->key, (size_t)a->length * sizeof(int));
}

static int by_form(const void *a, const void *b) {
  const form *p = a, *q = b;
  if (p->length != q->length) return p->length < q->length ? -1 : 1;
  const int order = memcmp(p->key, q->key, (size_t)p->length * sizeof(int));
  return order ? order : p->piece < q->piece ? -1 : 1;
}

static int couple(rattle__bond_batch *b, rattle__arena *arena) {
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    for (int k = 0; k < b->pivots; k++)
      for (int e = k + 1; e < b->near; e++) {
        const int *p = b->pair + 2 * k, *r = b->pair + 2 * e;
        const int second = p[1] == r[0] || p[1] == r[1], end = second ? p[1] == r[1] : p[0] == r[1];
        if (!second && p[0] != r[0] && p[0] != r[1]) continue;
        if (pass)
          b->coupling[count] = (rattle__bond_coupling){0, k, e, p[second], second == end ? 1 : -1};
        count++;
      }
    b->couplings = count;
    if (!pass &&
        !(b->coupling = rattle__arena_take(arena, ((size_t)count + 1) * sizeof *b->coupling)))
      return 0;
  }
  return 1;
}

/* The batch of forms from f on, and its place after what `cut` has so far. */
static int begin_batch(rattle__bond_cut *cut, rattle__bond_batch *b, const form *f, int width,
                       rattle__arena *arena) {
  const size_t W = (size_t)width;
  const int border = f->key[0] - f->key[1];
  *b = (rattle__bond_batch){.bonds = f->key[0],
                            .pivots = f->key[1],
                            .addends = f->key[2],
                            .near = f->key[3],
                            .pair = f->key + 4};
  b->target = b->pair + 2 * b->near;
  while (b->entries < b->addends && b->target[b->entries] < b->bonds * b->bonds) b->entries++;
  for (int e = 0; e < 2 * b->near; e++) {
    if (b->pair[e] >= b->atoms) b->atoms = b->pair[e] + 1;
    if (e < 2 * b->pivots) b->pushed = b->atoms;
  }
  b->row = rattle__arena_take(arena, (size_t)b->atoms * W * sizeof(int));
  b->from = rattle__arena_take(arena, ((size_t)b->addends + 1) * W * sizeof(int));
  b->known = rattle__arena_take(arena, ((size_t)border + 1) * W * sizeof(int));
  b->first_atom = cut->atoms, b->first_bond = cut->bonds, b->first_pivot = cut->pivots;
  b->first_upper = cut->uppers, b->first_update = cut->updates;
  cut->atoms += (size_t)b->atoms, cut->bonds += (size_t)b->near, cut->pivots += (size_t)b->pivots;
  cut->uppers += (size_t)(b->pivots * b->bonds), cut->updates += (size_t)(border * (border + 1));
  return couple(b, arena) && !arena->failed;
}

/* Enters piece q into its lane of its batch: the places of its atoms and of the results of other
 * pieces. */
static void enter(const layout *l, rattle__bond_cut *cut, int *row_of, int *rows, int q) {
  const int W = l->width, lane = l->lane_of[q];
  rattle__bond_batch *b = &cut->batch[l->batch_of[q]];
  int pair[2 * RATTLE__MOST_IN_PIECE], atom[2 * RATTLE__MOST_IN_PIECE];
  const int atoms = localise(l, q, b->near, pair, atom);
  for (int a = 0; a < atoms; a++) {
    if (row_of[atom[a]] < 0) cut->atom[row_of[atom[a]] = (*rows)++] = atom[a];
    b->row[a * W + lane] = 4 * row_of[atom[a]];
  }
  for (int e = 0; e < b->bonds; e++) {
    const int k = bond_of(l, q)[e];
    if (e >= b->pivots)
      b->known[(e - b->pivots) * W + lane] = k; /* cut->home is not known yet */
    else {
      cut->vector[k] = (int)((b->first_bond + (size_t)e) * 3 * (size_t)W) + lane;
      cut->home[k] = (int)((b->first_pivot + (size_t)e) * (size_t)W) + lane;
    }
  }
  int *from = b->from + lane;
  for (int rights = 0; rights < 2; rights++)
    for (int c = l->child[q]; c >= 0; c = l->sibling[c]) {
      const size_t first = cut->batch[l->batch_of[c]].first_update;
      const int m = border_of(l, c), end = rights ? m * (m + 1) : m * m;
      for (int e = rights ? m * m : 0; e < end; e++, from += W)
        *from = (int)((first + (size_t)e) * (size_t)W) + l->lane_of[c];
    }
}

/* The lanes that a last batch leaves get its last piece. */
static void fill_lanes(rattle__bond_batch *b, int width, int lanes) {
  int *const lists[] = {b->row, b->from, b->known},
             counts[] = {b->atoms, b->addends, b->bonds - b->pivots};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < counts[i]; k++)
      for (int lane = lanes; lane < width; lane++)
        lists[i][k * width + lane] = lists[i][k * width + lanes - 1];
}

/* --- which pieces are eliminated together ----------------------------------------------------- */

static void append(const layout *l, ready *to, int q) {
  l->next[q] = -1;
  if (to->count++)
    l->next[to->last] = q;
  else
    to->first = q;
  to->last = q;
}

/* The best list: one that holds W pieces, if there is any; among such, or among all, the one whose
 * first piece is farthest from the root. */
static ready *best_of(const layout *l, ready *lists, int count) {
  ready *best = NULL;
  for (ready *r = lists; r < lists + count; r++) {
    if (!r->count) continue;
    const int full = r->count >= l->width, best_full = best && best->count >= l->width;
    if (!best || full > best_full ||
        (full == best_full && l->depth[r->first] > l->depth[best->first]))
      best = r;
  }
  return best;
}

static void count_depths(layout *l) {
  const rattle__bond_pieces *p = &l->pieces;
  for (int q = p->count - 1; q >= 0; q--) {
    l->depth[q] = p->parent[q] < 0 ? 0 : l->depth[p->parent[q]] + 1;
    l->missing[q] = 0;
  }
  for (int q = 0; q < p->count; q++)
    if (p->parent[q] >= 0) l->missing[p->parent[q]]++;
}

/* Batches, in an order in which each piece comes after the pieces whose changes it adds. The order
 * changes no result. */
static int gather_batches(layout *l, rattle__bond_cut *cut, ready *lists, rattle__arena *arena) {
  const int count = l->pieces.count;
  int many = 0;
  count_depths(l);
  for (int k = 0; k < count; k++) {
    many += k == 0 || !same_form(&l->forms[k], &l->forms[k - 1]);
    l->form_of[l->forms[k].piece] = many - 1, l->sample[many - 1] = k;
  }
  for (int q = 0; q < count; q++)
    if (!l->missing[q]) append(l, &lists[l->form_of[q]], q);
  for (ready *from; (from = best_of(l, lists, many));) {
    int lanes = 0, piece[8];
    const int batch = cut->batches++;
    if (!begin_batch(cut, &cut->batch[batch], &l->forms[l->sample[from - lists]], l->width, arena))
      return 0;
    for (; lanes < l->width && from->count; lanes++, from->count--) {
      const int q = piece[lanes] = from->first;
      from->first = l->next[q];
      l->batch_of[q] = batch, l->lane_of[q] = lanes;
    }
    for (int k = 0; k < lanes; k++) {
      const int parent = l->pieces.parent[piece[k]];
      l->order[l->ordered++] = piece[k];
      if (parent >= 0 && --l->missing[parent] == 0) append(l, &lists[l->form_of[parent]], parent);
    }
  }
  return 1;
}

static void write_places(layout *l, rattle__bond_shape *s) {
  const int count = l->pieces.count, W = l->width;
  rattle__bond_cut *cut = s->cut;
  int rows = 0, *row_of = l->done; /* no longer needed */
  for (int a = 0; a < s->atoms; a++) row_of[a] = -1;
  for (int k = 0; k < count; k++) {
    const int q = l->order[k], batch = l->batch_of[q];
    enter(l, cut, row_of, &rows, q);
    if (k + 1 == count || l->batch_of[l->order[k + 1]] != batch)
      fill_lanes(&cut->batch[batch], W, l->lane_of[q] + 1);
  }
  for (int b = 0; b < cut->batches; b++)
    for (int e = 0; e < (cut->batch[b].bonds - cut->batch[b].pivots) * W; e++)
      cut->batch[b].known[e] = cut->home[cut->batch[b].known[e]];
  for (int e = 0; e < 2 * s->bonds; e++) cut->ends[e] = 4 * row_of[l->ends[e]];
}

static int lay_out(layout *l, rattle__bond_shape *s, rattle__arena *arena) {
  const size_t bonds = (size_t)s->bonds;
  direct(l);
  relate(l);
  for (int q = 0; q < l->pieces.count; q++)
    if (!describe(l, q, arena)) return 0;
  qsort(l->forms, (size_t)l->pieces.count, sizeof *l->forms, by_form);
  s->cut = rattle__arena_take(arena, sizeof *s->cut);
  if (!s->cut) return 0;
  s->cut->batch = rattle__arena_take(arena, (size_t)l->pieces.count * sizeof *s->cut->batch);
  s->cut->atom = rattle__arena_take(arena, (size_t)s->atoms * sizeof(int));
  s->cut->ends = rattle__arena_take(arena, 4 * bonds * sizeof(int));
  if (arena->failed) return 0;
  s->cut->vector = s->cut->ends + 2 * bonds, s->cut->home = s->cut->vector + bonds;
  ready *lists = calloc((size_t)l->pieces.count, sizeof *lists);
  const int made = lists && gather_batches(l, s->cut, lists, arena);
  if (made) write_places(l, s);
  free(lists);
  return made;
}

int rattle__bonds_cut(rattle__bond_shape *s, int width, rattle__arena *arena) {
  layout l = {.shape = s, .width = width};
  int found = rattle__bonds_find_pieces(s->atoms, s->bonds, s->pair, &l.pieces);
  if (found > 0) {
    const size_t n = (size_t)s->bonds, pieces = (size_t)l.pieces.count;
    l.done = calloc((size_t)s->atoms + 4 * n + 10 * pieces, sizeof(int));
    l.forms = malloc(pieces * sizeof *l.forms);
    if (l.done && l.forms) {
      l.ends = l.done + s->atoms, l.waits = l.ends + 2 * n, l.position = l.waits + n;
      l.child = l.position + n, l.sibling = l.child + pieces, l.batch_of = l.sibling + pieces,
      l.lane_of = l.batch_of + pieces;
      l.form_of = l.lane_of + pieces, l.sample = l.form_of + pieces, l.depth = l.sample + pieces,
      l.missing = l.depth + pieces;
      l.next = l.missing + pieces, l.order = l.next + pieces;
    }
    if (!l.done || !l.forms || !lay_out(&l, s, arena)) found = -1;
    free(l.done), free(l.forms);
  }
  rattle__bonds_release_pieces(&l.pieces);
  return found;
}
