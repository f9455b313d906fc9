/* adams_bashforth(k, field) and adams_moulton(k, field): multistep methods from the interpolation
 * of slopes.
 *
 * Map      z1 = z0 + h sum_j beta_j f_j,  beta_j = int_0^1 l_j(s) ds, l_j the Lagrange polynomials
 *          of the nodes
 *          s = 0, -1, .., 1-k (Bashforth) or s = 1, 0, .., 1-k (Moulton);  f_j = f(z) at time t +
 *          s_j h
 * Moulton  the equation for f(z1) is solved to round-off by Newton's method with the exact
 *          Jacobian, dense, from the Bashforth step of the same slopes; by fixed-point iteration if
 *          there are more than 600 unknowns
 * Memory   h and the slopes before z0. If they are not known, at the start and after a change of h,
 *          the k-1 points before z0 come from as many steps of -h of order 10 (extrapolate.c), so
 *          that the first step is one like all others
 * Source   J. C. Adams in F. Bashforth, An Attempt to Test the Theories of Capillary Action (1883);
 *          F. R. Moulton, New Methods in Exterior Ballistics (1926); Hairer, Norsett, Wanner,
 *          Solving Ordinary Differential Equations I, III.1
 * Claims   order k (Bashforth), k+1 (Moulton); neither symmetric nor symplectic
 * Cost     one value of the field; of Moulton, one a Newton iteration with a Jacobian and a dense
 *          solve
 * Fails    NOT_CONVERGED if the implicit equation is not solved; errors of the field. Too long a
 *          step is unstable: points run away, which H shows
 * Differs  nothing; weights are computed, not copied */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "maps/field/field.h"
#include "maps/base/base.h"
#include "maps/base/extrapolate.h"
#include "ground/linear/linear.h"
#include "constraint/step/sizes.h"
#include "ground/support/largest.h"

enum { MOST_NODES = 9, MOST_UNKNOWNS = 600 };

typedef struct adams {
  rattle__map map;
  rattle__field *field;
  rattle__extrapolation start;
  int n, past, implicit_;             /* past: slopes before z0 */
  double beta[MOST_NODES];            /* of f_0, f_-1, .. */
  double weight, predict[MOST_NODES]; /* Moulton: of f(z1); weights of the first guess */
  double *memory;         /* h, the place of the newest slope, then the slopes [past*2n] */
  double *f, *z, *before; /* f(z0); two points [2n] */
  double *F, *r;          /* df/dz, residual and Newton step */
  rattle__linear *matrix; /* I - h weight F; NULL: fixed points */
  double *at; /* where the last step ended, whose slope is in f where `known` is 1 [2n] */
  int known;
} adams;

/* beta[count] for the nodes first, first-1, ..: the coefficients of prod (s - s_i) are whole
 * numbers. */
static void weights(int first, int count, double *beta) {
  for (int j = 0; j < count; j++) {
    long double c[MOST_NODES] = {1}, scale = 1, sum = 0;
    for (int i = 0, degree = 0; i < count; i++) {
      if (i == j) continue;
      for (int m = ++degree; m >= 0; m--) c[m] = (m > 0 ? c[m - 1] : 0) - (first - i) * c[m];
      scale *= i - j; /* s_j - s_i */
    }
    for (int m = 0; m < count; m++) sum += c[m] / (m + 1);
    beta[j] = (double)(sum / scale);
  }
}

static rattle_status value(adams *s, const double *z, double *f, rattle_error *error) {
  s->map.context->counts.gradient++;
  return rattle__field_value(s->field, z, f, error);
}

/* Slope j before z0, j = 1 .. past; j = past + 1 is where the newest goes. */
static double *slope(const adams *s, int j) {
  const int place = ((int)s->memory[1] + j - 1) % s->past;
  return s->memory + 2 + (size_t)place * 2 * (size_t)s->n;
}

/* The slopes before z0, from steps of -h. */
static rattle_status look_back(adams *s, double h, const double *z0, rattle_error *error) {
  const size_t bytes = 2 * (size_t)s->n * sizeof *z0;
  rattle_status status = RATTLE_OK;
  s->memory[0] = h;
  s->memory[1] = 0;
  memcpy(s->before, z0, bytes);
  for (int j = 1; j <= s->past && !status; j++) {
    status = rattle__extrapolate(&s->start, -h, s->before, s->z, error);
    if (!status) status = value(s, s->z, slope(s, j), error);
    memcpy(s->before, s->z, bytes);
  }
  return status;
}

