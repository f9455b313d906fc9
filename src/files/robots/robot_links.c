/* Links as text in Lua. */
#include "files/robots/robot_links.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "files/robots/unused.h"
#include "ground/support/number.h"

static const char *const types[] = {"fixed",  "revolute",  "prismatic",
                                    "planar", "spherical", "free"};

void rattle__lua_write_string(FILE *file, const char *text) {
  fputc('"', file);
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\') fputc('\\', file);
    if (iscntrl((unsigned char)*c))
      fprintf(file, "\\%03d", (unsigned char)*c);
    else
      fputc(*c, file);
  }
  fputc('"', file);
}

void rattle__lua_write_number(FILE *file, double x) {
  char text[RATTLE__NUMBER_ROOM];
  if (fabs(x) < 1e6 && x == nearbyint(x) && (x != 0 || !signbit(x)))
    fprintf(file, "%.0f", x);
  else
    fputs(rattle__number_shortest(x, text), file);
}

static void write_value(FILE *file, const char *name, double x) {
  fprintf(file, ", %s = ", name);
  rattle__lua_write_number(file, x);
}

static int is_zero(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return 0;
  return 1;
}

void rattle__lua_write_list(FILE *file, const double *x, int count) {
  fputc('{', file);
  for (int i = 0; i < count; i++) {
    if (i) fputs(", ", file);
    rattle__lua_write_number(file, x[i]);
  }
  fputc('}', file);
}

static void write_list(FILE *file, const char *name, const double *x, int count) {
  fprintf(file, ", %s = ", name);
  rattle__lua_write_list(file, x, count);
}

static void write_vector(FILE *file, const char *name, const double x[3]) {
  if (!is_zero(x, 3)) write_list(file, name, x, 3);
}

/* A parameter may have the name of the joint, another the same with .rate: `rattle run -P
 * shoulder=0.3`. */
static int is_parameter(const char *name) {
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') return 0;
  return *name && strlen(name) <= 59 && strcmp(name, "seed") != 0;
}

/* The frame of a joint; for a body that is free the starts may say otherwise. */
static void write_frame(FILE *file, const rattle__link *l, int starts) {
  if (starts && l->type == RATTLE__FREE) {
    fputs(",\n    origin = start(", file);
    rattle__lua_write_string(file, l->joint);
    fputs(", \"origin\", ", file);
    rattle__lua_write_list(file, l->origin, 3);
    fputs("), quat = start(", file);
    rattle__lua_write_string(file, l->joint);
    fputs(", \"quat\", ", file);
    rattle__lua_write_list(file, l->quat, 4);
    fputc(')', file);
    return;
  }
  write_vector(file, "origin", l->origin);
  write_vector(file, "rpy", l->rpy);
  if (!is_zero(l->quat + 1, 3)) write_list(file, "quat", l->quat, 4);
}

static void write_start(FILE *file, const rattle__link *l, const char *entry, int starts) {
  const double value = strcmp(entry, "rate") != 0 ? l->position : 0;
  if (starts) {
    fputs("start(", file);
    rattle__lua_write_string(file, l->joint);
    fprintf(file, ", \"%s\", ", entry);
  }
  rattle__lua_write_number(file, value);
  if (starts) fputc(')', file);
}

/* Position and rate at the start, as parameters where the name of the joint is one. */
static void write_position(FILE *file, const rattle__link *l, int starts) {
  if (l->position != 0) write_value(file, "ref", l->position);
  if (is_parameter(l->joint)) {
    fprintf(file, ",\n    position = parameter(\"%s\", ", l->joint);
    write_start(file, l, "position", starts);
    fprintf(file, "), rate = parameter(\"%s.rate\", ", l->joint);
    write_start(file, l, "rate", starts);
    fputc(')', file);
  } else if (starts || l->position != 0) {
    fputs(",\n    position = ", file);
    write_start(file, l, "position", starts);
    fputs(", rate = ", file);
    write_start(file, l, "rate", starts);
  }
}

static void write_several(FILE *file, const rattle__link *l) {
  static const char *const entries[] = {"rotation", "velocity", "spin"};
  for (int i = l->type == RATTLE__FREE; i < 3; i++) {
    if (i == 1 && l->type == RATTLE__SPHERICAL) continue;
    fprintf(file, ", %s = start(", entries[i]);
    rattle__lua_write_string(file, l->joint);
    fprintf(file, ", \"%s\")", entries[i]);
  }
}

static void write_joint(FILE *file, const rattle__link *l, int starts) {
  const int turns_or_slides = l->type == RATTLE__REVOLUTE || l->type == RATTLE__PRISMATIC;
  if (l->joint) {
    fputs(", joint = ", file);
    rattle__lua_write_string(file, l->joint);
  }
  fprintf(file, ", type = \"%s\"", types[l->type]);
  write_frame(file, l, starts);
  if (l->type == RATTLE__FIXED) return;
  write_vector(file, "pivot", l->pivot);
  if (starts && (l->type == RATTLE__FREE || l->type == RATTLE__SPHERICAL)) write_several(file, l);
  if (l->damping != 0) write_value(file, "damping", l->damping);
  if (l->armature != 0) write_value(file, "armature", l->armature);
  if (l->type == RATTLE__FREE || l->type == RATTLE__SPHERICAL) return;
  write_list(file, "axis", l->axis, 3);
  if (l->follows) {
    fputs(", mimic = {joint = ", file);
    rattle__lua_write_string(file, l->follows);
    write_value(file, "multiplier", l->multiplier);
    write_value(file, "offset", l->offset);
    fputc('}', file);
  } else if (turns_or_slides) {
    write_position(file, l, starts);
  }
  if (l->stiffness != 0) write_value(file, "stiffness", l->stiffness);
  if (l->stiffness != 0 && l->rest != 0) write_value(file, "rest", l->rest);
}

