/* Points of the manifold and the brackets there (survey.h). */
#include "problem/functions/survey.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "ground/support/random.h"
#include "ground/support/arena.h"
#include "problem/model/model.h"

/* log2 [n] of the ratio of momentum to coordinate of each pair, as in an oscillation:
 * sqrt(|H_qq|/|H_pp|) by H''; not finite if the pair does not oscillate. */
static rattle_status ratios_of_energy(const rattle__survey *s, const double *z, double *ratio,
                                      rattle_error *error) {
  const rattle__function *H = s->problem->H;
  const int n = s->n;
  double *S = malloc(((size_t)H->hess_nnz + H->work + 2 * (size_t)n + 1) * sizeof *S);
  if (!S) return rattle__no_memory(error);
  double *diagonal = S + H->hess_nnz + H->work;
  for (int c = 0; c < 2 * n; c++) diagonal[c] = 0;
  if (H->hessian && !H->hessian(H, z, NULL, S, S + H->hess_nnz))
    for (int r = 0; r < 2 * n; r++)
      for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
        if (H->hess_col[e] == r) diagonal[r] = fabs(S[e]);
  for (int k = 0; k < n; k++) ratio[k] = 0.5 * log2(diagonal[k] / diagonal[n + k]);
  free(S);
  return RATTLE_OK;
}

/* The mean of those that are finite; NaN: none is. */
static double mean(const double *x, int count) {
  double sum = 0;
  int finite = 0;
  for (int k = 0; k < count; k++) {
    if (!isfinite(x[k])) continue;
    sum += x[k];
    finite++;
  }
  return sum / finite;
}

/* log2 of the ratio of |g_q| to |g_p| of each constraint that has both, in ratio [m] */
static rattle_status ratios_of_constraints(rattle__survey *s, const double *z, double *ratio,
                                           rattle_error *error) {
  const rattle__function *g = s->problem->g;
  for (int c = 0; c < 2 * s->n; c++) s->reach[c] = DBL_EPSILON * fabs(z[c]);
  int answer = g->jacobian(g, z, s->g, s->sparse, s->work);
  if (!answer) answer = rattle__round_off(g, z, s->reach, NULL, s->bound, s->rounding);
  for (int i = 0; i < s->m; i++) {
    double most[2] = {0, 0};
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (!rattle__is_round_off(s->sparse[e], s->bound[e]))
        most[g->jac_col[e] >= s->n] = fmax(most[g->jac_col[e] >= s->n], fabs(s->sparse[e]));
    ratio[i] = log2(most[0] / most[1]);
  }
  return rattle__answer(answer, "constraint", error);
}

/* Units, powers of 2, by derivatives at the start, which do not depend on the origin; if
 * derivatives give none, by the start itself. */
static rattle_status choose_units(rattle__survey *s, rattle_error *error) {
  const int n = s->n;
  double *z = s->point[0], *ratio = s->before, size[2] = {0, 0}; /* scratch [m x 2n] */
  for (int k = 0; k < n; k++) {
    z[k] = s->problem->model->pair[k].q;
    z[n + k] = s->problem->model->pair[k].p;
    size[0] = fmax(size[0], fabs(z[k]));
    size[1] = fmax(size[1], fabs(z[n + k]));
  }
  rattle_status status = ratios_of_constraints(s, z, s->rhs, error);
  if (!status) status = ratios_of_energy(s, z, ratio, error);
  const double all[] = {mean(ratio, n), mean(s->rhs, s->m), log2(size[1] / size[0])};
  double common = 0;
  for (int k = 2; k >= 0; k--)
    if (isfinite(all[k])) common = all[k];
  for (int k = 0; k < n; k++) {
    const double half = round(0.5 * (isfinite(ratio[k]) ? ratio[k] : common));
    s->unit[k] = exp2(-half);
    s->unit[n + k] = exp2(half);
  }
  return status;
}

/* The largest |z_c|/unit_c. */
static double size_of(const rattle__survey *s, const double *z) {
  double size = 0;
  for (int c = 0; c < 2 * s->n; c++) size = fmax(size, fabs(z[c]) / s->unit[c]);
  return size;
}

