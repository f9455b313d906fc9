/* From a topology to what files of other programs hold: atoms with mass, pairs with lengths, parts
 * that are equal. */

#include <math.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/write.h"
#include "words/json.h"

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

long long topology_distinct(double **found, const double *values, long long count) {
  long long kept = 0;
  *found = malloc(((size_t)count + 1) * sizeof **found);
  if (!*found) return -1;
  memcpy(*found, values, (size_t)count * sizeof **found);
  qsort(*found, (size_t)count, sizeof **found, by_value);
  for (long long k = 0; k < count; k++)
    if (!kept || (*found)[k] > (*found)[kept - 1]) (*found)[kept++] = (*found)[k];
  return kept;
}

long long topology_number_of(const double *found, long long count, double value) {
  const double *at = bsearch(&value, found, (size_t)count, sizeof *found, by_value);
  return at ? at - found + 1 : 0;
}

void topology_put_numbers(FILE *file, int count, const double *values) {
  char text[32];
  for (int k = 0; k < count; k++) fprintf(file, " %s", json_shortest(values[k], text));
}

/* ---- pairs ---- */

typedef struct side {
  int lower, upper;
  long long order; /* in the file; an angle's comes after all bonds */
  double length;
} side;

static int by_lower(const void *a, const void *b) {
  const side *p = a, *q = b;
  return p->lower != q->lower ? (p->lower > q->lower) - (p->lower < q->lower)
                              : (p->order > q->order) - (p->order < q->order);
}

static side side_of(int i, int j, long long order, double length) {
  return (side){i < j ? i : j, i < j ? j : i, order, length};
}

