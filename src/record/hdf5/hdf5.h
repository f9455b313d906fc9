#ifndef RATTLE__HDF5_H
#define RATTLE__HDF5_H
/* The calls of HDF5 that the record room needs, kept silent and one thread at a time.
 *
 * HDF5's serial build is not thread-safe and keeps its own state for the whole process: every
 * public function of the room does its HDF5 calls between rattle__h5_enter and rattle__h5_leave,
 * which hold a lock, switch HDF5's printing of errors off and put the caller's setting back.
 * Helpers return 0, or -1 with the first reason kept in the section. */
#include <hdf5.h>
#include <sys/types.h>

#include "rattle/status.h"
#include "record/hdf5/parcel.h"

typedef struct rattle__h5 {
  H5E_auto2_t function; /* the caller's error handler */
  void *data;
  char reason[192];       /* of the first failure in this section, "" while none */
  int no_memory;          /* 1: an allocation of ours failed */
  rattle__parcel *parcel; /* of what is read; NULL: none */
} rattle__h5;

/* --- hdf5_section.c --- */
void rattle__h5_enter(rattle__h5 *h5);
void rattle__h5_leave(rattle__h5 *h5);
/* The section in which this thread is; NULL: none. */
rattle__h5 *rattle__h5_section(void);
/* Notes in the section that an allocation failed. Returns -1. */
int rattle__h5_no_memory(void);
/* Keeps "PATH why" as the section's reason, unless there is one. Returns -1. */
int rattle__h5_refuse(const char *path, const char *why);
/* H5Fopen and H5Fcreate where there is memory for what HDF5 keeps of a file: version 1.10 crashes
 * where there is not. Negative: they failed. */
hid_t rattle__h5_open_file(const char *path, unsigned flags, hid_t access);
hid_t rattle__h5_create_file(const char *path, hid_t creation, hid_t access);
/* "PATH could not be `done`: reason; remedy", or that there is no memory */
rattle_status rattle__h5_fail(const rattle__h5 *h5, rattle_error *error, const char *path,
                              const char *done);

/* --- hdf5.c --- */
/* Names: fixed-width, padded with zero bytes, so that each is a C string too. */
typedef struct rattle__labels {
  int count;
  size_t width; /* bytes a name, with at least one zero byte */
  char *block;  /* [count * width] */
  char **name;  /* [count] into the block */
} rattle__labels;
/* -1: no memory, and no names */
int rattle__labels_make(rattle__labels *names, int count, size_t longest);
int rattle__labels_pass(rattle__labels *names);
void rattle__labels_free(rattle__labels *names);

/* Fixed-length UTF-8 of so many bytes, ended by a zero byte. */
hid_t rattle__h5_text_type(size_t size);
/* Groups on the way to what is created are made too; names are UTF-8. */
hid_t rattle__h5_links(void);
hid_t rattle__h5_make_group(hid_t file, const char *path);
/* *text for so many bytes and a zero byte, malloc'ed. */
int rattle__h5_text_room(char **text, size_t bytes);
int rattle__h5_write_text_attribute(hid_t file, const char *path, const char *name,
                                    const char *text);
int rattle__h5_write_real_attribute(hid_t file, const char *path, const char *name, double value);
int rattle__h5_write_integers_attribute(hid_t file, const char *path, const char *name,
                                        const long long *value, int count);
int rattle__h5_write_names_attribute(hid_t file, const char *path, const char *name,
                                     const rattle__labels *names);
/* All that reads passes on what it read (parcel.h). */
int rattle__h5_read_names_attribute(hid_t file, const char *path, const char *name,
                                    rattle__labels *names);
int rattle__h5_read_text_attribute(hid_t file, const char *path, const char *name, char **text);
int rattle__h5_read_real_attribute(hid_t file, const char *path, const char *name, double *value);
int rattle__h5_read_integer_attribute(hid_t file, const char *path, const char *name,
                                      long long *value);

/* Datasets that are written whole. Lists of no names, and arrays of no numbers, are omitted and
 * read back as none. */
int rattle__h5_write_text(hid_t file, const char *path, const char *text);
int rattle__h5_read_text(hid_t file, const char *path, char **text);
int rattle__h5_write_names(hid_t file, const char *path, const rattle__labels *names);
int rattle__h5_read_names(hid_t file, const char *path, rattle__labels *names);
int rattle__h5_write_array(hid_t file, const char *path, hid_t type, const void *value, int count);
int rattle__h5_read_array(hid_t file, const char *path, hid_t type, void *value, int count);
long long rattle__h5_array_length(hid_t file, const char *path); /* -1: it is something else */

