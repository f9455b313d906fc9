/* N from one end of a step to the other.
 *
 * Symbols  N0, N1 = {{H,g_i},g_j} at the ends [m x m]; E = N1^-1 N0 - 1
 * Doubt    |tr E| or |tr E^2|^(1/2) above 1/2 (neither depends on how the constraints are scaled);
 *          for m > 8 |E v|, and the growth of E^k v, along the multipliers and along one fixed
 *          direction; and det N by more than half in the middle or at the end. E is large too where
 *          rows that nearly depend on each other turn together, as those of a body: det N = det (G
 *          M^-1 G^T) is another only where they come nearer to each other
 * Verdict  the number of eigenvalues that are not positive: 0 or m where sparse factors are
 *          definite, else by factors of the dense matrix (inertia.h)
 * Cost     if nothing is found: m solves with N1, for m > 8 two; N1 itself is what the next step
 *          begins with */
#include "constraint/guard/nondegeneracy.h"

#include "constraint/guard/inertia.h"
#include "constraint/guard/power_iteration.h"
#include "constraint/guard/rules/rules.h"

#include <math.h>
#include <string.h>

rattle_status rattle__nondegeneracy_create(rattle__nondegeneracy **guard, rattle__context *context,
                                           rattle_error *error) {
  rattle__arena *arena = &context->arena;
  rattle__nondegeneracy *w = rattle__arena_take(arena, sizeof *w);
  rattle_status status = rattle__context_probe(context, error);
  *guard = w;
  if (status || !w) return status ? status : rattle__no_memory(error);
  size_t m = (size_t)context->problem->m;
  const rattle__bracket *bracket = context->probe->bracket;
  *w = (rattle__nondegeneracy){.context = context, .m = (int)m, .known = -1};
  w->before = rattle__arena_doubles(arena, bracket ? (size_t)bracket->N->nnz : 0);
  w->z = rattle__arena_doubles(arena, 2 * (size_t)context->problem->n);
  w->vector = rattle__arena_doubles(arena, 2 * m);
  if (m <= RATTLE__FEW) w->E = rattle__arena_doubles(arena, m * m);
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__nondegeneracy_create_counting(rattle__nondegeneracy **guard,
                                                    rattle__context *context, rattle_error *error) {
  const rattle_status status = rattle__nondegeneracy_create(guard, context, error);
  const rattle__bracket *bracket = status ? NULL : context->probe->bracket;
  rattle__nondegeneracy *w = *guard;
  if (status || !bracket) return status;
  const rattle__linear *N = bracket->N;
  w->counts = 1;
  if (!strcmp(N->name, "dense")) {
    w->A = rattle__arena_doubles(&context->arena, (size_t)w->m * (size_t)w->m);
    return w->A ? RATTLE_OK : rattle__no_memory(error);
  }
  if (!N->symmetric) return RATTLE_OK;
  return rattle__linear_create(&w->sparse, w->m, N->ptr, N->col, 1, RATTLE__LINEAR_LDL, error);
}

void rattle__nondegeneracy_destroy(rattle__nondegeneracy *w) {
  if (w) rattle__linear_destroy(&w->sparse);
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
  w->known = -1;
  if (N) memcpy(w->before, N->value, (size_t)N->nnz * sizeof(double));
}

/* y = N0 v, then E v */
static void change_along(const rattle__nondegeneracy *w, rattle__linear *N, const double *before,
                         const double *v, double *y) {
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
static int changed_along(rattle__nondegeneracy *w, rattle__linear *N, const double *before,
                         double *v, double *y) {
  double most = 0, change_of_v = 0;
  change_along(w, N, before, v, y);
  for (int i = 0; i < w->m; i++) {
    most = fmax(most, fabs(v[i]));
    if (!(fabs(y[i]) <= change_of_v)) change_of_v = fabs(y[i]);
  }
  return !(change_of_v <= rattle__N_changes * most) &&
         rattle__spectral_radius_above_half(w->m, change, &(two_ends){w, N, before}, v, y);
}

/* True if E, with `before` for N0 and N, factored, for N1, is large. */
static int changed(rattle__nondegeneracy *w, rattle__linear *N, const double *before,
                   const double *lambda) {
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
  *sign = rattle__linear_sign(N);
  *log_size = N->log_size(N);
  return 1;
}

static void find_middle(rattle__nondegeneracy *w, const double *z0, const double *z1) {
  for (int i = 0; i < 2 * w->context->problem->n; i++) w->z[i] = 0.5 * (z0[i] + z1[i]);
}

/* True if det N changes on the way, sampled in the middle of the straight line between the ends and
 * at them. */
static int volume_changed(rattle__nondegeneracy *w, const double *z0, const double *z1) {
  int sign[3];
  double size[3];
  find_middle(w, z0, z1);
  const double *at[3] = {z0, w->z, z1};
  for (int k = 0; k < 3; k++) {
    if (!volume(w, at[k], &sign[k], &size[k])) return 1;
    if (sign[k] != sign[0] || !(fabs(size[k] - size[0]) <= log(1 + rattle__N_changes))) return 1;
  }
  return 0;
}

/* True if N at z1 differs from `before`, or is singular. */
static int changed_at(rattle__nondegeneracy *w, const double *z1, const double *lambda) {
  rattle__linear *N = matrix_at(w, z1);
  if (!N) return 0;
  if (rattle__probe_multipliers(w->context->probe, NULL, NULL))
    return 1; /* N1 is singular; if not, it is factored now */
  return changed(w, N, w->before, lambda);
}

int rattle__nondegeneracy_doubtful(rattle__nondegeneracy *w, const double *z1,
                                   const double *lambda) {
  return changed_at(w, z1, lambda) && volume_changed(w, w->z0, z1);
}

int rattle__nondegeneracy_returned(rattle__nondegeneracy *w, const double *z0, const double *z1,
                                   const double *lambda) {
  find_middle(w, z0, z1);
  const rattle__linear *N = matrix_at(w, w->z);
  if (!N) return 0;
  memcpy(w->before, N->value, (size_t)N->nnz * sizeof(double));
  return changed_at(w, z1, lambda);
}

/* N as a sparse system of its own; 1, 0: whether it is definite; then *count is the number of
 * eigenvalues that are not positive. */
static int count_definite(rattle__nondegeneracy *w, const double *value, int *count) {
  rattle__linear *a = w->sparse;
  if (!a) return 0;
  memcpy(a->value, value, (size_t)a->nnz * sizeof(double));
  const int sign = a->factor(a) ? 0 : a->definite(a);
  *count = sign > 0 ? 0 : w->m;
  return sign != 0;
}

/* How many eigenvalues of the symmetric part of N with those values are not positive. */
static rattle_status count(rattle__nondegeneracy *w, const rattle__linear *N, const double *value,
                           int *count, rattle_error *error) {
  const size_t m = (size_t)w->m;
  if (count_definite(w, value, count)) return RATTLE_OK;
  if (!w->A) w->A = rattle__arena_doubles(&w->context->arena, m * m);
  if (!w->A) return rattle__no_memory(error);
  memset(w->A, 0, m * m * sizeof *w->A);
  for (int i = 0; i < w->m; i++)
    for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) {
      w->A[(size_t)i * m + (size_t)N->col[e]] += 0.5 * value[e];
      w->A[(size_t)N->col[e] * m + (size_t)i] += 0.5 * value[e];
    }
  *count = rattle__not_positive(w->m, w->A);
  return RATTLE_OK;
}

rattle_status rattle__nondegeneracy_crossed(rattle__nondegeneracy *w, const double *z1,
                                            int *crossed, rattle_error *error) {
  const rattle__linear *N = matrix_at(w, z1);
  int now = 0;
  *crossed = 0;
  if (!N || !w->counts) return RATTLE_OK;
  rattle_status status = w->known < 0 ? count(w, N, w->before, &w->known, error) : RATTLE_OK;
  if (!status) status = count(w, N, N->value, &now, error);
  *crossed = now != w->known;
  return status;
}

rattle_status rattle__nondegeneracy_go_on(rattle__nondegeneracy *w, const double *z1,
                                          rattle_error *error) {
  int crossed;
  const rattle_status status = rattle__nondegeneracy_crossed(w, z1, &crossed, error);
  const rattle__linear *N = matrix_at(w, z1);
  if (status || !N) return status;
  if (!crossed) {
    memcpy(w->before, N->value, (size_t)N->nnz * sizeof(double));
    return RATTLE_OK;
  }
  double smallest = 0;
  (void)rattle__probe_nondegeneracy(w->context->probe, &smallest, NULL, NULL);
  return rattle__fail(error, RATTLE_DEGENERATE,
                      rattle_problem_constraint_name(w->context->problem, 0),
                      "the step passes a degenerate point: the matrix N = {{H,g_i},g_j}, with "
                      "smallest singular value %.3g at "
                      "the end of the step, has different numbers of positive and negative "
                      "eigenvalues at its start and its end. "
                      "The equations do not determine the motion beyond such a point",
                      smallest);
}
