/* Steps of chains that learn their metric, as machine code: the bits of the interpreter, by one
 * text for all masses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opened.h"

enum { CHAINS = 2, DRAWS = 200 };

static const char torus[] =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
    "hamiltonian(px^2/2 + py^2/2 + pz^2/8 + z^2)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n";
/* three bonds, with the factors of products in their plan; of a coordinate that is free beside them
 */
static const char triangle[] =
    "local x, y, H = {}, {}, 0\n"
    "for i = 1, 3 do local p, q x[i], p = pair('x' .. i) y[i], q = pair('y' .. i)\n"
    "  H = H + i*(p^2 + q^2)/2 + (x[i]^2 + 9*y[i]^2)/2 end\n"
    "local s, ps = pair('s') hamiltonian(H + ps^2/2 + 50*(s - x[1])^2)\n"
    "for i = 1, 3 do local j = i % 3 + 1\n"
    "  constrain('bond' .. i, ((x[i] - x[j])^2 + (y[i] - y[j])^2 - 1)/2) end\n"
    "start{x1 = 0, y1 = 0, x2 = 1, y2 = 0, x3 = 0.5, y3 = 0.75^0.5}\n";

static rattle_sampling *sample(const fixture *f, const char *method, uint64_t seed) {
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_sampling_options options = {
      .struct_size = sizeof options,
      .chain = &(rattle_chain_options){.method = method, .step = 0.05, .seed = seed, .warmup = 200},
      .chains = CHAINS,
      .draws = DRAWS,
      .threads = 1};
  if (rattle_sampling_create(&sampling, f->problem, &options, &error))
    fail_msg("%s: %s", method, error.message);
  return sampling;
}

/* Objects that were compiled. */
static int count(const char *cache) {
  char path[80];
  snprintf(path, sizeof path, "%s/rattle", cache);
  DIR *folder = opendir(path);
  int found = 0;
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    found += strstr(entry->d_name, ".so") != NULL;
  if (folder) closedir(folder);
  return found;
}

/* The first numbers that differ. */
static void say_where(const rattle_sampling_result *a, const rattle_sampling_result *b,
                      const char *method, uint64_t seed) {
  for (int i = 0; i < CHAINS * DRAWS * a->columns; i++)
    if (a->value[i] != b->value[i])
      fail_msg("%s, seed %d: %s of draw %d is %.17g, not %.17g", method, (int)seed,
               a->column[i % a->columns], i / a->columns, b->value[i], a->value[i]);
}

static void compare(const char *text, const char *method, int texts, const char *cache) {
  fixture block = open_with(text, RATTLE_EVALUATOR_BLOCK),
          native = open_with(text, RATTLE_EVALUATOR_NATIVE);
  const int before = count(cache);
  int compiled = 0;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    rattle_sampling *one = sample(&block, method, seed), *two = sample(&native, method, seed);
    const rattle_sampling_result *a = rattle_sampling_result_of(one),
                                 *b = rattle_sampling_result_of(two);
    if (memcmp(a->value, b->value, CHAINS * DRAWS * (size_t)a->columns * sizeof *a->value) != 0)
      say_where(a, b, method, seed);
    if (a->counts[0].accepted < 5)
      fail_msg("%s: %lld of %lld are accepted", method, a->counts[0].accepted,
               a->counts[0].transitions);
    rattle_sampling_destroy(&one);
    rattle_sampling_destroy(&two);
    if (seed == 1) compiled = count(cache);
    if (count(cache) != compiled)
      fail_msg("%s: %d texts, and %d with the metric of another chain", method, compiled,
               count(cache));
  }
  if (compiled - before != texts)
    fail_msg("%s: %d texts, not %d", method, compiled - before, texts);
  close(&native);
  close(&block);
}

/* Diagonal masses are inputs of the step and of the logarithms in its force; a dense metric is that
 * of coordinates of its own (problem/functions/whitened.h). Texts are those of the step before the
 * first metric, of the step of all metrics, and of flights by both; of U alone, for delta(g). */
static void test_one_text(void **state) {
  (void)state;
  static const struct {
    const char *method;
    int texts; /* that those before lack */
  } of[] = {{"hmc(rattle(verlet), metric=diagonal)", 4},
            {"nuts(rattle(suzuki4(verlet)), metric=diagonal)", 0},
            {"random_walk(metric=diagonal)", 0},
            {"hmc(rattle(verlet), metric=diagonal, measure=delta)", 3},
            {"hmc(rattle(verlet), metric=dense)", 1},
            {"nuts(rattle(verlet), metric=dense, measure=delta)", 1}};
  char cache[] = "/tmp/rattle-test-XXXXXX", command[64];
  assert_non_null(mkdtemp(cache));
  assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    compare(torus, of[i].method, of[i].texts, cache),
        compare(triangle, of[i].method, of[i].texts, cache);
  snprintf(command, sizeof command, "rm -r %s", cache);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
