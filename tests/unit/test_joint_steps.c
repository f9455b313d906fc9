/* Steps in joint coordinates: the sweeps against the derivatives of H as an expression, pendulums
 * against their Lagrangians, momenta of what floats, rest, and what is refused. */
#include "random_tree.h"

/* The sweeps give H and its derivatives, which the expression has by the chain rule. */
static void sweeps_are_the_gradient(void **unused) {
  (void)unused;
  static const double wound[] = {0, 3, 700, 3e6};
  for (int seed = 0; seed < 24; seed++) {
    made m = make(tree(seed, 6, seed % 3 == 0, 0, "joints"), "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->H;
    rattle_graph *graph = rattle_model_graph(m.model);
    const rattle_expr e = rattle_model_hamiltonian(m.model);
    double z[120], x[120], Y[120], value, *work = malloc(H->work * sizeof *work), most = 0;
    assert_true(m.problem->swept && work && 2 * m.n <= 120);
    for (int k = 0; k < m.n; k++) {
      const int turns = strstr(rattle_model_coordinate_name(m.model, k), ".angle") != NULL;
      z[k] = m.state.q[k] + 0.3 * sin(1 + k + seed), z[m.n + k] = cos(2.0 * k + seed);
      if (turns) z[k] += wound[seed % 4] * (k - 2);
      x[2 * k] = z[k], x[2 * k + 1] = z[m.n + k];
    }
    assert_int_equal(H->jacobian(H, z, &value, Y, work), 0);
    for (int c = 0; c < 2 * m.n; c++) most = fmax(most, fabs(Y[c]));
    assert_true(fabs(value - rattle_expr_evaluate(graph, e, x)) < 1e-12 * (1 + fabs(value)));
    for (int k = 0; k < m.n; k++)
      for (int part = 0; part < 2; part++) {
        const rattle_expr d = rattle_expr_derivative(graph, e, 2 * k + part);
        const double y = Y[k + part * m.n];
        if (!(fabs(y - rattle_expr_evaluate(graph, d, x)) <= 1e-12 * most))
          fail_msg("seed %d: derivative by %d is %.15g", seed, 2 * k + part, y);
      }
    free(work);
    unmake(&m);
  }
}

/* Second derivatives are those of the expression, however large coordinates and momenta are. */
static void second_derivatives_are_exact(void **unused) {
  (void)unused;
  static const double sizes[][2] = {{0.3, 1}, {1e-9, 1e6}, {1, 1e-6}, {0, 0}};
  for (int seed = 0; seed < 16; seed++) {
    made m = make(tree(seed, 3, seed % 3 == 0, seed % 2, "joints"), "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->energy ? m.problem->energy : m.problem->H;
    rattle_graph *graph = rattle_model_graph(m.model);
    const double *size = sizes[seed % 4];
    const int n = m.n, vars = 2 * n;
    double z[60], x[60], most[3] = {0}, *S = malloc((size_t)H->hess_nnz * sizeof *S),
                         *work = malloc(H->work * sizeof *work);
    assert_true(m.problem->swept && S && work && vars <= 60 && H->hess_nnz == vars * vars);
    for (int k = 0; k < n; k++) {
      z[k] = x[2 * k] = m.state.q[k] + size[0] * sin(1 + k + seed);
      z[n + k] = x[2 * k + 1] = size[1] * cos(2.0 * k + seed);
    }
    assert_int_equal(H->hessian(H, z, NULL, S, work), 0);
    for (int i = 0; i < vars; i++)
      for (int j = 0; j < vars; j++)
        most[i / n + j / n] = fmax(most[i / n + j / n], fabs(S[i * vars + j]));
    for (int i = 0; i < vars; i++) {
      const rattle_expr first =
          rattle_expr_derivative(graph, rattle_model_hamiltonian(m.model), 2 * (i % n) + i / n);
      for (int j = 0; j <= i; j++) {
        const rattle_expr second = rattle_expr_derivative(graph, first, 2 * (j % n) + j / n);
        const double right = rattle_expr_evaluate(graph, second, x);
        if (!(fabs(S[i * vars + j] - right) <= 1e-11 * most[i / n + j / n]))
          fail_msg("seed %d: %d, %d: %.15g, not %.15g", seed, i, j, S[i * vars + j], right);
      }
    }
    free(S), free(work);
    unmake(&m);
  }
}

/* Several points at once, in lanes, are those points one by one, to the bit: also where an angle is
 * beyond the sines of lanes, which one of the points has then. */
static void lanes_have_the_bits_of_one(void **unused) {
  (void)unused;
  enum { MOST = 8 };
  for (int seed = 1; seed < 5; seed++) {
    made m = make(tree(seed, 5, seed == 3, 0, "joints"), "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->H;
    const int vars = H->vars;
    const size_t points = (size_t)(MOST * vars);
    double *x = aligned_alloc(64, (points / 8 + 1) * 64),
           *J = aligned_alloc(64, (points / 8 + 1) * 64),
           *one = malloc((2 * (size_t)vars + H->work) * sizeof *one), *at = one + vars,
           *work = at + vars;
    assert_true(x && J && one && H->lanes >= 2);
    for (int lanes = 2; lanes <= H->lanes; lanes *= 2)
      for (int far = 0; far < 2; far++) {
        for (int c = 0; c < vars; c++)
          for (int l = 0; l < lanes; l++)
            x[c * lanes + l] = (far && l == 1 && c % 3 == 0 ? 2e6 : 90) * sin(1.7 * c + l + seed);
        memset(J, 0, points * sizeof *J);
        assert_int_equal(H->in_lanes(H, lanes, x, J, work), 0);
        for (int l = 0; l < lanes; l++) {
          for (int c = 0; c < vars; c++) at[c] = x[c * lanes + l];
          assert_int_equal(H->jacobian(H, at, NULL, one, work), 0);
          for (int c = 0; c < vars; c++)
            assert_memory_equal(&J[c * lanes + l], &one[c], sizeof *one);
        }
      }
    free(x), free(J), free(one);
    unmake(&m);
  }
}

/* Two rods of mass 1 and length 1 on hinges, from the Lagrangian in the angles a and a + b: M = [[8/3
 * + cos b, 1/3 + (cos b)/2], [., 1/3]] less what does not depend on b, V = -g (3/2 cos a + 1/2
 * cos(a + b)). */
static void double_pendulum_is_that_of_lagrange(void **unused) {
  (void)unused;
  made m =
      make("local mech = require 'mechanics'\nmech.coordinates 'joints'\n"
           "mech.gravity(0, -9.81)\nlocal rod = mech.rod {mass = 1, length = 1}\n"
           "local a = mech.planar {name = 'a', shape = rod, at = {0, -0.5}, angle = -math.pi/2}\n"
           "local b = mech.planar {name = 'b', shape = rod, at = {0, -1.5}, angle = -math.pi/2}\n"
           "mech.revolute('pin', a:at(-0.5, 0), mech.ground:at(0, 0))\n"
           "mech.revolute('elbow', b:at(-0.5, 0), a:at(0.5, 0))\n"
           "velocity {['pin.angle'] = 0.7}\n",
           "gauss(4)", 0.01, 0);
  assert_int_equal(m.n, 2);
  assert_string_equal(rattle_model_coordinate_name(m.model, 0), "pin.angle");
  assert_string_equal(rattle_model_momentum_name(m.model, 1), "elbow.pangle");
  /* the elbow stands still: p = M (0.7, 0) */
  assert_true(fabs(m.state.p[0] - 0.7 * (8.0 / 3)) < 1e-12);
  assert_true(fabs(m.state.p[1] - 0.7 * (1.0 / 3 + 0.5)) < 1e-12);
  for (int trial = 0; trial < 20; trial++) {
    const double q[2] = {3 * sin(trial), 2 * cos(3.0 * trial)},
                 p[2] = {sin(2.0 * trial), cos(trial)};
    const double c = cos(q[1]), A = 5.0 / 3 + c, B = 1.0 / 3 + c / 2, C = 1.0 / 3;
    const double T =
        (C * p[0] * p[0] - 2 * B * p[0] * p[1] + A * p[1] * p[1]) / (2 * (A * C - B * B));
    const double V = -9.81 * (1.5 * cos(q[0]) + 0.5 * cos(q[0] + q[1]));
    double H;
    assert_int_equal(rattle_problem_energy(m.problem, q, p, &H, NULL), RATTLE_OK);
    assert_true(fabs(H - T - V) < 1e-12 * (1 + fabs(T) + fabs(V)));
  }
  unmake(&m);
}

/* Thirty-five hinges in a row along skew axes: bodies stand where they were declared, to round-off. */
static void skew_chains_keep_their_places(void **unused) {
  (void)unused;
  made m = make("local mech = require 'mechanics'\nmech.coordinates 'joints'\n"
                "local before = mech.ground\nfor i = 1, 35 do\n"
                "  local b = mech.body {name = 'b' .. i, mass = 1, inertia = {0.02, 0.09, 0.1},\n"
                "    at = {i - 0.5, 0, 0}}\n"
                "  local a = i % 2 == 1 and {0.1, 0.6, 0.8} or {0.3, 1, 0.2}\n"
                "  mech.revolute('j' .. i, b:here(i - 1, 0, 0):along(a[1], a[2], a[3]),\n"
                "    before:here(i - 1, 0, 0):along(a[1], a[2], a[3]))\n"
                "  before = b\nend\n",
                "gauss(2)", 0.001, 0);
  assert_int_equal(m.n, 35);
  const double x = seen(&m, "b35.x"), y = seen(&m, "b35.y");
  if (!(fabs(x - 34.5) < 1e-12 && fabs(y) < 1e-12)) fail_msg("(%.15g, %.3g)", x, y);
  unmake(&m);
}

/* A tree that floats keeps its momentum and its angular momentum; a quaternion its length. */
static void floating_tree_keeps_its_momenta(void **unused) {
  (void)unused;
  made m = make(
      "local mech = require 'mechanics'\nmech.coordinates 'joints'\nlocal b = {}\n"
      "for i = 1, 3 do b[i] = mech.body {name = 'b' .. i, mass = i, inertia = {0.3, 0.4, 0.5}, "
      "at = {i, 0, 0}, spin = {0.2, 0.3, 1}, velocity = {0, i, -0.3*i}} end\n"
      "mech.revolute('hinge', b[2]:here(1.5, 0, 0):along(1, 2, 0), b[1]:here(1.5, 0, 0):along(1, "
      "2, 0))\nmech.spherical('ball', b[2]:here(2.5, 0, 0), b[3]:here(2.5, 0, 0))\n"
      "mech.torsion_spring(b[2]:here(1.5, 0, 0):along(1, 2, 0), b[1]:here(1.5, 0, 0):along(1, 2, "
      "0), {k = 1, angle = 1})\n"
      "local P, L = mech.vec3(0, 0, 0), mech.vec3(0, 0, 0)\n"
      "for i = 1, 3 do P = P + b[i].p\n"
      "  L = L + b[i]:angular_momentum() + mech.cross(b[i].x, b[i].p) end\n"
      "for c = 1, 3 do observe('P' .. c, P[c]) observe('L' .. c, L[c]) end\n",
      "gauss(3)", 0.02, 0);
  const char *const name[] = {"P1", "P2", "P3", "L1", "L2", "L3"};
  /* of the start: sum of m v, and of I w + m x cross v */
  const double expected[] = {0, 14, -4.2, 0.18, 0.36 + 10.8, 1.5 + 36};
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 6; i++) {
      const double x = seen(&m, name[i]);
      if (!(fabs(x - expected[i]) < 2e-12 * 36)) fail_msg("%s is %.15g", name[i], x);
    }
    if (!round) step(&m, 500);
  }
  int quaternions = 0;
  for (int k = 0; k < m.n; k++) {
    const char *called = rattle_model_coordinate_name(m.model, k);
    if (strcmp(called + strlen(called) - 3, ".qw") != 0) continue;
    double size = 0;
    for (int i = 0; i < 4; i++) size += m.state.q[k + i] * m.state.q[k + i];
    if (!(fabs(size - 1) < 1e-13)) fail_msg("%s: %.3g", called, size - 1);
    quaternions++;
  }
  assert_int_equal(quaternions, 2);
  unmake(&m);
}

#define ROD                                                                                        \
  "local mech = require 'mechanics'\nmech.coordinates 'joints'\n"                                  \
  "local a = mech.body {name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, at = {1, 0, 0}%s}\n"
static const struct {
  const char *option, *text, *message;
} refused[] = {
    {"", "mech.revolute('pin', a:at(-0.9, 0), mech.ground:at(0, 0))",
     "revolute \"pin\" does not fit at the start: its points are 0.1 apart"},
    {"", "mech.revolute('pin', a:at(-1, 0):along(1, 0, 1), mech.ground:at(0, 0))",
     "the axes, which should be parallel, are 0.785398 rad apart"},
    {", velocity = {0, 0, 1}", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0))",
     "\"a.z\" has 1 and its joints allow 0"},
    {"", "local j = mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) potential(j:force().x)",
     "contains a force or rate of a joint, which follows from the motion"},
    {"",
     "local j = mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) observe('F', j:force().x)\n"
     "constrain('w', a.p.y)",
     "without momenta of bodies or joints"},
    {"", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) start {['a.z'] = 2}",
     "the start of \"a.z\" is 2, and 0 follows from those of other coordinates"},
    {"", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) mech.assemble {hold = {a}}",
     "\"a.x\" cannot be held"},
    {"", "draw {surface = a.x.z, over = {a.x.x, a.x.y, a.x.z}}",
     "a surface cannot be drawn over \"a.x\""},
    {"", "hamiltonian(a.x.x*a.p.y)", "H contains the momentum \"a.py\""},
    {"", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) mass {['pin.angle'] = 3}",
     "the kinetic energy of \"pin.angle\" is that of what it moves"},
    {", form = 'quaternion'", "", "omit form = \"quaternion\" of \"a\""},
    {"", "mech.coordinates 'bodies'", "choose the coordinates before the first body"},
};

