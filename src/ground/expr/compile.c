/* Compiling and loading C source.
 *
 * The compiler is `cc`, looked up in the absolute folders of PATH and started without a shell, its
 * output discarded. Its path, size and time stand for its identity in the name of the object: a new
 * compiler makes new objects, and no process is started where the object is there already. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/processor.h"
#include "ground/expr/cache.h"
#include "ground/expr/native.h"

extern char **environ;

_Static_assert(FLT_EVAL_METHOD == 0, "results are those of doubles: on x86 of 32 bits by SSE2");

/* Earlier compilers are asked to refuse what gcc 14 and clang 16 refuse. No contraction and no
 * folding of library functions: bits are those of the block interpreter. No pairs of doubles in
 * straight code: they cannot be loaded while their halves are still on the way from the stores of
 * the caller. The last two flags are for processors with AVX-512, whose 32 registers keep the
 * numbers of a step that 16 do not: a value that waits in memory is 7 cycles late. For the reason
 * above, such a processor is asked for no wider loads either: they cost the loop of four rods a
 * sixth. */
static const char *const flags[] = {"-x",
                                    "c",
                                    "-std=gnu11",
                                    "-O2",
                                    "-Werror=implicit",
                                    "-Werror=int-conversion",
                                    "-Werror=incompatible-pointer-types",
                                    "-pipe",
                                    "-fPIC",
                                    "-shared",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-tree-slp-vectorize",
#ifdef __i386__
                                    "-msse2",
                                    "-mfpmath=sse",
#endif
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
                                    "-fno-builtin-tanh",
                                    "-fno-builtin-expm1",
                                    "-fno-builtin-log1p",
                                    "-fno-builtin-erf",
                                    "-fno-builtin-erfc",
                                    "-mprefer-vector-width=128",
                                    "-mavx512vl"};
enum { FLAGS = sizeof flags / sizeof *flags };

/* How many of the flags this processor takes. */
static int count_flags(void) {
#if defined(__x86_64__)
  if (rattle__processor_has("avx512vl")) return FLAGS;
#endif
  return FLAGS - 2;
}

/* Paths of one compilation, all in the folder: finished object and its checksum, temporary source
 * and object. */
typedef struct paths {
  char object[4096], sum[4096], source[4096], fresh[4096];
} paths;

/* Finds the compiler; path has `room` bytes. 0 or -1. */
static int find_compiler(char *path, size_t room, struct stat *s) {
  const char *folders = getenv("PATH");
  for (const char *from = folders, *to; from; from = *to ? to + 1 : NULL) {
    to = from + strcspn(from, ":");
    if (*from != '/' || (size_t)snprintf(path, room, "%.*s/cc", (int)(to - from), from) >= room)
      continue;
    if (!stat(path, s) && S_ISREG(s->st_mode) && !access(path, X_OK)) return 0;
  }
  return -1;
}

int rattle__compiler_is_there(void) {
  char path[4096];
  struct stat s;
  return !find_compiler(path, sizeof path, &s);
}

/* Name of the object: version, compiler, flags and source. */
static void name_object(const char *compiler, const struct stat *s, const char *source,
                        char name[33]) {
  char identity[256];
  rattle__hash h = RATTLE__HASH_START;
  snprintf(identity, sizeof identity, "%s|%lld|%lld.%09ld|%lld|", RATTLE_VERSION,
           (long long)s->st_size, (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec,
           (long long)s->st_ino);
  h = rattle__hash_add(h, identity, strlen(identity));
  h = rattle__hash_add(h, compiler, strlen(compiler) + 1);
  for (int k = 0, count = count_flags(); k < count; k++)
    h = rattle__hash_add(h, flags[k], strlen(flags[k]) + 1);
  h = rattle__hash_add(h, source, strlen(source));
  rattle__hash_text(h, name);
}

/* Starts the compiler on p->source, in a process group of its own if others run meanwhile. 0 or
 * -1. */
static int start_compiler(const char *compiler, const paths *p, int meanwhile, pid_t *child) {
  char *arguments[FLAGS + 6];
  const int given = count_flags();
  int count = 0;
  arguments[count++] = (char *)(uintptr_t)compiler;
  for (int k = 0; k < given; k++) arguments[count++] = (char *)(uintptr_t)flags[k];
  arguments[count++] = (char *)(uintptr_t) "-o";
  arguments[count++] = (char *)(uintptr_t)p->fresh;
  arguments[count++] = (char *)(uintptr_t)p->source;
  arguments[count++] = (char *)(uintptr_t) "-lm";
  arguments[count] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  if (posix_spawnattr_init(&attributes)) {
    posix_spawn_file_actions_destroy(&actions);
    return -1;
  }
  int failed = (meanwhile && posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP)) ||
               posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) ||
               posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ||
               posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
               posix_spawn(child, compiler, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : 0;
}

/* 1: the child runs; 0: it ended well; -1: it did not. */
static int wait_for(pid_t child, int options) {
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, options)) < 0)
    if (errno != EINTR) return -1;
  if (!ended) return 1;
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

/* Writes the source; removes the file if writing fails. */
static rattle_status put_source(const char *folder, const char *source, paths *p,
                                rattle_error *error) {
  if (!write_source(folder, source, p)) return RATTLE_OK;
  rattle_status status = rattle__fail(
      error, RATTLE_IO, NULL, "cannot write to the cache folder %s: %s", folder, strerror(errno));
  if (*p->fresh) unlink(p->source);
  return status;
}

/* Renames the compiler's output to the object, unless the compiler failed; removes temporary
 * files. */
