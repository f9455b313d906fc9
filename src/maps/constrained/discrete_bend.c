/* Third derivatives in the matrix of discrete_gradient: how the discrete gradients of mu.psi move
 * with z1, and the metric.
 *
 * Map      h J (mu.psi'' /2) in the motion, by differences of psi' from the middle along each
 *          coordinate; and what R of mu.psi adds to the tilt; the same of W d sum w R/d.W d, W
 *          depending on H_pp
 * Cost     2n times psi', with a Hessian of H each: only where a step is followed and a substep was
 *          refused. Without it the iteration converges at the rate h mu.psi'', or not */
#include <math.h>
#include <string.h>

#include "maps/constrained/discrete.h"

/* psi' and the metric at z, in k->moved and k->weight */
static rattle_status derivative_at(rattle__discrete *k, const double *z, rattle_error *error) {
  const rattle__function *H = k->step.map.context->problem->H, *g = k->step.map.context->problem->g;
  double *S = rattle__discrete_source(k, k->first_g + g->hess_nnz); /* scratch */
  rattle_status status = rattle__discrete_energy(k, z, NULL, k->at_node, error);
  if (!status) status = rattle__discrete_constraint(k, z, k->psi_size, k->J_node, error);
  if (!status) status = rattle__answer(H->hessian(H, z, NULL, S, k->work), "Hessian", error);
  k->step.map.context->counts.hessian++;
  rattle__chord_metric(k->diagonal, k->n, S, k->step.whole, k->weight);
  return status ? status
                : rattle__psi_derivative(k->rows, z, k->J_node, k->at_node, S, k->moved, error);
}

/* bend = (mu.psi'')_c, from psi' at a point moved by `by` */
static void find_bend(rattle__discrete *k, double by) {
  const double *middle = rattle__discrete_psi_derivative(k, 0);
  memset(k->bend, 0, 2 * (size_t)k->n * sizeof *k->bend);
  for (int i = 0; i < k->m; i++)
    for (int u = k->rows->ptr[i]; u < k->rows->ptr[i + 1]; u++)
      k->bend[k->rows->col[u]] += rattle__discrete_mu(k, i) * (k->moved[u] - middle[u]) / by;
}

/* The slope of R of mu.psi, without psi'', over e.d */
static void add_tilt(rattle__discrete *k) {
  const double *middle = rattle__discrete_psi_derivative(k, 0),
               *end = rattle__discrete_psi_derivative(k, 1);
  const double along = k->chord.along - k->along;
  for (int c = 0; c < 2 * k->n; c++) k->step.tilt[c] -= 2 * along * k->chord.e[c] / k->chord.d2;
  for (int i = 0; i < k->m; i++)
    for (int u = k->rows->ptr[i]; u < k->rows->ptr[i + 1]; u++)
      k->step.tilt[k->rows->col[u]] +=
          rattle__discrete_mu(k, i) * (end[u] - middle[u]) / k->chord.d2;
}

/* Adds the metric's contribution to column c: total = sum of w F' + along W d with along = sum of w
 * R/d.W d; k->weight is the metric at a middle moved by `by`. */
static void add_metric(rattle__discrete *k, int c, double by, double *matrix) {
  const rattle__chord *chord = &k->chord;
  double sum = 0;
  for (int r = 0; r < 2 * k->n; r++) {
    if (r == chord->supplied) continue;
    const double slope = 0.5 * (k->weight[r] - chord->weight[r]) / by * chord->d[r];
    if (!isfinite(slope)) continue; /* next to the border of a domain */
    matrix[(size_t)rattle__discrete_row(k, r) * (size_t)k->step.size + (size_t)c] +=
        k->step.h * rattle__discrete_sign(k, r) * chord->along * slope;
    sum += slope * chord->d[r];
  }
  k->step.tilt[c] -= chord->along * sum / chord->d2;
}

rattle_status rattle__discrete_complete(rattle__implicit *step, double h, double *matrix,
                                        rattle_error *error) {
  rattle__discrete *k = step->self;
  double *z = k->chord.node;
  if (!(k->chord.d2 > 0)) return RATTLE_OK;
  add_tilt(k);
  memcpy(z, k->chord.z, 2 * (size_t)k->n * sizeof *z);
  for (int c = 0; c < 2 * k->n; c++) {
    z[c] = k->chord.z[c] + rattle__chord_shift(&k->chord, step->map.context->problem, c);
    const double by = z[c] - k->chord.z[c];
    if (by == 0) continue;
    const rattle_status status = derivative_at(k, z, error);
    if (status) return status;
    find_bend(k, by);
    add_metric(k, c, by, matrix);
    z[c] = k->chord.z[c];
    for (int r = 0; r < 2 * k->n; r++) {
      if (!isfinite(k->bend[r])) continue; /* next to the border of a domain */
      matrix[(size_t)rattle__discrete_row(k, r) * (size_t)step->size + (size_t)c] +=
          0.5 * h * rattle__discrete_sign(k, r) * k->bend[r];
      step->tilt[r] -= 0.5 * k->bend[r] * k->chord.d[c] / k->chord.d2;
    }
  }
  return RATTLE_OK;
}
