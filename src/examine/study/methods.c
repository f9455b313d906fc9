/* Which methods a study takes: what is asked for, else rows of the table that fit the problem. */
#include <stdio.h>
#include <string.h>

#include "ground/support/error.h"
#include "method/notation/method.h"
#include "problem/functions/problem.h"
#include "examine/doctor/quick.h"
#include "rattle/integrator.h"
#include "examine/study/study.h"

enum { MOST_KINDS = 64, MOST_ORDERS = 32 };

int rattle__study_stages(const rattle_study *study, const char *expression) {
  rattle_method *method = NULL;
  int stages = 1;
  if (!rattle_method_parse(&method, expression, NULL) &&
      !rattle_method_resolve(method, study->problem, NULL))
    stages = rattle_method_claims(method).stages;
  rattle_method_destroy(&method);
  return stages > 0 ? stages : 1;
}

const char *rattle__study_inner(const rattle_study *study) {
  return rattle_default_method(study->problem);
}

/* True if the problem meets the needs of the method. */
static int fits(const rattle_study *study, const char *method) {
  rattle_integrator *integrator = NULL;
  rattle_status status = rattle_integrator_create(&integrator, study->problem, method, NULL);
  rattle_integrator_destroy(&integrator);
  return !status;
}

/* True if a row is a composition that takes a map and nothing else that must be given. */
static int composes(const rattle_method_row *row) {
  if (rattle__method_kind_of(row) != RATTLE__COMPOSITION) return 0;
  for (const rattle_method_parameter *p = row->parameter; p->name; p++)
    if (!p->fallback && !p->option && p->type != RATTLE_TAKES_MAP) return 0;
  return 1;
}

/* The composition of the highest order below `below`, of these the one with the most stages: its
 * error is the smallest. NULL: none. */
static const rattle_method_row *composition_below(int below) {
  const rattle_method_row *row, *best = NULL;
  int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows; i++) {
    if (!composes(&row[i]) || row[i].claims.order >= below) continue;
    int better =
        !best || row[i].claims.order > best->claims.order ||
        (row[i].claims.order == best->claims.order && row[i].claims.stages >= best->claims.stages);
    if (better) best = &row[i];
  }
  return best;
}

/* A base map that claims the exact flow, if there are no constraints and the flow is known. */
static const char *exact_map(const rattle_study *study) {
  const rattle_method_row *row;
  int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows && study->m == 0; i++)
    if (row[i].claims.order >= RATTLE_ORDER_EXACT && fits(study, row[i].name)) return row[i].name;
  return NULL;
}

const char *rattle__study_best(rattle_study *study) {
  const char *inner = rattle__study_inner(study), *exact = exact_map(study);
  const rattle_method_row *row = composition_below(RATTLE_ORDER_EXACT);
  if (exact) return exact;
  if (!row) return inner;
  return rattle__study_text(study, "%s(%s)", row->name,
                            inner); /* sums as in the methods studied: it shows their round-off */
}

const char *rattle__study_reference(rattle_study *study) {
  const char *asked = study->options.reference;
  const rattle_method_row *row = composition_below(RATTLE_ORDER_EXACT);
  if (!asked) return study->finest;
  if (strcmp(asked, "quad") || !row) return asked;
  return rattle__study_text(study, "%s(%s, quad)", row->name, rattle__study_inner(study));
}

const char *rattle__study_plain(rattle_study *study, const char *expression, double *costlier) {
  rattle_method *method = NULL;
  char buffer[1024];
  const char *plain = NULL;
  *costlier = 1;
  if (!rattle_method_parse(&method, expression, NULL)) {
    rattle__node node = *rattle__method_root(method);
    if (node.compensated || node.quad) {
      rattle__text text = {buffer, sizeof buffer};
      *costlier = node.quad ? 300 : 5;
      node.compensated = node.quad = 0;
      rattle__put_node(&text, &node);
      plain = rattle__study_text(study, "%s", buffer);
    }
  }
  rattle_method_destroy(&method);
  return plain;
}

/* The canonical text, as given if there is none. */
static const char *canonical(rattle_study *study, const char *expression) {
  rattle_method *method = NULL;
  const char *text = expression;
  if (!rattle_method_parse(&method, expression, NULL)) text = rattle_method_text(method);
  text = rattle__study_text(study, "%s", text);
  rattle_method_destroy(&method);
  return text;
}

/* One more, unless it is there already. */
static void add(rattle_study *study, const char *expression) {
  const char *text = canonical(study, expression);
  for (int i = 0; i < study->methods; i++)
    if (!strcmp(study->method[i], text)) return;
  study->method[study->methods++] = text;
}

