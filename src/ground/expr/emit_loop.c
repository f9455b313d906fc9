/* Loops over the instances of each family, for functions of any size.
 *
 * Each family has a function for each kind of result, its program inlined in the loop. Index tables
 * and parameters come from the rattle__function, so the source depends on the shapes alone and one
 * object serves chains of every length; arithmetic indices stand in the source by their steps
 * alone. Sums have the order of the block interpreter. */
#include <stddef.h>
#include <stdlib.h>

#include "ground/expr/emit.h"
#include "ground/expr/native.h"

static const char *const kind_name[RATTLE__PROGRAMS] = {"value", "gradient", "both", "curvature",
                                                        "along"};

/* The struct rattle__table and the few members of a rattle__function that the code reads. */
static void emit_types(FILE *out) {
  fprintf(out, "struct table { long count; const int *slot; const double *param; const int *row, "
               "*jac, *hess; };\n"
               "struct function;\n"
               "#define AT(type, place) (*(type const *)((const char *)f + (place)))\n");
  fprintf(out, "#define ROWS AT(int, %zu)\n", offsetof(rattle__function, rows));
  fprintf(out, "#define JAC_NNZ AT(int, %zu)\n", offsetof(rattle__function, jac_nnz));
  fprintf(out, "#define HESS_NNZ AT(int, %zu)\n", offsetof(rattle__function, hess_nnz));
  fprintf(out, "#define TABLE (*AT(const struct table **, %zu))\n",
          offsetof(rattle__function, self));
}

static int writes_F(int kind) {
  return kind == RATTLE__VALUE || kind == RATTLE__BOTH;
}
static int writes_J(int kind) {
  return kind == RATTLE__GRADIENT || kind == RATTLE__BOTH || kind == RATTLE__ALONG;
}

/* True if column j of a table [count][width] grows by the same step from each instance to the
 * next. */
static int has_step(const int *table, long count, int width, int j, long *step) {
  *step = (long)table[width + j] - table[j];
  for (long i = 1; i < count; i++)
    if ((long)table[i * width + j] - table[(i - 1) * width + j] != *step) return 0;
  return 1;
}

/* The index tables of a chain or a lattice are arithmetic: reading them would be the larger part of
 * the memory's work. Writes NAME as an array computed from the first row; returns 0, nothing
 * written, where some column has no step. */
static int emit_steps(FILE *out, const char *name, const char *member, const int *table, long count,
                      int width) {
  enum { FEW = 64 };
  long step;
  if (count < FEW) return 0;
  for (int j = 0; j < width; j++)
    if (!has_step(table, count, width, j, &step)) return 0;
  fprintf(out, "    const long %s[] = {", name);
  for (int j = 0; j < width; j++) {
    has_step(table, count, width, j, &step);
    fprintf(out, "t->%s[%d] + i * %ldL, ", member, j, step);
  }
  fprintf(out, "0};\n");
  return 1;
}

/* The indices of instance i: s of its slots, r of its row, at of its results; computed or read. */
static void emit_indices(FILE *out, const rattle__family *f, const rattle__table *t, int curved) {
  int outs = curved ? f->hess_outs : f->jac_outs;
  const char *member = curved ? "hess" : "jac";
  if (!emit_steps(out, "s", "slot", t->slot, t->count, f->slots))
    fprintf(out, "    const int *restrict s = t->slot + i * %d;\n", f->slots);
  if (!emit_steps(out, "at", member, curved ? t->hess : t->jac, t->count, outs))
    fprintf(out, "    const int *restrict at = t->%s + i * %d;\n", member, outs);
  if (!emit_steps(out, "r", "row", t->row, t->count, 1))
    fprintf(out, "    const int *restrict r = t->row + i;\n");
}

