#ifndef RATTLE__SDF_H
#define RATTLE__SDF_H
/* SDF, the format of Gazebo (http://sdformat.org/spec), 1.4 to 1.12: models with links, joints and
 * frames, in a world or alone; poses relative to frames by name; loops as joints of one link more.
 * Files of robots have bodies and joints in no tree: one is chosen, what is left closes loops. */
#include "files/robots/frames.h"
#include "files/robots/robot.h"
#include "files/robots/robot_links.h"
#include "ground/support/names.h"

enum { RATTLE__SDF_MODEL, RATTLE__SDF_LINK, RATTLE__SDF_JOINT, RATTLE__SDF_FRAME };
enum {
  RATTLE__SDF_FIXED,
  RATTLE__SDF_REVOLUTE,
  RATTLE__SDF_PRISMATIC,
  RATTLE__SDF_BALL,
  RATTLE__SDF_UNIVERSAL,
  RATTLE__SDF_SCREW,
  RATTLE__SDF_GEARBOX
};

/* A frame by its name: node 0 is the world. */
typedef struct rattle__sdf_node {
  int kind;
  rattle__element *element;
  const char *name;   /* with those of the models around it: "arm::hand::palm" */
  int scope;          /* the model that it is in */
  int to;             /* the frame that its pose is in */
  rattle__pose pose;  /* of a model: of its own frame */
  int link;           /* of a link: its number */
  int is_static;      /* of a model */
  const char *around; /* of a model: the names of its parts begin so */
  int merged;         /* of a model: its parts have names as if they were parts of its scope */
  int version;        /* of the format in the file that it is in: rattle__sdf_version */
} rattle__sdf_node;

typedef struct rattle__sdf_axis {
  rattle__element *element; /* or NULL */
  double xyz[3];            /* in the frame `in` */
  int in;
  double damping, stiffness, rest;
  const char *follows;
  double multiplier, offset;
} rattle__sdf_axis;

typedef struct rattle__sdf_joint {
  int node, type, parent, child; /* links, -1 the world or a link that is static */
  rattle__sdf_axis axis[2];
  double advance; /* of a screw, along the axis for each radian; of a gearbox its ratio */
  int reference;  /* of a gearbox: the link that turns are counted from */
  int in_tree, reversed;
} rattle__sdf_joint;

typedef struct rattle__sdf {
  rattle__document *document;
  rattle__sdf_node *node;
  rattle__sdf_joint *joint;
  rattle__link *body; /* of each link of the file: its name, mass and inertia */
  int *node_of;       /* each link's node */
  int nodes, joints, bodies, without_inertial;
  rattle__names names;
  double gravity[3], step;
} rattle__sdf;

/* The model of a document whose root is <sdf>, as text in Lua. */
rattle_status rattle__sdf_write(FILE *file, rattle__document *document, int module,
                                rattle__file_reader *read, rattle_error *error);
/* sdf_include.c: puts models of other files in the place of <include>; read NULL: none are. A model
 * that is merged has the attribute RATTLE__SDF_MERGED. */
#define RATTLE__SDF_MERGED "is merged" /* no name of XML */
rattle_status rattle__sdf_include(rattle__document *document, rattle__file_reader *read,
                                  rattle_error *error);

/* ---- names and poses (sdf_frames.c) ---- */

/* The version of the format that an element says: 1010 for 1.10, after 1009 of 1.9; -1: none. */
int rattle__sdf_version(const rattle__element *e);
/* The name of a part in the model: with dots, and without that of the only model. */
const char *rattle__sdf_short_name(const rattle__sdf *s, int node);
/* True if the text of an element or of an attribute is "true" or "1". */
int rattle__sdf_true(const char *text);
/* The node of a name as it is seen from a model, -1 if there is none. */
int rattle__sdf_find(const rattle__sdf *s, int scope, const char *name);
/* The child element of that name with its number in *value, which stays as it is without it. */
rattle_status rattle__sdf_number(const rattle__sdf *s, const rattle__element *e, const char *name,
                                 double *value, rattle_error *error);
/* The numbers of the <pose> of an element, and the frame in it that it names, or NULL. */
rattle_status rattle__sdf_pose(const rattle__sdf *s, const rattle__element *e, rattle__pose *pose,
                               const char **relative_to, rattle_error *error);
/* Reads the poses of all nodes, and checks that each leads to the world. */
rattle_status rattle__sdf_place(rattle__sdf *s, rattle_error *error);
/* The frame b as the frame a sees it. */
rattle__pose rattle__sdf_seen(const rattle__sdf *s, int a, int b);
/* True if a node is in a model that is static. */
int rattle__sdf_is_still(const rattle__sdf *s, int node);
/* The link that a frame is fixed to, -1 the world. */
rattle_status rattle__sdf_link_of(const rattle__sdf *s, int node, int *link, rattle_error *error);

/* ---- joints (sdf_joints.c, sdf_tree.c) ---- */

rattle_status rattle__sdf_read_joints(rattle__sdf *s, rattle_error *error);
/* sdf_gears.c: the constraint of a gearbox, as text. */
rattle_status rattle__sdf_write_gear(FILE *file, const rattle__sdf *s, const rattle__sdf_joint *j,
                                     rattle_error *error);
/* A tree of links: *link, malloc'ed, each after its parent, the world first; and joints that close
 * loops, as text. */
rattle_status rattle__sdf_tree(rattle__sdf *s, rattle__link **link, int *links, FILE *loops,
                               rattle_error *error);
#endif
