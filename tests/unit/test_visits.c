/* Work of a model ten times as large, in counts: nodes of the graph that walks meet, bytes asked
 * for, characters compared. All are at most GROWTH times as many in each stage from text to a
 * step, for sums that many constraints share too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "ground/expr/walk.h"
#include "rattle/rattle.h"

enum { NODES, BYTES, TEXTS, KINDS, SMALL = 200, GROWTH = 14 };
static const char *const kind_name[KINDS] = {"nodes", "bytes", "texts compared"};
static double counted[KINDS];

rattle_status __real_rattle__walk_begin(rattle__walk *, const rattle_graph *, rattle_expr,
                                        rattle__children);
rattle_status __wrap_rattle__walk_begin(rattle__walk *, const rattle_graph *, rattle_expr,
                                        rattle__children);
rattle_status __real_rattle__walk_all(rattle__walk *, const rattle_graph *, const rattle_expr *,
                                      int, rattle__children);
rattle_status __wrap_rattle__walk_all(rattle__walk *, const rattle_graph *, const rattle_expr *,
                                      int, rattle__children);
void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __real_strcmp(const char *, const char *);
int __wrap_strcmp(const char *, const char *);

rattle_status __wrap_rattle__walk_begin(rattle__walk *walk, const rattle_graph *graph,
                                        rattle_expr root, rattle__children children) {
  const rattle_status status = __real_rattle__walk_begin(walk, graph, root, children);
  counted[NODES] += (double)walk->count;
  return status;
}

rattle_status __wrap_rattle__walk_all(rattle__walk *walk, const rattle_graph *graph,
                                      const rattle_expr *root, int roots,
                                      rattle__children children) {
  const rattle_status status = __real_rattle__walk_all(walk, graph, root, roots, children);
  counted[NODES] += (double)walk->count;
  return status;
}

void *__wrap_malloc(size_t size) {
  counted[BYTES] += (double)size;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t number, size_t size) {
  counted[BYTES] += (double)number * (double)size;
  return __real_calloc(number, size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  counted[BYTES] += (double)size;
  return __real_mmap(at, size, protection, flags, file, offset);
}

int __wrap_strcmp(const char *a, const char *b) {
  counted[TEXTS]++;
  return __real_strcmp(a, b);
}

/* A chain, and constraints that share a sum, in which a kink is. */
static const char chain[] =
    "local N = parameter('N', 10) local x, px = pairs_of('x', N) local y, py = pairs_of('y', N)\n"
    "local H = 0 for i = 1, N do H = H + (px[i]^2 + py[i]^2)/2 + y[i] end hamiltonian(H)\n"
    "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
    "for i = 2, N do\n"
    "  constrain('link[' .. i .. ']', (x[i] - x[i - 1])^2 + (y[i] - y[i - 1])^2 - 1)\n"
    "end\n"
    "for i = 1, N do start { [x[i]] = i } end";
static const char shared[] =
    "local N = parameter('N', 10) local x, px = pairs_of('x', N)\n"
    "local H, sum = 0, 0\n"
    "for i = 1, N do H = H + px[i]^2/2 sum = sum + abs(x[i]) end hamiltonian(H)\n"
    "for i = 1, N do constrain('c[' .. i .. ']', x[i] + sum) end";

/* A sum each of whose terms contains all terms before it, of one variable and of twenty. */
static const char deep[] = "local N = parameter('N', 10) local x, px = pair('x') local e = x\n"
                           "for i = 1, N do e = e + cos(e*i) end hamiltonian(px^2/2 + e)";
static const char deep_of_many[] =
    "local N = parameter('N', 10) local x, px = pairs_of('x', 20) local e, T = x[1], 0\n"
    "for i = 1, 20 do T = T + px[i]^2/2 end\n"
    "for i = 1, N do e = e + cos(e*i + x[i % 20 + 1]) end hamiltonian(T + e)";

static rattle_model *model;
static rattle_problem *problem;
static rattle_integrator *integrator;
static double *z;

static rattle_status load(const char *text, int N, rattle_error *error) {
  const rattle_parameter given = {"N", N};
  const rattle_model_options options = {.parameters = &given, .parameter_count = 1};
  return rattle_model_parse(&model, text, "chain", &options, error);
}

