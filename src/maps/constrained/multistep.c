/* Symmetric multistep methods of order K = 4, 6, 8 for natural problems, with constraints or
 * without.
 *
 * Map      rho(E) q_n = h^2 sigma(E) M^-1 (f - G^T lambda)_n,  g(q_{n+K}) = 0;  (q_n, p_n) ->
 *          (q_{n+1}, p_{n+1}) with
 *          h v_n = sum_d slope_d (D_{n+d} + D_{n-1-d}),  p_n = M v_n slid along its fibre onto psi
 *          = 0
 * Symbols f = -V_q; D_j = q_{j+1} - q_j; L = K/2; rho(z) = (z-1)^2 pi(z); G = g_q; a_j = M^-1 (f -
 * G^T lambda)_j
 * Source   P. Console, E. Hairer, C. Lubich, Numer. Math. 124 (2013) 517; the sums: Hairer, Lubich,
 *          Wanner, Geometric Numerical Integration, XV.1
 * Claims   order K; keeps g and psi. Symmetric as multistep methods are: a run that is turned round
 *          (h to -h) retraces its points to round-off, but for the momenta of the first one, which
 *          were given. Not symplectic, yet without drift of the energy over long times
 * Needs    natural H, g(q)
 * Cost     one V_q, one solve for lambda (2 evaluations of g and G from extrapolated multipliers),
 *          one for psi = 0. The first step, and each with another h or from elsewhere: two steps of
 *          kahan_li8(rattle(verlet)) and the places between (multistep_start.c), 35 + 3K of its
 *          forces
 * Memory   K+1 points and what belongs to them (multistep.h): declared, so that a record resumes
 *          bit for bit
 * Fails    as RATTLE, L steps ahead of the state: the formula for p_n reaches to q_{n+L}.
 *          NOT_CONVERGED if H changes by a fifth of the kinetic energy, and by more than its
 *          round-off: h is beyond the interval of stability, or too long for the motion
 * Differs from the source in the sums: s_{n+1} = s_n + h^2 sigma(E) a, pi(E) D_n = s_n, q_{n+1} =
 * q_n + D_n, the first and last
 *          compensated, so that round-off grows no faster than that of one-step methods */
#include "maps/constrained/multistep.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "maps/natural/fused/natural_small.h"
#include "maps/wrap/wrap.h"
#include "ground/support/add_to.h"

/* By how much H may change, as a part of the largest kinetic energy since the start. */
static const double most_change = 0.2;

/* lambda at the front from those at the three places before it */
static void guess_multipliers(const rattle__multistep *s, double *lambda) {
  const int L = s->c.half;
  const double *x = rattle__past_at(s, L).lambda, *y = rattle__past_at(s, L - 1).lambda,
               *z = rattle__past_at(s, L - 2).lambda;
  for (int i = 0; i < s->m; i++) lambda[i] = 3 * (x[i] - y[i]) + z[i];
}

/* The new D from the sum: D_L = s - sum of pi_i D_{2-L+i}, of which all but the last are known. */
static void next_difference(const rattle__multistep *s, const double *sum, const double *low,
                            double *D) {
  const int L = s->c.half, count = 2 * L - 2;
  const double *known[2 * RATTLE__MULTISTEP_HALF];
  for (int i = 0; i < count; i++) known[i] = rattle__past_at(s, i + 3 - L).D;
  for (int k = 0; k < s->n; k++) {
    double rest = sum[k] + low[k];
    for (int i = 0; i < count; i++) rest -= s->c.pi[i] * known[i][k];
    D[k] = rest;
  }
}

/* increment [n] = h^2 sigma(E) a about the place 1, the newest a being given */
static void next_increment(const rattle__multistep *s, double h, const double *newest,
                           double *increment) {
  const int L = s->c.half, count = 2 * L - 2;
  const double *known[2 * RATTLE__MULTISTEP_HALF], first = h * h * s->c.beta[L - 1];
  double weight[2 * RATTLE__MULTISTEP_HALF];
  for (int i = 0; i < count; i++) {
    known[i] = rattle__past_at(s, i + 3 - L).a;
    weight[i] = h * h * s->c.beta[abs(i + 1 - L)];
  }
  for (int k = 0; k < s->n; k++) {
    double sum = first * newest[k];
    for (int i = 0; i < count; i++) sum += weight[i] * known[i][k];
    increment[k] = sum;
  }
}

