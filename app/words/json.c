/* See json.h. */
#include "words/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "words/text.h"

/* A number of a character that is not written as it is; beyond U+FFFF as the pair of surrogates. */
static void put_number(FILE *out, unsigned code) {
  if (code > 0xFFFF) fprintf(out, "\\u%04x", 0xD7C0 + (code >> 10));
  fprintf(out, "\\u%04x", code > 0xFFFF ? 0xDC00 + (code & 0x3FF) : code);
}

/* Characters that a terminal would obey are escaped, so that JSON is safe on a terminal; in a page
 * it stays visible for good: the text itself becomes \u202e, but for line ends and tabs. */
static void quote(const json_writer *json, const char *text) {
  FILE *out = json->out;
  putc('"', out);
  while (*text) {
    unsigned code;
    int shown, length = text_next(text, &code, &shown);
    if (!json->page && strchr("\"\\", *text))
      fprintf(out, "\\%c", *text);
    else if (!json->page && strchr("\n\t", *text))
      fputs(*text == '\n' ? "\\n" : "\\t", out);
    else if (json->page && !shown && code != 0xFFFD && !strchr("\n\r\t", *text))
      fprintf(out, "\\u005cu%04x", code);
    else if (!shown || (json->page && strchr("\"\\<>&", *text)))
      put_number(out, code);
    else
      fwrite(text, 1, (size_t)length, out);
    text += length;
  }
  putc('"', out);
}

/* Comma, line break or space, key. */
void json_key(json_writer *json, const char *key) {
  unsigned long long bit = 1ULL << json->depth;
  if (json->filled & bit) putc(',', json->out);
  if (json->depth > 0 && json->depth <= json->indent)
    fprintf(json->out, "\n%*s", 2 * json->depth, "");
  else if (json->filled & bit && !json->page)
    putc(' ', json->out);
  json->filled |= bit;
  if (!key) return;
  quote(json, key);
  fputs(json->page ? ":" : ": ", json->out);
}

void json_open(json_writer *json, const char *key, char bracket) {
  json_key(json, key);
  putc(bracket, json->out);
  json->depth++;
  json->filled &= ~(1ULL << json->depth);
}

void json_close(json_writer *json, char bracket) {
  int on_line = json->depth <= json->indent && (json->filled >> json->depth & 1);
  json->depth--;
  if (on_line) fprintf(json->out, "\n%*s", 2 * json->depth, "");
  putc(bracket, json->out);
  if (json->depth == 0 && !json->page) putc('\n', json->out);
}

void json_text(json_writer *json, const char *key, const char *value) {
  json_key(json, key);
  if (value)
    quote(json, value);
  else
    fputs("null", json->out);
}

void json_real(json_writer *json, const char *key, double value) {
  char number[32];
  json_key(json, key);
  if (!isfinite(value))
    fputs("null", json->out);
  else if (json->page)
    fputs(json_shortest(value, number), json->out);
  else
    fprintf(json->out, "%.17g", value);
}

void json_integer(json_writer *json, const char *key, long long value) {
  json_key(json, key);
  fprintf(json->out, "%lld", value);
}

void json_bool(json_writer *json, const char *key, int value) {
  json_key(json, key);
  fputs(value ? "true" : "false", json->out);
}

char *json_shortest(double value, char buffer[32]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buffer, 32, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  return buffer;
}
