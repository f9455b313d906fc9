/* Consistent starts: momenta from velocities, projections, and starts that are left alone. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "problem/functions/problem.h"
#include "rattle/rattle.h"

enum { MOST = 16 };

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  double q[MOST], p[MOST], moved[2];
} fixture;

static void set_up(fixture *f, const char *text) {
  rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error error;
  if (rattle_model_parse(&f->model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&f->problem, f->model, &block, &error)) fail_msg("%s", error.message);
}

static void start(fixture *f, int project) {
  rattle_error error;
  f->moved[0] = f->moved[1] = -1;
  if (rattle_problem_start(f->problem, project, f->q, f->p, f->moved, &error))
    fail_msg("%s", error.message);
}

static void tear_down(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

static void assert_on_constraints(const fixture *f, double tolerance) {
  double g[MOST], psi[MOST];
  assert_int_equal(rattle_problem_residuals(f->problem, f->q, f->p, g, psi, NULL), RATTLE_OK);
  for (int i = 0; i < rattle_problem_m(f->problem); i++) {
    assert_near(g[i], 0, tolerance);
    assert_near(psi[i], 0, tolerance);
  }
}

#define PLANE "local x, px = pair('x')\nlocal y, py = pair('y')\n"
#define SPACE PLANE "local z, pz = pair('z')\n"

/* psi counts as 0 at rest, beside the velocities that forces give, or a step of the model; not
 * beside a slow motion. */
static void test_rest(void **unused) {
  (void)unused;
  static const struct {
    const char *text;
    rattle_status status;
  } row[] = {
      {"hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 1, px = "
       "1e-300 }",
       RATTLE_OK},
      {"hamiltonian((px^2 + py^2)/2e-25 + 9.81e-16*y)\nconstrain('rod', x^2 + y^2 - 1e-18)\n"
       "start { x = 1e-9, px = 1e-60 }",
       RATTLE_OK},
      {"hamiltonian((px^2 + py^2)/2)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 1, px = 1e-300 "
       "}\nintegrate { step = 0.01 }",
       RATTLE_OK},
      {"hamiltonian((px^2 + py^2)/2 + y)\nvelocity_constrain('lock', velocity(x))\nstart { x = 1, "
       "px = 1e-300 }",
       RATTLE_OK},
      {"hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = "
       "1e-9, px = 1e-15 }",
       RATTLE_OFF_CONSTRAINTS},
      {"hamiltonian((px^2 + py^2)/2 + y)\nvelocity_constrain('lock', velocity(x))\nstart { x = 1, "
       "px = 1e-15 }",
       RATTLE_OFF_CONSTRAINTS},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[400];
    fixture f;
    snprintf(text, sizeof text, PLANE "%s", row[i].text);
    set_up(&f, text);
    const rattle_status status = rattle_problem_start(f.problem, 0, f.q, f.p, NULL, NULL);
    if (status != row[i].status) fail_msg("row %zu: status %d", i, (int)status);
    tear_down(&f);
  }
}

/* Values as given, bit for bit, with and without a projection. */
static void test_as_given(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = "
                   "0.6, y = -0.8, px = 4, py = 3 }\n");
  for (int project = 0; project < 2; project++) {
    start(&f, project);
    assert_true(f.q[0] == 0.6 && f.q[1] == -0.8 && f.p[0] == 4 && f.p[1] == 3);
    assert_true(f.moved[0] == 0 && f.moved[1] == 0);
  }
  assert_int_equal(rattle_problem_start(f.problem, 1, f.q, f.p, NULL, NULL), RATTLE_OK);
  tear_down(&f);
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 + y)\nstart { x = 7, py = 3 }\n");
  start(&f, 1);
  assert_true(f.q[0] == 7 && f.q[1] == 0 && f.p[0] == 0 && f.p[1] == 3 && f.moved[0] == 0);
  tear_down(&f);
}

/* A residual at the round-off of the coordinates is on the constraints; a hundred thousand times
 * that is not. */