/* x -= c W^T lambda */
static void subtract_rows(const rattle__multistep *s, double c, const double *W,
                          const double *lambda, double *x) {
  const rattle__function *g = s->map.context->problem->g;
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      x[g->jac_col[e]] -= c * W[e] * lambda[i];
}

/* As solve_front, by the text for few constraints; returns 0 if that was done. */
static int solve_fast(rattle__multistep *s, double reach, rattle__past fresh, double *increment) {
  const double square = reach * reach, *W;
  for (int i = 0; i < s->m; i++) fresh.lambda[i] *= square;
  if (rattle__fused_drift(s->fast, reach, s->front, s->next, fresh.lambda, &W)) return 1;
  subtract_rows(s, 1, W, fresh.lambda, fresh.D);
  subtract_rows(s, 1, W, fresh.lambda, increment);
  subtract_rows(s, 1 / square, W, fresh.lambda, fresh.a);
  for (int i = 0; i < s->m; i++) fresh.lambda[i] /= square;
  memcpy(fresh.q, s->next, (size_t)s->n * sizeof(double));
  return 0;
}

/* lambda and q of the new front: SHAKE of a drift by D, as the map inside does it. On entry a, D
 * and the increment of the sum are without lambda. */
static rattle_status solve_front(rattle__multistep *s, double h, rattle__past fresh,
                                 double *increment, rattle_error *error) {
  const double reach = h * sqrt(s->c.beta[s->c.half - 1]);
  const rattle__rows *rows = &s->slider->momenta->rows;
  const double factor = s->slider->momenta->factor;
  const int n = s->n;
  for (int k = 0; k < n; k++) s->next[k] = fresh.D[k] + s->sums[2 * n + k];
  rattle__mass_momenta(s->map.context->problem->mass, s->M, reach, s->next, s->front + n);
  guess_multipliers(s, fresh.lambda);
  if (s->fast && !solve_fast(s, reach, fresh, increment)) return RATTLE_OK;
  guess_multipliers(s, fresh.lambda);
  s->slider->guess = fresh.lambda;
  const rattle_status status =
      rattle__positions_step(s->slider, reach, s->front, s->next, 0, error);
  s->slider->guess = NULL;
  if (status) return status;
  memcpy(fresh.lambda, s->slider->lambda, (size_t)s->m * sizeof(double));
  const double *B = s->slider->start->B; /* G M^-1 at the front */
  rattle__rows_subtract(rows, factor, B, fresh.lambda, fresh.a);
  rattle__rows_subtract(rows, reach * reach * factor, B, fresh.lambda, fresh.D);
  rattle__rows_subtract(rows, reach * reach * factor, B, fresh.lambda, increment);
  memcpy(fresh.q, s->next, (size_t)n * sizeof(double));
  rattle__momenta_scale(s->slider->momenta, s->slider->end->J, s->slider->end->B);
  s->slider->momenta->factored = 0;
  rattle__positions_advance(s->slider, s->next);
  return RATTLE_OK;
}

/* The record after the front, and the sums there. */
static rattle_status advance(rattle__multistep *s, double h, rattle_error *error) {
  const int n = s->n;
  const rattle__past fresh = rattle__past_in(s, s->fresh), front = rattle__past_at(s, s->c.half);
  const double *sum = s->sums, *low = s->sums + n, *lost = s->sums + 2 * n;
  double *new_sum = s->fresh_sums, *new_low = new_sum + n, *new_lost = new_low + n,
         *increment = s->work;
  memcpy(s->front, front.q, (size_t)n * sizeof(double));
  rattle_status status = rattle__multistep_force(s, s->front, fresh.V, fresh.a, error);
  if (status) return status;
  next_increment(s, h, fresh.a, increment);
  for (int k = 0; k < n; k++) new_sum[k] = sum[k] + increment[k];
  next_difference(s, new_sum, low, fresh.D);
  if (s->m)
    status = solve_front(s, h, fresh, increment, error);
  else
    for (int k = 0; k < n; k++) fresh.q[k] = front.q[k] + (fresh.D[k] + lost[k]);
  if (status) return status;
  memcpy(new_sum, sum, 2 * (size_t)n * sizeof(double));
  for (int k = 0; k < n; k++) {
    rattle__add_to(&new_sum[k], &new_low[k], increment[k]);
    new_lost[k] = (front.q[k] - fresh.q[k]) + (fresh.D[k] + lost[k]);
  }
  return RATTLE_OK;
}

