/* Sweeps on several ranks: MPI, loaded where a launcher has set its variables, and rank 0, which
 * has the file and hands out cases. The others ask for cases and send rows (share.c).
 *
 * The main thread of each rank speaks with the others, an ensemble on a thread of its own runs
 * cases (drive.c). Blocks of cases are small against what is left, so that all ranks end together;
 * a row is a function of its case, so that the file does not depend on who ran it. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "many/sweep/remote.h"
#include "ground/support/flag.h"

/* ns between two looks for messages, which double where there is none */
enum { SHORTEST_PAUSE = 100000, LONGEST_PAUSE = 2000000 };

/* The rank by the variables of Open MPI, PMIx and PMI; -1: no launcher has started this process, or
 * as the only one. */
int sweep_rank(void) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMIX_RANK");
  if (!rank) rank = getenv("PMI_RANK"), size = getenv("PMI_SIZE");
  return rank && !(size && atoi(size) == 1) ? atoi(rank) : -1;
}

rattle_status sweep_message_lost(rattle_error *error) {
  return text_fail(error, RATTLE_IO,
                   "a message of MPI was lost; run `rattle resume` with the file of the sweep");
}

/* In the folder of the command's libraries, else where the dynamic loader looks. */
static void *load(void) {
  static const char name[] = "librattle_mpi.so";
  Dl_info library;
  char path[4096];
  const void *own = (const void *)(size_t)&rattle_version;
  if (dladdr(own, &library) && library.dli_fname) {
    const char *slash = strrchr(library.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - library.dli_fname) : 1,
             slash ? library.dli_fname : ".", name);
    void *found = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own modules look for its
                                                           symbols */
    if (found) return found;
  }
  return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

rattle_status sweep_ranks_begin(const sweep_ranks **ranks, rattle_error *error) {
  sweep_ranks_begin_function *begin;
  *ranks = NULL;
  if (sweep_rank() < 0) return RATTLE_OK;
  void *module = load();
  if (!module)
    return text_fail(error, RATTLE_IO,
                     "this process was started by mpirun or srun, and %s; build with "
                     "-DRATTLE_MPI=ON, or run it without them",
                     dlerror());
  void *symbol = dlsym(module, SWEEP_RANKS_FUNCTION);
  memcpy(&begin, &symbol, sizeof begin);
  *ranks = symbol ? begin() : NULL;
  if (*ranks && (*ranks)->version == SWEEP_RANKS_VERSION) return RATTLE_OK;
  *ranks = NULL;
  return text_fail(error, RATTLE_IO,
                   "MPI could not begin, or librattle_mpi.so is of another version of rattle");
}

/* ---- rank 0 ---- */

static rattle_status answer(const sweep_ranks *ranks, const sweep_server *server, int from,
                            rattle_error *error) {
  sweep_wish wish;
  sweep_block block = {0};
  if (ranks->receive(from, SWEEP_CLAIM, &wish, sizeof wish)) return sweep_message_lost(error);
  rattle_status status = RATTLE_OK;
  if (!rattle__flag_is_set(server->stopped))
    status = server->claim(server->self, &wish, &block, error);
  if (status) block.count = 0;
  if (ranks->send(from, SWEEP_ANSWER, &block, sizeof block) && !status)
    status = sweep_message_lost(error);
  return status;
}

/* A message of rows, of that size. */
static rattle_status take(const sweep_ranks *ranks, const sweep_server *server, int from, int size,
                          rattle_error *error) {
  const size_t each = ((size_t)server->width + 1) * sizeof(double);
  double *rows = malloc((size_t)size + 1);
  rattle_status status = RATTLE_OK;
  if (!rows) return text_no_memory(error);
  if ((size_t)size % each || ranks->receive(from, SWEEP_ROWS, rows, size))
    status = sweep_message_lost(error);
  for (size_t k = 0; k < (size_t)size / each && !status; k++) {
    const double *row = rows + k * ((size_t)server->width + 1);
    long long number;
    memcpy(&number, &row[server->width], sizeof number);
    ++*server->rows;
    status = server->put(server->self, number, row, error);
  }
  free(rows);
  return status;
}

/* The first failure counts; the others are heard to their ends. */
rattle_status sweep_serve(const sweep_ranks *ranks, const sweep_server *server,
                          rattle_error *error) {
  rattle_status status = RATTLE_OK;
  struct timespec pause = {.tv_nsec = SHORTEST_PAUSE};
  int left = ranks->size - 1;
  while (left > 0) {
    int there = 0, from, tag, size;
    rattle_error why = {0};
    rattle_status now =
        ranks->look(&there, &from, &tag, &size) ? sweep_message_lost(&why) : RATTLE_OK;
    sweep_last_word word;
    if (now) {
      left = 0;
    } else if (!there) {
      nanosleep(&pause, NULL);
      if (pause.tv_nsec < LONGEST_PAUSE) pause.tv_nsec *= 2;
    } else if (tag == SWEEP_CLAIM) {
      now = answer(ranks, server, from, &why);
    } else if (tag == SWEEP_ROWS) {
      now = take(ranks, server, from, size, &why);
    } else if (tag == SWEEP_DONE && !ranks->receive(from, SWEEP_DONE, &word, sizeof word)) {
      left--;
      if (word.status) now = text_fail(&why, word.status, "rank %d: %.900s", from, word.message);
    } else {
      now = sweep_message_lost(&why), left = 0;
    }
    if (there) pause.tv_nsec = SHORTEST_PAUSE;
    if (now && !status) status = now, *error = why, rattle__flag_set(server->stopped);
  }
  return status;
}
