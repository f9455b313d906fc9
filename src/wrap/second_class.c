/* second_class(map): constraints g = (phi, psi) whose brackets {g_i,g_j} form an invertible matrix.
 *
 * Map      rattle(map) for (H~, phi), H~ = H + a^T psi + 1/2 psi^T (K + S) psi (second_class_model.c); its hidden manifold is
 *          psi = 0
 * Symbols  D_lj = {psi_l,phi_j} [k x k]; W = D0^-1 D1 over a step
 * Source   the problem is left open in R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339,
 *          section 6
 * Claims   order 2 for a symmetric map, symplectic on g = 0, symmetric, g = 0 at round-off
 * Needs    expressions; an involutive half phi of g; D well away from singular
 * Cost     rattle(map) for a Hamiltonian that is not separable; and g' once a step, for the guard
 * Fails    where the step ends off g = 0, or D changes so much over a step (|W - I| > 1/2) that its sign cannot be trusted:
 *          there D is nearly singular, or the step is too long */
#include "wrap/second_class.h"

#include <math.h>
#include <string.h>

#include "core/probe.h"
#include "core/problem_split.h"
#include "wrap/compile.h"

/* How far, relative to z, a step may end from g = 0: round-off is far below, another sheet far above. */
static const double off = 1e-8, change = 0.5;

typedef struct second_class {
  rattle__map map;
  rattle_model *model;     /* of (H~, phi) */
  rattle_problem *problem; /* of it */
  rattle__context context; /* for it */
  rattle__map *inner;
  const rattle__halves *split;
  int n, m, k;
  int known; /* D[0] belongs to z */
  double *z, *g, *J, *D[2], *factor, *norm, *room, *work;
} second_class;

/* g, its gradients' lengths and D at z */
static rattle_status look(second_class *s, const double *z, double *D, rattle_error *error) {
  const rattle__function *g = s->map.context->problem->g;
  int answer = g->jacobian(g, z, s->g, s->J, s->work);
  s->map.context->counts.jacobian++;
  rattle__halves_brackets(s->split, g, s->n, s->J, s->room, D, s->norm);
  return answer ? rattle__callback_error(answer, "constraint", error) : RATTLE_OK;
}

/* B <- A^-1 B by elimination with partial pivoting, A [k*k] is destroyed; nonzero where A is singular. */
static int eliminate(int k, double *A, double *B) {
  for (int c = 0; c < k; c++) {
    int pivot = c;
    for (int r = c + 1; r < k; r++)
      if (fabs(A[r * k + c]) > fabs(A[pivot * k + c])) pivot = r;
    if (!(fabs(A[pivot * k + c]) > 0)) return 1;
    for (int e = 0; e < k && pivot != c; e++) {
      double t = A[c * k + e], u = B[c * k + e];
      A[c * k + e] = A[pivot * k + e];
      A[pivot * k + e] = t;
      B[c * k + e] = B[pivot * k + e];
      B[pivot * k + e] = u;
    }
    for (int r = 0; r < k; r++) {
      double f = r == c ? 0 : A[r * k + c] / A[c * k + c];
      for (int e = 0; e < k && f != 0; e++) {
        A[r * k + e] -= f * A[c * k + e];
        B[r * k + e] -= f * B[c * k + e];
      }
    }
  }
  for (int r = 0; r < k; r++)
    for (int e = 0; e < k; e++) B[r * k + e] /= A[r * k + r];
  return 0;
}

/* 1/|D^-1| with gradients of length 1: the smallest singular value of D up to a factor of the root of k */
static double smallness(second_class *s, const double *D) {
  int k = s->k;
  double *A = s->factor, *B = A + k * k, sum = 0;
  memset(B, 0, (size_t)(k * k) * sizeof *B);
  for (int l = 0; l < k; l++) {
    B[l * k + l] = 1;
    for (int j = 0; j < k; j++) A[l * k + j] = D[l * k + j] / (s->norm[s->split->psi[l]] * s->norm[s->split->phi[j]]);
  }
  if (eliminate(k, A, B)) return 0;
  for (int e = 0; e < k * k; e++) sum += B[e] * B[e];
  return 1 / sqrt(sum);
}