static void test_round_off(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f,
         PLANE "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\n"
               "start { x = math.cos(1), y = math.sin(1), px = -math.sin(1), py = math.cos(1) }\n");
  start(&f, 0);
  assert_near(f.q[0], cos(1), 0);
  tear_down(&f);
  /* columns of a rotation: g = 1e-17 of terms that are 1e-17 themselves */
  set_up(&f, "local a = pairs_of('a', 2)\nlocal b = pairs_of('b', 2)\nmass(a, 1)\nmass(b, 1)\n"
             "constrain('angle', a[1]*b[1] + a[2]*b[2])\nstart { ['a[1]'] = 1, ['b[1]'] = 1e-17, "
             "['b[2]'] = 1 }\n");
  start(&f, 0);
  assert_true(f.q[2] == 1e-17);
  tear_down(&f);
  /* cos(pi/2) is 6e-17: negligible compared with the other coordinate */
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('wall', x)\nstart { x = "
                   "math.cos(math.pi/2), y = 1 }\n");
  start(&f, 0);
  tear_down(&f);
  rattle_error error;
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = "
                   "1 + 1e-11 }\n");
  assert_int_equal(rattle_problem_start(f.problem, 0, f.q, f.p, NULL, &error),
                   RATTLE_OFF_CONSTRAINTS);
  assert_true(f.q[0] == 1 + 1e-11);
  tear_down(&f);
}

/* --- velocities ------------------------------------------------------------------------------- */

static void test_velocities(void **unused) {
  (void)unused;
  fixture f;
  /* natural: p = M v; a momentum given in addition does not change */
  set_up(&f, SPACE
         "hamiltonian(px^2/2/3 + py^2/2 + pz^2/2)\nstart { pz = 7 }\nvelocity { x = 2, y = -1 }\n");
  start(&f, 0);
  assert_near(f.p[0], 6, 1e-15);
  assert_true(f.p[1] == -1 && f.p[2] == 7);
  tear_down(&f);
  /* a relativistic particle: p = v / sqrt(1 - v^2) */
  set_up(&f, "local x, px = pair('x')\nhamiltonian(sqrt(1 + px^2))\nvelocity { x = 0.99 }\n");
  start(&f, 0);
  assert_near(f.p[0], 0.99 / sqrt(1 - 0.99 * 0.99), 1e-13);
  tear_down(&f);
  /* a full mass matrix that depends on q, one momentum given: H_p = v for the others */
  set_up(&f, SPACE "hamiltonian((1 + x^2)*px^2/2 + px*py*cos(y) + py^2 + pz^2*px/5 + pz^2)\n"
                   "start { x = 0.5, y = 0.25, pz = 0.75 }\nvelocity { x = 2, y = 1 }\n");
  start(&f, 0);
  double x = f.q[0], y = f.q[1], px = f.p[0], py = f.p[1], pz = f.p[2];
  assert_near((1 + x * x) * px + py * cos(y) + pz * pz / 5, 2, 1e-14);
  assert_near(px * cos(y) + 2 * py, 1, 1e-14);
  assert_true(pz == 0.75);
  tear_down(&f);
  /* at rest in a frame that turns: p = w x q, of which momenta that are still 0 know nothing */
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 - 0.3*(x*py - y*px))\nstart { x = 2, y = 1e9 "
                   "}\nvelocity { x = 0, y = 0 }\n");
  start(&f, 0);
  assert_near(f.p[0], -0.3e9, 1e-6);
  assert_near(f.p[1], 0.6, 1e-15);
  tear_down(&f);
}

/* Velocities are those of the projected positions: mass 1 + x^2 at x = 1 after the projection, not
 * at x = 2. */
static void test_velocities_of_projected(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, PLANE "hamiltonian((px^2/(1 + x^2) + py^2)/2)\nconstrain('wire', x - 1)\nstart { x = "
                   "2 }\nvelocity { y = 3, x = 0 }\n");
  start(&f, 1);
  assert_near(f.q[0], 1, 1e-15);
  assert_near(f.p[1], 3, 1e-15);
  tear_down(&f);
  set_up(&f, PLANE "hamiltonian((px^2 + py^2/(1 + x^2))/2)\nconstrain('wire', x - 1)\nstart { x = "
                   "2 }\nvelocity { y = 3 }\n");
  start(&f, 1);
  assert_near(f.p[1], 6, 1e-14);
  tear_down(&f);
}

/* --- projections ------------------------------------------------------------------------------ */

