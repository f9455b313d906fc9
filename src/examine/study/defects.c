/* Reversal and symplecticity, measured in double precision (defects.h).
 *
 * Symbols: z = (q, p) in units of the motion; Phi some steps and the output after them; v_i an
 * orthonormal basis of the tangent space of M_H = {g = 0, psi = 0} (or of M = {g = 0}, or of R^2n)
 * at the start; omega(a, b) = sum_k a_k b_{n+k} - a_{n+k} b_k.
 *
 * Symplecticity: the largest |omega(Phi' v_i, Phi' v_j) - omega(v_i, v_j)|, with Phi' v by central
 * differences of order 6: the error is some 1e-12, by round-off over the distance 2e-3 and by the
 * seventh derivative. It is estimated from differences over distances repeatedly four times
 * shorter: the two that differ least count. Phi is evaluated on both sides of M_H, since shake and
 * rattle are defined there too: along tangent vectors its derivative does not depend on its values
 * off M_H.
 *
 * Momenta that are small against those that shifts of q bring about, as in small swings, are no
 * unit: round-off and the curvature of Phi would pass for a defect. The unit of p is then a tenth
 * of the one from rest.c. */
#include "examine/study/defects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "ground/support/random.h"

enum { REVERSAL_STEPS = 3, FORM_STEPS = 4, MOST_PAIRS = 64, MOST_VECTORS = 12, DISTANCES = 5 };
enum { CHANGES = MOST_VECTORS * (MOST_VECTORS - 1) / 2 };
static const double distance = 2e-3, shorter = 0.25, least_unit = 0.1;
static const double weight[3] = {0.75, -0.15, 1 / 60.0};

typedef struct bench {
  const rattle_study *study;
  rattle_integrator *integrator;
  rattle__probe *probe;
  rattle__arena arena;
  rattle__job *job;
  double h, scale[2]; /* units of q and p */
  double *extra, *z;  /* fresh extra state; [2n] the point in the units of the model */
} bench;

static int make(bench *b, const char *method) {
  const rattle_study *study = b->study;
  if (rattle_integrator_create(&b->integrator, study->problem, method, NULL)) return -1;
  if (rattle__probe_create(&b->probe, study->problem, RATTLE__PROBE_RESIDUALS, NULL)) return -1;
  b->extra = rattle__arena_doubles(&b->arena, (size_t)rattle_integrator_extra(b->integrator));
  b->z = rattle__arena_doubles(&b->arena, 2 * (size_t)study->n);
  if (b->arena.failed) return -1;
  rattle_integrator_get_extra(b->integrator, b->extra);
  return 0;
}

/* z [2n], in the units of the model, becomes the output after so many steps of h more. The method
 * keeps its memory of the last point. */
static int go_on(bench *b, double h, int steps, double *z) {
  int n = b->study->n;
  rattle_state state = {.q = z, .p = z + n, .t0 = rattle__time_at(b->study->problem, z), .h = h};
  if (rattle__job_stopped(b->job)) return -1;
  return rattle_integrator_step(b->integrator, &state, steps, NULL) ||
                 rattle_integrator_output(b->integrator, &state, z, z + n, NULL)
             ? -1
             : 0;
}

/* The same from a point that nothing is known of. */
static int apply(bench *b, double h, int steps, double *z) {
  rattle_integrator_set_extra(b->integrator, b->extra);
  return go_on(b, h, steps, z);
}

static double reversal(bench *b, const double *points_z, int points) {
  int n = b->study->n;
  double most = 0;
  for (int i = 0; i < points; i++) {
    const double *start = points_z + 2 * (size_t)n * (size_t)i;
    memcpy(b->z, start, 2 * (size_t)n * sizeof *b->z);
    if (apply(b, b->h, REVERSAL_STEPS, b->z) || go_on(b, -b->h, REVERSAL_STEPS, b->z))
      return (double)NAN;
    for (int k = 0; k < 2 * n; k++) most = fmax(most, fabs(b->z[k] - start[k]) / b->scale[k >= n]);
  }
  return most;
}

/* --- the tangent space ------------------------------------------------------------------------ */

/* Rows of the derivatives of g, and psi below them, along the coordinates in units: C[rows][2n]. */
static int normals(bench *b, int hidden, double *C) {
  int n = b->study->n, m = b->study->m, two_n = 2 * n;
  const double *z0 = b->study->z0;
  double *found = rattle__arena_doubles(&b->arena, 2 * (size_t)m);
  if (!found) return -1;
  memset(C, 0, (size_t)(hidden ? 2 * m : m) * (size_t)two_n * sizeof *C);
  memcpy(b->z, z0, (size_t)two_n * sizeof *b->z);
  for (int k = 0; k < two_n; k++) {
    double unit = distance * b->scale[k >= n];
    for (int s = -3; s <= 3; s++) {
      if (s == 0) continue;
      b->z[k] = z0[k] + s * unit;
      rattle__probe_place(b->probe, b->z, b->z + n);
      if (rattle__probe_residuals(b->probe, found, found + m, NULL)) return -1;
      double w = (s > 0 ? 1 : -1) * weight[abs(s) - 1] / distance;
      for (int i = 0; i < (hidden ? 2 * m : m); i++)
        C[(size_t)i * (size_t)two_n + (size_t)k] += w * found[i];
    }
    b->z[k] = z0[k];
  }
  return 0;
}

