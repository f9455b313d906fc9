#ifndef FUZZ_H
#define FUZZ_H
/* The part that all fuzzers share: the entry that libFuzzer calls, the input as a text, and a place
 * for files. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory, on systems that have such a folder. */
const char *fuzz_folder(void);

/* To be freed; ends with a zero byte. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;
  return text;
}
#endif
