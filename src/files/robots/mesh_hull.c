/* The convex hull of the vertices of a mesh, by quickhull (C. B. Barber, D. P. Dobkin,
 * H. Huhdanpaa, ACM Trans. Math. Software 22 (1996) 469).
 *
 * Sides are judged on a lattice of 2^40 cells along the longest edge of the box around the mesh,
 * whose determinants are exact in 128 bits: no rounding contradicts itself, and the hull misses no
 * more than a cell. The faces that a vertex sees are replaced by those between it and their edge:
 * the surface is closed at all times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/mesh.h"
#include "ground/support/error.h"

enum { MOST_FACES = 40000, NONE = -1 };

/* A face, and the first of the vertices outside of it that are no other's; the next face that is
 * free. */
struct facet {
  uint32_t corner[3];
  int alive, first, next_free;
};

/* An edge of a face that is seen, from < to; direction: 1, or -1 for to -> from. */
struct rim {
  uint32_t from, to;
  int direction;
};

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
enum { EXACT = 1 };
#else
typedef int64_t wide; /* products of three cells do not fit */
enum { EXACT = 0 };
#endif

struct hull {
  const rattle__mesh *mesh;
  int64_t (*cell)[3];
  struct facet *facet;
  struct rim *rim;
  int facets, facet_room, rims, rim_room, free;
  int *next; /* of a vertex: the next one outside of the same face */
};

/* The volume between a vertex and the plane through three in cells; 0 if it is not above it. */
static double above(const struct hull *h, const uint32_t corner[3], uint32_t vertex) {
  const int64_t *a = h->cell[corner[0]], *b = h->cell[corner[1]], *c = h->cell[corner[2]],
                *d = h->cell[vertex];
  wide det = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    det += (wide)(d[i] - a[i]) *
           ((wide)(b[j] - a[j]) * (c[k] - a[k]) - (wide)(b[k] - a[k]) * (c[j] - a[j]));
  }
  return det > 0 ? (double)det : 0;
}

static void put_into_cells(struct hull *h) {
  double least[3], extent = 0;
  for (int i = 0; i < 3; i++) {
    double most = -INFINITY;
    least[i] = INFINITY;
    for (size_t v = 0; v < h->mesh->vertices; v++) {
      least[i] = fmin(least[i], h->mesh->vertex[v][i]);
      most = fmax(most, h->mesh->vertex[v][i]);
    }
    extent = fmax(extent, most - least[i]);
  }
  for (size_t v = 0; v < h->mesh->vertices; v++)
    for (int i = 0; i < 3; i++)
      h->cell[v][i] =
          extent > 0 ? (int64_t)((h->mesh->vertex[v][i] - least[i]) / extent * 0x1p40) : 0;
}

static rattle_status add_facet(struct hull *h, uint32_t a, uint32_t b, uint32_t c, int *number,
                               rattle_error *error) {
  int f = h->free;
  if (f != NONE) {
    h->free = h->facet[f].next_free;
  } else if (h->facets == MOST_FACES) {
    return rattle__fail(error, RATTLE_BAD_MODEL, "mesh",
                        "the hull of a mesh has more than %d triangles: simplify it", MOST_FACES);
  } else {
    if (h->facets == h->facet_room) {
      const int room = h->facet_room ? 2 * h->facet_room : 256;
      struct facet *grown = realloc(h->facet, (size_t)room * sizeof *grown);
      if (!grown) return rattle__no_memory(error);
      h->facet = grown;
      h->facet_room = room;
    }
    f = h->facets++;
  }
  h->facet[f] = (struct facet){{a, b, c}, 1, NONE, NONE};
  *number = f;
  return RATTLE_OK;
}

/* Gives a vertex to the first of the faces that it is outside of, if there is one. */
static void give(struct hull *h, const int *faces, int count, int vertex) {
  for (int k = 0; k < count; k++) {
    struct facet *f = &h->facet[faces[k]];
    if (!(above(h, f->corner, (uint32_t)vertex) > 0)) continue;
    h->next[vertex] = f->first;
    f->first = vertex;
    return;
  }
}

