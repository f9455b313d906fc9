/* Sizes s_q, s_p of coordinates and momenta, s_q s_p = A for all pairs.
 *
 * Those for which, at the start, all derivatives of a function that are not 0 come to about the
 * same in units, and the start to about 1. With x_j = log s_j and F_j, F_jk the derivatives of the
 * functions g_i and H,
 *
 *     rho_F + log|F_j| + x_j = 0        rho_F + log|F_jk| + x_j + x_k = 0        x_j = log|z_j|
 *     x_2k + x_2k+1 = log A
 *
 * by least squares of the unknowns rho_F, x_2k, log A (A. R. Curtis, J. K. Reid, J. Inst. Maths
 * Applics 10 (1972) 118); equations that are far from holding weigh less (P. J. Huber, Ann. Math.
 * Statist. 35 (1964) 73). So the unit of a pair, of g_i or of H makes no difference, nor does an
 * origin far away.
 *
 * A number below eps of the others in units counts as 0, and 0 makes no equation: equations of
 * small numbers fade before (decision 103). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/dirac/dirac.h"
#include "ground/support/error.h"
#include "ground/support/random.h"

enum { POINTS = 3, PASSES = 3, WEIGHINGS = 12 };
static const double of_start = 0.3, of_guess = 0.03;

/* weight (value + y[row] + x_j + x_k) = 0; row, j, k < 0: none. vanishes: the sign of the left-hand
 * side where the number behind the equation is small in units; 0: no number is. */
typedef struct size_equation {
  int row, j, k, vanishes;
  double value, weight;
} size_equation;

typedef struct fit {
  rattle__dirac *d;
  size_equation *equation;
  int count, room, unknowns; /* y: x_2k [n], log A, rho of H, of g [m] */
  double *y, *normal;
  int failed; /* no memory */
} fit;

static void add(fit *f, size_equation e) {
  if (f->count == f->room) {
    int room = 2 * f->room + 64;
    size_equation *larger = realloc(f->equation, (size_t)room * sizeof *larger);
    f->failed |= !larger;
    if (!larger) return;
    f->equation = larger;
    f->room = room;
  }
  if (isfinite(e.value)) f->equation[f->count++] = e;
}

/* The unknowns of an equation and their coefficients. */
static int terms(const fit *f, const size_equation *e, int at[5], double c[5]) {
  const int pair[2] = {e->j, e->k}, n = f->d->n;
  int count = 0;
  if (e->row >= 0) at[count] = e->row, c[count++] = 1;
  for (int i = 0; i < 2; i++) {
    if (pair[i] < 0) continue;
    if (pair[i] % 2) at[count] = n, c[count++] = 1;
    at[count] = pair[i] / 2, c[count++] = pair[i] % 2 ? -1 : 1;
  }
  return count;
}

/* By how much an equation is off. */
static double residual(const fit *f, const size_equation *e) {
  int at[5];
  double c[5], r = e->value;
  const int count = terms(f, e, at, c);
  for (int u = 0; u < count; u++) r += c[u] * f->y[at[u]];
  return r;
}

/* Huber's weight. An equation of a number that is small in units weighs less, and nothing where the
 * number is eps of the others: it counts as 0 there, and 0 makes no equation. */
static double weigh(const size_equation *e, double r, int fading) {
  const double fades = fading ? e->vanishes * r / -log(DBL_EPSILON) : 0;
  return e->weight * e->weight * fmin(1, fmax(0, 1 - fades)) / fmax(1, fabs(r));
}

/* True if no number that makes an equation counts as 0. */
static int explains_all(const fit *f) {
  for (int i = 0; i < f->count; i++)
    if (!(weigh(&f->equation[i], residual(f, &f->equation[i]), 1) > 0)) return 0;
  return 1;
}

