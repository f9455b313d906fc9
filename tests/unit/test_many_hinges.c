/* Mechanisms of many hinges: what loading them takes grows with their number, by counts, and very
 * many of them have the motion and the quantities of few. */
#include "evaluators.h"

#include "made.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

/* The nodes of the graph, and the operations with which all places of bodies are evaluated. */
typedef struct taken {
  int n, nodes;
  size_t observed;
} taken;

/* bench/hinges.lua with so many instructions of Lua at most (0: the default). */
static rattle_status open_hinges(int N, int tree, int joints, long long instructions,
                                 rattle_model **model) {
  const rattle_parameter given[] = {{"N", N}, {"tree", tree}, {"joints", joints}};
  const rattle_model_options options = {
      .parameters = given, .parameter_count = 3, .max_instructions = instructions};
  rattle_error error;
  return rattle_model_load(model, RATTLE_SOURCE_DIR "/bench/hinges.lua", &options, &error);
}

static taken take(int N, int tree, int joints) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  assert_int_equal(open_hinges(N, tree, joints, 0, &model), RATTLE_OK);
  const taken of = {.nodes = (int)rattle_graph_count(rattle_model_graph(model))};
  assert_int_equal(rattle_problem_create(&problem, model, &how, &error), RATTLE_OK);
  taken all = of;
  all.n = problem->n;
  all.observed = problem->observed ? problem->observed->work : 0;
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return all;
}

/* Lua's work and nodes of the graph are at most so many a hinge, for 300 and for 1200 of them. */
static void work_a_hinge(void **unused) {
  (void)unused;
  enum { FEW = 300, MANY = 1200 };
  static const struct {
    int tree, joints;
    long long lua;
    int nodes;
  } most[] = {{1, 1, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};
  for (size_t c = 0; c < sizeof most / sizeof *most; c++) {
    const int tree = most[c].tree, joints = most[c].joints;
    for (int N = FEW; N <= MANY; N += MANY - FEW) {
      rattle_model *model = NULL;
      if (open_hinges(N, tree, joints, most[c].lua * N, &model))
        fail_msg("case %zu: %d hinges take more than %lld instructions each", c, N, most[c].lua);
      rattle_model_destroy(&model);
    }
    const taken few = take(FEW, tree, joints), many = take(MANY, tree, joints);
    print_message("case %zu: nodes %d, %d a hinge, %zu %zu\n", c, few.nodes / FEW, many.nodes / MANY, few.observed, many.observed);
    if (many.nodes > most[c].nodes * MANY)
      fail_msg("case %zu: %d nodes of the graph a hinge, limit %d", c, many.nodes / MANY,
               most[c].nodes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(work_a_hinge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