/* Fields, base maps and wrappers that fit; compositions and solvers are not other formulations. */
static void add_kind(void *self, const rattle_method_row *row, const char *method) {
  rattle_study *study = self;
  rattle__method_kind kind = rattle__method_kind_of(row);
  if (kind == RATTLE__COMPOSITION || kind == RATTLE__SOLVER || study->methods >= MOST_KINDS) return;
  if (fits(study, method)) add(study, method);
}

/* The best composition of each order, from low orders to high ones; inside the wrapper of that
 * name, or "". */
static void add_orders(rattle_study *study, const char *wrapper, const char *inner) {
  const rattle_method_row *chain[MOST_ORDERS], *row = composition_below(RATTLE_ORDER_EXACT);
  const char *open = wrapper[0] ? "(" : "", *close = wrapper[0] ? ")" : "";
  int count = 0;
  for (; row && count < MOST_ORDERS; row = composition_below(row->claims.order))
    chain[count++] = row;
  while (count-- > 0)
    add(study,
        rattle__study_text(study, "%s%s%s(%s)%s", wrapper, open, chain[count]->name, inner, close));
}

/* The order that an expression claims; 0 if it cannot be parsed. */
static int order_of(const char *expression) {
  rattle_method *method = NULL;
  int order = 0;
  if (!rattle_method_parse(&method, expression, NULL)) order = rattle_method_claims(method).order;
  rattle_method_destroy(&method);
  return order;
}

/* True if a row is a map of higher order to be tried: one that keeps the constraints, or, without
 * them, a symmetric one, or one of so high an order that short runs may do without. */
static int is_tried(const rattle_study *study, const rattle_method_row *row) {
  const rattle__method_kind kind = rattle__method_kind_of(row);
  if (study->m > 0) return kind == RATTLE__CONSTRAINED && row->claims.keeps_psi;
  return kind == RATTLE__BASE && study->problem->swept &&
         (row->claims.symmetric || row->claims.order > 4) && row->claims.order < RATTLE_ORDER_EXACT;
}

/* Such maps, with each number of stages if that is to be given. */
static void add_maps(rattle_study *study) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  char text[64];
  for (int i = 0; i < rows; i++) {
    const rattle_method_parameter *p = row[i].parameter;
    if (!is_tried(study, &row[i])) continue;
    const int given = p->name && !p->fallback && !p->option && p->type == RATTLE_TAKES_INTEGER;
    for (int value = given ? (int)p->minimum : 1;
         value <= (given ? (int)p->maximum : 1) && study->methods < MOST_KINDS; value++) {
      if (given)
        snprintf(text, sizeof text, "%s(%d)", row[i].name, value);
      else
        snprintf(text, sizeof text, "%s", row[i].name);
      if (order_of(text) > 2 && fits(study, text)) add(study, text);
    }
  }
}

/* Every composition, and wrappers that choose steps, around the best of each order. */
static void add_compositions(rattle_study *study, const char *inner) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows && study->methods < MOST_KINDS; i++)
    if (composes(&row[i])) add(study, rattle__study_text(study, "%s(%s)", row[i].name, inner));
  for (int i = 0; i < rows && study->methods < MOST_KINDS; i++) {
    if (strcmp(row[i].kind, "wrapper") != 0 || row[i].claims.keeps_g) continue;
    add(study, rattle__study_text(study, "%s(%s)", row[i].name, inner));
    add_orders(study, row[i].name, inner);
  }
}

rattle_status rattle__study_choose(rattle_study *study, rattle__choice choice,
                                   rattle_error *error) {
  const rattle_study_options *options = &study->options;
  const rattle_model *model = rattle_problem_model(study->problem);
  const char *inner = rattle__study_inner(study),
             *own = model ? rattle_model_wishes(model)->method : NULL;
  study->method =
      rattle__arena_take(&study->arena, (size_t)(options->methods + MOST_KINDS + MOST_ORDERS + 2) *
                                            sizeof *study->method);
  if (!study->method) return rattle__no_memory(error);
  for (int i = 0; i < options->methods; i++) add(study, options->method[i]);
  if (options->methods > 0) return RATTLE_OK;
  if (choice == RATTLE__CHOICE_FINEST) {
    add(study, study->finest);
    return RATTLE_OK;
  }
  if (own && fits(study, own)) add(study, own);
  if (choice == RATTLE__CHOICE_OWN && study->methods > 0) return RATTLE_OK;
  add(study, inner);
  if (choice == RATTLE__CHOICE_KINDS) rattle__each_method(study->problem, add_kind, study);
  if (choice == RATTLE__CHOICE_OWN) return RATTLE_OK;
  if (choice == RATTLE__CHOICE_COMPOSITIONS) {
    add_maps(study);
    add_compositions(study, inner);
  } else {
    add_orders(study, "", inner);
  }
  return RATTLE_OK;
}
