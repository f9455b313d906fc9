/* Fields as C source. */
#include "expr/family.h"
#include "support/number.h"
#include "expr/native.h"
#include "field/parts.h"

static int is_straight(const rattle__function *f) {
  return f->native && rattle__elements_are_few(f, RATTLE__STRAIGHT_MOST);
}

int rattle__field_is_straight(const rattle__field *field) {
  const rattle_problem *problem = field->problem;
  if (field->k) return 0;
  if (field->rhs) return is_straight(field->rhs);
  if (problem->V) return is_straight(problem->V) && (!problem->T || is_straight(problem->T));
  return is_straight(problem->H);
}

/* q' = T_p or M^-1 p, p' = -V_q */
static void emit_separable(const rattle_problem *problem, FILE *out) {
  const int n = problem->n;
  rattle__emit_straight(out, problem->V, "V");
  if (problem->T) rattle__emit_straight(out, problem->T, "T");
  fprintf(out, "static inline void field(const double *restrict z, double *restrict f) {\n  double slope[%d];\n", n);
  fprintf(out, "  V_jacobian(z, 0, slope);\n");
  if (problem->T) fprintf(out, "  T_jacobian(z + %d, 0, f);\n", n);
  for (int c = 0; c < n; c++) {
    char mass[RATTLE__NUMBER_ROOM];
    if (!problem->T) fprintf(out, "  f[%d] = %s * z[%d];\n", c, rattle__number_hex(problem->inverse_mass[c], mass), n + c);
    fprintf(out, "  f[%d] = -slope[%d];\n", n + c, c);
  }
  fprintf(out, "}\n");
}

static void emit_hamiltonian(const rattle_problem *problem, FILE *out) {
  const int n = problem->n;
  rattle__emit_straight(out, problem->H, "H");
  fprintf(out,
          "static inline void field(const double *restrict z, double *restrict f) {\n"
          "  double slope[%d];\n  H_jacobian(z, 0, slope);\n",
          2 * n);
  for (int c = 0; c < n; c++) fprintf(out, "  f[%d] = slope[%d];\n  f[%d] = -slope[%d];\n", c, n + c, n + c, c);
  fprintf(out, "}\n");
}

void rattle__field_emit(const rattle__field *field, FILE *out) {
  if (field->rhs) {
    rattle__emit_straight(out, field->rhs, "rhs");
    fprintf(out, "static inline void field(const double *restrict z, double *restrict f) {\n  rhs_value(z, f);\n}\n");
  } else if (field->problem->V)
    emit_separable(field->problem, out);
  else
    emit_hamiltonian(field->problem, out);
}
