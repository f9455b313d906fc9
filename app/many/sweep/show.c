/* The contents of a file of cases: how its cases ended, figures of its columns in the order of the
 * cases, all of it as text, JSON and CSV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/index.h"
#include "many/sweep/ranks.h"
#include "many/sweep/sweep.h"
#include "words/text.h"

enum { BLOCK = 512, MOST_LINES = 40 };

/* B. P. Welford, Technometrics 4 (1962) 419. */
static void count_in(sweep_figures *f, double x) {
  if (!isfinite(x)) return;
  const double from = x - f->mean;
  f->count++;
  const double part = from / (double)f->count;
  f->mean += isfinite(part) ? part : x / (double)f->count - f->mean / (double)f->count;
  f->sum2 += from * (x - f->mean);
  f->low = f->count == 1 || x < f->low ? x : f->low;
  f->high = f->count == 1 || x > f->high ? x : f->high;
  f->deviation = f->count > 1 ? sqrt(f->sum2 / (double)(f->count - 1)) : (double)NAN;
}

static void survey_row(sweep_survey *survey, const double *row, int width, int at_status,
                       long long number) {
  const long long status = at_status < 0 ? 0 : rattle__index(row[at_status], RATTLE_STATUS_COUNT);
  survey->there++;
  if (status < 0) { /* no status that this program knows */
    survey->failed++;
    return;
  }
  if (status) {
    if (!survey->failures[status]++) survey->first[status] = number;
    survey->failed++;
    return;
  }
  for (int i = 0; i < width; i++) count_in(&survey->figures[i], row[i]);
}

rattle_status sweep_survey_make(sweep_survey *survey, const rattle_cases *cases,
                                rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  const int width = rattle_cases_width(cases), at_status = sweep_find_place(about, "status");
  double *row = malloc((size_t)BLOCK * (size_t)width * sizeof *row);
  signed char there[BLOCK];
  *survey = (sweep_survey){.figures = calloc((size_t)width, sizeof *survey->figures)};
  rattle_status status = row && survey->figures ? RATTLE_OK : text_no_memory(error);
  for (long long k = 0; k < about->cases && !status; k += BLOCK) {
    const long long count = about->cases - k < BLOCK ? about->cases - k : BLOCK;
    status = rattle_cases_get(cases, k, count, row, there, error);
    for (long long i = 0; i < count && !status; i++) {
      if (there[i] < 0) survey->damaged++;
      if (there[i] == 1) survey_row(survey, row + i * width, width, at_status, k + i);
    }
  }
  free(row);
  return status;
}

void sweep_survey_free(sweep_survey *survey) {
  free(survey->figures);
  *survey = (sweep_survey){0};
}

int sweep_find_place(const rattle_cases_about *about, const char *name) {
  int found[3] = {-1, -1, -1};
  for (int c = 0, at = 0; c < about->columns; at += about->column[c++].width) {
    const char *own = about->column[c].name;
    if (!strcmp(own, name)) found[0] = at;
    if (!strncmp(own, "set:", 4) && !strcmp(own + 4, name)) found[1] = at;
    if (!strncmp(own, "start:", 6) && !strcmp(own + 6, name)) found[2] = at;
  }
  return found[0] >= 0 ? found[0] : found[1] >= 0 ? found[1] : found[2];
}

static void print_plan(const char *plan) {
  for (const char *line = plan; *line;) {
    const int length = (int)strcspn(line, "\n"), name = (int)strcspn(line, " \n");
    cli_print(stdout, "  %-12.*s %.*s\n", name, line, length - name > 0 ? length - name - 1 : 0,
              line + name + (length > name));
    line += length + (line[length] != 0);
  }
}

static void print_failures(const sweep_survey *survey) {
  int some = 0;
  for (int s = 1; s < RATTLE_STATUS_COUNT; s++) {
    if (!survey->failures[s]) continue;
    cli_print(stdout, "%s%s %lld (the first is case %lld)", some++ ? ", " : "  failed       ",
              rattle_status_name(s), survey->failures[s], survey->first[s]);
  }
  if (some) putchar('\n');
}