/* y from the equations, the normal equations solved a few times. */
static void solve(fit *f, int fading) {
  size_t size = (size_t)f->unknowns;
  for (int pass = 0; pass < WEIGHINGS && !f->failed; pass++) {
    double *A = rattle__dirac_matrix(f->d, size * size), *b = f->normal;
    if (!A) {
      f->failed = 1;
      return;
    }
    for (size_t i = 0; i < size * size; i++) A[i] = 0;
    for (size_t i = 0; i < size; i++) b[i] = 0;
    for (int i = 0; i < f->count; i++) {
      const size_equation *e = &f->equation[i];
      int at[5];
      double c[5];
      const int count = terms(f, e, at, c);
      const double w = weigh(e, residual(f, e), fading);
      for (int u = 0; u < count; u++) {
        b[at[u]] -= w * c[u] * e->value;
        for (int v = 0; v < count; v++) A[(size_t)at[u] * size + (size_t)at[v]] += w * c[u] * c[v];
      }
    }
    f->failed |= rattle__dirac_shortest(f->unknowns, f->unknowns, A, b, NULL) == RATTLE_NO_MEMORY;
    for (size_t i = 0; i < size; i++) f->y[i] = isfinite(b[i]) ? b[i] : 0;
  }
}

/* Fits all numbers, which is right if units are found in which none counts as 0. Else some of them
 * are what rounding has left of a 0, such as 6e-17 for the cosine of a right angle, and those that
 * are not small in the units guessed are fitted. */
static void solve_first(fit *f) {
  const size_t bytes = (size_t)f->unknowns * sizeof *f->y;
  double *guess = f->normal + f->unknowns;
  memcpy(guess, f->y, bytes);
  solve(f, 0);
  if (explains_all(f)) return;
  memcpy(f->y, guess, bytes);
  solve(f, 1);
}

/* --- equations -------------------------------------------------------------------------------- */

/* True if derivatives at a point near the start are not of the size of those at the start: second
 * ones, or the first ones of a linear function. Offsets are those of the function. */
static int is_wild(const rattle__dirac *d, const rattle__slopes *here, const rattle__slopes *start,
                   const rattle__chi *F, size_t at) {
  const double most = 10;
  double first[2] = {0, 0}, second[2] = {0, 0};
  const rattle__slopes *of[2] = {here, start};
  for (int i = 0; i < F->nnz; i++)
    for (int t = 0; t < 2; t++) {
      const size_t root = at + (size_t)i;
      first[t] = hypot(first[t], of[t]->first[root] * d->scale[F->at[i]]);
      for (int k = 0; k < d->vars && of[t]->second; k++)
        second[t] = hypot(second[t], of[t]->second[root * (size_t)d->vars + (size_t)k] *
                                         d->scale[F->at[i]] * d->scale[k]);
    }
  if (!isfinite(first[0]) || !isfinite(second[0])) return 1;
  return second[1] > 0 ? second[0] > most * second[1] : first[1] > 0 && first[0] > most * first[1];
}

static int is_any_wild(const rattle__dirac *d, const rattle__slopes *here,
                       const rattle__slopes *start) {
  size_t at = 0;
  for (int i = 0; i <= d->count; i++) {
    if (is_wild(d, here, start, rattle__slopes_function(d, i), at)) return 1;
    at += (size_t)rattle__slopes_function(d, i)->nnz;
  }
  return 0;
}

/* A point near the start: by a share of each coordinate while sizes are not known, then by a share
 * of those. */
static rattle_status displace(rattle__dirac *d, rattle__slopes *here, const rattle__slopes *start,
                              int pass, rattle_error *error) {
  const double furthest = 0.3, nearest = 1e-10;
  rattle__sample *s = &d->reference;
  rattle_status status = RATTLE_OK;
  for (double by = furthest; !status && by >= nearest; by *= 0.1) {
    for (int k = 0; k < d->vars; k++)
      s->x[k] = d->sample[0].x[k] +
                by * (pass ? d->scale[k] : d->sample[0].x[k]) * rattle__random_signed(&d->random);
    status = rattle__slopes_at(here, d, s, error);
    if (!is_any_wild(d, here, start)) break;
  }
  return status;
}

/* most <- the largest derivatives at the start and at points near it: what vanishes at the start
 * alone is not as small as it looks */
