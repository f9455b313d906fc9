/* The nondegeneracy matrix N_ij = {{H,g_i},g_j} at the start and at the points of the manifold that
 * Dirac's algorithm found. */
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "examine/doctor/report.h"

/* N at the probe's point; NaN if it is not available. */
static void singular_values(rattle_doctor *doctor, rattle__probe *probe, double *smallest,
                            double *condition) {
  if (!rattle__doctor_saw(doctor, rattle__probe_nondegeneracy(probe, smallest, condition, NULL)))
    return;
  *smallest = *condition = (double)NAN;
}

rattle_status rattle__doctor_points(rattle_doctor *doctor, rattle_error *error) {
  rattle_diagnosis *d = &doctor->d;
  const rattle__dirac *dirac = doctor->dirac;
  if (!doctor->problem || !dirac) return RATTLE_OK;
  double *q = doctor->on_q, *p = doctor->on_p;
  rattle__probe *probe = NULL;
  rattle_status status =
      rattle__probe_create(&probe, doctor->problem, RATTLE__PROBE_MULTIPLIERS, error);
  if (status) return status;
  /* the start comes last, and stays in q and p */
  for (int i = dirac->samples - 1; i >= 0; i--) {
    const rattle__sample *s = &dirac->sample[i];
    double smallest, condition;
    if (!s->good) continue;
    for (int k = 0; k < d->n; k++) {
      q[k] = s->x[2 * k];
      p[k] = s->x[2 * k + 1];
    }
    if (i == 0 && doctor->settled) {
      memcpy(q, doctor->settled, (size_t)d->n * sizeof *q);
      memcpy(p, doctor->settled + d->n, (size_t)d->n * sizeof *p);
    }
    if (i == 0) doctor->on = 1;
    if (!d->m || dirac->rank_gg) continue;
    rattle__probe_place(probe, q, p);
    singular_values(doctor, probe, &smallest, &condition);
    if (i == 0) {
      d->min_singular_value = smallest;
      d->condition = condition;
    }
    d->worst_singular_value = fmin(d->worst_singular_value, smallest);
    d->worst_condition = fmax(d->worst_condition, condition);
  }
  rattle__probe_destroy(&probe);
  return RATTLE_OK;
}
