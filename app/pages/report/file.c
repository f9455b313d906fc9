/* The description of each file that the page shows. */
#include <string.h>

#include "pages/report/page.h"

const char *report_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void report_put_file(json_writer *json, const report_file *file) {
  json_text(json, "file", report_file_name(file->path));
  json_text(json, "title", file->title);
  json_text(json, "version", file->version);
  json_text(json, "created", file->created);
  json_text(json, "model_file", file->model_file);
  json_text(json, "model_text", file->model_text);
}
