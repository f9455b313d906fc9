/* The speed of which eps is rest: psi = g_q v is small or not beside the velocities v, which are 0
 * at rest.
 *
 * Forces give velocities. Over a length L, the largest of the coordinates, an acceleration a leads
 * to (a L)^(1/2). A velocity of eps of this has eps^2 of the energy that the forces give. A model
 * that names a step h has another measure: a coordinate that moves by less than eps L in a step
 * does not move, since its sum is rounded, so L/h counts as well. */
#include <math.h>
#include <stdlib.h>

#include "constraint/step/sizes.h"
#include "problem/model/model.h"
#include "runs/start/start.h"

/* The largest of |H_pp| |H_q|; 0 where it cannot be had. */
static double acceleration(rattle__start *s) {
  const rattle__function *H = s->problem->H;
  double *S = malloc(((size_t)H->hess_nnz + 1) * sizeof *S), most = 0;
  if (S && H->hessian && !H->jacobian(H, s->z, NULL, s->gradient, s->work) &&
      !H->hessian(H, s->z, NULL, S, s->work))
    for (int r = s->n; r < 2 * s->n; r++) {
      double sum = 0;
      for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
        if (H->hess_col[e] >= s->n) sum += fabs(S[e] * s->gradient[H->hess_col[e] - s->n]);
      if (isfinite(sum)) most = fmax(most, sum);
    }
  free(S);
  return most;
}

double rattle__start_speed(rattle__start *s) {
  const rattle_model *model = s->problem->model;
  double length = 0;
  for (int k = 0; k < s->n; k++)
    if (!rattle__is_time(s->problem, k)) length = fmax(length, fabs(s->z[k]));
  const double fall = sqrt(acceleration(s) * length);
  return model && model->wishes.step > 0 ? fmax(fall, length / model->wishes.step) : fall;
}
