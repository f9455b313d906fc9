#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H
/* What the files of the room share. */
#include <stdint.h>
#include <stdio.h>

#include "json/json.h"
#include "rattle/draw.h"
#include "rattle/problem.h"
#include "rattle/record.h"
#include "rattle/study.h"
#include "text/error.h"

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

/* --- json.c --- */
void report_json_array(json_writer *json, const char *key, report_array array); /* ["f", at, count]; null if none */

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

/* Over stretches of `width` samples: lowest, highest and mean of what is finite. NaN if nothing is. */
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
  int all_coordinates;      /* 0: some coordinates and momenta are omitted */
  int all_multipliers, all_observed;
} report_channels;
/* Chooses channels and buckets, and takes memory. motion: its particles are known. */
struct report_motion;
rattle_status report_channels_plan(report_channels *channels, const rattle_record_info *info, const struct report_motion *motion,
                                   rattle_error *error);
void report_channels_free(report_channels *channels);

/* --- frames.c: whole states at some times --- */
/* Rows of `columns` numbers at samples first, first + stride, ..., or, scattered, at one sample picked out of each stride, so
 * that what repeats itself is not always met at the same place; with them, where scattered, the rows at which a column is
 * lowest and highest: row 2c and 2c + 1 of `extreme`. */
typedef struct report_frames {
  int columns, scattered;
  long long first, stride, room, count;
  double *row, *time; /* [room*columns], [room] */
  double *extreme;    /* [2*columns*columns] */
  double *low, *high; /* [columns] over all samples that were offered */
} report_frames;
rattle_status report_frames_plan(report_frames *frames, int columns, long long first, long long stride, long long room,
                                 rattle_error *error);
/* Makes planned frames scattered ones. */
rattle_status report_frames_scatter(report_frames *frames, rattle_error *error);
/* Offers the row of sample i. */
int report_frames_want(const report_frames *frames, long long i);
void report_frames_offer(report_frames *frames, long long i, double time, const double *row);
void report_frames_free(report_frames *frames);

/* --- drawn.c: what the model itself draws --- */
/* Numbers of a picture are codes: 0 and more: a column, NONE: 0 in the plane, less: constant[-2 - code]. */
enum { REPORT_NONE = -1 };
typedef struct report_thing {
  rattle_drawing is;
  int at; /* its first place */
  int32_t axes[9];
} report_thing;
typedef struct report_drawn {
  int things, places, columns, constants, dimension; /* things 0: nothing is drawn by the model but surfaces */
  report_thing *thing;
  int32_t *place; /* [3 places] codes */
  double *constant;
  int first; /* the columns are the observables of the problem from this one on */
  int surfaces;
  rattle_drawing surface[8];
} report_drawn;
/* Reads what the model draws, and adds the columns to what it observes: before its problem is made. */
rattle_status report_drawn_read(report_drawn *drawn, rattle_model *model, rattle_error *error);
void report_drawn_free(report_drawn *drawn);
/* surface.c: a surface within a box, as values on a grid of `count` points, x fastest; malloc'ed, NULL without memory. */
double *report_surface_values(rattle_model *model, const rattle_drawing *surface, const double low[3], const double high[3],
                              int count[3]);

/* --- motion.c: which coordinates are the place of something; shape.c: what constraints make of it --- */
enum { REPORT_MOST_CLIPS = 3, REPORT_MOST_ANCHORS = 64, REPORT_MOST_BODIES = 64 };
/* A rotation matrix R, row by row; its columns are the body's axes. */
typedef struct report_body {
  int coordinate[9], column[9];
  double half[3]; /* of a box with the body's second moments: the longest is 1 */
} report_body;
typedef struct report_motion {
  int columns;
  int *coordinate; /* [columns] k: coordinate k; -1-k: momentum k */
  int particles, dimension;
  int is_space;              /* 1: the axes are those of space, in one unit; 0: coordinates of any kind */
  int32_t *column;           /* [particles*3] column of x, y, z; -1: none. Of what the model draws: codes */
  const report_drawn *drawn; /* NULL: the model does not say what it looks like */
  int surfaces;
  const rattle_drawing *surface;
  rattle_model *model; /* of the surfaces */
  const char *axis[3];
  int rods;
  int32_t *rod; /* [2*rods] particles; -1-k: anchor k */
  int anchors;  /* fixed points */
  double anchor[REPORT_MOST_ANCHORS][3];
  int bodies;
  report_body body[REPORT_MOST_BODIES];
  int clips;
  report_frames clip[REPORT_MOST_CLIPS];
} report_motion;
/* Finds particles; then, if there is a model, rods and bodies; then chooses what to show and when. */
rattle_status report_motion_find(report_motion *motion, const rattle_record_info *info, rattle_error *error);
rattle_status report_shape_find(report_motion *motion, const rattle_record_info *info, rattle_model *model, rattle_error *error);
/* Shows what the model draws, in place of what was found. */
rattle_status report_motion_draw(report_motion *motion, const report_drawn *drawn, rattle_error *error);
rattle_status report_motion_plan(report_motion *motion, const rattle_record_info *info, rattle_error *error);
void report_motion_free(report_motion *motion);

