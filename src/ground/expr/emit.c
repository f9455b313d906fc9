/* C text of operations, and straight code for small functions.
 *
 * Operations are written one a line in the order of the program, so that the compiler, instructed
 * not to contract or reorder arithmetic, computes the bits of the block interpreter; sums into F, J
 * and S are in its order too. */
#include "ground/expr/emit.h"
#include "ground/support/number.h"
#include "ground/support/processor.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/native.h"

static const char *const function_name[RATTLE_OP_COUNT] = {
#define OP(name, arity, symbol) symbol,
#include "rattle/ops.def"
#undef OP
};

static const char *name_of(int op) {
  if (op == RATTLE_OP_SQRT) return "SQUARE_ROOT";
  if (op == RATTLE_OP_ABS) return "MAGNITUDE";
  return op == RATTLE_OP_POW ? "pow" : function_name[op];
}

static int is_infix(int op) {
  return op >= RATTLE_OP_ADD && op <= RATTLE_OP_DIV;
}

extern const char rattle__real_text[], rattle__lanes_text[]; /* made by cmake/kernel.cmake */

/* Functions that are called for each lane, all but the arithmetic, and choices of all lanes. */
static void emit_lanes_of_functions(FILE *out) {
  for (int op = RATTLE_OP_EXP; op <= RATTLE_OP_ERFC; op++)
    fprintf(out, "LANES_ONE(lanes_%s, %s)\n#define %s lanes_%s\n", function_name[op],
            function_name[op], function_name[op], function_name[op]);
  fprintf(out, "LANES_TWO(lanes_pow, pow)\n#define pow lanes_pow\nLANES_TWO(lanes_atan2, "
               "atan2)\n#define atan2 lanes_atan2\n#undef PICK\n#define PICK(condition, x, y) "
               "lanes_select(condition, UNIFORM(x), UNIFORM(y))\n");
#define CHOICE(name, symbol, value)                                                                \
  fprintf(out,                                                                                     \
          "INLINE REAL lanes_" #symbol "(REAL a%s) { return " #value "; }\n#define " #symbol       \
          " lanes_" #symbol "\n",                                                                  \
          RATTLE_OP_##name < RATTLE_OP_NEG ? ", REAL b" : "");
#include "ground/expr/choices.def"
#undef CHOICE
}

static void emit_functions(FILE *out) {
  for (int op = RATTLE_OP_EXP; op <= RATTLE_OP_ERFC; op++)
    fprintf(out, "__attribute__((const)) double %s(double);\n", function_name[op]);
  fprintf(out, "__attribute__((const)) double pow(double, double);\n__attribute__((const)) double "
               "atan2(double, double);\n__attribute__((const)) double sqrt(double);\n"
               "__attribute__((const)) double fabs(double);\n#define PICK(condition, x, y) "
               "((condition) ? (x) : (y))\n");
#define CHOICE(name, symbol, value)                                                                \
  fprintf(out, "static inline double " #symbol "(double a%s) { return %s; }\n",                    \
          RATTLE_OP_##name < RATTLE_OP_NEG ? ", double b" : "", #value);
#include "ground/expr/choices.def"
#undef CHOICE
}

void rattle__emit_prelude(FILE *out) {
  emit_functions(out);
  fprintf(out, "#define LANES 0\n%s", rattle__real_text);
}

void rattle__emit_prelude_of_lanes(FILE *out, int lanes) {
  static const struct {
    int lanes;
    const char *target;
  } wide[] = {{4, "avx2"}, {8, "avx512f,avx512dq,avx512vl"}};
  const char *target = NULL;
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
    if (wide[i].lanes == lanes) target = wide[i].target;
  if (target)
    fprintf(out,
            "#ifdef __clang__\n#pragma clang attribute push(__attribute__((target(\"%s\"))), "
            "apply_to = function)\n#else\n"
            "#pragma GCC target(\"%s\")\n#endif\n",
            target, target);
  emit_functions(out);
  fprintf(out, "#define LANES %d\n%s", lanes, rattle__lanes_text);
  emit_lanes_of_functions(out);
}

int rattle__most_lanes(void) {
#if defined(__x86_64__)
  if (rattle__processor_has("avx512vl") && rattle__processor_has("avx512dq")) return 8;
  if (rattle__processor_has("avx2")) return 4;
#endif
  return 2;
}

void rattle__emit_end_of_lanes(FILE *out) {
  fprintf(out, "#if defined(__clang__) && LANES > 2\n#pragma clang attribute pop\n#endif\n");
}

static void literal(FILE *out, double value) {
  char text[RATTLE__NUMBER_ROOM];
  if (isnan(value))
    fprintf(out, "UNIFORM(__builtin_nan(\"\"))");
  else if (isinf(value))
    fprintf(out, "UNIFORM(%s__builtin_inf())", value < 0 ? "-" : "");
  else
    fprintf(out, "UNIFORM(%s)", rattle__number_hex(value, text));
}

void rattle__emit_register(FILE *out, const rattle__family *f, const rattle__program *p,
                           int instance, const int *text, int at) {
  int param = at - p->slots, constant = param - p->params;
  if (constant >= p->constants)
    fprintf(out, "t%d", text[at]);
  else if (constant >= 0)
    literal(out, p->constant[constant]);
  else if (param >= 0 && p->param[param] >= f->params) {
    int slot = p->param[param] - f->params;
    if (instance >= 0)
      fprintf(out, "v[%d]", f->slot[(size_t)instance * f->slots + slot]);
    else
      fprintf(out, "v%d", slot);
  } else if (param >= 0 && instance >= 0 && p->param[param] >= f->params - f->settables)
    fprintf(out, "number[%d]",
            f->first_input + instance * f->settables + p->param[param] -
                (f->params - f->settables));
  else if (param >= 0 && instance >= 0)
    literal(out, f->param[(size_t)instance * f->params + p->param[param]]);
  else if (param >= 0)
    fprintf(out, "p%d", p->param[param]);
  else if (instance >= 0)
    fprintf(out, "x[%d]", f->slot[(size_t)instance * f->slots + p->slot[at]]);
  else
    fprintf(out, "x%d", p->slot[at]);
}

void rattle__emit_program(FILE *out, const rattle__family *f, const rattle__program *p,
                          int instance, int *text) {
  if (instance < 0) {
    for (int j = 0; j < p->slots; j++)
      fprintf(out, "    const REAL x%d = x[s[%d]];\n", p->slot[j], p->slot[j]);
    for (int j = 0; j < p->params; j++) {
      int slot = p->param[j] - f->params;
      if (slot < 0)
        fprintf(out, "    const REAL p%d = c[%d];\n", p->param[j], p->param[j]);
      else
        fprintf(out, "    const REAL v%d = v[s[%d]];\n", slot, slot);
    }
  }
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    fprintf(out, "    const REAL t%d = ", k);
    if (!is_infix(c->op)) fprintf(out, "%s(", name_of(c->op));
    rattle__emit_register(out, f, p, instance, text, c->a);
    if (is_infix(c->op)) fprintf(out, " %s ", function_name[c->op]);
    if (!is_infix(c->op) && c->op < RATTLE_OP_NEG) fprintf(out, ", ");
    if (c->op < RATTLE_OP_NEG) rattle__emit_register(out, f, p, instance, text, c->b);
    fprintf(out, is_infix(c->op) ? ";\n" : ");\n");
    text[c->to] = k;
  }
}

/* Straight code has a local variable for each place of F, J and S, called F0, J0 .., stored at the
 * end. */
static void open_places(FILE *out, char name, int from, int to) {
  for (int p = from; p < to; p++) fprintf(out, "  REAL %c%d = UNIFORM(0);\n", name, p);
}

static void close_places(FILE *out, char name, int from, int to) {
  for (int p = from; p < to; p++) fprintf(out, "  %c[%d] = %c%d;\n", name, p, name, p);
}

/* One instance: its operations, then its results, stored or added. */
static void emit_instance(FILE *out, const rattle__family *f, const rattle__table *t, int kind,
                          int i, int *text) {
  const rattle__program *p = &f->program[kind];
  int values = kind == RATTLE__VALUE || kind == RATTLE__BOTH;
  fprintf(out, "  {\n");
  rattle__emit_program(out, f, p, i, text);
  for (int k = 0; k < p->outs; k++) {
    if (kind == RATTLE__CURVATURE)
      fprintf(out, "    S%d %s w%d * ", t->hess[(size_t)i * f->hess_outs + k],
              f->store_S ? "=" : "+=", f->row[i]);
    else if (k < values)
      fprintf(out, "    F%d %s ", f->row[i], f->store_F ? "=" : "+=");
    else
      fprintf(out, "    J%d %s ", t->jac[(size_t)i * f->jac_outs + k - values],
              f->store_J ? "=" : "+=");
    rattle__emit_register(out, f, p, i, text, p->out[k]);
    fprintf(out, ";\n");
  }
  fprintf(out, "  }\n");
}

static void emit_instances(FILE *out, const rattle__elements *e, int kind, int *text) {
  for (int k = 0; k < e->families; k++)
    for (int i = 0; i < e->family[k].count && e->family[k].program[kind].outs; i++)
      emit_instance(out, &e->family[k], &e->table[k], kind, i, text);
}

void rattle__emit_straight(FILE *out, const rattle__function *f, const char *name) {
  const rattle__elements *e = rattle__function_elements(f);
  int *text = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *text);
  const char *number = rattle__function_inputs(f, NULL, 0) ? ", const REAL *restrict number" : "";
  if (!text) return; /* the source then lacks these functions and does not compile */

  fprintf(out, "static inline void %s_value(const REAL *restrict x, REAL *restrict F%s) {\n", name,
          number);
  open_places(out, 'F', 0, f->rows);
  emit_instances(out, e, RATTLE__VALUE, text);
  close_places(out, 'F', 0, f->rows);
  fprintf(out, "}\n");

  fprintf(out,
          "static inline void %s_jacobian(const REAL *restrict x, REAL *restrict F, REAL *restrict "
          "J%s) {\n",
          name, number);
  open_places(out, 'F', 0, f->rows);
  open_places(out, 'J', 0, f->jac_nnz);
  emit_instances(out, e, RATTLE__BOTH, text);
  fprintf(out, "  if (F) {\n");
  close_places(out, 'F', 0, f->rows);
  fprintf(out, "  }\n");
  close_places(out, 'J', 0, f->jac_nnz);
  fprintf(out, "}\n");

  if (f->hessian) {
    fprintf(out,
            "static inline void %s_hessian(const REAL *restrict x, const REAL *restrict w, REAL "
            "*restrict S%s) {\n",
            name, number);
    for (int r = 0; r < f->rows; r++)
      fprintf(out, "  const REAL w%d = w ? w[%d] : UNIFORM(1);\n", r, r);
    open_places(out, 'S', 0, f->hess_nnz);
    emit_instances(out, e, RATTLE__CURVATURE, text);
    close_places(out, 'S', 0, f->hess_nnz);
    fprintf(out, "}\n");
  }
  free(text);
}

