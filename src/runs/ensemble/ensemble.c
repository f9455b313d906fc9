/* Ensembles: the threads, how each of them takes its next cases, and how all of them end.
 *
 * Threads take cases by blocks of consecutive numbers, so that cases with the same parameters come
 * to one thread; blocks are small against the rest, so that all threads end together. */
#include "rattle/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runs/ensemble/worker.h"
#include "ground/expr/native.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"

enum { MOST_THREADS = 1024, LARGEST_BLOCK = 64, BLOCKS_EACH = 8 };
static const double progress_seconds = 0.1; /* from one progress to the next */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends the ensemble for this reason, if it is the first. */
static void stop(rattle__ensemble *e, rattle_status status, const rattle_error *error) {
  pthread_mutex_lock(&e->lock);
  if (!e->status) e->status = status, e->error = *error;
  rattle__flag_set(&e->stop);
  pthread_mutex_unlock(&e->lock);
}

/* The next block. */
static rattle_status claim(rattle__ensemble *e, long long *first, long long *count,
                           rattle_error *error) {
  const rattle_ensemble_options *o = e->options;
  rattle_status status = RATTLE_OK;
  pthread_mutex_lock(&e->lock);
  const long long left = o->cases - e->next,
                  share = left / (BLOCKS_EACH * (long long)e->threads + 1);
  *count = share < 1 ? 1 : share > LARGEST_BLOCK ? LARGEST_BLOCK : share;
  if (o->claim) {
    status = o->claim(o->self, first, count, error);
  } else {
    *first = e->next;
    if (*count > left) *count = left;
  }
  e->next = *first + *count;
  pthread_mutex_unlock(&e->lock);
  return status;
}

static void serve(rattle__ensemble *e) {
  rattle__worker w = {.shared = e};
  rattle_error error = {0};
  rattle_status status = RATTLE_OK;
  while (!status && !rattle__ensemble_stopped(e)) {
    long long first = 0, count = 0;
    status = claim(e, &first, &count, &error);
    if (!status && count < 1) break;
    for (long long k = first; k < first + count && !status && !rattle__ensemble_stopped(e); k++)
      status = rattle__worker_run(&w, k, &error);
  }
  if (!status && !rattle__ensemble_stopped(e)) status = rattle__wide_finish(&w, &error);
  rattle__worker_release(&w);
  if (status) stop(e, status, &error);
  pthread_mutex_lock(&e->lock);
  e->threads--;
  pthread_cond_broadcast(&e->change);
  pthread_mutex_unlock(&e->lock);
}

static void *thread(void *self) {
  serve(self);
  return NULL;
}

/* Until all threads have ended; reports progress meanwhile. */
static void await(rattle__ensemble *e, double began) {
  pthread_mutex_lock(&e->lock);
  while (e->threads > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const long long ns = until.tv_nsec + (long long)(1e9 * progress_seconds);
    until.tv_sec += ns / 1000000000, until.tv_nsec = ns % 1000000000;
    if (!pthread_cond_timedwait(&e->change, &e->lock, &until)) continue;
    const long long ended = e->ended;
    if (rattle__ensemble_stopped(e)) rattle__flag_set(&e->stop);
    if (!e->options->progress) continue;
    pthread_mutex_unlock(&e->lock);
    e->options->progress(e->options->self, ended, now() - began);
    pthread_mutex_lock(&e->lock);
  }
  pthread_mutex_unlock(&e->lock);
}

static int thread_count(const rattle_ensemble_options *o) {
  long long wanted = o->threads > 0 ? o->threads : sysconf(_SC_NPROCESSORS_ONLN);
  if (wanted > o->cases) wanted = o->cases;
  return wanted < 1 ? 1 : wanted > MOST_THREADS ? MOST_THREADS : (int)wanted;
}

/* Threads that cannot be created are not needed; without any the caller does the work. */
static void run(rattle__ensemble *e) {
  pthread_t *id = calloc(MOST_THREADS, sizeof *id);
  const int wanted = thread_count(e->options);
  const double began = now();
  int started = 0;
  e->wanted = wanted;
  pthread_mutex_lock(&e->lock);
  while (id && started < wanted && !pthread_create(&id[started], NULL, thread, e)) started++;
  e->threads = started ? started : 1;
  e->flag = started ? &e->stop : e->options->interrupt;
  pthread_mutex_unlock(&e->lock);
  if (started)
    await(e, began);
  else
    serve(e);
  for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
  free(id);
}

static rattle_status check(const rattle_problem *problem, const rattle_ensemble_options *o,
                           rattle_error *error) {
  const int all = RATTLE_KEEP_SUMMARY | RATTLE_KEEP_EVENTS | RATTLE_KEEP_SAMPLES |
                  RATTLE_KEEP_OBSERVABLES | RATTLE_KEEP_CHAOS | RATTLE_KEEP_ERRORS |
                  RATTLE_KEEP_EXTREMES;
  if (o->cases < 0 || o->threads < 0 || o->every < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_ensemble",
                        "%lld cases, %d threads, every %lld steps: none of them may be negative",
                        o->cases, o->threads, o->every);
  if (o->keep & ~all)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "keep",
                        "keep is %d: expected a sum of RATTLE_KEEP_...", o->keep);
  if (!problem && !o->describe)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_ensemble",
                        "there is no problem, and no `describe` that gives one");
  return rattle__lanes_check(o->lanes, error);
}

rattle_status rattle_ensemble(const rattle_problem *problem, const rattle_ensemble_options *given,
                              long long *ended, rattle_error *error) {
  rattle_ensemble_options own;
  rattle__ensemble e = {.problem = problem, .options = &own};
  if (ended) *ended = 0;
  rattle_status status = RATTLE__TAKE(&own, rattle_ensemble_options, progress, given, error);
  if (!status) status = check(problem, &own, error);
  if (status) return status;
  if (own.cases == 0) return RATTLE_OK;
  pthread_mutex_init(&e.lock, NULL);
  pthread_cond_init(&e.change, NULL);
  run(&e);
  rattle__problem_set_release(&e.problems);
  pthread_cond_destroy(&e.change);
  pthread_mutex_destroy(&e.lock);
  if (ended) *ended = e.ended;
  if (e.status && e.status != RATTLE_INTERRUPTED) {
    if (error) *error = e.error;
    return e.status;
  }
  if (!rattle__flag_is_set(own.interrupt) || (!own.claim && e.ended == own.cases)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_INTERRUPTED, "rattle_ensemble",
                      "interrupted after %lld of %lld cases", e.ended, own.cases);
}
