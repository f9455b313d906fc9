/* Steps of spark_gauss(s) by contraction, without second derivatives.
 *
 * Map      that of spark_gauss.c
 * Symbols  N = G M^-1 G^T where the step begins, M^-1 G_i^T = H_p(q, G_i) - H_p(q, 0); R =
 *          (sum_i node_ki push_ij)_kj, k = 1 .. s, j < s
 * Iterate  T_k and g(T_k) from the slopes at hand; L += (R^-1 x N^-1) g/h^2; stages from the slopes
 *          and these forces. The matrix of the multipliers is that of a vanishing step, for the
 *          whole step
 * Start    Z_i = z0 + h c_i X_H(z0), L = 0: a step is a pure function of its point. With
 *          guess=past, where the last step ended at z0 and was as long, polynomials through its
 *          stages and its multipliers (maps/base/continued.h); a step that is not found from there
 *          is tried from z0
 * Stop     as in maps/base/contraction.h. Rounding of g is an impulse of its size over h along G^T,
 *          which the slide at the end takes off again: it belongs to the round-off of momenta
 * End      p1 onto psi = 0 by N at q1, whose columns are lanes of the slope there; both serve the
 *          next step
 * Guard    with the fixed matrix B of the whole system, F(x) = 0, the iteration is x - B^-1 F(x):
 *          where it contracts, 1 - B^-1 F' has a spectral radius below 1, so that F' is joined with
 *          B, the limit for vanishing steps, by regular matrices. Its rates are asked by the rule
 *          on residuals of chords, and N by the one on its change from q0 to q1. In any doubt, and
 *          where the iteration fails, the step is that of spark_stages.c, or it fails where the
 *          system of that would be large
 * Cost     an iteration: s gradients of H at once, s Jacobians of g; a step: one matrix of m
 *          unknowns, whose columns are gradients in lanes */
#include "maps/constrained/spark_contraction.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/sizes.h"
#include "ground/support/eliminate.h"
#include "maps/base/contraction.h"

/* g and its Jacobian at T, the place of a node */
static int constrain(rattle__spark_contraction *s, int node) {
  s->map.context->counts.constraint++;
  s->map.context->counts.jacobian++;
  return s->g->jacobian(s->g, s->T, s->value + node * s->m,
                        s->G + (size_t)node * (size_t)s->g->jac_nnz, s->work);
}

/* Stages and multipliers of the last step continued. */
static void continue_past(rattle__spark_contraction *s, const double *z0) {
  rattle__stage_lanes_continue(&s->stages, &s->stages_before, z0);
  for (int k = 0; k < s->s; k++)
    for (int i = 0; i < s->m; i++) s->L[k * s->m + i] = rattle__continued_at(&s->L_before, k, i, 0);
}

/* All that belongs to z0, where the last step did not leave it. */
static int begin(rattle__spark_contraction *s, double h, const double *z0, int continued) {
  const size_t bytes = 2 * (size_t)s->n * sizeof *z0;
  if (!s->known || memcmp(s->begins, z0, bytes) != 0) {
    memcpy(s->T, z0, bytes);
    memcpy(s->begins, z0, bytes);
    RATTLE__SPARK_DOUBT(constrain(s, 0));
    RATTLE__SPARK_DOUBT(rattle__spark_take_N(s, 0, z0));
  }
  s->known = 0; /* the step writes over what is known */
  memcpy(s->before, s->N->value, (size_t)(s->m * s->m) * sizeof *s->before);
  if (continued) {
    continue_past(s, z0);
    return 0;
  }
  memset(s->L, 0, (size_t)(s->s * s->m) * sizeof *s->L);
  const int n = s->n, room = s->stages.lanes * s->stages.blocks;
  double t[2 * RATTLE__STAGES], *along = s->room;
  for (int i = 0; i < room; i++) t[i] = h * s->by.c[i < s->s ? i : s->s - 1];
  for (int c = 0; c < n; c++) along[c] = s->slope[n + c], along[n + c] = -s->slope[c];
  rattle__stage_lanes_begin(&s->stages, t, z0, along);
  return 0;
}

