/* The block and the native evaluator give the same bits: every example by every row of the table
 * that can integrate it; and the fused kernels, steps of SHAKE and RATTLE and of explicit
 * Runge-Kutta methods as machine code, are what makes them. The linker hands all calls of
 * rattle__native_symbol to the counters here. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "examine/doctor/quick.h"
#include "ground/expr/native.h"
#include "maps/base/rk.h"
#include "rattle/rattle.h"
#include "maps/natural/fused/natural_small.h"

/* ---- counters ---- */

/* The kernels of the integrator made last, of which multistep methods have two of one kind, and
 * models with switches as many again for parts of steps: how they are called, and how often. */
enum { KERNELS = 4 };
static rattle__fused_step small_step[KERNELS];
static rattle__fused_run fused_run[KERNELS];
static rattle__rk_run rk_run[KERNELS];
static int steps_made, runs_made, rks_made;
static int small_calls, rk_calls;
static int sparks_made,
    spheres_made; /* kernels of spark(s), and of geodesics on spheres, that were found in what
                     was compiled */

#define COUNTED(which)                                                                             \
  static int counted_step_##which(rattle__fused *k, double h, const double *z0, double *z1) {      \
    small_calls++;                                                                                 \
    return small_step[which](k, h, z0, z1);                                                        \
  }                                                                                                \
  static long long counted_run_##which(rattle__fused *k, const double *h, int stages,              \
                                       long long steps, double *z, double *range, int *code) {     \
    small_calls++;                                                                                 \
    return fused_run[which](k, h, stages, steps, z, range, code);                                  \
  }                                                                                                \
  static long long counted_rk_##which(double h, long long steps, double *z) {                      \
    rk_calls++;                                                                                    \
    return rk_run[which](h, steps, z);                                                             \
  }
COUNTED(0)
COUNTED(1)
COUNTED(2)
COUNTED(3)
static const rattle__fused_step counted_step[KERNELS] = {counted_step_0, counted_step_1,
                                                         counted_step_2, counted_step_3};
static const rattle__fused_run counted_run[KERNELS] = {counted_run_0, counted_run_1, counted_run_2,
                                                       counted_run_3};
static const rattle__rk_run counted_rk[KERNELS] = {counted_rk_0, counted_rk_1, counted_rk_2,
                                                   counted_rk_3};

int __real_rattle__native_symbol(void *library, const char *name, void *function);
int __wrap_rattle__native_symbol(void *library, const char *name, void *function);

int __wrap_rattle__native_symbol(void *library, const char *name, void *function) {
  const int missing = __real_rattle__native_symbol(library, name, function);
  if (missing) return missing;
  sparks_made += !strcmp(name, "rattle_spark_run");
  spheres_made += !strcmp(name, "rattle_spheres_run");
  const struct {
    const char *name;
    void *kept;
    const void *counted;
    int *made;
  } kinds[] = {{"rattle_fused_step", small_step, counted_step, &steps_made},
               {"rattle_fused_run", fused_run, counted_run, &runs_made},
               {"rattle_rk_run", rk_run, counted_rk, &rks_made}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(name, kinds[i].name) != 0) continue;
    assert_true(*kinds[i].made < KERNELS);
    const size_t at = (size_t)(*kinds[i].made)++ * sizeof(rattle__fused_step);
    memcpy((char *)kinds[i].kept + at, function, sizeof(rattle__fused_step));
    memcpy(function, (const char *)kinds[i].counted + at, sizeof(rattle__fused_step));
  }
  return 0;
}

/* ---- two evaluators of one problem ---- */

typedef struct side {
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  double *z, *extra; /* [2n], declared state of the integrator */
  int size;          /* of extra */
  rattle_status status;
  rattle_error error;
} side;

typedef struct pair {
  const char *name;
  rattle_model *model;
  side block[1], native[1];
  double *start; /* [2n] */
  int n, rows, compared, fused_small, fused_rk;
} pair;

static void make_problem(pair *p, side *s, int evaluator) {
  const rattle_problem_options options = {.evaluator = evaluator};
  rattle_error error;
  if (rattle_problem_create(&s->problem, p->model, &options, &error))
    fail_msg("%s: %s", p->name, error.message);
}