static rattle_status survey(rattle__slopes slopes[3], rattle__dirac *d, int pass,
                            rattle_error *error) {
  rattle__slopes *most = &slopes[0], *here = &slopes[1], *start = &slopes[2];
  rattle_status status = rattle__slopes_at(start, d, &d->sample[0], error);
  for (size_t i = 0; i < start->size && !status; i++) most->first[i] = start->first[i];
  for (int point = 1; point < POINTS && !status; point++) {
    status = displace(d, here, start, pass, error);
    for (size_t i = 0; i < most->size && !status; i++)
      if (isfinite(here->first[i])) most->first[i] = fmax(most->first[i], here->first[i]);
  }
  return status;
}

/* The derivatives of F, and for y[row] to begin with the largest of them in units. */
static void add_function(fit *f, int row, const rattle__chi *F, const double *first,
                         const double *second) {
  const rattle__dirac *d = f->d;
  double most = 0;
  for (int i = 0; i < F->nnz; i++) {
    const int j = F->at[i];
    most = fmax(most, first[i] * d->scale[j]);
    add(f, (size_equation){row, j, -1, -1, log(first[i]), 1});
    for (int k = 0; k <= j && second; k++) {
      const double value = second[i * d->vars + k];
      most = fmax(most, value * d->scale[j] * d->scale[k]);
      add(f, (size_equation){row, j, k, -1, log(value), 1});
    }
  }
  f->y[row] = most > 0 && isfinite(most) ? -log(most) : 0;
}

static void collect(fit *f, const rattle__slopes *of) {
  const rattle__dirac *d = f->d;
  f->count = 0;
  for (int k = 0; k < d->n; k++) f->y[k] = log(d->scale[2 * k]);
  f->y[d->n] = log(d->action);
  for (int j = 0; j < d->vars; j++) {
    const double start = fabs(d->sample[0].x[j]);
    if (start > 0) add(f, (size_equation){-1, j, -1, 1, -log(start), of_start});
    add(f, (size_equation){-1, j, -1, 0, -log(d->scale[j]), of_guess});
  }
  for (int i = 0, at = 0; i <= d->count; i++) {
    const rattle__chi *F = rattle__slopes_function(d, i);
    add_function(f, d->n + 1 + i, F, of->first + at,
                 of->second ? of->second + (size_t)at * (size_t)d->vars : NULL);
    at += F->nnz;
  }
}

/* The largest coordinate for all coordinates, the largest momentum for all momenta. */
static void guess(rattle__dirac *d) {
  double size[2] = {0, 0};
  for (int k = 0; k < d->vars; k++) size[k % 2] = fmax(size[k % 2], fabs(d->sample[0].x[k]));
  for (int k = 0; k < d->vars; k++) d->scale[k] = size[k % 2] > 0 ? size[k % 2] : 1;
  d->action = d->scale[0] * d->scale[1];
}

rattle_status rattle__units(rattle__dirac *d, rattle_error *error) {
  fit f = {.d = d, .unknowns = d->n + 2 + d->count};
  rattle__slopes slopes[3] = {0};
  guess(d);
  f.y = calloc(3 * (size_t)f.unknowns, sizeof *f.y);
  f.normal = f.y ? f.y + f.unknowns : NULL;
  rattle_status status = f.y ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < 3 && !status; i++) status = rattle__slopes_create(&slopes[i], d, error);
  for (int pass = 0; pass < PASSES && !status; pass++) {
    status = survey(slopes, d, pass, error);
    if (status) break;
    collect(&f, &slopes[0]);
    if (pass)
      solve(&f, 1);
    else
      solve_first(&f);
    if (f.failed) status = rattle__no_memory(error);
    d->action = exp(f.y[d->n]);
    for (int k = 0; k < d->n; k++) {
      d->scale[2 * k] = exp(f.y[k]);
      d->scale[2 * k + 1] = d->action / d->scale[2 * k];
    }
  }
  for (int i = 0; i < 3; i++) rattle__slopes_destroy(&slopes[i]);
  free(f.y);
  free(f.equation);
  return status;
}
