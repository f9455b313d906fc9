/* Which quantities of a run are shown over time, and room for their ranges.
 *
 * The more channels, the fewer buckets: about NUMBERS ranges are kept in all. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/channels.h"
#include "pages/report/motion.h"
#include "words/error.h"
#include "ground/support/axis.h"

enum {
  NUMBERS = 30000,
  LEAST_BUCKETS = 400,
  MOST_BUCKETS = 1500,
  MOST_SAMPLES = 6000,
  MOST_MULTIPLIERS = 12,
  MOST_OBSERVED = 32,
  MOST_PAIRS = 12
};

const char *report_kind_name(report_kind kind) {
  static const char *const names[] = {[REPORT_ENERGY] = "energy",
                                      [REPORT_HAMILTONIAN] = "H",
                                      [REPORT_WORK] = "work",
                                      [REPORT_CONSTRAINT] = "constraint",
                                      [REPORT_HIDDEN] = "hidden",
                                      [REPORT_MULTIPLIER] = "multiplier",
                                      [REPORT_MULTIPLIERS] = "multipliers",
                                      [REPORT_OBSERVED] = "observed",
                                      [REPORT_COORDINATE] = "coordinate",
                                      [REPORT_MOMENTUM] = "momentum"};
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

/* Shown of many: those of the first and of the last particle, or the first ones. */
static int is_shown(const report_motion *motion, int n, int k) {
  if (n <= MOST_PAIRS) return 1;
  if (motion->particles == 0) return k < MOST_PAIRS / 2;
  const int particle[] = {0, motion->particles - 1};
  for (int i = 0; i < 2; i++) {
    for (int d = 0; d < 3; d++) {
      int column = motion->column[3 * particle[i] + d];
      if (column >= 0 && motion->coordinate[column] == k) return 1;
    }
  }
  return 0;
}

static void add_pairs(report_channels *channels, const rattle_record_info *info,
                      const report_motion *motion, report_kind kind, const char *const *names) {
  for (int k = 0; k < info->n; k++)
    if (is_shown(motion, info->n, k) &&
        !(kind == REPORT_COORDINATE &&
          rattle__is_clock(info->coordinate_names[k], info->momentum_names[k])))
      add(channels, kind, k, names[k]);
}

static void choose(report_channels *channels, const rattle_record_info *info,
                   const report_motion *motion) {
  add(channels, REPORT_ENERGY, 0, "energy error");
  if (info->has_work)
    add(channels, REPORT_HAMILTONIAN, 0, "H"), add(channels, REPORT_WORK, 0, "work");
  if (info->m > 0)
    add(channels, REPORT_CONSTRAINT, 0, "|g|"), add(channels, REPORT_HIDDEN, 0, "|psi|");
  channels->all_multipliers = info->m <= MOST_MULTIPLIERS;
  if (channels->all_multipliers) {
    for (int i = 0; i < info->m; i++)
      add(channels, REPORT_MULTIPLIER, i, info->constraint_names[i]);
  } else {
    const int some[] = {0, info->m / 2, info->m - 1};
    add(channels, REPORT_MULTIPLIERS, 0, "all multipliers");
    for (int i = 0; i < 3; i++)
      add(channels, REPORT_MULTIPLIER, some[i], info->constraint_names[some[i]]);
  }
  channels->all_observed = info->observables <= MOST_OBSERVED;
  for (int i = 0; i < info->observables && i < MOST_OBSERVED; i++)
    add(channels, REPORT_OBSERVED, i, info->observable_names[i]);
  channels->all_coordinates = info->n <= MOST_PAIRS;
  add_pairs(channels, info, motion, REPORT_COORDINATE, info->coordinate_names);
  add_pairs(channels, info, motion, REPORT_MOMENTUM, info->momentum_names);
}

static rattle_status make_room(report_channels *channels, rattle_error *error) {
  size_t buckets = (size_t)channels->buckets;
  channels->time = malloc((buckets + 1) * sizeof(double));
  if (!channels->time) return text_no_memory(error);
  for (int c = 0; c < channels->count; c++) {
    report_channel *channel = &channels->channel[c];
    channel->low = malloc(3 * (buckets + 1) * sizeof(double));
    channel->finite = calloc(buckets + 1, sizeof *channel->finite);
    if (!channel->low || !channel->finite) return text_no_memory(error);
    channel->high = channel->low + buckets, channel->sum = channel->high + buckets;
    for (size_t b = 0; b < buckets; b++)
      channel->low[b] = channel->high[b] = (double)NAN, channel->sum[b] = 0;
  }
  return RATTLE_OK;
}

rattle_status report_channels_plan(report_channels *channels, const rattle_record_info *info,
                                   const report_motion *motion, rattle_error *error) {
  *channels = (report_channels){0};
  size_t most = 10 + MOST_MULTIPLIERS + MOST_OBSERVED + 2 * MOST_PAIRS;
  channels->channel = calloc(most, sizeof *channels->channel);
  if (!channels->channel) return text_no_memory(error);
  choose(channels, info, motion);
  long long buckets = NUMBERS / channels->count;
  if (buckets < LEAST_BUCKETS) buckets = LEAST_BUCKETS;
  if (buckets > MOST_BUCKETS) buckets = MOST_BUCKETS;
  /* every sample by itself takes no more room than twice as many ranges */
  int all = info->samples <= 2 * buckets ||
            (info->samples <= MOST_SAMPLES && info->samples * channels->count <= 2 * NUMBERS);
  channels->width = all ? 1 : (info->samples + buckets - 1) / buckets;
  channels->buckets = (info->samples + channels->width - 1) / channels->width;
  return make_room(channels, error);
}

void report_channels_free(report_channels *channels) {
  for (int c = 0; c < channels->count; c++)
    free(channels->channel[c].low), free(channels->channel[c].finite);
  free(channels->channel), free(channels->time);
  *channels = (report_channels){0};
}
