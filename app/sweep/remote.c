/* Sweeps on several ranks: MPI, loaded where a launcher has set its variables, and the messages between rank 0, which has the file and hands
 * out cases, and the others, which ask for cases and send rows.
 *
 * Rank 0 runs cases too; its main thread answers the messages of the others meanwhile. Blocks of cases are small against what is left, so that
 * all ranks end together; a row is a function of its case, so that the file does not depend on who ran it. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sweep/remote.h"
#include "support/flag.h"

enum { CLAIM = 1, ANSWER, ROW, DONE };
enum { BLOCKS_EACH = 8 };

/* A message of a rank that has ended. */
typedef struct sweep_last_word {
  rattle_status status;
  char message[1024];
} last_word;

/* The rank by the variables of Open MPI, PMIx and PMI; -1: no launcher has started this process, or as the only one. */
int sweep_rank(void) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMIX_RANK");
  if (!rank) rank = getenv("PMI_RANK"), size = getenv("PMI_SIZE");
  return rank && !(size && atoi(size) == 1) ? atoi(rank) : -1;
}

/* In the folder of the command's libraries, else where the dynamic loader looks. */
static void *load(void) {
  static const char name[] = "librattle_mpi.so";
  Dl_info library;
  char path[4096];
  const void *own = (const void *)(size_t)&rattle_version;
  if (dladdr(own, &library) && library.dli_fname) {
    const char *slash = strrchr(library.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - library.dli_fname) : 1, slash ? library.dli_fname : ".", name);
    void *found = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own modules look for its symbols */
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
                     "this process was started by mpirun or srun, and %s; build with -DRATTLE_MPI=ON, or run it without them",
                     dlerror());
  void *symbol = dlsym(module, SWEEP_RANKS_FUNCTION);
  memcpy(&begin, &symbol, sizeof begin);
  *ranks = symbol ? begin() : NULL;
  if (*ranks && (*ranks)->version == SWEEP_RANKS_VERSION) return RATTLE_OK;
  *ranks = NULL;
  return text_fail(error, RATTLE_IO, "MPI could not begin, or librattle_mpi.so is of another version of rattle");
}

/* ---- ranks above 0 ---- */

static rattle_status lost(rattle_error *error) {
  return text_fail(error, RATTLE_IO, "a message of MPI was lost; run `rattle resume` with the file of the sweep");
}

rattle_status sweep_ask(const sweep_ranks *ranks, long long *first, long long *count, rattle_error *error) {
  long long block[2] = {0, *count};
  if (ranks->send(0, CLAIM, block, sizeof block) || ranks->receive(0, ANSWER, block, sizeof block)) return lost(error);
  *first = block[0], *count = block[1];
  return RATTLE_OK;
}

rattle_status sweep_send(const sweep_ranks *ranks, long long number, double *row, int width, rattle_error *error) {
  memcpy(&row[width], &number, sizeof number); /* there is room for it */
  return ranks->send(0, ROW, row, (width + 1) * (int)sizeof *row) ? lost(error) : RATTLE_OK;
}

rattle_status sweep_take_leave(const sweep_ranks *ranks, rattle_status status, rattle_error *error) {
  last_word word = {.status = status};
  if (status) snprintf(word.message, sizeof word.message, "%s", error->message);
  return ranks->send(0, DONE, &word, sizeof word) && !status ? lost(error) : status;
}

/* ---- rank 0 ---- */

static rattle_status answer(const sweep_ranks *ranks, const sweep_server *server, int from, rattle_error *error) {
  long long block[2], first = 0;
  if (ranks->receive(from, CLAIM, block, sizeof block)) return lost(error);
  long long count = block[1];
  rattle_status status = RATTLE_OK;
  if (rattle__flag_is_set(server->stopped))
    count = 0;
  else
    status = server->claim(server->self, &first, &count, error);
  if (status) count = 0;
  block[0] = first, block[1] = count;
  if (ranks->send(from, ANSWER, block, sizeof block) && !status) status = lost(error);
  return status;
}

static rattle_status take(const sweep_ranks *ranks, const sweep_server *server, int from, double *row, rattle_error *error) {
  long long number;
  if (ranks->receive(from, ROW, row, (server->width + 1) * (int)sizeof *row)) return lost(error);
  memcpy(&number, &row[server->width], sizeof number);
  ++*server->rows;
  return server->put(server->self, number, row, error);
}

/* The first failure counts; the others are heard to their ends. */
rattle_status sweep_serve(const sweep_ranks *ranks, const sweep_server *server, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  int left = ranks->size - 1;
  double *row = malloc(((size_t)server->width + 1) * sizeof *row);
  if (!row) return text_no_memory(error);
  while (left > 0) {
    const struct timespec pause = {.tv_nsec = 100000};
    int there = 0, from, tag, size;
    rattle_error why = {0};
    rattle_status now = ranks->look(&there, &from, &tag, &size) ? lost(&why) : RATTLE_OK;
    last_word word;
    if (now) {
      left = 0;
    } else if (!there) {
      nanosleep(&pause, NULL);
    } else if (tag == CLAIM) {
      now = answer(ranks, server, from, &why);
    } else if (tag == ROW && size == (server->width + 1) * (int)sizeof *row) {
      now = take(ranks, server, from, row, &why);
    } else if (tag == DONE && !ranks->receive(from, DONE, &word, sizeof word)) {
      left--;
      if (word.status) now = text_fail(&why, word.status, "rank %d: %.900s", from, word.message);
    } else {
      now = lost(&why), left = 0;
    }
    if (now && !status) status = now, *error = why, rattle__flag_set(server->stopped);
  }
  free(row);
  return status;
}
