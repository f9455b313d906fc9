/* Tables: of the samples, and of each event; one extensible dataset for each quantity, all in step.
 *
 * H5MD elements share one `step` and one `time` dataset by hard links. A row of position and
 * momentum is [N][D]; of the multipliers [m]; of the clock the time and its momentum; of all else
 * one number. Chunks hold up to 4096 samples and about 256 kB, but no more than the run is expected
 * to need; rows beyond 1 MB are divided.
 *
 * HDF5 looks at every dataset that is open, and at all that it has in memory of them, whenever it
 * flushes: what a run writes in portions would take the square of their number. A few are kept
 * open, the others are opened when they are used. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/flag.h"
#include "record/hdf5/channels.h"

enum {
  NUMBER = 8,
  MOST_SAMPLES = 4096,
  LEAST_SAMPLES = 64,
  CHUNK_BYTES = 256 * 1024,
  ROW_BYTES = 1024 * 1024,
  KEPT_OPEN = 256 /* datasets in all tables */
};

static const char *const elements[] = {[RATTLE__ENERGY] = "/observables/energy",
                                       [RATTLE__CONSTRAINT] = "/observables/constraint",
                                       [RATTLE__HIDDEN] = "/observables/hidden",
                                       [RATTLE__MULTIPLIERS] = "/observables/multipliers",
                                       [RATTLE__POSITION] = "/particles/system/position",
                                       [RATTLE__MOMENTUM] = "/particles/system/momentum"};

/* Channels of an event in its group. */
static const char *const of_event[] = {
    [RATTLE__STEP] = "step",         [RATTLE__TIME] = "time",
    [RATTLE__ENERGY] = "energy",     [RATTLE__CONSTRAINT] = "constraint",
    [RATTLE__HIDDEN] = "hidden",     [RATTLE__MULTIPLIERS] = "multipliers",
    [RATTLE__POSITION] = "position", [RATTLE__MOMENTUM] = "momentum"};

/* Elements where there is work; the balance is another link to the energy. */
static const char *const of_work[] = {"/observables/work", "/observables/H",
                                      "/observables/balance"};

/* The H5MD element of a channel. An observable is a group of its own name; "observable[K]" where
 * that could be the name of something else, is too long or is no name for HDF5. */
static void element_path(const rattle__about *about, int c, char path[RATTLE__PATH]) {
  const int work = rattle__channel_of_work(about);
  if (c < RATTLE__OBSERVED || c == rattle__channel_of_clock(about) || (work >= 0 && c >= work)) {
    strcpy(path, c < RATTLE__OBSERVED     ? elements[c]
                 : work >= 0 && c >= work ? of_work[c - work]
                                          : "/rattle/clock");
    return;
  }
  const char *name = about->observed.name[c - RATTLE__OBSERVED];
  int length = snprintf(path, RATTLE__PATH, "/observables/%s", name);
  int fits = length < RATTLE__PATH - 8 && *name && strcmp(name, ".") != 0 && !strchr(name, '/') &&
             strncmp(name, "observable[", 11) != 0;
  for (int other = RATTLE__ENERGY; other <= RATTLE__MULTIPLIERS; other++)
    fits = fits && strcmp(path, elements[other]) != 0;
  for (int other = 0; about->has_work && other < 3; other++)
    fits = fits && strcmp(path, of_work[other]) != 0;
  if (!fits) snprintf(path, RATTLE__PATH, "/observables/observable[%d]", c - RATTLE__OBSERVED + 1);
}

void rattle__event_path(const rattle__about *about, int t, const char *what,
                        char path[RATTLE__PATH]) {
  const char *name = about->events.name[t - 1];
  const int fits =
      *name && strcmp(name, ".") != 0 && !strchr(name, '/') && strncmp(name, "event[", 6) != 0;
  const int length =
      fits ? snprintf(path, RATTLE__PATH, "/events/%s/%s", name, what) : RATTLE__PATH;
  if (length >= RATTLE__PATH) snprintf(path, RATTLE__PATH, "/events/event[%d]/%s", t, what);
}

