/* Clusters in pieces for AVX2. */
#include "bonds/stage.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define LARGER(a, b) _mm256_max_pd(a, b)
#define PIECES rattle__bond_pieces_avx2
#include "bonds/solve_pieces.h"
#endif
