/* Small motions and none (study.h): units that do not vanish with the motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "examine/study/study.h"
#include "ground/support/largest.h"

/* steps of so many radians of the fastest motion; where it has no frequency, of so many parts of
 * the span */
enum { STEPS = 32, PARTS = 64 };
static const double radians = 0.1, rest = 1e-12;

/* omega scale_q / |H_pp|: |H_pp| is the largest entry of H_pp (1, 1, ..., 1) at the start. */
double rattle__rest_momentum(const rattle_study *study, double scale_q) {
  const rattle__function *H = study->problem->H;
  size_t nz = 2 * (size_t)study->n;
  double *v = calloc(6 * nz + H->work + 1, sizeof *v), *D = v + nz, *room = D + nz, most = 0;
  for (size_t k = nz / 2; k < nz && v; k++) v[k] = 1;
  if (v && !rattle__function_along(H, study->z0, v, D, room + 4 * nz, room))
    for (size_t k = nz / 2; k < nz; k++) most = fmax(most, fabs(D[k]));
  free(v);
  double momentum = study->r.frequency * scale_q / most;
  return isfinite(momentum) ? momentum : 0;
}

rattle_status rattle__rest_find(rattle_study *study, rattle_error *error) {
  int n = study->n;
  double frequency = study->r.frequency,
         unit[2] = {rattle__largest(study->z0, n), rattle__largest(study->z0 + n, n)};
  double *z = malloc(2 * (size_t)n * sizeof *z);
  rattle_integrator *integrator = NULL;
  if (!z) return rattle__no_memory(error);
  if (!(unit[0] > 0)) unit[0] = 1;
  unit[1] = fmax(unit[1], rattle__rest_momentum(study, unit[0]));
  if (!(unit[1] > 0)) unit[1] = 1;
  memcpy(z, study->z0, 2 * (size_t)n * sizeof *z);
  rattle_state state = {
      .q = z, .p = z + n, .h = frequency > 0 ? radians / frequency : study->span / PARTS};
  study->still =
      !rattle_integrator_create(&integrator, study->problem, rattle__study_inner(study), NULL);
  for (int i = 0; i < STEPS && study->still; i++) {
    if (rattle_integrator_step(integrator, &state, 1, NULL)) study->still = 0;
    for (int k = 0; k < 2 * n; k++)
      if (!(fabs(z[k] - study->z0[k]) <= rest * unit[k >= n])) study->still = 0;
  }
  rattle_integrator_destroy(&integrator);
  free(z);
  return RATTLE_OK;
}
