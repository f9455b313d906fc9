/* Time per step and link of rattle(verlet) for the comb of comb.lua, with teeth of 1, 3 and 9 links and 4000 links in all. Trees have no lanes
 * (decision 022), and no twin here: the ratio is to machine code. */
#include "bench.h"

static void compare(int teeth) {
  enum { LINKS = 4000, STEPS = 200 };
  const rattle_parameter given[] = {{"N", LINKS / (teeth + 1)}, {"T", teeth}};
  bench_library native = bench_open_with("comb.lua", given, 2, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open_with("comb.lua", given, 2, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  char name[32];
  double *z = malloc(2 * (size_t)native.n * sizeof *z);
  rattle_error error;
  if (!z) exit(1);
  bench_check(rattle_problem_start(native.problem, 0, z, z + native.n, NULL, &error), &error);
  snprintf(name, sizeof name, "comb, teeth of %d", teeth);
  bench_compare(name, LINKS, cases, 2, 1e-3, STEPS, native.n, z, z + native.n, 0);
  free(z);
  bench_close(&native);
  bench_close(&block);
}

int main(void) {
  for (int teeth = 1; teeth <= 9; teeth += teeth == 1 ? 2 : 6) compare(teeth);
  return 0;
}
