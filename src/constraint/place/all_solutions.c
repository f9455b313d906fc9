/* All solutions of the constraint equation of a step, or several.
 *
 * Map      one constraint: all zeros of s -> g(q0 + W (w - G0^T s)) in the interval within reach
 *          (ground/linear/zeros.c), each mended by Newton's method, with the unit and the verdict
 *          of iterate.h; several: Newton's method from s = 0 and from points drawn at random within
 *          reach
 * Symbols  all_solutions.h; A = G0 W G0^T = L L^T, so that |G0^T s|_W = |L^T s|
 * Source   T. Lelievre, G. Stoltz, W. Zhang, IMA J. Numer. Anal. 43 (2023) 737, where any such set
 *          serves that is a function of (q0, p0): whether the way back finds q0 is what is checked
 * Cost     see ground/linear/zeros.c; some ten evaluations of g and G for each start */
#include "constraint/place/all_solutions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/functions/mass.h"
#include "constraint/equation/iterate.h"
#include "constraint/step/sizes.h"
#include "ground/support/definite.h"
#include "ground/support/eliminate.h"
#include "ground/support/random.h"

enum { ITERATIONS = 30 };
static const double same = 1e-7;

/* z = (q, pi): pi = w - G0^T s, q = q0 + W pi */
static void go(rattle__solution_set *S, const double *s) {
  const rattle_problem *problem = S->context->problem;
  const rattle__function *g = problem->g;
  double *pi = S->z + S->n;
  memcpy(pi, S->way, (size_t)S->n * sizeof *pi);
  for (int i = 0; i < S->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) pi[g->jac_col[e]] -= s[i] * S->J0[e];
  rattle__mass_drift(problem->mass, 1, S->q0, pi, S->z);
}

/* X = J B0^T, B0 = G0 W */
static void couple(rattle__solution_set *S, const double *J, double *X) {
  const rattle__function *g = S->context->problem->g;
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
  if (answer) S->status = rattle__callback_error(answer, "a constraint", S->error);
  return answer;
}

/* ---- Newton's method from s ---- */

/* size[n]: the largest of what is added up to q, with s_i G0_i, which cancel where constraints are
 * nearly dependent. */
static void sizes(rattle__solution_set *S) {
  const rattle_problem *problem = S->context->problem;
  const rattle__function *g = problem->g;
  double most[2];
  rattle__largest_of_kind(problem, S->z, most);
  memset(S->row, 0, (size_t)S->n * sizeof *S->row);
  for (int i = 0; i < S->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      S->row[g->jac_col[e]] += fabs(S->s[i] * S->J0[e]);
  for (int k = 0; k < S->n; k++) {
    S->size[k] = fmax(fmax(fabs(S->z[k]), fabs(S->q0[k])), rattle__least_size(most[0]));
    S->size[k] = fmax(S->size[k], rattle__mass_reach(problem->mass, k, S->row));
  }
  memset(S->row, 0, (size_t)S->n * sizeof *S->row);
}

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__solution_set *S = self;
  const rattle_problem *problem = S->context->problem;
  const rattle__function *g = problem->g;
  go(S, S->s);
  const int answer = g->jacobian(g, S->z, S->F, S->J, S->work);
  if (answer) return rattle__callback_error(answer, "a constraint", error);
  sizes(S);
  c->residual = 0;
  for (int i = 0; i < S->m; i++) {
    S->unit[i] = S->least[i] + DBL_MIN;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      S->unit[i] += DBL_EPSILON * fabs(S->J[e]) * S->size[g->jac_col[e]];
    const double r = fabs(S->F[i]) / S->unit[i];
    if (!(r <= c->residual)) c->residual = r, c->worst = i;
  }
  return RATTLE_OK;
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__solution_set *S = self;
  memset(S->least, 0, (size_t)S->m * sizeof *S->least);
  if (!on) return RATTLE_OK;
  rattle_status status = rattle__unit_of_move(S->rounding, S->z0, S->z, error);
  if (!status) status = rattle__unit_of_g(S->rounding, S->z, S->least, error);
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__solution_set *S = self;
  (void)error;
  couple(S, S->J, S->R);
  if (c->k >= ITERATIONS || rattle__eliminate(S->m, 1, S->R, S->F)) return RATTLE_NOT_CONVERGED;
  S->context->counts.newton_iterations++;
  for (int i = 0; i < S->m; i++) S->s[i] += S->F[i];
  return RATTLE_OK;
}

