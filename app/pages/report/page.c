/* The page: the template with the title and the data put in. */
#include <stdlib.h>
#include <string.h>

#include "pages/report/live.h"
#include "pages/report/page.h"
#include "words/error.h"
#include "words/text.h"

/* The marks of the template, once each, in this order. */
enum { POLICY, TITLE, DATA, MARKS };
static const char *const marks[MARKS] = {"<!--rattle-policy-->", "<!--rattle-title-->",
                                         "<!--rattle-data-->"};
/* Rights of a page with a model at work besides: WebAssembly, and a worker from a text. */
static const char live_policy[] = " 'wasm-unsafe-eval'; worker-src blob:";

/* The position of `mark` in text[0..size), NULL if it is not there. */
static const char *find_mark(const char *text, size_t size, const char *mark) {
  size_t length = strlen(mark);
  for (size_t i = 0; i + length <= size; i++)
    if (text[i] == '<' && !memcmp(text + i, mark, length)) return text + i;
  return NULL;
}

/* A record or a study, opened once: a record until its run is put, a study until all are. */
typedef struct source {
  const char *path;
  rattle_record *record; /* one of both */
  rattle_study *study;
} source;

static rattle_status open_source(source *s, const char *path, rattle_error *error) {
  if (s->record || s->study) return RATTLE_OK;
  *s = (source){.path = path};
  rattle_status status = rattle_record_open(&s->record, path, error);
  if (status == RATTLE_BAD_RECORD && rattle_study_load(&s->study, path, NULL) == RATTLE_OK)
    status = RATTLE_OK;
  return status;
}

static void close_source(source *s) {
  rattle_record_close(&s->record);
  rattle_study_destroy(&s->study);
}

static rattle_status put_runs(json_writer *json, report_blob *blob, const report_sources *from,
                              source *s, report_outcome *outcome, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  json_open(json, "runs", '[');
  for (int i = 0; i < from->paths && !status; i++) {
    status = open_source(&s[i], from->path[i], error);
    if (status || !s[i].record) continue;
    outcome->runs++, outcome->samples += rattle_record_info_of(s[i].record)->samples;
    if (!rattle_record_info_of(s[i].record)->samples)
      status = text_fail(error, RATTLE_BAD_RECORD, "%s contains no samples yet; report it later",
                         s[i].path);
    else if (from->animation)
      status = report_put_moving(json, blob, s[i].path, s[i].record, error);
    else
      status = report_put_run(json, blob, s[i].path, s[i].record, error);
    close_source(&s[i]);
  }
  json_close(json, ']');
  return status;
}

static rattle_status put_studies(json_writer *json, report_blob *blob, int paths, const source *s,
                                 report_outcome *outcome, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  json_open(json, "studies", '[');
  for (int i = 0; i < paths && !status; i++) {
    if (!s[i].study) continue;
    outcome->studies++;
    status = report_put_study(json, blob, s[i].path, s[i].study, error);
  }
  json_close(json, ']');
  return status;
}

static rattle_status put_samplings(json_writer *json, report_blob *blob,
                                   const report_sources *sources, report_outcome *outcome,
                                   rattle_error *error) {
  rattle_status status = RATTLE_OK;
  json_open(json, "samplings", '[');
  for (int i = 0; i < sources->samplings && !status; i++, outcome->samplings++)
    status = report_put_sampling(json, blob, &sources->sampling[i], error);
  json_close(json, ']');
  return status;
}

static rattle_status put_sweeps(json_writer *json, report_blob *blob, const report_sources *sources,
                                report_outcome *outcome, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  json_open(json, "sweeps", '[');
  for (int i = 0; i < sources->sweeps && !status; i++, outcome->sweeps++)
    status = report_put_sweep(json, blob, &sources->sweep[i], error);
  json_close(json, ']');
  return status;
}

static void put_animation(json_writer *json, const report_animation *of) {
  json_open(json, "animation", '{');
  json_real(json, "at", of->at), json_real(json, "rate", of->rate);
  json_real(json, "seconds", of->seconds), json_integer(json, "fps", of->fps);
  json_integer(json, "width", of->width), json_integer(json, "height", of->height);
  json_close(json, '}');
}

