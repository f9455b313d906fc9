/* A problem's model as Lua text. */
#include "general.h"
#include "methods.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
  char *at;
  size_t length, room;
} text;

static void need(text *t, size_t more) {
  if (t->length + more + 1 < t->room) return;
  t->room = 2 * t->room + more + 1024;
  t->at = realloc(t->at, t->room);
  if (!t->at) abort();
}

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...) {
  va_list list;
  need(t, 512);
  va_start(list, format);
  t->length += (size_t)vsnprintf(t->at + t->length, 512, format, list);
  va_end(list);
}

static void say_sum(text *t, const formula *f, const formula_sum *sum) {
  const int length = formula_print(f, sum, NULL, 0);
  need(t, (size_t)length);
  formula_print(f, sum, t->at + t->length, length + 1);
  t->length += (size_t)length;
}

static void say_kinetic(text *t, const problem *pr) {
  const formula *f = &pr->f;
  if (pr->diagonal) {
    say(t, "mass { ");
    for (int k = 0; k < pr->n; k++) say(t, "%s%s = %.17g", k ? ", " : "", f->names[k], pr->mass[k]);
    say(t, " }\n");
    return;
  }
  say(t, "hamiltonian((");
  for (int i = 0; i < pr->n; i++)
    for (int j = 0; j <= i; j++) {
      if (i) say(t, " + ");
      if (i == j) say(t, "%.17g*%s^2", pr->W[i * pr->n + i], f->names[pr->n + i]);
      if (i != j)
        say(t, "(%.17g)*%s*%s", 2 * pr->W[i * pr->n + j], f->names[pr->n + i], f->names[pr->n + j]);
    }
  say(t, ")/2)\n");
}

enum { LOCALS = 200 }; /* of a function, by Lua 5.4 */

char *problem_text(const problem *pr) {
  const formula *f = &pr->f;
  const char *local = 2 * pr->n <= LOCALS ? "local " : "";
  text t = {0};
  say(&t, "title \"campaign %s, seed %llu, problem %llu\"\n", pr->family,
      (unsigned long long)pr->seed, (unsigned long long)pr->index);
  for (int k = 0; k < pr->n; k++) {
    const char *q = f->names[k], *p = f->names[pr->n + k];
    if (general_is_time(pr, k))
      say(&t, "%s%s = time()\n", local, q);
    else
      say(&t, "%s%s, %s = pair(\"%s\", \"%s\")\n", local, q, p, q, p);
  }
  if (pr->natural) say_kinetic(&t, pr);
  if (pr->H.count) {
    say(&t, pr->natural && pr->diagonal ? "potential(" : "hamiltonian(");
    say_sum(&t, f, &pr->H);
    say(&t, ")\n");
  }
  for (int i = 0; i < pr->m; i++) {
    say(&t, "constrain(\"%s\", ", pr->constraint[i]);
    say_sum(&t, f, &pr->g[i]);
    say(&t, pr->natural ? ")\n" : ", { dirac = true })\n");
  }
  for (int k = 0; k < pr->n; k++) {
    if (!pr->force[k].count) continue;
    say(&t, "force { %s = ", f->names[k]);
    say_sum(&t, f, &pr->force[k]);
    say(&t, " }\n");
  }
  if (pr->has_part) {
    say(&t, "observe(\"part\", ");
    say_sum(&t, f, &pr->part);
    say(&t, ") -- never 0\n");
  }
  const double *of_q = pr->off > 0 ? pr->off_q : pr->q, *of_p = pr->off > 0 ? pr->off_p : pr->p;
  say(&t, "start {");
  for (int k = 0; k < pr->n - pr->timed; k++)
    say(&t, "%s %s = %.17g, %s = %.17g", k ? "," : "", f->names[k], of_q[k], f->names[pr->n + k],
        of_p[k]);
  say(&t, "%s }\n", pr->off > 0 ? ", project = true" : "");
  if (pr->h < 0) say(&t, "-- the campaign steps backwards\n");
  say(&t, "integrate { method = \"%s\", step = %.17g, steps = %d }\n", pr->method->text,
      fabs(pr->h), pr->steps);
  return t.at;
}
