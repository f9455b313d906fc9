/* Chains side by side on threads. Each chain is one job; its draws are those of its number
 * alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs/integrate/wide.h"
#include "problem/functions/problem.h"
#include "rattle/fields.h"
#include "rattle/model.h"
#include "rattle/sample.h"
#include "runs/sample/lanes.h"
#include "runs/start/start.h"
#include "examine/study/jobs.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "ground/support/sized.h"

struct rattle_sampling {
  rattle_sampling_options options;
  rattle_chain_options chain;
  rattle_sampling_result result;
  const rattle_problem *problem;
  int n, m, observables, state_size;
  int lanes, together; /* numbers of a vector; chains of a group */
  char *method, **name;
  double *value, *step, *first_step;
  rattle_estimate *estimate;
  rattle_chain_counts *counts;
  rattle_status *status;
  rattle_error *error; /* [chains] */
  long long *done;     /* [chains] draws that are there */
  double *energy, *acceptance;
  int *fate, *at_floor;
  char off[160];
  rattle_sampling_record record;
};

/* One row of columns at the point of the chain. */
static rattle_status draw(const rattle_sampling *s, rattle_chain *chain, double *row,
                          rattle_error *error) {
  const double *q, *p;
  rattle_chain_point(chain, &q, &p);
  memcpy(row, q, (size_t)s->n * sizeof *row);
  row += s->n;
  rattle_status status =
      s->observables ? rattle_problem_observe(s->problem, q, p, row, error) : RATTLE_OK;
  row += s->observables;
  *row++ = rattle_chain_potential(chain);
  if (status || !s->options.multipliers) return status;
  status = rattle_problem_multipliers(s->problem, q, p, row, error);
  return status ? status : rattle_chain_log_delta(chain, row + s->m, error);
}

static rattle_chain_counts less(rattle_chain_counts a, rattle_chain_counts b) {
#define SUBTRACT(kind, key, member) a.member -= b.member;
  RATTLE_CHAIN_COUNTS_FIELDS(SUBTRACT)
#undef SUBTRACT
  return a;
}

/* A chain on its way: `at` the place of the next draw, of which `done` are there. */
typedef struct way_of_chain {
  rattle_chain *chain;
  rattle_chain_counts before, seen; /* those of the warm-up; up to the last draw */
  long long done, warmup;           /* transitions left of the warm-up, -1: it has ended */
  int drawing;                      /* the transitions under way lead to a draw */
  double *at, *state;
} way_of_chain;

/* Chains that go together, from `first` on. */
typedef struct group {
  rattle_sampling *s;
  int first;
  way_of_chain *way;
  const rattle__job *job;
} group;

/* The chain where the record has left it, or at its start. */
static rattle_status begin(rattle_sampling *s, int c, way_of_chain *way, rattle_error *error) {
  rattle_chain_options options = s->chain;
  rattle_chain_counts since = {0};
  options.struct_size = sizeof options;
  options.chain += c;
  if (s->options.starts)
    options.q = s->options.starts + 2 * (size_t)c * (size_t)s->n, options.p = options.q + s->n;
  if (s->options.starts && !options.parts)
    options.parts = s->options.starts, options.part_count = s->options.chains;
  way->at = s->value + (size_t)c * (size_t)s->options.draws * (size_t)s->result.columns;
  way->state = malloc((size_t)s->state_size * sizeof *way->state);
  if (!way->state) return rattle__no_memory(error);
  rattle_status status = RATTLE_OK;
  if (s->record.known)
    status = s->record.known(s->record.self, c, &way->done, way->at, way->state, &since, error);
  if (way->done) options.spread = 0;
  if (!status) status = rattle_chain_create(&way->chain, s->problem, &options, error);
  if (!status && way->done) status = rattle_chain_set_state(way->chain, way->state, error);
  if (status) return status;
  way->before = less(rattle_chain_counts_of(way->chain), since);
  way->warmup = way->done ? -1 : options.warmup;
  way->seen = rattle_chain_counts_of(way->chain);
  for (long long k = 0; k < way->done; k++)
    s->energy[c * s->options.draws + k] = s->acceptance[c * s->options.draws + k] = (double)NAN;
  way->at += way->done * s->result.columns;
  return status;
}

