/* Time per step of rattle(verlet) for the trees of rigid bodies of trees.lua: along the tree
 * (src/constraint/tree), with both evaluators, against the general step over sparse rows. */
#include "bench.h"

enum { STEPS = 400 };

static void compare(const char *name, int system, int bodies) {
  bench_library sparse = bench_open("trees.lua", "system", system, "rattle(verlet, solver=sparse)",
                                    RATTLE_EVALUATOR_NATIVE),
                native = bench_open("trees.lua", "system", system, "rattle(verlet)",
                                    RATTLE_EVALUATOR_NATIVE),
                block = bench_open("trees.lua", "system", system, "rattle(verlet)",
                                   RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "sparse rows, native", .advance = bench_advance, .self = &sparse},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  double *z = malloc(2 * (size_t)native.n * sizeof *z);
  rattle_error error;
  if (!z) exit(1);
  bench_check(rattle_problem_start(native.problem, 0, z, z + native.n, NULL, &error), &error);
  bench_compare(name, bodies, cases, 3, 0.002, STEPS, native.n, z, z + native.n, 1e-9);
  free(z);
  bench_close(&sparse), bench_close(&native), bench_close(&block);
}

int main(void) {
  compare("ten hinges", 1, 10);
  compare("tree of hinges", 2, 30);
  compare("fifty balls", 3, 50);
  return 0;
}
