#ifndef SWEEP_REMOTE_H
#define SWEEP_REMOTE_H
#include "sweep/ranks.h"
#include "sweep/sweep.h"

/* The rank that a launcher says this process has; -1: it runs alone. Before MPI begins. */
int sweep_rank(void);
/* Begins MPI where a launcher has started this process; *ranks NULL: it runs alone. */
rattle_status sweep_ranks_begin(const sweep_ranks **ranks, rattle_error *error);

/* Ranks above 0: the next cases; a row [width + 1, of which the last is scratch]; that they end. */
rattle_status sweep_ask(const sweep_ranks *ranks, long long *first, long long *count, rattle_error *error);
rattle_status sweep_send(const sweep_ranks *ranks, long long number, double *row, int width, rattle_error *error);
rattle_status sweep_take_leave(const sweep_ranks *ranks, rattle_status status, rattle_error *error);

/* Rank 0: answers until all others have ended. */
typedef struct sweep_server {
  int width;
  rattle_status (*claim)(void *self, long long *first, long long *count, rattle_error *error);
  rattle_status (*put)(void *self, long long number, const double *row, rattle_error *error);
  void *self;
  long long *rows;       /* counts those that were received */
  volatile int *stopped; /* no more cases are handed out; set by a failure */
} sweep_server;
rattle_status sweep_serve(const sweep_ranks *ranks, const sweep_server *server, rattle_error *error);
#endif
