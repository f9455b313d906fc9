#ifndef RATTLE__ELEMENTS_H
#define RATTLE__ELEMENTS_H
/* From expressions to functions: flattening into terms, element families, derivatives,
 * evaluators. */
#include "ground/support/function.h"
#include "rattle/expr.h"

/* CACHED: machine code if it was compiled before, else interpreted; IN_BACKGROUND: the same, and
 * missing machine code is compiled during the run */
typedef enum rattle__evaluator {
  RATTLE__BLOCK,
  RATTLE__NATIVE,
  RATTLE__NATIVE_IF_POSSIBLE,
  RATTLE__CACHED,
  RATTLE__COMPILE_IN_BACKGROUND
} rattle__evaluator;

typedef struct rattle__build {
  const int *place; /* place[v]: column of graph variable v, -1 if it must not occur; [places] */
  int places;
  int vars;  /* columns */
  int dense; /* 1: Jacobian rows hold all columns (gradients) */
  /* Pattern of a matrix W [vars x vars] in compressed rows: the pattern of the Jacobian J then
   * includes the pattern of J W, with zeros as entries of J. NULL: J alone */
  const int *spread_ptr, *spread_col;
  int hessian;     /* 1: second derivatives are wanted */
  int constraints; /* 1: so is what constraints need besides: single rows and, with hessian,
                      derivatives along a vector */
  rattle__evaluator evaluator;
} rattle__build;

/* F_r = root[r]. Roots of more than 16 variables are flattened into terms over + - and constant
 * factors; smaller roots stay whole (one element). Terms of the same shape form a family, derived
 * once. Both evaluators give the same bits. */
rattle_status rattle__function_from_graph(rattle__function **f, rattle_graph *graph,
                                          const rattle_expr *root, int rows,
                                          const rattle__build *build, rattle_error *error);

/* Expressions whose parts are written by themselves are refused with more operations than the first
 * of these, which are more than this many times those of the graph. */
enum { RATTLE__WRITTEN = 1 << 22, RATTLE__REPEATED = 16 };

/* One row, F = sum coefficient[i] * term[i], terms as rattle__terms gives them; both arrays may be
 * changed. The bits are those of the sum as an expression; a large sum is never made an
 * expression. */
rattle_status rattle__function_from_terms(rattle__function **f, rattle_graph *graph,
                                          double *coefficient, rattle_expr *term, int count,
                                          const rattle__build *build, rattle_error *error);

/* Copies the present values of the graph's inputs (inputs.h) into f, which was made from that
 * graph. Returns 0 if a value is 0 or not finite: then f must not be used. Machine code keeps the
 * values that it was compiled with. */
int rattle__function_set_values(rattle__function *f, const rattle_graph *graph);
/* How many numbers of f follow from inputs; number k, in the order in which straight code reads
 * them, goes to to[k stride]. NULL: none does. */
int rattle__function_inputs(const rattle__function *f, double *to, size_t stride);

/* A sum as its terms: e = sum coefficient[i] * term[i], over + - neg and multiplication or division
 * by constants, without recursion (sums of 10^6 terms are normal). The arrays are malloc'ed; the
 * caller frees them. A constant term has term = the graph's constant 1. */
rattle_status rattle__terms(rattle_graph *graph, rattle_expr e, double **coefficient,
                            rattle_expr **term, int *count, rattle_error *error);
/* Sum again (balanced, in the order given). */
rattle_expr rattle__sum(rattle_graph *graph, const double *coefficient, const rattle_expr *term,
                        int count);

/* Frees the index that only making nodes needs, half of a graph; the next node that is made brings
 * it back. */
void rattle__graph_pack(rattle_graph *graph);

/* Which kinds of variables e depends on: mask[v] for graph variable v (v >= masks: bit 1) is or-ed
 * over the variables that occur. Fast when asked for many expressions of one graph: `seen` is
 * scratch of rattle_graph_count+1 bytes, zeroed once by the caller, and holds each node's answer |
 * 0x80 (memo). RATTLE__NOT_KNOWN: no memory. */
enum { RATTLE__NOT_KNOWN = 0x100 };
unsigned rattle__depends(const rattle_graph *graph, rattle_expr e, const unsigned char *mask,
                         int masks, unsigned char *seen);

/* The names of variables. */
typedef struct rattle__naming {
  const char *(*of)(void *context, int32_t index);
  void *context;
} rattle__naming;

/* Why e is not finite at x: finds the first operation whose operands are finite and whose result is
 * not, and writes one clause, "sqrt of -0.25" or "division by 0 in x/(y - 1)", with the values of
 * the variables in it. Returns 1 if found, 0 if e is finite at x. */
int rattle__domain_fault(const rattle_graph *graph, rattle_expr e, const double *x,
                         rattle__naming names, char *buffer, size_t size);
/* 1 unless e is known to be defined wherever its variables are finite, poles aside: it has, for
 * instance, a logarithm or a root whose operand may be negative. Its derivatives may have values
 * where e has none, as 1/x beyond the pole of log(x). */
int rattle__is_partial(const rattle_graph *graph, rattle_expr e);
#endif
