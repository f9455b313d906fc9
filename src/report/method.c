/* The method of a run in words: its parts with what they do and where they come from, and what the whole claims. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "rattle/integrator.h"

enum { EXPLANATION = 1 << 16 };

static const rattle_method_row *find_row(const char *name, size_t length) {
  const rattle_method_row *row;
  int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows; i++)
    if (strlen(row[i].name) == length && !memcmp(row[i].name, name, length)) return &row[i];
  return NULL;
}

static void put_part(report_json *json, const rattle_method_row *row) {
  report_json_open(json, NULL, '{');
  report_json_text(json, "name", row->name);
  report_json_text(json, "kind", row->kind);
  report_json_text(json, "text", row->text);
  report_json_text(json, "citation", row->citation);
  report_json_close(json, '}');
}

/* Every name of the table in the canonical text, once each, from the outside in. */
static void put_parts(report_json *json, const char *text) {
  report_json_open(json, "parts", '[');
  for (const char *at = text; *at;) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    const rattle_method_row *row = length ? find_row(at, length) : NULL;
    int told = 0;
    for (const char *before = text; row && before < at; before++)
      told |= !strncmp(before, at, length) && (before == text || !(isalnum((unsigned char)before[-1]) || before[-1] == '_')) &&
              !(isalnum((unsigned char)before[length]) || before[length] == '_');
    if (row && !told) put_part(json, row);
    at += length ? length : 1;
  }
  report_json_close(json, ']');
}

static void put_claims(report_json *json, const rattle_claims *claims) {
  report_json_open(json, "claims", '{');
  report_json_integer(json, "order", claims->order);
  report_json_bool(json, "exact", claims->order == RATTLE_ORDER_EXACT);
  report_json_bool(json, "symmetric", claims->symmetric);
  report_json_bool(json, "symplectic", claims->symplectic);
  report_json_bool(json, "explicit", claims->explicit_);
  report_json_bool(json, "keeps_g", claims->keeps_g);
  report_json_bool(json, "keeps_psi", claims->keeps_psi);
  report_json_bool(json, "keeps_energy", claims->keeps_energy);
  report_json_bool(json, "pure", claims->pure);
  report_json_integer(json, "stages", claims->stages);
  report_json_close(json, '}');
}

/* A method that this library does not know (a record of another version) has a name only. */
void report_put_method(report_json *json, const char *expression, const rattle_problem *problem) {
  rattle_method *method = NULL;
  rattle_error error;
  if (rattle_method_parse(&method, expression, &error)) return;
  if (problem && rattle_method_resolve(method, problem, &error)) problem = NULL; /* what it claims stays unknown */
  const rattle_claims claims = rattle_method_claims(method);
  char *text = malloc(EXPLANATION);
  report_json_open(json, "about_method", '{');
  report_json_text(json, "text", rattle_method_text(method));
  if (text) {
    report_json_text(json, "explanation", rattle_method_explain(method, text, EXPLANATION));
    report_json_text(json, "formulas", rattle_method_formula(method, text, EXPLANATION));
  }
  put_parts(json, rattle_method_text(method));
  put_claims(json, &claims);
  report_json_close(json, '}');
  free(text);
  rattle_method_destroy(&method);
}
