/* Links as text in Lua. */
#include "files/robots/robot_links.h"

#include <ctype.h>
#include <string.h>

#include "files/robots/unused.h"
#include "ground/support/number.h"

static const char *const types[] = {"fixed", "revolute", "prismatic", "planar", "free"};

static void write_string(FILE *file, const char *text) {
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

static void write_number(FILE *file, double x) {
  char text[RATTLE__NUMBER_ROOM];
  fputs(rattle__number_shortest(x, text), file);
}

static void write_value(FILE *file, const char *name, double x) {
  fprintf(file, ", %s = ", name);
  write_number(file, x);
}

static int is_zero(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return 0;
  return 1;
}

static void write_list(FILE *file, const char *name, const double *x, int count) {
  fprintf(file, ", %s = {", name);
  for (int i = 0; i < count; i++) {
    if (i) fputs(", ", file);
    write_number(file, x[i]);
  }
  fputc('}', file);
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

static void write_joint(FILE *file, const rattle__link *l) {
  fputs(", joint = ", file);
  write_string(file, l->joint);
  fprintf(file, ", type = \"%s\"", types[l->type]);
  write_vector(file, "origin", l->origin);
  write_vector(file, "rpy", l->rpy);
  if (l->type == RATTLE__FIXED || l->type == RATTLE__FREE) return;
  write_list(file, "axis", l->axis, 3);
  if (l->follows) {
    fputs(", mimic = {joint = ", file);
    write_string(file, l->follows);
    write_value(file, "multiplier", l->multiplier);
    write_value(file, "offset", l->offset);
    fputc('}', file);
  } else if (l->type != RATTLE__PLANAR && is_parameter(l->joint)) {
    fprintf(file, ",\n    position = parameter(\"%s\", 0), rate = parameter(\"%s.rate\", 0)",
            l->joint, l->joint);
  }
  if (l->damping != 0) write_value(file, "damping", l->damping);
}

static void write_link(FILE *file, const rattle__link *link, int i) {
  const rattle__link *l = &link[i];
  fputs("  { name = ", file);
  write_string(file, l->name);
  if (l->parent >= 0) {
    fputs(", parent = ", file);
    write_string(file, link[l->parent].name);
    write_joint(file, l);
  } else if (l->type == RATTLE__FREE) {
    fputs(", type = \"free\"", file);
  }
  if (l->weighs) {
    fputs(l->parent >= 0 ? ",\n    mass = " : ", mass = ", file);
    write_number(file, l->mass);
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

void rattle__links_write(FILE *file, const rattle__link *link, int links, const char *title,
                         int module, const rattle__document *document) {
  write_head(file, document->path);
  rattle__unused_write(file, document, held_by_ground(link, links));
  if (!module) {
    fputs("title ", file);
    write_string(file, title);
    fputc('\n', file);
  }
  fputs("local mech = require \"mechanics\"\n", file);
  if (!module) fputs("mech.gravity(0, 0, -9.81)\n\n", file);
  fputs(module ? "return mech.links {\n" : "local robot = mech.links {\n", file);
  for (int i = 0; i < links; i++) write_link(file, link, i);
  fputs("}\n", file);
  if (module) return;
  for (int i = 0; i < links; i++)
    if (link[i].type == RATTLE__REVOLUTE || link[i].type == RATTLE__PRISMATIC) {
      fputs("observe(", file);
      write_string(file, link[i].joint);
      fputs(", robot:reading(", file);
      write_string(file, link[i].joint);
      fputs("))\n", file);
    }
  fprintf(file, "integrate { method = \"%s\", step = 0.001, stop = 1 }\n",
          has_damping(link, links) ? "rattle(midpoint)" : "rattle(verlet)");
}
