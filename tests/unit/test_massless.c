/* Parts without mass, whose momenta are not in H, against closed forms: they move as the balance of
 * forces has it, or are refused by name. */
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

typedef struct value {
  const char *name; /* a coordinate, a quantity observed, or lambda[NAME] */
  double at_1;
} value;

typedef struct part {
  const char *name, *text;
  value values[7]; /* at t = 1, up to the first without a name */
} part;

#define PULLEY                                                                                     \
  "local a, pa = pair('a') local b, pb = pair('b') local c, pc = pair('c')\n"                      \
  "hamiltonian(pa^2/6 + pb^2/2 + pc^2/4 + 9.81*(3*a + b + 2*c))\n"                                 \
  "constrain('upper', a + u) constrain('lower', b + c - 2*u)\n"
/* 2 and 1 weigh like 8/3: a'' = -g (3 - 8/3)/(3 + 8/3) = -g/17 */
#define OF_PULLEY                                                                                  \
  {                                                                                                \
    {"a", -9.81 / 34}, {"u", 9.81 / 34}, {"lambda[upper]", -3 * 9.81 * 16 / 17}, {                 \
      "lambda[lower]", -3 * 9.81 * 8 / 17                                                          \
    }                                                                                              \
  }

static const part table[] = {
    {"pulley", "local u, pu = pair('u')\n" PULLEY, OF_PULLEY},
    {"pulley that is a free variable", "local u = free('u')\n" PULLEY, OF_PULLEY},
    /* the lower one carries 1 and 2, which weigh like 8/3, the upper one that and 1: 32/11 */
    {"two pulleys",
     "local a, pa = pair('a') local u = pair('u') local w = pair('w')\n"
     "local b, pb = pair('b') local c, pc = pair('c') local d, pd = pair('d')\n"
     "hamiltonian(pa^2/6 + pb^2/2 + pc^2/2 + pd^2/4 + 9.81*(3*a + b + c + 2*d))\n"
     "constrain('upper', a + u) constrain('middle', b + w - 2*u)\n"
     "constrain('lower', c + d - 2*w)",
     {{"a", -9.81 / 130},
      {"u", 9.81 / 130},
      {"lambda[upper]", -3 * 9.81 * 64 / 65},
      {"lambda[middle]", -3 * 9.81 * 32 / 65},
      {"lambda[lower]", -3 * 9.81 * 16 / 65}}},
    /* 1/3 + 1/6 + 1/2 = 1 */
    {"springs in series",
     "local x, px = pair('x') local u = pair('u') local w = pair('w')\n"
     "hamiltonian(px^2/2 + 3*(u - x)^2/2 + 6*(w - u)^2/2 + 2*w^2/2)\nstart { x = 1 }",
     {{"x", 0.5403023058681398}, {"u", 2 * 0.5403023058681398 / 3}, {"w", 0.5403023058681398 / 2}}},
    /* a = turn/2, b = -2 turn: a'' = g/19; the spring at the middle of the arm feels turn too */
    {"lever",
     "local a, pa = pair('a') local b, pb = pair('b') local turn = pair('turn')\n"
     "hamiltonian(pa^2/6 + pb^2/2 + 9.81*(3*a + b))\n"
     "constrain('left', a - turn/2) constrain('right', b + 2*turn)",
     {{"a", 9.81 / 38},
      {"turn", 9.81 / 19},
      {"lambda[left]", -3 * 9.81 * 20 / 19},
      {"lambda[right]", -9.81 * 15 / 19}}},
    /* a bent lever that turns with 1.5, with masses at its ends: m x'' = -lambda */
    {"lever that turns",
     "local x, px = pair('x') local y, py = pair('y') local u, pu = pair('u')\n"
     "local turn = pair('turn') local v, pv = pair('v')\n"
     "hamiltonian((px^2 + py^2)/6 + (pu^2 + pv^2)/2)\n"
     "constrain('x', x - cos(turn)) constrain('y', y - sin(turn))\n"
     "constrain('u', u - 2*sin(math.pi/2 - turn - 0.7)) constrain('v', v - 2*sin(turn + 0.7))\n"
     "local c, s = math.cos(0.7), math.sin(0.7)\n"
     "start { x = 1, py = 4.5, u = 2*c, v = 2*s, pu = -3*s, pv = 3*c }",
     {{"turn", 1.5},
      {"x", 0.0707372016677029},
      {"lambda[x]", 6.75 * 0.0707372016677029},
      {"lambda[y]", 6.75 * 0.9974949866040544},
      {"lambda[u]", -4.5 * 0.5885011172553458},
      {"lambda[v]", 4.5 * 0.8084964038195901}}},
    {"lever that turns, by a free variable",
     "local x, px = pair('x') local y, py = pair('y') local turn = free('turn')\n"
     "hamiltonian((px^2 + py^2)/6) start { x = 1, py = 4.5 }\n"
     "constrain('x', x - cos(turn)) constrain('y', y - sin(turn))",
     {{"turn", 1.5}, {"lambda[x]", 6.75 * 0.0707372016677029}}},
    /* with a spring on its angle, past half a turn: turn'' = -2 turn */
    {"lever on a spring",
     "local x, px = pair('x') local y, py = pair('y') local turn = pair('turn')\n"
     "hamiltonian((px^2 + py^2)/2 + turn^2) start { x = 1, py = 6 }\n"
     "constrain('x', x - cos(turn)) constrain('y', y - sin(turn))",
     {{"turn", 4.1907359918196505},
      {"x", -0.4983139535406698},
      {"y", -0.8669966572638369},
      {"lambda[x]", 6.830452418359496},
      {"lambda[y]", -4.935628536681536}}},
    /* a beam, V = 0 at its ends: rods of length 1 hang from it; the coordinates of turn, a, b are
     * those of the angles of the beam and the rods, by kahan_li8(midpoint) */
    {"beam with rods",
     "local x, px = pair('x') local y, py = pair('y') local u, pu = pair('u')\n"
     "local turn = pair('turn') local v, pv = pair('v')\n"
     "hamiltonian((px^2 + py^2)/2 + (pu^2 + pv^2)/4 + y + 2*v) start { x = 1, y = -1, u = -1, v = "
     "-1}\n"
     "constrain('r', (cos(turn) - x)^2 + (sin(turn) - y)^2 - 1)\n"
     "constrain('s', (cos(turn) + u)^2 + (sin(turn) + v)^2 - 1)",
     {{"turn", 0.167444182520865},
      {"x", 0.9993952885810434},
      {"y", -0.8332476413670069},
      {"u", -0.9996937256024016},
      {"v", -1.1665692519142068}}},
    /* V = (u^3 + u)^2/2, which is x^2/2: x = cos t; u^3 + u = x, lambda = -x */
    {"nonlinear constraint, u^3",
     "local x, px = pair('x') local u = pair('u')\n"
     "hamiltonian(px^2/2 + (u^3 + u)^2/2) constrain('tie', u^3 + u - x) start { x = 1 }",
     {{"x", 0.5403023058681398}, {"u", 0.44948799508626347}, {"lambda[tie]", -0.5403023058681398}}},
    {"nonlinear constraint on a free variable, u^3",
     "local x, px = pair('x') local u = free('u')\n"
     "hamiltonian(px^2/2 + (u^3 + u)^2/2) constrain('tie', u^3 + u - x) start { x = 1 }",
     {{"x", 0.5403023058681398}, {"u", 0.44948799508626347}, {"lambda[tie]", -0.5403023058681398}}},
    {"nonlinear balance, u^3",
     "local x, px = pair('x') local u = free('u')\n"
     "hamiltonian(px^2/2 + x^2/2 + (u^3 + u - x)^2) start { x = 1, u = 0.6823278038280193 }",
     {{"x", 0.5403023058681398}, {"u", 0.44948799508626347}}},
    /* the same, with a pulley that is eliminated and whose multiplier contains that one */
    {"both, u^3",
     "local x, px = pair('x') local u = pair('u') local w = pair('w')\n"
     "hamiltonian(px^2/2 + (u^3 + u)^2/2) constrain('tie', u^3 + u - w) constrain('rope', w - x)\n"
     "start { x = 1 }",
     {{"x", 0.5403023058681398},
      {"u", 0.44948799508626347},
      {"w", 0.5403023058681398},
      {"lambda[tie]", -0.5403023058681398},
      {"lambda[rope]", -0.5403023058681398}}},
    /* beside a constraint on velocities, whose factors contain it: (x, y)'' = -(2, 1) 3/5 */
    {"tie beside a lock",
     "local w = pair('w') local x, px = pair('x') local y, py = pair('y')\n"
     "hamiltonian((px^2 + py^2)/2 + w) constrain('tie', w - x - y)\n"
     "velocity_constrain('lock', velocity(x)*(1 + w - x - y) - 2*velocity(y))",
     {{"w", -0.9}, {"x", -0.6}, {"y", -0.3}, {"lambda[tie]", -1}, {"lambda[lock]", 0.2}}},
    /* with friction: x'' = -x - 0.4 x' */
    {"friction, u^3",
     "local x, px = pair('x') local u = pair('u')\n"
     "hamiltonian(px^2/2 + (u^3 + u)^2/2) constrain('tie', u^3 + u - x)\n"
     "force { x = -0.4*px } start { x = 1 }",
     {{"x", 0.5949662326378877}, {"u", 0.4825807854750493}, {"lambda[tie]", -0.5949662326378877}}},
    /* a lever of which one end slides, x = cos turn, with V = x^2/2 */
    {"one end, cos",
     "local x, px = pair('x') local turn = pair('turn')\n"
     "hamiltonian(px^2/2 + cos(turn)^2/2) constrain('end', x - cos(turn))\n"
     "start { x = 0.5, turn = math.pi/3 }",
     {{"x", 0.5 * 0.5403023058681398},
      {"turn", 1.297246308630327},
      {"lambda[end]", 0.2701511529340699}}},
    /* a sling of rope b = 2u over a roll that hangs on a spring: V_u = -2 lambda[rope] */
    {"roll on a spring",
     "local b, pb = pair('b') local u = pair('u')\n"
     "hamiltonian(pb^2/2 + 4*u^2/2)\nconstrain('rope', b - 2*u)\nstart { b = 1, u = 0.5 }",
     {{"b", 0.5403023058681398},
      {"u", 0.5403023058681398 / 2},
      {"lambda[rope]", 0.5403023058681398}}},
};

