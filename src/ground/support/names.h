#ifndef RATTLE__NAMES_H
#define RATTLE__NAMES_H
/* Names by the million: a pool that holds the characters, and a hashed index from names to
 * numbers. */
#include <stddef.h>
#include <stdint.h>

/* Strings that live and die together. Begin with {0}. */
typedef struct rattle__pool {
  struct rattle__pool_block *block;
  size_t bytes; /* taken in all */
} rattle__pool;

/* A copy of text[0..length) with a zero byte, NULL if there is no memory. */
char *rattle__pool_copy(rattle__pool *pool, const char *text, size_t length);
void rattle__pool_clear(rattle__pool *pool);

/* From names to numbers 0, 1, 2 ...; the characters stay with the owner, who provides the name of a
 * number. Begin with {0}. */
typedef struct rattle__names {
  struct rattle__slot {
    uint32_t hash, entry; /* entry: number + 1, 0: empty */
  } * slot;
  uint32_t size, used; /* size: a power of two */
} rattle__names;

typedef const char *rattle__name_of(const void *owner, uint32_t number);

/* The number with that name, -1 if none. */
int64_t rattle__names_find(const rattle__names *names, const char *name, rattle__name_of *name_of,
                           const void *owner);
/* Adds a name that is not there yet; 0, or -1 if there is no memory. */
int rattle__names_add(rattle__names *names, const char *name, uint32_t number);
void rattle__names_clear(rattle__names *names);
#endif