/* True if Newton's method from s ends; z is the solution then. It makes one correction more than
 * the verdict asks: if constraints are nearly dependent a residual of some units leaves q
 * uncertain, and q distinguishes solutions. */
static int mend(rattle__solution_set *S) {
  static const rattle__equation equation = {NULL, evaluate, use_full_units, correct};
  rattle__course c = {0};
  memset(S->least, 0, (size_t)S->m * sizeof *S->least);
  rattle_status status = rattle__iterate(&equation, S, S->context, 0, &c, S->error);
  if (!status) status = correct(S, &c, S->error);
  if (!status) go(S, S->s);
  if (status == RATTLE_CALLBACK || status == RATTLE_INTERRUPTED) S->status = status;
  return !status;
}

/* The solution at z joins those that are known. */
static void keep(rattle__solution_set *S) {
  const size_t n = (size_t)S->n;
  const double *q = S->z, *pi = S->z + n,
               far = rattle__mass_twice_kinetic(S->context->problem->mass, pi);
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
  memcpy(S->p + (size_t)S->count * n, pi, n * sizeof *q);
  S->far[S->count++] = far;
}

static int along(void *self, double x, double *f) {
  rattle__solution_set *S = self;
  const rattle__function *g = S->context->problem->g;
  go(S, &x);
  return ended(S, g->value(g, S->z, f, S->work));
}

