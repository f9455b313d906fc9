/* Clusters by kind, with the rates of one of each. */
#include "molecules/analysis.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 4096, MOST_KINDS = 2048 };

/* Bonds by clusters: those of a cluster follow one another, in the order of the file. */
typedef struct cluster_list {
  const topology *t;
  const int *pair;
  int *root;             /* of each atom: the atom that stands for its cluster */
  int *local, *order;    /* of atoms; bonds by clusters */
  long long *begin;      /* of each root: where its bonds begin in order; [atoms + 2] */
  double *length, *unit; /* of bonds: lengths, and unit vectors where there are positions */
  int table[TABLE];      /* kinds by hash, -1: none */
  uint64_t *hash;        /* of kinds [MOST_KINDS] */
} cluster_list;

static int root_of(int *root, int atom) {
  while (root[atom] != atom) atom = root[atom] = root[root[atom]];
  return atom;
}

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* Six digits of a number. */
static uint64_t digits(double value) {
  return (uint64_t)llround(log(value) * 1e6);
}

/* Local numbers of a cluster's atoms in the order in which its bonds name them; how many, and the
 * hash of graph, lengths and masses. */
static int number_atoms(cluster_list *c, const int *bond, int bonds, uint64_t *hash) {
  int atoms = 0;
  *hash = (uint64_t)bonds;
  for (int e = 0; e < 2 * bonds; e++) c->local[c->pair[2 * bond[e / 2] + e % 2]] = -1;
  for (int e = 0; e < 2 * bonds; e++) {
    const int atom = c->pair[2 * bond[e / 2] + e % 2];
    if (c->local[atom] < 0)
      c->local[atom] = atoms++,
      *hash = mix(*hash, isfinite(c->t->mass[atom]) ? digits(c->t->mass[atom]) : 0);
    *hash = mix(*hash, (uint64_t)c->local[atom]);
    if (e % 2) *hash = mix(*hash, digits(c->length[bond[e / 2]]));
  }
  return atoms;
}

static void name_kind(topology_kind *k, const cluster_list *c, const int *bond) {
  const int rings = k->bonds - k->atoms + 1;
  int *degree = calloc((size_t)k->atoms, sizeof *degree), most = 0, ends = 0;
  for (int e = 0; e < 2 * k->bonds && degree; e++)
    degree[c->local[c->pair[2 * bond[e / 2] + e % 2]]]++;
  for (int a = 0; a < k->atoms && degree; a++)
    most = degree[a] > most ? degree[a] : most, ends += degree[a] == 1;
  free(degree);
  if (k->bonds == 1)
    snprintf(k->name, sizeof k->name, "pair");
  else if (rings == 0 && ends == k->atoms - 1)
    snprintf(k->name, sizeof k->name, "star of %d bonds", k->bonds);
  else if (rings == 0 && most == 2)
    snprintf(k->name, sizeof k->name, "chain of %d bonds", k->bonds);
  else if (rings == 0)
    snprintf(k->name, sizeof k->name, "tree of %d bonds", k->bonds);
  else if (k->bonds == 3 && isinf(k->rates.condition))
    snprintf(k->name, sizeof k->name, "line of 3 atoms");
  else if (k->bonds == 3)
    snprintf(k->name, sizeof k->name, "triangle");
  else if (rings == 1 && most == 2)
    snprintf(k->name, sizeof k->name, "ring of %d bonds", k->bonds);
  else
    snprintf(k->name, sizeof k->name, "%d bonds, %d ring%s", k->bonds, rings,
             rings == 1 ? "" : "s");
}