/* --- hdf5_open.c: objects of a file that anybody may have written --- */
/* Ids, or -1: reached by hard links alone, numbers in the file itself, no larger than the file can
 * hold. */
hid_t rattle__h5_open_attribute(hid_t file, const char *path, const char *name);
hid_t rattle__h5_open_dataset(hid_t file, const char *path);
/* The same of a data set that may be longer than what is on file of it, since its writer is at work
 * or was killed. */
hid_t rattle__h5_open_rows(hid_t file, const char *path);
int rattle__h5_check_plain(hid_t dataset, const char *path);
/* An object that was opened, to be opened again without its path: -1, or 0 and an id. */
#if H5_VERSION_GE(1, 12, 0)
typedef H5O_token_t rattle__h5_place;
#else
typedef haddr_t rattle__h5_place;
#endif
int rattle__h5_place_of(hid_t object, rattle__h5_place *place);
hid_t rattle__h5_open_again(hid_t file, const rattle__h5_place *place);
/* 1: it is there, 0: it is not, -1: neither can be said, or a link on the way is not a hard
 * link. */
int rattle__h5_reaches(hid_t file, const char *path);
/* The same, passed on (parcel.h), as all that is read by the functions above. */
int rattle__h5_exists(hid_t file, const char *path);
int rattle__h5_attribute_exists(hid_t file, const char *path, const char *name);
long long rattle__h5_file_size(hid_t object);   /* bytes there are, now; 0 if that cannot be
                                                   known */
long long rattle__h5_most_bytes(hid_t dataset); /* that the file can hold of a data set, which
                                                   may be compressed */

/* --- apart.c --- */
/* A task of a child process. It has no descriptors but standard ones and `kept` (-1:
 * none), and nothing that it does to `self` is seen here. */
typedef rattle_status (*rattle__act)(void *self, rattle_error *error);
typedef struct rattle__question {
  const char *path; /* the file, for errors */
  rattle__act act;
  void *self;
  int kept;
} rattle__question;
/* Calls act(self) in a child process, where it gives what it reads, then here, where it takes it.
 * Returns what it returned in the child, with its error. RATTLE_BAD_RECORD where the child crashes,
 * takes a minute of processor time, or does nothing for two; RATTLE_IO where there can be no child.
 * Within a section. */
rattle_status rattle__apart(const rattle__question *asked, rattle_error *error);
/* 0: this process does what a child would; only in fuzzers. */
int rattle__forks(void);

/* The latest format, which has checksums of metadata. An access list to be closed; -1. */
hid_t rattle__h5_access(void);

/* --- driver.c --- */
enum {
  RATTLE__DRY = -1
}; /* *trouble of a file that is opened as if to write, and to which
                              nothing is written */
/* A file of a stranger whose metadata are made anew: HDF5 takes it for a new file, and what it
 * writes goes behind what there is. Until rattle__driver_publish the file says what it said. */
typedef struct rattle__remake {
  dev_t device; /* with the inode, which file it is */
  ino_t inode;
  long long begin;        /* bytes that there are */
  const long long *place; /* [places] the blocks of numbers that HDF5 asks for next are there
                             already; as long as it is not NULL, no numbers are written */
  long long places, given;
  long long size; /* bytes of such a block */
} rattle__remake;
/* Makes files of this access list be read and written by our driver: HDF5 sees no failure to write,
 * the first one goes to *trouble (an errno; 0 before). *trouble must outlive the file; where it is
 * set already, only rows of numbers are written. The remake may be NULL. */
int rattle__driver_use(hid_t access, int *trouble, rattle__remake *remake);
/* From here on the file is the new one, on the disk too. A failure goes to *trouble. */
int rattle__driver_publish(hid_t file);
/* The places at which HDF5 asked for rows of numbers, in the order in which it did. */
typedef struct rattle__heard {
  long long *place; /* [room] */
  long long room, count;
} rattle__heard;
/* From here on, until NULL is given, rows of a file of our driver are not read: they are zeros, and
 * it is noted where they were asked for. */
int rattle__driver_listen(hid_t file, rattle__heard *heard);
/* A new file in the latest format, written by our driver; -1. */
hid_t rattle__driver_create(const char *path, int *trouble);

/* A contiguous dataset [dims] whose room on disk is taken when it is made, to be rewritten in
 * place. An id, or -1. */
hid_t rattle__h5_make_slots(hid_t file, const char *path, hid_t type, int rank,
                            const hsize_t *dims);
#endif
