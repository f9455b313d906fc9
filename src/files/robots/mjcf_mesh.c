/* Meshes of MJCF: from files and from lists of numbers, moved and scaled, and what they weigh. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/mesh.h"
#include "files/robots/mjcf.h"
#include "files/robots/paths.h"
#include "ground/support/error.h"
#include "ground/support/number.h"

enum { HULL = RATTLE__MESH_SHELL + 1 }; /* of the mass that the convex hull encloses */

/* One that was weighed. */
struct rattle__mjcf_mesh {
  const rattle__element *element;
  rattle__mesh_mass mass;
  struct rattle__mjcf_mesh *next;
};

/* ---- which one ---- */

/* The name of a file without folders and ending is that of a mesh that has none. */
static int has_name(const rattle__element *e, const char *name) {
  const char *own = rattle__xml_value(e, "name"), *file = rattle__xml_value(e, "file");
  if (own && *own) return !strcmp(own, name);
  if (!file) return 0;
  const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file,
             *dot = strrchr(stem, '.');
  const size_t length = dot ? (size_t)(dot - stem) : strlen(stem);
  return strlen(name) == length && !strncmp(stem, name, length);
}

static rattle__element *find_asset(const rattle__mjcf *m, const char *name) {
  for (rattle__element *e = m->document->root->first; e; e = e->next) {
    if (strcmp(e->name, "asset") != 0) continue;
    for (rattle__element *c = e->first; c; c = c->next)
      if (!strcmp(c->name, "mesh") && has_name(c, name)) {
        e->used = c->used = 1;
        return c;
      }
  }
  return NULL;
}

/* ---- its triangles ---- */

static rattle_status read_file(const rattle__mjcf *m, const rattle__element *e, const char *name,
                               rattle__mesh *mesh, rattle_error *error) {
  const rattle__element *strip = rattle__mjcf_setting(m, "compiler", "strippath");
  const char *slash = strrchr(name, '/'), *folder = NULL;
  if (slash && strip && !strcmp(rattle__xml_value(strip, "strippath"), "true")) name = slash + 1;
  static const char *const folders[] = {"assetdir", "meshdir"};
  for (int i = 0; i < 2; i++) {
    const rattle__element *at = rattle__mjcf_setting(m, "compiler", folders[i]);
    if (at) folder = rattle__xml_value(at, folders[i]);
  }
  char *path = m->read ? rattle__robot_path(m->document, folder, name) : NULL, *bytes = NULL;
  size_t length = 0;
  if (m->document->arena.failed) return rattle__no_memory(error);
  if (!path)
    return rattle__xml_fail(
        m->document, e, error,
        "a mesh is read from the folder of \"%s\" or below it, found \"%s%s%s\"", m->document->path,
        folder ? folder : "", folder ? "/" : "", name);
  rattle_status status = m->read(&bytes, &length, path, error);
  if (!status && !bytes)
    status = rattle__xml_fail(m->document, e, error, "there is no file \"%s\" of a mesh", path);
  if (!status) status = rattle__mesh_read(mesh, bytes, length, path, error);
  free(bytes);
  return status;
}

/* The numbers of an attribute one after the other, 0 at its end, -1 if there is something else. */
static int next_number(const char **at, double *x) {
  char *end;
  while (isspace((unsigned char)**at)) ++*at;
  if (!**at) return 0;
  *x = rattle__number_read(*at, &end);
  if (end == *at || !isfinite(*x) || (*end && !isspace((unsigned char)*end))) return -1;
  *at = end;
  return 1;
}

static rattle_status read_vertices(const rattle__mjcf *m, const rattle__element *e,
                                   rattle__mesh *mesh, rattle_error *error) {
  const char *at = rattle__xml_value(e, "vertex");
  double x[3];
  int more, count = 0;
  rattle_status status = RATTLE_OK;
  while (!status && (more = next_number(&at, &x[count])) > 0)
    if (++count == 3) {
      status = rattle__mesh_add_vertex(mesh, x, error);
      count = 0;
    }
  if (!status && (more || count))
    status = rattle__xml_fail(m->document, e, error,
                              "vertex of <mesh> is not three finite numbers for each vertex");
  return status;
}

static rattle_status read_faces(const rattle__mjcf *m, const rattle__element *e, rattle__mesh *mesh,
                                rattle_error *error) {
  const char *at = rattle__xml_value(e, "face");
  double x;
  uint32_t corner[3];
  int more, count = 0;
  rattle_status status = RATTLE_OK;
  while (!status && (more = next_number(&at, &x)) > 0) {
    if (!(x >= 0) || x >= (double)mesh->vertices || x != floor(x)) break;
    corner[count++] = (uint32_t)x;
    if (count == 3) {
      status = rattle__mesh_add_face(mesh, corner, error);
      count = 0;
    }
  }
  if (!status && (more || count || !mesh->faces))
    status =
        rattle__xml_fail(m->document, e, error,
                         "face of <mesh> is not three numbers of vertices, from 0 on, for each "
                         "triangle");
  return status;
}

static rattle_status read_triangles(const rattle__mjcf *m, const rattle__element *e,
                                    const rattle__element *class, rattle__mesh *mesh,
                                    rattle_error *error) {
  const char *file = rattle__mjcf_value(m, e, class, "file");
  if (file) return read_file(m, e, file, mesh, error);
  if (!rattle__xml_value(e, "vertex"))
    return rattle__xml_fail(
        m->document, e, error,
        "a body gets its mass from a <mesh> that has neither a file nor vertex: "
        "give it one, or the body an <inertial>");
  const rattle_status status = read_vertices(m, e, mesh, error);
  if (status) return status;
  return rattle__xml_value(e, "face") ? read_faces(m, e, mesh, error)
                                      : rattle__mesh_make_hull(mesh, error);
}

