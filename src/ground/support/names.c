/* A string pool (blocks, never moved) and an open-addressing hash index (linear probing, at most
 * half full). */
#include "ground/support/names.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

struct rattle__pool_block {
  struct rattle__pool_block *next;
  size_t used, size;
  char text[];
};

char *rattle__pool_copy(rattle__pool *pool, const char *text, size_t length) {
  struct rattle__pool_block *block = pool->block;
  if (!block || block->size - block->used <= length) {
    size_t size = pool->bytes < BLOCK ? BLOCK / 64 : BLOCK;
    if (size <= length) size = length + 1;
    block = malloc(sizeof *block + size);
    if (!block) return NULL;
    *block = (struct rattle__pool_block){.next = pool->block, .size = size};
    pool->block = block;
    pool->bytes += size;
  }
  char *copy = block->text + block->used;
  memcpy(copy, text, length);
  copy[length] = 0;
  block->used += length + 1;
  return copy;
}

void rattle__pool_clear(rattle__pool *pool) {
  for (struct rattle__pool_block *block = pool->block, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  *pool = (rattle__pool){0};
}

/* FNV-1a, and a last mixing because the low bits choose the slot */
static uint32_t hash_of(const char *name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
  return (uint32_t)(h ^ (h >> 32));
}

int64_t rattle__names_find(const rattle__names *names, const char *name, rattle__name_of *name_of,
                           const void *owner) {
  if (!names->size) return -1;
  uint32_t hash = hash_of(name), mask = names->size - 1;
  for (uint32_t i = hash & mask; names->slot[i].entry; i = (i + 1) & mask)
    if (names->slot[i].hash == hash && strcmp(name_of(owner, names->slot[i].entry - 1), name) == 0)
      return names->slot[i].entry - 1;
  return -1;
}

static void put(rattle__names *names, struct rattle__slot slot) {
  uint32_t mask = names->size - 1, i = slot.hash & mask;
  while (names->slot[i].entry) i = (i + 1) & mask;
  names->slot[i] = slot;
}

static int grow(rattle__names *names) {
  rattle__names old = *names;
  if (old.size > UINT32_MAX / 2) return -1;
  names->size = old.size ? 2 * old.size : 16;
  names->slot = calloc(names->size, sizeof *names->slot);
  if (!names->slot) {
    *names = old;
    return -1;
  }
  for (uint32_t i = 0; i < old.size; i++)
    if (old.slot[i].entry) put(names, old.slot[i]);
  free(old.slot);
  return 0;
}

int rattle__names_add(rattle__names *names, const char *name, uint32_t number) {
  if (2 * (uint64_t)names->used >= names->size && grow(names)) return -1;
  put(names, (struct rattle__slot){.hash = hash_of(name), .entry = number + 1});
  names->used++;
  return 0;
}

void rattle__names_clear(rattle__names *names) {
  free(names->slot);
  *names = (rattle__names){0};
}
