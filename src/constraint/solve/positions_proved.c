/* Steps that rules refuse, and a proof does not: positions of natural problems with quadratic g.
 *
 * Method   certified continuation (guard/track.h) finds the end of the curve of multipliers, where
 *          there is one; Newton's iteration from it ends at round-off, and what it found is proved
 *          to be that end
 * Why      a follower by rules gives up where two sheets are near each other, as at a toggle or
 *          where normals are nearly parallel, although its curve passes between them
 * Cost     at most RATTLE__TRACK_MOST pieces, each of m^3; only in steps that would be refused, of
 *          at most twelve constraints */
#include "constraint/solve/positions.h"

/* The prover, made at the first step that asks for it. */
static int has_prover(rattle__positions *s) {
  const rattle_problem *problem = s->context->problem;
  if (s->prover) return 1;
  return s->m <= RATTLE__DENSE && s->scheme.d2 == 0 && !s->context->asked.declines &&
         !s->context->asked.unproved && rattle__is_natural_holonomic(problem) &&
         !problem->velocity && !problem->mass->value && !rattle__prover_misses(problem) &&
         rattle__prover_create(&s->prover, problem->g) == 0;
}

/* The lambda of which q1 is the end: h d1 M^-1 (p - h G0^T lambda) = q1 - q0, with p after the kick
 * k1; by A at the start. */
static rattle_status multipliers_of(rattle__positions *s, const rattle__proof_ends *of,
                                    const double *q1) {
  const double slowness = 1 / (of->h * of->d1), kick = of->h * of->k1;
  double *p = s->plus;
  const rattle_status status = rattle__momenta_factor(s->momenta, s->start->J, s->start->B);
  if (status) return status;
  for (int k = 0; k < s->n; k++)
    p[k] = of->p0[k] - (kick != 0 ? kick * of->V_q[k] : 0) -
           slowness * (q1[k] - of->q0[k]) / of->W->diagonal[k];
  rattle__momenta_psi(s->momenta, s->start->J, s->start->B, p, s->lambda);
  s->momenta->A->solve(s->momenta->A, s->lambda);
  for (int i = 0; i < s->m; i++) s->lambda[i] /= of->h;
  return RATTLE_OK;
}

int rattle__positions_proved(rattle__positions *s, double h, const double *z0, double *z1,
                             rattle__course *c) {
  double radius;
  if (!has_prover(s)) return 0;
  const rattle__proof_ends of = {.h = h,
                                 .d1 = s->scheme.d1,
                                 .k1 = s->scheme.k1,
                                 .W = s->mass,
                                 .q0 = z0,
                                 .p0 = z0 + s->n,
                                 .q1 = z1,
                                 .V_q = s->start->V_q};
  if (rattle__prover_seek(s->prover, &of, z1).answer != RATTLE__TRACK_RIGHT ||
      multipliers_of(s, &of, z1))
    return 0;
  *c = (rattle__course){0};
  return !s->follower->sought->solve(s, h, z0, z1, c, NULL) &&
         rattle__prover_ask(s->prover, &of, &radius).answer == RATTLE__TRACK_RIGHT;
}
