/* The ranks of a sweep by MPI: messages of bytes between them, in MPI_COMM_WORLD. Whoever waits
 * sleeps: MPI's own waiting takes a processor, which cases of this or another rank could use. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stddef.h>
#include <time.h>

#include "many/sweep/ranks.h"

enum { SHORTEST = 20000, LONGEST = 1000000 }; /* ns */

static int await(MPI_Request *request) {
  struct timespec pause = {.tv_nsec = SHORTEST};
  for (;;) {
    int done;
    if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
    if (done) return 0;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < LONGEST) pause.tv_nsec *= 2;
  }
}

static int largest(int value, int *of_all) {
  MPI_Request request;
  return MPI_Iallreduce(&value, of_all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request) ==
                 MPI_SUCCESS
             ? await(&request)
             : -1;
}

static int send_bytes(int to, int tag, const void *bytes, int size) {
  MPI_Request request;
  return MPI_Isend(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS
             ? await(&request)
             : -1;
}

static int receive(int from, int tag, void *bytes, int room) {
  MPI_Request request;
  return MPI_Irecv(bytes, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS
             ? await(&request)
             : -1;
}

static int look(int *there, int *from, int *tag, int *size) {
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, there, &status) != MPI_SUCCESS)
    return -1;
  if (!*there) return 0;
  *from = status.MPI_SOURCE, *tag = status.MPI_TAG;
  return MPI_Get_count(&status, MPI_BYTE, size) == MPI_SUCCESS ? 0 : -1;
}

static int end(void) {
  MPI_Request request;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS || await(&request)) return -1;
  return MPI_Finalize() == MPI_SUCCESS ? 0 : -1;
}

extern sweep_ranks_begin_function rattle_mpi_begin;

const sweep_ranks *rattle_mpi_begin(void) {
  static sweep_ranks ranks = {.version = SWEEP_RANKS_VERSION,
                              .largest = largest,
                              .send = send_bytes,
                              .receive = receive,
                              .look = look,
                              .end = end};
  int provided;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    return NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  return &ranks;
}
