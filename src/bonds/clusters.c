/* The clusters of a topology: what bonds connect; and their shapes.
 *
 * Local numbers  atoms in the order of a walk from the atom with the most bonds, neighbours with
 *                more bonds first, so that clusters of one graph mostly have one numbering however
 *                they are numbered in the topology; bonds in the order of their elimination. Paths
 *                and rings are walked along, from the end or the atom with the lowest number, and
 *                eliminated along */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bodies.h"
#include "bonds/bonds.h"
#include "bonds/cut.h"
#include "bonds/prepare.h"
#include "ground/support/error.h"

/* Work of the search for clusters. */
typedef struct cluster_search {
  const rattle_bonds_topology *topology;
  rattle_bonds *bonds;
  int *first, *end; /* bonds of each atom: end[first[a]] ... */
  int *local;       /* of an atom in the cluster at hand; -1: in none so far */
  int *queue, *bond,
      *pair; /* its atoms; its bonds, and their local atoms, in the order of the walk, those that
                lines hold last */
  int atoms, count, held; /* of the cluster at hand */
  int along;              /* 1: it is a path or a ring */
  const rattle__bond_prepared *prepared;
  int *on, *next,
      *line_of; /* where an atom is in the lists of lines, from 1 on; the next such place; the
                   line of a place. NULL: no lines */
  int *known;   /* of lines: 1 once its cluster was found */
  rattle__bond_places lines; /* of the cluster at hand, in local numbers */
  int *line_first, *line_atom;
  double *line_place, *line_at; /* line_at [atoms] */
  size_t size;                  /* of the table of shapes, a power of two */
} cluster_search;

static int degree(const cluster_search *f, int atom) {
  return f->first[atom + 1] - f->first[atom];
}

static int other_end(const cluster_search *f, int bond, int atom) {
  const int *pair = f->topology->pairs + 2 * (size_t)bond;
  return pair[0] == atom ? pair[1] : pair[0];
}

/* --- input ------------------------------------------------------------------------------------ */

/* Bonds by atoms. */
static void sort_ends(cluster_search *f) {
  const rattle_bonds_topology *t = f->topology;
  for (long long e = 0; e < 2 * t->bonds; e++) f->first[t->pairs[e] + 2]++;
  for (long long a = 0; a < t->atoms; a++) f->first[a + 2] += f->first[a + 1];
  for (long long e = 0; e < 2 * t->bonds; e++) f->end[f->first[t->pairs[e] + 1]++] = (int)(e / 2);
}

/* Bonds of one atom are coupled: eliminating n of them takes n^3/3 operations, as many slots. */
enum { MOST_AT_ATOM = 1000 };

/* Atoms with too many bonds, and two bonds between the same atoms. */
static rattle_status check_ends(const cluster_search *f, rattle_error *error) {
  for (int a = 0; a < f->topology->atoms; a++)
    if (degree(f, a) > MOST_AT_ATOM)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pairs",
                          "atom %d has %d bonds: give an atom %d at most", a, degree(f, a),
                          MOST_AT_ATOM);
  for (int a = 0; a < f->topology->atoms; a++)
    for (int e = f->first[a]; e < f->first[a + 1]; e++) f->local[other_end(f, f->end[e], a)] = -1;
  for (int a = 0; a < f->topology->atoms; a++) {
    for (int e = f->first[a]; e < f->first[a + 1]; e++) {
      const int b = other_end(f, f->end[e], a);
      if (f->local[b] == a)
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, "pairs",
                            "atoms %d and %d are connected by two bonds: give one", a, b);
      f->local[b] = a;
    }
  }
  for (int a = 0; a < f->topology->atoms; a++) f->local[a] = -1;
  return RATTLE_OK;
}

/* --- one cluster ------------------------------------------------------------------------------ */

