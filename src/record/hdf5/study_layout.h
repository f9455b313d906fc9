#ifndef RATTLE__STUDY_LAYOUT_H
#define RATTLE__STUDY_LAYOUT_H
/* The attributes of a study's file, as lists that writing and reading expand: ITEM(name in the file, field). docs/studies.md
 * shows the whole layout. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "record/hdf5/hdf5.h"
#include "examine/study/study.h"

enum { RATTLE__STUDY_FORMAT = 1 }; /* grows when an older library could not read the file */

/* of /study: rattle_study_result */
#define RATTLE__STUDY_TEXTS(ITEM)                                                                                                \
  ITEM("kind", kind_name)                                                                                                        \
  ITEM("title", title)                                                                                                           \
  ITEM("problem", problem)                                                                                                       \
  ITEM("evaluator", evaluator)                                                                                                   \
  ITEM("model_file", model_file)                                                                                                 \
  ITEM("version", version) ITEM("created", created) ITEM("note", note) ITEM("verdict", verdict) ITEM("why", why)
#define RATTLE__STUDY_INTEGERS(ITEM) ITEM("n", n) ITEM("m", m) ITEM("status", status) ITEM("methods", methods)
#define RATTLE__STUDY_REALS(ITEM) ITEM("start", start) ITEM("stop", stop) ITEM("frequency", frequency)

/* of /study/reference: rattle_study_reference */
#define RATTLE__REFERENCE_REALS(ITEM)                                                                                            \
  ITEM("step", step)                                                                                                             \
  ITEM("error", error) ITEM("scale_q", scale_q) ITEM("scale_p", scale_p) ITEM("scale_energy", scale_energy)

/* of /study/methods/I: rattle_study_method */
#define RATTLE__METHOD_TEXTS(ITEM) ITEM("method", method) ITEM("message", message) ITEM("verdict", verdict) ITEM("why", why)
#define RATTLE__METHOD_INTEGERS(ITEM)                                                                                            \
  ITEM("order", claims.order)                                                                                                    \
  ITEM("symmetric", claims.symmetric)                                                                                            \
  ITEM("symplectic", claims.symplectic)                                                                                          \
  ITEM("explicit", claims.explicit_)                                                                                             \
  ITEM("keeps_g", claims.keeps_g)                                                                                                \
  ITEM("keeps_psi", claims.keeps_psi)                                                                                            \
  ITEM("keeps_energy", claims.keeps_energy) ITEM("pure", claims.pure) ITEM("stages", claims.stages) ITEM("status", status)

/* of /study/methods/I/fits/NAME: rattle_study_fit */
#define RATTLE__FIT_REALS(ITEM) ITEM("slope", slope) ITEM("uncertainty", uncertainty) ITEM("low", low) ITEM("high", high)

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
static inline void rattle__study_column(rattle__study_path path, const char *under, const char *table, const char *column) {
  rattle__study_at(path, "%s/%s/%s", under, table, column);
  for (char *at = path + strlen(under) + strlen(table) + 2; *at; at++)
    if (*at == '/') *at = '_';
}
#endif
