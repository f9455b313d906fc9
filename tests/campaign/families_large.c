/* Mechanisms with more than twelve constraints, for which the library has maps of their own: chains
 * and rings of links, trees of links, molecules, rigid bodies joined to trees, with and without
 * loops. */
#include <math.h>

#include "workshop.h"

/* |D N^-1 D| of long chains is larger than that of few links: its square grows with them. */
static const double margin = 1e-4;

/* Begins a problem of points in d dimensions, x1 y1 ...; bodies: of twelve coordinates each. */
static void begin(problem *pr, randoms *r, int points, int d) {
  char names[8 * PAIRS];
  int length = 0;
  for (int i = 0; i < points; i++)
    for (int k = 0; k < d; k++)
      length += snprintf(names + length, sizeof names - (size_t)length, "%s%c%d", length ? " " : "",
                         d == 12 ? "xyzabcdefuvw"[k] : "xyz"[k], i + 1);
  draw_units(pr, r);
  problem_begin(pr, r, points * d, names);
  for (int k = 0; k < pr->n; k++) pr->mass[k] = pr->mass[k / d * d];
}

/* Columns of a rotation. */
static void draw_rotation(randoms *r, double R[3][3]) {
  double u[3], v[3], along = 0, square = 0;
  draw_direction(r, 3, u);
  draw_direction(r, 3, v);
  for (int k = 0; k < 3; k++) along += u[k] * v[k];
  for (int k = 0; k < 3; k++) v[k] -= along * u[k], square += v[k] * v[k];
  for (int k = 0; k < 3; k++) R[0][k] = u[k], R[1][k] = v[k] / sqrt(square);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    R[2][k] = R[0][i] * R[1][j] - R[0][j] * R[1][i];
  }
}

static place point(problem *pr, int i, int d) {
  return place_of(pr, i * d, d);
}

/* The first bond says how all are written, mostly: the library recognises squares. */
static void bond(problem *pr, randoms *r, place a, place b, double distance) {
  const int squares = pr->m ? pr->distances == pr->m : random_chance(r, 0.8);
  char name[32];
  snprintf(name, sizeof name, "bond %d", pr->m + 1);
  constrain_distance(pr, name, a, b, distance * pr->unit.length, squares ? 0 : draw_form(r));
}

/* Points [count][d] in units of length, each at the end of a link from its parent, -1: from the
 * origin. */
static void draw_points(problem *pr, randoms *r, int count, int d, const int *parent, double *x) {
  double origin[3], anchor[3], u[3];
  draw_origin(r, d, origin);
  for (int k = 0; k < d; k++) anchor[k] = pr->unit.length * origin[k];
  for (int i = 0; i < count; i++) {
    const double *from = parent[i] < 0 ? origin : x + parent[i] * d;
    draw_direction(r, d, u);
    const double length = random_between(r, 0.4, 1.5);
    for (int k = 0; k < d; k++) {
      x[i * d + k] = from[k] + length * u[k];
      pr->q[i * d + k] = pr->unit.length * x[i * d + k];
    }
    bond(pr, r, point(pr, i, d),
         parent[i] < 0 ? place_fixed(pr, d, anchor) : point(pr, parent[i], d), length);
  }
}

/* Weight, at times a potential; momenta, run. */
static int finish(problem *pr, randoms *r, int d) {
  add_gravity(pr, random_between(r, 0.3, 2), d - 1, d);
  if (random_chance(r, 0.3)) add_potential(pr, r, 0.5);
  return problem_finish(pr, r, margin);
}

enum { LINKS = 16, MOST_LINKS = CONSTRAINTS };

/* A chain of 13 to 16 links from an anchor. */
static int long_chain(problem *pr, randoms *r) {
  const int d = 2 + random_chance(r, 0.3), count = 13 + random_below(r, LINKS - 12);
  int parent[LINKS];
  double x[3 * LINKS];
  begin(pr, r, count, d);
  for (int i = 0; i < count; i++) parent[i] = i - 1;
  draw_points(pr, r, count, d, parent, x);
  return finish(pr, r, d);
}

/* A ring of so many links that floats: near a polygon. */
static int polygon(problem *pr, randoms *r, int count, int d) {
  double origin[3], x[2 * MOST_LINKS] = {0};
  begin(pr, r, count, d);
  draw_origin(r, d, origin);
  for (int i = 0; i < count; i++) {
    const double angle = 2 * acos(-1) * i / count;
    x[i * d] = count / 6.0 * cos(angle);
    x[i * d + 1] = count / 6.0 * sin(angle);
    for (int k = 0; k < d; k++) {
      x[i * d + k] += origin[k] + 0.2 * random_normal(r);
      pr->q[i * d + k] = pr->unit.length * x[i * d + k];
    }
  }
  for (int i = 0; i < count; i++) {
    const int j = (i + 1) % count;
    double square = 0;
    for (int k = 0; k < d; k++) square += pow(x[i * d + k] - x[j * d + k], 2);
    if (square < 0.01) return 0;
    bond(pr, r, point(pr, i, d), point(pr, j, d), sqrt(square));
  }
  return finish(pr, r, d);
}