/* |W - I| in the Frobenius norm */
static double turned(second_class *s) {
  int k = s->k;
  double *A = s->factor, *B = A + k * k, sum = 0;
  memcpy(A, s->D[0], (size_t)(k * k) * sizeof *A);
  memcpy(B, s->D[1], (size_t)(k * k) * sizeof *B);
  if (eliminate(k, A, B)) return INFINITY;
  for (int e = 0; e < k * k; e++) {
    double w = B[e] - (e % (k + 1) == 0);
    sum += w * w;
  }
  return sqrt(sum);
}

static rattle_status nearly_singular(second_class *s, double W, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  double before = smallness(s, s->D[0]), after = smallness(s, s->D[1]);
  const char *name = rattle_problem_constraint_name(problem, s->split->phi[0]);
  rattle__fail(
      error, RATTLE_DEGENERATE, name,
      "the matrix {phi_i,psi_j} of the second-class constraints (phi: '%s'%s) changes by %.2g of itself in this step, its "
      "smallest singular value being %.3g before and %.3g after (gradients of length 1): it is nearly singular, or the "
      "step is too long",
      name, s->k > 1 ? ", ..." : "", W, before, after);
  if (error) error->constraint = s->split->phi[0];
  return RATTLE_DEGENERATE;
}

/* What the inner map says of its own constraints and Hamiltonian, in terms of the user's. */
static void translate(second_class *s, rattle_error *error) {
  if (!error) return;
  if (error->constraint >= 0) error->constraint = s->split->phi[error->constraint];
  if (error->status != RATTLE_DEGENERATE && error->status != RATTLE_SINGULAR && error->status != RATTLE_NOT_CONVERGED) return;
  rattle_error inner = *error;
  char where[sizeof inner.where];
  memcpy(where, inner.where, sizeof where);
  rattle__fail(
      error, inner.status, where,
      "the step was not found: the smallest singular value of {phi_i,psi_j} is %.3g at its start (gradients of length 1; "
      "where that is small the second-class constraints are nearly degenerate), or the step is too long; for the extended "
      "Hamiltonian, %s",
      smallness(s, s->D[0]), inner.message);
  error->iterations = inner.iterations;
  error->residual = inner.residual;
  error->constraint = inner.constraint;
}

/* g, psi and D at the end of the step against those at its start. */
static rattle_status check(second_class *s, const double *z1, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  rattle_residuals *seen = &s->map.context->residuals;
  double size = 0;
  for (int c = 0; c < 2 * s->n; c++) size = fmax(size, fabs(z1[c]));
  for (int i = 0; i < s->m; i++) {
    if (fabs(s->g[i]) <= off * size * s->norm[i]) continue;
    const char *name = rattle_problem_constraint_name(problem, i);
    rattle__fail(
        error, RATTLE_DEGENERATE, name,
        "the step ended off constraint '%s' (its value is %.3g), on another sheet of the extended problem: {phi_i,psi_j} is "
        "nearly singular (smallest singular value %.3g), or the step is too long",
        name, s->g[i], smallness(s, s->D[1]));
    if (error) error->constraint = i;
    return RATTLE_DEGENERATE;
  }
  double W = turned(s);
  if (!(W <= change)) return nearly_singular(s, W, error);
  for (int i = 0; i < s->m; i++) seen->g = fmax(seen->g, fabs(s->g[i]));
  for (int l = 0; l < s->k; l++) seen->psi = fmax(seen->psi, fabs(s->g[s->split->psi[l]]));
  return RATTLE_OK;
}