/* change <- (R^-1 x N^-1) x/h^2, x [s][m] of nodes 1 .. s, which is lost */
static void solve_multipliers(rattle__spark_contraction *s, double h, double *x, double *change) {
  const int m = s->m;
  for (int k = 0; k < s->s; k++) s->N->solve(s->N, x + k * m);
  for (int k = 0; k < s->s; k++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int j = 0; j < s->s; j++) sum += s->inverse[k * s->s + j] * x[j * m + i];
      change[k * m + i] = sum / (h * h);
    }
}

/* Nodes, multipliers and forces from the slopes at the stages. */
static int pull(rattle__spark_contraction *s, double h, const double *z0) {
  const int n = s->n, m = s->m;
  double unused[2][2];
  s->nodes.improve(&s->nodes, 1, h, z0, unused);
  for (int k = 1; k <= s->s; k++) {
    const double *node = s->nodes.Z + rattle__stage_entry(&s->nodes, k - 1, 0);
    for (int c = 0; c < n; c++) s->T[c] = node[c * s->nodes.lanes];
    memcpy(s->T + n, z0 + n, (size_t)n * sizeof *z0);
    RATTLE__SPARK_DOUBT(constrain(s, k));
  }
  memcpy(s->E, s->value + m, (size_t)(s->s * m) * sizeof *s->E);
  solve_multipliers(s, h, s->E, s->change);
  memset(s->pull, 0, (size_t)(s->s * n) * sizeof *s->pull);
  for (int k = 0; k < s->s; k++)
    for (int i = 0; i < m; i++)
      for (int c = 0; c < n; c++) s->pull[k * n + c] += s->change[k * m + i] * s->V[i * n + c];
  s->stages.forces[0].a = h * h;
  for (int i = 0; i < s->s * m; i++) s->L[i] += s->change[i];
  memset(s->force, 0, (size_t)(s->s * n) * sizeof *s->force);
  for (int k = 0; k < s->s; k++) rattle__spark_pull(s, k, 1, s->L + k * m, s->force + k * n);
  s->stages.forces[1].a = h;
  return 0;
}

/* An iteration; found: sizes, as rattle__stage_lanes.improve says. */
static int improve(rattle__spark_contraction *s, double h, const double *z0, double found[2][2]) {
  RATTLE__SPARK_DOUBT(
      rattle__stage_lanes_evaluate(&s->stages, s->H, s->room, s->room + 2 * s->n, s->work));
  s->map.context->counts.gradient += s->s;
  s->map.context->counts.newton_iterations++;
  RATTLE__SPARK_DOUBT(pull(s, h, z0));
  s->stages.improve(&s->stages, 2, h, z0, found);
  return 0;
}

/* The larger of the changes of an iteration, in units of round-off. */
static double change_of(double found[2][2], const double size[2]) {
  const double q = found[0][0] / (DBL_EPSILON * fmax(size[0], found[1][0]) + DBL_MIN),
               p = found[0][1] / (DBL_EPSILON * fmax(size[1], found[1][1]) + DBL_MIN);
  return q <= p || p != p ? p : q;
}

/* Stages and multipliers; 0, or doubt. The first iteration finds the multipliers to begin with.
 * Coordinates move by velocities and these by forces: two iterations are a pass, the change of
 * which is the larger of both, and passes follow each other from each iteration on. */
