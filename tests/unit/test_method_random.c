/* Properties of method expressions over random ones made from the table, and over noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "method/notation/method.h"
#include "ground/support/random.h"

static uint64_t seed = 1;
static uint32_t pick(uint32_t n) {
  return (uint32_t)(rattle__random(&seed) >> 40) % n;
}

static void put_random_spaces(rattle__text *out) {
  while (!pick(3)) rattle__put(out, "%c", " \t\n"[pick(3)]);
}

static const char *random_word(const char *choices, char word[32]) {
  uint32_t count = 1;
  for (const char *c = choices; *c; c++) count += *c == '|';
  for (uint32_t skip = pick(count); skip; skip--) choices = strchr(choices, '|') + 1;
  snprintf(word, 32, "%.*s", (int)strcspn(choices, "|"), choices);
  return word;
}

static const rattle_method_row *random_row(rattle__method_kind kind) {
  const rattle_method_row *rows, *row;
  const uint32_t count = (uint32_t)rattle_method_rows(&rows);
  do row = rows + pick(count);
  while (rattle__method_kind_of(row) != kind);
  return row;
}

static void put_random_map(rattle__text *out, int depth);

static void put_random_value(rattle__text *out, const rattle_method_parameter *parameter,
                             int depth) {
  char word[32];
  switch (parameter->type) {
  case RATTLE_TAKES_MAP:
    put_random_map(out, depth + 1);
    break;
  case RATTLE_TAKES_WORD:
    rattle__put(out, "%s", random_word(parameter->choices, word));
    break;
  case RATTLE_TAKES_INTEGER:
    rattle__put(out, "%d",
                (int)parameter->minimum +
                    (int)pick((uint32_t)(parameter->maximum - parameter->minimum) + 1));
    break;
  case RATTLE_TAKES_NUMBER:
    rattle__put(out, "%.*g", 1 + (int)pick(17), pow(10, -1.0 - pick(15)) * (1 + pick(1000)) / 1001);
    break;
  case RATTLE_TAKES_FIELD:
    rattle__put(out, "%s", pick(2) ? "dirac" : "baumgarte(0.5)");
    break;
  case RATTLE_TAKES_NAME:
    rattle__put(out, "mine_%d", (int)pick(9));
    break;
  case RATTLE_TAKES_SOLVER:
    rattle__put(out, "%s", random_row(RATTLE__SOLVER)->name);
    break;
  }
}

static void put_random_map(rattle__text *out, int depth) {
  const rattle_method_row *row;
  do row = random_row((rattle__method_kind)pick(RATTLE__SOLVER));
  while ((depth > 3 && rattle__method_kind_of(row) != RATTLE__BASE) ||
         rattle__method_kind_of(row) == RATTLE__FIELD);
  rattle__put(out, "%s", row->name);
  int count = 0;
  for (int i = 0; row->parameter[i].name; i++) {
    if (row->parameter[i].fallback && pick(2)) continue;
    put_random_spaces(out);
    rattle__put(out, count++ ? "," : "(");
    put_random_spaces(out);
    if (row->parameter[i].option || !pick(4)) rattle__put(out, "%s=", row->parameter[i].name);
    put_random_spaces(out);
    put_random_value(out, &row->parameter[i], depth);
  }
  if (!depth && !pick(4)) rattle__put(out, "%scompensated", count++ ? ", " : "(");
  if (count) rattle__put(out, ")");
}

/* A printed expression is read as the same, and read again prints the same; true if the expression
 * made sense. */
static int round_trips(const char *expression) {
  rattle_method *first, *second;
  rattle_error error;
  const rattle_status status = rattle_method_parse(&first, expression, &error);
  if (status) {
    assert_int_equal(status, RATTLE_BAD_METHOD);
    assert_int_equal(error.status, RATTLE_BAD_METHOD);
    assert_true(!strncmp(error.message, "method expression", 17) &&
                !strncmp(error.where, "character ", 10));
    return 0;
  }
  if (rattle_method_parse(&second, rattle_method_text(first), &error))
    fail_msg("%s", error.message);
  assert_string_equal(rattle_method_text(second), rattle_method_text(first));
  const rattle_claims a = rattle_method_claims(first), b = rattle_method_claims(second);
  assert_memory_equal(&a, &b, sizeof a);
  char small[64], large[8192];
  rattle_method_explain(first, small, sizeof small);
  rattle_method_explain(first, large, sizeof large);
  assert_true(strlen(small) == sizeof small - 1 && !strncmp(small, large, strlen(small)));
  assert_non_null(strstr(large, "\nSources\n"));
  rattle_method_destroy(&first);
  rattle_method_destroy(&second);
  return 1;
}

static void random_expressions_round_trip(void **state) {
  (void)state;
  int good = 0;
  for (int i = 0; i < 20000; i++) {
    char text[1024];
    put_random_map(&(rattle__text){text, sizeof text}, 0);
    good += round_trips(text);
  }
  assert_in_range(good, 4000, 19000);
}

/* Noise, and expressions with a few characters changed, are read or refused, and nothing else. */
static void noise_is_survived(void **state) {
  (void)state;
  static const char letters[] = "rattle(verlet),=0123456789.e-+ab_ \t\x80\xff;'\"%s|";
  for (int i = 0; i < 20000; i++) {
    char text[1024];
    if (i % 2) {
      const uint32_t length = pick(60);
      for (uint32_t k = 0; k < length; k++) text[k] = letters[pick(sizeof letters - 1)];
      text[length] = 0;
    } else {
      put_random_map(&(rattle__text){text, sizeof text}, 0);
      for (uint32_t k = 1 + pick(3); k; k--)
        text[pick((uint32_t)strlen(text))] = letters[pick(sizeof letters - 1)];
    }
    round_trips(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions_round_trip),
                                     cmocka_unit_test(noise_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
