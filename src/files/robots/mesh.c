/* Files in STL and OBJ as triangles. */
#include "files/robots/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ground/support/error.h"
#include "ground/support/number.h"

/* ---- a mesh that grows ---- */

void rattle__mesh_release(rattle__mesh *mesh) {
  free(mesh->vertex);
  free(mesh->face);
  *mesh = (rattle__mesh){0};
}

/* Room for one more of `size` bytes. */
static int grow(void **array, size_t *room, size_t count, size_t size) {
  if (count < *room) return 1;
  const size_t more = *room ? 2 * *room : 1024;
  void *grown = realloc(*array, more * size);
  if (!grown) return 0;
  *array = grown;
  *room = more;
  return 1;
}

rattle_status rattle__mesh_add_vertex(rattle__mesh *mesh, const double at[3], rattle_error *error) {
  void *array = mesh->vertex;
  const int grew = grow(&array, &mesh->vertex_room, mesh->vertices, sizeof *mesh->vertex);
  mesh->vertex = array;
  if (!grew) return rattle__no_memory(error);
  memcpy(mesh->vertex[mesh->vertices++], at, sizeof *mesh->vertex);
  return RATTLE_OK;
}

rattle_status rattle__mesh_add_face(rattle__mesh *mesh, const uint32_t corner[3],
                                    rattle_error *error) {
  void *array = mesh->face;
  if (mesh->faces == RATTLE__MOST_FACES)
    return rattle__fail(error, RATTLE_BAD_MODEL, "mesh",
                        "a mesh has more than %d triangles: simplify it", RATTLE__MOST_FACES);
  const int grew = grow(&array, &mesh->face_room, mesh->faces, sizeof *mesh->face);
  mesh->face = array;
  if (!grew) return rattle__no_memory(error);
  memcpy(mesh->face[mesh->faces++], corner, sizeof *mesh->face);
  return RATTLE_OK;
}

/* A triangle with corners of its own. */
static rattle_status add_triangle(rattle__mesh *mesh, double at[3][3], rattle_error *error) {
  const uint32_t first = (uint32_t)mesh->vertices;
  const uint32_t corner[3] = {first, first + 1, first + 2};
  rattle_status status = rattle__mesh_add_face(mesh, corner, error);
  for (int i = 0; i < 3 && !status; i++) status = rattle__mesh_add_vertex(mesh, at[i], error);
  return status;
}

/* ---- lines of a text ---- */

struct text {
  const char *at, *end, *path; /* of the line */
  long line;
};

static rattle_status fail(const struct text *t, rattle_error *error, const char *what) {
  const int length = t->end - t->at > 60 ? 60 : (int)(t->end - t->at);
  return rattle__fail(error, RATTLE_BAD_MODEL, t->path, "%s:%ld: %s, found \"%.*s\"", t->path,
                      t->line, what, length, t->at);
}

static void skip_blanks(struct text *t) {
  while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r')) t->at++;
}

/* The next line with something on it; `last` is the end of the text. */
static int next_line(struct text *t, const char *last) {
  for (;;) {
    const char *begin = t->line ? t->end + 1 : t->at;
    if (begin >= last) return 0;
    const char *end = memchr(begin, '\n', (size_t)(last - begin));
    t->at = begin;
    t->end = end ? end : last;
    t->line++;
    skip_blanks(t);
    if (t->at < t->end) return 1;
  }
}

/* Takes a word off the line, if it is that one. */
static int take(struct text *t, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(t->end - t->at) < length || strncmp(t->at, word, length) != 0) return 0;
  const char *after = t->at + length;
  if (after < t->end && *after != ' ' && *after != '\t' && *after != '\r') return 0;
  t->at = after;
  skip_blanks(t);
  return 1;
}

static rattle_status take_point(struct text *t, double x[3], rattle_error *error) {
  struct text whole = *t;
  for (int i = 0; i < 3; i++) {
    char *end;
    if (t->at == t->end) return fail(&whole, error, "expected three finite numbers");
    x[i] = rattle__number_read(t->at, &end);
    if (end == t->at || end > t->end || !isfinite(x[i]))
      return fail(&whole, error, "expected three finite numbers");
    t->at = end;
    skip_blanks(t);
  }
  return RATTLE_OK;
}

/* ---- STL ---- */

