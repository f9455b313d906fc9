/* See fields.h. */
#include "words/fields.h"

void json_claims(json_writer *json, const rattle_claims *of) {
  JSON_OBJECT("claims", RATTLE_CLAIMS_FIELDS);
}

void json_counts(json_writer *json, const rattle_counts *of) {
  json_open(json, "counts", '{');
#define COUNT(name, text) json_integer(json, #name, of->name);
#include "rattle/counts.def"
#undef COUNT
  json_close(json, '}');
}

void json_chain_counts(json_writer *json, const rattle_chain_counts *of) {
  JSON_OBJECT("counts", RATTLE_CHAIN_COUNTS_FIELDS);
}

void json_parameters(json_writer *json, const rattle_parameter *parameter, int count) {
  json_open(json, "parameters", '{');
  for (int i = 0; i < count; i++) json_real(json, parameter[i].name, parameter[i].value);
  json_close(json, '}');
}

void json_texts(json_writer *json, const char *key, const char *const *text, int count) {
  json_open(json, key, '[');
  for (int i = 0; i < count; i++) json_text(json, NULL, text[i]);
  json_close(json, ']');
}
