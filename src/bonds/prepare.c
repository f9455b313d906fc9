/* A topology before its clusters are found: angles become bonds; then its blocks, parts that no
 * atom alone holds together, are examined: bonds of different blocks are independent of one
 * another.
 *
 * Blocks  R. Tarjan, SIAM J. Comput. 1 (1972) 146, with a stack of its own instead of recursion */
#include "bonds/prepare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bodies.h"
#include "bonds/flat.h"
#include "ground/support/error.h"

enum { MOST_ATOMS = 60, TABLE = 4096 };

/* A block already examined, with the results: most molecules occur often. */
typedef struct known_block {
  int atoms, bonds, *pair;
  double *length;
  char *left_out;
  int worst;
  double off;
  rattle__bond_rigidity found;
} known_block;

typedef struct block_search {
  rattle__bond_prepared *out;
  int *first, *end; /* bonds of each atom */
  int *number, *low, *next, *by,
      *path; /* of atoms: in the order of the walk; the least reached; the next bond; the bond
                come by */
  int *stack, stacked, *local,
      *list;        /* bonds of blocks that are not complete; local numbers and atoms of a block */
  char *left_out;   /* [all] */
  double tolerance; /* of lengths, relative */
  known_block *known[TABLE];
} block_search;

static int other_end(const block_search *f, int bond, int atom) {
  const int *pair = f->out->pair + 2 * (size_t)bond;
  return pair[0] == atom ? pair[1] : pair[0];
}

