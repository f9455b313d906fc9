#include "fuzz.h"

#include <unistd.h>

#ifndef FUZZ_MEMORY
#define FUZZ_MEMORY ""
#endif

/* A size in a file for which memory is asked is refused as by the C library. Deep stacks of
 * allocations and long delays of frees are for what has failed alone: ASAN_OPTIONS overrides this
 * then. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "malloc_context_size=2:quarantine_size_mb=8:allocator_may_return_null=1" FUZZ_MEMORY;
}

const char *fuzz_folder(void) {
  return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}
