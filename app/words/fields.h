#ifndef RATTLE_JSON_FIELDS_H
#define RATTLE_JSON_FIELDS_H
/* Structs of the library as JSON, by the tables of rattle/fields.h. */
#include "rattle/fields.h"
#include "rattle/sample.h"
#include "rattle/study.h"
#include "words/json.h"

/* Rows of a table as members of the open object: of the struct that `of` points to, by the writer
 * `json`. JSON_FIELD takes their keys, JSON_MEMBER their names in the struct. */
#define JSON_FIELD(kind, key, member) json_##kind(json, key, of->member);
#define JSON_MEMBER(kind, key, member) json_##kind(json, #member, of->member);
/* An object of nothing but the rows of a table. */
#define JSON_OBJECT(key, ROWS)                                                                     \
  do {                                                                                             \
    json_open(json, key, '{');                                                                     \
    ROWS(JSON_FIELD)                                                                               \
    json_close(json, '}');                                                                         \
  } while (0)

/* Objects "claims" and "counts". */
void json_claims(json_writer *json, const rattle_claims *of);
void json_counts(json_writer *json, const rattle_counts *of);
void json_chain_counts(json_writer *json, const rattle_chain_counts *of);
/* An object "parameters": values by their names. */
void json_parameters(json_writer *json, const rattle_parameter *parameter, int count);
/* An array of texts. */
void json_texts(json_writer *json, const char *key, const char *const *text, int count);
#endif
