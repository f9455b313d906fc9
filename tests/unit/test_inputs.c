/* Parameters as inputs: a problem that is given values of them is, to the bit, that of the model
 * read with these values; where a model does something else with them than write expressions,
 * starts and masses, it is refused, and ensembles read it anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/functions/problem.h"
#include "rattle/rattle.h"

#define PLANE "local x, px = pair('x') local y, py = pair('y')\n"
enum { MOST = 16, SETS = 8 };

typedef struct model_text {
  const char *text;
  int parameters, refused; /* of the value sets, those that are another model */
} model_text;

/* a, b, c: values below */
static const model_text good[] = {
    {"local a = parameter('a', 1)\n" PLANE
     "hamiltonian((px^2 + py^2)/2 + a*y) constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = -2 }",
     1, 1},
    {"local a, b, c = parameter('a', 1.5), parameter('b', 2), parameter('c', 1)\n" PLANE
     "mass { x = b, y = b } potential(a*(b*y + 2*x)/2 - b*a) constrain('rod', x^2 + y^2 - b^2)\n"
     "start { x = b*cos(c), y = b*sin(c) } observe('angle', atan2(x, -a*y)) observe('e', -a*b*y + "
     "c)",
     3, 3},
    /* a start velocity */
    {"local a, b = parameter('a', 1), parameter('b', 2)\n" PLANE
     "hamiltonian((px^2 + py^2)/(2*b) + y) start { y = -1 } velocity { x = 3*a, y = b }",
     2, 0},
    /* signs, quotients, powers, functions, a start of 0 */
    {"local a, b, c = parameter('a', 1), parameter('b', 3), parameter('c', 2)\n" PLANE
     "hamiltonian(px^2/2/b + py^2/(2*b) + 3*(a*x^5) + 7*(b*y)/3 - y*a*b*6 - a*sin(x)/(1 + y^2) + "
     "(-a)*y^3/8 + "
     "sqrt(b)*exp(-c)*x^2*y + b^3*x + 3*y)\n"
     "constrain('ellipse', x^2 + y^2/b^1.5 - 1)\nstart { x = 1, py = sin(a) }",
     3, 4},
    /* not separable; time; lists with literal indices */
    {"local m = {parameter('a', 1), parameter('b', 3)}\nlocal t = time()\n" PLANE
     "hamiltonian(px^2/2/m[1] + py^2/m[2]/2 + (px + y)*m[1]*x + cos(m[2]*t)*x)\nstart { x = 0.3, "
     "py = m[1] }",
     2, 2},
    {"local a = parameter('a', 1)\n" PLANE
     "hamiltonian(px^2/2 + py^2 + a*(x*px + y) + x^4)\nstart { x = a }",
     1, 1},
};

/* Terms of many variables are sorted by their coefficients. */
static const char large[] = "local a, b = parameter('a', 1), parameter('b', 2)\nlocal q1, p1 = "
                            "pair('q1') local q2, p2 = pair('q2') local q3, p3 = "
                            "pair('q3')\n"
                            "local q4, p4 = pair('q4') local q5, p5 = pair('q5') local q6, p6 = "
                            "pair('q6') local q7, p7 = pair('q7')\n"
                            "local q8, p8 = pair('q8') local q9, p9 = pair('q9') local r, pr = "
                            "pair('r') local s, ps = pair('s') local u, pu = "
                            "pair('u')\n"
                            "local v, pv = pair('v') local w, pw = pair('w') local e, pe = "
                            "pair('e') local f, pf = pair('f') local g, pg = pair('g')\n"
                            "mass { q1 = 1, q2 = a, q3 = b, q4 = 2, q5 = a, q6 = b, q7 = 1, q8 = "
                            "1, q9 = 1, r = 1, s = a, u = 1, v = 1, w = 1, e = 1, f "
                            "= 1, g = 1 }\n"
                            "potential(a*(q1 - q2)^2 + b*(q2 - q3)^2 + 3*(q3 - q4)^2 + a*(q4*q5 + "
                            "b*q6) + cos(a*q7) + b*q8^3 + q9 + r*s + u*v/a + "
                            "w*e*f*g)\n"
                            "constrain('k', q1^2 + q2^2 - 1) start { q1 = 1, pq2 = 0.5, q5 = b }";

