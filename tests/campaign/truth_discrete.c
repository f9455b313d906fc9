/* The discrete gradient method of Gonzalez (J. Nonlinear Sci. 6 (1996) 449), on any problem, in
 * long double. d = t h, S the symplectic matrix, L = H + lambda.g + mu.psi, z the middle of z0 and
 * z1; e is 0 at the momentum p_t of the time.
 *
 *     z1 = z0 + d K,  K = S (L'(z) + e R/e.(z1 - z0)),  R = L(z1) - L(z0) - L'(z).(z1 - z0),  g(z1)
 *     = 0,  psi(z1) = 0.  Unknowns K, lambda, mu
 *
 * e = W (z1 - z0) with a diagonal W that is 1 for a coordinate and r^2 for its momentum, r = 1,
 * but not less than 0.1 a h and not more than 10^4 a h, with a = |H_pp| at z, if that is not 0,
 * and the whole step h; 0 for a variable that a constraint is, z_k = 0, which does not move: then
 * any weight has the same solution, but W_k times what differences move it by may be any multiple
 * of the rest of e.(z1 - z0).
 *
 * psi = g'.X_H has no formula for its gradient here: with G = mu.g, (mu.psi)' is the derivative of
 * G' along X_H less that of H' along X_G, which differences of order 8 give. On short chords R
 * drowns in the round-off of L: if both agree to round-off, the part of H and g is an integral of
 * slopes, by Gauss's rule with five nodes. g and psi are divided by d: their derivatives then have
 * limits, and so have lambda and mu. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "general.h"
#include "truth.h"

typedef struct discrete {
  const problem *pr;
  formula_work *work;
  long double h, z0[ENTRIES], psi0[CONSTRAINTS];
  general_point at0;
} discrete;

/* Weights of central differences at distances 1 .. 4, and the distance in sizes of z. */
static const long double weight[4] = {4 / 5.0L, -1 / 5.0L, 4 / 105.0L, -1 / 280.0L}, apart = 0.01L;

/* The difference that moves z along x by `apart`; 0: x is 0. */
static long double difference(const problem *pr, const long double *x) {
  long double far = 0;
  for (int k = 0; k < 2 * pr->n; k++) far = fmaxl(far, fabsl(x[k]) / general_size(pr, k));
  return far > 0 ? apart / far : 0;
}

