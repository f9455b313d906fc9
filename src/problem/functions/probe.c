/* Evaluation of points of a problem (probe.h).
 *
 * Symbols: J = g' in its pattern; X = X_H = (H_p, -H_q); w the entries of (-g_p, g_q), at the
 * columns `other`; D = g'' X in the pattern of g'; S = H'' in its pattern; y = H'' X. Holonomic: g,
 * J, D have n columns, and only the rows of p of H'' matter. */
#include "problem/functions/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/velocity.h"
#include "problem/model/model.h"

/* Bits of `known`: quantities already evaluated at the point. */
enum { FIRST = 1, SECOND = 2, MATRIX = 4, FACTORED = 8, LAMBDA = 16 };

static int all_finite(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += 0 * x[i];
  return sum == 0;
}

/* The values in question are not finite at the point. */
static rattle_status not_finite(const rattle__probe *s, const char *what, rattle_error *error) {
  rattle_status status = rattle__domain_error(s->problem, s->z, error);
  return status
             ? status
             : rattle__fail(error, RATTLE_DOMAIN, what,
                            "%s: not finite at this point, which is itself not finite or too large",
                            what);
}

/* --- making ----------------------------------------------------------------------------------- */

static size_t scratch_of(const rattle__function *f, size_t most) {
  return f && f->work > most ? f->work : most;
}

/* For g(q) and H = T + V those of T will do, which are always there. */
static int has_second(const rattle__probe *s) {
  return (s->holonomic && s->problem->V) || s->problem->H->hessian;
}

static rattle_status plan(rattle__probe *s, rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const rattle__function *g = problem->g, *H = problem->H;
  size_t nz = 2 * (size_t)s->n, m = (size_t)s->m, nnz = g ? (size_t)g->jac_nnz : 0;
  size_t second = g && has_second(s) ? (size_t)(H->hess_nnz - s->first_S) : 0;
  size_t room = 2 * nnz + 2 * nz,
         work =
             scratch_of(problem->observed, scratch_of(g, scratch_of(H, scratch_of(problem->T, 0))));
  work = scratch_of(problem->shares, work);
  const size_t shares = problem->shares ? (size_t)problem->shares->rows : 0,
               cited = (size_t)problem->cited,
               observables = problem->observed ? (size_t)problem->observed->rows : 0;
  const rattle__array arrays[] = {
      {&s->z, nz + cited},
      {&s->g, m},
      {&s->J, nnz},
      {&s->X, nz},
      {&s->psi, m},
      {&s->w, nnz},
      {&s->D, nnz},
      {&s->S, second},
      {&s->y, nz},
      {&s->lambda, m},
      {&s->vector, m},
      {&s->work, work},
      {&s->room, room},
      {&s->share, shares},
      {&s->all, shares},
      {&s->cited, cited ? (size_t)rattle_problem_m(problem) + observables : 0}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  s->other = rattle__arena_take(&s->arena, nnz * sizeof *s->other);
  if (s->arena.failed) return rattle__no_memory(error);
  for (size_t k = 0; k < nnz; k++)
    s->other[k] = g->jac_col[k] < s->n ? s->n + g->jac_col[k] : g->jac_col[k] - s->n;
  /* natural: the part of p of H'' is constant */
  if (second && s->holonomic && problem->V && !problem->T)
    memcpy(s->S, problem->mass->value ? problem->mass->value : problem->mass->diagonal,
           second * sizeof *s->S);
  return RATTLE_OK;
}

rattle_status rattle__probe_create(rattle__probe **probe, const rattle_problem *problem,
                                   rattle__probe_depth depth, rattle_error *error) {
  *probe = NULL;
  rattle__probe *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__probe){.problem = problem,
                       .n = problem->n,
                       .m = problem->m,
                       .holonomic = !!(problem->flags & RATTLE_HOLONOMIC)};
  if (s->holonomic && problem->V) s->first_S = problem->V->hess_nnz;
  rattle_status status = plan(s, error);
  if (!status && s->m && problem->model && problem->model->cotangent)
    status = rattle__cotangent_create(&s->cotangent, problem, error);
  const int shares =
      (problem->omitted || problem->shares || rattle__cites(problem, problem->observed)) && s->m &&
      has_second(s);
  if (!status && problem->velocity)
    status = rattle__reaction_create(&s->reaction, problem, &s->arena, error);
  if (!status && (depth == RATTLE__PROBE_MULTIPLIERS || shares) && s->m && !s->reaction &&
      has_second(s))
    status = problem->split ? rattle__bracket_create_second_class(&s->bracket, problem, error)
                            : rattle__bracket_create(&s->bracket, problem, s->first_S, error);
  if (!status && problem->omitted && shares && (s->bracket || s->reaction))
    status = rattle__shared_create(&s->shared, problem, error);
  if (status) rattle__probe_destroy(&s);
  *probe = s;
  return status;
}

