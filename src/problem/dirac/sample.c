/* Points of the manifold chi = 0: the start and random points around it, moved there by
 * Gauss-Newton.
 *
 * In units of s_q and s_p: rows of chi' of length 1, y the solution of chi' y = chi of smallest
 * length, which takes dependent rows as they come, x <- x - y, halved while the residual grows.
 * Random points begin `spread` units away from the start; nearer if gradients change by more than
 * their own size on the way (units of length are not those of the problem then), or if Gauss-Newton
 * does not get to the manifold from so far. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/dirac/dirac.h"
#include "ground/support/random.h"

enum { ITERATIONS = 80, HALVINGS = 10 };
static const double round_off = 8, furthest = 0.3, nearest = 1e-10, gain = 0.1, farthest = 1e-4;

/* --- onto the manifold ------------------------------------------------------------------------ */

/* Scratch of one projection. */
typedef struct descent {
  double *y, *old,
      *size;    /* step [max(vars, count)], the point before it [vars], sizes of gradients at first
                [count] */
  double merit; /* sum (chi_i/size_i)^2 */
  int inside;   /* every residual is round-off */
} descent;

/* True if chi_i is round-off, or a displacement by eps in units would cause it. */
static int is_inside(const rattle__dirac *d, const rattle__sample *s, int i, double units) {
  const rattle__chi *chi = &d->chi[i];
  return fabs(s->value[chi->e]) <=
         units * (s->bound[chi->e] + DBL_EPSILON * rattle__gradient_size(d, s, chi, NULL));
}

static void evaluate_merit(const rattle__dirac *d, const rattle__sample *s, descent *w) {
  double sum = 0;
  w->inside = 1;
  for (int i = 0; i < d->count; i++) {
    if (d->chi[i].redundant) continue;
    double r = s->value[d->chi[i].e];
    if (!is_inside(d, s, i, round_off)) w->inside = 0;
    sum += (r / w->size[i]) * (r / w->size[i]);
  }
  w->merit = isfinite(sum) ? sum : (double)INFINITY;
}

/* y with chi' y = chi in units; *length: its largest entry. */
static rattle_status newton_step(rattle__dirac *d, const rattle__sample *s, double *y,
                                 double *length, rattle_error *error) {
  int rows = 0, at = 0;
  for (int i = 0; i < d->count; i++) rows += !d->chi[i].redundant;
  double *A = rattle__dirac_matrix(d, (size_t)rows * (size_t)d->vars);
  if (!A) return rattle__no_memory(error);
  for (int i = 0; i < d->count; i++) {
    if (d->chi[i].redundant) continue;
    double size = rattle__gradient_size(d, s, &d->chi[i], NULL);
    if (!(size > 0)) size = 1;
    for (int k = 0; k < d->vars; k++)
      A[(size_t)at + (size_t)k * (size_t)rows] = s->value[d->chi[i].d[k]] * d->scale[k] / size;
    y[at++] = s->value[d->chi[i].e] / size;
  }
  const rattle_status status = rattle__dirac_shortest(rows, d->vars, A, y, error);
  if (status) return status;
  *length = 0;
  for (int k = 0; k < d->vars; k++)
    *length = isfinite(y[k]) ? fmax(*length, fabs(y[k])) : (double)INFINITY;
  return RATTLE_OK;
}

static rattle_status move(const rattle__dirac *d, rattle__sample *s, descent *w, double t,
                          rattle_error *error) {
  for (int k = 0; k < d->vars; k++) s->x[k] = w->old[k] - t * w->y[k] * d->scale[k];
  rattle_status status = rattle__values_at(d, s, error);
  if (!status) evaluate_merit(d, s, w);
  return status;
}

/* A step that does not grow the residual: t = 1, 1/2, ... *stuck: there is none. If residuals are
 * round-off already, one that makes them much smaller. */
