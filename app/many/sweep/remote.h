#ifndef SWEEP_REMOTE_H
#define SWEEP_REMOTE_H
#include <pthread.h>

#include "many/sweep/ranks.h"
#include "many/sweep/sweep.h"

/* The rank that a launcher says this process has; -1: it runs alone. Before MPI begins. */
int sweep_rank(void);
/* Begins MPI where a launcher has started this process; *ranks NULL: it runs alone. */
rattle_status sweep_ranks_begin(const sweep_ranks **ranks, rattle_error *error);

/* Messages. To rank 0: a wish for cases, rows of `width` numbers and the number of their case, the
 * last word of a rank; from it: cases. */
enum { SWEEP_CLAIM = 1, SWEEP_ANSWER, SWEEP_ROWS, SWEEP_DONE };
typedef struct sweep_wish {
  long long most, least;
} sweep_wish;
typedef struct sweep_block {
  long long first, count; /* count 0: there are no more */
} sweep_block;
typedef struct sweep_last_word {
  rattle_status status;
  char message[1024];
} sweep_last_word;
rattle_status sweep_message_lost(rattle_error *error);

/* --- share.c: ranks above 0 --- */
/* Cases at hand, and rows that wait to be sent. Threads of the ensemble take cases and leave rows;
 * the main thread alone speaks with rank 0. */
typedef struct sweep_share {
  pthread_mutex_t lock;
  pthread_cond_t change;
  int width;
  sweep_block block, next; /* cases at hand; those that follow them */
  int hungry;              /* a thread waits for cases */
  int over, lost, ended;   /* rank 0 has no more; it does not answer; the ensemble has returned */
  double *row;             /* [rows][width + 1] */
  long long rows, room;    /* that wait; that there is room for */
  double oldest;           /* when the first of them was left */
  double start, starved;   /* of the ensemble; seconds in which it had no cases */
  long long done;          /* cases that have ended */
} sweep_share;
void sweep_share_init(sweep_share *share, int width);
void sweep_share_free(sweep_share *share);
/* For the ensemble; that it has returned. */
rattle_status sweep_share_claim(sweep_share *share, long long *first, long long *count,
                                rattle_error *error);
rattle_status sweep_share_put(sweep_share *share, long long number, const double *row,
                              rattle_error *error);
void sweep_share_close(sweep_share *share);
/* Brings cases and sends rows until the ensemble has returned. */
rattle_status sweep_share_carry(sweep_share *share, const sweep_ranks *ranks, rattle_error *error);
/* Says that this rank ends, and how. */
rattle_status sweep_take_leave(const sweep_ranks *ranks, rattle_status status, rattle_error *error);

/* --- remote.c: rank 0 answers until all others have ended --- */
typedef struct sweep_server {
  int width;
  /* The next cases for a rank with that wish. */
  rattle_status (*claim)(void *self, const sweep_wish *wish, sweep_block *block,
                         rattle_error *error);
  rattle_status (*put)(void *self, long long number, const double *row, rattle_error *error);
  void *self;
  long long *rows;       /* counts those that were received */
  volatile int *stopped; /* no more cases are handed out; set by a failure */
} sweep_server;
rattle_status sweep_serve(const sweep_ranks *ranks, const sweep_server *server,
                          rattle_error *error);
#endif
