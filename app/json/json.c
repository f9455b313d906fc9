/* See json.h. */
#include "json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/utf8.h"

static int is_escaped(const json_writer *json, unsigned char c) {
  return c < 0x20 || c == 0x7F || (json->page && strchr("\"\\<>&", c));
}

static void quote(const json_writer *json, const char *text) {
  FILE *out = json->out;
  putc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int length = rattle__utf8_length((const char *)s);
    if (!json->page && (*s == '"' || *s == '\\'))
      fprintf(out, "\\%c", *s);
    else if (!json->page && *s == '\n')
      fputs("\\n", out);
    else if (!json->page && *s == '\t')
      fputs("\\t", out);
    else if (length == 0)
      fputs("\\ufffd", out);
    else if (is_escaped(json, *s))
      fprintf(out, "\\u%04x", *s);
    else
      fwrite(s, 1, (size_t)length, out);
    s += length ? length : 1;
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
