#include "failing.h"

#include <SuiteSparse_config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static long long count, fails, live;
static int rest;

void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
void __wrap_free(void *old);

static int refuses(void) {
  count++;
  if (!fails || count < fails || (count > fails && !rest)) return 0;
  errno = ENOMEM;
  return 1;
}

static void *given(void *block) {
  live += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) {
  return refuses() ? NULL : given(__real_malloc(size));
}
void *__wrap_calloc(size_t number, size_t size) {
  return refuses() ? NULL : given(__real_calloc(number, size));
}
void *__wrap_realloc(void *old, size_t size) {
  if (refuses()) return NULL;
  void *block = __real_realloc(old, size);
  if (!old) live += block != NULL;
  return block;
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuses() ? NULL : given(__real_aligned_alloc(alignment, size));
}
char *__wrap_strndup(const char *text, size_t most) {
  const size_t length = strnlen(text, most);
  char *copy = __wrap_malloc(length + 1);
  if (!copy) return NULL;
  copy[length] = 0;
  return memcpy(copy, text, length);
}
char *__wrap_strdup(const char *text) {
  return __wrap_strndup(text, strlen(text));
}
void __wrap_free(void *old) {
  live -= old != NULL;
  __real_free(old);
}

static void of_suitesparse(void) {
#if SUITESPARSE_VERSION >= 7000
  SuiteSparse_config_malloc_func_set(__wrap_malloc),
      SuiteSparse_config_calloc_func_set(__wrap_calloc);
  SuiteSparse_config_realloc_func_set(__wrap_realloc),
      SuiteSparse_config_free_func_set(__wrap_free);
#else
  SuiteSparse_config.malloc_func = __wrap_malloc, SuiteSparse_config.calloc_func = __wrap_calloc;
  SuiteSparse_config.realloc_func = __wrap_realloc, SuiteSparse_config.free_func = __wrap_free;
#endif
}

void failing_begin(long long k, int all) {
  of_suitesparse();
  count = 0, fails = k, rest = all;
}

long long failing_end(void) {
  fails = 0;
  return count;
}

long long failing_live(void) {
  return live;
}
