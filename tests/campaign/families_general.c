/* Problems that are not natural: masses that depend on q, angles, free variables, constraints on
 * momenta, commuting pairs. */
#include <math.h>
#include <string.h>

#include "general.h"
#include "workshop.h"

static double energy(const problem *pr) {
  return pr->unit.mass * pr->unit.length * pr->unit.length / (pr->unit.time * pr->unit.time);
}

static void add(problem *pr, double strength, int node) {
  f_term(&pr->H, f_times(&pr->f, strength * energy(pr), node));
}

/* c x y ... of nodes near 1, in units of energy */
static void add_product(problem *pr, double strength, int a, int b) {
  add(pr, strength, f_mul(&pr->f, a, b));
}

static void begin(problem *pr, randoms *r, int n, const char *names) {
  draw_units(pr, r);
  problem_begin(pr, r, n, names);
  pr->natural = 0;
}

static void draw_point(problem *pr, randoms *r, const double *shift) {
  const double v = random_chance(r, 0.25)  ? 0
                   : random_chance(r, 0.2) ? random_scale(r, 1e-8, 0.1)
                                           : 1;
  for (int k = 0; k < pr->n; k++) {
    pr->q[k] = (double)general_size(pr, k) * ((shift ? shift[k] : 0) + 0.8 * random_normal(r));
    pr->p[k] = v == 0 ? 0 : (double)general_size(pr, pr->n + k) * v * random_normal(r);
  }
}

/* Waves, springs and quartic terms in the coordinates 0 .. count-1. */
static void add_hills(problem *pr, randoms *r, int count, const double *shift) {
  formula *f = &pr->f;
  for (int k = 0; k < count; k++) {
    const int x = node_near(pr, k, shift ? shift[k] : 0),
              y = node_near(pr, (k + 1) % count, shift ? shift[(k + 1) % count] : 0);
    add(pr, random_between(r, 0.2, 1), f_square(f, x));
    if (random_chance(r, 0.4))
      add(pr, random_between(r, -0.5, 0.5), f_cos(f, f_add(f, x, f_times(f, 0.7, y))));
    if (random_chance(r, 0.3)) add(pr, random_between(r, 0, 0.3), f_power(f, x, 4));
    if (random_chance(r, 0.3)) add(pr, random_between(r, -1, 1), x);
  }
}

/* p_i^2/2 (1 + c x_j^2) or the like, with a constant coupling between two momenta. */
static void add_moving_masses(problem *pr, randoms *r, const double *shift) {
  formula *f = &pr->f;
  for (int k = 0; k < pr->n; k++) {
    const int p2 = f_square(f, node_near(pr, pr->n + k, 0)), other = random_below(r, pr->n);
    const int x = node_near(pr, other, shift[other]);
    add(pr, random_between(r, 0.3, 1), p2);
    const int kind = random_below(r, 4);
    if (kind == 0) add_product(pr, random_between(r, 0.05, 0.4), p2, f_square(f, x));
    if (kind == 1) add_product(pr, random_between(r, -0.2, 0.2), p2, f_sin(f, x));
    if (kind == 2) add(pr, 0.5, f_div(f, p2, f_add(f, f_constant(f, 1), f_square(f, x))));
  }
  if (pr->n > 1 && random_chance(r, 0.7))
    add_product(pr, random_between(r, -0.25, 0.25), node_near(pr, pr->n, 0),
                node_near(pr, pr->n + 1, 0));
}

/* The last term of a constraint: minus its value at the draft of the start. */
static void close_at_start(problem *pr, formula_sum *g) {
  formula_work work = {0};
  long double z[FORMULA_VARIABLES] = {0};
  for (int k = 0; k < pr->n; k++) {
    z[k] = pr->q[k];
    z[pr->n + k] = pr->p[k];
  }
  formula_evaluate(&pr->f, z, FORMULA_ALL, &work);
  f_term(g, f_constant(&pr->f, (double)-formula_read(&pr->f, g, &work, NULL, NULL)));
  formula_work_free(&work);
}

static int finish(problem *pr, randoms *r) {
  draw_run(pr, r);
  return !problem_settle_general(pr, 0.05);
}

static const char *const names = "x y z u v w";

