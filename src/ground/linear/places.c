/* See places.h. Two rounds, by column and then by row, each of which leaves equal ones as they
 * come. */
#include "ground/linear/places.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
  const char *first;
  size_t bytes;
  int count, size;
} list;

static int key(const list *l, int number, int by_row) {
  const rattle__matrix_place *p = (const void *)(l->first + (size_t)number * l->bytes);
  return by_row ? p->row : p->col;
}

/* to [count]: `from` by that key; begin [size + 1]: where each value of it begins. */
static void distribute(const list *l, int by_row, const int *from, int *to, int *begin) {
  memset(begin, 0, ((size_t)l->size + 1) * sizeof *begin);
  for (int i = 0; i < l->count; i++) begin[key(l, i, by_row) + 1]++;
  for (int v = 0; v < l->size; v++) begin[v + 1] += begin[v];
  for (int i = 0; i < l->count; i++) to[begin[key(l, from[i], by_row)]++] = from[i];
}

int *rattle__places_in_order(const void *first, size_t bytes, int count, int size) {
  const list l = {first, bytes, count, size};
  int *order = malloc(((size_t)count + 1) * sizeof *order),
      *other = malloc(((size_t)count + 1) * sizeof *other),
      *begin = malloc(((size_t)size + 1) * sizeof *begin);
  if (order && other && begin) {
    for (int i = 0; i < count; i++) order[i] = i;
    distribute(&l, 0, order, other, begin);
    distribute(&l, 1, other, order, begin);
  } else {
    free(order);
    order = NULL;
  }
  free(other);
  free(begin);
  return order;
}
