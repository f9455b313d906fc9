/* A record file with its parts: made, opened, closed. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "ground/support/error.h"
#include "files/observe/place.h"
#include "record/hdf5/store.h"

enum { EVENTS_EXPECTED = 1024 }; /* rows in a chunk, if they are not too wide */

const rattle__store rattle__store_none = {.file = -1,
                                          .slots = {.head = -1,
                                                    .figures = -1,
                                                    .state = -1,
                                                    .message = -1,
                                                    .warnings = -1,
                                                    .sums = -1,
                                                    .event = -1}};

/* Tables without datasets; those that there were are closed. */
static int make_tables(rattle__store *store) {
  store->tables = 0;
  free(store->table);
  store->table = calloc((size_t)rattle__tables_of(&store->about), sizeof *store->table);
  if (!store->table) return rattle__h5_no_memory();
  store->tables = rattle__tables_of(&store->about);
  for (int t = 0; t < store->tables; t++) store->table[t].sums.dataset = -1;
  return 0;
}

/* The path of the checksums of a table. */
static const char *sums_path(const rattle__about *about, int t, char path[RATTLE__PATH]) {
  if (t == 0) return RATTLE__SUMS;
  rattle__event_path(about, t, "sums", path);
  return path;
}

static int write_tables(rattle__store *store, long long expected) {
  char path[RATTLE__PATH];
  if (make_tables(store)) return -1;
  for (int t = 0; t < store->tables; t++) {
    rattle__record_table *table = &store->table[t];
    if (rattle__channels_make(&table->channels, &store->about, t, store->file,
                              t ? EVENTS_EXPECTED : expected, store->interrupt) ||
        rattle__sums_make(&table->sums, &table->channels, store->file,
                          sums_path(&store->about, t, path)))
      return -1;
  }
  return 0;
}

static int open_tables(rattle__store *store) {
  char path[RATTLE__PATH];
  if (make_tables(store)) return -1;
  for (int t = 0; t < store->tables; t++) {
    rattle__record_table *table = &store->table[t];
    if (rattle__channels_open(&table->channels, &store->about, t, store->file) ||
        rattle__sums_open(&table->sums, &table->channels, store->file,
                          sums_path(&store->about, t, path)) ||
        (t > 0 && table->sums.dataset < 0))
      return -1;
  }
  return 0;
}

/* HDF5's memory of what lies where keeps its size: it would grow to sixteen times that, and each
 * flush goes through all of it. */
static int keep_small(hid_t list) {
  H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(list, &cache) < 0) return -1;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  return H5Pset_mdc_config(list, &cache) < 0 ? -1 : 0;
}

/* The latest format: SWMR needs it. A writer has no cache of chunks: its rows come in good portions
 * anyway, and a cached chunk that finds the disk full is lost to HDF5's own book-keeping, which
 * then complains on standard error at the end of the process. */
static hid_t access_list(int *trouble, int to_write) {
  hid_t list = rattle__h5_access();
  if ((to_write && (H5Pset_cache(list, 0, 0, 0, 1) < 0 || keep_small(list))) ||
      rattle__driver_use(list, trouble)) {
    H5Pclose(list);
    return -1;
  }
  return list;
}

int rattle__store_make(rattle__store *store, const char *path, int swmr) {
  hid_t list = access_list(&store->trouble, 1), creation = H5Pcreate(H5P_FILE_CREATE);
  store->slots = rattle__store_none.slots;
  /* our driver alone says where things lie */
  H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_NONE, 0, 1);
  store->file = list < 0 ? -1 : rattle__h5_create_file(path, creation, list);
  if (list >= 0) H5Pclose(list);
  H5Pclose(creation);
  if (store->file < 0) return -1;
  const rattle__about *about = &store->about;
  long long expected =
      about->steps > 0 && about->every > 0 ? about->steps / about->every + 2 : LLONG_MAX;
  if (rattle__about_write(about, store->file) ||
      rattle__slots_make(&store->slots, &store->checkpoint, store->file) ||
      write_tables(store, expected) || H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0 || store->trouble)
    return -1;
  return (swmr && H5Fstart_swmr_write(store->file) < 0) || store->trouble ? -1 : 0;
}

/* A reader and a writer lock the file for the moment of opening: the other waits for that
 * moment. */
static hid_t open_patiently(rattle__store *store, const char *path, unsigned flags,
                            unsigned attempts, rattle__h5 *h5) {
  hid_t list = access_list(&store->trouble, (flags & H5F_ACC_RDWR) != 0), file = -1;
  if (list < 0) return -1;
  H5Pset_metadata_read_attempts(list, attempts);
  for (int attempt = 0; attempt < 40; attempt++) {
    h5->reason[0] = 0;
    file = rattle__h5_open_file(path, flags, list);
    if (file >= 0 || !strstr(h5->reason, strerror(EAGAIN))) break;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  H5Pclose(list);
  return file;
}

/* HDF5 lets a reader keep its lock for as long as the file is open, and a run could not be resumed
 * while someone reads its record. Our own lock and the checkpoints do without. */
static void let_writers_in(hid_t file) {
  void *handle = NULL;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle)
    (void)flock(*(int *)handle, LOCK_UN);
}

