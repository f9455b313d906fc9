/* Sweeps along one tree as machine code: the bits of the text for all trees, at points and over
 * steps, in lanes and alone; who has no machine code, and what is loaded in place of compiled. */
#include "random_tree.h"

#include <unistd.h>

/* Hinges along axes of the frames before them, alternating, of bodies whose inertia is diagonal and
 * whose centres lie on an axis: most numbers of the tree are 0. With rotors, and a slide. */
static const char *const aligned =
    "local mech = require 'mechanics'\nmech.coordinates 'joints'\nmech.gravity(0, 0, -9.81)\n"
    "local before, count, closed = mech.ground, %d, %d\n"
    "for i = 1, count do\n"
    "  local b = mech.body {name = 'b' .. i, mass = 1, inertia = {0.02, 0.09, 0.1},\n"
    "    at = {i - 0.5, 0, 0}}\n"
    "  local a = i %% 2 == 1 and {0, 1, 0} or {0, 0, 1}\n"
    "  local one, two = b:here(i - 1, 0, 0), before:here(i - 1, 0, 0)\n"
    "  local kind = i == 4 and closed == 0 and 'prismatic' or 'revolute'\n"
    "  mech[kind]('j' .. i, one:along(a[1], a[2], a[3]), two:along(a[1], a[2], a[3]))\n"
    "  before = b\nend\n"
    "if closed == 1 then mech.distance('rope', before:at(0.5, 0, 0), mech.ground:at(1, 1, 1)) "
    "end\n";

static const char *chain(int count, int closed) {
  snprintf(text, sizeof text, aligned, count, closed);
  return text;
}

static made compiled(const char *method, double h, int project) {
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_NATIVE};
  return make_by(&how, text, method, h, project);
}

static double *lanes_aligned(size_t count) {
  double *all = aligned_alloc(64, (count / 8 + 1) * 64);
  assert_non_null(all);
  return all;
}

static void same(int seed, const double *a, const double *b, int count) {
  for (int c = 0; c < count; c++)
    if (memcmp(&a[c], &b[c], sizeof *a))
      fail_msg("model %d: number %d is %.17g, by machine code %.17g", seed, c, a[c], b[c]);
}

/* One of eight points: rest at the start, where most results are zeros, on an axis, anywhere, and
 * with angles that the sines of lanes do not take. */
static void place(int which, int n, const double *q, double *z) {
  for (int c = 0; c < 2 * n; c++) {
    const double start = c < n ? q[c] : 0;
    z[c] = start + (which > 1 ? 0.7 : 0) * sin(1.7 * c + which);
    if (which == 1 && c == n) z[c] = 1;
    if (which == 7 && c < n && c % 3 == 0) z[c] += 3e6;
  }
}

static void compare(int seed, const made *one, const made *other) {
  const rattle__function *H = one->problem->H, *code = other->problem->H;
  const int n = one->n, vars = 2 * n;
  assert_true(one->problem->swept && H->lanes == code->lanes && !H->native && code->native);
  assert_string_equal(rattle_problem_evaluator(other->problem), "native");
  const size_t room = H->work > code->work ? H->work : code->work, lanes = (size_t)H->lanes;
  double *work = malloc(room * sizeof *work), *z = malloc(3 * (size_t)vars * sizeof *z),
         *Y = z + vars, *by_code = Y + vars, *x = lanes_aligned((size_t)vars * lanes),
         *J = lanes_aligned((size_t)vars * lanes), *J_code = lanes_aligned((size_t)vars * lanes);
  assert_true(work && z);
  for (int which = 0; which < 8; which++) {
    double value[2], alone[2];
    place(which, n, one->state.q, z);
    assert_int_equal(H->jacobian(H, z, &value[0], Y, work), 0);
    assert_int_equal(code->jacobian(code, z, &value[1], by_code, work), 0);
    assert_int_equal(H->value(H, z, &alone[0], work), 0);
    assert_int_equal(code->value(code, z, &alone[1], work), 0);
    same(seed, &value[0], &value[1], 1), same(seed, &alone[0], &alone[1], 1);
    same(seed, Y, by_code, vars);
    for (int l = 0; l < H->lanes; l++) {
      place(l < 6 ? which : which - 1, n, one->state.q, z);
      for (int c = 0; c < vars; c++) x[c * H->lanes + l] = z[c] + 0.01 * l * (which > 1);
    }
    assert_int_equal(H->in_lanes(H, H->lanes, x, J, work), 0);
    assert_int_equal(code->in_lanes(code, H->lanes, x, J_code, work), 0);
    same(seed, J, J_code, vars * H->lanes);
  }
  free(work), free(z), free(x), free(J), free(J_code);
}

