/* MJCF: bodies in bodies as links.
 *
 * A body with one joint is a link. If it has several, all but the last are links without mass of
 * their own: each joint is in the frame that those before have moved. Everything that is not taken
 * over is named by what was not marked as used (unused.h). */
#include "files/robots/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/number.h"

/* ---- settings ---- */

static rattle_status number_of(const rattle__mjcf *m, const char *element, const char *name,
                               double *value, rattle_error *error) {
  const rattle__element *e = rattle__mjcf_setting(m, element, name);
  return e ? rattle__xml_numbers(m->document, e, name, value, 1, NULL, error) : RATTLE_OK;
}

/* One of the words, by its place; `value` stays where the attribute is not there. */
static rattle_status word_of(const rattle__mjcf *m, const char *element, const char *name,
                             const char *const words[3], int *value, rattle_error *error) {
  const rattle__element *e = rattle__mjcf_setting(m, element, name);
  const char *text = rattle__xml_value(e, name);
  if (!text) return RATTLE_OK;
  for (int i = 0; i < 3 && words[i]; i++)
    if (!strcmp(words[i], text)) {
      *value = i;
      return RATTLE_OK;
    }
  return rattle__xml_fail(m->document, e, error, "%s of <%s> is \"%s\": expected %s or %s", name,
                          element, text, words[0], words[1]);
}

static rattle_status read_eulerseq(rattle__mjcf *m, rattle_error *error) {
  const rattle__element *e = rattle__mjcf_setting(m, "compiler", "eulerseq");
  const char *text = rattle__xml_value(e, "eulerseq");
  strcpy(m->eulerseq, "xyz");
  if (!text) return RATTLE_OK;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
    return rattle__xml_fail(m->document, e, error,
                            "eulerseq of <compiler> is \"%s\": expected three of xyzXYZ", text);
  strcpy(m->eulerseq, text);
  return RATTLE_OK;
}

static rattle_status read_compiler(rattle__mjcf *m, rattle_error *error) {
  static const char *const angles[3] = {"degree", "radian"},
                           *const truths[3] = {"false", "true", "auto"},
                           *const coordinates[3] = {"local", "global"};
  int radian = 0, from_geoms = 2, global = 0;
  double group[2] = {0, 5};
  m->total_mass = -1;
  rattle_status status = word_of(m, "compiler", "angle", angles, &radian, error);
  if (!status) status = read_eulerseq(m, error);
  if (!status) status = word_of(m, "compiler", "inertiafromgeom", truths, &from_geoms, error);
  if (!status) status = word_of(m, "compiler", "balanceinertia", truths, &m->balance, error);
  if (!status) status = word_of(m, "compiler", "coordinate", coordinates, &global, error);
  if (!status) status = number_of(m, "compiler", "boundmass", &m->bound_mass, error);
  if (!status) status = number_of(m, "compiler", "boundinertia", &m->bound_inertia, error);
  if (!status) status = number_of(m, "compiler", "settotalmass", &m->total_mass, error);
  const rattle__element *e = rattle__mjcf_setting(m, "compiler", "inertiagrouprange");
  if (!status && e)
    status = rattle__xml_numbers(m->document, e, "inertiagrouprange", group, 2, NULL, error);
  if (!status && global)
    status = rattle__xml_fail(m->document, rattle__mjcf_setting(m, "compiler", "coordinate"), error,
                              "coordinate=\"global\" was removed from MJCF: save the file by an "
                              "older MuJoCo with local coordinates");
  m->angle = radian ? 1 : M_PI / 180;
  m->from_geoms = from_geoms == 2 ? -1 : from_geoms;
  for (int i = 0; i < 2; i++)
    m->group_range[i] = group[i] > 1e6 ? 1000000 : group[i] < -1e6 ? -1000000 : (int)group[i];
  return status;
}