void rattle__channel_path(const rattle__about *about, int t, int c, char path[RATTLE__PATH]) {
  if (t > 0 && c < RATTLE__OBSERVED) {
    rattle__event_path(about, t, of_event[c], path);
    return;
  }
  if (t > 0 && c == rattle__channels_of(about, t) - 1) {
    rattle__event_path(about, t, "direction", path);
    return;
  }
  if (t > 0 && c == rattle__channel_of_clock(about)) {
    rattle__event_path(about, t, "clock", path);
    return;
  }
  if (t > 0 && about->has_work && c >= rattle__channel_of_work(about)) {
    rattle__event_path(about, t, c == rattle__channel_of_work(about) ? "work" : "H", path);
    return;
  }
  if (t > 0) {
    char observed[RATTLE__PATH];
    element_path(about, c, observed);
    rattle__event_path(about, t, observed + 1, path);
    return;
  }
  if (c == RATTLE__STEP || c == RATTLE__TIME) {
    snprintf(path, RATTLE__PATH, "%s/%s", elements[RATTLE__POSITION],
             c == RATTLE__STEP ? "step" : "time");
    return;
  }
  element_path(about, c, path);
  strncat(path, "/value", RATTLE__PATH - strlen(path) - 1);
}

static void shape(const rattle__about *about, int t, int c, rattle__channel *channel) {
  const int whole =
      /* the latter is the direction of an event */
      c == RATTLE__STEP || (t > 0 && c == rattle__channels_of(about, t) - 1);
  *channel = (rattle__channel){
      .kept = -1, .type = whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, .rank = 1, .width = 1};
  if (c == RATTLE__POSITION || c == RATTLE__MOMENTUM) {
    channel->rank = 3;
    channel->dims[1] = (hsize_t)rattle__particles(about),
    channel->dims[2] = (hsize_t)about->dimension;
    channel->width = (int)about->n - rattle__has_clock(about);
  } else if (c == rattle__channel_of_clock(about)) {
    channel->rank = 2;
    channel->dims[1] = 2;
    channel->width = 2;
  } else if (c == RATTLE__MULTIPLIERS) {
    channel->rank = 2;
    channel->dims[1] = (hsize_t)about->m;
    channel->width = (int)about->m;
  } else if (c == RATTLE__CONSTRAINT || c == RATTLE__HIDDEN) {
    channel->width = about->m > 0;
  }
}

/* The dataset of a channel, while it is used. */
static hid_t reach(const rattle__channel *channel) {
  return channel->kept >= 0 ? channel->kept : rattle__h5_open_again(channel->file, &channel->place);
}

static int leave(const rattle__channel *channel, hid_t dataset) {
  return dataset >= 0 && dataset != channel->kept && H5Dclose(dataset) < 0 ? -1 : 0;
}

/* Channel c of table t has that dataset, new or opened by its path. */
static int keep(rattle__record_channels *channels, int t, int c, hid_t file, hid_t dataset) {
  rattle__channel *channel = &channels->channel[c];
  channel->file = file;
  if (dataset < 0) return -1;
  if ((long long)t * channels->count + c < KEPT_OPEN) channel->kept = dataset;
  if (channel->kept >= 0) return 0;
  const int failed = rattle__h5_place_of(dataset, &channel->place);
  return H5Dclose(dataset) < 0 || failed ? -1 : 0;
}

/* Samples in a chunk: a power of 2. */
static long long chunk_samples(int width, long long expected) {
  long long samples = 1, most = CHUNK_BYTES / ((long long)NUMBER * width);
  if (expected < LEAST_SAMPLES) expected = LEAST_SAMPLES;
  while (samples < MOST_SAMPLES && 2 * samples <= most && samples < expected) samples *= 2;
  return samples;
}

static void choose_chunk(const rattle__channel *channel, long long expected, hsize_t chunk[3]) {
  memcpy(chunk, channel->dims, 3 * sizeof *chunk);
  chunk[0] = (hsize_t)chunk_samples(channel->width, expected);
  if (channel->rank > 1) {
    hsize_t parts = ((hsize_t)channel->width * NUMBER + ROW_BYTES - 1) / ROW_BYTES;
    chunk[1] = (chunk[1] + parts - 1) / parts;
  }
}

