/* All solutions of the constraint equation of a step, or several.
 *
 * Map      one constraint: all zeros of s -> g(q0 + W (w - G0^T s)) in the interval within reach (linear/zeros.c), each mended by Newton's
 *          method; several: Newton's method from s = 0 and from points drawn at random within reach
 * Symbols  all_solutions.h; A = G0 W G0^T = L L^T, so that |G0^T s|_W = |L^T s|
 * Source   T. Lelievre, G. Stoltz, W. Zhang, IMA J. Numer. Anal. 43 (2023) 737, where any such set serves that is a function of (q0, p0):
 *          whether the way back finds q0 is what is checked
 * Cost     see linear/zeros.c; some ten evaluations of g and G for each start */
#include "slide/all_solutions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/mass.h"
#include "support/definite.h"
#include "support/eliminate.h"
#include "support/largest.h"
#include "support/random.h"

enum { ITERATIONS = 30 };
static const double converged = 16 * DBL_EPSILON, small = 1e-9, same = 1e-7;

/* W (w - G0^T s) beyond q0; pi is left in place. */
static void go(rattle__solution_set *S, const double *s, double *q) {
  const rattle__function *g = S->problem->g;
  memcpy(S->pi, S->way, (size_t)S->n * sizeof *S->pi);
  for (int i = 0; i < S->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) S->pi[g->jac_col[e]] -= s[i] * S->J0[e];
  rattle__mass_drift(S->problem->mass, 1, S->q0, S->pi, q);
}

/* X = J B0^T, B0 = G0 W */
static void couple(rattle__solution_set *S, const double *J, double *X) {
  const rattle__function *g = S->problem->g;
  memset(S->row, 0, (size_t)S->n * sizeof *S->row);
  for (int j = 0; j < S->m; j++) {
    for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++) S->row[g->jac_col[e]] = S->B0[e];
    for (int i = 0; i < S->m; i++) {
      double sum = 0;
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) sum += J[e] * S->row[g->jac_col[e]];
      X[i * S->m + j] = sum;
    }
    for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++) S->row[g->jac_col[e]] = 0;
  }
}

/* A callback's answer other than 0 ends the search. */
static int ended(rattle__solution_set *S, int answer) {
  if (answer) S->answer = answer;
  return answer;
}

/* Newton's method from s, which becomes the solution with q there. */
static int mend(rattle__solution_set *S, double *s, double *q) {
  const rattle__function *g = S->problem->g;
  double before = HUGE_VAL;
  for (int k = 0; k < ITERATIONS; k++) {
    double moved = 0, size = 0, far = 0;
    go(S, s, q);
    if (ended(S, g->jacobian(g, q, S->F, S->J, S->work))) return 0;
    couple(S, S->J, S->R);
    if (rattle__eliminate(S->m, 1, S->R, S->F)) return 0;
    for (int i = 0; i < S->m; i++) s[i] += S->F[i];
    memcpy(S->last, q, (size_t)S->n * sizeof *q);
    go(S, s, q);
    for (int i = 0; i < S->n; i++) {
      moved = rattle__greater(moved, fabs(q[i] - S->last[i]));
      size = rattle__greater(size, fabs(q[i]));
      far = rattle__greater(far, fabs(q[i] - S->q0[i]));
    }
    if (!(moved < 1e300)) return 0;
    if (moved <= converged * size || (moved > 0.5 * before && moved <= small * far)) return 1;
    before = moved;
  }
  return 0;
}

