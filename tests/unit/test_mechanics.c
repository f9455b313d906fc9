/* Modules "vectors" and "mechanics": algebra by value, and mechanisms against the same systems
 * written otherwise. */
#include "evaluators.h"

/* The model of a text, or of an example called NAME.lua. */
static rattle_model *model_of(const char *text) {
  rattle_model *model = NULL;
  rattle_error error;
  char path[300];
  snprintf(path, sizeof path, "%s/examples/%s", RATTLE_SOURCE_DIR, strchr(text, '\n') ? "" : text);
  if (strchr(text, '\n') ? rattle_model_parse(&model, text, "m.lua", NULL, &error)
                         : rattle_model_load(&model, path, NULL, &error))
    fail_msg("%s in\n%s", error.message, text);
  return model;
}

/* The quantities that a model observes after some steps of a method; how many there are. */
static int observe_by(int evaluator, const char *text, const char *method, double h,
                      long long steps, double *observed) {
  rattle_model *model = model_of(text);
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  const rattle_problem_options options = {.evaluator = evaluator};
  if (rattle_problem_create(&problem, model, &options, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s", error.message);
  const int n = rattle_problem_n(problem), count = rattle_model_observables(model);
  double *z = calloc(2 * (size_t)n, sizeof *z);
  rattle_state state = {.q = z, .p = z + n, .h = h};
  if (rattle_problem_start(problem, 0, state.q, state.p, NULL, &error) ||
      rattle_integrator_step(integrator, &state, steps, &error) ||
      rattle_problem_observe(problem, state.q, state.p, observed, &error))
    fail_msg("%s in\n%s", error.message, text);
  free(z);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return count;
}

/* With both evaluators, which agree to the bit. */
static int observe(const char *text, const char *method, double h, long long steps,
                   double *observed) {
  double other[64];
  const int count = observe_by(RATTLE_EVALUATOR_BLOCK, text, method, h, steps, observed);
  if (!native()) return count;
  observe_by(RATTLE_EVALUATOR_NATIVE, text, method, h, steps, other);
  assert_memory_equal(other, observed, (size_t)count * sizeof *other);
  return count;
}

static void assert_near(const char *what, const double *a, const double *b, int count,
                        double tolerance) {
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance))
      fail_msg("%s: %d is %.17g and %.17g", what, i, a[i], b[i]);
}

#define MECHANICS "local mech = require 'mechanics'\n"

/* Two rods: bodies with joints, and Hamilton's function of two angles. */
static void a_double_pendulum_of_rods(void **state) {
  (void)state;
  double bodies[4], angles[2];
  assert_int_equal(observe(MECHANICS "local a = mech.planar { name = 'a', shape = mech.rod { mass "
                                     "= 1, length = 1 }, at = {0.5, 0} }\n"
                                     "mech.gravity(0, -9.81)\n"
                                     "local b = mech.planar { name = 'b', shape = mech.rod { mass "
                                     "= 1, length = 1 }, at = {1.5, 0} }\n"
                                     "mech.revolute('pin', mech.ground:at(0, 0), a:at(-0.5, 0))\n"
                                     "mech.revolute('elbow', a:at(0.5, 0), b:here(1, 0))\n"
                                     "observe('one', a.angle) observe('two', b.angle)",
                           "kahan_li8(rattle(verlet))", 0.01, 100, bodies),
                   2);
  observe("local a, p = pair('a') local b, r = pair('b')\n"
          "local c = cos(a - b)/2 local D = 4/9 - c^2\n"
          "hamiltonian((p^2/3 - 2*c*p*r + 4/3*r^2)/(2*D) + 9.81*(1.5*sin(a) + 0.5*sin(b)))\n"
          "observe('one', a) observe('two', b)",
          "gauss(6)", 0.01, 100, angles);
  assert_near("a double pendulum", bodies, angles, 2, 1e-11);
  assert_true(fabs(angles[0]) > 0.5);
}

