/* The model at work in a page: what the page says of it. */
#include "pages/report/live.h"

#include <math.h>
#include <stdlib.h>

#include "files/lua/bundle.h"
#include "pages/report/page.h"
#include "words/error.h"

static void put_values(json_writer *json, const char *key, const rattle_parameter *of, int count) {
  json_open(json, key, '{');
  for (int i = 0; i < count; i++) json_real(json, of[i].name, of[i].value);
  json_close(json, '}');
}

static void put_one(json_writer *json, const char *key, const report_live *live) {
  json_open(json, key, '{');
  json_text(json, "title", live->title), json_text(json, "file", report_file_name(live->file));
  char *own = rattle__unbundled(live->text); /* the module of the page ships the others */
  json_text(json, "text", own ? own : live->text);
  free(own);
  put_values(json, "parameters", live->parameter, live->parameters);
  put_values(json, "starts", live->start, live->starts);
  json_text(json, "method", live->method);
  json_real(json, "step", live->step > 0 || live->step < 0 ? live->step : (double)NAN);
  json_real(json, "stop", live->stop);
  json_close(json, '}');
}

void report_put_live(json_writer *json, const report_live *live) {
  put_one(json, "live", live);
  if (!live->next) return;
  json_open(json, "others", '[');
  for (const report_live *of = live->next; of; of = of->next) put_one(json, NULL, of);
  json_close(json, ']');
}

rattle_status report_live_of(report_live *live, const char *path, const rattle_record *record,
                             rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  const size_t n = (size_t)info->n;
  if (!info->model_text || !info->model_text[0])
    return text_fail(error, RATTLE_UNSUITABLE,
                     "%s contains no model text: a program made it, which alone can run it; "
                     "report it without --live",
                     path);
  if (info->samples == 0)
    return text_fail(error, RATTLE_BAD_RECORD, "%s contains no samples yet; report it later", path);
  double *z = malloc((2 * n + 1) * sizeof *z);
  rattle_parameter *start = malloc((2 * n + 1) * sizeof *start);
  rattle_status status =
      z && start ? rattle_record_read(record, 0, 1, NULL, NULL, z, z + n, NULL, NULL, error)
                 : text_no_memory(error);
  for (size_t k = 0; k < 2 * n && !status; k++)
    start[k] =
        (rattle_parameter){k < n ? info->coordinate_names[k] : info->momentum_names[k - n], z[k]};
  free(z);
  *live = (report_live){.module = live->module,
                        .title = info->title,
                        .file = info->model_file,
                        .text = info->model_text,
                        .method = info->method,
                        .parameter = info->parameter,
                        .parameters = info->parameters,
                        .start = start,
                        .starts = status ? 0 : 2 * info->n,
                        .step = info->step,
                        .stop = isfinite(info->stop_asked) ? info->stop_asked : info->last_time};
  return status;
}
