/* How well the rows of C are known at a point: what its own rounding, and that of g where it was
 * found by g = 0, makes of them (velocity.h). */
#include "problem/functions/velocity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"

typedef struct rank {
  rattle__reaction *s;
  double *reach, *known, *bound, *entry; /* [2n], [2n], [m], entries of a Jacobian */
  unsigned char *dependent;              /* [m] */
  void *room;
} rank;

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static rattle_status lay_out(rank *r, rattle__arena *arena, rattle_error *error) {
  const rattle__function *g = r->s->problem->g, *e = r->s->problem->velocity;
  const size_t n = (size_t)r->s->n, m = (size_t)r->s->m,
               entries = larger((size_t)e->jac_nnz, g ? (size_t)g->jac_nnz : 0);
  const rattle__array array[] = {
      {&r->reach, 2 * n}, {&r->known, 2 * n}, {&r->bound, m}, {&r->entry, entries}};
  RATTLE__LAY_OUT(arena, array);
  r->dependent = rattle__arena_take(arena, m);
  r->room = rattle__arena_take(
      arena, larger(rattle__round_off_room(e), g ? rattle__round_off_room(g) : 0));
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

/* How far off q is: each coordinate by rounding, as large as others in the metric of the masses,
 * since a zero may be 6e-17; and by how well g = 0 determines it. */
static rattle_status find_reach(rank *r, const double *z, rattle_error *error) {
  const rattle__reaction *s = r->s;
  const rattle__function *g = s->problem->g;
  const int n = s->n;
  const int clock = s->problem->clock - 1;
  double size = 0;
  for (int k = 0; k < n; k++)
    if (k != clock && s->root[k] > 0) size = fmax(size, fabs(z[k]) / s->root[k]);
  for (int k = 0; k < n; k++)
    r->reach[k] = k == clock ? 0 : DBL_EPSILON * fmax(fabs(z[k]), size * s->root[k]);
  if (!g) return RATTLE_OK;
  const int answer = rattle__round_off(g, z, r->reach, r->bound, NULL, r->room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  (void)rattle__reaction_orthogonal(r->s, NULL, r->dependent);
  for (int j = 0; j < s->holonomic; j++) {
    double off = 0;
    if (r->dependent[j]) continue;
    for (int l = 0; l <= j; l++) off += fabs(s->T[j * s->m + l]) * r->bound[l];
    for (int k = 0; k < n; k++) r->reach[k] += fabs(s->pushed[j * n + k] / s->length[j]) * off;
  }
  return RATTLE_OK;
}

/* Entries of a Jacobian in columns from .. from + n, as dense rows. */
static void scatter(const rank *r, const rattle__function *f, int from, double *rows) {
  const int n = r->s->n;
  for (int i = 0; i < f->rows; i++)
    for (int e = f->jac_ptr[i]; e < f->jac_ptr[i + 1]; e++)
      if (f->jac_col[e] >= from && f->jac_col[e] < from + n)
        rows[(size_t)i * (size_t)n + (size_t)(f->jac_col[e] - from)] = r->entry[e];
}

static rattle_status find_errors(rank *r, const double *z, double *errors, rattle_error *error) {
  const rattle__reaction *s = r->s;
  const rattle__function *g = s->problem->g, *e = s->problem->velocity;
  const size_t own = (size_t)e->vars / 2, n = (size_t)s->n;
  memset(errors, 0, (size_t)s->m * n * sizeof *errors);
  int answer = g ? rattle__round_off(g, z, r->reach, NULL, r->entry, r->room) : 0;
  if (answer) return rattle__callback_error(answer, "constraint", error);
  if (g) scatter(r, g, 0, errors);
  memcpy(r->known, z, own * sizeof *z); /* at rest: A is the derivative by velocities */
  memset(r->known + own, 0, own * sizeof *z);
  memset(r->reach + own, 0, own * sizeof *z);
  answer = rattle__round_off(e, r->known, r->reach, NULL, r->entry, r->room);
  if (!answer) scatter(r, e, (int)own, errors + (size_t)s->holonomic * n);
  return rattle__answer(answer, "velocity constraint", error);
}

rattle_status rattle__reaction_errors(rattle__reaction *s, const double *z, double *errors,
                                      rattle_error *error) {
  rattle__arena arena = {0};
  rank r = {.s = s};
  rattle_status status = lay_out(&r, &arena, error);
  if (!status) status = find_reach(&r, z, error);
  if (!status) status = find_errors(&r, z, errors, error);
  rattle__arena_release(&arena);
  return status;
}

int rattle__reaction_contradicts(const rattle__reaction *s, const double *errors, int i) {
  const int clock = s->problem->clock - 1;
  if (clock < 0) return 0;
  return !rattle__is_round_off(s->Q[(size_t)i * (size_t)s->n + (size_t)clock],
                               rattle__reaction_error(s, errors, i, clock));
}
