/* SDF: from links and joints in any order to a tree of links, and joints that close loops.
 *
 * A link hangs on the first joint whose child it is, or on one that slides: loops are closed by
 * joints that turn. Links without one move freely; in a circle of joints one link does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/sdf.h"
#include "ground/support/error.h"

/* ---- the choice ---- */

/* Joints of a tree by their parents: first and next; link numbers begin with 1, 0 is the world. */
struct choice {
  int *of;           /* the joint that a link hangs on, -1 none */
  int *first, *next; /* links that hang on a link; next in the list of the same */
  int *order, ordered;
  unsigned char *done;
};

/* True if a joint can close a loop. */
static int closes(const rattle__sdf_joint *j) {
  return j->type == RATTLE__SDF_REVOLUTE || j->type == RATTLE__SDF_BALL ||
         j->type == RATTLE__SDF_FIXED;
}

static void hang(const rattle__sdf *s, struct choice *c) {
  for (int i = 0; i < s->bodies; i++) c->of[i] = -1;
  for (int k = 0; k < s->joints; k++) {
    const rattle__sdf_joint *j = &s->joint[k];
    if (j->type == RATTLE__SDF_GEARBOX) continue;
    int *of = &c->of[j->child];
    if (*of < 0 || (closes(&s->joint[*of]) && !closes(j))) *of = k;
  }
}

/* Links below `root` in the order of a walk, depth first; root + 1 is a place in `first`. */
static void walk(struct choice *c, int root) {
  int at = root;
  for (;;) {
    if (!c->done[at]) {
      c->done[at] = 1;
      if (at) c->order[c->ordered++] = at - 1;
    }
    const int below = c->first[at];
    if (below) { /* each is taken off the list of its parent */
      c->first[at] = c->next[below];
      c->next[below] = at; /* the way back */
      at = below;
    } else {
      if (at == root) return;
      at = c->next[at];
    }
  }
}

/* *order: all links, each after that on which it hangs. */
static void choose(rattle__sdf *s, struct choice *c) {
  hang(s, c);
  for (int i = s->bodies; i > 0; i--) {
    const int above = c->of[i - 1] < 0 ? 0 : s->joint[c->of[i - 1]].parent + 1;
    c->next[i] = c->first[above];
    c->first[above] = i;
  }
  walk(c, 0);
  for (int i = 1; i <= s->bodies; i++) { /* in a circle: the first one is free */
    if (c->done[i]) continue;
    const int above = s->joint[c->of[i - 1]].parent + 1;
    int *link = &c->first[above];
    while (*link != i) link = &c->next[*link];
    *link = c->next[i];
    c->of[i - 1] = -1;
    walk(c, i);
  }
  for (int i = 0; i < s->bodies; i++)
    if (c->of[i] >= 0) s->joint[c->of[i]].in_tree = 1;
}

/* ---- links of the tree ---- */

struct planting {
  rattle__sdf *s;
  rattle__link *link;
  int links, *place; /* place: of each body of the file among the links */
};

static const char *axis_name(const rattle__sdf *s, const rattle__sdf_joint *j, int which) {
  const char *name = rattle__sdf_short_name(s, j->node), *ending = which ? ".axis2" : ".axis";
  if (j->type != RATTLE__SDF_UNIVERSAL) return name;
  char *text = rattle__arena_take(&s->document->arena, strlen(name) + strlen(ending) + 1);
  return text ? strcat(strcpy(text, name), ending) : "";
}

/* The joint that an axis follows, by the name that it has in the model. */
static rattle_status leader_of(const rattle__sdf *s, const rattle__sdf_joint *j,
                               const rattle__sdf_axis *a, const char **name, rattle_error *error) {
  const rattle__element *mimic = rattle__xml_child(a->element, "mimic");
  const char *axis = rattle__xml_value(mimic, "axis");
  const int node = rattle__sdf_find(s, s->node[j->node].scope, a->follows);
  for (int k = 0; k < s->joints; k++) {
    const rattle__sdf_joint *leader = &s->joint[k];
    const int second = axis && !strcmp(axis, "axis2");
    if (leader->node != node || !leader->in_tree || !leader->axis[second].element) continue;
    *name = axis_name(s, leader, second);
    return RATTLE_OK;
  }
  return rattle__xml_fail(s->document, mimic, error,
                          "joint \"%s\" follows \"%s\", which is no joint that turns or slides, or "
                          "closes a loop",
                          s->node[j->node].name, a->follows);
}

/* The place of a joint in the frame of its child, and the axis there. */
static void place_joint(const rattle__sdf *s, const rattle__sdf_joint *j, int child, int which,
                        rattle__link *link) {
  const rattle__pose joint = rattle__sdf_seen(s, child, j->node);
  memcpy(link->pivot, joint.at, sizeof joint.at);
  const rattle__sdf_axis *a = &j->axis[which];
  if (!a->element) return;
  const rattle__pose frame = rattle__sdf_seen(s, child, a->in);
  rattle__quat_turn(frame.quat, a->xyz, link->axis);
  for (int i = 0; i < 3 && j->reversed; i++) link->axis[i] = -link->axis[i];
}