static int compare(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* --- a block ---------------------------------------------------------------------------------- */

/* P of the lines of a block with `count` bonds, for masses of 1; atoms in local numbers. NULL: no
 * memory, or lines that depend on one another, an error that the search for clusters reports. */
static double *project_block(const block_search *f, const int *bond, int count, int atoms) {
  const rattle__bond_lines *l = &f->out->lines;
  int *first = calloc((size_t)(count + 2), sizeof *first), lines = 0, entries = 0;
  int *atom = malloc(2 * (size_t)count * sizeof *atom);
  double *place = malloc(2 * (size_t)count * sizeof *place),
         *ones = malloc((size_t)atoms * sizeof *ones);
  double *p = malloc((size_t)atoms * (size_t)atoms * sizeof *p);
  int good = first && atom && place && ones && p;
  for (int b = 0; b < count && good; b++) {
    const int line = l->of_bond[bond[b]];
    if (line < 0 || l->held[bond[b]]) continue; /* each line has one that is not */
    for (int e = l->first[line]; e < l->first[line + 1]; e++, entries++)
      atom[entries] = f->local[l->atom[e]], place[entries] = l->place[e];
    first[++lines] = entries;
  }
  for (int a = 0; a < atoms && good; a++) ones[a] = 1;
  good = good && rattle__bonds_projection(atoms, &(rattle__bond_places){lines, first, atom, place},
                                          ones, p);
  free(first), free(atom), free(place), free(ones);
  if (!good) free(p);
  return good ? p : NULL;
}

/* Examines the bonds that lines do not hold. */
static void find_rank(block_search *f, known_block *k, const int *bond) {
  const char *held = f->out->lines.held;
  rattle__bond_part part = {
      .atoms = k->atoms, .pair = k->pair, .length = k->length, .bonds = k->bonds};
  int lines = 0, worst = 0;
  for (int b = 0; b < k->bonds; b++) lines += held && held[bond[b]];
  if (!lines) {
    k->found = rattle__bonds_rigidity(&part, f->tolerance, k->left_out, &k->worst, &k->off);
    return;
  }
  const size_t m = (size_t)k->bonds;
  int *pair = malloc(3 * m * sizeof *pair), *number = pair + 2 * m;
  double *length = malloc(m * sizeof *length), *p = project_block(f, bond, k->bonds, k->atoms);
  char *left_out = malloc(m);
  k->found = pair && length && left_out ? RATTLE__BOND_FINE : RATTLE__BOND_NO_MEMORY;
  if (p && !k->found) {
    part = (rattle__bond_part){.atoms = k->atoms, .pair = pair, .length = length, .project = p};
    for (int b = 0; b < k->bonds; b++) {
      if (held[bond[b]]) continue;
      memcpy(pair + 2 * part.bonds, k->pair + 2 * b, 2 * sizeof *pair);
      number[part.bonds] = b, length[part.bonds++] = k->length[b];
    }
    k->found = rattle__bonds_rigidity(&part, f->tolerance, left_out, &worst, &k->off);
    k->worst = number[worst];
    for (int b = 0; b < part.bonds; b++) k->left_out[number[b]] = left_out[b];
  }
  free(pair), free(length), free(p), free(left_out);
}

/* The block of `count` bonds, or one like it, from the table; NULL: no memory. */
static known_block *find_block(block_search *f, const int *bond, int count, int atoms) {
  const size_t m = (size_t)count;
  int *pair = malloc(2 * m * sizeof *pair);
  double *length = malloc(m * sizeof *length);
  char *left_out = calloc(m, 1);
  known_block *k = malloc(sizeof *k);
  size_t hash = m;
  for (int b = 0; b < count && pair && length; b++) {
    for (int e = 0; e < 2; e++) {
      pair[2 * b + e] = f->local[f->out->pair[2 * (size_t)bond[b] + e]];
      hash = (hash ^ (size_t)pair[2 * b + e]) * 0x100000001b3u;
    }
    length[b] = f->out->length[bond[b]];
    hash = (hash ^ (size_t)(length[b] * 1e6)) * 0x100000001b3u;
  }
  known_block **at = &f->known[(hash ^ hash >> 29) % TABLE];
  const int same = pair && length && *at && (*at)->bonds == count &&
                   !memcmp((*at)->pair, pair, 2 * m * sizeof *pair) &&
                   !memcmp((*at)->length, length, m * sizeof *length);
  if (!pair || !length || !left_out || !k || same) {
    const int failed = !same;
    free(pair), free(length), free(left_out), free(k);
    return failed ? NULL : *at;
  }
  if (*at) free((*at)->pair), free((*at)->length), free((*at)->left_out), free(*at);
  *k = (known_block){
      .atoms = atoms, .bonds = count, .pair = pair, .length = length, .left_out = left_out};
  find_rank(f, k, bond);
  return *at = k;
}

/* Makes room for one more flat molecule; 0: no memory. */
static int extend_flats(rattle__bond_flats *l, long long all, int atoms) {
  const int entries = l->count ? l->first[l->count] : 0;
  int *first = realloc(l->first, ((size_t)l->count + 2) * sizeof *first);
  if (first) l->first = first;
  int *atom = realloc(l->atom, (size_t)(entries + atoms) * sizeof *atom);
  if (atom) l->atom = atom;
  double *place = realloc(l->place, 2 * (size_t)(entries + atoms) * sizeof *place);
  if (place) l->place = place;
  if (!l->of_bond) l->of_bond = calloc((size_t)all, 1);
  if (first) l->first[l->count] = entries, l->first[l->count + 1] = entries + atoms;
  return first && atom && place && l->of_bond;
}

/* True if a block is a whole cluster of atoms that move, with all its distances. */
static int is_complete(const block_search *f, const known_block *k) {
  const double *mass = f->out->topology.masses;
  if (k->bonds != k->atoms * (k->atoms - 1) / 2) return 0;
  for (int i = 0; i < k->atoms; i++) {
    const int a = f->list[i];
    if (f->first[a + 1] - f->first[a] != k->atoms - 1 || !isfinite(mass[a])) return 0;
  }
  return 1;
}

/* Takes a block as a rigid body if its distances are those of places in a plane. */
static rattle_status lay_flat(block_search *f, const known_block *k, const int *bond, int *laid,
                              rattle_error *error) {
  const size_t n = (size_t)k->atoms;
  rattle__bond_flats *l = &f->out->flats;
  int worst;
  *laid = 0;
  if (!is_complete(f, k)) return RATTLE_OK;
  double *length = calloc(n * n, sizeof *length);
  if (!length || !extend_flats(l, f->out->all, k->atoms))
    return free(length), rattle__no_memory(error);
  for (int b = 0; b < k->bonds; b++) {
    const size_t i = (size_t)k->pair[2 * b], j = (size_t)k->pair[2 * b + 1];
    length[i * n + j] = length[j * n + i] = k->length[b];
  }
  const int first = l->first[l->count];
  *laid =
      rattle__bonds_lay_flat(k->atoms, length, l->place + 2 * first, &worst) <= f->tolerance / 2;
  free(length);
  if (!*laid) return RATTLE_OK;
  memcpy(l->atom + first, f->list, n * sizeof *l->atom);
  for (int b = 0; b < k->bonds; b++) l->of_bond[bond[b]] = 1;
  l->count++;
  return RATTLE_OK;
}

static rattle_status judge(block_search *f, const known_block *k, const int *bond,
                           rattle_error *error) {
  const int *worst = f->out->pair + 2 * (size_t)bond[k->worst];
  int laid = 0;
  if (k->found == RATTLE__BOND_FLAT) {
    const rattle_status status = lay_flat(f, k, bond, &laid, error);
    if (status || laid) return status;
  }
  switch (k->found) {
  case RATTLE__BOND_NO_MEMORY:
    return rattle__no_memory(error);
  case RATTLE__BOND_CONTRADICTS:
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "lengths",
                        "%d bonds of %d atoms contradict one another: no positions were found that "
                        "have their lengths; nearest "
                        "to it the length between atoms %d and %d is off by %.2g of it, more than "
                        "half of the tolerance of %g: "
                        "give more digits of lengths and angles, a larger tolerance, or omit one "
                        "that follows from the others",
                        k->bonds, k->atoms, worst[0], worst[1], k->off, f->tolerance);
  case RATTLE__BOND_FLAT:
    return rattle__fail(error, RATTLE_UNSUITABLE, "lengths",
                        "%d bonds of %d atoms hold them where constraints depend on one another, "
                        "as on a line or in a plane: omit "
                        "the length between atoms %d and %d, which only bends there, or give all "
                        "distances of a flat molecule that is bonded to no other atoms, which "
                        "moves as a rigid body",
                        k->bonds, k->atoms, worst[0], worst[1]);
  case RATTLE__BOND_REPEATS:
    for (int b = 0; b < k->bonds; b++) f->left_out[bond[b]] = k->left_out[b];
    return RATTLE_OK;
  default:
    return RATTLE_OK;
  }
}