static rattle_status read_option(rattle__mjcf *m, rattle_error *error) {
  static const char *const flags[] = {"enable", "disable"};
  int no_gravity = 0;
  const rattle__element *e = rattle__mjcf_setting(m, "option", "gravity");
  m->gravity[2] = -9.81;
  m->step = 0.002;
  rattle_status status = RATTLE_OK;
  if (e) status = rattle__xml_numbers(m->document, e, "gravity", m->gravity, 3, NULL, error);
  if (!status) status = number_of(m, "option", "timestep", &m->step, error);
  if (!status && m->step <= 0)
    status = rattle__xml_fail(m->document, rattle__mjcf_setting(m, "option", "timestep"), error,
                              "the timestep is not positive");
  for (e = m->document->root->first; e && !status; e = e->next) {
    rattle__element *flag = strcmp(e->name, "option") ? NULL : rattle__xml_child(e, "flag");
    if (!flag) continue;
    const char *gravity = rattle__xml_value(flag, "gravity"),
               *equality = rattle__xml_value(flag, "equality"),
               *constraint = rattle__xml_value(flag, "constraint");
    if (gravity) no_gravity = !strcmp(gravity, flags[1]);
    if (equality) m->no_equality = !strcmp(equality, flags[1]);
    if (constraint && !strcmp(constraint, flags[1])) m->no_equality = 1;
  }
  if (no_gravity) memset(m->gravity, 0, sizeof m->gravity);
  return status;
}

/* ---- bodies ---- */

struct inside {
  const rattle__element *class; /* the childclass that holds */
  int parent;
};

static const char *text_of(const rattle__mjcf *m, const char *a, const char *b) {
  const size_t size = strlen(a) + strlen(b) + 1;
  char *text = rattle__arena_take(&m->document->arena, size);
  if (!text) return "";
  strcpy(text, a);
  return strcat(text, b);
}

static int is_name(const rattle__element *e, const char *name) {
  for (const rattle__attribute *a = e->attribute; a; a = a->next)
    if (!strcmp(a->name, "name") && !strcmp(a->value, name)) return 1;
  for (const rattle__element *c = e->first; c; c = c->next)
    if (is_name(c, name)) return 1;
  return 0;
}

/* A name for what has none: one that is not in the document. */
static const char *numbered(rattle__mjcf *m, const char *what) {
  char number[32];
  const char *name;
  do {
    rattle__print(number, sizeof number, "%d", ++m->unnamed);
    name = text_of(m, what, number);
  } while (*name && is_name(m->document->root, name));
  return name;
}

static rattle__link *new_link(rattle__mjcf *m, rattle_error *error) {
  if (m->links == m->room) {
    m->room = m->room ? 2 * m->room : 64;
    rattle__link *grown = realloc(m->link, (size_t)m->room * sizeof *grown);
    if (!grown) return rattle__no_memory(error), NULL;
    m->link = grown;
  }
  rattle__link *link = &m->link[m->links++];
  *link = (rattle__link){.quat = {1}};
  return link;
}

static int adds_bodies(const char *name) {
  static const char *const names[] = {"attach", "composite", "flexcomp"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(names[i], name)) return 1;
  return 0;
}

/* The parts of a body, those of frames in it moved into it, in the order of the file. */
static rattle_status collect(const rattle__mjcf *m, const rattle__element *e,
                             const rattle__mjcf_part *frame, rattle__mjcf_part ***end,
                             rattle_error *error) {
  static const char *const kept[] = {"joint", "freejoint", "geom", "body", "inertial", "site"};
  rattle_status status = RATTLE_OK;
  for (rattle__element *c = e->first; c && !status; c = c->next) {
    rattle__mjcf_part part = {c, frame->class, frame->frame, NULL};
    int is_part = 0;
    for (int i = 0; i < 6; i++) is_part = is_part || !strcmp(kept[i], c->name);
    if (adds_bodies(c->name))
      return rattle__xml_fail(m->document, c, error,
                              "<%s> is not read, and makes bodies: write them out, as "
                              "mj_saveLastXML does",
                              c->name);
    if (!strcmp(c->name, "frame")) {
      rattle__pose pose;
      c->used = 1;
      rattle__xml_value(c, "name");
      status = rattle__mjcf_pose(m, c, NULL, &pose, error);
      part.frame = rattle__pose_in(&frame->frame, &pose);
      if (!status) status = rattle__mjcf_class(m, c, "childclass", &part.class, error);
      if (!status) status = collect(m, c, &part, end, error);
    } else if (is_part) {
      status = rattle__mjcf_class(m, c, "class", &part.class, error);
      rattle__mjcf_part *new = rattle__arena_take(&m->document->arena, sizeof *new);
      if (!new) return rattle__no_memory(error);
      *new = part;
      **end = new;
      *end = &new->next;
    }
  }
  return status;
}

