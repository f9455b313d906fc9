/* Plans and lists inside files of sweeps: a text that has both, the list behind a line "---". The
 * file has the cases and columns of its plan, as that of somebody who means harm; short sweeps are
 * resumed to their end, the others read. */
#include <math.h>

#include "held.h"
#include "many/sweep/sweep.h"

static const char model_text[] =
    "local a, b = parameter('a', 1), parameter('b', 1)\n"
    "local x, px = pair('x') local y, py = pair('y')\n"
    "mass { x = 1, y = 1 } potential(a*y) constrain('rod', x^2 + y^2 - b)\n"
    "event('low', x + 0.5) observe('o', x*y) start { x = 1 }\n"
    "integrate { method = 'rattle(verlet)', step = 0.1, stop = 0.2 }\n";
enum { MOST_CASES = 16, MOST_STEPS = 8 };

static rattle_problem *make_problem(void) {
  rattle_model *model;
  rattle_problem *problem;
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  if (rattle_model_parse(&model, model_text, "fuzz.lua", NULL, NULL) ||
      rattle_problem_create(&problem, model, &block, NULL))
    abort();
  rattle_model_destroy(&model);
  return problem;
}

/* Steps of all cases; more than MOST_STEPS: a sweep that is not for a fuzzer. */
static long long count_steps(const sweep_plan *plan) {
  long long all = plan->cases > MOST_CASES ? MOST_STEPS + 1 : 0, steps;
  for (int i = 0; i < plan->methods; i++)
    if (plan->adapts[i] || strlen(plan->method[i]) > 40) all = MOST_STEPS + 1;
  for (long long k = 0; k < plan->cases && all <= MOST_STEPS; k++) {
    double h = plan->step;
    for (int i = 0; i < plan->quantities; i++) {
      const double value = sweep_value(plan, i, k);
      if (plan->quantity[i].target == SWEEP_STEP) h = value;
      if (plan->quantity[i].target == SWEEP_METHOD && !(value >= 0 && value < plan->methods))
        abort();
    }
    all += sweep_steps(plan, h, &steps, NULL) || steps > MOST_STEPS ? MOST_STEPS + 1 : steps;
  }
  return all;
}

/* The columns of the plan, as far as there is room for them. */
static int hold(const sweep_columns *columns) {
  held.width = 0;
  for (int c = 0; c < columns->count; c++)
    if (!held_add_column(c, columns->column[c].name, columns->column[c].width)) return 0;
  return columns->count > 0;
}

/* Runs a short sweep by the problem, where its plan has no parameters for all cases, or as the
 * command does, which takes ten times as long. */
static void resume(const sweep_plan *plan, const sweep_columns *columns,
                   const rattle_problem *problem) {
  rattle_cases *cases;
  rattle_error error = {0};
  int exit_status = 0;
  held.about.cases = plan->cases;
  if (strstr(held.about.plan, "param ") || rattle_cases_append(&cases, "FILE", &error)) {
    exit_status = held_resume();
  } else {
    sweep_run run = {.plan = plan,
                     .columns = columns,
                     .problem = problem,
                     .cases = cases,
                     .threads = 1,
                     .quiet = 1,
                     .resumed = 1,
                     .evaluator = RATTLE_EVALUATOR_BLOCK};
    exit_status = sweep_drive(&run, &error);
    if (exit_status && !error.message[0]) abort();
  }
  for (long long k = 0; k < held.about.cases && exit_status == 0; k++)
    if (held.there[k] != 1) abort();
}

static void read_plan(const rattle_problem *problem) {
  sweep_plan plan;
  sweep_columns columns = {0};
  rattle_error error = {0};
  rattle_status status =
      sweep_plan_read(&plan, held.about.plan, held.about.list, problem, HELD_CASES, &error);
  if (!status) status = sweep_columns_make(&columns, &plan, problem, &error);
  if (status && !error.message[0]) abort();
  if (!status && hold(&columns) && count_steps(&plan) <= MOST_STEPS)
    resume(&plan, &columns, problem);
  sweep_columns_free(&columns);
  sweep_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static rattle_problem *problem;
  char *plan = fuzz_text(data, size), *list = held_cut(plan);
  if (!problem) problem = make_problem();
  if (!held.row && !(held.row = calloc((size_t)HELD_CASES * HELD_WIDTH, sizeof *held.row))) abort();
  held.about = (rattle_cases_about){.title = "fuzz",
                                    .model_file = "fuzz.lua",
                                    .model_text = model_text,
                                    .plan = plan,
                                    .list = list,
                                    .cases = 3,
                                    .version = "",
                                    .created = ""};
  memset(held.there, 0, sizeof held.there);
  held.width = 0;
  (void)held_add_column(0, "x", 1);
  if (strncmp(plan, "sampler ", 8) != 0) read_plan(problem);
  held_show();
  free(plan);
  return 0;
}
