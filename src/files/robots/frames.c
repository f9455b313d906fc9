/* Frames in frames. */
#include "files/robots/frames.h"

#include <math.h>
#include <string.h>

void rattle__quat_times(const double a[4], const double b[4], double product[4]) {
  const double p[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                       a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                       a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(product, p, sizeof p);
}

void rattle__quat_matrix(const double q[4], double R[3][3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double x = q[1 + i], y = q[1 + j], z = q[1 + k];
    R[i][i] = 1 - 2 * (y * y + z * z);
    R[i][j] = 2 * (x * y - q[0] * z);
    R[j][i] = 2 * (x * y + q[0] * z);
  }
}

void rattle__quat_turn(const double q[4], const double v[3], double turned[3]) {
  double R[3][3];
  const double x[3] = {v[0], v[1], v[2]};
  rattle__quat_matrix(q, R);
  for (int i = 0; i < 3; i++) turned[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
}

int rattle__quat_unit(double q[4]) {
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm > 0) || !isfinite(norm)) return 0;
  if (norm != 1)
    for (int i = 0; i < 4; i++) q[i] /= norm;
  return 1;
}

void rattle__quat_from_z(const double v[3], double q[4]) {
  const double across = hypot(v[0], v[1]), half = atan2(across, v[2]) / 2;
  q[0] = cos(half);
  q[1] = across > 0 ? -v[1] / across * sin(half) : sin(half);
  q[2] = across > 0 ? v[0] / across * sin(half) : 0;
  q[3] = 0;
}

rattle__pose rattle__pose_in(const rattle__pose *a, const rattle__pose *b) {
  rattle__pose sum;
  rattle__quat_turn(a->quat, b->at, sum.at);
  for (int i = 0; i < 3; i++) sum.at[i] += a->at[i];
  rattle__quat_times(a->quat, b->quat, sum.quat);
  return sum;
}

rattle__pose rattle__pose_seen(const rattle__pose *a, const rattle__pose *b) {
  rattle__pose back = {{0}, {a->quat[0], -a->quat[1], -a->quat[2], -a->quat[3]}}, difference = *b;
  for (int i = 0; i < 3; i++) difference.at[i] -= a->at[i];
  return rattle__pose_in(&back, &difference);
}

void rattle__quat_from_rpy(const double rpy[3], double q[4]) {
  const double cr = cos(rpy[0] / 2), sr = sin(rpy[0] / 2), cp = cos(rpy[1] / 2),
               sp = sin(rpy[1] / 2), cy = cos(rpy[2] / 2), sy = sin(rpy[2] / 2);
  q[0] = cr * cp * cy + sr * sp * sy;
  q[1] = sr * cp * cy - cr * sp * sy;
  q[2] = cr * sp * cy + sr * cp * sy;
  q[3] = cr * cp * sy - sr * sp * cy;
}

void rattle__tensor_turn(const double quat[4], const double T[6], double turned[6]) {
  static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}, row[6] = {0, 1, 2, 0, 0, 1},
                   column[6] = {0, 1, 2, 1, 2, 2};
  double R[3][3], sum[6] = {0};
  rattle__quat_matrix(quat, R);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) sum[i] += R[row[i]][k] * T[entry[k][l]] * R[column[i]][l];
  memcpy(turned, sum, sizeof sum);
}
