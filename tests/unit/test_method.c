/* Method expressions: the table, what is parsed and printed, what is promised, what is refused and
 * with which words. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "method/notation/row.h"

static rattle_method *parse(const char *expression) {
  rattle_method *method;
  rattle_error error;
  if (rattle_method_parse(&method, expression, &error)) fail_msg("%s", error.message);
  return method;
}

/* --- the table --- */

static void rows_are_complete(void **state) {
  (void)state;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  assert_true(count > 50);
  for (int i = 0; i < count; i++) {
    const rattle__method_kind kind = rattle__method_kind_of(&rows[i]);
    assert_ptr_equal(rattle__method_find(rows[i].name, strlen(rows[i].name)), &rows[i]);
    assert_true(strlen(rows[i].name) < sizeof((rattle__argument *)0)->word);
    assert_true(strlen(rows[i].text) > 10);
    assert_true(!strcmp(rows[i].name, "auto") || strlen(rows[i].citation) > 10);
    assert_non_null(
        strstr("field|base map|constrained map|wrapper|composition|solver|sampler", rows[i].kind));
    /* of coefficients that a model gives nothing is known yet */
    const int named = rows[i].parameter[0].type == RATTLE_TAKES_NAME && rows[i].parameter[0].name;
    assert_true(kind != RATTLE__BASE || (rows[i].claims.order > 0) == !named);
    assert_true(kind != RATTLE__BASE || rows[i].claims.stages > 0);
    assert_true(kind != RATTLE__WRAPPER || rows[i].claims.keeps_g ||
                rattle__wrapper_of(&rows[i])->adapts);
    assert_true(kind != RATTLE__COMPOSITION || rows[i].claims.order >= 4);
    const int samples = kind == RATTLE__SAMPLER && rows[i].parameter[0].type == RATTLE_TAKES_MAP;
    /* options come last, maps first, ranges are not empty */
    for (int k = 0; rows[i].parameter[k].name; k++) {
      const rattle_method_parameter *parameter = &rows[i].parameter[k];
      assert_int_equal(parameter->type == RATTLE_TAKES_MAP,
                       k == 0 &&
                           (kind == RATTLE__WRAPPER || kind == RATTLE__COMPOSITION || samples));
      assert_true(k == 0 || !rows[i].parameter[k - 1].option || parameter->option);
      assert_true(!parameter->option || parameter->fallback != NULL);
      if (parameter->type == RATTLE_TAKES_INTEGER)
        assert_true(parameter->minimum < parameter->maximum);
    }
  }
}

/* The text of a parameter in the list that users see. */
static void put_parameter(rattle__text *out, const rattle_method_parameter *p) {
  const int whole = p->type == RATTLE_TAKES_INTEGER, word = p->type == RATTLE_TAKES_WORD;
  if (p->option)
    rattle__put(out, "%s=%s", p->name, word ? p->choices : "");
  else if (whole)
    rattle__put(out, "%s = %.0f..%.0f", p->name, p->minimum, p->maximum);
  else
    rattle__put(out, "%s", word ? p->choices : p->name);
}

static void parameters_are_listed(void **state) {
  (void)state;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  for (int i = 0; i < count; i++) {
    char text[200] = "";
    rattle__text out = {text, sizeof text};
    for (const rattle_method_parameter *p = rows[i].parameter; p->name; p++) {
      rattle__put(&out, "%s", p == rows[i].parameter ? "" : ", ");
      put_parameter(&out, p);
      assert_true(strlen(p->text) > 2);
      assert_true(!p->fallback || p->fallback[0] || strlen(p->otherwise) > 0);
      assert_true(p->effect == RATTLE_NO_EFFECT ||
                  p->type ==
                      (p->effect == RATTLE_REMEMBERS ? RATTLE_TAKES_WORD : RATTLE_TAKES_NUMBER));
    }
    assert_string_equal(rows[i].parameters, text);
  }
}

/* --- canonical text and tree --- */