static int is_joint(const rattle__mjcf_part *p) {
  return !strcmp(p->element->name, "joint") || !strcmp(p->element->name, "freejoint");
}

/* ---- joints ---- */

static rattle_status read_type(const rattle__mjcf *m, const rattle__mjcf_part *p,
                               rattle__link *link, rattle_error *error) {
  static const struct {
    const char *name;
    int type;
  } types[] = {{"hinge", RATTLE__REVOLUTE},
               {"slide", RATTLE__PRISMATIC},
               {"ball", RATTLE__SPHERICAL},
               {"free", RATTLE__FREE}};
  const char *type = rattle__mjcf_value(m, p->element, p->class, "type");
  if (!strcmp(p->element->name, "freejoint")) type = "free";
  if (!type) type = "hinge";
  for (int i = 0; i < 4; i++)
    if (!strcmp(types[i].name, type)) {
      link->type = types[i].type;
      return RATTLE_OK;
    }
  return rattle__xml_fail(m->document, p->element, error,
                          "the type of joint \"%s\" is \"%s\": expected hinge, slide, ball or free",
                          link->joint, type);
}

/* The forces at a joint; angles in radians. */
static rattle_status read_forces(const rattle__mjcf *m, const rattle__mjcf_part *p,
                                 rattle__link *link, rattle_error *error) {
  const double unit = link->type == RATTLE__REVOLUTE ? m->angle : 1;
  const struct {
    const char *name;
    double *value;
  } entries[] = {{"damping", &link->damping},
                 {"armature", &link->armature},
                 {"stiffness", &link->stiffness},
                 {"springref", &link->rest},
                 {"ref", &link->position}};
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < 5 && !status; i++)
    status = rattle__mjcf_number(m, p->element, p->class, entries[i].name, entries[i].value, error);
  link->rest *= unit;
  link->position *= unit;
  if (link->type == RATTLE__REVOLUTE || link->type == RATTLE__PRISMATIC || status) return status;
  if (link->stiffness != 0)
    return rattle__xml_fail(m->document, p->element, error,
                            "joint \"%s\" has a stiffness, which is read of joints that turn about "
                            "or slide along an axis: set it to 0, and add the spring to the model",
                            link->joint);
  link->position = link->rest = 0;
  return RATTLE_OK;
}

static rattle_status read_joint(rattle__mjcf *m, const rattle__mjcf_part *p, rattle__link *link,
                                rattle_error *error) {
  link->joint = rattle__xml_value(p->element, "name");
  if (!link->joint || !*link->joint) link->joint = numbered(m, "joint");
  p->element->used = 1;
  rattle_status status = read_type(m, p, link, error);
  if (status) return status;
  if (link->type == RATTLE__FREE && !strcmp(p->element->name, "freejoint")) return RATTLE_OK;
  struct rattle__mjcf_numbers pos = {"pos", link->pivot, 3, 3, 0},
                              axis = {"axis", link->axis, 3, 3, 0};
  link->axis[2] = 1;
  status = read_forces(m, p, link, error);
  if (link->type == RATTLE__FREE || status) return status;
  status = rattle__mjcf_read(m, p->element, p->class, &pos, error);
  if (!status && link->type != RATTLE__SPHERICAL)
    status = rattle__mjcf_read(m, p->element, p->class, &axis, error);
  if (!status && link->axis[0] == 0 && link->axis[1] == 0 && link->axis[2] == 0)
    status = rattle__xml_fail(m->document, p->element, error,
                              "the axis of joint \"%s\" has no direction", link->joint);
  rattle__quat_turn(p->frame.quat, link->pivot, link->pivot);
  for (int i = 0; i < 3; i++) link->pivot[i] += p->frame.at[i];
  if (p->frame.quat[0] != 1) rattle__quat_turn(p->frame.quat, link->axis, link->axis);
  return status;
}

