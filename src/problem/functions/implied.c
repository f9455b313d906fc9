/* Constraints on velocities that follow from others, those on coordinates included, at the start
 * and at points of the manifold near it: they are left out of a problem, whose motion is the same.
 *
 * Points     the start and some near it, at a share of its size in the metric of the masses and in
 *            random directions that g permits, at times of the run, each put onto g = 0 by Newton's
 *            method along H_pp G^T. A row that depends at one of them alone has a singular position
 *            there. For up to 300 constraints
 * Order      rows that depend on those before them at the start stand last, since others may there
 *            where the same sum of rows is 0 elsewhere: of three components of a velocity at a wall
 *            the one that is normal to it
 * In a run   rows that are left out are evaluated after each step that keeps psi
 *            (runs/integrate/omitted.c). They are not solved beside the others: g(q1) = 0 and
 *            A(q1/2) (q1 - q0) = 0 of a row that follows from g differ by O(h^3), and least squares
 *            would keep neither */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/random.h"
#include "problem/functions/velocity.h"
#include "problem/model/model.h"

enum { MOST = 300, POINTS = 4, CORRECTIONS = 50 };
static const double spread = 0.05;

typedef struct search {
  rattle__reaction *s;
  double *start, *z, *errors; /* [2n], [2n], [m n] */
  unsigned char *here;        /* [m]: what depends at a point */
  double *sorted;             /* [m n] */
  int *order;                 /* [m]: rows as they are made orthogonal */
} search;

static int looks(rattle__reaction *s, const double *z) {
  return !rattle__reaction_look(s, z, NULL) && !rattle__reaction_metric(s, z, NULL);
}

/* q of z onto g = 0; 0: it is not reached. A correction after one of some 1e-8 is the last. */
static int settle(search *w) {
  rattle__reaction *s = w->s;
  double size = INFINITY, whole = 0;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!looks(s, w->z)) return 0;
    (void)rattle__reaction_orthogonal(s, NULL, w->here);
    memcpy(s->lambda, s->g, (size_t)s->m * sizeof *s->lambda); /* rows on velocities have g = 0 */
    rattle__reaction_solve(s, s->lambda);
    const int last = size <= DBL_EPSILON * whole;
    size = whole = 0;
    for (int i = 0; i < s->holonomic; i++) {
      if (w->here[i]) return 0;
      size += s->lambda[i] * s->lambda[i] * fabs(s->length[i]);
      for (int c = 0; c < s->n; c++) w->z[c] -= s->pushed[i * s->n + c] * s->lambda[i];
    }
    for (int c = 0; c < s->n; c++)
      if (s->root[c] > 0) whole += w->z[c] * w->z[c] / (s->root[c] * s->root[c]);
    if (!(size < INFINITY)) return 0;
    if (last || size == 0) return looks(s, w->z);
  }
  return 0;
}

/* The root of the sum of x_c^2/root_c^2. */
static double length_of(const rattle__reaction *s, const double *x) {
  double sum = 0;
  for (int c = 0; c < s->n; c++)
    if (s->root[c] > 0) sum += x[c] * x[c] / (s->root[c] * s->root[c]);
  return sqrt(sum);
}

/* The k-th point near the start, in a random direction that g permits there, where the rows of g
 * are orthogonal. */
static void perturb(search *w, int k) {
  rattle__reaction *s = w->s;
  const int n = s->n;
  const rattle_model *model = s->problem->model;
  const double span = model->wishes.stop - model->wishes.start_time; /* NaN: none is given */
  double *x = w->z, size = length_of(s, w->start);
  for (int c = 0; c < n; c++)
    x[c] = s->root[c] * (2 * rattle__random_unit(1, (uint64_t)(k * n + c) + 1) - 1);
  (void)looks(s, w->start);
  (void)rattle__reaction_orthogonal(s, NULL, w->here);
  for (int i = 0; i < s->holonomic; i++) {
    double part = 0;
    for (int c = 0; c < n; c++) part += s->Q[i * n + c] * x[c];
    for (int c = 0; c < n; c++) x[c] -= part / s->length[i] * s->pushed[i * n + c];
  }
  const double all = length_of(s, x), by = all > 0 ? spread * (size > 0 ? size : 1) / all : 0;
  for (int c = 0; c < n; c++) x[c] = w->start[c] + by * x[c];
  if (model->clock)
    x[model->clock - 1] += (isfinite(span) ? span : 1) * rattle__random_unit(1, (uint64_t)k);
  memcpy(w->z + n, w->start + n, (size_t)n * sizeof *w->z);
}