void sweep_print_text(const rattle_cases *cases, const sweep_survey *survey, const char *path,
                      const sweep_run *run) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  const long long missing = about->cases - survey->there - survey->damaged;
  cli_print_title(stdout, about->title[0] ? about->title : about->model_file,
                  run ? about->model_file : path);
  print_plan(about->plan);
  cli_print(stdout, "  cases        %lld: %lld done, %lld of them failed, %lld to do", about->cases,
            survey->there, survey->failed, missing);
  if (survey->damaged)
    cli_print(stdout, ", %lld damaged, which rattle resume computes again", survey->damaged);
  putchar('\n');
  print_failures(survey);
  if (run && run->ranks)
    cli_print(stdout, "  ranks        %d, of which those above 0 ran %lld cases\n",
              run->ranks->size, run->others);
  if (run)
    cli_print(stdout, "  wall time    %.3f s, %.3g cases per second\n", run->seconds,
              (double)run->ended / (run->seconds + 1e-9));
  cli_print(stdout, "  %-24s %12s %12s %12s %12s\n", "column", "mean", "deviation", "lowest",
            "highest");
  int lines = 0;
  for (int c = 0, at = 0; c < about->columns; at += about->column[c++].width) {
    const sweep_figures *f = &survey->figures[at];
    if (about->column[c].width > 1 || !strcmp(about->column[c].name, "status") ||
        ++lines > MOST_LINES)
      continue;
    if (f->count > 1)
      cli_print(stdout, "  %-24s %12.5g %12.5g %12.5g %12.5g\n", about->column[c].name, f->mean,
                f->deviation, f->low, f->high);
    else if (f->count)
      cli_print(stdout, "  %-24s %12.5g %12s\n", about->column[c].name, f->mean, "one case");
    else
      cli_print(stdout, "  %-24s %12s\n", about->column[c].name, "none");
  }
  for (int c = 0; c < about->columns; c++)
    if (about->column[c].width > 1 && ++lines <= MOST_LINES)
      cli_print(stdout, "  %-24s %d numbers of each case\n", about->column[c].name,
                about->column[c].width);
  if (lines > MOST_LINES) cli_print(stdout, "  ... (%d columns in all)\n", about->columns);
  if (!run) cli_print(stdout, "  written      %s by rattle %s\n", about->created, about->version);
  if (run) cli_print(stdout, "  record       %s\n", path);
  if (missing + survey->damaged && rattle_cases_written(cases) == 1 && !run)
    cli_print(stdout, "  status       a sweep is writing it\n");
  else if (missing + survey->damaged)
    cli_print_command(stdout, "  continue     ", "rattle resume", path);
}

void sweep_print_json(const rattle_cases *cases, const sweep_survey *survey, const char *path,
                      const sweep_run *run, rattle_status status, const rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  json_writer json = {.out = stdout, .indent = 1};
  json_open(&json, NULL, '{');
  json_text(&json, "sweep", path);
  json_text(&json, "title", about->title);
  json_text(&json, "model", about->model_file);
  json_text(&json, "version", about->version);
  json_text(&json, "created", about->created);
  json_text(&json, "plan", about->plan);
  json_integer(&json, "cases", about->cases);
  json_integer(&json, "done", survey->there);
  json_integer(&json, "failed", survey->failed);
  json_integer(&json, "damaged", survey->damaged);
  if (run) json_real(&json, "wall_seconds", run->seconds);
  if (run && run->ranks)
    json_integer(&json, "ranks", run->ranks->size),
        json_integer(&json, "from_other_ranks", run->others);
  json_open(&json, "failures", '{');
  for (int s = 1; s < RATTLE_STATUS_COUNT; s++)
    if (survey->failures[s]) json_integer(&json, rattle_status_name(s), survey->failures[s]);
  json_close(&json, '}');
  json_open(&json, "columns", '[');
  for (int c = 0, at = 0; c < about->columns; at += about->column[c++].width) {
    const sweep_figures *f = &survey->figures[at];
    const int figures = about->column[c].width == 1 && f->count > 0;
    json_open(&json, NULL, '{');
    json_text(&json, "name", about->column[c].name);
    json_integer(&json, "width", about->column[c].width);
    json_real(&json, "mean", figures ? f->mean : (double)NAN);
    json_real(&json, "deviation", figures ? f->deviation : (double)NAN);
    json_real(&json, "lowest", figures ? f->low : (double)NAN);
    json_real(&json, "highest", figures ? f->high : (double)NAN);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  cli_json_status(&json, status, error);
  json_close(&json, '}');
}

static rattle_status put_head(const rattle_cases_about *about, FILE *out, rattle_error *error) {
  fputs("case", out);
  for (int c = 0; c < about->columns; c++)
    for (int k = 0; k < about->column[c].width; k++) {
      char after[16] = "";
      if (about->column[c].width > 1) snprintf(after, sizeof after, "@%d", k + 1);
      putc(',', out);
      if (text_put_csv(out, about->column[c].name, after)) return text_no_memory(error);
    }
  putc('\n', out);
  return RATTLE_OK;
}

rattle_status sweep_write_csv(const rattle_cases *cases, FILE *out, rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  const int width = rattle_cases_width(cases), at_status = sweep_find_place(about, "status");
  double *row = malloc((size_t)width * sizeof *row);
  rattle_status status = row ? RATTLE_OK : text_no_memory(error);
  if (!status) status = put_head(about, out, error);
  for (long long k = 0; k < about->cases && !status; k++) {
    signed char there;
    status = rattle_cases_get(cases, k, 1, row, &there, error);
    if (status || there != 1) continue;
    fprintf(out, "%lld", k);
    for (int i = 0; i < width; i++) {
      if (i == at_status && row[i] >= 0 && row[i] < RATTLE_STATUS_COUNT)
        fprintf(out, ",%s", rattle_status_name((rattle_status)row[i]));
      else
        fprintf(out, isfinite(row[i]) ? ",%.17g" : ",", row[i]);
    }
    putc('\n', out);
  }
  free(row);
  return status;
}
