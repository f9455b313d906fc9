/* Bodies: the atoms of lines that share atoms. Linear constraints keep the lines, x_c = (1 - a) x_i
 * + a x_j for each inner atom c, in each axis alike: C x = 0. A push on one atom of a body moves
 * all of it by W = P M^-1, P = 1 - M^-1 C' (C M^-1 C')^-1 C.
 *
 * Source  G. Ciccotti, M. Ferrario, J. P. Ryckaert, Mol. Phys. 47 (1982) 1253, for linear
 *         molecules */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bodies.h"
#include "ground/support/eliminate.h"

/* C [rows][n] of the lines. */
static void constraints(int n, const rattle__bond_places *lines, double *c) {
  for (int l = 0; l < lines->count; l++) {
    const int from = lines->first[l], to = lines->first[l + 1];
    int low = from, high = from;
    for (int e = from; e < to; e++) {
      if (lines->place[e] < lines->place[low]) low = e;
      if (lines->place[e] > lines->place[high]) high = e;
    }
    const double length = lines->place[high] - lines->place[low];
    for (int e = from; e < to; e++) {
      if (e == low || e == high) continue;
      c[lines->atom[e]] = 1;
      c[lines->atom[low]] = -(lines->place[high] - lines->place[e]) / length;
      c[lines->atom[high]] = -(lines->place[e] - lines->place[low]) / length;
      c += n;
    }
  }
}

/* True if P P = P; false if lines depend on one another. */
static int projects(int n, const double *p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = -p[i * n + j];
      for (int k = 0; k < n; k++) sum += p[i * n + k] * p[k * n + j];
      if (!(fabs(sum) < 1e-10)) return 0;
    }
  return 1;
}

int rattle__bonds_projection(int n, const rattle__bond_places *lines, const double *inverse_mass,
                             double *p) {
  const size_t rows = (size_t)(lines->first[lines->count] - lines->first[0] - 2 * lines->count),
               atoms = (size_t)n;
  double *room = calloc(2 * rows * atoms + rows * rows, sizeof *room), *c = room,
         *y = c + rows * atoms, *s = y + rows * atoms;
  if (!room) return 0;
  constraints(n, lines, c);
  memcpy(y, c, rows * atoms * sizeof *y);
  for (size_t k = 0; k < rows; k++)
    for (size_t l = 0; l < rows; l++)
      for (size_t a = 0; a < atoms; a++)
        s[k * rows + l] += c[k * atoms + a] * inverse_mass[a] * c[l * atoms + a];
  const int singular = rattle__eliminate((int)rows, n, s, y);
  for (size_t a = 0; a < atoms; a++)
    for (size_t b = 0; b < atoms; b++) {
      double sum = a == b;
      for (size_t k = 0; k < rows; k++)
        sum -= inverse_mass[a] * c[k * atoms + a] * y[k * atoms + b];
      p[a * atoms + b] = sum;
    }
  free(room);
  return !singular && projects(n, p);
}

/* --- of a shape ------------------------------------------------------------------------------- */

static int root_of(int *root, int a) {
  while (root[a] != a) a = root[a] = root[root[a]];
  return a;
}

/* The body of each atom, or -1: lines that share atoms are in one. number [atoms] is room; how many
 * bodies there are. */
static int number_bodies(int atoms, const rattle__bond_places *lines, int *body, int *number) {
  int count = 0;
  for (int a = 0; a < atoms; a++) body[a] = a, number[a] = -1;
  for (int l = 0; l < lines->count; l++)
    for (int e = lines->first[l]; e < lines->first[l + 1]; e++) {
      const int i = root_of(body, lines->atom[lines->first[l]]), j = root_of(body, lines->atom[e]);
      body[i > j ? i : j] = i > j ? j : i;
      number[lines->atom[e]] = 0;
    }
  for (int a = 0; a < atoms; a++) body[a] = number[a] < 0 ? -1 : root_of(body, a);
  for (int a = 0; a < atoms; a++) {
    if (body[a] == a) number[a] = count++;
    if (body[a] >= 0) body[a] = number[body[a]]; /* roots come first */
  }
  return count;
}

/* The body that holds both ends of bond k, or NULL. */
static rattle__bond_body *body_of(const rattle__bond_shape *s, const int *body, int k) {
  const int i = body[s->pair[2 * k]], j = body[s->pair[2 * k + 1]];
  return i >= 0 && i == j ? &s->body[i] : NULL;
}

/* Lines and bonds of each body. */
static int fill_lists(rattle__bond_shape *s, const rattle__bond_places *lines, const int *body,
                      rattle__arena *arena) {
  for (int fill = 0; fill < 2; fill++) {
    for (int l = 0; l < lines->count; l++) {
      rattle__bond_body *b = &s->body[body[lines->atom[lines->first[l]]]];
      if (fill) b->line[b->lines] = l;
      b->lines++;
    }
    for (int k = 0; k < s->bonds + s->held; k++) {
      rattle__bond_body *b = body_of(s, body, k);
      if (!b) continue;
      if (fill) b->bond[b->bonds] = k;
      b->bonds++;
    }
    for (int k = 0; k < s->bodies && !fill; k++) {
      rattle__bond_body *b = &s->body[k];
      b->line = rattle__arena_take(arena, (size_t)b->lines * sizeof(int));
      b->bond = rattle__arena_take(arena, (size_t)b->bonds * sizeof(int));
      b->lines = b->bonds = 0;
    }
    if (arena->failed) return 0;
  }
  return 1;
}

/* The atoms of a body from the first on, each after one that a bond connects it with. body [atoms]
 * becomes -1 there. */
