#ifndef RATTLE__ARENA_H
#define RATTLE__ARENA_H
/* The memory of an integrator: given out while a method is planned, returned all at once. Nothing is allocated in a step. */
#include <stddef.h>

typedef struct rattle__arena {
  struct rattle__block *first;
  int failed; /* 1 once a request could not be met: asked once, at the end of the plan */
} rattle__arena;

/* Zeroed memory, aligned to 64 bytes; NULL, and arena->failed, where there is none. */
void *rattle__arena_take(rattle__arena *arena, size_t bytes);
double *rattle__arena_doubles(rattle__arena *arena, size_t count);
void rattle__arena_release(rattle__arena *arena);
#endif
