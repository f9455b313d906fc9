/* Problems that were refused or left their part of the manifold once, with the methods and steps of
 * then; further on the same problems with other methods and steps. As model files they are in
 * tests/cli/models. */
#include <math.h>
#include <stdio.h>

#include "methods.h"
#include "workshop.h"

static void begin(problem *pr, randoms *r, int n, const char *names, const char *how, double h,
                  int steps) {
  pr->unit = (units){1, 1, 1};
  problem_begin(pr, r, n, names);
  for (int k = 0; k < n; k++) pr->mass[k] = 1;
  pr->method = method_named(how);
  pr->h = h;
  pr->steps = steps;
}

static void set(double *to, int count, const double *values) {
  for (int k = 0; k < count; k++) to[k] = values[k];
}

static int var(problem *pr, int k) {
  return f_variable(&pr->f, k);
}
static void add(problem *pr, formula_sum *sum, double factor, int node) {
  f_term(sum, f_times(&pr->f, factor, node));
}
static void minus(problem *pr, formula_sum *g, double value) {
  f_term(g, f_constant(&pr->f, -value));
}

static void lowest_point(problem *pr, randoms *r) {
  begin(pr, r, 2, "x y", "rattle(verlet)", 0.01, 2000);
  f_term(&pr->H, var(pr, 1));
  constrain_distance(pr, "rod", place_of(pr, 0, 2), place_fixed(pr, 2, (double[]){0, 1}), 1, 0);
  set(pr->q, 2, (double[]){0.6, 0.2});
}

static void rails_chain(problem *pr, randoms *r) {
  begin(pr, r, 12, "x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6", "rattle(verlet)", 0.01, 2000);
  for (int i = 0; i < 6; i++) {
    char name[32];
    snprintf(name, sizeof name, "link %d", i + 1);
    f_term(&pr->H, var(pr, 2 * i + 1));
    pr->q[2 * i] = 4.2 - 0.8 * i;
    pr->q[2 * i + 1] = 0.6 * i;
    if (i) constrain_distance(pr, name, place_of(pr, 2 * i, 2), place_of(pr, 2 * i - 2, 2), 1, 0);
  }
  f_term(problem_constrain(pr, "rail 1"), var(pr, 1));
  f_term(problem_constrain(pr, "rail 2"), var(pr, 10));
}

static void locked_elbow(problem *pr, randoms *r) {
  begin(pr, r, 2, "a b", "rattle(midpoint)", 0.01, 200);
  formula *f = &pr->f;
  pr->natural = 0;
  const int a = var(pr, 0), b = var(pr, 1), pa = var(pr, 2), pb = var(pr, 3), bend = f_sub(f, a, b);
  const int D = f_times(f, 2, f_add(f, f_constant(f, 1), f_square(f, f_sin(f, bend))));
  const int top = f_add(f, f_square(f, pa), f_times(f, 2, f_square(f, pb)));
  f_term(&pr->H,
         f_div(f, f_sub(f, top, f_mul(f, f_times(f, 2, f_mul(f, pa, pb)), f_cos(f, bend))), D));
  add(pr, &pr->H, -2, f_cos(f, a));
  add(pr, &pr->H, -1, f_cos(f, b));
  formula_sum *g = problem_constrain(pr, "lock");
  f_term(g, b);
  minus(pr, g, 0.4);
  set(pr->q, 2, (double[]){1, 0.4});
  pr->p[0] = 0.3;
}

static void nearly_dependent(problem *pr, randoms *r) {
  begin(pr, r, 3, "x y z", "rattle(verlet)", 0.025, 200);
  pr->ill = 1;
  f_term(&pr->H, var(pr, 1));
  add(pr, &pr->H, 0.3, f_mul(&pr->f, var(pr, 2), var(pr, 0)));
  for (int i = 0; i < 2; i++) {
    formula_sum *g = problem_constrain(pr, i ? "b" : "a");
    for (int k = 0; k < 3; k++) f_term(g, f_square(&pr->f, var(pr, k)));
    minus(pr, g, 1);
    if (i) add(pr, g, 1e-6, var(pr, 2));
  }
  pr->q[0] = 1;
  pr->p[1] = -2;
}

