/* The citations of the table of methods in their parts, and as BibTeX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words/citation.h"

static void append(char *to, const char *text, size_t length) {
  size_t at = strlen(to);
  for (size_t i = 0; i < length; i++)
    if (isalnum((unsigned char)text[i])) to[at++] = text[i];
  to[at] = 0;
}

static void append_part(char *to, text_part of) {
  append(to, of.at ? of.at : "", (size_t)of.length);
}

/* What is in the citation is in the parts, in its order: nothing is lost, nothing there twice. */
static void nothing_is_lost(void **unused) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows; i++) {
    char parts[2000] = "", whole[2000] = "";
    text_reference of;
    append(whole, row[i].citation, strlen(row[i].citation));
    for (const char *at = row[i].citation; text_next_reference(&at, &of);) {
      append_part(parts, of.authors);
      if (of.kind == TEXT_PREPRINT) append(parts, "arXiv", 5);
      append_part(parts, of.title), append_part(parts, of.volume), append_part(parts, of.year);
      append_part(parts, of.page), append_part(parts, of.detail);
    }
    assert_string_equal(parts, whole);
  }
  (void)unused;
}

/* The table keeps to the form that is read: a program without a paper is the one exception. */
static void all_references_are_read(void **unused) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  int articles = 0;
  for (int i = 0; i < rows; i++) {
    text_reference of;
    for (const char *at = row[i].citation; text_next_reference(&at, &of);) {
      if (!of.authors.length) {
        assert_string_equal(row[i].name, "rattle_monolithic");
        continue;
      }
      char key[64];
      text_key(&of, key, sizeof key);
      const size_t name = strcspn(key, "0123456789");
      assert_true(name > 1 && strlen(key) == name + 4);
      const int year = atoi(key + name);
      assert_in_range(year, 1700, 2026);
      assert_true(of.title.length > 2);
      assert_null(memchr(of.title.at, '(', (size_t)of.title.length));
      if (of.kind == TEXT_ARTICLE) assert_true(of.volume.length && of.page.length), articles++;
    }
  }
  assert_true(articles > 50);
  (void)unused;
}

static void expect(const char *citation, const char *want) {
  char *got = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&got, &size);
  text_reference of;
  const char *at = citation;
  assert_true(text_next_reference(&at, &of));
  text_put_bibtex(out, &of, 0);
  fclose(out);
  assert_string_equal(got, want);
  free(got);
}

static void entries(void **unused) {
  expect("T. A. Davis, E. Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36 (KLU)",
         "@article{davis2010,\n  author  = {Davis, T. A. and Palamadai Natarajan, E.},\n"
         "  journal = {ACM Trans. Math. Softw.},\n  volume  = {37},\n  year    = {2010},\n"
         "  pages   = {36}\n}\n");
  expect("W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089",
         "@article{kahan1997,\n  author  = {Kahan, W. and Li, R.-C.},\n"
         "  journal = {Math. Comp.},\n  volume  = {66},\n  year    = {1997},\n"
         "  pages   = {1089}\n}\n");
  expect("E. Anderson et al., LAPACK Users' Guide (1999)",
         "@book{anderson1999,\n  author  = {Anderson, E. and others},\n"
         "  title   = {LAPACK Users' Guide},\n  year    = {1999}\n}\n");
  expect("R. de Vogelaere, report 4, University of Notre Dame (1956)",
         "@misc{devogelaere1956,\n  author  = {de Vogelaere, R.},\n"
         "  howpublished = {report 4, University of Notre Dame},\n  year    = {1956}\n}\n");
  expect("M. Betancourt, arXiv:1701.02434, A.3",
         "@misc{betancourt2017,\n  author  = {Betancourt, M.},\n  archiveprefix = {arXiv},\n"
         "  eprint  = {1701.02434}\n}\n");
  (void)unused;
}

/* Plug-ins have citations of strangers: TeX shows them, nothing ends the field. */
static void hostile(void **unused) {
  expect("M. E, }\n@book{x, 50% \\input #1 (1990)",
         "@misc{e1990,\n  author  = {E, M.},\n  howpublished = {\\char125 @book\\char123 x, 50\\% "
         "\\char92 input \\#1},\n  year    = {1990}\n}\n");
  expect("(", "@misc{work,\n  howpublished = {(}\n}\n");
  text_reference of;
  const char *at = " ; ;";
  assert_false(text_next_reference(&at, &of));
  (void)unused;
}

/* A row comes once; names within names are others. */
static void rows_of_an_expression(void **unused) {
  const char *text = "project(rattle(splitting(a,verlet)),symmetric)", *at = text;
  const char *const want[] = {"project", "rattle", "splitting", "verlet"};
  int count = 0;
  for (const rattle_method_row *row; (row = text_next_row(text, &at)); count++)
    assert_string_equal(row->name, want[count]);
  assert_int_equal(count, 4);
  at = text = "rattle(verlet) verlet rattle";
  for (count = 0; text_next_row(text, &at);) count++;
  assert_int_equal(count, 2);
  (void)unused;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost),
                                     cmocka_unit_test(all_references_are_read),
                                     cmocka_unit_test(entries), cmocka_unit_test(hostile),
                                     cmocka_unit_test(rows_of_an_expression)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
