/* Partitioned Runge-Kutta maps for any H, and SHAKE of them: stages and multipliers by one simultaneous Newton iteration.
 *
 * Map      see base.h (rattle__tableau) and prk.h; with a fibre, z1 = phi_h(exp(h sum lambda_i X_{g_i}) z0), g(z1) = 0
 * Start    stages from the slope at z+, lambda from the differential equation there: a step is a pure function of its point
 * Matrix   taken at the first iterate and kept while each iteration gains a factor of ten, else taken anew (true Newton)
 * Stop     every equation at round-off of its own terms, or stagnation near it
 * Cost     per iteration s gradients; per matrix s Hessians and a factorisation of the sparse system
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate */
#include "map/prk.h"

#include "core/probe.h"

#include <float.h>
#include <math.h>
#include <string.h>

static rattle_status answer_of(int answer, const char *what, rattle_error *error) {
  return answer ? rattle__callback_error(answer, what, error) : RATTLE_OK;
}

static double *stage_part(rattle__prk *k, int part, int i) {
  return k->Z + (size_t)i * 2 * (size_t)k->n + part * k->n;
}

/* slope of component `part` at stage j: H_p for q, -H_q for p; entry c */
static inline double slope(const rattle__prk *k, int part, int j, int c) {
  const double *gradient = k->gradient + (size_t)j * 2 * (size_t)k->n;
  return part ? -gradient[c] : gradient[k->n + c];
}

static rattle_status gradients(rattle__prk *k, int hessians, rattle_error *error) {
  const rattle__function *H = k->map.context->problem->H;
  int answer = 0;
  for (int j = 0; j < k->t.stages && !answer; j++) {
    double *z = stage_part(k, 0, j);
    answer = H->jacobian(H, z, NULL, k->gradient + (size_t)j * (size_t)H->vars, k->work);
    k->map.context->counts.gradient++;
    if (hessians && !answer) {
      answer = H->hessian(H, z, NULL, k->hessian + (size_t)j * (size_t)H->hess_nnz, k->work);
      k->map.context->counts.hessian++;
    }
  }
  return answer_of(answer, "gradient", error);
}

/* z+ from lambda */
static rattle_status slide(rattle__prk *k, double h, rattle_error *error) {
  for (int i = 0; i < k->m; i++) k->slide[i] = h * k->lambda[i];
  return k->fibre->slide(k->fibre, k->slide, k->plus_z, error);
}

/* Keeps the slopes of the stages, or sets the stages from them. */
static void keep_slopes(rattle__prk *k, double h, int back) {
  for (int j = 0; j < k->t.stages; j++)
    for (int c = 0; c < 2 * k->n; c++) {
      double *slope = k->slope + (size_t)j * 2 * (size_t)k->n + c, *z = stage_part(k, 0, j) + c;
      if (back)
        *z = k->plus_z[c] + h * *slope;
      else
        *slope = (*z - k->plus_z[c]) / h;
    }
}

/* Stages from the slope at z+; for the guard from those of its last substep, so that shorter substeps have better guesses. */
static rattle_status guess(rattle__prk *k, double h, const double *z0, rattle_error *error) {
  if (k->sloped) {
    keep_slopes(k, h, 1);
    return RATTLE_OK;
  }
  const rattle__function *H = k->map.context->problem->H;
  int answer = H->jacobian(H, z0, NULL, k->gradient, k->work), n = k->n;
  k->map.context->counts.gradient++;
  memcpy(k->room, k->gradient, 2 * (size_t)n * sizeof(double));
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++) {
      const double *a = part ? k->t.ahat[i] : k->t.a[i];
      double c = 0, *x = stage_part(k, part, i);
      for (int j = 0; j < k->t.stages; j++) c += a[j];
      for (int e = 0; e < n; e++) x[e] = z0[part * n + e] + h * c * (part ? -k->room[e] : k->room[n + e]);
    }
  return answer_of(answer, "gradient", error);
}

/* Right-hand side of the stage equations, and their residual in units of round-off: of the largest terms among the n equations
 * of a stage, since an entry that happens to be small has no more digits than the others that it is made of. */
