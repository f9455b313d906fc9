#ifndef REPORT_H
#define REPORT_H
/* Reports: records, studies, samples and sweeps become one HTML page that opens offline.
 *
 * The page is a template (report/template.html, made from report/src) with the data of the runs put
 * in. It holds no samples as such when there are many: each quantity is kept as the range (lowest,
 * highest) of each of some hundred stretches of the run, so that no extreme is lost, and the motion
 * as frames. One pass over each record, in bounded memory. */
#include <stdio.h>

#include "rattle/cases.h"
#include "rattle/sample.h"

/* A file of samples. */
typedef struct report_sampling {
  const char *path;
  const rattle_cases_about *about;
  const rattle_sampling_result *result; /* the draws that all chains have, 1 or more */
  long long draws;                      /* of each chain when it is complete */
  rattle_chain_counts counts;           /* of all chains */
  const char *const *doubt;             /* sentences on what to distrust */
  int doubts;
  double rhat_limit, effective_limit; /* of a column: a larger R-hat, a smaller effective size is
                                         not to be trusted */
} report_sampling;

/* A file of cases. */
typedef struct report_sweep {
  const char *path;
  const rattle_cases *cases;
  const struct sweep_survey *survey;
} report_sweep;

/* The motion alone, in the template of that. */
typedef struct report_animation {
  double at, rate;   /* the time at first; times a second. NaN: chosen by the page */
  double seconds;    /* how long it is */
  int fps;           /* pictures a second, as text in the page; 0: it plays */
  int width, height; /* of pictures */
} report_animation;

typedef struct report_sources {
  const char *const *path; /* of records and studies */
  int paths;
  const report_sampling *sampling;
  int samplings;
  const report_sweep *sweep;
  int sweeps;
  const struct report_live *live;    /* the model at work in the page (live.h); NULL: it is not */
  const report_animation *animation; /* NULL: a page of all */
} report_sources;

/* Counts of the parts of a page. */
typedef struct report_outcome {
  int runs, studies, samplings, sweeps;
  long long samples; /* of all runs */
} report_outcome;

/* Writes the page of the sources, one or more, or of what is live, to out. Records may be being
 * written; they are reported as they are now. `template_text` has `template_size` bytes. On failure
 * `out` does not contain a page. */
rattle_status report_write(FILE *out, const char *template_text, size_t template_size,
                           const report_sources *sources, report_outcome *outcome,
                           rattle_error *error);
#endif
