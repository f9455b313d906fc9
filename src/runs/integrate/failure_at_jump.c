/* Why a step may have failed: its equations may have no solution across a jump of a force, as of
 * friction that sticks, or of an angle.
 *
 * Stop     u, on whose sign a force depends, changes its sign in the step if z' stays, and beyond
 *          it z' leads back: the motion goes on with u = 0, by a force between those of both sides
 *          (A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988)
 * Symbols  u [3] at the start, after a step of Euler's method, and after another one */
#include <stdlib.h>
#include <string.h>

#include "ground/support/number.h"
#include "problem/functions/probe.h"
#include "problem/model/model.h"
#include "runs/integrate/integrator.h"
#include "problem/functions/problem.h"
#include "rattle/model.h"

/* The place where a step is examined again: z, z' [2n], the values of the graph's variables
 * [2n]. */
typedef struct stop {
  const rattle_model *model;
  rattle__probe *probe;
  int n;
  double h; /* of the step */
  double *z, *slope, *values;
} stop;

static double side(const stop *s, const rattle__friction *f) {
  for (int k = 0; k < s->n; k++) s->values[2 * k] = s->z[k], s->values[2 * k + 1] = s->z[s->n + k];
  return rattle__friction_side(s->model, f, s->values);
}

/* u from the state on; 0: it cannot be evaluated. */
static int follow(stop *s, const rattle_state *state, const rattle__friction *f, double u[3]) {
  const size_t half = (size_t)s->n * sizeof *s->z;
  memcpy(s->z, state->q, half);
  memcpy(s->z + s->n, state->p, half);
  u[0] = side(s, f);
  for (int point = 1; point < 3; point++) {
    rattle__probe_place(s->probe, s->z, s->z + s->n);
    if (rattle__probe_velocity(s->probe, s->slope, NULL)) return 0;
    for (int k = 0; k < 2 * s->n; k++) s->z[k] += s->h * s->slope[k];
    u[point] = side(s, f);
  }
  return 1;
}

/* The sentence about friction number `force`, if u passes 0 in the step. */
static int say(stop *s, const rattle_state *state, int force, const char *jump,
               rattle_error *error) {
  rattle__friction f;
  double u[3];
  char name[120];
  if (!rattle__model_friction(s->model, force, &f) || !follow(s, state, &f, u) || u[0] * u[1] > 0)
    return 0;
  const int sticks = (u[1] - u[0]) * (u[2] - u[1]) < 0;
  rattle__friction_name(s->model, &f, name, sizeof name);
  rattle__print(error->message, sizeof error->message,
                "%s goes through 0, where the force on '%s' changes at once (%s), and %s: smooth "
                "it, as by tanh(u/eps) for sign(u), which creeps at a rate of the order of eps in "
                "place of sticking, or end the run by an event at %s = 0 that stops it, and hold "
                "there what sticks",
                name, s->model->pair[f.pair].name, jump,
                sticks ? "it sticks there: what would hold it is between the forces of both sides, "
                         "and no step leads on, however short"
                       : "a step across may have no solution, however short",
                name);
  return 1;
}

static int blame_stop(const rattle_integrator *s, const rattle_state *state, const char *jump,
                      rattle_error *error) {
  stop at = {.model = s->problem->model, .n = s->n, .h = s->map->late ? s->map->length : state->h};
  int said = 0;
  double *room = calloc(6 * (size_t)s->n, sizeof *room);
  at.z = room;
  if (room && !rattle__probe_create(&at.probe, s->problem, RATTLE__PROBE_MULTIPLIERS, NULL)) {
    at.slope = room + 2 * s->n, at.values = at.slope + 2 * s->n;
    for (int i = 0; i < at.model->applieds && !said; i++) said = say(&at, state, i, jump, error);
  }
  rattle__probe_destroy(&at.probe);
  free(room);
  return said;
}

void rattle__blame_jump(rattle_integrator *s, const rattle_state *state, rattle_error *error) {
  const rattle_problem *problem = s->context.problem;
  char where[300];
  const int unsolved = error->status == RATTLE_NOT_CONVERGED || error->status == RATTLE_DEGENERATE;
  if (!unsolved || !problem->model) return;
  const rattle_status status = error->status;
  if (rattle__turns_ahead(s, state->h, error)) {
    error->status = status;
    return;
  }
  const int left = rattle_model_order_left(problem->model, where, sizeof where);
  if (left < 0 || left > 2 || blame_stop(s, state, where, error) || left > 1) return;
  if (rattle_method_claims(s->method).explicit_ && !problem->force) return;
  char said[sizeof error->message];
  rattle__print(said, sizeof said, "%s", error->message);
  rattle__print(error->message, sizeof error->message,
                "%s, and a step across may have no solution, however short it is: smooth it, as by "
                "tanh, or use an explicit method, "
                "such as %s; %s",
                where, problem->m ? "rattle(rk4)" : "rk4", said);
}