static double stage_residual(rattle__prk *k, double h) {
  double worst = 0;
  int n = k->n;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++) {
      if (k->owner[part][i] != i) continue;
      const double *a = part ? k->t.ahat[i] : k->t.a[i], *x = stage_part(k, part, i), *start = k->plus_z + part * n;
      double most = 0, unit = 0;
      for (int c = 0; c < n; c++) {
        double sum = 0, size = 0;
        for (int j = 0; j < k->t.stages; j++) {
          double term = a[j] * slope(k, part, j, c);
          sum += term;
          size += fabs(term);
        }
        double r = start[c] + h * sum - x[c], terms = fabs(start[c]) + fabs(x[c]) + fabs(h) * size;
        k->rhs[k->stage[part][i] + c] = r;
        if (!(fabs(r) <= most)) most = fabs(r);
        if (terms > unit) unit = terms;
      }
      double ratio = most / (DBL_EPSILON * unit + DBL_MIN);
      if (!(ratio <= worst)) worst = ratio;
    }
  return worst;
}

/* Copies to the stages that are z+ or equal to an earlier one. */
static void copy_stages(rattle__prk *k) {
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++) {
      int owner = k->owner[part][i];
      if (owner == i) continue;
      memcpy(stage_part(k, part, i), owner < 0 ? k->plus_z + part * k->n : stage_part(k, part, owner),
             (size_t)k->n * sizeof(double));
    }
}

static void finish(const rattle__prk *k, double h, double *z1) {
  for (int part = 0; part < 2; part++) {
    const double *b = rattle__tableau_weights(&k->t, part);
    for (int c = 0; c < k->n; c++) {
      double sum = 0;
      for (int j = 0; j < k->t.stages; j++) sum += b[j] * slope(k, part, j, c);
      z1[part * k->n + c] = k->plus_z[part * k->n + c] + h * sum;
    }
  }
}

/* What round-off of the stages makes of h sum_j b_j X_H(Z_j). */
static void measure_slopes(rattle__prk *k, double h) {
  const rattle_problem *problem = k->map.context->problem;
  memset(k->unit, 0, 2 * (size_t)k->n * sizeof(double));
  const double *b = rattle__tableau_weights(&k->t, 0), *bhat = rattle__tableau_weights(&k->t, 1);
  for (int j = 0; j < k->t.stages; j++)
    rattle__slope_round_off(problem, k->hessian + (size_t)j * (size_t)problem->H->hess_nnz, stage_part(k, 0, j),
                            h * fmax(fabs(b[j]), fabs(bhat[j])), k->unit);
}

/* g(z1) into the right-hand side; its residual in units of round-off. */
static rattle_status constraint_residual(rattle__prk *k, const double *z1, double *worst, int *which, double *largest,
                                         rattle_error *error) {
  const rattle__function *g = k->map.context->problem->g;
  int answer = g->jacobian(g, z1, k->g, k->J, k->work);
  k->map.context->counts.constraint++;
  k->map.context->counts.jacobian++;
  double most[2];
  *largest = 0;
  rattle__largest_of_kind(k->n, z1, most);
  for (int i = 0; i < k->m; i++) {
    k->g[i] -= k->follower->level[i];
    double size = DBL_MIN, x = fabs(k->g[i]);
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      int c = g->jac_col[e];
      double own = 0.5 * (fabs(z1[c]) + fabs(k->plus_z[c])) + k->unit[c];
      size += DBL_EPSILON * fabs(k->J[e]) * fmax(own, RATTLE__CANCELLED * most[c >= k->n]);
    }
    if (!(x / size <= *worst)) {
      *worst = x / size;
      *which = i;
    }
    if (!(x <= *largest)) *largest = x;
    k->rhs[k->multipliers + i] = -k->g[i];
  }
  return answer_of(answer, "constraint", error);
}

static void update(rattle__prk *k) {
  k->matrix->solve(k->matrix, k->rhs);
  k->map.context->counts.newton_iterations++;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++)
      for (int c = 0; c < k->n && k->owner[part][i] == i; c++) stage_part(k, part, i)[c] += k->rhs[k->stage[part][i] + c];
  for (int i = 0; i < k->m && k->fibre; i++) k->lambda[i] += k->rhs[k->multipliers + i];
  for (int c = 0; c < 2 * k->n && k->fibre; c++) k->expected[c] = k->plus_z[c] + k->rhs[k->plus + c];
}

