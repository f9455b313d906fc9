/* The user's folder for compiled code.
 *
 * Code from the folder is run, so the folder must be one that only the user can write to, and a
 * file is used only while its content has the hash that was noted when it was made: a torn or
 * damaged file is made again. */
#include "ground/expr/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/support/error.h"

rattle__hash rattle__hash_add(rattle__hash hash, const void *bytes, size_t size) {
  __extension__ typedef unsigned __int128 wide;
  const wide prime = (wide)1 << 88 | 0x13b;
  wide h = (wide)hash.high << 64 | hash.low;
  for (size_t i = 0; i < size; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * prime;
  return (rattle__hash){(uint64_t)(h >> 64), (uint64_t)h};
}

void rattle__hash_text(rattle__hash hash, char text[33]) {
  snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

/* Why a folder cannot be trusted, or NULL. */
static const char *fault(const char *path) {
  struct stat s;
  if (lstat(path, &s)) return strerror(errno);
  if (S_ISLNK(s.st_mode)) return "it is a symbolic link";
  if (!S_ISDIR(s.st_mode)) return "it is not a folder";
  if (s.st_uid != geteuid()) return "it belongs to another user";
  if (s.st_mode & (S_IWGRP | S_IWOTH)) return "others can write to it";
  return NULL;
}

rattle_status rattle__cache_folder(char **path, rattle_error *error) {
  const char *base = getenv("XDG_CACHE_HOME"), *below = "";
  if (!base || base[0] != '/') base = getenv("HOME"), below = "/.cache";
  if (!base || base[0] != '/')
    return rattle__fail(error, RATTLE_IO, NULL, "no cache folder: set XDG_CACHE_HOME or HOME");
  size_t room = strlen(base) + strlen(below) + sizeof "/rattle";
  if (!(*path = malloc(room))) return rattle__no_memory(error);
  snprintf(*path, room, "%s%s", base, below);
  mkdir(*path, 0700);
  struct stat s;
  const char *why = stat(*path, &s) ? strerror(errno) : NULL;
  if (!why && (s.st_mode & S_IWOTH) && !(s.st_mode & S_ISVTX)) why = "everybody can write to it";
  if (!why) {
    strcat(*path, "/rattle");
    mkdir(*path, 0700);
    why = fault(*path);
  }
  if (!why) return RATTLE_OK;
  rattle__fail(error, RATTLE_IO, NULL, "the cache folder %s is not used: %s", *path, why);
  free(*path);
  *path = NULL;
  return RATTLE_IO;
}

int rattle__cache_read(const char *path, char **bytes, size_t *size) {
  *bytes = NULL;
  FILE *in = fopen(path, "rb");
  if (!in) return -1;
  struct stat s;
  int failed =
      fstat(fileno(in), &s) || !S_ISREG(s.st_mode) || !(*bytes = malloc((size_t)s.st_size + 1));
  *size = failed ? 0 : fread(*bytes, 1, (size_t)s.st_size, in);
  failed = failed || ferror(in);
  fclose(in);
  if (!failed) return 0;
  free(*bytes);
  *bytes = NULL;
  return -1;
}

/* Hash of a file as text; 0 or -1. */
static int hash_file(const char *path, char text[33]) {
  char *bytes;
  size_t size;
  if (rattle__cache_read(path, &bytes, &size)) return -1;
  rattle__hash_text(rattle__hash_add(RATTLE__HASH_START, bytes, size), text);
  free(bytes);
  return 0;
}

int rattle__cache_is_sound(const char *path, const char *sum) {
  char found[33], *noted;
  size_t size;
  if (rattle__cache_read(sum, &noted, &size)) return 0;
  int sound = size == 32 && !hash_file(path, found) && !memcmp(found, noted, 32);
  free(noted);
  return sound;
}

int rattle__cache_seal(const char *path, const char *sum) {
  char text[33];
  size_t room = strlen(sum) + sizeof ".XXXXXX";
  char *temporary = malloc(room);
  if (!temporary || hash_file(path, text)) {
    free(temporary);
    return -1;
  }
  snprintf(temporary, room, "%s.XXXXXX", sum);
  int file = mkstemp(temporary);
  int failed = file < 0 || write(file, text, 32) != 32;
  if (file >= 0 && close(file)) failed = 1;
  failed = failed || rename(temporary, sum);
  if (failed && file >= 0) unlink(temporary);
  free(temporary);
  return failed ? -1 : 0;
}