/* A linear constraint: q moves along M^-1 G^T, p along G^T, by the amount of the closed form. */
static void test_mass_orthogonal(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, PLANE "hamiltonian(px^2/2 + py^2/8 + x*y)\nconstrain('line', x + y - 1)\nstart { x = "
                   "2, y = 1, px = 1, py = 2 }\n");
  start(&f, 1);
  /* mu = -2 / (1 + 1/4); sigma from px + py/4 = 1.5 over 1.25 */
  assert_near(f.q[0], 2 - 1.6, 1e-15);
  assert_near(f.q[1], 1 - 0.4, 1e-15);
  assert_near(f.p[0], 1 - 1.2, 1e-15);
  assert_near(f.p[1], 2 - 1.2, 1e-15);
  assert_near(f.moved[0], hypot(1.6, 0.4), 1e-15);
  assert_near(f.moved[1], hypot(1.2, 1.2), 1e-15);
  /* and again from there: nothing moves */
  assert_on_constraints(&f, 1e-15);
  tear_down(&f);
}

/* The model may ask for it, held coordinates stay. */
static void test_held(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\n"
                   "start { x = 0.6, y = 2, px = 1, project = true, hold = { 'x' } }\n");
  start(&f, 0);
  assert_true(f.q[0] == 0.6);
  assert_near(f.q[1], 0.8, 1e-15);
  assert_on_constraints(&f, 1e-15);
  tear_down(&f);
  /* a constraint on held coordinates alone that holds does not affect the others */
  set_up(&f, SPACE "hamiltonian((px^2 + py^2 + pz^2)/2)\nconstrain('pin', x - "
                   "0.25)\nconstrain('rod', y^2 + z^2 - 1)\n"
                   "start { x = 0.25, y = 2, z = 1, project = true, hold = { 'x', 'z' } }\n");
  start(&f, 0);
  assert_true(f.q[0] == 0.25 && f.q[2] == 1);
  assert_near(f.q[1], 0, 1e-7); /* y^2 = 0 is a double root */
  tear_down(&f);
}

/* Kinds that are not natural: on g = 0 and psi = 0 to round-off, by little; and the projected start
 * is left alone. */
static void test_kinds(void **unused) {
  (void)unused;
  static const char *const models[] = {
      SPACE
      "hamiltonian((1 + x^2)*px^2/2 + py^2/2 + pz^2 + px*pz/3 + y)\nconstrain('ball', x^2 + y^2 + "
      "z^2 - 1)\n"
      "constrain('cut', x*y + z - 0.2)\nstart { x = 0.7, y = 0.6, z = 0.1, px = 1, py = 0.5 }\n",
      SPACE
      "hamiltonian(sqrt(1 + px^2 + py^2 + pz^2) + z)\nconstrain('ball', x^2 + y^2 + z^2 - 1)\n"
      "start { x = 0.7, y = 0.7, z = 0.1, px = 1, pz = 0.5 }\n",
      PLANE "hamiltonian(px^2/2 + py^2/2 + x^4 + y^2)\nconstrain('level', px - py - 0.1, { dirac = "
            "true })\nstart { x = 0.5, y = "
            "0.8, px = 0.3 }\n",
      PLANE
      "hamiltonian((px^2 + py^2)/2 + x^2*y/5)\nconstrain('sphere', x^2 + y^2 + px^2 + py^2 - 2)\n"
      "start { x = 1.2, y = 0.3, px = 0.1, py = 0.6 }\n",
      PLANE
      "hamiltonian((px^2 + py^2)/2 + x^2 + 2*y^2)\nconstrain('bent', x + px*y^2/3 + py^3/5 - 1)\n"
      "start { x = 1.1, y = 0.3, px = 0.1, py = 0.2 }\n",
  };
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    fixture f;
    set_up(&f, models[i]);
    start(&f, 1);
    assert_on_constraints(&f, 2e-15);
    assert_true(f.moved[0] + f.moved[1] > 1e-3 && f.moved[0] + f.moved[1] < 3);
    double q[MOST], p[MOST];
    int n = rattle_problem_n(f.problem);
    memcpy(q, f.q, sizeof q);
    memcpy(p, f.p, sizeof p);
    for (int k = 0; k < n; k++)
      assert_int_equal(rattle_model_set_start(f.model, k, q[k], p[k], NULL), RATTLE_OK);
    start(&f, 0);
    assert_memory_equal(q, f.q, (size_t)n * sizeof *q);
    start(&f, 1);
    assert_true(f.moved[0] < 1e-15 && f.moved[1] < 1e-15);
    tear_down(&f);
  }
}

