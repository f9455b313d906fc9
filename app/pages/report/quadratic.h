#ifndef REPORT_QUADRATIC_H
#define REPORT_QUADRATIC_H
/* Polynomials of degree at most 2 with few terms, read from expressions. */
#include "rattle/expr.h"

enum { REPORT_MOST_TERMS = 40 };
/* sum of c * x_a * x_b with a <= b; a = -1: no first factor, b = -1: no second (then a = -1 too).
 * Terms are sorted by (a, b). */
typedef struct report_quadratic {
  int count;
  struct report_term {
    int a, b;
    double c;
  } term[REPORT_MOST_TERMS];
} report_quadratic;

/* 0 if e is such a polynomial; sqrt(Q) - d counts as Q - d^2, which has the same zeros where d >
 * 0. */
int report_quadratic_read(report_quadratic *result, const rattle_graph *graph, rattle_expr e);
/* The coefficient of x_a x_b (any order; -1 as above), 0 if there is no such term. */
double report_quadratic_of(const report_quadratic *polynomial, int a, int b);
#endif