/* Identities of values and of expressions; each line is a condition. */
static void algebra(void **state) {
  (void)state;
  static const char *const holds[] = {
      "V.cross(V.vec3(1, 0, 0), V.vec3(0, 1, 0))[3] == 1",
      "V.dot(V.vec3(1, 2, 3), V.vec3(4, 5, 6)) == 32",
      "V.dot(V.vec3(x, 0, 0), V.vec3(x, px, 1)) == x*x",
      "(x*V.vec3(1, 0, px))[3] == x*px",
      "(V.vec3(1, 2, 3)*x)[2] == 2*x or (V.vec3(1, 2, 3)*x)[2] == x*2",
      "V.norm2(V.vec3(1, 2, 2)) == 9 and V.norm(V.vec3(1, 2, 2)) == 3",
      "near(V.transpose(V.about({1, 2, 3}, 0.7))*V.about({1, 2, 3}, 0.7), V.identity())",
      "near(V.rotation(V.quat_about({1, 2, 3}, 0.7)), V.about({1, 2, 3}, 0.7))",
      "near(V.rotation(V.quat_of(V.about({1, 2, 3}, 3))), V.about({1, 2, 3}, 3))",
      "near(V.rotation(V.quat_of(V.about({0, 1, 0.1}, 3.1))), V.about({0, 1, 0.1}, 3.1))",
      "near(V.rotation(V.quat_about({1, 2, 3}, 0.7)*V.quat_about({0, 1, 0}, 2)), V.about({1, 2, "
      "3}, 0.7)*V.about({0, 1, 0}, 2))",
      "near(V.euler({0.3, 0.4, 0.5}, 'zxz'), V.about({0, 0, 1}, 0.3)*V.about({1, 0, 0}, "
      "0.4)*V.about({0, 0, 1}, 0.5))",
      "math.abs((V.about({0, 0, 1}, 0.3)*V.vec3(1, 0, 0)).y - math.sin(0.3)) < 1e-15",
      "near(V.hat(V.vec3(1, 2, 3))*V.identity(), V.columns(V.vec3(0, 3, -2), V.vec3(-3, 0, 1), "
      "V.vec3(2, -1, 0)))",
      "V.determinant(V.mat3({1, 2, 0}, {0, 3, 1}, {4, 0, 1})) == 11",
  };
  for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
    char text[1000];
    rattle_model *model = NULL;
    rattle_error error;
    snprintf(text, sizeof text,
             "local V = require 'vectors' local x, px = pair('x') hamiltonian(px^2)\n"
             "local function near(a, b) local most = 0\n"
             "for i = 1, 3 do for j = 1, 3 do most = math.max(most, math.abs(a[i][j] - b[i][j])) "
             "end end return most < 1e-14 end\n"
             "assert(%s)",
             holds[i]);
    if (rattle_model_parse(&model, text, "m.lua", NULL, &error))
      fail_msg("%s: %s", holds[i], error.message);
    rattle_model_destroy(&model);
  }
}

/* The angles of the test set at t = 0.03 (F. Mazzia, C. Magherini, Test Set for Initial Value
 * Problem Solvers, 2008), from a start that is assembled. */
static void andrews(void **state) {
  (void)state;
  static const double known[] = {
      0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948e0,
      0.5244099658805304e0, 0.5347301163226948e0,  0.1048080741042263e1};
  double angle[7];
  assert_int_equal(observe("andrews.lua", "kahan_li8(rattle(verlet))", 1e-4, 300, angle), 7);
  for (int i = 0; i < 7; i++)
    assert_near("Andrews", angle + i, known + i, 1, 1e-10 * fmax(1, fabs(known[i])));
}

/* sn(u, k) by descending Landen's transformation. */
static double sn(double u, double k) {
  if (k < 1e-9) return sin(u);
  const double root = sqrt(1 - k * k), l = (1 - root) / (1 + root), s = sn(u / (1 + l), l);
  return (1 + l) * s / (1 + l * s * s);
}

