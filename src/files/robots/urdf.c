/* URDF: links and joints of a tree, in the format of ROS (http://wiki.ros.org/urdf/XML).
 *
 * Taken over: inertials (mass, origin with rpy, all six moments), joints that are revolute,
 * continuous, prismatic, fixed, floating and planar, origin, axis, mimic, damping. A link that
 * begins the tree is the ground, whatever its mass. Everything else is named by what was not
 * marked as used (unused.h). */
#include "files/robots/urdf.h"

#include <stdlib.h>
#include <string.h>

#include "files/robots/robot_links.h"
#include "ground/support/error.h"
#include "ground/support/names.h"

struct robot {
  rattle__document *document;
  rattle__link *link, *ordered;
  int *first, *last, *next; /* children of a link, in the order of the file */
  rattle__names names;
  int links;
};

static const char *name_of(const void *owner, uint32_t number) {
  return ((const struct robot *)owner)->link[number].name;
}

static rattle_status name_needed(const rattle__document *d, const rattle__element *e,
                                 const char **name, rattle_error *error) {
  *name = rattle__xml_value(e, "name");
  if (*name && **name) return RATTLE_OK;
  return rattle__xml_fail(d, e, error, "a <%s> has no name", e->name);
}

/* ---- links ---- */

static rattle_status read_pose(const rattle__document *d, const rattle__element *holder,
                               double at[3], double rpy[3], rattle_error *error) {
  const rattle__element *origin = rattle__xml_child(holder, "origin");
  if (!origin) return RATTLE_OK;
  rattle_status status = rattle__xml_numbers(d, origin, "xyz", at, 3, NULL, error);
  if (!status) status = rattle__xml_numbers(d, origin, "rpy", rpy, 3, NULL, error);
  return status;
}

static rattle_status read_inertial(const rattle__document *d, rattle__link *link,
                                   rattle_error *error) {
  static const char *const moment[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const rattle__element *inertial = rattle__xml_child(link->element, "inertial");
  if (!inertial) return RATTLE_OK;
  rattle_status status = read_pose(d, inertial, link->com, link->com_rpy, error);
  const rattle__element *mass = rattle__xml_child(inertial, "mass"),
                        *inertia = rattle__xml_child(inertial, "inertia");
  if (!status && mass) status = rattle__xml_numbers(d, mass, "value", &link->mass, 1, NULL, error);
  for (int i = 0; i < 6 && inertia && !status; i++)
    status = rattle__xml_numbers(d, inertia, moment[i], &link->inertia[i], 1, NULL, error);
  if (!status && link->mass < 0)
    status = rattle__xml_fail(d, mass, error, "the mass of link \"%s\" is negative", link->name);
  link->weighs = 1;
  return status;
}

static rattle_status read_links(struct robot *r, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (rattle__element *e = rattle__xml_child(r->document->root, "link"); e && !status;
       e = rattle__xml_again(e)) {
    rattle__link *link = &r->link[r->links];
    *link = (rattle__link){.element = e, .parent = -1};
    status = name_needed(r->document, e, &link->name, error);
    if (status) break;
    if (rattle__names_find(&r->names, link->name, name_of, r) >= 0)
      return rattle__xml_fail(r->document, e, error, "two links have the name \"%s\"", link->name);
    if (rattle__names_add(&r->names, link->name, (uint32_t)r->links))
      return rattle__no_memory(error);
    r->links++;
    status = read_inertial(r->document, link, error);
  }
  if (!status && !r->links)
    status = rattle__xml_fail(r->document, r->document->root, error, "the robot has no links");
  return status;
}

/* ---- joints ---- */

static rattle_status find_link(const struct robot *r, const rattle__element *joint,
                               const char *which, int *link, rattle_error *error) {
  const char *name = rattle__xml_value(rattle__xml_child(joint, which), "link");
  const int64_t found = name ? rattle__names_find(&r->names, name, name_of, r) : -1;
  if (found < 0)
    return rattle__xml_fail(r->document, joint, error, "the %s of joint \"%s\" is %s%s%s", which,
                            rattle__xml_value(joint, "name"), name ? "\"" : "not given",
                            name ? name : "", name ? "\", which is no link" : "");
  *link = (int)found;
  return RATTLE_OK;
}

static rattle_status read_type(const struct robot *r, rattle__link *link,
                               const rattle__element *joint, rattle_error *error) {
  static const struct {
    const char *name;
    int type;
  } types[] = {{"revolute", RATTLE__REVOLUTE},   {"continuous", RATTLE__REVOLUTE},
               {"prismatic", RATTLE__PRISMATIC}, {"fixed", RATTLE__FIXED},
               {"planar", RATTLE__PLANAR},       {"floating", RATTLE__FREE}};
  const char *type = rattle__xml_value(joint, "type");
  for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].name, type)) {
      link->type = types[i].type;
      return RATTLE_OK;
    }
  return rattle__xml_fail(r->document, joint, error,
                          "the type of joint \"%s\" is %s%s%s: expected revolute, continuous, "
                          "prismatic, fixed, planar or floating",
                          link->joint, type ? "\"" : "not given", type ? type : "",
                          type ? "\"" : "");
}