static rattle_status take_object(const char *compiler, const char *folder, const paths *p,
                                 int failed, rattle_error *error) {
  rattle_status status =
      failed ? rattle__fail(error, RATTLE_IO, NULL, "the compiler %s failed", compiler) : RATTLE_OK;
  if (!failed && (rename(p->fresh, p->object) || rattle__cache_seal(p->object, p->sum)))
    status = rattle__fail(error, RATTLE_IO, NULL, "cannot write to the cache folder %s: %s", folder,
                          strerror(errno));
  unlink(p->source);
  if (status) unlink(p->fresh);
  return status;
}

static rattle_status make_object(const char *compiler, const char *folder, const char *source,
                                 paths *p, rattle_error *error) {
  pid_t child;
  rattle_status status = put_source(folder, source, p, error);
  if (status) return status;
  return take_object(compiler, folder, p,
                     start_compiler(compiler, p, 0, &child) || wait_for(child, 0), error);
}

/* Place of a source's object in the cache, and the compiler that makes it. */
typedef struct entry {
  char compiler[4096], *folder;
  paths at;
} entry;

/* RATTLE_IO without a compiler or a safe folder. The caller frees it->folder. */
static rattle_status find_entry(const char *source, entry *it, rattle_error *error) {
  struct stat s;
  char name[33];
  it->at = (paths){0};
  it->folder = NULL;
  if (find_compiler(it->compiler, sizeof it->compiler, &s))
    return rattle__fail(error, RATTLE_IO, NULL,
                        "there is no compiler `cc` in PATH; use the block evaluator");
  rattle_status status = rattle__cache_folder(&it->folder, error);
  if (status) return status;
  name_object(it->compiler, &s, source, name);
  if (strlen(it->folder) + 64 > sizeof it->at.object)
    return rattle__fail(error, RATTLE_IO, NULL, "the path of the cache folder is too long");
  snprintf(it->at.object, sizeof it->at.object, "%s/%s.so", it->folder, name);
  snprintf(it->at.sum, sizeof it->at.sum, "%s/%s.sum", it->folder, name);
  return RATTLE_OK;
}

static rattle_status get(const char *source, int compile, void **library, rattle_error *error) {
  entry it;
  *library = NULL;
  rattle_status status = find_entry(source, &it, error);
  if (!status && !rattle__cache_is_sound(it.at.object, it.at.sum))
    status = compile ? make_object(it.compiler, it.folder, source, &it.at, error)
                     : rattle__fail(error, RATTLE_IO, NULL, "it was not compiled before");
  if (!status && !(*library = dlopen(it.at.object, RTLD_NOW | RTLD_LOCAL)))
    status = rattle__fail(error, RATTLE_IO, NULL, "cannot load %s, the compiled evaluator",
                          it.at.object);
  free(it.folder);
  return status;
}

rattle_status rattle__native_load(const char *source, void **library, rattle_error *error) {
  return get(source, 1, library, error);
}

void rattle__orders_drop(rattle__orders *orders) {
  for (int k = 0; k < orders->count; k++) free(orders->source[k]);
  orders->count = orders->failed = 0;
}

rattle_status rattle__native_get(rattle__evaluator evaluator, rattle__orders *orders,
                                 const char *source, void **library, rattle_error *error) {
  const int compile = evaluator != RATTLE__CACHED && evaluator != RATTLE__COMPILE_IN_BACKGROUND;
  rattle_status status = get(source, compile, library, error);
  if (status && compile && orders) orders->failed++;
  const int room =
      orders ? (int)(sizeof orders->source / sizeof *orders->source) - orders->count : 0;
  if (status && evaluator == RATTLE__COMPILE_IN_BACKGROUND && room > 0 &&
      (orders->source[orders->count] = strdup(source)))
    orders->count++;
  return status;
}

struct rattle__compilation {
  entry it;
  pid_t child;
  int state; /* as polled */
};

rattle_status rattle__compilation_start(rattle__compilation **compilation, const char *source,
                                        rattle_error *error) {
  rattle__compilation *c = *compilation = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  rattle_status status = find_entry(source, &c->it, error);
  if (!status && rattle__cache_is_sound(c->it.at.object, c->it.at.sum)) return RATTLE_OK;
  if (!status) status = put_source(c->it.folder, source, &c->it.at, error);
  if (!status) {
    c->state = 1;
    if (!start_compiler(c->it.compiler, &c->it.at, 1, &c->child)) return RATTLE_OK;
    status = take_object(c->it.compiler, c->it.folder, &c->it.at, 1, error);
  }
  free(c->it.folder);
  free(c);
  *compilation = NULL;
  return status;
}

int rattle__compilation_poll(rattle__compilation *compilation) {
  rattle__compilation *c = compilation;
  if (c->state != 1) return c->state;
  const int now = wait_for(c->child, WNOHANG);
  if (now == 1) return 1;
  return c->state = take_object(c->it.compiler, c->it.folder, &c->it.at, now, NULL) ? -1 : 0;
}

/* Asks first, so that the compiler removes its own temporary files. */
static void stop(pid_t child) {
  const struct timespec moment = {.tv_nsec = 2000000};
  kill(-child, SIGTERM);
  for (int k = 0; k < 100; k++) {
    if (wait_for(child, WNOHANG) != 1) return;
    nanosleep(&moment, NULL);
  }
  kill(-child, SIGKILL);
  wait_for(child, 0);
}

void rattle__compilation_end(rattle__compilation **compilation) {
  rattle__compilation *c = *compilation;
  if (!c) return;
  if (rattle__compilation_poll(c) == 1) {
    stop(c->child);
    take_object(c->it.compiler, c->it.folder, &c->it.at, 1, NULL);
  }
  free(c->it.folder);
  free(c);
  *compilation = NULL;
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
