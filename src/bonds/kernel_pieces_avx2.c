/* Clusters in pieces for AVX2. */
#include "bonds/stage.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define LARGER(a, b) _mm256_max_pd(a, b)
#define GATHER(from, at) _mm256_i32gather_pd(from, _mm_loadu_si128((const __m128i *)(at)), 8)
#define PIECES rattle__bond_pieces_avx2
#include "bonds/solve_pieces.h"
#endif