void rattle__probe_destroy(rattle__probe **probe) {
  if (!*probe) return;
  rattle__bracket_destroy(&(*probe)->bracket);
  rattle__cotangent_destroy(&(*probe)->cotangent);
  rattle__shared_destroy(&(*probe)->shared);
  rattle__reaction_destroy(&(*probe)->reaction);
  rattle__arena_release(&(*probe)->arena);
  free(*probe);
  *probe = NULL;
}

void rattle__probe_place(rattle__probe *probe, const double *q, const double *p) {
  size_t half = (size_t)probe->n * sizeof *q;
  if (probe->known && !memcmp(probe->z, q, half) && !memcmp(probe->z + probe->n, p, half)) return;
  memcpy(probe->z, q, (size_t)probe->n * sizeof *q);
  memcpy(probe->z + probe->n, p, (size_t)probe->n * sizeof *p);
  probe->known = 0;
}

/* --- evaluating ------------------------------------------------------------------------------- */

/* g, J, X and psi */
static rattle_status first(rattle__probe *s, rattle_error *error) {
  const rattle__function *g = s->problem->g, *H = s->problem->H;
  if (s->known & FIRST) return RATTLE_OK;
  int n = s->n, answer = g->jacobian(g, s->z, s->g, s->J, s->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  answer = H->jacobian(H, s->z, NULL, s->y, s->work);
  if (answer) return rattle__callback_error(answer, "Hamiltonian", error);
  for (int i = 0; i < n; i++) {
    s->X[i] = s->y[n + i];
    s->X[n + i] = -s->y[i];
  }
  for (int i = 0; i < s->m; i++) {
    double sum = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) sum += s->J[k] * s->X[g->jac_col[k]];
    s->psi[i] = sum;
  }
  s->known |= FIRST;
  return RATTLE_OK;
}

static int is_rough(const rattle__probe *s) {
  return s->problem->H->rough && s->rough && !s->exact;
}

/* S: if g = g(q) and H = T + V, the part of T alone */
static int hessian(rattle__probe *s) {
  const rattle_problem *problem = s->problem;
  const rattle__function *H = problem->H, *T = problem->T;
  if (is_rough(s)) return H->rough(H, s->z, s->y, s->holonomic ? s->n : 0, s->S, s->work);
  if (!s->holonomic || !problem->V) return H->hessian(H, s->z, NULL, s->S, s->work);
  return T ? T->hessian(T, s->z + s->n, NULL, s->S, s->work) : 0;
}

/* w, D, S and y */
static rattle_status second(rattle__probe *s, rattle_error *error) {
  const rattle__function *g = s->problem->g, *H = s->problem->H;
  rattle_status status = first(s, error);
  if (status || s->known & SECOND) return status;
  int answer = rattle__function_along(g, s->z, s->X, s->D, s->work, s->room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  answer = hessian(s);
  if (answer) return rattle__callback_error(answer, "Hessian", error);
  for (int k = 0; k < g->jac_nnz; k++) s->w[k] = g->jac_col[k] < s->n ? s->J[k] : -s->J[k];
  for (int r = s->holonomic ? s->n : 0; r < 2 * s->n; r++) {
    double sum = 0;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      sum += s->S[e - s->first_S] * s->X[H->hess_col[e]];
    s->y[r] = sum;
  }
  s->known |= SECOND;
  return RATTLE_OK;
}

/* N */
static rattle_status matrix(rattle__probe *s, rattle_error *error) {
  rattle_status status = s->problem->split ? first(s, error) : second(s, error);
  if (status || s->known & MATRIX) return status;
  if (s->problem->split)
    rattle__probe_fill_second_class(s, s->y);
  else
    rattle__bracket_assemble(s->bracket, s->J, s->w, s->D, s->S);
  s->known |= MATRIX;
  const rattle__linear *N = s->bracket->N;
  return all_finite(N->value, N->nnz)
             ? RATTLE_OK
             : not_finite(s, s->problem->split ? "derivatives" : "second derivatives", error);
}

static rattle_status factor(rattle__probe *s, rattle_error *error) {
  rattle_status status = matrix(s, error);
  if (status || s->known & FACTORED) return status;
  rattle__linear *N = s->bracket->N;
  status = N->factor(N);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (!status) {
    s->known |= FACTORED;
    return RATTLE_OK;
  }
  const char *name = N->blame >= 0 ? rattle_problem_constraint_name(s->problem, N->blame) : NULL;
  if (!name) name = "?";
  rattle__fail(error, RATTLE_SINGULAR, name,
               "the multipliers are not determined at this point: the matrix %s is singular at "
               "constraint '%s'",
               s->problem->split ? "{g_i,g_j}" : "{{H,g_i},g_j}", name);
  if (error) error->constraint = N->blame;
  return RATTLE_SINGULAR;
}

/* {psi,H} = psi' X; second class: -{g,H} */
static void bracket_with_H(const rattle__probe *s, double *out) {
  const rattle__function *g = s->problem->g;
  for (int i = 0; i < s->m; i++) {
    double sum = s->problem->split ? -s->psi[i] : 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1] && !s->problem->split; k++)
      sum += s->D[k] * s->X[g->jac_col[k]] + s->w[k] * s->y[s->other[k]];
    out[i] = sum;
  }
}