/* Uses of the value of a that are refused. */
static const char *const bad[] = {
    "local a = parameter('a', 1) local k = 1 if a == 2 then k = 2 end\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + k*a*y) start { x = 1 }",
    "local a = parameter('a', 1) local k = 1 if a > 1.5 then k = 2 end\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + k*a*y) start { x = 1 }",
    "local a = parameter('a', 1) local k = 0 for i = 1, a do k = k + 1 end\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + k*y) start { x = 1 }",
    "local a = parameter('a', 1) local k = ({5, 6, 7})[a]\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + (k or 1)*y) start { x = 1 }",
    "local a = parameter('a', 1)\n" PLANE "hamiltonian(px^2/2 + py^2/2 + x^a*y) start { x = 1 }",
    "local a = parameter('a', 1) local _, k = pcall(function() return a < 2 end)\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + (k and 1 or 2)*y)",
    "local a = parameter('a', 1)\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + y) start { x = 1 } integrate { step = a }",
    "local a = parameter('a', 1)\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + y) force { x = -a*px } start { x = 1 }",
    "local a = parameter('a', 1)\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + y + where(lt(a, 2), x^2, y)) start { x = 1 }",
    "local a = parameter('a', 1)\n" PLANE
    "hamiltonian(px^2/2 + py^2/2 + x*y + sum(a, x, y)) start { x = 1 }",
};

static const char *const names[] = {"a", "b", "c"};

/* Plain values, powers of two, whole ones; the last ones have a 0. */
static void values_of(int set, int count, rattle_parameter *to) {
  static const double value[SETS][3] = {{1.1, 2.3, 0.7}, {1, 2, 3},  {9.81, 0.1, 1e-3},
                                        {2, 4, 0.5},     {3, 10, 7}, {1e3, 1, 1.25},
                                        {0, 1, 2},       {2.5, 1, 0}};
  for (int i = 0; i < count; i++) to[i] = (rattle_parameter){names[i], value[set][i]};
}

static rattle_problem *open_text(const char *text, const rattle_parameter *p, int count, int inputs,
                                 rattle_model **model) {
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = p,
                                    .parameter_count = count,
                                    .inputs = names,
                                    .input_count = inputs};
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_problem *problem = NULL;
  rattle_error error = {0};
  const rattle_status status = rattle_model_parse(model, text, "m.lua", &how, &error);
  if (status || rattle_problem_create(&problem, *model, &block, &error)) {
    if (!inputs) fail_msg("%s\n%s", error.message, text);
    rattle_model_destroy(model);
  }
  return problem;
}

/* The end of some steps, its observables and energy. */
static void run(const rattle_problem *problem, double end[4 * MOST * 3]) {
  const int n = rattle_problem_n(problem);
  double *q = end, *p = q + n;
  rattle_integrator *integrator;
  rattle_error error;
  if (rattle_problem_start(problem, 1, q, p, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&integrator, problem, rattle_default_method(problem), &error))
    fail_msg("%s", error.message);
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.0005};
  if (rattle_integrator_step(integrator, &state, 60, &error)) fail_msg("%s", error.message);
  rattle_integrator_destroy(&integrator);
  assert_int_equal(rattle_problem_energy(problem, q, p, p + n, NULL), RATTLE_OK);
  (void)rattle_problem_observe(problem, q, p, p + n + 1, NULL);
}

static void same_bits(void **state) {
  (void)state;
  for (size_t t = 0; t < sizeof good / sizeof *good; t++) {
    rattle_parameter p[3];
    rattle_model *model = NULL;
    values_of(0, good[t].parameters, p);
    rattle_problem *settable =
        open_text(good[t].text, p, good[t].parameters, good[t].parameters, &model);
    if (!settable) fail_msg("not an input:\n%s", good[t].text);
    int refused = 0;
    for (int set = 0; set < SETS; set++) {
      static double one[12 * MOST], other[12 * MOST];
      values_of(set, good[t].parameters, p);
      const rattle_status status =
          rattle_problem_set_parameters(settable, p, good[t].parameters, NULL);
      assert_true(!status || status == RATTLE_UNSUITABLE);
      refused += status != RATTLE_OK;
      if (status) continue;
      rattle_model *own = NULL;
      rattle_problem *anew = open_text(good[t].text, p, good[t].parameters, 0, &own);
      memset(one, 0, sizeof one), memset(other, 0, sizeof other);
      run(anew, one), run(settable, other);
      if (memcmp(one, other, sizeof one))
        fail_msg("text %zu, set %d: %.17g and %.17g", t, set, one[0], other[0]);
      if (!rattle__problems_agree(anew, settable)) fail_msg("text %zu, set %d", t, set);
      rattle_problem_destroy(&anew);
      rattle_model_destroy(&own);
    }
    if (refused != good[t].refused) fail_msg("text %zu: %d sets refused", t, refused);
    rattle_problem_destroy(&settable);
    rattle_model_destroy(&model);
  }
}

