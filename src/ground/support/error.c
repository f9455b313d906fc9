/* Errors. */
#include "ground/support/error.h"
#include "ground/support/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The name, or its beginning and "...": whole characters of UTF-8. */
static void put_where(char *where, size_t size, const char *name) {
  if (snprintf(where, size, "%s", name) < (int)size) return;
  size_t end = size - sizeof "...";
  while (end > 0 && ((unsigned char)where[end] & 0xc0) == 0x80) end--;
  memcpy(where + end, "...", sizeof "...");
}

rattle_status rattle__fail(rattle_error *error, rattle_status status, const char *where,
                           const char *format, ...) {
  if (!error) return status;
  *error = (rattle_error){.status = status, .step = -1, .time = (double)NAN, .constraint = -1};
  if (where) put_where(error->where, sizeof error->where, where);
  va_list arguments;
  va_start(arguments, format);
  rattle__format(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

rattle_status rattle__no_memory(rattle_error *error) {
  return rattle__fail(error, RATTLE_NO_MEMORY, NULL, "out of memory: %s",
                      rattle_status_remedy(RATTLE_NO_MEMORY));
}
