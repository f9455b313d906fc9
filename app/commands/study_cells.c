/* Parts of the texts of studies: words in columns, numbers, slopes. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

enum { RIGHT = 110 };

void cli_study_words(FILE *out, int at, int left, const char *text) {
  int first = 1;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (!first && at + 1 + length > RIGHT) {
      cli_print(out, "\n%*s", left, "");
      at = left;
    } else if (!first) {
      putc(' ', out);
      at++;
    }
    cli_print(out, "%.*s", length, text);
    at += length;
    first = 0;
    text += length;
    text += strspn(text, " ");
  }
  putc('\n', out);
}

void cli_study_cell(FILE *out, int width, const char *format, double value) {
  char text[40];
  snprintf(text, sizeof text, format, value);
  cli_print(out, " %*s", width, isnan(value) ? "-" : text);
}

void cli_study_failures(const rattle_study_result *r, const char *table, FILE *out) {
  for (int i = 0; i < r->methods; i++) {
    if (!r->method[i].status || rattle_study_find_table(&r->method[i], table)) continue;
    cli_print(out, "\n%s\n  not studied  ", r->method[i].method);
    cli_study_words(out, 15, 15, r->method[i].message);
  }
}
