/* JSON for a script element: "<" is written as \u003c, so that no text can end the element; what is not UTF-8 is replaced. */
#include <math.h>
#include <string.h>

#include "core/utf8.h"
#include "report/parts.h"

static void quote(FILE *out, const char *text) {
  putc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int length = rattle__utf8_length((const char *)s);
    if (length == 0)
      fputs("\\ufffd", out);
    else if (*s < 0x20 || *s == 0x7F || strchr("\"\\<>&", *s))
      fprintf(out, "\\u%04x", *s);
    else
      fwrite(s, 1, (size_t)length, out);
    s += length ? length : 1;
  }
  putc('"', out);
}

static void next(report_json *json, const char *key) {
  if (json->filled) putc(',', json->out);
  json->filled = 1;
  if (!key) return;
  quote(json->out, key);
  putc(':', json->out);
}

void report_json_open(report_json *json, const char *key, char bracket) {
  next(json, key);
  putc(bracket, json->out);
  json->filled = 0;
}

void report_json_close(report_json *json, char bracket) {
  putc(bracket, json->out);
  json->filled = 1;
}

void report_json_text(report_json *json, const char *key, const char *value) {
  next(json, key);
  if (value)
    quote(json->out, value);
  else
    fputs("null", json->out);
}

void report_json_real(report_json *json, const char *key, double value) {
  char number[32];
  next(json, key);
  fputs(isfinite(value) ? report_shortest(value, number) : "null", json->out);
}

void report_json_integer(report_json *json, const char *key, long long value) {
  next(json, key);
  fprintf(json->out, "%lld", value);
}

void report_json_bool(report_json *json, const char *key, int value) {
  next(json, key);
  fputs(value ? "true" : "false", json->out);
}

void report_json_array(report_json *json, const char *key, report_array array) {
  next(json, key);
  if (array.type)
    fprintf(json->out, "[\"%c\",%lld,%lld]", array.type, array.at, array.count);
  else
    fputs("null", json->out);
}
