/* The mass of a mesh by the divergence theorem: a sum over tetrahedra between its triangles and a
 * point, whichever that is if the surface is closed and its triangles are turned alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/mesh.h"
#include "ground/support/error.h"
#include "ground/support/number.h"

/* ---- is it closed? ---- */

/* An edge of a triangle between two places, and its direction there. */
struct edge {
  uint32_t from, to;
  int direction;
};

struct corner {
  const double *at;
  uint32_t vertex;
};

static int compare_points(const double *p, const double *q) {
  for (int i = 0; i < 3; i++)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

static int compare_places(const void *a, const void *b) {
  const struct corner *p = a, *q = b;
  const int order = compare_points(p->at, q->at);
  return order ? order : p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

static int compare_edges(const void *a, const void *b) {
  const struct edge *p = a, *q = b;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  return p->to == q->to ? 0 : p->to < q->to ? -1 : 1;
}

/* same[v]: the first vertex at the place of vertex v. */
static int number_places(const rattle__mesh *mesh, uint32_t *same) {
  struct corner *place = malloc((mesh->vertices + 1) * sizeof *place);
  if (!place) return 0;
  for (size_t v = 0; v < mesh->vertices; v++)
    place[v] = (struct corner){mesh->vertex[v], (uint32_t)v};
  qsort(place, mesh->vertices, sizeof *place, compare_places);
  uint32_t first = 0;
  for (size_t k = 0; k < mesh->vertices; k++) {
    if (!k || compare_points(place[k - 1].at, place[k].at) != 0) first = place[k].vertex;
    same[place[k].vertex] = first;
  }
  free(place);
  return 1;
}

static size_t collect_edges(const rattle__mesh *mesh, const uint32_t *same, struct edge *edge) {
  size_t count = 0;
  for (size_t f = 0; f < mesh->faces; f++)
    for (int i = 0; i < 3; i++) {
      const uint32_t a = same[mesh->face[f][i]], b = same[mesh->face[f][(i + 1) % 3]];
      if (a < b) edge[count++] = (struct edge){a, b, 1};
      if (b < a) edge[count++] = (struct edge){b, a, -1};
    }
  return count;
}

/* A closed surface passes each edge as often in one direction as in the other; where the direction
 * of its faces does not matter, an even number of times. */
static void find_gaps(const rattle__mesh *mesh, const struct edge *edge, size_t edges, int oriented,
                      char why[200]) {
  size_t gaps = 0, end;
  const struct edge *first = NULL;
  int open = 0;
  for (size_t k = 0; k < edges; k = end) {
    int sum = 0;
    for (end = k; end < edges && !compare_edges(&edge[k], &edge[end]); end++)
      sum += edge[end].direction;
    const int odd = (end - k) % 2 != 0;
    if (!odd && !(oriented && sum)) continue;
    if (!gaps++) first = &edge[k];
    open = open || odd;
  }
  if (!gaps) return;
  const double *a = mesh->vertex[first->from], *b = mesh->vertex[first->to];
  rattle__print(why, 200,
                "%s at %zu edge%s, the first from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)",
                open ? "is open" : "has faces that are turned inward", gaps, gaps == 1 ? "" : "s",
                a[0], a[1], a[2], b[0], b[1], b[2]);
}

static rattle_status check_closed(const rattle__mesh *mesh, int oriented, char why[200],
                                  rattle_error *error) {
  uint32_t *same = malloc((mesh->vertices + 1) * sizeof *same);
  struct edge *edge = malloc((3 * mesh->faces + 1) * sizeof *edge);
  const int good = same && edge && number_places(mesh, same);
  if (good) {
    const size_t edges = collect_edges(mesh, same, edge);
    qsort(edge, edges, sizeof *edge, compare_edges);
    find_gaps(mesh, edge, edges, oriented, why);
  }
  free(same);
  free(edge);
  return good ? RATTLE_OK : rattle__no_memory(error);
}

/* ---- sums over the triangles ---- */

struct face {
  double corner[3][3], centre[3], area, volume; /* volume: of the tetrahedron with the origin */
};

static void look(struct face *t, const rattle__mesh *mesh, size_t f, const double origin[3]) {
  double u[3], v[3], normal[3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) t->corner[k][i] = mesh->vertex[mesh->face[f][k]][i] - origin[i];
  for (int i = 0; i < 3; i++) {
    u[i] = t->corner[1][i] - t->corner[0][i];
    v[i] = t->corner[2][i] - t->corner[0][i];
    t->centre[i] = (t->corner[0][i] + t->corner[1][i] + t->corner[2][i]) / 3;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    normal[i] = u[j] * v[k] - u[k] * v[j];
  }
  t->area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 2;
  t->volume =
      (t->corner[0][0] * normal[0] + t->corner[0][1] * normal[1] + t->corner[0][2] * normal[2]) / 6;
}

static double weight(const struct face *t, int kind) {
  if (kind == RATTLE__MESH_SHELL) return t->area;
  return kind == RATTLE__MESH_EXACT ? t->volume : fabs(t->volume);
}

/* The mass and its centre: `reach` is how far the centre of a part is from the origin, in parts of
 * the centre of its triangle. */
static double centre_of(const rattle__mesh *mesh, int kind, const double origin[3], double reach,
                        double centre[3]) {
  double sum = 0, first[3] = {0};
  for (size_t f = 0; f < mesh->faces; f++) {
    struct face t;
    look(&t, mesh, f, origin);
    const double m = weight(&t, kind);
    sum += m;
    for (int i = 0; i < 3; i++) first[i] += m * reach * t.centre[i];
  }
  for (int i = 0; i < 3; i++) centre[i] = origin[i] + (sum > 0 ? first[i] / sum : 0);
  return sum;
}

/* The mass, and the sum of m (r.r - r r^T), about the centre: the second moments of a tetrahedron
 * with one corner at the origin are m/20, of a triangle m/12, times
 * sum_k c_k c_k^T + (sum_k c_k)(sum_k c_k)^T. */
static void add_inertia(const rattle__mesh *mesh, int kind, rattle__mesh_mass *mass) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double parts = kind == RATTLE__MESH_SHELL ? 12 : 20;
  double second[6] = {0}, whole = 0;
  for (size_t f = 0; f < mesh->faces; f++) {
    struct face t;
    look(&t, mesh, f, mass->centre);
    const double weighs = weight(&t, kind), m = weighs / parts;
    whole += weighs;
    for (int e = 0; e < 6; e++) {
      double sum = 9 * t.centre[row[e]] * t.centre[column[e]];
      for (int k = 0; k < 3; k++) sum += t.corner[k][row[e]] * t.corner[k][column[e]];
      second[e] += m * sum;
    }
  }
  mass->mass = whole;
  const double trace = second[0] + second[1] + second[2];
  for (int e = 0; e < 6; e++) mass->inertia[e] = (e < 3 ? trace : 0) - second[e];
}

rattle_status rattle__mesh_weigh(const rattle__mesh *mesh, int kind, rattle__mesh_mass *mass,
                                 char why[200], rattle_error *error) {
  const double nowhere[3] = {0};
  double middle[3];
  rattle_status status = RATTLE_OK;
  why[0] = 0;
  if (kind != RATTLE__MESH_SHELL)
    status = check_closed(mesh, kind == RATTLE__MESH_EXACT, why, error);
  if (status || why[0]) return status;
  centre_of(mesh, RATTLE__MESH_SHELL, nowhere, 1, middle);
  const int shell = kind == RATTLE__MESH_SHELL;
  mass->mass = centre_of(mesh, kind, middle, shell ? 1 : 0.75, mass->centre);
  if (!(mass->mass > 0))
    rattle__print(why, 200, mass->mass < 0 ? "has its faces turned inward" : "encloses nothing");
  else
    add_inertia(mesh, kind, mass);
  return RATTLE_OK;
}
