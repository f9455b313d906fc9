/* Functions that the generators of families share. See workshop.h. */
#include "workshop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "general.h"

void draw_units(problem *pr, randoms *r) {
  pr->unit = (units){1, 1, 1};
  if (random_chance(r, 0.6)) return;
  if (random_chance(r, 0.5)) pr->unit.length = random_scale(r, 1e-9, 1e9);
  if (random_chance(r, 0.5)) pr->unit.mass = random_scale(r, 1e-9, 1e9);
  if (random_chance(r, 0.5)) pr->unit.time = random_scale(r, 1e-9, 1e9);
}

void draw_origin(randoms *r, int dimensions, double *shift) {
  const double size = random_chance(r, 0.4)   ? 0
                      : random_chance(r, 0.6) ? 1
                                              : random_scale(r, 1, 1000);
  for (int k = 0; k < dimensions; k++) shift[k] = size == 0 ? 0 : size * random_normal(r);
}

void problem_begin(problem *pr, randoms *r, int n, const char *names) {
  const int equal = random_chance(r, 0.5);
  if (n > PAIRS) abort();
  pr->n = n;
  pr->f.variables = 2 * n;
  for (int k = 0; k < n; k++) {
    const int length = (int)strcspn(names, " ");
    snprintf(pr->f.names[k], sizeof pr->f.names[k], "%.*s", length, names);
    snprintf(pr->f.names[n + k], sizeof pr->f.names[k], "p%.*s", length, names);
    names += length + (names[length] == ' ');
    pr->mass[k] = pr->unit.mass * (equal ? 1 : random_scale(r, 0.2, 5));
  }
  pr->diagonal = pr->natural = 1;
}

void draw_direction(randoms *r, int dimensions, double *u) {
  double square = 0;
  for (int k = 0; k < dimensions; k++) {
    u[k] = random_normal(r);
    square += u[k] * u[k];
  }
  for (int k = 0; k < dimensions; k++) u[k] /= sqrt(square);
}

formula_sum *problem_constrain(problem *pr, const char *name) {
  if (pr->m == CONSTRAINTS) abort();
  snprintf(pr->constraint[pr->m], sizeof pr->constraint[0], "%s", name);
  return &pr->g[pr->m++];
}

place place_of(problem *pr, int first, int dimensions) {
  place at = {.count = dimensions};
  for (int k = 0; k < dimensions; k++) at.at[k] = f_variable(&pr->f, first + k);
  return at;
}

place place_fixed(problem *pr, int dimensions, const double *x) {
  place at = {.count = dimensions};
  for (int k = 0; k < dimensions; k++) at.at[k] = f_constant(&pr->f, x[k]);
  return at;
}

static int difference(formula *f, int a, int b) {
  const formula_node *x = &f->nodes[a], *y = &f->nodes[b];
  if (y->op == F_CONSTANT && y->value == 0) return a;
  if (x->op == F_CONSTANT && x->value == 0) return b;
  return f_sub(f, a, b);
}

void constrain_distance(problem *pr, const char *name, place a, place b, double distance,
                        int form) {
  formula *f = &pr->f;
  formula_sum *g = problem_constrain(pr, name), squares = {0};
  pr->distances += form == 0;
  for (int k = 0; k < a.count; k++) f_term(&squares, f_square(f, difference(f, a.at[k], b.at[k])));
  if (form == 0) { /* |a - b|^2 - d^2 */
    *g = squares;
    f_term(g, f_constant(f, -distance * distance));
    return;
  }
  int sum = squares.term[0];
  for (int k = 1; k < squares.count; k++) sum = f_add(f, sum, squares.term[k]);
  if (form == 1) { /* |a - b| - d */
    f_term(g, f_sqrt(f, sum));
    f_term(g, f_constant(f, -distance));
  } else { /* (|a - b|^2/d^2 - 1)/2 */
    f_term(g, f_times(f, 0.5 / (distance * distance), sum));
    f_term(g, f_constant(f, -0.5));
  }
}

int draw_form(randoms *r) {
  return random_chance(r, 0.6) ? 0 : 1 + random_below(r, 2);
}

void part_cross(problem *pr, place a, place b, place c, place d) {
  formula *f = &pr->f;
  const int x = difference(f, a.at[0], b.at[0]), y = difference(f, a.at[1], b.at[1]);
  const int u = difference(f, c.at[0], d.at[0]), v = difference(f, c.at[1], d.at[1]);
  pr->has_part = 1;
  f_term(&pr->part, f_sub(f, f_mul(f, x, v), f_mul(f, y, u)));
}

void add_gravity(problem *pr, double strength, int first, int stride) {
  const double weight = strength * pr->unit.length / (pr->unit.time * pr->unit.time);
  for (int k = first; k < pr->n; k += stride)
    f_term(&pr->H, f_times(&pr->f, weight * pr->mass[k], f_variable(&pr->f, k)));
}

void draw_momenta(problem *pr, randoms *r) {
  const double v = random_chance(r, 0.3)   ? 0
                   : random_chance(r, 0.2) ? random_scale(r, 1e-9, 0.1)
                                           : random_scale(r, 0.1, 3);
  for (int k = 0; k < pr->n; k++)
    pr->p[k] = v == 0 ? 0
                      : v * random_normal(r) * pr->unit.length / pr->unit.time *
                            (pr->diagonal ? pr->mass[k] : pr->unit.mass);
}

void draw_run(problem *pr, randoms *r) {
  const double which = random_unit(r);
  const double h = which < 0.15  ? random_scale(r, 1e-6, 1e-3)
                   : which < 0.7 ? random_scale(r, 1e-3, 0.1)
                                 : random_scale(r, 0.1, 1.5);
  pr->h = h * pr->unit.time;
  pr->steps = 20 + random_below(r, 100);
}

int node_near(problem *pr, int k, double at) {
  const double size = (double)general_size(pr, k);
  return f_times(&pr->f, 1 / size, f_shift(&pr->f, f_variable(&pr->f, k), size * at));
}

int problem_finish(problem *pr, randoms *r, double margin) {
  draw_momenta(pr, r);
  draw_run(pr, r);
  return !problem_settle(pr, margin);
}

void add_potential(problem *pr, randoms *r, double strength) {
  formula *f = &pr->f;
  const double L = pr->unit.length,
               energy = strength * pr->unit.mass * L * L / (pr->unit.time * pr->unit.time);
  for (int k = 0; k < pr->n; k++) {
    const int x = f_variable(f, k);
    switch (random_below(r, 5)) {
    case 0:
      f_term(&pr->H, f_times(f, energy / L * random_between(r, -1, 1), x));
      break;
    case 1: { /* a spring to a point near */
      const double to = pr->q[k] + L * random_normal(r);
      f_term(&pr->H, f_times(f, 0.5 * energy / (L * L) * random_scale(r, 0.1, 4),
                             f_square(f, f_shift(f, x, to))));
      break;
    }
    case 2: { /* anharmonic */
      const int s = f_times(f, 1 / L, f_shift(f, x, pr->q[k] + L * random_normal(r)));
      f_term(&pr->H, f_times(f, 0.2 * energy, f_power(f, s, 4)));
      break;
    }
    case 3:
      f_term(&pr->H,
             f_times(f, 0.5 * energy, f_cos(f, f_times(f, random_scale(r, 0.3, 3) / L, x))));
      break;
    default:
      break;
    }
  }
}
