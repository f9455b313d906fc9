/* Expressions as text, numbers, and why they are not finite. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ground/expr/elements.h"
#include "short_graph.h"

static void text_has_no_needless_parentheses(void **state) {
  (void)state;
  rattle_expr sum = ADD(x, y), c = num(2);
  assert_text(SUB(ADD(x, y), z), "x + y - z");
  assert_text(SUB(x, ADD(y, z)), "x - (y + z)");
  assert_text(ADD(x, ADD(y, z)), "x + (y + z)");
  assert_text(DIV(MUL(sum, z), c), "(x + y)*z/2");
  assert_text(DIV(x, MUL(y, z)), "x/(y*z)");
  assert_text(DIV(x, SUB(y, num(1))), "x/(y - 1)");
  assert_text(POW(sum, c), "(x + y)^2");
  assert_text(POW(x, NEG(y)), "x^(-y)");
  assert_text(POW(x, num(-3)), "x^-3");
  assert_text(POW(POW(x, y), z), "(x^y)^z");
  assert_text(POW(x, POW(y, z)), "x^y^z");
  assert_text(POW(c, x), "2^x");
  assert_text(POW(num(-2), x), "(-2)^x");
  assert_text(NEG(POW(x, c)), "-x^2");
  assert_text(NEG(sum), "-(x + y)");
  assert_text(ADD(NEG(x), y), "-x + y");
  assert_text(MUL(y, NEG(x)), "-y*x");
  assert_text(ADD(x, MUL(num(-2), y)), "x - 2*y");
  assert_text(SUB(x, MUL(num(-2), y)), "x + 2*y");
  assert_text(ADD(x, num(-2)), "x - 2");
  assert_text(MUL(x, num(-2)), "x*(-2)");
  assert_text(bin(RATTLE_OP_ATAN2, sum, SQRT(x)), "atan2(x + y, sqrt(x))");
  assert_text(un(RATTLE_OP_COSH, MUL(x, y)), "cosh(x*y)");
}

static void text_is_cut_where_too_long(void **state) {
  (void)state;
  char buffer[16];
  memset(buffer, '#', sizeof buffer);
  rattle_expr e = ADD(x, ADD(y, z));
  const char *wanted[] = {"", ".", "..", "...", "x...", "x ...", "x +..."};
  for (size_t size = 1; size <= 7; size++)
    assert_string_equal(rattle_expr_print(g, e, letter, letters, buffer, size), wanted[size - 1]);
  assert_string_equal(rattle_expr_print(g, e, letter, letters, buffer, 11), "x + (y ...");
  assert_string_equal(rattle_expr_print(g, e, letter, letters, buffer, 12), "x + (y + z)");
  assert_true(buffer[15] == '#');
  assert_string_equal(
      rattle_expr_print(g, ADD(x, rattle_expr_variable(g, 12)), NULL, NULL, buffer, 16),
      "x[0] + x[12]");

  /* text of a product that doubles at each of 60 levels */
  for (int i = 0; i < 60; i++) e = MUL(ADD(e, x), ADD(e, y));
  rattle_expr_print(g, e, letter, letters, buffer, sizeof buffer);
  assert_int_equal(strlen(buffer), 15);
}

static void numbers_are_short_and_exact(void **state) {
  (void)state;
  char text[RATTLE__NUMBER];
  assert_string_equal(rattle__print_number(0.1, text), "0.1");
  assert_string_equal(rattle__print_number(1e300, text), "1e+300");
  assert_string_equal(rattle__print_number(-2000, text), "-2000");
  assert_string_equal(rattle__print_number(5e-324, text), "5e-324");
  assert_string_equal(rattle__print_number(0.1 + 0.2, text), "0.30000000000000004");
  assert_string_equal(rattle__print_number((double)-INFINITY, text), "-inf");
  for (double v = 1.0 / 3; v < 1e12; v *= -3.7)
    assert_true(strtod(rattle__print_number(v, text), NULL) == v);
}

static void faults_are_named(void **state) {
  (void)state;
  const double at[] = {2, 1, 0};
  const double wild[] = {(double)NAN, 1, 0};
  char text[256];
  const struct {
    rattle_expr e;
    const char *text;
  } fault[] = {
      {SQRT(SUB(num(1), MUL(x, x))), "sqrt of -3 in sqrt(1 - x^2) where x = 2"},
      {DIV(x, SUB(y, num(1))), "division by 0 in x/(y - 1) where x = 2, y = 1"},
      {ADD(y, DIV(num(1), num(0))), "division by 0 in 1/0"},
      {un(RATTLE_OP_LOG, z), "log of 0 in log(z) where z = 0"},
      {un(RATTLE_OP_EXP, un(RATTLE_OP_ASIN, x)), "asin of 2 in asin(x) where x = 2"},
      {un(RATTLE_OP_ACOS, NEG(x)), "acos of -2 in acos(-x) where x = 2"},
      {POW(z, num(-1)), "0 to the power -1 in z^-1 where z = 0"},
      {POW(NEG(x), num(1.5)), "-2 to the power 1.5 in (-x)^1.5 where x = 2"},
      {POW(x, num(2000)), "overflow of 2^2000 in x^2000 where x = 2"},
      {un(RATTLE_OP_EXP, MUL(x, num(500))), "overflow of exp(1000) in exp(x*500) where x = 2"},
      {MUL(MUL(num(1e308), x), y), "overflow of 1e+308 * 2 in 1e+308*x where x = 2"},
      {un(RATTLE_OP_SIN, ADD(un(RATTLE_OP_ATAN, DIV(y, z)), un(RATTLE_OP_LOG, NEG(y)))),
       "log of -1 in log(-y) where y = 1"},
  };
  for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
    assert_int_equal(rattle__domain_fault(g, fault[i].e, at, (rattle__naming){letter, letters},
                                          text, sizeof text),
                     1);
    assert_string_equal(text, fault[i].text);
  }
  assert_int_equal(rattle__domain_fault(g, ADD(y, SQRT(x)), wild, (rattle__naming){letter, letters},
                                        text, sizeof text),
                   1);
  assert_string_equal(text, "x is nan");

  /* finite at this point, though a part is not; and a buffer too small is not overrun */
  assert_int_equal(
      rattle__domain_fault(g, SQRT(x), at, (rattle__naming){letter, letters}, text, sizeof text),
      0);
  assert_int_equal(rattle__domain_fault(g, un(RATTLE_OP_ATAN, DIV(y, z)), at,
                                        (rattle__naming){letter, letters}, text, sizeof text),
                   0);
  text[8] = '#';
  assert_int_equal(
      rattle__domain_fault(g, fault[0].e, at, (rattle__naming){letter, letters}, text, 8), 1);
  assert_string_equal(text, "sqrt of");
  assert_true(text[8] == '#');
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(text_has_no_needless_parentheses),
      TEST(text_is_cut_where_too_long),
      TEST(numbers_are_short_and_exact),
      TEST(faults_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
