/* shadow: what each rule of the guard is good for. Steps of random regular problems are made by the
 * guard as it is; each step in which rules gave the verdict that they are there for is made again
 * without each of these, one at a time, and judged where it ends otherwise: by the campaign's
 * continuation in long double, and by certificates where that is in doubt.
 *
 *     shadow [--family NAME,...] [--count N] [--seed S] [--threads T] [--longer X] [--places]
 *            [--method M] [--without UNIT,...] [--list] [--problem K]
 *
 * --longer X: steps are X times as long as drawn. --places: a rule at one place is held back alone,
 * not wherever it is asked. --without: these all at once, as one more row. --list: wrong steps that
 * one rule alone caught. --problem: from the Kth on. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run.h"
#include "places.h"

/* What becomes of a step without a rule. */
typedef enum fate {
  SAME,      /* nothing else */
  CAUGHT,    /* it ends wrong: the rule alone caught it */
  DOUBTED,   /* it ends as right, with less work: the rule alone doubted it */
  REFUSED,   /* it ends right, and is refused because of the rule alone */
  LOST,      /* it is refused, and is right because of the rule alone */
  UNDECIDED, /* it ends otherwise, so near a fold that neither judge knows */
  FATES
} fate;

typedef struct tally {
  long long steps, asked[UNITS + 1], fired[UNITS + 1], fates[UNITS + 1][FATES];
} tally;

enum { ALL_AT_ONCE = UNITS }; /* the row of --without */

typedef struct search {
  const char *families, *without;
  const method *how;
  long long first, count, runs;
  uint64_t seed;
  int threads, list;
  double longer;
  const family *of[64];
  int of_count;
  atomic_llong next;
  pthread_mutex_t lock;
  tally all;
  unsigned char caught_in[UNITS + 1][64]; /* families */
} search;

/* A run of one problem, and its steps again. */
typedef struct scene {
  search *by;
  int of;
  const problem *pr;
  machine *at;
  rattle_integrator *again;
  formula_work work;
  tally *sum;
} scene;

typedef struct ending {
  rattle_status status;
  double q[PAIRS], p[PAIRS];
  int followed;
} ending;

static void make_again(const scene *s, const double *q0, const double *p0, const unit_set *held,
                       ending *end) {
  rattle_error error;
  rattle_state state = {.q = end->q, .p = end->p, .h = s->pr->h};
  const long long before = rattle_integrator_counts(s->again).followed;
  memcpy(end->q, q0, sizeof end->q);
  memcpy(end->p, p0, sizeof end->p);
  shadow_hold(held);
  end->status = rattle_integrator_step(s->again, &state, 1, &error);
  end->followed = rattle_integrator_counts(s->again).followed != before;
}

/* True if two ends are one solution but for round-off. */
static int agree(const problem *pr, const double *q0, const ending *a, const ending *b) {
  double apart = 0, way = 0, p_apart = 0, p_size = 0;
  for (int k = 0; k < pr->n; k++) {
    apart = fmax(apart, fabs(a->q[k] - b->q[k]));
    way = fmax(way, fabs(a->q[k] - q0[k]));
    p_apart = fmax(p_apart, fabs(a->p[k] - b->p[k]));
    p_size = fmax(p_size, fabs(a->p[k]));
  }
  return apart <= 1e-9 * way && p_apart <= 1e-9 * p_size;
}

/* What certificates say of an end: 1 right, -1 wrong, 0 nothing. */
static int certified(const scene *s, const double *q0, const double *p0, const ending *end) {
  rattle_certificate c = {.struct_size = sizeof c};
  rattle_error error;
  if (!s->at->certifier ||
      rattle_certifier_check(s->at->certifier, s->pr->h, q0, p0, end->q, &c, &error))
    return 0;
  return c.wrong ? -1 : c.open ? 0 : 1;
}