static void walk(const rattle__bond_shape *s, int first, rattle__bond_body *b, int *body) {
  body[b->atom[0] = first] = b->parent[0] = -1;
  b->atoms = 1;
  for (int k = 0; k < b->atoms; k++)
    for (int e = 0; e < 2 * b->bonds; e++) {
      const int *pair = s->pair + 2 * b->bond[e / 2], other = pair[1 - e % 2];
      if (pair[e % 2] != b->atom[k] || body[other] < 0) continue;
      body[other] = -1;
      b->parent[b->atoms] = k, b->atom[b->atoms++] = other;
    }
}

static int walk_all(rattle__bond_shape *s, int *body, rattle__arena *arena) {
  for (int a = 0; a < s->atoms; a++)
    if (body[a] >= 0) s->body[body[a]].atoms++;
  for (int a = 0; a < s->atoms; a++) {
    if (body[a] < 0) continue;
    rattle__bond_body *b = &s->body[body[a]];
    b->atom = rattle__arena_take(arena, 2 * (size_t)b->atoms * sizeof(int));
    if (!b->atom) return 0;
    b->parent = b->atom + b->atoms;
    walk(s, a, b, body);
    b->matrix = s->entries;
    s->entries += b->atoms * b->atoms;
  }
  return 1;
}

int rattle__bonds_find_bodies(rattle__bond_shape *s, const rattle__bond_places *lines,
                              rattle__arena *arena) {
  int *body = malloc(2 * (size_t)s->atoms * sizeof *body);
  if (!body) return 0;
  s->bodies = number_bodies(s->atoms, lines, body, body + s->atoms);
  s->body = rattle__arena_take(arena, (size_t)s->bodies * sizeof *s->body);
  s->stands = rattle__arena_take(arena, (size_t)s->atoms * sizeof *s->stands);
  const int good = !arena->failed && fill_lists(s, lines, body, arena) && walk_all(s, body, arena);
  for (int a = 0; a < s->atoms && good; a++) s->stands[a] = a;
  for (int b = 0; b < s->bodies && good; b++)
    for (int e = 0; e < s->body[b].atoms; e++) s->stands[s->body[b].atom[e]] = s->body[b].atom[0];
  free(body);
  return good;
}

/* --- of a cluster ----------------------------------------------------------------------------- */

/* Work for the form of one cluster. */
typedef struct body_maker {
  const rattle__bond_shape *shape;
  const double *inverse_mass;
  int *body, *local; /* of atoms: their body, or -1, and their place in it [atoms] */
  double *form;
} body_maker;

static double moved(const body_maker *m, int a, int b) {
  const rattle__bond_shape *s = m->shape;
  if (m->body[a] < 0 || m->body[b] != m->body[a]) return a == b ? m->inverse_mass[a] : 0;
  const rattle__bond_body *body = &s->body[m->body[a]];
  return m->form[body->matrix + m->local[a] * body->atoms + m->local[b]] * m->inverse_mass[b];
}

/* e_k' W e_l, e_k being 1 at one end of bond k and -1 at the other. */
static double weight(const body_maker *m, int k, int l) {
  const int *a = m->shape->pair + 2 * k, *b = m->shape->pair + 2 * l;
  return moved(m, a[0], b[0]) - moved(m, a[0], b[1]) - moved(m, a[1], b[0]) + moved(m, a[1], b[1]);
}

/* P of body b, from its lines. */
static int project_body(const body_maker *m, const rattle__bond_body *body,
                        const rattle__bond_places *lines) {
  int entries = 0;
  for (int k = 0; k < body->lines; k++)
    entries += lines->first[body->line[k] + 1] - lines->first[body->line[k]];
  int *first = calloc((size_t)(body->lines + 1 + entries), sizeof *first),
      *atom = first + body->lines + 1;
  double *place = calloc((size_t)(entries + body->atoms), sizeof *place),
         *inverse_mass = place + entries;
  const int good = first && place;
  for (int k = 0, to = 0; k < body->lines && good; first[++k] = to)
    for (int e = lines->first[body->line[k]]; e < lines->first[body->line[k] + 1]; e++, to++)
      atom[to] = m->local[lines->atom[e]], place[to] = lines->place[e];
  for (int e = 0; e < body->atoms && good; e++) inverse_mass[e] = m->inverse_mass[body->atom[e]];
  const rattle__bond_places own = {body->lines, first, atom, place};
  const int made =
      good && rattle__bonds_projection(body->atoms, &own, inverse_mass, m->form + body->matrix);
  free(first), free(place);
  return made;
}

int rattle__bonds_form_bodies(const rattle__bond_shape *s, const rattle__bond_places *lines,
                              const double *inverse_mass, double *form) {
  int *room = malloc(2 * (size_t)s->atoms * sizeof *room);
  if (!room) return 0;
  const body_maker m = {s, inverse_mass, room, room + s->atoms, form};
  int good = 1;
  for (int a = 0; a < s->atoms; a++) m.body[a] = -1;
  for (int b = 0; b < s->bodies; b++)
    for (int e = 0; e < s->body[b].atoms; e++)
      m.body[s->body[b].atom[e]] = b, m.local[s->body[b].atom[e]] = e;
  for (int b = 0; b < s->bodies && good; b++) good = project_body(&m, &s->body[b], lines);
  double *weights = form + s->entries;
  for (int k = 0; k < s->bonds && good; k++) weights[k] = weight(&m, k, k);
  for (int c = 0; c < s->couplings && good; c++)
    weights[s->bonds + c] = weight(&m, s->coupling[c].row, s->coupling[c].column);
  free(room);
  return good;
}