static void canonical_text(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"verlet", "verlet"},
      {"verlet()", "verlet"},
      {"verlet(a)", "verlet"},
      {" verlet ( form = b ) ", "verlet(b)"},
      {"rattle(\n\tverlet, project = step, solver=auto)", "rattle(verlet)"},
      {"rattle(verlet,project=output,tol=0.000001,solver=newton)",
       "rattle(verlet, project=output, solver=newton, tol=1e-6)"},
      {"rattle(solver=dense, verlet(b), compensated)",
       "rattle(verlet(b), solver=dense, compensated)"},
      {"rattle(verlet, compensated=0)", "rattle(verlet)"},
      {"rattle(quad, verlet)", "rattle(verlet, quad)"},
      {"rattle(verlet, quad=0)", "rattle(verlet)"},
      {"rattle(verlet, compensated = 1)", "rattle(verlet, compensated)"},
      {"shake(verlet, tol=.1)", "shake(verlet, tol=0.1)"},
      {"shake(verlet, tol=0.012345678901234567)", "shake(verlet, tol=0.012345678901234567)"},
      {"triple_jump(order=6, map=rattle(gauss(s=1)))", "triple_jump(rattle(gauss(1)), 6)"},
      {"kahan_li8(rattle(verlet))", "kahan_li8(rattle(verlet))"},
      {"symplectic_euler(b, compensated)", "symplectic_euler(b, compensated)"},
      {"rk4(hamiltonian)", "rk4"},
      {"taylor(p = 20)", "taylor(20)"},
      {"verlet(dirac)", "verlet(dirac)"},
      {"verlet(field=dirac, form=b)", "verlet(b, dirac)"},
      {"suzuki4(gauss(2,impetus))", "suzuki4(gauss(2, impetus))"},
      {"rk4(baumgarte(rate=.5))", "rk4(baumgarte(0.5))"},
      {"adaptive(verlet)", "adaptive(verlet)"},
      {"adaptive( rattle(verlet) , near_2 )", "adaptive(rattle(verlet), near_2)"},
      {"adaptive(density=r, map=verlet(b))", "adaptive(verlet(b), r)"},
      {"project(rk4(dirac), onto=both, project=step)", "project(rk4(dirac))"},
      {"project(every=3, rk4(dirac), momentum, tol=.001)",
       "project(rk4(dirac), momentum, tol=0.001, every=3)"},
      {"project(rk4(dirac), symmetric, every=1, tol=0)", "project(rk4(dirac), symmetric, every=1)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rattle_method *method = parse(cases[i][0]);
    assert_string_equal(rattle_method_text(method), cases[i][1]);
    rattle_method_destroy(&method);
    assert_null(method);
  }
}

static void tree_has_defaults_filled(void **state) {
  (void)state;
  rattle_method *method =
      parse("triple_jump(rattle(verlet, project=output, solver=sweep, tol=1e-8), 8)");
  const rattle__node *root = rattle__method_root(method), *inner = root->argument[0].node;
  assert_string_equal(root->row->name, "triple_jump");
  assert_int_equal(root->kind, RATTLE__COMPOSITION);
  assert_int_equal(root->arguments, 2);
  assert_true(root->argument[1].number == 8);
  assert_null(rattle__option_solver(root));
  assert_string_equal(inner->row->name, "rattle");
  assert_int_equal(inner->arguments, 1);
  assert_string_equal(rattle__option_word(inner, "project"), "output");
  assert_string_equal(rattle__option_solver(inner)->name, "sweep");
  assert_true(rattle__option_number(inner, "tol") == 1e-8);
  assert_true(rattle__option_effect(inner, RATTLE_LOOSENS) == 1e-8 &&
              rattle__option_effect(inner, RATTLE_DIVIDES) == 0);
  /* by the index of the row's declaration: map, project, solver, tol */
  assert_string_equal(inner->argument[1].word, "output");
  assert_string_equal(inner->argument[2].word, "sweep");
  assert_true(inner->argument[3].number == 1e-8);
  assert_string_equal(inner->argument[0].node->argument[0].word, "a");
  assert_true(isnan(inner->argument[0].node->argument[0].number));
  rattle_method_destroy(&method);
}

