/* The largest frequency of a constrained motion at a point, cheaply.
 *
 * The largest eigenvalue, in modulus, of the Jacobian of the field X = X_H + sum lambda_i X_{g_i}, by power iteration with
 * central differences of X along a vector (lambda being functions of the point, X keeps g' X: directions across the manifold add
 * nothing but zero eigenvalues); or |dX/dt|/|X|, the rate at which the motion itself turns, where that is more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "problem/probe.h"
#include "doctor/quick.h"
#include "doctor/report.h"

enum { ITERATIONS = 40, SETTLED = 20 };

typedef struct frequency {
  rattle__probe *probe;
  int n;
  double *z, *v, *w, *plus, *minus, *lambda; /* [2n], lambda [m] */
  double scale[2];                           /* of q and p */
} frequency;

/* X at z into out[2n]; nonzero if it is not available. */
static int field(frequency *f, const double *z, double *out) {
  rattle__probe *s = f->probe;
  const rattle__function *g = s->problem->g, *H = s->problem->H;
  int n = f->n;
  rattle__probe_place(s, z, z + n);
  if (!s->m) {
    if (H->jacobian(H, z, NULL, s->y, s->work)) return 1;
    for (int k = 0; k < n; k++) {
      out[k] = s->y[n + k];
      out[n + k] = -s->y[k];
    }
    return 0;
  }
  if (rattle__probe_multipliers(s, f->lambda, NULL)) return 1;
  memcpy(out, s->X, 2 * (size_t)n * sizeof *out);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      int column = g->jac_col[e];
      out[s->other[e]] += (column < n ? -1 : 1) * s->J[e] * f->lambda[i];
    }
  return 0;
}

/* |v| in units */
static double length(const frequency *f, const double *v) {
  double sum = 0;
  for (int k = 0; k < 2 * f->n; k++) sum += v[k] / f->scale[k >= f->n] * (v[k] / f->scale[k >= f->n]);
  return sqrt(sum);
}

/* w = X' v; nonzero if it is not available. */
static int along(frequency *f, const double *v, double *w) {
  double size = length(f, v), t = size > 0 ? 3e-6 / size : 0;
  if (!(t > 0)) return 1;
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < 2 * f->n; k++) w[k] = f->z[k] + (side ? -t : t) * v[k];
    if (field(f, w, side ? f->minus : f->plus)) return 1;
  }
  for (int k = 0; k < 2 * f->n; k++) w[k] = (f->plus[k] - f->minus[k]) / (2 * t);
  return 0;
}

static double turning(frequency *f) {
  if (field(f, f->z, f->v)) return 0;
  double speed = length(f, f->v);
  return speed > 0 && !along(f, f->v, f->w) ? length(f, f->w) / speed : 0;
}

/* Geometric mean of the growth over the later iterations. */
static double spectral_radius(frequency *f) {
  double logarithm = 0;
  int counted = 0;
  for (int k = 0; k < 2 * f->n; k++) f->v[k] = f->scale[k >= f->n] * (1 + 0.5 * sin(1.0 + 7.0 * k));
  for (int i = 0; i < ITERATIONS; i++) {
    double before = length(f, f->v);
    if (along(f, f->v, f->w)) return 0;
    double after = length(f, f->w);
    if (!(after > 1e-14 * before) || !isfinite(after)) return 0;
    if (i >= SETTLED) {
      logarithm += log(after / before);
      counted++;
    }
    for (int k = 0; k < 2 * f->n; k++) f->v[k] = f->w[k] / after;
  }
  return exp(logarithm / counted);
}

rattle_status rattle__frequency(const rattle_problem *problem, const double *q, const double *p, double *found,
                                rattle_error *error) {
  size_t n = (size_t)problem->n, nz = 2 * n;
  frequency f = {.n = problem->n, .z = calloc(5 * nz + (size_t)problem->m + 1, sizeof *f.z), .scale = {0, 0}};
  *found = (double)NAN;
  if (!f.z) return rattle__no_memory(error);
  f.v = f.z + nz, f.w = f.v + nz, f.plus = f.w + nz, f.minus = f.plus + nz, f.lambda = f.minus + nz;
  rattle_status status = rattle__probe_create(&f.probe, problem, RATTLE__PROBE_MULTIPLIERS, error);
  if (!status && (!problem->m || f.probe->bracket)) {
    memcpy(f.z, q, n * sizeof *f.z);
    memcpy(f.z + n, p, n * sizeof *f.z);
    for (size_t k = 0; k < nz; k++) f.scale[k >= n] = fmax(f.scale[k >= n], fabs(f.z[k]));
    for (int i = 0; i < 2; i++) f.scale[i] = f.scale[i] > 0 ? f.scale[i] : 1;
    double turn = turning(&f), radius = spectral_radius(&f), most = fmax(turn, radius);
    if (most > 0 && isfinite(most)) *found = most;
  }
  rattle__probe_destroy(&f.probe);
  free(f.z);
  return status;
}

rattle_status rattle__doctor_frequency(rattle_doctor *doctor, rattle_error *error) {
  return rattle__frequency(doctor->problem, doctor->on_q, doctor->on_p, &doctor->d.frequency, error);
}