/* D_j of the window that the step makes, j = 1-L .. L */
static const double *difference_at(const rattle__multistep *s, int j) {
  return j == s->c.half ? rattle__past_in(s, s->fresh).D : rattle__past_at(s, j + 1).D;
}
/* z1 = (q, p) at the place 1 */
static rattle_status put_state(rattle__multistep *s, double h, double *z1, rattle_error *error) {
  const int L = s->c.half, n = s->n;
  double *p = z1 + n;
  memcpy(z1, rattle__past_at(s, 1).q, (size_t)n * sizeof *z1);
  const double *ahead[RATTLE__MULTISTEP_HALF], *behind[RATTLE__MULTISTEP_HALF];
  double weight[RATTLE__MULTISTEP_HALF];
  for (int d = 0; d < L; d++) {
    ahead[d] = difference_at(s, 1 + d);
    behind[d] = difference_at(s, -d);
    weight[d] = s->c.slope[d] / h;
  }
  for (int k = 0; k < n; k++) {
    p[k] = 0;
    for (int d = L - 1; d >= 0; d--) p[k] += weight[d] * (ahead[d][k] + behind[d][k]);
  }
  rattle__mass_momenta(s->map.context->problem->mass, s->M, 1, p, p);
  if (!s->m || (s->fast && !rattle__fused_slide_at(s->fast, z1))) return RATTLE_OK;
  return rattle__positions_project(s->slider, z1, error);
}

/* How well H is known where the state is: V as it is evaluated there, and the work lambda . g of
 * multipliers on what rounding makes of g, which holds q no better. A motion at rest near the
 * origin has no more than that. */
static rattle_status energy_round_off(rattle__multistep *s, const double *z1, double *most,
                                      rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  const double *lambda = rattle__past_at(s, 2).lambda;
  rattle__unit *u = s->unit;
  rattle_status status = rattle__unit_of_move(u, z1, z1, error);
  if (status) return status;
  const int answer = rattle__round_off(problem->V, z1, u->reach, most, NULL, u->room);
  if (answer) return rattle__callback_error(answer, "potential", error);
  memset(s->work, 0, (size_t)s->m * sizeof(double));
  if (s->m) status = rattle__unit_of_g(u, z1, s->work, error);
  for (int i = 0; i < s->m; i++) *most += fabs(lambda[i]) * s->work[i];
  return status;
}

/* H is checked, since an unstable recurrence still ends on g = 0: it must not change as it cannot
 * in the motion. */
static rattle_status check_energy(rattle__multistep *s, const double *z1, rattle_error *error) {
  const double V = *rattle__past_at(s, 2).V;
  const double T = rattle__multistep_kinetic(s, z1);
  s->fresh_sums[3 * s->n] = fmax(s->memory[3], T);
  const double change = T + V - s->memory[2], most = s->fresh_sums[3 * s->n];
  if (fabs(change) <= most_change * most + 1e6 * DBL_EPSILON * fabs(V)) return RATTLE_OK;
  double known = 0;
  const rattle_status status = energy_round_off(s, z1, &known, error);
  if (status || fabs(change) <= most_change * most + 1e3 * known) return status;
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                      "the multistep method diverges: H has changed by %.3g of the largest kinetic "
                      "energy. The step is too long "
                      "for the fastest motion, or unstable: use a smaller step",
                      change / most);
}

/* The window moves on by one place. */
static void commit(rattle__multistep *s) {
  const size_t n = (size_t)s->n;
  double *oldest = rattle__past_at(s, -s->c.half).q;
  memcpy(s->kept_sums, s->sums, 3 * n * sizeof(double));
  s->kept_sums[3 * n] = s->memory[3];
  memcpy(s->kept, oldest, s->width * sizeof(double));
  memcpy(s->sums, s->fresh_sums, 3 * n * sizeof(double));
  memcpy(oldest, s->fresh, s->width * sizeof(double));
  s->memory[1] = ((int)s->memory[1] + 1) % s->places;
  s->memory[3] = s->fresh_sums[3 * n];
  s->done = 1;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  rattle__multistep *s = map->self;
  s->anew = s->done = 0;
  rattle_status status = rattle__multistep_window(s, h, z0, error);
  if (!status) status = advance(s, h, error);
  if (!status) status = put_state(s, h, z1, error);
  if (!status) status = check_energy(s, z1, error);
  if (status) {
    rattle__multistep_undo(map);
    return status;
  }
  commit(s);
  s->point = (rattle__point){
      .n = s->n, .q = rattle__past_at(s, 0).q, .V = *rattle__past_at(s, 1).V, .has_V = 1};
  map->context->evaluated = &s->point;
  return RATTLE_OK;
}