static double value_of(const rattle_problem *problem, const double *z, const char *name) {
  const int n = rattle_problem_n(problem), m = rattle_problem_m(problem);
  const rattle_model *model = rattle_problem_model(problem);
  double lambda[8], observed[16];
  rattle_error error;
  if (rattle_problem_multipliers(problem, z, z + n, lambda, &error) ||
      rattle_problem_observe(problem, z, z + n, observed, &error))
    fail_msg("%s", error.message);
  for (int k = 0; k < n; k++)
    if (!strcmp(rattle_model_coordinate_name(model, k), name)) return z[k];
  for (int i = 0; i < rattle_model_observables(model); i++)
    if (!strcmp(rattle_model_observable_name(model, i), name)) return observed[i];
  for (int i = 0; i < m; i++) {
    char of[40];
    snprintf(of, sizeof of, "lambda[%s]", rattle_problem_constraint_name(problem, i));
    if (!strcmp(of, name)) return lambda[i];
  }
  fail_msg("no %s", name);
  return (double)NAN;
}

/* The text of a part, which also observes its multipliers as quantities, "seen lambda[NAME]". */
static void write_part(char text[2000], const part *row) {
  int at = snprintf(text, 2000, "%s", row->text);
  for (const value *v = row->values; v->name; v++)
    if (!strncmp(v->name, "lambda[", 7))
      at += snprintf(text + at, 2000 - (size_t)at, "\nobserve('seen %s', lambda('%.*s'))", v->name,
                     (int)strlen(v->name) - 8, v->name + 7);
  assert_true(at < 2000);
}

