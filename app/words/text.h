#ifndef TEXT_H
#define TEXT_H
/* Text that a model or a record brought along, on its way to a reader: a function for each place
 * where it can arrive.
 *
 * Characters that a reader obeys instead of showing them are shown as \u1b2c wherever it goes:
 * control characters (C0, DEL, C1), marks of direction and of line ends, the mark of byte order.
 * Bytes that are not UTF-8 are shown as \ufffd. */
#include <stdio.h>

/* The character at s: its length in bytes, at least 1, and whether it can be shown as it is. *code:
 * 0xFFFD where it is no UTF-8. */
int text_next(const char *s, unsigned *code, int *shown);

/* A terminal: lines and tabs stay. */
void text_put_terminal(FILE *out, const char *text);
/* The same within a line. */
void text_put_line(FILE *out, const char *text);
/* A word of a command to be copied to a shell, in quotes where it needs them. */
void text_put_shell(FILE *out, const char *word);
/* Inside a comment of C, on one line: it neither ends the comment nor splices lines. */
void text_put_comment(FILE *out, const char *text);
/* A string of C, with its quotes, that can be printed on a terminal. */
void text_put_c_string(FILE *out, const char *text);
/* Between tags of HTML, and in attributes in double quotes. */
void text_put_html(FILE *out, const char *text);
/* A name and what comes after it in the head of a CSV, as in that of runs; 0, or -1: no memory. */
int text_put_csv(FILE *out, const char *name, const char *after);
/* A string of gnuplot in single quotes, in which it expands nothing. Markup of its enhanced texts
 * stays. */
void text_put_gnuplot(FILE *out, const char *text);
#endif