rattle_status rattle__survey_create(rattle__survey *survey, const rattle_problem *problem,
                                    rattle_error *error) {
  const rattle__function *g = problem->g;
  size_t nz = 2 * (size_t)problem->n, m = (size_t)problem->m;
  *survey = (rattle__survey){.problem = problem, .n = problem->n, .m = problem->m};
  const size_t nnz = (size_t)g->jac_nnz, rounding = rattle__round_off_room(g) / sizeof(double) + 1;
  double *scratch;
  const rattle__array arrays[] = {
      {&survey->g, m},          {&survey->sparse, nnz},   {&survey->J, m * nz},
      {&survey->norm, m},       {&survey->C, m * m},      {&survey->E, m * m},
      {&survey->scaled, m * m}, {&survey->work, g->work}, {&survey->rhs, m},
      {&survey->bound, nnz},    {&survey->of_J, m * nz},  {&survey->of_g, m},
      {&survey->reach, nz},     {&survey->unit, nz},      {&survey->before, m * nz},
      {&scratch, rounding},     {&survey->point[0], nz},  {&survey->point[1], nz},
      {&survey->point[2], nz}};
  survey->room = RATTLE__BLOCK(arrays);
  survey->rounding = survey->room ? scratch : NULL;
  return survey->room ? choose_units(survey, error) : rattle__no_memory(error);
}

void rattle__survey_destroy(rattle__survey *survey) {
  free(survey->room);
  survey->room = NULL;
}

/* g, J and norm */
static rattle_status evaluate(rattle__survey *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const size_t nz = 2 * (size_t)s->n;
  const int answer = g->jacobian(g, z, s->g, s->sparse, s->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  memset(s->J, 0, (size_t)s->m * nz * sizeof *s->J);
  for (int i = 0; i < s->m; i++) {
    double sum = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      s->sparse[k] *= s->unit[g->jac_col[k]];
      sum += s->sparse[k] * s->sparse[k];
    }
    s->norm[i] = sqrt(sum);
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1] && sum > 0; k++)
      s->J[(size_t)i * nz + (size_t)g->jac_col[k]] = s->sparse[k] / s->norm[i];
  }
  return RATTLE_OK;
}

/* A = the Gram matrix of the gradients of the rows [count^2] */
static void fill_gram(const rattle__survey *s, const int *rows, int count, double *A) {
  const size_t nz = 2 * (size_t)s->n;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      const double *a = s->J + (size_t)rows[i] * nz, *b = s->J + (size_t)rows[j] * nz;
      A[i * count + j] = 0;
      for (size_t c = 0; c < nz; c++) A[i * count + j] += a[c] * b[c];
    }
}

/* reach += the distance of z from g_r = 0, estimated by the residuals of g_r and their
 * round-off. */
static rattle_status add_distance(rattle__survey *s, const int *rows, int count,
                                  rattle_error *error) {
  const size_t nz = 2 * (size_t)s->n;
  double *A = malloc(2 * (size_t)count * (size_t)count * sizeof *A),
         *x = A ? A + count * count : NULL;
  rattle_status status = A ? RATTLE_OK : rattle__no_memory(error);
  if (!status) fill_gram(s, rows, count, A);
  for (int i = 0; i < count && !status; i++) {
    int singular;
    memset(x, 0, (size_t)count * sizeof *x);
    x[i] = (fabs(s->g[rows[i]]) + s->of_g[rows[i]]) / s->norm[rows[i]];
    status = rattle__survey_solve(count, A, x, &singular, error);
    for (size_t c = 0; c < nz && !status && !singular; c++) {
      double way = 0;
      for (int r = 0; r < count; r++) way += s->J[(size_t)rows[r] * nz + c] * x[r];
      s->reach[c] += fabs(way) * s->unit[c];
    }
  }
  free(A);
  return status;
}

/* of_J: what errors of z up to `reach` and rounding make of J; no entry is better than the largest
 * of its row and kind. */
static rattle_status find_errors(rattle__survey *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const size_t nz = 2 * (size_t)s->n;
  const int answer = rattle__round_off(g, z, s->reach, s->of_g, s->bound, s->rounding);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  memset(s->of_J, 0, (size_t)s->m * nz * sizeof *s->of_J);
  for (int i = 0; i < s->m; i++) {
    double most[2] = {0, 0};
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      most[g->jac_col[k] >= s->n] = fmax(most[g->jac_col[k] >= s->n], fabs(s->sparse[k]));
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1] && s->norm[i] > 0; k++) {
      const int of_p = g->jac_col[k] >= s->n;
      s->of_J[(size_t)i * nz + (size_t)g->jac_col[k]] =
          (s->bound[k] * s->unit[g->jac_col[k]] + DBL_EPSILON * most[of_p]) / s->norm[i];
    }
  }
  return RATTLE_OK;
}