/* The slide is no straight line: stages follow z+ to where it really went. */
static void shift_stages(rattle__prk *k) {
  for (int j = 0; j < k->t.stages; j++)
    for (int c = 0; c < 2 * k->n; c++) stage_part(k, 0, j)[c] += k->plus_z[c] - k->expected[c];
}

/* Whether H or g is not finite at the first stage, at the end or at the start: that is why, then. */
static int left_domain(const rattle__prk *k, const double *z0, const double *z1, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const double *point[] = {k->Z, z1, z0};
  for (int i = 0; i < 3; i++)
    if (rattle__domain_error(problem, point[i], error) == RATTLE_DOMAIN) return 1;
  return 0;
}

static rattle_status give_up(const rattle__prk *k, int which, int iterations, double r, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const char *name = which >= 0 ? rattle_problem_constraint_name(problem, which) : NULL;
  rattle__fail(
      error, RATTLE_NOT_CONVERGED, name ? name : "stages",
      "the implicit equations%s%s%s were not solved in %d iterations (residual %.3g times round-off): use a smaller step",
      name ? " (worst: constraint '" : "", name ? name : "", name ? "')" : "", iterations, r);
  if (error) {
    error->constraint = which;
    error->iterations = iterations;
    error->residual = r;
  }
  return RATTLE_NOT_CONVERGED;
}

/* Residuals of all equations at the present iterate; z1 from the stages. */
static rattle_status look(rattle__prk *k, double h, double *z1, int hessians, double *r, int *which, double *largest,
                          rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (k->fibre) {
    status = slide(k, h, error);
    shift_stages(k);
  }
  copy_stages(k);
  if (!status) status = gradients(k, hessians, error);
  if (status) return status;
  if (hessians && k->fibre && !(k->map.context->problem->flags & RATTLE_HOLONOMIC)) measure_slopes(k, h);
  memset(k->rhs, 0, (size_t)k->size * sizeof(double));
  *which = -1;
  *r = stage_residual(k, h);
  finish(k, h, z1);
  return k->fibre ? constraint_residual(k, z1, r, which, largest, error) : RATTLE_OK;
}

/* Whether the Jacobian for the multipliers, which is -h^2 N for h -> 0, is far from that at the first iterate: along the guess
 * and along a fixed direction. The solution that such an iteration finds may be one on another sheet. */
static int astray(rattle__prk *k, double h, const double *z0) {
  rattle__probe *probe = k->map.context->probe;
  rattle__probe_place(probe, z0, z0 + k->n);
  for (int which = 0; which < (k->m > 1 ? 2 : 1); which++) {
    const double *v = which ? k->lambda : k->compass;
    double *x = k->course + k->multipliers;
    memset(k->course, 0, (size_t)k->size * sizeof(double));
    if (!rattle__probe_times(probe, v, x)) return 0;
    for (int i = 0; i < k->m; i++) x[i] *= -h * h;
    k->matrix->solve(k->matrix, k->course);
    if (rattle__far(k->m, x, v)) return 1;
  }
  return 0;
}

