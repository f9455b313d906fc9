/* The driver through which HDF5 reads and writes records: POSIX, one file, and failures to write
 * are kept from HDF5.
 *
 * HDF5's own drivers will do to write, but not to fail: after a full disk HDF5 loses track of its
 * buffers, marks the file as closed in order and longer than it is, complains on standard error, or
 * crashes when the process ends. Here the first failure goes to *trouble (an errno), HDF5 receives
 * success, and from then on what it writes is dropped but for rows of numbers in room that they
 * have already. So HDF5 comes to a good end, and the file stays as a killed run leaves it. Who
 * writes looks at *trouble.
 *
 * A write may be torn by kill -9 between two pages of the file. The objects that HDF5 rewrites
 * while a record grows (headers of datasets, blocks of their indices: 2 kB at most up to 8000
 * chunks) is therefore put so that it lies in one page.
 *
 * A file whose metadata are made anew (rattle__remake) is a new one to HDF5: it is empty, but its
 * addresses begin where the file ends, and the superblock, of which HDF5 believes that it is
 * written, waits until all else is on the disk. It is written in one go, within one page. Blocks of
 * numbers that are in the file already get the addresses that they have.
 *
 * eoa: end of the addresses that HDF5 has been given; eof: end of what HDF5 believes to be in the
 * file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/hdf5/hdf5.h"

enum { PAGE = 4096, SUPERBLOCK = 48 };

typedef struct how {
  int *trouble;
  rattle__remake *remake;
} how;

typedef struct driven {
  H5FD_t pub; /* HDF5's part comes first */
  int fd, *trouble;
  rattle__remake *remake;               /* NULL: none, or it is over */
  unsigned char superblock[SUPERBLOCK]; /* of the remake */
  rattle__heard *heard;                 /* who listens; NULL: nobody */
  haddr_t eoa, eof;
  struct stat identity;
} driven;

/* Puts a reason, such as the system's, on HDF5's error stack. */
static herr_t refuse(const char *where, const char *reason) {
  H5Epush2(H5E_DEFAULT, "driver.c", where, 0, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
           "error message = '%s'", reason);
  return -1;
}

static herr_t note(const driven *file, int reason) {
  if (!*file->trouble) *file->trouble = reason;
  return 0;
}

static int mode_of(unsigned flags, const how *given) {
  if (given->remake) return O_CLOEXEC | O_RDWR;
  if (*given->trouble == RATTLE__DRY) return O_CLOEXEC | O_RDONLY;
  return O_CLOEXEC | (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) |
         (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) |
         (flags & H5F_ACC_TRUNC ? O_TRUNC : 0);
}

/* The file that is to be made anew, as it was? */
static int is_meant(const driven *file) {
  const rattle__remake *remake = file->remake;
  return !remake ||
         (file->identity.st_dev == remake->device && file->identity.st_ino == remake->inode &&
          (long long)file->identity.st_size == remake->begin);
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most) {
  (void)most;
  const how *given = H5Pget_driver_info(access);
  driven *file = calloc(1, sizeof *file);
  if (!file) rattle__h5_no_memory();
  if (!file || !given) return free(file), NULL;
  file->trouble = given->trouble, file->remake = given->remake;
  file->fd = open(name, mode_of(flags, given), 0666);
  if (file->fd < 0 || fstat(file->fd, &file->identity)) {
    refuse(__func__, strerror(errno));
    if (file->fd >= 0) close(file->fd);
    free(file);
    return NULL;
  }
  if (!is_meant(file)) {
    refuse(__func__, "another program has changed it meanwhile");
    close(file->fd), free(file);
    return NULL;
  }
  file->eof = file->remake ? 0 : (haddr_t)file->identity.st_size;
  return &file->pub;
}

/* A remake that was not published leaves the file as it was. */
static herr_t close_file(H5FD_t *self) {
  driven *file = (driven *)self;
  if (file->remake && ftruncate(file->fd, (off_t)file->remake->begin)) note(file, errno);
  if (close(file->fd)) note(file, errno);
  free(file);
  return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b) {
  const struct stat *first = &((const driven *)a)->identity,
                    *second = &((const driven *)b)->identity;
  if (first->st_dev != second->st_dev) return first->st_dev < second->st_dev ? -1 : 1;
  return first->st_ino == second->st_ino ? 0 : first->st_ino < second->st_ino ? -1 : 1;
}

/* As of HDF5's own POSIX driver, but for the gathering of small pieces of metadata into larger
 * ones. */
static herr_t query(const H5FD_t *self, unsigned long *flags) {
  (void)self;
  *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO;
  return 0;
}

static haddr_t allot(H5FD_t *self, H5FD_mem_t type, hid_t transfer, hsize_t size) {
  (void)transfer;
  driven *file = (driven *)self;
  rattle__remake *remake = file->remake;
  haddr_t at = file->eoa;
  if (remake && type == H5FD_MEM_DRAW && remake->given < remake->places &&
      size == (hsize_t)remake->size)
    return (haddr_t)remake->place[remake->given++];
  if (remake && at > 0 && at < (haddr_t)remake->begin) at = (haddr_t)remake->begin;
  if (type != H5FD_MEM_DRAW && size <= PAGE && at % PAGE + size > PAGE) at += PAGE - at % PAGE;
  file->eoa = at + size;
  return at;
}

static haddr_t get_eoa(const H5FD_t *self, H5FD_mem_t type) {
  (void)type;
  return ((const driven *)self)->eoa;
}

static herr_t set_eoa(H5FD_t *self, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((driven *)self)->eoa = address;
  return 0;
}

static haddr_t get_eof(const H5FD_t *self, H5FD_mem_t type) {
  (void)type;
  return ((const driven *)self)->eof;
}

