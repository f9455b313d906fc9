#ifndef RATTLE__CACHE_H
#define RATTLE__CACHE_H
/* The user's folder for compiled code, and content hashes. */
#include <stddef.h>
#include <stdint.h>

#include "rattle/status.h"

typedef struct rattle__hash {
  uint64_t high, low;
} rattle__hash;
#define RATTLE__HASH_START ((rattle__hash){0x6c62272e07bb0142u, 0x62b821756295c58du})

/* 128-bit FNV-1a, continued. Finds accidents, not enemies: those cannot write to the folder. */
rattle__hash rattle__hash_add(rattle__hash hash, const void *bytes, size_t size);
void rattle__hash_text(rattle__hash hash, char text[33]);

/* Path of the folder, without links, made if needed with mode 0700; malloc'ed. Refused (RATTLE_IO)
 * when it is a link, belongs to another user, or others can write to it, and below a folder that
 * others than the user and root own, or can write to without the sticky bit. */
rattle_status rattle__cache_folder(char **path, rattle_error *error);
/* A whole file; malloc'ed. -1 if it cannot be read. */
int rattle__cache_read(const char *path, char **bytes, size_t *size);
/* True if the content of file `path` has the hash that is stored in file `sum`. */
int rattle__cache_is_sound(const char *path, const char *sum);
/* Writes the hash of file `path` to `sum`, through a temporary name. 0 or -1. */
int rattle__cache_seal(const char *path, const char *sum);
#endif
