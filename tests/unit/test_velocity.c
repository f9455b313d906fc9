/* Constraints on velocities against closed forms: errors at two steps, and of a composition of
 * order 8; A v = b and g at grid points; what is refused. */
#include "evaluators.h"

typedef struct closed {
  const char *name, *text;
  double time;
  int values;
  void (*at)(double t, double *value); /* of the observables of the model */
  double fine;                         /* error of the composition at most, with 400 steps */
} closed;

static void lock(double t, double *value) {
  value[0] = 0, value[1] = 1 + 0.5 * sin(t);
}

static void motor(double t, double *value) {
  const double w = sqrt(3 / 0.2);
  value[0] = 1.5 * t, value[1] = 1.5 * t - 1.5 / w * sin(w * t);
}

/* v' = g cos(w t) along the blade */
static void skate(double t, double *value) {
  const double g = 1.2, w = 0.9;
  value[0] = g / (2 * w * w) * sin(w * t) * sin(w * t);
  value[1] = g / (2 * w * w) * (w * t - 0.5 * sin(2 * w * t));
}

static void disc(double t, double *value) {
  const double r = 0.5, roll = 2, turn = 0.7;
  value[0] = r * roll / turn * sin(turn * t), value[1] = r * roll / turn * (1 - cos(turn * t));
}

/* Speed u of the blade and turning w of a sleigh whose centre of mass is l before the blade: u' = l
 * w^2, w' = -l u w/(l^2 + I); so u^2 + (l^2 + I) w^2 is E^2, and from the turning motion u = 0, w =
 * E/k: u = E tanh(c t), w = E/(k cosh(c t)), k^2 = l^2 + I, c = l E/k^2 */
static void sleigh(double t, double *value) {
  const double l = 0.3, I = 0.5, k = sqrt(l * l + I), E = 1.1, c = l * E / (k * k);
  value[0] = E * tanh(c * t), value[1] = E / (k * cosh(c * t));
  value[2] = E / (k * c) * atan(sinh(c * t)); /* the angle */
}

/* The centre of a homogeneous ball on a table that turns with the rate W moves on a circle at the
 * rate 2 W/7 (Neimark and Fufaev 1972). */
static void turntable(double t, double *value) {
  const double w = 2.0 / 7 * 1.4, vx = 0.3, vy = -0.2, s = sin(w * t) / w, c = (1 - cos(w * t)) / w;
  value[0] = 0.5 + vx * s - vy * c, value[1] = 0.1 + vy * s + vx * c;
}

#define SLEIGH                                                                                     \
  "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"                      \
  "mass { x = 1, y = 1, a = 0.5 } potential(0)\n"                                                  \
  "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a) - 0.3*velocity(a))\n"

