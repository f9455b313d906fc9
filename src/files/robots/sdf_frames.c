/* SDF: frames by their names, and poses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/sdf.h"
#include "ground/support/error.h"

int rattle__sdf_true(const char *text) {
  return text && (!strcmp(text, "true") || !strcmp(text, "1"));
}

rattle_status rattle__sdf_number(const rattle__sdf *s, const rattle__element *e, const char *name,
                                 double *value, rattle_error *error) {
  const rattle__element *child = rattle__xml_child(e, name);
  return child ? rattle__xml_text_numbers(s->document, child, value, 1, error) : RATTLE_OK;
}

int rattle__sdf_version(const rattle__element *e) {
  const char *text = rattle__xml_value(e, "version");
  int major, minor, end = 0;
  const int read = text ? sscanf(text, "%4d.%3d %n", &major, &minor, &end) : 0;
  return read == 2 && end && !text[end] && major >= 0 && minor >= 0 ? 1000 * major + minor : -1;
}

/* ---- names ---- */

static const char *name_of(const void *owner, uint32_t number) {
  return ((const rattle__sdf *)owner)->node[number].name;
}

int rattle__sdf_find(const rattle__sdf *s, int scope, const char *name) {
  if (!strcmp(name, "__model__")) return scope;
  if (!strcmp(name, "world")) return 0;
  const char *around = s->node[scope].around;
  const size_t length = strlen(around);
  char *full = malloc(length + strlen(name) + 3);
  if (!full) return -1;
  strcpy(full, around);
  if (length) strcat(full, "::");
  strcat(full, name);
  char *last = strstr(full, "::__model__"); /* the frame of a model in this one */
  if (last && !last[strlen("::__model__")]) *last = 0;
  const int64_t found = rattle__names_find(&s->names, full, name_of, s);
  free(full);
  return (int)found;
}

const char *rattle__sdf_short_name(const rattle__sdf *s, int node) {
  const char *full = s->node[node].name, *part = strstr(full, "::");
  int models = 0;
  for (int i = 1; i < s->nodes; i++)
    models += s->node[i].kind == RATTLE__SDF_MODEL && s->node[i].scope == 0;
  if (models == 1 && part) full = part + 2;
  char *name = rattle__arena_take(&s->document->arena, strlen(full) + 1), *to = name;
  for (const char *c = full; name && *c; c++) {
    const int between = c[0] == ':' && c[1] == ':';
    *to++ = between ? '.' : *c;
    if (between) c++;
  }
  return name ? name : "";
}

/* ---- poses ---- */

static rattle_status read_numbers(const rattle__sdf *s, const rattle__element *e,
                                  rattle__pose *pose, rattle_error *error) {
  const char *format = rattle__xml_value(e, "rotation_format");
  const int quaternion = format && !strcmp(format, "quat_xyzw");
  const double unit = rattle__sdf_true(rattle__xml_value(e, "degrees")) ? M_PI / 180 : 1;
  double x[7] = {0}, rpy[3];
  if (!e->text) return RATTLE_OK;
  if (format && !quaternion && strcmp(format, "euler_rpy") != 0)
    return rattle__xml_fail(s->document, e, error,
                            "rotation_format of <pose> is \"%s\": expected euler_rpy or quat_xyzw",
                            format);
  const rattle_status status =
      rattle__xml_text_numbers(s->document, e, x, quaternion ? 7 : 6, error);
  if (status) return status;
  memcpy(pose->at, x, sizeof pose->at);
  if (quaternion) {
    pose->quat[0] = x[6];
    memcpy(pose->quat + 1, x + 3, 3 * sizeof *x);
    if (rattle__quat_unit(pose->quat)) return RATTLE_OK;
    return rattle__xml_fail(s->document, e, error, "the quaternion of <pose> has no direction");
  }
  for (int i = 0; i < 3; i++) rpy[i] = x[3 + i] * unit;
  rattle__quat_from_rpy(rpy, pose->quat);
  return RATTLE_OK;
}

rattle_status rattle__sdf_pose(const rattle__sdf *s, const rattle__element *e, rattle__pose *pose,
                               const char **relative_to, rattle_error *error) {
  const rattle__element *at = rattle__xml_child(e, "pose");
  *pose = (rattle__pose){.quat = {1}};
  *relative_to = NULL;
  if (!at) return RATTLE_OK;
  const char *frame = rattle__xml_value(at, "relative_to"), *old = rattle__xml_value(at, "frame");
  if (!frame || !*frame) frame = old;
  if (frame && *frame) *relative_to = frame;
  return read_numbers(s, at, pose, error);
}

/* The frame that a pose is in where the file does not say one. */
static const char *usual_frame(const rattle__sdf_node *n) {
  const rattle__element *child;
  if (n->kind == RATTLE__SDF_JOINT) {
    child = rattle__xml_child(n->element, "child");
    return child && child->text ? child->text : "";
  }
  if (n->kind != RATTLE__SDF_FRAME) return NULL;
  const char *attached = rattle__xml_value(n->element, "attached_to");
  return attached && *attached ? attached : NULL;
}

