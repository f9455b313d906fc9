#ifndef RATTLE__FRAMES_H
#define RATTLE__FRAMES_H
/* Frames in frames: places and unit quaternions (w, x, y, z); tensors (xx, yy, zz, xy, xz, yz). */

typedef struct rattle__pose {
  double at[3], quat[4];
} rattle__pose;

void rattle__quat_times(const double a[4], const double b[4], double product[4]);
void rattle__quat_turn(const double q[4], const double v[3], double turned[3]);
void rattle__quat_matrix(const double q[4], double R[3][3]);
/* The shortest turn that takes z to the direction v, of any length but 0. */
void rattle__quat_from_z(const double v[3], double q[4]);
/* Roll, pitch and yaw about the fixed axes x, y and z, in this order. */
void rattle__quat_from_rpy(const double rpy[3], double q[4]);
int rattle__quat_unit(double q[4]); /* 0 if q has no direction */
/* b, given in the frame a, in the frame of a. */
rattle__pose rattle__pose_in(const rattle__pose *a, const rattle__pose *b);
/* b as a sees it, both given in one frame. */
rattle__pose rattle__pose_seen(const rattle__pose *a, const rattle__pose *b);
/* R T R^T of a symmetric T. */
void rattle__tensor_turn(const double quat[4], const double T[6], double turned[6]);
#endif
