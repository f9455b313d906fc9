/* The page of a sweep: its plan, how its cases ended, figures of the columns, a histogram of each,
 * and a heat map where the first two columns are axes of a grid. One file without scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/index.h"
#include "many/sweep/page.h"
#include "words/text.h"

enum { BLOCK = 512, BINS = 24, MOST_AXIS = 200, MOST_FIGURES = 60 };

/* The figures of the page. */
typedef struct sweep_drawings {
  long long *bin;            /* [width*BINS] */
  double axis[2][MOST_AXIS]; /* different values of the first two columns, ascending */
  int count[2];              /* 0: too many for a heat map */
  double *sum;               /* [count[1]*count[0]*2] sum and number of the values in a cell */
  int of;                    /* place in a row of what colours show; -1: no heat map */
  int at_status;
} sweep_drawings;

typedef void (*row_of_page)(sweep_drawings *d, const sweep_survey *survey, const double *row,
                            int width);

/* Each row of a case that ended well. */
static rattle_status each_row(sweep_drawings *d, const sweep_survey *survey,
                              const rattle_cases *cases, row_of_page act, rattle_error *error) {
  const long long all = rattle_cases_about_of(cases)->cases;
  const int width = rattle_cases_width(cases);
  double *row = malloc((size_t)BLOCK * (size_t)width * sizeof *row);
  signed char there[BLOCK];
  rattle_status status = row ? RATTLE_OK : text_no_memory(error);
  for (long long k = 0; k < all && !status; k += BLOCK) {
    const long long count = all - k < BLOCK ? all - k : BLOCK;
    status = rattle_cases_get(cases, k, count, row, there, error);
    for (long long i = 0; i < count && !status; i++)
      if (there[i] == 1 && (d->at_status < 0 || row[i * width + d->at_status] == 0))
        act(d, survey, row + i * width, width);
  }
  free(row);
  return status;
}

/* The place of a value in an axis, or where it belongs. */
static int place_in(const sweep_drawings *d, int a, double value) {
  int k = 0;
  while (k < d->count[a] && d->axis[a][k] < value) k++;
  return k;
}

static void count_row(sweep_drawings *d, const sweep_survey *survey, const double *row, int width) {
  for (int i = 0; i < width; i++) {
    const sweep_figures *f = &survey->figures[i];
    const int bin = rattle__cell(row[i], f->low, f->high, BINS);
    if (bin >= 0) d->bin[(size_t)i * BINS + (size_t)bin]++;
  }
  for (int a = 0; a < 2 && d->of >= 0; a++) {
    const int k = place_in(d, a, row[a]);
    if (k < d->count[a] && d->axis[a][k] == row[a]) continue;
    if (d->count[a] == MOST_AXIS || !isfinite(row[a])) {
      d->of = -1;
      continue;
    }
    memmove(&d->axis[a][k + 1], &d->axis[a][k], (size_t)(d->count[a] - k) * sizeof d->axis[a][k]);
    d->axis[a][k] = row[a], d->count[a]++;
  }
}

static void add_row(sweep_drawings *d, const sweep_survey *survey, const double *row, int width) {
  (void)survey, (void)width;
  const size_t cell = (size_t)(place_in(d, 1, row[1]) * d->count[0] + place_in(d, 0, row[0]));
  if (isfinite(row[d->of])) d->sum[2 * cell] += row[d->of], d->sum[2 * cell + 1] += 1;
}

/* The first column that is neither an input nor one that every sweep has. */
static int first_result(const rattle_cases_about *about) {
  static const char *const others[] = {"method", "step", "status", "time", "steps",  "energy_error",
                                       "g",      "psi",  "H",      "work", "balance"};
  for (int c = 0, at = 0; c < about->columns; at += about->column[c++].width) {
    int known = about->column[c].width > 1 || !strncmp(about->column[c].name, "set:", 4) ||
                !strncmp(about->column[c].name, "start:", 6);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
      known |= !strcmp(about->column[c].name, others[i]);
    if (!known) return at;
  }
  return sweep_find_place(about, "energy_error");
}

