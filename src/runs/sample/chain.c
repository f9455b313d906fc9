/* Chains: a sampler compiled for a problem, its point, and the warm-up. */
#include "rattle/sample.h"
#include "rattle/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/sample/adapt.h"
#include "problem/functions/remassed.h"
#include "runs/sample/lanes.h"
#include "runs/sample/metric.h"
#include "runs/start/start.h"
#include "ground/support/random.h"
#include "ground/support/sized.h"
#include "ground/support/finite.h"

struct rattle_chain {
  rattle_problem *problem; /* held; that of `own` */
  rattle__kernel own;      /* with the masses of the problem */
  rattle__kernel remassed; /* with those of the metric, which then moves the chain */
  rattle__kernel *kernel;  /* that which does */
  rattle_problem *other;   /* that of `remassed`; NULL: there is none */
  rattle__metric metric;
  double *parts; /* [part_count*n] points that differ, for hops */
  int part_count;
  rattle_method *method;
  uint64_t seed, chain;
  long long done, warmup;
  double first, target; /* h of the first transition; the acceptance that is wanted, 0: h stays */
  int barred;           /* no step could be found where the warm-up asked for a longer one */
  double adapt[RATTLE__ADAPT_NUMBERS], turns[RATTLE__ADAPT_NUMBERS]; /* of h; of the length */
  rattle_chain_counts counts;
  double probabilities, of; /* their sum and number since they were asked for */
};

enum {
  FATES = RATTLE_CHAIN_FATE_COUNT,
  SCALARS = 3 + 2 * RATTLE__ADAPT_NUMBERS + FATES
}; /* transitions, h, length; adapt, turns; accepted and rejections */

/* The step of a warm-up stays within so many parts and times the first one, or that after a new
 * beginning; a path has at most so many steps, as the largest trees of the no-U-turn sampler. */
static const double REACH = 1000, MOST_STEPS = 1024;

static rattle_status check(const rattle_chain_options *o, rattle_error *error) {
  if (!(o->step >= 0) || !isfinite(o->step))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "the step of a chain is %g: give one that is finite and above 0, or none",
                        o->step);
  if (o->chain < 0 || o->warmup < 0 || o->spread < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "chain",
                        "chain %lld, warmup %lld, spread %lld: none may be negative", o->chain,
                        o->warmup, o->spread);
  if (!(o->acceptance >= 0 && o->acceptance < 1))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "acceptance",
                        "an acceptance of %g: it is between 0 and 1", o->acceptance);
  if (!o->q != !o->p)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start", "a start has both q and p");
  return RATTLE_OK;
}

/* (q0, p0) onto g = 0 and psi = 0. */
static rattle_status place(const rattle_chain *s, const double *q0, const double *p0, double *z,
                           rattle_error *error) {
  const int n = s->problem->n;
  double *q = z, *p = z + n;
  memcpy(q, q0, (size_t)n * sizeof *q);
  memcpy(p, p0, (size_t)n * sizeof *p);
  for (int i = 0; i < n; i++) {
    if (isnan(p[i])) p[i] = 0;
    if (isinf(q[i]) || isinf(p[i]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                          "a start has values that are not finite");
  }
  rattle__start start;
  rattle_status status = rattle__start_create(&start, s->problem, error);
  if (!status) status = rattle__start_from(&start, 1, q, p, error);
  rattle__start_destroy(&start);
  return status;
}

static rattle_status begin(rattle_chain *s, const rattle_chain_options *o, rattle_error *error) {
  rattle__kernel *k = s->kernel;
  if (!o->q && !k->problem->model)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                        "a problem from callbacks has no start: give q and p");
  if (!o->q) return rattle_problem_start(k->problem, 1, k->z, k->z + k->n, NULL, error);
  return place(s, o->q, o->p, k->z, error);
}