static const closed systems[] = {
    {"a locked cart",
     "local x, px = pair('x') local y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + (y - x - "
     "1)^2/2)\n"
     "velocity_constrain('lock', velocity(x))\nobserve('X', x) observe('Y', y) start { y = 1, py = "
     "0.5 }",
     2, 2, lock, 1e-12},
    {"the same by its momentum",
     "local x, px = pair('x') local y, py = pair('y')\nhamiltonian((px^2/3 + py^2)/2 + (y - x - "
     "1)^2/2)\n"
     "velocity_constrain('lock', px)\nobserve('X', x) observe('Y', y) start { y = 1, py = 0.5 }",
     2, 2, lock, 1e-12},
    {"a motor",
     "local mech = require 'mechanics'\nlocal a = mech.planar { name = 'a', mass = 1, inertia = "
     "0.5, at = {0, 0}, spin = 1.5 }\n"
     "local b = mech.planar { name = 'b', mass = 1, inertia = 0.2, at = {1, 0} }\n"
     "mech.revolute('A', a:at(0, 0), mech.ground:at(0, 0)) mech.revolute('B', b:at(0, 0), "
     "mech.ground:at(1, 0))\n"
     "mech.torsion_spring(a, b, { k = 3 }) velocity_constrain('motor', a:spin().z - 1.5)\n"
     "observe('A', a.angle) observe('B', b.angle)",
     2, 2, motor, 1e-10},
    {"a motor of the module, on a body against the ground",
     "local mech = require 'mechanics'\nlocal a = mech.planar { name = 'a', mass = 1, inertia = "
     "0.5, at = {0, 0}, spin = 1.5 }\n"
     "local b = mech.planar { name = 'b', mass = 1, inertia = 0.2, at = {1, 0} }\n"
     "mech.revolute('A', a:at(0, 0), mech.ground:at(0, 0)) mech.revolute('B', b:at(0, 0), "
     "mech.ground:at(1, 0))\n"
     "mech.torsion_spring(a, b, { k = 3 }) mech.motor('motor', a, mech.ground, { speed = 1.5 })\n"
     "observe('A', a.angle) observe('B', b.angle)",
     2, 2, motor, 1e-10},
    {"a skate on an incline",
     "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"
     "hamiltonian((px^2 + py^2)/2 + pa^2/(2*0.4) - 1.2*x)\n"
     "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
     "observe('X', x) observe('Y', y) velocity { a = 0.9 }",
     6, 2, skate, 1e-10},
    {"the same with forces, in mechanics",
     "local mech = require 'mechanics'\nlocal b = mech.planar { name = 'b', mass = 1, inertia = "
     "0.4, spin = 0.9 }\n"
     "mech.push(b, {1.2, 0*b.p.x, 0}) mech.skate('blade', b:at(0, 0):along(1, 0))\nobserve('X', "
     "b.x.x) observe('Y', b.x.y)",
     6, 2, skate, 1e-10},
    {"a rolling vertical disc",
     "local x, px = pair('x') local y, py = pair('y') local f, pf = pair('f') local r, pr = "
     "pair('r')\n"
     "hamiltonian((px^2 + py^2)/2 + pf^2/(2*0.1) + pr^2/(2*0.2))\n"
     "velocity_constrain('x', velocity(x) - 0.5*cos(f)*velocity(r)) velocity_constrain('y', "
     "velocity(y) - "
     "0.5*sin(f)*velocity(r))\n"
     "observe('X', x) observe('Y', y) velocity { x = 1, f = 0.7, r = 2 }",
     5, 2, disc, 1e-11},
    {"Chaplygin's sleigh",
     SLEIGH "observe('U', px*cos(a) + py*sin(a)) observe('W', pa/0.5) observe('angle', a)\n"
            "velocity { y = 0.3*1.1/sqrt(0.59), a = 1.1/sqrt(0.59) }",
     6, 3, sleigh, 1e-11},
    {"a ball on a turning table, whose rate is given",
     "local mech = require 'mechanics'\nlocal r, W, vx, vy, x, y = 0.25, 1.4, 0.3, -0.2, 0.5, 0.1\n"
     "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = r }, at = {x, "
     "y, r}, velocity = {vx, vy, "
     "0},\n"
     "  spin = {-(vy - W*x)/r, (vx + W*y)/r, 0.4} }\n"
     "local table = mech.body { name = 'table', mass = 3, inertia = {1, 1, 2}, spin = {0, 0, W} }\n"
     "mech.revolute('axle', table:at(0, 0, 0), mech.ground:at(0, 0, 0)) mech.motor('drive', table, "
     "mech.ground, { speed = W })\n"
     "mech.rolls('contact', ball, table, { radius = r })\nobserve('X', ball.x.x) observe('Y', "
     "ball.x.y)",
     6, 2, turntable, 1e-9},
    {"a motor beside a spring where x and y - x are the coordinates, by momenta",
     "local x, px = pair('x') local u, pu = pair('u')\n"
     "hamiltonian((px^2 - 2*px*pu + 2*pu^2)/2 + 15*u^2/2) velocity_constrain('motor', px - pu - "
     "1.5)\n"
     "observe('A', x) observe('B', x + u) velocity { x = 1.5, u = -1.5 }",
     2, 2, motor, 1e-10},
    {"a motor by the momentum of an angle, whose mass is r^2",
     "local r, pr = pair('r') local f, pf = pair('f')\n"
     "hamiltonian((pr^2 + pf^2/r^2)/2) velocity_constrain('motor', pf/r^2 - 1.5)\n"
     "observe('A', f) start { r = 1 } velocity { f = 1.5 }",
     2, 1, motor, 1e-10},
    {"a motor on a body as a quaternion",
     "local mech = require 'mechanics'\nlocal a = mech.body { name = 'a', mass = 1, inertia = {1, "
     "1.2, 1.5}, form = 'quaternion', spin = {0, 0, 1.5} }\n"
     "velocity_constrain('motor', a:spin().z - 1.5)\n"
     "observe('A', atan2(a.column[1].y, a.column[1].x))",
     2, 1, motor, 1e-10}};