static void open(pair *p, const char *name, const rattle_parameter *parameter) {
  const rattle_model_options options = {.parameters = parameter,
                                        .parameter_count = parameter != NULL};
  rattle_error error;
  *p = (pair){.name = name};
  if (rattle_model_load(&p->model, name, &options, &error)) fail_msg("%s: %s", name, error.message);
  make_problem(p, p->block, RATTLE_EVALUATOR_BLOCK);
  make_problem(p, p->native, RATTLE_EVALUATOR_NATIVE);
  assert_string_equal(rattle_problem_evaluator(p->block->problem), "block");
  assert_string_equal(rattle_problem_evaluator(p->native->problem), "native");
  p->n = rattle_problem_n(p->block->problem);
  const size_t nz = 2 * (size_t)p->n;
  p->start = calloc(3 * nz, sizeof *p->start);
  p->block->z = p->start + nz;
  p->native->z = p->start + 2 * nz;
  if (rattle_problem_start(p->block->problem, 1, p->start, p->start + p->n, NULL, &error))
    fail_msg("%s: %s", name, error.message);
}

static void close(pair *p) {
  free(p->start);
  rattle_problem_destroy(&p->block->problem);
  rattle_problem_destroy(&p->native->problem);
  rattle_model_destroy(&p->model);
}

/* Plans the method on both sides; true if both did. A method that one side refuses must be refused
 * by the other, too. */
static int plan(pair *p, const char *method) {
  side *a = p->block, *b = p->native;
  steps_made = runs_made = rks_made = 0;
  a->status = rattle_integrator_create(&a->integrator, a->problem, method, &a->error);
  b->status = rattle_integrator_create(&b->integrator, b->problem, method, &b->error);
  if (a->status != b->status) fail_msg("%s, %s: planned by one evaluator only", p->name, method);
  if (a->status) return 0;
  a->size = rattle_integrator_extra(a->integrator);
  b->size = rattle_integrator_extra(b->integrator);
  assert_int_equal(a->size, b->size);
  a->extra = calloc((size_t)a->size + 1, sizeof *a->extra);
  b->extra = calloc((size_t)b->size + 1, sizeof *b->extra);
  return 1;
}

static void drop(side *s) {
  rattle_integrator_destroy(&s->integrator);
  free(s->extra);
  s->extra = NULL;
}

/* Steps from the start in calls of `piece`. */
static void step(const pair *p, side *s, double h, int steps, int piece) {
  memcpy(s->z, p->start, 2 * (size_t)p->n * sizeof *s->z);
  memset(s->extra, 0, (size_t)s->size * sizeof *s->extra);
  s->state = (rattle_state){.q = s->z, .p = s->z + p->n, .h = h};
  s->status = RATTLE_OK;
  rattle_integrator_reset(s->integrator);
  rattle_integrator_set_extra(s->integrator, s->extra);
  for (int done = 0; done < steps && !s->status; done += piece)
    s->status = rattle_integrator_step(s->integrator, &s->state, piece, &s->error);
  rattle_integrator_get_extra(s->integrator, s->extra);
}

static void assert_same_counts(const pair *p, const char *method, double h) {
  const rattle_counts one = rattle_integrator_counts(p->block->integrator),
                      other = rattle_integrator_counts(p->native->integrator);
  const long long *a = &one.steps, *b = &other.steps;
  /* a step that a fused kernel gives up is made anew by the library, and counts more; within a
   * switch it may be one that is thrown away */
  if (rattle_model_switches(p->model)) return;
  for (size_t k = 0; k < sizeof one / sizeof *a && !p->block->status && !one.followed; k++)
    if (a[k] != b[k])
      fail_msg("%s, %s, h = %g: entry %zu of rattle_counts is %lld with block and %lld with native",
               p->name, method, h, k, a[k], b[k]);
}

static void assert_same(const pair *p, const char *method, double h) {
  const side *a = p->block, *b = p->native;
  if (a->status != b->status || (a->status && strcmp(a->error.message, b->error.message) != 0))
    fail_msg("%s, %s, h = %g: \"%s\" with block and \"%s\" with native", p->name, method, h,
             a->status ? a->error.message : "OK", b->status ? b->error.message : "OK");
  assert_true(a->state.step == b->state.step);
  for (int k = 0; k < 2 * p->n; k++)
    if (memcmp(&a->z[k], &b->z[k], sizeof *a->z))
      fail_msg("%s, %s, h = %g, step %lld: z[%d] = %.17g with block and %.17g with native", p->name,
               method, h, a->state.step, k, a->z[k], b->z[k]);
  if (memcmp(a->extra, b->extra, (size_t)a->size * sizeof *a->extra))
    fail_msg("%s, %s, h = %g: the declared state differs", p->name, method, h);
  assert_same_counts(p, method, h);
}