static hid_t make_dataset(hid_t file, const char *path, const rattle__channel *channel,
                          const hsize_t chunk[3]) {
  hsize_t most[3];
  memcpy(most, channel->dims, sizeof most);
  most[0] = H5S_UNLIMITED;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = rattle__h5_links();
  hid_t space = H5Screate_simple(channel->rank, channel->dims, most);
  H5Pset_chunk(creation, channel->rank, chunk);
  /* what lies beyond the last row is never read; HDF5 would cache chunks to fill them */
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  hid_t dataset = H5Dcreate2(file, path, channel->type, space, links, creation, H5P_DEFAULT);
  H5Sclose(space), H5Pclose(links), H5Pclose(creation);
  return dataset;
}

/* Gives the other elements the step and time of the position. */
static int share_times(const rattle__record_channels *channels, const rattle__about *about,
                       hid_t file, const volatile int *interrupt) {
  char source[RATTLE__PATH], element[RATTLE__PATH], target[RATTLE__PATH + 8];
  hid_t links = rattle__h5_links();
  int failed = 0;
  for (int c = RATTLE__ENERGY; c < channels->count && !failed; c++) {
    if (c == RATTLE__POSITION || channels->channel[c].width == 0) continue;
    element_path(about, c, element);
    for (int what = RATTLE__STEP; what <= RATTLE__TIME && !failed; what++) {
      rattle__channel_path(about, 0, what, source);
      snprintf(target, sizeof target, "%s/%s", element, what == RATTLE__STEP ? "step" : "time");
      failed = rattle__flag_is_set(interrupt) ||
               H5Lcreate_hard(file, source, file, target, links, H5P_DEFAULT) < 0;
    }
  }
  if (!failed && about->has_work)
    failed = H5Lcreate_hard(file, elements[RATTLE__ENERGY], file, of_work[2], H5P_DEFAULT,
                            H5P_DEFAULT) < 0;
  H5Pclose(links);
  return failed ? -1 : 0;
}

static int allot(rattle__record_channels *channels, const rattle__about *about, int t) {
  const int count = rattle__channels_of(about, t);
  channels->count = 0;
  channels->channel = calloc((size_t)count, sizeof *channels->channel);
  if (!channels->channel) return rattle__h5_no_memory();
  channels->count = count;
  for (int c = 0; c < count; c++) shape(about, t, c, &channels->channel[c]);
  return 0;
}

int rattle__channels_make(rattle__record_channels *channels, const rattle__about *about, int t,
                          hid_t file, const rattle__making *how) {
  char path[RATTLE__PATH];
  hsize_t chunk[3];
  if (allot(channels, about, t)) return -1;
  for (int c = 0; c < channels->count; c++) {
    rattle__channel *channel = &channels->channel[c];
    if (channel->width == 0) continue;
    rattle__channel_path(about, t, c, path);
    if (rattle__flag_is_set(how->interrupt)) return -1;
    choose_chunk(channel, how->expected, chunk);
    if (how->like) rattle__grid_chunk(how->like->channel[c].grid, chunk);
    if (keep(channels, t, c, file, make_dataset(file, path, channel, chunk))) return -1;
    if (rattle__units_write(about, c, file, path)) return -1;
  }
  return t > 0 ? 0 : share_times(channels, about, file, how->interrupt);
}

/* A chunk is read whole where it is compressed: none may be larger than the file can hold, or than
 * those of a short record. */
static int has_small_chunks(hid_t dataset, long long most_bytes) {
  hsize_t chunk[3] = {0}, bytes = NUMBER;
  hid_t creation = H5Dget_create_plist(dataset);
  const int rank = H5Pget_layout(creation) == H5D_CHUNKED ? H5Pget_chunk(creation, 3, chunk) : 0;
  H5Pclose(creation);
  /* HDF5 has none of 2^32 bytes or more */
  for (int i = 0; i < rank && i < 3; i++) bytes *= chunk[i];
  return rank <= 3 && bytes <= (hsize_t)most_bytes + ROW_BYTES;
}

