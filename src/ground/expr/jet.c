/* Taylor series of expressions: the nodes below the roots as a list of steps, operands first, each
 * with its rule.
 *
 * Whole powers |n| <= RATTLE__POWI_MAX are products, as in their value, so that bases that vanish
 * are no exception; a^b is exp(b log a). Products with constants, and the companions of sines and
 * the like, have rules of their own. */
#include "ground/expr/jet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/graph.h"
#include "ground/expr/jet_rules.h"
#include "ground/expr/op.h"

typedef struct step {
  rattle__jet_rule *rule;
  size_t a, b, u, v; /* series; 0 if there is none */
  double c;
} step;

struct rattle__jets {
  int order, roots;
  size_t series;       /* 1 .. series; 0 stands for none */
  unsigned char *late; /* [series + 1] whether it holds late variables */
  step *step;          /* those without late variables first */
  size_t steps, first_late, step_room, series_room;
  size_t *place; /* series of a node of the graph, 0: not met */
  size_t *root, *variable;
  double *coefficient; /* [(series + 1) * (order + 1)] */
  int failed;          /* no memory */
};

/* ---- making the list ---- */

static size_t new_series(rattle__jets *s) {
  if (s->series + 1 >= s->series_room) {
    const size_t larger = 2 * s->series_room + 64;
    unsigned char *grown = realloc(s->late, larger);
    if (!grown) {
      s->failed = 1;
      return 0;
    }
    s->late = grown;
    s->series_room = larger;
  }
  s->late[++s->series] = 0;
  return s->series;
}

/* A step with a new series as its result, or where u is given with that. */
static size_t emit_to(rattle__jets *s, step made) {
  if (!made.u) made.u = new_series(s);
  if (s->steps >= s->step_room) {
    const size_t larger = 2 * s->step_room + 64;
    step *grown = realloc(s->step, larger * sizeof *grown);
    if (!grown) s->failed = 1;
    if (grown) s->step = grown, s->step_room = larger;
  }
  if (s->failed) return 0;
  const unsigned char late = s->late[made.a] | s->late[made.b] | (made.v ? s->late[made.v] : 0);
  s->late[made.u] = late;
  if (made.v) s->late[made.v] = late;
  s->step[s->steps++] = made;
  return made.u;
}

static size_t emit(rattle__jets *s, rattle__jet_rule *rule, size_t a, size_t b) {
  return emit_to(s, (step){.rule = rule, .a = a, .b = b});
}

static size_t emit_with(rattle__jets *s, rattle__jet_rule *rule, size_t a, double c) {
  return emit_to(s, (step){.rule = rule, .a = a, .c = c});
}

/* The two of a pair such as sine and cosine; which: 0 gives u, 1 gives v. */
static size_t emit_pair(rattle__jets *s, rattle__jet_rule *rule, size_t a, int which) {
  const size_t v = new_series(s), u = emit_to(s, (step){.rule = rule, .a = a, .v = v});
  return which ? v : u;
}

/* a^n as in rattle__op_powi */
static size_t emit_whole_power(rattle__jets *s, size_t a, int n) {
  const unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n;
  unsigned bit = 1;
  while (bit <= k / 2) bit *= 2;
  size_t r = a;
  while (bit /= 2) {
    r = emit(s, rattle__jet_square, r, 0);
    if (k & bit) r = emit(s, rattle__jet_multiply, r, a);
  }
  return n < 0 ? emit(s, rattle__jet_reciprocal, r, 0) : r;
}

static size_t emit_power(rattle__jets *s, size_t a, size_t b, const double *constant) {
  if (constant && *constant == rint(*constant) && fabs(*constant) <= RATTLE__POWI_MAX &&
      *constant != 0)
    return emit_whole_power(s, a, (int)*constant);
  if (constant) return emit_with(s, rattle__jet_power, a, *constant);
  return emit(s, rattle__jet_exp, emit(s, rattle__jet_multiply, b, emit(s, rattle__jet_log, a, 0)),
              0);
}

