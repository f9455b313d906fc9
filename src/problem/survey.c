/* Points of the manifold and the brackets there (survey.h). */
#include "problem/survey.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "support/random.h"
#include "support/arena.h"
#include "model/model.h"

/* The ratio of |p| to |q| at the start; where one is 0, the mean ratio of g_q to g_p of the constraints that have both there. A power of
 * 2. */
static rattle_status choose_unit(rattle__survey *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double *z = s->point[0], size[2] = {0, 0}, sum = 0;
  int both = 0;
  for (int k = 0; k < s->n; k++) {
    z[k] = s->problem->model->pair[k].q;
    z[s->n + k] = s->problem->model->pair[k].p;
    size[0] = fmax(size[0], fabs(z[k]));
    size[1] = fmax(size[1], fabs(z[s->n + k]));
  }
  int answer = g->jacobian(g, z, s->g, s->sparse, s->work);
  for (int i = 0; i < s->m && !answer; i++) {
    double most[2] = {0, 0};
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      most[g->jac_col[e] >= s->n] = fmax(most[g->jac_col[e] >= s->n], fabs(s->sparse[e]));
    const double ratio = log2(most[0] / most[1]);
    if (!isfinite(ratio)) continue;
    sum += ratio;
    both++;
  }
  const double of_start = log2(size[1] / size[0]), ratio = isfinite(of_start) ? of_start : sum / both;
  if (isfinite(ratio)) s->unit = exp2(round(ratio));
  return rattle__answer(answer, "constraint", error);
}

double rattle__survey_size(const rattle__survey *s, const double *z) {
  double size = 0;
  for (int c = 0; c < 2 * s->n; c++) size = fmax(size, fabs(z[c]) / (c < s->n ? 1 : s->unit));
  return size;
}

rattle_status rattle__survey_create(rattle__survey *survey, const rattle_problem *problem, rattle_error *error) {
  const rattle__function *g = problem->g;
  size_t nz = 2 * (size_t)problem->n, m = (size_t)problem->m;
  *survey = (rattle__survey){.problem = problem, .n = problem->n, .m = problem->m, .unit = 1};
  const rattle__array arrays[] = {{&survey->g, m},         {&survey->sparse, (size_t)g->jac_nnz},
                                  {&survey->J, m * nz},    {&survey->norm, m},
                                  {&survey->C, m * m},     {&survey->work, g->work},
                                  {&survey->rhs, m},       {&survey->point[0], nz},
                                  {&survey->point[1], nz}, {&survey->point[2], nz}};
  survey->room = RATTLE__BLOCK(arrays);
  return survey->room ? choose_unit(survey, error) : rattle__no_memory(error);
}

void rattle__survey_destroy(rattle__survey *survey) {
  free(survey->room);
  survey->room = NULL;
}

static void fill_brackets(rattle__survey *s) {
  int n = s->n, m = s->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double *a = s->J + (size_t)i * 2 * (size_t)n, *b = s->J + (size_t)j * 2 * (size_t)n;
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[k] * b[n + k] - a[n + k] * b[k];
      s->C[i * m + j] = sum;
    }
}

rattle_status rattle__survey_at(rattle__survey *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  size_t nz = 2 * (size_t)s->n;
  int answer = g->jacobian(g, z, s->g, s->sparse, s->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  memset(s->J, 0, (size_t)s->m * nz * sizeof *s->J);
  for (int i = 0; i < s->m; i++) {
    double sum = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      if (g->jac_col[k] >= s->n) s->sparse[k] *= s->unit;
      sum += s->sparse[k] * s->sparse[k];
    }
    s->norm[i] = sqrt(sum);
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1] && sum > 0; k++)
      s->J[(size_t)i * nz + (size_t)g->jac_col[k]] = s->sparse[k] / s->norm[i];
  }
  fill_brackets(s);
  return RATTLE_OK;
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

rattle_status rattle__survey_smallest(int size, const double *A, double *smallest, rattle_error *error) {
  rattle__linear *a = NULL;
  double condition;
  rattle_status status = system_of(&a, size, A, error);
  if (!status) status = rattle__linear_condition(a, smallest, &condition, error);
  rattle__linear_destroy(&a);
  return status;
}

rattle_status rattle__survey_solve(int size, const double *A, double *b, int *singular, rattle_error *error) {
  rattle__linear *a = NULL;
  rattle_status status = system_of(&a, size, A, error);
  const rattle_status found = status ? status : a->factor(a);
  *singular = found == RATTLE_SINGULAR;
  if (!status && found == RATTLE_NO_MEMORY) status = rattle__no_memory(error);
  if (!status && !*singular) a->solve(a, b);
  rattle__linear_destroy(&a);
  return status;
}

void rattle__survey_shake(rattle__survey *s, double size, double *z) {
  for (int c = 0; c < 2 * s->n; c++) z[c] += size * (c < s->n ? 1 : s->unit) * rattle__random_signed(&s->random);
}

/* Some of the constraints, and how far from all of them a point was before the last step: the largest |g_r| / |g_r'|. */
typedef struct selection {
  const int *rows;
  int count, singular;
  double *A, far; /* [count^2] the Gram matrix of their gradients */
} selection;

/* One Newton step with least change. */
static rattle_status newton(rattle__survey *s, selection *of, double *z, rattle_error *error) {
  const int *rows = of->rows, count = of->count;
  size_t nz = 2 * (size_t)s->n;
  rattle_status status = rattle__survey_at(s, z, error);
  of->far = 0;
  for (int i = 0; i < count && !status; i++) {
    const double *a = s->J + (size_t)rows[i] * nz;
    s->rhs[i] = s->g[rows[i]] / s->norm[rows[i]];
    if (!(fabs(s->rhs[i]) <= of->far)) of->far = fabs(s->rhs[i]);
    for (int j = 0; j < count; j++) {
      const double *b = s->J + (size_t)rows[j] * nz;
      double sum = 0;
      for (size_t c = 0; c < nz; c++) sum += a[c] * b[c];
      of->A[i * count + j] = sum;
    }
  }
  if (!status) status = rattle__survey_solve(count, of->A, s->rhs, &of->singular, error);
  for (int i = 0; i < count && !status && !of->singular; i++)
    for (size_t c = 0; c < nz; c++) z[c] -= s->rhs[i] * s->J[(size_t)rows[i] * nz + c] * (c < nz / 2 ? 1 : s->unit);
  return status;
}

rattle_status rattle__survey_project(rattle__survey *s, const int *rows, int count, double *z, int *found, rattle_error *error) {
  enum { ITERATIONS = 60 };
  selection of = {.rows = rows, .count = count, .A = malloc((size_t)count * (size_t)count * sizeof *of.A)};
  double size = 0;
  rattle_status status = of.A ? RATTLE_OK : rattle__no_memory(error);
  *found = 0;
  for (int k = 0; k < ITERATIONS && !status && !*found; k++) {
    status = newton(s, &of, z, error);
    if (of.singular || !isfinite(of.far)) break;
    size = fmax(size, rattle__survey_size(s, z));
    *found = of.far <= 1e-13 * (size + DBL_MIN);
  }
  free(of.A);
  return status;
}
