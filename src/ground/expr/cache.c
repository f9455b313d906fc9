/* The user's folder for compiled code.
 *
 * Code from the folder is run, so the folder must be one that only the user can write to, below
 * folders that only the user or root can change, and a file is used only while its content has the
 * hash that was noted when it was made: a torn or damaged file is made again. */
#include "ground/expr/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/support/error.h"

rattle__hash rattle__hash_add(rattle__hash hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) { /* times 2^88 + 0x13b, modulo 2^128 */
    const uint64_t h = hash.low ^ ((const unsigned char *)bytes)[i], a = (h & 0xffffffff) * 0x13b,
                   b = (h >> 32) * 0x13b + (a >> 32);
    hash.high = hash.high * 0x13b + (b >> 32) + (h << 24);
    hash.low = b << 32 | (a & 0xffffffff);
  }
  return hash;
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

/* Why somebody else could exchange what lies in a folder, or NULL: who owns it, or can write to it,
 * renames its entries as he likes, but for entries of others where the sticky bit is set. */
static const char *fault_above(const char *path) {
  struct stat s;
  if (lstat(path, &s)) return strerror(errno);
  if (s.st_uid != geteuid() && s.st_uid != 0) return "belongs to another user";
  if ((s.st_mode & (S_IWGRP | S_IWOTH)) && !(s.st_mode & S_ISVTX))
    return "can be written by others";
  return NULL;
}

/* All folders above those of an absolute path without links, from the root down: if none has a
 * fault, the path leads to the same folder for as long as we and root leave it alone. */
static rattle_status check_above(char *path, rattle_error *error) {
  for (char *slash = path; slash; slash = strchr(slash + 1, '/')) {
    const char after = slash[1];
    slash[slash == path] = 0;
    const char *why = fault_above(path);
    rattle_status status =
        why ? rattle__fail(error, RATTLE_IO, NULL,
                           "code is not compiled, since %s, above the cache folder, %s: set "
                           "XDG_CACHE_HOME to a folder below your own alone",
                           path, why)
            : RATTLE_OK;
    slash[0] = '/', slash[1] = after;
    if (status) return status;
  }
  return RATTLE_OK;
}

rattle_status rattle__cache_folder(char **path, rattle_error *error) {
  const char *base = getenv("XDG_CACHE_HOME"), *below = "";
  if (!base || base[0] != '/') base = getenv("HOME"), below = "/.cache";
  if (!base || base[0] != '/')
    return rattle__fail(error, RATTLE_IO, NULL, "no cache folder: set XDG_CACHE_HOME or HOME");
  char given[PATH_MAX], real[PATH_MAX];
  *path = NULL;
  if (snprintf(given, sizeof given, "%s%s", base, below) >= (int)sizeof given)
    return rattle__fail(error, RATTLE_IO, NULL, "the path of the cache folder is too long");
  mkdir(given, 0700);
  if (!realpath(given, real))
    return rattle__fail(error, RATTLE_IO, NULL, "the cache folder %s is not used: %s", given,
                        strerror(errno));
  const size_t room = strlen(real) + sizeof "/rattle";
  if (!(*path = malloc(room))) return rattle__no_memory(error);
  snprintf(*path, room, "%s/rattle", strcmp(real, "/") ? real : "");
  rattle_status status = check_above(*path, error);
  if (!status) {
    mkdir(*path, 0700);
    const char *why = fault(*path);
    if (why)
      status =
          rattle__fail(error, RATTLE_IO, NULL, "the cache folder %s is not used: %s", *path, why);
  }
  if (!status) return RATTLE_OK;
  free(*path);
  *path = NULL;
  return status;
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