void rattle__emit_straight_along(FILE *out, const rattle__function *f, const char *name) {
  const rattle__elements *e = rattle__function_elements(f);
  int *text = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *text);
  if (!text) return;
  fprintf(out,
          "static inline void %s_along(const REAL *restrict x, const REAL *restrict v, REAL "
          "*restrict J) {\n",
          name);
  open_places(out, 'J', 0, f->jac_nnz);
  emit_instances(out, e, RATTLE__ALONG, text);
  close_places(out, 'J', 0, f->jac_nnz);
  fprintf(out, "}\n");
  free(text);
}

void rattle__emit_straight_row(FILE *out, const rattle__function *f, const char *name) {
  const rattle__elements *e = rattle__function_elements(f);
  int *text = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *text);
  if (!text) return;
  fprintf(out,
          "static inline void %s_row(int r, const REAL *restrict x, REAL *restrict F, REAL "
          "*restrict J) {\n",
          name);
  fprintf(out, "  switch (r) {\n");
  for (int r = 0; r < f->rows; r++) {
    fprintf(out, "  case %d: {\n", r);
    open_places(out, 'F', r, r + 1);
    open_places(out, 'J', f->jac_ptr[r], f->jac_ptr[r + 1]);
    for (int k = e->rows.ptr[r]; k < e->rows.ptr[r + 1]; k++) {
      int which = e->rows.one[k].family;
      emit_instance(out, &e->family[which], &e->table[which], RATTLE__BOTH, e->rows.one[k].instance,
                    text);
    }
    close_places(out, 'F', r, r + 1);
    close_places(out, 'J', f->jac_ptr[r], f->jac_ptr[r + 1]);
    fprintf(out, "  break;\n  }\n");
  }
  fprintf(out, "  }\n}\n");
  free(text);
}
