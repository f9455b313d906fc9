#ifndef REPORT_H
#define REPORT_H
/* Reports: records and studies become one HTML page that opens offline.
 *
 * The page is a template (report/template.html, made from report/src) with the data of the runs put in. It holds no samples as
 * such when there are many: each quantity is kept as the range (lowest, highest) of each of some hundred stretches of the run, so
 * that no extreme is lost, and the motion as frames. One pass over each record, in bounded memory. */
#include <stdio.h>

#include "rattle/status.h"

/* What was put into a page. */
typedef struct report_outcome {
  int runs, studies;
  long long samples; /* of all runs */
  const char *cases; /* of a file of cases: what they are */
} report_outcome;

/* Writes the page for the records and studies at paths[0..count) to out. Records may be being written; they are reported as they
 * are now. `template_text` has `template_size` bytes. On failure `out` does not contain a page. */
rattle_status report_write(FILE *out, const char *template_text, size_t template_size, const char *const *paths, int count,
                           report_outcome *outcome, rattle_error *error);
#endif
