/* The walks along chains for vectors of two, which every processor of 64 bits has: SSE2, NEON. */
#include "constraint/links/chain.h"

#define WIDTH 2
#define TARGET
#if defined(__SSE2__)
#include <emmintrin.h>
#define LARGER(a, b) _mm_max_pd(a, b)
#define SMALLER(a, b) _mm_min_pd(a, b)
#else
#define LARGER(a, b) (vector)(((bits)(a) & ((a) > (b))) | ((bits)(b) & ~((a) > (b))))
#define SMALLER(a, b) (vector)(((bits)(a) & ((a) < (b))) | ((bits)(b) & ~((a) < (b))))
#endif
#define KERNEL rattle__chain_plain
#define KERNEL_NAME "plain"
#include "constraint/links/chain_kernel.h"
