/* Rows in the places that their chunks have in the file. */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/hdf5/grid.h"

enum { NUMBER = 8 };

/* ---- the places ---- */

static long long parts_of(const rattle__grid *grid) {
  return (grid->middle + grid->chunk_middle - 1) / grid->chunk_middle;
}

static long long chunks_of(const rattle__grid *grid) {
  return (grid->rows + grid->chunk_rows - 1) / grid->chunk_rows * parts_of(grid);
}

static long long chunk_bytes(const rattle__grid *grid) {
  return NUMBER * grid->chunk_rows * grid->chunk_middle * grid->last;
}

/* In the child: how the data set lies in the file. */
static int look(rattle__grid *grid, hid_t dataset, int rank) {
  hsize_t chunk[3] = {1, 1, 1};
  hid_t creation = H5Dget_create_plist(dataset), stored = H5Dget_type(dataset);
  const int chunked =
      H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, 3, chunk) == rank;
  grid->packed = !chunked || H5Pget_nfilters(creation) != 0 || H5Tequal(stored, grid->type) <= 0 ||
                 (long long)chunk[2] != grid->last;
  H5Tclose(stored), H5Pclose(creation);
  grid->chunk_rows = (long long)chunk[0], grid->chunk_middle = (long long)chunk[1];
  if (!chunked) /* in one piece */
    grid->chunk_rows = grid->rows > 0 ? grid->rows : 1, grid->chunk_middle = grid->middle;
  return rattle__h5_place_of(dataset, &grid->place);
}

/* In the child, by HDF5's own word, for which it goes through all chunks before: where chunk i
 * ends. -1: its place cannot be read. */
static int ask_for_chunk(const rattle__grid *grid, hid_t dataset, long long i, long long *end) {
  const long long parts = parts_of(grid);
  const hsize_t at[3] = {(hsize_t)(i / parts * grid->chunk_rows),
                         (hsize_t)(i % parts * grid->chunk_middle), 0};
  unsigned filters;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  if (H5Dget_chunk_info_by_coord(dataset, at, &filters, &address, &bytes) < 0) return -1;
  *end = address == HADDR_UNDEF ? -1 : (long long)(address + bytes);
  return 0;
}

/* The first number of each chunk, read or (write = 1) written as 0. */
static int touch_chunks(const rattle__grid *grid, hid_t dataset, int rank, int write) {
  const long long count = chunks_of(grid);
  const hsize_t start[3] = {0},
                stride[3] = {(hsize_t)grid->chunk_rows, (hsize_t)grid->chunk_middle,
                             (hsize_t)grid->last},
                chunks[3] = {(hsize_t)(count / parts_of(grid)), (hsize_t)parts_of(grid), 1};
  double *first = calloc((size_t)count + 1, sizeof *first);
  hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(rank, chunks, NULL);
  int failed = !first ? rattle__h5_no_memory()
                      : H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, chunks, NULL) < 0;
  if (!failed)
    failed = (write ? H5Dwrite(dataset, grid->type, memory, space, H5P_DEFAULT, first)
                    : H5Dread(dataset, grid->type, memory, space, H5P_DEFAULT, first)) < 0;
  H5Sclose(memory), H5Sclose(space);
  free(first);
  return failed ? -1 : 0;
}

/* The first number of each chunk is read, by a driver that notes where. 0: HDF5 has not asked for
 * each of them, in their order. */
static int hear_chunks(const rattle__grid *grid, hid_t dataset, int rank) {
  const long long count = chunks_of(grid);
  rattle__heard heard = {.place = grid->end, .room = count};
  hid_t file = H5Iget_file_id(dataset);
  const int failed = rattle__driver_listen(file, &heard) || touch_chunks(grid, dataset, rank, 0);
  (void)rattle__driver_listen(file, NULL);
  H5Fclose(file);
  if (failed || heard.count != count) return 0;
  for (long long i = 0; i < count; i++) grid->end[i] += chunk_bytes(grid);
  long long last = grid->end[count - 1];
  return count == 1 ||
         (!ask_for_chunk(grid, dataset, count - 1, &last) && last == grid->end[count - 1]);
}

