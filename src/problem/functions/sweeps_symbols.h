#ifndef RATTLE__SWEEPS_SYMBOLS_H
#define RATTLE__SWEEPS_SYMBOLS_H
/* Numbers that write down what is done with them: the type REAL of sweeps_text.h from which a text
 * for one tree is made. Operations of two numbers are done at once; 0 and 1 go into no operation,
 * equal operations are one, and signs wait until something is added. None of this changes a bit of
 * a result, but for the sign of a zero, as long as all numbers are finite. */

/* a and b are operations before this one; of an input, a is its place. A cosine is the operation
 * after the sine of its angle. */
typedef struct rattle__sweep_operation {
  enum {
    RATTLE__SWEEP_NUMBER,
    RATTLE__SWEEP_INPUT,
    RATTLE__SWEEP_SINE,
    RATTLE__SWEEP_COSINE,
    RATTLE__SWEEP_ADD,
    RATTLE__SWEEP_SUB,
    RATTLE__SWEEP_MUL,
    RATTLE__SWEEP_DIV
  } is;
  int a, b;
  double number;
} rattle__sweep_operation;

typedef struct rattle__sweep_operations {
  rattle__sweep_operation *of; /* [count] */
  int count, most;
  int *same; /* by hash: 1 + an operation, 0: none [slots], a power of 2 */
  int slots;
  int failed; /* 1: there are more than `most`, or a number is not finite */
} rattle__sweep_operations;

/* all NULL: a number. Else an operation, or with `negative` its negative. */
typedef struct rattle__sweep_symbol {
  rattle__sweep_operations *all;
  int at, negative;
  double number;
} rattle__sweep_symbol;

/* 0, or -1 without memory. */
int rattle__sweep_operations_create(rattle__sweep_operations *all, int most);
void rattle__sweep_operations_release(rattle__sweep_operations *all);

rattle__sweep_symbol rattle__sweep_input(rattle__sweep_operations *all, int place);
rattle__sweep_symbol rattle__sweep_number(double x);
rattle__sweep_symbol rattle__sweep_same(rattle__sweep_symbol x);
rattle__sweep_symbol rattle__sweep_add(rattle__sweep_symbol a, rattle__sweep_symbol b);
rattle__sweep_symbol rattle__sweep_sub(rattle__sweep_symbol a, rattle__sweep_symbol b);
rattle__sweep_symbol rattle__sweep_mul(rattle__sweep_symbol a, rattle__sweep_symbol b);
rattle__sweep_symbol rattle__sweep_div(rattle__sweep_symbol a, rattle__sweep_symbol b);
/* q is an input. */
void rattle__sweep_sine_cosine(rattle__sweep_symbol q, rattle__sweep_symbol *sine,
                               rattle__sweep_symbol *cosine);
#endif
