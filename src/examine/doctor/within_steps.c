/* How well a step keeps constraints on velocities between its ends.
 *
 * A step asks A(q1/2) (q1 - q0) = h b of the straight line, and at both ends A v = b to round-off.
 * A way that turns much in the step is another one: with A v = b of a motor of speed w at all grid
 * points a rotation matrix turns by asin(h w). The cubic through q0, v0, q1, v1 shows it at its
 * middle,
 *
 *     r = A(q) v,    q = (q0 + q1)/2 + h (v0 - v1)/8,    v = 3 (q1 - q0)/(2h) - (v0 + v1)/4
 *
 * (b is the factor of the velocity of the time). For steps of the motion itself r is O(h^4). It is
 * compared with |A| |v|, of the coordinates in the row, in the metric of the masses, and with its
 * round-off, both where the run began and where it ended: one of them may be a point of rest. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "examine/doctor/report.h"
#include "ground/expr/round_off.h"
#include "problem/functions/velocity.h"
#include "rattle/integrator.h"

typedef struct within {
  rattle__reaction *at;
  int n, rows;
  double *q, *p, *z0, *z1;      /* [n] [n] [2n] [2n] */
  double *v0, *x, *reach;       /* [n], [2n], [2n] */
  double *value, *by_v, *bound; /* [rows], [rows n], [rows] */
  double *off, *size;           /* [rows] the largest |r| that is no round-off; sizes */
  void *room;
} within;

static rattle_status lay_out(within *w, const rattle_problem *problem, rattle__arena *arena,
                             rattle_error *error) {
  const rattle_status status = rattle__reaction_create(&w->at, problem, arena, error);
  if (status) return status;
  const size_t n = (size_t)problem->n, rows = (size_t)problem->velocity->rows;
  const rattle__array array[] = {{&w->q, n},         {&w->p, n},        {&w->z0, 2 * n},
                                 {&w->z1, 2 * n},    {&w->v0, n},       {&w->x, 2 * n},
                                 {&w->reach, 2 * n}, {&w->value, rows}, {&w->by_v, rows * n},
                                 {&w->bound, rows},  {&w->off, rows},   {&w->size, rows}};
  w->n = (int)n, w->rows = (int)rows;
  RATTLE__LAY_OUT(arena, array);
  w->room = rattle__arena_take(arena, rattle__round_off_room(problem->velocity));
  return arena->failed ? RATTLE_NO_MEMORY : RATTLE_OK;
}

/* z0 and z1, both as samples show them. */
static rattle_status step(within *w, rattle_integrator *integrator, const rattle_state *from) {
  const size_t n = (size_t)w->n;
  rattle_state state = *from;
  memcpy(w->q, from->q, n * sizeof *w->q);
  memcpy(w->p, from->p, n * sizeof *w->p);
  state.q = w->q, state.p = w->p;
  rattle_status status = rattle_integrator_output(integrator, &state, w->z0, w->z0 + n, NULL);
  if (!status) status = rattle_integrator_step(integrator, &state, 1, NULL);
  return status ? status : rattle_integrator_output(integrator, &state, w->z1, w->z1 + n, NULL);
}

/* The middle of the cubic, (q, v) in x, and how far off it is by the rounding of the ends. */
static rattle_status find_middle(within *w, double h) {
  const int n = w->n;
  rattle_status status = rattle__reaction_look(w->at, w->z0, NULL);
  if (status) return status;
  memcpy(w->v0, w->at->slope + n, (size_t)n * sizeof *w->v0);
  status = rattle__reaction_look(w->at, w->z1, NULL);
  if (!status) status = rattle__reaction_metric(w->at, w->z1, NULL);
  if (status) return status;
  for (int k = 0; k < n; k++) {
    const double q0 = w->z0[k], q1 = w->z1[k], v0 = w->v0[k], v1 = w->at->slope[n + k];
    w->x[k] = (q0 + q1) / 2 + h * (v0 - v1) / 8;
    w->x[n + k] = 3 * (q1 - q0) / (2 * h) - (v0 + v1) / 4;
    w->reach[k] = DBL_EPSILON * (fabs(q0) + fabs(q1));
    w->reach[n + k] = 3 * w->reach[k] / fabs(2 * h) + DBL_EPSILON * (fabs(v0) + fabs(v1));
  }
  return rattle__velocity_at(w->at, w->x, w->x + n, w->value, NULL, w->by_v, NULL);
}

/* Takes the rows at the middle into the largest values and sizes. */
static void compare(within *w) {
  if (rattle__velocity_round_off(w->at, w->reach, w->bound, w->room, NULL)) return;
  for (int i = 0; i < w->rows; i++) {
    double row = 0, speed = 0;
    for (int k = 0; k < w->n; k++) {
      const double A = w->by_v[i * w->n + k], root = w->at->root[k];
      if (A == 0 || !(root > 0)) continue;
      row += A * root * A * root, speed += w->x[w->n + k] / root * w->x[w->n + k] / root;
    }
    w->size[i] = fmax(w->size[i], sqrt(row * speed));
    if (!rattle__is_round_off(w->value[i], w->bound[i]))
      w->off[i] = fmax(w->off[i], fabs(w->value[i]));
  }
}

double rattle__within_steps(const rattle_integrator *like, const rattle_problem *problem,
                            const rattle_state *const from[2], int *row) {
  rattle__arena arena = {0};
  within w = {0};
  rattle_integrator *integrator = NULL;
  double most = 0;
  int failed =
      lay_out(&w, problem, &arena, NULL) ||
      rattle_integrator_create_by(&integrator, problem, rattle_integrator_method(like), NULL);
  for (int i = 0; i < 2 && !failed; i++)
    if (!step(&w, integrator, from[i]) && !find_middle(&w, from[i]->h)) compare(&w);
  for (int i = 0; i < w.rows && !failed; i++)
    if (w.size[i] > 0 && w.off[i] > most * w.size[i]) most = w.off[i] / w.size[i], *row = i;
  rattle_integrator_destroy(&integrator);
  rattle__reaction_destroy(&w.at);
  rattle__arena_release(&arena);
  return most;
}