/* Vertices are moved by -refpos, turned back by refquat, and scaled; a mirror turns faces over. */
static rattle_status transform(const rattle__mjcf *m, const rattle__element *e,
                               const rattle__element *class, rattle__mesh *mesh,
                               rattle_error *error) {
  double from[3] = {0}, turn[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1};
  struct rattle__mjcf_numbers refpos = {"refpos", from, 3, 3, 0},
                              refquat = {"refquat", turn, 4, 4, 0},
                              scales = {"scale", scale, 3, 3, 0};
  rattle_status status = rattle__mjcf_read(m, e, class, &refpos, error);
  if (!status) status = rattle__mjcf_read(m, e, class, &refquat, error);
  if (!status) status = rattle__mjcf_read(m, e, class, &scales, error);
  if (!status && !rattle__quat_unit(turn))
    status = rattle__xml_fail(m->document, e, error, "refquat of <mesh> has no direction");
  for (int i = 1; i < 4; i++) turn[i] = -turn[i];
  for (size_t v = 0; v < mesh->vertices && !status; v++) {
    double *x = mesh->vertex[v];
    for (int i = 0; i < 3; i++) x[i] -= from[i];
    if (refquat.count) rattle__quat_turn(turn, x, x);
    for (int i = 0; i < 3; i++) x[i] *= scale[i];
  }
  for (size_t f = 0; f < mesh->faces && scale[0] * scale[1] * scale[2] < 0; f++) {
    const uint32_t swapped = mesh->face[f][1];
    mesh->face[f][1] = mesh->face[f][2];
    mesh->face[f][2] = swapped;
  }
  return status;
}

/* ---- what it weighs ---- */

static rattle_status read_kind(const rattle__mjcf *m, const rattle__element *e,
                               const rattle__element *class, int *kind, rattle_error *error) {
  static const struct {
    const char *name;
    int kind;
  } kinds[] = {{"legacy", RATTLE__MESH_OVERCOUNTED},
               {"exact", RATTLE__MESH_EXACT},
               {"shell", RATTLE__MESH_SHELL},
               {"convex", HULL}};
  const char *name = rattle__mjcf_value(m, e, class, "inertia");
  const rattle__element *exact = rattle__mjcf_setting(m, "compiler", "exactmeshinertia");
  *kind = exact && !strcmp(rattle__xml_value(exact, "exactmeshinertia"), "true")
              ? RATTLE__MESH_EXACT
              : RATTLE__MESH_OVERCOUNTED;
  if (!name) return RATTLE_OK;
  for (int i = 0; i < 4; i++)
    if (!strcmp(kinds[i].name, name)) {
      *kind = kinds[i].kind;
      return RATTLE_OK;
    }
  return rattle__xml_fail(
      m->document, e, error,
      "inertia=\"%s\" of a <mesh> is not read: expected exact, legacy, convex or shell, "
      "or an <inertial> of the body",
      name);
}

static rattle_status weigh(const rattle__mjcf *m, const rattle__element *e, rattle__mesh_mass *mass,
                           rattle_error *error) {
  const rattle__element *class = NULL;
  rattle__mesh mesh = {0};
  char why[200];
  int kind = 0;
  rattle_status status = rattle__mjcf_class(m, e, "class", &class, error);
  if (!status) status = read_kind(m, e, class, &kind, error);
  if (!status) status = read_triangles(m, e, class, &mesh, error);
  if (!status && kind == HULL) status = rattle__mesh_make_hull(&mesh, error);
  if (!status) status = transform(m, e, class, &mesh, error);
  if (!status)
    status = rattle__mesh_weigh(&mesh, kind == HULL ? RATTLE__MESH_EXACT : kind, mass, why, error);
  rattle__mesh_release(&mesh);
  if (status || !why[0]) return status;
  const char *name = rattle__xml_value(e, "name");
  if (!name) name = rattle__mjcf_value(m, e, class, "file");
  return rattle__xml_fail(m->document, e, error,
                          "a body gets its mass from the mesh \"%s\", which %s: close it, or give "
                          "the body an <inertial>",
                          name ? name : "", why);
}

rattle_status rattle__mjcf_weigh_mesh(rattle__mjcf *m, const rattle__mjcf_part *part,
                                      rattle__mesh_mass *mass, rattle_error *error) {
  const char *name = rattle__mjcf_value(m, part->element, part->class, "mesh");
  const rattle__element *asset = name ? find_asset(m, name) : NULL;
  if (!asset)
    return rattle__xml_fail(m->document, part->element, error,
                            "the body gets its mass from the mesh \"%s\", which is not there",
                            name ? name : "");
  struct rattle__mjcf_mesh *known = m->mesh;
  while (known && known->element != asset) known = known->next;
  if (!known) {
    rattle__mjcf_mark_defaults(m, "mesh");
    known = rattle__arena_take(&m->document->arena, sizeof *known);
    if (!known) return rattle__no_memory(error);
    const rattle_status status = weigh(m, asset, &known->mass, error);
    if (status) return status;
    known->element = asset;
    known->next = m->mesh;
    m->mesh = known;
  }
  *mass = known->mass;
  return RATTLE_OK;
}