/* bond [count]; a single ring needs no examination: triangles had theirs. */
static rattle_status examine(block_search *f, int *bond, int count, rattle_error *error) {
  if (count < 3) return RATTLE_OK;
  qsort(bond, (size_t)count, sizeof *bond, compare);
  int atoms = 0;
  for (int e = 0; e < 2 * count; e++) f->local[f->out->pair[2 * (size_t)bond[e / 2] + e % 2]] = -1;
  for (int e = 0; e < 2 * count; e++) {
    const int a = f->out->pair[2 * (size_t)bond[e / 2] + e % 2];
    if (f->local[a] < 0) f->local[a] = 0, f->list[atoms++] = a;
  }
  if (count == atoms || atoms < 3 || atoms > MOST_ATOMS) return RATTLE_OK;
  qsort(f->list, (size_t)atoms, sizeof *f->list, compare);
  for (int k = 0; k < atoms; k++) f->local[f->list[k]] = k;
  const known_block *known = find_block(f, bond, count, atoms);
  return known ? judge(f, known, bond, error) : rattle__no_memory(error);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* One step of the walk from the end of the path of `length` atoms; the new length. */
static int advance(block_search *f, int length, int *visited, rattle_status *status,
                   rattle_error *error) {
  const int a = f->path[length - 1];
  if (f->next[a] < f->first[a + 1]) {
    const int e = f->end[f->next[a]++], b = other_end(f, e, a);
    if (e == f->by[a] || f->number[b] > f->number[a]) return length;
    f->stack[f->stacked++] = e;
    if (f->number[b]) {
      if (f->number[b] < f->low[a]) f->low[a] = f->number[b];
      return length;
    }
    f->by[b] = e, f->next[b] = f->first[b];
    f->number[b] = f->low[b] = ++*visited;
    f->path[length] = b;
    return length + 1;
  }
  if (length == 1) return 0;
  const int before = f->path[length - 2];
  if (f->low[a] < f->low[before]) f->low[before] = f->low[a];
  if (f->low[a] >= f->number[before]) {
    int from = f->stacked - 1;
    while (f->stack[from] != f->by[a]) from--;
    *status = examine(f, f->stack + from, f->stacked - from, error);
    f->stacked = from;
  }
  return length - 1;
}

static rattle_status walk(block_search *f, int atoms, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  int visited = 0;
  for (int root = 0; root < atoms && !status; root++) {
    if (f->number[root] || f->first[root + 1] == f->first[root]) continue;
    f->number[root] = f->low[root] = ++visited;
    f->by[root] = -1, f->next[root] = f->first[root], f->path[0] = root;
    for (int length = 1; length > 0 && !status;)
      length = advance(f, length, &visited, &status, error);
  }
  return status;
}

static rattle_status find_repeated(rattle__bond_prepared *p, int atoms, double tolerance,
                                   rattle_error *error) {
  const size_t n = (size_t)atoms, m = (size_t)p->all;
  block_search *f = calloc(1, sizeof *f);
  int *room = calloc(8 * n + 2 + 3 * m, sizeof *room);
  char *left_out = calloc(m + 1, 1);
  rattle_status status = f && room && left_out ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    *f = (block_search){.out = p, .first = room, .left_out = left_out, .tolerance = tolerance};
    f->number = room + n + 2, f->low = f->number + n, f->next = f->low + n, f->by = f->next + n,
    f->path = f->by + n;
    f->local = f->path + n, f->list = f->local + n, f->end = f->list + n, f->stack = f->end + 2 * m;
    for (size_t e = 0; e < 2 * m; e++) f->first[p->pair[e] + 2]++;
    for (size_t a = 0; a < n; a++) f->first[a + 2] += f->first[a + 1];
    for (size_t e = 0; e < 2 * m; e++) f->end[f->first[p->pair[e] + 1]++] = (int)(e / 2);
    status = rattle__bonds_find_lines(p, f->first, f->end, error);
    if (!status) status = walk(f, atoms, error);
    for (int k = 0; k < (int)m; k++)
      if (left_out[k]) p->left_out[p->left_outs++] = k;
    for (int t = 0; t < TABLE; t++)
      if (f->known[t])
        free(f->known[t]->pair), free(f->known[t]->length), free(f->known[t]->left_out),
            free(f->known[t]);
  }
  free(f);
  free(room);
  free(left_out);
  return status;
}

