/* Triangles as settle needs them: which they are, and their apex as the first. */
#include <math.h>

#include "bonds/solvers.h"

/* Squares of equal sides: lengths that a file or a program computes from coordinates have their
 * round-off. */
static const double same = 1e-13;
/* Bounds for the square of the base, with sides of 1: apex angles of 6 to 160 degrees, between
 * which the plane of the atoms is well known. */
static const double narrow = 0.01, wide = 3.88;

/* The place of local atom or bond `at` of a cluster in the lanes of its shape. */
static long long lane_of(long long cluster, int count, int at, int width) {
  return (cluster / width * count + at) * width + cluster % width;
}

typedef struct triangle {
  int place[3], number[3];
  double inverse_mass[3], square[3];
} triangle;

static triangle read(const rattle__bond_shape *s, long long cluster, int width) {
  const long long own = s->uniform ? cluster % width : cluster;
  triangle t;
  for (int e = 0; e < 3; e++) {
    t.place[e] = s->place[lane_of(cluster, 3, e, width)];
    t.inverse_mass[e] = s->inverse_mass[lane_of(own, 3, e, width)];
    t.square[e] = s->square[lane_of(own, 3, e, width)];
    t.number[e] = s->number[(cluster < s->clusters ? cluster : s->clusters - 1) * 3 + e];
  }
  return t;
}

/* The atom with two equal sides, the others having equal masses; -1: there is none. Bonds are (0,
 * 1), (0, 2), (1, 2): bond k lies opposite atom 2 - k. */
static int apex(const triangle *t) {
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const double side = t->square[2 - b], base = t->square[2 - a] / side;
    if (t->inverse_mass[a] > 0 && t->inverse_mass[b] > 0 &&
        t->inverse_mass[b] == t->inverse_mass[c] && fabs(side - t->square[2 - c]) <= same * side &&
        base > narrow && base < wide)
      return a;
  }
  return -1;
}

int rattle__triangle_family(const double *length, const double *mass) {
  triangle t = {.number = {0}};
  for (int e = 0; e < 3; e++) t.square[e] = length[e] * length[e], t.inverse_mass[e] = 1 / mass[e];
  return apex(&t) < 0 ? RATTLE__BOND_TRIANGLE : RATTLE__BOND_ISOSCELES;
}

static void write(rattle__bond_shape *s, long long cluster, int width, const triangle *t,
                  int first) {
  const int atom[3] = {first, (first + 1) % 3, (first + 2) % 3},
            bond[3] = {2 - atom[2], 2 - atom[1], 2 - atom[0]};
  for (int e = 0; e < 3; e++) {
    s->place[lane_of(cluster, 3, e, width)] = t->place[atom[e]];
    if (cluster < s->clusters) s->number[cluster * 3 + e] = t->number[bond[e]];
    if (s->uniform && cluster >= width) continue;
    s->inverse_mass[lane_of(cluster, 3, e, width)] = t->inverse_mass[atom[e]];
    s->square[lane_of(cluster, 3, e, width)] = t->square[bond[e]];
  }
}

static void turn(rattle__bond_shape *s, int width) {
  const triangle one = read(s, 0, width);
  const int common = apex(&one);
  for (long long c = 0; c < s->groups * width; c++) {
    const triangle t = read(s, c, width);
    write(s, c, width, &t, s->uniform ? common : apex(&t));
  }
}

/* Inverts the matrix c_kl s_k . s_l of the bonds (0, 1), (0, 2), (1, 2), which have their
 * lengths. */
static void invert(const double *square, const double *inverse_mass, size_t stride,
                   double *inverse) {
  const double side[] = {square[0], square[stride], square[2 * stride]},
               by[] = {inverse_mass[0], inverse_mass[stride], inverse_mass[2 * stride]};
  const double aa = (by[0] + by[1]) * side[0], bb = (by[0] + by[2]) * side[1],
               cc = (by[1] + by[2]) * side[2];
  const double ab = by[0] * (side[0] + side[1] - side[2]) / 2,
               ac = by[1] * (side[0] + side[2] - side[1]) / 2,
               bc = by[2] * (side[1] + side[2] - side[0]) / 2;
  const double adjugate[] = {bb * cc - bc * bc, ac * bc - ab * cc, ab * bc - ac * bb,
                             aa * cc - ac * ac, ab * ac - aa * bc, aa * bb - ab * ab};
  const double determinant = aa * adjugate[0] + ab * adjugate[1] + ac * adjugate[2];
  for (int e = 0; e < 6; e++) inverse[e] = adjugate[e] / determinant;
}

int rattle__settle_turn(rattle__bond_shape *s, int width, rattle__arena *arena) {
  const size_t W = (size_t)width, own = s->uniform ? 1 : (size_t)s->groups;
  turn(s, width);
  s->forms = RATTLE__SETTLE_FORM;
  s->form = rattle__arena_doubles(arena, own * RATTLE__SETTLE_FORM * W);
  for (size_t k = 0; k < own * W && s->form; k++) {
    const double *square = s->square + k / W * 3 * W + k % W,
                 *inverse_mass = s->inverse_mass + k / W * 3 * W + k % W;
    const double apex_mass = 1 / inverse_mass[0], other = 1 / inverse_mass[W],
                 half = 0.5 * sqrt(square[2 * W]);
    const double height = sqrt(square[0] - half * half), share = other / (apex_mass + 2 * other),
                 above = 2 * share * height;
    double form[RATTLE__SETTLE_FORM] = {share, above, height - above, half, 1 / above, 0.5 / half};
    invert(square, inverse_mass, W, form + RATTLE__SETTLE_INVERSE);
    for (size_t e = 0; e < RATTLE__SETTLE_FORM; e++)
      s->form[(k / W * RATTLE__SETTLE_FORM + e) * W + k % W] = form[e];
  }
  return s->form != NULL;
}
