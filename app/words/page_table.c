#include "words/page_table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 16, NARROWEST = 24, GAP = 2 };

int page_width(const char *text, size_t length) {
  int width = 0;
  for (size_t i = 0; i < length; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
  return width;
}

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* True if text[i], a *, begins or ends emphasis: *so*, **so**, not 2*x*y. */
static int is_emphasis(const char *text, size_t i, size_t length) {
  if ((i + 1 < length && text[i + 1] == '*') || (i && text[i - 1] == '*')) return 1;
  const char before = i ? text[i - 1] : ' ', after = i + 1 < length ? text[i + 1] : ' ';
  if (!is_word(before) && before != ')' && is_word(after))
    return memchr(text + i + 1, '*', length - i - 1) != NULL;
  return is_word(before) && !is_word(after) && memchr(text, '*', i) != NULL;
}

char *page_plain(const char *text, size_t length) {
  char *plain = malloc(length + 1), *to = plain;
  if (!plain) return NULL;
  for (size_t i = 0, code = 0; i < length; i++) {
    const char c = text[i];
    if (c == '`') code = !code;
    if (c == '\\' && i + 1 < length && strchr("\\|*_<>`{}[]", text[i + 1]) &&
        (!code || text[i + 1] == '|')) {
      *to++ = text[++i];
    } else if (c == ']' && i + 1 < length && text[i + 1] == '(' && !code) {
      while (i < length && text[i] != ')') i++;
    } else if (c == '!' && !code && i + 1 < length && text[i + 1] == '[') {
      continue; /* a figure: its text */
    } else if (c == '[' && !code && memchr(text + i, ']', length - i) && strstr(text + i, "](")) {
      const char *close = memchr(text + i, ']', length - i);
      if (close[1] != '(') *to++ = c;
    } else if (c == '\n' || c == ' ') {
      if (to != plain && to[-1] != ' ') *to++ = ' ';
    } else if (c != '*' || code || !is_emphasis(text, i, length)) {
      *to++ = c;
    }
  }
  while (to != plain && to[-1] == ' ') to--;
  *to = 0;
  return plain;
}

size_t page_fitting(const char *text, int columns) {
  size_t i = 0, space = 0;
  for (int width = 0; text[i]; i++) {
    if (text[i] == ' ') space = i;
    width += ((unsigned char)text[i] & 0xC0) != 0x80;
    if (width > columns) return space ? space : i;
  }
  return i;
}

void page_wrap(FILE *out, const char *text, int columns, int first, int indent) {
  int room = columns - first;
  do {
    size_t length = page_fitting(text, room > 20 ? room : 20);
    if (text[length] && text[length] != ' ') { /* a word longer than a line stays whole */
      length += strcspn(text + length, " ");
    }
    fprintf(out, "%.*s\n", (int)length, text);
    text += length + (text[length] == ' ');
    if (*text) fprintf(out, "%*s", indent, "");
    room = columns - indent;
  } while (*text);
}

typedef struct table {
  int rows, columns, width[MOST_COLUMNS];
  char **cell; /* [rows * MOST_COLUMNS] */
} table;

/* Reads a row of cells; a | after a backslash belongs to its cell. */
static void read_row(table *t, const char *line) {
  const char *s = line + strspn(line, " ") + 1, *end = line + strcspn(line, "\n");
  char **cell = t->cell + (size_t)t->rows * MOST_COLUMNS;
  for (int c = 0; c < MOST_COLUMNS && s < end; c++) {
    const char *close = s;
    while (close < end && (*close != '|' || close[-1] == '\\')) close++;
    const char *first = s + strspn(s, " ");
    cell[c] = page_plain(first, first < close ? (size_t)(close - first) : 0);
    if (c >= t->columns) t->columns = c + 1;
    const int width = cell[c] ? page_width(cell[c], strlen(cell[c])) : 0;
    if (width > t->width[c]) t->width[c] = width;
    s = close + 1;
  }
  t->rows++;
}

static const char *cell_of(const table *t, int row, int column) {
  const char *cell = t->cell[row * MOST_COLUMNS + column];
  return cell ? cell : "";
}

/* Narrows the widest columns until a row fits; 0: they would become too narrow to be read. */
static int fit(table *t, int columns) {
  for (;;) {
    int sum = GAP * t->columns, widest = 0;
    for (int c = 0; c < t->columns; c++) {
      sum += t->width[c];
      if (t->width[c] > t->width[widest]) widest = c;
    }
    if (sum <= columns) return 1;
    if (t->width[widest] <= NARROWEST) return 0;
    t->width[widest]--;
  }
}

static void put_row(FILE *out, const table *t, int row) {
  const char *rest[MOST_COLUMNS];
  for (int c = 0; c < t->columns; c++) rest[c] = cell_of(t, row, c);
  for (int more = 1; more;) {
    int behind = 0; /* spaces owed, written before the next text only */
    more = 0;
    for (int c = 0; c < t->columns; c++) {
      const size_t length = page_fitting(rest[c], t->width[c]);
      behind += GAP;
      if (length) fprintf(out, "%*s%.*s", behind, "", (int)length, rest[c]), behind = 0;
      behind += t->width[c] - page_width(rest[c], length);
      rest[c] += length + (rest[c][length] == ' ');
      more |= *rest[c] != 0;
    }
    putc('\n', out);
  }
}

/* A row as a paragraph: its first cell, then the others after their headings. */
static void put_paragraph(FILE *out, const table *t, int row, int columns) {
  size_t size = 1;
  for (int c = 1; c < t->columns; c++)
    size += strlen(cell_of(t, 0, c)) + strlen(cell_of(t, row, c)) + 8;
  char *text = calloc(size, 1), *to = text;
  page_wrap(out, cell_of(t, row, 0), columns, 0, 2);
  for (int c = 1; text && c < t->columns; c++)
    if (*cell_of(t, row, c))
      to += sprintf(to, "%s%s%s%s", to == text ? "" : "; ", cell_of(t, 0, c),
                    *cell_of(t, 0, c) ? ": " : "", cell_of(t, row, c));
  if (to != text) {
    fputs("    ", out);
    page_wrap(out, text, columns, 4, 4);
  }
  free(text);
}

const char *page_put_table(FILE *out, const char *line, int columns) {
  int rows = 0;
  const char *end = line;
  while (end[strspn(end, " ")] == '|') {
    rows++;
    end += strcspn(end, "\n");
    end += *end == '\n';
  }
  table t = {.cell = calloc((size_t)rows * MOST_COLUMNS, sizeof *t.cell)};
  if (!t.cell) return end;
  for (int row = 0; row < rows; row++) {
    if (row != 1) read_row(&t, line); /* the second one has the lines only */
    line += strcspn(line, "\n") + 1;
  }
  int headed = 0;
  for (int c = 0; c < t.columns; c++) headed |= *cell_of(&t, 0, c) != 0;
  const int fits = fit(&t, columns);
  for (int row = fits && headed ? 0 : 1; row < t.rows; row++) {
    if (!fits) {
      put_paragraph(out, &t, row, columns);
      continue;
    }
    put_row(out, &t, row);
    if (row) continue;
    for (int c = 0; c < t.columns; c++) {
      fprintf(out, "%*s", GAP, "");
      for (int i = 0; i < t.width[c]; i++) putc('-', out);
    }
    putc('\n', out);
  }
  for (int i = 0; i < rows * MOST_COLUMNS; i++) free(t.cell[i]);
  free(t.cell);
  return end;
}