static rattle_status bad(rattle_error *error, const char *path, const char *why) {
  return rattle__fail(error, RATTLE_BAD_RECORD, path, "%s %s", path, why);
}

/* With the first reason in the section, if there is one. */
static rattle_status damaged(rattle_error *error, const rattle__h5 *h5, const char *path,
                             const char *what) {
  if (h5->no_memory) return rattle__no_memory(error);
  return rattle__fail(error, RATTLE_BAD_RECORD, path, "%s is damaged: its %s cannot be read%s%s",
                      path, what, h5->reason[0] ? ": " : "", h5->reason);
}

/* By what other files of this library have. */
static rattle_status not_a_record(hid_t file, const char *path, rattle_error *error) {
  if (rattle__h5_attribute_exists(file, "/cases", "format") > 0)
    return bad(error, path,
               "holds rows of a sweep or of samples: it is not a record of rattle, which holds one "
               "run with its trajectory");
  if (rattle__h5_attribute_exists(file, "/study", "format") > 0)
    return bad(error, path,
               "holds a study: it is not a record of rattle, which holds one run with its "
               "trajectory");
  return bad(error, path, "is an HDF5 file, but not a record of rattle");
}

/* Is it a record, and one that this library reads? */
static rattle_status check_format(hid_t file, const rattle__h5 *h5, const char *path,
                                  rattle_error *error) {
  long long format;
  const int missing = rattle__h5_attribute_exists(file, "/rattle", "format") <= 0 ||
                      rattle__h5_read_integer_attribute(file, "/rattle", "format", &format);
  if (h5->no_memory) return rattle__no_memory(error);
  if (missing) return not_a_record(file, path, error);
  if (format <= RATTLE__RECORD_FORMAT) return RATTLE_OK;
  char *version = NULL;
  (void)rattle__h5_read_text_attribute(file, "/rattle", "version", &version);
  rattle__fail(
      error, RATTLE_NEWER_RECORD, path,
      "%s was written by rattle %s in record format %lld; rattle %s reads formats up to %d: %s",
      path, version ? version : "(unknown)", format, rattle_version(), RATTLE__RECORD_FORMAT,
      rattle_status_remedy(RATTLE_NEWER_RECORD));
  free(version);
  return RATTLE_NEWER_RECORD;
}

static int is_sane(const rattle__head *head) {
  return head->samples >= 0 && head->step >= 0 && head->steps_asked >= 0 && head->status >= 0 &&
         head->status < RATTLE_STATUS_COUNT;
}

/* A reader may find both slots torn for a moment while the writer works, and tries again; HDF5's
 * cache must be dropped for that. 1: torn in every attempt; -1: not readable. */
static int load_checkpoint(rattle__checkpoint *checkpoint, const rattle__slots *slots) {
  int torn = rattle__checkpoint_load(checkpoint, slots);
  for (int attempt = 1; attempt < 20 && torn == 1; attempt++) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    torn = rattle__slots_refresh(slots) ? -1 : rattle__checkpoint_load(checkpoint, slots);
  }
  return torn == 0 && !is_sane(&checkpoint->head) ? -1 : torn;
}

/* The slots before the channels: what a checkpoint counts was flushed before it, so datasets opened
 * later hold it. */
static rattle_status load(rattle__store *store, const rattle__h5 *h5, const char *path,
                          rattle__purpose purpose, rattle_error *error) {
  rattle_status status = check_format(store->file, h5, path, error);
  if (status) return status;
  if (rattle__about_read(&store->about, store->file))
    return damaged(error, h5, path, "description of the run");
  if (rattle__slots_open(&store->slots, &store->about, store->file))
    return damaged(error, h5, path, "checkpoint");
  if (rattle__checkpoint_allot(&store->checkpoint, &store->about)) return rattle__no_memory(error);
  if (load_checkpoint(&store->checkpoint, &store->slots))
    return damaged(error, h5, path, "checkpoint");
  if (open_tables(store)) return damaged(error, h5, path, "table of samples");
  for (int t = 0; t < store->tables; t++) {
    const long long most = rattle__channels_most(&store->table[t].channels),
                    kept = rattle__rows_kept(store, t);
    if (most < 0 || kept < 0 || (kept > most && purpose != RATTLE__TO_SALVAGE))
      return damaged(error, h5, path, t ? "table of events" : "table of samples");
  }
  return RATTLE_OK;
}