/* The walk's neighbours of one atom: `most` of those with more bonds first, then by number. */
static void enqueue(cluster_search *f, int atom, int most) {
  const int begin = f->atoms;
  for (int e = f->first[atom]; e < f->first[atom + 1]; e++) {
    const int b = other_end(f, f->end[e], atom);
    if (f->local[b] >= 0) continue;
    f->local[b] = 0;
    int k = f->atoms++;
    for (; k > begin; k--) { /* few: by insertion */
      const int a = f->queue[k - 1];
      if (degree(f, a) > degree(f, b) || (degree(f, a) == degree(f, b) && a < b)) break;
      f->queue[k] = a;
    }
    f->queue[k] = b;
  }
  for (; f->atoms > begin + most; f->atoms--) f->local[f->queue[f->atoms - 1]] = -1;
}

/* The first atom of a walk along a path or ring of three bonds or more in the queue; -1:
 * neither. */
static int begin_along(const cluster_search *f) {
  int lowest = f->queue[0];
  for (int k = 0; k < f->atoms; k++) {
    const int a = f->queue[k];
    if (degree(f, a) > 2 || (f->on && f->on[a])) return -1;
    if (degree(f, a) < degree(f, lowest) || (degree(f, a) == degree(f, lowest) && a < lowest))
      lowest = a;
  }
  return f->atoms > 3 ? lowest : -1;
}

/* Atoms of the cluster of `atom`, walked from the one with the most bonds, or along it. */
static void walk(cluster_search *f, int atom) {
  int root = atom;
  f->along = 0;
  for (int pass = 0; pass < 2; pass++) {
    f->queue[0] = root, f->atoms = 1;
    f->local[root] = 0;
    for (int k = 0; k < f->atoms; k++) {
      enqueue(f, f->queue[k], f->along ? 1 : MOST_AT_ATOM);
      if (!pass && degree(f, f->queue[k]) > degree(f, root)) root = f->queue[k];
    }
    for (int k = 0; k < f->atoms; k++) f->local[f->queue[k]] = pass ? k : -1;
    const int lowest = pass ? -1 : begin_along(f);
    if (lowest >= 0) f->along = 1, root = lowest;
  }
}