/* Reads how long a dataset is, and checks that it has the rows that are expected. */
static int measure(rattle__channel *channel, hid_t dataset) {
  hsize_t dims[3] = {0};
  hid_t space = H5Dget_space(dataset);
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank == channel->rank) H5Sget_simple_extent_dims(space, dims, NULL);
  H5Sclose(space);
  if (rank != channel->rank) return -1;
  for (int i = 1; i < rank; i++)
    if (dims[i] != channel->dims[i]) return -1;
  channel->dims[0] = dims[0];
  const long long most = rattle__h5_most_bytes(dataset);
  channel->most = has_small_chunks(dataset, most) ? most / NUMBER / channel->width : -1;
  return 0;
}

long long rattle__channels_most(const rattle__record_channels *channels) {
  long long most = LLONG_MAX;
  for (int c = 0; c < channels->count; c++) {
    const rattle__channel *channel = &channels->channel[c];
    if (channel->width > 0 && channel->most < most) most = channel->most;
  }
  return most;
}

/* Its length and its places, from who has the dataset to who has not. */
static int pass(rattle__channel *channel, hid_t dataset, const rattle__origin *origin,
                long long rows) {
  if (rattle__pass(&channel->dims[0], sizeof channel->dims[0]) ||
      rattle__pass(&channel->most, sizeof channel->most) || channel->most < -1 ||
      channel->most > LLONG_MAX / NUMBER / channel->width)
    return -1;
  if (rows > channel->most) rows = channel->most;
  if (rows > 0 && (hsize_t)rows > channel->dims[0]) rows = (long long)channel->dims[0];
  const rattle__extent shape = {channel->type, channel->rank, channel->dims};
  return rattle__grid_make(&channel->grid, origin, dataset, &shape, rows > 0 ? rows : 0);
}

int rattle__channels_open(rattle__record_channels *channels, const rattle__about *about, int t,
                          hid_t file, const rattle__origin *origin, long long rows) {
  char path[RATTLE__PATH];
  if (allot(channels, about, t)) return -1;
  for (int c = 0; c < channels->count; c++) {
    rattle__channel *channel = &channels->channel[c];
    hid_t dataset = -1;
    int odd = 0;
    if (channel->width == 0) continue;
    if (!rattle__takes()) {
      rattle__channel_path(about, t, c, path);
      dataset = rattle__h5_open_rows(file, path);
      if (dataset < 0) return -1;
      odd = measure(channel, dataset);
    }
    odd = odd || pass(channel, dataset, origin, rows);
    if ((dataset >= 0 && keep(channels, t, c, file, dataset)) || odd) return -1;
  }
  return 0;
}

int rattle__channels_close(rattle__record_channels *channels) {
  int failed = 0;
  for (int c = 0; c < channels->count; c++) {
    if (channels->channel[c].kept >= 0) failed |= H5Dclose(channels->channel[c].kept) < 0;
    rattle__grid_free(&channels->channel[c].grid);
  }
  free(channels->channel);
  *channels = (rattle__record_channels){0};
  return failed ? -1 : 0;
}

long long rattle__channels_samples(const rattle__record_channels *channels) {
  hsize_t least = channels->channel[RATTLE__STEP].dims[0];
  for (int c = 0; c < channels->count; c++)
    if (channels->channel[c].width > 0 && channels->channel[c].dims[0] < least)
      least = channels->channel[c].dims[0];
  return (long long)least;
}

