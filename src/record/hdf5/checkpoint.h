#ifndef RATTLE__RECORD_CHECKPOINT_H
#define RATTLE__RECORD_CHECKPOINT_H
/* The last state and the figures so far.
 *
 * A sample counts as kept when a checkpoint that counts it is on file. A checkpoint is written to
 * one of two slots in turn, after the samples it counts were flushed, with a sequence number and a
 * checksum; so a run killed at any moment leaves the older slot whole, and with it a state that
 * fits the samples it counts. */
#include <stdint.h>

#include "record/hdf5/about.h"

#define RATTLE__HEAD(ITEM)                                                                         \
  ITEM(sequence)                                                                                   \
  ITEM(samples) /* kept */                                                                         \
  ITEM(step)    /* of the state */                                                                 \
  ITEM(ended)   /* 1: in order */                                                                  \
  ITEM(status)                                                                                     \
  ITEM(file_size) /* bytes when it was written: a smaller file was cut */                          \
  ITEM(steps_asked)                                                                                \
  ITEM(gradient)                                                                                   \
  ITEM(hessian)                                                                                    \
  ITEM(constraint)                                                                                 \
  ITEM(jacobian)                                                                                   \
  ITEM(factorisation)                                                                              \
  ITEM(newton_iterations)                                                                          \
  ITEM(position_projections)                                                                       \
  ITEM(momentum_projections)                                                                       \
  ITEM(checksum) /* of all else in the slot */                                                     \
  ITEM(followed) /* from here on: not in records of version 0.1 */                                 \
  ITEM(proven)                                                                                     \
  ITEM(tracked)
#define RATTLE__FIGURES(ITEM)                                                                      \
  ITEM(time) /* of the state */                                                                    \
  ITEM(wall_seconds)                                                                               \
  ITEM(energy_initial)                                                                             \
  ITEM(energy_final)                                                                               \
  ITEM(energy_max_error)                                                                           \
  ITEM(energy_max_relative_error)                                                                  \
  ITEM(g_max)                                                                                      \
  ITEM(g_final) ITEM(psi_max) ITEM(psi_final) ITEM(min_singular_value) ITEM(min_singular_time)
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
  int size;       /* 2n + extra */
  double *state;  /* [size] q, p, extra */
  int channels;   /* of samples */
  int summed;     /* 1: the sums fit the samples */
  uint64_t *sums; /* [channels + 1] of the samples of the last block, which is not full; then their
                 checksum. With `state` in one */
  int events;     /* numbers of all events together */
  int64_t *event; /* [events] for each: how many are kept, the bits of the time of the last one,
                     sums as above [channels + 1] */
} rattle__checkpoint;
enum { RATTLE__EVENT_ROWS, RATTLE__EVENT_TIME, RATTLE__EVENT_SUMS };
/* The numbers of table t > 0. */
static inline int64_t *rattle__event_of(const rattle__checkpoint *checkpoint, int t) {
  return checkpoint->event + (t - 1) * (RATTLE__EVENT_SUMS + checkpoint->channels + 1);
}
typedef struct rattle__slots {
  hid_t head, figures, state, message;
  hid_t warnings; /* -1: the record has none */
  hid_t sums;     /* -1: the record has none */
  hid_t event;    /* -1: the record has no events */
  int columns;    /* of the head: what comes after the checksum may be missing, and counts as 0 */
} rattle__slots;
enum { RATTLE__MESSAGE_SIZE = 1024, RATTLE__WARNINGS = 8 };
/* Sentences; those after the last are empty. */
typedef struct rattle__sentences {
  char text[RATTLE__WARNINGS][RATTLE__MESSAGE_SIZE];
} rattle__sentences;

/* -1: out of memory */
int rattle__checkpoint_allot(rattle__checkpoint *checkpoint, const rattle__about *about);
int rattle__checkpoint_copy(rattle__checkpoint *to, const rattle__checkpoint *from);
int rattle__slots_make(rattle__slots *slots, rattle__checkpoint *checkpoint, hid_t file);
/* -1 also where their shapes are not those of such a record. */
int rattle__slots_open(rattle__slots *slots, const rattle__about *about, hid_t file);
int rattle__slots_close(rattle__slots *slots);
int rattle__slots_refresh(const rattle__slots *slots); /* drops what HDF5 has cached of them */
/* Writes the slot whose turn it is and flushes it; counts the sequence up. */
int rattle__checkpoint_store(rattle__checkpoint *checkpoint, const rattle__slots *slots);
/* The newest whole slot. 1: none is whole (a reader may try again), -1: not readable. */
int rattle__checkpoint_load(rattle__checkpoint *checkpoint, const rattle__slots *slots);
/* All of it, from who has it to who has none (parcel.h). */
int rattle__checkpoint_pass(rattle__checkpoint *checkpoint);
/* The message of the end, at most RATTLE__MESSAGE_SIZE bytes. */
int rattle__message_store(const rattle__slots *slots, const char *message);
int rattle__message_load(const rattle__slots *slots, char message[RATTLE__MESSAGE_SIZE]);
/* The warnings; nothing where there is no slot. */
int rattle__warnings_store(const rattle__slots *slots, const rattle__sentences *warnings);
int rattle__warnings_load(const rattle__slots *slots, rattle__sentences *warnings);
#endif