/* A locale with a decimal comma changes nothing; skipped if none is installed. */
static void locale_does_not_matter(void **state) {
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
  rattle_method *method = parse("rattle(verlet, tol=0.0125)");
  assert_string_equal(rattle_method_text(method), "rattle(verlet, tol=0.0125)");
  rattle_method_destroy(&method);
  setlocale(LC_NUMERIC, "C");
}

/* Formulas from the outside in; those of compositions have the coefficients that are used. */
static void formulas(void **state) {
  (void)state;
  char text[4096];
  rattle_method *method = parse("triple_jump(midpoint(dirac), 4)");
  rattle_method_formula(method, text, sizeof text);
  static const char *const in_order[] = {("triple_jump: Psi_h = phi_{c_3 h} o ... o phi_{c_1 h}, "
                                          "c_1 = 1.35120719196, c_2 = -1.70241438392,"),
                                         "\nmidpoint: z1 = z0 + h f(", "\ndirac: z' = {z,H}^*"};
  const char *at = text;
  for (size_t i = 0; i < sizeof in_order / sizeof *in_order; i++) {
    at = strstr(at, in_order[i]);
    if (!at) fail_msg("%s is not in its place in\n%s", in_order[i], text);
  }
  rattle_method_destroy(&method);
  method = parse("suzuki4(verlet)");
  rattle_method_formula(method, text, sizeof text);
  assert_non_null(strstr(text, "suzuki4: Psi_h = phi_{c_5 h} o ... o phi_{c_1 h}, c_1 = "
                               "0.414490771794, c_2 = 0.414490771794, c_3 = -0.657963087178,"));
  assert_true(strlen(rattle_method_formula(method, text, 5)) < 5);
  rattle_method_destroy(&method);
}

/* The option is that of the outermost map, and other words are not taken for it. */
static void compensating(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"verlet", "verlet(compensated)"},
      {"rattle( verlet )", "rattle(verlet, compensated)"},
      {"rattle(verlet,compensated)", "rattle(verlet, compensated)"},
      {"rattle(verlet, quad)", "rattle(verlet, quad)"},
      {"splitting(quadrature)", "splitting(quadrature, compensated)"},
      {"splitting(compensated_sums)", "splitting(compensated_sums, compensated)"},
      {"adaptive(verlet, quads)", "adaptive(verlet, quads, compensated)"},
      {"shake(verlet, tol=.1)", "shake(verlet, tol=0.1, compensated)"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    rattle_method *method = NULL;
    assert_int_equal(rattle_method_parse(&method, pairs[i][0], NULL), RATTLE_OK);
    rattle_method_compensate(method);
    rattle_method_compensate(method);
    assert_string_equal(rattle_method_text(method), pairs[i][1]);
    if (!strstr(pairs[i][1], "quad)")) assert_int_equal(rattle_method_claims(method).pure, 0);
    rattle_method_destroy(&method);
  }
}

/* --- claims --- */

typedef struct promise {
  const char *expression;
  rattle_claims
      claims; /* order, symmetric, symplectic, explicit, keeps g, keeps psi, pure, stages, keeps
                 energy, proved */
} promise;

