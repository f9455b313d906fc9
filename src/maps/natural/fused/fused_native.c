/* The kernel of natural_small.c compiled for one problem: the numbers, patterns and derivatives of
 * the problem written in front of the text of fused_kernel.h. Silent if it is not available: the
 * library's own instance gives the same bits. */
#include <stdlib.h>

#include "ground/expr/family.h"
#include "ground/support/number.h"
#include "ground/expr/emit.h"
#include "ground/expr/native.h"
#include "maps/natural/fused/fused_whitened.h"
#include "maps/natural/fused/natural_small.h"

extern const char rattle__fused_kernel[], rattle__fused_lanes[],
    rattle__tangent_kernel[]; /* made by cmake/kernel.cmake */

/* #define NAME(DO, ..) DO(a, b, c, first) .., the term of kind k with the k-th DO */
static void emit_list(FILE *out, const char *name, const rattle__fused_list *list) {
  fprintf(out, "#define %s(DO_0, DO_1, DO_2)", name);
  for (int i = 0; i < list->count; i++) {
    const rattle__fused_term *t = &list->term[i];
    fprintf(out, " DO_%d(%d, %d, %d, %d)", t->kind, t->a, t->b, t->c, t->first);
  }
  fputc('\n', out);
}

/* The text as it is written. `next`: the first number of each trajectory (fused_numbers.h) that is
 * not written yet. */
typedef struct sheet {
  FILE *out;
  rattle__fused_numbers differ;
  int next;
} sheet;

static void emit_number(sheet *s, int differs, double value) {
  char number[RATTLE__NUMBER_ROOM];
  if (differs)
    fprintf(s->out, "k->number[%d]", s->next++);
  else
    fputs(rattle__number_hex(value, number), s->out);
}

/* #define NAME(DO) DO(a, b, c, first, by) .. */
static void emit_products(sheet *s, const char *name, const rattle__fused_list *list) {
  fprintf(s->out, "#define %s(DO)", name);
  for (int i = 0; i < list->count; i++) {
    const rattle__fused_term *t = &list->term[i];
    fprintf(s->out, " DO(%d, %d, %d, %d, ", t->a, t->b, t->c, t->first);
    emit_number(s, s->differ.plan, t->by);
    fputc(')', s->out);
  }
  fputc('\n', s->out);
}

/* #define ENTRIES(DO) DO(a, b, c, first, last, group, by) .. */
static void emit_entries(sheet *s, const rattle__fused_list *list) {
  fprintf(s->out, "#define ENTRIES(DO)");
  for (int i = 0; i < list->count; i++) {
    const rattle__fused_term *t = &list->term[i];
    fprintf(s->out, " DO(%d, %d, %d, %d, %d, %d, ", t->a, t->b, t->c, t->first, t->last, t->group);
    emit_number(s, s->differ.groups, t->by);
    fputc(')', s->out);
  }
  fputc('\n', s->out);
}

/* #define NAME(DO) DO(0) DO(1) .., or a loop where that would be long */
static void emit_range(FILE *out, const char *name, int count) {
  enum { LONG = 64 };
  fprintf(out, "#define %s(DO)", name);
  if (count > LONG) fprintf(out, " for (int i_ = 0; i_ < %d; i_++) { DO(i_) }", count);
  for (int i = 0; i < count && count <= LONG; i++) fprintf(out, " DO(%d)", i);
  fputc('\n', out);
}

static void emit_spread(sheet *s, const rattle__fused_plan *plan) {
  FILE *out = s->out;
  char number[RATTLE__NUMBER_ROOM];
  fprintf(out, "#define BOUNDED %d\n", plan->bounded);
  if (s->differ.spread) {
    fprintf(out, "#define SPREAD(i) k->number[%d + (i)]\n", s->next);
    s->next += s->differ.spread;
    return;
  }
  fprintf(out, "#define SPREAD(i) spread[i]\nstatic const double spread[] = {");
  for (int i = 0; i < RATTLE__FUSED_MOST; i++)
    fprintf(out, "%s,", rattle__number_hex(plan->spread[i], number));
  fprintf(out, "};\n");
}