/* Drops the lines of flat molecules. */
static rattle_status drop_lines(rattle__bond_prepared *p, rattle_error *error) {
  rattle__bond_lines *l = &p->lines;
  if (!l->count || !p->flats.count) return RATTLE_OK;
  int *now = calloc((size_t)l->count, sizeof *now), count = 0, entries = 0;
  if (!now) return rattle__no_memory(error);
  for (long long k = 0; k < p->all; k++)
    if (p->flats.of_bond[k] && l->of_bond[k] >= 0) now[l->of_bond[k]] = -1;
  for (int line = 0; line < l->count; line++) {
    const int first = l->first[line], size = l->first[line + 1] - first;
    if (now[line] < 0) continue;
    memmove(l->atom + entries, l->atom + first, (size_t)size * sizeof *l->atom);
    memmove(l->place + entries, l->place + first, (size_t)size * sizeof *l->place);
    l->bonds[count] = l->bonds[line];
    l->first[count] = entries, entries += size;
    now[line] = count++;
  }
  l->first[count] = entries;
  l->count = count;
  for (long long k = 0; k < p->all; k++) {
    if (l->of_bond[k] < 0) continue;
    l->of_bond[k] = now[l->of_bond[k]];
    if (l->of_bond[k] < 0) l->held[k] = 0;
  }
  free(now);
  return RATTLE_OK;
}

/* --- angles ----------------------------------------------------------------------------------- */

/* The ends of all bonds, sorted [all]: bond_of finds the bond of atoms i and j, or -1. */
typedef struct sorted_bond {
  int low, high, bond;
} sorted_bond;

static int by_atoms(const void *a, const void *b) {
  const sorted_bond *p = a, *q = b;
  return p->low != q->low ? compare(&p->low, &q->low) : compare(&p->high, &q->high);
}

static int bond_of(const sorted_bond *sorted, size_t count, int i, int j) {
  const sorted_bond key = {i < j ? i : j, i < j ? j : i, 0},
                    *at = bsearch(&key, sorted, count, sizeof *sorted, by_atoms);
  return at ? at->bond : -1;
}