static uint32_t little(const unsigned char *b) {
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static rattle_status read_binary(rattle__mesh *mesh, const char *bytes, const char *path,
                                 rattle_error *error) {
  const unsigned char *at = (const unsigned char *)bytes + 84;
  const uint32_t count = little(at - 4);
  rattle_status status = RATTLE_OK;
  for (uint32_t f = 0; f < count && !status; f++, at += 50) {
    double corner[3][3]; /* after the normal, which follows from them */
    for (int i = 0; i < 9; i++) {
      const uint32_t bits = little(at + 12 + 4 * i);
      float x;
      memcpy(&x, &bits, sizeof x);
      if (!isfinite(x))
        return rattle__fail(error, RATTLE_BAD_MODEL, path,
                            "%s: a corner of triangle %u is not a finite number", path, f + 1);
      corner[i / 3][i % 3] = (double)x;
    }
    status = add_triangle(mesh, corner, error);
  }
  return status;
}

static rattle_status read_facets(rattle__mesh *mesh, struct text *t, const char *last,
                                 rattle_error *error) {
  double corner[3][3];
  int corners = 0;
  rattle_status status = RATTLE_OK;
  while (!status && next_line(t, last)) {
    if (take(t, "vertex")) {
      if (corners == 3) return fail(t, error, "a facet has more than three corners");
      status = take_point(t, corner[corners++], error);
    } else if (take(t, "endloop")) {
      if (corners != 3) return fail(t, error, "a facet has fewer than three corners");
      corners = 0;
      status = add_triangle(mesh, corner, error);
    } else if (!take(t, "solid") && !take(t, "facet") && !take(t, "outer") &&
               !take(t, "endfacet") && !take(t, "endsolid")) {
      return fail(t, error, "expected a facet in STL");
    }
  }
  if (!status && corners) return fail(t, error, "a facet does not end");
  return status;
}

static rattle_status read_stl(rattle__mesh *mesh, const char *bytes, size_t length,
                              const char *path, rattle_error *error) {
  if (length >= 84) {
    const uint64_t count = little((const unsigned char *)bytes + 80);
    if (length == 84 + 50 * count) return read_binary(mesh, bytes, path, error);
  }
  struct text t = {bytes, bytes, path, 0};
  if (length > 5 && !strncmp(bytes, "solid", 5))
    return read_facets(mesh, &t, bytes + length, error);
  return rattle__fail(error, RATTLE_BAD_MODEL, path,
                      "\"%s\" is not STL: it does not begin with \"solid\", and its length is not "
                      "that of the triangles that it counts",
                      path);
}

/* ---- OBJ ---- */

/* The vertex of "7", "7/1" or "-1//3": counted from 1, or back from the last one. */
static rattle_status take_corner(struct text *t, const rattle__mesh *mesh, uint32_t *corner,
                                 rattle_error *error) {
  char *end;
  const long long number = strtoll(t->at, &end, 10);
  const long long count = (long long)mesh->vertices,
                  index = number < 0 ? count + number : number - 1;
  if (end == t->at || end > t->end || index < 0 || index >= count)
    return fail(t, error, "expected the number of a vertex before it");
  *corner = (uint32_t)index;
  t->at = end;
  while (t->at < t->end && *t->at != ' ' && *t->at != '\t' && *t->at != '\r') t->at++;
  skip_blanks(t);
  return RATTLE_OK;
}

static double apart(const rattle__mesh *mesh, uint32_t a, uint32_t b) {
  const double *p = mesh->vertex[a], *q = mesh->vertex[b];
  return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

/* A polygon as triangles at its first corner; one of four corners along its shorter diagonal. */
static rattle_status read_polygon(rattle__mesh *mesh, struct text *t, rattle_error *error) {
  uint32_t first[4] = {0}, three[3] = {0};
  size_t corners = 0, from = mesh->faces;
  rattle_status status = RATTLE_OK;
  while (t->at < t->end && !status) {
    uint32_t corner = 0;
    status = take_corner(t, mesh, &corner, error);
    if (corners < 4) first[corners] = corner;
    three[corners < 2 ? corners : 2] = corner;
    if (!status && ++corners >= 3) status = rattle__mesh_add_face(mesh, three, error);
    if (corners >= 3) three[1] = three[2];
  }
  if (status) return status;
  if (corners < 3) return fail(t, error, "a face has fewer than three corners");
  if (corners == 4 && apart(mesh, first[1], first[3]) < apart(mesh, first[0], first[2])) {
    const uint32_t other[2][3] = {{first[0], first[1], first[3]}, {first[1], first[2], first[3]}};
    memcpy(mesh->face[from], other, sizeof other);
  }
  return RATTLE_OK;
}

static rattle_status read_obj(rattle__mesh *mesh, const char *bytes, size_t length,
                              const char *path, rattle_error *error) {
  struct text t = {bytes, bytes, path, 0};
  rattle_status status = RATTLE_OK;
  while (!status && next_line(&t, bytes + length)) {
    double at[3];
    if (take(&t, "f")) {
      status = read_polygon(mesh, &t, error);
    } else if (take(&t, "v")) {
      status = take_point(&t, at, error);
      if (!status) status = rattle__mesh_add_vertex(mesh, at, error);
    }
    if (!status && mesh->vertices > 3 * (size_t)RATTLE__MOST_FACES)
      return fail(&t, error, "the mesh has too many vertices: simplify it");
  }
  return status;
}

rattle_status rattle__mesh_read(rattle__mesh *mesh, const char *bytes, size_t length,
                                const char *path, rattle_error *error) {
  static const struct {
    const char *ending;
    rattle_status (*read)(rattle__mesh *, const char *, size_t, const char *, rattle_error *);
  } kinds[] = {{".stl", read_stl}, {".obj", read_obj}};
  const char *ending = strrchr(path, '.');
  *mesh = (rattle__mesh){0};
  for (int i = 0; i < 2; i++) {
    if (!ending || strcasecmp(ending, kinds[i].ending) != 0) continue;
    const rattle_status status = kinds[i].read(mesh, bytes, length, path, error);
    if (status || mesh->faces) return status;
    return rattle__fail(error, RATTLE_BAD_MODEL, path, "\"%s\" has no triangles", path);
  }
  return rattle__fail(error, RATTLE_BAD_MODEL, path,
                      "\"%s\" is no mesh that is read: expected a file in STL or OBJ, with the "
                      "ending .stl or .obj",
                      path);
}