static size_t emit_binary(rattle__jets *s, const rattle_graph *graph, rattle_expr e) {
  const rattle_expr first = rattle__first(graph, e), second = rattle__second(graph, e);
  const size_t a = s->place[first], b = s->place[second];
  const double x = rattle__is_constant(graph, first) ? rattle__value(graph, first) : 0,
               y = rattle__is_constant(graph, second) ? rattle__value(graph, second) : 0;
  const int constant = rattle__is_constant(graph, second);
  switch (rattle__op(graph, e)) {
  case RATTLE_OP_ADD:
    return emit(s, rattle__jet_add, a, b);
  case RATTLE_OP_SUB:
    return emit(s, rattle__jet_subtract, a, b);
  case RATTLE_OP_MUL:
    if (rattle__is_constant(graph, first)) return emit_with(s, rattle__jet_scale, b, x);
    return constant ? emit_with(s, rattle__jet_scale, a, y) : emit(s, rattle__jet_multiply, a, b);
  case RATTLE_OP_DIV:
    return constant ? emit_with(s, rattle__jet_part, a, y) : emit(s, rattle__jet_divide, a, b);
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    return emit_power(s, a, b, constant ? &y : NULL);
  case RATTLE_OP_LT:
    return emit(s, rattle__jet_less, a, b);
  case RATTLE_OP_WHEN:
    return emit(s, rattle__jet_when, a, b);
  case RATTLE_OP_MIN:
    return emit(s, rattle__jet_min, a, b);
  case RATTLE_OP_MAX:
    return emit(s, rattle__jet_max, a, b);
  case RATTLE_OP_ATLEAST:
    return emit(s, rattle__jet_at_least, a, b);
  case RATTLE_OP_ATMOST:
    return emit(s, rattle__jet_at_most, a, b);
  default: { /* ATAN2 */
    const size_t square = emit(s, rattle__jet_add, emit(s, rattle__jet_square, a, 0),
                               emit(s, rattle__jet_square, b, 0));
    return emit_to(s, (step){.rule = rattle__jet_atan2, .a = a, .b = b, .v = square});
  }
  }
}

/* 1 + c a^2 */
static size_t emit_one_plus_square(rattle__jets *s, size_t a, double c) {
  return emit_with(s, rattle__jet_one_plus, emit(s, rattle__jet_square, a, 0), c);
}

/* c exp(-a^2) */
static size_t emit_bell(rattle__jets *s, size_t a, double c) {
  const size_t square = emit(s, rattle__jet_square, a, 0);
  return emit_with(s, rattle__jet_scale,
                   emit(s, rattle__jet_exp, emit_with(s, rattle__jet_scale, square, -1), 0), c);
}

static size_t emit_unary(rattle__jets *s, rattle_op op, size_t a) {
  switch (op) {
  case RATTLE_OP_NEG:
    return emit_with(s, rattle__jet_scale, a, -1);
  case RATTLE_OP_SQRT:
    return emit(s, rattle__jet_sqrt, a, 0);
  case RATTLE_OP_EXP:
    return emit(s, rattle__jet_exp, a, 0);
  case RATTLE_OP_LOG:
    return emit(s, rattle__jet_log, a, 0);
  case RATTLE_OP_SIN:
  case RATTLE_OP_COS:
    return emit_pair(s, rattle__jet_sine, a, op == RATTLE_OP_COS);
  case RATTLE_OP_TAN:
    return emit_pair(s, rattle__jet_tan, a, 0);
  case RATTLE_OP_ASIN:
    return emit(s, rattle__jet_asin, a,
                emit(s, rattle__jet_sqrt, emit_one_plus_square(s, a, -1), 0));
  case RATTLE_OP_ACOS:
    return emit(s, rattle__jet_acos, a,
                emit(s, rattle__jet_sqrt, emit_one_plus_square(s, a, -1), 0));
  case RATTLE_OP_ATAN:
    return emit(s, rattle__jet_atan, a, emit_one_plus_square(s, a, 1));
  case RATTLE_OP_SINH:
  case RATTLE_OP_COSH:
    return emit_pair(s, rattle__jet_hyperbolic, a, op == RATTLE_OP_COSH);
  case RATTLE_OP_EXPM1:
    return emit(s, rattle__jet_expm1, a, emit(s, rattle__jet_exp, a, 0));
  case RATTLE_OP_LOG1P:
    return emit(s, rattle__jet_log1p, a, emit_with(s, rattle__jet_one_plus, a, 1));
  case RATTLE_OP_ERF:
    return emit(s, rattle__jet_erf, a, emit_bell(s, a, M_2_SQRTPI));
  case RATTLE_OP_ERFC:
    return emit(s, rattle__jet_erfc, a, emit_bell(s, a, -M_2_SQRTPI));
  case RATTLE_OP_ABS:
    return emit(s, rattle__jet_abs, a, 0);
  case RATTLE_OP_SIGN:
    return emit(s, rattle__jet_sign, a, 0);
  case RATTLE_OP_HELD:
    return emit(s, rattle__jet_held, a, 0);
  default: /* TANH */
    return emit_pair(s, rattle__jet_tanh, a, 0);
  }
}