/* Steps as the model asks for, in one call and singly, and some so long that many fail or need the
 * guard. */
static void compare(pair *p, const char *method) {
  const double wish = rattle_model_wishes(p->model)->step, h = wish > 0 ? wish : 0.01;
  const struct {
    double h;
    int steps, piece;
  } runs[] = {{h, 12, 12}, {h, 12, 1}, {30 * h, 3, 3}};
  small_calls = rk_calls = 0;
  if (plan(p, method)) {
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
      step(p, p->block, runs[i].h, runs[i].steps, runs[i].piece);
      step(p, p->native, runs[i].h, runs[i].steps, runs[i].piece);
      assert_same(p, method, runs[i].h);
    }
    p->compared++;
    p->fused_small += small_calls > 0;
    p->fused_rk += rk_calls > 0;
  }
  drop(p->block);
  drop(p->native);
}

/* Each example has one in so many of the methods, other ones than the next, so that each method has
 * some twenty examples, and with sanitizers one: most of the time is the compiler's. */
#ifdef __SANITIZE_ADDRESS__
enum { PART = 48, OTHERS = 8 };
#else
enum { PART = 3, OTHERS = 2 };
#endif

static void compare_row(void *self, const rattle_method_row *row, const char *method) {
  (void)row;
  pair *p = self;
  if (p->rows++ % PART == 0) compare(p, method);
}

/* ---- parts ---- */

/* Models part, part + parts, ... of each test: they are in several processes, so that they take all
 * processors. */
static int part, parts = 1;

/* What all models together have at least, for this part of them: they differ in size. */
static int share(int of_all) {
  return of_all / PART / (parts > 1 ? 2 * parts : 1);
}

/* ---- tests ---- */

/* True if there is a compiler. */
static int has_compiler(void) {
  void *library = NULL;
  const int found = !rattle__native_load("int answer(void) { return 42; }\n", &library, NULL);
  rattle__native_unload(&library);
  return found;
}

/* Methods with options that no row of its own stands for. */
static const char *const others[] = {"rattle(verlet(b))",
                                     "rattle(symplectic_euler(a))",
                                     "rattle(verlet, project=output)",
                                     "rattle(verlet, compensated)",
                                     "suzuki4(verlet, compensated)",
                                     "rattle(midpoint, solver=newton)",
                                     "dopri5(dirac, tol=1e-8)",
                                     "project(rk4(dirac), symmetric)"};

/* Methods that must have fused kernels: steps of natural problems with one or two constraints by
 * explicit maps; those before `compensated` with up to twelve constraints ... */
static const char *const small_methods[] = {"rattle(verlet)",
                                            "rattle(verlet(b))",
                                            "rattle(symplectic_euler(a))",
                                            "rattle(symplectic_euler(b))",
                                            "rattle(velocity_verlet)",
                                            "rattle(verlet, project=output)",
                                            "shake(verlet)",
                                            "shake(verlet(b))",
                                            "suzuki4(rattle(verlet))",
                                            "adaptive(rattle(verlet))",
                                            "rattle(verlet, compensated)",
                                            "kahan_li8(rattle(verlet(b)), compensated)"};
enum { PLAIN = 9 };
/* ... and explicit Runge-Kutta methods of fields that are given by expressions. */
static const char *const rk_methods[] = {"euler(classical)", "explicit_midpoint(classical)",
                                         "rk4(classical)", "dopri5(classical)"};

static void test_fused(void **state) {
  (void)state;
  static const char *const examples[] = {"pendulum", "spherical_pendulum", "double_pendulum",
                                         "encounter"};
  if (!has_compiler()) skip();
  for (size_t i = (size_t)part; i < sizeof examples / sizeof *examples; i += (size_t)parts) {
    pair p;
    char name[400];
    snprintf(name, sizeof name, "%s/examples/%s.lua", RATTLE_SOURCE_DIR, examples[i]);
    open(&p, name, NULL);
    for (size_t k = 0; k < sizeof small_methods / sizeof *small_methods; k++) {
      compare(&p, small_methods[k]);
      if (!small_calls)
        fail_msg("%s, %s: made without the fused kernel", examples[i], small_methods[k]);
    }
    for (size_t k = 0; k < sizeof rk_methods / sizeof *rk_methods; k++) {
      compare(&p, rk_methods[k]);
      if (!rk_calls) fail_msg("%s, %s: made without the fused kernel", examples[i], rk_methods[k]);
    }
    compare(&p, "rattle(verlet, solver=newton)"); /* asks for another solver: the counters tell the
                                             difference */
    assert_true(small_calls == 0 && rk_calls == 0);
    close(&p);
  }
}

