/* See fast.h. Points for output slide onto psi = 0 by natural.c. */
#include "maps/natural/fast.h"

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  const rattle__fast *s = map->self;
  return s->fallback->output(s->fallback, h, z, error);
}

void rattle__fast_destroy(rattle__map *map) {
  rattle__fast *s = map->self;
  rattle__prover_destroy(&s->prover);
  if (s->fallback && s->fallback->destroy) s->fallback->destroy(s->fallback);
}

void rattle__fast_begin(rattle__fast *fast, rattle__context *context, const rattle__scheme *scheme,
                        rattle__projection projection, rattle__map *fallback) {
  fast->fallback = fallback;
  fast->scheme = *scheme;
  fast->projection = projection;
  fast->map = (rattle__map){.context = context,
                            .destroy = rattle__fast_destroy,
                            .records = !fallback || fallback->records,
                            .symmetric = scheme->symmetric,
                            .compensates = !fallback,
                            .self = fast,
                            .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  rattle__point_create(&fast->point, &context->arena, context->problem->n, 0, 0);
}

rattle_status rattle__fast_create(rattle__fast *fast, rattle__context *context,
                                  const rattle__scheme *scheme, rattle__projection projection,
                                  rattle_error *error) {
  rattle__fast_begin(fast, context, scheme, projection, NULL);
  return rattle__natural_create(&fast->fallback, context, scheme, projection, &rattle__automatic,
                                error);
}

/* --- proofs ----------------------------------------------------------------------------------- */

rattle_status rattle__fast_prove(rattle__fast *fast,
                                 int (*prove)(rattle__fast *fast, const rattle__fast_ends *step),
                                 rattle_error *error) {
  fast->prove = prove;
  const int answer = rattle__prover_create(&fast->prover, fast->map.context->problem->g);
  return answer < 0 ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle__tracked ask(const rattle__fast *fast, const rattle__fast_ends *step) {
  const rattle_problem *problem = fast->map.context->problem;
  const rattle__proof_ends of = {.h = step->h,
                                 .d1 = fast->scheme.d1,
                                 .k1 = fast->scheme.k1,
                                 .W = rattle__inertia(problem),
                                 .q0 = step->z0,
                                 .p0 = step->z0 + problem->n,
                                 .q1 = step->z1,
                                 .V_q = step->V_q};
  double radius;
  return rattle__prover_ask(fast->prover, &of, &radius);
}

int rattle__fast_is_proved(const rattle__fast *fast, const rattle__fast_ends *step) {
  return !fast->prover || ask(fast, step).answer == RATTLE__TRACK_RIGHT;
}

rattle_status rattle__fast_step_otherwise(rattle__fast *fast, const rattle__fast_ends *step,
                                          int follow, rattle_error *error) {
  rattle__map *map = fast->fallback;
  const int follows = follow && map->follow;
  const rattle_status status = follows ? map->follow(map, step->h, step->z0, step->z1, error)
                                       : map->apply(map, step->h, step->z0, step->z1, error);
  if (status || !fast->prover || fast->prove(fast, step)) return status;
  const rattle__tracked found = ask(fast, step);
  if (found.answer == RATTLE__TRACK_RIGHT) return RATTLE_OK;
  if (found.answer == RATTLE__TRACK_OPEN && found.reached == 0) return RATTLE_OK;
  if (!follows && map->follow) return rattle__fast_step_otherwise(fast, step, 1, error);
  return rattle__prover_refuse(fast->map.context->problem, &found, error);
}
