/* The parts of a document that a reader did not use: each kind once, with its count and what it
 * means for the model. */
#include "files/robots/unused.h"

#include <string.h>

#include "ground/support/number.h"

enum { MOST_KINDS = 200 };

struct left_out {
  const char *element, *attribute; /* attribute: NULL where the whole element was not used */
  int count, inactive;             /* inactive: an equality that is */
  long line;                       /* of the first */
};

static const struct {
  const char *name, *meaning;
} meanings[] = {
    {"collision", "bodies of the model do not touch one another"},
    {"material", "pictures alone"},
    {"limit", "joints of the model have no stops and no largest force"},
    {"safety_controller", "a controller, not part of the mechanism"},
    {"transmission", "a drive, not part of the mechanism: add the force of it by mech.motor"},
    {"calibration", "sensors alone"},
    {"sensor", "sensors alone"},
    {"gazebo", "settings of another simulator"},
    {"dynamics", "damping and friction of a joint that neither turns nor slides"},
    {"mimic", "a fixed joint follows no other"},
    {"friction", "dry friction, which the model leaves out"},
    {"frictionloss", "dry friction, which the model leaves out"},
    {"range", "joints of the model have no stops"},
    {"limited", "joints of the model have no stops"},
    {"margin", "joints of the model have no stops"},
    {"actuatorfrcrange", "a drive, not part of the mechanism"},
    {"actuatorfrclimited", "a drive, not part of the mechanism"},
    {"actuator", "drives, not part of the mechanism: add the force of one by mech.motor"},
    {"contact", "bodies of the model do not touch one another"},
    {"pair", "bodies of the model do not touch one another"},
    {"mesh", "pictures and shapes"},
    {"general", "drives, not part of the mechanism"},
    {"motor", "drives, not part of the mechanism"},
    {"position", "drives, not part of the mechanism"},
    {"velocity", "drives, not part of the mechanism"},
    {"muscle", "drives, not part of the mechanism"},
    {"geom", "shapes, whose mass is not asked for: pictures, and bodies that touch"},
    {"tendon", "tendons, whose springs the model leaves out"},
    {"mocap", "a body that is held where it is"},
    {"gravcomp", "a force against gravity, which the model leaves out"},
    {"equality", "not active"},
    {"physics", "the method of another simulator"},
    {"real_time_factor", "the method of another simulator"},
    {"real_time_update_rate", "the method of another simulator"},
    {"ode", "the method of another simulator"},
    {"plugin", "a program of another simulator"},
    {"self_collide", "bodies of the model do not touch one another"},
    {"allow_auto_disable", "the method of another simulator"},
    {"enable_wind", "wind, which the model does not have"},
    {"scene", "pictures alone"},
    {"gui", "pictures alone"},
    {"fixed", "tendons, whose springs the model leaves out"},
    {"spatial", "tendons, whose springs the model leaves out"},
    {"asset", "pictures and shapes"},
    {"visual", "pictures alone"},
    {"statistic", "pictures alone"},
    {"texture", "pictures alone"},
    {"hfield", "shapes of the ground"},
    {"skin", "pictures alone"},
    {"strippath", "pictures and shapes"},
    {"site", "marks for sensors and tendons"},
    {"camera", "pictures alone"},
    {"light", "pictures alone"},
    {"rgba", "pictures alone"},
    {"size", "memory of another simulator"},
    {"custom", "data of another program"},
    {"solreflimit", "softness, which constraints of the model do not have"},
    {"solimplimit", "softness, which constraints of the model do not have"},
    {"solref", "softness, which constraints of the model do not have"},
    {"solimp", "softness, which constraints of the model do not have"},
    {"meshdir", "pictures and shapes"},
    {"texturedir", "pictures and shapes"},
    {"assetdir", "pictures and shapes"},
    {"autolimits", "joints of the model have no stops"},
    {"integrator", "the method of another simulator"},
    {"solver", "the method of another simulator"},
    {"iterations", "the method of another simulator"},
    {"cone", "the method of another simulator"},
    {"impratio", "the method of another simulator"},
    {"ctrl", "drives, not part of the mechanism"},
    {"act", "drives, not part of the mechanism"},
    {"time", "runs begin at 0"},
    {"name", "names that nothing asks for"},
};

