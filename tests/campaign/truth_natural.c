/* rattle(verlet) on natural problems: q1 = q0 + h W (p0 - h/2 V_q(q0)) - W G(q0)^T s with g(q1) =
 * 0; the unknowns are s. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "natural.h"
#include "truth.h"

typedef struct verlet {
  const problem *pr;
  long double h, q0[PAIRS], v0[PAIRS], a0[PAIRS]; /* W p0, W V_q(q0) */
  long double WG[CONSTRAINTS * PAIRS];            /* rows W G_i(q0) */
  natural_point at0;
} verlet;

static void position(const verlet *e, long double t, const long double *s, long double *q) {
  const long double d = t * e->h;
  for (int k = 0; k < e->pr->n; k++) {
    q[k] = d * (e->v0[k] - d / 2 * e->a0[k]);
    for (int i = 0; i < e->pr->m; i++) q[k] -= e->WG[i * e->pr->n + k] * s[i];
    q[k] += e->q0[k];
  }
}

static int evaluate(const follow_system *system, long double t, const long double *s,
                    long double *F, long double *J, long double *Ft) {
  const verlet *e = system->of;
  const int n = e->pr->n, m = e->pr->m;
  long double q[PAIRS];
  natural_point at;
  position(e, t, s, q);
  natural_evaluate(e->pr, q, system->work, &at);
  for (int i = 0; i < m; i++) {
    F[i] = at.g[i] - (1 - t) * e->at0.g[i];
    Ft[i] = e->at0.g[i];
    for (int k = 0; k < n; k++) Ft[i] += at.G[i * n + k] * e->h * (e->v0[k] - t * e->h * e->a0[k]);
    for (int j = 0; j < m; j++) {
      J[i * m + j] = 0;
      for (int k = 0; k < n; k++) J[i * m + j] -= at.G[i * n + k] * e->WG[j * n + k];
    }
    if (!isfinite(F[i])) return 1;
  }
  return 0;
}

static void begin(verlet *e, const step *at, follow_system *system) {
  const problem *pr = at->pr;
  long double N[CONSTRAINTS * CONSTRAINTS];
  e->pr = pr;
  e->h = at->h;
  memcpy(e->q0, at->q, sizeof *e->q0 * (size_t)pr->n);
  natural_evaluate(pr, e->q0, system->work, &e->at0);
  natural_velocity(pr, at->p, e->v0);
  natural_velocity(pr, e->at0.Vq, e->a0);
  for (int i = 0; i < pr->m; i++) natural_velocity(pr, e->at0.G + i * pr->n, e->WG + i * pr->n);
  natural_product(pr, e->at0.G, e->at0.G, N);
  *system =
      (follow_system){.size = pr->m, .of = e, .evaluate = evaluate, .exact = 1, .work = at->work};
  for (int i = 0; i < pr->m; i++) {
    system->scale[i] = sqrtl(N[i * pr->m + i]);
    system->unit[i] = e->at0.error[i];
    for (int k = 0; k < pr->n; k++) system->unit[i] += fabsl(e->at0.G[i * pr->n + k] * e->q0[k]);
  }
}

/* The round-off of q1: that of g, seen through J, and of q; of p1/2: that of q1 over h. */
static void round_off(const verlet *e, follow_system *system, const dense_factors *J,
                      const natural_point *at, truth *result) {
  const int n = e->pr->n, m = e->pr->m;
  const long double stiffness = e->pr->unit.mass / (e->pr->unit.time * e->pr->unit.time);
  long double of_s[CONSTRAINTS], relative = 0, largest = 0;
  for (int i = 0; i < m; i++) {
    system->unit[i] = at->error[i];
    for (int k = 0; k < n; k++) system->unit[i] += fabsl(at->G[i * n + k] * result->q[k]);
  }
  follow_error(system, J, DBL_EPSILON, of_s);
  for (int k = 0; k < n; k++) {
    result->q_error[k] = DBL_EPSILON * (fabsl(result->q[k]) + fabsl(e->q0[k]));
    result->p_error[k] = DBL_EPSILON * (fabsl(result->p[k]) +
                                        fabsl(e->h) * (fabsl(at->Vq[k]) + fabsl(e->at0.Vq[k])));
    result->p_error[k] += DBL_EPSILON * fabsl(e->h) * stiffness * fabsl(result->q[k]);
    for (int i = 0; i < m; i++) {
      result->q_error[k] += fabsl(e->WG[i * n + k]) * of_s[i];
      result->p_error[k] += fabsl(e->at0.G[i * n + k] / e->h) * of_s[i];
    }
    relative = fmaxl(relative, result->q_error[k] / e->pr->unit.length);
    largest = fmaxl(largest, fabsl(result->p[k]));
  }
  for (int k = 0; k < n; k++) result->p_error[k] += relative * largest;
}

void truth_natural_verlet(const step *from, int slide, truth *result) {
  const problem *pr = from->pr;
  verlet e;
  follow_system system = {.work = from->work};
  follow_result found = {0};
  natural_point at;
  dense_factors N;
  long double d[CONSTRAINTS], N0[CONSTRAINTS * CONSTRAINTS];
  begin(&e, from, &system);
  *result = (truth){0};
  follow(&system, from->strict, &found);
  result->part = (double)found.part;
  result->margin = (double)found.margin;
  result->pieces = found.pieces;
  result->exhausted = found.exhausted;
  result->effort = (double)found.pieces * system.size * system.size;
  if (!found.reaches) return;
  position(&e, 1, found.x, result->q);
  natural_evaluate(pr, result->q, from->work, &at);
  for (int k = 0; k < pr->n; k++) {
    result->p[k] = from->p[k] - e.h / 2 * (e.at0.Vq[k] + at.Vq[k]);
    for (int i = 0; i < pr->m; i++) result->p[k] -= e.at0.G[i * pr->n + k] * found.x[i] / e.h;
  }
  result->reaches = 1;
  if (slide) {
    if (natural_project(pr, &at, result->p, &N, d)) result->reaches = 0;
    natural_product(pr, e.at0.G, e.at0.G, N0);
    result->margin = fmin(result->margin, (double)(1 / dense_distance(&N, N0, 0, system.scale)));
  }
  round_off(&e, &system, &found.J, &at, result);
}
