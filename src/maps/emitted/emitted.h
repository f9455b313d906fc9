#ifndef RATTLE__EMITTED_H
#define RATTLE__EMITTED_H
/* Steps that are written as expressions.
 *
 * A step is a few parts, each a list of assignments of expressions: to numbers x[place], which are
 * the variables of that index in expressions, and to numbers y[k], which the part shows to the loop
 * around it, written by hand. Numbers of the loop that parts take are such y[k] too. All
 * expressions of a part are evaluated before any is assigned, quotients a/b as a (1/b); a name that
 * the part itself lets stand for a value is that value in it. The parts are interpreted, or written
 * as C text and compiled with the loop, with the same operations, so that the bits agree.
 *
 * Numbers that differ between the cases of a sweep may be inputs of the graph
 * (ground/expr/inputs.h): operations are the same as with numbers, and the text reads input k as
 * number[k], so that it serves all cases. Such parts are not interpreted.
 *
 * Example: a step of Newton's method for the multiplier s of a pendulum, g = (q.q - 1)/2,
 *
 *     LOOK   (takes y[0], s)  v = p0 - q0 s, q1 = q0 + h v;  y[1] = g(q1)/h
 *     NEWTON y[2] = q1.q0
 *     NEXT   q0 = q1, p0 = v
 *
 * with the loop: s = 0; LOOK; until y[1] is small: NEWTON, s += y[1]/y[2], LOOK; NEXT. The q1 of
 * NEWTON is the number that LOOK assigned; to write the expression there would evaluate it once
 * more. */
#include <stdio.h>

#include "ground/expr/copy.h"
#include "maps/emitted/tape.h"

enum { RATTLE__EMITTED_PARTS = 12 };

/* Names and what they stand for: expressions with other expressions in place of names. */
typedef struct rattle__sides {
  rattle__copy copy;
  rattle_expr *image; /* by place; NONE: the name stays */
} rattle__sides;

typedef struct rattle__part {
  const char *name;
  rattle_expr *value; /* [count] */
  int *to;            /* [count] a place of x, or -1 - k for y[k] */
  int count, room;
  rattle__sides lets; /* its own names */
  int *taken;         /* pairs of a place of x and k [2 takes] */
  int takes;
  rattle__program program;
  rattle__tape tape;
} rattle__part;

typedef struct rattle__emitted {
  rattle_graph *graph;
  int places, shown, parts; /* numbers of x and of y */
  rattle__part part[RATTLE__EMITTED_PARTS];
  rattle__copy quotients;
  double *registers; /* scratch of the interpreter */
  int failed;        /* 1: there was no memory */
} rattle__emitted;

/* A step of parts [parts] with these names and nothing in them yet, to be ended in any case. */
rattle_status rattle__emitted_begin(rattle__emitted *e, const char *const *name, int parts,
                                    rattle_error *error);
void rattle__emitted_end(rattle__emitted *e);
/* The variable of a new place; the place of a variable. */
rattle_expr rattle__emitted_name(rattle__emitted *e);
static inline int rattle__emitted_place(const rattle__emitted *e, rattle_expr name) {
  return rattle_expr_index(e->graph, name);
}
/* x[place of name] = value, y[k] = value in that part. */
void rattle__emitted_put(rattle__emitted *e, int part, rattle_expr name, rattle_expr value);
void rattle__emitted_show(rattle__emitted *e, int part, int k, rattle_expr value);
/* y[k] = value with the bits that the functions of the problem give: quotients stay. */
void rattle__emitted_tell(rattle__emitted *e, int part, int k, rattle_expr value);
/* As put, of a name that stands for the value in that part from now on. */
void rattle__emitted_let_name(rattle__emitted *e, int part, rattle_expr name, rattle_expr value);
/* Such a name for the value; constants and variables are their own names. */
rattle_expr rattle__emitted_let(rattle__emitted *e, int part, rattle_expr value);
/* The name of a number y[k] of the loop, which the part assigns before anything else. */
rattle_expr rattle__emitted_take(rattle__emitted *e, int part, int k);
/* From now on the name stands for the value, and e with what names stand for in their place. */
void rattle__sides_set(rattle__sides *s, rattle__emitted *e, rattle_expr name, rattle_expr value);
rattle_expr rattle__sides_of(rattle__sides *s, rattle__emitted *e, rattle_expr value);
void rattle__sides_end(rattle__sides *s);
/* balance.c: the values of parts 1 to 3, BEGIN, LOOK and NEWTON, with sums and products in the
 * order in which terms become known; names that nobody reads are left out. */
void rattle__emitted_balance(rattle__emitted *e);
/* Programs of all parts. UNSUITABLE, without a message, where they have more operations than a
 * compiler is given, or would be others for some values of inputs. */
rattle_status rattle__emitted_close(rattle__emitted *e, rattle_error *error);
void rattle__emitted_run_part(const rattle__emitted *e, int part, double *x, double *y);
/* static inline void part_NAME(REAL *restrict x, REAL *restrict y, MASK active) of each part, which
 * assigns in active lanes, with inputs const REAL *restrict number before `active`; PLACES, SHOWN.
 */
void rattle__emitted_write(const rattle__emitted *e, FILE *out);

#endif