static int is_input(const rattle_cases_column *column) {
  return !strncmp(column->name, "set:", 4) || !strncmp(column->name, "start:", 6) ||
         !strcmp(column->name, "step");
}

static const char *name_at(const rattle_cases_about *about, int place) {
  int c = 0;
  for (int at = 0; c + 1 < about->columns && at + about->column[c].width <= place; c++)
    at += about->column[c].width;
  return about->column[c].name;
}

/* ---- the page ---- */

static void put_histogram(FILE *out, const char *name, const sweep_figures *f,
                          const long long *bin) {
  long long most = 1;
  for (int b = 0; b < BINS; b++) most = bin[b] > most ? bin[b] : most;
  fputs("<figure><svg viewBox='0 0 240 110' role='img'>", out);
  for (int b = 0; b < BINS; b++)
    fprintf(out, "<rect x='%d' y='%.2f' width='10' height='%.2f'><title>%lld</title></rect>",
            10 * b, 100 - 100 * (double)bin[b] / (double)most, 100 * (double)bin[b] / (double)most,
            bin[b]);
  fputs("<line x1='0' y1='100' x2='240' y2='100'/></svg><figcaption>", out);
  text_put_html(out, name);
  fprintf(out, ": %.4g to %.4g</figcaption></figure>\n", f->low, f->high);
}

/* The colours of rattle plot's heat maps. */
static void put_colour(FILE *out, double part) {
  static const int colour[5][3] = {{0x00, 0x20, 0x4D},
                                   {0x41, 0x4D, 0x6B},
                                   {0x7C, 0x7B, 0x78},
                                   {0xBC, 0xAF, 0x6F},
                                   {0xFF, 0xEA, 0x46}};
  const double at = 4 * fmin(fmax(part, 0), 1);
  const int k = at >= 4 ? 3 : (int)at;
  int mixed[3];
  for (int i = 0; i < 3; i++)
    mixed[i] = (int)lrint(colour[k][i] + (at - k) * (colour[k + 1][i] - colour[k][i]));
  fprintf(out, "#%02X%02X%02X", mixed[0], mixed[1], mixed[2]);
}

static void put_heat(FILE *out, const rattle_cases_about *about, const sweep_drawings *d) {
  const int columns = d->count[0], rows = d->count[1];
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < columns * rows; i++) {
    const double mean = d->sum[2 * i] / d->sum[2 * i + 1];
    if (d->sum[2 * i + 1] > 0) low = fmin(low, mean), high = fmax(high, mean);
  }
  fprintf(out,
          "<h2>Means over the grid</h2>\n<figure class='heat'><svg viewBox='0 0 %d %d' "
          "preserveAspectRatio='none' role='img'>",
          columns, rows);
  for (int i = 0; i < columns * rows; i++) {
    const double mean = d->sum[2 * i] / d->sum[2 * i + 1];
    if (!(d->sum[2 * i + 1] > 0)) continue;
    fprintf(out, "<rect x='%d' y='%d' width='1' height='1' style='fill:", i % columns,
            rows - 1 - i / columns);
    put_colour(out, high > low ? (mean - low) / (high - low) : 0.5);
    fprintf(out, "'><title>%.6g, %.6g: %.6g</title></rect>", d->axis[0][i % columns],
            d->axis[1][i / columns], mean);
  }
  fputs("</svg><figcaption>", out);
  text_put_html(out, name_at(about, d->of));
  fprintf(out, ", dark %.4g to light %.4g, over ", low, high);
  text_put_html(out, about->column[0].name);
  fprintf(out, " to the right (%.4g to %.4g) and ", d->axis[0][0], d->axis[0][columns - 1]);
  text_put_html(out, about->column[1].name);
  fprintf(out, " upwards (%.4g to %.4g)</figcaption></figure>\n", d->axis[1][0],
          d->axis[1][rows - 1]);
}

