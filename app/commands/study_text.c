/* A study as text: tables in columns, and conclusions. */

#include "commands/study.h"

static void print_head(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  char line[1024];
  cli_print_title(out, r->title, report->model_path);
  cli_print(out, "  study        %s", r->kind_name);
  if (r->methods) cli_print(out, ", time %.10g to %.10g", r->start, r->stop);
  putc('\n', out);
  cli_print_start(r->model_text);
  if (!r->reference.method[0]) return;
  fputs("  reference    ", out);
  snprintf(line, sizeof line, "%s, step %.3g: relative error %.1e, by halving the step",
           r->reference.method, r->reference.step, r->reference.error);
  cli_study_words(out, 15, 15, line);
}

static const cli_study_teller *const tellers[] = {
    [RATTLE_STUDY_ORDER] = &cli_study_tells_order,
    [RATTLE_STUDY_DRIFT] = &cli_study_tells_drift,
    [RATTLE_STUDY_WORK] = &cli_study_tells_work,
    [RATTLE_STUDY_COMPARE] = &cli_study_tells_compare,
    [RATTLE_STUDY_ADVISE] = &cli_study_tells_advise,
    [RATTLE_STUDY_LYAPUNOV] = &cli_study_tells_lyapunov,
    [RATTLE_STUDY_ORBIT] = &cli_study_tells_orbit,
    [RATTLE_STUDY_FAMILY] = &cli_study_tells_family,
    [RATTLE_STUDY_EQUILIBRIUM] = &cli_study_tells_statics,
    [RATTLE_STUDY_MODES] = &cli_study_tells_statics};

void cli_study_text(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  print_head(report, out);
  for (int i = 0; i < r->methods; i++) {
    if (r->method[i].tables == 0 || !tellers[r->kind]->method) continue;
    cli_print(out, "\n%s\n", r->method[i].method);
    tellers[r->kind]->method(&r->method[i], r->m > 0, out);
  }
  tellers[r->kind]->all(r, out);
  if (r->note[0]) {
    fputs("  note         ", out);
    cli_study_words(out, 15, 15, r->note);
  }
  if (report->record_path) cli_print(out, "  record       %s\n", report->record_path);
}
