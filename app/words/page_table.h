#ifndef PAGE_TABLE_H
#define PAGE_TABLE_H
/* Parts of a page on a terminal: text in lines, and tables. */
#include <stddef.h>
#include <stdio.h>

/* Text without the marks of Markdown, and with single spaces for line ends; NULL: no memory. */
char *page_plain(const char *text, size_t length);
/* Characters of UTF-8 text. */
int page_width(const char *text, size_t length);
/* Bytes of the part of `text` that fits into `columns`, broken at a space if there is one. */
size_t page_fitting(const char *text, int columns);
/* Writes text in lines: the first begins in column `first`, where the output is, the others are
 * indented. */
void page_wrap(FILE *out, const char *text, int columns, int first, int indent);
/* Writes the table that begins at `line`; returns the line after it. */
const char *page_put_table(FILE *out, const char *line, int columns);
#endif