static void list_chunks(const rattle__grid *grid, hid_t dataset, int rank) {
  const long long count = chunks_of(grid);
  const haddr_t whole = H5Dget_offset(dataset); /* of one that has no chunks */
  if (whole != HADDR_UNDEF) {
    if (count == 1) grid->end[0] = (long long)whole + chunk_bytes(grid);
  } else if (count > 0 && (grid->packed || !hear_chunks(grid, dataset, rank))) {
    memset(grid->end, -1, (size_t)count * sizeof *grid->end);
    for (long long i = 0; i < count && !ask_for_chunk(grid, dataset, i, &grid->end[i]);) i++;
  }
}

/* Sizes that can be multiplied. */
static int is_sane(const rattle__grid *grid) {
  const long long most = 1LL << 59;
  return grid->chunk_rows >= 1 && grid->chunk_rows <= most && grid->chunk_middle >= 1 &&
         grid->chunk_middle <= grid->middle &&
         grid->chunk_middle * grid->last <= most / grid->chunk_rows;
}

static int pass(rattle__grid *grid, hid_t dataset, int rank) {
  const int takes = rattle__takes();
  if (!takes && look(grid, dataset, rank)) return -1;
  if (rattle__pass(&grid->place, sizeof grid->place) ||
      rattle__pass(&grid->packed, sizeof grid->packed) ||
      rattle__pass(&grid->chunk_rows, sizeof grid->chunk_rows) ||
      rattle__pass(&grid->chunk_middle, sizeof grid->chunk_middle))
    return -1;
  if (!is_sane(grid)) return rattle__h5_refuse("a table", "has impossible chunks");
  const size_t count = (size_t)chunks_of(grid);
  if (!takes) {
    grid->end = malloc(count * sizeof *grid->end + 1);
    if (!grid->end) return rattle__h5_no_memory();
    memset(grid->end, -1, count * sizeof *grid->end);
    if (!grid->packed || grid->origin->salvage) list_chunks(grid, dataset, rank);
  }
  long long *end = rattle__pass_list(grid->end, count, sizeof *grid->end);
  if (takes) grid->end = end;
  return end ? 0 : -1;
}

int rattle__grid_make(rattle__grid **grid, const rattle__origin *origin, hid_t dataset,
                      const rattle__extent *shape, long long rows) {
  const int rank = shape->rank;
  rattle__grid *own = *grid = calloc(1, sizeof *own);
  if (!own) return rattle__h5_no_memory();
  *own = (rattle__grid){.origin = origin,
                        .type = shape->type,
                        .unpacked = -1,
                        .rows = rows,
                        .middle = rank > 1 ? (long long)shape->dims[1] : 1,
                        .last = rank > 2 ? (long long)shape->dims[2] : 1};
  if (!pass(own, dataset, rank)) return 0;
  rattle__grid_free(grid);
  return -1;
}

void rattle__grid_free(rattle__grid **grid) {
  if (!*grid) return;
  if ((*grid)->unpacked >= 0) close((*grid)->unpacked);
  free((*grid)->end), free(*grid);
  *grid = NULL;
}

long long rattle__grid_within(const rattle__grid *grid, long long rows, long long size) {
  const long long parts = parts_of(grid), count = chunks_of(grid);
  for (long long i = 0; i < count && i / parts * grid->chunk_rows < rows; i++)
    if (grid->end[i] < 0 || grid->end[i] > size) return i / parts * grid->chunk_rows;
  return rows < grid->rows ? rows : grid->rows;
}

/* ---- in a file that is made anew ---- */

void rattle__grid_chunk(const rattle__grid *grid, hsize_t chunk[3]) {
  if (grid->packed) return;
  chunk[0] = (hsize_t)grid->chunk_rows, chunk[1] = (hsize_t)grid->chunk_middle;
}

/* Chunks that lie in what there was of the file, behind its superblock. */
static int are_there(const rattle__grid *grid, long long *place, long long size) {
  enum { SUPERBLOCK = 48 };
  const long long count = chunks_of(grid), bytes = chunk_bytes(grid);
  for (long long i = 0; i < count; i++) {
    place[i] = grid->end[i] - bytes;
    if (place[i] < SUPERBLOCK || grid->end[i] > size) return 0;
  }
  return 1;
}

/* HDF5 is made to write to each chunk, and our driver says where that is. HDF5's own index is read
 * again, to see that it says so. */
