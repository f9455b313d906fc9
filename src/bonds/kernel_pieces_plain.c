/* Clusters in pieces for vectors of two, which every processor of 64 bits has: SSE2, NEON. */
#include "bonds/stage.h"

#define WIDTH 2
#define TARGET
#if defined(__SSE2__)
#include <emmintrin.h>
#define LARGER(a, b) _mm_max_pd(a, b)
#else
#define LARGER(a, b) (vector)(((bits)(a) & ((a) > (b))) | ((bits)(b) & ~((a) > (b))))
#endif
#define PIECES rattle__bond_pieces_plain
#include "bonds/solve_pieces.h"
