#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ground/support/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* blocks of `LARGE` bytes and more are the system's pages */
enum { ALIGNMENT = 64, BLOCK = 1 << 14, LARGE = 1 << 17 };

typedef struct rattle__block {
  struct rattle__block *next;
  void *memory;              /* the start of the allocation */
  size_t used, size, mapped; /* mapped: bytes; 0: the allocator's */
} block;

static size_t rounded(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A block of zeros. Fresh pages take no memory until they are written; the allocator's memory may
 * have been written before. NULL: there is no memory. */
static block *make_block(size_t size) {
  const size_t bytes = size + ALIGNMENT, mapped = bytes >= LARGE ? bytes : 0;
  char *memory = mapped
                     ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : calloc(1, bytes);
  if (!memory || (mapped && memory == MAP_FAILED)) return NULL;
  block *b = (block *)(memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT));
  *b = (block){.memory = memory, .used = rounded(sizeof *b), .size = size, .mapped = mapped};
  return b;
}

static void release(block *b) {
  if (b->mapped)
    munmap(b->memory, b->mapped);
  else
    free(b->memory);
}

void *rattle__arena_take(rattle__arena *arena, size_t bytes) {
  bytes = rounded(bytes ? bytes : 1);
  block *b = arena->first;
  if (!b || b->size - b->used < bytes) {
    size_t size = rounded(sizeof *b) + (bytes > BLOCK ? bytes : BLOCK);
    b = make_block(size);
    if (!b) {
      arena->failed = 1;
      return NULL;
    }
    b->next = arena->first;
    arena->first = b;
  }
  void *taken = (char *)b + b->used;
  b->used += bytes;
  return taken;
}

double *rattle__arena_doubles(rattle__arena *arena, size_t count) {
  return rattle__arena_take(arena, count * sizeof(double));
}

void rattle__arena_lay_out(rattle__arena *arena, const rattle__array *array, size_t arrays) {
  for (size_t i = 0; i < arrays; i++) *array[i].at = rattle__arena_doubles(arena, array[i].count);
}

double *rattle__block_lay_out(const rattle__array *array, size_t arrays) {
  size_t all = 1;
  for (size_t i = 0; i < arrays; i++) all += array[i].count;
  double *at = calloc(all, sizeof *at), *first = at;
  for (size_t i = 0; i < arrays && at; at += array[i++].count) *array[i].at = at;
  return first;
}

void rattle__arena_release(rattle__arena *arena) {
  while (arena->first) {
    block *next = arena->first->next;
    release(arena->first);
    arena->first = next;
  }
}
