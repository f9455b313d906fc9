/* Certificates of steps: what is proved is within the radius of the exact end of the curve, by a
 * closed form and by a continuation in long double; no other root is ever certified. With a number
 * as argument, so many starts of each kind are attacked: test_certify 4000. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"

static int attacks = 40; /* starts of each kind */

/* --- models ----------------------------------------------------------------------------------- */

typedef struct scene {
  rattle_model *model;
  rattle_problem *problem;
  rattle_certifier *certifier;
  double q[16], p[16];
  rattle_error error;
} scene;

static rattle_status open_scene(scene *s, const char *text, const char *method) {
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  memset(s, 0, sizeof *s);
  if (rattle_model_parse(&s->model, text, "certify", NULL, &s->error) ||
      rattle_problem_create(&s->problem, s->model, &how, &s->error))
    fail_msg("%s", s->error.message);
  return rattle_certifier_create(&s->certifier, s->problem, method, &s->error);
}

static void close_scene(scene *s) {
  rattle_certifier_destroy(&s->certifier);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

static const char pendulum[] =
    "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2 + y)"
    "constrain('rod', x^2 + y^2 - 1) start { x = 1, py = -2 }";
static const char double_pendulum[] =
    "local a, pa = pair('a') local b, pb = pair('b') local c, pc = pair('c')"
    "local d, pd = pair('d') hamiltonian((pa^2 + pb^2)/2 + pc^2/3 + pd^2/3 + b + 1.5*d)"
    "constrain('one', a^2 + b^2 - 1) constrain('two', (c - a)^2 + (d - b)^2 - 0.49)"
    "start { a = 1, c = 1, d = 0.7, pb = 1, pc = -0.5, pd = 0.8, project = true }";
/* at rest: all residuals are exactly 0 */
static const char at_rest[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "hamiltonian((px^2 + py^2 + pz^2)/2) constrain('plane', z) constrain('circle', x^2 + y^2 - 1)"
    "start { x = 1 }";
/* two constraints whose normals are nearly parallel: y > 0 for ever, and the first step of 0.085
 * finds y < 0 */
static const char saddle[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "hamiltonian(0.35*px^2 + 0.5*py^2 + 0.5*pz^2 - 0.04*x)"
    "constrain('saddle', 200*z + y^2 - 64*x^2 - 7e-9) constrain('plane', z)"
    "start { x = 0.02, y = 0.155, px = -0.32, py = -1.83, project = true }";

static rattle_certificate certify(scene *s, double h, long long steps) {
  rattle_certificate c = {.struct_size = sizeof c};
  rattle_state state = {.struct_size = sizeof state, .q = s->q, .p = s->p, .h = h};
  if (rattle_problem_start(s->problem, 1, s->q, s->p, NULL, &s->error) ||
      rattle_certifier_step(s->certifier, &state, steps, &c, &s->error))
    fail_msg("%s", s->error.message);
  return c;
}

static void test_runs(void **state) {
  static const struct {
    const char *text, *method;
    double h;
    int substeps;
  } run[] = {{pendulum, "rattle(verlet)", 0.1, 1},
             {pendulum, "rattle(symplectic_euler)", -0.1, 1},
             {pendulum, "kahan_li8(rattle(verlet))", 0.2, 17},
             {at_rest, "rattle(verlet)", 0.1, 1},
             {double_pendulum, "rattle(verlet)", 0.05, 1},
             {double_pendulum, "rattle(symplectic_euler(b))", 0.05, 1},
             {double_pendulum, "shake(verlet)", 0.05, 1},
             {double_pendulum, "suzuki4(rattle(verlet))", 0.1, 5}};
  (void)state;
  for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
    scene s;
    if (open_scene(&s, run[k].text, run[k].method)) fail_msg("%s", s.error.message);
    const rattle_certificate c = certify(&s, run[k].h, 50);
    assert_int_equal(c.steps, 50);
    assert_int_equal(c.substeps, 50 * run[k].substeps);
    assert_int_equal(c.one_piece, c.substeps);
    assert_int_equal(c.pieces, c.substeps);
    assert_int_equal(c.step, 0);
    assert_true(c.units >= 0 && c.units < 100);
    close_scene(&s);
  }
}

/* q1 of the pendulum in closed form: the nearer root of |q' - 2 s q0|^2 = 1 + (1 - t) 2 g0 at t = 1
 * is within the radius, and a point that is farther away than that is said to be. */
static void test_radius(void **state) {
  (void)state;
  scene s;
  if (open_scene(&s, pendulum, "rattle(verlet)")) fail_msg("%s", s.error.message);
  const double h = 0.3;
  for (int k = 0; k < 40; k++) {
    rattle_certificate c = {.struct_size = sizeof c};
    const double angle = 0.1 * k, speed = 0.05 * k - 1;
    double q[2] = {cos(angle), sin(angle)}, p[2] = {-speed * q[1], speed * q[0]};
    const double q0[2] = {q[0], q[1]}, p0[2] = {p[0], p[1]};
    rattle_state at = {.struct_size = sizeof at, .q = q, .p = p, .h = h};
    assert_int_equal(rattle_certifier_step(s.certifier, &at, 1, &c, &s.error), RATTLE_OK);
    assert_int_equal(c.one_piece, 1);
    const long double x = q0[0], y = q0[1], f = q0[0] + (long double)h * p0[0],
                      e = q0[1] + (long double)h * p0[1] - (long double)h * h / 2;
    const long double A = 4 * (x * x + y * y), B = 2 * (f * x + e * y), D = f * f + e * e - 1;
    const long double root = D / (B + sqrtl(B * B - A * D)); /* A s^2 - 2 B s + D = 0 */
    const long double off = fmaxl(fabsl(f - 2 * root * x - q[0]), fabsl(e - 2 * root * y - q[1]));
    assert_true(off <= c.radius && c.radius < 20 * 0x1p-52);
    q[0] += 1e-9; /* the right root, found badly */
    rattle_certificate worse = {.struct_size = sizeof worse};
    assert_int_equal(rattle_certifier_check(s.certifier, h, q0, p0, q, &worse, &s.error),
                     RATTLE_OK);
    assert_int_equal(worse.one_piece + worse.tracked, 1);
    assert_true(worse.radius > 0.5e-9 && worse.radius < 2e-9);
  }
  close_scene(&s);
}

static void test_saddle(void **state) {
  (void)state;
  scene s;
  /* Newton's iteration on sparse rows ends there without doubt */
  if (open_scene(&s, saddle, "rattle(verlet, solver=newton)")) fail_msg("%s", s.error.message);
  rattle_certificate c = certify(&s, 0.085, 1);
  assert_int_equal(c.one_piece + c.tracked, 0);
  assert_int_equal(c.step, 1);
  /* the way in y, 0.085 * 1.83, meets the fold, where y = 8.4e-5, at 0.997 of the step */
  assert_float_equal(c.reached, 0.9972, 1e-4);
  /* the fold: near it the smallest singular value falls as the root of what is left */
  assert_in_range(c.row, 0, 1);
  assert_true(c.margin < 0 && c.singular_value > 0 && c.singular_value < 1e-6);
  c = certify(&s, 0.0085, 8);
  assert_int_equal(c.one_piece + c.tracked, 8);
  assert_true(s.q[1] > 0);
  close_scene(&s);
}

/* Runs whose steps are proved as they are made: those of a run without, bit for bit, up to the step
 * that is not proved, which changes nothing. */
static void test_certified_runs(void **state) {
  static const struct {
    const char *text, *method;
    double h;
    int steps, proven, tracked;
  } run[] = {{pendulum, "rattle(verlet)", 0.1, 50, 50, 0},
             {double_pendulum, "suzuki4(rattle(verlet))", 0.1, 50, 50, 0},
             {saddle, "rattle(verlet)", 0.0085, 8, 8, 0},
             {saddle, "rattle(verlet, solver=newton)", 0.085, 3, 0, 0}};
  (void)state;
  for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
    scene s;
    double q[16], p[16];
    if (open_scene(&s, run[k].text, run[k].method)) fail_msg("%s", s.error.message);
    rattle_integrator *plain = NULL, *proving = NULL;
    assert_int_equal(rattle_integrator_create(&plain, s.problem, run[k].method, &s.error), 0);
    assert_int_equal(rattle_integrator_create(&proving, s.problem, run[k].method, &s.error), 0);
    assert_int_equal(rattle_integrator_certify(proving, &s.error), RATTLE_OK);
    assert_int_equal(rattle_problem_start(s.problem, 1, s.q, s.p, NULL, &s.error), RATTLE_OK);
    memcpy(q, s.q, sizeof q), memcpy(p, s.p, sizeof p);
    rattle_state at = {.struct_size = sizeof at, .q = s.q, .p = s.p, .h = run[k].h}, other = at;
    other.q = q, other.p = p;
    const rattle_status status = rattle_integrator_step(proving, &at, run[k].steps, &s.error);
    const long long made = run[k].proven + run[k].tracked;
    assert_int_equal(status, made == run[k].steps ? RATTLE_OK : RATTLE_DEGENERATE);
    assert_int_equal(at.step, made);
    assert_int_equal(rattle_integrator_step(plain, &other, made, &s.error), RATTLE_OK);
    assert_memory_equal(q, s.q, sizeof q);
    assert_memory_equal(p, s.p, sizeof p);
    const rattle_counts counts = rattle_integrator_counts(proving);
    assert_int_equal(counts.proven, run[k].proven);
    assert_int_equal(counts.tracked, run[k].tracked);
    assert_int_equal(rattle_integrator_counts(plain).proven, 0);
    rattle_certificate c = {.struct_size = sizeof c};
    assert_int_equal(rattle_integrator_certificate(plain, &c), 0);
    assert_int_equal(rattle_integrator_certificate(proving, &c), 1);
    assert_int_equal(c.steps, made);
    assert_int_equal(c.step, status ? made + 1 : 0);
    rattle_integrator_destroy(&plain), rattle_integrator_destroy(&proving);
    close_scene(&s);
  }
}

/* Where the curve of a long step from one branch of y^2 - 4 x^2 = gap to the other ends: the first t
 * at which the line along the normal of the start touches the branch, in long double. */
static long double fold(const double *q, const double *d, double gap) {
  const long double nx = -8 * (long double)q[0], ny = 2 * (long double)q[1];
  const long double g0 = (long double)q[1] * q[1] - 4 * (long double)q[0] * q[0] - gap;
  long double low = 0, high = 1;
  for (int k = 0; k < 2000 + 200; k++) { /* steps up to the first without a root, then halves */
    const long double t = k < 2000 ? k / 2000.0L : (low + high) / 2;
    const long double x = q[0] + t * d[0], y = q[1] + t * d[1];
    const long double A = ny * ny - 4 * nx * nx, B = 2 * (y * ny - 4 * x * nx),
                      C = y * y - 4 * x * x - gap - (1 - t) * g0;
    const int real_roots = B * B - 4 * A * C > 0 || t == 0;
    if (real_roots)
      low = t;
    else
      high = t;
    if (!real_roots && k < 2000) k = 1999;
  }
  return low;
}

/* A step over a gap is known up to the fold, to three digits and more, and the smallest singular
 * value falls to 0 there. */
static void test_folds(void **state) {
  (void)state;
  for (double gap = 1e-1; gap > 5e-4; gap /= 10) {
    char text[400];
    scene s;
    snprintf(text, sizeof text,
             "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
             "hamiltonian((px^2 + py^2 + pz^2)/2) constrain('saddle', y^2 - 4*x^2 - %.17g)"
             "constrain('plane', z) start { x = -0.5, y = 1 }",
             gap);
    if (open_scene(&s, text, "rattle(verlet)")) fail_msg("%s", s.error.message);
    for (int k = 0; k < 10; k++) {
      const double x = -0.3 - 0.05 * k, y = sqrt(4 * x * x + gap), slope = 4 * x / y,
                   h = 0.8 + 0.07 * k;
      const double q0[3] = {x, y, 0}, p0[3] = {1, slope, 0}, d[2] = {h, h * slope};
      rattle_certificate c = {.struct_size = sizeof c};
      assert_int_equal(rattle_certifier_check(s.certifier, h, q0, p0, q0, &c, &s.error), 0);
      const double end = (double)fold(q0, d, gap);
      assert_int_equal(c.open, 1);
      assert_true(c.reached <= end * (1 + 1e-15) && c.reached >= end * (1 - 1e-9));
      assert_true(c.singular_value < 1e-6 && c.margin < 0);
    }
    close_scene(&s);
  }
}

/* By default, by any method that is made of these steps, the same step over the gap is refused, or
 * ends where y > 0, as it is for ever. */
static void test_saddle_by_default(void **state) {
  static const char *const method[] = {"rattle(verlet)", "shake(verlet)",
                                       "rattle(symplectic_euler)", "suzuki4(rattle(verlet))"};
  (void)state;
  for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
    scene s;
    if (open_scene(&s, saddle, method[k])) fail_msg("%s", s.error.message);
    rattle_integrator *integrator = rattle_certifier_integrator(s.certifier);
    rattle_state at = {.struct_size = sizeof at, .q = s.q, .p = s.p, .h = 0.085};
    assert_int_equal(rattle_problem_start(s.problem, 1, s.q, s.p, NULL, &s.error), RATTLE_OK);
    const rattle_status status = rattle_integrator_step(integrator, &at, 30, &s.error);
    if (status) assert_int_equal(status, RATTLE_DEGENERATE);
    assert_true(s.q[1] > 0);
    close_scene(&s);
  }
}