static rattle_status advance(rattle__dirac *d, rattle__sample *s, descent *w, int *stuck,
                             rattle_error *error) {
  double t = 1, before = w->merit * (w->inside ? gain : 1), length = 0;
  int tries = w->inside ? 0 : HALVINGS;
  memcpy(w->old, s->x, (size_t)d->vars * sizeof *w->old);
  rattle_status status = newton_step(d, s, w->y, &length, error);
  *stuck = !isfinite(length);
  for (int k = 0; k <= tries && !status && !*stuck; k++, t *= 0.5) {
    status = move(d, s, w, t, error);
    if (w->merit < before || (w->inside && tries)) return status;
  }
  *stuck = 1;
  return status ? status : move(d, s, w, 0, error);
}

/* At a point that cannot be bettered: whether its residuals are nearly round-off. */
static int nearly_inside(const rattle__dirac *d, const rattle__sample *s) {
  for (int i = 0; i < d->count; i++)
    if (!d->chi[i].redundant && !is_inside(d, s, i, 100 * round_off)) return 0;
  return 1;
}

static double side(rattle__dirac *d) {
  return rattle__random_signed(&d->random) < 0 ? -1 : 1;
}

/* Twins of the point: moved along each vector of the frame, to either side at random, by what
 * residuals and their round-off come to, and in each coordinate by its rounding. */
static rattle_status make_twins(rattle__dirac *d, rattle__sample *s, double *shift,
                                rattle_error *error) {
  rattle__frame f;
  rattle_status status = rattle__frame_create(&f, d, error);
  for (int c = 0; c < d->count && !status; c++) {
    const rattle__chi *chi = &d->chi[c];
    shift[c] = (fabs(s->value[chi->e]) + s->bound[chi->e]) / rattle__gradient_size(d, s, chi, NULL);
    if (!chi->redundant) (void)rattle__frame_add(&f, d, s, c);
  }
  for (int t = 0; t < RATTLE__DIRAC_TWINS && !status; t++) {
    for (int k = 0; k < d->vars; k++) s->twin[t][k] = s->x[k] * (1 + DBL_EPSILON * side(d));
    for (int a = 0; a < f.count; a++) {
      const double *Q = f.Q + (size_t)a * (size_t)d->vars,
                   by = fmin(rattle__frame_shift(&f, a, shift), farthest) * side(d);
      for (int k = 0; k < d->vars; k++) s->twin[t][k] += by * Q[k] * d->scale[k];
    }
  }
  rattle__frame_destroy(&f);
  s->twins = RATTLE__DIRAC_TWINS;
  s->known = 0;
  return status ? status : rattle__values(d, s, error);
}

/* s->good: whether it got there. A point that is there already stays as it is. */
static rattle_status project(rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  size_t vars = (size_t)d->vars, count = (size_t)d->count, longest = vars > count ? vars : count;
  descent w = {.y = calloc(longest + vars + count, sizeof *w.y)};
  if (!w.y) return rattle__no_memory(error);
  w.old = w.y + longest;
  w.size = w.old + vars;
  s->good = 0;
  rattle_status status = rattle__values_at(d, s, error);
  for (int i = 0; i < d->count && !status; i++) {
    w.size[i] = rattle__gradient_size(d, s, &d->chi[i], NULL);
    if (!(w.size[i] > 0)) w.size[i] = DBL_MIN + s->bound[d->chi[i].e] / DBL_EPSILON;
  }
  if (!status) evaluate_merit(d, s, &w);
  int stuck = w.inside;
  for (int k = 0; k < ITERATIONS && !status && !stuck && isfinite(w.merit); k++)
    status = advance(d, s, &w, &stuck, error);
  s->good = !status && (w.inside || (isfinite(w.merit) && nearly_inside(d, s)));
  if (s->good) status = make_twins(d, s, w.size, error);
  free(w.y);
  return status;
}

/* Takes from a displacement v[vars], in units, what leads off the manifold at the start, where that
 * is on it. */
