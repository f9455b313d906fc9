/* The walks along chains for AVX2. */
#include "constraint/links/chain.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define LARGER(a, b) _mm256_max_pd(a, b)
#define SMALLER(a, b) _mm256_min_pd(a, b)
#define KERNEL rattle__chain_avx2
#define KERNEL_NAME "avx2"
#include "constraint/links/chain_kernel.h"
#endif