static rattle_status order_left(const char *text, int N, rattle_error *error) {
  char where[100];
  (void)text, (void)N, (void)error;
  rattle_model_order_left(model, where, sizeof where);
  return RATTLE_OK;
}

static rattle_status make_problem(const char *text, int N, rattle_error *error) {
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  (void)text, (void)N;
  return rattle_problem_create(&problem, model, &how, error);
}

static rattle_status start(const char *text, int N, rattle_error *error) {
  (void)text;
  z = malloc(4 * (size_t)N * sizeof *z);
  return rattle_problem_start(problem, 0, z, z + 2 * N, NULL, error);
}

static rattle_status make_integrator(const char *text, int N, rattle_error *error) {
  (void)text, (void)N;
  return rattle_integrator_create(&integrator, problem, "rattle(verlet)", error);
}

static rattle_status warn(const char *text, int N, rattle_error *error) {
  rattle_warnings *warnings = NULL;
  (void)text, (void)N;
  const rattle_status status = rattle_warnings_create(&warnings, integrator, error);
  rattle_warnings_destroy(&warnings);
  return status;
}

static rattle_status step(const char *text, int N, rattle_error *error) {
  rattle_state state = {.q = z, .p = z + 2 * N, .h = 0.01};
  (void)text;
  return rattle_integrator_step(integrator, &state, 1, error);
}

typedef struct stage {
  const char *name, *text; /* name NULL: not judged, as that of a matrix without zeros */
  rattle_status (*pass)(const char *text, int N, rattle_error *error);
} stage;

static const stage stages[] = {{"deep: model", deep, load},
                               {"deep: problem", NULL, make_problem},
                               {NULL, shared, load},
                               {"shared: order left", NULL, order_left},
                               {"model", chain, load},
                               {"order left", NULL, order_left},
                               {"problem", NULL, make_problem},
                               {"start", NULL, start},
                               {"integrator", NULL, make_integrator},
                               {"warnings", NULL, warn},
                               {"step", NULL, step}};
enum { STAGES = sizeof stages / sizeof *stages };

static void count(int N, double of[STAGES][KINDS]) {
  for (int s = 0; s < STAGES; s++) {
    rattle_error error;
    if (stages[s].text) rattle_problem_destroy(&problem), rattle_model_destroy(&model);
    memset(counted, 0, sizeof counted);
    if (stages[s].pass(stages[s].text, N, &error)) fail_msg("%s", error.message);
    memcpy(of[s], counted, sizeof counted);
  }
  free(z);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void ten_times_as_large(void **state) {
  double small[STAGES][KINDS], large[STAGES][KINDS];
  int failed = 0;
  (void)state;
  count(SMALL, small); /* what is made once for all is made here */
  count(SMALL, small);
  count(10 * SMALL, large);
  for (int s = 0; s < STAGES; s++)
    for (int k = 0; stages[s].name && k < KINDS; k++) {
      const int is = large[s][k] > GROWTH * small[s][k] + GROWTH * SMALL;
      if (is)
        print_message("%s: %.0f %s, %.0f where it is ten times as large\n", stages[s].name,
                      small[s][k], kind_name[k], large[s][k]);
      failed |= is;
    }
  assert_false(failed);
}

/* What would take the square of a long sum is refused with a sentence. */
static void too_deep(void **state) {
  rattle_error error;
  (void)state;
  assert_int_equal(load(deep_of_many, 10 * SMALL, &error), RATTLE_OK);
  assert_int_equal(make_problem(deep_of_many, 10 * SMALL, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "terms of a sum of many variables share parts"));
  rattle_model_destroy(&model);
}

/* A map that is refused for its many constraints takes no memory for their pairs. */
static void refused_by_size(void **state) {
  enum { MANY = 2001 };
  rattle_error error;
  (void)state;
  assert_int_equal(load(chain, MANY, &error), RATTLE_OK);
  assert_int_equal(make_problem(chain, MANY, &error), RATTLE_OK);
  memset(counted, 0, sizeof counted);
  assert_int_equal(rattle_integrator_create(&integrator, problem, "rattle(taylor(2))", &error),
                   RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "at most 2000 constraints"));
  assert_true(counted[BYTES] < sizeof(int) * (double)MANY * MANY);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ten_times_as_large),
                                     cmocka_unit_test(too_deep), cmocka_unit_test(refused_by_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