static void test_refusals(void **state) {
  static const struct {
    const char *text, *method, *says;
  } no[] = {{pendulum, "rattle(verlet(b))", "depends on the multipliers"},
            {pendulum, "spark(2)", "others than those of the theorem"},
            {pendulum, "rattle(verlet, project=output)", "other points than its steps"},
            {pendulum, "rattle(verlet, compensated)", "digits beyond a double"},
            {"local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)"
             "constrain('curve', y - x^3) start { x = 1, y = 1 }",
             "rattle(verlet)", "polynomials of degree 2"},
            {"local x, px = pair('x') hamiltonian(px^2/2 + x^2) start { x = 1 }", "verlet",
             "no constraints"}};
  (void)state;
  for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
    scene s;
    assert_int_equal(open_scene(&s, no[k].text, no[k].method), RATTLE_UNSUITABLE);
    if (!strstr(s.error.message, no[k].says)) fail_msg("%s", s.error.message);
    assert_null(s.certifier);
    close_scene(&s);
  }
}

/* --- attacks ---------------------------------------------------------------------------------- */

enum { N = 6, M = 3 };
typedef long double real;

/* g_i = q S_i q/2 + b_i q + c_i, H = sum w p^2/2 + weight q */
typedef struct quadrics {
  int n, m;
  double w[N], weight[N], S[M][N][N], b[M][N], c[M];
  real q[N], p[N], h, G0[M][N], level[M];
} quadrics;

