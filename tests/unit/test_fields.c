/* The tables of rattle/fields.h: no member of a struct is missing from its table, and keys are what
 * scripts read. */
#include "words/fields.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A struct, its header, the members that its table has, and those that are told in other ways. */
typedef struct table {
  const char *header, *struct_, *members, *others;
} table;

#define NAME(kind, key, member) #member " "
static const table tables[] = {
    {"method.h", "rattle_claims", RATTLE_CLAIMS_FIELDS(NAME), ""},
    {"run.h", "rattle_summary", RATTLE_SUMMARY_FIELDS(NAME),
     "struct_size counts status error ended_by "},
    {"ensemble.h", "rattle_errors", RATTLE_ERRORS_FIELDS(NAME) RATTLE_ERRORS_ENERGIES(NAME), ""},
    {"ensemble.h", "rattle_chaos", RATTLE_CHAOS_FIELDS(NAME), ""},
    {"sample.h", "rattle_chain_counts", RATTLE_CHAIN_COUNTS_FIELDS(NAME), ""},
    {"sample.h", "rattle_estimate", RATTLE_ESTIMATE_FIELDS(NAME), ""},
    {"study.h", "rattle_study_fit", RATTLE_STUDY_FIT_FIELDS(NAME), "name "},
    {"study.h", "rattle_study_reference",
     RATTLE_STUDY_REFERENCE_FIELDS(NAME) RATTLE_STUDY_SCALES(NAME), ""},
    {"model.h", "rattle_coefficients", RATTLE_COEFFICIENTS_FIELDS(NAME), "fails "},
    {"verify.h", "rattle_verdict", RATTLE_VERDICT_FIELDS(NAME), ""},
};

static char *read_header(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/include/rattle/%s", RATTLE_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 18);
  assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
  fclose(file);
  for (char *at = text; (at = strstr(at, "/*"));) { /* comments become spaces */
    char *end = strstr(at, "*/");
    assert_non_null(end);
    memset(at, ' ', (size_t)(end + 2 - at));
  }
  return text;
}

static int has_word(const char *list, const char *word, size_t length) {
  for (const char *at = list; *at; at += strcspn(at, " ") + 1)
    if (strcspn(at, " ") == length && !strncmp(at, word, length)) return 1;
  return 0;
}

/* Members end at commas and semicolons, and in brackets of arrays. Room for members to come is in
 * no table. */
static int check_members(const table *of, const char *body, const char *end) {
  int members = 0;
  for (const char *at = body; at < end; at++) {
    if (*at != ',' && *at != ';') continue;
    const char *last = at;
    while (isspace((unsigned char)last[-1])) last--;
    if (last[-1] == ']') last = memchr(body, '[', (size_t)(last - body));
    while (isspace((unsigned char)last[-1])) last--;
    const char *first = last;
    while (isalnum((unsigned char)first[-1]) || first[-1] == '_') first--;
    const size_t length = (size_t)(last - first);
    if (length == strlen("reserved") && !strncmp(first, "reserved", length)) continue;
    if (has_word(of->members, first, length) == has_word(of->others, first, length))
      fail_msg("%s.%.*s stands in no table of rattle/fields.h, or in two", of->struct_, (int)length,
               first);
    members++;
  }
  return members;
}

static void test_members(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char *text = read_header(tables[i].header), opening[80], closing[80];
    snprintf(opening, sizeof opening, "typedef struct %s {", tables[i].struct_);
    snprintf(closing, sizeof closing, "} %s;", tables[i].struct_);
    const char *body = strstr(text, opening), *end = body ? strstr(body, closing) : NULL;
    assert_non_null(end);
    int wanted = 0;
    for (const char *at = tables[i].members; *at; at++) wanted += *at == ' ';
    for (const char *at = tables[i].others; *at; at++) wanted += *at == ' ';
    assert_int_equal(check_members(&tables[i], body + strlen(opening), end), wanted);
    free(text);
  }
}

/* What is written into an object. */
static void test_keys(void **state) {
  (void)state;
  char *written = NULL;
  size_t size = 0;
  json_writer json = {.out = open_memstream(&written, &size)};
  const rattle_claims claims = {.order = 4, .symplectic = 1, .stages = 3};
  const rattle_chain_counts counts = {.transitions = 9, .accepted = 7, .energy = 1, .domain = 1};
  json_open(&json, NULL, '{');
  json_claims(&json, &claims);
  json_chain_counts(&json, &counts);
  json_parameters(&json, &(rattle_parameter){"gravity", 0.5}, 1);
  json_texts(&json, "names", (const char *const[]){"x", "y"}, 2);
  json_close(&json, '}');
  fclose(json.out);
  assert_string_equal(
      written, "{\"claims\": {\"order\": 4, \"symmetric\": false, \"symplectic\": true, "
               "\"explicit\": false, \"keeps_g\": false, "
               "\"keeps_psi\": false, \"pure\": false, \"stages\": 3, \"keeps_energy\": false, "
               "\"proved\": false}, "
               "\"counts\": {\"transitions\": 9, \"accepted\": 7, \"energy\": 1, \"unsolved\": 0, "
               "\"not_reversible\": 0, "
               "\"domain\": 1}, \"parameters\": {\"gravity\": 0.5}, \"names\": [\"x\", \"y\"]}\n");
  free(written);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_members), cmocka_unit_test(test_keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
