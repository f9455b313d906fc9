/* A record that is continued.
 *
 * HDF5 writes to what it has read, and does harm where a stranger has made it. So nothing of the
 * file's metadata is read here: they are made anew by the functions that make a new record, from
 * what a child has said, behind what there is. Rows stay where they are, their chunks are given to
 * the new data sets. docs/decisions has the reasons. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/observe/place.h"
#include "ground/support/error.h"
#include "record/hdf5/store.h"

/* ---- what else the file holds ---- */

/* Pairs of a path and an attribute, "" for the object itself, one after the other, each ended by a
 * zero byte. */
typedef struct inventory {
  const rattle__store *store;
  const char *path;
  char *names;
  size_t size, room;
} inventory;

static int note(inventory *all, const char *name) {
  const size_t size = strlen(name) + 1;
  if (size > all->room - all->size) {
    const size_t room = 2 * all->room + size + 4096;
    char *grown = realloc(all->names, room);
    if (!grown) return rattle__h5_no_memory();
    all->names = grown, all->room = room;
  }
  memcpy(all->names + all->size, name, size);
  all->size += size;
  return 0;
}

typedef struct bearer {
  inventory *all;
  const char *path;
} bearer;

static herr_t note_attribute(hid_t object, const char *name, const H5A_info_t *info, void *self) {
  const bearer *of = self;
  (void)object, (void)info;
  return note(of->all, of->path) || note(of->all, name) ? -1 : 0;
}

/* Those of an object: -1, 0. */
static int note_attributes(inventory *all, hid_t file, const char *path) {
  bearer of = {all, path};
  return H5Aiterate_by_name(file, path, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note_attribute, &of,
                            H5P_DEFAULT) < 0
             ? -1
             : 0;
}

/* Groups of librattle's own hold what it has written, of whatever version. */
static int is_own(const char *path) {
  static const char *const own[] = {"/rattle", "/h5md"};
  for (int i = 0; i < 2; i++) {
    const size_t length = strlen(own[i]) - 1;
    if (strncmp(path, own[i] + 1, length) == 0 && (!path[length] || path[length] == '/')) return 1;
  }
  return 0;
}

static herr_t note_link(hid_t file, const char *path, const H5L_info_t *info, void *self) {
  inventory *all = self;
  if (is_own(path)) return 0;
  if (note(all, path) || note(all, "")) return -1;
  return info->type == H5L_TYPE_HARD ? note_attributes(all, file, path) : 0;
}

/* In a child: lists the file; here: takes the list. */
static rattle_status list_names(void *self, rattle_error *error) {
  inventory *all = self;
  int trouble = RATTLE__DRY, failed = 0;
  if (!rattle__takes()) {
    const hid_t file =
        rattle__origin_reach(all->path, all->store->origin, RATTLE__TO_READ, &trouble);
    failed = file < 0 || note_attributes(all, file, "/") ||
             H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_link, all) < 0;
    if (file >= 0) H5Fclose(file);
  }
  failed = failed || rattle__pass(&all->size, sizeof all->size);
  char *names = failed ? NULL : rattle__pass_list(all->names, all->size, 1);
  if (rattle__takes()) free(all->names), all->names = names;
  failed = failed || !names || (rattle__takes() && all->size > 0 && names[all->size - 1]);
  return failed ? rattle__h5_fail(rattle__h5_section(), error, all->path, "read") : RATTLE_OK;
}

/* An object that the new file has not: it would be lost. */
static rattle_status find_foreign(const inventory *all, const rattle__h5 *h5, hid_t file,
                                  rattle_error *error) {
  for (size_t at = 0; at < all->size;) {
    const char *path = all->names + at;
    at += strlen(path) + 1;
    const char *attribute = at < all->size ? all->names + at : "";
    at += strlen(attribute) + 1;
    const int there = strcmp(path, "/") == 0 ? 1 : rattle__h5_reaches(file, path);
    if (there < 0) return rattle__h5_fail(h5, error, all->path, "read");
    if (there == 1 && (!attribute[0] || H5Aexists_by_name(file, path, attribute, H5P_DEFAULT) > 0))
      continue;
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, all->path,
                        "%s also holds %s%s/%s, which is not of its run and would be lost when "
                        "that is continued: move it to another file first",
                        all->path, attribute, attribute[0] ? " of " : "", path + (path[0] == '/'));
  }
  return RATTLE_OK;
}

