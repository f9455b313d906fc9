/* See text.h. */
#include "words/text.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/csv.h"
#include "ground/support/utf8.h"

static int is_obeyed(unsigned code) {
  /* C0, DEL, C1 */
  return code < 0x20 || (code >= 0x7F && code < 0xA0) ||
         /* marks of direction */
         code == 0x61C || code == 0x200E || code == 0x200F ||
         /* embeddings, overrides, isolates */
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         /* lines, byte order, tags */
         code == 0x2028 || code == 0x2029 || code == 0xFEFF || (code >> 7) == 0xE0000 >> 7;
}

int text_next(const char *s, unsigned *code, int *shown) {
  static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  int length = rattle__utf8_length(s);
  *code = length ? (unsigned char)s[0] & first_bits[length] : 0xFFFD;
  for (int i = 1; i < length; i++) *code = *code << 6 | ((unsigned char)s[i] & 0x3F);
  *shown = length && !is_obeyed(*code);
  return length ? length : 1;
}

/* One character as it is, or its number; what `kept` holds stays as it is. */
static int put_next(FILE *out, const char *s, const char *kept) {
  unsigned code;
  int shown, length = text_next(s, &code, &shown);
  if (shown || (*s && code < 0x80 && strchr(kept, *s)))
    fwrite(s, 1, (size_t)length, out);
  else
    fprintf(out, "\\u%04x", code);
  return length;
}

void text_put_terminal(FILE *out, const char *text) {
  while (*text) text += put_next(out, text, "\n\t");
}

void text_put_line(FILE *out, const char *text) {
  while (*text) text += put_next(out, text, "");
}

void text_put_shell(FILE *out, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  const int quoted = !*word || *word == '-' || word[strspn(word, plain)] != 0;
  if (quoted) putc('\'', out);
  while (*word) {
    if (*word == '\'')
      word++, fputs("'\\''", out);
    else
      word += put_next(out, word, "");
  }
  if (quoted) putc('\'', out);
}

/* The backslash goes because it splices lines, two question marks because of trigraphs. */
void text_put_comment(FILE *out, const char *text) {
  char before = 0;
  while (*text) {
    const char c = *text;
    if ((c == '/' && before == '*') || (c == '*' && before == '/') || (c == '?' && before == '?'))
      putc(' ', out);
    if (c == '\\')
      text++, fputs("\\u005c", out);
    else
      text += put_next(out, text, "");
    before = c;
  }
}

void text_put_c_string(FILE *out, const char *text) {
  putc('"', out);
  while (*text) {
    unsigned code;
    int shown, length = text_next(text, &code, &shown);
    if (strchr("\"\\?", *text))
      fprintf(out, "\\%c", *text);
    else if (shown)
      fwrite(text, 1, (size_t)length, out);
    else
      fprintf(out, "\\\\u%04x", code);
    text += length;
  }
  putc('"', out);
}

void text_put_html(FILE *out, const char *text) {
  while (*text) {
    const char *entity = *text == '<'    ? "&lt;"
                         : *text == '>'  ? "&gt;"
                         : *text == '&'  ? "&amp;"
                         : *text == '"'  ? "&quot;"
                         : *text == '\'' ? "&#39;"
                                         : NULL;
    if (entity)
      text++, fputs(entity, out);
    else
      text += put_next(out, text, "\n\t");
  }
}

int text_put_csv(FILE *out, const char *name, const char *after) {
  char *field = malloc(2 * strlen(name) + strlen(after) + 3);
  if (!field) return -1;
  fwrite(field, 1, rattle__csv_name(field, "", name, after), out);
  free(field);
  return 0;
}

/* A quotation mark is doubled, which gnuplot reads within a string alone: marks at its beginning
 * and several in a row are a string of their own, in double quotes, joined to the others. */
void text_put_gnuplot(FILE *out, const char *text) {
  const char *first = text;
  putc('\'', out);
  while (*text) {
    const size_t marks = strspn(text, "'");
    if (marks == 1 && text > first) {
      text++, fputs("''", out);
    } else if (marks) {
      fprintf(out, "'.\"%.*s\".'", (int)marks, text);
      text += marks;
    } else if (*text == '\n')
      text++, putc(' ', out);
    else
      text += put_next(out, text, "");
  }
  putc('\'', out);
}
