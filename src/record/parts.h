#ifndef RATTLE__RECORD_PARTS_H
#define RATTLE__RECORD_PARTS_H
/* The parts of a record: what is constant (about), the table of samples (channels), and the checkpoint.
 *
 * A sample counts as kept when a checkpoint that counts it is on file. A checkpoint is written to one of two slots in turn,
 * after the samples it counts were flushed, with a sequence number and a checksum; so a run killed at any moment leaves the
 * older slot whole, and with it a state that fits the samples it counts. */
#include <stdint.h>
#include <sys/types.h>

#include "rattle/record.h"
#include "record/hdf5.h"

enum {
  RATTLE__RECORD_FORMAT = 3
}; /* grows when an older library could not read the file; 1: without events, 2: particles alone */

/* --- about.c, about_io.c: what is constant over the life of a record --- */
typedef struct rattle__about {
  char *title, *method, *kind, *version, *hdf5, *build, *model_file, *hash, *created, *author, *email, *solver, *evaluator;
  char *text;              /* of the model; "" if it was built by calls */
  char *plugin;            /* name and version of the plug-in that the method needs; "" if none */
  long long plugin_adapts; /* with a plug-in: rattle_method_adapts, which nobody without it can tell */
  double step, start_time, stop;
  long long steps, every, n, m, observables, extra, dimension;
  rattle__labels coordinates, momenta, constraints, observed, parameter_names, metadata_keys, metadata_values;
  double *parameter_values;
  rattle__labels events; /* those of the model, of the run, "at" */
  double *at;            /* [ats] output at given times: by which step of time (0: none), the end (NaN: none), the times */
  long long ats;         /* 0: no output is */
  double *mass;          /* of particles, as written; NULL: unknown, and in what was read */
  int *
      place; /* [n] the position of coordinate k in a row of /particles/system/position/value; n-1: beyond it, that of the time */
} rattle__about;

rattle_status rattle__about_describe(rattle__about *about, const rattle_problem *problem, const rattle_record_options *options,
                                     rattle_error *error);
int rattle__about_write(const rattle__about *about, hid_t file);
int rattle__about_read(rattle__about *about, hid_t file);
void rattle__about_free(rattle__about *about);
/* 1 where all coordinates are those of particles but one, which is the time and has a channel of its own. */
static inline int rattle__has_clock(const rattle__about *about) {
  return about->dimension > 1 && about->n % about->dimension != 0;
}
static inline int rattle__particles(const rattle__about *about) {
  return (int)(about->n / about->dimension);
}
/* Finds particles in names of coordinates, as "x[7]", "y[7]" or "x7", "y7"; `clock` is the coordinate that is the time, or -1. Sets dimension and
 * place; dimension 1 and the order of the model if the names are not of this kind. */
rattle_status rattle__about_particles(rattle__about *about, int clock, rattle_error *error);
/* The masses of particles, where H has a mass for each coordinate and those of a particle are the same. */
rattle_status rattle__about_masses(rattle__about *about, const rattle_problem *problem, rattle_error *error);

/* --- channels.c: tables, one extensible dataset for each quantity. Table 0 has the samples, table k those that are event k-1. Behind the observables
 * come the time and its momentum, where rattle__has_clock, and in tables of events their direction --- */
enum {
  RATTLE__STEP,
  RATTLE__TIME,
  RATTLE__ENERGY,
  RATTLE__CONSTRAINT, /* max |g_i| */
  RATTLE__HIDDEN,     /* max |psi_i| */
  RATTLE__MULTIPLIERS,
  RATTLE__POSITION,
  RATTLE__MOMENTUM,
  RATTLE__OBSERVED /* and one more for each further observable */
};
typedef struct rattle__channel {
  hid_t dataset, type; /* -1 if width = 0: such a channel has no dataset */
  int rank;
  hsize_t dims[3]; /* [0]: samples in the dataset; then the shape of one */
  int width;       /* numbers of 8 bytes in a sample */
} rattle__channel;
typedef struct rattle__record_channels {
  int count;
  rattle__channel *channel;
} rattle__record_channels;

enum { RATTLE__PATH = 512 };
/* Of the file: how many tables, and channels in table t; the path of a channel, and the group of an event's table. */
static inline int rattle__tables_of(const rattle__about *about) {
  return 1 + about->events.count;
}
static inline int rattle__channels_of(const rattle__about *about, int t) {
  return RATTLE__OBSERVED + (int)about->observables + rattle__has_clock(about) + (t > 0);
}
static inline int rattle__channel_of_clock(const rattle__about *about) {
  return rattle__has_clock(about) ? RATTLE__OBSERVED + (int)about->observables : -1;
}
void rattle__channel_path(const rattle__about *about, int t, int c, char path[RATTLE__PATH]);
void rattle__event_path(const rattle__about *about, int t, const char *what, char path[RATTLE__PATH]);
/* The unit of a channel as H5MD writes it, "" where the model gives none. */
enum { RATTLE__UNIT = 160 };
void rattle__unit_text(const rattle__about *about, int c, char text[RATTLE__UNIT]);
/* The `unit` attribute of a dataset, where the model gives units. */
int rattle__units_write(const rattle__about *about, int c, hid_t file, const char *path);
/* The elements mass and species of /particles/system, where masses are known: particles of one mass are of one species. */
int rattle__masses_write(const rattle__about *about, hid_t file);
int rattle__channels_make(rattle__record_channels *channels, const rattle__about *about, int t, hid_t file,
                          long long samples_expected);
