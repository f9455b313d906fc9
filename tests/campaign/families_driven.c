/* Problems with time, with forces that are no gradient, and between two walls. */
#include <math.h>
#include <string.h>

#include "general.h"
#include "workshop.h"

/* a sin(k x - w t + phase), of a node x near 1 */
static int ripple(problem *pr, randoms *r, int x, double amplitude) {
  formula *f = &pr->f;
  const int phase = f_sub(f, f_times(f, random_between(r, 0.5, 3), x),
                          f_times(f, random_between(r, -2, 2), node_near(pr, pr->n - 1, 0)));
  return f_times(f, amplitude, f_sin(f, f_shift(f, phase, random_between(r, 0, 6))));
}

/* The last term of a constraint: minus its value at the draft of the start. */
static void close_at_start(problem *pr, formula_sum *g) {
  formula_work work = {0};
  long double z[FORMULA_VARIABLES] = {0};
  for (int k = 0; k < pr->n; k++) z[k] = pr->q[k];
  formula_evaluate(&pr->f, z, FORMULA_ALL, &work);
  f_term(g, f_constant(&pr->f, (double)-formula_read(&pr->f, g, &work, NULL, NULL)));
  formula_work_free(&work);
}

/* Kinetic energy, springs, weights and a drive. */
static void add_driven_energy(problem *pr, randoms *r, int count, const double *shift) {
  formula *f = &pr->f;
  const double L = pr->unit.length,
               energy = pr->unit.mass * L * L / (pr->unit.time * pr->unit.time);
  for (int k = 0; k < count; k++) {
    const int x = node_near(pr, k, shift[k]);
    f_term(&pr->H, f_times(f, 0.5 / pr->mass[k], f_square(f, f_variable(f, pr->n + k))));
    f_term(&pr->H, f_times(f, energy * random_between(r, -1, 1), x));
    if (random_chance(r, 0.4))
      f_term(&pr->H, f_times(f, energy * random_between(r, 0.2, 2), f_square(f, x)));
    if (random_chance(r, 0.5)) f_term(&pr->H, f_mul(f, x, ripple(pr, r, x, energy)));
  }
}

/* Moving surfaces: the centre or the radius of a circle or sphere, a wave that travels, a wall. */
static void add_moving_surface(problem *pr, randoms *r, int count, const double *shift) {
  formula *f = &pr->f;
  const int kind = random_below(r, 4), t = node_near(pr, pr->n - 1, 0);
  const int beat =
      f_times(f, random_between(r, 0.05, 0.5), f_sin(f, f_times(f, random_between(r, 0.3, 3), t)));
  formula_sum *g = problem_constrain(pr, "moving");
  for (int k = 0; k < count && kind < 2; k++) {
    const int x = node_near(pr, k, shift[k]);
    f_term(g, f_square(f, kind == 0 && k == 0 ? f_sub(f, x, beat) : x));
  }
  if (kind == 1) f_term(g, f_times(f, -1, f_square(f, f_add(f, f_constant(f, 1), beat))));
  if (kind >= 2) f_term(g, node_near(pr, count - 1, shift[count - 1]));
  for (int k = 0; k + 1 < count && kind == 2; k++)
    f_term(g, ripple(pr, r, node_near(pr, k, shift[k]), random_between(r, 0.2, 1)));
  if (kind == 3) f_term(g, beat);
  close_at_start(pr, g);
}

/* H(q, p, t) and g(q, t). */
static int timed(problem *pr, randoms *r) {
  const int count = 2 + random_below(r, 2);
  double shift[3];
  draw_units(pr, r);
  problem_begin(pr, r, count + 1, count == 2 ? "x y t" : "x y z t");
  pr->natural = 0;
  pr->timed = 1;
  draw_origin(r, count, shift);
  for (int k = 0; k < count; k++) pr->q[k] = pr->unit.length * (shift[k] + random_normal(r));
  add_driven_energy(pr, r, count, shift);
  add_moving_surface(pr, r, count, shift);
  if (count == 3 && random_chance(r, 0.4)) { /* and a rail */
    formula_sum *g = problem_constrain(pr, "rail");
    f_term(g, node_near(pr, 0, shift[0]));
    f_term(g, f_times(&pr->f, random_between(r, -0.5, 0.5), node_near(pr, 1, shift[1])));
    close_at_start(pr, g);
  }
  draw_momenta(pr, r);
  pr->p[count] = 0;
  draw_run(pr, r);
  const int failed = problem_settle_general(pr, 0.05);
  pr->p[count] = 0; /* g and psi do not depend on it */
  return !failed;
}

