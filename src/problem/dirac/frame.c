/* Orthonormal combinations of gradients, with bounds of their errors (dirac.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/dirac/dirac.h"
#include "ground/support/error.h"

rattle_status rattle__frame_create(rattle__frame *f, const rattle__dirac *d, rattle_error *error) {
  size_t most = (size_t)d->count + 1, vars = (size_t)d->vars;
  *f = (rattle__frame){.vars = d->vars, .room = d->count + 1};
  f->chi = calloc(most, sizeof *f->chi);
  f->Q =
      calloc(most * ((1 + RATTLE__DIRAC_TWINS) * vars + most) + 4 * most + 2 * vars, sizeof *f->Q);
  if (!f->chi || !f->Q) {
    rattle__frame_destroy(f);
    return rattle__no_memory(error);
  }
  f->T = f->Q + most * vars;
  f->change = f->T + most * most;
  f->error = f->change + most * RATTLE__DIRAC_TWINS * vars;
  f->own = f->error + most;
  f->part = f->own + most;
  f->dot = f->part + most;
  f->row = f->dot + most;
  f->turn = f->row + vars;
  return RATTLE_OK;
}

void rattle__frame_destroy(rattle__frame *f) {
  free(f->chi);
  free(f->Q);
  *f = (rattle__frame){0};
}

void rattle__frame_clear(rattle__frame *f) {
  f->count = f->of_g = 0;
}

static double length(const double *v, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

/* Subtracts from the row its parts along Q, twice; returns the remaining length. */
static double reject(rattle__frame *f) {
  memset(f->dot, 0, (size_t)f->room * sizeof *f->dot);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < f->count; j++) {
      const double *Q = f->Q + (size_t)j * (size_t)f->vars;
      double product = 0;
      for (int k = 0; k < f->vars; k++) product += f->row[k] * Q[k];
      for (int k = 0; k < f->vars; k++) f->row[k] -= product * Q[k];
      f->dot[j] += product;
    }
  return length(f->row, f->vars);
}

static double *change_of(const rattle__frame *f, int a, int twin) {
  return f->change + ((size_t)a * RATTLE__DIRAC_TWINS + (size_t)twin) * (size_t)f->vars;
}

/* The row, a gradient over `size` without its parts along Q, differs at a twin by a vector; returns
 * the length of that. */
static double turn(rattle__frame *f, const rattle__dirac *d, const rattle__sample *s,
                   const rattle__chi *chi, int twin, double size) {
  memset(f->turn, 0, (size_t)f->vars * sizeof *f->turn);
  for (int i = 0; i < chi->nnz; i++) {
    const rattle_expr e = chi->d[chi->at[i]];
    f->turn[chi->at[i]] = (s->other[twin][e] - s->value[e]) * d->scale[chi->at[i]] / size;
  }
  for (int j = 0; j < f->count; j++) {
    const double *change = change_of(f, j, twin);
    for (int k = 0; k < f->vars; k++) f->turn[k] -= f->dot[j] * change[k];
  }
  return length(f->turn, f->vars);
}

/* The largest difference of the gradient at the twins. */
static double gradient_change(const rattle__dirac *d, const rattle__sample *s,
                              const rattle__chi *chi) {
  double most = 0;
  for (int t = 0; t < s->twins; t++) {
    double sum = 0;
    for (int i = 0; i < chi->nnz; i++) {
      const rattle_expr e = chi->d[chi->at[i]];
      sum = hypot(sum, (s->other[t][e] - s->value[e]) * d->scale[chi->at[i]]);
    }
    most = fmax(most, sum);
  }
  return most;
}

