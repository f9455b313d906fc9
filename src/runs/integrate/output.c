/* Points for output: of maps that project them, or that step with other variables. */
#include <string.h>

#include "ground/support/finite.h"
#include "runs/integrate/integrator.h"

rattle_status rattle__end_not_finite(const rattle_integrator *s, const double *z,
                                     rattle_error *error) {
  if (rattle__domain_error(s->context.problem, z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  return rattle__fail(error, RATTLE_DOMAIN, rattle_method_text(s->method),
                      "the step ended at a point that is not finite: use a smaller step");
}

void rattle__uncount(rattle_integrator *s, const rattle_counts *before) {
  s->context.counts.position_projections = before->position_projections;
  s->context.counts.momentum_projections = before->momentum_projections;
}

/* Slides z for output; that is a function of z alone, without what rounding took from it. */
static rattle_status put_out(rattle_integrator *s, double h, double *z, rattle_error *error) {
  double *carry = s->context.carry;
  s->context.carry = NULL;
  rattle_status status = s->map->output(s->map, h, z, error);
  s->context.carry = carry;
  return status || rattle__all_finite(z, 2 * s->pairs) ? status
                                                       : rattle__end_not_finite(s, z, error);
}

rattle_status rattle__integrator_shown(rattle_integrator *s, double h, const double **z,
                                       rattle_error *error) {
  if (!s->map->output) return RATTLE_OK;
  const rattle_counts before = s->context.counts;
  memcpy(s->out, *z, 2 * (size_t)s->pairs * sizeof **z);
  const rattle_status status = put_out(s, h, s->out, error);
  rattle__uncount(s, &before);
  *z = s->out;
  return status;
}

rattle_status rattle__integrator_show(rattle_integrator *s, double h, const double **z,
                                      rattle_error *error) {
  return s->map->shows ? rattle__integrator_shown(s, h, z, error) : RATTLE_OK;
}

rattle_status rattle_integrator_output(rattle_integrator *integrator, const rattle_state *state,
                                       double *q_out, double *p_out, rattle_error *error) {
  rattle_integrator *s = integrator;
  size_t half = (size_t)s->n * sizeof(double);
  memcpy(s->out, state->q, half);
  memcpy(s->out + s->pairs, state->p, half);
  if (s->ledger) s->out[s->n] = s->out[s->pairs + s->n] = 0; /* output asks for no work */
  s->context.elsewhere = !s->restored && !rattle__integrator_is_at(s, state);
  s->answers.fatal = 0;
  rattle_status status = s->map->output ? put_out(s, state->h, s->out, error) : RATTLE_OK;
  s->context.elsewhere = 0;
  if (status) return status;
  memcpy(q_out, s->out, half);
  memcpy(p_out, s->out + s->pairs, half);
  return RATTLE_OK;
}
