#ifndef PAGE_H
#define PAGE_H
/* A page of the documentation on a terminal: Markdown as plain text. */
#include <stdio.h>

/* Writes a page, with lines of at most `columns` characters except those of code. Headings are
 * underlined, the texts of links stay, tables are aligned; a table too wide for that has a
 * paragraph for each row. */
void page_put(FILE *out, const char *markdown, int columns);

/* The text of the first heading: its length, and *title its beginning. */
int page_title(const char *markdown, const char **title);
#endif