/* The starts on parts, each once. */
static rattle_status take_parts(rattle_chain *s, const rattle_chain_options *o,
                                const rattle__node *node, rattle_error *error) {
  enum { MOST = 64 };
  const size_t n = (size_t)s->problem->n, bytes = n * sizeof *s->parts;
  if (!o->parts || !(rattle__option_number(node, "hops") > 0)) return RATTLE_OK;
  s->parts = malloc((MOST + 1) * bytes); /* the momenta of the last one follow it */
  rattle_status status = s->parts ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < o->part_count && s->part_count < MOST && !status; i++) {
    const double *z0 = o->parts + 2 * n * (size_t)i;
    double *q = s->parts + n * (size_t)s->part_count;
    int known = 0;
    for (int j = 0; j < i && !known; j++)
      known = !memcmp(o->parts + 2 * n * (size_t)j, z0, 2 * bytes);
    if (known) continue;
    status = place(s, z0, z0 + n, q, error);
    for (int j = 0; j < s->part_count; j++) known |= !memcmp(s->parts + n * (size_t)j, q, bytes);
    if (!status) s->part_count += !known;
  }
  return status;
}

/* Moves by the masses of the problem again. */
static void leave_metric(rattle_chain *s) {
  if (!s->other) return;
  const rattle__kernel *k = &s->remassed;
  memcpy(s->own.z, k->z, 2 * (size_t)k->n * sizeof *k->z);
  s->own.h = k->h, s->own.length = k->length;
  s->kernel = &s->own;
  rattle__kernel_release(&s->remassed);
  rattle__problem_remassed_destroy(&s->other);
}

/* Moves by those of the metric, from where the chain is. */
static rattle_status take_metric(rattle_chain *s, rattle_error *error) {
  const rattle__node *node = rattle__method_root(s->method);
  rattle__kernel *k = &s->remassed;
  leave_metric(s);
  rattle_status status =
      rattle__problem_remassed(&s->other, s->problem, s->metric.dense, s->metric.W, error);
  if (status) return status;
  status = rattle__kernel_prepare(k, s->other, node, error);
  k->given = k->m ? s->problem->mass : NULL;
  if (!status) status = rattle__sampler_of(node->row)->create(k, node, error);
  if (!status) status = rattle__hops_create(k, node, s->parts, s->part_count, error);
  if (!status) status = rattle__kernel_energy(k, s->own.z, &k->U, error);
  if (!status) {
    memcpy(k->z, s->own.z, 2 * (size_t)k->n * sizeof *k->z);
    k->h = s->own.h, k->length = s->own.length;
    s->kernel = k;
    return RATTLE_OK;
  }
  rattle__kernel_release(k);
  rattle__problem_remassed_destroy(&s->other);
  return status;
}

static rattle_status make_metric(rattle_chain *s, const rattle__node *node, rattle_error *error) {
  const rattle__kernel *k = &s->own;
  const char *word = rattle__option_word(node, "metric");
  const double *D = k->problem->mass->diagonal;
  const int dense = strcmp(word, "diagonal") != 0;
  int light = -1;
  if (!*word || !strcmp(word, "given")) return RATTLE_OK;
  if (k->m && !k->A)
    return rattle__fail(error, RATTLE_UNSUITABLE, "metric",
                        "metric=%s is for fewer constraints than %d", word, k->m);
  for (int i = k->n; i-- > 0;)
    if (!(D[i] > 0)) light = i;
  if (dense && (k->n > RATTLE__MOST_DENSE || light >= 0))
    return rattle__fail(error, RATTLE_UNSUITABLE, "metric",
                        "metric=dense is for up to %d coordinates that all move: take "
                        "metric=diagonal",
                        RATTLE__MOST_DENSE);
  return rattle__metric_create(&s->metric, k->n, dense, D, error);
}

/* The step that is given, or that the chain finds for its warm-up. */
static rattle_status take_step(rattle_chain *s, const rattle_chain_options *o,
                               rattle_error *error) {
  s->first = o->step;
  if (s->first > 0) return RATTLE_OK;
  if (!(s->target > 0) || !s->warmup)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        s->target > 0 ? "without a warm-up the step stays as it is given: give one"
                                      : "%s keeps the step that it is given: give one",
                        rattle_method_text(s->method));
  return rattle__kernel_first_step(s->kernel, s->target, s->seed, s->chain, 0, &s->first, error);
}

static void begin_warmup(rattle_chain *s, double h) {
  s->kernel->h = h, s->kernel->length = 10 * h;
  rattle__adapt_begin(s->adapt, h);
  rattle__adapt_begin(s->turns, h);
}