static herr_t get_handle(H5FD_t *self, hid_t access, void **handle) {
  (void)access;
  *handle = &((driven *)self)->fd;
  return 0;
}

/* True if the file is too short for an object of that size, wherever it is. */
static int is_too_short(const driven *file, size_t size) {
  struct stat now = file->identity;
  return size > (uint64_t)now.st_size &&
         (fstat(file->fd, &now) != 0 || size > (uint64_t)now.st_size);
}

static herr_t note_place(const driven *file, haddr_t address) {
  rattle__heard *heard = file->heard;
  if (heard->count < heard->room) heard->place[heard->count] = (long long)address;
  heard->count++;
  return 0;
}

static driven *driven_of(hid_t file) {
  void *handle = NULL;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle) return NULL;
  return (driven *)(void *)((char *)handle - offsetof(driven, fd));
}

int rattle__driver_listen(hid_t file, rattle__heard *heard) {
  driven *own = driven_of(file);
  if (own) own->heard = heard;
  return own ? 0 : -1;
}

/* Bytes beyond the end of the file read as zeros. A file that grows is not asked by HDF5 where it
 * ends: what is damaged may say that an object has gigabytes, which HDF5 would read two dozen
 * times, until a checksum fits. */
static herr_t read_file(H5FD_t *self, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer) {
  (void)transfer;
  const driven *file = (const driven *)self;
  char *bytes = buffer;
  if (type == H5FD_MEM_DRAW && file->heard)
    return memset(buffer, 0, size), note_place(file, address);
  if (file->remake && address + size <= SUPERBLOCK)
    return memcpy(buffer, file->superblock + address, size), 0;
  if (type != H5FD_MEM_DRAW && is_too_short(file, size))
    return refuse(__func__, "the file is shorter than one of its objects");
  while (size > 0) {
    ssize_t got = pread(file->fd, bytes, size, (off_t)address);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(__func__, strerror(errno));
    if (got == 0) {
      memset(bytes, 0, size);
      break;
    }
    bytes += got, address += (haddr_t)got, size -= (size_t)got;
  }
  return 0;
}

static herr_t write_file(H5FD_t *self, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, const void *buffer) {
  (void)transfer;
  driven *file = (driven *)self;
  const char *bytes = buffer;
  if (address + size > file->eof) file->eof = address + size;
  if (*file->trouble == RATTLE__DRY || (*file->trouble && type != H5FD_MEM_DRAW)) return 0;
  if (file->remake && file->remake->place && type == H5FD_MEM_DRAW) return 0;
  if (file->remake && address + size <= SUPERBLOCK)
    return memcpy(file->superblock + address, buffer, size), 0;
  if (file->remake && address < (haddr_t)file->remake->begin) return note(file, EIO);
  while (size > 0) {
    ssize_t put = pwrite(file->fd, bytes, size, (off_t)address);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return note(file, put < 0 ? errno : ENOSPC);
    bytes += put, address += (haddr_t)put, size -= (size_t)put;
  }
  return 0;
}

/* The file as long as the addresses given out. */
static herr_t truncate_file(H5FD_t *self, hid_t transfer, hbool_t closing) {
  (void)transfer, (void)closing;
  driven *file = (driven *)self;
  const int is_old = file->remake && file->eoa < (haddr_t)file->remake->begin;
  if (file->eoa != file->eof && !is_old && !*file->trouble && ftruncate(file->fd, (off_t)file->eoa))
    note(file, errno);
  file->eof = file->eoa;
  return 0;
}

/* HDF5 locks a file while it opens it. A reader of a record that is continued does so too: that
 * moment is waited for. */
static herr_t lock_file(H5FD_t *self, hbool_t exclusive) {
  const driven *file = (const driven *)self;
  for (int attempt = file->remake ? 40 : 1; attempt > 0; attempt--) {
    if (flock(file->fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno == ENOSYS)
      return 0;
    if (attempt > 1) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return refuse(__func__, strerror(errno));
}

static herr_t unlock_file(H5FD_t *self) {
  return flock(((driven *)self)->fd, LOCK_UN) && errno != ENOSYS ? -1 : 0;
}

int rattle__driver_publish(hid_t file) {
  driven *own = driven_of(file);
  if (!own || !own->remake || *own->trouble) return -1;
  rattle__remake *remake = own->remake;
  if (fsync(own->fd)) return note(own, errno), -1;
  own->remake = NULL; /* whatever comes now, this is not cut off */
  if (write_file(&own->pub, H5FD_MEM_SUPER, 0, 0, SUPERBLOCK, own->superblock) || *own->trouble)
    return own->remake = remake, -1;
  return fsync(own->fd) ? (note(own, errno), -1) : 0;
}

int rattle__driver_use(hid_t access, int *trouble, rattle__remake *remake) {
  static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 14, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 511, /* the last of those that HDF5 leaves to drivers without a registered number */
#endif
    .name = "rattle",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(how),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .alloc = allot,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .get_handle = get_handle,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .lock = lock_file,
    .unlock = unlock_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY
  };
  hid_t id = H5FDregister(&driver);
  if (id < 0) return -1;
  int failed = H5Pset_driver(access, id, &(how){trouble, remake}) < 0;
  /* the list, and later the file, hold it */
  H5FDunregister(id);
  return failed ? -1 : 0;
}

hid_t rattle__driver_create(const char *path, int *trouble) {
  hid_t list = rattle__h5_access(), file = -1;
  if (list >= 0 && !rattle__driver_use(list, trouble, NULL))
    file = rattle__h5_create_file(path, H5P_DEFAULT, list);
  if (list >= 0) H5Pclose(list);
  return file;
}
