/* Checksums of the samples.
 *
 * The samples of a block, of each channel, have one: the sum over its rows of a number that depends
 * on the row's place and on all its bits, so that a block can be added to row by row. Those of full
 * blocks are rows of /rattle/sums [blocks][channels]; that of the block at the end is in the
 * checkpoint that counts its samples. They are compared when samples are read, once for each block.
 * A filter of HDF5 (Fletcher32) would do for files that nobody kills: it rewrites a chunk with each
 * flush, and a chunk torn by kill -9 would lose the samples in it that were counted already.
 * Records of before have none. */
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/store.h"

enum { NUMBER = 8, MOST_SAMPLES = 4096, BLOCK_BYTES = 1024 * 1024, CHUNK_BYTES = 8 * 1024 };

uint64_t rattle__mix(uint64_t sum, const void *data, size_t count) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, bytes + 8 * i, 8);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 32;
  }
  return sum;
}

uint64_t rattle__sum_rows(long long first, long long count, int width, const void *rows) {
  uint64_t sum = 0;
  for (long long i = 0; i < count; i++)
    sum += rattle__mix((uint64_t)(first + i) + 1,
                       (const char *)rows + (size_t)i * (size_t)width * NUMBER, (size_t)width);
  return sum;
}

long long rattle__sums_block(const rattle__record_channels *channels) {
  long long width = 0, block = 1;
  for (int c = 0; c < channels->count; c++) width += channels->channel[c].width;
  while (2 * block <= MOST_SAMPLES && 2 * block * width * NUMBER <= BLOCK_BYTES) block *= 2;
  return block;
}

int rattle__sums_make(rattle__sums *sums, const rattle__record_channels *channels, hid_t file,
                      const char *path, const rattle__sums *like) {
  const hsize_t width = (hsize_t)channels->count,
                rows = width * NUMBER < CHUNK_BYTES ? CHUNK_BYTES / (width * NUMBER) : 1;
  const hsize_t none[] = {0, width}, most[] = {H5S_UNLIMITED, width};
  hsize_t chunk[3] = {rows, width};
  if (like) rattle__grid_chunk(like->grid, chunk);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, none, most);
  H5Pset_chunk(creation, 2, chunk);
  sums->block = like ? like->block : rattle__sums_block(channels);
  sums->width = channels->count;
  sums->dataset =
      H5Dcreate2(file, path, H5T_NATIVE_INT64, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Sclose(space), H5Pclose(creation);
  return sums->dataset < 0
             ? -1
             : rattle__h5_write_integers_attribute(file, path, "block", &sums->block, -1);
}

/* [blocks][channels] */
static int measure(const rattle__sums *sums, const rattle__record_channels *channels,
                   hsize_t dims[3]) {
  hid_t space = H5Dget_space(sums->dataset);
  const int good =
      H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, dims, NULL) == 2;
  H5Sclose(space);
  return good && dims[1] == (hsize_t)channels->count ? 0 : -1;
}

int rattle__sums_open(rattle__sums *sums, const rattle__record_channels *channels, hid_t file,
                      const char *path, const rattle__origin *origin, long long rows) {
  const int exists = rattle__h5_exists(file, path), takes = rattle__takes();
  if (exists <= 0) return exists;
  hsize_t dims[3] = {0, (hsize_t)channels->count};
  if (!takes && (sums->dataset = rattle__h5_open_rows(file, path)) < 0) return -1;
  if (rattle__h5_read_integer_attribute(file, path, "block", &sums->block) ||
      (!takes && measure(sums, channels, dims)) || rattle__pass(dims, sizeof *dims))
    return -1;
  sums->width = channels->count;
  if (sums->block < 1 || sums->block > rattle__sums_block(channels)) return -1;
  long long blocks = rows > 0 ? rows / sums->block : 0;
  if ((hsize_t)blocks > dims[0]) blocks = (long long)dims[0];
  const rattle__extent shape = {H5T_NATIVE_INT64, 2, dims};
  return rattle__grid_make(&sums->grid, origin, sums->dataset, &shape, blocks);
}

int rattle__sums_adopt(const rattle__sums *sums, const rattle__sums *old, rattle__remake *remake) {
  const hsize_t dims[2] = {(hsize_t)old->grid->rows, (hsize_t)sums->width};
  return H5Dset_extent(sums->dataset, dims) < 0 ||
                 rattle__grid_adopt(old->grid, sums->dataset, remake)
             ? -1
             : 0;
}

void rattle__sums_keep(rattle__sums *sums, rattle__sums *before) {
  if (sums->width != before->width || sums->block != before->block) return;
  sums->checked = before->checked, sums->room = before->room;
  before->checked = NULL, before->room = 0;
}

int rattle__sums_close(rattle__sums *sums) {
  const int failed = sums->dataset >= 0 && H5Dclose(sums->dataset) < 0;
  rattle__grid_free(&sums->grid);
  free(sums->checked);
  *sums = (rattle__sums){.dataset = -1};
  return failed ? -1 : 0;
}