/* Keeps what is known of a draw beside its columns; `seen` are the counts up to the draw before. */
static void keep_figures(rattle_sampling *s, long long at, way_of_chain *way) {
  const rattle_chain_counts now = rattle_chain_counts_of(way->chain), since = less(now, way->seen);
  int *fate = s->fate + at * RATTLE_CHAIN_FATE_COUNT;
  s->energy[at] = rattle__chain_energy(way->chain, way->at[s->n + s->observables]);
  s->acceptance[at] = rattle__chain_acceptance(way->chain);
#define PUT(kind, key, member) *fate++ = (int)since.member;
  RATTLE_CHAIN_FATES(PUT)
#undef PUT
  way->seen = now;
}

static rattle_status keep_draw(rattle_sampling *s, int c, way_of_chain *way, rattle_error *error) {
  const long long at = c * s->options.draws + way->done;
  rattle_status status = draw(s, way->chain, way->at, error);
  if (!status) keep_figures(s, at, way);
  if (!status && s->record.drawn) {
    rattle_chain_get_state(way->chain, way->state);
    const rattle_sampling_draw drawn = {.chain = c,
                                        .number = way->done,
                                        .value = way->at,
                                        .state = way->state,
                                        .counts =
                                            less(rattle_chain_counts_of(way->chain), way->before),
                                        .step = rattle_chain_step(way->chain),
                                        .energy = s->energy[at],
                                        .acceptance = s->acceptance[at]};
    status = s->record.drawn(s->record.self, &drawn, error);
  }
  way->done++;
  way->at += s->result.columns;
  return status;
}

/* The transitions of the warm-up in parts, since it may be interrupted; then those from draw to
 * draw. */
static rattle_status next(void *self, int i, long long *transitions, rattle_error *error) {
  enum { PART = 100 };
  const group *g = self;
  rattle_sampling *s = g->s;
  way_of_chain *way = &g->way[i];
  rattle_status status = RATTLE_OK;
  *transitions = 0;
  if (way->drawing) status = keep_draw(s, g->first + i, way, error);
  if (status || rattle__job_stopped(g->job)) return status;
  if (way->warmup > 0) {
    *transitions = way->warmup < PART ? way->warmup : PART;
    way->warmup -= *transitions;
    return RATTLE_OK;
  }
  if (way->warmup == 0) {
    way->before = rattle_chain_counts_of(way->chain), way->warmup = -1;
    way->seen = way->before;
    (void)rattle__chain_acceptance(way->chain);
  }
  way->drawing = way->done < s->options.draws;
  if (way->drawing) *transitions = s->options.every;
  return RATTLE_OK;
}

static rattle_status run_group(rattle_sampling *s, int first, int count, const rattle__job *job,
                               rattle_error *error) {
  way_of_chain *way = calloc((size_t)count, sizeof *way);
  rattle_chain **chain = calloc((size_t)count, sizeof *chain);
  group of = {s, first, way, job};
  rattle__abreast chains = {chain, count, next, &of, s->status + first, s->error + first};
  const int ready = way && chain;
  for (int i = 0; i < count && ready; i++) {
    s->status[first + i] = begin(s, first + i, &way[i], &s->error[first + i]);
    if (!s->status[first + i]) chain[i] = way[i].chain;
  }
  if (ready) rattle__abreast_go(&chains, s->lanes);
  for (int i = 0; i < count && ready; i++) {
    if (way[i].chain) {
      s->counts[first + i] = less(rattle_chain_counts_of(way[i].chain), way[i].before);
      s->step[first + i] = rattle_chain_step(way[i].chain);
      s->first_step[first + i] = rattle__chain_first_step(way[i].chain);
      s->at_floor[first + i] = rattle__chain_at_bound(way[i].chain);
      s->done[first + i] = way[i].done;
    }
    rattle_chain_destroy(&way[i].chain);
    free(way[i].state);
  }
  free(way), free(chain);
  return ready ? RATTLE_OK : rattle__no_memory(error);
}

