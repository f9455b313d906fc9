/* The cases of a plan, run by an ensemble into a file of cases. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "many/sweep/remote.h"
#include "many/sweep/sweep.h"
#include "ground/support/flag.h"

/* Rows that are read together to find those that are there; blocks for each rank, if all were as
 * large as the next one */
enum { LOOK = 512, BLOCKS_EACH = 8 };

typedef struct sweep_drive_state {
  sweep_run *run;
  rattle_parameter *parameter; /* [quantities] */
  double *row;
  long long next; /* of a sweep that is continued: the first case whose row has not been read yet */
  signed char there[LOOK];
  long long looked, seen;     /* `there` is of cases [looked, looked + seen) */
  long long failed, finished; /* of all ranks */
  int shown, at_status;       /* place of the status in a row */
  pthread_mutex_t lock;       /* of rank 0: of what both of its threads use */
  volatile int stopped;       /* no more cases */
  sweep_share share;          /* of ranks above 0 */
} drive_state;

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  drive_state *s = self;
  const sweep_plan *plan = s->run->plan;
  int parameters = 0, method = 0;
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *q = &plan->quantity[i];
    const double value = q->target == SWEEP_VARIABLE ? 0 : sweep_value(plan, i, c->number);
    if (q->target == SWEEP_PARAMETER)
      s->parameter[parameters++] = (rattle_parameter){q->name, value};
    if (q->target == SWEEP_METHOD) method = (int)value;
    if (q->target == SWEEP_STEP) c->step = value;
  }
  c->parameter = s->parameter, c->parameters = parameters;
  c->method = plan->method[method];
  const rattle_status status = sweep_steps(plan, c->step, &c->steps, error);
  if (plan->adapts[method] && !isnan(plan->stop)) c->steps = CLI_MOST_STEPS, c->until = &plan->stop;
  return status;
}

static rattle_status begin(void *self, const rattle_case *c, const rattle_problem *problem,
                           double *q, double *p, rattle_error *error) {
  const sweep_plan *plan = ((drive_state *)self)->run->plan;
  const int n = rattle_problem_n(problem);
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *own = &plan->quantity[i];
    if (own->target != SWEEP_VARIABLE) continue;
    if (n != ((drive_state *)self)->run->columns->n)
      return text_fail(
          error, RATTLE_UNSUITABLE,
          "the parameters of case %lld change the number of pairs, and %s cannot be set then",
          c->number, own->name);
    *(own->variable < n ? &q[own->variable] : &p[own->variable - n]) =
        sweep_value(plan, i, c->number);
  }
  return RATTLE_OK;
}

/* A row of any rank. */
static rattle_status put(void *self, long long number, const double *row, rattle_error *error) {
  drive_state *s = self;
  pthread_mutex_lock(&s->lock);
  s->failed += row[s->at_status] != RATTLE_OK, s->finished++;
  const rattle_status status = rattle_cases_put(s->run->cases, number, row, error);
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* True if another rank has the file. */
static int follows(const sweep_run *run) {
  return run->ranks && run->ranks->rank > 0;
}

static rattle_status end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  drive_state *s = self;
  const sweep_run *run = s->run;
  const rattle_status status = sweep_fill(run->columns, run->plan, outcome, s->row, error);
  if (status) return status;
  return follows(run) ? sweep_share_put(&s->share, outcome->of->number, s->row, error)
                      : put(self, outcome->of->number, s->row, error);
}

/* The next cases that are not there, of a sweep that is continued. */
static rattle_status find_missing(drive_state *s, long long *first, long long *count,
                                  rattle_error *error) {
  const long long cases = s->run->plan->cases;
  while (s->next < cases) {
    if (s->next >= s->looked + s->seen || s->next < s->looked) {
      s->looked = s->next, s->seen = cases - s->next < LOOK ? cases - s->next : LOOK;
      const rattle_status status =
          rattle_cases_get(s->run->cases, s->looked, s->seen, NULL, s->there, error);
      if (status) return status;
    }
    long long found = 0;
    while (found < *count && s->next + found < s->looked + s->seen &&
           s->there[s->next + found - s->looked] != 1)
      found++;
    if (found) {
      *first = s->next, *count = found, s->next += found;
      return RATTLE_OK;
    }
    s->next++, s->run->before++;
  }
  *count = 0;
  return RATTLE_OK;
}

/* The next cases, for any rank: a small part of what is left, but not less than it wishes. */
static rattle_status hand_out(void *self, const sweep_wish *wish, sweep_block *block,
                              rattle_error *error) {
  drive_state *s = self;
  rattle_status status = RATTLE_OK;
  pthread_mutex_lock(&s->lock);
  const long long left = s->run->plan->cases - s->next;
  long long count = wish->most;
  if (s->run->ranks) {
    const long long part = 1 + left / (BLOCKS_EACH * (long long)s->run->ranks->size);
    count = part < wish->least ? wish->least : part < wish->most ? part : wish->most;
  }
  if (count > left) count = left;
  if (rattle__flag_is_set(&s->stopped)) count = 0;
  if (s->run->resumed && count > 0)
    status = find_missing(s, &block->first, &count, error);
  else
    block->first = s->next, s->next += count;
  block->count = count;
  pthread_mutex_unlock(&s->lock);
  return status;
}

