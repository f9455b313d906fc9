/* The ranks of a sweep by MPI: messages of bytes between them, in MPI_COMM_WORLD. */
#include <mpi.h>
#include <stddef.h>

#include "sweep/ranks.h"

static int largest(int value, int *of_all) {
  return MPI_Allreduce(&value, of_all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -1;
}

static int send_bytes(int to, int tag, const void *bytes, int size) {
  return MPI_Send(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -1;
}

static int receive(int from, int tag, void *bytes, int room) {
  return MPI_Recv(bytes, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 0 : -1;
}

static int look(int *there, int *from, int *tag, int *size) {
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, there, &status) != MPI_SUCCESS) return -1;
  if (!*there) return 0;
  *from = status.MPI_SOURCE, *tag = status.MPI_TAG;
  return MPI_Get_count(&status, MPI_BYTE, size) == MPI_SUCCESS ? 0 : -1;
}

static int end(void) {
  return MPI_Finalize() == MPI_SUCCESS ? 0 : -1;
}

extern sweep_ranks_begin_function rattle_mpi_begin;

const sweep_ranks *rattle_mpi_begin(void) {
  static sweep_ranks ranks = {
      .version = SWEEP_RANKS_VERSION, .largest = largest, .send = send_bytes, .receive = receive, .look = look, .end = end};
  int provided;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED)
    return NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  return &ranks;
}
