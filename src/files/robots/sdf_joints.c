/* SDF: joints, and the axes that they have. */
#include <math.h>
#include <string.h>

#include "files/robots/sdf.h"

static const struct {
  const char *name;
  int type, axes;
} types[] = {{"fixed", RATTLE__SDF_FIXED, 0},         {"revolute", RATTLE__SDF_REVOLUTE, 1},
             {"continuous", RATTLE__SDF_REVOLUTE, 1}, {"prismatic", RATTLE__SDF_PRISMATIC, 1},
             {"ball", RATTLE__SDF_BALL, 0},           {"universal", RATTLE__SDF_UNIVERSAL, 2},
             {"revolute2", RATTLE__SDF_UNIVERSAL, 2}, {"screw", RATTLE__SDF_SCREW, 1},
             {"gearbox", RATTLE__SDF_GEARBOX, 2}};
enum { TYPES = sizeof types / sizeof *types };

/* ---- axes ---- */

/* The frame of an axis: that of the joint, or since always of the model before 1.5. */
static rattle_status read_direction(const rattle__sdf *s, const rattle__sdf_joint *j,
                                    rattle__sdf_axis *a, rattle_error *error) {
  const rattle__sdf_node *n = &s->node[j->node];
  const rattle__element *xyz = rattle__xml_child(a->element, "xyz"),
                        *of_model = rattle__xml_child(a->element, "use_parent_model_frame");
  const char *frame = rattle__xml_value(xyz, "expressed_in");
  rattle_status status = RATTLE_OK;
  a->xyz[2] = 1;
  a->in = n->version < 1005 || (of_model && rattle__sdf_true(of_model->text)) ? n->scope : j->node;
  if (xyz) status = rattle__xml_text_numbers(s->document, xyz, a->xyz, 3, error);
  if (!status && a->xyz[0] == 0 && a->xyz[1] == 0 && a->xyz[2] == 0)
    status = rattle__xml_fail(s->document, xyz, error, "the axis of joint \"%s\" has no direction",
                              n->name);
  if (frame && *frame) a->in = rattle__sdf_find(s, n->scope, frame);
  if (!status && a->in < 0)
    status = rattle__xml_fail(s->document, xyz, error,
                              "the axis of joint \"%s\" is in the frame \"%s\", which is not there",
                              n->name, frame);
  return status;
}

static rattle_status read_dynamics(const rattle__sdf *s, rattle__sdf_axis *a, rattle_error *error) {
  const rattle__element *d = rattle__xml_child(a->element, "dynamics");
  double friction = 0;
  rattle_status status = rattle__sdf_number(s, d, "damping", &a->damping, error);
  if (!status) status = rattle__sdf_number(s, d, "spring_stiffness", &a->stiffness, error);
  if (!status) status = rattle__sdf_number(s, d, "spring_reference", &a->rest, error);
  if (!status) status = rattle__sdf_number(s, d, "friction", &friction, error);
  rattle__element *f = friction != 0 ? rattle__xml_child(d, "friction") : NULL;
  if (f) f->used = 0; /* and named */
  return status;
}

/* position = multiplier (position of the leader - reference) + offset */
static rattle_status read_mimic(const rattle__sdf *s, rattle__sdf_axis *a, rattle_error *error) {
  const rattle__element *mimic = rattle__xml_child(a->element, "mimic");
  double reference = 0;
  if (!mimic) return RATTLE_OK;
  a->follows = rattle__xml_value(mimic, "joint");
  a->multiplier = 1;
  if (!a->follows)
    return rattle__xml_fail(s->document, mimic, error, "<mimic> follows no joint: give its name");
  rattle_status status = rattle__sdf_number(s, mimic, "multiplier", &a->multiplier, error);
  if (!status) status = rattle__sdf_number(s, mimic, "offset", &a->offset, error);
  if (!status) status = rattle__sdf_number(s, mimic, "reference", &reference, error);
  a->offset -= a->multiplier * reference;
  return status;
}

static rattle_status read_axis(const rattle__sdf *s, rattle__sdf_joint *j, int which,
                               rattle_error *error) {
  rattle__sdf_axis *a = &j->axis[which];
  const rattle__sdf_node *n = &s->node[j->node];
  a->element = rattle__xml_child(n->element, which ? "axis2" : "axis");
  if (!a->element)
    return rattle__xml_fail(s->document, n->element, error, "joint \"%s\" has no <axis%s>", n->name,
                            which ? "2" : "");
  rattle_status status = read_direction(s, j, a, error);
  if (!status) status = read_dynamics(s, a, error);
  return status ? status : read_mimic(s, a, error);
}

