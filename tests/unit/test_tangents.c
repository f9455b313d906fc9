/* The quick derivatives of steps (constraint/step/tangents.h): on all examples that have them, with
 * both evaluators, they agree with those of any map, keep the symplectic form, and stretches
 * of steps have the bits of single steps. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"
#include "runs/tangent/tangent.h"

enum { MOST = 40, STEPS = 70 };

/* How the derivative is taken. */
typedef enum way { IN_STRETCHES, ONE_BY_ONE, IN_GENERAL } way;

typedef struct subject {
  const char *name, *method;
  rattle_model *model;
  rattle_problem *problem;
  double h, z[MOST], W[MOST * MOST];
  int n, nz, d, used;
} subject;

/* True if the quick derivative takes the last substep, and nothing else does in its place. */
static int is_used(const subject *s, rattle_tangent *t) {
  const rattle__substep at = rattle__tangent_substep(t, rattle__tangent_substeps(t) - 1);
  double z[2 * MOST], w[MOST] = {1};
  memcpy(z, at.z0, (size_t)s->nz * sizeof *z);
  memcpy(z + s->nz, at.z1, (size_t)s->nz * sizeof *z);
  return t->quick.through(t->quick.self, &at.h, z, 1, 1, w) == 1;
}

/* W after STEPS steps; 0: there is no quick derivative. */
static int derive(subject *s, way by, double *z, double *W) {
  rattle_tangent *t;
  rattle_error error;
  if (rattle_tangent_create(&t, s->problem, s->method, &error)) return 0;
  const rattle__tangents quick = t->quick;
  const int is_quick = quick.self != NULL;
  if (is_quick) {
    memcpy(z, s->z, sizeof s->z);
    rattle_state state = {.q = z, .p = z + s->n, .h = s->h};
    if (rattle_tangent_basis(t, z, z + s->n, &s->d, s->W, &error))
      fail_msg("%s: %s", s->name, error.message);
    memcpy(W, s->W, sizeof s->W);
    if (by == IN_GENERAL) t->quick.self = NULL;
    for (int k = 0; k < STEPS; k += by == IN_STRETCHES ? STEPS : 1)
      if (rattle_tangent_step(t, &state, by == IN_STRETCHES ? STEPS : 1, s->d, W, &error))
        fail_msg("%s by %s: %s", s->name, s->method, error.message);
    t->quick = quick;
    if (by == ONE_BY_ONE) s->used = is_used(s, t);
  }
  rattle_tangent_destroy(&t);
  return is_quick;
}

static double form(const subject *s, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum += a[k] * b[s->n + k] - a[s->n + k] * b[k];
  return sum;
}

static void check_form(const subject *s, const double *W, double size) {
  for (int i = 0; i < s->d; i++)
    for (int j = 0; j < i; j++) {
      const double off =
          form(s, W + i * s->nz, W + j * s->nz) - form(s, s->W + i * s->nz, s->W + j * s->nz);
      if (!(fabs(off) <= 1e-13 * size * size * s->n))
        fail_msg("%s by %s: the form of vectors %d and %d changes by %g", s->name, s->method, i, j,
                 off);
    }
}

static int check(subject *s) {
  static double z[3][MOST], W[3][MOST * MOST];
  double size = 1, off = 0;
  if (!derive(s, IN_STRETCHES, z[0], W[0])) return 0;
  assert_true(derive(s, ONE_BY_ONE, z[1], W[1]) && derive(s, IN_GENERAL, z[2], W[2]));
  assert_memory_equal(z[0], z[1], (size_t)s->nz * sizeof **z);
  assert_memory_equal(z[0], z[2], (size_t)s->nz * sizeof **z);
  assert_memory_equal(W[0], W[1], (size_t)(s->d * s->nz) * sizeof **W);
  for (int i = 0; i < s->d * s->nz; i++)
    size = fmax(size, fabs(W[2][i])), off = fmax(off, fabs(W[2][i] - W[0][i]));
  if (!(off <= 1e-11 * size))
    fail_msg("%s by %s: derivatives differ by %g of %g", s->name, s->method, off, size);
  check_form(s, W[0], size);
  return s->used;
}

/* How many of the examples and methods have quick derivatives. */
static int check_file(const char *file, int evaluator, const char *const *methods) {
  subject s = {.name = file};
  rattle_error error;
  rattle_problem_options options = {0};
  int found = 0;
  options.evaluator = evaluator;
  if (rattle_model_load(&s.model, file, NULL, &error)) fail_msg("%s: %s", file, error.message);
  if (rattle_problem_create(&s.problem, s.model, &options, &error))
    fail_msg("%s: %s", file, error.message);
  s.n = rattle_problem_n(s.problem), s.nz = 2 * s.n,
  s.h = fmin(0.01, rattle_model_wishes(s.model)->step);
  if (s.nz <= MOST) {
    if (rattle_problem_start(s.problem, 1, s.z, s.z + s.n, NULL, &error))
      fail_msg("%s: %s", file, error.message);
    for (; *methods; methods++) {
      s.method = *methods;
      found += check(&s);
    }
  }
  rattle_problem_destroy(&s.problem);
  rattle_model_destroy(&s.model);
  return found;
}

static void check_examples(int evaluator, const char *const *methods, int expected) {
  glob_t files;
  int found = 0;
  assert_int_equal(glob(RATTLE_SOURCE_DIR "/examples/*.lua", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++)
    found += check_file(files.gl_pathv[i], evaluator, methods);
  globfree(&files);
  print_message("%d examples and methods with quick derivatives\n", found);
  assert_true(found >= expected);
}

/* Kernels of explicit maps, and steps that are written as expressions. */
static const char *const explicit_maps[] = {"rattle(verlet)", "shake(verlet)",
                                            "rattle(symplectic_euler)", "suzuki4(rattle(verlet))",
                                            NULL},
                         *const stages[] = {"rattle(midpoint)", "suzuki4(rattle(gauss(2)))", NULL};

static void test_block(void **unused) {
  (void)unused;
  check_examples(RATTLE_EVALUATOR_BLOCK, explicit_maps, 48);
  check_examples(RATTLE_EVALUATOR_BLOCK, stages, 28);
}

static void test_native(void **unused) {
  (void)unused;
  check_examples(RATTLE_EVALUATOR_NATIVE, explicit_maps, 48);
  check_examples(RATTLE_EVALUATOR_NATIVE, stages, 28);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_block), cmocka_unit_test(test_native)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