static rattle_status make(rattle_chain *s, const rattle_problem *problem,
                          const rattle_chain_options *o, rattle_error *error) {
  rattle_status status = check(o, error);
  if (!status)
    status = rattle_method_parse(&s->method, o->method ? o->method : "hmc(rattle(verlet))", error);
  if (!status) status = rattle_method_resolve(s->method, problem, error);
  if (status) return status;
  const rattle__node *node = rattle__method_root(s->method);
  const char *text = rattle_method_text(s->method);
  if (node->kind != RATTLE__SAMPLER)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "%s makes a trajectory and no chain: use a sampler, as in hmc(%s)", text,
                        text);
  const rattle__sampler *sampler = rattle__sampler_of(node->row);
  s->kernel = &s->own;
  status = rattle__kernel_prepare(s->kernel, problem, node, error);
  if (!status) status = sampler->create(s->kernel, node, error);
  if (!status) status = take_parts(s, o, node, error);
  if (!status) status = rattle__hops_create(s->kernel, node, s->parts, s->part_count, error);
  if (!status) status = make_metric(s, node, error);
  if (!status) status = begin(s, o, error);
  if (!status) status = rattle__kernel_energy(s->kernel, s->kernel->z, &s->kernel->U, error);
  s->seed = o->seed;
  s->chain = (uint64_t)o->chain;
  s->warmup = o->warmup;
  s->target = sampler->acceptance ? sampler->acceptance(node) : 0;
  if (s->target > 0 && o->acceptance > 0) s->target = o->acceptance;
  if (!status) status = take_step(s, o, error);
  begin_warmup(s, s->first);
  return status || !o->spread
             ? status
             : rattle__kernel_disperse(s->kernel, s->seed, s->chain, o->spread, error);
}

rattle_status rattle_chain_create(rattle_chain **chain, const rattle_problem *problem,
                                  const rattle_chain_options *options, rattle_error *error) {
  *chain = NULL;
  rattle_chain_options own;
  rattle_status status = RATTLE__TAKE(&own, rattle_chain_options, p, options, error);
  if (status) return status;
  rattle_chain *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->problem = rattle_problem_retain(problem);
  status = make(s, problem, &own, error);
  if (status)
    rattle_chain_destroy(&s);
  else
    *chain = s;
  return status;
}

void rattle_chain_destroy(rattle_chain **chain) {
  if (!chain || !*chain) return;
  leave_metric(*chain);
  rattle__kernel_release(&(*chain)->own);
  rattle__metric_release(&(*chain)->metric);
  free((*chain)->parts);
  rattle_method_destroy(&(*chain)->method);
  rattle_problem_destroy(&(*chain)->problem);
  free(*chain);
  *chain = NULL;
}

static long long *count_of(rattle_chain_counts *counts, rattle__fate fate) {
#define PLACE(kind, key, member) &counts->member,
  long long *const of[FATES] = {RATTLE_CHAIN_FATES(PLACE)};
#undef PLACE
  return of[fate];
}

/* Half of all paths are to turn: then they are about as long as the way to the turn. */
static void adapt_length(rattle_chain *s) {
  rattle__kernel *k = s->kernel;
  const int cut = k->fate == RATTLE__REJECTED_UNSOLVED || k->fate == RATTLE__REJECTED_DOMAIN;
  if (!cut) k->length = rattle__adapt(s->turns, 0.5, !k->turned, k->h, MOST_STEPS * k->h);
}

static void adapt(rattle_chain *s) {
  if (!(s->target > 0) || s->done > s->warmup) return;
  if (s->kernel->learns) adapt_length(s);
  if (!s->kernel->strayed)
    s->kernel->h =
        rattle__adapt_within(s->adapt, s->target, rattle__kernel_suits(s->kernel), REACH);
  if (s->done < s->warmup) return;
  s->kernel->h = rattle__adapted(s->adapt);
  if (s->kernel->looks) s->kernel->length = rattle__adapted(s->turns);
}

/* At the end of a window of the metric: the step and the length begin anew from where they are. */
static rattle_status learn_metric(rattle_chain *s, rattle_error *error) {
  int learned;
  rattle_status status = rattle__metric_learned(&s->metric, s->done, s->warmup, &learned, error);
  if (status || !learned) return status;
  status = take_metric(s, error);
  rattle__adapt_begin(s->adapt, s->kernel->h);
  rattle__adapt_begin(s->turns, s->kernel->length / 10);
  return status;
}

