/* Evaluations at a point that a search moves, and the directions in which it moves.
 *
 * For g = 0    d_i.  g(q): of q alone, M^-1 G_i^T for natural H, else H_pp G_i^T, the inverse of
 * the mass matrix that H has at
 *              the point: mass-orthogonal.  g(q,p): g_i', Euclidean in (q,p), which depends on
 *              their units.  Second class:
 *              X_{g_i}, the complement of the manifold in the symplectic form, along which the
 *              Dirac bracket projects too. For starts: M^-1 G_i^T, else g_i' W with the squares of
 *              the units that q and p have at the start, so that units do not matter; 0 for
 *              coordinates that are held
 * For psi = 0  X_{g_i}
 * Systems      A = J d^T: sparse G M^-1 G^T or J J^T; N; dense {g_i,g_j}. For psi = 0 N, which is G
 *              M^-1 G^T for natural H */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/fibre/fibre.h"
#include "problem/model/model.h"
#include "constraint/place/nearest_point.h"
#include "constraint/equation/unit.h"
#include "constraint/step/sizes.h"

static const double satisfied = 1e-12; /* of what the terms of g could be */

/* ---- what is known of a point ---- */

rattle_status rattle__nearest_point_see(rattle__nearest_point *s, const double *z,
                                        rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  const size_t bytes = 2 * (size_t)s->n * sizeof *z;
  if (s->seen && !memcmp(s->at, z, bytes)) return RATTLE_OK;
  memcpy(s->at, z, bytes);
  s->placed = s->factored = 0;
  s->context->counts.constraint++;
  s->context->counts.jacobian++;
  const int answer = g->jacobian(g, z, s->g, s->J, s->work);
  s->seen = !answer;
  return rattle__answer(answer, "constraint", error);
}

rattle_status rattle__nearest_point_see_hidden(rattle__nearest_point *s, const double *z,
                                               rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g, *H = problem->H;
  const int n = s->n;
  rattle_status status = rattle__nearest_point_see(s, z, error);
  if (status) return status;
  if (!s->mass) {
    s->context->counts.gradient++;
    status = rattle__answer(H->jacobian(H, z, NULL, s->gradient, s->work), "gradient", error);
  } else
    for (int c = 0; c < n; c++) s->gradient[n + c] = rattle__mass_times(s->mass, 1, c, z + n);
  for (int i = 0; i < s->m; i++) {
    double sum = 0, size = DBL_MIN;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      const int c = g->jac_col[k];
      const double term = s->J[k] * (c < n ? s->gradient[n + c] : -s->gradient[c - n]);
      sum += term;
      size += DBL_EPSILON * (fabs(term) + fabs(s->J[k]) * s->slope[c]);
    }
    s->psi[i] = sum;
    s->unit[i] = size;
  }
  return status;
}

rattle_status rattle__nearest_point_measure(rattle__nearest_point *s, double h, const double *z,
                                            rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *H = problem->H;
  const int n = s->n;
  double most[2];
  s->context->counts.gradient++;
  int answer = H->jacobian(H, z, NULL, s->gradient, s->work);
  if (answer) return rattle__callback_error(answer, "gradient", error);
  for (int c = 0; c < 2 * n; c++)
    s->reach[c] = fmax(fabs(z[c]), fabs(h * s->gradient[c < n ? n + c : c - n]));
  rattle__largest_of_kind(problem, s->reach, most);
  for (int c = 0; c < 2 * n; c++) s->reach[c] = fmax(s->reach[c], rattle__least_size(most[c >= n]));
  memset(s->slope, 0, 2 * (size_t)n * sizeof *s->slope);
  if (s->mass) {
    for (int c = 0; c < n; c++) s->slope[c] = rattle__mass_reach(s->mass, c, s->reach + n);
    return RATTLE_OK;
  }
  s->context->counts.hessian++;
  answer = H->hessian(H, z, NULL, s->S, s->work);
  rattle__slope_round_off(problem, s->S, s->reach, 1, s->slope);
  return rattle__answer(answer, "Hessian", error);
}

/* The sizes of q and p that g depends on; of one that is 0 everywhere, what changes g as much as
 * the other. */
static void sizes_of_kinds(const rattle__nearest_point *s, const double *z, double size[2]) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g;
  double steepest[2] = {0, 0};
  size[0] = size[1] = 0;
  for (int k = 0; k < g->jac_nnz; k++) {
    const int kind = g->jac_col[k] >= s->n;
    if (rattle__is_time(problem, g->jac_col[k])) continue;
    size[kind] = fmax(size[kind], fabs(z[g->jac_col[k]]));
    steepest[kind] = fmax(steepest[kind], fabs(s->J[k]));
  }
  for (int kind = 0; kind < 2; kind++)
    if (size[kind] == 0)
      size[kind] = steepest[kind] > 0 ? size[!kind] * (steepest[!kind] / steepest[kind]) : 1;
  for (int kind = 0; kind < 2; kind++)
    if (!(size[kind] > 0 && size[kind] <= DBL_MAX)) size[kind] = 1;
}

