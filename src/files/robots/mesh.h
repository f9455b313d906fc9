#ifndef RATTLE__MESH_H
#define RATTLE__MESH_H
/* Surfaces of triangles, from files in STL and OBJ, and the mass that they enclose. */
#include <stddef.h>
#include <stdint.h>

#include "rattle/status.h"

enum { RATTLE__MOST_FACES = 1 << 20 };

typedef struct rattle__mesh {
  double (*vertex)[3];
  uint32_t (*face)[3];
  size_t vertices, faces, vertex_room, face_room;
} rattle__mesh;

/* Reads `length` bytes, behind which there is a zero byte, by the ending of the path: .stl, binary
 * or as a text, or .obj. The mesh is to be released whatever comes back. */
rattle_status rattle__mesh_read(rattle__mesh *mesh, const char *bytes, size_t length,
                                const char *path, rattle_error *error);
void rattle__mesh_release(rattle__mesh *mesh);
rattle_status rattle__mesh_add_vertex(rattle__mesh *mesh, const double at[3], rattle_error *error);
rattle_status rattle__mesh_add_face(rattle__mesh *mesh, const uint32_t corner[3],
                                    rattle_error *error);

/* The faces of the convex hull of the vertices in place of those that there are; none where all
 * vertices are in a plane. */
rattle_status rattle__mesh_make_hull(rattle__mesh *mesh, rattle_error *error);

/* Kinds of mass: EXACT is what the mesh encloses, with the faces turned outward; OVERCOUNTED is the
 * sum of all tetrahedra between faces and the middle of the surface, those that lie outside too;
 * SHELL is the surface itself. */
enum { RATTLE__MESH_EXACT, RATTLE__MESH_OVERCOUNTED, RATTLE__MESH_SHELL };

/* With a density of 1: the mass, its centre, the tensor of inertia about it (xx, yy, zz, xy, xz,
 * yz). */
typedef struct rattle__mesh_mass {
  double mass, centre[3], inertia[6];
} rattle__mesh_mass;
/* `why` [200]: the reason if the mesh has no mass of that kind, else empty. */
rattle_status rattle__mesh_weigh(const rattle__mesh *mesh, int kind, rattle__mesh_mass *mass,
                                 char why[200], rattle_error *error);
#endif
