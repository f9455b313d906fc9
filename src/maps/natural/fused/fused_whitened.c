/* See fused_whitened.h. Operations are those of whitened.c, in their order. */
#include "maps/natural/fused/fused_whitened.h"

#include "ground/expr/native.h"

static int place(int i, int j) {
  return i * (i + 1) / 2 + j;
}

/* Row r of J L, column j. */
static void emit_entry(FILE *out, const rattle__function *f, int r, int j, int first) {
  const char *before = "";
  fprintf(out, "  J[%d] = ", r * f->vars + j);
  for (int e = f->jac_ptr[r]; e < f->jac_ptr[r + 1]; e++) {
    if (f->jac_col[e] < j) continue;
    fprintf(out, "%sG[%d] * number[%d]", before, e, first + place(f->jac_col[e], j));
    before = " + ";
  }
  fprintf(out, "%s;\n", *before ? "" : "UNIFORM(0)");
}

void rattle__emit_whitened(FILE *out, const rattle__function *f, const char *name, int own,
                           int first) {
  char of_q[16];
  snprintf(of_q, sizeof of_q, "%s_of_q", name);
  rattle__emit_straight(out, f, of_q);
  fprintf(out,
          "static inline void %s_jacobian(const REAL *restrict y, REAL *restrict F, REAL *restrict "
          "J, const REAL *restrict number) {\n  REAL q[%d], G[%d];\n",
          name, f->vars, f->jac_nnz);
  for (int i = 0; i < f->vars; i++) {
    fprintf(out, "  q[%d] = ", i);
    for (int j = 0; j <= i; j++)
      fprintf(out, "%snumber[%d] * y[%d]", j ? " + " : "", first + place(i, j), j);
    fprintf(out, ";\n");
  }
  fprintf(out, "  %s_jacobian(q, F, G", of_q);
  if (rattle__function_inputs(f, NULL, 0)) fprintf(out, ", number + %d", own);
  fprintf(out, ");\n");
  for (int r = 0; r < f->rows; r++)
    for (int j = 0; j < f->vars; j++) emit_entry(out, f, r, j, first);
  fprintf(out, "}\n");
}
