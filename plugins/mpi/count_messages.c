/* Counts the messages of `rattle sweep` under mpirun, through the profiling interface of MPI: for
 * each rank messages and bytes sent, how often it looked for one, its processor time, and when its
 * last message left.
 *
 *     mpicc -std=gnu11 -O2 -fPIC -shared plugins/mpi/count_messages.c -o count_messages.so mpirun
 *     -n 2 -x LD_PRELOAD=$PWD/count_messages.so rattle sweep examples/pendulum.lua --start
 *     py=-2:-1.001:0.001 --steps 8000 \
 *       --keep ends --evaluator block -o ranks.h5                   1000 cases of about 1 ms */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long messages, bytes, looks;
static double begun, last;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided) {
  const int answer = PMPI_Init_thread(argc, argv, wanted, provided);
  begun = now(CLOCK_MONOTONIC);
  return answer;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  messages++, bytes += count;
  last = now(CLOCK_MONOTONIC);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status) {
  looks++;
  return PMPI_Iprobe(from, tag, comm, there, status);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "rank %d: %ld messages and %ld bytes sent, %ld looks for one, processor %.3f s; from the "
          "start of MPI the last message "
          "at %.3f s, the end at %.3f s\n",
          rank, messages, bytes, looks, now(CLOCK_PROCESS_CPUTIME_ID), last - begun,
          now(CLOCK_MONOTONIC) - begun);
  return PMPI_Finalize();
}
