/* Triangles as settle and line need them: which they are, and their apex, or the atom in the middle, as the first. */
#include <math.h>

#include "bonds/solvers.h"

/* Relative; lengths of one topology are mostly typed with some digits. */
static const double same = 1e-12;

static int equal(double a, double b) {
  return fabs(a - b) <= same * fabs(a);
}

/* Where local atom or bond `at` of a cluster is among those of its shape's lanes. */
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

/* Bonds are (0, 1), (0, 2), (1, 2): bond k lies opposite atom 2 - k. */
static int apex(const triangle *t) {
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    if (t->inverse_mass[a] > 0 && t->inverse_mass[b] > 0 && equal(t->inverse_mass[b], t->inverse_mass[c]) &&
        equal(t->square[2 - b], t->square[2 - c]) && t->square[2 - a] < 4 * t->square[2 - b] * (1 - same))
      return a;
  }
  return -1;
}

/* The atom in the middle of a line. */
static int middle(const triangle *t) {
  for (int a = 0; a < 2; a++)
    if (t->square[2 - a] > t->square[(4 - a) % 3] && t->square[2 - a] > t->square[(3 - a) % 3]) return a;
  return 2;
}

static void write(rattle__bond_shape *s, long long cluster, int width, const triangle *t, int first) {
  const int atom[3] = {first, (first + 1) % 3, (first + 2) % 3}, bond[3] = {2 - atom[2], 2 - atom[1], 2 - atom[0]};
  for (int e = 0; e < 3; e++) {
    s->place[lane_of(cluster, 3, e, width)] = t->place[atom[e]];
    if (cluster < s->clusters) s->number[cluster * 3 + e] = t->number[bond[e]];
    if (s->uniform && cluster >= width) continue;
    s->inverse_mass[lane_of(cluster, 3, e, width)] = t->inverse_mass[atom[e]];
    s->square[lane_of(cluster, 3, e, width)] = t->square[bond[e]];
  }
}

static void turn(rattle__bond_shape *s, int width, int (*first)(const triangle *)) {
  const triangle one = read(s, 0, width);
  const int common = first(&one);
  for (long long c = 0; c < s->groups * width; c++) {
    const triangle t = read(s, c, width);
    write(s, c, width, &t, s->uniform ? common : first(&t));
  }
}

long long rattle__settle_turn(rattle__bond_shape *s, int width) {
  if (s->family != RATTLE__BOND_TRIANGLE) return 0;
  for (long long c = 0; c < (s->uniform ? 1 : s->clusters); c++) {
    const triangle t = read(s, c, width);
    if (apex(&t) < 0) return c;
  }
  turn(s, width, apex);
  return -1;
}

long long rattle__line_turn(rattle__bond_shape *s, int width) {
  if (s->family != RATTLE__BOND_LINE) return 0;
  turn(s, width, middle);
  return -1;
}

double rattle__line_excess(const double *length) {
  const double most = fmax(length[0], fmax(length[1], length[2]));
  return 2 - (length[0] + length[1] + length[2]) / most;
}