static int solve(rattle__spark_contraction *s, double h, const double *z0) {
  double passes[2][RATTLE__ITERATIONS + 1], size[2], found[2][2], open = INFINITY;
  int raised = 0;
  RATTLE__SPARK_DOUBT(improve(s, h, z0, found));
  rattle__spark_measure_g(s, z0);
  rattle__spark_measure(s, h, z0, size);
  RATTLE__SPARK_DOUBT(improve(s, h, z0, found));
  double before = change_of(found, size);
  for (int i = 0;; i++) {
    const int k = i / 2;
    double *r = passes[i % 2];
    RATTLE__SPARK_DOUBT(improve(s, h, z0, found));
    const double change = change_of(found, size);
    r[k] = before > change ? before : change;
    before = change;
    if (k && rattle__fell_slowly(r[0], r[k - 1], r[k], k + 1, rattle__doubt_chord, 0)) return 1;
    const double open_before = open;
    open = rattle__spark_residual(s);
    const int stagnates = rattle__changes_stagnate(r, k),
              ended = rattle__contracted(r, k) || (stagnates && r[k] < RATTLE__ENOUGH);
    if (stagnates && !raised && (!ended || !(open < RATTLE__ENOUGH))) {
      RATTLE__SPARK_DOUBT(rattle__spark_raise_g(s, h, z0));
      rattle__spark_measure(s, h, z0, size);
      raised = 1;
    }
    if (ended && (raised ? rattle__spark_residual(s) < RATTLE__ENOUGH_OF_ALL
                         : rattle__has_succeeded(open, open_before, i))) {
      rattle_residuals *seen = &s->map.context->residuals;
      seen->iteration_residual = fmax(seen->iteration_residual, rattle__rate(r, k) * r[k]);
      return 0;
    }
    if (rattle__contracts_in_vain(r, k)) return 1;
  }
}

static int finish(rattle__spark_contraction *s, double h, const double *z0, double *z1) {
  const int n = s->n, m = s->m;
  double largest = 0;
  rattle__spark_end(s, h, z0);
  for (int i = s->s * m; i < (s->s + 1) * m; i++) largest = fmax(largest, fabs(s->value[i]));
  if (rattle__spark_take_N(s, s->s, s->z) || rattle__spark_slide(s, s->z) ||
      rattle__spark_N_turned(s))
    return 1;
  memcpy(z1, s->z, 2 * (size_t)n * sizeof *z1);
  memcpy(s->begins, z1, 2 * (size_t)n * sizeof *z1);
  memcpy(s->G, s->G + s->s * s->g->jac_nnz, (size_t)s->g->jac_nnz * sizeof *s->G);
  s->known = 1;
  s->map.context->residuals.g = fmax(s->map.context->residuals.g, largest);
  s->map.context->counts.position_projections++;
  s->map.context->counts.momentum_projections++;
  return 0;
}

/* True if the step is found without doubt from that guess. */
static int takes(rattle__spark_contraction *s, double h, const double *z0, double *z1,
                 int continued) {
  return !begin(s, h, z0, continued) && !solve(s, h, z0) && !finish(s, h, z0, z1);
}

/* The stages and multipliers for the next step; h 0: they are not known. */
static void remember(rattle__spark_contraction *s, double h) {
  double *Z = s->stages_before.memory, *L = s->L_before.memory;
  if (!Z) return;
  Z[0] = L[0] = h;
  rattle__stage_lanes_read(&s->stages, Z + 1);
  memcpy(L + 1, s->L, (size_t)(s->s * s->m) * sizeof *L);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  rattle__spark_contraction *s = map->self;
  const double *past = s->stages_before.memory;
  const int known = past && past[0] == h;
  if ((known && takes(s, h, z0, z1, 1)) || takes(s, h, z0, z1, 0)) {
    remember(s, h);
    return RATTLE_OK;
  }
  if (s->general) {
    const rattle_status status = s->general->apply(s->general, h, z0, z1, error);
    if (!status) remember(s, 0);
    return status;
  }
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                      "the stages and multipliers of the step do not contract without doubt: use a "
                      "smaller step");
}

static void destroy(rattle__map *map) {
  rattle__spark_contraction *s = map->self;
  rattle__linear_destroy(&s->N);
  if (s->general && s->general->destroy) s->general->destroy(s->general);
}

