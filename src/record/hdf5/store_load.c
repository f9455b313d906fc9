/* Record files that exist: opened, loaded, read again.
 *
 * Each function that loads runs in a child, with HDF5, and here, without (parcel.h). */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ground/support/error.h"
#include "record/hdf5/store.h"

static int open_tables(rattle__store *store) {
  char path[RATTLE__PATH];
  if (rattle__store_make_tables(store)) return -1;
  for (int t = 0; t < store->tables; t++) {
    rattle__record_table *table = &store->table[t];
    const long long rows = rattle__rows_kept(store, t);
    if (rattle__channels_open(&table->channels, &store->about, t, store->file, store->origin,
                              rows) ||
        rattle__sums_open(&table->sums, &table->channels, store->file,
                          rattle__sums_path(&store->about, t, path), store->origin, rows) ||
        (t > 0 && table->sums.width == 0))
      return -1;
  }
  return 0;
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
static int load_slots(rattle__checkpoint *checkpoint, const rattle__slots *slots) {
  int torn = rattle__checkpoint_load(checkpoint, slots);
  for (int attempt = 1; attempt < 20 && torn == 1; attempt++) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    torn = rattle__slots_refresh(slots) ? -1 : rattle__checkpoint_load(checkpoint, slots);
  }
  return torn;
}

static int load_checkpoint(rattle__store *store) {
  rattle__checkpoint *checkpoint = &store->checkpoint;
  if (!rattle__takes() && load_slots(checkpoint, &store->slots)) return -1;
  return rattle__checkpoint_pass(checkpoint) || !is_sane(&checkpoint->head) ? -1 : 0;
}

/* The message of the end, and the warnings, if they can be read. */
static int load_texts(rattle__store *store) {
  if (!rattle__takes()) {
    store->speechless = rattle__message_load(&store->slots, store->message) != 0;
    store->silent = rattle__warnings_load(&store->slots, &store->sentences) != 0;
  }
  if (rattle__pass(&store->speechless, sizeof store->speechless) ||
      rattle__pass(&store->silent, sizeof store->silent) ||
      rattle__pass(store->message, sizeof store->message) ||
      rattle__pass(&store->sentences, sizeof store->sentences))
    return -1;
  store->message[store->speechless ? 0 : RATTLE__MESSAGE_SIZE - 1] = 0;
  for (int i = 0; i < RATTLE__WARNINGS; i++)
    store->sentences.text[i][store->silent ? 0 : RATTLE__MESSAGE_SIZE - 1] = 0;
  return 0;
}

/* A file that is being loaded. */
typedef struct opening {
  rattle__store *store;
  const rattle__h5 *h5;
  const char *path;
  rattle__purpose purpose;
  int again; /* 1: its description is known */
} opening;

static rattle_status load_about(const opening *asked, rattle__store *store, rattle_error *error) {
  rattle_status status = check_format(store->file, asked->h5, asked->path, error);
  if (status) return status;
  return rattle__about_read(&store->about, store->file)
             ? damaged(error, asked->h5, asked->path, "description of the run")
             : RATTLE_OK;
}

/* The slots before the channels: what a checkpoint counts was flushed before it, so datasets opened
 * later hold it. */
static rattle_status load_rest(const opening *asked, rattle__store *store, rattle_error *error) {
  const rattle__h5 *h5 = asked->h5;
  const char *path = asked->path;
  const int salvage = asked->purpose == RATTLE__TO_SALVAGE;
  if (!rattle__takes() && rattle__slots_open(&store->slots, &store->about, store->file))
    return damaged(error, h5, path, "checkpoint");
  if (rattle__checkpoint_allot(&store->checkpoint, &store->about)) return rattle__no_memory(error);
  if (load_checkpoint(store)) return damaged(error, h5, path, "checkpoint");
  if (load_texts(store) || (!salvage && (store->speechless || store->silent)))
    return damaged(error, h5, path, "last messages");
  if (open_tables(store)) return damaged(error, h5, path, "table of samples");
  for (int t = 0; t < store->tables; t++) {
    const long long most = rattle__channels_most(&store->table[t].channels),
                    kept = rattle__rows_kept(store, t);
    if (most < 0 || kept < 0 || (kept > most && !salvage))
      return damaged(error, h5, path, t ? "table of events" : "table of samples");
  }
  return RATTLE_OK;
}

