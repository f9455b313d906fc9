/* Files that are read: opened here by a descriptor, and by HDF5 in a child. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/observe/place.h"
#include "ground/support/error.h"
#include "record/hdf5/grid.h"

rattle_status rattle__origin_open(rattle__origin **to, const char *path, rattle_error *error) {
  struct stat found;
  rattle__origin *origin = *to = calloc(1, sizeof *origin);
  if (!origin) return rattle__no_memory(error);
  origin->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (origin->fd < 0 || fstat(origin->fd, &found) != 0)
    return rattle__place_fail(error, path, "opened", strerror(errno));
  origin->device = found.st_dev, origin->inode = found.st_ino;
  origin->path = strdup(path);
  return origin->path ? RATTLE_OK : rattle__no_memory(error);
}

void rattle__origin_close(rattle__origin *origin) {
  if (!origin) return;
  if (origin->fd >= 0) close(origin->fd);
  free(origin->path), free(origin);
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

static hid_t access_with(hid_t list, int refused) {
  if (!refused && H5Pset_cache(list, 0, 0, 0, 1) >= 0) return list;
  H5Pclose(list);
  return -1;
}

hid_t rattle__h5_access_to_write(int *trouble, rattle__remake *remake) {
  hid_t list = rattle__h5_access();
  return access_with(list, keep_small(list) || rattle__driver_use(list, trouble, remake));
}

static hid_t access_to_read(int *trouble) {
  hid_t list = rattle__h5_access();
  return access_with(list,
                     H5Pset_sieve_buf_size(list, 1) < 0 || rattle__driver_use(list, trouble, NULL));
}

/* A reader and a writer lock the file for the moment of opening: the other waits for that
 * moment. */
static hid_t open_patiently(const char *path, unsigned flags, rattle__purpose purpose,
                            int *trouble) {
  /* HDF5 waits twice as long before each further attempt at metadata that is being rewritten: 24
   * make 16 ms, its own 100 an age */
  const unsigned attempts = purpose == RATTLE__TO_READ ? 24 : 1;
  rattle__h5 *h5 = rattle__h5_section();
  hid_t list = access_to_read(trouble), file = -1;
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
 * while someone reads its record. Our own lock and the checkpoints do without. -1: it is another
 * file. */
static int let_writers_in(hid_t file, const rattle__origin *origin) {
  void *handle = NULL;
  struct stat found;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle) return -1;
  const int fd = *(int *)handle;
  (void)flock(fd, LOCK_UN);
  if (!origin) return 0;
  if (fstat(fd, &found) == 0 && found.st_dev == origin->device && found.st_ino == origin->inode)
    return 0;
  return rattle__h5_refuse("another file", "has replaced it; open it again");
}

hid_t rattle__origin_reach(const char *path, const rattle__origin *origin, rattle__purpose purpose,
                           int *trouble) {
  hid_t file = open_patiently(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, purpose, trouble);
  /* without SWMR where another tool has rewritten the file in an older format */
  if (file < 0) file = open_patiently(path, H5F_ACC_RDONLY, purpose, trouble);
  if (file < 0 || !let_writers_in(file, origin)) return file;
  H5Fclose(file);
  return -1;
}
