/* Lines of jobs on threads (jobs.h). One lock guards all of the pool but the counters that are
 * atomic. */
#define _GNU_SOURCE
#include "examine/study/jobs.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/flag.h"

enum { MOST_THREADS = 256 };
static const double progress_seconds = 0.1; /* seconds from one progress to the next */

typedef struct job_line {
  int begun, asked; /* jobs handed out; jobs that enough was asked about */
  int running;
  char *finished; /* [most] */
  atomic_int ended;
} job_line;

typedef struct pool {
  rattle__jobs *jobs;
  const rattle__progress *progress;
  job_line *line;
  pthread_mutex_t lock;
  pthread_cond_t change; /* a job ended, or a thread did */
  int threads;           /* alive */
  long long runs;
  double reported; /* when progress was last reported */
  atomic_llong maps;
  atomic_int starved; /* a job found no memory */
} pool;

struct rattle__job {
  pool *pool;
  job_line *line;
};

double rattle__study_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int interrupted(const pool *p) {
  return rattle__flag_is_set(p->progress->options->interrupt);
}

int rattle__job_stopped(const rattle__job *job) {
  return interrupted(job->pool) || atomic_load_explicit(&job->line->ended, memory_order_relaxed);
}

const volatile int *rattle__job_interrupt(const rattle__job *job) {
  return job->pool->progress->options->interrupt;
}

void rattle__job_tell(rattle__job *job, long long maps) {
  atomic_fetch_add_explicit(&job->pool->maps, maps, memory_order_relaxed);
}

void rattle__job_starve(rattle__job *job) {
  atomic_store(&job->pool->starved, 1);
}

static double price(const pool *p, int i) {
  return p->jobs->price ? p->jobs->price(p->jobs->self, i) : 0;
}

/* The line to serve next: with jobs left, of these with the fewest running, and of these the
 * cheapest. -1: none now. *left: lines not ended. */
static int choose(pool *p, int *left) {
  int best = -1;
  double least = 0;
  *left = 0;
  for (int i = 0; i < p->jobs->lines; i++) {
    job_line *l = &p->line[i];
    if (atomic_load(&l->ended)) continue;
    ++*left;
    if (p->jobs->in_turn && l->running) continue;
    if (l->begun >= p->jobs->most[i] || (best >= 0 && l->running > p->line[best].running)) continue;
    double own = price(p, i);
    if (best < 0 || l->running < p->line[best].running || own < least) best = i, least = own;
  }
  return best;
}

/* Ends lines whose rest is not wanted. */
static void drop(pool *p) {
  for (int i = 0; i < p->jobs->lines; i++)
    if (!atomic_load(&p->line[i].ended) && isinf(price(p, i))) atomic_store(&p->line[i].ended, 1);
}

/* Asks, in order, about the jobs that are finished. */
static void ask(pool *p, int i) {
  job_line *l = &p->line[i];
  while (l->asked < l->begun && l->finished[l->asked] && !atomic_load(&l->ended)) {
    int k = l->asked++;
    int enough = p->jobs->enough ? p->jobs->enough(p->jobs->self, i, k) : 0;
    if (enough || l->asked == p->jobs->most[i]) atomic_store(&l->ended, 1);
  }
}

static void serve(pool *p) {
  pthread_mutex_lock(&p->lock);
  for (;;) {
    int left, i = choose(p, &left);
    if (left == 0 || interrupted(p)) break;
    if (i < 0) {
      pthread_cond_wait(&p->change, &p->lock);
      continue;
    }
    job_line *l = &p->line[i];
    rattle__job job = {.pool = p, .line = l};
    int k = l->begun++;
    l->running++;
    pthread_mutex_unlock(&p->lock);

    p->jobs->work(p->jobs->self, i, k, &job);

    pthread_mutex_lock(&p->lock);
    l->running--;
    p->runs++;
    l->finished[k] = !interrupted(p);
    ask(p, i);
    drop(p);
    pthread_cond_broadcast(&p->change);
  }
  p->threads--;
  pthread_cond_broadcast(&p->change);
  pthread_mutex_unlock(&p->lock);
}