static void work(void *self, int line, int k, rattle__job *job) {
  rattle_sampling *s = self;
  const int first = line * s->together, left = s->options.chains - first;
  (void)k;
  const rattle_status status =
      run_group(s, first, left < s->together ? left : s->together, job, &s->error[first]);
  if (status) s->status[first] = status;
}

/* Compiling takes as long as lanes save in so many steps of each thread; less of a chain is steps
 * than of a case of an ensemble. */
static const double worth_compiling = 2e7;

/* How many chains go together, in vectors of how many numbers: those of one thread, if they are
 * worth compiling for. */
static void gather(rattle_sampling *s, rattle_chain *chain) {
  const rattle_study_options threads = {.threads = s->options.threads};
  const int of = rattle__study_threads(&threads), share = (s->options.chains + of - 1) / of;
  const double transitions =
      share * ((double)s->chain.warmup + (double)s->options.draws * (double)s->options.every);
  const int pays = transitions * rattle__chain_steps(chain) >= worth_compiling;
  s->lanes = s->options.lanes ? s->options.lanes : pays ? rattle__abreast_lanes(chain, share) : 1;
  s->together = s->lanes > 1 ? share : 1;
}

static rattle_status run_chains(rattle_sampling *s, rattle_error *error) {
  const int chains = s->options.chains, groups = (chains + s->together - 1) / s->together;
  const rattle_study_options threads = {.threads = s->options.threads,
                                        .interrupt = s->options.interrupt};
  const rattle__progress progress = {&threads, "chains", rattle__study_clock()};
  int *one = malloc(2 * (size_t)groups * sizeof *one);
  if (!one) return rattle__no_memory(error);
  for (int g = 0; g < groups; g++) one[g] = 1;
  rattle__jobs jobs = {.lines = groups, .most = one, .work = work, .self = s, .done = one + groups};
  rattle_status status = rattle__jobs_run(&jobs, &progress, error);
  free(one);
  for (int c = 0; c < chains && !status; c++) {
    status = s->status[c];
    if (status && error) *error = s->error[c];
  }
  for (int c = 0; c < chains && !status; c++)
    if (s->done[c] < s->options.draws)
      status = rattle__fail(error, RATTLE_INTERRUPTED, "chains",
                            "interrupted when chain %d had %lld of %lld draws", c, s->done[c],
                            s->options.draws);
  return status;
}

/* Names of the columns. */
static rattle_status name_columns(rattle_sampling *s, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(s->problem);
  int at = 0;
  char text[160];
  for (int c = 0; c < s->result.columns; c++) {
    if (c < s->n)
      snprintf(text, sizeof text, "%s", rattle__problem_coordinate_name(s->problem, c));
    else if (c < s->n + s->observables)
      snprintf(text, sizeof text, "%s", rattle_model_observable_name(model, c - s->n));
    else if (c == s->n + s->observables)
      snprintf(text, sizeof text, "V"), at = c + 1;
    else if (c - at < s->m)
      snprintf(text, sizeof text, "lambda:%s", rattle_problem_constraint_name(s->problem, c - at));
    else
      snprintf(text, sizeof text, "log_delta");
    s->name[c] = strdup(text);
    if (!s->name[c]) return rattle__no_memory(error);
  }
  return RATTLE_OK;
}

static rattle_status estimate_all(rattle_sampling *s, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  const long long columns = s->result.columns, draws = s->options.draws;
  for (int c = 0; c < columns && !status; c++) {
    const rattle_draws d = {s->value + c, s->options.chains, draws, draws * columns, columns};
    status = rattle_estimate_of(&d, &s->estimate[c], error);
  }
  return status;
}