/* ---- the tree ---- */

static rattle_status read_body(rattle__mjcf *m, const rattle__mjcf_part *self, int parent,
                               rattle_error *error);

static rattle_status read_parts(rattle__mjcf *m, rattle__element *e, const rattle__element *class,
                                rattle__mjcf_part **parts, rattle_error *error) {
  rattle__mjcf_part frame = {e, class, {.quat = {1}}, NULL}, **end = parts;
  *parts = NULL;
  e->used = 1;
  return collect(m, e, &frame, &end, error);
}

static rattle_status keep_sites(rattle__mjcf *m, const rattle__mjcf_part *parts, int link,
                                rattle_error *error) {
  for (const rattle__mjcf_part *p = parts; p; p = p->next) {
    if (strcmp(p->element->name, "site") != 0) continue;
    rattle__mjcf_site *site = rattle__arena_take(&m->document->arena, sizeof *site);
    if (!site) return rattle__no_memory(error);
    *site = (rattle__mjcf_site){*p, link, m->site};
    m->site = site;
  }
  return RATTLE_OK;
}

static rattle_status read_children(rattle__mjcf *m, const rattle__mjcf_part *parts, int parent,
                                   rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (const rattle__mjcf_part *p = parts; p && !status; p = p->next)
    if (!strcmp(p->element->name, "body")) status = read_body(m, p, parent, error);
  return status;
}

/* A link for each joint, or one that is fixed; the last is the body. */
static rattle_status add_links(rattle__mjcf *m, const rattle__mjcf_part *self,
                               const rattle__mjcf_part *parts, int parent, rattle_error *error) {
  const char *name = rattle__xml_value(self->element, "name");
  rattle__pose pose;
  if (!name || !*name) name = numbered(m, "body");
  rattle_status status = rattle__mjcf_pose(m, self->element, NULL, &pose, error);
  if (status) return status;
  pose = rattle__pose_in(&self->frame, &pose);
  const rattle__mjcf_part *p = parts;
  while (p && !is_joint(p)) p = p->next;
  for (int first = 1; first || p; first = 0) {
    const rattle__mjcf_part *next = p ? p->next : NULL;
    while (next && !is_joint(next)) next = next->next;
    rattle__link *link = new_link(m, error);
    if (!link) return RATTLE_NO_MEMORY;
    link->element = self->element;
    link->parent = first ? parent : m->links - 2;
    if (first) memcpy(link->origin, pose.at, sizeof pose.at);
    if (first) memcpy(link->quat, pose.quat, sizeof pose.quat);
    if (p) status = read_joint(m, p, link, error);
    if (status) return status;
    link->name = p && next ? text_of(m, text_of(m, name, "/"), link->joint) : name;
    if (link->type == RATTLE__FREE && (!first || next || parent != 0))
      return rattle__xml_fail(m->document, p->element, error,
                              "joint \"%s\" is free: it is the only joint of a body of the world",
                              link->joint);
    p = next;
  }
  return RATTLE_OK;
}

static rattle_status read_body(rattle__mjcf *m, const rattle__mjcf_part *self, int parent,
                               rattle_error *error) {
  rattle__mjcf_part *parts;
  const rattle__element *class = self->class;
  rattle_status status = rattle__mjcf_class(m, self->element, "childclass", &class, error);
  if (!status) status = read_parts(m, self->element, class, &parts, error);
  if (!status) status = add_links(m, self, parts, parent, error);
  const int body = m->links - 1;
  if (!status) status = rattle__mjcf_weigh(m, &m->link[body], parts, error);
  if (!status) status = keep_sites(m, parts, body, error);
  return status ? status : read_children(m, parts, body, error);
}

