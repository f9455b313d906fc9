/* Rigid bodies joined to trees, stepped along the tree (constraint/tree), against the general step
 * over sparse rows and against what motion keeps: random mechanisms, which joints are recognised,
 * and steps that are too long. */
#include "evaluators.h"

#include <float.h>

/* N bodies; each is joined to the ground or to one before it by a hinge or a ball, or floats and
 * turns with all that is joined to it. Bodies, points and axes are anywhere. */
static const char *const random_mechanism =
    "local mech = require 'mechanics'\n"
    "local state, N, floats, force = %d, %d, %d, %d\n"
    "local function r(a, b) state = state*16807 %% 2147483647\n"
    "  return a + (b - a)*state/2147483647 end\n"
    "local function any(a) return {r(-a, a), r(-a, a), r(-a, a)} end\n"
    "if floats == 0 then mech.gravity(0, r(-2, 2), -9.81) end\n"
    "local b, w = {}, any(2)\n"
    "for i = 1, N do\n"
    "  local at, d = any(1), {r(0.05, 0.4), r(0.05, 0.4), r(0.05, 0.4)}\n"
    "  local o = {name = 'b' .. i, mass = r(0.5, 2), at = at, angle = r(-3, 3), axis = any(1), "
    "inertia = {d[2] + d[3], d[3] + d[1], d[1] + d[2]}}\n"
    "  if floats == 1 then o.spin, o.velocity = w, {w[2]*at[3] - w[3]*at[2], w[3]*at[1] - "
    "w[1]*at[3], w[1]*at[2] - w[2]*at[1]} end\n"
    "  b[i] = mech.body(o)\n"
    "  local k = math.floor(r(1 - 1/N, i))\n"
    "  local to, p, a = k > 0 and b[k] or mech.ground, any(1), any(1)\n"
    "  if i == 1 or k == 0 then to = mech.ground end\n"
    "  local one, two = b[i]:here(p[1], p[2], p[3]), to:here(p[1], p[2], p[3])\n"
    "  if r(0, 1) < 0.5 then one, two = two, one end\n"
    "  if floats == 1 and to == mech.ground then\n"
    "  elseif r(0, 1) < 0.6 then mech.revolute('j' .. i, one:along(a[1], a[2], a[3]), "
    "two:along(a[1], a[2], a[3]))\n"
    "  else mech.spherical('j' .. i, one, two) end\n"
    "  if force == 1 then local x = b[i]:at(0.2, -0.1, 0.3):position()\n"
    "    potential(x.x^2 + 3*x.z^2 + x.y^4 + 0.3*math.sin(1)*x.x*x.y) end\n"
    "end\n";

/* Five bodies on balls in a row, from the ground on, and what closes them. */
#define RING(closer)                                                                               \
  "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\nlocal b, ground = {}, "            \
  "mech.ground\nlocal function sphere(name, a, c) mech.spherical(name, a:here(1, 2, 0), "          \
  "c:here(1, 2, 0)) end\nfor i = 1, 5 do b[i] = mech.body { name = 'b' .. i, mass = 1 + i/5, "     \
  "inertia = {0.1, 0.2, 0.25}, at = {i, i*i/5, math.sin(i)}, angle = i, axis = {1, i, 2} }\n"      \
  "  local a, x = i > 1 and b[i - 1] or ground, i - 0.5\n"                                         \
  "  mech.spherical('j' .. i, a:here(x, x*x/5, 0), b[i]:here(x, x*x/5, 0)) end\n" closer "\n"

#define TWO                                                                                        \
  "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\n"                                  \
  "local function body(name, x) return mech.body { name = name, mass = 1, inertia = {0.1, 0.2, "   \
  "0.25}, at = {x, 0, 0} } end\nlocal a, b = body('a', 0.5), body('b', 1.5)\n"                     \
  "mech.revolute('j', mech.ground:at(0, 0, 0):along(0, 1, 0), a:here(0, 0, 0):along(0, 1, 0))\n"

