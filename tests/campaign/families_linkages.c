/* Linkages of points and bars in the plane and in space: natural problems with polynomial
 * constraints. */
#include <math.h>

#include "workshop.h"

/* A point at a place x[], in units of length. */
static void put(problem *pr, int first, int dimensions, const double *x) {
  for (int k = 0; k < dimensions; k++) pr->q[first + k] = pr->unit.length * x[k];
}

static place fixed_at(problem *pr, int dimensions, const double *x) {
  double scaled[3] = {0};
  for (int k = 0; k < dimensions; k++) scaled[k] = pr->unit.length * x[k];
  return place_fixed(pr, dimensions, scaled);
}

/* A pendulum in the plane or in space. Any origin: the anchor, the lowest point, the start, or
 * anywhere. */
static int pendulum(problem *pr, randoms *r) {
  const int d = 2 + random_below(r, 2), up = d - 1;
  const double rod = random_between(r, 0.5, 2);
  double anchor[3], u[3], x[3];
  draw_units(pr, r);
  problem_begin(pr, r, d, "x y z");
  for (int k = 1; k < d; k++) pr->mass[k] = pr->mass[0];
  draw_direction(r, d, u);
  if (random_chance(r, 0.1)) { /* the start is the lowest point */
    for (int k = 0; k < d; k++) u[k] = 0;
    u[up] = -1;
  }
  draw_origin(r, d, anchor);
  const int where = random_below(r, 4);
  for (int k = 0; k < d && where < 2; k++) anchor[k] = where ? -rod * u[k] : k == up ? rod : 0;
  for (int k = 0; k < d; k++) x[k] = anchor[k] + rod * u[k];
  put(pr, 0, d, x);
  constrain_distance(pr, "rod", place_of(pr, 0, d), fixed_at(pr, d, anchor), rod * pr->unit.length,
                     draw_form(r));
  add_gravity(pr, random_between(r, 0.3, 2), up, d);
  if (random_chance(r, 0.3)) add_potential(pr, r, 0.5);
  return problem_finish(pr, r, 1e-3);
}

/* Links from an anchor; closed: the last point is tied to a second anchor. */
static int links(problem *pr, randoms *r, int closed) {
  const int d = 2 + random_chance(r, 0.3), longer = d == 2 && random_chance(r, 0.15);
  const int count = longer   ? 5 + random_below(r, closed ? 3 : 4)
                    : closed ? 3 + random_below(r, 2)
                             : 2 + random_below(r, 3);
  double at[3], u[3], length[9];
  place last;
  draw_units(pr, r);
  problem_begin(pr, r, d * count,
                d == 2 ? "x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8 y8"
                       : "x1 y1 z1 x2 y2 z2 x3 y3 z3 x4 y4 z4");
  draw_origin(r, d, at);
  last = fixed_at(pr, d, at);
  for (int i = 0; i < count; i++) {
    char name[32];
    length[i] = random_between(r, 0.4, 1.5);
    draw_direction(r, d, u);
    for (int k = 0; k < d; k++) at[k] += length[i] * u[k];
    put(pr, i * d, d, at);
    snprintf(name, sizeof name, "link %d", i + 1);
    const place next = place_of(pr, i * d, d);
    constrain_distance(pr, name, next, last, length[i] * pr->unit.length, draw_form(r));
    last = next;
  }
  if (closed) {
    draw_direction(r, d, u);
    length[count] = random_between(r, 0.4, 1.5);
    for (int k = 0; k < d; k++) at[k] += length[count] * u[k];
    constrain_distance(pr, "last link", fixed_at(pr, d, at), last, length[count] * pr->unit.length,
                       draw_form(r));
  }
  add_gravity(pr, random_between(r, 0.3, 2), d - 1, d);
  if (random_chance(r, 0.3)) add_potential(pr, r, 0.5);
  return problem_finish(pr, r, 0.02);
}

static int chain(problem *pr, randoms *r) {
  return links(pr, r, 0);
}
static int closed_chain(problem *pr, randoms *r) {
  return links(pr, r, 1);
}