/* A symmetric top with its tip at rest, from rest but for its spin: the cosine u of its tilt moves
 * between u0 and u1, u = u1 + (u0 - u1) sn^2 with sn at its maximum for t = 0 (F. Klein, A.
 * Sommerfeld, Über die Theorie des Kreisels, 1898). Matrices and quaternions. */
static void a_heavy_top(void **state) {
  (void)state;
  static const char *const forms[] = {"matrix", "quaternion"};
  const double m = 1, g = 9.81, l = 0.2, r = 0.1, length = 0.05, tilt = 0.5, spin = 40, t = 0.3;
  const double I = m / 12 * (3 * r * r + length * length) + m * l * l, I3 = m * r * r / 2,
               a = I3 * spin / I, b = 2 * m * g * l / I;
  /* f(u) = (u0 - u) (b (1 - u^2) - a^2 (u0 - u)): roots of b u^2 - a^2 u + a^2 u0 - b */
  const double u0 = cos(tilt), root = sqrt(a * a * a * a - 4 * b * (a * a * u0 - b)),
               u1 = (a * a - root) / (2 * b), u2 = (a * a + root) / (2 * b),
               k = sqrt((u0 - u1) / (u2 - u1));
  for (size_t f = 0; f < 2; f++) {
    char text[1000];
    double seen[3];
    snprintf(text, sizeof text,
             MECHANICS
             "mech.gravity(0, 0, -%g)\nlocal R = mech.about({1, 0, 0}, %g)\n"
             "local top = mech.body { name = 'top', shape = mech.cylinder { mass = %g, radius = "
             "%g, length = %g },\n"
             "point = {0, 0, -%g}, rotation = R, spin = R*mech.vec3(0, 0, %g), form = '%s' }\n"
             "mech.spherical('tip', top:at(0, 0, -%g), mech.ground)\n"
             "observe('u', top.column[3].z) observe('spin', top:spin().z)\n"
             "observe('L', (top:angular_momentum() + mech.cross(top.x, top.p)).z)",
             g, tilt, m, r, length, l, spin, forms[f], l);
    assert_int_equal(observe(text, "kahan_li8(rattle(verlet))", 0.0025, 120, seen), 3);
    /* from the upper root: cd = cn/dn is sn, a quarter of a period later */
    const double w = sqrt(b * (u2 - u1)) / 2, s = sn(w * t, k), c2 = 1 - s * s,
                 d2 = 1 - k * k * s * s;
    const double expected[] = {u1 + (u0 - u1) * c2 / d2, spin, I3 * spin * u0};
    assert_near(forms[f], seen, expected, 1, 1e-12);
    assert_near(forms[f], seen + 1, expected + 1, 2, 1e-11);
  }
}