static rattle_status claim_here(void *self, long long *first, long long *count,
                                rattle_error *error) {
  const sweep_wish wish = {.most = *count, .least = 1};
  sweep_block block = {0};
  const rattle_status status = hand_out(self, &wish, &block, error);
  *first = block.first, *count = block.count;
  return status;
}

static rattle_status claim_there(void *self, long long *first, long long *count,
                                 rattle_error *error) {
  return sweep_share_claim(&((drive_state *)self)->share, first, count, error);
}

static void show(void *self, long long ended, double seconds) {
  drive_state *s = self;
  s->shown = 1;
  (void)ended;
  cli_show_cases(s->run->before + s->finished, s->run->plan->cases, s->failed,
                 (double)s->finished / seconds);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The ensemble of this rank, on a thread of its own, while the main thread speaks with the other
 * ranks. */
typedef struct own_part {
  drive_state *state;
  const rattle_ensemble_options *how;
  rattle_status status;
  rattle_error error;
} own_part;

static void *run_own(void *self) {
  own_part *own = self;
  long long ended;
  own->status = rattle_ensemble(own->state->run->problem, own->how, &ended, &own->error);
  if (own->status) rattle__flag_set(&own->state->stopped);
  sweep_share_close(&own->state->share);
  return NULL;
}

/* Runs the cases as one of several ranks. */
static rattle_status take_part(drive_state *s, const rattle_ensemble_options *how,
                               rattle_error *error) {
  own_part own = {.state = s, .how = how};
  const sweep_ranks *ranks = s->run->ranks;
  const sweep_server server = {.width = s->run->columns->width,
                               .claim = hand_out,
                               .put = put,
                               .self = s,
                               .rows = &s->run->others,
                               .stopped = &s->stopped};
  pthread_t thread;
  const int alone = pthread_create(&thread, NULL, run_own, &own) != 0;
  if (alone) {
    own.status = text_fail(&own.error, RATTLE_NO_MEMORY,
                           "no thread could be created for the cases of rank %d", ranks->rank);
    rattle__flag_set(&s->stopped), sweep_share_close(&s->share);
  }
  rattle_status status = follows(s->run) ? sweep_share_carry(&s->share, ranks, error)
                                         : sweep_serve(ranks, &server, error);
  if (!alone) pthread_join(thread, NULL);
  if (!status && own.status) *error = own.error, status = own.status;
  return follows(s->run) ? sweep_take_leave(ranks, status, error) : status;
}

rattle_status sweep_drive(sweep_run *run, rattle_error *error) {
  const sweep_plan *plan = run->plan;
  drive_state s = {.run = run,
                   .parameter = calloc((size_t)plan->quantities + 1, sizeof *s.parameter),
                   .row = calloc((size_t)run->columns->width + 1, sizeof *s.row)};
  for (int c = 0; run->columns->what[c].kind != SWEEP_STATUS; c++)
    s.at_status += run->columns->column[c].width;
  pthread_mutex_init(&s.lock, NULL);
  sweep_share_init(&s.share, run->columns->width);
  const int progress = !run->quiet && !follows(run) && isatty(STDERR_FILENO);
  const rattle_events at = {.struct_size = sizeof at, .times = plan->at, .time_count = plan->ats};
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = plan->cases,
                                       .threads = run->threads,
                                       .keep = plan->keep |
                                               (plan->observables ? RATTLE_KEEP_OBSERVABLES : 0),
                                       .every = plan->every,
                                       .events = plan->ats ? &at : NULL,
                                       .method = plan->method[0],
                                       .start = plan->start,
                                       .step = plan->step,
                                       .project = plan->project,
                                       .wished = plan->wished,
                                       .certify = plan->certify,
                                       .parse = rattle_model_parse,
                                       .evaluator = run->evaluator,
                                       .describe = describe,
                                       .begin = begin,
                                       .end = end,
                                       .claim = follows(run)                 ? claim_there
                                                : run->resumed || run->ranks ? claim_here
                                                                             : NULL,
                                       .self = &s,
                                       .interrupt = run->interrupt,
                                       .progress = progress ? show : NULL};
  const double began = now();
  rattle_status status = !s.parameter || !s.row ? text_no_memory(error)
                         : run->ranks           ? take_part(&s, &how, error)
                                                : rattle_ensemble(run->problem, &how, NULL, error);
  run->ended = s.finished;
  run->seconds = now() - began;
  if (s.shown) cli_wipe_line();
  pthread_mutex_destroy(&s.lock);
  sweep_share_free(&s.share);
  free(s.parameter), free(s.row);
  return status;
}