/* Stages, and with a fibre lambda (from the one given), by Newton. */
static rattle_status solve(rattle__prk *k, double h, const double *z0, double *z1, rattle__rates *rates, rattle_error *error) {
  double previous = INFINITY, r = 0, largest = 0;
  int which = -1, fresh = 1;
  *rates = rattle__no_doubt;
  memcpy(k->plus_z, z0, 2 * (size_t)k->n * sizeof(double));
  rattle_status status = k->fibre ? k->fibre->start(k->fibre, z0, error) : RATTLE_OK;
  if (!status && k->fibre) status = slide(k, h, error);
  if (!status) status = guess(k, h, k->plus_z, error);
  memcpy(k->expected, k->plus_z, 2 * (size_t)k->n * sizeof(double));
  for (int i = 0; !status; i++) {
    status = look(k, h, z1, fresh, &r, &which, &largest, error);
    if (status) break;
    rattle__rate(rates, i, r, previous, rattle__doubt_newton);
    rattle__verdict verdict = rattle__judge(r, previous, i, k->tol);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP)
      return !(r < 1e300) && left_domain(k, z0, z1, error) ? RATTLE_DOMAIN : give_up(k, which, i, r, error);
    if (fresh) {
      if (k->fibre) status = k->fibre->derivative(k->fibre, k->dfibre, error);
      if (!status) status = rattle__prk_factor(k, h, error);
      if (status == RATTLE_SINGULAR && left_domain(k, z0, z1, error)) status = RATTLE_DOMAIN;
      if (status) break;
      if (i == 0 && k->fibre && !k->following) rates->doubtful |= astray(k, h, z0);
    }
    update(k);
    fresh = !k->frozen || (i > 0 && r > 0.1 * previous);
    previous = r;
  }
  if (status) return status;
  k->largest = largest;
  k->residual = r;
  if (k->following && !rates->doubtful) {
    keep_slopes(k, h, 0);
    k->sloped = 1;
  }
  return RATTLE_OK;
}

static rattle_status solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                rattle_error *error) {
  rattle__prk *k = self;
  memcpy(k->lambda, lambda, (size_t)k->m * sizeof(double));
  rattle_status status = solve(k, h, z0, z1, rates, error);
  memcpy(lambda, k->lambda, (size_t)k->m * sizeof(double));
  return status;
}

static void first_guess(void *self, double h, const double *z0, double *lambda) {
  const rattle__prk *k = self;
  rattle__probe *probe = k->map.context->probe;
  rattle__probe_place(probe, z0, z0 + k->n);
  rattle__probe_step_guess(probe, h, lambda);
}

static rattle_status finished(rattle__map *map) {
  const rattle__prk *k = map->self;
  rattle_residuals *seen = &map->context->residuals;
  if (k->residual > seen->iteration_residual) seen->iteration_residual = k->residual;
  if (k->fibre) {
    map->context->counts.position_projections++;
    if (k->largest > seen->g) seen->g = k->largest;
  }
  return RATTLE_OK;
}

static rattle_status follow(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__prk *k = map->self;
  map->context->clock++;
  k->following = 1;
  rattle_status status = rattle__follow(k->follower, h, z0, k->lambda, z1, error);
  k->following = k->sloped = 0;
  return status ? status : finished(map);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__prk *k = map->self;
  rattle__rates rates;
  map->context->clock++;
  if (k->fibre) first_guess(k, h, z0, k->lambda);
  rattle_status status = solve(k, h, z0, z1, &rates, error);
  if (k->follower && rattle__must_follow(status, &rates)) return follow(map, h, z0, z1, error);
  return status ? status : finished(map);
}

/* y += c (row block `part` of X_H') x at stage j */
static void add_field_product(const rattle__prk *k, int part, int j, double c, const double *x, double *y) {
  const rattle__function *H = k->map.context->problem->H;
  const double *S = k->hessian + (size_t)j * (size_t)H->hess_nnz;
  for (int i = 0; i < k->n; i++) {
    int r = part ? i : k->n + i;
    double sum = 0;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) sum += S[e] * x[H->hess_col[e]];
    y[i] += (part ? -c : c) * sum;
  }
}

/* (dQ_j, dP_j) from the solution in rhs and dz+ */
static void stage_direction(const rattle__prk *k, int j, const double *plus, double *direction) {
  for (int part = 0; part < 2; part++) {
    const double *x = k->stage[part][j] < 0 ? plus + part * k->n : k->rhs + k->stage[part][j];
    memcpy(direction + part * k->n, x, (size_t)k->n * sizeof(double));
  }
}