static rattle_status read_world(rattle__mjcf *m, rattle_error *error) {
  rattle__link *world = new_link(m, error);
  if (!world) return RATTLE_NO_MEMORY;
  world->element = m->document->root;
  world->name = "world";
  world->parent = -1;
  int found = 0;
  rattle_status status = RATTLE_OK;
  for (rattle__element *e = m->document->root->first; e && !status; e = e->next) {
    rattle__mjcf_part *parts;
    const rattle__element *class = NULL;
    if (strcmp(e->name, "worldbody") != 0) continue;
    found = 1;
    status = rattle__mjcf_class(m, e, "childclass", &class, error);
    if (!status) status = read_parts(m, e, class, &parts, error);
    if (!status) status = keep_sites(m, parts, 0, error);
    if (!status) status = read_children(m, parts, 0, error);
  }
  if (!status && !found)
    status = rattle__xml_fail(m->document, m->document->root, error,
                              "there is no <worldbody>: is this a part that others include?");
  return status;
}

/* The changes of all bodies that <compiler> asks for, at the end. */
static rattle_status settle(rattle__mjcf *m, rattle_error *error) {
  double sum = 0;
  for (int i = 1; i < m->links; i++) {
    rattle__link *l = &m->link[i];
    if (l->weighs && l->mass < m->bound_mass) l->mass = m->bound_mass;
    sum += l->mass;
    if (m->bound_inertia > 0 || m->balance)
      return rattle__xml_fail(
          m->document,
          rattle__mjcf_setting(m, "compiler", m->balance ? "balanceinertia" : "boundinertia"),
          error, "%s, which changes inertias, is not read: write the inertias that are meant",
          m->balance ? "balanceinertia" : "boundinertia");
  }
  for (int i = 1; i < m->links && m->total_mass > 0 && sum > 0; i++) {
    const double scale = m->total_mass / sum;
    m->link[i].mass *= scale;
    for (int k = 0; k < 6; k++) m->link[i].inertia[k] *= scale;
  }
  return RATTLE_OK;
}

/* ---- the text ---- */

static rattle_status write_robot(FILE *file, rattle__mjcf *m, int module, rattle_error *error) {
  char *before = NULL, *after = NULL;
  size_t size;
  int keys = 0;
  FILE *starts = open_memstream(&before, &size), *loops = open_memstream(&after, &size);
  rattle_status status = starts && loops ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = rattle__mjcf_keys(starts, m, &keys, error);
  if (!status) status = rattle__mjcf_loops(loops, m, error);
  if (starts && fclose(starts) && !status) status = rattle__no_memory(error);
  if (loops && fclose(loops) && !status) status = rattle__no_memory(error);
  if (!status) {
    const char *title = rattle__xml_value(m->document->root, "model");
    rattle__robot robot = {.link = m->link,
                           .links = m->links,
                           .title = title ? title : m->document->path,
                           .before = keys ? before : NULL,
                           .after = after && *after ? after : NULL,
                           .gravity = {m->gravity[0], m->gravity[1], m->gravity[2]},
                           .step = m->step};
    rattle__links_write(file, &robot, module, m->document);
  }
  free(before);
  free(after);
  return status;
}

rattle_status rattle__mjcf_write(FILE *file, rattle__document *document, int module,
                                 rattle__file_reader *read, rattle_error *error) {
  rattle__mjcf m = {.document = document, .read = read};
  document->root->used = 1;
  rattle_status status = rattle__mjcf_include(document, read, error);
  if (!status) rattle__mjcf_mark_defaults(&m, "joint");
  if (!status) rattle__mjcf_mark_defaults(&m, "geom");
  if (!status) status = read_compiler(&m, error);
  if (!status) status = read_option(&m, error);
  if (!status) status = rattle__mjcf_replicate(&m, error);
  if (!status) status = read_world(&m, error);
  if (!status) status = settle(&m, error);
  if (!status && document->arena.failed) status = rattle__no_memory(error);
  if (!status) status = write_robot(file, &m, module, error);
  free(m.link);
  return status;
}
