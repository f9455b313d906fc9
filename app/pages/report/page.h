#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
/* The parts of the page. */
#include "rattle/study.h"
#include "pages/report/blob.h"
#include "pages/report/report.h"
#include "pages/report/scan.h"

/* file.c: the name of a file without its folders; and what is said of each file that the page
 * shows. */
typedef struct report_file {
  const char *path, *title, *version, *created, *model_file, *model_text;
} report_file;
const char *report_file_name(const char *path);
void report_put_file(json_writer *json, const report_file *file);
/* data.c: what the scan found. Numbers are kept as (value - base)/scale, so that a float32 has
 * enough digits. */
void report_choose_unit(double lowest, double highest, double *base, double *scale);
rattle_status report_put_scan(json_writer *json, report_blob *blob, const report_scan *scan,
                              rattle_error *error);
/* motion_data.c */
rattle_status report_put_motion(json_writer *json, report_blob *blob, const report_motion *motion,
                                rattle_error *error);
/* events.c: what was recorded at events, for the channels that are observed, coordinates and
 * momenta */
rattle_status report_put_events(json_writer *json, report_blob *blob,
                                const report_channels *channels, const rattle_record *record,
                                rattle_error *error);
/* run.c: one run */
rattle_status report_put_run(json_writer *json, report_blob *blob, const char *path,
                             const rattle_record *record, rattle_error *error);
/* its motion alone; RATTLE_UNSUITABLE: it has none */
rattle_status report_put_moving(json_writer *json, report_blob *blob, const char *path,
                                const rattle_record *record, rattle_error *error);
void report_put_parameters(json_writer *json, const rattle_parameter *parameters, int count);
/* study.c: a study */
rattle_status report_put_study(json_writer *json, report_blob *blob, const char *path,
                               const rattle_study *study, rattle_error *error);
/* modes.c: its modes in motion, where the model says what moves */
rattle_status report_put_modes(json_writer *json, report_blob *blob,
                               const rattle_study_result *result, rattle_error *error);
/* samples.c: a file of samples */
rattle_status report_put_sampling(json_writer *json, report_blob *blob,
                                  const report_sampling *sampling, rattle_error *error);
/* sweep.c: a file of cases */
rattle_status report_put_sweep(json_writer *json, report_blob *blob, const report_sweep *sweep,
                               rattle_error *error);
/* live.c: the object "live", and the list "others" of further models */
struct report_live;
void report_put_live(json_writer *json, const struct report_live *live);
/* method.c */
void report_put_method(json_writer *json, const char *expression, const rattle_problem *problem);
#endif
