/* Fractional steps, by an integrator of their own. */
#include "runs/integrate/fraction.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "method/notation/method.h"
#include "runs/integrate/integrator.h"
#include "runs/integrate/run_hooks.h"

struct rattle__fraction {
  rattle_integrator *whole, *part; /* part: NULL until it is needed */
  int n, extra, adapts;
  double time, work, before; /* work of forces: at the last point, and at the last whole step */
  rattle_state from;
  double *z, *memory; /* of the last whole step [2n], [extra] */
};

rattle_status rattle__fraction_create(rattle__fraction **fraction, rattle_integrator *integrator,
                                      rattle_error *error) {
  rattle__fraction *s = *fraction = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  const rattle_method *method = rattle_integrator_method(integrator);
  s->whole = integrator;
  s->n = rattle_problem_n(rattle__integrator_problem(integrator));
  s->extra = rattle_integrator_extra(integrator);
  s->adapts = rattle_method_adapts(method);
  const size_t nz = 2 * (size_t)s->n;
  s->z = calloc(nz + (size_t)s->extra, sizeof *s->z);
  s->memory = s->z + nz;
  return s->z ? RATTLE_OK : rattle__no_memory(error);
}

void rattle__fraction_destroy(rattle__fraction **fraction) {
  if (!*fraction) return;
  rattle_integrator_destroy(&(*fraction)->part);
  free((*fraction)->z);
  free(*fraction);
  *fraction = NULL;
}

void rattle__fraction_leave(rattle__fraction *s, const rattle_state *state) {
  s->from = *state;
  s->time = rattle_integrator_time(s->whole, state);
  s->before = rattle_integrator_work(s->whole, state);
  memcpy(s->z, state->q, (size_t)s->n * sizeof *s->z);
  memcpy(s->z + s->n, state->p, (size_t)s->n * sizeof *s->z);
  if (s->extra) rattle_integrator_get_extra(s->whole, s->memory);
}

rattle_state rattle__fraction_start(const rattle__fraction *s) {
  rattle_state state = s->from;
  state.q = s->z, state.p = s->z + s->n;
  return state;
}

void rattle__fraction_back(rattle__fraction *s, rattle_state *state) {
  memcpy(state->q, s->z, (size_t)s->n * sizeof *s->z);
  memcpy(state->p, s->z + s->n, (size_t)s->n * sizeof *s->z);
  state->step = s->from.step;
  if (s->extra) rattle_integrator_set_extra(s->whole, s->memory);
}

static rattle_status make_part(rattle__fraction *s, rattle_error *error) {
  const rattle_method *method = rattle_integrator_method(s->whole);
  const rattle__node *root = rattle__method_root(method);
  const size_t size = strlen(rattle_method_text(method)) + 1;
  char *expression = malloc(size);
  if (!expression) return rattle__no_memory(error);
  rattle__text text = {expression, size};
  rattle__put_node(&text, s->adapts ? rattle__method_inside(root) : root);
  const rattle_status status =
      rattle_integrator_create(&s->part, rattle__integrator_problem(s->whole), expression, error);
  free(expression);
  if (!status) s->part->passive = 1;
  return status;
}

double rattle__fraction_work(const rattle__fraction *s) {
  return s->work;
}

rattle_status rattle__fraction_step(rattle__fraction *s, double length, double *z,
                                    rattle_error *error) {
  rattle_status status = s->part ? RATTLE_OK : make_part(s, error);
  if (status) return status;
  memcpy(z, s->z, 2 * (size_t)s->n * sizeof *z);
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + s->n, .t0 = s->time, .h = length};
  if (!s->adapts && s->extra) rattle_integrator_set_extra(s->part, s->memory);
  s->part->first_draw = s->from.step;
  status = rattle__integrator_steps(s->part, &state, 1, NULL, error);
  s->work = rattle_integrator_work(s->part, &state) + (s->adapts ? s->before : 0);
  return status ? status : rattle_integrator_output(s->part, &state, state.q, state.p, error);
}
