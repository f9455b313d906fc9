/* The step of a splitting on spheres compiled for one problem: its numbers and its force written in
 * front of the text of spheres_kernel.h and spheres_run.h. Silent if it is not available: the
 * library's own steps give the same bits. */
#include <stdlib.h>

#include "maps/constrained/geodesic.h"
#include "ground/expr/family.h"
#include "ground/expr/native.h"
#include "method/coefficients/splittings.h"
#include "ground/support/number.h"

extern const char rattle__spheres_kernel[]; /* made by cmake/kernel.cmake */

static void emit_step(FILE *out, const rattle_problem *problem,
                      const rattle__rkn_splitting *splitting) {
  char number[RATTLE__NUMBER_ROOM];
  fprintf(out,
          "#define KERNEL_INLINE static inline __attribute__((always_inline))\n#define N "
          "%d\n#define M %d\n",
          problem->n, problem->m);
  fprintf(out, "#define PARTS %d\n#define KICK_FIRST %d\nstatic const double part[] = {",
          splitting->parts, splitting->kick_first);
  for (int i = 0; i < splitting->parts; i++)
    fprintf(out, "%s,", rattle__number_hex(splitting->c[i], number));
  fprintf(out, "};\n#define PART(i) part[i]\n#define EACH_N(DO)");
  for (int k = 0; k < problem->n; k++) fprintf(out, " DO(%d)", k);
  fprintf(out, "\n#define FORCE(q, value, V_q) (V_jacobian(q, &(value), V_q), 0)\n");
}

rattle__spheres_run rattle__geodesic_native(const rattle__geodesic *geodesic,
                                            const rattle__context *context,
                                            const rattle__rkn_splitting *splitting,
                                            void **library) {
  const rattle_problem *problem = context->problem;
  rattle__spheres_run run = NULL;
  char *source = NULL;
  size_t size = 0;
  *library = NULL;
  if (!geodesic->write || problem->evaluator == RATTLE__BLOCK ||
      !rattle__elements_are_few(problem->V, RATTLE__STRAIGHT_MOST))
    return NULL;
  FILE *out = open_memstream(&source, &size);
  if (!out) return NULL;
  rattle__emit_prelude(out);
  rattle__emit_straight(out, problem->V, "V");
  emit_step(out, problem, splitting);
  const int written = geodesic->write(geodesic, out);
  fputs(rattle__spheres_kernel, out);
  if (!fclose(out) && written &&
      !rattle__native_get(problem->evaluator, context->orders, source, library, NULL) &&
      rattle__native_symbol(*library, "rattle_spheres_run", &run)) {
    run = NULL;
    rattle__native_unload(library);
  }
  free(source);
  return run;
}