static rattle_status plan_N(rattle__spark_contraction *s, rattle_error *error) {
  rattle__arena *arena = &s->map.context->arena;
  const int m = s->m;
  int *ptr = rattle__arena_take(arena, (size_t)(m + 1 + m * m) * sizeof *ptr);
  if (!ptr) return rattle__no_memory(error);
  int *col = ptr + m + 1;
  for (int i = 0; i <= m; i++) ptr[i] = i * m;
  for (int e = 0; e < m * m; e++) col[e] = e % m;
  return rattle__linear_create(&s->N, m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}

/* R^-1 */
static void plan_multipliers(rattle__spark_contraction *s) {
  rattle__spark_limit limit;
  double R[RATTLE__STAGES * RATTLE__STAGES];
  rattle__spark_limits(&s->by, &limit);
  for (int i = 0; i < s->s; i++)
    for (int j = 0; j < s->s; j++) {
      R[i * s->s + j] = limit.matrix[i][j];
      for (int e = 0; e < s->s; e++) s->bend[i][j] += s->by.a[i][e] * s->by.push[e][j];
      s->inverse[i * s->s + j] = i == j;
    }
  rattle__eliminate(s->s, s->s, R, s->inverse);
}

rattle_status rattle__spark_contraction_create(rattle__map **map, rattle__context *context,
                                               const rattle__spark_scheme *scheme,
                                               rattle__map *general, int remembers,
                                               rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle__spark_contraction *s = rattle__arena_take(arena, sizeof *s);
  if (!s) {
    if (general && general->destroy) general->destroy(general);
    *map = NULL;
    return rattle__no_memory(error);
  }
  *s = (rattle__spark_contraction){.general = general,
                                   .by = *scheme,
                                   .H = problem->H,
                                   .g = problem->g,
                                   .n = problem->n,
                                   .m = problem->m,
                                   .s = scheme->stages};
  s->map = (rattle__map){
      .context = context, .apply = apply, .destroy = destroy, .symmetric = 1, .self = s};
  *map = &s->map;
  rattle__stage_lanes_create(&s->stages, arena, problem, s->s);
  rattle__stage_lanes_create(&s->nodes, arena, problem, s->s);
  rattle__stage_lanes_create(&s->columns, arena, problem, s->m + 2);
  const size_t n = (size_t)s->n, m = (size_t)s->m, nodes = (size_t)s->s + 1,
               scratch = (m > nodes ? m : nodes) * m + m;
  const rattle__array arrays[] = {{&s->begins, 2 * n},
                                  {&s->slope, 2 * n},
                                  {&s->G, nodes * (size_t)s->g->jac_nnz},
                                  {&s->T, 2 * n},
                                  {&s->value, nodes * m},
                                  {&s->small, nodes * m},
                                  {&s->L, nodes * m},
                                  {&s->change, nodes * m},
                                  {&s->force, nodes * n},
                                  {&s->pull, nodes * n},
                                  {&s->V, m * n},
                                  {&s->noise, 2 * nodes * n},
                                  {&s->z, 2 * n},
                                  {&s->before, m * m},
                                  {&s->E, scratch},
                                  {&s->room, 4 * n + 2 * m},
                                  {&s->work, s->H->work > s->g->work ? s->H->work : s->g->work}};
  RATTLE__LAY_OUT(arena, arrays);
  if (remembers) {
    rattle__continued_create(&s->stages_before, context, s->by.c, s->s, 2 * s->n, 1);
    rattle__continued_create(&s->L_before, context, s->by.time, s->s, s->m, 0);
  }
  s->unit = rattle__unit_create(context);
  if (arena->failed) return rattle__no_memory(error);
  rattle__stage_lanes_weigh(&s->stages, 0, s->by.a, 0);
  rattle__stage_lanes_weigh(&s->stages, 1, s->by.ahat, 0);
  rattle__stage_lanes_weigh(&s->nodes, 0, s->by.node, 1);
  s->nodes.J = s->stages.J;
  plan_multipliers(s);
  rattle__stage_lanes_push(&s->stages, arena, 0, s->bend, s->pull);
  rattle__stage_lanes_push(&s->stages, arena, 1, s->by.push, s->force);
  if (arena->failed) return rattle__no_memory(error);
  return plan_N(s, error);
}
