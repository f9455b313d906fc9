#ifndef RATTLE__QUADRATIC_H
#define RATTLE__QUADRATIC_H
/* Quadratic functions with bounds: F(x + d) = F + G d + B(d, d)/2 at any x, where F, G and B are
 * those of the real function that the program of F writes down.
 *
 * Method   the programs of values are executed once more, on polynomials of degree 2 whose
 *          coefficients are balls (ball.h). Derivatives that were made by rules, with constants
 *          that were rounded, are not used
 * Smooth   functions beyond degree 2 have no constant B: the second derivative along a way is asked
 *          for over balls x, by the same programs on polynomials in one variable, with the chain
 *          rule for functions of one number (ball_functions.h). Their operations are written down
 *          once (ball_symbols.h), without those that are 0 everywhere */
#include "ground/expr/smooth.h"

/* B_row(u, v) has the term value u_a v_b, a and b being columns and a_at, b_at their places in the
 * row. */
typedef struct rattle__bend {
  int row, a, b, a_at, b_at;
  rattle__ball value;
} rattle__bend;

typedef struct rattle__quadratic {
  const rattle__function *f;
  int rows, vars;
  int *ptr, *col; /* the pattern of G: rows compressed, columns ascending */
  rattle__bend *bend;
  int bends;
  char *beyond;  /* 1: the row is no such polynomial, and nothing is known of it [rows] */
  char *skipped; /* families of such rows */
  int varies;    /* 1: F is smooth, and `smooth` has its programs (smooth.h) */
  int *place;    /* where in G the slots of instances are, in the order of families and instances */
  rattle__ball *registers;
  rattle__ball_programs smooth;
} rattle__quadratic;

/* 0; 1: f is not from expressions, or not a polynomial of degree 2 by sums, products and
 * quotients by constants; -1: no memory. */
int rattle__quadratic_create(rattle__quadratic **q, const rattle__function *f);
/* The same of the rows that are such polynomials; 1: f is not from expressions. */
int rattle__quadratic_create_in_part(rattle__quadratic **q, const rattle__function *f);
/* The same of any rows by sums, products, quotients and functions of ball_functions.h. fixed:
 * columns that no way moves and by which no derivative is asked for [vars]; NULL: none. */
int rattle__quadratic_create_smooth(rattle__quadratic **q, const rattle__function *f,
                                    const char *fixed);
void rattle__quadratic_destroy(rattle__quadratic **q);

/* F [rows] and G [ptr[rows]] of all points in the balls x [vars]; NULL: not wanted. */
void rattle__quadratic_at(const rattle__quadratic *q, const rattle__ball *x, rattle__ball *F,
                          rattle__ball *G);
/* F and G at x, about; of smooth functions. */
void rattle__quadratic_near(const rattle__quadratic *q, const double *x, double *F, double *G);
/* F'' [rows] of all ways through the balls x with the first and second derivatives rate and second:
 * B(rate, rate) + G second. */
void rattle__quadratic_second(const rattle__quadratic *q, const rattle__ball *x,
                              const rattle__ball *rate, const rattle__ball *second,
                              rattle__ball *F);
#endif