static rattle_status open_here(rattle__store *store, rattle__h5 *h5, const char *path,
                               rattle__purpose purpose, rattle_error *error) {
  /* HDF5 waits twice as long before each further attempt at metadata that is being rewritten: 24
   * make 16 ms, its own 100 an age */
  unsigned attempts = purpose == RATTLE__TO_READ ? 24 : 1;
  unsigned flags = purpose == RATTLE__TO_WRITE ? H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE
                                               : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
  store->file = open_patiently(store, path, flags, attempts, h5);
  /* without SWMR where another tool has rewritten the file in an older format */
  if (store->file < 0 && purpose != RATTLE__TO_WRITE)
    store->file = open_patiently(store, path, H5F_ACC_RDONLY, attempts, h5);
  if (store->file < 0 && h5->no_memory) return rattle__no_memory(error);
  if (store->file < 0)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s could not be opened as a record: %s; %s", path, h5->reason,
                        rattle_status_remedy(RATTLE_BAD_RECORD));
  if (purpose != RATTLE__TO_WRITE) let_writers_in(store->file);
  rattle_status status = load(store, h5, path, purpose, error);
  if (status) {
    rattle__store_close(store);
    rattle__store_free(store);
  }
  return status;
}

/* The arguments of rattle__store_open. */
typedef struct opening {
  rattle__h5 *h5;
  const char *path;
  rattle__purpose purpose;
} opening;

/* All that a reader does, in the child: also the indices of the chunks, which HDF5 reads with the
 * samples. */
static rattle_status act(void *self, rattle_error *error) {
  const opening *asked = self;
  rattle__store store = rattle__store_none;
  store.trouble = RATTLE__DRY;
  rattle_status status = open_here(&store, asked->h5, asked->path, asked->purpose, error);
  if (status) return status;
  char message[RATTLE__MESSAGE_SIZE];
  rattle__sentences warnings;
  (void)rattle__message_load(&store.slots, message);
  (void)rattle__warnings_load(&store.slots, &warnings);
  for (int t = 0; t < store.tables; t++) {
    rattle__channels_visit(&store.table[t].channels, rattle__rows_kept(&store, t));
    if (store.table[t].sums.dataset >= 0) rattle__h5_visit_chunks(store.table[t].sums.dataset);
  }
  (void)rattle__store_close(&store);
  rattle__store_free(&store);
  return RATTLE_OK;
}

rattle_status rattle__store_open(rattle__store *store, rattle__h5 *h5, const char *path,
                                 rattle__purpose purpose, rattle_error *error) {
  opening asked = {.h5 = h5, .path = path, .purpose = purpose};
  *store = rattle__store_none;
  rattle_status status = rattle__rehearse(path, act, &asked, error);
  return status ? status : open_here(store, h5, path, purpose, error);
}

static int refresh_tables(const rattle__store *store) {
  int failed = 0;
  for (int t = 0; t < store->tables && !failed; t++) {
    rattle__record_table *table = &store->table[t];
    failed = rattle__channels_refresh(&table->channels) ||
             (table->sums.dataset >= 0 && H5Drefresh(table->sums.dataset) < 0);
  }
  return failed ? -1 : 0;
}

/* Rows that a checkpoint counts and that are not there. */
static rattle_status check_rows(const rattle__store *store, const rattle__h5 *h5, const char *path,
                                rattle_error *error) {
  for (int t = 0; t < store->tables; t++) {
    const rattle__record_channels *channels = &store->table[t].channels;
    const long long kept = rattle__rows_kept(store, t);
    if (kept < 0 || rattle__channels_most(channels) < kept)
      return damaged(error, h5, path, "table of samples");
    if (rattle__channels_samples(channels) < kept)
      return bad(error, path, "is truncated: some of its samples are lost");
  }
  return RATTLE_OK;
}

rattle_status rattle__store_refresh(rattle__store *store, rattle__h5 *h5, const char *path,
                                    rattle_error *error) {
  const rattle__checkpoint before = store->checkpoint;
  rattle__checkpoint newest;
  if (rattle__checkpoint_allot(&newest, &store->about)) return rattle__no_memory(error);
  rattle_status status = RATTLE_OK;
  /* the slots before the channels, as in load() */
  if (rattle__slots_refresh(&store->slots) || load_checkpoint(&newest, &store->slots) ||
      refresh_tables(store))
    status = rattle__h5_fail(h5, error, path, "read again");
  store->checkpoint = newest;
  if (!status) status = check_rows(store, h5, path, error);
  if (status) store->checkpoint = before;
  free(status ? newest.state : before.state);
  return status;
}

int rattle__store_close(rattle__store *store) {
  int failed = rattle__slots_close(&store->slots);
  for (int t = 0; t < store->tables; t++)
    failed |= rattle__channels_close(&store->table[t].channels) |
              rattle__sums_close(&store->table[t].sums);
  if (store->file >= 0) failed |= H5Fclose(store->file) < 0;
  store->file = -1;
  return store->trouble ? store->trouble : failed ? EIO : 0;
}

void rattle__store_free(rattle__store *store) {
  rattle__about_free(&store->about);
  free(store->checkpoint.state);
  store->checkpoint.state = NULL;
  free(store->table);
  store->table = NULL, store->tables = 0;
}