rattle__addition rattle__frame_add(rattle__frame *f, const rattle__dirac *d,
                                   const rattle__sample *s, int c) {
  const rattle__chi *chi = &d->chi[c];
  double bound, size = rattle__gradient_size(d, s, chi, &bound);
  if (!(size > RATTLE__GENEROUS * (bound + gradient_change(d, s, chi)))) return RATTLE__NO_GRADIENT;
  for (int k = 0; k < f->vars; k++) f->row[k] = s->value[chi->d[k]] * d->scale[k] / size;
  double left = reject(f), limit = f->own[f->count] = bound / size, most = 0;
  double *T = f->T + (size_t)f->count * (size_t)f->room,
         *Q = f->Q + (size_t)f->count * (size_t)f->vars;
  for (int b = 0; b < f->count; b++) {
    f->part[b] = 0;
    for (int j = b; j < f->count; j++)
      f->part[b] += f->dot[j] * f->T[(size_t)j * (size_t)f->room + (size_t)b];
    limit += fabs(f->part[b]) * f->own[b];
  }
  for (int t = 0; t < s->twins; t++) {
    most = fmax(most, turn(f, d, s, chi, t, size));
    for (int k = 0; k < f->vars; k++) change_of(f, f->count, t)[k] = f->turn[k] / left;
  }
  limit += most;
  if (!(left > RATTLE__GENEROUS * limit)) return RATTLE__DEPENDENT;
  for (int b = 0; b < f->count; b++) T[b] = -f->part[b] / left;
  for (int k = 0; k < f->vars; k++) Q[k] = f->row[k] / left;
  T[f->count] = 1 / left;
  f->error[f->count] = limit / left;
  f->chi[f->count++] = c;
  f->of_g += c < d->m;
  return RATTLE__INDEPENDENT;
}

void rattle__frame_at(rattle__frame *f, const rattle__dirac *d, const rattle__sample *s) {
  rattle__frame_clear(f);
  for (int c = 0; c < d->count; c++)
    if (rattle__is_used(&d->chi[c])) (void)rattle__frame_add(f, d, s, c);
}

double rattle__frame_shift(const rattle__frame *f, int a, const double *of_chi) {
  double sum = 0;
  for (int b = 0; b <= a; b++)
    sum += fabs(f->T[(size_t)a * (size_t)f->room + (size_t)b]) * of_chi[f->chi[b]];
  return sum;
}

static double bracket(const double *F, const double *G, int vars) {
  double sum = 0;
  for (int k = 0; k < vars; k += 2) sum += F[k] * G[k + 1] - F[k + 1] * G[k];
  return sum;
}

double *rattle__frame_brackets(const rattle__frame *f, rattle__dirac *d, int columns,
                               double *zero) {
  double *A = rattle__dirac_matrix(d, (size_t)f->count * (size_t)columns + 1), *at = A, sum = 0;
  for (int b = 0; b < columns && A; b++)
    for (int a = 0; a < f->count; a++) {
      double off = f->error[a] + f->error[b];
      *at++ =
          bracket(f->Q + (size_t)a * (size_t)f->vars, f->Q + (size_t)b * (size_t)f->vars, f->vars);
      sum += off * off;
    }
  *zero = RATTLE__GENEROUS * sqrt(sum);
  return A;
}

double rattle__frame_rates(rattle__frame *f, const rattle__dirac *d, const rattle__sample *s,
                           const rattle__chi *F, double *b) {
  double size = 0, bound = 0;
  memset(f->row, 0, (size_t)f->vars * sizeof *f->row);
  for (int a = 0; a < f->count; a++) {
    const rattle__chi *chi = &d->chi[f->chi[a]];
    for (int i = 0; i < chi->nnz; i++) f->row[chi->at[i] ^ 1] = 1;
  }
  for (int k = 0; k < f->vars; k++) {
    if (f->row[k] == 0) continue;
    f->row[k] = s->value[F->d[k]] * d->scale[k];
    size = hypot(size, f->row[k]);
    bound = hypot(bound, rattle__uncertainty(s, F->d[k]) * d->scale[k]);
  }
  for (int a = 0; a < f->count; a++)
    b[a] = size > 0 ? bracket(f->Q + (size_t)a * (size_t)f->vars, f->row, f->vars) / size : 0;
  return size > 0 ? bound / size + 1e-15 : 0;
}