/* A crank on the ground, a rod on it, and a block that slides on a line askew. */
#define SLIDER_CRANK                                                                               \
  "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\nlocal ground = mech.ground\n"      \
  "local crank = mech.body { name = 'crank', mass = 1, inertia = {0.02, 0.09, 0.1}, at = {0.1, "   \
  "0, "                                                                                            \
  "0.25} }\n"                                                                                      \
  "local rod = mech.body { name = 'rod', mass = 0.7, inertia = {0.01, 0.1, 0.1}, at = {0.6, 0.1, " \
  "0.3} }\n"                                                                                       \
  "local block = mech.body { name = 'block', mass = 2, inertia = {0.1, 0.1, 0.1}, at = {1.2, "     \
  "0.2, "                                                                                          \
  "0.1} }\n"                                                                                       \
  "mech.revolute('pin', crank:here(0, 0, 0):along(0, 1, 0.1), ground:here(0, 0, 0):along(0, 1, "   \
  "0.1))\n"                                                                                        \
  "mech.spherical('knee', rod:here(0, 0, 0.5), crank:here(0, 0, 0.5))\n"                           \
  "mech.universal('wrist', block:here(1.2, 0.2, 0.1):along(0, 1, 0), rod:here(1.2, 0.2, "          \
  "0.1):along(0, 0, 1))\n"                                                                         \
  "mech.prismatic('rail', block:here(1.2, 0.2, 0.1):along(1, 0.1, 0), ground:here(1.2, 0.2, "      \
  "0.1):along(1, 0.1, 0))\n"

typedef struct motion {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  int n, m;
  double *z, *start;
  rattle_state state;
} motion;

/* The model of a text, or of an example called NAME.lua. */
static motion set_out(const char *text, const char *method, double h) {
  motion s = {0};
  rattle_error error;
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  char path[300];
  snprintf(path, sizeof path, "%s/examples/%s", RATTLE_SOURCE_DIR, strchr(text, '\n') ? "" : text);
  if ((strchr(text, '\n') ? rattle_model_parse(&s.model, text, "m.lua", NULL, &error)
                          : rattle_model_load(&s.model, path, NULL, &error)) ||
      rattle_problem_create(&s.problem, s.model, &options, &error) ||
      rattle_integrator_create(&s.integrator, s.problem, method, &error))
    fail_msg("%s in\n%s", error.message, text);
  s.n = rattle_problem_n(s.problem), s.m = rattle_problem_m(s.problem);
  s.z = calloc(4 * (size_t)s.n, sizeof *s.z);
  s.start = s.z + 2 * s.n;
  assert_int_equal(rattle_problem_start(s.problem, 1, s.z, s.z + s.n, NULL, &error), RATTLE_OK);
  memcpy(s.start, s.z, 2 * (size_t)s.n * sizeof *s.z);
  s.state = (rattle_state){.q = s.z, .p = s.z + s.n, .h = h};
  return s;
}

static void finish(motion *s) {
  rattle_integrator_destroy(&s->integrator);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
  free(s->z);
}