/* The spaces of memory and file for rows [first, first+count). */
static int transfer(const rattle__channel *channel, hid_t dataset, long long first, long long count,
                    hid_t *memory, hid_t *file) {
  hsize_t start[3] = {(hsize_t)first, 0, 0},
          size[3] = {(hsize_t)count, channel->dims[1], channel->dims[2]};
  *memory = H5Screate_simple(channel->rank, size, NULL);
  *file = H5Dget_space(dataset);
  return H5Sselect_hyperslab(*file, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ? -1 : 0;
}

static int put(rattle__channel *channel, hid_t dataset, long long first, long long count,
               const void *rows) {
  hid_t memory, file;
  hsize_t dims[3] = {(hsize_t)(first + count), channel->dims[1], channel->dims[2]};
  if (dims[0] > channel->dims[0]) {
    if (H5Dset_extent(dataset, dims) < 0) return -1;
    channel->dims[0] = dims[0];
  }
  int failed = transfer(channel, dataset, first, count, &memory, &file) ||
               H5Dwrite(dataset, channel->type, memory, file, H5P_DEFAULT, rows) < 0;
  H5Sclose(memory), H5Sclose(file);
  return failed ? -1 : 0;
}

int rattle__channel_write(rattle__channel *channel, long long first, long long count,
                          const void *rows) {
  if (channel->width == 0 || count == 0) return 0;
  const hid_t dataset = reach(channel);
  const int failed = dataset < 0 || put(channel, dataset, first, count, rows);
  return leave(channel, dataset) || failed ? -1 : 0;
}

int rattle__channel_adopt(rattle__channel *channel, const rattle__channel *old,
                          rattle__remake *remake) {
  if (channel->width == 0) return 0;
  const hid_t dataset = reach(channel);
  channel->dims[0] = (hsize_t)old->grid->rows;
  const int failed = dataset < 0 || H5Dset_extent(dataset, channel->dims) < 0 ||
                     rattle__grid_adopt(old->grid, dataset, remake);
  return leave(channel, dataset) || failed ? -1 : 0;
}

static int get(const rattle__channel *channel, hid_t dataset, long long first, long long count,
               void *rows) {
  hid_t memory, file;
  int failed = transfer(channel, dataset, first, count, &memory, &file) ||
               H5Dread(dataset, channel->type, memory, file, H5P_DEFAULT, rows) < 0;
  H5Sclose(memory), H5Sclose(file);
  return failed ? -1 : 0;
}

int rattle__channel_read(const rattle__channel *channel, long long first, long long count,
                         void *rows) {
  if (channel->width == 0 || count == 0) return 0;
  if (channel->grid) return rattle__grid_read(channel->grid, first, count, rows);
  const hid_t dataset = reach(channel);
  const int failed = dataset < 0 || get(channel, dataset, first, count, rows);
  return leave(channel, dataset) || failed ? -1 : 0;
}

/* Whole numbers are given as others are. */
static int read_place(const rattle__channel *channel, int place, long long first, long long count,
                      double *values) {
  int64_t whole;
  if (rattle__grid_read_place(channel->grid, place, first, count, values)) return -1;
  for (long long i = 0; i < count && channel->type == H5T_NATIVE_INT64; i++)
    memcpy(&whole, &values[i], sizeof whole), values[i] = (double)whole;
  return 0;
}

int rattle__channel_read_place(const rattle__channel *channel, int place, long long first,
                               long long count, double *values) {
  if (channel->width == 0 || count == 0) return 0;
  if (channel->grid) return read_place(channel, place, first, count, values);
  hsize_t last = channel->rank == 3 ? channel->dims[2] : 1, at = (hsize_t)place;
  hsize_t start[3] = {(hsize_t)first, at / last, at % last}, size[3] = {(hsize_t)count, 1, 1},
          numbers = (hsize_t)count;
  const hid_t dataset = reach(channel);
  if (dataset < 0) return -1;
  hid_t memory = H5Screate_simple(1, &numbers, NULL), file = H5Dget_space(dataset);
  int failed = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
               H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values) < 0;
  H5Sclose(memory), H5Sclose(file);
  return leave(channel, dataset) || failed ? -1 : 0;
}

long long rattle__channels_within(const rattle__record_channels *channels, long long samples,
                                  long long size) {
  for (int c = 0; c < channels->count; c++)
    if (channels->channel[c].grid)
      samples = rattle__grid_within(channels->channel[c].grid, samples, size);
  return samples;
}
