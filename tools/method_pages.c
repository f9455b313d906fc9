/* Writes docs/methods/README.md from the method table: method_pages > docs/methods/README.md. A
 * test compares the two. */
#include <stdio.h>
#include <string.h>

#include "rattle/method.h"

static const char *const introduction =
    "# Methods\n\n"
    "<!-- made from src/method/methods.def by tools/method_pages.c: change the table, then run "
    "`method_pages > "
    "docs/methods/README.md` "
    "-->\n\n"
    "A method is an expression: a base map makes one step from the Hamiltonian, wrappers and "
    "compositions make a map from a "
    "map.\n\n"
    "    rattle(verlet)     suzuki4(rattle(midpoint))     kahan_li8(rattle(verlet, solver=newton), "
    "compensated)\n\n"
    "`name` or `name(argument, ..., option=value)`, nested; spaces are free, upper and lower case "
    "differ. `rattle methods "
    "EXPRESSION`\n"
    "states what an expression claims, why, and what a step costs. The rules:\n\n"
    "* `rattle` of a map of order 2 or more has order 2, of a map of order 1 order 1; it is "
    "symmetric or symplectic if the map\n"
    "  inside is. To raise the order, compose outside: `suzuki4(rattle(verlet))` has order 4, "
    "`rattle(suzuki4(verlet))` order "
    "2.\n"
    "* `shake` has order 1 in (q, p) and is not symmetric, so it cannot be composed; its fibres "
    "are those of `rattle`.\n"
    "* A composition takes a symmetric map of any order and keeps what that map claims.\n"
    "* `rattle(map, project=output)` steps like `shake` and slides onto psi = 0 at output points "
    "only: the same points as\n"
    "  `rattle(map)` to round-off, for less work.\n"
    "* `project` moves the result of a map of a field that contains the constraints, such as "
    "`rk4(dirac)`, back onto them and "
    "keeps its order; of X_H "
    "it "
    "has\n"
    "  order 1, with symmetric projections that of `rattle`. It is never symplectic: see "
    "[formulations](../formulations.md). Its "
    "`tol=` bounds the drift of |g| and |psi|.\n"
    "* `tol=` stops the iterations early and drops every claim that holds only to round-off.\n"
    "* `compensated`, in the outermost map, carries what rounding takes from q and p into the next "
    "sum, as state that a record\n"
    "  keeps. It is for explicit maps, RATTLE and SHAKE of them, and compositions: see "
    "[round-off](../round-off.md).\n"
    "* `quad`, in its place, makes the step with 113 bits, for references: the same page.\n";

static const char *yes(int claim) {
  return claim ? "yes" : "no";
}

/* Text in a table: | would end the cell. */
static void cell(const char *text) {
  for (; *text; text++) printf(*text == '|' ? "\\|" : "%c", *text);
}

static void title(const char *kind) {
  if (!strcmp(kind, "field"))
    puts("\n## Fields\n\nWhat a base map integrates, as in `rk4(dirac)`; without a field, that of "
         "H.\n\n"
         "| name | takes | Hamiltonian | needs | what it is |\n|---|---|---|---|---|");
  else if (!strcmp(kind, "constrained map"))
    puts("\n## Constrained maps\n\nThe constraints are part of their equations: no wrapper goes "
         "around them.\n\n"
         "| name | takes | order | symmetric | symplectic | g = 0 | psi = 0 | H | needs | what it "
         "is "
         "|\n|---|---|---|---|---|---|---|---|---|---|");
  else if (!strcmp(kind, "base map"))
    puts("\n## Base maps\n\nExplicit: on a separable Hamiltonian nothing is solved for. Proved: in "
         "`rattle` and `shake`, and compositions of them, [steps can be "
         "proved](../certificates.md).\n\n"
         "| name | takes | order | symmetric | symplectic | explicit | proved | needs | what it is "
         "|\n|---|---|---|---|---|---|---|---|---|");
  else if (!strcmp(kind, "wrapper"))
    puts("\n## Wrappers\n\n| name | takes | g = 0 | psi = 0 | what it does "
         "|\n|---|---|---|---|---|");
  else if (!strcmp(kind, "composition"))
    puts("\n## Compositions\n\n| name | takes | order | stages | what it is "
         "|\n|---|---|---|---|---|");
  else if (!strcmp(kind, "sampler"))
    puts("\n## Samplers\n\nThey stand outermost, and make Markov chains in place of trajectories: "
         "see "
         "[sampling](../sampling.md). Error: of the "
         "measure, in the step.\n\n| name | takes | error | detailed balance | needs | what it is "
         "|\n|---|---|---|---|---|---|");
  else
    puts("\n## Solvers of the multiplier equations\n\nAs in `rattle(verlet, solver=newton)`.\n\n| "
         "name | needs | what it is "
         "|\n|---|---|---|");
}

/* The order that name(k) claims. */
static int order_at(const rattle_method_row *row, int k) {
  char text[80];
  rattle_method *method;
  snprintf(text, sizeof text, "%s(%d)", row->name, k);
  if (rattle_method_parse(&method, text, NULL)) return 0;
  const int order = rattle_method_claims(method).order;
  rattle_method_destroy(&method);
  return order;
}

