/* The cases of a sweep, from its options: on the command line, and in the file of cases when the
 * sweep is continued. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/design.h"
#include "many/sweep/sweep.h"

/* The options that say what the cases are and what is kept of them. */
static const char *const options[] = {"set",      "start",  "count", "seed",  "design", "methods",
                                      "steps-of", "method", "step",  "stop",  "steps",  "project",
                                      "certify",  "keep",   "at",    "every", "events", "columns"};
enum { OPTIONS = sizeof options / sizeof *options, MOST_TIMES = 1000000 };

char *sweep_plan_text(const cli_args *args) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  for (int i = 0; i < args->givens; i++)
    for (int k = 0; k < OPTIONS; k++)
      if (!strcmp(args->given[i].option->name, options[k]))
        fprintf(out, "%s %s\n", options[k], args->given[i].value);
  for (int i = 0; i < args->parameters; i++)
    fprintf(out, "param %s=%.17g\n", args->parameter[i].name, args->parameter[i].value);
  return fclose(out) ? free(text), NULL : text;
}

/* Numbers by themselves. *value is left alone where there is no such line. */
static rattle_status number(const char *text, const char *name, double *value, int whole,
                            rattle_error *error) {
  char *word = sweep_plan_word(text, name), *rest;
  if (!word) return RATTLE_OK;
  const double read = strtod(word, &rest);
  rattle_status status = RATTLE_OK;
  if (rest == word || *rest || !isfinite(read) ||
      (whole && (read != floor(read) || fabs(read) > 9e15)))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %s: expected a %s", name, word,
                       whole ? "whole number" : "finite number");
  else
    *value = read;
  free(word);
  return status;
}

static rattle_status integer(const char *text, const char *name, long long *value, long long least,
                             rattle_error *error) {
  double read = (double)*value;
  const rattle_status status = number(text, name, &read, 1, error);
  if (status) return status;
  *value = (long long)read;
  return *value >= least ? RATTLE_OK
                         : text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %lld: expected %lld or more",
                                     name, *value, least);
}

static long long most_values(const sweep_plan *plan) {
  return plan->most < SWEEP_MOST_VALUES ? plan->most : SWEEP_MOST_VALUES;
}

/* "name=LIST" or "name~LAW". */
static rattle_status add_word(sweep_plan *plan, const rattle_model *model, const char *prefix,
                              const char *word, rattle_error *error) {
  char of[100], name[200];
  const size_t length = strcspn(word, "=~");
  sweep_spec spec = {0};
  snprintf(of, sizeof of, "--%.5s %.80s", prefix, word);
  if (!length || !word[length] || length > 150)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s: expected name=values, as in gravity=1,2,4 or 1:10:0.5, or name~law, as "
                     "in x~uniform(-1,1)",
                     of);
  snprintf(name, sizeof name, "%s:%.*s", prefix, (int)length, word);
  const int drawn = word[length] == '~';
  rattle_status status =
      drawn ? sweep_read_law(&spec, word + length + 1, of, error)
            : sweep_read_list(&spec, word + length + 1, of, most_values(plan), error);
  if (!status) status = sweep_add(plan, model, name, drawn ? -1 : plan->axes, &spec, error);
  if (status)
    free(spec.value);
  else if (drawn)
    plan->draws++;
  else
    plan->axes++;
  return status;
}

static rattle_status read_words(sweep_plan *plan, const char *text, const char *name,
                                const rattle_model *model, rattle_error *error) {
  const char *at = text;
  char *word;
  rattle_status status = RATTLE_OK;
  while (!status && (word = sweep_next_word(&at, name))) {
    status = add_word(plan, model, name, word, error);
    free(word);
  }
  return status;
}