static void nonsense_is_refused(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    rattle_model *model = NULL;
    rattle_error error;
    const int head = snprintf(text, sizeof text, ROD, refused[i].option);
    snprintf(text + head, sizeof text - (size_t)head, "%s\n", refused[i].text);
    assert_int_equal(rattle_model_parse(&model, text, "m.lua", NULL, &error), RATTLE_BAD_MODEL);
    if (!strstr(error.message, refused[i].message)) fail_msg("%zu: %s", i, error.message);
  }
}

/* The same starts, projected: the rod hangs on its pin with the velocity that it can have. */
static void starts_are_projected(void **unused) {
  (void)unused;
  snprintf(text, sizeof text,
           ROD "mech.revolute('pin', a:at(-0.9, 0), mech.ground:at(0, 0))\nstart {project = true}\n"
               "velocity {['a.y'] = 1, ['a.z'] = 5}\n",
           "");
  made m = make(text, "gauss(2)", 0.01, 0);
  assert_true(fabs(seen(&m, "a.x") - 0.9) < 1e-15 && fabs(seen(&m, "a.y")) < 1e-15);
  assert_true(fabs(m.state.p[0] - 0.9) < 1e-15); /* the moment of the impulse (0, 1, 5) about z */
  unmake(&m);
}

/* Exact derivatives of steps are refused, also where a loop is closed. */
static void tangents_are_refused(void **unused) {
  (void)unused;
  for (int closed_too = 0; closed_too < 2; closed_too++) {
    snprintf(text, sizeof text,
             ROD "mech.universal('pin', a:at(-1, 0):along(0, 1, 0), mech.ground:at(0, 0))\n%s", "",
             closed_too ? "mech.distance('rope', a:at(1, 0), mech.ground:at(3, 1, 0))\n" : "");
    made m = make(text, closed_too ? "rattle(midpoint)" : "gauss(2)", 0.01, 0);
    rattle_tangent *tangent = NULL;
    rattle_error error;
    assert_int_equal(rattle_tangent_create(&tangent, m.problem,
                                           closed_too ? "rattle(midpoint)" : "gauss(2)", &error),
                     RATTLE_UNSUITABLE);
    assert_non_null(strstr(error.message, "not offered in joint coordinates"));
    unmake(&m);
  }
}

