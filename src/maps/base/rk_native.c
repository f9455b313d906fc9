/* The kernel of rk.c compiled for one tableau and one field: numbers and field written in front of
 * the text of rk_kernel.h. Returns nothing if it is not available: the library's own instance gives
 * the same bits. */
#include <stdlib.h>

#include "ground/expr/native.h"
#include "ground/support/number.h"
#include "maps/base/rk.h"

extern const char rattle__rk_kernel[]; /* made by cmake/kernel.cmake */

/* On the stack of a step, all of whose loops are unrolled. */
enum { MOST_DOUBLES = 400 };

static void emit_numbers(FILE *out, const rattle__tableau *t, int n) {
  const int s = t->stages;
  fprintf(out, "#define KERNEL_RUN\n#define KERNEL_ARG\n#define KERNEL_SELF\n"
               "#define KERNEL_INLINE static inline __attribute__((always_inline))\n"
               "#define KERNEL_UNROLL _Pragma(\"GCC unroll 64\")\n");
  fprintf(out,
          "#define N %d\n#define STAGES %d\nstatic const double of_stage[2][STAGES][STAGES] = {", n,
          s);
  char number[RATTLE__NUMBER_ROOM];
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < s; i++) {
      fprintf(out, "%s{", i ? "," : part ? "},{" : "{");
      for (int j = 0; j < s; j++)
        fprintf(out, "%s%s", j ? "," : "",
                rattle__number_hex(part ? t->ahat[i][j] : t->a[i][j], number));
      fprintf(out, "}");
    }
  fprintf(out, "}};\nstatic const double of_end[2][STAGES] = {");
  for (int part = 0; part < 2; part++) {
    fprintf(out, "%s{", part ? "}," : "");
    for (int j = 0; j < s; j++)
      fprintf(out, "%s%s", j ? "," : "",
              rattle__number_hex(rattle__tableau_weights(t, part)[j], number));
  }
  fprintf(out, "}};\n#define A(part, i, j) of_stage[part][i][j]\n#define B(part, j) "
               "of_end[part][j]\n#define FIELD(z, f) "
               "(field(z, f), 0)\n");
}

void rattle__rk_native(const rattle__tableau *tableau, const rattle__context *context,
                       const rattle__field *field, rattle__rk_run *run, void **library) {
  const int n = context->problem->n;
  *run = NULL;
  *library = NULL;
  if ((tableau->stages + 3) * 2 * n > MOST_DOUBLES ||
      context->problem->evaluator == RATTLE__BLOCK || !rattle__field_is_straight(field))
    return;
  char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  if (!out) return;
  rattle__emit_prelude(out);
  rattle__field_emit(field, out);
  emit_numbers(out, tableau, n);
  fputs(rattle__rk_kernel, out);
  if (!fclose(out) &&
      !rattle__native_get(context->problem->evaluator, context->orders, source, library, NULL) &&
      rattle__native_symbol(*library, "rattle_rk_run", run)) {
    *run = NULL;
    rattle__native_unload(library);
  }
  free(source);
}
