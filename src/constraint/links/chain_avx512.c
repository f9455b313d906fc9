/* The walks along chains for AVX-512. */
#include "constraint/links/chain.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define LARGER(a, b) _mm512_max_pd(a, b)
#define SMALLER(a, b) _mm512_min_pd(a, b)
#define KERNEL rattle__chain_avx512
#define KERNEL_NAME "avx512"
#include "constraint/links/chain_kernel.h"
#endif