/* Joints: how many constraints they are, and what they leave as it is while bodies move. */
static void joints(void **state) {
  (void)state;
  static const struct {
    const char *joint;
    int rows;
    const char
        *zero; /* what stays 0, of bodies a and b, their rotation matrices R and S, and r from one
                 point to the other */
  } rows[] = {
      {"mech.spherical('j', a:at(1, 0, 0), b:at(-1, 0, 0))", 3, "mech.norm2(r)"},
      {"mech.revolute('j', a:at(1, 0, 0), b:at(-1, 0, 0))", 5,
       "mech.norm2(r) + mech.norm2(R*e3 - S*e3)"},
      {"mech.revolute('j', a:here(1, 0, 0):along(1, 1, 0), b:here(1, 0, 0):along(1, 1, 0))", 5,
       "mech.norm2(r) + mech.norm2(R*(e1 + e2) - S*(e1 + e2))"},
      {"mech.universal('j', a:at(1, 0, 0), b:at(-1, 0, 0):along(0, 1, 0))", 4,
       "mech.norm2(r) + mech.dot(R*e3, S*e2)"},
      {"mech.cylindrical('j', a:at(1, 0, 0):along(1, 0, 0), b:at(-1, 0, 0):along(1, 0, 0))", 4,
       "mech.norm2(R*e1 - S*e1) + mech.norm2(mech.cross(a.x - b.x, S*e1))"},
      {"mech.prismatic('j', a:at(1, 0, 0):along(1, 0, 0), b:at(-1, 0, 0):along(1, 0, 0))", 5,
       "mech.norm2(mech.cross(a.x - b.x, S*e1)) + mech.norm2(R*e1 - S*e1) + mech.norm2(R*e2 - "
       "S*e2)"},
      {"mech.planar_joint('j', a:at(1, 0, 0), b:at(-1, 0, 0))", 3,
       "mech.norm2(R*e3 - S*e3) + mech.dot(a.x - b.x, S*e3)"},
      {"mech.fixed('j', a:at(1, 0, 0), b:at(-1, 0, 0))", 6,
       "mech.norm2(r) + mech.norm2(R*e1 - S*e1) + mech.norm2(R*e2 - S*e2)"},
      {"mech.distance('j', a:at(0, 1, 0), b:at(0, 1, 0))", 1,
       "mech.norm2(a.x + R*e2 - b.x - S*e2) - 4"},
      {"mech.on_surface('j', a:at(1, 0, 0), b:at(-1, 0, 0), function(x, y, z) return z - x*y end)",
       1, "mech.dot(r, S*e3) - mech.dot(r, S*e1)*mech.dot(r, S*e2)"},
      {"mech.on_curve('j', a:at(1, 0, 0), b:at(-1, 0, 0), function(x, y, z) return y, z - x^2 end)",
       2, "mech.dot(r, S*e2)^2 + (mech.dot(r, S*e3) - mech.dot(r, S*e1)^2)^2"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1500];
    double zero;
    snprintf(text, sizeof text,
             MECHANICS
             "local e1, e2, e3 = mech.vec3(1, 0, 0), mech.vec3(0, 1, 0), mech.vec3(0, 0, 1)\n"
             "local shape = mech.box { mass = 1, size = {1, 2, 3} }\n"
             "local a = mech.body { name = 'a', shape = shape, velocity = {0.3, 0.1, 0.5}, spin = "
             "{0.5, 1, 0.7} }\n"
             "local b = mech.body { name = 'b', shape = shape, at = {2, 0, 0}, velocity = {0, 0.7, "
             "0.1}, spin = {0.2, 0, 1} }\n"
             "mech.gravity(0, -1, 0)\n"
             "%s\nstart { project = true }\nlocal R, S = a:rotation(), b:rotation()\nlocal r = a.x "
             "+ R*e1 - b.x + "
             "S*e1\nobserve('zero', %s)",
             rows[i].joint, rows[i].zero);
    rattle_model *model = model_of(text);
    assert_int_equal(rattle_model_constraints(model), 12 + rows[i].rows);
    rattle_model_destroy(&model);
    observe_by(RATTLE_EVALUATOR_BLOCK, text, "rattle(verlet)", 0.01, 50, &zero);
    if (!(fabs(zero) < 1e-13)) fail_msg("%s: %g", rows[i].joint, zero);
  }
}