/* Methods, separated by commas outside parentheses; none: that of the model. */
static rattle_status read_methods(sweep_plan *plan, const char *text, const rattle_problem *problem,
                                  rattle_error *error) {
  const rattle_model *model = rattle_problem_model(problem);
  const rattle_wishes *wishes = rattle_model_wishes(model);
  char *several = sweep_plan_word(text, "methods"), *one = sweep_plan_word(text, "method");
  const char *list = several          ? several
                     : one            ? one
                     : wishes->method ? wishes->method
                                      : rattle_default_method(problem);
  rattle_status status = RATTLE_OK;
  if (!several && !one) plan->wished |= RATTLE_WISHED_METHOD;
  if (several && one)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--method and --methods exclude each other; give one of them");
  for (const char *from = list; from && !status;) {
    const char *to = from;
    for (int depth = 0; *to && (*to != ',' || depth > 0 || !several); to++)
      depth += (*to == '(') - (*to == ')');
    char *word = strndup(from, (size_t)(to - from)),
         **grown = realloc(plan->method, ((size_t)plan->methods + 1) * sizeof *grown);
    int *adapts = realloc(plan->adapts, ((size_t)plan->methods + 1) * sizeof *adapts);
    if (grown) plan->method = grown;
    if (adapts) plan->adapts = adapts;
    rattle_method *method = NULL;
    status =
        word && grown && adapts ? rattle_method_parse(&method, word, error) : text_no_memory(error);
    if (!status && wishes->compensated) rattle_method_compensate(method);
    if (!status) plan->adapts[plan->methods] = rattle_method_adapts(method);
    if (!status && !(plan->method[plan->methods++] = strdup(rattle_method_text(method))))
      plan->methods--, status = text_no_memory(error);
    rattle_method_destroy(&method);
    free(word);
    from = *to ? to + 1 : NULL;
  }
  if (!status && several) {
    sweep_spec spec = {.law = SWEEP_LIST,
                       .count = plan->methods,
                       .value = calloc((size_t)plan->methods, sizeof *spec.value)};
    for (int i = 0; i < plan->methods && spec.value; i++) spec.value[i] = i;
    status = spec.value ? sweep_add_methods(plan, plan->axes, &spec, error) : text_no_memory(error);
    if (status) free(spec.value);
    if (!status) plan->axes++;
  }
  free(several), free(one);
  return status;
}

static rattle_status read_step_list(sweep_plan *plan, const char *text, const rattle_model *model,
                                    rattle_error *error) {
  char *word = sweep_plan_word(text, "steps-of");
  sweep_spec spec = {0};
  if (!word) return RATTLE_OK;
  rattle_status status = sweep_read_list(&spec, word, "--steps-of", most_values(plan), error);
  if (!status) status = sweep_add(plan, model, "step", plan->axes, &spec, error);
  if (status)
    free(spec.value);
  else
    plan->axes++, plan->step = plan->quantity[plan->quantities - 1].spec.value[0];
  free(word);
  return status;
}

static rattle_status read_times(sweep_plan *plan, const char *text, const rattle_model *model,
                                rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(model);
  plan->start = wishes->start_time, plan->stop = wishes->stop, plan->steps = wishes->steps,
  plan->every = wishes->every;
  double stop = (double)NAN, step = (double)NAN;
  long long steps = 0;
  rattle_status status = number(text, "step", &step, 0, error);
  if (!isnan(step))
    plan->step = step;
  else if (plan->step == 0)
    plan->step = wishes->step, plan->wished |= RATTLE_WISHED_STEP;
  if (!status) status = number(text, "stop", &stop, 0, error);
  if (!status) status = integer(text, "steps", &steps, 0, error);
  if (!status) status = integer(text, "every", &plan->every, 1, error);
  if (status) return status;
  if (!isnan(stop) && steps > 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--stop and --steps exclude each other; give one of them");
  if (isnan(stop) && steps == 0) plan->wished |= RATTLE_WISHED_TIMES;
  if (!isnan(stop)) plan->stop = stop, plan->steps = -1;
  if (steps > 0) plan->stop = (double)NAN, plan->steps = steps;
  if (plan->steps > 0) plan->stop = (double)NAN;
  if (plan->step == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "no time step: pass --step H, or write integrate { step = ... } in the model");
  if (isnan(plan->stop) && plan->steps < 1)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "no end time: pass --stop T or --steps N, or write integrate { stop = ... } in the model");
  return RATTLE_OK;
}