/* The first draws of chain c behind those of the chains before it, which have as many. */
static void close_up(rattle_sampling *s, size_t c, long long least) {
  const size_t from = c * (size_t)s->options.draws, to = c * (size_t)least, count = (size_t)least,
               columns = (size_t)s->result.columns;
  memmove(s->value + to * columns, s->value + from * columns, count * columns * sizeof *s->value);
  memmove(s->energy + to, s->energy + from, count * sizeof *s->energy);
  memmove(s->acceptance + to, s->acceptance + from, count * sizeof *s->acceptance);
  memmove(s->fate + to * RATTLE_CHAIN_FATE_COUNT, s->fate + from * RATTLE_CHAIN_FATE_COUNT,
          count * RATTLE_CHAIN_FATE_COUNT * sizeof *s->fate);
}

/* After an interruption: the draws that all chains have which had begun to draw. Returns how many
 * chains. */
static int keep_common(rattle_sampling *s, rattle_error *error) {
  const long long draws = s->options.draws;
  long long least = draws;
  int chains = 0;
  for (; chains < s->options.chains && s->done[chains]; chains++)
    if (s->done[chains] < least) least = s->done[chains];
  for (size_t c = 0; c < (size_t)chains; c++) close_up(s, c, least);
  s->options.draws = s->result.draws = least;
  s->options.chains = s->result.chains = chains;
  return chains && !estimate_all(s, error) ? chains : 0;
}

static rattle_status prepare(rattle_sampling *s, const rattle_problem *problem,
                             rattle_error *error) {
  rattle_sampling_options *o = &s->options;
  const rattle_model *model = rattle_problem_model(problem);
  if (!o->chains) o->chains = 4;
  if (!o->every) o->every = 1;
  if (o->chains < 1 || o->chains > 100000 || o->draws < 1 || o->every < 1)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "chains",
        "%d chains, %lld draws, one every %lld: each is 1 or more, chains at most 100000",
        o->chains, o->draws, o->every);
  const rattle_status status = rattle__lanes_check(o->lanes, error);
  if (status) return status;
  s->problem = rattle_problem_retain(problem);
  s->n = rattle_problem_n(problem);
  s->m = rattle_problem_m(problem);
  s->observables = model ? rattle_model_observables(model) : 0;
  const int columns = s->n + s->observables + 1 + (o->multipliers ? s->m + 1 : 0);
  const size_t chains = (size_t)o->chains;
  if ((double)columns * (double)o->draws * (double)chains > 1e11)
    return rattle__fail(
        error, RATTLE_NO_MEMORY, "draws",
        "%d columns of %lld draws of %d chains do not fit: draw fewer, or one every so many",
        columns, o->draws, o->chains);
  s->name = calloc((size_t)columns, sizeof *s->name);
  s->value = calloc((size_t)columns * (size_t)o->draws * chains, sizeof *s->value);
  s->estimate = calloc((size_t)columns, sizeof *s->estimate);
  s->step = calloc(chains, sizeof *s->step);
  s->first_step = calloc(chains, sizeof *s->first_step);
  s->counts = calloc(chains, sizeof *s->counts);
  s->status = calloc(chains, sizeof *s->status);
  s->error = calloc(chains, sizeof *s->error);
  s->done = calloc(chains, sizeof *s->done);
  s->energy = calloc((size_t)o->draws * chains, sizeof *s->energy);
  s->acceptance = calloc((size_t)o->draws * chains, sizeof *s->acceptance);
  s->fate = calloc((size_t)o->draws * chains * RATTLE_CHAIN_FATE_COUNT, sizeof *s->fate);
  s->at_floor = calloc(chains, sizeof *s->at_floor);
  s->result = (rattle_sampling_result){.chains = o->chains,
                                       .columns = columns,
                                       .draws = o->draws,
                                       .value = s->value,
                                       .estimate = s->estimate,
                                       .counts = s->counts,
                                       .step = s->step,
                                       .first_step = s->first_step,
                                       .energy = s->energy,
                                       .acceptance = s->acceptance,
                                       .fate = s->fate,
                                       .at_floor = s->at_floor};
  if (!s->name || !s->value || !s->estimate || !s->step || !s->first_step || !s->counts ||
      !s->status || !s->error || !s->done || !s->energy || !s->acceptance || !s->fate ||
      !s->at_floor)
    return rattle__no_memory(error);
  s->result.column = (const char *const *)s->name;
  return name_columns(s, error);
}