/* a b in a sum, and its error */
static double product(double a, double b, double of_a, double of_b, double *error) {
  *error += fabs(a) * of_b + fabs(b) * of_a + of_a * of_b + 2 * DBL_EPSILON * fabs(a * b);
  return a * b;
}

static void fill_brackets(rattle__survey *s) {
  const int n = s->n, m = s->m;
  const size_t nz = 2 * (size_t)n;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double *a = s->J + (size_t)i * nz, *b = s->J + (size_t)j * nz;
      const double *of_a = s->of_J + (size_t)i * nz, *of_b = s->of_J + (size_t)j * nz;
      double sum = 0, bound = 0;
      for (int k = 0; k < n; k++) {
        sum += product(a[k], b[n + k], of_a[k], of_b[n + k], &bound);
        sum -= product(a[n + k], b[k], of_a[n + k], of_b[k], &bound);
      }
      s->C[i * m + j] = sum;
      s->E[i * m + j] = bound;
    }
}

rattle_status rattle__survey_at(rattle__survey *s, const double *z, const int *rows, int count,
                                rattle_error *error) {
  rattle_status status = evaluate(s, z, error);
  for (int c = 0; c < 2 * s->n; c++) s->reach[c] = DBL_EPSILON * fabs(z[c]);
  if (!status) status = find_errors(s, z, error);
  if (!status && count) status = add_distance(s, rows, count, error);
  if (!status && count) status = find_errors(s, z, error);
  if (!status) fill_brackets(s);
  return status;
}

double rattle__survey_size_of(const rattle__survey *s, int i, int j) {
  const double C = s->C[i * s->m + j], E = s->E[i * s->m + j];
  return C == 0 ? 0 : fabs(C) / (RATTLE__GENEROUS * E);
}

/* d [m] with entries |d_i C_ij d_j| of at most 1, 1 in each row, those that count as 0 left out; 0:
 * a row has no other (D. Ruiz, RAL-TR-2001-034) */
static int equilibrate(const rattle__survey *s, double *d) {
  enum { ROUNDS = 30 };
  const int m = s->m;
  for (int i = 0; i < m; i++) d[i] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < m; i++) {
      double most = 0;
      for (int j = 0; j < m; j++)
        if (rattle__survey_size_of(s, i, j) > 1)
          most = fmax(most, fabs(d[i] * s->C[i * m + j] * d[j]));
      if (most == 0) return 0;
      d[i] /= sqrt(most);
    }
  }
  return 1;
}

rattle_status rattle__survey_rank(rattle__survey *s, int *rank, rattle_error *error) {
  const int m = s->m;
  double bound = 0, smallest = 0;
  *rank = 0;
  memcpy(s->scaled, s->C, (size_t)(m * m) * sizeof *s->C);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < i; j++) *rank |= rattle__survey_size_of(s, i, j) > 1;
  if (!*rank || !equilibrate(s, s->rhs)) return RATTLE_OK;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double d = s->rhs[i] * s->rhs[j];
      s->scaled[i * m + j] = d * s->C[i * m + j];
      bound = hypot(bound, d * s->E[i * m + j]);
    }
  const rattle_status status = rattle__survey_smallest(m, s->scaled, &smallest, error);
  *rank += !rattle__is_round_off(smallest, bound);
  return status;
}