/* At the longest step of a warm-up that set out where steps are short, as in a far tail, the step
 * is sought from where the chain is now, and the warm-up begins anew with that. */
static rattle_status begin_anew(rattle_chain *s, rattle_error *error) {
  double h;
  if (s->barred || s->done >= s->warmup || rattle__chain_at_bound(s) >= 0) return RATTLE_OK;
  const rattle_status status =
      rattle__kernel_first_step(s->kernel, s->target, s->seed, s->chain, s->done, &h, error);
  s->barred = status == RATTLE_UNSUITABLE; /* steps of any length are accepted */
  if (!status) begin_warmup(s, h);
  return s->barred ? RATTLE_OK : status;
}

rattle_status rattle__chain_begin(rattle_chain *s, rattle_error *error) {
  rattle_status status = s->metric.count > 0 ? learn_metric(s, error) : RATTLE_OK;
  if (!status) status = begin_anew(s, error);
  if (status) return status;
  rattle__kernel *k = s->kernel;
  k->key = rattle__random_key(s->seed, s->chain, (uint64_t)s->done);
  k->drawn = 0;
  k->strayed = k->turned = 0;
  k->learns = k->looks && s->target > 0 && s->done < s->warmup;
  k->way.left = 0;
  if (!rattle__kernel_hops(k)) return k->move(k, error);
  k->strayed = 1, k->learns = 0;
  return rattle__kernel_hop(k, error);
}

void rattle__chain_end(rattle_chain *s) {
  s->done++;
  s->counts.transitions++;
  ++*count_of(&s->counts, s->kernel->fate);
  s->probabilities += s->kernel->probability, s->of++;
  rattle__metric_see(&s->metric, s->done, s->warmup, s->kernel->z);
  adapt(s);
}

double rattle__chain_steps(const rattle_chain *s) {
  const int stages = rattle_method_claims(s->method).stages;
  return stages ? stages : 10;
}

int rattle__chain_learns_metric(const rattle_chain *s) {
  return s->metric.n > 0;
}

rattle__kernel *rattle__chain_kernel(rattle_chain *s) {
  return s->kernel;
}

rattle_status rattle_chain_advance(rattle_chain *s, long long transitions, rattle_error *error) {
  for (long long i = 0; i < transitions; i++) {
    const rattle_status status =
        rattle__kernel_finish(s->kernel, rattle__chain_begin(s, error), error);
    if (status) return status;
    rattle__chain_end(s);
  }
  return RATTLE_OK;
}

/* Momenta of the masses of the problem, where the chain moves by others: drawn for this point, by
 * numbers that no transition has. */
static void draw_momenta(const rattle_chain *s) {
  rattle__kernel *k = (rattle__kernel *)&s->own;
  memcpy(k->z, s->kernel->z, (size_t)k->n * sizeof *k->z);
  k->key = rattle__random_key(s->seed, s->chain, (uint64_t)s->done | UINT64_C(1) << 63);
  k->drawn = 0;
  if (rattle__kernel_refresh(k, 0, k->z, NULL))
    for (int i = 0; i < k->n; i++) k->z[k->n + i] = (double)NAN;
}

void rattle_chain_point(const rattle_chain *s, const double **q, const double **p) {
  if (s->other) draw_momenta(s);
  *q = s->own.z;
  *p = s->own.z + s->own.n;
}

double rattle_chain_potential(const rattle_chain *s) {
  rattle__kernel *k = s->kernel; /* its scratch */
  double V = (double)NAN;
  return rattle__kernel_potential(k, k->z, &V, NULL) ? (double)NAN : V;
}

double rattle__chain_energy(const rattle_chain *s, double V) {
  const rattle__kernel *k = s->kernel;
  return (k->delta || k->given ? k->U : V) +
         rattle__mass_twice_kinetic(k->problem->mass, k->z + k->n) / 2;
}

double rattle__chain_acceptance(rattle_chain *s) {
  const double mean = s->probabilities / s->of;
  s->probabilities = s->of = 0;
  return mean;
}

double rattle__chain_first_step(const rattle_chain *s) {
  return s->first;
}

int rattle__chain_at_bound(const rattle_chain *s) {
  return s->target > 0 && s->adapt[0] > 0 ? rattle__adapt_beyond(s->adapt, REACH) : 0;
}

