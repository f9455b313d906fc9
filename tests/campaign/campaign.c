/* campaign: runs of the library on random regular problems, each step judged against a continuation
 * in long double.
 *
 *     campaign [--family NAME,...] [--count N] [--total N] [--seed S] [--threads T] [--method M]
 *     [--native N]
 *              [--drawn M] [--check N] [--prove] [--list] [--json]    wrong runs are listed; --list: what is
 *              neither right nor refused with cause
 *     campaign --family NAME [--seed S] --problem K     one problem: its model as Lua text, and
 *     what goes wrong
 *     campaign --families                               the families
 *
 * All families but those of many constraints, which are chosen by name, or all by `large`, and but
 * hills, whose steps pass two folds now and then (docs/guards.md, limits).
 * --method M takes M where it suits, --drawn M leaves out runs for which another one was drawn.
 * --native N compiles every Nth problem to machine code, --check N asks the doctor about every Nth.
 * --prove asks certificates about each step that they cover, and prints how often they prove it.
 * Exit status 1 if a step was refused without cause, or ended OK on another branch or not at
 * round-off. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"

typedef struct task {
  const family *of;
  uint64_t index;
  const char *method;
  double h;
  int left_out;
  run_result result;
} task;

typedef struct campaign {
  const char *families;
  const method *how;   /* NULL: as drawn */
  const method *drawn; /* NULL: any */
  long long count, total;
  uint64_t seed;
  int threads, list, json, native, check, prove, models;
  long long problem;
  task *tasks;
  int task_count;
  atomic_int next;
} campaign;

static void make(const campaign *c, const family *of, uint64_t index, problem *pr) {
  problem_make(pr, of, c->seed, index);
  if (c->how && method_suits(c->how, pr)) pr->method = c->how;
  pr->native = c->native && index % (uint64_t)c->native == 0;
}

static void *work(void *argument) {
  campaign *c = argument;
  for (int k; (k = atomic_fetch_add(&c->next, 1)) < c->task_count;) {
    task *t = &c->tasks[k];
    problem pr;
    make(c, t->of, t->index, &pr);
    t->method = pr.method->text;
    t->h = pr.h / pr.unit.time;
    t->left_out = c->drawn && pr.method != c->drawn;
    const run_wishes wishes = {c->check && t->index % (uint64_t)c->check == 0, c->prove, 0};
    if (!t->left_out) run_problem(&pr, &wishes, &t->result);
    problem_free(&pr);
  }
  return NULL;
}

static void plan(campaign *c) {
  int families = 0;
  for (const family *const *group = family_groups; *group; group++)
    for (const family *of = *group; of->name; of++)
      families += family_chosen(*group, of, c->families);
  if (!families) {
    fprintf(stderr, "no such family; campaign --families lists them\n");
    exit(2);
  }
  if (c->total) c->count = (c->total + families - 1) / families;
  c->tasks = calloc((size_t)(families * c->count), sizeof *c->tasks);
  if (!c->tasks) abort();
  for (const family *const *group = family_groups; *group; group++)
    for (const family *of = *group; of->name; of++)
      for (long long k = 0; k < c->count && family_chosen(*group, of, c->families); k++)
        c->tasks[c->task_count++] = (task){.of = of, .index = (uint64_t)k};
}

static int bad(const task *t) {
  const outcome o = t->result.outcome;
  return !t->of->fork &&
         (o == WITHOUT_CAUSE || o == GONE_OVER || o == INEXACT || o == BAD_START || o == MISJUDGED);
}

typedef struct row {
  int outcomes[OUTCOMES], runs, followed;
  long long steps, compared;
  double worst;
} row;

static void add(row *sum, const run_result *r) {
  sum->outcomes[r->outcome]++;
  sum->runs++;
  sum->steps += r->steps;
  sum->compared += r->compared;
  sum->followed += r->followed;
  if (r->worst > sum->worst) sum->worst = r->worst;
}