static void step(motion *s, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(s->integrator, &s->state, steps, &error))
    fail_msg("%s", error.message);
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) {
    const double d = fabs(a[i] - b[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

/* The largest |g| and |psi|. */
static double off(const motion *s) {
  double residuals[600], most = 0;
  assert_true(2 * s->m <= 600);
  rattle_error error;
  assert_int_equal(
      rattle_problem_residuals(s->problem, s->z, s->z + s->n, residuals, residuals + s->m, &error),
      RATTLE_OK);
  for (int i = 0; i < 2 * s->m; i++)
    if (!(fabs(residuals[i]) <= most)) most = fabs(residuals[i]);
  return most;
}

static const struct {
  const char *map;
  double h;
  int steps, keeps_psi;
} maps[] = {
    {"rattle(verlet%s)", 0.005, 200, 1},
    {"shake(verlet%s)", 0.005, 200, 0},
    {"rattle(symplectic_euler%s)", 0.005, 100, 1},
    {"suzuki4(rattle(verlet%s))", 0.01, 40, 1},
    {"rattle(verlet, project=output%s)", 0.005, 100, 0},
};
enum { MAPS = sizeof maps / sizeof *maps, MECHANISMS = 40 };

/* The step along the tree is the one over sparse rows. */
static void same_steps(void **state) {
  (void)state;
  for (int seed = 1; seed <= MECHANISMS; seed++) {
    char text[4096], tree[80], sparse[80];
    const int with = seed % MAPS;
    snprintf(text, sizeof text, random_mechanism, 977 * seed, 2 + seed % 7, seed % 3 == 0,
             seed % 2);
    snprintf(tree, sizeof tree, maps[with].map, "");
    snprintf(sparse, sizeof sparse, maps[with].map, ", solver=sparse");
    motion a = set_out(text, tree, maps[with].h), b = set_out(text, sparse, maps[with].h);
    step(&a, maps[with].steps), step(&b, maps[with].steps);
    assert_string_equal(rattle_integrator_kernel(a.integrator), "bodies");
    assert_string_equal(rattle_integrator_kernel(b.integrator), "sparse");
    const double d = apart(a.z, b.z, 2 * a.n), r = off(&a);
    if (!(d <= 1e-11)) fail_msg("mechanism %d, %s: %g apart", seed, tree, d);
    if (maps[with].keeps_psi && !(r <= 1e-13)) fail_msg("mechanism %d: |g|, |psi| %g", seed, r);
    finish(&a), finish(&b);
  }
}

/* Loops, with redundant rows too: the same. */
static void loops(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double h;
    int steps;
  } rows[] = {{"bricard.lua", 0.005, 300},
              {"bennett.lua", 0.005, 300},
              {RING("sphere('a', b[5], ground)"), 0.005, 200},
              {RING("sphere('a', b[5], b[2])"), 0.005, 200},
              {RING("sphere('a', b[5], ground) sphere('c', b[3], b[1])"), 0.005, 200},
              {RING("mech.revolute('a', b[5]:here(1, 2, 0):along(0, 1, 1), "
                    "b[1]:here(1, 2, 0):along(0, 1, 1))"),
               0.005, 200},
              {RING("mech.universal('a', b[5]:here(1, 2, 0):along(0, 1, 0), "
                    "b[1]:here(1, 2, 0):along(0, 0, 1))"),
               0.005, 200}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    motion a = set_out(rows[i].text, "rattle(verlet)", rows[i].h),
           b = set_out(rows[i].text, "rattle(verlet, solver=sparse)", rows[i].h);
    step(&a, rows[i].steps), step(&b, rows[i].steps);
    assert_string_equal(rattle_integrator_kernel(a.integrator), "bodies");
    assert_string_equal(rattle_integrator_kernel(b.integrator), "sparse");
    const double d = apart(a.z, b.z, 2 * a.n), r = off(&a);
    if (!(d <= 1e-11) || !(r <= 1e-13)) fail_msg("loop %d: %g apart, %g off", (int)i, d, r);
    if (!(apart(a.z, a.start, a.n) > 0.01)) fail_msg("loop %d does not move", (int)i);
    a.state.h = -a.state.h;
    step(&a, rows[i].steps);
    const double back = apart(a.z, a.start, 2 * a.n);
    if (!(back <= 1e-10)) fail_msg("loop %d: %g off on the way back", (int)i, back);
    finish(&a), finish(&b);
  }
}

/* Three bars on hinges in units of length, mass and time. */
static const char *const bars_in_units =
    "local mech, L, M, T = require 'mechanics', %.17g, %.17g, %.17g\n"
    "mech.gravity(0, 0, -9.81*L/T^2)\nlocal last = mech.ground\n"
    "for i = 1, 3 do\n"
    "  local b = mech.body { name = 'b' .. i, mass = M, inertia = {0.02*M*L^2, 0.09*M*L^2, "
    "0.1*M*L^2}, at = {(i - 0.5)*L, 0.3*i*L, 0}, angle = 0.3*i, axis = {1, i, 2} }\n"
    "  local x, y = (i - 1)*L, 0.3*(i - 0.5)*L\n"
    "  mech.revolute('j' .. i, last:here(x, y, 0):along(i %% 2, 1, 0.5), b:here(x, y, "
    "0):along(i %% 2, 1, 0.5))\n"
    "  last = b end\n";

/* The motion does not depend on units: along the tree, and over rows, where lengths and columns of
 * R share their rows. */
static void units_of_length(void **state) {
  (void)state;
  const double units[][3] = {{1, 1, 1}, {1e3, 1e3, 1e3}, {1e9, 1, 1}, {1e12, 1, 1}, {1e-9, 1, 1}};
  static const char *const by[] = {"rattle(verlet)", "rattle(verlet, solver=sparse)"};
  for (int with = 0; with < 2; with++) {
    double first[36];
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
      char text[2048];
      snprintf(text, sizeof text, bars_in_units, units[u][0], units[u][1], units[u][2]);
      motion a = set_out(text, by[with], 0.005 * units[u][2]);
      step(&a, 400);
      assert_int_equal(a.n, 36);
      for (int i = 0; i < 36; i++)
        if (i % 12 < 3) a.z[i] /= units[u][0];
      if (u == 0) memcpy(first, a.z, sizeof first);
      const double d = apart(a.z, first, 36);
      if (!(d <= 1e-13)) fail_msg("%s, units %d: %g apart", by[with], (int)u, d);
      finish(&a);
    }
  }
}

/* Rows of any form beside joints, by their gradients: the same. */
static void other_rows(void **state) {
  (void)state;
  static const char *const texts[] = {
      TWO "mech.distance('k', a:here(1, 0, 0), b:here(1.2, 0, 0.3))\n",
      TWO "mech.prismatic('k', a:here(1, 0, 0):along(1, 0, 0.2), b:here(1, 0, 0):along(1, 0, "
          "0.2))\n",
      TWO "mech.cylindrical('k', a:here(1, 0, 0):along(1, 0, 0.2), b:here(1, 0, 0):along(1, 0, "
          "0.2))\n",
      TWO "mech.planar_joint('k', a:here(1, 0, 0):along(1, 0, 0.2), b:here(1, 0, 0):along(1, 0, "
          "0.2))\n",
      TWO "mech.fixed('k', a:here(1, 0, 0), b:here(1, 0, 0))\n",
      TWO "mech.spherical('k', a:here(1, 0, 0), b:here(1, 0, 0))\n"
          "mech.distance('l', b:at(0.5, 0, 0), mech.ground:at(1, 1, 0))\n",
      TWO "mech.screw('k', a:here(1, 0, 0):along(1, 0, 0.2), b:here(1, 0, 0):along(1, 0, 0.2), "
          "{ pitch = 0.3 })\n",
      TWO "mech.revolute('k', a:here(1, 0, 0):along(0, 1, 1), b:here(1, 0, 0):along(0, 1, 1))\n"
          "mech.drive('l', b:here(1, 0, 0):along(0, 1, 1), a:here(1, 0, 0):along(0, 1, 1), "
          "0.5*mech.angle(a:here(0, 0, 0):along(0, 1, 0), mech.ground:at(0, 0, 0):along(0, 1, "
          "0)))\n",
      TWO "mech.spherical('k', a:here(1, 0, 0), b:here(1, 0, 0))\n"
          "mech.on_surface('l', b:here(1.5, 0.2, 0), mech.ground:at(1.5, 0.2, 0.3), function(x, y, "
          "z) return z + 0.3 + 0.2*sin(x) + 0.1*y^3 end)\n",
      TWO "mech.spherical('k', a:here(1, 0, 0), b:here(1, 0, 0))\n"
          "local y, py = pair('y')\nmass(y, 1.5)\nstart { y = 0.3 }\n"
          "constrain('l', b.x.x^2 + (b.x.z - y)^2 - 1.5^2 - 0.3^2)\n",
      SLIDER_CRANK};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    motion a = set_out(texts[i], "rattle(verlet)", 0.002),
           b = set_out(texts[i], "rattle(verlet, solver=sparse)", 0.002);
    int others = 0;
    for (int k = 0; k < 500; k++) {
      step(&a, 1);
      others += strcmp(rattle_integrator_kernel(a.integrator), "bodies") != 0;
    }
    step(&b, 500);
    assert_string_equal(rattle_integrator_kernel(b.integrator), "sparse");
    const double d = apart(a.z, b.z, 2 * a.n), r = off(&a), moved = apart(a.z, a.start, a.n);
    if (others || !(d <= 1e-11) || !(r <= 1e-13) || !(moved > 0.1))
      fail_msg("rows %d: %d others, %g apart, %g off", (int)i, others, d, r);
    finish(&a), finish(&b);
  }
}