/* A chain whose first bead runs on a level rail and whose last on an upright one. */
static int chain_between_rails(problem *pr, randoms *r) {
  const int count = 3 + random_below(r, 3);
  double at[2], shift[2], slope;
  draw_units(pr, r);
  problem_begin(pr, r, 2 * count, "x1 y1 x2 y2 x3 y3 x4 y4 x5 y5");
  draw_origin(r, 2, shift);
  slope = random_between(r, 0.3, 1.2);
  for (int i = 0; i < count; i++) {
    at[0] = shift[0] + (count - 1 - i) * cos(slope);
    at[1] = shift[1] + i * sin(slope) + (i > 0 && i + 1 < count ? random_between(r, -0.2, 0.2) : 0);
    put(pr, 2 * i, 2, at);
  }
  for (int i = 1; i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "link %d", i);
    const double dx = pr->q[2 * i] - pr->q[2 * i - 2], dy = pr->q[2 * i + 1] - pr->q[2 * i - 1];
    constrain_distance(pr, name, place_of(pr, 2 * i, 2), place_of(pr, 2 * i - 2, 2),
                       sqrt(dx * dx + dy * dy), 0);
  }
  f_term(problem_constrain(pr, "rail 1"), f_shift(&pr->f, f_variable(&pr->f, 1), pr->q[1]));
  f_term(problem_constrain(pr, "rail 2"),
         f_shift(&pr->f, f_variable(&pr->f, 2 * count - 2), pr->q[2 * count - 2]));
  add_gravity(pr, random_between(r, 0.3, 2), 1, 2);
  return problem_finish(pr, r, 0.02);
}

/* A ladder between floor and wall. */
static int ladder(problem *pr, randoms *r) {
  const double length = random_between(r, 0.5, 2), angle = random_between(r, 0, 6.3);
  double corner[2], foot[2], top[2];
  draw_units(pr, r);
  problem_begin(pr, r, 4, "x1 y1 x2 y2");
  draw_origin(r, 2, corner);
  foot[0] = corner[0] + length * cos(angle);
  foot[1] = corner[1];
  top[0] = corner[0];
  top[1] = corner[1] + length * sin(angle);
  put(pr, 0, 2, foot);
  put(pr, 2, 2, top);
  f_term(problem_constrain(pr, "floor"), f_shift(&pr->f, f_variable(&pr->f, 1), pr->q[1]));
  f_term(problem_constrain(pr, "wall"), f_shift(&pr->f, f_variable(&pr->f, 2), pr->q[2]));
  constrain_distance(pr, "ladder", place_of(pr, 0, 2), place_of(pr, 2, 2), length * pr->unit.length,
                     draw_form(r));
  add_gravity(pr, random_between(r, 0.3, 2), 1, 2);
  if (random_chance(r, 0.3)) add_potential(pr, r, 0.5);
  return problem_finish(pr, r, 1e-3);
}

/* Momenta that carry the crank pin, at angle `angle` and in units of length, towards the touching
 * point, or at random. */
static int finish_near(problem *pr, randoms *r, double angle, double crank, double sign) {
  draw_momenta(pr, r);
  if (pr->touch > 0 && random_chance(r, 0.8)) {
    const double v = crank * random_scale(r, 0.1, 3) * pr->unit.length / pr->unit.time * sign;
    for (int k = 0; k < pr->n; k++) pr->p[k] = 0;
    pr->p[0] = -v * sin(angle) * pr->mass[0];
    pr->p[1] = v * cos(angle) * pr->mass[1];
  }
  draw_run(pr, r);
  return !problem_settle(pr, 1e-4);
}

/* Turns a point about another. */
static void turn_about(const double *centre, double angle, double *x) {
  const double u = x[0] - centre[0], v = x[1] - centre[1];
  x[0] = centre[0] + cos(angle) * u - sin(angle) * v;
  x[1] = centre[1] + sin(angle) * u + cos(angle) * v;
}

/* A slider-crank with the rod longer than the crank: the slider stays on its side of the crank pin.
 * The rail is level or tilted. */