static void emit_constant(sheet *s, const rattle__fused_plan *plan) {
  const double norm[] = {plan->constant.bend, plan->constant.span, plan->constant.close};
  const char *const name[] = {"BEND_OF_ALL", "SPAN", "CLOSE"};
  fprintf(s->out, "#define CONSTANT_N %d\n", plan->constant.holds);
  emit_products(s, "EACH_INVERSE", &plan->constant.inverse);
  for (int i = 0; i < 3; i++) {
    fprintf(s->out, "#define %s ", name[i]);
    emit_number(s, s->differ.norms, norm[i]);
    fputc('\n', s->out);
  }
}

static void emit_lists(sheet *s, const rattle__fused_plan *plan, int n, int m) {
  FILE *out = s->out;
  emit_range(out, "EACH_N", n);
  emit_range(out, "EACH_M", m);
  emit_range(out, "EACH_A", m * m);
  emit_entries(s, &plan->entries);
  fprintf(out, "#define BENDS %d\n", plan->bends.count + plan->bends_of_A.count > 0);
  emit_products(s, "EACH_BEND", &plan->bends);
  emit_products(s, "EACH_BEND_OF_A", &plan->bends_of_A);
  emit_products(s, "PRODUCTS_R", &plan->R.products);
  emit_products(s, "PRODUCTS_A", &plan->A.products);
  emit_constant(s, plan);
  emit_spread(s, plan);
  emit_list(out, "ELIMINATE_R", &plan->R.eliminate);
  emit_list(out, "ELIMINATE_A", &plan->A.eliminate);
  emit_list(out, "SUBSTITUTE_R", &plan->R.substitute);
  emit_list(out, "SUBSTITUTE_A", &plan->A.substitute);
}

static void emit_masses(sheet *s, const rattle_problem *problem) {
  char number[RATTLE__NUMBER_ROOM];
  if (s->differ.masses) {
    fprintf(s->out, "#define INVERSE_MASS(i) k->number[%d + (i)]\n", s->next);
    s->next += s->differ.masses;
    return;
  }
  fprintf(s->out, "static const double inverse_mass[] = {");
  for (int i = 0; i < problem->n; i++)
    fprintf(s->out, "%s,", rattle__number_hex(rattle__inertia(problem)->diagonal[i], number));
  fprintf(s->out, "0};\n#define INVERSE_MASS(i) inverse_mass[i]\n");
}

/* True if products and factors are functions of their own, called: their numbers do not fit into
 * 32 registers, so that a call takes no time, and the compiler has a third less to do. */
static int shares_matrices(const rattle_problem *problem) {
  enum { REGISTERS = 32 };
  return problem->m * (problem->m + 1) / 2 > REGISTERS;
}

static void emit_numbers(sheet *s, const rattle__context *context, const rattle__scheme *scheme,
                         int project) {
  FILE *out = s->out;
  const rattle_problem *problem = context->problem;
  fprintf(
      out,
      "#define KERNEL_NAME(part) rattle_fused_##part\n#define KERNEL_LINKAGE\n#define KERNEL_RUN\n"
      "#define KERNEL_INLINE static inline __attribute__((always_inline))\n");
  fprintf(out, "#define KERNEL_SHARED %s\n",
          shares_matrices(problem) ? "static __attribute__((noinline))" : "KERNEL_INLINE");
  fprintf(
      out,
      "#define N %d\n#define M %d\n#define NNZ %d\n#define PROJECT %d\n#define COMPENSATED %d\n",
      problem->n, problem->m, problem->g->jac_nnz, project, context->carry != NULL);
  fprintf(out, "#define PROVED %d\n", !context->asked.unproved);
  fprintf(out, "#define MULTIPLIERS %d\n", problem->m > 2 ? problem->m : 2);
  fprintf(out, "#define CLOCK (%d)\n", rattle__inertia(problem)->clock - 1);
  char number[RATTLE__NUMBER_ROOM];
  fprintf(out, "#define K1 %s\n", rattle__number_hex(scheme->k1, number));
  fprintf(out, "#define D1 %s\n", rattle__number_hex(scheme->d1, number));
  fprintf(out, "#define K2 %s\n", rattle__number_hex(scheme->k2, number));
  fprintf(out, "#define D2 %s\n", rattle__number_hex(scheme->d2, number));
  emit_masses(s, problem);
  fprintf(out, "#define CONSTRAINT(q, F, J) (g_jacobian(q, F, J%s), 0)\n",
          s->differ.g || s->differ.white ? ", k->number" : "");
  fprintf(out, "#define IS_ZERO(x) (__builtin_constant_p(ANY_LANE(x)) && ANY_LANE(x) == 0)\n");
}

