/* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, sections 14.3, 14.7 and
 * 15.2: which registers the system saves is asked before the instructions. */
#include "ground/support/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>

enum { AVX_SAVED = 0x06, AVX512_SAVED = 0xe6 }; /* of xcr0: registers xmm, ymm; masks, zmm too */

/* The register xcr0: which registers the system saves; 0: it does not say. */
static unsigned saved(void) {
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

int rattle__processor_has(const char *instructions) {
  static const struct {
    const char *name;
    unsigned bit, needs;
  } known[] = {{"avx2", bit_AVX2, AVX_SAVED},
               {"avx512f", bit_AVX512F, AVX512_SAVED},
               {"avx512dq", bit_AVX512DQ, AVX512_SAVED},
               {"avx512vl", bit_AVX512VL, AVX512_SAVED}};
  unsigned a, b, c, d;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(instructions, known[i].name))
      return (saved() & known[i].needs) == known[i].needs &&
             __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & known[i].bit) != 0;
  return 0;
}
#else
int rattle__processor_has(const char *instructions) {
  (void)instructions;
  return 0;
}
#endif
