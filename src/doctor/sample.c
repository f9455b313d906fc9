/* Points of the manifold chi = 0: the start and random points around it, moved there by Gauss-Newton.
 *
 * In units of s_q and s_p: rows of chi' of length 1, y the solution of chi' y = chi of smallest length (LAPACK dgelsy, which
 * takes dependent rows as they come), x <- x - y, halved while the residual grows. Random points begin `spread` units away from
 * the start; where Gauss-Newton does not get to the manifold from so far, nearer. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "doctor/dirac.h"

enum { ITERATIONS = 80, HALVINGS = 10 };
static const double round_off = 8, furthest = 0.3, nearest = 1e-5;

/* In [-1, 1): splitmix64 of G. Steele, D. Lea, C. Flood, OOPSLA 2014. */
static double draw(rattle__dirac *d) {
  uint64_t z = d->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* --- sizes -------------------------------------------------------------------------------------------------------------------
 */

/* |H_q| s_q and |H_p| s_p at the coordinates of the start, with momenta s_p. */
static rattle_status balance(rattle__dirac *d, double s_p, double *kinetic, double *potential, rattle_error *error) {
  rattle__sample *s = &d->reference;
  for (int k = 0; k < d->n; k++) {
    s->x[2 * k] = d->sample[0].x[2 * k];
    s->x[2 * k + 1] = s_p;
  }
  s->known = 0;
  rattle_status status = rattle__values(d, s, error);
  *kinetic = *potential = 0;
  for (int k = 0; k < d->n && !status; k++) {
    *potential = fmax(*potential, fabs(s->value[d->motion.d[2 * k]]) * d->scale[2 * k]);
    *kinetic = fmax(*kinetic, fabs(s->value[d->motion.d[2 * k + 1]]) * s_p);
  }
  return status;
}

/* For momenta that are 0 at the start: the size at which p H_p is what q H_q is; 1 where there is none. */
static rattle_status momentum_size(rattle__dirac *d, double *size, rattle_error *error) {
  enum { BISECTIONS = 60 };
  double kinetic, potential, low = 1e-30, high = 1e30;
  rattle_status status = balance(d, low, &kinetic, &potential, error);
  *size = 1;
  if (status || !(potential > 0) || !(kinetic < potential)) return status;
  status = balance(d, high, &kinetic, &potential, error);
  if (status || !(kinetic > potential)) return status;
  for (int k = 0; k < BISECTIONS && !status; k++) {
    double middle = sqrt(low) * sqrt(high);
    status = balance(d, middle, &kinetic, &potential, error);
    *(kinetic > potential ? &high : &low) = middle;
  }
  *size = high;
  return status;
}

static rattle_status sizes(rattle__dirac *d, rattle_error *error) {
  double q = 0, p = 0;
  const double *x = d->sample[0].x;
  for (int k = 0; k < d->n; k++) {
    q = fmax(q, fabs(x[2 * k]));
    p = fmax(p, fabs(x[2 * k + 1]));
  }
  if (!(q > 0)) q = 1;
  for (int k = 0; k < d->vars; k++) d->scale[k] = q;
  rattle_status status = p > 0 ? RATTLE_OK : momentum_size(d, &p, error);
  for (int k = 0; k < d->n; k++) d->scale[2 * k + 1] = p;
  d->action = q * p;
  return status;
}

/* --- onto the manifold -------------------------------------------------------------------------------------------------------
 */

/* Scratch of one projection. */
typedef struct path {
  double *y, *old, *size; /* step [max(vars, count)], the point before it [vars], sizes of gradients at first [count] */
  double merit;           /* sum (chi_i/size_i)^2 */
  int inside;             /* every residual is round-off */
} path;

static void look(const rattle__dirac *d, const rattle__sample *s, path *w) {
  double sum = 0;
  w->inside = 1;
  for (int i = 0; i < d->count; i++) {
    if (d->chi[i].redundant) continue;
    double r = s->value[d->chi[i].e];
    if (!(fabs(r) <= round_off * s->bound[d->chi[i].e])) w->inside = 0;
    sum += (r / w->size[i]) * (r / w->size[i]);
  }
  w->merit = isfinite(sum) ? sum : (double)INFINITY;
}

/* y with chi' y = chi in units; *length: its largest entry. */
static rattle_status newton_step(rattle__dirac *d, const rattle__sample *s, double *y, double *length, rattle_error *error) {
  int rows = 0, at = 0;
  for (int i = 0; i < d->count; i++) rows += !d->chi[i].redundant;
  double *A = rattle__dirac_matrix(d, (size_t)rows * (size_t)d->vars);
  if (!A) return rattle__no_memory(error);
  for (int i = 0; i < d->count; i++) {
    if (d->chi[i].redundant) continue;
    double size = rattle__gradient_size(d, s, &d->chi[i]);
    if (!(size > 0)) size = 1;
    for (int k = 0; k < d->vars; k++) A[(size_t)at + (size_t)k * (size_t)rows] = s->value[d->chi[i].d[k]] * d->scale[k] / size;
    y[at++] = s->value[d->chi[i].e] / size;
  }
  if (rattle__least_squares(d, rows, d->vars, A, y) < 0) return rattle__no_memory(error);
  *length = 0;
  for (int k = 0; k < d->vars; k++) *length = isfinite(y[k]) ? fmax(*length, fabs(y[k])) : (double)INFINITY;
  return RATTLE_OK;
}

static rattle_status move(const rattle__dirac *d, rattle__sample *s, path *w, double t, rattle_error *error) {
  for (int k = 0; k < d->vars; k++) s->x[k] = w->old[k] - t * w->y[k] * d->scale[k];
  s->known = 0;
  rattle_status status = rattle__values(d, s, error);
  if (!status) look(d, s, w);
  return status;
}

/* A step that does not grow the residual: t = 1, 1/2, ... *stuck: there is none. */
static rattle_status advance(rattle__dirac *d, rattle__sample *s, path *w, int *stuck, rattle_error *error) {
  double t = 1, before = w->merit, length;
  memcpy(w->old, s->x, (size_t)d->vars * sizeof *w->old);
  rattle_status status = newton_step(d, s, w->y, &length, error);
  *stuck = !isfinite(length);
  for (int k = 0; k <= HALVINGS && !status && !*stuck; k++, t *= 0.5) {
    status = move(d, s, w, t, error);
    if (w->merit < before || w->inside) return status;
  }
  *stuck = 1;
  return status ? status : move(d, s, w, 0, error);
}

/* At a point that cannot be bettered: whether its residuals are nearly round-off. */
static int nearly_inside(const rattle__dirac *d, const rattle__sample *s) {
  for (int i = 0; i < d->count; i++)
    if (!d->chi[i].redundant && !(fabs(s->value[d->chi[i].e]) <= 100 * round_off * s->bound[d->chi[i].e])) return 0;
  return 1;
}

/* s->good: whether it got there. */
static rattle_status project(rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  size_t vars = (size_t)d->vars, count = (size_t)d->count, longest = vars > count ? vars : count;
  path w = {.y = calloc(longest + vars + count, sizeof *w.y)};
  if (!w.y) return rattle__no_memory(error);
  w.old = w.y + longest;
  w.size = w.old + vars;
  s->known = 0;
  s->good = 0;
  rattle_status status = rattle__values(d, s, error);
  for (int i = 0; i < d->count && !status; i++) {
    w.size[i] = rattle__gradient_size(d, s, &d->chi[i]);
    if (!(w.size[i] > 0)) w.size[i] = DBL_MIN + s->bound[d->chi[i].e] / DBL_EPSILON;
  }
  int stuck = 0;
  if (!status) look(d, s, &w);
  for (int k = 0; k < ITERATIONS && !status && !w.inside && !stuck && isfinite(w.merit); k++)
    status = advance(d, s, &w, &stuck, error);
  s->good = !status && (w.inside || (isfinite(w.merit) && nearly_inside(d, s)));
  free(w.y);
  return status;
}

/* Takes from a displacement v[vars], in units, what leads off the manifold at the start, where that is on it. */
static rattle_status make_tangent(rattle__dirac *d, double *v, rattle_error *error) {
  const rattle__sample *s = &d->sample[0];
  if (!s->good) return RATTLE_OK;
  int rows = d->count, longest = rows > d->vars ? rows : d->vars;
  double *A = rattle__dirac_matrix(d, (size_t)rows * (size_t)d->vars), *b = calloc((size_t)longest, sizeof *b);
  rattle_status status = A && b ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < rows && !status; i++) {
    double size = rattle__gradient_size(d, s, &d->chi[i]);
    for (int k = 0; k < d->vars; k++) {
      double entry = size > 0 ? s->value[d->chi[i].d[k]] * d->scale[k] / size : 0;
      A[(size_t)i + (size_t)k * (size_t)rows] = entry;
      b[i] += entry * v[k];
    }
  }
  if (!status && rattle__least_squares(d, rows, d->vars, A, b) < 0) status = rattle__no_memory(error);
  for (int k = 0; k < d->vars && !status; k++) v[k] -= b[k];
  free(b);
  return status;
}

