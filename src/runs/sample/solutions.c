/* Steps of RATTLE that take any solution of their constraint equation, with the probabilities of
 * both ways.
 *
 * Map      p = p0 - h/2 V_q(q0);  q1 = q0 + W pi, pi = h p - G0^T s, one of the solutions with
 *          g(q1) = 0, chosen by draws;
 *          p1 = P(pi/h - h/2 V_q(q1)). From (q1, -p1) one of the solutions is q0, with the momenta
 *          -p0
 * Symbols  solutions.h
 * Source   T. Lelievre, G. Stoltz, W. Zhang, IMA J. Numer. Anal. 43 (2023) 737, Algorithms 1 and 2:
 *          on each branch RATTLE is symplectic, so that the ratio of acceptance has the
 *          probabilities of the two choices, and of momenta, alone
 * Cost     two searches (constraint/place/all_solutions.c), two forces if forced, a projection of
 *          momenta */
#include <float.h>
#include <math.h>
#include <string.h>

#include "runs/sample/solutions.h"
#include "ground/support/finite.h"
#include "ground/support/largest.h"
#include "ground/support/random.h"

struct rattle__solutions {
  rattle__kernel *kernel;
  rattle__solution_set set;
  rattle__branching choice;
  double *half, *way, *V_q; /* momenta before the flight, w, the force [n] */
};

rattle__branching rattle__branching_of(const rattle__node *node) {
  const double near = rattle__option_number(node, "near");
  return (rattle__branching){.all = !strcmp(rattle__option_word(node, "solutions"), "all"),
                             .any = !strcmp(rattle__option_word(node, "solutions"), "any"),
                             .near = near > 0 ? near : -1,
                             .reach = rattle__option_number(node, "reach"),
                             .starts = (int)rattle__option_number(node, "starts")};
}

int rattle__branching_sensible(const rattle__node *node, rattle__text *reason) {
  const rattle__branching choice = rattle__branching_of(node);
  if (choice.all || (!(choice.near > 0) && !(choice.reach > 0))) return 1;
  rattle__put(reason,
              "near= and reach= are about several solutions of one step: add solutions=all");
  return 0;
}

rattle_status rattle__solutions_create(rattle__solutions **solutions, rattle__kernel *k,
                                       const rattle__branching *choice, rattle_error *error) {
  rattle__arena *arena = &k->context.arena;
  const size_t n = (size_t)k->n;
  rattle__solutions *s = *solutions = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  if (k->m && !k->A)
    return rattle__fail(error, RATTLE_UNSUITABLE, "solutions",
                        "solutions=all is for fewer constraints than %d", k->m);
  s->kernel = k;
  s->choice = *choice;
  const rattle__array arrays[] = {{&s->half, n}, {&s->way, n}, {&s->V_q, n}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  return rattle__solution_set_create(&s->set, &k->context, choice->starts, error);
}

/* The logarithm of the probability of solution `which`. */
static double log_probability(const rattle__solutions *s, int which) {
  const int count = s->set.count;
  if (count == 1) return 0;
  if (s->choice.near < 0) return -log(count);
  return log(which == rattle__solution_set_nearest(&s->set) ? s->choice.near
                                                            : (1 - s->choice.near) / (count - 1));
}

static int choose(const rattle__solutions *s, double u) {
  const int count = s->set.count, nearest = rattle__solution_set_nearest(&s->set);
  const double near = s->choice.near < 0 ? 1.0 / count : s->choice.near;
  if (count == 1 || u < near) return nearest;
  const int other = (int)((u - near) / (1 - near) * (count - 1));
  return other < nearest ? other : other + 1 < count ? other + 1 : other;
}

/* p -= h/2 V_q(q) */
static rattle_status kick(rattle__solutions *s, const double *q, double *p, rattle_error *error) {
  const rattle__kernel *k = s->kernel;
  const rattle__function *V = k->problem->V;
  double value;
  const rattle_status status =
      rattle__answer(V->jacobian(V, q, &value, s->V_q, k->work), "the Hamiltonian", error);
  for (int i = 0; i < k->n; i++) p[i] -= k->h / 2 * s->V_q[i];
  if (status || rattle__all_finite(p, k->n)) return status;
  return rattle__fail(error, RATTLE_DOMAIN, "V", "the gradient of the potential is not finite");
}

/* The solutions of the step from q with the momenta `half`. */
static rattle_status find(rattle__solutions *s, const double *q, rattle_error *error) {
  const rattle__kernel *k = s->kernel;
  for (int i = 0; i < k->n; i++) s->way[i] = k->h * s->half[i];
  s->set.reach = s->choice.reach > 0 ? s->choice.reach : 10 * k->h * sqrt(k->n * k->T);
  return rattle__solution_set_find(&s->set, q, s->way, error);
}

int rattle__solutions_which(const rattle__solution_set *S, const double *q0, const double *q1) {
  double reach = 0, way = 0;
  for (int i = 0; i < S->n; i++) {
    reach = fmax(reach, fmax(fabs(q0[i]), fabs(q1[i])));
    way = fmax(way, fabs(q1[i] - q0[i]));
  }
  for (int k = 0; k < S->count; k++) {
    double off = 0;
    for (int i = 0; i < S->n; i++)
      off = rattle__greater(off, fabs(S->q[(size_t)k * (size_t)S->n + (size_t)i] - q0[i]));
    if (off <= RATTLE__RETURNS * way + RATTLE__RETURNS_UNITS * DBL_EPSILON * reach) return k;
  }
  return -1;
}

rattle_status rattle__solutions_step(rattle__solutions *s, int forced, const double *z0, double *z1,
                                     double *log_ratio, rattle_error *error) {
  rattle__kernel *k = s->kernel;
  const size_t n = (size_t)k->n, bytes = n * sizeof *z1;
  double *p1 = z1 + n;
  const double u = rattle__random_unit(k->key, ++k->drawn);
  s->set.key = rattle__random_at(k->key, ++k->drawn); /* the same both ways */
  memcpy(s->half, z0 + n, bytes);
  rattle_status status = forced ? kick(s, z0, s->half, error) : RATTLE_OK;
  if (!status) status = find(s, z0, error);
  if (status) return status;
  if (!s->set.count)
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL, "the step has no solution within reach");
  const int taken = choose(s, u);
  k->strayed |= taken != rattle__solution_set_nearest(&s->set);
  *log_ratio -= log_probability(s, taken);
  memcpy(z1, s->set.q + (size_t)taken * n, bytes);
  for (size_t i = 0; i < n; i++) p1[i] = s->set.p[(size_t)taken * n + i] / k->h;
  if (forced) status = kick(s, z1, p1, error);
  if (!status && k->m) status = k->geodesic->slide(k->geodesic, z1, error);
  if (status) return status;
  for (size_t i = 0; i < n; i++) s->half[i] = -p1[i];
  if (forced) status = kick(s, z1, s->half, error);
  if (!status) status = find(s, z1, error);
  if (status) return status;
  const int back = rattle__solutions_which(&s->set, z0, z1);
  if (back < 0)
    return rattle__fail(error, RATTLE_DEGENERATE, NULL,
                        "the way back does not find the start of the step");
  *log_ratio += log_probability(s, back);
  return RATTLE_OK;
}