int rattle__is_held(const rattle_problem *problem, int entry) {
  return entry < problem->n && !rattle__is_time(problem, entry) && problem->model &&
         problem->model->pair[entry].held;
}

/* Units of g are by how much it changes where each variable moves by the size of its kind: those of
 * round-off do not serve the line search, since they are 0 where all coordinates of a constraint
 * are. */
void rattle__nearest_point_units(rattle__nearest_point *s, const double *z) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g;
  double size[2];
  sizes_of_kinds(s, z, size);
  for (int i = 0; i < s->m; i++) {
    s->scale[i] = DBL_MIN;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (!rattle__is_time(problem, g->jac_col[e]))
        s->scale[i] += fabs(s->J[e]) * size[g->jac_col[e] >= s->n];
  }
  if (s->weight) s->placed = s->factored = 0;
  for (int c = 0; s->weight && c < s->vars; c++)
    s->weight[c] = rattle__is_time(problem, c) || rattle__is_held(problem, c) ? 0
                   : s->mass                                                  ? s->mass->diagonal[c]
                             : size[c >= s->n] * size[c >= s->n];
}

static double largest_ratio(const double *r, const double *unit, int m, int *worst) {
  double most = 0;
  for (int i = 0; i < m; i++) {
    const double ratio = fabs(r[i]) / unit[i];
    if (!(ratio <= most)) {
      most = ratio;
      *worst = i;
    }
  }
  return most;
}

/* The largest q and p of a constraint: a start has no stages whose terms cancel, and its parts may
 * differ in size. */
static void largest_of_row(const rattle__nearest_point *s, int i, const double *z, double most[2]) {
  const rattle__function *g = s->context->problem->g;
  most[0] = most[1] = 0;
  for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
    const int c = g->jac_col[k];
    if (!rattle__is_time(s->context->problem, c))
      most[c >= s->n] = fmax(most[c >= s->n], fabs(z[c]));
  }
}

double rattle__nearest_point_ratio(rattle__nearest_point *s, const double *z, int *worst) {
  const rattle__function *g = s->context->problem->g;
  double most[2], wide[2];
  rattle__largest_of_kind(s->context->problem, z, most);
  for (int i = 0; i < s->m; i++) {
    s->unit[i] = s->least[i] + DBL_MIN;
    for (int kind = 0; kind < 2; kind++) wide[kind] = rattle__least_size(most[kind]);
    if (s->options.start) largest_of_row(s, i, z, wide);
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      const int c = g->jac_col[k];
      if (rattle__is_time(s->context->problem, c)) continue;
      s->unit[i] +=
          DBL_EPSILON * fabs(s->J[k]) * fmax(fmax(fabs(z[c]), s->reach[c]), wide[c >= s->n]);
    }
  }
  return largest_ratio(s->g, s->unit, s->m, worst);
}

double rattle__nearest_point_ratio_hidden(const rattle__nearest_point *s, int *worst) {
  return largest_ratio(s->psi, s->unit, s->m, worst);
}

/* ---- directions and systems ---- */

static rattle_status singular(const rattle__nearest_point *s, int blame, rattle_error *error) {
  const char *name = blame >= 0 ? rattle_problem_constraint_name(s->context->problem, blame) : NULL;
  if (!name) name = "?";
  rattle__fail(error, RATTLE_SINGULAR, name,
               "the projection is singular at constraint '%s': the constraints are dependent "
               "there, or the point is degenerate",
               name);
  if (error) error->constraint = blame;
  return RATTLE_SINGULAR;
}

static rattle_status not_factored(const rattle__nearest_point *s, rattle_status status, int blame,
                                  rattle_error *error) {
  return status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : singular(s, blame, error);
}

/* N at z, and with it what the probe knows of second derivatives there */
static rattle_status look_at_matrix(rattle__nearest_point *s, const double *z, rattle__linear **N,
                                    rattle_error *error) {
  rattle__probe_place(s->probe, z, z + s->n);
  s->context->counts.jacobian++;
  s->context->counts.gradient++;
  s->context->counts.hessian++;
  return rattle__probe_matrix(s->probe, N, error);
}

/* The rows X_{g_i}. */
static void fill_rows(rattle__nearest_point *s) {
  const rattle__function *g = s->context->problem->g;
  for (int i = 0; i < s->m; i++)
    rattle__hamiltonian_field(s->n, s->J + g->jac_ptr[i], g->jac_col + g->jac_ptr[i],
                              g->jac_ptr[i + 1] - g->jac_ptr[i],
                              s->row + 2 * (size_t)s->n * (size_t)i);
}

/* The rows g_i' W, or g_i' without the derivative by time, which is not moved. */
static void scale_but_time(rattle__nearest_point *s) {
  const rattle_problem *problem = s->context->problem;
  for (int k = 0; k < problem->g->jac_nnz; k++) {
    const int c = problem->g->jac_col[k];
    s->scaled[k] = s->weight ? s->J[k] * s->weight[c] : rattle__is_time(problem, c) ? 0 : s->J[k];
  }
}

