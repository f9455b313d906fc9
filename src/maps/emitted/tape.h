#ifndef RATTLE__EMITTED_TAPE_H
#define RATTLE__EMITTED_TAPE_H
/* A long program for the interpreter: its operations in another order, in which equal ones that do
 * not wait for each other stand together, so that a processor sees one loop for each kind and not a
 * jump for each operation. Operations and their operands, and so the bits, are those of the
 * program. */
#include "ground/expr/family.h"

typedef struct rattle__tape {
  struct {
    int op, end; /* up to this operation */
  } * run;
  struct {
    int a, b; /* registers: slots, constants, results in the order of the tape */
  } * code;
  int *out; /* register of each output */
  int runs, length, inputs;
} rattle__tape;

/* 0, or -1 without memory. */
int rattle__tape_make(rattle__tape *tape, const rattle__program *program);
void rattle__tape_release(rattle__tape *tape);
/* Results behind the inputs that stand in r. */
void rattle__tape_play(const rattle__tape *tape, double *r);
#endif