/* static void KIND_k(const struct table *t, x, F or w, J or S) */
static void emit_family(FILE *out, const rattle__family *f, const rattle__table *t, int k, int kind,
                        int *text) {
  const rattle__program *p = &f->program[kind];
  if (!p->outs) return;
  int curved = kind == RATTLE__CURVATURE;
  fprintf(out, "static void %s_%d(const struct table *restrict t, const double *restrict x",
          kind_name[kind], k);
  if (kind == RATTLE__ALONG) fprintf(out, ", const double *restrict v");
  if (writes_F(kind)) fprintf(out, ", double *restrict F");
  if (writes_J(kind)) fprintf(out, ", double *restrict J");
  if (curved) fprintf(out, ", const double *restrict w, double *restrict S");
  fprintf(out, ") {\n  const long count = t->count;\n  const double *restrict c = t->param;\n");
  fprintf(out, "  for (long i = 0; i < count; i++, c += %d) {\n", f->params);
  emit_indices(out, f, t, curved);
  rattle__emit_program(out, f, p, -1, text);
  if (curved) fprintf(out, "    const double wi = w ? w[r[0]] : 1;\n");
  for (int j = 0; j < p->outs; j++) {
    int of_J = j - writes_F(kind);
    if (curved)
      fprintf(out, "    S[at[%d]] %s wi * ", j, f->store_S ? "=" : "+=");
    else if (of_J < 0)
      fprintf(out, "    F[r[0]] %s ", f->store_F ? "=" : "+=");
    else
      fprintf(out, "    J[at[%d]] %s ", of_J, f->store_J ? "=" : "+=");
    rattle__emit_register(out, f, p, -1, text, p->out[j]);
    fprintf(out, ";\n");
  }
  fprintf(out, "  }\n}\n");
}

static void emit_calls(FILE *out, const rattle__elements *e, int kind, const char *arguments) {
  for (int k = 0; k < e->families; k++)
    if (e->family[k].program[kind].outs)
      fprintf(out, "  %s_%d(table + %d, x, %s);\n", kind_name[kind], k, k, arguments);
}

static void emit_zero(FILE *out, int wanted, const char *name, const char *count) {
  if (wanted)
    fprintf(out, "  __builtin_memset(%s, 0, sizeof(double) * (unsigned long)%s);\n", name, count);
}

/* The three operations of a rattle__function. */
static void emit_entries(FILE *out, const rattle__function *f, const rattle__elements *e) {
  static const char *const open =
      "  const struct table *table = TABLE;\n  (void)work; (void)table; (void)x;\n";
  fprintf(
      out,
      "int rattle_value(const struct function *f, const double *x, double *F, double *work) {\n%s",
      open);
  emit_zero(out, e->zero_F, "F", "ROWS");
  emit_calls(out, e, RATTLE__VALUE, "F");
  fprintf(out,
          "  return 0;\n}\nint rattle_jacobian(const struct function *f, const double *x, double "
          "*F, double *J, double *work) {\n%s",
          open);
  emit_zero(out, e->zero_J, "J", "JAC_NNZ");
  fprintf(out, "  if (!F) {\n");
  emit_calls(out, e, RATTLE__GRADIENT, "J");
  fprintf(out, "  return 0;\n  }\n");
  emit_zero(out, e->zero_F, "F", "ROWS");
  emit_calls(out, e, RATTLE__BOTH, "F, J");
  fprintf(out, "  return 0;\n}\n");
  if (!f->hessian) return;
  fprintf(out,
          "int rattle_hessian(const struct function *f, const double *x, const double *w, double "
          "*S, double *work) {\n%s",
          open);
  emit_zero(out, e->zero_S, "S", "HESS_NNZ");
  emit_calls(out, e, RATTLE__CURVATURE, "w, S");
  fprintf(out, "  return 0;\n}\n");
}

/* Entry points that functions of constraints have in addition. */
static void emit_more_entries(FILE *out, const rattle__function *f, const rattle__elements *e) {
  if (f->along) {
    fprintf(out,
            "int rattle_along(const struct function *f, const double *x, const double *v, double "
            "*J, double *work) {\n"
            "  const struct table *table = TABLE;\n  (void)work; (void)table; (void)x; (void)v;\n");
    emit_zero(out, e->zero_J, "J", "JAC_NNZ");
    emit_calls(out, e, RATTLE__ALONG, "v, J");
    fprintf(out, "  return 0;\n}\n");
  }
  if (f->row) {
    fprintf(out, "void (*const rattle_both[])(const struct table *restrict, const double "
                 "*restrict, double *restrict, double "
                 "*restrict) = {");
    for (int k = 0; k < e->families; k++) fprintf(out, "both_%d, ", k);
    fprintf(out, "0};\n");
  }
}

void rattle__emit_loops(FILE *out, const rattle__function *f) {
  const rattle__elements *e = rattle__function_elements(f);
  int *text = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *text);
  if (!text) return; /* the source then lacks its functions, and loading it fails */
  emit_types(out);
  for (int k = 0; k < e->families; k++)
    for (int kind = 0; kind < RATTLE__PROGRAMS; kind++)
      emit_family(out, &e->family[k], &e->table[k], k, kind, text);
  emit_entries(out, f, e);
  emit_more_entries(out, f, e);
  free(text);
}