/* Bodies that float under a name of their own start where that says. */
static void floating_bodies_have_names(void **unused) {
  (void)unused;
  snprintf(text, sizeof text, ROD "mech.free('ship', a) start {['ship.slide2'] = 2}\n", "");
  made m = make(text, "gauss(2)", 0.01, 0);
  assert_int_equal(m.n, 7);
  assert_true(seen(&m, "a.x") == 1 && seen(&m, "a.y") == 2);
  unmake(&m);
}

/* A step that is too long ends with a sentence, and changes nothing. */
static void long_steps_fail(void **unused) {
  (void)unused;
  made m = make(tree(5, 40, 0, 0, "joints"), "gauss(8)", 5, 0);
  rattle_error error;
  double *before = malloc(2 * (size_t)m.n * sizeof *before);
  assert_non_null(before);
  memcpy(before, m.state.q, 2 * (size_t)m.n * sizeof *before);
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 1, &error), RATTLE_NOT_CONVERGED);
  assert_non_null(strstr(error.message, "use a smaller step"));
  assert_memory_equal(before, m.state.q, 2 * (size_t)m.n * sizeof *before);
  free(before);
  unmake(&m);
}

/* Two bodies that hang still, and two that stand on each other: the first stages solve the step. */
static void rest_takes_one_iteration(void **unused) {
  (void)unused;
  for (int up = -1; up <= 1; up += 2) {
    char still[1000];
    snprintf(still, sizeof still,
             "local mech = require 'mechanics'\nmech.coordinates 'joints'\nmech.gravity(0, -9.81)\n"
             "local a = mech.planar { name = 'a', mass = 1, inertia = 0.1, at = {0, %d*0.5} }\n"
             "local b = mech.planar { name = 'b', mass = 1, inertia = 0.1, at = {0, %d*1.5} }\n"
             "mech.revolute('pin', a:here(0, 0), mech.ground:at(0, 0))\n"
             "mech.revolute('elbow', b:here(0, %d), a:here(0, %d))\n",
             up, up, up, up);
    made m = make(still, "gauss(8)", 0.05, 0);
    step(&m, 10);
    const rattle_counts counts = rattle_integrator_counts(m.integrator);
    assert_true(counts.gradient == 10 * (1 + 8) && counts.hessian == 0);
    for (int k = 0; k < m.n; k++) assert_true(m.state.q[k] == 0 && m.state.p[k] == 0);
    unmake(&m);
  }
}

