/* Natural problems on rails, curves and surfaces: coordinates, linear, polynomial and trigonometric
 * constraints. */
#include <math.h>

#include "workshop.h"

/* W = 1/mass (1 + A A^T) with random A. */
static void full_mass(problem *pr, randoms *r) {
  double A[PAIRS * PAIRS];
  const int n = pr->n;
  pr->diagonal = 0;
  for (int i = 0; i < n * n; i++) A[i] = 0.7 * random_normal(r);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = i == j;
      for (int k = 0; k < n; k++) sum += A[i * n + k] * A[j * n + k];
      pr->W[i * n + j] = pr->W[j * n + i] = sum / pr->unit.mass;
    }
}

static const char *const xyz = "x y z u v w";

/* Coordinates, or linear functions of them, held at a value; diagonal or full mass. */
static int rails(problem *pr, randoms *r) {
  const int n = 2 + random_below(r, 3), m = 1 + random_below(r, n - 1),
            linear = random_chance(r, 0.5);
  double shift[PAIRS];
  draw_units(pr, r);
  problem_begin(pr, r, n, xyz);
  if (random_chance(r, 0.6)) full_mass(pr, r);
  draw_origin(r, n, shift);
  for (int k = 0; k < n; k++) pr->q[k] = pr->unit.length * (shift[k] + random_normal(r));
  for (int i = 0; i < m; i++) {
    char name[32];
    snprintf(name, sizeof name, "rail %d", i + 1);
    formula_sum *g = problem_constrain(pr, name);
    if (!linear) {
      pr->q[i] = pr->unit.length * shift[i];
      f_term(g, f_shift(&pr->f, f_variable(&pr->f, i), pr->q[i]));
      continue;
    }
    double value = 0;
    for (int k = 0; k < n; k++) {
      const double c = 0.1 * (1 + random_below(r, 20)) * random_sign(r);
      f_term(g, f_times(&pr->f, c, f_variable(&pr->f, k)));
      value += c * pr->q[k];
    }
    if (random_chance(r, 0.6)) f_term(g, f_constant(&pr->f, -value));
  }
  add_potential(pr, r, 1);
  return problem_finish(pr, r, 0.02);
}

/* Level sets of random polynomials of degree 2 to 4 through a random point. */
static int polynomial(problem *pr, randoms *r) {
  const int n = 2 + random_below(r, 3), m = n > 2 ? 1 + random_below(r, 2) : 1;
  double shift[PAIRS], x[PAIRS];
  long double z[FORMULA_VARIABLES] = {0};
  formula_work work = {0};
  draw_units(pr, r);
  problem_begin(pr, r, n, xyz);
  if (random_chance(r, 0.3)) full_mass(pr, r);
  draw_origin(r, n, shift);
  for (int k = 0; k < n; k++) {
    x[k] = random_normal(r);
    z[k] = pr->q[k] = pr->unit.length * (shift[k] + x[k]);
  }
  for (int i = 0; i < m; i++) {
    formula_sum *g = problem_constrain(pr, i ? "second" : "first");
    for (int k = 0; k < n; k++) {
      const int s = node_near(pr, k, shift[k]),
                other = node_near(pr, (k + 1) % n, shift[(k + 1) % n]);
      f_term(g, f_times(&pr->f, random_between(r, 0.5, 2), f_power(&pr->f, s, 2)));
      if (random_chance(r, 0.4))
        f_term(g, f_times(&pr->f, random_between(r, -1, 1), f_mul(&pr->f, s, other)));
      if (random_chance(r, 0.3))
        f_term(g, f_times(&pr->f, random_between(r, 0.1, 0.5), f_power(&pr->f, s, 4)));
      if (random_chance(r, 0.3))
        f_term(g, f_times(&pr->f, random_between(r, -0.3, 0.3), f_power(&pr->f, s, 3)));
    }
    formula_evaluate(&pr->f, z, FORMULA_ALL, &work);
    f_term(g, f_constant(&pr->f, (double)-formula_read(&pr->f, g, &work, NULL, NULL)));
  }
  formula_work_free(&work);
  add_potential(pr, r, 1);
  return problem_finish(pr, r, 0.02);
}

