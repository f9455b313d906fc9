/* Which instances of chain_kernel.h this machine can run. */
#include "constraint/links/chain.h"

extern const rattle__chain_kernel rattle__chain_plain;
#if defined(__x86_64__)
extern const rattle__chain_kernel rattle__chain_avx2, rattle__chain_avx512;
#endif

const rattle__chain_kernel *rattle__chain_kernel_of(int i) {
  const rattle__chain_kernel *able[3];
  int count = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    able[count++] = &rattle__chain_avx512;
  if (__builtin_cpu_supports("avx2")) able[count++] = &rattle__chain_avx2;
#endif
  able[count++] = &rattle__chain_plain;
  return i < count ? able[i] : (const rattle__chain_kernel *)0;
}
