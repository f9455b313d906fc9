/* Polynomials of degree at most 2, read from expressions by adding and multiplying them. An
 * expression that has more terms than fit, a higher degree, another function, or takes too many
 * operations is not such a polynomial here. */
#include "pages/report/quadratic.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_VISITS = 2000 };

typedef struct reader {
  const rattle_graph *graph;
  int visits;
} reader;

static int add_term(report_quadratic *to, int a, int b, double c) {
  if (a > b) {
    int other = a;
    a = b, b = other;
  }
  int i = 0;
  while (i < to->count && (to->term[i].a < a || (to->term[i].a == a && to->term[i].b < b))) i++;
  if (i < to->count && to->term[i].a == a && to->term[i].b == b) {
    to->term[i].c += c;
    return 0;
  }
  if (to->count == REPORT_MOST_TERMS) return -1;
  for (int k = to->count++; k > i; k--) to->term[k] = to->term[k - 1];
  to->term[i] = (struct report_term){a, b, c};
  return 0;
}

static int add_multiple(report_quadratic *to, const report_quadratic *from, double factor) {
  for (int i = 0; i < from->count; i++)
    if (add_term(to, from->term[i].a, from->term[i].b, factor * from->term[i].c)) return -1;
  return 0;
}

static int multiply(report_quadratic *result, const report_quadratic *left,
                    const report_quadratic *right) {
  report_quadratic product = {0};
  for (int i = 0; i < left->count; i++) {
    for (int k = 0; k < right->count; k++) {
      const struct report_term *l = &left->term[i], *r = &right->term[k];
      /* factors of both that are there, at most two in all */
      int factor[4], count = 0;
      const int all[] = {l->a, l->b, r->a, r->b};
      for (int f = 0; f < 4; f++)
        if (all[f] >= 0) factor[count++] = all[f];
      if (count > 2 || add_term(&product, count > 1 ? factor[0] : -1,
                                count > 0 ? factor[count - 1] : -1, l->c * r->c))
        return -1;
    }
  }
  *result = product;
  return 0;
}

static int is_constant(const report_quadratic *p, double *value) {
  *value = p->count ? p->term[0].c : 0;
  return p->count == 0 || (p->count == 1 && p->term[0].b < 0);
}

static int read(reader *r, rattle_expr e, report_quadratic *result);

static int read_two(reader *r, rattle_op op, rattle_expr left, rattle_expr right,
                    report_quadratic *result) {
  report_quadratic a, b;
  double value;
  if (read(r, left, &a) || read(r, right, &b)) return -1;
  switch (op) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    *result = a;
    return add_multiple(result, &b, op == RATTLE_OP_ADD ? 1 : -1);
  case RATTLE_OP_MUL:
    return multiply(result, &a, &b);
  case RATTLE_OP_DIV:
    if (!is_constant(&b, &value) || value == 0) return -1;
    *result = (report_quadratic){0};
    return add_multiple(result, &a, 1 / value);
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    if (!is_constant(&b, &value) || (value != 1 && value != 2)) return -1;
    *result = a;
    return value == 2 ? multiply(result, &a, &a) : 0;
  default:
    return -1;
  }
}

static int read(reader *r, rattle_expr e, report_quadratic *result) {
  const rattle_graph *graph = r->graph;
  rattle_op op = rattle_expr_op(graph, e);
  *result = (report_quadratic){0};
  if (e == RATTLE_EXPR_NONE || ++r->visits > MOST_VISITS) return -1;
  if (op == RATTLE_OP_CONSTANT) return add_term(result, -1, -1, rattle_expr_value(graph, e));
  if (op == RATTLE_OP_VARIABLE) return add_term(result, -1, rattle_expr_index(graph, e), 1);
  rattle_expr first = rattle_expr_operand(graph, e, 0), second = rattle_expr_operand(graph, e, 1);
  if (op == RATTLE_OP_NEG) {
    report_quadratic inner;
    return read(r, first, &inner) ? -1 : add_multiple(result, &inner, -1);
  }
  return second == RATTLE_EXPR_NONE ? -1 : read_two(r, op, first, second, result);
}

/* sqrt(Q) - d or d - sqrt(Q): Q - d^2. */
static int read_distance(reader *r, rattle_expr e, report_quadratic *result) {
  const rattle_graph *graph = r->graph;
  rattle_op op = rattle_expr_op(graph, e);
  if (op != RATTLE_OP_ADD && op != RATTLE_OP_SUB) return -1;
  rattle_expr root = rattle_expr_operand(graph, e, 0), rest = rattle_expr_operand(graph, e, 1);
  if (rattle_expr_op(graph, root) != RATTLE_OP_SQRT) {
    rattle_expr other = root;
    root = rest, rest = other;
  }
  report_quadratic length;
  double d;
  if (rattle_expr_op(graph, root) != RATTLE_OP_SQRT || read(r, rest, &length) ||
      !is_constant(&length, &d))
    return -1;
  if (read(r, rattle_expr_operand(graph, root, 0), result)) return -1;
  return add_term(result, -1, -1, -d * d);
}

int report_quadratic_read(report_quadratic *result, const rattle_graph *graph, rattle_expr e) {
  reader r = {.graph = graph};
  return read_distance(&r, e, result) == 0 ? 0 : read(&r, e, result);
}

double report_quadratic_of(const report_quadratic *polynomial, int a, int b) {
  for (int i = 0; i < polynomial->count; i++) {
    const struct report_term *t = &polynomial->term[i];
    if ((t->a == a && t->b == b) || (t->a == b && t->b == a)) return t->c;
  }
  return 0;
}
