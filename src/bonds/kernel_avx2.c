/* The stages for AVX2. */
#include "bonds/stage.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define LARGER(a, b) _mm256_max_pd(a, b)
#define ROOT(a) _mm256_sqrt_pd(a)
#define KERNEL rattle__bonds_avx2
#define KERNEL_NAME "avx2"
#include "bonds/kernel.h"
#endif
