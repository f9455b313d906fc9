/* Signs of determinants: of the whole system, and of its parts that hang together by the pattern;
 * of two parts that are negative the whole says nothing. */
#include "ground/linear/linear.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"

int rattle__linear_sign(const rattle__linear *a) {
  int negative = 0;
  a->turns(a, a->turn);
  for (int k = 0; k < a->size; k++) negative ^= a->turn[k];
  return negative ? -1 : 1;
}

/* The least unknown that hangs together with k. */
static int root_of(int *part, int k) {
  while (part[k] != k) k = part[k] = part[part[k]];
  return k;
}

rattle_status rattle__linear_watch_parts(rattle__linear *a, rattle_error *error) {
  int *part = malloc(((size_t)a->size + 1) * sizeof *part);
  if (!part) return rattle__no_memory(error);
  a->part = part;
  for (int i = 0; i < a->size; i++) part[i] = i;
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      const int one = root_of(part, i), other = root_of(part, a->col[e]);
      part[one < other ? other : one] = one < other ? one : other;
    }
  for (int i = 0; i < a->size; i++) part[i] = root_of(part, i);
  return RATTLE_OK;
}

/* Turns of a part are summed at its least unknown, which comes before the others. */
int rattle__linear_side(const rattle__linear *a) {
  int negative = 0;
  a->turns(a, a->turn);
  for (int k = 0; k < a->size; k++)
    if (a->part[k] != k) a->turn[a->part[k]] ^= a->turn[k];
  for (int k = 0; k < a->size; k++) negative |= a->part[k] == k && a->turn[k];
  return negative ? -1 : 1;
}