static rattle_status take_axis(const struct planting *t, const rattle__sdf_joint *j, int which,
                               rattle__link *link, rattle_error *error) {
  const rattle__sdf_axis *a = &j->axis[which];
  link->joint = axis_name(t->s, j, which);
  place_joint(t->s, j, t->s->node_of[j->child], which, link);
  if (!a->element) return RATTLE_OK;
  link->damping = a->damping;
  link->stiffness = a->stiffness;
  link->rest = a->rest;
  link->multiplier = a->multiplier;
  link->offset = a->offset;
  return a->follows ? leader_of(t->s, j, a, &link->follows, error) : RATTLE_OK;
}

/* A link without mass for the first of two joints. */
static void add_between(struct planting *t, rattle__link *link) {
  rattle__link *first = &t->link[t->links++];
  const size_t size = strlen(link->name) + strlen(first->joint) + 2;
  char *name = rattle__arena_take(&t->s->document->arena, size);
  if (name) strcat(strcat(strcpy(name, link->name), "/"), first->joint);
  first->name = name ? name : "";
  first->parent = link->parent;
  memcpy(first->origin, link->origin, sizeof link->origin);
  memcpy(first->quat, link->quat, sizeof link->quat);
  memset(link->origin, 0, sizeof link->origin);
  memcpy(link->quat, (double[4]){1}, sizeof link->quat);
  link->parent = t->links - 1;
}

static rattle_status add_universal(struct planting *t, const rattle__sdf_joint *j,
                                   rattle__link *link, rattle_error *error) {
  rattle__link *first = &t->link[t->links];
  *first = (rattle__link){.element = link->element, .type = RATTLE__REVOLUTE};
  link->type = RATTLE__REVOLUTE;
  rattle_status status = take_axis(t, j, j->reversed, first, error);
  if (!status) status = take_axis(t, j, !j->reversed, link, error);
  if (!status) add_between(t, link);
  return status;
}

/* It slides by a multiple of its turn. */
static rattle_status add_screw(struct planting *t, const rattle__sdf_joint *j, rattle__link *link,
                               rattle_error *error) {
  rattle__link *first = &t->link[t->links];
  *first = (rattle__link){.element = link->element, .type = RATTLE__PRISMATIC};
  link->type = RATTLE__REVOLUTE;
  rattle_status status = take_axis(t, j, 0, link, error);
  place_joint(t->s, j, t->s->node_of[j->child], 0, first);
  const size_t size = strlen(link->joint) + sizeof ".advance";
  char *name = rattle__arena_take(&t->s->document->arena, size);
  first->joint = name ? strcat(strcpy(name, link->joint), ".advance") : "";
  first->follows = link->joint;
  first->multiplier = j->advance;
  if (!status) add_between(t, link);
  return status;
}

static rattle_status add_link(struct planting *t, int body, int joint, rattle_error *error) {
  static const int types[] = {
      [RATTLE__SDF_FIXED] = RATTLE__FIXED,         [RATTLE__SDF_REVOLUTE] = RATTLE__REVOLUTE,
      [RATTLE__SDF_PRISMATIC] = RATTLE__PRISMATIC, [RATTLE__SDF_BALL] = RATTLE__SPHERICAL,
      [RATTLE__SDF_UNIVERSAL] = RATTLE__REVOLUTE,  [RATTLE__SDF_SCREW] = RATTLE__REVOLUTE};
  rattle__sdf *s = t->s;
  const rattle__sdf_joint *j = joint >= 0 ? &s->joint[joint] : NULL;
  rattle__link link = s->body[body];
  const int above = j && j->parent >= 0 ? s->node_of[j->parent] : 0;
  const rattle__pose pose = rattle__sdf_seen(s, above, s->node_of[body]);
  rattle_status status = RATTLE_OK;
  memcpy(link.origin, pose.at, sizeof pose.at);
  memcpy(link.quat, pose.quat, sizeof pose.quat);
  link.parent = above ? t->place[j->parent] : 0;
  link.type = j                                           ? types[j->type]
              : rattle__sdf_is_still(s, s->node_of[body]) ? RATTLE__FIXED
                                                          : RATTLE__FREE;
  if (!j) {
    link.joint = link.name;
  } else if (j->type == RATTLE__SDF_UNIVERSAL) {
    status = add_universal(t, j, &link, error);
  } else if (j->type == RATTLE__SDF_SCREW) {
    status = add_screw(t, j, &link, error);
  } else {
    status = take_axis(t, j, 0, &link, error);
  }
  t->place[body] = t->links;
  t->link[t->links++] = link;
  return status;
}

