/* Vectors of one number for each cluster of a group, and the work arrays of a group. Part of the
 * text of kernel.h, whose head names the macros to define first. */
#define INLINE TARGET static inline __attribute__((always_inline))
#define AXES for (int d = 0; d < 3; d++)
/* With sanitizers, which instrument each access, all shapes share one text: compilers would take
 * minutes otherwise. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifdef SANITIZED
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

typedef double vector __attribute__((vector_size(8 * WIDTH)));
typedef long long bits __attribute__((vector_size(8 * WIDTH)));

enum { MOST = 30, CORRECTIONS = 4 };

/* A shape where its text is compiled: a few small ones have one of their own, `shape` NULL there.
 * plain: clusters of a group are known to be at even distances in memory, and numbers to be
 * doubles. */
typedef struct kind {
  int atoms, bonds;
  const int *pair;
  const rattle__bond_shape *shape;
  int plain;
} kind;

/* Work arrays of a group, in vectors. */
typedef struct work {
  vector *x0, *x, *u; /* [3 atoms]; u: what corrections add to x; velocities */
  vector *r, *s, *s1; /* [3 bonds]; s1: s before corrections */
  vector *y;          /* right sides, then what solves them [bonds] */
  vector *value;      /* the matrix; its diagonal becomes 1/pivot [slots, or bonds^2] */
  vector *spare;      /* [3 atoms], of shapes without a text of their own */
  const vector *form; /* settle, line: the form of the shape */
  vector fastest;     /* the square of the largest speed before a stage of velocities */
  vector *room;       /* laid out for any shape */
} work;

INLINE work lay_out(const kind K, vector *at, vector *room) {
  work w = {.x0 = at, .room = room};
  const size_t atoms = 3 * (size_t)K.atoms, bonds = 3 * (size_t)K.bonds;
  w.x = w.x0 + atoms;
  w.u = w.x + atoms;
  w.r = w.u + atoms;
  w.s = w.r + bonds;
  w.s1 = w.s + bonds;
  w.y = w.s1 + bonds;
  w.value = w.y + K.bonds;
  w.spare = w.value + (K.shape ? K.shape->slots : 0);
  return w;
}

INLINE vector size(vector a) {
  return (vector)((bits)a & 0x7fffffffffffffffLL);
}

INLINE vector product(const vector *a, const vector *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* True if any lane is set; lanes are all ones or all zeros. */
INLINE int any(bits b) {
#if WIDTH == 8
  return _mm512_movepi64_mask((__m512i)b) != 0;
#elif WIDTH == 4
  return _mm256_movemask_pd((__m256d)b) != 0;
#else
  long long sum = 0;
  for (int l = 0; l < WIDTH; l++) sum |= b[l];
  return sum != 0;
#endif
}

/* Numbers of the caller: doubles, or floats. */
typedef struct array {
  void *at;
  int single;
} array;

INLINE array array_of(const kind K, const rattle__bond_stage *stage, const void *at) {
  return (array){(void *)at, !K.plain && stage->single};
}

INLINE vector gather(array a, int d, const int *place) {
  vector v = {0};
  for (int l = 0; l < WIDTH; l++)
    v[l] = a.single ? (double)((const float *)a.at)[place[l] + d]
                    : ((const double *)a.at)[place[l] + d];
  return v;
}

/* In the lanes of mask. */
INLINE void put_where(array a, int d, const int *place, vector v, bits mask) {
  for (int l = 0; l < WIDTH; l++) {
    if (mask[l] && a.single) ((float *)a.at)[place[l] + d] = (float)v[l];
    if (mask[l] && !a.single) ((double *)a.at)[place[l] + d] = v[l];
  }
}

#include "ground/support/tiles.h"

/* Numbers of atoms that follow one another in memory, TILE of each lane at a time; the last of them
 * overlap. */
#ifdef TILES
typedef double row __attribute__((vector_size(8 * TILE), aligned(8)));

#if WIDTH == 8
#define BOTH 0, 1, 2, 3, 4, 5, 6, 7
#endif

typedef float thin __attribute__((vector_size(4 * TILE), aligned(4)));

INLINE row load_row(array a, long long at) {
  return a.single ? __builtin_convertvector(*(const thin *)((const float *)a.at + at), row)
                  : *(const row *)((const double *)a.at + at);
}

INLINE void store_row(array a, long long at, row r) {
  if (a.single)
    *(thin *)((float *)a.at + at) = __builtin_convertvector(r, thin);
  else
    *(row *)((double *)a.at + at) = r;
}

INLINE void load_tile(array a, long long at, const long long *place, vector *t) {
  for (int l = 0; l < TILE; l++) {
#if WIDTH == 8
    const row low = load_row(a, at + place[l]), high = load_row(a, at + place[l + 4]);
    t[l] = __builtin_shufflevector(low, high, BOTH);
#else
    t[l] = load_row(a, at + place[l]);
#endif
  }
  turn_tiles(t);
}

INLINE void store_tile(array a, long long at, const long long *place, vector *t) {
  turn_tiles(t);
  for (int l = 0; l < TILE; l++) {
#if WIDTH == 8
    store_row(a, at + place[l], __builtin_shufflevector(t[l], t[l], 0, 1, 2, 3));
    store_row(a, at + place[l + 4], __builtin_shufflevector(t[l], t[l], 4, 5, 6, 7));
#else
    store_row(a, at + place[l], t[l]);
#endif
  }
}
#endif

INLINE void clear(const kind K, vector *u) {
  UNROLL
  for (int a = 0; a < K.atoms; a++) AXES u[3 * a + d] = (vector){0};
}

INLINE void differ(const kind K, const vector *x, vector *r) {
  UNROLL
  for (int k = 0; k < K.bonds; k++)
    AXES r[3 * k + d] = x[3 * K.pair[2 * k] + d] - x[3 * K.pair[2 * k + 1] + d];
}

/* Replaces each r by its shortest image. */
INLINE void take_images(const int bonds, const rattle_bonds_box *box, vector *r) {
  const double half = 6755399441055744.0; /* 3/2 2^52: sums with it are integers */
  UNROLL
  for (int k = 0; k < bonds; k++) {
    UNROLL
    for (int e = 2; e >= 0; e--) {
      const vector n = (r[3 * k + e] * (1 / box->edge[e][e]) + half) - half;
      UNROLL
      for (int d = 0; d <= e; d++) r[3 * k + d] -= n * box->edge[e][d];
    }
  }
}