/* The numbers go to the page as they are made; what names them is kept until they are all there. */
static rattle_status put_all(FILE *out, json_writer *json, const report_sources *sources, source *s,
                             report_outcome *outcome, rattle_error *error) {
  report_blob blob = {.out = out};
  fputs("<script type=\"application/octet-stream\" id=\"numbers\">", out);
  json_open(json, NULL, '{');
  json_integer(json, "format", 1);
  json_text(json, "version", rattle_version());
  rattle_status status = put_runs(json, &blob, sources, s, outcome, error);
  if (!status) status = put_studies(json, &blob, sources->paths, s, outcome, error);
  if (!status) status = put_samplings(json, &blob, sources, outcome, error);
  if (!status) status = put_sweeps(json, &blob, sources, outcome, error);
  if (!status && sources->live) report_put_live(json, sources->live);
  if (sources->animation) put_animation(json, sources->animation);
  json_close(json, '}');
  report_blob_end(&blob);
  fputs("</script>\n", out);
  return status;
}

static rattle_status put_data(FILE *out, const report_sources *sources, source *s,
                              report_outcome *outcome, rattle_error *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) return text_no_memory(error);
  json_writer json = {.out = memory, .page = 1};
  rattle_status status = put_all(out, &json, sources, s, outcome, error);
  int bad = ferror(memory);
  if ((fclose(memory) != 0 || bad) && !status) status = text_no_memory(error);
  if (!status) {
    fputs("<script type=\"application/json\" id=\"data\">", out);
    fwrite(text, 1, size, out);
    fputs("</script>\n", out);
  }
  free(text);
  return status;
}

/* The title, or the name of the file. */
static void put_name(FILE *out, const char *title, const char *path) {
  text_put_html(out, title[0] ? title : report_file_name(path));
}

/* That of the first. */
static rattle_status put_title(FILE *out, const report_sources *sources, source *s,
                               rattle_error *error) {
  if (!sources->paths) {
    if (sources->samplings)
      put_name(out, sources->sampling[0].about->title, sources->sampling[0].path);
    else if (sources->sweeps)
      put_name(out, rattle_cases_about_of(sources->sweep[0].cases)->title, sources->sweep[0].path);
    else
      put_name(out, sources->live->title, sources->live->file);
    return RATTLE_OK;
  }
  const rattle_status status = open_source(s, sources->path[0], error);
  if (!status)
    put_name(out,
             s->record ? rattle_record_info_of(s->record)->title
                       : rattle_study_result_of(s->study)->title,
             s->path);
  return status;
}

rattle_status report_write(FILE *out, const char *template_text, size_t template_size,
                           const report_sources *sources, report_outcome *outcome,
                           rattle_error *error) {
  const char *at = template_text, *const end = template_text + template_size, *mark[MARKS];
  *outcome = (report_outcome){0};
  for (int i = 0; i < MARKS; i++, at = mark[i - 1] + strlen(marks[i - 1]))
    if (!(mark[i] = find_mark(at, (size_t)(end - at), marks[i])))
      return text_fail(error, RATTLE_BAD_ARGUMENT, "the template of the report does not contain %s",
                       marks[i]);
  source *s = calloc((size_t)sources->paths + 1, sizeof *s);
  if (!s) return text_no_memory(error);
  rattle_status status = RATTLE_OK;
  at = template_text;
  for (int i = 0; i < MARKS && !status; i++) {
    fwrite(at, 1, (size_t)(mark[i] - at), out);
    at = mark[i] + strlen(marks[i]);
    if (i == POLICY && sources->live) fputs(live_policy, out);
    if (i == TITLE) status = put_title(out, sources, s, error);
    if (i == DATA) status = put_data(out, sources, s, outcome, error);
    if (i == DATA && sources->live) fputs(sources->live->module, out);
  }
  if (!status) fwrite(at, 1, (size_t)(end - at), out);
  for (int i = 0; i < sources->paths; i++) close_source(&s[i]);
  free(s);
  return status;
}
