/* Mass and inertia of the bodies of MJCF: as they are given, or of their shapes. */
#include <math.h>
#include <string.h>

#include "files/robots/mjcf.h"

/* A solid about its centre, along its axes. */
struct solid {
  double mass, moment[3];
};

static double cube(double x) {
  return x * x * x;
}

static double volume_of(int shape, const double s[3]) {
  switch (shape) {
  case 0:
    return 4.0 / 3 * M_PI * cube(s[0]);
  case 1:
    return M_PI * s[0] * s[0] * (4.0 / 3 * s[0] + 2 * s[1]);
  case 2:
    return M_PI * s[0] * s[0] * 2 * s[1];
  case 3:
    return 8 * s[0] * s[1] * s[2];
  default:
    return 4.0 / 3 * M_PI * s[0] * s[1] * s[2];
  }
}

/* A cylinder of half length h with a half ball on each end: the ends' centres are 3 r/8 from their
 * plane. */
static void weigh_capsule(struct solid *solid, double r, double h) {
  const double ends = solid->mass * 2 * r / (2 * r + 3 * h), middle = solid->mass - ends;
  const double across =
      middle * (r * r / 4 + h * h / 3) + ends * (2.0 / 5 * r * r) + ends * h * (h + 3.0 / 4 * r);
  solid->moment[0] = solid->moment[1] = across;
  solid->moment[2] = middle * r * r / 2 + ends * (2.0 / 5 * r * r);
}

static void weigh_solid(struct solid *solid, int shape, const double s[3]) {
  const double m = solid->mass;
  double *I = solid->moment;
  if (shape == 0) {
    I[0] = I[1] = I[2] = 2.0 / 5 * m * s[0] * s[0];
  } else if (shape == 1) {
    weigh_capsule(solid, s[0], s[1]);
  } else if (shape == 2) {
    I[0] = I[1] = m * (s[0] * s[0] / 4 + s[1] * s[1] / 3);
    I[2] = m * s[0] * s[0] / 2;
  } else {
    const double part = shape == 3 ? 3 : 5;
    for (int i = 0; i < 3; i++) {
      const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
      I[i] = m / part * (a * a + b * b);
    }
  }
}

/* ---- sums ---- */

struct mass_sum {
  double mass, first[3], second[6]; /* about the origin of the body: xx, yy, zz, xy, xz, yz */
};

static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

/* R diag(moment) R^T */
static void turned(const double quat[4], const double moment[3], double tensor[6]) {
  double R[3][3];
  rattle__quat_matrix(quat, R);
  for (int i = 0; i < 6; i++) {
    tensor[i] = 0;
    for (int k = 0; k < 3; k++) tensor[i] += R[row[i]][k] * moment[k] * R[column[i]][k];
  }
}

/* m (r.r - r r^T), added or taken away */
static void move(double tensor[6], double m, const double r[3]) {
  const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  for (int i = 0; i < 6; i++) tensor[i] += m * ((i < 3 ? square : 0) - r[row[i]] * r[column[i]]);
}

/* tensor: about `at`, along the axes of the body; it is changed. */
static void add_part(struct mass_sum *sum, double mass, const double at[3], double tensor[6]) {
  move(tensor, mass, at);
  sum->mass += mass;
  for (int i = 0; i < 3; i++) sum->first[i] += mass * at[i];
  for (int i = 0; i < 6; i++) sum->second[i] += tensor[i];
}

static void add(struct mass_sum *sum, const struct solid *solid, const rattle__pose *pose) {
  double tensor[6];
  turned(pose->quat, solid->moment, tensor);
  add_part(sum, solid->mass, pose->at, tensor);
}

/* ---- shapes ---- */

static const char *const shapes[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
enum { SHAPES = 5 };

/* The half length and the frame of a shape between two points. */
static rattle_status between(const rattle__mjcf *m, const rattle__mjcf_part *part, int shape,
                             double size[3], rattle__pose *pose, rattle_error *error) {
  double ends[6], axis[3];
  struct rattle__mjcf_numbers fromto = {"fromto", ends, 6, 6, 0};
  const rattle_status status = rattle__mjcf_read(m, part->element, part->class, &fromto, error);
  if (status || !fromto.count) return status;
  if (shape == 0)
    return rattle__xml_fail(m->document, part->element, error, "a sphere has no fromto");
  for (int i = 0; i < 3; i++) {
    axis[i] = ends[3 + i] - ends[i];
    pose->at[i] = (ends[i] + ends[3 + i]) / 2;
  }
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(length > 0))
    return rattle__xml_fail(m->document, part->element, error, "fromto has one point twice");
  rattle__quat_from_z(axis, pose->quat);
  if (shape >= 3) size[1] = size[0];
  size[shape >= 3 ? 2 : 1] = length / 2;
  return RATTLE_OK;
}

