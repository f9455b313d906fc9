/* second_class(map): constraints g = (phi, psi) whose brackets {g_i,g_j} form an invertible matrix.
 *
 * Map      rattle(map) for (H~, phi), H~ = H + a^T psi + 1/2 psi^T (K + S) psi
 *          (second_class_model.c); its hidden manifold is psi = 0
 * Symbols  D_lj = {psi_l,phi_j} [k x k]; W = D0^-1 D1 over a step
 * Source   the problem is left open in R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found.
 *          Comput. Math. 14 (2014) 339, section 6
 * Claims   order min(2, r) for a map of order r, symplectic on g = 0, symmetric, g = 0 at round-off
 * Needs    expressions; an involutive half phi of g; D well away from singular
 * Cost     rattle(map) for a Hamiltonian that is not separable; and g' once a step, for the guard
 * Fails    where the step ends off g = 0, or D changes so much over a step (|W - I| > 1/2) that its
 *          sign cannot be trusted: there D is nearly singular, or the step is too long */
#include "maps/wrap/second_class.h"

#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "ground/support/eliminate.h"
#include "problem/functions/split.h"

/* How far, relative to z, a step may end from g = 0: round-off is far below, another sheet far
 * above. */
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
  return rattle__answer(answer, "constraint", error);
}

/* 1/|D^-1| with gradients of length 1: the smallest singular value of D up to a factor of the root
 * of k */
static double smallness(second_class *s, const double *D) {
  int k = s->k;
  double *A = s->factor, *B = A + k * k, sum = 0;
  memset(B, 0, (size_t)(k * k) * sizeof *B);
  for (int l = 0; l < k; l++) {
    B[l * k + l] = 1;
    for (int j = 0; j < k; j++)
      A[l * k + j] = D[l * k + j] / (s->norm[s->split->psi[l]] * s->norm[s->split->phi[j]]);
  }
  if (rattle__eliminate(k, k, A, B)) return 0;
  for (int e = 0; e < k * k; e++) sum += B[e] * B[e];
  return 1 / sqrt(sum);
}

/* |W - I| in the Frobenius norm */
static double turned(second_class *s) {
  int k = s->k;
  double *A = s->factor, *B = A + k * k, sum = 0;
  memcpy(A, s->D[0], (size_t)(k * k) * sizeof *A);
  memcpy(B, s->D[1], (size_t)(k * k) * sizeof *B);
  if (rattle__eliminate(k, k, A, B)) return INFINITY;
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
  rattle__fail(error, RATTLE_DEGENERATE, name,
               "the matrix {phi_i,psi_j} of the second-class constraints (phi: '%s'%s) changes by "
               "%.2g of itself in this step; "
               "its smallest singular value is %.3g before and %.3g after it (gradients of length "
               "1): it is nearly singular, or "
               "the step is too long",
               name, s->k > 1 ? ", ..." : "", W, before, after);
  if (error) error->constraint = s->split->phi[0];
  return RATTLE_DEGENERATE;
}

