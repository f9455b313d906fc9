/* Points onto constraints, for whoever has no method: the public face of src/constraint. */
#include "rattle/slide.h"

#include <stdlib.h>
#include <string.h>

#include "constraint/place/nearest_point.h"

struct rattle_slider {
  rattle__context context;
  rattle__nearest_point *onto;
  double *z; /* [2n] */
};

rattle_status rattle_slider_create(rattle_slider **slider, const rattle_problem *problem,
                                   rattle_error *error) {
  *slider = NULL;
  if (problem->velocity)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "points are moved onto constraints on velocities by rattle_problem_start "
                        "alone, with project = 1");
  if (!problem->m)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "the problem has no constraints to move a point onto");
  rattle_slider *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->context = (rattle__context){.problem = rattle_problem_retain(problem), .solver = "none"};
  const rattle__nearest_options options = {.momenta = !problem->split};
  rattle_status status = rattle__nearest_point_create(&s->onto, &s->context, &options, error);
  s->z = rattle__arena_doubles(&s->context.arena, 2 * (size_t)problem->n);
  if (!status && s->context.arena.failed) status = rattle__no_memory(error);
  if (status)
    rattle_slider_destroy(&s);
  else
    *slider = s;
  return status;
}

void rattle_slider_destroy(rattle_slider **slider) {
  rattle_slider *s = slider ? *slider : NULL;
  if (!s) return;
  rattle__nearest_point_destroy(&s->onto);
  rattle__probe_destroy(&s->context.probe);
  rattle__arena_release(&s->context.arena);
  rattle_problem *problem = (rattle_problem *)s->context.problem;
  rattle_problem_destroy(&problem);
  free(s);
  *slider = NULL;
}

/* (q, p) after `move`; as they were where that fails. */
static rattle_status moved(rattle_slider *s,
                           rattle_status (*move)(rattle__nearest_point *, double *, rattle_error *),
                           double *q, double *p, rattle_error *error) {
  const size_t n = (size_t)s->context.problem->n;
  memcpy(s->z, q, n * sizeof *q);
  memcpy(s->z + n, p, n * sizeof *p);
  const rattle_status status = move(s->onto, s->z, error);
  if (status) return status;
  memcpy(q, s->z, n * sizeof *q);
  memcpy(p, s->z + n, n * sizeof *p);
  return RATTLE_OK;
}

rattle_status rattle_slider_place(rattle_slider *slider, double *q, double *p,
                                  rattle_error *error) {
  return moved(slider, rattle__nearest_point_constraints, q, p, error);
}

rattle_status rattle_slider_momenta(rattle_slider *slider, double *q, double *p,
                                    rattle_error *error) {
  if (slider->context.problem->split)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "second-class constraints have no hidden ones: rattle_slider_place moves "
                        "all of (q, p) onto g = 0");
  return moved(slider, rattle__nearest_point_hidden, q, p, error);
}