/* g(q) with a mass matrix that depends on q: coordinates, linear, spheres, waves. */
static int moving_mass(problem *pr, randoms *r) {
  const int n = 2 + random_below(r, 2), m = n == 3 && random_chance(r, 0.4) ? 2 : 1;
  double shift[3];
  begin(pr, r, n, names);
  draw_origin(r, n, shift);
  draw_point(pr, r, shift);
  add_moving_masses(pr, r, shift);
  add_hills(pr, r, n, shift);
  const int kind = random_below(r, 4);
  for (int i = 0; i < m; i++) {
    formula_sum *g = problem_constrain(pr, i ? "second" : "first");
    formula *f = &pr->f;
    const int x = node_near(pr, i, shift[i]), y = node_near(pr, i + 1, shift[i + 1]);
    if (kind == 0) { /* a coordinate, with the origin on the rail */
      pr->q[i] = pr->unit.length * shift[i];
      f_term(g, f_shift(f, f_variable(f, i), pr->q[i]));
      continue;
    }
    if (kind == 1) { /* linear */
      f_term(g, f_times(f, random_between(r, 0.5, 2), f_variable(f, i)));
      f_term(g, f_times(f, random_between(r, -1, 1), f_variable(f, i + 1)));
    } else if (kind == 2) {
      for (int k = 0; k < n; k++)
        f_term(g, f_times(f, random_between(r, 0.5, 2), f_square(f, node_near(pr, k, shift[k]))));
    } else {
      f_term(g, x);
      f_term(g, f_times(f, random_between(r, -1, 1), f_sin(f, y)));
    }
    close_at_start(pr, g);
  }
  return finish(pr, r);
}

/* A double pendulum in angles: the elbow locked, the sum of the angles given, or its tip on a
 * line. */
static int elbow(problem *pr, randoms *r) {
  begin(pr, r, 2, "a b");
  pr->unit.length = 1;
  const double turn = random_chance(r, 0.2) ? random_between(r, -300, 300) : 0;
  formula *f = &pr->f;
  draw_point(pr, r, (double[]){turn, turn});
  const int a = node_near(pr, 0, 0), b = node_near(pr, 1, 0), pa = node_near(pr, 2, 0),
            pb = node_near(pr, 3, 0);
  const int difference = f_sub(f, a, b),
            bottom = f_times(f, 2, f_add(f, f_constant(f, 1), f_square(f, f_sin(f, difference))));
  const int top = f_sub(f, f_add(f, f_square(f, pa), f_times(f, 2, f_square(f, pb))),
                        f_times(f, 2, f_mul(f, f_mul(f, pa, pb), f_cos(f, difference))));
  add(pr, 1, f_div(f, top, bottom));
  add(pr, -random_between(r, 0.2, 2), f_cos(f, a));
  add(pr, -random_between(r, 0.2, 2), f_cos(f, b));
  formula_sum *g = problem_constrain(pr, "lock");
  const int kind = random_below(r, 4);
  if (kind == 0) f_term(g, b);
  if (kind == 1) f_term(g, difference);
  if (kind == 2) {
    f_term(g, a);
    f_term(g, b);
  }
  if (kind == 3) {
    f_term(g, f_sin(f, a));
    f_term(g, f_sin(f, b));
  }
  close_at_start(pr, g);
  return finish(pr, r);
}

/* T(p) not quadratic, on a surface. */
static int separable(problem *pr, randoms *r) {
  const int n = 2 + random_below(r, 2), kind = random_below(r, 2);
  double shift[3];
  begin(pr, r, n, names);
  draw_origin(r, n, shift);
  draw_point(pr, r, shift);
  formula *f = &pr->f;
  int sum = f_constant(f, 1);
  for (int k = 0; k < n; k++) {
    const int p2 = f_square(f, node_near(pr, n + k, 0));
    sum = f_add(f, sum, f_times(f, random_between(r, 0.5, 2), p2));
    if (kind) {
      add(pr, 0.5, p2);
      add(pr, random_between(r, 0, 0.2), f_square(f, p2));
    }
  }
  if (!kind) add(pr, 1, f_sqrt(f, sum));
  add_hills(pr, r, n, shift);
  formula_sum *g = problem_constrain(pr, "surface");
  for (int k = 0; k < n; k++)
    f_term(g, f_times(f, random_between(r, 0.5, 2), f_square(f, node_near(pr, k, shift[k]))));
  close_at_start(pr, g);
  return finish(pr, r);
}

/* 0 = dH/db: b has no momentum that counts. As momentum held at 0 (b a coordinate), or as
 * coordinate held (b a momentum). */