static int slider_crank(problem *pr, randoms *r) {
  const double crank = random_between(r, 0.4, 1.5), rod = crank * (1 + random_scale(r, 1e-3, 1)),
               side = random_sign(r);
  const double touching = random_sign(r) * 1.5707963267948966,
               tilt = random_chance(r, 0.7) ? 0 : random_between(r, -3, 3);
  double angle = random_between(r, 0, 6.3), sign = random_sign(r), shift[2], pin[2], slider[2];
  draw_units(pr, r);
  problem_begin(pr, r, 4, "x1 y1 x2 y2");
  if (random_chance(r, 0.7)) {
    pr->touch = random_scale(r, 1e-3, 1);
    angle = touching - sign * pr->touch;
  }
  draw_origin(r, 2, shift);
  pin[0] = shift[0] + crank * cos(angle);
  pin[1] = shift[1] + crank * sin(angle);
  slider[0] = pin[0] + side * sqrt(rod * rod - crank * crank * sin(angle) * sin(angle));
  slider[1] = shift[1];
  turn_about(shift, tilt, pin);
  turn_about(shift, tilt, slider);
  put(pr, 0, 2, pin);
  put(pr, 2, 2, slider);
  formula *f = &pr->f;
  const place one = place_of(pr, 0, 2), two = place_of(pr, 2, 2);
  constrain_distance(pr, "crank", one, fixed_at(pr, 2, shift), crank * pr->unit.length,
                     draw_form(r));
  constrain_distance(pr, "rod", two, one, rod * pr->unit.length, draw_form(r));
  formula_sum *rail = problem_constrain(pr, "rail");
  pr->has_part = 1;
  if (tilt == 0) {
    f_term(rail, f_shift(f, two.at[1], pr->q[3]));
    f_term(&pr->part, f_sub(f, two.at[0], one.at[0]));
  } else {
    f_term(rail, f_times(f, -sin(tilt), two.at[0]));
    f_term(rail, f_times(f, cos(tilt), two.at[1]));
    f_term(rail, f_constant(f, (sin(tilt) * shift[0] - cos(tilt) * shift[1]) * pr->unit.length));
    f_term(&pr->part, f_times(f, cos(tilt), f_sub(f, two.at[0], one.at[0])));
    f_term(&pr->part, f_times(f, sin(tilt), f_sub(f, two.at[1], one.at[1])));
  }
  add_gravity(pr, random_between(r, 0, 1), 1, 2);
  return finish_near(pr, r, angle + tilt, crank, sign);
}

/* A Grashof four-bar with the shortest bar as crank: two assemblies, nearly touching by delta.
 * delta 0: they meet. */
static int grashof(problem *pr, randoms *r, double delta) {
  const double a = random_between(r, 0.3, 0.9), u = a + delta + random_between(r, 0.2, 1);
  const double v = delta == 0 && random_chance(r, 0.5)
                       ? a
                       : a + delta + random_between(r, 0.2, 1); /* a: a parallelogram */
  double bar[3] = {u, v, u + v - a - delta}, shift[2], pin[2], end[2], other[2];
  const int turn = random_below(r, 3);
  const double ground = bar[turn], coupler = bar[(turn + 1) % 3], b = bar[(turn + 2) % 3],
               side = random_sign(r);
  /* at angle 0 the crank pin is ground - a from the second anchor, at pi ground + a */
  const double near0 = ground - a - fabs(coupler - b), near_pi = coupler + b - ground - a;
  double sign = random_sign(r), angle = random_between(r, 0, 6.3);
  draw_units(pr, r);
  problem_begin(pr, r, 4, "x1 y1 x2 y2");
  if (random_chance(r, 0.7)) {
    pr->touch = random_scale(r, 1e-3, 1);
    angle = (near0 < near_pi ? 0 : 3.141592653589793) - sign * pr->touch;
  }
  draw_origin(r, 2, shift);
  other[0] = shift[0] + ground;
  other[1] = shift[1];
  pin[0] = shift[0] + a * cos(angle);
  pin[1] = shift[1] + a * sin(angle);
  const double dx = other[0] - pin[0], dy = other[1] - pin[1], far = sqrt(dx * dx + dy * dy);
  const double along = (coupler * coupler - b * b + far * far) / (2 * far),
               square = coupler * coupler - along * along;
  if (!(square > 0)) return 0;
  end[0] = pin[0] + (along * dx - side * sqrt(square) * dy) / far;
  end[1] = pin[1] + (along * dy + side * sqrt(square) * dx) / far;
  put(pr, 0, 2, pin);
  put(pr, 2, 2, end);
  const place one = place_of(pr, 0, 2), two = place_of(pr, 2, 2), right = fixed_at(pr, 2, other);
  constrain_distance(pr, "crank 1", one, fixed_at(pr, 2, shift), a * pr->unit.length, draw_form(r));
  constrain_distance(pr, "crank 2", two, right, b * pr->unit.length, draw_form(r));
  constrain_distance(pr, "coupler", two, one, coupler * pr->unit.length, draw_form(r));
  if (delta > 0) part_cross(pr, two, one, two, right);
  add_gravity(pr, random_between(r, 0, 1), 1, 2);
  return finish_near(pr, r, angle, a, sign);
}