static int turns_or_slides(const rattle__link *link) {
  return link->type == RATTLE__REVOLUTE || link->type == RATTLE__PRISMATIC;
}

static rattle_status read_mimic(const struct robot *r, rattle__link *link,
                                const rattle__element *joint, rattle_error *error) {
  const rattle__element *mimic =
      link->type == RATTLE__FIXED ? NULL : rattle__xml_child(joint, "mimic");
  if (!mimic) return RATTLE_OK;
  if (!turns_or_slides(link))
    return rattle__xml_fail(
        r->document, mimic, error,
        "joint \"%s\" has a mimic: a joint that follows another turns or slides", link->joint);
  link->multiplier = 1;
  link->follows = rattle__xml_value(mimic, "joint");
  if (!link->follows)
    return rattle__xml_fail(r->document, mimic, error,
                            "joint \"%s\" mimics no joint: give its name", link->joint);
  rattle_status status =
      rattle__xml_numbers(r->document, mimic, "multiplier", &link->multiplier, 1, NULL, error);
  if (!status)
    status = rattle__xml_numbers(r->document, mimic, "offset", &link->offset, 1, NULL, error);
  return status;
}

/* How the joint moves. The axis is that of joints that move alone: files write 0 0 0 for others. */
static rattle_status read_motion(const struct robot *r, rattle__link *link,
                                 const rattle__element *joint, rattle_error *error) {
  const rattle__element *axis = rattle__xml_child(joint, "axis"),
                        *dynamics =
                            turns_or_slides(link) ? rattle__xml_child(joint, "dynamics") : NULL;
  link->axis[0] = 1;
  rattle_status status = RATTLE_OK;
  if (axis) status = rattle__xml_numbers(r->document, axis, "xyz", link->axis, 3, NULL, error);
  const double *u = link->axis;
  const int moves = link->type != RATTLE__FIXED && link->type != RATTLE__FREE;
  if (!status && moves && u[0] == 0 && u[1] == 0 && u[2] == 0)
    status = rattle__xml_fail(r->document, axis, error, "the axis of joint \"%s\" has no direction",
                              link->joint);
  if (!status && dynamics)
    status = rattle__xml_numbers(r->document, dynamics, "damping", &link->damping, 1, NULL, error);
  return status ? status : read_mimic(r, link, joint, error);
}

