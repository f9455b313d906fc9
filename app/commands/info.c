/* rattle info: prints a record. rattle recover: repairs a record that a killed run left open. */
#include <math.h>
#include <string.h>

#include "commands/study.h"
#include "commands/sweep.h"

static const cli_option info_options[] = {
    CLI_JSON_OPTION,
    {"csv", 0, "FILE", "write the rows of a sweep as CSV too"},
    {"force", 0, NULL, "replace an existing CSV"},
    {NULL, 0, NULL, NULL}};
static const cli_option recover_options[] = {CLI_JSON_OPTION, {NULL, 0, NULL, NULL}};

static void json_figures(json_writer *json, const rattle_record_info *of) {
  JSON_OBJECT("time", RATTLE_RECORD_INFO_TIME);
  json_open(json, "energy", '{');
  RATTLE_RECORD_INFO_ENERGY(JSON_FIELD)
  RATTLE_RECORD_INFO_ERRORS(JSON_FIELD)
  json_close(json, '}');
  JSON_OBJECT("constraint", RATTLE_RECORD_INFO_CONSTRAINT);
  JSON_OBJECT("hidden", RATTLE_RECORD_INFO_HIDDEN);
  JSON_OBJECT("nondegeneracy", RATTLE_RECORD_INFO_NONDEGENERACY);
  cli_json_units(json, of->unit_length, of->unit_time, of->unit_energy);
  RATTLE_RECORD_INFO_COST(JSON_FIELD)
  json_counts(json, &of->counts);
}

static void print_json(const rattle_record_info *of, const char *path) {
  json_writer out = {.out = stdout, .indent = 1}, *json = &out;
  json_open(json, NULL, '{');
  json_text(json, "record", path);
  json_text(json, "title", of->title);
  json_text(json, "model", of->model_file);
  RATTLE_RECORD_INFO_METHOD(JSON_FIELD)
  if (of->plugin[0]) json_text(json, "plugin", of->plugin);
  RATTLE_RECORD_INFO_PROBLEM(JSON_FIELD)
  RATTLE_RECORD_INFO_ORIGIN(JSON_FIELD)
  RATTLE_RECORD_INFO_STEPS(JSON_FIELD)
  json_figures(json, of);
  RATTLE_RECORD_INFO_ENGINE(JSON_FIELD)
  json_parameters(json, of->parameter, of->parameters);
  json_texts(json, "coordinates", of->coordinate_names, of->n);
  json_texts(json, "momenta", of->momentum_names, of->n);
  json_texts(json, "constraints", of->constraint_names, of->m);
  json_texts(json, "observables", of->observable_names, of->observables);
  json_open(json, "events", '{');
  for (int i = 0; i < of->events; i++)
    json_integer(json, of->event_names[i], of->events_so_far->counts[i]);
  json_close(json, '}');
  json_bool(json, "closed", of->closed);
  json_open(json, "run_status", '{');
  json_text(json, "name", of->status_name);
  json_text(json, "message", of->message);
  json_close(json, '}');
  json_texts(json, "warnings", of->warning_texts, of->warnings);
  cli_json_status(json, RATTLE_OK, NULL);
  json_close(json, '}');
}

static void print_names(const char *label, const char *const *names, int count) {
  const int most = 8;
  if (count == 0) return;
  cli_print(stdout, "  %-12s ", label);
  for (int i = 0; i < count && i < most; i++) cli_print(stdout, "%s%s", i ? ", " : "", names[i]);
  if (count > most) cli_print(stdout, ", ... (%d in total)", count);
  putchar('\n');
}

static void print_state(const rattle_record_info *info, const char *path) {
  if (!info->closed) {
    cli_print(stdout,
              "  status       open: a run is writing it, or a killed run left it open (rattle "
              "recover %s)\n",
              path);
    return;
  }
  cli_print(stdout, "  status       %s%s%s\n", info->status_name, info->message[0] ? ": " : "",
            info->message);
  if (info->last_step < info->steps_asked)
    cli_print_command(stdout, "  continue     ", "rattle resume", path);
}