/* ---- the new metadata ---- */

static int adopt(rattle__store *store, const rattle__store *old, int t) {
  const long long rows = rattle__rows_kept(old, t);
  const rattle__record_table *from = &old->table[t];
  rattle__record_table *to = &store->table[t];
  if (!rattle__is_adopted(old, t)) return rattle__rows_copy(old, store, t, rows);
  for (int c = 0; c < to->channels.count; c++)
    if (rattle__channel_adopt(&to->channels.channel[c], &from->channels.channel[c], &store->remake))
      return -1;
  return rattle__sums_adopt(&to->sums, &from->sums, &store->remake);
}

static int make(rattle__store *store, const rattle__store *old, const char *path) {
  int failed = rattle__checkpoint_copy(&store->checkpoint, &old->checkpoint) ||
               rattle__store_make(store, path, old);
  for (int t = 0; t < old->tables && !failed; t++) failed = adopt(store, old, t);
  return failed || rattle__message_store(&store->slots, store->message) ||
                 rattle__warnings_store(&store->slots, &store->sentences) || store->trouble
             ? -1
             : 0;
}

/* Rows that are not adopted are unpacked before HDF5 has the file here. */
static int unpack(const rattle__store *old) {
  for (int t = 0; t < old->tables; t++)
    for (int c = 0; c < old->table[t].channels.count && !rattle__is_adopted(old, t); c++) {
      rattle__grid *grid = old->table[t].channels.channel[c].grid;
      if (grid && rattle__grid_unpack(grid)) return -1;
    }
  return 0;
}

static rattle_status fail(const rattle__store *store, const rattle__h5 *h5, const char *path,
                          rattle_error *error) {
  return store->trouble ? rattle__place_fail(error, path, "written", strerror(store->trouble))
                        : rattle__h5_fail(h5, error, path, "made ready to be continued");
}

/* In the place of the old store, whose address HDF5 knows; which comes back if this fails. */
static rattle_status remake(rattle__store *store, const inventory *all, rattle__h5 *h5,
                            rattle_error *error) {
  rattle__store old = *store;
  struct stat found;
  rattle_status status = RATTLE_OK;
  if (unpack(&old) || fstat(old.origin->fd, &found)) return fail(store, h5, all->path, error);
  *store = rattle__store_none;
  store->about = old.about, store->sentences = old.sentences;
  memcpy(store->message, old.message, sizeof store->message);
  store->remake = (rattle__remake){
      .device = found.st_dev, .inode = found.st_ino, .begin = (long long)found.st_size};
  if (make(store, &old, all->path)) status = fail(store, h5, all->path, error);
  if (!status) status = find_foreign(all, h5, store->file, error);
  if (!status && rattle__store_share(store)) status = fail(store, h5, all->path, error);
  rattle__store *over = status ? store : &old;
  (void)rattle__store_close(over);
  over->about = (rattle__about){0};
  rattle__store_free(over);
  if (status) *store = old;
  return status;
}

rattle_status rattle__store_remake(rattle__store *store, rattle__h5 *h5, const char *path,
                                   rattle_error *error) {
  inventory all = {.store = store, .path = path};
  const rattle__question question = {path, list_names, &all, -1};
  rattle_status status = rattle__apart(&question, error);
  if (!status) status = remake(store, &all, h5, error);
  free(all.names);
  return status;
}

int rattle__store_publish(rattle__store *store) {
  return rattle__driver_publish(store->file);
}
