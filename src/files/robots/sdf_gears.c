/* SDF: a gearbox is a constraint on the angles of two joints, from one link to both of its ends:
 * theta_2 = -gearbox_ratio theta_1. */
#include <math.h>

#include "files/robots/sdf.h"

/* An axis as the world sees it. */
static void direction(const rattle__sdf *s, const rattle__sdf_axis *a, double result[3]) {
  const rattle__pose frame = rattle__sdf_seen(s, 0, a->in);
  rattle__quat_turn(frame.quat, a->xyz, result);
}

/* 1: along, -1: against; 0: two axes are not parallel, to the digits that files have. */
static int side(const double a[3], const double b[3]) {
  const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  double across = 0;
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    across = hypot(across, a[k] * b[l] - a[l] * b[k]);
  }
  return across > 1e-6 * fabs(dot) ? 0 : dot > 0 ? 1 : -1;
}

/* The joint whose angle is that from the reference to a link about an axis of the gearbox, and its
 * sign; NULL: there is none. */
static const rattle__sdf_joint *turn_of(const rattle__sdf *s, const rattle__sdf_joint *gear,
                                        int link, const rattle__sdf_axis *about, int *sign) {
  double wanted[3], own[3];
  direction(s, about, wanted);
  for (int k = 0; k < s->joints; k++) {
    const rattle__sdf_joint *j = &s->joint[k];
    const int along = j->parent == gear->reference && j->child == link;
    if (!along && !(j->child == gear->reference && j->parent == link)) continue;
    if (j->type != RATTLE__SDF_REVOLUTE || !j->in_tree) continue;
    direction(s, &j->axis[0], own);
    *sign = side(wanted, own) * (j->reversed ? -1 : 1) * (along ? 1 : -1);
    if (*sign) return j;
  }
  return NULL;
}

rattle_status rattle__sdf_write_gear(FILE *file, const rattle__sdf *s, const rattle__sdf_joint *j,
                                     rattle_error *error) {
  int sign[2] = {0};
  const rattle__sdf_joint *first = turn_of(s, j, j->parent, &j->axis[0], &sign[0]),
                          *second = turn_of(s, j, j->child, &j->axis[1], &sign[1]);
  if (!first || !second)
    return rattle__xml_fail(s->document, s->node[j->node].element, error,
                            "the %s of the gearbox \"%s\" is joined to its reference body by no "
                            "revolute joint about %s, or by one that closes a loop",
                            first ? "child" : "parent", s->node[j->node].name,
                            first ? "its <axis2>" : "its <axis>");
  fputs("robot:couple(", file);
  rattle__lua_write_string(file, rattle__sdf_short_name(s, j->node));
  fputs(", ", file);
  rattle__lua_write_string(file, rattle__sdf_short_name(s, second->node));
  fputs(", ", file);
  rattle__lua_write_string(file, rattle__sdf_short_name(s, first->node));
  fputs(", ", file);
  rattle__lua_write_list(file, (double[]){0, -j->advance * sign[0] * sign[1]}, 2);
  fputs(")\n", file);
  return RATTLE_OK;
}
