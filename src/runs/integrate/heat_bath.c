/* Trajectories in a heat bath: langevin(map, metropolis=no) as a method of runs.
 *
 * Map      z1 = phi_h(q0, P(c p0 + sqrt((1 - c^2) T) M^(1/2) xi)), c = e^{-friction |h|}, P the
 *          projection of momenta onto psi = 0
 * Symbols  runs/sample/langevin.c; xi [n] standard normal, a function of the seed and the number of
 *          the step alone
 * Heat     what the exchange of momenta adds to p^T M^-1 p/2; with the work of forces it is what H
 *          gained but for errors of the map
 * Source   T. Lelievre, M. Rousset, G. Stoltz, Math. Comp. 81 (2012) 2071
 * Claims   steps are functions of t, h, q, p, seed and number; P makes no difference to the law of
 *          xi, since p0 lies on psi = 0 already
 * Needs    H = p^T M^-1 p/2 + V(q, t) with forces or without, constraints g(q) that stay in place:
 *          elsewhere momenta have no temperature without a frame of reference */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/integrate/integrator.h"
#include "runs/integrate/run_hooks.h"
#include "method/notation/row.h"
#include "rattle/slide.h"
#include "constraint/step/sizes.h"
#include "ground/support/random.h"

enum { MOST_DENSE = 3000 }; /* order of masses that are not diagonal */

typedef struct rattle__heat_bath {
  rattle__bath of;
  rattle_slider *slider; /* NULL without constraints */
  const rattle__mass *W;
  double *root, *xi, *z; /* of M; [n]; where the step begins [2 pairs] */
} rattle__heat_bath;

static rattle_status unsuitable(const rattle_integrator *s, const char *why, rattle_error *error) {
  const char *text = rattle_method_text(s->method);
  return rattle__fail(error, RATTLE_UNSUITABLE, text, "%s: %s", text, why);
}

static rattle_status check(const rattle_integrator *s, const rattle__bath *of,
                           rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const rattle__mass *W = rattle__inertia(problem);
  if (!W)
    return unsuitable(s,
                      "momenta are exchanged with a heat bath where H = p^T M^-1 p/2 + V(q, t) "
                      "with constant M, and this H is not of that form",
                      error);
  if (problem->m && !(problem->flags & RATTLE_HOLONOMIC))
    return unsuitable(s, "a heat bath needs constraints on coordinates alone", error);
  if (rattle__constraints_move(problem))
    return unsuitable(s,
                      "constraints that depend on time move the system through the heat bath: its "
                      "temperature has no meaning without a frame",
                      error);
  if (W->value && W->n > MOST_DENSE)
    return unsuitable(s, "masses that are not diagonal are for up to 3000 coordinates", error);
  if (!(of->friction > 0))
    return unsuitable(s, "a trajectory in a heat bath needs friction=, an inverse time", error);
  return RATTLE_OK;
}

rattle_status rattle__heat_bath_create(rattle_integrator *s, rattle_error *error) {
  rattle__bath of;
  if (!rattle__method_bath(rattle__method_root(s->method), &of)) return RATTLE_OK;
  rattle_status status = check(s, &of, error);
  if (status) return status;
  rattle__arena *arena = &s->context.arena;
  rattle__heat_bath *b = s->bath = rattle__arena_take(arena, sizeof *b);
  if (!b) return rattle__no_memory(error);
  *b = (rattle__heat_bath){.of = of, .W = rattle__inertia(s->problem)};
  const rattle__array arrays[] = {{&b->root, rattle__mass_root_size(b->W)},
                                  {&b->xi, (size_t)s->n},
                                  {&b->z, 2 * (size_t)s->pairs}};
  RATTLE__LAY_OUT(arena, arrays);
  s->gained = rattle__context_memory(&s->context, 1);
  if (arena->failed) return rattle__no_memory(error);
  if (rattle__mass_root(b->W, b->root))
    return unsuitable(s, "momenta cannot be drawn: M is not positive definite", error);
  return s->problem->m ? rattle_slider_create(&b->slider, s->problem, error) : RATTLE_OK;
}

rattle_status rattle__refuse_bath(const rattle_integrator *s, const char *what,
                                  rattle_error *error) {
  if (!s->bath) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, rattle_method_text(s->method),
                      "%s of %s would be about its noise: give the map inside it", what,
                      rattle_method_text(s->method));
}

void rattle__heat_bath_destroy(rattle_integrator *s) {
  if (s->bath) rattle_slider_destroy(&s->bath->slider);
}

rattle_status rattle__heat_bath_exchange(rattle_integrator *s, double h, long long step,
                                         const double **z, rattle_error *error) {
  rattle__heat_bath *b = s->bath;
  const double keep = exp(-b->of.friction * fabs(h)),
               fresh = sqrt((1 - keep * keep) * b->of.temperature);
  const uint64_t key =
      rattle__random_key((uint64_t)b->of.seed, 0, (uint64_t)(s->first_draw + step));
  uint64_t drawn = 0;
  memcpy(b->z, *z, 2 * (size_t)s->pairs * sizeof **z);
  double *p = b->z + s->pairs;
  const double before = rattle__mass_twice_kinetic(b->W, p);
  rattle__random_normals(key, &drawn, b->xi, s->n);
  rattle__mass_spread(b->W, b->root, b->xi);
  for (int i = 0; i < s->n; i++)
    if (!rattle__is_time(s->problem, i)) p[i] = keep * p[i] + fresh * b->xi[i];
  const rattle_status status =
      b->slider ? rattle_slider_momenta(b->slider, b->z, p, error) : RATTLE_OK;
  if (status) return status;
  *s->gained += (rattle__mass_twice_kinetic(b->W, p) - before) / 2;
  *z = b->z;
  return RATTLE_OK;
}