static fate judge_ending(scene *s, const double *q0, const double *p0, const ending *usual,
                         const ending *without) {
  truth t;
  distance apart;
  if (without->status) return usual->status ? SAME : LOST;
  if (!usual->status && agree(s->pr, q0, usual, without))
    return usual->followed > without->followed || memcmp(usual->q, without->q, sizeof usual->q)
               ? DOUBTED
               : SAME;
  const attempt made = {.taken = 1, .q0 = q0, .p0 = p0, .q = without->q, .p = without->p};
  outcome found = judge(s->pr, &made, &s->work, &t, &apart);
  if (found == BORDERLINE || found == INEXACT) {
    const int proof = certified(s, q0, p0, without);
    if (proof) found = proof > 0 ? RIGHT : GONE_OVER;
  }
  if (found == BORDERLINE) return UNDECIDED;
  if (found != RIGHT) return CAUGHT;
  return usual->status ? REFUSED : DOUBTED;
}

static void note(scene *s, int unit, fate f, int at_step) {
  s->sum->fates[unit][f]++;
  if (f != CAUGHT) return;
  s->by->caught_in[unit][s->of] = 1;
  if (s->by->list)
    printf("%s --seed %llu --problem %llu, step %d, %s: %s\n", s->pr->family,
           (unsigned long long)s->pr->seed, (unsigned long long)s->pr->index, at_step,
           s->pr->method->text, unit == ALL_AT_ONCE ? "all at once" : unit_name(unit));
}

/* The step from q0, p0 without each of the units that decided something. */
static void hold_back(scene *s, const unit_set *fired, const double *q0, const double *p0,
                      int at_step) {
  ending usual, without;
  unit_set one, many;
  int any = 0, several = 0;
  make_again(s, q0, p0, NULL, &usual);
  unit_find(s->by->without, &many);
  for (int k = 0; k < UNITS; k++) {
    several |= many.has[k] && fired->has[k];
    if (!fired->has[k]) continue;
    any = 1;
    one = (unit_set){{0}};
    one.has[k] = 1;
    make_again(s, q0, p0, &one, &without);
    s->sum->fired[k]++;
    note(s, k, judge_ending(s, q0, p0, &usual, &without), at_step);
  }
  if (!any || !several) return;
  make_again(s, q0, p0, &many, &without);
  s->sum->fired[ALL_AT_ONCE]++;
  note(s, ALL_AT_ONCE, judge_ending(s, q0, p0, &usual, &without), at_step);
}

static void walk(scene *s, double *q, double *p) {
  rattle_state state = {.q = q, .p = p, .h = s->pr->h};
  rattle_error error;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < s->pr->steps && !status; k++) {
    double q0[PAIRS], p0[PAIRS];
    memcpy(q0, q, sizeof q0);
    memcpy(p0, p, sizeof p0);
    if (machine_is_unstable(s->pr, q, p, &s->work)) return;
    shadow_hold(NULL);
    status = rattle_integrator_step(s->at->integrator, &state, 1, &error);
    const unit_set fired = shadow_fired, asked = shadow_asked;
    s->sum->steps++;
    int any = 0;
    for (int u = 0; u < UNITS; u++) s->sum->asked[u] += asked.has[u], any |= fired.has[u];
    if (any) hold_back(s, &fired, q0, p0, k);
  }
}

static void run(search *by, int of, uint64_t index, tally *sum) {
  problem pr;
  machine at;
  scene s = {.by = by, .of = of, .pr = &pr, .at = &at, .sum = sum};
  double q[PAIRS] = {0}, p[PAIRS] = {0};
  rattle_error error = {0};
  problem_make(&pr, by->of[of], by->seed, index);
  if (by->how && method_suits(by->how, &pr)) pr.method = by->how;
  pr.h *= by->longer;
  if (!machine_start(&pr, &at, q, p, &error) &&
      !rattle_integrator_create(&s.again, at.problem, pr.method->text, &error)) {
    rattle_certifier_create(&at.certifier, at.problem, pr.method->text, &error);
    walk(&s, q, p);
  }
  rattle_integrator_destroy(&s.again);
  machine_stop(&at);
  formula_work_free(&s.work);
  problem_free(&pr);
}