/* Joints and loads in the plane, against closed forms at t = 1. */
static void in_the_plane(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value, tolerance; /* of what is observed */
  } rows[] = {
      /* a disc rolls down a slope: 2/3 g sin(slope) t^2/2 */
      {"mech.gravity(0, -9)\nlocal c, s = cos(0.3), sin(0.3)\n"
       "local w = mech.planar { name = 'w', mass = 2, inertia = 0.25, at = {0.5*s, 0.5*c} }\n"
       "mech.rolling('r', w, mech.ground:at(0, 0):along(c, -s), { radius = 0.5 })\nobserve('x', "
       "(w.x.x - 0.5*s)/c)",
       3 * 0.29552020666133955, 1e-13},
      /* a block on a rail */
      {"mech.gravity(0, -9)\nlocal b = mech.planar { name = 'b', mass = 2, inertia = 3, angle = "
       "0.4 }\n"
       "mech.prismatic('rail', b, mech.ground:at(0, 0):along(0.8, -0.6))\nobserve('x', b.x.x)",
       0.8 * 0.6 * 4.5, 1e-13},
      /* two wheels in mesh, moments of inertia 1 and 4, radii 1 and 2: torque 1 on the first gives
       * it 1/(1 + 4/4) */
      {"local a = mech.planar { name = 'a', mass = 1, inertia = 1 }\nlocal b = mech.planar { name "
       "= 'b', mass = 1, inertia = 4, "
       "at = {3, 0} }\n"
       "mech.revolute('A', a, mech.ground)\nmech.revolute('B', b, mech.ground:at(3, 0))\n"
       "mech.gear('mesh', a, b, { radii = {1, 2} })\nmech.torque(a, mech.ground, 1)\nobserve('x', "
       "a.angle + 2*b.angle + a.angle)",
       0.25, 1e-13},
      /* an oscillator of frequency 2, and one that turns */
      {"local a = mech.planar { name = 'a', mass = 3, inertia = 1, at = {2.5, 0} }\n"
       "mech.prismatic('rail', a, mech.ground:at(0, 0):along(1, 0))\n"
       "mech.spring(a, mech.ground:at(0, 0), { k = 12, length = 2 })\nobserve('x', a.x.x)",
       2 - 0.5 * 0.41614683654714241, 1e-4},
      {"local a = mech.planar { name = 'a', mass = 3, inertia = 1, angle = 0.5 "
       "}\nmech.revolute('pin', a, mech.ground)\n"
       "mech.torsion_spring(a, mech.ground, { k = 4, angle = 0.25 })\nobserve('x', a.angle)",
       0.25 - 0.25 * 0.41614683654714241, 1e-4},
      {"local a = mech.planar { name = 'a', mass = 3, inertia = 1 }\nlocal b = mech.planar { name "
       "= 'b', mass = 1, inertia = 1, "
       "at = {1, 1} }\n"
       "mech.fixed('weld', a:at(1, 0), b:here(1, 0))\nmech.load(b, {4, 0})\nmech.prismatic('rail', "
       "a, mech.ground:at(0, "
       "0):along(1, 0))\n"
       "observe('x', b.x.x)",
       1.5, 1e-13},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1000];
    double x;
    snprintf(text, sizeof text, MECHANICS "%s", rows[i].text);
    observe_by(RATTLE_EVALUATOR_BLOCK, text, "rattle(verlet)", 0.01, 100, &x);
    assert_near(rows[i].text, &x, &rows[i].value, 1, rows[i].tolerance);
  }
}

/* Oscillators with dampers, x'' + 2 d x' + w^2 x = 0, at t = 1: a block on a rail, and a bar in
 * space that swings about its hinge with little amplitude, by a damper at its end, or by a force
 * there; matrices, a plate, quaternions. */