/* --- remake.c: model and problem of a run --- */
typedef struct report_remade {
  rattle_model *model;     /* NULL: why says */
  rattle_problem *problem; /* NULL: why says */
  report_drawn drawn;
  char why[1024];            /* "" if both are there */
  double g_terms, psi_terms; /* the largest sum of magnitudes of the terms of g_i and of psi_i, at the first and last samples */
  int was_projected;         /* the start of the model is off the constraints: the run was given --project */
} report_remade;
void report_remake(report_remade *remade, const rattle_record *record);
void report_remade_free(report_remade *remade);
/* terms.c: sums of magnitudes at a point, for the first constraints. NaN if they are not available. */
double report_terms_of_g(rattle_model *model, const double *z);
double report_terms_of_psi(rattle_model *model, const double *z);

/* --- margin.c: how far the run stays from where its equations for the multipliers are singular --- */
typedef struct report_margin {
  long long count;
  double *time, *smallest, *condition; /* [count] of N = {{H,g_i},g_j}: smallest singular value, condition number */
} report_margin;
rattle_status report_margin_measure(report_margin *margin, const rattle_record *record, const rattle_problem *problem,
                                    rattle_error *error);
void report_margin_free(report_margin *margin);

/* --- spectrum.c: amplitudes over frequency --- */
enum { REPORT_MOST_SPECTRA = 12 };
/* Of a few channels, from every sample, with Hann's window: a sine of amplitude A has a peak of height A. Long runs are cut into
 * segments, whose powers are averaged. */
typedef struct report_spectra {
  int count, channel[REPORT_MOST_SPECTRA];
  long long every;                 /* steps from sample to sample; samples off this rhythm are omitted */
  long long length, segments, hop; /* samples in a segment; how many; samples from one to the next */
  long long size, bins;            /* of the transform, with zeros put after the samples */
  long long seen, filled, done;    /* samples at the rhythm; in the segment at hand; segments done */
  int used[REPORT_MOST_SPECTRA];   /* segments without anything that is not finite */
  double *values, *power, *work;   /* [count*length], [count*bins], [2*size + size] */
} report_spectra;
rattle_status report_spectra_plan(report_spectra *spectra, const report_channels *channels, const rattle_record_info *info,
                                  rattle_error *error);
void report_spectra_offer(report_spectra *spectra, long long step, const double *row);
void report_spectra_end(report_spectra *spectra);
/* The highest amplitude in each of at most `room` bands, narrow at low frequencies, in their order; returns how many. Frequencies
 * are in cycles a sample. */
long long report_spectra_peaks(const report_spectra *spectra, int which, double *frequency, double *amplitude, long long room);
void report_spectra_free(report_spectra *spectra);

/* --- trend.c --- */
/* A straight line through the means of blocks of the run: slope per unit of time and its standard error, NaN if there are too
 * few samples; swing is the range of the block means. */
typedef struct report_trend {
  double slope, error, swing;
  int blocks;
} report_trend;
report_trend report_trend_of(const report_channels *channels, int c);

/* --- scan.c: one pass over a record --- */
typedef struct report_scan {
  report_channels channels;
  report_frames portrait; /* of the channels; room 0 if every sample is a bucket of its own */
  report_motion motion;
  report_spectra spectra;
  const rattle_problem *problem; /* that observes what is drawn */
} report_scan;
/* Without a model there are no rods and bodies. */
rattle_status report_scan_record(report_scan *scan, const rattle_record *record, const report_remade *remade,
                                 rattle_error *error);
void report_scan_free(report_scan *scan);

/* --- data.c: what the scan found, in the page --- */
/* Numbers are kept as (value - base)/scale, so that a float32 has enough digits. */
void report_choose_unit(double lowest, double highest, double *base, double *scale);
rattle_status report_put_scan(json_writer *json, report_blob *blob, const report_scan *scan, rattle_error *error);
/* --- motion_data.c --- */
rattle_status report_put_motion(json_writer *json, report_blob *blob, const report_motion *motion, rattle_error *error);
/* --- events.c: what was recorded at events, for the channels that are observed, coordinates and momenta --- */
rattle_status report_put_events(json_writer *json, report_blob *blob, const report_channels *channels,
                                const rattle_record *record, rattle_error *error);
/* --- run.c: one run in the page --- */
rattle_status report_put_run(json_writer *json, report_blob *blob, const char *path, const rattle_record *record,
                             rattle_error *error);
void report_put_parameters(json_writer *json, const rattle_parameter *parameters, int count);
/* --- study.c: a study in the page --- */
rattle_status report_put_study(json_writer *json, report_blob *blob, const char *path, const rattle_study *study,
                               rattle_error *error);
/* --- method.c --- */
void report_put_method(json_writer *json, const char *expression, const rattle_problem *problem);
#endif
