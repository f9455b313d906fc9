#ifndef CITATION_H
#define CITATION_H
/* The rows that a method expression names, and their literature: the citations of the table,
 * which are texts for people, in parts, and as BibTeX. */
#include <stdio.h>

#include "rattle/method.h"

/* The rows that an expression names, once each, from the outside in; plug-ins have rows too. The
 * expression is canonical (rattle_method_text). *at: the expression at first. NULL: no more. */
const rattle_method_row *text_next_row(const char *expression, const char **at);
/* NULL: there is none. */
const rattle_method_row *text_find_row(const char *name, size_t length);

typedef struct text_part {
  const char *at; /* in the citation */
  int length;     /* 0: it has none */
} text_part;
typedef enum text_kind { TEXT_ARTICLE, TEXT_BOOK, TEXT_PREPRINT, TEXT_OTHER } text_kind;
/* AUTHORS, JOURNAL VOLUME (YEAR) PAGE; AUTHORS, TITLE (YEAR); AUTHORS, arXiv:NUMBER; or any other
 * text, which is all `title`. An author begins with an initial. DETAIL comes after a comma, or in
 * brackets: a section of a book, or what in the paper it is. */
typedef struct text_reference {
  text_kind kind;
  text_part authors, title, volume, year, page, detail; /* title: also of a journal */
} text_reference;
/* The references of a citation, one after the other: *at is the citation at first, and is moved.
 * 0: no more. */
int text_next_reference(const char **at, text_reference *reference);
/* 1: they differ in detail at most. */
int text_same_work(const text_reference *a, const text_reference *b);
/* The name of the first author in small letters and the year, "andersen1983"; size: 16 or more. */
void text_key(const text_reference *reference, char *key, size_t size);
/* An entry; the letter goes after the key, where two works have the same; 0: none. */
void text_put_bibtex(FILE *out, const text_reference *reference, char letter);
#endif
