/* Certificates of steps: what is proved is within the radius of the exact end of the curve, by a
 * closed form; runs whose steps are proved; what is refused, and why. */
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
/* M is not diagonal */
static const char oblique[] =
    "local x, px = pair('x') local y, py = pair('y') hamiltonian(px^2 + px*py/2 + py^2/2 + y)"
    "constrain('rod', x^2 + y^2 - 1) start { x = 1, py = 1, project = true }";
static const char skate[] =
    "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')"
    "mass { x = 1, y = 1, a = 0.4 } potential(-x)"
    "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a)) velocity { a = 1 }";
/* a disc, whose middle a rod holds, and which a motor turns */
static const char rolling[] =
    "local x, px = pair('x') local y, py = pair('y') local f, pf = pair('f') local t = time()"
    "mass { x = 1, y = 2, f = 0.2 } potential(y) constrain('rod', x^2 + y^2/4 - 1)"
    "velocity_constrain('drive', velocity(x)*y - velocity(y)*x + velocity(f) - sin(t))"
    "start { x = 1, py = 1, project = true }";
/* a damper and a force that turns with the velocity */
static const char damped[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "mass { x = 1, y = 2, z = 0.5 } potential(z) constrain('sphere', x^2 + y^2 + z^2 - 1)"
    "force { x = -3*px*(1 + y^2) + py, y = -px, z = 0.3*x } start { x = 1, py = 1, pz = 1 }";
/* V'' is not 0 */
static const char springs[] = "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + "
                              "py^2)/2 + cos(3*x*y) + y^4)"
                              "constrain('rod', x^2 + y^2 - 1) start { x = 1, py = 1 }";
/* both, and time */
static const char towed[] =
    "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')"
    "mass { x = 1, y = 1, a = 0.4 } potential(0)"
    "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a) - 0.2*velocity(a))"
    "force { x = 0.2*sin(time()) - px, a = -0.5*pa } start { px = 1, project = true }";
/* drag by the square of the speed against a wind that turns, and friction */
static const char dragged[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z') local t = time()"
    "mass { x = 1, y = 2, z = 0.5 } potential(z) constrain('sphere', x^2 + y^2 + z^2 - 1)"
    "local u, v, w = px - cos(t), py/2 - sin(t), 2*pz local c = -0.7*sqrt(u^2 + v^2 + w^2)"
    "force { x = c*u, y = c*v, z = c*w - 0.2*tanh(4*w) } start { x = 1, py = 2, pz = 1 }";
/* the same of a blade, which a spring pulls */
static const char scraped[] =
    "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')"
    "mass { x = 1, y = 1, a = 0.4 } potential(x^4/4 + y^2)"
    "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a) - 0.2*velocity(a))"
    "local c = sqrt(px^2 + py^2) force { x = -c*px, y = -c*py, a = -abs(pa)*pa }"
    "start { px = 1, pa = 0.5, project = true }";
/* drag on a surface that is no quadric */
static const char waved[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "mass { x = 1, y = 2, z = 0.5 } potential(z)"
    "constrain('wave', z - 0.5*sin(2*x)*cos(y) - 0.1*x^3 + 0.2*exp(-x*y))"
    "local c = -0.7*sqrt(px^2 + py^2 + pz^2 + 0.01) force { x = c*px, y = c*py, z = c*pz }"
    "start { x = 0.3, px = 1, py = 1, project = true }";
/* momenta are not m v, in a frame that turns or a magnetic field */
static const char magnetic[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "hamiltonian((px + 0.8*y)^2/2 + (py - 0.8*x)^2/4 + pz^2 - 0.3*z*px + z)"
    "constrain('sphere', x^2 + y^2 + z^2 - 1) start { x = 1, py = 1, pz = 0.5, project = true }";
/* masses that depend on coordinates, on a surface that is no quadric; time */
static const char massive[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z') local t = time()"
    "hamiltonian(px^2/(2 + y^2) + py^2*(1 + z^2)/2 + pz^2 + px*py/4 + z + x^4/4 + x*sin(t)/5)"
    "constrain('wave', z - 0.4*sin(2*x)*cos(y)) start { x = 0.5, px = 1, py = 0.7, project = true "
    "}";
/* T is not quadratic: psi is no linear function of momenta */
static const char relativistic[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "hamiltonian(sqrt(1 + px^2 + py^2 + pz^2) + 0.5*z) constrain('rod', x^2 + y^2 + z^2 - 1)"
    "start { x = 1, py = 2, pz = 0.5, project = true }";
static const char spinning_skate[] =
    "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')"
    "hamiltonian(px^2/2 + py^2/2 + px*pa*cos(a)/3 + pa^2 + x^2/2)"
    "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))"
    "start { px = 1, pa = 0.5, project = true }";
/* forces and coupled momenta */
static const char coupled[] =
    "local x, px = pair('x') local y, py = pair('y') hamiltonian(px^2 + px*py/2 + py^2/2 + y)"
    "constrain('rod', x^2 + y^2 - 1) force { x = -px*(1 + y^2), y = -tanh(py) }"
    "start { x = 1, py = 1, project = true }";
/* along fibres: circles of |q|^2 + |p|^2 and the angular momentum; a length without momentum, and
 * time */
static const char commuting[] =
    "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')"
    "hamiltonian(abs2(px, py, pz)/2 + 0.75*x^2 + 2.5*y^2 + z^2 + x^4/8 + 0.3*x*y*z)"
    "constrain('sphere', abs2(x, y, z, px, py, pz) - 4)"
    "constrain('spin', x*py - y*px - 1, { dirac = true })"
    "start { x = 0.13, y = 1.47, z = 1.05, px = -0.69, py = -0.08, pz = 0.5, project = true }";
static const char massless[] =
    "local a, p = pair('a') local L = free('L') local t = time()"
    "hamiltonian(p^2/(2*L^2) + 5*(L - 1 - sin(t)/9)^2 - L*cos(a)) start { a = 2, L = 1, project = "
    "true }";
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
             {double_pendulum, "suzuki4(rattle(verlet))", 0.1, 5},
             {oblique, "rattle(verlet)", 0.05, 1},
             {skate, "rattle(verlet)", 0.1, 1},
             {skate, "shake(symplectic_euler)", 0.1, 1},
             {rolling, "yoshida4(rattle(verlet))", 0.02, 3},
             {damped, "rattle(verlet)", 0.1, 1},
             {damped, "suzuki4(rattle(verlet))", 0.1, 5},
             {damped, "rattle(symplectic_euler)", 0.1, 1},
             {damped, "rattle(symplectic_euler(b))", 0.1, 1},
             {damped, "rattle(midpoint)", 0.1, 1},
             {springs, "rattle(midpoint)", 0.1, 1},
             {springs, "suzuki4(rattle(gauss(1)))", 0.1, 5},
             {dragged, "rattle(verlet)", 0.02, 1},
             {dragged, "suzuki4(rattle(verlet))", 0.02, 5},
             {dragged, "shake(symplectic_euler)", 0.02, 1},
             {dragged, "rattle(symplectic_euler(b))", 0.02, 1},
             {dragged, "rattle(midpoint)", 0.02, 1},
             {scraped, "rattle(verlet)", 0.05, 1},
             {scraped, "yoshida4(rattle(midpoint))", 0.05, 3},
             {waved, "rattle(verlet)", 0.02, 1},
             {waved, "suzuki4(rattle(midpoint))", 0.05, 5},
             {magnetic, "rattle(midpoint)", 0.05, 1},
             {magnetic, "rattle(gauss(2))", 0.05, 1},
             {magnetic, "shake(gauss(3))", 0.05, 1},
             {magnetic, "rattle(symplectic_euler)", 0.05, 1},
             {magnetic, "rattle(symplectic_euler(b))", 0.05, 1},
             {magnetic, "rattle(verlet)", 0.05, 1},
             {magnetic, "rattle(verlet(b))", -0.05, 1},
             {magnetic, "suzuki4(rattle(midpoint))", 0.1, 5},
             {massive, "rattle(midpoint)", 0.05, 1},
             {massive, "rattle(gauss(2))", 0.05, 1},
             {massive, "shake(midpoint)", 0.05, 1},
             {relativistic, "rattle(midpoint)", 0.05, 1},
             {relativistic, "rattle(verlet)", 0.05, 1},
             {relativistic, "rattle(gauss(2))", 0.05, 1},
             {relativistic, "shake(symplectic_euler)", 0.05, 1},
             {spinning_skate, "rattle(midpoint)", 0.05, 1},
             {coupled, "rattle(midpoint)", 0.05, 1},
             {coupled, "rattle(gauss(2))", 0.05, 1},
             {springs, "rattle(gauss(2))", 0.05, 1},
             {springs, "rattle(verlet(b))", 0.05, 1},
             {springs, "rattle(rk4)", 0.05, 1},
             {damped, "rattle(gauss(2))", 0.05, 1},
             {rolling, "rattle(gauss(2))", 0.02, 1},
             {pendulum, "spark(2)", 0.1, 1},
             {pendulum, "spark(4)", 0.1, 1},
             {springs, "spark(3)", 0.05, 1},
             {springs, "spark_gauss(2)", 0.05, 1},
             {double_pendulum, "suzuki4(spark(3))", 0.05, 5},
             {magnetic, "spark(2)", 0.05, 1},
             {magnetic, "spark(3)", 0.05, 1},
             {magnetic, "spark_gauss(1)", 0.05, 1},
             {magnetic, "spark_gauss(3)", 0.05, 1},
             {massive, "spark(3)", 0.05, 1},
             {massive, "spark_gauss(2)", 0.05, 1},
             {relativistic, "spark(3)", 0.05, 1},
             {commuting, "rattle(midpoint)", 0.01, 1},
             {commuting, "rattle(gauss(2))", -0.01, 1},
             {commuting, "suzuki4(rattle(verlet))", 0.01, 5},
             {massless, "rattle(midpoint)", 0.05, 1},
             {massless, "shake(midpoint)", 0.05, 1},
             {massless, "rattle(gauss(2))", 0.05, 1},
             {massless, "suzuki4(rattle(midpoint))", 0.05, 5},
             {towed, "rattle(verlet)", 0.05, 1}};
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
    if (!(c.units >= 0 && c.units < 100)) fail_msg("%s: %g units", run[k].text, c.units);
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
  assert_true(fabs(c.reached - 0.9972) <= 1e-4);
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

/* A rod on a pivot that moves: the end is one of the two points where a line meets a circle. */
static void test_moving_pivot(void **state) {
  scene s;
  int near = 0, far = 0, none = 0;
  (void)state;
  assert_int_equal(
      open_scene(&s,
                 "local x, px = pair('x') local y, py = pair('y') local t = time()"
                 "hamiltonian((px^2 + py^2)/2 + y)"
                 "constrain('rod', (x - 0.5*sin(3*t))^2 + y^2 - 1) start { x = 1, py = -2 }",
                 "rattle(verlet)"),
      RATTLE_OK);
  for (int k = 0; k < 60; k++) {
    const double h = 0.02 * (k + 1), t = 0.1 * k, c0 = 0.5 * sin(3 * t),
                 c1 = 0.5 * sin(3 * (t + h)), angle = 0.7 * k, v = 2 * sin(1.3 * k);
    const double e[2] = {cos(angle), sin(angle)}, drive = 1.5 * cos(3 * t);
    const double q0[3] = {c0 + e[0], e[1], t}, p0[3] = {drive - v * e[1], v * e[0], 0};
    const double u[2] = {q0[0] + h * p0[0] - c1, q0[1] + h * p0[1] - h * h / 2};
    const double along = e[0] * u[0] + e[1] * u[1],
                 square = along * along - u[0] * u[0] - u[1] * u[1] + 1;
    for (int sign = -1; sign <= 1; sign += 2) {
      const double way = along + sign * sqrt(fabs(square));
      const double q1[3] = {c1 + u[0] - way * e[0], u[1] - way * e[1], t + h};
      rattle_certificate c = {.struct_size = sizeof c};
      if (rattle_certifier_check(s.certifier, h, q0, p0, q1, &c, &s.error))
        fail_msg("%s", s.error.message);
      /* the curve may have met a fold although there are roots at its end: then both are wrong */
      if (square < 0) assert_int_equal(c.one_piece + c.tracked, 0);
      if (square > 0 && sign > 0) assert_int_equal(c.one_piece + c.tracked, 0);
      if (c.one_piece + c.tracked) assert_true(c.radius < 1e-12);
      near += sign < 0 && c.one_piece + c.tracked;
      far += sign > 0 && square > 0 && c.wrong;
      none += square < 0;
    }
  }
  if (near < 40 || far < 40 || none < 2) fail_msg("%d, %d, %d", near, far, none);
  close_scene(&s);
}

/* A row that vanishes where the step ends: its positions are proved, its momenta are not. */
static void test_momenta(void **state) {
  static const char vanishing[] =
      "local x, px = pair('x') local y, py = pair('y') mass { x = 1, y = 1 } potential(0)"
      "velocity_constrain('row', x*velocity(y)) start { x = 1, px = -1 }";
  (void)state;
  scene s;
  if (open_scene(&s, vanishing, "rattle(verlet)")) fail_msg("%s", s.error.message);
  const double q0[] = {1, 0.5}, p0[] = {-1, 0}, q1[] = {0.5, 0.5}, last[] = {0, 0.5};
  rattle_certificate c = {.struct_size = sizeof c};
  if (rattle_certifier_check(s.certifier, 0.5, q0, p0, q1, &c, &s.error) ||
      rattle_certifier_check(s.certifier, 1, q0, p0, last, &c, &s.error))
    fail_msg("%s", s.error.message);
  assert_int_equal(c.one_piece, 1);
  assert_int_equal(c.open, 1);
  assert_int_equal(c.step, 2);
  assert_true(c.reached == 1);
  assert_int_equal(c.row, 0);
  close_scene(&s);
}

static void test_refusals(void **state) {
  static const struct {
    const char *text, *method, *says;
  } no[] = {
      {pendulum, "discrete_gradient", "others than those of the theorem"},
      {pendulum, "rattle(verlet, project=output)", "other points than its steps"},
      {pendulum, "rattle(verlet, compensated)", "digits beyond a double"},
      {"local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)"
       "constrain('curve', y - erf(x)) start { x = 1, y = erf(1) }",
       "rattle(verlet)", "sums, products, quotients"},
      {"local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)"
       "constrain('curve', y - x^2) force { x = -px*erf(px) } start { px = 1, project = true }",
       "rattle(verlet)", "which steps solve for"},
      {"local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)"
       "constrain('curve', y - x^2) force { x = -px*erf(x) } start { px = 1, project = true }",
       "rattle(midpoint)", "which steps solve for"},
      {"local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2 + y)"
       "constrain('quartic', x^2 + y^2 + px^2 + py^2 + x^4/10 - 1) start { x = 1, project = true }",
       "rattle(midpoint)", "lines, parabolas, circles or hyperbolas"},
      {"local x, px = pair('x') local y, py = pair('y') hamiltonian(px^2/2 + py^2*(2 + erf(x)))"
       "constrain('curve', y - x^2) start { px = 1, project = true }",
       "rattle(midpoint)", "its Hamiltonian and forces"},
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_radius),
                                     cmocka_unit_test(test_saddle),
                                     cmocka_unit_test(test_certified_runs),
                                     cmocka_unit_test(test_saddle_by_default),
                                     cmocka_unit_test(test_folds),
                                     cmocka_unit_test(test_moving_pivot),
                                     cmocka_unit_test(test_momenta),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