typedef struct trip {
  rattle_model *model;
  rattle_problem *problem;
  int n, m;
  double q[60], p[60];
} trip;

static void open_model(trip *r, const char *name, const char *text, int project) {
  rattle_error error;
  memset(r, 0, sizeof *r);
  if (rattle_model_parse(&r->model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&r->problem, r->model, NULL, &error) ||
      rattle_problem_start(r->problem, project, r->q, r->p, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  r->n = rattle_problem_n(r->problem), r->m = rattle_problem_m(r->problem);
}

static void close_model(trip *r) {
  rattle_problem_destroy(&r->problem);
  rattle_model_destroy(&r->model);
}

/* So many steps; residuals at the end. */
static void go(trip *r, const char *name, const char *method, double time, int steps) {
  rattle_error error;
  rattle_integrator *integrator = NULL;
  rattle_state state = {.struct_size = sizeof state, .q = r->q, .p = r->p, .h = time / steps};
  double g[60], psi[60];
  if (rattle_integrator_create(&integrator, r->problem, method, &error) ||
      rattle_integrator_step(integrator, &state, steps, &error))
    fail_msg("%s, %s: %s", name, method, error.message);
  assert_int_equal(rattle_problem_residuals(r->problem, r->q, r->p, g, psi, NULL), RATTLE_OK);
  for (int i = 0; i < r->m; i++)
    if (!(fabs(g[i]) < 3e-15) || !(fabs(psi[i]) < 1e-14))
      fail_msg("%s: g = %g, psi = %g of row %d", name, g[i], psi[i], i);
  rattle_integrator_destroy(&integrator);
}

static double error_of(const closed *s, const char *method, int steps) {
  trip r;
  double value[8], right[8], most = 0;
  open_model(&r, s->name, s->text, 0);
  go(&r, s->name, method, s->time, steps);
  s->at(s->time, right);
  assert_int_equal(rattle_problem_observe(r.problem, r.q, r.p, value, NULL), RATTLE_OK);
  for (int k = 0; k < s->values; k++) most = fmax(most, fabs(value[k] - right[k]));
  close_model(&r);
  return most;
}

static void closed_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
    const closed *s = &systems[i];

    const double coarse = error_of(s, "rattle(midpoint)", 200),
                 half = error_of(s, "rattle(midpoint)", 400);
    if (coarse > 1e-12 && !(coarse / half > 3.8 && coarse / half < 4.2))
      fail_msg("%s: errors %g, %g", s->name, coarse, half);
    const double fine = error_of(s, "kahan_li8(rattle(midpoint))", 400);
    if (!(fine < s->fine)) fail_msg("%s: error %g with kahan_li8(rattle(midpoint))", s->name, fine);
    const double other = error_of(s, "yoshida4(rattle(gauss(2)))", 400);
    if (!(other < 1e-5)) fail_msg("%s: error %g with yoshida4(rattle(gauss(2)))", s->name, other);
  }
}

