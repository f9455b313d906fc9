#ifndef RATTLE__FAMILY_H
#define RATTLE__FAMILY_H
/* Inside of a function made from expressions.
 *
 * An element is coefficient * term, added to one row. Elements of the same shape are the instances
 * of one family: they differ in their variables (slots, numbered as they first occur) and in their
 * constants (holes). Holes that all instances share are literals of the template; the others are
 * parameters of the instance. Order of instances: order of elements. */
#include <stdio.h>

#include "ground/expr/elements.h"

/* Registers of a program, in this order: slots, parameters, constants, results. */
typedef struct rattle__code {
  int op;       /* a rattle_op other than CONSTANT, VARIABLE, POWI */
  int to, a, b; /* registers; b = a for unary operations; `to` is none of the operands */
} rattle__code;

typedef struct rattle__program {
  int slots, params, constants; /* how many of each are used */
  int *slot, *param;            /* which slot or parameter is in register j, or slots + j */
  double *constant;
  rattle__code *code;
  int length;
  int *out; /* register of each output */
  int outs;
  int registers;
} rattle__program;

/* Outputs: VALUE the value; GRADIENT the nonzero derivatives; BOTH the value, then these; CURVATURE
 * the nonzero second derivatives, the ones off the diagonal twice (for both triangles); ALONG the
 * derivatives of GRADIENT's outputs along a vector v, whose entry in slot s is input as parameter
 * params + s. */
enum {
  RATTLE__VALUE,
  RATTLE__GRADIENT,
  RATTLE__BOTH,
  RATTLE__CURVATURE,
  RATTLE__ALONG,
  RATTLE__PROGRAMS
};

/* The tables of a family that machine code reads; emit.c writes this struct into the source that it
 * generates. */
typedef struct rattle__table {
  long count;          /* instances */
  const int *slot;     /* [count*slots] column in each slot */
  const double *param; /* [count*params] */
  const int *row;      /* [count] */
  const int *jac;      /* [count*jac_outs] place in J of each derivative */
  const int *hess;     /* [count*hess_outs] place in S */
} rattle__table;

/* A parameter determined by inputs: the parameter of a hole, or op of two operands, each a number
 * or another such parameter. */
typedef struct rattle__settable_parameter {
  int hole; /* -1: op */
  rattle_op op;
  int a, b; /* among the settable parameters; -1: a number */
  double number_a, number_b;
} rattle__settable_parameter;

typedef struct rattle__family {
  /* collected by families.c */
  int *key; /* canonical shape, see families.c */
  int key_length;
  int slots, holes;
  int *slot;          /* [count*slots] */
  double *hole;       /* [count*holes], hole 0 is the coefficient; kept with inputs alone, as is: */
  rattle_expr *input; /* [count*holes] of the holes; NONE: a number */
  int *row;           /* [count] */
  int count, room;
  /* derived by template.c */
  double *param; /* [count*params] */
  int params;
  rattle__settable_parameter
      *settable; /* the last parameters, which inputs determine [settables] */
  int settables;
  int first_input; /* how many numbers of the function that follow from inputs come before those
                      of this family */
  int degree;      /* of the polynomial; 3 for more or none */
  rattle__program program[RATTLE__PROGRAMS];
  int *jac_slot;               /* [jac_outs] slot of each derivative */
  int *hess_slot, *hess_slot2; /* [hess_outs] */
  int jac_outs, hess_outs;
  /* 1: every place it writes is written once in all, so results are stored; 0: they are added to
   * zeros */
  int store_F, store_J, store_S;
} rattle__family;

typedef struct rattle__tapes rattle__tapes;

/* Instances by row, in the order in which they are added: those of row r are one[ptr[r] ..
 * ptr[r+1]). */
typedef struct rattle__row_index {
  int *ptr;
  struct {
    int family, instance;
  } * one;
  /* machine code of BOTH for the instances of a table, by family; NULL: interpreted */
  void (*const *both)(const rattle__table *table, const double *x, double *F, double *J);
} rattle__row_index;