static void print_row(const campaign *c, const char *name, const row *s, int last) {
  if (c->json) {
    printf("    {\"family\": \"%s\", \"runs\": %d, \"steps\": %lld, \"compared\": %lld, "
           "\"followed\": %d",
           name, s->runs, s->steps, s->compared, s->followed);
    for (int k = 0; k < OUTCOMES; k++) printf(", \"%s\": %d", outcome_names[k], s->outcomes[k]);
    printf(", \"worst\": %.3g}%s\n", s->worst, last ? "" : ",");
    return;
  }
  printf("| %-14s | %5d | %8lld | %8d |", name, s->runs, s->compared, s->followed);
  for (int k = 0; k < OUTCOMES; k++)
    printf(" %*d |", (int)strlen(outcome_names[k]), s->outcomes[k]);
  printf(" %9.2g |\n", s->worst);
}

static void print_head(const campaign *c) {
  if (c->json) {
    printf("{\"seed\": %llu, \"rows\": [\n", (unsigned long long)c->seed);
    return;
  }
  printf("| family         |  runs | compared | followed |");
  for (int k = 0; k < OUTCOMES; k++) printf(" %s |", outcome_names[k]);
  printf(" round-off |\n|---|---|---|---|");
  for (int k = 0; k <= OUTCOMES; k++) printf("---|");
  printf("\n");
}

static void print_list(const campaign *c) {
  for (int k = 0; k < c->task_count; k++) {
    const task *t = &c->tasks[k];
    const run_result *r = &t->result;
    if (!bad(t) && (!c->list || r->outcome == RIGHT || r->outcome == WITH_CAUSE)) continue;
    printf("%s --problem %llu: %s, %s, h %.2g, %s, branch followed through %.4g, margin %.2g; %s\n",
           t->of->name, (unsigned long long)t->index, outcome_names[r->outcome], t->method, t->h,
           rattle_status_name((rattle_status)r->status), r->part, r->margin, r->message);
  }
}

/* How often certificates prove the steps of the families that they cover; steps that they and the
 * continuation judge differently. */
static long long print_proofs(const campaign *c) {
  long long contradicted = 0;
  printf("\n| family         | substeps | one piece | tracked | open | wrong | contradicted |\n"
         "|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < c->task_count;) {
    const family *of = c->tasks[k].of;
    struct run_proofs sum = {0};
    for (; k < c->task_count && c->tasks[k].of == of; k++) {
      const struct run_proofs *p = &c->tasks[k].result.proofs;
      sum.asked += p->asked, sum.one_piece += p->one_piece, sum.tracked += p->tracked;
      sum.open += p->open, sum.wrong += p->wrong, sum.contradicted += p->contradicted;
    }
    contradicted += sum.contradicted;
    if (sum.asked)
      printf("| %-14s | %8lld | %9lld | %7lld | %4lld | %5lld | %12lld |\n", of->name, sum.asked,
             sum.one_piece, sum.tracked, sum.open, sum.wrong, sum.contradicted);
  }
  return contradicted;
}

static int report(const campaign *c, double seconds) {
  row all = {0}, sum = {0};
  int wrong = 0;
  const family *of = c->task_count ? c->tasks[0].of : NULL;
  if (!c->json) print_list(c);
  print_head(c);
  for (int k = 0; k <= c->task_count; k++) {
    if (k == c->task_count || c->tasks[k].of != of) {
      print_row(c, of->name, &sum, 0);
      sum = (row){0};
      if (k == c->task_count) break;
      of = c->tasks[k].of;
    }
    if (c->tasks[k].left_out) continue;
    add(&sum, &c->tasks[k].result);
    wrong += bad(&c->tasks[k]);
    if (!of->fork) add(&all, &c->tasks[k].result);
  }
  print_row(c, "all but forks", &all, 1);
  if (c->json)
    printf("], \"wrong\": %d, \"seconds\": %.1f}\n", wrong, seconds);
  else
    printf("%d of %d runs wrong, seed %llu, %.1f s\n", wrong, all.runs, (unsigned long long)c->seed,
           seconds);
  if (c->prove && !c->json) wrong += print_proofs(c) > 0;
  return wrong > 0;
}

