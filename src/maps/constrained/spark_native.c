/* The kernel of spark_natural.c compiled for one problem of few constraints: its numbers and
 * derivatives written in front of the text of spark_kernel.h and spark_run.h. Silent if it is not
 * available: the library's own steps give the same bits. */
#include <stdlib.h>

#include "maps/constrained/spark.h"
#include "ground/expr/emit.h"
#include "ground/expr/family.h"
#include "ground/expr/native.h"
#include "method/coefficients/nodes.h"
#include "ground/support/number.h"

extern const char rattle__spark_kernel[]; /* made by cmake/kernel.cmake */

/* Stages by constraints by variables, of loops that are unrolled: more would take seconds to
 * compile. */
enum { UNROLLED_MOST = 24 };

static void emit_numbers(FILE *out, const char *name, int count, const double *x) {
  char number[RATTLE__NUMBER_ROOM];
  fprintf(out, "static const double %s[] = {", name);
  for (int i = 0; i < count; i++) fprintf(out, "%s,", rattle__number_hex(x[i], number));
  fprintf(out, "0};\n");
}

static void emit_places(FILE *out, const rattle__function *g) {
  fprintf(out, "static const int of_row[] = {");
  for (int i = 0; i < g->rows; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) fprintf(out, "%d,", i);
  fprintf(out, "}, of_column[] = {");
  for (int e = 0; e < g->jac_nnz; e++) fprintf(out, "%d,", g->jac_col[e]);
  fprintf(out, "};\n#define ROW(e) of_row[e]\n#define COLUMN(e) of_column[e]\n");
}

static void emit_problem(FILE *out, const rattle_problem *problem, const rattle__spark_pair *pair) {
  const int s = pair->s, unrolled = (s - 1) * problem->m * problem->n <= UNROLLED_MOST;
  fprintf(out, "#define KERNEL_INLINE static inline __attribute__((always_inline))\n#define "
               "KERNEL_NAME(part) rattle_spark_##part\n");
  fprintf(out, "#define KERNEL_UNROLL%s\n", unrolled ? " _Pragma(\"GCC unroll 64\")" : "");
  fprintf(out, "#define N %d\n#define M %d\n#define NNZ %d\n#define R %d\n", problem->n, problem->m,
          problem->g->jac_nnz, s - 1);
  emit_numbers(out, "inverse_mass", problem->n, problem->mass->diagonal);
  emit_numbers(out, "node", s, pair->c);
  emit_numbers(out, "end_weight", s, pair->b);
  emit_numbers(out, "weight", RATTLE__STAGES * s, pair->w[0]);
  fprintf(out,
          "#define INVERSE_MASS(c) inverse_mass[c]\n#define NODE(i) node[i]\n#define END_WEIGHT(j) "
          "end_weight[j]\n"
          "#define WEIGHT(i, j) weight[(i) * %d + (j)]\n",
          RATTLE__STAGES);
  emit_places(out, problem->g);
  fprintf(out,
          "#define CONSTRAINT_AT(k, s, j, value) (constraint_at((k)->Q[j], value, (k)->J[j]), 0)\n"
          "#define FORCE_AT(k, j) (V_jacobian((k)->Q[j], &(k)->potential, (k)->Vq[j]), 0)\n"
          "#define ALONG(k, v) (g_along((k)->Q[0], v, (k)->along), 0)\n"
          "KERNEL_INLINE void constraint_at(const double *Q, double *value, double *J) {\n"
          "  double entries[NNZ];\n  g_jacobian(Q, value, entries);\n"
          "  KERNEL_UNROLL\n  for (int e = 0; e < NNZ; e++) J[ROW(e) * N + COLUMN(e)] = "
          "entries[e];\n}\n");
}

/* True if the step may be written out. */
static int is_short(const rattle_problem *problem, int s) {
  const rattle__function *g = problem->g, *V = problem->V;
  enum { SYSTEM_MOST = 12 };
  return problem->evaluator != RATTLE__BLOCK && (s - 1) * problem->m <= SYSTEM_MOST && g->along &&
         rattle__elements_are_few(g, RATTLE__STRAIGHT_MOST) &&
         rattle__elements_are_few(V, RATTLE__STRAIGHT_MOST);
}

rattle__spark_run rattle__spark_native(const rattle__context *context,
                                       const rattle__spark_pair *pair, void **library) {
  const rattle_problem *problem = context->problem;
  rattle__spark_run run = NULL;
  char *source = NULL;
  size_t size = 0;
  FILE *out = is_short(problem, pair->s) ? open_memstream(&source, &size) : NULL;
  *library = NULL;
  if (!out) return NULL;
  rattle__emit_prelude(out);
  rattle__emit_straight(out, problem->g, "g");
  rattle__emit_straight_along(out, problem->g, "g");
  rattle__emit_straight(out, problem->V, "V");
  emit_problem(out, problem, pair);
  fputs(rattle__spark_kernel, out);
  if (!fclose(out) &&
      !rattle__native_get(problem->evaluator, context->orders, source, library, NULL) &&
      rattle__native_symbol(*library, "rattle_spark_run", &run)) {
    run = NULL;
    rattle__native_unload(library);
  }
  free(source);
  return run;
}