static long double dot(int size, const long double *a, const long double *b) {
  long double sum = 0;
  for (int k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

/* sum += scale times the derivative along x of H' (v NULL) or of (v.g)' at z */
static void along(const discrete *e, const long double *z, const long double *x,
                  const long double *v, long double scale, long double *sum) {
  const problem *pr = e->pr;
  const int size = 2 * pr->n;
  const long double by = difference(pr, x);
  for (int j = 1; j <= 4 && by > 0; j++) {
    const long double share = scale * weight[j - 1] / by;
    general_point there[2]; /* differences first: what does not move leaves no round-off */
    for (int side = 0; side < 2; side++) {
      long double moved[ENTRIES];
      for (int k = 0; k < size; k++) moved[k] = z[k] + (side ? j : -j) * by * x[k];
      general_evaluate(pr, moved, v ? FORMULA_G : FORMULA_H, e->work, &there[side]);
    }
    for (int k = 0; k < size && !v; k++) sum[k] += share * (there[1].dH[k] - there[0].dH[k]);
    for (int i = 0; i < pr->m && v; i++)
      for (int k = 0; k < size; k++)
        sum[k] += share * v[i] * (there[1].dg[i * size + k] - there[0].dg[i * size + k]);
  }
}

/* sum += (mu.psi)' at z, H' and g' there being known */
static void add_hidden(const discrete *e, const long double *z, const general_point *at,
                       const long double *mu, long double *sum) {
  const problem *pr = e->pr;
  const int n = pr->n;
  long double flow[ENTRIES], slide[ENTRIES] = {0};
  general_field(pr, at, flow);
  for (int i = 0; i < pr->m; i++)
    for (int k = 0; k < n; k++) {
      slide[k] += mu[i] * at->dg[i * 2 * n + n + k];
      slide[n + k] -= mu[i] * at->dg[i * 2 * n + k];
    }
  along(e, z, flow, mu, 1, sum);
  along(e, z, slide, NULL, -1, sum);
}

/* H' + (lambda.g)' */
static void slope_of(const problem *pr, const general_point *at, const long double *lambda,
                     long double *slope) {
  const int size = 2 * pr->n;
  memcpy(slope, at->dH, sizeof *slope * (size_t)size);
  for (int i = 0; i < pr->m; i++)
    for (int k = 0; k < size; k++) slope[k] += lambda[i] * at->dg[i * size + k];
}

/* The part of the difference of H + lambda.g along the short chord d that the slope at the middle z
 * misses. */
static long double rest_by_slopes(const discrete *e, const long double *z, const long double *d,
                                  const long double *slope, const long double *lambda) {
  const int size = 2 * e->pr->n;
  const long double root = sqrtl(10 / 7.0L), part = 13 * sqrtl(70);
  long double sum = 0;
  for (int j = 0; j < 4; j++) {
    const long double inner = j < 2 ? -1 : 1, node = sqrtl(5 - inner * 2 * root) / 6,
                      share = (322 + inner * part) / 1800;
    long double there[ENTRIES], moved[ENTRIES];
    general_point at;
    for (int k = 0; k < size; k++) moved[k] = z[k] + (j % 2 ? node : -node) * d[k];
    general_evaluate(e->pr, moved, FORMULA_H | FORMULA_G, e->work, &at);
    slope_of(e->pr, &at, lambda, there);
    for (int k = 0; k < size; k++) sum += share * (there[k] - slope[k]) * d[k];
  }
  return sum;
}

/* |H_pp| of pair k at z: exactly 0 where H is linear in that momentum. */
static long double bend(const discrete *e, const long double *z, int k) {
  const problem *pr = e->pr;
  const int at = pr->n + k;
  const long double by = apart * general_size(pr, at);
  long double sum = 0, moved[ENTRIES];
  memcpy(moved, z, sizeof *moved * 2 * (size_t)pr->n);
  for (int j = 1; j <= 4; j++) {
    general_point there[2];
    for (int side = 0; side < 2; side++) {
      moved[at] = z[at] + (side ? j : -j) * by;
      general_evaluate(pr, moved, FORMULA_H, e->work, &there[side]);
    }
    sum += weight[j - 1] * (there[1].dH[at] - there[0].dH[at]) / by;
  }
  return fabsl(sum);
}

static void metric(const discrete *e, const long double *z, long double h, long double *W) {
  const int n = e->pr->n;
  for (int k = 0; k < n; k++) {
    const long double a = bend(e, z, k),
                      ratio = a > 0 ? fminl(fmaxl(1, 0.1L * a * h), 10000 * a * h) : 1;
    W[k] = 1;
    W[n + k] = ratio * ratio;
  }
  for (int i = 0; i < e->pr->m; i++) {
    const formula_sum *g = &e->pr->g[i];
    const formula_node *node = &e->pr->f.nodes[g->term[0]];
    if (g->count == 1 && node->op == F_VARIABLE) W[node->a] = 0;
  }
}

/* The discrete gradient of L between z0 and z0 + d, at which `end` is known, for a step h. */
static void gradient(const discrete *e, long double h, const long double *d,
                     const general_point *end, const long double *lambda, long double *total) {
  const problem *pr = e->pr;
  const int size = 2 * pr->n, m = pr->m, supplied = pr->timed ? size - 1 : -1;
  const long double *mu = lambda + m;
  long double z[ENTRIES], W[ENTRIES] = {0}, hidden[ENTRIES] = {0}, psi[CONSTRAINTS],
                          rest = end->H - e->at0.H, length = 0;
  general_point middle;
  for (int k = 0; k < size; k++) z[k] = e->z0[k] + d[k] / 2;
  if (h != 0) metric(e, z, fabsl(e->h), W);
  general_hidden(pr, end, psi, NULL);
  for (int k = 0; k < size; k++) length += k == supplied ? 0 : W[k] * d[k] * d[k];
  general_evaluate(pr, z, FORMULA_H | FORMULA_G, e->work, &middle);
  slope_of(pr, &middle, lambda, total);
  add_hidden(e, z, &middle, mu, hidden);
  long double terms = fabsl(end->H) + fabsl(e->at0.H);
  for (int i = 0; i < m; i++) {
    rest += lambda[i] * (end->g[i] - e->at0.g[i]);
    terms += fabsl(lambda[i]) * (end->error[i] + e->at0.error[i]);
  }
  rest -= dot(size, total, d);
  for (int k = 0; k < size; k++) terms += fabsl(total[k] * d[k]);
  const long double by_slopes = rest_by_slopes(e, z, d, total, lambda);
  if (!(fabsl(rest - by_slopes) > 64 * LDBL_EPSILON * terms)) rest = by_slopes;
  for (int i = 0; i < m; i++) rest += mu[i] * (psi[i] - e->psi0[i]);
  rest -= dot(size, hidden, d);
  for (int k = 0; k < size; k++) {
    total[k] += hidden[k];
    if (length > 0 && k != supplied) total[k] += rest / length * W[k] * d[k];
  }
}

/* The derivative of psi_i along the slope K at z0. */
static long double hidden_rate(const discrete *e, int i, const long double *K) {
  long double one[CONSTRAINTS] = {0}, slope[ENTRIES] = {0};
  one[i] = 1;
  add_hidden(e, e->z0, &e->at0, one, slope);
  return dot(2 * e->pr->n, slope, K);
}

static int evaluate(const follow_system *system, long double t, const long double *x,
                    long double *F, long double *J, long double *Ft) {
  const discrete *e = system->of;
  const problem *pr = e->pr;
  const int n = pr->n, m = pr->m, size = 2 * n;
  const long double d = t * e->h, *lambda = x + size;
  long double move[ENTRIES], z1[ENTRIES], psi[CONSTRAINTS], total[ENTRIES];
  general_point end;
  (void)J, (void)Ft;
  for (int k = 0; k < size; k++) {
    move[k] = d * x[k];
    z1[k] = e->z0[k] + move[k];
  }
  general_evaluate(pr, z1, FORMULA_H | FORMULA_G, system->work, &end);
  general_hidden(pr, &end, psi, NULL);
  gradient(e, d, move, &end, lambda, total);
  for (int k = 0; k < n; k++) {
    F[k] = x[k] - total[n + k];
    F[n + k] = x[n + k] + total[k];
  }
  for (int i = 0; i < m; i++) {
    F[size + i] = e->at0.g[i] / e->h +
                  (t != 0 ? (end.g[i] - e->at0.g[i]) / d : dot(size, e->at0.dg + i * size, x));
    F[size + m + i] =
        e->psi0[i] / e->h + (t != 0 ? (psi[i] - e->psi0[i]) / d : hidden_rate(e, i, x));
  }
  for (int i = 0; i < system->size; i++)
    if (!isfinite(F[i])) return 1;
  return 0;
}

/* The sizes of the equations' terms at z. */
static void units_of(const discrete *e, const general_point *at, const long double *z,
                     follow_system *system) {
  const problem *pr = e->pr;
  const int n = pr->n, m = pr->m, size = 2 * n;
  long double field[ENTRIES], psi[CONSTRAINTS], terms[CONSTRAINTS], far = 0;
  general_field(pr, at, field);
  general_hidden(pr, at, psi, terms);
  for (int k = 0; k < size; k++) far = fmaxl(far, fabsl(z[k]) / general_size(pr, k));
  for (int k = 0; k < size; k++)
    system->unit[k] = fabsl(field[k]) + far * general_size(pr, k) / pr->unit.time;
  for (int i = 0; i < m; i++) {
    long double unit = at->error[i];
    for (int k = 0; k < size; k++)
      unit += fabsl(at->dg[i * size + k]) * fmaxl(fabsl(z[k]), general_size(pr, k));
    system->unit[size + i] = unit / fabsl(e->h);
    system->unit[size + m + i] = (terms[i] + unit / pr->unit.time) / fabsl(e->h);
  }
}

static void begin(discrete *e, const step *from, follow_system *system, long double *x) {
  const problem *pr = from->pr;
  const int n = pr->n, m = pr->m, size = 2 * n;
  long double reach[CONSTRAINTS];
  *e = (discrete){.pr = pr, .work = from->work, .h = from->h};
  memcpy(e->z0, from->q, sizeof *from->q * (size_t)n);
  memcpy(e->z0 + n, from->p, sizeof *from->p * (size_t)n);
  general_evaluate(pr, e->z0, FORMULA_H | FORMULA_G, from->work, &e->at0);
  general_hidden(pr, &e->at0, e->psi0, NULL);
  general_reach(pr, &e->at0, reach);
  *system =
      (follow_system){.size = size + 2 * m, .of = e, .evaluate = evaluate, .work = from->work};
  system->difference = fabs(from->h) < 1e-3 * pr->unit.time ? 1e-5L : 1e-7L;
  general_field(pr, &e->at0, x);
  for (int k = 0; k < size; k++) system->scale[k] = pr->unit.time / general_size(pr, k);
  for (int i = 0; i < m; i++) {
    x[size + i] = x[size + m + i] = 0;
    system->scale[size + i] = reach[i] * pr->unit.time;
    system->scale[size + m + i] = reach[i];
  }
  units_of(e, &e->at0, e->z0, system);
}

static void finish(const discrete *e, follow_system *system, const follow_result *found,
                   truth *result) {
  const int n = e->pr->n, size = 2 * n;
  long double error[DENSE], end[ENTRIES];
  general_point at;
  result->reaches = 1;
  for (int k = 0; k < size; k++) end[k] = e->z0[k] + e->h * found->x[k];
  general_evaluate(e->pr, end, FORMULA_H | FORMULA_G, system->work, &at);
  units_of(e, &at, end, system);
  follow_error(system, &found->J, DBL_EPSILON, error);
  for (int k = 0; k < n; k++) {
    result->q[k] = end[k];
    result->p[k] = end[n + k];
    result->q_error[k] = DBL_EPSILON * (fabsl(end[k]) + fabsl(e->z0[k])) + fabsl(e->h) * error[k];
    result->p_error[k] =
        DBL_EPSILON * (fabsl(end[n + k]) + fabsl(e->z0[n + k])) + fabsl(e->h) * error[n + k];
  }
}

void truth_discrete(const step *from, truth *result) {
  discrete e;
  follow_system system;
  follow_result found = {0};
  begin(&e, from, &system, found.x);
  *result = (truth){0};
  follow(&system, from->strict, &found);
  result->part = (double)found.part;
  result->margin = (double)found.margin;
  result->pieces = found.pieces;
  result->exhausted = found.exhausted;
  result->effort = (double)found.pieces * system.size * system.size * 8;
  if (found.reaches) finish(&e, &system, &found, result);
}