static rattle_status make_tangent(rattle__dirac *d, double *v, rattle_error *error) {
  const rattle__sample *s = &d->sample[0];
  if (!s->good) return RATTLE_OK;
  int rows = d->count, longest = rows > d->vars ? rows : d->vars;
  double *A = rattle__dirac_matrix(d, (size_t)rows * (size_t)d->vars),
         *b = calloc((size_t)longest, sizeof *b);
  rattle_status status = A && b ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < rows && !status; i++) {
    double size = rattle__gradient_size(d, s, &d->chi[i], NULL);
    for (int k = 0; k < d->vars; k++) {
      double entry = size > 0 ? s->value[d->chi[i].d[k]] * d->scale[k] / size : 0;
      A[(size_t)i + (size_t)k * (size_t)rows] = entry;
      b[i] += entry * v[k];
    }
  }
  if (!status) status = rattle__dirac_shortest(rows, d->vars, A, b, error);
  for (int k = 0; k < d->vars && !status; k++) v[k] -= b[k];
  free(b);
  return status;
}

/* A random point near the start, projected onto the manifold; nearer if this fails. The move is
 * along the manifold first, so that the point belongs to the sheet of the start if there are
 * several. */
rattle_status rattle__sample_near(rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  double *v = malloc((size_t)d->vars * sizeof *v);
  rattle_status status = v ? RATTLE_OK : rattle__no_memory(error);
  while (!status) {
    for (int k = 0; k < d->vars; k++) v[k] = d->spread * rattle__random_signed(&d->random);
    if (d->m) status = make_tangent(d, v, error);
    for (int k = 0; k < d->vars; k++) s->x[k] = d->sample[0].x[k] + d->scale[k] * v[k];
    if (!status) status = rattle__values_at(d, s, error);
    int anyhow = d->spread < nearest;
    if (!status && (anyhow || rattle__is_tame(d, s))) status = project(d, s, error);
    if (s->good && !anyhow) s->good = rattle__is_tame(d, s);
    if (s->good || anyhow) break;
    d->spread *= 0.25;
  }
  free(v);
  return status;
}

int rattle__sample_room(rattle__dirac *d, rattle__sample *s) {
  const size_t vars = (size_t)d->vars;
  s->x = rattle__arena_doubles(&d->arena, (1 + RATTLE__DIRAC_TWINS) * vars);
  for (size_t t = 0; t < RATTLE__DIRAC_TWINS && s->x; t++) s->twin[t] = s->x + (1 + t) * vars;
  return s->x != NULL;
}

void rattle__sample_release(rattle__sample *s) {
  free(s->value);
  free(s->bound);
  for (int t = 0; t < RATTLE__DIRAC_TWINS; t++) free(s->other[t]);
}

rattle_status rattle__samples_create(rattle__dirac *d, const double *start, rattle_error *error) {
  d->sample = rattle__arena_take(&d->arena, (size_t)d->samples * sizeof *d->sample);
  d->scale = rattle__arena_doubles(&d->arena, (size_t)d->vars);
  if (!d->sample || !d->scale || !rattle__sample_room(d, &d->reference))
    return rattle__no_memory(error);
  for (int i = 0; i < d->samples; i++)
    if (!rattle__sample_room(d, &d->sample[i])) return rattle__no_memory(error);
  memcpy(d->sample[0].x, start, (size_t)d->vars * sizeof *start);
  rattle_status status = rattle__units(d, error);
  for (int k = 0; k < d->vars; k++)
    d->reference.x[k] = start[k] + furthest * d->scale[k] * rattle__random_signed(&d->random);
  if (!status) status = rattle__values_at(d, &d->reference, error);
  d->spread = furthest;
  if (!status) status = rattle__values_at(d, &d->sample[0], error);
  for (int i = 0; i < d->m && !status; i++)
    d->start_residual = fmax(d->start_residual, fabs(d->sample[0].value[d->chi[i].e]));
  if (!status) status = project(d, &d->sample[0], error);
  d->start_moved = memcmp(d->sample[0].x, start, (size_t)d->vars * sizeof *start) != 0;
  for (int i = 1; i < d->samples && !status; i++)
    status = rattle__sample_near(d, &d->sample[i], error);
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