/* The inner map's message about its own constraints and Hamiltonian, in terms of the user's. */
static void translate(second_class *s, rattle_error *error) {
  if (!error) return;
  if (error->constraint >= 0) error->constraint = s->split->phi[error->constraint];
  if (error->status != RATTLE_DEGENERATE && error->status != RATTLE_SINGULAR &&
      error->status != RATTLE_NOT_CONVERGED)
    return;
  rattle_error inner = *error;
  char where[sizeof inner.where];
  memcpy(where, inner.where, sizeof where);
  rattle__fail(error, inner.status, where,
               "the step did not converge: the second-class constraints are nearly degenerate (the "
               "smallest singular value of "
               "{phi_i,psi_j} is %.3g at its start, gradients of length 1), or the step is too "
               "long; for the extended Hamiltonian, %s",
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
    rattle__fail(error, RATTLE_DEGENERATE, name,
                 "the step ended at a point that violates constraint '%s' (its value is %.3g), on "
                 "another sheet of the extended "
                 "problem: {phi_i,psi_j} is nearly singular (smallest singular value %.3g), or the "
                 "step is too long",
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

/* Adds the counts of the inner map to the integrator's. */
static void take_counts(second_class *s) {
  rattle_counts *to = &s->map.context->counts, *from = &s->context.counts;
#define COUNT(name, text) to->name += from->name;
#include "rattle/counts.def"
#undef COUNT
  rattle_residuals *seen = &s->map.context->residuals;
  seen->iteration_residual =
      fmax(seen->iteration_residual, s->context.residuals.iteration_residual);
  s->context.counts = (rattle_counts){0};
  s->context.residuals = (rattle_residuals){0};
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  second_class *s = map->self;
  size_t nz = 2 * (size_t)s->n;
  rattle_status status = RATTLE_OK;
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
                        "second_class needs H and g as expressions, and this problem consists of "
                        "callbacks: write a model");
  if (!split)
    return rattle__fail(error, RATTLE_UNSUITABLE, where,
                        "second_class needs constraints whose matrix {g_i,g_j} is invertible, and "
                        "that of this %s problem is "
                        "not: use rattle(...)",
                        rattle_problem_kind_name(problem));
  if (!split->involutive)
    return rattle__fail(error, RATTLE_UNSUITABLE, where,
                        "second_class needs one half of the constraints to be in involution, "
                        "{phi_i,phi_j} = 0 on phi = 0, and "
                        "no half is: rewrite the constraints so that one is");
  return RATTLE_OK;
}

/* The problem of (H~, phi) and rattle of the inner map for it. */
static rattle_status make_inner(second_class *s, const rattle__node *node, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  rattle_problem_options options = {
      .struct_size = sizeof options,
      .evaluator = problem->H->native ? RATTLE_EVALUATOR_AUTO : RATTLE_EVALUATOR_BLOCK,
      .steps = problem->evaluator == RATTLE__CACHED}; /* too few to compile for */
  rattle_status status = rattle__second_class_model(&s->model, problem, error);
  if (!status) status = rattle_problem_create(&s->problem, s->model, &options, error);
  if (status) return status;
  s->context = (rattle__context){
      .problem = s->problem, .solver = "none", .compile = s->map.context->compile};
  s->context.asked.unproved = 1; /* {g_i, g_j} is judged, and its certificate is none of the map */
  status = rattle__along_fibres_create(&s->inner, &s->context, node, RATTLE__PROJECT_STEP, error);
  if (!status && s->context.arena.failed) status = rattle__no_memory(error);
  s->map.context->solver = s->context.solver;
  return status;
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle_status status = refuse(problem, error);
  if (status) return status;
  second_class *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (second_class){
      .split = problem->split, .n = problem->n, .m = problem->m, .k = problem->split->k};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  *map = &s->map;
  size_t nz = 2 * (size_t)s->n, m = (size_t)s->m, kk = (size_t)s->k * (size_t)s->k;
  const rattle__array arrays[] = {
      {&s->z, nz},    {&s->g, m},     {&s->J, (size_t)problem->g->jac_nnz},
      {&s->D[0], kk}, {&s->D[1], kk}, {&s->factor, 2 * kk},
      {&s->norm, m},  {&s->room, nz}, {&s->work, problem->g->work}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return rattle__no_memory(error);
  status = make_inner(s, node, error);
  if (status) return status;
  s->map.symmetric = s->inner->symmetric;
  return RATTLE_OK;
}

static rattle_claims claims(const rattle__node *node, rattle_claims inner) {
  rattle_claims own = rattle__along_fibres_claims(node, inner);
  own.explicit_ = 0; /* its Hamiltonian is never separable */
  own.proved = 0;    /* its equations are those of the halves of the constraints */
  return own;
}

const rattle__wrapper rattle__wrapper_second_class = {.care = RATTLE__SLIDES,
                                                      .other_hamiltonian = 1,
                                                      .claims = claims,
                                                      .sensible = rattle__along_fibres_sensible,
                                                      .create = create,
                                                      .explain_order = rattle__along_fibres_order,
                                                      .explain_claims =
                                                          rattle__along_fibres_tolerance,
                                                      .explain_cost = rattle__along_fibres_cost};
