/* See citation.h. */
#include "words/citation.h"

#include <ctype.h>
#include <string.h>

#include "rattle/plugin.h"
#include "words/text.h"

/* ---- the rows of an expression ---- */

static int is_of_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t length_of_name(const char *at) {
  size_t length = 0;
  while (is_of_name(at[length])) length++;
  return length;
}

const rattle_method_row *text_find_row(const char *name, size_t length) {
  const rattle_method_row *row, *of_plugin;
  const int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows; i++)
    if (strlen(row[i].name) == length && !memcmp(row[i].name, name, length)) return &row[i];
  for (int i = 0; (of_plugin = rattle_plugin_row(i)); i++)
    if (strlen(of_plugin->name) == length && !memcmp(of_plugin->name, name, length))
      return of_plugin;
  return NULL;
}

static int was_named(const char *expression, const char *name, size_t length) {
  for (const char *at = expression; at < name;) {
    const size_t other = length_of_name(at);
    if (other == length && !memcmp(at, name, length)) return 1;
    at += other ? other : 1;
  }
  return 0;
}

const rattle_method_row *text_next_row(const char *expression, const char **at) {
  while (**at) {
    const char *name = *at;
    const size_t length = length_of_name(name);
    *at += length ? length : 1;
    const rattle_method_row *row = length ? text_find_row(name, length) : NULL;
    if (row && !was_named(expression, name, length)) return row;
  }
  return NULL;
}

/* ---- the parts of a citation ---- */

static text_part part(const char *at, const char *end) {
  while (at < end && *at == ' ') at++;
  while (end > at && (end[-1] == ' ' || end[-1] == ',')) end--;
  return (text_part){at, (int)(end - at)};
}

static const char *find(const char *at, const char *end, const char *text) {
  const size_t length = strlen(text);
  for (; at + length <= end; at++)
    if (!memcmp(at, text, length)) return at;
  return NULL;
}

static int begins(const char *at, const char *end, const char *text) {
  return find(at, end, text) == at;
}

static const char *digits(const char *at, const char *end) {
  while (at < end && isdigit((unsigned char)*at)) at++;
  return at;
}

/* The bracket of "(1983)". */
static const char *find_year(const char *at, const char *end) {
  for (; at + 6 <= end; at++)
    if (*at == '(' && digits(at + 1, end) == at + 5 && at[5] == ')') return at;
  return NULL;
}

/* The end of a name that begins with an initial, which a comma ends; NULL: there is none. */
static const char *author(const char *at, const char *end) {
  const char *comma = find(at, end, ", ");
  if (end - at < 3 || !isupper((unsigned char)at[0]) || at[1] != '.' || !comma) return NULL;
  return find(at, comma, "(") ? NULL : comma;
}

/* ", I.8" and " (all solutions)". */
static text_part detail(const char *at, const char *end) {
  while (at < end && strchr(" ,(", *at)) at++;
  if (end > at && end[-1] == ')' && !find(at, end, "(")) end--;
  return part(at, end);
}

static void read_dated(text_reference *of, const char *at, const char *year, const char *end) {
  const char *volume = year > at ? year - 1 : at, *after = year + 6;
  while (volume > at && isdigit((unsigned char)volume[-1])) volume--;
  of->kind = isupper((unsigned char)*at) ? TEXT_BOOK : TEXT_OTHER;
  of->title = part(at, year), of->year = (text_part){year + 1, 4};
  if (volume > at && volume < year - 1 && volume[-1] == ' ') {
    of->kind = TEXT_ARTICLE;
    of->title = part(at, volume), of->volume = part(volume, year);
    if (after < end && *after == ' ') {
      const char *last = digits(after + 1, end);
      of->page = part(after, last), after = last;
    }
  }
  of->detail = detail(after, end);
}

int text_next_reference(const char **from, text_reference *of) {
  const char *at = *from + strspn(*from, " ;"), *end = strstr(at, "; "), *last;
  if (!*at) return 0;
  if (!end) end = at + strlen(at);
  *from = end;
  *of = (text_reference){.kind = TEXT_OTHER};
  const char *first = at;
  while ((last = author(at, end))) of->authors = part(first, last), at = last + 2;
  const char *year = find_year(at, end), *comma = find(at, end, ", ");
  if (year) {
    read_dated(of, at, year, end);
  } else if (begins(at, end, "arXiv:")) {
    of->kind = TEXT_PREPRINT;
    of->title = part(at + strlen("arXiv:"), comma ? comma : end);
    of->detail = detail(comma ? comma : end, end);
  } else {
    of->title = part(at, end);
  }
  return 1;
}

