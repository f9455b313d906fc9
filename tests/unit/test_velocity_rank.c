/* Constraints on velocities that depend on each other: which are left out, which are refused and
 * why, what the motion is where they are nearly parallel, and what becomes of one that no longer
 * follows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

#define CART                                                                                       \
  "local x = pair('x') local y = pair('y') local z = pair('z') mass { x = 1, y = 1, z = 3 }\n"     \
  "potential((y - x - 1)^2/2 + z) velocity { y = 0.5 } start { y = 1 }\n"
#define BLADES                                                                                     \
  "local x = pair('x') local y = pair('y') local a = pair('a') local b = pair('b')\n"              \
  "mass { x = 1, y = 1, a = 0.4, b = 0.3 } potential(-x)\n"

typedef struct rows {
  const char *text, *omitted; /* NULL: none */
  const char *refusal; /* of the start; NULL: the cart moves with z held, as y = 1 + sin(t)/2 */
} rows;

static const rows all_rows[] = {
    {CART "velocity_constrain('u', velocity(x)) velocity_constrain('v', velocity(z))", NULL, NULL},
    {CART "velocity_constrain('u', velocity(x)) velocity_constrain('v', velocity(x) + "
          "1e-9*velocity(z))",
     NULL, NULL},
    {CART "velocity_constrain('u', 1e5*velocity(x)) velocity_constrain('v', velocity(x) + "
          "1e-12*velocity(z))",
     NULL, NULL},
    {CART "velocity_constrain('u', velocity(x)) velocity_constrain('v', velocity(z)) "
          "velocity_constrain('w', "
          "velocity(x)/3 - 7*velocity(z))",
     "w", NULL},
    {CART "constrain('held', x) velocity_constrain('u', velocity(x)) velocity_constrain('v', "
          "velocity(z))",
     "u", NULL},
    {CART "constrain('held', x) constrain('low', z) velocity_constrain('u', velocity(x)/3)", "u",
     NULL},
    {CART "constrain('ring', x^2 + y^2 - 1) velocity_constrain('u', x*velocity(x) + y*velocity(y)) "
          "velocity_constrain('v', velocity(z))",
     "u", ""},
    /* carried round on the ring by z: x times one row and y times the other is the ring's */
    {CART "constrain('ring', x^2 + y^2 - 1) velocity_constrain('u', velocity(y) - x*velocity(z)) "
          "velocity_constrain('v', velocity(x) + y*velocity(z))",
     "u", ""},
    {BLADES "velocity_constrain('u', velocity(y)*cos(a) - velocity(x)*sin(a)) "
            "velocity_constrain('v', velocity(y)*(cos(a/2)^2 - sin(a/2)^2) - "
            "2*velocity(x)*sin(a/2)*cos(a/2)) start { a = 0.3 }",
     "v", ""},
    {BLADES "velocity_constrain('u', velocity(y)*cos(a) - velocity(x)*sin(a)) "
            "velocity_constrain('v', velocity(y)*cos(b) - velocity(x)*sin(b))",
     NULL, "'v' follows from 'u' at the start (redundant), and not near it"},
    {CART "velocity_constrain('u', velocity(x)) velocity_constrain('v', 3*velocity(x) - 1)", NULL,
     "'v' contradicts 'u'"},
    {CART "velocity_constrain('u', velocity(x)) velocity_constrain('v', velocity(z)) "
          "velocity_constrain('w', velocity(x) + velocity(z) - 1e-6)",
     NULL, "'w' contradicts 'u', 'v'"},
    {CART "local t = time() velocity_constrain('u', velocity(x)) velocity_constrain('v', "
          "velocity(x) - sin(t))",
     NULL, "'v' follows from 'u' at the start"},
    {CART "velocity_constrain('u', x*velocity(y))", NULL,
     "'u' determines no velocity at the start, where the factor of velocity(y) is 0"}};

static void open_text(rattle_model **model, rattle_problem **problem, const char *text) {
  rattle_error error;
  if (rattle_model_parse(model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(problem, *model, NULL, &error))
    fail_msg("%s: %s", text, error.message);
}

/* 1000 steps of 0.002 */
static rattle_status go(const rattle_problem *problem, double *q, double *p, rattle_error *error) {
  rattle_integrator *integrator = NULL;
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.002};
  rattle_status status =
      rattle_integrator_create(&integrator, problem, "kahan_li6(rattle(verlet))", error);
  if (!status) status = rattle_integrator_step(integrator, &state, 1000, error);
  rattle_integrator_destroy(&integrator);
  return status;
}