int rattle__grid_adopt(const rattle__grid *grid, hid_t dataset, rattle__remake *remake) {
  const long long count = chunks_of(grid);
  hid_t space = H5Dget_space(dataset);
  const int rank = H5Sget_simple_extent_ndims(space);
  rattle__grid found = *grid;
  long long *place = malloc((size_t)count * sizeof *place + 1);
  H5Sclose(space);
  found.end = malloc((size_t)count * sizeof *found.end + 1);
  int failed = !place || !found.end ? rattle__h5_no_memory() : 0;
  if (!failed && !are_there(grid, place, remake->begin))
    failed = rattle__h5_refuse("a table", "has rows without a place in the file");
  if (!failed && count > 0) {
    remake->place = place, remake->places = count, remake->given = 0;
    remake->size = chunk_bytes(grid);
    failed = touch_chunks(grid, dataset, rank, 1) || remake->given != count ||
             !hear_chunks(&found, dataset, rank) ||
             memcmp(found.end, grid->end, (size_t)count * sizeof *place) != 0;
    remake->place = NULL, remake->places = 0;
  }
  free(place), free(found.end);
  return failed ? -1 : 0;
}

/* ---- what is packed ---- */

static int write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t put = write(fd, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return rattle__h5_refuse("the temporary file of a table", strerror(errno));
    bytes += put, size -= (size_t)put;
  }
  return 0;
}

/* In portions of a chunk, which HDF5 unpacks whole. Returns how many rows there are before one that
 * cannot be unpacked. */
static long long unpack_rows(const rattle__grid *grid, hid_t dataset) {
  const long long width = grid->middle * grid->last;
  const long long portion = grid->chunk_rows < grid->rows ? grid->chunk_rows : grid->rows;
  char *rows = malloc((size_t)(portion * width) * NUMBER + 1);
  long long done = 0, count;
  for (int failed = !rows; done < grid->rows && !failed; done += failed ? 0 : count) {
    count = grid->rows - done < portion ? grid->rows - done : portion;
    const hsize_t start[3] = {(hsize_t)done},
                  size[3] = {(hsize_t)count, (hsize_t)grid->middle, (hsize_t)grid->last};
    hid_t file = H5Dget_space(dataset),
          memory = H5Screate_simple(H5Sget_simple_extent_ndims(file), size, NULL);
    failed = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
             H5Dread(dataset, grid->type, memory, file, H5P_DEFAULT, rows) < 0 ||
             write_all(grid->unpacked, rows, (size_t)(count * width) * NUMBER);
    H5Sclose(memory), H5Sclose(file);
  }
  free(rows);
  return done;
}

static rattle_status unpack(void *self, rattle_error *error) {
  rattle__grid *grid = self;
  const char *path = grid->origin->path;
  int trouble = RATTLE__DRY;
  if (rattle__takes()) return rattle__pass(&grid->good, sizeof grid->good) ? RATTLE_BAD_RECORD : 0;
  hid_t file = rattle__origin_reach(path, grid->origin, RATTLE__TO_READ, &trouble);
  hid_t dataset = file < 0 ? -1 : rattle__h5_open_again(file, &grid->place);
  const int failed = dataset < 0 || rattle__h5_check_plain(dataset, path);
  if (!failed) grid->good = unpack_rows(grid, dataset);
  if (dataset >= 0) H5Dclose(dataset);
  if (file >= 0) H5Fclose(file);
  if (failed || rattle__pass(&grid->good, sizeof grid->good))
    return rattle__h5_fail(rattle__h5_section(), error, path, "read");
  return RATTLE_OK;
}

/* Into a file without a name. */
int rattle__grid_unpack(rattle__grid *grid) {
  if (!grid->packed || grid->unpacked >= 0) return 0;
  FILE *room = tmpfile();
  grid->unpacked = room ? fcntl(fileno(room), F_DUPFD_CLOEXEC, 0) : -1;
  if (room) (void)fclose(room);
  if (grid->unpacked < 0)
    return rattle__h5_refuse("the temporary file of a table", strerror(errno));
  rattle_error error = {0};
  const rattle__question question = {grid->origin->path, unpack, grid, grid->unpacked};
  if (!rattle__apart(&question, &error)) return 0;
  close(grid->unpacked), grid->unpacked = -1;
  return rattle__h5_refuse(error.message[0] ? error.message : grid->origin->path,
                           "(while it was unpacked)");
}

/* ---- the numbers ---- */

