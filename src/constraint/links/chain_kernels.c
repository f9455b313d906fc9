/* Which instances of chain_kernel.h this machine can run. */
#include "constraint/links/chain.h"
#include "ground/support/processor.h"

extern const rattle__chain_kernel rattle__chain_plain;
#if defined(__x86_64__)
extern const rattle__chain_kernel rattle__chain_avx2, rattle__chain_avx512;
#endif

const rattle__chain_kernel *rattle__chain_kernel_of(int i) {
  const rattle__chain_kernel *able[3];
  int count = 0;
#if defined(__x86_64__)
  if (rattle__processor_has("avx512f") && rattle__processor_has("avx512dq"))
    able[count++] = &rattle__chain_avx512;
  if (rattle__processor_has("avx2")) able[count++] = &rattle__chain_avx2;
#endif
  able[count++] = &rattle__chain_plain;
  return i < count ? able[i] : (const rattle__chain_kernel *)0;
}
