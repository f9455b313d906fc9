#ifndef RATTLE__ARENA_H
#define RATTLE__ARENA_H
/* The memory of an integrator: allocated while a method is planned, freed all at once. Nothing is
 * allocated in a step. */
#include <stddef.h>

typedef struct rattle__arena {
  struct rattle__block *first;
  int failed; /* 1 once a request could not be met: asked once, at the end of the plan */
} rattle__arena;

/* Zeroed memory, aligned to 64 bytes; NULL, and arena->failed, if there is none. */
void *rattle__arena_take(rattle__arena *arena, size_t bytes);
double *rattle__arena_doubles(rattle__arena *arena, size_t count);

/* One of the arrays of doubles that a struct points to, and its length. */
typedef struct rattle__array {
  double **at;
  size_t count;
} rattle__array;
/* Sets *at of each as rattle__arena_doubles does. */
void rattle__arena_lay_out(rattle__arena *arena, const rattle__array *array, size_t arrays);
#define RATTLE__LAY_OUT(arena, arrays)                                                             \
  rattle__arena_lay_out(arena, arrays, sizeof(arrays) / sizeof *(arrays))
/* Sets *at of each within one zeroed block, which is returned and to be freed; NULL if there is no
 * memory. */
double *rattle__block_lay_out(const rattle__array *array, size_t arrays);
#define RATTLE__BLOCK(arrays) rattle__block_lay_out(arrays, sizeof(arrays) / sizeof *(arrays))

void rattle__arena_release(rattle__arena *arena);
#endif
