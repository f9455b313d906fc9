/* The counters of edges, which the compiler makes in every file but this one. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "counters.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];

void counters_share(void) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                  from = ((uintptr_t)__start___sancov_cntrs + page - 1) / page * page,
                  to = (uintptr_t)__stop___sancov_cntrs / page * page;
  if (from < to && mmap((void *)from, to - from, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    abort();
}
