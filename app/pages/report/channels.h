#ifndef REPORT_CHANNELS_H
#define REPORT_CHANNELS_H
/* The quantities of a run that a page shows over time. */
#include "rattle/record.h"

typedef enum report_kind {
  REPORT_ENERGY, /* H - H at the start, less the work where there is any */
  REPORT_HAMILTONIAN,
  REPORT_WORK,
  REPORT_CONSTRAINT, /* max |g_i| */
  REPORT_HIDDEN,     /* max |psi_i| */
  REPORT_MULTIPLIER,
  REPORT_MULTIPLIERS, /* all of them: lowest and highest at each time */
  REPORT_OBSERVED,
  REPORT_COORDINATE,
  REPORT_MOMENTUM
} report_kind;
const char *report_kind_name(report_kind kind);

/* Over stretches of `width` samples: lowest, highest and mean of what is finite. NaN if nothing
 * is. */
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
rattle_status report_channels_plan(report_channels *channels, const rattle_record_info *info,
                                   const struct report_motion *motion, rattle_error *error);
void report_channels_free(report_channels *channels);
#endif
