/* Certificates of the steps of an integrator. See rattle/certify.h. */
#include "rattle/certify.h"

#include <stdlib.h>

#include "ground/support/sized.h"
#include "runs/integrate/integrator.h"
#include "runs/proof/proof.h"

struct rattle_certifier {
  rattle_integrator *integrator; /* with its proof */
};

/* The caller's certificate as the library knows it, and back. */
static rattle_status take(rattle_certificate *own, const rattle_certificate *given,
                          rattle_error *error) {
  return RATTLE__TAKE(own, rattle_certificate, reached, given, error);
}

static void give(const rattle_certificate *own, rattle_certificate *to) {
  const size_t size = to->struct_size;
  *to = *own;
  to->struct_size = size;
}

/* --- integrators ------------------------------------------------------------------------------ */

static rattle_status add_proof(rattle_integrator *s, int strict, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (!s->proof) status = rattle__proof_create(&s->proof, s->problem, s->method, error);
  if (!status) rattle__proof_insist(s->proof, strict);
  return status;
}

rattle_status rattle_integrator_certify(rattle_integrator *integrator, rattle_error *error) {
  return add_proof(integrator, 1, error);
}

int rattle_integrator_certificate(const rattle_integrator *integrator,
                                  rattle_certificate *certificate) {
  if (!integrator->proof) return 0;
  give(rattle__proof_certificate(integrator->proof), certificate);
  return 1;
}

/* --- certifiers ------------------------------------------------------------------------------- */

rattle_status rattle_certifier_create(rattle_certifier **certifier, const rattle_problem *problem,
                                      const char *method, rattle_error *error) {
  rattle_certifier *c = *certifier = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  rattle_status status = rattle_integrator_create(&c->integrator, problem, method, error);
  if (!status) status = add_proof(c->integrator, 0, error);
  if (status) rattle_certifier_destroy(certifier);
  return status;
}

void rattle_certifier_destroy(rattle_certifier **certifier) {
  if (!certifier || !*certifier) return;
  rattle_integrator_destroy(&(*certifier)->integrator);
  free(*certifier);
  *certifier = NULL;
}

rattle_integrator *rattle_certifier_integrator(rattle_certifier *certifier) {
  return certifier->integrator;
}

rattle_status rattle_certifier_step(rattle_certifier *certifier, rattle_state *state,
                                    long long steps, rattle_certificate *certificate,
                                    rattle_error *error) {
  rattle_certificate *own = rattle__proof_certificate(certifier->integrator->proof);
  rattle_status status = take(own, certificate, error);
  if (status) return status;
  status = rattle_integrator_step(certifier->integrator, state, steps, error);
  give(own, certificate);
  return status;
}

rattle_status rattle_certifier_check(rattle_certifier *certifier, double h, const double *q0,
                                     const double *p0, const double *q1,
                                     rattle_certificate *certificate, rattle_error *error) {
  rattle__proof *proof = certifier->integrator->proof;
  rattle_status status = take(rattle__proof_certificate(proof), certificate, error);
  if (!status) status = rattle__proof_of_substep(proof, h, q0, p0, q1, error);
  if (!status) give(rattle__proof_certificate(proof), certificate);
  return status;
}
