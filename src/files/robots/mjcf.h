#ifndef RATTLE__MJCF_H
#define RATTLE__MJCF_H
/* MJCF, the format of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html): bodies in
 * bodies, each with its joints, inertia and shapes; defaults by class; loops as equalities. */
#include "files/robots/frames.h"
#include "files/robots/mesh.h"
#include "files/robots/robot.h"
#include "files/robots/robot_links.h"

/* A part of a body in the frame of the body: an element with its class and frame. */
typedef struct rattle__mjcf_part {
  rattle__element *element;
  const rattle__element *class;
  rattle__pose frame;
  struct rattle__mjcf_part *next;
} rattle__mjcf_part;

/* A place of a body that equalities may name. */
typedef struct rattle__mjcf_site {
  rattle__mjcf_part part;
  int link;
  const struct rattle__mjcf_site *next;
} rattle__mjcf_site;

typedef struct rattle__mjcf {
  rattle__document *document;
  /* <compiler> and <option>, each attribute as the last element that has it says */
  double angle; /* radians of a unit of angle */
  char eulerseq[4];
  int from_geoms; /* inertia from shapes: 0 never, 1 always, -1 where there is no <inertial> */
  int group_range[2], balance;
  double bound_mass, bound_inertia, total_mass, gravity[3], step;
  int no_equality;
  /* what was read so far */
  rattle__link *link;
  int links, room, unnamed;
  rattle__file_reader *read; /* of files that the document names, or NULL */
  struct rattle__mjcf_mesh *mesh;
  const rattle__mjcf_site *site;
} rattle__mjcf;

/* The model of a document whose root is <mujoco>, as text in Lua; included files are read from the
 * folder of the document. */
rattle_status rattle__mjcf_write(FILE *file, rattle__document *document, int module,
                                 rattle__file_reader *read, rattle_error *error);

/* ---- files that the document names (mjcf_files.c) ---- */

/* Each <include> is replaced by what its file holds. */
rattle_status rattle__mjcf_include(rattle__document *document, rattle__file_reader *read,
                                   rattle_error *error);

/* ---- copies (mjcf_replicate.c) ---- */

/* Each <replicate> of the world is replaced by frames with copies of what is in it. */
rattle_status rattle__mjcf_replicate(const rattle__mjcf *m, rattle_error *error);

/* ---- attributes, with defaults (mjcf_defaults.c) ---- */

/* The last element of that name at the top of the document that says the attribute, or NULL. */
const rattle__element *rattle__mjcf_setting(const rattle__mjcf *m, const char *element,
                                            const char *name);
/* Marks the defaults of elements of that name as read; those that no element took are named as not
 * used. */
void rattle__mjcf_mark_defaults(const rattle__mjcf *m, const char *name);
/* The class of defaults of an element: its own, or else `inherited`; NULL: the main one. */
rattle_status rattle__mjcf_class(const rattle__mjcf *m, const rattle__element *e, const char *name,
                                 const rattle__element **class, rattle_error *error);
/* The element that says the attribute of e: e, or one of the defaults; NULL: none does. */
const rattle__element *rattle__mjcf_source(const rattle__mjcf *m, const rattle__element *e,
                                           const rattle__element *class, const char *name);
const char *rattle__mjcf_value(const rattle__mjcf *m, const rattle__element *e,
                               const rattle__element *class, const char *name);
/* From `least` to `most` numbers of an attribute; `count`: how many were given, 0 without it. */
struct rattle__mjcf_numbers {
  const char *name;
  double *value;
  int least, most, count;
};
rattle_status rattle__mjcf_read(const rattle__mjcf *m, const rattle__element *e,
                                const rattle__element *class, struct rattle__mjcf_numbers *numbers,
                                rattle_error *error);
/* One number, if it is there. */
rattle_status rattle__mjcf_number(const rattle__mjcf *m, const rattle__element *e,
                                  const rattle__element *class, const char *name, double *value,
                                  rattle_error *error);

/* ---- frames (mjcf_frames.c) ---- */

/* pos, and one of quat, axisangle, euler, xyaxes, zaxis. */
rattle_status rattle__mjcf_pose(const rattle__mjcf *m, const rattle__element *e,
                                const rattle__element *class, rattle__pose *pose,
                                rattle_error *error);
/* Three angles in the order of eulerseq: lower letters turn about the axes as they stand after the
 * turns before, upper ones about those of the parent. */
void rattle__mjcf_euler(const rattle__mjcf *m, const double angle[3], double quat[4]);
rattle_status rattle__mjcf_orientation(const rattle__mjcf *m, const rattle__element *e,
                                       const rattle__element *class, double quat[4],
                                       rattle_error *error);

/* ---- mass (mjcf_inertia.c) ---- */

/* Mass, centre and inertia of a body: of its <inertial>, or of its shapes. */
rattle_status rattle__mjcf_weigh(rattle__mjcf *m, rattle__link *link,
                                 const rattle__mjcf_part *parts, rattle_error *error);

/* The mass of a mesh with a density of 1, in the frame of its geom (mjcf_mesh.c). */
rattle_status rattle__mjcf_weigh_mesh(rattle__mjcf *m, const rattle__mjcf_part *part,
                                      rattle__mesh_mass *mass, rattle_error *error);

/* ---- loops and starts (mjcf_loops.c, mjcf_keys.c) ---- */

/* Entries of a joint in a keyframe: 1 if it turns or slides. */
int rattle__mjcf_places(const rattle__link *l);
/* Words for constraints between links, in Lua, after the links; what they need before. */
rattle_status rattle__mjcf_loops(FILE *file, const rattle__mjcf *m, rattle_error *error);
rattle_status rattle__mjcf_keys(FILE *file, const rattle__mjcf *m, int *keys, rattle_error *error);
#endif