typedef struct kept {
  double end[SETS][8];
  rattle_status status[SETS];
} kept;

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  static rattle_parameter p[3];
  (void)self, (void)error;
  values_of((int)c->number, 1, p);
  c->parameter = p, c->parameters = 1;
  return RATTLE_OK;
}

static rattle_status keep(void *self, const rattle_outcome *o, rattle_error *error) {
  kept *k = self;
  (void)error;
  k->status[o->of->number] = o->status;
  if (o->q)
    memcpy(k->end[o->of->number], o->q, 2 * sizeof(double)),
        memcpy(k->end[o->of->number] + 2, o->p, 2 * sizeof(double));
  return RATTLE_OK;
}

/* Ensembles read what is refused anew for each value, with the same end. */
static void read_anew(void **state) {
  (void)state;
  for (size_t t = 0; t < sizeof bad / sizeof *bad; t++) {
    rattle_parameter p[3];
    rattle_model *model = NULL;
    kept k = {0};
    values_of(0, 1, p);
    if (open_text(bad[t], p, 1, 1, &model)) fail_msg("an input:\n%s", bad[t]);
    p[0].value = 1;
    rattle_problem *problem = open_text(bad[t], p, 1, 0, &model);
    const rattle_ensemble_options how = {.struct_size = sizeof how,
                                         .cases = SETS,
                                         .threads = 1,
                                         .step = 0.001,
                                         .steps = 20,
                                         .parse = rattle_model_parse,
                                         .evaluator = RATTLE_EVALUATOR_BLOCK,
                                         .describe = describe,
                                         .end = keep,
                                         .self = &k};
    assert_int_equal(rattle_ensemble(problem, &how, NULL, NULL), RATTLE_OK);
    for (int set = 0; set < SETS; set++) {
      values_of(set, 1, p);
      rattle_model *own = NULL;
      rattle_integrator *integrator;
      double q[2], z[4];
      if (k.status[set]) continue; /* a model that cannot have the value */
      rattle_problem *anew = open_text(bad[t], p, 1, 0, &own);
      assert_int_equal(rattle_problem_start(anew, 0, q, z + 2, NULL, NULL), RATTLE_OK);
      memcpy(z, q, sizeof q);
      assert_int_equal(
          rattle_integrator_create(&integrator, anew, rattle_default_method(anew), NULL),
          RATTLE_OK);
      rattle_state at = {.struct_size = sizeof at, .q = z, .p = z + 2, .h = 0.001};
      assert_int_equal(rattle_integrator_step(integrator, &at, 20, NULL), RATTLE_OK);
      if (memcmp(z, k.end[set], sizeof z))
        fail_msg("text %zu, set %d: %.17g and %.17g", t, set, z[0], k.end[set][0]);
      rattle_integrator_destroy(&integrator);
      rattle_problem_destroy(&anew);
      rattle_model_destroy(&own);
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

static void wrong_calls(void **state) {
  (void)state;
  rattle_parameter p[3] = {{"a", 2}, {"b", 1}};
  rattle_model *model = NULL;
  rattle_problem *plain = open_text(good[0].text, p, 1, 0, &model);
  assert_int_equal(rattle_problem_set_parameters(plain, p, 1, NULL), RATTLE_UNSUITABLE);
  rattle_problem_destroy(&plain);
  rattle_model_destroy(&model);
  assert_null(open_text(large, p, 2, 2, &model));
  rattle_problem *settable = open_text(good[0].text, p, 1, 1, &model);
  assert_int_equal(rattle_problem_set_parameters(settable, p, 2, NULL), RATTLE_BAD_ARGUMENT);
  p[0].value = (double)INFINITY;
  assert_int_equal(rattle_problem_set_parameters(settable, p, 1, NULL), RATTLE_BAD_ARGUMENT);
  p[0].value = 0;
  assert_int_equal(rattle_problem_set_parameters(settable, p, 1, NULL), RATTLE_UNSUITABLE);
  p[0].value = 1e16; /* beyond what integers of Lua and numbers have in common */
  assert_int_equal(rattle_problem_set_parameters(settable, p, 1, NULL), RATTLE_UNSUITABLE);
  rattle_problem_destroy(&settable);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(read_anew),
                                     cmocka_unit_test(wrong_calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
