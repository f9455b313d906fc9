/* The stages for vectors of two, which every processor of 64 bits has: SSE2, NEON. */
#include "bonds/stage.h"

#define WIDTH 2
#define TARGET
#if defined(__SSE2__)
#include <emmintrin.h>
#define LARGER(a, b) _mm_max_pd(a, b)
#define ROOT(a) _mm_sqrt_pd(a)
#else
#define ROOT(a)                                                                                    \
  (vector) {                                                                                       \
    __builtin_sqrt((a)[0]), __builtin_sqrt((a)[1])                                                 \
  }
#define LARGER(a, b) (vector)(((bits)(a) & ((a) > (b))) | ((bits)(b) & ~((a) > (b))))
#endif
#define KERNEL rattle__bonds_plain
#define KERNEL_NAME "plain"
#include "bonds/kernel.h"