static void destroy(rattle__map *map) {
  rattle__multistep *s = map->self;
  if (s->starter && s->starter->destroy) s->starter->destroy(s->starter);
  if (s->fast && s->fast->destroy) s->fast->destroy(s->fast);
  rattle__positions_destroy(&s->slider);
  rattle__linear_destroy(&s->M);
}

/* The maps inside: the one that makes the first points, and the one that finds multipliers. */
static rattle_status plan_maps(rattle__multistep *s, rattle_error *error) {
  static const rattle__scheme drift = {.d1 = 1};
  rattle__context *context = s->map.context;
  rattle__node *node =
      rattle__method_parse(s->m ? "kahan_li8(rattle(verlet))" : "kahan_li8(verlet)", error);
  if (!node) return RATTLE_NO_MEMORY;
  rattle_status status = context->compile(&s->starter, context, node, error);
  rattle__node_destroy(node);
  if (!status) status = rattle__mass_system(&s->M, context->problem->mass, error);
  if (status || !s->m) return status;
  if (rattle__fused_fits(context))
    status = rattle__natural_small_create(&s->fast, context, &drift, RATTLE__NO_PROJECTION, error);
  if (!status)
    status = rattle__positions_create(&s->slider, context, &drift, &rattle__automatic, 0, error);
  return status ? status : rattle__context_probe(context, error);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const char *name = node->row->name;
  rattle__arena *arena = &context->arena;
  if (!(problem->flags & RATTLE_NATURAL) || !(problem->flags & RATTLE_HOLONOMIC))
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "%s needs a natural problem (H = p^T M^-1 p/2 + V(q), g(q)), and this "
                        "problem %s: use a composition, as in "
                        "kahan_li8(%s)",
                        name,
                        problem->clock ? "depends on time"
                        : problem->m   ? "is not"
                                       : "has an H of another form",
                        rattle__symmetric_map(problem));
  rattle__multistep *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  const size_t n = (size_t)problem->n, m = (size_t)problem->m,
               nnz = problem->g ? (size_t)problem->g->jac_nnz : 0;
  *s = (rattle__multistep){.n = problem->n, .m = problem->m};
  if (!rattle__recurrence_of(name, &s->c))
    return rattle__fail(error, RATTLE_UNSUITABLE, name, "%s has no recurrence", name);
  s->places = 2 * s->c.half + 1;
  s->width = 3 * n + m + 1;
  s->size = 4 + 3 * n + (size_t)s->places * s->width;
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .undo = rattle__multistep_undo,
                         .destroy = destroy,
                         .self = s};
  *map = &s->map;
  s->memory = rattle__context_memory(context, (int)s->size);
  const rattle__array arrays[] = {
      {&s->whole, s->size},
      {&s->kept_sums, 3 * n + 1},
      {&s->kept, s->width},
      {&s->fresh_sums, 3 * n + 1},
      {&s->B, nnz},
      {&s->fresh, s->width},
      {&s->front, 2 * n},
      {&s->next, 2 * n},
      {&s->zs, 4 * n},
      {&s->midst, 2 * n},
      {&s->slopes, (size_t)s->places * n},
      {&s->kept_slopes, (size_t)s->places * n},
      {&s->weights, 2 * RATTLE__MULTISTEP_DATA * RATTLE__MULTISTEP_SWEEPS * (size_t)s->places}};
  RATTLE__LAY_OUT(arena, arrays);
  s->work = rattle__arena_doubles(arena, problem->V->work > n + m ? problem->V->work : n + m);
  s->unit = rattle__unit_create(context);
  s->acts = rattle__arena_take(arena, n);
  if (arena->failed) return rattle__no_memory(error);
  s->sums = s->memory + 4;
  s->ring = s->sums + 3 * n;
  rattle__multistep_weigh(s);
  const rattle_status status = rattle__multistep_find_free(s, error);
  return status ? status : plan_maps(s, error);
}

const rattle__base rattle__multistep4 = {.create = create}, rattle__multistep6 = {.create = create},
                   rattle__multistep8 = {.create = create};
