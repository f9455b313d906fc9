/* A record file with its parts: made, opened, closed. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

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

int rattle__store_make_tables(rattle__store *store) {
  store->tables = 0;
  free(store->table);
  store->table = calloc((size_t)rattle__tables_of(&store->about), sizeof *store->table);
  if (!store->table) return rattle__h5_no_memory();
  store->tables = rattle__tables_of(&store->about);
  for (int t = 0; t < store->tables; t++) store->table[t].sums.dataset = -1;
  return 0;
}

const char *rattle__sums_path(const rattle__about *about, int t, char path[RATTLE__PATH]) {
  if (t == 0) return RATTLE__SUMS;
  rattle__event_path(about, t, "sums", path);
  return path;
}

/* Have all rows of table t places of their own and checksums? */
int rattle__is_adopted(const rattle__store *old, int t) {
  const rattle__record_channels *channels = &old->table[t].channels;
  const rattle__sums *sums = &old->table[t].sums;
  int fit = sums->grid && !sums->grid->packed && (t > 0 || old->checkpoint.summed);
  for (int c = 0; c < channels->count && fit; c++)
    fit = channels->channel[c].width == 0 || !channels->channel[c].grid->packed;
  return fit;
}

static int write_tables(rattle__store *store, const rattle__store *old) {
  const rattle__about *about = &store->about;
  const long long expected =
      about->steps > 0 && about->every > 0 ? about->steps / about->every + 2 : LLONG_MAX;
  char path[RATTLE__PATH];
  if (rattle__store_make_tables(store)) return -1;
  for (int t = 0; t < store->tables; t++) {
    rattle__record_table *table = &store->table[t];
    const rattle__record_table *like = old && rattle__is_adopted(old, t) ? &old->table[t] : NULL;
    const rattle__making how = {.expected = t ? EVENTS_EXPECTED : expected,
                                .like = like ? &like->channels : NULL,
                                .interrupt = store->interrupt};
    if (rattle__channels_make(&table->channels, about, t, store->file, &how) ||
        rattle__sums_make(&table->sums, &table->channels, store->file,
                          rattle__sums_path(about, t, path), like ? &like->sums : NULL))
      return -1;
  }
  return 0;
}

int rattle__store_make(rattle__store *store, const char *path, const rattle__store *old) {
  hid_t list = rattle__h5_access_to_write(&store->trouble, old ? &store->remake : NULL),
        creation = H5Pcreate(H5P_FILE_CREATE);
  store->slots = rattle__store_none.slots;
  /* our driver alone says where things lie */
  H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_NONE, 0, 1);
  store->file = list < 0 ? -1 : rattle__h5_create_file(path, creation, list);
  if (list >= 0) H5Pclose(list);
  H5Pclose(creation);
  if (store->file < 0) return -1;
  return rattle__about_write(&store->about, store->file) ||
                 rattle__slots_make(&store->slots, &store->checkpoint, store->file) ||
                 write_tables(store, old) || H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0 ||
                 store->trouble
             ? -1
             : 0;
}

int rattle__store_share(rattle__store *store) {
  return H5Fstart_swmr_write(store->file) < 0 || store->trouble ? -1 : 0;
}

int rattle__store_close(rattle__store *store) {
  int failed = rattle__slots_close(&store->slots);
  for (int t = 0; t < store->tables; t++)
    failed |= rattle__channels_close(&store->table[t].channels) |
              rattle__sums_close(&store->table[t].sums);
  if (store->file >= 0) failed |= H5Fclose(store->file) < 0;
  store->file = -1;
  rattle__origin_close(store->origin);
  store->origin = NULL;
  return store->trouble ? store->trouble : failed ? EIO : 0;
}

void rattle__store_free(rattle__store *store) {
  rattle__about_free(&store->about);
  free(store->checkpoint.state);
  store->checkpoint.state = NULL;
  free(store->table);
  store->table = NULL, store->tables = 0;
}