static rattle_status check_size(const rattle__mjcf *m, const rattle__element *e, int shape,
                                const double size[3], rattle_error *error) {
  static const int needed[] = {1, 2, 2, 3, 3};
  for (int i = 0; i < needed[shape]; i++)
    if (!(size[i] > 0))
      return rattle__xml_fail(m->document, e, error,
                              "the size of a %s is %d positive number%s, or less with fromto",
                              shapes[shape], needed[shape], needed[shape] == 1 ? "" : "s");
  return RATTLE_OK;
}

/* The mass that a shape has whatever its size; -1 if its density counts. */
static rattle_status read_mass(const rattle__mjcf *m, const rattle__mjcf_part *part, double *mass,
                               double *density, rattle_error *error) {
  *mass = -1;
  *density = 1000;
  rattle_status status = rattle__mjcf_number(m, part->element, part->class, "mass", mass, error);
  if (!status)
    status = rattle__mjcf_number(m, part->element, part->class, "density", density, error);
  if (!status && ((*mass < 0 && *mass != -1) || *density < 0))
    status = rattle__xml_fail(m->document, part->element, error, "a <geom> has a negative mass");
  return status;
}

static rattle_status check_shape(const rattle__mjcf *m, const rattle__mjcf_part *part,
                                 const char *type, rattle_error *error) {
  const char *shell = rattle__mjcf_value(m, part->element, part->class, "shellinertia");
  if (shell && strcmp(shell, "true") == 0)
    return rattle__xml_fail(m->document, part->element, error,
                            "shellinertia, a shape whose mass is on its surface, is not read: give "
                            "the body an <inertial>");
  if (!strcmp(type, "plane") || !strcmp(type, "hfield")) return RATTLE_OK;
  if (!strcmp(type, "sdf") || rattle__mjcf_source(m, part->element, part->class, "mesh"))
    return rattle__xml_fail(m->document, part->element, error,
                            "the body gets its mass from a %s%s, which is not read: give it an "
                            "<inertial>, or the <geom> mass=\"0\"",
                            type, strcmp(type, "sdf") ? " that is fitted to a mesh" : "");
  return rattle__xml_fail(m->document, part->element, error, "a <geom> of type \"%s\" is not known",
                          type);
}

/* mass: that of the file, or -1 */
static rattle_status add_mesh(rattle__mjcf *m, struct mass_sum *sum, const rattle__mjcf_part *part,
                              double mass, double density, rattle_error *error) {
  rattle__pose pose;
  rattle__mesh_mass mesh;
  double at[3], tensor[6];
  rattle_status status = rattle__mjcf_pose(m, part->element, part->class, &pose, error);
  if (!status) status = rattle__mjcf_weigh_mesh(m, part, &mesh, error);
  if (status) return status;
  part->element->used = 1;
  const double scale = mass < 0 ? density : mass / mesh.mass;
  pose = rattle__pose_in(&part->frame, &pose);
  rattle__quat_turn(pose.quat, mesh.centre, at);
  rattle__tensor_turn(pose.quat, mesh.inertia, tensor);
  for (int i = 0; i < 3; i++) at[i] += pose.at[i];
  for (int i = 0; i < 6; i++) tensor[i] *= scale;
  add_part(sum, mass < 0 ? density * mesh.mass : mass, at, tensor);
  return RATTLE_OK;
}

