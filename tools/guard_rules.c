/* Prints docs/guards.md with the tables of the guard's rules, from
 * src/constraint/guard/rules/rules.def: guard_rules PAGE. What stands between the marks <!-- rules
 * ... --> and <!-- /rules --> is written anew. A test compares; guard_rules PAGE > NEW && mv NEW
 * PAGE writes the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 16, NUMBERS_MOST = 12 };

typedef struct number {
  const char *value, *what;
} number;

typedef struct asked {
  const char *step, *when;
} asked;

typedef struct rule {
  const char *title, *doubt, *decision;
  number numbers[NUMBERS_MOST];
  asked by[ASKED_MOST];
} rule;

#define RULE(name, title, doubt, numbers, asked, decision)                                         \
  {title, doubt, decision, {numbers{NULL, NULL}}, {asked{NULL, NULL}}},
#define NUMBER(name, value, what) {#value, what},
#define WHOLE(name, value, what) {#value, what},
#define BY(step, file, when) {#step, when},
static const rule rules[] = {
#include "constraint/guard/rules/rules.def"
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct {
  const char *name, *what;
} steps[] = {{"single", "natural, up to 12 constraints"},
             {"lanes", "the same, several cases at once"},
             {"forced", "the same with forces"},
             {"chain", "chains and rings of links"},
             {"tree", "trees of links"},
             {"molecules", "molecules of bonds"},
             {"bodies", "rigid bodies joined to trees; in doubt: sparse"},
             {"sparse", "natural, others"},
             {"sweeps", "`solver=sweep`, `andersen`"},
             {"spark", "`spark`, natural H"},
             {"contraction", "`spark_gauss` in joint coordinates; in doubt: general"},
             {"rolling", "constraints on velocities, natural H; others: general"},
             {"staged", "`rattle` of stages, few quadratic g(q); in doubt: general"},
             {"general", "all others that iterate"},
             {"fields", "no iteration"}};
enum { STEPS = sizeof steps / sizeof *steps };

/* Text in a table: | would end the cell. */
static void cell(const char *text) {
  for (; *text; text++) printf(*text == '|' ? "\\|" : "%c", *text);
}

/* 1.0 / 64 as 1/64 */
static void print_number(const number *n) {
  const char *slash = strstr(n->value, ".0 / ");
  if (slash) printf("%.*s/%s ", (int)(slash - n->value), n->value, slash + 5);
  if (!slash) printf("%s ", n->value);
  cell(n->what);
}

static void print_rules(void) {
  puts("| | rule | a step is in doubt if | numbers | why |\n|---|---|---|---|---|");
  for (int i = 0; i < RULES; i++) {
    const rule *r = &rules[i];
    printf("| %d | %s | ", i + 1, r->title);
    cell(r->doubt);
    printf(" | ");
    for (const number *n = r->numbers; n->what; n++) {
      if (n > r->numbers) printf("; ");
      print_number(n);
    }
    printf(" | [%.3s](decisions/%s.md) |\n", r->decision, r->decision);
  }
}

/* When a kind of step asks, in brackets; nothing where it always does. */
static void print_when(const rule *r, const char *step) {
  int count = 0;
  for (const asked *a = r->by; a->step; a++)
    if (!strcmp(a->step, step) && !*a->when) return;
  for (const asked *a = r->by; a->step; a++)
    if (!strcmp(a->step, step)) printf("%s%s", count++ ? "; " : " (", a->when);
  if (count) printf(")");
}

static int is_asked_by(const rule *r, const char *step) {
  for (const asked *a = r->by; a->step; a++)
    if (!strcmp(a->step, step)) return 1;
  return 0;
}

/* The rules that each kind of step asks. */
static void print_steps(void) {
  puts("\n| steps | | rules, by their numbers above |\n|---|---|---|");
  for (int s = 0; s < STEPS; s++) {
    printf("| %s | %s |", steps[s].name, steps[s].what);
    for (int i = 0, count = 0; i < RULES; i++) {
      if (!is_asked_by(&rules[i], steps[s].name)) continue;
      printf("%s%d", count++ ? ", " : " ", i + 1);
      print_when(&rules[i], steps[s].name);
    }
    puts(" |");
  }
}

int main(int count, char **given) {
  FILE *page = count == 2 ? fopen(given[1], "r") : NULL;
  char line[8192];
  int inside = 0;
  if (!page) return fprintf(stderr, "usage: guard_rules PAGE\n"), EXIT_FAILURE;
  while (fgets(line, sizeof line, page)) {
    if (!strncmp(line, "<!-- /rules", 11)) inside = 0;
    if (!inside) fputs(line, stdout);
    if (strncmp(line, "<!-- rules", 10)) continue;
    inside = 1;
    print_rules();
    print_steps();
  }
  fclose(page);
  return inside ? EXIT_FAILURE : EXIT_SUCCESS;
}
