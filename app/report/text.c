/* Sentences, HTML and numbers as text. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "report/parts.h"

rattle_status report_fail(rattle_error *error, rattle_status status, const char *format, ...) {
  *error = (rattle_error){.status = status, .step = -1, .time = (double)NAN, .constraint = -1};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

rattle_status report_no_memory(rattle_error *error) {
  return report_fail(error, RATTLE_NO_MEMORY,
                     "out of memory for the report; close other programs, or report fewer records at once");
}
