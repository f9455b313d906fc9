/* N from one end of a step to the other.
 *
 * Symbols  N0, N1 = {{H,g_i},g_j} at the ends [m x m]; E = N1^-1 N0 - 1
 * Doubt    |tr E| or |tr E^2|^(1/2) above 1/2 (neither depends on how the constraints are scaled); for m > 8 |E v|, and the growth of E^k v, along
 *          the multipliers and along one fixed direction; and det N by more than half in the middle or at the end. E is large too where rows that nearly
 *          depend on each other turn together, as those of a body: det N = det (G M^-1 G^T) is another only where they come nearer to each other
 * Verdict  the number of negative eigenvalues, by Jacobi's rotations; for m > 60 not offered
 * Cost     if nothing is found: m solves with N1, for m > 8 two; N1 itself is what the next step begins with */
#include "constraint/guard/nondegeneracy.h"

#include "constraint/guard/power_iteration.h"
#include "constraint/guard/rules/rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 60, SWEEPS = 12 };

rattle_status rattle__nondegeneracy_create(rattle__nondegeneracy **guard, rattle__context *context, rattle_error *error) {
  rattle__arena *arena = &context->arena;
  rattle__nondegeneracy *w = rattle__arena_take(arena, sizeof *w);
  rattle_status status = rattle__context_probe(context, error);
  *guard = w;
  if (status || !w) return status ? status : rattle__no_memory(error);
  size_t m = (size_t)context->problem->m;
  const rattle__bracket *bracket = context->probe->bracket;
  *w = (rattle__nondegeneracy){.context = context, .m = (int)m};
  w->before = rattle__arena_doubles(arena, bracket ? (size_t)bracket->N->nnz : 0);
  w->z = rattle__arena_doubles(arena, 2 * (size_t)context->problem->n);
  w->vector = rattle__arena_doubles(arena, 2 * m);
  if (m <= RATTLE__FEW) w->E = rattle__arena_doubles(arena, m * m);
  if (m <= MOST) w->A = rattle__arena_doubles(arena, m * m);
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

/* N at z in the probe; NULL if it is not available. */
static rattle__linear *matrix_at(rattle__nondegeneracy *w, const double *z) {
  rattle__linear *N = NULL;
  rattle__probe *probe = w->context->probe;
  rattle__probe_place(probe, z, z + w->context->problem->n);
  return rattle__probe_matrix(probe, &N, NULL) ? NULL : N;
}

void rattle__nondegeneracy_begin(rattle__nondegeneracy *w, const double *z0) {
  const rattle__linear *N = matrix_at(w, z0);
  w->z0 = z0;
  if (N) memcpy(w->before, N->value, (size_t)N->nnz * sizeof(double));
}

/* y = N0 v, then E v */
static void change_along(const rattle__nondegeneracy *w, rattle__linear *N, const double *before, const double *v, double *y) {
  for (int i = 0; i < w->m; i++) {
    y[i] = 0;
    for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) y[i] += before[e] * v[N->col[e]];
  }
  N->solve(N, y);
  for (int i = 0; i < w->m; i++) y[i] -= v[i];
}

typedef struct two_ends {
  const rattle__nondegeneracy *guard;
  rattle__linear *N;
  const double *before;
} two_ends;

static int change(void *self, const double *v, double *y) {
  const two_ends *N = self;
  change_along(N->guard, N->N, N->before, v, y);
  return 1;
}

/* v is lost */
static int changed_along(rattle__nondegeneracy *w, rattle__linear *N, const double *before, double *v, double *y) {
  double most = 0, change_of_v = 0;
  change_along(w, N, before, v, y);
  for (int i = 0; i < w->m; i++) {
    most = fmax(most, fabs(v[i]));
    if (!(fabs(y[i]) <= change_of_v)) change_of_v = fabs(y[i]);
  }
  return !(change_of_v <= rattle__N_changes * most) &&
         rattle__spectral_radius_above_half(w->m, change, &(two_ends){w, N, before}, v, y);
}

int rattle__nondegeneracy_changed(rattle__nondegeneracy *w, rattle__linear *N, const double *before, const double *lambda) {
  const int m = w->m;
  double *v = w->vector, *y = w->vector + m;
  if (!w->E) {
    for (int i = 0; i < m; i++) v[i] = rattle__fixed_direction(i);
    if (changed_along(w, N, before, v, y)) return 1;
    memcpy(v, lambda, (size_t)m * sizeof *v);
    return changed_along(w, N, before, v, y);
  }
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) v[i] = i == j;
    change_along(w, N, before, v, y);
    for (int i = 0; i < m; i++) w->E[i * m + j] = y[i];
  }
  return rattle__N_changed(m, w->E);
}