/* Rotors tied by a closed loop: sum l_i cos(a_i) and sum l_i sin(a_i) are given. */
static int rotors(problem *pr, randoms *r) {
  const int n = 3 + random_below(r, 2);
  double length[PAIRS], sums[2] = {0};
  draw_units(pr, r);
  pr->unit.length = 1;
  problem_begin(pr, r, n, "a b c d");
  if (random_chance(r, 0.3)) full_mass(pr, r);
  const double turns = random_chance(r, 0.3) ? random_between(r, -500, 500) : 0;
  for (int k = 0; k < n; k++) {
    pr->q[k] = random_between(r, 0, 6.3) + turns;
    length[k] = random_between(r, 0.5, 1.5);
    sums[0] += length[k] * cos(pr->q[k]);
    sums[1] += length[k] * sin(pr->q[k]);
  }
  for (int i = 0; i < 2; i++) {
    formula_sum *g = problem_constrain(pr, i ? "loop y" : "loop x");
    for (int k = 0; k < n; k++) {
      const int x = f_variable(&pr->f, k);
      f_term(g, f_times(&pr->f, length[k], i ? f_sin(&pr->f, x) : f_cos(&pr->f, x)));
    }
    f_term(g, f_constant(&pr->f, -sums[i]));
  }
  add_potential(pr, r, 1);
  return problem_finish(pr, r, 0.02);
}

/* Waves: sums of sines and cosines of linear functions, with polynomials. */
static int waves(problem *pr, randoms *r) {
  const int n = 2 + random_below(r, 2);
  double shift[PAIRS];
  long double z[FORMULA_VARIABLES] = {0};
  formula_work work = {0};
  draw_units(pr, r);
  problem_begin(pr, r, n, xyz);
  draw_origin(r, n, shift);
  for (int k = 0; k < n; k++) z[k] = pr->q[k] = pr->unit.length * (shift[k] + random_normal(r));
  formula_sum *g = problem_constrain(pr, "wave");
  f_term(g, node_near(pr, n - 1, shift[n - 1]));
  for (int k = 0; k + 1 < n; k++) {
    const int x = f_times(&pr->f, random_between(r, 0.5, 3), node_near(pr, k, shift[k]));
    f_term(g, f_times(&pr->f, random_between(r, -1, 1),
                      random_chance(r, 0.5) ? f_sin(&pr->f, x) : f_cos(&pr->f, x)));
  }
  if (random_chance(r, 0.3))
    f_term(g,
           f_times(&pr->f, 0.1, f_exp(&pr->f, f_times(&pr->f, 0.3, node_near(pr, 0, shift[0])))));
  formula_evaluate(&pr->f, z, FORMULA_ALL, &work);
  f_term(g, f_constant(&pr->f, (double)-formula_read(&pr->f, g, &work, NULL, NULL)));
  formula_work_free(&work);
  add_potential(pr, r, 1);
  return problem_finish(pr, r, 0.02);
}

/* The pair `at` of a bead on a wave, or a parabola, and a hill of forces, h^2 V'' being of any size near 4. */
static void add_bead(problem *pr, int at, const double *shape, int parabola) {
  formula *f = &pr->f;
  const double L = pr->unit.length,
               energy = pr->unit.mass * L * L / (pr->unit.time * pr->unit.time);
  const int x = f_variable(f, at), y = f_variable(f, at + 1), s = f_times(f, shape[1] / L, x);
  const double along = shape[1] * shape[4];
  formula_sum *g = problem_constrain(pr, at ? at > 2 ? "third" : "second" : "first");
  f_term(g, y);
  f_term(g, f_times(f, -shape[0] * L, parabola ? f_square(f, s) : f_sin(f, s)));
  f_term(&pr->H, f_times(f, shape[2] * energy, f_cos(f, f_times(f, shape[3] / L, x))));
  pr->q[at] = shape[4] * L;
  pr->q[at + 1] = shape[0] * L * (parabola ? along * along : sin(along));
}

/* One bead or several, which nothing joins, copies of each other or not. */
static int beads_on(problem *pr, randoms *r, int parabolas) {
  const int beads = 1 + random_below(r, 3), copies = random_chance(r, 0.5);
  double shape[5] = {0};
  draw_units(pr, r);
  problem_begin(pr, r, 2 * beads, xyz);
  for (int k = 0; k < beads; k++) {
    if (!k || !copies) {
      shape[0] = random_between(r, 0.1, 1), shape[1] = random_between(r, 0.3, 1.5);
      shape[2] = random_between(r, 0.1, 1), shape[3] = random_between(r, 1, 4);
      shape[4] = random_normal(r);
    }
    add_bead(pr, 2 * k, shape, parabolas);
  }
  for (int k = 2; k < pr->n && copies; k++) pr->mass[k] = pr->mass[k % 2];
  draw_momenta(pr, r);
  for (int k = 2; k < pr->n && copies; k++) pr->p[k] = pr->p[k % 2];
  draw_run(pr, r);
  pr->h = pr->unit.time * random_scale(r, 0.2, 3);
  return !problem_settle(pr, 0.02);
}

static int hills(problem *pr, randoms *r) {
  return beads_on(pr, r, 0);
}

static int parabolas(problem *pr, randoms *r) {
  return beads_on(pr, r, 1);
}

/* Two cylinders that cross, about the axes z and x: the second is thinner by delta, so that x never
 * passes 0, or both are of one radius and the second is moved by delta along y. */
