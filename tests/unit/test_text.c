/* Texts of models and records on their way to a terminal, a shell, C, HTML, gnuplot and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words/json.h"
#include "figures/plot/plot.h"
#include "words/page.h"
#include "words/text.h"

typedef void (*sink)(FILE *out, const char *text);

static void expect(sink put, const char *text, const char *want) {
  char *got = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&got, &size);
  put(out, text);
  fclose(out);
  assert_string_equal(got, want);
  free(got);
}

static void put_json(FILE *out, const char *text) {
  json_text(&(json_writer){.out = out}, NULL, text);
}

static void put_page(FILE *out, const char *text) {
  json_text(&(json_writer){.out = out, .page = 1}, NULL, text);
}

/* ESC, BEL, DEL, C1, a direction, a line separator, a byte order mark, a tag, a broken sequence */
#define HOSTILE "a\033[2J\a\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xf3\xa0\x80\x81\xff"
#define NUMBERS "a\\u001b[2J\\u0007\\u007f\\u009b\\u202e\\u2028\\ufeff\\ue0001\\ufffd"

static void no_sink_obeys(void **state) {
  (void)state;
  expect(text_put_terminal, HOSTILE "\n\tθ 🡒", NUMBERS "\n\tθ 🡒");
  expect(text_put_line, HOSTILE "\n", NUMBERS "\\u000a");
  expect(text_put_html, HOSTILE "<b a='\">&", NUMBERS "&lt;b a=&#39;&quot;&gt;&amp;");
  expect(text_put_comment, HOSTILE, NUMBERS);
  expect(text_put_gnuplot, HOSTILE "'\n`", "'" NUMBERS "'' `'");
  expect(put_json, "\033\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81\xff\n\"",
         "\"\\u001b\\u009b\\u202e\\udb40\\udc01\\ufffd\\n\\\"\"");
  expect(put_page, "\033\xe2\x80\xae\n<", "\"\\u005cu001b\\u005cu202e\\u000a\\u003c\"");
}

/* A comment stays one, on one line, whatever splices lines and whatever a trigraph becomes. */
static void comments(void **state) {
  (void)state;
  expect(text_put_comment, "*\\\n/ int x;", "*\\u005c\\u000a/ int x;");
  expect(text_put_comment, "*\?\?/\n/ x", "*? ?/\\u000a/ x");
  expect(text_put_comment, "*/ **/ /* /*/ /**/", "* / ** / / * / * / / ** /");
  expect(text_put_comment, "a\\", "a\\u005c");
}

static void c_strings(void **state) {
  (void)state;
  expect(text_put_c_string, "a\"b\\\n\?\?/θ\0331\xff",
         "\"a\\\"b\\\\\\\\u000a\\?\\?/θ\\\\u001b1\\\\ufffd\"");
}

static void shell_words(void **state) {
  (void)state;
  expect(text_put_shell, "runs/a-1.h5", "runs/a-1.h5");
  expect(text_put_shell, "", "''");
  expect(text_put_shell, "-rf", "'-rf'");
  expect(text_put_shell, "a b;$(rm)'\033", "'a b;$(rm)'\\''\\u001b'");
}

static void put_40(FILE *out, const char *text) {
  page_put(out, text, 40);
}

/* A page on a terminal of 40 columns: marks of Markdown go, formulas and code stay, lines are
 * filled. */
static void pages(void **state) {
  (void)state;
  expect(put_40,
         "# *A* `x*y*z` page\n<!-- not\nthis -->\n\nSee [the\nother](b.md#c), 2*x*y and [1, 2].\n",
         "A `x*y*z` page\n==============\n\nSee the other, 2*x*y and [1, 2].\n");
  expect(put_40, "* one two three four five six seven eight\n  nine\n* **ten** \\|q\\|\n",
         "* one two three four five six seven\n  eight nine\n* ten |q|\n");
  expect(put_40, "text\n\n    f(x)\n\n      g\n\n```lua\nlocal *x*\n```\n",
         "text\n\n    f(x)\n\n      g\n\n    local *x*\n");
  expect(put_40, "| a | b |\n|---|---|\n| `c\\|d` | θ |\n", "  a      b\n  -----  -\n  `c|d`  θ\n");
  expect(put_40, "| a | b |\n|---|---|\n| c | one two three four five six seven eight |\n",
         "  a  b\n  -  -----------------------------------\n  c  one two three four five six "
         "seven\n     eight\n");
  expect(put_40,
         "| a | b | c |\n|---|---|---|\n| name | one two three four five | six seven eight nine "
         "ten |\n",
         "name\n    b: one two three four five; c: six\n    seven eight nine ten\n");
  expect(put_40, "| a |\n|---|\n| b", "  a\n  -\n  b\n");
  expect(put_40, "", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_sink_obeys), cmocka_unit_test(comments),
                                     cmocka_unit_test(c_strings), cmocka_unit_test(shell_words),
                                     cmocka_unit_test(pages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