/* As little change of z as there can be: for a linear g(q,p) in closed form. */
static void test_least_change(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2 + (x^2 + y^2)/2)\nconstrain('mixed', x + 2*py - 1, "
                   "{ dirac = true })\nstart { x "
                   "= 2, py = 2 }\n");
  start(&f, 1);
  /* onto g = 0: (x, py) = (2, 2) - (1, 2); then psi = px - 2 y = 0 along X_g = (y: 2, px: -1),
   * where it is already */
  assert_near(f.q[0], 1, 1e-15);
  assert_near(f.p[1], 0, 1e-15);
  assert_near(f.q[1], 0, 1e-15);
  tear_down(&f);
}

/* Far from the constraints, where full Newton steps overshoot. */
static void test_far(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f, PLANE
         "hamiltonian((px^2 + py^2)/2)\nconstrain('wall', atan(x) + y/100)\nstart { x = 3 }\n");
  start(&f, 1);
  assert_on_constraints(&f, 1e-15);
  assert_true(f.moved[0] < 4);
  tear_down(&f);
  /* what the start has lost of its digits says nothing of the point where the projection ends */
  set_up(&f, PLANE "hamiltonian((px^2 + py^2)/2)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = "
                   "1e16, y = 0.7, px = 1 }\n");
  start(&f, 1);
  assert_on_constraints(&f, 1e-15);
  tear_down(&f);
}

/* Constraints are judged where the projection ends: far away their gradients hardly differ, and the
 * system is singular. */
static void test_far_and_alike(void **unused) {
  (void)unused;
  for (double far = 1; far < 1e25; far *= 1e3) {
    fixture f;
    char text[500];
    snprintf(
        text, sizeof text,
        PLANE
        "local z, pz = pair('z')\nhamiltonian((px^2 + py^2 + pz^2)/2)\nconstrain('a', x^2 + y^2 + "
        "z^2 - 1)\n"
        "constrain('b', x^2 + y^2 + z^2 - 1 + 1e-6*z)\nstart { x = %g, y = %g, z = %g, px = 1 }\n",
        far, 0.2 * far, 0.3 * far);
    set_up(&f, text);
    start(&f, 1);
    assert_on_constraints(&f, 1e-15);
    tear_down(&f);
  }
}

