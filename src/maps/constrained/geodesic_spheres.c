/* Geodesics of spheres and of products of spheres, exactly.
 *
 * Map      g_i = c_i (|x|^2 - r_i^2), x = q_I - centre_i for coordinates I that no other g has, of
 *          equal masses (M diagonal):
 *          x1 = x cos w + t v sin w/w,  v1 = v cos w - x (|v|/r) sin w,  w = t |v|/r;   q += t v
 *          for the rest, of which
 *          time has the velocity 1
 * Symbols  v = M^-1 p; I the columns of row i of G
 * Source   great circles; E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006),
 *          VII.1.4 for the setting
 * Claims   exact; symmetric and symplectic to round-off. x1 is brought back to length r, v1 to its
 *          tangent plane, at round-off
 * Fails    never */
#include <float.h>
#include <math.h>
#include <string.h>

#include "maps/constrained/geodesic.h"
#include "ground/support/number.h"

typedef struct sphere {
  int first, last; /* places in col */
  double c, radius, inverse_mass;
  double bend; /* 1/radius^2 */
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
  rattle__turning turning;
} spheres;

static double drifted(const spheres *s, double t, int k, const double *p) {
  const rattle__mass *W = s->context->problem->mass;
  return k == W->clock - 1 ? t : rattle__mass_times(W, t, k, p);
}

#define SELF ((const spheres *)k->self)
#define KERNEL_INLINE static inline
#define N (SELF->n)
#define EACH_FREE(DO)                                                                              \
  for (int c_ = 0; c_ < N; c_++)                                                                   \
    if (SELF->is_free[c_]) {                                                                       \
      DO(c_)                                                                                       \
    }
#define EACH_SPHERE(DO)                                                                            \
  for (int i_ = 0; i_ < SELF->m; i_++) {                                                           \
    DO(i_)                                                                                         \
  }
#define COORDINATES(DO)                                                                            \
  for (int i_ = 0; i_ < SELF->m; i_++)                                                             \
    for (int e_ = SELF->sphere[i_].first; e_ < SELF->sphere[i_].last; e_++) {                      \
      DO(SELF->col[e_], i_, e_ == SELF->sphere[i_].first)                                          \
    }
#define DRIFTED(t, k_, p) drifted(SELF, t, k_, p)
#define CENTRE(k_) SELF->centre[k_]
#define CURVATURE(i) SELF->sphere[i].c
#define RADIUS(i) SELF->sphere[i].radius
#define BEND(i) SELF->sphere[i].bend
#define INVERSE_MASS_OF(i) SELF->sphere[i].inverse_mass
#include "maps/constrained/spheres_kernel.h"

/* Hands the kernel's residuals to the context. */
static void note(spheres *s) {
  rattle_residuals *seen = &s->context->residuals;
  seen->g = fmax(seen->g, s->turning.g);
  seen->psi = fmax(seen->psi, s->turning.psi);
  s->turning.g = s->turning.psi = 0;
}

static rattle_status slide(rattle__geodesic *geodesic, double *z, rattle_error *error) {
  spheres *s = geodesic->self;
  (void)error;
  rattle_level(&s->turning, z);
  note(s);
  s->context->counts.momentum_projections += s->m > 0;
  return RATTLE_OK;
}

static rattle_status flow(rattle__geodesic *geodesic, double t, const double *z0, double *z1,
                          rattle_error *error) {
  spheres *s = geodesic->self;
  (void)error;
  rattle_flow(&s->turning, t, z0, z1);
  note(s);
  s->context->counts.position_projections += s->m > 0;
  return RATTLE_OK;
}

/* --- the text for one problem --- */

static void write_numbers(FILE *out, const char *name, const spheres *s,
                          double (*of)(const spheres *, int), int count) {
  char number[RATTLE__NUMBER_ROOM];
  fprintf(out, "static const double of_%s[] = {", name);
  for (int i = 0; i < count; i++) fprintf(out, "%s,", rattle__number_hex(of(s, i), number));
  fprintf(out, "0};\n#define %s(i) of_%s[i]\n", name, name);
}

static double centre_of(const spheres *s, int k) {
  return s->centre[k];
}
static double mass_of(const spheres *s, int k) {
  return s->inverse_mass[k];
}
static double curvature_of(const spheres *s, int i) {
  return s->sphere[i].c;
}
static double radius_of(const spheres *s, int i) {
  return s->sphere[i].radius;
}
static double bend_of(const spheres *s, int i) {
  return s->sphere[i].bend;
}
static double mass_of_sphere(const spheres *s, int i) {
  return s->sphere[i].inverse_mass;
}

