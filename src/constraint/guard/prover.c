/* Proofs of substeps. See prover.h.
 *
 * Given    q0, p0, h, the inverse masses and V_q(q0) are taken as the doubles that they are; g is
 *          the real function that its text writes down
 * Trial    s of the end q1: J s = G0 (q0 + d - a - q1), J being Newton's matrix at t = 0 */
#include "constraint/guard/prover.h"

#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/mass.h"

struct rattle__prover {
  rattle__quadratic *g;
  rattle__curve *curve;
  int n, m;
  double *s, *root, *end, *scratch; /* [m], [m], [m], [7m] */
  rattle__ball *q;                  /* [n] */
};

const char *rattle__prover_misses(const rattle_problem *problem) {
  if (problem->velocity) return "its constraints on velocities are not covered";
  if (!problem->m)
    return "it has no constraints, and its steps no equations with several solutions";
  if (problem->account || problem->inertia)
    return "it has forces that are no gradient, and steps with them are not covered";
  if (!rattle__kicks_and_drifts(problem))
    return "proofs are there for natural problems, H = p^T M^-1 p/2 + V(q) with g(q) = 0";
  if (problem->mass->value) return "its mass matrix is not diagonal";
  if (problem->m > RATTLE__PROVER_MOST)
    return "it has more than 64 constraints, whose matrices are dense here";
  return NULL;
}

/* For these constraints, which become the prover's. */
static int create(rattle__prover **prover, rattle__quadratic *of) {
  const size_t m = (size_t)of->rows;
  rattle__prover *c = *prover = calloc(1, sizeof *c);
  if (!c) {
    rattle__quadratic_destroy(&of);
    return -1;
  }
  c->g = of, c->n = of->vars, c->m = of->rows;
  c->curve = rattle__curve_create(of);
  c->s = calloc(10 * m + 1, sizeof *c->s);
  c->q = calloc((size_t)c->n + 1, sizeof *c->q);
  if (c->curve && c->s && c->q) {
    c->root = c->s + m, c->end = c->root + m, c->scratch = c->end + m;
    return 0;
  }
  rattle__prover_destroy(prover);
  return -1;
}

int rattle__prover_create(rattle__prover **prover, const rattle__function *g) {
  rattle__quadratic *of = NULL;
  *prover = NULL;
  const int answer = rattle__quadratic_create(&of, g);
  return answer ? answer : create(prover, of);
}

int rattle__prover_create_smooth(rattle__prover **prover, const rattle__function *g) {
  rattle__quadratic *of = NULL;
  *prover = NULL;
  int answer = rattle__quadratic_create(&of, g);
  if (answer > 0) answer = rattle__quadratic_create_smooth(&of, g);
  return answer ? answer : create(prover, of);
}

void rattle__prover_destroy(rattle__prover **prover) {
  if (!prover || !*prover) return;
  rattle__curve_destroy(&(*prover)->curve);
  rattle__quadratic_destroy(&(*prover)->g);
  free((*prover)->s), free((*prover)->q), free(*prover);
  *prover = NULL;
}

/* The curve of the substep. */
static void begin(rattle__prover *c, const rattle__proof_ends *of) {
  const rattle__ball length = rattle__exactly(of->h), k1 = rattle__exactly(of->k1);
  const rattle__ball drift = rattle__ball_times(length, rattle__exactly(of->d1));
  const rattle__ball kick = rattle__ball_times(rattle__ball_times(length, k1), drift);
  for (int k = 0; k < c->n; k++) {
    const rattle__ball w = rattle__exactly(of->inverse_mass[k]);
    const rattle__ball slope = rattle__exactly(of->k1 != 0 ? of->V_q[k] : 0);
    c->curve->q0[k] = rattle__exactly(of->q0[k]);
    c->curve->d[k] = rattle__ball_times(drift, rattle__ball_times(w, rattle__exactly(of->p0[k])));
    c->curve->a[k] = rattle__ball_times(kick, rattle__ball_times(w, slope));
  }
  if (of->clock) c->curve->d[of->clock - 1] = drift;
  rattle__curve_begin(c->curve, of->inverse_mass);
}

/* The most that a coordinate of q1 can be off from the exact end of the curve. */
static double radius_of(rattle__prover *c, const double *q1) {
  const rattle__curve *curve = c->curve;
  double most = 0;
  rattle__curve_point(curve, c->root, c->q);
  for (int k = 0; k < c->n; k++) {
    double off = rattle__ball_size(rattle__ball_subtract(c->q[k], rattle__exactly(q1[k])));
    for (int j = 0; j < c->m; j++)
      off = rattle__ball_bound(
          off + rattle__ball_bound(rattle__ball_size(curve->W[j * c->n + k]) * c->end[j]));
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

rattle__tracked rattle__prover_ask(rattle__prover *c, const rattle__proof_ends *of,
                                   double *radius) {
  begin(c, of);
  rattle__curve_multipliers(c->curve, of->q1, c->s);
  const rattle__tracked found = rattle__track(c->curve, c->s, c->root, c->end, c->scratch);
  if (found.answer == RATTLE__TRACK_RIGHT) *radius = radius_of(c, of->q1);
  return found;
}

rattle__tracked rattle__prover_seek(rattle__prover *c, const rattle__proof_ends *of, double *q1) {
  begin(c, of);
  const rattle__tracked found = rattle__track(c->curve, NULL, c->root, c->end, c->scratch);
  rattle__curve_point(c->curve, c->root, c->q);
  for (int k = 0; k < c->n && found.answer == RATTLE__TRACK_RIGHT; k++) q1[k] = c->q[k].at;
  return found;
}

rattle_status rattle__prover_refuse(const rattle_problem *problem, const rattle__tracked *found,
                                    rattle_error *error) {
  if (found->answer == RATTLE__TRACK_OTHER)
    return rattle__fail(error, RATTLE_DEGENERATE, NULL,
                        "the step ended at another solution of its equations than the one to which "
                        "the curve from its start leads: use a smaller step");
  const char *name = rattle_problem_constraint_name(problem, found->row);
  return rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "the step is not proved: the curve from its start is known up to %.9g of it, where the row "
      "of "
      "the constraint '%s' misses by %.2g of its diagonal, and the smallest singular value of the "
      "matrix of the multipliers, 1 at the start, is %.3g: use a smaller step",
      found->reached, name, -found->margin, found->smallest);
}
