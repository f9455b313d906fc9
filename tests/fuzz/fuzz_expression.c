/* Method expressions: parsed, explained, and parsed again from their canonical text, which stays
 * the same. */
#include "fuzz.h"
#include "rattle/method.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size), room[4096];
  rattle_method *method, *again;
  rattle_error error;
  if (!rattle_method_parse(&method, text, &error)) {
    rattle_method_explain(method, room, sizeof room);
    rattle_method_formula(method, room, sizeof room);
    if (rattle_method_parse(&again, rattle_method_text(method), &error)) abort();
    if (strcmp(rattle_method_text(method), rattle_method_text(again)) != 0) abort();
    rattle_method_destroy(&again);
  } else if (!error.message[0]) {
    abort();
  }
  rattle_method_destroy(&method);
  free(text);
  return 0;
}