static int cylinders(problem *pr, randoms *r) {
  const double delta = random_scale(r, 1e-5, 0.1), one = random_between(r, 0.5, 2),
               side = random_sign(r);
  const int moved = random_chance(r, 0.3);
  const double two = moved ? one : one * (1 - delta),
               middle = moved ? -delta : 0; /* of the second */
  double sign = random_sign(r), angle = random_between(r, 0, 6.3), shift[3];
  draw_units(pr, r);
  problem_begin(pr, r, 3, "x y z");
  for (int k = 1; k < 3; k++) pr->mass[k] = pr->mass[0];
  if (random_chance(r, 0.8)) { /* near the ends of y, where two curves nearly touch */
    pr->touch = random_scale(r, 1e-3, 1);
    angle = (moved ? 1 : random_sign(r)) * 1.5707963267948966 - sign * pr->touch;
  }
  draw_origin(r, 3, shift);
  const double y = middle + two * sin(angle), z = two * cos(angle), L = pr->unit.length,
               square = one * one - y * y;
  if (!(square > 1e-9)) return 0;
  const double at[3] = {side * sqrt(square), y, z};
  formula *f = &pr->f;
  int s[3];
  for (int k = 0; k < 3; k++) {
    pr->q[k] = L * (shift[k] + at[k]);
    s[k] = f_shift(f, f_variable(f, k), L * shift[k]);
  }
  formula_sum *g = problem_constrain(pr, "upright");
  f_term(g, f_square(f, s[0]));
  f_term(g, f_square(f, s[1]));
  f_term(g, f_constant(f, -one * one * L * L));
  g = problem_constrain(pr, "level");
  f_term(g, f_square(f, moved ? f_shift(f, f_variable(f, 1), L * (shift[1] + middle)) : s[1]));
  f_term(g, f_square(f, s[2]));
  f_term(g, f_constant(f, -two * two * L * L));
  pr->has_part = !moved;
  if (!moved) f_term(&pr->part, s[0]);
  add_gravity(pr, random_between(r, 0, 1), 2, 3);
  draw_momenta(pr, r);
  if (pr->touch > 0 && random_chance(r, 0.8)) {
    const double v = random_scale(r, 0.1, 3) * two * L / pr->unit.time * sign;
    pr->p[0] = -v * y * z / at[0] * pr->mass[0] / two; /* x x' = -y y' */
    pr->p[1] = v * z / two * pr->mass[1];
    pr->p[2] = -v * (y - middle) / two * pr->mass[2];
  }
  draw_run(pr, r);
  return !problem_settle(pr, 1e-6);
}

/* Rotations: R^T R = 1 in 2 or 3 dimensions. */
static int rotations(problem *pr, randoms *r) {
  const int d = 2 + random_chance(r, 0.6);
  draw_units(pr, r);
  pr->unit.length = 1;
  problem_begin(pr, r, d * d, d == 2 ? "a b c d" : "a1 a2 a3 b1 b2 b3 c1 c2 c3");
  for (int i = 1; i < d; i++) /* one mass a column: the kinetic energy of a rigid body */
    for (int k = 0; k < d; k++)
      pr->mass[i * d + k] = random_chance(r, 0.5) ? pr->mass[i * d] : pr->mass[0];
  const int turned = random_chance(r, 0.7); /* else the identity */
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) pr->q[i * d + k] = (i == k) + (turned ? 0.5 * random_normal(r) : 0);
  for (int i = 0; i < d; i++)
    for (int j = 0; j <= i; j++) {
      char name[32];
      snprintf(name, sizeof name, "%d%d", i + 1, j + 1);
      formula_sum *g = problem_constrain(pr, name);
      for (int k = 0; k < d; k++) {
        const int x = f_variable(&pr->f, i * d + k), y = f_variable(&pr->f, j * d + k);
        f_term(g, i == j ? f_square(&pr->f, x) : f_mul(&pr->f, x, y));
      }
      if (i == j) f_term(g, f_constant(&pr->f, -1));
    }
  add_gravity(pr, random_between(r, 0, 1), d * d - 1, 1);
  if (random_chance(r, 0.5)) add_potential(pr, r, 0.5);
  return problem_finish(pr, r, 0.02);
}

const family surfaces[] = {
    {"rails", "coordinates or linear functions held, diagonal and full mass", rails, 0},
    {"polynomial", "level sets of polynomials", polynomial, 0},
    {"rotors", "rotors tied in a loop, in angles", rotors, 0},
    {"waves", "surfaces of sines and exponentials", waves, 0},
    {"cylinders", "two cylinders that cross, apart by 1e-5 to 0.1", cylinders, 0},
    {"rotations", "R^T R = 1", rotations, 0},
    {0},
};

const family steep[] = {
    {"hills", "beads on waves that nothing joins, on steep hills of forces", hills, 0},
    {"parabolas", "the same on parabolas", parabolas, 0},
    {0},
};