static void write_link(FILE *file, const rattle__link *link, int i, int starts) {
  const rattle__link *l = &link[i];
  fputs("  { name = ", file);
  rattle__lua_write_string(file, l->name);
  if (l->parent >= 0) {
    fputs(", parent = ", file);
    rattle__lua_write_string(file, link[l->parent].name);
    write_joint(file, l, starts);
  } else if (l->type == RATTLE__FREE) {
    fputs(", type = \"free\"", file);
  }
  if (l->weighs) {
    fputs(l->parent >= 0 ? ",\n    mass = " : ", mass = ", file);
    rattle__lua_write_number(file, l->mass);
    write_vector(file, "com", l->com);
    write_vector(file, "com_rpy", l->com_rpy);
    write_list(file, "inertia", l->inertia, is_zero(l->inertia + 3, 3) ? 3 : 6);
  }
  fputs(" },\n", file);
}

/* The mass of the root and of what fixed joints hold to it; 0 of a root that is free. */
static double held_by_ground(const rattle__link *link, int links) {
  double sum = link[0].type == RATTLE__FIXED ? link[0].mass : 0;
  for (int i = 1; i < links && link[0].type == RATTLE__FIXED; i++) {
    int at = i;
    while (at > 0 && link[at].type == RATTLE__FIXED) at = link[at].parent;
    if (at == 0) sum += link[i].mass;
  }
  return sum;
}

static int has_damping(const rattle__link *link, int links) {
  for (int i = 0; i < links; i++)
    if (link[i].damping != 0) return 1;
  return 0;
}

static void write_head(FILE *file, const char *path) {
  const char *slash = strrchr(path, '/');
  fputs("-- A robot, from ", file);
  for (const char *c = slash ? slash + 1 : path; *c; c++)
    if (!iscntrl((unsigned char)*c)) fputc(*c, file);
  fputs(". m, kg, s, rad; parameters are the positions and rates of joints at the start.\n", file);
}

static void write_body(FILE *file, const rattle__robot *robot, int module) {
  fputs(module && !robot->after ? "return mech.links {\n" : "local robot = mech.links {\n", file);
  for (int i = 0; i < robot->links; i++) write_link(file, robot->link, i, robot->before != NULL);
  fputs("}\n", file);
  if (robot->after) fputs(robot->after, file);
  if (module && robot->after) fputs("return robot\n", file);
}

static void write_readings(FILE *file, const rattle__link *link, int links) {
  for (int i = 0; i < links; i++)
    if (link[i].type == RATTLE__REVOLUTE || link[i].type == RATTLE__PRISMATIC) {
      fputs("observe(", file);
      rattle__lua_write_string(file, link[i].joint);
      fputs(", robot:reading(", file);
      rattle__lua_write_string(file, link[i].joint);
      fputs("))\n", file);
    }
}

/* A text that runs by itself has the coordinates as a parameter, unless a joint has its name. */
static int has_choice(const rattle__robot *robot, int module) {
  for (int i = 0; i < robot->links; i++)
    if (robot->link[i].joint && !strcmp(robot->link[i].joint, "joints")) return 0;
  return !module;
}

void rattle__links_write(FILE *file, const rattle__robot *robot, int module,
                         const rattle__document *document) {
  const rattle__link *link = robot->link;
  write_head(file, document->path);
  rattle__unused_write(file, document, held_by_ground(link, robot->links), robot->note);
  if (!module) {
    fputs("title ", file);
    rattle__lua_write_string(file, robot->title);
    fputc('\n', file);
  }
  fputs("local mech = require \"mechanics\"\n", file);
  const int choice = has_choice(robot, module);
  if (choice)
    fputs(
        "local joints = parameter(\"joints\", 0) ~= 0 -- 1: angles and displacements of joints are "
        "the coordinates\nmech.coordinates(joints and \"joints\" or \"bodies\")\n",
        file);
  if (!module) {
    fputs("mech.gravity(", file);
    for (int i = 0; i < 3; i++) {
      if (i) fputs(", ", file);
      rattle__lua_write_number(file, robot->gravity[i]);
    }
    fputs(")\n", file);
  }
  if (robot->before) fputs(robot->before, file);
  if (!module) fputc('\n', file);
  write_body(file, robot, module);
  if (module) return;
  write_readings(file, link, robot->links);
  fprintf(file, "integrate { method = %s\"%s\"%s, step = ", choice ? "not joints and " : "",
          has_damping(link, robot->links) ? "rattle(midpoint)" : "rattle(verlet)",
          choice ? " or nil" : "");
  rattle__lua_write_number(file, robot->step);
  fputs(", stop = 1 }\n", file);
}
