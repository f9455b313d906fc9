/* Geodesics of spheres and of products of spheres, exactly.
 *
 * Map      g_i = c_i (|x|^2 - r_i^2), x = q_I - centre_i for coordinates I that no other g has, of equal masses (M diagonal):
 *          x1 = x cos w + t v sin w/w,  v1 = v cos w - x (|v|/r) sin w,  w = t |v|/r;   q += t v for the rest
 * Symbols  v = M^-1 p; I the columns of row i of G
 * Source   great circles; E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), VII.1.4 for the setting
 * Claims   exact; symmetric and symplectic to round-off. x1 is brought back to length r, v1 to its tangent plane, at round-off
 * Fails    never */
#include <math.h>
#include <string.h>

#include "constrained/geodesic.h"

typedef struct sphere {
  int first, last; /* places in col */
  double c, radius, inverse_mass;
} sphere;

typedef struct spheres {
  rattle__geodesic geodesic;
  rattle__context *context;
  int n, m;
  const int *col;
  sphere *sphere;             /* [m] */
  double *centre;             /* [n]; 0 if free */
  int *is_free;               /* [n] */
  const double *inverse_mass; /* [n] */
} spheres;

/* sin w/w */
static double sinc(double w) {
  return fabs(w) < 1e-4 ? 1 - w * w / 6 : sin(w) / w;
}

/* p onto the tangent plane at q; returns |psi| after it. */
static double flatten(const spheres *s, const sphere *i, double *z) {
  double *p = z + s->n, outward = 0, left = 0;
  for (int e = i->first; e < i->last; e++) outward += (z[s->col[e]] - s->centre[s->col[e]]) * p[s->col[e]];
  outward /= i->radius * i->radius;
  for (int e = i->first; e < i->last; e++) {
    const double x = z[s->col[e]] - s->centre[s->col[e]];
    p[s->col[e]] -= outward * x;
    left += x * p[s->col[e]];
  }
  return fabs(2 * i->c * i->inverse_mass * left);
}

static void turn(spheres *s, const sphere *i, double t, const double *z0, double *z1) {
  const double *p0 = z0 + s->n;
  double *p1 = z1 + s->n, squared = 0, length = 0;
  for (int e = i->first; e < i->last; e++) squared += p0[s->col[e]] * p0[s->col[e]];
  const double speed = i->inverse_mass * sqrt(squared), w = t * speed / i->radius, stretch = t * i->inverse_mass * sinc(w);
  const double cosine = cos(w), back = sin(w) * speed / (i->radius * i->inverse_mass);
  for (int e = i->first; e < i->last; e++) {
    const int k = s->col[e];
    const double x = z0[k] - s->centre[k], x1 = x * cosine + p0[k] * stretch;
    z1[k] = x1;
    p1[k] = p0[k] * cosine - x * back;
    length += x1 * x1;
  }
  const double scale = i->radius / sqrt(length);
  double g = -i->radius * i->radius;
  for (int e = i->first; e < i->last; e++) {
    const int k = s->col[e];
    z1[k] = s->centre[k] + z1[k] * scale;
    g += (z1[k] - s->centre[k]) * (z1[k] - s->centre[k]);
  }
  rattle_residuals *seen = &s->context->residuals;
  seen->g = fmax(seen->g, fabs(i->c * g));
}

static rattle_status slide(rattle__geodesic *geodesic, double *z, rattle_error *error) {
  spheres *s = geodesic->self;
  rattle_residuals *seen = &s->context->residuals;
  (void)error;
  for (int i = 0; i < s->m; i++) seen->psi = fmax(seen->psi, flatten(s, &s->sphere[i], z));
  s->context->counts.momentum_projections += s->m > 0;
  return RATTLE_OK;
}

static rattle_status flow(rattle__geodesic *geodesic, double t, const double *z0, double *z1, rattle_error *error) {
  spheres *s = geodesic->self;
  (void)error;
  for (int k = 0; k < s->n; k++)
    if (s->is_free[k]) {
      z1[k] = z0[k] + rattle__mass_times(s->context->problem->mass, t, k, z0 + s->n);
      z1[s->n + k] = z0[s->n + k];
    }
  for (int i = 0; i < s->m; i++) {
    turn(s, &s->sphere[i], t, z0, z1);
    flatten(s, &s->sphere[i], z1);
  }
  s->context->counts.position_projections += s->m > 0;
  return RATTLE_OK;
}

