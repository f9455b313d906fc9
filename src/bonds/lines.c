/* Lines: three or more atoms that lengths hold on one line, where the gradients of the lengths
 * depend on one another.
 *
 * Found   among triangles of bonds: where the longest of three lengths is the sum of the others;
 *         triangles that share a bond are on one line
 * Kept    of each line the longest bond; the lengths of the others follow from it and from the
 *         atoms' places along the line */
#include <math.h>
#include <stdlib.h>

#include "bonds/prepare.h"
#include "ground/support/error.h"

/* Three atoms on a line, the middle one first, with bonds (0, 1), (0, 2), (1, 2). */
typedef struct straight_triple {
  int atom[3], bond[3], line;
} straight_triple;

static const double slack = 1e-7;

typedef struct line_search {
  const rattle__bond_prepared *p;
  const int *first, *end; /* bonds of each atom */
  int *mark;              /* of atoms: the bond from the atom at hand, from 1 on */
  int *root;              /* of bonds: one that is on the same line */
  straight_triple *of;
  int count, room;
} line_search;

/* By which part of the longest of three lengths it is longer than both others together; on a line
 * this is 0. */
static double excess_of(const double *length) {
  const double most = fmax(length[0], fmax(length[1], length[2]));
  return 2 - (length[0] + length[1] + length[2]) / most;
}

static int other_end(const line_search *f, int bond, int atom) {
  const int *pair = f->p->pair + 2 * (size_t)bond;
  return pair[0] == atom ? pair[1] : pair[0];
}

static int root_of(int *root, int k) {
  while (root[k] != k) k = root[k] = root[root[k]];
  return k;
}

/* --- triangles -------------------------------------------------------------------------------- */

static rattle_status add(line_search *f, const straight_triple *s, rattle_error *error) {
  if (!f->root) {
    f->root = malloc((size_t)f->p->all * sizeof *f->root);
    for (int k = 0; k < f->p->all && f->root; k++) f->root[k] = k;
  }
  if (f->count == f->room) {
    straight_triple *of = realloc(f->of, (2 * (size_t)f->room + 16) * sizeof *of);
    if (of) f->of = of, f->room = 2 * f->room + 16;
  }
  if (!f->root || f->count == f->room) return rattle__no_memory(error);
  f->of[f->count++] = *s;
  for (int e = 1; e < 3; e++) f->root[root_of(f->root, s->bond[e])] = root_of(f->root, s->bond[0]);
  return RATTLE_OK;
}

/* A triangle whose bond k is opposite to atom k. A length longer than the sum of the others is an
 * error; equal to the sum, the atoms are on a line. */
static rattle_status examine(line_search *f, const int atom[3], const int bond[3],
                             rattle_error *error) {
  double length[3];
  int a = 0;
  for (int k = 0; k < 3; k++) {
    length[k] = f->p->length[bond[k]];
    if (length[k] > length[a]) a = k;
  }
  const int b = a == 0, c = a == 2 ? 1 : 2;
  const double excess = excess_of(length), sum = length[b] + length[c];
  if (excess < -slack) return RATTLE_OK;
  if (excess > slack)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lengths",
                        "atoms %d, %d and %d cannot have their lengths: %g between %d and %d is "
                        "longer than the others together, %g",
                        atom[b], atom[c], atom[a], length[a], atom[b], atom[c], sum);
  if (fabs(excess) > 1e-13)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lengths",
                        "atoms %d, %d and %d nearly lie on a line: give %.17g instead of %.17g "
                        "between %d and %d, the sum of the "
                        "others",
                        atom[b], atom[a], atom[c], sum, length[a], atom[b], atom[c]);
  for (int k = 0; k < 3; k++)
    if (!isfinite(f->p->topology.masses[atom[k]]))
      return rattle__fail(error, RATTLE_UNSUITABLE, "masses",
                          "atoms %d, %d and %d lie on a line, and the mass of atom %d is infinite: "
                          "omit the length between %d and "
                          "%d, or let it move",
                          atom[b], atom[a], atom[c], atom[k], atom[b], atom[c]);
  return add(f, &(straight_triple){{atom[a], atom[b], atom[c]}, {bond[c], bond[b], bond[a]}, 0},
             error);
}

static rattle_status visit(line_search *f, int a, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int e = f->first[a]; e < f->first[a + 1]; e++)
    f->mark[other_end(f, f->end[e], a)] = f->end[e] + 1;
  for (int e = f->first[a]; e < f->first[a + 1]; e++) {
    const int b = other_end(f, f->end[e], a);
    for (int g = f->first[b]; g < f->first[b + 1] && b > a && !status; g++) {
      const int c = other_end(f, f->end[g], b);
      if (c > b && f->mark[c])
        status = examine(f, (int[]){a, b, c}, (int[]){f->end[g], f->mark[c] - 1, f->end[e]}, error);
    }
  }
  for (int e = f->first[a]; e < f->first[a + 1]; e++) f->mark[other_end(f, f->end[e], a)] = 0;
  return status;
}

/* --- lines ------------------------------------------------------------------------------------ */

static int by_line(const void *a, const void *b) {
  const straight_triple *p = a, *q = b;
  for (int e = 0; e < 3; e++)
    if (p->atom[e] != q->atom[e] && p->line == q->line) return p->atom[e] < q->atom[e] ? -1 : 1;
  return (p->line > q->line) - (p->line < q->line);
}

