/* Compiling and loading C source.
 *
 * The compiler is `cc`, looked up in the absolute folders of PATH and started without a shell, its output discarded. Its path,
 * size and time stand for its identity in the name of the object: a new compiler makes new objects, and no process is
 * started where the object is there already. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/error.h"
#include "expr/cache.h"
#include "expr/native.h"

extern char **environ;

/* No contraction and no folding of library functions: bits are those of the block interpreter. No pairs of doubles in straight
 * code: they cannot be loaded while their halves are still on the way from the stores of the caller. */
static const char *const flags[] = {"-x",
                                    "c",
                                    "-std=gnu11",
                                    "-O2",
                                    "-w",
                                    "-pipe",
                                    "-fPIC",
                                    "-shared",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-tree-slp-vectorize",
                                    "-fno-builtin-pow",
                                    "-fno-builtin-atan2",
                                    "-fno-builtin-exp",
                                    "-fno-builtin-log",
                                    "-fno-builtin-sin",
                                    "-fno-builtin-cos",
                                    "-fno-builtin-tan",
                                    "-fno-builtin-asin",
                                    "-fno-builtin-acos",
                                    "-fno-builtin-atan",
                                    "-fno-builtin-sinh",
                                    "-fno-builtin-cosh",
                                    "-fno-builtin-tanh"};
enum { FLAGS = sizeof flags / sizeof *flags };

/* Paths of one compilation, all in the folder: finished object and its checksum, temporary source and object. */
typedef struct paths {
  char object[4096], sum[4096], source[4096], fresh[4096];
} paths;

/* Finds the compiler; path has `room` bytes. 0 or -1. */
static int find_compiler(char *path, size_t room, struct stat *s) {
  const char *folders = getenv("PATH");
  for (const char *from = folders, *to; from; from = *to ? to + 1 : NULL) {
    to = from + strcspn(from, ":");
    if (*from != '/' || (size_t)snprintf(path, room, "%.*s/cc", (int)(to - from), from) >= room) continue;
    if (!stat(path, s) && S_ISREG(s->st_mode) && !access(path, X_OK)) return 0;
  }
  return -1;
}

/* Name of the object: version, compiler, flags and source. */
static void name_object(const char *compiler, const struct stat *s, const char *source, char name[33]) {
  char identity[256];
  rattle__hash h = RATTLE__HASH_START;
  snprintf(identity, sizeof identity, "%s|%lld|%lld.%09ld|%lld|", RATTLE_VERSION, (long long)s->st_size,
           (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec, (long long)s->st_ino);
  h = rattle__hash_add(h, identity, strlen(identity));
  h = rattle__hash_add(h, compiler, strlen(compiler) + 1);
  for (int k = 0; k < FLAGS; k++) h = rattle__hash_add(h, flags[k], strlen(flags[k]) + 1);
  h = rattle__hash_add(h, source, strlen(source));
  rattle__hash_text(h, name);
}

/* Runs the compiler on p->source; 0 if it made p->fresh. */
static int run_compiler(const char *compiler, const paths *p) {
  char *arguments[FLAGS + 6];
  int count = 0;
  arguments[count++] = (char *)(uintptr_t)compiler;
  for (int k = 0; k < FLAGS; k++) arguments[count++] = (char *)(uintptr_t)flags[k];
  arguments[count++] = (char *)(uintptr_t) "-o";
  arguments[count++] = (char *)(uintptr_t)p->fresh;
  arguments[count++] = (char *)(uintptr_t)p->source;
  arguments[count++] = (char *)(uintptr_t) "-lm";
  arguments[count] = NULL;
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  pid_t child;
  int failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) ||
               posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ||
               posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
               posix_spawn(&child, compiler, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Writes the source under a new name, which also names the fresh object. 0 or -1. */
static int write_source(const char *folder, const char *source, paths *p) {
  snprintf(p->source, sizeof p->source, "%s/new-XXXXXX.c", folder);
  int file = mkstemps(p->source, 2);
  if (file < 0) return -1;
  snprintf(p->fresh, sizeof p->fresh, "%.*s.so", (int)strlen(p->source) - 2, p->source);
  size_t size = strlen(source), done = 0;
  while (done < size) {
    ssize_t wrote = write(file, source + done, size - done);
    if (wrote <= 0 && errno != EINTR) break;
    if (wrote > 0) done += (size_t)wrote;
  }
  return close(file) || done < size ? -1 : 0;
}

static rattle_status make_object(const char *compiler, const char *folder, const char *source, paths *p, rattle_error *error) {
  if (write_source(folder, source, p)) {
    rattle_status status =
        rattle__fail(error, RATTLE_IO, NULL, "cannot write to the cache folder %s: %s", folder, strerror(errno));
    if (*p->fresh) unlink(p->source);
    return status;
  }
  int failed = run_compiler(compiler, p);
  rattle_status status = failed ? rattle__fail(error, RATTLE_IO, NULL, "the compiler %s failed", compiler) : RATTLE_OK;
  if (!failed && (rename(p->fresh, p->object) || rattle__cache_seal(p->object, p->sum)))
    status = rattle__fail(error, RATTLE_IO, NULL, "cannot write to the cache folder %s: %s", folder, strerror(errno));
  unlink(p->source);
  if (status) unlink(p->fresh);
  return status;
}

static rattle_status load(const char *compiler, const struct stat *s, const char *folder, const char *source, void **library,
                          rattle_error *error) {
  paths p = {0};
  char name[33];
  name_object(compiler, s, source, name);
  if (strlen(folder) + 64 > sizeof p.object)
    return rattle__fail(error, RATTLE_IO, NULL, "the path of the cache folder is too long");
  snprintf(p.object, sizeof p.object, "%s/%s.so", folder, name);
  snprintf(p.sum, sizeof p.sum, "%s/%s.sum", folder, name);
  if (!rattle__cache_is_sound(p.object, p.sum)) {
    rattle_status status = make_object(compiler, folder, source, &p, error);
    if (status) return status;
  }
  if (!(*library = dlopen(p.object, RTLD_NOW | RTLD_LOCAL)))
    return rattle__fail(error, RATTLE_IO, NULL, "cannot load %s, the compiled evaluator", p.object);
  return RATTLE_OK;
}

rattle_status rattle__native_load(const char *source, void **library, rattle_error *error) {
  *library = NULL;
  char compiler[4096], *folder;
  struct stat s;
  if (find_compiler(compiler, sizeof compiler, &s))
    return rattle__fail(error, RATTLE_IO, NULL, "there is no compiler `cc` in PATH; use the block evaluator");
  rattle_status status = rattle__cache_folder(&folder, error);
  if (status) return status;
  status = load(compiler, &s, folder, source, library, error);
  free(folder);
  return status;
}

int rattle__native_symbol(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol ? 0 : -1;
}

void rattle__native_unload(void **library) {
  if (*library) dlclose(*library);
  *library = NULL;
}
