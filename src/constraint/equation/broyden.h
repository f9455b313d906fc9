#ifndef RATTLE__BROYDEN_H
#define RATTLE__BROYDEN_H
/* Broyden's method: an iteration whose matrix is kept learns from its own residuals, where a new
 * matrix would take evaluations.
 *
 * Source  C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, algorithm
 *         brsola (section 7.3) */
#include "ground/support/arena.h"

enum { RATTLE__BROYDEN_STEPS = 8 };

typedef struct rattle__broyden {
  int size, count;
  double *step; /* the corrections since the matrix was taken [RATTLE__BROYDEN_STEPS][size] ... */
  double square[RATTLE__BROYDEN_STEPS]; /* ... and the squares of their lengths */
} rattle__broyden;

static inline void rattle__broyden_create(rattle__broyden *b, rattle__arena *arena, int size) {
  *b = (rattle__broyden){
      .size = size, .step = rattle__arena_doubles(arena, RATTLE__BROYDEN_STEPS * (size_t)size)};
}

/* The matrix is a new one. */
static inline void rattle__broyden_forget(rattle__broyden *b) {
  b->count = 0;
}

/* x [size], the correction by the kept matrix, becomes the one to make. */
static inline void rattle__broyden_improve(rattle__broyden *b, double *x) {
  const size_t size = (size_t)b->size;
  double factor = 0;
  for (int j = 0; j < b->count; j++) {
    const double *step = b->step + (size_t)j * size;
    factor = 0;
    for (size_t i = 0; i < size; i++) factor += step[i] * x[i];
    factor /= b->square[j];
    for (size_t i = 0; i < size && j + 1 < b->count; i++) x[i] += factor * step[size + i];
  }
  for (size_t i = 0; i < size && factor < 0.5; i++) x[i] /= 1 - factor;
  if (b->count == RATTLE__BROYDEN_STEPS) return;
  double square = 0;
  for (size_t i = 0; i < size; i++) square += x[i] * x[i];
  if (!(square > 0)) return;
  for (size_t i = 0; i < size; i++) b->step[(size_t)b->count * size + i] = x[i];
  b->square[b->count++] = square;
}
#endif