/* Row `block` of the data set, `count` sums from `first` on. */
static int transfer(const rattle__sums *sums, long long block, int first, int count,
                    uint64_t *values, int write) {
  const hsize_t start[2] = {(hsize_t)block, (hsize_t)first}, size[2] = {1, (hsize_t)count};
  hid_t memory = H5Screate_simple(2, size, NULL), file = H5Dget_space(sums->dataset);
  int failed = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0;
  if (!failed)
    failed =
        (write ? H5Dwrite(sums->dataset, H5T_NATIVE_INT64, memory, file, H5P_DEFAULT, values)
               : H5Dread(sums->dataset, H5T_NATIVE_INT64, memory, file, H5P_DEFAULT, values)) < 0;
  H5Sclose(memory), H5Sclose(file);
  return failed ? -1 : 0;
}

static int read_sum(const rattle__sums *sums, long long block, int c, uint64_t *sum) {
  return sums->grid ? rattle__grid_read_place(sums->grid, c, block, 1, sum)
                    : transfer(sums, block, c, 1, sum, 0);
}

/* The sums of the block at the end of table t, which is not full; NULL if they do not fit its
 * rows. */
static uint64_t *open_sums(const rattle__store *store, int t) {
  const rattle__checkpoint *checkpoint = &store->checkpoint;
  if (t > 0) return (uint64_t *)rattle__event_of(checkpoint, t) + RATTLE__EVENT_SUMS;
  return store->table[0].sums.width > 0 && checkpoint->summed ? checkpoint->sums : NULL;
}

long long rattle__rows_kept(const rattle__store *store, int t) {
  return t > 0 ? rattle__event_of(&store->checkpoint, t)[RATTLE__EVENT_ROWS]
               : store->checkpoint.head.samples;
}

int rattle__sums_add(rattle__store *store, int t, long long first, long long count,
                     void *const *rows) {
  rattle__sums *sums = &store->table[t].sums;
  uint64_t *open = open_sums(store, t);
  if (!open) return 0;
  for (int c = 0; c < sums->width; c++)
    open[c] += rattle__sum_rows(first, count, store->table[t].channels.channel[c].width, rows[c]);
  if ((first + count) % sums->block != 0) return 0;
  const long long block = first / sums->block;
  const hsize_t dims[2] = {(hsize_t)block + 1, (hsize_t)sums->width};
  if (H5Dset_extent(sums->dataset, dims) < 0 || transfer(sums, block, 0, sums->width, open, 1))
    return -1;
  memset(open, 0, (size_t)sums->width * sizeof *open);
  return 0;
}

/* True if the sum holds for the block that begins with row `first` and has `count` of them. */
static int is_whole(const rattle__store *store, int t, int c, long long first, long long count) {
  const rattle__sums *sums = &store->table[t].sums;
  const rattle__channel *channel = &store->table[t].channels.channel[c];
  uint64_t want = open_sums(store, t)[c];
  if (count == sums->block && read_sum(sums, first / sums->block, c, &want)) return 0;
  void *rows = malloc((size_t)count * (size_t)channel->width * NUMBER);
  if (!rows) return rattle__h5_no_memory(), 0;
  const int whole = !rattle__channel_read(channel, first, count, rows) &&
                    rattle__sum_rows(first, count, channel->width, rows) == want;
  free(rows);
  return whole;
}

/* How far the table of what was checked reaches: a byte for each block and channel. */
static int make_room(rattle__sums *sums, long long blocks) {
  if (blocks <= sums->room) return 0;
  const long long room = blocks > 2 * sums->room ? blocks : 2 * sums->room;
  unsigned char *grown = realloc(sums->checked, (size_t)room * (size_t)sums->width);
  if (!grown) return rattle__h5_no_memory();
  memset(grown + (size_t)sums->room * (size_t)sums->width, 0,
         (size_t)(room - sums->room) * (size_t)sums->width);
  sums->checked = grown, sums->room = room;
  return 0;
}

long long rattle__sums_check(const rattle__store *store, int t, int c, long long first,
                             long long count) {
  rattle__sums *sums = &store->table[t].sums; /* a cache; HDF5's lock is held */
  const long long kept = rattle__rows_kept(store, t), end = first + count;
  if (!open_sums(store, t) || store->table[t].channels.channel[c].width == 0 || count <= 0)
    return end;
  if (make_room(sums, (end - 1) / sums->block + 1)) return first;
  for (long long block = first / sums->block; block * sums->block < end; block++) {
    const long long begin = block * sums->block, left = kept - begin,
                    rows = left < sums->block ? left : sums->block;
    unsigned char *checked = &sums->checked[(size_t)block * (size_t)sums->width + (size_t)c];
    if (*checked && rows == sums->block) continue;
    if (!is_whole(store, t, c, begin, rows)) return begin;
    *checked = rows == sums->block;
  }
  return end;
}
