#ifndef RATTLE__BALL_PROGRAM_H
#define RATTLE__BALL_PROGRAM_H
/* Programs of operations on balls (ball_symbols.h): executed one by one, or as machine code that a
 * compiler makes of them at run time, with the same bits. */
#include "ground/expr/ball_symbols.h"
#include "ground/expr/native.h"

/* Inputs are read at [part][place], outputs written in their order. Numbers: the same without
 * bounds, for approximations. Machine code calls functions of ball_functions.h and, odd, of
 * ball_odd.h by the last argument. */
typedef void rattle__ball_call(int odd, int which, const rattle__ball *x, rattle__ball *v);
typedef void rattle__ball_call_near(int odd, int which, double x, double *v);
typedef void rattle__ball_code(const rattle__ball *const *in, rattle__ball *out,
                               rattle__ball_call *function);
typedef void rattle__ball_numbers(const double *const *in, double *out,
                                  rattle__ball_call_near *near);

typedef struct rattle__ball_output {
  int at, negative;    /* at: -1: number */
  rattle__ball number; /* with its sign */
} rattle__ball_output;

typedef struct rattle__ball_program {
  int *step, steps; /* the operations that outputs need, in their order */
  rattle__ball_output *out;
  int outs;
  rattle__ball_code *code; /* machine code; NULL: none */
  rattle__ball_numbers *numbers;
} rattle__ball_program;

/* Programs of the same operations. To be zero before the first operation. */
enum { RATTLE__BALL_PROGRAMS = 4 };
typedef struct rattle__ball_programs {
  rattle__ball_operations all;
  rattle__ball_program program[RATTLE__BALL_PROGRAMS];
  int count;
  rattle__ball *registers;
  double *plain;
} rattle__ball_programs;

/* 0, or -1 without memory: one more program, for these outputs; operations may follow. */
int rattle__ball_programs_add(rattle__ball_programs *p, const rattle__ball_symbol *out, int outs);
/* After the last one; 0 or -1. */
int rattle__ball_programs_finish(rattle__ball_programs *p);
void rattle__ball_programs_release(rattle__ball_programs *p);

void rattle__ball_program_run(const rattle__ball_programs *p, int which,
                              const rattle__ball *const *in, rattle__ball *out);
void rattle__ball_program_run_numbers(const rattle__ball_programs *p, int which,
                                      const double *const *in, double *out);

/* The operations of all of these; NULL among them is allowed. */
int rattle__ball_programs_steps(rattle__ball_programs *const *p, int count);
/* Machine code for all of these, from one source, as the evaluator says; NULL among them is
 * allowed. Programs stay as they are where none can be had. The caller unloads *library after
 * them. */
void rattle__ball_programs_compile(rattle__ball_programs *const *p, int count,
                                   rattle__evaluator evaluator, rattle__orders *orders,
                                   void **library);
#endif