/* Among `count` sides in order of their lower atoms; NAN: there is none. */
static double length_of(const side *sides, long long count, int i, int j) {
  const side wanted = side_of(i, j, -1, 0);
  long long low = 0, high = count;
  while (low < high) {
    const long long middle = (low + high) / 2;
    if (by_lower(&sides[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < count && sides[low].lower == wanted.lower; low++)
    if (sides[low].upper == wanted.upper) return sides[low].length;
  return (double)NAN;
}

/* Angles as third sides of the triangles with their two bonds, which the library has asked for. */
static void close_angles(const topology *t, side *sides) {
  const long long bonds = t->bond.count;
  for (long long k = 0; k < t->angle.count; k++) {
    const int *a = t->angle.atom + 3 * k;
    const double b = length_of(sides, bonds, a[0], a[1]), c = length_of(sides, bonds, a[1], a[2]),
                 half = sin(t->angle.value[k] / 2);
    sides[bonds + k] =
        side_of(a[0], a[2], bonds + k, sqrt((b - c) * (b - c) + 4 * b * c * half * half));
  }
}

static rattle_status take_pairs(topology_out *out, const topology *t, double unit) {
  const long long bonds = t->bond.count, all = bonds + t->angle.count;
  side *sides = malloc(((size_t)all + 1) * sizeof *sides);
  out->pair = malloc((2 * (size_t)all + 1) * sizeof *out->pair),
  out->length = malloc(((size_t)all + 1) * sizeof *out->length);
  out->bonds = all;
  const int made = sides && out->pair && out->length;
  for (long long k = 0; k < bonds && made; k++)
    sides[k] = side_of(t->bond.atom[2 * k], t->bond.atom[2 * k + 1], k, t->bond.value[k]);
  if (made) {
    qsort(sides, (size_t)bonds, sizeof *sides, by_lower);
    close_angles(t, sides);
    qsort(sides, (size_t)all, sizeof *sides, by_lower);
  }
  for (long long k = 0; k < all && made; k++) {
    out->pair[2 * k] = out->number[sides[k].lower];
    out->pair[2 * k + 1] = out->number[sides[k].upper];
    out->length[k] = sides[k].length * unit;
  }
  free(sides);
  return made ? RATTLE_OK : RATTLE_NO_MEMORY;
}

/* ---- parts ---- */

static int by_line(const topology_site *p, const topology_site *q) {
  return p == q     ? 0
         : !p || !q ? !p - !q
                    : ((uintptr_t)p > (uintptr_t)q) - ((uintptr_t)p < (uintptr_t)q);
}

/* Parts of equal masses, pairs and lengths, with equal names of hydrogens and the same lines of
 * sites, are equal. */
static int by_content(const void *a, const void *b) {
  const topology_part *p = *(topology_part *const *)a, *q = *(topology_part *const *)b;
  const topology_out *out = p->of;
  int order = p->atoms != q->atoms   ? (p->atoms > q->atoms) - (p->atoms < q->atoms)
              : p->bonds != q->bonds ? (p->bonds > q->bonds) - (p->bonds < q->bonds)
                                     : 0;
  for (int k = 0; k < p->atoms && !order; k++) {
    const double x = out->mass[p->first + k], y = out->mass[q->first + k];
    order = (x > y) - (x < y);
    if (!order) order = out->hydrogen[p->first + k] - out->hydrogen[q->first + k];
    if (!order && out->site) order = by_line(out->site[p->first + k], out->site[q->first + k]);
  }
  for (long long k = 0; k < p->bonds && !order; k++) {
    const double x = out->length[p->bond + k], y = out->length[q->bond + k];
    for (int e = 0; e < 2 && !order; e++)
      order = (out->pair[2 * (p->bond + k) + e] - p->first) -
              (out->pair[2 * (q->bond + k) + e] - q->first);
    if (!order) order = (x > y) - (x < y);
  }
  return order;
}

/* O, H, H with their three lengths, O-H twice; sites may follow. */
static int is_settle(const topology_out *out, const topology_part *p) {
  const int *pair = out->pair + 2 * p->bond;
  const double *length = out->length + p->bond;
  if (p->atoms - p->sites != 3 || p->bonds != 3) return 0;
  const int apex = pair[0] == p->first && pair[2] == p->first && pair[4] == p->first + 1,
            next = pair[1] == p->first + 1 && pair[5] == p->first + 2;
  return apex && next && !by_value(&length[0], &length[1]) &&
         !by_value(&out->mass[p->first + 1], &out->mass[p->first + 2]);
}

static rattle_status name_kinds(topology_out *out) {
  void *known = NULL;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < out->parts && !status; k++) {
    topology_part *part = &out->part[k];
    out->kind[out->kinds] = part;
    topology_part ***found = tsearch(&out->kind[out->kinds], &known, by_content);
    if (!found) {
      status = RATTLE_NO_MEMORY;
    } else {
      part->kind = (int)(*found - out->kind);
      out->kinds += part->kind == out->kinds;
    }
  }
  while (known) tdelete(*(topology_part ***)known, &known, by_content);
  return status;
}

int topology_parent(const topology_out *out, int a, int k) {
  return out->number[out->given[a] - out->site[a]->atom + out->site[a]->parent[k]];
}

/* The last of the atoms that sites connect with each one before them. */
static void reach_sites(const topology_out *out, int *reach) {
  for (int a = 0; a < out->atoms && out->site; a++) {
    int low = a, high = a;
    for (int k = 0; out->site[a] && k < out->site[a]->parents; k++) {
      const int parent = topology_parent(out, a, k);
      if (parent < low) low = parent;
      if (parent > high) high = parent;
    }
    if (high > reach[low]) reach[low] = high;
  }
}

/* end: the last atom that bonds and sites of the part reach. */
static void cut_parts(topology_out *out, const int *reach) {
  int end = 0;
  long long bond = 0;
  for (int a = 0; a < out->atoms; a++) {
    topology_part *p = &out->part[out->parts];
    if (a == 0 || a > end) {
      p = &out->part[out->parts++];
      *p = (topology_part){.first = a, .bond = bond, .of = out};
      end = a;
    } else {
      p--;
    }
    p->atoms++;
    p->sites += out->site && out->site[a];
    if (reach[a] > end) end = reach[a];
    for (; bond < out->bonds && out->pair[2 * bond] == a; bond++, p->bonds++)
      if (out->pair[2 * bond + 1] > end) end = out->pair[2 * bond + 1];
  }
  for (int k = 0; k < out->parts; k++) out->part[k].settle = is_settle(out, &out->part[k]);
}

static rattle_status take_parts(topology_out *out) {
  const size_t room = (size_t)out->atoms + 1;
  out->part = malloc(room * sizeof *out->part), out->kind = malloc(room * sizeof *out->kind);
  int *reach = calloc(room, sizeof *reach);
  const int made = out->part && out->kind && reach;
  if (made) {
    reach_sites(out, reach);
    cut_parts(out, reach);
  }
  free(reach);
  return made ? name_kinds(out) : RATTLE_NO_MEMORY;
}

/* ---- atoms ---- */

/* Factors of lengths and masses. */
static rattle_status find_units(topology_out *out, const topology *t, topology_user user,
                                double *length, double *mass, rattle_error *error) {
  *length = *mass = 1;
  out->style = t->style ? t->style : t->angstrom > 0 ? "real" : "lj";
  if (user == TOPOLOGY_GROMACS) *length = t->angstrom / 10, *mass = t->dalton;
  if (user == TOPOLOGY_LAMMPS && !t->style && t->angstrom > 0)
    *length = t->angstrom, *mass = t->dalton;
  if (*length > 0) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "GROMACS is in nm and u, and the units of the topology are not known: name "
                   "them by --units, as real for Angstrom and u");
}

static int make_room(topology_out *out, const topology *t, int sites) {
  const size_t most = (size_t)t->atoms + 1;
  out->given = malloc(most * sizeof *out->given), out->mass = malloc(most * sizeof *out->mass);
  out->hydrogen = malloc(most), out->number = calloc(most, sizeof *out->number);
  if (t->place) out->place = malloc(3 * most * sizeof *out->place);
  if (sites) out->site = malloc(most * sizeof *out->site);
  return out->given && out->mass && out->hydrogen && out->number && (!t->place || out->place) &&
         (!sites || out->site);
}

static rattle_status take_atoms(topology_out *out, const topology *t, topology_user user,
                                double length, double mass) {
  const int sites = t->site_of && user == TOPOLOGY_GROMACS;
  if (!make_room(out, t, sites)) return RATTLE_NO_MEMORY;
  for (long long a = 1; a <= t->atoms; a++) {
    const int k = out->atoms;
    const topology_site *site = sites ? t->site_of[a] : NULL;
    if (!(t->mass[a] > 0) && !(site && site->whole > 0)) continue;
    if (sites) out->site[k] = site;
    out->number[a] = k, out->given[k] = (int)a, out->mass[k] = t->mass[a] * mass;
    out->hydrogen[k] = (char)topology_hydrogen(t, (int)a);
    for (int d = 0; d < 3 && t->place; d++)
      out->place[3 * (size_t)k + (size_t)d] = t->place[3 * a + d] * length;
    out->atoms++;
  }
  out->left = t->atoms - t->missing - out->atoms;
  out->boxed = t->boxed;
  for (int e = 0; e < 9; e++) out->edge[e / 3][e % 3] = t->box.edge[e / 3][e % 3] * length;
  return RATTLE_OK;
}

rattle_status topology_out_make(topology_out *out, const topology *t, topology_user user,
                                rattle_error *error) {
  double length, mass;
  *out = (topology_out){0};
  rattle_status status = find_units(out, t, user, &length, &mass, error);
  if (status) return status;
  status = take_atoms(out, t, user, length, mass);
  if (!status) status = take_pairs(out, t, length);
  if (!status) status = take_parts(out);
  return status ? text_no_memory(error) : RATTLE_OK;
}

void topology_out_free(topology_out *out) {
  free(out->given), free(out->mass), free(out->place), free(out->hydrogen), free(out->pair),
      free(out->length), free(out->part), free(out->kind), free(out->number), free(out->site);
  *out = (topology_out){0};
}
