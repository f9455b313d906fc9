/* Tables as text: a line of names, then lines of numbers, with commas, semicolons or tabs between
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

/* The sign between the names: a semicolon or a tab outside quotes, or else commas. */
static char separator_of(const char *line) {
  char found = ',';
  for (int quoted = 0; *line && *line != '\n'; line++) {
    quoted ^= *line == '"';
    if (!quoted && *line == ';') return ';';
    if (!quoted && *line == '\t') found = '\t';
  }
  return found;
}

/* The next field of a line, without blanks around it and without quotes, but with them where it
 * does not end with its second one; *at moves behind it and its separator, if *more: it has one.
 * NULL: no memory. */
static char *next_field(cli_table *table, int *more) {
  const char *const ends = (const char[]){table->separator, '\n', '\r', 0},
                    *const blanks = table->separator == '\t' ? " " : " \t",
                    *from = table->at + strspn(table->at, blanks);
  const int quoted = *from == '"';
  if (quoted) from++;
  size_t length = strcspn(from, quoted ? "\"\n" : ends);
  const char *to = from + length;
  while (!quoted && length && (from[length - 1] == ' ' || from[length - 1] == '\t')) length--;
  if (quoted) {
    const int closed = *to == '"';
    to += closed;
    const size_t rest = strcspn(to, ends);
    if (!closed || strspn(to, blanks) < rest) from--, length = (size_t)(to - from) + rest;
    to += rest;
  }
  to += strspn(to, blanks);
  *more = *to == table->separator;
  table->at = to + *more;
  return strndup(from, length);
}

static long long count_lines(const char *text) {
  long long lines = 0;
  for (const char *c = text; *c; c += *c != 0) {
    const size_t length = strcspn(c, "\n");
    lines += strspn(c, " \t\r") < length;
    c += length;
  }
  return lines;
}

static rattle_status read_names(cli_table *table, rattle_error *error) {
  for (int more = 1; more;) {
    char *name = next_field(table, &more);
    char **names = realloc(table->name, ((size_t)table->columns + 1) * sizeof *names);
    if (names) table->name = names;
    if (!names || !name) {
      free(name);
      return text_no_memory(error);
    }
    names[table->columns++] = name;
  }
  return RATTLE_OK;
}

rattle_status cli_table_open(cli_table *table, const char *what, const char *text,
                             rattle_error *error) {
  static const char mark[] = "\xef\xbb\xbf"; /* with which spreadsheets begin texts in UTF-8 */
  *table = (cli_table){.what = what, .rows = count_lines(text) - 1};
  table->at = strncmp(text, mark, 3) ? text : text + 3;
  table->at += strspn(table->at, "\r\n");
  if (table->rows < 1)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s: the file needs a line of names and at least one of numbers", what);
  table->separator = separator_of(table->at);
  rattle_status status = read_names(table, error);
  if (!status && !(table->to = calloc((size_t)table->columns, sizeof *table->to)))
    status = text_no_memory(error);
  return status;
}

/* The field of column i in the next line of numbers, which is `row`. */
static rattle_status read_field(cli_table *table, int i, long long row, rattle_error *error) {
  int more;
  char *field = next_field(table, &more), *rest = NULL;
  if (!field) return text_no_memory(error);
  const int last = i + 1 == table->columns;
  const double value = strtod(field, &rest);
  const int wanted = table->to[i] != NULL, none = table->may_lack && !*field,
            good = none || (rest != field && !*rest && isfinite(value));
  rattle_status status = RATTLE_OK;
  if ((wanted && !good) || more == last)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s: line %lld of numbers: '%s' is no number, or there are not %d of them",
                       table->what, row + 1, field, table->columns);
  else if (wanted)
    table->to[i][row] = none ? (double)NAN : value;
  free(field);
  return status;
}

rattle_status cli_table_read(cli_table *table, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (long long row = 0; row < table->rows && !status; row++) {
    table->at += strspn(table->at, table->separator == '\t' ? " \r\n" : " \t\r\n");
    for (int i = 0; i < table->columns && !status; i++) status = read_field(table, i, row, error);
  }
  return status;
}

void cli_table_close(cli_table *table) {
  for (int i = 0; i < table->columns; i++) free(table->name[i]);
  free(table->name), free(table->to);
  *table = (cli_table){0};
}
