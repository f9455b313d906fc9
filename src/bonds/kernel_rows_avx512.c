/* The solvers of rows.h for AVX-512. */
#include "bonds/stage.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define LARGER(a, b) _mm512_max_pd(a, b)
#define ROOT(a) _mm512_sqrt_pd(a)
#define ROWS rattle__bond_rows_avx512
#include "bonds/rows.h"
#endif
