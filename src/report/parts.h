#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H
/* What the files of the room share. */
#include <stdint.h>
#include <stdio.h>

#include "rattle/record.h"

/* --- text.c --- */
/* Fills the error: status, no step, a printf sentence. Returns status. */
rattle_status report_fail(rattle_error *error, rattle_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
rattle_status report_no_memory(rattle_error *error);
/* Text that may stand between tags: < > & and " become entities. */
void report_put_html(FILE *out, const char *text);
/* The shortest decimal that reads back as the same number. Returns buffer. */
char *report_shortest(double value, char buffer[32]);

/* --- numbers.c: arrays in the page, as base64 --- */
/* All arrays of a page are one run of bytes, little-endian, each beginning at a multiple of 8. */
typedef struct report_blob {
  FILE *out;
  unsigned char waiting[3];
  int count;       /* bytes that wait */
  long long bytes; /* given so far */
} report_blob;
typedef struct report_array {
  char type; /* 'd' float64, 'f' float32, 'w' uint16, 'i' int32; 0: no array */
  long long at, count;
} report_array;
report_array report_put_doubles(report_blob *blob, const double *values, long long count);
report_array report_put_words(report_blob *blob, const uint16_t *values, long long count);
report_array report_put_integers(report_blob *blob, const int32_t *values, long long count);
/* As float32 of (value - base)/scale. */
report_array report_put_floats(report_blob *blob, const double *values, long long count, double base, double scale);
void report_blob_end(report_blob *blob);

/* --- json.c: safe inside a script element whatever the text --- */
typedef struct report_json {
  FILE *out;
  int filled; /* something was written since the last bracket */
} report_json;
void report_json_open(report_json *json, const char *key, char bracket); /* key NULL in arrays and at the top */
void report_json_close(report_json *json, char bracket);
void report_json_text(report_json *json, const char *key, const char *value); /* NULL: null */
void report_json_real(report_json *json, const char *key, double value);      /* not finite: null */
void report_json_integer(report_json *json, const char *key, long long value);
void report_json_bool(report_json *json, const char *key, int value);
void report_json_array(report_json *json, const char *key, report_array array); /* ["f", at, count]; null where none */

/* --- channels.c: the quantities of a run that a page shows over time --- */
typedef enum report_kind {
  REPORT_ENERGY,     /* H - H at the start */
  REPORT_CONSTRAINT, /* max |g_i| */
  REPORT_HIDDEN,     /* max |psi_i| */
  REPORT_MULTIPLIER,
  REPORT_MULTIPLIERS, /* all of them: lowest and highest at each time */
  REPORT_OBSERVED,
  REPORT_COORDINATE,
  REPORT_MOMENTUM
} report_kind;
const char *report_kind_name(report_kind kind);

/* Over stretches of `width` samples: lowest, highest and mean of what is finite. NaN where nothing is. */
typedef struct report_channel {
  report_kind kind;
  int index;        /* which multiplier, observable, coordinate or momentum */
  const char *name; /* belongs to the record */
  double *low, *high, *sum;
  long long *finite; /* [buckets] how many values are in the sum */
  double lowest, highest, lowest_time, highest_time, first, last, total;
  long long counted, missing; /* values that are finite, and that are not */
} report_channel;
typedef struct report_channels {
  int count;
  report_channel *channel;
  long long width, buckets; /* samples a bucket; buckets in all */
  double *time;             /* [buckets] of the first sample in each */
  int all_coordinates;      /* 0: some coordinates and momenta are left out */
  int all_multipliers, all_observed;
} report_channels;
/* Chooses channels and buckets, and takes memory. */
rattle_status report_channels_plan(report_channels *channels, const rattle_record_info *info, rattle_error *error);
void report_channels_free(report_channels *channels);

/* --- frames.c: whole states at some times --- */
/* Rows of `columns` numbers at samples first, first + stride, ...; beside them, where extremes is 1, the rows at which a column
 * is lowest and highest: row 2c and 2c + 1 of `extreme`. */
typedef struct report_frames {
  int columns, extremes;
  long long first, stride, room, count;
  double *row, *time; /* [room*columns], [room] */
  double *extreme;    /* [2*columns*columns] */
  double *low, *high; /* [columns] over all samples that were offered */
} report_frames;
rattle_status report_frames_plan(report_frames *frames, int columns, long long first, long long stride, long long room,
                                 int extremes, rattle_error *error);
/* Offers the row of sample i. */
void report_frames_offer(report_frames *frames, long long i, double time, const double *row);
void report_frames_free(report_frames *frames);

/* --- motion.c: which coordinates are the place of something --- */
enum { REPORT_MOST_CLIPS = 3 };
typedef struct report_motion {
  int columns;
  int *coordinate; /* [columns] k: coordinate k; -1-k: momentum k */
  int particles, dimension;
  int is_space;    /* 1: the axes are those of space, in one unit; 0: coordinates of any kind */
  int32_t *column; /* [particles*3] column of x, y, z; -1: none */
  const char *axis[3];
  int clips;
  report_frames clip[REPORT_MOST_CLIPS];
} report_motion;
rattle_status report_motion_plan(report_motion *motion, const rattle_record_info *info, rattle_error *error);
void report_motion_free(report_motion *motion);

/* --- scan.c: one pass over a record --- */
typedef struct report_scan {
  report_channels channels;
  report_frames portrait; /* of the channels; room 0 where every sample is a bucket of its own */
  report_motion motion;
} report_scan;
rattle_status report_scan_record(report_scan *scan, const rattle_record *record, rattle_error *error);
void report_scan_free(report_scan *scan);

/* --- run.c: one run in the page --- */
rattle_status report_put_run(report_json *json, report_blob *blob, const char *path, long long *samples, rattle_error *error);
/* --- method.c --- */
void report_put_method(report_json *json, const char *expression);
#endif