/* The same by the explicit map, where H is separable. */
static void explicit_map(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
    const closed *s = &systems[i];
    if (strstr(s->text, "push")) continue;
    const double coarse = error_of(s, "rattle(verlet)", 200),
                 half = error_of(s, "rattle(verlet)", 400);
    if (coarse > 1e-12 && !(coarse / half > 3.8 && coarse / half < 4.2))
      fail_msg("%s: errors %g, %g", s->name, coarse, half);
    const double fine = error_of(s, "kahan_li8(rattle(verlet))", 400);
    if (!(fine < s->fine)) fail_msg("%s: error %g with kahan_li8(rattle(verlet))", s->name, fine);
    if (!(error_of(s, "rattle(verlet(b))", 400) < 100 * half + 1e-12))
      fail_msg("%s: verlet(b)", s->name);
  }
}

/* The same by the method that keeps H. */
static void energy_map(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
    const closed *s = &systems[i];
    if (strstr(s->text, "push")) continue;
    const double coarse = error_of(s, "discrete_gradient", 200),
                 half = error_of(s, "discrete_gradient", 400);
    if (coarse > 1e-12 && !(coarse / half > 3.8 && coarse / half < 4.2))
      fail_msg("%s: errors %g, %g", s->name, coarse, half);
    const double fine = error_of(s, "kahan_li6(discrete_gradient)", 200);
    if (!(fine < 1e-4 * half + 1e-12))
      fail_msg("%s: error %g with kahan_li6(discrete_gradient)", s->name, fine);
  }
}

/* The multiplier of the point is that of the motion, with the error of the point: of the skate -2 g
 * sin(w t). */
static void multipliers(void **state) {
  (void)state;
  double error[2];
  for (int half = 0; half < 2; half++) {
    trip r;
    double lambda;
    open_model(&r, systems[4].name, systems[4].text, 0);
    go(&r, systems[4].name, "rattle(verlet)", 2, half ? 200 : 100);
    assert_int_equal(rattle_problem_multipliers(r.problem, r.q, r.p, &lambda, NULL), RATTLE_OK);
    error[half] = fabs(lambda + 2 * 1.2 * sin(0.9 * 2));
    close_model(&r);
  }
  if (!(error[0] < 1e-3 && error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2))
    fail_msg("errors %g, %g", error[0], error[1]);
}

/* Rows that are scaled and combined by functions of the coordinates are the same constraints, and
 * the map is the same but for round-off. */
static void other_rows(void **state) {
  (void)state;
  static const char disc[] =
      "local x, px = pair('x') local y, py = pair('y') local f, pf = pair('f') local r, pr = "
      "pair('r')\n"
      "hamiltonian((px^2 + py^2)/2 + pf^2/0.2 + pr^2/0.4 + sin(x + r) + f^2*y/3)\n"
      "local u, v = velocity(x) - 0.5*cos(f)*velocity(r), velocity(y) - 0.5*sin(f)*velocity(r)\n"
      "velocity { x = 1, f = 0.7, r = 2 }\n";
  static const char *const rows[] = {
      "velocity_constrain('u', u) velocity_constrain('v', v)\n",
      "velocity_constrain('u', 1000*u) velocity_constrain('v', v/30)\n",
      ("velocity_constrain('u', exp(x)*u + sin(y)*v) velocity_constrain('v', (2 + cos(f))*v - "
       "x*u)\n")};
  double z[3][8];
  for (int k = 0; k < 3; k++) {
    char text[1200];
    trip r;
    snprintf(text, sizeof text, "%s%s", disc, rows[k]);
    open_model(&r, rows[k], text, 0);
    rattle_error error;
    rattle_integrator *integrator = NULL;
    rattle_state at = {.struct_size = sizeof at, .q = r.q, .p = r.p, .h = 0.05};
    assert_int_equal(rattle_integrator_create(&integrator, r.problem, "rattle(midpoint)", &error),
                     RATTLE_OK);
    assert_int_equal(rattle_integrator_step(integrator, &at, 40, &error), RATTLE_OK);
    memcpy(z[k], r.q, 4 * sizeof(double));
    memcpy(z[k] + 4, r.p, 4 * sizeof(double));
    rattle_integrator_destroy(&integrator);
    close_model(&r);
  }
  for (int k = 1; k < 3; k++)
    for (int i = 0; i < 8; i++)
      if (!(fabs(z[k][i] - z[0][i]) < 1e-12))
        fail_msg("%s: %g at %d", rows[k], z[k][i] - z[0][i], i);
}