static int ring(problem *pr, randoms *r) {
  const int d = 2 + random_chance(r, 0.3);
  return polygon(pr, r, 13 + random_below(r, LINKS - 12), d);
}

/* 64 links in the plane, from an anchor or in a ring: the library takes them in its vectors. */
static int many_links(problem *pr, randoms *r) {
  int parent[MOST_LINKS];
  double x[2 * MOST_LINKS];
  if (random_chance(r, 0.3)) return polygon(pr, r, MOST_LINKS, 2);
  begin(pr, r, MOST_LINKS, 2);
  for (int i = 0; i < MOST_LINKS; i++) parent[i] = i - 1;
  draw_points(pr, r, MOST_LINKS, 2, parent, x);
  return finish(pr, r, 2);
}

/* A tree of 13 to 16 links from an anchor. */
static int tree(problem *pr, randoms *r) {
  const int d = 2 + random_chance(r, 0.3), count = 13 + random_below(r, LINKS - 12);
  int parent[LINKS];
  double x[3 * LINKS];
  begin(pr, r, count, d);
  for (int i = 0; i < count; i++)
    parent[i] = i == 0 ? -1 : random_chance(r, 0.5) ? i - 1 : random_below(r, i);
  draw_points(pr, r, count, d, parent, x);
  return finish(pr, r, d);
}

enum { MOLECULES = 6, ATOMS = 4 };

/* Six molecules of four atoms, all six distances of which are held: of one shape, as the library
 * takes them, or of two. */
static int molecules(problem *pr, randoms *r) {
  const int shapes = random_chance(r, 0.8) ? 1 : 2;
  double shape[2][ATOMS][3], mass[2][ATOMS], origin[3];
  begin(pr, r, MOLECULES * ATOMS, 3);
  draw_origin(r, 3, origin);
  for (int of = 0; of < 2; of++)
    for (int i = 0; i < ATOMS; i++) {
      mass[of][i] = pr->mass[3 * i];
      for (int k = 0; k < 3; k++) shape[of][i][k] = random_normal(r);
    }
  for (int at = 0; at < MOLECULES; at++) {
    const int of = at % shapes;
    double R[3][3], centre[3];
    draw_rotation(r, R);
    for (int k = 0; k < 3; k++) centre[k] = origin[k] + 3 * random_normal(r);
    for (int i = 0; i < ATOMS; i++)
      for (int k = 0; k < 3; k++) {
        double x = centre[k];
        for (int j = 0; j < 3; j++) x += R[j][k] * shape[of][i][j];
        pr->q[3 * (ATOMS * at + i) + k] = pr->unit.length * x;
        pr->mass[3 * (ATOMS * at + i) + k] = mass[of][i];
      }
    for (int i = 0; i < ATOMS; i++)
      for (int j = 0; j < i; j++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += pow(shape[of][i][k] - shape[of][j][k], 2);
        if (square < 0.1) return 0;
        bond(pr, r, point(pr, ATOMS * at + i, 3), point(pr, ATOMS * at + j, 3), sqrt(square));
      }
  }
  return finish(pr, r, 3);
}

/* ---- rigid bodies: coordinates x and the columns of R ---- */

enum { BODIES = 2, BODY = 12 };

/* Component k of R a, or of x + R a, of the body: a node; -1: of the ground. */
static int component(problem *pr, int body, int k, int with_x, const double *a) {
  formula *f = &pr->f;
  if (body < 0) return f_constant(f, a[k]);
  int sum = with_x ? f_variable(f, BODY * body + k) : -1;
  for (int j = 0; j < 3; j++) {
    if (a[j] == 0) continue;
    const int term = f_times(f, a[j], f_variable(f, BODY * body + 3 + 3 * j + k));
    sum = sum < 0 ? term : f_add(f, sum, term);
  }
  return sum;
}

static double value(const problem *pr, int body, int k, int with_x, const double *a) {
  if (body < 0) return a[k];
  double sum = with_x ? pr->q[BODY * body + k] : 0;
  for (int j = 0; j < 3; j++) sum += a[j] * pr->q[BODY * body + 3 + 3 * j + k];
  return sum;
}

static formula_sum *row(problem *pr, const char *kind, int body, int k) {
  char name[32];
  snprintf(name, sizeof name, "%s %d.%d", kind, body + 1, k + 1);
  return problem_constrain(pr, name);
}

/* Point a of the body at point b of the other one, which is wherever that is. */
static void pin(problem *pr, const char *kind, int body, const double *a, int other) {
  double b[3], at[3];
  for (int k = 0; k < 3; k++) at[k] = value(pr, body, k, 1, a);
  for (int j = 0; j < 3; j++) {
    b[j] = other < 0 ? at[j] : 0;
    for (int k = 0; k < 3 && other >= 0; k++)
      b[j] += (at[k] - pr->q[BODY * other + k]) * pr->q[BODY * other + 3 + 3 * j + k];
  }
  for (int k = 0; k < 3; k++) {
    formula_sum *g = row(pr, kind, body, k);
    f_term(g, f_sub(&pr->f, component(pr, body, k, 1, a), component(pr, other, k, 1, b)));
  }
}

