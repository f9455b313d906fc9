/* The method table: rows made from methods.def, and finding names in it. */
#include "core/method.h"

#include <ctype.h>
#include <string.h>

/* What the rows take: the text that users see and the parameters that the parser reads, from one place. */
#define TEXT_OF(number) #number
#define NONE .parameters = ""
#define FORM .parameters = "a|b", .parameter = {{"form", RATTLE_TAKES_WORD, 0, "a|b", "a", 0, 0}}
#define STAGES(low, high)                                                                                                        \
  .parameters = "s = " TEXT_OF(low) ".." TEXT_OF(high), .parameter = {{"s", RATTLE_TAKES_INTEGER, 0, NULL, NULL, low, high}}
#define A_MAP                                                                                                                    \
  { "map", RATTLE_TAKES_MAP, 0, NULL, NULL, 0, 0 }
#define A_SOLVER                                                                                                                 \
  {"solver", RATTLE_TAKES_SOLVER, 1, NULL, "auto", 0, 0}, {                                                                      \
    "tol", RATTLE_TAKES_NUMBER, 1, NULL, "", 1e-16, 0.1                                                                          \
  }
#define A_PROJECTION                                                                                                             \
  { "project", RATTLE_TAKES_WORD, 1, "step|output", "step", 0, 0 }
#define MAP .parameters = "map", .parameter = {A_MAP}
#define MAP_ORDER(low, high)                                                                                                     \
  .parameters = "map, order = " TEXT_OF(low) ".." TEXT_OF(high),                                                                 \
  .parameter = {A_MAP, {"order", RATTLE_TAKES_INTEGER, 0, NULL, NULL, low, high}}
#define MAP_SOLVER .parameters = "map, solver=, tol=", .parameter = {A_MAP, A_SOLVER}
#define MAP_PROJECT_SOLVER .parameters = "map, project=step|output, solver=, tol=", .parameter = {A_MAP, A_PROJECTION, A_SOLVER}

#define LIST(...) __VA_ARGS__
#define KIND_BASE "base map"
#define KIND_WRAPPER "wrapper"
#define KIND_COMPOSITION "composition"
#define KIND_SOLVER "solver"

static const rattle_method_row rows[] = {
#define METHOD(name_, kind_, parameters_, claims_, needs_, citation_, text_)                                                     \
  {.name = #name_,                                                                                                               \
   .kind = KIND_##kind_,                                                                                                         \
   parameters_,                                                                                                                  \
   .claims = {LIST claims_},                                                                                                     \
   .needs = needs_,                                                                                                              \
   .citation = citation_,                                                                                                        \
   .text = text_},
#include "methods.def"
#undef METHOD
};

static const rattle__method_kind kinds[] = {
#define METHOD(name, kind, ...) RATTLE__##kind,
#include "methods.def"
#undef METHOD
};

int rattle_method_rows(const rattle_method_row **table) {
  *table = rows;
  return RATTLE__METHOD_COUNT;
}

const rattle_method_row *rattle__method_row(rattle__method_id id) {
  return &rows[id];
}

const char *rattle__method_name(rattle__method_id id) {
  return rows[id].name;
}

rattle__method_kind rattle__method_kind_of(rattle__method_id id) {
  return kinds[id];
}

rattle__method_id rattle__method_find(const char *name, size_t length) {
  for (int i = 0; i < RATTLE__METHOD_COUNT; i++)
    if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length)) return (rattle__method_id)i;
  return RATTLE__METHOD_COUNT;
}

/* Levenshtein's distance between a[0..n) and the name b, letters of either case being the same; n <= 40 and names are shorter
 * than 40. cost[j] is the distance between the part of a read so far and the first j characters of b. */
static int distance(const char *a, size_t n, const char *b) {
  int cost[41];
  const size_t m = strlen(b);
  for (size_t j = 0; j <= m; j++) cost[j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    int diagonal = cost[0];
    cost[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
      int best = diagonal + !same;
      if (cost[j] + 1 < best) best = cost[j] + 1;
      if (cost[j - 1] + 1 < best) best = cost[j - 1] + 1;
      diagonal = cost[j];
      cost[j] = best;
    }
  }
  return cost[m];
}

rattle__method_id rattle__method_nearest(const char *name, size_t length, int solver) {
  rattle__method_id nearest = RATTLE__METHOD_COUNT;
  if (length > 40) return nearest;
  /* a third of the characters may be wrong, and a beginning of four or more is as good as a spelling error */
  int best = (int)length / 3 + 1;
  for (int i = 0; i < RATTLE__METHOD_COUNT; i++) {
    if ((kinds[i] == RATTLE__SOLVER) != solver) continue;
    int d = distance(name, length, rows[i].name);
    if (length >= 4 && !strncmp(rows[i].name, name, length) && d > 1) d = 1;
    if (d < best) best = d, nearest = (rattle__method_id)i;
  }
  return nearest;
}
