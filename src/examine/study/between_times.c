/* From the times at which adaptive steps end to the times of a study (study.h): the rest of the
 * way, shorter than a step, by the method of highest order, with more and more steps until two
 * solutions agree to round-off. The remaining error is far below any error that is measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "examine/study/study.h"

/* steps tried, doubled each time; agreement, relative to the largest |q| and |p|, at best and at
 * the least */
enum { MOST_STEPS = 1024 };
static const double close_enough = 1e-14, good_enough = 1e-9;

struct rattle__carrier {
  const rattle_problem *problem;
  rattle_integrator *integrator;
  int n;
  double *z, *before; /* [2n] */
};

rattle_status rattle__carrier_create(rattle__carrier **carrier, const rattle_study *study,
                                     rattle_error *error) {
  rattle__carrier *c = *carrier = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  c->n = study->n, c->problem = study->problem;
  c->z = malloc(4 * (size_t)c->n * sizeof *c->z);
  if (!c->z) return rattle__no_memory(error);
  c->before = c->z + 2 * c->n;
  return rattle_integrator_create(&c->integrator, study->problem, study->finest, error);
}

void rattle__carrier_destroy(rattle__carrier **carrier) {
  if (!*carrier) return;
  rattle_integrator_destroy(&(*carrier)->integrator);
  free((*carrier)->z);
  free(*carrier);
  *carrier = NULL;
}

/* How far z and before are apart, relative. */
static double apart(const rattle__carrier *c) {
  double size[2] = {1e-300, 1e-300}, miss[2] = {0, 0};
  for (int k = 0; k < 2 * c->n; k++) {
    const int is_p = k >= c->n;
    size[is_p] = fmax(size[is_p], fabs(c->z[k]));
    miss[is_p] = fmax(miss[is_p], fabs(c->z[k] - c->before[k]));
  }
  return fmax(miss[0] / size[0], miss[1] / size[1]);
}

rattle_status rattle__carry(rattle__carrier *c, double time, double *z, rattle_error *error) {
  const size_t size = 2 * (size_t)c->n * sizeof *z;
  double miss = (double)INFINITY, last;
  rattle_status status = RATTLE_OK;
  int solutions = 0;
  if (time == 0) return RATTLE_OK;
  for (int steps = 1; steps <= MOST_STEPS; steps *= 2) {
    rattle_state state = {
        .q = c->z, .p = c->z + c->n, .t0 = rattle__time_at(c->problem, z), .h = time / steps};
    memcpy(c->before, c->z, size);
    memcpy(c->z, z, size);
    status = rattle_integrator_step(c->integrator, &state, steps, error);
    if (!status) status = rattle_integrator_output(c->integrator, &state, state.q, state.p, error);
    solutions = status ? 0 : solutions + 1;
    last = miss;
    miss = solutions > 1 ? apart(c) : (double)INFINITY;
    if (miss <= close_enough || (miss < good_enough && miss > last / 4)) break;
  }
  if (!status && !(miss < good_enough))
    status = rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                          "the motion could not be integrated from the end of a step to the time "
                          "of the study: use smaller steps");
  if (!status) memcpy(z, c->z, size);
  return status;
}
