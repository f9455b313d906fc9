/* Counts the messages of `rattle sweep` under mpirun, through the profiling interface of MPI: for each rank messages and bytes sent, the time in which
 * it waited for one, and when its last one left.
 *
 *     mpicc -std=gnu11 -O2 -fPIC -shared plugins/mpi/count_messages.c -o count_messages.so
 *     mpirun -n 2 -x LD_PRELOAD=$PWD/count_messages.so rattle sweep examples/pendulum.lua --start py=-2:-1.001:0.001 --steps 8000 \
 *       --keep ends --evaluator block -o ranks.h5                   1000 cases of about 1 ms */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long messages, bytes;
static double waited, last;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  messages++, bytes += count;
  last = now(CLOCK_MONOTONIC);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  const double began = now(CLOCK_MONOTONIC);
  const int answer = PMPI_Recv(data, count, type, from, tag, comm, status);
  waited += now(CLOCK_MONOTONIC) - began;
  return answer;
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "rank %d: %ld messages and %ld bytes sent, waited %.3f s, processor %.3f s, last message at %.3f, end at %.3f\n", rank,
          messages, bytes, waited, now(CLOCK_PROCESS_CPUTIME_ID), last, now(CLOCK_MONOTONIC));
  return PMPI_Finalize();
}