/* The solution at s, q joins those that are known. */
static void keep(rattle__solution_set *S, const double *q) {
  const size_t n = (size_t)S->n;
  const double far = rattle__mass_twice_kinetic(S->problem->mass, S->pi);
  if (!(far <= S->reach * S->reach) || S->count > RATTLE__SOLUTIONS) return;
  double size = 0;
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(q[i] - S->q0[i]));
  for (int k = 0; k < S->count; k++) {
    double apart = 0;
    for (size_t i = 0; i < n; i++) apart = fmax(apart, fabs(S->q[(size_t)k * n + i] - q[i]));
    if (apart <= same * size) return;
  }
  if (S->count == RATTLE__SOLUTIONS) {
    S->count++; /* too many */
    return;
  }
  memcpy(S->q + (size_t)S->count * n, q, n * sizeof *q);
  memcpy(S->p + (size_t)S->count * n, S->pi, n * sizeof *q);
  S->far[S->count++] = far;
}

static int along(void *self, double x, double *f) {
  rattle__solution_set *S = self;
  const rattle__function *g = S->problem->g;
  go(S, &x, S->at);
  return ended(S, g->value(g, S->at, f, S->work));
}

/* One constraint. 0: not by this means. */
static int on_line(rattle__solution_set *S) {
  double B = 0;
  const rattle__function *g = S->problem->g;
  for (int e = 0; e < g->jac_nnz; e++) B += S->B0[e] * S->way[g->jac_col[e]];
  const double C = rattle__mass_twice_kinetic(S->problem->mass, S->way), A = S->A[0];
  const double root = B * B - A * (C - S->reach * S->reach);
  if (!(root > 0)) return 1; /* all is out of reach */
  const int count = rattle__zeros_find(S->zeros, along, S, (B - sqrt(root)) / A, (B + sqrt(root)) / A);
  for (int k = 0; k < count && !S->answer; k++) {
    double s = S->zeros->zero[k];
    if (mend(S, &s, S->at)) keep(S, S->at);
  }
  return count >= 0;
}

/* s with L^T s drawn from the ball of that radius. */
static void draw(rattle__solution_set *S, uint64_t *drawn, double *s) {
  const int m = S->m;
  double length = 0;
  rattle__random_normals(S->key, drawn, s, m);
  for (int i = 0; i < m; i++) length += s[i] * s[i];
  const double part = S->reach * pow(rattle__random_unit(S->key, ++*drawn), 1.0 / m) / sqrt(length);
  for (int i = m; i-- > 0;) {
    double sum = part * s[i];
    for (int l = i + 1; l < m; l++) sum -= S->A[l * m + i] * s[l];
    s[i] = sum / S->A[i * m + i];
  }
}

static void from_starts(rattle__solution_set *S) {
  uint64_t drawn = 0;
  memset(S->s, 0, (size_t)S->m * sizeof *S->s);
  for (int k = 0; k < S->starts && !S->answer; k++) {
    if (k) draw(S, &drawn, S->s);
    if (mend(S, S->s, S->at)) keep(S, S->at);
  }
}

rattle_status rattle__solution_set_find(rattle__solution_set *S, const double *q0, const double *way, rattle_error *error) {
  const rattle_problem *problem = S->problem;
  const rattle__function *g = problem->g;
  S->q0 = q0, S->way = way;
  S->count = S->answer = 0;
  if (!S->m) {
    go(S, NULL, S->at);
    S->reach = HUGE_VAL;
    keep(S, S->at);
    return RATTLE_OK;
  }
  if (!ended(S, g->jacobian(g, q0, S->F, S->J0, S->work))) {
    rattle__mass_scale(problem->mass, g, S->J0, S->B0);
    couple(S, S->J0, S->A);
    const int known = S->m == 1 && S->A[0] > 0 && on_line(S);
    if (!known && !S->answer && rattle__is_definite(S->m, S->A)) from_starts(S);
  }
  if (S->answer) return rattle__callback_error(S->answer, "a constraint", error);
  if (S->count > RATTLE__SOLUTIONS) S->count = 0;
  return RATTLE_OK;
}

int rattle__solution_set_nearest(const rattle__solution_set *S) {
  int nearest = 0;
  for (int k = 1; k < S->count; k++)
    if (S->far[k] < S->far[nearest]) nearest = k;
  return nearest;
}
