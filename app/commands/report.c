/* rattle report: records become one HTML page that opens offline. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "many/markov/markov.h"
#include "base/cli.h"
#include "commands/module.h"
#include "commands/template.h"
#include "pages/report/live.h"
#include "pages/report/report.h"
#include "many/sweep/sweep.h"

static const cli_option options[] = {
    {"output", 'o', "REPORT.html",
     "output page (the name of the first file with .html, in this folder)"},
    {"live", 0, NULL,
     "let the model of the one record run in the page, with sliders (rattle live)"},
    {"force", 0, NULL, "replace an existing page"},
    {"json", 0, NULL, "print one JSON object that describes the page"},
    {"quiet", 0, NULL, "print nothing"},
    {NULL, 0, NULL, NULL}};

/* RUN.h5 gives RUN.html, wherever RUN.h5 is. */
static char *default_name(const char *record) {
  const char *slash = strrchr(record, '/'), *name = slash ? slash + 1 : record,
             *dot = strrchr(name, '.');
  size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name),
         room = length + sizeof ".html";
  char *path = malloc(room);
  if (path) snprintf(path, room, "%.*s.html", (int)length, name);
  return path;
}

/* Files of samples, kept while the page is written. */
typedef struct samples {
  rattle_cases *cases;
  markov_seen seen;
  markov_doubts doubts;
  const char *doubt[MARKOV_DOUBTS];
} samples;

typedef struct page_inputs {
  report_sources sources;
  const char *path[CLI_MOST_OPERANDS];
  report_sampling sampling[CLI_MOST_OPERANDS];
  samples samples[CLI_MOST_OPERANDS];
  report_sweep sweep[CLI_MOST_OPERANDS];
  rattle_cases *cases[CLI_MOST_OPERANDS]; /* of the sweeps */
  sweep_survey survey[CLI_MOST_OPERANDS];
} page_inputs;

static rattle_status read_samples(samples *s, report_sampling *to, const char *path,
                                  rattle_error *error) {
  const rattle_status status = markov_read(&s->seen, s->cases, path, error);
  if (status) return status;
  const rattle_sampling_result *r = &s->seen.result;
  if (!r->draws)
    return text_fail(error, RATTLE_BAD_RECORD,
                     "%s does not have samples of every chain yet; report it later", path);
  s->doubts = markov_doubts_of(r);
  for (int i = 0; i < s->doubts.count; i++) s->doubt[i] = s->doubts.text[i];
  *to = (report_sampling){.path = path,
                          .about = rattle_cases_about_of(s->cases),
                          .result = r,
                          .draws = s->seen.draws,
                          .counts = markov_total(r),
                          .doubt = s->doubt,
                          .doubts = s->doubts.count,
                          .rhat_limit = RATTLE_RHAT_LIMIT,
                          .effective_limit = (double)RATTLE_EFFECTIVE_LIMIT * r->chains};
  return RATTLE_OK;
}

/* An operand: samples, a sweep, or a path of another kind. */
static rattle_status add_input(page_inputs *in, const char *path, rattle_error *error) {
  rattle_cases *cases = NULL;
  if (rattle_cases_open(&cases, path, &(rattle_error){0})) {
    in->path[in->sources.paths++] = path;
    return RATTLE_OK;
  }
  if (markov_is_file(cases)) {
    samples *s = &in->samples[in->sources.samplings];
    s->cases = cases;
    return read_samples(s, &in->sampling[in->sources.samplings++], path, error);
  }
  const int k = in->sources.sweeps++;
  in->cases[k] = cases;
  in->sweep[k] = (report_sweep){path, cases, &in->survey[k]};
  return sweep_survey_make(&in->survey[k], cases, error);
}

static rattle_status write_inputs(FILE *file, const cli_args *args, const report_live *live,
                                  report_outcome *outcome, rattle_error *error) {
  page_inputs *in = calloc(1, sizeof *in);
  if (!in) return text_no_memory(error);
  report_sources *sources = &in->sources;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < args->operands && !status; i++)
    status = add_input(in, args->operand[i], error);
  sources->path = in->path, sources->sampling = in->sampling, sources->live = live;
  sources->sweep = in->sweep;
  if (!status)
    status = report_write(file, cli_template, cli_template_size, sources, outcome, error);
  for (int k = 0; k < sources->sweeps; k++) {
    sweep_survey_free(&in->survey[k]);
    (void)rattle_cases_close(&in->cases[k], &(rattle_error){0});
  }
  for (int k = 0; k < sources->samplings; k++) {
    markov_drop(&in->samples[k].seen);
    (void)rattle_cases_close(&in->samples[k].cases, &(rattle_error){0});
  }
  free(in);
  return status;
}