rattle_status rattle_chain_log_delta(rattle_chain *s, double *log_delta, rattle_error *error) {
  rattle__kernel *k = s->kernel;
  *log_delta = (double)NAN;
  if (k->m && !k->A)
    return rattle__fail(error, RATTLE_UNSUITABLE, "measure",
                        "log_delta is for fewer constraints than %d", k->m);
  double log_det = 0;
  const rattle_status status = rattle__kernel_log_gram(k, s->problem->mass, k->z, &log_det, error);
  if (!status) *log_delta = -log_det / 2;
  return status;
}

double rattle_chain_step(const rattle_chain *s) {
  return s->kernel->h;
}

double rattle_chain_temperature(const rattle_chain *s) {
  return s->kernel->T;
}

const char *rattle_chain_method(const rattle_chain *s) {
  return rattle_method_text(s->method);
}

rattle_chain_counts rattle_chain_counts_of(const rattle_chain *s) {
  return s->counts;
}

int rattle_chain_state_size(const rattle_chain *s) {
  return 2 * s->own.n + SCALARS + rattle__metric_numbers(&s->metric);
}

void rattle_chain_get_state(const rattle_chain *s, double *state) {
  const size_t nz = 2 * (size_t)s->kernel->n;
  rattle_chain_counts counts = s->counts;
  memcpy(state, s->kernel->z, nz * sizeof *state);
  state += nz;
  *state++ = (double)s->done;
  *state++ = s->kernel->h;
  *state++ = s->kernel->length;
  for (int i = 0; i < RATTLE__ADAPT_NUMBERS; i++) *state++ = s->adapt[i];
  for (int i = 0; i < RATTLE__ADAPT_NUMBERS; i++) *state++ = s->turns[i];
  for (int i = 0; i < FATES; i++) *state++ = (double)*count_of(&counts, (rattle__fate)i);
  rattle__metric_get_state(&s->metric, state);
}

static int is_count(double x) {
  return x >= 0 && x <= 0x1p53 && floor(x) == x;
}

/* The metric of a state at q, and *U there. */
static rattle_status set_metric(rattle_chain *s, const double *numbers, const double *q, double *U,
                                rattle_error *error) {
  double log_det;
  rattle_status status = rattle__kernel_log_gram(&s->own, s->problem->mass, q, &log_det, error);
  if (status) return status; /* else that of the metric is regular too */
  if (!rattle__metric_set_state(&s->metric, numbers))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "state",
                        "these numbers are no metric of a chain of %s", rattle_chain_method(s));
  if (rattle__metric_is_set(&s->metric))
    status = take_metric(s, error);
  else
    leave_metric(s);
  return status ? status : rattle__kernel_energy(s->kernel, q, U, error);
}

rattle_status rattle_chain_set_state(rattle_chain *s, const double *state, rattle_error *error) {
  rattle__kernel *k = s->kernel;
  const size_t nz = 2 * (size_t)k->n;
  const double *scalar = state + nz, *adapted = scalar + 3,
               *fates = adapted + 2 * RATTLE__ADAPT_NUMBERS;
  double U = 0, sum = 0;
  int good = rattle__all_finite(state, (int)nz + SCALARS) && is_count(scalar[0]) && scalar[1] > 0 &&
             scalar[2] > 0;
  for (int i = 0; i < FATES; i++) good &= is_count(fates[i]), sum += fates[i];
  if (!good || sum != scalar[0])
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "state",
                        "these numbers are no state of a chain of %s", rattle_chain_method(s));
  rattle_status status = rattle__kernel_energy(k, state, &U, error);
  if (!status && s->metric.n) status = set_metric(s, fates + FATES, state, &U, error);
  if (status) return status;
  k = s->kernel;
  memcpy(k->z, state, nz * sizeof *state);
  k->U = U, s->done = (long long)scalar[0];
  k->h = scalar[1], k->length = scalar[2];
  memcpy(s->adapt, adapted, sizeof s->adapt);
  memcpy(s->turns, adapted + RATTLE__ADAPT_NUMBERS, sizeof s->turns);
  s->counts = (rattle_chain_counts){.transitions = s->done};
  for (int i = 0; i < FATES; i++) *count_of(&s->counts, (rattle__fate)i) = (long long)fates[i];
  return RATTLE_OK;
}
