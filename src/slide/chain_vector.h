/* Part of the text of chain_kernel.h, which says what is to be defined before: vectors, and numbers of all lanes from and to arrays where each
 * lane has its own. */
#define INLINE TARGET static inline __attribute__((always_inline))
#if WIDTH == 2
#define EACH_LANE(X) X(0), X(1)
#elif WIDTH == 4
#define EACH_LANE(X) X(0), X(1), X(2), X(3)
#else
#define EACH_LANE(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)
#endif

typedef double vector __attribute__((vector_size(8 * WIDTH)));
typedef long long bits __attribute__((vector_size(8 * WIDTH)));

INLINE vector load(const double *a) {
  return *(const vector *)a;
}

INLINE void store(double *a, vector x) {
  *(vector *)a = x;
}

INLINE vector all(double x) {
  return (vector){0} + x;
}

INLINE vector size(vector a) {
  return (vector)((bits)a & 0x7fffffffffffffffLL);
}

/* a but for what is below 1e-25, where numbers are compared with 1: spikes decay, and denormals are slow */
INLINE vector rounded(vector a) {
  return (a + 1e-9) - 1e-9;
}

INLINE int vanishes(vector a, vector b) {
  int any = 0;
  for (int i = 0; i < WIDTH; i++) any |= a[i] != 0 || b[i] != 0;
  return !any;
}

INLINE vector product(const vector *a, const vector *b, int D) {
  vector sum = a[0] * b[0];
  for (int d = 1; d < D; d++) sum += a[d] * b[d];
  return sum;
}

#define OF_LANE(i) a[first[i] + at]
/* A number of each lane, which are `first` apart. */
INLINE vector gather(const double *a, const int *first, int at) {
  return (vector){EACH_LANE(OF_LANE)};
}

/* Whether WIDTH rows go at once: their numbers follow one another in q, and the compiler has shuffles. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TILES 1
#endif
#endif

#ifdef TILES
typedef double anywhere __attribute__((vector_size(8 * WIDTH), aligned(8)));

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
/* Blocks of s rows and columns change places across the diagonal. */
#define EXCHANGE(s)                                                                                                              \
  for (int i = 0; i < WIDTH; i++) {                                                                                              \
    if (i & (s)) continue;                                                                                                       \
    const vector a = t[i], b = t[i + (s)];                                                                                       \
    t[i] = __builtin_shufflevector(a, b, LOW_##s);                                                                               \
    t[i + (s)] = __builtin_shufflevector(a, b, HIGH_##s);                                                                        \
  }

/* The transpose. */
INLINE void turn(vector t[WIDTH]) {
#if WIDTH == 8
  EXCHANGE(4)
#endif
#if WIDTH >= 4
  EXCHANGE(2)
#endif
  EXCHANGE(1)
}

INLINE void gather_rows(const double *a, const int *first, int at, vector t[WIDTH]) {
  for (int l = 0; l < WIDTH; l++) t[l] = *(const anywhere *)(a + first[l] + at);
  turn(t);
}

INLINE void scatter_rows(double *a, const int *first, int at, vector t[WIDTH]) {
  turn(t);
  for (int l = 0; l < WIDTH; l++) *(anywhere *)(a + first[l] + at) = t[l];
}
#endif