int rattle__channels_open(rattle__record_channels *channels, const rattle__about *about, int t, hid_t file);
int rattle__channels_close(rattle__record_channels *channels);
/* Samples that can be on file, by its size; -1: its chunks are too large for it. */
long long rattle__channels_most(const rattle__record_channels *channels);
/* Samples that all datasets hold. */
long long rattle__channels_samples(const rattle__record_channels *channels);
/* Of the first `samples`, those that lie within the first `size` bytes of the file: what a cut file still has. */
long long rattle__channels_within(const rattle__record_channels *channels, long long samples, long long size);
/* rows [first, first+count) from or to a buffer [count*width]; writing extends the dataset. */
int rattle__channel_write(rattle__channel *channel, long long first, long long count, const void *rows);
int rattle__channel_read(const rattle__channel *channel, long long first, long long count, void *rows);
/* Number `place` of each row, as doubles [count]. */
int rattle__channel_read_place(const rattle__channel *channel, int place, long long first, long long count, double *values);
/* Reads what there is to find the samples by, and the first and the last of them. */
void rattle__channels_visit(const rattle__record_channels *channels, long long samples);
/* What a writer has added meanwhile. */
int rattle__channels_refresh(rattle__record_channels *channels);

/* --- checkpoint.c: the last state and the figures so far --- */
#define RATTLE__HEAD(ITEM)                                                                                                       \
  ITEM(sequence)                                                                                                                 \
  ITEM(samples) /* kept */                                                                                                       \
  ITEM(step)    /* of the state */                                                                                               \
  ITEM(ended)   /* 1: in order */                                                                                                \
  ITEM(status)                                                                                                                   \
  ITEM(file_size) /* bytes when it was written: a smaller file was cut */                                                        \
  ITEM(steps_asked)                                                                                                              \
  ITEM(gradient)                                                                                                                 \
  ITEM(hessian)                                                                                                                  \
  ITEM(constraint)                                                                                                               \
  ITEM(jacobian)                                                                                                                 \
  ITEM(factorisation)                                                                                                            \
  ITEM(newton_iterations)                                                                                                        \
  ITEM(position_projections)                                                                                                     \
  ITEM(momentum_projections)                                                                                                     \
  ITEM(checksum) /* of all else in the slot */                                                                                   \
  ITEM(followed) /* from here on: not in records of version 0.1 */
#define RATTLE__FIGURES(ITEM)                                                                                                    \
  ITEM(time) /* of the state */                                                                                                  \
  ITEM(wall_seconds)                                                                                                             \
  ITEM(energy_initial)                                                                                                           \
  ITEM(energy_final)                                                                                                             \
  ITEM(energy_max_error)                                                                                                         \
  ITEM(energy_max_relative_error)                                                                                                \
  ITEM(g_max) ITEM(g_final) ITEM(psi_max) ITEM(psi_final) ITEM(min_singular_value) ITEM(min_singular_time)
typedef struct rattle__head {
#define ITEM(name) int64_t name;
  RATTLE__HEAD(ITEM)
#undef ITEM
} rattle__head;
typedef struct rattle__figures {
#define ITEM(name) double name;
  RATTLE__FIGURES(ITEM)
#undef ITEM
} rattle__figures;
typedef struct rattle__checkpoint {
  rattle__head head;
  rattle__figures figures;
  int size;      /* 2n + extra */
  double *state; /* [size] q, p, extra */
  int channels;  /* of samples */
  int summed;    /* 1: the sums fit the samples */
  uint64_t
      *sums;  /* [channels + 1] of the samples of the last block, which is not full; then their checksum. With `state` in one */
  int events; /* numbers of all events together */
  int64_t *event; /* [events] for each: how many are kept, the bits of the time of the last one, sums as above [channels + 1] */
} rattle__checkpoint;
enum { RATTLE__EVENT_ROWS, RATTLE__EVENT_TIME, RATTLE__EVENT_SUMS };
/* The numbers of table t > 0. */
static inline int64_t *rattle__event_of(const rattle__checkpoint *checkpoint, int t) {
  return checkpoint->event + (t - 1) * (RATTLE__EVENT_SUMS + checkpoint->channels + 1);
}
typedef struct rattle__slots {
  hid_t head, figures, state, message;
  hid_t sums;  /* -1: the record has none */
  hid_t event; /* -1: the record has no events */
  int columns; /* of the head: what comes after the checksum may be missing, and counts as 0 */
} rattle__slots;
enum { RATTLE__MESSAGE_SIZE = 1024 };