/* ---- joints ---- */

static rattle_status read_type(const rattle__sdf *s, rattle__sdf_joint *j, int *axes,
                               rattle_error *error) {
  const rattle__sdf_node *n = &s->node[j->node];
  const char *type = rattle__xml_value(n->element, "type");
  for (int i = 0; i < TYPES && type; i++)
    if (!strcmp(types[i].name, type)) {
      j->type = types[i].type;
      *axes = types[i].axes;
      return RATTLE_OK;
    }
  return rattle__xml_fail(s->document, n->element, error,
                          "the type of joint \"%s\" is %s%s%s: expected revolute, continuous, "
                          "prismatic, ball, universal, revolute2, screw, gearbox or fixed",
                          n->name, type ? "\"" : "not given", type ? type : "", type ? "\"" : "");
}

static rattle_status read_end(const rattle__sdf *s, const rattle__sdf_joint *j, const char *which,
                              int *link, rattle_error *error) {
  const rattle__sdf_node *n = &s->node[j->node];
  const rattle__element *e = rattle__xml_child(n->element, which);
  const int found = e && e->text ? rattle__sdf_find(s, n->scope, e->text) : -1;
  if (found >= 0) return rattle__sdf_link_of(s, found, link, error);
  return rattle__xml_fail(s->document, n->element, error, "the %s of joint \"%s\" is %s%s%s", which,
                          n->name, e && e->text ? "\"" : "not given", e && e->text ? e->text : "",
                          e && e->text ? "\", which is no link" : "");
}

/* How far a screw moves for each radian: the pitch is for each turn; the older element is the turn
 * for each length, the other way round. */
static rattle_status read_pitch(const rattle__sdf *s, rattle__sdf_joint *j, rattle_error *error) {
  const rattle__element *e = s->node[j->node].element;
  double pitch = 1, turn = 0;
  rattle_status status = rattle__sdf_number(s, e, "thread_pitch", &turn, error);
  if (!status && turn != 0) pitch = -2 * M_PI / turn;
  if (!status) status = rattle__sdf_number(s, e, "screw_thread_pitch", &pitch, error);
  j->advance = pitch / (2 * M_PI);
  return status;
}

static rattle_status read_gear(const rattle__sdf *s, rattle__sdf_joint *j, rattle_error *error) {
  j->advance = 1;
  const rattle_status status =
      rattle__sdf_number(s, s->node[j->node].element, "gearbox_ratio", &j->advance, error);
  return status ? status : read_end(s, j, "gearbox_reference_body", &j->reference, error);
}

static rattle_status read_joint(const rattle__sdf *s, rattle__sdf_joint *j, rattle_error *error) {
  int axes = 0;
  rattle_status status = read_type(s, j, &axes, error);
  if (!status) status = read_end(s, j, "parent", &j->parent, error);
  if (!status) status = read_end(s, j, "child", &j->child, error);
  if (!status && j->parent == j->child)
    status = rattle__xml_fail(s->document, s->node[j->node].element, error,
                              "joint \"%s\" is between a link and itself", s->node[j->node].name);
  for (int i = 0; i < axes && !status; i++) status = read_axis(s, j, i, error);
  if (!status && j->type == RATTLE__SDF_SCREW) status = read_pitch(s, j, error);
  if (!status && j->type == RATTLE__SDF_GEARBOX) return read_gear(s, j, error);
  for (int i = 0; i < 2 && !status; i++) {
    int *end = i ? &j->child : &j->parent;
    if (*end >= 0 && rattle__sdf_is_still(s, s->node_of[*end])) *end = -1;
  }
  if (!status && j->child < 0) { /* the world is the parent, seen from the other side */
    j->reversed = 1;
    j->child = j->parent;
    j->parent = -1;
  }
  return status;
}

rattle_status rattle__sdf_read_joints(rattle__sdf *s, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  int kept = 0;
  for (int i = 0; i < s->joints && !status; i++) {
    rattle__sdf_joint joint = s->joint[i];
    status = read_joint(s, &joint, error);
    const int moves = joint.child >= 0 || joint.type == RATTLE__SDF_GEARBOX;
    if (moves) s->joint[kept++] = joint; /* else it is between things that stand still */
  }
  s->joints = kept;
  return status;
}
