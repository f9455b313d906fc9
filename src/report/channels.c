/* Which quantities of a run are shown over time, and room for their ranges.
 *
 * The more channels, the fewer buckets: about NUMBERS ranges are kept in all. */
#include <math.h>
#include <stdlib.h>

#include "report/parts.h"

enum {
  NUMBERS = 20000,
  LEAST_BUCKETS = 400,
  MOST_BUCKETS = 1500,
  MOST_MULTIPLIERS = 12,
  MOST_OBSERVED = 32,
  MOST_PAIRS = 12 /* even */
};

const char *report_kind_name(report_kind kind) {
  static const char *const names[] = {
      [REPORT_ENERGY] = "energy",         [REPORT_CONSTRAINT] = "constraint",   [REPORT_HIDDEN] = "hidden",
      [REPORT_MULTIPLIER] = "multiplier", [REPORT_MULTIPLIERS] = "multipliers", [REPORT_OBSERVED] = "observed",
      [REPORT_COORDINATE] = "coordinate", [REPORT_MOMENTUM] = "momentum"};
  return names[kind];
}

static void add(report_channels *channels, report_kind kind, int index, const char *name) {
  channels->channel[channels->count++] = (report_channel){.kind = kind,
                                                          .index = index,
                                                          .name = name,
                                                          .lowest = (double)NAN,
                                                          .highest = (double)NAN,
                                                          .lowest_time = (double)NAN,
                                                          .highest_time = (double)NAN,
                                                          .first = (double)NAN,
                                                          .last = (double)NAN};
}

/* The first and the last ones where there are many. */
static void add_pairs(report_channels *channels, const rattle_record_info *info, report_kind kind, const char *const *names) {
  int few = info->n <= MOST_PAIRS;
  for (int k = 0; k < info->n; k++) {
    if (few || k < MOST_PAIRS / 2 || k >= info->n - MOST_PAIRS / 2) add(channels, kind, k, names[k]);
  }
}

static void choose(report_channels *channels, const rattle_record_info *info) {
  add(channels, REPORT_ENERGY, 0, "energy error");
  if (info->m > 0) add(channels, REPORT_CONSTRAINT, 0, "|g|"), add(channels, REPORT_HIDDEN, 0, "|psi|");
  channels->all_multipliers = info->m <= MOST_MULTIPLIERS;
  if (channels->all_multipliers) {
    for (int i = 0; i < info->m; i++) add(channels, REPORT_MULTIPLIER, i, info->constraint_names[i]);
  } else {
    const int some[] = {0, info->m / 2, info->m - 1};
    add(channels, REPORT_MULTIPLIERS, 0, "all multipliers");
    for (int i = 0; i < 3; i++) add(channels, REPORT_MULTIPLIER, some[i], info->constraint_names[some[i]]);
  }
  channels->all_observed = info->observables <= MOST_OBSERVED;
  for (int i = 0; i < info->observables && i < MOST_OBSERVED; i++) add(channels, REPORT_OBSERVED, i, info->observable_names[i]);
  channels->all_coordinates = info->n <= MOST_PAIRS;
  add_pairs(channels, info, REPORT_COORDINATE, info->coordinate_names);
  add_pairs(channels, info, REPORT_MOMENTUM, info->momentum_names);
}

static rattle_status make_room(report_channels *channels, rattle_error *error) {
  size_t buckets = (size_t)channels->buckets;
  channels->time = malloc((buckets + 1) * sizeof(double));
  if (!channels->time) return report_no_memory(error);
  for (int c = 0; c < channels->count; c++) {
    report_channel *channel = &channels->channel[c];
    channel->low = malloc(3 * (buckets + 1) * sizeof(double));
    channel->finite = calloc(buckets + 1, sizeof *channel->finite);
    if (!channel->low || !channel->finite) return report_no_memory(error);
    channel->high = channel->low + buckets, channel->sum = channel->high + buckets;
    for (size_t b = 0; b < buckets; b++) channel->low[b] = channel->high[b] = (double)NAN, channel->sum[b] = 0;
  }
  return RATTLE_OK;
}

rattle_status report_channels_plan(report_channels *channels, const rattle_record_info *info, rattle_error *error) {
  *channels = (report_channels){0};
  size_t most = 8 + MOST_MULTIPLIERS + MOST_OBSERVED + 2 * MOST_PAIRS;
  channels->channel = calloc(most, sizeof *channels->channel);
  if (!channels->channel) return report_no_memory(error);
  choose(channels, info);
  long long buckets = NUMBERS / channels->count;
  if (buckets < LEAST_BUCKETS) buckets = LEAST_BUCKETS;
  if (buckets > MOST_BUCKETS) buckets = MOST_BUCKETS;
  /* every sample by itself takes no more room than twice as many ranges */
  channels->width = info->samples <= 2 * buckets ? 1 : (info->samples + buckets - 1) / buckets;
  channels->buckets = (info->samples + channels->width - 1) / channels->width;
  return make_room(channels, error);
}

void report_channels_free(report_channels *channels) {
  for (int c = 0; c < channels->count; c++) free(channels->channel[c].low), free(channels->channel[c].finite);
  free(channels->channel), free(channels->time);
  *channels = (report_channels){0};
}