static void put_table(FILE *out, const rattle_cases_about *about, const sweep_survey *survey) {
  fputs("<h2>Columns</h2>\n<table><tr><th>column<th>mean<th>deviation<th>lowest<th>highest</tr>\n",
        out);
  for (int c = 0, at = 0, lines = 0; c < about->columns; at += about->column[c++].width) {
    const sweep_figures *f = &survey->figures[at];
    if (about->column[c].width > 1 || !strcmp(about->column[c].name, "status") || !f->count ||
        lines++ >= MOST_FIGURES)
      continue;
    fputs("<tr><td>", out);
    text_put_html(out, about->column[c].name);
    fprintf(out, "<td>%.6g<td>", f->mean);
    if (f->count > 1) fprintf(out, "%.6g", f->deviation);
    fprintf(out, "<td>%.6g<td>%.6g</tr>\n", f->low, f->high);
  }
  fputs("</table>\n", out);
}

static void put_head(FILE *out, const rattle_cases_about *about, const sweep_survey *survey,
                     const char *path) {
  const char *title = about->title[0] ? about->title : path;
  fputs("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        "content='width=device-width'><title>",
        out);
  text_put_html(out, title);
  fputs("</title>\n<style>body{font:16px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 "
        "1em}td,th{text-align:right;padding:.1em .8em}td:first-child,"
        "th:first-child{text-align:left}figure{display:inline-block;width:15em;margin:.6em}figure."
        "heat{width:30em}svg{width:100%}"
        ".heat svg{height:20em}"
        "rect{fill:#0072B2}line{stroke:#000}figcaption{font-size:.85em}</style></head>\n<body><h1>",
        out);
  text_put_html(out, title);
  fputs("</h1>\n<pre>", out);
  text_put_html(out, about->plan);
  fprintf(out, "</pre>\n<p>%lld cases: %lld done, %lld of them failed, %lld to do.", about->cases,
          survey->there, survey->failed, about->cases - survey->there);
  for (int s = 1; s < RATTLE_STATUS_COUNT; s++)
    if (survey->failures[s])
      fprintf(out, " %s: %lld, the first is case %lld.", rattle_status_name((rattle_status)s),
              survey->failures[s], survey->first[s]);
  fputs("</p>\n", out);
}

static void put_page(FILE *out, const rattle_cases *cases, const sweep_survey *survey,
                     const sweep_drawings *d, const char *path) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  put_head(out, about, survey, path);
  put_table(out, about, survey);
  if (d->of >= 0) put_heat(out, about, d);
  fputs("<h2>Histograms</h2>\n", out);
  for (int c = 0, at = 0, figures = 0; c < about->columns; at += about->column[c++].width) {
    const sweep_figures *f = &survey->figures[at];
    if (about->column[c].width == 1 && f->count && f->high > f->low && figures++ < MOST_FIGURES)
      put_histogram(out, about->column[c].name, f, d->bin + (size_t)at * BINS);
  }
  fputs("<h2>Model</h2>\n<pre>", out);
  text_put_html(out, about->model_text);
  fputs("</pre>\n</body></html>\n", out);
}

rattle_status sweep_write_page(FILE *out, const char *path, rattle_error *error) {
  rattle_cases *cases = NULL;
  sweep_survey survey = {0};
  rattle_status status = rattle_cases_open(&cases, path, error);
  if (status) return status;
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  sweep_drawings *d = calloc(1, sizeof *d);
  status = d ? sweep_survey_make(&survey, cases, error) : text_no_memory(error);
  if (!status) {
    const int grid =
        about->columns > 2 && is_input(&about->column[0]) && is_input(&about->column[1]);
    d->of = grid ? first_result(about) : -1, d->at_status = sweep_find_place(about, "status");
    d->bin = calloc((size_t)rattle_cases_width(cases) * BINS, sizeof *d->bin);
    status = d->bin ? each_row(d, &survey, cases, count_row, error) : text_no_memory(error);
  }
  if (!status && d->of >= 0 && d->count[0] > 1 && d->count[1] > 1) {
    d->sum = calloc((size_t)(2 * d->count[0] * d->count[1]), sizeof *d->sum);
    status = d->sum ? each_row(d, &survey, cases, add_row, error) : text_no_memory(error);
  } else if (!status) {
    d->of = -1;
  }
  if (!status) put_page(out, cases, &survey, d, path);
  if (d) free(d->bin), free(d->sum);
  free(d);
  sweep_survey_free(&survey);
  (void)rattle_cases_close(&cases, &(rattle_error){0});
  return status;
}