static void claims_follow_the_rules(void **state) {
  (void)state;
  static const promise promises[] = {
      {"symplectic_euler", {1, 0, 1, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"verlet(b)", {2, 1, 1, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"midpoint", {2, 1, 1, 0, 0, 0, 1, 1, 0, 0, {0}}},
      {"gauss(8)", {16, 1, 1, 0, 0, 0, 1, 1, 0, 0, {0}}},
      {"exact", {RATTLE_ORDER_EXACT, 1, 1, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"dop853", {8, 0, 0, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"shake(verlet)", {1, 0, 0, 1, 1, 0, 1, 1, 0, 1, {0}}},
      {"shake(gauss(3))", {1, 0, 0, 0, 1, 0, 1, 1, 0, 1, {0}}},
      {"rattle(symplectic_euler)", {1, 0, 1, 1, 1, 1, 1, 1, 0, 1, {0}}},
      {"rattle(verlet)", {2, 1, 1, 1, 1, 1, 1, 1, 0, 1, {0}}},
      {"rattle(euler)", {1, 0, 0, 1, 1, 1, 1, 1, 0, 1, {0}}},
      {"rattle(explicit_midpoint)", {2, 0, 0, 1, 1, 1, 1, 1, 0, 1, {0}}},
      {"second_class(rk4)", {2, 0, 0, 0, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(rk4, symmetric)", {2, 0, 0, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(symplectic_euler, symmetric)", {1, 0, 0, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"rattle(gauss(3))", {2, 1, 1, 0, 1, 1, 1, 1, 0, 1, {0}}},
      {"rattle(exact)", {2, 1, 1, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"rattle(verlet, project=output)", {2, 1, 1, 1, 1, 0, 1, 1, 0, 0, {0}}},
      {"rattle(suzuki4(verlet))", {2, 1, 1, 1, 1, 1, 1, 5, 0, 0, {0}}},
      {"suzuki4(rattle(verlet))", {4, 1, 1, 1, 1, 1, 1, 5, 0, 1, {0}}},
      {"kahan_li10(rattle(midpoint))", {10, 1, 1, 0, 1, 1, 1, 33, 0, 1, {0}}},
      {"suzuki4(gauss(3))", {6, 1, 1, 0, 0, 0, 1, 5, 0, 0, {0}}},
      {"kahan_li8(suzuki4(verlet))", {8, 1, 1, 1, 0, 0, 1, 85, 0, 0, {0}}},
      {"triple_jump(rattle(verlet), 8)", {8, 1, 1, 1, 1, 1, 1, 27, 0, 1, {0}}},
      {"triple_jump(suzuki4(verlet), 6)", {6, 1, 1, 1, 0, 0, 1, 15, 0, 0, {0}}},
      {"suzuki4(rattle(verlet, project=output))", {4, 1, 1, 1, 1, 0, 1, 5, 0, 0, {0}}},
      {"suzuki4(rattle(verlet, tol=1e-9))", {4, 0, 0, 1, 0, 0, 1, 5, 0, 1, {0}}},
      {"spark(2)", {2, 1, 1, 0, 1, 1, 1, 1, 0, 1, {0}}},
      {"spark(5)", {8, 1, 1, 0, 1, 1, 1, 1, 0, 1, {0}}},
      {"discrete_gradient", {2, 1, 0, 0, 1, 1, 1, 1, 1, 0, {0}}},
      {"suzuki4(discrete_gradient)", {4, 1, 0, 0, 1, 1, 1, 5, 1, 0, {0}}},
      {"rattle_monolithic", {2, 1, 1, 0, 1, 1, 1, 1, 0, 0, {0}}},
      {"rattle_monolithic(tol=1e-6)", {2, 0, 0, 0, 1, 1, 1, 1, 0, 0, {0}}},
      {"spark_gauss(1)", {2, 1, 1, 0, 1, 1, 1, 1, 0, 1, {0}}},
      {"spark_gauss(7)", {14, 1, 1, 0, 1, 1, 1, 1, 0, 1, {0}}},
      {"suzuki4(spark(3))", {4, 1, 1, 0, 1, 1, 1, 5, 0, 1, {0}}},
      {"kahan_li6(spark(3))", {6, 1, 1, 0, 1, 1, 1, 9, 0, 1, {0}}},
      {"rattle(verlet, solver=dense)", {2, 1, 1, 1, 1, 1, 1, 1, 0, 1, {0}}},
      {"rattle(verlet, compensated)", {2, 1, 1, 1, 1, 1, 0, 1, 0, 0, {0}}},
      {"rattle(verlet, quad)", {2, 1, 1, 1, 1, 1, 0, 1, 0, 0, {0}}},
      {"project(rk4(dirac))", {4, 0, 0, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(rk4(dirac), position)", {4, 0, 0, 1, 1, 0, 1, 1, 0, 0, {0}}},
      {"project(rk4(impetus), momentum)", {4, 0, 0, 1, 0, 1, 1, 1, 0, 0, {0}}},
      {"project(gauss(2, total), both)", {4, 0, 0, 0, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(midpoint(dirac), symmetric)", {2, 1, 0, 0, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(rk4(dirac), symmetric)", {4, 0, 0, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"suzuki4(project(midpoint(dirac), symmetric))", {4, 1, 0, 0, 1, 1, 1, 5, 0, 0, {0}}},
      {"project(suzuki4(midpoint(dirac)), momentum)", {4, 0, 0, 0, 0, 1, 1, 5, 0, 0, {0}}},
      {"project(rk4(dirac), both, tol=1e-6)", {4, 0, 0, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"project(rk4(dirac), both, every=3)", {4, 0, 0, 1, 0, 0, 0, 1, 0, 0, {0}}},
      {"project(rk4(dirac), both, every=1)", {4, 0, 0, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(rk4(dirac), project=output)", {4, 0, 0, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"project(verlet)", {1, 0, 0, 1, 1, 1, 1, 1, 0, 0, {0}}},
      {"project(gauss(3), symmetric)", {2, 1, 0, 0, 1, 1, 1, 1, 0, 0, {0}}},

  };
  for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
    rattle_method *method = parse(promises[i].expression);
    const rattle_claims claims = rattle_method_claims(method), *wanted = &promises[i].claims;
    if (memcmp(&claims, wanted, sizeof claims))
      fail_msg("%s: order %d symmetric %d symplectic %d explicit %d g %d psi %d pure %d stages %d",
               promises[i].expression, claims.order, claims.symmetric, claims.symplectic,
               claims.explicit_, claims.keeps_g, claims.keeps_psi, claims.pure, claims.stages);
    rattle_method_destroy(&method);
  }
}

/* --- what is refused --- */

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *expression;
    int character; /* counted from 1 */
    const char *words;
  } cases[] = {
      {"", 1, "empty"},
      {" \t", 1, "empty"},
      {"ratle(verlet)", 1, "did you mean 'rattle'?"},
      {"suzuki4(ratle(verlet))", 9, "did you mean 'rattle'?"},
      {"Verlet", 1, "did you mean 'verlet'?"},
      {"kahan(verlet)", 1, "did you mean 'kahan_li6'?"},
      {"sofroniou(verlet)", 1, "did you mean 'sofroniou_spaletta8'?"},
      {"xyzzy", 1, "unknown method 'xyzzy'"},
      {"rattle", 1, "rattle needs a map"},
      {"rattle()", 1, "rattle needs a map"},
      {"suzuki4", 1, "suzuki4(rattle(verlet))"},
      {"gauss", 1, "gauss needs s"},
      {"gauss(0)", 7, "1 .. 8, found 0"},
      {"gauss(9)", 7, "1 .. 8, found 9"},
      {"gauss(2.5)", 7, "whole number"},
      {"gauss(0x2)", 7, "whole number"},
      {"gauss(inf)", 7, "whole number"},
      {"gauss(-)", 7, "whole number"},
      {"spark(1)", 7, "2 .. 5, found 1"},
      {"spark(6)", 7, "2 .. 5, found 6"},
      {"spark_gauss(9)", 13, "1 .. 8, found 9"},
      {"suzuki4(rattle_monolithic(tol=1e-6))", 9, "rattle_monolithic(tol=1e-6) is not symmetric"},
      {"rattle(spark(3))", 8, "satisfies them already"},
      {"gauss(verlet)", 7, "found 'verlet'"},
      {"verlet(c)", 8, "a|b, found 'c'"},
      {"verlet(a, b)", 11, "unknown field 'b'; there are hamiltonian"},
      {"verlet(a, dirac, b)", 18, "unexpected 'b'"},
      {"rk4(dirak)", 5, "did you mean 'dirac'"},
      {"rk4(verlet)", 5, "expected a field"},
      {"rattle(rk4(dirac))", 8, "omit one of them"},
      {"rattle(leapfrog)", 8, "leapfrog uses past points"},
      {"suzuki4(stormer)", 9, "stormer uses past points"},
      {"project(leapfrog)", 9, "leapfrog uses past points"},
      {"shake(shake_two_step)", 7, "satisfies them already"},
      {"rattle(dopri5(tol=1e-3))", 8, "omit its tol="},
      {"rattle(adams_moulton(2))", 8, "adams_moulton uses past points"},
      {"project(adams_bashforth(2, dirac), symmetric)", 9, "adams_bashforth uses past points"},
      {"project(adams_bashforth(2, impetus))", 9, "resets the impetuses"},
      {"taylor(21)", 8, "1 .. 20, found 21"},
      {"dirac", 1, "is a field, not a method"},
      {"rk4(baumgarte)", 5, "needs rate"},
      {"midpoint(3)", 10, "expected a field such as dirac"},
      {"rattle(3)", 8, "found '3'"},
      {"rattle(verlet", 14, "expected ',' or ')', found the end"},
      {"rattle(verlet,", 15, "found the end"},
      {"rattle(verlet))", 15, "expected the end of the expression, found ')'"},
      {"rattle(verlet; b)", 14, "found ';'"},
      {"rattle(,verlet)", 8, "found ','"},
      {"rattle verlet", 1, "rattle needs a map"},
      {"verlet midpoint", 8, "found 'midpoint'"},
      {"rattle(verlet\x01)", 14, "the byte 0x01"},
      {"rattle(verlet, foo=3)", 16, "no option 'foo'"},
      {"suzuki4(verlet, solver=newton)", 17, "no option 'solver'"},
      {"rattle(verlet, project=never)", 24, "step|output, found 'never'"},
      {"rattle(verlet, tol=1e-6, tol=1e-7)", 26, "twice"},
      {"rattle(verlet, map=midpoint)", 16, "twice"},
      {"rattle(verlet, tol=0)", 20, "1e-16 .. 0.1"},
      {"rattle(verlet, tol=nan)", 20, "must be a number"},
      {"rattle(verlet, tol=1e)", 20, "must be a number"},
      {"rattle(verlet, tol=-1e-3)", 20, "1e-16 .. 0.1"},
      {"rattle(verlet, solver=lincs)", 23,
       "there are auto, newton, quasi_newton, sweep, andersen, sparse, dense"},
      {"rattle(verlet, solver=newtn)", 23, "did you mean 'newton'?"},
      {"rattle(verlet, solver=verlet)", 23, "unknown solver 'verlet'"},
      {"rattle(verlet, solver=)", 23, "name of a solver"},
      {"newton", 1, "solver=newton"},
      {"rattle(newton)", 8, "solver=newton"},
      {"rattle(rattle(verlet))", 8, "satisfies them already"},
      {"shake(rattle(verlet))", 7, "satisfies them already"},
      {"rattle(suzuki4(rattle(verlet)))", 8, "satisfies them already"},
      {"suzuki4(shake(verlet))", 9, "compose rattle of a symmetric map"},
      {"suzuki4(symplectic_euler)", 9, "not symmetric"},
      {"suzuki4(rattle(symplectic_euler))", 9, "not symmetric"},
      {"triple_jump(verlet, 5)", 21, "even and greater than 2"},
      {"triple_jump(gauss(3), 6)", 23, "even and greater than 6"},
      {"triple_jump(verlet, 18)", 21, "4 .. 16"},
      {"triple_jump(verlet)", 1, "needs order"},
      {"kahan_li10(kahan_li10(kahan_li10(kahan_li10(verlet))))", 12, "stages"},
      {"rattle(verlet, compensated=2)", 28, "0 or 1"},
      {"rattle(verlet, quad=2)", 21, "0 or 1"},
      {"project", 1, "project needs a map"},
      {"project(dirac)", 9, "use it in a base map"},
      {"baumgarte(2)", 1, "as in rk4(baumgarte(2))"},
      {"rattle(verlet, compensated, compensated)", 29, "given twice"},
      {"dopri5(tol=1e-30)", 12, "found 1e-30"},
      {"project(rk4(dirac), momenta)", 21, "position|momentum|both|symmetric, found 'momenta'"},
      {"project(rk4(dirac), both, every=0)", 33, "1 .. 1e+09"},
      {"project(rattle(verlet))", 9, "satisfies them already"},
      {"project(project(rk4(dirac), position), momentum)", 9, "satisfies them already"},
      {"shake(project(verlet))", 7, "satisfies them already"},
      {"rattle(project(rk4(dirac)))", 8, "omit one of them"},
      {"project(verlet, position)", 17, "projects positions alone"},
      {"project(verlet, both, project=output)", 31, "projects output only"},
      {"project(rk4(dirac), every=2, project=output)", 27, "omit one of them"},
      {"project(rk4(dirac), symmetric, every=2)", 38, "omit every="},
      {"project(rk4(dirac), symmetric, tol=1e-3)", 36, "omit tol="},
      {"project(rk4(dirac), symmetric, project=output)", 40, "omit project=output"},
      {"suzuki4(project(midpoint(dirac)))", 9, "compose project(..., symmetric)"},
      {"suzuki4(rattle(verlet, compensated))", 24, "outermost"},
      {"suzuki4(rattle(verlet, quad))", 24, "outermost"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rattle_method *method;
    rattle_error error;
    const rattle_status status = rattle_method_parse(&method, cases[i].expression, &error);
    if (status != RATTLE_BAD_METHOD) fail_msg("'%s' gave status %d", cases[i].expression, status);
    assert_null(method);
    int character = 0;
    assert_int_equal(sscanf(error.where, "character %d", &character), 1);
    if (character != cases[i].character || !strstr(error.message, cases[i].words))
      fail_msg("'%s': %s: %s", cases[i].expression, error.where, error.message);
    /* without an error to fill the status is the same */
    assert_int_equal(rattle_method_parse(&method, cases[i].expression, NULL), RATTLE_BAD_METHOD);
  }
}

static void caret_is_below_the_character(void **state) {
  (void)state;
  rattle_method *method;
  rattle_error error;
  assert_int_equal(rattle_method_parse(&method, "suzuki4(ratle(verlet))", &error),
                   RATTLE_BAD_METHOD);
  assert_string_equal(
      error.message,
      "method expression, character 9: unknown method 'ratle'; did you mean 'rattle'?\n"
      "    suzuki4(ratle(verlet))\n"
      "            ^");
  /* far to the right: a window of the text */
  char text[400];
  memset(text, ' ', sizeof text);
  memcpy(text + 300, "rattle(oops)", 13);
  assert_int_equal(rattle_method_parse(&method, text, &error), RATTLE_BAD_METHOD);
  const char *line = strchr(error.message, '\n') + 1, *caret = strchr(line, '\n') + 1;
  assert_string_equal(error.where, "character 308");
  assert_int_equal(line[strlen(caret) - 1], 'o');
  assert_true(strlen(caret) < 80);
}

static void too_long_and_too_deep(void **state) {
  (void)state;
  rattle_method *method;
  rattle_error error;
  static char text[6000];
  memset(text, ' ', 5000);
  memcpy(text, "verlet", 6);
  assert_int_equal(rattle_method_parse(&method, text, &error), RATTLE_BAD_METHOD);
  assert_non_null(strstr(error.message, "longer than 4096"));
  text[4096] = 0;
  method = parse(text);
  assert_string_equal(rattle_method_text(method), "verlet");
  rattle_method_destroy(&method);
  text[0] = 0;
  for (int i = 0; i < 300; i++) strcat(text, "yoshida4(");
  assert_int_equal(rattle_method_parse(&method, text, &error), RATTLE_BAD_METHOD);
  assert_non_null(strstr(error.message, "more than 16"));
  assert_int_equal(rattle_method_parse(&method, NULL, &error), RATTLE_BAD_ARGUMENT);
}

/* --- explanations --- */

static void explanations(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"suzuki4(rattle(verlet))", "order 4, from 5 applications of a symmetric map of order 2"},
      {"suzuki4(rattle(verlet))",
       "5 solves for the multipliers of g = 0 and 5 for those of psi = 0"},
      {"rattle(suzuki4(verlet))", "order 2, for any order of the map inside"},
      {"rattle(suzuki4(verlet))", "5 applications of verlet; 1 solve for"},
      {"suzuki4(gauss(4))", "at 5 times the cost"},
      {"rattle(symplectic_euler)", "order 1, that of the map inside"},
      {"rattle(explicit_midpoint)", "order 2, that of the map inside"},
      {"rattle(rk4)", "order 2, for any order of the map inside"},
      {"spark(3)", "spark(3): order 4."},
      {"discrete_gradient", "symmetric, g = 0 to round-off, psi = 0 to round-off, H conserved to "
                            "round-off, a step is a function"},
      {"spark(3)", "1 application of spark, each a system of nonlinear equations for the motion "
                   "and its multipliers together."},
      {"spark(3)", "g(q) (for spark), regular constraints in involution"},
      {"kahan_li6(spark(3))", "order 6, from 9 applications of a symmetric map of order 4"},
      {"exact", "exact"},
      {"rattle(exact)", "flow (for exact)"},
      {"rattle(verlet, solver=andersen)", "natural distance (for andersen)"},
      {"rattle(verlet, project=output)", "for each output"},
      {"rattle(verlet, tol=1e-5)", "to a tolerance of 1e-5"},
      {"project(rk4(dirac))", "order 4, that of the map inside: dirac includes the constraints"},
      {"project(verlet)", "order 1, because the map inside does not include the constraint forces"},
      {"project(gauss(3), symmetric)", "order 2, that of a symmetric projection of the exact flow, "
                                       "for any order of the map inside"},
      {"project(rk4(dirac), both, tol=1e-6)",
       "after each step no |g_i| and no |psi_i| exceeds 1e-6"},
      {"project(rk4(dirac), momentum, every=5)", "projects momenta every 5 steps"},
      {"project(rk4(dirac), position, project=output)", "projects positions for output"},
      {"suzuki4(project(midpoint(dirac), symmetric))", "until the multipliers converge"},
      {"suzuki4(project(midpoint(dirac), symmetric))",
       "regular constraints (for project), expressions (for dirac)"},
      {"kahan_li8(rattle(midpoint))", "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[8192];
    rattle_method *method = parse(cases[i][0]);
    assert_ptr_equal(rattle_method_explain(method, text, sizeof text), text);
    if (!strstr(text, cases[i][1])) fail_msg("not found: %s\n%s", cases[i][1], text);
    rattle_method_destroy(&method);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_complete),
      cmocka_unit_test(parameters_are_listed),
      cmocka_unit_test(canonical_text),
      cmocka_unit_test(tree_has_defaults_filled),
      cmocka_unit_test(locale_does_not_matter),
      cmocka_unit_test(formulas),
      cmocka_unit_test(compensating),
      cmocka_unit_test(claims_follow_the_rules),
      cmocka_unit_test(refusals),
      cmocka_unit_test(caret_is_below_the_character),
      cmocka_unit_test(too_long_and_too_deep),
      cmocka_unit_test(explanations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
