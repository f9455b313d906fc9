/* The doctor against textbook problems in canonically transformed coordinates: class, index,
 * degrees of freedom, counts and redundant constraints are those of the problem as it is in the
 * book.
 *
 *     (Q, P) = phi_1(phi_2(... phi_s(a, b)))     a, b: the pairs of the model
 *
 * phi: scales, linear maps of the coordinates (as products of shears and as a matrix), shears in p
 * and in q, rotations in the plane of a pair, quadratic and transcendental point transformations,
 * shifts; constraints are multiplied and combined, H is multiplied. The start is mapped back by the
 * inverses. Rounding makes zero brackets 1e-17 and rank-deficient matrices nearly so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../one_in.h"
#include "rattle/rattle.h"
#include "ground/support/random.h"

enum { MOST = 9, TEXT = 1 << 15 };

typedef struct book {
  const char *name, *model; /* H and g in Q[k], P[k] */
  int n, m;
  double z[2 * MOST]; /* start: Q, P */
  const char *class_;
  int index;
  double dof; /* NaN: not known */
  int first, second, redundant;
} book;

#define K(n) "local K = 0 for k = 1, " #n " do K = K + P[k]^2/2 end\n"
#define ROTATION                                                                                   \
  "local function R(i, j) return Q[3*i + j - 3] end\n" K(                                          \
      9) "hamiltonian(K + Q[1]*0.3 + Q[9])\n"                                                      \
         "for i = 1, 3 do for j = i, 3 do local d = i == j and 1 or 0\n"                           \
         "g('c'..i..j, R(1,i)*R(1,j) + R(2,i)*R(2,j) + R(3,i)*R(3,j) - d)\nend end\n"              \
         "for i = 1, 3 do for j = i, 3 do local d = i == j and 1 or 0\n"                           \
         "g('r'..i..j, R(i,1)*R(j,1) + R(i,2)*R(j,2) + R(i,3)*R(j,3) - d)\nend end\n"