/* Three and more constraints: chains, a tree and a loop in the matrix, and one that is full. */
static void test_fused_systems(void **state) {
  (void)state;
  static const struct {
    const char *file;
    rattle_parameter links;
  } models[] = {{"bench/chain.lua", {"N", 3}},
                {"bench/chain.lua", {"N", 12}},
                {"bench/loop.lua", {NULL, 0}},
                {"examples/rigid_body.lua", {NULL, 0}}};
  if (!has_compiler()) skip();
  for (size_t i = (size_t)part; i < sizeof models / sizeof *models; i += (size_t)parts) {
    pair p;
    char name[400];
    snprintf(name, sizeof name, "%s/%s", RATTLE_SOURCE_DIR, models[i].file);
    open(&p, name, models[i].links.name ? &models[i].links : NULL);
    for (size_t k = 0; k < PLAIN; k++) {
      compare(&p, small_methods[k]);
      if (!small_calls)
        fail_msg("%s, %s: made without the fused kernel", models[i].file, small_methods[k]);
    }
    close(&p);
  }
}

/* The kernels of other methods, and that of verlet with forces that are no gradient. */
static void test_fused_others(void **state) {
  (void)state;
  static const struct {
    const char *model, *method;
    const int *made;
  } kernels[] = {{"pendulum", "spark(2)", &sparks_made},
                 {"double_pendulum", "spark(3)", &sparks_made},
                 {"spherical_pendulum", "geodesic_rkn4", &spheres_made},
                 {"kapitza", "rattle(verlet)", &small_calls},
                 {"cart_pole", "rattle(verlet)", &small_calls}};
  if (!has_compiler()) skip();
  for (size_t i = (size_t)part; i < sizeof kernels / sizeof *kernels; i += (size_t)parts) {
    pair p;
    char name[400];
    snprintf(name, sizeof name, "%s/examples/%s.lua", RATTLE_SOURCE_DIR, kernels[i].model);
    open(&p, name, NULL);
    sparks_made = spheres_made = 0;
    compare(&p, kernels[i].method);
    if (!*kernels[i].made)
      fail_msg("%s, %s: made without the fused kernel", kernels[i].model, kernels[i].method);
    close(&p);
  }
}

static void test_examples(void **state) {
  (void)state;
  glob_t files;
  int compared = 0, small = 0, rk = 0;
  const rattle_parameter few = {"N", 8};
  if (!has_compiler()) skip();
  assert_int_equal(glob(RATTLE_SOURCE_DIR "/examples/*.lua", 0, NULL, &files), 0);
  for (size_t i = (size_t)part; i < files.gl_pathc; i += (size_t)parts) {
    pair p;
    open(&p, files.gl_pathv[i],
         strstr(files.gl_pathv[i], "/chain.lua") || strstr(files.gl_pathv[i], "/polymer.lua") ||
                 strstr(files.gl_pathv[i], "/alkane.lua")
             ? &few
             : NULL);
    /* each method costs the compiler a while; test_mechanics runs large mechanisms by both
     * evaluators */
    const int large = p.n > 20;
    p.rows = (int)i % PART;
    if (!large) rattle__each_method(p.block->problem, compare_row, &p);
    for (size_t k = large ? 0 : i % OTHERS; k < (large ? 1 : sizeof others / sizeof *others);
         k += OTHERS)
      compare(&p, others[k]);
    /* constraints on velocities fit fewer methods */
    const int fitting = rattle_problem_velocity_constraints(p.block->problem) ? 20 : 30;
    if (p.compared < (large ? 1 : fitting / PART))
      fail_msg("%s: only %d methods were compared", p.name, p.compared);
    compared += p.compared;
    small += p.fused_small;
    rk += p.fused_rk;
    close(&p);
  }
  globfree(&files);
  print_message("%d methods compared, %d and %d of them fused\n", compared, small, rk);
  if (compared < share(600) || small < share(120) || rk < share(40))
    fail_msg("%d methods compared, %d and %d of them fused", compared, small, rk);
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fused), cmocka_unit_test(test_fused_systems),
      cmocka_unit_test(test_fused_others), cmocka_unit_test(test_examples)};
  if (count > 2) part = atoi(arguments[1]), parts = atoi(arguments[2]);
  if (part < 0 || part >= parts) return 2;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