/* ---- the first tetrahedron ---- */

static double square_apart(const double *p, const double *q) {
  return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
         (p[2] - q[2]) * (p[2] - q[2]);
}

/* The square of the area between a line and a vertex. */
static double off_line(const rattle__mesh *mesh, const uint32_t corner[2], uint32_t vertex) {
  const double *a = mesh->vertex[corner[0]], *b = mesh->vertex[corner[1]],
               *d = mesh->vertex[vertex];
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double part = (b[j] - a[j]) * (d[k] - a[k]) - (b[k] - a[k]) * (d[j] - a[j]);
    sum += part * part;
  }
  return sum;
}

/* The vertex that is farthest from those before: a point, a line, a plane on either side. */
static uint32_t farthest(const struct hull *h, const uint32_t corner[3], int count, double *most) {
  const rattle__mesh *mesh = h->mesh;
  const uint32_t turned[3] = {corner[0], corner[2], corner[1]};
  uint32_t best = 0;
  *most = 0;
  for (uint32_t v = 0; v < mesh->vertices; v++) {
    const double far = count == 1   ? square_apart(mesh->vertex[corner[0]], mesh->vertex[v])
                       : count == 2 ? off_line(mesh, corner, v)
                                    : fmax(above(h, corner, v), above(h, turned, v));
    if (!(far > *most)) continue;
    *most = far;
    best = v;
  }
  return best;
}

/* True if a vertex at this volume over three others is in their plane: each is off its cell by less
 * than one along each axis, so that its height is uncertain by two diagonals of a cell, and twice
 * that where it leans over its triangle, which is the largest on its first edge. */
static int is_flat(const struct hull *h, const uint32_t corner[3], double volume) {
  const int64_t *a = h->cell[corner[0]], *b = h->cell[corner[1]], *c = h->cell[corner[2]];
  double square = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double part = (double)(b[j] - a[j]) * (double)(c[k] - a[k]) -
                        (double)(b[k] - a[k]) * (double)(c[j] - a[j]);
    square += part * part;
  }
  return !(volume > 4 * sqrt(3) * sqrt(square));
}

/* *flat: all vertices are in a plane. */
static rattle_status begin(struct hull *h, int *flat, rattle_error *error) {
  static const int side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  uint32_t c[4] = {0};
  int face[4];
  double most = 1;
  for (int count = 1; count < 4 && most > 0; count++) c[count] = farthest(h, c, count, &most);
  *flat = !(most > 0) || is_flat(h, c, most);
  if (*flat) return RATTLE_OK;
  if (above(h, c, c[3]) > 0) { /* the first side is to look away from the last corner */
    const uint32_t swapped = c[1];
    c[1] = c[2];
    c[2] = swapped;
  }
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 4 && !status; k++)
    status = add_facet(h, c[side[k][0]], c[side[k][1]], c[side[k][2]], &face[k], error);
  for (int v = 0; v < (int)h->mesh->vertices && !status; v++) give(h, face, 4, v);
  return status;
}

/* ---- one vertex more ---- */

static int compare_rims(const void *a, const void *b) {
  const struct rim *p = a, *q = b;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  return p->to == q->to ? 0 : p->to < q->to ? -1 : 1;
}

/* Takes away a face that is seen: its vertices go to the list *orphans, its edges to the rim. */
static rattle_status take_away(struct hull *h, int face, int *orphans, rattle_error *error) {
  struct facet *f = &h->facet[face];
  if (h->rims + 3 > h->rim_room) {
    const int room = 2 * h->rim_room + 48;
    struct rim *grown = realloc(h->rim, (size_t)room * sizeof *grown);
    if (!grown) return rattle__no_memory(error);
    h->rim = grown;
    h->rim_room = room;
  }
  for (int i = 0; i < 3; i++) {
    const uint32_t a = f->corner[i], b = f->corner[(i + 1) % 3];
    h->rim[h->rims++] = a < b ? (struct rim){a, b, 1} : (struct rim){b, a, -1};
  }
  while (f->first != NONE) {
    const int vertex = f->first;
    f->first = h->next[vertex];
    h->next[vertex] = *orphans;
    *orphans = vertex;
  }
  f->alive = 0;
  f->next_free = h->free;
  h->free = face;
  return RATTLE_OK;
}