static int by_ends(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Its bonds: local atoms, the lower first, and number, in `pair` as triples, sorted; then apart.
 * Those that lines hold come last, as though their atoms had numbers above all others. */
static void list_bonds(cluster_search *f) {
  const char *held = f->prepared->lines.held;
  f->count = f->held = 0;
  for (int k = 0; k < f->atoms; k++)
    for (int e = f->first[f->queue[k]]; e < f->first[f->queue[k] + 1]; e++) {
      const int j = f->local[other_end(f, f->end[e], f->queue[k])];
      if (j < k) continue;
      int *at = f->pair + 3 * (size_t)f->count++;
      const int holds = held && held[f->prepared->number[f->end[e]]];
      at[0] = k + holds * f->atoms, at[1] = j, at[2] = f->end[e];
      f->held += holds;
    }
  qsort(f->pair, (size_t)f->count, 3 * sizeof *f->pair, by_ends);
  if (f->along &&
      f->count == f->atoms) { /* the bond that closes a ring is second: it becomes the last */
    int last[3];
    memcpy(last, f->pair + 3, sizeof last);
    memmove(f->pair + 3, f->pair + 6, (3 * (size_t)f->count - 6) * sizeof *f->pair);
    memcpy(f->pair + 3 * (size_t)f->count - 3, last, sizeof last);
  }
  for (int k = 0; k < f->count; k++) {
    const int *from = f->pair + 3 * (size_t)k;
    const int i = from[0], j = from[1];
    f->bond[k] = from[2];
    f->pair[2 * k] = i % f->atoms, f->pair[2 * k + 1] = j;
  }
}

static int by_number(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Its lines, in the order in which the walk comes to them, atoms by local numbers. */
static void list_lines(cluster_search *f) {
  const rattle__bond_lines *l = &f->prepared->lines;
  f->lines.count = 0;
  for (int k = 0; k < f->atoms && f->on; k++)
    for (int e = f->on[f->queue[k]]; e; e = f->next[e - 1]) {
      const int line = f->line_of[e - 1], from = f->line_first[f->lines.count],
                count = l->first[line + 1] - l->first[line];
      if (f->known[line]) continue;
      f->known[line] = 1;
      int *atom = f->line_atom + from;
      for (int a = 0; a < count; a++) {
        atom[a] = f->local[l->atom[l->first[line] + a]];
        f->line_at[atom[a]] = l->place[l->first[line] + a];
      }
      qsort(atom, (size_t)count, sizeof *atom, by_number);
      for (int a = 0; a < count; a++) f->line_place[from + a] = f->line_at[atom[a]];
      f->line_first[++f->lines.count] = from + count;
    }
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* A shape during the search. key: pairs of the walk; shape.pair: in the order of elimination. */
typedef struct growing {
  rattle__bond_shape shape;
  struct growing *same; /* of one hash */
  int *key, *order;
  int *atom, *number;
  double *place; /* of each cluster, along its lines */
  rattle__bond_places lines;
  long long room;
} growing;

/* Appends the lines, and how many bonds they hold, to the walk's pairs: the key; its length. */
static int complete_key(cluster_search *f) {
  int *at = f->pair + 2 * (size_t)f->count;
  *at++ = f->held;
  for (int l = 0; l < f->lines.count; l++) {
    *at++ = f->line_first[l + 1] - f->line_first[l];
    for (int e = f->line_first[l]; e < f->line_first[l + 1]; e++) *at++ = f->line_atom[e];
  }
  return (int)(at - f->pair);
}

static size_t hash(const cluster_search *f, int numbers) {
  size_t h = (size_t)f->atoms;
  for (int e = 0; e < numbers; e++) h = (h ^ (size_t)f->pair[e]) * 0x100000001b3u;
  return h ^ h >> 29;
}

static int family(const cluster_search *f) {
  int star = f->count <= RATTLE__BOND_STARS;
  if (f->lines.count) return RATTLE__BOND_LINES;
  for (int k = 0; k < f->count; k++) star &= f->pair[2 * k] == 0;
  if (star) return RATTLE__BOND_STAR + f->count;
  if (f->along)
    return f->count == f->atoms && f->count <= 6 ? RATTLE__BOND_RING + f->count : RATTLE__BOND_PATH;
  if (f->count != 3 || f->atoms != 3) return RATTLE__BOND_ANY;
  double length[3], mass[3];
  for (int k = 0; k < 3; k++)
    length[k] = f->topology->lengths[f->bond[k]], mass[k] = f->topology->masses[f->queue[k]];
  return rattle__triangle_family(length, mass);
}

static void join_ends(rattle__bond_shape *s) {
  for (int e = 0; e < 2 * s->bonds; e++) s->node[e] = s->stands[s->pair[e]];
}

/* Finds the order of the elimination, and takes its work arrays. */
static int arrange(const cluster_search *f, growing *g, rattle__arena *arena) {
  rattle__bond_shape *s = &g->shape;
  const size_t pairs = 2 * (size_t)f->count * sizeof(int),
               entries = (size_t)f->line_first[f->lines.count];
  memcpy(s->pair, f->pair, pairs);
  s->node = s->pair;
  if (f->lines.count) {
    int *first = rattle__arena_take(arena, ((size_t)f->lines.count + 1 + entries) * sizeof(int));
    if (!first) return 0;
    memcpy(first, f->line_first, ((size_t)f->lines.count + 1) * sizeof(int));
    memcpy(first + f->lines.count + 1, f->line_atom, entries * sizeof(int));
    g->lines = (rattle__bond_places){f->lines.count, first, first + f->lines.count + 1, NULL};
    s->node = rattle__arena_take(arena, pairs);
    if (!s->node || !rattle__bonds_find_bodies(s, &g->lines, arena)) return 0;
    join_ends(s);
  }
  if (!rattle__bond_order(s->atoms, s->bonds, s->node, g->order)) return 0;
  for (int p = 0; p < s->bonds && s->family < RATTLE__BOND_LINES; p++) g->order[p] = p;
  for (int p = 0; p < s->bonds; p++)
    memcpy(s->pair + 2 * p, f->pair + 2 * g->order[p], 2 * sizeof(int));
  if (f->lines.count) join_ends(s);
  return rattle__bond_eliminate(s, arena);
}

static growing *shape_of(cluster_search *f, growing **table, rattle__bond_shape ***last) {
  const int numbers = complete_key(f), kind = family(f);
  growing **at = &table[hash(f, numbers) & (f->size - 1)];
  const size_t bytes = (size_t)numbers * sizeof(int), pairs = 2 * (size_t)f->count * sizeof(int);
  for (; *at; at = &(*at)->same)
    if ((*at)->shape.atoms == f->atoms && (*at)->shape.bonds + (*at)->shape.held == f->count &&
        (*at)->shape.family == kind && (*at)->lines.count == f->lines.count &&
        !memcmp((*at)->key, f->pair, bytes))
      return *at;
  rattle__arena *arena = &f->bonds->arena;
  growing *g = rattle__arena_take(arena, sizeof *g);
  if (!g) return NULL;
  g->shape.atoms = f->atoms, g->shape.bonds = f->count - f->held, g->shape.held = f->held,
  g->shape.family = kind;
  g->key = rattle__arena_take(arena, bytes);
  g->shape.pair = rattle__arena_take(arena, pairs);
  g->order = rattle__arena_take(arena, pairs / 2);
  if (arena->failed) return NULL;
  memcpy(g->key, f->pair, bytes);
  if (!arrange(f, g, arena)) return NULL;
  **last = &g->shape;
  *last = &g->shape.next;
  return *at = g;
}

/* Room for `count` of `size` bytes in all; 0: no memory. */
static int extend(void *array, long long count, size_t size) {
  void **at = array, *more = realloc(*at, (size_t)count * size + 1);
  if (more) *at = more;
  return more != NULL;
}

static int enter(cluster_search *f, growing *g) {
  rattle__bond_shape *s = &g->shape;
  const int places = f->lines.count ? f->line_first[f->lines.count] : 0;
  if (s->clusters == g->room) {
    g->room = 2 * g->room + 1;
    if (!extend(&g->atom, g->room * s->atoms, sizeof *g->atom) ||
        !extend(&g->number, g->room * s->bonds, sizeof *g->number) ||
        !extend(&g->place, g->room * places, sizeof *g->place))
      return 0;
  }
  memcpy(g->atom + s->clusters * s->atoms, f->queue, (size_t)s->atoms * sizeof(int));
  for (int p = 0; p < s->bonds; p++) g->number[s->clusters * s->bonds + p] = f->bond[g->order[p]];
  if (places)
    memcpy(g->place + s->clusters * places, f->line_place, (size_t)places * sizeof *g->place);
  s->clusters++;
  return 1;
}

/* Lengths and masses in lanes, and where atoms are. */
static void fill_group(const cluster_search *f, const growing *g, long long group) {
  const rattle__bond_shape *s = &g->shape;
  const int W = s->width;
  const rattle_bonds_topology *t = f->topology;
  for (int lane = 0; lane < W; lane++) {
    long long cluster = group * W + lane;
    if (cluster >= s->clusters) cluster = s->clusters - 1;
    const long long parameters = s->uniform ? 0 : group;
    for (int a = 0; a < s->atoms; a++) {
      const int atom = g->atom[cluster * s->atoms + a];
      s->place[(group * s->atoms + a) * W + lane] = 3 * atom;
      s->inverse_mass[(parameters * s->atoms + a) * W + lane] = 1 / t->masses[atom];
    }
    for (int k = 0; k < s->bonds; k++) {
      const double d = t->lengths[g->number[cluster * s->bonds + k]];
      s->square[(parameters * s->bonds + k) * W + lane] = d * d;
    }
  }
}

/* Fills the form in the lanes of a group: P of the bodies, and weights. */
static rattle_status fill_form(const cluster_search *f, const growing *g, long long group,
                               rattle_error *error) {
  const rattle__bond_shape *s = &g->shape;
  const int W = s->width, entries = g->lines.first[g->lines.count];
  double *one = malloc((size_t)(s->atoms + s->forms) * sizeof *one), *form = one + s->atoms;
  if (!one) return rattle__no_memory(error);
  for (int lane = 0; lane < W; lane++) {
    const long long last = s->clusters - 1,
                    cluster = group * W + lane < last ? group * W + lane : last;
    rattle__bond_places lines = g->lines;
    lines.place = g->place + cluster * entries;
    for (int a = 0; a < s->atoms; a++)
      one[a] = 1 / f->topology->masses[g->atom[cluster * s->atoms + a]];
    if (!rattle__bonds_form_bodies(s, &lines, one, form)) {
      const int *atom = g->atom + cluster * s->atoms;
      free(one);
      return rattle__fail(error, RATTLE_UNSUITABLE, "lengths",
                          "the lines of atoms that hold atom %d depend on one another: omit the "
                          "lengths that make one of them",
                          atom[lines.atom[0]]);
    }
    for (int k = 0; k < s->forms; k++) s->form[(group * s->forms + k) * W + lane] = form[k];
  }
  free(one);
  return RATTLE_OK;
}

static int is_uniform(const cluster_search *f, const growing *g) {
  const rattle__bond_shape *s = &g->shape;
  const rattle_bonds_topology *t = f->topology;
  for (long long c = 1; c < s->clusters; c++) {
    for (int a = 0; a < s->atoms; a++)
      if (t->masses[g->atom[c * s->atoms + a]] != t->masses[g->atom[a]]) return 0;
    for (int k = 0; k < s->bonds; k++)
      if (t->lengths[g->number[c * s->bonds + k]] != t->lengths[g->number[k]]) return 0;
    const int places = g->lines.count ? g->lines.first[g->lines.count] : 0;
    if (places && memcmp(g->place, g->place + c * places, (size_t)places * sizeof *g->place) != 0)
      return 0;
  }
  return 1;
}

static rattle_status finish(cluster_search *f, growing *g, rattle_error *error) {
  rattle__bond_shape *s = &g->shape;
  rattle__arena *arena = &f->bonds->arena;
  if (!rattle__bonds_choose_width(f->bonds, s)) return rattle__no_memory(error);
  const size_t W = (size_t)s->width;
  s->groups = (s->clusters + (long long)W - 1) / (long long)W;
  s->uniform = is_uniform(f, g);
  const size_t groups = (size_t)s->groups, own = s->uniform ? 1 : groups;
  s->place = rattle__arena_take(arena, groups * (size_t)s->atoms * W * sizeof(int));
  s->inverse_mass = rattle__arena_doubles(arena, own * (size_t)s->atoms * W);
  s->square = rattle__arena_doubles(arena, own * (size_t)s->bonds * W);
  s->number = rattle__arena_take(arena, (size_t)s->clusters * (size_t)s->bonds * sizeof(int));
  s->forms = s->bodies ? s->entries + s->bonds + s->couplings : 0;
  if (s->forms) s->form = rattle__arena_doubles(arena, own * (size_t)s->forms * W);
  rattle__bonds_open_cut(s, arena);
  if (arena->failed) return rattle__no_memory(error);
  for (long long group = 0; group < s->groups; group++) fill_group(f, g, group);
  rattle_status status = RATTLE_OK;
  for (long long group = 0; group < (long long)own && s->forms && !status; group++)
    status = fill_form(f, g, group, error);
  rattle__bonds_fill_cut(s);
  memcpy(s->number, g->number, (size_t)s->clusters * (size_t)s->bonds * sizeof(int));
  const size_t room = rattle__bond_room(s, f->bonds->kernel->width);
  rattle_bonds *b = f->bonds;
  if (room > b->room) b->room = room;
  b->shapes++, b->clusters += s->clusters, b->bonded += s->clusters * s->atoms;
  if (s->bonds + s->held > b->largest) b->largest = s->bonds + s->held;
  return status;
}

static rattle_status find(cluster_search *f, growing **table, rattle_error *error) {
  rattle__bond_shape **last = &f->bonds->shape;
  sort_ends(f);
  rattle_status status = check_ends(f, error);
  for (int a = 0; a < f->topology->atoms && !status; a++) {
    if (f->local[a] >= 0 || degree(f, a) == 0) continue;
    walk(f, a);
    list_bonds(f);
    list_lines(f);
    growing *g = shape_of(f, table, &last);
    if (!g || !enter(f, g)) status = rattle__no_memory(error);
  }
  for (rattle__bond_shape *s = f->bonds->shape; s; s = s->next) {
    growing *g = (growing *)s; /* its first member */
    if (!status) status = finish(f, g, error);
    free(g->atom), free(g->number), free(g->place);
  }
  return status;
}

/* The lists of lines by atoms; 0: no memory. */
static int open_lines(cluster_search *f, size_t atoms) {
  const rattle__bond_lines *l = &f->prepared->lines;
  const size_t lines = (size_t)l->count, entries = lines ? (size_t)l->first[lines] : 0;
  f->line_first = calloc(atoms + 2 * lines + 3 * entries + 1, sizeof(int));
  f->line_place = malloc((atoms + entries + 1) * sizeof *f->line_place);
  if (!f->line_first || !f->line_place) return 0;
  f->lines = (rattle__bond_places){0, f->line_first, f->line_atom = f->line_first + lines + 1,
                                   f->line_place};
  if (!lines) return 1;
  f->line_at = f->line_place + entries;
  f->next = f->line_atom + entries, f->line_of = f->next + entries, f->known = f->line_of + entries,
  f->on = f->known + lines;
  for (int k = l->count - 1; k >= 0; k--)
    for (int e = l->first[k]; e < l->first[k + 1]; e++) {
      f->line_of[e] = k, f->next[e] = f->on[l->atom[e]];
      f->on[l->atom[e]] = e + 1;
    }
  return 1;
}

rattle_status rattle__bonds_cluster(rattle_bonds *bonds, const rattle__bond_prepared *prepared,
                                    rattle_error *error) {
  const rattle_bonds_topology *topology = &prepared->topology;
  rattle_status status = rattle__bonds_check(topology, error);
  if (status) return status;
  const size_t atoms = (size_t)topology->atoms, count = (size_t)topology->bonds;
  const size_t lines =
      1 + (size_t)prepared->lines.count +
      (prepared->lines.count ? (size_t)prepared->lines.first[prepared->lines.count] : 0);
  cluster_search f = {.topology = topology, .bonds = bonds, .size = 1, .prepared = prepared};
  while (f.size < count / 4 + 1 && f.size < 1u << 20) f.size *= 2;
  growing **table = calloc(f.size, sizeof *table);
  int *room = calloc(3 * atoms + 2 + 6 * count + lines, sizeof *room);
  if (table && room && open_lines(&f, atoms)) {
    f.first = room, f.local = room + atoms + 2, f.queue = f.local + atoms;
    f.end = f.queue + atoms, f.bond = f.end + 2 * count, f.pair = f.bond + count;
    status = find(&f, table, error);
  } else {
    status = rattle__no_memory(error);
  }
  free(room), free(table);
  free(f.line_first), free(f.line_place);
  return status;
}