/* ---- BibTeX ---- */

static int same(text_part a, text_part b) {
  return a.length == b.length && (!a.length || !memcmp(a.at, b.at, (size_t)a.length));
}

int text_same_work(const text_reference *a, const text_reference *b) {
  return a->kind == b->kind && same(a->authors, b->authors) && same(a->title, b->title) &&
         same(a->volume, b->volume) && same(a->year, b->year) && same(a->page, b->page);
}

/* The surname of the author at the beginning; *end: the end of the author. */
static text_part surname(text_part authors, const char **end) {
  const char *last = authors.at + authors.length, *comma = find(authors.at, last, ", ");
  const char *at = authors.at, *initial;
  *end = comma ? comma : last;
  while ((initial = find(at, *end, ". ")) && initial - at <= 4) at = initial + 2;
  const char *others = find(at, *end, " et al.");
  return part(at, others ? others : *end);
}

void text_key(const text_reference *of, char *key, size_t size) {
  const char *end, *word = find(of->title.at, of->title.at + of->title.length, " ");
  const text_part name = of->authors.length ? surname(of->authors, &end)
                         : word             ? part(of->title.at, word)
                                            : of->title;
  size_t length = 0;
  for (int i = 0; i < name.length && length + 1 < size; i++)
    if (isalnum((unsigned char)name.at[i]))
      key[length++] = (char)tolower((unsigned char)name.at[i]);
  if (!length) length = (size_t)snprintf(key, size, "work");
  /* arXiv:1701.02434 is of 2017 */
  if (of->kind == TEXT_PREPRINT &&
      digits(of->title.at, of->title.at + of->title.length) == of->title.at + 4)
    length += (size_t)snprintf(key + length, size - length, "20%.2s", of->title.at);
  else
    length += (size_t)snprintf(key + length, size - length, "%.*s", of->year.length, of->year.at);
  if (length < size) key[length] = 0;
}

/* Text in a field: TeX shows it, and braces are in pairs. */
static void put_text(FILE *out, text_part of) {
  unsigned code;
  int shown;
  for (int i = 0, length; i < of.length; i += length) {
    const char c = of.at[i];
    length = text_next(of.at + i, &code, &shown);
    if (strchr("{}\\~^", c))
      fprintf(out, "\\char%d ", c);
    else if (strchr("%&#_$", c))
      fprintf(out, "\\%c", c);
    else if (shown)
      fwrite(of.at + i, 1, (size_t)length, out);
  }
}

static void put_field(FILE *out, const char *name, text_part of) {
  if (!of.length) return;
  fprintf(out, ",\n  %-7s = {", name);
  put_text(out, of);
  putc('}', out);
}

/* "Andersen, H. C. and others" */
static void put_authors(FILE *out, text_part authors) {
  if (!authors.length) return;
  const char *last = authors.at + authors.length, *end;
  fprintf(out, ",\n  %-7s = {", "author");
  while (authors.length > 0) {
    const text_part name = surname(authors, &end);
    put_text(out, name), fputs(", ", out);
    put_text(out, part(authors.at, name.at));
    if (find(name.at, end, " et al.")) fputs(" and others", out);
    authors = end < last ? part(end + 2, last) : (text_part){last, 0};
    if (authors.length) fputs(" and ", out);
  }
  putc('}', out);
}

void text_put_bibtex(FILE *out, const text_reference *of, char letter) {
  static const char *const kinds[] = {"article", "book", "misc", "misc"}, *const titles[] = {
                                                                              "journal", "title",
                                                                              "eprint",
                                                                              "howpublished"};
  char key[64];
  text_key(of, key, sizeof key);
  fprintf(out, "@%s{%s", kinds[of->kind], key);
  if (letter) putc(letter, out);
  put_authors(out, of->authors);
  if (of->kind == TEXT_PREPRINT) fputs(",\n  archiveprefix = {arXiv}", out);
  put_field(out, titles[of->kind], of->title);
  put_field(out, "volume", of->volume);
  put_field(out, "year", of->year);
  put_field(out, "pages", of->page);
  fputs("\n}\n", out);
}
