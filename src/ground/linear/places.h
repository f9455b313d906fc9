#ifndef RATTLE__PLACES_H
#define RATTLE__PLACES_H
/* Places in a square matrix, and their order. */
#include <stddef.h>

typedef struct rattle__matrix_place {
  int row, col;
} rattle__matrix_place;

/* The numbers of places [count] by row, then by column, then as they come, in a time linear in
 * count and size; `first`: the first of structs of `bytes` that begin with a place; to be freed.
 * NULL: no memory. */
int *rattle__places_in_order(const void *first, size_t bytes, int count, int size);
#endif
