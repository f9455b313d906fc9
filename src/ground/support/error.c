/* Status codes, their texts, and errors. */
#include "ground/support/error.h"
#include "ground/support/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *text, *remedy;
  int exit_status;
} table[] = {
#define STATUS(name, exit_status, text, remedy) {#name, text, remedy, exit_status},
#include "rattle/status.def"
#undef STATUS
};

static unsigned known(rattle_status status) {
  return (unsigned)status < RATTLE_STATUS_COUNT ? (unsigned)status : RATTLE_BAD_ARGUMENT;
}

const char *rattle_status_name(rattle_status status) {
  return table[known(status)].name;
}

const char *rattle_status_text(rattle_status status) {
  return table[known(status)].text;
}

const char *rattle_status_remedy(rattle_status status) {
  return table[known(status)].remedy;
}

int rattle_status_exit(rattle_status status) {
  return table[known(status)].exit_status;
}

const char *rattle_version(void) {
  return RATTLE_VERSION;
}

rattle_status rattle__fail(rattle_error *error, rattle_status status, const char *where, const char *format, ...) {
  if (!error) return status;
  *error = (rattle_error){.status = status, .step = -1, .time = (double)NAN, .constraint = -1};
  if (where) snprintf(error->where, sizeof error->where, "%s", where);
  va_list arguments;
  va_start(arguments, format);
  rattle__format(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

rattle_status rattle__no_memory(rattle_error *error) {
  return rattle__fail(error, RATTLE_NO_MEMORY, NULL, "out of memory: %s", rattle_status_remedy(RATTLE_NO_MEMORY));
}