static rattle_status read_node(rattle__sdf *s, int i, rattle_error *error) {
  rattle__sdf_node *n = &s->node[i];
  const char *frame;
  rattle_status status = rattle__sdf_pose(s, n->element, &n->pose, &frame, error);
  if (status) return status;
  if (!frame) frame = usual_frame(n);
  n->to = frame ? rattle__sdf_find(s, n->scope, frame) : n->scope;
  if (n->to >= 0) return RATTLE_OK;
  return rattle__xml_fail(s->document, n->element, error,
                          "the pose of \"%s\" is in the frame \"%s\", which is not there", n->name,
                          frame);
}

enum { DEEPEST = 10000 };

/* How far a frame is from the world. */
static int depth(const rattle__sdf *s, int i) {
  int count = 0;
  for (; i && count <= DEEPEST; i = s->node[i].to) count++;
  return count;
}

rattle__pose rattle__sdf_seen(const rattle__sdf *s, int a, int b) {
  rattle__pose of_a = {.quat = {1}}, of_b = of_a;
  for (int da = depth(s, a), db = depth(s, b); a != b;)
    if (da >= db) {
      of_a = rattle__pose_in(&s->node[a].pose, &of_a);
      a = s->node[a].to;
      da--;
    } else {
      of_b = rattle__pose_in(&s->node[b].pose, &of_b);
      b = s->node[b].to;
      db--;
    }
  return rattle__pose_seen(&of_a, &of_b);
}

/* The pose of a model may be that of one of its frames. */
static rattle_status move_model(rattle__sdf *s, int i, rattle_error *error) {
  rattle__sdf_node *n = &s->node[i];
  const char *name = rattle__xml_value(n->element, "placement_frame");
  if (!name || !*name) return RATTLE_OK;
  const int frame = rattle__sdf_find(s, i, name);
  int inside = frame;
  while (inside > 0 && inside != i) inside = s->node[inside].to;
  if (frame <= 0 || inside != i)
    return rattle__xml_fail(s->document, n->element, error,
                            "the placement_frame \"%s\" is no frame of the model", name);
  const rattle__pose back = rattle__sdf_seen(s, frame, i);
  n->pose = rattle__pose_in(&n->pose, &back);
  return RATTLE_OK;
}

rattle_status rattle__sdf_place(rattle__sdf *s, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 1; i < s->nodes && !status; i++) status = read_node(s, i, error);
  for (int i = 1; i < s->nodes && !status; i++)
    if (depth(s, i) > DEEPEST)
      status =
          rattle__xml_fail(s->document, s->node[i].element, error,
                           "the pose of \"%s\" does not lead to the world: its frame is placed "
                           "by itself, or by more than %d others",
                           s->node[i].name, DEEPEST);
  for (int i = 1; i < s->nodes && !status; i++)
    if (s->node[i].kind == RATTLE__SDF_MODEL) status = move_model(s, i, error);
  return status;
}

int rattle__sdf_is_still(const rattle__sdf *s, int node) {
  for (; node; node = s->node[node].scope)
    if (s->node[node].kind == RATTLE__SDF_MODEL && s->node[node].is_static) return 1;
  return 0;
}

/* The model whose part a node is by its name. */
static int home(const rattle__sdf *s, int node) {
  int model = s->node[node].scope;
  while (s->node[model].merged) model = s->node[model].scope;
  return model;
}

/* The first link of a model, or else of the models in it; -1 if there is none. */
static int first_link(const rattle__sdf *s, int model) {
  int found = -1;
  for (int i = model + 1; i < s->nodes && s->node[i].scope >= model; i++) {
    if (s->node[i].kind != RATTLE__SDF_LINK) continue;
    if (s->node[i].scope == model || home(s, i) == model) return i;
    if (found < 0) found = i;
  }
  return found;
}

/* The frame that another one is fixed to, -1 if it is not there. */
static int carrier(const rattle__sdf *s, int i) {
  const rattle__sdf_node *n = &s->node[i];
  const char *name = n->kind == RATTLE__SDF_MODEL ? rattle__xml_value(n->element, "canonical_link")
                                                  : usual_frame(n);
  if (name && *name) return rattle__sdf_find(s, n->kind == RATTLE__SDF_MODEL ? i : n->scope, name);
  return n->kind == RATTLE__SDF_MODEL ? first_link(s, i) : n->scope;
}

rattle_status rattle__sdf_link_of(const rattle__sdf *s, int node, int *link, rattle_error *error) {
  int at = node, steps = 0;
  while (at > 0 && s->node[at].kind != RATTLE__SDF_LINK && steps++ <= DEEPEST) at = carrier(s, at);
  *link = at > 0 ? s->node[at].link : -1;
  if (at == 0 || (at > 0 && s->node[at].kind == RATTLE__SDF_LINK)) return RATTLE_OK;
  return rattle__xml_fail(s->document, s->node[node].element, error,
                          "\"%s\" is attached to no link", s->node[node].name);
}