static void points_have_the_same_bits(void **unused) {
  (void)unused;
  for (int seed = 0; seed < 10; seed++) {
    if (seed < 8) tree(seed, 5, seed % 3 == 0, 0, "joints");
    if (seed >= 8) chain(seed == 8 ? 3 : 12, 0);
    made one = make(text, "gauss(2)", 0.01, 0), other = compiled("gauss(2)", 0.01, 0);
    compare(seed, &one, &other);
    unmake(&one), unmake(&other);
  }
}

/* Steps alone and in lanes, with forces, and of a closed loop. */
static const struct {
  const char *method;
  int kind; /* 0, 1: a chain, closed; 2, 3: a random tree, with forces */
  int count;
  double h;
} cases[] = {{"gauss(8)", 0, 6, 0.02}, {"gauss(3)", 2, 4, 0.01},
             {"dop853", 0, 6, 0.02},   {"spark_gauss(3)", 1, 6, 0.01},
             {"gauss(2)", 3, 2, 0.01}, {"rattle(midpoint)", 1, 6, 0.01}};

static void set_text(int kind, int count) {
  if (kind < 2)
    chain(count, kind);
  else
    tree(5, count, kind == 3, kind == 3, "joints");
}

static void steps_have_the_same_bits(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    set_text(cases[k].kind, cases[k].count);
    made one = make(text, cases[k].method, cases[k].h, cases[k].kind == 1),
         other = compiled(cases[k].method, cases[k].h, cases[k].kind == 1);
    for (int c = 0; c < one.n; c++)
      one.state.p[c] = other.state.p[c] = other.state.p[c] + (cases[k].kind == 1 ? 0 : 0.1);
    step(&one, 40), step(&other, 40);
    same((int)k, one.state.q, other.state.q, 2 * one.n);
    const rattle_counts a = rattle_integrator_counts(one.integrator),
                        b = rattle_integrator_counts(other.integrator);
    assert_memory_equal(&a, &b, sizeof a);
    unmake(&one), unmake(&other);
  }
}

/* A run that is expected to be long is interpreted until the compiler has ended, and goes on with
 * the same bits. */
static void long_runs_change_over(void **unused) {
  (void)unused;
  static const struct {
    const char *method;
    int kind, count;
  } long_ones[] = {{"gauss(4)", 0, 5}, {"spark_gauss(3)", 1, 4}, {"gauss(2)", 3, 3}};
  for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++) {
    const char *method = long_ones[k].method;
    const int closed = long_ones[k].kind == 1;
    const rattle_problem_options how = {.struct_size = sizeof how, .steps = 1000000000};
    set_text(long_ones[k].kind, long_ones[k].count);
    made m = make_by(&how, text, method, 0.001, closed), one = make(text, method, 0.001, closed);
    int waits = 0;
    do {
      step(&m, 4096), step(&one, 4096);
      if (++waits > 200) fail_msg("it is %s still", rattle_integrator_evaluator(m.integrator));
    } while (strcmp(rattle_integrator_evaluator(m.integrator), "block, then native") != 0);
    step(&m, 10), step(&one, 10);
    same((int)k, m.state.q, one.state.q, 2 * m.n);
    unmake(&m), unmake(&one);
  }
}

/* A tree that is too large for a compiler, and any tree where there is none, is swept as before. */
static void others_stay_as_they_are(void **unused) {
  (void)unused;
  char *path = strdup(getenv("PATH"));
  const rattle_problem_options any = {.struct_size = sizeof any};
  for (int large = 0; large < 2; large++) {
    chain(large ? 120 : 7, 0);
    made one = make(text, "gauss(2)", 0.002, 0);
    if (!large) assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    made other = large ? compiled("gauss(2)", 0.002, 0) : make_by(&any, text, "gauss(2)", 0.002, 0);
    assert_string_equal(rattle_problem_evaluator(other.problem), "block");
    step(&one, 2), step(&other, 2);
    same(large, one.state.q, other.state.q, 2 * one.n);
    unmake(&one), unmake(&other);
    assert_int_equal(setenv("PATH", path, 1), 0);
  }
  free(path);
}

static char folder[] = "/tmp/rattle-test-XXXXXX";

static int fresh_cache(void **unused) {
  (void)unused;
  return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int drop_cache(void **unused) {
  (void)unused;
  char command[128];
  snprintf(command, sizeof command, "/bin/rm -rf '%s'", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_have_the_same_bits),
      cmocka_unit_test(steps_have_the_same_bits),
      cmocka_unit_test(long_runs_change_over),
      cmocka_unit_test(others_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, fresh_cache, drop_cache);
}
