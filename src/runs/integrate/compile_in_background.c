/* Compilers that work during a run. The interpreter steps; when the machine code is there, one step
 * is made by both, and if they end with the same bits the machine code goes on, with the counts
 * that the interpreter would have. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runs/integrate/integrator.h"
#include "runs/integrate/run_hooks.h"
#include "rattle/slide.h"

/* Steps by hand between two looks at the compiler. */
enum { STRETCH = 4096 };

void rattle__integrator_compile(rattle_integrator *s) {
  for (int k = 0; k < s->orders.count; k++)
    if (!rattle__compilation_start(&s->compilation[s->compilations], s->orders.source[k], NULL))
      s->compilations++;
  if (s->compilations < s->orders.count) s->evaluator = rattle__integrator_what_failed(s);
  rattle__orders_drop(&s->orders);
}

int rattle__integrator_orders(const rattle_integrator *s) {
  return s->orders.count;
}

int rattle__integrator_compiled(rattle_integrator *s) {
  if (!s->compilations) return 0;
  int failed = 0;
  for (int k = 0; k < s->compilations; k++) {
    const int state = rattle__compilation_poll(s->compilation[k]);
    if (state == 1) return 0;
    failed |= state;
  }
  for (int k = 0; k < s->compilations; k++) rattle__compilation_end(&s->compilation[k]);
  s->compilations = 0;
  if (failed) s->evaluator = rattle__integrator_what_failed(s);
  return !failed;
}

/* The other map takes the step that the first has taken; `after` is where that ended. 1: with the
 * same bits. */
static int follows(rattle_integrator *s, rattle_state *before, const rattle_state *after,
                   const double *extra, const double *range, double *other_range) {
  const size_t half = (size_t)s->n * sizeof(double);
  double *mine = malloc(((size_t)s->extra + 1) * sizeof *mine);
  if (!mine) return 0;
  struct rattle__trace *trace = s->context.asked.trace;
  struct rattle__proof *proof = s->proof;
  s->context.asked.trace = NULL; /* the substeps of this step have been written down */
  s->proof = NULL;               /* and it is proved */
  int same = !rattle__integrator_steps(s, before, 1, other_range, NULL) &&
             !memcmp(before->q, after->q, half) && !memcmp(before->p, after->p, half) &&
             (!range || !memcmp(range, other_range, 2 * sizeof *range));
  s->context.asked.trace = trace, s->proof = proof;
  rattle_integrator_get_extra(s, mine);
  same = same && !memcmp(mine, extra, (size_t)s->extra * sizeof *mine);
  free(mine);
  return same;
}

/* Maps point to the integrator they belong to, so both live at its address by turns. */
static void exchange(rattle_integrator *s, rattle_integrator *other) {
  const rattle_integrator here = *s;
  *s = *other;
  *other = here;
}

/* A map with machine code in place of the present one, as yet without a point; 0, or -1 and nothing
 * has changed. */
static int plan_again(rattle_integrator *s, rattle_integrator *old) {
  *old = *s;
  *s = (rattle_integrator){.evaluator = "block, then native", .context.asked = old->context.asked};
  memcpy(s, old, offsetof(rattle_integrator, context));
  if (!rattle__integrator_plan(s, NULL) && s->extra == old->extra && !s->orders.count &&
      (!old->context.impulse || !rattle_integrator_record_impulses(s, NULL)))
    return 0;
  rattle__integrator_release(s);
  *s = *old;
  s->evaluator = rattle__integrator_what_failed(s);
  return -1;
}

/* From the step that both have taken, the new map goes on if it has the same bits, else the old
 * one. */
static void choose(rattle_integrator *s, rattle_integrator *old, int same) {
  old->evaluator = "block (native differs)";
  if (same) {
    s->context.counts = old->context.counts;
    s->context.residuals = old->context.residuals;
    s->context.shortest = old->context.shortest, s->context.longest = old->context.longest;
    exchange(s, old);
  }
  rattle__integrator_release(s);
  *s = *old;
}

rattle_status rattle__integrator_change_over(rattle_integrator *s, rattle_state *state,
                                             double *range, rattle_error *error) {
  if (!rattle__integrator_is_at(s, state))
    return rattle__integrator_steps(s, state, 1, range, error);
  const size_t n = (size_t)s->n, extra = (size_t)s->extra;
  double *room = malloc((2 * n + 2 * extra + 1) * sizeof *room);
  if (!room) return rattle__integrator_steps(s, state, 1, range, error);
  double *z = room, *memory = room + 2 * n, *after = memory + extra;
  double other_range[2] = {range ? range[0] : 0, range ? range[1] : 0};
  rattle_state before = *state;
  before.q = z, before.p = z + n;
  memcpy(before.q, state->q, n * sizeof *z);
  memcpy(before.p, state->p, n * sizeof *z);
  rattle_integrator_get_extra(s, memory);
  const rattle_status status = rattle__integrator_steps(s, state, 1, range, error);
  rattle_integrator *old = status ? NULL : malloc(sizeof *old);
  if (old) {
    rattle_integrator_get_extra(s, after);
    if (!plan_again(s, old)) {
      rattle_integrator_set_extra(s, memory);
      choose(s, old, follows(s, &before, state, after, range, range ? other_range : NULL));
    }
  }
  free(old);
  free(room);
  return status;
}

rattle_status rattle_integrator_step(rattle_integrator *integrator, rattle_state *state,
                                     long long steps, rattle_error *error) {
  rattle_integrator *s = integrator;
  if (s->orders.count) rattle__integrator_compile(s);
  rattle_status status = RATTLE_OK;
  while (s->compilations && steps > 0 && !status) {
    const long long most = STRETCH - s->waited, some = steps < most ? steps : most;
    if (s->waited == 0 && rattle__integrator_compiled(s)) {
      status = rattle__integrator_change_over(s, state, NULL, error);
      steps--;
      continue;
    }
    status = rattle__integrator_steps(s, state, some, NULL, error);
    s->waited = (int)((s->waited + some) % STRETCH);
    steps -= some;
  }
  return status || steps <= 0 ? status : rattle__integrator_steps(s, state, steps, NULL, error);
}
