/* Clusters in pieces for AVX-512. */
#include "bonds/stage.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define LARGER(a, b) _mm512_max_pd(a, b)
#define PIECES rattle__bond_pieces_avx512
#include "bonds/solve_pieces.h"
#endif
