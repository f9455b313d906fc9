/* See rolling_emitted.h. */
#include "maps/velocity/rolling_emitted.h"

#include <stdlib.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/emit.h"
#include "ground/expr/native.h"
#include "ground/support/number.h"
#include "maps/velocity/rolling_parts.h"

extern const char rattle__rolling_kernel[]; /* made by cmake/kernel.cmake */

typedef long long (*rolling_code)(rattle__rolling_run *run, const double *h, int stages,
                                  long long steps, double *z, double *range);

struct rattle__rolling_emitted {
  rattle__context *context;
  rattle__emitted parts;
  rattle__rolling_run run;
  rattle__point end; /* where the last step ended, for its V */
  rolling_code code;
  int n, m;
  void *library; /* NULL: interpreted */
};

#define N (((const rattle__rolling_emitted *)k->self)->n)
#define M (((const rattle__rolling_emitted *)k->self)->m)
#define KERNEL_NAME(part) interpreted_##part
#define KERNEL_LINKAGE static
#define KERNEL_INLINE static inline
#define KERNEL_UNROLL
#define KERNEL_NUMBERS double *x = outer->x, *y = outer->y;
#define IS_KEPT (outer->is_known && !memcmp(outer->x, z, 2 * (size_t)N * sizeof *z))
#define PART(name)                                                                                 \
  rattle__emitted_run(&((const rattle__rolling_emitted *)k->self)->parts, RATTLE__ROLLING_##name,  \
                      x, y);
#include "maps/emitted/elimination.h"
#include "maps/velocity/rolling_loop.h"
#undef N
#undef M

/* The source of the kernel; NULL without memory. */
static char *write_source(const rattle__rolling_emitted *s) {
  char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  if (!out) return NULL;
  rattle__emit_prelude(out);
  rattle__emitted_write(&s->parts, out);
  fprintf(out,
          "#define N %d\n#define M %d\n#define KERNEL_NAME(part) rattle_rolling_##part\n"
          "#define KERNEL_LINKAGE\n#define KERNEL_INLINE static inline "
          "__attribute__((always_inline))\n#define KERNEL_UNROLL _Pragma(\"GCC unroll 65534\")\n"
          "#define KERNEL_NUMBERS double x[PLACES], y[SHOWN];\n#define IS_KEPT 0\n"
          "#define PART(name) part_##name(x, y);\n",
          s->n, s->m);
  fputs(rattle__rolling_kernel, out);
  if (!fclose(out)) return source;
  free(source);
  return NULL;
}

static void compile(rattle__rolling_emitted *s) {
  const rattle__evaluator evaluator = s->context->problem->evaluator;
  char *source = evaluator != RATTLE__BLOCK ? write_source(s) : NULL;
  if (source && !rattle__native_get(evaluator, s->context->orders, source, &s->library, NULL) &&
      rattle__native_symbol(s->library, "rattle_rolling_run", &s->code))
    rattle__native_unload(&s->library);
  if (!s->library) s->code = interpreted_run;
  free(source);
}

rattle_status rattle__rolling_emitted_create(rattle__rolling_emitted **made,
                                             rattle__context *context, const rattle__scheme *scheme,
                                             rattle_error *error) {
  rattle__rolling_emitted *s = calloc(1, sizeof *s);
  *made = NULL;
  if (!s) return rattle__no_memory(error);
  s->context = context;
  s->n = context->problem->n;
  s->m = context->problem->m + context->problem->velocity->rows;
  rattle_status status = rattle__rolling_parts(&s->parts, context->problem, scheme, error);
  if (!status) {
    s->run.x = rattle__arena_doubles(&context->arena, (size_t)s->parts.places);
    s->run.y = rattle__arena_doubles(&context->arena, (size_t)s->parts.shown);
    s->run.self = s;
    rattle__point_create(&s->end, &context->arena, s->n, 0, 0);
    if (context->arena.failed) status = rattle__no_memory(error);
  }
  if (!status) {
    compile(s);
    *made = s;
    return RATTLE_OK;
  }
  rattle__rolling_emitted_destroy(s);
  return status == RATTLE_UNSUITABLE ? RATTLE_OK : status;
}

void rattle__rolling_emitted_destroy(rattle__rolling_emitted *s) {
  if (!s) return;
  rattle__native_unload(&s->library);
  rattle__emitted_end(&s->parts);
  free(s);
}

int rattle__rolling_emitted_is_native(const rattle__rolling_emitted *s) {
  return s->library != NULL;
}

/* Moves what the run has counted to the context. */
static void count(rattle__rolling_emitted *s) {
  rattle__context *context = s->context;
  rattle__rolling_run *run = &s->run;
  context->counts.constraint += run->evaluations;
  context->counts.jacobian += run->evaluations;
  context->counts.gradient += run->landings;
  context->counts.newton_iterations += run->corrections;
  context->counts.factorisation += run->factorisations;
  context->counts.position_projections += run->landings;
  context->counts.momentum_projections += run->landings;
  context->residuals.g = fmax(context->residuals.g, run->g);
  context->residuals.psi = fmax(context->residuals.psi, run->psi);
  context->residuals.iteration_residual =
      fmax(context->residuals.iteration_residual, run->residual);
  run->evaluations = run->landings = run->corrections = run->factorisations = 0;
  run->g = run->psi = run->residual = 0;
}

long long rattle__rolling_emitted_run(rattle__rolling_emitted *s, const double *h, int stages,
                                      long long steps, double *z, double *range) {
  rattle__context *context = s->context;
  s->run.look = context->asked.examine;
  s->run.looks = context->asked.examiner;
  const long long done = s->code(&s->run, h, stages, steps, z, range);
  count(s);
  if (!done) return 0;
  rattle__point_go(&s->end, z);
  s->end.V = s->run.V;
  s->end.has_V = 1;
  context->evaluated = &s->end;
  context->kernel = s->library ? "native" : "fused";
  return done;
}
