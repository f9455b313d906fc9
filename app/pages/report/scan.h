#ifndef REPORT_SCAN_H
#define REPORT_SCAN_H
/* One pass over a record. */
#include "pages/report/motion.h"
#include "pages/report/remake.h"
#include "pages/report/spectrum.h"

typedef struct report_scan {
  report_channels channels;
  report_frames portrait; /* of the channels; room 0 if every sample is a bucket of its own */
  report_frames end;      /* as many samples, the last ones, each of them */
  report_motion motion;
  report_spectra spectra;
  const rattle_problem *problem; /* that observes what is drawn */
} report_scan;
/* Without a model there are no rods and bodies. */
rattle_status report_scan_record(report_scan *scan, const rattle_record *record,
                                 const report_remade *remade, rattle_error *error);
void report_scan_free(report_scan *scan);
#endif