/* Bytes beyond the end of the file read as zeros. */
static int read_at(int fd, char *bytes, size_t size, long long offset) {
  if (offset < 0) return rattle__h5_refuse("a table", "has rows without a place in the file");
  while (size > 0) {
    const ssize_t got = pread(fd, bytes, size, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return rattle__h5_refuse("a table", strerror(errno));
    if (got == 0) return memset(bytes, 0, size), 0;
    bytes += got, offset += got, size -= (size_t)got;
  }
  return 0;
}

/* A strip of rows: `count` of them, in one chunk. */
typedef struct strip {
  int fd;
  long long count, stride, offset; /* numbers from one row to the next; where the first row is */
} strip;

/* The strip that begins with row `row`, and holds part `part` of it, of at most `most` rows. */
static strip strip_of(const rattle__grid *grid, long long row, long long part, long long most) {
  if (grid->packed) {
    const long long width = grid->middle * grid->last;
    return (strip){grid->unpacked, most, width, NUMBER * row * width};
  }
  const long long width = grid->chunk_middle * grid->last, before = row % grid->chunk_rows,
                  left = grid->chunk_rows - before,
                  end = grid->end[row / grid->chunk_rows * parts_of(grid) + part];
  const long long begin = end < 0 ? -1 : end - chunk_bytes(grid);
  return (strip){grid->origin->fd, most < left ? most : left, width,
                 begin < 0 ? -1 : begin + NUMBER * before * width};
}

static int is_there(rattle__grid *grid, long long first, long long count) {
  if (rattle__grid_unpack(grid)) return 0;
  if (first >= 0 && first + count <= (grid->packed ? grid->good : grid->rows)) return 1;
  return rattle__h5_refuse("a table", "has rows that cannot be unpacked: damaged, or too many for "
                                      "the folder of temporary files"),
         0;
}

/* Part `part` of the rows of a strip, into rows that are wider. */
static int scatter(const rattle__grid *grid, const strip *from, long long part, char *rows) {
  const long long width = grid->middle * grid->last, at = part * grid->chunk_middle * grid->last;
  const size_t size = (size_t)(width - at < from->stride ? width - at : from->stride) * NUMBER;
  for (long long i = 0; i < from->count; i++)
    if (read_at(from->fd, rows + NUMBER * (i * width + at), size,
                from->offset < 0 ? -1 : from->offset + NUMBER * i * from->stride))
      return -1;
  return 0;
}

int rattle__grid_read(rattle__grid *grid, long long first, long long count, void *rows) {
  const long long width = grid->middle * grid->last, parts = grid->packed ? 1 : parts_of(grid);
  char *to = rows;
  if (!is_there(grid, first, count)) return -1;
  for (long long done = 0, some = 0; done < count; done += some) {
    int failed = 0;
    for (long long part = 0; part < parts && !failed; part++) {
      const strip from = strip_of(grid, first + done, part, count - done);
      char *own = to + NUMBER * done * width;
      failed = from.stride == width
                   ? read_at(from.fd, own, (size_t)(NUMBER * from.count * width), from.offset)
                   : scatter(grid, &from, part, own);
      some = from.count;
    }
    if (failed) return -1;
  }
  return 0;
}

/* From the first to the last number that is wanted of a strip, in one go where they lie
 * close. */
static int read_strided(const strip *from, long long at, char *room, long long room_size,
                        char *values) {
  const long long most = from->stride * NUMBER <= room_size ? room_size / NUMBER / from->stride : 1;
  for (long long done = 0; done < from->count; done += most) {
    const long long count = from->count - done < most ? from->count - done : most;
    const size_t size = (size_t)((count - 1) * from->stride + 1) * NUMBER;
    if (read_at(from->fd, room, size,
                from->offset < 0 ? -1 : from->offset + NUMBER * (done * from->stride + at)))
      return -1;
    for (long long i = 0; i < count; i++)
      memcpy(values + NUMBER * (done + i), room + NUMBER * i * from->stride, NUMBER);
  }
  return 0;
}

int rattle__grid_read_place(rattle__grid *grid, int place, long long first, long long count,
                            void *values) {
  enum { ROOM = 1 << 18 };
  const long long part_width = grid->chunk_middle * grid->last,
                  part = grid->packed ? 0 : place / part_width, at = place - part * part_width;
  if (!is_there(grid, first, count)) return -1;
  char *room = malloc(ROOM), *to = values;
  int failed = room ? 0 : rattle__h5_no_memory();
  for (long long done = 0; done < count && !failed;) {
    const strip from = strip_of(grid, first + done, part, count - done);
    failed = read_strided(&from, at, room, ROOM, to + NUMBER * done);
    done += from.count;
  }
  free(room);
  return failed;
}
