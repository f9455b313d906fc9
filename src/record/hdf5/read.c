/* Samples and the last state out of a record.
 *
 * A row of positions is [N][D] in the file and q[n] in the caller's order: q[k] = row[place[k]];
 * the time of a model has a channel of its own. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "record/hdf5/handle.h"

enum { BLOCK_NUMBERS = 128 * 1024 };

rattle_status rattle_record_state(const rattle_record *record, double *q, double *p, double *extra,
                                  int extra_size, long long *step, rattle_error *error) {
  const rattle__about *about = &record->store.about;
  const double *state = record->store.checkpoint.state;
  size_t n = (size_t)about->n;
  if (!state)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, record->path,
                        "the record %s does not contain a run yet", record->path);
  if (extra_size != about->extra)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, record->path,
                        "the record %s stores %lld numbers of declared state, but %d were "
                        "requested: the methods differ",
                        record->path, about->extra, extra_size);
  memcpy(q, state, n * sizeof *q);
  memcpy(p, state + n, n * sizeof *p);
  if (extra_size > 0) memcpy(extra, state + 2 * n, (size_t)extra_size * sizeof *extra);
  *step = record->store.checkpoint.head.step;
  return RATTLE_OK;
}

/* Rows of positions or momenta, in blocks, into the caller's order. */
static int read_points(const rattle_record *record, int c, long long first, long long count,
                       double *points) {
  const rattle__about *about = &record->store.about;
  const rattle__channel *channel = record->store.table[0].channels.channel;
  const int *place = about->place, clock = rattle__channel_of_clock(about),
            which = c == RATTLE__MOMENTUM;
  const long long n = about->n, width = channel[c].width, block = BLOCK_NUMBERS / n + 1;
  double *rows = malloc((size_t)(block * (n + 1)) * sizeof *rows), *times = rows + block * width;
  int failed = rows ? 0 : rattle__h5_no_memory();
  for (long long done = 0; done < count && !failed; done += block) {
    long long part = count - done < block ? count - done : block;
    failed = rattle__channel_read(&channel[c], first + done, part, rows) ||
             (clock >= 0 && rattle__channel_read(&channel[clock], first + done, part, times));
    for (long long i = 0; i < part && !failed; i++)
      for (long long k = 0; k < n; k++)
        points[(done + i) * n + k] =
            place[k] < width ? rows[i * width + place[k]] : times[2 * i + which];
  }
  free(rows);
  return failed;
}

static int read_observed(const rattle_record *record, long long first, long long count,
                         double *observed) {
  long long observables = record->store.about.observables;
  double *column = malloc(((size_t)count + 1) * sizeof *column);
  int failed = column ? 0 : rattle__h5_no_memory();
  for (long long j = 0; j < observables && !failed; j++) {
    failed = rattle__channel_read(&record->store.table[0].channels.channel[RATTLE__OBSERVED + j],
                                  first, count, column);
    for (long long i = 0; i < count && !failed; i++) observed[i * observables + j] = column[i];
  }
  free(column);
  return failed;
}

rattle_status rattle__check_rows(const rattle_record *record, int t, int c, long long first,
                                 long long count, rattle_error *error) {
  char name[RATTLE__PATH];
  const long long good = rattle__sums_check(&record->store, t, c, first, count);
  if (good == first + count) return RATTLE_OK;
  if (rattle__h5_section()->no_memory) return rattle__no_memory(error);
  rattle__channel_path(&record->store.about, t, c, name);
  return rattle__fail(error, RATTLE_BAD_RECORD, record->path,
                      "%s is damaged: %s from %s %lld on does not match its checksum; `rattle "
                      "recover %s` keeps what is whole",
                      record->path, name, t ? "event" : "sample", good, record->path);
}

rattle_status rattle_record_read(const rattle_record *record, long long first, long long count,
                                 double *time, double *energy, double *q, double *p,
                                 double *multipliers, double *observed, rattle_error *error) {
  if (!rattle__is_open(&record->store))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, record->path,
                        "the record %s is not open; open it to read", record->path);
  if (first < 0 || count < 0 || first > record->info.samples - count)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "samples",
                        "samples %lld to %lld were requested, but %s has %lld", first,
                        first + count - 1, record->path, record->info.samples);
  const rattle__channel *channel = record->store.table[0].channels.channel;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  const void *const asked[] = {
      [RATTLE__TIME] = time,  [RATTLE__ENERGY] = energy, [RATTLE__MULTIPLIERS] = multipliers,
      [RATTLE__POSITION] = q, [RATTLE__MOMENTUM] = p,    [RATTLE__OBSERVED] = observed};
  rattle_status status = RATTLE_OK;
  for (int c = 0; c < record->store.table[0].channels.count && !status; c++)
    if (c == rattle__channel_of_clock(&record->store.about)
            ? q || p
            : asked[c < RATTLE__OBSERVED ? c : RATTLE__OBSERVED] != NULL)
      status = rattle__check_rows(record, 0, c, first, count, error);
  int failed = !status &&
               ((time && rattle__channel_read(&channel[RATTLE__TIME], first, count, time)) ||
                (energy && rattle__channel_read(&channel[RATTLE__ENERGY], first, count, energy)) ||
                (q && read_points(record, RATTLE__POSITION, first, count, q)) ||
                (p && read_points(record, RATTLE__MOMENTUM, first, count, p)) ||
                (multipliers &&
                 rattle__channel_read(&channel[RATTLE__MULTIPLIERS], first, count, multipliers)) ||
                (observed && read_observed(record, first, count, observed)));
  if (failed) status = rattle__h5_fail(&h5, error, record->path, "read");
  rattle__h5_leave(&h5);
  return status;
}