/* Two bodies with a damper on their hinge, a spring, and a force that depends on all. */
#define DAMPED(c)                                                                                  \
  TWO "local p, q = a:here(1, 0, 0):along(0, 1, 1), b:here(1, 0, 0):along(0, 1, 1)\n"              \
      "mech.revolute('k', p, q)\nmech.torsion_damper(p, q, { c = " c " })\n"                       \
      "mech.spring(b:at(0.3, 0.1, 0), mech.ground:at(1, 1, 0), { k = 5 })\n"                       \
      "mech.push(a:at(0, 0, 0.1), mech.vec3(0, 0.3*a.p.x, 0.2*b.x.z))\n"

/* Dampers, and other forces that are no gradient: the steps of the general map, with their work. */
static void forces_along_the_tree(void **state) {
  (void)state;
  static const char *const slide =
      TWO "local p, q = a:here(1, 0, 0):along(1, 0, 0.2), b:here(1, 0, 0):along(1, 0, 0.2)\n"
          "mech.prismatic('k', p, q)\nmech.spring(a:at(0, 0.1, 0), b:at(0, 0, 0), { k = 9, length "
          "= 0.8 })\n"
          "mech.damper(a:at(0, 0, 0), b:at(0, 0, 0), { c = 0.4 })\n";
  static const char *const maps_of[][2] = {
      {"rattle(midpoint)", "rattle(midpoint, solver=newton)"},
      {"rattle(verlet)", "rattle(verlet, solver=newton)"},
      {"shake(midpoint)", "shake(midpoint, solver=newton)"},
      {"suzuki4(rattle(midpoint))", "suzuki4(rattle(midpoint, solver=newton))"}};
  const char *const texts[] = {DAMPED("0.3"), slide, DAMPED("80")}; /* the last one strong */
  for (int i = 0; i < 12; i++) {
    const char *text = texts[i % 3];
    motion a = set_out(text, maps_of[i / 3][0], 0.005), b = set_out(text, maps_of[i / 3][1], 0.005);
    double work[2];
    int others = 0;
    const int steps = i % 3 == 2 ? 10 : 40;
    for (int k = 0; k < steps; k++) {
      step(&a, 1);
      const char *kernel = rattle_integrator_kernel(a.integrator);
      others += !kernel || strcmp(kernel, "bodies") != 0;
    }
    step(&b, steps);
    const motion *both[] = {&a, &b};
    for (int k = 0; k < 2; k++)
      work[k] = rattle_integrator_work(both[k]->integrator, &both[k]->state);
    const double d = apart(a.z, b.z, 2 * a.n);
    if (others || !(d <= 1e-11) || !(fabs(work[0] - work[1]) <= 1e-12) || !(fabs(work[0]) > 1e-4))
      fail_msg("%d: %d others, %g apart, work %g, %g", i, others, d, work[0], work[1]);
    finish(&a), finish(&b);
  }
}