/* The dense matrix A as a system. */
static rattle_status system_of(rattle__linear **a, int size, const double *A, rattle_error *error) {
  size_t n = (size_t)size;
  int *ptr = malloc((n + 1 + n * n) * sizeof *ptr);
  if (!ptr) return rattle__no_memory(error);
  int *col = ptr + n + 1;
  for (int i = 0; i <= size; i++) ptr[i] = i * size;
  for (int i = 0; i < size * size; i++) col[i] = i % size;
  rattle_status status = rattle__linear_create(a, size, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
  free(ptr);
  if (!status) memcpy((*a)->value, A, n * n * sizeof *A);
  return status;
}

rattle_status rattle__survey_smallest(int size, const double *A, double *smallest,
                                      rattle_error *error) {
  rattle__linear *a = NULL;
  double condition;
  rattle_status status = system_of(&a, size, A, error);
  if (!status) status = rattle__linear_condition(a, smallest, &condition, error);
  rattle__linear_destroy(&a);
  return status;
}

rattle_status rattle__survey_solve(int size, const double *A, double *b, int *singular,
                                   rattle_error *error) {
  rattle__linear *a = NULL;
  rattle_status status = system_of(&a, size, A, error);
  const rattle_status found = status ? status : a->factor(a);
  *singular = found == RATTLE_SINGULAR;
  if (!status && found == RATTLE_NO_MEMORY) status = rattle__no_memory(error);
  if (!status && !*singular) a->solve(a, b);
  rattle__linear_destroy(&a);
  return status;
}

int rattle__survey_is_tame(const rattle__survey *s) {
  const size_t nz = 2 * (size_t)s->n;
  for (size_t i = 0; i < (size_t)s->m && !s->anywhere; i++) {
    double change = 0, size = 0;
    for (size_t c = 0; c < nz; c++) {
      const double before = s->before[i * nz + c];
      change = hypot(change, s->J[i * nz + c] * s->norm[i] - before);
      size = hypot(size, before);
    }
    if (!(change <= size)) return 0;
  }
  return 1;
}

rattle_status rattle__survey_shake(rattle__survey *s, double part, double *z, rattle_error *error) {
  enum { TRIES = 20 };
  const size_t nz = 2 * (size_t)s->n;
  const double size = size_of(s, z);
  double by = part * (size > 0 ? size : 1), *from = malloc(nz * sizeof *from);
  rattle_status status = from ? evaluate(s, z, error) : rattle__no_memory(error);
  if (!status) memcpy(from, z, nz * sizeof *from);
  for (size_t e = 0; e < (size_t)s->m * nz && !status; e++)
    s->before[e] = s->J[e] * s->norm[e / nz];
  for (int t = 0, tame = 0; t < TRIES && !status && !tame; t++, by *= 0.25) {
    for (size_t c = 0; c < nz; c++)
      z[c] = from[c] + by * s->unit[c] * rattle__random_signed(&s->random);
    status = evaluate(s, z, error);
    tame = rattle__survey_is_tame(s);
  }
  free(from);
  return status;
}

/* Some of the constraints, and how far from all of them a point was before the last step: the
 * largest |g_r| / |g_r'|. */
typedef struct selection {
  const int *rows;
  int count, singular;
  double *A, far; /* [count^2] the Gram matrix of their gradients */
} selection;

/* One Newton step with least change. */
static rattle_status newton(rattle__survey *s, selection *of, double *z, rattle_error *error) {
  const int *rows = of->rows, count = of->count;
  size_t nz = 2 * (size_t)s->n;
  rattle_status status = evaluate(s, z, error);
  of->far = 0;
  for (int i = 0; i < count && !status; i++) {
    s->rhs[i] = s->g[rows[i]] / s->norm[rows[i]];
    if (!(fabs(s->rhs[i]) <= of->far)) of->far = fabs(s->rhs[i]);
  }
  if (!status) fill_gram(s, rows, count, of->A);
  if (!status) status = rattle__survey_solve(count, of->A, s->rhs, &of->singular, error);
  for (int i = 0; i < count && !status && !of->singular; i++)
    for (size_t c = 0; c < nz; c++) z[c] -= s->rhs[i] * s->J[(size_t)rows[i] * nz + c] * s->unit[c];
  return status;
}

rattle_status rattle__survey_project(rattle__survey *s, const int *rows, int count, double *z,
                                     int *found, rattle_error *error) {
  enum { ITERATIONS = 60 };
  selection of = {
      .rows = rows, .count = count, .A = malloc((size_t)count * (size_t)count * sizeof *of.A)};
  double size = 0;
  rattle_status status = of.A ? RATTLE_OK : rattle__no_memory(error);
  *found = 0;
  for (int k = 0; k < ITERATIONS && !status && !*found; k++) {
    status = newton(s, &of, z, error);
    if (of.singular || !isfinite(of.far)) break;
    size = fmax(size, size_of(s, z));
    *found = of.far <= 1e-13 * (size + DBL_MIN);
  }
  free(of.A);
  return status;
}