/* v less its parts along the orthonormal vectors before it; returns its length, and normalises
 * it. */
static double orthonormalise(int size, const double *before, int count, double *v) {
  double length = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < count; j++) {
      double part = 0;
      for (int k = 0; k < size; k++) part += before[(size_t)j * (size_t)size + (size_t)k] * v[k];
      for (int k = 0; k < size; k++) v[k] -= part * before[(size_t)j * (size_t)size + (size_t)k];
    }
  for (int k = 0; k < size; k++) length += v[k] * v[k];
  length = sqrt(length);
  for (int k = 0; k < size && length > 0; k++) v[k] /= length;
  return length;
}

/* Rows of C are made orthonormal; behind them come at most MOST_VECTORS tangent vectors, drawn at
 * random (always the same ones). Returns how many. */
static int tangents(int rows, int size, double *C) {
  int have = 0, wanted;
  uint64_t state = 0;
  for (int i = 0; i < rows; i++) {
    double *v = C + (size_t)have * (size_t)size, before = 0;
    memmove(v, C + (size_t)i * (size_t)size, (size_t)size * sizeof *v);
    for (int k = 0; k < size; k++) before += v[k] * v[k];
    if (orthonormalise(size, C, have, v) > 1e-8 * sqrt(before))
      have++; /* constraints that depend on others count once */
  }
  int normal = have;
  wanted = size - have < MOST_VECTORS ? size - have : MOST_VECTORS;
  while (have < normal + wanted) {
    double *v = C + (size_t)have * (size_t)size;
    for (int k = 0; k < size; k++) v[k] = rattle__random_signed(&state);
    if (orthonormalise(size, C, have, v) > 1e-3) have++;
  }
  memmove(C, C + (size_t)normal * (size_t)size, (size_t)wanted * (size_t)size * sizeof *C);
  return wanted;
}

/* --- the form --------------------------------------------------------------------------------- */

static double form(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[n + k] - a[n + k] * b[k];
  return sum;
}

/* D = Phi' v, all in units. */
static int push(bench *b, double apart, const double *v, double *D) {
  int n = b->study->n;
  memset(D, 0, 2 * (size_t)n * sizeof *D);
  for (int s = -3; s <= 3; s++) {
    if (s == 0) continue;
    for (int k = 0; k < 2 * n; k++) b->z[k] = b->study->z0[k] + s * apart * v[k] * b->scale[k >= n];
    if (apply(b, b->h, FORM_STEPS, b->z)) return -1;
    for (int k = 0; k < 2 * n; k++)
      D[k] += (s > 0 ? 1 : -1) * weight[abs(s) - 1] * b->z[k] / (apart * b->scale[k >= n]);
  }
  return 0;
}

/* The changes of the form for all pairs of the tangent vectors C[count][2n]; D [count*2n] is
 * room. */
static int measure(bench *b, double apart, int count, const double *C, double *D, double *change) {
  int n = b->study->n;
  size_t size = 2 * (size_t)n;
  for (int i = 0; i < count; i++)
    if (push(b, apart, C + (size_t)i * size, D + (size_t)i * size)) return -1;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      *change++ = form(n, D + (size_t)i * size, D + (size_t)j * size) -
                  form(n, C + (size_t)i * size, C + (size_t)j * size);
  return 0;
}

static void symplecticity(bench *b, int hidden, rattle__defects *defects) {
  int n = b->study->n, m = b->study->m, rows = hidden ? 2 * m : m, size = 2 * n, before = 0;
  double change[DISTANCES][CHANGES] = {{0}};
  if (n > MOST_PAIRS) return;
  double *C = rattle__arena_doubles(&b->arena, (size_t)(rows + MOST_VECTORS + 1) * (size_t)size);
  double *D = rattle__arena_doubles(&b->arena, (size_t)MOST_VECTORS * (size_t)size);
  if (!C || !D || (m && normals(b, hidden, C))) return;
  int count = tangents(rows, size, C);
  for (int k = 0; k < DISTANCES; k++) {
    int made = !measure(b, distance * pow(shorter, k), count, C, D, change[k]);
    double most = 0, differ = 0;
    for (int i = 0; i < count * (count - 1) / 2 && made && before; i++) {
      most = fmax(most, fabs(change[k - 1][i]));
      differ = fmax(differ, fabs(change[k][i] - change[k - 1][i]));
    }
    if (made && before && !(defects->known_to <= differ))
      defects->symplecticity = most, defects->known_to = differ;
    before = made;
  }
}

void rattle__defects_measure(const rattle_study *study, const rattle__subject *subject,
                             rattle__job *job, rattle__defects *defects) {
  const rattle_study_reference *units = &study->r.reference;
  bench b = {
      .study = study, .job = job, .h = subject->h, .scale = {units->scale_q, units->scale_p}};
  double nan = (double)NAN;
  *defects = (rattle__defects){nan, nan, nan};
  if (study->still) return;
  b.scale[1] = fmax(b.scale[1], least_unit * rattle__rest_momentum(study, b.scale[0]));
  if (!make(&b, subject->method)) {
    double at_start = reversal(&b, study->z0, 1), later = reversal(&b, subject->z, subject->points);
    if (!isnan(at_start + later)) defects->reversal = fmax(at_start, later);
    symplecticity(&b, subject->hidden, defects);
  }
  rattle__probe_destroy(&b.probe);
  rattle_integrator_destroy(&b.integrator);
  rattle__arena_release(&b.arena);
}