rattle_status sweep_steps(const sweep_plan *plan, double h, long long *steps, rattle_error *error) {
  *steps = plan->steps;
  return isnan(plan->stop) ? RATTLE_OK : cli_count_steps(plan->start, plan->stop, h, steps, error);
}

/* "ends,summary,observables,events,samples,chaos,extremes" */
static rattle_status read_keep(sweep_plan *plan, const char *text, rattle_error *error) {
  static const struct {
    const char *name;
    int keep, ends, observables;
  } words[] = {{"ends", 0, 1, 0},
               {"summary", RATTLE_KEEP_ERRORS, 0, 0},
               {"observables", 0, 0, 1},
               {"events", RATTLE_KEEP_EVENTS, 0, 0},
               {"samples", RATTLE_KEEP_SAMPLES, 0, 0},
               {"chaos", RATTLE_KEEP_CHAOS, 0, 0},
               {"extremes", RATTLE_KEEP_EXTREMES, 0, 0}};
  const int known = sizeof words / sizeof *words;
  char *given = sweep_plan_word(text, "keep"), *word = sweep_plan_word(text, "columns"),
       *rest = NULL;
  long long events = 0;
  rattle_status status = RATTLE_OK;
  plan->columns = word;
  plan->ends = plan->observables = !given, plan->keep = given ? 0 : RATTLE_KEEP_ERRORS;
  for (char *one = given ? strtok_r(given, ",", &rest) : NULL; one && !status;
       one = strtok_r(NULL, ",", &rest)) {
    int i = 0;
    while (i < known && strcmp(one, words[i].name) != 0) i++;
    if (i < known)
      plan->keep |= words[i].keep, plan->ends |= words[i].ends,
          plan->observables |= words[i].observables;
    if (i < known && words[i].keep == RATTLE_KEEP_EVENTS) events = 16;
    if (i == known)
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         "--keep %s: expected some of ends, summary, observables, events, samples, "
                         "chaos, extremes",
                         one);
  }
  free(given);
  if (!status) status = integer(text, "events", &events, 0, error);
  if (!status && events > 1000000)
    status =
        text_fail(error, RATTLE_BAD_ARGUMENT, "--events %lld: expected at most 1000000", events);
  plan->events = (int)events;
  if (events) plan->keep |= RATTLE_KEEP_EVENTS;
  return status;
}

static rattle_status read_at(sweep_plan *plan, const char *text, rattle_error *error) {
  char *word = sweep_plan_word(text, "at");
  sweep_spec spec = {0};
  if (!word) return RATTLE_OK;
  rattle_status status = sweep_read_list(&spec, word, "--at", MOST_TIMES, error);
  if (!status && spec.count > MOST_TIMES)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--at: more than %d times", MOST_TIMES);
  for (long long k = 1; k < spec.count && !status; k++)
    if (!((spec.value[k] - spec.value[k - 1]) * plan->step > 0))
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         "--at %s: the times must follow one another in the direction of the step",
                         word);
  if (!status && !((spec.value[0] - plan->start) * plan->step >= 0))
    status =
        text_fail(error, RATTLE_BAD_ARGUMENT, "--at %s: the first time is before the start", word);
  plan->at = spec.value, plan->ats = (int)spec.count;
  plan->keep |= RATTLE_KEEP_EVENTS;
  free(word);
  return status;
}