static void dampers(void **state) {
  (void)state;
  static const char *const in_plane[] = {
      "local a = mech.planar { name = 'a', mass = 2, inertia = 1, at = {3.001, 0} }\n"
      "mech.prismatic('rail', a, mech.ground:at(0, 0):along(1, 0))\n"
      "mech.spring(a, mech.ground:at(0, 0), { k = 8, length = 3 })\nmech.damper(a, "
      "mech.ground:at(0, 0), { c = 2 })\n"
      "observe('x', (a.x.x - 3)*1000)",
      "local a = mech.planar { name = 'a', mass = 2, inertia = 3, angle = 0.001 "
      "}\nmech.revolute('pin', a, mech.ground)\n"
      "mech.torsion_spring(a, mech.ground, { k = 12 })\nmech.torsion_damper(mech.ground, a, { c = "
      "3 })\nobserve('x', "
      "a.angle*1000)",
      "local a = mech.planar { name = 'a', mass = 2, inertia = 3, angle = 0.001 "
      "}\nmech.revolute('pin', a, mech.ground)\n"
      "mech.torsion_spring(a, mech.ground, { k = 12 })\nlocal tip = a:at(1, 0)\nmech.push(tip, {0, "
      "-3*tip:velocity().y})\nobserve('x', a.angle*1000)",
      /* two that turn together */
      "local function wheel(name) local w = mech.planar { name = name, mass = 2, inertia = 1.5, "
      "angle = 0.001 }\n"
      "mech.revolute(name .. ' pin', w, mech.ground) return w end\nlocal a, b = wheel('a'), "
      "wheel('b')\n"
      "mech.gear('same', a, b, { radii = {1, -1} })\nmech.torsion_damper(a, b, { c = 100 })\n"
      "mech.torsion_spring(a, mech.ground, { k = 12 })\nmech.torsion_damper(mech.ground, b, { c = "
      "3 })\nobserve('x', "
      "b.angle*1000)",
  };
  static const struct {
    const char *shape, *form;
  } in_space[] = {{"box { mass = 1, size = {2, 0.2, 0.1} }", "matrix"},
                  {"plate { mass = 1, size = {2, 0.2} }", "matrix"},
                  {"box { mass = 1, size = {2, 0.2, 0.1} }", "quaternion"}};
  const double d = 0.5, w = sqrt(4 - d * d), expected = exp(-d) * (cos(w) + d / w * sin(w));
  for (size_t i = 0; i < 7; i++) {
    char text[1500];
    double x;
    snprintf(text, sizeof text, MECHANICS "%s", i < 4 ? in_plane[i] : "");
    if (i >= 4)
      snprintf(text, sizeof text,
               MECHANICS
               "local shape = mech.%s\nlocal I = shape.inertia[3]\n"
               "local a = mech.body { name = 'a', shape = shape, angle = 0.001, form = '%s' }\n"
               "mech.revolute('hinge', a, mech.ground)\nlocal tip = a:at(1, 0, "
               "0.5)\npotential(2*I*tip:position().y^2)\n"
               "mech.push(tip, {0, -I*tip:velocity().y, 0})\nobserve('x', tip:position().y*1000)",
               in_space[i - 4].shape, in_space[i - 4].form);
    observe_by(RATTLE_EVALUATOR_BLOCK, text, "rattle(midpoint)", 0.01, 100, &x);
    assert_near(text, &x, &expected, 1, 1e-4);
  }
}

/* Bennett's linkage all the way round: the angles at the first two hinges stay bound by sin(t1/2)
 * sin(t2/2) sin((b - a)/2) = cos(t1/2) cos(t2/2) sin((b + a)/2) (G. T. Bennett, Engineering 76
 * (1903) 777), up to the sign of half a turn. */
static void bennett(void **state) {
  (void)state;
  const double a = M_PI / 3, b = asin(0.7 * sin(a));
  double turned = 0, before = 0.6;
  for (int part = 1; part <= 16; part++) {
    double c[4 + 3]; /* and the multipliers of what is omitted */
    observe_by(RATTLE_EVALUATOR_BLOCK, "bennett.lua", "rattle(verlet)", 0.005, 35 * part, c);
    const double t1 = atan2(c[1], c[0]), t2 = atan2(c[3], c[2]);
    const double s = sin(t1 / 2) * sin(t2 / 2) * sin((b - a) / 2),
                 k = cos(t1 / 2) * cos(t2 / 2) * sin((b + a) / 2);
    turned += remainder(t1 - before, 2 * M_PI);
    before = t1;
    if (!(fmin(fabs(s - k), fabs(s + k)) < 1e-13)) fail_msg("%d: %g, %g", part, s, k);
  }
  assert_true(fabs(turned) > 2 * M_PI);
}

