/* The cases of a plan, run by an ensemble into a file of cases. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sweep/remote.h"
#include "sweep/sweep.h"
#include "support/flag.h"

enum { LOOK = 512, BLOCKS_EACH = 8 }; /* rows that are read together to find those that are there */

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
} drive_state;

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  drive_state *s = self;
  const sweep_plan *plan = s->run->plan;
  int parameters = 0, method = 0;
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *q = &plan->quantity[i];
    const double value = q->target == SWEEP_VARIABLE ? 0 : sweep_value(plan, i, c->number);
    if (q->target == SWEEP_PARAMETER) s->parameter[parameters++] = (rattle_parameter){q->name, value};
    if (q->target == SWEEP_METHOD) method = (int)value;
    if (q->target == SWEEP_STEP) c->step = value;
  }
  c->parameter = s->parameter, c->parameters = parameters;
  c->method = plan->method[method];
  const rattle_status status = sweep_steps(plan, c->step, &c->steps, error);
  if (plan->adapts[method] && !isnan(plan->stop)) c->steps = CLI_MOST_STEPS, c->until = &plan->stop;
  return status;
}

static rattle_status begin(void *self, const rattle_case *c, const rattle_problem *problem, double *q, double *p,
                           rattle_error *error) {
  const sweep_plan *plan = ((drive_state *)self)->run->plan;
  const int n = rattle_problem_n(problem);
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *own = &plan->quantity[i];
    if (own->target != SWEEP_VARIABLE) continue;
    if (n != ((drive_state *)self)->run->columns->n)
      return text_fail(error, RATTLE_UNSUITABLE,
                       "the parameters of case %lld change the number of pairs, and %s cannot be set then", c->number, own->name);
    *(own->variable < n ? &q[own->variable] : &p[own->variable - n]) = sweep_value(plan, i, c->number);
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

static rattle_status end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  drive_state *s = self;
  const sweep_run *run = s->run;
  const rattle_status status = sweep_fill(run->columns, run->plan, outcome, s->row, error);
  if (status) return status;
  return run->ranks && run->ranks->rank > 0 ? sweep_send(run->ranks, outcome->of->number, s->row, run->columns->width, error)
                                            : put(self, outcome->of->number, s->row, error);
}

/* The next cases that are not there, of a sweep that is continued. */
static rattle_status find_missing(drive_state *s, long long *first, long long *count, rattle_error *error) {
  const long long cases = s->run->plan->cases;
  while (s->next < cases) {
    if (s->next >= s->looked + s->seen || s->next < s->looked) {
      s->looked = s->next, s->seen = cases - s->next < LOOK ? cases - s->next : LOOK;
      const rattle_status status = rattle_cases_get(s->run->cases, s->looked, s->seen, NULL, s->there, error);
      if (status) return status;
    }
    long long found = 0;
    while (found < *count && s->next + found < s->looked + s->seen && s->there[s->next + found - s->looked] != 1) found++;
    if (found) {
      *first = s->next, *count = found, s->next += found;
      return RATTLE_OK;
    }
    s->next++, s->run->before++;
  }
  *count = 0;
  return RATTLE_OK;
}

/* The next cases, for any rank: a small part of what is left. */
static rattle_status claim_here(void *self, long long *first, long long *count, rattle_error *error) {
  drive_state *s = self;
  rattle_status status = RATTLE_OK;
  pthread_mutex_lock(&s->lock);
  const long long left = s->run->plan->cases - s->next;
  const long long most = s->run->ranks ? 1 + left / (BLOCKS_EACH * s->run->ranks->size) : *count;
  if (*count > most) *count = most;
  if (*count > left) *count = left;
  if (rattle__flag_is_set(&s->stopped)) *count = 0;
  if (s->run->resumed && *count > 0) {
    status = find_missing(s, first, count, error);
  } else {
    *first = s->next, s->next += *count;
  }
  pthread_mutex_unlock(&s->lock);
  return status;
}

static rattle_status claim_there(void *self, long long *first, long long *count, rattle_error *error) {
  return sweep_ask(((drive_state *)self)->run->ranks, first, count, error);
}

static void show(void *self, long long ended, double seconds) {
  drive_state *s = self;
  s->shown = 1;
  (void)ended;
  cli_show_cases(s->run->before + s->finished, s->run->plan->cases, s->failed, (double)s->finished / seconds);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The ensemble of this rank, on a thread of its own, while another answers the other ranks. */
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
  return NULL;
}

/* Rank 0 of several. */
static rattle_status lead(drive_state *s, const rattle_ensemble_options *how, rattle_error *error) {
  own_part own = {.state = s, .how = how};
  const sweep_server server = {.width = s->run->columns->width,
                               .claim = claim_here,
                               .put = put,
                               .self = s,
                               .rows = &s->run->others,
                               .stopped = &s->stopped};
  pthread_t thread;
  const int alone = pthread_create(&thread, NULL, run_own, &own) != 0;
  rattle_status status = sweep_serve(s->run->ranks, &server, error);
  if (alone)
    run_own(&own);
  else
    pthread_join(thread, NULL);
  if (!status && own.status) *error = own.error, status = own.status;
  return status;
}

/* All cases, or the part of this rank. */
static rattle_status run_part(drive_state *s, const rattle_ensemble_options *how, rattle_error *error) {
  sweep_run *run = s->run;
  rattle_status status;
  if (run->ranks && run->ranks->rank == 0) {
    status = lead(s, how, error);
  } else {
    status = rattle_ensemble(run->problem, how, &run->ended, error);
    if (run->ranks) return sweep_take_leave(run->ranks, status, error);
  }
  run->ended = s->finished;
  return status;
}

rattle_status sweep_drive(sweep_run *run, rattle_error *error) {
  const sweep_plan *plan = run->plan;
  drive_state s = {.run = run,
                   .parameter = calloc((size_t)plan->quantities + 1, sizeof *s.parameter),
                   .row = calloc((size_t)run->columns->width + 1, sizeof *s.row)};
  const int follows = run->ranks && run->ranks->rank > 0;
  for (int c = 0; run->columns->what[c].kind != SWEEP_STATUS; c++) s.at_status += run->columns->column[c].width;
  pthread_mutex_init(&s.lock, NULL);
  const int progress = !run->quiet && !(run->ranks && run->ranks->rank > 0) && isatty(STDERR_FILENO);
  const rattle_events at = {.struct_size = sizeof at, .times = plan->at, .time_count = plan->ats};
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = plan->cases,
                                       .threads = run->threads,
                                       .keep = plan->keep | (plan->observables ? RATTLE_KEEP_OBSERVABLES : 0),
                                       .every = plan->every,
                                       .events = plan->ats ? &at : NULL,
                                       .method = plan->method[0],
                                       .start = plan->start,
                                       .step = plan->step,
                                       .project = plan->project,
                                       .wished = plan->wished,
                                       .parse = rattle_model_parse,
                                       .evaluator = run->evaluator,
                                       .describe = describe,
                                       .begin = begin,
                                       .end = end,
                                       .claim = follows                      ? claim_there
                                                : run->resumed || run->ranks ? claim_here
                                                                             : NULL,
                                       .self = &s,
                                       .interrupt = run->stop,
                                       .progress = progress ? show : NULL};
  const double began = now();
  rattle_status status = s.parameter && s.row ? run_part(&s, &how, error) : text_no_memory(error);
  run->seconds = now() - began;
  if (s.shown) cli_wipe_line();
  pthread_mutex_destroy(&s.lock);
  free(s.parameter), free(s.row);
  return status;
}
