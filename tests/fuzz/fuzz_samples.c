/* Files of samples: a text with the plan, the starts of the chains and edits of the rows, with lines
 * "---" between them. An edit is "ROW PLACE NUMBER", "ROW missing" or "ROW damaged", or "column C
 * WIDTH NAME". The rows are those of chains that were run, in the file that is edited. */
#include <ctype.h>

#include "commands/sample.h"
#include "held.h"
#include "many/sweep/sweep.h"

static const char model_text[] = "local x, px = pair('x') local y, py = pair('y')\n"
                                 "mass { x = 1, y = 1 } potential(parameter('a', 1)*y)\n"
                                 "constrain('rod', x^2 + y^2 - 1) observe('o', x*y)\n"
                                 "start { x = 1 } integrate { step = 0.3 }\n";
enum { CHAINS = 2, DRAWS = 6, MOST_WORK = 4000 };
/* The file before it is edited. */
static struct held whole;
static double *row;

static void need(rattle_status status) {
  if (status) abort();
}

static void make(void) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_sampling *sampling = NULL;
  char method[] = "hmc(rattle(verlet), steps=2)";
  sample_plan plan = {
      .sampling = {.struct_size = sizeof plan.sampling,
                   .chains = CHAINS,
                   .draws = DRAWS,
                   .every = 1},
      .chain = {.struct_size = sizeof plan.chain, .method = method, .seed = 1, .step = 0.3}};
  markov_file file = {.path = "FILE"};
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  plan.sampling.chain = &plan.chain;
  held.row = calloc((size_t)HELD_CASES * HELD_WIDTH, sizeof *held.row);
  row = calloc((size_t)HELD_CASES * HELD_WIDTH, sizeof *row);
  if (!held.row || !row) abort();
  need(rattle_model_parse(&model, model_text, "fuzz.lua", NULL, NULL));
  need(rattle_problem_create(&problem, model, &block, NULL));
  need(cli_sample_run(&plan, problem, &file, &sampling, NULL));
  for (int k = 0; k < CHAINS * DRAWS; k++)
    if (held.there[k] != 1) abort();
  whole = held;
  memcpy(row, held.row, (size_t)HELD_CASES * HELD_WIDTH * sizeof *row);
  rattle_sampling_destroy(&sampling);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void edit_column(const char *line) {
  char name[sizeof held.name[0]];
  int c, width;
  if (sscanf(line, "column %d %d %127[^\n]", &c, &width, name) != 3) return;
  if (c < 0 || c >= held.about.columns || width < 1 ||
      width - held.column[c].width > HELD_WIDTH - held.width)
    return;
  held.width += width - held.column[c].width;
  held.column[c].width = width;
  snprintf(held.name[c], sizeof held.name[c], "%s", name);
}

static void edit_row(const char *line) {
  int at, place;
  double number;
  char word[9];
  if (sscanf(line, "%d %d %lf", &at, &place, &number) == 3) {
    if (at >= 0 && at < HELD_CASES && place >= 0 && place < held.width)
      held.row[at * held.width + place] = number;
  } else if (sscanf(line, "%d %8s", &at, word) == 2 && at >= 0 && at < HELD_CASES) {
    held.there[at] = word[0] == 'd' ? -1 : 0;
  }
}

static void edit(const char *edits) {
  for (const char *line = edits; *line; line += strcspn(line, "\n"), line += *line != 0)
    if (!strncmp(line, "column ", 7)) edit_column(line);
  for (long long k = 0; k < held.about.cases; k++)
    for (int i = 0; i < held.width; i++)
      held.row[k * held.width + i] = row[k % (CHAINS * DRAWS) * whole.width + i % whole.width];
  for (const char *line = edits; *line; line += strcspn(line, "\n"), line += *line != 0)
    edit_row(line);
}

/* At least the steps that a plan asks for: the product of its numbers. */
static double work_of(const char *plan) {
  double work = 1;
  for (const char *at = plan; *at;) {
    if (isdigit((unsigned char)*at)) {
      char *rest;
      const double number = strtod(at, &rest);
      work *= number > 1 ? number : 1;
      at = rest;
    } else {
      at++;
    }
  }
  return work;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!row) make();
  char *plan = fuzz_text(data, size), *list = held_cut(plan), *edits = held_cut(list);
  double *room = held.row;
  held = whole, held.row = room, held.about.column = held.column;
  for (int c = 0; c < held.about.columns; c++) held.column[c].name = held.name[c];
  held.about.title = "fuzz", held.about.model_file = "fuzz.lua", held.about.model_text = model_text;
  held.about.plan = plan, held.about.list = list, held.about.version = held.about.created = "";
  const long long chains = markov_plan_number(plan, "chains", 0),
                  draws = markov_plan_number(plan, "samples", 0);
  if (chains > 0 && chains <= HELD_CASES && draws > 0 && draws <= HELD_CASES / chains)
    held.about.cases = chains * draws;
  for (int k = 0; k < HELD_CASES; k++) held.there[k] = 1;
  edit(edits);
  held_show();
  if (!strncmp(plan, "sampler ", 8) && work_of(plan) <= MOST_WORK) {
    const int exit_status = held_resume();
    for (long long k = 0; k < held.about.cases && exit_status == 0; k++)
      if (held.there[k] != 1) abort();
    held_show();
  }
  free(plan);
  return 0;
}