int rattle__checkpoint_allot(rattle__checkpoint *checkpoint, const rattle__about *about); /* -1: out of memory */
int rattle__slots_make(rattle__slots *slots, rattle__checkpoint *checkpoint, hid_t file);
/* -1 also where their shapes are not those of such a record. */
int rattle__slots_open(rattle__slots *slots, const rattle__about *about, hid_t file);
int rattle__slots_close(rattle__slots *slots);
int rattle__slots_refresh(const rattle__slots *slots); /* drops what HDF5 has cached of them */
/* Writes the slot whose turn it is and flushes it; counts the sequence up. */
int rattle__checkpoint_store(rattle__checkpoint *checkpoint, const rattle__slots *slots);
/* The newest whole slot. 1: none is whole (a reader may try again), -1: not readable. */
int rattle__checkpoint_load(rattle__checkpoint *checkpoint, const rattle__slots *slots);
/* The message of the end, at most RATTLE__MESSAGE_SIZE bytes. */
int rattle__message_store(const rattle__slots *slots, const char *message);
int rattle__message_load(const rattle__slots *slots, char message[RATTLE__MESSAGE_SIZE]);

/* --- sums.c: checksums of the samples --- */
#define RATTLE__SUMS "/rattle/sums"
typedef struct rattle__sums {
  hid_t dataset;          /* -1: the record has none, since it is of version 0.1 */
  long long block;        /* samples in a block */
  int width;              /* channels */
  unsigned char *checked; /* [room][width] 1: found whole */
  long long room;         /* blocks */
} rattle__sums;
/* A checksum of `count` numbers of 8 bytes, begun with another. */
uint64_t rattle__mix(uint64_t sum, const void *data, size_t count);
uint64_t rattle__sum_rows(long long first, long long count, int width, const void *rows);
long long rattle__sums_block(const rattle__record_channels *channels); /* as new records have it: a power of 2 */
int rattle__sums_make(rattle__sums *sums, const rattle__record_channels *channels, hid_t file, const char *path);
int rattle__sums_open(rattle__sums *sums, const rattle__record_channels *channels, hid_t file, const char *path);
int rattle__sums_close(rattle__sums *sums);

/* --- store.c: a file with its parts --- */
typedef struct rattle__record_table {
  rattle__record_channels channels;
  rattle__sums sums;
} rattle__record_table;
typedef struct rattle__store {
  hid_t file;
  int trouble; /* errno of the first write that failed, see driver.c; HDF5's own results do not show it */
  rattle__about about;
  rattle__record_table *table; /* [tables] */
  int tables;
  rattle__slots slots;
  rattle__checkpoint checkpoint;
} rattle__store;
/* No file. */
extern const rattle__store rattle__store_none;
/* Rows of table t that are kept. */
long long rattle__rows_kept(const rattle__store *store, int t);
/* Rows [first, first+count) of table t that were written, within one block: rows[c] of each channel. */
int rattle__sums_add(rattle__store *store, int t, long long first, long long count, void *const *rows);
/* The end of those of [first, first+count) that are whole, up to the block that is not: first+count if all are. */
long long rattle__sums_check(const rattle__store *store, int t, int c, long long first, long long count);
/* A new file from store->about, closed to other writers; with swmr = 1 readable from here on. */
int rattle__store_make(rattle__store *store, const char *path, int swmr);
/* Opens a file and loads its parts. To write: to append, in SWMR mode. To salvage: nobody is writing, so what cannot be
 * read at once never will. */
typedef enum rattle__purpose { RATTLE__TO_READ, RATTLE__TO_WRITE, RATTLE__TO_SALVAGE } rattle__purpose;
rattle_status rattle__store_open(rattle__store *store, rattle__h5 *h5, const char *path, rattle__purpose purpose,
                                 rattle_error *error);
/* Closes the file, keeping what was loaded. An errno where something could not be written. */
int rattle__store_close(rattle__store *store);
/* Of a file that is read: the newest checkpoint, and the samples that it counts. On failure the store is as it was, but for
 * datasets that may have become longer. */
rattle_status rattle__store_refresh(rattle__store *store, rattle__h5 *h5, const char *path, rattle_error *error);
void rattle__store_free(rattle__store *store);

/* --- lock.c: the lock of a writer, and the state of the file --- */
/* A lock of our own on the record: HDF5 gives up its own when SWMR writing starts. *lock is a file descriptor, to be closed.
 * RATTLE_IO if another process has it; file systems without locks are taken at their word. */
rattle_status rattle__lock_take(const char *path, int *lock, rattle_error *error);
typedef struct rattle__file_condition {
  int open_flag;       /* 1: a writer has it open, or died */
  long long size, end; /* bytes there are, and bytes that a file closed in order must have (0 if open_flag) */
  dev_t device;        /* with the inode, which file it is */
  ino_t inode;
} rattle__file_condition;
/* Reads the superblock. RATTLE_IO: no such file; RATTLE_BAD_RECORD: not HDF5, or cut in its first bytes. */
rattle_status rattle__look(const char *path, rattle__file_condition *condition, rattle_error *error);
rattle_status rattle__sync(const char *path, rattle_error *error); /* to the disk, with its folder */
#endif