/* The rows of a matrix [m n] in the order of w, which is left in w->sorted as it was. */
static void sort(search *w, double *row) {
  const size_t n = (size_t)w->s->n, m = (size_t)w->s->m;
  memcpy(w->sorted, row, m * n * sizeof *row);
  for (size_t i = 0; i < m; i++)
    memcpy(row + i * n, w->sorted + (size_t)w->order[i] * n, n * sizeof *row);
}

/* The order of w: those that are not in `last`, and those that are. */
static void put_last(search *w, const unsigned char *last) {
  for (int which = 0, at = 0; which < 2; which++)
    for (int i = 0; i < w->s->m; i++)
      if ((last && last[i]) == which) w->order[at++] = i;
}

/* implied [m]: those that depend at all points, and contradict nothing there. 0: none do. */
static int find(search *w, unsigned char *implied) {
  rattle__reaction *s = w->s;
  int any = 1;
  put_last(w, NULL);
  for (int k = 0; k < POINTS && any; k++) {
    if (k) perturb(w, k);
    if (!settle(w) || rattle__reaction_errors(s, w->z, w->errors, NULL)) return 0;
    sort(w, w->errors);
    sort(w, s->C);
    (void)rattle__reaction_orthogonal(s, w->errors, w->here);
    if (!k) memcpy(w->start, w->z, 2 * (size_t)s->n * sizeof *w->z);
    any = 0;
    for (int at = 0; at < s->m; at++) {
      const int i = w->order[at];
      if (w->here[at] && i < s->holonomic) return 0;
      if (w->here[at] && rattle__reaction_contradicts(s, w->errors, at)) w->here[at] = 0;
      implied[i] = w->here[at] && (!k || implied[i]);
      any |= implied[i];
    }
    memcpy(s->C, w->sorted, (size_t)s->m * (size_t)s->n * sizeof *s->C);
    if (!k) put_last(w, implied);
  }
  return any;
}

/* A row of zeros says nothing, which is no consequence of others; a row whose square is 0 or
 * infinite only seems to. */
static void keep_empty(const rattle__reaction *s, unsigned char *implied) {
  for (int i = s->holonomic; i < s->m; i++) {
    double most = 0;
    for (int k = 0; k < s->n; k++) most = fmax(most, fabs(s->C[i * s->n + k]) * s->root[k]);
    if (!(most * most > 0) || !isfinite(most * most)) implied[i] = 0;
  }
}

rattle_status rattle__velocity_implied(const rattle_problem *problem, unsigned char *implied,
                                       rattle_error *error) {
  const rattle_model *model = problem->model;
  const size_t n = (size_t)problem->n, rows = (size_t)problem->velocity->rows,
               m = rows + (size_t)problem->m;
  rattle__arena arena = {0};
  search w = {0};
  memset(implied, 0, rows);
  if (m > MOST) return RATTLE_OK; /* the start refuses them */
  rattle_status status = rattle__reaction_create(&w.s, problem, &arena, error);
  const rattle__array array[] = {
      {&w.start, 2 * n}, {&w.z, 2 * n}, {&w.errors, m * n}, {&w.sorted, m * n}};
  RATTLE__LAY_OUT(&arena, array);
  w.order = rattle__arena_take(&arena, m * sizeof *w.order);
  w.here = rattle__arena_take(&arena, m);
  unsigned char *all = rattle__arena_take(&arena, m);
  if (!status && arena.failed) status = rattle__no_memory(error);
  for (int k = 0; k < model->n && !status; k++) {
    w.z[k] = w.start[k] = model->pair[k].q;
    w.z[n + (size_t)k] = w.start[n + (size_t)k] = model->pair[k].p;
  }
  if (!status && find(&w, all)) {
    keep_empty(w.s, all);
    memcpy(implied, all + problem->m, rows);
  }
  rattle__reaction_destroy(&w.s);
  rattle__arena_release(&arena);
  return status;
}