static int index_one_as(problem *pr, randoms *r, int coordinate) {
  const int n = 2 + random_below(r, 2), frees = n == 3 && random_chance(r, 0.4) ? 2 : 1,
            b0 = n - frees;
  double shift[3] = {0};
  begin(pr, r, n, coordinate ? "x y b" : "x y a");
  if (random_chance(r, 0.3)) draw_origin(r, n, shift);
  draw_point(pr, r, shift);
  formula *f = &pr->f;
  for (int k = 0; k < b0; k++)
    add(pr, random_between(r, 0.3, 1), f_square(f, node_near(pr, n + k, 0)));
  add_hills(pr, r, b0, shift);
  for (int k = b0; k < n; k++) {
    const int held = coordinate ? n + k : k, at = coordinate ? k : n + k,
              other = random_below(r, b0);
    const int b = node_near(pr, at, coordinate ? shift[k] : 0),
              x = node_near(pr, other, shift[other]);
    add(pr, random_sign(r) * random_between(r, 0.3, 1.5), f_square(f, b));
    add_product(pr, random_between(r, -0.7, 0.7), b,
                random_chance(r, 0.5) ? x : node_near(pr, n + other, 0));
    if (random_chance(r, 0.4))
      add_product(pr, random_between(r, -0.5, 0.5), f_sin(f, b), f_cos(f, x));
    if (random_chance(r, 0.4))
      add_product(pr, random_between(r, -0.2, 0.2), f_square(f, b), f_square(f, x));
    char name[32];
    snprintf(name, sizeof name, "held %d", k);
    f_term(problem_constrain(pr, name),
           coordinate ? f_variable(f, held) : f_shift(f, f_variable(f, held), pr->q[k]));
    if (coordinate) pr->p[k] = 0;
  }
  if (random_chance(r, 0.4) && b0 > 1) { /* and a surface */
    formula_sum *g = problem_constrain(pr, "surface");
    for (int k = 0; k < b0; k++)
      f_term(g, f_times(f, random_between(r, 0.5, 2), f_square(f, node_near(pr, k, shift[k]))));
    close_at_start(pr, g);
  }
  return finish(pr, r);
}

static int free_variables(problem *pr, randoms *r) {
  return index_one_as(pr, r, 1);
}
static int embedded(problem *pr, randoms *r) {
  return index_one_as(pr, r, 0);
}

/* True if the start has momenta of the problem; false if constraints of the second degree alone
 * were settled at p = 0, where their gradients vanish. */
static int has_momenta(const problem *pr) {
  double most = 0;
  for (int k = 0; k < pr->n; k++)
    most = fmax(most, fabs(pr->p[k]) / (double)general_size(pr, pr->n + k));
  return most > 1e-3;
}

/* g(p): linear and quadratic functions of the momenta. */
static int momenta(problem *pr, randoms *r) {
  const int n = 2 + random_below(r, 2), m = n == 3 && random_chance(r, 0.3) ? 2 : 1,
            linear = random_chance(r, 0.6);
  double shift[3];
  begin(pr, r, n, names);
  draw_origin(r, n, shift);
  draw_point(pr, r, shift);
  formula *f = &pr->f;
  for (int k = 0; k < n; k++)
    add(pr, random_between(r, 0.3, 1), f_square(f, node_near(pr, n + k, 0)));
  add_hills(pr, r, n, shift);
  for (int i = 0; i < m; i++) {
    formula_sum *g = problem_constrain(pr, i ? "second" : "first");
    for (int k = 0; k < n; k++) {
      const int bare = linear && random_chance(r, 0.5),
                p = bare ? f_variable(f, n + k) : node_near(pr, n + k, 0);
      const double c = 0.1 * (1 + random_below(r, 20)) * random_sign(r) /
                       (bare ? (double)general_size(pr, n + k) : 1);
      f_term(g, f_times(f, linear ? c : fabs(c), linear ? p : f_square(f, p)));
    }
    if (!linear || random_chance(r, 0.7)) close_at_start(pr, g);
  }
  return finish(pr, r) && (linear || has_momenta(pr));
}

/* One constraint on positions and momenta, and commuting pairs: spheres, angular momenta,
 * polynomials. */
