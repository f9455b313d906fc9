/* Transposes of squares of numbers in the lanes of vectors: part of texts that are compiled for
 * each width. Before inclusion: WIDTH, doubles in a vector; `vector`, its type; INLINE. Without
 * TILES the compiler has no shuffles. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TILES 1
#endif
#endif

#ifdef TILES
#if WIDTH == 8
#define LOW_4 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_4 4, 5, 6, 7, 12, 13, 14, 15
#define LOW_2 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_2 2, 3, 10, 11, 6, 7, 14, 15
#define LOW_1 0, 8, 2, 10, 4, 12, 6, 14
#define HIGH_1 1, 9, 3, 11, 5, 13, 7, 15
#elif WIDTH == 4
#define LOW_2 0, 1, 4, 5
#define HIGH_2 2, 3, 6, 7
#define LOW_1 0, 4, 2, 6
#define HIGH_1 1, 5, 3, 7
#else
#define LOW_1 0, 2
#define HIGH_1 1, 3
#endif
/* Blocks of s rows and columns change places across the diagonal, in `rows` rows. */
#define EXCHANGE(s, rows)                                                                          \
  for (int i = 0; i < (rows); i++) {                                                               \
    if (i & (s)) continue;                                                                         \
    const vector a = t[i], b = t[i + (s)];                                                         \
    t[i] = __builtin_shufflevector(a, b, LOW_##s);                                                 \
    t[i + (s)] = __builtin_shufflevector(a, b, HIGH_##s);                                          \
  }

enum { TILE = WIDTH < 4 ? WIDTH : 4 };

/* The transposes of squares of TILE numbers: one in each part of TILE lanes. */
INLINE void turn_tiles(vector t[TILE]) {
#if WIDTH >= 4
  EXCHANGE(2, TILE)
#endif
  EXCHANGE(1, TILE)
}
#endif