static void *thread(void *self) {
  serve(self);
  return NULL;
}

static void tell(pool *p, long long runs) {
  const rattle_study_options *options = p->progress->options;
  long long most = 0;
  double now = rattle__study_clock();
  if (!options->progress || now - p->reported < progress_seconds) return;
  p->reported = now;
  for (int i = 0; i < p->jobs->lines; i++) most += p->jobs->most[i];
  rattle_study_progress progress = {.stage = p->progress->stage,
                                    .runs = runs,
                                    .runs_most = most,
                                    .maps = (double)atomic_load(&p->maps),
                                    .seconds = now - p->progress->began};
  options->progress(options->self, &progress);
}

/* Until all threads have ended; reports progress meanwhile. */
static void await(pool *p) {
  pthread_mutex_lock(&p->lock);
  while (p->threads > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long long ns = until.tv_nsec + (long long)(1e9 * progress_seconds);
    until.tv_sec += ns / 1000000000, until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&p->change, &p->lock, &until);
    long long runs = p->runs;
    pthread_mutex_unlock(&p->lock);
    tell(p, runs);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

int rattle__study_threads(const rattle_study_options *options) {
  const long long wanted = options->threads < 1 ? sysconf(_SC_NPROCESSORS_ONLN) : options->threads;
  return wanted < 1 ? 1 : wanted > MOST_THREADS ? MOST_THREADS : (int)wanted;
}

static int thread_count(const pool *p) {
  const int wanted = rattle__study_threads(p->progress->options);
  long long jobs = 0;
  for (int i = 0; i < p->jobs->lines; i++) jobs += p->jobs->most[i];
  return jobs < 1 ? 1 : wanted > jobs ? (int)jobs : wanted;
}

/* Threads that cannot be created are not needed; with none the caller does the work. */
static void run(pool *p) {
  pthread_t *id = calloc((size_t)MOST_THREADS, sizeof *id);
  int wanted = thread_count(p), started = 0;
  pthread_mutex_lock(&p->lock);
  while (id && started < wanted && !pthread_create(&id[started], NULL, thread, p)) started++;
  p->threads = started ? started : 1;
  pthread_mutex_unlock(&p->lock);
  if (started)
    await(p);
  else
    serve(p);
  for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
  free(id);
}

rattle_status rattle__jobs_run(rattle__jobs *jobs, const rattle__progress *progress,
                               rattle_error *error) {
  pool p = {.jobs = jobs,
            .progress = progress,
            .line = calloc((size_t)jobs->lines + 1, sizeof *p.line),
            .reported = rattle__study_clock()};
  int failed = !p.line, whole = 1;
  for (int i = 0; i < jobs->lines && !failed; i++) {
    p.line[i].finished = calloc((size_t)jobs->most[i] + 1, 1);
    failed = !p.line[i].finished;
    atomic_init(&p.line[i].ended, jobs->most[i] < 1);
  }
  atomic_init(&p.maps, 0), atomic_init(&p.starved, 0);
  if (!failed) {
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.change, NULL);
    run(&p);
    pthread_cond_destroy(&p.change);
    pthread_mutex_destroy(&p.lock);
  }
  for (int i = 0; i < jobs->lines && p.line; i++) {
    jobs->done[i] = p.line[i].asked;
    whole &= atomic_load(&p.line[i].ended);
    free(p.line[i].finished);
  }
  free(p.line);
  if (failed || atomic_load(&p.starved)) return rattle__no_memory(error);
  if (!whole)
    return rattle__fail(error, RATTLE_INTERRUPTED, progress->stage,
                        "interrupted after %lld runs (%s)", p.runs, progress->stage);
  return RATTLE_OK;
}