static rattle_status read_joint(struct robot *r, rattle__element *joint, rattle_error *error) {
  const char *name;
  int parent = -1, child = -1;
  rattle_status status = name_needed(r->document, joint, &name, error);
  if (!status) status = find_link(r, joint, "parent", &parent, error);
  if (!status) status = find_link(r, joint, "child", &child, error);
  if (status) return status;
  rattle__link *link = &r->link[child];
  if (link->parent >= 0)
    return rattle__xml_fail(r->document, joint, error,
                            "the joints \"%s\" and \"%s\" have the same child \"%s\": a robot in "
                            "URDF is a tree; close loops by joints of the model",
                            link->joint, name, link->name);
  link->parent = parent;
  link->joint = name;
  if (r->last[parent] < 0)
    r->first[parent] = child;
  else
    r->next[r->last[parent]] = child;
  r->last[parent] = child;
  status = read_type(r, link, joint, error);
  if (!status) status = read_pose(r->document, joint, link->origin, link->rpy, error);
  return status ? status : read_motion(r, link, joint, error);
}

/* ---- the tree ---- */

static rattle_status find_root(const struct robot *r, int *root, rattle_error *error) {
  *root = -1;
  for (int i = 0; i < r->links; i++) {
    if (r->link[i].parent >= 0) continue;
    if (*root >= 0)
      return rattle__xml_fail(
          r->document, r->link[i].element, error,
          "the links \"%s\" and \"%s\" are both no child of a joint: a robot in "
          "URDF is one tree",
          r->link[*root].name, r->link[i].name);
    *root = i;
  }
  if (*root < 0)
    return rattle__xml_fail(r->document, r->document->root, error,
                            "each link is the child of a joint: a robot in URDF is a tree that "
                            "begins somewhere");
  return RATTLE_OK;
}

/* Depth first, children in the order of the file. */
static rattle_status order(struct robot *r, int root, rattle_error *error) {
  int count = 0, at = root, *place = calloc((size_t)r->links, sizeof *place);
  if (!place) return rattle__no_memory(error);
  while (at >= 0) {
    place[at] = count;
    r->ordered[count] = r->link[at];
    if (at != root) r->ordered[count].parent = place[r->link[at].parent];
    count++;
    if (r->first[at] >= 0) {
      at = r->first[at];
      continue;
    }
    while (at >= 0 && r->next[at] < 0) at = at == root ? -1 : r->link[at].parent;
    if (at >= 0) at = r->next[at];
  }
  free(place);
  if (count < r->links)
    return rattle__xml_fail(r->document, r->document->root, error,
                            "%d of %d links are not connected with the root \"%s\"",
                            r->links - count, r->links, r->link[root].name);
  return RATTLE_OK;
}

static rattle_status read_robot(struct robot *r, rattle_error *error) {
  rattle_status status = read_links(r, error);
  for (int i = 0; i < r->links; i++) r->first[i] = r->last[i] = r->next[i] = -1;
  for (rattle__element *e = rattle__xml_child(r->document->root, "joint"); e && !status;
       e = rattle__xml_again(e))
    status = read_joint(r, e, error);
  int root;
  if (!status) status = find_root(r, &root, error);
  return status ? status : order(r, root, error);
}

rattle_status rattle__urdf_write(FILE *file, rattle__document *document, int module,
                                 rattle_error *error) {
  size_t most = 1;
  for (const rattle__element *e = document->root->first; e; e = e->next) most++;
  struct robot r = {.document = document};
  r.link = rattle__arena_take(&document->arena, most * sizeof *r.link);
  r.ordered = rattle__arena_take(&document->arena, most * sizeof *r.ordered);
  r.first = rattle__arena_take(&document->arena, 3 * most * sizeof *r.first);
  if (document->arena.failed) return rattle__no_memory(error);
  r.last = r.first + most;
  r.next = r.last + most;
  document->root->used = 1;
  const char *title = rattle__xml_value(document->root, "name");
  const rattle_status status = read_robot(&r, error);
  if (!status)
    rattle__links_write(file,
                        &(rattle__robot){.link = r.ordered,
                                         .links = r.links,
                                         .title = title ? title : document->path,
                                         .gravity = {0, 0, -9.81},
                                         .step = 0.001},
                        module, document);
  rattle__names_clear(&r.names);
  return status;
}