/* Faces between the vertex and the edges that are passed in one direction only. */
static rattle_status close_up(struct hull *h, uint32_t vertex, int *faces, int *count,
                              rattle_error *error) {
  rattle_status status = RATTLE_OK;
  qsort(h->rim, (size_t)h->rims, sizeof *h->rim, compare_rims);
  *count = 0;
  for (int k = 0, end; k < h->rims && !status; k = end) {
    int sum = 0;
    for (end = k; end < h->rims && !compare_rims(&h->rim[k], &h->rim[end]); end++)
      sum += h->rim[end].direction;
    const struct rim *e = &h->rim[k];
    for (; sum && !status; sum += sum > 0 ? -1 : 1)
      status = add_facet(h, sum > 0 ? e->from : e->to, sum > 0 ? e->to : e->from, vertex,
                         &faces[(*count)++], error);
  }
  return status;
}

/* Moves the hull to the farthest vertex outside of a face. */
static rattle_status extend(struct hull *h, int face, rattle_error *error) {
  int vertex = NONE, orphans = NONE, count = 0;
  double most = 0;
  for (int v = h->facet[face].first; v != NONE; v = h->next[v]) {
    const double far = above(h, h->facet[face].corner, (uint32_t)v);
    if (!(far > most)) continue;
    most = far;
    vertex = v;
  }
  rattle_status status = RATTLE_OK;
  h->rims = 0;
  for (int f = 0; f < h->facets && !status; f++)
    if (h->facet[f].alive && above(h, h->facet[f].corner, (uint32_t)vertex) > 0)
      status = take_away(h, f, &orphans, error);
  int *faces = malloc(((size_t)h->rims + 1) * sizeof *faces);
  if (!faces && !status) status = rattle__no_memory(error);
  if (!status) status = close_up(h, (uint32_t)vertex, faces, &count, error);
  while (orphans != NONE && !status) {
    const int v = orphans;
    orphans = h->next[v];
    if (v != vertex) give(h, faces, count, v);
  }
  free(faces);
  return status;
}

/* ---- the whole ---- */

rattle_status rattle__mesh_make_hull(rattle__mesh *mesh, rattle_error *error) {
  struct hull h = {.mesh = mesh, .free = NONE};
  int flat = 0;
  if (!EXACT)
    return rattle__fail(error, RATTLE_UNSUITABLE, "mesh",
                        "the hull of a mesh asks for integers of 128 bits, which this processor "
                        "has not: give the inertia, or load the file on one of 64 bits");
  h.next = malloc((mesh->vertices + 1) * sizeof *h.next);
  h.cell = malloc((mesh->vertices + 1) * sizeof *h.cell);
  rattle_status status = h.next && h.cell ? RATTLE_OK : rattle__no_memory(error);
  if (!status) put_into_cells(&h);
  if (!status) status = begin(&h, &flat, error);
  for (int more = !flat; more && !status;) {
    more = 0;
    for (int f = 0; f < h.facets && !status; f++)
      while (h.facet[f].alive && h.facet[f].first != NONE && !status) {
        status = extend(&h, f, error);
        more = 1;
      }
  }
  mesh->faces = 0;
  for (int f = 0; f < h.facets && !status; f++)
    if (h.facet[f].alive) status = rattle__mesh_add_face(mesh, h.facet[f].corner, error);
  free(h.next);
  free(h.cell);
  free(h.facet);
  free(h.rim);
  return status;
}
