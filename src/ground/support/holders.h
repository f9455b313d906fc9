#ifndef RATTLE__HOLDERS_H
#define RATTLE__HOLDERS_H
/* How many hold an object: the caller that created it, and what was made of it. It is freed when
 * the last one leaves, so that handles may be destroyed in any order and on any thread
 * (docs/decisions/097-what-callers-hold.md). */
#include <stdatomic.h>

/* All 0: one holds it. */
typedef struct rattle__holders {
  atomic_int others; /* holders but one */
} rattle__holders;

static inline void rattle__join(rattle__holders *holders) {
  atomic_fetch_add_explicit(&holders->others, 1, memory_order_relaxed);
}

/* True if nobody holds the object any more: what all others have done to it is visible then. */
static inline int rattle__leave(rattle__holders *holders) {
  return atomic_fetch_sub_explicit(&holders->others, 1, memory_order_acq_rel) == 0;
}

static inline int rattle__other_holders(rattle__holders *holders) {
  return atomic_load_explicit(&holders->others, memory_order_acquire);
}
#endif