/* Steps are functions of the point: a new integrator at each goes on with the same bits; and back.
 * Energy keeps to what it was. */
static void pure_symmetric_steps(void **state) {
  (void)state;
  for (int seed = 1; seed <= 6; seed++) {
    char text[4096];
    rattle_error error;
    double E0, E1;
    snprintf(text, sizeof text, random_mechanism, 31 * seed, 5, seed % 2, seed > 3);
    motion a = set_out(text, "kahan_li8(rattle(verlet))", 0.01), b = a;
    double *other = calloc(2 * (size_t)a.n, sizeof *other);
    memcpy(other, a.z, 2 * (size_t)a.n * sizeof *other);
    b.state.q = other, b.state.p = other + a.n;
    step(&a, 20);
    for (int i = 0; i < 20; i++) {
      rattle_integrator *fresh;
      assert_int_equal(
          rattle_integrator_create(&fresh, a.problem, "kahan_li8(rattle(verlet))", &error),
          RATTLE_OK);
      assert_int_equal(rattle_integrator_step(fresh, &b.state, 1, &error), RATTLE_OK);
      rattle_integrator_destroy(&fresh);
    }
    assert_memory_equal(other, a.z, 2 * (size_t)a.n * sizeof *other);
    rattle_problem_energy(a.problem, a.start, a.start + a.n, &E0, &error);
    rattle_problem_energy(a.problem, a.z, a.z + a.n, &E1, &error);
    assert_true(fabs(E1 - E0) <= 1e-9 * (1 + fabs(E0)));
    a.state.h = -a.state.h;
    step(&a, 20);
    assert_true(apart(a.z, a.start, 2 * a.n) <= 1e-12);
    free(other);
    finish(&a);
  }
}