/* The cluster counts as one of a kind that is known, or becomes one. */
static rattle_status add_cluster(topology_analysis *out, cluster_list *c, const int *bond,
                                 int bonds, const char *omitted, rattle_error *error) {
  uint64_t hash;
  const int atoms = number_atoms(c, bond, bonds, &hash);
  out->clusters++;
  int at = (int)(hash % TABLE);
  while (c->table[at] >= 0 && c->hash[c->table[at]] != hash) at = (at + 1) % TABLE;
  if (c->table[at] >= 0) return out->kind[c->table[at]].clusters++, RATTLE_OK;
  if (out->kinds == MOST_KINDS) return out->others++, RATTLE_OK;
  topology_kind *k = &out->kind[out->kinds];
  *k =
      (topology_kind){.clusters = 1, .atoms = atoms, .bonds = bonds, .first = c->pair[2 * bond[0]]};
  k->rates = (topology_rates){(double)NAN, (double)NAN, (double)NAN};
  for (int b = 0; b < bonds; b++)
    for (int e = 0; e < 2; e++)
      k->first = c->pair[2 * bond[b] + e] < k->first ? c->pair[2 * bond[b] + e] : k->first;
  rattle_status status = RATTLE_OK;
  if (c->unit) {
    int *kept = calloc((size_t)bonds, sizeof *kept), count = 0;
    for (int b = 0; b < bonds && kept; b++)
      if (!omitted[bond[b]]) kept[count++] = bond[b];
    topology_matrix a = {0};
    status = topology_matrix_make(&a, kept ? count : bonds, kept ? kept : bond, c->pair, c->unit,
                                  c->t->mass, error);
    if (!status) status = topology_matrix_rates(&a, &k->rates, error);
    topology_matrix_free(&a);
    free(kept);
  }
  name_kind(k, c, bond);
  c->hash[out->kinds] = hash, c->table[at] = out->kinds++;
  return status;
}

/* Thermal vibrations and the decimals of files are below this; what is above is another unit, or
 * another molecule. */
static const double most_off = 0.2;

/* Keeps in *worst the bond whose distance is farthest from its length, relative to it. */
static void compare(const cluster_list *c, long long k, double distance, double *worst,
                    topology_analysis *out) {
  const double off = fabs(distance / c->length[k] - 1);
  if (off <= *worst) return;
  *worst = off;
  snprintf(out->doubt, sizeof out->doubt,
           "atoms %d and %d are %.4g apart, and their bond has the length %.4g: check the units, "
           "and that the positions are of "
           "this topology",
           c->pair[2 * k], c->pair[2 * k + 1], distance, c->length[k]);
}

/* Lengths of bonds and of the third sides of angles; directions. */
static rattle_status measure(topology_analysis *out, cluster_list *c, const topology *t,
                             rattle_error *error) {
  for (long long k = 0; k < t->bond.count; k++) c->length[k] = t->bond.value[k];
  for (long long k = 0; k < t->angle.count; k++) c->length[t->bond.count + k] = t->angle.value[k];
  double worst = most_off;
  for (long long k = 0; k < out->bonds && t->place; k++) {
    double *u = c->unit + 3 * k;
    topology_difference(t, t->place, out->pair[2 * k], out->pair[2 * k + 1], u);
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (!(length > 0)) {
      return text_fail(error, RATTLE_BAD_MODEL,
                       "atoms %d and %d are at one place: their bond has no direction",
                       out->pair[2 * k], out->pair[2 * k + 1]);
    }
    if (k < t->bond.count) compare(c, k, length, &worst, out);
    for (int d = 0; d < 3; d++) u[d] /= length;
  }
  return RATTLE_OK;
}

static rattle_status sort_clusters(topology_analysis *out, cluster_list *c, const topology *t,
                                   rattle_error *error) {
  const size_t m = (size_t)out->bonds;
  char *omitted = calloc(m, 1);
  rattle_status status = omitted ? measure(out, c, t, error) : RATTLE_NO_MEMORY;
  for (long long k = 0; k < out->repeateds && omitted; k++) omitted[out->repeated[k]] = 1;
  for (int a = 0; a <= t->atoms; a++) c->root[a] = a;
  for (size_t k = 0; k < m; k++) {
    const int i = root_of(c->root, out->pair[2 * k]), j = root_of(c->root, out->pair[2 * k + 1]);
    c->root[i > j ? i : j] = i > j ? j : i;
  }
  for (size_t k = 0; k < m; k++) c->begin[root_of(c->root, out->pair[2 * k]) + 1]++;
  for (long long a = 0; a <= t->atoms; a++) c->begin[a + 1] += c->begin[a];
  for (size_t k = 0; k < m; k++) c->order[c->begin[root_of(c->root, out->pair[2 * k])]++] = (int)k;
  /* begin of each root is now its end */
  for (long long a = 0, from = 0; a <= t->atoms && !status; from = c->begin[a++])
    if (c->begin[a] > from)
      status = out->kinds < MOST_KINDS
                   ? add_cluster(out, c, c->order + from, (int)(c->begin[a] - from), omitted, error)
                   : RATTLE_OK;
  free(omitted);
  return status;
}