/* self of a rattle__function. `table` comes first: machine code reads it. */
typedef struct rattle__elements {
  rattle__table *table; /* [families] */
  rattle__family *family;
  int families, room;
  int *jac_at, *hess_at; /* scatter tables of all families, one after the other */
  int *jac_ptr, *jac_col, *hess_ptr, *hess_col;
  int zero_F, zero_J,
      zero_S;             /* 1: some place is not written exactly once, so results start at zero */
  rattle__tapes *tapes;   /* of a small function, or NULL */
  rattle__row_index rows; /* where single rows are wanted */
  void *library;          /* machine code, or NULL */
} rattle__elements;

/* families.c: splits the roots into elements, elements into families. */
rattle_status rattle__families_collect(rattle__elements *elements, rattle_graph *graph,
                                       const rattle_expr *root, int rows,
                                       const rattle__build *build, rattle_error *error);
/* The same of one row, the sum of coefficient[i] * term[i], as rattle__terms gives them; both may
 * be changed. */
rattle_status rattle__families_collect_sum(rattle__elements *elements, rattle_graph *graph,
                                           double *coefficient, rattle_expr *term, int count,
                                           const rattle__build *build, rattle_error *error);
/* parameter_values.c: appends the settable parameters, which inputs of `graph` determine; programs
 * number them from RATTLE__OF_INPUT on. of_hole [holes]: the input that stands for a hole. 0, or -1
 * without memory. */
enum { RATTLE__OF_INPUT = 1 << 26 };
int rattle__settables_make(rattle__family *family, const rattle_graph *graph,
                           const rattle_expr *of_hole);
/* Sets these parameters in all instances by the values of inputs in the graph of the function; 0: a
 * value is 0 or not finite. */
int rattle__family_set_values(rattle__family *family, const rattle_graph *of_function);
/* template.c: literals, parameters, derivatives and programs of one family. */
rattle_status rattle__family_derive(rattle__family *family, const rattle__build *build,
                                    rattle_error *error);
void rattle__family_release(rattle__family *family);
/* program.c: linear code for out[outs], expressions of graph whose variable v < slots is a slot and
 * another is parameter v - slots; equal operations are done once. Returns 0, or -1 without
 * memory. */
int rattle__program_compile(rattle__program *program, const rattle_graph *graph, int slots,
                            const rattle_expr *out, int outs);
void rattle__program_release(rattle__program *program);
/* pattern.c: sparsity, scatter tables and who stores; fills the pattern of f. */
rattle_status rattle__pattern_build(rattle__elements *elements, rattle__function *f,
                                    const rattle__build *build, rattle_error *error);
/* elements.c: the most registers that a program has; operations of all programs but ALONG, as often
 * as they are written. */
int rattle__elements_registers(const rattle__elements *elements);
long rattle__elements_operations(const rattle__elements *elements, int per_instance);
/* elements.c: whether f is from expressions and so small that its instances may be written out one
 * by one, with at most so many operations. */
enum { RATTLE__STRAIGHT_MOST = 4000, RATTLE__TAPE_MOST = 1000000 };
int rattle__elements_are_few(const rattle__function *f, long operations);
/* tape.c: makes a small f interpreted. 0, or -1 without memory. */
int rattle__tape_attach(rattle__function *f, const rattle__build *build);
void rattle__tapes_set_values(rattle__tapes *tapes);
void rattle__tapes_destroy(rattle__tapes **tapes);
/* block.c: makes f interpreted. */
void rattle__block_attach(rattle__function *f, const rattle__build *build);
/* rows.c: the rows of an f that came from expressions as expressions of `graph`, column[c] in place
 * of column c: the sums that f adds up, in its order, with the present values of inputs. */
rattle_status rattle__function_rows(const rattle__function *f, rattle_graph *graph,
                                    const rattle_expr *column, rattle_expr *row,
                                    rattle_error *error);
/* The same with inputs of `graph` (rattle__input_of) in place of their values. */
rattle_status rattle__function_rows_with_inputs(const rattle__function *f, rattle_graph *graph,
                                                const rattle_expr *column, rattle_expr *row,
                                                rattle_error *error);
/* row.c: lists the instances of each row and gives f its `row`. 0, or -1 without memory. */
int rattle__row_attach(rattle__function *f);
/* elements.c: the inside of f, NULL if f was not made from expressions. */
static inline const rattle__elements *rattle__function_elements(const rattle__function *f) {
  return f->elements;
}
#endif