static void *work(void *argument) {
  search *by = argument;
  tally sum = {0};
  for (long long k; (k = atomic_fetch_add(&by->next, 1)) < by->runs;)
    run(by, (int)(k % by->of_count), (uint64_t)(by->first + k / by->of_count), &sum);
  pthread_mutex_lock(&by->lock);
  by->all.steps += sum.steps;
  for (int u = 0; u <= UNITS; u++) {
    by->all.asked[u] += sum.asked[u], by->all.fired[u] += sum.fired[u];
    for (int f = 0; f < FATES; f++) by->all.fates[u][f] += sum.fates[u][f];
  }
  pthread_mutex_unlock(&by->lock);
  return NULL;
}

static void print_row(const search *by, int unit, const char *name) {
  const tally *t = &by->all;
  printf("| %s | %lld | %lld |", name, t->asked[unit], t->fired[unit]);
  for (int f = CAUGHT; f < FATES; f++) printf(" %lld |", t->fates[unit][f]);
  for (int k = 0; k < by->of_count; k++)
    if (by->caught_in[unit][k]) printf(" %s", by->of[k]->name);
  printf(" |\n");
}

static void print_table(const search *by) {
  printf("%lld runs, %lld steps, seed %llu, steps %g times as long as drawn\n\n"
         "| rule | steps | speaks | caught alone | doubted alone | refused alone | saved alone | "
         "undecided | caught in |\n|---|---|---|---|---|---|---|---|---|\n",
         by->runs, by->all.steps, (unsigned long long)by->seed, by->longer);
  for (int u = 0; u < unit_count(); u++) print_row(by, u, unit_name(u));
  fflush(stdout);
  if (*by->without) print_row(by, ALL_AT_ONCE, "all at once");
}

static int misuse(const char *word) {
  fprintf(stderr, "%s: not known, or without what it needs\n", word);
  return 2;
}

int main(int count, char **words) {
  static search by = {.without = "",
                      .count = 20,
                      .seed = 1,
                      .threads = 2,
                      .longer = 1,
                      .lock = PTHREAD_MUTEX_INITIALIZER};
  for (int k = 1; k < count; k++) {
    const char *word = words[k], *value = k + 1 < count ? words[k + 1] : NULL;
    if (!strcmp(word, "--places"))
      units_are_places();
    else if (!strcmp(word, "--list"))
      by.list = 1;
    else if (k++, !value)
      return misuse(word);
    else if (!strcmp(word, "--family"))
      by.families = value;
    else if (!strcmp(word, "--without"))
      by.without = value;
    else if (!strcmp(word, "--method"))
      by.how = method_named(value);
    else if (!strcmp(word, "--count"))
      by.count = atoll(value);
    else if (!strcmp(word, "--problem"))
      by.first = atoll(value);
    else if (!strcmp(word, "--seed"))
      by.seed = strtoull(value, NULL, 10);
    else if (!strcmp(word, "--threads"))
      by.threads = atoi(value);
    else if (!strcmp(word, "--longer"))
      by.longer = atof(value);
    else
      return misuse(word);
  }
  for (const family *const *group = family_groups; *group; group++)
    for (const family *of = *group; of->name; of++)
      if (!of->fork && family_chosen(*group, of, by.families)) by.of[by.of_count++] = of;
  if (by.threads < 1 || by.threads > 64 || !by.of_count || !(by.longer > 0))
    return misuse("options");
  by.runs = by.count * by.of_count;
  pthread_t threads[64];
  for (int k = 0; k < by.threads; k++)
    if (pthread_create(&threads[k], NULL, work, &by)) abort();
  for (int k = 0; k < by.threads; k++) pthread_join(threads[k], NULL);
  print_table(&by);
  return 0;
}