/* lambda from N lambda = {psi,H}; second class: C lambda = -{g,H} */
static rattle_status solve(rattle__probe *s, rattle_error *error) {
  rattle_status status = factor(s, error);
  if (status || s->known & LAMBDA) return status;
  bracket_with_H(s, s->lambda);
  s->bracket->N->solve(s->bracket->N, s->lambda);
  s->known |= LAMBDA;
  return all_finite(s->lambda, s->m) ? RATTLE_OK : not_finite(s, "multipliers", error);
}

/* --- answering -------------------------------------------------------------------------------- */

rattle_status rattle__probe_energy(rattle__probe *probe, double *H, rattle_error *error) {
  const rattle__function *f = probe->problem->H;
  double energy;
  int answer = f->value(f, probe->z, &energy, probe->work);
  if (H) *H = energy;
  if (answer) return rattle__callback_error(answer, "Hamiltonian", error);
  return isfinite(energy) ? RATTLE_OK : not_finite(probe, "H", error);
}

rattle_status rattle__probe_residuals(rattle__probe *probe, double *g, double *psi,
                                      rattle_error *error) {
  if (probe->reaction) return rattle__probe_reaction_residuals(probe, g, psi, error);
  if (!probe->m) return RATTLE_OK;
  rattle_status status = first(probe, error);
  if (status) return status;
  size_t bytes = (size_t)probe->m * sizeof *g;
  if (g) memcpy(g, probe->g, bytes);
  if (psi) memcpy(psi, probe->psi, bytes);
  if (psi && probe->problem->split) rattle__probe_other_half(probe, psi);
  return all_finite(probe->g, probe->m) && all_finite(probe->psi, probe->m)
             ? RATTLE_OK
             : not_finite(probe, "constraints", error);
}

rattle_status rattle__probe_multipliers(rattle__probe *probe, double *multipliers,
                                        rattle_error *error) {
  if (probe->reaction) return rattle__probe_reaction_multipliers(probe, multipliers, error);
  if (!probe->m) return RATTLE_OK;
  rattle_status status = probe->bracket ? solve(probe, error) : RATTLE_OK;
  if (status || !multipliers) return status;
  for (int i = 0; i < probe->m; i++)
    multipliers[i] = probe->bracket ? probe->lambda[i] : (double)NAN;
  return RATTLE_OK;
}

rattle_status rattle__probe_multipliers_of_all(rattle__probe *probe, double *multipliers,
                                               rattle_error *error) {
  const rattle_status status = rattle__probe_multipliers(probe, multipliers, error);
  return status || !multipliers || !probe->shared
             ? status
             : rattle__shared_multipliers(probe, multipliers, NULL, error);
}

rattle_status rattle__probe_field(rattle__probe *probe, double *zdot, rattle_error *error) {
  const rattle__function *H = probe->problem->H;
  const int n = probe->n;
  if (probe->reaction) return rattle__probe_reaction_field(probe, zdot, 0, error);
  if (probe->m) {
    const rattle_status status = first(probe, error);
    memcpy(zdot, probe->X, 2 * (size_t)n * sizeof *zdot);
    return status;
  }
  const int answer = H->jacobian(H, probe->z, NULL, probe->y, probe->work);
  for (int k = 0; k < n; k++) zdot[k] = probe->y[n + k], zdot[n + k] = -probe->y[k];
  return rattle__answer(answer, "Hamiltonian", error);
}

rattle_status rattle__probe_velocity(rattle__probe *probe, double *zdot, rattle_error *error) {
  const rattle__function *g = probe->problem->g;
  if (probe->reaction) return rattle__probe_reaction_field(probe, zdot, 1, error);
  rattle_status status = rattle__probe_field(probe, zdot, error);
  if (!status) status = rattle__probe_multipliers(probe, NULL, error);
  for (int i = 0; i < probe->m && probe->bracket && !status; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double along = g->jac_col[e] < probe->n ? -probe->J[e] : probe->J[e];
      zdot[probe->other[e]] += probe->lambda[i] * along;
    }
  return status;
}