static void assert_value(const part *row, const char *method, const char *name, double found,
                         double right) {
  if (!(fabs(found - right) < 1e-11))
    fail_msg("%s, %s: %s is %.14g, not %.14g", row->name, method, name, found, right);
}

static void assert_moves(const part *row, const char *method) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  char text[2000], seen[80];
  double z[16];
  write_part(text, row);
  if (rattle_model_parse(&model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s: %s", row->name, error.message);
  const int n = rattle_problem_n(problem);
  rattle_state state = {.q = z, .p = z + n, .h = 0.02};
  if (rattle_problem_start(problem, 0, z, z + n, NULL, &error) ||
      rattle_integrator_step(integrator, &state, 50, &error))
    fail_msg("%s, %s: %s", row->name, method, error.message);
  for (const value *v = row->values; v->name; v++) {
    assert_value(row, method, v->name, value_of(problem, z, v->name), v->at_1);
    if (strncmp(v->name, "lambda[", 7) != 0) continue;
    snprintf(seen, sizeof seen, "seen %s", v->name);
    assert_value(row, method, seen, value_of(problem, z, seen), v->at_1);
  }
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void test_moves(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    assert_moves(&table[i], "kahan_li8(rattle(verlet))");
    /* levers are not linear, and get the order 2 of rattle(...) */
    const int straight = !strstr(table[i].text, "cos(") && !strstr(table[i].text, "u^3");
    assert_moves(&table[i], straight ? "rattle(gauss(4))" : "kahan_li8(rattle(midpoint))");
  }
}

static const struct {
  const char *text, *says;
} refused[] = {
    {"local x, px = pair('x') local u = pair('u')\nhamiltonian(px^2/2 + (x - u)^4) start { x = 1 }",
     "coordinate 'u' would never move"},
    {"local a, pa = pair('a') local b, pb = pair('b') local turn = pair('turn')\n"
     "hamiltonian(pa^2/2 + pb^2/2 + a)\n"
     "constrain('left', a - sin(turn)) constrain('right', b + 2*sin(turn))",
     "coordinate 'turn' would never move"},
    /* a joint of two rods in a line; and from where none can be found, off the constraints */
    {"local a, pa = pair('a') local b, pb = pair('b') local u = pair('u') local v = pair('v')\n"
     "hamiltonian(pa^2/2 + pb^2/2 + (v - 1)^2) start { a = -1, b = 1 }\n"
     "constrain('r', (u - a)^2 + v^2 - 1) constrain('s', (u - b)^2 + v^2 - 1)",
     "coordinate 'u' would never move"},
    {"local a, pa = pair('a') local b, pb = pair('b') local u = pair('u') local v = pair('v')\n"
     "hamiltonian(pa^2/2 + pb^2/2 + (v - 1)^2) start { a = -0.9, b = 0.9 }\n"
     "constrain('r', (u - a)^2 + v^2 - 1) constrain('s', (u - b)^2 + v^2 - 1)",
     "coordinate 'u' would never move"},
    {"local x, px = pair('x') local u = pair('u')\n"
     "hamiltonian(px^2/2 + (u^3 + u)^2/2) constrain('tie', u^3 + u - x) start { x = 1, u = 0.7 }",
     "the start of \"u\", which has no inertia, is 0.7 and follows from those of others: 0.682328"},
    /* signs, beside which an equation seems to be linear: u is not y + 1 but y - 1 */
    {"local x, px = pair('x') local y, py = pair('y') local u = pair('u')\n"
     "hamiltonian((px^2 + py^2)/2 + abs(u - x) + (u - y)^2/2) start { x = 1, y = 2.5, u = 3.5 }",
     "1.5"},
    /* the same equation twice, whose determinant is round-off */
    {"local x, px = pair('x') local y, py = pair('y') local turn = pair('turn')\n"
     "hamiltonian((px^2 + py^2)/2 + y) constrain('a', x - 0.7*cos(turn + 0.3))\n"
     "constrain('b', y - 2.1*cos(turn + 0.3))\n"
     "start { turn = 0.4, x = 0.7*math.cos(0.7), y = 2.1*math.cos(0.7) }",
     "coordinate 'turn' would never move"},
    {"local u = pair('u')\n" PULLEY "start { a = 0.5, u = 0.4 }",
     "the start of \"u\", which has no inertia, is 0.4 and follows from those of others: -0.5, by "
     "constraint upper"},
    {"local u = pair('u')\n" PULLEY "velocity { u = 1 }", "omit its start velocity"},
    /* what acts on them beside H and constraints */
    {"local x, px = pair('x') local u = pair('u')\n"
     "hamiltonian(px^2/3 + u^2 + 1.5*(x - u)^2) force { u = 0.7 } start { x = 1, u = 0.74 }",
     "coordinate 'u' would never move"},
    {"local u = pair('u')\n" PULLEY "force { u = 50 }", "coordinate 'u' would never move"},
    {"local x, px = pair('x') local u = pair('u')\nhamiltonian(px^2/2 + x^2/2)\n"
     "velocity_constrain('l', velocity(u) - velocity(x)) start { x = 1 }",
     "coordinate 'u' would never move"},
    {"local m = molecule { beads = 2, place = {{1, 0, 0}, {1, 9, 0}} }\n"
     "pair_potential { kind = 'wca', epsilon = 1, sigma = 1 }\n"
     "local u = pair('u') hamiltonian(u^2 + 1.5*(m.x[1] - u)^2) start { u = 0.6 }",
     "coordinate 'u' would never move"},
};

/* By runs and by the doctor, in the same words. */
static void test_refused(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_doctor *doctor = NULL;
    rattle_error error = {0};
    double z[16];
    rattle_status status = rattle_model_parse(&model, refused[i].text, "m.lua", NULL, &error);
    const int read = !status;
    if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
    if (!status) status = rattle_problem_start(problem, 0, z, z + 8, NULL, &error);
    assert_true(status);
    if (!strstr(error.message, refused[i].says)) fail_msg("%s", error.message);
    if (read) {
      assert_int_equal(rattle_doctor_create(&doctor, model, NULL, NULL, NULL), RATTLE_OK);
      assert_non_null(strstr(rattle_doctor_diagnosis(doctor)->refused, refused[i].says));
    }
    rattle_doctor_destroy(&doctor);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* No problem: multipliers that displace what a force acts on would do work, and there is none of
 * a free variable that was eliminated. */
static void test_unsuitable(void **unused) {
  (void)unused;
  static const char *const of[][2] = {{"local x, px = pair('x') local y, py = pair('y')\n"
                                       "hamiltonian((px^2 + py^2)/2 + y^2) force { x = -px }\n"
                                       "constrain('c', px, { dirac = true })",
                                       "the momentum of a coordinate with a force"},
                                      {"local u = free('u')\n" PULLEY
                                       "observe('rate', lambda('free:u'))",
                                       "the multiplier of 'free:u' is no quantity here"}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_error error = {0};
    assert_int_equal(rattle_model_parse(&model, of[i][0], "m.lua", NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_UNSUITABLE);
    if (!strstr(error.message, of[i][1])) fail_msg("%s", error.message);
    rattle_model_destroy(&model);
  }
}

/* Solutions that jump: the run ends in the step in which x, or what is said, passes 0. */
#define SWINGS "local x, px = pair('x') local u = pair('u') hamiltonian(px^2/2 + x^2/2)\n"
static const struct {
  const char *text, *says;
  double ends; /* where the motion passes the pole; 0: never */
} jumps[] = {
    {SWINGS "constrain('c', x*u - 1) start { x = 1 }", "a pole of 1/x", 1.5708},
    {SWINGS "constrain('c', x^2*u - 1) start { x = 1 }", "a pole of 1/x^2", 1.5708},
    {SWINGS "constrain('c', u - 1e6/(x - 0.5)) start { x = 1 }", "'u', which has no mass", 1.0472},
    {SWINGS "constrain('c', u - tan(2*x)) start { x = 0.7, px = 1 }", "tan(2*x)", 0.0901},
    {SWINGS "constrain('c', u - log(x^4)) start { x = 1 }", "log(x^4)", 1.5708},
    {SWINGS "constrain('c', u - acos(x)) start { x = 0.99, px = 0.5 }", "the domain of acos(x)",
     0.0201},
    {SWINGS "constrain('c', u - sqrt(x)) start { x = 1 }", "the domain of sqrt(x)", 1.5708},
    /* with a numerator that passes 0 in the step too */
    {SWINGS "constrain('c', x*u - (x - 0.001)) start { x = 1 }", "a pole of", 1.5708},
    /* a balance, which x falls into */
    {"local x, px = pair('x') local u = pair('u') hamiltonian(px^2/2 - u) constrain('c', x*u - 1)\n"
     "start { x = 1 }",
     "a pole of 1/x", 1.1107},
    {"local x, px = pair('x') local u = pair('u')\n"
     "hamiltonian(px^2/2 + x^2/2 + 1e-6*(x*u^2/2 - u)) start { x = 1 }",
     "'u', which has no mass, passes a pole", 1.5708},
    {"local x, px = pair('x') local y, py = pair('y') local u = pair('u')\n"
     "hamiltonian((px^2 + py^2 + x^2 + y^2)/2) constrain('c', u - atan2(y, x))\n"
     "start { x = 1, py = 1 }",
     "atan2(y, x) passes pi", 3.1416},
    /* the factors of sin(t) and cos(t) pass 0, their determinant does not */
    {"local x, px = pair('x') local y, py = pair('y') local r, pr = pair('r') local t = pair('t')\n"
     "hamiltonian((px^2 + py^2 + pr^2 + (r - 1)^2)/2) constrain('along', x*cos(t) + y*sin(t) - r)\n"
     "constrain('across', x*sin(t) - y*cos(t)) start { x = 1, r = 1, py = 1 }",
     NULL, 0},
};

static void test_jumps(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_integrator *integrator = NULL;
    rattle_error error = {0};
    double z[16];
    if (rattle_model_parse(&model, jumps[i].text, "m.lua", NULL, &error) ||
        rattle_problem_create(&problem, model, NULL, &error) ||
        rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error) ||
        rattle_problem_start(problem, 0, z, z + rattle_problem_n(problem), NULL, &error))
      fail_msg("%s: %s", jumps[i].text, error.message);
    rattle_state state = {.q = z, .p = z + rattle_problem_n(problem), .h = 0.011};
    const rattle_status status = rattle_integrator_step(integrator, &state, 500, &error);
    if (!status != !jumps[i].says) fail_msg("%s: %s", jumps[i].text, error.message);
    if (status && (!strstr(error.message, jumps[i].says) || status != RATTLE_DOMAIN))
      fail_msg("%s: %s", jumps[i].text, error.message);
    const double passed = (double)state.step * state.h;
    if (status && !(passed <= jumps[i].ends + 1e-3 && passed >= jumps[i].ends - 0.06))
      fail_msg("%s: ends at %g", jumps[i].text, passed);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_jumps),
                                     cmocka_unit_test(test_unsuitable)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
