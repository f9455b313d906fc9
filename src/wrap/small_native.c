/* The kernel of small.c compiled for one problem: the numbers, patterns and derivatives of the problem written in front of the
 * text of small_kernel.h. Silent if it is not available: the library's own instance gives the same bits. */
#include <stdlib.h>

#include "expr/family.h"
#include "support/number.h"
#include "expr/native.h"
#include "wrap/small.h"

extern const char rattle__small_kernel[]; /* made by cmake/kernel.cmake */

static void emit_ints(FILE *out, const char *name, const int *x, int count) {
  fprintf(out, "static const int %s[] = {", name);
  for (int i = 0; i < count; i++) fprintf(out, "%d,", x[i]);
  fprintf(out, "0};\n");
}

static void emit_numbers(FILE *out, const rattle__context *context, const rattle__scheme *scheme, int project) {
  const rattle_problem *problem = context->problem;
  const rattle__function *g = problem->g;
  fprintf(out, "#define KERNEL_NAME(part) rattle_small_##part\n#define KERNEL_LINKAGE\n#define KERNEL_RUN\n"
               "#define KERNEL_INLINE static inline __attribute__((always_inline))\n"
               "#define KERNEL_UNROLL _Pragma(\"GCC unroll 16\")\n");
  fprintf(out, "#define N %d\n#define M %d\n#define NNZ %d\n#define PROJECT %d\n#define QUADRATIC %d\n#define COMPENSATED %d\n",
          problem->n, problem->m, g->jac_nnz, project, g->quadratic, context->carry != NULL);
  char number[RATTLE__NUMBER_ROOM];
  fprintf(out, "#define K1 %s\n", rattle__number_hex(scheme->k1, number));
  fprintf(out, "#define D1 %s\n", rattle__number_hex(scheme->d1, number));
  fprintf(out, "#define K2 %s\n", rattle__number_hex(scheme->k2, number));
  fprintf(out, "#define D2 %s\n", rattle__number_hex(scheme->d2, number));
  emit_ints(out, "ptr", g->jac_ptr, problem->m + 1);
  emit_ints(out, "col", g->jac_col, g->jac_nnz);
  fprintf(out, "static const double inverse_mass[] = {");
  for (int i = 0; i < problem->n; i++) fprintf(out, "%s,", rattle__number_hex(problem->inverse_mass[i], number));
  fprintf(out, "0};\n#define PTR(i) ptr[i]\n#define COL(e) col[e]\n#define INVERSE_MASS(i) inverse_mass[i]\n");
  fprintf(out, "#define CONSTRAINT(q, F, J) (g_jacobian(q, F, J), 0)\n");
  fprintf(out, "#define FORCE(q, value, Vq) (V_jacobian(q, &(value), Vq), 0)\n");
}

void rattle__small_native(const rattle__context *context, const rattle__scheme *scheme, int project, rattle__small_step *step,
                          rattle__small_run *run, void **library) {
  const rattle__function *g = context->problem->g, *V = context->problem->V;
  *step = NULL;
  *run = NULL;
  *library = NULL;
  if (!g->native || !V->native) return;
  if (!rattle__elements_are_few(g, RATTLE__STRAIGHT_MOST) || !rattle__elements_are_few(V, RATTLE__STRAIGHT_MOST)) return;
  char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  if (!out) return;
  rattle__emit_prelude(out);
  rattle__emit_straight(out, g, "g");
  rattle__emit_straight(out, V, "V");
  emit_numbers(out, context, scheme, project);
  fputs(rattle__small_kernel, out);
  if (!fclose(out) && !rattle__native_load(source, library, NULL) &&
      (rattle__native_symbol(*library, "rattle_small_step", step) || rattle__native_symbol(*library, "rattle_small_run", run))) {
    *step = NULL;
    *run = NULL;
    rattle__native_unload(library);
  }
  free(source);
}