/* z = z0 + h sum weight_j f_j over z0 and what is before it */
static void add(const adams *s, double h, const double *weight, const double *z0, double *z) {
  const int nz = 2 * s->n;
  for (int c = 0; c < nz; c++) z[c] = weight[0] * s->f[c];
  for (int j = 1; j <= s->past; j++) {
    const double *f = slope(s, j), b = weight[j];
    for (int c = 0; c < nz; c++) z[c] += b * f[c];
  }
  for (int c = 0; c < nz; c++) z[c] = z0[c] + h * z[c];
}

/* The residual -(z1 - before - h weight f(z1)), f(z1) in z, in units of round-off. */
static double residual(adams *s, double h, const double *z1) {
  const int nz = 2 * s->n;
  const rattle_problem *problem = s->map.context->problem;
  double size[2], worst[2] = {0, 0}, tallies = 0;
  rattle__largest_of_kind(problem, z1, size);
  for (int c = 0; c < nz; c++) {
    const double term = h * s->weight * s->z[c], r = z1[c] - s->before[c] - term;
    s->r[c] = rattle__is_time_at(problem, c, z1[c], r) ? 0 : -r;
    if (rattle__is_tally(problem, c))
      tallies = rattle__greater(
          tallies, fabs(r) / (DBL_EPSILON * (fabs(s->before[c]) + fabs(term)) + DBL_MIN));
    if (rattle__is_apart(problem, c)) continue;
    worst[c >= s->n] = rattle__greater(worst[c >= s->n], fabs(r));
    if (!(fabs(term) <= size[c >= s->n])) size[c >= s->n] = fabs(term);
  }
  const double q = worst[0] / (DBL_EPSILON * size[0] + DBL_MIN),
               p = worst[1] / (DBL_EPSILON * size[1] + DBL_MIN);
  return rattle__greater(tallies, rattle__greater(q, p));
}

/* r <- (I - h weight F)^-1 r */
static rattle_status newton(adams *s, double h, rattle_error *error) {
  const int nz = 2 * s->n;
  s->map.context->counts.hessian++;
  rattle_status status = rattle__field_jacobian(s->field, s->F, error);
  for (int e = 0; e < nz * nz; e++)
    s->matrix->value[e] = (e % (nz + 1) == 0) - h * s->weight * s->F[e];
  if (status) return status;
  s->map.context->counts.factorisation++;
  s->map.context->counts.newton_iterations++;
  status = s->matrix->factor(s->matrix);
  if (status) return status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : RATTLE_NOT_CONVERGED;
  s->matrix->solve(s->matrix, s->r);
  return RATTLE_OK;
}