void rattle__probe_step_guess(rattle__probe *probe, double h, double *lambda) {
  memset(lambda, 0, (size_t)probe->m * sizeof *lambda);
  if (!probe->bracket || factor(probe, NULL)) return;
  bracket_with_H(probe, lambda);
  for (int i = 0; i < probe->m; i++) lambda[i] = probe->psi[i] / h + 0.5 * lambda[i];
  probe->bracket->N->solve(probe->bracket->N, lambda);
  if (!all_finite(lambda, probe->m)) memset(lambda, 0, (size_t)probe->m * sizeof *lambda);
}

int rattle__probe_times(rattle__probe *probe, const double *v, double *y) {
  if (!probe->bracket || matrix(probe, NULL)) return 0;
  const rattle__linear *N = probe->bracket->N;
  for (int i = 0; i < N->size; i++) {
    y[i] = 0;
    for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) y[i] += N->value[e] * v[N->col[e]];
  }
  return 1;
}

const double *rattle__probe_rough_hessian(rattle__probe *probe) {
  return is_rough(probe) && !second(probe, NULL) ? probe->S : NULL;
}

rattle__linear *rattle__probe_factors(rattle__probe *probe) {
  return !probe->bracket || factor(probe, NULL) ? NULL : probe->bracket->N;
}

int rattle__probe_side(rattle__probe *probe, const double *q, const double *p, rattle__linear *J,
                       int first) {
  rattle__probe_place(probe, q, p);
  const rattle__linear *N = rattle__probe_factors(probe);
  if (!N) return 0;
  rattle__linear_expect(J, first, probe->m, N, 1);
  return rattle__linear_side(J);
}

void rattle__probe_join_parts(const rattle__probe *probe, rattle__linear *J, int first) {
  if (probe->bracket) rattle__linear_join_parts(J, first, probe->bracket->N);
}

rattle_status rattle__probe_matrix(rattle__probe *probe, rattle__linear **N, rattle_error *error) {
  *N = probe->bracket ? probe->bracket->N : NULL;
  return probe->bracket ? matrix(probe, error) : RATTLE_OK;
}

/* Singular values of a matrix of size 2, N by rows. */
static void singular_values(const double *N, double *smallest, double *largest) {
  *largest = 0.5 * (hypot(N[0] + N[3], N[1] - N[2]) + hypot(N[0] - N[3], N[1] + N[2]));
  *smallest = *largest > 0 ? fabs(N[0] * N[3] - N[1] * N[2]) / *largest : 0;
}

/* condition NULL: it is not asked for, and takes as long as the smallest. */
static rattle_status from_matrix(rattle__probe *s, double *smallest, double *condition,
                                 rattle_error *error) {
  enum { EXACT = 30 };
  rattle__linear *N = s->bracket->N;
  double largest = 0;
  if (s->m == 1) {
    *smallest = largest = fabs(N->value[0]);
  } else if (s->m == 2) {
    double full[4] = {0};
    for (int i = 0; i < 2; i++)
      for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) full[2 * i + N->col[e]] = N->value[e];
    singular_values(full, smallest, &largest);
  } else if (s->m <= EXACT || !N->symmetric) {
    s->known &= ~(unsigned)FACTORED; /* large ones are factored anew inside */
    double unwanted;
    return rattle__linear_condition(N, smallest, condition ? condition : &unwanted, error);
  } else {
    const rattle_status status = factor(s, error);
    if (status && status != RATTLE_SINGULAR) return status;
    *smallest = status ? 0 : rattle__linear_smallest(N, s->vector);
    if (condition) largest = rattle__linear_largest(N, s->vector, s->room);
  }
  if (condition) *condition = *smallest > 0 ? largest / *smallest : (double)INFINITY;
  return RATTLE_OK;
}

rattle_status rattle__probe_nondegeneracy(rattle__probe *probe, double *smallest, double *condition,
                                          rattle_error *error) {
  double least = (double)NAN, ratio = (double)NAN;
  if (probe->reaction)
    return rattle__probe_reaction_nondegeneracy(probe, smallest, condition, error);
  rattle_status status = probe->bracket ? matrix(probe, error) : RATTLE_OK;
  if (!status && probe->bracket)
    status = from_matrix(probe, &least, condition ? &ratio : NULL, error);
  if (smallest) *smallest = least;
  if (condition) *condition = ratio;
  return status;
}