/* Without a fibre: stage equations differentiated along W. */
static rattle_status tangent(rattle__map *map, double h, int count, double *W, rattle_error *error) {
  rattle__prk *k = map->self;
  int n = k->n, s = k->t.stages;
  rattle_status status = gradients(k, 1, error);
  if (!status) status = rattle__prk_factor(k, h, error);
  for (int e = 0; e < count && !status; e++) {
    double *w = W + (size_t)e * 2 * (size_t)n, *direction = k->room;
    memset(k->rhs, 0, (size_t)k->size * sizeof(double));
    for (int part = 0; part < 2; part++)
      for (int i = 0; i < s; i++) {
        if (k->owner[part][i] != i) continue;
        double *row = k->rhs + k->stage[part][i];
        memcpy(row, w + part * n, (size_t)n * sizeof(double));
        for (int j = 0; j < s; j++) { /* stages that are z+ move with w */
          memset(direction, 0, 2 * (size_t)n * sizeof(double));
          for (int other = 0; other < 2; other++)
            if (k->stage[other][j] < 0) memcpy(direction + other * n, w + other * n, (size_t)n * sizeof(double));
          double c = part ? k->t.ahat[i][j] : k->t.a[i][j];
          if (c != 0) add_field_product(k, part, j, h * c, direction, row);
        }
      }
    k->matrix->solve(k->matrix, k->rhs);
    double *result = k->room + 2 * n;
    memcpy(result, w, 2 * (size_t)n * sizeof(double));
    for (int j = 0; j < s; j++) {
      stage_direction(k, j, w, direction);
      for (int part = 0; part < 2; part++)
        add_field_product(k, part, j, h * rattle__tableau_weights(&k->t, part)[j], direction, result + part * n);
    }
    memcpy(w, result, 2 * (size_t)n * sizeof(double));
  }
  return status;
}

static void destroy(rattle__map *map) {
  rattle__linear_destroy(&((rattle__prk *)map->self)->matrix);
}

rattle_status rattle__prk_create(rattle__map **map, rattle__context *context, const rattle__tableau *tableau,
                                 rattle__fibre *fibre, rattle__method_id solver, double tol, rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const rattle_problem *problem = context->problem;
  rattle__prk *k = rattle__arena_take(arena, sizeof *k);
  if (!k) return rattle__no_memory(error);
  size_t n = (size_t)problem->n, m = fibre ? (size_t)problem->m : 0, s = (size_t)tableau->stages;
  size_t work = problem->H->work, jac_nnz = fibre ? (size_t)problem->g->jac_nnz : 0;
  if (fibre && problem->g->work > work) work = problem->g->work;
  *k = (rattle__prk){
      .t = *tableau, .fibre = fibre, .n = problem->n, .m = (int)m, .tol = tol, .frozen = solver != RATTLE__METHOD_newton};
  k->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = fibre ? NULL : tangent,
                         .destroy = destroy,
                         .symmetric = tableau->symmetric,
                         .order = tableau->order,
                         .self = k};
  double **vectors[] = {&k->Z,    &k->slope, &k->gradient, &k->hessian, &k->plus_z, &k->expected, &k->lambda,
                        &k->unit, &k->slide, &k->g,        &k->J,       &k->dfibre, &k->work,     &k->room};
  size_t points = 2 * s * n, sizes[] = {points,  fibre ? points : 0,
                                        points,  s * (size_t)problem->H->hess_nnz,
                                        2 * n,   2 * n,
                                        m,       fibre ? 2 * (size_t)problem->n : 0,
                                        m,       m,
                                        jac_nnz, fibre ? (size_t)fibre->nnz : 0,
                                        work,    4 * n};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  if (fibre) k->map.lambda = k->lambda;
  if (fibre) k->follower = rattle__follower_create(context, solve_from, first_guess, k);
  if (fibre) k->map.follow = follow;
  rattle__backend backend = solver == RATTLE__METHOD_dense    ? RATTLE__LINEAR_DENSE
                            : solver == RATTLE__METHOD_sparse ? RATTLE__LINEAR_KLU
                                                              : RATTLE__LINEAR_AUTO;
  *map = &k->map;
  if (arena->failed) return rattle__no_memory(error);
  rattle_status status = rattle__prk_plan(k, backend, error);
  if (status) return status;
  if (fibre) {
    context->solver = k->matrix->name;
    status = rattle__context_probe(context, error);
    if (status) return status;
  }
  k->rhs = rattle__arena_doubles(arena, (size_t)k->size);
  k->course = rattle__arena_doubles(arena, fibre ? (size_t)k->size : 0);
  k->compass = rattle__arena_doubles(arena, m);
  for (size_t i = 0; i < m && k->compass; i++) k->compass[i] = i % 2 ? -1 : 1;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
