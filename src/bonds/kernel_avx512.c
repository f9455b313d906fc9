/* The stages for AVX-512. */
#include "bonds/stage.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define LARGER(a, b) _mm512_max_pd(a, b)
#define ROOT(a) _mm512_sqrt_pd(a)
#define KERNEL rattle__bonds_avx512
#define KERNEL_NAME "avx512"
#include "bonds/kernel.h"
#endif