/* Overconstrained and singular mechanisms of the IFToMM library of benchmarks: how far the energy
 * changes, in J. */
static void of_the_library(void **state) {
  (void)state;
  static const struct {
    const char *file;
    double h, most;
    int constraints;
  } rows[] = {{"bricard.lua", 0.005, 1e-3, 59}, {"four_bars.lua", 0.005, 0.03, 14}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    run r;
    double z[200], first, H;
    r.model = model_of(rows[i].file);
    assert_int_equal(rattle_model_constraints(r.model), rows[i].constraints);
    assert_int_equal(rattle_problem_create(&r.problem, r.model, NULL, &r.error), RATTLE_OK);
    assert_int_equal(rattle_integrator_create(&r.integrator, r.problem, "rattle(verlet)", &r.error),
                     RATTLE_OK);
    r.state = (rattle_state){.q = z, .p = z + rattle_problem_n(r.problem), .h = rows[i].h};
    assert_int_equal(rattle_problem_start(r.problem, 0, r.state.q, r.state.p, NULL, &r.error),
                     RATTLE_OK);
    assert_int_equal(rattle_problem_energy(r.problem, r.state.q, r.state.p, &first, &r.error),
                     RATTLE_OK);
    for (int k = 0; k < 40; k++) {
      if (rattle_integrator_step(r.integrator, &r.state, 10, &r.error))
        fail_msg("%s", r.error.message);
      assert_int_equal(rattle_problem_energy(r.problem, r.state.q, r.state.p, &H, &r.error),
                       RATTLE_OK);
      if (!(fabs(H - first) < rows[i].most))
        fail_msg("%s: %g after %d steps", rows[i].file, H - first, 10 * k);
    }
    end(&r);
  }
}

/* A body with products of inertia: its spin by Euler's equations (scipy's DOP853, 1e-12), in both
 * forms; and a pendulum of it against the same body given by its principal moments, in a frame that
 * is turned by 0.7 about z. */
static void products_of_inertia(void **state) {
  (void)state;
  static const char *const inertia[] = {
      "{0.12, 0.10, 0.08, 0.01, 0, -0.02}",
      "{{0.12, 0.01, 0}, {0.01, 0.10, -0.02}, {0, -0.02, 0.08}}",
      "mech.mat3({0.12, 0.01, 0}, {0.01, 0.10, -0.02}, {0, -0.02, 0.08})"};
  static const double right[] = {1.02824248, 1.60759414, 0.75812983};
  double found[6], principal[6];
  char text[1200];
  for (int i = 0; i < 6; i++) {
    snprintf(text, sizeof text,
             MECHANICS
             "local b = mech.body { name = 'b', mass = 2, inertia = %s, spin = {0.3, 2, 0.1}, form "
             "= '%s' }\n"
             "observe('1', b:spin().x) observe('2', b:spin().y) observe('3', b:spin().z)\n",
             inertia[i % 3], i < 3 ? "matrix" : "quaternion");
    assert_int_equal(observe(text, "kahan_li8(rattle(verlet))", 0.01, 100, found), 3);
    assert_near("Euler's equations", found, right, 3, 5e-9);
  }
  static const char *const ends =
      "mech.revolute('pin', mech.ground:at(0, 0, 0):along(0, 1, 0), b:%s:along(0, 1, 0))\n"
      "mech.gravity(1, 0, -9.81)\n"
      "local p, v = b:at(%s):position(), b:at(%s):velocity()\n"
      "observe('x', p.x) observe('y', p.y) observe('z', p.z)\n"
      "observe('vx', v.x) observe('vz', v.z) observe('L', b:angular_momentum().z)\n";
  char joined[600];
  snprintf(joined, sizeof joined, ends, "here(0, 0, 0)", "0.3, 0.2, -0.1", "0.3, 0.2, -0.1");
  snprintf(text, sizeof text,
           MECHANICS
           "local c, s = math.cos(0.7), math.sin(0.7)\n"
           "local b = mech.body { name = 'b', mass = 2, at = {1, 0, 0.5},\n"
           "  inertia = {0.5*c^2 + 0.7*s^2, 0.5*s^2 + 0.7*c^2, 0.9, (0.5 - 0.7)*c*s, 0, 0} }\n%s",
           joined);
  assert_int_equal(observe(text, "kahan_li8(rattle(verlet))", 0.01, 50, found), 6);
  snprintf(joined, sizeof joined, ends, "here(0, 0, 0)", "c*0.3 + s*0.2, c*0.2 - s*0.3, -0.1",
           "c*0.3 + s*0.2, c*0.2 - s*0.3, -0.1");
  snprintf(text, sizeof text,
           MECHANICS "local c, s = math.cos(0.7), math.sin(0.7)\n"
                     "local b = mech.body { name = 'b', mass = 2, at = {1, 0, 0.5}, inertia = "
                     "{0.5, 0.7, 0.9}, angle = 0.7 }\n%s",
           joined);
  assert_int_equal(observe(text, "kahan_li8(rattle(verlet))", 0.01, 50, principal), 6);
  assert_near("principal axes", found, principal, 6, 1e-12);
  assert_true(fabs(found[0] - 1.3) > 0.1);
}

