#ifndef TEXT_ERROR_H
#define TEXT_ERROR_H
#include <stdarg.h>

#include "rattle/status.h"

#if defined(__GNUC__)
#define TEXT_FORMAT(string, first) __attribute__((format(printf, string, first)))
#else
#define TEXT_FORMAT(string, first)
#endif

/* Fills *error (may be NULL) with the status and a printf message; other fields to their "none"
 * values. Returns status. */
rattle_status text_fail(rattle_error *error, rattle_status status, const char *format, ...)
    TEXT_FORMAT(3, 4);
rattle_status text_fail_list(rattle_error *error, rattle_status status, const char *format,
                             va_list arguments) TEXT_FORMAT(3, 0);
rattle_status text_no_memory(rattle_error *error);
#endif