/* sign and log |det N| at z; 0: N is singular */
static int volume(rattle__nondegeneracy *w, const double *z, int *sign, double *log_size) {
  rattle__linear *N = matrix_at(w, z);
  if (!N || rattle__probe_multipliers(w->context->probe, NULL, NULL)) return 0;
  *sign = N->sign(N);
  *log_size = N->log_size(N);
  return 1;
}

static void find_middle(rattle__nondegeneracy *w, const double *z0, const double *z1) {
  for (int i = 0; i < 2 * w->context->problem->n; i++) w->z[i] = 0.5 * (z0[i] + z1[i]);
}

/* Whether det N is another on the way, sampled in the middle of the straight line between the ends and at them. */
static int volume_changed(rattle__nondegeneracy *w, const double *z1) {
  int sign[3];
  double size[3];
  find_middle(w, w->z0, z1);
  const double *at[3] = {w->z0, w->z, z1};
  for (int k = 0; k < 3; k++) {
    if (!volume(w, at[k], &sign[k], &size[k])) return 1;
    if (sign[k] != sign[0] || !(fabs(size[k] - size[0]) <= log(1 + rattle__N_changes))) return 1;
  }
  return 0;
}

/* Whether N at z1 is another than `before`, or singular. */
static int changed_at(rattle__nondegeneracy *w, const double *z1, const double *lambda) {
  rattle__linear *N = matrix_at(w, z1);
  if (!N) return 0;
  if (rattle__probe_multipliers(w->context->probe, NULL, NULL)) return 1; /* N1 is singular; if not, it is factored now */
  return rattle__nondegeneracy_changed(w, N, w->before, lambda);
}

int rattle__nondegeneracy_doubtful(rattle__nondegeneracy *w, const double *z1, const double *lambda) {
  return changed_at(w, z1, lambda) && volume_changed(w, z1);
}

int rattle__nondegeneracy_returned(rattle__nondegeneracy *w, const double *z0, const double *z1, const double *lambda) {
  find_middle(w, z0, z1);
  const rattle__linear *N = matrix_at(w, w->z);
  if (!N) return 0;
  memcpy(w->before, N->value, (size_t)N->nnz * sizeof(double));
  return changed_at(w, z1, lambda);
}

/* How many eigenvalues of the symmetric part of N with those values are negative. */
static int negative_eigenvalues(const rattle__nondegeneracy *w, const rattle__linear *N, const double *value) {
  int m = w->m, count = 0;
  double *A = w->A;
  memset(A, 0, (size_t)m * (size_t)m * sizeof *A);
  for (int i = 0; i < m; i++)
    for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) {
      A[i * m + N->col[e]] += 0.5 * value[e];
      A[N->col[e] * m + i] += 0.5 * value[e];
    }
  for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
    turned = 0;
    for (int p = 0; p < m; p++)
      for (int q = p + 1; q < m; q++) {
        if (fabs(A[p * m + q]) <= DBL_EPSILON * sqrt(fabs(A[p * m + p] * A[q * m + q]))) continue;
        turned = 1;
        double theta = (A[q * m + q] - A[p * m + p]) / (2 * A[p * m + q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
        for (int k = 0; k < m; k++) {
          double x = A[k * m + p], y = A[k * m + q];
          A[k * m + p] = c * x - s * y;
          A[k * m + q] = s * x + c * y;
        }
        for (int k = 0; k < m; k++) {
          double x = A[p * m + k], y = A[q * m + k];
          A[p * m + k] = c * x - s * y;
          A[q * m + k] = s * x + c * y;
        }
      }
  }
  for (int i = 0; i < m; i++) count += !(A[i * m + i] > 0);
  return count;
}

int rattle__nondegeneracy_crossed(rattle__nondegeneracy *w, const double *z1) {
  const rattle__linear *N = matrix_at(w, z1);
  if (!N || !w->A) return 0;
  return negative_eigenvalues(w, N, w->before) != negative_eigenvalues(w, N, N->value);
}

rattle_status rattle__nondegeneracy_go_on(rattle__nondegeneracy *w, const double *z1, rattle_error *error) {
  const rattle__linear *N = matrix_at(w, z1);
  if (!N || !w->A) return RATTLE_OK;
  if (negative_eigenvalues(w, N, w->before) == negative_eigenvalues(w, N, N->value)) {
    memcpy(w->before, N->value, (size_t)N->nnz * sizeof(double));
    return RATTLE_OK;
  }
  double smallest = 0;
  (void)rattle__probe_nondegeneracy(w->context->probe, &smallest, NULL, NULL);
  return rattle__fail(error, RATTLE_DEGENERATE, rattle_problem_constraint_name(w->context->problem, 0),
                      "the step passes a degenerate point: the matrix N = {{H,g_i},g_j}, with smallest singular value %.3g at "
                      "the end of the step, has different numbers of positive and negative eigenvalues at its start and its end. "
                      "The equations do not determine the motion beyond such a point",
                      smallest);
}
