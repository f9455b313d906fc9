#ifndef REPORT_LIVE_H
#define REPORT_LIVE_H
/* The model at work in a page (report/src/panels/live.js). */
#include "rattle/record.h"

typedef struct report_live {
  const char *module; /* two elements of the page, made by wasm/pack.py: worker and module */
  const char *title, *file, *text;
  const char *method;                /* NULL: that of the model */
  const rattle_parameter *parameter; /* in place of the model's own values */
  int parameters;
  rattle_parameter *start; /* of coordinates and momenta, likewise */
  int starts;
  double step, stop;              /* 0 and NaN: those of the model */
  const struct report_live *next; /* another model that the page can run, or NULL */
} report_live;
/* The model of a record, with its parameters, start, method, step and end. live->module stays,
 * live->start is the caller's to free; strings belong to the record. RATTLE_UNSUITABLE: it has no
 * model text. */
rattle_status report_live_of(report_live *live, const char *path, const rattle_record *record,
                             rattle_error *error);
#endif