/* The canonical text of the method; what is wrong with it is found before threads begin. */
static rattle_status check_method(rattle_sampling *s, rattle_error *error) {
  rattle_chain *chain = NULL;
  rattle_chain_options options = s->chain;
  options.struct_size = sizeof options;
  options.spread = 0;
  const rattle_status status = rattle_chain_create(&chain, s->problem, &options, error);
  if (!status) {
    s->result.method = s->method = strdup(rattle_chain_method(chain));
    s->result.temperature = rattle_chain_temperature(chain);
    s->state_size = rattle_chain_state_size(chain);
    gather(s, chain);
  }
  rattle_chain_destroy(&chain);
  return status || s->method ? status : rattle__no_memory(error);
}

/* How far the start is off the constraints, which chains that begin there do not have. */
static rattle_status look_at_start(rattle_sampling *s, rattle_error *error) {
  const size_t n = (size_t)s->n;
  const int own = rattle_problem_model(s->problem) != NULL;
  if (!s->m || s->options.starts || (own && s->chain.q) || (!own && !s->chain.q)) return RATTLE_OK;
  double *z = malloc(2 * n * sizeof *z);
  if (!z) return rattle__no_memory(error);
  if (s->chain.q) memcpy(z, s->chain.q, n * sizeof *z), memcpy(z + n, s->chain.p, n * sizeof *z);
  rattle__start start;
  rattle__start_residuals look;
  rattle_status status = rattle__start_create(&start, s->problem, error);
  if (!status && !rattle__start_look(&start, z, z + n, &look, NULL) && !look.on_constraints) {
    rattle__print(
        s->off, sizeof s->off,
        "the start violates the constraints, |g| = %.2g, and was moved onto them: correct it "
        "if that was not meant",
        look.g);
    s->result.off = s->off;
  }
  rattle__start_destroy(&start);
  free(z);
  return status;
}

rattle_status rattle_sampling_create(rattle_sampling **sampling, const rattle_problem *problem,
                                     const rattle_sampling_options *options, rattle_error *error) {
  *sampling = NULL;
  rattle_sampling *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  rattle_status status =
      RATTLE__TAKE(&s->options, rattle_sampling_options, interrupt, options, error);
  if (!status) status = RATTLE__TAKE(&s->chain, rattle_chain_options, p, s->options.chain, error);
  if (!status) status = prepare(s, problem, error);
  if (!status && s->options.record)
    status = RATTLE__TAKE(&s->record, rattle_sampling_record, self, s->options.record, error);
  if (!status) status = check_method(s, error);
  if (!status) status = look_at_start(s, error);
  if (!status && s->record.begin)
    status = s->record.begin(s->record.self, &s->result, s->state_size, error);
  if (!status) status = run_chains(s, error);
  if (!status) status = estimate_all(s, error);
  if (status && (status != RATTLE_INTERRUPTED || !keep_common(s, NULL)))
    rattle_sampling_destroy(&s);
  else
    *sampling = s;
  return status;
}

void rattle_sampling_destroy(rattle_sampling **sampling) {
  rattle_sampling *s = sampling ? *sampling : NULL;
  if (!s) return;
  rattle_problem *problem = (rattle_problem *)s->problem;
  rattle_problem_destroy(&problem);
  for (int c = 0; c < s->result.columns && s->name; c++) free(s->name[c]);
  free(s->name);
  free(s->method);
  free(s->value);
  free(s->estimate);
  free(s->step), free(s->first_step);
  free(s->counts);
  free(s->status);
  free(s->error);
  free(s->done);
  free(s->energy), free(s->acceptance), free(s->fate), free(s->at_floor);
  free(s);
  *sampling = NULL;
}

const rattle_sampling_result *rattle_sampling_result_of(const rattle_sampling *s) {
  return &s->result;
}