/* The motion contracts: a sleigh that is pushed backwards turns round, and goes on forwards; that
 * of order 6 at a quarter of the step agrees. */
static void turns_round(void **state) {
  (void)state;
  static const char text[] =
      SLEIGH "observe('U', px*cos(a) + py*sin(a)) velocity { x = -1, y = 0.0009, a = 0.003 }";
  double U[2];
  for (int fine = 0; fine < 2; fine++) {
    trip r;
    open_model(&r, "sleigh", text, 0);
    go(&r, "sleigh", fine ? "kahan_li6(rattle(verlet))" : "rattle(verlet)", 100,
       fine ? 20000 : 5000);
    assert_int_equal(rattle_problem_observe(r.problem, r.q, r.p, &U[fine], NULL), RATTLE_OK);
    close_model(&r);
  }
  if (!(U[1] > 0.99 && fabs(U[0] - U[1]) < 1e-6)) fail_msg("speeds %g, %g", U[0], U[1]);
}

/* A blade that turns by more than half a turn within a step. */
static void too_long(void **state) {
  (void)state;
  trip r;
  rattle_error error;
  rattle_integrator *integrator = NULL;
  open_model(&r, "skate",
             "local x, px = pair('x') local y, py = pair('y') local a, pa = pair('a')\n"
             "hamiltonian((px^2 + py^2)/2 + pa^2/0.8 - 1.2*x)\n"
             "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\nvelocity { x = "
             "0.5, a = 4 }",
             0);
  double before[6];
  memcpy(before, r.q, 3 * sizeof(double));
  memcpy(before + 3, r.p, 3 * sizeof(double));
  for (int k = 0; k < 4; k++) {
    rattle_state at = {.struct_size = sizeof at, .q = r.q, .p = r.p, .h = k % 2 ? 1.5 : 0.9};
    assert_int_equal(rattle_integrator_create(&integrator, r.problem,
                                              k < 2 ? "rattle(verlet)" : "discrete_gradient",
                                              &error),
                     RATTLE_OK);
    assert_int_equal(rattle_integrator_step(integrator, &at, 1, &error), RATTLE_DEGENERATE);
    assert_non_null(strstr(error.message, "step too long"));
    assert_memory_equal(r.q, before, 3 * sizeof(double));
    assert_memory_equal(r.p, before + 3, 3 * sizeof(double));
    rattle_integrator_destroy(&integrator);
  }
  close_model(&r);
}

/* A start off the constraints: refused by how much; projected, H falls by what the impulse takes,
 * n^2/2 of a cart of mass 1. */
static void starts(void **state) {
  (void)state;
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + (y - x - "
      "1)^2/2)\n"
      "velocity_constrain('lock', velocity(x)) start { y = 1, px = 0.3, py = 0.5 }";
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  double q[2], p[2], moved[2], H;
  assert_int_equal(rattle_model_parse(&model, text, "m.lua", NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), RATTLE_OFF_CONSTRAINTS);
  assert_non_null(strstr(error.message, "'lock': it is 0.3"));
  assert_int_equal(rattle_problem_start(problem, 1, q, p, moved, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_energy(problem, q, p, &H, NULL), RATTLE_OK);
  assert_true(p[0] == 0 && p[1] == 0.5 && fabs(moved[1] - 0.3) < 1e-15 && moved[0] == 0 &&
              fabs(H - 0.125) < 1e-15);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(explicit_map),
                                     cmocka_unit_test(energy_map),   cmocka_unit_test(multipliers),
                                     cmocka_unit_test(other_rows),   cmocka_unit_test(turns_round),
                                     cmocka_unit_test(too_long),     cmocka_unit_test(starts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
