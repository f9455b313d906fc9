#include "held.h"

#include <math.h>

#include "base/cli.h"
#include "commands/sweep.h"
#include "many/markov/markov.h"
#include "many/sweep/sweep.h"
#include "pages/report/page.h"
#include "words/error.h"

struct held held;
struct rattle_cases {
  char unused;
};
static rattle_cases the_file;

char *held_cut(char *text) {
  for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (!strncmp(line, "---\n", 4)) {
      *line = 0;
      return line + 4;
    }
  return text + strlen(text);
}

int held_add_column(int c, const char *name, int width) {
  if (c >= HELD_COLUMNS || width < 1 || width > HELD_WIDTH - held.width) return 0;
  snprintf(held.name[c], sizeof held.name[c], "%s", name);
  held.column[c] = (rattle_cases_column){held.name[c], width};
  held.about.column = held.column, held.about.columns = c + 1;
  held.width += width;
  return 1;
}

/* ---- in place of the library's ---- */

rattle_status rattle_cases_create(rattle_cases **cases, const char *path,
                                  const rattle_cases_about *about, int force, rattle_error *error) {
  (void)path, (void)force, (void)error;
  held.width = 0, held.about.cases = about->cases;
  for (int c = 0; c < about->columns; c++)
    if (!held_add_column(c, about->column[c].name, about->column[c].width)) abort();
  if (about->cases < 1 || about->cases > HELD_CASES) abort();
  memset(held.there, 0, sizeof held.there);
  *cases = &the_file;
  return RATTLE_OK;
}

rattle_status rattle_cases_open(rattle_cases **cases, const char *path, rattle_error *error) {
  (void)path, (void)error;
  *cases = &the_file;
  return RATTLE_OK;
}

rattle_status rattle_cases_append(rattle_cases **cases, const char *path, rattle_error *error) {
  return rattle_cases_open(cases, path, error);
}

const rattle_cases_about *rattle_cases_about_of(const rattle_cases *cases) {
  (void)cases;
  return &held.about;
}

int rattle_cases_width(const rattle_cases *cases) {
  (void)cases;
  return held.width;
}

rattle_status rattle_cases_put(rattle_cases *cases, long long number, const double *row,
                               rattle_error *error) {
  (void)cases, (void)error;
  if (number < 0 || number >= held.about.cases) abort();
  memcpy(held.row + number * held.width, row, (size_t)held.width * sizeof *row);
  held.there[number] = 1;
  return RATTLE_OK;
}

rattle_status rattle_cases_get(const rattle_cases *cases, long long first, long long count,
                               double *row, signed char *there, rattle_error *error) {
  (void)cases, (void)error;
  if (first < 0 || count < 0 || first > held.about.cases - count) abort();
  for (long long k = 0; k < count; k++) {
    if (there) there[k] = held.there[first + k];
    for (int i = 0; i < held.width && row; i++)
      row[k * held.width + i] =
          held.there[first + k] == 1 ? held.row[(first + k) * held.width + i] : (double)NAN;
  }
  return RATTLE_OK;
}

rattle_status rattle_cases_flush(rattle_cases *cases, rattle_error *error) {
  (void)cases, (void)error;
  return RATTLE_OK;
}

int rattle_cases_written(const rattle_cases *cases) {
  (void)cases;
  return 0;
}

rattle_status rattle_cases_close(rattle_cases **cases, rattle_error *error) {
  (void)error;
  *cases = NULL;
  return RATTLE_OK;
}

/* ---- commands ---- */

static const cli_option options[] = {
    {"stop", 0, "T", ""},   CLI_STOP_AFTER_OPTION, CLI_SUMMARY_OPTIONS,
    {"csv", 0, "FILE", ""}, CLI_FORCE_OPTION,      {"threads", 0, "N", ""},
    CLI_EVALUATOR_OPTION,   CLI_PLUGIN_OPTION,     {NULL, 0, NULL, NULL}};
static const cli_command command = {"fuzz", "FILE", "", 1, 1, "", options, NULL};

/* What is said is no finding: libFuzzer and the sanitizers have streams of their own. */
static void be_silent(void) {
  static FILE *nowhere;
  if (nowhere) return;
  nowhere = fopen("/dev/null", "w");
  if (!nowhere) abort();
  stdout = stderr = nowhere;
}

static cli_args words(int count, const char *const *word) {
  cli_args args;
  rattle_error error;
  be_silent();
  if (cli_args_read(&args, &command, count, (char **)word, &error)) abort();
  return args;
}

static void need_sentence(rattle_status status, const rattle_error *error) {
  if (status && !error->message[0]) abort();
}

static void info(int count, const char *const *word) {
  cli_args args = words(count, word);
  rattle_error error = {0};
  if (!cli_sweep_info(&args, &error)) abort();
  need_sentence(error.status, &error);
  cli_args_free(&args);
}

static void page_of_samples(void) {
  rattle_error error = {0};
  markov_seen seen;
  const rattle_status status = markov_read(&seen, &the_file, "FILE", &error);
  need_sentence(status, &error);
  if (status) return;
  const rattle_sampling_result *r = &seen.result;
  if (r->draws) {
    json_writer json = {.out = stdout, .page = 1};
    report_blob blob = {.out = stdout};
    const report_sampling s = {.path = "FILE",
                               .about = &held.about,
                               .result = r,
                               .draws = seen.draws,
                               .counts = markov_total(r),
                               .doubts = 0,
                               .rhat_limit = RATTLE_RHAT_LIMIT,
                               .effective_limit = RATTLE_EFFECTIVE_LIMIT};
    (void)markov_doubts_of(r);
    (void)report_put_sampling(&json, &blob, &s, &error);
  }
  markov_drop(&seen);
}

static void page_of_sweep(void) {
  rattle_error error = {0};
  sweep_survey survey = {0};
  json_writer json = {.out = stdout, .page = 1};
  report_blob blob = {.out = stdout};
  rattle_status status = sweep_survey_make(&survey, &the_file, &error);
  if (!status)
    status = report_put_sweep(&json, &blob, &(report_sweep){"FILE", &the_file, &survey}, &error);
  need_sentence(status, &error);
  sweep_survey_free(&survey);
}

void held_show(void) {
  static const char *const text[] = {"FILE"}, *const json[] = {"FILE", "--json", "--csv",
                                                               "/dev/null", "--force"};
  info(1, text), info(5, json);
  if (markov_is_file(&the_file))
    page_of_samples();
  else
    page_of_sweep();
}

int held_resume(void) {
  static const char *const word[] = {"FILE", "--threads", "1", "--evaluator", "block"};
  cli_args args = words(5, word);
  int exit_status = -1;
  if (!cli_sweep_resume(&args, &exit_status)) abort();
  cli_args_free(&args);
  return exit_status;
}