static void write_lists(FILE *out, const spheres *s) {
  fprintf(out, "#define EACH_FREE(DO)");
  for (int k = 0; k < s->n; k++)
    if (s->is_free[k]) fprintf(out, " DO(%d)", k);
  fprintf(out, "\n#define EACH_SPHERE(DO)");
  for (int i = 0; i < s->m; i++) fprintf(out, " DO(%d)", i);
  fprintf(out, "\n#define COORDINATES(DO)");
  for (int i = 0; i < s->m; i++)
    for (int e = s->sphere[i].first; e < s->sphere[i].last; e++)
      fprintf(out, " DO(%d, %d, %d)", s->col[e], i, e == s->sphere[i].first);
  fputc('\n', out);
}

static int write(const rattle__geodesic *geodesic, FILE *out) {
  enum { COORDINATES_MOST = 48 };
  const spheres *s = geodesic->self;
  if (s->n > COORDINATES_MOST || s->context->problem->mass->value) return 0;
  write_numbers(out, "INVERSE_MASS", s, mass_of, s->n);
  write_numbers(out, "CENTRE", s, centre_of, s->n);
  write_numbers(out, "CURVATURE", s, curvature_of, s->m);
  write_numbers(out, "RADIUS", s, radius_of, s->m);
  write_numbers(out, "BEND", s, bend_of, s->m);
  write_numbers(out, "INVERSE_MASS_OF", s, mass_of_sphere, s->m);
  fprintf(out, "#define DRIFTED(t, k_, p) (k_ == %d ? t : t * INVERSE_MASS(k_) * (p)[k_])\n",
          s->context->problem->mass->clock - 1);
  write_lists(out, s);
  return 1;
}

/* --- recognising them --- */

/* True if x and y are the same number except for round-off. */
static int same(double x, double y) {
  return fabs(x - y) <= 8 * DBL_EPSILON * fabs(x);
}

/* The curvature 2 c of row i: that of each of its coordinates, alone. 0: no sphere. S: sum of the
 * Hessians of all g. */
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

/* True if no coordinate is in two constraints; marks those that are in none. */
static int are_apart(const rattle__function *g, int n, int *is_free) {
  for (int k = 0; k < n; k++) is_free[k] = 1;
  for (int e = 0; g && e < g->jac_nnz; e++) {
    if (!is_free[g->jac_col[e]]) return 0;
    is_free[g->jac_col[e]] = 0;
  }
  return 1;
}

/* The spheres from g, G at q = 0 and the constant second derivatives. Returns 0 if a constraint is
 * none. */
static int recognise(spheres *s, const rattle__function *g, const double *value, const double *J,
                     const double *S) {
  for (int i = 0; i < s->m; i++) {
    const double twice = curvature(g, S, i);
    double squared = 0;
    sphere *to = &s->sphere[i];
    if (twice == 0) return 0;
    *to = (sphere){.first = g->jac_ptr[i],
                   .last = g->jac_ptr[i + 1],
                   .c = twice / 2,
                   .inverse_mass = s->inverse_mass[s->col[g->jac_ptr[i]]]};
    for (int e = to->first; e < to->last; e++) {
      if (!same(s->inverse_mass[s->col[e]], to->inverse_mass)) return 0;
      s->centre[s->col[e]] = -J[e] / twice;
      squared += s->centre[s->col[e]] * s->centre[s->col[e]];
    }
    squared -= value[i] / to->c;
    if (!(squared > 0)) return 0;
    to->radius = sqrt(squared);
    to->bend = 1 / squared;
  }
  return 1;
}

rattle_status rattle__spheres_create(rattle__geodesic **geodesic, rattle__context *context,
                                     rattle_error *error) {
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
  s->geodesic = (rattle__geodesic){.flow = flow, .slide = slide, .write = write, .self = s};
  s->turning.self = s;
  const rattle__array scratch[] = {{&s->turning.sum, m},
                                   {&s->turning.cosine, m},
                                   {&s->turning.stretch, m},
                                   {&s->turning.back, m}};
  RATTLE__LAY_OUT(arena, scratch);
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