static int coisotropic(problem *pr, randoms *r) {
  const int kind = random_below(r, 5), n = kind == 4 ? 3 : 2 + random_below(r, 2);
  double shift[3] = {0};
  begin(pr, r, n, names);
  draw_point(pr, r, shift);
  formula *f = &pr->f;
  for (int k = 0; k < n; k++) {
    if (pr->p[k] == 0) pr->p[k] = 0.7 * (double)general_size(pr, n + k) * random_sign(r);
    add(pr, random_between(r, 0.3, 1.5), f_square(f, node_near(pr, n + k, 0)));
  }
  add_hills(pr, r, n, shift);
  if (random_chance(r, 0.4))
    add_product(pr, random_between(r, -0.5, 0.5), node_near(pr, n, 0),
                f_sin(f, node_near(pr, 1, 0)));
  for (int i = 0; i < (kind == 4 ? 2 : 1); i++) {
    formula_sum *g = problem_constrain(pr, i ? "spin" : "first");
    if (kind == 0 || (kind == 4 && i == 1)) { /* angular momentum about an axis */
      f_term(g, f_mul(f, node_near(pr, 0, 0), node_near(pr, n + 1, 0)));
      f_term(g, f_times(f, -1, f_mul(f, node_near(pr, 1, 0), node_near(pr, n, 0))));
    } else if (kind == 1 || kind == 4) { /* a sphere in phase space */
      for (int k = 0; k < 2 * n; k++) f_term(g, f_square(f, node_near(pr, k, 0)));
    } else if (kind == 2) { /* an oscillator's energy in one plane */
      f_term(g, f_square(f, node_near(pr, 0, 0)));
      f_term(g, f_times(f, random_between(r, 0.5, 2), f_square(f, node_near(pr, n, 0))));
      f_term(g, f_times(f, random_between(r, -0.2, 0.2), f_power(f, node_near(pr, 0, 0), 3)));
    } else { /* anything */
      for (int k = 0; k < 2 * n; k++)
        f_term(g, f_times(f, random_between(r, -1, 1), f_square(f, node_near(pr, k, 0))));
      f_term(g, f_mul(f, node_near(pr, 0, 0), node_near(pr, 2 * n - 1, 0)));
      f_term(g, f_times(f, random_between(r, -1, 1), f_sin(f, node_near(pr, 1, 0))));
    }
    close_at_start(pr, g);
  }
  return finish(pr, r);
}

/* Second class: a coordinate held with its momentum a function of the rest, or a guiding centre, p
 * = A(q). */
static int second_class(problem *pr, randoms *r) {
  const int guiding = random_chance(r, 0.4), n = guiding ? 2 : 2 + random_below(r, 2);
  double shift[3] = {0};
  begin(pr, r, n, names);
  pr->second_class = 1;
  if (!guiding && random_chance(r, 0.5)) draw_origin(r, n, shift);
  draw_point(pr, r, shift);
  formula *f = &pr->f;
  const int x = node_near(pr, 0, shift[0]), y = node_near(pr, 1, shift[1]),
            px = node_near(pr, n, 0), py = node_near(pr, n + 1, 0);
  if (guiding) { /* A = B/2 (-y, x) and a field that grows */
    const double B = random_between(r, 0.7, 2), c = random_between(r, 0, 0.1);
    formula_sum *one = problem_constrain(pr, "one"), *two = problem_constrain(pr, "two");
    f_term(one, px);
    f_term(one, f_times(f, B / 2, y));
    f_term(two, py);
    f_term(two, f_times(f, -B / 2, x));
    f_term(two, f_times(f, -c, f_power(f, x, 3)));
  } else {
    for (int k = 0; k < n; k++)
      add(pr, random_between(r, 0.3, 1), f_square(f, node_near(pr, n + k, 0)));
    if (random_chance(r, 0.5))
      add_product(pr, random_between(r, -0.2, 0.2), f_mul(f, px, py), f_cos(f, y));
    pr->q[0] = pr->unit.length * shift[0];
    f_term(problem_constrain(pr, "held"), f_shift(f, f_variable(f, 0), pr->q[0]));
    formula_sum *g = problem_constrain(pr, "tied");
    f_term(g, px);
    f_term(g, f_times(f, random_between(r, -0.4, 0.4), f_square(f, y)));
    if (random_chance(r, 0.5))
      f_term(g, f_times(f, random_between(r, -0.3, 0.3), f_mul(f, py, f_sin(f, y))));
  }
  add_hills(pr, r, n, shift);
  draw_run(pr, r);
  return !problem_settle_second_class(pr, 0.05);
}

const family generals[] = {
    {"moving_mass", "g(q), masses that depend on q", moving_mass, 0},
    {"elbow", "a double pendulum in angles with a lock", elbow, 0},
    {"separable", "T(p) not quadratic, on a surface", separable, 0},
    {"free", "free variables, 0 = H_b, as momenta held at 0", free_variables, 0},
    {"embedded", "free variables as coordinates held, g = a", embedded, 0},
    {"momenta", "linear and quadratic constraints on momenta", momenta, 0},
    {"coisotropic", "constraints on positions and momenta, one or two that commute", coisotropic,
     0},
    {"second_class", "a coordinate and its momentum tied, guiding centres", second_class, 0},
    {0},
};