/* How many cases there are. */
static rattle_status count_cases(sweep_plan *plan, const char *text, rattle_error *error) {
  static const char *const designs[] = {"random", "lhs", "sobol"};
  char *word = sweep_plan_word(text, "design");
  long long seed = 0, count = 1;
  int design = 0;
  while (word && design < 3 && strcmp(word, designs[design]) != 0) design++;
  rattle_status status = design == 3 ? text_fail(error, RATTLE_BAD_ARGUMENT,
                                                 "--design %s: expected random, lhs or sobol", word)
                                     : RATTLE_OK;
  free(word);
  if (!status) status = integer(text, "count", &count, 1, error);
  if (!status) status = integer(text, "seed", &seed, 0, error);
  if (status) return status;
  plan->design = (sweep_design)design, plan->seed = (unsigned long long)seed, plan->count = count;
  char *counted = sweep_plan_word(text, "count");
  const int given = counted != NULL;
  free(counted);
  if (plan->draws && !given)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "values are drawn from a law: pass --count N, how many times for each point of the grid");
  if (!plan->draws && count > 1)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "--count %lld: no value is drawn from a law, as in --start \"x~normal(0,0.1)\"", count);
  if (design == SWEEP_SOBOL && (plan->draws > RATTLE__MOST_SOBOL || count > 4294967296))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--design sobol: at most %d values can be drawn, 4294967296 times; use lhs",
                     RATTLE__MOST_SOBOL);
  plan->extent = calloc((size_t)plan->axes + 1, sizeof *plan->extent);
  if (!plan->extent) return text_no_memory(error);
  double cases = (double)count;
  plan->grid = 1;
  for (int i = 0; i < plan->quantities; i++)
    if (plan->quantity[i].axis >= 0)
      plan->extent[plan->quantity[i].axis] = plan->quantity[i].spec.count;
  for (int axis = 0; axis < plan->axes; axis++) {
    cases *= (double)plan->extent[axis];
    if (cases <= (double)plan->most) plan->grid *= plan->extent[axis];
  }
  if (cases > (double)plan->most)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%.3g cases: at most %lld can be", cases,
                     plan->most);
  plan->cases = plan->grid * count;
  return RATTLE_OK;
}

rattle_status sweep_plan_read(sweep_plan *plan, const char *text, const char *list,
                              const rattle_problem *problem, long long most, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(problem);
  char *project = sweep_plan_word(text, "project"), *certify = sweep_plan_word(text, "certify");
  *plan = (sweep_plan){.project = project != NULL,
                       .certify = certify || rattle_model_wishes(model)->certify,
                       .most = most};
  free(project), free(certify);
  rattle_status status = list[0] ? sweep_read_cases(plan, list, model, error) : RATTLE_OK;
  if (!status) status = read_words(plan, text, "set", model, error);
  if (!status) status = read_words(plan, text, "start", model, error);
  if (!status) status = read_methods(plan, text, problem, error);
  if (!status) status = read_step_list(plan, text, model, error);
  if (!status) status = read_times(plan, text, model, error);
  if (!status) status = read_keep(plan, text, error);
  if (!status) status = read_at(plan, text, error);
  return status ? status : count_cases(plan, text, error);
}

void sweep_plan_free(sweep_plan *plan) {
  for (int i = 0; i < plan->quantities; i++)
    free(plan->quantity[i].name), free(plan->quantity[i].spec.value);
  for (int i = 0; i < plan->methods; i++) free(plan->method[i]);
  free(plan->quantity), free(plan->extent), free(plan->method), free(plan->adapts), free(plan->at),
      free(plan->columns);
  *plan = (sweep_plan){0};
}

/* A point of the unit cube: of the random design one of its own for each case, of the others the
 * same for each point of the grid. */
static double coordinate(const sweep_plan *plan, int axis, long long number) {
  const uint64_t seed = (uint64_t)plan->seed, k = (uint64_t)(number % plan->count);
  if (plan->design == SWEEP_HYPERCUBE)
    return rattle__hypercube_point(seed, axis, k, (uint64_t)plan->count);
  if (plan->design == SWEEP_SOBOL) return rattle__sobol_point(seed, axis, k);
  return rattle__random_point(seed, axis, (uint64_t)number);
}

double sweep_value(const sweep_plan *plan, int i, long long number) {
  const sweep_quantity *own = &plan->quantity[i];
  if (own->axis < 0) {
    int axis = 0;
    for (int k = 0; k < i; k++) axis += plan->quantity[k].axis < 0;
    return sweep_draw(&own->spec, coordinate(plan, axis, number));
  }
  long long index = number / plan->count;
  for (int axis = plan->axes - 1; axis > own->axis; axis--) index /= plan->extent[axis];
  return own->spec.value[index % plan->extent[own->axis]];
}