/* ---- loops ---- */

static void write_end(FILE *file, const rattle__sdf *s, const rattle__sdf_joint *j, int body) {
  const int node = body < 0 ? 0 : s->node_of[body];
  const rattle__pose joint = rattle__sdf_seen(s, node, j->node);
  fputs(", robot:point(", file);
  rattle__lua_write_string(file, body < 0 ? "world" : s->body[body].name);
  fputs(", ", file);
  rattle__lua_write_list(file, joint.at, 3);
  if (j->axis[0].element) {
    double axis[3];
    const rattle__pose frame = rattle__sdf_seen(s, node, j->axis[0].in);
    rattle__quat_turn(frame.quat, j->axis[0].xyz, axis);
    fputs(", ", file);
    rattle__lua_write_list(file, axis, 3);
  }
  fputc(')', file);
}

static void write_weld(FILE *file, const rattle__sdf *s, const rattle__sdf_joint *j) {
  const int parent = j->parent < 0 ? 0 : s->node_of[j->parent];
  const rattle__pose pose = rattle__sdf_seen(s, parent, s->node_of[j->child]);
  fputs(", ", file);
  rattle__lua_write_string(file, j->parent < 0 ? "world" : s->body[j->parent].name);
  fputs(", ", file);
  rattle__lua_write_string(file, s->body[j->child].name);
  fputs(", ", file);
  rattle__lua_write_list(file, pose.at, 3);
  fputs(", ", file);
  rattle__lua_write_list(file, pose.quat, 4);
}

static rattle_status check_loop(const rattle__sdf *s, const rattle__sdf_joint *j,
                                rattle_error *error) {
  const rattle__sdf_axis *a = &j->axis[0];
  const char *why = NULL;
  if (!closes(j))
    why = "loops are closed by joints of type revolute, ball or fixed";
  else if (a->damping != 0 || a->stiffness != 0)
    why = "a joint that closes a loop has no damping and no spring";
  else if (a->follows)
    why = "a joint that closes a loop follows no other";
  if (!why) return RATTLE_OK;
  return rattle__xml_fail(s->document, s->node[j->node].element, error,
                          "joint \"%s\" closes a loop, since \"%s\" is the child of another joint: "
                          "%s; let another joint of the loop come later",
                          s->node[j->node].name, s->body[j->child].name, why);
}

static rattle_status write_loop(FILE *file, const rattle__sdf *s, const rattle__sdf_joint *j,
                                rattle_error *error) {
  const rattle_status status = check_loop(s, j, error);
  if (status) return status;
  const char *name = rattle__sdf_short_name(s, j->node);
  int taken = 0;
  for (int i = 0; i < s->bodies; i++) taken = taken || !strcmp(s->body[i].name, name);
  const size_t size = strlen(name) + sizeof ".joint";
  char *own = rattle__arena_take(&s->document->arena, size);
  if (own) name = strcat(strcpy(own, name), taken ? ".joint" : "");
  fputs(j->type == RATTLE__SDF_FIXED  ? "robot:weld("
        : j->type == RATTLE__SDF_BALL ? "mech.spherical("
                                      : "mech.revolute(",
        file);
  rattle__lua_write_string(file, name);
  if (j->type == RATTLE__SDF_FIXED) {
    write_weld(file, s, j);
  } else {
    write_end(file, s, j, j->child);
    write_end(file, s, j, j->parent);
  }
  fputs(")\n", file);
  return RATTLE_OK;
}

/* ---- together ---- */

rattle_status rattle__sdf_tree(rattle__sdf *s, rattle__link **link, int *links, FILE *loops,
                               rattle_error *error) {
  const size_t bodies = (size_t)s->bodies + 1;
  int *room = calloc(5 * bodies, sizeof *room);
  struct choice c = {.of = room,
                     .first = room + bodies,
                     .next = room + 2 * bodies,
                     .order = room + 3 * bodies,
                     .done = calloc(bodies, 1)};
  struct planting t = {
      .s = s, .link = calloc(2 * bodies, sizeof *t.link), .place = room + 4 * bodies};
  rattle_status status = room && c.done && t.link ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    choose(s, &c);
    t.link[t.links++] =
        (rattle__link){.element = s->document->root, .name = "world", .parent = -1, .quat = {1}};
    for (int k = 0; k < c.ordered && !status; k++)
      status = add_link(&t, c.order[k], c.of[c.order[k]], error);
    for (int k = 0; k < s->joints && !status; k++)
      if (s->joint[k].type == RATTLE__SDF_GEARBOX)
        status = rattle__sdf_write_gear(loops, s, &s->joint[k], error);
      else if (!s->joint[k].in_tree)
        status = write_loop(loops, s, &s->joint[k], error);
  }
  free(room);
  free(c.done);
  *link = t.link;
  *links = t.links;
  return status;
}
