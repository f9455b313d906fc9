/* Signs of determinants: of the whole system, and of its parts that hang together, each against
 * the sign that is expected of it; of two parts that are negative the whole says nothing. */
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

/* --- parts ------------------------------------------------------------------------------------ */

/* The least unknown that hangs together with k. */
static int root_of(int *part, int k) {
  while (part[k] != k) k = part[k] = part[part[k]];
  return k;
}

static void join(int *part, int i, int j) {
  const int one = root_of(part, i), other = root_of(part, j);
  part[one < other ? other : one] = one < other ? one : other;
}

static void settle(rattle__linear *a) {
  for (int i = 0; i < a->size; i++) a->part[i] = root_of(a->part, i);
}

static void part(rattle__linear *a, int afresh, int by_values) {
  for (int i = 0; i < a->size && afresh; i++) a->part[i] = i;
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (!by_values || a->value[e] != 0) join(a->part, i, a->col[e]);
  settle(a);
}

rattle_status rattle__linear_watch_parts(rattle__linear *a, rattle_error *error) {
  const size_t room = (size_t)a->size + 1;
  a->part = malloc(room * sizeof *a->part);
  a->expected = calloc(room, 1);
  if (!a->part || !a->expected) return rattle__no_memory(error);
  part(a, 1, 0);
  return RATTLE_OK;
}

void rattle__linear_part_by_values(rattle__linear *a, int afresh) {
  part(a, afresh, 1);
}

void rattle__linear_join_parts(rattle__linear *a, int first, const rattle__linear *other) {
  for (int i = 0; i < other->size; i++)
    for (int e = other->ptr[i]; e < other->ptr[i + 1]; e++)
      join(a->part, first + i, first + other->col[e]);
  settle(a);
}

/* --- signs ------------------------------------------------------------------------------------ */

void rattle__linear_expect(rattle__linear *a, int first, int count, const rattle__linear *other,
                           int negative) {
  memset(a->expected, 0, (size_t)a->size);
  if (other) other->turns(other, a->expected + first);
  for (int i = 0; i < count && negative; i++) a->expected[first + i] ^= 1;
}

void rattle__linear_expect_these(rattle__linear *a) {
  a->turns(a, a->expected);
}

/* Turns of a part are summed at its least unknown, which comes before the others. */
int rattle__linear_turned(const rattle__linear *a) {
  int count = 0;
  a->turns(a, a->turn);
  for (int k = 0; k < a->size; k++) a->turn[k] ^= a->expected[k];
  for (int k = 0; k < a->size; k++)
    if (a->part[k] != k) a->turn[a->part[k]] ^= a->turn[k];
  for (int k = 0; k < a->size; k++) count += a->part[k] == k && a->turn[k];
  return count;
}

int rattle__linear_side(const rattle__linear *a) {
  return rattle__linear_turned(a) ? -1 : 1;
}
