/* Queries of an integrator, and what it is asked to keep of its steps. */
#include "rattle/slide.h"
#include <math.h>
#include <string.h>

#include "ground/expr/native.h"
#include "runs/integrate/integrator.h"
#include "runs/proof/proof.h"
#include "runs/integrate/run_hooks.h"
#include "method/notation/row.h"

const rattle_method *rattle_integrator_method(const rattle_integrator *integrator) {
  return integrator->method;
}

rattle_claims rattle__claims_for(const rattle_problem *problem, const rattle_method *method) {
  rattle_claims claims = rattle_method_claims(method);
  rattle__bath bath;
  if (problem->velocity) claims.symplectic = 0;
  if (problem->next) claims.symmetric = 0; /* samples have no way back */
  if (problem->force || problem->next || rattle__method_bath(rattle__method_root(method), &bath))
    claims.symplectic = claims.pure = 0;
  return claims;
}

rattle_claims rattle_integrator_claims(const rattle_integrator *integrator) {
  return rattle__claims_for(integrator->problem, integrator->method);
}

int rattle_integrator_has_work(const rattle_integrator *integrator) {
  rattle__bath bath;
  const rattle_problem *problem = integrator->problem;
  return problem->force || problem->clock || problem->next || problem->conditions ||
         rattle__method_bath(rattle__method_root(integrator->method), &bath);
}

void rattle__integrator_heed(rattle_integrator *integrator, const volatile int *interrupt) {
  integrator->context.asked.interrupt = interrupt;
}

void rattle__integrator_until(rattle_integrator *integrator, const double *until) {
  integrator->until = until;
}

double rattle__integrator_work(const rattle_integrator *integrator) {
  return (integrator->ledger ? *integrator->work_done : 0) +
         (integrator->gained ? *integrator->gained : 0);
}

double rattle_integrator_work(const rattle_integrator *integrator, const rattle_state *state) {
  return integrator->restored || rattle__integrator_is_at(integrator, state)
             ? rattle__integrator_work(integrator)
             : 0;
}

rattle_counts rattle_integrator_counts(const rattle_integrator *integrator) {
  return integrator->context.counts;
}

rattle_residuals rattle_integrator_residuals(const rattle_integrator *integrator) {
  rattle_residuals residuals = integrator->context.residuals;
  if (integrator->leaves_psi) residuals.psi = (double)NAN;
  return residuals;
}

void rattle_integrator_reset(rattle_integrator *integrator) {
  integrator->context.counts = (rattle_counts){0};
  integrator->context.residuals = (rattle_residuals){0};
  integrator->context.shortest = integrator->context.longest = 0;
  if (integrator->proof)
    *rattle__proof_certificate(integrator->proof) =
        (rattle_certificate){.struct_size = sizeof(rattle_certificate)};
}

void rattle_integrator_step_lengths(const rattle_integrator *integrator, double *shortest,
                                    double *longest) {
  const rattle__context *c = &integrator->context;
  *shortest = c->shortest > 0 ? c->shortest : (double)NAN;
  *longest = c->shortest > 0 ? c->longest : (double)NAN;
}

const char *rattle__integrator_what_failed(const rattle_integrator *s) {
  if (!strcmp(rattle_problem_evaluator(s->context.problem), "native"))
    return "native, steps block (compiling failed)";
  return rattle__compiler_is_there() ? "block (compiling failed)"
                                     : "block (no compiler cc in PATH)";
}

const char *rattle_integrator_evaluator(const rattle_integrator *integrator) {
  if (!integrator->evaluator && integrator->orders.failed)
    return rattle__integrator_what_failed(integrator);
  return integrator->evaluator ? integrator->evaluator
                               : rattle_problem_evaluator(integrator->context.problem);
}

const char *rattle_integrator_solver(const rattle_integrator *integrator) {
  return integrator->context.solver;
}

const char *rattle_integrator_kernel(const rattle_integrator *integrator) {
  return integrator->context.kernel ? integrator->context.kernel : "none";
}

int rattle_integrator_followed(const rattle_integrator *integrator) {
  return integrator->followed;
}

rattle_status rattle__integrator_point(rattle_integrator *integrator, const rattle_state *state,
                                       double *q, double *p, rattle_error *error) {
  const size_t half = (size_t)integrator->n * sizeof *q;
  if (integrator->map->shows) return rattle_integrator_output(integrator, state, q, p, error);
  memcpy(q, state->q, half);
  memcpy(p, state->p, half);
  return RATTLE_OK;
}

rattle__answers *rattle__integrator_answers(rattle_integrator *integrator) {
  return &integrator->answers;
}

const rattle_problem *rattle__integrator_problem(const rattle_integrator *integrator) {
  return integrator->problem->model ? integrator->problem : integrator->view;
}

rattle_status rattle_integrator_record_impulses(rattle_integrator *integrator,
                                                rattle_error *error) {
  rattle__context *context = &integrator->context;
  if (!integrator->map->records)
    return rattle__fail(error, RATTLE_UNSUITABLE, rattle_method_text(integrator->method),
                        "%s does not keep the constraints by slides along fibres alone: impulses "
                        "can be read from rattle(...) "
                        "and shake(...), without "
                        "sweeps, and from compositions of them",
                        rattle_method_text(integrator->method));
  if (!context->impulse)
    context->impulse = rattle__arena_doubles(&context->arena, (size_t)integrator->pairs);
  return context->impulse ? RATTLE_OK : rattle__no_memory(error);
}

void rattle_integrator_impulses(const rattle_integrator *integrator, double *impulse,
                                double *virial) {
  const rattle__context *context = &integrator->context;
  for (int k = 0; k < integrator->n && impulse; k++)
    impulse[k] = context->impulse ? context->impulse[k] : 0;
  if (virial) *virial = context->impulse ? context->virial : 0;
}
