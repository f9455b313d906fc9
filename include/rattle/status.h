#ifndef RATTLE_STATUS_H
#define RATTLE_STATUS_H
/* Status codes and errors.
 *
 * Every function that can fail returns a rattle_status and, where it takes a rattle_error pointer
 * that is not NULL, fills it. The library never prints, never exits and keeps no global error. A
 * failed step leaves the state bit for bit as it was.
 *
 * Structs that programs fill and later versions may extend begin with struct_size: sizeof of the
 * struct, or 0 for the members of version 0.2. Initialise them as a whole, as in
 * `rattle_run_options options = {.struct_size = sizeof options, .steps = 100}`: members that are
 * not named are then 0, which is the default of each member to come. A struct_size that no version
 * has is RATTLE_BAD_ARGUMENT. Structs that the library owns and shows by a const pointer grow at
 * their end.
 *
 * A member `interrupt` points to an int, 0 at first, that the library reads atomically (relaxed)
 * while it works. Other threads set it by rattle_interrupt, or by an atomic store of their
 * language: std::atomic_ref<int> of C++, AtomicI32 of Rust, __atomic_store_n of C.
 *
 * An object holds the objects it was made from: handles may be destroyed in any order, and on any
 * thread.
 * Destroying a NULL handle does nothing. */
#include <stddef.h>

#include "rattle/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RATTLE_API __attribute__((visibility("default")))
#else
#define RATTLE_API
#endif

typedef enum rattle_status {
#define STATUS(name, exit_status, text, remedy) RATTLE_##name,
#include "rattle/status.def"
#undef STATUS
  RATTLE_STATUS_COUNT
} rattle_status;

/* An error. Filled only on failure; `status` is then not RATTLE_OK. */
typedef struct rattle_error {
  rattle_status status;
  long long step;  /* step that failed, counted from the start of the run; -1: no step */
  double time;     /* time at the start of that step; NaN: no step */
  int iterations;  /* iterations of the nonlinear loop; 0: none */
  double residual; /* its last residual, in units of round-off at the point; 0: none */
  int constraint;  /* index of the responsible constraint, -1: none */
  char where[264]; /* its name, or file:line, or the method's name; what is longer ends in "..." */
  char message[1024]; /* one sentence: what happened, where, what to do */
} rattle_error;

/* Name as in this header without RATTLE_ ("NOT_CONVERGED"), one line of text, and what to do about
 * it. Never NULL. */
RATTLE_API const char *rattle_status_name(rattle_status status);
RATTLE_API const char *rattle_status_text(rattle_status status);
RATTLE_API const char *rattle_status_remedy(rattle_status status);
/* The exit status of the command: 0, 1, 2 or 130. */
RATTLE_API int rattle_status_exit(rattle_status status);

/* The library's version "major.minor.patch", and its ABI number, RATTLE_ABI of version.h: 1 is that
 * of librattle.so.1. */
RATTLE_API const char *rattle_version(void);
RATTLE_API int rattle_abi(void);

/* Sets a flag, as from a signal handler or from another thread, by which runs, searches, studies,
 * samplings and ensembles are asked to end. */
RATTLE_API void rattle_interrupt(volatile int *interrupt);

#ifdef __cplusplus
}
#endif
#endif