/* What the inner map counted, into the integrator's. */
static void take_counts(second_class *s) {
  rattle_counts *to = &s->map.context->counts, *from = &s->context.counts;
  to->gradient += from->gradient;
  to->hessian += from->hessian;
  to->constraint += from->constraint;
  to->jacobian += from->jacobian;
  to->factorisation += from->factorisation;
  to->newton_iterations += from->newton_iterations;
  to->position_projections += from->position_projections;
  to->momentum_projections += from->momentum_projections;
  to->followed += from->followed;
  rattle_residuals *seen = &s->map.context->residuals;
  seen->iteration_residual = fmax(seen->iteration_residual, s->context.residuals.iteration_residual);
  s->context.counts = (rattle_counts){0};
  s->context.residuals = (rattle_residuals){0};
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  second_class *s = map->self;
  size_t nz = 2 * (size_t)s->n;
  rattle_status status = RATTLE_OK;
  map->context->clock++;
  s->context.clock++;
  if (!s->known || memcmp(z0, s->z, nz * sizeof *z0)) status = look(s, z0, s->D[0], error);
  s->known = 0;
  if (status) return status;
  status = s->inner->apply(s->inner, h, z0, z1, error);
  take_counts(s);
  if (status) {
    (void)look(s, z0, s->D[0], NULL); /* the lengths of the gradients are those of z0 again */
    translate(s, error);
    return status;
  }
  status = look(s, z1, s->D[1], error);
  if (!status) status = check(s, z1, error);
  if (status) return status;
  double *swap = s->D[0];
  s->D[0] = s->D[1];
  s->D[1] = swap;
  memcpy(s->z, z1, nz * sizeof *z1);
  s->known = 1;
  return RATTLE_OK;
}

static void destroy(rattle__map *map) {
  second_class *s = map->self;
  if (s->inner && s->inner->destroy) s->inner->destroy(s->inner);
  rattle__probe_destroy(&s->context.probe);
  rattle__arena_release(&s->context.arena);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

static rattle_status refuse(const rattle_problem *problem, rattle_error *error) {
  const rattle__halves *split = problem->split;
  const char *where = "second_class";
  if (!split && !problem->model)
    return rattle__fail(error, RATTLE_UNSUITABLE, where,
                        "second_class needs H and g as expressions, and this problem is made of callbacks: make a model of it");
  if (!split)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, where,
        "second_class is for constraints whose brackets {g_i,g_j} form an invertible matrix, and those of this %s "
        "problem do not: use rattle(...)",
        rattle_problem_kind_name(problem));
  if (!split->involutive)
    return rattle__fail(error, RATTLE_UNSUITABLE, where,
                        "second_class needs half of the constraints to be in involution, {phi_i,phi_j} = 0 where the phi are 0, "
                        "and no half is: write the constraints so that one is");
  return RATTLE_OK;
}

/* The problem of (H~, phi) and rattle of the inner map for it. */
static rattle_status make_inner(second_class *s, const rattle__node *node, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  rattle_problem_options options = {.evaluator = problem->H->native ? RATTLE_EVALUATOR_AUTO : RATTLE_EVALUATOR_BLOCK};
  rattle__node rattle = *node;
  rattle.id = RATTLE__METHOD_rattle;
  rattle_status status = rattle__second_class_model(&s->model, problem, error);
  if (!status) status = rattle_problem_create(&s->problem, s->model, &options, error);
  if (status) return status;
  s->context = (rattle__context){.problem = s->problem, .clock = 1, .solver = "none"};
  status = rattle__compile(&s->inner, &s->context, &rattle, error);
  if (!status && s->context.arena.failed) status = rattle__no_memory(error);
  s->map.context->solver = s->context.solver;
  return status;
}

rattle_status rattle__second_class_create(rattle__map **map, rattle__context *context, const rattle__node *node,
                                          rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle_status status = refuse(problem, error);
  if (status) return status;
  second_class *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (second_class){.split = problem->split, .n = problem->n, .m = problem->m, .k = problem->split->k};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  *map = &s->map;
  size_t nz = 2 * (size_t)s->n, m = (size_t)s->m, kk = (size_t)s->k * (size_t)s->k;
  double **vectors[] = {&s->z, &s->g, &s->J, &s->D[0], &s->D[1], &s->factor, &s->norm, &s->room, &s->work};
  size_t sizes[] = {nz, m, (size_t)problem->g->jac_nnz, kk, kk, 2 * kk, m, nz, problem->g->work};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  if (arena->failed) return rattle__no_memory(error);
  status = make_inner(s, node, error);
  if (status) return status;
  s->map.symmetric = s->inner->symmetric;
  s->map.order = s->inner->order;
  return RATTLE_OK;
}