/* The place of the first number of L. */
static int first_of_L(const sheet *s) {
  return s->differ.count - s->differ.white;
}

/* Without forces that are no gradient. */
static void emit_potential(const sheet *s, const rattle_problem *problem) {
  FILE *out = s->out;
  if (problem->whitening)
    rattle__emit_whitened(out, problem->whitening->V, "V", s->differ.g, first_of_L(s));
  else
    rattle__emit_straight(out, problem->V, "V");
  fprintf(out, "#define FORCE(q, value, Vq) (V_jacobian(q, &(value), Vq");
  if (s->differ.white)
    fprintf(out, ", k->number");
  else if (s->differ.V)
    fprintf(out, ", k->number + %d", s->differ.g);
  fprintf(out, "), 0)\n#define FORCED 0\n#define FORCES 1\n#define ALONE 1\n"
               "#define PUSHED(i) 0\n#define EACH_FORCE(DO)\n#define SLOPES(DO)\n#define THRUST(q, "
               "p, f, slope) 0\n"
               "#define BALANCE(z) 0\n");
}

/* True if the step may be written out. */
static int is_short(const rattle_problem *problem) {
  const rattle__function *g = rattle__inner_g(problem),
                         *V = problem->V ? rattle__inner_V(problem) : problem->energy,
                         *f = problem->force;
  enum { ENTRIES_MOST = 256 };
  return problem->g->jac_nnz <= ENTRIES_MOST &&
         rattle__elements_are_few(g, RATTLE__STRAIGHT_MOST) &&
         rattle__elements_are_few(V, RATTLE__STRAIGHT_MOST) &&
         (!f || rattle__elements_are_few(f, RATTLE__STRAIGHT_MOST));
}

/* The same with the numbers of the problem in it. */
static int is_native(const rattle_problem *problem) {
  return problem->evaluator != RATTLE__BLOCK && is_short(problem);
}

/* All that stands before the text of a kernel but the prelude. */
static void emit_problem(sheet *s, const rattle__context *context, const rattle__scheme *scheme,
                         int project, const rattle__fused_plan *plan,
                         const rattle__fused_thrust *thrust) {
  const rattle_problem *problem = context->problem;
  if (problem->whitening)
    rattle__emit_whitened(s->out, problem->whitening->g, "g", 0, first_of_L(s));
  else
    rattle__emit_straight(s->out, problem->g, "g");
  if (thrust)
    rattle__fused_thrust_emit(s->out, thrust);
  else
    emit_potential(s, problem);
  s->next = s->differ.g + s->differ.V;
  emit_numbers(s, context, scheme, project);
  emit_lists(s, plan, problem->n, problem->m);
}

rattle__fused_code rattle__fused_native(const rattle__context *context,
                                        const rattle__scheme *scheme, int project,
                                        const rattle__fused_plan *plan,
                                        const rattle__fused_thrust *thrust) {
  rattle__fused_code code = {0};
  char *source = NULL;
  size_t size = 0;
  FILE *out = plan && is_native(context->problem) ? open_memstream(&source, &size) : NULL;
  if (!out) return code;
  rattle__emit_prelude(out);
  emit_problem(&(sheet){.out = out, .differ = rattle__fused_numbers_of(context->problem, plan)},
               context, scheme, project, plan, thrust);
  fputs(rattle__fused_kernel, out);
  if (!fclose(out) &&
      !rattle__native_get(context->problem->evaluator, context->orders, source, &code.library,
                          NULL) &&
      (rattle__native_symbol(code.library, "rattle_fused_step", &code.step) ||
       rattle__native_symbol(code.library, "rattle_fused_level", &code.level) ||
       rattle__native_symbol(code.library, "rattle_fused_prove", &code.prove) ||
       rattle__native_symbol(code.library, "rattle_fused_run", &code.run))) {
    rattle__native_unload(&code.library);
    code = (rattle__fused_code){0};
  }
  free(source);
  return code;
}