/* Lists that are no inertia, no rotation or no place, and the sentence that each gets. */
static void bodies_that_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *options, *sentence;
  } cases[] = {
      {"inertia = {1, 2}", "inertia takes three principal moments"},
      {"inertia = {1, 2, 3, 0}", "found a list of 4"},
      {"inertia = {1, 2, 3, 0, 0, 0, 0}", "found a list of 7"},
      {"inertia = 3", "found a number"},
      {"inertia = {1, 2, 'x'}", "found a string in it"},
      {"inertia = {{1, 0, 0}, {0.1, 1, 0}, {0, 0, 1}}",
       "entries 1, 2 and 2, 1 of the matrix are 0 and 0.1"},
      {"inertia = {{1, 0, 0}, {0, 1}, {0, 0, 1}}", "row 2 of the matrix has not three numbers"},
      {"inertia = {1, 1, 3}", "each is at most the sum of the others"},
      {"inertia = {1, 1, 1, 2, 0, 0}", "each is at most the sum of the others"},
      {"inertia = {1, 1, 1}, rotation = mech.mat3({1, 0, 0}, {0, 1, 0}, {0, 0, -1})",
       "mirrors the body"},
      {"inertia = {1, 1, 1}, at = {1, 2}", "expected {x, y, z} for at, found 2"},
      {"inertia = {1, 1, 1}, spin = {1, 2, 3, 4}", "expected {x, y, z} for spin, found 4"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_model *model = NULL;
    rattle_error error;
    char text[300];
    snprintf(text, sizeof text, MECHANICS "\nlocal b = mech.body { name = 'b', mass = 1, %s }\n",
             cases[i].options);
    assert_int_equal(rattle_model_parse(&model, text, "m.lua", NULL, &error), RATTLE_BAD_MODEL);
    if (!strstr(error.message, cases[i].sentence) || !strstr(error.message, "m.lua:3"))
      fail_msg("%s: %s", cases[i].options, error.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algebra),
      cmocka_unit_test(a_double_pendulum_of_rods),
      cmocka_unit_test(andrews),
      cmocka_unit_test(a_heavy_top),
      cmocka_unit_test(joints),
      cmocka_unit_test(in_the_plane),
      cmocka_unit_test(dampers),
      cmocka_unit_test(bennett),
      cmocka_unit_test(of_the_library),
      cmocka_unit_test(products_of_inertia),
      cmocka_unit_test(bodies_that_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