/* What floats without forces keeps its momentum and, about the origin, its angular momentum. */
static void momenta_stay(void **state) {
  (void)state;
  for (int seed = 1; seed <= 4; seed++) {
    char text[4096];
    double kept[2][6] = {{0}};
    snprintf(text, sizeof text, random_mechanism, 13 * seed, 6, 1, 0);
    motion s = set_out(text, "rattle(verlet)", 0.02);
    for (int at = 0; at < 2; at++) {
      for (int k = 0; k < s.n; k += 3) { /* x and the columns of R alike */
        const double *q = s.z + k, *p = q + s.n;
        for (int i = 0; i < 3; i++) {
          const int j = (i + 1) % 3, l = (i + 2) % 3;
          kept[at][3 + i] += q[j] * p[l] - q[l] * p[j];
          if (k % 12 == 0) kept[at][i] += p[i];
        }
      }
      if (at == 0) step(&s, 1000);
    }
    assert_string_equal(rattle_integrator_kernel(s.integrator), "bodies");
    const double drift = apart(kept[0], kept[1], 6);
    if (!(drift <= 5e-12)) fail_msg("mechanism %d: momenta drift by %g", seed, drift);
    assert_true(apart(s.z, s.start, s.n) > 0.1);
    finish(&s);
  }
}