static void rail_full_mass(problem *pr, randoms *r) {
  begin(pr, r, 2, "x y", "rattle(verlet)", 0.01, 1000);
  formula *f = &pr->f;
  const int x = var(pr, 0), y = var(pr, 1);
  pr->diagonal = 0;
  set(pr->W, 4, (double[]){2, 0.7, 0.7, 1});
  add(pr, &pr->H, 0.5, f_square(f, x));
  add(pr, &pr->H, 0.5, f_square(f, y));
  add(pr, &pr->H, 0.3, f_sin(f, f_add(f, x, y)));
  add(pr, &pr->H, 0.1, f_mul(f, x, f_power(f, y, 3)));
  f_term(problem_constrain(pr, "rail"), x);
  pr->q[1] = 1;
  pr->p[1] = 0.5;
}

/* A kinetic energy of both signs. */
static void two_signs(problem *pr, randoms *r) {
  begin(pr, r, 2, "x y", "rattle(verlet)", 0.01, 1000);
  formula *f = &pr->f;
  pr->natural = 0;
  add(pr, &pr->H, 0.5, f_square(f, var(pr, 2)));
  add(pr, &pr->H, -1, f_square(f, var(pr, 3)));
  add(pr, &pr->H, 0.5, f_square(f, var(pr, 0)));
  formula_sum *g = problem_constrain(pr, "held");
  f_term(g, var(pr, 1));
  add(pr, g, -0.1, f_square(f, var(pr, 0)));
  set(pr->q, 2, (double[]){1, 0.1});
  pr->p[0] = 0.5;
}

static void slider_crank(problem *pr, randoms *r) {
  begin(pr, r, 4, "x1 y1 x2 y2", "rattle(verlet)", 0.02, 1000);
  const place one = place_of(pr, 0, 2), two = place_of(pr, 2, 2);
  add(pr, &pr->H, 0.5, one.at[1]);
  constrain_distance(pr, "crank", one, place_fixed(pr, 2, (double[]){0, 0}), 1, 0);
  constrain_distance(pr, "rod", two, one, 1.01, 0);
  f_term(problem_constrain(pr, "rail"), two.at[1]);
  pr->has_part = 1;
  f_term(&pr->part, f_sub(&pr->f, two.at[0], one.at[0]));
  set(pr->q, 4, (double[]){0.8, 0.6, 0.8 + sqrt(1.01 * 1.01 - 0.36), 0});
  set(pr->p, 4, (double[]){-0.9, 1.2, 0, 0});
}

static void two_assemblies(problem *pr, randoms *r) {
  begin(pr, r, 4, "x1 y1 x2 y2", "rattle(verlet)", 0.01, 2000);
  const double delta = 1e-4, L = 1.5, a = 0.8, c = cos(1.2), s = sin(1.2);
  const place one = place_of(pr, 0, 2), two = place_of(pr, 2, 2),
              right = place_fixed(pr, 2, (double[]){L, 0});
  add(pr, &pr->H, 0.3, one.at[1]);
  add(pr, &pr->H, 0.3, two.at[1]);
  constrain_distance(pr, "crank 1", one, place_fixed(pr, 2, (double[]){0, 0}), a, 0);
  constrain_distance(pr, "crank 2", two, right, a + delta, 0);
  constrain_distance(pr, "coupler", two, one, L, 0);
  part_cross(pr, two, one, two, right);
  set(pr->q, 4, (double[]){a * c, a * s, L + a * c, a * s});
  set(pr->p, 4, (double[]){s, -c, s, -c});
}