/* z1 = before + h weight f(z1) from the z1 given. */
static rattle_status solve(adams *s, double h, double *z1, rattle_error *error) {
  rattle_residuals *residuals = &s->map.context->residuals;
  double previous = INFINITY;
  for (int k = 0;; k++) {
    rattle_status status = rattle__heed(s->map.context, error);
    if (!status) status = value(s, z1, s->z, error);
    if (status) return status;
    const double r = residual(s, h, z1);
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) {
      if (r > residuals->iteration_residual) residuals->iteration_residual = r;
      return RATTLE_OK;
    }
    if (verdict == RATTLE__GO_ON && s->matrix) status = newton(s, h, error);
    if (verdict == RATTLE__GIVE_UP || status == RATTLE_NOT_CONVERGED) {
      if ((s->matrix || k == 0) && rattle__is_odd(r, k) &&
          rattle__domain_error(s->map.context->problem, z1, error) == RATTLE_DOMAIN)
        return RATTLE_DOMAIN;
      rattle__fail(error, RATTLE_NOT_CONVERGED, "adams_moulton",
                   "adams_moulton did not converge in %d iterations (residual %.3g times "
                   "round-off): use a smaller step",
                   k, r);
      if (error) error->iterations = k, error->residual = r;
      return RATTLE_NOT_CONVERGED;
    }
    if (status) return status;
    for (int c = 0; c < 2 * s->n; c++) z1[c] += s->r[c];
    previous = r;
  }
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  adams *s = map->self;
  const size_t bytes = 2 * (size_t)s->n * sizeof *z0;
  rattle_status status =
      s->known && !memcmp(s->at, z0, bytes) ? RATTLE_OK : value(s, z0, s->f, error);
  s->known = 0;
  if (!status && s->past && s->memory[0] != h) status = look_back(s, h, z0, error);
  if (status) return status;
  add(s, h, s->implicit_ ? s->predict : s->beta, z0, z1);
  if (s->implicit_) {
    add(s, h, s->beta, z0, s->before);
    status = solve(s, h, z1, error);
    if (status) return status;
  }
  if (s->past) { /* the newest takes the place of the oldest */
    memcpy(slope(s, s->past), s->f, bytes);
    s->memory[1] = ((int)s->memory[1] + s->past - 1) % s->past;
  }
  if (s->implicit_) { /* the slope at z1 was the last one taken */
    memcpy(s->f, s->z, bytes);
    memcpy(s->at, z1, bytes);
    s->known = 1;
  }
  return RATTLE_OK;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  adams *s = map->self;
  (void)h;
  return rattle__field_show(s->field, z, error);
}

static void destroy(rattle__map *map) {
  adams *s = map->self;
  rattle__field_destroy(&s->field);
  rattle__linear_destroy(&s->matrix);
}

static rattle_status plan_matrix(adams *s, rattle_error *error) {
  const int nz = 2 * s->n;
  rattle__arena *arena = &s->map.context->arena;
  int *ptr = rattle__arena_take(arena, ((size_t)nz + 1) * sizeof *ptr);
  int *col = rattle__arena_take(arena, (size_t)nz * (size_t)nz * sizeof *col);
  if (!ptr || !col) return rattle__no_memory(error);
  for (int i = 0; i <= nz; i++) ptr[i] = i * nz;
  for (int e = 0; e < nz * nz; e++) col[e] = e % nz;
  s->F = rattle__arena_doubles(arena, (size_t)nz * (size_t)nz);
  return rattle__linear_create(&s->matrix, nz, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            int implicit_, rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const size_t nz = 2 * (size_t)context->problem->n;
  const int k = (int)node->argument[0].number, dense = implicit_ && nz <= MOST_UNKNOWNS;
  adams *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (adams){.n = context->problem->n, .past = k > 0 ? k - 1 : 0, .implicit_ = implicit_};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  *map = &s->map;
  if (implicit_) {
    double all[MOST_NODES + 1];
    weights(1, k + 1, all);
    s->weight = all[0];
    memcpy(s->beta, all + 1, (size_t)k * sizeof *all);
    weights(0, k > 0 ? k : 1, s->predict);
  } else
    weights(0, k, s->beta);
  rattle_status status =
      rattle__field_create(&s->field, context->problem, rattle__method_field(node), dense, error);
  if (status) return status;
  s->map.shows = rattle__field_shows(s->field);
  if (s->map.shows) s->map.output = output;
  s->memory = rattle__context_memory(context, 2 + s->past * (int)nz);
  s->start = rattle__extrapolation_plan(context, s->field);
  double **vectors[] = {&s->f, &s->z, &s->before, &s->r, &s->at};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = rattle__arena_doubles(arena, nz);
  if (dense) status = plan_matrix(s, error);
  return status ? status : arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status create_bashforth(rattle__map **map, rattle__context *context,
                                      const rattle__node *node, rattle_error *error) {
  return create(map, context, node, 0, error);
}

static rattle_status create_moulton(rattle__map **map, rattle__context *context,
                                    const rattle__node *node, rattle_error *error) {
  return create(map, context, node, 1, error);
}

static int order_of_bashforth(const rattle__node *node) {
  return (int)node->argument[0].number;
}

static int order_of_moulton(const rattle__node *node) {
  return (int)node->argument[0].number + 1;
}

const rattle__base rattle__adams_bashforth = {.create = create_bashforth,
                                              .order = order_of_bashforth},
                   rattle__adams_moulton = {.create = create_moulton, .order = order_of_moulton};