/* Seven bodies that hang along a gravity that is inclined, where weights cancel but for round-off of
 * angles that are not small: stages contract to what that leaves, and Newton's method is not asked.
 */
static void rest_at_an_angle_contracts(void **unused) {
  (void)unused;
  for (int i = 1; i <= 12; i++) {
    const double t = 0.05 * i + 0.013;
    char still[1200];
    snprintf(
        still, sizeof still,
        "local mech = require 'mechanics'\nmech.coordinates 'joints'\nlocal t = %.17g\n"
        "mech.gravity(9.81*math.sin(t), 0, -9.81*math.cos(t))\nlocal before = mech.ground\n"
        "for i = 1, 7 do\n"
        "  local a = mech.body {name = 'b' .. i, mass = 1 + 0.1*i, inertia = {0.1, 0.12, 0.05},\n"
        "    at = {0, 0, -(i - 0.5)*0.7}, angle = 0.7*i, axis = {0.3, i, 1}}\n"
        "  local z = -(i - 1)*0.7\n"
        "  mech.revolute('j' .. i, a:here(0, 0, z):along(0, 1, 0), before:here(0, 0, z):along(0, "
        "1, 0))\n  before = a\nend\nstart {['j1.angle'] = -t}\n",
        t);
    made m = make(still, "gauss(8)", i % 2 ? 0.15 : 0.1, 0);
    step(&m, 40);
    assert_true(rattle_integrator_counts(m.integrator).hessian == 0);
    for (int k = 0; k < m.n; k++)
      assert_true(fabs(m.state.q[k] + (k ? 0 : t)) < 1e-13 && fabs(m.state.p[k]) < 1e-11);
    unmake(&m);
  }
}

