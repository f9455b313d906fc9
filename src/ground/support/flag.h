#ifndef RATTLE__FLAG_H
#define RATTLE__FLAG_H
/* A flag that another thread, or a signal handler, may set at any time. The public structs have
 * them as plain integers, so reads and writes here are atomic by the compilers' builtins; what else
 * the writer has to say is handed over under a lock. */

/* True if there is a flag (not NULL) and it is set. */
static inline int rattle__flag_is_set(const volatile int *flag) {
  return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static inline void rattle__flag_set(volatile int *flag) {
  __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}
#endif