static void moves(const rows *r, const rattle_problem *problem, double *q, double *p) {
  rattle_error error;
  if (go(problem, q, p, &error)) fail_msg("%s: %s", r->text, error.message);
  if (r->refusal) return;
  /* rows that are parallel but for 1e-9 say of z what is left of their own round-off */
  const double y = fabs(q[1] - 1 - 0.5 * sin(2)), others = fmax(fabs(q[0]), fabs(q[2]));
  const double known = strstr(r->text, "1e-9") ? 1e-9 : strstr(r->text, "1e-12") ? 1e-6 : 1e-15;
  if (!(y < 1e-13) || !(others <= known)) fail_msg("%s: off by %g, %g", r->text, y, others);
}

static void ranks(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++) {
    const rows *r = &all_rows[i];
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_error error;
    double q[4], p[4];
    open_text(&model, &problem, r->text);
    const char *omitted = rattle_problem_implied(problem, 0);
    if (!omitted != !r->omitted || (omitted && strcmp(omitted, r->omitted) != 0) ||
        rattle_problem_implied(problem, 1))
      fail_msg("%s: omitted %s", r->text, omitted ? omitted : "none");
    const rattle_status status = rattle_problem_start(problem, !!r->omitted, q, p, NULL, &error);
    if (r->refusal && *r->refusal) {
      if (status != RATTLE_NOT_REGULAR || !strstr(error.message, r->refusal))
        fail_msg("%s: %s", r->text, status ? error.message : "not refused");
    } else if (status) {
      fail_msg("%s: %s", r->text, error.message);
    } else {
      moves(r, problem, q, p);
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* The run ends where the choice of rows at the start no longer serves: a part of the message, and
 * coordinate `at` to within `by` of `there`. */
typedef struct ending {
  const char *text, *omitted, *message;
  int at;
  double there, by;
} ending;

static const ending endings[] = {
    /* a quarter of a turn on, v is the ring's and u is needed */
    {"local x = pair('x') local y = pair('y') local z = pair('z') mass { x = 1, y = 1, z = 3 } "
     "potential(0)\n"
     "constrain('ring', x^2 + y^2 - 1) velocity_constrain('u', velocity(y) - x*velocity(z)) "
     "velocity_constrain('v', velocity(x) + y*velocity(z)) start { y = 1 } velocity { x = 2, z = "
     "-2 }",
     "u", "'u', which is omitted", 1, 0, 0.01},
    /* v follows from u where x < 0.6, and there alone */
    {"local x = pair('x') local y = pair('y') local z = pair('z') mass { x = 1, y = 1, z = 1 } "
     "potential(0)\n"
     "velocity_constrain('u', velocity(y)) velocity_constrain('v', velocity(y) + max(x - 0.6, 0)*"
     "velocity(z)) velocity { x = 1, z = 1 }",
     "v", "'v', which followed from the others at the start", 0, 0.6, 0.002},
};

static void no_longer(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const ending *e = &endings[i];
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_error error;
    double q[3], p[3];
    open_text(&model, &problem, e->text);
    assert_string_equal(rattle_problem_implied(problem, 0), e->omitted);
    assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), RATTLE_OK);
    assert_int_equal(go(problem, q, p, &error), RATTLE_DEGENERATE);
    assert_non_null(strstr(error.message, e->message));
    assert_true(fabs(q[e->at] - e->there) < e->by);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* Rows that no b drives need no clock, though 0/y is no number by the rules of the graph. */
static void without_clock(void **state) {
  (void)state;
  static const struct {
    const char *row;
    int pairs;
  } driven[] = {{"velocity(x)/y - 3*velocity(z)*sin(x)/(1 + y^2)", 3},
                {"(velocity(x) - velocity(y)*(1 - z))/(2 - y)", 3},
                {"velocity(x)/y - 1/y", 4},
                {"velocity(x) - sin(0*y)", 3},
                {"velocity(x) - cos(0*y)", 4}};
  for (size_t i = 0; i < sizeof driven / sizeof *driven; i++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    char text[400];
    snprintf(text, sizeof text, CART "velocity_constrain('u', %s)", driven[i].row);
    open_text(&model, &problem, text);
    if (rattle_problem_n(problem) != driven[i].pairs)
      fail_msg("%s: %d pairs", driven[i].row, rattle_problem_n(problem));
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranks), cmocka_unit_test(no_longer),
                                     cmocka_unit_test(without_clock)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