static void spring(problem *pr, randoms *r) {
  begin(pr, r, 2, "x y", "rattle(verlet(b))", 0.1, 100);
  add(pr, &pr->H, 50, f_square(&pr->f, f_shift(&pr->f, var(pr, 0), 0.9)));
  add(pr, &pr->H, 50, f_square(&pr->f, var(pr, 1)));
  constrain_distance(pr, "circle", place_of(pr, 0, 2), place_fixed(pr, 2, (double[]){0, 0}), 1, 0);
  pr->q[0] = 1;
  pr->p[1] = 0.3;
}

/* 0.1 x + 0.2 y - 0.3 z with px + py + pz: their bracket is 0 but for the round-off of the
 * decimals. */
static void round_off_bracket(problem *pr, randoms *r) {
  begin(pr, r, 3, "x y z", "rattle(midpoint)", 0.01, 100);
  formula *f = &pr->f;
  pr->natural = 0;
  for (int k = 3; k < 6; k++) add(pr, &pr->H, 0.5, f_square(f, var(pr, k)));
  f_term(&pr->H, f_square(f, var(pr, 0)));
  add(pr, &pr->H, 0.5, f_square(f, var(pr, 1)));
  f_term(&pr->H, f_power(f, var(pr, 2), 4));
  formula_sum *g = problem_constrain(pr, "a");
  add(pr, g, 0.1, var(pr, 0));
  add(pr, g, 0.2, var(pr, 1));
  add(pr, g, -0.3, var(pr, 2));
  g = problem_constrain(pr, "P");
  for (int k = 3; k < 6; k++) f_term(g, var(pr, k));
  set(pr->q, 3, (double[]){1, 1, 1});
  pr->p[0] = 0.3;
}

static void second_class_coordinate(problem *pr, randoms *r) {
  begin(pr, r, 3, "x y z", "second_class(midpoint)", 0.01, 200);
  formula *f = &pr->f;
  pr->natural = 0;
  pr->second_class = 1;
  const int x = var(pr, 0), y = var(pr, 1), z = var(pr, 2), px = var(pr, 3), py = var(pr, 4),
            pz = var(pr, 5);
  add(pr, &pr->H, 0.5, f_square(f, px));
  add(pr, &pr->H, 0.5, f_square(f, py));
  add(pr, &pr->H, 0.5, f_square(f, pz));
  f_term(&pr->H, f_square(f, x));
  add(pr, &pr->H, 0.5, f_square(f, y));
  add(pr, &pr->H, 0.3, f_power(f, y, 4));
  add(pr, &pr->H, 0.5, f_sin(f, f_add(f, y, z)));
  f_term(&pr->H, f_square(f, z));
  f_term(&pr->H, f_mul(f, f_times(f, 0.2, f_mul(f, px, py)), f_cos(f, z)));
  f_term(problem_constrain(pr, "a"), x);
  formula_sum *g = problem_constrain(pr, "b");
  f_term(g, px);
  add(pr, g, -0.3, f_square(f, y));
  f_term(g, f_mul(f, f_times(f, 0.2, f_sin(f, z)), py));
  set(pr->q, 3, (double[]){0, 1, 0.3});
  set(pr->p, 3, (double[]){0, 0.2, 0.5});
}

static int make(problem *pr, randoms *r) {
  static void (*const all[])(problem *, randoms *) = {
      lowest_point,   rails_chain,       locked_elbow,           nearly_dependent,
      rail_full_mass, two_signs,         slider_crank,           two_assemblies,
      spring,         round_off_bracket, second_class_coordinate};
  enum { COUNT = sizeof all / sizeof *all };
  all[pr->index % COUNT](pr, r);
  if (pr->index >= COUNT) { /* another method and step */
    pr->method = NULL;
    draw_run(pr, r);
  }
  return !(pr->second_class ? problem_settle_second_class(pr, 1e-3)
           : pr->natural    ? problem_settle(pr, 1e-13)
                            : problem_settle_general(pr, 1e-3));
}

const family fixed[] = {
    {"fixed", "problems that were refused or left their part once", make, 0},
    {0},
};
