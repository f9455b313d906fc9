/* The method of a run in words: its parts with what they do and where they come from, and what the
 * whole claims. */
#include <stdlib.h>

#include "pages/report/page.h"
#include "rattle/integrator.h"
#include "words/citation.h"

enum { EXPLANATION = 1 << 16 };

static void put_part(json_writer *json, const rattle_method_row *row) {
  json_open(json, NULL, '{');
  json_text(json, "name", row->name);
  json_text(json, "kind", row->kind);
  json_text(json, "text", row->text);
  json_text(json, "citation", row->citation);
  json_close(json, '}');
}

static void put_parts(json_writer *json, const char *text) {
  const char *at = text;
  json_open(json, "parts", '[');
  for (const rattle_method_row *row; (row = text_next_row(text, &at));) put_part(json, row);
  json_close(json, ']');
}

static void put_claims(json_writer *json, const rattle_claims *of) {
  json_open(json, "claims", '{');
  RATTLE_CLAIMS_FIELDS(JSON_FIELD)
  json_bool(json, "exact", of->order == RATTLE_ORDER_EXACT);
  json_close(json, '}');
}

/* A method that this library does not know (a record of another version) has a name only. */
void report_put_method(json_writer *json, const char *expression, const rattle_problem *problem) {
  rattle_method *method = NULL;
  rattle_error error;
  if (rattle_method_parse(&method, expression, &error)) return;
  /* what it claims stays unknown */
  if (problem && rattle_method_resolve(method, problem, &error)) problem = NULL;
  rattle_claims claims = rattle_method_claims(method);
  if (problem && rattle_problem_kind(problem) & RATTLE_FORCED) claims.symplectic = claims.pure = 0;
  if (problem && rattle_problem_velocity_constraints(problem)) claims.symplectic = 0;
  char *text = malloc(EXPLANATION);
  json_open(json, "about_method", '{');
  json_text(json, "text", rattle_method_text(method));
  if (text) {
    json_text(json, "explanation", rattle_method_explain(method, text, EXPLANATION));
    json_text(json, "formulas", rattle_method_formula(method, text, EXPLANATION));
  }
  put_parts(json, rattle_method_text(method));
  put_claims(json, &claims);
  json_close(json, '}');
  free(text);
  rattle_method_destroy(&method);
}
