#ifndef RATTLE__RECORD_CHANNELS_H
#define RATTLE__RECORD_CHANNELS_H
/* Tables, one extensible dataset for each quantity. Table 0 has the samples, table k those that are
 * event k-1. Behind the observables come the time and its momentum, where rattle__has_clock, the
 * work and H, where about.has_work, and in tables of events their direction. */
#include "record/hdf5/about.h"
#include "record/hdf5/grid.h"

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
  hid_t kept, type;       /* kept: its dataset, -1: opened when it is used. A channel of width 0 has
                             no dataset */
  hid_t file;             /* where it is */
  rattle__h5_place place; /* of its dataset, if that is not kept */
  int rank;
  hsize_t dims[3];    /* [0]: samples in the dataset; then the shape of one */
  int width;          /* numbers of 8 bytes in a sample */
  long long most;     /* samples that can be on file, as it was opened; -1: see
                      rattle__channels_most */
  rattle__grid *grid; /* where its rows are, of a file that a child has opened; else NULL */
} rattle__channel;
typedef struct rattle__record_channels {
  int count;
  rattle__channel *channel;
} rattle__record_channels;

enum { RATTLE__PATH = 512 };
/* The numbers of tables in the file, and of channels in table t; the path of a channel, and the
 * group of an event's table. */
static inline int rattle__tables_of(const rattle__about *about) {
  return 1 + about->events.count;
}
static inline int rattle__channels_of(const rattle__about *about, int t) {
  return RATTLE__OBSERVED + (int)about->observables + rattle__has_clock(about) +
         2 * (int)about->has_work + (t > 0);
}
static inline int rattle__channel_of_clock(const rattle__about *about) {
  return rattle__has_clock(about) ? RATTLE__OBSERVED + (int)about->observables : -1;
}
/* H follows it; -1 where there is none. */
static inline int rattle__channel_of_work(const rattle__about *about) {
  return about->has_work ? RATTLE__OBSERVED + (int)about->observables + rattle__has_clock(about)
                         : -1;
}
void rattle__channel_path(const rattle__about *about, int t, int c, char path[RATTLE__PATH]);
void rattle__event_path(const rattle__about *about, int t, const char *what,
                        char path[RATTLE__PATH]);
/* The unit of a channel as H5MD writes it, "" where the model gives none. */
enum { RATTLE__UNIT = 160 };
void rattle__unit_text(const rattle__about *about, int c, char text[RATTLE__UNIT]);
/* The `unit` attribute of a dataset, where the model gives units. */
int rattle__units_write(const rattle__about *about, int c, hid_t file, const char *path);
/* The elements mass and species of /particles/system, where masses are known: particles of one mass
 * are of one species. */
int rattle__masses_write(const rattle__about *about, hid_t file);
/* How they are made. */
typedef struct rattle__making {
  long long expected;                  /* samples */
  const rattle__record_channels *like; /* those in whose chunks the rows are; NULL: none */
  const volatile int *interrupt;       /* may be NULL: it fails where that is set meanwhile */
} rattle__making;
int rattle__channels_make(rattle__record_channels *channels, const rattle__about *about, int t,
                          hid_t file, const rattle__making *how);
/* Those of a file that a child has opened, with the places of the first rows. */
int rattle__channels_open(rattle__record_channels *channels, const rattle__about *about, int t,
                          hid_t file, const rattle__origin *origin, long long rows);
int rattle__channels_close(rattle__record_channels *channels);
/* Samples that can be on file, by its size; -1: its chunks are too large for it. */
long long rattle__channels_most(const rattle__record_channels *channels);
/* Samples that all datasets hold. */
long long rattle__channels_samples(const rattle__record_channels *channels);
/* How many of the first `samples` lie within the first `size` bytes of the file, as of a file that
 * was cut. */
long long rattle__channels_within(const rattle__record_channels *channels, long long samples,
                                  long long size);
/* The rows that the other one has, where they are. */
int rattle__channel_adopt(rattle__channel *channel, const rattle__channel *old,
                          rattle__remake *remake);
/* rows [first, first+count) from or to a buffer [count*width]; writing extends the dataset. */
int rattle__channel_write(rattle__channel *channel, long long first, long long count,
                          const void *rows);
int rattle__channel_read(const rattle__channel *channel, long long first, long long count,
                         void *rows);
/* Number `place` of each row, as doubles [count]. */
int rattle__channel_read_place(const rattle__channel *channel, int place, long long first,
                               long long count, double *values);
#endif
