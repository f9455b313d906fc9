#ifndef RATTLE__ERROR_H
#define RATTLE__ERROR_H
#include "rattle/status.h"

#if defined(__GNUC__)
#define RATTLE__PRINTF(string, first) __attribute__((format(printf, string, first), cold))
#else
#define RATTLE__PRINTF(format, first)
#endif

/* Fills *error (may be NULL) with status, where (may be NULL) and a printf message; other fields to
 * their "none" values. Returns status, so that a failing function can end with `return
 * rattle__fail(...)`. */
rattle_status rattle__fail(rattle_error *error, rattle_status status, const char *where,
                           const char *format, ...) RATTLE__PRINTF(4, 5);
rattle_status rattle__no_memory(rattle_error *error);
#endif
