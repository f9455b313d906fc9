/* The derivative of psi by sigma, M_ij = psi_i'(z) h dz/dsigma_j, factored. See momenta_fibre.c. */
#include "constraint/solve/momenta_fibre_state.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"

/* row <- psi_i' = (g_i'' X) + H'' (-g_p, g_q)_i */
static void gradient_of_psi(const rattle__momenta_fibre *s, int i) {
  const rattle__function *g = s->context->problem->g, *H = s->context->problem->H;
  int n = s->n;
  memset(s->row, 0, 2 * (size_t)n * sizeof(double));
  for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
    int c = g->jac_col[k], r = c < n ? n + c : c - n;
    double w = c < n ? s->J[k] : -s->J[k];
    s->row[c] += s->D[k];
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) s->row[H->hess_col[e]] += w * s->S[e];
  }
}

static rattle_status factor(rattle__momenta_fibre *s, rattle_error *error) {
  s->context->counts.factorisation++;
  s->matrix->equilibrate = rattle__must_equilibrate(s->follower);
  const rattle_status status = s->matrix->factor(s->matrix);
  if (!status) return RATTLE_OK;
  const int blame = s->holonomic ? s->matrix->blame - 2 * s->n : s->matrix->blame;
  return rattle__not_factored(status, s->context->problem,
                              "the equations of the projection onto the hidden constraints", blame,
                              error);
}

/* S where the step began; 0: it is not available */
static int take_rough(rattle__momenta_fibre *s) {
  rattle__probe *probe = s->context->probe;
  if (!s->from || !s->holonomic || !probe || s->follower->following) return 0;
  rattle__probe_place(probe, s->from, s->from + s->n);
  const double *S = rattle__probe_rough_hessian(probe);
  if (S) memcpy(s->S, S, (size_t)s->context->problem->H->hess_nnz * sizeof *S);
  return S != NULL;
}

/* S at z, where the gradient is known */
static int hessian(rattle__momenta_fibre *s, const double *z) {
  const rattle__function *H = s->context->problem->H;
  s->context->counts.hessian++;
  return H->rough ? H->rough(H, z, s->gradient, s->holonomic ? s->n : 0, s->S, s->work)
                  : H->hessian(H, z, NULL, s->S, s->work);
}

/* D and S at z */
static rattle_status second(rattle__momenta_fibre *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  rattle_status status = rattle__answer(rattle__function_along(g, z, s->X, s->D, s->work, s->room),
                                        "constraint", error);
  return status ? status : rattle__answer(hessian(s, z), "Hessian", error);
}

rattle_status rattle__momenta_fibre_raise(rattle__momenta_fibre *s, const double *z,
                                          rattle_error *error) {
  rattle_status status = second(s, z, error);
  for (int i = 0; i < s->m && !status; i++) {
    double size = 0;
    gradient_of_psi(s, i);
    for (int c = 0; c < 2 * s->n; c++) size += fabs(s->row[c] * z[c]);
    s->floor[i] = fmax(s->floor[i], DBL_EPSILON * size);
  }
  return status;
}

/* The derivative of psi by sigma at z, factored, for the general case */
static rattle_status matrix_general(rattle__momenta_fibre *s, const double *z,
                                    rattle_error *error) {
  rattle_status status = second(s, z, error);
  if (!status) status = s->fibre->derivative(s->fibre, s->Z, error);
  if (status) return status;
  for (int i = 0; i < s->m; i++) {
    gradient_of_psi(s, i);
    for (int j = 0; j < s->m; j++) {
      double sum = 0;
      for (int k = s->fibre->ptr[j]; k < s->fibre->ptr[j + 1]; k++)
        sum += s->row[s->fibre->col[k]] * s->Z[k];
      s->matrix->value[i * s->m + j] = s->h * sum;
    }
  }
  return factor(s, error);
}

/* the same for g(q): psi = G H_p, p = p0 - h G^T sigma; first: of a slide */
static rattle_status matrix_holonomic(rattle__momenta_fibre *s, const double *z, int first,
                                      rattle_error *error) {
  const rattle_status status =
      first && take_rough(s) ? RATTLE_OK : rattle__answer(hessian(s, z), "Hessian", error);
  if (status) return status;
  rattle__assembly_fill(s->assembly, s->h);
  return factor(s, error);
}

rattle_status rattle__momenta_fibre_matrix(rattle__momenta_fibre *s, const double *z, int first,
                                           rattle_error *error) {
  return s->holonomic ? matrix_holonomic(s, z, first, error) : matrix_general(s, z, error);
}