static uint64_t seed = 1;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}
static double normal(void) {
  return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static void evaluate(const quadrics *k, const real *q, real *g, real (*G)[N]) {
  for (int i = 0; i < k->m; i++) {
    g[i] = k->c[i];
    for (int a = 0; a < k->n; a++) {
      real row = 0;
      for (int b = 0; b < k->n; b++) row += k->S[i][a][b] * q[b];
      G[i][a] = row + k->b[i][a];
      g[i] += (row / 2 + k->b[i][a]) * q[a];
    }
  }
}

/* x becomes A^-1 x; the determinant */
static real solve(int m, real (*A)[M], real *x) {
  real det = 1;
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
    for (int j = 0; j < m && best != k; j++) {
      const real swap = A[k][j];
      A[k][j] = A[best][j], A[best][j] = swap;
    }
    if (best != k) {
      const real swap = x[k];
      x[k] = x[best], x[best] = swap, det = -det;
    }
    det *= A[k][k];
    for (int i = k + 1; i < m; i++) {
      const real f = A[i][k] / A[k][k];
      for (int j = k; j < m; j++) A[i][j] -= f * A[k][j];
      x[i] -= f * x[k];
    }
  }
  for (int i = m; i-- > 0;) {
    for (int j = i + 1; j < m; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
  return det;
}

static void place(const quadrics *k, const real *s, real t, real *q) {
  for (int a = 0; a < k->n; a++) {
    q[a] = k->q[a] + k->w[a] * (t * k->h * k->p[a] - t * t * k->h * k->h / 2 * k->weight[a]);
    for (int i = 0; i < k->m; i++) q[a] -= k->w[a] * k->G0[i][a] * s[i];
  }
}

/* Newton's iteration at t; 1: it converged, without a change of sign of the determinant from *sign
 * if that is not 0, and from its first correction on by a factor 64 each. */
static int newton(const quadrics *k, real *s, real t, int careful, real *det) {
  real before = INFINITY;
  for (int step = 0; step < 60; step++) {
    real q[N], g[M], G[M][N], J[M][M], most = 0, size = 1e-4L;
    place(k, s, t, q);
    evaluate(k, q, g, G);
    for (int i = 0; i < k->m; i++) {
      g[i] -= (1 - t) * k->level[i];
      for (int j = 0; j < k->m; j++) {
        J[i][j] = 0;
        for (int a = 0; a < k->n; a++) J[i][j] += G[i][a] * k->w[a] * k->G0[j][a];
      }
    }
    *det = solve(k->m, J, g);
    for (int i = 0; i < k->m; i++) {
      most = fmaxl(most, fabsl(g[i]));
      s[i] += g[i];
      size = fmaxl(size, fabsl(s[i]));
    }
    if (!(most < 1e20L)) return 0;
    if (most < 1e-17L * size || (step > 2 && most > before / 2 && most < 1e-8L * size)) return 1;
    if (careful && step == 1 && most > before / 64 && most > 1e-9L * size) return 0;
    before = most;
  }
  return 0;
}

/* The end of the curve by continuation with steps of at most `longest`; 0: it has none. */
static int continuation(const quadrics *k, real longest, real *s) {
  real t = 0, way = longest, det, last, slow[M] = {0};
  memset(s, 0, M * sizeof *s);
  if (!newton(k, s, 0, 0, &last)) return 0;
  memset(s, 0, M * sizeof *s);
  real speed[M] = {0};
  for (int steps = 0; t < 1; steps++) {
    real next[M];
    if (steps > 3000 + 3 / longest) return 0;
    const real to = t + way > 1 ? 1 : t + way;
    for (int i = 0; i < k->m; i++) next[i] = s[i] + (to - t) * speed[i];
    if (newton(k, next, to, 1, &det) && det * last > 0) {
      for (int i = 0; i < k->m; i++) slow[i] = (next[i] - s[i]) / (to - t), speed[i] = slow[i];
      memcpy(s, next, sizeof next);
      t = to, last = det;
      way = fminl(longest, 1.5L * way);
    } else {
      way /= 2;
      if (way < 1e-16L) return 0;
    }
  }
  return 1;
}

static void write_text(const quadrics *k, char *text, size_t size) {
  size_t at = 0;
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  PUT("local q, p = {}, {} for i = 1, %d do q[i], p[i] = pair('q' .. i) end hamiltonian(0", k->n);
  for (int a = 0; a < k->n; a++)
    PUT(" + %.17g*p[%d]^2 + %.17g*q[%d]", k->w[a] / 2, a + 1, k->weight[a], a + 1);
  PUT(")");
  for (int i = 0; i < k->m; i++) {
    PUT(" constrain('g%d', %.17g", i, k->c[i]);
    for (int a = 0; a < k->n; a++) {
      PUT(" + %.17g*q[%d]", k->b[i][a], a + 1);
      for (int b = 0; b <= a; b++)
        if (k->S[i][a][b] != 0)
          PUT(" + %.17g*q[%d]*q[%d]", a == b ? k->S[i][a][b] / 2 : k->S[i][a][b], a + 1, b + 1);
    }
    PUT(")");
  }
  PUT(" start {}");
#undef PUT
  assert_true(at < size);
}

typedef struct tally {
  long candidates, right, other, none, certified, refuted, bad, unjudged;
  long stepped, astray, refused; /* by default: steps made, of these wrong; right ones refused */
} tally;

static real apart(const quadrics *k, const real *s, const double *q1) {
  real q[N], most = 0;
  place(k, s, 1, q);
  for (int a = 0; a < k->n; a++) most = fmaxl(most, fabsl(q[a] - q1[a]));
  return most;
}

/* One candidate: another root perhaps, by Newton's iteration from somewhere. */
static void try_candidate(scene *by, const quadrics *k, const real *truth, int exists, tally *t) {
  real s[M] = {0}, q[N], det, end[M];
  double q1[N], q0[N], p0[N];
  const real spread = expl(2 * normal()) * k->h * k->h;
  for (int i = 0; i < k->m; i++) s[i] = spread * normal();
  if (!newton(k, s, 1, 0, &det)) return;
  place(k, s, 1, q);
  for (int a = 0; a < k->n; a++)
    q1[a] = (double)q[a], q0[a] = (double)k->q[a], p0[a] = (double)k->p[a];
  rattle_certificate c = {.struct_size = sizeof c};
  if (rattle_certifier_check(by->certifier, (double)k->h, q0, p0, q1, &c, &by->error))
    fail_msg("%s", by->error.message);
  const int certified = (int)(c.one_piece + c.tracked);
  int right = exists && apart(k, truth, q1) < 1e-9L;
  if (certified && !(exists && apart(k, truth, q1) <= c.radius * (1 + 1e-6L) + 1e-17L)) {
    /* is it the judge? once more with care */
    const int there = continuation(k, 1e-3L, end);
    right = there && apart(k, end, q1) < 1e-9L;
    t->bad += there && !(apart(k, end, q1) <= c.radius * (1 + 1e-6L) + 1e-15L);
    t->unjudged += !there;
  }
  t->candidates++, t->certified += certified, t->refuted += c.wrong;
  t->right += right, t->other += exists && !right, t->none += !exists;
  if (c.wrong && right) t->bad++;
}

/* The step as it is made by default, without any request for a proof. */
static void try_default(scene *by, const quadrics *k, const real *truth, int exists, tally *t) {
  double q[N], p[N];
  for (int a = 0; a < k->n; a++) q[a] = (double)k->q[a], p[a] = (double)k->p[a];
  rattle_integrator *integrator = rattle_certifier_integrator(by->certifier);
  rattle_state at = {.struct_size = sizeof at, .q = q, .p = p, .h = (double)k->h};
  const rattle_status status = rattle_integrator_step(integrator, &at, 1, &by->error);
  if (status) {
    t->refused += exists;
    return;
  }
  t->stepped++;
  if (exists && apart(k, truth, q) < 1e-9L) return;
  /* few digits are known of it, or is it the judge? */
  double q0[N], p0[N];
  for (int a = 0; a < k->n; a++) q0[a] = (double)k->q[a], p0[a] = (double)k->p[a];
  rattle_certificate c = {.struct_size = sizeof c};
  if (rattle_certifier_check(by->certifier, at.h, q0, p0, q, &c, &by->error))
    fail_msg("%s", by->error.message);
  real end[M];
  t->astray += !continuation(k, 1e-3L, end) || !(apart(k, end, q) <= 1e-9L + c.radius);
}

static void begin(quadrics *k) {
  real g[M], A[M][M], psi[M];
  for (int i = 0; i < k->m; i++) k->c[i] = 0;
  evaluate(k, k->q, g, k->G0);
  for (int i = 0; i < k->m; i++) k->c[i] = (double)-g[i];
  evaluate(k, k->q, k->level, k->G0);
  for (int i = 0; i < k->m; i++) {
    psi[i] = 0;
    for (int a = 0; a < k->n; a++) psi[i] += k->G0[i][a] * k->w[a] * k->p[a];
    for (int j = 0; j < k->m; j++) {
      A[i][j] = 0;
      for (int a = 0; a < k->n; a++) A[i][j] += k->G0[i][a] * k->w[a] * k->G0[j][a];
    }
  }
  solve(k->m, A, psi);
  for (int a = 0; a < k->n; a++) {
    for (int i = 0; i < k->m; i++) k->p[a] -= k->G0[i][a] * psi[i];
    k->p[a] = (double)k->p[a];
  }
}

/* n coordinates, m constraints; near: how much a second normal differs from the first one. */
static void random_quadrics(quadrics *k, int n, int m, double near) {
  *k = (quadrics){.n = n, .m = m, .h = pow(10, 0.5 - 2 * uniform())};
  for (int a = 0; a < n; a++) {
    k->q[a] = normal(), k->p[a] = normal();
    k->w[a] = exp(0.5 * normal()), k->weight[a] = 0.3 * normal();
  }
  for (int i = 0; i < m; i++)
    for (int a = 0; a < n; a++) {
      k->b[i][a] = normal();
      for (int b = 0; b <= a; b++) k->S[i][a][b] = k->S[i][b][a] = normal();
    }
  for (int a = 0; a < n && m > 1; a++) {
    real slope = k->b[0][a];
    for (int b = 0; b < n; b++) slope += (k->S[0][a][b] - k->S[1][a][b]) * k->q[b];
    k->b[1][a] = (double)slope + near * normal();
  }
}

/* Two cylinders with a gap: x^2 + y^2 = 1, y^2 + z^2 = (1 + gap)^2. */
static void cylinders(quadrics *k, double gap) {
  const double phi = pow(10, -4 * uniform()), way = uniform() < 0.5 ? 1 : -1;
  *k = (quadrics){.n = 3, .m = 2, .w = {1, 1, 1}, .h = pow(10, 0.3 - 2 * uniform())};
  k->S[0][0][0] = k->S[0][1][1] = k->S[1][1][1] = k->S[1][2][2] = 2;
  k->q[0] = sin(phi), k->q[1] = cos(phi);
  k->q[2] = (double)sqrtl((1 + gap) * (1 + gap) - k->q[1] * k->q[1]);
  k->p[0] = -way, k->p[2] = way * (uniform() - 0.5);
}

/* Crank, coupler and rocker, near a toggle: bars 0.8, 1 + gap, 0.8 over a base of 1. */
static void four_bar(quadrics *k, double gap) {
  const double a = pow(10, -3 * uniform()), b = uniform() < 0.5 ? a : -a * uniform();
  *k = (quadrics){.n = 4, .m = 3, .w = {1, 1, 1, 1}, .h = pow(10, 0.3 - 2 * uniform())};
  k->S[0][0][0] = k->S[0][1][1] = k->S[1][2][2] = k->S[1][3][3] = 2;
  k->b[1][2] = -2;
  for (int c = 0; c < 4; c++) k->S[2][c][c] = 2, k->S[2][c][(c + 2) % 4] = -2;
  k->q[0] = 0.8 * cos(a), k->q[1] = 0.8 * sin(a);
  k->q[2] = 1 + gap + 0.8 * cos(b), k->q[3] = 0.8 * sin(b);
  for (int c = 0; c < 4; c++) k->p[c] = normal();
}

static void attack(const char *name, int kind, double size, tally *all) {
  tally t = {0};
  for (int start = 0; start < attacks; start++) {
    quadrics k;
    scene s;
    char text[8192];
    real truth[M];
    if (kind < 0)
      cylinders(&k, size);
    else if (kind == 0)
      four_bar(&k, size);
    else
      random_quadrics(&k, 2 * kind, kind, size);
    for (int a = 0; a < k.n; a++) k.q[a] = (double)k.q[a], k.p[a] = (double)k.p[a];
    k.h = (double)k.h;
    begin(&k);
    write_text(&k, text, sizeof text);
    if (open_scene(&s, text, "rattle(verlet)")) fail_msg("%s", s.error.message);
    const int exists = continuation(&k, 1.0L / 64, truth);
    for (int c = 0; c < 6; c++) try_candidate(&s, &k, truth, exists, &t);
    try_default(&s, &k, truth, exists, &t);
    close_scene(&s);
  }
  if (attacks != 40)
    printf("%-24s %8ld candidates: %8ld right, %7ld another root, %7ld no end; %8ld certified, "
           "%6ld refuted, %ld wrongly, %ld not judged\n",
           name, t.candidates, t.right, t.other, t.none, t.certified, t.refuted, t.bad, t.unjudged);
  if (attacks != 40)
    printf("%-24s %8ld steps by default: %ld wrong, %ld refused that have an end\n", name,
           t.stepped, t.astray, t.refused);
  if (kind && kind < 3) assert_int_equal(t.astray, 0); /* one or two constraints are proved */
  assert_int_equal(t.bad, 0);
  /* long double is not enough for some of very many: the continuation found no end */
  assert_true(t.unjudged * 1000 <= t.certified);
  all->certified += t.certified, all->refuted += t.refuted;
  all->other += t.other, all->none += t.none;
}

static void test_attacks(void **state) {
  static const struct {
    const char *name;
    int kind;
    double size;
  } by[] = {{"one quadric", 1, 1},
            {"two quadrics", 2, 1},
            {"normals 1e-2 apart", 2, 1e-2},
            {"normals 1e-4 apart", 2, 1e-4},
            {"three quadrics", 3, 1},
            {"cylinders, gap 1e-1", -1, 1e-1},
            {"cylinders, gap 1e-3", -1, 1e-3},
            {"cylinders, gap 1e-6", -1, 1e-6},
            {"four-bar, gap 1e-1", 0, 1e-1},
            {"four-bar, gap 1e-3", 0, 1e-3},
            {"four-bar, gap 1e-6", 0, 1e-6}};
  tally all = {0};
  (void)state;
  for (size_t k = 0; k < sizeof by / sizeof *by; k++)
    attack(by[k].name, by[k].kind, by[k].size, &all);
  assert_true(all.certified > 0 && all.refuted > 0 && all.other > 0 && all.none > 0);
}

int main(int argc, char **argv) {
  if (argc > 1) attacks = atoi(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_radius),
                                     cmocka_unit_test(test_saddle),
                                     cmocka_unit_test(test_certified_runs),
                                     cmocka_unit_test(test_saddle_by_default),
                                     cmocka_unit_test(test_folds),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_attacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
