/* Machine code for functions: source, load, attach. */
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "expr/emit.h"
#include "expr/native.h"

/* The operations of a rattle__function around straight code. */
static void emit_wrappers(FILE *out, const rattle__function *f) {
  rattle__emit_straight(out, f, "f");
  fprintf(out, "int rattle_value(const void *f, const double *x, double *F, double *work) {\n"
               "  (void)f, (void)work, f_value(x, F);\n  return 0;\n}\n"
               "int rattle_jacobian(const void *f, const double *x, double *F, double *J, double *work) {\n"
               "  (void)f, (void)work;\n  if (F) f_jacobian(x, F, J);\n  else f_jacobian(x, 0, J);\n  return 0;\n}\n");
  if (f->hessian)
    fprintf(out, "int rattle_hessian(const void *f, const double *x, const double *w, double *S, double *work) {\n"
                 "  (void)f, (void)work;\n  if (w) f_hessian(x, w, S);\n  else f_hessian(x, 0, S);\n  return 0;\n}\n");
}

/* The same around what constraints have besides. */
static void emit_more_wrappers(FILE *out, const rattle__function *f) {
  if (f->along) {
    rattle__emit_straight_along(out, f, "f");
    fprintf(out, "int rattle_along(const void *f, const double *x, const double *v, double *D, double *work) {\n"
                 "  (void)f, (void)work, f_along(x, v, D);\n  return 0;\n}\n");
  }
  if (f->row) {
    rattle__emit_straight_row(out, f, "f");
    fprintf(out, "int rattle_row(const void *f, int r, const double *x, double *F, double *J, double *work) {\n"
                 "  (void)f, (void)work, f_row(r, x, F, J);\n  return 0;\n}\n");
  }
}

/* Source of the whole object; NULL without memory. */
static char *write_source(const rattle__function *f) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  rattle__emit_prelude(out);
  if (rattle__elements_are_few(f, RATTLE__STRAIGHT_MOST)) {
    emit_wrappers(out, f);
    emit_more_wrappers(out, f);
  } else {
    rattle__emit_loops(out, f);
  }
  if (!fclose(out)) return text;
  free(text);
  return NULL;
}

rattle_status rattle__native_attach(rattle__function *f, rattle_error *error) {
  rattle__elements *e = f->self;
  long operations = rattle__elements_operations(e, 0);
  if (operations > RATTLE__EMIT_MOST)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "the expressions have %ld operations of different shapes, too many to compile (%d)", operations,
                        RATTLE__EMIT_MOST);
  char *source = write_source(f);
  if (!source) return rattle__no_memory(error);
  void *library = NULL;
  rattle_status status = rattle__native_load(source, &library, error);
  free(source);
  if (status) return status;
  rattle__function made = *f;
  int straight = rattle__elements_are_few(f, RATTLE__STRAIGHT_MOST);
  rattle__row_index rows = e->rows;
  if (rattle__native_symbol(library, "rattle_value", &made.value) ||
      rattle__native_symbol(library, "rattle_jacobian", &made.jacobian) ||
      (f->hessian && rattle__native_symbol(library, "rattle_hessian", &made.hessian)) ||
      (f->along && rattle__native_symbol(library, "rattle_along", &made.along)) ||
      (f->row && straight && rattle__native_symbol(library, "rattle_row", &made.row)) ||
      (f->row && !straight && rattle__native_symbol(library, "rattle_both", &rows.both))) {
    rattle__native_unload(&library);
    return rattle__fail(error, RATTLE_IO, NULL, "the compiled evaluator lacks its functions");
  }
  e->library = library;
  e->rows = rows;
  made.native = 1;
  *f = made;
  return RATTLE_OK;
}
