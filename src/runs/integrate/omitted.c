/* Constraints that were omitted because they follow from the others (runs/start/redundant.c) must
 * hold all along: beyond a position where ranks change the others may hold without them. */
#include <math.h>

#include "runs/integrate/integrator.h"
#include "problem/model/model.h"
#include "ground/support/error.h"

/* Values may be as large as this, relative to their change by a displacement of the size of the
 * coordinates. */
static const double share = 1e-8;

void rattle__omitted_plan(rattle_integrator *s) {
  const rattle__function *f = s->problem->omitted;
  if (f && !s->looks)
    s->omitted = rattle__arena_doubles(&s->context.arena, (size_t)f->rows + f->work);
}

rattle_status rattle__omitted_hold(const rattle_integrator *s, const double *z,
                                   rattle_error *error) {
  const rattle__function *f = s->problem->omitted;
  const rattle_model *model = s->problem->model;
  f->value(f, z, s->omitted, s->omitted + f->rows);
  for (int i = 0; i < f->rows; i++) {
    if (fabs(s->omitted[i]) <= share * model->omitted_size[i]) continue;
    const char *name = model->omitted[i].name;
    return rattle__fail(error, RATTLE_DEGENERATE, name,
                        "the constraint '%s', which followed from the others at the start, is %.3g "
                        "off after the step: the mechanism "
                        "has passed a position where it can move in other ways",
                        name, s->omitted[i]);
  }
  return RATTLE_OK;
}