static int run_all(campaign *c) {
  pthread_t threads[64];
  struct timespec from, to;
  plan(c);
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int k = 0; k < c->threads; k++)
    if (pthread_create(&threads[k], NULL, work, c)) abort();
  for (int k = 0; k < c->threads; k++) pthread_join(threads[k], NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  const int status =
      report(c, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
  free(c->tasks);
  return status;
}

static int run_one(const campaign *c) {
  for (const family *const *group = family_groups; *group; group++)
    for (const family *of = *group; of->name; of++) {
      if (!c->families || strcmp(of->name, c->families)) continue;
      problem pr;
      run_result result;
      make(c, of, (uint64_t)c->problem, &pr);
      char *text = problem_text(&pr);
      printf("%s\n", text);
      free(text);
      if (c->models) {
        problem_free(&pr);
        return 0;
      }
      run_problem(&pr, &(run_wishes){1, 1, 1}, &result);
      printf("%s: %s; %d steps right, least margin %.3g, worst %.3g units of round-off, residuals "
             "%.3g units, %d followed by the "
             "guard\n",
             outcome_names[result.outcome], result.message, result.steps, result.least_margin,
             result.worst, result.residual, result.followed);
      problem_free(&pr);
      return result.outcome != RIGHT && result.outcome != WITH_CAUSE &&
             result.outcome != BORDERLINE;
    }
  fprintf(stderr, "--problem needs --family with one name; campaign --families lists them\n");
  return 2;
}

static int list_families(void) {
  for (const family *const *group = family_groups; *group; group++)
    for (const family *of = *group; of->name; of++)
      printf("%-16s %s%s\n", of->name, of->text, of->fork ? " (counted, not judged)" : "");
  return 0;
}

static const method *named(const char *text) {
  const method *how = method_named(text);
  if (how) return how;
  fprintf(stderr, "%s: not in the campaign's table; it has\n", text);
  for (how = methods; how->text; how++) fprintf(stderr, "  %s\n", how->text);
  exit(2);
}

int main(int count, char **words) {
  campaign c = {.count = 100, .seed = 1, .threads = 2, .problem = -1};
  for (int k = 1; k < count; k++) {
    const char *word = words[k], *value = k + 1 < count ? words[k + 1] : "";
    if (!strcmp(word, "--families")) return list_families();
    if (!strcmp(word, "--list"))
      c.list = 1;
    else if (!strcmp(word, "--prove"))
      c.prove = 1;
    else if (!strcmp(word, "--json"))
      c.json = 1;
    else if (!strcmp(word, "--model"))
      c.models = 1;
    else if (k++, !strcmp(word, "--family"))
      c.families = value;
    else if (!strcmp(word, "--method"))
      c.how = named(value);
    else if (!strcmp(word, "--drawn"))
      c.drawn = named(value);
    else if (!strcmp(word, "--count"))
      c.count = atoll(value);
    else if (!strcmp(word, "--total"))
      c.total = atoll(value);
    else if (!strcmp(word, "--seed"))
      c.seed = strtoull(value, NULL, 10);
    else if (!strcmp(word, "--native"))
      c.native = atoi(value) > 0 ? atoi(value) : 0;
    else if (!strcmp(word, "--check"))
      c.check = atoi(value) > 0 ? atoi(value) : 0;
    else if (!strcmp(word, "--threads"))
      c.threads = atoi(value) < 1 ? 1 : atoi(value) > 64 ? 64 : atoi(value);
    else if (!strcmp(word, "--problem"))
      c.problem = atoll(value);
    else {
      fprintf(stderr, "%s: not known\n", word);
      return 2;
    }
  }
  return c.problem >= 0 ? run_one(&c) : run_all(&c);
}