static rattle_status add_angle(rattle__bond_prepared *p, const rattle_bonds_topology *t,
                               const sorted_bond *sorted, long long angle, rattle_error *error) {
  const int *a = t->angle_atoms + 3 * angle;
  const double value = t->angle_values[angle];
  int side[2];
  if (!(value > 0 && value <= 3.1415926535897936))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "angles",
                        "angle %lld is %g: it must be above 0 and at most pi", angle, value);
  for (int e = 0; e < 2; e++) {
    side[e] = bond_of(sorted, (size_t)t->bonds, a[1], a[2 * e]);
    if (side[e] < 0 || a[0] == a[2])
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "angles",
                          "angle %lld is at atom %d between atoms %d and %d: there must be bonds "
                          "from %d to both; give their "
                          "lengths too, or leave the angle to a potential",
                          angle, a[1], a[0], a[2], a[1]);
  }
  const double one = t->lengths[side[0]], two = t->lengths[side[1]], half = sin(value / 2);
  const double third = value > 3.14159265
                           ? one + two
                           : sqrt((one - two) * (one - two) + 4 * one * two * half * half);
  p->pair[2 * p->all] = a[0], p->pair[2 * p->all + 1] = a[2];
  p->length[p->all++] = third;
  return RATTLE_OK;
}

static rattle_status add_angles(rattle__bond_prepared *p, const rattle_bonds_topology *t,
                                rattle_error *error) {
  if (t->angles < 0 || (t->angles && (!t->angle_atoms || !t->angle_values)) ||
      t->angles > 0x3fffffff - t->bonds)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "angles",
                        "%lld angles, or angle_atoms or angle_values is NULL", t->angles);
  if (!t->angles) return RATTLE_OK;
  sorted_bond *sorted = malloc(((size_t)t->bonds + 1) * sizeof *sorted);
  if (!sorted) return rattle__no_memory(error);
  for (int k = 0; k < t->bonds; k++) {
    const int i = t->pairs[2 * k], j = t->pairs[2 * k + 1];
    sorted[k] = (sorted_bond){i < j ? i : j, i < j ? j : i, k};
  }
  qsort(sorted, (size_t)t->bonds, sizeof *sorted, by_atoms);
  rattle_status status = RATTLE_OK;
  for (long long a = 0; a < t->angles && !status; a++) status = add_angle(p, t, sorted, a, error);
  free(sorted);
  return status;
}

/* --- all -------------------------------------------------------------------------------------- */

rattle_status rattle__bonds_prepare(rattle__bond_prepared *p, const rattle_bonds_topology *given,
                                    double tolerance, rattle_error *error) {
  *p = (rattle__bond_prepared){.topology = *given};
  const size_t most = (size_t)given->bonds + (given->angles > 0 ? (size_t)given->angles : 0) + 1;
  p->pair = malloc(2 * most * sizeof(int)), p->kept_pair = malloc(2 * most * sizeof(int));
  p->number = malloc(most * sizeof(int)), p->left_out = malloc(most * sizeof(int));
  p->length = malloc(most * sizeof(double)), p->kept_length = malloc(most * sizeof(double));
  if (!p->pair || !p->kept_pair || !p->number || !p->left_out || !p->length || !p->kept_length)
    return rattle__no_memory(error);
  if (given->bonds) memcpy(p->pair, given->pairs, 2 * (size_t)given->bonds * sizeof(int));
  if (given->bonds) memcpy(p->length, given->lengths, (size_t)given->bonds * sizeof(double));
  p->all = given->bonds;
  rattle_status status = add_angles(p, given, error);
  if (!status) status = find_repeated(p, (int)given->atoms, tolerance, error);
  if (!status) status = drop_lines(p, error);
  long long kept = 0;
  for (long long k = 0, out = 0; k < p->all && !status; k++) {
    if (out < p->left_outs && p->left_out[out] == k) {
      out++;
      continue;
    }
    if (p->flats.count && p->flats.of_bond[k]) continue;
    memcpy(p->kept_pair + 2 * kept, p->pair + 2 * k, 2 * sizeof(int));
    p->kept_length[kept] = p->length[k];
    p->number[kept++] = (int)k;
  }
  p->topology.bonds = kept, p->topology.pairs = p->kept_pair, p->topology.lengths = p->kept_length;
  return status;
}

void rattle__bonds_release(rattle__bond_prepared *p) {
  rattle__bonds_release_lines(&p->lines);
  free(p->flats.first), free(p->flats.atom), free(p->flats.place), free(p->flats.of_bond);
  free(p->pair), free(p->kept_pair), free(p->number), free(p->left_out), free(p->length),
      free(p->kept_length);
  *p = (rattle__bond_prepared){0};
}
