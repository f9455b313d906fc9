#ifndef TESTS_PROBLEMS_H
#define TESTS_PROBLEMS_H
/* Test problems, each defined twice: as complex long-double functions for the reference, and as
 * model text for the library.
 *
 * z = (q, p), z[0..n) coordinates, z[n..2n) momenta. H and g are analytic in z, so that first
 * derivatives follow to round-off from a complex step. The model text defines pairs q1, p1, q2, p2,
 * ... in that order. */
#include <complex.h>

#define TESTS_MAX_N 12
#define TESTS_MAX_M 6
#define TESTS_MAX_2N (2 * TESTS_MAX_N)

typedef complex long double tests_complex;

typedef struct tests_problem {
  const char *name;
  int n, m;
  const char *kind; /* as returned by rattle_problem_kind_name */
  tests_complex (*hamiltonian)(const tests_complex *z);
  void (*constraint)(const tests_complex *z, tests_complex *g); /* NULL if m = 0 */
  const char *model;                                            /* Lua text */
  double near[TESTS_MAX_2N]; /* a point near the start, not on the constraints */
} tests_problem;

extern const tests_problem tests_problems[];
extern const int tests_problem_count;

/* Problems with more constraints than a hand can count, for solvers that use sparsity: chains,
 * rings, trees. */
extern const tests_problem tests_large_problems[];
extern const int tests_large_problem_count;

/* The problem with that name; aborts if there is none. */
const tests_problem *tests_problem_named(const char *name);
#endif