/* Attributes, each between blanks: those that are read where something takes them,
 * and of <geom> those of contacts. */
static const char taken[] =
    " type size fromto pos quat axisangle euler xyaxes zaxis mass density group "
    "mesh shellinertia scale axis ref springref armature damping stiffness ",
                  touching[] = " contype conaffinity condim friction priority solmix solref solimp "
                               "margin gap ";

static int is_in(const char *words, const char *name) {
  for (const char *at = strstr(words, name); at; at = strstr(at + 1, name))
    if (at[-1] == ' ' && at[strlen(name)] == ' ') return 1;
  return 0;
}

static const char *meaning_of(const struct left_out *k) {
  static const char parts[] =
      " site mesh fixed spatial physics "; /* whose attributes mean what they do */
  const char *name = k->attribute && !is_in(parts, k->element) ? k->attribute : k->element;
  if (k->inactive) return "not active";
  if (name == k->attribute && is_in(taken, name))
    return "a default that nothing in the model takes";
  if (k->attribute && !strcmp(k->element, "geom") && is_in(touching, name))
    return "bodies of the model do not touch one another";
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (!strcmp(meanings[i].name, name)) return meanings[i].meaning;
  return "not known to this reader, so that the motion may differ";
}

struct kinds {
  struct left_out kind[MOST_KINDS];
  int count, more;
};

static int same(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static void count(struct kinds *kinds, const rattle__element *e, const char *attribute) {
  const int inactive = !e->used && e->parent && !strcmp(e->parent->name, "equality");
  for (int i = 0; i < kinds->count; i++)
    if (same(kinds->kind[i].element, e->name) && same(kinds->kind[i].attribute, attribute) &&
        kinds->kind[i].inactive == inactive) {
      kinds->kind[i].count++;
      return;
    }
  if (kinds->count == MOST_KINDS)
    kinds->more++;
  else
    kinds->kind[kinds->count++] = (struct left_out){e->name, attribute, 1, inactive, e->line};
}

static void collect(struct kinds *kinds, const rattle__element *e) {
  if (!e->used) {
    count(kinds, e, NULL);
    return;
  }
  for (const rattle__attribute *a = e->attribute; a; a = a->next)
    if (!a->used && strncmp(a->name, "xmlns", 5) != 0) count(kinds, e, a->name);
  for (const rattle__element *c = e->first; c; c = c->next) collect(kinds, c);
}

void rattle__unused_write(FILE *file, const rattle__document *document, double held,
                          const char *note) {
  struct kinds kinds = {.count = 0};
  collect(&kinds, document->root);
  if (!kinds.count && held == 0 && !note) return;
  fputs("metadata { not_used = \"", file);
  if (note) fprintf(file, "%s%s", note, kinds.count || held != 0 ? "; " : "");
  if (held != 0) {
    char text[RATTLE__NUMBER_ROOM];
    fprintf(file, "%s kg of links that the ground holds (%s)%s",
            rattle__number_shortest(held, text),
            strcmp(document->root->name, "robot")
                ? "bodies of the world without a joint"
                : "the root and what is fixed to it; type = 'free' of the root lets them move",
            kinds.count ? "; " : "");
  }
  for (int i = 0; i < kinds.count; i++) {
    const struct left_out *k = &kinds.kind[i];
    fprintf(file, "%s%d ", i ? "; " : "", k->count);
    if (k->attribute) fprintf(file, "%s of ", k->attribute);
    fprintf(file, "<%s> from line %ld on (%s)", k->element, k->line, meaning_of(k));
  }
  if (kinds.more) fprintf(file, "; %d of other kinds", kinds.more);
  fputs("\" }\n", file);
}