static rattle_status find_kinds(topology_analysis *out, const topology *t, rattle_error *error) {
  const size_t n = (size_t)t->atoms + 1, m = (size_t)out->bonds;
  cluster_list c = {.t = t, .pair = out->pair};
  c.root = calloc(n, sizeof *c.root), c.local = calloc(n, sizeof *c.local),
  c.order = calloc(m, sizeof *c.order);
  c.begin = calloc(n + 2, sizeof *c.begin), c.length = calloc(m, sizeof *c.length),
  c.hash = calloc(MOST_KINDS, sizeof *c.hash);
  if (t->place) c.unit = calloc(3 * m, sizeof *c.unit);
  for (int k = 0; k < TABLE; k++) c.table[k] = -1;
  rattle_status status = RATTLE_NO_MEMORY;
  if (c.root && c.local && c.order && c.begin && c.length && c.hash && (c.unit || !t->place))
    status = sort_clusters(out, &c, t, error);
  free(c.root), free(c.local), free(c.order), free(c.begin), free(c.length), free(c.unit),
      free(c.hash);
  return status;
}

static rattle_status name_solvers(topology_analysis *out, const topology *t) {
  int *solver = calloc((size_t)t->atoms + 1, sizeof *solver);
  if (!solver) return RATTLE_NO_MEMORY;
  rattle_bonds_chosen(out->solver, solver);
  for (int k = 0; k < out->kinds; k++)
    out->kind[k].solver = rattle_bonds_solver_of(solver[out->kind[k].first])->name;
  free(solver);
  return RATTLE_OK;
}

static int by_clusters(const void *a, const void *b) {
  const topology_kind *p = a, *q = b;
  return p->clusters != q->clusters ? (p->clusters < q->clusters) - (p->clusters > q->clusters)
                                    : (p->first > q->first) - (p->first < q->first);
}

rattle_status topology_analyse(topology_analysis *out, const topology *t, double tolerance,
                               rattle_error *error) {
  const rattle_bonds_topology given = topology_of(t);
  const rattle_bonds_options options = {.struct_size = sizeof options, .tolerance = tolerance};
  *out = (topology_analysis){.bonds = t->bond.count + t->angle.count};
  rattle_status status = rattle_bonds_create(&out->solver, &given, &options, error);
  if (status) return status;
  rattle_bonds_summary summary = {.struct_size = sizeof summary};
  if ((status = rattle_bonds_summarise(out->solver, &summary, error))) return status;
  out->lines = summary.lines;
  out->rigid = summary.rigid;
  out->repeated = rattle_bonds_repeated(out->solver, &out->repeateds);
  out->pair = calloc(2 * (size_t)out->bonds, sizeof *out->pair),
  out->kind = calloc(MOST_KINDS, sizeof *out->kind);
  if (out->pair && out->kind) {
    memcpy(out->pair, t->bond.atom, 2 * (size_t)t->bond.count * sizeof *out->pair);
    for (long long k = 0; k < t->angle.count; k++)
      for (int e = 0; e < 2; e++)
        out->pair[2 * (t->bond.count + k) + e] = t->angle.atom[3 * k + 2 * e];
    status = find_kinds(out, t, error);
    if (!status) status = name_solvers(out, t);
    qsort(out->kind, (size_t)out->kinds, sizeof *out->kind, by_clusters);
  } else {
    status = RATTLE_NO_MEMORY;
  }
  if (!status) status = topology_frequency(t, out->solver, &out->frequency, error);
  return status == RATTLE_NO_MEMORY ? text_no_memory(error) : status;
}

void topology_analysis_free(topology_analysis *out) {
  free(out->kind), free(out->pair);
  rattle_bonds_destroy(&out->solver);
  *out = (topology_analysis){0};
}