/* Whether x and y are the same number except for round-off. */
static int same(double x, double y) {
  return fabs(x - y) <= 8 * DBL_EPSILON * fabs(x);
}

/* The curvature 2 c of row i: that of each of its coordinates, alone. 0: no sphere. S: sum of the Hessians of all g. */
static double curvature(const rattle__function *g, const double *S, int i) {
  double all = 0;
  for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
    double own = 0;
    for (int f = g->hess_ptr[g->jac_col[e]]; f < g->hess_ptr[g->jac_col[e] + 1]; f++) {
      if (g->hess_col[f] == g->jac_col[e])
        own = S[f];
      else if (S[f] != 0)
        return 0;
    }
    if (e > g->jac_ptr[i] && !same(own, all)) return 0;
    all = own;
  }
  return all;
}

/* Whether no coordinate is in two constraints; marks those that are in none. */
static int are_apart(const rattle__function *g, int n, int *is_free) {
  for (int k = 0; k < n; k++) is_free[k] = 1;
  for (int e = 0; g && e < g->jac_nnz; e++) {
    if (!is_free[g->jac_col[e]]) return 0;
    is_free[g->jac_col[e]] = 0;
  }
  return 1;
}

/* The spheres from g, G at q = 0 and the constant second derivatives. Returns 0 if a constraint is none. */
static int recognise(spheres *s, const rattle__function *g, const double *value, const double *J, const double *S) {
  for (int i = 0; i < s->m; i++) {
    const double twice = curvature(g, S, i);
    double squared = 0;
    sphere *to = &s->sphere[i];
    if (twice == 0) return 0;
    *to = (sphere){g->jac_ptr[i], g->jac_ptr[i + 1], twice / 2, 0, s->inverse_mass[s->col[g->jac_ptr[i]]]};
    for (int e = to->first; e < to->last; e++) {
      if (!same(s->inverse_mass[s->col[e]], to->inverse_mass)) return 0;
      s->centre[s->col[e]] = -J[e] / twice;
      squared += s->centre[s->col[e]] * s->centre[s->col[e]];
    }
    squared -= value[i] / to->c;
    if (!(squared > 0)) return 0;
    to->radius = sqrt(squared);
  }
  return 1;
}

rattle_status rattle__spheres_create(rattle__geodesic **geodesic, rattle__context *context, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *g = problem->g;
  rattle__arena *arena = &context->arena;
  const size_t n = (size_t)problem->n, m = (size_t)problem->m;
  *geodesic = NULL;
  if (problem->mass->value && m) return RATTLE_OK;
  if (m && (!(problem->flags & RATTLE_QUADRATIC_G) || !g->hessian)) return RATTLE_OK;
  spheres *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (spheres){.context = context,
                 .n = problem->n,
                 .m = problem->m,
                 .col = g ? g->jac_col : NULL,
                 .sphere = rattle__arena_take(arena, m * sizeof *s->sphere),
                 .centre = rattle__arena_doubles(arena, n),
                 .is_free = rattle__arena_take(arena, n * sizeof *s->is_free),
                 .inverse_mass = problem->mass->diagonal};
  s->geodesic = (rattle__geodesic){.flow = flow, .slide = slide, .self = s};
  double *zero = rattle__arena_doubles(arena, n), *ones = rattle__arena_doubles(arena, m),
         *value = rattle__arena_doubles(arena, m);
  double *J = m ? rattle__arena_doubles(arena, (size_t)g->jac_nnz) : NULL;
  double *S = m ? rattle__arena_doubles(arena, (size_t)g->hess_nnz) : NULL;
  double *work = m ? rattle__arena_doubles(arena, g->work) : NULL;
  if (arena->failed) return rattle__no_memory(error);
  if (!are_apart(g, s->n, s->is_free)) return RATTLE_OK;
  for (size_t i = 0; i < m; i++) ones[i] = 1;
  int answer = m ? g->jacobian(g, zero, value, J, work) : 0;
  if (!answer && m) answer = g->hessian(g, zero, ones, S, work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  if (!m || recognise(s, g, value, J, S)) *geodesic = &s->geodesic;
  return RATTLE_OK;
}