/* Friction, drag and follower forces on a problem of another family. */
static void push(problem *pr, randoms *r) {
  formula *f = &pr->f;
  const double T = pr->unit.time, strength = random_chance(r, 0.3) ? random_scale(r, 1e-9, 1e-2)
                                                                   : random_scale(r, 1e-2, 2);
  pr->forced = 1;
  for (int k = 0; k < pr->n; k++) {
    const int other = (k + 1) % pr->n, p = f_variable(f, pr->n + k);
    const double momentum = pr->mass[k] * pr->unit.length / T;
    if (k && random_chance(r, 0.3)) continue; /* no force */
    if (random_chance(r, 0.7)) f_term(&pr->force[k], f_times(f, -strength / T, p));
    if (random_chance(r, 0.3)) { /* of a size that grows with the square of the velocity */
      const int v2 = f_add(f, f_constant(f, 0.01), f_square(f, f_times(f, 1 / momentum, p)));
      f_term(&pr->force[k], f_times(f, -strength / T, f_mul(f, p, f_sqrt(f, v2))));
    }
    if (random_chance(r, 0.4) || !pr->force[k].count) /* along another coordinate */
      f_term(&pr->force[k],
             f_times(f, strength * momentum / T,
                     f_sin(f, f_times(f, 1 / pr->unit.length, f_variable(f, other)))));
  }
}

static int forced(problem *pr, randoms *r) {
  static const char *const names[] = {"waves",  "waves", "polynomial",
                                      "rotors", "chain", "pendulum"};
  const char *of = names[random_below(r, sizeof names / sizeof *names)];
  for (const family *const *group = family_groups; *group; group++)
    for (const family *one = *group; one->name; one++)
      if (!strcmp(one->name, of) && !one->make(pr, r)) return 0;
  push(pr, r);
  return 1;
}

/* Between two waves: in x, y, z, or with a coordinate more that one of them ties. */
static int walls(problem *pr, randoms *r) {
  const int n = 3 + random_below(r, 2), linear = random_chance(r, 0.3);
  double shift[4];
  draw_units(pr, r);
  problem_begin(pr, r, n, "x y z u");
  draw_origin(r, n, shift);
  for (int k = 0; k < n; k++) pr->q[k] = pr->unit.length * (shift[k] + random_normal(r));
  formula *f = &pr->f;
  for (int i = 0; i < 2; i++) {
    formula_sum *g = problem_constrain(pr, i ? "second" : "first");
    const int both = random_chance(r, 0.3); /* rows that are not each other's alone */
    f_term(g, node_near(pr, 1 + i, shift[1 + i]));
    if (both) f_term(g, f_times(f, random_between(r, -1, 1), node_near(pr, 2 - i, shift[2 - i])));
    for (int k = 0; k < n; k++) {
      if (k == 1 || k == 2) continue;
      const int x = f_times(f, random_between(r, 0.5, 3), node_near(pr, k, shift[k]));
      const int wave = random_chance(r, 0.5) ? f_sin(f, x) : f_cos(f, x);
      f_term(g,
             f_times(f, random_between(r, -1, 1), i && linear ? node_near(pr, k, shift[k]) : wave));
    }
    close_at_start(pr, g);
  }
  add_potential(pr, r, 1);
  return problem_finish(pr, r, 0.02);
}

const family driven[] = {
    {"timed", "H(q, p, t), and surfaces that move, g(q, t)", timed, 0},
    {"forced", "surfaces and linkages with friction, drag and follower forces", forced, 0},
    {"walls", "curves and surfaces where two waves, or a wave and a plane, meet", walls, 0},
    {0},
};
