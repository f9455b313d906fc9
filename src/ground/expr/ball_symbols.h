#ifndef RATTLE__BALL_SYMBOLS_H
#define RATTLE__BALL_SYMBOLS_H
/* Balls that write down what is done with them: the type BALL of ball_polynomial.h from which
 * programs for all points are made. Operations of two numbers are done at once, what is 0 whatever
 * the point goes into no operation, equal operations are one, and signs wait until something is
 * added. None of this changes a bit of a result, but for the sign of a zero, as long as all numbers
 * are finite; if they are not, neither are the bounds. */
#include "ground/expr/ball_functions.h"
#include "ground/expr/ball_odd.h"

typedef enum rattle__ball_is {
  RATTLE__BALL_NUMBER,   /* number */
  RATTLE__BALL_INPUT,    /* part a, place b */
  RATTLE__BALL_ADD,      /* a + b */
  RATTLE__BALL_SUBTRACT, /* a - b */
  RATTLE__BALL_TIMES,    /* a b */
  RATTLE__BALL_MULTIPLE, /* number.at a */
  RATTLE__BALL_SCALED,   /* number.at a, a power of 2 */
  RATTLE__BALL_MINUS,    /* -a */
  RATTLE__BALL_INVERSE,  /* 1/a */
  RATTLE__BALL_POSITIVE, /* a, if it is */
  RATTLE__BALL_FUNCTION, /* the rattle_op b of a */
  RATTLE__BALL_ODD,      /* the rattle__odd b of a, over a */
  RATTLE__BALL_PART      /* the derivative b of the function a */
} rattle__ball_is;

/* a and b are operations before this one, but as said above. */
typedef struct rattle__ball_operation {
  rattle__ball_is is;
  int a, b;
  rattle__ball number;
} rattle__ball_operation;

typedef struct rattle__ball_operations {
  rattle__ball_operation *of; /* [count] */
  int count, room;
  int *same; /* by hash: 1 + an operation, 0: none [slots], a power of 2 */
  int slots;
  int failed; /* 1: no memory */
} rattle__ball_operations;

/* all NULL: a number. Else an operation, or with `negative` its negative. */
typedef struct rattle__ball_symbol {
  rattle__ball_operations *all;
  int at, negative;
  rattle__ball number;
} rattle__ball_symbol;

void rattle__ball_operations_release(rattle__ball_operations *all);

rattle__ball_symbol rattle__symbol_input(rattle__ball_operations *all, int part, int place);
rattle__ball_symbol rattle__symbol_exactly(double x);
int rattle__symbol_is_zero(rattle__ball_symbol x);
rattle__ball_symbol rattle__symbol_add(rattle__ball_symbol a, rattle__ball_symbol b);
rattle__ball_symbol rattle__symbol_minus(rattle__ball_symbol x);
rattle__ball_symbol rattle__symbol_subtract(rattle__ball_symbol a, rattle__ball_symbol b);
rattle__ball_symbol rattle__symbol_times(rattle__ball_symbol a, rattle__ball_symbol b);
rattle__ball_symbol rattle__symbol_more(rattle__ball_symbol sum, rattle__ball_symbol a,
                                        rattle__ball_symbol b);
rattle__ball_symbol rattle__symbol_scaled(rattle__ball_symbol x, double power_of_2);
rattle__ball_symbol rattle__symbol_inverse(rattle__ball_symbol x);
rattle__ball_symbol rattle__symbol_if_positive(rattle__ball_symbol x);

typedef struct rattle__symbol_values {
  rattle__ball_symbol f, slope, bend; /* as rattle__ball_values */
} rattle__symbol_values;
rattle__symbol_values rattle__symbol_function(int op, rattle__ball_symbol x);
rattle__symbol_values rattle__symbol_odd(rattle__odd kind, rattle__ball_symbol x);
#endif
