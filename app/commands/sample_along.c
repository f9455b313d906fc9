/* rattle sample --along: samples at values of a parameter, and the free energy along it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many/markov/along.h"
#include "commands/sample.h"
#include "many/sweep/sweep.h"

typedef struct along_run {
  const cli_args *args;
  rattle_parameter *parameter; /* those given, and the one that varies, the last */
  char *name;
  sweep_spec values;
  along_point *point;
  char title[256], method[512];
  sample_plan plan; /* of the last value */
  double temperature;
} along_run;

/* NAME=VALUES */
static rattle_status read(along_run *a, rattle_error *error) {
  const char *text = cli_text(a->args, "along"), *sign = strchr(text, '=');
  if (!sign || sign == text)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--along %s: expected NAME=FROM:TO:BY or NAME=A,B,C", text);
  a->name = strndup(text, (size_t)(sign - text));
  a->parameter = calloc((size_t)a->args->parameters + 1, sizeof *a->parameter);
  if (!a->name || !a->parameter) return text_no_memory(error);
  if (a->args->parameters)
    memcpy(a->parameter, a->args->parameter, (size_t)a->args->parameters * sizeof *a->parameter);
  rattle_status status = sweep_read_list(&a->values, sign + 1, "--along", SWEEP_MOST_VALUES, error);
  if (status) return status;
  const double *s = a->values.value;
  for (long long i = 1; i < a->values.count; i++)
    if (!((s[i] - s[i - 1]) * (s[1] - s[0]) > 0))
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--along %s: the values must ascend or descend",
                       text);
  if (a->values.count < 2)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--along %s: give two values or more", text);
  a->point = calloc((size_t)a->values.count, sizeof *a->point);
  return a->point ? RATTLE_OK : text_no_memory(error);
}

static rattle_status load(along_run *a, double value, cli_session *session, rattle_error *error) {
  a->parameter[a->args->parameters] = (rattle_parameter){a->name, value};
  const rattle_model_options with = {.struct_size = sizeof with,
                                     .parameters = a->parameter,
                                     .parameter_count = a->args->parameters + 1};
  return cli_session_load(session, a->args, a->args->operand[0], NULL, &with, error);
}

/* Both free energies are means over the surface measure. */
static rattle_status check_measure(const char *text, rattle_error *error) {
  rattle_method *method = NULL;
  rattle_status status = rattle_method_parse(&method, text, error);
  if (!status && strstr(rattle_method_text(method), "measure=delta"))
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--along: free energies are means over measure=surface, F delta too: omit "
                       "measure=delta from %s",
                       text);
  rattle_method_destroy(&method);
  return status;
}

/* Chains of the i-th value have numbers of their own: what they draw does not depend on that of
 * others. */
static rattle_status sample_at(along_run *a, long long i, cli_session session[3],
                               rattle_sampling **sampling, rattle_error *error) {
  const double *s = a->values.value, between = fabs(i ? s[i] - s[i - 1] : s[1] - s[0]),
               half = 1e-4 * between;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 3 && !status; k++)
    status = load(a, s[i] + (k - 1) * half, &session[k], error);
  if (!status) status = cli_sample_plan_read(a->args, &session[1], &a->plan, error);
  if (!status) status = check_measure(a->plan.method, error);
  if (status) return status;
  a->plan.sampling.multipliers = 1;
  a->plan.chain.chain = i * a->plan.sampling.chains;
  a->plan.sampling.interrupt = cli_catch_signals();
  status = rattle_sampling_create(sampling, session[1].problem, &a->plan.sampling, error);
  if (status) return status;
  const rattle_sampling_result *r = rattle_sampling_result_of(*sampling);
  const along_ends ends = {session[0].problem, session[2].problem, half};
  const char *title = rattle_model_title(session[1].model);
  a->temperature = r->temperature;
  a->point[i].s = s[i];
  snprintf(a->title, sizeof a->title, "%s", title ? title : "");
  snprintf(a->method, sizeof a->method, "%s", r->method);
  return along_measure(&a->point[i], r, &ends, error);
}

static rattle_status sample_all(along_run *a, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (long long i = 0; i < a->values.count && !status; i++) {
    cli_session session[3] = {{0}};
    rattle_sampling *sampling = NULL;
    free(a->plan.starts), free(a->plan.method);
    a->plan = (sample_plan){.sampling.struct_size = sizeof a->plan.sampling,
                            .chain.struct_size = sizeof a->plan.chain};
    status = sample_at(a, i, session, &sampling, error);
    rattle_sampling_destroy(&sampling);
    for (int k = 0; k < 3; k++) cli_session_end(&session[k]);
  }
  return status;
}

int cli_sample_along(const cli_args *args) {
  along_run a = {.args = args};
  cli_place place = {0};
  rattle_error error = {0};
  const char *csv = cli_text(args, "csv"), *inputs[] = {args->operand[0], NULL};
  const int json = cli_flag(args, "json");
  double doubt = 0;
  rattle_status status = cli_check_input(args->operand[0], &error);
  if (!status && cli_flag(args, "output"))
    status = text_fail(&error, RATTLE_BAD_ARGUMENT,
                       "--along has no file of samples: use --csv for its table, or omit -o");
  if (!status && csv) status = cli_check_output(csv, cli_flag(args, "force"), inputs, &error);
  if (!status && csv) status = cli_take_place(&place, csv, cli_flag(args, "force"), &error);
  if (!status) status = cli_stop_after(args, &error);
  if (!status) status = read(&a, &error);
  if (!status) status = sample_all(&a, &error);
  if (!status) along_integrate(a.point, a.values.count, a.temperature, &doubt);
  if (!status && csv) {
    cli_open_place(&place);
    status = along_write_csv(csv, a.point, a.values.count, &error);
  }
  if (csv) cli_leave_place(&place);
  const along_about about = {a.title,          args->operand[0], a.name, a.method,
                             &a.plan.sampling, a.temperature,    doubt};
  if (!status && json) along_print_json(&about, a.point, a.values.count);
  if (!status && !json) along_print(&about, a.point, a.values.count);
  free(a.plan.starts), free(a.plan.method);
  free(a.point), free(a.values.value), free(a.parameter), free(a.name);
  return status ? cli_end_badly(args, &error, json) : CLI_DONE;
}