static rattle_status load(const opening *asked, rattle__store *store, rattle_error *error) {
  const rattle_status status = asked->again ? RATTLE_OK : load_about(asked, store, error);
  return status ? status : load_rest(asked, store, error);
}

/* With HDF5. */
static rattle_status open_and_load(const opening *asked, rattle__store *store,
                                   rattle_error *error) {
  const char *path = asked->path;
  store->file = rattle__origin_reach(path, store->origin, asked->purpose, &store->trouble);
  if (store->file >= 0) return load(asked, store, error);
  if (asked->h5->no_memory) return rattle__no_memory(error);
  return rattle__fail(error, RATTLE_BAD_RECORD, path, "%s could not be opened as a record: %s; %s",
                      path, asked->h5->reason, rattle_status_remedy(RATTLE_BAD_RECORD));
}

static rattle_status act(void *self, rattle_error *error) {
  const opening *asked = self;
  if (rattle__takes()) return load(asked, asked->store, error);
  rattle__store own = rattle__store_none; /* of the child */
  own.trouble = RATTLE__DRY, own.origin = asked->store->origin;
  if (asked->again) own.about = asked->store->about;
  const rattle_status status = open_and_load(asked, &own, error);
  if (rattle__forks()) return status; /* and ends: nothing is closed */
  own.origin = NULL;
  if (asked->again) own.about = (rattle__about){0};
  (void)rattle__store_close(&own);
  rattle__store_free(&own);
  return status;
}

static rattle_status open_apart(opening *asked, rattle_error *error) {
  const rattle__question question = {asked->path, act, asked, -1};
  const rattle_status status = rattle__origin_open(&asked->store->origin, asked->path, error);
  if (status) return status;
  asked->store->origin->salvage = asked->purpose == RATTLE__TO_SALVAGE;
  return rattle__apart(&question, error);
}

rattle_status rattle__store_open(rattle__store *store, rattle__h5 *h5, const char *path,
                                 rattle__purpose purpose, rattle_error *error) {
  opening asked = {.store = store, .h5 = h5, .path = path, .purpose = purpose};
  *store = rattle__store_none;
  const rattle_status status = open_apart(&asked, error);
  if (!status) return RATTLE_OK;
  (void)rattle__store_close(store);
  rattle__store_free(store);
  return status;
}

/* Rows that a checkpoint counts and that are not there. */
static rattle_status check_rows(const rattle__store *store, const char *path, rattle_error *error) {
  for (int t = 0; t < store->tables; t++)
    if (rattle__channels_samples(&store->table[t].channels) < rattle__rows_kept(store, t))
      return bad(error, path, "is truncated: some of its samples are lost");
  return RATTLE_OK;
}

/* All that is read again of a store. */
static void close_parts(rattle__store *store) {
  for (int t = 0; t < store->tables; t++) {
    (void)rattle__channels_close(&store->table[t].channels);
    (void)rattle__sums_close(&store->table[t].sums);
  }
  free(store->table), free(store->checkpoint.state);
}

rattle_status rattle__store_refresh(rattle__store *store, rattle__h5 *h5, const char *path,
                                    rattle_error *error) {
  rattle__store newest = rattle__store_none, before = *store;
  newest.about = store->about, newest.origin = store->origin;
  opening asked = {
      .store = &newest, .h5 = h5, .path = path, .purpose = RATTLE__TO_READ, .again = 1};
  const rattle__question question = {path, act, &asked, -1};
  rattle_status status = rattle__apart(&question, error);
  if (!status) status = check_rows(&newest, path, error);
  for (int t = 0; t < newest.tables && !status; t++) /* blocks that were whole are so still */
    rattle__sums_keep(&newest.table[t].sums, &before.table[t].sums);
  if (!status) *store = newest;
  close_parts(status ? &newest : &before);
  return status;
}