static const book books[] = {
    {"pendulum",
     K(2) "hamiltonian(K + Q[2])\ng('rod', Q[1]^2 + Q[2]^2 - 1)",
     2,
     1,
     {0.6, 0.8, 0.8, -0.6},
     "coisotropic",
     3,
     1,
     0,
     2,
     0},
    {"double pendulum",
     K(4) "hamiltonian(K + 9.81*Q[2] + 9.81*Q[4])\ng('inner', Q[1]^2 + Q[2]^2 - 0.49)\ng('outer', "
          "(Q[1] - Q[3])^2 + (Q[2] - "
          "Q[4])^2 - 0.25)",
     4,
     2,
     {0.7, 0, 1, 0.4, 0, 0.3, 0, 0.3},
     "coisotropic",
     3,
     2,
     0,
     4,
     0},
    {"bead on a curve, H with mixed terms",
     "hamiltonian(P[1]^2/2 + P[2]^2/2.2 + 0.3*Q[1]*P[1]*Q[2] + 0.1*P[1]^2*Q[2]^2 + "
     "Q[2])\ng('wire', Q[2] - 0.7*Q[1]^2)",
     2,
     1,
     {0.5, 0.175, 0.2, 0.1},
     "coisotropic",
     3,
     1,
     0,
     2,
     0},
    {"slider-crank",
     K(4) "hamiltonian(K + Q[2])\ng('crank', Q[1]^2 + Q[2]^2 - 1)\ng('rod', (Q[1] - Q[3])^2 + "
          "(Q[2] - Q[4])^2 - "
          "4)\ng('cylinder', Q[4] - 0.1)",
     4,
     3,
     {0.6, 0.8, 2.473499399679575, 0.1, 0, 0, 0, 0},
     "coisotropic",
     3,
     1,
     0,
     6,
     0},
    {"two that commute",
     K(3) "hamiltonian(K + Q[1]^2 + Q[2]^2/2 + Q[3]^4)\ng('a', 0.1*Q[1] + 0.2*Q[2] - "
          "0.3*Q[3])\ng('P', P[1] + P[2] + P[3])",
     3,
     2,
     {1, 1, 1, 0.3, -0.1, -0.2},
     "coisotropic",
     3,
     1,
     0,
     4,
     0},
    {"sphere in phase space",
     K(2) "hamiltonian(K - 0.9*Q[2])\ng('sphere', Q[1]^2 + Q[2]^2 + P[1]^2 + P[2]^2 - 0.95)",
     2,
     1,
     {0.9, 0.3, 0.1, 0.2},
     "coisotropic",
     3,
     1,
     0,
     2,
     0},
    {"sphere and spin",
     K(3) "hamiltonian(K + Q[1]^2 + Q[2]^4)\nlocal s = -4 for k = 1, 3 do s = s + Q[k]^2 + P[k]^2 "
          "end\ng('sphere', s)\n"
          "g('spin', (1 + Q[1])*(Q[1]*P[2] - Q[2]*P[1] - 1))",
     3,
     2,
     {1, 0, 1, 0.3, 1, 0.953939201416946},
     "coisotropic",
     3,
     1,
     0,
     4,
     0},
    {"index one, embedded",
     "hamiltonian(P[1]^2/2 + Q[2]^2*Q[1]^2/2 + Q[2]^4/4 - Q[2]*P[1])\ng('alpha', P[2])",
     2,
     1,
     {0.4, 0.5, 0.7, 0},
     "coisotropic",
     3,
     1,
     0,
     2,
     0},
    {"two of index one",
     "hamiltonian(P[1]^2/2 + Q[1]^2/2 + (Q[2] - 0.3*Q[1])^2 + 0.1*Q[2]*Q[3] + Q[3]^2 + "
     "0.7*P[1]*Q[3])\ng('a', P[2])\ng('b', "
     "P[3])",
     3,
     2,
     {0.4, 0.5, 0.1, 0.7, 0, 0},
     "coisotropic",
     3,
     1,
     0,
     4,
     0},
    {"index five",
     "hamiltonian(P[1]^2/2 + P[2]*Q[1])\ng('g', Q[2])",
     2,
     1,
     {0, 0, 0, 0},
     "coisotropic",
     5,
     0,
     0,
     4,
     0},
    /* L = (x' - y)^2/2 + z'^2/2 - z^2/2 */
    {"gauge: (x' - y)^2/2",
     "hamiltonian(P[1]^2/2 + P[1]*Q[2] + P[3]^2/2 + Q[3]^2/2)\ng('g', P[2])",
     3,
     1,
     {0.3, 0.2, 0.1, 0, 0, 0.4},
     "first_class",
     -1,
     1,
     2,
     0,
     0},
    {"H constant on the fibre",
     "hamiltonian(P[1]^2/2 + Q[1]^4)\ng('g', Q[2])",
     2,
     1,
     {0.3, 0, 1, 0.2},
     "first_class",
     -1,
     1,
     1,
     0,
     0},
    {"parametrised particle",
     "hamiltonian(0*Q[1])\ng('g', P[2] + P[1]^2/2)",
     2,
     1,
     {0.3, 0.1, 1, -0.5},
     "first_class",
     -1,
     1,
     1,
     0,
     0},
    {"Christ-Lee",
     "hamiltonian((P[1]^2 + P[2]^2)/2 + Q[3]*(Q[1]*P[2] - Q[2]*P[1]) + (Q[1]^2 + "
     "Q[2]^2)^2/4)\ng('g', P[3])",
     3,
     1,
     {0.8, 0.6, 0.7, 0.4, 0.3, 0},
     "first_class",
     -1,
     1,
     2,
     0,
     0},
    /* sites 1, 2, 3 on a ring: A_k = Q[k], E_k = P[k], potentials Q[3+k]; two independent Gauss
     * laws */
    {"electrodynamics on a ring",
     "local H = 0\nfor k = 1, 3 do local l = k % 3 + 1 H = H + P[k]^2/2 + Q[3+k]*(P[l] - P[k]) "
     "end\n"
     "hamiltonian(H)\nfor k = 1, 3 do g('pi'..k, P[3+k]) end",
     6,
     3,
     {0.3, 0.2, 0.1, 0.5, 0.4, -0.3, 0.7, 0.7, 0.7, 0, 0, 0},
     "first_class",
     -1,
     1,
     5,
     0,
     0},
    {"Cawley",
     "hamiltonian(P[1]*P[3] - Q[2]*Q[3]^2/2)\ng('g', P[2])",
     3,
     1,
     {1, 0.5, 0, 0, 0, 0.3},
     "first_class",
     -1,
     0,
     3,
     0,
     0},
    {"quaternions without a radial term",
     "local a, b, c, d = Q[1], Q[2], Q[3], Q[4]\nlocal A, B, C, D = P[1], P[2], P[3], P[4]\n"
     "local L1, L2, L3 = (a*B - b*A + d*C - c*D)/2, (a*C - d*B - c*A + b*D)/2, (a*D + c*B - b*C - "
     "d*A)/2\n"
     "hamiltonian(L1^2/2/1.1 + L2^2/2/0.7 + L3^2/2/0.3 + a*b + c*d)\ng('unit', a^2 + b^2 + c^2 + "
     "d^2 - 1)",
     4,
     1,
     {0.5, -0.1, 0.7, 0.5, 0.4, 0.3, -0.5, 0.2},
     "first_class",
     -1,
     3,
     1,
     0,
     0},
    {"a pair of conjugates",
     K(3) "hamiltonian(K + Q[2]^2)\ng('a', Q[1])\ng('b', P[1])",
     3,
     2,
     {0, 1, 0.3, 0, 0.4, 1},
     "second_class",
     2,
     2,
     0,
     2,
     0},
    {"charge in a strong magnetic field",
     "hamiltonian(Q[1]^2/2 + Q[2]^2/3 + Q[1]^4 + P[3]^2/2)\ng('a', P[1] + Q[2]/2)\ng('b', P[2] - "
     "Q[1]/2)",
     3,
     2,
     {1, 0.2, 0, -0.1, 0.5, 1},
     "second_class",
     2,
     2,
     0,
     2,
     0},
    {"pendulum with its rate",
     K(3) "hamiltonian(K + Q[2])\ng('rod', Q[1]^2 + Q[2]^2 - 1)\ng('rate', Q[1]*P[1] + Q[2]*P[2])",
     3,
     2,
     {0.6, 0.8, 0.1, 0.8, -0.6, 0.2},
     "second_class",
     2,
     2,
     0,
     2,
     0},
    {"conjugates and a rail",
     K(4) "hamiltonian(K + Q[2]^2 + Q[3])\ng('a', Q[1])\ng('b', P[1])\ng('c', Q[2] - 0.7*Q[3])",
     4,
     3,
     {0, 0.7, 1, 1, 0, 1, -1, 0.1},
     "mixed",
     3,
     2,
     0,
     4,
     0},
    {"conjugates and a gauge freedom",
     "hamiltonian((P[1]^2 + P[3]^2)/2 + Q[3]^2)\ng('a', Q[1])\ng('b', P[1])\ng('c', Q[2])",
     4,
     3,
     {0, 0, 0.3, 0.2, 0, 0.6, 1, 0.5},
     "mixed",
     -1,
     2,
     1,
     2,
     0},
    {"R'R = 1 and RR' = 1 at the identity",
     ROTATION,
     9,
     12,
     {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.3, -0.2, 0, 0.1, -0.3, -0.1, 0},
     "coisotropic",
     3,
     3,
     0,
     12,
     6},
    {"R'R = 1 and RR' = 1 at a rotation",
     ROTATION,
     9,
     12,
     {0.6, 0.48, 0.64, -0.8, 0.36, 0.48, 0, -0.8, 0.6, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "coisotropic",
     3,
     3,
     0,
     12,
     6},
    {"parallelogram with a redundant crank",
     K(6) "hamiltonian(K + Q[2])\ng('crank1', Q[1]^2 + Q[2]^2 - 1)\ng('crank2', (Q[3] - 2)^2 + "
          "Q[4]^2 - 1)\n"
          "g('coupler', (Q[1] - Q[3])^2 + (Q[2] - Q[4])^2 - 4)\ng('mx', Q[5] - (Q[1] + "
          "Q[3])/2)\ng('my', Q[6] - (Q[2] + "
          "Q[4])/2)\n"
          "g('crank3', (Q[5] - 1)^2 + Q[6]^2 - 1)",
     6,
     6,
     {0.6, 0.8, 2.6, 0.8, 1.6, 0.8, 0, 0, 0, 0, 0, 0},
     "coisotropic",
     3,
     1,
     0,
     10,
     1},
    {"a sum of two others",
     K(3) "hamiltonian(K + Q[3]^2)\ng('a', 0.1*Q[1] + 0.7*Q[2] - 0.3)\ng('b', 0.3*Q[1] - 0.2*Q[2] "
          "+ Q[3] - 0.9)\n"
          "g('c', 0.7*Q[1] + 0.76*Q[2] + 1.8*Q[3] - 2.1)",
     3,
     3,
     {0.5, 0.35714285714285715, 0.8214285714285714, 0, 0, 0},
     "coisotropic",
     3,
     1,
     0,
     4,
     1},
    {"two values of one function",
     K(3) "hamiltonian(K)\ng('a', 0.1*Q[1] + 0.2*Q[2] - 0.3)\ng('b', 0.1*Q[1] + 0.2*Q[2] - 0.4)",
     3,
     2,
     {1, 1, 0.3, 0, 0, 0},
     "inconsistent",
     -1,
     NAN,
     -1,
     -1,
     0},
    {"a force against the constraint",
     "hamiltonian(P[2]^2/2 - 0.3*Q[1])\ng('g', P[1])",
     2,
     1,
     {1, 0.2, 0, 0.4},
     "inconsistent",
     -1,
     NAN,
     -1,
     -1,
     0},
};
enum { BOOKS = sizeof books / sizeof *books };

/* --- transformations -------------------------------------------------------------------------- */

typedef struct writer {
  char text[TEXT];
  size_t used;
  double z[2 * MOST]; /* the start in the coordinates of the text so far */
  double unit[MOST];  /* the length in which each Q is measured */
  int n;
  uint64_t random;
} writer;

static double draw(writer *w) { /* [-1, 1) */
  return rattle__random_signed(&w->random);
}

static int pick(writer *w, int count) {
  int k = (int)((draw(w) + 1) / 2 * count);
  return k < count ? k : count - 1;
}

/* A number of one to four decimals, or an irrational one, not small. */
static double coefficient(writer *w) {
  double x = 0.2 + 0.65 * (draw(w) + 1), digits = pow(10, 1 + pick(w, 4));
  if (pick(w, 3)) x = round(x * digits) / digits;
  return draw(w) < 0 ? -x : x;
}

__attribute__((format(printf, 2, 3))) static void add(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  w->used += (size_t)vsnprintf(w->text + w->used, TEXT - w->used, format, arguments);
  va_end(arguments);
  if (w->used >= TEXT) fail_msg("the model is too long");
}

/* Two different pairs. */
static void two(writer *w, int *i, int *j) {
  *i = pick(w, w->n);
  *j = (*i + 1 + pick(w, w->n - 1)) % w->n;
}

/* Each writes (Q,P) <- phi(Q,P), and maps the start back. */
static void shear(writer *w) { /* P += c Q */
  int i, j;
  double c = coefficient(w), *q = w->z, *p = w->z + w->n;
  two(w, &i, &j);
  add(w, "P[%d], P[%d] = P[%d] + %.17g*Q[%d], P[%d] + %.17g*Q[%d]\n", i + 1, j + 1, i + 1, c, j + 1,
      j + 1, c, i + 1);
  p[i] -= c * q[j];
  p[j] -= c * q[i];
}
static void coshear(writer *w) { /* Q += c P */
  int i = pick(w, w->n);
  double c = coefficient(w);
  add(w, "Q[%d] = Q[%d] + %.17g*P[%d]\n", i + 1, i + 1, c, i + 1);
  w->z[i] -= c * w->z[w->n + i];
}
static void linear(writer *w) { /* Q <- A Q, P <- A^-T P, A = 1 + c e_i e_j^T */
  int i, j;
  double c = coefficient(w), *q = w->z, *p = w->z + w->n;
  two(w, &i, &j);
  add(w, "Q[%d], P[%d] = Q[%d] + %.17g*Q[%d], P[%d] - %.17g*P[%d]\n", i + 1, j + 1, i + 1, c, j + 1,
      j + 1, c, i + 1);
  q[i] -= c * q[j];
  p[j] += c * p[i];
}
static void rotate(writer *w) { /* in the plane of a pair */
  int i = pick(w, w->n);
  double a = coefficient(w), c = cos(a), s = sin(a), *q = &w->z[i], *p = &w->z[w->n + i], old = *q;
  add(w, "Q[%d], P[%d] = %.17g*Q[%d] + %.17g*P[%d], %.17g*P[%d] - %.17g*Q[%d]\n", i + 1, i + 1, c,
      i + 1, s, i + 1, c, i + 1, s, i + 1);
  *q = c * *q - s * *p;
  *p = c * *p + s * old;
}
static void
matrix(writer *w) { /* Q <- A Q, P <- A^-T P with a rotation by a times a stretch, as numbers */
  int i, j;
  double a = coefficient(w), r = 1 + 0.3 * draw(w), *q = w->z, *p = w->z + w->n;
  two(w, &i, &j);
  double A[4] = {r * cos(a), -sin(a), r * sin(a), cos(a)}, det = A[0] * A[3] - A[1] * A[2];
  double B[4] = {A[3] / det, -A[2] / det, -A[1] / det, A[0] / det};
  add(w, "Q[%d], Q[%d] = %.17g*Q[%d] + %.17g*Q[%d], %.17g*Q[%d] + %.17g*Q[%d]\n", i + 1, j + 1,
      A[0], i + 1, A[1], j + 1, A[2], i + 1, A[3], j + 1);
  add(w, "P[%d], P[%d] = %.17g*P[%d] + %.17g*P[%d], %.17g*P[%d] + %.17g*P[%d]\n", i + 1, j + 1,
      B[0], i + 1, B[1], j + 1, B[2], i + 1, B[3], j + 1);
  double x = B[0] * q[i] + B[2] * q[j], y = B[1] * q[i] + B[3] * q[j];
  q[i] = x, q[j] = y;
  x = A[0] * p[i] + A[2] * p[j], y = A[1] * p[i] + A[3] * p[j];
  p[i] = x, p[j] = y;
}
static void bend(writer *w) { /* Q_i += c Q_j^2 */
  int i, j;
  double c = 0.3 * coefficient(w), *q = w->z, *p = w->z + w->n;
  two(w, &i, &j);
  add(w, "Q[%d], P[%d] = Q[%d] + %.17g*Q[%d]^2, P[%d] - %.17g*Q[%d]*P[%d]\n", i + 1, j + 1, i + 1,
      c, j + 1, j + 1, 2 * c, j + 1, i + 1);
  q[i] -= c * q[j] * q[j];
  p[j] += 2 * c * q[j] * p[i];
}
static void twist(writer *w) { /* P += f', f = c Q_i^2 Q_j */
  int i, j;
  double c = 0.3 * coefficient(w), *q = w->z, *p = w->z + w->n;
  two(w, &i, &j);
  add(w, "P[%d], P[%d] = P[%d] + %.17g*Q[%d]*Q[%d], P[%d] + %.17g*Q[%d]^2\n", i + 1, j + 1, i + 1,
      2 * c, i + 1, j + 1, j + 1, c, i + 1);
  p[i] -= 2 * c * q[i] * q[j];
  p[j] -= c * q[i] * q[i];
}
static void wave(writer *w) { /* Q_i += c sin(Q_j) */
  int i, j;
  double c = 0.4 * coefficient(w), *q = w->z, *p = w->z + w->n;
  two(w, &i, &j);
  add(w, "Q[%d], P[%d] = Q[%d] + %.17g*sin(Q[%d]), P[%d] - %.17g*cos(Q[%d])*P[%d]\n", i + 1, j + 1,
      i + 1, c, j + 1, j + 1, c, j + 1, i + 1);
  q[i] -= c * sin(q[j]);
  p[j] += c * cos(q[j]) * p[i];
}
static void hyperbola(writer *w) { /* Q = sinh a, P = b / cosh a */
  int i = pick(w, w->n);
  double *q = &w->z[i], *p = &w->z[w->n + i];
  add(w, "Q[%d], P[%d] = sinh(Q[%d]), P[%d]/cosh(Q[%d])\n", i + 1, i + 1, i + 1, i + 1, i + 1);
  *q = asinh(*q);
  *p *= cosh(*q);
}
static void shift(writer *w) {
  int i = pick(w, w->n);
  double c = (pick(w, 2) ? 1000 : 1) * w->unit[i] * coefficient(w);
  add(w, "Q[%d] = Q[%d] - %.17g\n", i + 1, i + 1, c);
  w->z[i] += c;
}
static void unit(writer *w) { /* one unit of length for all */
  double c = pow(10, 9 * draw(w));
  add(w, "for k = 1, %d do Q[k], P[k] = %.17g*Q[k], P[k]/%.17g end\n", w->n, c, c);
  for (int k = 0; k < w->n; k++) w->z[k] /= c, w->z[w->n + k] *= c, w->unit[k] /= c;
}
static void units(writer *w) { /* one for each pair */
  for (int k = 0; k < w->n; k++) {
    double c = pow(10, 3 * draw(w));
    add(w, "Q[%d], P[%d] = %.17g*Q[%d], P[%d]/%.17g\n", k + 1, k + 1, c, k + 1, k + 1, c);
    w->z[k] /= c, w->z[w->n + k] *= c, w->unit[k] /= c;
  }
}

typedef void (*map)(writer *);
static const map kinds[] = {shear, coshear, linear, rotate, matrix, bend, twist, wave, hyperbola};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The maps are composed from the inside: the last one written is the first that the problem's Q, P
 * pass; so the start, which is that of the book, is mapped back in the order of writing from the
 * end. The text is therefore written in reverse. */
static void write_model(writer *w, const book *b, int round) {
  char *step[16];
  int steps = 0;
  *w = (writer){.n = b->n, .random = (uint64_t)round * 1000003 + (uint64_t)(b - books)};
  memcpy(w->z, b->z, sizeof w->z);
  for (int k = 0; k < MOST; k++) w->unit[k] = 1;
  int many = 1 + pick(w, 4);
  for (int s = 0; s < many + 2; s++) {
    w->used = 0;
    if (s < many)
      kinds[pick(w, KINDS)](w);
    else if (s == many && pick(w, 2))
      (pick(w, 3) ? unit : units)(w);
    else if (s > many && !pick(w, 3))
      shift(w);
    else
      continue;
    step[steps++] = strdup(w->text);
  }
  double scale = pick(w, 2) ? 1 : pow(10, 6 * draw(w)),
         energy = pick(w, 2) ? 1 : pow(10, 6 * draw(w));
  w->used = 0;
  add(w, "local Q, P, g, hamiltonian_ = {}, {}\nfor k = 1, %d do Q[k], P[k] = pair('a'..k) end\n",
      b->n);
  for (int k = 0; k < b->n; k++)
    add(w, "start { a%d = %.17g, pa%d = %.17g }\n", k + 1, w->z[k], k + 1, w->z[b->n + k]);
  while (steps > 0) {
    add(w, "%s", step[--steps]);
    free(step[steps]);
  }
  add(w, "local function hamiltonian(H) _ENV.hamiltonian(%.17g*H) end\n", energy);
  add(w, "local function g(name, e) constrain(name, %.17g*e) end\n%s\n", scale, b->model);
}

/* --- judging ---------------------------------------------------------------------------------- */

static int judge(const book *b, int round) {
  static writer w;
  rattle_model *model;
  rattle_doctor *doctor;
  rattle_error error = {0};
  rattle_doctor_options options = {.seed = (uint64_t)round, .no_trial = 1};
  write_model(&w, b, round);
  if (rattle_model_parse(&model, w.text, "model", NULL, &error))
    fail_msg("%s\n%s", error.message, w.text);
  if (rattle_doctor_create(&doctor, model, NULL, &options, &error))
    fail_msg("%s\n%s", error.message, w.text);
  const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
  int right = !strcmp(d->class_, b->class_) && d->index == b->index &&
              (d->dof == b->dof || (isnan(d->dof) && isnan(b->dof))) &&
              d->first_class_count == b->first && d->second_class_count == b->second &&
              d->redundants == b->redundant;
  if (!right)
    print_error("%s, round %d: %s, index %d, dof %g, first %d, second %d, redundant %d: %s\n%s\n",
                b->name, round, d->class_, d->index, d->dof, d->first_class_count,
                d->second_class_count, d->redundants, d->refused ? d->refused : "", w.text);
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
  return right;
}

static int rounds = 12 / TESTS_ONE_IN, from = 0;

static void test_transformed(void **unused) {
  (void)unused;
  int wrong = 0;
  for (int b = 0; b < BOOKS; b++)
    for (int r = from; r < from + rounds; r++) wrong += !judge(&books[b], r);
  if (wrong) fail_msg("%d of %d problems were misjudged", wrong, rounds * BOOKS);
}

/* With arguments: how many rounds of all problems, and the first. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_transformed)};
  if (argc > 1) rounds = atoi(argv[1]);
  if (argc > 2) from = atoi(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