/* A swing of two ropes and a seat, a closed chain that hangs where all angles are 0: it stays there,
 * on the lengths' round-off. */
static void closed_chain_rests(void **unused) {
  (void)unused;
  for (int i = 0; i < 6; i++) {
    const double l = pow(10, 6 * (i / 2 - 1));
    char still[1200];
    snprintf(still, sizeof still,
             "local mech = require 'mechanics'\nmech.coordinates 'joints'\nlocal l = %.17g\n"
             "mech.gravity(0, -9.81*l)\n"
             "local function rod(name, mass, x, y, angle) return mech.planar {name = name,\n"
             "  mass = mass, inertia = 0.1*l^2, at = {x*l, y*l}, angle = angle} end\n"
             "local a, c = rod('a', 1, 0, -0.5, math.pi/2), rod('c', 1, 1, -0.5, math.pi/2)\n"
             "local b = rod('b', 2, 0.5, -1, 0)\n"
             "mech.revolute('left', a:here(0, 0), mech.ground:at(0, 0))\n"
             "mech.revolute('seat', b:here(0, -l), a:here(0, -l))\n"
             "mech.revolute('right', c:here(l, -l), b:here(l, -l))\n"
             "mech.revolute('close', c:here(l, 0), mech.ground:at(l, 0))\n",
             l);
    made m = make(still, i % 2 ? "rattle(verlet)" : "rattle(midpoint)", 0.001, 0);
    step(&m, 50);
    for (int k = 0; k < m.n; k++) assert_true(fabs(m.state.q[k]) < 1e-13);
    unmake(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_chain_rests),
      cmocka_unit_test(sweeps_are_the_gradient),
      cmocka_unit_test(second_derivatives_are_exact),
      cmocka_unit_test(lanes_have_the_bits_of_one),
      cmocka_unit_test(double_pendulum_is_that_of_lagrange),
      cmocka_unit_test(skew_chains_keep_their_places),
      cmocka_unit_test(floating_tree_keeps_its_momenta),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(starts_are_projected),
      cmocka_unit_test(tangents_are_refused),
      cmocka_unit_test(floating_bodies_have_names),
      cmocka_unit_test(long_steps_fail),
      cmocka_unit_test(rest_takes_one_iteration),
      cmocka_unit_test(rest_at_an_angle_contracts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
