/* Hamiltonian Monte Carlo on a manifold.
 *
 * Map      p ~ N(0, T M) projected onto psi = 0; k steps of phi_h, k drawn from 1 .. steps, or up
 *          to a length; accepted by H, after a reverse check. If neither is given, a path has
 *          between a third of a length and all of it, and the warm-up learns the length, of which
 *          half of the paths turn: (q - q0) . p < 0. solutions=any: whatever the iteration finds
 *          is a proposal, in doubt too; solutions=all: each step takes any solution of its
 *          constraint equation (solutions.c)
 * Symbols  runs/sample/kernel.h
 * Source   Duane, Kennedy, Pendleton, Roweth (1987); on manifolds by RATTLE: Brubaker, Salzmann,
 *          Urtasun (2012); the reverse check: Zappa, Holmes-Cerfon, Goodman (2018), Lelievre,
 *          Rousset, Stoltz (2019); turns: Hoffman, Gelman (2014), and lengths by them: C. Wu, J.
 *          Stoehr, C. P. Robert, arXiv:1810.04449; several solutions: Lelievre, Stoltz, Zhang
 *          (2023)
 * Claims   the measure is exact, detailed balance: phi_h^k is symplectic and undone by its
 *          reversal, for every k
 * Needs    natural, g(q); a map that is symmetric, symplectic and pure, for solutions=all that of
 *          RATTLE
 * Cost     (steps + 1) steps of the map on average, there and back; a third less where H rejects
 * Fails when  never: what fails is a rejection
 * Differs from the source in  k is drawn, so that no period of the motion is met each time; the
 *                             check is that of all k steps */
#include "runs/sample/solutions.h"

#include <math.h>
#include <string.h>

#include "runs/integrate/integrator.h"
#include "constraint/step/scheme.h"
#include "ground/support/random.h"
#include "maps/wrap/along_fibres.h"

enum { UNSAID = 10 }; /* steps at most, where nobody says, or learns, how many */

typedef struct hmc {
  double steps, length;         /* length 0: steps are given, or it is learned */
  long long ahead;              /* steps of a path whose turn is sought, after the one under way */
  rattle__solutions *solutions; /* NULL: steps are those of the map */
} hmc;

/* Steps with any solutions, each way back being sought after its step. */
static rattle_status wander(rattle__kernel *k, long long steps, rattle_error *error) {
  const hmc *s = k->self;
  const size_t bytes = 2 * (size_t)k->n * sizeof *k->z;
  double log_ratio = 0;
  rattle_status status = RATTLE_OK;
  memcpy(k->next, k->z, bytes);
  for (long long i = 0; i < steps && !status; i++) {
    status = rattle__solutions_step(s->solutions, 1, k->next, k->back, &log_ratio, error);
    memcpy(k->next, k->back, bytes);
  }
  return rattle__kernel_decide(k, status, log_ratio, error);
}

/* True if q has begun to come back to where it set out: d/dt of |q - q0|^2/2 in the metric of M. */
static int comes_back(const rattle__kernel *k) {
  double along = 0;
  for (int i = 0; i < k->n; i++) along += (k->next[i] - k->z[i]) * k->next[k->n + i];
  return along < 0;
}

/* A path whose turn is sought goes step by step. */
static rattle_status look(rattle__kernel *k, rattle_status status, rattle_error *error) {
  hmc *s = k->self;
  if (k->way.z != k->next || !k->learns || status) return rattle__kernel_return(k, status, error);
  k->turned |= comes_back(k);
  if (!s->ahead) return rattle__kernel_return(k, status, error);
  s->ahead--;
  k->way.left = 1;
  return RATTLE_OK;
}

static rattle_status move(rattle__kernel *k, rattle_error *error) {
  hmc *s = k->self;
  const rattle_status status = rattle__kernel_refresh(k, 0, k->z, error);
  k->probability = 0;
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  const double length = k->looks ? k->length : s->length,
               most = length > 0 ? fmin(fmax(1, ceil(length / k->h)), 1e6) : s->steps;
  const double least = k->looks ? floor(most / 3) : 0;
  const long long steps =
      1 + (long long)(least + (most - least) * rattle__random_unit(k->key, ++k->drawn));
  if (s->solutions) return wander(k, steps, error);
  rattle__kernel_propose(k, steps, 0);
  if (k->learns) s->ahead = steps - 1, k->way.left = 1;
  return RATTLE_OK;
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  hmc *s = k->self = rattle__arena_take(&k->context.arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (hmc){0};
  k->move = move;
  s->steps = rattle__option_number(node, "steps");
  s->length = rattle__option_number(node, "length");
  const rattle_status status = rattle__kernel_make_map(k, rattle__method_inside(node), error);
  if (status) return status;
  k->map->context.asked.declines = 1;
  const rattle__branching choice = rattle__branching_of(node);
  k->map->context.asked.trusts = choice.any;
  k->looks = !choice.all && !(s->steps > 0 || s->length > 0);
  if (!(s->steps > 0)) s->steps = UNSAID;
  if (!choice.all) k->go_on = k->looks ? look : rattle__kernel_return;
  return choice.all ? rattle__solutions_create(&s->solutions, k, &choice, error) : RATTLE_OK;
}

/* A transition makes (steps + 1)/2 steps on average; 0: as many as a length needs. */
static void adjust(const rattle__node *node, rattle_claims *claims) {
  claims->stages = (int)rattle__option_number(node, "steps");
}

static double acceptance(const rattle__node *node) {
  (void)node;
  return 0.8;
}

/* Steps with any solution are those of RATTLE with half kicks around a drift. */
static int sensible(const rattle__node *node, rattle__text *reason) {
  const rattle__node *map = rattle__method_inside(node), *base = rattle__method_inside(map);
  if (!rattle__branching_sensible(node, reason) || !rattle__hops_sensible(node, reason)) return 0;
  if (!rattle__branching_of(node).all) return 1;
  const int slides = base && rattle__wrapper_of(map->row) == &rattle__wrapper_rattle &&
                     !rattle__projects_output(map);
  const rattle__base *inner = slides ? rattle__base_of(base->row) : NULL;
  const rattle__solving solving = rattle__method_solving(map);
  rattle__scheme scheme = {0};
  if (inner && inner->scheme) inner->scheme(base, &scheme);
  if (scheme.k1 == 0.5 && scheme.d1 == 1 && rattle__is_automatic(&solving)) return 1;
  rattle__put(reason, "solutions=all takes the steps of rattle(verlet) alone: write "
                      "hmc(rattle(verlet), solutions=all)");
  return 0;
}

const rattle__sampler rattle__sampler_hmc = {
    .adjust = adjust, .sensible = sensible, .acceptance = acceptance, .create = create};