/* More gain nothing, since they wait for the divider. Three constraints or more have enough to
 * do. */
int rattle__natural_vectors(const rattle_problem *problem) {
  return problem->m <= 2 ? 2 : 1;
}

rattle__fused_lanes_code rattle__fused_lanes_native(const rattle__context *context,
                                                    const rattle__scheme *scheme, int project,
                                                    const rattle__fused_plan *plan, int lanes) {
  const int groups = rattle__natural_vectors(context->problem);
  rattle__fused_lanes_code code = {.width = 1};
  char *source = NULL;
  size_t size = 0;
  const rattle_problem *problem = context->problem;
  const rattle__evaluator evaluator = problem->settable
                                          ? RATTLE__NATIVE_IF_POSSIBLE
                                          : problem->evaluator; /* no number of a case in it */
  FILE *out = plan && evaluator != RATTLE__BLOCK && is_short(problem)
                  ? open_memstream(&source, &size)
                  : NULL;
  if (!out) return code;
  rattle__emit_prelude_of_lanes(out, lanes);
  fprintf(out, "#define GROUPS %d\n#define EACH_GROUP(DO) DO(0)%s\n", groups,
          groups > 1 ? " DO(1)" : "");
  fprintf(out, "#define WATCHED %d\n", context->asked.seen != NULL);
  emit_problem(&(sheet){.out = out, .differ = rattle__fused_numbers_of(problem, plan)}, context,
               scheme, project, plan, NULL);
  fputs(rattle__fused_lanes, out);
  rattle__emit_end_of_lanes(out);
  if (!fclose(out) && !rattle__native_get(evaluator, NULL, source, &code.library, NULL)) {
    if (rattle__native_symbol(code.library, "rattle_fused_lanes", &code.run))
      rattle__native_unload(&code.library);
    else
      code.width = groups * lanes, code.lanes = lanes;
  }
  free(source);
  return code;
}

/* #define NAME(DO) DO(e, i, j) .., the places of second derivatives */
static void emit_curves(FILE *out, const char *name, const rattle__function *f) {
  fprintf(out, "#define CURVES_%s %d\n#define EACH_%s_CURVE(DO)", name, f->hess_nnz, name);
  for (int i = 0; i < f->vars; i++)
    for (int e = f->hess_ptr[i]; e < f->hess_ptr[i + 1]; e++)
      fprintf(out, " DO(%d, %d, %d)", e, i, f->hess_col[e]);
  fputc('\n', out);
}

rattle__fused_tangents rattle__fused_tangents_native(const rattle__context *context,
                                                     const rattle__scheme *scheme, int project,
                                                     const rattle__fused_plan *plan,
                                                     void **library) {
  const rattle__function *g = context->problem->g, *V = context->problem->V;
  enum { CURVES_MOST = 256 };
  rattle__fused_tangents tangents = NULL;
  char *source = NULL;
  size_t size = 0;
  const int is_small =
      is_native(context->problem) && g->hess_nnz <= CURVES_MOST && V->hess_nnz <= CURVES_MOST;
  FILE *out = is_small ? open_memstream(&source, &size) : NULL;
  if (!out) return NULL;
  rattle__emit_prelude(out);
  emit_problem(&(sheet){.out = out}, context, scheme, project, plan, NULL);
  rattle__emit_straight_along(out, g, "g");
  emit_curves(out, "V", V);
  emit_curves(out, "G", g);
  fprintf(out, "#define V_CURVATURE(q, S) (V_hessian(q, 0, S), 0)\n#define G_CURVATURE(q, w, C) "
               "(g_hessian(q, w, C), 0)\n"
               "#define TURN(q, v, D) (g_along(q, v, D), 0)\n");
  fputs(rattle__tangent_kernel, out);
  if (!fclose(out) &&
      !rattle__native_get(context->problem->evaluator, context->orders, source, library, NULL) &&
      rattle__native_symbol(*library, "rattle_fused_tangents", &tangents))
    rattle__native_unload(library);
  free(source);
  return tangents;
}