/* A random point near the start, then onto the manifold; nearer where that fails. Moves are along the manifold first, so that the
 * point belongs to the sheet of the start where there are several. */
static rattle_status random_point(rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  double *v = malloc((size_t)d->vars * sizeof *v);
  rattle_status status = v ? RATTLE_OK : rattle__no_memory(error);
  while (!status) {
    for (int k = 0; k < d->vars; k++) v[k] = d->spread * draw(d);
    if (d->m) status = make_tangent(d, v, error);
    for (int k = 0; k < d->vars; k++) s->x[k] = d->sample[0].x[k] + d->scale[k] * v[k];
    if (!status) status = project(d, s, error);
    if (s->good || d->spread < nearest) break;
    d->spread *= 0.25;
  }
  free(v);
  return status;
}

static int allocate(rattle__dirac *d, rattle__sample *s) {
  s->x = rattle__arena_doubles(&d->arena, (size_t)d->vars);
  return s->x != NULL;
}

rattle_status rattle__samples_create(rattle__dirac *d, const double *start, rattle_error *error) {
  d->sample = rattle__arena_take(&d->arena, (size_t)d->samples * sizeof *d->sample);
  d->scale = rattle__arena_doubles(&d->arena, (size_t)d->vars);
  if (!d->sample || !d->scale || !allocate(d, &d->reference)) return rattle__no_memory(error);
  for (int i = 0; i < d->samples; i++)
    if (!allocate(d, &d->sample[i])) return rattle__no_memory(error);
  memcpy(d->sample[0].x, start, (size_t)d->vars * sizeof *start);
  rattle_status status = sizes(d, error);
  d->reference.known = 0;
  for (int k = 0; k < d->vars; k++) d->reference.x[k] = start[k] + furthest * d->scale[k] * draw(d);
  d->spread = furthest;
  if (!status) status = rattle__values(d, &d->sample[0], error);
  for (int i = 0; i < d->m && !status; i++) d->start_residual = fmax(d->start_residual, fabs(d->sample[0].value[d->chi[i].e]));
  if (!status) status = project(d, &d->sample[0], error);
  d->start_moved = memcmp(d->sample[0].x, start, (size_t)d->vars * sizeof *start) != 0;
  for (int i = 1; i < d->samples && !status; i++) status = random_point(d, &d->sample[i], error);
  return status;
}

rattle_status rattle__samples_project(rattle__dirac *d, int *found, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  *found = 0;
  for (int i = 0; i < d->samples && !status; i++) {
    if (d->sample[i].stray) continue;
    status = project(d, &d->sample[i], error);
    *found += d->sample[i].good;
  }
  return status;
}
