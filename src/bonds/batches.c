/* The pieces of a cluster in the lanes of vectors: pieces that have one form, W at a time.
 *
 * The form of a piece is how many bonds it has, how many of them are pivots, and which of their
 * local atoms bonds share. So that many pieces have one form, bonds are directed and border bonds
 * ordered by the atoms that they share with pivots, and a border bond that shares none has a place
 * like others and couplings of 0. The pieces of a batch may add different updates: a lane that adds
 * none where others do adds a place of updates that is 0. */
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "bonds/cut.h"

/* A piece in local numbers, by which forms are compared: bonds, pivots, local atoms of bonds. */
typedef struct form {
  int piece;
  int *key, length;
} form;

/* An addend of a piece: to which entry, an update of which child. */
typedef struct addend {
  int target, child, entry, turn;
} addend;

/* Pieces of one form that can be eliminated now, as a list. */
typedef struct ready {
  int first, last, count;
} ready;

/* While a cluster is laid out. */
typedef struct layout {
  const rattle__bond_shape *shape;
  rattle__bond_pieces pieces;
  int *child, *sibling; /* pieces whose updates a piece adds, the first and the next; -1: none */
  int *rows;            /* of atoms */
  int *waits;           /* of each bond: how many pieces change it */
  int *position;        /* of each bond in the piece at hand */
  addend *addend;       /* of W pieces [W][most] */
  int most;
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

static int border_of(const layout *l, int q) {
  return bonds_of(l, q) - l->pieces.pivots[q];
}

static rattle__bond_locals local_atoms(const layout *l, int q) {
  return rattle__bonds_localise(&l->pieces, l->shape->pair, l->waits, q);
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
  for (int q = 0; q < p->count; q++) local_atoms(l, q);
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

/* The form of q, and how many updates it adds at most. */
static int describe(layout *l, int q, rattle__arena *arena) {
  form *f = &l->forms[q];
  const rattle__bond_locals n = local_atoms(l, q);
  int addends = 0;
  for (int c = l->child[q]; c >= 0; c = l->sibling[c])
    addends += border_of(l, c) * (border_of(l, c) + 1);
  if (addends > l->most) l->most = addends;
  f->piece = q, f->length = 2 + 2 * bonds_of(l, q);
  f->key = rattle__arena_take(arena, (size_t)f->length * sizeof(int));
  if (!f->key) return 0;
  f->key[0] = bonds_of(l, q), f->key[1] = l->pieces.pivots[q];
  memcpy(f->key + 2, n.pair, 2 * (size_t)bonds_of(l, q) * sizeof(int));
  return 1;
}

static int by_target(const void *a, const void *b) {
  const addend *p = a, *q = b;
  return p->target != q->target ? p->target - q->target : p->turn - q->turn;
}

/* The addends of q, entries of the matrix and then right sides, each in the order of the children,
 * and an end. */
static void list_addends(layout *l, int q, addend *list) {
  const int m = bonds_of(l, q);
  int count = 0;
  sort_children(l, q);
  for (int c = l->child[q]; c >= 0; c = l->sibling[c]) {
    const int *border = bond_of(l, c) + l->pieces.pivots[c], edge = border_of(l, c);
    for (int i = 0; i <= edge; i++)
      for (int j = 0; j < edge; j++, count++) {
        const int row = i < edge ? l->position[border[i]] : m;
        list[count] = (addend){row * m + l->position[border[j]], c, i * edge + j, count};
      }
  }
  qsort(list, (size_t)count, sizeof *list, by_target);
  list[count].target = -1;
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

/* The couplings of pivots with later bonds, pivot by pivot. */
static int couple(rattle__bond_batch *b, rattle__arena *arena) {
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    for (int k = 0; k < b->pivots; k++)
      for (int e = k + 1; e < b->bonds; e++) {
        const int at = rattle__bonds_meet_at(b->pair + 2 * k, b->pair + 2 * e);
        if (at && pass)
          b->coupling[count] = (rattle__bond_coupling){
              0, k, e, b->pair[2 * k + (at == 2 || at == -2)], at > 0 ? 1 : -1};
        count += at != 0;
      }
    b->couplings = count;
    if (!pass &&
        !(b->coupling = rattle__arena_take(arena, ((size_t)count + 1) * sizeof *b->coupling)))
      return 0;
  }
  return 1;
}

static int form_of(const rattle__bond_batch *b) {
  static const int at_two[] = {0, 1, 0, 2, 0, 3, 2, 4};
  int at_one = 1;
  for (int e = 0; e < b->bonds; e++) at_one &= b->pair[2 * e] == 0 && b->pair[2 * e + 1] == e + 1;
  if (at_one) return RATTLE__PIECE_AT_ONE(b->pivots, b->bonds);
  return b->pivots == 2 && b->bonds == 4 && !memcmp(b->pair, at_two, sizeof at_two)
             ? RATTLE__PIECE_AT_TWO
             : RATTLE__PIECE_ANY;
}

/* The next of what W lanes add, each of which has come to at[lane]; -1: nothing. */
static int next_target(addend *const *at, int lanes) {
  int next = -1;
  for (int k = 0; k < lanes; k++)
    if (at[k]->target >= 0 && (next < 0 || at[k]->target < next)) next = at[k]->target;
  return next;
}

/* The updates that a batch with these pieces adds, by targets: as often as the lane that adds most
 * there. */
static int merge_addends(layout *l, const rattle__bond_cut *cut, rattle__bond_batch *b,
                         const int *piece, int lanes, rattle__arena *arena) {
  for (int k = 0; k < lanes; k++) list_addends(l, piece[k], l->addend + k * (l->most + 1));
  for (int pass = 0; pass < 2; pass++) {
    addend *at[8];
    int target, count = 0;
    for (int k = 0; k < lanes; k++) at[k] = l->addend + k * (l->most + 1);
    for (; (target = next_target(at, lanes)) >= 0; count++)
      for (int k = 0; k < lanes; k++) {
        const int adds = at[k]->target == target;
        if (pass) b->target[count] = target, b->from[count * l->width + k] = k;
        if (pass && adds)
          b->from[count * l->width + k] =
              (int)((cut->batch[l->batch_of[at[k]->child]].first_update + (size_t)at[k]->entry) *
                    (size_t)l->width) +
              l->lane_of[at[k]->child];
        at[k] += adds;
      }
    b->addends = count;
    if (pass) break;
    b->target = rattle__arena_take(arena, ((size_t)count + 1) * sizeof(int));
    b->from = rattle__arena_take(arena, ((size_t)count + 1) * (size_t)l->width * sizeof(int));
    if (arena->failed) return 0;
  }
  while (b->entries < b->addends && b->target[b->entries] < b->bonds * b->bonds) b->entries++;
  return 1;
}

/* A batch of form f, and its place after what `cut` has so far. */
static int begin_batch(rattle__bond_cut *cut, rattle__bond_batch *b, const form *f, int width,
                       rattle__arena *arena) {
  const size_t W = (size_t)width;
  const int border = f->key[0] - f->key[1];
  *b = (rattle__bond_batch){.bonds = f->key[0], .pivots = f->key[1], .pair = f->key + 2};
  for (int e = 0; e < 2 * b->bonds; e++) {
    if (b->pair[e] >= b->atoms) b->atoms = b->pair[e] + 1;
    if (e < 2 * b->pivots) b->pushed = b->atoms;
  }
  if (!couple(b, arena)) return 0;
  b->row = rattle__arena_take(arena, (size_t)b->atoms * W * sizeof(int));
  b->bond = rattle__arena_take(arena, (size_t)b->bonds * W * sizeof(int));
  b->known = rattle__arena_take(arena, ((size_t)border + 1) * W * sizeof(int));
  b->sign = rattle__arena_take(arena, ((size_t)b->couplings + 1) * W * sizeof(int));
  b->first_atom = cut->atoms, b->first_bond = cut->bonds, b->first_pivot = cut->pivots;
  b->first_upper = cut->uppers, b->first_update = cut->updates;
  b->first_factor = cut->factors, b->form = form_of(b);
  cut->atoms += (size_t)b->atoms, cut->bonds += (size_t)b->bonds, cut->pivots += (size_t)b->pivots;
  cut->uppers += (size_t)(b->pivots * b->bonds), cut->updates += (size_t)(border * (border + 1));
  cut->factors += (size_t)(b->pivots + b->couplings);
  return !arena->failed;
}

/* Enters piece q into its lane of its batch: the places of its atoms and of the results of other
 * pieces. */
static void enter(const layout *l, rattle__bond_cut *cut, int *row_of, int *rows, int q) {
  const int W = l->width, lane = l->lane_of[q];
  rattle__bond_batch *b = &cut->batch[l->batch_of[q]];
  const rattle__bond_locals n = local_atoms(l, q);
  for (int a = 0; a < n.count; a++) {
    if (row_of[n.atom[a]] < 0) cut->atom[row_of[n.atom[a]] = (*rows)++] = n.atom[a];
    b->row[a * W + lane] = 4 * row_of[n.atom[a]];
  }
  for (int c = 0; c < b->couplings; c++) {
    const rattle__bond_coupling *of = &b->coupling[c];
    const int *end = l->shape->pair + 2 * bond_of(l, q)[of->column], at = n.atom[of->atom];
    b->sign[c * W + lane] = end[0] == at || end[1] == at ? (int)of->sign : 0;
  }
  for (int e = 0; e < b->bonds; e++) {
    const int k = b->bond[e * W + lane] = bond_of(l, q)[e];
    if (e >= b->pivots) {
      b->known[(e - b->pivots) * W + lane] = k; /* cut->home is not known yet */
      continue;
    }
    cut->vector[k] = (int)((b->first_bond + (size_t)e) * 3 * (size_t)W) + lane;
    cut->home[k] = (int)((b->first_pivot + (size_t)e) * (size_t)W) + lane;
    for (int i = 0; i < 2; i++) cut->ends[2 * k + i] = b->row[n.pair[2 * e + i] * W + lane];
  }
}

/* The lanes that a last batch leaves get its last piece. */
static void fill_lanes(rattle__bond_batch *b, int width, int lanes) {
  int *const lists[] = {b->row, b->from, b->known, b->sign, b->bond},
             counts[] = {b->atoms, b->addends, b->bonds - b->pivots, b->couplings, b->bonds};
  for (int i = 0; i < 5; i++)
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
    if (!merge_addends(l, cut, &cut->batch[batch], piece, lanes, arena)) return 0;
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
  int rows = 0, *row_of = l->rows;
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
}

static int lay_out(layout *l, rattle__bond_shape *s, rattle__arena *arena) {
  const size_t bonds = (size_t)s->bonds;
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
  s->cut->width = l->width, s->cut->pieces = l->pieces.count;
  s->cut->updates = 1; /* the zeros */
  ready *lists = calloc((size_t)l->pieces.count, sizeof *lists);
  l->addend = malloc((size_t)l->width * ((size_t)l->most + 1) * sizeof *l->addend);
  const int made = lists && l->addend && gather_batches(l, s->cut, lists, arena);
  if (made) write_places(l, s);
  free(lists), free(l->addend);
  return made;
}

int rattle__bonds_cut(rattle__bond_shape *s, int width, rattle__arena *arena) {
  layout l = {.shape = s, .width = width};
  int found = rattle__bonds_find_pieces(s->atoms, s->bonds, s->pair, &l.pieces);
  if (found > 0) {
    const size_t n = (size_t)s->bonds, pieces = (size_t)l.pieces.count;
    l.rows = calloc((size_t)s->atoms + 2 * n + 10 * pieces, sizeof(int));
    l.forms = malloc(pieces * sizeof *l.forms);
    if (l.rows && l.forms) {
      l.waits = l.rows + s->atoms, l.position = l.waits + n;
      l.child = l.position + n, l.sibling = l.child + pieces, l.batch_of = l.sibling + pieces,
      l.lane_of = l.batch_of + pieces;
      l.form_of = l.lane_of + pieces, l.sample = l.form_of + pieces, l.depth = l.sample + pieces,
      l.missing = l.depth + pieces;
      l.next = l.missing + pieces, l.order = l.next + pieces;
    }
    if (!l.rows || !l.forms || !lay_out(&l, s, arena)) found = -1;
    free(l.rows), free(l.forms);
  }
  rattle__bonds_release_pieces(&l.pieces);
  return found;
}