rattle_status rattle__nearest_point_place(rattle__nearest_point *s, const double *z,
                                          rattle_error *error) {
  rattle__linear *N;
  const rattle_status status = rattle__nearest_point_see(s, z, error);
  if (status || s->placed) return status;
  if (!s->row && !s->coupling) return look_at_matrix(s, z, &N, error); /* H_pp */
  s->placed = 1;
  if (s->row)
    fill_rows(s);
  else if (s->mass && !s->weight)
    rattle__mass_scale(s->mass, s->context->problem->g, s->J, s->scaled);
  else
    scale_but_time(s);
  return RATTLE_OK;
}

/* A = J (directions)^T at the point placed */
static void assemble(rattle__nearest_point *s) {
  const rattle__function *g = s->context->problem->g;
  const size_t nz = 2 * (size_t)s->n;
  if (s->coupling) {
    rattle__coupling_assemble(s->coupling, s->J, s->scaled, s->system->value);
    return;
  }
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < s->m; j++) {
      double sum = 0;
      for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
        sum += s->J[k] * s->row[(size_t)j * nz + (size_t)g->jac_col[k]];
      s->system->value[i * s->m + j] = sum;
    }
}

/* For a start: damps A, and its rows that are 0, as those of constraints on held coordinates,
 * become trivial equations if g_i is 0 already; otherwise returns the constraint, which nothing can
 * move. -1: there is none. */
static int beyond_reach(rattle__nearest_point *s) {
  rattle__linear *A = s->system;
  for (int i = 0; i < s->m; i++)
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (A->col[e] != i) continue;
      A->value[e] *= 1 + s->damping;
      if (A->value[e] != 0) continue;
      if (fabs(s->g[i]) > satisfied * (s->unit[i] / DBL_EPSILON)) return i;
      A->value[e] = 1;
    }
  return -1;
}

rattle_status rattle__nearest_point_solve(rattle__nearest_point *s, const double *z, double *x,
                                          rattle_error *error) {
  if (!s->system)
    return rattle__nearest_point_solve_hidden(s, z, x, error); /* g(q): G H_pp G^T is N */
  const rattle_status status = rattle__nearest_point_place(s, z, error);
  if (status) return status;
  if (!s->factored) {
    assemble(s);
    const int stuck = s->options.start ? beyond_reach(s) : -1;
    if (stuck >= 0) return singular(s, stuck, error);
    s->context->counts.factorisation++;
    const rattle_status failed = s->system->factor(s->system);
    if (failed) return not_factored(s, failed, s->system->blame, error);
    s->factored = 1;
  }
  s->system->solve(s->system, x);
  return RATTLE_OK;
}

rattle_status rattle__nearest_point_solve_hidden(rattle__nearest_point *s, const double *z,
                                                 double *x, rattle_error *error) {
  if (s->mass) return rattle__nearest_point_solve(s, z, x, error); /* natural: the same matrix */
  rattle__linear *N = NULL;
  rattle_status status = rattle__nearest_point_see(s, z, error);
  if (!status) status = look_at_matrix(s, z, &N, error);
  if (status) return status;
  s->context->counts.factorisation++;
  status = N->factor(N);
  if (status) return not_factored(s, status, N->blame, error);
  N->solve(N, x);
  return RATTLE_OK;
}

/* z -= H_pp G^T kappa */
static void push_by_H_pp(const rattle__nearest_point *s, const double *kappa, double *z) {
  const rattle__function *g = s->context->problem->g, *H = s->context->problem->H;
  double *y = s->step;
  memset(y, 0, (size_t)s->n * sizeof *y);
  for (int i = 0; i < s->m; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) y[g->jac_col[k]] += s->J[k] * kappa[i];
  for (int r = 0; r < s->n; r++)
    for (int e = H->hess_ptr[s->n + r]; e < H->hess_ptr[s->n + r + 1]; e++)
      if (H->hess_col[e] >= s->n)
        z[r] -= s->probe->S[e - s->probe->first_S] * y[H->hess_col[e] - s->n];
}

void rattle__nearest_point_push(const rattle__nearest_point *s, const double *kappa, double *z) {
  const rattle__function *g = s->context->problem->g;
  const int nz = 2 * s->n;
  if (!s->system) {
    push_by_H_pp(s, kappa, z);
    return;
  }
  for (int i = 0; i < s->m && s->coupling; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      z[g->jac_col[k]] -= s->scaled[k] * kappa[i];
  for (int i = 0; i < s->m && s->row; i++)
    for (int c = 0; c < nz; c++) z[c] -= s->row[i * nz + c] * kappa[i];
}

void rattle__nearest_point_push_hidden(const rattle__nearest_point *s, const double *lambda,
                                       double *z) {
  const rattle__function *g = s->context->problem->g;
  for (int i = 0; i < s->m; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      const int c = g->jac_col[k];
      if (c < s->n)
        z[s->n + c] -= s->J[k] * lambda[i];
      else
        z[c - s->n] += s->J[k] * lambda[i];
    }
}
