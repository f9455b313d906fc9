/* The cases of a plan, run by an ensemble into a file of cases. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sweep/sweep.h"

enum { LOOK = 512 }; /* rows that are looked at together for those that are there */

typedef struct sweep_drive_state {
  sweep_run *run;
  rattle_parameter *parameter; /* [quantities] */
  double *row;
  long long next; /* of a sweep that is continued: the first case that nobody has looked at */
  signed char there[LOOK];
  long long looked, seen; /* `there` is of cases [looked, looked + seen) */
  long long failed;
  int shown;
} drive_state;

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  drive_state *s = self;
  const sweep_plan *plan = s->run->plan;
  int parameters = 0;
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *q = &plan->quantity[i];
    const double value = q->target == SWEEP_VARIABLE ? 0 : sweep_value(plan, i, c->number);
    if (q->target == SWEEP_PARAMETER) s->parameter[parameters++] = (rattle_parameter){q->name, value};
    if (q->target == SWEEP_METHOD) c->method = plan->method[(int)value];
    if (q->target == SWEEP_STEP) c->step = value;
  }
  c->parameter = s->parameter, c->parameters = parameters;
  rattle_method *method = NULL;
  rattle_status status = rattle_method_parse(&method, c->method, error);
  const int by_time = !status && rattle_method_adapts(method) && !isnan(plan->stop);
  rattle_method_destroy(&method);
  if (!status) status = sweep_steps(plan, c->step, &c->steps, error);
  if (by_time) c->steps = CLI_MOST_STEPS, c->until = &plan->stop;
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

static rattle_status end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  drive_state *s = self;
  rattle_status status = sweep_fill(s->run->columns, s->run->plan, outcome, s->row, error);
  if (!status) status = rattle_cases_put(s->run->cases, outcome->of->number, s->row, error);
  s->failed += outcome->status != RATTLE_OK;
  return status;
}

/* The next cases that are not there. */
static rattle_status claim(void *self, long long *first, long long *count, rattle_error *error) {
  drive_state *s = self;
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

static void show(void *self, long long ended, double seconds) {
  drive_state *s = self;
  s->shown = 1;
  cli_show_cases(s->run->before + ended, s->run->plan->cases, s->failed, (double)ended / seconds);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

rattle_status sweep_drive(sweep_run *run, rattle_error *error) {
  const sweep_plan *plan = run->plan;
  drive_state s = {.run = run,
                   .parameter = calloc((size_t)plan->quantities + 1, sizeof *s.parameter),
                   .row = calloc((size_t)run->columns->width + 1, sizeof *s.row)};
  const int progress = !run->quiet && isatty(STDERR_FILENO);
  const rattle_events at = {.struct_size = sizeof at, .times = plan->at, .time_count = plan->ats};
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = plan->cases,
                                       .threads = run->threads,
                                       .keep = plan->keep,
                                       .every = plan->every,
                                       .events = plan->ats ? &at : NULL,
                                       .method = plan->method[0],
                                       .start = plan->start,
                                       .step = plan->step,
                                       .project = plan->project,
                                       .parse = rattle_model_parse,
                                       .evaluator = run->evaluator,
                                       .describe = describe,
                                       .begin = begin,
                                       .end = end,
                                       .claim = run->resumed ? claim : NULL,
                                       .self = &s,
                                       .interrupt = run->stop,
                                       .progress = progress ? show : NULL};
  const double began = now();
  rattle_status status = s.parameter && s.row ? rattle_ensemble(run->problem, &how, &run->ended, error) : text_no_memory(error);
  run->seconds = now() - began;
  if (s.shown) cli_wipe_line();
  free(s.parameter), free(s.row);
  return status;
}
