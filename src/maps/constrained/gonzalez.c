/* See gonzalez.h. On short chords R = O(|d|^3) drowns in the round-off of F(z1) - F(z0) and,
 * divided by e.d, becomes noise that the step would follow. There R is the integral of (F'(z + c d)
 * - F'(z)).d over c = -1/2 .. 1/2 by Gauss's rule with three nodes, whose error is O(|d|^7); what
 * of it is round-off counts as 0, since e.d may be smaller than it, as on a chord of momenta
 * alone. If F has cancellation inside, its values and slopes do not show their round-off, which
 * is bounded by running error analysis then, once a step. */
#include "maps/constrained/gonzalez.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/sizes.h"
#include "ground/expr/family.h"
#include "ground/expr/round_off.h"
#include "problem/functions/problem.h"

static rattle__value_noise noise_of(const rattle__function *f, const rattle__function *other,
                                    rattle__arena *arena) {
  if (!f) return (rattle__value_noise){0};
  const size_t room = rattle__round_off_room(f), more = other ? rattle__round_off_room(other) : 0;
  return (rattle__value_noise){
      .f = f,
      .other = other,
      .bound = rattle__arena_doubles(arena, 2 * (size_t)f->rows),
      .room = rattle__arena_take(arena, room > more ? room : more),
  };
}

static rattle__value_noise noise_of_H(const rattle_problem *problem, rattle__arena *arena) {
  const int in_parts = problem->V && !rattle__function_elements(problem->H);
  return in_parts ? noise_of(problem->V, problem->T, arena) : noise_of(problem->H, NULL, arena);
}

/* bound of both, which stays 0 where a callback fails */
static void find_noise(rattle__value_noise *noise, const double *z0, const double *exact) {
  const rattle__function *f = noise->f, *other = noise->other;
  const size_t bytes = (size_t)f->rows * sizeof *noise->bound;
  double *more = noise->bound + f->rows;
  memset(more, 0, bytes);
  if (rattle__round_off(f, z0, exact, noise->bound, NULL, noise->room))
    memset(noise->bound, 0, bytes);
  if (other && rattle__round_off(other, z0 + f->vars, exact, more, NULL, noise->room))
    memset(more, 0, bytes);
  for (int i = 0; i < f->rows; i++) noise->bound[i] += more[i];
  noise->known = 1;
}

int rattle__chord_create(rattle__chord *chord, rattle__context *context) {
  const size_t size = 2 * (size_t)context->problem->n;
  double **vectors[] = {&chord->z,     &chord->d,     &chord->weight, &chord->e,
                        &chord->total, &chord->terms, &chord->node};
  chord->size = (int)size;
  chord->supplied =
      context->problem->clock ? context->problem->n + context->problem->clock - 1 : -1;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = rattle__arena_doubles(&context->arena, size);
  chord->exact = rattle__arena_doubles(&context->arena, size);
  chord->of_H = noise_of_H(context->problem, &context->arena);
  chord->of_g = noise_of(context->problem->g, NULL, &context->arena);
  return context->arena.failed;
}

const int *rattle__chord_diagonal(const rattle__function *H, int n, rattle__arena *arena) {
  int *at = rattle__arena_take(arena, (size_t)n * sizeof *at);
  for (int c = 0; c < n && at; c++) {
    at[c] = -1;
    for (int e = H->hess_ptr[n + c]; e < H->hess_ptr[n + c + 1]; e++)
      if (H->hess_col[e] == n + c) at[c] = e;
  }
  return at;
}

void rattle__chord_metric(const int *diagonal, int n, const double *S, double h, double *weight) {
  static const double least = 0.1, most = 10000;
  for (int c = 0; c < n; c++) {
    const double a = diagonal[c] >= 0 ? fabs(S[diagonal[c]]) : 0, lower = least * a * fabs(h),
                 upper = most * a * fabs(h);
    const double ratio = !(a > 0) ? 1 : lower > 1 ? lower : upper < 1 ? upper : 1;
    weight[c] = 1;
    weight[n + c] = ratio * ratio;
  }
}

static void set(rattle__chord *chord, int c, double z0, double d) {
  chord->d[c] = d;
  chord->z[c] = z0 + 0.5 * d;
  chord->total[c] = chord->terms[c] = 0;
}

void rattle__chord_begin(rattle__chord *chord, const double *z0) {
  chord->z0 = z0;
  chord->of_H.known = chord->of_g.known = 0;
}

void rattle__chord_place(rattle__chord *chord, const double *z0, const double *z1) {
  chord->along = 0;
  for (int c = 0; c < chord->size; c++) set(chord, c, z0[c], z1[c] - z0[c]);
}

