#ifndef RATTLE__ROBOT_LINKS_H
#define RATTLE__ROBOT_LINKS_H
/* Links and their joints, as all formats of robots describe them, and the text in Lua that says
 * the same. Names belong to the document. Lengths, masses and angles: m, kg, rad. */
#include <stdio.h>

#include "files/robots/xml.h"

enum {
  RATTLE__FIXED,
  RATTLE__REVOLUTE,
  RATTLE__PRISMATIC,
  RATTLE__PLANAR,
  RATTLE__SPHERICAL,
  RATTLE__FREE
};

typedef struct rattle__link {
  const rattle__element *element; /* for messages */
  const char *name, *joint;       /* joint: that to the parent */
  int parent, type;               /* parent: -1 of the root */
  double origin[3], rpy[3], axis[3];
  double quat[4];                              /* in place of rpy, where it is not 0 */
  double pivot[3];                             /* the joint, in the frame of the link */
  double mass, com[3], com_rpy[3], inertia[6]; /* Ixx, Iyy, Izz, Ixy, Ixz, Iyz about com */
  int weighs;                                  /* there are mass and inertia */
  double damping, armature, stiffness, rest;
  double position;     /* of the joint in the pose of the file */
  const char *follows; /* the joint that this one follows, or NULL */
  double multiplier, offset;
} rattle__link;

/* A robot as a text: links, each after its parent, and what is around them. `after`: constraints
 * between links, in Lua, or NULL; `before`: starts (docs/robots.md), or NULL. */
typedef struct rattle__robot {
  const rattle__link *link;
  int links;
  const char *title, *before, *after;
  double gravity[3], step;
  const char *note; /* of what the file leaves to the format, in words, or NULL */
} rattle__robot;

/* module: the text returns the links; else it is a whole model. `document`: what was not used is
 * named in it. */
void rattle__links_write(FILE *file, const rattle__robot *robot, int module,
                         const rattle__document *document);
/* A string and a number as Lua reads them. */
void rattle__lua_write_string(FILE *file, const char *text);
void rattle__lua_write_number(FILE *file, double x);
void rattle__lua_write_list(FILE *file, const double *x, int count);
#endif
