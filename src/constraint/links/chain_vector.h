/* Part of the text of chain_kernel.h, which says what is to be defined before: vectors, and numbers
 * of all lanes from and to arrays where each lane has its own. */
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

/* a but for what is below 1e-25, where numbers are compared with 1: spikes decay, and denormals are
 * slow */
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

/* WIDTH rows go at once where their numbers follow one another in q, and the compiler has
 * shuffles. */
#include "ground/support/tiles.h"

#ifdef TILES
typedef double anywhere __attribute__((vector_size(8 * WIDTH), aligned(8)));

/* The transpose. */
INLINE void turn(vector t[WIDTH]) {
#if WIDTH == 8
  EXCHANGE(4, WIDTH)
#endif
#if WIDTH >= 4
  EXCHANGE(2, WIDTH)
#endif
  EXCHANGE(1, WIDTH)
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
