/* Modules in the text of a model, and modules made of tables: bundle.h. */
#include <stdlib.h>
#include <string.h>

#include "files/lua/bundle.h"

static const char shipped_with[] = " (shipped with rattle " RATTLE_VERSION ")";

/* The line that begins a module: how many signs = its brackets have, 0 if it is another line. */
static size_t signs_of(const char *line) {
  if (strncmp(line, "--[", 3) != 0) return 0;
  const size_t signs = strspn(line + 3, "=");
  return strncmp(line + 3 + signs, "[ module \"", 10) == 0 ? signs : 0;
}

/* The line after this one; NULL: it is the last. */
static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

/* The first line that begins with "]==]" with so many signs, or the end of the text. */
static const char *end_of(const char *text, size_t signs) {
  const char *line = text;
  while (line && !(line[0] == ']' && strspn(line + 1, "=") == signs && line[1 + signs] == ']'))
    line = next_line(line);
  return line ? line : text + strlen(text);
}

const char *rattle__bundled(const char *text, const char *name, size_t *length, int *shipped) {
  const size_t size = strlen(name);
  for (const char *line = text; line; line = next_line(line)) {
    const size_t signs = signs_of(line);
    const char *begin = signs ? next_line(line) : NULL;
    if (!begin) continue;
    const char *own = line + 13 + signs;
    if (strncmp(own, name, size) != 0 || own[size] != '"') continue;
    *shipped = strncmp(own + size + 1, " (shipped", 9) == 0;
    *length = (size_t)(end_of(begin, signs) - begin);
    return begin;
  }
  return NULL;
}

/* Signs = with which a comment can hold the text. */
static size_t signs_for(const char *text) {
  size_t most = 1;
  for (const char *at = text; (at = strchr(at, ']')); at++) {
    const size_t signs = strspn(at + 1, "=");
    if (at[1 + signs] == ']' && signs > most) most = signs;
  }
  return most + 1;
}

typedef struct writing {
  char *text; /* NULL while lengths are counted */
  size_t used;
} writing;

static void put(writing *w, const char *text, size_t length) {
  if (w->text) memcpy(w->text + w->used, text, length);
  w->used += length;
}

static void put_text(writing *w, const char *text) {
  put(w, text, strlen(text));
}

/* The text, and the end of its last line. */
static void put_lines(writing *w, const char *text) {
  const size_t length = strlen(text);
  put(w, text, length);
  if (length && text[length - 1] != '\n') put_text(w, "\n");
}

static void put_signs(writing *w, size_t signs) {
  while (signs--) put_text(w, "=");
}

static void put_module(writing *w, const rattle__module *m) {
  const size_t signs = signs_for(m->text);
  put_text(w, "--[");
  put_signs(w, signs);
  put_text(w, "[ module \"");
  put_text(w, m->name);
  put_text(w, m->shipped ? "\"" : "\"\n");
  if (m->shipped) put_text(w, shipped_with), put_text(w, "\n");
  put_lines(w, m->text);
  put_text(w, "]");
  put_signs(w, signs);
  put_text(w, "]\n");
}

char *rattle__bundle(const char *text, const rattle__module *module, int count) {
  writing w = {0};
  for (int pass = 0; pass < 2; pass++) {
    w.used = 0;
    put_lines(&w, text);
    for (int i = 0; i < count; i++) put_module(&w, &module[i]);
    if (!w.text && !(w.text = malloc(w.used + 1))) return NULL;
  }
  w.text[w.used] = 0;
  return w.text;
}

/* True if the module that begins at `line` with so many signs is shipped, word for word;
 * `*after`: the line after it. */
static int is_shipped(const char *line, size_t signs, const char **after) {
  const char *begin = next_line(line), *end = begin ? end_of(begin, signs) : NULL;
  if (!end || !*end) return 0;
  const char *name = line + 13 + signs, *next = next_line(end);
  *after = next ? next : end + strlen(end);
  for (const rattle__module *m = rattle__shipped; m->name; m++) {
    const size_t size = strlen(m->name), length = strlen(m->text);
    if (strncmp(name, m->name, size) != 0 || name[size] != '"') continue;
    const size_t ending = length && m->text[length - 1] != '\n'; /* put_lines */
    return (size_t)(end - begin) == length + ending && memcmp(begin, m->text, length) == 0;
  }
  return 0;
}

char *rattle__unbundled(const char *text) {
  writing w = {malloc(strlen(text) + 1), 0};
  if (!w.text) return NULL;
  for (const char *line = text, *after; line && *line; line = after) {
    const size_t signs = signs_of(line);
    if (signs && is_shipped(line, signs, &after)) continue;
    const char *next =
        signs && next_line(line) ? next_line(end_of(next_line(line), signs)) : next_line(line);
    after = next ? next : line + strlen(line);
    put(&w, line, (size_t)(after - line));
  }
  w.text[w.used] = 0;
  return w.text;
}

char *rattle__csv_module(const char *file, const char *text) {
  const size_t signs = signs_for(text);
  writing w = {0};
  for (int pass = 0; pass < 2; pass++) {
    w.used = 0;
    put_text(&w, "return require \"csv_columns\" (\"");
    put_text(&w, file);
    put_text(&w, "\", [");
    put_signs(&w, signs);
    put_text(&w, "[\n");
    put_lines(&w, text);
    put_text(&w, "]");
    put_signs(&w, signs);
    put_text(&w, "])\n");
    if (!w.text && !(w.text = malloc(w.used + 1))) return NULL;
  }
  w.text[w.used] = 0;
  return w.text;
}