static rattle_status add_geom(rattle__mjcf *m, struct mass_sum *sum, const rattle__mjcf_part *part,
                              rattle_error *error) {
  rattle__element *e = part->element;
  const char *type = rattle__mjcf_value(m, e, part->class, "type");
  double group = 0, size[3] = {0}, density;
  struct rattle__mjcf_numbers sizes = {"size", size, 1, 3, 0};
  struct solid solid;
  rattle__pose pose;
  if (!type) type = rattle__mjcf_source(m, e, part->class, "mesh") ? "mesh" : "sphere";
  int shape = 0;
  while (shape < SHAPES && strcmp(shapes[shape], type) != 0) shape++;
  rattle_status status = rattle__mjcf_number(m, e, part->class, "group", &group, error);
  if (!status) status = read_mass(m, part, &solid.mass, &density, error);
  if (status || group < m->group_range[0] || group > m->group_range[1]) return status;
  if (solid.mass == 0 || (solid.mass < 0 && density == 0)) return RATTLE_OK;
  if (!strcmp(type, "mesh")) {
    status = check_shape(m, part, "plane", error);
    return status ? status : add_mesh(m, sum, part, solid.mass, density, error);
  }
  const int fitted = rattle__mjcf_source(m, e, part->class, "mesh") != NULL;
  if (shape == SHAPES || fitted) return check_shape(m, part, type, error);
  status = check_shape(m, part, "plane", error);
  if (!status) status = rattle__mjcf_read(m, e, part->class, &sizes, error);
  if (!status) status = rattle__mjcf_pose(m, e, part->class, &pose, error);
  if (!status) status = between(m, part, shape, size, &pose, error);
  if (!status) status = check_size(m, e, shape, size, error);
  if (status) return status;
  e->used = 1;
  if (solid.mass < 0) solid.mass = density * volume_of(shape, size);
  weigh_solid(&solid, shape, size);
  pose = rattle__pose_in(&part->frame, &pose);
  add(sum, &solid, &pose);
  return RATTLE_OK;
}

static rattle_status weigh_geoms(rattle__mjcf *m, rattle__link *link,
                                 const rattle__mjcf_part *parts, rattle_error *error) {
  struct mass_sum sum = {0};
  for (const rattle__mjcf_part *p = parts; p; p = p->next) {
    if (strcmp(p->element->name, "geom") != 0) continue;
    const rattle_status status = add_geom(m, &sum, p, error);
    if (status) return status;
  }
  link->mass = sum.mass;
  if (!(sum.mass > 0)) return RATTLE_OK;
  for (int i = 0; i < 3; i++) link->com[i] = sum.first[i] / sum.mass;
  memcpy(link->inertia, sum.second, sizeof sum.second);
  move(link->inertia, -sum.mass, link->com);
  return RATTLE_OK;
}

/* ---- <inertial> ---- */

static rattle_status weigh_inertial(const rattle__mjcf *m, rattle__link *link,
                                    const rattle__mjcf_part *part, rattle_error *error) {
  rattle__element *e = part->element;
  rattle__pose pose;
  double moment[3] = {0};
  struct rattle__mjcf_numbers diagonal = {"diaginertia", moment, 3, 3, 0},
                              full = {"fullinertia", link->inertia, 6, 6, 0};
  e->used = 1;
  rattle_status status = rattle__mjcf_pose(m, e, NULL, &pose, error);
  if (!status) status = rattle__mjcf_number(m, e, NULL, "mass", &link->mass, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &diagonal, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &full, error);
  if (status) return status;
  const int oriented = pose.quat[0] != 1;
  if (full.count && (diagonal.count || oriented))
    return rattle__xml_fail(m->document, e, error,
                            "fullinertia is along the axes of the body: it goes with neither "
                            "diaginertia nor an orientation");
  if (link->mass < 0)
    return rattle__xml_fail(m->document, e, error, "the mass of \"%s\" is negative", link->name);
  pose = rattle__pose_in(&part->frame, &pose);
  memcpy(link->com, pose.at, sizeof pose.at);
  if (!full.count) turned(pose.quat, moment, link->inertia);
  if (full.count && part->frame.quat[0] != 1)
    return rattle__xml_fail(m->document, e, error, "an <inertial> is not in a turned <frame>");
  return RATTLE_OK;
}

rattle_status rattle__mjcf_weigh(rattle__mjcf *m, rattle__link *link,
                                 const rattle__mjcf_part *parts, rattle_error *error) {
  const rattle__mjcf_part *inertial = NULL;
  for (const rattle__mjcf_part *p = parts; p; p = p->next)
    if (!strcmp(p->element->name, "inertial")) inertial = p;
  const int shaped = m->from_geoms == 1 || (m->from_geoms < 0 && !inertial);
  rattle_status status = RATTLE_OK;
  if (shaped)
    status = weigh_geoms(m, link, parts, error);
  else if (inertial)
    status = weigh_inertial(m, link, inertial, error);
  link->weighs = link->mass != 0;
  for (int i = 0; i < 6; i++) link->weighs = link->weighs || link->inertia[i] != 0;
  return status;
}
