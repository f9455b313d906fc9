/* A study for people: tables in columns, and what follows from them in words. */
#include <math.h>
#include <string.h>

#include "cli/study.h"

enum { RIGHT = 110 };

void cli_study_words(FILE *out, int at, int left, const char *text) {
  int first = 1;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (!first && at + 1 + length > RIGHT) {
      fprintf(out, "\n%*s", left, "");
      at = left;
    } else if (!first) {
      putc(' ', out);
      at++;
    }
    fprintf(out, "%.*s", length, text);
    at += length;
    first = 0;
    text += length;
    text += strspn(text, " ");
  }
  putc('\n', out);
}

void cli_study_cell(FILE *out, int width, const char *format, double value) {
  char text[40];
  snprintf(text, sizeof text, format, value);
  fprintf(out, " %*s", width, isnan(value) ? "-" : text);
}

static void print_head(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  char line[1024];
  fprintf(out, "%s%s%s%s\n", r->title[0] ? r->title : report->model_path, r->title[0] ? " (" : "",
          r->title[0] ? report->model_path : "", r->title[0] ? ")" : "");
  fprintf(out, "  study        %s, time %.10g to %.10g\n", r->kind_name, r->start, r->stop);
  if (!r->reference.method[0]) return;
  fputs("  reference    ", out);
  snprintf(line, sizeof line, "%s, step %.3g: relative error %.1e, by halving the step", r->reference.method, r->reference.step,
           r->reference.error);
  cli_study_words(out, 15, 15, line);
}

void cli_study_slope(char *text, size_t size, const rattle_study_fit *fit) {
  if (!fit || fit->points < 2) {
    snprintf(text, size, "-");
    return;
  }
  int decimals = fit->uncertainty > 0 && isfinite(fit->uncertainty) ? (int)ceil(-log10(fit->uncertainty)) : 2;
  decimals = decimals < 1 ? 1 : decimals > 4 ? 4 : decimals;
  int used = snprintf(text, size, "%.*f", decimals, fit->slope);
  if (isfinite(fit->uncertainty)) snprintf(text + used, size - (size_t)used, " +- %.*f", decimals, fmax(fit->uncertainty, 1e-4));
}

void cli_study_failures(const rattle_study_result *r, const char *table, FILE *out) {
  for (int i = 0; i < r->methods; i++) {
    if (!r->method[i].status || rattle_study_find_table(&r->method[i], table)) continue;
    fprintf(out, "\n%s\n  not studied  ", r->method[i].method);
    cli_study_words(out, 15, 15, r->method[i].message);
  }
}

static const cli_study_teller *const tellers[] = {[RATTLE_STUDY_ORDER] = &cli_study_tells_order,
                                                  [RATTLE_STUDY_DRIFT] = &cli_study_tells_drift,
                                                  [RATTLE_STUDY_WORK] = &cli_study_tells_work,
                                                  [RATTLE_STUDY_COMPARE] = &cli_study_tells_compare,
                                                  [RATTLE_STUDY_ADVISE] = &cli_study_tells_advise};

void cli_study_text(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  print_head(report, out);
  for (int i = 0; i < r->methods; i++) {
    if (r->method[i].tables == 0 || !tellers[r->kind]->method) continue;
    fprintf(out, "\n%s\n", r->method[i].method);
    tellers[r->kind]->method(&r->method[i], r->m > 0, out);
  }
  tellers[r->kind]->all(r, out);
  if (r->note[0]) {
    fputs("  note         ", out);
    cli_study_words(out, 15, 15, r->note);
  }
  if (report->record_path) fprintf(out, "  record       %s\n", report->record_path);
}