/* The entry of an atom in the line that is being made, or -1. */
static int entry_of(const rattle__bond_lines *l, int atom) {
  for (int e = l->first[l->count]; e < l->first[l->count + 1]; e++)
    if (l->atom[e] == atom) return e;
  return -1;
}

static void put(rattle__bond_lines *l, int atom, double place) {
  const int e = l->first[l->count + 1]++;
  l->atom[e] = atom, l->place[e] = place;
}

/* The third atom of s where two have places; 1: something was done. */
static int extend(const line_search *f, rattle__bond_lines *l, const straight_triple *s) {
  double place[3] = {0}, d[2];
  int missing = -1, missed = 0;
  for (int a = 0; a < 3; a++) {
    const int e = entry_of(l, s->atom[a]);
    if (e < 0)
      missing = a, missed++;
    else
      place[a] = l->place[e];
  }
  if (missed != 1) return 0;
  for (int e = 0; e < 2; e++) d[e] = f->p->length[s->bond[e]];
  if (missing == 0)
    put(l, s->atom[0], (place[1] * d[1] + place[2] * d[0]) / (d[0] + d[1]));
  else
    put(l, s->atom[missing],
        place[0] + (place[0] < place[3 - missing] ? -d[missing - 1] : d[missing - 1]));
  return 1;
}

static rattle_status check_places(const line_search *f, const rattle__bond_lines *l,
                                  const straight_triple *s, rattle_error *error) {
  for (int k = 0; k < 3; k++) {
    const int a = s->atom[k == 2], b = s->atom[k == 0 ? 1 : 2];
    const double apart = fabs(l->place[entry_of(l, a)] - l->place[entry_of(l, b)]),
                 d = f->p->length[s->bond[k]];
    if (!(fabs(apart - d) <= 1e-12 * d))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lengths",
                          "atoms %d and %d lie on a line where other lengths place them %.17g "
                          "apart, not %.17g: give that length",
                          a, b, apart, d);
  }
  return RATTLE_OK;
}

/* The line of the triangles [s, s + count): atoms, places, and the bond that is kept. */
static rattle_status make_line(line_search *f, rattle__bond_prepared *p, const straight_triple *s,
                               int count, rattle_error *error) {
  rattle__bond_lines *l = &p->lines;
  l->first[l->count + 1] = l->first[l->count];
  put(l, s->atom[1], 0);
  put(l, s->atom[0], p->length[s->bond[0]]);
  for (int more = 1; more;) {
    more = 0;
    for (int k = 0; k < count; k++) more |= extend(f, l, &s[k]);
  }
  rattle_status status = RATTLE_OK;
  int kept = s->bond[0];
  for (int k = 0; k < count && !status; k++) {
    status = check_places(f, l, &s[k], error);
    for (int e = 0; e < 3; e++) {
      const int bond = s[k].bond[e];
      l->bonds[l->count] += l->of_bond[bond] < 0;
      l->of_bond[bond] = l->count, l->held[bond] = 1;
      if (p->length[bond] > p->length[kept] || (p->length[bond] == p->length[kept] && bond < kept))
        kept = bond;
    }
  }
  l->held[kept] = 0;
  l->count++;
  return status;
}

static rattle_status make_lines(line_search *f, rattle__bond_prepared *p, rattle_error *error) {
  const size_t most = 3 * (size_t)f->count, m = (size_t)p->all;
  rattle__bond_lines *l = &p->lines;
  l->first = calloc((size_t)f->count + 2, sizeof *l->first),
  l->bonds = calloc((size_t)f->count, sizeof *l->bonds);
  l->atom = malloc(most * sizeof *l->atom);
  l->place = malloc(most * sizeof *l->place), l->of_bond = malloc(m * sizeof *l->of_bond),
  l->held = calloc(m, 1);
  if (!l->first || !l->bonds || !l->atom || !l->place || !l->of_bond || !l->held)
    return rattle__no_memory(error);
  for (size_t k = 0; k < m; k++) l->of_bond[k] = -1;
  for (int k = 0; k < f->count; k++) f->of[k].line = root_of(f->root, f->of[k].bond[0]);
  qsort(f->of, (size_t)f->count, sizeof *f->of, by_line);
  rattle_status status = RATTLE_OK;
  for (int from = 0, to; from < f->count && !status; from = to) {
    for (to = from; to < f->count && f->of[to].line == f->of[from].line; to++) continue;
    status = make_line(f, p, f->of + from, to - from, error);
  }
  return status;
}

rattle_status rattle__bonds_find_lines(rattle__bond_prepared *p, const int *first, const int *end,
                                       rattle_error *error) {
  line_search f = {.p = p, .first = first, .end = end};
  f.mark = calloc((size_t)p->topology.atoms, sizeof *f.mark);
  rattle_status status = f.mark ? RATTLE_OK : rattle__no_memory(error);
  for (int a = 0; a < p->topology.atoms && !status; a++)
    if (first[a + 1] - first[a] > 1) status = visit(&f, a, error);
  if (!status && f.count) status = make_lines(&f, p, error);
  free(f.mark), free(f.root), free(f.of);
  return status;
}

void rattle__bonds_release_lines(rattle__bond_lines *l) {
  free(l->first), free(l->bonds), free(l->atom), free(l->place), free(l->of_bond), free(l->held);
  *l = (rattle__bond_lines){0};
}
