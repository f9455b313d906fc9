#ifndef RATTLE__STUDY_LAYOUT_H
#define RATTLE__STUDY_LAYOUT_H
/* The attributes of a study's file, which writing and reading expand as tables of rattle/fields.h:
 * FIELD(kind, name in the file, member). docs/studies.md shows the whole layout. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "examine/study/study.h"
#include "rattle/fields.h"
#include "record/hdf5/hdf5.h"

enum { RATTLE__STUDY_FORMAT = 1 }; /* grows when an older library could not read the file */

/* of /study: rattle_study_result */
#define RATTLE__STUDY_ATTRIBUTES(FIELD)                                                            \
  FIELD(text, "kind", kind_name)                                                                   \
  FIELD(text, "title", title)                                                                      \
  FIELD(text, "problem", problem)                                                                  \
  FIELD(text, "evaluator", evaluator)                                                              \
  FIELD(text, "model_file", model_file)                                                            \
  FIELD(text, "version", version)                                                                  \
  FIELD(text, "created", created)                                                                  \
  FIELD(text, "note", note)                                                                        \
  FIELD(text, "verdict", verdict)                                                                  \
  FIELD(text, "why", why)                                                                          \
  FIELD(integer, "n", n)                                                                           \
  FIELD(integer, "m", m)                                                                           \
  FIELD(integer, "methods", methods)                                                               \
  FIELD(real, "start", start)                                                                      \
  FIELD(real, "stop", stop)                                                                        \
  FIELD(real, "frequency", frequency)

/* of /study/reference: rattle_study_reference */
#define RATTLE__REFERENCE_ATTRIBUTES(FIELD)                                                        \
  RATTLE_STUDY_REFERENCE_FIELDS(FIELD)                                                             \
  FIELD(real, "scale_q", scale_q)                                                                  \
  FIELD(real, "scale_p", scale_p) FIELD(real, "scale_energy", scale_energy)

/* of /study/methods/I: rattle_study_method, and its claims */
#define RATTLE__METHOD_ATTRIBUTES(FIELD)                                                           \
  FIELD(text, "method", method)                                                                    \
  FIELD(text, "message", message) FIELD(text, "verdict", verdict) FIELD(text, "why", why)

/* A path in the file, cut where it is too long. */
enum { RATTLE__STUDY_PATH = 1024 };
typedef char rattle__study_path[RATTLE__STUDY_PATH];
static inline void rattle__study_at(rattle__study_path path, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path, RATTLE__STUDY_PATH, format, arguments);
  va_end(arguments);
}

/* That of a column; a slash in its name becomes a line. */
static inline void rattle__study_column(rattle__study_path path, const char *under,
                                        const char *table, const char *column) {
  rattle__study_at(path, "%s/%s/%s", under, table, column);
  for (char *at = path + strlen(under) + strlen(table) + 2; *at; at++)
    if (*at == '/') *at = '_';
}
#endif
