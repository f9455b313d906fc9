/* JSON on a stream: objects and arrays as they come, numbers in full precision, strings escaped, UTF-8 kept. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "core/utf8.h"

static void quote(FILE *out, const char *text) {
  putc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int length = rattle__utf8_length((const char *)s);
    if (*s == '"' || *s == '\\')
      fprintf(out, "\\%c", *s);
    else if (*s == '\n')
      fputs("\\n", out);
    else if (*s == '\t')
      fputs("\\t", out);
    else if (*s < 0x20 || *s == 0x7F)
      fprintf(out, "\\u%04x", *s);
    else if (length == 0)
      fputs("\\ufffd", out);
    else
      fwrite(s, 1, (size_t)length, out);
    s += length ? length : 1;
  }
  putc('"', out);
}

/* Comma, line break or space, key. Members stand on lines of their own down to depth `indent`. */
static void next(cli_json *json, const char *key) {
  unsigned long long bit = 1ULL << json->depth;
  if (json->filled & bit) putc(',', json->out);
  if (json->depth > 0 && json->depth <= json->indent)
    fprintf(json->out, "\n%*s", 2 * json->depth, "");
  else if (json->filled & bit)
    putc(' ', json->out);
  json->filled |= bit;
  if (!key) return;
  quote(json->out, key);
  fputs(": ", json->out);
}

void cli_json_open(cli_json *json, const char *key, char bracket) {
  next(json, key);
  putc(bracket, json->out);
  json->depth++;
  json->filled &= ~(1ULL << json->depth);
}

void cli_json_close(cli_json *json, char bracket) {
  int on_line = json->depth <= json->indent && (json->filled >> json->depth & 1);
  json->depth--;
  if (on_line) fprintf(json->out, "\n%*s", 2 * json->depth, "");
  putc(bracket, json->out);
  if (json->depth == 0) putc('\n', json->out);
}

void cli_json_text(cli_json *json, const char *key, const char *value) {
  next(json, key);
  if (value)
    quote(json->out, value);
  else
    fputs("null", json->out);
}

void cli_json_real(cli_json *json, const char *key, double value) {
  next(json, key);
  if (isfinite(value))
    fprintf(json->out, "%.17g", value);
  else
    fputs("null", json->out);
}

void cli_json_integer(cli_json *json, const char *key, long long value) {
  next(json, key);
  fprintf(json->out, "%lld", value);
}

void cli_json_bool(cli_json *json, const char *key, int value) {
  next(json, key);
  fputs(value ? "true" : "false", json->out);
}

void cli_json_status(cli_json *json, rattle_status status, const rattle_error *error) {
  cli_json_open(json, "status", '{');
  cli_json_integer(json, "code", status);
  cli_json_text(json, "name", rattle_status_name(status));
  cli_json_text(json, "message", status ? error->message : "");
  if (status && error->step >= 0)
    cli_json_integer(json, "step", error->step);
  else
    cli_json_text(json, "step", NULL);
  cli_json_real(json, "time", status ? error->time : (double)NAN);
  cli_json_close(json, '}');
}

void cli_json_claims(cli_json *json, const rattle_claims *claims) {
  cli_json_open(json, "claims", '{');
  cli_json_integer(json, "order", claims->order);
  cli_json_bool(json, "symmetric", claims->symmetric);
  cli_json_bool(json, "symplectic", claims->symplectic);
  cli_json_bool(json, "explicit", claims->explicit_);
  cli_json_bool(json, "keeps_g", claims->keeps_g);
  cli_json_bool(json, "keeps_psi", claims->keeps_psi);
  cli_json_bool(json, "pure", claims->pure);
  cli_json_integer(json, "stages", claims->stages);
  cli_json_bool(json, "keeps_energy", claims->keeps_energy);
  cli_json_close(json, '}');
}

void cli_json_counts(cli_json *json, const rattle_counts *counts) {
  cli_json_open(json, "counts", '{');
  cli_json_integer(json, "gradient", counts->gradient);
  cli_json_integer(json, "hessian", counts->hessian);
  cli_json_integer(json, "constraint", counts->constraint);
  cli_json_integer(json, "jacobian", counts->jacobian);
  cli_json_integer(json, "factorisation", counts->factorisation);
  cli_json_integer(json, "newton_iterations", counts->newton_iterations);
  cli_json_integer(json, "position_projections", counts->position_projections);
  cli_json_integer(json, "momentum_projections", counts->momentum_projections);
  cli_json_integer(json, "followed", counts->followed);
  cli_json_close(json, '}');
}
