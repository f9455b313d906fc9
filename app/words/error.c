/* Errors of the command itself. It never sets a locale: numbers have points. */
#include <math.h>
#include <stdio.h>

#include "words/error.h"

rattle_status text_fail_list(rattle_error *error, rattle_status status, const char *format,
                             va_list arguments) {
  if (!error) return status;
  *error = (rattle_error){.status = status, .step = -1, .time = (double)NAN, .constraint = -1};
  vsnprintf(error->message, sizeof error->message, format, arguments);
  return status;
}

rattle_status text_fail(rattle_error *error, rattle_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_fail_list(error, status, format, arguments);
  va_end(arguments);
  return status;
}

rattle_status text_no_memory(rattle_error *error) {
  return text_fail(error, RATTLE_NO_MEMORY,
                   "out of memory; close other programs, or ask for less at once");
}
