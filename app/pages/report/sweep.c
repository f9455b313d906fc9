/* A sweep in the page: how its cases ended, figures of the columns, and the rows, of very many
 * cases one in so many. */
#include <stdlib.h>
#include <string.h>

#include "many/sweep/sweep.h"
#include "pages/report/page.h"
#include "words/error.h"

enum { BLOCK = 512, MOST_COLUMNS = 60, NUMBERS = 200000 };

/* The rows that the page has, by columns. */
typedef struct shown {
  long long every, count; /* one case in so many; how many of them have a row */
  int columns, at[MOST_COLUMNS], name[MOST_COLUMNS]; /* places in a row, numbers of columns */
  double *value;                                     /* [columns*cases that there may be] */
  double *number;                                    /* of the case */
  long long room;
} shown;

static void choose(shown *s, const rattle_cases_about *about) {
  for (int c = 0, at = 0; c < about->columns; at += about->column[c++].width)
    if (about->column[c].width == 1 && s->columns < MOST_COLUMNS)
      s->at[s->columns] = at, s->name[s->columns++] = c;
  const long long most = s->columns ? NUMBERS / s->columns : NUMBERS;
  s->every = (about->cases + most - 1) / most;
  s->room = (about->cases + s->every - 1) / s->every;
}

static rattle_status read_rows(shown *s, const rattle_cases *cases, rattle_error *error) {
  const long long all = rattle_cases_about_of(cases)->cases;
  const int width = rattle_cases_width(cases);
  double *row = malloc((size_t)BLOCK * (size_t)width * sizeof *row);
  signed char there[BLOCK];
  rattle_status status = row ? RATTLE_OK : text_no_memory(error);
  const long long step = s->every < BLOCK ? BLOCK : s->every, each = s->every < BLOCK ? BLOCK : 1;
  for (long long k = 0; k < all && !status; k += step) {
    const long long count = all - k < each ? all - k : each;
    status = rattle_cases_get(cases, k, count, row, there, error);
    for (long long i = 0; i < count && !status; i++) {
      if (there[i] != 1 || (k + i) % s->every || s->count == s->room) continue;
      for (int c = 0; c < s->columns; c++)
        s->value[c * s->room + s->count] = row[i * width + s->at[c]];
      s->number[s->count++] = (double)(k + i);
    }
  }
  free(row);
  return status;
}

static void put_columns(json_writer *json, report_blob *blob, const shown *s,
                        const rattle_cases_about *about, const sweep_survey *survey) {
  json_open(json, "columns", '[');
  for (int c = 0; c < s->columns; c++) {
    const sweep_figures *f = &survey->figures[s->at[c]];
    json_open(json, NULL, '{');
    json_text(json, "name", about->column[s->name[c]].name);
    json_integer(json, "count", f->count);
    json_real(json, "mean", f->mean), json_real(json, "sd", f->deviation);
    json_real(json, "lowest", f->low), json_real(json, "highest", f->high);
    report_json_array(json, "values", report_put_doubles(blob, s->value + c * s->room, s->count));
    json_close(json, '}');
  }
  json_close(json, ']');
}

/* The names of columns that the page has no numbers of. */
static void put_left_out(json_writer *json, const shown *s, const rattle_cases_about *about) {
  json_open(json, "left_out", '[');
  for (int c = 0, k = 0; c < about->columns; c++) {
    if (k < s->columns && s->name[k] == c)
      k++;
    else
      json_text(json, NULL, about->column[c].name);
  }
  json_close(json, ']');
}

static void put_failures(json_writer *json, const sweep_survey *survey) {
  json_open(json, "failures", '[');
  for (int i = 1; i < RATTLE_STATUS_COUNT; i++) {
    if (!survey->failures[i]) continue;
    json_open(json, NULL, '{');
    json_text(json, "name", rattle_status_name((rattle_status)i));
    json_integer(json, "count", survey->failures[i]);
    json_integer(json, "first", survey->first[i]);
    json_close(json, '}');
  }
  json_close(json, ']');
}

rattle_status report_put_sweep(json_writer *json, report_blob *blob, const report_sweep *sweep,
                               rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(sweep->cases);
  const sweep_survey *survey = sweep->survey;
  shown s = {0};
  choose(&s, about);
  s.value = malloc(((size_t)s.columns + 1) * (size_t)s.room * sizeof *s.value);
  if (!s.value) return text_no_memory(error);
  s.number = s.value + (long long)s.columns * s.room;
  const rattle_status status = read_rows(&s, sweep->cases, error);
  json_open(json, NULL, '{');
  report_put_file(json, &(report_file){sweep->path, about->title, about->version, about->created,
                                       about->model_file, about->model_text});
  json_text(json, "plan", about->plan);
  json_bool(json, "list", about->list[0] != 0); /* of cases */
  json_integer(json, "cases", about->cases);
  json_integer(json, "there", survey->there), json_integer(json, "failed_cases", survey->failed);
  json_integer(json, "every", s.every);
  put_left_out(json, &s, about);
  put_failures(json, survey);
  report_json_array(json, "numbers", report_put_doubles(blob, s.number, s.count));
  put_columns(json, blob, &s, about, survey);
  json_close(json, '}');
  free(s.value);
  return status;
}
