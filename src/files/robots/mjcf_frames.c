/* Frames of MJCF: places, and orientations in five ways. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "files/robots/mjcf.h"

static void about(const double axis[3], double angle, double q[4]) {
  const double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  q[0] = norm > 0 ? cos(angle / 2) : 1;
  for (int i = 0; i < 3; i++) q[1 + i] = norm > 0 ? axis[i] / norm * sin(angle / 2) : 0;
}

void rattle__mjcf_euler(const rattle__mjcf *m, const double angle[3], double q[4]) {
  q[0] = 1;
  q[1] = q[2] = q[3] = 0;
  for (int i = 0; i < 3; i++) {
    const char letter = m->eulerseq[i];
    double axis[3] = {0}, turn[4];
    axis[tolower((unsigned char)letter) - 'x'] = 1;
    about(axis, angle[i] * m->angle, turn);
    if (islower((unsigned char)letter))
      rattle__quat_times(q, turn, q);
    else
      rattle__quat_times(turn, q, q);
  }
}

/* The columns of R are unit and orthogonal. */
static void from_matrix(double R[3][3], double q[4]) {
  const double trace = R[0][0] + R[1][1] + R[2][2];
  int most = 0;
  double largest = trace;
  for (int i = 0; i < 3; i++)
    if (R[i][i] > largest) {
      largest = R[i][i];
      most = i + 1;
    }
  if (most == 0) {
    q[0] = 1 + trace;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      q[1 + i] = R[k][j] - R[j][k];
    }
  } else {
    const int i = most - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = R[k][j] - R[j][k];
    q[1 + i] = 1 + R[i][i] - R[j][j] - R[k][k];
    q[1 + j] = R[i][j] + R[j][i];
    q[1 + k] = R[i][k] + R[k][i];
  }
  rattle__quat_unit(q);
}

static int make_unit(double v[3]) {
  const double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3 && norm > 0; i++) v[i] /= norm;
  return norm > 0;
}

/* Two axes, the second one made orthogonal to the first; 0 if they have no two directions. */
static int from_axes(const double axes[6], double q[4]) {
  double x[3] = {axes[0], axes[1], axes[2]}, y[3] = {axes[3], axes[4], axes[5]}, R[3][3];
  if (!make_unit(x)) return 0;
  const double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  for (int i = 0; i < 3; i++) y[i] -= along * x[i];
  if (!make_unit(y)) return 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][0] = x[i];
    R[i][1] = y[i];
    R[i][2] = x[j] * y[k] - x[k] * y[j];
  }
  from_matrix(R, q);
  return 1;
}

static int orient(const rattle__mjcf *m, int way, const double x[6], double q[4]) {
  switch (way) {
  case 0:
    memcpy(q, x, 4 * sizeof *q);
    return rattle__quat_unit(q);
  case 1:
    about(x, x[3] * m->angle, q);
    return x[0] != 0 || x[1] != 0 || x[2] != 0;
  case 2:
    rattle__mjcf_euler(m, x, q);
    return 1;
  case 3:
    return from_axes(x, q);
  default:
    rattle__quat_from_z(x, q);
    return x[0] != 0 || x[1] != 0 || x[2] != 0;
  }
}

rattle_status rattle__mjcf_orientation(const rattle__mjcf *m, const rattle__element *e,
                                       const rattle__element *class, double quat[4],
                                       rattle_error *error) {
  static const char *const ways[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  static const int counts[] = {4, 4, 3, 6, 3};
  const rattle__element *from = NULL;
  double x[6];
  int way = -1;
  for (int i = 0; i < 5; i++) {
    const rattle__element *source = rattle__mjcf_source(m, e, class, ways[i]);
    /* what an element says itself goes before its defaults */
    if (!source || (from == e && source != e)) continue;
    if (from == source)
      return rattle__xml_fail(m->document, source, error, "<%s> has both %s and %s: expected one",
                              e->name, ways[way], ways[i]);
    from = source;
    way = i;
  }
  if (way < 0) return RATTLE_OK;
  const rattle_status status =
      rattle__xml_numbers(m->document, from, ways[way], x, counts[way], NULL, error);
  if (status || orient(m, way, x, quat)) return status;
  return rattle__xml_fail(m->document, from, error, "%s of <%s> has no direction", ways[way],
                          e->name);
}

rattle_status rattle__mjcf_pose(const rattle__mjcf *m, const rattle__element *e,
                                const rattle__element *class, rattle__pose *pose,
                                rattle_error *error) {
  *pose = (rattle__pose){.quat = {1}};
  struct rattle__mjcf_numbers pos = {"pos", pose->at, 3, 3, 0};
  const rattle_status status = rattle__mjcf_read(m, e, class, &pos, error);
  return status ? status : rattle__mjcf_orientation(m, e, class, pose->quat, error);
}
