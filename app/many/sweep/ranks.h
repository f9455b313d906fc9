#ifndef SWEEP_RANKS_H
#define SWEEP_RANKS_H
/* Functions that a sweep needs of MPI: plugins/mpi has them, in a shared object that the command
 * loads when it was started by mpirun or srun. */

/* Functions return 0, and -1 where MPI fails. Calls come from the thread that began MPI; those that
 * wait sleep meanwhile. */
typedef struct sweep_ranks {
  int version; /* SWEEP_RANKS_VERSION */
  int rank, size;
  /* The largest of all ranks' values, to each of them. */
  int (*largest)(int value, int *of_all);
  int (*send)(int to, int tag, const void *bytes, int size);
  /* Waits for a message of that size at most. */
  int (*receive)(int from, int tag, void *bytes, int room);
  /* *there: whether there is a message, from whom, with which tag and size. */
  int (*look)(int *there, int *from, int *tag, int *size);
  /* Waits for all ranks, and ends MPI. */
  int (*end)(void);
} sweep_ranks;

enum { SWEEP_RANKS_VERSION = 2 };

/* The function of that name begins MPI; NULL: it cannot. */
#define SWEEP_RANKS_FUNCTION "rattle_mpi_begin"
typedef const sweep_ranks *sweep_ranks_begin_function(void);
#endif