static size_t emit_node(rattle__jets *s, const rattle_graph *graph, rattle_expr e,
                        const rattle__jets_plan *plan) {
  const rattle_op op = rattle__op(graph, e);
  if (op == RATTLE_OP_CONSTANT) return new_series(s);
  if (op == RATTLE_OP_VARIABLE) {
    const int v = rattle_expr_index(graph, e);
    s->late[s->variable[v]] = v >= plan->late;
    return s->variable[v];
  }
  return rattle__arity(op) == 2 ? emit_binary(s, graph, e)
                                : emit_unary(s, op, s->place[rattle__first(graph, e)]);
}

/* place[e] = 1 for the nodes below the roots. Operands have smaller handles than the nodes that use
 * them. */
static rattle_expr mark(rattle__jets *s, const rattle_graph *graph, const rattle__jets_plan *plan) {
  rattle_expr last = 0;
  for (int r = 0; r < plan->roots; r++) {
    s->place[plan->root[r]] = 1;
    if (plan->root[r] > last) last = plan->root[r];
  }
  for (rattle_expr e = last; e > 0; e--) {
    const int arity = s->place[e] ? rattle__arity(rattle__op(graph, e)) : 0;
    if (arity > 0) s->place[rattle__first(graph, e)] = 1;
    if (arity > 1) s->place[rattle__second(graph, e)] = 1;
  }
  return last;
}

/* Steps without late variables first, else in their order. */
static int part_late(rattle__jets *s) {
  step *sorted = malloc((s->steps + 1) * sizeof *sorted);
  if (!sorted) return 1;
  size_t count = 0;
  for (int late = 0; late < 2; late++) {
    if (late) s->first_late = count;
    for (size_t i = 0; i < s->steps; i++)
      if (s->late[s->step[i].u] == late) sorted[count++] = s->step[i];
  }
  free(s->step);
  s->step = sorted;
  return 0;
}

static int make(rattle__jets *s, const rattle_graph *graph, const rattle__jets_plan *plan) {
  const size_t nodes = (size_t)rattle_graph_count(graph) + 1, length = (size_t)plan->order + 1;
  s->place = calloc(nodes, sizeof *s->place);
  s->root = calloc((size_t)plan->roots + 1, sizeof *s->root);
  s->variable = calloc((size_t)plan->variables + 1, sizeof *s->variable);
  if (!s->place || !s->root || !s->variable || !new_series(s)) return 1;
  s->series = 0; /* new_series has made room for series 0 */
  s->late[0] = 0;
  for (int v = 0; v < plan->variables; v++) s->variable[v] = new_series(s);
  const rattle_expr last = mark(s, graph, plan);
  for (rattle_expr e = 1; e <= last && !s->failed; e++)
    if (s->place[e]) s->place[e] = emit_node(s, graph, e, plan);
  if (s->failed || part_late(s)) return 1;
  s->coefficient = calloc((s->series + 1) * length, sizeof *s->coefficient);
  if (!s->coefficient) return 1;
  for (rattle_expr e = 1; e <= last; e++)
    if (s->place[e] && rattle__is_constant(graph, e))
      s->coefficient[s->place[e] * length] = rattle__value(graph, e);
  for (int r = 0; r < plan->roots; r++) s->root[r] = s->place[plan->root[r]];
  free(s->place);
  s->place = NULL;
  return 0;
}

rattle_status rattle__jets_create(rattle__jets **jets, const rattle_graph *graph,
                                  const rattle__jets_plan *plan, rattle_error *error) {
  *jets = NULL;
  rattle__jets *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->order = plan->order;
  s->roots = plan->roots;
  if (make(s, graph, plan)) {
    rattle__jets_destroy(&s);
    return rattle__no_memory(error);
  }
  *jets = s;
  return RATTLE_OK;
}

void rattle__jets_destroy(rattle__jets **jets) {
  if (!*jets) return;
  rattle__jets *s = *jets;
  free(s->late);
  free(s->step);
  free(s->place);
  free(s->root);
  free(s->variable);
  free(s->coefficient);
  free(s);
  *jets = NULL;
}

/* ---- using it ---- */

double *rattle__jets_variable(rattle__jets *s, int variable) {
  return s->coefficient + s->variable[variable] * ((size_t)s->order + 1);
}

const double *rattle__jets_root(const rattle__jets *s, int root) {
  return s->coefficient + s->root[root] * ((size_t)s->order + 1);
}

static void advance(rattle__jets *s, size_t from, int k) {
  const size_t length = (size_t)s->order + 1;
  double *x = s->coefficient;
  for (size_t i = from; i < s->steps; i++) {
    const step *at = &s->step[i];
    at->rule(k, x + at->a * length, x + at->b * length, x + at->u * length, x + at->v * length,
             at->c);
  }
}

void rattle__jets_advance(rattle__jets *s, int k) {
  advance(s, 0, k);
}

void rattle__jets_advance_late(rattle__jets *s, int k) {
  advance(s, s->first_late, k);
}