void rattle__chord_span(rattle__chord *chord, const double *z0, const double *d) {
  chord->along = 0;
  for (int c = 0; c < chord->size; c++) set(chord, c, z0[c], d[c]);
}

void rattle__chord_measure(rattle__chord *chord) {
  chord->d2 = 0;
  for (int c = 0; c < chord->size; c++) {
    chord->e[c] = c == chord->supplied ? 0 : chord->weight[c] * chord->d[c];
    chord->d2 += chord->e[c] * chord->d[c];
  }
}

static int column(const rattle__row *row, int e) {
  return row->col ? row->col[e] : e;
}

double rattle__chord_shift(const rattle__chord *chord, const rattle_problem *problem, int c) {
  static const double part = 1e-4;
  const int n = chord->size / 2;
  double way = fabs(chord->d[c]);
  for (int other = 0; other < chord->size && !rattle__is_apart(problem, c); other++)
    if ((other < n) == (c < n) && !rattle__is_apart(problem, other))
      way = fmax(way, fabs(chord->d[other]));
  return part * way;
}

double rattle__chord_rest(const rattle__chord *chord, const rattle__row *row, double *unit) {
  double sum = row->F1 - row->F0, terms = fabs(row->F0) + fabs(row->F1);
  for (int e = 0; e < row->count; e++) {
    const int c = column(row, e);
    sum -= row->slope[e] * chord->d[c];
    terms += fabs(row->slope[e]) * (fabs(chord->z[c]) + fabs(chord->d[c]));
  }
  *unit = DBL_EPSILON * terms;
  return sum;
}

double rattle__chord_rest_of(const rattle__chord *chord, rattle__value_noise *noise, int i,
                             const rattle__row *row, double *unit) {
  const double rest = rattle__chord_rest(chord, row, unit);
  if (!noise->known) find_noise(noise, chord->z0, chord->exact);
  *unit += 2 * noise->bound[i];
  return rest;
}

int rattle__chord_clear(double rest, double unit) {
  return fabs(rest) > 1024 * unit;
}

/* c = -+ sqrt(15)/10, weights 5/18; in the middle, of weight 8/18, the difference is 0 */
static const double node_at = 0.38729833462074168852, node_weight = 5.0 / 18;

const double *rattle__chord_node(rattle__chord *chord, double side) {
  for (int c = 0; c < chord->size; c++) chord->node[c] = chord->z[c] + side * node_at * chord->d[c];
  return chord->node;
}

void rattle__chord_bend(const rattle__chord *chord, const rattle__row *row, const double *node,
                        rattle__rest *rest) {
  for (int e = 0; e < row->count; e++) {
    const double d = node_weight * chord->d[column(row, e)];
    rest->of_slopes += (node[e] - row->slope[e]) * d;
    rest->terms += (fabs(node[e]) + fabs(row->slope[e])) * fabs(d);
  }
}

double rattle__chord_better(double of_values, const rattle__rest *rest, double *unit) {
  if (fabs(of_values - rest->of_slopes) > 16 * *unit)
    return of_values; /* a long chord along which F is nearly odd */
  *unit = 0;
  return fabs(rest->of_slopes) > 4 * DBL_EPSILON * rest->terms ? rest->of_slopes : 0;
}

void rattle__chord_add(rattle__chord *chord, const rattle__row *row, double weight, double rest,
                       double unit) {
  const double along = chord->d2 > 0 ? weight * rest / chord->d2 : 0;
  const double noise = chord->d2 > 0 ? fabs(weight) * unit / (DBL_EPSILON * chord->d2) : 0;
  for (int e = 0; e < row->count; e++) {
    const int c = column(row, e);
    chord->total[c] += weight * row->slope[e];
    chord->terms[c] += fabs(weight * row->slope[e]);
  }
  if (along == 0 && noise == 0) return;
  chord->along += along;
  for (int c = 0; c < chord->size; c++) {
    chord->total[c] += along * chord->e[c];
    chord->terms[c] += (fabs(along) + noise) * fabs(chord->e[c]);
  }
}

void rattle__chord_take_bend(const rattle__chord *chord, const rattle__function *f, const double *S,
                             double *target, double *size) {
  for (int r = 0; r < f->vars; r++)
    for (int e = f->hess_ptr[r]; e < f->hess_ptr[r + 1]; e++) {
      const double term = 0.5 * S[e] * chord->d[f->hess_col[e]];
      target[r] -= term;
      size[r] += fabs(term);
    }
}