/* Which constraints are a tree, and that others go their own way. */
static void recognised(void **state) {
  (void)state;
  static const struct {
    const char *text, *kernel;
  } rows[] = {
      {TWO "mech.revolute('k', a:here(1, 0, 0):along(0, 1, 1), b:here(1, 0, 0):along(0, 1, 1))\n",
       "bodies"},
      {TWO "mech.spherical('k', b:here(1, 0, 0), a:here(1, 0, 0))\n", "bodies"},
      {TWO, "bodies"}, /* b floats */
      {TWO "mech.universal('k', a:here(1, 0, 0):along(0, 1, 0), b:here(1, 0, 0):along(0, 0, 1))\n",
       "bodies"}, /* a ball and a row */
      {TWO "local c = mech.planar { name = 'c', mass = 1, inertia = 1, at = {3, 0} }\n"
           "mech.distance('k', c:at(0, 0.1), mech.ground:at(3, 1))\n",
       "bodies"}, /* c is of no tree */
      {TWO "local t = time()\nconstrain('k', b.x.x - 1.5 - 0.1*sin(t))\n", "sparse"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    motion s = set_out(rows[i].text, "rattle(verlet)", 0.005);
    step(&s, 3);
    if (strcmp(rattle_integrator_kernel(s.integrator), rows[i].kernel))
      fail_msg("row %d: %s", (int)i, rattle_integrator_kernel(s.integrator));
    finish(&s);
  }
}

/* Two balls between the same bodies are a hinge and a row too many. The rows that the problem keeps
 * depend on each other where the line through the balls turns across an axis: steps over rows end
 * there, and along the tree, where rows are chosen anew, energy shows that they go on rightly. */
static void rows_by_turns(void **state) {
  (void)state;
  static const char *const text =
      "local mech = require 'mechanics'\n"
      "mech.gravity(0,0,-9.81)\n"
      "local b = {[0]=mech.ground}\n"
      "b[1] = mech.body { name='b1', mass=0.87, at={0.47, -0.41, -0.85}, angle=-0.30, axis={-0.06, "
      "0.74, -0.21}, inertia={0.54,0.50,0.57} }\n"
      "mech.spherical('j1', b[0]:here(-0.47, 0.74, -0.36), b[1]:here(-0.47, 0.74, -0.36))\n"
      "b[2] = mech.body { name='b2', mass=0.51, at={-0.86, 0.18, -0.94}, angle=-1.35, axis={0.70, "
      "-0.23, 0.16}, inertia={0.42,0.25,0.38} }\n"
      "mech.revolute('j2', b[1]:here(0.79, -0.81, 0.28):along(0.77, 0.15, 0.27), b[2]:here(0.79, "
      "-0.81, 0.28):along(0.77, 0.15, 0.27))\n"
      "b[3] = mech.body { name='b3', mass=1.50, at={-0.45, 0.24, -0.03}, angle=-1.31, axis={-0.49, "
      "-0.75, 0.99}, inertia={0.53,0.57,0.66} }\n"
      "mech.spherical('j3', b[1]:here(-0.43, -0.94, 0.48), b[3]:here(-0.43, -0.94, 0.48))\n"
      "mech.spherical('l', b[3]:here(0.37, 0.06, -0.08), b[1]:here(0.37, 0.06, -0.08))\n";
  rattle_error error;
  double E0, E1;
  motion a = set_out(text, "suzuki4(rattle(verlet))", 0.01),
         b = set_out(text, "suzuki4(rattle(verlet, solver=sparse))", 0.01);
  assert_int_equal(rattle_integrator_step(b.integrator, &b.state, 500, &error), RATTLE_DEGENERATE);
  rattle_problem_energy(a.problem, a.z, a.z + a.n, &E0, &error);
  step(&a, 500);
  assert_string_equal(rattle_integrator_kernel(a.integrator), "bodies");
  rattle_problem_energy(a.problem, a.z, a.z + a.n, &E1, &error);
  assert_true(fabs(E1 - E0) <= 1e-4 && off(&a) <= 1e-13);
  finish(&a), finish(&b);
}

/* A step that is too long ends as the general one does, and changes nothing. */
static void long_steps(void **state) {
  (void)state;
  rattle_error error;
  int refused = 0;
  for (int seed = 1; seed <= 8; seed++) {
    char text[4096];
    snprintf(text, sizeof text, random_mechanism, 7 * seed, 4, 0, 0);
    motion a = set_out(text, "rattle(verlet)", 0.4),
           b = set_out(text, "rattle(verlet, solver=sparse)", 0.4);
    for (int i = 0; i < 10; i++) {
      double before[96];
      memcpy(before, a.z, sizeof before);
      const rattle_status one = rattle_integrator_step(a.integrator, &a.state, 1, &error),
                          two = rattle_integrator_step(b.integrator, &b.state, 1, &error);
      assert_int_equal(one, two);
      if (one) {
        assert_memory_equal(before, a.z, sizeof before);
        refused++;
        break;
      }
      assert_true(apart(a.z, b.z, a.n) <= 1e-6);
      memcpy(b.z, a.z, 2 * (size_t)a.n * sizeof *a.z);
    }
    finish(&a), finish(&b);
  }
  assert_true(refused > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_steps),
                                     cmocka_unit_test(loops),
                                     cmocka_unit_test(units_of_length),
                                     cmocka_unit_test(other_rows),
                                     cmocka_unit_test(forces_along_the_tree),
                                     cmocka_unit_test(pure_symmetric_steps),
                                     cmocka_unit_test(momenta_stay),
                                     cmocka_unit_test(recognised),
                                     cmocka_unit_test(rows_by_turns),
                                     cmocka_unit_test(long_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