/* One constraint. 0: not by this means. */
static int on_line(rattle__solution_set *S) {
  double B = 0;
  const rattle__function *g = S->context->problem->g;
  for (int e = 0; e < g->jac_nnz; e++) B += S->B0[e] * S->way[g->jac_col[e]];
  const double C = rattle__mass_twice_kinetic(S->context->problem->mass, S->way), A = S->A[0];
  const double root = B * B - A * (C - S->reach * S->reach);
  if (!(root > 0)) return 1; /* all is out of reach */
  const int count =
      rattle__zeros_find(S->zeros, along, S, (B - sqrt(root)) / A, (B + sqrt(root)) / A);
  for (int k = 0; k < count && !S->status; k++) {
    S->s[0] = S->zeros->zero[k];
    if (mend(S)) keep(S);
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
  for (int k = 0; k < S->starts && !S->status; k++) {
    if (k)
      draw(S, &drawn, S->s);
    else
      memset(S->s, 0, (size_t)S->m * sizeof *S->s);
    if (mend(S)) keep(S);
  }
}

rattle_status rattle__solution_set_create(rattle__solution_set *S, rattle__context *context,
                                          int starts, rattle_error *error) {
  const rattle__function *g = context->problem->g;
  const size_t n = (size_t)context->problem->n, m = (size_t)context->problem->m,
               nnz = g ? (size_t)g->jac_nnz : 0;
  rattle__arena *arena = &context->arena;
  *S = (rattle__solution_set){.context = context, .n = (int)n, .m = (int)m, .starts = starts};
  S->zeros = rattle__arena_take(arena, m == 1 ? sizeof *S->zeros : 0);
  S->rounding = m ? rattle__unit_create(context) : NULL;
  const rattle__array arrays[] = {{&S->q, RATTLE__SOLUTIONS * n},
                                  {&S->p, RATTLE__SOLUTIONS * n},
                                  {&S->far, RATTLE__SOLUTIONS},
                                  {&S->centre, n},
                                  {&S->none, n},
                                  {&S->J0, nnz},
                                  {&S->B0, nnz},
                                  {&S->J, nnz},
                                  {&S->A, m * m},
                                  {&S->R, m * m},
                                  {&S->F, m},
                                  {&S->s, m},
                                  {&S->unit, m},
                                  {&S->least, m},
                                  {&S->row, n},
                                  {&S->size, n},
                                  {&S->z0, 2 * n},
                                  {&S->z, 2 * n},
                                  {&S->work, g ? g->work : 0}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  if (m == 1) rattle__zeros_begin(S->zeros);
  return RATTLE_OK;
}

/* From q0 along `way`, none being known yet. */
static void begin(rattle__solution_set *S, const double *q0, const double *way,
                  rattle_error *error) {
  S->q0 = q0, S->way = way;
  S->count = 0;
  S->status = RATTLE_OK, S->error = error;
  memcpy(S->z0, q0, (size_t)S->n * sizeof *q0);
  memcpy(S->z0 + S->n, way, (size_t)S->n * sizeof *way);
}

static rattle_status search(rattle__solution_set *S) {
  couple(S, S->J0, S->A);
  const int known = S->m == 1 && S->A[0] > 0 && on_line(S);
  if (!known && !S->status && rattle__is_definite(S->m, S->A)) from_starts(S);
  if (S->count > RATTLE__SOLUTIONS) S->count = 0;
  return S->status;
}

rattle_status rattle__solution_set_find(rattle__solution_set *S, const double *q0,
                                        const double *way, rattle_error *error) {
  const rattle_problem *problem = S->context->problem;
  const rattle__function *g = problem->g;
  begin(S, q0, way, error);
  if (!S->m) {
    go(S, NULL);
    S->reach = HUGE_VAL;
    keep(S);
    return RATTLE_OK;
  }
  if (ended(S, g->jacobian(g, q0, S->F, S->J0, S->work))) return S->status;
  rattle__mass_scale(problem->mass, g, S->J0, S->B0);
  return search(S);
}

rattle_status rattle__solution_set_section(rattle__solution_set *S, const double *q,
                                           rattle_error *error) {
  const rattle_problem *problem = S->context->problem;
  uint64_t drawn = 0;
  begin(S, q, S->none, error);
  rattle__mass_scale(problem->mass, problem->g, S->J0, S->B0);
  couple(S, S->J0, S->A);
  if (!rattle__is_definite(S->m, S->A)) return RATTLE_OK;
  draw(S, &drawn, S->s);
  go(S, S->s);
  memcpy(S->centre, S->z, (size_t)S->n * sizeof *q);
  S->key = rattle__random_mix(S->key);
  begin(S, S->centre, S->none, error);
  return search(S);
}

double rattle__solution_set_slant(rattle__solution_set *S, const double *J) {
  double log_size = 0;
  couple(S, J, S->R);
  for (int k = S->m; k > 0; k--) { /* the last row and column are eliminated, with pivots */
    double *last = S->R + (size_t)(k - 1) * (size_t)S->m;
    int pivot = 0;
    for (int i = 1; i < k; i++)
      if (fabs(S->R[i * S->m + k - 1]) > fabs(S->R[pivot * S->m + k - 1])) pivot = i;
    for (int j = 0; j < k; j++) {
      const double t = last[j];
      last[j] = S->R[pivot * S->m + j], S->R[pivot * S->m + j] = t;
    }
    log_size += log(fabs(last[k - 1]));
    for (int i = 0; i < k - 1; i++) {
      const double f = S->R[i * S->m + k - 1] / last[k - 1];
      for (int j = 0; j < k; j++) S->R[i * S->m + j] -= f * last[j];
    }
  }
  return log_size;
}

int rattle__solution_set_nearest(const rattle__solution_set *S) {
  int nearest = 0;
  for (int k = 1; k < S->count; k++)
    if (S->far[k] < S->far[nearest]) nearest = k;
  return nearest;
}