static void print_text(const rattle_record_info *info, const char *path) {
  cli_print_title(stdout, info->title[0] ? info->title : info->model_file, path);
  cli_print(stdout, "  model        %s, sha %.12s\n", info->model_file, info->model_hash);
  if (info->parameters > 0) cli_print(stdout, "  parameters  ");
  for (int i = 0; i < info->parameters; i++)
    cli_print(stdout, " %s=%.17g", info->parameter[i].name, info->parameter[i].value);
  if (info->parameters > 0) putchar('\n');
  cli_print_start(info->model_text);
  cli_print(stdout, "  method       %s%s%s\n", info->method,
            info->plugin[0] ? ", from the plug-in " : "", info->plugin);
  cli_print(stdout, "  problem      %s, n = %d, m = %d\n", info->kind, info->n, info->m);
  print_names("coordinates", info->coordinate_names, info->n);
  print_names("constraints", info->constraint_names, info->m);
  print_names("observed", info->observable_names, info->observables);
  cli_print(stdout, "  time         %.10g to %.10g: ", info->start_time, info->last_time);
  if (!info->adapts)
    cli_print(stdout, "%lld of %lld steps of %.10g\n", info->last_step, info->steps_asked,
              info->step);
  else
    cli_print(stdout, "%lld steps, the first about %.10g\n", info->last_step, info->step);
  cli_print_proofs(stdout, &info->counts);
  cli_print_units(stdout, info->unit_length, info->unit_time, info->unit_energy);
  cli_print(stdout, "  samples      %lld, every %lld step%s\n", info->samples, info->every,
            info->every == 1 ? "" : "s");
  for (int i = 0; i < info->events; i++)
    cli_print(stdout, "%s%s %lld%s", i ? ", " : "  events       ", info->event_names[i],
              info->events_so_far->counts[i], i + 1 < info->events ? "" : "\n");
  cli_print(stdout, "  energy       %.10g at the start; largest error %.2e", info->initial_energy,
            info->energy_max_error);
  if (isfinite(info->energy_max_relative_error))
    cli_print(stdout, " (%.2e of the energies)", info->energy_max_relative_error);
  putchar('\n');
  if (info->m > 0)
    cli_print(stdout, "  residuals    |g| at most %.2e, |psi| at most %.2e\n", info->g_max,
              info->psi_max);
  for (int i = 0; i < info->warnings; i++)
    cli_print(stdout, "  warning      %s\n", info->warning_texts[i]);
  cli_print(stdout, "  written      %s by rattle %s\n", info->created, info->version);
  print_state(info, path);
}

static int info(const cli_args *args) {
  rattle_record *record = NULL;
  rattle_error error = {0};
  int json = cli_flag(args, "json");
  rattle_status status = cli_check_input(args->operand[0], &error);
  if (!status) status = rattle_record_open(&record, args->operand[0], &error);
  if (status == RATTLE_BAD_RECORD && (cli_study_info(args, &error) || cli_sweep_info(args, &error)))
    return error.status ? cli_end_badly(args, &error, json) : CLI_DONE;
  if (status) return cli_end_badly(args, &error, json);
  if (cli_text(args, "csv")) {
    rattle_record_close(&record);
    text_fail(&error, RATTLE_BAD_ARGUMENT,
              "%s is a record; --csv is for sweeps: rattle run writes samples as CSV",
              args->operand[0]);
    return cli_end_badly(args, &error, json);
  }
  const rattle_record_info *what = rattle_record_info_of(record);
  if (json)
    print_json(what, args->operand[0]);
  else
    print_text(what, args->operand[0]);
  rattle_record_close(&record);
  return CLI_DONE;
}

static int recover(const cli_args *args) {
  rattle_error error = {0};
  long long samples = 0;
  int json = cli_flag(args, "json");
  if (cli_check_input(args->operand[0], &error) ||
      rattle_record_recover(args->operand[0], &samples, &error)) {
    cli_sweep_instead(args->operand[0], &error);
    return cli_end_badly(args, &error, json);
  }
  rattle_record *record = NULL;
  if (rattle_record_open(&record, args->operand[0], &error))
    return cli_end_badly(args, &error, json);
  const char *message = rattle_record_info_of(record)->message;
  if (!json) {
    if (message[0]) cli_print(stdout, "%s\n", message);
    cli_print(stdout, "%s is readable and complete: %lld sample%s kept; ", args->operand[0],
              samples, samples == 1 ? "" : "s");
    cli_print_command(stdout, "continue with: ", "rattle resume", args->operand[0]);
    rattle_record_close(&record);
    return CLI_DONE;
  }
  json_writer out = {.out = stdout, .indent = 1};
  json_open(&out, NULL, '{');
  json_text(&out, "record", args->operand[0]);
  json_integer(&out, "samples", samples);
  json_text(&out, "message", message);
  cli_json_status(&out, RATTLE_OK, NULL);
  json_close(&out, '}');
  rattle_record_close(&record);
  return CLI_DONE;
}

const cli_command cli_info = {
    "info",
    "OUT.h5",
    "Prints the contents of a record, a study or a sweep, also while it is being written.",
    1,
    1,
    "",
    info_options,
    info};
const cli_command cli_recover = {
    "recover",
    "OUT.h5",
    "Repairs a record that a killed run left open, so that it can be read and resumed.",
    1,
    1,
    "An intact record is not changed.\n",
    recover_options,
    recover};