/* A chain of 20000 links with slack in it comes to round-off. */
static void test_chain(void **unused) {
  (void)unused;
  enum { LINKS = 20000 };
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  const char *text =
      "local N = 20000\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', N)\nlocal T = "
      "{}\n"
      "for i = 1, N do T[i] = (px[i]^2 + py[i]^2)/2 + y[i] end\nhamiltonian(sum(T))\n"
      "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
      "for i = 2, N do constrain('link['..i..']', (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1) end\n"
      "for i = 1, N do start { [x[i]] = i + 0.01*math.sin(i), [y[i]] = 0.01*math.cos(3*i), [px[i]] "
      "= math.sin(i) } end\n";
  if (rattle_model_parse(&model, text, "chain", NULL, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_create(&problem, model, &block, &error), RATTLE_OK);
  double *room = calloc(6 * LINKS, sizeof *room), *q = room, *p = q + 2 * LINKS, *g = p + 2 * LINKS,
         *psi = g + LINKS;
  if (rattle_problem_start(problem, 1, q, p, NULL, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_residuals(problem, q, p, g, psi, NULL), RATTLE_OK);
  for (int i = 0; i < LINKS; i++) {
    assert_near(g[i], 0, 8 * DBL_EPSILON * (i + 2));
    assert_near(psi[i], 0, 1e-13);
  }
  free(room);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* --- callbacks -------------------------------------------------------------------------------- */

static int energy(void *context, const double *z, double *H, double *d) {
  (void)context;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + sqrt(z[1] + 2);
  d[0] = 0, d[1] = 0.5 / sqrt(z[1] + 2), d[2] = z[2], d[3] = z[3];
  return 0;
}

static int rod(void *context, const double *z, double *g, double *J) {
  (void)context;
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  J[0] = 2 * z[0], J[1] = 2 * z[1], J[2] = J[3] = 0;
  return 0;
}

/* q and p hold the start on entry; on failure they are left as they were. */
static void test_callbacks(void **unused) {
  (void)unused;
  rattle_callbacks callbacks = {
      .n = 2, .m = 1, .flags = RATTLE_HOLONOMIC, .hamiltonian = energy, .constraint = rod};
  rattle_problem *problem;
  rattle_error error;
  assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, &error), RATTLE_OK);
  double q[2] = {2, 0}, p[2] = {1, 3}, moved[2], g, psi;
  assert_int_equal(rattle_problem_start(problem, 0, q, p, moved, &error), RATTLE_OFF_CONSTRAINTS);
  assert_true(q[0] == 2 && p[0] == 1 && p[1] == 3);
  if (rattle_problem_start(problem, 1, q, p, moved, &error)) fail_msg("%s", error.message);
  assert_near(q[0], 1, 1e-15);
  assert_near(p[0], 0, 1e-15);
  assert_near(p[1], 3, 1e-15);
  assert_near(moved[0], 1, 1e-15);
  assert_near(moved[1], 1, 1e-15);
  assert_int_equal(rattle_problem_residuals(problem, q, p, &g, &psi, &error), RATTLE_OK);
  assert_near(g, 0, 1e-15);
  assert_near(psi, 0, 1e-15);
  /* outside the domain of a callback: which one, and where */
  double low[2] = {0, -2.5};
  assert_int_equal(rattle_problem_start(problem, 1, low, p, moved, &error), RATTLE_DOMAIN);
  assert_string_equal(error.where, "H");
  assert_non_null(strstr(error.message, "q = (0, -2.5)"));
  assert_true(low[1] == -2.5);
  double lost[2] = {(double)NAN, 0};
  assert_int_equal(rattle_problem_start(problem, 1, lost, p, moved, &error), RATTLE_BAD_ARGUMENT);
  rattle_problem_destroy(&problem);
}

/* Two constraints that commute on their manifold, in units and with an origin for which the
 * rounding of their bracket exceeds what counts as 0 at some of the points where it is measured:
 * such brackets connect an odd number of constraints. */
static void test_odd_blocks(void **unused) {
  (void)unused;
  fixture f;
  set_up(&f,
         "local Q, P = {}, {}\n"
         "for k = 1, 3 do Q[k], P[k] = pair('a'..k) end\n"
         "start { a1 = 1/723, pa1 = -117.1, a2 = 1/439 - 948.1354, a3 = 1.081/0.17, pa3 = 0.17 }\n"
         "Q[2] = Q[2] + 948.1354\n"
         "Q[1], P[1] = 723*Q[1], P[1]/723\n"
         "Q[2], P[2] = 439*Q[2], P[2]/439\n"
         "Q[3], P[3] = 0.17*Q[3], P[3]/0.17\n"
         "Q[3], P[1] = Q[3] - 0.081*Q[1]^2, P[1] + 0.162*Q[1]*P[3]\n"
         "local K, s = 0, -4\n"
         "for k = 1, 3 do K, s = K + P[k]^2/2, s + Q[k]^2 + P[k]^2 end\n"
         "hamiltonian(K + Q[1]^2 + Q[2]^4)\n"
         "constrain('sphere', s)\n"
         "constrain('spin', (1 + Q[1])*(Q[1]*P[2] - Q[2]*P[1] - 1))\n");
  assert_false(rattle_problem_kind(f.problem) & RATTLE_SECOND_CLASS);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_as_given),
                                     cmocka_unit_test(test_round_off),
                                     cmocka_unit_test(test_velocities),
                                     cmocka_unit_test(test_velocities_of_projected),
                                     cmocka_unit_test(test_mass_orthogonal),
                                     cmocka_unit_test(test_held),
                                     cmocka_unit_test(test_kinds),
                                     cmocka_unit_test(test_least_change),
                                     cmocka_unit_test(test_far),
                                     cmocka_unit_test(test_far_and_alike),
                                     cmocka_unit_test(test_chain),
                                     cmocka_unit_test(test_callbacks),
                                     cmocka_unit_test(test_odd_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
