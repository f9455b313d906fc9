/* Machine code for functions: source, load, attach. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/emit.h"
#include "ground/expr/native.h"

enum { NAME_ROOM = 64 };

/* The operations of a rattle__function around straight code: rattle_NAME_value and so on. */
static void emit_wrappers(FILE *out, const rattle__function *f, const char *name) {
  rattle__emit_straight(out, f, name);
  fprintf(out,
          "int rattle_%s_value(const void *f, const double *x, double *F, double *work) {\n"
          "  (void)f, (void)work, %s_value(x, F);\n  return 0;\n}\n",
          name, name);
  fprintf(out,
          "int rattle_%s_jacobian(const void *f, const double *x, double *F, double *J, double "
          "*work) {\n"
          "  (void)f, (void)work;\n  if (F) %s_jacobian(x, F, J);\n  else %s_jacobian(x, 0, J);\n  "
          "return 0;\n}\n",
          name, name, name);
  if (f->hessian)
    fprintf(out,
            "int rattle_%s_hessian(const void *f, const double *x, const double *w, double *S, "
            "double *work) {\n"
            "  (void)f, (void)work;\n  if (w) %s_hessian(x, w, S);\n  else %s_hessian(x, 0, S);\n  "
            "return 0;\n}\n",
            name, name, name);
}

/* The same around what constraints have besides. */
static void emit_more_wrappers(FILE *out, const rattle__function *f, const char *name) {
  if (f->along) {
    rattle__emit_straight_along(out, f, name);
    fprintf(out,
            "int rattle_%s_along(const void *f, const double *x, const double *v, double *D, "
            "double *work) {\n"
            "  (void)f, (void)work, %s_along(x, v, D);\n  return 0;\n}\n",
            name, name);
  }
  if (f->row) {
    rattle__emit_straight_row(out, f, name);
    fprintf(out,
            "int rattle_%s_row(const void *f, int r, const double *x, double *F, double *J, double "
            "*work) {\n"
            "  (void)f, (void)work, %s_row(r, x, F, J);\n  return 0;\n}\n",
            name, name);
  }
}

static int is_straight(const rattle__function *f) {
  return rattle__elements_are_few(f, RATTLE__STRAIGHT_MOST);
}

/* Names of straight functions tell them apart; loops are alone in their object. */
static void name_part(const rattle__function *f, int k, char name[NAME_ROOM]) {
  *name = 0;
  if (is_straight(f)) snprintf(name, NAME_ROOM, "f%d", k);
}

/* Source of an object with the functions that `in` is 1 for; NULL without memory. */
static char *write_source(rattle__function *const *f, const char *in, int count) {
  char *text = NULL, name[NAME_ROOM];
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  rattle__emit_prelude(out);
  for (int k = 0; k < count; k++) {
    if (!in[k]) continue;
    if (!is_straight(f[k])) {
      rattle__emit_loops(out, f[k]);
      continue;
    }
    name_part(f[k], k, name);
    emit_wrappers(out, f[k], name);
    emit_more_wrappers(out, f[k], name);
  }
  if (!fclose(out)) return text;
  free(text);
  return NULL;
}

static int symbol(void *library, const char *name, const char *what, void *function) {
  char whole[NAME_ROOM];
  snprintf(whole, sizeof whole, "rattle_%s%s%s", name, *name ? "_" : "", what);
  return rattle__native_symbol(library, whole, function);
}

/* The functions of the object in place of the interpreter's; -1 if one is missing, and then f is as
 * it was. */
static int bind(rattle__function *f, int k, void *library) {
  rattle__elements *e = f->self;
  rattle__function made = *f;
  rattle__row_index rows = e->rows;
  char name[NAME_ROOM];
  name_part(f, k, name);
  if (symbol(library, name, "value", &made.value) ||
      symbol(library, name, "jacobian", &made.jacobian) ||
      (f->hessian && symbol(library, name, "hessian", &made.hessian)) ||
      (f->along && symbol(library, name, "along", &made.along)) ||
      (f->row && is_straight(f) && symbol(library, name, "row", &made.row)) ||
      (f->row && !is_straight(f) && symbol(library, name, "both", &rows.both)))
    return -1;
  e->rows = rows;
  made.native = 1;
  *f = made;
  return 0;
}

typedef struct shop {
  rattle__evaluator evaluator;
  rattle__orders *orders;
} shop;

/* Loads one object for the functions that `in` is 1 for. */
static rattle_status attach(rattle__function *const *f, const char *in, int count, const shop *from,
                            void **library, rattle_error *error) {
  char *source = write_source(f, in, count);
  if (!source) return rattle__no_memory(error);
  rattle_status status = rattle__native_get(from->evaluator, from->orders, source, library, error);
  free(source);
  for (int k = 0; k < count && !status; k++)
    if (in[k] && bind(f[k], k, *library))
      status = rattle__fail(error, RATTLE_IO, NULL, "the compiled evaluator lacks its functions");
  return status;
}

rattle_status rattle__native_attach(rattle__function *const *f, int count,
                                    rattle__evaluator evaluator, rattle__orders *orders,
                                    void **library, rattle_error *error) {
  enum { MOST = 8 };
  char together[MOST] = {0};
  int few = 0;
  const shop from = {evaluator, orders};
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < count; k++) library[k] = NULL;
  if (evaluator == RATTLE__BLOCK) return RATTLE_OK;
  if (evaluator != RATTLE__NATIVE) error = NULL;
  for (int k = 0; k < count && !status; k++) {
    if (!f[k]) continue;
    const long operations = rattle__elements_operations(f[k]->self, 0);
    char alone[MOST] = {0};
    if (operations > RATTLE__EMIT_MOST)
      status = rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                            "the expressions have %ld operations of different shapes, too many to "
                            "compile (%d): use the evaluator auto, or block",
                            operations, RATTLE__EMIT_MOST);
    else if (is_straight(f[k]))
      together[k] = 1, few = k + 1;
    else
      alone[k] = 1, status = attach(f, alone, count, &from, library + k, error);
    if (evaluator != RATTLE__NATIVE) status = RATTLE_OK;
  }
  if (few && !status) status = attach(f, together, count, &from, library + few - 1, error);
  return evaluator == RATTLE__NATIVE ? status : RATTLE_OK;
}

typedef struct twin {
  rattle__function f;
  rattle__elements e;
} twin;

static void destroy_twin(rattle__function *f) {
  free(f);
}

rattle_status rattle__function_twin(rattle__function **made, const rattle__function *f,
                                    rattle_error *error) {
  twin *it = malloc(sizeof *it);
  *made = NULL;
  if (!it) return rattle__no_memory(error);
  *it = (twin){.f = *f, .e = *f->elements};
  it->f.elements = it->f.self = &it->e;
  it->f.destroy = destroy_twin;
  *made = &it->f;
  return RATTLE_OK;
}