/* The order, if it depends on the parameter: "2s", "2s - 2", "p". */
static void order_by(const rattle_method_row *row) {
  const int low = (int)row->parameter[0].minimum, first = order_at(row, low),
            slope = order_at(row, low + 1) - first;
  const int rest = first - slope * low;
  if (slope != 1) printf("%d", slope);
  printf("%s", row->parameter[0].name);
  if (rest) printf(" %c %d", rest < 0 ? '-' : '+', rest < 0 ? -rest : rest);
}

/* True if claims follow from coefficients that a model gives by name. */
static int takes_name(const rattle_method_row *row) {
  return row->parameter[0].name && row->parameter[0].type == RATTLE_TAKES_NAME;
}

static const char *yes_or_found(const rattle_method_row *row, int claimed) {
  return !claimed && takes_name(row) ? "is found" : yes(claimed);
}

static void order_of(const rattle_method_row *row) {
  if (takes_name(row))
    printf("is found");
  else if (row->parameter[0].type == RATTLE_TAKES_INTEGER)
    order_by(row);
  else if (row->parameter[1].type == RATTLE_TAKES_INTEGER)
    printf("order");
  else if (row->claims.order == RATTLE_ORDER_EXACT)
    printf("exact");
  else
    printf("%d", row->claims.order);
}

static void line(const rattle_method_row *row) {
  const rattle_claims *claims = &row->claims;
  printf("| `%s` | ", row->name);
  if (strcmp(row->kind, "solver")) {
    cell(row->parameters);
    printf(" | ");
  }
  if (!strcmp(row->kind, "field")) {
    printf("%s | %s", yes(claims->symplectic), row->needs);
  } else if (!strcmp(row->kind, "constrained map")) {
    order_of(row);
    printf(" | %s | %s | %s | %s | %s | %s", yes(claims->symmetric), yes(claims->symplectic),
           yes(claims->keeps_g), yes(claims->keeps_psi), yes(claims->keeps_energy), row->needs);
  } else if (!strcmp(row->kind, "base map")) {
    order_of(row);
    printf(" | %s | %s | %s | %s | %s", yes_or_found(row, claims->symmetric),
           yes_or_found(row, claims->symplectic), yes_or_found(row, claims->explicit_),
           yes(claims->proved), row->needs);
  } else if (!strcmp(row->kind, "wrapper")) {
    const int own =
        claims->keeps_g ||
        claims->keeps_psi; /* one that does nothing about constraints keeps what the map inside
                            keeps */
    printf("%s | %s", own ? yes(claims->keeps_g) : "as inside",
           own ? yes(claims->keeps_psi) : "as inside");
  } else if (!strcmp(row->kind, "composition")) {
    order_of(row);
    if (claims->stages)
      printf(" | %d", claims->stages);
    else
      printf(" | 3^((order - r)/2), r the order inside");
  } else if (!strcmp(row->kind, "sampler")) {
    if (claims->order == RATTLE_ORDER_EXACT)
      printf("none");
    else
      printf("order %d", claims->order);
    printf(" | %s | %s", yes(claims->symmetric), row->needs);
  } else {
    printf("%s", row->needs);
  }
  printf(" | ");
  cell(row->text);
  printf(" |\n");
}

static void options(const rattle_method_row *rows, int count) {
  puts("\n## Parameters\n\nAny of them may be given by name, too: `gauss(s=2)`.\n\n| of | "
       "parameter | default | values | what it "
       "is "
       "|\n|---|---|---|---|---|");
  for (int i = 0; i < count; i++)
    for (const rattle_method_parameter *p = rows[i].parameter; p->name; p++) {
      if (p->type == RATTLE_TAKES_MAP) continue;
      printf("| `%s` | `%s` | %s | ", rows[i].name, p->name,
             !p->fallback     ? "must be given"
             : p->fallback[0] ? p->fallback
                              : p->otherwise);
      if (p->type == RATTLE_TAKES_WORD)
        cell(p->choices);
      else if (p->type == RATTLE_TAKES_SOLVER)
        printf("a solver");
      else if (p->type == RATTLE_TAKES_FIELD)
        printf("a field");
      else if (p->type == RATTLE_TAKES_NAME)
        printf("a name that the model gives");
      else
        printf("%g .. %g", p->minimum, p->maximum);
      printf(" | %s |\n", p->text);
    }
}

int main(void) {
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  fputs(introduction, stdout);
  for (int i = 0; i < count; i++) {
    if (!i || strcmp(rows[i].kind, rows[i - 1].kind)) title(rows[i].kind);
    line(&rows[i]);
  }
  options(rows, count);
  puts("\n## Sources\n");
  for (int i = 0; i < count; i++)
    if (rows[i].citation[0]) printf("* `%s`: %s.\n", rows[i].name, rows[i].citation);
  return fflush(stdout) || ferror(stdout);
}