static int four_bar(problem *pr, randoms *r) {
  return grashof(pr, r, random_scale(r, 1e-4, 0.3));
}
static int four_bar_fork(problem *pr, randoms *r) {
  return grashof(pr, r, 0);
}

/* Watt's linkage: two cranks, a coupler, and a point on the coupler that is a bead of its own. */
static int watt(problem *pr, randoms *r) {
  const double a = random_between(r, 0.7, 1.3), b = random_between(r, 0.7, 1.3),
               c = random_between(r, 0.5, 1.2);
  const double split = random_between(r, 0.3, 0.7), angle = random_between(r, -0.8, 0.8);
  const double beta = random_between(r, 2.4, 3.9), gamma = random_between(r, 0, 6.3);
  double shift[2], one[2], two[2], far[2], middle[2];
  draw_units(pr, r);
  problem_begin(pr, r, 6, "x1 y1 x2 y2 x3 y3");
  draw_origin(r, 2, shift);
  one[0] = shift[0] + a * cos(angle);
  one[1] = shift[1] + a * sin(angle);
  two[0] = one[0] + c * cos(gamma);
  two[1] = one[1] + c * sin(gamma);
  far[0] = two[0] - b * cos(beta);
  far[1] = two[1] - b * sin(beta);
  for (int k = 0; k < 2; k++) middle[k] = split * one[k] + (1 - split) * two[k];
  put(pr, 0, 2, one);
  put(pr, 2, 2, two);
  put(pr, 4, 2, middle);
  const place p1 = place_of(pr, 0, 2), p2 = place_of(pr, 2, 2), p3 = place_of(pr, 4, 2);
  constrain_distance(pr, "crank 1", p1, fixed_at(pr, 2, shift), a * pr->unit.length, draw_form(r));
  constrain_distance(pr, "crank 2", p2, fixed_at(pr, 2, far), b * pr->unit.length, draw_form(r));
  constrain_distance(pr, "coupler", p1, p2, c * pr->unit.length, draw_form(r));
  for (int k = 0; k < 2; k++) {
    formula_sum *g = problem_constrain(pr, k ? "bead y" : "bead x");
    f_term(g, p3.at[k]);
    f_term(g, f_times(&pr->f, -split, p1.at[k]));
    f_term(g, f_times(&pr->f, -(1 - split), p2.at[k]));
  }
  add_gravity(pr, random_between(r, 0, 1), 1, 2);
  return problem_finish(pr, r, 0.02);
}

/* A rigid triangle that hangs by one corner. */
static int triangle(problem *pr, randoms *r) {
  double anchor[2], x[3][2];
  draw_units(pr, r);
  problem_begin(pr, r, 6, "x1 y1 x2 y2 x3 y3");
  draw_origin(r, 2, anchor);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) x[i][k] = anchor[k] + random_normal(r);
    put(pr, 2 * i, 2, x[i]);
  }
  const double reach = hypot(x[0][0] - anchor[0], x[0][1] - anchor[1]);
  constrain_distance(pr, "rod", place_of(pr, 0, 2), fixed_at(pr, 2, anchor),
                     reach * pr->unit.length, draw_form(r));
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    const double side = hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]);
    if (side < 0.3) return 0;
    constrain_distance(pr,
                       i == 0   ? "side 1"
                       : i == 1 ? "side 2"
                                : "side 3",
                       place_of(pr, 2 * i, 2), place_of(pr, 2 * j, 2), side * pr->unit.length,
                       draw_form(r));
  }
  add_gravity(pr, random_between(r, 0.3, 2), 1, 2);
  return problem_finish(pr, r, 0.02);
}

const family linkages[] = {
    {"pendulum", "pendulums with the origin anywhere", pendulum, 0},
    {"chain", "open chains of 2 to 4 links", chain, 0},
    {"closed_chain", "chains between two anchors", closed_chain, 0},
    {"rails_chain", "chains between two rails", chain_between_rails, 0},
    {"ladder", "a ladder between floor and wall", ladder, 0},
    {"slider_crank", "slider-cranks, the rod 0.1 to 100 % longer than the crank", slider_crank, 0},
    {"four_bar", "Grashof four-bars, assemblies apart by 1e-4 to 0.3", four_bar, 0},
    {"watt", "Watt's linkage", watt, 0},
    {"triangle", "a rigid triangle that hangs by a corner", triangle, 0},
    {"four_bar_fork", "four-bars whose assemblies meet", four_bar_fork, 1},
    {0},
};
