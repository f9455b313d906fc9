#ifndef RATTLE__ROBOT_LINKS_H
#define RATTLE__ROBOT_LINKS_H
/* Links and their joints, as all formats of robots describe them, and the text in Lua that says
 * the same. Names belong to the document. Lengths, masses and angles: m, kg, rad. */
#include <stdio.h>

#include "files/robots/xml.h"

enum { RATTLE__FIXED, RATTLE__REVOLUTE, RATTLE__PRISMATIC, RATTLE__PLANAR, RATTLE__FREE };

typedef struct rattle__link {
  const rattle__element *element; /* for messages */
  const char *name, *joint;       /* joint: that to the parent */
  int parent, type;               /* parent: -1 of the root */
  double origin[3], rpy[3], axis[3];
  double mass, com[3], com_rpy[3], inertia[6]; /* Ixx, Iyy, Izz, Ixy, Ixz, Iyz about com */
  int weighs;                                  /* there are mass and inertia */
  double damping;
  const char *follows; /* the joint that this one follows, or NULL */
  double multiplier, offset;
} rattle__link;

/* Links, each after its parent. module: the text returns them; else it is a whole model of that
 * title. `document`: what was not used is named in it. */
void rattle__links_write(FILE *file, const rattle__link *link, int links, const char *title,
                         int module, const rattle__document *document);
#endif
