/* See stepper.h. */
#include "maps/emitted/stepper.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/emit.h"
#include "ground/expr/inputs.h"
#include "ground/expr/native.h"
#include "ground/support/error.h"

extern const char rattle__emitted_lanes[]; /* made by cmake/kernel.cmake */

/* The source of the kernel, for so many lanes, 0: for one trajectory; NULL without memory. */
static char *write_source(const rattle__stepper *s, int lanes) {
  enum { INLINED = 6 }; /* unknowns: a call takes no time beside more of them */
  char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  const char *number = rattle__graph_inputs(s->parts.graph) ? ", (const REAL *)k->self" : "";
  if (!out) return NULL;
  if (lanes)
    rattle__emit_prelude_of_lanes(out, lanes);
  else
    rattle__emit_prelude(out);
  rattle__emitted_write(&s->parts, out);
  fprintf(out,
          "#define N %d\n#define M %d\n#define U %d\n#define AT_ENERGY %d\n"
          "#define CURVED %d\n#define BENT %d\n#define KERNEL_NAME(part) rattle_emitted_##part\n"
          "#define KERNEL_LINKAGE %s\n#define KERNEL_INLINE static inline "
          "__attribute__((always_inline))\n#define KERNEL_SHARED %s\n#define KERNEL_UNROLL "
          "_Pragma(\"GCC unroll 65534\")\n"
          "#define KERNEL_NUMBERS REAL x[PLACES], y[SHOWN];\n#define IS_KEPT 0\n"
          "#define PART(name) part_##name(x, y%s, ALL);\n"
          "#define PART_WHERE(active, name) part_##name(x, y%s, active);\n",
          s->n, s->m, s->unknowns, s->energy, s->curved, s->bent, lanes ? "static" : "",
          s->unknowns > INLINED ? "static __attribute__((noinline))" : "KERNEL_INLINE", number,
          number);
  fputs(s->kernel, out);
  if (lanes) {
    fputs(rattle__emitted_lanes, out);
    rattle__emit_end_of_lanes(out);
  }
  if (!fclose(out)) return source;
  free(source);
  return NULL;
}

static void compile(rattle__stepper *s) {
  const rattle__evaluator evaluator = s->context->problem->evaluator;
  char *source = evaluator != RATTLE__BLOCK ? write_source(s, 0) : NULL;
  const char *name = s->code ? "rattle_emitted_run" : "rattle_emitted_tangents";
  void *found = s->code ? (void *)&s->code : (void *)&s->tangents;
  if (source && !rattle__native_get(evaluator, s->context->orders, source, &s->library, NULL) &&
      rattle__native_symbol(s->library, name, found))
    rattle__native_unload(&s->library);
  free(source);
}

rattle_status rattle__stepper_begin(rattle__stepper *s, const char *kernel, rattle_error *error) {
  rattle__arena *arena = &s->context->arena;
  s->run.self = s;
  s->run.x = rattle__arena_doubles(arena, (size_t)s->parts.places);
  s->run.y = rattle__arena_doubles(arena, (size_t)s->parts.shown);
  rattle__point_create(&s->end, arena, s->n, 0, 0);
  if (arena->failed) return rattle__no_memory(error);
  s->kernel = kernel;
  compile(s);
  return RATTLE_OK;
}

void rattle__stepper_end(rattle__stepper *s) {
  rattle__native_unload(&s->library);
  rattle__native_unload(&s->lanes_library);
  rattle__emitted_end(&s->parts);
}

/* Moves what the run has counted to the context. */
static void count(rattle__stepper *s) {
  rattle__context *context = s->context;
  rattle__emitted_run *run = &s->run;
  context->counts.constraint += run->evaluations;
  context->counts.jacobian += run->evaluations;
  context->counts.gradient += run->gradients + run->evaluations * s->slopes;
  context->counts.hessian += run->hessians + run->matrices * s->slopes;
  context->counts.newton_iterations += run->corrections;
  context->counts.factorisation += run->factorisations;
  context->counts.position_projections += run->landings;
  context->counts.momentum_projections += run->landings;
  context->residuals.g = fmax(context->residuals.g, run->g);
  context->residuals.psi = fmax(context->residuals.psi, run->psi);
  context->residuals.iteration_residual =
      fmax(context->residuals.iteration_residual, run->residual);
  run->evaluations = run->landings = run->corrections = run->factorisations = run->gradients =
      run->hessians = run->matrices = 0;
  run->g = run->psi = run->residual = 0;
}

long long rattle__stepper_run(rattle__stepper *s, const double *h, int stages, long long steps,
                              double *z, double *range) {
  rattle__context *context = s->context;
  s->run.look = context->asked.examine;
  s->run.looks = context->asked.examiner;
  const long long done = s->code(&s->run, h, stages, steps, z, range);
  count(s);
  if (!done) return 0;
  if (s->tells_V) {
    rattle__point_go(&s->end, z);
    s->end.V = s->run.V;
    s->end.has_V = 1;
    context->evaluated = &s->end;
  }
  context->kernel = s->library ? "native" : "fused";
  return done;
}

/* ---- several trajectories ---- */

int rattle__stepper_widen(rattle__stepper *s, int lanes) {
  const rattle_problem *problem = s->context->problem;
  const rattle__evaluator evaluator = problem->settable
                                          ? RATTLE__NATIVE_IF_POSSIBLE
                                          : problem->evaluator; /* no number of a case in it */
  const int inputs = rattle__graph_inputs(s->parts.graph);
  char *source = write_source(s, lanes);
  s->lanes = NULL;
  s->width = lanes;
  rattle__native_unload(&s->lanes_library);
  if (inputs) s->number = rattle__arena_doubles(&s->context->arena, (size_t)inputs * (size_t)lanes);
  if (source && (s->number || !inputs) &&
      !rattle__native_get(evaluator, NULL, source, &s->lanes_library, NULL) &&
      rattle__native_symbol(s->lanes_library, "rattle_emitted_lanes", &s->lanes))
    rattle__native_unload(&s->lanes_library);
  free(source);
  return s->lanes ? lanes : 1;
}

int rattle__stepper_join(rattle__stepper *s, int lane, const rattle_problem *problem) {
  const rattle_problem *own = s->context->problem;
  rattle_graph *graph = s->parts.graph;
  if (!own->settable || !problem->settable || own->n != problem->n || own->m != problem->m ||
      rattle_graph_count(own->graph) != rattle_graph_count(problem->graph) ||
      rattle__graph_inputs(own->graph) != rattle__graph_inputs(problem->graph) ||
      !rattle__inputs_take(graph, problem->graph))
    return 0;
  for (int c = 0; c < own->n && s->light; c++)
    if (rattle_expr_value(graph, s->light[c]) != problem->mass->diagonal[c]) return 0;
  for (int k = 0; k < rattle__graph_inputs(graph); k++)
    s->number[k * s->width + lane] = rattle__input_present(graph, k);
  return 1;
}

long long rattle__stepper_run_wide(const rattle__stepper *s, const double *h, int stages,
                                   long long steps, double *z, long long *unusual) {
  return s->lanes(h, stages, steps, s->number, z, s->context->asked.seen, unusual);
}
