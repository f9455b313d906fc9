/* How well steps follow the bends of constraints on coordinates.
 *
 * RATTLE turns a point on a circle, or a rotation matrix, by asin(h w) in a step, with g, psi and H
 * to round-off at all grid points. The cubic through q0, v0, q1, v1 tells it at its middle,
 *
 *     q = (q0 + q1)/2 + h (v0 - v1)/8
 *
 * where the motion itself has g(q) = O(h^4). Distances |g_i|/|G_i| there, in the metric of the
 * masses, are compared with the largest one of the straight line's middle, which is the bend of the
 * way in a step. Some steps from each state are looked at, since one may be a point of rest, where
 * both are O(h^4). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "examine/doctor/report.h"
#include "ground/expr/round_off.h"
#include "ground/support/arena.h"
#include "problem/functions/problem.h"

enum { STEPS = 10 };

typedef struct bends {
  const rattle_problem *problem;
  int n, m;
  double *q, *p, *z0, *z1; /* [n] [n] [2n] [2n] */
  double *v0, *v1, *slope; /* [n] [n] [2n] H' */
  double *x, *reach;       /* [n] */
  double *g, *J, *bound, *work;
  void *room;
  double off, bend; /* the largest distances so far */
  int row;          /* of off */
} bends;

static rattle_status lay_out(bends *b, rattle__arena *arena) {
  const rattle__function *g = b->problem->g, *H = b->problem->H;
  const size_t n = (size_t)b->n, m = (size_t)b->m;
  const rattle__array array[] = {{&b->q, n},
                                 {&b->p, n},
                                 {&b->z0, 2 * n},
                                 {&b->z1, 2 * n},
                                 {&b->v0, n},
                                 {&b->v1, n},
                                 {&b->slope, 2 * n},
                                 {&b->x, n},
                                 {&b->reach, n},
                                 {&b->g, m},
                                 {&b->bound, m},
                                 {&b->J, (size_t)g->jac_nnz},
                                 {&b->work, g->work > H->work ? g->work : H->work}};
  RATTLE__LAY_OUT(arena, array);
  b->room = rattle__arena_take(arena, rattle__round_off_room(g));
  return arena->failed ? RATTLE_NO_MEMORY : RATTLE_OK;
}

static int find_velocity(bends *b, const double *z, double *v) {
  const rattle__function *H = b->problem->H;
  const int answer = H->jacobian(H, z, NULL, b->slope, b->work);
  memcpy(v, b->slope + b->n, (size_t)b->n * sizeof *v);
  return answer;
}

/* The largest distance at x; those that are round-off count as 0. */
static double distance(bends *b, int *row) {
  const rattle__function *g = b->problem->g;
  const rattle__mass *W = rattle__inertia(b->problem);
  double most = 0;
  if (g->jacobian(g, b->x, b->g, b->J, b->work) ||
      rattle__round_off(g, b->x, b->reach, b->bound, NULL, b->room))
    return (double)NAN;
  for (int i = 0; i < b->m; i++) {
    double length = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      length += b->J[e] * b->J[e] * W->diagonal[g->jac_col[e]];
    if (rattle__is_round_off(b->g[i], b->bound[i]) || !(fabs(b->g[i]) > most * sqrt(length)))
      continue;
    most = fabs(b->g[i]) / sqrt(length), *row = i;
  }
  return most;
}

static void look(bends *b, double h) {
  int row = -1, unused;
  if (find_velocity(b, b->z0, b->v0) || find_velocity(b, b->z1, b->v1)) return;
  for (int k = 0; k < b->n; k++) {
    b->x[k] = (b->z0[k] + b->z1[k]) / 2;
    b->reach[k] = DBL_EPSILON * (fabs(b->z0[k]) + fabs(b->z1[k]));
  }
  b->bend = fmax(b->bend, distance(b, &unused));
  for (int k = 0; k < b->n; k++) b->x[k] += h * (b->v0[k] - b->v1[k]) / 8;
  const double off = distance(b, &row);
  if (off > b->off) b->off = off, b->row = row;
}

static void follow(bends *b, rattle_integrator *integrator, const rattle_state *from) {
  const size_t n = (size_t)b->n;
  rattle_state state = *from;
  memcpy(b->q, from->q, n * sizeof *b->q);
  memcpy(b->p, from->p, n * sizeof *b->p);
  state.q = b->q, state.p = b->p;
  rattle_status status = rattle_integrator_output(integrator, &state, b->z0, b->z0 + n, NULL);
  for (int k = 0; k < STEPS && !status; k++) {
    status = rattle_integrator_step(integrator, &state, 1, NULL);
    if (!status) status = rattle_integrator_output(integrator, &state, b->z1, b->z1 + n, NULL);
    if (status) return;
    look(b, from->h);
    memcpy(b->z0, b->z1, 2 * n * sizeof *b->z0);
  }
}

double rattle__off_bends(const rattle_integrator *like, const rattle_problem *problem,
                         const rattle_state *const from[2], int *row) {
  rattle__arena arena = {0};
  bends b = {.problem = problem, .n = problem->n, .m = problem->g ? problem->g->rows : 0};
  rattle_integrator *integrator = NULL;
  if (!b.m || !(problem->flags & RATTLE_HOLONOMIC) || !rattle__inertia(problem)) return 0;
  if (!lay_out(&b, &arena) &&
      !rattle_integrator_create_by(&integrator, problem, rattle_integrator_method(like), NULL))
    for (int i = 0; i < 2; i++) follow(&b, integrator, from[i]);
  rattle_integrator_destroy(&integrator);
  rattle__arena_release(&arena);
  *row = b.row;
  return b.bend > 0 ? b.off / b.bend : 0;
}
