/* Time per step of rattle(verlet) for the trees of rigid bodies of trees.lua, and for two loops:
 * along the tree (src/constraint/tree), with both evaluators, against the general step over sparse
 * rows; and of rattle(midpoint) with dampers. */
#include "bench.h"

enum { STEPS = 400 };

/* `system` of trees.lua, 0: the model of another file. */
static void compare(const char *name, const char *file, int system, int bodies) {
  const char *parameter = system ? "system" : NULL;
  bench_library sparse = bench_open(file, parameter, system, "rattle(verlet, solver=sparse)",
                                    RATTLE_EVALUATOR_NATIVE),
                native =
                    bench_open(file, parameter, system, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE),
                block =
                    bench_open(file, parameter, system, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
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

/* Twelve damped joints, by the default method: against the general map, interpreted, since so many
 * forces are not compiled. */
static void compare_damped(void) {
  bench_library general = bench_open("trees.lua", "system", 7, "rattle(midpoint, solver=newton)",
                                     RATTLE_EVALUATOR_BLOCK),
                tree = bench_open("trees.lua", "system", 7, "rattle(midpoint)",
                                  RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "general map, block", .advance = bench_advance, .self = &general},
                        {.name = "library, block", .advance = bench_advance, .self = &tree}};
  double *z = malloc(2 * (size_t)tree.n * sizeof *z);
  rattle_error error;
  if (!z) exit(1);
  bench_check(rattle_problem_start(tree.problem, 0, z, z + tree.n, NULL, &error), &error);
  bench_compare("twelve dampers", 12, cases, 2, 0.002, 40, tree.n, z, z + tree.n, 1e-9);
  free(z);
  bench_close(&general), bench_close(&tree);
}

int main(void) {
  compare("ten hinges", "trees.lua", 1, 10);
  compare("tree of hinges", "trees.lua", 2, 30);
  compare("fifty balls", "trees.lua", 3, 50);
  compare("slider-crank", "trees.lua", 4, 3);
  compare("ten hinges, a rod", "trees.lua", 5, 10);
  compare("robot, two fingers", "trees.lua", 6, 8);
  compare("Bennett's loop", "../examples/bennett.lua", 0, 3);
  compare("Bricard's loop", "../examples/bricard.lua", 0, 5);
  compare_damped();
  return 0;
}
