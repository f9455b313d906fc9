#ifndef RATTLE__VECTORS_H
#define RATTLE__VECTORS_H
/* Vectors of three and matrices of three by three, whose rows are vectors. d^ is the matrix of the
 * cross product: d^ v = d x v. */
#include <math.h>

typedef struct vec {
  double x, y, z;
} vec;

typedef struct mat {
  vec a, b, c;
} mat;

static inline vec vec_of(double x, double y, double z) {
  return (vec){x, y, z};
}

static inline vec plus(vec a, vec b) {
  return vec_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec minus(vec a, vec b) {
  return vec_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec times(double s, vec a) {
  return vec_of(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static inline vec more(vec a, double s, vec b) {
  return vec_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double dot(vec a, vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec cross(vec a, vec b) {
  return vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* The sum of the sizes of its components. */
static inline double extent(vec a) {
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* A v, and A^T v. */
static inline vec mat_vec(mat A, vec v) {
  return vec_of(dot(A.a, v), dot(A.b, v), dot(A.c, v));
}

static inline vec transposed_vec(mat A, vec v) {
  return more(more(times(v.x, A.a), v.y, A.b), v.z, A.c);
}

static inline mat mat_plus(mat A, mat B) {
  return (mat){plus(A.a, B.a), plus(A.b, B.b), plus(A.c, B.c)};
}

static inline mat mat_minus(mat A, mat B) {
  return (mat){minus(A.a, B.a), minus(A.b, B.b), minus(A.c, B.c)};
}

static inline mat mat_times(double s, mat A) {
  return (mat){times(s, A.a), times(s, A.b), times(s, A.c)};
}

static inline mat mat_mat(mat A, mat B) {
  return (mat){transposed_vec(B, A.a), transposed_vec(B, A.b), transposed_vec(B, A.c)};
}

/* s 1 */
static inline mat diagonal(double s) {
  return (mat){{s, 0, 0}, {0, s, 0}, {0, 0, s}};
}

/* d^, A d^ and d^ A */
static inline mat hat(vec d) {
  return (mat){{0, -d.z, d.y}, {d.z, 0, -d.x}, {-d.y, d.x, 0}};
}

static inline mat mat_hat(mat A, vec d) {
  return (mat){cross(A.a, d), cross(A.b, d), cross(A.c, d)};
}

static inline mat hat_mat(vec d, mat A) {
  return (mat){more(times(d.y, A.c), -d.z, A.b), more(times(d.z, A.a), -d.x, A.c),
               more(times(d.x, A.b), -d.y, A.a)};
}

/* A - u v^T */
static inline mat less_outer(mat A, vec u, vec v) {
  return (mat){more(A.a, -u.x, v), more(A.b, -u.y, v), more(A.c, -u.z, v)};
}

/* A^-1, and det A. */
static inline mat inverse(mat A, double *determinant) {
  const vec p = cross(A.b, A.c), q = cross(A.c, A.a), r = cross(A.a, A.b);
  *determinant = dot(A.a, p);
  return mat_times(1 / *determinant, (mat){{p.x, q.x, r.x}, {p.y, q.y, r.y}, {p.z, q.z, r.z}});
}

/* (W - 1) r of the rotation W by the unit quaternion (s, u). */
static inline vec turned(double s, vec u, vec r) {
  const vec t = cross(u, r);
  return times(2, more(cross(u, t), s, t));
}
#endif