/* With --live: the model of the one record, which stays open. */
static rattle_status make_live(report_live *live, rattle_record **record, const cli_args *args,
                               rattle_error *error) {
  const char *path = args->operand[0];
  *live = (report_live){.module = cli_module};
  rattle_status status = cli_need_module(error);
  if (!status && args->operands > 1)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--live shows one record: give one file, or leave --live out");
  if (!status) status = rattle_record_open(record, path, error);
  return status ? status : report_live_of(live, path, *record, error);
}

static rattle_status write_page(const char *path, const cli_args *args, const report_live *live,
                                report_outcome *outcome, rattle_error *error) {
  cli_output output;
  rattle_status status = cli_begin_output(&output, path, 1, error);
  if (status) return status;
  status = write_inputs(output.file, args, live, outcome, error);
  return cli_end_output(&output, status, error);
}

static void say(const char *path, const report_outcome *outcome, int json) {
  struct stat there = {0};
  (void)stat(path, &there);
  if (!json) {
    cli_print(stdout, "%s: %lld kB, ", path, ((long long)there.st_size + 999) / 1000);
    if (outcome->runs)
      cli_print(stdout, "%d record%s of %lld sample%s", outcome->runs,
                outcome->runs == 1 ? "" : "s", outcome->samples, outcome->samples == 1 ? "" : "s");
    if (outcome->studies)
      cli_print(stdout, "%s%d stud%s", outcome->runs ? ", " : "", outcome->studies,
                outcome->studies == 1 ? "y" : "ies");
    if (outcome->samplings)
      cli_print(stdout, "%s%d file%s of samples", outcome->runs || outcome->studies ? ", " : "",
                outcome->samplings, outcome->samplings == 1 ? "" : "s");
    if (outcome->sweeps)
      cli_print(stdout, "%s%d sweep%s",
                outcome->runs || outcome->studies || outcome->samplings ? ", " : "",
                outcome->sweeps, outcome->sweeps == 1 ? "" : "s");
    puts("; open it in a browser");
    return;
  }
  json_writer out = {.out = stdout, .indent = 1};
  json_open(&out, NULL, '{');
  json_text(&out, "report", path);
  json_integer(&out, "bytes", (long long)there.st_size);
  json_integer(&out, "records", outcome->runs);
  json_integer(&out, "studies", outcome->studies);
  json_integer(&out, "samplings", outcome->samplings);
  json_integer(&out, "sweeps", outcome->sweeps);
  json_integer(&out, "samples", outcome->samples);
  cli_json_status(&out, RATTLE_OK, NULL);
  json_close(&out, '}');
}

static int report(const cli_args *args) {
  rattle_error error = {0};
  report_outcome outcome = {0};
  report_live live = {0};
  rattle_record *record = NULL;
  const char *inputs[CLI_MOST_OPERANDS + 1] = {NULL};
  int json = cli_flag(args, "json");
  char *named = NULL;
  const char *path = cli_text(args, "output");
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < args->operands && !status; i++) {
    inputs[i] = args->operand[i];
    status = cli_check_input(inputs[i], &error);
  }
  if (!status && !path && !(path = named = default_name(args->operand[0])))
    status = text_fail(&error, RATTLE_NO_MEMORY, "out of memory");
  if (!status) status = cli_check_output(path, cli_flag(args, "force"), inputs, &error);
  const int is_live = cli_flag(args, "live");
  if (!status && is_live) status = make_live(&live, &record, args, &error);
  if (!status) status = write_page(path, args, is_live ? &live : NULL, &outcome, &error);
  rattle_record_close(&record);
  free(live.start);
  if (!status && (json || !cli_flag(args, "quiet"))) say(path, &outcome, json);
  int exit_status = status ? cli_end_badly(args, &error, json) : CLI_DONE;
  free(named);
  return exit_status;
}

const cli_command cli_report_command = {
    "report",
    "FILE.h5...",
    "Makes one HTML page of records, studies, samples and sweeps: motion, errors, method, "
    "command to run it again.",
    1,
    CLI_MOST_OPERANDS,
    "The page is one file that opens offline in any browser and sends nothing. Several records are "
    "drawn over each "
    "other.\n"
    "Records are not changed. A record that is being written is reported up to its latest "
    "samples.\n",
    options,
    report};
