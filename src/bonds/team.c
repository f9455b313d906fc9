/* Threads that help a caller: see team.h. */
#include "bonds/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct helper {
  rattle__team *team;
  pthread_t id;
  int who;
} helper;

struct rattle__team {
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  rattle__share *share; /* of the work that helpers may join; NULL: none */
  void *work;
  atomic_ulong count, inside; /* works so far; helpers in the one at hand */
  double began, wake;         /* when that was; the least time that waking a helper took, 0: none */
  int quit, helpers;
  pid_t process;
  helper helper[];
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for *number to leave `value`, but no longer than `time`. */
static void look(const atomic_ulong *number, unsigned long value, double time) {
  const double end = now() + time;
  while (atomic_load(number) == value && now() < end) continue;
}

/* Waits for the next work; the lock is held before and after. */
static void rest(rattle__team *t, unsigned long done) {
  const double time = t->wake;
  pthread_mutex_unlock(&t->lock);
  look(&t->count, done, time);
  pthread_mutex_lock(&t->lock);
  if (t->count != done) return;
  pthread_cond_wait(&t->begin, &t->lock);
  if (t->count == done || !t->share) return;
  const double took = now() - t->began;
  if (t->wake == 0 || took < t->wake) t->wake = took;
}

static void *help(void *argument) {
  const helper *self = argument;
  rattle__team *t = self->team;
  unsigned long done = 0;
  pthread_mutex_lock(&t->lock);
  while (!t->quit) {
    if (t->count == done) {
      rest(t, done);
      continue;
    }
    done = t->count;
    rattle__share *share = t->share;
    if (!share) continue; /* over */
    t->inside++;
    pthread_mutex_unlock(&t->lock);
    share(t->work, self->who);
    pthread_mutex_lock(&t->lock);
    if (--t->inside == 0) pthread_cond_signal(&t->end);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

/* Signals are for the threads of the program. */
static void start(rattle__team *t, int helpers) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int k = 0; k < helpers; k++) {
    helper *h = &t->helper[k];
    *h = (helper){.team = t, .who = k + 1};
    if (pthread_create(&h->id, NULL, help, h)) break;
    t->helpers++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

rattle__team *rattle__team_create(int helpers) {
  rattle__team *t = helpers > 0 ? calloc(1, sizeof *t + (size_t)helpers * sizeof(helper)) : NULL;
  if (!t) return NULL;
  t->process = getpid();
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->begin, NULL);
  pthread_cond_init(&t->end, NULL);
  start(t, helpers);
  if (!t->helpers) rattle__team_destroy(&t);
  return t;
}

void rattle__team_destroy(rattle__team **team) {
  rattle__team *t = *team;
  *team = NULL;
  if (!t) return;
  if (t->process == getpid()) {
    pthread_mutex_lock(&t->lock);
    t->quit = 1;
    t->count++;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (int k = 0; k < t->helpers; k++) pthread_join(t->helper[k].id, NULL);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->end);
    pthread_mutex_destroy(&t->lock);
  }
  free(t);
}

/* Waits for helpers to leave; the lock is held before and after. */
static void await(rattle__team *t) {
  const double end = now() + t->wake;
  while (t->inside && now() < end) {
    const unsigned long inside = t->inside;
    pthread_mutex_unlock(&t->lock);
    look(&t->inside, inside, end - now());
    pthread_mutex_lock(&t->lock);
  }
  while (t->inside) pthread_cond_wait(&t->end, &t->lock);
}

void rattle__team_run(rattle__team *t, rattle__share *share, void *work) {
  if (!t || t->process != getpid()) {
    share(work, 0);
    return;
  }
  pthread_mutex_lock(&t->lock);
  t->share = share;
  t->work = work;
  t->count++;
  t->began = now();
  pthread_cond_broadcast(&t->begin);
  pthread_mutex_unlock(&t->lock);
  share(work, 0);
  pthread_mutex_lock(&t->lock);
  t->share = NULL;
  await(t);
  pthread_mutex_unlock(&t->lock);
}