/* The first axis of the body is at right angles with two of the other one's that are so now. */
static void align(problem *pr, int body, int other) {
  static const double first[] = {1, 0, 0};
  double w[3], u[2][3];
  for (int j = 0; j < 3; j++) { /* the axis as the other body has it */
    w[j] = other < 0 ? value(pr, body, j, 0, first) : 0;
    for (int k = 0; k < 3 && other >= 0; k++)
      w[j] += value(pr, body, k, 0, first) * pr->q[BODY * other + 3 + 3 * j + k];
  }
  const int least = fabs(w[0]) < fabs(w[1]) ? (fabs(w[0]) < fabs(w[2]) ? 0 : 2)
                                            : (fabs(w[1]) < fabs(w[2]) ? 1 : 2);
  double size = 0;
  for (int k = 0; k < 3; k++) u[0][k] = (k == least) - w[least] * w[k], size += u[0][k] * u[0][k];
  for (int k = 0; k < 3; k++) u[0][k] /= sqrt(size);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    u[1][k] = w[i] * u[0][j] - w[j] * u[0][i];
  }
  for (int way = 0; way < 2; way++) {
    formula_sum *g = row(pr, "axis", body, way);
    for (int k = 0; k < 3; k++)
      f_term(g,
             f_mul(&pr->f, component(pr, body, k, 0, first), component(pr, other, k, 0, u[way])));
  }
}

static void put_body(problem *pr, randoms *r, int body, const double *centre) {
  double R[3][3];
  draw_rotation(r, R);
  const double heavy = pr->mass[BODY * body];
  for (int k = 0; k < 3; k++) {
    pr->q[BODY * body + k] = centre[k];
    pr->mass[BODY * body + k] = heavy;
    const double column = heavy * random_between(r, 0.05, 0.5);
    for (int i = 0; i < 3; i++) {
      pr->q[BODY * body + 3 + 3 * k + i] = R[k][i];
      pr->mass[BODY * body + 3 + 3 * k + i] = column;
    }
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      formula_sum *g = row(pr, i == j ? "length" : "angle", body, 3 * i + j);
      for (int k = 0; k < 3; k++) {
        const int a = f_variable(&pr->f, BODY * body + 3 + 3 * i + k),
                  b = f_variable(&pr->f, BODY * body + 3 + 3 * j + k);
        f_term(g, i == j ? f_square(&pr->f, a) : f_mul(&pr->f, a, b));
      }
      if (i == j) f_term(g, f_constant(&pr->f, -1));
    }
}

/* Two bodies, the first one hung from the ground, by balls or hinges; closed: a rod from the second
 * one to the ground. */
static int joined(problem *pr, randoms *r, int closed) {
  double centre[3], a[3];
  begin(pr, r, BODIES, BODY);
  pr->unit.length = 1; /* R has no unit */
  draw_origin(r, 3, centre);
  for (int body = 0; body < BODIES; body++) {
    put_body(pr, r, body, centre);
    for (int k = 0; k < 3; k++) a[k] = random_between(r, -1, 1);
    const int hinge = random_chance(r, 0.6);
    pin(pr, hinge ? "hinge" : "ball", body, a, body - 1);
    if (hinge) align(pr, body, body - 1);
    for (int k = 0; k < 3; k++) centre[k] += random_normal(r);
  }
  if (closed) {
    double anchor[3], square = 0;
    draw_direction(r, 3, a);
    for (int k = 0; k < 3; k++) {
      anchor[k] = value(pr, BODIES - 1, k, 1, a) + random_normal(r);
      square += pow(anchor[k] - value(pr, BODIES - 1, k, 1, a), 2);
    }
    place end = {.count = 3};
    for (int k = 0; k < 3; k++) end.at[k] = component(pr, BODIES - 1, k, 1, a);
    if (square < 0.1) return 0;
    constrain_distance(pr, "rod", end, place_fixed(pr, 3, anchor), sqrt(square), draw_form(r));
  }
  for (int body = 0; body < BODIES; body++)
    f_term(&pr->H,
           f_times(&pr->f,
                   random_between(r, 0.3, 2) * pr->mass[BODY * body] / pow(pr->unit.time, 2),
                   f_variable(&pr->f, BODY * body + 2)));
  return problem_finish(pr, r, margin);
}

static int bodies(problem *pr, randoms *r) {
  return joined(pr, r, 0);
}
static int looped_bodies(problem *pr, randoms *r) {
  return joined(pr, r, 1);
}

const family large[] = {
    {"long_chain", "chains of 13 to 16 links", long_chain, 0},
    {"many_links", "chains and rings of 64 links", many_links, 0},
    {"ring", "rings of 13 to 16 links", ring, 0},
    {"tree", "trees of 13 to 16 links", tree, 0},
    {"molecules", "six molecules of four atoms", molecules, 0},
    {"bodies", "two rigid bodies by balls and hinges", bodies, 0},
    {"looped_bodies", "the same, and a rod to the ground", looped_bodies, 0},
    {0},
};
